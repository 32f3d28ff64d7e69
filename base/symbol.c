#include <config.h>

#include "base/symbol.h"

#include <string.h>

#include "base/xalloc.h"

#define uthash_fatal(text) xalloc_die()
#define HASH_FUNCTION(key, len, value) ((value) = hash((key), (len)))
static unsigned hash(const void *key, size_t len);
#include <uthash.h>

struct symbol_entry {
    struct symbol symbol;
    UT_hash_handle hh;
};

/* Identifiers are short and many: eight bytes a step, multiply and fold. */
static unsigned hash(const void *key, size_t len)
{
    const uint64_t mul = 0x9e3779b97f4a7c15u;
    const char *at = key;
    uint64_t res = len * mul;
    for (; 8 <= len; at += 8, len -= 8) {
        uint64_t part;
        memcpy(&part, at, 8);
        res = (res ^ part) * mul;
        res ^= res >> 29;
    }
    uint64_t part = 0;
    if (len & 4) {
        uint32_t four;
        memcpy(&four, at, 4);
        part = four;
        at += 4;
    }
    if (len & 2) {
        uint16_t two;
        memcpy(&two, at, 2);
        part = part << 16 | two;
        at += 2;
    }
    if (len & 1)
        part = part << 8 | (unsigned char)*at;
    res = (res ^ part) * mul;
    return (unsigned)(res >> 32);
}

void symbol_table_init(struct symbol_table *table, struct arena *arena,
                       void (*on_new)(struct symbol *symbol, void *context), void *context)
{
    *table = (struct symbol_table){.arena = arena, .on_new = on_new, .context = context};
}

struct symbol *symbol_intern(struct symbol_table *table, const char *text, size_t len)
{
    struct symbol_entry *res;
    unsigned value = hash(text, len);
    HASH_FIND_BYHASHVALUE(hh, table->entries, text, (unsigned)len, value, res);
    if (res)
        return &res->symbol;
    res = arena_alloc(table->arena, sizeof *res);
    res->symbol = (struct symbol){
        .text = arena_strndup(table->arena, text, len),
        .len = (uint32_t)len,
    };
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, table->entries, res->symbol.text, (unsigned)len, value, res);
    if (table->on_new)
        table->on_new(&res->symbol, table->context);
    return &res->symbol;
}

struct symbol *symbol_find(struct symbol_table *table, const char *text)
{
    struct symbol_entry *res;
    unsigned len = (unsigned)strlen(text), value = hash(text, len);
    HASH_FIND_BYHASHVALUE(hh, table->entries, text, len, value, res);
    return res ? &res->symbol : NULL;
}

void symbol_table_release(struct symbol_table *table)
{
    HASH_CLEAR(hh, table->entries);
}
