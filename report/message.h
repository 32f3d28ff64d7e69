/* The words of a finding: its rule's sentences with the finding's arguments put in.  */
#ifndef REPORT_MESSAGE_H
#define REPORT_MESSAGE_H

#include <stdbool.h>

#include "base/finding.h"
#include "base/strbuf.h"

/* Appends TEMPLATE with %1, %2, ... replaced by ARGS (FINDING_ARGS of them; nothing where one is
   NULL) and %% by %. */
void message_expand(struct strbuf *out, const char *template, const char *const *args);

/* Appends what FINDING says; in the user's language if TRANSLATED (terminals), else in English
   (machine formats, comments in source). */
void message_add(struct strbuf *out, const struct finding *finding, bool translated);

/* Appends what to do about FINDING; false, and nothing added, where the rule does not say. */
bool message_add_todo(struct strbuf *out, const struct finding *finding, bool translated);

/* Appends what RELATED has to do with its finding. */
void message_add_related(struct strbuf *out, const struct related *related, bool translated);

#endif
