/* Statements, run once with what is known. Branches that may go either way are run both, and what
   they leave is joined; the variables of a loop are widened to what all of its iterations have in
   common, or the loop is run to the iteration that was asked for.  */
#include <config.h>

#include "annotate/model/lane_p.h"

#include <string.h>

#include "annotate/model/names_p.h"

enum {
    MAX_VARIABLES = 1024, /* of a function that are known at once */
    MAX_CALLS = 5,        /* deep */
    MAX_CALLEE = 3000,    /* tokens of a function that is followed */
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

static void copy_env(struct lane_frame *frame, struct lane_env *to, const struct lane_env *from)
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

static void release_exits(struct lane_exits *exits)
{
    lane_env_release(&exits->env);
    exits->has = false;
}

static void copy_exits(struct lane_frame *frame, struct lane_exits *to,
                       const struct lane_exits *from)
{
    copy_env(frame, &to->env, &from->env);
    to->has = from->has;
}

/* Takes the variables behind COUNT away. */
static void leave_scope(struct lane_env *env, size_t count)
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
    if (variable && !variable->is_shared)
        variable->value = lane_as_type(frame->machine, lanes_unknown(), variable->type);
}

static void forget_name(struct lane_frame *frame, const struct symbol *name)
{
    struct lane_variable *variable = name ? lane_find(&frame->env, name) : NULL;
    if (variable)
        lane_forget(frame, variable);
}

/* Forgets every variable that one of the tokens of RANGE names. */
static void forget_named(struct lane_frame *frame, struct range range)
{
    const struct unit *unit = frame->machine->model->unit;
    for (uint32_t i = range.begin; i < range.end; ++i)
        if (unit_kind(unit, i) == TOK_IDENT)
            forget_name(frame, unit_token(unit, i)->symbol);
}

/* The name of the variable that NODE is, or is a part of. */
static const struct node *root_of(const struct node *node)
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
    const struct node *root = changes ? root_of(node->kids) : NULL;
    if (root)
        forget_name(frame, tree_symbol(unit, root));
    if (node->kind == NODE_OPAQUE || node->kind == NODE_ASM)
        forget_named(frame, node->tokens);
    tree_each (kid, node) {
        if (node->kind == NODE_CALL && kid->kind == NODE_NAME)
            forget_name(frame, tree_symbol(unit, kid));
        lane_forget_assigned(frame, kid);
    }
}

/* ENV becomes what is known where ENV or OTHER may be, decided by CONDITION. */
static void join_variables(struct lane_frame *frame, struct lane_env *env,
                           const struct lane_env *other, struct lanes condition)
{
    leave_scope(env, other->variables.count);
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

static bool same_mask(const struct lane_machine *machine, const uint64_t *a, const uint64_t *b)
{
    for (unsigned i = 0; a != b && i < MASK_WORDS; ++i)
        if (mask_word(machine, a, i) != mask_word(machine, b, i))
            return false;
    return true;
}

static bool disjoint(const struct lane_machine *machine, const uint64_t *a, const uint64_t *b)
{
    for (unsigned i = 0; i < MASK_WORDS; ++i)
        if (mask_word(machine, a, i) & mask_word(machine, b, i))
            return false;
    return true;
}

static bool nobody(const struct lane_machine *machine, const uint64_t *mask)
{
    for (unsigned i = 0; i < MASK_WORDS; ++i)
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
    if (!a || !b || same_mask(machine, a, b))
        return a && b ? a : NULL;
    uint64_t *mask = arena_zalloc(&machine->arena, MASK_WORDS, sizeof *mask);
    for (unsigned i = 0; i < MASK_WORDS; ++i)
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
    uint64_t *mask = arena_zalloc(&machine->arena, MASK_WORDS, sizeof *mask);
    for (unsigned i = 0; i < machine->threads; ++i)
        if ((lanes_at(condition, i) != 0) == holds)
            mask[i / 64] |= (uint64_t)1 << i % 64;
    for (unsigned i = 0; i < MASK_WORDS; ++i)
        mask[i] &= mask_word(machine, threads.mask, i);
    if (same_mask(machine, mask, threads.mask))
        return threads;
    if (threads.reach == REACH_UNIFORM)
        threads.reach = REACH_KNOWN;
    threads.mask = mask;
    return threads;
}

/* The threads that go on where A and B meet. */
static struct lane_threads join_threads(struct lane_machine *machine, struct lane_threads a,
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
    if (same_mask(machine, a.mask, b.mask)) {
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
    if (a.reach == REACH_UNKNOWN || b.reach == REACH_UNKNOWN || !same_mask(machine, a.mask, b.mask))
        return res;
    if (!a.by_wave && !b.by_wave)
        return lanes_some(0, 1);
    res.wave_uniform = true;
    return res;
}

/* ENV is one of those that lead to EXITS. */
static void join_into(struct lane_frame *frame, struct lane_exits *exits,
                      const struct lane_env *env)
{
    struct lane_machine *machine = frame->machine;
    if (!exits->has) {
        copy_env(frame, &exits->env, env);
        exits->has = true;
        exits->env.dead = false;
        return;
    }
    const uint64_t *active = machine->active;
    struct lane_threads threads = exits->env.threads;
    machine->active = united(machine, threads.mask, env->threads.mask);
    join_variables(frame, &exits->env, env, which_threads(machine, threads, env->threads));
    machine->active = active;
    exits->env.threads = join_threads(machine, threads, env->threads);
}

/* Notes. */

static struct lane_memo *memo_of(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    uint32_t at = node->id - machine->first_node;
    return frame->is_outer && !machine->quiet && at < machine->node_count ? &machine->memo[at]
                                                                          : NULL;
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
    if (!memo)
        return;
    memo->address = address;
    memo->value = lanes_unknown(); /* until it is loaded */
    memo->threads = frame->env.threads;
    memo->is_set = true;
}

/* Declarations. */

/* The members that the values below LIST give to TYPE: as many as it has, in their order. */
static struct lanes listed(struct lane_frame *frame, const struct node *list,
                           const struct type *type)
{
    struct lanes values[LANE_MAX_MEMBERS];
    unsigned count = 0;
    bool plain = true;
    tree_each (kid, list) {
        struct lanes value = lane_value_of(frame, kid);
        plain &= kid->kind != NODE_FIELD && kid->kind != NODE_PACK;
        if (count < LANE_MAX_MEMBERS)
            values[count] = value;
        ++count;
    }
    return plain ? lane_record_of(frame->machine, type, values, count) : lanes_unknown();
}

static struct lanes initial_value(struct lane_frame *frame, const struct node *declarator,
                                  const struct type *type)
{
    struct lanes res = lane_record_of(frame->machine, type, NULL, 0);
    tree_each (kid, declarator) {
        if (kid->kind == NODE_DIMENSION) {
            tree_each (size, kid)
                lane_value_of(frame, size);
            continue;
        }
        const struct node *value = kid->kids;
        if (value && !value->next && value->kind == NODE_LIST)
            res = listed(frame, value, type);
        else if (value && !value->next && (kid->op == TOK_ASSIGN || !res.record))
            res = lane_value_of(frame, value);
        else if (value)
            res = listed(frame, kid, type);
    }
    return res;
}

/* What a reference names: a variable, something in shared memory. */
static bool bind_reference(struct lane_frame *frame, const struct node *declarator,
                           struct lane_variable *variable)
{
    const struct node *initializer = declarator->kids;
    const struct node *value = initializer ? initializer->kids : NULL;
    if (!value || value->next || initializer->kind != NODE_INITIALIZER)
        return false;
    size_t index = (size_t)(variable - frame->env.variables.items);
    if (value->kind == NODE_NAME) {
        const struct symbol *name = tree_symbol(frame->machine->model->unit, value);
        for (size_t i = index; i-- > 0;)
            if (frame->env.variables.items[i].name == name) {
                frame->env.variables.items[index].refers_to = i + 1;
                return true;
            }
    }
    struct lanes address = lane_address_of(frame, value);
    variable = &frame->env.variables.items[index];
    if (address.object) {
        variable->is_shared = true;
        variable->value = address;
        return true;
    }
    /* Of a constant or a temporary; what it is an alias of else may change. */
    const struct node *root = root_of(value);
    if (root) {
        struct lane_variable *other =
            lane_find(&frame->env, tree_symbol(frame->machine->model->unit, root));
        if (other && other != variable && !other->is_shared) {
            other->escaped = true;
            lane_forget(frame, other);
        }
        lane_forget(frame, variable);
        variable->escaped = true;
    }
    return true;
}

/* Whether LAMBDA sees the variables as they are when it is called: [&], or nothing of them. */
static bool captures_by_reference(const struct model *model, const struct node *lambda)
{
    const struct unit *unit = model->unit;
    uint32_t open = lambda->tokens.begin;
    if (unit_kind(unit, open) != TOK_LBRACKET)
        return false;
    uint32_t next = unit_next(unit, open);
    return next == unit_partner(unit, open) ||
           (unit_kind(unit, next) == TOK_AMP && unit_next(unit, next) == unit_partner(unit, open));
}

static void declare_one(struct lane_frame *frame, const struct node *type,
                        const struct node *declarator)
{
    struct model *model = frame->machine->model;
    const struct type *declared =
        type->flags & TYPE_AUTO ? NULL : type_of_declaration(model, type, declarator);
    struct lanes value = initial_value(frame, declarator, declared);
    if (declarator->token == NO_TOKEN) {
        for (const struct node *kid = declarator->kids; kid; kid = kid->next)
            if (declarator->flags & DECLARATOR_BINDING && kid->kind == NODE_NAME)
                lane_declare(frame, tree_symbol(model->unit, kid), NULL, lanes_unknown());
        return;
    }
    const struct symbol *name = tree_symbol(model->unit, declarator);
    if (type->flags & TYPE_STATIC && !(type->flags & (TYPE_CONST | TYPE_SHARED)))
        value = lanes_unknown();
    struct lane_variable *variable = lane_declare(frame, name, declared, value);
    if (declarator->flags & DECLARATOR_BINDING)
        lane_forget(frame, variable);
    else if (declarator->flags & DECLARATOR_REFERENCE || type->flags & TYPE_REFERENCE) {
        if (!bind_reference(frame, declarator, variable))
            lane_forget(frame, variable);
    }
    const struct node *initializer = declarator->kids;
    if (initializer && initializer->kind == NODE_INITIALIZER && initializer->kids &&
        initializer->kids->kind == NODE_LAMBDA && captures_by_reference(model, initializer->kids))
        variable->lambda = initializer->kids;
    const struct shared_object *object =
        type->flags & TYPE_SHARED ? model_shared_object(model, declarator) : NULL;
    if (object) {
        variable->is_shared = true;
        variable->value = lanes_int(0);
        variable->value.bytes = 8;
        variable->value.object = object;
        variable->value.pointee = object->type;
    }
}

void lane_run_declaration(struct lane_frame *frame, const struct node *declaration)
{
    const struct node *type = declaration->kids;
    for (const struct node *declarator = type->next; declarator; declarator = declarator->next)
        declare_one(frame, type, declarator);
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

/* Runs STATEMENT from START with THREADS; leaves where it ends in END. Whether nobody left it on
   another way. */
static bool run_branch(struct lane_frame *frame, const struct node *statement,
                       const struct lane_env *start, struct lane_threads threads,
                       struct lane_env *end)
{
    unsigned long left = frame->left;
    copy_env(frame, &frame->env, start);
    frame->env.threads = threads;
    lane_run(frame, statement);
    *end = frame->env;
    frame->env = (struct lane_env){.dead = false};
    return left == frame->left;
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
        leave_scope(&frame->env, outer);
        return;
    }
    struct lane_env start = frame->env, a, b;
    struct lane_threads before = start.threads;
    before.may_be_none = before.by_wave = false;
    bool kept =
        run_branch(frame, first, &start, lane_threads_where(machine, before, &condition, true), &a);
    kept &= run_branch(frame, second, &start,
                       lane_threads_where(machine, before, &condition, false), &b);
    struct lane_env *going = a.dead ? &b : &a, *other = a.dead ? &a : &b;
    if (!a.dead && !b.dead) {
        join_variables(frame, &a, &b, condition);
        a.threads = join_threads(machine, a.threads, b.threads);
    }
    going->threads.may_be_none |= start.threads.may_be_none;
    going->threads.by_wave |= start.threads.by_wave;
    if (kept)
        going->threads = start.threads;
    lane_env_release(other);
    lane_env_release(&start);
    frame->env = *going;
    leave_scope(&frame->env, outer);
}

/* Loops. */

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
    leave_scope(&frame->env, outer);
    if (jumps.continues.has) {
        leave_scope(&jumps.continues.env, outer);
        if (!frame->env.dead)
            join_into(frame, &jumps.continues, &frame->env);
        lane_env_release(&frame->env);
        frame->env = jumps.continues.env;
    }
    if (!frame->env.dead && loop->step)
        lane_value_of(frame, loop->step);
    *breaks = jumps.breaks;
    if (breaks->has)
        leave_scope(&breaks->env, outer);
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
    copy_env(frame, &entry, &frame->env);
    copy_exits(frame, &returns, &frame->returns);
    size_t outer = entry.variables.count;
    machine->steps = budget;
    ++machine->quiet;
    for (unsigned i = 0; i < ITERATIONS && !finished && machine->steps; ++i) {
        struct lanes condition = lanes_int(1);
        if (!loop->tests_last || i)
            condition = condition_value(frame, loop->condition);
        if (condition.state != LANES_KNOWN || condition.bytes == 0 || condition.object)
            break;
        struct lane_threads here = frame->env.threads;
        frame->env.threads = lane_threads_where(machine, here, &condition, false);
        size_t inner = frame->env.variables.count;
        if (!nobody(machine, frame->env.threads.mask)) {
            leave_scope(&frame->env, outer);
            join_into(frame, &done, &frame->env);
            frame->env.variables.count = inner; /* nothing was pushed since */
        }
        frame->env.threads = lane_threads_where(machine, here, &condition, true);
        if (nobody(machine, frame->env.threads.mask)) {
            finished = true;
            break;
        }
        struct lane_exits breaks;
        run_body(frame, loop, &breaks);
        if (breaks.has) {
            leave_scope(&breaks.env, outer);
            join_into(frame, &done, &breaks.env);
        }
        release_exits(&breaks);
        leave_scope(&frame->env, outer);
        finished = frame->env.dead;
    }
    --machine->quiet;
    finished &= machine->steps != 0;
    unsigned long used = budget - machine->steps;
    machine->precise -= used;
    machine->steps = steps - used;
    lane_env_release(&frame->env);
    if (!finished) {
        release_exits(&done);
        release_exits(&frame->returns);
        frame->returns = returns;
        frame->env = entry;
        frame->left = left;
        frame->returned = returned;
        frame->diverged = diverged;
        return false;
    }
    release_exits(&returns);
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
        condition = condition_value(frame, loop->condition);
        bool known = lanes_decided(machine, &condition, &decided);
        if (!known || !decided)
            join_into(frame, exits, &frame->env);
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
                           !same_mask(machine, breaks.env.threads.mask, inside.mask) ||
                           breaks.env.threads.by_wave);
    if (breaks.has)
        join_into(frame, exits, &breaks.env);
    release_exits(&breaks);
    if (!frame->env.dead && loop->tests_last) {
        condition = condition_value(frame, loop->condition);
        if (!lanes_decided(machine, &condition, &decided) || !decided)
            join_into(frame, exits, &frame->env);
    }
    leave_scope(&frame->env, outer);
    if (exits->has)
        leave_scope(&exits->env, outer);
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
    copy_env(frame, &head, &entry);
    copy_exits(frame, &frame->returns, &returns);
    for (int round = 0; round <= ROUNDS && changed; ++round) {
        release_exits(&exits);
        release_exits(&frame->returns);
        copy_exits(frame, &frame->returns, &returns);
        copy_env(frame, &frame->env, &head);
        condition = iterate(frame, loop, diverges, &exits, &goes, &left);
        changed = !frame->env.dead && goes &&
                  widen(frame, &entry, &head, &frame->env, round >= ROUNDS - 1);
        if (left && !diverges)
            changed = diverges = true;
        lane_env_release(&frame->env);
    }
    release_exits(&returns);
    lane_env_release(&head);
    frame->env = exits.env;
    frame->env.dead = !exits.has;
    if (!exits.has) {
        leave_scope(&frame->env, 0);
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
    copy_env(frame, &entry, &frame->env);
    for (unsigned i = 0; i < frame->machine->sample && goes && !frame->env.dead; ++i)
        iterate(frame, loop, left, &exits, &goes, &left);
    if (!frame->env.dead)
        join_into(frame, &exits, &frame->env);
    lane_env_release(&frame->env);
    frame->env = exits.env;
    frame->env.dead = !exits.has;
    if (exits.has) {
        leave_scope(&frame->env, entry.variables.count);
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
    copy_env(frame, &entry, &frame->env);
    copy_exits(frame, &returns, &frame->returns);
    if (run_to_end(frame, loop)) {
        if (machine->quiet || !frame->is_outer) {
            lane_env_release(&entry);
            release_exits(&returns);
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
        release_exits(&frame->returns);
        frame->env = end;
        frame->returns = end_returns;
        frame->returned = end_returned;
        frame->diverged |= end_diverged;
        return;
    }
    lane_env_release(&entry);
    release_exits(&returns);
    if (machine->sample)
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
    leave_scope(&frame->env, outer);
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
            copy_env(frame, &frame->env, &from->env);
        }
    }
    leave_scope(&frame->env, outer);
    release_exits(&jumps.breaks);
    release_exits(&jumps.continues);
    lane_forget_assigned(frame, body);
    frame->env.dead = false;
    frame->env.threads = threads_behind(frame, before, returned);
}

static void run_range_for(struct lane_frame *frame, const struct node *node)
{
    size_t outer = frame->env.variables.count;
    const struct node *declaration = node->kids, *range = declaration->next;
    lane_value_of(frame, range);
    lane_run_declaration(frame, declaration);
    run_opaque_loop(frame, range->next);
    leave_scope(&frame->env, outer);
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
    leave_scope(&frame->env, outer);
}

/* switch */

/* The threads of THREADS that the labels of the switch leave to its `default`. */
static struct lane_threads default_threads(struct lane_frame *frame, const struct lane_jumps *jumps)
{
    struct lane_machine *machine = frame->machine;
    struct lane_threads res = jumps->entry->threads;
    tree_each (kid, jumps->labels) {
        if (kid->kind != NODE_CASE)
            continue;
        struct lanes condition =
            lanes_binary(machine, TOK_EQUAL, jumps->chosen, lane_value_of(frame, kid->kids));
        res = lane_threads_where(machine, res, &condition, false);
    }
    return res;
}

/* FRAME goes on with what also comes from the entry of the switch, for THREADS. */
static void enter_case(struct lane_frame *frame, struct lane_jumps *jumps,
                       struct lane_threads threads)
{
    struct lane_exits here = {.has = false};
    struct lane_env entry;
    copy_env(frame, &entry, jumps->entry);
    entry.threads = threads;
    entry.dead = false;
    if (!frame->env.dead) { /* falls through from the case above */
        leave_scope(&frame->env, entry.variables.count);
        join_into(frame, &here, &frame->env);
    }
    if (!nobody(frame->machine, threads.mask))
        join_into(frame, &here, &entry);
    lane_env_release(&entry);
    lane_env_release(&frame->env);
    frame->env = here.env;
    frame->env.dead = !here.has;
}

static void run_switch(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    size_t outer = frame->env.variables.count;
    struct lanes chosen = condition_value(frame, node->kids);
    struct lane_env entry;
    copy_env(frame, &entry, &frame->env);
    entry.threads.may_be_none = entry.threads.by_wave = false;
    unsigned long returned = frame->returned, left = frame->left;
    struct lane_jumps jumps = {
        .labels = node->kids->next, .entry = &entry, .chosen = chosen, .outer = frame->jumps};
    struct lane_threads before = frame->env.threads;
    frame->jumps = &jumps;
    frame->env.dead = true; /* up to the first label */
    lane_run(frame, node->kids->next);
    frame->jumps = jumps.outer;
    /* Behind it: from its end, from a break, past it. */
    if (!frame->env.dead)
        join_into(frame, &jumps.breaks, &frame->env);
    if (!jumps.has_default) {
        lane_env_release(&frame->env);
        copy_env(frame, &frame->env, &entry);
        frame->env.threads = default_threads(frame, &jumps);
        if (!nobody(machine, frame->env.threads.mask))
            join_into(frame, &jumps.breaks, &frame->env);
    }
    lane_env_release(&frame->env);
    frame->env = jumps.breaks.env;
    frame->env.dead = !jumps.breaks.has;
    leave_scope(&frame->env, outer);
    if (jumps.continues.has && jumps.outer)
        /* A `continue` inside is one of the loop around. */
        join_into(frame, &jumps.outer->continues, &jumps.continues.env);
    if (returned == frame->returned && !jumps.continues.has && left <= frame->left)
        frame->env.threads = before;
    else {
        frame->env.threads.may_be_none |= before.may_be_none;
        frame->env.threads.by_wave |= before.by_wave;
    }
    release_exits(&jumps.continues);
    lane_env_release(&entry);
}

static void run_case(struct lane_frame *frame, const struct node *node)
{
    struct lane_jumps *jumps = frame->jumps;
    if (!jumps || !jumps->entry)
        return;
    struct lane_machine *machine = frame->machine;
    struct lane_env here = frame->env;
    copy_env(frame, &frame->env, jumps->entry);
    struct lane_threads threads;
    if (node->kind == NODE_CASE) {
        struct lanes condition =
            lanes_binary(machine, TOK_EQUAL, jumps->chosen, lane_value_of(frame, node->kids));
        threads = lane_threads_where(machine, jumps->entry->threads, &condition, true);
    } else {
        jumps->has_default = true;
        threads = default_threads(frame, jumps);
    }
    lane_env_release(&frame->env);
    frame->env = here;
    enter_case(frame, jumps, threads);
}

/* Jumps. */

static void run_return(struct lane_frame *frame, const struct node *node)
{
    if (node->kids) {
        frame->env.result = lane_value_of(frame, node->kids);
        frame->env.has_result = true;
    }
    struct lane_threads threads = frame->env.threads;
    if (frame->jumps &&
        (threads.reach == REACH_UNKNOWN || !lane_whole_waves(frame->machine, threads.mask)))
        frame->diverged = true;
    join_into(frame, &frame->returns, &frame->env);
    frame->env.dead = true;
    frame->left++;
    frame->returned++;
}

static void run_break(struct lane_frame *frame)
{
    if (frame->jumps)
        join_into(frame, &frame->jumps->breaks, &frame->env);
    frame->env.dead = true;
    frame->left++;
}

static void run_continue(struct lane_frame *frame)
{
    if (frame->jumps)
        join_into(frame, &frame->jumps->continues, &frame->env);
    frame->env.dead = true;
    frame->left++;
}

/* Nobody knows from where a label is reached. */
static void run_label(struct lane_frame *frame)
{
    vec_each (struct lane_variable, variable, &frame->env.variables)
        lane_forget(frame, variable);
    frame->env.threads.reach = REACH_UNKNOWN;
    frame->env.threads.mask = NULL;
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
    leave_scope(&frame->env, outer);
}

static void run_statement(struct lane_frame *frame, const struct node *node)
{
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
        frame->left++;
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

void lane_run(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    if (!lane_step(machine) || LANE_MAX_NESTING <= machine->nesting) {
        /* It took too long: what the rest does is not known. */
        lane_forget_assigned(frame, node);
        frame->env.threads.reach = REACH_UNKNOWN;
        machine->steps = 0;
        return;
    }
    const uint64_t *active = machine->active;
    machine->nesting++;
    machine->active = frame->env.threads.mask;
    lane_note(frame, node, lanes_unknown());
    run_statement(frame, node);
    machine->active = active;
    machine->nesting--;
}

/* Functions. */

struct lanes lane_parameter(struct lane_machine *machine, uint32_t token, const struct type *type)
{
    struct lanes res = lane_as_type(machine, lanes_atom(ATOM_PARAMETER, token), type);
    return res.record || res.state != LANES_SHIFTED || res.bytes == 0 ? res
                                                                      : lanes_named(machine, res);
}

/* Declares the parameters; those of a kernel are the same for all threads. */
static void declare_parameters(struct lane_frame *frame, const struct model_function *function,
                               const struct lanes *arguments, unsigned count)
{
    struct model *model = frame->machine->model;
    bool kernel = function->function->flags & FUNCTION_GLOBAL;
    for (unsigned i = 0; i < function->param_count; ++i) {
        const struct node *param = function->params[i];
        const struct node *declarator = param ? tree_kid(param, 1) : NULL;
        if (!declarator || declarator->token == NO_TOKEN) {
            lane_declare(frame, NULL, NULL, lanes_unknown());
            continue;
        }
        const struct type *type = param->kids->flags & TYPE_AUTO
                                      ? NULL
                                      : type_of_declaration(model, param->kids, declarator);
        struct lanes value = lanes_unknown();
        if (arguments && i < count)
            value = arguments[i];
        else if (arguments && declarator->kids && declarator->kids->kind == NODE_INITIALIZER &&
                 declarator->kids->kids)
            value = lane_value_of(frame, declarator->kids->kids);
        else if (kernel && !arguments)
            value = lane_parameter(frame->machine, declarator->token, type);
        lane_declare(frame, tree_symbol(model->unit, declarator), type, value);
    }
}

/* Runs the body of FUNCTION in FRAME; what it leaves is in FRAME's returns. */
static void run_body_of(struct lane_frame *frame, const struct model_function *function)
{
    lane_run(frame, function->body);
    if (!frame->env.dead)
        join_into(frame, &frame->returns, &frame->env);
    lane_env_release(&frame->env);
}

void lane_run_function(struct lane_machine *machine, size_t index, const struct lanes *arguments,
                       unsigned count, struct lane_threads threads, bool notes)
{
    const struct model_function *function = model_function(machine->model, index);
    if (!function->body)
        return;
    struct lane_frame frame = {
        .machine = machine,
        .is_outer = notes,
        .function = index,
        .env.threads = threads,
    };
    declare_parameters(&frame, function, arguments, count);
    run_body_of(&frame, function);
    release_exits(&frame.returns);
}

struct lanes lane_call(struct lane_frame *frame, size_t function, struct lanes *arguments,
                       unsigned count)
{
    struct lane_machine *machine = frame->machine;
    const struct model_function *callee = model_function(machine->model, function);
    struct lane_frame inner = {
        .machine = machine,
        .function = function,
        .depth = frame->depth + 1,
        .env.threads = frame->env.threads,
    };
    bool follow = callee->body && frame->depth < MAX_CALLS &&
                  callee->body->tokens.end - callee->body->tokens.begin <= MAX_CALLEE;
    if (!follow && machine->capture && callee->body)
        machine->capture->missed = true;
    if (follow) {
        declare_parameters(&inner, callee, arguments, count);
        run_body_of(&inner, callee);
    }
    bool known = follow && machine->steps && inner.returns.has;
    for (unsigned i = 0; i < count; ++i)
        if (known && i < callee->param_count && i < inner.returns.env.variables.count)
            arguments[i] = inner.returns.env.variables.items[i].value;
        else
            arguments[i] = lanes_unknown();
    struct lanes res =
        known && inner.returns.env.has_result ? inner.returns.env.result : lanes_unknown();
    release_exits(&inner.returns);
    return res;
}

/* Declares the parameters of LAMBDA, which stand behind its captures; false where they are not
   understood. */
static bool declare_lambda_parameters(struct lane_frame *frame, const struct node *lambda,
                                      const struct lanes *arguments, unsigned count)
{
    enum { PARAMETERS = 16 };
    struct model *model = frame->machine->model;
    const struct unit *unit = model->unit;
    uint32_t captures = unit_partner(unit, lambda->tokens.begin);
    uint32_t open = captures == NO_TOKEN ? NO_TOKEN : unit_next(unit, captures);
    if (unit_kind(unit, open) == TOK_LBRACE)
        return true;
    if (unit_kind(unit, open) != TOK_LPAREN || unit_partner(unit, open) == NO_TOKEN)
        return false;
    struct range inside = {open + 1, unit_partner(unit, open)}, ranges[PARAMETERS];
    if (inside.begin == inside.end)
        return true;
    unsigned found = split_range(unit, inside, ranges, PARAMETERS);
    if (PARAMETERS < found || found != count)
        return false;
    for (unsigned i = 0; i < found; ++i) {
        const struct node *param = tree_parameter(&model->trees, ranges[i]);
        const struct node *declarator = param ? tree_kid(param, 1) : NULL;
        if (!declarator || declarator->token == NO_TOKEN ||
            (declarator->flags & DECLARATOR_REFERENCE && !(param->kids->flags & TYPE_CONST)))
            return false;
        const struct type *type = param->kids->flags & TYPE_AUTO
                                      ? NULL
                                      : type_of_declaration(model, param->kids, declarator);
        lane_declare(frame, tree_symbol(unit, declarator), type, arguments[i]);
    }
    return true;
}

struct lanes lane_call_lambda(struct lane_frame *frame, const struct node *lambda,
                              const struct lanes *arguments, unsigned count)
{
    struct lane_machine *machine = frame->machine;
    struct lane_frame inner = {
        .machine = machine,
        .function = frame->function,
        .depth = frame->depth + 1,
    };
    size_t outer = frame->env.variables.count;
    copy_env(frame, &inner.env, &frame->env);
    inner.env.has_result = false;
    bool known = frame->depth < MAX_CALLS && lambda->kids &&
                 declare_lambda_parameters(&inner, lambda, arguments, count);
    if (known) {
        lane_run(&inner, lambda->kids);
        if (!inner.env.dead)
            join_into(frame, &inner.returns, &inner.env);
        known =
            inner.returns.has && outer <= inner.returns.env.variables.count && machine->steps != 0;
    }
    lane_env_release(&inner.env);
    struct lanes res = lanes_unknown();
    if (known) {
        for (size_t i = 0; i < outer; ++i)
            frame->env.variables.items[i] = inner.returns.env.variables.items[i];
        if (inner.returns.env.has_result)
            res = inner.returns.env.result;
    } else {
        lane_forget_assigned(frame, lambda);
    }
    release_exits(&inner.returns);
    return res;
}
