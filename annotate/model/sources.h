/* Places in other files on which something rests: where the constants and types are defined that an
   expression takes from headers, where a kernel is launched.  */
#ifndef ANNOTATE_MODEL_SOURCES_H
#define ANNOTATE_MODEL_SOURCES_H

#include "annotate/model/model.h"
#include "base/finding.h"

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

/* Adds the places in other files that define what the names among the tokens of RANGE stand for, as
   far as WHAT depends on it, by way of the macros, variables, enumerators, types, templates and
   short functions of this file. */
void model_sources(struct model *model, struct range range, enum source_of what,
                   struct place_list *res);

/* Adds to RES on which files the blocks of the kernel at INDEX rest: its launches elsewhere, and
   what its launches here and there take from others. */
void model_launch_sources(struct model *model, size_t index, struct place_list *res);

#endif
