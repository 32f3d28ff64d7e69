/* wave-shuffle-lane, wave-shuffle-beyond, wave-shuffle-width, wave-reduction-half,
   wave-reduction-incomplete, wave-reduction-beyond

   Finds: shuffles without a width that read from a lane by its number, and reach another thread
   where a wave has 64 lanes instead of 32; in HIP code, lanes that only waves of 64 have; shuffles
   with the width 32; loops of shuffles (or a row of them, macros, a template that goes on with half
   of its parameter) over the distances 16, 8, 4, 2, 1, up or down, which combine 32 lanes. Why:
   without a width a shuffle spans the whole wave. Lane 0 is that of the wave then, not of the half
   of it that was a warp. A tree that begins at 16 leaves each half with a result of its own: right
   where both are used, as by warps of 32, and wrong where one lane of the wave speaks for all of
   it.

   Before: for (int d = 16; d; d /= 2) v += __shfl_down_sync(mask, v, d);
   After:  for (int d = warpSize / 2; d; d /= 2) v += __shfl_down_sync(mask, v, d);

   Fix: unsafe: distances from warpSize / 2, the last lane warpSize - 1, or the width 32 where not
   all can follow. Silent: what follows warpSize; lanes that are not known; blocks of a single warp;
   groups of fewer lanes than a warp has.  */
#include <config.h>

#include "annotate/rules/wave_shuffle_p.h"

#include <stdlib.h>

#include "annotate/model/flow.h"
#include "annotate/warp_macro.h"
#include "base/xalloc.h"

enum { MOST_EDGES = 16 }; /* a few threads at the edges are often left out of account afterwards */

/* A function whose first shuffle by a parameter is for its callers. */
struct wrapper {
    const struct warp_function *function; /* NULL: it has none */
    const struct node *width;
    int lane, value, width_parameter; /* which parameters; -1: none */
};

static bool names(const struct node *node, const struct unit *unit, const struct symbol *symbol)
{
    if (node->kind == NODE_NAME && tree_symbol(unit, node) == symbol)
        return true;
    tree_each (kid, node)
        if (names(kid, unit, symbol))
            return true;
    return false;
}

static const struct symbol *first_name(const struct unit *unit, const struct node *node)
{
    if (node->kind == NODE_NAME)
        return tree_symbol(unit, node);
    tree_each (kid, node) {
        const struct symbol *res = first_name(unit, kid);
        if (res)
            return res;
    }
    return NULL;
}

const struct node *shuffles_loop(struct shuffles *c, const struct node *node,
                                 const struct node *lane)
{
    const struct unit *unit = c->a->unit;
    const struct symbol *symbol = first_name(unit, lane);
    const struct node *innermost = NULL;
    for (const struct node *at = node; at; at = code_parent(c->code, at)) {
        if (at->kind != NODE_FOR && at->kind != NODE_WHILE && at->kind != NODE_DO)
            continue;
        if (!innermost)
            innermost = at;
        unsigned index = 0;
        tree_each (kid, at) {
            bool is_body = at->kind == NODE_DO ? index == 0 : !kid->next;
            if (symbol && !is_body && names(kid, unit, symbol))
                return at;
            ++index;
        }
    }
    return symbol ? innermost : NULL;
}

bool shuffles_is_chosen(struct shuffles *c, size_t function, const struct node *node)
{
    for (const struct node *at = node, *around; (around = code_parent(c->code, at)); at = around) {
        const struct node *condition = around->kids;
        int64_t on32, on64;
        if ((around->kind != NODE_IF && around->kind != NODE_CHOICE) || condition == at)
            continue;
        bool known32 = width_value(c->a, function, condition, 32, 0, &on32);
        bool known64 = width_value(c->a, function, condition, 64, 0, &on64);
        if (known32 && known64 && on32 != on64)
            return true;
    }
    return false;
}

void shuffles_add_width_fix(struct shuffles *c, struct finding *f, const struct node *call,
                            size_t function)
{
    struct warp_call warp;
    struct constant value;
    if (warp_call_of(c->a, call, &warp) && warp.width && warp.width->kind == NODE_NUMBER &&
        constant_of(c->code->model, warp.width, &value) && constant_single(&value) &&
        value.values[0] == 32)
        finding_add_edit(f, width_safety(c->a, function), unit_span(c->a->unit, warp.width->tokens),
                         "warpSize");
}

/* Shuffles by number. */

/* The thread of the block from which thread T reads on waves of WAVE lanes. */
static int64_t source(const struct lanes *lane, unsigned t, unsigned wave)
{
    return (int64_t)(t / wave * wave) + (lanes_at(lane, t) & (wave - 1));
}

/* Whether the bound of a loop around NODE follows warpSize: what counts up to it does too. */
static bool loop_follows(struct shuffles *c, size_t function, const struct node *node)
{
    for (const struct node *at = node; at; at = code_parent(c->code, at)) {
        if (at->kind != NODE_FOR && at->kind != NODE_WHILE)
            continue;
        const struct node *condition = at->kind == NODE_FOR ? at->kids->next : at->kids;
        int64_t on32, on64;
        if (condition->kind == NODE_BINARY)
            tree_each (kid, condition)
                if (width_value(c->a, function, kid, 32, 0, &on32) &&
                    width_value(c->a, function, kid, 64, 0, &on64) && on32 != on64)
                    return true;
    }
    return false;
}

/* Compares what the threads read on waves of 64 with what they read on waves of 32: how many read
   something else, or -1 where nobody can say. VALUE is what is passed on: two threads may have the
   same of it, as threadIdx.x / 128 is. */
static int count_strangers(struct shuffles *c, const struct code_node *call,
                           const struct node *lane, const struct node *value,
                           const unsigned block[3])
{
    struct lane_machine *on64 = annotation_machine(c->a, call->function, block, 64, 0);
    struct lane_machine *on32 = annotation_machine(c->a, call->function, block, 32, 0);
    if (!on64 || !on32)
        return -1;
    struct lanes wide = lane_evaluate(on64, lane), narrow = lane_evaluate(on32, lane);
    if (wide.state == LANES_UNKNOWN || narrow.state != wide.state || !wide.bytes)
        return -1;
    /* What is shifted by an unknown amount is looked at for the amount 0: any other may be there.
     */
    if (wide.state == LANES_SHIFTED && wide.values)
        return -1;
    struct lanes passed = lane_evaluate(on64, value);
    bool known = passed.state == LANES_KNOWN && passed.bytes && !passed.object && !passed.record;
    uint64_t mask[LANES_MAX / 64];
    bool some = lane_reach(on64, call->node, mask) != REACH_UNKNOWN;
    int res = 0;
    for (unsigned t = 0; t < on64->threads; ++t) {
        if (some && !(mask[t / 64] >> t % 64 & 1))
            continue;
        if (lanes_at(&wide, t) != lanes_at(&narrow, t))
            return -1; /* it follows warpSize */
        int64_t from64 = source(&wide, t, 64), from32 = source(&narrow, t, 32);
        bool same = from64 == from32 ||
                    (known && from64 < on64->threads && from32 < on64->threads &&
                     lanes_at(&passed, (unsigned)from64) == lanes_at(&passed, (unsigned)from32));
        res += !same;
    }
    return res;
}

/* Whether VALUE is chosen in the same way in both halves of each wave, from what all threads have
   in common: `(threadIdx.x & 7) == 0 ? n : 0`, or a variable that is that. */
static bool is_chosen_alike(struct shuffles *c, struct lane_machine *machine, size_t function,
                            const struct node *value)
{
    if (value->kind == NODE_NAME) {
        struct reaching reaching;
        const struct symbol *name = tree_symbol(c->a->unit, value);
        if (!name ||
            !flow_reaching(c->code->model, function, name, NULL, 0, value->token, &reaching,
                           NULL) ||
            !reaching.known || reaching.count != 1 ||
            reaching.items[0]->kind != DEFINITION_DECLARED)
            return false;
        const struct node *initializer = reaching.items[0]->node->kids;
        if (!initializer || initializer->kind != NODE_INITIALIZER || !initializer->kids)
            return false;
        value = initializer->kids;
    }
    if (value->kind != NODE_CHOICE || !tree_kid(value, 2))
        return false;
    struct lanes condition = lane_evaluate(machine, value->kids);
    struct lanes then = lane_evaluate(machine, tree_kid(value, 1));
    struct lanes otherwise = lane_evaluate(machine, tree_kid(value, 2));
    if (condition.state != LANES_KNOWN || !lanes_uniform(&then) || !lanes_uniform(&otherwise))
        return false;
    for (unsigned i = 32; i < machine->threads; ++i)
        if (!lanes_at(&condition, i) != !lanes_at(&condition, i - 32))
            return false;
    return true;
}

/* Whether VALUE, passed on by CALL, is the same in all lanes of a wave, or those of its halves. */
static bool is_same_for_all(struct shuffles *c, const struct code_node *call,
                            const struct node *value, const unsigned block[3])
{
    struct lane_machine *machine = annotation_machine(c->a, call->function, block, 64, 0);
    if (!machine)
        return false;
    struct lanes lanes = lane_evaluate(machine, value);
    if (lanes_uniform(&lanes) || lanes.wave_uniform ||
        is_chosen_alike(c, machine, call->function, value))
        return true;
    if (value->kind != NODE_INDEX)
        return false;
    lanes = lane_evaluate(machine, value->kids->next);
    return lanes_uniform(&lanes) || lanes.wave_uniform;
}

/* The last lane is that of the wave where the rest follows; else the width 32 is the way out. It is
   only shown where the rest follows, since both would not go together. */
static void add_lane_fix(struct shuffles *c, struct finding *f, const struct code_node *call,
                         const struct warp_call *warp)
{
    struct annotation *a = c->a;
    struct constant value;
    if (warp->lane->kind == NODE_NUMBER && constant_of(c->code->model, warp->lane, &value) &&
        constant_single(&value) && value.values[0] == 31) {
        if (width_safety(a, call->function) == FIX_UNSAFE) {
            finding_add_edit(f, FIX_UNSAFE, unit_span(a->unit, warp->lane->tokens), "warpSize - 1");
            return;
        }
    }
    uint32_t close = call->node->tokens.end - 1;
    if (unit_kind(a->unit, close) == TOK_RPAREN) {
        uint32_t at = unit_token(a->unit, close)->offset;
        bool stays = width_safety(a, call->function) != FIX_UNSAFE;
        finding_add_edit(f, stays ? FIX_UNSAFE : FIX_DISPLAY, (struct span){at, at}, ", 32");
    }
}

/* The loop that counts up to WIDTH and whose variable is the lane. */
static void add_counting_loop(struct shuffles *c, struct finding *f, const struct node *call,
                              const struct node *lane, unsigned width)
{
    const struct node *loop = shuffles_loop(c, call, lane);
    const struct node *condition = loop && loop->kind == NODE_FOR     ? loop->kids->next
                                   : loop && loop->kind == NODE_WHILE ? loop->kids
                                                                      : NULL;
    struct constant value;
    if (condition && condition->kind == NODE_BINARY && condition->kids->next &&
        constant_of(c->code->model, condition->kids->next, &value) && constant_single(&value) &&
        (value.values[0] == width || value.values[0] == width - 1))
        finding_add_related(f, RELATED_CONDITION, unit_span(c->a->unit, condition->tokens), NULL);
}

/* Code of HIP's that names one of the lanes that waves of 32 have not. */
static void examine_far_lane(struct shuffles *c, const struct code_node *call,
                             const struct node *lane, const struct node *passed)
{
    struct annotation *a = c->a;
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    uint64_t mask[LANES_MAX / 64];
    int64_t most = 0;
    if (!annotation_is_hip(a, call->node->token) || !width_applies(a, call->node->token, 64) ||
        shuffles_is_chosen(c, call->function, call->node) ||
        loop_follows(c, call->function, call->node))
        return;
    width_blocks(a, call->function, 32, blocks, &assumed);
    if (count_strangers(c, call, lane, passed, blocks[0]) < MOST_EDGES)
        return;
    struct lane_machine *on32 = annotation_machine(a, call->function, blocks[0], 32, 0);
    struct lanes value = on32 ? lane_evaluate(on32, lane) : (struct lanes){0};
    if (value.state != LANES_KNOWN)
        return;
    bool some = lane_reach(on32, call->node, mask) != REACH_UNKNOWN;
    for (unsigned t = 0; t < on32->threads; ++t)
        if ((!some || mask[t / 64] >> t % 64 & 1) && most < lanes_at(&value, t))
            most = lanes_at(&value, t);
    if (most < 32 || 64 <= most)
        return;
    struct finding *f = width_add(a, RULE_WAVE_SHUFFLE_BEYOND, call->node->tokens, 64);
    finding_add_number(f, most);
}

static void examine_lane(struct shuffles *c, const struct code_node *call,
                         const struct warp_call *warp, bool direct)
{
    struct annotation *a = c->a;
    const struct width_function *fn = &c->widths->functions[call->function];
    if (!width_applies(a, call->node->token, 32) || !warp->lane ||
        (fn->known && fn->most_threads <= 32) || loop_follows(c, call->function, call->node))
        return;
    /* In HIP code, or where warpSize is used, a shuffle over the wave is meant so, unless its
       function counts on 32 lanes otherwise. */
    if ((fn->names_size || annotation_is_hip(a, call->node->token)) && !fn->hard32)
        return;
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    unsigned count = width_blocks(a, call->function, 32, blocks, &assumed);
    /* One of several widths is that of the target; a lane from 32 on is one of 64. */
    struct constant number;
    if (is_same_for_all(c, call, warp->value, blocks[0]) ||
        (constant_of(c->code->model, warp->lane, &number) &&
         (!constant_single(&number) || 32 <= number.values[0])))
        return;
    int strangers = 0;
    for (unsigned i = 0; i < count && strangers == 0; ++i)
        strangers = count_strangers(c, call, warp->lane, warp->value, blocks[i]);
    if (strangers < MOST_EDGES)
        return;
    struct finding *f = width_add(a, RULE_WAVE_SHUFFLE_LANE, call->node->tokens, 32);
    if (assumed) {
        f->confidence = CONFIDENCE_MEDIUM;
        finding_add_related(f, RELATED_BLOCK_ASSUMED,
                            unit_token_span(a->unit, a->unit->functions.items[call->function].name),
                            NULL);
    }
    add_counting_loop(c, f, call->node, warp->lane, 32);
    if (direct)
        add_lane_fix(c, f, call, warp);
}

/* The width 32 as a number: one note for a function. */
static void note_width(struct shuffles *c, const struct code_node *call)
{
    struct annotation *a = c->a;
    struct finding *f;
    if (c->noted == call->function + 1) {
        f = &a->findings->list.items[c->note];
        finding_add_related(f, RELATED_USED, unit_span(a->unit, call->node->tokens), NULL);
    } else {
        f = width_add(a, RULE_WAVE_SHUFFLE_WIDTH, call->node->tokens, 32);
        c->noted = call->function + 1;
        c->note = a->findings->list.count - 1;
    }
    /* It goes with the lanes. */
    if (c->widths->functions[call->function].hard32)
        shuffles_add_width_fix(c, f, call->node, call->function);
}

/* Functions and macros around a shuffle. */

/* The shuffle in the text of the macro that is defined at TOKEN, as CALL uses it. */
static bool shuffle_of_macro(struct shuffles *c, const struct node *call, uint32_t token,
                             struct warp_call *res)
{
    struct warp_macro macro;
    /* One with a width of its own is as it is. */
    if (!warp_macro_of(c->a, token, &macro) || !warp_is_shuffle(macro.function) ||
        macro.has_width || macro.only_moves || macro.lane < 0 ||
        (macro.function->kind == WARP_SHUFFLE && macro.value < 0))
        return false;
    *res = (struct warp_call){
        .function = macro.function,
        .lane = code_argument(call, (unsigned)macro.lane),
        .value = macro.value < 0 ? NULL : code_argument(call, (unsigned)macro.value),
    };
    return res->lane && (macro.value < 0 || res->value);
}

/* Which parameter of FUNCTION the name NODE is; -1: none. */
static int parameter_of(struct shuffles *c, const struct model_function *function,
                        const struct node *node)
{
    if (!node || node->kind != NODE_NAME)
        return -1;
    for (unsigned i = 0; i < function->param_count; ++i) {
        const struct node *parameter = function->params[i];
        const struct node *declarator = parameter ? parameter->kids->next : NULL;
        if (declarator && declarator->kind == NODE_DECLARATOR &&
            tree_symbol(c->a->unit, declarator) == tree_symbol(c->a->unit, node))
            return (int)i;
    }
    return -1;
}

/* Keeps the first shuffle of each function that hands its parameters on. */
static void find_wrappers(struct shuffles *c)
{
    vec_each (const struct code_node, call, &c->code->calls) {
        struct warp_call warp;
        struct wrapper *wrapper = &c->wrappers[call->function];
        if (wrapper->function || !call->name || !warp_call_of(c->a, call->node, &warp) ||
            !warp_is_shuffle(warp.function) || !warp.lane)
            continue;
        const struct model_function *function = model_function(c->code->model, call->function);
        int lane = parameter_of(c, function, warp.lane);
        if (0 <= lane)
            *wrapper = (struct wrapper){warp.function, warp.width, lane,
                                        parameter_of(c, function, warp.value),
                                        parameter_of(c, function, warp.width)};
    }
}

/* The shuffle that the function at INDEX does for CALL. */
static bool shuffle_of_function(struct shuffles *c, const struct node *call, size_t index,
                                struct warp_call *res)
{
    const struct wrapper *wrapper = &c->wrappers[index];
    if (!wrapper->function || wrapper->value < 0)
        return false;
    *res = (struct warp_call){
        .function = wrapper->function,
        .lane = code_argument(call, (unsigned)wrapper->lane),
        .value = code_argument(call, (unsigned)wrapper->value),
        .width = wrapper->width_parameter < 0
                     ? wrapper->width
                     : code_argument(call, (unsigned)wrapper->width_parameter),
    };
    return res->lane && res->value && (wrapper->width_parameter < 0 || res->width);
}

/* Whether CALL is a shuffle, by itself or by what it calls. */
static bool shuffle_of(struct shuffles *c, const struct code_node *call, struct warp_call *res,
                       bool *direct)
{
    *direct = warp_call_of(c->a, call->node, res);
    if (*direct) {
        /* What the callers say is looked at there. */
        const struct wrapper *wrapper = &c->wrappers[call->function];
        bool handed_on = wrapper->function == res->function && 0 <= wrapper->value &&
                         c->widths->functions[call->function].callers.count;
        return warp_is_shuffle(res->function) && res->lane && !handed_on;
    }
    if (call->node->kids->kind != NODE_NAME)
        return false;
    struct name_meaning meaning = model_lookup(c->code->model, call->name, call->node->kids->token);
    if (meaning.kind == NAME_MACRO && meaning.token != NO_TOKEN)
        return shuffle_of_macro(c, call->node, meaning.token, res);
    return meaning.kind == NAME_FUNCTION && meaning.function < c->widths->function_count &&
           shuffle_of_function(c, call->node, meaning.function, res);
}

static void examine(struct shuffles *c, const struct code_node *call)
{
    struct annotation *a = c->a;
    struct warp_call warp;
    struct constant width;
    bool direct;
    if (token_region(unit_token(a->unit, call->node->token)) == REGION_CUDA ||
        !shuffle_of(c, call, &warp, &direct))
        return;
    bool narrow = false;
    if (warp.width) {
        if (!constant_of(c->code->model, warp.width, &width) || !constant_single(&width) ||
            width.values[0] < 32)
            return;
        narrow = width.values[0] == 32;
    }
    if (warp.function->kind == WARP_SHUFFLE) {
        if (!warp.width)
            examine_lane(c, call, &warp, direct);
        if (!narrow)
            examine_far_lane(c, call, warp.lane, warp.value);
    } else {
        reduction_add(c, call, &warp);
    }
    uint32_t defined;
    if (direct && narrow && width_applies(a, call->node->token, 32) &&
        !width_name(a, warp.width, &defined))
        note_width(c, call);
}

/* Macros whose own text is a tree of shuffles. */
static void examine_macros(struct shuffles *c)
{
    vec_each (const struct directive, macro, &c->a->unit->directives) {
        struct range first;
        if (macro->kind == TOK_PP_DEFINE && macro->function_like &&
            token_region(unit_token(c->a->unit, macro->name)) != REGION_CUDA &&
            width_applies(c->a, macro->name, 32) && warp_macro_combines(c->a, macro, &first) == 32)
            reduction_add_steps(c, width_add(c->a, RULE_WAVE_REDUCTION_HALF, first, 32), 32);
    }
}

void rule_wave_shuffle(struct annotation *a)
{
    if (!warp_is_used(a))
        return;
    struct shuffles c = {.a = a, .code = annotation_code(a), .widths = annotation_widths(a)};
    c.wrappers = xcalloc(c.widths->function_count + 1, sizeof *c.wrappers);
    find_wrappers(&c);
    vec_each (const struct code_node, call, &c.code->calls)
        if (call->name && function_on_device(&a->unit->functions.items[call->function]))
            examine(&c, call);
    examine_macros(&c);
    reductions_report(&c);
    free(c.wrappers);
}
