/* Which definitions of a macro say something else.

   A file may define a macro any number of times, most often with the same text. Who asks what it is
   worth wants each text once.  */
#include <config.h>

#include "annotate/model/names_p.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/xalloc.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

/* What decides about the value of a definition. */
struct reading_key {
    const struct symbol *given; /* the name that the #ifdef around asks for, or NULL */
    unsigned hash;              /* of the parameters and the text */
    uint32_t length;            /* of them, in tokens */
};

struct reading {
    struct reading_key key;
    struct decl *first; /* the first definition with it */
    UT_hash_handle hh;
};

/* The tokens of D from its name on. */
static struct range text_of(const struct directive *d)
{
    return (struct range){d->name, d->body.end};
}

static struct reading_key key_of(const struct unit *unit, const struct directive *d)
{
    struct reading_key res;
    memset(&res, 0, sizeof res); /* it is hashed with its padding */
    struct range text = text_of(d);
    for (uint32_t i = text.begin; i < text.end; ++i) {
        const struct token *token = unit_token(unit, i);
        res.hash = res.hash * 31 + hash_bytes(unit->source->text + token->offset, token->length);
    }
    res.length = text.end - text.begin;
    const struct directive *around =
        d->parent == NO_INDEX ? NULL : &unit->directives.items[d->parent];
    if (around && around->kind != TOK_PP_IFNDEF && around->condition &&
        around->condition->kind == COND_DEFINED)
        res.given = unit_token(unit, around->condition->token)->symbol;
    return res;
}

static void release(struct reading **readings)
{
    struct reading *entry, *next;
    HASH_ITER(hh, *readings, entry, next)
    {
        HASH_DEL(*readings, entry);
        free(entry);
    }
}

/* Links MACRO, which has alternatives; NEWEST is the one before it that was the first with its
   text. The one that is so behind it. */
static struct decl *link_reading(const struct unit *unit, struct reading **readings,
                                 struct decl *macro, struct decl *newest)
{
    const struct directive *d = &unit->directives.items[macro->directive];
    struct reading_key key = key_of(unit, d);
    struct reading *entry;
    HASH_FIND(hh, *readings, &key, sizeof key, entry);
    struct decl *first = entry ? entry->first : NULL;
    if (first &&
        !unit_same_text(unit, text_of(d), text_of(&unit->directives.items[first->directive])))
        first = NULL; /* only the hash is the same */
    /* Its own text comes once more where others came in between. */
    macro->reading = newest && newest == first ? newest->reading : newest;
    if (macro->reading)
        macro->readings = macro->reading->readings + 1;
    if (!entry) {
        entry = xcalloc(1, sizeof *entry);
        entry->key = key;
        entry->first = macro;
        HASH_ADD(hh, *readings, key, sizeof entry->key, entry);
    }
    return first ? newest : macro;
}

void macros_link_readings(const struct unit *unit, struct decl_table *macros)
{
    struct reading *readings = NULL;
    struct decl *newest = NULL;
    for (size_t i = 0; i < macros->list.count; ++i) {
        struct decl *macro = macros->list.items[i];
        const struct decl *next = i + 1 < macros->list.count ? macros->list.items[i + 1] : NULL;
        macro->readings = 1;
        if (!decl_alternative(macro)) {
            release(&readings);
            newest = NULL;
        }
        if (newest || (next && decl_alternative(next) == macro))
            newest = link_reading(unit, &readings, macro, newest);
    }
    release(&readings);
}
