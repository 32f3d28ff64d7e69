/* wave-vote-kept: see its page in annotate/pages/. */
#include <config.h>

#include "annotate/warp.h"
#include "annotate/width.h"

/* The place in memory that the value of CALL goes to as it is, or NULL. */
static const struct node *target_of(const struct code *code, const struct node *call)
{
    const struct node *at = call, *around = code_parent(code, at);
    while (around && around->kind == NODE_CAST) {
        at = around;
        around = code_parent(code, at);
    }
    if (!around || around->kind != NODE_ASSIGN || around->op != TOK_ASSIGN || around->kids == at)
        return NULL;
    const struct node *target = around->kids;
    bool memory =
        target->kind == NODE_INDEX || (target->kind == NODE_UNARY && target->op == TOK_STAR);
    return memory ? target : NULL;
}

/* Whether a condition around PLACE may let some lanes of a wave through and not others: then it is
   open who votes. */
static bool is_for_some(struct annotation *a, const struct code *code,
                        const struct code_node *place)
{
    static const unsigned usual[] = {256, 1, 1};
    struct lane_machine *machine = annotation_machine(a, place->function, usual, 64, 0);
    for (const struct node *at = place->node, *around; (around = code_parent(code, at));
         at = around) {
        if ((around->kind != NODE_IF && around->kind != NODE_CHOICE) || around->kids == at)
            continue;
        struct lanes condition = {0};
        if (machine)
            condition = lane_evaluate(machine, around->kids);
        if (!lanes_uniform(&condition) && !condition.wave_uniform)
            return true;
    }
    return false;
}

void rule_vote_kept(struct annotation *a)
{
    if (!warp_is_used(a) || !annotation_with_wave(a, 64))
        return;
    const struct code *code = annotation_code(a);
    vec_each (const struct code_node, place, &code->calls) {
        struct warp_call call;
        if (!place->device ||
            token_region(unit_token(a->unit, place->node->token)) == REGION_CUDA ||
            annotation_is_hip(a, place->node->token) || !warp_call_of(a, place->node, &call) ||
            call.function->kind != WARP_VOTE || !target_of(code, place->node) ||
            annotation_widths(a)->functions[place->function].names_size ||
            warp_fits_half(a, place->node) || is_for_some(a, code, place))
            continue;
        struct finding *f = annotation_add(a, RULE_WAVE_VOTE_KEPT, place->node->tokens);
        f->targets = annotation_with_wave(a, 64);
        finding_add_arg(f, annotation_names(a, f->targets));
    }
}
