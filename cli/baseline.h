/* A baseline: the findings that were there before, so that only new ones are reported.

   The file has a line for each, sorted, fields with tabs between them, in the form of
   report/fingerprint.h:

       FILE  RULE  COUNT  KERNEL  TEXT  [RELATED]

   A place that is related to a finding has a line of its own, so that a finding is new again when
   another place of the file joins in; those in other files do not count, since which of them are
   seen depends on what else is checked. FILE is relative to the baseline's folder. It is for
   readers, and tells entries that a run did not look for from those that it did not find; what is
   known in one file may move to another.  */
#ifndef CLI_BASELINE_H
#define CLI_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

struct baseline;
struct snapshot;

/* An empty baseline that is, or will be, the file PATH (borrowed). */
struct baseline *baseline_new(const char *path);
void baseline_free(struct baseline *baseline);

/* Reads the file, from SNAPSHOT (or NULL) if that has it. What cannot be read or understood is an
   error in DIAG, with its line, and false. */
bool baseline_read(struct baseline *baseline, struct snapshot *snapshot, struct diag *diag);

/* Says that the file NAME was looked at. */
void baseline_add_file(struct baseline *baseline, const char *name);

/* Adds a finding of that file: KEYS (LEN bytes) are the lines of its fingerprints, its own one
   first. Returns its number. */
size_t baseline_add(struct baseline *baseline, const char *keys, size_t len);

/* Sets the findings that were added against the entries that were read: first those of the same
   file, then the rest. */
void baseline_settle(struct baseline *baseline);

/* Whether finding NUMBER has its entries, all of them; once settled. */
bool baseline_is_known(const struct baseline *baseline, size_t number);

/* Tells, as notes, which entries are left of files that were looked at or are gone; returns how
   many. */
size_t baseline_tell_stale(const struct baseline *baseline, struct diag *diag);

/* Writes the file with the findings that were added; false after an error in DIAG. */
bool baseline_write(const struct baseline *baseline, struct diag *diag);

#endif
