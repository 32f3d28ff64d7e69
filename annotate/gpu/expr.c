#include <config.h>

#include "annotate/gpu/expr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

enum {
    MAX_NODES = 1000, /* also the deepest evaluation: a chain is as deep as it is long */
    MAX_DEPTH = 100,  /* of parentheses, unary operators and ?: */
};

enum op {
    OP_NUMBER,
    OP_NAME,
    OP_CAST,
    OP_PLUS,
    OP_MINUS,
    OP_INVERT,
    OP_NOT,
    OP_CHOOSE, /* a ? b : c */
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
    OP_ADD,
    OP_SUBTRACT,
    OP_LEFT,
    OP_RIGHT,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_AND,
    OP_XOR,
    OP_OR,
    OP_BOTH,
    OP_EITHER,
};

struct expr {
    enum op op;
    enum expr_type type;     /* of the value */
    enum expr_type operands; /* that both operands are brought to, where that is not TYPE */
    size_t column;
    int64_t number; /* of OP_NUMBER; the index of OP_NAME */
    const struct expr *a, *b, *c;
};

/* The binary operators; of two with the same beginning the longer comes first. */
static const struct binary {
    char text[3];
    int precedence; /* higher binds more tightly */
    enum op op;
} binaries[] = {
    {"<<", 8, OP_LEFT},       {">>", 8, OP_RIGHT},
    {"<=", 7, OP_LESS_EQUAL}, {">=", 7, OP_GREATER_EQUAL},
    {"==", 6, OP_EQUAL},      {"!=", 6, OP_UNEQUAL},
    {"&&", 2, OP_BOTH},       {"||", 1, OP_EITHER},
    {"*", 10, OP_MULTIPLY},   {"/", 10, OP_DIVIDE},
    {"%", 10, OP_REMAINDER},  {"+", 9, OP_ADD},
    {"-", 9, OP_SUBTRACT},    {"<", 7, OP_LESS},
    {">", 7, OP_GREATER},     {"&", 5, OP_AND},
    {"^", 4, OP_XOR},         {"|", 3, OP_OR},
};

/* What may stand in a cast; longer names first where one begins another. */
static const struct cast {
    const char *text;
    enum expr_type type;
} casts[] = {
    {"unsigned long long", EXPR_ULONG},
    {"unsigned long", EXPR_ULONG},
    {"unsigned int", EXPR_UINT},
    {"unsigned", EXPR_UINT},
    {"long long", EXPR_LONG},
    {"long", EXPR_LONG},
    {"int", EXPR_INT},
    {"size_t", EXPR_ULONG},
    {"int32_t", EXPR_INT},
    {"uint32_t", EXPR_UINT},
    {"int64_t", EXPR_LONG},
    {"uint64_t", EXPR_ULONG},
};

struct reader {
    const char *text;
    const char *at;
    const struct expr_name *names;
    size_t name_count;
    struct arena *arena;
    struct expr_error *error;
    unsigned nodes;
    unsigned depth;
};

static const struct expr *fail(struct reader *r, const char *at, const char *message)
{
    r->error->column = (size_t)(at - r->text) + 1;
    r->error->message = message;
    return NULL;
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

/* TYPE's idea of VALUE. */
static int64_t convert(uint64_t value, enum expr_type type)
{
    if (type == EXPR_INT)
        return (int32_t)(uint32_t)value;
    if (type == EXPR_UINT)
        return (uint32_t)value;
    return (int64_t)value;
}

/* C's usual arithmetic conversions; the enum is in order of rank. */
static enum expr_type common(enum expr_type a, enum expr_type b)
{
    return a < b ? b : a;
}

/* A node at AT, or NULL where there are too many. */
static struct expr *node(struct reader *r, enum op op, enum expr_type type, const char *at)
{
    if (MAX_NODES <= r->nodes++) {
        fail(r, at, _("the expression is too long"));
        return NULL;
    }
    struct expr *res = arena_zalloc(r->arena, 1, sizeof *res);
    res->op = op;
    res->type = res->operands = type;
    res->column = (size_t)(at - r->text) + 1;
    return res;
}

static const struct expr *parse_binary(struct reader *r, int least);
static const struct expr *parse_choice(struct reader *r);
static const struct expr *parse_unary(struct reader *r);

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A number has C's type: the first that it fits of those that its suffix and base allow. */
static const struct expr *parse_number(struct reader *r)
{
    const char *from = r->at, *digits = from;
    char clean[72];
    size_t len = 0;
    int base = 10;
    if (digits[0] == '0' && (digits[1] | 32) == 'x')
        base = 16, digits += 2;
    else if (digits[0] == '0' && (digits[1] | 32) == 'b')
        base = 2, digits += 2;
    else if (digits[0] == '0')
        base = 8;
    const char *p = digits;
    for (; len + 1 < sizeof clean && (is_name_char(*p) || *p == '\''); ++p) {
        char c = (char)(*p | 32);
        if (*p == '\'')
            continue;
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f' && base == 16)))
            break;
        clean[len++] = *p;
    }
    clean[len] = '\0';
    char *end;
    errno = 0;
    unsigned long long value = strtoull(clean, &end, base);
    bool is_unsigned = false, is_long = false;
    if (!len || *end)
        return fail(r, from, _("this is no number"));
    if (errno)
        return fail(r, from, _("the number is too large"));
    for (; (*p | 32) == 'u' || (*p | 32) == 'l'; ++p)
        if ((*p | 32) == 'u')
            is_unsigned = true;
        else
            is_long = true;
    if (is_name_char(*p) || *p == '.' || *p == '\'')
        return fail(r, from, _("this is no number"));
    enum expr_type type = is_long ? EXPR_LONG : EXPR_INT;
    if (is_unsigned)
        ++type;
    if (type == EXPR_INT && INT32_MAX < value)
        type = base != 10 && value <= UINT32_MAX ? EXPR_UINT : EXPR_LONG;
    if (type == EXPR_UINT && UINT32_MAX < value)
        type = EXPR_ULONG;
    if (type == EXPR_LONG && INT64_MAX < value)
        type = EXPR_ULONG;
    r->at = p;
    struct expr *res = node(r, OP_NUMBER, type, from);
    if (res)
        res->number = (int64_t)value;
    return res;
}

static const struct expr *parse_name(struct reader *r)
{
    const char *from = r->at, *p = from;
    while (is_name_char(*p) || (*p == '.' && p != from))
        ++p;
    for (size_t i = 0; i < r->name_count; ++i)
        if (strlen(r->names[i].name) == (size_t)(p - from) &&
            !memcmp(r->names[i].name, from, (size_t)(p - from))) {
            struct expr *res = node(r, OP_NAME, r->names[i].type, from);
            r->at = p;
            if (res)
                res->number = (int64_t)i;
            return res;
        }
    /* TRANSLATORS: %.*s is a name in an expression, such as `threadIdx.w`. */
    return fail(r, from,
                arena_printf(r->arena, _("the name '%.*s' is not known"), (int)(p - from), from));
}

/* Whether a cast stands here; if so reads it, and TYPE is what it casts to. */
static bool read_cast(struct reader *r, enum expr_type *type)
{
    const char *p = r->at + 1;
    p += strspn(p, " \t\r\n");
    for (size_t i = 0; i < sizeof casts / sizeof *casts; ++i) {
        size_t len = strlen(casts[i].text);
        if (strncmp(p, casts[i].text, len))
            continue;
        const char *end = p + len + strspn(p + len, " \t\r\n");
        if (*end != ')')
            continue;
        r->at = end + 1;
        *type = casts[i].type;
        return true;
    }
    return false;
}

static const struct expr *parse_primary(struct reader *r)
{
    skip_blanks(r);
    if (*r->at >= '0' && *r->at <= '9')
        return parse_number(r);
    if (is_name_char(*r->at))
        return parse_name(r);
    if (*r->at != '(')
        return fail(r, r->at,
                    *r->at ? _("an operand is expected here")
                           : _("the expression ends where an operand is expected"));
    const char *open = r->at++;
    const struct expr *res = parse_choice(r);
    skip_blanks(r);
    if (!res)
        return NULL;
    if (*r->at != ')')
        return *r->at ? fail(r, r->at, _("')' or an operator is expected here"))
                      : fail(r, open, _("this parenthesis is not closed"));
    ++r->at;
    return res;
}

static const struct expr *parse_prefix(struct reader *r)
{
    const char *from = r->at;
    enum expr_type type;
    enum op op;
    if (*from == '(') {
        if (!read_cast(r, &type))
            return parse_primary(r);
        op = OP_CAST;
    } else {
        op = *from == '+' ? OP_PLUS : *from == '-' ? OP_MINUS : *from == '~' ? OP_INVERT : OP_NOT;
        ++r->at;
    }
    const struct expr *a = parse_unary(r);
    if (!a)
        return NULL;
    struct expr *res = node(r, op, op == OP_CAST ? type : op == OP_NOT ? EXPR_INT : a->type, from);
    if (res)
        res->a = a;
    return res;
}

static const struct expr *parse_unary(struct reader *r)
{
    skip_blanks(r);
    if (!*r->at || !strchr("(+-~!", *r->at))
        return parse_primary(r);
    if (MAX_DEPTH <= r->depth)
        return fail(r, r->at, _("the expression is nested too deeply"));
    ++r->depth;
    const struct expr *res = parse_prefix(r);
    --r->depth;
    return res;
}

static const struct binary *find_binary(const char *at)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; ++i)
        if (!strncmp(at, binaries[i].text, strlen(binaries[i].text)))
            return &binaries[i];
    return NULL;
}

static void set_types(struct expr *e)
{
    switch (e->op) {
    case OP_LEFT:
    case OP_RIGHT:
        e->type = e->operands = e->a->type;
        break;
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_GREATER:
    case OP_GREATER_EQUAL:
    case OP_EQUAL:
    case OP_UNEQUAL:
        e->type = EXPR_INT;
        e->operands = common(e->a->type, e->b->type);
        break;
    case OP_BOTH:
    case OP_EITHER:
        e->type = EXPR_INT;
        break;
    default:
        e->type = e->operands = common(e->a->type, e->b->type);
    }
}

/* Operators that bind at least as tightly as LEAST. */
static const struct expr *parse_binary(struct reader *r, int least)
{
    const struct expr *left = parse_unary(r);
    while (left) {
        skip_blanks(r);
        const struct binary *binary = find_binary(r->at);
        if (!binary || binary->precedence < least)
            return left;
        const char *from = r->at;
        r->at += strlen(binary->text);
        const struct expr *right = parse_binary(r, binary->precedence + 1);
        struct expr *res = right ? node(r, binary->op, EXPR_INT, from) : NULL;
        if (!res)
            return NULL;
        res->a = left;
        res->b = right;
        set_types(res);
        left = res;
    }
    return NULL;
}

static const struct expr *finish_choice(struct reader *r, const struct expr *a)
{
    const char *from = r->at++;
    const struct expr *b = parse_choice(r);
    skip_blanks(r);
    if (b && *r->at != ':')
        return fail(r, r->at, _("':' is expected here"));
    if (!b)
        return NULL;
    ++r->at;
    const struct expr *c = parse_choice(r);
    struct expr *res = c ? node(r, OP_CHOOSE, common(b->type, c->type), from) : NULL;
    if (!res)
        return NULL;
    res->a = a;
    res->b = b;
    res->c = c;
    return res;
}

static const struct expr *parse_choice(struct reader *r)
{
    const struct expr *a = parse_binary(r, 1);
    skip_blanks(r);
    if (!a || *r->at != '?')
        return a;
    if (MAX_DEPTH <= r->depth)
        return fail(r, r->at, _("the expression is nested too deeply"));
    ++r->depth;
    const struct expr *res = finish_choice(r, a);
    --r->depth;
    return res;
}

const struct expr *expr_parse(const char *text, const struct expr_name *names, size_t name_count,
                              struct arena *arena, struct expr_error *error)
{
    struct reader r = {text, text, names, name_count, arena, error, 0, 0};
    const struct expr *res = parse_choice(&r);
    skip_blanks(&r);
    if (res && *r.at)
        return fail(&r, r.at, _("an operator is expected here"));
    return res;
}

static bool parse_brackets(struct reader *r, struct expr_index *index)
{
    index->brackets = true;
    for (;; ++index->count) {
        skip_blanks(r);
        const char *open = r->at;
        if (!*open && index->count)
            return true;
        if (*open != '[')
            return fail(r, open, _("'[' is expected here"));
        if (index->count == EXPR_MAX_INDICES)
            return fail(r, open, _("there are too many dimensions"));
        ++r->at;
        const struct expr *e = parse_choice(r);
        skip_blanks(r);
        if (!e)
            return false;
        if (*r->at != ']')
            return *r->at ? fail(r, r->at, _("']' or an operator is expected here"))
                          : fail(r, open, _("this bracket is not closed"));
        ++r->at;
        index->at[index->count] = e;
    }
}

bool expr_parse_index(const char *text, const struct expr_name *names, size_t name_count,
                      struct arena *arena, struct expr_index *index, struct expr_error *error)
{
    struct reader r = {text, text, names, name_count, arena, error, 0, 0};
    *index = (struct expr_index){0};
    skip_blanks(&r);
    if (*r.at == '[')
        return parse_brackets(&r, index);
    index->count = 1;
    index->at[0] = expr_parse(text, names, name_count, arena, error);
    return index->at[0] != NULL;
}

/* ---- Evaluation */

static bool is_signed(enum expr_type type)
{
    return type == EXPR_INT || type == EXPR_LONG;
}

static int64_t shift(const struct expr *e, int64_t a, int64_t b)
{
    /* As the hardware does: only the low bits of the distance count. */
    unsigned distance = (unsigned)b & (e->type == EXPR_INT || e->type == EXPR_UINT ? 31 : 63);
    if (e->op == OP_LEFT)
        return convert((uint64_t)a << distance, e->type);
    return is_signed(e->type) ? a >> distance : (int64_t)((uint64_t)a >> distance);
}

static bool divide(const struct expr *e, int64_t a, int64_t b, int64_t *res,
                   struct expr_error *error)
{
    bool rest = e->op == OP_REMAINDER;
    if (!b) {
        error->column = e->column;
        error->message = _("this divides by zero");
        return false;
    }
    if (!is_signed(e->type))
        *res = rest ? (int64_t)((uint64_t)a % (uint64_t)b) : (int64_t)((uint64_t)a / (uint64_t)b);
    else if (b == -1) /* the smallest number has no opposite */
        *res = rest ? 0 : convert(-(uint64_t)a, e->type);
    else
        *res = rest ? a % b : a / b;
    return true;
}

static bool less(int64_t a, int64_t b, enum expr_type type)
{
    return is_signed(type) ? a < b : (uint64_t)a < (uint64_t)b;
}

/* Operators that have both operands evaluated. */
static bool apply(const struct expr *e, int64_t a, int64_t b, int64_t *res,
                  struct expr_error *error)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (e->op) {
    case OP_MULTIPLY:
        *res = convert(ua * ub, e->type);
        return true;
    case OP_DIVIDE:
    case OP_REMAINDER:
        return divide(e, a, b, res, error);
    case OP_ADD:
        *res = convert(ua + ub, e->type);
        return true;
    case OP_SUBTRACT:
        *res = convert(ua - ub, e->type);
        return true;
    case OP_LEFT:
    case OP_RIGHT:
        *res = shift(e, a, b);
        return true;
    case OP_LESS:
        *res = less(a, b, e->operands);
        return true;
    case OP_LESS_EQUAL:
        *res = !less(b, a, e->operands);
        return true;
    case OP_GREATER:
        *res = less(b, a, e->operands);
        return true;
    case OP_GREATER_EQUAL:
        *res = !less(a, b, e->operands);
        return true;
    case OP_EQUAL:
        *res = a == b;
        return true;
    case OP_UNEQUAL:
        *res = a != b;
        return true;
    case OP_AND:
        *res = a & b;
        return true;
    case OP_XOR:
        *res = a ^ b;
        return true;
    default:
        *res = a | b;
        return true;
    }
}

bool expr_evaluate(const struct expr *e, const int64_t *values, int64_t *res,
                   struct expr_error *error)
{
    int64_t a, b;
    if (e->op == OP_NUMBER || e->op == OP_NAME) {
        *res = e->op == OP_NUMBER ? e->number : convert((uint64_t)values[e->number], e->type);
        return true;
    }
    if (!expr_evaluate(e->a, values, &a, error))
        return false;
    switch (e->op) {
    case OP_CAST:
    case OP_PLUS:
        *res = convert((uint64_t)a, e->type);
        return true;
    case OP_MINUS:
        *res = convert(-(uint64_t)a, e->type);
        return true;
    case OP_INVERT:
        *res = convert(~(uint64_t)a, e->type);
        return true;
    case OP_NOT:
        *res = !a;
        return true;
    case OP_CHOOSE:
        if (!expr_evaluate(a ? e->b : e->c, values, &b, error))
            return false;
        *res = convert((uint64_t)b, e->type);
        return true;
    case OP_BOTH:
    case OP_EITHER:
        *res = a != 0;
        if (*res == (e->op == OP_EITHER))
            return true; /* C does not look at the other */
        if (!expr_evaluate(e->b, values, &b, error))
            return false;
        *res = b != 0;
        return true;
    default:
        if (!expr_evaluate(e->b, values, &b, error))
            return false;
        if (e->op != OP_LEFT && e->op != OP_RIGHT)
            b = convert((uint64_t)b, e->operands);
        return apply(e, convert((uint64_t)a, e->operands), b, res, error);
    }
}

bool expr_uses(const struct expr *e, size_t index)
{
    if (!e)
        return false;
    if (e->op == OP_NAME)
        return e->number == (int64_t)index;
    return expr_uses(e->a, index) || expr_uses(e->b, index) || expr_uses(e->c, index);
}
