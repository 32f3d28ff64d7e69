/* What is known at a place: its variables, and the threads that get there.  */
#include <config.h>

#include "annotate/model/lane_p.h"

#include "annotate/model/names_p.h"

enum { MAX_VARIABLES = 1024 }; /* of a function that are known at once */

bool lane_step(struct lane_machine *machine)
{
    if (machine->steps == 0)
        return false;
    machine->steps--;
    enum { STEP_WORK = 64 }; /* beside what each thread takes */
    machine->model->lane_work += STEP_WORK + machine->threads;
    return true;
}

/* Variables. */

void lane_copy_env(struct lane_frame *frame, struct lane_env *to, const struct lane_env *from)
{
    *to = *from;
    to->variables.items = NULL;
    to->variables.count = to->variables.room = 0;
    for (size_t i = 0; i < from->variables.count; ++i)
        *vec_push(&to->variables) = from->variables.items[i];
    unsigned long cost = from->variables.count / 8;
    struct lane_machine *machine = frame->machine;
    machine->steps -= cost < machine->steps ? cost : machine->steps;
}

void lane_env_release(struct lane_env *env)
{
    vec_release(&env->variables);
}

void lane_release_exits(struct lane_exits *exits)
{
    lane_env_release(&exits->env);
    exits->has = false;
}

void lane_copy_exits(struct lane_frame *frame, struct lane_exits *to, const struct lane_exits *from)
{
    lane_copy_env(frame, &to->env, &from->env);
    to->has = from->has;
}

void lane_leave_scope(struct lane_env *env, size_t count)
{
    if (count < env->variables.count)
        env->variables.count = count;
}

struct lane_variable *lane_find(struct lane_env *env, const struct symbol *name)
{
    for (size_t i = env->variables.count; i-- > 0;)
        if (env->variables.items[i].name == name)
            return &env->variables.items[i];
    return NULL;
}

struct lane_variable *lane_referred(struct lane_env *env, struct lane_variable *variable)
{
    while (variable && variable->refers_to && variable->refers_to <= env->variables.count)
        variable = &env->variables.items[variable->refers_to - 1];
    return variable;
}

struct lane_variable *lane_declare(struct lane_frame *frame, const struct symbol *name,
                                   const struct type *type, struct lanes value)
{
    struct lane_machine *machine = frame->machine;
    if (MAX_VARIABLES <= frame->env.variables.count)
        machine->steps = 0; /* nobody writes that many: what follows is not known */
    struct lane_variable *res = vec_push(&frame->env.variables);
    *res = (struct lane_variable){
        .name = name,
        .type = type,
        .value = lanes_named(machine, lane_as_type(machine, value, type)),
    };
    return res;
}

void lane_forget(struct lane_frame *frame, struct lane_variable *variable)
{
    variable = lane_referred(&frame->env, variable);
    if (variable && variable->lambda)
        lane_lose_notes(frame->machine, variable->lambda);
    if (variable && !variable->is_shared)
        variable->value = lane_as_type(frame->machine, lanes_unknown(), variable->type);
}

void lane_forget_name(struct lane_frame *frame, const struct symbol *name)
{
    struct lane_variable *variable = name ? lane_find(&frame->env, name) : NULL;
    if (variable)
        lane_forget(frame, variable);
}

void lane_forget_named(struct lane_frame *frame, struct range range)
{
    const struct unit *unit = frame->machine->model->unit;
    for (uint32_t i = range.begin; i < range.end; ++i)
        if (unit_kind(unit, i) == TOK_IDENT)
            lane_forget_name(frame, unit_token(unit, i)->symbol);
}

const struct node *lane_root_of(const struct node *node)
{
    while (node && (node->kind == NODE_MEMBER || node->kind == NODE_INDEX))
        node = node->kids;
    return node && node->kind == NODE_NAME ? node : NULL;
}

void lane_forget_assigned(struct lane_frame *frame, const struct node *node)
{
    const struct unit *unit = frame->machine->model->unit;
    bool changes =
        node->kind == NODE_ASSIGN || node->kind == NODE_POSTFIX ||
        (node->kind == NODE_UNARY &&
         (node->op == TOK_PLUS_PLUS || node->op == TOK_MINUS_MINUS || node->op == TOK_AMP));
    const struct node *root = changes ? lane_root_of(node->kids) : NULL;
    if (root)
        lane_forget_name(frame, tree_symbol(unit, root));
    if (node->kind == NODE_OPAQUE || node->kind == NODE_ASM)
        lane_forget_named(frame, node->tokens);
    tree_each (kid, node) {
        if (node->kind == NODE_CALL && kid->kind == NODE_NAME)
            lane_forget_name(frame, tree_symbol(unit, kid));
        lane_forget_assigned(frame, kid);
    }
}

void lane_join_variables(struct lane_frame *frame, struct lane_env *env,
                         const struct lane_env *other, struct lanes condition)
{
    lane_leave_scope(env, other->variables.count);
    for (size_t i = 0; i < env->variables.count; ++i) {
        struct lane_variable *variable = &env->variables.items[i];
        const struct lane_variable *with = &other->variables.items[i];
        if (variable->name != with->name || variable->is_shared)
            continue;
        variable->escaped |= with->escaped;
        if (!lanes_identical(&variable->value, &with->value))
            variable->value =
                lanes_named(frame->machine,
                            lanes_choose(frame->machine, condition, variable->value, with->value));
    }
    if (!env->has_result)
        env->result = other->result;
    else if (other->has_result)
        env->result = lanes_choose(frame->machine, condition, env->result, other->result);
    env->has_result |= other->has_result;
}

/* Threads. */

static uint64_t full_word(const struct lane_machine *machine, unsigned word)
{
    unsigned from = word * 64;
    if (machine->threads <= from)
        return 0;
    return machine->threads - from >= 64 ? UINT64_MAX
                                         : ((uint64_t)1 << (machine->threads - from)) - 1;
}

static uint64_t mask_word(const struct lane_machine *machine, const uint64_t *mask, unsigned word)
{
    return mask ? mask[word] : full_word(machine, word);
}

bool lane_same_mask(const struct lane_machine *machine, const uint64_t *a, const uint64_t *b)
{
    for (unsigned i = 0; a != b && i < LANE_MASK_WORDS; ++i)
        if (mask_word(machine, a, i) != mask_word(machine, b, i))
            return false;
    return true;
}

static bool disjoint(const struct lane_machine *machine, const uint64_t *a, const uint64_t *b)
{
    for (unsigned i = 0; i < LANE_MASK_WORDS; ++i)
        if (mask_word(machine, a, i) & mask_word(machine, b, i))
            return false;
    return true;
}

bool lane_nobody(const struct lane_machine *machine, const uint64_t *mask)
{
    for (unsigned i = 0; i < LANE_MASK_WORDS; ++i)
        if (mask_word(machine, mask, i))
            return false;
    return true;
}

/* Whether MASK holds all threads of a wave or none, for each wave. */
bool lane_whole_waves(const struct lane_machine *machine, const uint64_t *mask)
{
    for (unsigned from = 0; mask && from < machine->threads; from += machine->wave) {
        uint64_t wave = machine->wave < 64 ? ((uint64_t)1 << machine->wave) - 1 : UINT64_MAX;
        uint64_t full = full_word(machine, from / 64) >> from % 64 & wave;
        uint64_t have = mask[from / 64] >> from % 64 & wave;
        if (have && have != full)
            return false;
    }
    return true;
}

static const uint64_t *united(struct lane_machine *machine, const uint64_t *a, const uint64_t *b)
{
    if (!a || !b || lane_same_mask(machine, a, b))
        return a && b ? a : NULL;
    uint64_t *mask = arena_zalloc(&machine->arena, LANE_MASK_WORDS, sizeof *mask);
    for (unsigned i = 0; i < LANE_MASK_WORDS; ++i)
        mask[i] = a[i] | b[i];
    return mask;
}

struct lane_threads lane_threads_where(struct lane_machine *machine, struct lane_threads threads,
                                       const struct lanes *condition, bool holds)
{
    bool block = lanes_uniform(condition),
         wave = condition->state == LANES_UNKNOWN && condition->wave_uniform;
    if (condition->state != LANES_KNOWN || condition->bytes == 0 || condition->object) {
        threads.may_be_none = true;
        threads.by_wave |= wave;
        if (!block && !wave)
            threads.reach = REACH_UNKNOWN;
        return threads;
    }
    uint64_t *mask = arena_zalloc(&machine->arena, LANE_MASK_WORDS, sizeof *mask);
    for (unsigned i = 0; i < machine->threads; ++i)
        if ((lanes_at(condition, i) != 0) == holds)
            mask[i / 64] |= (uint64_t)1 << i % 64;
    for (unsigned i = 0; i < LANE_MASK_WORDS; ++i)
        mask[i] &= mask_word(machine, threads.mask, i);
    if (lane_same_mask(machine, mask, threads.mask))
        return threads;
    if (threads.reach == REACH_UNIFORM)
        threads.reach = REACH_KNOWN;
    threads.mask = mask;
    return threads;
}

struct lane_threads lane_join_threads(struct lane_machine *machine, struct lane_threads a,
                                      struct lane_threads b)
{
    struct lane_threads res = {
        .reach = REACH_UNKNOWN,
        .mask = united(machine, a.mask, b.mask),
        .by_wave = a.by_wave || b.by_wave,
        .may_be_none = a.may_be_none || b.may_be_none,
    };
    if (a.reach == REACH_UNKNOWN || b.reach == REACH_UNKNOWN)
        return res;
    if (lane_same_mask(machine, a.mask, b.mask)) {
        res.reach = a.reach == b.reach ? a.reach : REACH_KNOWN;
    } else if (!res.may_be_none && disjoint(machine, a.mask, b.mask)) {
        res.reach = REACH_KNOWN;
    } else if (lane_whole_waves(machine, a.mask) && lane_whole_waves(machine, b.mask)) {
        res.reach = REACH_UNIFORM;
        res.by_wave = true;
    }
    return res;
}

/* What decides between those in A (it holds) and those in B. */
static struct lanes which_threads(struct lane_machine *machine, struct lane_threads a,
                                  struct lane_threads b)
{
    if (disjoint(machine, a.mask, b.mask)) {
        int64_t *values = lanes_room(machine);
        for (unsigned i = 0; i < machine->threads; ++i)
            values[i] = mask_word(machine, a.mask, i / 64) >> i % 64 & 1;
        return lanes_of(machine, values);
    }
    struct lanes res = lanes_unknown();
    if (a.reach == REACH_UNKNOWN || b.reach == REACH_UNKNOWN ||
        !lane_same_mask(machine, a.mask, b.mask))
        return res;
    if (!a.by_wave && !b.by_wave)
        return lanes_some(0, 1);
    res.wave_uniform = true;
    return res;
}

void lane_join_into(struct lane_frame *frame, struct lane_exits *exits, const struct lane_env *env)
{
    struct lane_machine *machine = frame->machine;
    if (!exits->has) {
        lane_copy_env(frame, &exits->env, env);
        exits->has = true;
        exits->env.dead = false;
        return;
    }
    const uint64_t *active = machine->active;
    struct lane_threads threads = exits->env.threads;
    machine->active = united(machine, threads.mask, env->threads.mask);
    lane_join_variables(frame, &exits->env, env, which_threads(machine, threads, env->threads));
    machine->active = active;
    exits->env.threads = lane_join_threads(machine, threads, env->threads);
}

/* Notes. */

static struct lane_memo *memo_of(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    uint32_t at = node->id - machine->first_node;
    bool notes = (frame->is_outer || frame->in_lambda) && !machine->quiet;
    return notes && at < machine->node_count ? &machine->memo[at] : NULL;
}

/* Of a lambda that is called several times only what its calls have in common is kept. */
static void keep_common(struct lane_frame *frame, struct lane_memo *memo, const struct lanes *value)
{
    const struct lane_machine *machine = frame->machine;
    if (memo->threads.reach != frame->env.threads.reach ||
        !lane_same_mask(machine, memo->threads.mask, frame->env.threads.mask))
        memo->threads.reach = REACH_UNKNOWN;
    if (!lanes_same(machine, &memo->value, value))
        memo->value = lanes_unknown();
}

void lane_note(struct lane_frame *frame, const struct node *node, struct lanes value)
{
    struct lane_memo *memo = memo_of(frame, node);
    if (!memo)
        return;
    if (frame->in_lambda && memo->is_set) {
        keep_common(frame, memo, &value);
        return;
    }
    memo->value = value;
    memo->threads = frame->env.threads;
    memo->is_set = true;
}

/* Lends the lambdas that NODE, in a lambda that is lent, names. */
static void lend_named(struct lane_frame *frame, const struct node *node, unsigned depth)
{
    enum { LENDING_DEPTH = 8 }; /* of lambdas that call others */
    const struct lane_variable *variable =
        node->kind == NODE_NAME
            ? lane_find(&frame->env, tree_symbol(frame->machine->model->unit, node))
            : NULL;
    if (variable && variable->lambda && depth < LENDING_DEPTH) {
        const struct node *lambda = variable->lambda;
        lane_forget_assigned(frame, lambda);
        lane_lose_notes(frame->machine, lambda);
        lend_named(frame, lambda, depth + 1);
    }
    tree_each (kid, node)
        lend_named(frame, kid, depth);
}

void lane_lend_lambda(struct lane_frame *frame, const struct node *lambda)
{
    lane_forget_assigned(frame, lambda);
    lane_lose_notes(frame->machine, lambda);
    lend_named(frame, lambda, 0);
}

void lane_lose_notes(struct lane_machine *machine, const struct node *lambda)
{
    uint32_t at = lambda->id - machine->first_node;
    if (at < machine->node_count)
        machine->memo[at] = (struct lane_memo){.value = lanes_unknown(),
                                               .address = lanes_unknown(),
                                               .threads = {.reach = REACH_UNKNOWN},
                                               .is_set = true};
    tree_each (kid, lambda)
        lane_lose_notes(machine, kid);
}

void lane_note_address(struct lane_frame *frame, const struct node *node, struct lanes address)
{
    struct lane_memo *memo = frame->in_lambda ? NULL : memo_of(frame, node);
    if (!memo)
        return;
    memo->address = address;
    memo->value = lanes_unknown(); /* until it is loaded */
    memo->threads = frame->env.threads;
    memo->is_set = true;
}
