#include <config.h>

#include "cli/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/strbuf.h"
#include "cli/git.h"
#include "cli/listing.h"
#include "cli/wanted.h"

/* A folder that is still to be looked at. */
struct pending {
    const char *path; /* as the user named the first one */
    size_t base;      /* where in it the path from the first one begins */
    bool git;         /* git says what is in it */
};

struct walking {
    struct walk *walk;
    struct diag *diag;
    struct strbuf path; /* of the entry that is looked at */
    struct strbuf last; /* the folder that is_avoided() was asked about last, and its answer */
    bool last_avoided;
    VEC(struct pending) todo;
};

static bool matches(const char *pattern, const char *text)
{
    return !fnmatch(pattern, text, 0);
}

/* Whether PATTERN names PATH, whose last component is NAME: a pattern without a slash names
   components, another one paths from the folder or as the user wrote them. */
static bool is_named(const char *pattern, const char *path, size_t base, const char *name)
{
    struct strbuf bare = STRBUF_INIT;
    strbuf_adds(&bare, pattern);
    while (1 < bare.len && bare.text[bare.len - 1] == '/')
        bare.text[--bare.len] = '\0';
    const char *text = bare.text;
    if (!text)
        return false;
    bool res = strchr(text, '/')
                   ? matches(text + (*text == '/'), path + base) || matches(text, path) ||
                         (!strncmp(path, "./", 2) && matches(text, path + 2))
                   : matches(text, name);
    strbuf_release(&bare);
    return res;
}

static bool is_excluded(struct walking *w, const char *path, size_t base, const char *name)
{
    for (size_t i = 0; i < w->walk->excluded_count; ++i)
        if (is_named(w->walk->excluded[i], path, base, name)) {
            w->walk->omitted++;
            return true;
        }
    return false;
}

static void complain(struct walking *w, const char *path)
{
    diag_add(w->diag, DIAG_ERROR, (struct diag_place){.file = path}, _("cannot be read: %s"),
             strerror(errno));
}

static const char *keep(struct walk *walk, const char *path)
{
    return arena_strndup(walk->arena, path, strlen(path));
}

static bool is_avoided(const struct walk *walk, const struct stat *st)
{
    return walk->avoid && walk->avoid->st_dev == st->st_dev && walk->avoid->st_ino == st->st_ino;
}

/* Takes the file or folder PATH, whose own name begins at NAME. */
static void take(struct walking *w, const char *path, size_t base, const char *name)
{
    struct walk *walk = w->walk;
    struct stat st;
    if (lstat(path, &st)) {
        /* git also knows files that are no longer there. */
        if (errno != ENOENT)
            complain(w, path);
        return;
    }
    bool is_source = wanted_kind(name) != FILE_OTHER;
    if (S_ISLNK(st.st_mode)) {
        struct stat to;
        bool dead = stat(path, &to);
        if (!dead && S_ISREG(to.st_mode) && is_source && walk->file_links)
            st = to;
        else if (dead ? is_source : S_ISDIR(to.st_mode) || (S_ISREG(to.st_mode) && is_source))
            walk->links++;
    }
    if (S_ISDIR(st.st_mode) && !is_avoided(walk, &st))
        *vec_push(&w->todo) = (struct pending){keep(walk, path), base, git_is_top(path)};
    else if (S_ISREG(st.st_mode) && is_source)
        *vec_push(&walk->files) = (struct walk_file){keep(walk, path), base, st.st_size};
}

/* The path of NAME in FOLDER; good until the next call. */
static const char *join(struct walking *w, const char *folder, const char *name)
{
    bool slash = folder[strlen(folder) - 1] == '/';
    strbuf_clear(&w->path);
    strbuf_printf(&w->path, "%s%s%s", folder, slash ? "" : "/", name);
    return w->path.text;
}

static void read_folder(struct walking *w, const struct pending *folder)
{
    DIR *dir = opendir(folder->path);
    if (!dir) {
        complain(w, folder->path);
        return;
    }
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry) {
            if (errno)
                complain(w, folder->path);
            break;
        }
        if (*entry->d_name == '.')
            continue;
        const char *path = join(w, folder->path, entry->d_name);
        size_t len = strlen(path) - strlen(entry->d_name);
        if (!is_excluded(w, path, folder->base, path + len))
            take(w, path, folder->base, path + len);
    }
    closedir(dir);
}

/* Whether a component of the path NAME is hidden, or one of its folders is excluded; PATH is the
   whole of it, in which it begins at FROM. */
static bool is_left_out(struct walking *w, const char *path, size_t base, size_t from)
{
    struct strbuf part = STRBUF_INIT;
    bool res = false;
    for (size_t at = from; !res && path[at];) {
        size_t len = strcspn(path + at, "/");
        res = path[at] == '.';
        if (!res && w->walk->excluded_count) {
            strbuf_clear(&part);
            strbuf_add(&part, path, at + len);
            res = is_excluded(w, part.text, base, part.text + at);
        }
        at += len + (path[at + len] == '/');
    }
    strbuf_release(&part);
    return res;
}

/* Whether a folder of PATH, behind the FROM bytes that are known, is the one that is left out. The
   paths come folder by folder, so the answer for the last one mostly is that for this one. */
static bool is_below_avoided(struct walking *w, const char *path, size_t from)
{
    const char *slash = strrchr(path, '/');
    if (!w->walk->avoid || !slash || (size_t)(slash - path) < from)
        return false;
    size_t len = (size_t)(slash - path);
    if (w->last.len == len && !memcmp(w->last.text, path, len))
        return w->last_avoided;
    bool res = false;
    for (size_t at = from; !res && at < len; ++at) {
        at += strcspn(path + at, "/");
        strbuf_clear(&w->last);
        strbuf_add(&w->last, path, at);
        struct stat st;
        res = !stat(w->last.text, &st) && is_avoided(w->walk, &st);
    }
    strbuf_clear(&w->last);
    strbuf_add(&w->last, path, len);
    w->last_avoided = res;
    return res;
}

/* Gets what git lists in FOLDER; false where it cannot say. */
static bool list(struct walking *w, const char *folder, struct strbuf *names)
{
    const struct strbuf *known =
        w->walk->listings ? listings_find(w->walk->listings, folder) : NULL;
    if (known)
        strbuf_add(names, known->text, known->len);
    return known || git_list_files(folder, NULL, 0, names, w->diag);
}

/* Takes what git lists in FOLDER; false where it does not. */
static bool ask_git(struct walking *w, const struct pending *folder)
{
    struct strbuf names = STRBUF_INIT;
    bool res = list(w, folder->path, &names);
    /* Who names a folder means it, though its repository ignores it. */
    if (res && !names.len && git_ignores(folder->path))
        res = false;
    for (size_t i = 0; res && i < names.len; i += strlen(names.text + i) + 1) {
        char *name = names.text + i;
        size_t len = strlen(name);
        if (!len)
            continue;
        if (name[len - 1] == '/')
            name[len - 1] = '\0'; /* a repository in it */
        const char *path = join(w, folder->path, name);
        const char *slash = strrchr(path, '/');
        size_t from = strlen(path) - strlen(name);
        if (!is_left_out(w, path, folder->base, from) && !is_below_avoided(w, path, from))
            take(w, path, folder->base, slash + 1);
        if (name[len - 1] == '\0')
            name[len - 1] = '/';
    }
    strbuf_release(&names);
    return res;
}

static int compare(const void *va, const void *vb)
{
    const struct walk_file *a = va, *b = vb;
    return strcmp(a->name + a->base, b->name + b->base);
}

void walk_folder(struct walk *walk, const char *folder, struct diag *diag)
{
    struct walking w = {.walk = walk, .diag = diag};
    size_t first = walk->files.count, len = strlen(folder);
    size_t base = len + (folder[len - 1] != '/');
    char *top = git_top(folder);
    *vec_push(&w.todo) = (struct pending){folder, base, top != NULL};
    free(top);
    while (w.todo.count) {
        struct pending next = w.todo.items[--w.todo.count];
        if (!next.git || !ask_git(&w, &next))
            read_folder(&w, &next);
    }
    vec_release(&w.todo);
    strbuf_release(&w.path);
    strbuf_release(&w.last);
    size_t kept = first, count = walk->files.count;
    if (first < count)
        qsort(walk->files.items + first, count - first, sizeof *walk->files.items, compare);
    /* What is not merged yet, git lists several times. */
    for (size_t i = first; i < count; ++i)
        if (i == first || strcmp(walk->files.items[i].name, walk->files.items[kept - 1].name))
            walk->files.items[kept++] = walk->files.items[i];
    walk->files.count = kept;
}
