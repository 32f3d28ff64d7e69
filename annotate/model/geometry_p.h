/* What the files that answer a question of geometry.h share: expressions and calls (geometry.c),
   what declarations give (geometry_initial.c), variables (geometry_variable.c), the ways to read a
   place (geometry_frame.c).  */
#ifndef ANNOTATE_MODEL_GEOMETRY_P_H
#define ANNOTATE_MODEL_GEOMETRY_P_H

#include "annotate/model/flow.h"
#include "annotate/model/geometry.h"
#include "annotate/model/names_p.h"

typedef struct triples triples;

/* Recursion, and the work for one question. */
enum { GEOMETRY_MAX_DEPTH = 150, GEOMETRY_MAX_STEPS = 4000 };

/* 0, 1, 2 for x, y, z; -1 for another member. */
int geometry_component(const struct symbol *member);

/* Whether NAME is that of a dim3, or of another three integers. */
bool geometry_is_dim3(const struct symbol *name);

bool geometry_is_floating(const struct symbol *name);

/* Unknown; TOKEN is a reason why, which G keeps if it is the first one. */
triples geometry_unknown_at(struct geometry *g, uint32_t token);

/* The value of NODE, an expression, seen through FRAME. */
triples geometry_value(struct geometry *g, const struct node *node, const struct frame *frame);

/* The value of NODE.PATH: PATH_COUNT members, DEFINITION_PATH at most. */
triples geometry_path(struct geometry *g, const struct node *node, const struct symbol *const *path,
                      unsigned path_count, const struct frame *frame);

/* A dim3 from its arguments, FIRST and its sisters. */
triples geometry_dimensions(struct geometry *g, const struct node *first,
                            const struct frame *frame);

/* Parameter INDEX of FUNCTION: its argument where FRAME is a call of it, else those of all its
   calls. */
triples geometry_param(struct geometry *g, size_t function, unsigned index,
                       const struct frame *frame);

/* A declaration of FUNCTION that has a default for parameter INDEX; FUNCTION's own where none
   has. */
const struct model_function *model_declaration_with_default(struct model *model, size_t function,
                                                            unsigned index);

/* The NODE_INITIALIZER of a declarator, or NULL. */
const struct node *geometry_initialiser(const struct node *declarator);

bool geometry_is_array(const struct node *declarator);

/* What DECLARATOR of DECLARATION gives PATH; `nothing` where it does not initialise it. */
triples geometry_declarator(struct geometry *g, const struct node *declaration,
                            const struct node *declarator, const struct symbol *const *path,
                            unsigned path_count, const struct frame *frame, bool *nothing);

/* All elements of an array or a list, one of which it is. */
triples geometry_elements(struct geometry *g, const struct node *list, const struct frame *frame);

/* The initialiser, a list, of the array that NAME, an expression, is; NULL where it is none or
   elements are written later. */
const struct node *geometry_array_list(struct geometry *g, const struct node *name);

/* The value at token AT of a local variable or parameter of FUNCTION, NAME.PATH; *IS_LOCAL is false
   where NAME is none. */
triples geometry_local(struct geometry *g, size_t function, const struct symbol *name,
                       const struct symbol *const *path, unsigned path_count, uint32_t at,
                       const struct frame *frame, bool *is_local);

/* What the file gives a variable of its own, which MEANING is, or a member (MEANING may be NULL),
   wherever it does. */
triples geometry_other(struct geometry *g, const struct symbol *name, bool is_member,
                       const struct name_meaning *meaning);

#endif
