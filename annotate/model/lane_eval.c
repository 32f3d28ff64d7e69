/* Expressions, evaluated for all threads at once: assignments, calls, operators. What names a place
   is in lane_place.c.  */
#include <config.h>

#include "annotate/model/lane_place_p.h"

#include <string.h>

/* Assignments. */

/* Whether evaluating NODE again changes nothing. */
static bool is_pure(const struct node *node)
{
    if (node->kind == NODE_ASSIGN || node->kind == NODE_POSTFIX || node->kind == NODE_CALL ||
        node->kind == NODE_LAMBDA || node->kind == NODE_OPAQUE ||
        (node->kind == NODE_UNARY &&
         (node->op == TOK_PLUS_PLUS || node->op == TOK_MINUS_MINUS || node->op == TOK_AMP)))
        return false;
    tree_each (kid, node)
        if (!is_pure(kid))
            return false;
    return true;
}

/* Whether calls are the only way in which NODE may change something. */
static bool only_calls(const struct node *node)
{
    if (node->kind != NODE_CALL && !node->kids)
        return is_pure(node);
    if (node->kind == NODE_ASSIGN || node->kind == NODE_POSTFIX || node->kind == NODE_LAMBDA ||
        (node->kind == NODE_UNARY &&
         (node->op == TOK_PLUS_PLUS || node->op == TOK_MINUS_MINUS || node->op == TOK_AMP)))
        return false;
    tree_each (kid, node)
        if (!only_calls(kid))
            return false;
    return true;
}

/* RECORD with VALUE as the member NAME, or as the element INDEX. */
static struct lanes with_member(struct lane_frame *frame, struct lanes record, const char *name,
                                const struct lanes *index, struct lanes value)
{
    struct lane_machine *machine = frame->machine;
    const struct lane_record *from = record.record;
    struct lane_record *res = lanes_record(machine, from->count);
    for (unsigned i = 0; i < from->count; ++i) {
        const struct lane_member *member = &from->members[i];
        res->members[i] = *member;
        struct lanes here = lanes_int(1);
        if (index)
            here = lanes_binary(machine, TOK_EQUAL, *index, lanes_int(i));
        else
            here.base = member->name && name && !strcmp(member->name, name);
        res->members[i].value = lanes_named(
            machine,
            lanes_choose(machine, here, lane_as_type(machine, value, member->type), member->value));
    }
    record.record = res;
    return record;
}

static void store(struct lane_frame *frame, const struct node *target, struct lanes value);

/* The value of TARGET, a variable or a part of one, as it was. */
static struct lanes value_before(struct lane_frame *frame, const struct node *target)
{
    struct lane_machine *machine = frame->machine;
    struct lane_variable *variable = lane_root_variable(frame, target);
    if (!variable || variable->is_shared || variable->escaped)
        return lanes_unknown();
    machine->quiet++;
    struct lanes res = lane_place_of(frame, target).lanes;
    machine->quiet--;
    if (!res.record && target->kind == NODE_NAME)
        res = lane_record_of(machine, variable->type, NULL, 0);
    return res;
}

/* A part of a variable becomes VALUE. */
static void store_part(struct lane_frame *frame, const struct node *target, struct lanes value)
{
    struct lane_machine *machine = frame->machine;
    if (!is_pure(target)) {
        struct lane_variable *variable = lane_root_variable(frame, target);
        if (variable)
            lane_forget(frame, variable);
        return;
    }
    struct lanes whole = value_before(frame, target->kids);
    if (!whole.record)
        return; /* nothing is known of its parts */
    if (target->kind == NODE_MEMBER) {
        const struct symbol *name = tree_symbol(machine->model->unit, target);
        store(frame, target->kids, with_member(frame, whole, name->text, NULL, value));
        return;
    }
    machine->quiet++;
    struct lanes index = lane_value_of(frame, target->kids->next);
    machine->quiet--;
    store(frame, target->kids, with_member(frame, whole, NULL, &index, value));
}

/* TARGET becomes VALUE. */
static void store(struct lane_frame *frame, const struct node *target, struct lanes value)
{
    struct lane_variable *variable = lane_root_variable(frame, target);
    if (!variable || variable->is_shared || variable->escaped)
        return;
    if (target->kind == NODE_NAME)
        variable->value =
            lanes_named(frame->machine, lane_as_type(frame->machine, value, variable->type));
    else
        store_part(frame, target, value);
}

static struct lanes combine(struct lane_frame *frame, enum token_kind op, struct lanes a,
                            struct lanes b)
{
    struct lane_machine *machine = frame->machine;
    if (op == TOK_PLUS && b.object) {
        struct lanes swap = a;
        a = b;
        b = swap;
    }
    if (a.object && !b.object && (op == TOK_PLUS || op == TOK_MINUS))
        return lane_address_add(machine, a, op, b, a.pointee ? a.pointee->size : 0);
    return lanes_binary(machine, op, a, b);
}

static struct lanes assign(struct lane_frame *frame, const struct node *node)
{
    const struct node *target = node->kids;
    struct lanes value = lane_value_of(frame, target->next);
    struct lanes before = lane_value_of(frame, target);
    if (node->op != TOK_ASSIGN)
        value = combine(frame, tree_plain_operator(node->op), before, value);
    store(frame, target, value);
    return value;
}

static struct lanes count_up(struct lane_frame *frame, const struct node *node)
{
    struct lanes before = lane_value_of(frame, node->kids);
    struct lanes after = combine(frame, tree_plain_operator(node->op), before, lanes_int(1));
    store(frame, node->kids, after);
    return node->kind == NODE_POSTFIX ? before : after;
}

/* Calls. */

enum { MAX_ARGUMENTS = 32 };

/* NAME(ARGUMENTS) where NAME is a macro with the text of D. */
static struct lanes call_macro(struct lane_frame *frame, const struct node *node,
                               const struct directive *d, const struct lanes *arguments,
                               unsigned count)
{
    const struct unit *unit = frame->machine->model->unit;
    size_t before = frame->env.variables.count;
    struct node *tree = lane_macro_tree(frame->machine->model, d);
    if (!tree || !is_pure(tree)) {
        /* What it does to its arguments nobody knows. */
        for (const struct node *kid = node->kids->next; kid; kid = kid->next) {
            struct lane_variable *variable = lane_root_variable(frame, kid);
            if (variable && !(tree && only_calls(tree)))
                lane_forget(frame, variable);
        }
        if (!tree)
            return lanes_unknown();
    }
    unsigned n = 0;
    for (uint32_t i = d->params.begin; i < d->params.end && n < count; ++i)
        if (unit_kind(unit, i) == TOK_IDENT)
            lane_declare(frame, unit_token(unit, i)->symbol, NULL, arguments[n++]);
    struct lanes res = lane_value_of(frame, tree);
    frame->env.variables.count = before;
    return res;
}

static struct lanes call_function(struct lane_frame *frame, const struct node *node, size_t index,
                                  struct lanes *arguments, unsigned count)
{
    struct lane_machine *machine = frame->machine;
    const struct model_function *function = model_function(machine->model, index);
    if (machine->capture && machine->capture->function == index)
        lane_capture_call(frame, node, arguments, count);
    struct lanes res = lane_call(frame, index, arguments, count);
    const struct node *argument = node->kids->next;
    for (unsigned i = 0; i < function->param_count && argument; ++i, argument = argument->next) {
        const struct node *declarator =
            function->params[i] ? tree_kid(function->params[i], 1) : NULL;
        if (declarator && declarator->flags & DECLARATOR_REFERENCE &&
            !(function->params[i]->kids->flags & TYPE_CONST))
            store(frame, argument, i < count ? arguments[i] : lanes_unknown());
    }
    return res;
}

static struct lanes call(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    struct model *model = machine->model;
    const struct node *callee = node->kids;
    struct lanes arguments[MAX_ARGUMENTS], res;
    unsigned count = 0;
    for (const struct node *kid = callee->next; kid; kid = kid->next) {
        struct lanes value = lane_value_of(frame, kid);
        if (count < MAX_ARGUMENTS)
            arguments[count++] = value;
    }
    if (callee->kind == NODE_MEMBER) {
        const struct symbol *name = tree_symbol(model->unit, callee);
        if (name && lane_group_method(frame, callee->kids, name->text, &res))
            return res;
        if (!lane_root_variable(frame, callee->kids))
            lane_value_of(frame, callee->kids);
        else if (!lane_root_variable(frame, callee->kids)->is_shared)
            lane_forget(frame, lane_root_variable(frame, callee->kids));
        return lanes_unknown();
    }
    const struct symbol *name = callee->kind == NODE_NAME ? tree_symbol(model->unit, callee) : NULL;
    if (!name) {
        lane_value_of(frame, callee);
        return lanes_unknown();
    }
    struct lane_variable *local = lane_root_variable(frame, callee);
    if (local)
        return local->lambda ? lane_call_lambda(frame, local->lambda, arguments, count)
                             : lanes_unknown();
    struct name_meaning meaning = model_lookup(model, name, callee->token);
    if (meaning.kind == NAME_FUNCTION)
        return call_function(frame, node, meaning.function, arguments, count);
    if (meaning.kind == NAME_MACRO) {
        const struct directive *d = unit_directive_at(model->unit, meaning.token);
        return d->function_like ? call_macro(frame, node, d, arguments, count) : lanes_unknown();
    }
    if (lane_builtin(frame, name->text, arguments, count, &res))
        return res;
    if (!strncmp(name->text, "make_", 5)) {
        const struct type *type = type_builtin(name->text + 5);
        if (type->kind == TYPE_VECTOR)
            return lane_record_of(machine, type, arguments, count);
    }
    if (tree_is_type_name(name)) /* T(x) */
        return lane_record_of(machine, type_of(model, node), arguments, count);
    return lanes_unknown();
}

/* The others. */

static struct lanes logical_or_choice(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    struct lane_threads before = frame->env.threads;
    struct lanes condition = lane_value_of(frame, node->kids);
    const struct node *second = node->kids->next;
    bool holds = node->op != TOK_OR_OR; /* when the second operand is evaluated */
    frame->env.threads = lane_threads_where(machine, before, &condition, holds);
    struct lanes a = lane_value_of(frame, second);
    struct lanes res;
    if (node->kind == NODE_CHOICE) {
        frame->env.threads = lane_threads_where(machine, before, &condition, false);
        struct lanes b = lane_value_of(frame, second->next);
        res = lanes_choose(machine, condition, a, b);
    } else {
        res = lanes_binary(machine, node->op, condition, a);
    }
    frame->env.threads = before;
    return res;
}

static struct lanes unary(struct lane_frame *frame, const struct node *node)
{
    switch (node->op) {
    case TOK_PLUS_PLUS:
    case TOK_MINUS_MINUS:
        return count_up(frame, node);
    case TOK_STAR:
        return lane_place_value(frame, node);
    case TOK_AMP: {
        struct lanes address = lane_address_of(frame, node->kids);
        if (address.object)
            return address;
        lane_escape(frame, node->kids);
        return lanes_unknown();
    }
    default:
        return lanes_unary(frame->machine, node->op, lane_value_of(frame, node->kids));
    }
}

static struct lanes cast(struct lane_frame *frame, const struct node *node)
{
    struct lanes value = lane_value_of(frame, node->kids->next);
    const struct type *type = type_of_declaration(frame->machine->model, node->kids, NULL);
    if (value.object) {
        if (type->kind == TYPE_POINTER)
            value.pointee = type->element;
        else
            return lanes_unknown();
        return value;
    }
    return lane_as_type(frame->machine, value, type);
}

/* Evaluates all kids for what they change. */
static struct lanes effects_only(struct lane_frame *frame, const struct node *node)
{
    tree_each (kid, node)
        lane_value_of(frame, kid);
    return lanes_unknown();
}

static struct lanes literal(struct lane_frame *frame, const struct node *node)
{
    int64_t value;
    unsigned bytes;
    bool is_signed;
    struct lanes res;
    if (!constant_literal(frame->machine->model->unit, node, &value, &bytes, &is_signed)) {
        res = lanes_some(0, 1);
        res.bytes = 0;
        return res;
    }
    res = lanes_int(value);
    res.bytes = (uint8_t)bytes;
    res.is_signed = is_signed;
    return res;
}

static struct lanes construct(struct lane_frame *frame, const struct node *node)
{
    struct lanes values[LANE_MAX_MEMBERS];
    unsigned count = 0;
    for (const struct node *argument = node->kids->next; argument; argument = argument->next) {
        struct lanes value = lane_value_of(frame, argument);
        if (count < LANE_MAX_MEMBERS)
            values[count] = value;
        ++count;
    }
    const struct type *type = type_of_declaration(frame->machine->model, node->kids, NULL);
    if (count == 1 && !values[0].record && type->kind != TYPE_VECTOR && type->kind != TYPE_RECORD)
        return lane_as_type(frame->machine, values[0], type);
    return lane_record_of(frame->machine, type, values, count);
}

static struct lanes evaluate(struct lane_frame *frame, const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_CHARACTER:
        return literal(frame, node);
    case NODE_STRING:
        return lanes_some(0, 1);
    case NODE_NAME:
    case NODE_INDEX:
    case NODE_MEMBER:
        return lane_place_value(frame, node);
    case NODE_UNARY:
        return unary(frame, node);
    case NODE_POSTFIX:
        return count_up(frame, node);
    case NODE_ASSIGN:
        return assign(frame, node);
    case NODE_CHOICE:
        return logical_or_choice(frame, node);
    case NODE_BINARY: {
        if (node->op == TOK_AND_AND || node->op == TOK_OR_OR)
            return logical_or_choice(frame, node);
        struct lanes a = lane_value_of(frame, node->kids);
        struct lanes b = lane_value_of(frame, node->kids->next);
        return node->op == TOK_COMMA ? b : combine(frame, node->op, a, b);
    }
    case NODE_CALL:
        return call(frame, node);
    case NODE_CONSTRUCT:
        return construct(frame, node);
    case NODE_CAST:
        return cast(frame, node);
    case NODE_SIZEOF: {
        struct constant constant;
        struct lanes res = constant_of(frame->machine->model, node, &constant) && constant.count
                               ? lane_constant(&constant)
                               : lanes_some(0, 1);
        res.bytes = 8;
        res.is_signed = false;
        return res;
    }
    case NODE_LAMBDA:
        lane_lend_lambda(frame, node);
        return lanes_unknown();
    case NODE_TYPE:
    case NODE_DECLARATION:
        return lanes_unknown();
    default:
        return effects_only(frame, node);
    }
}

struct lanes lane_value_of(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    if (!lane_step(machine) || LANE_MAX_NESTING <= machine->nesting)
        return lanes_unknown();
    const uint64_t *active = machine->active;
    machine->nesting++;
    machine->active = frame->env.threads.mask;
    struct lanes res = evaluate(frame, node);
    machine->active = active;
    machine->nesting--;
    lane_note(frame, node, res);
    return res;
}
