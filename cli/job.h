/* One file, from reading it to what is to be shown and written. A job touches nothing but
   its own file and may run on any thread.  */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/sha256.h"
#include "base/finding.h"
#include "base/strbuf.h"
#include "cli/changes.h"
#include "cli/config.h"
#include "cli/inputs.h"
#include "cli/read.h"
#include "report/diff.h"
#include "report/summary.h"

struct renames;
struct tree;

/* Why a file that the walk of a folder found is left as it is. */
enum skipped {
    SKIPPED_NOT,
    SKIPPED_PLAIN,  /* nothing in it is of CUDA's (strip: there is no marker) */
    SKIPPED_BINARY, /* it is no text */
    SKIPPED_COUNT
};

/* Findings are made in up to so many forms: for standard output, and for a report beside it. */
enum { JOB_FORMS = 2 };

/* What all jobs of a run share; read-only. */
struct job_plan {
    enum format forms[JOB_FORMS];
    int form_count;
    bool strip;     /* the result is the file without markers, not its translation */
    bool want_text; /* the resulting text */
    bool want_diff;
    bool want_hashes;              /* of the file and of the resulting text */
    bool copy;                     /* the text also of files that are left as they are */
    const struct renames *renames; /* that includes follow, or NULL */
    const struct tree *tree;       /* what the inputs know of one another; NULL for strip */
    bool want_stats;               /* the measure of device code */
    bool want_keys;                /* the fingerprints of findings */
    bool color;                    /* in findings */
    struct diff_style diff_style;
    const struct changes *changes; /* only findings on changed lines are wanted; or NULL */
    struct snapshot *snapshot;     /* where inputs are read from that git names; or NULL */
};

/* A piece of a text. */
struct piece {
    size_t begin, end;
};

/* A finding as it is shown: pieces of its job's texts. */
struct job_finding {
    enum rule_id rule;
    enum level level;
    bool fails;     /* at or above --fail-on */
    bool silenced;  /* by a comment; only in forms that tell of such */
    bool unchanged; /* it is not shown, and only there for what the baseline knows of it */
    struct piece form[JOB_FORMS];
    struct piece keys; /* if wanted: its fingerprints, a line each, its own first */
};

struct job {
    bool read; /* the file could be read; what follows holds only then */
    enum skipped skipped;
    bool copied; /* it was skipped, and its text is that of the file */
    struct stat stat;
    char input_hash[SHA256_HEX + 1]; /* if wanted, as the next one */
    char output_hash[SHA256_HEX + 1];
    bool changed;       /* the resulting text differs from the file */
    struct strbuf text; /* if wanted */
    struct strbuf diff; /* if wanted */
    VEC(struct job_finding) shown;
    struct strbuf forms[JOB_FORMS]; /* the findings in each form of the plan, without commas */
    struct strbuf keys;
    struct summary summary;  /* of this file */
    struct stats *stats;     /* likewise, if wanted; or NULL */
    enum exit_status status; /* that its findings call for under its --fail-on */
    struct diag diag;
};

/* Does the whole job of INPUT, for which SETUP holds (NULL for PLAN->strip); never NULL. */
struct job *job_run(const struct job_plan *plan, const struct setup *setup,
                    const struct input *input);
void job_free(struct job *job);

/* The bytes that JOB keeps, roughly: its texts. */
size_t job_weight(const struct job *job);

#endif
