/* sync-lane-spin-lock, sync-wave-spin-wait: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

enum {
    CONDITION_DEPTH = 8,
    CALL_DEPTH = 3,
    MOST_STEPS = 1000000, /* calls of a file that are looked at for callers */
    MOST_WAITS = 32,      /* loops of a file of which the writes are looked for */
};

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

/* The call in `do { x = atomicCAS(&lock, 0, 1); } while (x);`, or NULL. */
static const struct node *taker_in_body(const struct annotation *a, const struct node *body,
                                        const struct node *condition)
{
    while (body->kind == NODE_BLOCK && body->kids && !body->kids->next)
        body = body->kids;
    const struct node *assign = body->kind == NODE_EXPRESSION ? body->kids : NULL;
    if (!assign || assign->kind != NODE_ASSIGN || assign->kids->kind != NODE_NAME ||
        !takes(assign->kids->next, a))
        return NULL;
    /* Of an update by compare and swap the new value is computed. */
    tree_each (argument, assign->kids->next)
        if (argument != assign->kids->next->kids && argument->next == NULL &&
            argument->kind != NODE_NUMBER)
            return NULL;
    while (condition->kind == NODE_BINARY || condition->kind == NODE_UNARY)
        condition = condition->kids;
    return condition->kind == NODE_NAME &&
                   tree_symbol(a->unit, condition) == tree_symbol(a->unit, assign->kids)
               ? assign->kids->next
               : NULL;
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
    if (!body || !condition)
        return NULL;
    return is_idle(a, body) ? find_taker(a, condition, 0) : taker_in_body(a, body, condition);
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

/* Whether more than one lane of a wave may get to NODE, in the body of FUNCTION, by what stands
   around it there. */
static bool is_for_several(struct annotation *a, const struct code *code, size_t function,
                           const struct node *node, unsigned wave)
{
    struct launch_blocks blocks;
    const unsigned usual[] = {256, 1, 1};
    model_blocks(code->model, function, &blocks);
    struct lane_machine *machine =
        annotation_machine(a, function, blocks.count ? blocks.block[0] : usual, wave, 0);
    if (!machine)
        return false;
    uint64_t mask[LANES_MAX / 64];
    if (lane_reach(machine, node, mask) == REACH_UNKNOWN)
        return !is_for_one(code, machine, node);
    for (unsigned first = 0; first < machine->threads; first += wave) {
        unsigned lanes = 0;
        for (unsigned i = first; i < first + wave && i < machine->threads; ++i)
            lanes += mask[i / 64] >> i % 64 & 1;
        if (1 < lanes)
            return true;
    }
    return false;
}

/* Whether several lanes of a wave may enter FUNCTION: a kernel, or one that the file calls where
   several are. */
static bool is_entered_by_several(struct annotation *a, const struct code *code, size_t function,
                                  unsigned wave, unsigned depth, unsigned *steps)
{
    const struct function *fn = &a->unit->functions.items[function];
    if (fn->flags & FUNCTION_GLOBAL)
        return true;
    const struct symbol *name = unit_token(a->unit, fn->name)->symbol;
    vec_each (const struct code_node, call, &code->calls) {
        if (!*steps)
            return false;
        --*steps;
        if (call->name == name && call->device && call->function != function &&
            depth < CALL_DEPTH && is_for_several(a, code, call->function, call->node, wave) &&
            is_entered_by_several(a, code, call->function, wave, depth + 1, steps))
            return true;
    }
    return false;
}

/* Waiting for what another lane writes. */

/* The shared or volatile variable that NODE, all of a condition, reads; NULL for none. */
static const struct symbol *find_flag(struct annotation *a, const struct node *node, unsigned depth)
{
    if (CONDITION_DEPTH < depth || node->kind == NODE_CALL)
        return NULL;
    if (node->kind == NODE_NAME) {
        const struct symbol *name = tree_symbol(a->unit, node);
        struct name_meaning meaning = model_lookup(annotation_code(a)->model, name, node->token);
        const struct node *type = meaning.declaration ? meaning.declaration->kids : NULL;
        return type && type->kind == NODE_TYPE && type->flags & (TYPE_SHARED | TYPE_VOLATILE)
                   ? name
                   : NULL;
    }
    tree_each (kid, node) {
        const struct symbol *res = find_flag(a, kid, depth + 1);
        if (res)
            return res;
    }
    return NULL;
}

/* The variable that the loop NODE waits for, or NULL: it does something else. */
static const struct symbol *waits_for(struct annotation *a, const struct node *node)
{
    const struct node *condition = node->kind == NODE_WHILE ? node->kids
                                   : node->kind == NODE_FOR || node->kind == NODE_DO
                                       ? tree_kid(node, 1)
                                       : NULL;
    const struct node *body = node->kind == NODE_WHILE ? tree_kid(node, 1)
                              : node->kind == NODE_FOR ? tree_kid(node, 3)
                              : node->kind == NODE_DO  ? node->kids
                                                       : NULL;
    if (!condition || !body || !is_idle(a, body) || find_taker(a, condition, 0))
        return NULL;
    return find_flag(a, condition, 0);
}

/* Whether the assignment NODE writes to the variable NAME. */
static bool writes_to(const struct annotation *a, const struct node *node,
                      const struct symbol *name)
{
    const struct node *target = node->kids;
    while (target->kind == NODE_INDEX || (target->kind == NODE_UNARY && target->op == TOK_STAR))
        target = target->kids;
    return node->kind == NODE_ASSIGN && target->kind == NODE_NAME &&
           tree_symbol(a->unit, target) == name;
}

/* Whether some wave has lanes at LOOP and others at WRITE, and none at both. */
static bool are_of_one_wave(struct annotation *a, const struct code *code,
                            const struct code_node *loop, const struct node *write, unsigned wave)
{
    struct launch_blocks blocks;
    const unsigned usual[] = {256, 1, 1};
    model_blocks(code->model, loop->function, &blocks);
    struct lane_machine *machine =
        annotation_machine(a, loop->function, blocks.count ? blocks.block[0] : usual, wave, 0);
    uint64_t waiting[LANES_MAX / 64], writing[LANES_MAX / 64];
    if (!machine || lane_reach(machine, loop->node, waiting) != REACH_KNOWN ||
        lane_reach(machine, write, writing) != REACH_KNOWN)
        return false;
    for (unsigned first = 0; first < machine->threads; first += wave) {
        bool wait = false, both = false, set = false;
        for (unsigned i = first; i < first + wave && i < machine->threads; ++i) {
            bool waits = waiting[i / 64] >> i % 64 & 1, sets = writing[i / 64] >> i % 64 & 1;
            wait |= waits;
            set |= sets;
            both |= waits && sets;
        }
        if (wait && set && !both)
            return true;
    }
    return false;
}

/* Reports LOOP, which waits for the variable NAME, where lanes of its own wave write it. */
static void examine_wait(struct annotation *a, const struct code *code,
                         const struct code_node *loop, const struct symbol *name)
{
    vec_each (const struct code_node, operation, &code->operations) {
        if (operation->function != loop->function || !writes_to(a, operation->node, name))
            continue;
        target_set targets = 0;
        for (unsigned wave = 32; wave <= 64; wave *= 2)
            if (annotation_with_wave(a, wave) &&
                are_of_one_wave(a, code, loop, operation->node, wave))
                targets |= annotation_with_wave(a, wave);
        if (!targets)
            continue;
        struct finding *f = annotation_add(a, RULE_SYNC_WAVE_SPIN_WAIT, loop->node->tokens);
        f->targets = targets;
        finding_add_arg(f, name->text);
        finding_add_arg(f, annotation_names(a, targets));
        finding_add_related(f, RELATED_WRITTEN, unit_span(a->unit, operation->node->tokens),
                            name->text);
        return;
    }
}

static bool has_flags(const struct annotation *a)
{
    return symbol_find(a->unit->symbols, "volatile") || symbol_find(a->unit->symbols, "__shared__");
}

void rule_spin_lock(struct annotation *a)
{
    bool any = false;
    for (size_t i = 0; i < sizeof takers / sizeof *takers; ++i)
        any |= symbol_find(a->unit->symbols, takers[i]) != NULL;
    if (!any && !has_flags(a))
        return;
    const struct code *code = annotation_code(a);
    unsigned wave = target_wave(a->gpus->targets[0]), waits = 0, steps = MOST_STEPS;
    vec_each (const struct code_node, loop, &code->loops) {
        const struct node *taker = loop->device ? taker_of(a, loop->node) : NULL;
        if (taker && token_region(unit_token(a->unit, taker->token)) != REGION_CUDA &&
            is_for_several(a, code, loop->function, loop->node, wave) &&
            is_entered_by_several(a, code, loop->function, wave, 0, &steps))
            annotation_add(a, RULE_SYNC_LANE_SPIN_LOCK, taker->tokens);
        const struct symbol *flag = loop->device ? waits_for(a, loop->node) : NULL;
        if (flag && waits++ < MOST_WAITS &&
            token_region(unit_token(a->unit, loop->node->token)) != REGION_CUDA)
            examine_wait(a, code, loop, flag);
    }
}
