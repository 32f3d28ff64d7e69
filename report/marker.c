#include <config.h>

#include "report/marker.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "parser/unit.h"
#include "report/message.h"

static const char prefix[] = "hipwright: ";

enum style {
    STYLE_LINE,  /* // ... */
    STYLE_BLOCK, /* / * ... * / */
};

/* ---- markers that are there */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool starts_with(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);
    return n <= len && !memcmp(text, word, n);
}

/* Whether the line before the one that begins at LINE goes on in it. */
static bool is_spliced(const struct source *source, size_t line)
{
    const char *text = source->text;
    size_t at = line;
    if (!at)
        return false;
    --at;
    if (at && text[at - 1] == '\r')
        --at;
    while (at && is_blank(text[at - 1]))
        --at;
    if (at && text[at - 1] == '\\')
        return true;
    return 3 <= at && !memcmp(text + at - 3, "?\?/", 3); /* a trigraph */
}

/* The line that COMMENT has for itself, newline included; false where anything else is there. */
static bool own_line(const struct source *source, const struct comment *comment, struct span *line)
{
    size_t begin = comment->offset, end = begin + comment->length;
    size_t text = source_text_begin(source);
    if (memchr(source->text + begin, '\n', end - begin))
        return false;
    while (text < begin && is_blank(source->text[begin - 1]))
        --begin;
    if (text < begin && source->text[begin - 1] != '\n')
        return false;
    if (is_spliced(source, begin))
        return false;
    if (end < source->len && source->text[end] == '\r')
        ++end;
    if (end < source->len && source->text[end] != '\n')
        return false;
    *line = (struct span){(uint32_t)begin, (uint32_t)(end < source->len ? end + 1 : end)};
    return true;
}

/* Whether COMMENT is a marker, and its line. */
static bool is_marker(const struct source *source, const struct comment *comment, struct span *line)
{
    static const char *const words[] = {"error: ", "warning: ", "note: ", "TODO: "};
    const char *text = source->text + comment->offset;
    size_t len = comment->length, skip = 3 + strlen(prefix);
    if (len <= skip || (!starts_with(text, len, "// ") && !starts_with(text, len, "/* ")) ||
        !starts_with(text + 3, len - 3, prefix))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (starts_with(text + skip, len - skip, words[i]))
            return own_line(source, comment, line);
    return false;
}

void markers_strip(const struct source *source, struct edits *edits)
{
    struct arena arena = ARENA_INIT;
    struct symbol_table symbols;
    struct tokens tokens = {0};
    /* Without keywords: only the comments count. */
    symbol_table_init(&symbols, &arena, NULL, NULL);
    lexer_scan(&tokens, source, &symbols);
    vec_each (const struct comment, comment, &tokens.comments) {
        struct span line;
        if (is_marker(source, comment, &line))
            edit_add(edits, line.begin, line.end - line.begin, "", EDIT_MARKER);
    }
    edits_finish(edits);
    lexer_release(&tokens);
    symbol_table_release(&symbols);
    arena_release(&arena);
}

/* ---- where a marker may stand */

/* A finding and the line above which it is marked, or would be if it were more than a note. */
struct mark {
    uint32_t line; /* offset of its begin */
    const struct finding *finding;
};

/* A marker that the source has. */
struct old_marker {
    struct span lines; /* what it says, then what to do */
    uint32_t line;     /* offset of the begin of the line it is about */
    enum rule_id rule; /* RULE_COUNT: none of ours */
    struct span quote; /* what it names between `...`; empty if nothing */
    bool kept;         /* it stays */
};

struct marking {
    struct translation *t;
    enum style style;
    size_t edit_count;   /* of T: those that are no markers of this run */
    size_t asked, found; /* the last line begin asked for, and its place */
    VEC(struct mark) marks;
    VEC(struct old_marker) old;
};

static size_t line_begin(struct marking *m, size_t offset)
{
    return offset - (source_location(&m->t->source, offset).column - 1);
}

/* The number of the first token at or behind OFFSET. */
static uint32_t token_from(const struct unit *unit, size_t offset)
{
    size_t low;
    vec_search(low, unit->tokens.list.count - 1, unit_token(unit, (uint32_t)low)->offset < offset);
    return (uint32_t)low;
}

/* The begin of the token or directive that goes over OFFSET, or OFFSET. */
static size_t token_over(const struct unit *unit, size_t offset)
{
    uint32_t index = token_from(unit, offset);
    const struct token *token = unit_token(unit, index);
    if (token->flags & TOKEN_DIRECTIVE) {
        const struct directive *d = unit_directive_at(unit, index);
        if (d->tokens.begin < index && index < d->tokens.end)
            return unit_token(unit, d->tokens.begin)->offset;
    }
    if (!index)
        return offset;
    const struct token *before = token - 1;
    size_t end = (size_t)before->offset + before->length;
    bool open = offset == end && before->flags & TOKEN_UNTERMINATED; /* at the end of the file */
    return offset < end || open ? before->offset : offset;
}

/* The begin of the comment that goes over OFFSET, or OFFSET. */
static size_t comment_over(const struct unit *unit, size_t offset)
{
    size_t low = unit_comment_from(unit, offset);
    if (!low)
        return offset;
    const struct comment *c = &unit->tokens.comments.items[low - 1];
    size_t end = (size_t)c->offset + c->length;
    const char *text = unit->source->text;
    bool open = offset == end && text[c->offset + 1] == '*' &&
                (c->length < 4 || memcmp(text + end - 2, "*/", 2)); /* at the end of the file */
    return offset < end || open ? c->offset : offset;
}

/* The begin of the edit that goes over OFFSET, the begin of a line, or that leaves no line to begin
   there; or OFFSET. */
static size_t edit_over(struct marking *m, size_t offset)
{
    const struct edit *items = m->t->edits.list.items;
    size_t low;
    vec_search(low, m->t->edits.list.count, items[low].offset < offset);
    if (!low)
        return offset;
    const struct edit *e = &items[low - 1];
    size_t end = (size_t)e->offset + e->length, len = e->text_len;
    if (offset < end)
        return e->offset;
    bool whole = len ? e->text[len - 1] == '\n' : line_begin(m, e->offset) == e->offset;
    return offset == end && e->length && !whole ? e->offset : offset;
}

/* The begin of the line above which a marker for OFFSET stands. Findings come in order, so those of
   one long construct find the way that the first one went. */
static size_t place(struct marking *m, size_t offset)
{
    const struct unit *unit = m->t->unit;
    size_t begin = line_begin(m, offset), line = begin, text = source_text_begin(unit->source);
    while (line) {
        if (m->found <= line && line <= m->asked) {
            line = m->found;
            break;
        }
        size_t up = token_over(unit, line);
        up = comment_over(unit, up);
        up = edit_over(m, up);
        if (up == line && is_spliced(unit->source, line))
            --up;
        if (up == line)
            break;
        line = line_begin(m, up);
    }
    line = line < text ? text : line;
    m->asked = begin;
    m->found = line;
    return line;
}

/* ---- what it says */

/* What would end the comment, or is worth a warning in it, is pulled apart. */
static void add_comment_text(struct strbuf *out, const char *text, size_t len, enum style style)
{
    for (size_t i = 0; i < len; ++i) {
        strbuf_addc(out, text[i]);
        if (style == STYLE_BLOCK && i + 1 < len &&
            ((text[i] == '*' && text[i + 1] == '/') || (text[i] == '/' && text[i + 1] == '*')))
            strbuf_addc(out, ' ');
    }
}

/* A line comment must not end in a backslash, which would join the next line; nor in its
   trigraph. */
static void end_line(struct strbuf *out, enum style style)
{
    if (style == STYLE_BLOCK) {
        strbuf_adds(out, " */");
        return;
    }
    while (is_blank(out->text[out->len - 1]))
        out->text[--out->len] = '\0';
    if (out->text[out->len - 1] == '\\' ||
        (3 <= out->len && !memcmp(out->text + out->len - 3, "?\?/", 3)))
        strbuf_adds(out, " .");
}

static void add_line(struct strbuf *out, struct marking *m, const char *word,
                     const struct strbuf *words, const char *rule)
{
    struct strbuf safe = STRBUF_INIT;
    utf8_add_terminal(&safe, words->text ? words->text : "", words->len);
    strbuf_adds(out, m->style == STYLE_BLOCK ? "/* " : "// ");
    strbuf_printf(out, "%s%s: ", prefix, word);
    add_comment_text(out, safe.text ? safe.text : "", safe.len, m->style);
    if (rule)
        strbuf_printf(out, " [%s]", rule);
    end_line(out, m->style);
    strbuf_release(&safe);
}

/* What the translation makes of SPAN, for a message, or NULL where it leaves that alone. */
static const char *translated_quote(struct marking *m, struct span span)
{
    const struct edit *items = m->t->edits.list.items;
    size_t first;
    vec_search(first, m->edit_count, items[first].offset < span.begin);
    struct quote quote = QUOTE_INIT;
    size_t at = span.begin;
    bool any = false;
    for (size_t i = first; i < m->edit_count && items[i].offset < span.end; ++i) {
        const struct edit *e = &items[i];
        if (span.end < e->offset + e->length || (!e->length && e->offset == span.begin))
            continue;
        unit_add_quote(m->t->unit, &quote, at, e->offset);
        quote_add(&quote, e->text, e->text_len);
        at = (size_t)e->offset + e->length;
        any = true;
    }
    unit_add_quote(m->t->unit, &quote, at, span.end);
    const char *res = quote_finish(&quote, &m->t->arena);
    return any ? res : NULL;
}

/* FINDING with what it quotes as it stands below the marker. A rule that reads CUDA speaks of
   CUDA's text. */
static struct finding as_translated(struct marking *m, const struct finding *finding)
{
    struct finding res = *finding;
    for (int i = 0; i < FINDING_ARGS && res.args[i]; ++i) {
        struct span span = res.quoted[i];
        const char *quote =
            span.begin < span.end && !rule_reads_cuda(res.rule) ? translated_quote(m, span) : NULL;
        res.args[i] = quote ? quote : res.args[i];
    }
    return res;
}

/* The marker of FINDING, of one or two lines that INDENT begins and NEWLINE ends. */
static void add_marker(struct strbuf *out, struct marking *m, const struct finding *finding,
                       const struct strbuf *indent, const char *newline)
{
    struct strbuf words = STRBUF_INIT;
    const struct finding shown = as_translated(m, finding);
    message_add(&words, &shown, false);
    strbuf_add(out, indent->text, indent->len);
    add_line(out, m, level_word(finding_level(finding)), &words, rule_get(finding->rule)->name);
    strbuf_adds(out, newline);
    strbuf_clear(&words);
    if (message_add_todo(&words, &shown, false)) {
        strbuf_add(out, indent->text, indent->len);
        add_line(out, m, "TODO", &words, NULL);
        strbuf_adds(out, newline);
    }
    strbuf_release(&words);
}

/* Whether COMMENT is there in the result, too. */
static bool survives(const struct translation *t, const struct comment *comment)
{
    const struct edit *items = t->edits.list.items;
    size_t behind;
    vec_search(behind, t->edits.list.count, items[behind].offset <= comment->offset);
    const struct edit *e = behind ? &items[behind - 1] : NULL;
    return !e || e->offset + e->length <= comment->offset ||
           memmem(e->text, e->text_len, t->source.text + comment->offset, comment->length);
}

/* The file's own style: block comments where it has these only, as C of the old kind. What the
   translation takes away does not count: another run would decide otherwise. */
static enum style find_style(const struct translation *t)
{
    const struct source *source = &t->source;
    bool block = false;
    vec_each (const struct comment, comment, &t->unit->tokens.comments) {
        struct span line;
        if (is_marker(source, comment, &line) || !survives(t, comment))
            continue;
        if (starts_with(source->text + comment->offset, comment->length, "//"))
            return STYLE_LINE;
        block = true;
    }
    return block ? STYLE_BLOCK : STYLE_LINE;
}

/* ---- all markers of a file */

/* Whether another run may not find what a marker of RULE says. */
static bool may_stay(enum rule_id rule)
{
    return rule_reads_cuda(rule) || rule_doubts_hip(rule);
}

/* By line, then in the order of the findings; but those that stay in a later run come first, so
   that what it finds itself can follow them. */
static int compare_marks(const void *va, const void *vb)
{
    const struct mark *a = va, *b = vb;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    bool a_stays = may_stay(a->finding->rule), b_stays = may_stay(b->finding->rule);
    if (a_stays != b_stays)
        return a_stays ? -1 : 1;
    return (b->finding < a->finding) - (a->finding < b->finding);
}

static bool is_shown(const struct finding *finding)
{
    return finding_level(finding) != LEVEL_NOTE;
}

static void collect_marks(struct marking *m)
{
    m->asked = 0;
    m->found = 1; /* nothing was asked yet */
    vec_each (const struct finding, f, &m->t->findings.list)
        if (is_shown(f) || rule_doubts_hip(f->rule))
            *vec_push(&m->marks) = (struct mark){(uint32_t)place(m, f->span.begin), f};
    if (m->marks.count)
        qsort(m->marks.items, m->marks.count, sizeof *m->marks.items, compare_marks);
}

/* The first old marker about the line that begins at LINE, or about a later one. */
static size_t old_from(const struct marking *m, size_t line)
{
    size_t low;
    vec_search(low, m->old.count, m->old.items[low].line < line);
    return low;
}

/* Whether this run finds something of RULE, fixed or not, for the line at LINE. */
static bool is_found(const struct marking *m, uint32_t line, enum rule_id rule)
{
    size_t low;
    vec_search(low, m->marks.count, m->marks.items[low].line < line);
    for (; low < m->marks.count && m->marks.items[low].line == line; ++low)
        if (m->marks.items[low].finding->rule == rule)
            return true;
    return false;
}

/* Whether what OLD names still stands where it points to. */
static bool stands(const struct marking *m, const struct old_marker *old)
{
    enum { FARTHEST = 4096 };
    static const char more[] = "...";
    const struct source *source = &m->t->source;
    size_t end = source->len - old->line < FARTHEST ? source->len : old->line + FARTHEST;
    const char *name = source->text + old->quote.begin;
    size_t len = old->quote.end - old->quote.begin;
    if (sizeof more <= len && !memcmp(name + len - strlen(more), more, strlen(more)))
        len -= strlen(more);
    struct quote below = QUOTE_INIT;
    below.longest = SIZE_MAX;
    unit_add_quote(m->t->unit, &below, old->line, end);
    bool res = len && below.text.text && memmem(below.text.text, below.text.len, name, len);
    strbuf_release(&below.text);
    return res;
}

/* Whether OLD stays: this run cannot find what it says, or only with other names; or it has reason
   to doubt that, and what OLD names is still there. */
static bool is_kept(const struct marking *m, const struct old_marker *old)
{
    if (!m->t->hip || old->rule == RULE_COUNT)
        return false;
    return rule_reads_cuda(old->rule) ||
           (rule_doubts_hip(old->rule) && !is_found(m, old->line, old->rule) && stands(m, old));
}

/* Says in KEPT (RULE_COUNT of them) of which rules the line at LINE has markers that stay. */
static void find_kept(const struct marking *m, size_t line, bool *kept)
{
    for (size_t i = old_from(m, line); i < m->old.count && m->old.items[i].line == line; ++i)
        if (m->old.items[i].kept)
            kept[m->old.items[i].rule] = kept[rule_seen_in_hip(m->old.items[i].rule)] = true;
}

/* Inserts the COUNT marks at MARKS, all for one line. */
static void insert(struct marking *m, const struct mark *marks, size_t count)
{
    struct source *source = &m->t->source;
    struct strbuf all = STRBUF_INIT, one = STRBUF_INIT, indent = STRBUF_INIT;
    size_t line = marks->line, end = line;
    while (end < source->len && is_blank(source->text[end]))
        ++end;
    strbuf_add(&indent, source->text + line, end - line);
    const char *newline = source_newline(source);
    bool kept[RULE_COUNT] = {false};
    find_kept(m, line, kept);
    size_t last = 0;
    for (size_t i = 0; i < count; ++i) {
        if (kept[marks[i].finding->rule] || !is_shown(marks[i].finding))
            continue;
        strbuf_clear(&one);
        add_marker(&one, m, marks[i].finding, &indent, newline);
        /* The same may be said of several places of a line; once is enough. */
        if (all.len - last == one.len && !memcmp(all.text + last, one.text, one.len))
            continue;
        last = all.len;
        strbuf_add(&all, one.text, one.len);
    }
    if (all.len)
        edit_add(&m->t->edits, line, 0, arena_strndup(&m->t->arena, all.text, all.len),
                 EDIT_MARKER);
    strbuf_release(&all);
    strbuf_release(&one);
    strbuf_release(&indent);
}

/* The rule in brackets at the end of the marker of LEN bytes at TEXT. */
static enum rule_id rule_of(const char *text, size_t len)
{
    enum { LONGEST = 100 };
    char name[LONGEST + 1];
    const char *close = memrchr(text, ']', len);
    const char *open = close ? memrchr(text, '[', (size_t)(close - text)) : NULL;
    size_t n = open ? (size_t)(close - open) - 1 : 0;
    enum rule_id res;
    if (!n || LONGEST < n)
        return RULE_COUNT;
    memcpy(name, open + 1, n);
    name[n] = '\0';
    return rule_find(name, &res) ? res : RULE_COUNT;
}

/* What the marker of LEN bytes at OFFSET names first. */
static struct span quote_of(const struct source *source, size_t offset, size_t len)
{
    const char *text = source->text;
    const char *open = memchr(text + offset, '`', len);
    const char *close =
        open ? memchr(open + 1, '`', (size_t)(text + offset + len - open - 1)) : NULL;
    if (!close)
        return (struct span){0, 0};
    return (struct span){(uint32_t)(open + 1 - text), (uint32_t)(close - text)};
}

/* Adds the marker line of COMMENT: a new marker, or what to do about the one above. */
static void add_old(struct marking *m, const struct comment *comment, struct span line)
{
    const char *text = m->t->source.text + comment->offset;
    struct old_marker *last = m->old.count ? &m->old.items[m->old.count - 1] : NULL;
    size_t skip = 3 + strlen(prefix);
    if (!starts_with(text + skip, comment->length - skip, "TODO"))
        *vec_push(&m->old) =
            (struct old_marker){.lines = line,
                                .rule = rule_of(text, comment->length),
                                .quote = quote_of(&m->t->source, comment->offset, comment->length)};
    else if (last && last->lines.end == line.begin)
        last->lines.end = line.end;
    else
        *vec_push(&m->old) = (struct old_marker){.lines = line, .rule = RULE_COUNT};
}

static void collect_old(struct marking *m)
{
    vec_each (const struct comment, comment, &m->t->unit->tokens.comments) {
        struct span line;
        if (is_marker(&m->t->source, comment, &line))
            add_old(m, comment, line);
    }
    /* Those that stand one below the other are about the line below the last one. */
    for (size_t i = m->old.count; i--;) {
        struct old_marker *old = &m->old.items[i];
        bool joined = i + 1 < m->old.count && old[1].lines.begin == old->lines.end;
        old->line = joined ? old[1].line : old->lines.end;
    }
}

static void remove_old(struct marking *m)
{
    vec_each (const struct old_marker, old, &m->old)
        if (!old->kept)
            edit_add(&m->t->edits, old->lines.begin, old->lines.end - old->lines.begin, "",
                     EDIT_MARKER);
}

void markers_add(struct translation *t)
{
    struct marking m = {.t = t, .style = find_style(t), .edit_count = t->edits.list.count};
    collect_old(&m);
    collect_marks(&m);
    vec_each (struct old_marker, old, &m.old)
        old->kept = is_kept(&m, old);
    for (size_t i = 0, count; i < m.marks.count; i += count) {
        count = 1;
        while (i + count < m.marks.count && m.marks.items[i + count].line == m.marks.items[i].line)
            ++count;
        insert(&m, &m.marks.items[i], count);
    }
    remove_old(&m);
    edits_finish(&t->edits);
    vec_release(&m.marks);
    vec_release(&m.old);
}
