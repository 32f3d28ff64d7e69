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
#include "cli/pool.h"
#include "cli/write.h"

struct run {
    const struct options *options;
    struct job_plan plan;
    struct inputs inputs;
    struct summary summary;
    struct diag diag;
    size_t written;
    enum exit_status status; /* that the findings call for */
    bool trouble;
};

static bool usage_at(struct run *run, const char *file, const char *message)
{
    diag_add(&run->diag, DIAG_ERROR, (struct diag_place){.file = file}, "%s", message);
    options_add_hint(command_name(run->options->command), &run->diag);
    return false;
}

static bool writes_nothing(const struct options *o)
{
    return o->dry_run || o->diff;
}

static bool usage(struct run *run, const char *message)
{
    return usage_at(run, NULL, message);
}

/* Whether PATH, which may be NULL, looks like a word and names no file. */
static bool is_misspelled_command(const char *path)
{
    return path && !strpbrk(path, "./") && access(path, F_OK);
}

static bool check_inputs(struct run *run)
{
    const struct options *o = run->options;
    if (1 < run->inputs.list.count && !o->output_dir && !o->in_place && !writes_nothing(o)) {
        const struct input *first = run->inputs.list.items;
        if (is_misspelled_command(first->path))
            return usage_at(run, first->name, _("is neither a command nor a file"));
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

/* Where the translation of NAME goes below DIR: at its own path, without the leading '/' and
   any '.'. NULL after a message where that would lead out of DIR. The caller frees it. */
static char *mirror(const char *dir, const char *name, struct diag *diag)
{
    struct strbuf path = STRBUF_INIT;
    strbuf_adds(&path, dir);
    size_t before = path.len;
    for (const char *at = name; *at;) {
        size_t len = strcspn(at, "/");
        if (len == 2 && !memcmp(at, "..", 2)) {
            diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name},
                     _("has no place below '%s', because its name holds '..'"), dir);
            strbuf_release(&path);
            return NULL;
        }
        if (len && !(len == 1 && *at == '.')) {
            if (before < path.len || path.text[path.len - 1] != '/')
                strbuf_addc(&path, '/');
            strbuf_add(&path, at, len);
        }
        at += len + (at[len] == '/');
    }
    return path.text;
}

static void say(struct run *run, const char *name, const char *format, const char *arg)
{
    if (run->options->verbose)
        diag_add(&run->diag, DIAG_NOTE, (struct diag_place){.file = name}, format, arg);
}

static bool write_result(struct run *run, const struct input *input, struct write_job *write,
                         const struct job *job)
{
    write->text = job->text.text;
    write->len = job->text.len;
    write->is_input = inputs_contain;
    write->context = &run->inputs;
    if (!write_file(write, &run->diag))
        return false;
    run->written++;
    say(run, input->name, run->plan.strip ? _("stripped into '%s'") : _("translated into '%s'"),
        write->path);
    return true;
}

static bool output_in_place(struct run *run, const struct input *input, const struct job *job)
{
    /* A file named twice, perhaps through a link, was replaced the first time. */
    char *real = realpath(input->path, NULL);
    bool again = real && !inputs_claim(&run->inputs, real);
    free(real);
    if (again)
        return true;
    if (!job->changed) {
        say(run, input->name, _("does not change"), NULL);
        return true;
    }
    if (!S_ISREG(job->stat.st_mode)) {
        diag_add(&run->diag, DIAG_ERROR, (struct diag_place){.file = input->name},
                 _("is no regular file and cannot be replaced"));
        return false;
    }
    struct write_job write = {
        .path = input->path, .suffix = run->options->suffix, .as_read = &job->stat};
    return write_result(run, input, &write, job);
}

static bool output_below(struct run *run, const struct input *input, const struct job *job)
{
    char *path = mirror(run->options->output_dir, input->name, &run->diag);
    if (!path)
        return false;
    struct stat st;
    bool res = true, is_input = !stat(path, &st) && inputs_contain(&st, &run->inputs);
    if (!inputs_claim(&run->inputs, path)) {
        diag_add(&run->diag, DIAG_ERROR, (struct diag_place){.file = input->name},
                 _("'%s' is already the result of another file"), path);
        res = false;
    } else if (!is_input && write_is_same(path, job->text.text, job->text.len)) {
        say(run, input->name, _("'%s' is up to date"), path);
    } else {
        struct write_job write = {.path = path, .make_folders = true};
        res = write_result(run, input, &write, job);
    }
    free(path);
    return res;
}

static bool output_stdout(struct run *run, const struct input *input, const struct job *job)
{
    struct stat st;
    if (!fstat(STDOUT_FILENO, &st) && S_ISREG(st.st_mode) && S_ISREG(job->stat.st_mode) &&
        st.st_dev == job->stat.st_dev && st.st_ino == job->stat.st_ino) {
        diag_add(&run->diag, DIAG_ERROR, (struct diag_place){.file = input->name},
                 _("is an input too, and is not overwritten; '--in-place' would do that"));
        return false;
    }
    return write_stdout(job->text.text, job->text.len, &run->diag);
}

static bool output_line(struct run *run, const struct input *input, const struct job *job)
{
    if (run->options->quiet)
        return true;
    struct diag line = DIAG_INIT; /* for its care with odd names */
    diag_add(&line, DIAG_NOTE, (struct diag_place){.file = input->name}, "%s",
             job->changed ? _("would change") : _("does not change"));
    bool res = write_stdout(line.text.text, line.text.len, &run->diag);
    diag_release(&line);
    return res;
}

static bool output(struct run *run, const struct input *input, const struct job *job)
{
    const struct options *o = run->options;
    if (o->diff)
        return write_stdout(job->diff.text, job->diff.len, &run->diag);
    if (o->dry_run)
        return output_line(run, input, job);
    if (o->in_place)
        return output_in_place(run, input, job);
    if (o->output_dir)
        return output_below(run, input, job);
    if (o->output && strcmp(o->output, "-")) {
        struct write_job write = {.path = o->output};
        return write_result(run, input, &write, job);
    }
    return output_stdout(run, input, job);
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
    diag_flush(&job->diag, stderr);
    if (job->findings.len)
        fwrite(job->findings.text, 1, job->findings.len, stderr);
    summary_add(&run->summary, &job->summary);
    if (job->status == STATUS_FOUND)
        run->status = STATUS_FOUND;
    bool more = true;
    if (job->read && !output(run, &run->inputs.list.items[index], job)) {
        run->trouble = true;
        /* A broken standard output does not get better. */
        more = !writes_nothing(run->options);
    }
    diag_flush(&run->diag, stderr);
    job_free(job);
    return more;
}

static void drop(void *result)
{
    job_free(result);
}

/* One file that has nothing to report is translated in silence, as a filter is. */
static void summarise(const struct run *run)
{
    const struct summary *s = &run->summary;
    if (run->options->quiet || (s->files < 2 && !s->found[LEVEL_NOTE] && !s->found[LEVEL_WARNING] &&
                                !s->found[LEVEL_ERROR]))
        return;
    struct strbuf line = STRBUF_INIT;
    summary_add_text(s, &line);
    fwrite(line.text, 1, line.len, stderr);
    strbuf_release(&line);
}

static void show_stats(const struct run *run)
{
    struct strbuf text = STRBUF_INIT;
    summary_add_code_text(&run->summary, &text);
    if (text.len)
        fwrite(text.text, 1, text.len, stderr);
    strbuf_release(&text);
}

static enum exit_status rewrite(const struct options *o, bool strip)
{
    struct run run = {.options = o};
    run.trouble = !inputs_collect(&run.inputs, o, &run.diag) || !check_inputs(&run) ||
                  (!strip && !configs_collect(o->configs, o, &run.inputs, &run.diag));
    if (!run.trouble) {
        diag_flush(&run.diag, stderr);
        run.plan = (struct job_plan){
            .strip = strip,
            .want_text = true,
            .want_diff = o->diff,
            .want_stats = o->stats,
            .color = options_want_color(o, STDERR_FILENO),
            .diff_style = {.color = o->diff && options_want_color(o, STDOUT_FILENO),
                           .terminal = isatty(STDOUT_FILENO)},
        };
        if (o->output || o->output_dir || o->in_place)
            inputs_identify(&run.inputs);
        pool_run(&(struct pool_work){.count = run.inputs.list.count,
                                     .jobs = o->jobs,
                                     .context = &run,
                                     .make = make,
                                     .finish = finish,
                                     .drop = drop});
        if (!strip) {
            summarise(&run);
            show_stats(&run);
        }
    }
    diag_flush(&run.diag, stderr);
    diag_release(&run.diag);
    inputs_release(&run.inputs);
    summary_release(&run.summary);
    if (run.trouble)
        return STATUS_TROUBLE;
    if (writes_nothing(o) && run.summary.changed)
        return STATUS_FOUND;
    return run.status;
}

enum exit_status command_translate(const struct options *o)
{
    return rewrite(o, false);
}

enum exit_status command_strip(const struct options *o)
{
    return rewrite(o, true);
}
