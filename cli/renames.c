#include <config.h>

#include "cli/renames.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "cli/wanted.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

struct renamed {
    const char *real;     /* the old name */
    bool done;            /* a run before renamed it */
    struct renamed *same; /* the next of the same own name */
    UT_hash_handle hh;    /* by real path */
    UT_hash_handle hn;    /* by its own name; only the first of them */
};

struct renames {
    struct renamed *by_path;
    struct renamed *by_name;
    struct renamed *items;
    struct arena arena;
};

static const char *own_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add(struct renames *renames, struct renamed *item)
{
    struct renamed *other;
    const char *name = own_name(item->real);
    HASH_FIND(hh, renames->by_path, item->real, strlen(item->real), other);
    if (other)
        return; /* named twice */
    HASH_ADD_KEYPTR(hh, renames->by_path, item->real, strlen(item->real), item);
    HASH_FIND(hn, renames->by_name, name, strlen(name), other);
    if (other) {
        item->same = other->same;
        other->same = item;
    } else {
        HASH_ADD_KEYPTR(hn, renames->by_name, name, strlen(name), item);
    }
}

/* The name that the file REAL had before it was renamed, in ARENA, or NULL. */
static const char *old_name(struct arena *arena, const char *real)
{
    static const struct {
        const char *new, *old;
    } ends[] = {
#define SUFFIX(end, kind, renamed) {renamed, end},
#include "cli/suffixes.def"
#undef SUFFIX
    };
    size_t len = strlen(real);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        size_t end = ends[i].new ? strlen(ends[i].new) : len;
        if (end < len && !strcmp(real + len - end, ends[i].new))
            return arena_printf(arena, "%.*s%s", (int)(len - end), real, ends[i].old);
    }
    return NULL;
}

struct renames *renames_new(const struct inputs *inputs)
{
    struct renames *res = xcalloc(1, sizeof *res);
    const char *new;
    size_t count = 0;
    res->items = xcalloc(2 * inputs->list.count + 1, sizeof *res->items);
    vec_each (const struct input, input, &inputs->list)
        if (input->real && wanted_rename(input->real, strlen(input->real), &new)) {
            res->items[count].real = input->real;
            add(res, &res->items[count++]);
        }
    /* A run that was killed has renamed some and not all that include them. */
    vec_each (const struct input, input, &inputs->list) {
        const char *old = input->real ? old_name(&res->arena, input->real) : NULL;
        if (old) {
            res->items[count] = (struct renamed){.real = old, .done = true};
            add(res, &res->items[count++]);
        }
    }
    return res;
}

void renames_free(struct renames *renames)
{
    if (!renames)
        return;
    HASH_CLEAR(hn, renames->by_name);
    HASH_CLEAR(hh, renames->by_path);
    free(renames->items);
    arena_release(&renames->arena);
    free(renames);
}

bool renames_new_name(const char *path, struct strbuf *out)
{
    const char *new, *end = wanted_rename(path, strlen(path), &new);
    if (!end)
        return false;
    strbuf_add(out, path, (size_t)(end - path));
    strbuf_adds(out, new);
    return true;
}

/* Appends the LEN bytes of PATH to OUT, an absolute path, going up and down as it says. */
static void walk_path(struct strbuf *out, const char *path, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t part = 0;
        while (i + part < len && path[i + part] != '/')
            ++part;
        if (part == 2 && !memcmp(path + i, "..", 2)) {
            while (out->len && out->text[--out->len] != '/')
                continue;
            out->text[out->len] = '\0';
        } else if (part && !(part == 1 && path[i] == '.')) {
            strbuf_addc(out, '/');
            strbuf_add(out, path + i, part);
        }
        i += part + 1;
    }
}

/* Whether some renamed file's path ends with the LEN bytes of PATH. */
static bool ends_some(const struct renames *renames, const char *path, size_t len)
{
    for (;;) {
        if (2 <= len && !memcmp(path, "./", 2))
            path += 2, len -= 2;
        else if (3 <= len && !memcmp(path, "../", 3))
            path += 3, len -= 3;
        else
            break;
    }
    size_t name = len;
    while (name && path[name - 1] != '/')
        --name;
    struct renamed *item;
    HASH_FIND(hn, renames->by_name, path + name, len - name, item);
    for (; item; item = item->same) {
        size_t all = strlen(item->real);
        if (len < all && item->real[all - len - 1] == '/' &&
            !memcmp(item->real + all - len, path, len))
            return true;
    }
    return false;
}

bool renames_follow(const struct renames *renames, const char *from, const char *path, size_t len,
                    struct strbuf *res)
{
    const char *new, *end = wanted_rename(path, len, &new);
    if (!end || memchr(path, '\0', len))
        return false;
    struct strbuf beside = STRBUF_INIT;
    struct renamed *item = NULL;
    if (from && *path != '/') {
        strbuf_add(&beside, from, (size_t)(own_name(from) - from) - 1);
        walk_path(&beside, path, len);
        HASH_FIND(hh, renames->by_path, beside.text, beside.len, item);
    }
    bool there = beside.len && !access(beside.text, F_OK);
    bool found = item ? !item->done || !there : !there && ends_some(renames, path, len);
    strbuf_release(&beside);
    if (found) {
        strbuf_add(res, path, (size_t)(end - path));
        strbuf_adds(res, new);
    }
    return found;
}
