/* What a finding is, whatever line and file it stands in, and however that is laid out: its rule,
   the kernel around it, and the tokens of its place. So one can be known again after the file was
   edited elsewhere, formatted, or renamed. The places that are related to it are told one by one.

   The text is one line with tabs between the fields, fit for people and machines: bytes that may
   not be sent to a terminal are \xNN in it, and very long texts are cut, with a hash of all.  */
#ifndef REPORT_FINGERPRINT_H
#define REPORT_FINGERPRINT_H

#include "base/finding.h"
#include "base/strbuf.h"
#include "parser/unit.h"

/* Appends "RULE<TAB>KERNEL<TAB>TEXT" of FINDING in UNIT; KERNEL is "-" outside of one. */
void fingerprint_add(struct strbuf *out, const struct unit *unit, const struct finding *finding);

/* Appends the same for RELATED of FINDING, with another field: what it has to do with it, and the
   text of its place where it lies in the same file. */
void fingerprint_add_related(struct strbuf *out, const struct unit *unit,
                             const struct finding *finding, const struct related *related);

/* A hash of the LEN bytes at TEXT: the same everywhere and for ever (FNV-1a, 64 bits). */
uint64_t fingerprint_hash(const char *text, size_t len);

#endif
