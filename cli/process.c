#include <config.h>

#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/i18n.h"

static void close_if(int fd)
{
    if (0 <= fd)
        close(fd);
}

/* Starts it with these as its standard streams; an errno or 0. */
static int spawn(pid_t *pid, const char *const *args, char **env, int in, int out, int messages)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t defaults;
    posix_spawn_file_actions_init(&files);
    if (in < 0)
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, messages, STDERR_FILENO);
    /* What we ignore (write_catch_signals()) is no business of another program. */
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigdefault(&attr, &defaults);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    int res =
        posix_spawnp(pid, args[0], &files, &attr, (char **)(uintptr_t)args, env ? env : environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return res;
}

enum { PIPE_ROOM = 1 << 20 };

int process_start(struct process *p, const char *const *args, char **env, bool want_input)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, error = 0;
    *p = (struct process){.in = -1, .out = -1};
    p->messages = memfd_create("messages", MFD_CLOEXEC);
    if (p->messages < 0 || pipe2(out, O_CLOEXEC) || (want_input && pipe2(in, O_CLOEXEC)))
        error = errno;
    else
        fcntl(out[0], F_SETPIPE_SZ, PIPE_ROOM); /* else it waits until we read; it may be refused */
    if (!error)
        error = spawn(&p->pid, args, env, in[0], out[1], p->messages);
    close_if(in[0]);
    close_if(out[1]);
    if (!error) {
        p->in = in[1];
        p->out = out[0];
        return 0;
    }
    close_if(in[1]);
    close_if(out[0]);
    close_if(p->messages);
    *p = (struct process){.in = -1, .out = -1, .messages = -1, .error = error};
    return error;
}

/* Reads FD to its end. */
static void drain(int fd, struct strbuf *out)
{
    for (;;) {
        enum { PIECE = 1 << 16 };
        strbuf_reserve(out, PIECE);
        ssize_t n = read(fd, out->text + out->len, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        out->len += (size_t)n;
    }
    out->text[out->len] = '\0'; /* strbuf_reserve() left room for it */
}

int process_end(struct process *p, struct strbuf *messages)
{
    int status = 0;
    close_if(p->in);
    close_if(p->out);
    while (waitpid(p->pid, &status, 0) < 0)
        if (errno != EINTR)
            break;
    lseek(p->messages, 0, SEEK_SET);
    drain(p->messages, messages);
    close(p->messages);
    *p = (struct process){.in = -1, .out = -1, .messages = -1};
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void process_drop(struct process *p)
{
    struct strbuf messages = STRBUF_INIT;
    if (p->pid)
        process_end(p, &messages);
    strbuf_release(&messages);
}

int process_answer(struct process *p, struct strbuf *out, struct strbuf *messages)
{
    if (p->error) {
        errno = p->error;
        return -1;
    }
    drain(p->out, out);
    return process_end(p, messages);
}

int process_run(const char *const *args, char **env, struct strbuf *out, struct strbuf *messages)
{
    struct process p;
    process_start(&p, args, env, false);
    return process_answer(&p, out, messages);
}

void process_pass_on(const struct strbuf *messages, struct diag *diag)
{
    for (const char *at = messages->text; at && *at;) {
        size_t len = strcspn(at, "\n");
        if (len)
            diag_add(diag, DIAG_ERROR, (struct diag_place){0}, "git: %.*s", (int)len, at);
        at += len + (at[len] == '\n');
    }
}

void process_complain_git(int number, struct diag *diag)
{
    diag_add(diag, DIAG_ERROR, (struct diag_place){0}, _("git cannot be run: %s"),
             strerror(number));
}

bool process_answer_git(struct process *p, const char *command, struct strbuf *out,
                        struct diag *diag)
{
    struct strbuf messages = STRBUF_INIT;
    int status = process_answer(p, out, &messages);
    if (status < 0) {
        process_complain_git(errno, diag);
    } else if (status) {
        process_pass_on(&messages, diag);
        if (!messages.len)
            diag_add(diag, DIAG_ERROR, (struct diag_place){0}, _("'git %s' failed with status %d"),
                     command, status);
    }
    strbuf_release(&messages);
    return status == 0;
}

/* What of ARGS is git's command: it stands behind git's own options. */
static const char *command_of(const char *const *args)
{
    do
        args += strcmp(*args, "-c") ? 1 : 2;
    while (**args == '-');
    return *args;
}

bool process_ask_git(const char *const *args, struct strbuf *out, struct diag *diag)
{
    struct process p;
    process_start(&p, args, NULL, false);
    return process_answer_git(&p, command_of(args), out, diag);
}
