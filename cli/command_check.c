/* hipwright check: findings only. */
#include <config.h>

#include "cli/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "base/i18n.h"
#include "cli/config.h"
#include "cli/inputs.h"
#include "cli/job.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/write.h"
#include "report/json.h"

struct run {
    const struct options *options;
    struct job_plan plan;
    struct inputs inputs;
    struct summary summary;
    struct progress progress;
    struct diag diag;
    VEC(const char *) skipped;
    size_t findings;
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
    run->trouble = run->trouble || job->diag.errors;
    progress_hide(&run->progress);
    diag_flush(&job->diag, stderr);
    if (!job->read)
        *vec_push(&run->skipped) = run->inputs.list.items[index].name;
    summary_add(&run->summary, &job->summary);
    if (job->status == STATUS_FOUND)
        run->status = STATUS_FOUND;
    bool more = true;
    if (job->findings.len) {
        if (run->options->format == FORMAT_JSON && run->findings)
            more = write_stdout(",", 1, &run->diag);
        more = more && write_stdout(job->findings.text, job->findings.len, &run->diag);
    }
    run->findings += job->finding_count;
    run->trouble = run->trouble || !more;
    diag_flush(&run->diag, stderr);
    progress_step(&run->progress, &run->inputs.list.items[index], job->finding_count);
    job_free(job);
    return more;
}

static void drop(void *result)
{
    job_free(result);
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
    json_add_begin(&text, &gpus);
    bool res = write_stdout(text.text, text.len, &run->diag);
    strbuf_release(&text);
    return res;
}

static bool end(struct run *run)
{
    struct strbuf text = STRBUF_INIT;
    bool res = true;
    if (run->options->format == FORMAT_JSON) {
        json_add_end(&text, &(struct json_summary){.files = run->summary.files,
                                                   .findings = run->findings,
                                                   .suppressed = run->summary.suppressed,
                                                   .skipped = run->skipped.items,
                                                   .skipped_count = run->skipped.count});
        res = write_stdout(text.text, text.len, &run->diag);
    } else if (!run->options->quiet) {
        summary_add_text(&run->summary, &text);
        fwrite(text.text, 1, text.len, stderr);
    }
    text.len = 0;
    summary_add_code_text(&run->summary, &text);
    fwrite(text.text, 1, text.len, stderr);
    strbuf_release(&text);
    return res;
}

enum exit_status command_check(const struct options *o)
{
    struct run run = {.options = o};
    run.trouble = !inputs_collect(&run.inputs, o, &run.diag) ||
                  !configs_collect(o->configs, o, &run.inputs, &run.diag) || !begin(&run);
    if (!run.trouble) {
        diag_flush(&run.diag, stderr);
        run.trouble = run.inputs.trouble;
        run.plan = (struct job_plan){
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
        if (!run.diag.errors && !end(&run))
            run.trouble = true;
    }
    diag_flush(&run.diag, stderr);
    diag_release(&run.diag);
    vec_release(&run.skipped);
    summary_release(&run.summary);
    inputs_release(&run.inputs);
    return run.trouble ? STATUS_TROUBLE : run.status;
}
