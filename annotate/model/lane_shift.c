/* Operations on shifted values, v[i] + u: what can still be said of the result.  */
#include <config.h>

#include "annotate/model/lane_value_p.h"

/* The operation on the known parts alone, as the known part of a shifted result. */
static struct lanes shifted_by_parts(struct lane_machine *machine, enum token_kind op,
                                     struct lanes type, struct lanes a, struct lanes b,
                                     uint64_t step)
{
    /* In 64 bits: the parts alone may be negative where the sum is not. */
    struct lanes wide = {.bytes = 8, .is_signed = true};
    struct lanes res = lanes_known_binary(machine, op, wide, wide, &a, &b);
    if (res.state == LANES_UNKNOWN)
        return lanes_unknown_like(type, &a, &b);
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
            res = lanes_settled(machine, res);
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
        if (lanes_magnitude(lanes_at(a, i)) % of)
            return false;
    return true;
}

/* The largest power of two that divides VALUE (not 0). */
static uint64_t low_bit(uint64_t value)
{
    return value & -value;
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
            shifted_by_parts(machine, TOK_STAR, type, a, b, a.step * lanes_magnitude(b.base));
        return with_shift(res, a.shift, a.shift * (uint64_t)b.base);
    }
    if (lanes_uniform(&a) && lanes_uniform(&b)) {
        /* (v + u) (w + t) = v w + ... */
        uint64_t step = lanes_gcd(lanes_gcd(lanes_magnitude(a.base) * lanes_step(&b),
                                            lanes_magnitude(b.base) * lanes_step(&a)),
                                  lanes_step(&a) * lanes_step(&b));
        struct lanes res =
            lanes_some_like(type, (int64_t)((uint64_t)a.base * (uint64_t)b.base), step);
        /* The product is the same in either order. */
        uint64_t left = lanes_identity(&a), right = lanes_identity(&b);
        if (left && right)
            res.shift = lanes_mix(lanes_mix(left + right, left ^ right), TOK_STAR);
        return res;
    }
    return lanes_unknown_like(type, &a, &b);
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
                res.shift = lanes_mix(lanes_mix(a.shift, (uint64_t)by), op);
            return res;
        }
        a.state = LANES_KNOWN;
        return lanes_known_binary(machine, op, type, type, &a, &number);
    }
    struct lanes number = lanes_int(by);
    return lanes_uniform(&a) ? lanes_some_result(type, op, &a, &number)
                             : lanes_unknown_like(type, &a, NULL);
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
            return lanes_known_binary(machine, TOK_AMP, type, type, &a, &b);
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
        return lanes_some_result(type, TOK_AMP, &a, &b);
    return lanes_unknown_like(type, &a, &b);
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
        return lanes_some_result(type, op, &a, &b);
    return lanes_unknown_like(type, &a, &b);
}

struct lanes lanes_shifted_binary(struct lane_machine *machine, enum token_kind op,
                                  struct lanes type, struct lanes a, struct lanes b)
{
    uint64_t step = lanes_gcd(lanes_step(&a), lanes_step(&b));
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
        if (lanes_is_comparison(op) && a.state == b.state && a.shift && a.shift == b.shift) {
            /* What both have more cancels out. */
            struct lanes wide = {.bytes = 8, .is_signed = true};
            a.state = b.state = LANES_KNOWN;
            return lanes_known_binary(machine, op, wide, type, &a, &b);
        }
        break;
    }
    if (lanes_uniform(&a) && lanes_uniform(&b))
        return lanes_some_result(type, op, &a, &b);
    return lanes_unknown_like(type, &a, &b);
}
