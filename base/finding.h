/* A finding: what a rule says about a place in a source file.

   It stores the rule and its arguments, not text; report/ makes text of it. One function
   adds findings, wherever they come from.  */
#ifndef BASE_FINDING_H
#define BASE_FINDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rule.h"
#include "base/vec.h"

enum { FINDING_ARGS = 4 };

struct span {
    uint32_t begin; /* offset of the first byte in the input */
    uint32_t end;   /* offset behind the last */
};

struct finding {
    enum rule_id rule;
    struct span span;
    enum effect effect;             /* the rule's, unless the place says otherwise */
    enum confidence confidence;     /* likewise */
    const char *args[FINDING_ARGS]; /* NUL-terminated, in the arena; NULL behind the last */
    const char *advice; /* the way out for this place, English, or NULL: the rule's todo; borrowed
                           from the map */
    const char *kernel; /* the kernel or device function it lies in, or NULL */
};

struct findings {
    struct arena *arena;
    VEC(struct finding) list;
};

/* An empty list whose strings live in ARENA. */
void findings_init(struct findings *findings, struct arena *arena);

/* Adds a finding of RULE at SPAN with up to FINDING_ARGS arguments (NULL for none), which
   are copied. The result may be changed until the next call. */
struct finding *findings_add(struct findings *findings, enum rule_id rule, struct span span,
                             const char *arg1, const char *arg2, const char *arg3);

/* Sorts by place, then rule name: the order in which every report shows them. Drops a
   finding that says the same of the same place as the one before it. */
void findings_sort(struct findings *findings);

void findings_release(struct findings *findings);

#endif
