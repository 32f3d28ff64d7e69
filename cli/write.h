/* The one place that writes files.

   A file is never half written: the text goes into a temporary file beside it
   (".NAME.hipwright-XXXXXX"), is brought to the disk (but see `derived`) and then takes the place
   of the old file in one step. Mode, owner and extended attributes of an existing file are
   kept, symbolic links are followed and stay. All of it happens on the main thread, where the
   signals arrive.  */
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
    bool derived;               /* it can be made again: do not wait for the disk */
    bool make_folders;          /* make missing folders on the way */
    bool executable;            /* a new file is a program */
    const char *suffix;         /* first keep the old file under its name with this, or NULL */
    const struct stat *like;    /* a new file gets this one's mode and owner, or NULL */
    const char *like_path;      /* and the attributes of this one, if LIKE is given */
    const struct stat *as_read; /* refuse if the file is no longer what was read, or NULL */
    bool (*is_input)(const struct stat *stat, void *context); /* refuse to overwrite these */
    void *context;
};

/* Writes JOB. Whatever goes wrong is an error in DIAG, and false: then the old file is as it
   was, and no temporary file is left. What is no regular file (a device, a pipe) is written
   to directly. */
bool write_file(const struct write_job *job, struct diag *diag);

/* Writes JOB, whose as_read is given, into the new file PATH, and removes the old file, or with a
   suffix renames it. What is in the way is an error, and nothing is written, unless it is a file
   with that very text, which a run that was killed may have left. */
bool write_renamed(const struct write_job *job, const char *path, struct diag *diag);

/* Makes the folder PATH and those above it, where that is possible. */
void write_make_folder(const char *path);

/* Removes from FOLDER the temporary files of runs that were killed, but not those of one that is
   still at work. How many there were. */
size_t write_remove_leftovers(const char *folder);

/* Appends TEXT to the file PATH, which is made with its folders and opened in *FD where that is -1;
   false after an error in DIAG. */
bool write_log(int *fd, const char *path, const char *text, size_t len, struct diag *diag);
bool write_remove_log(const char *path, struct diag *diag);

/* Moves the file FROM to TO in the same folder; removes the file PATH. False after an error in
   DIAG. */
bool write_move(const char *from, const char *to, struct diag *diag);
bool write_remove(const char *path, struct diag *diag);

/* Whether the file PATH is there and holds exactly the LEN bytes at TEXT. */
bool write_is_same(const char *path, const char *text, size_t len);

/* Writes LEN bytes at TEXT to standard output, past stdio; false after an error in DIAG. */
bool write_stdout(const char *text, size_t len, struct diag *diag);

/* From now on SIGINT, SIGTERM and SIGHUP remove the temporary file of the moment before they
   end the program, and a closed pipe is an error like any other. */
void write_catch_signals(void);

/* Says whether the terminal's last line is a progress bar, which a signal is to erase. */
void write_note_bar(bool shown);
#define WRITE_ERASE_LINE "\r\033[K"

#endif
