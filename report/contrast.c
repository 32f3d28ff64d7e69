#include <config.h>

#include "report/contrast.h"

#include <stdlib.h>
#include <string.h>

#include "base/lcs.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "report/marker.h"
#include "report/words.h"

/* A line that has words. */
struct full_line {
    size_t line;
    size_t first, count; /* its words */
};

/* One version while it is compared. */
struct version_words {
    struct words words;
    VEC(const void *) texts; /* of the words */
    VEC(struct full_line) lines;
    VEC(const void *) keys; /* of these lines: the same for the same words */
    unsigned char *covered; /* of each line of the version: a word lies there, or a part of one */
};

struct contrasting {
    struct contrast *res;
    struct symbol_table table;
    struct arena arena;
    struct version_words old, new;
    size_t old_done, new_done; /* lines that are in pieces */
    bool exact;
};

/* ---- lines */

/* Lists the lines of T's source that are no markers. */
static void collect_lines(struct version_lines *lines, struct translation *t)
{
    struct source *source = &t->source;
    struct edits markers = {0};
    lines->source = source;
    markers_strip(source, &markers);
    const struct edit *marker = markers.list.items, *stop = vec_end(&markers.list);
    for (size_t at = 0, end; at < source->len; at = end) {
        const char *nl = memchr(source->text + at, '\n', source->len - at);
        end = nl ? (size_t)(nl + 1 - source->text) : source->len;
        while (marker < stop && (size_t)marker->offset + marker->length <= at)
            ++marker;
        if (marker == stop || at < marker->offset)
            *vec_push(&lines->list) = (struct text_line){(uint32_t)at, (uint32_t)end};
    }
    edits_release(&markers);
}

size_t contrast_line(const struct version_lines *lines, size_t offset)
{
    size_t low;
    vec_search(low, lines->list.count, lines->list.items[low].end <= offset);
    return low;
}

size_t contrast_piece(const struct contrast *contrast, size_t line, bool new)
{
    const struct piece *p = contrast->pieces.items;
    size_t low;
    vec_search(low, contrast->pieces.count - 1,
               (new ? p[low].new + p[low].new_count : p[low].old + p[low].old_count) <= line);
    return low;
}

/* ---- words */

static void add_full_line(struct contrasting *f, struct version_words *v, size_t line, size_t first,
                          size_t end)
{
    if (first == end)
        return;
    *vec_push(&v->lines) = (struct full_line){line, first, end - first};
    *vec_push(&v->keys) = symbol_intern(&f->table, (const char *)(v->texts.items + first),
                                        (end - first) * sizeof *v->texts.items);
}

/* Notes that a word lies from LINE on to END. */
static void cover(struct version_words *v, const struct version_lines *lines, size_t line,
                  size_t end)
{
    v->covered[line] = 1;
    while (++line < lines->list.count && lines->list.items[line].begin < end)
        v->covered[line] = 1;
}

/* Distributes the words over the lines in which they begin. */
static void split_words(struct contrasting *f, struct version_words *v,
                        const struct version_lines *lines)
{
    vec_each (const struct word, word, &v->words.list)
        *vec_push(&v->texts) = word->text;
    size_t line = 0, first = 0;
    v->covered = xcalloc(lines->list.count + 1, 1);
    for (size_t i = 0; i < v->words.list.count; ++i) {
        size_t begin = v->words.list.items[i].span.begin;
        bool is_missing = begin == v->words.list.items[i].span.end;
        if (lines->list.items[line].end + is_missing <= begin) {
            add_full_line(f, v, line, first, i);
            line = contrast_line(lines, begin);
            first = i;
        }
        cover(v, lines, line, v->words.list.items[i].span.end);
    }
    add_full_line(f, v, line, first, v->words.list.count);
}

static const char *line_text(const struct version_lines *lines, size_t line, size_t *len)
{
    const struct text_line *l = &lines->list.items[line];
    *len = l->end - l->begin;
    return lines->source->text + l->begin;
}

/* The bytes of each line are its only word. */
static void take_bytes(struct contrasting *f, struct version_words *v,
                       const struct version_lines *lines)
{
    v->covered = xcalloc(lines->list.count + 1, 1);
    for (size_t i = 0; i < lines->list.count; ++i) {
        size_t len;
        const char *text = line_text(lines, i, &len);
        v->covered[i] = 1;
        const void *key = symbol_intern(&f->table, text, len);
        *vec_push(&v->texts) = key;
        *vec_push(&v->keys) = key;
        *vec_push(&v->lines) = (struct full_line){i, i, 1};
    }
}

static void take_words(struct contrasting *f, struct translation *old, struct translation *new)
{
    words_note(old->unit, &f->table, 0);
    words_note(new->unit, &f->table, 1);
    words_collect(&f->old.words, old->unit, &f->table);
    words_collect(&f->new.words, new->unit, &f->table);
    split_words(f, &f->old, &f->res->old);
    split_words(f, &f->new, &f->res->new);
}

/* ---- pieces */

static bool has_words(const struct version_words *v, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i)
        if (v->covered[i])
            return true;
    return false;
}

/* Adds a piece up to the lines OLD_END and NEW_END. It becomes one with its neighbour if that is of
   the same kind; comments beside changed lines belong to these. */
static void add_piece(struct contrasting *f, size_t old_end, size_t new_end, bool same,
                      bool changed)
{
    struct contrast *res = f->res;
    struct piece piece = {.old = f->old_done,
                          .old_count = old_end - f->old_done,
                          .new = f->new_done,
                          .new_count = new_end - f->new_done,
                          .same = same,
                          .changed = changed};
    f->old_done = old_end;
    f->new_done = new_end;
    if (!piece.old_count && !piece.new_count)
        return;
    struct piece *last = res->pieces.count ? &res->pieces.items[res->pieces.count - 1] : NULL;
    piece.bare =
        !same && !has_words(&f->old, piece.old, old_end) && !has_words(&f->new, piece.new, new_end);
    if (last && last->same == same && (last->changed == changed || last->bare || piece.bare)) {
        last->old_count += piece.old_count;
        last->new_count += piece.new_count;
        last->changed = last->changed || changed;
        last->bare = last->bare && piece.bare;
        return;
    }
    *vec_push(&res->pieces) = piece;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

/* What LINE, which has no words, is but for white space; exactly, inside of a word of several
   lines. */
static const void *text_key(struct contrasting *f, const struct version_words *v,
                            const struct version_lines *lines, size_t line)
{
    struct strbuf bare = STRBUF_INIT;
    size_t len;
    const char *text = line_text(lines, line, &len);
    strbuf_addc(&bare, '\n'); /* no list of words begins so */
    for (size_t i = 0; i < len; ++i)
        if (v->covered[line] || !is_white(text[i]))
            strbuf_addc(&bare, text[i]);
    const void *res = symbol_intern(&f->table, bare.text, bare.len);
    strbuf_release(&bare);
    return res;
}

/* What the lines from BEGIN to END are: the same key for the same words, or the same comment. */
static const void **line_keys(struct contrasting *f, const struct version_words *v,
                              const struct version_lines *lines, size_t begin, size_t end)
{
    const void **res = xcalloc(end - begin + 1, sizeof *res);
    size_t low;
    vec_search(low, v->lines.count, v->lines.items[low].line < begin);
    for (size_t i = begin; i < end; ++i)
        if (low < v->lines.count && v->lines.items[low].line == i)
            res[i - begin] = v->keys.items[low++];
        else
            res[i - begin] = text_key(f, v, lines, i);
    return res;
}

static void add_text_part(struct contrasting *f, size_t old_end, size_t new_end)
{
    bool changed =
        has_words(&f->old, f->old_done, old_end) || has_words(&f->new, f->new_done, new_end);
    add_piece(f, old_end, new_end, false, changed);
}

/* Adds the lines up to OLD_END and NEW_END one by one as they stand there: those that are the same,
   and the rest, which is changed if it has words. */
static void add_as_text(struct contrasting *f, size_t old_end, size_t new_end)
{
    size_t old = f->old_done, new = f->new_done;
    const void **a = line_keys(f, &f->old, &f->res->old, old, old_end);
    const void **b = line_keys(f, &f->new, &f->res->new, new, new_end);
    struct lcs common = {.steps = 0};
    lcs_find(&common, a, old_end - old, b, new_end - new);
    vec_each (const struct lcs_run, run, &common.runs) {
        add_text_part(f, old + run->a, new + run->b);
        add_piece(f, old + run->a + run->count, new + run->b + run->count, true, false);
    }
    add_text_part(f, old_end, new_end);
    lcs_release(&common);
    free(a);
    free(b);
}

/* The line of the full line INDEX of V, or behind the last of LINES. */
static size_t line_of(const struct version_words *v, const struct version_lines *lines,
                      size_t index)
{
    return index < v->lines.count ? v->lines.items[index].line : lines->list.count;
}

/* Adds what stands before the full lines OLD and NEW. */
static void add_before(struct contrasting *f, size_t old, size_t new)
{
    add_as_text(f, line_of(&f->old, &f->res->old, old), line_of(&f->new, &f->res->new, new));
}

static void add_same(struct contrasting *f, const struct lcs_run *run)
{
    for (size_t i = 0; i < run->count; ++i) {
        add_before(f, run->a + i, run->b + i);
        add_piece(f, f->old_done + 1, f->new_done + 1, true, false);
    }
}

/* Some full lines of both versions, and some of their words. */
struct gap {
    size_t old, old_end, new, new_end;
};

static size_t first_word(const struct version_words *v, size_t line)
{
    return line < v->lines.count ? v->lines.items[line].first : v->texts.count;
}

/* Adds the full lines of GAP, which have nothing in common but perhaps all of their words. */
static void add_gap(struct contrasting *f, const struct gap *gap)
{
    if (gap->old == gap->old_end && gap->new == gap->new_end)
        return;
    size_t a = first_word(&f->old, gap->old), a_end = first_word(&f->old, gap->old_end);
    size_t b = first_word(&f->new, gap->new), b_end = first_word(&f->new, gap->new_end);
    bool same = a_end - a == b_end - b && !memcmp(f->old.texts.items + a, f->new.texts.items + b,
                                                  (a_end - a) * sizeof *f->old.texts.items);
    if (!same && !f->exact) {
        add_before(f, gap->old_end, gap->new_end);
        return;
    }
    add_before(f, gap->old, gap->new);
    size_t old_end =
        gap->old < gap->old_end ? f->old.lines.items[gap->old_end - 1].line + 1 : f->old_done;
    size_t new_end =
        gap->new < gap->new_end ? f->new.lines.items[gap->new_end - 1].line + 1 : f->new_done;
    add_piece(f, old_end, new_end, false, !same);
}

/* Adds GAP in parts: a cut is wherever, on the path through the words of both, a line begins on
   both sides. So what is only broken elsewhere is told from what is changed. */
static void refine(struct contrasting *f, const struct gap *gap)
{
    struct gap part = *gap;
    struct lcs common = {.steps = 0};
    size_t a = first_word(&f->old, gap->old), b = first_word(&f->new, gap->new);
    lcs_find(&common, f->old.texts.items + a, first_word(&f->old, gap->old_end) - a,
             f->new.texts.items + b, first_word(&f->new, gap->new_end) - b);
    size_t old = gap->old, new = gap->new;
    vec_each (const struct lcs_run, run, &common.runs)
        for (size_t i = 0; i < run->count; ++i) {
            while (old < gap->old_end && first_word(&f->old, old) < a + run->a + i)
                ++old;
            while (new < gap->new_end && first_word(&f->new, new) < b + run->b + i)
                ++new;
            if (first_word(&f->old, old) != a + run->a + i ||
                first_word(&f->new, new) != b + run->b + i)
                continue;
            part.old_end = old;
            part.new_end = new;
            add_gap(f, &part);
            part.old = old;
            part.new = new;
        }
    part.old_end = gap->old_end;
    part.new_end = gap->new_end;
    add_gap(f, &part);
    lcs_release(&common);
}

static void add_all(struct contrasting *f)
{
    struct lcs common = {.steps = 0};
    lcs_find(&common, f->old.keys.items, f->old.keys.count, f->new.keys.items, f->new.keys.count);
    struct gap gap = {0, 0, 0, 0};
    vec_each (const struct lcs_run, run, &common.runs) {
        gap.old_end = run->a;
        gap.new_end = run->b;
        if (f->exact)
            add_gap(f, &gap);
        else
            refine(f, &gap);
        add_same(f, run);
        gap.old = run->a + run->count;
        gap.new = run->b + run->count;
    }
    gap.old_end = f->old.lines.count;
    gap.new_end = f->new.lines.count;
    if (f->exact)
        add_gap(f, &gap);
    else
        refine(f, &gap);
    add_as_text(f, f->res->old.list.count, f->res->new.list.count);
    lcs_release(&common);
}

static void release_words(struct version_words *v)
{
    words_release(&v->words);
    vec_release(&v->texts);
    vec_release(&v->lines);
    vec_release(&v->keys);
    free(v->covered);
}

void contrast_make(struct contrast *contrast, struct translation *old, struct translation *new,
                   bool exact)
{
    struct contrasting f = {.res = contrast, .exact = exact};
    *contrast = (struct contrast){0};
    collect_lines(&contrast->old, old);
    collect_lines(&contrast->new, new);
    symbol_table_init(&f.table, &f.arena, NULL, NULL);
    if (exact) {
        take_bytes(&f, &f.old, &contrast->old);
        take_bytes(&f, &f.new, &contrast->new);
    } else {
        take_words(&f, old, new);
    }
    add_all(&f);
    vec_each (const struct piece, piece, &contrast->pieces)
        contrast->changed += piece->changed;
    release_words(&f.old);
    release_words(&f.new);
    symbol_table_release(&f.table);
    arena_release(&f.arena);
}

void contrast_release(struct contrast *contrast)
{
    vec_release(&contrast->old.list);
    vec_release(&contrast->new.list);
    vec_release(&contrast->pieces);
}
