/* Operands that are several tokens of the file and one of the grammar.  */
#include <config.h>

#include "parser/feed_p.h"

int feed_lambda(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = body_step_pair(unit, first);
    while (i < body->end) {
        switch (unit_kind(unit, i)) {
        case TOK_LBRACE:
            if (!body_opens_pair(unit, i, body->end))
                return 0;
            return operand_to(body, body_step_pair(unit, i), LAMBDA);
        case TOK_LPAREN:
            if (!body_opens_pair(unit, i, body->end))
                return 0;
            i = body_step_pair(unit, i);
            continue;
        case TOK_LESS: {
            uint32_t behind = body_angles_end(unit, i, body->end);
            if (behind == i)
                return 0;
            i = behind;
            continue;
        }
        case TOK_SPECIFIER:
        case TOK_NOEXCEPT:
        case TOK_DEVICE:
        case TOK_HOST:
        case TOK_ATTRIBUTE:
        case TOK_ARROW:
        case TOK_TYPE:
        case TOK_IDENT:
        case TOK_STAR:
        case TOK_AMP:
        case TOK_COLON_COLON:
            i = body_step(unit, i);
            continue;
        default:
            return 0;
        }
    }
    return 0;
}

int feed_strings(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = body_step(unit, first);
    while (i < body->end && (unit_kind(unit, i) == TOK_STRING || unit_kind(unit, i) == TOK_IDENT)) {
        bool macro = unit_kind(unit, i) == TOK_IDENT;
        i = body_step(unit, i);
        if (macro && i < body->end && unit_kind(unit, i) == TOK_LPAREN)
            i = body_step_pair(unit, i);
    }
    return operand_to(body, i < body->end ? i : body->end, STRINGS);
}

int feed_member(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = first;
    if (unit_kind(unit, i) == TOK_TEMPLATE && unit_kind(unit, body_step(unit, i)) == TOK_OPERATOR)
        i = body_step(unit, i);
    if (unit_kind(unit, i) == TOK_OPERATOR)
        return operand_to(body, body_operator_end(unit, i, body->end), NAME);
    if (unit_kind(unit, i) == TOK_TILDE || unit_kind(unit, i) == TOK_TEMPLATE)
        i = body_step(unit, i);
    uint32_t behind = body_name_end(unit, i, body->end);
    return behind == i ? operator_to(body, body_step(unit, first), OTHER)
                       : operand_to(body, behind, NAME);
}

int feed_sizeof(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t next = body_step(unit, first);
    if (unit_kind(unit, next) == TOK_ELLIPSIS)
        return operand_to(body, body_step_pair(unit, body_step(unit, next)), SOME);
    return operator_to(body, next, SIZEOF);
}

int feed_noexcept(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t next = body_step(unit, first);
    if (body_is_word(unit, first, "throw"))
        return operator_to(body, next, THROW);
    uint32_t i = next;
    if (i < body->end && unit_kind(unit, i) == TOK_LPAREN && body_opens_pair(unit, i, body->end))
        i = body_step_pair(unit, i);
    if (body_is_word(unit, first, "requires") && i < body->end &&
        unit_kind(unit, i) == TOK_LBRACE && body_opens_pair(unit, i, body->end))
        i = body_step_pair(unit, i);
    return i == next ? operator_to(body, next, OTHER) : operand_to(body, i, SOME);
}
