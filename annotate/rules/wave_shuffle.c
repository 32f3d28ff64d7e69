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

#include "annotate/width.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "annotate/model/flow.h"
#include "annotate/warp_macro.h"

enum {
    MOST_STEPS = 8,
    MOST_RECURSIONS = 32, /* in a file */
    RECENT = 32,          /* series that a shuffle may belong to */
    MOST_EDGES = 16,      /* a few threads at the edges are often left out of account afterwards */
};

/* Distances of shuffles in one loop, or in a row. */
struct series {
    const struct node *place; /* the loop, or the first shuffle */
    size_t function;
    bool is_loop;
    bool scan;       /* with __shfl_up */
    bool decided;    /* the distance 32 only where a wave has 64 lanes */
    bool recursive;  /* one shuffle, in a template that goes on with half the distance */
    uint32_t values; /* as bits: distances are powers of two */
    VEC(const struct node *) calls;
};

/* A function whose first shuffle by a parameter is for its callers. */
struct wrapper {
    const struct warp_function *function; /* NULL: it has none */
    const struct node *width;
    int lane, value, width_parameter; /* which parameters; -1: none */
};

struct context {
    struct annotation *a;
    const struct code *code;
    const struct widths *widths;
    struct wrapper *wrappers; /* by the function's index */
    VEC(struct series) series;
    size_t noted;        /* the function whose explicit widths were reported last, + 1 */
    size_t note;         /* the finding about them */
    unsigned recursions; /* that were looked for */
};

/* The distance at sample SAMPLE, the same on both kinds of waves; 0: not known. */
static unsigned distance(struct context *c, size_t function, const struct node *lane,
                         unsigned sample, bool *follows)
{
    int64_t on32, on64;
    if (!width_value(c->a, function, lane, 32, sample, &on32) ||
        !width_value(c->a, function, lane, 64, sample, &on64))
        return 0;
    *follows |= on32 != on64;
    return on32 < 1 || 64 < on32 || (on32 & (on32 - 1)) ? 0 : (unsigned)on32;
}

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

/* The loop around NODE whose condition or step has to do with what is in LANE. */
static const struct node *loop_of(struct context *c, const struct node *node,
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

static struct series *find_series(struct context *c, const struct node *loop, size_t function,
                                  const struct node *call, bool scan)
{
    for (size_t i = 0; i < c->series.count && i < RECENT; ++i) {
        struct series *series = &c->series.items[c->series.count - 1 - i];
        if (series->function == function && series->scan == scan && series->is_loop == !!loop &&
            (!loop || series->place == loop))
            return series;
    }
    struct series *res = vec_push(&c->series);
    *res = (struct series){
        .place = loop ? loop : call, .function = function, .is_loop = loop != NULL, .scan = scan};
    return res;
}

/* Whether a condition around NODE depends on the width of the wave. */
static bool is_chosen(struct context *c, size_t function, const struct node *node)
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

/* Whether LOOP goes on while LANE, a variable, is less than WIDTH. */
static bool ends_at(struct context *c, const struct node *loop, const struct node *lane,
                    unsigned width)
{
    const struct node *condition = loop->kind == NODE_FOR     ? loop->kids->next
                                   : loop->kind == NODE_WHILE ? loop->kids
                                                              : NULL;
    struct constant value;
    return condition && condition->kind == NODE_BINARY && condition->op == TOK_LESS &&
           condition->kids->kind == NODE_NAME && lane->kind == NODE_NAME &&
           tree_symbol(c->a->unit, condition->kids) == tree_symbol(c->a->unit, lane) &&
           constant_of(c->code->model, condition->kids->next, &value) && constant_single(&value) &&
           value.values[0] == width;
}

/* v = __shfl_xor(v, distance): V moves on to other lanes, and nothing is combined. */
static bool only_moves(struct context *c, const struct node *call, const struct node *value)
{
    const struct node *parent = code_parent(c->code, call);
    return parent && value && parent->kind == NODE_ASSIGN && parent->op == TOK_ASSIGN &&
           parent->kids->next == call &&
           unit_same_text(c->a->unit, parent->kids->tokens, value->tokens);
}

/* Whether the template arguments that open at OPEN have among them SYMBOL / 2, or SYMBOL >> 1. */
static bool halves_argument(const struct unit *unit, uint32_t open, const struct symbol *symbol)
{
    uint32_t close = unit_partner(unit, open);
    for (uint32_t at = open + 1; close != NO_TOKEN && at + 2 < close; ++at)
        if (unit_token(unit, at)->symbol == symbol &&
            (unit_kind(unit, at + 1) == TOK_SLASH || unit_kind(unit, at + 1) == TOK_SHIFT_RIGHT))
            return true;
    return false;
}

/* The largest of 16 and 32 among the template arguments that open at OPEN, or 0. */
static uint32_t first_distance(struct context *c, uint32_t open)
{
    const struct unit *unit = c->a->unit;
    uint32_t close = unit_partner(unit, open), res = 0;
    for (uint32_t at = open + 1; close != NO_TOKEN && at < close; ++at) {
        struct constant value;
        if (unit_kind(unit, at) == TOK_NUMBER &&
            constant_of_range(c->code->model, (struct range){at, at + 1}, &value) &&
            constant_single(&value) && (value.values[0] == 16 || value.values[0] == 32) &&
            res < (uint32_t)value.values[0])
            res = (uint32_t)value.values[0];
    }
    return res;
}

/* The distances of a shuffle by LANE, a template's parameter, whose function goes on with half of
   it, f<D / 2>(v), or its class does: from the number with which the file begins; 0: it is none. */
static uint32_t recursive_distances(struct context *c, const struct code_node *call,
                                    const struct node *lane)
{
    const struct unit *unit = c->a->unit;
    const struct symbol *parameter = lane->kind == NODE_NAME ? tree_symbol(unit, lane) : NULL;
    if (!parameter || MOST_RECURSIONS <= c->recursions ||
        model_lookup(c->code->model, parameter, lane->token).kind != NAME_TEMPLATE_PARAMETER)
        return 0;
    ++c->recursions;
    const struct range body = unit->functions.items[call->function].body;
    const struct symbol *name = NULL;
    for (uint32_t at = body.begin; at + 1 < body.end && !name; ++at)
        if (unit_kind(unit, at) == TOK_IDENT && unit_kind(unit, at + 1) == TOK_LESS &&
            halves_argument(unit, at + 1, parameter))
            name = unit_token(unit, at)->symbol;
    uint32_t first = 0, end = (uint32_t)unit->tokens.list.count - 1;
    for (uint32_t at = 0; name && at < end; ++at)
        if (unit_token(unit, at)->symbol == name && unit_kind(unit, at + 1) == TOK_LESS &&
            first < first_distance(c, at + 1))
            first = first_distance(c, at + 1);
    return first ? 2 * first - 1 : 0;
}

/* Adds the shuffle CALL by a distance to a series. */
static void add_to_series(struct context *c, const struct code_node *call,
                          const struct warp_call *warp)
{
    bool follows = false, scan = warp->function->kind == WARP_SHUFFLE_UP;
    struct constant half;
    if (only_moves(c, call->node, warp->value))
        return;
    /* The step that only waves of 64 lanes take. */
    if (constant_of(c->code->model, warp->lane, &half) && constant_single(&half) &&
        half.values[0] == 32 &&
        (width_is_decided(c->a->unit, call->node->token) ||
         is_chosen(c, call->function, call->node))) {
        find_series(c, NULL, call->function, call->node, scan)->decided = true;
        return;
    }
    uint32_t values = 0;
    unsigned first = distance(c, call->function, warp->lane, 1, &follows);
    bool changes = false;
    for (unsigned sample = 1; sample <= MOST_STEPS && first && !follows; ++sample) {
        unsigned value = distance(c, call->function, warp->lane, sample, &follows);
        changes |= value != first;
        values |= value;
    }
    const struct node *loop = NULL;
    if (!first || changes)
        loop = loop_of(c, call->node, warp->lane);
    if (!first && !follows && !changes)
        values = recursive_distances(c, call, warp->lane);
    bool recursive = values != 0 && !first;
    /* From somewhere up to the width. */
    if (!first && !values && loop && ends_at(c, loop, warp->lane, 32))
        values = 0x1c;
    if (!values || follows)
        return;
    struct series *series = find_series(c, loop, call->function, call->node, scan);
    series->recursive |= recursive;
    series->values |= values;
    *vec_push(&series->calls) = call->node;
}

/* The lanes that a series combines: 32 for the distances 16 to 1, 64 for 32 to 1; 0: others. */
static unsigned lanes_of_series(const struct series *series)
{
    /* Whatever goes over 32 lanes: a warp of 32 has none such. */
    if (series->values & 0x20)
        return 64;
    return !(series->values & ~0x1fU) && (series->values & 0x1c) == 0x1c ? 32 : 0;
}

/* Where a loop is shown: its head. */
static struct range head_of(const struct node *loop)
{
    struct range res = loop->tokens;
    const struct node *body = loop->kids;
    while (body->next)
        body = body->next;
    if (loop->kind != NODE_DO && res.begin < body->tokens.begin)
        res.end = body->tokens.begin;
    return res;
}

/* Begins a reduction at warpSize / 2, or ends a scan there. Where not all around it can follow
   warpSize, that is only shown. */
static void add_loop_fix(struct context *c, struct finding *f, const struct node *loop,
                         unsigned width, size_t function)
{
    if (loop->kind != NODE_FOR)
        return;
    enum fix_safety safety = width_safety(c->a, function);
    const struct node *head = loop->kids, *condition = head->next;
    for (const struct node *part = head; part && part != condition->next; part = part->next) {
        const struct node *number = part;
        while (number && number->kind != NODE_NUMBER) {
            const struct node *last = number->kids;
            while (last && last->next)
                last = last->next;
            number = last;
        }
        struct constant value;
        if (!number || !constant_of(c->code->model, number, &value) || !constant_single(&value))
            continue;
        struct span span = unit_span(c->a->unit, number->tokens);
        if (value.values[0] == width / 2 && part == head)
            finding_add_edit(f, safety, span, "warpSize / 2");
        else if (value.values[0] == width && part == condition && condition->kind == NODE_BINARY &&
                 condition->op == TOK_LESS)
            finding_add_edit(f, safety, span, "warpSize");
    }
}

/* The width of CALL, a number, goes with the distances. */
static void add_width_fix(struct context *c, struct finding *f, const struct node *call,
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

/* Adds to TEXT what separates a statement at BEGIN from one put before it: the end of its line and
   its indentation, or a blank where it does not begin the line. */
static void add_line_break(struct strbuf *text, const struct source *source, uint32_t begin)
{
    uint32_t line = begin;
    while (line && (source->text[line - 1] == ' ' || source->text[line - 1] == '\t'))
        --line;
    if (line && source->text[line - 1] == '\n') {
        strbuf_adds(text, 1 < line && source->text[line - 2] == '\r' ? "\r\n" : "\n");
        strbuf_add(text, source->text + line, begin - line);
    } else {
        strbuf_addc(text, ' ');
    }
}

/* Waves of 64 lanes take one more step than the row that CALL begins. */
static void add_step_fix(struct context *c, struct finding *f, const struct node *call,
                         size_t function)
{
    const struct unit *unit = c->a->unit;
    const struct node *statement = width_step(c->a, call);
    struct warp_call warp;
    if (!statement || width_safety(c->a, function) != FIX_UNSAFE ||
        !warp_call_of(c->a, call, &warp))
        return;
    struct span span = unit_span(unit, statement->tokens),
                lane = unit_span(unit, warp.lane->tokens);
    struct span mask = warp.mask && warp.mask->kind == NODE_NUMBER
                           ? unit_span(unit, warp.mask->tokens)
                           : (struct span){lane.begin, lane.begin};
    const char *text = unit->source->text;
    struct strbuf insert = STRBUF_INIT;
    strbuf_adds(&insert, "if (warpSize == 64) ");
    strbuf_add(&insert, text + span.begin, mask.begin - span.begin);
    if (mask.begin < mask.end)
        strbuf_adds(&insert, "__activemask()");
    strbuf_add(&insert, text + mask.end, lane.begin - mask.end);
    strbuf_adds(&insert, "32");
    strbuf_add(&insert, text + lane.end, span.end - lane.end);
    add_line_break(&insert, unit->source, span.begin);
    finding_add_edit(f, FIX_UNSAFE, (struct span){span.begin, span.begin}, insert.text);
    strbuf_release(&insert);
}

static void add_steps(struct context *c, struct finding *f, unsigned width)
{
    const struct comparison *gpus = c->a->gpus;
    finding_add_figure(f, gpus->from->name, FIGURE_STEPS, width == 32 ? 5 : 6);
    finding_add_figure(f, gpus->from->name, FIGURE_WAVE_SIZE, 32);
    for (unsigned i = 0; i < gpus->count; ++i)
        if (f->targets >> i & 1) {
            finding_add_figure(f, gpus->targets[i]->name, FIGURE_STEPS, width == 32 ? 5 : 6);
            finding_add_figure(f, gpus->targets[i]->name, FIGURE_WAVE_SIZE,
                               target_wave(gpus->targets[i]));
        }
}

/* The constant by name that gives SERIES, a loop, its width, or NULL. */
static const struct node *constant_of_series(struct context *c, const struct series *series,
                                             unsigned width)
{
    const struct node *loop =
        series->is_loop && series->place->kind == NODE_FOR ? series->place : NULL;
    const struct node *condition = loop ? loop->kids->next : NULL, *res = NULL;
    for (const struct node *part = loop ? loop->kids : NULL; part && !res; part = part->next) {
        res = width_constant(c->a, part, width);
        if (part == condition)
            break;
    }
    return res;
}

/* Where CONSTANT, by name, is defined. */
static void add_definition(struct context *c, struct finding *f, const struct node *constant)
{
    uint32_t token;
    const struct symbol *name = constant ? width_name(c->a, constant, &token) : NULL;
    if (name)
        finding_add_related(f, RELATED_DEFINED, unit_token_span(c->a->unit, token), name->text);
}

static void report_series(struct context *c, const struct series *series)
{
    struct annotation *a = c->a;
    unsigned width = lanes_of_series(series);
    if (!width || series->decided)
        return;
    const struct node *constant = constant_of_series(c, series, width);
    if (!(constant ? width_applies_to(a, constant, width)
                   : width_applies(a, series->place->token, width)))
        return;
    const struct width_function *fn = &c->widths->functions[series->function];
    size_t other;
    bool mixed = width == 32 && width_is_near(c->widths, series->function, 0, &other);
    enum rule_id rule = width == 64 ? RULE_WAVE_REDUCTION_BEYOND
                        : mixed     ? RULE_WAVE_REDUCTION_INCOMPLETE
                                    : RULE_WAVE_REDUCTION_HALF;
    struct range range = series->is_loop ? head_of(series->place) : series->place->tokens;
    struct finding *f = width_add(a, rule, range, width);
    if (fn->known && fn->most_threads <= 32 && rule == RULE_WAVE_REDUCTION_HALF)
        f->effect = EFFECT_NONE;
    for (size_t i = series->is_loop ? 0 : 1; i < series->calls.count && i < 16; ++i)
        finding_add_related(f, RELATED_USED, unit_span(a->unit, series->calls.items[i]->tokens),
                            NULL);
    if (mixed)
        width_add_follower(c->a, f, other);
    add_steps(c, f, width);
    if (series->is_loop) {
        add_definition(c, f, constant);
        add_loop_fix(c, f, series->place, width, series->function);
        for (size_t i = 0; f->fix && i < series->calls.count; ++i)
            add_width_fix(c, f, series->calls.items[i], series->function);
    } else if (width == 32 && !series->recursive) {
        for (size_t i = 0; i < series->calls.count; ++i)
            add_step_fix(c, f, series->calls.items[i], series->function);
    }
}

/* Shuffles by number. */

/* The thread of the block from which thread T reads on waves of WAVE lanes. */
static int64_t source(const struct lanes *lane, unsigned t, unsigned wave)
{
    return (int64_t)(t / wave * wave) + (lanes_at(lane, t) & (wave - 1));
}

/* Whether the bound of a loop around NODE follows warpSize: what counts up to it does too. */
static bool loop_follows(struct context *c, size_t function, const struct node *node)
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
static int count_strangers(struct context *c, const struct code_node *call, const struct node *lane,
                           const struct node *value, const unsigned block[3])
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
static bool is_chosen_alike(struct context *c, struct lane_machine *machine, size_t function,
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
static bool is_same_for_all(struct context *c, const struct code_node *call,
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
static void add_lane_fix(struct context *c, struct finding *f, const struct code_node *call,
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
static void add_counting_loop(struct context *c, struct finding *f, const struct node *call,
                              const struct node *lane, unsigned width)
{
    const struct node *loop = loop_of(c, call, lane);
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
static void examine_far_lane(struct context *c, const struct code_node *call,
                             const struct node *lane, const struct node *passed)
{
    struct annotation *a = c->a;
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    uint64_t mask[LANES_MAX / 64];
    int64_t most = 0;
    if (!annotation_is_hip(a, call->node->token) || !width_applies(a, call->node->token, 64) ||
        is_chosen(c, call->function, call->node) || loop_follows(c, call->function, call->node))
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

static void examine_lane(struct context *c, const struct code_node *call,
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
static void note_width(struct context *c, const struct code_node *call)
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
        add_width_fix(c, f, call->node, call->function);
}

/* Functions and macros around a shuffle. */

/* The shuffle in the text of the macro that is defined at TOKEN, as CALL uses it. */
static bool shuffle_of_macro(struct context *c, const struct node *call, uint32_t token,
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
static int parameter_of(struct context *c, const struct model_function *function,
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
static void find_wrappers(struct context *c)
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
static bool shuffle_of_function(struct context *c, const struct node *call, size_t index,
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
static bool shuffle_of(struct context *c, const struct code_node *call, struct warp_call *res,
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

static void examine(struct context *c, const struct code_node *call)
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
        add_to_series(c, call, &warp);
    }
    uint32_t defined;
    if (direct && narrow && width_applies(a, call->node->token, 32) &&
        !width_name(a, warp.width, &defined))
        note_width(c, call);
}

/* Macros whose own text is a tree of shuffles. */
static void examine_macros(struct context *c)
{
    vec_each (const struct directive, macro, &c->a->unit->directives) {
        struct range first;
        if (macro->kind == TOK_PP_DEFINE && macro->function_like &&
            token_region(unit_token(c->a->unit, macro->name)) != REGION_CUDA &&
            width_applies(c->a, macro->name, 32) && warp_macro_combines(c->a, macro, &first) == 32)
            add_steps(c, width_add(c->a, RULE_WAVE_REDUCTION_HALF, first, 32), 32);
    }
}

void rule_wave_shuffle(struct annotation *a)
{
    if (!warp_is_used(a))
        return;
    struct context c = {.a = a, .code = annotation_code(a), .widths = annotation_widths(a)};
    c.wrappers = xcalloc(c.widths->function_count + 1, sizeof *c.wrappers);
    find_wrappers(&c);
    vec_each (const struct code_node, call, &c.code->calls)
        if (call->name && function_on_device(&a->unit->functions.items[call->function]))
            examine(&c, call);
    examine_macros(&c);
    vec_each (struct series, series, &c.series) {
        report_series(&c, series);
        vec_release(&series->calls);
    }
    vec_release(&c.series);
    free(c.wrappers);
}
