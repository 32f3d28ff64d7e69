/* Which files of a folder are sources that concern us: by their names first, then by what they
   hold. What somebody names one by one is never asked.  */
#ifndef CLI_WANTED_H
#define CLI_WANTED_H

#include <stdbool.h>
#include <stddef.h>

#include "maps/map.h"

enum file_kind {
    FILE_OTHER, /* no source */
    FILE_CXX,   /* C or C++, which may be of CUDA or not */
    FILE_CUDA,  /* CUDA or HIP */
};

/* The kind of the file called NAME. */
enum file_kind wanted_kind(const char *name);

/* The end of NAME that --rename replaces, and by what in *RENAMED; NULL where it stays. */
const char *wanted_rename(const char *name, size_t len, const char **renamed);

/* Whether the LEN bytes at TEXT are no text: like git, by a NUL among the first ones. */
bool wanted_is_binary(const char *text, size_t len);

/* Whether the LEN bytes at TEXT name something of CUDA's, of its libraries' or of HIP's, be it in a
   comment. A look at the beginnings of words, far cheaper than a translation; MAP knows the names
   that begin with two underscores. */
bool wanted_by_text(const struct map *map, const char *text, size_t len);

#endif
