/* The names that a function declares, its parameters and locals, and which of them change.

   They are collected from its tree when somebody asks for the first of them.  */
#include <config.h>

#include "annotate/model/names_p.h"

#include <string.h>

struct locals {
    struct model *model;
    const struct unit *unit;
    struct decl_table *table;
    uint32_t function;
};

static void declare_local(struct locals *locals, enum decl_kind kind,
                          const struct node *declaration, const struct node *declarator,
                          uint32_t end)
{
    if (declarator->token == NO_TOKEN || !unit_token(locals->unit, declarator->token)->symbol)
        return;
    struct decl *decl = decl_new(locals->model, kind, declarator->token);
    decl->begin = declarator->token;
    decl->end = end;
    decl->function = locals->function;
    decl->declaration = declaration;
    decl->declarator = declarator;
    *vec_push(&locals->table->list) = decl;
}

/* A `using` or a typedef in a body. */
static void declare_alias(struct locals *locals, const struct node *alias, uint32_t end)
{
    const struct unit *unit = locals->unit;
    uint32_t first = alias->tokens.begin, last = alias->tokens.end - 1, name = NO_TOKEN;
    struct range text;
    bool is_typedef = unit_kind(unit, first) == TOK_TYPEDEF;
    if (unit_kind(unit, first) == TOK_USING && unit_kind(unit, first + 1) == TOK_IDENT &&
        unit_kind(unit, first + 2) == TOK_ASSIGN) {
        name = first + 1;
        text = (struct range){first + 3, last};
    } else if (is_typedef) {
        for (uint32_t i = first + 1; i < last && unit_kind(unit, i) != TOK_COMMA;
             i = names_step_in(unit, i, last))
            if (unit_kind(unit, i) == TOK_IDENT)
                name = i;
        text = (struct range){first + 1, last};
    }
    if (name == NO_TOKEN)
        return;
    struct decl *decl = decl_new(locals->model, DECL_ALIAS, name);
    decl->begin = name;
    decl->end = end;
    decl->function = locals->function;
    decl->text = text;
    decl->is_typedef = is_typedef;
    if (is_typedef) {
        decl->statement = arena_zalloc(locals->model->arena, 1, sizeof *decl->statement);
        decl->statement->tokens = text;
    }
    *vec_push(&locals->table->list) = decl;
}

static void declare_parameter_range(struct locals *locals, struct range range, uint32_t end)
{
    const struct node *tree = tree_parameter(&locals->model->trees, range);
    const struct node *declarator = tree ? tree_kid(tree, 1) : NULL;
    if (declarator)
        declare_local(locals, DECL_PARAMETER, tree, declarator, end);
}

/* The parameters of a lambda: they hide names around it. */
static void declare_lambda(struct locals *locals, const struct node *lambda)
{
    enum { PARAMETERS_MAX = 64 };
    const struct unit *unit = locals->unit;
    uint32_t open = names_behind_pair(unit, lambda->tokens.begin, lambda->tokens.end);
    if (lambda->tokens.end <= open || unit_kind(unit, open) != TOK_LPAREN ||
        unit_partner(unit, open) == NO_TOKEN)
        return;
    struct range parts[PARAMETERS_MAX];
    unsigned count = split_range(unit, (struct range){open + 1, unit_partner(unit, open)}, parts,
                                 PARAMETERS_MAX);
    for (unsigned i = 0; i < count && i < PARAMETERS_MAX; ++i)
        declare_parameter_range(locals, parts[i], lambda->tokens.end);
}

/* The locals of NODE and below; those of its own level live to END. */
static void collect_locals(struct locals *locals, const struct node *node, uint32_t end)
{
    switch (node->kind) {
    case NODE_DECLARATION:
        for (const struct node *kid = node->kids->next; kid; kid = kid->next) {
            if (kid->flags & DECLARATOR_BINDING) {
                for (const struct node *name = kid->kids; name; name = name->next)
                    if (name->kind == NODE_NAME)
                        declare_local(locals, DECL_LOCAL, node, name, end);
            } else {
                declare_local(locals, DECL_LOCAL, node, kid, end);
            }
        }
        break;
    case NODE_BLOCK:
    case NODE_IF:
    case NODE_FOR:
    case NODE_RANGE_FOR:
    case NODE_WHILE:
    case NODE_SWITCH:
    case NODE_LAMBDA:
        end = node->tokens.end;
        if (node->kind == NODE_LAMBDA)
            declare_lambda(locals, node);
        break;
    case NODE_ALIAS:
        declare_alias(locals, node, end);
        break;
    default:
        break;
    }
    tree_each (kid, node)
        collect_locals(locals, kid, end);
}

/* DECL and its alternatives are assigned to. Whoever is marked has marked those behind it, so many
   declarations of one name cost no more than others. */
static void set_changed(struct locals *locals, struct decl *decl)
{
    for (; decl && !decl->changed; decl = decl_alternative(decl), ++locals->model->work)
        decl->changed = true;
}

/* The local that NODE, an operand that changes, stands for. */
static void mark_changed(struct locals *locals, const struct node *node)
{
    while (node && (node->kind == NODE_CAST || node->kind == NODE_CHOICE ||
                    (node->kind == NODE_BINARY && node->op == TOK_COMMA))) {
        if (node->kind == NODE_CHOICE)
            mark_changed(locals, tree_kid(node, 1));
        node = tree_kid(node, node->kind == NODE_CHOICE ? 2 : 1);
    }
    while (node && (node->kind == NODE_INDEX || node->kind == NODE_MEMBER))
        node = node->kids;
    if (!node || node->kind != NODE_NAME)
        return;
    set_changed(locals,
                decl_table_find(locals->table, tree_symbol(locals->unit, node), node->token));
}

/* Of a statement that is not understood, all names. */
static void mark_opaque(struct locals *locals, const struct node *node)
{
    for (uint32_t i = node->tokens.begin; i < node->tokens.end; ++i) {
        const struct symbol *symbol = unit_token(locals->unit, i)->symbol;
        if (symbol)
            set_changed(locals, decl_table_find(locals->table, symbol, i));
    }
}

/* `std::cin >> n`: what stands furthest to the left decides. */
static bool reads_stream(const struct unit *unit, const struct node *node)
{
    while (node->kind == NODE_BINARY && node->op == TOK_SHIFT_RIGHT)
        node = node->kids;
    const struct symbol *symbol = node->kind == NODE_NAME ? tree_symbol(unit, node) : NULL;
    return symbol && (!strcmp(symbol->text, "cin") || strstr(symbol->text, "stream") ||
                      strstr(symbol->text, "file") || !strcmp(symbol->text, "ss") ||
                      !strcmp(symbol->text, "in"));
}

/* Arguments that FUNCTION may change: its parameters that are references. */
static void mark_arguments(struct locals *locals, const struct node *call)
{
    const struct node *callee = call->kids;
    const struct symbol *name =
        callee->kind == NODE_NAME ? tree_symbol(locals->unit, callee) : NULL;
    if (!name)
        return;
    bool swaps = !strcmp(name->text, "swap") || !strcmp(name->text, "exchange");
    const struct decl *decl = decl_at(locals->model, name, callee->token);
    const struct function *function =
        decl && decl->kind == DECL_FUNCTION ? &locals->unit->functions.items[decl->function] : NULL;
    if (!swaps && !function)
        return;
    enum { PARAMETERS_MAX = 64 };
    struct range parts[PARAMETERS_MAX];
    unsigned count =
        function ? split_range(locals->unit, function->params, parts, PARAMETERS_MAX) : 0;
    unsigned index = 0;
    for (const struct node *kid = callee->next; kid; kid = kid->next, ++index) {
        bool reference = swaps;
        if (index < count && index < PARAMETERS_MAX)
            for (uint32_t i = parts[index].begin; i < parts[index].end; ++i)
                reference |= unit_kind(locals->unit, i) == TOK_AMP;
        if (reference)
            mark_changed(locals, kid);
    }
}

/* Locals that are assigned, stepped, or have their address taken. */
static void collect_changes(struct locals *locals, const struct node *node)
{
    switch (node->kind) {
    case NODE_ASSIGN:
        mark_changed(locals, node->kids);
        break;
    case NODE_POSTFIX:
        mark_changed(locals, node->kids);
        break;
    case NODE_UNARY:
        if (node->op == TOK_AMP || node->op == TOK_PLUS_PLUS || node->op == TOK_MINUS_MINUS)
            mark_changed(locals, node->kids);
        break;
    case NODE_BINARY:
        if (node->op == TOK_SHIFT_RIGHT && reads_stream(locals->unit, node))
            mark_changed(locals, tree_kid(node, 1));
        break;
    case NODE_CALL:
        mark_arguments(locals, node);
        break;
    case NODE_DECLARATOR:
        /* int &other = n; */
        if (node->flags & DECLARATOR_REFERENCE)
            tree_each (kid, node)
                if (kid->kind == NODE_INITIALIZER && kid->kids)
                    mark_changed(locals, kid->kids);
        break;
    case NODE_OPAQUE:
    case NODE_ASM:
        mark_opaque(locals, node);
        break;
    default:
        break;
    }
    tree_each (kid, node)
        collect_changes(locals, kid);
}

struct decl_table *names_of_function(struct model *model, uint32_t index)
{
    struct local_names *res = &model_index(model)->locals[index];
    if (res->ready)
        return &res->table;
    res->ready = true;
    const struct model_function *function = model_function(model, index);
    struct locals locals = {model, model->unit, &res->table, index};
    const struct function *of = function->function;
    uint32_t end = of->head.end < of->body.end ? of->body.end : of->head.end;
    for (unsigned i = 0; i < function->param_count; ++i) {
        const struct node *param = function->params[i];
        const struct node *declarator = param ? tree_kid(param, 1) : NULL;
        if (!declarator)
            continue;
        size_t before = res->table.list.count;
        declare_local(&locals, DECL_PARAMETER, param, declarator, end);
        if (before < res->table.list.count)
            res->table.list.items[before]->index = i;
    }
    if (function->body) {
        collect_locals(&locals, function->body, end);
        decl_table_finish(&res->table);
        collect_changes(&locals, function->body);
    } else {
        decl_table_finish(&res->table);
    }
    return &res->table;
}
