/* What the files that evaluate constants share: operators (constant.c), calls and macros
   (constant_call.c), names (constant_name.c). As query_values(), each gives the possible values in
   *RES, which is empty before, and false where they are not known.  */
#ifndef ANNOTATE_MODEL_CONSTANT_P_H
#define ANNOTATE_MODEL_CONSTANT_P_H

#include "annotate/model/constant.h"
#include "annotate/model/query_p.h"

/* VALUES as TYPE has them; false where it is no integer. A type that is not known changes nothing,
   and counts as 64 bits. */
bool constant_convert(struct values *values, const struct type *type);

/* The values of NODE, a NODE_CALL. */
bool constant_call(struct query *q, const struct node *node, const struct frame *frame,
                   struct values *res);

/* What MACRO, or the CALL of it (else NULL), at the place AT stands for. One without parameters is
   asked for once at a place: each of a chain may name the one before it twice. */
bool constant_macro(struct query *q, struct decl *macro, uint32_t at, const struct node *call,
                    const struct frame *frame, struct values *res);

/* What -DNAME=VALUE gives NAME: a number, or a name that is a macro at AT. */
bool constant_given(struct query *q, const struct symbol *name, uint32_t at, struct values *res);

/* The values of NODE, a NODE_NAME. */
bool constant_name(struct query *q, const struct node *node, const struct frame *frame,
                   struct values *res);

/* The values of SYMBOL as it is meant at AT, outside of any frame. */
bool constant_symbol(struct query *q, const struct symbol *symbol, uint32_t at, struct values *res);

#endif
