/* Where templates are used with arguments, and function-like macros and function templates are
   called: lists by name.  */
#include <config.h>

#include "annotate/model/names_p.h"

#include <stdlib.h>

/* Uses of templates. */

static int compare_uses(const void *va, const void *vb)
{
    const struct template_use *a = va, *b = vb;
    if (a->symbol != b->symbol)
        return (uintptr_t)a->symbol < (uintptr_t)b->symbol ? -1 : 1;
    return a->token < b->token ? -1 : a->token != b->token;
}

void names_collect_uses(struct model *model, struct model_names *names)
{
    const struct unit *unit = model->unit;
    for (uint32_t i = 0; i + 2 < names_end(unit); ++i) {
        uint32_t close = unit_partner(unit, i + 1);
        if (unit_kind(unit, i) != TOK_IDENT || unit_kind(unit, i + 1) != TOK_LESS ||
            close == NO_TOKEN || close <= i + 1 || unit_token(unit, i)->flags & TOKEN_CUDA_SIDE)
            continue;
        struct range range = {i + 2, close};
        struct template_use use = {.symbol = unit_token(unit, i)->symbol, .token = i};
        enum { ARGUMENTS_MAX = 64 };
        struct range ranges[ARGUMENTS_MAX];
        use.count = split_range(unit, range, ranges, ARGUMENTS_MAX);
        if (ARGUMENTS_MAX < use.count)
            use.count = ARGUMENTS_MAX;
        use.arguments = arena_zalloc(model->arena, use.count, sizeof *use.arguments);
        for (unsigned k = 0; k < use.count; ++k)
            use.arguments[k].range = ranges[k];
        *vec_push(&names->uses) = use;
    }
    if (names->uses.count)
        qsort(names->uses.items, names->uses.count, sizeof *names->uses.items, compare_uses);
}

struct template_use *template_uses(struct model *model, const struct symbol *symbol, size_t *count)
{
    struct model_names *names = model_index(model);
    const struct template_use *uses = names->uses.items;
    size_t low, end;
    vec_search(low, names->uses.count, (uintptr_t)uses[low].symbol < (uintptr_t)symbol);
    vec_search(end, names->uses.count, (uintptr_t)uses[end].symbol <= (uintptr_t)symbol);
    *count = end - low;
    return *count ? &names->uses.items[low] : NULL;
}

/* Calls. */

static int compare_calls(const void *va, const void *vb)
{
    const struct call *a = va, *b = vb;
    if (a->symbol != b->symbol)
        return (uintptr_t)a->symbol < (uintptr_t)b->symbol ? -1 : 1;
    return a->token < b->token ? -1 : a->token != b->token;
}

/* Whether SYMBOL is one of those whose calls are kept. */
static bool is_called(const struct model *model, const struct model_names *names,
                      const struct symbol *symbol)
{
    enum { STEPS_MAX = 16 };
    const struct unit *unit = model->unit;
    const struct decl_table *macros = &names->macros, *decls = &names->decls;
    size_t position = decl_table_position(macros, symbol, names_end(unit));
    if (position && macros->list.items[position - 1]->symbol == symbol)
        return unit->directives.items[macros->list.items[position - 1]->directive].function_like;
    position = decl_table_position(decls, symbol, names_end(unit));
    for (unsigned i = 0; position && i < STEPS_MAX; --position, ++i) {
        const struct decl *decl = decls->list.items[position - 1];
        if (decl->symbol != symbol)
            break;
        if (decl->kind == DECL_FUNCTION &&
            unit->functions.items[decl->function].flags & FUNCTION_TEMPLATE)
            return true;
    }
    return false;
}

/* The parenthesis of the arguments of what is called at TOKEN, or NO_TOKEN. */
static uint32_t call_parenthesis(const struct unit *unit, uint32_t token)
{
    uint32_t i = token + 1;
    if (unit_kind(unit, i) == TOK_LESS && unit_partner(unit, i) != NO_TOKEN)
        i = unit_partner(unit, i) + 1;
    if (unit_kind(unit, i) == TOK_LAUNCH_OPEN && unit_partner(unit, i) != NO_TOKEN)
        i = unit_partner(unit, i) + 1;
    return unit_kind(unit, i) == TOK_LPAREN && unit_partner(unit, i) != NO_TOKEN ? i : NO_TOKEN;
}

void names_collect_calls(struct model *model, struct model_names *names)
{
    const struct unit *unit = model->unit;
    for (uint32_t i = 0; i + 2 < names_end(unit); ++i) {
        if (unit_kind(unit, i) != TOK_IDENT || unit_token(unit, i)->flags & TOKEN_CUDA_SIDE)
            continue;
        uint32_t open = call_parenthesis(unit, i);
        const struct symbol *symbol = unit_token(unit, i)->symbol;
        if (open == NO_TOKEN || !is_called(model, names, symbol))
            continue;
        uint32_t function = function_around(model, i);
        if (function != NO_INDEX && unit->functions.items[function].name == i)
            continue; /* its declaration */
        if (unit_token(unit, i)->flags & TOKEN_DIRECTIVE &&
            !(unit_token(unit, i)->flags & TOKEN_MACRO_BODY))
            continue; /* #define NAME(...) */
        *vec_push(&names->calls) =
            (struct call){.symbol = symbol, .token = i, .range = {i, unit_partner(unit, open) + 1}};
    }
    if (names->calls.count)
        qsort(names->calls.items, names->calls.count, sizeof *names->calls.items, compare_calls);
}

struct call *calls_of(struct model *model, const struct symbol *symbol, size_t *count)
{
    struct model_names *names = model_index(model);
    const struct call *calls = names->calls.items;
    size_t low, end;
    vec_search(low, names->calls.count, (uintptr_t)calls[low].symbol < (uintptr_t)symbol);
    vec_search(end, names->calls.count, (uintptr_t)calls[end].symbol <= (uintptr_t)symbol);
    *count = end - low;
    return *count ? &names->calls.items[low] : NULL;
}
