/* lds-lane-slot: see its page in annotate/pages/. */
#include <config.h>

#include "annotate/width.h"

enum { TERM_DEPTH = 16, HALF = 32 };

/* What the terms of an index say. */
struct terms {
    const struct node *lane; /* the one that is the lane of a warp of 32, or NULL */
    bool apart; /* another one differs between the warps, or its threads, in a way that is known */
};

/* Whether NODE or a part of it is the number of a warp, or a thread's. */
static bool names_warp(struct annotation *a, size_t function, const struct node *node,
                       unsigned depth)
{
    if (TERM_DEPTH < depth)
        return true;
    enum lane_role role = node->kind == NODE_NUMBER
                              ? LANE_ROLE_NONE
                              : lane_role(annotation_code(a)->model, function, node, HALF);
    if (role == LANE_ROLE_WARP || role == LANE_ROLE_WARP_START)
        return true;
    tree_each (kid, node)
        if (names_warp(a, function, kid, depth + 1))
            return true;
    return false;
}

/* Adds the terms of INDEX, a sum, to RES. */
static void add_terms(struct annotation *a, struct lane_machine *machine, size_t function,
                      const struct node *index, struct terms *res, unsigned depth)
{
    if (depth < TERM_DEPTH && index->kind == NODE_BINARY &&
        (index->op == TOK_PLUS || index->op == TOK_PIPE)) {
        tree_each (kid, index)
            add_terms(a, machine, function, kid, res, depth + 1);
        return;
    }
    if (!res->lane &&
        lane_role(annotation_code(a)->model, function, index, HALF) == LANE_ROLE_LANE) {
        res->lane = index;
        return;
    }
    struct lanes value = lane_evaluate(machine, index);
    res->apart |= (value.state != LANES_UNKNOWN && !lanes_uniform(&value)) ||
                  names_warp(a, function, index, 0);
}

/* Whether PLACE is changed by what is there, by no atomic function: x += y, ++x, x = x + y. */
static bool is_updated(const struct annotation *a, const struct code *code,
                       const struct node *place)
{
    const struct node *parent = code_parent(code, place);
    if (!parent || parent->kids != place)
        return false;
    if (parent->kind == NODE_POSTFIX ||
        (parent->kind == NODE_UNARY &&
         (parent->op == TOK_PLUS_PLUS || parent->op == TOK_MINUS_MINUS)))
        return true;
    if (parent->kind != NODE_ASSIGN)
        return false;
    if (parent->op != TOK_ASSIGN)
        return true;
    const struct node *value = parent->kids->next;
    return value->kind == NODE_BINARY &&
           (unit_same_text(a->unit, value->kids->tokens, place->tokens) ||
            unit_same_text(a->unit, value->kids->next->tokens, place->tokens));
}

/* Whether the array that PLACE, an index, is an element of lies in shared memory. */
static bool is_shared(const struct annotation *a, const struct code *code, const struct node *place)
{
    while (place->kind == NODE_INDEX)
        place = place->kids;
    if (place->kind != NODE_NAME)
        return false;
    struct name_meaning meaning =
        model_lookup(code->model, tree_symbol(a->unit, place), place->token);
    const struct node *type = meaning.declaration ? meaning.declaration->kids : NULL;
    return type && type->kind == NODE_TYPE && type->flags & TYPE_SHARED;
}

/* Whether two lanes of a wave, 32 apart, may both get to NODE. */
static bool both_halves(struct lane_machine *machine, const struct node *node)
{
    uint64_t mask[LANES_MAX / 64];
    if (machine->threads <= HALF)
        return false;
    if (lane_reach(machine, node, mask) != REACH_KNOWN)
        return true;
    for (unsigned i = 0; i < (machine->threads + 63) / 64; ++i)
        if (mask[i] >> HALF & mask[i])
            return true;
    return false;
}

static void examine(struct annotation *a, const struct code *code, const struct code_node *place)
{
    struct launch_blocks blocks;
    const unsigned usual[] = {256, 1, 1};
    if (!is_updated(a, code, place->node) || !is_shared(a, code, place->node))
        return;
    model_blocks(code->model, place->function, &blocks);
    struct lane_machine *machine =
        annotation_machine(a, place->function, blocks.count ? blocks.block[0] : usual, 2 * HALF, 0);
    struct terms terms = {0};
    for (const struct node *at = place->node; machine && at->kind == NODE_INDEX; at = at->kids)
        add_terms(a, machine, place->function, at->kids->next, &terms, 0);
    if (!terms.lane || terms.apart || !both_halves(machine, place->node))
        return;
    struct finding *f = annotation_add(a, RULE_LDS_LANE_SLOT, place->node->tokens);
    f->targets = annotation_with_wave(a, 2 * HALF);
    annotation_add_quote(a, f, terms.lane->tokens);
    finding_add_arg(f, annotation_names(a, f->targets));
}

void rule_lane_slot(struct annotation *a)
{
    if (!symbol_find(a->unit->symbols, "__shared__") || !annotation_with_wave(a, 2 * HALF))
        return;
    const struct code *code = annotation_code(a);
    vec_each (const struct code_node, place, &code->places)
        if (place->device && place->node->kind == NODE_INDEX &&
            width_applies(a, place->node->token, HALF))
            examine(a, code, place);
}
