/* Statements, run once with what is known. Branches that may go either way are run both, and what
   they leave is joined. (Loops: lane_loop.c.)  */
#include <config.h>

#include "annotate/model/lane_p.h"

#include <string.h>

#include "annotate/model/names_p.h"

enum {
    MAX_CALLS = 5,     /* deep */
    MAX_CALLEE = 3000, /* tokens of a function that is followed */
};

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
    /* Of a constant or a temporary, of threadIdx; what it is an alias of else may change. */
    const struct node *root = lane_root_of(value);
    const struct symbol *name = root ? tree_symbol(frame->machine->model->unit, root) : NULL;
    struct lanes fixed;
    if (name && !lane_find(&frame->env, name) &&
        lane_coordinate(frame->machine, name->text, 0, &fixed))
        return true;
    if (root) {
        struct lane_variable *other = lane_find(&frame->env, name);
        if (other && other != variable && !other->is_shared) {
            other->escaped = true;
            lane_forget(frame, other);
        }
        lane_forget(frame, variable);
        variable->escaped = true;
    }
    return true;
}

/* Whether NODE names a variable of FRAME. */
static bool names_variable(struct lane_frame *frame, const struct node *node)
{
    if (node->kind == NODE_NAME &&
        lane_find(&frame->env, tree_symbol(frame->machine->model->unit, node)))
        return true;
    tree_each (kid, node)
        if (names_variable(frame, kid))
            return true;
    return false;
}

/* Whether LAMBDA sees the variables as they are when it is called: [&], or nothing of them. */
static bool sees_what_is_there(struct lane_frame *frame, const struct node *lambda)
{
    const struct unit *unit = frame->machine->model->unit;
    uint32_t open = lambda->tokens.begin;
    if (unit_kind(unit, open) != TOK_LBRACKET)
        return false;
    uint32_t next = unit_next(unit, open), close = unit_partner(unit, open);
    if (next == close)
        return true;
    if (unit_next(unit, next) != close)
        return false;
    return unit_kind(unit, next) == TOK_AMP ||
           (unit_kind(unit, next) == TOK_ASSIGN && !names_variable(frame, lambda));
}

static void declare_one(struct lane_frame *frame, const struct node *type,
                        const struct node *declarator)
{
    struct model *model = frame->machine->model;
    const struct type *declared =
        type->flags & TYPE_AUTO ? NULL : type_of_declaration(model, type, declarator);
    const struct node *initializer = declarator->kids;
    const struct node *lambda =
        initializer && initializer->kind == NODE_INITIALIZER ? initializer->kids : NULL;
    if (lambda && (lambda->kind != NODE_LAMBDA || !sees_what_is_there(frame, lambda)))
        lambda = NULL;
    struct lanes value = lanes_unknown();
    if (lambda) /* what it does it does where it is called */
        lane_forget_assigned(frame, lambda);
    else
        value = initial_value(frame, declarator, declared);
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
    variable->lambda = lambda;
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

struct lanes lane_condition_value(struct lane_frame *frame, const struct node *condition)
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
    lane_copy_env(frame, &frame->env, start);
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
    struct lanes condition = lane_condition_value(frame, node->kids);
    const struct node *first = node->kids->next, *second = first->next;
    bool decided;
    if (lanes_decided(machine, &condition, &decided)) {
        lane_run(frame, decided ? first : second);
        lane_leave_scope(&frame->env, outer);
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
        lane_join_variables(frame, &a, &b, condition);
        a.threads = lane_join_threads(machine, a.threads, b.threads);
    }
    going->threads.may_be_none |= start.threads.may_be_none;
    going->threads.by_wave |= start.threads.by_wave;
    if (kept)
        going->threads = start.threads;
    lane_env_release(other);
    lane_env_release(&start);
    frame->env = *going;
    lane_leave_scope(&frame->env, outer);
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
    lane_copy_env(frame, &entry, jumps->entry);
    entry.threads = threads;
    entry.dead = false;
    if (!frame->env.dead) { /* falls through from the case above */
        lane_leave_scope(&frame->env, entry.variables.count);
        lane_join_into(frame, &here, &frame->env);
    }
    if (!lane_nobody(frame->machine, threads.mask))
        lane_join_into(frame, &here, &entry);
    lane_env_release(&entry);
    lane_env_release(&frame->env);
    frame->env = here.env;
    frame->env.dead = !here.has;
}

static void run_switch(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    size_t outer = frame->env.variables.count;
    struct lanes chosen = lane_condition_value(frame, node->kids);
    struct lane_env entry;
    lane_copy_env(frame, &entry, &frame->env);
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
        lane_join_into(frame, &jumps.breaks, &frame->env);
    if (!jumps.has_default) {
        lane_env_release(&frame->env);
        lane_copy_env(frame, &frame->env, &entry);
        frame->env.threads = default_threads(frame, &jumps);
        if (!lane_nobody(machine, frame->env.threads.mask))
            lane_join_into(frame, &jumps.breaks, &frame->env);
    }
    lane_env_release(&frame->env);
    frame->env = jumps.breaks.env;
    frame->env.dead = !jumps.breaks.has;
    lane_leave_scope(&frame->env, outer);
    if (jumps.continues.has && jumps.outer)
        /* A `continue` inside is one of the loop around. */
        lane_join_into(frame, &jumps.outer->continues, &jumps.continues.env);
    if (returned == frame->returned && !jumps.continues.has && left <= frame->left)
        frame->env.threads = before;
    else {
        frame->env.threads.may_be_none |= before.may_be_none;
        frame->env.threads.by_wave |= before.by_wave;
    }
    lane_release_exits(&jumps.continues);
    lane_env_release(&entry);
}

static void run_case(struct lane_frame *frame, const struct node *node)
{
    struct lane_jumps *jumps = frame->jumps;
    if (!jumps || !jumps->entry)
        return;
    struct lane_machine *machine = frame->machine;
    struct lane_env here = frame->env;
    lane_copy_env(frame, &frame->env, jumps->entry);
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
    lane_join_into(frame, &frame->returns, &frame->env);
    frame->env.dead = true;
    frame->left++;
    frame->returned++;
}

static void run_break(struct lane_frame *frame)
{
    if (frame->jumps)
        lane_join_into(frame, &frame->jumps->breaks, &frame->env);
    frame->env.dead = true;
    frame->left++;
}

static void run_continue(struct lane_frame *frame)
{
    if (frame->jumps)
        lane_join_into(frame, &frame->jumps->continues, &frame->env);
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
    lane_forget_named(frame, node->tokens);
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
    lane_leave_scope(&frame->env, outer);
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
        lane_run_for(frame, node);
        break;
    case NODE_RANGE_FOR:
        lane_run_range_for(frame, node);
        break;
    case NODE_WHILE:
        lane_run_while(frame, node);
        break;
    case NODE_DO:
        lane_run_do(frame, node);
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
                lane_forget_name(frame, tree_symbol(frame->machine->model->unit, kid));
        break;
    case NODE_MACRO_LOOP:
        lane_run_macro_loop(frame, node);
        break;
    case NODE_OPAQUE:
        lane_forget_named(frame, node->tokens);
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

/* Runs the body of FUNCTION in FRAME, a constructor's initialisers first; what it leaves is in
   FRAME's returns. */
static void run_body_of(struct lane_frame *frame, const struct model_function *function)
{
    for (unsigned i = 0; i < function->initializer_count; ++i)
        lane_value_of(frame, function->initializers[i].value);
    lane_run(frame, function->body);
    if (!frame->env.dead)
        lane_join_into(frame, &frame->returns, &frame->env);
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
    lane_release_exits(&frame.returns);
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
    lane_release_exits(&inner.returns);
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
        .in_lambda = frame->is_outer || frame->in_lambda,
    };
    size_t outer = frame->env.variables.count;
    lane_copy_env(frame, &inner.env, &frame->env);
    inner.env.has_result = false;
    bool known = frame->depth < MAX_CALLS && lambda->kids &&
                 declare_lambda_parameters(&inner, lambda, arguments, count);
    if (known) {
        lane_run(&inner, lambda->kids);
        if (!inner.env.dead)
            lane_join_into(frame, &inner.returns, &inner.env);
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
        lane_lose_notes(machine, lambda);
    }
    lane_release_exits(&inner.returns);
    return res;
}
