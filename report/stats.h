/* What a run did and what is left to do, in figures (--stats).

   Each file has figures of its own, which are added up in the order of the files; what a run keeps
   does not grow with the number of files.  */
#ifndef REPORT_STATS_H
#define REPORT_STATS_H

#include <jansson.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "report/summary.h"
#include "transform/translate.h"

enum stats_left_out {
    LEFT_UNREADABLE,
    LEFT_PLAIN,    /* names nothing of CUDA's */
    LEFT_BINARY,   /* is no text */
    LEFT_LINK,     /* a symbolic link that is not followed */
    LEFT_EXCLUDED, /* --exclude names it */
    LEFT_COUNT
};

struct stats;

struct stats *stats_new(void);
void stats_free(struct stats *stats);

/* Adds the edits, kernels and findings of T, which was translated with MAP. */
void stats_add_translation(struct stats *stats, const struct translation *t, const struct map *map);

void stats_add_left_out(struct stats *stats, enum stats_left_out why, size_t count);

/* Adds the figures of ONE file to those of the run. */
void stats_add(struct stats *total, const struct stats *one);

/* Appends all in the user's language, with SUMMARY's figures. */
void stats_add_text(const struct stats *stats, const struct summary *summary, struct strbuf *out);

/* The same as a JSON object; a new reference. */
json_t *stats_json(const struct stats *stats, const struct summary *summary);

#endif
