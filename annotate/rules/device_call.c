/* api-device-call, api-device-launch: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

static bool is_device_only(const struct function *fn)
{
    return fn->flags & FUNCTION_GLOBAL ||
           (fn->flags & FUNCTION_DEVICE && !(fn->flags & FUNCTION_HOST));
}

static bool is_host_api(const struct api *api)
{
    return api && api->kind == API_FUNCTION &&
           (!strcmp(api->library, "runtime") || !strcmp(api->library, "driver"));
}

static void look_at_body(struct annotation *a, const struct function *fn)
{
    const struct unit *unit = a->unit;
    for (uint32_t i = fn->body.begin; i < fn->body.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token_region(token) != REGION_COMMON || token->flags & TOKEN_DIRECTIVE)
            continue;
        if (token->kind != TOK_IDENT || !is_host_api(token->symbol->api) || token->symbol->user ||
            unit_token(unit, unit_next(unit, i))->kind != TOK_LPAREN)
            continue;
        if (!unit_is_member(unit, i))
            findings_add(a->findings, RULE_API_DEVICE_CALL, unit_token_span(unit, i),
                         token->symbol->text, NULL, NULL);
    }
}

void rule_device_call(struct annotation *a)
{
    const struct unit *unit = a->unit;
    size_t l = 0;
    uint32_t end = 0;
    vec_each (const struct function, fn, &unit->functions) {
        if (!is_device_only(fn) || fn->body.begin >= fn->body.end || fn->body.begin < end)
            continue;
        end = fn->body.end;
        look_at_body(a, fn);
        while (l < unit->launches.count && unit->launches.items[l].open < fn->body.begin)
            ++l;
        for (; l < unit->launches.count && unit->launches.items[l].open < fn->body.end; ++l) {
            const struct launch *launch = &unit->launches.items[l];
            if (token_region(unit_token(unit, launch->open)) == REGION_COMMON)
                findings_add(a->findings, RULE_API_DEVICE_LAUNCH, unit_span(unit, launch->callee),
                             NULL, NULL, NULL);
        }
    }
}
