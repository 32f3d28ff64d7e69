/* What the commands that ask about GPUs share: `--target=A,B` and one answer for each.  */
#ifndef CLI_GPU_H
#define CLI_GPU_H

#include <stdbool.h>

#include "annotate/gpu/occupancy.h"
#include "annotate/gpu/targets.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/options.h"

/* Calls ANSWER with CONTEXT for each of the targets that OPTIONS name, or else for the NVIDIA and
   the AMD GPU that are compared by default, and writes what it appends to OUT to standard output:
   as a list where the format is JSON and there are several. ANSWER returns false after an error
   in DIAG; all targets are tried, but then nothing is written: a script must not take one target's
   figures for all. DIAG is written to standard error. */
enum exit_status gpu_answer(const struct options *options,
                            bool (*answer)(const struct target *target, void *context,
                                           struct strbuf *out),
                            void *context, struct diag *diag);

/* Says why TARGET has no answer to the request of OPTIONS. */
void gpu_complain(enum occupancy_error error, const struct target *target,
                  const struct options *options, struct diag *diag);

/* What holds the workgroups in the answer O of TARGET: "CU", "WGP" or "SM". */
const char *gpu_unit(const struct target *target, const struct occupancy *o);

/* The resource LIMIT in TARGET's words, translated. */
const char *gpu_limit(const struct target *target, enum occupancy_limit limit);

#endif
