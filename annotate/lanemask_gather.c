/* Gathers what gives places their values, and what is done with values, from the bodies.  */
#include <config.h>

#include "annotate/lanemask_p.h"

#include <string.h>

static void add_edge(struct mask_search *s, size_t place, const struct node *value, bool argument)
{
    if (place == SIZE_MAX || !value)
        return;
    *vec_push(&s->edges) = (struct mask_edge){place, value, argument};
    struct mask_place *p = masks_place(s, place);
    if (value->kind != NODE_NUMBER)
        p->given++;
    if (!p->site)
        p->site = value;
}

static void gather_declaration(struct mask_search *s, const struct node *node, enum name_kind kind)
{
    for (const struct node *d = node->kids->next; d; d = d->next) {
        const struct node *value = NULL;
        if (d->kind != NODE_DECLARATOR || d->flags & DECLARATOR_BINDING)
            continue;
        tree_each (kid, d)
            if (kid->kind == NODE_INITIALIZER && kid->kids && !kid->kids->next)
                value = kid->kids;
        const struct symbol *name = tree_symbol(s->unit, d);
        if (!value || !name || value->kind == NODE_LIST || value->kind == NODE_LAMBDA)
            continue;
        struct name_meaning meaning = {.kind = kind,
                                       .token = d->token,
                                       .declaration = node,
                                       .declarator = d,
                                       .function = s->function};
        add_edge(s, masks_declared_place(s, &meaning), value, false);
    }
}

void masks_gather_defaults(struct mask_search *s)
{
    const struct model_function *function = model_function(s->model, s->function);
    for (unsigned i = 0; i < function->param_count; ++i)
        if (function->params[i])
            gather_declaration(s, function->params[i], NAME_PARAMETER);
}

static void gather_arguments(struct mask_search *s, const struct node *call)
{
    unsigned count = code_argument_count(call);
    for (const struct mask_named *f = masks_functions_called(s, call); f; f = f->others) {
        const struct model_function *function = model_function(s->model, f->function);
        if (function->param_count < count)
            continue;
        const struct node *argument = call->kids->next;
        for (unsigned i = 0; i < count; ++i, argument = argument->next) {
            const struct node *param = function->params[i];
            const struct node *declarator = param ? param->kids->next : NULL;
            if (!declarator || declarator->token == NO_TOKEN || !tree_symbol(s->unit, declarator))
                continue;
            struct name_meaning meaning = {.kind = NAME_PARAMETER,
                                           .token = declarator->token,
                                           .declaration = param,
                                           .declarator = declarator,
                                           .function = f->function};
            add_edge(s, masks_declared_place(s, &meaning), argument, true);
        }
    }
}

/* asm ("mov.u32 %0, %lanemask_lt;" : "=r"(r)): r is a lane mask. */
static void gather_asm(struct mask_search *s, const struct node *node)
{
    bool found = false;
    for (uint32_t i = node->tokens.begin; i < node->tokens.end; ++i) {
        const struct token *token = unit_token(s->unit, i);
        const char *text = s->unit->source->text + token->offset;
        if (token->kind == TOK_STRING) {
            for (uint32_t at = 0; !found && at + 8 <= token->length; ++at)
                found = !memcmp(text + at, "lanemask", 8);
        } else if (found && token->kind == TOK_IDENT) {
            struct name_meaning meaning = model_lookup(s->model, token->symbol, i);
            if (meaning.kind == NAME_LOCAL && meaning.declaration && meaning.token != NO_TOKEN)
                masks_place(s, masks_declared_place(s, &meaning))->lane = node;
            return;
        }
    }
}

void masks_gather(struct mask_search *s, const struct node *node)
{
    switch (node->kind) {
    case NODE_DECLARATION:
        gather_declaration(s, node, NAME_LOCAL);
        break;
    case NODE_ASSIGN:
        add_edge(s, masks_place_of(s, node->kids), node->kids->next, false);
        if (node->op == TOK_AMP_ASSIGN || node->op == TOK_PIPE_ASSIGN ||
            node->op == TOK_CARET_ASSIGN)
            *vec_push(&s->mixes) = node;
        break;
    case NODE_BINARY:
        if (node->op == TOK_AMP || node->op == TOK_PIPE || node->op == TOK_CARET)
            *vec_push(&s->mixes) = node;
        else if (node->op == TOK_EQUAL || node->op == TOK_NOT_EQUAL)
            *vec_push(&s->compares) = node;
        break;
    case NODE_CALL:
        if (masks_counter_of(s, node))
            *vec_push(&s->counts) = node;
        else
            gather_arguments(s, node);
        break;
    case NODE_RETURN:
        if (!s->lambdas && node->kids)
            add_edge(s, masks_result_place(s, s->function), node->kids, false);
        break;
    case NODE_ASM:
        gather_asm(s, node);
        break;
    default:
        break;
    }
    s->lambdas += node->kind == NODE_LAMBDA;
    tree_each (kid, node)
        masks_gather(s, kid);
    s->lambdas -= node->kind == NODE_LAMBDA;
}
