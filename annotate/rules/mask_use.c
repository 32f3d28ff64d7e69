/* wave-mask-compare, wave-mask-count, wave-mask-shift

   Finds: __popc, __ffs, __clz, __brev of a lane mask; 1u << lane and its like where they meet one;
   comparisons of one with 32 ones.
   Why: they look at 32 bits of a mask that has 64 on a GPU with waves of 64 lanes. __ffs() of what
   is 64 bits wide as it stands does not compile, on any GPU.

   Before: __popc(__ballot_sync(FULL, keep) & ((1u << lane) - 1))
   After:  __popcll(__ballot_sync(FULL, keep) & ((1ull << lane) - 1))

   Fix: safe, together with the variables that hold the mask; the result of __clz only where its
   distance from 31 is taken.
   Silent: bits that are no lanes. In blocks of at most 32 threads it is a note.  */
#include <config.h>

#include "annotate/lanemask.h"

#include <string.h>

/* HIP has __ffs() for int and for unsigned, and neither is nearer to 64 bits. */
static bool is_ambiguous(const struct annotation *a, const struct mask_use *use)
{
    return use->kind == MASK_COUNT && use->wide &&
           !strcmp(tree_symbol(a->unit, use->node->kids)->text, "__ffs");
}

static void report(struct annotation *a, struct lane_masks *masks, const struct mask_use *use)
{
    static const enum rule_id rules[] = {[MASK_COUNT] = RULE_WAVE_MASK_COUNT,
                                         [MASK_SHIFT] = RULE_WAVE_MASK_SHIFT,
                                         [MASK_COMPARE] = RULE_WAVE_MASK_COMPARE};
    struct range range = use->node->tokens;
    if (token_region(unit_token(a->unit, range.begin)) == REGION_CUDA)
        return;
    struct finding *f = annotation_add(a, rules[use->kind], range);
    target_set wide = annotation_with_wave(a, 64);
    if (is_ambiguous(a, use))
        f->effect = EFFECT_COMPILE;
    else
        f->targets = wide;
    if (f->effect != EFFECT_COMPILE && warp_fits_half(a, use->node))
        f->effect = EFFECT_NONE;
    finding_add_arg(f, annotation_names(a, wide ? wide : f->targets & comparison_all(a->gpus)));
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
