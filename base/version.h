/* Version numbers of CUDA, HIP and the libraries: up to three parts, packed so
   that they compare as integers. 0 means "not stated".  */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t version;

#define VERSION(major, minor, patch) \
    ((version)(major) << 20 | (version)(minor) << 10 | (version)(patch))

/* Reads "X", "X.Y" or "X.Y.Z" (each below 1024) from the LEN bytes at TEXT into *RES.
   False, and *RES untouched, for anything else. */
bool version_parse(const char *text, size_t len, version *res);

/* Room for the longest version_format() result. */
enum { VERSION_TEXT = 16 };

/* Writes V into BUF as "X.Y", or "X.Y.Z" where Z is not 0; returns BUF. */
const char *version_format(version v, char buf[VERSION_TEXT]);

#endif
