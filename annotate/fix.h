/* Applying the fixes of findings: their edits join those of the translation.  */
#ifndef ANNOTATE_FIX_H
#define ANNOTATE_FIX_H

#include "transform/translate.h"

/* Adds the edits of those fixes of T's findings that are at least as safe as LEAST to T's edits,
   which are finished before and after, and says `fixed` of their findings. With FIX_REPAIR only the
   repairs, which belong to the translation: annotate() asks for them, once. With FIX_SAFE or
   FIX_UNSAFE all but these. A fix of which an edit overlaps one of the translation, or of an
   earlier finding's fix, is not applied; but edits that replace the same bytes by the same text
   count once, so that several findings may need the same change. */
void fixes_apply(struct translation *t, enum fix_safety least);

#endif
