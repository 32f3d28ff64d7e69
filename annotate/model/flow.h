/* Which definitions of a local variable reach a place in its function.

   The function's tree is walked once; whatever gives a variable a value (its declaration, an
   assignment to it or to a member, an update) or may do so (its address is taken, a stream reads
   into it) becomes a definition. A question then walks the definitions of one name backwards from
   the place: an earlier one is hidden by a later one that is surely run, the arms of an if or a
   switch and the branches of an #if give several, what stands later in a loop comes round.  */
#ifndef ANNOTATE_MODEL_FLOW_H
#define ANNOTATE_MODEL_FLOW_H

#include "annotate/model/model.h"

enum definition_kind {
    DEFINITION_DECLARED,  /* node: the declarator, with or without an initialiser */
    DEFINITION_PARAMETER, /* node: the declaration of the parameter, or NULL; index: which one */
    DEFINITION_CAPTURED,  /* a parameter of a lambda; node: the NODE_LAMBDA */
    DEFINITION_EACH,      /* for (x : range); node: the range */
    DEFINITION_ASSIGNED,  /* node: NODE_ASSIGN with = */
    DEFINITION_UPDATED,   /* node: NODE_ASSIGN with another operator, or ++ or -- */
    DEFINITION_UNKNOWN,   /* it may have any value afterwards */
    DEFINITION_PASSED,    /* it is an argument of a function that the file does not show, which may
                             take a reference */
};

enum { DEFINITION_PATH = 2 };

struct definition {
    const struct symbol *name;
    enum definition_kind kind;
    uint32_t token; /* it holds behind this one */
    const struct node *node;
    const struct node *declaration; /* DEFINITION_DECLARED: the NODE_DECLARATION; else NULL */
    const struct node *loop;        /* the NODE_FOR whose step it is, or NULL */
    unsigned index;                 /* DEFINITION_PARAMETER: which one */
    /* The members that it concerns: a.b.c = 1 has {b, c}, a[1] = 1 has flow_element(). Deeper
       ones, and elements whose index is computed, are DEFINITION_UNKNOWN of what they belong to. */
    const struct symbol *path[DEFINITION_PATH];
    unsigned path_count;
    uint32_t visible;  /* a declaration's: behind the last token where it is; else 0 */
    uint32_t variable; /* index of the first declaration of its variable, or NO_INDEX: no local */
    uint32_t region;   /* its place among the flow's regions */
    uint32_t branch;   /* of #if, as unit_branch_at() */
};

/* What stands in a path for the element [INDEX] of an array, where INDEX is a small number; NULL
   for another index. */
const struct symbol *flow_element(const struct unit *unit, const struct node *index);

/* The index of the element that SYMBOL stands for; -1 where it is a member. */
int flow_element_index(const struct symbol *symbol);

/* The definitions in one function, by name and then by token. */
struct flow {
    const struct definition *items;
    size_t count;
    const struct flow_region *regions;
    size_t region_count;
};

/* Those of the function at INDEX; read when first asked for, in the model's arena. */
const struct flow *model_flow(struct model *model, size_t index);

/* What reaches a place. */
enum { REACHING = 24 };

struct reaching {
    bool known; /* false: nobody can say; then there are none */
    unsigned count;
    const struct definition *items[REACHING];
};

/* The definitions of NAME.PATH (PATH_COUNT members) that reach token AT of the function at INDEX.
   False where NAME is none of its variables. One of NAME itself, or of a shorter path, is among
   them where it gives the member its value. Where *PARTIAL (may be NULL) is true, some of the
   members below the path are defined apart. */
bool flow_reaching(struct model *model, size_t index, const struct symbol *name,
                   const struct symbol *const *path, unsigned path_count, uint32_t at,
                   struct reaching *res, bool *partial);

/* Where the last definition of NAME before token AT stands in an arm of an if or a switch that is
   over there: the token at the end of each arm that control comes out of and, where no arm need be
   run, the one in front of the statement, into TOKENS. What NAME is at AT, it is at one of them.
   How many, at most FLOW_ARMS; 0 where it is otherwise. */
enum { FLOW_ARMS = 8 };

unsigned flow_arms(struct model *model, size_t index, const struct symbol *name, uint32_t at,
                   uint32_t tokens[FLOW_ARMS]);

/* All definitions in the file of members, and of what is no local variable, whose last name (the
   variable's, or the last member's) is NAME; COUNT of them. */
const struct definition *const *flow_of_others(struct model *model, const struct symbol *name,
                                               size_t *count);

#endif
