/* Operations on values that are known, thread by thread.  */
#include <config.h>

#include "annotate/model/lane_value_p.h"

static bool may_fail(enum token_kind op)
{
    return lanes_is_shift(op) || op == TOK_SLASH || op == TOK_PERCENT;
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
        int64_t base = keep ? lanes->base : lanes_wrap(lanes->base, type->bytes, type->is_signed);
        for (unsigned i = 0; i < count; ++i)
            room[i] = base;
        return room;
    }
    for (unsigned i = 0; i < count; ++i)
        room[i] = lanes_wrap(lanes->values[i], type->bytes, type->is_signed);
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
            values[i] = lanes_wrap(values[i], bytes, is_signed);
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

struct lanes lanes_known_binary(struct lane_machine *machine, enum token_kind op, struct lanes type,
                                struct lanes result, const struct lanes *a, const struct lanes *b)
{
    result.state = LANES_KNOWN;
    if (!a->values && !b->values) {
        int64_t left = lanes_wrap(a->base, type.bytes, type.is_signed);
        int64_t right =
                    lanes_is_shift(op) ? b->base : lanes_wrap(b->base, type.bytes, type.is_signed),
                value;
        if (!operate(machine, op, &left, &right, 1, type.bytes, type.is_signed, &value))
            return lanes_unknown_like(result, a, b);
        result.base = lanes_wrap(value, result.bytes, result.is_signed);
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
    const int64_t *y = operand(b, &type, lanes_is_shift(op), machine->threads, right);
    int64_t *values = lanes_room(machine);
    if (!operate(machine, op, x, y, machine->threads, type.bytes, type.is_signed, values))
        return lanes_unknown_like(result, a, b);
    if (!lanes_is_comparison(op))
        wrap_all(values, machine->threads, result.bytes, result.is_signed);
    result.values = values;
    key.res = lanes_settled(machine, result);
    /* Threads that are not there may have no result: it is good for this place alone. */
    if (!machine->active || !may_fail(op))
        *kept = key;
    return key.res;
}
