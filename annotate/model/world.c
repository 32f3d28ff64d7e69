#include <config.h>

#include "annotate/model/world.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/facts.h"
#include "base/vec.h"
#include "base/xalloc.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

struct known {
    uint32_t file;
    const struct constant *value;
};

/* What the files say of one name, in the order of their numbers. */
struct entry {
    UT_hash_handle hh;
    VEC(struct known) list;
};

struct model_world {
    struct entry *entries;
    uint32_t files;
};

struct model_world *model_world_new(void)
{
    return xcalloc(1, sizeof(struct model_world));
}

void model_world_free(struct model_world *world)
{
    struct entry *entry, *next;
    if (!world)
        return;
    HASH_ITER(hh, world->entries, entry, next)
    {
        HASH_DEL(world->entries, entry);
        vec_release(&entry->list);
        free(entry);
    }
    free(world);
}

uint32_t model_world_add(struct model_world *world, const struct model_facts *facts)
{
    uint32_t res = world->files++;
    for (size_t i = 0; i < facts->count; ++i) {
        const struct model_fact *fact = &facts->items[i];
        struct entry *entry;
        size_t len = strlen(fact->name);
        HASH_FIND(hh, world->entries, fact->name, len, entry);
        if (!entry) {
            entry = xcalloc(1, sizeof *entry);
            HASH_ADD_KEYPTR(hh, world->entries, fact->name, len, entry);
        }
        *vec_push(&entry->list) = (struct known){res, &fact->value};
    }
    return res;
}

static int compare_known(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    return x->file < y->file ? -1 : x->file > y->file;
}

static int compare_files(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Joins KNOWN to *RES; false once nobody can say the value. */
static bool join(const struct known *known, struct constant *res, enum model_knowledge *state)
{
    *state = KNOWN_DECLARED;
    if (!known->value->count || !constant_join(res, known->value)) {
        res->count = 0;
        return false;
    }
    *state = KNOWN_VALUE;
    return true;
}

enum model_knowledge model_world_find(const struct model_world *world,
                                      const struct model_scope *scope, const char *name,
                                      struct constant *res)
{
    enum model_knowledge state = KNOWN_NOT;
    const struct entry *entry = NULL;
    *res = (struct constant){.origin = NO_TOKEN};
    if (scope->count)
        HASH_FIND(hh, world->entries, name, strlen(name), entry);
    if (!entry)
        return KNOWN_NOT;
    if (entry->list.count < scope->count) {
        vec_each (const struct known, known, &entry->list)
            if (bsearch(&known->file, scope->files, scope->count, sizeof *scope->files,
                        compare_files) &&
                !join(known, res, &state))
                break;
        return state;
    }
    for (size_t i = 0; i < scope->count; ++i) {
        const struct known key = {.file = scope->files[i]};
        const struct known *known = bsearch(&key, entry->list.items, entry->list.count,
                                            sizeof *entry->list.items, compare_known);
        if (known && !join(known, res, &state))
            break;
    }
    return state;
}
