/* How far a run is, as the last line of the terminal that standard error is:

       hipwright: 310 of 2078 files, 14.2 MB/s, 12 findings, 0:35 left

   Nothing where standard error is no terminal, with --quiet, and in the first half second. Messages
   are not torn: who writes something else hides the line before.  */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/inputs.h"
#include "cli/options.h"

struct progress {
    bool wanted;
    bool shown;
    size_t files, files_done;
    uint64_t bytes, bytes_done;
    size_t findings;
    double begun, drawn; /* seconds, on the clock that only goes forward */
};

void progress_begin(struct progress *progress, const struct options *options,
                    const struct inputs *inputs);

/* INPUT is done, with so many findings; draws the line anew now and then. */
void progress_step(struct progress *progress, const struct input *input, size_t findings);

/* Takes the line away. */
void progress_hide(struct progress *progress);

/* Appends the line as it is SECONDS after the beginning, at most COLUMNS wide. */
void progress_add_text(const struct progress *progress, double seconds, size_t columns,
                       struct strbuf *out);

#endif
