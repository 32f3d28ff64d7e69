/* sync-cooperative-grid: see its page in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"
#include "annotate/gpu/occupancy.h"

enum {
    FEWEST_UNITS = 38, /* one die of an MI300X, which may be a device of its own */
    MOST_UNITS = 304,  /* an MI300X */
};

/* The product of the grid's dimensions; false where one is not known or has several values. */
static bool grid_blocks(const struct launch_site *site, uint64_t *res)
{
    *res = 1;
    for (int d = 0; d < 3; ++d) {
        const struct constant *value = &site->grid[d].value;
        if (!constant_single(value) || value->values[0] <= 0 || UINT32_MAX < value->values[0] ||
            UINT32_MAX < *res)
            return false;
        *res *= (uint64_t)value->values[0];
    }
    return true;
}

/* Blocks of the launch that a compute unit of TARGET holds; 0: not known. */
static unsigned blocks_of_unit(const struct launch_site *site, const struct target *target)
{
    struct occupancy_request request = {.block = 0};
    struct occupancy o;
    if (!site->block_known || site->block_count != 1)
        return 0;
    request.block = site->blocks[0][0] * site->blocks[0][1] * site->blocks[0][2];
    if (site->shared && constant_single(&site->shared_bytes) && 0 < site->shared_bytes.values[0] &&
        site->shared_bytes.values[0] <= UINT32_MAX)
        request.lds = (unsigned)site->shared_bytes.values[0];
    return occupancy_compute(target, &request, &o) == OCCUPANCY_OK ? o.groups : 0;
}

void rule_cooperative_grid(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!symbol_find(unit->symbols, "cudaLaunchCooperativeKernel") &&
        !symbol_find(unit->symbols, "hipLaunchCooperativeKernel") &&
        !symbol_find(unit->symbols, "cuLaunchCooperativeKernel") &&
        !symbol_find(unit->symbols, "hipModuleLaunchCooperativeKernel"))
        return;
    size_t count;
    const struct launch_site *sites = model_launches(annotation_code(a)->model, &count);
    for (size_t i = 0; i < count; ++i) {
        uint64_t blocks;
        if (!sites[i].cooperative || !sites[i].grid[0].expression ||
            token_region(unit_token(unit, sites[i].token)) == REGION_CUDA ||
            !grid_blocks(&sites[i], &blocks))
            continue;
        target_set targets = 0;
        unsigned most = 0;
        bool fails = true;
        for (unsigned t = 0; t < a->gpus->count; ++t) {
            unsigned each = blocks_of_unit(&sites[i], a->gpus->targets[t]);
            if (!each || blocks <= FEWEST_UNITS * (uint64_t)each)
                continue;
            targets |= (target_set)1 << t;
            most = most < each ? each : most;
            fails &= MOST_UNITS * (uint64_t)each < blocks;
        }
        if (!targets)
            continue;
        struct finding *f =
            annotation_add(a, RULE_SYNC_COOPERATIVE_GRID, sites[i].grid[0].expression->tokens);
        f->targets = targets;
        if (!fails)
            f->effect = EFFECT_NONE; /* a large GPU has room for them */
        finding_add_number(f, (long long)blocks);
        finding_add_number(f, most);
        finding_add_arg(f, annotation_names(a, targets));
    }
}
