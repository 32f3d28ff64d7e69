/* Findings as GitHub's workflow commands, which show them beside the lines of a pull request:

       ::error file=a.cu,line=3,col=5,endLine=3,endColumn=9,title=ptx-inline::MESSAGE

   GitHub shows no more than ten of a level, so that many are written, the most severe first, and a
   last notice tells how many more there are. Always English.  */
#ifndef REPORT_GITHUB_H
#define REPORT_GITHUB_H

#include <stddef.h>

#include "base/finding.h"
#include "base/source.h"
#include "base/strbuf.h"

/* Appends the command for FINDING of SOURCE, a line. */
void github_add_finding(struct strbuf *out, struct source *source, const struct finding *finding);

/* What is kept of a run's commands until its end. */
struct github {
    struct strbuf lines[LEVEL_ERROR + 1];
    size_t last[LEVEL_ERROR + 1]; /* where the last line begins */
    size_t count[LEVEL_ERROR + 1];
};

/* Takes the command LINE (LEN bytes), of a finding of LEVEL; those beyond ten are only counted. */
void github_take(struct github *github, enum level level, const char *line, size_t len);

/* Appends what is to be shown. */
void github_add_end(struct strbuf *out, const struct github *github);
void github_release(struct github *github);

#endif
