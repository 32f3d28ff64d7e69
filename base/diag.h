/* The one door for messages to the user that are not findings: trouble with files,
   options, maps, and what a damaged source file looks like.

   Messages are collected in a sink and flushed by whoever owns it, so that files worked
   on side by side still speak in order. Form: "FILE:LINE:COL: error: TEXT", or
   "hipwright: error: TEXT" where there is no file.  */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdio.h>

#include "base/strbuf.h"

enum diag_level {
    DIAG_NOTE,
    DIAG_WARNING,
    DIAG_ERROR, /* exit status 2 */
};

struct diag_place {
    const char *file; /* NULL: the program itself */
    unsigned line;    /* 0: the file as a whole */
    unsigned column;  /* 0: the line as a whole */
};

struct diag {
    struct strbuf text;
    unsigned errors;
    unsigned warnings;
};

#define DIAG_INIT           \
    {                       \
        .text = STRBUF_INIT \
    }

/* Adds one message. FORMAT is already translated: diag_add (&d, DIAG_ERROR, place, _("...")).
   What may not be sent to a terminal becomes \xNN, so that no file name can disturb one. */
void diag_add(struct diag *diag, enum diag_level level, struct diag_place place, const char *format,
              ...) __attribute__((format(printf, 4, 5)));

/* Writes what was collected to OUT and empties the text; the counts stay. */
void diag_flush(struct diag *diag, FILE *out);

void diag_release(struct diag *diag);

#endif
