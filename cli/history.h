/* What git keeps: commits by their names, contents by their hashes. git runs in the repository of
   the working directory, or the one that the environment names, as hooks have it.  */
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include <pthread.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/process.h"
#include "cli/read.h"

/* The hash of the commit that REVISION names, in ARENA; NULL after an error in DIAG. */
const char *history_commit(const char *revision, struct arena *arena, struct diag *diag);

/* The hash of the last commit that FROM and TO, revisions, have in common, in ARENA; NULL after an
   error in DIAG. */
const char *history_base(const char *from, const char *to, struct arena *arena, struct diag *diag);

/* Contents, from one `git cat-file --batch` that answers to all questions. */
struct blobs {
    struct process git;
    struct strbuf answer; /* read from it, but not yet used */
    pthread_mutex_t lock; /* of both: one question at a time */
};

/* Makes BLOBS ready; git is started by blobs_start(), or by the first question. */
void blobs_init(struct blobs *blobs);
void blobs_release(struct blobs *blobs);

/* Starts git; false after an error in DIAG. */
bool blobs_start(struct blobs *blobs, struct diag *diag);

/* Reads the blob HASH into *CONTENT, as read_file() does; NAME stands for it in messages. False
   after an error in DIAG; then there is nothing to free. Any thread may ask. */
bool blobs_read(struct blobs *blobs, const char *hash, const char *name, struct content *content,
                struct diag *diag);

#endif
