/* The GPUs that a run speaks of: the AMD targets of --target, and the NVIDIA part of --from with
   which they are compared.  */
#ifndef ANNOTATE_COMPARISON_H
#define ANNOTATE_COMPARISON_H

#include <stdbool.h>

#include "annotate/gpu/targets.h"
#include "base/diag.h"
#include "base/finding.h"
#include "base/strbuf.h"

struct comparison {
    const struct target *targets[MOST_TARGETS]; /* bit N of a target_set is targets[N] */
    unsigned count;                             /* at least 1 */
    const struct target *from;
};

/* Makes RES of the names in TARGETS, with commas between them, and the name FROM; NULL stands for
   the defaults, gfx942 and sm_80. A target named twice counts once. False after an error in DIAG:
   an unknown name, a GPU of the other vendor, too many of them. RES borrows from TABLE. */
bool comparison_resolve(struct comparison *res, const struct target_table *table,
                        const char *targets, const char *from, struct diag *diag);

/* Adds to RES the targets of OTHER that it does not have, as far as there is room. */
void comparison_join(struct comparison *res, const struct comparison *other);

/* All targets of COMPARISON, and those of them whose waves have WAVE lanes by default. */
target_set comparison_all(const struct comparison *comparison);
target_set comparison_with_wave(const struct comparison *comparison, unsigned wave);

/* Those of ARCHITECTURE, which is the first word of what gpus.list says. */
target_set comparison_with_architecture(const struct comparison *comparison,
                                        const char *architecture);

/* Appends the names of the targets in SET, with commas between them. */
void comparison_add_names(struct strbuf *out, const struct comparison *comparison, target_set set);

#endif
