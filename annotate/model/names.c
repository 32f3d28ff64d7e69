/* The index of a file's declarations, and those of its functions when one is asked for.

   The first walk goes over the declarations of the file, its namespaces and classes, and over the
   directives; functions' bodies are read with their trees, one at a time.  */
#include <config.h>

#include "annotate/model/names_p.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/macros.h"
#include "base/xalloc.h"

/* Tables. */

static int compare_decls(const void *va, const void *vb)
{
    const struct decl *a = *(struct decl *const *)va, *b = *(struct decl *const *)vb;
    if (a->symbol != b->symbol)
        return (uintptr_t)a->symbol < (uintptr_t)b->symbol ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end)
        return b->end < a->end ? -1 : 1;
    return a->token < b->token ? -1 : a->token != b->token;
}

void decl_table_finish(struct decl_table *table)
{
    if (!table->list.count)
        return;
    qsort(table->list.items, table->list.count, sizeof *table->list.items, compare_decls);
    for (size_t i = 0; i < table->list.count; ++i) {
        struct decl *decl = table->list.items[i], *outer = i ? table->list.items[i - 1] : NULL;
        if (outer && outer->symbol != decl->symbol)
            outer = NULL;
        while (outer && outer->end <= decl->begin)
            outer = outer->outer;
        decl->outer = outer;
        const struct decl *other = decl_alternative(decl);
        decl->alternatives = other ? other->alternatives + 1 : 1;
    }
}

size_t decl_table_position(const struct decl_table *table, const struct symbol *symbol, uint32_t at)
{
    struct decl *const *list = table->list.items;
    size_t low;
    vec_search(low, table->list.count,
               list[low]->symbol == symbol ? list[low]->begin <= at
                                           : (uintptr_t)list[low]->symbol < (uintptr_t)symbol);
    return low;
}

struct decl *decl_table_find(const struct decl_table *table, const struct symbol *symbol,
                             uint32_t at)
{
    size_t position = decl_table_position(table, symbol, at);
    struct decl *decl = position ? table->list.items[position - 1] : NULL;
    if (!decl || decl->symbol != symbol)
        return NULL;
    while (decl && decl->end <= at)
        decl = decl->outer;
    return decl;
}

struct decl *decl_new(struct model *model, enum decl_kind kind, uint32_t token)
{
    struct decl *res = arena_zalloc(model->arena, 1, sizeof *res);
    res->kind = kind;
    res->token = token;
    res->symbol = unit_token(model->unit, token)->symbol;
    res->scope = res->own = res->function = res->directive = NO_INDEX;
    return res;
}

/* Macros. */

/* Whether -D says NAME. */
static bool is_given(const struct model *model, const struct symbol *name)
{
    if (model->options)
        for (size_t i = 0; i < model->options->define_count; ++i)
            if (!strcmp(model->options->defines[i].name, name->text))
                return true;
    return false;
}

static void collect_macros(struct model *model, struct model_names *names)
{
    const struct unit *unit = model->unit;
    VEC(struct decl *) undefined = {0};
    for (uint32_t i = 0; i < unit->directives.count; ++i) {
        const struct directive *d = &unit->directives.items[i];
        if ((d->kind != TOK_PP_DEFINE && d->kind != TOK_PP_UNDEF) || d->name == NO_TOKEN ||
            !unit_token(unit, d->name)->symbol ||
            unit_token(unit, d->tokens.begin)->flags & TOKEN_CUDA_SIDE)
            continue;
        struct decl *decl = decl_new(model, DECL_MACRO, d->name);
        decl->begin = d->kind == TOK_PP_UNDEF ? d->tokens.begin : d->tokens.end;
        decl->end = names_end(unit);
        decl->directive = i;
        decl->text = d->body;
        if (d->kind == TOK_PP_UNDEF) {
            *vec_push(&undefined) = decl;
        } else if (!(model_is_default_of(unit, d->parent, decl->symbol) &&
                     is_given(model, decl->symbol))) {
            *vec_push(&names->macros.list) = decl;
        }
    }
    /* An #undef ends what is defined before it; the last of them in a row the first one after. */
    if (undefined.count)
        qsort(undefined.items, undefined.count, sizeof *undefined.items, compare_decls);
    if (names->macros.list.count)
        qsort(names->macros.list.items, names->macros.list.count, sizeof *names->macros.list.items,
              compare_decls);
    size_t k = 0;
    vec_each (struct decl *, item, &names->macros.list) {
        struct decl *decl = *item;
        while (k < undefined.count && compare_decls(&undefined.items[k], item) < 0)
            ++k;
        if (k < undefined.count && undefined.items[k]->symbol == decl->symbol)
            decl->end = undefined.items[k]->begin;
    }
    vec_release(&undefined);
    decl_table_finish(&names->macros);
    macros_link_readings(unit, &names->macros);
}

/* The index. */

struct model_names *model_index(struct model *model)
{
    if (model->names)
        return model->names;
    const struct unit *unit = model->unit;
    struct model_names *names = xcalloc(1, sizeof *names);
    model->names = names;
    names->members = arena_zalloc(model->arena, unit->scopes.count + 1, sizeof *names->members);
    names->locals = arena_zalloc(model->arena, unit->functions.count, sizeof *names->locals);
    names->records = arena_zalloc(model->arena, unit->scopes.count, sizeof *names->records);
    collect_macros(model, names);
    names_walk(model, names);
    decl_table_finish(&names->decls);
    names_collect_uses(model, names);
    names_collect_calls(model, names);
    return names;
}

void model_index_release(struct model *model)
{
    struct model_names *names = model->names;
    if (!names)
        return;
    vec_release(&names->macros.list);
    vec_release(&names->decls.list);
    vec_release(&names->uses);
    vec_release(&names->calls);
    vec_release(&names->shared);
    for (size_t i = 0; i < model->unit->functions.count; ++i)
        vec_release(&names->locals[i].table.list);
    free(names);
    model->names = NULL;
}

struct decl *macro_at(struct model *model, const struct symbol *symbol, uint32_t at)
{
    return decl_table_find(&model_index(model)->macros, symbol, at);
}

struct decl *decl_alternative(const struct decl *decl)
{
    struct decl *outer = decl->outer;
    return outer && outer->end == decl->end && outer->kind == decl->kind &&
                   outer->scope == decl->scope
               ? outer
               : NULL;
}

/* Looking up. */

/* A place from which names are looked up. */
struct outlook {
    uint32_t at;
    uint32_t scope; /* around it, or NO_INDEX */
};

static bool scope_holds(const struct unit *unit, uint32_t scope, const struct outlook *from)
{
    if (scope == NO_INDEX)
        return true;
    const struct scope *around = &unit->scopes.items[scope];
    if (around->kind != SCOPE_NAMESPACE)
        return true; /* the extent says it */
    if (around->tokens.begin <= from->at && from->at < around->tokens.end)
        return true;
    /* A namespace that is opened again. */
    for (uint32_t i = from->scope; i != NO_INDEX; i = unit->scopes.items[i].parent)
        if (unit->scopes.items[i].kind == SCOPE_NAMESPACE &&
            unit->scopes.items[i].name == around->name)
            return true;
    return false;
}

/* The class that OWNER::f(), around AT in SCOPE, belongs to, or NO_INDEX. */
static uint32_t owner_at(struct model *model, uint32_t at, uint32_t scope_at)
{
    const struct unit *unit = model->unit;
    for (uint32_t i = scope_at; i != NO_INDEX; i = unit->scopes.items[i].parent) {
        const struct scope *scope = &unit->scopes.items[i];
        if (scope->kind != SCOPE_FUNCTION || !scope->owner)
            continue;
        struct decl *owner = decl_table_find(&model_index(model)->decls, scope->owner, at);
        if (owner && owner->kind == DECL_RECORD)
            return owner->own;
    }
    return NO_INDEX;
}

struct decl *decl_at(struct model *model, const struct symbol *symbol, uint32_t at)
{
    enum { STEPS_MAX = 64 };
    struct model_names *names = model_index(model);
    model->work++;
    for (uint32_t i = function_around(model, at); i != NO_INDEX; i = model->function_outer[i]) {
        model->work++;
        struct decl *local = decl_table_find(names_of_function(model, i), symbol, at);
        if (local)
            return local;
    }
    struct decl *found = decl_table_find(&names->decls, symbol, at), *fallback = NULL,
                *member = NULL;
    struct outlook from = {.at = at, .scope = unit_scope_at(model->unit, at)};
    uint32_t owner = owner_at(model, at, from.scope);
    if (owner != NO_INDEX)
        member = decl_in(model, symbol, owner);
    unsigned steps = 0;
    for (; found && steps++ < STEPS_MAX; found = found->outer) {
        model->work++;
        if (found->end <= at || found->scoped)
            continue;
        bool held = scope_holds(model->unit, found->scope, &from);
        if (held && found->end != names_end(model->unit))
            return found;
        if (member)
            return member;
        if (held)
            return found;
        if (!fallback)
            fallback = found;
    }
    return fallback ? fallback : member;
}

struct decl *decl_in(struct model *model, const struct symbol *symbol, uint32_t scope)
{
    enum { STEPS_MAX = 256 };
    const struct unit *unit = model->unit;
    const struct decl_table *table = &model_index(model)->decls;
    const struct scope *in = &unit->scopes.items[scope];
    uint32_t at = in->kind == SCOPE_CLASS ? in->open : names_end(unit);
    size_t position = decl_table_position(table, symbol, at);
    for (unsigned steps = 0; position && steps < STEPS_MAX; --position, ++steps) {
        struct decl *decl = table->list.items[position - 1];
        if (decl->symbol != symbol)
            return NULL;
        if (decl->scope == NO_INDEX)
            continue;
        const struct scope *of = &unit->scopes.items[decl->scope];
        if (decl->scope == scope ||
            (of->kind == SCOPE_ENUM && of->parent == scope && !decl->scoped) ||
            (in->kind == SCOPE_NAMESPACE && of->kind == SCOPE_NAMESPACE && of->name == in->name))
            return decl;
    }
    return NULL;
}

bool decl_nodes(struct model *model, struct decl *decl, const struct node **declaration,
                const struct node **declarator)
{
    struct statement *statement = decl->statement;
    if (!decl->declaration && statement) {
        if (!statement->parsed) {
            statement->parsed = true;
            statement->tree = tree_declaration(&model->trees, statement->tokens);
        }
        decl->declaration = statement->tree;
        if (statement->tree)
            for (const struct node *kid = statement->tree->kids->next; kid; kid = kid->next)
                if (kid->token == decl->token)
                    decl->declarator = kid;
    }
    *declaration = decl->declaration;
    *declarator = decl->declarator;
    return decl->declaration && decl->declarator;
}
