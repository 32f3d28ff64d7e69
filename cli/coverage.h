/* How much of each library has a counterpart: the table of `hipwright lookup --coverage`.  */
#ifndef CLI_COVERAGE_H
#define CLI_COVERAGE_H

#include <jansson.h>

#include "base/strbuf.h"
#include "maps/map.h"

/* How far a name has a counterpart in HIP. */
enum coverage {
    COVERAGE_MAPPED, /* another name is all it takes, or it is the same */
    COVERAGE_EDITED, /* arguments change too, which the translation does */
    COVERAGE_PARTLY, /* some form of it is reported, or it does not mean quite the same */
    COVERAGE_NONE,
    COVERAGE_COUNT
};

/* How far API is covered. What holds for the ROCm name alone does not count. */
enum coverage coverage_of(const struct api *api);

/* Appends the table as text, in the language of the user. */
void coverage_add_text(struct strbuf *out, const struct map *map);

/* Appends the members "libraries" and "total" of a JSON object, on several lines. */
void coverage_add_json(struct strbuf *out, const struct map *map);

#endif
