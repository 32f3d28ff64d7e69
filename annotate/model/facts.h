/* What other files may know of a file: the values of the names that it declares for all, and the
   blocks with which it launches kernels.

   Facts are plain data, read once and never changed, so that many threads may use those of a
   header. A tree's first pass reads the facts of each file (cli/tree.h); its second pass gives the
   model of a file those of the files that it includes, in struct model_options: as a list, or as
   scopes of a world (world.h). A name that the file itself declares is its own; of one that several
   facts know all values are considered.  */
#ifndef ANNOTATE_MODEL_FACTS_H
#define ANNOTATE_MODEL_FACTS_H

#include "annotate/model/launch.h"
#include "annotate/model/macros.h"
#include "annotate/model/sources.h"
#include "annotate/model/type.h"

struct model_fact {
    const char *name;
    struct constant value;      /* count 0: the file declares it, but nobody knows its value */
    struct model_places places; /* where it is defined, then on what its value rests elsewhere; none
                                   where nobody knows that */
};

/* The blocks of all launches in the file of what it calls KERNEL. */
struct model_launch_fact {
    const char *kernel;
    struct launch_blocks blocks;
    bool open;                  /* some block may be another one, see struct launch_site */
    struct model_places places; /* the launches, then where their blocks are defined elsewhere */
};

/* A kernel that the file defines. */
struct model_kernel_fact {
    const char *name;
    struct constant max_threads; /* of its launch bounds; count 0: it has none, or nobody knows */
    struct model_places places;  /* of these */
};

/* A type whose size is certain: an alias of a type that CUDA or C++ declares, or a class, of which
   nothing but the size is told. */
struct model_type_fact {
    const char *name;
    struct type type; /* TYPE_UNKNOWN: the file declares it, but nobody knows its size */
    struct model_places places;
};

struct model_facts {
    const struct model_fact *items; /* sorted by name */
    size_t count;
    const struct model_launch_fact *launches; /* sorted by kernel */
    size_t launch_count;
    bool computed; /* something computed is launched: it may be any kernel */
    const struct model_type_fact *types;
    size_t type_count;
    const struct model_kernel_fact *kernels; /* sorted by name */
    size_t kernel_count;
    const struct model_macro *macros; /* sorted by name */
    size_t macro_count;
};

/* Reads the macros, constants and enumerators of MODEL's file into FACTS, which has none yet and
   whose memory comes from ARENA. */
void model_facts_read(struct model_facts *facts, struct model *model, struct arena *arena);

/* Likewise the launches. That costs more: the bodies that launch are read. */
void model_facts_read_launches(struct model_facts *facts, struct model *model, struct arena *arena);

/* Likewise the types. */
void model_facts_read_types(struct model_facts *facts, struct model *model, struct arena *arena);

/* Likewise the kernels that the file defines. */
void model_facts_read_kernels(struct model_facts *facts, struct model *model, struct arena *arena);

/* Says of the places in FACTS that lie in the file they were read from, SOURCE, what it is called
   and which lines they are on; other files are told only then. */
void model_facts_locate(struct model_facts *facts, struct source *source, struct arena *arena);

/* Adds the values of FROM to TO; false where there are too many. */
bool constant_join(struct constant *to, const struct constant *from);

/* The union of the values and launches of the COUNT at PARTS, in ARENA, which keeps the names of
 * the parts. */
void model_facts_merge(struct model_facts *facts, const struct model_facts *const *parts,
                       size_t count, struct arena *arena);

/* The values that the facts in OPTIONS (may be NULL) have for NAME; false where they do not know
   it, or not its value. */
bool model_facts_find(const struct model_options *options, const char *name, struct constant *res);

/* Adds to RES where the value of NAME comes from by OPTIONS; if WHAT says so, or its type. */
void model_facts_places(const struct model_options *options, const char *name, enum source_of what,
                        struct place_list *res);

/* The type that the world in OPTIONS (may be NULL) knows by NAME, or NULL. */
const struct type *model_facts_find_type(const struct model_options *options, const char *name);

/* Adds to BLOCKS those with which the users in OPTIONS (may be NULL) launch KERNEL; how many users
   do. BLOCKS->all becomes false where one does not know all. */
size_t model_facts_blocks(const struct model_options *options, const char *kernel,
                          struct launch_blocks *blocks);

/* Adds to RES the places of these launches. */
void model_facts_launches(const struct model_options *options, const char *kernel,
                          struct place_list *res);

/* Adds to FACTS, which have none of the kinds that FROM has, those of FROM; in ARENA, names and
 * all.
 */
void model_facts_add_copy(struct model_facts *facts, const struct model_facts *from,
                          struct arena *arena);

/* Whether OPTIONS (may be NULL) say that the users show all launches of KERNEL there can be outside
   its file, each with a block that is known. */
bool model_facts_shut(const struct model_options *options, const char *kernel);

#endif
