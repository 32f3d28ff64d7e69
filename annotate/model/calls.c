/* The calls of a name and the uses of a macro, each list made once, when first asked for.  */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "annotate/model/names_p.h"
#include "annotate/model/uses_p.h"
#include "base/xalloc.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

struct model_calls {
    const struct symbol *name;
    VEC(struct model_call) list;
    UT_hash_handle hh;
};

static int compare_calls(const void *va, const void *vb)
{
    const struct model_call *a = va, *b = vb;
    if (a->args.count != b->args.count)
        return a->args.count < b->args.count ? -1 : 1;
    return a->token < b->token ? -1 : a->token > b->token;
}

static void find_calls(struct model *model, struct model_calls *calls)
{
    size_t count;
    const uint32_t *uses = model_uses(model, calls->name, &count);
    for (size_t i = 0; i < count; ++i) {
        struct model_call call = {.token = uses[i]};
        if (model_function_named(model, uses[i]) == NO_INDEX &&
            model_call_arguments(model, uses[i], &call.args) && call.args.first_unknown < 0)
            *vec_push(&calls->list) = call;
    }
    if (calls->list.count)
        qsort(calls->list.items, calls->list.count, sizeof *calls->list.items, compare_calls);
}

const struct model_call *model_calls(struct model *model, const struct symbol *name, size_t *count)
{
    struct model_calls *calls;
    HASH_FIND(hh, model->calls, &name, sizeof name, calls);
    if (!calls) {
        calls = xcalloc(1, sizeof *calls);
        calls->name = name;
        find_calls(model, calls);
        HASH_ADD(hh, model->calls, name, sizeof calls->name, calls);
    }
    *count = calls->list.count;
    return calls->list.items;
}

void model_calls_release(struct model *model)
{
    struct model_calls *calls, *next;
    HASH_ITER(hh, model->calls, calls, next)
    {
        HASH_DEL(model->calls, calls);
        vec_release(&calls->list);
        free(calls);
    }
}

/* Macros. */

/* USE belongs to MACRO. */
struct macro_use {
    struct decl *macro;
    uint32_t use;
};

static int compare_uses(const void *va, const void *vb)
{
    const struct macro_use *a = va, *b = vb;
    if (a->macro != b->macro)
        return a->macro->directive < b->macro->directive ? -1 : 1;
    return a->use < b->use ? -1 : a->use > b->use;
}

/* The number of the first definition of SYMBOL behind TOKEN among the macros of the file. */
static size_t definition_behind(const struct decl_table *macros, const struct symbol *symbol,
                                uint32_t token)
{
    struct decl *const *list = macros->list.items;
    size_t low;
    vec_search(low, macros->list.count,
               list[low]->symbol == symbol ? list[low]->begin <= token
                                           : (uintptr_t)list[low]->symbol < (uintptr_t)symbol);
    return low;
}

/* The definition of SYMBOL that its use at TOKEN means, or the last of those that it may mean. In
   the text of a macro these are all that are not taken back before the next #undef, since nobody
   knows where it is used; the same goes for a use before all definitions. */
static struct decl *definition_of(struct model *model, const struct symbol *symbol, uint32_t token)
{
    struct decl *res = macro_at(model, symbol, token);
    if (res && !(unit_token(model->unit, token)->flags & TOKEN_DIRECTIVE))
        return res;
    const struct decl_table *macros = &model_index(model)->macros;
    size_t behind = definition_behind(macros, symbol, token);
    if (!res && behind < macros->list.count && macros->list.items[behind]->symbol == symbol)
        res = macros->list.items[behind];
    return res ? macro_at(model, symbol, res->end - 1) : NULL;
}

/* Gives all definitions of SYMBOL their uses. Of more texts than anybody chooses between the last
   one is meant. */
static void find_macro_uses(struct model *model, const struct symbol *symbol)
{
    enum { READINGS_MAX = 16 };
    size_t count, next = 0;
    const uint32_t *uses = model_uses(model, symbol, &count);
    VEC(struct macro_use) list = {0};
    for (size_t i = 0; i < count; ++i) {
        struct decl *macro = definition_of(model, symbol, uses[i]);
        bool all = macro && macro->readings <= READINGS_MAX;
        for (; macro; macro = all ? macro->reading : NULL, ++model->work)
            *vec_push(&list) = (struct macro_use){macro, uses[i]};
    }
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, compare_uses);
    uint32_t *tokens = arena_zalloc(model->arena, list.count + 1, sizeof *tokens);
    const struct decl_table *macros = &model_index(model)->macros;
    for (size_t i = definition_behind(macros, symbol, 0);
         i < macros->list.count && macros->list.items[i]->symbol == symbol; ++i) {
        struct decl *macro = macros->list.items[i];
        macro->uses = tokens + next;
        for (; next < list.count && list.items[next].macro == macro; ++next)
            macro->uses[macro->use_count++] = list.items[next].use;
    }
    vec_release(&list);
}

const uint32_t *model_macro_uses(struct model *model, uint32_t index, size_t *count)
{
    const struct unit *unit = model->unit;
    const struct directive *d = &unit->directives.items[index];
    const struct symbol *symbol = unit_token(unit, d->name)->symbol;
    const struct decl *macro = macro_at(model, symbol, d->tokens.end);
    if (!macro || macro->directive != index)
        return model_uses(model, symbol, count); /* no definition for AMD compilers */
    if (!macro->uses)
        find_macro_uses(model, symbol);
    *count = macro->use_count;
    return macro->uses;
}
