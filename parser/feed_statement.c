/* What begins only at the start of a statement, and the words that statements begin with: aliases,
   macros that are statements or the heads of loops, control flow.  */
#include <config.h>

#include "parser/feed_p.h"

/* using ...; typedef ...; static_assert(...); */
static int feed_alias(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = first;
    while (i < body->end && unit_kind(unit, i) != TOK_SEMICOLON && unit_kind(unit, i) != TOK_RBRACE)
        i = body_opens_pair(unit, i, body->end) ? body_step_pair(unit, i) : body_step(unit, i);
    if (i < body->end && unit_kind(unit, i) == TOK_SEMICOLON)
        i = body_step(unit, i);
    return statement_behind(body, i < body->end ? i : body->end, ALIAS);
}

/* Whether the call of the macro at FIRST is a statement without a semicolon: by what follows it. */
static bool ends_macro_call(const struct unit *unit, uint32_t first, uint32_t next)
{
    switch (unit_kind(unit, next)) {
    case TOK_RBRACE:
    case TOK_STATEMENT:
    case TOK_IDENT:
    case TOK_TYPE:
    case TOK_SPECIFIER:
    case TOK_SHARED:
    case TOK_EXTERN:
    case TOK_USING:
    case TOK_TYPEDEF:
    case TOK_CLASS:
    case TOK_ENUM:
    case TOK_TYPENAME:
    case TOK_DECLTYPE:
    case TOK_CAST:
    case TOK_STATIC_ASSERT:
        return true;
    case TOK_LPAREN:
    case TOK_COLON_COLON:
    case TOK_STAR:
    case TOK_PLUS_PLUS:
    case TOK_MINUS_MINUS:
        return body_begins_line(unit, next) && body_is_macro_name(unit, first);
    default:
        return false;
    }
}

static bool is_statement_word(const struct unit *unit, uint32_t index)
{
    return unit_kind(unit, index) == TOK_STATEMENT && !body_is_word(unit, index, "new") &&
           !body_is_word(unit, index, "delete");
}

/* Whether the arguments that open at OPEN hold words that no expression has: `(parallel for)`. */
static bool has_keyword(const struct unit *unit, uint32_t open)
{
    uint32_t close = unit_partner(unit, open);
    bool res = false;
    for (uint32_t i = body_step(unit, open); i < close;) {
        if (unit_kind(unit, i) == TOK_SEMICOLON)
            return false;
        res |= is_statement_word(unit, i);
        i = body_opens_pair(unit, i, close) ? body_step_pair(unit, i) : body_step(unit, i);
    }
    return res;
}

/* NAME (...) at the start of a statement that no semicolon ends: a macro; 0 where it is none. */
static int feed_macro(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t open = body_pasted_end(unit, first);
    switch (unit_kind(unit, open)) {
    case TOK_COLON:
        return statement_behind(body, body_step(unit, open), LABEL);
    case TOK_LBRACE: {
        enum token_kind behind = unit_kind(unit, body_step_pair(unit, open));
        if (behind == TOK_DOT || behind == TOK_LPAREN || behind == TOK_SEMICOLON)
            return 0; /* T{x}.f() */
        return statement_behind(body, open, ALIAS);
    }
    case TOK_STATEMENT:
    case TOK_RBRACE:
        /* A macro for a pragma, or the head of a loop. */
        return statement_behind(body, open, ALIAS);
    case TOK_LPAREN:
        break;
    default:
        return 0;
    }
    if (!body_opens_pair(unit, open, body->end))
        return 0;
    uint32_t close = unit_partner(unit, open), next = body_step(unit, close);
    int res;
    if (unit_kind(unit, next) == TOK_LBRACE)
        res = MACRO_LOOP;
    else if (ends_macro_call(unit, first, next))
        res = MACRO_CALL;
    else
        return 0;
    if (has_keyword(unit, open))
        return statement_behind(body, next, ALIAS);
    body->parenthesis = PLACE_STATEMENT;
    return operator_to(body, open, res);
}

/* asm volatile (...) */
static int feed_asm(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = body_step(unit, first);
    while (i < body->end && (unit_kind(unit, i) == TOK_SPECIFIER || body_is_word(unit, i, "goto")))
        i = body_step(unit, i);
    if (i < body->end && unit_kind(unit, i) == TOK_LPAREN && body_opens_pair(unit, i, body->end))
        return operator_to(body, body_step_pair(unit, i), ASM);
    return operator_to(body, i, OTHER);
}

static int feed_new(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = body_step(unit, first);
    if (i < body->end && unit_kind(unit, i) == TOK_LPAREN) /* placement */
        i = body_step_pair(unit, i);
    body->type_next = true;
    return operator_to(body, i, NEW);
}

int feed_word(struct body *body, uint32_t first)
{
    static const struct word {
        const char *text;
        int token;
        enum body_place parenthesis; /* that a ( begins */
        bool statement;              /* one begins behind it */
        bool label;                  /* a colon ends it */
    } words[] = {
        {"break", BREAK, 0, false, false},
        {"case", CASE, 0, false, true},
        {"continue", CONTINUE, 0, false, false},
        {"default", DEFAULT, 0, false, true},
        {"delete", DELETE, 0, false, false},
        {"do", DO, 0, true, false},
        {"else", ELSE, 0, true, false},
        {"for", FOR, PLACE_FOR, false, false},
        {"goto", GOTO, 0, false, false},
        {"if", IF, PLACE_CONDITION, false, false},
        {"return", RETURN, 0, false, false},
        {"switch", SWITCH, PLACE_CONDITION, false, false},
        {"try", TRY, 0, true, false},
        {"while", WHILE, PLACE_CONDITION, false, false},
    };
    const struct unit *unit = body->unit;
    uint32_t next = body_step(unit, first);
    if (body_is_word(unit, first, "asm") || body_is_word(unit, first, "__asm__"))
        return feed_asm(body, first);
    if (body_is_word(unit, first, "new"))
        return feed_new(body, first);
    if (body_is_word(unit, first, "delete") && unit_kind(unit, next) == TOK_LBRACKET)
        return operator_to(body, body_step_pair(unit, next), DELETE);
    if (body_is_word(unit, first, "catch"))
        return statement_behind(body, body_step_pair(unit, next), CATCH);
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        const struct word *word = &words[i];
        if (!body_is_word(unit, first, word->text))
            continue;
        body->parenthesis = word->parenthesis;
        body->label = word->label;
        /* if constexpr, or a macro for it */
        if (word->parenthesis &&
            (unit_kind(unit, next) == TOK_SPECIFIER || unit_kind(unit, next) == TOK_IDENT))
            next = body_step(unit, next);
        return word->statement ? statement_behind(body, next, word->token)
                               : operator_to(body, next, word->token);
    }
    return operator_to(body, next, OTHER);
}

/* Whether a semicolon lies directly between the brackets that open at OPEN. */
static bool has_semicolon(const struct unit *unit, uint32_t open)
{
    uint32_t close = unit_partner(unit, open), i = body_step(unit, open);
    while (i < close && unit_kind(unit, i) != TOK_SEMICOLON)
        i = body_opens_pair(unit, i, close) ? body_step_pair(unit, i) : body_step(unit, i);
    return i < close;
}

int feed_statements(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    if (unit_kind(unit, first) == TOK_LBRACE && body_opens_pair(unit, first, body->end) &&
        (has_semicolon(unit, first) || is_statement_word(unit, body_step(unit, first))))
        return feed_open_brace(body, first, true);
    if (unit_kind(unit, first) != TOK_LPAREN || !body_opens_pair(unit, first, body->end))
        return 0;
    uint32_t close = unit_partner(unit, first), i = body_step(unit, first);
    enum token_kind next = unit_kind(unit, body_step(unit, close));
    if (next != TOK_COMMA && next != TOK_RPAREN)
        return 0;
    if (i < close && unit_kind(unit, i) == TOK_LBRACE)
        return 0;
    bool certain = i == close || is_statement_word(unit, i);
    if (!certain && !has_semicolon(unit, first))
        return 0;
    feed_open(body, first)->block = true;
    return statement_behind(body, body_step(unit, first), STATEMENTS_OPEN);
}

/* Whether the name at FIRST is a macro that is a line of its own: PUSH_WARNINGS. */
static bool is_macro_statement(const struct unit *unit, uint32_t first, enum body_place place)
{
    if (place != PLACE_STATEMENT || unit_kind(unit, first) != TOK_IDENT)
        return false;
    uint32_t next = body_step(unit, first);
    enum token_kind kind = unit_kind(unit, next);
    if (!unit_token(unit, next)->symbol && kind != TOK_RBRACE)
        return false;
    if (!body_is_macro_name(unit, first))
        return false;
    if (body_begins_line(unit, next))
        return true;
    enum token_kind after = unit_kind(unit, body_step(unit, next));
    return (after == TOK_IDENT || after == TOK_RBRACE) && body_is_macro_name(unit, next);
}

int feed_start(struct body *body, uint32_t first, enum body_place place)
{
    const struct unit *unit = body->unit;
    switch (unit_kind(unit, first)) {
    case TOK_USING:
    case TOK_TYPEDEF:
    case TOK_NAMESPACE:
    case TOK_STATIC_ASSERT:
        return feed_alias(body, first);
    case TOK_LBRACE:
        if (place != PLACE_STATEMENT)
            return 0;
        if (body_opens_pair(unit, first, body->end))
            return feed_open_brace(body, first, true);
        /* One of two that a single brace closes, in the branches of an #if. */
        return statement_behind(body, body_step(unit, first), ';');
    default:
        break;
    }
    if (is_macro_statement(unit, first, place))
        return statement_behind(body, body_step(unit, first), ALIAS);
    if (innermost(body)->mixed && place == PLACE_STATEMENT) {
        int res = feed_statements(body, first);
        if (res)
            return res;
    }
    if (body_is_declaration(unit, first, body->end, place))
        return feed_type(body, first);
    if (place == PLACE_STATEMENT && unit_kind(unit, first) == TOK_IDENT)
        return feed_macro(body, first);
    return 0;
}

int feed_type(struct body *body, uint32_t first)
{
    body->declarator = true;
    innermost(body)->declares = true;
    return operator_to(body, body_type_end(body->unit, first, body->end), TYPE);
}

bool feed_has_statements(const struct unit *unit, uint32_t open)
{
    return body_is_macro_name(unit, unit_prev(unit, open)) && has_semicolon(unit, open);
}
