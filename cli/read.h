/* Reads a source file whole into memory.  */
#ifndef CLI_READ_H
#define CLI_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/diag.h"

struct content {
    char *text; /* from malloc; len + SOURCE_PADDING bytes, the last ones NUL */
    size_t len;
    struct stat stat; /* of the file, before it was read */
};

/* Reads the file PATH, or standard input where PATH is NULL, into *CONTENT. NAME stands for
   it in messages. A folder, a file of 2 GiB or more, one that changes while it is read, or
   any trouble of the system is an error in DIAG, and false; then there is nothing to free. */
bool read_file(const char *path, const char *name, struct content *content, struct diag *diag);

/* As read_file(), of a file that programs keep for themselves: what is no regular file is an error,
   and not waited for. */
bool read_regular(const char *path, struct content *content, struct diag *diag);

/* Reads a log at PATH, to which others may append meanwhile and which they may remove: what it has
   held so far. What is no regular file is an error. CONTENT has no text where there is none. False
   after a message. */
bool read_log(const char *path, struct content *content, struct diag *diag);

/* Whether A and B say the same of the same file: nobody wrote to it between them. */
bool read_unchanged(const struct stat *a, const struct stat *b);

#endif
