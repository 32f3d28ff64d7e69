/* The words of a finding: its rule's sentences with the finding's arguments put in.  */
#ifndef REPORT_MESSAGE_H
#define REPORT_MESSAGE_H

#include <stdbool.h>

#include "base/finding.h"
#include "base/strbuf.h"

/* Appends TEMPLATE with %1, %2, ... replaced by the arguments of FINDING (nothing where there
   is none) and %% by %. */
void message_expand(struct strbuf *out, const char *template, const struct finding *finding);

/* Appends what FINDING says; in the user's language if TRANSLATED (terminals), else in English
   (machine formats, comments in source). */
void message_add(struct strbuf *out, const struct finding *finding, bool translated);

/* Appends what to do about FINDING; false, and nothing added, where the rule does not say. */
bool message_add_todo(struct strbuf *out, const struct finding *finding, bool translated);

#endif
