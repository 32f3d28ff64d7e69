/* What lane_eval.c asks of lane_place.c: lvalues.  */
#ifndef ANNOTATE_MODEL_LANE_PLACE_P_H
#define ANNOTATE_MODEL_LANE_PLACE_P_H

#include "annotate/model/lane_p.h"

/* An lvalue: where it lies in shared memory, or else its value. */
struct lane_place {
    struct lanes lanes;
    bool is_address;
};

/* What NODE, an expression, is; evaluates what computes it. */
struct lane_place lane_place_of(struct lane_frame *frame, const struct node *node);

/* The value of what lies there. An array without a known address escapes. */
struct lanes lane_place_value(struct lane_frame *frame, const struct node *node);

/* ADDRESS plus (minus) COUNT elements of SIZE bytes. */
struct lanes lane_address_add(struct lane_machine *machine, struct lanes address,
                              enum token_kind op, struct lanes count, uint64_t size);

/* The variable that NODE is, or is a part of, or NULL. */
struct lane_variable *lane_root_variable(struct lane_frame *frame, const struct node *node);

/* What NODE names may be changed in ways that nobody sees. */
void lane_escape(struct lane_frame *frame, const struct node *node);

/* CONSTANT, an integer whose C type nobody said. */
struct lanes lane_constant(const struct constant *constant);

#endif
