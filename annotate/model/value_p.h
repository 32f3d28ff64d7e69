/* Single values with the types of C.  */
#ifndef ANNOTATE_MODEL_VALUE_P_H
#define ANNOTATE_MODEL_VALUE_P_H

#include "annotate/model/constant.h"
#include "annotate/model/type.h"

/* The type of an arithmetic value. */
struct scalar {
    uint8_t bytes;
    bool is_signed;
    bool is_bool;
};

struct value {
    int64_t bits;
    struct scalar type;
};

/* Possible values; none: unknown. */
struct values {
    unsigned count;
    struct value items[CONSTANT_VALUES];
};

extern const struct scalar scalar_int, scalar_bool, scalar_long, scalar_size;

/* TYPE as a scalar; false where it is none, or too large. */
bool type_scalar(const struct type *type, struct scalar *res);

/* VALUE brought to TYPE. */
struct value value_convert(struct value value, struct scalar type);

/* The value of a NODE_NUMBER or NODE_CHARACTER; false where it is no integer. */
bool value_literal(const struct unit *unit, const struct node *node, struct value *res);

/* The value of the integer literal TEXT; false where it is none. */
bool value_number(const char *text, struct value *res);

/* The type of an operation on A and B: the usual arithmetic conversions. */
struct scalar value_common(struct scalar a, struct scalar b);

/* Whether A is less than B, both of one type. */
bool value_less(struct value a, struct value b);

/* A OP B and OP A, where OP is an enum token_kind; false where C leaves the result undefined. */
bool value_binary(unsigned op, struct value a, struct value b, struct value *res);
bool value_unary(unsigned op, struct value a, struct value *res);

/* Adds VALUE to VALUES, or all of MORE, as far as they are others; false where there are too many.
 */
bool values_add(struct values *values, struct value value);
bool values_join(struct values *values, const struct values *more);

/* Makes RES the one value BITS of TYPE; true. */
bool values_one(struct values *res, int64_t bits, struct scalar type);

#endif
