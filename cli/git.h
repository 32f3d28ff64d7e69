/* Asking git. The program is run without a shell; what the environment says about another
   repository, as it does in git's hooks, is kept from it.  */
#ifndef CLI_GIT_H
#define CLI_GIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/strbuf.h"

/* The top of the work tree in which FOLDER lies, to judge by the .git above: its real path, which
   the caller frees. NULL where there is none. */
char *git_top(const char *folder);

/* Whether FOLDER itself has a .git, and so is the top of a work tree. */
bool git_is_top(const char *folder);

/* Appends the files below FOLDER that git tracks or does not ignore to NAMES: paths from there,
   each with a NUL behind it, some more than once; nested repositories and submodules stand there as
   folders. Only those in the COUNT folders PARTS, paths from FOLDER; 0: all. Nothing of a folder
   that is ignored itself. What git complains about is an error in DIAG. False where git cannot
   say. */
bool git_list_files(const char *folder, const char *const *parts, size_t count,
                    struct strbuf *names, struct diag *diag);

/* Whether git ignores FOLDER itself. */
bool git_ignores(const char *folder);

#endif
