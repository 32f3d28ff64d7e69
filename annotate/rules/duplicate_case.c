/* api-duplicate-case

   Finds: labels of one switch that name different enumerators of CUDA's and the same one of HIP's.
   Why: CUDA's runtime and driver have enumerators of their own for many errors, HIP has one for
   both; a label twice does not compile.

   Before: case CUDA_ERROR_OUT_OF_MEMORY: ... case cudaErrorMemoryAllocation: ...
   After:  case hipErrorOutOfMemory: ...

   Fix: none; the two branches may do different things.
   Silent: labels in different branches of a conditional.  */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

struct label {
    uint32_t token;
    const struct api *api;
};

static struct span label_span(const struct annotation *a, const struct label *label)
{
    return unit_span(a->unit, (struct range){label->token, label->token + 1});
}

static void examine(struct annotation *a, const struct label *labels, size_t count,
                    const struct label *label)
{
    enum { MOST = 1000 }; /* labels of one switch; keeps damaged text linear */
    for (size_t i = 0; i < count && i < MOST; ++i) {
        if (labels[i].api == label->api || strcmp(labels[i].api->hip, label->api->hip) ||
            unit_branch_at(a->unit, labels[i].token) != unit_branch_at(a->unit, label->token))
            continue;
        struct finding *f = findings_add(a->findings, RULE_API_DUPLICATE_CASE, label_span(a, label),
                                         labels[i].api->cuda, label->api->cuda, label->api->hip);
        finding_add_related(f, RELATED_LABEL, label_span(a, &labels[i]), NULL);
        return;
    }
}

/* Whether two names of the API's may follow the word case. */
static bool has_labels(const struct unit *unit)
{
    int count = 0;
    if (!symbol_find(unit->symbols, "case"))
        return false;
    vec_each (const uint32_t, at, &unit->tokens.landmarks)
        if (unit_kind(unit, unit_prev(unit, *at)) == TOK_STATEMENT && 2 <= ++count)
            return true;
    return false;
}

void rule_duplicate_case(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!has_labels(unit))
        return;
    VEC(struct label) labels = {0};
    VEC(size_t) frames = {0}; /* of each open brace, the first label inside */
    for (uint32_t i = 0; i + 2 < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->flags & TOKEN_DIRECTIVE)
            continue;
        if (token->kind == TOK_LBRACE) {
            *vec_push(&frames) = labels.count;
        } else if (token->kind == TOK_RBRACE && frames.count) {
            labels.count = frames.items[--frames.count];
        } else if (token->kind == TOK_STATEMENT && frames.count &&
                   token_region(token) == REGION_COMMON && !strcmp(token->symbol->text, "case")) {
            uint32_t name = unit_next(unit, i);
            const struct symbol *symbol = unit_token(unit, name)->symbol;
            if (!symbol || !symbol->api || !symbol->api->hip || symbol->user ||
                unit_token(unit, unit_next(unit, name))->kind != TOK_COLON)
                continue;
            struct label label = {name, symbol->api};
            size_t first = frames.items[frames.count - 1];
            examine(a, labels.items + first, labels.count - first, &label);
            *vec_push(&labels) = label;
        }
    }
    vec_release(&labels);
    vec_release(&frames);
}
