#include <config.h>

#include "annotate/warp.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/facts.h"
#include "base/xalloc.h"

#define NONE WARP_NONE
static const struct warp_function functions[] = {
#define WARP(name, kind, mask, value, lane, width) {name, kind, mask, value, lane, width},
#include "annotate/warp.def"
#undef WARP
};
#undef NONE

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static int compare(const void *name, const void *function)
{
    return strcmp(name, ((const struct warp_function *)function)->name);
}

const struct warp_function *warp_function_find(const char *name)
{
    if (name[0] != '_')
        return NULL;
    return bsearch(name, functions, FUNCTIONS, sizeof *functions, compare);
}

bool warp_is_used(const struct annotation *a)
{
    for (size_t i = 0; i < FUNCTIONS; ++i)
        if (symbol_find(a->unit->symbols, functions[i].name))
            return true;
    return symbol_find(a->unit->symbols, "coalesced_threads") ||
           symbol_find(a->unit->symbols, "coalesced_group");
}

static const struct node *argument(const struct node *call, int index)
{
    return index == WARP_NONE ? NULL : code_argument(call, (unsigned)index);
}

bool warp_call_of(struct annotation *a, const struct node *node, struct warp_call *res)
{
    const struct node *callee = node->kids;
    if (node->kind != NODE_CALL || callee->kind != NODE_NAME)
        return false;
    const struct symbol *name = tree_symbol(a->unit, callee);
    const struct warp_function *function = name ? warp_function_find(name->text) : NULL;
    if (!function ||
        model_lookup(annotation_code(a)->model, name, callee->token).kind != NAME_UNKNOWN)
        return false;
    *res = (struct warp_call){
        function,
        argument(node, function->mask),
        argument(node, function->value),
        argument(node, function->lane),
        argument(node, function->width),
    };
    return true;
}

/* Whether what TOKENS, a declaration or a call, make is a group of the active threads. */
static bool makes_active_group(struct annotation *a, struct range tokens, unsigned depth)
{
    enum { PARTING = 4, MOST = 64 }; /* parts of parts; tokens that are looked at */
    bool active = false, parted = false;
    struct range whole = {0, 0}; /* where the group is declared of which this one is a part */
    for (uint32_t i = tokens.begin; i < tokens.end && i - tokens.begin < MOST; ++i) {
        const struct token *token = unit_token(a->unit, i);
        if (token->kind != TOK_IDENT)
            continue;
        const char *word = token->symbol->text;
        if (!strcmp(word, "tiled_partition"))
            return false;
        active |= !strcmp(word, "coalesced_group") || !strcmp(word, "coalesced_threads");
        if (!strcmp(word, "binary_partition") || !strcmp(word, "labeled_partition")) {
            parted = true;
        } else if (parted && whole.begin == whole.end) {
            struct name_meaning meaning = model_lookup(annotation_code(a)->model, token->symbol, i);
            if (meaning.declaration && meaning.declaration->tokens.begin != tokens.begin)
                whole = meaning.declaration->tokens;
        }
    }
    if (!parted || whole.begin == whole.end)
        return active;
    return depth < PARTING && makes_active_group(a, whole, depth + 1);
}

bool warp_is_active_group(struct annotation *a, const struct node *node)
{
    if (node->kind == NODE_CALL)
        return makes_active_group(a, node->tokens, 0);
    if (node->kind != NODE_NAME)
        return false;
    struct name_meaning meaning =
        model_lookup(annotation_code(a)->model, tree_symbol(a->unit, node), node->token);
    return meaning.declaration && makes_active_group(a, meaning.declaration->tokens, 0);
}

/* Whole waves. */

/* A place where a function is named. */
struct naming {
    const struct symbol *name;
    const struct node *call; /* NULL: it is no call, so that nobody knows who calls */
    size_t function;         /* whose body holds it */
};

enum entered { ENTERED_UNKNOWN, ENTERED_BUSY, ENTERED_WHOLE, ENTERED_OTHERWISE };

struct warp_reach {
    VEC(struct naming) namings; /* by name */
    uint8_t *entered;           /* by kernel: enum entered */
    uint8_t *called;            /* by the first naming of a device function's name: likewise */
    unsigned depth;
};

enum { CALL_DEPTH = 32 };

static int compare_namings(const void *va, const void *vb)
{
    const struct naming *a = va, *b = vb;
    return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : (uintptr_t)a->name > (uintptr_t)b->name;
}

static void add_macro_names(const struct unit *unit, struct warp_reach *reach)
{
    vec_each (const struct directive, d, &unit->directives)
        for (uint32_t i = d->body.begin; d->kind == TOK_PP_DEFINE && i < d->body.end; ++i)
            if (unit_kind(unit, i) == TOK_IDENT)
                *vec_push(&reach->namings) = (struct naming){.name = unit_token(unit, i)->symbol};
}

static struct warp_reach *reach_new(struct annotation *a)
{
    const struct code *code = annotation_code(a);
    struct warp_reach *reach = xcalloc(1, sizeof *reach);
    reach->entered = xcalloc(a->unit->functions.count, sizeof *reach->entered);
    vec_each (const struct code_node, call, &code->calls)
        *vec_push(&reach->namings) = (struct naming){call->name, call->node, call->function};
    vec_each (const struct code_node, name, &code->names)
        *vec_push(&reach->namings) = (struct naming){.name = name->name};
    add_macro_names(a->unit, reach);
    qsort(reach->namings.items, reach->namings.count, sizeof *reach->namings.items,
          compare_namings);
    reach->called = xcalloc(reach->namings.count, sizeof *reach->called);
    return reach;
}

void warp_reach_free(struct warp_reach *reach)
{
    if (!reach)
        return;
    vec_release(&reach->namings);
    free(reach->entered);
    free(reach->called);
    free(reach);
}

/* The first of the places that name the function at index FUNCTION, and behind the last of them. */
static struct range namings_of(const struct annotation *a, size_t function)
{
    const struct warp_reach *reach = a->reach;
    const struct naming *items = reach->namings.items;
    uintptr_t name =
        (uintptr_t)unit_token(a->unit, a->unit->functions.items[function].name)->symbol;
    size_t low, end;
    vec_search(low, reach->namings.count, (uintptr_t)items[low].name < name);
    vec_search(end, reach->namings.count, (uintptr_t)items[end].name <= name);
    return (struct range){(uint32_t)low, (uint32_t)end};
}

static bool all_callers_whole(struct annotation *a, struct range namings)
{
    for (uint32_t i = namings.begin; i < namings.end; ++i) {
        struct naming naming = a->reach->namings.items[i];
        if (!naming.call || !warp_is_whole(a, naming.function, naming.call))
            return false;
    }
    return true;
}

static bool is_launched(struct annotation *a, size_t kernel)
{
    struct model *model = annotation_code(a)->model;
    struct launch_blocks others = {.count = 0};
    bool complete;
    size_t count;
    model_launches_of(model, kernel, &count, &complete);
    return (count && (complete || !unit_is_header(a->unit))) ||
           model_blocks_elsewhere(model, kernel, &others);
}

/* Whether the waves that enter the function at index FUNCTION are whole. Who calls a device
   function is told by its name, so that all of one name share the answer. */
static bool is_entered_whole(struct annotation *a, size_t function)
{
    bool kernel = a->unit->functions.items[function].flags & FUNCTION_GLOBAL;
    struct range namings = namings_of(a, function);
    if (!kernel && (namings.begin == namings.end || unit_is_header(a->unit)))
        return false;
    uint8_t *entered = kernel ? &a->reach->entered[function] : &a->reach->called[namings.begin];
    if (*entered != ENTERED_UNKNOWN)
        return *entered == ENTERED_WHOLE;
    if (CALL_DEPTH <= a->reach->depth)
        return false;
    *entered = ENTERED_BUSY;
    ++a->reach->depth;
    bool whole = kernel ? is_launched(a, function) : all_callers_whole(a, namings);
    --a->reach->depth;
    *entered = whole ? ENTERED_WHOLE : ENTERED_OTHERWISE;
    return whole;
}

bool warp_is_whole(struct annotation *a, size_t function, const struct node *node)
{
    struct launch_blocks blocks;
    struct model *model = annotation_code(a)->model;
    unsigned wave = annotation_with_wave(a, 64) ? 64 : 32;
    if (!a->reach)
        a->reach = reach_new(a);
    if (!is_entered_whole(a, function) || !model_blocks(model, function, &blocks) || !blocks.count)
        return false;
    for (unsigned i = 0; i < blocks.count; ++i) {
        struct lane_machine *machine = annotation_machine(a, function, blocks.block[i], wave, 0);
        if (!machine || !lane_reach_whole_waves(machine, node))
            return false;
    }
    return blocks.all;
}

bool warp_is_exact(struct annotation *a, size_t function, const struct node *node, uint64_t mask)
{
    struct launch_blocks blocks;
    uint64_t reach[LANES_MAX / 64];
    if (!(a->unit->functions.items[function].flags & FUNCTION_GLOBAL))
        return false;
    if (!model_blocks(annotation_code(a)->model, function, &blocks) || !blocks.count)
        blocks = (struct launch_blocks){.count = 1, .block = {{LANES_MAX, 1, 1}}};
    for (unsigned i = 0; i < blocks.count; ++i) {
        struct lane_machine *machine = annotation_machine(a, function, blocks.block[i], 64, 0);
        if (!machine || lane_reach(machine, node, reach) == REACH_UNKNOWN)
            return false;
        for (unsigned from = 0; from < machine->threads; from += 64)
            if (reach[from / 64] && reach[from / 64] != mask)
                return false;
    }
    return true;
}

/* Whether some wave of WAVE lanes gets to NODE with a part of them. */
static bool is_partial(struct annotation *a, size_t function, const struct node *node,
                       const struct launch_blocks *blocks, unsigned wave)
{
    uint64_t reach[LANES_MAX / 64];
    uint64_t full = wave == 64 ? UINT64_MAX : UINT32_MAX;
    for (unsigned i = 0; i < blocks->count; ++i) {
        struct lane_machine *machine = annotation_machine(a, function, blocks->block[i], wave, 0);
        if (!machine || lane_reach(machine, node, reach) == REACH_UNKNOWN)
            continue;
        for (unsigned from = 0; from < machine->threads; from += wave) {
            uint64_t active = reach[from / 64] >> from % 64 & full;
            if (active && active != full)
                return true;
        }
    }
    return false;
}

target_set warp_is_partial(struct annotation *a, size_t function, const struct node *node)
{
    struct launch_blocks blocks;
    static const unsigned waves[] = {32, 64};
    target_set res = 0;
    if (!(a->unit->functions.items[function].flags & FUNCTION_GLOBAL))
        return 0;
    model_blocks(annotation_code(a)->model, function, &blocks);
    for (unsigned i = 0; i < 2; ++i) {
        target_set targets = annotation_with_wave(a, waves[i]);
        if (targets && is_partial(a, function, node, &blocks, waves[i]))
            res |= targets;
    }
    return res;
}

bool warp_fits_half(struct annotation *a, const struct node *node)
{
    struct launch_blocks blocks;
    struct model *model = annotation_code(a)->model;
    size_t function = model_function_at(model, node->tokens.begin);
    if (function == NO_INDEX || unit_is_header(a->unit) ||
        !model_blocks(model, function, &blocks) || !blocks.count)
        return false;
    for (unsigned i = 0; i < blocks.count; ++i)
        if (32 < (uint64_t)blocks.block[i][0] * blocks.block[i][1] * blocks.block[i][2])
            return false;
    return blocks.all;
}
