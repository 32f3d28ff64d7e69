/* Pass 4: kernel launches, wherever they stand: in functions, macros, initialisers. */
#include <config.h>

#include "parser/island.h"
#include "parser/unit_p.h"

/* Steps back over the primary expression or qualified name that ends at INDEX: the index of its
   first token. */
static uint32_t callee_begin(const struct unit *unit, uint32_t index)
{
    for (;;) {
        const struct token *token = unit_token(unit, index);
        switch (token->kind) {
        case TOK_GREATER:
        case TOK_SHIFT_RIGHT:
        case TOK_LAUNCH_CLOSE: {
            uint32_t open = token->partner;
            if (open == NO_TOKEN || index < open)
                return NO_TOKEN;
            index = unit_prev(unit, open);
            if (index == NO_TOKEN || unit_token(unit, index)->kind != TOK_IDENT)
                return NO_TOKEN;
            continue;
        }
        case TOK_RPAREN:
        case TOK_RBRACKET: {
            uint32_t open = token->partner;
            if (open == NO_TOKEN || index < open)
                return NO_TOKEN;
            uint32_t before = unit_prev(unit, open);
            enum token_kind kind = unit_kind(unit, before);
            if (kind == TOK_IDENT || kind == TOK_RPAREN || kind == TOK_RBRACKET ||
                ((kind == TOK_GREATER || kind == TOK_SHIFT_RIGHT) &&
                 unit_partner(unit, before) != NO_TOKEN)) {
                index = before;
                continue;
            }
            return token->kind == TOK_RPAREN ? open : NO_TOKEN;
        }
        case TOK_IDENT:
            break;
        default:
            return NO_TOKEN;
        }
        /* An identifier: what qualifies it? */
        uint32_t before = unit_prev(unit, index);
        if (before != NO_TOKEN && unit_token(unit, before)->kind == TOK_TEMPLATE)
            before = unit_prev(unit, before);
        if (before == NO_TOKEN)
            return index;
        switch (unit_token(unit, before)->kind) {
        case TOK_DOT:
        case TOK_ARROW:
            index = unit_prev(unit, before);
            if (index == NO_TOKEN)
                return NO_TOKEN;
            continue;
        case TOK_COLON_COLON: {
            uint32_t left = unit_prev(unit, before);
            enum token_kind kind = unit_kind(unit, left);
            if (kind == TOK_IDENT ||
                ((kind == TOK_GREATER || kind == TOK_SHIFT_RIGHT || kind == TOK_LAUNCH_CLOSE) &&
                 unit_partner(unit, left) != NO_TOKEN)) {
                index = left;
                continue;
            }
            return before;
        }
        default:
            return index;
        }
    }
}

static void read_launch(struct unit *unit, uint32_t open)
{
    uint32_t close = unit_partner(unit, open), last = unit_prev(unit, open);
    uint32_t lparen = unit_next(unit, close);
    if (last == NO_TOKEN || unit_token(unit, lparen)->kind != TOK_LPAREN)
        return;
    uint32_t rparen = unit_partner(unit, lparen), begin = callee_begin(unit, last);
    if (begin == NO_TOKEN || rparen == NO_TOKEN || rparen < lparen)
        return;
    struct island island = {
        .unit = unit,
        .arena = unit->arena,
        .start = ISLAND_LAUNCH,
        .at = begin,
        .end = rparen + 1,
        .open = {open, lparen},
    };
    if (!island_parse(&island) || !island.config || LAUNCH_CONFIG < island.config->count)
        return;
    struct launch *launch = vec_push(&unit->launches);
    *launch = (struct launch){
        .callee = {begin, last + 1},
        .open = open,
        .close = close,
        .lparen = lparen,
        .rparen = rparen,
        .config_count = island.config->count,
        .args = range_list_array(island.args, unit->arena),
        .arg_count = island.args ? island.args->count : 0,
    };
    const struct range_list *config = island.config;
    for (int i = launch->config_count; i; config = config->before)
        launch->config[--i] = config->range;
}

void pass4_launches(struct unit *unit)
{
    if (!unit->has_chevrons)
        return;
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_LAUNCH_OPEN && token->partner != NO_TOKEN && i < token->partner)
            read_launch(unit, i);
    }
}
