/* What a path says, and what it leads to.  */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include <stdbool.h>

#include "base/arena.h"

/* Whether PATH begins at the root, or goes upwards somewhere. */
bool path_leads_out(const char *path);

/* PATH without `.`, and with `..` taken back where a name stands before it, in ARENA. Where that
   name is a link, the result leads elsewhere. */
const char *path_tidy(const char *path, struct arena *arena);

/* Whether PATH is a folder, or a link to one. */
bool path_is_folder(const char *path);

#endif
