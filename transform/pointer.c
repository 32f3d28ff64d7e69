/* CUdeviceptr is an integer, hipDeviceptr_t a void*: arithmetic on it needs a cast.

   A sum that begins with such a variable becomes one over bytes; what cannot be seen through (a
   variable in the middle of an expression, multiplication, static_cast) is reported.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

static bool is_pointer_type(const struct api *type)
{
    return type && !strcmp(type->cuda, "CUdeviceptr");
}

static bool is_pointer(const struct token *token)
{
    return token->kind == TOK_IDENT && is_pointer_type(token->symbol->type);
}

/* Operators that bind looser than + and end a sum, and what ends an expression. */
static bool ends_sum(enum token_kind kind)
{
    switch (kind) {
    case TOK_COMMA:
    case TOK_SEMICOLON:
    case TOK_RPAREN:
    case TOK_RBRACKET:
    case TOK_RBRACE:
    case TOK_COLON:
    case TOK_QUESTION:
    case TOK_EQUAL:
    case TOK_NOT_EQUAL:
    case TOK_LESS:
    case TOK_GREATER:
    case TOK_LESS_EQUAL:
    case TOK_GREATER_EQUAL:
    case TOK_AND_AND:
    case TOK_OR_OR:
    case TOK_AMP:
    case TOK_PIPE:
    case TOK_CARET:
    case TOK_SHIFT_LEFT:
    case TOK_SHIFT_RIGHT:
    case TOK_END_DIRECTIVE:
    case TOK_EOF:
        return true;
    default:
        return false;
    }
}

/* The token behind the sum that begins at INDEX; NO_TOKEN where a bracket is unpaired or it is too
   long to be one, which keeps damaged text linear. */
static uint32_t sum_end(const struct unit *unit, uint32_t index)
{
    for (int steps = 0; !ends_sum(unit_token(unit, index)->kind); ++steps) {
        if (steps == 500)
            return NO_TOKEN;
        const struct token *token = unit_token(unit, index);
        bool opens =
            token->kind == TOK_LPAREN || token->kind == TOK_LBRACKET || token->kind == TOK_LBRACE;
        if (opens && (token->partner == NO_TOKEN || token->partner < index))
            return NO_TOKEN;
        if (opens)
            index = token->partner;
        index = unit_next(unit, index);
    }
    return index;
}

/* Whether a second pointer stands between BEGIN and END at the sum's own level: a difference. */
static bool has_pointer(const struct unit *unit, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i = unit_next(unit, i)) {
        const struct token *token = unit_token(unit, i);
        if ((token->kind == TOK_LPAREN || token->kind == TOK_LBRACKET) &&
            token->partner != NO_TOKEN && i < token->partner)
            i = token->partner;
        else if (is_pointer(token))
            return true;
    }
    return false;
}

static void report_arithmetic(struct transform *tr, struct range range)
{
    report(tr, RULE_API_DEVICE_POINTER, range, unit_quote(tr->unit, range), NULL, NULL);
}

static void examine(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    uint32_t prev = unit_prev(unit, index), next = unit_next(unit, index);
    /* a.b, a->b and ns::b begin before the name; array elements end behind it. */
    uint32_t first = index;
    for (int steps = 0; prev != NO_TOKEN && steps < 50; ++steps) {
        enum token_kind kind = unit_token(unit, prev)->kind;
        if (kind != TOK_DOT && kind != TOK_ARROW && kind != TOK_COLON_COLON)
            break;
        uint32_t left = unit_prev(unit, prev);
        if (left == NO_TOKEN || unit_token(unit, left)->kind != TOK_IDENT)
            break;
        first = left;
        prev = unit_prev(unit, first);
    }
    uint32_t last = index;
    while (unit_token(unit, next)->kind == TOK_LBRACKET && unit_partner(unit, next) != NO_TOKEN &&
           next < unit_partner(unit, next)) {
        last = unit_partner(unit, next);
        next = unit_next(unit, last);
    }
    enum token_kind before = unit_kind(unit, prev);
    enum token_kind after = unit_token(unit, next)->kind;
    switch (after) {
    case TOK_PLUS:
    case TOK_MINUS: {
        uint32_t end = sum_end(unit, next);
        struct range range = {first, end};
        bool begins = ends_sum(before) || before == TOK_LPAREN || before == TOK_LBRACKET ||
                      before == TOK_LBRACE || before == TOK_ASSIGN || before == TOK_STATEMENT;
        /* A parenthesis before it may be a cast, which would bind tighter than the sum. */
        bool cast = before == TOK_RPAREN;
        if (!begins || cast || end == NO_TOKEN || has_pointer(unit, unit_next(unit, next), end)) {
            report_arithmetic(tr, (struct range){first, next + 2});
            return;
        }
        uint32_t stop = unit_prev(unit, range.end);
        insert_before(tr, first, "(hipDeviceptr_t)((char *)", EDIT_ARGUMENT);
        insert_behind(tr, stop, ")", EDIT_ARGUMENT);
        return;
    }
    case TOK_PLUS_ASSIGN:
    case TOK_MINUS_ASSIGN: {
        uint32_t end = sum_end(unit, unit_next(unit, next));
        if (end == NO_TOKEN) {
            report_arithmetic(tr, (struct range){first, next + 1});
            return;
        }
        uint32_t stop = unit_prev(unit, end);
        struct span left = unit_span(unit, (struct range){first, last + 1});
        const char *name =
            arena_strndup(tr->arena, unit->source->text + left.begin, left.end - left.begin);
        uint32_t begin = unit_token(unit, next)->offset;
        uint32_t value = unit_token(unit, next + 1)->offset;
        bool plain = unit_token(unit, next)->length + begin + 1 >= value;
        edit_add(&tr->t->edits, begin, plain ? value - begin : unit_token(unit, next)->length,
                 arena_printf(tr->arena, "= (hipDeviceptr_t)((char *)%s %s (", name,
                              after == TOK_PLUS_ASSIGN ? "+" : "-"),
                 EDIT_ARGUMENT);
        insert_behind(tr, stop, "))", EDIT_ARGUMENT);
        return;
    }
    case TOK_STAR:
        /* CUdeviceptr a, *b declares; a * b multiplies. */
    case TOK_SLASH:
    case TOK_PERCENT:
        if (after != TOK_STAR || (before != TOK_IDENT && before != TOK_COMMA))
            report_arithmetic(tr, (struct range){first, next + 2});
        return;
    case TOK_PLUS_PLUS:
    case TOK_MINUS_MINUS:
        report_arithmetic(tr, (struct range){first, next + 1});
        return;
    default:
        break;
    }
    if (before == TOK_PLUS || before == TOK_MINUS || before == TOK_PLUS_PLUS ||
        before == TOK_MINUS_MINUS) {
        /* The right operand of a sum; where the left one is such a pointer too, that one was
           reported. */
        uint32_t left = unit_prev(unit, prev);
        bool also = left != NO_TOKEN && is_pointer(unit_token(unit, left));
        if (!also)
            report_arithmetic(tr, (struct range){left == NO_TOKEN ? prev : left, last + 1});
    }
}

/* static_cast<CUdeviceptr>(integer) and static_cast<size_t>(pointer): only reinterpret_cast goes
   between pointers and integers. */
static bool is_static_cast_to_pointer(const struct unit *unit, uint32_t index)
{
    uint32_t less = unit_prev(unit, index);
    uint32_t cast = less == NO_TOKEN ? NO_TOKEN : unit_prev(unit, less);
    return cast != NO_TOKEN && unit_token(unit, less)->kind == TOK_LESS &&
           unit_token(unit, cast)->kind == TOK_CAST &&
           !strcmp(unit_token(unit, cast)->symbol->text, "static_cast");
}

/* The `=` behind *(CUdeviceptr *)place or *(reinterpret_cast<CUdeviceptr *>(place)), whose type
   stands at INDEX; NO_TOKEN for anything else. */
static uint32_t assignment_through(const struct unit *unit, uint32_t index)
{
    enum { LONGEST = 50 };
    uint32_t close = unit_next(unit, unit_next(unit, index)), open = unit_partner(unit, close);
    if (unit_kind(unit, unit_next(unit, index)) != TOK_STAR || open == NO_TOKEN || index < open ||
        unit_prev(unit, index) != open)
        return NO_TOKEN;
    uint32_t first = open;
    if (unit_kind(unit, open) == TOK_LESS)
        first = unit_prev(unit, open);
    else if (unit_kind(unit, open) != TOK_LPAREN)
        return NO_TOKEN;
    uint32_t star = unit_prev(unit, first);
    for (int steps = 0; unit_kind(unit, star) == TOK_LPAREN && steps < LONGEST; ++steps)
        star = unit_prev(unit, star);
    enum token_kind before = unit_kind(unit, unit_prev(unit, star));
    if (unit_kind(unit, star) != TOK_STAR ||
        (before != TOK_SEMICOLON && before != TOK_LBRACE && before != TOK_RBRACE))
        return NO_TOKEN;
    uint32_t at = unit_next(unit, close);
    for (int steps = 0; steps < LONGEST; ++steps, at = unit_next(unit, at)) {
        const struct token *token = unit_token(unit, at);
        switch (token->kind) {
        case TOK_ASSIGN:
            return at;
        case TOK_LPAREN:
        case TOK_LBRACKET:
            if (token->partner == NO_TOKEN || token->partner < at)
                return NO_TOKEN;
            at = token->partner;
            break;
        case TOK_RPAREN: /* of those between the star and the cast */
        case TOK_IDENT:
        case TOK_AMP:
        case TOK_PLUS:
        case TOK_NUMBER:
        case TOK_DOT:
        case TOK_ARROW:
            break;
        default:
            return NO_TOKEN;
        }
    }
    return NO_TOKEN;
}

/* What is stored there may be an integer, as in a buffer of a kernel's arguments. */
static void cast_stored(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    uint32_t assign = assignment_through(unit, index);
    if (assign == NO_TOKEN)
        return;
    uint32_t first = unit_next(unit, assign), end = sum_end(unit, first);
    const struct token *token = unit_token(unit, first);
    if (end == NO_TOKEN || end <= first || unit_kind(unit, end) != TOK_SEMICOLON ||
        is_pointer(token) || token->kind == TOK_LPAREN || token->kind == TOK_CAST ||
        token->kind == TOK_NUMBER)
        return;
    bool alone = unit_next(unit, first) == end;
    insert_before(tr, first, alone ? "(hipDeviceptr_t)" : "(hipDeviceptr_t)(", EDIT_ARGUMENT);
    if (!alone)
        insert_behind(tr, unit_prev(unit, end), ")", EDIT_ARGUMENT);
}

/* Whether the file has a name that stands for such a type or is declared with it. */
static bool has_pointers(const struct unit *unit)
{
    for (const struct symbol *s = symbol_first(unit->symbols); s; s = symbol_next(s))
        if (is_pointer_type(s->type) || is_pointer_type(s->api))
            return true;
    return false;
}

void transform_device_pointers(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    if (!has_pointers(unit))
        return;
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (!token->symbol || token_region(token) != REGION_COMMON || !token_is_code(token))
            continue;
        if (is_pointer(token)) {
            examine(tr, i);
        } else if (!strcmp(token->symbol->text, "CUdeviceptr") && token->symbol->api &&
                   is_static_cast_to_pointer(unit, i)) {
            uint32_t cast = unit_prev(unit, unit_prev(unit, i));
            edit_add(&tr->t->edits, unit_token(unit, cast)->offset, unit_token(unit, cast)->length,
                     "reinterpret_cast", EDIT_ARGUMENT);
        } else if (!strcmp(token->symbol->text, "CUdeviceptr") && token->symbol->api) {
            cast_stored(tr, i);
        }
    }
}
