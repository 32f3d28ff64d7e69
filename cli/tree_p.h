/* What the parts of a tree share: tree_files.c finds the files and their includes, tree.c reads
   their facts and says whom they hold for.  */
#ifndef CLI_TREE_P_H
#define CLI_TREE_P_H

#include "annotate/model/facts.h"
#include "base/xalloc.h"
#include "cli/read.h"
#include "cli/snapshot.h"
#include "cli/tree.h"
#include "maps/map.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

/* What a file is, however it is called: git's, or one on the disk. */
struct file_key {
    const struct snapshot_file *git; /* or NULL */
    dev_t device;
    ino_t inode;
};

/* The folders in which a file's includes are looked for, in order. */
struct search {
    size_t count;
    const char *const *folders;
};

/* What is defined on the command line, or by the build, for a file. */
struct defines {
    size_t count;
    const struct model_define *items;
};

/* An include that no conditional is around, or one, which may be the header guard. */
struct certain_include {
    struct file *file;
    uint32_t offset;
    unsigned depth;
};

struct file {
    struct file_key key;
    UT_hash_handle hh;
    uint32_t number; /* in the tree's list */
    const char *path;
    const char *blob;       /* its content in the snapshot; NULL: it is read from the disk */
    const struct map *map;  /* whose headers are CUDA's */
    struct search search;   /* a header's: those of the first file that includes it */
    struct defines defines; /* a header's: those of all files that include it */
    unsigned max_registers;
    VEC(struct file *) includes;
    VEC(struct certain_include) certain; /* some of them, in order */
    bool guarded;                        /* it has a header guard */
    VEC(struct file *) users;            /* that include it */
    bool input;
    bool launches; /* some token says that it launches something */
    enum { NEW, OPEN, DONE } state;
    unsigned level; /* above all that it includes, cycles aside */
    uint32_t rank;  /* its facts' number in the world, once they are there */
    bool ranked;
    struct model_facts facts;
    struct model_facts told; /* how others launch its kernels */
    VEC(struct model_launch_fact) heard;
    VEC(struct model_kernel_fact) met; /* kernels of others that it launches */
};

/* What became of a path, asked once. */
struct path {
    UT_hash_handle hh;
    struct file *file; /* NULL: there is no such file */
    char name[];
};

/* The files that define a kernel of a name. */
struct definers {
    UT_hash_handle hh;
    VEC(struct file *) list;
};

/* A library whose sources people have, and that an input includes. */
struct public_library {
    const char *name;
    unsigned asked; /* includes that were looked for among the project's headers */
    bool own;       /* one was there */
};

struct tree {
    struct arena arena;
    const struct options *options;
    const struct inputs *inputs;
    struct snapshot *snapshot; /* where files are looked for first; or NULL */
    struct compile_commands *commands;
    VEC(struct file *) all; /* the inputs first */
    struct file **by_input; /* NULL: standard input, or there is no such file */
    bool *repeated;
    struct model_options *own; /* by input: what the command line says */
    struct file *files;
    struct path *paths;
    struct definers *kernels;
    struct model_world *world;
    VEC(struct public_library) public_libraries;
    VEC(const char *) own_libraries; /* that the inputs are the sources of, by name */
    bool whole;                      /* the inputs are a whole program */
};

/* Adds the input of that number, for which SETUP holds. */
void tree_add_input(struct tree *tree, size_t index, const struct setup *setup);

/* Adds all that the inputs include, and what that does, and connects them. */
void tree_find_includes(struct tree *tree);

/* Reads FILE; false, in silence, where it cannot be read or is no text. Any thread may do so. */
bool tree_read_file(const struct tree *tree, const struct file *file, struct content *content);

/* All files, first those that include nothing, their levels set; in the arena. */
struct file **tree_order(struct tree *tree);

/* Gives headers the macros of those that include them; SORTED is tree_order()'s. */
void tree_hand_down_defines(struct tree *tree, struct file *const *sorted);

/* Releases the files and what is known of paths. */
void tree_free_files(struct tree *tree);

#endif
