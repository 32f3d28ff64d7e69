/* The edits of one file as a unified diff: 3 lines of context, names as given, so that
   `patch -p0` makes of the file exactly its translation.  */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include <stdbool.h>

#include "base/source.h"
#include "base/strbuf.h"
#include "transform/edit.h"

struct diff_style {
    bool color;
    bool terminal; /* show control bytes as \xNN; such a diff is for reading only */
};

/* Appends the diff of SOURCE and EDITS (finished); nothing where no byte would change. */
void diff_add(struct strbuf *out, struct source *source, const struct edits *edits,
              struct diff_style style);

#endif
