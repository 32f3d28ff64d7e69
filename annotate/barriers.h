/* The barriers of a file's device code: calls for which threads of a block wait for each other, and
   calls of functions that have such a call. Which of them threads get to that leave out one.

   A barrier of AMD GPUs counts the waves that come to one, to whichever it is, and takes those that
   have ended out of the count (s_barrier in AMD's manuals of the instruction sets; LLVM, AMDGPU
   Execution Synchronization: a thread that ends drops the barrier). So waves that leave one out and
   end harm nobody; those that get to another one instead meet the others there.  */
#ifndef ANNOTATE_BARRIERS_H
#define ANNOTATE_BARRIERS_H

#include "annotate/annotate_p.h"

enum barrier_kind {
    BARRIER_NONE,
    BARRIER_BLOCK,  /* the waves of the block wait */
    BARRIER_GRID,   /* all blocks of the grid do */
    BARRIER_CALLED, /* a function that has one is called */
};

/* How threads come by a barrier. */
enum passing_way {
    PASSING_BRANCH, /* they are not let into a branch */
    PASSING_LOOP,   /* nor into a loop, or leave it early */
    PASSING_BREAK,
    PASSING_CONTINUE,
    PASSING_RETURN,
};

/* Where threads come by the barrier NODE, and the condition that parts them from the others. */
struct passing {
    enum passing_way way;
    const struct node *condition;
    const struct node *around; /* the branch or the loop that they are not in any longer */
    const struct node *kept;   /* PASSING_BRANCH: the kid of it that the barrier is in */
    size_t function;
};

struct barriers {
    struct annotation *a;
    const struct code *code;
    VEC(struct code_node) list; /* by their tokens */
    VEC(struct {
        const struct symbol *name;
        const struct node *inside;
    })
    callees;
    uint32_t steps; /* statements that may still be looked at */
};

/* Finds those of A's file; false where it has none. */
bool barriers_init(struct barriers *barriers, struct annotation *a);
void barriers_release(struct barriers *barriers);

/* What CALL is. *INSIDE (may be NULL): of BARRIER_CALLED, a barrier that its function has. */
enum barrier_kind barriers_kind(const struct barriers *barriers, const struct code_node *call,
                                const struct node **inside);

/* Whether threads that come by a barrier as PASSING says get to another one of their block later,
   or to the same one again. *WHICH: the first of them, or NULL: who calls the function is not
   known, and there may be one. */
bool barriers_follow(struct barriers *barriers, const struct passing *passing,
                     const struct node **which);

#endif
