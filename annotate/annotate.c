#include <config.h>

#include "annotate/annotate.h"

#include "annotate/annotate_p.h"
#include "annotate/fix.h"
#include "annotate/lanemask.h"
#include "annotate/model/macros.h"
#include "annotate/width.h"
#include "base/i18n.h"

enum { MOST_BRANCHES = 32 }; /* around a place that are looked at */

/* The function around each finding, for reports. */
static void name_kernels(struct translation *t)
{
    const struct unit *unit = t->unit;
    size_t f = 0;
    const char *kernel = NULL;
    uint32_t end = 0;
    vec_each (struct finding, finding, &t->findings.list) {
        for (; f < unit->functions.count; ++f) {
            const struct function *fn = &unit->functions.items[f];
            if (finding->span.begin < unit_token(unit, fn->head.begin)->offset)
                break;
            if (!(fn->flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE)) ||
                fn->body.begin >= fn->body.end)
                continue;
            const struct token *last = unit_token(unit, fn->body.end - 1);
            kernel = unit_token(unit, fn->name)->symbol->text;
            end = last->offset + last->length;
        }
        if (kernel && finding->span.begin < end)
            finding->kernel = kernel;
    }
}

struct finding *annotation_add(struct annotation *a, enum rule_id rule, struct range range)
{
    struct finding *res =
        findings_add(a->findings, rule, unit_span(a->unit, range), NULL, NULL, NULL);
    annotation_add_quote(a, res, range);
    return res;
}

void annotation_add_quote(struct annotation *a, struct finding *finding, struct range range)
{
    finding_add_quote(finding, unit_quote(a->unit, range), unit_span(a->unit, range));
}

const struct code *annotation_code(struct annotation *a)
{
    if (!a->code) {
        struct model *model = arena_alloc(a->arena, sizeof *model);
        model_init(model, a->unit, a->arena, a->options->known);
        a->code = arena_alloc(a->arena, sizeof *a->code);
        code_init(a->code, model);
        a->machines = machines_new(model);
    }
    return a->code;
}

struct lane_machine *annotation_machine(struct annotation *a, size_t function,
                                        const unsigned block[3], unsigned wave, unsigned sample)
{
    annotation_code(a);
    return machines_get(a->machines, function, block, wave, sample);
}

static void release_code(struct annotation *a)
{
    if (!a->code)
        return;
    lane_masks_free(a->masks);
    warp_reach_free(a->reach);
    annotation_release_widths(a);
    machines_free(a->machines);
    code_release(a->code);
    model_release(a->code->model);
}

bool annotation_is_hip(const struct annotation *a, uint32_t token)
{
    enum region region = token_region(unit_token(a->unit, token));
    return region == REGION_HIP || (region == REGION_COMMON && a->hip);
}

target_set annotation_with_wave(const struct annotation *a, unsigned wave)
{
    return comparison_with_wave(a->gpus, wave);
}

const char *annotation_names(const struct annotation *a, target_set set)
{
    struct strbuf names = STRBUF_INIT;
    comparison_add_names(&names, a->gpus, set);
    const char *res = arena_strndup(a->arena, names.text ? names.text : "", names.len);
    strbuf_release(&names);
    return res;
}

static void drop_untargeted(struct findings *findings, target_set all)
{
    size_t kept = 0;
    vec_each (struct finding, f, &findings->list)
        if (f->targets &= all)
            findings->list.items[kept++] = *f;
    findings->list.count = kept;
}

/* Notes of the macros that the file defines whether an AMD compiler may get to the definition. */
static void note_definitions(const struct unit *unit)
{
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_DEFINE || d->name == NO_TOKEN)
            continue;
        bool hidden = d->parent != NO_INDEX && unit->directives.items[d->parent].hidden;
        struct symbol *name = unit_token(unit, d->name)->symbol;
        if (name)
            name->flags |= hidden ? SYMBOL_DEFINED_HIDDEN : SYMBOL_DEFINED;
    }
}

/* Whether the branch that directive BRANCH opens is for a macro that the file defines only where no
   AMD compiler gets to. */
static bool asks_for_hidden(const struct unit *unit, uint32_t branch)
{
    const struct directive *d = &unit->directives.items[branch];
    if ((d->kind != TOK_PP_IFDEF && d->kind != TOK_PP_IF) || !d->condition ||
        d->condition->kind != COND_DEFINED)
        return false;
    const struct symbol *name = unit_token(unit, d->condition->token)->symbol;
    return name &&
           (name->flags & (SYMBOL_DEFINED | SYMBOL_DEFINED_HIDDEN)) == SYMBOL_DEFINED_HIDDEN;
}

/* The branch at BRANCH, or one around it, that no AMD compiler gets to; or NO_INDEX. */
static uint32_t hidden_branch(const struct unit *unit, uint32_t branch)
{
    for (unsigned depth = 0; branch != NO_INDEX && depth < MOST_BRANCHES; ++depth) {
        if (unit->directives.items[branch].hidden || asks_for_hidden(unit, branch))
            return branch;
        branch = unit->directives.items[branch].parent;
    }
    return NO_INDEX;
}

/* What no AMD compiler gets to, such as the part for __CUDA_ARCH__ of 800 and up, does no harm: a
   finding there is a note. */
static void settle_hidden(struct translation *t)
{
    const struct unit *unit = t->unit;
    size_t next = 0;
    uint32_t branch = NO_INDEX; /* the directive that opens the one at the finding */
    note_definitions(unit);
    vec_each (struct finding, f, &t->findings.list) {
        for (; next < unit->directives.count; ++next) {
            const struct directive *d = &unit->directives.items[next];
            const struct token *last = unit_token(unit, d->tokens.end - 1);
            if (f->span.begin < unit_token(unit, d->tokens.begin)->offset)
                break;
            branch = d->parent;
            if (f->span.begin < last->offset + last->length)
                break;
            branch = d->inside;
        }
        uint32_t hidden = hidden_branch(unit, branch);
        if (hidden == NO_INDEX || f->effect == EFFECT_NONE)
            continue;
        f->effect = EFFECT_NONE;
        finding_add_related(f, RELATED_HIDDEN,
                            unit_span(unit, unit->directives.items[hidden].tokens), NULL);
    }
}

/* Runs all rules over T; whether they could not look at all that its lanes do. */
static bool run_rules(struct translation *t, struct annotation *a)
{
    size_t first = t->findings.list.count;
#define RULE_CHECK(check) check(a);
#include "annotate/rules.def"
#undef RULE_CHECK
    for (size_t i = first; i < t->findings.list.count; ++i)
        t->findings.list.items[i].of_rule = true;
    annotation_add_sources(a);
    bool res = a->code && a->code->model->lanes_left_out;
    release_code(a);
    return res;
}

/* ---- what is dead */

/* Whether F lies in a branch that nobody gets into. */
static bool is_dead(const struct unit *unit, const struct finding *f)
{
    const struct token *tokens = unit->tokens.list.items;
    size_t at;
    vec_search(at, unit->tokens.list.count - 1, tokens[at].offset < f->span.begin);
    uint32_t branch = unit_branch_at(unit, (uint32_t)at);
    return branch != NO_INDEX && unit->directives.items[branch].dead;
}

static bool is_repair(const struct finding *f)
{
    return f->fix && f->fix->safety == FIX_REPAIR;
}

/* Whether one of the first COUNT of FINDINGS, which are sorted, repairs what F does. */
static bool is_repaired(const struct findings *findings, size_t count, const struct finding *f)
{
    const struct finding *list = findings->list.items;
    size_t at;
    vec_search(at, count, list[at].span.begin < f->span.begin);
    for (; at < count && list[at].span.begin == f->span.begin; ++at)
        if (list[at].rule == f->rule && is_repair(&list[at]))
            return true;
    return false;
}

/* Keeps what the translation and its repairs said of living code. */
static void drop_read(struct translation *t)
{
    size_t kept = 0;
    vec_each (const struct finding, f, &t->findings.list)
        if (!is_dead(t->unit, f) && (!f->of_rule || is_repair(f)))
            t->findings.list.items[kept++] = *f;
    t->findings.list.count = kept;
}

/* Drops the findings behind the first COUNT that repair what one of these does. */
static void drop_repaired(struct findings *findings, size_t count)
{
    size_t kept = count;
    for (size_t i = count; i < findings->list.count; ++i) {
        const struct finding *f = &findings->list.items[i];
        if (!is_repair(f) || !is_repaired(findings, count, f))
            findings->list.items[kept++] = *f;
    }
    findings->list.count = kept;
}

/* Dead code is translated, as somebody may turn it on; but nothing is said of it. So the rules read
   the file once more, with A, without it, and of what they found before only the repairs stay.
   Returns what run_rules() does. */
static bool run_without_dead(struct translation *t, struct annotation *a)
{
    size_t count = t->findings.list.count;
    for (struct symbol *s = symbol_first(&t->symbols); s; s = symbol_next(s))
        s->flags &= SYMBOL_FLAGS_BEFORE;
    bool res = run_rules(t, a);
    drop_repaired(&t->findings, count);
    return res;
}

/* Brings the findings into the order of the reports, and adds the repairs to T's edits. */
static void finish(struct translation *t, const struct comparison *gpus)
{
    drop_untargeted(&t->findings, comparison_all(gpus));
    findings_sort(&t->findings);
    fixes_apply(t, FIX_REPAIR);
}

void annotate(struct translation *t, const struct translate_options *options,
              const struct comparison *gpus)
{
    const struct annotation fresh = {.unit = t->unit,
                                     .map = options->map,
                                     .options = options,
                                     .findings = &t->findings,
                                     .gpus = gpus,
                                     .arena = &t->arena,
                                     .hip = t->hip};
    struct diag_place place = {.file = t->source.name};
    struct annotation a = fresh;
    bool readable = !model_is_too_large(t->unit), cut = readable && run_rules(t, &a);
    finish(t, gpus);
    if (model_hide_dead(t->unit, options->known)) {
        a = fresh;
        drop_read(t);
        cut = readable && run_without_dead(t, &a);
        finish(t, gpus);
    }
    if (!readable)
        diag_add(&t->diag, DIAG_WARNING, place,
                 _("is too large for the rules: only what the translation itself finds is told, "
                   "and lane masks stay as they are"));
    else if (cut)
        diag_add(&t->diag, DIAG_WARNING, place,
                 _("is too large for all rules: what its lanes do is told only of a part of it"));
    settle_hidden(t);
    name_kernels(t);
}
