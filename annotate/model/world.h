/* The facts of all files of a tree by name, and which of them a file may use.

   A tree's constants are asked for name by name, by many files at once. So they stand in one table,
   and each file says which files' facts hold for it: what it costs to ask is in proportion to the
   fewer of the files that know the name and the files that may be asked.  */
#ifndef ANNOTATE_MODEL_WORLD_H
#define ANNOTATE_MODEL_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct constant;
struct model_facts;
struct model_macro;
struct model_world;
struct place_list;
struct type;

/* The files whose facts hold, by the number that model_world_add() gave them, sorted. */
struct model_scope {
    const uint32_t *files;
    size_t count;
};

/* What is known of a name. */
enum model_knowledge {
    KNOWN_NOT,      /* nobody declares it */
    KNOWN_DECLARED, /* somebody does, but the value is not known */
    KNOWN_VALUE,
};

struct model_world *model_world_new(void);
void model_world_free(struct model_world *world);

/* Adds FACTS, which must live as long; their number, counted from 0. Nobody may ask meanwhile. */
uint32_t model_world_add(struct model_world *world, const struct model_facts *facts);

/* All values that the files of SCOPE have for NAME, in *RES. Any thread may ask. */
enum model_knowledge model_world_find(const struct model_world *world,
                                      const struct model_scope *scope, const char *name,
                                      struct constant *res);

/* Likewise the type called NAME; KNOWN_DECLARED where files do not agree on it. */
enum model_knowledge model_world_find_type(const struct model_world *world,
                                           const struct model_scope *scope, const char *name,
                                           const struct type **res);

/* Who defines, or undefines, a macro. */
struct model_macro_found {
    size_t files;                    /* how many do */
    uint32_t file;                   /* one of them */
    const struct model_macro *macro; /* what that one says */
};

/* What the files of SCOPE say of the macro NAME. */
struct model_macro_found model_world_macro(const struct model_world *world,
                                           const struct model_scope *scope, const char *name);

/* Adds to RES the places of what they have for NAME, a value or, if TYPES, a type. */
void model_world_places(const struct model_world *world, const struct model_scope *scope,
                        const char *name, bool types, struct place_list *res);

#endif
