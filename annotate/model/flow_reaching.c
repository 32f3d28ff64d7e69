/* The question which definitions reach a place: those of one name are walked backwards from it.  */
#include <config.h>

#include "annotate/model/flow_p.h"

struct question {
    const struct unit *unit;
    const struct flow *flow;
    size_t first; /* of the name's definitions */
    uint32_t variable;
    const struct symbol *const *path;
    unsigned path_count;
    uint32_t branch; /* where it is asked */
    unsigned steps;
    bool passed; /* an unknown function may have written it */
    bool partial;
    bool unknown;
    struct reaching *res;
};

/* The first definition of NAME. */
static size_t first_of(const struct flow *flow, const struct symbol *name)
{
    size_t low;
    vec_search(low, flow->count, (uintptr_t)flow->items[low].name < (uintptr_t)name);
    return low;
}

/* Behind the definitions of the name that begins at FIRST and hold at TOKEN. */
static size_t behind_before(const struct flow *flow, size_t first, uint32_t token)
{
    const struct symbol *name = flow->items[first].name;
    size_t at;
    vec_search(at, flow->count - first,
               flow->items[first + at].name == name && flow->items[first + at].token < token);
    return first + at;
}

/* Whether D says what is asked for. */
static bool concerns(struct question *q, const struct definition *d)
{
    if (d->variable != q->variable)
        return false;
    for (unsigned i = 0; i < d->path_count && i < q->path_count; ++i)
        if (d->path[i] != q->path[i])
            return false;
    if (q->path_count < d->path_count) {
        q->partial = true;
        return false;
    }
    return true;
}

enum branch_relation { BRANCH_AROUND, BRANCH_ELSEWHERE, BRANCH_OTHER };

/* How the branch of #if that a definition stands in lies to the place of the question. */
static enum branch_relation branch_relation(const struct question *q, uint32_t branch)
{
    if (branch == NO_INDEX)
        return BRANCH_AROUND;
    const struct directive *directives = q->unit->directives.items;
    for (uint32_t at = q->branch; at != NO_INDEX; at = directives[at].parent) {
        if (at == branch)
            return BRANCH_AROUND;
        if (directives[at].first == directives[branch].first)
            return BRANCH_OTHER;
    }
    return BRANCH_ELSEWHERE;
}

/* Takes D; whether earlier ones do not matter any more. */
static bool take(struct question *q, const struct definition *d)
{
    enum branch_relation relation = branch_relation(q, d->branch);
    if (relation == BRANCH_OTHER)
        return false;
    if (d->kind == DEFINITION_PASSED) {
        q->passed = true;
        return false;
    }
    bool bare = d->kind == DEFINITION_DECLARED && !d->path_count;
    if (bare)
        for (const struct node *kid = d->node->kids; kid; kid = kid->next)
            bare &= kid->kind != NODE_INITIALIZER;
    if (d->kind == DEFINITION_UNKNOWN || (bare && q->passed) || q->res->count == REACHING)
        q->unknown = true;
    else
        q->res->items[q->res->count++] = d;
    return relation == BRANCH_AROUND;
}

static bool collect(struct question *q, uint32_t region, uint32_t begin, uint32_t end);

/* All arms of the statement whose first one is at FIRST. */
static bool collect_arms(struct question *q, uint32_t first)
{
    const struct flow_region *regions = q->flow->regions;
    bool res = regions[first].exhaustive;
    for (uint32_t arm = first; arm != NO_INDEX; arm = regions[arm].next_arm)
        if (!regions[arm].leaves &&
            !collect(q, arm, regions[arm].tokens.begin, regions[arm].tokens.end))
            res = false;
    return res;
}

/* The region just inside REGION that holds INNER, or REGION where INNER is it. */
static uint32_t child_of(const struct flow *flow, uint32_t region, uint32_t inner)
{
    uint32_t res = inner;
    while (inner != region && inner != NO_INDEX) {
        res = inner;
        inner = flow->regions[inner].parent;
    }
    return inner == NO_INDEX ? NO_INDEX : res;
}

/* Takes what reaches END from [BEGIN, END) of REGION; whether it hides all that is before.
   Recursion: as deep as the tree. */
static bool collect(struct question *q, uint32_t region, uint32_t begin, uint32_t end)
{
    enum { STEPS = 4000 };
    const struct flow *flow = q->flow;
    size_t i = behind_before(flow, q->first, end);
    while (q->first < i && begin <= flow->items[i - 1].token) {
        const struct definition *d = &flow->items[i - 1];
        if (STEPS < q->steps++)
            q->unknown = true;
        if (q->unknown)
            return true;
        if (!concerns(q, d)) {
            --i;
            continue;
        }
        uint32_t child = child_of(flow, region, d->region);
        if (child == NO_INDEX || child == region) {
            if (child == region && take(q, d))
                return true;
            --i;
            continue;
        }
        const struct flow_region *r = &flow->regions[child];
        if (r->kind == REGION_ARM) {
            if (collect_arms(q, r->first))
                return true;
            r = &flow->regions[r->first];
        } else if (collect(q, child, r->tokens.begin, r->tokens.end) && r->kind == REGION_ONCE) {
            return true;
        }
        size_t before = behind_before(flow, q->first, r->tokens.begin);
        i = before < i ? before : i - 1;
    }
    return false;
}

uint32_t flow_region_at(const struct flow *flow, uint32_t token)
{
    uint32_t res = 0;
    size_t low;
    vec_search(low, flow->region_count, flow->regions[low].tokens.begin <= token);
    res = low ? (uint32_t)low - 1 : 0;
    while (res && flow->regions[res].tokens.end <= token)
        res = flow->regions[res].parent;
    return res;
}

/* The variable called as the definitions from FIRST on that is visible at AT, or NO_INDEX. */
static uint32_t variable_at(const struct flow *flow, size_t first, uint32_t at)
{
    enum { STEPS = 4000 };
    unsigned steps = 0;
    for (size_t i = behind_before(flow, first, at); first < i && steps++ < STEPS; --i)
        if (at < flow->items[i - 1].visible)
            return flow->items[i - 1].variable;
    return NO_INDEX;
}

bool flow_reaching(struct model *model, size_t index, const struct symbol *name,
                   const struct symbol *const *path, unsigned path_count, uint32_t at,
                   struct reaching *res, bool *partial)
{
    *res = (struct reaching){0};
    const struct flow *flow = model_flow(model, index);
    size_t first = first_of(flow, name);
    if (first == flow->count || flow->items[first].name != name)
        return false;
    uint32_t variable = variable_at(flow, first, at);
    if (variable == NO_INDEX)
        return false;
    struct question q = {
        .unit = model->unit,
        .flow = flow,
        .first = first,
        .variable = variable,
        .path = path,
        .path_count = path_count,
        .branch = unit_branch_at(model->unit, at),
        .res = res,
    };
    uint32_t region = flow_region_at(flow, at), end = at;
    for (;;) {
        const struct flow_region *r = &flow->regions[region];
        if (collect(&q, region, r->tokens.begin, end))
            break;
        /* What stands behind comes round. */
        if (r->kind != REGION_FUNCTION && r->kind != REGION_ARM)
            collect(&q, region, end, r->tokens.end);
        if (r->parent == NO_INDEX)
            break;
        end = flow->regions[r->first].tokens.begin;
        region = r->parent;
    }
    res->known = !q.unknown;
    if (q.unknown)
        res->count = 0;
    if (partial)
        *partial = q.partial;
    return true;
}

/* The last definition of NAME's variable that holds at AT; NULL without. */
static const struct definition *last_definition(const struct flow *flow, const struct symbol *name,
                                                uint32_t at)
{
    size_t first = first_of(flow, name);
    if (first == flow->count || flow->items[first].name != name)
        return NULL;
    uint32_t variable = variable_at(flow, first, at);
    size_t i = behind_before(flow, first, at);
    return variable != NO_INDEX && first < i && flow->items[i - 1].variable == variable
               ? &flow->items[i - 1]
               : NULL;
}

/* Whether the variable of D gets another value behind D and before END. */
static bool defines_behind(const struct flow *flow, const struct definition *d, uint32_t end)
{
    const struct definition *next = d + 1;
    return next < flow->items + flow->count && next->name == d->name && next->token < end;
}

unsigned flow_arms(struct model *model, size_t index, const struct symbol *name, uint32_t at,
                   uint32_t tokens[FLOW_ARMS])
{
    const struct flow *flow = model_flow(model, index);
    const struct definition *last = last_definition(flow, name, at);
    if (!last || last->branch != NO_INDEX)
        return 0;
    /* Out of what holds AT alone; a loop there must not give the variable other values. */
    uint32_t around = flow_region_at(flow, at), child;
    while ((child = child_of(flow, around, last->region)) == NO_INDEX) {
        const struct flow_region *r = &flow->regions[around];
        if (r->kind != REGION_ARM && defines_behind(flow, last, r->tokens.end))
            return 0;
        around = r->parent;
    }
    if (child == around || flow->regions[child].kind != REGION_ARM)
        return 0;
    unsigned count = 0;
    const struct flow_region *first = &flow->regions[flow->regions[child].first];
    if (!first->exhaustive)
        tokens[count++] = first->tokens.begin;
    for (uint32_t arm = flow->regions[child].first; arm != NO_INDEX;
         arm = flow->regions[arm].next_arm) {
        const struct flow_region *r = &flow->regions[arm];
        if (r->leaves || r->tokens.end <= r->tokens.begin)
            continue;
        if (count == FLOW_ARMS)
            return 0;
        tokens[count++] = r->tokens.end - 1;
    }
    return count;
}
