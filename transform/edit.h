/* Edits: what is rewritten, as changes to the bytes of the input.

   Edits are collected in any order, then sorted and checked; no two overlap, and an edit
   with length 0 inserts before its offset. Everything outside stays byte for byte.  */
#ifndef TRANSFORM_EDIT_H
#define TRANSFORM_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/source.h"
#include "base/strbuf.h"
#include "base/vec.h"

enum edit_reason {
    EDIT_RENAME,
    EDIT_INCLUDE,
    EDIT_ARGUMENT,
    EDIT_LAUNCH,
    EDIT_CONDITION,
    EDIT_FIX,    /* of a finding */
    EDIT_MARKER, /* a comment above a line, or the removal of an old one */
    EDIT_REASON_COUNT
};

struct edit {
    uint32_t offset;
    uint32_t length;  /* bytes replaced */
    const char *text; /* lives as long as the edits' arena */
    size_t text_len;
    enum edit_reason reason;
    uint32_t order; /* insertions at one offset keep the order in which they were added */
};

struct edits {
    VEC(struct edit) list;
};

/* Adds an edit: LENGTH bytes at OFFSET become TEXT, which is NUL-terminated. */
void edit_add(struct edits *edits, size_t offset, size_t length, const char *text,
              enum edit_reason reason);

/* Likewise the TEXT_LEN bytes at TEXT, which may hold what the source does. */
void edit_add_bytes(struct edits *edits, size_t offset, size_t length, const char *text,
                    size_t text_len, enum edit_reason reason);

/* Sorts by offset. An edit that overlaps an earlier, wider one is dropped and counted in the
   result: 0 unless the translator contradicts itself. */
size_t edits_finish(struct edits *edits);

/* Appends the text of SOURCE with EDITS (finished) applied to OUT. */
void edits_apply(const struct edits *edits, const struct source *source, struct strbuf *out);

/* A walk along the text and its result; all 0 at the start. */
struct edit_walk {
    size_t next;           /* edit */
    size_t source, result; /* offsets behind the one before */
};

/* Where the byte at OFFSET of the source lies in the result of EDITS (finished), and the other way
   round; one that is replaced lies where its replacement begins, and the other way round. Of one
   WALK, the calls are all of the same function and in the order of the offsets. */
size_t edits_to_result(const struct edits *edits, struct edit_walk *walk, size_t offset);
size_t edits_to_source(const struct edits *edits, struct edit_walk *walk, size_t offset);

/* Makes RES, which is empty, the edits that do what FIRST and then SECOND do: SECOND edits BETWEEN,
   the result of FIRST. Both are finished, and so is RES. Texts are made in ARENA. */
void edits_compose(struct edits *res, const struct edits *first, const struct edits *second,
                   const struct source *between, struct arena *arena);

void edits_release(struct edits *edits);

#endif
