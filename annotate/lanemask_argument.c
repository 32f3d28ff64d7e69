/* The masks that _sync functions get: constants, variables, what macros pass on.  */
#include <config.h>

#include "annotate/lanemask_p.h"

#include <stdlib.h>

unsigned masks_width(struct mask_search *s, const struct node *node)
{
    const struct type *type;
    size_t place;
    unsigned left, right;
    if (node->kind == NODE_CALL) {
        const struct mask_named *f = masks_functions_called(s, node);
        if (f)
            return masks_place(s, masks_result_place(s, f->function))->bits;
        place = masks_lambda_called(s, node);
        if (place != SIZE_MAX)
            return masks_place(s, place)->automatic ? (masks_place(s, place)->value ? 64 : 0)
                                                    : masks_place(s, place)->bits;
        if (masks_macro_gives(s, node, &left))
            return left;
        const struct mask_counter *counter = masks_counter_of(s, node);
        if (!counter && masks_carries(s, node))
            return 64;
    }
    switch (node->kind) {
    case NODE_UNARY:
        if (node->op != TOK_STAR)
            return masks_width(s, node->kids);
        /* fall through */
    case NODE_NAME:
    case NODE_INDEX:
    case NODE_MEMBER:
        place = masks_place_of(s, node);
        if (place != SIZE_MAX)
            return masks_place(s, place)->automatic ? (masks_place(s, place)->value ? 64 : 0)
                                                    : masks_place(s, place)->bits;
        if (node->kind == NODE_NAME && masks_macro_gives(s, node, &left))
            return left;
        break;
    case NODE_BINARY:
        left = masks_width(s, node->kids);
        if (node->op == TOK_SHIFT_LEFT || node->op == TOK_SHIFT_RIGHT)
            return left;
        right = masks_width(s, node->kids->next);
        return left == 64 || right == 64 ? 64 : left && right ? 32 : 0;
    case NODE_CHOICE:
        left = masks_width(s, node->kids->next);
        right = masks_width(s, node->kids->next->next);
        return left == 64 || right == 64 ? 64 : left && right ? 32 : 0;
    default:
        break;
    }
    type = type_of(s->model, node);
    return type->kind == TYPE_INTEGER && type->exact ? (type->size <= 4 ? 32 : 64) : 0;
}

/* Whether KID, a part of the mask argument NODE, is none of what the mask is made of: a type, by
   how much something is shifted, what a choice asks. */
static bool is_beside(const struct node *node, const struct node *kid)
{
    bool first = kid == node->kids;
    switch (node->kind) {
    case NODE_CAST:
    case NODE_CONSTRUCT:
    case NODE_CHOICE:
        return first;
    default:
        return !first && (node->op == TOK_SHIFT_LEFT || node->op == TOK_SHIFT_RIGHT);
    }
}

/* Notes for each variable that the mask argument NODE names that it is used as a mask; whether
   there is one of 32 bits. */
static bool note_used(struct mask_search *s, const struct node *node)
{
    bool res = false;
    if (node->kind == NODE_CALL) {
        struct warp_call call;
        if (warp_call_of(s->a, node, &call))
            return false;
        for (const struct mask_named *f = masks_functions_called(s, node); f; f = f->others) {
            struct mask_place *p = masks_place(s, masks_result_place(s, f->function));
            if (p->bits && p->bits < 64) {
                masks_add_naming(s, p, node);
                res = true;
            }
        }
        return res;
    }
    size_t place = masks_place_of(s, node);
    if (place != SIZE_MAX) {
        struct mask_place *p = masks_place(s, place);
        if (!p->bits || 64 <= p->bits || p->automatic)
            return false;
        masks_add_naming(s, p, node);
        return true;
    }
    tree_each (kid, node)
        if (!is_beside(node, kid))
            res |= note_used(s, kid);
    return res;
}

bool masks_is_whole(struct mask_search *s, size_t function, const struct node *node)
{
    return function != NO_INDEX && warp_is_whole(s->a, function, node);
}

/* A local that only ever is a constant counts as that. */
static const struct node *constant_behind(struct mask_search *s, const struct node *node)
{
    size_t place = node->kind == NODE_NAME ? masks_place_of(s, node) : SIZE_MAX;
    if (place == SIZE_MAX || masks_place(s, place)->kind != MASK_LOCAL ||
        masks_place(s, place)->value)
        return NULL;
    const struct node *res = NULL;
    int64_t value;
    size_t edges = 0;
    /* The reaching definitions decide; only one value is of interest here. */
    struct reaching reaching;
    if (!flow_reaching(s->model, masks_place(s, place)->function, tree_symbol(s->unit, node), NULL,
                       0, node->token, &reaching, NULL) ||
        !reaching.known || reaching.count != 1 || reaching.items[0]->kind != DEFINITION_DECLARED)
        return NULL;
    tree_each (kid, masks_place(s, place)->declarator)
        if (kid->kind == NODE_INITIALIZER && kid->kids && !kid->kids->next) {
            res = kid->kids;
            ++edges;
        }
    return edges == 1 && masks_single(s, res, &value) && masks_is_full(value) ? res : NULL;
}

/* The token that defines the constant that NODE names, or the function that gives it; or NO_TOKEN.
 */
static uint32_t definition_of(struct mask_search *s, const struct node *node)
{
    const struct node *name = node->kind == NODE_CALL ? node->kids : node;
    if (name->kind != NODE_NAME || (node->kind == NODE_CALL && name->next))
        return NO_TOKEN;
    struct name_meaning meaning = model_lookup(s->model, tree_symbol(s->unit, name), name->token);
    struct constant value;
    if (meaning.token != NO_TOKEN || !constant_of(s->model, node, &value) ||
        value.origin == NO_TOKEN ||
        unit_token(s->unit, value.origin)->symbol != tree_symbol(s->unit, name))
        return meaning.token;
    return value.origin; /* a member of a class */
}

static void add_argument(struct mask_search *s, const struct node *node, size_t function,
                         int64_t value, unsigned bits, bool constant)
{
    bool full = constant && masks_is_full(value);
    *vec_push(&s->masks->arguments) = (struct mask_argument){
        .node = node,
        .function = function,
        .definition = definition_of(s, node),
        .full = full,
        .whole = full && masks_is_whole(s, function, node),
        .exact = constant && !full && function != NO_INDEX &&
                 warp_is_exact(s->a, function, node, (uint32_t)value),
        .bits = bits,
    };
}

/* NODE names all lanes in 64 bits: wrong only where some are known to be absent. */
static void add_all_lanes(struct mask_search *s, const struct node *node, size_t function)
{
    target_set absent = function == NO_INDEX ? 0 : warp_is_partial(s->a, function, node);
    if (absent)
        *vec_push(&s->masks->arguments) = (struct mask_argument){.node = node,
                                                                 .function = function,
                                                                 .definition = NO_TOKEN,
                                                                 .bits = 64,
                                                                 .absent = absent};
}

static void examine_mask(struct mask_search *s, const struct node *mask, size_t function)
{
    int64_t value = 0;
    const struct token *token = unit_token(s->unit, mask->tokens.begin);
    if (token->flags & TOKEN_DROPPED || token_region(token) == REGION_CUDA)
        return;
    const struct node *behind = constant_behind(s, mask);
    if (masks_constant(s, behind ? behind : mask, &value)) {
        unsigned bits = behind ? masks_width(s, behind) : masks_width(s, mask);
        if (bits == 64 && value == -1)
            add_all_lanes(s, mask, function);
        if (bits == 64 && value != UINT32_MAX)
            return;
        if (bits == 64 && annotation_is_hip(s->a, mask->tokens.begin)) {
            add_argument(s, mask, function, 0, 64, false);
            return;
        }
        add_argument(s, mask, function, value, bits ? bits : 32, true);
        return;
    }
    unsigned bits = masks_width(s, mask);
    if (!bits || bits == 64 || note_used(s, mask))
        return;
    add_argument(s, mask, function, 0, bits, false);
}

/* Calls in the texts of macros. */

static int compare_macros(const void *va, const void *vb)
{
    const struct mask_macro *a = va, *b = vb;
    return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : (uintptr_t)a->name > (uintptr_t)b->name;
}

/* The macro of the file that gives a parameter to a _sync function as its mask, or NULL. */
static const struct mask_macro *mask_macro_of(const struct mask_search *s,
                                              const struct symbol *name)
{
    struct mask_macro key = {name, 0};
    return s->macros.count ? bsearch(&key, s->macros.items, s->macros.count,
                                     sizeof *s->macros.items, compare_macros)
                           : NULL;
}

/* The argument of the call at token AT that is its mask, SIZE_MAX: none. */
static size_t mask_index(const struct mask_search *s, uint32_t at)
{
    const struct symbol *name = unit_token(s->unit, at)->symbol;
    const struct warp_function *function = name ? warp_function_find(name->text) : NULL;
    const struct mask_macro *macro = name ? mask_macro_of(s, name) : NULL;
    if (unit_is_member(s->unit, at))
        return SIZE_MAX;
    return function && function->mask == 0 ? 0 : macro ? macro->index : SIZE_MAX;
}

/* The mask of the call at token AT of a macro's text. */
static bool macro_mask(struct mask_search *s, uint32_t at, struct range *res)
{
    struct arguments args;
    size_t index = mask_index(s, at);
    if (index == SIZE_MAX || unit_kind(s->unit, at + 1) != TOK_LPAREN ||
        !unit_arguments(s->unit, at + 1, s->a->arena, &args) || (size_t)args.count <= index)
        return false;
    *res = args.items[index];
    return res->begin < res->end;
}

/* Notes it if the mask in RANGE is a parameter of the macro D. */
static void note_macro(struct mask_search *s, const struct directive *d, struct range range)
{
    const struct symbol *name = unit_token(s->unit, range.begin)->symbol;
    int index = range.end == range.begin + 1 ? masks_macro_parameter(s, d, name) : -1;
    if (0 <= index)
        *vec_push(&s->macros) =
            (struct mask_macro){unit_token(s->unit, d->name)->symbol, (size_t)index};
}

static void find_macros(struct mask_search *s)
{
    vec_each (const struct directive, d, &s->unit->directives) {
        struct range range;
        if (d->kind != TOK_PP_DEFINE || d->params.begin == d->params.end)
            continue;
        for (uint32_t i = d->body.begin; i + 1 < d->body.end; ++i) {
            const struct symbol *name = unit_token(s->unit, i)->symbol;
            if (name && warp_function_find(name->text) && macro_mask(s, i, &range))
                note_macro(s, d, range);
        }
    }
}

static void examine_macros(struct mask_search *s)
{
    vec_each (const struct directive, d, &s->unit->directives) {
        for (uint32_t i = d->body.begin; d->kind == TOK_PP_DEFINE && i + 1 < d->body.end; ++i) {
            struct range range;
            int64_t value;
            if (!macro_mask(s, i, &range))
                continue;
            const struct node *mask = tree_expression(&s->model->trees, range);
            if (mask && masks_constant(s, mask, &value))
                examine_mask(s, mask, NO_INDEX);
        }
    }
}

/* The mask argument of CALL, or NULL. */
static const struct node *mask_of(struct mask_search *s, const struct code_node *call)
{
    struct warp_call warp;
    if (!call->name)
        return NULL;
    if (call->name->text[0] == '_' && warp_call_of(s->a, call->node, &warp))
        return warp.mask;
    const struct mask_macro *macro = mask_macro_of(s, call->name);
    if (!macro || call->node->kids->kind != NODE_NAME ||
        model_lookup(s->model, call->name, call->node->kids->token).kind != NAME_MACRO)
        return NULL;
    return code_argument(call->node, (unsigned)macro->index);
}

void masks_examine_calls(struct mask_search *s)
{
    find_macros(s);
    if (s->macros.count)
        qsort(s->macros.items, s->macros.count, sizeof *s->macros.items, compare_macros);
    vec_each (const struct code_node, call, &s->code->calls) {
        const struct node *mask = mask_of(s, call);
        if (mask)
            examine_mask(s, mask, call->function);
    }
    examine_macros(s);
}
