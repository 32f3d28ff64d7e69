/* Arrays in shared memory with the accesses whose lanes are known: what bank_conflict.c finds, and
   lds_padding.c looks at as well.  */
#ifndef ANNOTATE_RULES_SHARED_ARRAY_P_H
#define ANNOTATE_RULES_SHARED_ARRAY_P_H

#include "annotate/annotate_p.h"
#include "annotate/gpu/lds.h"

enum {
    MAX_USES = 24, /* of an array that are played together */
    MAX_PAD = 16,
};

/* An access to an array in shared memory by all threads of a block. */
struct use {
    const struct node *node;
    int64_t *address; /* of each thread, or LDS_INACTIVE */
    size_t threads;
    uint64_t step; /* all addresses may be off by a multiple of this; 0: they are known */
    unsigned bytes;
    bool write;
};

/* An array of a function, with what touches it. */
struct array {
    const struct shared_object *object;
    size_t function;
    unsigned block[3];
    bool assumed; /* nobody says how large the block is */
    VEC(struct use) uses;
};

struct context {
    struct annotation *a;
    const struct code *code;
    VEC(struct array) arrays; /* of one function */
    struct arena arena;       /* of their uses */
    size_t asked; /* the function that was asked last for threadIdx.y, and what it answered */
    bool second;
};

/* How TARGET serves USE. */
static inline struct lds_sum shared_cost(const struct target *target, const struct use *use)
{
    return lds_block_cost((enum lds_model)target->banks, target_wave(target), use->bytes,
                          use->write, use->address, use->threads);
}

/* Cycles by ideal, rounded. */
static inline unsigned shared_degree(const struct lds_sum *sum)
{
    return sum->ideal ? (unsigned)((sum->cycles + sum->ideal / 2) / sum->ideal) : 0;
}

/* The degree from which on a conflict is worth a note: RDNA hides them better. */
static inline unsigned shared_worth_a_note(const struct target *target)
{
    return target_wave(target) == 64 ? 4 : 8;
}

static inline unsigned shared_threads(const struct array *array)
{
    return array->block[0] * array->block[1] * array->block[2];
}

/* ARRAY as the engine wants it, and its uses (room for MAX_USES) as indices into it; false where it
   has no rows of elements. */
bool shared_describe(struct context *c, const struct array *array, struct lds_array *shape,
                     struct lds_use *uses, size_t *count);

/* Static bytes of shared memory of FUNCTION. */
uint64_t shared_bytes(const struct context *c, size_t function);

/* The size of the inner dimension that DECLARATOR gives, or NULL. */
const struct node *shared_last_dimension(const struct node *declarator);

/* Reports the padding that ARRAY has, where it is of the wrong amount, or costs workgroups. */
void shared_report_padding(struct context *c, struct array *array);

#endif
