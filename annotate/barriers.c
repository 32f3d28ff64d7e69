#include <config.h>

#include "annotate/barriers.h"

#include <stdlib.h>
#include <string.h>

enum {
    CALL_DEPTH = 3,
    MOST_CALLEES = 64,
    MOST_STEPS = 100000, /* or a file of nothing but barriers would take for ever */
};

static const char *const names[] = {"__syncthreads", "__syncthreads_and", "__syncthreads_count",
                                    "__syncthreads_or", "__builtin_amdgcn_s_barrier"};

/* Cooperative groups whose members are all threads of a block or a grid. */
static const struct {
    const char *type, *maker;
    enum barrier_kind kind;
} groups[] = {
    {"thread_block", "this_thread_block", BARRIER_BLOCK},
    {"grid_group", "this_grid", BARRIER_GRID},
};

/* The kind of group that one of TOKENS names. */
static enum barrier_kind kind_of_tokens(const struct unit *unit, struct range tokens)
{
    for (uint32_t i = tokens.begin; i < tokens.end; ++i) {
        const struct symbol *name = unit_token(unit, i)->symbol;
        for (size_t g = 0; name && g < sizeof groups / sizeof *groups; ++g)
            if (!strcmp(name->text, groups[g].type) || !strcmp(name->text, groups[g].maker))
                return groups[g].kind;
    }
    return BARRIER_NONE;
}

/* What the barrier of NODE, a cooperative group, is: a variable, a parameter, or this_grid(). */
static enum barrier_kind kind_of_group(const struct code *code, const struct node *node)
{
    const struct unit *unit = code->model->unit;
    if (node->kind == NODE_CALL)
        return kind_of_tokens(unit, node->kids->tokens);
    if (node->kind != NODE_NAME)
        return BARRIER_NONE;
    struct name_meaning meaning = model_lookup(code->model, tree_symbol(unit, node), node->token);
    bool declared = meaning.kind == NAME_LOCAL || meaning.kind == NAME_PARAMETER;
    /* Of tiled_partition<32>(this_thread_block()) the barrier is one of a tile. */
    const struct symbol *tile = symbol_find(unit->symbols, "tiled_partition");
    if (!declared || !meaning.declaration)
        return BARRIER_NONE;
    struct range tokens = meaning.declaration->tokens;
    for (uint32_t i = tokens.begin; tile && i < tokens.end; ++i)
        if (unit_token(unit, i)->symbol == tile)
            return BARRIER_NONE;
    return kind_of_tokens(unit, tokens);
}

/* The kind of barrier that CALL itself is. */
static enum barrier_kind direct_kind(const struct code *code, const struct code_node *call)
{
    const struct symbol *name = call->name;
    if (!name || !call->device)
        return BARRIER_NONE;
    const struct node *callee = call->node->kids;
    bool is_sync = !strcmp(name->text, "sync");
    if (callee->kind == NODE_MEMBER)
        return is_sync ? kind_of_group(code, callee->kids) : BARRIER_NONE;
    if (is_sync && callee->next)
        return kind_of_group(code, callee->next);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strcmp(name->text, names[i]))
            return name->user ? BARRIER_NONE : BARRIER_BLOCK;
    return BARRIER_NONE;
}

static const struct node *find_inside(const struct barriers *barriers, const struct symbol *name)
{
    for (size_t i = 0; name && i < barriers->callees.count; ++i)
        if (barriers->callees.items[i].name == name)
            return barriers->callees.items[i].inside;
    return NULL;
}

enum barrier_kind barriers_kind(const struct barriers *barriers, const struct code_node *call,
                                const struct node **inside)
{
    enum barrier_kind kind = direct_kind(barriers->code, call);
    const struct node *found = kind || !call->device ? NULL : find_inside(barriers, call->name);
    if (inside)
        *inside = found;
    return found ? BARRIER_CALLED : kind;
}

/* Notes that the function around CALL, if it is one that others call, has the barrier INSIDE. */
static void add_callee(struct barriers *barriers, const struct code_node *call,
                       const struct node *inside)
{
    const struct unit *unit = barriers->a->unit;
    const struct function *function = &unit->functions.items[call->function];
    const struct symbol *name = unit_token(unit, function->name)->symbol;
    if (function->flags & FUNCTION_GLOBAL || MOST_CALLEES <= barriers->callees.count ||
        find_inside(barriers, name))
        return;
    vec_push(&barriers->callees)[0].name = name;
    barriers->callees.items[barriers->callees.count - 1].inside = inside;
}

static bool names_any(const struct unit *unit)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (symbol_find(unit->symbols, names[i]))
            return true;
    return symbol_find(unit->symbols, "sync") != NULL;
}

static int compare_tokens(const void *va, const void *vb)
{
    const struct code_node *a = va, *b = vb;
    return (a->node->tokens.begin > b->node->tokens.begin) -
           (a->node->tokens.begin < b->node->tokens.begin);
}

bool barriers_init(struct barriers *barriers, struct annotation *a)
{
    *barriers = (struct barriers){.a = a, .steps = MOST_STEPS};
    if (!names_any(a->unit))
        return false;
    barriers->code = annotation_code(a);
    vec_each (const struct code_node, call, &barriers->code->calls)
        if (direct_kind(barriers->code, call))
            add_callee(barriers, call, call->node);
    for (unsigned depth = 1; depth < CALL_DEPTH; ++depth)
        vec_each (const struct code_node, call, &barriers->code->calls) {
            const struct node *inside = call->device ? find_inside(barriers, call->name) : NULL;
            if (inside)
                add_callee(barriers, call, inside);
        }
    vec_each (const struct code_node, call, &barriers->code->calls)
        if (barriers_kind(barriers, call, NULL))
            *vec_push(&barriers->list) = *call;
    if (barriers->list.count)
        qsort(barriers->list.items, barriers->list.count, sizeof *barriers->list.items,
              compare_tokens);
    return barriers->list.count != 0;
}

void barriers_release(struct barriers *barriers)
{
    vec_release(&barriers->list);
    vec_release(&barriers->callees);
}

/* What comes later. */

/* The first barrier in NODE, but for those in EXCEPT (may be NULL). */
static const struct node *first_in(const struct barriers *barriers, const struct node *node,
                                   const struct node *except)
{
    size_t at;
    uint32_t begin = node->tokens.begin;
    vec_search(at, barriers->list.count, barriers->list.items[at].node->tokens.begin < begin);
    for (; at < barriers->list.count; ++at) {
        const struct node *res = barriers->list.items[at].node;
        if (node->tokens.end <= res->tokens.begin)
            return NULL;
        if (!except || res->tokens.begin < except->tokens.begin ||
            except->tokens.end <= res->tokens.begin)
            return res;
        /* All that lie in EXCEPT at once. */
        vec_search(at, barriers->list.count,
                   barriers->list.items[at].node->tokens.begin < except->tokens.end);
        --at;
    }
    return NULL;
}

static bool is_loop(const struct node *node)
{
    return node->kind == NODE_FOR || node->kind == NODE_RANGE_FOR || node->kind == NODE_WHILE ||
           node->kind == NODE_DO;
}

enum outcome { OUTCOME_NONE, OUTCOME_FOUND, OUTCOME_TOP };

/* Goes on behind NODE to the end of its function. Of loops around it all comes again but EXCEPT. */
static enum outcome follow_behind(struct barriers *barriers, const struct node *node,
                                  const struct node *except, const struct node **which)
{
    for (const struct node *at = node, *around; (around = code_parent(barriers->code, at));
         at = around) {
        if (around->kind == NODE_LAMBDA)
            return OUTCOME_NONE;
        if (is_loop(around) && (*which = first_in(barriers, around, except)))
            return OUTCOME_FOUND;
        if (around->kind != NODE_BLOCK)
            continue;
        for (const struct node *next = at->next; next && barriers->steps; next = next->next) {
            --barriers->steps;
            if (next->kind == NODE_RETURN)
                return OUTCOME_TOP;
            if ((*which = first_in(barriers, next, NULL)))
                return OUTCOME_FOUND;
        }
    }
    return OUTCOME_TOP;
}

/* Goes on where FUNCTION is called. */
static bool follow_callers(struct barriers *barriers, size_t function, unsigned depth,
                           const struct node **which)
{
    const struct unit *unit = barriers->a->unit;
    const struct function *fn = &unit->functions.items[function];
    const struct symbol *name = unit_token(unit, fn->name)->symbol;
    *which = NULL;
    if (fn->flags & FUNCTION_GLOBAL)
        return false;
    bool called = false;
    /* Whoever calls it has a barrier by that, and is in the list. */
    vec_each (const struct code_node, call, &barriers->list) {
        if (call->name != name || !barriers->steps)
            continue;
        --barriers->steps;
        called = true;
        enum outcome outcome = follow_behind(barriers, call->node, NULL, which);
        if (outcome == OUTCOME_FOUND ||
            (outcome == OUTCOME_TOP && depth < CALL_DEPTH &&
             follow_callers(barriers, call->function, depth + 1, which)))
            return true;
    }
    return !called;
}

bool barriers_follow(struct barriers *barriers, const struct passing *passing,
                     const struct node **which)
{
    const struct node *around = passing->around;
    enum outcome outcome = OUTCOME_TOP;
    *which = NULL;
    switch (passing->way) {
    case PASSING_RETURN:
        break;
    case PASSING_CONTINUE:
        /* Those behind it they come by again, mostly: an index that is too large stays so. */
        *which = first_in(barriers, around, NULL);
        if (*which && (*which)->tokens.begin < passing->condition->tokens.begin)
            return true;
        outcome = follow_behind(barriers, around, NULL, which);
        break;
    case PASSING_BRANCH:
        if ((*which = first_in(barriers, around, passing->kept)))
            return true;
        outcome = follow_behind(barriers, around, passing->kept, which);
        break;
    default:
        outcome = follow_behind(barriers, around, NULL, which);
    }
    return outcome == OUTCOME_FOUND ||
           (outcome == OUTCOME_TOP && follow_callers(barriers, passing->function, 1, which));
}
