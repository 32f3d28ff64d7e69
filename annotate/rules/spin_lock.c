/* sync-lane-spin-lock: see its page in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

enum { CONDITION_DEPTH = 8 };

static const char *const takers[] = {"atomicCAS", "atomicExch", "atomicCAS_system",
                                     "atomicCAS_block"};

static bool takes(const struct node *node, const struct annotation *a)
{
    const struct symbol *name = node->kind == NODE_CALL && node->kids->kind == NODE_NAME
                                    ? tree_symbol(a->unit, node->kids)
                                    : NULL;
    for (size_t i = 0; name && i < sizeof takers / sizeof *takers; ++i)
        if (!strcmp(name->text, takers[i]))
            return !name->user;
    return false;
}

/* The call in CONDITION that tries to take the lock: alone, negated, or compared. */
static const struct node *find_taker(const struct annotation *a, const struct node *condition,
                                     unsigned depth)
{
    if (!condition || CONDITION_DEPTH < depth)
        return NULL;
    if (takes(condition, a))
        return condition;
    if (condition->kind != NODE_BINARY && condition->kind != NODE_UNARY &&
        condition->kind != NODE_ASSIGN)
        return NULL;
    tree_each (kid, condition) {
        const struct node *res = find_taker(a, kid, depth + 1);
        if (res)
            return res;
    }
    return NULL;
}

/* Whether BODY does nothing, but for waiting. */
static bool is_idle(const struct annotation *a, const struct node *body)
{
    const struct symbol *name;
    switch (body->kind) {
    case NODE_EMPTY:
    case NODE_CONTINUE:
        return true;
    case NODE_EXPRESSION:
        if (!body->kids)
            return true;
        if (body->kids->kind == NODE_EMPTY)
            return true;
        name = body->kids->kind == NODE_CALL && body->kids->kids->kind == NODE_NAME
                   ? tree_symbol(a->unit, body->kids->kids)
                   : NULL;
        return name && (strstr(name->text, "sleep") || strstr(name->text, "threadfence"));
    case NODE_BLOCK:
        tree_each (kid, body)
            if (!is_idle(a, kid))
                return false;
        return true;
    default:
        return false;
    }
}

/* The call that the loop NODE repeats until it has the lock, or NULL. */
static const struct node *taker_of(const struct annotation *a, const struct node *node)
{
    const struct node *condition = NULL, *body = NULL;
    if (node->kind == NODE_WHILE) {
        condition = node->kids;
        body = tree_kid(node, 1);
    } else if (node->kind == NODE_FOR) {
        condition = tree_kid(node, 1);
        body = tree_kid(node, 3);
    } else if (node->kind == NODE_DO) {
        condition = tree_kid(node, 1);
        body = node->kids;
    }
    return body && is_idle(a, body) ? find_taker(a, condition, 0) : NULL;
}

/* Whether a test for one thread that nobody can decide stands around NODE: `i == 0`. */
static bool is_for_one(const struct code *code, struct lane_machine *machine,
                       const struct node *node)
{
    for (const struct node *around; (around = code_parent(code, node)); node = around) {
        const struct node *condition = around->kids;
        if (around->kind == NODE_IF && condition != node && condition->kind == NODE_BINARY &&
            (condition->op == TOK_EQUAL || condition->op == TOK_AND_AND) &&
            lane_evaluate(machine, condition).state == LANES_UNKNOWN)
            return true;
    }
    return false;
}

/* Whether more than one lane of a wave may get to NODE. */
static bool is_for_several(struct annotation *a, const struct code *code,
                           const struct code_node *loop, unsigned wave)
{
    struct launch_blocks blocks;
    const unsigned usual[] = {256, 1, 1};
    model_blocks(code->model, loop->function, &blocks);
    struct lane_machine *machine =
        annotation_machine(a, loop->function, blocks.count ? blocks.block[0] : usual, wave, 0);
    if (!machine)
        return false;
    uint64_t mask[LANES_MAX / 64];
    if (lane_reach(machine, loop->node, mask) == REACH_UNKNOWN)
        return !is_for_one(code, machine, loop->node);
    for (unsigned first = 0; first < machine->threads; first += wave) {
        unsigned lanes = 0;
        for (unsigned i = first; i < first + wave && i < machine->threads; ++i)
            lanes += mask[i / 64] >> i % 64 & 1;
        if (1 < lanes)
            return true;
    }
    return false;
}

void rule_spin_lock(struct annotation *a)
{
    bool any = false;
    for (size_t i = 0; i < sizeof takers / sizeof *takers; ++i)
        any |= symbol_find(a->unit->symbols, takers[i]) != NULL;
    if (!any)
        return;
    const struct code *code = annotation_code(a);
    unsigned wave = target_wave(a->gpus->targets[0]);
    vec_each (const struct code_node, loop, &code->loops) {
        const struct node *taker = loop->device ? taker_of(a, loop->node) : NULL;
        if (taker && token_region(unit_token(a->unit, taker->token)) != REGION_CUDA &&
            is_for_several(a, code, loop, wave))
            annotation_add(a, RULE_SYNC_LANE_SPIN_LOCK, taker->tokens);
    }
}
