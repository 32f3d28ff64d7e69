/* How two versions of a file differ, in lines: the translation of a source and what a port made of
   it.

   Lines are compared by their words (report/words.h), so that layout, comments and the spellings
   that two translators may choose are no difference; lines that are broken elsewhere are none
   either. Or they are compared byte by byte. Markers of ours are no lines of either version.  */
#ifndef REPORT_CONTRAST_H
#define REPORT_CONTRAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "transform/translate.h"

struct text_line {
    uint32_t begin, end; /* offsets, its line end included */
};

/* One of the two versions; its lines are counted from 0, without markers. */
struct version_lines {
    struct source *source;
    VEC(struct text_line) list;
};

/* The old version's lines from OLD on and the new one's from NEW on. */
struct piece {
    size_t old, old_count;
    size_t new, new_count;
    bool same;    /* line by line: as many on both sides */
    bool changed; /* the words differ; a piece that is neither has only another layout */
    bool bare;    /* not the same, and no word lies in it */
};

/* The pieces cover both versions from the first line to the last, in order. */
struct contrast {
    struct version_lines old, new;
    VEC(struct piece) pieces;
    size_t changed; /* pieces */
};

/* Compares OLD and NEW, which must live longer than CONTRAST; byte by byte if EXACT. */
void contrast_make(struct contrast *contrast, struct translation *old, struct translation *new,
                   bool exact);
void contrast_release(struct contrast *contrast);

/* The line that OFFSET of the source lies in; the one behind for an offset in a marker. */
size_t contrast_line(const struct version_lines *lines, size_t offset);

/* The piece that LINE of the old version (of the new one if NEW) lies in; behind the last line: the
   last piece. There must be one. */
size_t contrast_piece(const struct contrast *contrast, size_t line, bool new);

#endif
