/* The names nearest to a misspelt one. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

#include "base/diag.h"

enum { NEAREST_COUNT = 5, NEAREST_LONGEST = 200 };

struct nearest {
    const char *name; /* borrowed, as are the candidates */
    size_t len;
    unsigned distance; /* of those kept; none is further away */
    const char *found[NEAREST_COUNT];
    size_t count;
};

/* Begins a search for NAME; what is too far from it to be meant will not be kept. */
void nearest_begin(struct nearest *nearest, const char *name);

/* Keeps CANDIDATE (may be NULL) if none that came before was nearer: fewer letters inserted, left
   out, replaced or changed with their neighbour. Case does not count. */
void nearest_offer(struct nearest *nearest, const char *candidate);

/* Adds a note to DIAG that tells the names found, if there are any. */
void nearest_tell(const struct nearest *nearest, struct diag *diag);

#endif
