#include <config.h>

#include "report/review.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "parser/unit.h"
#include "report/json.h"
#include "report/text.h"

/* ---- hunks */

/* Lines between the changed pieces A and B. */
static size_t distance(const struct contrast *c, size_t a, size_t b)
{
    size_t res = 0;
    for (size_t i = a + 1; i < b; ++i) {
        const struct piece *p = &c->pieces.items[i];
        res += p->old_count < p->new_count ? p->new_count : p->old_count;
    }
    return res;
}

/* The lines of context that the piece INDEX can give. */
static size_t context_of(const struct contrast *c, size_t index, size_t context)
{
    const struct piece *p = index < c->pieces.count ? &c->pieces.items[index] : NULL;
    if (!p || !p->same)
        return 0;
    return p->new_count < context ? p->new_count : context;
}

static void find_hunks(struct review *r, size_t context)
{
    const struct contrast *c = &r->changes;
    struct review_hunk *hunk = NULL;
    size_t last = 0;
    for (size_t i = 0; i < c->pieces.count; ++i) {
        const struct piece *p = &c->pieces.items[i];
        if (!p->changed)
            continue;
        r->removed += p->old_count;
        r->added += p->new_count;
        if (!hunk || 2 * context < distance(c, last, i)) {
            hunk = vec_push(&r->hunks);
            *hunk = (struct review_hunk){.lead = context_of(c, i - 1, context)};
            hunk->first = i - (hunk->lead != 0);
        }
        last = i;
        hunk->trail = context_of(c, i + 1, context);
        hunk->end = i + 1 + (hunk->trail != 0);
    }
}

/* The first changed piece of HUNK. */
static const struct piece *first_change(const struct review *r, const struct review_hunk *hunk)
{
    return &r->changes.pieces.items[hunk->first + (hunk->lead != 0)];
}

/* Offset of LINE, or of the end. */
static size_t offset_of(const struct version_lines *lines, size_t line)
{
    return line < lines->list.count ? lines->list.items[line].begin : lines->source->len;
}

/* The only function with a body whose head begins ahead of END, of those from the one at NEXT on;
   NULL for none, or several. */
static const struct function *only_function(const struct unit *unit, size_t next, size_t end)
{
    const struct function *res = NULL;
    for (; next < unit->functions.count; ++next) {
        const struct function *f = &unit->functions.items[next];
        if (end <= unit_token(unit, f->head.begin)->offset)
            break;
        if (f->body.begin == f->body.end)
            continue;
        if (res)
            return NULL;
        res = f;
    }
    return res;
}

/* Names the functions of the new side that the hunks begin in, or the one that begins in a hunk;
   functions are in the order of their heads, so that one walk does. */
static void name_hunks(struct review *r)
{
    const struct unit *unit = r->new.t->unit;
    size_t next = 0;
    const struct function *around = NULL;
    vec_each (struct review_hunk, hunk, &r->hunks) {
        const struct piece *p = first_change(r, hunk);
        size_t begin = offset_of(&r->changes.new, p->new);
        size_t end = offset_of(&r->changes.new, p->new + p->new_count);
        for (; next < unit->functions.count; ++next) {
            const struct function *f = &unit->functions.items[next];
            if (begin <= unit_token(unit, f->head.begin)->offset)
                break;
            if (f->body.begin < f->body.end)
                around = f;
        }
        const struct function *named = around && begin < unit_span(unit, around->body).end
                                           ? around
                                           : only_function(unit, next, end);
        if (named)
            hunk->function = unit_quote(unit, named->head);
    }
}

/* ---- findings */

/* A finding of one side while those of both are brought together. */
struct place {
    size_t piece;
    size_t line; /* in a piece that is the same, counted from its beginning; else 0 */
    const struct finding *finding;
    struct location begin, end;
    bool matched;
};

struct places {
    VEC(struct place) list;
};

static int compare_places(const struct place *a, const struct place *b)
{
    if (a->piece != b->piece)
        return a->piece < b->piece ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (b->finding->rule < a->finding->rule) - (a->finding->rule < b->finding->rule);
}

static int compare_in_order(const void *va, const void *vb)
{
    const struct place *a = va, *b = vb;
    int res = compare_places(a, b);
    return res ? res : (b->finding < a->finding) - (a->finding < b->finding);
}

static void collect_places(struct places *places, const struct review *r, bool new)
{
    const struct review_side *side = new ? &r->new : &r->old;
    const struct contrast *c = &r->changes;
    const struct version_lines *lines = new ? &c->new : &c->old;
    struct edit_walk begins = {0}, ends = {0};
    size_t highest = 0;
    if (!c->pieces.count)
        return;
    vec_each (const struct finding, f, &side->t->findings.list) {
        size_t line = contrast_line(lines, f->span.begin);
        size_t index = contrast_piece(c, line, new);
        const struct piece *p = &c->pieces.items[index];
        struct place place = {.piece = index, .finding = f};
        if (p->same)
            place.line = line - (new ? p->new : p->old);
        if (side->origin) {
            struct translation *origin = side->origin;
            size_t begin = edits_to_source(&origin->edits, &begins, f->span.begin);
            /* The ends are not in order. */
            if (f->span.end < highest)
                ends = begins;
            highest = f->span.end;
            size_t end = edits_to_source(&origin->edits, &ends, f->span.end);
            place.begin = source_location(&origin->source, begin);
            place.end = source_location(&origin->source, end < begin ? begin : end);
        } else {
            place.begin = source_location(lines->source, f->span.begin);
            place.end = source_location(lines->source, f->span.end);
        }
        *vec_push(&places->list) = place;
    }
    if (places->list.count)
        qsort(places->list.items, places->list.count, sizeof *places->list.items, compare_in_order);
}

/* The hunk that the piece INDEX, a changed one, lies in. */
static size_t hunk_of(const struct review *r, size_t index)
{
    size_t low;
    vec_search(low, r->hunks.count, r->hunks.items[low].end <= index);
    return low;
}

/* The hunk in which PLACE, or one of its finding's related places, is changed; or NO_HUNK. */
static size_t find_hunk(const struct review *r, const struct place *place, bool new)
{
    const struct contrast *c = &r->changes;
    const struct version_lines *lines = new ? &c->new : &c->old;
    if (c->pieces.items[place->piece].changed)
        return hunk_of(r, place->piece);
    for (const struct related *rel = place->finding->related; rel; rel = rel->next) {
        if (rel->file)
            continue;
        size_t index = contrast_piece(c, contrast_line(lines, rel->span.begin), new);
        if (c->pieces.items[index].changed)
            return hunk_of(r, index);
    }
    return NO_HUNK;
}

/* Whether the new side could not show the finding if it still had it. */
static bool is_hidden(const struct review *r, const struct finding *f)
{
    return r->new.hip &&rule_reads_cuda(f->rule);
}

static void add_finding(struct review *r, const struct place *place, enum review_state state)
{
    struct review_finding res = {
        .state = state,
        .hunk = find_hunk(r, place, state != REVIEW_RESOLVED),
        .finding = place->finding,
        .begin = place->begin,
        .end = place->end,
    };
    bool stays = state == REVIEW_LEFT || (state == REVIEW_RESOLVED && is_hidden(r, place->finding));
    if (stays && res.hunk == NO_HUNK)
        return; /* it has nothing to do with the changes */
    *vec_push(&r->findings) = res;
    r->states[state]++;
}

/* Whether what is found at A and B is worded alike. */
static bool same_words(const struct finding *a, const struct finding *b)
{
    for (int i = 0; i < FINDING_ARGS; ++i) {
        if (!a->args[i] || !b->args[i])
            return a->args[i] == b->args[i];
        if (strcmp(a->args[i], b->args[i]))
            return false;
    }
    return true;
}

/* Marks as matched what the A_COUNT places at A and the B_COUNT at B, all of one rule and in one
   place of the file, have in common: those worded alike, then as many of the rest as both have. */
static void match_group(struct place *a, size_t a_count, struct place *b, size_t b_count)
{
    /* More than anybody has in one place; then the order decides. */
    enum { MOST = 64 };
    size_t left = 0;
    if (a_count <= MOST && b_count <= MOST)
        for (size_t i = 0; i < a_count; ++i)
            for (size_t k = 0; k < b_count && !a[i].matched; ++k)
                if (!b[k].matched && same_words(a[i].finding, b[k].finding))
                    a[i].matched = b[k].matched = true;
    for (size_t i = 0; i < a_count; ++i) {
        while (left < b_count && b[left].matched)
            ++left;
        if (!a[i].matched && left < b_count)
            a[i].matched = b[left].matched = true;
    }
}

static size_t group_end(const struct places *places, size_t begin)
{
    size_t end = begin;
    while (end < places->list.count &&
           !compare_places(&places->list.items[begin], &places->list.items[end]))
        ++end;
    return end;
}

static void match(struct places *old, struct places *new)
{
    struct place *a = old->list.items, *b = new->list.items;
    size_t i = 0, k = 0;
    while (i < old->list.count && k < new->list.count) {
        int order = compare_places(&a[i], &b[k]);
        size_t i_end = group_end(old, i), k_end = group_end(new, k);
        if (!order)
            match_group(a + i, i_end - i, b + k, k_end - k);
        if (order <= 0)
            i = i_end;
        if (0 <= order)
            k = k_end;
    }
}

/* The places that findings of one side name as related. A rule may make one finding of what is two
   in the other file; then these places tell. */
static void collect_related(struct places *res, const struct review *r, bool new)
{
    const struct review_side *side = new ? &r->new : &r->old;
    const struct contrast *c = &r->changes;
    const struct version_lines *lines = new ? &c->new : &c->old;
    if (!c->pieces.count)
        return;
    vec_each (const struct finding, f, &side->t->findings.list)
        for (const struct related *rel = f->related; rel; rel = rel->next) {
            if (rel->file)
                continue;
            size_t line = contrast_line(lines, rel->span.begin);
            size_t index = contrast_piece(c, line, new);
            const struct piece *p = &c->pieces.items[index];
            struct place place = {.piece = index, .finding = f};
            if (p->same)
                place.line = line - (new ? p->new : p->old);
            *vec_push(&res->list) = place;
        }
    if (res->list.count)
        qsort(res->list.items, res->list.count, sizeof *res->list.items, compare_in_order);
}

/* Marks those of PLACES, all of one side, that findings of the other side name as RELATED, and that
   lie where nothing was changed. */
static void match_related(struct places *places, const struct places *related,
                          const struct review *r)
{
    size_t k = 0;
    vec_each (struct place, place, &places->list) {
        while (k < related->list.count && compare_places(&related->list.items[k], place) < 0)
            ++k;
        if (k < related->list.count && !compare_places(&related->list.items[k], place) &&
            !r->changes.pieces.items[place->piece].changed)
            place->matched = true;
    }
}

static int compare_findings(const void *va, const void *vb)
{
    const struct review_finding *a = va, *b = vb;
    if (a->hunk != b->hunk)
        return a->hunk < b->hunk ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    return (b->finding < a->finding) - (a->finding < b->finding); /* sorted lists */
}

static void find_findings(struct review *r)
{
    struct places old = {{0}}, new = {{0}}, old_related = {{0}}, new_related = {{0}};
    collect_places(&old, r, false);
    collect_places(&new, r, true);
    match(&old, &new);
    collect_related(&old_related, r, false);
    collect_related(&new_related, r, true);
    match_related(&old, &new_related, r);
    match_related(&new, &old_related, r);
    vec_each (const struct place, place, &old.list)
        if (!place->matched)
            add_finding(r, place, REVIEW_RESOLVED);
    vec_each (const struct place, place, &new.list)
        add_finding(r, place, place->matched ? REVIEW_LEFT : REVIEW_BROUGHT_IN);
    if (r->findings.count)
        qsort(r->findings.items, r->findings.count, sizeof *r->findings.items, compare_findings);
    vec_release(&old.list);
    vec_release(&new.list);
    vec_release(&old_related.list);
    vec_release(&new_related.list);
}

void review_make(struct review *r, const struct review_side *old, const struct review_side *new,
                 struct review_style style)
{
    *r = (struct review){.old = *old, .new = *new};
    contrast_make(&r->changes, old->t, new->t, style.exact);
    find_hunks(r, style.context);
    name_hunks(r);
    find_findings(r);
}

void review_release(struct review *r)
{
    contrast_release(&r->changes);
    vec_release(&r->hunks);
    vec_release(&r->findings);
}

bool review_shows(const struct review *r)
{
    return r->hunks.count || r->findings.count || !r->old.name || !r->new.name;
}

int review_level(const struct review *r)
{
    int res = -1;
    vec_each (const struct review_finding, f, &r->findings)
        if (f->state != REVIEW_RESOLVED && res < (int)finding_level(f->finding))
            res = (int)finding_level(f->finding);
    return res;
}

/* ---- what is shown */

/* Some lines of one version. */
struct extent {
    size_t first, count;
};

/* What HUNK shows of its piece INDEX. */
static void shown(const struct review *r, const struct review_hunk *hunk, size_t index,
                  struct extent *old, struct extent *new)
{
    const struct piece *p = &r->changes.pieces.items[index];
    *old = (struct extent){p->old, p->old_count};
    *new = (struct extent){p->new, p->new_count};
    size_t skip = 0, count = p->new_count;
    if (index == hunk->first && hunk->lead) {
        skip = p->new_count - hunk->lead;
        count = hunk->lead;
    } else if (index == hunk->end - 1 && hunk->trail) {
        count = hunk->trail;
    } else {
        return;
    }
    *old = (struct extent){p->old + skip, count};
    *new = (struct extent){p->new + skip, count};
}

/* All that HUNK shows. */
static void shown_whole(const struct review *r, const struct review_hunk *hunk, struct extent *old,
                        struct extent *new)
{
    struct extent last_old, last_new;
    shown(r, hunk, hunk->first, old, new);
    shown(r, hunk, hunk->end - 1, &last_old, &last_new);
    old->count = last_old.first + last_old.count - old->first;
    new->count = last_new.first + last_new.count - new->first;
}

/* The number, from 0, that the first line of EXTENT has in the file itself. */
static size_t number_of(const struct version_lines *lines, struct extent extent)
{
    if (!lines->list.count)
        return 0;
    if (extent.count)
        return source_location(lines->source, lines->list.items[extent.first].begin).line - 1;
    /* What is empty is named by the line before it. */
    if (!extent.first)
        return 0;
    return source_location(lines->source, lines->list.items[extent.first - 1].begin).line;
}

struct writing {
    struct strbuf *out;
    const struct review *review;
    struct diff_style style;
    bool quiet;
};

static const char *color(const struct writing *w, const char *sequence)
{
    return w->style.color ? sequence : "";
}

/* The lines of EXTENT; there may be markers between them. */
static void add_lines(const struct writing *w, char mark, const char *sequence,
                      const struct version_lines *lines, struct extent extent)
{
    for (size_t i = extent.first; i < extent.first + extent.count; ++i) {
        const struct text_line *line = &lines->list.items[i];
        diff_add_lines(w->out, mark, color(w, sequence), lines->source->text + line->begin,
                       line->end - line->begin, w->style.terminal);
    }
}

static void add_hunk(const struct writing *w, const struct review_hunk *hunk)
{
    const struct contrast *c = &w->review->changes;
    struct extent old, new;
    shown_whole(w->review, hunk, &old, &new);
    strbuf_printf(w->out, "%s@@ ", color(w, "\33[36m"));
    diff_add_range(w->out, '-', number_of(&c->old, old), old.count);
    strbuf_addc(w->out, ' ');
    diff_add_range(w->out, '+', number_of(&c->new, new), new.count);
    strbuf_printf(w->out, " @@%s", color(w, "\33[m"));
    if (hunk->function)
        strbuf_printf(w->out, " %s", hunk->function);
    strbuf_addc(w->out, '\n');
    for (size_t i = hunk->first; i < hunk->end; ++i) {
        shown(w->review, hunk, i, &old, &new);
        if (c->pieces.items[i].same) {
            add_lines(w, ' ', "", &c->new, new);
        } else {
            add_lines(w, '-', "\33[31m", &c->old, old);
            add_lines(w, '+', "\33[32m", &c->new, new);
        }
    }
}

/* The findings from *NEXT on that belong to HUNK. */
static void add_findings(const struct writing *w, size_t hunk, size_t *next)
{
    static const char *const colors[] = {"\33[32m", "\33[33m", "\33[31m"};
    static const char *const words[] = {N_("resolves:"), N_("leaves:"), N_("brings in:")};
    const struct review *r = w->review;
    for (; *next < r->findings.count && r->findings.items[*next].hunk == hunk; ++*next) {
        const struct review_finding *f = &r->findings.items[*next];
        if (w->quiet && finding_level(f->finding) == LEVEL_NOTE)
            continue;
        const struct review_side *side = f->state == REVIEW_RESOLVED ? &r->old : &r->new;
        strbuf_printf(w->out, "%s%s%s ", color(w, colors[f->state]), _(words[f->state]),
                      color(w, "\33[m"));
        text_add_headline(w->out, side->name, f->begin, f->finding, w->style.color);
    }
}

void review_add_text(struct strbuf *out, const struct review *r, struct diff_style style,
                     bool quiet)
{
    struct writing w = {out, r, style, quiet};
    size_t next = 0;
    if (!review_shows(r))
        return;
    diff_add_name(out, "--- ", r->old.name ? r->old.name : "/dev/null", color(&w, "\33[1m"));
    diff_add_name(out, "+++ ", r->new.name ? r->new.name : "/dev/null", color(&w, "\33[1m"));
    for (size_t i = 0; i < r->hunks.count; ++i) {
        add_hunk(&w, &r->hunks.items[i]);
        add_findings(&w, i, &next);
    }
    add_findings(&w, NO_HUNK, &next);
}

/* ---- JSON */

static void append_lines(json_t *array, const char *kind, const struct version_lines *lines,
                         struct extent extent)
{
    for (size_t i = extent.first; i < extent.first + extent.count; ++i) {
        const struct text_line *line = &lines->list.items[i];
        const char *text = lines->source->text + line->begin;
        size_t len = line->end - line->begin;
        json_t *o = json_must(json_object());
        json_put(o, "kind", json_string(kind));
        json_put(o, "text", json_text(text, len - (len && text[len - 1] == '\n')));
        json_push(array, o);
    }
}

static json_t *json_finding_of(const struct review *r, const struct review_finding *f,
                               const struct comparison *gpus)
{
    bool resolved = f->state == REVIEW_RESOLVED;
    const struct review_side *side = resolved ? &r->old : &r->new;
    json_t *res = json_finding(&side->t->source, f->finding, gpus);
    json_put(res, "file", json_text_or_null(side->name));
    json_put(res, "line", json_integer(f->begin.line));
    json_put(res, "column", json_integer(f->begin.column));
    json_put(res, "end_line", json_integer(f->end.line));
    json_put(res, "end_column", json_integer(f->end.column));
    if (resolved) {
        json_put(res, "related", json_array());
        json_put(res, "fix", json_null());
    }
    return res;
}

/* Sets in O the findings from *NEXT on that belong to HUNK, in a list for each state. */
static void set_findings(json_t *o, const struct review *r, size_t hunk, size_t *next,
                         const struct comparison *gpus)
{
    static const char *const keys[] = {"resolved", "left", "brought_in"};
    json_t *lists[REVIEW_STATES];
    for (int i = 0; i < REVIEW_STATES; ++i) {
        lists[i] = json_must(json_array());
        json_put(o, keys[i], lists[i]);
    }
    for (; *next < r->findings.count && r->findings.items[*next].hunk == hunk; ++*next) {
        const struct review_finding *f = &r->findings.items[*next];
        json_push(lists[f->state], json_finding_of(r, f, gpus));
    }
}

static void set_range(json_t *o, const char *line_key, const char *count_key,
                      const struct version_lines *lines, struct extent extent)
{
    size_t number = number_of(lines, extent);
    json_put(o, line_key, json_integer((json_int_t)(extent.count ? number + 1 : number)));
    json_put(o, count_key, json_integer((json_int_t)extent.count));
}

static json_t *json_hunk(const struct review *r, const struct review_hunk *hunk)
{
    const struct contrast *c = &r->changes;
    json_t *res = json_must(json_object()), *lines = json_must(json_array());
    struct extent old, new;
    shown_whole(r, hunk, &old, &new);
    set_range(res, "old_line", "old_count", &c->old, old);
    set_range(res, "new_line", "new_count", &c->new, new);
    json_put(res, "function", json_text_or_null(hunk->function));
    for (size_t i = hunk->first; i < hunk->end; ++i) {
        shown(r, hunk, i, &old, &new);
        if (c->pieces.items[i].same) {
            append_lines(lines, "context", &c->new, new);
        } else {
            append_lines(lines, "removed", &c->old, old);
            append_lines(lines, "added", &c->new, new);
        }
    }
    json_put(res, "lines", lines);
    return res;
}

json_t *review_json(const struct review *r, const struct comparison *gpus)
{
    json_t *res = json_must(json_object()), *hunks = json_must(json_array());
    size_t next = 0;
    json_put(res, "old", json_text_or_null(r->old.name));
    json_put(res, "new", json_text_or_null(r->new.name));
    for (size_t i = 0; i < r->hunks.count; ++i) {
        json_t *hunk = json_hunk(r, &r->hunks.items[i]);
        set_findings(hunk, r, i, &next, gpus);
        json_push(hunks, hunk);
    }
    json_put(res, "hunks", hunks);
    set_findings(res, r, NO_HUNK, &next, gpus);
    return res;
}
