/* The page of a rule: what `hipwright explain` shows, and machine formats have as its help.  */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/rule.h"
#include "base/strbuf.h"

/* Appends the page of ID, whose file lies in FOLDER (data_find_pages()); false after an error in
   DIAG. */
bool page_add(struct strbuf *out, const char *folder, enum rule_id id, struct diag *diag);

#endif
