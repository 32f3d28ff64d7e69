#include <config.h>

#include "annotate/model/uses_p.h"

#include <stdlib.h>
#include <string.h>

struct use {
    const struct symbol *symbol;
    uint32_t token;
};

struct model_uses {
    const struct symbol **symbols; /* sorted; of each token in */
    uint32_t *tokens;
    size_t count;
    struct declared {
        uint32_t name;
        uint32_t index;
    } * declared;        /* functions by the token of their names */
    uint32_t *functions; /* by symbol, then in their order */
    size_t function_count;
};

static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->symbol != y->symbol)
        return (uintptr_t)x->symbol < (uintptr_t)y->symbol ? -1 : 1;
    return x->token < y->token ? -1 : x->token > y->token;
}

static int compare_declared(const void *a, const void *b)
{
    const struct declared *x = a, *y = b;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* Fills the list of functions by name. */
static void list_functions(struct model *model, struct model_uses *uses)
{
    const struct unit *unit = model->unit;
    VEC(struct use) list = {0};
    for (uint32_t i = 0; i < unit->functions.count; ++i) {
        const struct token *name = unit_token(unit, unit->functions.items[i].name);
        if (token_region(name) != REGION_CUDA)
            *vec_push(&list) = (struct use){name->symbol, i};
    }
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, compare_uses);
    uses->function_count = list.count;
    uses->functions = arena_zalloc(model->arena, list.count, sizeof *uses->functions);
    for (size_t i = 0; i < list.count; ++i)
        uses->functions[i] = list.items[i].token;
    vec_release(&list);
}

static struct model_uses *index_uses(struct model *model)
{
    const struct unit *unit = model->unit;
    VEC(struct use) uses = {0};
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_IDENT && token->symbol && token_is_code(token) &&
            token_region(token) != REGION_CUDA)
            *vec_push(&uses) = (struct use){token->symbol, i};
    }
    struct model_uses *res = arena_zalloc(model->arena, 1, sizeof *res);
    res->count = uses.count;
    res->symbols = arena_zalloc(model->arena, uses.count, sizeof *res->symbols);
    res->tokens = arena_zalloc(model->arena, uses.count, sizeof *res->tokens);
    if (uses.count)
        qsort(uses.items, uses.count, sizeof *uses.items, compare_uses);
    for (size_t i = 0; i < uses.count; ++i) {
        res->symbols[i] = uses.items[i].symbol;
        res->tokens[i] = uses.items[i].token;
    }
    vec_release(&uses);
    res->declared = arena_zalloc(model->arena, unit->functions.count, sizeof *res->declared);
    for (size_t i = 0; i < unit->functions.count; ++i)
        res->declared[i] = (struct declared){unit->functions.items[i].name, (uint32_t)i};
    if (unit->functions.count)
        qsort(res->declared, unit->functions.count, sizeof *res->declared, compare_declared);
    list_functions(model, res);
    return res;
}

static struct model_uses *uses_of(struct model *model)
{
    if (!model->uses)
        model->uses = index_uses(model);
    return model->uses;
}

/* Index of the first use whose symbol is not below ADDRESS. */
static size_t first_use(const struct model_uses *uses, uintptr_t address)
{
    size_t low;
    vec_search(low, uses->count, (uintptr_t)uses->symbols[low] < address);
    return low;
}

const uint32_t *model_uses(struct model *model, const struct symbol *name, size_t *count)
{
    const struct model_uses *uses = uses_of(model);
    size_t begin = first_use(uses, (uintptr_t)name);
    *count = first_use(uses, (uintptr_t)name + 1) - begin;
    return uses->tokens + begin;
}

size_t model_function_named(struct model *model, uint32_t token)
{
    size_t count = model->unit->functions.count;
    const struct declared key = {.name = token},
                          *found = count ? bsearch(&key, uses_of(model)->declared, count,
                                                   sizeof key, compare_declared)
                                         : NULL;
    return found ? found->index : NO_INDEX;
}

static const struct symbol *function_symbol(const struct unit *unit, uint32_t index)
{
    return unit_token(unit, unit->functions.items[index].name)->symbol;
}

const uint32_t *model_functions_called(struct model *model, const struct symbol *name,
                                       size_t *count)
{
    const struct unit *unit = model->unit;
    const struct model_uses *uses = uses_of(model);
    size_t low;
    vec_search(low, uses->function_count,
               (uintptr_t)function_symbol(unit, uses->functions[low]) < (uintptr_t)name);
    size_t end = low;
    while (end < uses->function_count && end < low + MAX_OVERLOADS &&
           function_symbol(unit, uses->functions[end]) == name)
        ++end;
    *count = end - low;
    return uses->functions + low;
}

bool model_call_arguments(struct model *model, uint32_t token, struct arguments *res)
{
    const struct unit *unit = model->unit;
    uint32_t open = unit_next(unit, token);
    if (unit_kind(unit, open) == TOK_LESS && unit_partner(unit, open) != NO_TOKEN &&
        open < unit_partner(unit, open))
        open = unit_next(unit, unit_partner(unit, open));
    return unit_kind(unit, open) == TOK_LPAREN && unit_arguments(unit, open, model->arena, res);
}

bool model_internal(const struct model *model, size_t index)
{
    const struct unit *unit = model->unit;
    if (unit_is_header(unit) || (model->options && model->options->included))
        return false;
    const struct function *function = &unit->functions.items[index];
    for (uint32_t i = function->head.begin; i < function->name; ++i) {
        const struct symbol *symbol = unit_token(unit, i)->symbol;
        if (symbol && !strcmp(symbol->text, "static"))
            return true;
    }
    for (uint32_t s = function->scope; s != NO_INDEX; s = unit->scopes.items[s].parent)
        if (unit->scopes.items[s].kind == SCOPE_NAMESPACE && !unit->scopes.items[s].name)
            return true;
    return false;
}
