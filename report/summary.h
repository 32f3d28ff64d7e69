/* What a run found, in one line; and how much of its device code was understood.  */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/finding.h"
#include "base/strbuf.h"
#include "parser/measure.h"

struct summary_code;

struct summary {
    size_t files;                  /* read */
    size_t changed;                /* whose translation differs from them */
    size_t found[LEVEL_ERROR + 1]; /* findings, by level */
    size_t suppressed;             /* findings that comments silence */
    struct summary_code *code;     /* owned; NULL where nobody asked */
};

void summary_add_findings(struct summary *summary, const struct findings *findings);

/* Adds the measure of the device code of one file. */
void summary_add_measure(struct summary *summary, struct source *source,
                         const struct measure *measure);

/* Adds the figures of ONE file to those of the run, in the order of the files. */
void summary_add(struct summary *total, const struct summary *one);

/* Appends in the user's language, if measures were added: how much of the device code was
   understood, and the commonest reasons for the rest with an example each. */
void summary_add_code_text(const struct summary *summary, struct strbuf *out);

/* The tokens of the device code and those of them that were not understood, if measures were
   added; else false. */
bool summary_code_figures(const struct summary *summary, uint64_t *tokens, uint64_t *opaque);

void summary_release(struct summary *summary);

/* Appends "hipwright: 3 files: 1 error, 2 warnings, 0 notes\n" in the user's language. */
void summary_add_text(const struct summary *summary, struct strbuf *out);

#endif
