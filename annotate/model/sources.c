#include <config.h>

#include "annotate/model/sources.h"

#include <string.h>

#include "annotate/model/facts.h"
#include "annotate/model/flow.h"
#include "annotate/model/launch.h"
#include "annotate/model/query_p.h"

/* ---- lists */

static bool is_same(const struct model_place *a, const struct model_place *b)
{
    if (!a->file != !b->file || a->how != b->how)
        return false;
    if (!a->file)
        return a->span.begin == b->span.begin;
    return a->begin.line == b->begin.line && a->begin.column == b->begin.column &&
           !strcmp(a->file, b->file);
}

void place_list_add(struct place_list *list, const struct model_place *place)
{
    for (unsigned i = 0; i < list->count; ++i)
        if (is_same(&list->items[i], place))
            return;
    if (list->count < MODEL_PLACES)
        list->items[list->count++] = *place;
}

void place_list_join(struct place_list *list, const struct model_places *places)
{
    for (unsigned i = 0; i < places->count; ++i)
        place_list_add(list, &places->items[i]);
}

struct model_places place_list_keep(const struct place_list *list, struct arena *arena)
{
    if (!list->count)
        return (struct model_places){0};
    struct model_place *items = arena_zalloc(arena, list->count, sizeof *items);
    memcpy(items, list->items, list->count * sizeof *items);
    return (struct model_places){items, list->count};
}

/* ---- places */

/* Whether FUNCTION is one that is looked into. */
static bool is_short(const struct function *function)
{
    enum { SHORT_BODY = 60 }; /* tokens */
    return !(function->flags & FUNCTION_GLOBAL) &&
           function->body.end <= function->body.begin + SHORT_BODY;
}

struct range model_definition(struct model *model, struct decl *decl)
{
    const struct node *declaration, *declarator;
    struct range res = {decl->token, decl->token + 1};
    uint32_t end = decl->text.end;
    if (decl->own != NO_INDEX && (decl->kind == DECL_RECORD || decl->kind == DECL_ENUM))
        return model->unit->scopes.items[decl->own].tokens;
    if (decl->kind == DECL_FUNCTION)
        end = is_short(&model->unit->functions.items[decl->function])
                  ? model->unit->functions.items[decl->function].body.end
                  : 0;
    else if (decl->kind == DECL_MACRO)
        end = model->unit->directives.items[decl->directive].body.end;
    else if ((decl->kind == DECL_VARIABLE || decl->kind == DECL_LOCAL) &&
             decl_nodes(model, decl, &declaration, &declarator))
        end = declarator->tokens.end;
    res.end = res.end < end ? end : res.end;
    return res;
}

/* ---- what names stand for */

enum {
    SOURCE_DECLS = 32, /* that are followed */
    SOURCE_TOKENS = 1000,
    SOURCE_DEPTH = 12,
};

struct walk {
    struct model *model;
    struct model_grounds res;
    enum source_of what;
    const struct decl *seen[SOURCE_DECLS];
    unsigned seen_count, tokens, depth;
};

static void walk_range(struct walk *w, struct range range);

/* Whether DECL, which is used, is one more; then its place counts. */
static bool enter(struct walk *w, struct decl *decl)
{
    for (unsigned i = 0; i < w->seen_count; ++i)
        if (w->seen[i] == decl)
            return false;
    if (w->seen_count == SOURCE_DECLS)
        return false;
    w->seen[w->seen_count++] = decl;
    if (w->res.own && decl->kind != DECL_NAMESPACE) {
        struct range range = model_definition(w->model, decl);
        const struct model_place own = {.how = RELATED_DEFINED,
                                        .name = decl->symbol->text,
                                        .span = unit_span(w->model->unit, range)};
        place_list_add(w->res.own, &own);
    }
    return true;
}

static void walk_macro(struct walk *w, struct decl *macro)
{
    for (; macro && enter(w, macro); macro = decl_alternative(macro))
        walk_range(w, w->model->unit->directives.items[macro->directive].body);
}

/* What gives the local variable DECL its values where it stands AT. */
static void walk_local(struct walk *w, const struct decl *decl, uint32_t at)
{
    struct reaching reaching;
    if (!decl->changed || decl->function == NO_INDEX ||
        !flow_reaching(w->model, decl->function, decl->symbol, NULL, 0, at, &reaching, NULL))
        return;
    for (unsigned i = 0; i < reaching.count; ++i)
        if (reaching.items[i]->kind == DEFINITION_ASSIGNED)
            walk_range(w, reaching.items[i]->node->tokens);
}

/* The arguments with which the file uses the template whose parameter DECL is. */
static void walk_arguments(struct walk *w, const struct decl *decl)
{
    const struct unit *unit = w->model->unit;
    const struct symbol *name = NULL;
    size_t count = 0;
    if (decl->function != NO_INDEX)
        name = unit_token(unit, unit->functions.items[decl->function].name)->symbol;
    else if (decl->own != NO_INDEX)
        name = unit->scopes.items[decl->own].name;
    struct template_use *uses = name ? template_uses(w->model, name, &count) : NULL;
    for (size_t i = 0; i < count && i < SOURCE_DECLS; ++i)
        if (decl->index < uses[i].count)
            walk_range(w, uses[i].arguments[decl->index].range);
    walk_range(w, decl->text);
}

/* A function that is called where it stands AT. */
static void walk_function(struct walk *w, const struct decl *decl, uint32_t at)
{
    const struct unit *unit = w->model->unit;
    const struct function *function = &unit->functions.items[decl->function];
    if (at != function->name && unit_kind(unit, at + 1) == TOK_LPAREN && is_short(function))
        walk_range(w, function->body);
}

static void walk_decl(struct walk *w, struct decl *decl, uint32_t at)
{
    const struct node *declaration, *declarator;
    bool scope = decl->kind == DECL_RECORD || decl->kind == DECL_ENUM;
    /* As a qualifier a class says nothing of the value. */
    if ((scope && w->what == SOURCES_OF_VALUES) || !enter(w, decl))
        return;
    switch (decl->kind) {
    case DECL_VARIABLE:
    case DECL_LOCAL:
        if (decl_nodes(w->model, decl, &declaration, &declarator)) {
            if (w->what == SOURCES_OF_SIZES)
                walk_range(w, declaration->kids->tokens);
            walk_range(w, declarator->tokens);
        }
        if (decl->kind == DECL_LOCAL)
            walk_local(w, decl, at);
        break;
    case DECL_ENUMERATOR:
        walk_range(w, decl->base->text);
        break;
    case DECL_TEMPLATE_VALUE:
    case DECL_TEMPLATE_TYPE:
        walk_arguments(w, decl);
        break;
    case DECL_FUNCTION:
        walk_function(w, decl, at);
        break;
    case DECL_ALIAS:
        walk_range(w, decl->text);
        break;
    case DECL_RECORD:
        if (decl->own != NO_INDEX)
            walk_range(w, w->model->unit->scopes.items[decl->own].tokens);
        break;
    default:
        break;
    }
}

static bool is_given(const struct model_options *options, const char *name)
{
    for (size_t i = 0; options && i < options->define_count; ++i)
        if (!strcmp(options->defines[i].name, name))
            return true;
    return false;
}

static void walk_name(struct walk *w, const struct symbol *name, uint32_t at)
{
    struct decl *decl = macro_at(w->model, name, at);
    if (decl) {
        walk_macro(w, decl);
        return;
    }
    decl = decl_at(w->model, name, at);
    if (decl)
        walk_decl(w, decl, at);
    else if (w->res.others && !is_given(w->model->options, name->text))
        model_facts_places(w->model->options, name->text, w->what, w->res.others);
}

static void walk_range(struct walk *w, struct range range)
{
    const struct unit *unit = w->model->unit;
    if (w->depth == SOURCE_DEPTH)
        return;
    ++w->depth;
    for (uint32_t i = range.begin; i < range.end && w->tokens < SOURCE_TOKENS; ++i, ++w->tokens) {
        enum token_kind before = i ? unit_kind(unit, i - 1) : TOK_EOF;
        if (unit_kind(unit, i) == TOK_SIZEOF)
            w->what = SOURCES_OF_SIZES;
        if (unit_kind(unit, i) == TOK_IDENT && before != TOK_DOT && before != TOK_ARROW)
            walk_name(w, unit_token(unit, i)->symbol, i);
    }
    --w->depth;
}

/* Whether there are others. */
static bool is_alone(const struct model *model)
{
    const struct model_options *o = model->options;
    return !o || !(o->scopes[0].count || o->scopes[1].count || o->user_count);
}

void model_sources(struct model *model, struct range range, enum source_of what,
                   struct model_grounds res)
{
    struct walk w = {.model = model, .res = res, .what = what};
    if (is_alone(model))
        w.res.others = NULL;
    if (w.res.others || w.res.own)
        walk_range(&w, range);
}

struct range model_launch_place(const struct launch_site *site)
{
    struct range res = {site->token, site->token + 1};
    for (int i = 0; i < 3; ++i)
        if (site->block[i].expression && res.end < site->block[i].expression->tokens.end)
            res.end = site->block[i].expression->tokens.end;
    return res;
}

void model_launch_sources(struct model *model, size_t index, struct model_grounds res)
{
    size_t count;
    const struct launch_site *const *sites = model_launches_of(model, index, &count, NULL);
    for (size_t i = 0; i < count && i < MODEL_PLACES; ++i) {
        const struct model_place own = {
            .how = RELATED_LAUNCHED, .span = unit_span(model->unit, model_launch_place(sites[i]))};
        if (res.own)
            place_list_add(res.own, &own);
        for (int k = 0; k < 3; ++k)
            if (sites[i]->block[k].expression)
                model_sources(model, sites[i]->block[k].expression->tokens, SOURCES_OF_VALUES, res);
    }
    if (res.others)
        model_launches_elsewhere(model, index, res.others);
}
