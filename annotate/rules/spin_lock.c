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

/* The name of CUDA's or HIP's that NODE calls, or NULL. */
static const struct symbol *called_name(const struct annotation *a, const struct node *node)
{
    const struct symbol *name = node->kind == NODE_CALL && node->kids->kind == NODE_NAME
                                    ? tree_symbol(a->unit, node->kids)
                                    : NULL;
    return name && !name->user ? name : NULL;
}

static bool is_among(const struct symbol *name, const char *const *list, size_t count)
{
    for (size_t i = 0; name && i < count; ++i)
        if (!strcmp(name->text, list[i]))
            return true;
    return false;
}

/* Whether NODE is a call of an atomic function that leaves what it finds, whose value is all that
   counts: atomicAdd(p, 0), atomicCAS(p, x, x). */
static bool only_reads(const struct annotation *a, const struct node *node)
{
    static const char *const loads[] = {"__hip_atomic_load", "__ldcg", "__ldcv"};
    static const char *const neutral[] = {"atomicAdd", "atomicOr", "atomicXor", "atomicSub"};
    const struct symbol *name = called_name(a, node);
    const struct node *second = name ? code_argument(node, 1) : NULL;
    const struct node *third = second ? second->next : NULL;
    struct constant value;
    if (is_among(name, loads, sizeof loads / sizeof *loads))
        return true;
    if (is_among(name, neutral, sizeof neutral / sizeof *neutral))
        return second && second->kind == NODE_NUMBER &&
               constant_of_range(a->code->model, second->tokens, &value) &&
               constant_single(&value) && value.values[0] == 0;
    return name && !strcmp(name->text, "atomicCAS") && third &&
           unit_same_text(a->unit, second->tokens, third->tokens);
}

static bool takes(const struct node *node, const struct annotation *a)
{
    return is_among(called_name(a, node), takers, sizeof takers / sizeof *takers) &&
           !only_reads(a, node);
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

/* Whether the value that the call TAKER sets is computed, as in an update by compare and swap. */
static bool sets_computed(const struct node *taker)
{
    const struct node *last = NULL;
    tree_each (argument, taker)
        last = argument;
    return last == taker->kids || last->kind != NODE_NUMBER;
}

/* The call in `do { x = atomicCAS(&lock, 0, 1); } while (x);`, or NULL. */
static const struct node *taker_in_body(const struct annotation *a, const struct node *body,
                                        const struct node *condition)
{
    while (body->kind == NODE_BLOCK && body->kids && !body->kids->next)
        body = body->kids;
    const struct node *assign = body->kind == NODE_EXPRESSION ? body->kids : NULL;
    if (!assign || assign->kind != NODE_ASSIGN || assign->kids->kind != NODE_NAME)
        return NULL;
    const struct node *taker = find_taker(a, assign->kids->next, 0);
    if (!taker || sets_computed(taker))
        return NULL;
    while (condition->kind == NODE_BINARY || condition->kind == NODE_UNARY)
        condition = condition->kids;
    return condition->kind == NODE_NAME &&
                   tree_symbol(a->unit, condition) == tree_symbol(a->unit, assign->kids)
               ? taker
               : NULL;
}

/* Whether CONDITION of a loop always holds: absent, true, or a number. */
static bool is_endless(const struct annotation *a, const struct node *condition)
{
    const struct symbol *name =
        condition->kind == NODE_NAME ? tree_symbol(a->unit, condition) : NULL;
    return condition->kind == NODE_EMPTY || condition->kind == NODE_NUMBER ||
           (name && !strcmp(name->text, "true"));
}

/* The call in `for (;;) { if (atomicCAS(&lock, 0, 1) == 0) break; }`, or NULL: something else is
   done. */
static const struct node *taker_that_breaks(const struct annotation *a, const struct node *body)
{
    const struct node *res = NULL;
    const struct node *first = body->kind == NODE_BLOCK ? body->kids : body;
    for (const struct node *at = first; at; at = body->kind == NODE_BLOCK ? at->next : NULL) {
        const struct node *then = at->kind == NODE_IF ? tree_kid(at, 1) : NULL;
        if (then && then->kind == NODE_BLOCK && then->kids && !then->kids->next)
            then = then->kids;
        if (!res && then && then->kind == NODE_BREAK)
            res = find_taker(a, at->kids, 0);
        else if (!is_idle(a, at))
            return NULL;
    }
    return res && !sets_computed(res) ? res : NULL;
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
    if (is_idle(a, body))
        return find_taker(a, condition, 0);
    return is_endless(a, condition) ? taker_that_breaks(a, body)
                                    : taker_in_body(a, body, condition);
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
    if (CONDITION_DEPTH < depth)
        return NULL;
    if (node->kind == NODE_CALL)
        return only_reads(a, node) && code_argument(node, 0)
                   ? find_flag(a, code_argument(node, 0), depth + 1)
                   : NULL;
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

/* Whether NODE, an assignment or a call, writes to the variable NAME. */
static bool writes_to(const struct annotation *a, const struct node *node,
                      const struct symbol *name)
{
    static const char *const writers[] = {"atomicExch",        "atomicAdd", "atomicOr",
                                          "atomicInc",         "atomicMax", "atomicCAS",
                                          "__hip_atomic_store"};
    bool is_call = node->kind == NODE_CALL;
    if (is_call ? !is_among(called_name(a, node), writers, sizeof writers / sizeof *writers) ||
                      only_reads(a, node)
                : node->kind != NODE_ASSIGN)
        return false;
    const struct node *target = is_call ? code_argument(node, 0) : node->kids;
    while (target && (target->kind == NODE_INDEX || target->kind == NODE_UNARY))
        target = target->kids;
    return target && target->kind == NODE_NAME && tree_symbol(a->unit, target) == name;
}

/* Whether NODE holds TOKEN. */
static bool holds(const struct node *node, uint32_t token)
{
    return node->tokens.begin <= token && token < node->tokens.end;
}

/* Whether all lanes have come by WRITE when some get to LOOP: it stands in front, and not in
   another arm of the same branch. */
static bool comes_first(const struct code *code, const struct node *write, const struct node *loop)
{
    uint32_t at = loop->tokens.begin;
    const struct node *around = write, *inner = write;
    while (around && !holds(around, at)) {
        inner = around;
        around = code_parent(code, around);
    }
    return around && around->kind != NODE_IF && inner->tokens.begin < at;
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

/* Reports LOOP, which waits for the variable NAME, where WRITE is one of lanes of its own wave that
   writes it; whether it did. */
static bool report_wait(struct annotation *a, const struct code *code, const struct code_node *loop,
                        const struct node *write, const struct symbol *name)
{
    target_set targets = 0;
    for (unsigned wave = 32; wave <= 64; wave *= 2)
        if (annotation_with_wave(a, wave) && are_of_one_wave(a, code, loop, write, wave))
            targets |= annotation_with_wave(a, wave);
    if (!targets)
        return false;
    struct finding *f = annotation_add(a, RULE_SYNC_WAVE_SPIN_WAIT, loop->node->tokens);
    f->targets = targets;
    finding_add_arg(f, name->text);
    finding_add_arg(f, annotation_names(a, targets));
    finding_add_related(f, RELATED_WRITTEN, unit_span(a->unit, write->tokens), name->text);
    return true;
}

/* Looks for what writes the variable NAME, for which LOOP waits. */
static void examine_wait(struct annotation *a, const struct code *code,
                         const struct code_node *loop, const struct symbol *name)
{
    code_each_in (at, &code->operations, loop->function)
        if (writes_to(a, at->node, name) && !comes_first(code, at->node, loop->node) &&
            report_wait(a, code, loop, at->node, name))
            return;
    code_each_in (at, &code->calls, loop->function)
        if (writes_to(a, at->node, name) && !comes_first(code, at->node, loop->node) &&
            report_wait(a, code, loop, at->node, name))
            return;
}

/* The targets on which several lanes of a wave wait at LOOP for the lock that TAKER takes. */
static target_set targets_of_lock(struct annotation *a, const struct code *code,
                                  const struct code_node *loop, unsigned *steps)
{
    target_set res = 0;
    for (unsigned wave = 32; wave <= 64; wave *= 2)
        if (annotation_with_wave(a, wave) &&
            is_for_several(a, code, loop->function, loop->node, wave) &&
            is_entered_by_several(a, code, loop->function, wave, 0, steps))
            res |= annotation_with_wave(a, wave);
    return res;
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
    unsigned waits = 0, steps = MOST_STEPS;
    vec_each (const struct code_node, loop, &code->loops) {
        if (!loop->device || token_region(unit_token(a->unit, loop->node->token)) == REGION_CUDA)
            continue;
        const struct node *taker = taker_of(a, loop->node);
        target_set targets = taker ? targets_of_lock(a, code, loop, &steps) : 0;
        if (targets)
            annotation_add(a, RULE_SYNC_LANE_SPIN_LOCK, taker->tokens)->targets = targets;
        const struct symbol *flag = waits_for(a, loop->node);
        if (flag && waits++ < MOST_WAITS)
            examine_wait(a, code, loop, flag);
    }
}
