#include <config.h>

#include "cli/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "cli/baseline.h"
#include "cli/config.h"
#include "cli/data.h"
#include "cli/page.h"
#include "cli/write.h"
#include "report/github.h"
#include "report/json.h"
#include "report/sarif.h"

/* One of the places that findings go to. */
struct outlet {
    enum format format;
    const char *file;   /* NULL: a descriptor */
    int fd;             /* standard output, or standard error */
    struct strbuf text; /* for the file */
    struct github github;
    size_t count; /* findings written */
};

struct results {
    const struct options *options;
    struct inputs *inputs;
    struct diag *diag;
    bool partial; /* only changed lines were looked at */
    struct outlet outlets[JOB_FORMS];
    int outlet_count;
    struct baseline *known;   /* --baseline, or NULL */
    struct baseline *written; /* --write-baseline, or NULL */
    VEC(struct job *) held;
    VEC(const char *) unreadable;
    struct summary summary;
    struct stats *stats; /* NULL without --stats */
    bool used[RULE_COUNT];
    size_t found[LEVEL_ERROR + 1]; /* shown */
    size_t shown, known_count;
    enum exit_status status;
    bool broken; /* the output takes no more, which was said */
};

struct results *results_new(const struct options *o, struct inputs *inputs, struct job_plan *plan,
                            int fd, struct diag *diag)
{
    struct results *res = xcalloc(1, sizeof *res);
    *res = (struct results){
        .options = o, .inputs = inputs, .diag = diag, .partial = plan->changes != NULL};
    /* With a file for the form that was asked for, people read the text. */
    enum format format = o->report ? FORMAT_TEXT : o->format;
    res->outlets[res->outlet_count++] =
        (struct outlet){.format = format, .fd = format == FORMAT_TEXT ? fd : STDOUT_FILENO};
    if (o->report) {
        res->outlets[res->outlet_count++] = (struct outlet){.format = o->format, .file = o->report};
        inputs_identify(inputs);
    }
    for (int i = 0; i < res->outlet_count; ++i)
        plan->forms[i] = res->outlets[i].format;
    plan->form_count = res->outlet_count;
    plan->want_keys = o->baseline || o->write_baseline;
    if (o->stats)
        res->stats = stats_new();
    if (o->write_baseline)
        res->written = baseline_new(o->write_baseline);
    if (!o->baseline || o->write_baseline)
        return res;
    res->known = baseline_new(o->baseline);
    if (baseline_read(res->known, plan->snapshot, diag))
        return res;
    results_free(res);
    return NULL;
}

void results_free(struct results *r)
{
    for (int i = 0; i < r->outlet_count; ++i) {
        strbuf_release(&r->outlets[i].text);
        github_release(&r->outlets[i].github);
    }
    if (r->known)
        baseline_free(r->known);
    if (r->written)
        baseline_free(r->written);
    for (size_t i = 0; i < r->held.count; ++i)
        job_free(r->held.items[i]);
    vec_release(&r->held);
    vec_release(&r->unreadable);
    summary_release(&r->summary);
    stats_free(r->stats);
    free(r);
}

/* ---- writing */

static bool put(struct results *r, struct outlet *outlet, const char *text, size_t len)
{
    if (!len)
        return true;
    if (outlet->file)
        strbuf_add(&outlet->text, text, len);
    else if (outlet->fd == STDERR_FILENO)
        fwrite(text, 1, len, stderr);
    else if (r->broken || !write_stdout(text, len, r->diag))
        r->broken = true;
    return !r->broken;
}

bool results_begin(struct results *r)
{
    struct comparison gpus;
    bool res = true;
    for (int i = 0; res && i < r->outlet_count; ++i) {
        struct outlet *outlet = &r->outlets[i];
        struct strbuf text = STRBUF_INIT;
        if (outlet->format == FORMAT_JSON) {
            res = configs_join_gpus(r->options->configs, r->options, &gpus, r->diag);
            if (res)
                json_add_begin(&text, &gpus, "findings");
        } else if (outlet->format == FORMAT_SARIF) {
            sarif_add_begin(&text);
        }
        res = res && put(r, outlet, text.text, text.len);
        strbuf_release(&text);
    }
    return res;
}

/* Writes what JOB has of SHOWN, its finding, in form I. */
static bool show_form(struct results *r, int i, const struct job *job,
                      const struct job_finding *shown)
{
    struct outlet *outlet = &r->outlets[i];
    const char *text = job->forms[i].text + shown->form[i].begin;
    size_t len = shown->form[i].end - shown->form[i].begin;
    if (!len)
        return true;
    if (outlet->format == FORMAT_GITHUB) {
        github_take(&outlet->github, shown->level, text, len);
        return true;
    }
    const char *between = outlet->format == FORMAT_TEXT ? "" : outlet->count++ ? ",\n" : "\n";
    return put(r, outlet, between, strlen(between)) && put(r, outlet, text, len);
}

static bool show(struct results *r, const struct job *job, const struct job_finding *shown)
{
    r->used[shown->rule] = true;
    if (!shown->silenced) {
        r->shown++;
        r->found[shown->level]++;
        if (shown->fails)
            r->status = STATUS_FOUND;
    }
    for (int i = 0; i < r->outlet_count; ++i)
        if (!show_form(r, i, job, shown))
            return false;
    return true;
}

/* Shows what of JOB is not known; *NUMBER counts its findings in the baseline. */
static bool show_all(struct results *r, const struct job *job, size_t *number)
{
    vec_each (const struct job_finding, shown, &job->shown) {
        bool known = r->known && !shown->silenced && baseline_is_known(r->known, (*number)++);
        if (shown->unchanged)
            continue;
        if (known)
            r->known_count++;
        else if (!show(r, job, shown))
            return false;
    }
    return true;
}

/* ---- taking */

/* Adds the findings of JOB to BASELINE. */
static void add_keys(struct baseline *baseline, const char *name, const struct job *job)
{
    baseline_add_file(baseline, name);
    vec_each (const struct job_finding, shown, &job->shown)
        if (!shown->silenced)
            baseline_add(baseline, job->keys.text + shown->keys.begin,
                         shown->keys.end - shown->keys.begin);
}

static void add_stats(struct results *r, const struct job *job)
{
    if (!job->read)
        stats_add_left_out(r->stats, LEFT_UNREADABLE, 1);
    else if (job->skipped == SKIPPED_PLAIN)
        stats_add_left_out(r->stats, LEFT_PLAIN, 1);
    else if (job->skipped == SKIPPED_BINARY)
        stats_add_left_out(r->stats, LEFT_BINARY, 1);
    if (job->stats)
        stats_add(r->stats, job->stats);
}

bool results_take(struct results *r, const struct input *input, struct job *job)
{
    size_t number = 0;
    if (!job->read)
        *vec_push(&r->unreadable) = input->name;
    summary_add(&r->summary, &job->summary);
    if (r->stats)
        add_stats(r, job);
    if (job->read && (r->known || r->written))
        add_keys(r->known ? r->known : r->written, input->name, job);
    /* What the baseline knows shows only once all is there; what is written to one is not shown. */
    return r->known || r->written || show_all(r, job, &number);
}

void results_drop(struct results *r, struct job *job)
{
    if (r->known)
        *vec_push(&r->held) = job;
    else
        job_free(job);
}

bool results_settle(struct results *r)
{
    size_t number = 0;
    if (r->known) {
        baseline_settle(r->known);
        for (size_t i = 0; i < r->held.count && show_all(r, r->held.items[i], &number); ++i)
            continue;
    }
    if (r->known || r->written)
        memcpy(r->summary.found, r->found, sizeof r->found);
    return !r->broken;
}

const struct summary *results_summary(const struct results *r)
{
    return &r->summary;
}

/* ---- the end */

/* The rules that were found, with their pages; false after an error. */
static bool add_rules(struct results *r, struct strbuf *out)
{
    char *folder = data_find_pages(r->diag);
    bool res = folder != NULL;
    const char *between = "\n";
    sarif_add_rules(out);
    for (int i = 0; i < RULE_COUNT; ++i) {
        struct strbuf page = STRBUF_INIT;
        if (!r->used[i])
            continue;
        res = folder && page_add(&page, folder, (enum rule_id)i, r->diag) && res;
        strbuf_adds(out, between);
        sarif_add_rule(out, (enum rule_id)i, page.text ? page.text : "", page.len);
        between = ",\n";
        strbuf_release(&page);
    }
    free(folder);
    return res;
}

static void add_json_end(struct results *r, struct strbuf *out)
{
    json_add_end(
        out, &(struct json_summary){.files = r->summary.files,
                                    .findings = r->shown,
                                    .suppressed = r->summary.suppressed,
                                    .known = r->known_count,
                                    .skipped = r->unreadable.items,
                                    .skipped_count = r->unreadable.count,
                                    .stats = r->stats ? stats_json(r->stats, &r->summary) : NULL});
}

static bool end_outlet(struct results *r, struct outlet *outlet)
{
    struct strbuf text = STRBUF_INIT;
    bool res = true;
    if (outlet->format == FORMAT_JSON) {
        add_json_end(r, &text);
    } else if (outlet->format == FORMAT_SARIF) {
        res = add_rules(r, &text);
        sarif_add_end(&text, r->unreadable.items, r->unreadable.count);
    } else if (outlet->format == FORMAT_GITHUB) {
        github_add_end(&text, &outlet->github);
    }
    res = put(r, outlet, text.text, text.len) && res;
    strbuf_release(&text);
    if (res && outlet->file)
        res = write_file(&(struct write_job){.path = outlet->file,
                                             .text = outlet->text.text ? outlet->text.text : "",
                                             .len = outlet->text.len,
                                             .is_input = inputs_contain,
                                             .context = r->inputs},
                         r->diag);
    return res;
}

/* Tells what the baseline did. */
static void tell_known(const struct results *r)
{
    struct diag_place place = {.file = r->options->baseline};
    size_t stale = r->partial ? 0 : baseline_tell_stale(r->known, r->diag);
    if (r->known_count)
        diag_add(r->diag, DIAG_NOTE, place,
                 ngettext("%zu finding is known", "%zu findings are known", r->known_count),
                 r->known_count);
    if (stale)
        diag_add(r->diag, DIAG_NOTE, place,
                 ngettext("%zu entry is stale; '--write-baseline' leaves it out",
                          "%zu entries are stale; '--write-baseline' leaves them out", stale),
                 stale);
}

static bool write_baseline(struct results *r)
{
    if (!r->unreadable.count && !r->inputs->trouble)
        return baseline_write(r->written, r->diag);
    /* Without what could not be read, that would be new tomorrow. */
    diag_add(r->diag, DIAG_ERROR, (struct diag_place){.file = r->options->write_baseline},
             _("is not written, since files could not be read"));
    return false;
}

static void show_stats(struct results *r)
{
    struct strbuf text = STRBUF_INIT;
    stats_add_text(r->stats, &r->summary, &text);
    if (text.len)
        fwrite(text.text, 1, text.len, stderr);
    strbuf_release(&text);
}

bool results_end(struct results *r)
{
    bool res = true;
    if (r->broken)
        return false;
    if (r->stats) {
        stats_add_left_out(r->stats, LEFT_LINK, r->inputs->links);
        stats_add_left_out(r->stats, LEFT_EXCLUDED, r->inputs->omitted);
    }
    for (int i = 0; i < r->outlet_count; ++i)
        res = end_outlet(r, &r->outlets[i]) && res;
    if (r->stats && r->outlets[0].format != FORMAT_JSON)
        show_stats(r);
    if (r->known && !r->options->quiet)
        tell_known(r);
    if (r->written)
        res = write_baseline(r) && res;
    return res;
}

enum exit_status results_status(const struct results *r)
{
    return r->status;
}

bool results_are_text(const struct results *r)
{
    return r->outlets[0].format == FORMAT_TEXT;
}
