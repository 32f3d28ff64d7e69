/* What becomes of the findings of a run: which of them are new (--baseline), in which form they go
   to standard output (--format), and to a file beside it (--report).

   Findings are taken file by file, in order. Where all of them must be seen before the first can be
   shown (a baseline), the files' jobs are kept until the end.  */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include <stdbool.h>

#include "base/diag.h"
#include "cli/inputs.h"
#include "cli/job.h"
#include "cli/options.h"
#include "report/stats.h"

struct results;

/* Sets in PLAN what the jobs have to make, as OPTIONS ask; reads the baseline. Text goes to the
   descriptor FD, all else to standard output. NULL after an error in DIAG. INPUTS are those of the
   run, which no report may overwrite; all is borrowed. */
struct results *results_new(const struct options *options, struct inputs *inputs,
                            struct job_plan *plan, int fd, struct diag *diag);
void results_free(struct results *results);

/* Writes what comes before the first finding; false after an error. */
bool results_begin(struct results *results);

/* Adds JOB, the work on INPUT; false after an error. */
bool results_take(struct results *results, const struct input *input, struct job *job);

/* Takes over JOB, of which nothing else is wanted. */
void results_drop(struct results *results, struct job *job);

/* Once all jobs are there: shows what had to wait for that; false after an error, also an earlier
   one. Then the summary is that of what was shown. */
bool results_settle(struct results *results);
const struct summary *results_summary(const struct results *results);

/* Writes the rest, and the files of --report and --write-baseline; false after an error. */
bool results_end(struct results *results);

/* What the findings that were shown call for. */
enum exit_status results_status(const struct results *results);

/* Whether people read them. */
bool results_are_text(const struct results *results);

#endif
