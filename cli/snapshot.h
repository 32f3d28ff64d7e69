/* What git keeps of all files at one moment: in the index, in a commit; or the files of the work
   tree that it knows.

   Names are those that people give: from the working directory, or absolute. Paths are git's, from
   the top of the work tree. A file that git does not know is none of a snapshot's, as are links and
   submodules: such are read from the disk.  */
#ifndef CLI_SNAPSHOT_H
#define CLI_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/history.h"
#include "cli/read.h"

struct snapshot;

enum snapshot_of {
    SNAPSHOT_INDEX,
    SNAPSHOT_COMMIT,
    SNAPSHOT_WORK_TREE,
};

/* The files of the index, of the commit with the hash COMMIT, or of the work tree; git is asked
   for their list when it is first needed. NULL after an error in DIAG: there is no work tree
   here. */
struct snapshot *snapshot_new(enum snapshot_of of, const char *commit, struct diag *diag);
void snapshot_free(struct snapshot *snapshot);

enum snapshot_of snapshot_kind(const struct snapshot *snapshot);
const char *snapshot_commit(const struct snapshot *snapshot);

/* The absolute path of the top; the top from the working directory, and that from the top: "" or
   with a slash at the end. */
const char *snapshot_top(const struct snapshot *snapshot);
const char *snapshot_up(const struct snapshot *snapshot);
const char *snapshot_prefix(const struct snapshot *snapshot);

/* The path of NAME, without `.` and with `..` taken back; NULL where it leads out. In ARENA, as the
   name for PATH, relative to the working directory. */
const char *snapshot_path(const struct snapshot *snapshot, const char *name, struct arena *arena);
const char *snapshot_name(const struct snapshot *snapshot, const char *path, struct arena *arena);

/* A regular file. */
struct snapshot_file {
    const char *path;
    const char *blob; /* the hash of its content; NULL: it is read from the disk */
};

/* Asks git for the list, without waiting for it. */
void snapshot_ask_list(struct snapshot *snapshot);

/* Takes the list, unless that was done, asking for it first if need be; false after an error in
   DIAG. What follows needs it, and any thread may then ask. */
bool snapshot_list(struct snapshot *snapshot, struct diag *diag);

/* The file with PATH; the one called NAME, by a link or not; or NULL. */
const struct snapshot_file *snapshot_at(const struct snapshot *snapshot, const char *path);
const struct snapshot_file *snapshot_find(const struct snapshot *snapshot, const char *name);

/* Whether some file lies in the folder called NAME, or further in. */
bool snapshot_has_folder(const struct snapshot *snapshot, const char *name);

/* The symbolic links: their paths, *COUNT of them. */
const char *const *snapshot_links(const struct snapshot *snapshot, size_t *count);

/* Reads the content of the blob HASH; as blobs_read(). Any thread may ask. */
bool snapshot_read(struct snapshot *snapshot, const char *hash, const char *name,
                   struct content *content, struct diag *diag);

/* Reads the file called NAME: from the snapshot (NULL for none) where that has it, else from the
   disk, as read_file() does. */
bool snapshot_read_name(struct snapshot *snapshot, const char *name, struct content *content,
                        struct diag *diag);

/* Starts to get ready for snapshot_read(); false after an error in DIAG. */
bool snapshot_start(struct snapshot *snapshot, struct diag *diag);

/* Takes LINE, of LEN bytes, of the file with PATH; both are there only while it runs. */
typedef void (*snapshot_taker)(void *context, const char *path, const char *line, size_t len);

/* What is looked for: one of TEXTS, if WORDS as a word of its own, in the files that git's
   pathspecs WHERE name (NULL behind both); where there are none, in sources. */
struct snapshot_search {
    const char *const *texts;
    const char *const *where;
    bool words;
};

/* Gives TAKE all lines that hold it, and, of the index, maybe some of sources that WHERE does not
   name. False after an error in DIAG. */
bool snapshot_grep(struct snapshot *snapshot, const struct snapshot_search *search,
                   snapshot_taker take, void *context, struct diag *diag);

/* A search that goes on beside our own work. */
struct snapshot_hunt;

/* The two halves of snapshot_grep(): what SEARCH points to has to stay until the second one, which
   also frees HUNT. A hunt that nobody needs any more, or NULL, is dropped. */
struct snapshot_hunt *snapshot_grep_start(struct snapshot *snapshot,
                                          const struct snapshot_search *search);
bool snapshot_grep_end(struct snapshot_hunt *hunt, snapshot_taker take, void *context,
                       struct diag *diag);
void snapshot_grep_drop(struct snapshot_hunt *hunt);

#endif
