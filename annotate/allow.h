/* Comments that silence findings:

       // hipwright: allow wave-mask-literal, lds  the block is one wave
       // hipwright: allow-file occupancy

   The first kind silences findings of the rules or categories named, on its own line; where nothing
   but the comment is on it, on the line of the code that follows, and in a macro that begins there.
   The second kind does so in the whole file. What follows the names is a reason for people. */
#ifndef ANNOTATE_ALLOW_H
#define ANNOTATE_ALLOW_H

#include <stdbool.h>

#include "transform/translate.h"

/* Removes what the comments of T's source silence from T's findings, which are sorted before and
   after, and counts them. Adds findings for names that are no rule's, and for those that silence
   nothing; but not for rules that are off in RULE_OFF (RULE_COUNT of them), nor on the CUDA side of
   a conditional, nor in HIP source for rules that read CUDA only. */
void allows_apply(struct translation *t, const bool *rule_off);

#endif
