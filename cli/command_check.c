/* hipwright check: findings only. */
#include <config.h>

#include "cli/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/changes.h"
#include "cli/config.h"
#include "cli/inputs.h"
#include "cli/job.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "cli/tree.h"

struct run {
    const struct options *options;
    struct job_plan plan;
    struct inputs inputs;
    struct changes *changes;   /* NULL: all lines of all inputs */
    struct snapshot *snapshot; /* where these are read from; NULL: the disk */
    struct results *results;
    struct progress progress;
    struct tree *tree;
    struct diag diag;
    bool trouble;
};

static void *make(void *context, size_t index)
{
    struct run *run = context;
    return job_run(&run->plan, configs_setup(run->options->configs, index),
                   &run->inputs.list.items[index]);
}

static bool finish(void *context, size_t index, void *result)
{
    struct run *run = context;
    struct job *job = result;
    const struct input *input = &run->inputs.list.items[index];
    run->trouble = run->trouble || job->diag.errors;
    progress_hide(&run->progress);
    diag_flush(&job->diag, stderr);
    bool more = results_take(run->results, input, job);
    run->trouble = run->trouble || !more;
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

/* Finds out what to check; false after an error in the run's diag. */
static bool collect(struct run *run)
{
    const struct options *o = run->options;
    run->changes = o->changes && !changes_are_whole(o->changes) ? o->changes : NULL;
    if (!(run->changes ? changes_collect(run->changes, &run->inputs, &run->diag)
                       : inputs_collect(&run->inputs, o, &run->diag)) ||
        !configs_collect(o->configs, o, &run->inputs, &run->diag))
        return false;
    run->snapshot = run->changes ? changes_snapshot(run->changes) : NULL;
    run->tree = tree_new(o, configs_setups(o->configs), &run->inputs, run->snapshot, &run->diag);
    return run->tree != NULL;
}

static bool begin(struct run *run)
{
    const struct options *o = run->options;
    run->plan = (struct job_plan){
        .tree = run->tree,
        .color = options_want_color(o, STDOUT_FILENO),
        .want_stats = o->stats,
        .changes = run->changes,
        .snapshot = run->snapshot,
    };
    run->results = results_new(o, &run->inputs, &run->plan, STDOUT_FILENO, &run->diag);
    return run->results && results_begin(run->results);
}

static void summarise(const struct run *run)
{
    struct strbuf text = STRBUF_INIT;
    if (run->options->quiet || !results_are_text(run->results))
        return;
    summary_add_text(results_summary(run->results), &text);
    if (text.len)
        fwrite(text.text, 1, text.len, stderr);
    strbuf_release(&text);
}

enum exit_status command_check(const struct options *o)
{
    struct run run = {.options = o};
    enum exit_status res = STATUS_TROUBLE;
    run.trouble = !collect(&run) || !begin(&run);
    diag_flush(&run.diag, stderr);
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
        /* After a broken pipe the end would only say the same again. */
        if (!results_settle(run.results))
            run.trouble = true;
        else
            summarise(&run);
        if (!results_end(run.results))
            run.trouble = true;
        if (!run.trouble)
            res = results_status(run.results);
    }
    diag_flush(&run.diag, stderr);
    diag_release(&run.diag);
    if (run.results)
        results_free(run.results);
    tree_free(run.tree);
    inputs_release(&run.inputs);
    return res;
}
