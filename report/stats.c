#include <config.h>

#include "report/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "base/xalloc.h"
#include "parser/unit.h"
#include "report/json.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

enum { MOST_FILES = 10, MOST_LINES = 10 };

/* How often each of some names came. */
struct count {
    size_t count[LEVEL_ERROR + 1]; /* by level where they are findings; else only the first */
    UT_hash_handle hh;
    char name[];
};

/* A file with work left. */
struct work {
    char *name;
    size_t found[LEVEL_ERROR + 1];
};

struct stats {
    size_t edits;
    size_t kernels;
    size_t left_out[LEFT_COUNT];
    struct count *libraries; /* edits */
    struct count *missing;   /* names without counterpart */
    struct count *categories;
    struct work work[MOST_FILES]; /* the most first */
    size_t work_count;
};

static void add(struct count **table, const char *name, int kind, size_t number)
{
    struct count *item;
    HASH_FIND_STR(*table, name, item);
    if (!item) {
        size_t len = strlen(name);
        item = xcalloc(1, sizeof *item + len + 1);
        memcpy(item->name, name, len);
        HASH_ADD_KEYPTR(hh, *table, item->name, len, item);
    }
    item->count[kind] += number;
}

static void add_all(struct count **table, const struct count *from)
{
    for (; from; from = from->hh.next)
        for (int kind = 0; kind <= LEVEL_ERROR; ++kind)
            if (from->count[kind])
                add(table, from->name, kind, from->count[kind]);
}

static void free_counts(struct count **table)
{
    struct count *item, *next;
    HASH_ITER(hh, *table, item, next)
    {
        HASH_DEL(*table, item);
        free(item);
    }
}

/* Behind 0 for the file with more work, or the same and the earlier name. */
static int compare_work(const struct work *a, const struct work *b)
{
    for (int level = LEVEL_ERROR; level > LEVEL_NOTE; --level)
        if (a->found[level] != b->found[level])
            return a->found[level] < b->found[level] ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void add_work(struct stats *stats, const struct work *work)
{
    size_t at = stats->work_count;
    while (at && compare_work(work, &stats->work[at - 1]) < 0)
        --at;
    if (at == MOST_FILES)
        return;
    if (stats->work_count == MOST_FILES)
        free(stats->work[--stats->work_count].name);
    memmove(&stats->work[at + 1], &stats->work[at], (stats->work_count - at) * sizeof *work);
    stats->work[at] = *work;
    stats->work[at].name = xstrdup(work->name);
    stats->work_count++;
}

struct stats *stats_new(void)
{
    return xcalloc(1, sizeof(struct stats));
}

void stats_free(struct stats *stats)
{
    if (!stats)
        return;
    free_counts(&stats->libraries);
    free_counts(&stats->missing);
    free_counts(&stats->categories);
    for (size_t i = 0; i < stats->work_count; ++i)
        free(stats->work[i].name);
    free(stats);
}

/* What an edit that is no rename counts as; NULL where it does not. */
static const char *reason_word(enum edit_reason reason)
{
    switch (reason) {
    case EDIT_INCLUDE:
        return "(includes)";
    case EDIT_ARGUMENT:
        return "(arguments)";
    case EDIT_LAUNCH:
        return "(launches)";
    case EDIT_CONDITION:
        return "(conditions)";
    case EDIT_FIX:
        return "(fixes)";
    case EDIT_RENAME:
        return "(names)";
    default:
        return NULL;
    }
}

/* The library whose name or header TOKEN is, or NULL. */
static const char *library_of(const struct translation *t, const struct map *map,
                              const struct token *token)
{
    if (token->symbol && token->symbol->api)
        return ((const struct api *)token->symbol->api)->library;
    if (token->kind != TOK_HEADER || token->length < 3)
        return NULL;
    const struct api *api =
        map_find_header(map, t->source.text + token->offset + 1, token->length - 2);
    return api ? api->library : NULL;
}

/* Edits and tokens are both in the order of the source. */
static void add_edits(struct stats *stats, const struct translation *t, const struct map *map)
{
    uint32_t at = 0, count = (uint32_t)t->unit->tokens.list.count;
    vec_each (const struct edit, e, &t->edits.list) {
        const char *word = reason_word(e->reason), *library = NULL;
        if (!word)
            continue;
        while (at + 1 < count && unit_token(t->unit, at + 1)->offset <= e->offset)
            ++at;
        if (count && e->length && (e->reason == EDIT_RENAME || e->reason == EDIT_INCLUDE)) {
            library = library_of(t, map, unit_token(t->unit, at));
            /* The whole line goes: its header is the third token. */
            for (uint32_t i = at; !library && e->reason == EDIT_INCLUDE && i < count && i < at + 3;
                 ++i)
                library = library_of(t, map, unit_token(t->unit, i));
        }
        add(&stats->libraries, library ? library : word, 0, 1);
        stats->edits++;
    }
}

void stats_add_translation(struct stats *stats, const struct translation *t, const struct map *map)
{
    struct work work = {.name = (char *)(uintptr_t)t->source.name};
    add_edits(stats, t, map);
    vec_each (const struct function, fn, &t->unit->functions)
        stats->kernels += fn->flags & FUNCTION_GLOBAL && fn->body.begin < fn->body.end;
    vec_each (const struct finding, f, &t->findings.list) {
        enum level level = finding_level(f);
        work.found[level]++;
        add(&stats->categories, rule_category(f->rule), (int)level, 1);
        if (f->rule == RULE_API_NO_COUNTERPART && f->args[0])
            add(&stats->missing, f->args[0], 0, 1);
    }
    if (work.found[LEVEL_ERROR] || work.found[LEVEL_WARNING])
        add_work(stats, &work);
}

void stats_add_left_out(struct stats *stats, enum stats_left_out why, size_t count)
{
    stats->left_out[why] += count;
}

void stats_add(struct stats *total, const struct stats *one)
{
    total->edits += one->edits;
    total->kernels += one->kernels;
    for (int why = 0; why < LEFT_COUNT; ++why)
        total->left_out[why] += one->left_out[why];
    add_all(&total->libraries, one->libraries);
    add_all(&total->missing, one->missing);
    add_all(&total->categories, one->categories);
    for (size_t i = 0; i < one->work_count; ++i)
        add_work(total, &one->work[i]);
}

/* ---- the order of the tables */

static size_t sum(const struct count *item)
{
    size_t res = 0;
    for (int kind = 0; kind <= LEVEL_ERROR; ++kind)
        res += item->count[kind];
    return res;
}

static int compare_counts(const void *va, const void *vb)
{
    const struct count *a = *(const struct count *const *)va, *b = *(const struct count *const *)vb;
    return sum(a) != sum(b) ? (sum(a) < sum(b) ? 1 : -1) : strcmp(a->name, b->name);
}

/* The items of TABLE, the commonest first; how many in *COUNT. The caller frees them. */
static const struct count **sorted(const struct count *table, size_t *count)
{
    const struct count **res = xcalloc(HASH_COUNT(table) + 1, sizeof *res);
    *count = 0;
    for (; table; table = table->hh.next)
        res[(*count)++] = table;
    qsort(res, *count, sizeof *res, compare_counts);
    return res;
}

/* ---- for people */

static void add_note(struct diag *diag, const char *text)
{
    diag_add(diag, DIAG_NOTE, (struct diag_place){0}, "%s", text);
}

/* "TITLE: cudaX 12, cudaY 3, ...": at most MOST_LINES of them. */
static void add_table(struct diag *diag, const char *title, const struct count *table)
{
    size_t count;
    const struct count **items = sorted(table, &count);
    struct strbuf text = STRBUF_INIT;
    strbuf_printf(&text, "%s:", title);
    for (size_t i = 0; i < count && i < MOST_LINES; ++i)
        strbuf_printf(&text, "%s %s %zu", i ? "," : "", items[i]->name, sum(items[i]));
    if (MOST_LINES < count) {
        size_t more = count - MOST_LINES;
        strbuf_addc(&text, ' ');
        strbuf_printf(&text, ngettext("and %zu more", "and %zu more", more), more);
    }
    if (count)
        add_note(diag, text.text);
    strbuf_release(&text);
    free(items);
}

static void add_categories(struct diag *diag, const struct stats *stats)
{
    size_t count;
    const struct count **items = sorted(stats->categories, &count);
    for (size_t i = 0; i < count; ++i)
        /* TRANSLATORS: the first %s is the name of a category of findings, which stays. */
        diag_add(diag, DIAG_NOTE, (struct diag_place){0},
                 _("findings of category %s: errors %zu, warnings %zu, notes %zu"), items[i]->name,
                 items[i]->count[LEVEL_ERROR], items[i]->count[LEVEL_WARNING],
                 items[i]->count[LEVEL_NOTE]);
    free(items);
}

void stats_add_text(const struct stats *stats, const struct summary *summary, struct strbuf *out)
{
    struct diag diag = DIAG_INIT;
    struct diag_place none = {0};
    diag_add(&diag, DIAG_NOTE, none, _("files %zu, of which %zu change; edits %zu; kernels %zu"),
             summary->files, summary->changed, stats->edits, stats->kernels);
    add_table(&diag, _("edits by library"), stats->libraries);
    add_table(&diag, _("names without counterpart"), stats->missing);
    add_categories(&diag, stats);
    for (size_t i = 0; i < stats->work_count; ++i)
        diag_add(&diag, DIAG_NOTE, (struct diag_place){.file = stats->work[i].name},
                 _("work left: errors %zu, warnings %zu"), stats->work[i].found[LEVEL_ERROR],
                 stats->work[i].found[LEVEL_WARNING]);
    const size_t *left = stats->left_out;
    if (left[LEFT_UNREADABLE] + left[LEFT_PLAIN] + left[LEFT_BINARY] + left[LEFT_LINK] +
        left[LEFT_EXCLUDED])
        diag_add(&diag, DIAG_NOTE, none,
                 _("left out: unreadable %zu, nothing of CUDA's in it %zu, no text %zu, links %zu, "
                   "excluded %zu"),
                 left[LEFT_UNREADABLE], left[LEFT_PLAIN], left[LEFT_BINARY], left[LEFT_LINK],
                 left[LEFT_EXCLUDED]);
    strbuf_add(out, diag.text.text, diag.text.len);
    diag_release(&diag);
    summary_add_code_text(summary, out);
}

/* ---- for programs */

static json_t *number(size_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *levels(const char *key, const char *name, const size_t *found)
{
    json_t *res = json_object();
    json_object_set_new(res, key, json_text(name, strlen(name)));
    json_object_set_new(res, "errors", number(found[LEVEL_ERROR]));
    json_object_set_new(res, "warnings", number(found[LEVEL_WARNING]));
    json_object_set_new(res, "notes", number(found[LEVEL_NOTE]));
    return res;
}

static json_t *table(const char *key, const struct count *counts, bool with_levels)
{
    size_t count;
    const struct count **items = sorted(counts, &count);
    json_t *res = json_array();
    for (size_t i = 0; i < count; ++i) {
        json_t *item = levels(key, items[i]->name, items[i]->count);
        if (!with_levels) {
            json_object_del(item, "errors");
            json_object_del(item, "warnings");
            json_object_del(item, "notes");
            json_object_set_new(item, "count", number(sum(items[i])));
        }
        json_array_append_new(res, item);
    }
    free(items);
    return res;
}

json_t *stats_json(const struct stats *stats, const struct summary *summary)
{
    static const char *const left_out[] = {"unreadable", "plain", "binary", "link", "excluded"};
    json_t *res = json_object(), *work = json_array(), *left = json_object();
    json_object_set_new(res, "files", number(summary->files));
    json_object_set_new(res, "changed", number(summary->changed));
    json_object_set_new(res, "edits", number(stats->edits));
    json_object_set_new(res, "kernels", number(stats->kernels));
    json_object_set_new(res, "libraries", table("library", stats->libraries, false));
    json_object_set_new(res, "no_counterpart", table("name", stats->missing, false));
    json_object_set_new(res, "categories", table("category", stats->categories, true));
    for (size_t i = 0; i < stats->work_count; ++i)
        json_array_append_new(work, levels("file", stats->work[i].name, stats->work[i].found));
    json_object_set_new(res, "work_left", work);
    for (int why = 0; why < LEFT_COUNT; ++why)
        json_object_set_new(left, left_out[why], number(stats->left_out[why]));
    json_object_set_new(res, "left_out", left);
    uint64_t tokens, opaque;
    if (summary_code_figures(summary, &tokens, &opaque)) {
        json_t *code = json_object();
        json_object_set_new(code, "tokens", number(tokens));
        json_object_set_new(code, "not_understood", number(opaque));
        json_object_set_new(res, "device_code", code);
    }
    return res;
}
