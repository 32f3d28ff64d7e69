/* Warp functions: what the rules about warps and waves look for in calls.  */
#ifndef ANNOTATE_WARP_H
#define ANNOTATE_WARP_H

#include "annotate/annotate_p.h"

enum warp_kind {
    WARP_SHUFFLE, /* from a lane that is named */
    WARP_SHUFFLE_UP,
    WARP_SHUFFLE_DOWN,
    WARP_SHUFFLE_XOR,
    WARP_BALLOT, /* WARP_BALLOT, WARP_ACTIVE, WARP_MATCH give a lane mask: one bit for each lane */
    WARP_ACTIVE,
    WARP_MATCH,
    WARP_VOTE, /* all, any */
    WARP_REDUCE,
    WARP_SYNC,
};

enum { WARP_NONE = -1 };

/* A warp function; which of its arguments is what, WARP_NONE: it has none of the kind. */
struct warp_function {
    const char *name;
    enum warp_kind kind;
    int8_t mask, value, lane, width;
};

/* A call of one; NULL for arguments that it does not have. */
struct warp_call {
    const struct warp_function *function;
    const struct node *mask, *value, *lane, *width;
};

/* The warp function called NAME, or NULL. */
const struct warp_function *warp_function_find(const char *name);

/* Whether the file of A names any: a rule about them has nothing to do without. */
bool warp_is_used(const struct annotation *a);

/* Whether NODE, a NODE_CALL, calls a warp function of CUDA's or HIP's, and not what the file itself
   declares by such a name. No names of other functions are looked up, so it is cheap. */
bool warp_call_of(struct annotation *a, const struct node *node, struct warp_call *res);

static inline bool warp_is_shuffle(const struct warp_function *function)
{
    return function->kind <= WARP_SHUFFLE_XOR;
}

/* Whether it gives a lane mask. */
static inline bool warp_gives_mask(const struct warp_function *function)
{
    return WARP_BALLOT <= function->kind && function->kind <= WARP_MATCH;
}

/* Whether NODE, a group of threads, may have as many members as a wave has lanes: what
   coalesced_threads() gives, or a part of such a group. */
bool warp_is_active_group(struct annotation *a, const struct node *node);

/* Whether every wave of every target that gets to NODE, in the body of the function at index
   FUNCTION, does so with all of its lanes, as far as the file proves it: all launches that it shows
   have known blocks of whole waves, all calls of device functions stand in uniform control flow,
   and nobody else can call them. */
bool warp_is_whole(struct annotation *a, size_t function, const struct node *node);

/* Whether of each wave of 64 lanes that gets to NODE, in a kernel's body, just the lanes of MASK
   do, whatever the block. */
bool warp_is_exact(struct annotation *a, size_t function, const struct node *node, uint64_t mask);

/* The targets whose waves get to NODE, in a kernel's body, with some of their lanes and not with
   the others, as its launches show. */
target_set warp_is_partial(struct annotation *a, size_t function, const struct node *node);

/* Whether no block that runs NODE has more than 32 threads, so that lanes from 32 on are never
   active there. */
bool warp_fits_half(struct annotation *a, const struct node *node);

void warp_reach_free(struct warp_reach *reach);

#endif
