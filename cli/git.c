#include <config.h>

#include "cli/git.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/vec.h"
#include "cli/process.h"

/* git's own list of them: git rev-parse --local-env-vars. */
static const char *const local_variables[] = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
};

/* A repository that comes with a tree may say that objects it lacks are to be fetched, and name a
   program for that: nothing is fetched. Git before 2.45 knows but the first of them. */
static char no_protocol[] = "GIT_ALLOW_PROTOCOL=none", no_fetch[] = "GIT_NO_LAZY_FETCH=1";

/* Whether git is to run without VARIABLE, one of the environment's. What is traced would be taken
   for git's messages. */
static bool is_dropped(const char *variable)
{
    static const char trace[] = "GIT_TRACE";
    size_t len = strcspn(variable, "=");
    if (!strncmp(variable, trace, sizeof trace - 1) ||
        !strncmp(variable, no_protocol, strcspn(no_protocol, "=") + 1))
        return true;
    for (size_t i = 0; i < sizeof local_variables / sizeof *local_variables; ++i)
        if (len == strlen(local_variables[i]) && !memcmp(variable, local_variables[i], len))
            return true;
    return false;
}

/* Runs git with ARGS, which end with NULL. Its exit status, with what it wrote appended to OUT and
   ERR; -1, and errno set, where it did not run. */
static int run(const char *const *args, struct strbuf *out, struct strbuf *err)
{
    VEC(char *) env = {0};
    for (char **at = environ; at && *at; ++at)
        if (!is_dropped(*at))
            *vec_push(&env) = *at;
    *vec_push(&env) = no_protocol;
    *vec_push(&env) = no_fetch;
    *vec_push(&env) = NULL;
    int res = process_run(args, env.items, out, err);
    int error = errno;
    vec_release(&env);
    errno = error;
    return res;
}

bool git_is_top(const char *folder)
{
    struct strbuf path = STRBUF_INIT;
    struct stat st;
    strbuf_printf(&path, "%s/.git", folder);
    bool res = !lstat(path.text, &st);
    strbuf_release(&path);
    return res;
}

char *git_top(const char *folder)
{
    char *res = realpath(folder, NULL);
    while (res && !git_is_top(res)) {
        char *slash = strrchr(res, '/');
        if (slash && slash[1]) {
            slash[slash == res] = '\0'; /* at last the root */
            continue;
        }
        free(res);
        res = NULL;
    }
    return res;
}

bool git_ignores(const char *folder)
{
    const char *const args[] = {
        "git", "-c", "core.fsmonitor=false", "-C", folder, "check-ignore", "-q", "--", ".", NULL};
    struct strbuf out = STRBUF_INIT, err = STRBUF_INIT;
    int status = run(args, &out, &err);
    strbuf_release(&out);
    strbuf_release(&err);
    return status == 0;
}

/* The lines that git wrote, each a message of LEVEL. */
static void pass_on(struct strbuf *text, enum diag_level level, struct diag *diag)
{
    for (char *at = text->text; at && *at;) {
        size_t len = strcspn(at, "\n");
        diag_add(diag, level, (struct diag_place){0}, "git: %.*s", (int)len, at);
        at += len + (at[len] == '\n');
    }
}

bool git_list_files(const char *folder, const char *const *parts, size_t count,
                    struct strbuf *names, struct diag *diag)
{
    /* A repository that comes with a tree could name a program as its file system's monitor. */
    const char *const first[] = {"git",
                                 "--literal-pathspecs",
                                 "-c",
                                 "core.fsmonitor=false",
                                 "-C",
                                 folder,
                                 "ls-files",
                                 "-z",
                                 "--cached",
                                 "--others",
                                 "--exclude-standard",
                                 "--"};
    VEC(const char *) args = {0};
    for (size_t i = 0; i < sizeof first / sizeof *first; ++i)
        *vec_push(&args) = first[i];
    for (size_t i = 0; i < count; ++i)
        *vec_push(&args) = parts[i];
    *vec_push(&args) = NULL;
    struct strbuf err = STRBUF_INIT;
    struct diag_place place = {.file = folder};
    int status = run(args.items, names, &err);
    vec_release(&args);
    if (status < 0)
        diag_add(
            diag, DIAG_WARNING, place,
            _("lies in a git repository, but git cannot be run (%s): files that it ignores are "
              "taken too"),
            strerror(errno));
    else if (status)
        diag_add(diag, DIAG_WARNING, place,
                 _("git does not say which files it ignores; they are taken too"));
    pass_on(&err, status ? DIAG_WARNING : DIAG_ERROR, diag);
    strbuf_release(&err);
    return !status;
}
