/* The code of a file as the rules ask for it: trees of all bodies with the node around each, calls
   by name, machines of the lane interpreter. Built when a rule first asks, and shared by all of
   them.  */
#ifndef ANNOTATE_CODE_H
#define ANNOTATE_CODE_H

#include "annotate/model/lane.h"
#include "annotate/model/launch.h"
#include "annotate/model/model.h"

/* A node of some kind, in the order of the source. */
struct code_node {
    const struct node *node;
    const struct symbol
        *name;       /* of a call: the callee's last name, or NULL; of a name, a member: it */
    size_t function; /* whose body it lies in */
    bool device;     /* that is device code */
};

struct code {
    struct model *model;
    const struct node **parents; /* by a node's number */
    uint32_t node_count;
    VEC(struct code_node) calls;        /* NODE_CALL */
    VEC(struct code_node) names;        /* NODE_NAME that is no callee */
    VEC(struct code_node) operations;   /* NODE_BINARY, NODE_ASSIGN but for a comma */
    VEC(struct code_node) loops;        /* NODE_FOR, NODE_WHILE, NODE_DO */
    VEC(struct code_node) branches;     /* NODE_IF, NODE_CHOICE, NODE_SWITCH */
    VEC(struct code_node) places;       /* NODE_INDEX, NODE_MEMBER, and NODE_UNARY of * */
    VEC(struct code_node) declarations; /* NODE_DECLARATION */
};

/* Reads all bodies of MODEL's unit. Release with code_release(). */
void code_init(struct code *code, struct model *model);
void code_release(struct code *code);

/* The first of the COUNT nodes at LIST, one of code's lists, in the body of the function at index
   FUNCTION or behind it: those of one function stand together. */
const struct code_node *code_first_in(const struct code_node *list, size_t count, size_t function);

#define code_each_in(entry, list, in)                                                     \
    for (const struct code_node *entry = code_first_in((list)->items, (list)->count, in); \
         entry != vec_end(list) && entry->function == (in); ++entry)

/* The node around NODE, or NULL: the body itself. */
const struct node *code_parent(const struct code *code, const struct node *node);

/* The statement that NODE, an expression, stands in. */
const struct node *code_statement(const struct code *code, const struct node *node);

/* Argument INDEX of the call NODE, or NULL. */
static inline const struct node *code_argument(const struct node *call, unsigned index)
{
    return tree_kid(call, index + 1);
}

/* The number of its arguments. */
unsigned code_argument_count(const struct node *call);

/* Whether FUNCTION is code of the device. */
static inline bool code_is_device(const struct function *function)
{
    return function->flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE);
}

/* Machines that have run, a few of them kept. */
struct machines;

struct machines *machines_new(struct model *model);
void machines_free(struct machines *machines);

/* The machine of the function at index FUNCTION with blocks of BLOCK threads and waves of WAVE
   lanes, in iteration SAMPLE of its loops (see lane.h); NULL for a block that it cannot run. Good
   until some machines more were asked for. */
struct lane_machine *machines_get(struct machines *machines, size_t function,
                                  const unsigned block[3], unsigned wave, unsigned sample);

#endif
