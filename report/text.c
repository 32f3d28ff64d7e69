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
    RELATED_SHOWN = 8,  /* more places of a finding are only counted */
};

#define SGR_BOLD "\33[01m"
#define SGR_ERROR "\33[01;31m"
#define SGR_WARNING "\33[01;35m"
#define SGR_NOTE "\33[01;36m"
#define SGR_END "\33[m"

static void add_place(struct strbuf *out, const char *file, struct location at, enum level level,
                      bool color)
{
    static const char *const colors[] = {SGR_NOTE, SGR_WARNING, SGR_ERROR};
    if (color)
        strbuf_adds(out, SGR_BOLD);
    utf8_add_terminal(out, file, strlen(file));
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

/* What is being written: one finding. */
struct writing {
    struct strbuf *out;
    struct source *source;
    const struct finding *finding;
    struct location at;
    bool color;
};

/* A note of one line about the place AT in FILE. */
static void add_note(struct writing *w, const char *file, struct location at,
                     const struct strbuf *words)
{
    add_place(w->out, file, at, LEVEL_NOTE, w->color);
    utf8_add_terminal(w->out, words->text ? words->text : "", words->len);
    strbuf_addc(w->out, '\n');
}

static void add_related(struct writing *w)
{
    struct strbuf words = STRBUF_INIT;
    size_t count = 0;
    for (const struct related *r = w->finding->related; r; r = r->next) {
        /* Of other files there are few, and nothing else tells of them. */
        if (!r->file && RELATED_SHOWN < ++count)
            continue;
        struct location at = r->file ? r->begin : source_location(w->source, r->span.begin);
        strbuf_clear(&words);
        message_add_related(&words, r, true);
        add_note(w, r->file ? r->file : w->source->name, at, &words);
        if (!r->file)
            add_excerpt(w->out, w->source, r->span, at, LEVEL_NOTE, w->color);
    }
    if (RELATED_SHOWN < count) {
        size_t more = count - RELATED_SHOWN;
        strbuf_clear(&words);
        strbuf_printf(&words, ngettext("and %zu more place", "and %zu more places", more), more);
        add_note(w, w->source->name, w->at, &words);
    }
    strbuf_release(&words);
}

/* The figures of each GPU on a line, in the order in which the GPUs appear. */
static void add_figures(struct writing *w)
{
    const struct figure *figures = w->finding->figures;
    for (const struct figure *f = figures; f; f = f->next) {
        const struct figure *first = figures;
        while (strcmp(first->gpu, f->gpu))
            first = first->next;
        if (first != f)
            continue;
        struct strbuf words = STRBUF_INIT;
        strbuf_printf(&words, "%s: ", f->gpu);
        const char *between = "";
        for (const struct figure *g = f; g; g = g->next) {
            if (strcmp(g->gpu, f->gpu))
                continue;
            strbuf_printf(&words, "%s%s ", between, _(figure_name(g->id)));
            if (g->text)
                strbuf_adds(&words, g->text);
            else
                strbuf_printf(&words, "%lld", g->number);
            between = ", ";
        }
        add_note(w, w->source->name, w->at, &words);
        strbuf_release(&words);
    }
}

/* Which of the run's targets it concerns, where that is not all of them. */
static void add_targets(struct writing *w, const struct comparison *gpus)
{
    target_set all = comparison_all(gpus), set = w->finding->targets & all;
    if (set == all)
        return;
    struct strbuf words = STRBUF_INIT, names = STRBUF_INIT;
    comparison_add_names(&names, gpus, set);
    /* TRANSLATORS: %s is one or several GPUs, with commas between them. */
    strbuf_printf(&words, _("this concerns %s"), names.text ? names.text : "");
    add_note(w, w->source->name, w->at, &words);
    strbuf_release(&names);
    strbuf_release(&words);
}

static void add_todo(struct writing *w)
{
    struct strbuf words = STRBUF_INIT;
    if (w->finding->fixed)
        strbuf_adds(&words, _("this was fixed"));
    if (w->finding->fixed || message_add_todo(&words, w->finding, true))
        add_note(w, w->source->name, w->at, &words);
    strbuf_release(&words);
}

/* The sentence for an edit of a fix: what it is, and how safe. %1 is what to write, %2 what
   stands there. */
static const char *fix_sentence(enum fix_safety safety, bool inserts, bool deletes)
{
    static const char *const sentences[][3] = {
        [FIX_REPAIR] = {N_("translation writes `%1` for `%2`"), N_("translation inserts `%1`"),
                        N_("translation deletes `%2`")},
        [FIX_SAFE] = {N_("safe fix: write `%1` for `%2`"), N_("safe fix: insert `%1`"),
                      N_("safe fix: delete `%2`")},
        [FIX_UNSAFE] = {N_("unsafe fix: write `%1` for `%2`"), N_("unsafe fix: insert `%1`"),
                        N_("unsafe fix: delete `%2`")},
        [FIX_DISPLAY] = {N_("possible fix: write `%1` for `%2`"), N_("possible fix: insert `%1`"),
                         N_("possible fix: delete `%2`")},
    };
    return _(sentences[safety][inserts ? 1 : deletes ? 2 : 0]);
}

/* Appends the LEN bytes at TEXT, without a last line end and not too many. */
static void add_code(struct strbuf *out, const char *text, size_t len)
{
    while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        --len;
    strbuf_add(out, text, len < LINE_COLUMNS ? len : LINE_COLUMNS);
    if (LINE_COLUMNS < len)
        strbuf_adds(out, "...");
}

static void add_fix(struct writing *w)
{
    const struct fix *fix = w->finding->fix;
    if (!fix || w->finding->fixed)
        return;
    for (const struct fix_edit *e = fix->edits; e; e = e->next) {
        struct strbuf old = STRBUF_INIT, new = STRBUF_INIT, words = STRBUF_INIT;
        size_t len = e->span.end - e->span.begin;
        add_code(&old, w->source->text + e->span.begin, len);
        add_code(&new, e->text, strlen(e->text));
        const char *args[FINDING_ARGS] = {new.text, old.text};
        message_expand(&words, fix_sentence(fix->safety, !len, !*e->text), args);
        add_note(w, w->source->name, source_location(w->source, e->span.begin), &words);
        strbuf_release(&old);
        strbuf_release(&new);
        strbuf_release(&words);
    }
}

void text_add_headline(struct strbuf *out, const char *file, struct location at,
                       const struct finding *finding, bool color)
{
    struct strbuf words = STRBUF_INIT;
    add_place(out, file, at, finding_level(finding), color);
    message_add(&words, finding, true);
    utf8_add_terminal(out, words.text ? words.text : "", words.len);
    strbuf_printf(out, " [%s]\n", rule_get(finding->rule)->name);
    strbuf_release(&words);
}

void text_add_finding(struct strbuf *out, struct source *source, const struct finding *finding,
                      const struct comparison *gpus, bool color)
{
    struct writing w = {out, source, finding, source_location(source, finding->span.begin), color};
    enum level level = finding_level(finding);

    text_add_headline(out, source->name, w.at, finding, color);
    add_excerpt(out, source, finding->span, w.at, level, color);
    add_related(&w);
    add_figures(&w);
    add_targets(&w, gpus);
    add_todo(&w);
    add_fix(&w);
}
