/* Reading a function's definitions: one walk over its tree, which opens a region for each part that
   control may enter or not, and the variable of each definition.  */
#include <config.h>

#include "annotate/model/flow_p.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/constant.h"

/* The walk over one function. */
struct walk {
    struct model *model;
    const struct unit *unit;
    VEC(struct definition) definitions;
    VEC(struct flow_region) regions;
    uint32_t region;
    uint32_t block_end;      /* of the innermost block */
    const struct node *loop; /* whose step is being read, or NULL */
    bool read_only;          /* addresses taken here are only read through */
};

/* Regions. */

static uint32_t open_region(struct walk *walk, enum region_kind kind, struct range tokens)
{
    uint32_t res = (uint32_t)walk->regions.count;
    *vec_push(&walk->regions) = (struct flow_region){
        .kind = kind,
        .parent = walk->region,
        .tokens = tokens,
        .first = res,
        .next_arm = NO_INDEX,
    };
    return res;
}

static void link_arm(struct walk *walk, uint32_t before, uint32_t arm)
{
    walk->regions.items[before].next_arm = arm;
    walk->regions.items[arm].first = walk->regions.items[before].first;
}

static bool is_one_of(const struct symbol *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (symbol_is(name, names[i]))
            return true;
    return false;
}

/* Whether CALL is that of a function that does not return. */
static bool ends_program(const struct unit *unit, const struct node *call)
{
    static const char *const names[] = {"exit", "abort", "_exit", "quick_exit", "terminate"};
    return call->kids && call->kids->kind == NODE_NAME &&
           is_one_of(tree_symbol(unit, call->kids), names, sizeof names / sizeof *names);
}

/* Whether control never comes out of STATEMENT's end. */
static bool leaves(const struct unit *unit, const struct node *statement)
{
    const struct node *last = statement;
    while (last && last->kind == NODE_BLOCK) {
        const struct node *kids = last->kids;
        last = NULL;
        for (; kids; kids = kids->next)
            last = kids;
    }
    if (!last)
        return false;
    return last->kind == NODE_RETURN ||
           (last->kind == NODE_EXPRESSION && last->kids && last->kids->kind == NODE_CALL &&
            ends_program(unit, last->kids));
}

/* Definitions. */

static struct definition *define(struct walk *walk, enum definition_kind kind,
                                 const struct symbol *name, const struct node *node, uint32_t token)
{
    struct definition *res = vec_push(&walk->definitions);
    *res = (struct definition){
        .name = name,
        .kind = kind,
        /* The step of a for is run at its end. */
        .token = walk->loop ? walk->loop->tokens.end - 1 : token,
        .node = node,
        .loop = walk->loop,
        .variable = NO_INDEX,
        .region = walk->region,
        .branch = unit_branch_at(walk->unit, token),
    };
    return res;
}

static uint32_t last_token(const struct node *node)
{
    return node->tokens.begin < node->tokens.end ? node->tokens.end - 1 : node->tokens.begin;
}

/* A variable's name with the members behind it. */
struct place {
    const struct symbol *name; /* NULL: not that */
    const struct symbol *path[DEFINITION_PATH];
    unsigned count;
    bool part; /* something deeper, or an element, is meant */
};

static struct place place_of(const struct unit *unit, const struct node *node)
{
    struct place res = {0};
    for (; node && node->kids; node = node->kids) {
        const struct symbol *step = node->kind == NODE_MEMBER ? tree_symbol(unit, node)
                                    : node->kind == NODE_INDEX && node->kids->next
                                        ? flow_element(unit, node->kids->next)
                                        : NULL;
        if (step) {
            res.part |= res.count == DEFINITION_PATH;
            memmove(res.path + 1, res.path, (DEFINITION_PATH - 1) * sizeof *res.path);
            res.path[0] = step;
            res.count += res.count < DEFINITION_PATH;
        } else if (node->kind == NODE_INDEX) {
            res.part = true;
            res.count = 0;
        } else {
            return (struct place){0};
        }
    }
    if (node && node->kind == NODE_NAME)
        res.name = tree_symbol(unit, node);
    return res;
}

/* WHERE, an expression, gets the value of NODE. */
static void define_place(struct walk *walk, enum definition_kind kind, const struct node *where,
                         const struct node *node, uint32_t token)
{
    struct place place = place_of(walk->unit, where);
    if (!place.name)
        return;
    struct definition *res =
        define(walk, place.part ? DEFINITION_UNKNOWN : kind, place.name, node, token);
    memcpy(res->path, place.path, sizeof place.path);
    res->path_count = place.count;
}

/* The walk. */

static void walk_node(struct walk *walk, const struct node *node);

static void walk_kids(struct walk *walk, const struct node *node)
{
    tree_each (kid, node)
        walk_node(walk, kid);
}

/* A part of a statement, in a region of its own. */
static uint32_t walk_region(struct walk *walk, enum region_kind kind, const struct node *what)
{
    uint32_t around = walk->region, res = open_region(walk, kind, what->tokens);
    walk->region = res;
    walk_node(walk, what);
    walk->region = around;
    walk->regions.items[res].leaves = leaves(walk->unit, what);
    return res;
}

static void walk_if(struct walk *walk, const struct node *node)
{
    const struct node *then = tree_kid(node, 1), *otherwise = tree_kid(node, 2);
    if (!then)
        return;
    walk_node(walk, node->kids);
    uint32_t first = walk_region(walk, REGION_ARM, then);
    walk->regions.items[first].condition = node->kids;
    walk->regions.items[first].when = true;
    if (!otherwise || otherwise->kind == NODE_EMPTY)
        return;
    uint32_t second = walk_region(walk, REGION_ARM, otherwise);
    walk->regions.items[second].condition = node->kids;
    link_arm(walk, first, second);
    walk->regions.items[first].exhaustive = true;
}

/* Each run of labels in a switch begins an arm. */
static void walk_switch(struct walk *walk, const struct node *node)
{
    const struct node *body = tree_kid(node, 1);
    if (!body)
        return;
    walk_node(walk, node->kids);
    if (body->kind != NODE_BLOCK) {
        walk_region(walk, REGION_ARM, body);
        return;
    }
    uint32_t around = walk->region, block_end = walk->block_end, arm = NO_INDEX;
    walk->block_end = body->tokens.end;
    bool label = false, has_default = false;
    tree_each (kid, body) {
        bool is_label = kid->kind == NODE_CASE || kid->kind == NODE_DEFAULT;
        has_default |= kid->kind == NODE_DEFAULT;
        if (is_label && !label) {
            uint32_t before = arm;
            walk->region = around;
            arm =
                open_region(walk, REGION_ARM, (struct range){kid->tokens.begin, body->tokens.end});
            if (before != NO_INDEX) {
                walk->regions.items[before].tokens.end = kid->tokens.begin;
                link_arm(walk, before, arm);
            }
            walk->region = arm;
        }
        label = is_label;
        walk_node(walk, kid);
        if (arm != NO_INDEX)
            walk->regions.items[arm].leaves = leaves(walk->unit, kid);
    }
    walk->region = around;
    walk->block_end = block_end;
    if (arm != NO_INDEX)
        walk->regions.items[walk->regions.items[arm].first].exhaustive = has_default;
}

static void walk_for(struct walk *walk, const struct node *node)
{
    const struct node *condition = tree_kid(node, 1), *step = tree_kid(node, 2),
                      *body = tree_kid(node, 3);
    uint32_t block_end = walk->block_end, around = walk->region;
    if (!body)
        return;
    walk->block_end = node->tokens.end;
    walk_node(walk, node->kids);
    walk->region =
        open_region(walk, REGION_LOOP, (struct range){node->kids->tokens.end, node->tokens.end});
    walk_node(walk, condition);
    walk_node(walk, body);
    const struct node *loop = walk->loop;
    walk->loop = node;
    walk_node(walk, step);
    walk->loop = loop;
    walk->region = around;
    walk->block_end = block_end;
}

static void walk_range_for(struct walk *walk, const struct node *node)
{
    const struct node *declaration = node->kids, *range = tree_kid(node, 1),
                      *body = tree_kid(node, 2);
    const struct node *declarator = declaration ? tree_kid(declaration, 1) : NULL;
    if (!range || !body)
        return;
    walk_node(walk, range);
    const struct symbol *name = declarator ? tree_symbol(walk->unit, declarator) : NULL;
    if (name)
        define(walk, DEFINITION_EACH, name, range, last_token(range))->visible = node->tokens.end;
    uint32_t around = walk->region;
    walk->region =
        open_region(walk, REGION_LOOP, (struct range){range->tokens.end, node->tokens.end});
    walk_node(walk, body);
    walk->region = around;
}

/* The parameters of a lambda: names in front of a comma, a = or the closing parenthesis. */
static void walk_lambda(struct walk *walk, const struct node *node)
{
    const struct unit *unit = walk->unit;
    uint32_t around = walk->region, open = unit_partner(unit, node->tokens.begin);
    walk->region = open_region(walk, REGION_LATER, node->tokens);
    open = open != NO_TOKEN && open + 1 < node->tokens.end ? open + 1 : node->tokens.begin;
    uint32_t close = unit_kind(unit, open) == TOK_LPAREN ? unit_partner(unit, open) : NO_TOKEN;
    for (uint32_t i = open; close != NO_TOKEN && i < close && i < node->tokens.end; ++i) {
        enum token_kind next = unit_kind(unit, i + 1);
        if (unit_kind(unit, i) == TOK_IDENT &&
            (next == TOK_COMMA || next == TOK_ASSIGN || next == TOK_RPAREN))
            define(walk, DEFINITION_CAPTURED, unit_token(unit, i)->symbol, node, i)->visible =
                node->tokens.end;
    }
    walk_kids(walk, node);
    walk->region = around;
}

/* What nobody understands may write all that is assigned in it, or whose address it takes. */
static void walk_opaque(struct walk *walk, const struct node *node)
{
    const struct unit *unit = walk->unit;
    for (uint32_t i = node->tokens.begin; i < node->tokens.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind != TOK_IDENT || !token_is_code(token))
            continue;
        enum token_kind next = i + 1 < node->tokens.end ? unit_kind(unit, i + 1) : TOK_EOF;
        enum token_kind before = node->tokens.begin < i ? unit_kind(unit, i - 1) : TOK_EOF;
        if (next == TOK_ASSIGN || (TOK_PLUS_ASSIGN <= next && next <= TOK_SHIFT_RIGHT_ASSIGN) ||
            next == TOK_DOT || next == TOK_PLUS_PLUS || next == TOK_MINUS_MINUS ||
            before == TOK_AMP || before == TOK_PLUS_PLUS || before == TOK_MINUS_MINUS)
            define(walk, DEFINITION_UNKNOWN, token->symbol, node, i);
    }
}

static bool is_void(const struct unit *unit, const struct node *type)
{
    return symbol_is(tree_symbol(unit, type), "void");
}

static void walk_declaration(struct walk *walk, const struct node *node)
{
    const struct node *type = node->kids;
    if (!type)
        return;
    for (const struct node *declarator = type->next; declarator; declarator = declarator->next) {
        bool read_only = walk->read_only;
        /* void *arguments[] = {&a, &b}: what a launch reads. */
        walk->read_only |= is_void(walk->unit, type);
        walk_kids(walk, declarator);
        walk->read_only = read_only;
        const struct symbol *name = tree_symbol(walk->unit, declarator);
        if (declarator->kind != NODE_DECLARATOR || !name)
            continue;
        struct definition *res =
            define(walk, DEFINITION_DECLARED, name, declarator, last_token(declarator));
        res->declaration = node;
        res->visible = walk->block_end;
        if (declarator->flags & DECLARATOR_REFERENCE && !(type->flags & TYPE_CONST)) {
            /* int &r = b: b may be written by another name from here on. */
            const struct node *initialiser = declarator->kids;
            while (initialiser && initialiser->kind != NODE_INITIALIZER)
                initialiser = initialiser->next;
            if (initialiser && initialiser->kids)
                define_place(walk, DEFINITION_UNKNOWN, initialiser->kids, initialiser->kids,
                             last_token(declarator));
        }
    }
}

/* Calls. */

enum passing { BY_VALUE, BY_REFERENCE, NOT_SHOWN };

/* How the function called NAME at TOKEN takes its argument INDEX. */
static enum passing passing_of(struct model *model, const struct symbol *name, uint32_t token,
                               unsigned index)
{
    if (name->api)
        return BY_VALUE;
    struct name_meaning meaning = model_lookup(model, name, token);
    if (meaning.kind == NAME_MACRO || meaning.kind == NAME_TYPE)
        return BY_VALUE;
    if (meaning.kind != NAME_FUNCTION)
        return NOT_SHOWN;
    const struct model_function *function = model_function(model, meaning.function);
    if (function->param_count <= index)
        return NOT_SHOWN;
    const struct node *param = function->params[index];
    const struct node *declarator = param ? tree_kid(param, 1) : NULL;
    bool reference = param && ((declarator && declarator->flags & DECLARATOR_REFERENCE) ||
                               param->kids->flags & TYPE_REFERENCE);
    return reference && !(param->kids->flags & TYPE_CONST) ? BY_REFERENCE : BY_VALUE;
}

/* Functions that only read what their pointers to host memory point to. */
static bool only_reads(const struct symbol *name)
{
    static const char *const names[] = {
        "cudaMemcpyToSymbol",     "hipMemcpyToSymbol",     "cudaMemcpyToSymbolAsync",
        "hipMemcpyToSymbolAsync", "cudaLaunchKernel",      "cudaLaunchCooperativeKernel",
        "cudaLaunchKernelEx",     "cudaLaunchKernelExC",   "hipLaunchKernel",
        "cuLaunchKernel",         "hipModuleLaunchKernel", "hipLaunchCooperativeKernel",
        "hipLaunchKernelExC",     "cuLaunchKernelEx",      "clSetKernelArg",
        "cudaFuncSetAttribute",   "hipDrvLaunchKernelEx",  "hipLaunchKernelEx",
        "hipFuncSetAttribute",
    };
    return is_one_of(name, names, sizeof names / sizeof *names);
}

/* A call that ends the program where its first argument is false is an arm that is left. */
static void walk_assertion(struct walk *walk, const struct node *call, const struct symbol *name)
{
    static const char *const names[] = {"assert", "TORCH_CHECK", "CHECK", "TORCH_INTERNAL_ASSERT"};
    if (!is_one_of(name, names, sizeof names / sizeof *names) || !call->kids->next)
        return;
    uint32_t arm = open_region(walk, REGION_ARM, call->kids->next->tokens);
    walk->regions.items[arm].condition = call->kids->next;
    walk->regions.items[arm].leaves = true;
}

static void walk_call(struct walk *walk, const struct node *node)
{
    const struct node *callee = node->kids;
    if (!callee)
        return;
    const struct symbol *name = callee->kind == NODE_NAME || callee->kind == NODE_MEMBER
                                    ? tree_symbol(walk->unit, callee)
                                    : NULL;
    walk_node(walk, callee);
    bool read_only = walk->read_only;
    walk->read_only |= only_reads(name);
    walk_assertion(walk, node, name);
    unsigned index = 0;
    for (const struct node *arg = callee->next; arg; arg = arg->next, ++index) {
        walk_node(walk, arg);
        if (!name || (arg->kind != NODE_NAME && arg->kind != NODE_MEMBER) || walk->read_only)
            continue;
        /* std::ref() gives it to whoever changes it later. */
        enum passing passing = !strcmp(name->text, "ref")
                                   ? BY_REFERENCE
                                   : passing_of(walk->model, name, callee->token, index);
        if (passing != BY_VALUE)
            define_place(walk, passing == BY_REFERENCE ? DEFINITION_UNKNOWN : DEFINITION_PASSED,
                         arg, arg, last_token(node));
    }
    walk->read_only = read_only;
}

/* stream >> a >> b: only where the statement is nothing else. */
static void walk_stream(struct walk *walk, const struct node *node)
{
    for (; node->kind == NODE_BINARY && node->op == TOK_SHIFT_RIGHT; node = node->kids)
        if (node->kids && node->kids->next)
            define_place(walk, DEFINITION_UNKNOWN, node->kids->next, node, last_token(node));
}

static void walk_node(struct walk *walk, const struct node *node)
{
    switch ((enum node_kind)node->kind) {
    case NODE_BLOCK: {
        uint32_t block_end = walk->block_end;
        walk->block_end = node->tokens.end;
        walk_kids(walk, node);
        walk->block_end = block_end;
        break;
    }
    case NODE_EXPRESSION:
        walk_kids(walk, node);
        if (node->kids)
            walk_stream(walk, node->kids);
        break;
    case NODE_DECLARATION:
        walk_declaration(walk, node);
        break;
    case NODE_IF:
        walk_if(walk, node);
        break;
    case NODE_SWITCH:
        walk_switch(walk, node);
        break;
    case NODE_FOR:
        walk_for(walk, node);
        break;
    case NODE_RANGE_FOR:
        walk_range_for(walk, node);
        break;
    case NODE_WHILE:
    case NODE_MACRO_LOOP:
    case NODE_DO: {
        uint32_t around = walk->region;
        walk->region =
            open_region(walk, node->kind == NODE_DO ? REGION_ONCE : REGION_LOOP, node->tokens);
        walk_kids(walk, node);
        walk->region = around;
        break;
    }
    case NODE_LAMBDA:
        walk_lambda(walk, node);
        break;
    case NODE_OPAQUE:
        walk_opaque(walk, node);
        break;
    case NODE_ASSIGN:
        walk_kids(walk, node);
        if (node->kids)
            define_place(walk, node->op == TOK_ASSIGN ? DEFINITION_ASSIGNED : DEFINITION_UPDATED,
                         node->kids, node, last_token(node));
        break;
    case NODE_UNARY:
    case NODE_POSTFIX:
        walk_kids(walk, node);
        if (!node->kids)
            break;
        if (node->op == TOK_PLUS_PLUS || node->op == TOK_MINUS_MINUS)
            define_place(walk, DEFINITION_UPDATED, node->kids, node, last_token(node));
        else if (node->kind == NODE_UNARY && node->op == TOK_AMP && !walk->read_only)
            define_place(walk, DEFINITION_UNKNOWN, node->kids, node, last_token(node));
        break;
    case NODE_CALL:
        walk_call(walk, node);
        break;
    default:
        walk_kids(walk, node);
        break;
    }
}

/* The variables, and the whole of a function. */

static int compare_definitions(const void *a, const void *b)
{
    const struct definition *x = a, *y = b;
    if (x->name != y->name)
        return (uintptr_t)x->name < (uintptr_t)y->name ? -1 : 1;
    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    return x->node && y->node && x->node->token != y->node->token
               ? x->node->token < y->node->token ? -1 : 1
               : 0;
}

/* Finds the variable of each definition. */
static void resolve_variables(struct model *model, struct definition *items, size_t count)
{
    uint32_t *outer = arena_zalloc(model->arena, count, sizeof *outer);
    uint32_t innermost = NO_INDEX;
    for (uint32_t i = 0; i < count; ++i) {
        struct definition *d = &items[i];
        if (i && items[i - 1].name != d->name)
            innermost = NO_INDEX;
        while (innermost != NO_INDEX && items[innermost].visible <= d->token)
            innermost = outer[innermost];
        if (!d->visible) {
            d->variable = innermost == NO_INDEX ? NO_INDEX : items[innermost].variable;
        } else if (innermost != NO_INDEX && items[innermost].visible == d->visible) {
            /* Once more in the same scope: the other branch of an #if. */
            d->variable = items[innermost].variable;
            outer[i] = outer[innermost];
            innermost = i;
        } else {
            d->variable = i;
            outer[i] = innermost;
            innermost = i;
        }
    }
}

static void define_parameters(struct walk *walk, const struct model_function *function)
{
    for (unsigned i = 0; i < function->param_count; ++i) {
        const struct node *param = function->params[i];
        const struct node *declarator = param ? tree_kid(param, 1) : NULL;
        const struct symbol *name = declarator ? tree_symbol(walk->unit, declarator) : NULL;
        if (!name)
            continue;
        struct definition *res =
            define(walk, DEFINITION_PARAMETER, name, param, function->body->tokens.begin);
        res->index = i;
        res->visible = function->body->tokens.end;
    }
}

const struct flow *flow_read(struct model *model, size_t index)
{
    const struct model_function *function = model_function(model, index);
    struct flow *res = arena_zalloc(model->arena, 1, sizeof *res);
    if (!function->body)
        return res;
    struct walk walk = {
        .model = model,
        .unit = model->unit,
        .region = NO_INDEX,
        .block_end = function->body->tokens.end,
    };
    walk.region = open_region(&walk, REGION_FUNCTION, function->body->tokens);
    define_parameters(&walk, function);
    walk_node(&walk, function->body);

    struct definition *items = arena_zalloc(model->arena, walk.definitions.count, sizeof *items);
    struct flow_region *regions = arena_zalloc(model->arena, walk.regions.count, sizeof *regions);
    if (walk.definitions.count) {
        memcpy(items, walk.definitions.items, walk.definitions.count * sizeof *items);
        qsort(items, walk.definitions.count, sizeof *items, compare_definitions);
        resolve_variables(model, items, walk.definitions.count);
    }
    memcpy(regions, walk.regions.items, walk.regions.count * sizeof *regions);
    *res = (struct flow){items, walk.definitions.count, regions, walk.regions.count};
    vec_release(&walk.definitions);
    vec_release(&walk.regions);
    return res;
}
