/* What names stand for: variables, enumerators, parameters, template parameters at their
   instantiations, and the names of other files.  */
#include <config.h>

#include "annotate/model/constant_p.h"

#include <string.h>

#include "annotate/model/facts.h"

static bool variable_values(struct query *q, struct decl *decl, const struct frame *frame,
                            struct values *res)
{
    const struct node *declaration, *declarator, *value = NULL;
    if (!decl_nodes(q->model, decl, &declaration, &declarator))
        return false;
    const struct node *type = declaration->kids;
    bool constant = type->flags & TYPE_CONST && !declarator->stars;
    bool member = decl->kind == DECL_VARIABLE && decl->scope != NO_INDEX &&
                  q->unit->scopes.items[decl->scope].kind == SCOPE_CLASS &&
                  !(type->flags & TYPE_STATIC);
    if (type->flags & TYPE_VOLATILE || declarator->stars || type->stars || member ||
        (decl->kind == DECL_VARIABLE ? !constant : !constant && decl->changed))
        return false;
    tree_each (kid, declarator) {
        if (kid->kind != NODE_INITIALIZER)
            return false; /* an array */
        value = kid->kids;
    }
    if (!value || value->next || value->kind == NODE_LIST)
        return false;
    if (!query_values(q, value, frame, res))
        return false;
    return type->flags & TYPE_AUTO || constant_convert(res, query_decl_type(q, decl, frame));
}

static bool enumerator_values(struct query *q, struct decl *decl, const struct frame *frame,
                              struct values *res)
{
    struct decl *base = decl->base;
    struct values first;
    values_one(&first, 0, scalar_int);
    if (base->text.begin < base->text.end) {
        struct node *tree = decl_expression(q, base);
        if (!tree || !query_values(q, tree, frame, &first))
            return false;
    }
    for (unsigned i = 0; i < first.count; ++i) {
        struct value value = {(int64_t)((uint64_t)first.items[i].bits + decl->index),
                              first.items[i].type.bytes < 4 ? scalar_int : first.items[i].type};
        if (!values_add(res, value_convert(value, value.type)))
            return false;
    }
    return true;
}

/* The template whose parameter DECL is. */
static const struct symbol *template_name(const struct unit *unit, const struct decl *decl)
{
    if (decl->function != NO_INDEX)
        return unit_token(unit, unit->functions.items[decl->function].name)->symbol;
    return decl->own != NO_INDEX ? unit->scopes.items[decl->own].name : NULL;
}

/* The values of a template argument in the contexts that it is read in. */
struct instances {
    struct query *query;
    const struct node *tree;
    struct values *values;
    size_t shown;
};

static bool add_instance(void *data, const struct frame *frame)
{
    struct instances *instances = data;
    struct values part = {0};
    instances->shown++;
    return query_values(instances->query, instances->tree, frame, &part) &&
           values_join(instances->values, &part);
}

static bool template_values(struct query *q, struct decl *decl, const struct frame *frame,
                            struct values *res)
{
    struct template_argument *argument;
    const struct frame *outer;
    struct node *tree;
    if (query_template_argument(q, decl, frame, &argument, &outer)) {
        tree = query_argument_expression(q, argument);
        return tree && query_values(q, tree, outer, res);
    }
    if (decl->pack)
        return false;
    struct node *fallback = decl->text.begin < decl->text.end ? decl_expression(q, decl) : NULL;
    /* The instantiations that the file shows. */
    const struct symbol *name = template_name(q->unit, decl);
    size_t count = 0, missing = 0, shown = 0;
    struct template_use *uses = name ? template_uses(q->model, name, &count) : NULL;
    for (size_t i = 0; i < count; ++i) {
        if (uses[i].count <= decl->index) {
            ++missing;
            continue;
        }
        struct instances instances = {
            q, query_argument_expression(q, &uses[i].arguments[decl->index]), res, 0};
        if (!instances.tree || !query_contexts(q, uses[i].token, add_instance, &instances))
            return false;
        shown += instances.shown;
    }
    if (fallback && (missing || !shown)) {
        struct values part = {0};
        if (!query_values(q, fallback, frame, &part) || !values_join(res, &part))
            return false;
        ++shown;
    }
    if (!shown)
        return false;
    const struct type *type = query_decl_type(q, decl, frame);
    return type->kind == TYPE_UNKNOWN || constant_convert(res, type);
}

/* An argument of the call that FRAME is in the midst of. */
static bool parameter_values(struct query *q, struct decl *decl, const struct frame *frame,
                             struct values *res)
{
    for (; frame; frame = frame->outer) {
        if (frame->function != decl->function || frame->macro)
            continue;
        const struct node *argument = frame->arguments;
        for (unsigned i = 0; argument && i < decl->index; ++i)
            argument = argument->next;
        return argument && !decl->changed && query_values(q, argument, frame->outer, res) &&
               constant_convert(res, query_decl_type(q, decl, frame));
    }
    return false;
}

static bool plain_decl_values(struct query *q, struct decl *decl, const struct frame *frame,
                              struct values *res)
{
    switch (decl->kind) {
    case DECL_VARIABLE:
    case DECL_LOCAL:
        return variable_values(q, decl, frame, res);
    case DECL_PARAMETER:
        return parameter_values(q, decl, frame, res);
    case DECL_ENUMERATOR:
        return enumerator_values(q, decl, frame, res);
    case DECL_TEMPLATE_VALUE:
        return template_values(q, decl, frame, res);
    default:
        return false;
    }
}

/* What stands for DECL, kept where it does not depend on a frame. */
static bool decl_values(struct query *q, struct decl *decl, const struct frame *frame,
                        struct values *res)
{
    if (!frame && decl->cached) {
        if (decl->values)
            *res = *decl->values;
        return decl->values;
    }
    if (frame)
        return plain_decl_values(q, decl, frame, res);
    if (decl->busy) {
        q->cut = true;
        return false;
    }
    bool cut = q->cut;
    q->cut = false;
    decl->busy = true;
    bool known = plain_decl_values(q, decl, NULL, res);
    decl->busy = false;
    /* What a bound cut short is not worth asking again; what a cycle cut may be. */
    if (known || !q->cut || QUERY_STEPS <= q->steps) {
        decl->cached = true;
        if (known) {
            struct values *kept = arena_alloc(q->model->arena, sizeof *kept);
            *kept = *res;
            decl->values = kept;
        }
    }
    q->cut |= cut;
    return known;
}

/* What DECL, and what other branches of an #if have in its place, stand for. */
static bool decls_values(struct query *q, struct decl *decl, const struct frame *frame,
                         struct values *res)
{
    enum { ALTERNATIVES_MAX = 16 };
    if (q->origin == NO_TOKEN)
        q->origin = decl->token;
    if (decl->kind == DECL_ENUMERATOR)
        return decl_values(q, decl, frame, res);
    if (ALTERNATIVES_MAX < decl->alternatives)
        return false;
    for (; decl; decl = decl_alternative(decl)) {
        struct values part = {0};
        if (!decl_values(q, decl, frame, &part) || !values_join(res, &part))
            return false;
    }
    return true;
}

/* The macro SYMBOL at AT, in the file or given with -D. *IS_MACRO: it is one. */
static bool symbol_macro(struct query *q, const struct symbol *symbol, uint32_t at,
                         const struct frame *frame, struct values *res, bool *is_macro)
{
    struct decl *macro = macro_at(q->model, symbol, at);
    *is_macro = true;
    if (macro) {
        if (q->origin == NO_TOKEN)
            q->origin = macro->token;
        return constant_macro(q, macro, at, NULL, frame, res);
    }
    *is_macro = constant_given(q, symbol, at, res);
    return *is_macro;
}

/* What other files say of SYMBOL, which this one does not declare. */
static bool foreign_values(struct query *q, const struct symbol *symbol, struct values *res)
{
    struct constant constant;
    if (!model_facts_find(q->model->options, symbol->text, &constant))
        return false;
    for (unsigned i = 0; i < constant.count; ++i) {
        int64_t bits = constant.values[i];
        struct scalar type = INT32_MIN <= bits && bits <= INT32_MAX ? scalar_int : scalar_long;
        if (!values_add(res, (struct value){bits, type}))
            return false;
    }
    return true;
}

bool constant_symbol(struct query *q, const struct symbol *symbol, uint32_t at, struct values *res)
{
    bool is_macro, known = symbol_macro(q, symbol, at, NULL, res, &is_macro);
    if (is_macro)
        return known;
    struct decl *decl = decl_at(q->model, symbol, at);
    return decl ? decls_values(q, decl, NULL, res) : foreign_values(q, symbol, res);
}

bool constant_name(struct query *q, const struct node *node, const struct frame *frame,
                   struct values *res)
{
    const struct symbol *symbol = tree_symbol(q->unit, node);
    if (!symbol)
        return false;
    const struct node *argument;
    const struct frame *outer;
    if (query_macro_parameter(q, node->token, frame, &argument, &outer))
        return argument && query_values(q, argument, outer, res);
    bool qualified = node->flags & NAME_QUALIFIED, is_macro = false;
    if (!qualified) {
        if (!strcmp(symbol->text, "true") || !strcmp(symbol->text, "false"))
            return values_one(res, *symbol->text == 't', scalar_bool);
        bool known =
            symbol_macro(q, symbol, query_place(q, node->token, frame), frame, res, &is_macro);
        if (is_macro)
            return known;
    }
    struct frame inner;
    struct decl *decl = query_meaning(q, node, frame, &inner);
    if (!decl)
        return foreign_values(q, symbol, res);
    /* A variable of the file sees nothing of the frame; a member of a template class does. */
    const struct frame *in = frame;
    if (qualified)
        in = inner.use ? &inner : NULL;
    else if (decl->kind == DECL_VARIABLE || decl->kind == DECL_ENUMERATOR)
        in = frame && frame->record != NO_INDEX ? frame : NULL;
    return decls_values(q, decl, in, res);
}
