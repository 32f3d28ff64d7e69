/* What a path says, and what it leads to.  */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include <stdbool.h>

/* Whether PATH begins at the root, or goes upwards somewhere. */
bool path_leads_out(const char *path);

/* Whether PATH is a folder, or a link to one. */
bool path_is_folder(const char *path);

#endif
