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

/* The parts of a diff, for whoever finds the differences otherwise; COLOR is the escape sequence of
   the line's colour, or "". */

/* Appends the line that names a file, as patch and git read it, behind MARK ("--- ", "+++ "):
   quoted as in C if NAME holds something odd, and with a tab behind it if it holds spaces. */
void diff_add_name(struct strbuf *out, const char *mark, const char *name, const char *color);

/* Appends MARK ('-' or '+') and the range of COUNT lines from FIRST on, counted from 0. */
void diff_add_range(struct strbuf *out, char mark, size_t first, size_t count);

/* Appends the lines of the LEN bytes at TEXT, each behind MARK, and says where the last one has no
   newline; control bytes as \xNN if TERMINAL. */
void diff_add_lines(struct strbuf *out, char mark, const char *color, const char *text, size_t len,
                    bool terminal);

#endif
