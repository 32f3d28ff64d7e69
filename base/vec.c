#include <config.h>

#include "base/vec.h"

#include <stdint.h>

#include "base/xalloc.h"

void *vec_grow(void *items, size_t count, size_t *room, size_t size)
{
    size_t more = *room < SIZE_MAX / 2 ? *room * 2 : count;
    if (more < 16)
        more = 16;
    if (more < count)
        more = count;
    *room = more;
    return xrealloc_array(items, more, size);
}
