/* The files to work on: those of the command line, then those of --files-from.  */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/vec.h"
#include "cli/options.h"

struct input {
    const char *name; /* as the user named it */
    const char *path; /* NULL: standard input */
};

struct inputs {
    VEC(struct input) list;
    char *names;              /* the text of --files-from, into which its entries point */
    struct input_file *files; /* what the files are on disk, see inputs_identify() */
    struct input_name *taken; /* see inputs_claim() */
};

/* Collects the inputs that OPTIONS name; nothing named is standard input. An unreadable list
   and standard input named twice are errors in DIAG, and false. INPUTS is to be released
   either way. */
bool inputs_collect(struct inputs *inputs, const struct options *options, struct diag *diag);
void inputs_release(struct inputs *inputs);

/* Looks at every input's file, so that outputs can be compared with them. */
void inputs_identify(struct inputs *inputs);

/* Whether STAT is one of the files identified; INPUTS is a struct inputs. */
bool inputs_contain(const struct stat *stat, void *inputs);

/* Takes PATH as an output; false if it was taken before. */
bool inputs_claim(struct inputs *inputs, const char *path);

#endif
