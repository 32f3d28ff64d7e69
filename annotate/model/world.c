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
    const struct constant *value; /* of a name with a value */
    const struct type *type;      /* of a type's name */
    const struct model_places *places;
    const struct model_macro *macro;
};

/* In the order of the files' numbers. */
struct known_list {
    VEC(struct known) list;
};

/* What the files say of one name. */
struct entry {
    UT_hash_handle hh;
    struct known_list values, types, macros;
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
        vec_release(&entry->values.list);
        vec_release(&entry->types.list);
        vec_release(&entry->macros.list);
        free(entry);
    }
    free(world);
}

static struct entry *entry_of(struct model_world *world, const char *name)
{
    struct entry *res;
    size_t len = strlen(name);
    HASH_FIND(hh, world->entries, name, len, res);
    if (!res) {
        res = xcalloc(1, sizeof *res);
        HASH_ADD_KEYPTR(hh, world->entries, name, len, res);
    }
    return res;
}

uint32_t model_world_add(struct model_world *world, const struct model_facts *facts)
{
    uint32_t res = world->files++;
    for (size_t i = 0; i < facts->count; ++i)
        *vec_push(&entry_of(world, facts->items[i].name)->values.list) = (struct known){
            .file = res, .value = &facts->items[i].value, .places = &facts->items[i].places};
    for (size_t i = 0; i < facts->type_count; ++i)
        *vec_push(&entry_of(world, facts->types[i].name)->types.list) = (struct known){
            .file = res, .type = &facts->types[i].type, .places = &facts->types[i].places};
    for (size_t i = 0; i < facts->macro_count; ++i)
        *vec_push(&entry_of(world, facts->macros[i].name)->macros.list) =
            (struct known){.file = res, .macro = &facts->macros[i]};
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

/* Takes in what one file knows; false once nobody can say. */
typedef bool (*joiner)(const struct known *known, void *res);

/* Joins what the files of SCOPE have in LIST. */
static enum model_knowledge join_all(const struct known_list *known,
                                     const struct model_scope *scope, joiner join, void *res)
{
    enum model_knowledge state = KNOWN_NOT;
    if (known->list.count < scope->count) {
        vec_each (const struct known, one, &known->list)
            if (bsearch(&one->file, scope->files, scope->count, sizeof *scope->files,
                        compare_files)) {
                if (!join(one, res))
                    return KNOWN_DECLARED;
                state = KNOWN_VALUE;
            }
        return state;
    }
    for (size_t i = 0; i < scope->count && known->list.count; ++i) {
        const struct known key = {.file = scope->files[i]};
        const struct known *one = bsearch(&key, known->list.items, known->list.count,
                                          sizeof *known->list.items, compare_known);
        if (!one)
            continue;
        if (!join(one, res))
            return KNOWN_DECLARED;
        state = KNOWN_VALUE;
    }
    return state;
}

static bool join_value(const struct known *known, void *res)
{
    return known->value->count && constant_join(res, known->value);
}

static bool join_type(const struct known *known, void *data)
{
    const struct type **res = data;
    if (!*res)
        *res = known->type;
    return (*res)->kind == known->type->kind && (*res)->size == known->type->size &&
           (*res)->is_signed == known->type->is_signed && known->type->kind != TYPE_UNKNOWN;
}

static const struct entry *find_entry(const struct model_world *world,
                                      const struct model_scope *scope, const char *name)
{
    const struct entry *res = NULL;
    if (scope->count)
        HASH_FIND(hh, world->entries, name, strlen(name), res);
    return res;
}

enum model_knowledge model_world_find(const struct model_world *world,
                                      const struct model_scope *scope, const char *name,
                                      struct constant *res)
{
    const struct entry *entry = find_entry(world, scope, name);
    *res = (struct constant){.origin = NO_TOKEN};
    enum model_knowledge state =
        entry ? join_all(&entry->values, scope, join_value, res) : KNOWN_NOT;
    if (state != KNOWN_VALUE)
        res->count = 0;
    return state;
}

enum model_knowledge model_world_find_type(const struct model_world *world,
                                           const struct model_scope *scope, const char *name,
                                           const struct type **res)
{
    const struct entry *entry = find_entry(world, scope, name);
    *res = NULL;
    return entry ? join_all(&entry->types, scope, join_type, res) : KNOWN_NOT;
}

static bool join_places(const struct known *known, void *res)
{
    place_list_join(res, known->places);
    return true;
}

void model_world_places(const struct model_world *world, const struct model_scope *scope,
                        const char *name, bool types, struct place_list *res)
{
    const struct entry *entry = find_entry(world, scope, name);
    if (!entry)
        return;
    join_all(&entry->values, scope, join_places, res);
    if (types)
        join_all(&entry->types, scope, join_places, res);
}

static bool join_macro(const struct known *known, void *data)
{
    struct model_macro_found *res = data;
    *res = (struct model_macro_found){res->files + 1, known->file, known->macro};
    return true;
}

struct model_macro_found model_world_macro(const struct model_world *world,
                                           const struct model_scope *scope, const char *name)
{
    struct model_macro_found res = {0};
    const struct entry *entry = find_entry(world, scope, name);
    if (entry)
        join_all(&entry->macros, scope, join_macro, &res);
    return res;
}
