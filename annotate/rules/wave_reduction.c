/* Series of shuffles over halved distances, which rule wave_shuffle.c collects: reductions and
   scans of 32 or 64 lanes, reported with what would make them follow warpSize.  */
#include <config.h>

#include "annotate/rules/wave_shuffle_p.h"

#include "annotate/warp_macro.h"
#include "base/strbuf.h"

enum {
    MOST_STEPS = 8,
    MOST_RECURSIONS = 32, /* in a file */
    RECENT = 32,          /* series that a shuffle may belong to */
};

/* The distance at sample SAMPLE, the same on both kinds of waves; 0: not known. */
static unsigned distance(struct shuffles *c, size_t function, const struct node *lane,
                         unsigned sample, bool *follows)
{
    int64_t on32, on64;
    if (!width_value(c->a, function, lane, 32, sample, &on32) ||
        !width_value(c->a, function, lane, 64, sample, &on64))
        return 0;
    *follows |= on32 != on64;
    return on32 < 1 || 64 < on32 || (on32 & (on32 - 1)) ? 0 : (unsigned)on32;
}

static struct series *find_series(struct shuffles *c, const struct node *loop, size_t function,
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

/* Whether LOOP goes on while LANE, a variable, is less than WIDTH. */
static bool ends_at(struct shuffles *c, const struct node *loop, const struct node *lane,
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
static bool only_moves(struct shuffles *c, const struct node *call, const struct node *value)
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
static uint32_t first_distance(struct shuffles *c, uint32_t open)
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
static uint32_t recursive_distances(struct shuffles *c, const struct code_node *call,
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

void reduction_add(struct shuffles *c, const struct code_node *call, const struct warp_call *warp)
{
    bool follows = false, scan = warp->function->kind == WARP_SHUFFLE_UP;
    struct constant half;
    if (only_moves(c, call->node, warp->value))
        return;
    /* The step that only waves of 64 lanes take. */
    if (constant_of(c->code->model, warp->lane, &half) && constant_single(&half) &&
        half.values[0] == 32 &&
        (width_is_decided(c->a->unit, call->node->token) ||
         shuffles_is_chosen(c, call->function, call->node))) {
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
        loop = shuffles_loop(c, call->node, warp->lane);
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
static void add_loop_fix(struct shuffles *c, struct finding *f, const struct node *loop,
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
static void add_step_fix(struct shuffles *c, struct finding *f, const struct node *call,
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

void reduction_add_steps(struct shuffles *c, struct finding *f, unsigned width)
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
static const struct node *constant_of_series(struct shuffles *c, const struct series *series,
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
static void add_definition(struct shuffles *c, struct finding *f, const struct node *constant)
{
    uint32_t token;
    const struct symbol *name = constant ? width_name(c->a, constant, &token) : NULL;
    if (name)
        finding_add_related(f, RELATED_DEFINED, unit_token_span(c->a->unit, token), name->text);
}

static void reduction_report(struct shuffles *c, const struct series *series)
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
    reduction_add_steps(c, f, width);
    if (series->is_loop) {
        add_definition(c, f, constant);
        add_loop_fix(c, f, series->place, width, series->function);
        for (size_t i = 0; f->fix && i < series->calls.count; ++i)
            shuffles_add_width_fix(c, f, series->calls.items[i], series->function);
    } else if (width == 32 && !series->recursive) {
        for (size_t i = 0; i < series->calls.count; ++i)
            add_step_fix(c, f, series->calls.items[i], series->function);
    }
}

void reductions_report(struct shuffles *c)
{
    vec_each (struct series, series, &c->series) {
        reduction_report(c, series);
        vec_release(&series->calls);
    }
    vec_release(&c->series);
}
