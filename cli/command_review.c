/* hipwright review: what a port changed beyond the translation. */
#include <config.h>

#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/allow.h"
#include "annotate/annotate.h"
#include "base/i18n.h"
#include "base/xalloc.h"
#include "cli/config.h"
#include "cli/pairs.h"
#include "cli/pool.h"
#include "cli/tree.h"
#include "cli/write.h"
#include "report/json.h"
#include "report/review.h"

struct totals {
    size_t files, changed; /* pairs */
    size_t hunks;
    size_t added, removed; /* lines */
    size_t states[REVIEW_STATES];
};

struct run {
    const struct options *options;
    struct pairs pairs;
    struct tree *trees[PAIR_SIDES]; /* what the files of each side know of one another */
    struct diff_style style;
    struct diag diag;
    struct totals totals;
    VEC(const char *) skipped;
    enum exit_status status;
    bool trouble;
    bool broken; /* standard output cannot be written */
};

/* One pair, reviewed. */
struct result {
    bool read;
    struct strbuf text; /* as --format says; nothing where there is nothing to show */
    struct totals totals;
    enum exit_status status;
    struct diag diag;
};

/* One side while a pair is reviewed. */
struct side {
    struct translation origin; /* of the file */
    struct translation hip;    /* of what became of it, read again as HIP; if MADE */
    bool made;
    bool cuda; /* the file was translated */
};

/* ---- the two sides */

/* Whether the file is CUDA beyond doubt: it names something of CUDA's. What is only added, as the
   include of HIP's runtime is to every kernel, or taken out (`register`), tells nothing. */
static bool is_cuda(const struct translation *t)
{
    if (t->hip)
        return false;
    vec_each (const struct edit, e, &t->edits.list)
        if (e->length && *e->text && (e->reason == EDIT_RENAME || e->reason == EDIT_INCLUDE))
            return true;
    return false;
}

static void analyse(struct translation *t, const char *name, char *text, size_t len,
                    const struct translate_options *options, const struct setup *setup)
{
    translate(t, name, text, len, options);
    annotate(t, options, &setup->gpus);
    options_drop_unwanted(&setup->options, &t->findings);
    allows_apply(t, setup->options.rule_off);
}

/* Adds to the findings of the result those that only its source shows, where they are now. */
static void take_over(struct side *side)
{
    struct edit_walk begins = {0};
    bool any = false;
    vec_each (const struct finding, f, &side->origin.findings.list) {
        if (!rule_reads_cuda(f->rule))
            continue;
        struct finding copy = *f;
        size_t begin = edits_to_result(&side->origin.edits, &begins, f->span.begin);
        struct edit_walk ends = begins;
        size_t end = edits_to_result(&side->origin.edits, &ends, f->span.end);
        copy.span = (struct span){(uint32_t)begin, (uint32_t)(end < begin ? begin : end)};
        copy.related = copy.last_related = NULL; /* they speak of the source */
        copy.fix = NULL;
        *vec_push(&side->hip.findings.list) = copy;
        any = true;
    }
    if (any)
        findings_sort(&side->hip.findings);
}

/* Translates the content of a file, if it is CUDA. PORTED: only if nothing else is possible,
   because it should be HIP already. */
static void make_side(struct side *side, const char *name, const struct content *content,
                      const struct setup *setup, const struct model_options *known, bool ported)
{
    struct translate_options options = setup->translate;
    struct strbuf text = STRBUF_INIT;
    options.known = known;
    options.input = ported ? INPUT_AUTO : options.input;
    analyse(&side->origin, name, content->text, content->len, &options, setup);
    side->made = ported ? is_cuda(&side->origin) : !side->origin.hip;
    options.input = INPUT_HIP;
    side->cuda = side->made;
    if (side->made) {
        translation_text(&side->origin, &text);
    } else if (side->origin.hip) {
        return;
    } else {
        /* What looks like both is what it should be. */
        side->made = true;
        strbuf_add(&text, side->origin.source.text, side->origin.source.len);
        side->origin.edits.list.count = 0;
        side->origin.findings.list.count = 0;
    }
    size_t len = text.len;
    strbuf_fill(&text, '\0', SOURCE_PADDING);
    analyse(&side->hip, name, text.text, len, &options, setup);
    take_over(side);
}

static void release_side(struct side *side)
{
    if (side->made)
        translation_release(&side->hip);
    translation_release(&side->origin);
}

/* ---- one pair */

static void count(struct totals *totals, const struct review *review)
{
    totals->files++;
    totals->changed += review_shows(review);
    totals->hunks += review->hunks.count;
    totals->added += review->added;
    totals->removed += review->removed;
    for (int i = 0; i < REVIEW_STATES; ++i)
        totals->states[i] += review->states[i];
}

static void report(struct result *res, const struct run *run, const struct setup *setup,
                   const struct pair *pair, struct side *old, struct side *new)
{
    const struct options *o = &setup->options;
    struct review review;
    struct review_side a = {.name = pair->old.name,
                            .t = old->made ? &old->hip : &old->origin,
                            .origin = old->made ? &old->origin : NULL};
    struct review_side b = {.name = pair->new.name,
                            .t = new->made ? &new->hip : &new->origin,
                            .origin = new->made ? &new->origin : NULL,
                            .hip = !new->cuda};
    review_make(&review, &a, &b,
                (struct review_style){.context = run->options->context, .exact = o->exact});
    if (!pair->same || review_shows(&review))
        count(&res->totals, &review);
    if (o->format != FORMAT_JSON)
        review_add_text(&res->text, &review, run->style, run->options->quiet);
    else if (res->totals.changed)
        json_add(&res->text, review_json(&review, &setup->gpus));
    if (o->fail_on <= review_level(&review))
        res->status = STATUS_FOUND;
    review_release(&review);
}

static void take_messages(struct diag *diag, const struct translation *t)
{
    if (t->diag.text.len)
        strbuf_add(&diag->text, t->diag.text.text, t->diag.text.len);
    diag->errors += t->diag.errors;
    diag->warnings += t->diag.warnings;
}

/* What the files of SIDE know of that of PAIR; NULL where it has none. */
static const struct model_options *known_of(const struct run *run, const struct pair *pair,
                                            int side, struct arena *arena)
{
    const char *name = side == PAIR_OLD ? pair->old.name : pair->new.name;
    const struct inputs *inputs = &run->pairs.sides[side].inputs;
    return name ? tree_options(run->trees[side], &inputs->list.items[pair->number[side]], arena)
                : NULL;
}

static void *make(void *context, size_t index)
{
    struct run *run = context;
    const struct pair *pair = &run->pairs.list.items[index];
    const struct setup *setup = configs_setup(run->options->configs, index);
    struct result *res = xcalloc(1, sizeof *res);
    struct content old, new;
    /* Of what is gone there is nothing to review. */
    static const struct pair_file none = {0};
    if (!pairs_read(&run->pairs, pair->new.name ? &pair->old : &none, &old, &res->diag))
        return res;
    if (!pairs_read(&run->pairs, &pair->new, &new, &res->diag)) {
        free(old.text);
        return res;
    }
    struct side a = {0}, b = {0};
    struct arena arena = ARENA_INIT;
    make_side(&a, pair->old.name ? pair->old.name : pair->new.name, &old, setup,
              known_of(run, pair, PAIR_OLD, &arena), false);
    make_side(&b, pair->new.name ? pair->new.name : pair->old.name, &new, setup,
              known_of(run, pair, PAIR_NEW, &arena), true);
    arena_release(&arena);
    res->read = true;
    report(res, run, setup, pair, &a, &b);
    /* Warnings about a file that is as it was are nobody's business now. */
    if (!pair->same || a.origin.diag.errors)
        take_messages(&res->diag, &a.origin);
    if (!pair->same || b.origin.diag.errors)
        take_messages(&res->diag, &b.origin);
    release_side(&a);
    release_side(&b);
    return res;
}

static void drop(void *result)
{
    struct result *res = result;
    strbuf_release(&res->text);
    diag_release(&res->diag);
    free(res);
}

static size_t weigh(const void *result)
{
    const struct result *res = result;
    return sizeof *res + res->text.len;
}

/* ---- the run */

static void add_totals(struct totals *sum, const struct totals *one)
{
    sum->files += one->files;
    sum->changed += one->changed;
    sum->hunks += one->hunks;
    sum->added += one->added;
    sum->removed += one->removed;
    for (int i = 0; i < REVIEW_STATES; ++i)
        sum->states[i] += one->states[i];
}

static bool finish(void *context, size_t index, void *result)
{
    struct run *run = context;
    struct result *res = result;
    const struct pair *pair = &run->pairs.list.items[index];
    bool more = true;
    run->trouble = run->trouble || res->diag.errors;
    diag_flush(&res->diag, stderr);
    if (!res->read)
        *vec_push(&run->skipped) = pair->new.name ? pair->new.name : pair->old.name;
    if (res->text.len) {
        if (run->options->format == FORMAT_JSON)
            more = write_stdout(run->totals.changed ? ",\n" : "\n", run->totals.changed ? 2 : 1,
                                &run->diag);
        more = more && write_stdout(res->text.text, res->text.len, &run->diag);
    }
    add_totals(&run->totals, &res->totals);
    if (res->status == STATUS_FOUND)
        run->status = STATUS_FOUND;
    /* After a broken pipe the end would only say the same again. */
    run->broken = !more;
    run->trouble = run->trouble || !more;
    diag_flush(&run->diag, stderr);
    drop(res);
    return more;
}

static bool begin(struct run *run)
{
    const struct options *o = run->options;
    if (o->format != FORMAT_JSON)
        return true;
    struct comparison gpus;
    if (!configs_join_gpus(o->configs, o, &gpus, &run->diag))
        return false;
    struct strbuf text = STRBUF_INIT;
    json_add_begin(&text, &gpus, "files");
    bool res = write_stdout(text.text, text.len, &run->diag);
    strbuf_release(&text);
    return res;
}

static bool end_json(struct run *run)
{
    const struct totals *t = &run->totals;
    struct strbuf text = STRBUF_INIT;
    json_t *skipped = json_array();
    for (size_t i = 0; skipped && i < run->skipped.count; ++i)
        json_array_append_new(skipped, json_text_or_null(run->skipped.items[i]));
    json_t *summary = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "files", (json_int_t)t->files, "changed",
        (json_int_t)t->changed, "hunks", (json_int_t)t->hunks, "added", (json_int_t)t->added,
        "removed", (json_int_t)t->removed, "resolved", (json_int_t)t->states[REVIEW_RESOLVED],
        "left", (json_int_t)t->states[REVIEW_LEFT], "brought_in",
        (json_int_t)t->states[REVIEW_BROUGHT_IN], "skipped", skipped);
    if (!summary)
        xalloc_die();
    strbuf_adds(&text, t->changed ? "\n],\n\"summary\": " : "],\n\"summary\": ");
    json_add(&text, summary);
    strbuf_adds(&text, "}\n");
    bool res = write_stdout(text.text, text.len, &run->diag);
    strbuf_release(&text);
    return res;
}

/* "hipwright: 3 files: 5 changes, 12 lines removed, 14 added; 3 findings resolved, ..." */
static void end_text(const struct run *run)
{
    const struct totals *t = &run->totals;
    struct strbuf line = STRBUF_INIT;
    strbuf_adds(&line, "hipwright: ");
    strbuf_printf(&line, ngettext("%zu file: ", "%zu files: ", t->files), t->files);
    strbuf_printf(&line, ngettext("%zu hunk, ", "%zu hunks, ", t->hunks), t->hunks);
    /* TRANSLATORS: lines of a diff. */
    strbuf_printf(&line, ngettext("%zu line removed, ", "%zu lines removed, ", t->removed),
                  t->removed);
    /* TRANSLATORS: lines of a diff. */
    strbuf_printf(&line, _("%zu added; "), t->added);
    strbuf_printf(&line, _("findings: %zu resolved, %zu left, %zu brought in"),
                  t->states[REVIEW_RESOLVED], t->states[REVIEW_LEFT], t->states[REVIEW_BROUGHT_IN]);
    strbuf_addc(&line, '\n');
    fwrite(line.text, 1, line.len, stderr);
    strbuf_release(&line);
}

static void review_pairs(struct run *run)
{
    const struct options *o = run->options;
    diag_flush(&run->diag, stderr);
    run->style = (struct diff_style){.color = options_want_color(o, STDOUT_FILENO),
                                     .terminal = isatty(STDOUT_FILENO)};
    pool_run(&(struct pool_work){.count = run->pairs.list.count,
                                 .jobs = o->jobs,
                                 .context = run,
                                 .make = make,
                                 .finish = finish,
                                 .drop = drop,
                                 .weigh = weigh});
    if (run->broken)
        return;
    if (o->format == FORMAT_JSON)
        run->trouble = !end_json(run) || run->trouble;
    else if (!o->quiet)
        end_text(run);
}

/* Reads what the files of each side know of one another; false after an error in the run's diag. */
static bool make_trees(struct run *run)
{
    const struct options *o = run->options;
    for (int i = 0; i < PAIR_SIDES; ++i) {
        struct pair_side *side = &run->pairs.sides[i];
        VEC(const struct setup *) setups = {0};
        vec_each (const size_t, number, &side->setups)
            *vec_push(&setups) = configs_setup(o->configs, *number);
        bool disk = !side->snapshot || snapshot_kind(side->snapshot) == SNAPSHOT_WORK_TREE;
        run->trees[i] =
            tree_new(o, setups.items, &side->inputs, disk ? NULL : side->snapshot, &run->diag);
        vec_release(&setups);
        if (!run->trees[i])
            return false;
    }
    return true;
}

enum exit_status command_review(const struct options *o)
{
    struct run run = {.options = o};
    run.trouble = !pairs_collect(&run.pairs, o, &run.diag) ||
                  !configs_collect(o->configs, o, &run.pairs.inputs, &run.diag) ||
                  !make_trees(&run) || !begin(&run);
    if (!run.trouble) {
        run.trouble = run.pairs.trouble;
        review_pairs(&run);
    }
    diag_flush(&run.diag, stderr);
    diag_release(&run.diag);
    vec_release(&run.skipped);
    for (int i = 0; i < PAIR_SIDES; ++i)
        tree_free(run.trees[i]);
    pairs_release(&run.pairs);
    return run.trouble ? STATUS_TROUBLE : run.status;
}
