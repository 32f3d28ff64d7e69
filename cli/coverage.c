#include <config.h>

#include "cli/coverage.h"

#include <stdbool.h>
#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "report/json.h"

/* The kinds as the table has them. */
enum group { FUNCTIONS, TYPES, ENUMERATORS, MACROS, OTHERS, HEADERS, GROUP_COUNT };

static const enum group groups[API_KIND_COUNT] = {
    [API_FUNCTION] = FUNCTIONS, [API_DEVICE_FUNCTION] = FUNCTIONS,
    [API_TYPE] = TYPES,         [API_DEVICE_TYPE] = TYPES,
    [API_CLASS] = TYPES,        [API_ENUMERATOR] = ENUMERATORS,
    [API_MACRO] = MACROS,       [API_NAMESPACE] = OTHERS,
    [API_VARIABLE] = OTHERS,    [API_FIELD] = OTHERS,
    [API_HEADER] = HEADERS,
};

static const struct {
    const char *title, *word; /* for people, for machines */
} group_names[GROUP_COUNT] = {
    [FUNCTIONS] = {N_("functions"), "functions"},
    [TYPES] = {N_("types, classes"), "types"},
    [ENUMERATORS] = {N_("enumerators"), "enumerators"},
    [MACROS] = {N_("macros"), "macros"},
    /* TRANSLATORS: kinds of names besides functions, types and so on */
    [OTHERS] = {N_("others"), "others"},
    [HEADERS] = {N_("headers"), "headers"},
};

struct count {
    unsigned n[COVERAGE_COUNT];
    unsigned roc; /* of those without a HIP name: there is a ROCm name */
};

struct row {
    const char *library;
    struct count count[GROUP_COUNT];
};

struct table {
    VEC(struct row) rows;
    struct row total;
};

enum coverage coverage_of(const struct api *api)
{
    bool written = false;
    for (int i = 0; i < api->change_count; ++i)
        written |= !api->changes[i].when.roc && !api->changes[i].when.host &&
                   api->changes[i].op_count && api->changes[i].ops[0].kind == ARG_WRITE;
    if (!api->hip && !written && !(api->kind == API_HEADER && api->action == HEADER_DROP))
        return COVERAGE_NONE;
    bool edited = false, partly = api->note != NULL;
    for (int i = 0; i < api->change_count; ++i) {
        const struct arg_change *change = &api->changes[i];
        for (int k = 0; !change->when.roc && k < change->op_count; ++k) {
            edited = true;
            if (change->ops[k].kind == ARG_REPORT || change->ops[k].kind == ARG_NOTE)
                partly = true;
        }
    }
    return partly ? COVERAGE_PARTLY : edited ? COVERAGE_EDITED : COVERAGE_MAPPED;
}

/* Counts one entry; they come sorted by library. */
static void count_api(const struct api *api, void *context)
{
    struct table *table = context;
    struct row *row = table->rows.count ? &table->rows.items[table->rows.count - 1] : NULL;
    if (!row || strcmp(row->library, api->library)) {
        row = vec_push(&table->rows);
        *row = (struct row){.library = api->library};
    }
    enum group group = groups[api->kind];
    enum coverage coverage = coverage_of(api);
    unsigned roc = coverage == COVERAGE_NONE && api->roc;
    row->count[group].n[coverage]++;
    row->count[group].roc += roc;
    table->total.count[group].n[coverage]++;
    table->total.count[group].roc += roc;
}

static void count_map(struct table *table, const struct map *map)
{
    *table = (struct table){0};
    map_lookup(map, "", true, count_api, table);
}

static unsigned sum(const struct count *count)
{
    unsigned res = 0;
    for (int i = 0; i < COVERAGE_COUNT; ++i)
        res += count->n[i];
    return res;
}

static void pad(struct strbuf *out, size_t columns, size_t width)
{
    for (; columns < width; ++columns)
        strbuf_addc(out, ' ');
}

enum { LIBRARY_WIDTH = 12, KIND_WIDTH = 16, NUMBER_WIDTH = 8 };

static void add_left(struct strbuf *out, const char *text, size_t width)
{
    pad(out, utf8_add_terminal(out, text, strlen(text)) + 1, width);
    strbuf_addc(out, ' ');
}

static void add_right(struct strbuf *out, const char *text)
{
    struct strbuf cell = STRBUF_INIT;
    size_t columns = utf8_add_terminal(&cell, text, strlen(text));
    pad(out, columns, NUMBER_WIDTH);
    strbuf_adds(out, cell.text);
    strbuf_release(&cell);
}

static void add_number(struct strbuf *out, unsigned n)
{
    char text[16];
    snprintf(text, sizeof text, "%u", n);
    add_right(out, n ? text : "-");
}

static void add_line(struct strbuf *out, const char *library, const char *kind,
                     const struct count *count)
{
    add_left(out, library, LIBRARY_WIDTH);
    add_left(out, kind, KIND_WIDTH);
    add_number(out, sum(count));
    for (int i = 0; i < COVERAGE_COUNT; ++i)
        add_number(out, count->n[i]);
    add_number(out, count->roc);
    strbuf_addc(out, '\n');
}

static void add_row(struct strbuf *out, const char *title, const struct row *row)
{
    for (int i = 0; i < GROUP_COUNT; ++i)
        if (sum(&row->count[i])) {
            add_line(out, title, _(group_names[i].title), &row->count[i]);
            title = "";
        }
}

void coverage_add_text(struct strbuf *out, const struct map *map)
{
    struct table table;
    count_map(&table, map);
    strbuf_adds(out, _("How much of CUDA's libraries has a counterpart in HIP.\n"
                       "\n"
                       "  mapped  another name is all it takes, or it is the same\n"
                       "  edited  arguments change too, and the translation does that\n"
                       "  partly  some form of a call is reported, or the meaning differs\n"
                       "  none    no counterpart is known\n"
                       "  ROCm    of these, names that --libraries=roc translates\n"
                       "\n"));
    add_left(out, _("library"), LIBRARY_WIDTH);
    add_left(out, _("kind"), KIND_WIDTH);
    const char *const heads[] = {
        /* TRANSLATORS: heads of the columns that are explained above the table; at most seven
           columns wide */
        _("all"), _("mapped"), _("edited"), _("partly"), _("none"), "ROCm",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i)
        add_right(out, heads[i]);
    strbuf_addc(out, '\n');
    vec_each (const struct row, row, &table.rows)
        add_row(out, row->library, row);
    strbuf_addc(out, '\n');
    add_row(out, _("together"), &table.total);
    struct count names = {0};
    for (int group = 0; group < HEADERS; ++group) {
        names.roc += table.total.count[group].roc;
        for (int i = 0; i < COVERAGE_COUNT; ++i)
            names.n[i] += table.total.count[group].n[i];
    }
    add_line(out, "", _("all names"), &names);
    vec_release(&table.rows);
}

static json_t *json_row(const struct row *row)
{
    json_t *res = json_object();
    for (int i = 0; i < GROUP_COUNT; ++i) {
        const struct count *c = &row->count[i];
        if (sum(c))
            json_object_set_new(res, group_names[i].word,
                                json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "all", (int)sum(c),
                                          "mapped", (int)c->n[COVERAGE_MAPPED], "edited",
                                          (int)c->n[COVERAGE_EDITED], "partly",
                                          (int)c->n[COVERAGE_PARTLY], "none",
                                          (int)c->n[COVERAGE_NONE], "roc", (int)c->roc));
    }
    return res;
}

void coverage_add_json(struct strbuf *out, const struct map *map)
{
    struct table table;
    count_map(&table, map);
    strbuf_adds(out, "\"libraries\": [");
    vec_each (const struct row, row, &table.rows) {
        strbuf_adds(out, row == table.rows.items ? "\n" : ",\n");
        json_add(out, json_pack("{s:o, s:o}", "library", json_text_or_null(row->library), "kinds",
                                json_row(row)));
    }
    strbuf_adds(out, "],\n\"total\": ");
    json_add(out, json_row(&table.total));
    vec_release(&table.rows);
}
