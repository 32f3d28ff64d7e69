#include <config.h>

#include "annotate/model/triples.h"

#include <string.h>

struct triples triples_unknown(void)
{
    return (struct triples){0};
}

struct triples triples_single(int64_t value)
{
    return (struct triples){.count = 1, .items = {{value, 1, 1}}};
}

bool triples_add(struct triples *set, const int64_t item[3])
{
    for (unsigned i = 0; i < set->count; ++i)
        if (!memcmp(set->items[i], item, sizeof set->items[i]))
            return true;
    if (set->count == CONSTANT_VALUES)
        return false;
    memcpy(set->items[set->count++], item, sizeof set->items[0]);
    return true;
}

/* Makes SET the union with OTHER, both known; unknown where that is too large. */
static void join(struct triples *set, const struct triples *other)
{
    set->open |= other->open;
    for (int i = 0; i < 3; ++i)
        if (set->count == 0)
            set->said[i] = other->said[i];
        else if (set->said[i] != other->said[i])
            set->said[i] = NULL;
    for (unsigned i = 0; i < other->count; ++i)
        if (!triples_add(set, other->items[i])) {
            *set = triples_unknown();
            return;
        }
}

void triples_gather(struct gather *all, struct triples part)
{
    if (!part.count)
        all->failed = true;
    else if (!all->failed) {
        join(&all->set, &part);
        all->failed = !all->set.count;
    }
}

struct triples triples_gathered(const struct gather *all)
{
    return all->failed ? triples_unknown() : all->set;
}

struct triples triples_component(const struct triples *set, unsigned index)
{
    struct triples res = {.open = set->open, .said = {set->said[index]}};
    for (unsigned i = 0; i < set->count; ++i)
        triples_add(&res, (const int64_t[]){set->items[i][index], 1, 1});
    return res;
}

struct triples triples_cross(const struct triples parts[3])
{
    struct triples p[3], res = {.open = parts[0].open || parts[1].open || parts[2].open};
    for (int i = 0; i < 3; ++i)
        p[i] = parts[i].count ? parts[i] : triples_single(UNKNOWN_COMPONENT);
    for (unsigned i = 0; i < p[0].count; ++i)
        for (unsigned j = 0; j < p[1].count; ++j)
            for (unsigned k = 0; k < p[2].count; ++k)
                if (!triples_add(&res, (const int64_t[]){p[0].items[i][0], p[1].items[j][0],
                                                         p[2].items[k][0]}))
                    return triples_unknown();
    return res;
}

bool triples_apply(enum token_kind op, int64_t a, int64_t b, int64_t *res)
{
    switch (tree_plain_operator(op)) {
    case TOK_PLUS:
        return !__builtin_add_overflow(a, b, res);
    case TOK_MINUS:
        return !__builtin_sub_overflow(a, b, res);
    case TOK_STAR:
        return !__builtin_mul_overflow(a, b, res);
    case TOK_SLASH:
    case TOK_PERCENT:
        if (!b || b == -1)
            return false;
        *res = tree_plain_operator(op) == TOK_SLASH ? a / b : a % b;
        return true;
    case TOK_SHIFT_LEFT:
        return a >= 0 && b >= 0 && b < 62 && !__builtin_mul_overflow(a, (int64_t)1 << b, res);
    case TOK_SHIFT_RIGHT:
        *res = b >= 0 && b < 63 ? a >> b : 0;
        return a >= 0 && b >= 0 && b < 63;
    case TOK_AMP:
        *res = a & b;
        return true;
    case TOK_PIPE:
        *res = a | b;
        return true;
    case TOK_CARET:
        *res = a ^ b;
        return true;
    case TOK_LESS:
        *res = a < b;
        return true;
    case TOK_GREATER:
        *res = a > b;
        return true;
    case TOK_LESS_EQUAL:
        *res = a <= b;
        return true;
    case TOK_GREATER_EQUAL:
        *res = a >= b;
        return true;
    case TOK_EQUAL:
        *res = a == b;
        return true;
    case TOK_NOT_EQUAL:
        *res = a != b;
        return true;
    case TOK_AND_AND:
        *res = a && b;
        return true;
    case TOK_OR_OR:
        *res = a || b;
        return true;
    default:
        return false;
    }
}

struct triples triples_combine(enum token_kind op, const struct triples *a, const struct triples *b)
{
    struct triples res = {.open = a->open || b->open};
    for (unsigned i = 0; i < a->count; ++i)
        for (unsigned k = 0; k < b->count; ++k) {
            int64_t value;
            if (a->items[i][0] == UNKNOWN_COMPONENT || b->items[k][0] == UNKNOWN_COMPONENT ||
                !triples_apply(op, a->items[i][0], b->items[k][0], &value) ||
                !triples_add(&res, (const int64_t[]){value, 1, 1}))
                return triples_unknown();
        }
    return res;
}
