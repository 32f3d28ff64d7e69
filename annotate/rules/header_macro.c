/* api-header-macro: see its page in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

/* Macros of HIP's headers with names that a program may have of its own: amd_device_functions.h and
   amd_warp_functions.h of HIP 5.2 to 7.2. */
static const char *const macros[] = {"MASK1", "MASK2", "HW_ID", "MAYBE_UNDEF"};
enum { MACROS = sizeof macros / sizeof *macros };

/* Whether the name at INDEX is declared there. */
static bool is_declaration(const struct unit *unit, uint32_t index)
{
    enum token_kind before = unit_kind(unit, unit_prev(unit, index));
    enum token_kind behind = unit_kind(unit, unit_next(unit, index));
    uint32_t scope = unit_scope_at(unit, index);
    if (scope != NO_INDEX && unit->scopes.items[scope].kind == SCOPE_ENUM)
        return before == TOK_LBRACE || before == TOK_COMMA;
    if (before != TOK_TYPE && before != TOK_IDENT && before != TOK_STAR)
        return false;
    switch (behind) {
    case TOK_ASSIGN:
    case TOK_LBRACKET:
    case TOK_LBRACE:
        return true;
    case TOK_SEMICOLON:
    case TOK_COMMA:
    case TOK_RPAREN:
    case TOK_GREATER:
        return before != TOK_STAR; /* else a product */
    default:
        return false;
    }
}

/* Whether the file says itself what SYMBOL is as a macro. */
static bool has_macro(const struct unit *unit, const struct symbol *symbol)
{
    vec_each (const struct directive, d, &unit->directives)
        if ((d->kind == TOK_PP_DEFINE || d->kind == TOK_PP_UNDEF) && d->name != NO_TOKEN &&
            unit_token(unit, d->name)->symbol == symbol)
            return true;
    return false;
}

/* Whether the file has code for GPUs, so that HIP's headers are there. */
static bool has_device_code(const struct unit *unit)
{
    vec_each (const struct function, fn, &unit->functions)
        if (function_on_device(fn))
            return true;
    return false;
}

/* Reports where SYMBOL is first declared. */
static void examine(struct annotation *a, const struct symbol *symbol)
{
    const struct unit *unit = a->unit;
    uint32_t count = (uint32_t)unit->tokens.list.count;
    for (uint32_t i = 0; i + 1 < count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_IDENT && token->symbol == symbol && token_is_code(token) &&
            token_region(token) != REGION_CUDA && is_declaration(unit, i)) {
            annotation_add(a, RULE_API_HEADER_MACRO, (struct range){i, i + 1});
            return;
        }
    }
}

void rule_header_macro(struct annotation *a)
{
    for (int i = 0; i < MACROS; ++i) {
        const struct symbol *symbol = symbol_find(a->unit->symbols, macros[i]);
        if (symbol && has_device_code(a->unit) && !has_macro(a->unit, symbol))
            examine(a, symbol);
    }
}
