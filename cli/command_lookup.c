/* hipwright lookup: what becomes of a name or header. */
#include <config.h>

#include "cli/commands.h"

#include <string.h>
#include <strings.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "cli/coverage.h"
#include "cli/data.h"
#include "cli/nearest.h"
#include "cli/write.h"
#include "maps/library.h"
#include "maps/map.h"
#include "report/json.h"

/* One question. */
struct query {
    struct strbuf text; /* without brackets, arguments and a star */
    bool prefix;        /* a star stood at the end */
    bool header;        /* it stood in brackets or quotes */
};

/* What is known. */
struct facts {
    const struct map *map;
    const struct library_table *libraries;
    VEC(const struct api *) all; /* by library and name */
};

struct answer {
    const struct api *api;
    bool wider; /* it is that of the folder or namespace in which the name lies */
};

/* What was found for one question. */
struct answers {
    VEC(struct answer) list;
    VEC(const struct library *) libraries;
    const struct library *by_name; /* the name itself has no entry but looks like one of this */
    struct nearest nearest;        /* where the name itself has no entry */
};

static void collect(const struct api *api, void *context)
{
    struct facts *facts = context;
    *vec_push(&facts->all) = api;
}

static bool starts_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* The question that NAME asks. A header may stand in brackets or quotes, a qualified name may
   begin with "::", a template's arguments and a call's are left out. */
static void read_query(struct query *query, const char *name)
{
    *query = (struct query){.text = STRBUF_INIT};
    size_t len = strlen(name);
    query->prefix = len && name[len - 1] == '*';
    len -= query->prefix;
    if (2 < len &&
        ((name[0] == '<' && name[len - 1] == '>') || (name[0] == '"' && name[len - 1] == '"'))) {
        query->header = true;
        ++name, len -= 2;
    } else {
        if (2 < len && starts_with(name, "::"))
            name += 2, len -= 2;
        size_t arguments = strcspn(name, "<(");
        if (arguments && arguments < len)
            len = arguments;
    }
    strbuf_add(&query->text, name, len);
}

static void add_answer(struct answers *answers, const struct api *api, bool wider)
{
    vec_each (const struct answer, answer, &answers->list)
        if (answer->api == api)
            return;
    *vec_push(&answers->list) = (struct answer){api, wider};
}

static void add_library(struct answers *answers, const struct library *library)
{
    if (!library)
        return;
    for (size_t i = 0; i < answers->libraries.count; ++i)
        if (answers->libraries.items[i] == library)
            return;
    *vec_push(&answers->libraries) = library;
}

static bool fits(const struct query *query, const char *name)
{
    if (!name || !*name)
        return false;
    return query->prefix ? starts_with(name, query->text.text) : !strcmp(name, query->text.text);
}

/* Whether API has the name asked for: in CUDA, in HIP, in ROCm, or in HIP for some number of
   arguments. */
static bool api_fits(const struct query *query, const struct api *api)
{
    if (query->header && api->kind != API_HEADER)
        return false;
    if (fits(query, api->cuda) || fits(query, api->hip) || fits(query, api->roc) ||
        fits(query, api->fnuz))
        return true;
    for (int i = 0; i < api->change_count; ++i)
        for (int k = 0; k < api->changes[i].op_count; ++k)
            if (api->changes[i].ops[k].kind == ARG_NAME && fits(query, api->changes[i].ops[k].text))
                return true;
    return false;
}

/* Whether the last part of NAME is TEXT: "BlockReduce" of "cub::BlockReduce". */
static bool ends_in(const char *name, const char *text)
{
    size_t name_len = name ? strlen(name) : 0, len = strlen(text);
    return len + 2 < name_len && !strcmp(name + name_len - len, text) &&
           !memcmp(name + name_len - len - 2, "::", 2);
}

static void find_entries(const struct facts *facts, const struct query *query,
                         struct answers *answers)
{
    const char *text = query->text.text;
    size_t len = query->text.len;
    for (size_t i = 0; i < facts->all.count; ++i)
        if (api_fits(query, facts->all.items[i]))
            add_answer(answers, facts->all.items[i], false);
    if (query->prefix)
        return;
    const struct api *header = map_find_header(facts->map, text, len);
    if (header)
        add_answer(answers, header, strcmp(header->cuda, text) != 0);
    for (size_t i = 0; !answers->list.count && !query->header && i < facts->all.count; ++i)
        if (ends_in(facts->all.items[i]->cuda, text) || ends_in(facts->all.items[i]->hip, text))
            *vec_push(&answers->list) = (struct answer){facts->all.items[i], false};
}

/* Whether some of the texts in LIST, with SEPARATOR between them, is that asked for; an
   explanation in brackets behind it is left out, and the case of letters does not count. */
static bool list_has(const struct query *query, const char *list, const char *separator)
{
    for (const char *at = list; at;) {
        const char *next = strstr(at, separator);
        size_t len = next ? (size_t)(next - at) : strlen(at);
        const char *open = memmem(at, len, " (", 2);
        if (open)
            len = (size_t)(open - at);
        if (query->prefix ? query->text.len <= len && starts_with(at, query->text.text)
                          : query->text.len == len && !strncasecmp(at, query->text.text, len))
            return true;
        at = next ? next + strlen(separator) : NULL;
    }
    return false;
}

/* Whether LIBRARY is called so on one of the sides: "cuDNN", "MIOpen", "-lMIOpen". */
static bool library_fits(const struct query *query, const struct library *library)
{
    static const enum library_field words[] = {LIBRARY_HIP_LINK, LIBRARY_HIP_CMAKE,
                                               LIBRARY_ROC_LINK, LIBRARY_ROC_CMAKE};
    if (list_has(query, library->text[LIBRARY_NAME], " | ") ||
        list_has(query, library->text[LIBRARY_COUNTERPART], ", ") ||
        list_has(query, library->text[LIBRARY_ROC], " | "))
        return true;
    for (size_t i = 0; !query->prefix && i < sizeof words / sizeof *words; ++i)
        if (list_has(query, library->text[words[i]], " "))
            return true;
    return false;
}

struct library_search {
    const struct query *query;
    struct answers *answers;
};

static void look_at_library(const struct library *library, void *context)
{
    struct library_search *search = context;
    if (library_fits(search->query, library))
        add_library(search->answers, library);
}

static void find_libraries(const struct facts *facts, const struct query *query,
                           struct answers *answers)
{
    static const enum library_field fields[] = {LIBRARY_INCLUDE, LIBRARY_LINK, LIBRARY_CMAKE,
                                                LIBRARY_COMMAND};
    const char *text = query->text.text;
    size_t len = query->text.len;
    if (!query->header)
        library_each(facts->libraries, look_at_library, &(struct library_search){query, answers});
    for (size_t i = 0; !query->prefix && i < sizeof fields / sizeof *fields; ++i)
        add_library(answers, library_find(facts->libraries, fields[i], text, len));
    /* CMake calls its target after the library where the list names no other. */
    if (!query->prefix && !answers->libraries.count && starts_with(text, "CUDA::")) {
        struct strbuf flag = STRBUF_INIT;
        strbuf_printf(&flag, "-l%s", text + strlen("CUDA::"));
        add_library(answers, library_of_link(facts->libraries, flag.text, flag.len));
        strbuf_release(&flag);
    }
    if (query->prefix || query->header || answers->list.count || answers->libraries.count ||
        strpbrk(text, "./-"))
        return;
    answers->by_name = library_of_name(facts->libraries, text, len);
    add_library(answers, answers->by_name);
}

/* The entry of the innermost namespace or class in which the name lies. */
static void find_namespace(const struct facts *facts, const struct query *query,
                           struct answers *answers)
{
    for (size_t len = query->text.len; 2 < len; --len) {
        if (memcmp(query->text.text + len - 2, "::", 2))
            continue;
        const struct api *api = map_find(facts->map, query->text.text, len - 2);
        if (api) {
            add_answer(answers, api, true);
            return;
        }
    }
}

struct name_search {
    struct nearest *nearest;
};

static void offer_library(const struct library *library, void *context)
{
    struct name_search *search = context;
    if (!strstr(library->text[LIBRARY_NAME], " | "))
        nearest_offer(search->nearest, library->text[LIBRARY_NAME]);
}

static void find_nearest(const struct facts *facts, const struct query *query,
                         struct nearest *nearest)
{
    nearest_begin(nearest, query->text.text);
    for (size_t i = 0; i < facts->all.count; ++i) {
        nearest_offer(nearest, facts->all.items[i]->cuda);
        nearest_offer(nearest, facts->all.items[i]->hip);
    }
    library_each(facts->libraries, offer_library, &(struct name_search){nearest});
}

static void find(const struct facts *facts, const struct query *query, struct answers *answers)
{
    /* The empty name is no name, though some counterparts are empty. */
    if (!query->text.len && !query->prefix)
        return;
    find_entries(facts, query, answers);
    find_libraries(facts, query, answers);
    if (query->prefix || answers->list.count || (answers->libraries.count && !answers->by_name))
        return;
    find_nearest(facts, query, &answers->nearest);
    if (!query->header)
        find_namespace(facts, query, answers);
}

static void add_field(struct strbuf *out, const char *label, const char *value)
{
    if (!value)
        return;
    strbuf_printf(out, "  %s: ", label);
    utf8_add_terminal(out, value, strlen(value));
    strbuf_addc(out, '\n');
}

static void add_version(struct strbuf *out, const char *format, version v)
{
    char text[VERSION_TEXT];
    if (!v)
        return;
    if (out->len)
        strbuf_adds(out, ", ");
    strbuf_printf(out, format, version_format(v, text));
}

static void add_life(struct strbuf *out, const char *label, const struct api_life *life)
{
    struct strbuf text = STRBUF_INIT;
    add_version(&text, _("since %s"), life->added);
    add_version(&text, _("changed in %s"), life->changed);
    add_version(&text, _("experimental in %s"), life->experimental);
    add_version(&text, _("deprecated in %s"), life->deprecated);
    add_version(&text, _("removed in %s"), life->removed);
    add_version(&text, _("the ROCm name since %s"), life->native);
    add_field(out, label, text.text);
    strbuf_release(&text);
}

/* OP in words; arguments count from 1 for people. */
static void add_op(struct strbuf *out, const struct arg_op *op)
{
    int n = op->n + 1, m = op->m + 1;
    const char *text = op->text ? op->text : "";
    switch (op->kind) {
    case ARG_WRAP:
        strbuf_printf(out, _("argument %d is wrapped in %s()"), n, text);
        break;
    case ARG_CAST:
        strbuf_printf(out, _("argument %d is cast to %s"), n, text);
        break;
    case ARG_DROP:
        strbuf_printf(out, _("argument %d is dropped"), n);
        break;
    case ARG_INSERT:
        strbuf_printf(out, _("%s is inserted as argument %d"), text, n);
        break;
    case ARG_APPEND:
        strbuf_printf(out, _("%s is appended"), text);
        break;
    case ARG_REPLACE:
        strbuf_printf(out, _("argument %d becomes %s"), n, text);
        break;
    case ARG_MOVE:
        strbuf_printf(out, _("argument %d moves before argument %d"), n, m);
        break;
    case ARG_REPEAT:
        strbuf_printf(out, _("argument %d is repeated before argument %d"), n, m);
        break;
    case ARG_SWAP:
        strbuf_printf(out, _("arguments %d and %d change places"), n, m);
        break;
    case ARG_ADDRESS:
        strbuf_printf(out, _("the address of argument %d is passed"), n);
        break;
    case ARG_SUFFIX:
        strbuf_printf(out, _("%2$s is added to argument %1$d"), n, text);
        break;
    case ARG_NAME:
        strbuf_printf(out, _("the function is called %s"), text);
        break;
    case ARG_REPORT:
        strbuf_printf(out, _("the call is left alone and reported: %s"), text);
        break;
    case ARG_NOTE:
        strbuf_printf(out, _("but note: %s"), text);
        break;
    case ARG_WRITE:
        /* TRANSLATORS: %s is an expression in which $0, $1, ... stand for the arguments */
        strbuf_printf(out, _("the call is written as %s"), text);
        break;
    }
}

static void add_changes(struct strbuf *out, const struct api *api)
{
    for (int i = 0; i < api->change_count; ++i) {
        const struct arg_change *change = &api->changes[i];
        struct strbuf text = STRBUF_INIT;
        char v[VERSION_TEXT], w[VERSION_TEXT];
        if (change->when.roc)
            strbuf_adds(&text, _("with --libraries=roc: "));
        if (change->when.host)
            strbuf_adds(&text, _("in host code: "));
        if (0 <= change->when.count)
            strbuf_printf(&text,
                          ngettext("with %d argument: ", "with %d arguments: ",
                                   (unsigned long)change->when.count),
                          change->when.count);
        if (change->when.type)
            strbuf_printf(&text, _("with argument %d of type %s: "), change->when.arg + 1,
                          change->when.type);
        if (change->when.assigned)
            strbuf_printf(&text, _("with the result assigned to a %s: "), change->when.assigned);
        if (change->when.before && change->when.since)
            strbuf_printf(&text, _("since HIP %s and before %s: "),
                          version_format(change->when.since, v),
                          version_format(change->when.before, w));
        else if (change->when.before)
            strbuf_printf(&text, _("before HIP %s: "), version_format(change->when.before, v));
        else if (change->when.since)
            strbuf_printf(&text, _("since HIP %s: "), version_format(change->when.since, v));
        bool stay = !change->op_count || change->ops[0].kind == ARG_NOTE;
        if (stay)
            strbuf_adds(&text, _("the arguments stay"));
        for (int k = 0; k < change->op_count; ++k) {
            if (k || stay)
                strbuf_adds(&text, "; ");
            add_op(&text, &change->ops[k]);
        }
        add_field(out, _("arguments"), text.text);
        strbuf_release(&text);
    }
}

/* "MACRO before 7.0" in words. */
static void add_define(struct strbuf *out, const char *define)
{
    if (!define)
        return;
    struct strbuf text = STRBUF_INIT;
    int len = (int)strcspn(define, " ");
    const char *before = strrchr(define, ' ');
    if (before)
        strbuf_printf(&text, _("%.*s must be defined ahead of HIP's headers before HIP %s"), len,
                      define, before + 1);
    else
        strbuf_printf(&text, _("%s must be defined ahead of HIP's headers"), define);
    add_field(out, _("needs"), text.text);
    strbuf_release(&text);
}

/* The keys of maps/README in words. */
static const struct source_text {
    const char *key, *text;
} source_texts[] = {
    {"hipify", N_("the tables of ROCm/HIPIFY")},
    {"headers", N_("the headers of CUDA and HIP")},
    {"libhipcxx", N_("the headers of ROCm/libhipcxx")},
    {"rsmi", N_("the header of ROCm SMI")},
    {"docs", N_("documentation of ROCm and of the project")},
    {"cmake", N_("the CMake files of the ROCm libraries")},
    {"own", N_("own comparison of the two sides")},
    {"nopair", N_("CUDA's headers; no table knows a counterpart")},
    {"unchecked", N_("not checked against any document")},
};

/* KEYS, which have blanks between them, in words; one that is unknown stays a key. */
static void add_source(struct strbuf *out, const char *keys)
{
    struct strbuf text = STRBUF_INIT;
    for (const char *at = keys; at && *at;) {
        size_t len = strcspn(at, " ");
        if (text.len)
            strbuf_adds(&text, "; ");
        strbuf_add(&text, at, len);
        for (size_t i = 0; i < sizeof source_texts / sizeof *source_texts; ++i)
            if (strlen(source_texts[i].key) == len && !memcmp(source_texts[i].key, at, len))
                strbuf_printf(&text, " (%s)", _(source_texts[i].text));
        at += len;
        at += strspn(at, " ");
    }
    add_field(out, _("source"), text.text);
    strbuf_release(&text);
}

static bool is_unchecked(const char *keys)
{
    return keys && starts_with(keys, "unchecked") && (!keys[9] || keys[9] == ' ');
}

/* Whether the library is released apart from CUDA and so has version numbers of its own. */
static bool has_own_versions(const char *library)
{
    static const char *const libraries[] = {"dnn", "tensor", "sparselt", "cufile"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; ++i)
        if (!strcmp(libraries[i], library))
            return true;
    return false;
}

static void add_text(struct strbuf *out, const struct query *query, const struct answer *answer)
{
    const struct api *api = answer->api;
    utf8_add_terminal(out, api->cuda, strlen(api->cuda));
    strbuf_addc(out, '\n');
    if (answer->wider)
        add_field(out, _("answers for"), query->text.text);
    struct strbuf path = STRBUF_INIT;
    if (answer->wider && api->kind == API_HEADER)
        map_header_path(api, query->text.text, query->text.len, &path);
    if (api->kind == API_HEADER && api->action == HEADER_DROP)
        add_field(out, "HIP", _("none is needed, the line is removed"));
    else if (api->hip && !*api->hip)
        add_field(out, "HIP", _("none is needed, the name is removed"));
    else if (api->hip)
        add_field(out, "HIP", path.len ? path.text : api->hip);
    else
        add_field(out, "HIP", _("no counterpart"));
    strbuf_release(&path);
    add_field(out, "ROCm", api->roc);
    add_field(out, _("for FNUZ numbers (gfx942)"), api->fnuz);
    add_field(out, _("kind"), api_kind_word(api->kind));
    add_field(out, _("library"), api->library);
    add_field(out, _("covered by"), api->covered_by);
    add_field(out, _("comes after"), api->after);
    add_field(out, _("with --shims"), api->shim);
    add_life(out, has_own_versions(api->library) ? _("in the CUDA library") : "CUDA",
             &api->cuda_life);
    add_life(out, _("in HIP"), &api->hip_life);
    add_define(out, api->define);
    add_changes(out, api);
    add_field(out, _("differs"), api->note);
    add_field(out, _("way out"), api->advice);
    add_source(out, api->source);
}

/* "LABEL: here -> there", where there is a here. */
static void add_pair(struct strbuf *out, const char *label, const char *here, const char *there)
{
    if (!here && !there)
        return;
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, here ? here : "-");
    if (there)
        strbuf_printf(&text, " -> %s", there);
    add_field(out, label, text.text);
    strbuf_release(&text);
}

static void add_library_text(struct strbuf *out, const struct library *library)
{
    static const char *const states[LIBRARY_STATE_COUNT] = {
        [LIBRARY_FULL] = N_("full: another name is all it takes, or it is the same"),
        [LIBRARY_PARTIAL] = N_("partial: the same, but a part of it is missing"),
        [LIBRARY_PORT] = N_("port: another library for the same work, with another API"),
        [LIBRARY_NONE] = N_("none"),
        [LIBRARY_TOOL] = N_("tool: a program, not a library"),
    };
    const char *const *text = library->text;
    utf8_add_terminal(out, text[LIBRARY_NAME], strlen(text[LIBRARY_NAME]));
    strbuf_addc(out, '\n');
    add_field(out, _("counterpart"),
              text[LIBRARY_COUNTERPART] ? text[LIBRARY_COUNTERPART] : _("no counterpart"));
    add_field(out, _("state"), _(states[library->state]));
    add_field(out, _("extent"), text[LIBRARY_EXTENT]);
    add_pair(out, _("headers"), text[LIBRARY_INCLUDE], text[LIBRARY_HIP_INCLUDE]);
    add_pair(out, _("link flags"), text[LIBRARY_LINK], text[LIBRARY_HIP_LINK]);
    add_pair(out, _("CMake targets"), text[LIBRARY_CMAKE], text[LIBRARY_HIP_CMAKE]);
    add_pair(out, _("programs"), text[LIBRARY_COMMAND], text[LIBRARY_HIP_COMMAND]);
    add_field(out, _("names"), text[LIBRARY_NAMES]);
    add_field(out, _("note"), text[LIBRARY_NOTE]);
    if (text[LIBRARY_ROC]) {
        add_field(out, _("ROCm library"), text[LIBRARY_ROC]);
        add_field(out, _("its extent"), text[LIBRARY_ROC_EXTENT]);
        add_field(out, _("its headers"), text[LIBRARY_ROC_INCLUDE]);
        add_field(out, _("its link flags"), text[LIBRARY_ROC_LINK]);
        add_field(out, _("its CMake targets"), text[LIBRARY_ROC_CMAKE]);
        add_field(out, _("its note"), text[LIBRARY_ROC_NOTE]);
    }
    add_source(out, text[LIBRARY_SOURCE]);
}

static const char *const op_words[] = {
    [ARG_WRAP] = "wrap",       [ARG_CAST] = "cast",     [ARG_DROP] = "drop",
    [ARG_INSERT] = "insert",   [ARG_APPEND] = "append", [ARG_REPLACE] = "replace",
    [ARG_REPEAT] = "repeat",   [ARG_MOVE] = "move",     [ARG_SWAP] = "swap",
    [ARG_ADDRESS] = "address", [ARG_SUFFIX] = "suffix", [ARG_NAME] = "name",
    [ARG_REPORT] = "report",   [ARG_NOTE] = "note",     [ARG_WRITE] = "write",
};

static json_t *json_version(version v)
{
    char text[VERSION_TEXT];
    return v ? json_string(version_format(v, text)) : json_null();
}

static json_t *json_life(const struct api_life *life)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "added", json_version(life->added),
                     "deprecated", json_version(life->deprecated), "changed",
                     json_version(life->changed), "removed", json_version(life->removed),
                     "experimental", json_version(life->experimental), "native",
                     json_version(life->native));
}

/* Arguments count from 0 here, as in the maps. */
static json_t *json_change(const struct arg_change *change)
{
    json_t *ops = json_array();
    for (int i = 0; i < change->op_count; ++i) {
        const struct arg_op *op = &change->ops[i];
        bool two = op->kind == ARG_MOVE || op->kind == ARG_SWAP || op->kind == ARG_REPEAT;
        bool none = op->kind == ARG_APPEND || op->kind == ARG_NAME || op->kind == ARG_REPORT ||
                    op->kind == ARG_NOTE || op->kind == ARG_WRITE;
        json_array_append_new(ops, json_pack("{s:s, s:o, s:o, s:o}", "op", op_words[op->kind],
                                             "argument", none ? json_null() : json_integer(op->n),
                                             "other", two ? json_integer(op->m) : json_null(),
                                             "text", json_text_or_null(op->text)));
    }
    bool type = change->when.type;
    return json_pack("{s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "roc", change->when.roc,
                     "host", change->when.host, "count",
                     change->when.count < 0 ? json_null() : json_integer(change->when.count),
                     "before", json_version(change->when.before), "since",
                     json_version(change->when.since), "argument",
                     type ? json_integer(change->when.arg) : json_null(), "type",
                     json_text_or_null(change->when.type), "assigned",
                     json_text_or_null(change->when.assigned), "edits", ops);
}

static json_t *json_api(const struct query *query, const struct answer *answer)
{
    const struct api *api = answer->api;
    json_t *changes = json_array();
    for (int i = 0; i < api->change_count; ++i)
        json_array_append_new(changes, json_change(&api->changes[i]));
    bool header = api->kind == API_HEADER;
    const char *action = !header                         ? NULL
                         : api->action == HEADER_REPLACE ? "replace"
                         : api->action == HEADER_DROP    ? "drop"
                                                         : "keep";
    struct strbuf path = STRBUF_INIT;
    if (answer->wider && header)
        map_header_path(api, query->text.text, query->text.len, &path);
    json_t *res = json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, "
        "s:o, s:b}",
        "cuda", json_text_or_null(api->cuda), "hip", json_text_or_null(api->hip), "roc",
        json_text_or_null(api->roc), "fnuz", json_text_or_null(api->fnuz), "kind",
        api_kind_word(api->kind), "library", json_text_or_null(api->library), "action",
        json_text_or_null(action), "hip_path", json_text_or_null(path.len ? path.text : NULL),
        "covered_by", json_text_or_null(api->covered_by), "after", json_text_or_null(api->after),
        "shim", json_text_or_null(api->shim), "cuda_versions", json_life(&api->cuda_life),
        "hip_versions", json_life(&api->hip_life), "changes", changes, "define",
        json_text_or_null(api->define), "include", json_text_or_null(api->include), "note",
        json_text_or_null(api->note), "advice", json_text_or_null(api->advice), "source",
        json_text_or_null(api->source), "unchecked", is_unchecked(api->source));
    strbuf_release(&path);
    return res;
}

/* A library: its lines as libraries.list has them. */
static json_t *json_library(const struct library *library)
{
    json_t *res = json_object();
    for (int i = 0; i < LIBRARY_FIELD_COUNT; ++i)
        json_object_set_new(res, library_field_word((enum library_field)i),
                            json_text_or_null(library->text[i]));
    json_object_set_new(res, "unchecked", json_boolean(library_is_unchecked(library)));
    return res;
}

static void add_json(struct strbuf *out, const char *name, const struct query *query,
                     const struct answers *answers, bool first)
{
    strbuf_adds(out, first ? "\n{\"name\": " : ",\n{\"name\": ");
    json_add(out, json_text_or_null(name));
    strbuf_adds(out, ", \"entries\": [");
    for (size_t i = 0; i < answers->list.count; ++i) {
        strbuf_adds(out, i ? ",\n" : "\n");
        json_add(out, json_api(query, &answers->list.items[i]));
    }
    strbuf_adds(out, "], \"libraries\": [");
    for (size_t i = 0; i < answers->libraries.count; ++i) {
        strbuf_adds(out, i ? ",\n" : "\n");
        json_add(out, json_library(answers->libraries.items[i]));
    }
    strbuf_adds(out, "], \"nearest\": [");
    for (size_t i = 0; i < answers->nearest.count; ++i) {
        strbuf_adds(out, i ? ", " : "");
        json_add(out, json_text_or_null(answers->nearest.found[i]));
    }
    strbuf_adds(out, "]}");
}

/* Of a library whose names have entries, one without is unknown; but what a namespace holds
   need not be listed. */
static bool is_known(const char *name, const struct answers *answers)
{
    const struct library *library = answers->by_name;
    if (answers->list.count || !library)
        return answers->list.count || answers->libraries.count;
    return strstr(name, "::") ||
           (library->state != LIBRARY_FULL && library->state != LIBRARY_PARTIAL);
}

static void say_unknown(const char *name, const struct answers *answers, struct diag *diag)
{
    struct diag_place program = {0};
    bool known = is_known(name, answers);
    if (!known && answers->by_name)
        diag_add(diag, DIAG_WARNING, program,
                 _("nothing is known of '%s', which looks like a name of %s"), name,
                 answers->by_name->text[LIBRARY_NAME]);
    else if (!known)
        diag_add(diag, DIAG_WARNING, program, _("nothing is known of '%s'"), name);
    nearest_tell(&answers->nearest, diag);
}

static void add_all_text(struct strbuf *out, const struct query *query,
                         const struct answers *answers)
{
    vec_each (const struct answer, answer, &answers->list) {
        if (out->len)
            strbuf_addc(out, '\n');
        add_text(out, query, answer);
    }
    for (size_t i = 0; i < answers->libraries.count; ++i) {
        if (out->len)
            strbuf_addc(out, '\n');
        add_library_text(out, answers->libraries.items[i]);
    }
}

static enum exit_status answer_names(const struct options *o, struct facts *facts,
                                     struct strbuf *out, struct diag *diag)
{
    enum exit_status res = STATUS_OK;
    map_lookup(facts->map, "", true, collect, facts);
    if (o->format == FORMAT_JSON)
        strbuf_adds(out, "\"results\": [");
    for (size_t i = 0; i < o->operands.count; ++i) {
        const char *name = o->operands.items[i];
        struct query query;
        struct answers answers = {0};
        read_query(&query, name);
        find(facts, &query, &answers);
        if (o->format == FORMAT_JSON)
            add_json(out, name, &query, &answers, i == 0);
        else
            add_all_text(out, &query, &answers);
        if (!is_known(name, &answers))
            res = STATUS_FOUND;
        say_unknown(name, &answers, diag);
        vec_release(&answers.list);
        vec_release(&answers.libraries);
        strbuf_release(&query.text);
    }
    if (o->format == FORMAT_JSON)
        strbuf_adds(out, "\n]");
    vec_release(&facts->all);
    return res;
}

enum exit_status command_lookup(const struct options *o)
{
    struct diag diag = DIAG_INIT;
    struct strbuf out = STRBUF_INIT;
    enum exit_status res = STATUS_OK;
    bool json = o->format == FORMAT_JSON;
    struct map *map = data_load_map(o, &diag);
    if (map && json) {
        strbuf_adds(&out, "{\"version\": 1, \"tool\": ");
        json_add(&out, json_tool());
        strbuf_adds(&out, ",\n");
    }
    struct facts facts = {.map = map, .libraries = map ? map_libraries(map) : NULL};
    if (map && o->coverage && json)
        coverage_add_json(&out, map);
    else if (map && o->coverage)
        coverage_add_text(&out, map);
    else if (map)
        res = answer_names(o, &facts, &out, &diag);
    if (map && json)
        strbuf_adds(&out, "}\n");
    if (!map || !write_stdout(out.text, out.len, &diag))
        res = STATUS_TROUBLE;
    map_free(map);
    diag_flush(&diag, stderr);
    diag_release(&diag);
    strbuf_release(&out);
    return res;
}
