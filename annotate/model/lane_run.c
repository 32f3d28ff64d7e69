/* Statements, run once with what is known. Branches that may go either way are run both, and what
   they leave is joined; the variables of a loop are widened to what all of its iterations have in
   common, or the loop is run to the iteration that was asked for.  */
#include <config.h>

#include "annotate/model/lane_p.h"

#include <string.h>

enum {
    MAX_VARIABLES = 256, /* of a function that are known at once */
    MAX_CALLS = 5,       /* deep */
    MAX_CALLEE = 3000,   /* tokens of a function that is followed */
    MASK_WORDS = LANES_MAX / 64,
};

bool lane_step(struct lane_machine *machine)
{
    if (machine->steps == 0)
        return false;
    machine->steps--;
    return true;
}

/* Variables. */

static void copy_env(struct lane_env *to, const struct lane_env *from)
{
    *to = (struct lane_env){.threads = from->threads, .dead = from->dead};
    for (size_t i = 0; i < from->variables.count; ++i)
        *vec_push(&to->variables) = from->variables.items[i];
}

void lane_env_release(struct lane_env *env)
{
    vec_release(&env->variables);
}

struct lane_variable *lane_find(struct lane_env *env, const struct symbol *name)
{
    for (size_t i = env->variables.count; i-- > 0;)
        if (env->variables.items[i].name == name)
            return &env->variables.items[i];
    return NULL;
}

struct lane_variable *lane_declare(struct lane_frame *frame, const struct symbol *name,
                                   const struct type *type, struct lanes value)
{
    struct lane_variable *res;
    if (MAX_VARIABLES <= frame->env.variables.count)
        res = &frame->env.variables.items[MAX_VARIABLES - 1];
    else
        res = vec_push(&frame->env.variables);
    *res = (struct lane_variable){
        .name = name, .type = type, .value = lane_as_type(frame->machine, value, type)};
    return res;
}

static void forget(struct lane_frame *frame, struct lane_variable *variable)
{
    if (!variable->is_shared)
        variable->value = lane_as_type(frame->machine, lanes_unknown(), variable->type);
}

static void forget_name(struct lane_frame *frame, const struct symbol *name)
{
    struct lane_variable *variable = name ? lane_find(&frame->env, name) : NULL;
    if (variable)
        forget(frame, variable);
}

/* Forgets every variable that one of the tokens of RANGE names. */
static void forget_named(struct lane_frame *frame, struct range range)
{
    const struct unit *unit = frame->machine->model->unit;
    for (uint32_t i = range.begin; i < range.end; ++i)
        if (unit_kind(unit, i) == TOK_IDENT)
            forget_name(frame, unit_token(unit, i)->symbol);
}

void lane_forget_assigned(struct lane_frame *frame, const struct node *node)
{
    const struct unit *unit = frame->machine->model->unit;
    bool changes =
        node->kind == NODE_ASSIGN || node->kind == NODE_POSTFIX ||
        (node->kind == NODE_UNARY &&
         (node->op == TOK_PLUS_PLUS || node->op == TOK_MINUS_MINUS || node->op == TOK_AMP));
    if (changes && node->kids && node->kids->kind == NODE_NAME)
        forget_name(frame, tree_symbol(unit, node->kids));
    if (node->kind == NODE_OPAQUE || node->kind == NODE_ASM)
        forget_named(frame, node->tokens);
    tree_each (kid, node)
        lane_forget_assigned(frame, kid);
}

/* ENV becomes what is known where ENV or OTHER may be, decided by CONDITION. */
static void join_variables(struct lane_frame *frame, struct lane_env *env,
                           const struct lane_env *other, struct lanes condition)
{
    if (other->variables.count < env->variables.count)
        env->variables.count = other->variables.count;
    for (size_t i = 0; i < env->variables.count; ++i) {
        struct lane_variable *variable = &env->variables.items[i];
        const struct lane_variable *with = &other->variables.items[i];
        if (variable->name != with->name || variable->is_shared)
            continue;
        variable->escaped |= with->escaped;
        if (!memcmp(&variable->value, &with->value, sizeof with->value))
            continue; /* neither changed it */
        variable->value = lanes_choose(frame->machine, condition, variable->value, with->value);
    }
}

/* Threads. */

static bool same_threads(struct lane_threads a, struct lane_threads b)
{
    return a.reach == b.reach && (a.reach != REACH_KNOWN || a.mask == b.mask ||
                                  !memcmp(a.mask, b.mask, MASK_WORDS * sizeof *a.mask));
}

static uint64_t full_word(const struct lane_machine *machine, unsigned word)
{
    unsigned from = word * 64;
    if (machine->threads <= from)
        return 0;
    return machine->threads - from >= 64 ? UINT64_MAX
                                         : ((uint64_t)1 << (machine->threads - from)) - 1;
}

struct lane_threads lane_threads_where(struct lane_machine *machine, struct lane_threads threads,
                                       const struct lanes *condition, bool holds)
{
    bool uniform =
        lanes_uniform(condition) || (condition->state == LANES_UNKNOWN && condition->wave_uniform);
    if (threads.reach == REACH_UNKNOWN || (uniform && condition->state != LANES_KNOWN))
        return threads;
    if (condition->state != LANES_KNOWN)
        return (struct lane_threads){.reach = REACH_UNKNOWN};
    uint64_t *mask = arena_zalloc(&machine->arena, MASK_WORDS, sizeof *mask);
    for (unsigned i = 0; i < machine->threads; ++i)
        if ((lanes_at(condition, i) != 0) == holds)
            mask[i / 64] |= (uint64_t)1 << i % 64;
    bool all = true;
    for (unsigned i = 0; i < MASK_WORDS; ++i) {
        all &= mask[i] == full_word(machine, i);
        if (threads.reach == REACH_KNOWN)
            mask[i] &= threads.mask[i];
    }
    if (all)
        return threads;
    return (struct lane_threads){.reach = REACH_KNOWN, .mask = mask};
}

/* The threads that go on where some of those in A and of those in B do, which were BEFORE together.
 */
static struct lane_threads join_threads(struct lane_machine *machine, struct lane_threads before,
                                        struct lane_threads a, struct lane_threads b)
{
    if (a.reach == REACH_UNKNOWN || b.reach == REACH_UNKNOWN)
        return (struct lane_threads){.reach = REACH_UNKNOWN};
    if (a.reach == REACH_UNIFORM && b.reach == REACH_UNIFORM)
        return before;
    if (a.reach != b.reach)
        return (struct lane_threads){.reach = REACH_UNKNOWN};
    uint64_t *mask = arena_zalloc(&machine->arena, MASK_WORDS, sizeof *mask);
    for (unsigned i = 0; i < MASK_WORDS; ++i)
        mask[i] = a.mask[i] | b.mask[i];
    return (struct lane_threads){.reach = REACH_KNOWN, .mask = mask};
}

/* Notes. */

static struct lane_memo *memo_of(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    uint32_t at = node->id - machine->first_node;
    return frame->is_outer && at < machine->node_count ? &machine->memo[at] : NULL;
}

void lane_note(struct lane_frame *frame, const struct node *node, struct lanes value)
{
    struct lane_memo *memo = memo_of(frame, node);
    if (!memo)
        return;
    memo->value = value;
    memo->threads = frame->env.threads;
    memo->is_set = true;
}

void lane_note_address(struct lane_frame *frame, const struct node *node, struct lanes address)
{
    struct lane_memo *memo = memo_of(frame, node);
    if (memo)
        memo->address = address;
}

/* Declarations. */

static const struct shared_object *shared_object(struct model *model, const struct node *declarator)
{
    size_t count;
    const struct shared_object *list = model_shared_objects(model, &count);
    for (size_t i = 0; i < count; ++i)
        if (list[i].declarator->token == declarator->token)
            return &list[i];
    return NULL;
}

static struct lanes initial_value(struct lane_frame *frame, const struct node *declarator)
{
    struct lanes res = lanes_unknown();
    bool array = false;
    tree_each (kid, declarator) {
        if (kid->kind == NODE_DIMENSION) {
            array = true;
            continue;
        }
        unsigned values = 0;
        tree_each (value, kid) {
            res = lane_value_of(frame, value);
            ++values;
        }
        if (values != 1)
            res = lanes_unknown();
    }
    return array ? lanes_unknown() : res;
}

void lane_run_declaration(struct lane_frame *frame, const struct node *declaration)
{
    struct model *model = frame->machine->model;
    const struct node *type = declaration->kids;
    for (const struct node *declarator = type->next; declarator; declarator = declarator->next) {
        struct lanes value = initial_value(frame, declarator);
        if (declarator->token == NO_TOKEN)
            continue;
        const struct symbol *name = tree_symbol(model->unit, declarator);
        const struct type *declared = type_of_declaration(model, type, declarator);
        bool is_auto = type->flags & TYPE_AUTO;
        const struct shared_object *object =
            type->flags & TYPE_SHARED ? shared_object(model, declarator) : NULL;
        struct lane_variable *variable = lane_declare(
            frame, name, is_auto ? NULL : declared,
            declarator->flags & (DECLARATOR_REFERENCE | DECLARATOR_BINDING) ? lanes_unknown()
                                                                            : value);
        if (object) {
            variable->is_shared = true;
            variable->value = lanes_int(0);
            variable->value.bytes = 8;
            variable->value.object = object;
            variable->value.pointee = object->type;
        }
    }
}

/* Branches. */

static struct lanes condition_value(struct lane_frame *frame, const struct node *condition)
{
    if (condition->kind == NODE_EMPTY)
        return lanes_int(1);
    if (condition->kind == NODE_DECLARATION) {
        lane_run_declaration(frame, condition);
        const struct node *declarator = tree_kid(condition, 1);
        struct lane_variable *variable =
            declarator && declarator->token != NO_TOKEN
                ? lane_find(&frame->env, tree_symbol(frame->machine->model->unit, declarator))
                : NULL;
        return variable ? variable->value : lanes_unknown();
    }
    return lane_value_of(frame, condition);
}

/* Runs STATEMENT from START with THREADS; leaves where it ends in END. */
static void run_branch(struct lane_frame *frame, const struct node *statement,
                       const struct lane_env *start, struct lane_threads threads,
                       struct lane_env *end)
{
    copy_env(&frame->env, start);
    frame->env.threads = threads;
    lane_run(frame, statement);
    *end = frame->env;
    frame->env = (struct lane_env){0};
}

static void run_if(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    size_t outer = frame->env.variables.count;
    struct lanes condition = condition_value(frame, node->kids);
    const struct node *first = node->kids->next, *second = first->next;
    bool decided;
    if (lanes_decided(machine, &condition, &decided)) {
        lane_run(frame, decided ? first : second);
        frame->env.variables.count =
            outer < frame->env.variables.count ? outer : frame->env.variables.count;
        return;
    }
    struct lane_env start = frame->env, a, b;
    struct lane_threads where[2] = {
        lane_threads_where(machine, start.threads, &condition, true),
        lane_threads_where(machine, start.threads, &condition, false),
    };
    run_branch(frame, first, &start, where[0], &a);
    run_branch(frame, second, &start, where[1], &b);
    bool kept = !a.dead && !b.dead && same_threads(a.threads, where[0]) &&
                same_threads(b.threads, where[1]);
    struct lane_env *going = a.dead ? &b : &a, *other = a.dead ? &a : &b;
    if (!a.dead && !b.dead) {
        join_variables(frame, &a, &b, condition);
        a.threads =
            kept ? start.threads : join_threads(machine, start.threads, a.threads, b.threads);
    }
    lane_env_release(other);
    lane_env_release(&start);
    frame->env = *going;
    if (outer < frame->env.variables.count)
        frame->env.variables.count = outer;
}

/* Loops. */

struct loop {
    const struct node *node, *condition, *step, *body;
    bool tests_last; /* do ... while */
};

/* What lies behind a jump or the end of a branch joins what others left. */
static void join_into(struct lane_frame *frame, struct lane_env *env, bool *has)
{
    if (*has) {
        join_variables(frame, env, &frame->env, lanes_unknown());
        if (!same_threads(env->threads, frame->env.threads))
            env->threads.reach = REACH_UNKNOWN;
    } else {
        copy_env(env, &frame->env);
        *has = true;
    }
}

/* One iteration from what FRAME has: tests the condition, runs the body and the step. *GOES:
   whether some thread runs it; *LEFT: some threads of a wave may have left the loop inside it. */
static struct lanes iterate(struct lane_frame *frame, const struct loop *loop, bool unknown_threads,
                            bool *goes, bool *left)
{
    struct lane_machine *machine = frame->machine;
    struct lanes condition = lanes_int(1);
    bool decided;
    *goes = true;
    *left = false;
    size_t outer = frame->env.variables.count;
    if (!loop->tests_last)
        condition = condition_value(frame, loop->condition);
    if (lanes_decided(machine, &condition, &decided) && !decided) {
        *goes = false;
        return condition;
    }
    struct lane_threads before = frame->env.threads;
    frame->env.threads = unknown_threads ? (struct lane_threads){.reach = REACH_UNKNOWN}
                                         : lane_threads_where(machine, before, &condition, true);
    struct lane_threads inside = frame->env.threads;
    struct lane_jumps jumps = {.outer = frame->jumps};
    frame->jumps = &jumps;
    lane_run(frame, loop->body);
    frame->jumps = jumps.outer;
    if (jumps.has_continue) {
        bool has = !frame->env.dead;
        if (has) {
            join_variables(frame, &frame->env, &jumps.continues, lanes_unknown());
        } else {
            lane_env_release(&frame->env);
            frame->env = jumps.continues;
            jumps.continues = (struct lane_env){0};
        }
        frame->env.dead = false;
        frame->env.threads = inside;
    }
    *left = jumps.has_break ? !same_threads(jumps.breaks.threads, inside)
                            : !frame->env.dead && !same_threads(frame->env.threads, inside);
    if (jumps.has_break && inside.reach == REACH_UNIFORM &&
        jumps.breaks.threads.reach == REACH_UNIFORM)
        *left = false;
    lane_env_release(&jumps.breaks);
    lane_env_release(&jumps.continues);
    if (!frame->env.dead) {
        if (loop->step)
            lane_value_of(frame, loop->step);
        if (loop->tests_last)
            condition = condition_value(frame, loop->condition);
    }
    if (outer < frame->env.variables.count)
        frame->env.variables.count = outer;
    return condition;
}

/* HEAD becomes what it and the END of an iteration have in common, as seen from ENTRY. Whether that
   changed it. FORCED: nothing finer than a uniform is tried. */
static bool widen(struct lane_frame *frame, const struct lane_env *entry, struct lane_env *head,
                  const struct lane_env *end, bool forced)
{
    bool changed = false;
    for (size_t i = 0; i < head->variables.count && i < end->variables.count; ++i) {
        struct lane_variable *variable = &head->variables.items[i];
        const struct lanes *first = &entry->variables.items[i].value;
        const struct lanes *last = &end->variables.items[i].value;
        if (variable->is_shared || !memcmp(&variable->value, last, sizeof *last))
            continue;
        variable->escaped |= end->variables.items[i].escaped;
        if (variable->value.state == LANES_UNKNOWN && !variable->value.wave_uniform)
            continue;
        uint64_t step = 0;
        struct lanes before = variable->value;
        if (lanes_differ_uniformly(frame->machine, first, last, &step)) {
            uint64_t old = before.state == LANES_SHIFTED ? before.step : 0;
            step = forced ? 1 : lanes_gcd(step, old);
            if (step == 0)
                continue; /* it is what it was */
            variable->value = *first;
            variable->value.state = LANES_SHIFTED;
            variable->value.step = step;
            changed |= before.state != LANES_SHIFTED || before.step != step;
        } else {
            variable->value = lanes_join(frame->machine, before, *last);
            changed |= variable->value.state != before.state ||
                       variable->value.wave_uniform != before.wave_uniform;
        }
    }
    return changed;
}

/* Runs the loop until its head stays the same; the last run is the one that is noted. Leaves the
   head behind the loop. */
static void run_all_iterations(struct lane_frame *frame, const struct loop *loop)
{
    enum { ROUNDS = 4 };
    struct lane_env entry = frame->env, head;
    struct lanes condition = lanes_int(1);
    bool goes = true, left = false, diverges = false;
    copy_env(&head, &entry);
    for (int round = 0; round <= ROUNDS; ++round) {
        copy_env(&frame->env, &head);
        condition = iterate(frame, loop, diverges, &goes, &left);
        bool changed =
            !frame->env.dead && widen(frame, &entry, &head, &frame->env, round == ROUNDS - 1);
        if (left && !diverges)
            changed = diverges = true;
        bool first_does_not_go = !goes && round == 0;
        lane_env_release(&frame->env);
        if (!changed || first_does_not_go)
            break;
    }
    /* The number of iterations may differ from thread to thread; then so does what they changed. */
    bool together = (lanes_uniform(&condition) || condition.wave_uniform) && !diverges;
    for (size_t i = 0; goes && !together && i < head.variables.count; ++i)
        if (memcmp(&head.variables.items[i].value, &entry.variables.items[i].value,
                   sizeof(struct lanes)))
            forget(frame, &head.variables.items[i]);
    head.threads = entry.threads;
    if (frame->diverged)
        head.threads.reach = REACH_UNKNOWN;
    lane_env_release(&entry);
    frame->env = head;
    frame->env.dead = false;
}

/* Runs the first iterations, up to the one that was asked for. Behind the loop its variables are
 * unknown. */
static void run_sample(struct lane_frame *frame, const struct loop *loop)
{
    struct lane_env entry;
    bool goes = true, left = false;
    copy_env(&entry, &frame->env);
    for (unsigned i = 0; i < frame->machine->sample && goes && !frame->env.dead; ++i)
        iterate(frame, loop, left, &goes, &left);
    for (size_t i = 0; i < entry.variables.count && i < frame->env.variables.count; ++i) {
        struct lane_variable *variable = &frame->env.variables.items[i];
        if (memcmp(&variable->value, &entry.variables.items[i].value, sizeof variable->value))
            forget(frame, variable);
    }
    frame->env.dead = false;
    frame->env.threads = entry.threads;
    if (frame->diverged)
        frame->env.threads.reach = REACH_UNKNOWN;
    lane_env_release(&entry);
}

static void run_loop(struct lane_frame *frame, const struct loop *loop)
{
    if (frame->machine->sample)
        run_sample(frame, loop);
    else
        run_all_iterations(frame, loop);
}

static void run_for(struct lane_frame *frame, const struct node *node)
{
    const struct node *start = node->kids, *condition = start->next, *step = condition->next;
    size_t outer = frame->env.variables.count;
    lane_run(frame, start);
    struct loop loop = {.node = node,
                        .condition = condition,
                        .step = step->kind == NODE_EMPTY ? NULL : step,
                        .body = step->next};
    run_loop(frame, &loop);
    if (outer < frame->env.variables.count)
        frame->env.variables.count = outer;
}

/* A loop whose head says little: over a range, by a macro. */
static void run_opaque_loop(struct lane_frame *frame, const struct node *body)
{
    struct lane_threads before = frame->env.threads;
    lane_forget_assigned(frame, body);
    frame->env.threads.reach = REACH_UNKNOWN;
    struct lane_jumps jumps = {.outer = frame->jumps};
    frame->jumps = &jumps;
    lane_run(frame, body);
    frame->jumps = jumps.outer;
    lane_env_release(&jumps.breaks);
    lane_env_release(&jumps.continues);
    lane_forget_assigned(frame, body);
    frame->env.dead = false;
    frame->env.threads = before;
}

static void run_range_for(struct lane_frame *frame, const struct node *node)
{
    size_t outer = frame->env.variables.count;
    const struct node *declaration = node->kids, *range = declaration->next;
    lane_value_of(frame, range);
    lane_run_declaration(frame, declaration);
    run_opaque_loop(frame, range->next);
    if (outer < frame->env.variables.count)
        frame->env.variables.count = outer;
}

/* LOOP(i, n) { ... }: the names that are no variables yet are the macro's own. */
static void run_macro_loop(struct lane_frame *frame, const struct node *node)
{
    const struct unit *unit = frame->machine->model->unit;
    size_t outer = frame->env.variables.count;
    for (const struct node *kid = node->kids->kids->next; kid; kid = kid->next) {
        if (kid->kind == NODE_NAME && !lane_find(&frame->env, tree_symbol(unit, kid)))
            lane_declare(frame, tree_symbol(unit, kid), NULL, lanes_unknown());
    }
    run_opaque_loop(frame, node->kids->next);
    if (outer < frame->env.variables.count)
        frame->env.variables.count = outer;
}

/* switch */

static void run_switch(struct lane_frame *frame, const struct node *node)
{
    struct lanes chosen = condition_value(frame, node->kids);
    struct lane_env entry;
    copy_env(&entry, &frame->env);
    struct lane_jumps jumps = {.outer = frame->jumps, .entry = &entry, .chosen = chosen};
    frame->jumps = &jumps;
    frame->env.dead = true; /* up to the first label */
    lane_run(frame, node->kids->next);
    frame->jumps = jumps.outer;
    /* Behind it: from a break, from its end, past it. */
    struct lane_env end = frame->env;
    frame->env = (struct lane_env){0};
    bool has = !end.dead;
    if (jumps.has_break) {
        if (has)
            join_variables(frame, &end, &jumps.breaks, lanes_unknown());
        else {
            lane_env_release(&end);
            copy_env(&end, &jumps.breaks);
        }
        has = true;
    }
    if (!jumps.has_default || !has) {
        if (has)
            join_variables(frame, &end, &entry, lanes_unknown());
        else {
            lane_env_release(&end);
            copy_env(&end, &entry);
        }
    }
    if (jumps.has_continue && jumps.outer) {
        /* A `continue` inside is one of the loop around. */
        struct lane_env kept = frame->env;
        frame->env = jumps.continues;
        join_into(frame, &jumps.outer->continues, &jumps.outer->has_continue);
        frame->env = kept;
    }
    end.dead = false;
    end.threads = entry.threads;
    if (frame->diverged)
        end.threads.reach = REACH_UNKNOWN;
    lane_env_release(&jumps.breaks);
    lane_env_release(&jumps.continues);
    lane_env_release(&entry);
    frame->env = end;
}

static void run_case(struct lane_frame *frame, const struct node *node)
{
    struct lane_jumps *jumps = frame->jumps;
    if (!jumps || !jumps->entry)
        return;
    struct lane_machine *machine = frame->machine;
    struct lane_threads threads = jumps->entry->threads;
    struct lanes condition = lanes_some(0, 1);
    if (node->kind == NODE_CASE) {
        struct lane_env here = frame->env;
        copy_env(&frame->env, jumps->entry);
        condition =
            lanes_binary(machine, TOK_EQUAL, jumps->chosen, lane_value_of(frame, node->kids));
        lane_env_release(&frame->env);
        frame->env = here;
    } else {
        jumps->has_default = true;
        condition = lanes_uniform(&jumps->chosen) ? lanes_some(0, 1) : lanes_unknown();
    }
    threads = lane_threads_where(machine, threads, &condition, true);
    if (frame->env.dead) {
        lane_env_release(&frame->env);
        copy_env(&frame->env, jumps->entry);
        frame->env.threads = threads;
        return;
    }
    /* Falls through from the case above. */
    join_variables(frame, &frame->env, jumps->entry, lanes_unknown());
    frame->env.threads = join_threads(machine, jumps->entry->threads, frame->env.threads, threads);
}

/* Jumps. */

static void run_return(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    struct lanes value = node->kids ? lane_value_of(frame, node->kids) : lanes_unknown();
    struct lane_threads threads = frame->env.threads;
    if (frame->jumps && threads.reach != REACH_UNIFORM)
        frame->diverged = true;
    if (!frame->has_result) {
        frame->result = value;
        frame->has_result = true;
    } else if (threads.reach == REACH_KNOWN) {
        int64_t *values = lanes_room(machine);
        for (unsigned i = 0; i < machine->threads; ++i)
            values[i] = threads.mask[i / 64] >> i % 64 & 1;
        frame->result = lanes_choose(machine, lanes_of(machine, values), value, frame->result);
    } else {
        struct lanes condition =
            threads.reach == REACH_UNIFORM ? lanes_some(0, 1) : lanes_unknown();
        frame->result = lanes_choose(machine, condition, value, frame->result);
    }
    frame->env.dead = true;
}

static void run_break(struct lane_frame *frame)
{
    if (frame->jumps)
        join_into(frame, &frame->jumps->breaks, &frame->jumps->has_break);
    frame->env.dead = true;
}

static void run_continue(struct lane_frame *frame)
{
    if (frame->jumps)
        join_into(frame, &frame->jumps->continues, &frame->jumps->has_continue);
    frame->env.dead = true;
}

/* Nobody knows from where a label is reached. */
static void run_label(struct lane_frame *frame)
{
    vec_each (struct lane_variable, variable, &frame->env.variables)
        forget(frame, variable);
    frame->env.threads.reach = REACH_UNKNOWN;
    frame->env.dead = false;
}

/* asm: what its outputs are. */
static void run_asm(struct lane_frame *frame, const struct node *node)
{
    static const struct special {
        const char *text;
        unsigned axis;
    } specials[] = {{"%tid.x", 0}, {"%tid.y", 1}, {"%tid.z", 2}};
    struct lane_machine *machine = frame->machine;
    const struct unit *unit = machine->model->unit;
    struct span span = unit_span(unit, node->tokens);
    const char *text = unit->source->text + span.begin;
    size_t len = span.end - span.begin;
    forget_named(frame, node->tokens);
    struct lane_variable *output = NULL;
    unsigned names = 0;
    for (uint32_t i = node->tokens.begin; i < node->tokens.end; ++i)
        if (unit_kind(unit, i) == TOK_IDENT) {
            ++names;
            output = lane_find(&frame->env, unit_token(unit, i)->symbol);
        }
    if (names != 1 || !output || output->is_shared)
        return;
    struct lanes thread = lane_thread_index(machine, LINEAR_THREAD),
                 wave = lanes_int(machine->wave);
    struct lanes value = lanes_unknown();
    if (memmem(text, len, "%laneid", 7))
        value = lanes_binary(machine, TOK_PERCENT, thread, wave);
    else if (memmem(text, len, "%warpid", 7))
        value = lanes_binary(machine, TOK_SLASH, thread, wave);
    for (size_t i = 0; i < sizeof specials / sizeof *specials; ++i)
        if (memmem(text, len, specials[i].text, strlen(specials[i].text)))
            value = lane_thread_index(machine, specials[i].axis);
    output->value = lane_as_type(machine, value, output->type);
}

static void run_block(struct lane_frame *frame, const struct node *node)
{
    size_t outer = frame->env.variables.count;
    tree_each (kid, node) {
        bool label = kid->kind == NODE_CASE || kid->kind == NODE_DEFAULT || kid->kind == NODE_LABEL;
        if (!frame->env.dead || label)
            lane_run(frame, kid);
    }
    if (outer < frame->env.variables.count)
        frame->env.variables.count = outer;
}

void lane_run(struct lane_frame *frame, const struct node *node)
{
    if (!lane_step(frame->machine)) {
        /* It took too long: what the rest does is not known. */
        lane_forget_assigned(frame, node);
        return;
    }
    lane_note(frame, node, lanes_unknown());
    switch (node->kind) {
    case NODE_EMPTY:
    case NODE_ALIAS:
        break;
    case NODE_BLOCK:
        run_block(frame, node);
        break;
    case NODE_EXPRESSION:
        lane_value_of(frame, node->kids);
        break;
    case NODE_DECLARATION:
        lane_run_declaration(frame, node);
        break;
    case NODE_IF:
        run_if(frame, node);
        break;
    case NODE_FOR:
        run_for(frame, node);
        break;
    case NODE_RANGE_FOR:
        run_range_for(frame, node);
        break;
    case NODE_WHILE:
        run_loop(frame,
                 &(struct loop){.node = node, .condition = node->kids, .body = node->kids->next});
        break;
    case NODE_DO:
        run_loop(frame, &(struct loop){.node = node,
                                       .condition = node->kids->next,
                                       .body = node->kids,
                                       .tests_last = true});
        break;
    case NODE_SWITCH:
        run_switch(frame, node);
        break;
    case NODE_CASE:
    case NODE_DEFAULT:
        run_case(frame, node);
        break;
    case NODE_LABEL:
        run_label(frame);
        break;
    case NODE_RETURN:
        run_return(frame, node);
        break;
    case NODE_BREAK:
        run_break(frame);
        break;
    case NODE_CONTINUE:
        run_continue(frame);
        break;
    case NODE_GOTO:
        frame->env.dead = true;
        break;
    case NODE_ASM:
        run_asm(frame, node);
        break;
    case NODE_TRY:
        lane_run(frame, node->kids);
        lane_forget_assigned(frame, node->kids);
        frame->env.dead = false;
        break;
    case NODE_MACRO:
        lane_value_of(frame, node->kids);
        for (const struct node *kid = node->kids->kids->next; kid; kid = kid->next)
            if (kid->kind == NODE_NAME)
                forget_name(frame, tree_symbol(frame->machine->model->unit, kid));
        break;
    case NODE_MACRO_LOOP:
        run_macro_loop(frame, node);
        break;
    case NODE_OPAQUE:
        forget_named(frame, node->tokens);
        break;
    default:
        lane_value_of(frame, node);
        break;
    }
}

/* Functions. */

/* Declares the parameters; those of a kernel are the same for all threads. */
static void declare_parameters(struct lane_frame *frame, const struct model_function *function,
                               const struct lanes *arguments, unsigned count)
{
    struct model *model = frame->machine->model;
    bool kernel = function->function->flags & FUNCTION_GLOBAL;
    for (unsigned i = 0; i < function->param_count; ++i) {
        const struct node *param = function->params[i];
        const struct node *declarator = param ? tree_kid(param, 1) : NULL;
        if (!declarator || declarator->token == NO_TOKEN)
            continue;
        struct lanes value = kernel ? lanes_some(0, 1) : lanes_unknown();
        if (arguments)
            value = i < count ? arguments[i] : lanes_unknown();
        const struct type *type = param->kids->flags & TYPE_AUTO
                                      ? NULL
                                      : type_of_declaration(model, param->kids, declarator);
        lane_declare(frame, tree_symbol(model->unit, declarator), type, value);
    }
}

void lane_run_function(struct lane_machine *machine)
{
    const struct model_function *function = model_function(machine->model, machine->function);
    struct lane_frame frame = {
        .machine = machine,
        .is_outer = true,
        .function = machine->function,
        .env.threads.reach = REACH_UNIFORM,
    };
    declare_parameters(&frame, function, NULL, 0);
    lane_run(&frame, function->body);
    lane_env_release(&frame.env);
}

struct lanes lane_call(struct lane_frame *frame, size_t function, const struct lanes *arguments,
                       unsigned count)
{
    const struct model_function *callee = model_function(frame->machine->model, function);
    if (!callee->body || MAX_CALLS <= frame->depth ||
        MAX_CALLEE < callee->body->tokens.end - callee->body->tokens.begin)
        return lanes_unknown();
    struct lane_frame inner = {
        .machine = frame->machine,
        .function = function,
        .depth = frame->depth + 1,
        .env.threads = frame->env.threads,
    };
    declare_parameters(&inner, callee, arguments, count);
    lane_run(&inner, callee->body);
    lane_env_release(&inner.env);
    return inner.has_result ? inner.result : lanes_unknown();
}
