/* hipwright hook: installs git's pre-commit hook in a repository, and takes it away.

   git says where hooks are (core.hooksPath, the common folder of worktrees). A hook that is there
   already is left alone, or with --force kept beside ours, which runs it first.  */
#include <config.h>

#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/strbuf.h"
#include "cli/data.h"
#include "cli/process.h"
#include "cli/read.h"
#include "cli/write.h"

/* The hook of another that ours replaced is kept under this name. */
#define KEPT ".before-hipwright"

/* By its first lines it is known again. */
static const char head[] = "#!/bin/sh\n"
                           "# Made by `hipwright hook install`; "
                           "`hipwright hook uninstall` takes it away.\n";

/* What is there. */
enum hook_state {
    HOOK_NONE,
    HOOK_OURS,
    HOOK_OTHER,
};

struct hook {
    struct strbuf path; /* absolute */
    struct strbuf kept;
    enum hook_state state;
    bool has_kept;
    struct diag diag;
};

/* Appends git's answer to ARGS, a path, without the newline behind it. */
static bool ask_path(const char *const *args, struct strbuf *out, struct diag *diag)
{
    bool res = process_ask_git(args, out, diag) && out->len;
    if (res)
        out->text[--out->len] = '\0';
    return res;
}

static enum hook_state look_at(const char *path)
{
    struct stat st;
    struct content content;
    struct diag none = DIAG_INIT;
    enum hook_state res = HOOK_OTHER;
    if (lstat(path, &st))
        return HOOK_NONE;
    if (S_ISREG(st.st_mode) && read_file(path, path, &content, &none)) {
        if (sizeof head <= content.len && !memcmp(content.text, head, sizeof head - 1))
            res = HOOK_OURS;
        free(content.text);
    }
    diag_release(&none);
    return res;
}

/* Finds the hook of the repository; false after an error. */
static bool find(struct hook *hook)
{
    static const char *const top_args[] = {"git", "rev-parse", "--show-toplevel", NULL};
    struct strbuf top = STRBUF_INIT;
    struct stat st;
    bool res = ask_path(top_args, &top, &hook->diag);
    if (res) {
        /* From the top, because that is where a relative core.hooksPath begins. */
        const char *const args[] = {"git",
                                    "-C",
                                    top.text,
                                    "rev-parse",
                                    "--path-format=absolute",
                                    "--git-path",
                                    "hooks/pre-commit",
                                    NULL};
        res = ask_path(args, &hook->path, &hook->diag);
    }
    strbuf_release(&top);
    if (!res)
        return false;
    strbuf_printf(&hook->kept, "%s" KEPT, hook->path.text);
    hook->state = look_at(hook->path.text);
    hook->has_kept = !lstat(hook->kept.text, &st);
    return true;
}

/* Appends TEXT as a word of the shell's. */
static void add_quoted(struct strbuf *out, const char *text)
{
    strbuf_addc(out, '\'');
    for (const char *at = text; *at; ++at)
        if (*at == '\'')
            strbuf_adds(out, "'\\''");
        else
            strbuf_addc(out, *at);
    strbuf_addc(out, '\'');
}

static void add_script(struct strbuf *out)
{
    char *program = data_program_path();
    strbuf_adds(out, head);
    strbuf_adds(out, "before=$0" KEPT "\n"
                     "if [ -x \"$before\" ]; then\n"
                     "    \"$before\" \"$@\" || exit\n"
                     "fi\n"
                     "program=");
    add_quoted(out, program ? program : "hipwright");
    strbuf_adds(out,
                "\n"
                "[ -x \"$program\" ] || program=hipwright\n"
                "command -v \"$program\" >/dev/null || {\n"
                "    echo 'hipwright is not installed, but its pre-commit hook is;' >&2\n"
                "    echo '`git commit --no-verify` passes it by' >&2\n"
                "    exit 2\n"
                "}\n"
                "\"$program\" check --staged\n"
                "status=$?\n"
                "[ $status -ne 1 ] || {\n"
                "    echo 'hipwright stopped the commit; a comment `hipwright: allow RULE` says'\n"
                "    echo 'that code is right, `git commit --no-verify` commits all the same'\n"
                "} >&2\n"
                "exit $status\n");
    free(program);
}

static void tell(struct hook *hook, const char *file, const char *message)
{
    diag_add(&hook->diag, DIAG_NOTE, (struct diag_place){.file = file}, "%s", message);
}

static bool refuse(struct hook *hook, const char *file, const char *message)
{
    diag_add(&hook->diag, DIAG_ERROR, (struct diag_place){.file = file}, "%s", message);
    return false;
}

static bool install(struct hook *hook, bool force)
{
    const char *path = hook->path.text, *kept = hook->kept.text;
    if (hook->state == HOOK_OTHER && !force)
        return refuse(hook, path,
                      _("there is a hook already; '--force' keeps it and runs it first (for "
                        "pre-commit, name hipwright in .pre-commit-config.yaml instead)"));
    if (hook->state == HOOK_OTHER && hook->has_kept)
        return refuse(hook, kept, _("is in the way of the hook that is to be kept"));
    struct strbuf script = STRBUF_INIT;
    add_script(&script);
    bool res = true;
    if (hook->state == HOOK_OURS && write_is_same(path, script.text, script.len)) {
        tell(hook, path, _("is installed already"));
    } else {
        bool moved = hook->state == HOOK_OTHER;
        res = (!moved || write_move(path, kept, &hook->diag)) &&
              write_file(&(struct write_job){.path = path,
                                             .text = script.text,
                                             .len = script.len,
                                             .make_folders = true,
                                             .executable = true},
                         &hook->diag);
        if (res)
            tell(hook, path,
                 moved ? _("installed; the hook that was there runs first") : _("installed"));
        else if (moved && look_at(path) == HOOK_NONE)
            write_move(kept, path, &hook->diag);
    }
    strbuf_release(&script);
    return res;
}

static bool uninstall(struct hook *hook)
{
    const char *path = hook->path.text, *kept = hook->kept.text;
    if (hook->state == HOOK_OTHER)
        return refuse(hook, path, _("is not hipwright's hook, and stays"));
    if (hook->state == HOOK_NONE) {
        tell(hook, path, _("there is no hook"));
        return true;
    }
    /* In one step where there is one to take its place. */
    if (hook->has_kept ? !write_move(kept, path, &hook->diag) : !write_remove(path, &hook->diag))
        return false;
    tell(hook, path,
         hook->has_kept ? _("uninstalled; the hook that was there before is back")
                        : _("uninstalled"));
    return true;
}

enum exit_status command_hook(const struct options *o)
{
    struct hook hook = {.diag = DIAG_INIT};
    const char *what = o->operands.count == 1 ? o->operands.items[0] : "";
    bool good = false;
    if (strcmp(what, "install") != 0 && strcmp(what, "uninstall") != 0) {
        diag_add(&hook.diag, DIAG_ERROR, (struct diag_place){0},
                 _("'%s' needs one of 'install' and 'uninstall'"), command_name(o->command));
        options_add_hint(command_name(o->command), &hook.diag);
    } else if (find(&hook)) {
        good = *what == 'i' ? install(&hook, o->force) : uninstall(&hook);
    }
    diag_flush(&hook.diag, stderr);
    diag_release(&hook.diag);
    strbuf_release(&hook.path);
    strbuf_release(&hook.kept);
    return good ? STATUS_OK : STATUS_TROUBLE;
}
