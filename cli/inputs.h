/* The files to work on: those of the command line and of its folders, then those of
   --files-from.  */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "cli/options.h"

struct input {
    const char *name; /* as the user named it */
    const char *path; /* NULL: standard input */
    /* Where it goes below --output-dir. Of a file in a folder: the path that the user gave the
       folder, from behind its last ".." on, or nothing of it where a slash ends it; and the path
       from the folder. */
    const char *place;
    const char *real; /* absolute, without links in its folder; see inputs_resolve(), or NULL */
    off_t size;       /* 0: unknown */
    bool found;       /* by the walk of a folder: only what it holds tells whether it matters */
    const char *blob; /* git's name of its content, which is read instead of PATH */
    const struct change *change; /* what git says of it (cli/changes.h), or NULL */
};

struct inputs {
    VEC(struct input) list;
    bool folder;              /* one was named */
    bool trouble;             /* some of what was named could not be read, which was said */
    struct arena arena;       /* names of what was found */
    char *names;              /* the text of --files-from, into which its entries point */
    struct input_file *files; /* what the files are on disk, see inputs_identify() */
    struct input_name *taken; /* see inputs_claim() */
    struct input_name *named; /* real paths of the inputs, where several are named */
    struct real_folder *folders;
    size_t links;   /* found, and not followed */
    size_t omitted; /* found, but --exclude names them */
};

/* Collects the inputs that OPTIONS name; nothing named is standard input. An unreadable list
   and standard input named twice are errors in DIAG, and false; after trouble with a folder the
   rest is there. A file that a folder holds and that was named before is not taken again. INPUTS is
   to be released either way. */
bool inputs_collect(struct inputs *inputs, const struct options *options, struct diag *diag);
void inputs_release(struct inputs *inputs);

/* Finds out the real paths of all inputs. */
void inputs_resolve(struct inputs *inputs);

/* Looks at every input's file, so that outputs can be compared with them. */
void inputs_identify(struct inputs *inputs);

/* Whether STAT is one of the files identified; INPUTS is a struct inputs. */
bool inputs_contain(const struct stat *stat, void *inputs);

/* Takes PATH as an output; false if it was taken before. */
bool inputs_claim(struct inputs *inputs, const char *path);

#endif
