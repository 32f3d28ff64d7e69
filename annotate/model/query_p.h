/* One question about a constant or a type, and what its answer goes through.  */
#ifndef ANNOTATE_MODEL_QUERY_P_H
#define ANNOTATE_MODEL_QUERY_P_H

#include "annotate/model/names_p.h"

/* Bounds of one question, so that hostile text costs neither the stack nor the time. */
enum { QUERY_STEPS = 5000, QUERY_DEPTH = 600 };

struct query {
    struct model *model;
    const struct unit *unit;
    unsigned steps;
    unsigned depth;
    bool cut;        /* something asked for itself, or a bound was met: nothing is kept */
    uint32_t origin; /* where the first name met is declared, or NO_TOKEN */
};

/* What a name inside something called, expanded or instantiated is bound to. The arguments stand
   in `outer`. */
struct frame {
    const struct frame *outer;
    const struct decl *macro;       /* whose text is read, or NULL */
    uint32_t at;                    /* the names in that text are looked up here */
    uint32_t function;              /* whose body is read, or NO_INDEX */
    const struct node *arguments;   /* of the macro or the function */
    uint32_t record;                /* the scope of a class with template arguments, or NO_INDEX */
    const struct template_use *use; /* the template arguments of the class or the function */
};

void query_init(struct query *query, struct model *model);

/* Counts one step and enters one level; false at the bounds. Leave with query_leave() in any case.
 */
bool query_enter(struct query *query);
void query_leave(struct query *query);

/* The values of EXPRESSION; false where they are not known. */
bool query_values(struct query *query, const struct node *expression, const struct frame *frame,
                  struct values *res);

/* As type_of_declaration() and type_of(). */
const struct type *query_declared(struct query *query, const struct node *type,
                                  const struct node *declarator, const struct frame *frame);
const struct type *query_type(struct query *query, const struct node *expression,
                              const struct frame *frame);

/* The type that DECL, of a variable, local, parameter or template value, is declared with. */
const struct type *query_decl_type(struct query *query, struct decl *decl,
                                   const struct frame *frame);

/* The type of the record or enum whose scope is OWN. */
const struct type *query_record(struct query *query, uint32_t own, const struct frame *frame);

/* What the typedef or `using` DECL stands for. */
const struct type *query_alias(struct query *query, struct decl *decl);

/* The type that the function at INDEX returns. */
const struct type *query_result(struct query *query, uint32_t index, const struct frame *frame);

/* The token from which the name at TOKEN is looked up. */
uint32_t query_place(const struct query *query, uint32_t token, const struct frame *frame);

/* What the macro parameter at TOKEN stands for: *ARGUMENT in *OUTER; false where it is none. */
bool query_macro_parameter(const struct query *query, uint32_t token, const struct frame *frame,
                           const struct node **argument, const struct frame **outer);

/* The argument that DECL, a template's parameter, is bound to in FRAME: *ARGUMENT, which stands in
 *OUTER; false where nothing is bound. */
bool query_template_argument(const struct query *query, const struct decl *decl,
                             const struct frame *frame, struct template_argument **argument,
                             const struct frame **outer);

/* The use of a template whose name is at TOKEN, or NULL. */
struct template_use *query_use(const struct query *query, uint32_t token);

/* The tree of CALL, or NULL. */
struct node *query_call(const struct query *query, struct call *call);

/* The contexts in which the text at TOKEN is read: outside macros one, NULL; in the text of a
   function-like macro one for each call of it. VISIT is called with each; false where it, or a
   bound, said so. */
typedef bool (*query_visitor)(void *data, const struct frame *frame);
bool query_contexts(struct query *query, uint32_t token, query_visitor visit, void *data);

/* The trees of ARGUMENT. */
struct node *query_argument_expression(const struct query *query,
                                       struct template_argument *argument);
struct node *query_argument_type(const struct query *query, struct template_argument *argument);

/* The scope that the qualifier whose last identifier is at TOKEN names; FRAME is what it is read
   in, *RES what its own names are read in. NO_INDEX where nobody can say. */
uint32_t query_scope(struct query *query, uint32_t token, const struct frame *frame,
                     struct frame *res);

/* The token of the qualifier of NODE, or NO_TOKEN. */
uint32_t query_qualifier(const struct query *query, const struct node *node);

/* What NODE, a name or a type's name, means: its declaration and the frame of what is in it. NULL
   where nobody can say. */
struct decl *query_meaning(struct query *query, const struct node *node, const struct frame *frame,
                           struct frame *res);

/* The trees of DECL's text. */
struct node *decl_expression(struct query *query, struct decl *decl);
struct node *decl_type_tree(struct query *query, struct decl *decl);

/* The alignment that the attributes in RANGE ask for (alignas, __align__, aligned), or 0. */
uint64_t query_alignment(struct query *query, struct range range, const struct frame *frame);

#endif
