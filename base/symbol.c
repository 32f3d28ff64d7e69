#include <config.h>

#include "base/symbol.h"

#include <string.h>

#include "base/hash.h"
#include "base/xalloc.h"

#define uthash_fatal(text) xalloc_die()
#define HASH_FUNCTION(key, len, value) ((value) = hash_bytes((key), (len)))
#include <uthash.h>

struct symbol_entry {
    struct symbol symbol;
    UT_hash_handle hh;
};

void symbol_table_init(struct symbol_table *table, struct arena *arena,
                       void (*on_new)(struct symbol *symbol, void *context), void *context)
{
    *table = (struct symbol_table){.arena = arena, .on_new = on_new, .context = context};
}

struct symbol *symbol_intern(struct symbol_table *table, const char *text, size_t len)
{
    struct symbol_entry *res;
    unsigned value = hash_bytes(text, len);
    HASH_FIND_BYHASHVALUE(hh, table->entries, text, (unsigned)len, value, res);
    if (res)
        return &res->symbol;
    res = arena_alloc(table->arena, sizeof *res);
    res->symbol = (struct symbol){
        .text = arena_strndup(table->arena, text, len),
        .len = (uint32_t)len,
        .hash = value,
    };
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, table->entries, res->symbol.text, (unsigned)len, value, res);
    if (table->on_new)
        table->on_new(&res->symbol, table->context);
    return &res->symbol;
}

struct symbol *symbol_find(struct symbol_table *table, const char *text)
{
    struct symbol_entry *res;
    unsigned len = (unsigned)strlen(text), value = hash_bytes(text, len);
    HASH_FIND_BYHASHVALUE(hh, table->entries, text, len, value, res);
    return res ? &res->symbol : NULL;
}

struct symbol *symbol_first(const struct symbol_table *table)
{
    return table->entries ? &table->entries->symbol : NULL;
}

struct symbol *symbol_next(const struct symbol *symbol)
{
    /* Each symbol is the beginning of its entry. */
    struct symbol_entry *next = ((const struct symbol_entry *)symbol)->hh.next;
    return next ? &next->symbol : NULL;
}

void symbol_table_release(struct symbol_table *table)
{
    HASH_CLEAR(hh, table->entries);
}
