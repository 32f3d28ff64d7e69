/* What launch.c asks of geometry.c: the value of an expression where the host's code computes it,
   through local variables, parameters, macros and small functions. A value is a triple, since a
   dim3 is one; a plain integer is its first component.  */
#ifndef ANNOTATE_MODEL_GEOMETRY_P_H
#define ANNOTATE_MODEL_GEOMETRY_P_H

#include "annotate/model/constant.h"

/* A component that is not known. */
#define UNKNOWN_COMPONENT INT64_MIN

/* The possible values; none: unknown. */
struct triples {
    unsigned count;
    int64_t items[CONSTANT_VALUES][3];
    const struct node *said[3]; /* the expression of each component, where there is just one */
    bool open; /* some came from the callers of a function that other files may call too */
};

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

/* All triples that the numbers PARTS can make; a part that is not known stays so. */
struct triples geometry_cross(const struct triples parts[3]);

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

/* The places in code or in the text of macros where NAME stands, ascending; COUNT of them. */
const uint32_t *model_uses(struct model *model, const struct symbol *name, size_t *count);

/* The arguments of the call whose callee's last name is at TOKEN (template arguments may follow);
   false where it is no call. */
bool model_call_arguments(struct model *model, uint32_t token, struct arguments *res);

/* The index of the function whose declaration or definition has its name at TOKEN, or NO_INDEX. */
size_t model_function_named(struct model *model, uint32_t token);

/* The indices of the functions called NAME, ascending; COUNT of them, a few dozen at most. */
const uint32_t *model_functions_called(struct model *model, const struct symbol *name,
                                       size_t *count);

/* How many arguments a call of FUNCTION needs at least. */
unsigned model_needed_arguments(const struct model_function *function);

/* Whether only this file can name the function at INDEX. */
bool model_internal(const struct unit *unit, size_t index);

#endif
