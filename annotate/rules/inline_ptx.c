/* ptx-inline: see its page in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

/* Whether the text of the asm statement at INDEX is empty. */
static bool is_barrier(const struct unit *unit, uint32_t index)
{
    uint32_t at = unit_next(unit, index);
    while (unit_token(unit, at)->kind == TOK_SPECIFIER ||
           unit_token(unit, at)->kind == TOK_STATEMENT)
        at = unit_next(unit, at);
    if (unit_token(unit, at)->kind != TOK_LPAREN)
        return true; /* no asm statement */
    const struct token *text = unit_token(unit, unit_next(unit, at));
    return text->kind != TOK_STRING || text->length == 2;
}

void rule_inline_ptx(struct annotation *a)
{
    const struct unit *unit = a->unit;
    uint32_t end = 0;
    vec_each (const struct function, fn, &unit->functions) {
        if (!(fn->flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE)))
            continue;
        for (uint32_t i = fn->body.begin < end ? end : fn->body.begin; i < fn->body.end; ++i) {
            const struct token *token = unit_token(unit, i);
            if (token->kind != TOK_STATEMENT || token_region(token) != REGION_COMMON ||
                (strcmp(token->symbol->text, "asm") && strcmp(token->symbol->text, "__asm__")) ||
                is_barrier(unit, i))
                continue;
            findings_add(a->findings, RULE_PTX_INLINE, unit_span(unit, (struct range){i, i + 1}),
                         NULL, NULL, NULL);
        }
        end = fn->body.end;
    }
}
