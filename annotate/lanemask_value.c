/* Which values are lane masks, and how masks go from place to place.  */
#include <config.h>

#include "annotate/lanemask_p.h"

#include <string.h>

enum { PASSES = 16 }; /* over all assignments: so many steps a mask is followed */

static const struct mask_counter counters[] = {
    {"__brev", "__brevll", true, true},
    {"__builtin_clz", "__builtin_clzll", true, false},
    {"__builtin_ctz", "__builtin_ctzll", false, false},
    {"__builtin_ffs", "__builtin_ffsll", false, false},
    {"__builtin_popcount", "__builtin_popcountll", false, false},
    {"__clz", "__clzll", true, false},
    {"__ffs", "__ffsll", false, false},
    {"__popc", "__popcll", false, false},
};

const struct mask_counter *masks_counter_of(const struct mask_search *s, const struct node *node)
{
    if (node->kind != NODE_CALL || node->kids->kind != NODE_NAME || !node->kids->next)
        return NULL;
    const struct symbol *name = tree_symbol(s->unit, node->kids);
    for (size_t i = 0; name && name->text[0] == '_' && i < sizeof counters / sizeof *counters; ++i)
        if (!strcmp(counters[i].name, name->text))
            return &counters[i];
    return NULL;
}

/* Values. */

bool masks_single(struct mask_search *s, const struct node *node, int64_t *value)
{
    struct constant c;
    if (!constant_of(s->model, node, &c) || !constant_single(&c))
        return false;
    *value = c.values[0];
    return true;
}

bool masks_constant(struct mask_search *s, const struct node *node, int64_t *value)
{
    if (masks_single(s, node, value))
        return true;
    const struct symbol *name = node->kind == NODE_NAME ? tree_symbol(s->unit, node) : NULL;
    if (name && (!strcmp(name->text, "UINT32_MAX") || !strcmp(name->text, "UINT_MAX"))) {
        *value = UINT32_MAX;
        return true;
    }
    if (masks_macro_constant(s, node, value))
        return true;
    bool cast = node->kind == NODE_CAST || node->kind == NODE_CONSTRUCT ||
                (node->kind == NODE_CALL && node->kids->kind == NODE_NAME &&
                 tree_is_type_name(tree_symbol(s->unit, node->kids)));
    const struct node *operand = cast ? node->kids->next : NULL;
    return operand && !operand->next && masks_single(s, operand, value);
}

/* Whether NODE selects a few lanes, or the lower half on purpose: 1, 0xff, 0xffffffff. */
static bool is_small(struct mask_search *s, const struct node *node)
{
    int64_t value;
    return (node->kind == NODE_NUMBER || node->kind == NODE_NAME || node->kind == NODE_UNARY) &&
           masks_single(s, node, &value) &&
           ((0 <= value && value <= UINT16_MAX) || value == UINT32_MAX);
}

/* Whether NODE, g.ballot(p) or the like, asks a coalesced group, which has as many members as a
   wave has lanes. */
static bool is_group_mask(struct mask_search *s, const struct node *node)
{
    const struct node *callee = node->kids;
    if (callee->kind != NODE_MEMBER)
        return false;
    const struct symbol *name = tree_symbol(s->unit, callee);
    return name &&
           (!strcmp(name->text, "ballot") || !strcmp(name->text, "match_any") ||
            !strcmp(name->text, "match_all")) &&
           warp_is_active_group(s->a, callee->kids);
}

static const struct node *call_carries(struct mask_search *s, const struct node *node)
{
    struct warp_call call;
    if (warp_call_of(s->a, node, &call)) {
        if (warp_gives_mask(call.function))
            return node;
        return warp_is_shuffle(call.function) && call.value ? masks_carries(s, call.value) : NULL;
    }
    if (is_group_mask(s, node))
        return node;
    const struct mask_counter *counter = masks_counter_of(s, node);
    if (counter)
        return counter->mask ? masks_carries(s, code_argument(node, 0)) : NULL;
    for (const struct mask_named *f = masks_functions_called(s, node); f; f = f->others)
        if (masks_place(s, masks_result_place(s, f->function))->value)
            return node;
    if (masks_macro_gives(s, node, NULL))
        return node;
    size_t lambda = masks_lambda_called(s, node);
    return lambda != SIZE_MAX && masks_place(s, lambda)->value ? node : NULL;
}

/* The value that DEFINITION gives its variable, or NULL: another one. */
static const struct node *value_of(const struct definition *definition)
{
    if (definition->kind == DEFINITION_ASSIGNED)
        return definition->node->kids->next;
    if (definition->kind != DEFINITION_DECLARED)
        return NULL;
    tree_each (kid, definition->node)
        if (kid->kind == NODE_INITIALIZER && kid->kids && !kid->kids->next)
            return kid->kids;
    return NULL;
}

static bool gives_mask(const struct mask_search *s, const struct definition *definition,
                       const struct mask_place *p)
{
    const struct node *value = value_of(definition);
    switch (definition->kind) {
    case DEFINITION_DECLARED:
    case DEFINITION_ASSIGNED:
        return value && value->id < s->code->node_count && s->masks_given[value->id];
    case DEFINITION_PARAMETER:
        return p->passed;
    case DEFINITION_UPDATED: /* m &= m - 1 */
        return definition->node->kind == NODE_ASSIGN && definition->node->op != TOK_PLUS_ASSIGN;
    case DEFINITION_UNKNOWN:
        return p->came_back;
    default:
        return false;
    }
}

/* Whether the variable NODE, which is P and holds a lane mask somewhere, may hold one here: it may
   serve for several things one after the other. */
static bool holds_mask_at(struct mask_search *s, const struct node *node,
                          const struct mask_place *p)
{
    struct reaching reaching;
    bool variable = node->kind == NODE_NAME && (p->kind == MASK_LOCAL || p->kind == MASK_PARAMETER);
    if (p->given == p->masks || p->lane)
        return true;
    if (!variable)
        return false; /* elements and members are not told apart */
    if (!flow_reaching(s->model, p->function, tree_symbol(s->unit, node), NULL, 0, node->token,
                       &reaching, NULL))
        return true;
    for (unsigned i = 0; i < reaching.count; ++i)
        if (gives_mask(s, reaching.items[i], p))
            return true;
    return false;
}

/* Whether AMOUNT is 0 or 32 by its form: 32 * (y & 1), lane & 32. */
static bool is_half_by_form(struct mask_search *s, const struct node *amount)
{
    int64_t value;
    const struct node *left = amount->kids, *right = left ? left->next : NULL;
    if (amount->kind != NODE_BINARY)
        return false;
    switch (amount->op) {
    case TOK_STAR:
    case TOK_AMP:
        return (masks_single(s, left, &value) && value == 32) ||
               (masks_single(s, right, &value) && value == 32);
    case TOK_SHIFT_LEFT:
        return masks_single(s, right, &value) && value == 5;
    default:
        return false;
    }
}

/* Whether AMOUNT is 0 in the lower half of each wave of 64 and 32 in the upper. */
static bool is_half_by_lane(struct mask_search *s, const struct node *amount)
{
    static const unsigned usual[] = {256, 1, 1};
    size_t function = model_function_at(s->model, amount->token);
    struct lane_machine *machine =
        function == NO_INDEX ? NULL : annotation_machine(s->a, function, usual, 64, 0);
    struct lanes lanes = machine ? lane_evaluate(machine, amount) : (struct lanes){0};
    if (lanes.state != LANES_KNOWN || !lanes.values)
        return false;
    for (unsigned i = 0; i < machine->threads; ++i)
        if (lanes_at(&lanes, i) != (i & 32))
            return false;
    return true;
}

bool masks_is_upper_half(struct mask_search *s, const struct node *node)
{
    if (node->kind != NODE_BINARY || node->op != TOK_SHIFT_RIGHT)
        return false;
    int64_t value;
    const struct node *amount = node->kids->next;
    if (masks_single(s, amount, &value))
        return value == 32;
    return is_half_by_form(s, amount) || is_half_by_lane(s, amount);
}

/* Whether 32 bits of VALUE are the lower half of a mask whose upper half is looked at too. */
static bool is_lower_half(struct mask_search *s, const struct node *value)
{
    size_t place = masks_place_of(s, value);
    return place != SIZE_MAX && masks_place(s, place)->split;
}

const struct node *masks_carries(struct mask_search *s, const struct node *node)
{
    const struct node *left;
    size_t place;
    switch (node->kind) {
    case NODE_CALL:
        return call_carries(s, node);
    case NODE_UNARY:
        if (node->op == TOK_TILDE || node->op == TOK_MINUS || node->op == TOK_PLUS)
            return masks_carries(s, node->kids);
        if (node->op != TOK_STAR)
            return NULL;
        /* fall through */
    case NODE_NAME:
    case NODE_INDEX:
    case NODE_MEMBER:
        place = masks_place_of(s, node);
        if (place == SIZE_MAX)
            return node->kind == NODE_NAME && masks_macro_gives(s, node, NULL) ? node : NULL;
        return masks_place(s, place)->value && holds_mask_at(s, node, masks_place(s, place)) ? node
                                                                                             : NULL;
    case NODE_BINARY:
        left = node->kids;
        switch (node->op) {
        case TOK_AMP:
            if (is_small(s, left) || is_small(s, left->next))
                return NULL;
            /* fall through */
        case TOK_PIPE:
        case TOK_CARET: {
            const struct node *res = masks_carries(s, left);
            return res ? res : masks_carries(s, left->next);
        }
        case TOK_MINUS: /* m - 1 */
            return left->next->kind == NODE_NUMBER ? masks_carries(s, left) : NULL;
        case TOK_SHIFT_LEFT:
        case TOK_SHIFT_RIGHT:
            return masks_is_upper_half(s, node) ? NULL : masks_carries(s, left);
        case TOK_COMMA:
            return masks_carries(s, left->next);
        default:
            return NULL;
        }
    case NODE_ASSIGN:
        return masks_carries(s, node->kids->next);
    case NODE_CHOICE: {
        const struct node *res = masks_carries(s, node->kids->next);
        return res ? res : masks_carries(s, node->kids->next->next);
    }
    case NODE_CAST:
    case NODE_CONSTRUCT: {
        const struct node *type = node->kids;
        bool pointed = false;
        if (!type->next || type->next->next)
            return NULL;
        unsigned bits = masks_bits_of(type_of_declaration(s->model, type, NULL), &pointed);
        if (!bits || pointed || (bits == 32 && is_lower_half(s, type->next)))
            return NULL;
        return masks_carries(s, type->next);
    }
    default:
        return NULL;
    }
}

/* Shifts that make lane masks. */

static bool is_shift(struct mask_search *s, const struct node *node)
{
    int64_t value, amount;
    if (node->kind != NODE_BINARY || (node->op != TOK_SHIFT_LEFT && node->op != TOK_SHIFT_RIGHT) ||
        !masks_single(s, node->kids, &value) || masks_single(s, node->kids->next, &amount))
        return false;
    const struct type *type = type_of(s->model, node->kids);
    if (type->kind == TYPE_INTEGER && 4 < type->size)
        return false;
    return value == 1 || value == 2 || value == -1 || value == -2 || masks_is_full(value) ||
           (uint32_t)value == UINT32_MAX - 1 || (uint32_t)value == UINT32_C(1) << 31;
}

const struct node *masks_shift_in(struct mask_search *s, const struct node *node)
{
    if (is_shift(s, node))
        return node;
    switch (node->kind) {
    case NODE_UNARY:
        return node->op == TOK_TILDE || node->op == TOK_MINUS ? masks_shift_in(s, node->kids)
                                                              : NULL;
    case NODE_CAST:
        return node->kids->next ? masks_shift_in(s, node->kids->next) : NULL;
    case NODE_BINARY: {
        if (node->op != TOK_PLUS && node->op != TOK_MINUS && node->op != TOK_AMP &&
            node->op != TOK_PIPE && node->op != TOK_CARET)
            return NULL;
        const struct node *res = masks_shift_in(s, node->kids);
        return res ? res : masks_shift_in(s, node->kids->next);
    }
    default:
        return NULL;
    }
}

/* Following. */

static bool mark(struct mask_search *s, size_t place, const struct node *value)
{
    struct mask_place *p = masks_place(s, place);
    if (p->value)
        return false;
    p->value = value;
    return true;
}

static bool mate(struct mask_search *s, const struct node *node);

/* PLACE meets a lane mask: if it holds what a shift or PTX makes, it is a place of masks too, and
   so is what it gets that from. */
static bool mate_place(struct mask_search *s, size_t place)
{
    const struct node *lane = masks_place(s, place)->lane;
    if (!lane || !mark(s, place, lane))
        return false;
    if (lane->kind == NODE_CALL || lane->kind == NODE_NAME)
        mate(s, lane);
    return true;
}

/* NODE is combined with a lane mask. */
static bool mate(struct mask_search *s, const struct node *node)
{
    while (node->kind == NODE_UNARY && node->op == TOK_TILDE)
        node = node->kids;
    bool res = false;
    if (node->kind == NODE_CALL) {
        for (const struct mask_named *f = masks_functions_called(s, node); f; f = f->others)
            res |= mate_place(s, masks_result_place(s, f->function));
        return res;
    }
    size_t place = masks_place_of(s, node);
    return place != SIZE_MAX && mate_place(s, place);
}

/* Which places hold what shifts or PTX make. */
static void find_lanes(struct mask_search *s)
{
    vec_each (const struct mask_edge, e, &s->edges)
        if (masks_shift_in(s, e->value) && !masks_place(s, e->place)->lane)
            masks_place(s, e->place)->lane = e->value;
    bool changed = true;
    for (unsigned pass = 0; changed && pass < PASSES; ++pass) {
        changed = false;
        vec_each (const struct mask_edge, e, &s->edges) {
            const struct node *value = e->value;
            size_t from = SIZE_MAX;
            if (masks_place(s, e->place)->lane)
                continue;
            if (value->kind == NODE_CALL && masks_functions_called(s, value))
                from = masks_result_place(s, masks_functions_called(s, value)->function);
            else if (value->kind == NODE_NAME)
                from = masks_place_of(s, value);
            if (from != SIZE_MAX && masks_place(s, from)->lane) {
                masks_place(s, e->place)->lane = value;
                changed = true;
            }
        }
    }
}

/* What a function puts into its parameter is a mask that comes back to its caller's place. */
static bool come_back(struct mask_search *s, struct mask_out *out)
{
    const struct mask_place *parameter = masks_place(s, out->parameter);
    struct mask_place *place = masks_place(s, out->place);
    if (out->done || !parameter->value || !(parameter->written || parameter->came_back))
        return false;
    out->done = true;
    place->came_back = true;
    place->masks++;
    const struct node *call = out->argument;
    while (call && call->kind != NODE_CALL)
        call = code_parent(s->code, call);
    if (mark(s, out->place, call ? call : out->argument))
        place->site = call ? call : out->argument;
    return true;
}

void masks_follow(struct mask_search *s)
{
    bool changed = true;
    find_lanes(s);
    for (unsigned pass = 0; changed && pass < PASSES; ++pass) {
        changed = false;
        for (size_t i = 0; i < s->edges.count; ++i) {
            struct mask_edge e = s->edges.items[i];
            bool inside = e.value->id < s->code->node_count; /* no default argument */
            if ((inside && s->masks_given[e.value->id]) || !masks_carries(s, e.value) ||
                (masks_place(s, e.place)->bits == 32 && is_lower_half(s, e.value)))
                continue;
            if (inside) {
                s->masks_given[e.value->id] = changed = true;
                masks_place(s, e.place)->masks++;
            }
            if (e.argument)
                masks_place(s, e.place)->passed = true;
            else
                masks_place(s, e.place)->written = true;
            if (mark(s, e.place, e.value)) {
                masks_place(s, e.place)->site = e.value;
                changed = true;
            } else if (inside) {
                masks_add_value(s, masks_place(s, e.place), e.value);
            }
        }
        vec_each (struct mask_out, out, &s->outs)
            changed |= come_back(s, out);
        vec_each (const struct node *const, mix, &s->mixes) {
            const struct node *left = (*mix)->kids, *right = left->next;
            if (masks_carries(s, left))
                changed |= mate(s, right);
            if (masks_carries(s, right))
                changed |= mate(s, left);
        }
    }
}
