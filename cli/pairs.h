/* What `review` compares: pairs of an old file and what a port made of it.

       OLD NEW       two files; or two folders, whose sources are paired by name
       REV           what the work tree made of the files of a revision
       REV..REV      what the second revision made of those of the first; with ... of what both have
                     in common. HEAD may be left out. Paths may follow.

   Files are the same by the record of the new folder, if we wrote it, and by their name; git adds
   its renames; what is left is paired where the names differ as those of a CUDA source and its port
   do (k.cu, k.hip; cuda/k.cuh, hip/k.hip.h; k_cublas.cu, k_hipblas.cpp). git is asked by its
   plumbing, without a shell; names may hold any byte.  */
#ifndef CLI_PAIRS_H
#define CLI_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/history.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/read.h"
#include "cli/snapshot.h"

struct pair_file {
    const char *name; /* as it is shown; NULL: there is no such file */
    const char *path; /* NULL: standard input */
    const char *blob; /* git's name of the content, which is read instead of PATH; or NULL */
};

enum { PAIR_OLD, PAIR_NEW, PAIR_SIDES };

struct pair {
    struct pair_file old, new; /* one of them at least is there */
    bool same;                 /* nothing was changed in it, but maybe in what it uses */
    size_t number[PAIR_SIDES]; /* in the inputs of each side where it is there */
};

/* The files of one side, which are a program together: those of the pairs and, of revisions, the
   sources that these may concern. */
struct pair_side {
    struct inputs inputs;
    VEC(size_t) setups;        /* by input: its number in the inputs of the pairs */
    struct snapshot *snapshot; /* where they are read from; NULL: the disk */
};

struct pairs {
    struct arena arena; /* the names that were made */
    VEC(struct pair) list;
    struct inputs inputs; /* the files whose configurations hold: for the pairs, in the same order,
                             and then for the other files of their sides */
    struct pair_side sides[PAIR_SIDES];
    struct blobs blobs;
    bool trouble; /* some of what was named could not be read, which was said */
};

/* Collects the pairs that the operands of OPTIONS name. Bad usage, a folder that cannot be read and
   what git refuses are errors in DIAG, and false. PAIRS is to be released either way. */
bool pairs_collect(struct pairs *pairs, const struct options *options, struct diag *diag);
void pairs_release(struct pairs *pairs);

/* Reads the content of FILE, which is nothing where there is no file; false after an error in DIAG.
   Any thread may do so. */
bool pairs_read(struct pairs *pairs, const struct pair_file *file, struct content *content,
                struct diag *diag);

#endif
