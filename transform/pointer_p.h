/* The names that a file declares with CUdeviceptr, and what is computed with them. */
#ifndef TRANSFORM_POINTER_P_H
#define TRANSFORM_POINTER_P_H

#include "transform/transform_p.h"

/* unit_prev(), unit_next() and unit_partner(), which answer NO_TOKEN for NO_TOKEN, so that what
   looks at several tokens in a row asks for their kinds only. */
static inline uint32_t token_before(const struct unit *unit, uint32_t index)
{
    return index == NO_TOKEN ? NO_TOKEN : unit_prev(unit, index);
}

static inline uint32_t token_behind(const struct unit *unit, uint32_t index)
{
    return index == NO_TOKEN ? NO_TOKEN : unit_next(unit, index);
}

static inline uint32_t partner_of(const struct unit *unit, uint32_t index)
{
    return index == NO_TOKEN ? NO_TOKEN : unit_partner(unit, index);
}

/* What a name stands for, as far as device pointers go. */
enum pointer_shape {
    POINTER_OTHER,    /* nothing of that, or nobody knows */
    POINTER_INTEGER,  /* an integer, or a function that answers one */
    POINTER_VALUE,    /* a CUdeviceptr */
    POINTER_ELEMENTS, /* a pointer to some, an array or container of them */
    POINTER_FUNCTION, /* answers one */
};

/* A declaration of a name in a file that has device pointers. */
struct pointer_name {
    struct pointer_name *next; /* the one before it, of the same name */
    unsigned count;            /* of this and the earlier ones */
    uint32_t token;            /* where */
    uint32_t type;             /* the last token of its type */
    uint32_t end;              /* it is visible up to this token; members: in their class */
    uint32_t class_scope;      /* of a member, its class; NO_INDEX: of something else */
    bool global;               /* at the top of the file or of a namespace */
    enum pointer_shape shape;
};

/* Notes what the file declares, once: struct symbol's `pointers` and SYMBOL_POINTER_TYPE, which
   CUdeviceptr has and the names that the file gives it. */
void pointer_names_collect(struct transform *tr);

/* Whether the token at INDEX is CUdeviceptr or a name that the file gives it. */
bool pointer_is_type(const struct unit *unit, uint32_t index);

/* Whether the name at INDEX is declared right there. */
bool pointer_is_declared(const struct unit *unit, uint32_t index);

/* The last token of the type that the variable at INDEX, no member, is declared with; NO_TOKEN
   where the file does not show it. */
uint32_t pointer_declared_type(const struct unit *unit, uint32_t index);

/* What the name at INDEX, a variable's, member's or function's, stands for there. */
enum pointer_shape pointer_shape_at(const struct unit *unit, uint32_t index);

#endif
