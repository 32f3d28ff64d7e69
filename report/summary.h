/* What a run found, in one line.  */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include <stddef.h>

#include "base/finding.h"
#include "base/strbuf.h"

struct summary {
    size_t files;                  /* read */
    size_t changed;                /* whose translation differs from them */
    size_t found[LEVEL_ERROR + 1]; /* findings, by level */
    size_t suppressed;             /* findings that comments silence */
};

void summary_add_findings(struct summary *summary, const struct findings *findings);

/* Appends "hipwright: 3 files: 1 error, 2 warnings, 0 notes\n" in the user's language. */
void summary_add_text(const struct summary *summary, struct strbuf *out);

#endif
