/* occupancy-launch-bounds, occupancy-launch-bounds-impossible, occupancy-launch-bounds-ignored,
   occupancy-cluster-bounds, occupancy-bounds-attribute

   Finds: the second argument of __launch_bounds__ where its number means something else to HIP, or
   nothing; the third argument; the attribute by its own name.
   Why: the second argument is blocks per multiprocessor in CUDA and waves per SIMD in HIP; HIP
   knows no third one; clang reads the attribute launch_bounds and does nothing with it.

   Before: __global__ void __launch_bounds__(128, 8) k(...)
   After:  __global__ void __launch_bounds__(128) k(...)

   Fix: safe: the argument is dropped, since no single number says it for waves of 64 and of 32
   lanes. In code of HIP's own: none. Silent: where the number happens to mean the same on every
   target; (256, 4) on CDNA.  */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

#include "annotate/gpu/occupancy.h"

/* From behind the argument before ARGUMENT to its end: what a fix drops. */
static struct span with_comma(const struct unit *unit, const struct node *argument)
{
    uint32_t comma = unit_prev(unit, argument->tokens.begin);
    return unit_span(unit, (struct range){comma, argument->tokens.end});
}

/* VGPRs of a wave that WAVES waves per SIMD leave on TARGET to a block of THREADS. */
static unsigned vgprs_left(const struct target *target, unsigned threads, unsigned waves)
{
    struct occupancy_request request = {.block = threads, .min_waves = waves};
    struct occupancy o;
    if (occupancy_compute(target, &request, &o) != OCCUPANCY_OK)
        return 0;
    unsigned groups = occupancy_blocks_of_waves(&o, waves);
    return occupancy_budget(target, &request, LIMIT_VGPRS, groups ? groups : 1);
}

/* CUDA's second argument: MIN_BLOCKS blocks of THREADS. */
static void examine_blocks(struct annotation *a, const struct launch_bounds *bounds,
                           unsigned threads, unsigned min_blocks)
{
    const struct node *argument = bounds->arguments[1];
    struct converted_bounds first = {0};
    const struct target *shown = NULL;
    target_set differs = 0;
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        const struct target *target = a->gpus->targets[i];
        struct occupancy_request request = {.block = threads};
        struct converted_bounds converted;
        if (occupancy_bounds(target, &request, min_blocks, &converted) != OCCUPANCY_OK)
            continue;
        /* Up to what a single block brings along, no number changes anything. */
        unsigned cuda = converted.waves <= converted.implied ? 0 : converted.waves;
        unsigned hip = min_blocks <= converted.implied ? 0 : min_blocks;
        if (cuda == hip)
            continue;
        if (!shown) {
            shown = target;
            first = converted;
        }
        differs |= (target_set)1 << i;
    }
    if (!shown)
        return;
    struct finding *f = annotation_add(a, RULE_OCCUPANCY_LAUNCH_BOUNDS, argument->tokens);
    f->targets = differs;
    finding_add_number(f, min_blocks);
    if (first.possible) {
        finding_add_arg(f, shown->name);
        finding_add_number(f, threads);
        finding_add_number(f, first.waves);
    } else {
        f->rule = RULE_OCCUPANCY_LAUNCH_BOUNDS_IMPOSSIBLE;
        finding_add_number(f, threads);
        finding_add_arg(f, shown->name);
    }
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        const struct target *target = a->gpus->targets[i];
        struct occupancy_request request = {.block = threads};
        struct converted_bounds converted;
        if (!(differs >> i & 1) ||
            occupancy_bounds(target, &request, min_blocks, &converted) != OCCUPANCY_OK)
            continue;
        finding_add_figure(f, target->name, FIGURE_WAVES_ASKED, min_blocks);
        finding_add_figure(f, target->name, FIGURE_WAVES_MEANT, converted.waves);
        unsigned asked = vgprs_left(target, threads, min_blocks);
        unsigned meant = vgprs_left(target, threads, converted.waves);
        if (asked && meant) {
            finding_add_figure(f, target->name, FIGURE_VGPRS_ASKED, asked);
            finding_add_figure(f, target->name, FIGURE_VGPRS_MEANT, meant);
        }
    }
    if (!bounds->by_macro)
        finding_add_edit(f, FIX_SAFE, with_comma(a->unit, argument), "");
}

/* HIP's second argument: WAVES per SIMD. */
static void examine_waves(struct annotation *a, const struct launch_bounds *bounds,
                          unsigned threads, unsigned waves)
{
    const struct node *argument = bounds->arguments[1];
    target_set ignored = 0;
    unsigned most = 0;
    const struct target *shown = NULL;
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        const struct target *target = a->gpus->targets[i];
        struct occupancy_request request = {.block = threads, .min_waves = waves};
        struct occupancy o;
        if (occupancy_compute(target, &request, &o) != OCCUPANCY_OK || !o.ignored)
            continue;
        ignored |= (target_set)1 << i;
        if (!shown) {
            shown = target;
            most = o.max_waves;
        }
    }
    if (!shown)
        return;
    struct finding *f = annotation_add(a, RULE_OCCUPANCY_LAUNCH_BOUNDS_IGNORED, argument->tokens);
    f->targets = ignored;
    finding_add_number(f, waves);
    finding_add_arg(f, shown->name);
    finding_add_number(f, most);
}

static void examine(struct annotation *a, size_t index)
{
    struct model *model = annotation_code(a)->model;
    struct launch_bounds bounds = model_launch_bounds(model, index);
    /* Another declaration's are examined with it. */
    if (!bounds.given || bounds.function != index || !bounds.arguments[0] ||
        token_region(unit_token(a->unit, bounds.arguments[0]->tokens.begin)) == REGION_CUDA)
        return;
    bool hip = annotation_is_hip(a, a->unit->functions.items[index].name);
    if (bounds.arguments[2] && !hip) {
        struct finding *f =
            annotation_add(a, RULE_OCCUPANCY_CLUSTER_BOUNDS, bounds.arguments[2]->tokens);
        if (!bounds.by_macro)
            finding_add_edit(f, FIX_SAFE, with_comma(a->unit, bounds.arguments[2]), "");
    }
    if (!bounds.arguments[1] || !constant_single(&bounds.max_threads) ||
        !constant_single(&bounds.min_blocks))
        return;
    int64_t threads = bounds.max_threads.values[0], second = bounds.min_blocks.values[0];
    if (threads < 1 || 1024 < threads || second < 1 || 1024 < second)
        return;
    if (hip)
        examine_waves(a, &bounds, (unsigned)threads, (unsigned)second);
    else
        examine_blocks(a, &bounds, (unsigned)threads, (unsigned)second);
}

/* __attribute__((launch_bounds(...))) */
static void examine_attributes(struct annotation *a)
{
    const struct unit *unit = a->unit;
    const struct symbol *attribute = symbol_find(unit->symbols, "launch_bounds");
    if (!attribute)
        return;
    for (uint32_t i = 2; unit_kind(unit, i) != TOK_EOF; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->symbol != attribute || unit_kind(unit, i - 1) != TOK_LPAREN ||
            unit_kind(unit, i - 2) != TOK_LPAREN || unit_kind(unit, i + 1) != TOK_LPAREN ||
            unit_partner(unit, i + 1) == NO_TOKEN || token_region(token) == REGION_CUDA)
            continue;
        annotation_add(a, RULE_OCCUPANCY_BOUNDS_ATTRIBUTE,
                       (struct range){i, unit_partner(unit, i + 1) + 1});
    }
}

void rule_launch_bounds(struct annotation *a)
{
    for (size_t i = 0; i < a->unit->functions.count; ++i)
        if (a->unit->functions.items[i].flags & FUNCTION_GLOBAL)
            examine(a, i);
    examine_attributes(a);
}
