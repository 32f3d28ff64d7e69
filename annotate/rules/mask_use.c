/* wave-lane-shift, wave-mask-compare, wave-mask-count, wave-mask-shift

   Finds: __popc, __ffs, __clz, __brev of a lane mask; 1u << lane and its like where they meet one;
   numbers of 32 bits that are shifted by a lane of the wave; comparisons of one with 32 ones, or of
   its count with 32; in HIP code with 64. Why: they look at 32 bits of a mask that has 64 on a GPU
   with waves of 64 lanes. __ffs() of what is 64 bits wide as it stands does not compile, on any
   GPU.

   Before: __popc(__ballot_sync(FULL, keep) & ((1u << lane) - 1))
   After:  __popcll(__ballot_sync(FULL, keep) & ((1ull << lane) - 1))

   Fix: safe, together with the variables that hold the mask; the result of __clz only where its
   distance from 31 is taken.
   Silent: bits that are no lanes. In blocks of at most 32 threads it is a note.  */
#include <config.h>

#include "annotate/lanemask.h"
#include "annotate/width.h"

/* A comparison with all lanes of a warp, or of a wave of 64 in HIP code. */
static struct finding *report_compare(struct annotation *a, const struct mask_use *use)
{
    struct range range = use->node->tokens;
    return width_applies(a, range.begin, use->lanes)
               ? width_add(a, RULE_WAVE_MASK_COMPARE, range, use->lanes)
               : NULL;
}

static struct finding *report_use(struct annotation *a, const struct mask_use *use)
{
    static const enum rule_id rules[] = {[MASK_COUNT] = RULE_WAVE_MASK_COUNT,
                                         [MASK_SHIFT] = RULE_WAVE_MASK_SHIFT,
                                         [MASK_LANE] = RULE_WAVE_LANE_SHIFT};
    struct finding *f = annotation_add(a, rules[use->kind], use->node->tokens);
    target_set wide = annotation_with_wave(a, 64);
    if (use->ambiguous)
        f->effect = EFFECT_COMPILE;
    else
        f->targets = wide;
    finding_add_arg(f, annotation_names(a, wide ? wide : f->targets & comparison_all(a->gpus)));
    return f;
}

static void report(struct annotation *a, struct lane_masks *masks, const struct mask_use *use)
{
    if (token_region(unit_token(a->unit, use->node->tokens.begin)) == REGION_CUDA)
        return;
    struct finding *f = use->kind == MASK_COMPARE ? report_compare(a, use) : report_use(a, use);
    if (!f)
        return;
    if (f->effect != EFFECT_COMPILE && warp_fits_half(a, use->node))
        f->effect = EFFECT_NONE;
    lane_masks_add_edits(masks, f, use->group);
}

void rule_mask_use(struct annotation *a)
{
    struct lane_masks *masks = annotation_masks(a);
    if (!masks)
        return;
    vec_each (const struct mask_use, use, &masks->uses)
        report(a, masks, use);
}
