/* Loops. Their variables are widened to what all iterations have in common, or the loop is run to
   its end, or to the iteration that was asked for.  */
#include <config.h>

#include "annotate/model/lane_p.h"

struct loop {
    const struct node *node, *condition, *step, *body;
    bool tests_last; /* do ... while */
};

/* Runs the body of LOOP and its step; JUMPS: what left it by `break`. */
static void run_body(struct lane_frame *frame, const struct loop *loop, struct lane_exits *breaks)
{
    size_t outer = frame->env.variables.count;
    struct lane_jumps jumps = {.outer = frame->jumps};
    frame->jumps = &jumps;
    lane_run(frame, loop->body);
    frame->jumps = jumps.outer;
    lane_leave_scope(&frame->env, outer);
    if (jumps.continues.has) {
        lane_leave_scope(&jumps.continues.env, outer);
        if (!frame->env.dead)
            lane_join_into(frame, &jumps.continues, &frame->env);
        lane_env_release(&frame->env);
        frame->env = jumps.continues.env;
    }
    if (!frame->env.dead && loop->step)
        lane_value_of(frame, loop->step);
    *breaks = jumps.breaks;
    if (breaks->has)
        lane_leave_scope(&breaks->env, outer);
}

/* Runs the loop to its end, if it is known for all threads when they leave it. False where it is
   not, or lasts too long; then nothing has changed. */
static bool run_to_end(struct lane_frame *frame, const struct loop *loop)
{
    enum { ITERATIONS = 70, STEPS = 3000 };
    struct lane_machine *machine = frame->machine;
    unsigned long budget = machine->precise < STEPS ? machine->precise : STEPS;
    unsigned long steps = machine->steps;
    if (steps < budget)
        budget = steps;
    if (budget == 0)
        return false;
    struct lane_env entry;
    struct lane_exits done = {.has = false}, returns;
    unsigned long left = frame->left, returned = frame->returned;
    bool diverged = frame->diverged, finished = false;
    lane_copy_env(frame, &entry, &frame->env);
    lane_copy_exits(frame, &returns, &frame->returns);
    size_t outer = entry.variables.count;
    machine->steps = budget;
    ++machine->quiet;
    for (unsigned i = 0; i < ITERATIONS && !finished && machine->steps; ++i) {
        struct lanes condition = lanes_int(1);
        if (!loop->tests_last || i)
            condition = lane_condition_value(frame, loop->condition);
        if (condition.state != LANES_KNOWN || condition.bytes == 0 || condition.object)
            break;
        struct lane_threads here = frame->env.threads;
        frame->env.threads = lane_threads_where(machine, here, &condition, false);
        size_t inner = frame->env.variables.count;
        if (!lane_nobody(machine, frame->env.threads.mask)) {
            lane_leave_scope(&frame->env, outer);
            lane_join_into(frame, &done, &frame->env);
            frame->env.variables.count = inner; /* nothing was pushed since */
        }
        frame->env.threads = lane_threads_where(machine, here, &condition, true);
        if (lane_nobody(machine, frame->env.threads.mask)) {
            finished = true;
            break;
        }
        struct lane_exits breaks;
        run_body(frame, loop, &breaks);
        if (breaks.has) {
            lane_leave_scope(&breaks.env, outer);
            lane_join_into(frame, &done, &breaks.env);
        }
        lane_release_exits(&breaks);
        lane_leave_scope(&frame->env, outer);
        finished = frame->env.dead;
    }
    --machine->quiet;
    finished &= machine->steps != 0;
    unsigned long used = budget - machine->steps;
    machine->precise -= used;
    machine->steps = steps - used;
    lane_env_release(&frame->env);
    if (!finished) {
        lane_release_exits(&done);
        lane_release_exits(&frame->returns);
        frame->returns = returns;
        frame->env = entry;
        frame->left = left;
        frame->returned = returned;
        frame->diverged = diverged;
        return false;
    }
    lane_release_exits(&returns);
    if (done.has && frame->returned == returned)
        done.env.threads = entry.threads;
    frame->env = done.env;
    frame->env.dead = !done.has;
    lane_env_release(&entry);
    if (!done.has)
        frame->env.variables.count = 0;
    return true;
}

/* One iteration from what FRAME has: tests the condition, runs the body and the step. EXITS: what
   leaves the loop in it. *GOES: whether some thread runs it; *LEFT: some threads of a wave may
   have left the loop inside it. */
static struct lanes iterate(struct lane_frame *frame, const struct loop *loop, bool unknown_threads,
                            struct lane_exits *exits, bool *goes, bool *left)
{
    struct lane_machine *machine = frame->machine;
    struct lanes condition = lanes_int(1);
    bool decided = false;
    size_t outer = frame->env.variables.count;
    struct lane_threads before = frame->env.threads;
    *goes = true;
    *left = false;
    if (!loop->tests_last) {
        condition = lane_condition_value(frame, loop->condition);
        bool known = lanes_decided(machine, &condition, &decided);
        if (!known || !decided)
            lane_join_into(frame, exits, &frame->env);
        *goes = !known || decided;
        if (!*goes)
            return condition;
        frame->env.threads = lane_threads_where(machine, before, &condition, true);
    }
    if (unknown_threads)
        frame->env.threads.reach = REACH_UNKNOWN;
    struct lane_threads inside = frame->env.threads;
    struct lane_exits breaks;
    run_body(frame, loop, &breaks);
    *left = breaks.has && (breaks.env.threads.reach == REACH_UNKNOWN ||
                           !lane_same_mask(machine, breaks.env.threads.mask, inside.mask) ||
                           breaks.env.threads.by_wave);
    if (breaks.has)
        lane_join_into(frame, exits, &breaks.env);
    lane_release_exits(&breaks);
    if (!frame->env.dead && loop->tests_last) {
        condition = lane_condition_value(frame, loop->condition);
        if (!lanes_decided(machine, &condition, &decided) || !decided)
            lane_join_into(frame, exits, &frame->env);
    }
    lane_leave_scope(&frame->env, outer);
    if (exits->has)
        lane_leave_scope(&exits->env, outer);
    return condition;
}

/* HEAD becomes what it and the END of an iteration have in common, as seen from ENTRY. Whether that
   changed it. FORCED: nothing finer than a uniform is tried. */
static bool widen(struct lane_frame *frame, const struct lane_env *entry, struct lane_env *head,
                  const struct lane_env *end, bool forced)
{
    struct lane_machine *machine = frame->machine;
    bool changed = false;
    for (size_t i = 0; i < head->variables.count && i < end->variables.count; ++i) {
        struct lane_variable *variable = &head->variables.items[i];
        const struct lanes *first = &entry->variables.items[i].value;
        const struct lanes *last = &end->variables.items[i].value;
        variable->escaped |= end->variables.items[i].escaped;
        if (variable->is_shared || lanes_identical(&variable->value, last) ||
            (variable->value.state == LANES_UNKNOWN && !variable->value.wave_uniform &&
             !variable->value.record))
            continue;
        uint64_t step = 0;
        struct lanes before = variable->value;
        if (before.record || last->record) {
            variable->value = lane_as_type(machine, lanes_unknown(), variable->type);
            changed = true;
        } else if (lanes_differ_uniformly(machine, first, last, &step)) {
            uint64_t old = before.state == LANES_SHIFTED ? before.step : 0;
            step = forced ? 1 : lanes_gcd(step, old);
            if (step == 0 && last->bytes)
                continue; /* it is what it was */
            variable->value = *first;
            variable->value.state = LANES_SHIFTED;
            variable->value.step = step ? step : 1;
            variable->value.shift = 0;
            variable->value = lanes_named(machine, variable->value);
            changed |= before.state != LANES_SHIFTED || before.step != variable->value.step;
        } else {
            variable->value = lanes_join(machine, before, *last);
            changed |= variable->value.state != before.state ||
                       variable->value.wave_uniform != before.wave_uniform;
        }
    }
    return changed;
}

/* The threads behind a loop that BEFORE ran, whose returns since RETURNED were inside it. */
static struct lane_threads threads_behind(struct lane_frame *frame, struct lane_threads before,
                                          unsigned long returned)
{
    if (frame->returned != returned) {
        before.may_be_none = before.by_wave = true;
        if (frame->diverged || !lane_whole_waves(frame->machine, before.mask))
            before.reach = REACH_UNKNOWN;
        else if (before.reach == REACH_KNOWN)
            before.reach = REACH_UNIFORM;
    }
    return before;
}

/* What the iterations changed is not the same where their number differs from thread to thread, or
   from wave to wave. */
static void forget_changed(struct lane_frame *frame, struct lane_env *env,
                           const struct lane_env *entry, bool by_wave)
{
    for (size_t i = 0; i < env->variables.count; ++i) {
        struct lane_variable *variable = &env->variables.items[i];
        if (variable->is_shared ||
            lanes_identical(&variable->value, &entry->variables.items[i].value))
            continue;
        bool uniform = lanes_uniform(&variable->value) || variable->value.wave_uniform;
        struct lanes value = lanes_unknown();
        value.wave_uniform = by_wave && uniform && !variable->value.object;
        variable->value = lane_as_type(frame->machine, value, variable->type);
    }
}

/* Runs the loop until its head stays the same; the last run is the one that is noted. Leaves what
   is behind the loop. */
static void run_all_iterations(struct lane_frame *frame, const struct loop *loop)
{
    enum { ROUNDS = 4 };
    struct lane_machine *machine = frame->machine;
    struct lane_env entry = frame->env, head;
    struct lane_exits exits = {.has = false}, returns = frame->returns;
    struct lanes condition = lanes_int(1);
    unsigned long returned = frame->returned;
    bool goes = true, left = false, diverges = false, changed = true;
    lane_copy_env(frame, &head, &entry);
    lane_copy_exits(frame, &frame->returns, &returns);
    for (int round = 0; round <= ROUNDS && changed; ++round) {
        lane_release_exits(&exits);
        lane_release_exits(&frame->returns);
        lane_copy_exits(frame, &frame->returns, &returns);
        lane_copy_env(frame, &frame->env, &head);
        condition = iterate(frame, loop, diverges, &exits, &goes, &left);
        changed = !frame->env.dead && goes &&
                  widen(frame, &entry, &head, &frame->env, round >= ROUNDS - 1);
        if (left && !diverges)
            changed = diverges = true;
        lane_env_release(&frame->env);
    }
    lane_release_exits(&returns);
    lane_env_release(&head);
    frame->env = exits.env;
    frame->env.dead = !exits.has;
    if (!exits.has) {
        lane_leave_scope(&frame->env, 0);
    } else {
        bool block = lanes_uniform(&condition) && !diverges;
        bool wave = (lanes_uniform(&condition) || condition.wave_uniform) && !diverges;
        if (goes && !block)
            forget_changed(frame, &frame->env, &entry, wave);
        frame->env.threads = threads_behind(frame, entry.threads, returned);
    }
    lane_env_release(&entry);
    if (machine->steps == 0) {
        lane_forget_assigned(frame, loop->node);
        frame->env.threads.reach = REACH_UNKNOWN;
    }
}

/* Runs the first iterations, up to the one that was asked for. Behind the loop what they changed is
   unknown. */
static void run_sample(struct lane_frame *frame, const struct loop *loop)
{
    struct lane_env entry;
    struct lane_exits exits = {.has = false};
    unsigned long returned = frame->returned;
    bool goes = true, left = false;
    lane_copy_env(frame, &entry, &frame->env);
    for (unsigned i = 0; i < frame->machine->sample && goes && !frame->env.dead; ++i)
        iterate(frame, loop, left, &exits, &goes, &left);
    if (!frame->env.dead)
        lane_join_into(frame, &exits, &frame->env);
    lane_env_release(&frame->env);
    frame->env = exits.env;
    frame->env.dead = !exits.has;
    if (exits.has) {
        lane_leave_scope(&frame->env, entry.variables.count);
        forget_changed(frame, &frame->env, &entry, false);
        frame->env.threads = threads_behind(frame, entry.threads, returned);
    }
    lane_env_release(&entry);
}

static void run_loop(struct lane_frame *frame, const struct loop *loop)
{
    struct lane_machine *machine = frame->machine;
    struct lane_env entry;
    struct lane_exits returns;
    unsigned long returned = frame->returned;
    bool diverged = frame->diverged;
    lane_copy_env(frame, &entry, &frame->env);
    lane_copy_exits(frame, &returns, &frame->returns);
    if (run_to_end(frame, loop)) {
        if (machine->quiet || !frame->is_outer) {
            lane_env_release(&entry);
            lane_release_exits(&returns);
            return;
        }
        /* Once more, for the notes. */
        struct lane_env end = frame->env;
        struct lane_exits end_returns = frame->returns;
        unsigned long end_returned = frame->returned;
        bool end_diverged = frame->diverged;
        frame->env = entry;
        frame->returns = returns;
        frame->returned = returned;
        frame->diverged = diverged;
        if (machine->sample)
            run_sample(frame, loop);
        else
            run_all_iterations(frame, loop);
        lane_env_release(&frame->env);
        lane_release_exits(&frame->returns);
        frame->env = end;
        frame->returns = end_returns;
        frame->returned = end_returned;
        frame->diverged |= end_diverged;
        return;
    }
    lane_env_release(&entry);
    lane_release_exits(&returns);
    if (machine->sample)
        run_sample(frame, loop);
    else
        run_all_iterations(frame, loop);
}

void lane_run_while(struct lane_frame *frame, const struct node *node)
{
    run_loop(frame,
             &(struct loop){.node = node, .condition = node->kids, .body = node->kids->next});
}

void lane_run_do(struct lane_frame *frame, const struct node *node)
{
    run_loop(frame, &(struct loop){.node = node,
                                   .condition = node->kids->next,
                                   .body = node->kids,
                                   .tests_last = true});
}

void lane_run_for(struct lane_frame *frame, const struct node *node)
{
    const struct node *start = node->kids, *condition = start->next, *step = condition->next;
    size_t outer = frame->env.variables.count;
    lane_run(frame, start);
    struct loop loop = {.node = node,
                        .condition = condition,
                        .step = step->kind == NODE_EMPTY ? NULL : step,
                        .body = step->next};
    run_loop(frame, &loop);
    lane_leave_scope(&frame->env, outer);
}

/* A loop whose head says little: over a range, by a macro. */
static void run_opaque_loop(struct lane_frame *frame, const struct node *body)
{
    struct lane_threads before = frame->env.threads;
    unsigned long returned = frame->returned;
    size_t outer = frame->env.variables.count;
    lane_forget_assigned(frame, body);
    frame->env.threads.reach = REACH_UNKNOWN;
    struct lane_jumps jumps = {.outer = frame->jumps};
    frame->jumps = &jumps;
    lane_run(frame, body);
    frame->jumps = jumps.outer;
    if (frame->env.dead) {
        /* Nobody gets to the end of the body, but some may not have begun it. */
        struct lane_exits *from = jumps.continues.has ? &jumps.continues : &jumps.breaks;
        if (from->has) {
            lane_env_release(&frame->env);
            lane_copy_env(frame, &frame->env, &from->env);
        }
    }
    lane_leave_scope(&frame->env, outer);
    lane_release_exits(&jumps.breaks);
    lane_release_exits(&jumps.continues);
    lane_forget_assigned(frame, body);
    frame->env.dead = false;
    frame->env.threads = threads_behind(frame, before, returned);
}

void lane_run_range_for(struct lane_frame *frame, const struct node *node)
{
    size_t outer = frame->env.variables.count;
    const struct node *declaration = node->kids, *range = declaration->next;
    lane_value_of(frame, range);
    lane_run_declaration(frame, declaration);
    run_opaque_loop(frame, range->next);
    lane_leave_scope(&frame->env, outer);
}

void lane_run_macro_loop(struct lane_frame *frame, const struct node *node)
{
    const struct unit *unit = frame->machine->model->unit;
    size_t outer = frame->env.variables.count;
    for (const struct node *kid = node->kids->kids->next; kid; kid = kid->next) {
        if (kid->kind == NODE_NAME && !lane_find(&frame->env, tree_symbol(unit, kid)))
            lane_declare(frame, tree_symbol(unit, kid), NULL, lanes_unknown());
    }
    run_opaque_loop(frame, node->kids->next);
    lane_leave_scope(&frame->env, outer);
}
