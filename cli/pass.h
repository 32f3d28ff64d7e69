/* What is made of one file: a pass finds and translates, and where fixes are applied, further
   passes over the result follow until nothing is left to do.

   A fix may bring to light what another one waits for: a ballot that keeps its 64 bits shows that a
   shift goes by 32 lanes, a row that became longer moves the bytes behind it. So that running the
   program again changes nothing, it does so itself.  */
#ifndef CLI_PASS_H
#define CLI_PASS_H

#include <stddef.h>

#include "cli/config.h"
#include "transform/translate.h"

/* The first pass over the LEN bytes at TEXT (as translate() takes them) of the file called NAME:
   translates, runs the rules, and leaves the findings that SETUP wants and no comment silences. */
void pass_find(struct translation *t, const char *name, char *text, size_t len,
               const struct translate_options *options, const struct setup *setup);

/* Nearly all files are settled after the second pass, and none was seen that needs a fourth. */
enum { MOST_MORE_PASSES = 3 };

/* What the first pass and those behind it come to. */
struct settled {
    const struct edits *result;           /* of all passes, as edits of the input */
    struct edits edits[MOST_MORE_PASSES]; /* of all up to each */
    struct translation *passes;           /* they own the strings of the findings */
    size_t count;
};

/* Finishes T, in which pass_find() with the same NAME, OPTIONS and SETUP found: adds to its edits
   what the options want to be done about the findings, then runs passes over the result while they
   apply fixes, a few at most. Of the findings, errors and warnings that the result no longer has
   are `fixed`, and those that only the result has are added, at the places of the input that they
   come from; their own fixes, which are edits of the result, are left out. */
void pass_settle(struct settled *s, struct translation *t, const struct translate_options *options,
                 const struct setup *setup);

/* To be called before the release of T. */
void settled_release(struct settled *s);

#endif
