/* Interned identifiers of one file: two identifiers are the same name if and only if
   their symbols are the same pointer. What is known of a name is looked up once, when
   it is first seen, and stays with the symbol.  */
#ifndef BASE_SYMBOL_H
#define BASE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

struct api;
struct user_name;
struct pointer_name;

struct symbol {
    const char *text; /* NUL-terminated, line splices removed */
    uint32_t len;
    unsigned hash;                 /* hash_bytes() of it */
    uint32_t flags;                /* enum symbol_flag of transform/ */
    uint16_t keyword;              /* enum token_kind of a keyword, or 0 */
    bool is_type : 1;              /* parser/: the file declares, or uses, it as a type */
    bool landmark : 1;             /* its tokens are listed: see struct tokens */
    bool is_device_macro : 1;      /* parser/: the file defines it to what holds __device__ */
    const struct api *api;         /* its entry in the map, or NULL */
    const struct api *type;        /* the API's type that the file declares it with, or NULL */
    const char *alias;             /* transform/: the API's namespace that it stands for, or NULL */
    struct user_name *user;        /* transform/: the file's own declarations of it, or NULL */
    struct pointer_name *pointers; /* transform/: what it is where there are device pointers */
};

struct symbol_entry;

struct symbol_table {
    struct arena *arena;
    struct symbol_entry *entries; /* the table's own */
    /* Called once for each new symbol, to fill in keyword, landmark and api; may be NULL. */
    void (*on_new)(struct symbol *symbol, void *context);
    void *context;
};

/* An empty table whose symbols live in ARENA. */
void symbol_table_init(struct symbol_table *table, struct arena *arena,
                       void (*on_new)(struct symbol *symbol, void *context), void *context);

/* The symbol of the LEN bytes at TEXT, made if it is new. */
struct symbol *symbol_intern(struct symbol_table *table, const char *text, size_t len);

/* The symbol of the NUL-terminated TEXT, or NULL if the file does not contain it. */
struct symbol *symbol_find(struct symbol_table *table, const char *text);

/* Whether SYMBOL, which may be NULL, is the name TEXT. */
static inline bool symbol_is(const struct symbol *symbol, const char *text)
{
    return symbol && !strcmp(symbol->text, text);
}

/* The first symbol of TABLE and the one behind SYMBOL, in the order in which they were made; NULL
   at the end. */
struct symbol *symbol_first(const struct symbol_table *table);
struct symbol *symbol_next(const struct symbol *symbol);

/* Frees the table's index; the symbols stay until their arena goes. */
void symbol_table_release(struct symbol_table *table);

#endif
