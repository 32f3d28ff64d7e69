/* Which compiler sees a place: the host's, the device's or both. */
#include <config.h>

#include "transform/transform_p.h"

const struct function *side_function(const struct unit *unit, uint32_t index)
{
    uint32_t at = unit_function_before(unit, index);
    /* Behind the members of a local class the function around goes on. */
    for (int steps = 0; at != NO_INDEX && steps < 50; at = at ? at - 1 : NO_INDEX, ++steps) {
        const struct function *fn = &unit->functions.items[at];
        if (fn->body.begin <= index && index < fn->body.end)
            return fn;
    }
    return NULL;
}

static enum side side_of(bool host, bool device)
{
    return !device ? SIDE_HOST : host ? SIDE_BOTH : SIDE_DEVICE;
}

enum side side_at(const struct unit *unit, uint32_t index)
{
    const struct function *fn = side_function(unit, index);
    if (!fn || fn->flags & FUNCTION_IN_MACRO)
        return SIDE_UNKNOWN;
    /* A lambda with attributes of its own: out of the blocks around, over those beside, the
       attributes stand in the head of one that is around. The limit keeps many calls in a long
       function linear. */
    bool head = false, host = false, device = false;
    for (uint32_t i = index, steps = 0; fn->body.begin < i && steps < 2000; --i, ++steps) {
        const struct token *token = unit_token(unit, i);
        switch (token->kind) {
        case TOK_LBRACE:
        case TOK_SEMICOLON:
        case TOK_RBRACE:
            if (device)
                return side_of(host, device);
            host = false;
            head = token->kind == TOK_LBRACE;
            if (token->kind == TOK_RBRACE && token->partner != NO_TOKEN &&
                fn->body.begin < token->partner && token->partner < i)
                i = token->partner;
            break;
        case TOK_DEVICE:
            device |= head;
            break;
        case TOK_HOST:
            host |= head;
            break;
        default:
            break;
        }
    }
    if (device)
        return side_of(host, device);
    if (fn->flags & FUNCTION_GLOBAL)
        return SIDE_DEVICE;
    return side_of(fn->flags & FUNCTION_HOST, fn->flags & FUNCTION_DEVICE);
}
