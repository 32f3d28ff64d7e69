/* The lane interpreter: evaluates integer expressions for every thread of a block at once.

   Questions such as "is this a lane number?" are answered by running index arithmetic, not by
   matching patterns: the expression is evaluated for all threads, following local variables, loops
   (sampled), calls of small device functions, macros, and constants. A term that is the same for
   all threads but not known (a parameter, blockIdx, a loop variable) is a uniform; one that differs
   in unknown ways (a load) makes the answer unknown.  */
#ifndef ANNOTATE_MODEL_LANE_H
#define ANNOTATE_MODEL_LANE_H

#include "annotate/model/constant.h"
#include "annotate/model/launch.h"
#include "annotate/model/type.h"

enum { LANES_MAX = 1024 };

enum lanes_state {
    LANES_UNKNOWN,
    LANES_KNOWN,   /* values[i] is thread i's */
    LANES_SHIFTED, /* values[i] plus something that is the same for all threads: a multiple of
                      `step` */
};

/* An integer of each thread. LANES_SHIFTED with equal values is a uniform. */
struct lanes {
    enum lanes_state state;
    unsigned bytes; /* of its C type: 1, 2, 4, 8 */
    bool is_signed;
    uint64_t step; /* LANES_SHIFTED: the unknown part is a multiple of it (1: of anything) */
    const int64_t *values; /* one for each thread; in the machine's arena */
};

/* The threads that an evaluation runs. Thread i is threadIdx = (i % X, i / X % Y, i / X / Y). */
struct lane_machine {
    struct model *model;
    struct arena arena; /* scratch, released by lane_machine_release() */
    size_t function;    /* whose names are meant */
    unsigned block[3];
    unsigned threads;    /* their product, at most LANES_MAX */
    unsigned wave;       /* what warpSize is: 32 or 64 */
    unsigned long steps; /* of evaluation so far: bounded */
};

/* Sets up MACHINE for code of the function at index FUNCTION, run by blocks of BLOCK threads on a
   GPU with WAVE lanes. False where the block is empty or has more than LANES_MAX threads. */
bool lane_machine_init(struct lane_machine *machine, struct model *model, size_t function,
                       const unsigned block[3], unsigned wave);
void lane_machine_release(struct lane_machine *machine);

/* The value of EXPRESSION where it stands: locals have what reaches that place. */
struct lanes lane_evaluate(struct lane_machine *machine, const struct node *expression);

bool lanes_uniform(const struct lane_machine *machine, const struct lanes *lanes);

/* Threads for which CONDITION holds, one bit each in MASK (LANES_MAX / 64 words); false where
   nobody can say. */
bool lane_condition(struct lane_machine *machine, const struct node *condition, uint64_t *mask);

/* Threads that reach STATEMENT (the conditions of if, loops and early returns around and before
   it); LANES_KNOWN-like answer: 1 all known, with MASK; uniform: all threads or none. */
enum lanes_reach {
    REACH_UNKNOWN,
    REACH_UNIFORM, /* every wave whole or not at all (32 and 64 lanes alike: the whole block) */
    REACH_KNOWN,   /* the threads in MASK */
};

enum lanes_reach lane_reach(struct lane_machine *machine, uint32_t token, uint64_t *mask);

/* What a value is, by running it over several blocks (the function's own, where they are known,
   else common ones) with WIDTH lanes to a warp as the source assumes it (32, or 64 in HIP code). */
enum lane_role {
    LANE_ROLE_NONE,
    LANE_ROLE_LANE,       /* linear thread % WIDTH */
    LANE_ROLE_WARP,       /* linear thread / WIDTH */
    LANE_ROLE_WARP_COUNT, /* threads of the block / WIDTH, rounded up or down */
    LANE_ROLE_WARP_START, /* first thread of the warp: thread & ~(WIDTH - 1) */
};

enum lane_role lane_role(struct model *model, size_t function, const struct node *expression,
                         unsigned width);

/* The byte addresses that each thread touches with ACCESS, an index, dereference or member of
   shared memory, relative to the object; bytes touched by each. Values as of struct lanes. */
struct lane_access {
    const struct shared_object *object;
    struct lanes address; /* bytes from the object's start */
    unsigned bytes;
    bool is_write;
};

bool lane_shared_access(struct lane_machine *machine, const struct node *access,
                        struct lane_access *res);

#endif
