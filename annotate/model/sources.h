/* Places in other files on which something rests: where the constants and types are defined that an
   expression takes from headers, where a kernel is launched.  */
#ifndef ANNOTATE_MODEL_SOURCES_H
#define ANNOTATE_MODEL_SOURCES_H

#include "annotate/model/model.h"
#include "base/finding.h"

struct decl;
struct launch_site;

struct model_place {
    enum related_id how;        /* RELATED_DEFINED, RELATED_LAUNCHED or RELATED_BOUNDS */
    const char *name;           /* what is defined; else NULL */
    const char *file;           /* NULL: the file that is being read, of which SPAN is known */
    struct span span;           /* as long as FILE is NULL */
    struct location begin, end; /* then these */
};

/* Places of a fact, in the order of their finding. */
struct model_places {
    const struct model_place *items;
    unsigned count;
};

/* As many as a note may show; further ones are left out. */
enum { MODEL_PLACES = 8 };

struct place_list {
    unsigned count;
    struct model_place items[MODEL_PLACES];
};

/* Adds PLACE unless it is there. */
void place_list_add(struct place_list *list, const struct model_place *place);
void place_list_join(struct place_list *list, const struct model_places *places);

/* The places of LIST, in ARENA, which keeps their names. */
struct model_places place_list_keep(const struct place_list *list, struct arena *arena);

/* What a place depends on. */
enum source_of { SOURCES_OF_VALUES, SOURCES_OF_SIZES /* of types, too */ };

/* What is found: places in other files, and in this one; either may be NULL. */
struct model_grounds {
    struct place_list *others, *own;
};

/* Adds the places that define what the names among the tokens of RANGE stand for, as
   far as WHAT depends on it, by way of the macros, variables, enumerators, types, templates and
   short functions of this file. */
void model_sources(struct model *model, struct range range, enum source_of what,
                   struct model_grounds res);

/* Adds to RES on what the blocks of the kernel at INDEX rest: its launches, and what their blocks
   are made of. */
void model_launch_sources(struct model *model, size_t index, struct model_grounds res);

/* The tokens of SITE that say where it launches and with which block. */
struct range model_launch_place(const struct launch_site *site);

/* The tokens that give DECL its value, from its name on. */
struct range model_definition(struct model *model, struct decl *decl);

#endif
