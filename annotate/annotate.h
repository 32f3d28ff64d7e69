/* The annotation pass: what the translated code would do otherwise on AMD GPUs.

   Each rule is one file in rules/ and one line in rules.def; its name, texts and effect stand in
   base/rules.def, together with those of the findings that the translation itself makes.  */
#ifndef ANNOTATE_ANNOTATE_H
#define ANNOTATE_ANNOTATE_H

#include "annotate/comparison.h"
#include "transform/translate.h"

/* Runs every rule over T, which translate() filled with OPTIONS, and adds its findings to T's; then
   drops those that concern none of GPUS, brings all of them into the order of the reports, names
   the kernel around each and adds the edits of the repairs (FIX_REPAIR) to T's. */
void annotate(struct translation *t, const struct translate_options *options,
              const struct comparison *gpus);

#endif
