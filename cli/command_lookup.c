/* hipwright lookup: what becomes of a name or header. */
#include <config.h>

#include "cli/commands.h"

#include <string.h>

#include "base/i18n.h"
#include "cli/data.h"
#include "cli/write.h"
#include "maps/map.h"
#include "report/json.h"
#include "base/utf8.h"

/* The entries found for one name. */
struct answers {
    VEC(const struct api *) list;
};

static void add_answer(const struct api *api, void *context)
{
    struct answers *answers = context;
    for (size_t i = 0; i < answers->list.count; ++i)
        if (answers->list.items[i] == api)
            return;
    *vec_push(&answers->list) = api;
}

/* A name may end in '*', and a header may stand in its brackets or quotes. */
static void find(const struct map *map, const char *name, struct answers *answers)
{
    struct strbuf text = STRBUF_INIT;
    size_t len = strlen(name);
    bool prefix = len && name[len - 1] == '*';
    if (prefix)
        --len;
    if (2 < len &&
        ((name[0] == '<' && name[len - 1] == '>') || (name[0] == '"' && name[len - 1] == '"')))
        ++name, len -= 2;
    strbuf_add(&text, name, len);
    /* The empty name is no name, though some counterparts are empty. */
    if (len || prefix)
        map_lookup(map, text.text, prefix, add_answer, answers);
    if (len && !prefix) {
        const struct api *header = map_find_header(map, text.text, text.len);
        if (header)
            add_answer(header, answers);
    }
    strbuf_release(&text);
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
        strbuf_printf(out, _("they stay, but: %s"), text);
        break;
    }
}

static void add_changes(struct strbuf *out, const struct api *api)
{
    for (int i = 0; i < api->change_count; ++i) {
        const struct arg_change *change = &api->changes[i];
        struct strbuf text = STRBUF_INIT;
        char v[VERSION_TEXT];
        if (change->when.roc)
            strbuf_adds(&text, _("with --libraries=roc: "));
        if (0 <= change->when.count)
            strbuf_printf(&text,
                          ngettext("with %d argument: ", "with %d arguments: ",
                                   (unsigned long)change->when.count),
                          change->when.count);
        if (change->when.before)
            strbuf_printf(&text, _("before HIP %s: "), version_format(change->when.before, v));
        if (change->when.since)
            strbuf_printf(&text, _("since HIP %s: "), version_format(change->when.since, v));
        if (!change->op_count)
            strbuf_adds(&text, _("the arguments stay"));
        for (int k = 0; k < change->op_count; ++k) {
            if (k)
                strbuf_adds(&text, "; ");
            add_op(&text, &change->ops[k]);
        }
        add_field(out, _("arguments"), text.text);
        strbuf_release(&text);
    }
}

static void add_text(struct strbuf *out, const struct api *api)
{
    utf8_add_terminal(out, api->cuda, strlen(api->cuda));
    strbuf_addc(out, '\n');
    if (api->kind == API_HEADER && api->action == HEADER_DROP)
        add_field(out, "HIP", _("none is needed, the line is removed"));
    else if (api->hip && !*api->hip)
        add_field(out, "HIP", _("none is needed, the name is removed"));
    else if (api->hip)
        add_field(out, "HIP", api->hip);
    else
        add_field(out, "HIP", _("no counterpart"));
    add_field(out, "ROCm", api->roc);
    add_field(out, _("kind"), api_kind_word(api->kind));
    add_field(out, _("library"), api->library);
    add_field(out, _("covered by"), api->covered_by);
    add_life(out, "CUDA", &api->cuda_life);
    add_life(out, _("in HIP"), &api->hip_life);
    add_changes(out, api);
    add_field(out, _("differs"), api->note);
    add_field(out, _("way out"), api->advice);
    add_field(out, _("source"), api->source);
}

static const char *const op_words[] = {
    [ARG_WRAP] = "wrap",       [ARG_CAST] = "cast",     [ARG_DROP] = "drop",
    [ARG_INSERT] = "insert",   [ARG_APPEND] = "append", [ARG_REPLACE] = "replace",
    [ARG_REPEAT] = "repeat",   [ARG_MOVE] = "move",     [ARG_SWAP] = "swap",
    [ARG_ADDRESS] = "address", [ARG_SUFFIX] = "suffix", [ARG_NAME] = "name",
    [ARG_REPORT] = "report",   [ARG_NOTE] = "note",
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
                    op->kind == ARG_NOTE;
        json_array_append_new(ops, json_pack("{s:s, s:o, s:o, s:o}", "op", op_words[op->kind],
                                             "argument", none ? json_null() : json_integer(op->n),
                                             "other", two ? json_integer(op->m) : json_null(),
                                             "text", json_text_or_null(op->text)));
    }
    return json_pack("{s:b, s:o, s:o, s:o, s:o}", "roc", change->when.roc, "count",
                     change->when.count < 0 ? json_null() : json_integer(change->when.count),
                     "before", json_version(change->when.before), "since",
                     json_version(change->when.since), "edits", ops);
}

static json_t *json_api(const struct api *api)
{
    json_t *changes = json_array();
    for (int i = 0; i < api->change_count; ++i)
        json_array_append_new(changes, json_change(&api->changes[i]));
    bool header = api->kind == API_HEADER;
    const char *action = !header                         ? NULL
                         : api->action == HEADER_REPLACE ? "replace"
                         : api->action == HEADER_DROP    ? "drop"
                                                         : "keep";
    return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "cuda",
                     json_text_or_null(api->cuda), "hip", json_text_or_null(api->hip), "roc",
                     json_text_or_null(api->roc), "kind", api_kind_word(api->kind), "library",
                     json_text_or_null(api->library), "action", json_text_or_null(action),
                     "covered_by", json_text_or_null(api->covered_by), "cuda_versions",
                     json_life(&api->cuda_life), "hip_versions", json_life(&api->hip_life),
                     "changes", changes, "note", json_text_or_null(api->note), "advice",
                     json_text_or_null(api->advice), "source", json_text_or_null(api->source));
}

static void add_json(struct strbuf *out, const char *name, const struct answers *answers,
                     bool first)
{
    strbuf_adds(out, first ? "\n{\"name\": " : ",\n{\"name\": ");
    json_add(out, json_text_or_null(name));
    strbuf_adds(out, ", \"entries\": [");
    for (size_t i = 0; i < answers->list.count; ++i) {
        strbuf_adds(out, i ? ",\n" : "\n");
        json_add(out, json_api(answers->list.items[i]));
    }
    strbuf_adds(out, "]}");
}

enum exit_status command_lookup(const struct options *o)
{
    struct diag diag = DIAG_INIT;
    struct strbuf out = STRBUF_INIT;
    enum exit_status res = STATUS_OK;
    bool json = o->format == FORMAT_JSON;
    struct map *map = data_load_map(o, &diag);
    if (json) {
        strbuf_adds(&out, "{\"version\": 1, \"tool\": ");
        json_add(&out, json_tool());
        strbuf_adds(&out, ",\n\"results\": [");
    }
    for (size_t i = 0, shown = 0; map && i < o->operands.count; ++i) {
        const char *name = o->operands.items[i];
        struct answers answers = {0};
        find(map, name, &answers);
        if (json)
            add_json(&out, name, &answers, i == 0);
        else
            for (size_t k = 0; k < answers.list.count; ++k) {
                if (shown++)
                    strbuf_addc(&out, '\n');
                add_text(&out, answers.list.items[k]);
            }
        if (!answers.list.count) {
            res = STATUS_FOUND;
            diag_add(&diag, DIAG_WARNING, (struct diag_place){0}, _("nothing is known of '%s'"),
                     name);
        }
        vec_release(&answers.list);
    }
    if (json)
        strbuf_adds(&out, o->operands.count ? "\n]}\n" : "]}\n");
    if (!map || !write_stdout(out.text, out.len, &diag))
        res = STATUS_TROUBLE;
    map_free(map);
    diag_flush(&diag, stderr);
    diag_release(&diag);
    strbuf_release(&out);
    return res;
}
