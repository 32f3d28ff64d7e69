/* Shuffles: what those by lane numbers (wave_shuffle.c) and those by distances (wave_reduction.c)
   share.  */
#ifndef ANNOTATE_RULES_WAVE_SHUFFLE_P_H
#define ANNOTATE_RULES_WAVE_SHUFFLE_P_H

#include "annotate/width.h"

/* Distances of shuffles in one loop, or in a row. */
struct series {
    const struct node *place; /* the loop, or the first shuffle */
    size_t function;
    bool is_loop;
    bool scan;       /* with __shfl_up */
    bool decided;    /* the distance 32 only where a wave has 64 lanes */
    bool recursive;  /* one shuffle, in a template that goes on with half the distance */
    uint32_t values; /* as bits: distances are powers of two */
    VEC(const struct node *) calls;
};

struct wrapper;

/* The shuffles of a file. */
struct shuffles {
    struct annotation *a;
    const struct code *code;
    const struct widths *widths;
    struct wrapper *wrappers; /* by the function's index */
    VEC(struct series) series;
    size_t noted;        /* the function whose explicit widths were reported last, + 1 */
    size_t note;         /* the finding about them */
    unsigned recursions; /* that were looked for */
};

/* The loop around NODE whose condition or step has to do with what is in LANE; the innermost one
   where none says; NULL where there is none, or LANE has no name. */
const struct node *shuffles_loop(struct shuffles *c, const struct node *node,
                                 const struct node *lane);

/* Whether a condition around NODE, in the function at index FUNCTION, depends on the width of the
   wave. */
bool shuffles_is_chosen(struct shuffles *c, size_t function, const struct node *node);

/* Adds to F's fix that the width of CALL, where it is the number 32, becomes warpSize. */
void shuffles_add_width_fix(struct shuffles *c, struct finding *f, const struct node *call,
                            size_t function);

/* Adds the shuffle CALL, which WARP reads, by a distance to a series, where it belongs to one. */
void reduction_add(struct shuffles *c, const struct code_node *call, const struct warp_call *warp);

/* Adds to F the figures of a reduction over WIDTH lanes: its steps, and the lanes of a wave. */
void reduction_add_steps(struct shuffles *c, struct finding *f, unsigned width);

/* Reports all series, and frees them. */
void reductions_report(struct shuffles *c);

#endif
