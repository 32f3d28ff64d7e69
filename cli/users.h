/* Which sources of a snapshot a change of others may concern: those that include them, directly or
   through others; what they include, if it defines kernels, which they may launch; and in folders
   further in or out, where the linker may join them as cli/tree.h does, those that define a kernel
   which they launch, or launch one that they or their users define.

   One `git grep` finds all includes, a second one the kernels near by; the first one may be started
   while it is not known yet what was changed. Which file an include means,
   the names decide: the file beside the including one, else every file whose path ends with the
   include's, as -I may say.  */
#ifndef CLI_USERS_H
#define CLI_USERS_H

#include "base/vec.h"
#include "cli/snapshot.h"

/* Paths, from the top. */
struct paths {
    VEC(const char *) list;
};

/* A file that was changed. */
struct changed_file {
    const char *path;
    const char *added; /* the lines that came, LEN bytes; or NULL: nobody says */
    size_t len;
};

struct changed_files {
    VEC(struct changed_file) list;
};

/* Starts to look for the includes. */
struct snapshot_hunt *users_start(struct snapshot *snapshot);

/* Adds to USERS, sorted and in ARENA, the sources that a change of those in CHANGED may concern,
   without these; where they are many, only those that speak of a name on a line that came, or of
   one that is defined by such. INCLUDES are users_start()'s, and freed. False after an error in
   DIAG. */
bool users_find(struct snapshot *snapshot, struct snapshot_hunt *includes,
                const struct changed_files *changed, struct paths *users, struct arena *arena,
                struct diag *diag);

#endif
