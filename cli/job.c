#include <config.h>

#include "cli/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "cli/pass.h"
#include "cli/renames.h"
#include "cli/tree.h"
#include "cli/wanted.h"
#include "report/fingerprint.h"
#include "report/github.h"
#include "report/json.h"
#include "report/marker.h"
#include "report/sarif.h"
#include "report/stats.h"
#include "report/text.h"
#include "transform/follow.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

typedef VEC(struct finding) finding_list;

/* Takes out what has nothing to do with lines that were changed; findings that no comment silences
   go to REST. */
static void drop_unchanged(struct translation *t, const struct changes *changes,
                           const struct change *change, finding_list *rest)
{
    struct findings *all = &t->findings;
    size_t kept = 0, silenced = 0;
    vec_each (struct finding, f, &all->list)
        if (changes_touch(changes, change, &t->source, f))
            all->list.items[kept++] = *f;
        else
            *vec_push(rest) = *f;
    vec_each (struct finding, f, &all->silenced)
        if (changes_touch(changes, change, &t->source, f))
            all->silenced.items[silenced++] = *f;
    all->list.count = kept;
    all->silenced.count = silenced;
}

/* The reporting of one file. */
struct reporting {
    struct job *job;
    const struct job_plan *plan;
    const struct setup *setup;
    struct translation *t;
    struct sarif_file sarif;
    struct occurrence *occurrences; /* fingerprints that were seen, for SARIF */
    struct arena arena;
};

/* How often a fingerprint was seen. */
struct occurrence {
    uint64_t hash;
    unsigned count;
    UT_hash_handle hh;
};

/* Appends what tells F from all other findings of the file. */
static void add_print(struct reporting *r, struct strbuf *out, const struct finding *f)
{
    struct strbuf text = STRBUF_INIT;
    fingerprint_add(&text, r->t->unit, f);
    uint64_t hash = fingerprint_hash(text.text, text.len);
    strbuf_release(&text);
    struct occurrence *seen;
    HASH_FIND(hh, r->occurrences, &hash, sizeof hash, seen);
    if (!seen) {
        seen = arena_zalloc(&r->arena, 1, sizeof *seen);
        seen->hash = hash;
        HASH_ADD(hh, r->occurrences, hash, sizeof hash, seen);
    }
    strbuf_printf(out, "%016" PRIx64 ":%u", hash, ++seen->count);
}

/* Appends F in FORMAT; nothing where that does not show it. */
static void add_form(struct reporting *r, enum format format, struct strbuf *out,
                     const struct finding *f, bool silenced)
{
    const struct comparison *gpus = &r->setup->gpus;
    struct source *source = &r->t->source;
    struct strbuf print = STRBUF_INIT;
    if (format == FORMAT_SARIF) {
        add_print(r, &print, f);
        sarif_add_finding(out, &r->sarif, f, gpus, print.text, silenced);
        strbuf_release(&print);
    } else if (silenced) {
        return;
    } else if (format == FORMAT_JSON) {
        json_add_finding(out, source, f, gpus);
    } else if (format == FORMAT_GITHUB) {
        github_add_finding(out, source, f);
    } else if (!r->setup->options.quiet || finding_level(f) != LEVEL_NOTE) {
        text_add_finding(out, source, f, gpus, r->plan->color);
    }
}

static void add_keys(struct reporting *r, const struct finding *f)
{
    struct strbuf *keys = &r->job->keys;
    fingerprint_add(keys, r->t->unit, f);
    strbuf_addc(keys, '\n');
    for (const struct related *related = f->related; related; related = related->next) {
        if (related->file || related->ground)
            continue; /* which ones are seen depends on what is checked */
        fingerprint_add_related(keys, r->t->unit, f, related);
        strbuf_addc(keys, '\n');
    }
}

static void report_finding(struct reporting *r, const struct finding *f, bool silenced)
{
    struct job *job = r->job;
    enum level level = finding_level(f);
    struct job_finding *shown = vec_push(&job->shown);
    *shown = (struct job_finding){.rule = f->rule,
                                  .level = level,
                                  .fails = !silenced && r->setup->options.fail_on <= (int)level,
                                  .silenced = silenced};
    for (int i = 0; i < r->plan->form_count; ++i) {
        shown->form[i].begin = job->forms[i].len;
        add_form(r, r->plan->forms[i], &job->forms[i], f, silenced);
        shown->form[i].end = job->forms[i].len;
    }
    shown->keys.begin = job->keys.len;
    if (r->plan->want_keys && !silenced)
        add_keys(r, f);
    shown->keys.end = job->keys.len;
    if (shown->fails)
        job->status = STATUS_FOUND;
}

/* F is as it was: the first ones of its kind that a baseline has are such. */
static void keep_unchanged(struct reporting *r, const struct finding *f)
{
    struct job_finding *kept = vec_push(&r->job->shown);
    *kept = (struct job_finding){.rule = f->rule, .unchanged = true};
    kept->keys.begin = r->job->keys.len;
    add_keys(r, f);
    kept->keys.end = r->job->keys.len;
}

/* The findings of the file, and those that comments silence behind them where a form has them; for
   a baseline those of REST before them. */
static void report(struct job *job, const struct job_plan *plan, const struct setup *setup,
                   struct translation *t, const finding_list *rest)
{
    struct reporting r = {.job = job, .plan = plan, .setup = setup, .t = t};
    bool tells_silenced = false;
    summary_add_findings(&job->summary, &t->findings);
    sarif_file_init(&r.sarif, &t->source);
    for (int i = 0; i < plan->form_count; ++i)
        tells_silenced = tells_silenced || plan->forms[i] == FORMAT_SARIF;
    if (plan->want_keys)
        vec_each (const struct finding, f, rest)
            keep_unchanged(&r, f);
    vec_each (const struct finding, f, &t->findings.list)
        report_finding(&r, f, false);
    if (tells_silenced)
        vec_each (const struct finding, f, &t->findings.silenced)
            report_finding(&r, f, true);
    HASH_CLEAR(hh, r.occurrences);
    sarif_file_release(&r.sarif);
    arena_release(&r.arena);
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
    struct settled settled = {.result = &t.edits};
    struct arena arena = ARENA_INIT;
    struct translate_options options = setup->translate;
    options.known = tree_options(plan->tree, input, &arena);
    options.grounds = input->change != NULL;
    pass_find(&t, input->name, content->text, content->len, &options, setup);
    finding_list rest = {0};
    if (input->change)
        drop_unchanged(&t, plan->changes, input->change, &rest);
    findings_join(&t.findings);
    if (plan->renames) {
        struct following context = {plan->renames, &setup->translate, input->real};
        includes_follow(&t, follow, &context);
    }
    if (plan->want_text)
        pass_settle(&settled, &t, &options, setup);
    make_text(job, plan, &t.source, settled.result);
    job->summary.changed = plan->want_text ? job->changed : t.edits.list.count != 0;
    report(job, plan, setup, &t, &rest);
    vec_release(&rest);
    if (plan->want_stats) {
        measure(job, &t);
        job->stats = stats_new();
        stats_add_translation(job->stats, &t, setup->translate.map);
    }
    /* Warnings about a file that is as it was are nobody's business now. */
    bool quiet = input->change && !change_is_real(input->change) && !t.diag.errors;
    if (t.diag.text.len && !quiet)
        strbuf_add(&job->diag.text, t.diag.text.text, t.diag.text.len);
    job->diag.errors += t.diag.errors;
    job->diag.warnings += t.diag.warnings;
    settled_release(&settled);
    translation_release(&t);
    arena_release(&arena);
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
    job->read = input->blob
                    ? snapshot_read(plan->snapshot, input->blob, input->name, &content, &job->diag)
                    : read_file(input->path, input->name, &content, &job->diag);
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

size_t job_weight(const struct job *job)
{
    size_t res = sizeof *job + job->text.len + job->diff.len + job->keys.len;
    for (int i = 0; i < JOB_FORMS; ++i)
        res += job->forms[i].len;
    return res + job->shown.count * sizeof *job->shown.items;
}

void job_free(struct job *job)
{
    strbuf_release(&job->text);
    strbuf_release(&job->diff);
    for (int i = 0; i < JOB_FORMS; ++i)
        strbuf_release(&job->forms[i]);
    strbuf_release(&job->keys);
    vec_release(&job->shown);
    summary_release(&job->summary);
    stats_free(job->stats);
    diag_release(&job->diag);
    free(job);
}
