/* Which kernel a launch means: the name behind variables, parameters, macros and casts, and the
   function of that name.  */
#include <config.h>

#include "annotate/model/launch_p.h"

#include "annotate/model/flow.h"

enum { KERNEL_DEPTH = 16 };

static struct kernel find_kernel(struct model *model, const struct node *node,
                                 const struct frame *frame, unsigned depth);

struct kernel launch_kernel(struct model *model, struct range range, const struct frame *frame,
                            unsigned depth)
{
    const struct node *tree = tree_expression(&model->trees, range);
    return tree && depth < KERNEL_DEPTH ? find_kernel(model, tree, frame, depth + 1)
                                        : (struct kernel){0};
}

/* The kernel that a local variable or parameter holds. */
static struct kernel find_local_kernel(struct model *model, size_t function,
                                       const struct reaching *reaching, const struct frame *frame,
                                       unsigned depth)
{
    struct kernel none = {0};
    if (!reaching->known || reaching->count != 1)
        return none;
    const struct definition *d = reaching->items[0];
    const struct node *value = NULL;
    if (d->kind == DEFINITION_PARAMETER) {
        if (!frame || frame->macro || frame->function != function)
            return (struct kernel){.kind = KERNEL_PARAMETER, .function = function};
        return d->index < frame->argument_count
                   ? launch_kernel(model, frame->arguments[d->index], frame->outer, depth)
                   : none;
    }
    if (d->kind == DEFINITION_DECLARED) {
        for (const struct node *kid = d->node->kids; kid; kid = kid->next)
            if (kid->kind == NODE_INITIALIZER)
                value = kid->kids;
    } else if (d->kind == DEFINITION_ASSIGNED) {
        value = d->node->kids->next;
    }
    return value ? find_kernel(model, value, frame, depth + 1) : none;
}

static struct kernel find_named_kernel(struct model *model, const struct node *node,
                                       const struct frame *frame, unsigned depth)
{
    const struct unit *unit = model->unit;
    const struct symbol *name = tree_symbol(unit, node);
    uint32_t at = node->token;
    for (; frame && frame->macro; at = frame->at, frame = frame->outer) {
        struct range argument;
        if (frame_argument(unit, frame, name, &argument))
            return launch_kernel(model, argument, frame->outer, depth);
    }
    size_t function = model_function_at(model, at);
    struct reaching reaching;
    if (!(node->flags & NAME_QUALIFIED) && function != NO_INDEX &&
        flow_reaching(model, function, name, NULL, 0, at, &reaching, NULL))
        return find_local_kernel(model, function, &reaching, frame, depth);
    struct name_meaning meaning = model_lookup(model, name, at);
    switch (meaning.kind) {
    case NAME_MACRO:
        if (meaning.token != NO_TOKEN) {
            const struct directive *macro = unit_directive_at(unit, meaning.token);
            struct frame text = {.outer = frame, .macro = macro, .at = at};
            if (!macro->function_like)
                return launch_kernel(model, macro->body, &text, depth);
        }
        return (struct kernel){0};
    case NAME_UNKNOWN:
    case NAME_FUNCTION:
        return (struct kernel){.kind = KERNEL_NAMED, .name = node, .at = at};
    default:
        return (struct kernel){0};
    }
}

/* The kernel that NODE names: behind casts, & and HIP_KERNEL_NAME. */
static struct kernel find_kernel(struct model *model, const struct node *node,
                                 const struct frame *frame, unsigned depth)
{
    const struct node *first = node->kids;
    if (KERNEL_DEPTH <= depth)
        return (struct kernel){0};
    switch (node->kind) {
    case NODE_NAME:
        return tree_symbol(model->unit, node) ? find_named_kernel(model, node, frame, depth)
                                              : (struct kernel){0};
    case NODE_CAST:
        if (first && first->next)
            return find_kernel(model, first->next, frame, depth + 1);
        break;
    case NODE_UNARY:
        if (first && (node->op == TOK_AMP || node->op == TOK_STAR))
            return find_kernel(model, first, frame, depth + 1);
        break;
    case NODE_CALL:
        if (first && first->next && !first->next->next && first->kind == NODE_NAME) {
            if (symbol_is(tree_symbol(model->unit, first), "HIP_KERNEL_NAME"))
                return find_kernel(model, first->next, frame, depth + 1);
        }
        break;
    default:
        break;
    }
    return (struct kernel){0};
}

/* The namespace in NAMESPACE::NAME, or NULL. */
static const struct symbol *qualifier_of(const struct unit *unit, const struct node *name)
{
    if (!(name->flags & NAME_QUALIFIED) || name->token < name->tokens.begin + 2)
        return NULL;
    return unit_token(unit, name->token - 2)->symbol;
}

size_t launch_function(struct model *model, const struct node *name, uint32_t at, int arg_count)
{
    const struct unit *unit = model->unit;
    size_t count, res = NO_INDEX;
    const uint32_t *called = model_functions_called(model, tree_symbol(unit, name), &count);
    const struct symbol *qualifier = qualifier_of(unit, name);
    uint32_t around = unit_scope_at(unit, at);
    int best = -1;
    for (size_t i = 0; i < count; ++i) {
        size_t index = called[i];
        const struct function *function = &unit->functions.items[index];
        const struct model_function *info = model_function(model, index);
        int score = function->flags & FUNCTION_GLOBAL ? 32 : 0;
        if (0 <= arg_count && model_needed_arguments(info) <= (unsigned)arg_count &&
            (unsigned)arg_count <= info->param_count)
            score += 8;
        if (qualifier ? launch_scope_name(unit, function->scope) == qualifier : false)
            score += 16;
        for (uint32_t s = around; s != NO_INDEX; s = unit->scopes.items[s].parent)
            if (s == function->scope)
                score += 2;
        if (!range_is_empty(function->body))
            score += 1;
        if (best < score) {
            best = score;
            res = index;
        }
    }
    return res;
}
