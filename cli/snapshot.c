#include <config.h>

#include "cli/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "cli/process.h"
#include "cli/wanted.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

struct listed {
    struct snapshot_file file;
    bool differs; /* the file in the work tree, if there is one, from that in the index */
    UT_hash_handle hh;
};

struct snapshot {
    struct arena arena;
    enum snapshot_of of;
    const char *commit; /* or NULL */
    const char *prefix, *up, *top;
    struct listed *files; /* by path */
    VEC(const char *) links;
    VEC(const char *) differing; /* sources that differ */
    bool listed, compared;
    struct process list, comparison; /* questions that are asked */
    struct blobs blobs;
};

typedef VEC(const char *) arguments;

/* Begins ARGS. A repository that comes with a tree could name a program as its file system's
   monitor. */
static void begin_git(arguments *args)
{
    *vec_push(args) = "git";
    *vec_push(args) = "-c";
    *vec_push(args) = "core.fsmonitor=false";
}

static void add_all(arguments *args, const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        *vec_push(args) = items[i];
}

/* Starts git with ARGS, which are freed. */
static void start_git(struct process *git, arguments *args)
{
    *vec_push(args) = NULL;
    process_start(git, args->items, NULL, false);
    vec_release(args);
}

/* ---- where we are */

/* Names of folders may hold newlines, so each question stands alone. */
static bool find_place(struct snapshot *s, struct diag *diag)
{
    static const char *const questions[] = {"--show-prefix", "--show-cdup", "--show-toplevel"};
    const char *answers[3];
    for (int i = 0; i < 3; ++i) {
        const char *const args[] = {"git", "rev-parse", questions[i], NULL};
        struct strbuf out = STRBUF_INIT;
        bool res = process_ask_git(args, &out, diag);
        if (res)
            answers[i] = arena_strndup(&s->arena, out.text, out.len ? out.len - 1 : 0);
        strbuf_release(&out);
        if (!res)
            return false;
        /* At the top, which is where hooks run, the rest is known. */
        if (i == 0 && !*answers[0]) {
            char *here = getcwd(NULL, 0);
            answers[1] = "";
            answers[2] = arena_strndup(&s->arena, here ? here : "/", strlen(here ? here : "/"));
            free(here);
            break;
        }
    }
    s->prefix = answers[0];
    s->up = answers[1];
    s->top = answers[2];
    return true;
}

struct snapshot *snapshot_new(enum snapshot_of of, const char *commit, struct diag *diag)
{
    /* They would give our pathspecs another meaning. */
    static const char *const meanings[] = {"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS",
                                           "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"};
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; ++i)
        unsetenv(meanings[i]);
    struct snapshot *res = xcalloc(1, sizeof *res);
    res->of = of;
    res->commit = commit ? arena_strndup(&res->arena, commit, strlen(commit)) : NULL;
    blobs_init(&res->blobs);
    if (find_place(res, diag))
        return res;
    snapshot_free(res);
    return NULL;
}

void snapshot_free(struct snapshot *s)
{
    if (!s)
        return;
    process_drop(&s->list);
    process_drop(&s->comparison);
    HASH_CLEAR(hh, s->files);
    vec_release(&s->links);
    vec_release(&s->differing);
    blobs_release(&s->blobs);
    arena_release(&s->arena);
    free(s);
}

enum snapshot_of snapshot_kind(const struct snapshot *s)
{
    return s->of;
}

const char *snapshot_commit(const struct snapshot *s)
{
    return s->commit;
}

const char *snapshot_top(const struct snapshot *s)
{
    return s->top;
}

const char *snapshot_up(const struct snapshot *s)
{
    return s->up;
}

const char *snapshot_prefix(const struct snapshot *s)
{
    return s->prefix;
}

/* ---- names and paths */

/* Appends the parts of NAME to PATH; false where they lead out. */
static bool add_parts(struct strbuf *path, const char *name)
{
    for (;; name += strcspn(name, "/")) {
        name += strspn(name, "/");
        size_t len = strcspn(name, "/");
        while (path->len && path->text[path->len - 1] == '/')
            path->text[--path->len] = '\0';
        if (!len)
            return true;
        if (len == 1 && *name == '.')
            continue;
        if (len == 2 && !memcmp(name, "..", 2)) {
            if (!path->len)
                return false;
            char *slash = strrchr(path->text, '/');
            path->len = slash ? (size_t)(slash - path->text) : 0;
            path->text[path->len] = '\0';
            continue;
        }
        if (path->len)
            strbuf_addc(path, '/');
        strbuf_add(path, name, len);
    }
}

/* NAME, an absolute path without links, from the top; NULL where it lies elsewhere. */
static const char *below_top(const struct snapshot *s, const char *name)
{
    size_t top = strlen(s->top);
    if (top == 1)
        return name;
    return !strncmp(name, s->top, top) && (!name[top] || name[top] == '/') ? name + top : NULL;
}

const char *snapshot_path(const struct snapshot *s, const char *name, struct arena *arena)
{
    struct strbuf path = STRBUF_INIT;
    char *real = NULL;
    const char *res = NULL;
    if (*name == '/') { /* git's own path of the top is without links */
        real = realpath(name, NULL);
        name = below_top(s, real ? real : name);
    } else {
        strbuf_adds(&path, s->prefix);
    }
    if (name && add_parts(&path, name))
        res = arena_strndup(arena, path.text ? path.text : "", path.len);
    strbuf_release(&path);
    free(real);
    return res;
}

const char *snapshot_name(const struct snapshot *s, const char *path, struct arena *arena)
{
    size_t prefix = strlen(s->prefix);
    if (!strncmp(path, s->prefix, prefix))
        return path + prefix;
    return arena_printf(arena, "%s%s", s->up, path);
}

/* ---- the list */

static struct listed *add_listed(struct snapshot *s, const char *path, const char *blob,
                                 size_t blob_len)
{
    struct listed *file = arena_zalloc(&s->arena, 1, sizeof *file);
    file->file.path = arena_strndup(&s->arena, path, strlen(path));
    if (s->of != SNAPSHOT_WORK_TREE)
        file->file.blob = arena_strndup(&s->arena, blob, blob_len);
    HASH_ADD_KEYPTR(hh, s->files, file->file.path, strlen(path), file);
    return file;
}

/* The file of the index is not the one that the work tree has. */
static void add_differing(struct snapshot *s, struct listed *file)
{
    if (file->differs || wanted_kind(file->file.path) == FILE_OTHER)
        return;
    file->differs = true;
    *vec_push(&s->differing) = file->file.path;
}

/* Takes "TAG MODE HASH STAGE<TAB>PATH", as ls-files says it, or "MODE TYPE HASH<TAB>PATH", as
   ls-tree does. What is in conflict is nothing yet. */
static void take_listed(struct snapshot *s, const char *entry)
{
    bool tree = s->of == SNAPSHOT_COMMIT, absent = !tree && *entry == 'S';
    if (!tree && entry[0] && entry[1])
        entry += 2;
    const char *tab = strchr(entry, '\t'), *second = strchr(entry, ' ');
    const char *third = second ? strchr(second + 1, ' ') : NULL;
    if (!tab || !third || tab < third)
        return;
    if (!strncmp(entry, "120", 3))
        *vec_push(&s->links) = arena_strndup(&s->arena, tab + 1, strlen(tab + 1));
    if (strncmp(entry, "100", 3) != 0)
        return;
    if (!tree && third[1] != '0')
        return;
    const char *hash = tree ? third + 1 : second + 1;
    struct listed *file = add_listed(s, tab + 1, hash, (size_t)((tree ? tab : third) - hash));
    if (absent)
        add_differing(s, file);
}

void snapshot_ask_list(struct snapshot *s)
{
    static const char *const index[] = {"ls-files", "-t", "-s", "-z", "--full-name", ":/"};
    const char *const tree[] = {"ls-tree", "-r", "-z", "--full-tree", s->commit};
    arguments args = {0};
    if (s->listed || s->list.pid)
        return;
    begin_git(&args);
    if (s->of == SNAPSHOT_COMMIT)
        add_all(&args, tree, sizeof tree / sizeof *tree);
    else
        add_all(&args, index, sizeof index / sizeof *index);
    start_git(&s->list, &args);
}

bool snapshot_list(struct snapshot *s, struct diag *diag)
{
    struct strbuf out = STRBUF_INIT;
    if (s->listed)
        return true;
    snapshot_ask_list(s);
    bool res =
        process_answer_git(&s->list, s->of == SNAPSHOT_COMMIT ? "ls-tree" : "ls-files", &out, diag);
    for (const char *at = out.text, *end = res && at ? at + out.len : at; at < end;
         at += strlen(at) + 1)
        take_listed(s, at);
    strbuf_release(&out);
    s->listed = res;
    return res;
}

bool snapshot_has_folder(const struct snapshot *s, const char *name)
{
    struct arena arena = ARENA_INIT;
    const char *path = snapshot_path(s, name, &arena);
    size_t len = path ? strlen(path) : 0;
    bool res = false;
    for (const struct listed *file = path ? s->files : NULL; file && !res; file = file->hh.next)
        res = !len || (!strncmp(file->file.path, path, len) && file->file.path[len] == '/');
    arena_release(&arena);
    return res;
}

const char *const *snapshot_links(const struct snapshot *s, size_t *count)
{
    *count = s->links.count;
    return s->links.items;
}

const struct snapshot_file *snapshot_at(const struct snapshot *s, const char *path)
{
    struct listed *file;
    HASH_FIND_STR(s->files, path, file);
    return file ? &file->file : NULL;
}

const struct snapshot_file *snapshot_find(const struct snapshot *s, const char *name)
{
    struct arena arena = ARENA_INIT;
    const char *path = snapshot_path(s, name, &arena);
    const struct snapshot_file *res = path ? snapshot_at(s, path) : NULL;
    char *real = res ? NULL : realpath(name, NULL);
    path = real ? snapshot_path(s, real, &arena) : NULL;
    if (path)
        res = snapshot_at(s, path);
    free(real);
    arena_release(&arena);
    return res;
}

/* ---- contents */

bool snapshot_start(struct snapshot *s, struct diag *diag)
{
    return s->of == SNAPSHOT_WORK_TREE || s->blobs.git.pid || blobs_start(&s->blobs, diag);
}

bool snapshot_read(struct snapshot *s, const char *hash, const char *name, struct content *content,
                   struct diag *diag)
{
    return blobs_read(&s->blobs, hash, name, content, diag);
}

bool snapshot_read_name(struct snapshot *s, const char *name, struct content *content,
                        struct diag *diag)
{
    const struct snapshot_file *file = NULL;
    if (s && s->of != SNAPSHOT_WORK_TREE) {
        if (!snapshot_list(s, diag))
            return false;
        file = snapshot_find(s, name);
    }
    return file ? snapshot_read(s, file->blob, name, content, diag)
                : read_file(name, name, content, diag);
}

/* ---- searching */

/* The patterns of the names of sources. */
static void add_sources(arguments *args)
{
    static const char *const patterns[] = {
#define SUFFIX(end, kind, renamed) ":(top)*" end,
#include "cli/suffixes.def"
#undef SUFFIX
    };
    add_all(args, patterns, sizeof patterns / sizeof *patterns);
}

/* Asks git, without waiting for it, of which files the work tree has not what the index holds. */
static void ask_comparison(struct snapshot *s)
{
    static const char *const rest[] = {
        "--no-optional-locks", "diff-files",    "--name-only",   "-z",
        "--no-ext-diff",       "--no-textconv", "--no-relative", "--ignore-submodules=all"};
    arguments args = {0};
    if (s->compared || s->comparison.pid)
        return;
    begin_git(&args);
    add_all(&args, rest, sizeof rest / sizeof *rest);
    start_git(&s->comparison, &args);
}

/* Finds the sources of which the work tree has not what the index holds; false after an error in
   DIAG. */
static bool find_differing(struct snapshot *s, struct diag *diag)
{
    struct strbuf out = STRBUF_INIT;
    if (s->compared)
        return true;
    if (!snapshot_list(s, diag))
        return false;
    s->compared = process_answer_git(&s->comparison, "diff-files", &out, diag);
    for (const char *at = out.text, *end = s->compared && at ? at + out.len : at; at < end;
         at += strlen(at) + 1) {
        struct listed *file;
        HASH_FIND_STR(s->files, at, file);
        if (file)
            add_differing(s, file);
    }
    strbuf_release(&out);
    return s->compared;
}

struct snapshot_hunt {
    struct snapshot *snapshot;
    struct snapshot_search search;
    struct process git;
};

/* Starts git to look in PLACE for what HUNT is after, in the files that WHERE names (NULL behind
   it), or in sources. */
static void start_grep(struct snapshot_hunt *hunt, enum snapshot_of place, const char *const *where)
{
    /* Of the user's settings none counts. Two threads of git's hinder each other. */
    static const char *const first[] = {"grep",
                                        "-z",
                                        "-a",
                                        "-F",
                                        "--no-color",
                                        "--threads=1",
                                        "--full-name",
                                        "--no-line-number",
                                        "--no-column",
                                        "--no-textconv",
                                        "--no-recurse-submodules"};
    arguments args = {0};
    begin_git(&args);
    add_all(&args, first, sizeof first / sizeof *first);
    if (place == SNAPSHOT_INDEX)
        *vec_push(&args) = "--cached";
    if (hunt->search.words)
        *vec_push(&args) = "-w";
    for (const char *const *text = hunt->search.texts; *text; ++text) {
        *vec_push(&args) = "-e";
        *vec_push(&args) = *text;
    }
    if (place == SNAPSHOT_COMMIT)
        *vec_push(&args) = hunt->snapshot->commit;
    *vec_push(&args) = "--";
    if (!*where)
        add_sources(&args);
    for (; *where; ++where)
        *vec_push(&args) = *where;
    start_git(&hunt->git, &args);
}

/* Gives TAKE what git found in OUT: PATH NUL LINE NEWLINE, of a commit with its name before. What
   is found in the WORK_TREE counts where the index has the same. */
static void take_found(const struct snapshot *s, bool work_tree, const struct strbuf *out,
                       snapshot_taker take, void *context)
{
    size_t before = s->of == SNAPSHOT_COMMIT ? strlen(s->commit) + 1 : 0;
    const char *at = out->text, *end = at ? at + out->len : at;
    while (at < end) {
        const char *path = at, *line = memchr(at, '\0', (size_t)(end - at));
        struct listed *file = NULL;
        if (!line++)
            break;
        const char *nl = memchr(line, '\n', (size_t)(end - line));
        at = nl ? nl + 1 : end;
        if (work_tree)
            HASH_FIND_STR(s->files, path, file);
        if (before < (size_t)(line - path) && !(file && file->differs))
            take(context, path + before, line, (size_t)((nl ? nl : end) - line));
    }
}

/* Waits for the answer to what start_grep() asked; false after an error in DIAG. */
static bool end_grep(struct snapshot_hunt *hunt, struct strbuf *out, struct diag *diag)
{
    struct strbuf messages = STRBUF_INIT;
    int status = process_answer(&hunt->git, out, &messages);
    if (status < 0)
        process_complain_git(errno, diag);
    else if (1 < status)
        process_pass_on(&messages, diag);
    strbuf_release(&messages);
    return status == 0 || status == 1; /* 1: nothing was found */
}

/* As end_grep(), and gives TAKE what was found. */
static bool finish(struct snapshot_hunt *hunt, bool work_tree, snapshot_taker take, void *context,
                   struct diag *diag)
{
    struct strbuf out = STRBUF_INIT;
    bool res = end_grep(hunt, &out, diag);
    if (res)
        take_found(hunt->snapshot, work_tree, &out, take, context);
    strbuf_release(&out);
    return res;
}

/* Looks once more, for the files that differ, in the index itself. */
static bool finish_differing(struct snapshot_hunt *hunt, snapshot_taker take, void *context,
                             struct diag *diag)
{
    struct snapshot *s = hunt->snapshot;
    struct arena arena = ARENA_INIT;
    VEC(const char *) where = {0};
    vec_each (const char *const, path, &s->differing)
        *vec_push(&where) = arena_printf(&arena, ":(top,literal)%s", *path);
    *vec_push(&where) = NULL;
    start_grep(hunt, SNAPSHOT_INDEX, where.items);
    vec_release(&where);
    arena_release(&arena);
    return finish(hunt, false, take, context, diag);
}

/* Of so many differing files it is not worth to tell which. */
enum { DIFFERING_MAX = 200 };

/* Git unpacks what it reads from the index, so that the files of the work tree are several times
   as fast to read, and as good where they are the same. */
static bool finish_index(struct snapshot_hunt *hunt, snapshot_taker take, void *context,
                         struct diag *diag)
{
    struct snapshot *s = hunt->snapshot;
    if (!find_differing(s, diag))
        return false;
    if (s->differing.count <= DIFFERING_MAX)
        return finish(hunt, true, take, context, diag) &&
               (!s->differing.count || finish_differing(hunt, take, context, diag));
    process_drop(&hunt->git);
    start_grep(hunt, SNAPSHOT_INDEX, hunt->search.where);
    return finish(hunt, false, take, context, diag);
}

struct snapshot_hunt *snapshot_grep_start(struct snapshot *s, const struct snapshot_search *search)
{
    struct snapshot_hunt *res = xcalloc(1, sizeof *res);
    *res = (struct snapshot_hunt){.snapshot = s, .search = *search};
    start_grep(res, s->of == SNAPSHOT_INDEX ? SNAPSHOT_WORK_TREE : s->of, search->where);
    if (s->of == SNAPSHOT_INDEX)
        ask_comparison(s);
    return res;
}

bool snapshot_grep_end(struct snapshot_hunt *hunt, snapshot_taker take, void *context,
                       struct diag *diag)
{
    bool res = hunt->snapshot->of == SNAPSHOT_INDEX ? finish_index(hunt, take, context, diag)
                                                    : finish(hunt, false, take, context, diag);
    snapshot_grep_drop(hunt);
    return res;
}

void snapshot_grep_drop(struct snapshot_hunt *hunt)
{
    if (hunt)
        process_drop(&hunt->git);
    free(hunt);
}

bool snapshot_grep(struct snapshot *s, const struct snapshot_search *search, snapshot_taker take,
                   void *context, struct diag *diag)
{
    return snapshot_grep_end(snapshot_grep_start(s, search), take, context, diag);
}
