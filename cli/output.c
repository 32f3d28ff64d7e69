#include <config.h>

#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/i18n.h"
#include "base/xalloc.h"
#include "cli/renames.h"
#include "cli/write.h"

/* Where the result of the file called NAME goes below DIR: at PLACE, without the leading '/' and
   any
   '.'. NULL after a message where that would lead out of DIR. The caller frees it. */
static char *mirror(const char *dir, const char *name, const char *place, struct diag *diag)
{
    struct strbuf path = STRBUF_INIT;
    strbuf_adds(&path, dir);
    size_t before = path.len;
    for (const char *at = place; *at;) {
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

/* PATH as --rename wants it; the caller frees it, and PATH is freed. */
static char *rename_path(const struct output *out, char *path)
{
    struct strbuf new = STRBUF_INIT;
    if (!out->options->rename || !renames_new_name(path, &new))
        return path;
    free(path);
    return new.text;
}

static void say(struct output *out, const char *name, const char *format, const char *arg)
{
    if (out->options->verbose)
        diag_add(out->diag, DIAG_NOTE, (struct diag_place){.file = name}, format, arg);
}

/* Once for each folder that is written into: what runs that were killed left there goes. */
static void clean_folder(struct output *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct strbuf folder = STRBUF_INIT;
    strbuf_add(&folder, slash ? path : "./", slash ? (size_t)(slash - path) + 1 : 2);
    size_t count = inputs_claim(out->inputs, folder.text) ? write_remove_leftovers(folder.text) : 0;
    if (count && !out->options->quiet)
        diag_add(out->diag, DIAG_NOTE, (struct diag_place){.file = folder.text},
                 ngettext("removed %zu unfinished file of a run that was stopped",
                          "removed %zu unfinished files of a run that was stopped", count),
                 count);
    strbuf_release(&folder);
}

static bool write_result(struct output *out, const struct input *input, struct write_job *write,
                         const struct job *job)
{
    write->text = job->text.text;
    write->len = job->text.len;
    write->is_input = inputs_contain;
    write->context = out->inputs;
    if (!write_file(write, out->diag))
        return false;
    out->written++;
    say(out, input->name,
        out->options->command == COMMAND_STRIP ? _("stripped into '%s'")
                                               : _("translated into '%s'"),
        write->path);
    return true;
}

static bool write_in_place(struct output *out, const struct input *input, const struct job *job)
{
    struct write_job write = {
        .path = input->path, .suffix = out->options->suffix, .as_read = &job->stat};
    struct strbuf new = STRBUF_INIT;
    if (!out->options->rename || !renames_new_name(input->path, &new)) {
        if (job->changed)
            return write_result(out, input, &write, job);
        out->same++;
        say(out, input->name, _("does not change"), NULL);
        return true;
    }
    write.text = job->text.text;
    write.len = job->text.len;
    bool res = write_renamed(&write, new.text, out->diag);
    if (res) {
        out->written++;
        say(out, input->name, _("translated into '%s'"), new.text);
    }
    strbuf_release(&new);
    return res;
}

static bool output_in_place(struct output *out, const struct input *input, const struct job *job)
{
    /* A file named twice, perhaps through a link, was replaced the first time. */
    char *real = realpath(input->path, NULL);
    bool again = real && !inputs_claim(out->inputs, real);
    free(real);
    if (again)
        return true;
    clean_folder(out, input->path);
    if ((job->changed || out->options->rename) && !S_ISREG(job->stat.st_mode)) {
        diag_add(out->diag, DIAG_ERROR, (struct diag_place){.file = input->name},
                 _("is no regular file and cannot be replaced"));
        return false;
    }
    return write_in_place(out, input, job);
}

/* The path below --output-dir. */
static const char *in_record(const struct output *out, const char *path)
{
    path += strlen(out->options->output_dir);
    return path + strspn(path, "/");
}

/* Whether the file PATH, which has another content, may be overwritten by ENTRY's output, JOB's
   text. */
static bool may_replace(struct output *out, const struct input *input, const struct job *job,
                        const char *path, const struct record_entry *entry, bool *good)
{
    struct diag_place place = {.file = path};
    if (out->options->force ||
        record_is_ours(out->record, entry->path, path, job->text.text, job->text.len))
        return true;
    const struct record_entry *before = record_find(out->record, entry->path);
    *good = before != NULL;
    if (!before)
        diag_add(out->diag, DIAG_ERROR, place,
                 _("is there already and not from hipwright; it is left alone ('--force' "
                   "overwrites it)"));
    else if (strcmp(before->input, entry->input) != 0)
        diag_add(out->diag, DIAG_WARNING, place,
                 _("was edited since it was written, and '%s' has changed, too; it is left alone "
                   "('--force' overwrites it)"),
                 input->name);
    else if (!out->options->quiet)
        diag_add(out->diag, DIAG_NOTE, place,
                 _("was edited since it was written; it is left alone ('--force' overwrites it)"));
    out->kept += *good;
    return false;
}

/* Keeps the record's entry of an output that was edited, which is not gone. */
static void keep_entry(struct output *out, const char *path)
{
    const struct record_entry *before = record_find(out->record, path);
    if (!before)
        return;
    struct record_entry entry = *before;
    record_set(out->record, &entry);
}

/* Says MESSAGE about NAME as a result, which goes to standard output. */
static bool output_line(struct output *out, const char *name, const char *message)
{
    if (out->options->quiet)
        return true;
    struct diag line = DIAG_INIT; /* for its care with odd names */
    diag_add(&line, DIAG_NOTE, (struct diag_place){.file = name}, "%s", message);
    bool res = write_stdout(line.text.text, line.text.len, out->diag);
    diag_release(&line);
    return res;
}

/* The same as writing PATH, but for the writing. */
static bool foretell(struct output *out, const char *path, bool is_input)
{
    if (is_input) {
        diag_add(out->diag, DIAG_ERROR, (struct diag_place){.file = path},
                 _("is an input too, and is not overwritten; '--in-place' would do that"));
        return false;
    }
    out->written++;
    return output_line(out, path, _("would be written"));
}

static bool write_below(struct output *out, const struct input *input, const struct job *job,
                        const char *path, struct record_entry *entry)
{
    struct stat st;
    bool good = true, there = !lstat(path, &st), leads = !stat(path, &st);
    bool is_input = leads && inputs_contain(&st, out->inputs);
    if (leads && !S_ISREG(st.st_mode)) {
        diag_add(out->diag, DIAG_ERROR, (struct diag_place){.file = path},
                 _("is no regular file and cannot be replaced"));
        return false;
    }
    if (!is_input && there && write_is_same(path, job->text.text, job->text.len)) {
        out->same++;
        say(out, input->name, _("'%s' is up to date"), path);
        record_set(out->record, entry);
        return true;
    }
    if (!is_input && there && S_ISREG(st.st_mode) &&
        !may_replace(out, input, job, path, entry, &good)) {
        keep_entry(out, entry->path);
        return good;
    }
    if (out->options->dry_run) {
        record_set(out->record, entry);
        return foretell(out, path, is_input);
    }
    struct write_job write = {.path = path, .derived = true, .make_folders = true};
    good = is_input || record_announce(out->record, entry, out->diag);
    if (!good || !write_result(out, input, &write, job))
        return false;
    record_set(out->record, entry);
    return true;
}

static bool output_below(struct output *out, const struct input *input, const struct job *job)
{
    const char *dir = out->options->output_dir;
    char *path = mirror(dir, input->name, input->place, out->diag);
    if (!path)
        return false;
    path = rename_path(out, path);
    bool res = false;
    if (!inputs_claim(out->inputs, path)) {
        diag_add(out->diag, DIAG_ERROR, (struct diag_place){.file = input->name},
                 _("'%s' is already the result of another file"), path);
    } else {
        if (!out->options->dry_run)
            clean_folder(out, path);
        char *source = out->folder ? record_relative(out->folder, input->real) : NULL;
        struct record_entry entry = {
            .how = out->how, .path = in_record(out, path), .source = source ? source : input->path};
        memcpy(entry.input, job->input_hash, sizeof entry.input);
        memcpy(entry.output, job->output_hash, sizeof entry.output);
        res = write_below(out, input, job, path, &entry);
        free(source);
    }
    free(path);
    return res;
}

static bool output_stdout(struct output *out, const struct input *input, const struct job *job)
{
    struct stat st;
    if (!fstat(STDOUT_FILENO, &st) && S_ISREG(st.st_mode) && S_ISREG(job->stat.st_mode) &&
        st.st_dev == job->stat.st_dev && st.st_ino == job->stat.st_ino) {
        diag_add(out->diag, DIAG_ERROR, (struct diag_place){.file = input->name},
                 _("is an input too, and is not overwritten; '--in-place' would do that"));
        return false;
    }
    return write_stdout(job->text.text, job->text.len, out->diag);
}

bool output_take(struct output *out, const struct input *input, const struct job *job)
{
    const struct options *o = out->options;
    if (job->skipped != SKIPPED_NOT && !(job->copied && !o->diff))
        return true;
    if (o->diff)
        return write_stdout(job->diff.text, job->diff.len, out->diag);
    if (o->output_dir)
        return output_below(out, input, job);
    if (o->dry_run)
        return output_line(out, input->name,
                           job->changed ? _("would change") : _("does not change"));
    if (o->in_place)
        return output_in_place(out, input, job);
    if (o->output && strcmp(o->output, "-")) {
        struct write_job write = {.path = o->output};
        return write_result(out, input, &write, job);
    }
    return output_stdout(out, input, job);
}

/* "0.1.0/1f2e3d4c": what made the output, and with which options. */
static char *make_how(const struct options *o)
{
    struct strbuf text = STRBUF_INIT, res = STRBUF_INIT;
    strbuf_printf(&text, "%s|%s|%d|%d|%d|%d|%d|%d|%u|%d", o->target ? o->target : "",
                  o->from ? o->from : "", o->no_markers, (int)o->fix, (int)o->launch,
                  (int)o->libraries, o->shims, (int)o->input, (unsigned)o->hip_version, o->rename);
    for (size_t i = 0; i < o->maps.count; ++i)
        strbuf_printf(&text, "|%s", o->maps.items[i]);
    for (int i = 0; i < RULE_COUNT; ++i)
        strbuf_addc(&text, o->rule_off[i] ? '0' : '1');
    strbuf_printf(&res, "%s/%08x", PACKAGE_VERSION, hash_bytes(text.text, text.len));
    strbuf_release(&text);
    return res.text;
}

/* The path of REAL from the folder FOLDER on, both without links; NULL where it is not below. */
static const char *path_below(const char *folder, const char *real)
{
    size_t len = strlen(folder);
    return !strncmp(folder, real, len) && real[len] == '/' ? real + len + 1 : NULL;
}

bool output_leave_out(const struct options *options, struct inputs *inputs, struct diag *diag)
{
    char *folder = options->output_dir ? realpath(options->output_dir, NULL) : NULL;
    struct record *record = NULL;
    bool res = true;
    size_t kept = 0;
    if (!folder)
        return true;
    inputs_resolve(inputs);
    vec_each (const struct input, input, &inputs->list) {
        const char *below = input->real ? path_below(folder, input->real) : NULL;
        if (below && !record && res)
            res = (record = record_open(options->output_dir, diag)) != NULL;
        if (!below || !record || !record_find(record, below))
            inputs->list.items[kept++] = *input;
        else if (input->found ? options->verbose : !options->quiet)
            diag_add(diag, DIAG_NOTE, (struct diag_place){.file = input->name},
                     _("is what an earlier run wrote below '--output-dir', and is left out"));
    }
    inputs->list.count = kept;
    record_free(record);
    free(folder);
    return res;
}

static bool keeps_record(const struct options *o)
{
    return o->output_dir && !o->diff;
}

bool output_begin(struct output *out, const struct options *options, struct inputs *inputs,
                  struct diag *diag)
{
    *out = (struct output){.options = options, .inputs = inputs, .diag = diag};
    if (options->output || options->output_dir || options->in_place)
        inputs_identify(inputs);
    if (!keeps_record(options))
        return true;
    out->how = make_how(options);
    out->record = record_open(options->output_dir, diag);
    if (!out->record)
        return false;
    /* Made now, so that paths can be told from there; if that fails, writing says so. */
    if (!options->dry_run)
        write_make_folder(options->output_dir);
    out->folder = realpath(options->output_dir, NULL);
    inputs_resolve(inputs);
    if (!options->dry_run)
        write_remove_leftovers(options->output_dir);
    return true;
}

bool output_end(struct output *out)
{
    if (!out->record)
        return true;
    out->gone = record_tell_gone(out->record, out->diag);
    return out->options->dry_run || record_save(out->record, out->diag);
}

void output_release(struct output *out)
{
    record_free(out->record);
    free(out->how);
    free(out->folder);
}

void output_add_text(const struct output *output, struct strbuf *out)
{
    const struct options *o = output->options;
    enum { PHRASE = 128 };
    char written[PHRASE], same[PHRASE], kept[PHRASE];
    if (o->diff || (o->dry_run && !o->output_dir) || !(o->output_dir || o->in_place))
        return;
    snprintf(written, sizeof written,
             o->dry_run ? ngettext("%zu file would be written", "%zu files would be written",
                                   output->written)
                        : ngettext("%zu file written", "%zu files written", output->written),
             output->written);
    snprintf(same, sizeof same, ngettext("%zu up to date", "%zu up to date", output->same),
             output->same);
    snprintf(kept, sizeof kept,
             ngettext("%zu left alone because it was edited",
                      "%zu left alone because they were edited", output->kept),
             output->kept);
    /* TRANSLATORS: the %s are "12 files written", "3 up to date", "1 left alone because ...". */
    if (output->kept)
        strbuf_printf(out, _("hipwright: %s, %s, %s\n"), written, same, kept);
    else if (output->written)
        strbuf_printf(out, _("hipwright: %s, %s\n"), written, same);
    else
        strbuf_printf(out, _("hipwright: nothing to write, %s\n"), same);
}
