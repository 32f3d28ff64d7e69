/* `hipwright banks` without its words: the question as it was asked, and the answer of one GPU.  */
#ifndef CLI_BANKS_H
#define CLI_BANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/gpu/expr.h"
#include "annotate/gpu/lds.h"
#include "annotate/gpu/occupancy.h"
#include "annotate/gpu/targets.h"
#include "base/arena.h"
#include "base/diag.h"
#include "cli/options.h"

/* One access that was asked about. */
struct banks_access {
    const char *option; /* "index" or "write", */
    const char *text;   /* and what it says */
    bool write;
    struct expr_index index;
};

enum { BANKS_ACCESSES = 2 };

/* What was asked for. */
struct banks_query {
    const struct options *o;
    struct diag *diag;
    struct arena arena;
    struct lds_array array; /* without its padding */
    unsigned pad;           /* the padding of its rows */
    bool has_array;         /* given by the user */
    unsigned bytes;         /* of an access */
    int64_t block[3];
    size_t threads;
    struct banks_access accesses[BANKS_ACCESSES];
    size_t count;
    const struct expr *condition; /* or NULL */
    bool bad;                     /* an expression has no value, for any target */
};

/* What is found out about an access. */
struct banks_figures {
    const struct banks_access *access;
    const struct lds_rule *rule;
    int64_t *index;
    int64_t *address; /* of all threads */
    struct lds_sum sum;
    struct lds_cost cost; /* of the worst wave */
};

/* The answer for one target. */
struct banks_answer {
    struct banks_query *q;
    const struct target *target;
    enum lds_model model;
    unsigned wave;
    struct lds_array array;   /* with the size that the index shows where none is given */
    struct lds_layout layout; /* as the array is now */
    struct banks_figures figures[BANKS_ACCESSES];
    struct occupancy_request request; /* of the block, for what a layout costs */
    struct occupancy now;
    struct lds_fix bare; /* without the padding that it has now */
    struct lds_fix pad;
    struct lds_fix swizzle;
};

/* Reads the question of Q's options; false after an error in Q's diag. What is read lives in Q's
   arena. */
bool banks_read(struct banks_query *q);

/* Makes *RES the answer of TARGET to Q; false after an error in Q's diag. To be released with
   banks_release() either way. */
bool banks_work_out(struct banks_query *q, const struct target *target, struct banks_answer *res);
void banks_release(struct banks_answer *a);

/* The bytes of the array as it is, and what FIX adds to them; below 0, what it saves. */
int64_t banks_bytes(const struct banks_answer *a);
int64_t banks_more_bytes(const struct banks_answer *a, const struct lds_fix *fix);

/* How many blocks fit with FIX. */
struct occupancy banks_with_fix(const struct banks_answer *a, const struct lds_fix *fix);

/* What each bank is asked for in PHASE of the worst wave of F. */
void banks_of_phase(const struct banks_answer *a, const struct banks_figures *f,
                    const struct lds_phase *phase, struct lds_bank banks[LDS_MAX_BANKS]);

#endif
