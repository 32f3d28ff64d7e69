#include <config.h>

#include "report/diff.h"

#include <string.h>

#include "base/vec.h"
#include "base/utf8.h"

enum { CONTEXT = 3 };

/* Some lines of the source and what becomes of them; lines count from 0. */
struct block {
    size_t first, count;         /* lines of the source */
    size_t text, len, new_count; /* the new lines, as a part of the common buffer */
};

struct blocks {
    VEC(struct block) list;
    struct strbuf text;
    struct source *source;
    size_t lines; /* of the source */
};

/* Offset of LINE, or of the end. */
static size_t line_begin(const struct blocks *b, size_t line)
{
    return line < b->lines ? b->source->lines[line] : b->source->len;
}

static size_t line_at(const struct blocks *b, size_t offset)
{
    return source_location(b->source, offset).line - 1;
}

static size_t count_lines(const char *text, size_t len)
{
    size_t res = 0;
    for (const char *at = text, *end = text + len; at < end; ++res) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        at = nl ? nl + 1 : end;
    }
    return res;
}

/* The length of the first or last line of the LEN bytes at TEXT, with its newline. */
static size_t first_line(const char *text, size_t len)
{
    const char *nl = memchr(text, '\n', len);
    return nl ? (size_t)(nl + 1 - text) : len;
}

static size_t last_line(const char *text, size_t len)
{
    const char *nl = len ? memrchr(text, '\n', len - 1) : NULL;
    return nl ? len - (size_t)(nl + 1 - text) : len;
}

/* Takes lines that are the same on both sides off BLOCK's ends; false if none are left. */
static bool block_trim(const struct blocks *b, struct block *block)
{
    const char *old = b->source->text + line_begin(b, block->first);
    size_t old_len = line_begin(b, block->first + block->count) - line_begin(b, block->first);
    const char *new = b->text.text ? b->text.text + block->text : "";
    for (size_t n; old_len && block->len;) {
        n = first_line(old, old_len);
        if (n != first_line(new, block->len) || memcmp(old, new, n))
            break;
        old += n, old_len -= n, block->first++, block->count--;
        new += n, block->text += n, block->len -= n;
    }
    for (size_t n; old_len && block->len;) {
        n = last_line(old, old_len);
        if (n != last_line(new, block->len) || memcmp(old + old_len - n, new + block->len - n, n))
            break;
        old_len -= n, block->count--;
        block->len -= n;
    }
    block->new_count = count_lines(new, block->len);
    return old_len || block->len;
}

/* Makes a block of EDITS from *NEXT on: all that touch the same lines. */
static void block_add(struct blocks *b, const struct edits *edits, size_t *next)
{
    const struct source *source = b->source;
    const struct edit *edit = edits->list.items + *next,
                      *stop = edits->list.items + edits->list.count;
    struct block block = {.first = line_at(b, edit->offset), .text = b->text.len};
    size_t end = block.first < b->lines ? block.first + 1 : b->lines;
    size_t at = line_begin(b, block.first);
    for (;;) {
        size_t limit = line_begin(b, end);
        for (; edit < stop && (edit->offset < limit || end == b->lines); ++edit) {
            strbuf_add(&b->text, source->text + at, edit->offset - at);
            strbuf_add(&b->text, edit->text, edit->text_len);
            at = (size_t)edit->offset + edit->length;
            if (limit < at) {
                end = line_at(b, at - 1) + 1;
                limit = line_begin(b, end);
            }
        }
        strbuf_add(&b->text, source->text + at, limit - at);
        at = limit;
        /* Where a newline went away, the next line belongs to this one. */
        if (end == b->lines || b->text.len == block.text || b->text.text[b->text.len - 1] == '\n')
            break;
        ++end;
    }
    block.count = end - block.first;
    block.len = b->text.len - block.text;
    *next = (size_t)(edit - edits->list.items);
    if (!block_trim(b, &block))
        return;
    /* Neighbours become one: first what goes, then what comes, as everybody is used to. */
    struct block *before = b->list.count ? &b->list.items[b->list.count - 1] : NULL;
    if (before && before->first + before->count == block.first &&
        before->text + before->len == block.text) {
        before->count += block.count;
        before->len += block.len;
        before->new_count += block.new_count;
        return;
    }
    *vec_push(&b->list) = block;
}

void diff_add_lines(struct strbuf *out, char mark, const char *color, const char *text, size_t len,
                    bool terminal)
{
    while (len) {
        size_t n = first_line(text, len);
        bool ended = text[n - 1] == '\n';
        strbuf_adds(out, color);
        strbuf_addc(out, mark);
        if (terminal) {
            /* Tabs are harmless and common. */
            for (size_t i = 0, used; i < n - ended; i += used)
                if (text[i] == '\t')
                    strbuf_addc(out, '\t'), used = 1;
                else
                    utf8_add_char(out, text + i, n - ended - i, &used);
        } else {
            strbuf_add(out, text, n - ended);
        }
        strbuf_adds(out, *color ? "\33[m\n" : "\n");
        if (!ended)
            strbuf_adds(out, "\\ No newline at end of file\n");
        text += n;
        len -= n;
    }
}

static void add_old(const struct blocks *b, struct strbuf *out, char mark, const char *color,
                    size_t first, size_t end, bool terminal)
{
    size_t from = line_begin(b, first);
    diff_add_lines(out, mark, color, b->source->text + from, line_begin(b, end) - from, terminal);
}

void diff_add_range(struct strbuf *out, char mark, size_t first, size_t count)
{
    /* An empty range is named by the line before it. */
    strbuf_printf(out, "%c%zu", mark, count ? first + 1 : first);
    if (count != 1)
        strbuf_printf(out, ",%zu", count);
}

void diff_add_name(struct strbuf *out, const char *mark, const char *name, const char *color)
{
    bool odd = *name == '"', spaces = false;
    for (const unsigned char *c = (const unsigned char *)name; *c; ++c) {
        odd = odd || *c < ' ' || 0x7f <= *c || *c == '\\';
        spaces = spaces || *c == ' ';
    }
    strbuf_adds(out, color);
    strbuf_adds(out, mark);
    if (odd) {
        strbuf_addc(out, '"');
        for (const unsigned char *c = (const unsigned char *)name; *c; ++c)
            if (*c == '"' || *c == '\\')
                strbuf_printf(out, "\\%c", *c);
            else if (*c < ' ' || 0x7f <= *c)
                strbuf_printf(out, "\\%03o", *c);
            else
                strbuf_addc(out, (char)*c);
        strbuf_addc(out, '"');
    } else {
        strbuf_adds(out, name);
        if (spaces)
            strbuf_addc(out, '\t');
    }
    strbuf_adds(out, *color ? "\33[m\n" : "\n");
}

void diff_add(struct strbuf *out, struct source *source, const struct edits *edits,
              struct diff_style style)
{
    struct blocks b = {.source = source};
    source_location(source, 0); /* makes the index of lines */
    b.lines = source->line_count;
    if (source->lines[b.lines - 1] == source->len)
        --b.lines; /* what stands behind the last newline is no line */
    for (size_t next = 0; next < edits->list.count;)
        block_add(&b, edits, &next);

    const char *bold = style.color ? "\33[1m" : "", *hunk = style.color ? "\33[36m" : "";
    const char *minus = style.color ? "\33[31m" : "", *plus = style.color ? "\33[32m" : "";
    if (b.list.count) {
        diff_add_name(out, "--- ", source->name, bold);
        diff_add_name(out, "+++ ", source->name, bold);
    }
    size_t added = 0, removed = 0; /* lines, before the hunk at hand */
    for (size_t i = 0, next; i < b.list.count; i = next) {
        const struct block *list = b.list.items, *last = &list[i];
        size_t plus_count = last->new_count, minus_count = last->count;
        for (next = i + 1; next < b.list.count; ++next) {
            if (last->first + last->count + 2 * CONTEXT < list[next].first)
                break;
            last = &list[next];
            plus_count += last->new_count;
            minus_count += last->count;
        }
        size_t first = list[i].first < CONTEXT ? 0 : list[i].first - CONTEXT;
        size_t end = last->first + last->count;
        end = b.lines - end < CONTEXT ? b.lines : end + CONTEXT;
        strbuf_adds(out, hunk);
        strbuf_adds(out, "@@ ");
        diff_add_range(out, '-', first, end - first);
        strbuf_addc(out, ' ');
        diff_add_range(out, '+', first + added - removed, end - first + plus_count - minus_count);
        strbuf_adds(out, " @@");
        strbuf_adds(out, style.color ? "\33[m\n" : "\n");
        for (size_t k = i; k < next; ++k) {
            add_old(&b, out, ' ', "", first, list[k].first, style.terminal);
            first = list[k].first + list[k].count;
            add_old(&b, out, '-', minus, list[k].first, first, style.terminal);
            diff_add_lines(out, '+', plus, b.text.text + list[k].text, list[k].len, style.terminal);
        }
        add_old(&b, out, ' ', "", first, end, style.terminal);
        added += plus_count;
        removed += minus_count;
    }
    vec_release(&b.list);
    strbuf_release(&b.text);
}
