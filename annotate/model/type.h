/* Types, as far as sizes and arithmetic ask for them.  */
#ifndef ANNOTATE_MODEL_TYPE_H
#define ANNOTATE_MODEL_TYPE_H

#include "annotate/model/model.h"

enum type_kind {
    TYPE_UNKNOWN,
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_INTEGER,
    TYPE_FLOATING, /* half and bfloat16 too */
    TYPE_VECTOR,   /* float4, half2: COUNT of ELEMENT */
    TYPE_RECORD,
    TYPE_POINTER, /* to ELEMENT */
    TYPE_ARRAY,   /* COUNT of ELEMENT; 0: not known, or [] */
};

struct type_member {
    const struct symbol *name;
    const struct type *type;
    uint64_t offset;
};

struct type {
    enum type_kind kind;
    bool is_signed; /* TYPE_INTEGER */
    bool exact;     /* the size is certain: no template parameter, no unknown part */
    uint64_t size;  /* bytes, 0: not known */
    uint64_t align; /* bytes */
    uint64_t count;
    const struct type *element;
    const struct symbol *name;         /* as the source says it, or NULL */
    const struct type_member *members; /* TYPE_RECORD */
    unsigned member_count;
};

/* The type that TYPE (a NODE_TYPE) gives DECLARATOR (or NULL: none); it stands at its tokens. Never
   NULL; in the model's arena. A parameter of a template has the type of its one instantiation,
   where the file shows one. */
const struct type *type_of_declaration(struct model *model, const struct node *type,
                                       const struct node *declarator);

/* The type of an expression, TYPE_UNKNOWN where nobody can say. */
const struct type *type_of(struct model *model, const struct node *expression);

/* The type called NAME that CUDA or C++ declares (float, uint32_t, float4, half2, dim3), or
   TYPE_UNKNOWN. */
const struct type *type_builtin(const char *name);

/* A shared array or variable of a kernel. */
struct shared_object {
    const struct node *declaration, *declarator;
    const struct type *type; /* TYPE_ARRAY mostly; dimensions outside in */
    size_t function;         /* it belongs to, or NO_INDEX */
    bool dynamic;            /* extern: its size comes with the launch */
};

/* All __shared__ declarations of the file in their order; COUNT of them. */
const struct shared_object *model_shared_objects(struct model *model, size_t *count);

/* Those in the body of the function at index FUNCTION; of functions inside it, too. */
const struct shared_object *model_shared_objects_in(struct model *model, size_t function,
                                                    size_t *count);

/* The one that DECLARATOR declares, or NULL. */
const struct shared_object *model_shared_object(struct model *model, const struct node *declarator);

#endif
