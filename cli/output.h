/* Where the results of a run go: to files, to standard output, or to a list of what would change.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/inputs.h"
#include "cli/job.h"
#include "cli/options.h"
#include "cli/record.h"

struct output {
    const struct options *options;
    struct inputs *inputs;
    struct record *record; /* of --output-dir, or NULL */
    char *folder;          /* --output-dir without links, or NULL */
    char *how;             /* version and options, for the record */
    struct diag *diag;     /* of the run */
    size_t written;        /* with --dry-run those that would be */
    size_t same;           /* left as they are, since they are up to date */
    size_t kept;           /* left as they are, though they are not: somebody edited them */
    size_t gone;           /* outputs without source */
};

/* Takes out of INPUTS what an earlier run wrote below --output-dir: programs name such files that
   pass on all sources that changed (pre-commit), and a folder holds them where it is the one that
   is written into, or lies in that. False after an error in DIAG. */
bool output_leave_out(const struct options *options, struct inputs *inputs, struct diag *diag);

/* Makes everything ready for the results of INPUTS; false after an error in DIAG. To be released
   either way. */
bool output_begin(struct output *output, const struct options *options, struct inputs *inputs,
                  struct diag *diag);
void output_release(struct output *output);

/* Puts the result JOB of INPUT where it goes; false after an error in the run's diag. */
bool output_take(struct output *output, const struct input *input, const struct job *job);

/* When all results are there: brings the record up to date; false after an error. */
bool output_end(struct output *output);

/* Appends what was written as one line in the user's language, "hipwright: 12 files written, ...";
   nothing where nothing was to be written. */
void output_add_text(const struct output *output, struct strbuf *out);

#endif
