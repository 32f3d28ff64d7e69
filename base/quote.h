/* Source text on one line, for a message: white space folded, control bytes as \xNN, shortened
   where it is very long. */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/strbuf.h"

struct quote {
    struct strbuf text;
    size_t longest;
    bool blank; /* white space came last */
};

enum { QUOTE_LONGEST = 80 };
#define QUOTE_INIT                        \
    {                                     \
        STRBUF_INIT, QUOTE_LONGEST, false \
    }

/* Appends the LEN bytes at TEXT; false once there is no room for more. */
bool quote_add(struct quote *quote, const char *text, size_t len);

/* The text of QUOTE, in ARENA; QUOTE is released. */
const char *quote_finish(struct quote *quote, struct arena *arena);

#endif
