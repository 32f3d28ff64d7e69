/* What flow.c, flow_read.c, flow_reaching.c and guard.c share: the parts of a function that control
   may enter or not.  */
#ifndef ANNOTATE_MODEL_FLOW_P_H
#define ANNOTATE_MODEL_FLOW_P_H

#include "annotate/model/flow.h"

/* A part of a function that control may enter or not, or more than once. Plain blocks are none. */
enum region_kind {
    REGION_FUNCTION,
    REGION_ARM,   /* of an if or a switch */
    REGION_LOOP,  /* runs any number of times */
    REGION_ONCE,  /* do { } while: at least once */
    REGION_LATER, /* a lambda's body: whenever it is called */
};

struct flow_region {
    enum region_kind kind;
    uint32_t parent;
    struct range tokens;
    uint32_t first;    /* REGION_ARM: the first arm of the statement */
    uint32_t next_arm; /* REGION_ARM: the next one, or NO_INDEX */
    bool exhaustive;   /* of a first arm: one of the arms is run in any case */
    bool leaves;       /* control does not come out of its end */
    /* Of the if that this is an arm of, or NULL; what it is where control enters the arm. */
    const struct node *condition;
    bool when;
};

/* Reads the definitions and the regions of the function at INDEX, into the model's arena. One
   without a body has none. */
const struct flow *flow_read(struct model *model, size_t index);

/* The innermost region that holds TOKEN. Regions stand in the order of their begin. */
uint32_t flow_region_at(const struct flow *flow, uint32_t token);

#endif
