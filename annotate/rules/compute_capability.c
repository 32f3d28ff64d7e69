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

static struct finding *report_value(struct annotation *a, struct range range)
{
    return findings_add(a->findings, RULE_API_COMPUTE_CAPABILITY, unit_span(a->unit, range),
                        unit_quote(a->unit, range), NULL, NULL);
}

/* The fields of cudaDeviceProp. */
static void find_properties(struct annotation *a)
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
        report_value(a, (struct range){variable, i + 1});
    }
}

/* Whether the value at INDEX is compared or computed with. */
static bool is_computed_with(const struct unit *unit, uint32_t index)
{
    static const enum token_kind operators[] = {
        TOK_LESS,      TOK_GREATER, TOK_LESS_EQUAL, TOK_GREATER_EQUAL, TOK_EQUAL,
        TOK_NOT_EQUAL, TOK_STAR,    TOK_SLASH,      TOK_PLUS,          TOK_MINUS,
    };
    uint32_t prev = unit_prev(unit, index);
    enum token_kind before = unit_kind(unit, prev), after = unit_kind(unit, unit_next(unit, index));
    for (size_t i = 0; i < sizeof operators / sizeof *operators; ++i)
        if (before == operators[i] || after == operators[i])
            return true;
    uint32_t word = before == TOK_LPAREN ? unit_prev(unit, prev) : NO_TOKEN;
    return unit_kind(unit, word) == TOK_STATEMENT &&
           !strcmp(unit_token(unit, word)->symbol->text, "switch");
}

/* Reports what is computed with the variable that a query fills at token INDEX, up to the end of
   the function. One statement is one decision, also where it began with MAJOR. */
static void report_uses(struct annotation *a, uint32_t index, const struct symbol *major)
{
    enum { LONGEST = 2000 };
    const struct unit *unit = a->unit;
    uint32_t at = unit_function_before(unit, index);
    if (at == NO_INDEX)
        return;
    uint32_t end = unit->functions.items[at].body.end;
    end = end < index + LONGEST ? end : index + LONGEST;
    const struct symbol *variable = unit_token(unit, index)->symbol;
    bool reported = false;
    for (uint32_t i = index + 1; i < end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_SEMICOLON || token->kind == TOK_LBRACE)
            reported = false;
        if (major && token->symbol == major)
            reported = true;
        if (reported || token->symbol != variable || token_region(token) == REGION_CUDA ||
            unit_is_member(unit, i) || is_shown(unit, i, i) || !is_computed_with(unit, i))
            continue;
        reported = true;
        struct finding *f = report_value(a, (struct range){i, i + 1});
        finding_add_related(f, RELATED_WRITTEN, unit_token_span(unit, index), variable->text);
    }
}

/* Reports the variable of &VARIABLE at INDEX, which is behind *LAST, the one that a query filled
   before it; answers what stands behind it. */
static uint32_t report_filled(struct annotation *a, uint32_t index, const struct symbol **last)
{
    const struct unit *unit = a->unit;
    uint32_t name = unit_next(unit, index), behind = unit_next(unit, name);
    if (unit_kind(unit, index) == TOK_AMP && unit_kind(unit, name) == TOK_IDENT &&
        unit_kind(unit, behind) == TOK_COMMA) {
        const struct symbol *variable = unit_token(unit, name)->symbol;
        report_uses(a, name, *last == variable ? NULL : *last);
        *last = variable;
    }
    return behind;
}

/* Variables that cudaDeviceGetAttribute() and its kin fill. */
static void find_queries(struct annotation *a)
{
    enum { MOST = 32 };
    static const char *const attributes[] = {
        "cudaDevAttrComputeCapabilityMajor",
        "cudaDevAttrComputeCapabilityMinor",
        "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
        "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR",
        "hipDeviceAttributeComputeCapabilityMajor",
        "hipDeviceAttributeComputeCapabilityMinor",
    };
    static const char *const calls[] = {"cuDeviceComputeCapability", "hipDeviceComputeCapability"};
    const struct unit *unit = a->unit;
    const struct symbol *asked[8];
    size_t count = 0, call_count = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
        if ((asked[count] = symbol_find(unit->symbols, calls[i])) != NULL)
            call_count = ++count;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i)
        if ((asked[count] = symbol_find(unit->symbols, attributes[i])) != NULL)
            ++count;
    int found = 0;
    const struct symbol *last = NULL;
    for (uint32_t i = 0; count && found < MOST && i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind != TOK_IDENT || token_region(token) == REGION_CUDA)
            continue;
        size_t k = 0;
        while (k < count && asked[k] != token->symbol)
            ++k;
        if (k == count)
            continue;
        ++found;
        if (k < call_count) { /* (&major, &minor, device) */
            uint32_t behind = report_filled(a, unit_next(unit, unit_next(unit, i)), &last);
            report_filled(a, unit_next(unit, behind), &last);
            continue;
        }
        uint32_t comma = unit_prev(unit, i);
        uint32_t name = comma == NO_TOKEN ? NO_TOKEN : unit_prev(unit, comma);
        if (unit_kind(unit, comma) == TOK_COMMA && unit_kind(unit, name) == TOK_IDENT)
            report_filled(a, unit_prev(unit, name), &last);
    }
}

void rule_compute_capability(struct annotation *a)
{
    find_properties(a);
    find_queries(a);
}
