/* CUdeviceptr is an integer, hipDeviceptr_t a void*: what computes with it needs a cast.

   A sum that begins with a device pointer becomes one over bytes; where only an integer will do (a
   difference, a mask, a remainder) or is asked for, the address is one. What cannot be seen through
   is reported.  */
#include <config.h>

#include "transform/pointer_p.h"

#include <string.h>

/* The limits keep damaged text linear. */
enum { LONGEST_SUM = 500, MOST_PARENTHESES = 8, LONGEST_PATH = 50 };

struct pointers {
    struct transform *tr;
    uint32_t done;    /* operands up to this token are written already */
    uint32_t wrapped; /* the expression that was given a type last begins here */
};

/* Whether the name at INDEX is that of a device pointer, or answers one behind its brackets. */
static bool is_pointer(const struct unit *unit, uint32_t index)
{
    return unit_kind(unit, index) == TOK_IDENT && POINTER_VALUE <= pointer_shape_at(unit, index);
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

/* Operators that take integers and no pointers; those that streams have as well are not here. */
static bool wants_integer(enum token_kind kind)
{
    return kind == TOK_AMP || kind == TOK_PIPE || kind == TOK_CARET || kind == TOK_STAR ||
           kind == TOK_SLASH || kind == TOK_PERCENT;
}

static bool opens(const struct unit *unit, uint32_t index)
{
    enum token_kind kind = unit_kind(unit, index);
    return kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE;
}

/* The closing partner of the bracket at INDEX, or NO_TOKEN. */
static uint32_t closing_of(const struct unit *unit, uint32_t index)
{
    uint32_t partner = partner_of(unit, index);
    return partner != NO_TOKEN && index < partner ? partner : NO_TOKEN;
}

/* The token behind the sum that begins at INDEX, or behind the whole expression (WHOLE); NO_TOKEN
   where a bracket is unpaired or it is too long to be one. */
static uint32_t expression_end(const struct unit *unit, uint32_t index, bool whole)
{
    for (int steps = 0; steps < LONGEST_SUM; ++steps) {
        enum token_kind kind = unit_kind(unit, index);
        bool angle = kind == TOK_LESS && closing_of(unit, index) != NO_TOKEN; /* f<T>(x) */
        if (angle)
            kind = TOK_LBRACKET;
        if (whole ? kind == TOK_SEMICOLON || kind == TOK_COMMA || kind == TOK_RPAREN ||
                        kind == TOK_RBRACE || kind == TOK_EOF || kind == TOK_END_DIRECTIVE
                  : ends_sum(kind))
            return index;
        if (angle || opens(unit, index))
            index = closing_of(unit, index);
        if (index == NO_TOKEN)
            return NO_TOKEN;
        index = token_behind(unit, index);
    }
    return NO_TOKEN;
}

/* The first device pointer between BEGIN and END at the sum's own level, or NO_TOKEN. */
static uint32_t pointer_between(const struct unit *unit, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i = token_behind(unit, i)) {
        uint32_t close = unit_kind(unit, i) == TOK_LBRACE ? NO_TOKEN : closing_of(unit, i);
        if (opens(unit, i) && close != NO_TOKEN)
            i = close;
        else if (is_pointer(unit, i))
            return i;
    }
    return NO_TOKEN;
}

static void report_arithmetic(struct transform *tr, struct range range)
{
    report(tr, RULE_API_DEVICE_POINTER, range, unit_quote(tr->unit, range), NULL, NULL);
}

/* Whether the & or * at INDEX has one operand. */
static bool is_unary(const struct unit *unit, uint32_t index)
{
    uint32_t left = token_before(unit, index);
    enum token_kind kind = unit_kind(unit, left);
    if (kind == TOK_IDENT || kind == TOK_NUMBER || kind == TOK_RBRACKET)
        return false;
    if (kind != TOK_RPAREN || partner_of(unit, left) == NO_TOKEN)
        return true;
    /* (T *)&p, (T)&p: a cast */
    uint32_t last = token_before(unit, left);
    kind = unit_kind(unit, last);
    return kind == TOK_STAR || kind == TOK_TYPE ||
           partner_of(unit, left) == token_before(unit, last);
}

/* Where the path a.b, a->b or ns::b begins that ends in the name at INDEX. */
static uint32_t path_begin(const struct unit *unit, uint32_t index)
{
    uint32_t prev = token_before(unit, index);
    for (int steps = 0; prev != NO_TOKEN && steps < LONGEST_PATH; ++steps) {
        enum token_kind kind = unit_kind(unit, prev);
        if (kind != TOK_DOT && kind != TOK_ARROW && kind != TOK_COLON_COLON)
            break;
        uint32_t left = token_before(unit, prev);
        enum token_kind behind = unit_kind(unit, left);
        if ((behind == TOK_RBRACKET || behind == TOK_RPAREN) &&
            partner_of(unit, left) != NO_TOKEN && partner_of(unit, left) < left)
            left = token_before(unit, partner_of(unit, left));
        if (unit_kind(unit, left) != TOK_IDENT) {
            /* this->p, ::p and (*a).p */
            return behind == TOK_RPAREN ? token_behind(unit, left)
                   : kind == TOK_ARROW  ? left
                                        : prev;
        }
        index = left;
        prev = token_before(unit, index);
    }
    return index;
}

/* The expression of type CUdeviceptr that the name at INDEX makes with what stands around it; false
   for none. */
static bool find_operand(const struct unit *unit, uint32_t index, struct range *res)
{
    enum pointer_shape shape = pointer_shape_at(unit, index);
    if (pointer_is_declared(unit, index))
        return false;
    uint32_t first = path_begin(unit, index), last = index, next = token_behind(unit, index);
    bool indexed = false;
    while (unit_kind(unit, next) == TOK_LBRACKET && closing_of(unit, next) != NO_TOKEN) {
        last = closing_of(unit, next);
        next = token_behind(unit, last);
        indexed = true;
    }
    uint32_t before = token_before(unit, first);
    if (shape == POINTER_FUNCTION) {
        last = unit_kind(unit, next) == TOK_LPAREN ? closing_of(unit, next) : NO_TOKEN;
        if (last == NO_TOKEN || unit_kind(unit, before) == TOK_IDENT)
            return false;
    } else if (shape == POINTER_ELEMENTS && !indexed) {
        if (unit_kind(unit, before) != TOK_STAR || !is_unary(unit, before))
            return false;
        first = before;
    } else if (shape < POINTER_VALUE || indexed != (shape == POINTER_ELEMENTS)) {
        return false;
    }
    *res = (struct range){first, last + 1};
    return true;
}

/* Where the operand of a cast that begins at INDEX ends; NO_TOKEN where none stands there. */
static uint32_t cast_operand_end(const struct unit *unit, uint32_t index)
{
    enum token_kind kind = unit_kind(unit, index);
    for (int steps = 0; steps < MOST_PARENTHESES; ++steps, kind = unit_kind(unit, index)) {
        uint32_t close = kind == TOK_LPAREN ? closing_of(unit, index) : NO_TOKEN;
        enum token_kind behind =
            close == NO_TOKEN ? TOK_EOF : unit_kind(unit, token_behind(unit, close));
        bool another = close != NO_TOKEN && (behind == TOK_IDENT || behind == TOK_NUMBER);
        if (!another && kind != TOK_AMP && kind != TOK_STAR)
            break;
        index = token_behind(unit, another ? close : index);
    }
    if (kind != TOK_IDENT && kind != TOK_NUMBER && kind != TOK_LPAREN)
        return NO_TOKEN;
    uint32_t last = kind == TOK_LPAREN ? closing_of(unit, index) : index;
    for (int steps = 0; last != NO_TOKEN && steps < LONGEST_PATH; ++steps) {
        uint32_t next = token_behind(unit, last);
        kind = unit_kind(unit, next);
        if (kind == TOK_LPAREN || kind == TOK_LBRACKET)
            last = closing_of(unit, next);
        else if (kind == TOK_DOT || kind == TOK_ARROW || kind == TOK_COLON_COLON)
            last = token_behind(unit, next);
        else
            return last + 1;
    }
    return NO_TOKEN;
}

/* (CUdeviceptr)x, CUdeviceptr(x) and reinterpret_cast<CUdeviceptr>(x), with the type at INDEX. */
static bool find_cast(const struct unit *unit, uint32_t index, struct range *res)
{
    uint32_t prev = token_before(unit, index), next = token_behind(unit, index);
    uint32_t before = token_before(unit, prev), behind = token_behind(unit, next);
    if (unit_kind(unit, prev) == TOK_LPAREN && partner_of(unit, prev) == next &&
        unit_kind(unit, before) != TOK_IDENT && unit_kind(unit, before) != TOK_SIZEOF) {
        *res = (struct range){prev, cast_operand_end(unit, behind)};
    } else if (unit_kind(unit, prev) == TOK_LESS && unit_kind(unit, before) == TOK_CAST &&
               unit_kind(unit, behind) == TOK_LPAREN) {
        *res = (struct range){before, closing_of(unit, behind)};
        res->end += res->end != NO_TOKEN;
    } else if (unit_kind(unit, next) == TOK_LPAREN && unit_kind(unit, behind) != TOK_STAR) {
        *res = (struct range){index, closing_of(unit, next)};
        res->end += res->end != NO_TOKEN;
    } else {
        return false;
    }
    return res->end != NO_TOKEN;
}

/* Whether << or >> at INDEX shifts by a number, and is not a stream's. */
static bool is_shifted(const struct unit *unit, uint32_t index)
{
    enum token_kind kind = unit_kind(unit, index);
    return (kind == TOK_SHIFT_LEFT || kind == TOK_SHIFT_RIGHT) &&
           unit_kind(unit, token_behind(unit, index)) == TOK_NUMBER;
}

/* Whether an operator for integers stands beside the expression RANGE, or beside the parentheses
   around it. */
static bool is_integer_operand(const struct unit *unit, struct range range)
{
    for (int steps = 0; steps < MOST_PARENTHESES; ++steps) {
        uint32_t prev = token_before(unit, range.begin);
        enum token_kind before = unit_kind(unit, prev);
        bool unary = (before == TOK_AMP || before == TOK_STAR) && is_unary(unit, prev);
        if (wants_integer(unit_kind(unit, range.end)) || (wants_integer(before) && !unary) ||
            before == TOK_TILDE || is_shifted(unit, range.end))
            return true;
        enum token_kind left = unit_kind(unit, token_before(unit, prev));
        if (before != TOK_LPAREN || partner_of(unit, prev) != range.end || left == TOK_IDENT ||
            left == TOK_GREATER)
            return false;
        range = (struct range){prev, range.end + 1};
    }
    return false;
}

/* Whether the expression that ends at INDEX, what an = assigns to, is a device pointer. */
static bool is_target(const struct unit *unit, uint32_t index)
{
    bool element = unit_kind(unit, index) == TOK_RBRACKET;
    if (element)
        index = token_before(unit, partner_of(unit, index));
    return unit_kind(unit, index) == TOK_IDENT && !pointer_is_type(unit, index) &&
           pointer_shape_at(unit, index) == (element ? POINTER_ELEMENTS : POINTER_VALUE);
}

static bool is_return(const struct unit *unit, uint32_t index)
{
    return unit_kind(unit, index) == TOK_STATEMENT &&
           !strcmp(unit_token(unit, index)->symbol->text, "return");
}

/* Whether what the return at INDEX answers is of SHAPE. */
static bool returns(const struct unit *unit, uint32_t index, enum pointer_shape shape)
{
    const struct function *fn = is_return(unit, index) ? side_function(unit, index) : NULL;
    return fn && fn->name != NO_TOKEN && unit_kind(unit, fn->name) == TOK_IDENT &&
           pointer_shape_at(unit, fn->name) == shape;
}

/* Whether a parenthesis behind token INDEX holds the arguments of a call or a condition. */
static bool opens_operands(const struct unit *unit, uint32_t index)
{
    enum token_kind kind = unit_kind(unit, index);
    return kind == TOK_IDENT || (kind == TOK_STATEMENT && !is_return(unit, index));
}

/* What stands before the expression that token INDEX is a part of: the = or return, the opening
   bracket, or an operator whose result is no address. */
static uint32_t expression_start(const struct unit *unit, uint32_t index)
{
    uint32_t at = token_before(unit, index);
    for (int steps = 0; at != NO_TOKEN && steps < LONGEST_SUM;
         ++steps, at = token_before(unit, at)) {
        enum token_kind kind = unit_kind(unit, at);
        uint32_t partner = partner_of(unit, at);
        if (partner != NO_TOKEN && partner < at && kind != TOK_LBRACE)
            at = partner;
        else if (kind == TOK_LPAREN && opens_operands(unit, token_before(unit, at)))
            return at;
        else if (kind != TOK_LPAREN && kind != TOK_IDENT && kind != TOK_NUMBER &&
                 kind != TOK_PLUS && kind != TOK_MINUS && kind != TOK_TILDE &&
                 kind != TOK_SHIFT_LEFT && kind != TOK_DOT && kind != TOK_ARROW &&
                 kind != TOK_COLON_COLON && !wants_integer(kind))
            return at;
    }
    return at;
}

/* An integer from here on: gives the expression around token INDEX its type back where it becomes a
   device pointer. False where a function of the API would take it. */
static bool restore_type(struct pointers *p, uint32_t index)
{
    const struct unit *unit = p->tr->unit;
    uint32_t start = expression_start(unit, index), before = token_before(unit, start);
    enum token_kind kind = unit_kind(unit, start);
    if (kind == TOK_LPAREN || kind == TOK_COMMA)
        return unit_kind(unit, before) != TOK_IDENT || !unit_token(unit, before)->symbol->api ||
               pointer_is_type(unit, before);
    bool pointer =
        kind == TOK_ASSIGN ? is_target(unit, before) : returns(unit, start, POINTER_FUNCTION);
    uint32_t first = token_behind(unit, start),
             end = pointer ? expression_end(unit, first, true) : NO_TOKEN;
    if (end == NO_TOKEN || p->wrapped == first)
        return true;
    p->wrapped = first;
    insert_before(p->tr, first, "(hipDeviceptr_t)(", EDIT_ARGUMENT);
    insert_behind(p->tr, token_before(unit, end), ")", EDIT_ARGUMENT);
    return true;
}

/* Makes the device pointer OPERAND an integer. */
static void make_integer(struct pointers *p, struct range operand)
{
    if (!restore_type(p, operand.begin)) {
        report_arithmetic(p->tr, (struct range){operand.begin, operand.end + 1});
        return;
    }
    insert_before(p->tr, operand.begin, "(size_t)", EDIT_ARGUMENT);
    p->done = operand.end;
}

/* OPERAND + n, OPERAND - n and OPERAND - another. */
static void write_sum(struct pointers *p, struct range operand)
{
    const struct unit *unit = p->tr->unit;
    uint32_t op = operand.end, second = token_behind(unit, op),
             end = expression_end(unit, second, false);
    uint32_t before = token_before(unit, operand.begin);
    enum token_kind kind = unit_kind(unit, before);
    bool begins =
        ends_sum(kind) || opens(unit, before) || kind == TOK_ASSIGN || kind == TOK_STATEMENT;
    uint32_t other = end == NO_TOKEN ? NO_TOKEN : pointer_between(unit, second, end);
    struct range right;
    if (begins && other != NO_TOKEN && unit_kind(unit, op) == TOK_MINUS &&
        find_operand(unit, other, &right) && right.begin == second && right.end == end) {
        make_integer(p, operand);
        if (p->done == operand.end)
            insert_before(p->tr, right.begin, "(size_t)", EDIT_ARGUMENT);
        p->done = end;
    } else if (!begins || end == NO_TOKEN || other != NO_TOKEN) {
        report_arithmetic(p->tr, (struct range){operand.begin, second + 1});
        p->done = other == NO_TOKEN ? operand.end : end;
    } else if (is_integer_operand(unit, (struct range){operand.begin, end})) {
        make_integer(p, operand);
    } else {
        insert_before(p->tr, operand.begin, "(hipDeviceptr_t)((char *)", EDIT_ARGUMENT);
        insert_behind(p->tr, token_before(unit, end), ")", EDIT_ARGUMENT);
    }
}

/* OPERAND += n and OPERAND -= n, with the operator behind it. */
static void write_advance(struct pointers *p, struct range operand)
{
    const struct unit *unit = p->tr->unit;
    uint32_t op = operand.end, end = expression_end(unit, token_behind(unit, op), true);
    if (end == NO_TOKEN) {
        report_arithmetic(p->tr, (struct range){operand.begin, op + 1});
        return;
    }
    struct span left = unit_span(unit, operand);
    const char *name =
        arena_strndup(p->tr->arena, unit->source->text + left.begin, left.end - left.begin);
    const struct token *token = unit_token(unit, op);
    uint32_t value = unit_token(unit, op + 1)->offset;
    bool plain = token->length + token->offset + 1 >= value;
    edit_add(&p->tr->t->edits, token->offset, plain ? value - token->offset : token->length,
             arena_printf(p->tr->arena, "= (hipDeviceptr_t)((char *)%s %s (", name,
                          token->kind == TOK_PLUS_ASSIGN ? "+" : "-"),
             EDIT_ARGUMENT);
    insert_behind(p->tr, token_before(unit, end), "))", EDIT_ARGUMENT);
}

/* n + OPERAND; the left operand of a sum of two was seen before. */
static void write_right_operand(struct pointers *p, struct range operand)
{
    const struct unit *unit = p->tr->unit;
    uint32_t op = token_before(unit, operand.begin), left = token_before(unit, op);
    enum token_kind kind = unit_kind(unit, left);
    bool binary =
        kind == TOK_IDENT || kind == TOK_NUMBER || kind == TOK_RPAREN || kind == TOK_RBRACKET;
    if (unit_kind(unit, op) != TOK_PLUS || !binary)
        report_arithmetic(p->tr, (struct range){binary ? left : op, operand.end});
    else
        insert_before(p->tr, operand.begin, "(char *)", EDIT_ARGUMENT);
}

/* Whether OPERAND is compared with a number that no pointer is compared with. */
static bool is_compared_with_number(const struct unit *unit, struct range operand)
{
    uint32_t number = token_behind(unit, operand.end);
    enum token_kind kind = unit_kind(unit, operand.end);
    if (unit_kind(unit, number) != TOK_NUMBER)
        return false;
    return kind == TOK_LESS || kind == TOK_GREATER || kind == TOK_LESS_EQUAL ||
           kind == TOK_GREATER_EQUAL;
}

/* Whether OPERAND alone is what an integer is set to or answered as. */
static bool becomes_integer(const struct unit *unit, struct range operand)
{
    uint32_t before = token_before(unit, operand.begin), target = token_before(unit, before);
    enum token_kind kind = unit_kind(unit, operand.end);
    if (kind != TOK_SEMICOLON && kind != TOK_COMMA)
        return false;
    if (unit_kind(unit, before) == TOK_ASSIGN)
        return unit_kind(unit, target) == TOK_IDENT &&
               pointer_shape_at(unit, target) == POINTER_INTEGER;
    return returns(unit, before, POINTER_INTEGER);
}

/* static_cast<size_t>(OPERAND): only reinterpret_cast goes between pointers and integers. */
static void write_static_cast(struct transform *tr, struct range operand)
{
    static const char *const names[] = {"size_t",  "uintptr_t", "intptr_t",  "ptrdiff_t",
                                        "int64_t", "uint64_t",  "cuuint64_t"};
    const struct unit *unit = tr->unit;
    uint32_t lparen = token_before(unit, operand.begin), greater = token_before(unit, lparen);
    uint32_t less = unit_kind(unit, greater) == TOK_GREATER ? partner_of(unit, greater) : NO_TOKEN;
    uint32_t cast = less == NO_TOKEN ? NO_TOKEN : token_before(unit, less);
    if (partner_of(unit, lparen) != operand.end || unit_kind(unit, cast) != TOK_CAST ||
        strcmp(unit_token(unit, cast)->symbol->text, "static_cast"))
        return;
    const struct symbol *type = unit_token(unit, token_before(unit, greater))->symbol;
    bool wide = type && !strcmp(type->text, "long");
    for (size_t i = 0; type && i < sizeof names / sizeof *names; ++i)
        wide |= !strcmp(type->text, names[i]);
    if (wide)
        replace_token(tr, cast, "reinterpret_cast", EDIT_ARGUMENT);
}

static void examine(struct pointers *p, struct range operand)
{
    const struct unit *unit = p->tr->unit;
    uint32_t prev = token_before(unit, operand.begin);
    enum token_kind before = unit_kind(unit, prev), after = unit_kind(unit, operand.end);
    if (after == TOK_PLUS_ASSIGN || after == TOK_MINUS_ASSIGN) {
        write_advance(p, operand);
        return;
    }
    if (after == TOK_PLUS_PLUS || after == TOK_MINUS_MINUS) {
        report_arithmetic(p->tr, (struct range){operand.begin, operand.end + 1});
        return;
    }
    if (before == TOK_PLUS_PLUS || before == TOK_MINUS_MINUS) {
        report_arithmetic(p->tr, (struct range){prev, operand.end});
        return;
    }
    /* Behind a cast it is of another type, and its address is none of its values. */
    if (before == TOK_RPAREN || ((before == TOK_AMP || before == TOK_STAR) && is_unary(unit, prev)))
        return;
    if (after == TOK_PLUS || after == TOK_MINUS)
        write_sum(p, operand);
    else if (is_integer_operand(unit, operand) || is_compared_with_number(unit, operand) ||
             becomes_integer(unit, operand))
        make_integer(p, operand);
    else if (before == TOK_PLUS || before == TOK_MINUS)
        write_right_operand(p, operand);
    else
        write_static_cast(p->tr, operand);
}

/* static_cast<CUdeviceptr>(integer), with the type at INDEX. */
static void write_cast_to_pointer(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    uint32_t less = token_before(unit, index), cast = token_before(unit, less);
    if (unit_kind(unit, less) == TOK_LESS && unit_kind(unit, cast) == TOK_CAST &&
        !strcmp(unit_token(unit, cast)->symbol->text, "static_cast"))
        replace_token(tr, cast, "reinterpret_cast", EDIT_ARGUMENT);
}

/* The `=` behind *(CUdeviceptr *)place or *(reinterpret_cast<CUdeviceptr *>(place)), whose type
   stands at INDEX; NO_TOKEN for anything else. */
static uint32_t assignment_through(const struct unit *unit, uint32_t index)
{
    enum { LONGEST = 50 };
    uint32_t close = token_behind(unit, token_behind(unit, index)), open = partner_of(unit, close);
    if (unit_kind(unit, token_behind(unit, index)) != TOK_STAR || open == NO_TOKEN ||
        index < open || token_before(unit, index) != open)
        return NO_TOKEN;
    uint32_t first = open;
    if (unit_kind(unit, open) == TOK_LESS)
        first = token_before(unit, open);
    else if (unit_kind(unit, open) != TOK_LPAREN)
        return NO_TOKEN;
    uint32_t star = token_before(unit, first);
    for (int steps = 0; unit_kind(unit, star) == TOK_LPAREN && steps < LONGEST; ++steps)
        star = token_before(unit, star);
    enum token_kind before = unit_kind(unit, token_before(unit, star));
    if (unit_kind(unit, star) != TOK_STAR ||
        (before != TOK_SEMICOLON && before != TOK_LBRACE && before != TOK_RBRACE))
        return NO_TOKEN;
    uint32_t at = token_behind(unit, close);
    for (int steps = 0; steps < LONGEST; ++steps, at = token_behind(unit, at)) {
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
    uint32_t first = token_behind(unit, assign), end = expression_end(unit, first, false);
    const struct token *token = unit_token(unit, first);
    if (end == NO_TOKEN || end <= first || unit_kind(unit, end) != TOK_SEMICOLON ||
        is_pointer(unit, first) || token->kind == TOK_LPAREN || token->kind == TOK_CAST ||
        token->kind == TOK_NUMBER)
        return;
    bool alone = token_behind(unit, first) == end;
    insert_before(tr, first, alone ? "(hipDeviceptr_t)" : "(hipDeviceptr_t)(", EDIT_ARGUMENT);
    if (!alone)
        insert_behind(tr, token_before(unit, end), ")", EDIT_ARGUMENT);
}

/* What is computed with the result of a cast. */
static void examine_cast(struct pointers *p, struct range operand)
{
    enum token_kind before = unit_kind(p->tr->unit, unit_prev(p->tr->unit, operand.begin));
    enum token_kind after = unit_kind(p->tr->unit, operand.end);
    if (before == TOK_RPAREN)
        return;
    if (after == TOK_PLUS || after == TOK_MINUS)
        write_sum(p, operand);
    else if (is_integer_operand(p->tr->unit, operand))
        make_integer(p, operand);
}

void transform_device_pointers(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    const struct symbol *type = symbol_find(unit->symbols, "CUdeviceptr");
    if (!type || !type->api || type->user)
        return;
    pointer_names_collect(tr);
    struct pointers p = {.tr = tr, .wrapped = NO_TOKEN};
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind != TOK_IDENT || token_region(token) != REGION_COMMON ||
            !token_is_code(token) || i < p.done)
            continue;
        struct range operand;
        if (pointer_is_type(unit, i)) {
            write_cast_to_pointer(tr, i);
            cast_stored(tr, i);
            if (find_cast(unit, i, &operand))
                examine_cast(&p, operand);
        } else if (token->symbol->pointers && find_operand(unit, i, &operand)) {
            examine(&p, operand);
        }
    }
}
