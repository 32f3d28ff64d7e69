/* Shifts of 32 bits by lane numbers that a warp of 32 lanes has not.  */
#include <config.h>

#include "annotate/lanemask_p.h"
#include "annotate/model/launch.h"
#include "annotate/width.h"

/* Whether all threads of a block of BLOCK shift by AMOUNT as far as 32 bits allow, or some that
   get to NODE do not (*BEYOND); false where nobody can say. */
static bool examine_amount(struct mask_search *s, const struct code_node *shift,
                           const unsigned block[3], unsigned wave, bool *beyond)
{
    const struct node *amount = shift->node->kids->next;
    struct lane_machine *machine = annotation_machine(s->a, shift->function, block, wave, 0);
    if (!machine)
        return false;
    struct lanes lanes = lane_evaluate(machine, amount);
    if (lanes.state != LANES_KNOWN || !lanes.values)
        return false;
    uint64_t mask[LANES_MAX / 64];
    bool some = lane_reach(machine, shift->node, mask) != REACH_UNKNOWN;
    for (unsigned i = 0; i < machine->threads; ++i)
        if (!some || mask[i / 64] >> i % 64 & 1)
            *beyond |= lanes_at(&lanes, i) < 0 || 31 < lanes_at(&lanes, i);
    return true;
}

/* Whether SHIFT goes too far on waves of 64 lanes, and on waves of 32 does not. */
static bool goes_beyond(struct mask_search *s, const struct code_node *shift)
{
    struct launch_blocks blocks;
    if (!model_blocks(s->model, shift->function, &blocks) || !blocks.count)
        blocks = (struct launch_blocks){.count = 1, .block = {{256, 1, 1}}};
    for (unsigned i = 0; i < blocks.count; ++i) {
        bool on32 = false, on64 = false;
        if (!examine_amount(s, shift, blocks.block[i], 32, &on32) || on32 ||
            !examine_amount(s, shift, blocks.block[i], 64, &on64))
            return false;
        if (on64)
            return true;
    }
    return false;
}

/* Whether a conditional expression or a short circuit around NODE may leave it out: what reaches it
   is not told apart that far. */
static bool is_guarded(const struct mask_search *s, const struct node *node)
{
    for (const struct node *at = node, *around; (around = code_parent(s->code, at)); at = around) {
        if (NODE_BLOCK <= around->kind || around->kind == NODE_DECLARATION)
            return false;
        bool circuit =
            around->kind == NODE_BINARY && (around->op == TOK_AND_AND || around->op == TOK_OR_OR);
        if ((around->kind == NODE_CHOICE || circuit) && around->kids != at)
            return true;
    }
    return false;
}

/* Whether some function of the file asks for a lane of the wave. */
static bool asks_for_lanes(struct mask_search *s)
{
    const struct widths *widths = annotation_widths(s->a);
    for (size_t i = 0; i < widths->function_count; ++i)
        if (widths->functions[i].names_size || widths->functions[i].takes_lane)
            return true;
    return false;
}

void masks_find_lane_shifts(struct mask_search *s)
{
    if (!asks_for_lanes(s))
        return;
    vec_each (const struct code_node, at, &s->code->operations) {
        const struct node *node = at->node, *left = node->kids;
        if (node->kind != NODE_BINARY || !at->device || s->seen[node->id] ||
            (node->op != TOK_SHIFT_LEFT && node->op != TOK_SHIFT_RIGHT) ||
            left->next->kind == NODE_NUMBER || masks_carries(s, left))
            continue;
        const struct type *type = type_of(s->model, left);
        if (type->kind == TYPE_INTEGER && type->exact && type->size <= 4 && !is_guarded(s, node) &&
            goes_beyond(s, at))
            masks_add_use(s, MASK_LANE, node);
    }
}
