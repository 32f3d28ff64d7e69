#include <config.h>

#include "report/text.h"

#include <string.h>

#include "base/i18n.h"
#include "report/message.h"
#include "base/utf8.h"

enum {
    TAB_STOP = 8,
    LINE_COLUMNS = 140, /* more of a source line than this is not shown */
    LEAD_BYTES = 60,    /* how much of a long line is shown before the place in question */
};

#define SGR_BOLD "\33[01m"
#define SGR_ERROR "\33[01;31m"
#define SGR_WARNING "\33[01;35m"
#define SGR_NOTE "\33[01;36m"
#define SGR_END "\33[m"

static void add_place(struct strbuf *out, const struct source *source, struct location at,
                      enum level level, bool color)
{
    static const char *const colors[] = {SGR_NOTE, SGR_WARNING, SGR_ERROR};
    if (color)
        strbuf_adds(out, SGR_BOLD);
    utf8_add_terminal(out, source->name, strlen(source->name));
    strbuf_printf(out, ":%u:%u: ", at.line, at.column);
    if (color)
        strbuf_printf(out, SGR_END "%s", colors[level]);
    strbuf_adds(out, level == LEVEL_ERROR     ? _("error: ")
                     : level == LEVEL_WARNING ? _("warning: ")
                                              : _("note: "));
    if (color)
        strbuf_adds(out, SGR_END);
}

/* The line of a finding as it is shown, and the marks below it, made side by side. */
struct excerpt {
    struct strbuf line, marks;
    unsigned columns;
};

static void excerpt_mark(struct excerpt *e, unsigned width, char mark)
{
    e->columns += width;
    /* The caret stands at the first column of the place, the rest is underlined. */
    if (mark == '^' && width) {
        strbuf_addc(&e->marks, '^');
        mark = '~';
        --width;
    }
    strbuf_fill(&e->marks, mark, width);
}

/* Adds the beginning of the LEN bytes at TEXT, with MARK below it: what is plain of the first MOST
   bytes, or one character. Its bytes. */
static size_t excerpt_add(struct excerpt *e, const char *text, size_t len, size_t most, char mark)
{
    size_t used = utf8_plain_length(text, most);
    unsigned width = (unsigned)used;
    if (used) {
        strbuf_add(&e->line, text, used);
    } else if (*text == '\t') {
        width = TAB_STOP - e->columns % TAB_STOP;
        strbuf_fill(&e->line, ' ', width);
        used = 1;
    } else {
        width = utf8_add_char(&e->line, text, len, &used);
    }
    excerpt_mark(e, width, mark);
    return used;
}

static void add_excerpt(struct strbuf *out, const struct source *source, struct span span,
                        struct location at, enum level level, bool color)
{
    static const char *const colors[] = {SGR_NOTE, SGR_WARNING, SGR_ERROR};
    size_t begin = span.begin - (at.column - 1), from = begin;
    /* The search for the end is bounded, so that many findings on one huge line stay linear. */
    size_t end =
        source->len - span.begin < 4 * LINE_COLUMNS ? source->len : span.begin + 4 * LINE_COLUMNS;
    const char *nl = memchr(source->text + span.begin, '\n', end - span.begin);
    bool cut = !nl && end < source->len;
    if (nl) {
        end = (size_t)(nl - source->text);
        if (begin < end && source->text[end - 1] == '\r')
            --end;
    }

    struct excerpt e = {STRBUF_INIT, STRBUF_INIT, 0};
    if (LINE_COLUMNS - LEAD_BYTES / 2 < span.begin - begin) {
        from = span.begin - LEAD_BYTES;
        while (from < span.begin && ((unsigned char)source->text[from] & 0xc0) == 0x80)
            ++from;
        strbuf_adds(&e.line, "...");
        excerpt_mark(&e, 3, ' ');
    }
    /* What lies before the place, the place itself and what follows are marked each in its way. */
    size_t place_end = span.begin < span.end ? span.end : span.begin + 1;
    for (size_t i = from; i < end;) {
        if (LINE_COLUMNS <= e.columns) {
            cut = true;
            break;
        }
        char mark = i == span.begin ? '^' : span.begin < i && i < span.end ? '~' : ' ';
        size_t stop = i < span.begin ? span.begin : i < place_end ? place_end : end;
        size_t most = (stop < end ? stop : end) - i, room = LINE_COLUMNS - e.columns;
        i += excerpt_add(&e, source->text + i, end - i, most < room ? most : room, mark);
    }
    if (cut)
        strbuf_adds(&e.line, "...");
    /* A place at the end of a line, or an empty one, still gets its caret. */
    if (!e.marks.text || !memchr(e.marks.text, '^', e.marks.len))
        strbuf_addc(&e.marks, '^');
    while (e.marks.len && e.marks.text[e.marks.len - 1] == ' ')
        e.marks.text[--e.marks.len] = '\0';

    strbuf_printf(out, "%5u | ", at.line);
    strbuf_add(out, e.line.text ? e.line.text : "", e.line.len);
    strbuf_adds(out, "\n      | ");
    size_t lead = strspn(e.marks.text, " ");
    strbuf_add(out, e.marks.text, lead);
    if (color)
        strbuf_adds(out, colors[level]);
    strbuf_add(out, e.marks.text + lead, e.marks.len - lead);
    if (color)
        strbuf_adds(out, SGR_END);
    strbuf_addc(out, '\n');
    strbuf_release(&e.line);
    strbuf_release(&e.marks);
}

void text_add_finding(struct strbuf *out, struct source *source, const struct finding *finding,
                      bool color)
{
    struct location at = source_location(source, finding->span.begin);
    enum level level = level_of(finding->effect, finding->confidence);
    struct strbuf words = STRBUF_INIT;

    add_place(out, source, at, level, color);
    message_add(&words, finding, true);
    utf8_add_terminal(out, words.text ? words.text : "", words.len);
    strbuf_printf(out, " [%s]\n", rule_get(finding->rule)->name);
    add_excerpt(out, source, finding->span, at, level, color);

    strbuf_clear(&words);
    if (message_add_todo(&words, finding, true)) {
        add_place(out, source, at, LEVEL_NOTE, color);
        utf8_add_terminal(out, words.text ? words.text : "", words.len);
        strbuf_addc(out, '\n');
    }
    strbuf_release(&words);
}
