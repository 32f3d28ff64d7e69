/* The lane interpreter: evaluates integer expressions for every thread of a block at once.

   Questions such as "is this a lane number?" are answered by running index arithmetic, not by
   matching patterns. The function is run once from its start, with what is known: local variables,
   loops (their variables widened to what all iterations have in common, or sampled), calls of small
   device functions, macros, constants. A term that is the same for all threads but not known (a
   kernel's parameter, blockIdx) is a uniform; one that differs in unknown ways (a load) makes the
   answer unknown.

   What is assumed, as whoever writes an index does: index arithmetic does not overflow, what an
   index is made of is not negative, a function of another file takes its arguments by value.  */
#ifndef ANNOTATE_MODEL_LANE_H
#define ANNOTATE_MODEL_LANE_H

#include "annotate/model/constant.h"
#include "annotate/model/launch.h"
#include "annotate/model/type.h"

enum { LANES_MAX = 1024 };

enum lanes_state {
    LANES_UNKNOWN,
    LANES_KNOWN,   /* each thread's value is known */
    LANES_SHIFTED, /* it is the known value plus something that is the same for all threads: a
                      multiple of `step` */
};

/* An integer of each thread, or an address in shared memory. */
struct lanes {
    uint8_t state; /* enum lanes_state */
    uint8_t bytes; /* of its C type: 1, 2, 4, 8; 0: a floating type, of which only uniformity is
                      known */
    bool is_signed;
    bool wave_uniform;     /* LANES_UNKNOWN: the same for all lanes of a wave, as a ballot */
    int64_t base;          /* every thread's value where VALUES is NULL */
    const int64_t *values; /* one for each thread, in the machine's arena; or NULL */
    uint64_t step;         /* LANES_SHIFTED */
    uint64_t shift; /* LANES_SHIFTED: what the unknown is made of, see lane_value.c; 0: nobody
                       knows. Values with the same shift differ as their known parts do */
    const struct lane_record *record;   /* a vector, a record, a small array in registers: what is
                                           known of its members; or NULL */
    const struct shared_object *object; /* an address: bytes from the start of this; or NULL */
    const struct type *pointee;         /* of the address: what lies there */
};

/* The value of thread I. */
static inline int64_t lanes_at(const struct lanes *lanes, unsigned i)
{
    return lanes->values ? lanes->values[i] : lanes->base;
}

/* How far the value of thread I is from FIRST; it wraps around, as values may lie anywhere. */
static inline int64_t lanes_from(const struct lanes *lanes, unsigned i, int64_t first)
{
    return (int64_t)((uint64_t)lanes_at(lanes, i) - (uint64_t)first);
}

/* Whether it is the same for all threads of the block. */
static inline bool lanes_uniform(const struct lanes *lanes)
{
    return lanes->state != LANES_UNKNOWN && !lanes->values;
}

/* Which threads reach a place. */
enum lanes_reach {
    REACH_UNKNOWN,
    REACH_UNIFORM, /* each wave with all of its threads, or not at all */
    REACH_KNOWN,   /* of each wave those in the mask, or none where a condition that is the same for
                      all of them does not hold */
};

struct lane_memo;

/* The threads that an evaluation runs. Thread i is threadIdx = (i % X, i / X % Y, i / X / Y). */
struct lane_machine {
    struct model *model;
    struct arena arena; /* of the values, released by lane_machine_release() */
    size_t function;    /* whose body is run */
    unsigned block[3];
    unsigned threads; /* their product */
    unsigned wave;    /* what warpSize is: 32 or 64 */
    unsigned sample; /* 0: what all iterations of a loop have in common; N: loops stand in their Nth
                        iteration, or in the last that they have */
    unsigned long steps;    /* nodes that may still be evaluated */
    unsigned long precise;  /* of them for running loops to their end */
    unsigned quiet;         /* not 0: what is run leaves no notes */
    unsigned nesting;       /* of what runs */
    const uint64_t *active; /* the threads that may be where it runs: LANES_MAX / 64 words; NULL:
                               all */
    uint64_t atoms;         /* unknowns that have a name */
    uint64_t bytes;         /* of values so far */
    bool has_run;
    struct lanes index[4]; /* threadIdx.x, y, z and the linear thread, once they were asked for */
    bool has_index[4];
    struct lane_memo *memo;            /* what the run left: by a node's number */
    struct lane_operation *operations; /* results of the last ones */
    struct lane_capture *capture;      /* a function whose arguments are looked for, or NULL */
    uint32_t first_node, node_count;
};

/* Sets up MACHINE for the function at index FUNCTION, run by blocks of BLOCK threads on a GPU with
   WAVE lanes, in iteration SAMPLE of its loops (0: any). False where the block is empty or has more
   than LANES_MAX threads. The first question runs the function. */
bool lane_machine_init(struct lane_machine *machine, struct model *model, size_t function,
                       const unsigned block[3], unsigned wave, unsigned sample);
void lane_machine_release(struct lane_machine *machine);

/* The value of EXPRESSION, a node of the function's body, where it stands. */
struct lanes lane_evaluate(struct lane_machine *machine, const struct node *expression);

/* The threads that evaluate NODE, a node of the body, one bit each in MASK (LANES_MAX / 64 words;
   filled for REACH_KNOWN and REACH_UNIFORM). */
enum lanes_reach lane_reach(struct lane_machine *machine, const struct node *node, uint64_t *mask);

/* Whether every wave that reaches NODE does so with all of its lanes. */
bool lane_reach_whole_waves(struct lane_machine *machine, const struct node *node);

/* What a value is, by running it over several blocks (the function's own, where they are known,
   else common ones) with WIDTH lanes to a warp as the source assumes it (32, or 64 in HIP code). */
enum lane_role {
    LANE_ROLE_NONE,
    LANE_ROLE_LANE,       /* linear thread % WIDTH */
    LANE_ROLE_WARP,       /* linear thread / WIDTH */
    LANE_ROLE_WARP_COUNT, /* threads of the block / WIDTH, rounded up or down */
    LANE_ROLE_WARP_START, /* first thread of the warp: linear thread rounded down to WIDTH */
};

/* What lane_role() keeps in MODEL; model_release() calls it. */
void lane_cache_release(struct model *model);

enum lane_role lane_role(struct model *model, size_t function, const struct node *expression,
                         unsigned width);

/* The byte addresses that each thread touches with ACCESS, an index, dereference or member that
   lies in shared memory (or the name of a shared variable). False where it does not, or is not
   known. */
struct lane_access {
    const struct shared_object *object;
    struct lanes address; /* bytes from the object's start */
    unsigned bytes;       /* that a thread touches */
    const struct type *type;
};

bool lane_shared_access(struct lane_machine *machine, const struct node *access,
                        struct lane_access *res);

#endif
