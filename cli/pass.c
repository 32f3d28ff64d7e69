#include <config.h>

#include "cli/pass.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/allow.h"
#include "annotate/annotate.h"
#include "annotate/fix.h"
#include "base/xalloc.h"
#include "report/marker.h"

void pass_find(struct translation *t, const char *name, char *text, size_t len,
               const struct translate_options *options, const struct setup *setup)
{
    translate(t, name, text, len, options);
    annotate(t, options, &setup->gpus);
    options_drop_unwanted(&setup->options, &t->findings);
    allows_apply(t, setup->options.rule_off);
}

/* Adds to T's edits what the options want to be done about its findings. */
static void finish(struct translation *t, const struct options *o)
{
    if (o->fix != FIX_NONE)
        fixes_apply(t, o->fix == FIX_ALSO_UNSAFE ? FIX_UNSAFE : FIX_SAFE);
    if (!o->no_markers)
        markers_add(t);
}

static bool has_fixed(const struct translation *t)
{
    vec_each (const struct finding, f, &t->findings.list)
        if (f->fixed)
            return true;
    return false;
}

/* The result of EDITS on SOURCE, as translate() takes it. */
static char *result_of(const struct edits *edits, const struct source *source, size_t *len)
{
    struct strbuf text = STRBUF_INIT;
    edits_apply(edits, source, &text);
    *len = text.len;
    strbuf_fill(&text, '\0', SOURCE_PADDING);
    return text.text;
}

/* ---- where the findings of the last pass come from */

/* Where the results of edits lie. */
struct origin {
    const struct edits *edits;
    size_t *begins; /* of each edit's text in the result */
};

static void origin_init(struct origin *o, const struct edits *edits)
{
    size_t source = 0, result = 0, n = 0;
    o->edits = edits;
    o->begins = xcalloc(edits->list.count + 1, sizeof *o->begins);
    vec_each (const struct edit, e, &edits->list) {
        result += e->offset - source;
        o->begins[n++] = result;
        result += e->text_len;
        source = (size_t)e->offset + e->length;
    }
}

/* Where the byte at OFFSET of the result comes from; one of a replacement from all that it
 * replaces.
 */
static struct span origin_of(const struct origin *o, size_t offset)
{
    size_t next;
    vec_search(next, o->edits->list.count, o->begins[next] <= offset);
    if (!next)
        return (struct span){(uint32_t)offset, (uint32_t)offset + 1};
    const struct edit *e = &o->edits->list.items[next - 1];
    uint32_t end = e->offset + e->length;
    size_t behind = o->begins[next - 1] + e->text_len;
    if (offset < behind)
        return (struct span){e->offset, end};
    end += (uint32_t)(offset - behind);
    return (struct span){end, end + 1};
}

static void move_span(const struct origin *o, struct span *span)
{
    uint32_t begin = origin_of(o, span->begin).begin;
    uint32_t end = span->begin < span->end ? origin_of(o, span->end - 1).end : begin;
    *span = (struct span){begin, end < begin ? begin : end};
}

/* ---- which of them are new */

/* A rule and the line that it finds something on. */
struct place {
    unsigned line;
    enum rule_id rule;
};

typedef VEC(struct place) place_list;

static int compare(const void *va, const void *vb)
{
    const struct place *a = va, *b = vb;
    return a->line != b->line ? (a->line < b->line ? -1 : 1)
                              : (b->rule < a->rule) - (a->rule < b->rule);
}

static void add_place(place_list *places, struct source *source, const struct finding *f)
{
    if (finding_level(f) != LEVEL_NOTE)
        *vec_push(places) = (struct place){source_location(source, f->span.begin).line, f->rule};
}

static void sort_places(place_list *places)
{
    if (places->count)
        qsort(places->items, places->count, sizeof *places->items, compare);
}

/* Whether PLACES, sorted, have that of F. */
static bool has_place(const place_list *places, struct source *source, const struct finding *f)
{
    struct place place = {source_location(source, f->span.begin).line, f->rule};
    return places->count &&
           bsearch(&place, places->items, places->count, sizeof place, compare) != NULL;
}

/* Moves F, a finding of the last pass, to the input that O leads to. */
static void move_finding(const struct origin *o, struct finding *f)
{
    move_span(o, &f->span);
    for (struct related *r = f->related; r; r = r->next)
        if (!r->file)
            move_span(o, &r->span);
    f->grounds = NULL;
    f->fix = NULL;
}

/* Brings the findings of T to what LAST, a later pass over the result of EDITS, makes of them. */
static void merge_findings(struct translation *t, struct translation *last,
                           const struct edits *edits)
{
    struct origin origin;
    place_list before = {0}, after = {0};
    origin_init(&origin, edits);
    vec_each (struct finding, f, &last->findings.list) {
        move_finding(&origin, f);
        add_place(&after, &t->source, f);
    }
    vec_each (const struct finding, f, &t->findings.list)
        add_place(&before, &t->source, f);
    sort_places(&before);
    sort_places(&after);
    vec_each (struct finding, f, &t->findings.list)
        /* What only CUDA source shows cannot be found in the result. */
        f->fixed |= finding_level(f) != LEVEL_NOTE && !rule_reads_cuda(f->rule) &&
                    !rule_doubts_hip(f->rule) && !has_place(&after, &t->source, f);
    vec_each (const struct finding, f, &last->findings.list)
        if (finding_level(f) != LEVEL_NOTE && !has_place(&before, &t->source, f))
            *vec_push(&t->findings.list) = *f;
    findings_sort(&t->findings);
    vec_release(&before);
    vec_release(&after);
    free(origin.begins);
}

/* ---- the passes */

/* The pass over BEFORE's result on the input of FIRST. */
static void run_pass(struct translation *res, const struct translation *first,
                     const struct edits *before, const struct translate_options *options,
                     const struct setup *setup)
{
    size_t len;
    char *text = result_of(before, &first->source, &len);
    pass_find(res, first->source.name, text, len, options, setup);
    findings_join(&res->findings);
    finish(res, &setup->options);
}

void pass_settle(struct settled *s, struct translation *t, const struct translate_options *options,
                 const struct setup *setup)
{
    struct translation *last = t;
    *s = (struct settled){.result = &t->edits};
    finish(t, &setup->options);
    if (!has_fixed(t))
        return;
    s->passes = xcalloc(MOST_MORE_PASSES, sizeof *s->passes);
    const struct edits *before;
    do {
        before = s->result;
        last = &s->passes[s->count];
        run_pass(last, t, before, options, setup);
        s->result = &s->edits[s->count++];
        edits_compose(&s->edits[s->count - 1], before, &last->edits, &last->source, &t->arena);
    } while (s->count < MOST_MORE_PASSES && has_fixed(last));
    merge_findings(t, last, before);
}

void settled_release(struct settled *s)
{
    for (size_t i = 0; i < s->count; ++i) {
        edits_release(&s->edits[i]);
        translation_release(&s->passes[i]);
    }
    free(s->passes);
}
