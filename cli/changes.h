/* What is about to be committed (--staged), or was changed since a revision (--diff-base): which
   files, and which of their lines. git answers, by its plumbing; no file of the index is read from
   the work tree, no shell is run, and names may hold any byte.

       --staged         the index, compared with HEAD (in a repository without one: all of it)
       --diff-base=REV  the work tree, compared with what REV and HEAD have in common: what a branch
                        itself changes, and not what happened on REV meanwhile, as code review sites
                        show it

   Under pre-commit (PRE_COMMIT is set) --staged follows what it does. Where it runs for a range
   (PRE_COMMIT_FROM_REF), that range is meant, and PRE_COMMIT_TO_REF is read, not the work tree.
   Where a file that it names has nothing staged (--all-files), the files are to be checked whole.

   Files named on the command line, and folders, restrict the files; lines of others still count as
   changed where a finding names them as related.

   A change may cause findings elsewhere: a constant of a header in those that include it, a launch
   in the header with the kernel. So the sources that a change may concern (cli/users.h) are inputs
   too, and what they say of changed lines counts.  */
#ifndef CLI_CHANGES_H
#define CLI_CHANGES_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/finding.h"
#include "base/source.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/snapshot.h"

struct changes;
struct change;

/* Whether OPTIONS ask for it. */
bool changes_are_wanted(const struct options *options);

/* Finds out what OPTIONS, which ask for it, and pre-commit want compared, and asks git for the
   files. NULL after an error in DIAG. */
struct changes *changes_new(const struct options *options, struct diag *diag);
void changes_free(struct changes *changes);

/* Whether the files of the command line are to be checked whole, see above: then there is nothing
   to collect. */
bool changes_are_whole(const struct changes *changes);

/* Where the files, and what they need, are read from; NULL: the disk. */
struct snapshot *changes_snapshot(const struct changes *changes);

/* Asks git for the lines, and makes INPUTS of the sources among the files, and of those that they
   may concern. False after an error in DIAG. INPUTS borrows from CHANGES. */
bool changes_collect(struct changes *changes, struct inputs *inputs, struct diag *diag);

/* Whether CHANGE is one at all: a file that the changes only concern has none. */
bool change_is_real(const struct change *change);

/* Whether FINDING of SOURCE, the file of CHANGE, counts as changed: its own place or one of its
   related places lies on a line that was added or changed; or some of what it rests on does, which
   then becomes a related place. On any thread. */
bool changes_touch(const struct changes *changes, const struct change *change,
                   struct source *source, struct finding *finding);

#endif
