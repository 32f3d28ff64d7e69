/* The one place that writes files.

   A file is never half written: the text goes into a temporary file beside it
   (".NAME.hipwright-XXXXXX"), is brought to the disk and then takes the place of the old
   file in one step. Mode and owner of an existing file are kept, symbolic links are
   followed and stay. All of it happens on the main thread, where the signals arrive.  */
#ifndef CLI_WRITE_H
#define CLI_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/diag.h"

struct write_job {
    const char *path; /* the file; also its name in messages */
    const char *text;
    size_t len;
    bool make_folders;          /* make missing folders on the way */
    const char *suffix;         /* first keep the old file under its name with this, or NULL */
    const struct stat *as_read; /* refuse if the file is no longer what was read, or NULL */
    bool (*is_input)(const struct stat *stat, void *context); /* refuse to overwrite these */
    void *context;
};

/* Writes JOB. Whatever goes wrong is an error in DIAG, and false: then the old file is as it
   was, and no temporary file is left. What is no regular file (a device, a pipe) is written
   to directly. */
bool write_file(const struct write_job *job, struct diag *diag);

/* Whether the file PATH is there and holds exactly the LEN bytes at TEXT. */
bool write_is_same(const char *path, const char *text, size_t len);

/* Writes LEN bytes at TEXT to standard output, past stdio; false after an error in DIAG. */
bool write_stdout(const char *text, size_t len, struct diag *diag);

/* From now on SIGINT, SIGTERM and SIGHUP remove the temporary file of the moment before they
   end the program, and a closed pipe is an error like any other. */
void write_catch_signals(void);

#endif
