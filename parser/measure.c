#include <config.h>

#include "parser/measure.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* One row of the tokens, and one behind them. */
static uint32_t *new_rest(uint32_t count)
{
    uint32_t *res = xcalloc((size_t)count + 1, sizeof *res);
    for (uint32_t i = 0; i <= count; ++i)
        res[i] = i;
    return res;
}

void measure_init(struct measure *measure, const struct unit *unit)
{
    *measure = (struct measure){
        .unit = unit,
        .rest = new_rest(unit->tokens.list.count),
        .rest_opaque = new_rest(unit->tokens.list.count),
    };
}

void measure_release(struct measure *measure)
{
    free(measure->rest);
    free(measure->rest_opaque);
}

/* The first token at I or behind it that was not counted; halves the way there for the next who
   asks. */
static uint32_t first_of(uint32_t *rest, uint32_t i)
{
    for (; rest[i] != i; i = rest[i])
        rest[i] = rest[rest[i]];
    return i;
}

/* Takes the tokens of RANGE from REST; returns how many were there that a compiler for AMD GPUs
   reads as code. Bodies nest, so what was taken is stepped over, not looked at again: the time
   would be the square of the depth. */
static uint64_t count(const struct unit *unit, uint32_t *rest, struct range range)
{
    uint64_t res = 0;
    for (uint32_t i = first_of(rest, range.begin); i < range.end; i = first_of(rest, i)) {
        const struct token *token = unit_token(unit, i);
        rest[i] = i + 1;
        res += token_is_code(token) && token->kind != TOK_END_DIRECTIVE &&
               token_region(token) != REGION_CUDA;
    }
    return res;
}

static void add_opaque(struct measure *measure, const struct node *node)
{
    uint64_t tokens;
    if (node->kind == NODE_OPAQUE &&
        (tokens = count(measure->unit, measure->rest_opaque, node->tokens)) != 0) {
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
    measure->tokens += count(measure->unit, measure->rest, body);
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
