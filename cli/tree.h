/* What the files of one run know of one another.

   The files are the inputs and whatever they include that can be found: beside the including file,
   in the folders of -I, in those of the compile commands. Files that are no inputs are read for
   what they declare, never reported. Pass 1 runs in tree_new(): each file is read, its includes are
   followed, and its facts are kept (annotate/model/facts.h), never its text or its trees. Headers
   come before those that include them, so that a constant may stand on another header's. Then each
   launch is joined to its kernel: one that the file sees through its includes, else the nearest
   one of that name. Pass 2 is the run itself: each job asks for the facts that hold for its input.
   Nothing depends on the number of threads.  */
#ifndef CLI_TREE_H
#define CLI_TREE_H

#include "annotate/model/model.h"
#include "cli/config.h"
#include "cli/inputs.h"

struct snapshot;
struct tree;

/* Reads what INPUTS, for each of which one of SETUPS holds, know of one another; files that
   SNAPSHOT (or NULL) has from there, all others from the disk. NULL after an error in DIAG. An
   input that cannot be read is no error here. All must live as long as the tree. */
struct tree *tree_new(const struct options *options, const struct setup *const *setups,
                      const struct inputs *inputs, struct snapshot *snapshot, struct diag *diag);
void tree_free(struct tree *tree);

/* What holds for INPUT, one of the inputs; in ARENA. Any thread may ask. */
const struct model_options *tree_options(const struct tree *tree, const struct input *input,
                                         struct arena *arena);

/* Whether INPUT is a file that an input before it was already. */
bool tree_is_repeated(const struct tree *tree, const struct input *input);

#endif
