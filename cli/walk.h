/* The sources of a folder and of all folders below.

   Where the folder lies in a git repository, git says which files there are: what .gitignore names
   is left out. Hidden files and folders (those of version control among them) and what --exclude
   names are left out everywhere. No link to a folder is followed, so that a walk ends and stays
   where it is. The result is in the order of the paths' bytes.  */
#ifndef CLI_WALK_H
#define CLI_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

struct listings;

struct walk_file {
    const char *name; /* the folder as it was named, a slash, and the path from there */
    size_t base;      /* where in it that path begins */
    off_t size;
};

struct walk {
    const char *const *excluded; /* patterns */
    size_t excluded_count;
    bool file_links;          /* take links to files as files of their own, or leave them out */
    const struct stat *avoid; /* a folder that is left out, or NULL */
    const struct listings *listings; /* where git was asked before, or NULL */
    struct arena *arena;             /* for the names */
    VEC(struct walk_file) files;
    size_t links;   /* that were left out */
    size_t omitted; /* files and folders that --exclude names */
};

/* Adds the sources of FOLDER to WALK's files. What cannot be read is an error in DIAG, and the rest
   is done. */
void walk_folder(struct walk *walk, const char *folder, struct diag *diag);

#endif
