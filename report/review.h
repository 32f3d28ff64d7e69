/* What a port changed beyond the translation: the changes of a file, in hunks, and the findings
   that each of them resolves, leaves or brings in.  */
#ifndef REPORT_REVIEW_H
#define REPORT_REVIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "annotate/comparison.h"
#include "base/strbuf.h"
#include "report/contrast.h"
#include "report/diff.h"
#include "transform/translate.h"

/* One side of a review. Its findings are sorted, and all of them of its HIP source, but for those
   of the old side that only CUDA source shows, which are there too. */
struct review_side {
    const char *name;           /* the file's, as it is shown; NULL: there is none */
    struct translation *t;      /* of its HIP source; of nothing where there is no file */
    struct translation *origin; /* whose edits made that source, or NULL: it is the file's own */
    bool hip;                   /* read as HIP: what only CUDA source shows is not looked for */
};

enum review_state {
    REVIEW_RESOLVED,   /* the old side has it, the new one has not */
    REVIEW_LEFT,       /* both have it, where something was changed */
    REVIEW_BROUGHT_IN, /* only the new side has it */
    REVIEW_STATES
};

struct review_finding {
    enum review_state state;
    size_t hunk;                   /* or NO_HUNK */
    const struct finding *finding; /* of the old side if resolved, else of the new one */
    struct location begin, end;    /* in the side's file */
};

/* The finding has to do with a change, but neither its place nor a related one lies in a hunk. */
#define NO_HUNK SIZE_MAX

/* Changes that are shown together, with the lines around. */
struct review_hunk {
    size_t first,
        end; /* pieces; the outer ones are context, of which only the inner end is shown */
    size_t lead, trail;   /* lines of context before and behind */
    const char *function; /* where the new side has it, or NULL */
};

struct review {
    struct review_side old, new;
    struct contrast changes;
    VEC(struct review_hunk) hunks;
    VEC(struct review_finding) findings; /* by hunk, state and place */
    size_t added, removed;               /* lines, in the changes */
    size_t states[REVIEW_STATES];        /* findings */
};

struct review_style {
    unsigned context; /* lines around a change */
    bool exact;       /* also what differs only in layout, comments or spelling */
};

/* Reviews what NEW made of OLD; both, and what they point to, must live longer than REVIEW. */
void review_make(struct review *review, const struct review_side *old,
                 const struct review_side *new, struct review_style style);
void review_release(struct review *review);

/* Whether there is anything to show: a change, a finding, or that a file is only on one side. */
bool review_shows(const struct review *review);

/* The most severe level among the findings that NEW has, or -1 for none. */
int review_level(const struct review *review);

/* Appends REVIEW as a unified diff of the translation and the port, each hunk with one line for
   each of its findings behind it; nothing unless review_shows(). Only warnings and errors if QUIET.
 */
void review_add_text(struct strbuf *out, const struct review *review, struct diff_style style,
                     bool quiet);

/* The same as an object; findings as everywhere, but those of the old side without fix and related
   places. GPUS are those that the findings were made for. A new reference. */
json_t *review_json(const struct review *review, const struct comparison *gpus);

#endif
