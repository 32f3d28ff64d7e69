/* Integer values of expressions that the compiler would know: literals, macros (object-like and
   function-like), const, constexpr and static const variables, enumerators, sizeof of known types,
   template parameters at the instantiations that the file shows, default arguments, -D.

   A value may be a set: the branches of an #if give a macro several definitions, a template several
   instantiations. Then all are considered.  */
#ifndef ANNOTATE_MODEL_CONSTANT_H
#define ANNOTATE_MODEL_CONSTANT_H

#include "annotate/model/model.h"

/* As many as a usual switch over block sizes has, from 1 to 1024. */
enum { CONSTANT_VALUES = 16 };

/* The possible values of an expression, ascending. None: it is not known. */
struct constant {
    unsigned count;
    int64_t values[CONSTANT_VALUES];
    uint32_t origin; /* the token where the first name of the expression is defined, or NO_TOKEN:
                        for notes */
};

/* The values of EXPRESSION, a tree that stands at its tokens (names are looked up from there:
   scopes, parameters of templates). False where it has none or more than CONSTANT_VALUES.
   Arithmetic is that of C with its types, as far as they are known, else of 64 bits. */
bool constant_of(struct model *model, const struct node *expression, struct constant *res);

/* Likewise of the tokens of RANGE, such as a launch's configuration or a template argument. */
bool constant_of_range(struct model *model, struct range range, struct constant *res);

/* Whether it has just one value. */
static inline bool constant_single(const struct constant *c)
{
    return c->count == 1;
}

/* The values of the name NAME where it is visible at token AT. */
bool constant_of_name(struct model *model, const struct symbol *name, uint32_t at,
                      struct constant *res);

/* What a name stands for, at the place where it is used. */
enum name_kind {
    NAME_UNKNOWN,
    NAME_MACRO,    /* declaration: NULL; token: in its #define */
    NAME_VARIABLE, /* of the file or of a namespace or class */
    NAME_LOCAL,    /* a variable of the function around */
    NAME_PARAMETER,
    NAME_TEMPLATE_PARAMETER,
    NAME_ENUMERATOR,
    NAME_FUNCTION,
    NAME_TYPE,
};

struct name_meaning {
    enum name_kind kind;
    uint32_t token;                 /* where it is declared, or NO_TOKEN */
    const struct node *declaration; /* NODE_DECLARATION; NULL where it is none */
    const struct node *declarator;  /* the NODE_DECLARATOR in it that declares the name */
    size_t function; /* NAME_FUNCTION: its index; NAME_LOCAL, NAME_PARAMETER: that of the
                        function around */
};

/* What NAME means at token AT. */
struct name_meaning model_lookup(struct model *model, const struct symbol *name, uint32_t at);

/* The value of the NODE_NUMBER or NODE_CHARACTER, and its C type: 4 or 8 BYTES, IS_SIGNED. False
   for a floating number. */
bool constant_literal(const struct unit *unit, const struct node *node, int64_t *value,
                      unsigned *bytes, bool *is_signed);

#endif
