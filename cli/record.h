/* What was written below a folder, so that nobody's work there is lost: the file .hipwright.record.

   Line by line, sorted by output, with tabs between:

       SHA-256 OF THE OUTPUT  SHA-256 OF THE INPUT  VERSION/OPTIONS  OUTPUT  INPUT

   as they were when the output was written; paths from the folder on, bytes that are no plain text
   as \xNN. An output that has another content than the record says was edited by somebody.

   While a run writes, it notes what it is about to write in .hipwright.journal, which goes when the
   record is replaced: of a run that was killed, the next one knows what is its own.  */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/sha256.h"

struct record;

struct record_entry {
    char output[SHA256_HEX + 1];
    char input[SHA256_HEX + 1];
    const char *how;    /* VERSION/OPTIONS */
    const char *path;   /* of the output */
    const char *source; /* of the input */
};

/* Reads the record of FOLDER, which need not be there. NULL after an error in DIAG, with file and
   line where the record is damaged. */
struct record *record_open(const char *folder, struct diag *diag);
void record_free(struct record *record);

/* The entry of the output PATH, or NULL. */
const struct record_entry *record_find(const struct record *record, const char *path);

/* Whether the file FILE, the output PATH, has the content that the record or the journal says it
   was given; or what a failure of power may leave of the LEN bytes at TEXT, which it is to get now:
   then nobody's work is in it. */
bool record_is_ours(const struct record *record, const char *path, const char *file,
                    const char *text, size_t len);

/* Notes that the output of ENTRY is about to be written; false after an error in DIAG. */
bool record_announce(struct record *record, const struct record_entry *entry, struct diag *diag);

/* Puts ENTRY (copied) into the record. */
void record_set(struct record *record, const struct record_entry *entry);

/* Says what outputs there are whose inputs are gone, and forgets what is gone itself. Those whose
   paths were set since record_open() are not looked at. How many were said. */
size_t record_tell_gone(struct record *record, struct diag *diag);

/* Writes the record if it changed, and removes the journal; false after an error in DIAG. */
bool record_save(struct record *record, struct diag *diag);

/* The path of the file TO from the folder FROM on, both absolute and without links; the caller
   frees it. NULL where one of them is. */
char *record_relative(const char *from, const char *to);

#endif
