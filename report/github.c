#include <config.h>

#include "report/github.h"

#include <string.h>

#include "base/utf8.h"
#include "report/message.h"

enum { MOST = 10 };

/* Whether C would steer a terminal that shows the commands. */
static bool is_control(unsigned char c)
{
    return (c < ' ' && c != '\t') || c == 0x7f;
}

/* Appends the LEN bytes at TEXT as a message, or as a property, where more is special. */
static void add_escaped(struct strbuf *out, const char *text, size_t len, const char *special)
{
    struct strbuf utf8 = STRBUF_INIT;
    utf8_add_machine(&utf8, text, len);
    for (size_t i = 0; i < utf8.len; ++i) {
        char c = utf8.text[i];
        if (c && strchr(special, c))
            strbuf_printf(out, "%%%02X", (unsigned char)c);
        else if (is_control((unsigned char)c))
            strbuf_printf(out, "\\x%02X", (unsigned char)c);
        else
            strbuf_addc(out, c);
    }
    strbuf_release(&utf8);
}

/* GitHub knows files by their path in the repository. */
static const char *plain_name(const char *name)
{
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    return name;
}

/* Adds the places in other files: what may have been changed there is no finding of its own. */
static void add_elsewhere(struct strbuf *text, const struct finding *finding)
{
    for (const struct related *r = finding->related; r; r = r->next) {
        if (!r->file)
            continue;
        strbuf_printf(text, "\n%s:%u: ", plain_name(r->file), r->begin.line);
        message_add_related(text, r, false);
    }
}

void github_add_finding(struct strbuf *out, struct source *source, const struct finding *finding)
{
    static const char *const words[] = {"notice", "warning", "error"};
    struct location begin = source_location(source, finding->span.begin),
                    end = source_location(source, finding->span.end);
    struct strbuf text = STRBUF_INIT;
    const char *name = plain_name(source->name);
    strbuf_printf(out, "::%s file=", words[finding_level(finding)]);
    add_escaped(out, name, strlen(name), "%\r\n:,");
    strbuf_printf(out, ",line=%u,col=%u,endLine=%u", begin.line, begin.column, end.line);
    if (begin.line == end.line)
        strbuf_printf(out, ",endColumn=%u", end.column);
    strbuf_printf(out, ",title=%s::", rule_get(finding->rule)->name);
    message_add(&text, finding, false);
    add_elsewhere(&text, finding);
    size_t len = text.len;
    strbuf_adds(&text, "\nTODO: ");
    if (!message_add_todo(&text, finding, false))
        text.len = len;
    add_escaped(out, text.text, text.len, "%\r\n");
    strbuf_addc(out, '\n');
    strbuf_release(&text);
}

void github_take(struct github *github, enum level level, const char *line, size_t len)
{
    if (MOST <= github->count[level]++)
        return;
    github->last[level] = github->lines[level].len;
    strbuf_add(&github->lines[level], line, len);
}

void github_add_end(struct strbuf *out, const struct github *github)
{
    size_t more = 0;
    for (int level = LEVEL_NOTE; level <= LEVEL_ERROR; ++level)
        more += MOST < github->count[level] ? github->count[level] - MOST : 0;
    for (int level = LEVEL_ERROR; LEVEL_NOTE <= level; --level) {
        size_t len = github->lines[level].len;
        /* The notice at the end is one of the ten. */
        if (level == LEVEL_NOTE && more && MOST <= github->count[level]) {
            len = github->last[level];
            ++more;
        }
        if (len)
            strbuf_add(out, github->lines[level].text, len);
    }
    if (more)
        strbuf_printf(out, "::notice title=hipwright::%zu more %s not shown here\n", more,
                      more == 1 ? "finding is" : "findings are");
}

void github_release(struct github *github)
{
    for (int level = LEVEL_NOTE; level <= LEVEL_ERROR; ++level)
        strbuf_release(&github->lines[level]);
}
