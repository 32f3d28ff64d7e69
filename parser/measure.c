#include <config.h>

#include "parser/measure.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum measure_flag {
    COUNTED = 1 << 0,
    COUNTED_OPAQUE = 1 << 1,
};

void measure_init(struct measure *measure, const struct unit *unit)
{
    *measure = (struct measure){.unit = unit, .counted = xcalloc(unit->tokens.list.count + 1, 1)};
}

void measure_release(struct measure *measure)
{
    free(measure->counted);
}

/* Marks the tokens of RANGE that a compiler for AMD GPUs reads as code with FLAG; returns how many
   had it not. */
static uint64_t count(struct measure *measure, struct range range, enum measure_flag flag)
{
    uint64_t res = 0;
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct token *token = unit_token(measure->unit, i);
        if (!token_is_code(token) || token->kind == TOK_END_DIRECTIVE ||
            token_region(token) == REGION_CUDA || measure->counted[i] & flag)
            continue;
        measure->counted[i] |= (uint8_t)flag;
        ++res;
    }
    return res;
}

static void add_opaque(struct measure *measure, const struct node *node)
{
    uint64_t tokens;
    if (node->kind == NODE_OPAQUE && (tokens = count(measure, node->tokens, COUNTED_OPAQUE)) != 0) {
        enum token_kind kind =
            node->flags & OPAQUE_DEEP ? TOK_EOF : unit_kind(measure->unit, node->token);
        struct measure_reason *reason = &measure->reasons[kind];
        measure->opaque += tokens;
        reason->tokens += tokens;
        if (!reason->places++)
            reason->first = node->token;
    }
    tree_each (kid, node)
        add_opaque(measure, kid);
}

void measure_add(struct measure *measure, struct range body, const struct node *tree)
{
    measure->tokens += count(measure, body, COUNTED);
    add_opaque(measure, tree);
}

void measure_device(struct measure *measure, struct trees *trees)
{
    vec_each (const struct function, fn, &trees->unit->functions)
        if (function_on_device(fn) && fn->body.begin < fn->body.end)
            measure_add(measure, fn->body, tree_body(trees, fn->body));
}

unsigned measure_share(uint64_t tokens, uint64_t opaque)
{
    if (!tokens)
        return 10000;
    return (unsigned)((tokens - opaque) * 10000 / tokens);
}
