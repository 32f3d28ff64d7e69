/* The findings of a run as they are shown: text, or one JSON object on standard output.  */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "cli/inputs.h"
#include "cli/job.h"
#include "cli/options.h"
#include "report/stats.h"

struct listing {
    const struct options *options;
    int fd; /* where text goes */
    struct diag *diag;
    VEC(const char *) unreadable;
    struct summary summary;
    struct stats *stats; /* NULL without --stats */
    size_t findings;
    bool broken; /* the output takes no more */
};

/* Begins the list; text goes to the descriptor FD. False after an error in DIAG. To be released
   either way. */
bool listing_begin(struct listing *listing, const struct options *options, int fd,
                   struct diag *diag);
void listing_release(struct listing *listing);

/* Adds JOB, the work on INPUT; false after an error. */
bool listing_take(struct listing *listing, const struct input *input, const struct job *job);

/* Ends the list, and says what INPUTS did not take; false after an error. */
bool listing_end(struct listing *listing, const struct inputs *inputs);

#endif
