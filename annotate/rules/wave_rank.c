/* wave-mask-lane

   Finds: a lane mask of 64 bits made by a shift by lane numbers that go up to 31 only (or to 63, on
   waves of 32), where it meets the mask of a whole wave: the rank of a lane in a ballot. Why: the
   lanes of the second half are looked up among those of the first.

   Before: __popcll (__ballot (p) & ((1ull << threadIdx.x % 32) - 1))
   After:  __popcll (__ballot (p) & ((1ull << threadIdx.x % warpSize) - 1))

   Fix: none: the lanes are counted elsewhere. Silent: shifts within 32 bits, which wave-mask-shift
   reports; amounts that are not known.  */
#include <config.h>

#include "annotate/lanemask.h"
#include "annotate/width.h"
#include "annotate/model/type.h"

enum { MOST_PLACES = 256 }; /* for masks in a file of which more is thought */

/* Whether NODE is what a warp function says of all lanes, or a variable that holds it. */
static bool is_wave_mask(struct annotation *a, const struct lane_masks *masks,
                         const struct node *node)
{
    struct warp_call warp;
    if (node->kind == NODE_CALL)
        return warp_call_of(a, node, &warp) && warp.function->kind == WARP_BALLOT;
    if (node->kind != NODE_NAME || MOST_PLACES < masks->places.count)
        return false;
    uint32_t declared =
        model_lookup(annotation_code(a)->model, tree_symbol(a->unit, node), node->token).token;
    vec_each (const struct mask_place, place, &masks->places)
        if (place->token == declared && place->kind == MASK_LOCAL)
            return place->value && place->given == place->masks &&
                   is_wave_mask(a, masks, place->value);
    return false;
}

/* Whether AMOUNT, in FUNCTION, is the lane in warps of WIDTH for each thread. */
static bool is_lane(struct annotation *a, size_t function, const struct node *amount,
                    unsigned width)
{
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    width_blocks(a, function, width, blocks, &assumed);
    struct lane_machine *machine =
        annotation_machine(a, function, blocks[0], width_other(width), 0);
    struct lanes value = machine ? lane_evaluate(machine, amount) : (struct lanes){0};
    if (value.state != LANES_KNOWN || !value.values || !value.bytes || value.object)
        return false;
    for (unsigned t = 0; t < machine->threads; ++t)
        if (lanes_at(&value, t) != t % width)
            return false;
    return true;
}

/* A shift of 64 bits in NODE by the lane in warps of WIDTH, or NULL. */
static const struct node *lane_shift(struct annotation *a, size_t function, const struct node *node,
                                     unsigned width)
{
    if (node->kind == NODE_BINARY && node->op == TOK_SHIFT_LEFT && node->kids->next) {
        const struct type *type = type_of(annotation_code(a)->model, node->kids);
        return type->size == 8 && is_lane(a, function, node->kids->next, width) ? node : NULL;
    }
    if (node->kind != NODE_BINARY && node->kind != NODE_UNARY && node->kind != NODE_CAST)
        return NULL;
    tree_each (kid, node) {
        const struct node *res = lane_shift(a, function, kid, width);
        if (res)
            return res;
    }
    return NULL;
}

static void examine(struct annotation *a, const struct lane_masks *masks,
                    const struct code_node *at, unsigned width)
{
    const struct node *left = at->node->kids, *right = left->next;
    if (!width_applies(a, at->node->token, width))
        return;
    const struct node *other = is_wave_mask(a, masks, left)    ? right
                               : is_wave_mask(a, masks, right) ? left
                                                               : NULL;
    const struct node *shift = other ? lane_shift(a, at->function, other, width) : NULL;
    if (shift)
        width_add(a, RULE_WAVE_MASK_LANE, shift->tokens, width);
}

void rule_wave_rank(struct annotation *a)
{
    const struct lane_masks *masks = annotation_masks(a);
    if (!masks)
        return;
    vec_each (const struct code_node, at, &annotation_code(a)->operations) {
        if (at->node->kind != NODE_BINARY || at->node->op != TOK_AMP || !at->node->kids->next ||
            !function_on_device(&a->unit->functions.items[at->function]))
            continue;
        examine(a, masks, at, 32);
        if (annotation_is_hip(a, at->node->token))
            examine(a, masks, at, 64);
    }
}
