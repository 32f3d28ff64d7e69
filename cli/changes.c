#include <config.h>

#include "cli/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "cli/history.h"
#include "cli/process.h"
#include "cli/users.h"
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
    bool named;              /* the command line wants it, or what it causes elsewhere */
    bool file;               /* neither a link nor a submodule */
    bool edited;             /* only LINES were changed; else all of it counts */
    VEC(struct lines) lines; /* in order */
    struct strbuf added;     /* their text, if only they were changed */
    UT_hash_handle hh;
};

struct changes {
    struct arena arena; /* names and changes */
    VEC(struct change *) list;
    struct change *by_name;
    VEC(const char *) operands; /* of the command line, from the top */
    const char *base;           /* the commit that is compared with; NULL: HEAD with the index */
    struct snapshot *snapshot;  /* what is compared */
    bool whole;                 /* nothing is: see changes_are_whole() */
    struct process patches;     /* questions that git answers meanwhile, unless they are 0 */
    struct snapshot_hunt *includes;
};

bool changes_are_wanted(const struct options *o)
{
    return o->staged || o->diff_base;
}

/* ---- asking git */

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

/* What is compared with the base. */
struct compared {
    enum snapshot_of of;
    const char *commit; /* or NULL */
};

/* What the options, and pre-commit, want compared; false after an error in DIAG. */
static bool find_revisions(struct changes *c, const struct options *o, struct compared *compared,
                           struct diag *diag)
{
    const char *from = o->diff_base, *to = NULL;
    compared->of = from ? SNAPSHOT_WORK_TREE : SNAPSHOT_INDEX;
    if (o->staged && is_pre_commit() && environment("PRE_COMMIT_FROM_REF")) {
        from = environment("PRE_COMMIT_FROM_REF");
        to = environment("PRE_COMMIT_TO_REF");
        compared->of = to ? SNAPSHOT_COMMIT : SNAPSHOT_WORK_TREE;
    }
    if (from)
        c->base = history_base(from, to ? to : "HEAD", &c->arena, diag);
    if (to && c->base)
        compared->commit = history_commit(to, &c->arena, diag);
    return !(from && !c->base) && !(to && !compared->commit);
}

/* Starts git diff in the form that FORM and FILTER ask for; COMMIT, or NULL, is what is compared.
   Of the user's settings none counts. */
static void ask_diff(const struct changes *c, const char *commit, const char *const form[2],
                     const char *filter, struct process *git)
{
    const char *args[24] = {"git",
                            "-c",
                            "core.fsmonitor=false",
                            "--no-optional-locks",
                            "diff",
                            "--no-color",
                            "--no-ext-diff",
                            "--no-textconv",
                            "--no-relative",
                            "--no-abbrev",
                            "--full-index",
                            "-M",
                            "-O/dev/null",
                            "--ignore-submodules=all",
                            form[0],
                            form[1],
                            filter};
    size_t count = 17;
    args[count++] = c->base ? c->base : "--cached";
    if (commit)
        args[count++] = commit;
    args[count] = "--";
    process_start(git, args, NULL, false);
}

/* ---- which files */

static struct change *add_change(struct changes *c, const char *path)
{
    struct change *res = arena_zalloc(&c->arena, 1, sizeof *res);
    res->path = path;
    res->name = snapshot_name(c->snapshot, path, &c->arena);
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
static bool take_raw(struct changes *c, const struct strbuf *raw, struct diag *diag)
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
        if (snapshot_kind(c->snapshot) != SNAPSHOT_WORK_TREE)
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
static bool take_line(struct changes *c, const char *line, size_t len, struct change **change,
                      size_t *next)
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
    else if (*line == '+' && *change && (*change)->lines.count) /* not git's "+++ NAME" */
        strbuf_add(&(*change)->added, line + 1, len - 1);
    return true;
}

static bool take_patches(struct changes *c, const struct strbuf *text, struct diag *diag)
{
    struct change *change = NULL;
    size_t next = 0;
    bool good = true;
    const char *at = text->text ? text->text : "", *end = at + text->len;
    while (good && at < end) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        const char *behind = nl ? nl + 1 : end;
        good = take_line(c, at, (size_t)(behind - at), &change, &next);
        at = behind;
    }
    good = good && !next_edited(c, &next);
    if (!good)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                 _("what git compares changed meanwhile; try again"));
    return good;
}

/* Asks for the lines of the files that were only edited, if there are any. */
static void ask_lines(struct changes *c)
{
    static const char *const form[] = {"-p", "-U0"};
    size_t i = 0;
    if (next_edited(c, &i))
        ask_diff(c, snapshot_commit(c->snapshot), form, "--diff-filter=CMR", &c->patches);
}

/* Takes the answer; false after an error in DIAG. */
static bool find_lines(struct changes *c, struct diag *diag)
{
    struct strbuf text = STRBUF_INIT;
    size_t i = 0;
    bool res = !next_edited(c, &i) || (process_answer_git(&c->patches, "diff", &text, diag) &&
                                       take_patches(c, &text, diag));
    strbuf_release(&text);
    return res;
}

/* Finds where we are and, at the same time, which files were changed. */
static bool find_files(struct changes *c, const struct compared *compared, struct diag *diag)
{
    static const char *const form[] = {"--raw", "-z"};
    struct strbuf raw = STRBUF_INIT;
    struct process git;
    ask_diff(c, compared->commit, form, "--diff-filter=ACMRT", &git);
    c->snapshot = snapshot_new(compared->of, compared->commit, diag);
    bool res =
        c->snapshot && process_answer_git(&git, "diff", &raw, diag) && take_raw(c, &raw, diag);
    process_drop(&git);
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
        const char *path = snapshot_path(c->snapshot, name, &c->arena);
        if (!path) {
            diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name},
                     _("does not lie in this work tree"));
            return false;
        }
        *vec_push(&c->operands) = path;
    }
    return true;
}

/* Whether the command line names CHANGE, or names nothing. */
static bool is_named(const struct changes *c, const struct change *change)
{
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
        const char *name = snapshot_name(c->snapshot, c->operands.items[i], &c->arena);
        HASH_FIND_STR(c->by_name, name, change);
        if (!change && wanted_kind(name) != FILE_OTHER)
            return true;
    }
    return false;
}

/* Adds the sources that the changed files may concern, as changes of no line. */
static bool add_users(struct changes *c, struct diag *diag)
{
    struct changed_files changed = {0};
    struct paths users = {0};
    for (size_t i = 0; i < c->list.count; ++i) {
        const struct change *change = c->list.items[i];
        if (change->file && change->named)
            *vec_push(&changed.list) =
                (struct changed_file){.path = change->path,
                                      .added = !change->edited     ? NULL
                                               : change->added.len ? change->added.text
                                                                   : "",
                                      .len = change->added.len};
    }
    bool res = true;
    if (changed.list.count) {
        res = users_find(c->snapshot, c->includes, &changed, &users, &c->arena, diag);
        c->includes = NULL; /* users_find() freed it */
    }
    vec_each (const char *const, path, &users.list) {
        const struct snapshot_file *file = snapshot_at(c->snapshot, *path);
        struct change *known;
        HASH_FIND_STR(c->by_name, snapshot_name(c->snapshot, *path, &c->arena), known);
        if (!file || known)
            continue;
        struct change *change = add_change(c, file->path);
        change->blob = file->blob;
        change->file = change->named = change->edited = true;
    }
    vec_release(&changed.list);
    vec_release(&users.list);
    return res;
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = *(struct change *const *)a, *y = *(struct change *const *)b;
    return strcmp(x->path, y->path);
}

static void add_inputs(struct changes *c, struct inputs *inputs)
{
    if (c->list.count)
        qsort(c->list.items, c->list.count, sizeof *c->list.items, compare_changes);
    for (size_t i = 0; i < c->list.count; ++i) {
        struct change *change = c->list.items[i];
        if (change->file && change->named && wanted_kind(change->path) != FILE_OTHER)
            *vec_push(&inputs->list) = (struct input){.name = change->name,
                                                      .path = change->name,
                                                      .place = change->name,
                                                      .found = true,
                                                      .blob = change->blob,
                                                      .change = change};
    }
}

static bool has_files(const struct changes *c)
{
    for (size_t i = 0; i < c->list.count; ++i)
        if (c->list.items[i]->file)
            return true;
    return false;
}

/* Asks what will be needed: several git answer at once. */
static void ask_more(struct changes *c)
{
    snapshot_ask_list(c->snapshot);
    ask_lines(c);
    c->includes = users_start(c->snapshot);
}

struct changes *changes_new(const struct options *o, struct diag *diag)
{
    struct changes *res = xcalloc(1, sizeof *res);
    struct compared compared = {0};
    unsetenv("GIT_DIFF_OPTS"); /* it would override our -U0 */
    if (!find_revisions(res, o, &compared, diag) || !find_files(res, &compared, diag) ||
        !find_operands(res, o, diag)) {
        changes_free(res);
        return NULL;
    }
    res->whole = !res->base && is_pre_commit() && names_unstaged(res);
    if (!res->whole && has_files(res))
        ask_more(res);
    return res;
}

bool changes_are_whole(const struct changes *c)
{
    return c->whole;
}

struct snapshot *changes_snapshot(const struct changes *c)
{
    bool disk = c->whole || snapshot_kind(c->snapshot) == SNAPSHOT_WORK_TREE;
    return disk ? NULL : c->snapshot;
}

bool changes_collect(struct changes *c, struct inputs *inputs, struct diag *diag)
{
    bool any = false;
    *inputs = (struct inputs){0};
    for (size_t i = 0; i < c->list.count; ++i) {
        struct change *change = c->list.items[i];
        change->named = is_named(c, change);
        any |= change->named && change->file;
    }
    if (any && !(find_lines(c, diag) && add_users(c, diag)))
        return false;
    add_inputs(c, inputs);
    return !inputs->list.count || snapshot_start(c->snapshot, diag);
}

static void free_lines(struct change *change)
{
    vec_release(&change->lines);
    strbuf_release(&change->added);
}

void changes_free(struct changes *c)
{
    if (!c)
        return;
    process_drop(&c->patches);
    snapshot_grep_drop(c->includes);
    HASH_CLEAR(hh, c->by_name);
    for (size_t i = 0; i < c->list.count; ++i)
        free_lines(c->list.items[i]);
    vec_release(&c->list);
    vec_release(&c->operands);
    snapshot_free(c->snapshot);
    arena_release(&c->arena);
    free(c);
}

/* ---- asking about lines */

bool change_is_real(const struct change *change)
{
    return !change->edited || change->lines.count;
}

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
    struct arena arena = ARENA_INIT;
    struct change *res;
    HASH_FIND_STR(c->by_name, name, res);
    const char *path = res ? NULL : snapshot_path(c->snapshot, name, &arena);
    if (path)
        HASH_FIND_STR(c->by_name, snapshot_name(c->snapshot, path, &arena), res);
    arena_release(&arena);
    return res;
}

bool changes_touch(const struct changes *c, const struct change *change, struct source *source,
                   struct finding *finding)
{
    bool res = false;
    if (has_span(change, source, finding->span))
        return true;
    for (const struct related *r = finding->related; r; r = r->next) {
        const struct change *other = r->file ? find_change(c, r->file) : change;
        if (r->file ? other && has_line(other, r->begin.line, r->end.line)
                    : has_span(change, source, r->span))
            return true;
    }
    for (const struct related *ground = finding->grounds; ground; ground = ground->next)
        if (has_span(change, source, ground->span)) {
            finding_tell_ground(finding, ground);
            res = true;
        }
    return res;
}
