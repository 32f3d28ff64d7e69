/* Where device code counts on a number of lanes: the operations that make lane and warp numbers,
   and whether these hold for one width only or follow warpSize. Found by running the arithmetic
   (lane.h), once on waves of 32 and once on waves of 64 lanes.

   WIDTH is the number of lanes that the code was written for: 32 in CUDA, 32 or 64 in HIP.  */
#ifndef ANNOTATE_WIDTH_H
#define ANNOTATE_WIDTH_H

#include "annotate/annotate_p.h"
#include "annotate/warp.h"

/* An operation that gives a lane or a warp. */
struct width_use {
    const struct node *node;     /* NODE_BINARY, or NODE_ASSIGN as in /= */
    const struct node *constant; /* its operand that says how wide a warp is */
    size_t function;
    uint8_t role;  /* enum lane_role */
    uint8_t width; /* 32, 64; 0: it follows warpSize */
    bool counted;  /* a loop adds to it */
    bool reported; /* as a part of something worse */
};

/* A number that has to be another where the width is warpSize. */
struct width_edit {
    const struct node *number;
    const char *text;
    uint32_t defined; /* where the name that it is was defined; NO_TOKEN: a number */
};

/* What is known of the function at the same index of the unit. */
struct width_function {
    bool warps;          /* it calls warp functions, or functions that do */
    bool exchanges;      /* it calls warp functions itself */
    bool takes_lane;     /* it asks for the lane within the wave, by __lane_id or PTX */
    bool says_warp;      /* it calls a function that is called so */
    bool follows;        /* some of its uses follow warpSize */
    bool mixes;          /* what it counts in two ways was reported */
    bool names_size;     /* it, or a function that calls it, names warpSize or __lane_id */
    bool hard32, hard64; /* some count on so many lanes */
    bool named;          /* and some of these by a constant's name */
    uint32_t
        follower; /* the index of a use that follows warpSize, a warp's if any is, or NO_INDEX */
    bool known;   /* its blocks are known, all of them */
    unsigned most_threads; /* of these */
    VEC(size_t) callers;
    size_t root;                  /* one of those that are connected with it by calls */
    VEC(struct width_edit) edits; /* width_edits() */
    bool edits_known;
    bool keeps;           /* some number or name that is the width has to stay as it is */
    bool connected_keeps; /* of a root: one of those connected with it has */
};

struct widths {
    VEC(struct width_use) uses; /* in the order of the source */
    VEC(struct width_use)
    derived;         /* sums and differences of these that are lanes again; no constant */
    uint8_t *is_use; /* by a node's number: it is one of `uses` */
    struct width_function *functions;
    size_t function_count;
    bool connected; /* connected_keeps is known */
};

/* Those of A's file, found when first asked for. Released with annotation_release_widths(). */
const struct widths *annotation_widths(struct annotation *a);
void annotation_release_widths(struct annotation *a);

/* The first of LIST, COUNT nodes in the order of the source, that lies in FUNCTION or behind it;
   the end where there is none. */
const struct code_node *width_first_of(const struct code_node *list, size_t count, size_t function);

#define width_each(node, list, of)                                                        \
    for (const struct code_node *node = width_first_of((list)->items, (list)->count, of); \
         node != vec_end(list) && node->function == (of); ++node)

/* The root of what the function at INDEX is connected with; shortens the way to it. */
size_t width_root(struct widths *widths, size_t index);

/* The function at INDEX with the edits that make its numbers follow warpSize, in the order of the
   source. */
const struct width_function *width_edits(struct annotation *a, size_t index);

/* The statement v += __shfl_xor (v, 16), or with another operation, of which CALL is the shuffle: a
   wave of 64 lanes takes one more step before it. NULL: it is something else. */
const struct node *width_step(struct annotation *a, const struct node *call);

/* How safe it is to make them follow: FIX_UNSAFE where all that it calls and that calls it can
   follow too, else FIX_DISPLAY. */
enum fix_safety width_safety(struct annotation *a, size_t index);

/* Whether the file may have anything of the kind: cheap. */
bool widths_are_possible(const struct annotation *a);

/* The blocks of at least two warps of WIDTH that the function at INDEX is played with, at most MAX;
 *ASSUMED: its own are not known. */
enum { WIDTH_BLOCKS = 4 };
unsigned width_blocks(struct annotation *a, size_t index, unsigned width,
                      unsigned blocks[WIDTH_BLOCKS][3], bool *assumed);

/* Whether a function from which INDEX may be called, or itself, follows warpSize (or counts on
   WIDTH, where that is not 0). *WHICH (may be NULL) is the one. */
bool width_is_near(const struct widths *widths, size_t index, unsigned width, size_t *which);

/* Whether USE is a number of warps in a function that numbers them by warpSize. */
bool width_counts_otherwise(struct annotation *a, const struct width_use *use);

/* The value of NODE if it is one for all threads, with waves of WAVE lanes. */
bool width_value(struct annotation *a, size_t function, const struct node *node, unsigned wave,
                 unsigned sample, int64_t *value);

/* The name in EXPRESSION that stands for its value, and where that is defined; NULL: a number. */
const struct symbol *width_name(struct annotation *a, const struct node *expression,
                                uint32_t *defined);

/* The first name in EXPRESSION whose value is WIDTH, or half of that; NULL: none. */
const struct node *width_constant(struct annotation *a, const struct node *expression,
                                  unsigned width);

/* Whether NODE is WIDTH as a floating number. */
bool width_is_float(const struct unit *unit, const struct node *node, unsigned width);

/* Whether NODE is what a lane or a warp is called by: its variable's name says so. */
bool width_goes_to_warp(struct annotation *a, const struct node *node);

/* Whether TEXT speaks of warps or lanes, and whether it is a usual name of the warp's width. */
bool width_speaks_of_warps(const char *text);
bool width_is_usual_name(const char *text);

/* The targets that code written for waves of WIDTH lanes is wrong about, and what theirs is. */
target_set width_targets(const struct annotation *a, unsigned width);
static inline unsigned width_other(unsigned width)
{
    return 96 - width;
}

/* Adds a finding of RULE at RANGE: %1 the text, %2 the targets, %3 their lanes, %4 WIDTH. */
struct finding *width_add(struct annotation *a, enum rule_id rule, struct range range,
                          unsigned width);

/* Whether TOKEN lies in a conditional that tells one width from another: somebody has decided. */
bool width_is_decided(const struct unit *unit, uint32_t token);

/* Whether code at TOKEN is to be looked at for waves of WIDTH: no AMD compiler reads the CUDA side,
   CUDA's warps have 32 lanes, and what is in a branch for a width is right. */
bool width_applies(const struct annotation *a, uint32_t token, unsigned width);

/* The same for EXPRESSION, which is that width: where a constant of the HIP side says so, code of
   both sides counts on it. */
bool width_applies_to(struct annotation *a, const struct node *expression, unsigned width);

/* Relates to F where the function at index FUNCTION follows warpSize, if it does. */
void width_add_follower(struct annotation *a, struct finding *f, size_t function);

#endif
