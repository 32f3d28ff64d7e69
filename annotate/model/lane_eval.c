/* Expressions, evaluated for all threads at once.  */
#include <config.h>

#include "annotate/model/lane_p.h"

#include <string.h>

struct lanes lane_thread_index(struct lane_machine *machine, unsigned axis)
{
    if (machine->has_index[axis])
        return machine->index[axis];
    int64_t *values = lanes_room(machine);
    unsigned before = 1;
    for (unsigned i = 0; i < axis && axis != LINEAR_THREAD; ++i)
        before *= machine->block[i];
    for (unsigned i = 0; i < machine->threads; ++i)
        values[i] = axis == LINEAR_THREAD ? i : i / before % machine->block[axis];
    struct lanes res = lanes_of(machine, values);
    res.is_signed = false;
    machine->index[axis] = res;
    machine->has_index[axis] = true;
    return res;
}

struct lanes lane_as_type(struct lane_machine *machine, struct lanes value, const struct type *type)
{
    if (!type)
        return value;
    if (value.record)
        return type->kind == TYPE_VECTOR || type->kind == TYPE_RECORD || type->kind == TYPE_ARRAY
                   ? value
                   : lanes_unknown();
    if (value.object)
        return type->kind == TYPE_INTEGER ? lanes_unknown() : value;
    switch (type->kind) {
    case TYPE_BOOL: {
        struct lanes zero = lanes_int(0);
        if (value.state == LANES_UNKNOWN || value.bytes == 0)
            return lanes_convert(machine, value, 1, false);
        return lanes_binary(machine, TOK_NOT_EQUAL, value, zero);
    }
    case TYPE_INTEGER:
        if (type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8)
            return lanes_convert(machine, value, (unsigned)type->size, type->is_signed);
        return value;
    case TYPE_FLOATING:
        return lanes_convert(machine, value, 0, true);
    default:
        return value;
    }
}

/* The type and the name of member I of a value of TYPE; false where it has no such, or none that
   matters. */
static bool member_of_type(const struct type *type, unsigned i, struct lane_member *res)
{
    static const char *const axes[] = {"x", "y", "z", "w"};
    bool whole =
        type->element && (type->element->kind == TYPE_INTEGER || type->element->kind == TYPE_BOOL);
    *res = (struct lane_member){.name = NULL};
    switch (type->kind) {
    case TYPE_VECTOR:
        if (!whole || type->count <= i || 4 <= i)
            return false;
        res->name = axes[i];
        res->type = type->element;
        return true;
    case TYPE_ARRAY:
        res->type = type->element;
        return whole && i < type->count && type->count <= LANE_MAX_MEMBERS;
    case TYPE_RECORD:
        if (type->member_count <= i || LANE_MAX_MEMBERS < type->member_count ||
            !type->members[i].name)
            return false;
        res->name = type->members[i].name->text;
        res->type = type->members[i].type;
        return true;
    default:
        return false;
    }
}

struct lanes lane_record_of(struct lane_machine *machine, const struct type *type,
                            const struct lanes *values, unsigned count)
{
    struct lanes res = count == 1 ? values[0] : lanes_unknown();
    if (!type || (count == 1 && res.record && type->kind != TYPE_ARRAY))
        return res;
    struct lane_member member;
    unsigned members = 0;
    while (member_of_type(type, members, &member))
        ++members;
    if (members == 0 || LANE_MAX_MEMBERS < count)
        return type->kind == TYPE_VECTOR || type->kind == TYPE_RECORD || type->kind == TYPE_ARRAY
                   ? lanes_unknown()
                   : res;
    struct lane_record *record = lanes_record(machine, members);
    bool ones = type == type_builtin("dim3");
    for (unsigned i = 0; i < members; ++i) {
        member_of_type(type, i, &record->members[i]);
        struct lanes value = i < count ? values[i] : count ? lanes_int(ones) : lanes_unknown();
        record->members[i].value =
            lanes_named(machine, lane_as_type(machine, value, record->members[i].type));
    }
    res = lanes_unknown();
    res.record = record;
    return res;
}

/* Something that is the same for all threads, of TYPE (or NULL). */
static struct lanes uniform_of(struct lane_machine *machine, const struct type *type)
{
    return lane_as_type(machine, lanes_some(0, 1), type);
}

/* What a load gives from a place that is the same for all threads, or not. */
static struct lanes loaded(struct lane_frame *frame, bool uniform, const struct type *type)
{
    struct lanes res = uniform ? lanes_some(0, 1) : lanes_unknown();
    return lane_as_type(frame->machine, res, type);
}

/* CONSTANT, an integer whose C type nobody said. */
static struct lanes constant_value(const struct constant *constant)
{
    int64_t base = constant->values[0];
    struct lanes res = lanes_int(base);
    if (base != (int32_t)base) {
        res.is_signed = base != (int64_t)(uint32_t)base;
        res.bytes = res.is_signed ? 8 : 4;
    }
    if (constant->count == 1)
        return res;
    /* Which of them it is depends on the instantiation: the same for all threads. */
    uint64_t step = 0;
    for (unsigned i = 1; i < constant->count; ++i)
        step = lanes_gcd(step, (uint64_t)(constant->values[i] - base));
    res = lanes_some(base, step);
    return res;
}

/* Addresses. */

/* An address as the plain number of its bytes. */
static struct lanes as_number(struct lanes address)
{
    address.object = NULL;
    address.pointee = NULL;
    address.bytes = 8;
    address.is_signed = true;
    return address;
}

/* ADDRESS plus (minus) COUNT elements of SIZE bytes. */
static struct lanes address_add(struct lane_machine *machine, struct lanes address,
                                enum token_kind op, struct lanes count, uint64_t size)
{
    struct lanes offset = lanes_binary(machine, TOK_STAR, lanes_convert(machine, count, 8, true),
                                       lanes_int((int64_t)size));
    struct lanes res = lanes_binary(machine, op, as_number(address), offset);
    res.object = address.object;
    res.pointee = address.pointee;
    if (size == 0)
        res.state = LANES_UNKNOWN;
    return res;
}

/* The value of what lies at ADDRESS: an array is its own address. */
static struct lanes value_at(struct lane_frame *frame, struct lanes address)
{
    const struct type *type = address.pointee;
    if (type && type->kind == TYPE_ARRAY) {
        address.pointee = type->element;
        return address;
    }
    return loaded(frame, lanes_uniform(&address), type);
}

static const struct type_member *find_member(const struct type *type, const struct symbol *name)
{
    for (unsigned i = 0; i < type->member_count; ++i)
        if (type->members[i].name == name)
            return &type->members[i];
    return NULL;
}

/* An lvalue: where it lies in shared memory, or else its value. */
struct place {
    struct lanes lanes;
    bool is_address;
};

static struct place place_of(struct lane_frame *frame, const struct node *node);
static void escape(struct lane_frame *frame, const struct node *node);

static struct place place_at(struct lanes address)
{
    return (struct place){address, true};
}

static struct place place_with(struct lanes value)
{
    return (struct place){value, false};
}

/* Names. */

/* The text of the macro D as an expression. */
static struct lanes evaluate_text(struct lane_frame *frame, const struct directive *d)
{
    struct lane_machine *machine = frame->machine;
    struct node *tree = lane_macro_tree(machine->model, d);
    return tree ? lane_value_of(frame, tree) : lanes_unknown();
}

static struct lanes object_address(const struct shared_object *object)
{
    struct lanes res = lanes_int(0);
    res.bytes = 8;
    res.object = object;
    res.pointee = object->type;
    return res;
}

/* threadIdx and its like as a whole. */
struct lanes lane_coordinates(struct lane_machine *machine, const char *name)
{
    struct lanes values[3];
    for (unsigned i = 0; i < 3; ++i)
        lane_coordinate(machine, name, i, &values[i]);
    return lane_record_of(machine, type_builtin("uint3"), values, 3);
}

/* A constant; false where NODE is none that is known. */
static bool constant_name(struct lane_frame *frame, const struct node *node,
                          const struct name_meaning *meaning, struct lanes *res)
{
    struct lane_machine *machine = frame->machine;
    struct constant constant;
    if (!constant_of(machine->model, node, &constant) || !constant.count)
        return false;
    *res = constant_value(&constant);
    if (constant.count > 1) {
        if (meaning->token != NO_TOKEN)
            res->shift = lanes_atom(ATOM_NAME, meaning->token).shift;
        return true;
    }
    if (meaning->kind == NAME_MACRO) {
        /* Its text knows its type. */
        const struct directive *d = unit_directive_at(machine->model->unit, meaning->token);
        struct lanes value = d->function_like ? lanes_unknown() : evaluate_text(frame, d);
        if (value.state == LANES_KNOWN && !value.values && !value.object &&
            value.base == constant.values[0])
            *res = value;
    } else {
        *res = lane_as_type(machine, *res, type_of(machine->model, node));
    }
    return true;
}

static struct place other_name(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    struct model *model = machine->model;
    const struct symbol *name = tree_symbol(model->unit, node);
    struct name_meaning meaning = model_lookup(model, name, node->token);
    struct lanes value;
    if (constant_name(frame, node, &meaning, &value))
        return place_with(value);
    switch (meaning.kind) {
    case NAME_MACRO: {
        const struct directive *d = unit_directive_at(model->unit, meaning.token);
        return place_with(d->function_like ? lanes_unknown() : evaluate_text(frame, d));
    }
    case NAME_VARIABLE:
    case NAME_LOCAL: {
        const struct shared_object *object =
            meaning.declarator ? model_shared_object(model, meaning.declarator) : NULL;
        if (object)
            return place_at(object_address(object));
        if (meaning.kind == NAME_LOCAL)
            return place_with(lanes_unknown());
        break;
    }
    case NAME_PARAMETER:
        return place_with(lanes_unknown());
    case NAME_UNKNOWN:
        if (!strcmp(name->text, "warpSize"))
            return place_with(lanes_int(machine->wave));
        if (!strcmp(name->text, "true") || !strcmp(name->text, "false"))
            return place_with(lanes_convert(machine, lanes_int(name->text[0] == 't'), 1, false));
        if (lane_coordinate(machine, name->text, 0, &value))
            return place_with(lane_coordinates(machine, name->text));
        if (lane_hip_coordinate(machine, name->text, &value))
            return place_with(value);
        break;
    default:
        break;
    }
    /* A constant of another file, a variable in global or constant memory. */
    const struct type *type =
        meaning.declaration
            ? type_of_declaration(model, meaning.declaration->kids, meaning.declarator)
            : NULL;
    value = uniform_of(machine, type);
    if (meaning.kind == NAME_TEMPLATE_PARAMETER && value.bytes)
        value.shift = lanes_atom(ATOM_NAME, meaning.token).shift;
    return place_with(value);
}

static struct place name_place(struct lane_frame *frame, const struct node *node)
{
    struct lane_variable *variable =
        node->flags & (NAME_QUALIFIED | NAME_TEMPLATE)
            ? NULL
            : lane_find(&frame->env, tree_symbol(frame->machine->model->unit, node));
    if (!variable)
        return other_name(frame, node);
    if (variable->lambda)
        lane_lend_lambda(frame, variable->lambda);
    variable = lane_referred(&frame->env, variable);
    return (struct place){variable->value, variable->is_shared};
}

/* .x to .w of a vector, a member of a record. */
static struct place member_place(struct lane_frame *frame, const struct node *node,
                                 struct lanes base)
{
    struct lane_machine *machine = frame->machine;
    const struct type *type = base.pointee;
    const struct symbol *name = tree_symbol(machine->model->unit, node);
    if (!type || !name)
        return place_with(lanes_unknown());
    if (type->kind == TYPE_VECTOR && name->len == 1 && type->element) {
        const char *at = strchr("xyzw", name->text[0]);
        if (!at)
            return place_with(lanes_unknown());
        base = address_add(machine, base, TOK_PLUS, lanes_int(at - "xyzw"), type->element->size);
        base.pointee = type->element;
        return place_at(base);
    }
    const struct type_member *member = find_member(type, name);
    if (!member)
        return place_with(lanes_unknown());
    base = address_add(machine, base, TOK_PLUS, lanes_int((int64_t)member->offset), 1);
    base.pointee = member->type;
    return place_at(base);
}

bool lane_coordinate(struct lane_machine *machine, const char *name, unsigned axis,
                     struct lanes *res)
{
    if (!strcmp(name, "threadIdx"))
        *res = lane_thread_index(machine, axis);
    else if (!strcmp(name, "blockDim"))
        *res = lanes_int(machine->block[axis]);
    else if (!strcmp(name, "blockIdx"))
        *res = lanes_atom(ATOM_BLOCK_INDEX, axis);
    else if (!strcmp(name, "gridDim"))
        *res = lanes_atom(ATOM_GRID_SIZE, axis);
    else
        return false;
    res->is_signed = false;
    return true;
}

/* threadIdx.x and the like; false where NODE is none. */
static bool coordinate(struct lane_frame *frame, const struct node *node, struct lanes *res)
{
    struct lane_machine *machine = frame->machine;
    const struct unit *unit = machine->model->unit;
    const struct node *object = node->kids;
    const struct symbol *name = tree_symbol(unit, node);
    if (object->kind != NODE_NAME || object->flags & (NAME_QUALIFIED | NAME_TEMPLATE) || !name ||
        name->len != 1)
        return false;
    const char *axis = strchr("xyz", name->text[0]);
    return axis && !lane_find(&frame->env, tree_symbol(unit, object)) &&
           lane_coordinate(machine, tree_symbol(unit, object)->text, (unsigned)(axis - "xyz"), res);
}

/* The member of VALUE called NAME, or NULL. */
static const struct lane_member *member_named(const struct lanes *value, const char *name)
{
    for (unsigned i = 0; value->record && i < value->record->count; ++i)
        if (value->record->members[i].name && !strcmp(value->record->members[i].name, name))
            return &value->record->members[i];
    return NULL;
}

static struct place member(struct lane_frame *frame, const struct node *node)
{
    struct lanes value;
    if (coordinate(frame, node, &value))
        return place_with(value);
    struct place object;
    if (node->op == TOK_ARROW) {
        object.lanes = lane_value_of(frame, node->kids);
        object.is_address = object.lanes.object;
    } else {
        object = place_of(frame, node->kids);
    }
    if (object.is_address)
        return member_place(frame, node, object.lanes);
    const struct symbol *name = tree_symbol(frame->machine->model->unit, node);
    const struct lane_member *found = name ? member_named(&object.lanes, name->text) : NULL;
    if (found)
        return place_with(found->value);
    return place_with(
        loaded(frame, lanes_uniform(&object.lanes), type_of(frame->machine->model, node)));
}

/* Element INDEX of ARRAY, a small one in registers. */
static struct lanes element(struct lane_frame *frame, const struct lanes *array, struct lanes index)
{
    struct lane_machine *machine = frame->machine;
    const struct lane_record *record = array->record;
    if (index.state != LANES_KNOWN || index.bytes == 0)
        return loaded(frame, false, record->members[0].type);
    if (!index.values)
        return index.base < 0 || (int64_t)record->count <= index.base
                   ? loaded(frame, false, record->members[0].type)
                   : record->members[index.base].value;
    struct lanes res = record->members[0].value;
    for (unsigned i = 1; i < record->count; ++i) {
        struct lanes here = lanes_binary(machine, TOK_EQUAL, index, lanes_int(i));
        res = lanes_choose(machine, here, record->members[i].value, res);
    }
    return res;
}

static bool is_array(const struct lanes *value)
{
    return value->record && value->record->count && !value->record->members[0].name;
}

static struct place indexed(struct lane_frame *frame, const struct node *node)
{
    struct place array = place_of(frame, node->kids);
    if (!array.is_address && is_array(&array.lanes))
        return place_with(element(frame, &array.lanes, lane_value_of(frame, node->kids->next)));
    struct lanes base = array.is_address ? value_at(frame, array.lanes) : array.lanes;
    if (!base.object && node->kids->kind != NODE_NAME && node->kids->kind != NODE_MEMBER)
        lane_note(frame, node->kids, base);
    struct lanes index = lane_value_of(frame, node->kids->next);
    if (base.object && base.pointee)
        return place_at(address_add(frame->machine, base, TOK_PLUS, index, base.pointee->size));
    return place_with(loaded(frame, lanes_uniform(&base) && lanes_uniform(&index),
                             type_of(frame->machine->model, node)));
}

static struct place dereferenced(struct lane_frame *frame, const struct node *node)
{
    struct lanes pointer = lane_value_of(frame, node->kids);
    if (pointer.object)
        return place_at(pointer);
    return place_with(loaded(frame, lanes_uniform(&pointer), type_of(frame->machine->model, node)));
}

static struct place place_of(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    if (!lane_step(machine) || LANE_MAX_NESTING <= machine->nesting)
        return place_with(lanes_unknown());
    struct place res = place_with(lanes_unknown());
    machine->nesting++;
    switch (node->kind) {
    case NODE_NAME:
        res = name_place(frame, node);
        break;
    case NODE_INDEX:
        res = indexed(frame, node);
        break;
    case NODE_MEMBER:
        res = member(frame, node);
        break;
    case NODE_UNARY:
        if (node->op == TOK_STAR)
            res = dereferenced(frame, node);
        else
            res = place_with(lane_value_of(frame, node));
        break;
    default:
        res = place_with(lane_value_of(frame, node));
        break;
    }
    machine->nesting--;
    if (res.is_address)
        lane_note_address(frame, node, res.lanes);
    return res;
}

struct lanes lane_address_of(struct lane_frame *frame, const struct node *node)
{
    struct place place = place_of(frame, node);
    return place.is_address ? place.lanes : lanes_unknown();
}

/* The variable that NODE is, or is a part of, or NULL. */
static struct lane_variable *root_variable(struct lane_frame *frame, const struct node *node)
{
    while (node->kind == NODE_INDEX || (node->kind == NODE_MEMBER && node->op != TOK_ARROW))
        node = node->kids;
    if (node->kind != NODE_NAME)
        return NULL;
    struct lane_variable *res =
        lane_find(&frame->env, tree_symbol(frame->machine->model->unit, node));
    return lane_referred(&frame->env, res);
}

/* What NODE names may be changed in ways that nobody sees. */
static void escape(struct lane_frame *frame, const struct node *node)
{
    struct lane_variable *variable = root_variable(frame, node);
    if (variable && !variable->is_shared) {
        variable->escaped = true;
        lane_forget(frame, variable);
    }
}

static struct lanes value_of_place(struct lane_frame *frame, const struct node *node)
{
    struct place place = place_of(frame, node);
    if (place.is_address)
        return value_at(frame, place.lanes);
    if (is_array(&place.lanes)) { /* its address goes somewhere */
        escape(frame, node);
        return lanes_unknown();
    }
    return place.lanes;
}

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
    struct lane_variable *variable = root_variable(frame, target);
    if (!variable || variable->is_shared || variable->escaped)
        return lanes_unknown();
    machine->quiet++;
    struct lanes res = place_of(frame, target).lanes;
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
        struct lane_variable *variable = root_variable(frame, target);
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
    struct lane_variable *variable = root_variable(frame, target);
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
        return address_add(machine, a, op, b, a.pointee ? a.pointee->size : 0);
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
            struct lane_variable *variable = root_variable(frame, kid);
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
        if (!root_variable(frame, callee->kids))
            lane_value_of(frame, callee->kids);
        else if (!root_variable(frame, callee->kids)->is_shared)
            lane_forget(frame, root_variable(frame, callee->kids));
        return lanes_unknown();
    }
    const struct symbol *name = callee->kind == NODE_NAME ? tree_symbol(model->unit, callee) : NULL;
    if (!name) {
        lane_value_of(frame, callee);
        return lanes_unknown();
    }
    struct lane_variable *local = root_variable(frame, callee);
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
        return value_of_place(frame, node);
    case TOK_AMP: {
        struct lanes address = lane_address_of(frame, node->kids);
        if (address.object)
            return address;
        escape(frame, node->kids);
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
        return value_of_place(frame, node);
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
                               ? constant_value(&constant)
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
