/* Which dialect a file is written in.  */
#ifndef TRANSFORM_DIALECT_H
#define TRANSFORM_DIALECT_H

#include <stdbool.h>

#include "maps/map.h"
#include "parser/unit.h"

/* Whether the file of UNIT is HIP's where no conditional says otherwise: its name, a header or a
   name of HIP's says so, and nothing in it is left to translate. */
bool dialect_is_hip(const struct unit *unit, const struct map *map);

#endif
