/* Findings as SARIF 2.1.0 (OASIS), for code review sites.

   Written in parts as JSON is: begin, the results of each file in order, with commas between them,
   then the rules that were found and the end. Columns are code points. URIs are relative to
   %SRCROOT%, the folder in which the program runs; which one that is, whoever reads the file knows
   better, and the same input gives the same bytes everywhere. What a comment in the source silences
   is a result with a suppression.  */
#ifndef REPORT_SARIF_H
#define REPORT_SARIF_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/comparison.h"
#include "base/finding.h"
#include "base/source.h"
#include "base/strbuf.h"
#include "base/vec.h"

/* A file whose results are being written. */
struct sarif_file {
    struct source *source;
    VEC(struct sarif_mark) marks; /* how many code points stand before some offsets */
};

void sarif_file_init(struct sarif_file *file, struct source *source);
void sarif_file_release(struct sarif_file *file);

void sarif_add_begin(struct strbuf *out);

/* Appends FINDING of FILE, whose targets are those of GPUS; FINGERPRINT (NUL-terminated) tells it
   from all others of its file, and SILENCED that a comment allows it. */
void sarif_add_finding(struct strbuf *out, struct sarif_file *file, const struct finding *finding,
                       const struct comparison *gpus, const char *fingerprint, bool silenced);

/* Appends the end of the results, and the beginning of the rules. */
void sarif_add_rules(struct strbuf *out);

/* Appends the rule ID, whose help is the LEN bytes at PAGE; between rules come commas. */
void sarif_add_rule(struct strbuf *out, enum rule_id id, const char *page, size_t len);

/* Appends the end. SKIPPED (COUNT of them) are the names of files that could not be read. */
void sarif_add_end(struct strbuf *out, const char *const *skipped, size_t count);

#endif
