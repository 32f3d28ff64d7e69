#include <config.h>

#include "parser/measure.h"

/* The tokens of RANGE that a compiler for AMD GPUs reads as code. */
static uint64_t count_tokens(const struct unit *unit, struct range range)
{
    uint64_t res = 0;
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct token *token = unit_token(unit, i);
        res += token_is_code(token) && token->kind != TOK_END_DIRECTIVE &&
               token_region(token) != REGION_CUDA;
    }
    return res;
}

static void add_opaque(struct measure *measure, const struct unit *unit, const struct node *node)
{
    if (node->kind == NODE_OPAQUE) {
        uint64_t tokens = count_tokens(unit, node->tokens);
        enum token_kind kind = node->flags & OPAQUE_DEEP ? TOK_EOF : unit_kind(unit, node->token);
        struct measure_reason *reason = &measure->reasons[kind];
        measure->opaque += tokens;
        reason->tokens += tokens;
        if (!reason->places++)
            reason->first = node->token;
    }
    tree_each (kid, node)
        add_opaque(measure, unit, kid);
}

void measure_add(struct measure *measure, const struct unit *unit, struct range body,
                 const struct node *tree)
{
    if (measure->end < body.end) {
        uint32_t begin = measure->end < body.begin ? body.begin : measure->end;
        measure->tokens += count_tokens(unit, (struct range){begin, body.end});
        measure->end = body.end;
    }
    add_opaque(measure, unit, tree);
}

void measure_device(struct measure *measure, struct trees *trees)
{
    vec_each (const struct function, fn, &trees->unit->functions)
        if (function_on_device(fn) && fn->body.begin < fn->body.end)
            measure_add(measure, trees->unit, fn->body, tree_body(trees, fn->body));
}

unsigned measure_share(const struct measure *measure)
{
    if (!measure->tokens)
        return 10000;
    uint64_t known = measure->tokens - measure->opaque;
    return (unsigned)(known / measure->tokens * 10000 +
                      known % measure->tokens * 10000 / measure->tokens);
}
