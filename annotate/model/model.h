/* The kernel model: what is known of a file's device code beyond its text. Built only when a rule
   or a report asks for it; each part when it is first asked for.

   type.h      types: sizes of elements, of structs and of arrays
   constant.h  integer values of expressions: macros, constants, enumerators, template arguments
   facts.h     what a file lets others know: the values of its names, its launches
   flow.h      definitions of local variables that reach a place
   launch.h    launches, with grid, block, dynamic shared memory
   lane.h      index arithmetic played for all lanes of a wavefront

   A model knows one file. What it may know of others (headers, the tree) comes as facts, see
   struct model_options.  */
#ifndef ANNOTATE_MODEL_MODEL_H
#define ANNOTATE_MODEL_MODEL_H

#include "annotate/model/world.h"
#include "parser/tree.h"

struct model_facts;
struct model_kernel_fact;
struct model_names;
struct model_flows;
struct model_launches;
struct model_uses;
struct lane_cache;

/* A macro given with -D. */
struct model_define {
    const char *name;
    const char *value; /* "" and "1" as a compiler has them */
    unsigned commands; /* how many compile commands of the file give it; 0: all of them */
};

enum { MODEL_SCOPES = 2 };

/* A file of the world that another one includes, directly or not. */
struct model_included {
    uint32_t file;
    uint32_t offset; /* of the #include in that other file */
};

struct model_options {
    const struct model_define *defines;
    size_t define_count;
    unsigned max_registers;                 /* nvcc's --maxrregcount; 0: not given */
    const struct model_facts *const *facts; /* of the files that this one includes; see facts.h */
    size_t fact_count;
    const struct model_facts *const *users; /* of the files that may launch this one's kernels, such
                                               as those that include it */
    size_t user_count;
    const struct model_kernel_fact *kernels; /* of other files that this one launches, by name */
    size_t kernel_count;
    const struct model_world *world; /* the facts of a tree, or NULL */
    /* Which of them hold: those of the files that this one includes; where these do not declare a
       name, those of the files that include it, with all that they include. */
    struct model_scope scopes[MODEL_SCOPES];
    const char *const *own_libraries; /* whose sources the tree is: their names in libraries.list */
    size_t own_library_count;
    const struct model_included *certain; /* the files that this one includes whatever is defined,
                                             by number */
    size_t certain_count;
    bool whole;    /* no other file than the users launches this one's kernels */
    bool included; /* another file includes this one, whatever it is called */
};

/* NAME (VALUE) or NAME {VALUE} behind a constructor's colon: a member, or a base. */
struct model_initializer {
    uint32_t name;
    struct node *value; /* several are a comma's operands */
};

/* A function with what only the model knows. */
struct model_function {
    const struct function *function; /* of the unit */
    struct node *body;               /* its tree, or NULL for a declaration */
    struct node **params; /* param_count NODE_DECLARATIONs; NULL for one not understood */
    unsigned param_count;
    struct model_initializer *initializers; /* of a constructor, those that are understood */
    unsigned initializer_count;
};

struct model {
    const struct unit *unit;
    struct arena *arena; /* of all that the model gives out */
    const struct model_options *options;
    struct trees trees;
    struct model_function **functions; /* by the index in the unit; NULL until asked for */
    uint32_t *function_outer;          /* by the index: the function around it, or NO_INDEX */
    struct lane_cache *lanes;          /* lane.c's; NULL until asked for */
    uint64_t work;                     /* steps of all its answers about names, constants and
                                          geometry: what tests of large files go by */
    uint64_t lane_work;                /* that its machines have done */
    bool lanes_left_out;               /* some did not run, since there was too much to do */
    struct model_names *names;         /* names.c's: declarations by name; NULL until asked for */
    struct model_flows *flows;         /* flow.c's: definitions of local variables */
    struct model_uses *uses;           /* uses.c's: names by symbol */
    struct model_calls *calls;         /* calls.c's: calls by name */
    struct model_launches *launches;   /* launch.c's */
};

/* Whether the functions of UNIT are more than anybody wants to wait for: then no model is to be
   made of it. */
bool model_is_too_large(const struct unit *unit);

/* An empty model of UNIT, whose memory comes from ARENA. OPTIONS may be NULL and must live as long.
 */
void model_init(struct model *model, const struct unit *unit, struct arena *arena,
                const struct model_options *options);
void model_release(struct model *model);

/* The function at INDEX of the unit, its trees read. */
const struct model_function *model_function(struct model *model, size_t index);

/* The index of the function whose body holds TOKEN, or NO_INDEX. */
size_t model_function_at(const struct model *model, uint32_t token);

#endif
