/* hipwright translate: CUDA in, HIP out. hipwright strip, which writes files in the same way. */
#include <config.h>

#include "cli/commands.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "cli/config.h"
#include "cli/inputs.h"
#include "cli/job.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/renames.h"
#include "cli/results.h"
#include "cli/tree.h"
#include "cli/write.h"

struct run {
    const struct options *options;
    struct job_plan plan;
    struct inputs inputs;
    struct renames *renames;
    struct tree *tree; /* NULL for strip */
    struct output output;
    struct results *results;
    struct progress progress;
    struct diag diag;
    bool trouble;
};

static bool writes_nothing(const struct options *o)
{
    return o->dry_run || o->diff;
}

static bool usage(struct run *run, const char *message)
{
    diag_add(&run->diag, DIAG_ERROR, (struct diag_place){0}, "%s", message);
    options_add_hint(command_name(run->options->command), &run->diag);
    return false;
}

/* Whether the first operand looks like a word and names no file, where `translate` was most likely
   not meant. */
static bool is_misspelled_command(const struct options *o)
{
    const char *first = o->operands.count ? o->operands.items[0] : NULL;
    return first && o->command == COMMAND_TRANSLATE && strcmp(first, "-") &&
           !strpbrk(first, "./") && access(first, F_OK);
}

static bool complain_command(struct run *run)
{
    const char *word = run->options->operands.items[0];
    struct nearest nearest;
    nearest_begin(&nearest, word);
    for (int i = 0; i < COMMAND_COUNT; ++i)
        nearest_offer(&nearest, command_name((enum command)i));
    diag_add(&run->diag, DIAG_ERROR, (struct diag_place){.file = word},
             _("is neither a command nor a file"));
    nearest_tell(&nearest, &run->diag);
    options_add_hint(NULL, &run->diag);
    return false;
}

static bool check_inputs(struct run *run)
{
    const struct options *o = run->options;
    bool several = 1 < run->inputs.list.count || 1 < o->operands.count;
    bool placed = o->output_dir || o->in_place || writes_nothing(o);
    if (!placed && !o->output && is_misspelled_command(o))
        return complain_command(run);
    if ((several || run->inputs.folder) && !placed) {
        if (run->inputs.folder)
            return usage(run, _("a folder needs '--output-dir', '--in-place', '--dry-run' or "
                                "'--diff'"));
        return usage(run, _("several files need '--output-dir', '--in-place', '--dry-run' or "
                            "'--diff'"));
    }
    if (o->in_place || o->output_dir)
        vec_each (const struct input, input, &run->inputs.list)
            if (!input->path)
                return usage(run, o->in_place
                                      ? _("standard input cannot be changed in place")
                                      : _("standard input has no place below '--output-dir'"));
    return true;
}

static void *make(void *context, size_t index)
{
    struct run *run = context;
    const struct setup *setup =
        run->plan.strip ? NULL : configs_setup(run->options->configs, index);
    return job_run(&run->plan, setup, &run->inputs.list.items[index]);
}

static bool finish(void *context, size_t index, void *result)
{
    struct run *run = context;
    struct job *job = result;
    run->trouble = run->trouble || job->diag.errors;
    progress_hide(&run->progress);
    diag_flush(&job->diag, stderr);
    const struct input *input = &run->inputs.list.items[index];
    bool more = results_take(run->results, input, job);
    run->trouble = run->trouble || !more;
    if (job->read && !output_take(&run->output, input, job)) {
        run->trouble = true;
        /* A broken standard output does not get better. */
        more = more && !writes_nothing(run->options);
    }
    diag_flush(&run->diag, stderr);
    progress_step(&run->progress, input, job->shown.count);
    results_drop(run->results, job);
    return more;
}

static size_t weigh(const void *result)
{
    return job_weight(result);
}

static void drop(void *result)
{
    job_free(result);
}

/* One file that has nothing to report is translated in silence, as a filter is. */
static void summarise(const struct run *run)
{
    const struct summary *s = results_summary(run->results);
    bool findings = s->found[LEVEL_NOTE] || s->found[LEVEL_WARNING] || s->found[LEVEL_ERROR];
    bool several = 1 < s->files || run->inputs.folder;
    if (run->options->quiet || (!several && !findings && !run->output.kept))
        return;
    struct strbuf line = STRBUF_INIT;
    if (!run->plan.strip && results_are_text(run->results) && (several || findings))
        summary_add_text(s, &line);
    if (several || run->output.kept)
        output_add_text(&run->output, &line);
    if (line.len)
        fwrite(line.text, 1, line.len, stderr);
    strbuf_release(&line);
}

/* Whether a run that writes nothing would have changed something. */
static bool would_change(const struct run *run)
{
    const struct options *o = run->options;
    if (o->dry_run && o->output_dir && !o->diff)
        return run->output.written;
    return writes_nothing(o) && results_summary(run->results)->changed;
}

/* Finds out what holds for each input; false after a message. */
static bool find_context(struct run *run)
{
    const struct options *o = run->options;
    if (!configs_collect(o->configs, o, &run->inputs, &run->diag))
        return false;
    run->tree = tree_new(o, configs_setups(o->configs), &run->inputs, NULL, &run->diag);
    return run->tree != NULL;
}

static enum exit_status rewrite(const struct options *o, bool strip)
{
    struct run run = {.options = o};
    enum exit_status res = STATUS_TROUBLE;
    run.trouble = !inputs_collect(&run.inputs, o, &run.diag) || !check_inputs(&run) ||
                  (!strip && !output_leave_out(o, &run.inputs, &run.diag)) ||
                  (!strip && !find_context(&run)) ||
                  !output_begin(&run.output, o, &run.inputs, &run.diag);
    if (!run.trouble) {
        if (o->rename) {
            inputs_resolve(&run.inputs);
            run.renames = renames_new(&run.inputs);
        }
        run.plan = (struct job_plan){
            .strip = strip,
            .tree = run.tree,
            .want_text = true,
            .want_hashes = run.output.record != NULL,
            .copy = o->output_dir != NULL,
            .renames = run.renames,
            .want_diff = o->diff,
            .want_stats = o->stats,
            .color = options_want_color(o, STDERR_FILENO),
            .diff_style = {.color = o->diff && options_want_color(o, STDOUT_FILENO),
                           .terminal = isatty(STDOUT_FILENO)},
        };
        run.results = results_new(o, &run.inputs, &run.plan, STDERR_FILENO, &run.diag);
        run.trouble = !run.results || !results_begin(run.results);
        diag_flush(&run.diag, stderr);
    }
    if (!run.trouble) {
        run.trouble = run.inputs.trouble;
        progress_begin(&run.progress, o, &run.inputs);
        pool_run(&(struct pool_work){.count = run.inputs.list.count,
                                     .jobs = o->jobs,
                                     .context = &run,
                                     .make = make,
                                     .finish = finish,
                                     .drop = drop,
                                     .weigh = weigh});
        progress_hide(&run.progress);
        if (!output_end(&run.output))
            run.trouble = true;
        diag_flush(&run.diag, stderr);
        if (!results_settle(run.results))
            run.trouble = true;
        summarise(&run);
        if (!results_end(run.results))
            run.trouble = true;
        if (!run.trouble)
            res = would_change(&run) ? STATUS_FOUND : results_status(run.results);
    }
    diag_flush(&run.diag, stderr);
    diag_release(&run.diag);
    output_release(&run.output);
    renames_free(run.renames);
    tree_free(run.tree);
    inputs_release(&run.inputs);
    if (run.results)
        results_free(run.results);
    return res;
}

enum exit_status command_translate(const struct options *o)
{
    return rewrite(o, false);
}

enum exit_status command_strip(const struct options *o)
{
    return rewrite(o, true);
}
