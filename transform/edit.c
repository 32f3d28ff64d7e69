#include <config.h>

#include "transform/edit.h"

#include <stdlib.h>
#include <string.h>

void edit_add(struct edits *edits, size_t offset, size_t length, const char *text,
              enum edit_reason reason)
{
    edit_add_bytes(edits, offset, length, text, strlen(text), reason);
}

void edit_add_bytes(struct edits *edits, size_t offset, size_t length, const char *text,
                    size_t text_len, enum edit_reason reason)
{
    uint32_t order = (uint32_t)edits->list.count;
    *vec_push(&edits->list) = (struct edit){.offset = (uint32_t)offset,
                                            .length = (uint32_t)length,
                                            .text = text,
                                            .text_len = text_len,
                                            .reason = reason,
                                            .order = order};
}

/* Of the insertions at one offset, whole lines come first: an include, then a conditional that
   begins there, then a marker, which belongs to the line below. */
static int rank(const struct edit *e)
{
    return e->reason == EDIT_INCLUDE     ? 0
           : e->reason == EDIT_CONDITION ? 1
           : e->reason == EDIT_MARKER    ? 2
                                         : 3;
}

/* At one offset the insertions come first, as they stand before the bytes that another edit
   replaces; of two replacements the wider one comes first and so wins. */
static int compare(const void *va, const void *vb)
{
    const struct edit *a = va, *b = vb;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (!a->length != !b->length)
        return a->length ? 1 : -1;
    if (a->length != b->length)
        return b->length < a->length ? -1 : 1;
    if (!a->length && rank(a) != rank(b))
        return rank(a) - rank(b);
    return (b->order < a->order) - (a->order < b->order);
}

size_t edits_finish(struct edits *edits)
{
    struct edit *list = edits->list.items;
    size_t count = edits->list.count, kept = 0, end = 0;
    /* Most translators go through a file from front to back: then there is nothing to sort. */
    size_t sorted = 1;
    while (sorted < count && compare(&list[sorted - 1], &list[sorted]) < 0)
        ++sorted;
    if (sorted < count)
        qsort(list, count, sizeof *list, compare);
    for (size_t i = 0; i < count; ++i) {
        if (list[i].offset < end)
            continue;
        end = (size_t)list[i].offset + list[i].length;
        list[kept++] = list[i];
    }
    edits->list.count = kept;
    return count - kept;
}

void edits_apply(const struct edits *edits, const struct source *source, struct strbuf *out)
{
    /* A translation is about as long as its source; one allocation usually does. */
    strbuf_reserve(out, source->len + source->len / 16);
    size_t at = 0;
    vec_each (const struct edit, e, &edits->list) {
        strbuf_add(out, source->text + at, e->offset - at);
        strbuf_add(out, e->text, e->text_len);
        at = (size_t)e->offset + e->length;
    }
    strbuf_add(out, source->text + at, source->len - at);
}

/* Steps over the next edit. */
static void walk_step(struct edit_walk *walk, const struct edit *e)
{
    walk->result += e->offset - walk->source + e->text_len;
    walk->source = (size_t)e->offset + e->length;
    walk->next++;
}

size_t edits_to_result(const struct edits *edits, struct edit_walk *walk, size_t offset)
{
    for (; walk->next < edits->list.count; walk_step(walk, &edits->list.items[walk->next])) {
        const struct edit *e = &edits->list.items[walk->next];
        if (offset < (size_t)e->offset + e->length)
            return walk->result + (offset < e->offset ? offset : e->offset) - walk->source;
    }
    return walk->result + offset - walk->source;
}

size_t edits_to_source(const struct edits *edits, struct edit_walk *walk, size_t offset)
{
    for (; walk->next < edits->list.count; walk_step(walk, &edits->list.items[walk->next])) {
        const struct edit *e = &edits->list.items[walk->next];
        size_t begin = walk->result + e->offset - walk->source;
        if (offset < begin + e->text_len)
            return offset < begin ? walk->source + offset - walk->result : e->offset;
    }
    return walk->source + offset - walk->result;
}

/* A walk along the text between two lists of edits. */
struct composing {
    const struct edit *first, *first_end; /* those of each list that are still to come */
    const struct edit *second, *second_end;
    const struct source *between;
    struct edit_walk walk; /* along FIRST */
    struct strbuf text;
};

/* Where the next edit of the first list lies in the text between, or SIZE_MAX behind the last. */
static size_t next_first(const struct composing *c)
{
    return c->first < c->first_end ? c->walk.result + c->first->offset - c->walk.source : SIZE_MAX;
}

static size_t next_second(const struct composing *c)
{
    return c->second < c->second_end ? c->second->offset : SIZE_MAX;
}

/* Makes one edit in TEXT, the replacement, and RES, where it goes: of the next edit, and of all
   that overlap or touch it or one another. */
static void compose_next(struct composing *c, struct edit *res)
{
    size_t first = next_first(c), second = next_second(c);
    size_t at = first < second ? first : second, end = at;
    res->reason = first <= second ? c->first->reason : c->second->reason;
    res->offset = (uint32_t)(c->walk.source + at - c->walk.result);
    strbuf_clear(&c->text);
    for (;;) {
        size_t over = end;
        if (next_first(c) <= end) {
            over = next_first(c) + c->first->text_len;
            walk_step(&c->walk, c->first++);
        } else if (next_second(c) <= end) {
            const struct edit *e = c->second++;
            over = (size_t)e->offset + e->length;
            strbuf_add(&c->text, c->between->text + at, e->offset - at);
            strbuf_add(&c->text, e->text, e->text_len);
            at = over;
        } else {
            break;
        }
        end = end < over ? over : end;
    }
    strbuf_add(&c->text, c->between->text + at, end - at);
    res->length = (uint32_t)(c->walk.source + end - c->walk.result - res->offset);
}

void edits_compose(struct edits *res, const struct edits *first, const struct edits *second,
                   const struct source *between, struct arena *arena)
{
    struct composing c = {.first = first->list.items,
                          .first_end = vec_end(&first->list),
                          .second = second->list.items,
                          .second_end = vec_end(&second->list),
                          .between = between};
    while (c.first < c.first_end || c.second < c.second_end) {
        struct edit e;
        compose_next(&c, &e);
        edit_add_bytes(res, e.offset, e.length,
                       arena_strndup(arena, c.text.text ? c.text.text : "", c.text.len), c.text.len,
                       e.reason);
    }
    strbuf_release(&c.text);
}

void edits_release(struct edits *edits)
{
    vec_release(&edits->list);
}
