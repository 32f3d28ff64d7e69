/* api-compute-capability: see its page in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

static bool is_property(const struct symbol *symbol)
{
    return symbol->type && !strcmp(symbol->type->cuda, "cudaDeviceProp");
}

/* The variable that the member access at the dot or arrow DOT reads from: the last name before it,
   array indices skipped. */
static uint32_t accessed_variable(const struct unit *unit, uint32_t dot)
{
    uint32_t at = unit_prev(unit, dot);
    while (at != NO_TOKEN && unit_token(unit, at)->kind == TOK_RBRACKET &&
           unit_token(unit, at)->partner != NO_TOKEN)
        at = unit_prev(unit, unit_token(unit, at)->partner);
    return at != NO_TOKEN && unit_token(unit, at)->kind == TOK_IDENT ? at : NO_TOKEN;
}

static bool is_printing(const struct symbol *symbol)
{
    enum { LONGEST = 100 };
    if (LONGEST < symbol->len)
        return false;
    return strstr(symbol->text, "print") || strstr(symbol->text, "log") ||
           strstr(symbol->text, "LOG") || strstr(symbol->text, "PRINT");
}

/* Shown to a person only: an argument of printf or of a stream. */
static bool is_shown(const struct unit *unit, uint32_t variable, uint32_t member)
{
    uint32_t before = unit_prev(unit, variable), behind = unit_next(unit, member);
    enum token_kind kind = unit_kind(unit, before);
    if (kind == TOK_SHIFT_LEFT || unit_token(unit, behind)->kind == TOK_SHIFT_LEFT)
        return true;
    /* Back to the opening parenthesis of the call, over whole arguments. */
    for (int steps = 0; before != NO_TOKEN && steps < 200; ++steps) {
        const struct token *token = unit_token(unit, before);
        switch (token->kind) {
        case TOK_LPAREN: {
            uint32_t callee = unit_prev(unit, before);
            return callee != NO_TOKEN && unit_token(unit, callee)->kind == TOK_IDENT &&
                   is_printing(unit_token(unit, callee)->symbol);
        }
        case TOK_SEMICOLON:
        case TOK_LBRACE:
        case TOK_RBRACE:
            return false;
        case TOK_RPAREN:
        case TOK_RBRACKET:
            if (token->partner == NO_TOKEN || before < token->partner)
                return false;
            before = unit_prev(unit, token->partner);
            break;
        default:
            before = unit_prev(unit, before);
            break;
        }
    }
    return false;
}

void rule_compute_capability(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!symbol_find(unit->symbols, "major") && !symbol_find(unit->symbols, "minor"))
        return;
    uint32_t statement = NO_TOKEN, reported = NO_TOKEN;
    for (uint32_t i = 1; i + 1 < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_SEMICOLON || token->kind == TOK_LBRACE || token->kind == TOK_RBRACE)
            statement = i;
        if (!token->symbol || token->symbol->len != 5 || token_region(token) == REGION_CUDA ||
            (strcmp(token->symbol->text, "major") && strcmp(token->symbol->text, "minor")))
            continue;
        uint32_t dot = unit_prev(unit, i);
        if (dot == NO_TOKEN ||
            (unit_token(unit, dot)->kind != TOK_DOT && unit_token(unit, dot)->kind != TOK_ARROW))
            continue;
        uint32_t variable = accessed_variable(unit, dot);
        if (variable == NO_TOKEN || !is_property(unit_token(unit, variable)->symbol) ||
            is_shown(unit, variable, i))
            continue;
        /* prop.major * 10 + prop.minor is one decision. */
        if (statement == reported && reported != NO_TOKEN)
            continue;
        reported = statement;
        struct range range = {variable, i + 1};
        findings_add(a->findings, RULE_API_COMPUTE_CAPABILITY, unit_span(unit, range),
                     unit_quote(unit, range), NULL, NULL);
    }
}
