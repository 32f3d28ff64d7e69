/* Findings for people, in the form of GCC's diagnostics, which editors already read:

       path/k.cu:12:20: warning: MESSAGE [RULE]
          12 |     int lane = threadIdx.x & 31;
             |                ^~~~~~~~~~~~~~~~
       path/k.cu:4:9: note: A RELATED PLACE
           4 | #define WARP 32
             |         ^~~~
       path/k.cu:12:20: note: sm_80: FIGURES
       path/k.cu:12:20: note: gfx942: FIGURES
       path/k.cu:12:20: note: WHAT TO DO
       path/k.cu:12:34: note: safe fix: write `warpSize - 1` for `31`

   Nothing in a file or its name can disturb a terminal: control bytes and invalid UTF-8 are
   shown as \xNN, tabs as spaces up to the next multiple of 8, long lines are cut.  */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdbool.h>

#include "annotate/comparison.h"
#include "base/finding.h"
#include "base/source.h"
#include "base/strbuf.h"

/* Appends FINDING of SOURCE, whose targets are those of GPUS, in the user's language; with colours
   if COLOR. */
void text_add_finding(struct strbuf *out, struct source *source, const struct finding *finding,
                      const struct comparison *gpus, bool color);

/* Appends the first line of that alone, for the place AT of FILE. */
void text_add_headline(struct strbuf *out, const char *file, struct location at,
                       const struct finding *finding, bool color);

#endif
