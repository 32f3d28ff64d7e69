/* The arithmetic of lanes. A shifted value is v[i] + u with an unknown u that all threads share, a
   multiple of `step`; operations keep what can still be said.

   Unknowns are told apart by their `shift`: each parameter, each coordinate of blockIdx and so on
   is an atom with a random number, and the shift of a sum of multiples of atoms is the sum of those
   multiples of their numbers. So the shift of what cancels out is 0, as in
   `(blockIdx.x * 256 + threadIdx.x) - blockIdx.x * 256`, and the rest is known. What other
   operations make of unknowns is an atom of its own, made of the operation and its operands.  */
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

/* The bits of A and B, mixed: the finalizer of MurmurHash3. Never 0. */
static uint64_t mix(uint64_t a, uint64_t b)
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
    res.shift = mix(mix(family, 0), which);
    return res;
}

struct lanes lanes_named(struct lane_machine *machine, struct lanes lanes)
{
    if (lanes.state == LANES_SHIFTED && lanes.shift == 0)
        lanes.shift = mix(mix(ATOM_VALUE, 0), ++machine->atoms);
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

/* What makes up A, which is the same for all threads; 0: nobody knows. */
static uint64_t identity(const struct lanes *a)
{
    if (a->state == LANES_SHIFTED && a->shift == 0)
        return 0;
    return mix(a->state == LANES_SHIFTED ? a->shift : 0, (uint64_t)a->base);
}

/* A OP B of two that are the same for all threads: so is it. */
static struct lanes some_result(struct lanes type, enum token_kind op, const struct lanes *a,
                                const struct lanes *b)
{
    struct lanes res = some_like(type, 0, 1);
    uint64_t left = identity(a), right = identity(b);
    if (left && right && type.bytes)
        res.shift = mix(mix(left, right), (uint64_t)op << 8 | type.bytes << 1 | type.is_signed);
    return res;
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

static bool may_fail(enum token_kind op)
{
    return is_shift(op) || op == TOK_SLASH || op == TOK_PERCENT;
}

/* One operation of C that may have no result; false where it has none. */
static bool divide_or_shift(enum token_kind op, int64_t a, int64_t b, unsigned bytes,
                            bool is_signed, int64_t *res)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    unsigned width = bytes * 8;
    switch (op) {
    case TOK_SLASH:
    case TOK_PERCENT:
        if (b == 0 || (is_signed && a == INT64_MIN && b == -1))
            return false;
        if (is_signed)
            *res = op == TOK_SLASH ? a / b : a % b;
        else
            *res = (int64_t)(op == TOK_SLASH ? ua / ub : ua % ub);
        return true;
    case TOK_SHIFT_LEFT:
        if (b < 0 || width <= (uint64_t)b)
            return false; /* undefined in C */
        *res = (int64_t)(ua << b);
        return true;
    default:
        if (b < 0 || width <= (uint64_t)b)
            return false;
        *res = is_signed ? a >> b : (int64_t)(ua >> b);
        return true;
    }
}

/* The values of LANES in TYPE, COUNT of them, in ROOM where they are others than LANES has. */
static const int64_t *operand(const struct lanes *lanes, const struct lanes *type, bool keep,
                              unsigned count, int64_t *room)
{
    bool fits = keep || (lanes->bytes == type->bytes && lanes->is_signed == type->is_signed) ||
                (lanes->bytes < type->bytes && (type->is_signed || !lanes->is_signed));
    if (lanes->values && fits)
        return lanes->values;
    if (!lanes->values) {
        int64_t base = keep ? lanes->base : wrap(lanes->base, type->bytes, type->is_signed);
        for (unsigned i = 0; i < count; ++i)
            room[i] = base;
        return room;
    }
    for (unsigned i = 0; i < count; ++i)
        room[i] = wrap(lanes->values[i], type->bytes, type->is_signed);
    return room;
}

static void wrap_all(int64_t *values, unsigned count, unsigned bytes, bool is_signed)
{
    if (bytes == 4 && is_signed)
        for (unsigned i = 0; i < count; ++i)
            values[i] = (int32_t)values[i];
    else if (bytes == 4)
        for (unsigned i = 0; i < count; ++i)
            values[i] = (uint32_t)values[i];
    else if (bytes < 4)
        for (unsigned i = 0; i < count; ++i)
            values[i] = wrap(values[i], bytes, is_signed);
}

#define EACH(value)                                      \
    for (unsigned i = 0; i < count; ++i) {               \
        uint64_t a = (uint64_t)x[i], b = (uint64_t)y[i]; \
        res[i] = (int64_t)(value);                       \
    }                                                    \
    return true
#define COMPARE(op)                          \
    if (is_signed) {                         \
        for (unsigned i = 0; i < count; ++i) \
            res[i] = x[i] op y[i];           \
        return true;                         \
    }                                        \
    EACH(a op b)

/* X OP Y for each of COUNT threads; false where one that may be there has no result. */
static bool operate(const struct lane_machine *machine, enum token_kind op, const int64_t *x,
                    const int64_t *y, unsigned count, unsigned bytes, bool is_signed, int64_t *res)
{
    switch (op) {
    case TOK_PLUS:
        EACH(a + b);
    case TOK_MINUS:
        EACH(a - b);
    case TOK_STAR:
        EACH(a * b);
    case TOK_AMP:
        EACH(a & b);
    case TOK_PIPE:
        EACH(a | b);
    case TOK_CARET:
        EACH(a ^ b);
    case TOK_EQUAL:
        EACH(a == b);
    case TOK_NOT_EQUAL:
        EACH(a != b);
    case TOK_LESS:
        COMPARE(<);
    case TOK_GREATER:
        COMPARE(>);
    case TOK_LESS_EQUAL:
        COMPARE(<=);
    case TOK_GREATER_EQUAL:
        COMPARE(>=);
    case TOK_SLASH:
    case TOK_PERCENT:
    case TOK_SHIFT_LEFT:
    case TOK_SHIFT_RIGHT:
        for (unsigned i = 0; i < count; ++i)
            if (!divide_or_shift(op, x[i], y[i], bytes, is_signed, &res[i])) {
                if (count == 1 || lane_is_active(machine, i))
                    return false;
                res[i] = 0;
            }
        return true;
    default:
        return false;
    }
}

/* The last operations are kept: index arithmetic repeats itself, and loops are run several times.
 */
enum { OPERATIONS = 128 };

struct lane_operation {
    const int64_t *values[2];
    int64_t bases[2];
    uint8_t op, bytes, is_signed, result_bytes;
    uint8_t operand[2]; /* bytes and sign of the operands */
    struct lanes res;
};

static struct lane_operation *find_operation(struct lane_machine *machine,
                                             const struct lane_operation *key)
{
    if (!machine->operations)
        machine->operations = arena_zalloc(&machine->arena, OPERATIONS, sizeof *key);
    uint64_t hash = key->op;
    for (int i = 0; i < 2; ++i)
        hash = (hash ^ (uintptr_t)key->values[i] ^ (uint64_t)key->bases[i]) * 0x9e3779b97f4a7c15u;
    return &machine->operations[hash >> 32 & (OPERATIONS - 1)];
}

static bool same_operation(const struct lane_operation *a, const struct lane_operation *b)
{
    return a->op == b->op && a->bytes == b->bytes && a->is_signed == b->is_signed &&
           a->result_bytes == b->result_bytes && a->values[0] == b->values[0] &&
           a->values[1] == b->values[1] && a->bases[0] == b->bases[0] &&
           a->bases[1] == b->bases[1] && a->operand[0] == b->operand[0] &&
           a->operand[1] == b->operand[1];
}

/* The operation on known values. TYPE is that of the operation, RESULT that of what comes out. */
static struct lanes known_binary(struct lane_machine *machine, enum token_kind op,
                                 struct lanes type, struct lanes result, const struct lanes *a,
                                 const struct lanes *b)
{
    result.state = LANES_KNOWN;
    if (!a->values && !b->values) {
        int64_t left = wrap(a->base, type.bytes, type.is_signed);
        int64_t right = is_shift(op) ? b->base : wrap(b->base, type.bytes, type.is_signed), value;
        if (!operate(machine, op, &left, &right, 1, type.bytes, type.is_signed, &value))
            return unknown_like(result, a, b);
        result.base = wrap(value, result.bytes, result.is_signed);
        return result;
    }
    struct lane_operation key = {
        .values = {a->values, b->values},
        .bases = {a->values ? 0 : a->base, b->values ? 0 : b->base},
        .op = (uint8_t)op,
        .bytes = type.bytes,
        .is_signed = type.is_signed,
        .result_bytes = result.bytes,
        .operand = {(uint8_t)(a->bytes << 1 | a->is_signed),
                    (uint8_t)(b->bytes << 1 | b->is_signed)},
    };
    struct lane_operation *kept = find_operation(machine, &key);
    if (kept->res.state == LANES_KNOWN && same_operation(kept, &key))
        return kept->res;
    int64_t left[LANES_MAX], right[LANES_MAX];
    const int64_t *x = operand(a, &type, false, machine->threads, left);
    const int64_t *y = operand(b, &type, is_shift(op), machine->threads, right);
    int64_t *values = lanes_room(machine);
    if (!operate(machine, op, x, y, machine->threads, type.bytes, type.is_signed, values))
        return unknown_like(result, a, b);
    if (!is_comparison(op))
        wrap_all(values, machine->threads, result.bytes, result.is_signed);
    result.values = values;
    key.res = settled(machine, result);
    /* Threads that are not there may have no result: it is good for this place alone. */
    if (!machine->active || !may_fail(op))
        *kept = key;
    return key.res;
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
    if (type.bytes == 4) {
        /* An unsigned part may be what was negative. */
        res.base = (int32_t)res.base;
        bool fits = true;
        for (unsigned i = 0; res.values && i < machine->threads && fits; ++i)
            fits = res.values[i] == (int32_t)res.values[i];
        if (!fits) {
            int64_t *values = lanes_room(machine);
            for (unsigned i = 0; i < machine->threads; ++i)
                values[i] = (int32_t)res.values[i];
            res.values = values;
            res = settled(machine, res);
        }
    }
    res.state = LANES_SHIFTED;
    res.step = step ? step : 1;
    res.bytes = type.bytes;
    res.is_signed = type.is_signed;
    return res;
}

/* RES, whose shift is SHIFT: where that is nothing, its values are known. */
static struct lanes with_shift(struct lanes res, bool is_named, uint64_t shift)
{
    if (res.state != LANES_SHIFTED)
        return res;
    res.shift = is_named ? shift : 0;
    if (is_named && shift == 0)
        res.state = LANES_KNOWN;
    return res;
}

static bool is_named(const struct lanes *a)
{
    return a->state == LANES_KNOWN || a->shift;
}

static uint64_t shift_of(const struct lanes *a)
{
    return a->state == LANES_SHIFTED ? a->shift : 0;
}

/* A + B, A - B */
static struct lanes shifted_sum(struct lane_machine *machine, enum token_kind op, struct lanes type,
                                struct lanes a, struct lanes b, uint64_t step)
{
    struct lanes res = shifted_by_parts(machine, op, type, a, b, step);
    uint64_t shift = op == TOK_PLUS ? shift_of(&a) + shift_of(&b) : shift_of(&a) - shift_of(&b);
    res = with_shift(res, is_named(&a) && is_named(&b), shift);
    if (res.state == LANES_KNOWN)
        res = lanes_convert(machine, res, type.bytes, type.is_signed);
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
    if (is_number(&b)) {
        struct lanes res =
            shifted_by_parts(machine, TOK_STAR, type, a, b, a.step * magnitude(b.base));
        return with_shift(res, a.shift, a.shift * (uint64_t)b.base);
    }
    if (lanes_uniform(&a) && lanes_uniform(&b)) {
        /* (v + u) (w + t) = v w + ... */
        uint64_t step =
            lanes_gcd(lanes_gcd(magnitude(a.base) * step_of(&b), magnitude(b.base) * step_of(&a)),
                      step_of(&a) * step_of(&b));
        struct lanes res = some_like(type, (int64_t)((uint64_t)a.base * (uint64_t)b.base), step);
        /* The product is the same in either order. */
        uint64_t left = identity(&a), right = identity(&b);
        if (left && right)
            res.shift = mix(mix(left + right, left ^ right), TOK_STAR);
        return res;
    }
    return unknown_like(type, &a, &b);
}

/* A shifted value divided by a number: what the shift divides without rest goes through. */
static struct lanes shifted_divide(struct lane_machine *machine, enum token_kind op,
                                   struct lanes type, struct lanes a, int64_t by)
{
    if (0 < by && a.step % (uint64_t)by == 0 && all_within(machine, &a, 0, INT64_MAX)) {
        struct lanes number = lanes_int(by);
        if (op == TOK_SLASH) {
            struct lanes res =
                shifted_by_parts(machine, op, type, a, number, a.step / (uint64_t)by);
            if (a.shift && res.state == LANES_SHIFTED)
                res.shift = mix(mix(a.shift, (uint64_t)by), op);
            return res;
        }
        a.state = LANES_KNOWN;
        return known_binary(machine, op, type, type, &a, &number);
    }
    struct lanes number = lanes_int(by);
    return lanes_uniform(&a) ? some_result(type, op, &a, &number) : unknown_like(type, &a, NULL);
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
            struct lanes res = shifted_by_parts(machine, TOK_AMP, type, a, wide, a.step);
            return with_shift(res, a.shift, a.shift); /* the shift is as it was */
        }
    }
    if (lanes_uniform(&a) && lanes_uniform(&b))
        return some_result(type, TOK_AMP, &a, &b);
    return unknown_like(type, &a, &b);
}

/* a | b and a ^ b where the bits of one lie below those of the other: a + b. */
static struct lanes shifted_or(struct lane_machine *machine, enum token_kind op, struct lanes type,
                               struct lanes a, struct lanes b)
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
            return shifted_sum(machine, TOK_PLUS, type, a, b, a.step);
    }
    if (lanes_uniform(&a) && lanes_uniform(&b))
        return some_result(type, op, &a, &b);
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
        return shifted_sum(machine, op, type, a, b, step);
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
        return shifted_or(machine, op, type, a, b);
    default:
        if (is_comparison(op) && a.state == b.state && a.shift && a.shift == b.shift) {
            /* What both have more cancels out. */
            struct lanes wide = {.bytes = 8, .is_signed = true};
            a.state = b.state = LANES_KNOWN;
            return known_binary(machine, op, wide, type, &a, &b);
        }
        break;
    }
    if (lanes_uniform(&a) && lanes_uniform(&b))
        return some_result(type, op, &a, &b);
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
        return some_result(type, op, &a, &b);
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
    if (a.object || b.object || a.record || b.record)
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
            return lanes_uniform(&a) ? some_result(res, TOK_CAST, &a, &a)
                                     : unknown_like(res, &a, NULL);
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
        return unknown_like(type, &a, &b);
    if (lanes_same(machine, &a, &b))
        return converted_like(machine, a, type);
    bool alike = a.state == b.state && a.state != LANES_UNKNOWN &&
                 (a.state == LANES_KNOWN || (a.shift && a.shift == b.shift)) && a.bytes && b.bytes;
    if (condition.state == LANES_KNOWN && alike) {
        int64_t *values = lanes_room(machine);
        bool bits = type.bytes == 4 && a.state == LANES_KNOWN && !a.object;
        for (unsigned i = 0; i < machine->threads; ++i) {
            int64_t value = lanes_at(&condition, i) ? lanes_at(&a, i) : lanes_at(&b, i);
            values[i] = bits ? wrap(value, type.bytes, type.is_signed) : value;
        }
        struct lanes res = a;
        res.bytes = type.bytes;
        res.is_signed = type.is_signed;
        res.values = values;
        res.step = lanes_gcd(step_of(&a), step_of(&b));
        return settled(machine, res);
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
        return some_like(type, 0, 1);
    struct lanes res = unknown_like(type, &a, &b);
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
