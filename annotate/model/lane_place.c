/* Lvalues: where an expression lies in shared memory, or else its value; what names, members and
   elements are.  */
#include <config.h>

#include "annotate/model/lane_place_p.h"

#include <string.h>

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

struct lanes lane_constant(const struct constant *constant)
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

struct lanes lane_address_add(struct lane_machine *machine, struct lanes address,
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

static struct lane_place place_at(struct lanes address)
{
    return (struct lane_place){address, true};
}

static struct lane_place place_with(struct lanes value)
{
    return (struct lane_place){value, false};
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

/* A constant; false where NODE is none that is known. */
static bool constant_name(struct lane_frame *frame, const struct node *node,
                          const struct name_meaning *meaning, struct lanes *res)
{
    struct lane_machine *machine = frame->machine;
    struct constant constant;
    if (!constant_of(machine->model, node, &constant) || !constant.count)
        return false;
    *res = lane_constant(&constant);
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

static struct lane_place other_name(struct lane_frame *frame, const struct node *node)
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

static struct lane_place name_place(struct lane_frame *frame, const struct node *node)
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
    return (struct lane_place){variable->value, variable->is_shared};
}

/* .x to .w of a vector, a member of a record. */
static struct lane_place member_place(struct lane_frame *frame, const struct node *node,
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
        base =
            lane_address_add(machine, base, TOK_PLUS, lanes_int(at - "xyzw"), type->element->size);
        base.pointee = type->element;
        return place_at(base);
    }
    const struct type_member *member = find_member(type, name);
    if (!member)
        return place_with(lanes_unknown());
    base = lane_address_add(machine, base, TOK_PLUS, lanes_int((int64_t)member->offset), 1);
    base.pointee = member->type;
    return place_at(base);
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

static struct lane_place member(struct lane_frame *frame, const struct node *node)
{
    struct lanes value;
    if (coordinate(frame, node, &value))
        return place_with(value);
    struct lane_place object;
    if (node->op == TOK_ARROW) {
        object.lanes = lane_value_of(frame, node->kids);
        object.is_address = object.lanes.object;
    } else {
        object = lane_place_of(frame, node->kids);
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

static struct lane_place indexed(struct lane_frame *frame, const struct node *node)
{
    struct lane_place array = lane_place_of(frame, node->kids);
    if (!array.is_address && is_array(&array.lanes))
        return place_with(element(frame, &array.lanes, lane_value_of(frame, node->kids->next)));
    struct lanes base = array.is_address ? value_at(frame, array.lanes) : array.lanes;
    if (!base.object && node->kids->kind != NODE_NAME && node->kids->kind != NODE_MEMBER)
        lane_note(frame, node->kids, base);
    struct lanes index = lane_value_of(frame, node->kids->next);
    if (base.object && base.pointee)
        return place_at(
            lane_address_add(frame->machine, base, TOK_PLUS, index, base.pointee->size));
    return place_with(loaded(frame, lanes_uniform(&base) && lanes_uniform(&index),
                             type_of(frame->machine->model, node)));
}

static struct lane_place dereferenced(struct lane_frame *frame, const struct node *node)
{
    struct lanes pointer = lane_value_of(frame, node->kids);
    if (pointer.object)
        return place_at(pointer);
    return place_with(loaded(frame, lanes_uniform(&pointer), type_of(frame->machine->model, node)));
}

struct lane_place lane_place_of(struct lane_frame *frame, const struct node *node)
{
    struct lane_machine *machine = frame->machine;
    if (!lane_step(machine) || LANE_MAX_NESTING <= machine->nesting)
        return place_with(lanes_unknown());
    struct lane_place res = place_with(lanes_unknown());
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
    struct lane_place place = lane_place_of(frame, node);
    return place.is_address ? place.lanes : lanes_unknown();
}

struct lane_variable *lane_root_variable(struct lane_frame *frame, const struct node *node)
{
    while (node->kind == NODE_INDEX || (node->kind == NODE_MEMBER && node->op != TOK_ARROW))
        node = node->kids;
    if (node->kind != NODE_NAME)
        return NULL;
    struct lane_variable *res =
        lane_find(&frame->env, tree_symbol(frame->machine->model->unit, node));
    return lane_referred(&frame->env, res);
}

void lane_escape(struct lane_frame *frame, const struct node *node)
{
    struct lane_variable *variable = lane_root_variable(frame, node);
    if (variable && !variable->is_shared) {
        variable->escaped = true;
        lane_forget(frame, variable);
    }
}

struct lanes lane_place_value(struct lane_frame *frame, const struct node *node)
{
    struct lane_place place = lane_place_of(frame, node);
    if (place.is_address)
        return value_at(frame, place.lanes);
    if (is_array(&place.lanes)) { /* its address goes somewhere */
        lane_escape(frame, node);
        return lanes_unknown();
    }
    return place.lanes;
}
