/* Asking git. The program is run without a shell; what the environment says about another
   repository, as it does in git's hooks, is kept from it.  */
#ifndef CLI_GIT_H
#define CLI_GIT_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/strbuf.h"

/* Whether FOLDER lies in the work tree of a repository, to judge by the .git above. */
bool git_is_inside(const char *folder);

/* Whether FOLDER itself has a .git, and so is the top of a work tree. */
bool git_is_top(const char *folder);

/* Appends the files below FOLDER that git tracks or does not ignore to NAMES: paths from there,
   each with a NUL behind it, some more than once; nested repositories and submodules stand there as
   folders. Nothing where FOLDER itself is ignored. What git complains about is an error in DIAG.
   False where git cannot say. */
bool git_list_files(const char *folder, struct strbuf *names, struct diag *diag);

/* Whether git ignores FOLDER itself. */
bool git_ignores(const char *folder);

#endif
