#include <config.h>

#include "cli/job.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/allow.h"
#include "annotate/annotate.h"
#include "annotate/fix.h"
#include "base/xalloc.h"
#include "cli/renames.h"
#include "cli/tree.h"
#include "cli/wanted.h"
#include "report/json.h"
#include "report/marker.h"
#include "report/stats.h"
#include "report/text.h"
#include "transform/follow.h"

static void drop_unwanted(struct findings *findings, const struct options *options)
{
    size_t kept = 0;
    vec_each (const struct finding, f, &findings->list)
        if (options_want_rule(options, f->rule))
            findings->list.items[kept++] = *f;
    findings->list.count = kept;
}

/* What the findings alone call for. */
static enum exit_status status_of(const struct options *o, const struct summary *summary)
{
    for (int level = o->fail_on; level <= LEVEL_ERROR; ++level)
        if (summary->found[level])
            return STATUS_FOUND;
    return STATUS_OK;
}

/* Adds what the options want to be done about the findings. */
static void finish_edits(struct translation *t, const struct options *o)
{
    if (o->fix != FIX_NONE)
        fixes_apply(t, o->fix == FIX_ALSO_UNSAFE ? FIX_UNSAFE : FIX_SAFE);
    if (!o->no_markers)
        markers_add(t);
}

static void report(struct job *job, const struct job_plan *plan, const struct setup *setup,
                   struct translation *t)
{
    const struct options *o = &setup->options;
    summary_add_findings(&job->summary, &t->findings);
    vec_each (const struct finding, f, &t->findings.list) {
        if (o->format == FORMAT_JSON)
            json_add_finding(&job->findings, &t->source, f, &setup->gpus, job->finding_count == 0);
        else if (!o->quiet || finding_level(f) != LEVEL_NOTE)
            text_add_finding(&job->findings, &t->source, f, &setup->gpus, plan->color);
        job->finding_count++;
    }
    job->status = status_of(o, &job->summary);
}

/* How much of the device code is understood. */
static void measure(struct job *job, struct translation *t)
{
    struct arena arena = ARENA_INIT;
    struct trees trees;
    struct measure res;
    measure_init(&res, t->unit);
    trees_init(&trees, t->unit, &arena);
    measure_device(&res, &trees);
    summary_add_measure(&job->summary, &t->source, &res);
    measure_release(&res);
    arena_release(&arena);
}

/* What becomes of SOURCE by EDITS. */
static void make_text(struct job *job, const struct job_plan *plan, struct source *source,
                      const struct edits *edits)
{
    if (plan->want_text) {
        edits_apply(edits, source, &job->text);
        job->changed =
            job->text.len != source->len || memcmp(job->text.text, source->text, source->len) != 0;
        job->summary.changed = job->changed;
    }
    if (plan->want_diff)
        diff_add(&job->diff, source, edits, plan->diff_style);
}

static void run_strip(struct job *job, const struct job_plan *plan, struct source *source)
{
    struct edits edits = {0};
    markers_strip(source, &edits);
    make_text(job, plan, source, &edits);
    edits_release(&edits);
}

/* The includes of a file that follow the renamed files of the run. */
struct following {
    const struct renames *renames;
    const struct translate_options *options;
    const char *from;
};

static bool follow(void *context, const char *path, size_t len, bool quotes, struct strbuf *res)
{
    const struct following *following = context;
    /* In brackets, CUDA's own headers have these endings too. */
    if (!quotes && map_find_header(following->options->map, path, len))
        return false;
    return renames_follow(following->renames, following->from, path, len, res);
}

static void run_translate(struct job *job, const struct job_plan *plan, const struct setup *setup,
                          const struct input *input, const struct content *content)
{
    struct translation t;
    struct arena arena = ARENA_INIT;
    struct translate_options options = setup->translate;
    options.known = tree_options(plan->tree, input, &arena);
    translate(&t, input->name, content->text, content->len, &options);
    annotate(&t, &options, &setup->gpus);
    arena_release(&arena);
    drop_unwanted(&t.findings, &setup->options);
    allows_apply(&t, setup->options.rule_off);
    if (plan->renames) {
        struct following context = {plan->renames, &setup->translate, input->real};
        includes_follow(&t, follow, &context);
    }
    if (plan->want_text)
        finish_edits(&t, &setup->options);
    make_text(job, plan, &t.source, &t.edits);
    job->summary.changed = plan->want_text ? job->changed : t.edits.list.count != 0;
    report(job, plan, setup, &t);
    if (plan->want_stats) {
        measure(job, &t);
        job->stats = stats_new();
        stats_add_translation(job->stats, &t, setup->translate.map);
    }
    if (t.diag.text.len)
        strbuf_add(&job->diag.text, t.diag.text.text, t.diag.text.len);
    job->diag.errors += t.diag.errors;
    job->diag.warnings += t.diag.warnings;
    translation_release(&t);
}

static bool holds(const struct content *content, const char *text)
{
    return memmem(content->text, content->len, text, strlen(text)) != NULL;
}

/* Why INPUT, which holds CONTENT, is left as it is. */
static enum skipped why_skipped(const struct job_plan *plan, const struct setup *setup,
                                const struct input *input, const struct content *content)
{
    if (!input->found)
        return SKIPPED_NOT;
    if (wanted_is_binary(content->text, content->len))
        return SKIPPED_BINARY;
    bool wanted = plan->strip
                      ? holds(content, "hipwright:")
                      : wanted_kind(input->name) == FILE_CUDA ||
                            wanted_by_text(setup->translate.map, content->text, content->len) ||
                            (plan->renames && holds(content, ".cu"));
    return wanted ? SKIPPED_NOT : SKIPPED_PLAIN;
}

/* Takes the text as it is; CONTENT's memory is taken over. */
static void run_skip(struct job *job, const struct job_plan *plan, struct content *content)
{
    job->copied = plan->copy;
    if (job->copied)
        job->text = (struct strbuf){content->text, content->len, content->len + SOURCE_PADDING};
    else
        free(content->text);
}

struct job *job_run(const struct job_plan *plan, const struct setup *setup,
                    const struct input *input)
{
    struct job *job = xcalloc(1, sizeof *job);
    struct content content;
    /* Findings are reported once. */
    if (!plan->strip && !plan->want_text && tree_is_repeated(plan->tree, input)) {
        job->read = true;
        return job;
    }
    job->read = read_file(input->path, input->name, &content, &job->diag);
    if (!job->read)
        return job;
    job->stat = content.stat;
    if (plan->want_hashes)
        sha256_hex(content.text, content.len, job->input_hash);
    job->skipped = why_skipped(plan, setup, input, &content);
    job->summary.files = job->skipped == SKIPPED_NOT;
    if (job->skipped != SKIPPED_NOT) {
        run_skip(job, plan, &content);
    } else if (plan->strip) {
        struct source source;
        source_init(&source, input->name, content.text, content.len);
        run_strip(job, plan, &source);
        source_release(&source);
    } else {
        run_translate(job, plan, setup, input, &content);
    }
    if (plan->want_hashes)
        sha256_hex(job->text.text, job->text.len, job->output_hash);
    return job;
}

void job_free(struct job *job)
{
    strbuf_release(&job->text);
    strbuf_release(&job->diff);
    strbuf_release(&job->findings);
    summary_release(&job->summary);
    stats_free(job->stats);
    diag_release(&job->diag);
    free(job);
}
