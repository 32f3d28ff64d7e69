/* Values as their types have them, and the built-in coordinates of threads and blocks.  */
#include <config.h>

#include "annotate/model/lane_p.h"

#include <string.h>

/* Types. */

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

/* Coordinates. */

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

struct lanes lane_coordinates(struct lane_machine *machine, const char *name)
{
    struct lanes values[3];
    for (unsigned i = 0; i < 3; ++i)
        lane_coordinate(machine, name, i, &values[i]);
    return lane_record_of(machine, type_builtin("uint3"), values, 3);
}
