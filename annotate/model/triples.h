/* Sets of the values that an expression of the host's code may have. A value is a triple, since a
   dim3 is one; a plain integer is its first component.  */
#ifndef ANNOTATE_MODEL_TRIPLES_H
#define ANNOTATE_MODEL_TRIPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate/model/constant.h"

/* A component that is not known. */
#define UNKNOWN_COMPONENT INT64_MIN

/* The possible values; none: unknown. */
struct triples {
    unsigned count;
    int64_t items[CONSTANT_VALUES][3];
    const struct node *said[3]; /* the expression of each component, where there is just one */
    bool open; /* some came from the callers of a function that other files may call too */
};

struct triples triples_unknown(void);

/* The number VALUE. */
struct triples triples_single(int64_t value);

/* Adds ITEM to SET; false where it is full. */
bool triples_add(struct triples *set, const int64_t item[3]);

/* A union of which one unknown part makes an unknown whole. */
struct gather {
    struct triples set;
    bool failed;
};

/* Adds PART to ALL. */
void triples_gather(struct gather *all, struct triples part);

/* The union of what was added, or unknown. */
struct triples triples_gathered(const struct gather *all);

/* Component INDEX of SET as a number. */
struct triples triples_component(const struct triples *set, unsigned index);

/* All triples that the numbers PARTS can make; a part that is not known stays so. */
struct triples triples_cross(const struct triples parts[3]);

/* A OP B in *RES; false where that is undefined, or no arithmetic. */
bool triples_apply(enum token_kind op, int64_t a, int64_t b, int64_t *res);

/* What A OP B, numbers, can be; unknown where one result is, or where they are too many. */
struct triples triples_combine(enum token_kind op, const struct triples *a,
                               const struct triples *b);

#endif
