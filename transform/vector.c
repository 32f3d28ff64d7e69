/* Operators of the user's for vector types: float4 operator+ (float4, float4) and its kin, also for
   complex numbers, which are vectors in HIP.

   HIP's vector types have the component-wise operators themselves, so that calls of the user's own
   are ambiguous. One that does the same, component by component, is left out for HIP by a
   conditional around its definition (neighbours share one); another one is reported.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

enum verdict {
    NOT_OURS,       /* no such operator, or no conflict with HIP's */
    COMPONENT_WISE, /* what HIP's does */
    OTHER,
};

/* A complex number of the API is a vector of two in HIP. */
static bool is_complex(const struct symbol *symbol)
{
    static const char *const names[] = {"Complex", "FloatComplex", "DoubleComplex"};
    const char *prefix = symbol->api ? "cu" : "hip"; /* maps have CUDA's names */
    size_t len = strlen(prefix);
    for (size_t i = 0; !symbol->user && i < sizeof names / sizeof *names; ++i)
        if (!strncmp(symbol->text, prefix, len) && !strcmp(symbol->text + len, names[i]))
            return true;
    return false;
}

/* The number of components of the vector type called NAME; 0 for another type. */
static int components(const struct symbol *symbol)
{
    static const char *const scalars[] = {"char",     "uchar",     "short", "ushort",
                                          "int",      "uint",      "long",  "ulong",
                                          "longlong", "ulonglong", "float", "double"};
    if (!symbol)
        return 0;
    if (is_complex(symbol))
        return 2;
    if (!symbol->api || symbol->user)
        return 0;
    size_t len = symbol->len;
    int n = symbol->text[len - 1] - '0';
    if (n < 1 || 4 < n)
        return 0;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i)
        if (strlen(scalars[i]) == len - 1 && !memcmp(scalars[i], symbol->text, len - 1))
            return n;
    return 0;
}

struct parameter {
    const struct symbol *type;
    const struct symbol *name;
};

/* [const] TYPE [const] [&] NAME */
static bool read_parameter(const struct unit *unit, struct range range, struct parameter *res)
{
    *res = (struct parameter){0};
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_SPECIFIER || token->kind == TOK_AMP)
            continue;
        if (token->kind != TOK_IDENT && token->kind != TOK_TYPE)
            return false;
        if (!res->type || (token->kind == TOK_TYPE && !res->name))
            res->type = token->symbol;
        else if (!res->name)
            res->name = token->symbol;
        else
            return false;
    }
    return res->type != NULL;
}

/* Reads an operand at *AT: NAME.c gives the component's letter, NAME alone gives 0; -1 for anything
   else. */
static int read_operand(const struct unit *unit, uint32_t *at, const struct symbol **name)
{
    const struct token *token = unit_token(unit, *at);
    if (token->kind != TOK_IDENT)
        return -1;
    *name = token->symbol;
    *at = unit_next(unit, *at);
    if (unit_token(unit, *at)->kind != TOK_DOT)
        return 0;
    *at = unit_next(unit, *at);
    token = unit_token(unit, *at);
    *at = unit_next(unit, *at);
    return token->symbol && token->symbol->len == 1 && strchr("xyzw", *token->symbol->text)
               ? *token->symbol->text
               : -1;
}

struct definition {
    const struct function *fn;
    uint16_t op; /* token kind of the operator */
    struct parameter left, right;
    int count; /* components */
};

/* One component: L.c OP R.c, where one of them may be a scalar. */
static bool read_component(const struct unit *unit, uint32_t *at, const struct definition *d,
                           uint16_t op, char component)
{
    const struct symbol *left, *right;
    int l = read_operand(unit, at, &left);
    if (l < 0 || left != d->left.name || unit_token(unit, *at)->kind != op)
        return false;
    *at = unit_next(unit, *at);
    int r = read_operand(unit, at, &right);
    bool left_vector = components(d->left.type), right_vector = components(d->right.type);
    return right == d->right.name && l == (left_vector ? component : 0) &&
           r == (right_vector ? component : 0);
}

/* return cuCaddf(a, b); AT is behind return. */
static bool calls_sum(const struct unit *unit, const struct definition *d, uint32_t at)
{
    static const char *const sums[] = {"cuCadd", "cuCaddf"}, *const differences[] = {"cuCsub",
                                                                                     "cuCsubf"};
    const char *const *names = d->op == TOK_PLUS ? sums : differences;
    const struct symbol *name = unit_token(unit, at)->symbol;
    if ((d->op != TOK_PLUS && d->op != TOK_MINUS) || !name || !name->api ||
        (strcmp(name->text, names[0]) && strcmp(name->text, names[1])))
        return false;
    static const enum token_kind kinds[] = {TOK_LPAREN, TOK_IDENT, TOK_COMMA, TOK_IDENT,
                                            TOK_RPAREN};
    const struct symbol *operands[sizeof kinds / sizeof *kinds];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        at = unit_next(unit, at);
        if (unit_token(unit, at)->kind != kinds[i])
            return false;
        operands[i] = unit_token(unit, at)->symbol;
    }
    return operands[1] == d->left.name && operands[3] == d->right.name;
}

static bool is_component_wise(const struct unit *unit, const struct definition *d)
{
    static const char letters[] = "xyzw";
    uint32_t at = unit_next(unit, d->fn->body.begin);
    const struct token *first = unit_token(unit, at);
    if (first->kind == TOK_STATEMENT && !strcmp(first->symbol->text, "return")) {
        /* return make_float4(a.x + b.x, ...); */
        at = unit_next(unit, at);
        if (calls_sum(unit, d, at))
            return true;
        const struct symbol *make = unit_token(unit, at)->symbol;
        if (!make || strncmp(make->text, "make_", 5))
            return false;
        at = unit_next(unit, at);
        for (int i = 0; i < d->count; ++i) {
            if (unit_token(unit, at)->kind != (i ? TOK_COMMA : TOK_LPAREN))
                return false;
            at = unit_next(unit, at);
            if (!read_component(unit, &at, d, d->op, letters[i]))
                return false;
        }
        return unit_token(unit, at)->kind == TOK_RPAREN;
    }
    /* a.x += b.x; ... */
    for (int i = 0; i < d->count; ++i) {
        if (!read_component(unit, &at, d, d->op, letters[i]) ||
            unit_token(unit, at)->kind != TOK_SEMICOLON)
            return false;
        at = unit_next(unit, at);
    }
    const struct token *last = unit_token(unit, at);
    return last->kind == TOK_RBRACE ||
           (last->kind == TOK_STATEMENT && !strcmp(last->symbol->text, "return"));
}

static enum verdict judge(const struct transform *tr, const struct function *fn,
                          struct definition *d)
{
    const struct unit *unit = tr->unit;
    if (unit_token(unit, fn->name)->kind != TOK_OPERATOR || fn->flags & FUNCTION_TEMPLATE ||
        fn->body.begin >= fn->body.end || fn->params.begin >= fn->params.end)
        return NOT_OURS;
    *d = (struct definition){.fn = fn, .op = unit_token(unit, fn->name + 1)->kind};
    switch (d->op) {
    case TOK_PLUS:
    case TOK_MINUS:
    case TOK_STAR:
    case TOK_SLASH:
    case TOK_PLUS_ASSIGN:
    case TOK_MINUS_ASSIGN:
    case TOK_STAR_ASSIGN:
    case TOK_SLASH_ASSIGN:
        break;
    default:
        return NOT_OURS;
    }
    struct arguments params;
    if (!unit_arguments(unit, fn->params.begin - 1, tr->arena, &params) || params.count != 2 ||
        !read_parameter(unit, params.items[0], &d->left) ||
        !read_parameter(unit, params.items[1], &d->right))
        return NOT_OURS;
    int left = components(d->left.type), right = components(d->right.type);
    d->count = left ? left : right;
    if (!d->count || (left && right && d->left.type != d->right.type))
        return NOT_OURS;
    if (is_component_wise(unit, d))
        return COMPONENT_WISE;
    /* Mixed with a scalar HIP has templates, before which the user's own goes; as it does in a sum
       of complex numbers, however that is written. */
    bool is_sum = d->op == TOK_PLUS || d->op == TOK_MINUS;
    return left && right && !(is_sum && is_complex(d->left.type)) ? OTHER : NOT_OURS;
}

/* Whether only white space and comments lie between the tokens FIRST and LAST, and no directive. */
static bool are_neighbours(const struct unit *unit, uint32_t end, uint32_t begin)
{
    return end == begin && !(unit_token(unit, begin)->flags & TOKEN_DIRECTIVE);
}

/* Ends the conditional around definitions, the last of which ends before token END. */
static void close_conditional(struct transform *tr, uint32_t end)
{
    const struct token *last = unit_token(tr->unit, end - 1);
    edit_add(&tr->t->edits, last->offset + last->length, 0,
             arena_printf(tr->arena, "%s#endif", source_newline(&tr->t->source)), EDIT_CONDITION);
}

/* Whether the definition of FN has its lines for itself. */
static bool has_own_lines(const struct transform *tr, const struct function *fn)
{
    const struct source *source = &tr->t->source;
    const struct token *first = unit_token(tr->unit, fn->head.begin);
    const struct token *last = unit_token(tr->unit, fn->body.end - 1);
    size_t line = source_line_begin(source, first->offset), end = last->offset + last->length;
    return strspn(source->text + line, " \t") == first->offset - line &&
           source_line_end(source, end) == end;
}

void transform_vectors(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    uint32_t open_end = NO_TOKEN; /* behind the last definition of an open conditional */
    vec_each (const struct function, fn, &unit->functions) {
        struct definition d;
        if (fn->flags & FUNCTION_IN_MACRO ||
            token_region(unit_token(unit, fn->head.begin)) != REGION_COMMON)
            continue;
        enum verdict verdict = judge(tr, fn, &d);
        if (open_end != NO_TOKEN &&
            (verdict != COMPONENT_WISE || !are_neighbours(unit, open_end, fn->head.begin))) {
            close_conditional(tr, open_end);
            open_end = NO_TOKEN;
        }
        if (verdict == NOT_OURS)
            continue;
        if (verdict == OTHER || !has_own_lines(tr, fn)) {
            struct range name = {fn->name, fn->name + 2};
            report(tr, RULE_API_VECTOR_OPERATOR, name, unit_quote(unit, name), NULL, NULL);
            continue;
        }
        if (open_end == NO_TOKEN)
            insert_line_as(tr, unit_token(unit, fn->head.begin)->offset,
                           "#if !defined(__HIPCC__) // HIP's vector types have these operators",
                           EDIT_CONDITION);
        open_end = fn->body.end;
    }
    if (open_end != NO_TOKEN)
        close_conditional(tr, open_end);
}
