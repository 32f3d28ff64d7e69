#include <config.h>

#include "cli/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "cli/history.h"
#include "cli/wanted.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

struct lines {
    unsigned first, last;
};

/* A file that was added or changed. */
struct change {
    const char *path;        /* from the top of the work tree */
    const char *name;        /* from the working directory; the key */
    const char *blob;        /* its content, or NULL: the file in the work tree */
    bool file;               /* neither a link nor a submodule */
    bool edited;             /* only LINES were changed; else all of it counts */
    VEC(struct lines) lines; /* in order */
    UT_hash_handle hh;
};

struct changes {
    struct arena arena; /* names and changes */
    VEC(struct change *) list;
    struct change *by_name;
    const char *prefix, *up;    /* the working directory from the top, and the top from there */
    char *top;                  /* absolute */
    VEC(const char *) operands; /* of the command line, from the top */
    struct blobs blobs;
};

/* The revisions that are compared. */
struct comparison_of {
    bool index;        /* the index with HEAD */
    const char *base;  /* else this commit */
    const char *other; /* with that one, or NULL: the work tree */
};

bool changes_are_wanted(const struct options *o)
{
    return o->staged || o->diff_base;
}

/* ---- asking git */

/* Where we are. Names of folders may hold newlines, so each question stands alone. */
static bool find_place(struct changes *c, struct diag *diag)
{
    static const char *const questions[] = {"--show-prefix", "--show-cdup", "--show-toplevel"};
    const char *answers[3];
    for (int i = 0; i < 3; ++i) {
        const char *const args[] = {"git", "rev-parse", questions[i], NULL};
        struct strbuf out = STRBUF_INIT;
        bool res = process_ask_git(args, &out, diag);
        if (res)
            answers[i] = arena_strndup(&c->arena, out.text, out.len ? out.len - 1 : 0);
        strbuf_release(&out);
        if (!res)
            return false;
        /* At the top, which is where hooks run, the rest is known. */
        if (i == 0 && !*answers[0]) {
            answers[1] = "";
            answers[2] = NULL;
            break;
        }
    }
    c->prefix = answers[0];
    c->up = answers[1];
    c->top = answers[2] ? xstrdup(answers[2]) : getcwd(NULL, 0);
    return true;
}

/* The value of the environment's NAME, or NULL where that is empty. */
static const char *environment(const char *name)
{
    const char *res = getenv(name);
    return res && *res ? res : NULL;
}

static bool is_pre_commit(void)
{
    return environment("PRE_COMMIT");
}

/* What the options, and pre-commit, want compared; false after an error in DIAG. */
static bool find_revisions(struct changes *c, const struct options *o, struct comparison_of *res,
                           struct diag *diag)
{
    const char *from = o->diff_base, *to = NULL;
    *res = (struct comparison_of){0};
    if (o->staged && is_pre_commit()) {
        from = environment("PRE_COMMIT_FROM_REF");
        to = from ? environment("PRE_COMMIT_TO_REF") : NULL;
    }
    if (!from) {
        res->index = true;
        return true;
    }
    res->base = history_base(from, to ? to : "HEAD", &c->arena, diag);
    if (res->base && to)
        res->other = history_commit(to, &c->arena, diag);
    return res->base && (!to || res->other);
}

/* Runs git diff over REVISIONS in the form that FORM and FILTER ask for. Of the user's settings
   none counts. */
static bool ask_diff(const struct comparison_of *revisions, const char *const form[2],
                     const char *filter, struct strbuf *out, struct diag *diag)
{
    const char *args[24] = {
        "git",           "--no-optional-locks",     "diff",        "--no-color",   "--no-ext-diff",
        "--no-textconv", "--no-relative",           "--no-abbrev", "--full-index", "-M",
        "-O/dev/null",   "--ignore-submodules=all", form[0],       form[1],        filter};
    size_t count = 15;
    if (revisions->index)
        args[count++] = "--cached";
    else
        args[count++] = revisions->base;
    if (revisions->other)
        args[count++] = revisions->other;
    args[count] = "--";
    return process_ask_git(args, out, diag);
}

/* ---- which files */

/* NAME without `.`, and `..` taken back; from the top of the work tree. NULL where it leads out. */
static const char *from_top(struct changes *c, const char *name)
{
    struct strbuf path = STRBUF_INIT;
    size_t top = strlen(c->top);
    if (*name == '/') { /* git's own path of the top is without links */
        char *real = realpath(name, NULL);
        name = real ? arena_strndup(&c->arena, real, strlen(real)) : name;
        free(real);
        if (strncmp(name, c->top, top) != 0 || (name[top] && name[top] != '/'))
            return NULL;
        name += top;
    } else {
        strbuf_adds(&path, c->prefix);
    }
    const char *res = NULL;
    for (;; name += strcspn(name, "/")) {
        name += strspn(name, "/");
        size_t len = strcspn(name, "/");
        while (path.len && path.text[path.len - 1] == '/')
            path.text[--path.len] = '\0';
        if (!len) {
            res = arena_strndup(&c->arena, path.text ? path.text : "", path.len);
            break;
        }
        if (len == 1 && *name == '.')
            continue;
        if (len == 2 && !memcmp(name, "..", 2)) {
            if (!path.len)
                break;
            char *slash = strrchr(path.text, '/');
            path.len = slash ? (size_t)(slash - path.text) : 0;
            path.text[path.len] = '\0';
            continue;
        }
        if (path.len)
            strbuf_addc(&path, '/');
        strbuf_add(&path, name, len);
    }
    strbuf_release(&path);
    return res;
}

/* PATH, from the top of the work tree, as it is called from the working directory. */
static const char *from_here(struct changes *c, const char *path)
{
    size_t prefix = strlen(c->prefix);
    if (!strncmp(path, c->prefix, prefix))
        return path + prefix;
    return arena_printf(&c->arena, "%s%s", c->up, path);
}

static struct change *add_change(struct changes *c, const char *path)
{
    struct change *res = arena_zalloc(&c->arena, 1, sizeof *res);
    res->path = path;
    res->name = from_here(c, path);
    *vec_push(&c->list) = res;
    HASH_ADD_KEYPTR(hh, c->by_name, res->name, strlen(res->name), res);
    return res;
}

/* The next field of *AT, which ends with a NUL before END; NULL where there is none. */
static const char *next_field(const char **at, const char *end)
{
    const char *res = *at;
    if (end <= res)
        return NULL;
    *at = res + strlen(res) + 1;
    return res;
}

/* Takes the entries of git's raw form, ":MODE MODE BLOB BLOB STATUS" and one or two paths. */
static bool take_raw(struct changes *c, const struct strbuf *raw, const struct comparison_of *r,
                     struct diag *diag)
{
    const char *at = raw->text, *end = raw->text ? at + raw->len : at;
    for (const char *entry; (entry = next_field(&at, end));) {
        char mode[7], blob[65], status = 0;
        const char *path = next_field(&at, end);
        if (sscanf(entry, ":%*6s %6s %*64s %64s %c", mode, blob, &status) == 3 &&
            (status == 'R' || status == 'C'))
            path = next_field(&at, end);
        if (!status || !path) {
            diag_add(diag, DIAG_ERROR, (struct diag_place){0}, _("git's answer is not understood"));
            return false;
        }
        struct change *change = add_change(c, arena_strndup(&c->arena, path, strlen(path)));
        if (r->index || r->other)
            change->blob = arena_strndup(&c->arena, blob, strlen(blob));
        change->file = !strncmp(mode, "100", 3);
        /* What was a link or a submodule before is new. */
        change->edited = status != 'A' && status != 'T';
    }
    return true;
}

/* ---- which lines */

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* "@@ -FIRST[,COUNT] +FIRST[,COUNT] @@": whether lines came, and which. */
static bool read_hunk(const char *line, struct lines *come)
{
    const char *plus = strchr(line, '+');
    char *at;
    if (!begins(line, "@@ -") || !plus)
        return false;
    unsigned long first = strtoul(plus + 1, &at, 10), count = 1;
    if (*at == ',')
        count = strtoul(at + 1, &at, 10);
    *come = (struct lines){(unsigned)first, (unsigned)(first + count - 1)};
    return count;
}

/* The next of the changes from *I on that a patch speaks of; NULL where there is none. */
static struct change *next_edited(struct changes *c, size_t *i)
{
    while (*i < c->list.count && !c->list.items[*i]->edited)
        ++*i;
    return *i < c->list.count ? c->list.items[(*i)++] : NULL;
}

/* Takes one LINE of the patches. They come in the order of the entries, and without context every
   line of a file's text has one of + - \ before it, so no text is taken for what git says. */
static bool take_line(struct changes *c, const char *line, struct change **change, size_t *next)
{
    struct lines come;
    if (begins(line, "diff --git ")) {
        *change = next_edited(c, next);
        return *change != NULL;
    }
    if (begins(line, "Binary files ") && *change)
        (*change)->edited = false; /* nobody says which lines: all of it counts */
    else if (read_hunk(line, &come) && *change)
        *vec_push(&(*change)->lines) = come;
    return true;
}

static bool take_patches(struct changes *c, const struct strbuf *text, struct diag *diag)
{
    struct change *change = NULL;
    size_t next = 0;
    bool good = true;
    const char *end = text->text ? text->text + text->len : NULL;
    for (const char *at = text->text; good && at && at < end;) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        good = take_line(c, at, &change, &next);
        at = nl ? nl + 1 : end;
    }
    good = good && !next_edited(c, &next);
    if (!good)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                 _("what git compares changed meanwhile; try again"));
    return good;
}

/* Finds the lines of the files that were only edited, with one more question if there are any. */
static bool find_lines(struct changes *c, const struct comparison_of *revisions, struct diag *diag)
{
    static const char *const form[] = {"-p", "-U0"};
    size_t i = 0;
    if (!next_edited(c, &i))
        return true;
    struct strbuf text = STRBUF_INIT;
    bool res =
        ask_diff(revisions, form, "--diff-filter=CMR", &text, diag) && take_patches(c, &text, diag);
    strbuf_release(&text);
    return res;
}

static bool find_files(struct changes *c, const struct comparison_of *revisions, struct diag *diag)
{
    static const char *const form[] = {"--raw", "-z"};
    struct strbuf raw = STRBUF_INIT;
    bool res = ask_diff(revisions, form, "--diff-filter=ACMRT", &raw, diag) &&
               take_raw(c, &raw, revisions, diag);
    strbuf_release(&raw);
    return res;
}

/* ---- the inputs */

/* Whether PATH is NAME, or lies below it. */
static bool is_at(const char *path, const char *name)
{
    size_t len = strlen(name);
    return !len || (!strncmp(path, name, len) && (!path[len] || path[len] == '/'));
}

/* The files and folders of the command line, from the top; false after an error in DIAG. */
static bool find_operands(struct changes *c, const struct options *o, struct diag *diag)
{
    for (size_t i = 0; i < o->operands.count; ++i) {
        const char *name = o->operands.items[i];
        const char *path = from_top(c, name);
        if (!path) {
            diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name},
                     _("does not lie in this work tree"));
            return false;
        }
        *vec_push(&c->operands) = path;
    }
    return true;
}

/* Whether the command line wants CHANGE. */
static bool is_wanted(const struct changes *c, const struct change *change)
{
    if (!change->file || wanted_kind(change->path) == FILE_OTHER)
        return false;
    for (size_t i = 0; i < c->operands.count; ++i)
        if (is_at(change->path, c->operands.items[i]))
            return true;
    return !c->operands.count;
}

/* Whether pre-commit names a file of which nothing is staged: it was told which files to check. */
static bool names_unstaged(struct changes *c)
{
    for (size_t i = 0; i < c->operands.count; ++i) {
        struct change *change;
        const char *name = from_here(c, c->operands.items[i]);
        HASH_FIND_STR(c->by_name, name, change);
        if (!change && wanted_kind(name) != FILE_OTHER)
            return true;
    }
    return false;
}

static void add_inputs(struct changes *c, struct inputs *inputs)
{
    for (size_t i = 0; i < c->list.count; ++i) {
        struct change *change = c->list.items[i];
        if (is_wanted(c, change))
            *vec_push(&inputs->list) = (struct input){.name = change->name,
                                                      .path = change->name,
                                                      .place = change->name,
                                                      .found = true,
                                                      .change = change};
    }
}

struct changes *changes_collect(const struct options *o, struct inputs *inputs, bool *whole,
                                struct diag *diag)
{
    struct changes *res = xcalloc(1, sizeof *res);
    struct comparison_of revisions;
    blobs_init(&res->blobs);
    unsetenv("GIT_DIFF_OPTS"); /* it would override our -U0 */
    bool good = find_place(res, diag) && find_operands(res, o, diag) &&
                find_revisions(res, o, &revisions, diag) && find_files(res, &revisions, diag);
    *inputs = (struct inputs){0};
    *whole = good && revisions.index && is_pre_commit() && names_unstaged(res);
    if (good && !*whole) {
        add_inputs(res, inputs);
        good = !inputs->list.count ||
               (find_lines(res, &revisions, diag) &&
                (!(revisions.index || revisions.other) || blobs_start(&res->blobs, diag)));
    }
    if (good)
        return res;
    changes_free(res);
    return NULL;
}

void changes_free(struct changes *c)
{
    blobs_release(&c->blobs);
    HASH_CLEAR(hh, c->by_name);
    for (size_t i = 0; i < c->list.count; ++i)
        vec_release(&c->list.items[i]->lines);
    vec_release(&c->list);
    vec_release(&c->operands);
    free(c->top);
    arena_release(&c->arena);
    free(c);
}

/* ---- reading */

bool changes_read(struct changes *c, const struct change *change, struct content *content,
                  struct diag *diag)
{
    if (!change->blob)
        return read_file(change->name, change->name, content, diag);
    return blobs_read(&c->blobs, change->blob, change->name, content, diag);
}

/* ---- asking about lines */

static bool has_line(const struct change *change, unsigned first, unsigned last)
{
    if (!change->edited)
        return true;
    size_t low;
    vec_search(low, change->lines.count, change->lines.items[low].last < first);
    return low < change->lines.count && change->lines.items[low].first <= last;
}

static bool has_span(const struct change *change, struct source *source, struct span span)
{
    if (!change->edited)
        return true;
    size_t last = span.begin < span.end ? span.end - 1 : span.begin;
    return has_line(change, source_location(source, span.begin).line,
                    source_location(source, last).line);
}

/* The change of the file called NAME, or NULL. */
static const struct change *find_change(const struct changes *c, const char *name)
{
    struct change *res;
    while (begins(name, "./"))
        name += 2;
    HASH_FIND_STR(c->by_name, name, res);
    return res;
}

bool changes_touch(const struct changes *c, const struct change *change, struct source *source,
                   const struct finding *finding)
{
    if (has_span(change, source, finding->span))
        return true;
    for (const struct related *r = finding->related; r; r = r->next) {
        const struct change *other = r->file ? find_change(c, r->file) : change;
        if (r->file ? other && has_line(other, r->begin.line, r->end.line)
                    : has_span(change, source, r->span))
            return true;
    }
    return false;
}
