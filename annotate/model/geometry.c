/* Expressions of the host's code: their values by kind, through names, macros and calls; the
   questions of geometry.h.  */
#include <config.h>

#include "annotate/model/geometry_p.h"

#include <string.h>

static triples from_constant(struct geometry *g, const struct constant *c)
{
    triples res = {0};
    g->either |= 1 < c->count;
    for (unsigned i = 0; i < c->count; ++i)
        triples_add(&res, (const int64_t[]){c->values[i], 1, 1});
    return res;
}

int geometry_component(const struct symbol *member)
{
    return member && member->len == 1 && 'x' <= member->text[0] && member->text[0] <= 'z'
               ? member->text[0] - 'x'
               : -1;
}

bool geometry_is_dim3(const struct symbol *name)
{
    return symbol_is(name, "dim3") || symbol_is(name, "uint3") || symbol_is(name, "make_uint3") ||
           symbol_is(name, "int3") || symbol_is(name, "make_int3") || symbol_is(name, "make_dim3");
}

bool geometry_is_floating(const struct symbol *name)
{
    return symbol_is(name, "float") || symbol_is(name, "double");
}

triples geometry_unknown_at(struct geometry *g, uint32_t token)
{
    if (g->unknown_at == NO_TOKEN)
        g->unknown_at = token;
    return triples_unknown();
}

/* Expressions. */

triples geometry_dimensions(struct geometry *g, const struct node *first, const struct frame *frame)
{
    triples parts[3] = {triples_single(1), triples_single(1), triples_single(1)};
    const struct node *said[3] = {NULL};
    unsigned count = 0;
    for (const struct node *kid = first; kid && kid->kind != NODE_EMPTY; kid = kid->next) {
        unsigned at = count++;
        if (kid->kind == NODE_FIELD) {
            int c = geometry_component(tree_symbol(g->model->unit, kid));
            at = c < 0 ? 3 : (unsigned)c;
        }
        if (3 <= at)
            return triples_unknown();
        said[at] = kid->kind == NODE_FIELD ? kid->kids : kid;
        parts[at] = said[at] ? geometry_value(g, said[at], frame) : triples_unknown();
        /* dim3(other) copies. */
        if (count == 1 && !kid->next && kid->kind != NODE_FIELD)
            return parts[0].count ? parts[0] : triples_single(UNKNOWN_COMPONENT);
    }
    triples res = triples_cross(parts);
    memcpy(res.said, said, sizeof said);
    return res;
}

/* The tree of the argument or macro text RANGE: an expression. */
static triples value_of_range(struct geometry *g, struct range range, const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    if (range.end <= range.begin)
        return triples_unknown();
    if (unit_kind(unit, range.begin) == TOK_LBRACE) {
        /* { a, b }: what stands between, one by one. */
        struct arguments items = {0};
        struct node *first = NULL, **last = &first;
        if (!unit_arguments(unit, range.begin, g->model->arena, &items))
            return triples_unknown();
        for (int i = 0; i < items.count; ++i) {
            *last = tree_expression(&g->model->trees, items.items[i]);
            if (!*last)
                return triples_unknown();
            last = &(*last)->next;
        }
        return geometry_dimensions(g, first, frame);
    }
    const struct node *tree = tree_expression(&g->model->trees, range);
    return tree ? geometry_value(g, tree, frame) : triples_unknown();
}

/* Parameters of functions. */

static triples param_default(struct geometry *g, const struct node *param)
{
    const struct node *declarator = param ? tree_kid(param, 1) : NULL;
    for (const struct node *kid = declarator ? declarator->kids : NULL; kid; kid = kid->next)
        if (kid->kind == NODE_INITIALIZER && kid->kids)
            return kid->kids->kind == NODE_LIST ? geometry_dimensions(g, kid->kids->kids, NULL)
                                                : geometry_value(g, kid->kids, NULL);
    return triples_unknown();
}

struct at_calls {
    struct geometry *g;
    size_t function;
    unsigned index;                /* of the parameter; or */
    const struct node *expression; /* what is asked for as a whole, or NULL */
    struct gather all;
    bool any;
};

static void value_at_call(const struct frame *frame, void *data)
{
    struct at_calls *calls = data;
    calls->any = true;
    if (!calls->all.failed)
        triples_gather(&calls->all,
                       calls->expression
                           ? geometry_value(calls->g, calls->expression, frame)
                           : geometry_param(calls->g, calls->function, calls->index, frame));
}

triples geometry_param(struct geometry *g, size_t function, unsigned index,
                       const struct frame *frame)
{
    struct model *model = g->model;
    if (frame && !frame->macro && frame->function == function)
        return index < frame->argument_count
                   ? value_of_range(g, frame->arguments[index], frame->outer)
                   : param_default(
                         g, model_declaration_with_default(model, function, index)->params[index]);
    g->asked |= frame ? 0 : (uint64_t)1 << index % 64;
    struct at_calls calls = {.g = g, .function = function, .index = index};
    calls.all.set.open = !model_internal(model, function);
    if (!geometry_each_call(model, function, value_at_call, &calls))
        return triples_unknown();
    return calls.any ? triples_gathered(&calls.all)
                     : geometry_unknown_at(g, model->unit->functions.items[function].name);
}

/* Names. */

/* `dim3 block (16, 16);` outside of functions: whether that is what MEANING is, read as a function
   before; then makes it a variable. */
static bool looks_like_function(struct model *model, struct name_meaning *meaning)
{
    if (meaning->kind != NAME_FUNCTION)
        return false;
    const struct function *function = &model->unit->functions.items[meaning->function];
    if (function->body.begin < function->body.end)
        return false;
    const struct node *tree = tree_declaration(&model->trees, function->head);
    const struct node *declarator = tree ? tree_kid(tree, 1) : NULL;
    if (!declarator || declarator->kind != NODE_DECLARATOR || declarator->token != meaning->token ||
        !geometry_is_dim3(tree_symbol(model->unit, tree->kids)))
        return false;
    meaning->declaration = tree;
    meaning->declarator = declarator;
    return true;
}

/* The text of the macro that NAME is at token AT, as an expression with PATH behind it. */
static triples value_of_macro(struct geometry *g, const struct name_meaning *meaning,
                              const struct arguments *args, uint32_t at, const struct frame *outer)
{
    if (meaning->token == NO_TOKEN)
        return triples_unknown();
    const struct directive *macro = unit_directive_at(g->model->unit, meaning->token);
    if (macro->function_like != (args != NULL) || (args && 0 <= args->first_unknown))
        return triples_unknown();
    struct frame frame = {
        .outer = outer,
        .macro = macro,
        .arguments = args ? args->items : NULL,
        .argument_count = args ? (unsigned)args->count : 0,
        .at = at,
    };
    return value_of_range(g, macro->body, &frame);
}

/* NAME.PATH as it is meant at token AT, seen through FRAME. LEAF (or NULL) is its tree. */
static triples value_of_name(struct geometry *g, const struct symbol *name, const struct node *leaf,
                             const struct symbol *const *path, unsigned path_count, uint32_t at,
                             const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    int c = path_count == 1 ? geometry_component(path[0]) : -1;
    if (frame && frame->macro) {
        struct range argument;
        if (!frame_argument(unit, frame, name, &argument))
            return value_of_name(g, name, leaf, path, path_count, frame->at, frame->outer);
        if (!path_count)
            return value_of_range(g, argument, frame->outer);
        const struct node *tree = tree_expression(&g->model->trees, argument);
        return tree ? geometry_path(g, tree, path, path_count, frame->outer) : triples_unknown();
    }
    size_t function = model_function_at(g->model, at);
    if (function != NO_INDEX) {
        bool is_local;
        triples res = geometry_local(g, function, name, path, path_count, at, frame, &is_local);
        if (is_local)
            return res;
    }
    struct constant constant;
    if (!path_count && leaf && constant_of(g->model, leaf, &constant))
        return from_constant(g, &constant);
    struct name_meaning meaning = model_lookup(g->model, name, at);
    triples all = triples_unknown();
    if (meaning.kind == NAME_MACRO && (!path_count || 0 <= c))
        all = value_of_macro(g, &meaning, NULL, at, frame);
    else if ((meaning.kind == NAME_VARIABLE || looks_like_function(g->model, &meaning)) &&
             (!path_count || 0 <= c))
        all = geometry_other(g, name, false, &meaning);
    if (!all.count)
        return geometry_unknown_at(g, at);
    return 0 <= c ? triples_component(&all, (unsigned)c) : all;
}

triples geometry_path(struct geometry *g, const struct node *node, const struct symbol *const *path,
                      unsigned path_count, const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    if (!path_count)
        return geometry_value(g, node, frame);
    if (GEOMETRY_MAX_DEPTH <= g->depth || GEOMETRY_MAX_STEPS < g->steps++)
        return triples_unknown();
    g->depth++;
    triples res = triples_unknown();
    int c = path_count == 1 ? geometry_component(path[0]) : -1;
    if (node->kind == NODE_NAME && tree_symbol(unit, node)) {
        res = value_of_name(g, tree_symbol(unit, node), NULL, path, path_count, node->token, frame);
    } else if (node->kind == NODE_MEMBER && node->kids && path_count < DEFINITION_PATH) {
        const struct symbol *longer[DEFINITION_PATH] = {tree_symbol(unit, node)};
        memcpy(longer + 1, path, path_count * sizeof *path);
        res = longer[0] ? geometry_path(g, node->kids, longer, path_count + 1, frame)
                        : triples_unknown();
    } else if (0 <= c && node->kind != NODE_MEMBER) {
        triples all = geometry_value(g, node, frame);
        res = triples_component(&all, (unsigned)c);
    }
    if (!res.count && (c < 0 || 1 < path_count) && flow_element_index(path[path_count - 1]) < 0) {
        /* A member that the file writes, whatever the object. */
        bool is_component = 0 <= geometry_component(path[path_count - 1]);
        if (!is_component) {
            res = geometry_other(g, path[path_count - 1], true, NULL);
        } else if (path_count == 2) {
            triples all = geometry_other(g, path[0], true, NULL);
            res = triples_component(&all, (unsigned)geometry_component(path[1]));
        }
    }
    g->depth--;
    return res;
}

/* Calls. */

/* The value that the function at INDEX returns in its only statement that does; NULL without. */
static const struct node *only_return(const struct node *body, bool *several)
{
    const struct node *res = NULL;
    tree_each (kid, body) {
        const struct node *found = kid->kind == NODE_RETURN   ? kid->kids
                                   : kid->kind == NODE_LAMBDA ? NULL
                                                              : only_return(kid, several);
        *several |= res && found;
        res = found ? found : res;
    }
    return res;
}

static triples value_of_function(struct geometry *g, size_t function, uint32_t at,
                                 const struct frame *frame)
{
    const struct model_function *info = model_function(g->model, function);
    struct arguments args;
    bool several = false;
    const struct node *result = info->body ? only_return(info->body, &several) : NULL;
    if (!result || several || info->function->flags & FUNCTION_GLOBAL ||
        !model_call_arguments(g->model, at, &args) || 0 <= args.first_unknown)
        return triples_unknown();
    struct frame call = {
        .outer = frame,
        .function = function,
        .arguments = args.items,
        .argument_count = (unsigned)args.count,
        .at = at,
    };
    if (result->kind == NODE_LIST)
        return geometry_dimensions(g, result->kids, &call);
    return geometry_value(g, result, &call);
}

static triples value_of_extreme(struct geometry *g, const struct node *a, bool is_max,
                                const struct frame *frame)
{
    triples x = geometry_value(g, a, frame), y = geometry_value(g, a->next, frame);
    triples res = {.open = x.open || y.open};
    for (unsigned i = 0; i < x.count; ++i)
        for (unsigned k = 0; k < y.count; ++k) {
            int64_t p = x.items[i][0], q = y.items[k][0];
            if (p == UNKNOWN_COMPONENT || q == UNKNOWN_COMPONENT ||
                !triples_add(&res, (const int64_t[]){(p < q) == is_max ? q : p, 1, 1}))
                return triples_unknown();
        }
    return res;
}

static triples value_of_call(struct geometry *g, const struct node *node, const struct frame *frame)
{
    const struct node *callee = node->kids, *first = callee ? callee->next : NULL;
    const struct symbol *name =
        callee && callee->kind == NODE_NAME ? tree_symbol(g->model->unit, callee) : NULL;
    if (!name)
        return triples_unknown();
    if (geometry_is_dim3(name))
        return first ? geometry_dimensions(g, first, frame) : triples_single(1);
    struct constant constant;
    if (!frame && constant_of(g->model, node, &constant))
        return from_constant(g, &constant);
    /* The place that a macro's text is read from is that of its use. */
    uint32_t at = callee->token;
    for (const struct frame *f = frame; f && f->macro; f = f->outer)
        at = f->at;
    struct name_meaning meaning = model_lookup(g->model, name, at);
    if (meaning.kind == NAME_MACRO) {
        struct arguments args;
        return model_call_arguments(g->model, callee->token, &args)
                   ? value_of_macro(g, &meaning, &args, callee->token, frame)
                   : triples_unknown();
    }
    if (meaning.kind == NAME_FUNCTION)
        return value_of_function(g, meaning.function, callee->token, frame);
    if ((symbol_is(name, "min") || symbol_is(name, "max")) && first && first->next &&
        !first->next->next)
        return value_of_extreme(g, first, symbol_is(name, "max"), frame);
    return geometry_unknown_at(g, callee->token);
}

static triples value_of_unary(struct geometry *g, const struct node *node,
                              const struct frame *frame)
{
    triples of = geometry_value(g, node->kids, frame), res = {.open = of.open};
    for (unsigned i = 0; i < of.count; ++i) {
        int64_t value = of.items[i][0];
        if (value == UNKNOWN_COMPONENT)
            return triples_unknown();
        switch (node->op) {
        case TOK_PLUS:
            break;
        case TOK_MINUS:
            value = -value;
            break;
        case TOK_TILDE:
            value = ~value;
            break;
        case TOK_BANG:
            value = !value;
            break;
        default:
            return triples_unknown();
        }
        triples_add(&res, (const int64_t[]){value, 1, 1});
    }
    return res;
}

static triples value_of_choice(struct geometry *g, const struct node *node,
                               const struct frame *frame)
{
    const struct node *then = tree_kid(node, 1), *otherwise = tree_kid(node, 2);
    if (!then || !otherwise)
        return triples_unknown();
    triples condition = geometry_value(g, node->kids, frame);
    if (condition.count == 1 && condition.items[0][0] != UNKNOWN_COMPONENT)
        return geometry_value(g, condition.items[0][0] ? then : otherwise, frame);
    struct gather all = {0};
    triples_gather(&all, geometry_value(g, then, frame));
    triples_gather(&all, geometry_value(g, otherwise, frame));
    return triples_gathered(&all);
}

static triples value_of_index(struct geometry *g, const struct node *node,
                              const struct frame *frame)
{
    const struct symbol *element = flow_element(g->model->unit, node->kids->next);
    if (element) {
        triples res = geometry_path(g, node->kids, &element, 1, frame);
        if (res.count)
            return res;
    }
    const struct node *list = frame && frame->macro ? NULL : geometry_array_list(g, node->kids);
    triples index = list ? geometry_value(g, node->kids->next, frame) : triples_unknown();
    if (!list)
        return triples_unknown();
    if (index.count != 1 || index.items[0][0] == UNKNOWN_COMPONENT)
        return geometry_elements(g, list, frame);
    const struct node *kid = 0 <= index.items[0][0] && index.items[0][0] < UINT32_MAX
                                 ? tree_kid(list, (unsigned)index.items[0][0])
                                 : NULL;
    return kid ? geometry_value(g, kid, frame) : triples_unknown();
}

/* A value of TYPE made from one of another type. */
static triples value_as(struct geometry *g, const struct node *type, triples of)
{
    const struct symbol *name = tree_symbol(g->model->unit, type);
    if (type->stars || geometry_is_floating(name) || symbol_is(name, "char") ||
        symbol_is(name, "bool"))
        return triples_unknown();
    return of;
}

static triples value_by_kind(struct geometry *g, const struct node *node, const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    const struct node *first = node->kids;
    struct constant constant;
    switch ((enum node_kind)node->kind) {
    case NODE_NUMBER:
    case NODE_CHARACTER: {
        int64_t value;
        unsigned bytes;
        bool is_signed;
        return constant_literal(unit, node, &value, &bytes, &is_signed) ? triples_single(value)
                                                                        : triples_unknown();
    }
    case NODE_NAME:
        return tree_symbol(unit, node)
                   ? value_of_name(g, tree_symbol(unit, node), node, NULL, 0, node->token, frame)
                   : triples_unknown();
    case NODE_SIZEOF:
        return constant_of(g->model, node, &constant) ? from_constant(g, &constant)
                                                      : triples_unknown();
    case NODE_MEMBER: {
        const struct symbol *member = tree_symbol(unit, node);
        return member && first ? geometry_path(g, first, &member, 1, frame) : triples_unknown();
    }
    case NODE_UNARY:
        return first ? value_of_unary(g, node, frame) : triples_unknown();
    case NODE_BINARY: {
        if (!first || !first->next)
            return triples_unknown();
        triples a = geometry_value(g, first, frame), b = geometry_value(g, first->next, frame);
        return triples_combine((enum token_kind)node->op, &a, &b);
    }
    case NODE_CHOICE:
        return value_of_choice(g, node, frame);
    case NODE_CALL:
        return value_of_call(g, node, frame);
    case NODE_CONSTRUCT:
        if (first && geometry_is_dim3(tree_symbol(unit, first)))
            return first->next ? geometry_dimensions(g, first->next, frame) : triples_single(1);
        return first && first->next && !first->next->next
                   ? value_as(g, first, geometry_value(g, first->next, frame))
                   : triples_unknown();
    case NODE_CAST:
        return first && first->next ? value_as(g, first, geometry_value(g, first->next, frame))
                                    : triples_unknown();
    case NODE_LIST:
        return first ? geometry_dimensions(g, first, frame) : triples_single(1);
    case NODE_INDEX:
        return first && first->next ? value_of_index(g, node, frame) : triples_unknown();
    default:
        return triples_unknown();
    }
}

triples geometry_value(struct geometry *g, const struct node *node, const struct frame *frame)
{
    if (GEOMETRY_MAX_DEPTH <= g->depth || GEOMETRY_MAX_STEPS < g->steps++)
        return triples_unknown();
    g->depth++;
    g->model->work++;
    triples res = value_by_kind(g, node, frame);
    g->depth--;
    return res;
}

/* Several parameters of the function around make EXPRESSION: those of one call belong together. */
static triples value_call_by_call(struct geometry *g, const struct node *expression,
                                  const triples *apart)
{
    size_t function = model_function_at(g->model, expression->tokens.begin);
    struct at_calls calls = {.g = g, .function = function, .expression = expression};
    calls.all.set.open = apart->open;
    return function != NO_INDEX && geometry_each_call(g->model, function, value_at_call, &calls) &&
                   calls.any && !calls.all.failed
               ? calls.all.set
               : *apart;
}

struct triples geometry_of(struct geometry *g, const struct node *expression,
                           const struct frame *frame)
{
    struct constant constant;
    g->asked = 0;
    triples res = !frame && constant_of(g->model, expression, &constant)
                      ? from_constant(g, &constant)
                      : geometry_value(g, expression, frame);
    if (1 < res.count && g->asked & (g->asked - 1))
        res = value_call_by_call(g, expression, &res);
    if (!res.said[0] && !res.said[1] && !res.said[2])
        res.said[0] = expression;
    return res;
}

struct triples geometry_of_range(struct geometry *g, struct range range, const struct frame *frame)
{
    if (range.end <= range.begin || unit_kind(g->model->unit, range.begin) == TOK_LBRACE)
        return value_of_range(g, range, frame);
    const struct node *tree = tree_expression(&g->model->trees, range);
    return tree ? geometry_of(g, tree, frame) : triples_unknown();
}

struct triples geometry_of_member(struct geometry *g, const struct node *expression,
                                  const struct symbol *member, const struct frame *frame)
{
    return geometry_path(g, expression, &member, 1, frame);
}
