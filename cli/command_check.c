/* hipwright check: findings only. */
#include <config.h>

#include "cli/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "base/i18n.h"
#include "cli/config.h"
#include "cli/inputs.h"
#include "cli/job.h"
#include "cli/listing.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/tree.h"

struct run {
    const struct options *options;
    struct job_plan plan;
    struct inputs inputs;
    struct listing listing;
    struct progress progress;
    struct tree *tree;
    struct diag diag;
    enum exit_status status; /* that the findings call for */
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
    if (job->status == STATUS_FOUND)
        run->status = STATUS_FOUND;
    bool more = listing_take(&run->listing, input, job);
    run->trouble = run->trouble || !more;
    diag_flush(&run->diag, stderr);
    progress_step(&run->progress, input, job->finding_count);
    job_free(job);
    return more;
}

static void drop(void *result)
{
    job_free(result);
}

static void summarise(const struct run *run)
{
    struct strbuf text = STRBUF_INIT;
    if (run->options->quiet || run->options->format == FORMAT_JSON)
        return;
    summary_add_text(&run->listing.summary, &text);
    if (text.len)
        fwrite(text.text, 1, text.len, stderr);
    strbuf_release(&text);
}

enum exit_status command_check(const struct options *o)
{
    struct run run = {.options = o};
    run.trouble = !inputs_collect(&run.inputs, o, &run.diag) ||
                  !configs_collect(o->configs, o, &run.inputs, &run.diag) ||
                  !(run.tree = tree_new(o, o->configs, &run.inputs, &run.diag)) ||
                  !listing_begin(&run.listing, o, STDOUT_FILENO, &run.diag);
    if (!run.trouble) {
        diag_flush(&run.diag, stderr);
        run.trouble = run.inputs.trouble;
        run.plan = (struct job_plan){
            .tree = run.tree,
            .color = options_want_color(o, STDOUT_FILENO),
            .want_stats = o->stats,
        };
        progress_begin(&run.progress, o, &run.inputs);
        pool_run(&(struct pool_work){.count = run.inputs.list.count,
                                     .jobs = o->jobs,
                                     .context = &run,
                                     .make = make,
                                     .finish = finish,
                                     .drop = drop});
        progress_hide(&run.progress);
        /* After a broken pipe the end would only say the same again. */
        if (!run.listing.broken)
            summarise(&run);
        if (!listing_end(&run.listing, &run.inputs))
            run.trouble = true;
    }
    diag_flush(&run.diag, stderr);
    diag_release(&run.diag);
    listing_release(&run.listing);
    tree_free(run.tree);
    inputs_release(&run.inputs);
    return run.trouble ? STATUS_TROUBLE : run.status;
}
