/* The value of an expression where the host's code computes it, through local variables,
   parameters, macros and small functions.  */
#ifndef ANNOTATE_MODEL_GEOMETRY_H
#define ANNOTATE_MODEL_GEOMETRY_H

#include "annotate/model/triples.h"
#include "annotate/model/uses_p.h"

/* Where the names of an expression have their meaning: in the text of a macro at one of its uses,
   or in a function at one of its calls. NULL: where the expression stands. */
struct frame {
    const struct frame *outer;     /* of the arguments */
    const struct directive *macro; /* NULL: a call */
    size_t function;               /* of a call */
    const struct range *arguments;
    unsigned argument_count;
    uint32_t at; /* the macro's name where it is used; the called function's name */
};

/* One question: bounds what it may cost. */
struct geometry {
    struct model *model;
    unsigned steps;
    unsigned depth;
    uint64_t asked;      /* the parameters that were asked of all calls, by index % 64 */
    uint32_t unknown_at; /* the first name or call whose value nobody knows, or NO_TOKEN */
    bool either;         /* a constant has several values, as by an #if or in several files */
};

/* The value of EXPRESSION, seen through FRAME. */
struct triples geometry_of(struct geometry *geometry, const struct node *expression,
                           const struct frame *frame);

/* Likewise of the tokens of RANGE: an expression or a list in braces. */
struct triples geometry_of_range(struct geometry *geometry, struct range range,
                                 const struct frame *frame);

/* The value of the member MEMBER of EXPRESSION, a variable. */
struct triples geometry_of_member(struct geometry *geometry, const struct node *expression,
                                  const struct symbol *member, const struct frame *frame);

/* The argument of FRAME's macro that stands for NAME: false where that is no parameter. */
bool frame_argument(const struct unit *unit, const struct frame *frame, const struct symbol *name,
                    struct range *res);

/* Calls BACK for each way to read TOKEN: with NULL where it stands in code; in the text of a macro
   with a frame for each use of the macro. */
void geometry_each_place(struct model *model, uint32_t token,
                         void (*back)(const struct frame *frame, void *data), void *data);

/* Calls BACK with a frame for each call of the function at INDEX; false where there are too many.
 */
bool geometry_each_call(struct model *model, size_t function,
                        void (*back)(const struct frame *frame, void *data), void *data);

/* How many arguments a call of FUNCTION needs at least. */
unsigned model_needed_arguments(const struct model_function *function);

#endif
