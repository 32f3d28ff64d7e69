#include <config.h>

#include "cli/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/source.h"
#include "base/xalloc.h"

/* ---- commits */

/* The first line that git answers to ARGS, in ARENA, or NULL: after an error in DIAG, or, with *NO,
   where the answer is no. */
static const char *ask_or_no(const char *const *args, struct arena *arena, bool *no,
                             struct diag *diag)
{
    struct strbuf out = STRBUF_INIT, messages = STRBUF_INIT;
    const char *res = NULL;
    int status = process_run(args, NULL, &out, &messages);
    *no = status == 1; /* other troubles are 128 and more; GIT_TRACE may have written something */
    if (status < 0)
        process_complain_git(errno, diag);
    else if (status == 0)
        res = arena_strndup(arena, out.text, strcspn(out.text, "\n"));
    else if (!*no)
        process_pass_on(&messages, diag);
    strbuf_release(&out);
    strbuf_release(&messages);
    return res;
}

const char *history_commit(const char *revision, struct arena *arena, struct diag *diag)
{
    const char *commit = arena_printf(arena, "%s^{commit}", revision);
    const char *const args[] = {"git",  "rev-parse", "--verify", "--quiet", "--end-of-options",
                                commit, NULL};
    bool no;
    const char *res = ask_or_no(args, arena, &no, diag);
    if (no)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                 _("git knows no revision '%s' in this repository"), revision);
    return res;
}

const char *history_base(const char *from, const char *to, struct arena *arena, struct diag *diag)
{
    const char *a = history_commit(from, arena, diag);
    const char *b = a ? history_commit(to, arena, diag) : NULL;
    if (!b)
        return NULL;
    const char *const args[] = {"git", "merge-base", a, b, NULL};
    bool no;
    const char *res = ask_or_no(args, arena, &no, diag);
    if (no)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                 _("'%s' and '%s' have no commit in common; a clone that was cut off (in CI: "
                   "fetch-depth) needs its history"),
                 from, to);
    return res;
}

/* ---- contents */

void blobs_init(struct blobs *blobs)
{
    *blobs = (struct blobs){0};
    pthread_mutex_init(&blobs->lock, NULL);
}

void blobs_release(struct blobs *blobs)
{
    process_drop(&blobs->git);
    strbuf_release(&blobs->answer);
    pthread_mutex_destroy(&blobs->lock);
}

bool blobs_start(struct blobs *blobs, struct diag *diag)
{
    static const char *const args[] = {"git", "cat-file", "--batch", NULL};
    int error = process_start(&blobs->git, args, NULL, true);
    if (error)
        process_complain_git(error, diag);
    return !error;
}

/* Reads more of the answer; false at its end. */
static bool read_more(struct blobs *blobs)
{
    enum { PIECE = 1 << 16 };
    struct strbuf *answer = &blobs->answer;
    strbuf_reserve(answer, PIECE);
    ssize_t n;
    do
        n = read(blobs->git.out, answer->text + answer->len, PIECE);
    while (n < 0 && errno == EINTR);
    answer->len += 0 < n ? (size_t)n : 0;
    return 0 < n;
}

/* The first line of the answer, without its newline, in LINE; false where there is none. */
static bool read_line(struct blobs *blobs, char *line, size_t room)
{
    struct strbuf *answer = &blobs->answer;
    const char *nl;
    while (!(nl = answer->len ? memchr(answer->text, '\n', answer->len) : NULL))
        if (!read_more(blobs))
            return false;
    size_t len = (size_t)(nl - answer->text);
    snprintf(line, room, "%.*s", (int)len, answer->text);
    answer->len -= len + 1;
    memmove(answer->text, nl + 1, answer->len);
    return true;
}

/* Takes LEN bytes of the answer, and the newline behind them. */
static bool read_content(struct blobs *blobs, struct content *content, size_t len)
{
    struct strbuf *answer = &blobs->answer;
    content->text = xmalloc(len + SOURCE_PADDING);
    memset(content->text + len, 0, SOURCE_PADDING);
    content->len = len;
    for (size_t got = 0; got <= len;) {
        size_t piece = len + 1 - got < answer->len ? len + 1 - got : answer->len;
        size_t kept = piece < len - got ? piece : len - got;
        memcpy(content->text + got, answer->text, kept);
        answer->len -= piece;
        memmove(answer->text, answer->text + piece, answer->len);
        got += piece;
        if (got <= len && !read_more(blobs)) {
            free(content->text);
            *content = (struct content){0};
            return false;
        }
    }
    return true;
}

static bool ask(struct blobs *blobs, const char *hash)
{
    char question[80];
    int len = snprintf(question, sizeof question, "%s\n", hash);
    return write(blobs->git.in, question, (size_t)len) == len;
}

static bool read_blob(struct blobs *blobs, const char *hash, const char *name,
                      struct content *content, struct diag *diag)
{
    struct diag_place place = {.file = name};
    char line[200];
    unsigned long long size = 0;
    if (!blobs->git.pid && !blobs_start(blobs, diag))
        return false;
    if (!ask(blobs, hash) || !read_line(blobs, line, sizeof line)) {
        diag_add(diag, DIAG_ERROR, place, _("git does not give its content"));
        return false;
    }
    if (sscanf(line, "%*s blob %llu", &size) != 1) {
        diag_add(diag, DIAG_ERROR, place, _("git does not have its content: %s"), line);
        return false;
    }
    if (SOURCE_MAX < size) {
        diag_add(diag, DIAG_ERROR, place, _("is too large: files of 2 GiB or more are not read"));
        close(blobs->git.out); /* nobody is to wait for the rest of the answer */
        blobs->git.out = -1;
        return false;
    }
    if (read_content(blobs, content, (size_t)size))
        return true;
    diag_add(diag, DIAG_ERROR, place, _("git does not give its content"));
    return false;
}

bool blobs_read(struct blobs *blobs, const char *hash, const char *name, struct content *content,
                struct diag *diag)
{
    *content = (struct content){0};
    pthread_mutex_lock(&blobs->lock);
    bool res = read_blob(blobs, hash, name, content, diag);
    pthread_mutex_unlock(&blobs->lock);
    return res;
}
