#include <config.h>

#include "annotate/model/guard.h"

#include "annotate/model/constant.h"
#include "annotate/model/flow_p.h"
#include "annotate/model/value_p.h"

/* A question: the variable called NAME is VALUE. */
struct guard {
    struct model *model;
    const struct symbol *name;
    int64_t value;
    unsigned left; /* nodes of conditions that may still be looked at */
};

/* What NODE is then; false where nobody knows. Recursion: as deep as the tree. */
static bool evaluate(struct guard *g, const struct node *node, int64_t *res)
{
    const struct unit *unit = g->model->unit;
    const struct node *first = node->kids;
    struct constant constant;
    int64_t a, b;
    if (!g->left)
        return false;
    g->left--;
    if (node->kind == NODE_NAME && tree_symbol(unit, node) == g->name) {
        *res = g->value;
        return true;
    }
    if (node->kind == NODE_UNARY && node->op == TOK_BANG && first && evaluate(g, first, &a)) {
        *res = !a;
        return true;
    }
    if (node->kind != NODE_BINARY || !first || !first->next) {
        bool known = constant_of(g->model, node, &constant) && constant_single(&constant);
        *res = known ? constant.values[0] : 0;
        return known;
    }
    bool left = evaluate(g, first, &a), right = evaluate(g, first->next, &b);
    /* One side alone may decide. */
    if (node->op == TOK_AND_AND || node->op == TOK_OR_OR) {
        bool decides = node->op == TOK_OR_OR;
        *res = left && right ? (decides ? a || b : a && b) : decides;
        return (left && right) || (left && !!a == decides) || (right && !!b == decides);
    }
    struct value result = {0};
    bool known = left && right &&
                 value_binary(node->op, (struct value){a, scalar_long},
                              (struct value){b, scalar_long}, &result);
    *res = result.bits;
    return known;
}

/* Whether the condition of the arm R rules VALUE out: in the arm (INSIDE) or behind it. */
static bool rules_out(struct guard *g, const struct flow_region *r, bool inside)
{
    int64_t value;
    return r->condition && evaluate(g, r->condition, &value) && (!!value == r->when) != inside;
}

/* Whether the arm at index ARM gives the variable a value of its own, one of REACHING. */
static bool redefines(const struct reaching *reaching, uint32_t arm)
{
    for (unsigned i = 0; i < reaching->count; ++i)
        if (reaching->items[i]->region == arm && reaching->items[i]->branch == NO_INDEX)
            return true;
    return false;
}

bool guard_admits(struct model *model, size_t index, const struct definition *d,
                  const struct reaching *reaching, uint32_t at, int64_t value)
{
    enum { LOOK_BACK = 64, /* at arms before the place */ NODES = 256 };
    const struct flow *flow = model_flow(model, index);
    struct guard g = {.model = model, .name = d->name, .value = value, .left = NODES};
    uint32_t around = flow_region_at(flow, at), inner = around;
    /* What comes round in a loop has passed other conditions than those before it. */
    if (at <= d->token)
        return true;
    for (; inner != NO_INDEX && d->token < flow->regions[inner].tokens.begin;
         inner = flow->regions[inner].parent)
        if (rules_out(&g, &flow->regions[inner], true))
            return false;
    size_t low;
    vec_search(low, flow->region_count, flow->regions[low].tokens.begin < at);
    for (unsigned steps = 0; low && steps < LOOK_BACK; --low, ++steps) {
        const struct flow_region *r = &flow->regions[low - 1];
        if (r->tokens.begin <= d->token)
            break;
        if (at < r->tokens.end || r->kind != REGION_ARM || r->next_arm != NO_INDEX ||
            r->first != low - 1 || !(r->leaves || redefines(reaching, (uint32_t)low - 1)))
            continue;
        for (inner = around; inner != NO_INDEX && inner != r->parent;)
            inner = flow->regions[inner].parent;
        if (inner != NO_INDEX && rules_out(&g, r, false))
            return false;
    }
    return true;
}

/* Whether NODE, a condition, has nothing but local variables that get no value from its begin on,
   numbers and comparisons. */
static bool is_settled(const struct unit *unit, const struct flow *flow, const struct node *node)
{
    for (uint32_t i = node->tokens.begin; i < node->tokens.end; ++i) {
        const struct token *token = unit_token(unit, i);
        size_t low;
        switch (token->kind) {
        case TOK_IDENT:
            vec_search(low, flow->count,
                       (uintptr_t)flow->items[low].name <= (uintptr_t)token->symbol);
            if (!low || flow->items[low - 1].name != token->symbol ||
                node->tokens.begin <= flow->items[low - 1].token)
                return false;
            break;
        case TOK_NUMBER:
        case TOK_EQUAL:
        case TOK_NOT_EQUAL:
        case TOK_LESS:
        case TOK_GREATER:
        case TOK_LESS_EQUAL:
        case TOK_GREATER_EQUAL:
        case TOK_BANG:
            break;
        default:
            return false;
        }
    }
    return true;
}

bool guard_admits_arm(struct model *model, size_t index, uint32_t arm, uint32_t at)
{
    const struct flow *flow = model_flow(model, index);
    const struct flow_region *region = &flow->regions[flow_region_at(flow, arm)];
    if (!region->condition || !is_settled(model->unit, flow, region->condition))
        return true;
    bool when = region->when == (arm != region->tokens.begin);
    for (uint32_t i = flow_region_at(flow, at); i != NO_INDEX; i = flow->regions[i].parent) {
        const struct flow_region *around = &flow->regions[i];
        if (around->condition && around->when != when &&
            unit_same_text(model->unit, around->condition->tokens, region->condition->tokens))
            return false;
    }
    return true;
}
