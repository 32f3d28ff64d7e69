/* occupancy-missing-bounds

   Finds: kernels without launch bounds whose every launch is known. Why: HIP compiles a kernel
   without bounds for blocks of 1024 threads and caps its registers accordingly; what does not fit
   is spilled to memory. The kernels of a file that are launched with as many threads are one
   finding, so that it does not drown the rest.

   Before: __global__ void k(float *p) { ... }   k<<<n / 256, 256>>>(p);
   After:  __global__ void __launch_bounds__(256) k(float *p) { ... }

   Fix: __launch_bounds__ with the largest block: safe where the file shows every launch there can
   be. Silent: kernels some launch of which is not known, or has more than 512 threads; those that
   one thread runs.  */
#include <config.h>

#include "annotate/annotate_p.h"

#include "annotate/gpu/occupancy.h"

static uint32_t global_word(const struct unit *unit, const struct function *function)
{
    for (uint32_t i = function->head.begin; i < function->head.end; ++i)
        if (unit_kind(unit, i) == TOK_GLOBAL)
            return i;
    return NO_TOKEN;
}

/* Raises *MOST to the largest block with which other files launch the function at INDEX; false
   where that is not known. */
static bool count_users(struct annotation *a, size_t index, unsigned *most)
{
    struct launch_blocks blocks = {.all = true};
    model_blocks_elsewhere(annotation_code(a)->model, index, &blocks);
    for (unsigned i = 0; i < blocks.count; ++i) {
        const unsigned *block = blocks.block[i];
        unsigned threads = block[0] * block[1] * block[2];
        *most = *most < threads ? threads : *most;
    }
    return blocks.all;
}

static void add_figures(struct annotation *a, struct finding *f, unsigned threads)
{
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        const struct target *target = a->gpus->targets[i];
        struct occupancy_request whole = {.block = 1024}, real = {.block = threads};
        finding_add_figure(f, target->name, FIGURE_VGPRS_DEFAULT,
                           occupancy_budget(target, &whole, LIMIT_VGPRS, 1));
        finding_add_figure(f, target->name, FIGURE_VGPRS_BOUND,
                           occupancy_budget(target, &real, LIMIT_VGPRS, 1));
    }
}

static void examine_kernel(struct annotation *a, size_t index)
{
    struct model *model = annotation_code(a)->model;
    const struct function *function = &a->unit->functions.items[index];
    uint32_t word = global_word(a->unit, function);
    if (function->body.begin >= function->body.end || function->flags & FUNCTION_IN_MACRO ||
        word == NO_TOKEN || token_region(unit_token(a->unit, word)) == REGION_CUDA)
        return;
    struct launch_bounds bounds = model_launch_bounds(model, index);
    /* A limit of the build says how many registers are enough; one of an attribute goes away. */
    if (bounds.given || (model->options && model->options->max_registers))
        return;
    size_t count;
    bool complete;
    const struct launch_site *const *sites = model_launches_of(model, index, &count, &complete);
    unsigned most = 0;
    for (size_t i = 0; i < count; ++i) {
        unsigned threads = launch_most_threads(sites[i]);
        if (!threads)
            return;
        most = most < threads ? threads : most;
    }
    /* More than half of 1024: the registers would hardly become more. One thread alone has nothing
       to lose. */
    if (!count_users(a, index, &most) || most < 2 || 512 < most)
        return;
    struct finding *f = annotation_add(a, RULE_OCCUPANCY_MISSING_BOUNDS,
                                       (struct range){function->name, function->name + 1});
    f->joins = true;
    finding_add_number(f, most);
    add_figures(a, f, most);
    for (size_t i = 0; i < count && i < 5; ++i)
        finding_add_related(f, RELATED_LAUNCHED, unit_token_span(a->unit, sites[i]->token), NULL);
    annotation_add_launches(a, f, index);
    const struct token *token = unit_token(a->unit, word);
    uint32_t behind = token->offset + token->length;
    const char *text = arena_printf(a->arena, " __launch_bounds__(%u)", most);
    finding_add_edit(f, complete ? FIX_SAFE : FIX_UNSAFE, (struct span){behind, behind}, text);
}

void rule_missing_bounds(struct annotation *a)
{
    const struct unit *unit = a->unit;
    for (size_t i = 0; i < unit->functions.count; ++i)
        if (unit->functions.items[i].flags & FUNCTION_GLOBAL)
            examine_kernel(a, i);
}
