/* The arithmetic of lanes. A shifted value is v[i] + u with an unknown u that all threads share, a
   multiple of `step`; operations keep what can still be said.

   Unknowns are told apart by their `shift`: each parameter, each coordinate of blockIdx and so on
   is an atom with a random number, and the shift of a sum of multiples of atoms is the sum of those
   multiples of their numbers. So the shift of what cancels out is 0, as in
   `(blockIdx.x * 256 + threadIdx.x) - blockIdx.x * 256`, and the rest is known. What other
   operations make of unknowns is an atom of its own, made of the operation and its operands.  */
#include <config.h>

#include "annotate/model/lane_value_p.h"

#include <string.h>

struct lanes lanes_unknown(void)
{
    return (struct lanes){.state = LANES_UNKNOWN, .bytes = 4, .is_signed = true};
}

struct lanes lanes_int(int64_t value)
{
    return (struct lanes){.state = LANES_KNOWN, .bytes = 4, .is_signed = true, .base = value};
}

struct lanes lanes_some(int64_t base, uint64_t step)
{
    return (struct lanes){
        .state = LANES_SHIFTED, .bytes = 4, .is_signed = true, .base = base, .step = step};
}

uint64_t lanes_mix(uint64_t a, uint64_t b)
{
    uint64_t h = a * 0x9e3779b97f4a7c15u + b;
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
    h ^= h >> 33;
    return h ? h : 1;
}

struct lanes lanes_atom(unsigned family, uint64_t which)
{
    struct lanes res = lanes_some(0, 1);
    res.shift = lanes_mix(lanes_mix(family, 0), which);
    return res;
}

struct lanes lanes_named(struct lane_machine *machine, struct lanes lanes)
{
    if (lanes.state == LANES_SHIFTED && lanes.shift == 0)
        lanes.shift = lanes_mix(lanes_mix(ATOM_VALUE, 0), ++machine->atoms);
    return lanes;
}

int64_t *lanes_room(struct lane_machine *machine)
{
    enum { MOST = 32 << 20 };
    size_t size = machine->threads * sizeof(int64_t);
    machine->bytes += size;
    if (MOST < machine->bytes)
        machine->steps = 0; /* what follows is not known */
    return arena_alloc(&machine->arena, size);
}

struct lanes lanes_settled(const struct lane_machine *machine, struct lanes lanes)
{
    if (!lanes.values)
        return lanes;
    for (unsigned i = 1; i < machine->threads; ++i)
        if (lanes.values[i] != lanes.values[0])
            return lanes;
    lanes.base = lanes.values[0];
    lanes.values = NULL;
    return lanes;
}

struct lanes lanes_of(struct lane_machine *machine, const int64_t *values)
{
    return lanes_settled(
        machine,
        (struct lanes){.state = LANES_KNOWN, .bytes = 4, .is_signed = true, .values = values});
}

uint64_t lanes_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The type of an operation on A and B. */
static void promote(struct lanes *a, const struct lanes *b)
{
    unsigned left = a->bytes < 4 ? 4 : a->bytes, right = b->bytes < 4 ? 4 : b->bytes;
    bool left_signed = a->bytes < 4 || a->is_signed, right_signed = b->bytes < 4 || b->is_signed;
    if (a->bytes == 0 || b->bytes == 0) {
        a->bytes = 0;
        a->is_signed = true;
        return;
    }
    a->bytes = (uint8_t)(left < right ? right : left);
    if (left == right)
        a->is_signed = left_signed && right_signed;
    else
        a->is_signed = left < right ? right_signed : left_signed;
}

struct lanes lanes_unknown_like(struct lanes type, const struct lanes *a, const struct lanes *b)
{
    struct lanes res = {.state = LANES_UNKNOWN, .bytes = type.bytes, .is_signed = type.is_signed};
    bool left = lanes_uniform(a) || (a->state == LANES_UNKNOWN && a->wave_uniform);
    bool right = !b || lanes_uniform(b) || (b->state == LANES_UNKNOWN && b->wave_uniform);
    res.wave_uniform = left && right;
    return res;
}

struct lanes lanes_some_like(struct lanes type, int64_t base, uint64_t step)
{
    return (struct lanes){.state = LANES_SHIFTED,
                          .bytes = type.bytes,
                          .is_signed = type.is_signed,
                          .base = base,
                          .step = step ? step : 1};
}

uint64_t lanes_identity(const struct lanes *a)
{
    if (a->state == LANES_SHIFTED && a->shift == 0)
        return 0;
    return lanes_mix(a->state == LANES_SHIFTED ? a->shift : 0, (uint64_t)a->base);
}

struct lanes lanes_some_result(struct lanes type, enum token_kind op, const struct lanes *a,
                               const struct lanes *b)
{
    struct lanes res = lanes_some_like(type, 0, 1);
    uint64_t left = lanes_identity(a), right = lanes_identity(b);
    if (left && right && type.bytes)
        res.shift =
            lanes_mix(lanes_mix(left, right), (uint64_t)op << 8 | type.bytes << 1 | type.is_signed);
    return res;
}

/* a && b, a || b */
static struct lanes logical(struct lane_machine *machine, enum token_kind op, struct lanes a,
                            struct lanes b)
{
    bool left, right, left_known = lanes_decided(machine, &a, &left),
                      right_known = lanes_decided(machine, &b, &right);
    bool decides = op == TOK_OR_OR; /* the value of one side that decides */
    struct lanes type = lanes_int(0);
    type.bytes = 1;
    type.is_signed = false;
    if ((left_known && left == decides) || (right_known && right == decides)) {
        type.base = decides;
        return type;
    }
    if (a.state == LANES_KNOWN && b.state == LANES_KNOWN) {
        int64_t *values = lanes_room(machine);
        for (unsigned i = 0; i < machine->threads; ++i)
            values[i] =
                decides ? lanes_at(&a, i) || lanes_at(&b, i) : lanes_at(&a, i) && lanes_at(&b, i);
        type.values = values;
        return lanes_settled(machine, type);
    }
    if (lanes_uniform(&a) && lanes_uniform(&b))
        return lanes_some_result(type, op, &a, &b);
    return lanes_unknown_like(type, &a, &b);
}

struct lanes lanes_binary(struct lane_machine *machine, enum token_kind op, struct lanes a,
                          struct lanes b)
{
    if (op == TOK_AND_AND || op == TOK_OR_OR)
        return logical(machine, op, a, b);
    struct lanes type = a;
    if (lanes_is_shift(op)) { /* the left operand's */
        struct lanes as_int = lanes_int(0);
        promote(&type, &as_int);
    } else {
        promote(&type, &b);
    }
    struct lanes result = {.bytes = type.bytes, .is_signed = type.is_signed};
    if (lanes_is_comparison(op)) {
        result.bytes = 1;
        result.is_signed = false;
    }
    if (a.object || b.object || a.record || b.record)
        return lanes_unknown_like(result, &a, &b);
    if (a.state == LANES_UNKNOWN || b.state == LANES_UNKNOWN)
        return lanes_unknown_like(result, &a, &b);
    if (type.bytes == 0) /* floating: only that it is uniform */
        return lanes_uniform(&a) && lanes_uniform(&b) ? lanes_some_like(result, 0, 1)
                                                      : lanes_unknown_like(result, &a, &b);
    if (a.state == LANES_KNOWN && b.state == LANES_KNOWN)
        return lanes_known_binary(machine, op, type, result, &a, &b);
    return lanes_shifted_binary(machine, op, result, a, b);
}

struct lanes lanes_unary(struct lane_machine *machine, enum token_kind op, struct lanes a)
{
    struct lanes zero = lanes_int(0);
    switch (op) {
    case TOK_PLUS:
        return lanes_binary(machine, TOK_PLUS, a, zero);
    case TOK_MINUS:
        return lanes_binary(machine, TOK_MINUS, zero, a);
    case TOK_TILDE:
        return lanes_binary(machine, TOK_MINUS, lanes_binary(machine, TOK_MINUS, zero, a),
                            lanes_int(1));
    case TOK_BANG:
        return lanes_binary(machine, TOK_EQUAL, a, zero);
    default:
        return lanes_unknown_like(a, &a, NULL);
    }
}

struct lanes lanes_convert(struct lane_machine *machine, struct lanes a, unsigned bytes,
                           bool is_signed)
{
    struct lanes res = a;
    res.bytes = (uint8_t)bytes;
    res.is_signed = is_signed;
    if (a.object || a.state == LANES_UNKNOWN)
        return res;
    if (bytes == 0 || a.bytes == 0) {
        if (bytes == a.bytes)
            return res;
        return lanes_uniform(&a) ? lanes_some_like(res, 0, 1) : lanes_unknown_like(res, &a, NULL);
    }
    if (a.state == LANES_SHIFTED) {
        if (bytes < 4 && a.bytes != bytes)
            return lanes_uniform(&a) ? lanes_some_result(res, TOK_CAST, &a, &a)
                                     : lanes_unknown_like(res, &a, NULL);
        return res;
    }
    if (!a.values) {
        res.base = lanes_wrap(a.base, bytes, is_signed);
        return res;
    }
    int64_t *values = NULL;
    for (unsigned i = 0; i < machine->threads; ++i) {
        int64_t value = lanes_wrap(a.values[i], bytes, is_signed);
        if (!values && value != a.values[i]) {
            values = lanes_room(machine);
            memcpy(values, a.values, i * sizeof *values);
        }
        if (values)
            values[i] = value;
    }
    if (values)
        res.values = values;
    return lanes_settled(machine, res);
}

/* CONDITION ? A : B of two records, member by member. */
static struct lanes choose_members(struct lane_machine *machine, struct lanes condition,
                                   struct lanes a, struct lanes b)
{
    const struct lane_record *from = a.record, *with = b.record;
    if (from->count != with->count)
        return lanes_unknown();
    for (unsigned i = 0; i < from->count; ++i) {
        const struct lane_member *left = &from->members[i], *right = &with->members[i];
        if (left->name != right->name &&
            (!left->name || !right->name || strcmp(left->name, right->name)))
            return lanes_unknown();
    }
    struct lane_record *res = lanes_record(machine, from->count);
    for (unsigned i = 0; i < from->count; ++i) {
        res->members[i].name = from->members[i].name;
        res->members[i].value =
            lanes_choose(machine, condition, from->members[i].value, with->members[i].value);
    }
    a.record = res;
    return a;
}

/* A in the type of TYPE. */
static struct lanes converted_like(struct lane_machine *machine, struct lanes a, struct lanes type)
{
    if (a.object || a.record || (a.bytes == type.bytes && a.is_signed == type.is_signed))
        return a;
    return lanes_convert(machine, a, type.bytes, type.is_signed);
}

struct lanes lanes_choose(struct lane_machine *machine, struct lanes condition, struct lanes a,
                          struct lanes b)
{
    bool decided;
    struct lanes type = a;
    if (a.bytes != b.bytes || a.is_signed != b.is_signed)
        promote(&type, &b);
    if (lanes_decided(machine, &condition, &decided))
        return converted_like(machine, decided ? a : b, type);
    if (lanes_identical(&a, &b))
        return a;
    if (a.record && b.record)
        return choose_members(machine, condition, a, b);
    if (a.object != b.object || a.record || b.record)
        return lanes_unknown_like(type, &a, &b);
    if (lanes_same(machine, &a, &b))
        return converted_like(machine, a, type);
    bool alike = a.state == b.state && a.state != LANES_UNKNOWN &&
                 (a.state == LANES_KNOWN || (a.shift && a.shift == b.shift)) && a.bytes && b.bytes;
    if (condition.state == LANES_KNOWN && alike) {
        int64_t *values = lanes_room(machine);
        bool bits = type.bytes == 4 && a.state == LANES_KNOWN && !a.object;
        for (unsigned i = 0; i < machine->threads; ++i) {
            int64_t value = lanes_at(&condition, i) ? lanes_at(&a, i) : lanes_at(&b, i);
            values[i] = bits ? lanes_wrap(value, type.bytes, type.is_signed) : value;
        }
        struct lanes res = a;
        res.bytes = type.bytes;
        res.is_signed = type.is_signed;
        res.values = values;
        res.step = lanes_gcd(lanes_step(&a), lanes_step(&b));
        return lanes_settled(machine, res);
    }
    uint64_t step = 0;
    if (lanes_uniform(&condition) && lanes_differ_uniformly(machine, &a, &b, &step) && a.bytes &&
        b.bytes) {
        a.state = LANES_SHIFTED;
        a.step = step;
        a.shift = 0;
        a.bytes = type.bytes;
        a.is_signed = type.is_signed;
        return a;
    }
    if (lanes_uniform(&condition) && lanes_uniform(&a) && lanes_uniform(&b) && !a.object)
        return lanes_some_like(type, 0, 1);
    struct lanes res = lanes_unknown_like(type, &a, &b);
    res.wave_uniform &= lanes_uniform(&condition) || condition.wave_uniform;
    return res;
}

bool lanes_identical(const struct lanes *a, const struct lanes *b)
{
    return a->state == b->state && a->bytes == b->bytes && a->is_signed == b->is_signed &&
           a->wave_uniform == b->wave_uniform && a->base == b->base && a->values == b->values &&
           a->object == b->object && a->pointee == b->pointee && a->record == b->record &&
           (a->state != LANES_SHIFTED || (a->step == b->step && a->shift && a->shift == b->shift));
}

struct lane_record *lanes_record(struct lane_machine *machine, unsigned count)
{
    struct lane_record *res =
        arena_zalloc(&machine->arena, 1, sizeof *res + count * sizeof *res->members);
    res->count = count;
    return res;
}

bool lanes_same(const struct lane_machine *machine, const struct lanes *a, const struct lanes *b)
{
    /* Two shifted values need not have the same shift. */
    if (a->state != b->state || a->state == LANES_UNKNOWN || a->object != b->object || a->record ||
        b->record || (a->state == LANES_SHIFTED && (a->shift == 0 || a->shift != b->shift)))
        return false;
    if (a->values == b->values)
        return a->values || a->base == b->base;
    for (unsigned i = 0; i < machine->threads; ++i)
        if (lanes_at(a, i) != lanes_at(b, i))
            return false;
    return true;
}

bool lanes_differ_uniformly(const struct lane_machine *machine, const struct lanes *a,
                            const struct lanes *b, uint64_t *step)
{
    if (a->state == LANES_UNKNOWN || b->state == LANES_UNKNOWN || a->object != b->object ||
        a->record || b->record)
        return false;
    if (a->bytes == 0 || b->bytes == 0)
        return lanes_uniform(a) && lanes_uniform(b);
    int64_t difference = (int64_t)((uint64_t)lanes_at(b, 0) - (uint64_t)lanes_at(a, 0));
    if (a->values || b->values)
        for (unsigned i = 1; i < machine->threads; ++i)
            if ((int64_t)((uint64_t)lanes_at(b, i) - (uint64_t)lanes_at(a, i)) != difference)
                return false;
    *step = lanes_gcd(lanes_gcd(lanes_step(a), lanes_step(b)), lanes_magnitude(difference));
    return true;
}

struct lanes lanes_join(const struct lane_machine *machine, struct lanes a, struct lanes b)
{
    if (lanes_same(machine, &a, &b))
        return a;
    /* Where whole blocks go either way, both stay uniform; whether they do the caller knows. */
    return lanes_unknown_like(a, &a, &b);
}

bool lanes_decided(const struct lane_machine *machine, const struct lanes *a, bool *res)
{
    if (a->state != LANES_KNOWN || a->bytes == 0 || a->object || a->record)
        return false;
    *res = lanes_at(a, 0) != 0;
    if (!a->values)
        return true;
    bool has[2] = {false, false};
    for (unsigned i = 0; i < machine->threads; ++i)
        if (lane_is_active(machine, i))
            has[a->values[i] != 0] = true;
    *res = has[1];
    return !has[0] || !has[1];
}
