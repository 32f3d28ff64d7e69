/* The arithmetic of lanes. A shifted value is v[i] + u with an unknown u that all threads share, a
   multiple of `step`; operations keep what can still be said.  */
#include <config.h>

#include "annotate/model/lane_p.h"

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

int64_t *lanes_room(struct lane_machine *machine)
{
    return arena_alloc(&machine->arena, machine->threads * sizeof(int64_t));
}

/* LANES, whose values may all be the same. */
static struct lanes settled(const struct lane_machine *machine, struct lanes lanes)
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
    return settled(
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

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* VALUE brought to a C type. */
static int64_t wrap(int64_t value, unsigned bytes, bool is_signed)
{
    switch (bytes) {
    case 1:
        return is_signed ? (int64_t)(int8_t)value : (int64_t)(uint8_t)value;
    case 2:
        return is_signed ? (int64_t)(int16_t)value : (int64_t)(uint16_t)value;
    case 4:
        return is_signed ? (int64_t)(int32_t)value : (int64_t)(uint32_t)value;
    default:
        return value;
    }
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

/* An unknown value of the type of A and B. */
static struct lanes unknown_like(struct lanes type, const struct lanes *a, const struct lanes *b)
{
    struct lanes res = {.state = LANES_UNKNOWN, .bytes = type.bytes, .is_signed = type.is_signed};
    bool left = lanes_uniform(a) || (a->state == LANES_UNKNOWN && a->wave_uniform);
    bool right = !b || lanes_uniform(b) || (b->state == LANES_UNKNOWN && b->wave_uniform);
    res.wave_uniform = left && right;
    return res;
}

static struct lanes some_like(struct lanes type, int64_t base, uint64_t step)
{
    return (struct lanes){.state = LANES_SHIFTED,
                          .bytes = type.bytes,
                          .is_signed = type.is_signed,
                          .base = base,
                          .step = step ? step : 1};
}

/* One operation of C; false where it has no result. */
static bool operate(enum token_kind op, int64_t a, int64_t b, unsigned bytes, bool is_signed,
                    int64_t *res)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    unsigned width = bytes * 8;
    switch (op) {
    case TOK_PLUS:
        *res = (int64_t)(ua + ub);
        return true;
    case TOK_MINUS:
        *res = (int64_t)(ua - ub);
        return true;
    case TOK_STAR:
        *res = (int64_t)(ua * ub);
        return true;
    case TOK_SLASH:
    case TOK_PERCENT:
        if (b == 0 || (is_signed && a == INT64_MIN && b == -1))
            return false;
        if (is_signed)
            *res = op == TOK_SLASH ? a / b : a % b;
        else
            *res = (int64_t)(op == TOK_SLASH ? ua / ub : ua % ub);
        return true;
    case TOK_AMP:
        *res = a & b;
        return true;
    case TOK_PIPE:
        *res = a | b;
        return true;
    case TOK_CARET:
        *res = a ^ b;
        return true;
    case TOK_SHIFT_LEFT:
        if (b < 0 || width <= (uint64_t)b)
            return false; /* undefined in C */
        *res = (int64_t)(ua << b);
        return true;
    case TOK_SHIFT_RIGHT:
        if (b < 0 || width <= (uint64_t)b)
            return false;
        *res = is_signed ? a >> b : (int64_t)(ua >> b);
        return true;
    case TOK_LESS:
        *res = is_signed ? a < b : ua < ub;
        return true;
    case TOK_GREATER:
        *res = is_signed ? a > b : ua > ub;
        return true;
    case TOK_LESS_EQUAL:
        *res = is_signed ? a <= b : ua <= ub;
        return true;
    case TOK_GREATER_EQUAL:
        *res = is_signed ? a >= b : ua >= ub;
        return true;
    case TOK_EQUAL:
        *res = a == b;
        return true;
    case TOK_NOT_EQUAL:
        *res = a != b;
        return true;
    default:
        return false;
    }
}

static bool is_comparison(enum token_kind op)
{
    return op == TOK_LESS || op == TOK_GREATER || op == TOK_LESS_EQUAL || op == TOK_GREATER_EQUAL ||
           op == TOK_EQUAL || op == TOK_NOT_EQUAL;
}

static bool is_shift(enum token_kind op)
{
    return op == TOK_SHIFT_LEFT || op == TOK_SHIFT_RIGHT;
}

/* The operation on known values. TYPE is that of the operation, RESULT that of what comes out. */
static struct lanes known_binary(struct lane_machine *machine, enum token_kind op,
                                 struct lanes type, struct lanes result, const struct lanes *a,
                                 const struct lanes *b)
{
    unsigned count = a->values || b->values ? machine->threads : 1;
    int64_t *values = count == 1 ? NULL : lanes_room(machine);
    result.state = LANES_KNOWN;
    result.values = values;
    for (unsigned i = 0; i < count; ++i) {
        int64_t left = wrap(lanes_at(a, i), type.bytes, type.is_signed);
        int64_t right = lanes_at(b, i), value;
        if (!is_shift(op))
            right = wrap(right, type.bytes, type.is_signed);
        if (!operate(op, left, right, type.bytes, type.is_signed, &value))
            return unknown_like(result, a, b);
        value = wrap(value, result.bytes, result.is_signed);
        if (values)
            values[i] = value;
        else
            result.base = value;
    }
    return settled(machine, result);
}

/* The operation on the known parts alone, as the known part of a shifted result. */
static struct lanes shifted_by_parts(struct lane_machine *machine, enum token_kind op,
                                     struct lanes type, struct lanes a, struct lanes b,
                                     uint64_t step)
{
    /* In 64 bits: the parts alone may be negative where the sum is not. */
    struct lanes wide = {.bytes = 8, .is_signed = true};
    struct lanes res = known_binary(machine, op, wide, wide, &a, &b);
    if (res.state == LANES_UNKNOWN)
        return unknown_like(type, &a, &b);
    res.state = LANES_SHIFTED;
    res.step = step ? step : 1;
    res.bytes = type.bytes;
    res.is_signed = type.is_signed;
    return res;
}

static bool all_within(const struct lane_machine *machine, const struct lanes *a, int64_t low,
                       int64_t high)
{
    for (unsigned i = 0; i < (a->values ? machine->threads : 1); ++i)
        if (lanes_at(a, i) < low || high < lanes_at(a, i))
            return false;
    return true;
}

static bool all_multiples(const struct lane_machine *machine, const struct lanes *a, uint64_t of)
{
    for (unsigned i = 0; i < (a->values ? machine->threads : 1); ++i)
        if (magnitude(lanes_at(a, i)) % of)
            return false;
    return true;
}

/* The largest power of two that divides VALUE (not 0). */
static uint64_t low_bit(uint64_t value)
{
    return value & -value;
}

/* The step of a value: 0 for a known one. */
static uint64_t step_of(const struct lanes *a)
{
    return a->state == LANES_SHIFTED ? a->step : 0;
}

static bool is_number(const struct lanes *a)
{
    return a->state == LANES_KNOWN && !a->values;
}

static struct lanes shifted_multiply(struct lane_machine *machine, struct lanes type,
                                     struct lanes a, struct lanes b)
{
    if (is_number(&a)) {
        struct lanes swap = a;
        a = b;
        b = swap;
    }
    if (is_number(&b))
        return shifted_by_parts(machine, TOK_STAR, type, a, b, a.step * magnitude(b.base));
    if (lanes_uniform(&a) && lanes_uniform(&b)) {
        /* (v + u) (w + t) = v w + ... */
        uint64_t step =
            lanes_gcd(lanes_gcd(magnitude(a.base) * step_of(&b), magnitude(b.base) * step_of(&a)),
                      step_of(&a) * step_of(&b));
        return some_like(type, (int64_t)((uint64_t)a.base * (uint64_t)b.base), step);
    }
    return unknown_like(type, &a, &b);
}

/* A shifted value divided by a number: what the shift divides without rest goes through. */
static struct lanes shifted_divide(struct lane_machine *machine, enum token_kind op,
                                   struct lanes type, struct lanes a, int64_t by)
{
    if (0 < by && a.step % (uint64_t)by == 0 && all_within(machine, &a, 0, INT64_MAX)) {
        struct lanes number = lanes_int(by);
        if (op == TOK_SLASH)
            return shifted_by_parts(machine, op, type, a, number, a.step / (uint64_t)by);
        a.state = LANES_KNOWN;
        return known_binary(machine, op, type, type, &a, &number);
    }
    return lanes_uniform(&a) ? some_like(type, 0, 1) : unknown_like(type, &a, NULL);
}

static struct lanes shifted_and(struct lane_machine *machine, struct lanes type, struct lanes a,
                                struct lanes b)
{
    if (is_number(&a)) {
        struct lanes swap = a;
        a = b;
        b = swap;
    }
    if (is_number(&b) && a.state == LANES_SHIFTED) {
        uint64_t mask = (uint64_t)b.base;
        if (type.bytes == 4)
            mask &= 0xffffffffu;
        uint64_t step = low_bit(a.step);
        if (mask < step) { /* the shift does not reach these bits */
            a.state = LANES_KNOWN;
            return known_binary(machine, TOK_AMP, type, type, &a, &b);
        }
        /* x & ~(2^k - 1) with a shift that is a multiple of 2^k */
        uint64_t low = low_bit(mask);
        uint64_t full = type.bytes == 4 ? 0xffffffffu : UINT64_MAX;
        if (mask && mask == (full & ~(low - 1)) && a.step % low == 0) {
            struct lanes wide = b;
            wide.base = (int64_t) ~(low - 1);
            return shifted_by_parts(machine, TOK_AMP, type, a, wide, a.step);
        }
    }
    if (lanes_uniform(&a) && lanes_uniform(&b))
        return some_like(type, 0, 1);
    return unknown_like(type, &a, &b);
}

/* a | b and a ^ b where the bits of one lie below those of the other: a + b. */
static struct lanes shifted_or(struct lane_machine *machine, struct lanes type, struct lanes a,
                               struct lanes b)
{
    if (a.state == LANES_KNOWN) {
        struct lanes swap = a;
        a = b;
        b = swap;
    }
    if (b.state == LANES_KNOWN) {
        uint64_t below = low_bit(a.step);
        while (1 < below && !all_multiples(machine, &a, below))
            below >>= 1;
        if (1 < below && below < INT64_MAX && all_within(machine, &b, 0, (int64_t)below - 1))
            return shifted_by_parts(machine, TOK_PLUS, type, a, b, a.step);
    }
    if (lanes_uniform(&a) && lanes_uniform(&b))
        return some_like(type, 0, 1);
    return unknown_like(type, &a, &b);
}

/* Where at least one of A and B is shifted. */
static struct lanes shifted_binary(struct lane_machine *machine, enum token_kind op,
                                   struct lanes type, struct lanes a, struct lanes b)
{
    uint64_t step = lanes_gcd(step_of(&a), step_of(&b));
    switch (op) {
    case TOK_PLUS:
    case TOK_MINUS:
        return shifted_by_parts(machine, op, type, a, b, step);
    case TOK_STAR:
        return shifted_multiply(machine, type, a, b);
    case TOK_SHIFT_LEFT:
        if (is_number(&b) && 0 <= b.base && b.base < 62)
            return shifted_multiply(machine, type, a, lanes_int((int64_t)1 << b.base));
        break;
    case TOK_SHIFT_RIGHT:
        if (is_number(&b) && 0 <= b.base && b.base < 62)
            return shifted_divide(machine, TOK_SLASH, type, a, (int64_t)1 << b.base);
        break;
    case TOK_SLASH:
    case TOK_PERCENT:
        if (is_number(&b))
            return shifted_divide(machine, op, type, a, b.base);
        break;
    case TOK_AMP:
        return shifted_and(machine, type, a, b);
    case TOK_PIPE:
    case TOK_CARET:
        return shifted_or(machine, type, a, b);
    default:
        break;
    }
    if (lanes_uniform(&a) && lanes_uniform(&b))
        return some_like(type, 0, 1);
    return unknown_like(type, &a, &b);
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
        return settled(machine, type);
    }
    if (lanes_uniform(&a) && lanes_uniform(&b))
        return some_like(type, 0, 1);
    return unknown_like(type, &a, &b);
}

struct lanes lanes_binary(struct lane_machine *machine, enum token_kind op, struct lanes a,
                          struct lanes b)
{
    if (op == TOK_AND_AND || op == TOK_OR_OR)
        return logical(machine, op, a, b);
    struct lanes type = a;
    if (is_shift(op)) { /* the left operand's */
        struct lanes as_int = lanes_int(0);
        promote(&type, &as_int);
    } else {
        promote(&type, &b);
    }
    struct lanes result = {.bytes = type.bytes, .is_signed = type.is_signed};
    if (is_comparison(op)) {
        result.bytes = 1;
        result.is_signed = false;
    }
    if (a.object || b.object)
        return unknown_like(result, &a, &b);
    if (a.state == LANES_UNKNOWN || b.state == LANES_UNKNOWN)
        return unknown_like(result, &a, &b);
    if (type.bytes == 0) /* floating: only that it is uniform */
        return lanes_uniform(&a) && lanes_uniform(&b) ? some_like(result, 0, 1)
                                                      : unknown_like(result, &a, &b);
    if (a.state == LANES_KNOWN && b.state == LANES_KNOWN)
        return known_binary(machine, op, type, result, &a, &b);
    return shifted_binary(machine, op, result, a, b);
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
        return unknown_like(a, &a, NULL);
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
        return lanes_uniform(&a) ? some_like(res, 0, 1) : unknown_like(res, &a, NULL);
    }
    if (a.state == LANES_SHIFTED) {
        if (bytes < 4 && a.bytes != bytes)
            return lanes_uniform(&a) ? some_like(res, 0, 1) : unknown_like(res, &a, NULL);
        return res;
    }
    if (!a.values) {
        res.base = wrap(a.base, bytes, is_signed);
        return res;
    }
    int64_t *values = NULL;
    for (unsigned i = 0; i < machine->threads; ++i) {
        int64_t value = wrap(a.values[i], bytes, is_signed);
        if (!values && value != a.values[i]) {
            values = lanes_room(machine);
            memcpy(values, a.values, i * sizeof *values);
        }
        if (values)
            values[i] = value;
    }
    if (values)
        res.values = values;
    return settled(machine, res);
}

struct lanes lanes_choose(struct lane_machine *machine, struct lanes condition, struct lanes a,
                          struct lanes b)
{
    bool decided;
    if (lanes_decided(machine, &condition, &decided))
        return decided ? a : b;
    struct lanes type = a;
    promote(&type, &b);
    if (a.object != b.object)
        return unknown_like(type, &a, &b);
    if (condition.state == LANES_KNOWN && a.state == LANES_KNOWN && b.state == LANES_KNOWN) {
        int64_t *values = lanes_room(machine);
        for (unsigned i = 0; i < machine->threads; ++i)
            values[i] = lanes_at(&condition, i) ? lanes_at(&a, i) : lanes_at(&b, i);
        struct lanes res = a;
        res.bytes = type.bytes;
        res.is_signed = type.is_signed;
        res.values = values;
        return settled(machine, res);
    }
    if (lanes_same(machine, &a, &b))
        return a;
    if (lanes_uniform(&condition) && lanes_uniform(&a) && lanes_uniform(&b) && !a.object)
        return some_like(type, 0, 1);
    struct lanes res = unknown_like(type, &a, &b);
    res.wave_uniform &= lanes_uniform(&condition) || condition.wave_uniform;
    return res;
}

bool lanes_same(const struct lane_machine *machine, const struct lanes *a, const struct lanes *b)
{
    /* Two shifted values need not have the same shift. */
    if (a->state != LANES_KNOWN || b->state != LANES_KNOWN || a->object != b->object)
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
    if (a->state == LANES_UNKNOWN || b->state == LANES_UNKNOWN || a->object != b->object)
        return false;
    if (a->bytes == 0 || b->bytes == 0)
        return lanes_uniform(a) && lanes_uniform(b);
    int64_t difference = (int64_t)((uint64_t)lanes_at(b, 0) - (uint64_t)lanes_at(a, 0));
    if (a->values || b->values)
        for (unsigned i = 1; i < machine->threads; ++i)
            if ((int64_t)((uint64_t)lanes_at(b, i) - (uint64_t)lanes_at(a, i)) != difference)
                return false;
    *step = lanes_gcd(lanes_gcd(step_of(a), step_of(b)), magnitude(difference));
    return true;
}

struct lanes lanes_join(const struct lane_machine *machine, struct lanes a, struct lanes b)
{
    if (lanes_same(machine, &a, &b))
        return a;
    /* Where whole blocks go either way, both stay uniform; whether they do the caller knows. */
    return unknown_like(a, &a, &b);
}

bool lanes_decided(const struct lane_machine *machine, const struct lanes *a, bool *res)
{
    if (a->state != LANES_KNOWN || a->bytes == 0)
        return false;
    *res = lanes_at(a, 0) != 0;
    if (a->values)
        for (unsigned i = 1; i < machine->threads; ++i)
            if ((a->values[i] != 0) != *res)
                return false;
    return true;
}
