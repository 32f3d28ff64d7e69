#include <config.h>

#include "cli/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "cli/git.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

/* So many folders, and bytes of their paths, go into one command line. */
enum { FOLDERS_MAX = 1000, BYTES_MAX = 64 * 1024 };

struct folder {
    UT_hash_handle hh;
    char *top; /* of its repository */
    struct strbuf names;
    bool asked;
    char real[];
};

struct listings {
    struct folder *folders; /* by real path */
};

static struct folder *find(const struct listings *listings, const char *real, size_t len)
{
    struct folder *res;
    HASH_FIND(hh, listings->folders, real, len, res);
    return res;
}

static void add(struct listings *listings, const char *path)
{
    char *real = realpath(path, NULL), *top = real ? git_top(real) : NULL;
    size_t len = real ? strlen(real) : 0;
    if (top && !find(listings, real, len)) {
        struct folder *folder = xcalloc(1, sizeof *folder + len + 1);
        memcpy(folder->real, real, len);
        folder->top = top;
        top = NULL;
        HASH_ADD_KEYPTR(hh, listings->folders, folder->real, len, folder);
    }
    free(real);
    free(top);
}

static void free_folder(struct listings *listings, struct folder *folder)
{
    HASH_DEL(listings->folders, folder);
    strbuf_release(&folder->names);
    free(folder->top);
    free(folder);
}

/* Gives NAME, a path from TOP, to all folders in which it lies. */
static void hand_out(struct listings *listings, const char *top, const char *name)
{
    struct strbuf path = STRBUF_INIT;
    strbuf_printf(&path, "%s/%s", strcmp(top, "/") ? top : "", name);
    for (size_t at = strlen(top); at + 1 < path.len; ++at) {
        if (path.text[at] != '/')
            continue;
        struct folder *folder = find(listings, path.text, at ? at : 1);
        if (folder && folder->asked)
            strbuf_add(&folder->names, path.text + at + 1, path.len - at);
    }
    strbuf_release(&path);
}

/* Asks about the folders of BATCH, which lie in the repository TOP. */
static void ask(struct listings *listings, const char *top, struct folder *const *batch,
                size_t count)
{
    const char **paths = xcalloc(count, sizeof *paths);
    struct strbuf names = STRBUF_INIT;
    struct diag quiet = DIAG_INIT;
    size_t top_len = strcmp(top, "/") ? strlen(top) : 0;
    for (size_t i = 0; i < count; ++i)
        paths[i] = batch[i]->real[top_len] ? batch[i]->real + top_len + 1 : ".";
    if (git_list_files(top, paths, count, &names, &quiet) && !quiet.errors) {
        for (size_t i = 0; i < count; ++i)
            batch[i]->asked = true;
        for (size_t i = 0; i < names.len; i += strlen(names.text + i) + 1)
            hand_out(listings, top, names.text + i);
    }
    diag_release(&quiet);
    strbuf_release(&names);
    free(paths);
}

static int compare_tops(const struct folder *a, const struct folder *b)
{
    int res = strcmp(a->top, b->top);
    return res ? res : strcmp(a->real, b->real);
}

struct listings *listings_new(const char *const *folders, size_t count)
{
    struct listings *res = xcalloc(1, sizeof *res);
    for (size_t i = 0; i < count; ++i)
        add(res, folders[i]);
    HASH_SORT(res->folders, compare_tops);
    VEC(struct folder *) batch = {0};
    for (struct folder *folder = res->folders, *next; folder; folder = next) {
        size_t bytes = 0;
        batch.count = 0;
        for (next = folder; next && !strcmp(next->top, folder->top) && batch.count < FOLDERS_MAX &&
                            bytes < BYTES_MAX;
             next = next->hh.next) {
            *vec_push(&batch) = next;
            bytes += strlen(next->real);
        }
        if (1 < batch.count)
            ask(res, folder->top, batch.items, batch.count);
    }
    vec_release(&batch);
    return res;
}

void listings_free(struct listings *listings)
{
    if (!listings)
        return;
    while (listings->folders)
        free_folder(listings, listings->folders);
    free(listings);
}

const struct strbuf *listings_find(const struct listings *listings, const char *path)
{
    char *real = realpath(path, NULL);
    const struct folder *res = real ? find(listings, real, strlen(real)) : NULL;
    free(real);
    return res && res->asked ? &res->names : NULL;
}
