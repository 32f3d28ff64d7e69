/* wave-ballot-truncated, wave-mask-variable

   Finds: variables, parameters, results, members and arrays that hold a lane mask in fewer than 64
   bits: ballots, active masks, matches and what is made of them; and masks that are given to _sync
   functions.
   Why: a ballot of a wave of 64 loses the lanes from 32 on, without a message; a mask of 32 bits is
   not accepted by HIP's _sync functions at all.

   Before: unsigned m = __ballot_sync(FULL, keep);
   After:  unsigned long long m = __ballot_sync(FULL, keep);

   Fix: safe for local variables, together with what counts and shifts them; unsafe for parameters,
   results and shared arrays, whose other users may be elsewhere.
   Silent: bool, auto, and types that are not known. In blocks of at most 32 threads it is a note.
 */
#include <config.h>

#include "annotate/lanemask.h"

enum { MOST_USES = 32 }; /* that one finding names */

/* Where P is reported: its declaration, or where nobody knows it the place that is given a mask. */
static struct range place_range(const struct annotation *a, const struct lane_masks *masks,
                                const struct mask_place *p)
{
    const struct node *parent = p->site ? code_parent(a->code, p->site) : NULL;
    bool assigned = parent && parent->kind == NODE_ASSIGN;
    bool lambda = p->kind == MASK_RESULT && p->function == NO_INDEX;
    if (lambda || (p->kind == MASK_MEMBER && p->begin != NO_TOKEN))
        return (struct range){p->begin, p->token + 1};
    if ((p->kind == MASK_POINTED || p->kind == MASK_MEMBER) && assigned)
        return parent->kids->tokens;
    if (p->kind == MASK_MEMBER)
        return (p->site ? p->site : masks->namings.items[p->used].node)->tokens;
    if (p->declaration && p->declaration->kids->next == p->declarator)
        return (struct range){p->declaration->kids->tokens.begin, p->token + 1};
    return (struct range){p->token, p->token + 1};
}

static bool is_inside(const struct range *outer, const struct range *inner)
{
    return outer->begin <= inner->begin && inner->end <= outer->end;
}

/* Relates to F what the list that begins with FIRST names. */
static void add_list(const struct annotation *a, const struct lane_masks *masks, uint32_t first,
                     enum related_id id, struct finding *f)
{
    unsigned count = 0;
    for (uint32_t at = first; at != NO_INDEX && count < MOST_USES; ++count) {
        const struct mask_naming *naming = &masks->namings.items[at];
        finding_add_related(f, id, unit_span(a->unit, naming->node->tokens), NULL);
        at = naming->next;
    }
}

/* F is a note where no AMD compiler gets to any of the mask arguments that name P. Where it does
   not get to P itself either, all findings are. */
static void settle_uses(struct annotation *a, const struct lane_masks *masks,
                        const struct mask_place *p, struct finding *f)
{
    const struct unit *unit = a->unit;
    for (uint32_t at = p->used; at != NO_INDEX; at = masks->namings.items[at].next)
        if (!unit_is_hidden(unit, masks->namings.items[at].node->token))
            return;
    if (unit_is_hidden(unit, p->token))
        return;
    uint32_t branch = unit_branch_at(unit, masks->namings.items[p->used].node->token);
    f->effect = EFFECT_NONE;
    finding_add_related(f, RELATED_HIDDEN, unit_span(unit, unit->directives.items[branch].tokens),
                        NULL);
}

static void report(struct annotation *a, struct lane_masks *masks, const struct mask_place *p)
{
    struct range range = place_range(a, masks, p);
    if (token_region(unit_token(a->unit, range.begin)) == REGION_CUDA)
        return;
    const struct node *source = p->value ? p->value : p->site;
    struct finding *f;
    if (p->used != NO_INDEX) {
        f = annotation_add(a, RULE_WAVE_MASK_VARIABLE, range);
        finding_add_number(f, p->bits);
        add_list(a, masks, p->used, RELATED_USED, f);
        settle_uses(a, masks, p, f);
    } else {
        f = annotation_add(a, RULE_WAVE_BALLOT_TRUNCATED, range);
        f->targets = annotation_with_wave(a, 64);
        if (warp_fits_half(a, source))
            f->effect = EFFECT_NONE;
        finding_add_number(f, p->bits);
        if (source->kind == NODE_ASM)
            finding_add_arg(f, "asm");
        else
            annotation_add_quote(a, f, source->tokens);
        finding_add_arg(f, annotation_names(a, f->targets));
    }
    if (source && !is_inside(&range, &source->tokens))
        finding_add_related(f, RELATED_MASK, unit_span(a->unit, source->tokens), NULL);
    if (p->used == NO_INDEX)
        add_list(a, masks, p->more, RELATED_MASK, f);
    if (p->widened)
        lane_masks_add_edits(masks, f, p->group);
}

void rule_ballot_truncated(struct annotation *a)
{
    struct lane_masks *masks = annotation_masks(a);
    if (!masks)
        return;
    vec_each (const struct mask_place, p, &masks->places)
        if ((p->value || p->used != NO_INDEX) && p->bits && p->bits < 64)
            report(a, masks, p);
}
