/* hipwright: translates CUDA C++ to HIP and reports what would go wrong on AMD GPUs. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "cli/changes.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/data.h"
#include "cli/options.h"
#include "cli/write.h"

/* A file opened later must not become one of the standard streams by accident; where one is
   missing, using it is to fail. */
static void occupy_streams(void)
{
    for (int fd = 0; fd <= 2; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static void set_language(void)
{
    setlocale(LC_ALL, "");
    char *folder = data_find_locale();
    bindtextdomain(PACKAGE, folder);
    bind_textdomain_codeset(PACKAGE, "UTF-8"); /* as everything else that is shown */
    textdomain(PACKAGE);
    free(folder);
}

static enum exit_status run(struct options *command_line, struct diag *diag)
{
    static enum exit_status (*const commands[])(const struct options *) = {
#define COMMAND(id, name, function, operands, summary) [id] = function,
#include "cli/commands.def"
#undef COMMAND
    };
    if (command_line->help) {
        options_help(command_line->command, stdout);
        return STATUS_OK;
    }
    if (command_line->show_version) {
        options_version(stdout);
        return STATUS_OK;
    }
    enum exit_status res = STATUS_TROUBLE;
    /* What is checked may be git's, and its configuration then is too. */
    if (changes_are_wanted(command_line)) {
        command_line->changes = changes_new(command_line, diag);
        if (!command_line->changes)
            return res;
    }
    struct configs *configs = command_line->configs = configs_new(command_line, diag);
    if (configs) {
        struct options options;
        configs_layer(configs, command_line, &options);
        diag_flush(diag, stderr);
        res = commands[options.command](&options);
        options_release_layered(&options);
        configs_free(configs);
    }
    changes_free(command_line->changes);
    return res;
}

int main(int argc, char **argv)
{
    struct options options;
    struct diag diag = DIAG_INIT;
    occupy_streams();
    set_language();
    write_catch_signals();

    enum exit_status status = STATUS_TROUBLE;
    if (options_parse(&options, argc, argv, &diag))
        status = run(&options, &diag);
    bool flushed = !fflush(stdout);
    if (!flushed || ferror(stdout)) {
        /* What went wrong in an earlier write, nobody kept. */
        diag_add(&diag, DIAG_ERROR, (struct diag_place){0}, _("cannot write standard output: %s"),
                 strerror(flushed ? EIO : errno));
        status = STATUS_TROUBLE;
    }
    diag_flush(&diag, stderr);
    diag_release(&diag);
    options_release(&options);
    return (int)status;
}
