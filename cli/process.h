/* Other programs: run without a shell, with nothing of theirs mixed into our own streams.  */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/strbuf.h"

/* A program that runs beside us. */
struct process {
    pid_t pid;    /* 0: none */
    int in, out;  /* pipes to its standard input and from its standard output; -1: none */
    int messages; /* a file that has its standard error */
    int error;    /* the errno with which it could not be started */
};

/* Starts the program ARGS[0], looked up in PATH, with the arguments ARGS, which end with NULL, and
   the environment ENV (NULL: ours). Its standard input is a pipe if WANT_INPUT, else empty. An
   errno, or 0; then to be ended with process_end() or one of its kind below. */
int process_start(struct process *process, const char *const *args, char **env, bool want_input);

/* Closes its pipes, waits for it, and appends what it wrote to its standard error to MESSAGES. Its
   exit status; 128 and more where a signal ended it. */
int process_end(struct process *process, struct strbuf *messages);

/* Ends it, if it runs; nobody wants to know what it says. */
void process_drop(struct process *process);

/* Waits for what process_start() started, or did not: what it wrote is appended to OUT and
   MESSAGES. Its exit status, or -1, and errno set, where it could not be started. */
int process_answer(struct process *process, struct strbuf *out, struct strbuf *messages);

/* process_start() and process_answer(). */
int process_run(const char *const *args, char **env, struct strbuf *out, struct strbuf *messages);

/* Runs git with ARGS (ARGS[0] is "git"); what it answers is appended to OUT. False, after what it
   complains about as errors in DIAG, where it fails. */
bool process_ask_git(const char *const *args, struct strbuf *out, struct diag *diag);

/* The second half of it, for a question COMMAND that process_start() asked. */
bool process_answer_git(struct process *process, const char *command, struct strbuf *out,
                        struct diag *diag);

/* Makes errors in DIAG of git's MESSAGES, one a line; and of an errno with which it did not start.
 */
void process_pass_on(const struct strbuf *messages, struct diag *diag);
void process_complain_git(int number, struct diag *diag);

#endif
