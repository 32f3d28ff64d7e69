/* Includes of files that get other names.  */
#ifndef TRANSFORM_FOLLOW_H
#define TRANSFORM_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "transform/translate.h"

/* Whether the header PATH (LEN bytes), which a file includes in QUOTES or brackets, gets another
   name: then its new path is appended to RES. */
typedef bool (*follow_function)(void *context, const char *path, size_t len, bool quotes,
                                struct strbuf *res);

/* Adds to T's edits, which are finished before and after, that its includes follow what FOLLOW says
   of them. An include that the translation changes stays as that says. */
void includes_follow(struct translation *t, follow_function follow, void *context);

#endif
