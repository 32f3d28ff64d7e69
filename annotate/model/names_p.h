/* Declarations by name: what the files of names, constants and types share.

   A declaration is visible over an extent of tokens. Extents nest, so that each declaration knows
   the next one of its name around it, and looking a name up is a binary search and a few steps
   outwards.  */
#ifndef ANNOTATE_MODEL_NAMES_P_H
#define ANNOTATE_MODEL_NAMES_P_H

#include "annotate/model/constant.h"
#include "annotate/model/type.h"
#include "annotate/model/value_p.h"

enum decl_kind {
    DECL_MACRO,
    DECL_VARIABLE, /* of the file, of a namespace, of a class: its members too */
    DECL_LOCAL,
    DECL_PARAMETER,
    DECL_TEMPLATE_VALUE,
    DECL_TEMPLATE_TYPE,
    DECL_ENUMERATOR,
    DECL_FUNCTION,
    DECL_RECORD,
    DECL_ENUM,
    DECL_ALIAS,
    DECL_NAMESPACE,
};

/* A declaration that is read when somebody asks: `int a = 1, b[2];` */
struct statement {
    struct range tokens; /* up to its semicolon */
    bool parsed;
    struct node *tree; /* NODE_DECLARATION, or NULL */
};

struct decl {
    const struct symbol *symbol;
    struct decl *outer;    /* the next one of the name whose extent holds this one */
    unsigned alternatives; /* how many decl_alternative() leads through, itself included */
    enum decl_kind kind;
    uint32_t token;              /* the name */
    uint32_t begin, end;         /* the extent in which it is visible */
    uint32_t scope;              /* in which it stands, or NO_INDEX */
    uint32_t own;                /* DECL_RECORD, DECL_ENUM, DECL_NAMESPACE: its scope */
    uint32_t function;           /* DECL_FUNCTION: its index; of locals, parameters, template
                                    parameters: that of the function, or NO_INDEX */
    uint32_t index;              /* of a parameter; of an enumerator: behind `base` */
    struct statement *statement; /* of variables and locals; of a typedef */
    const struct node *declaration, *declarator; /* where it was read already */
    uint32_t directive;                          /* of a macro */
    struct decl *reading; /* of a macro: the next of its alternatives that is another text */
    unsigned readings;    /* of a macro: how many there are on that way, itself included */
    uint32_t *uses;       /* of a macro: calls.c's, NULL until asked for */
    uint32_t use_count;
    struct range text; /* an enumerator's value, a template parameter's default, an alias's type, a
                          macro's text, a specialisation's arguments; empty without */
    struct decl *base; /* DECL_ENUMERATOR: the one before it that has a value, or the first */
    struct decl *next; /* the next one declared in the scope */
    bool scoped;       /* an enumerator of an enum class */
    bool is_typedef;   /* DECL_ALIAS: `text` ends with its name */
    bool changed;      /* DECL_LOCAL: assigned again, or its address is taken */
    bool pack;         /* a parameter ... */
    bool busy;         /* its value, or type, is being asked for */
    bool cached;       /* `values` are known; of a macro without parameters: for `cached_at` */
    bool parsed;       /* `tree` and `type_tree` are */
    struct node *tree; /* of `text` as an expression */
    struct node *type_tree;      /* of `text` as a type */
    const struct values *values; /* cached; NULL: unknown */
    struct values *kept;         /* of a macro: what `values` points to, used again */
    uint32_t cached_at;          /* of a macro: the place whose names its text was read with */
    const struct type *type;     /* cached */
};

struct decl_table {
    VEC(struct decl *) list; /* by symbol, then by extent */
};

/* A use of a template with arguments: NAME<...>. */
struct template_argument {
    struct range range;
    bool parsed;
    struct node *expression, *type;
};

struct template_use {
    const struct symbol *symbol;
    uint32_t token;
    unsigned count;
    struct template_argument *arguments;
};

/* A call of a function-like macro, or a call or launch of a function template. */
struct call {
    const struct symbol *symbol;
    uint32_t token;     /* the name */
    struct range range; /* with its arguments */
    bool parsed;
    struct node *tree; /* NODE_CALL, NODE_LAUNCH, or NULL */
};

/* What belongs to a scope or, one further, to the file. */
struct members {
    struct decl *first, *last;
};

struct local_names {
    struct decl_table table; /* locals, parameters */
    bool ready;
    bool shared_read; /* its __shared__ declarations are in `shared` */
};

struct model_names {
    struct decl_table macros;
    struct decl_table decls;
    VEC(struct template_use) uses; /* by symbol, then by token */
    VEC(struct call) calls;        /* likewise */
    struct members *members;       /* by scope; the last are the file's */
    struct local_names *locals;    /* by function */
    uint32_t *function_outer;      /* the function around each, or NO_INDEX */
    struct decl **records;         /* by scope: its DECL_RECORD, DECL_ENUM or DECL_NAMESPACE */
    VEC(struct shared_object) shared;
    bool shared_ready;
};

/* A declaration of the name TOKEN, of which nothing else is known; in the model's arena. */
struct decl *decl_new(struct model *model, enum decl_kind kind, uint32_t token);

/* Sorts TABLE and links each declaration to the one around it. */
void decl_table_finish(struct decl_table *table);

/* The innermost declaration of SYMBOL that is visible at AT, or NULL. */
struct decl *decl_table_find(const struct decl_table *table, const struct symbol *symbol,
                             uint32_t at);

/* How many entries of TABLE come before SYMBOL, or are SYMBOL's and begin at AT or before. */
size_t decl_table_position(const struct decl_table *table, const struct symbol *symbol,
                           uint32_t at);

/* Behind the last token of the file, where names of the file stop being visible. */
static inline uint32_t names_end(const struct unit *unit)
{
    return (uint32_t)unit->tokens.list.count;
}

/* Adds what the file, its namespaces and its classes declare to NAMES, still unsorted
   (names_walk.c). */
void names_walk(struct model *model, struct model_names *names);

/* Fills the list of the templates that are used with arguments, or that of calls; macros and
   declarations are in NAMES, sorted (names_uses.c). */
void names_collect_uses(struct model *model, struct model_names *names);
void names_collect_calls(struct model *model, struct model_names *names);

/* What the function at INDEX declares in its head and body, built on first use (locals.c). */
struct decl_table *names_of_function(struct model *model, uint32_t index);

/* Behind the pair that opens at INDEX, or behind INDEX; END at most. */
uint32_t names_behind_pair(const struct unit *unit, uint32_t index, uint32_t end);

/* Behind the pair or the directive that begins at INDEX, or behind INDEX; END at most. */
uint32_t names_step_in(const struct unit *unit, uint32_t index, uint32_t end);

/* The index, built on first use. */
struct model_names *model_index(struct model *model);
void model_index_release(struct model *model);

/* The macro SYMBOL at token AT, or NULL; others that may be meant instead: its `outer` as
   decl_alternative() says. */
struct decl *macro_at(struct model *model, const struct symbol *symbol, uint32_t at);

/* Links each of MACROS, a finished table, to its alternatives that are other texts (reading.c). */
void macros_link_readings(const struct unit *unit, struct decl_table *macros);

/* The declaration of SYMBOL that is visible at AT, macros aside, or NULL. */
struct decl *decl_at(struct model *model, const struct symbol *symbol, uint32_t at);

/* The declaration of SYMBOL in the scope SCOPE itself, or NULL. */
struct decl *decl_in(struct model *model, const struct symbol *symbol, uint32_t scope);

/* Another declaration of DECL's name in its scope, as from another branch of an #if, or NULL. */
struct decl *decl_alternative(const struct decl *decl);

/* The NODE_DECLARATION and the NODE_DECLARATOR of a variable, local, parameter; false without. */
bool decl_nodes(struct model *model, struct decl *decl, const struct node **declaration,
                const struct node **declarator);

/* The uses of the template SYMBOL with arguments; COUNT of them. */
struct template_use *template_uses(struct model *model, const struct symbol *symbol, size_t *count);

/* The calls of SYMBOL, a macro or a function template; COUNT of them. */
struct call *calls_of(struct model *model, const struct symbol *symbol, size_t *count);

/* Splits RANGE at its commas of depth 0 into at most MAX ranges; how many there are. */
unsigned split_range(const struct unit *unit, struct range range, struct range *res, unsigned max);

/* The function whose head or body holds TOKEN, or NO_INDEX. */
uint32_t function_around(const struct model *model, uint32_t token);

#endif
