/* Single values with the types of C, and the operators on them.  */
#include <config.h>

#include "annotate/model/value_p.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/model/constant.h"
#include "annotate/model/query_p.h"

/* Values. */

const struct scalar scalar_int = {4, true, false};
const struct scalar scalar_bool = {1, false, true};
const struct scalar scalar_long = {8, true, false};
const struct scalar scalar_size = {8, false, false};

struct value value_convert(struct value value, struct scalar type)
{
    struct value res = {value.bits, type};
    if (type.is_bool)
        res.bits = value.bits != 0;
    else if (type.bytes < 8) {
        unsigned shift = 64 - 8 * type.bytes;
        uint64_t bits = (uint64_t)value.bits << shift;
        res.bits = type.is_signed ? (int64_t)bits >> shift : (int64_t)(bits >> shift);
    }
    return res;
}

bool type_scalar(const struct type *type, struct scalar *res)
{
    if (type->kind == TYPE_BOOL)
        *res = scalar_bool;
    else if (type->kind == TYPE_INTEGER && type->size && type->size <= 8)
        *res = (struct scalar){(uint8_t)type->size, type->is_signed, false};
    else
        return false;
    return true;
}

static struct scalar promote(struct scalar type)
{
    return type.bytes < 4 ? scalar_int : type;
}

struct scalar value_common(struct scalar a, struct scalar b)
{
    a = promote(a);
    b = promote(b);
    if (a.bytes != b.bytes)
        return a.bytes < b.bytes ? b : a;
    return a.is_signed ? b : a;
}

bool values_add(struct values *values, struct value value)
{
    for (unsigned i = 0; i < values->count; ++i)
        if (values->items[i].bits == value.bits &&
            values->items[i].type.bytes == value.type.bytes &&
            values->items[i].type.is_signed == value.type.is_signed)
            return true;
    if (CONSTANT_VALUES <= values->count)
        return false;
    values->items[values->count++] = value;
    return true;
}

bool values_join(struct values *values, const struct values *more)
{
    for (unsigned i = 0; i < more->count; ++i)
        if (!values_add(values, more->items[i]))
            return false;
    return true;
}

bool values_one(struct values *res, int64_t bits, struct scalar type)
{
    res->count = 1;
    res->items[0] = value_convert((struct value){bits, type}, type);
    return true;
}

/* Literals. */

/* The letters behind the digits: u, l, ll, z in any order and case. */
static bool literal_suffix(const char *text, bool *is_unsigned, unsigned *longs)
{
    *is_unsigned = false;
    *longs = 0;
    for (; *text; ++text) {
        switch (tolower((unsigned char)*text)) {
        case 'u':
            *is_unsigned = true;
            break;
        case 'l':
        case 'z':
            ++*longs;
            break;
        default:
            return false;
        }
    }
    return *longs <= 2;
}

static int digit_value(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10
                                        : 99;
}

bool value_number(const char *text, struct value *res)
{
    int base = 10;
    if (text[0] == '0' && (text[1] | 32) == 'x') {
        base = 16;
        text += 2;
    } else if (text[0] == '0' && (text[1] | 32) == 'b') {
        base = 2;
        text += 2;
    } else if (text[0] == '0') {
        base = 8;
    }
    uint64_t bits = 0;
    bool any = false;
    for (; digit_value(*text) < base || (*text == '\'' && any); ++text) {
        if (*text == '\'')
            continue;
        if (UINT64_MAX / (unsigned)base < bits ||
            UINT64_MAX - (unsigned)digit_value(*text) < bits * (unsigned)base)
            return false;
        bits = bits * (unsigned)base + (unsigned)digit_value(*text);
        any = true;
    }
    bool is_unsigned;
    unsigned longs;
    if (!any || !literal_suffix(text, &is_unsigned, &longs))
        return false;
    res->bits = (int64_t)bits;
    res->type = scalar_int;
    res->type.is_signed = !is_unsigned;
    if (longs || (is_unsigned || base != 10 ? UINT32_MAX : INT32_MAX) < bits)
        res->type.bytes = 8;
    else if (INT32_MAX < bits)
        res->type.is_signed = false;
    if (res->type.bytes == 8 && INT64_MAX < bits)
        res->type.is_signed = false;
    return true;
}

static bool character_value(const char *text, struct value *res)
{
    static const char escapes[] = "a\ab\bf\fn\nr\rt\tv\v\\\\''\"\"??";
    const char *quote = strchr(text, '\'');
    if (!quote || (quote != text && *text != 'u' && *text != 'U' && *text != 'L'))
        return false;
    const char *at = quote + 1;
    long bits = (unsigned char)*at;
    if (*at == '\\') {
        ++at;
        char *end;
        if (*at == 'x') {
            bits = strtol(at + 1, &end, 16);
            at = end - 1;
        } else if ('0' <= *at && *at <= '7') {
            bits = strtol(at, &end, 8);
            at = end - 1;
        } else {
            const char *escape = NULL;
            for (const char *e = escapes; *e; e += 2)
                if (*e == *at)
                    escape = e + 1;
            if (!escape)
                return false;
            bits = *escape;
        }
    }
    if (!*at || at[1] != '\'')
        return false;
    res->type = quote == text ? (struct scalar){1, true, false} : scalar_int;
    res->bits = bits;
    *res = value_convert(*res, res->type);
    return true;
}

/* The text of the literal at TOKEN without line splices; false where it is too long for one. */
static bool literal_text(const struct unit *unit, uint32_t token, char *buffer, size_t size)
{
    const struct token *t = unit_token(unit, token);
    const char *text = unit->source->text + t->offset;
    size_t len = 0;
    for (uint32_t i = 0; i < t->length; ++i) {
        if (text[i] == '\\' && i + 1 < t->length && (text[i + 1] == '\n' || text[i + 1] == '\r')) {
            while (i + 1 < t->length && (text[i + 1] == '\n' || text[i + 1] == '\r'))
                ++i;
            continue;
        }
        if (size <= len + 1)
            return false;
        buffer[len++] = text[i];
    }
    buffer[len] = '\0';
    return true;
}

bool value_literal(const struct unit *unit, const struct node *node, struct value *res)
{
    char text[128];
    if (!literal_text(unit, node->token, text, sizeof text))
        return false;
    return node->kind == NODE_NUMBER ? value_number(text, res) : character_value(text, res);
}

bool constant_literal(const struct unit *unit, const struct node *node, int64_t *value,
                      unsigned *bytes, bool *is_signed)
{
    struct value res;
    if ((node->kind != NODE_NUMBER && node->kind != NODE_CHARACTER) ||
        !value_literal(unit, node, &res))
        return false;
    *value = res.bits;
    *bytes = res.type.bytes;
    *is_signed = res.type.is_signed;
    return true;
}

/* Operators. */

bool value_less(struct value a, struct value b)
{
    return a.type.is_signed ? a.bits < b.bits : (uint64_t)a.bits < (uint64_t)b.bits;
}

static bool shift(unsigned op, struct value a, struct value b, struct value *res)
{
    struct scalar type = promote(a.type);
    if (b.bits < 0 || 8 * type.bytes <= b.bits)
        return false;
    res->type = type;
    a = value_convert(a, type);
    if (op == TOK_SHIFT_LEFT)
        res->bits = (int64_t)((uint64_t)a.bits << b.bits);
    else
        res->bits = type.is_signed ? a.bits >> b.bits : (int64_t)((uint64_t)a.bits >> b.bits);
    return true;
}

static bool divide(unsigned op, struct value a, struct value b, int64_t *bits)
{
    if (!b.bits)
        return false;
    if (!a.type.is_signed) {
        uint64_t x = (uint64_t)a.bits, y = (uint64_t)b.bits;
        *bits = (int64_t)(op == TOK_SLASH ? x / y : x % y);
        return true;
    }
    if (b.bits == -1) {
        /* The least number has no opposite. */
        if (a.bits == (a.type.bytes == 8 ? INT64_MIN : INT32_MIN))
            return false;
        *bits = op == TOK_SLASH ? -a.bits : 0;
        return true;
    }
    *bits = op == TOK_SLASH ? a.bits / b.bits : a.bits % b.bits;
    return true;
}

/* a + b, a - b, a * b; false where a signed type overflows. */
static bool calculate(unsigned op, struct value a, struct value b, int64_t *bits)
{
    bool overflow;
    if (op == TOK_PLUS)
        overflow = __builtin_add_overflow(a.bits, b.bits, bits);
    else if (op == TOK_MINUS)
        overflow = __builtin_sub_overflow(a.bits, b.bits, bits);
    else
        overflow = __builtin_mul_overflow(a.bits, b.bits, bits);
    if (!a.type.is_signed)
        return true;
    return !overflow && value_convert((struct value){*bits, a.type}, a.type).bits == *bits;
}

bool value_binary(unsigned op, struct value a, struct value b, struct value *res)
{
    if (op == TOK_SHIFT_LEFT || op == TOK_SHIFT_RIGHT) {
        if (!shift(op, a, b, res))
            return false;
        *res = value_convert(*res, res->type);
        return true;
    }
    struct scalar type = value_common(a.type, b.type);
    a = value_convert(a, type);
    b = value_convert(b, type);
    res->type = type;
    switch (op) {
    case TOK_PLUS:
    case TOK_MINUS:
    case TOK_STAR:
        if (!calculate(op, a, b, &res->bits))
            return false;
        break;
    case TOK_SLASH:
    case TOK_PERCENT:
        if (!divide(op, a, b, &res->bits))
            return false;
        break;
    case TOK_AMP:
        res->bits = a.bits & b.bits;
        break;
    case TOK_PIPE:
        res->bits = a.bits | b.bits;
        break;
    case TOK_CARET:
        res->bits = a.bits ^ b.bits;
        break;
    default:
        res->type = scalar_bool;
        switch (op) {
        case TOK_LESS:
            res->bits = value_less(a, b);
            break;
        case TOK_GREATER:
            res->bits = value_less(b, a);
            break;
        case TOK_LESS_EQUAL:
            res->bits = !value_less(b, a);
            break;
        case TOK_GREATER_EQUAL:
            res->bits = !value_less(a, b);
            break;
        case TOK_EQUAL:
            res->bits = a.bits == b.bits;
            break;
        case TOK_NOT_EQUAL:
            res->bits = a.bits != b.bits;
            break;
        default:
            return false;
        }
        return true;
    }
    *res = value_convert(*res, type);
    return true;
}

bool value_unary(unsigned op, struct value a, struct value *res)
{
    if (op == TOK_BANG) {
        *res = (struct value){!a.bits, scalar_bool};
        return true;
    }
    struct scalar type = promote(a.type);
    a = value_convert(a, type);
    res->type = type;
    switch (op) {
    case TOK_PLUS:
        res->bits = a.bits;
        return true;
    case TOK_MINUS:
        return value_binary(TOK_MINUS, (struct value){0, type}, a, res);
    case TOK_TILDE:
        res->bits = ~a.bits;
        break;
    default:
        return false;
    }
    *res = value_convert(*res, type);
    return true;
}
