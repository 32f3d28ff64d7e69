#include <config.h>

#include "report/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "report/message.h"
#include "base/utf8.h"

static json_t *must(json_t *value)
{
    if (!value)
        xalloc_die();
    return value;
}

static void set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, must(value)))
        xalloc_die();
}

static void append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, must(value)))
        xalloc_die();
}

json_t *json_text(const char *text, size_t len)
{
    struct strbuf utf8 = STRBUF_INIT;
    utf8_add_machine(&utf8, text, len);
    json_t *res = must(json_stringn(utf8.text ? utf8.text : "", utf8.len));
    strbuf_release(&utf8);
    return res;
}

json_t *json_text_or_null(const char *text)
{
    return text ? json_text(text, strlen(text)) : json_null();
}

json_t *json_tool(void)
{
    return must(json_pack("{s:s, s:s}", "name", "hipwright", "version", PACKAGE_VERSION));
}

static int add_piece(const char *text, size_t len, void *out)
{
    strbuf_add(out, text, len);
    return 0;
}

void json_add(struct strbuf *out, json_t *value)
{
    if (json_dump_callback(value, add_piece, out, JSON_ENCODE_ANY))
        xalloc_die();
    json_decref(value);
}

/* The names of the targets in SET. */
static json_t *target_names(const struct comparison *gpus, target_set set)
{
    json_t *res = must(json_array());
    for (unsigned i = 0; i < gpus->count; ++i)
        if (set & (target_set)1 << i)
            append(res, json_string(gpus->targets[i]->name));
    return res;
}

void json_add_begin(struct strbuf *out, const struct comparison *gpus)
{
    strbuf_adds(out, "{\"version\": 1, \"tool\": ");
    json_add(out, json_tool());
    strbuf_adds(out, ",\n\"targets\": ");
    json_add(out, target_names(gpus, comparison_all(gpus)));
    strbuf_adds(out, ", \"from\": ");
    json_add(out, must(json_string(gpus->from->name)));
    strbuf_adds(out, ",\n\"findings\": [");
}

static void set_place(json_t *o, struct location begin, struct location end)
{
    set(o, "line", json_integer(begin.line));
    set(o, "column", json_integer(begin.column));
    set(o, "end_line", json_integer(end.line));
    set(o, "end_column", json_integer(end.column));
}

static void set_span(json_t *o, struct source *source, struct span span)
{
    set_place(o, source_location(source, span.begin), source_location(source, span.end));
}

static json_t *words_or_null(const struct strbuf *words)
{
    return words->len ? json_text(words->text, words->len) : json_null();
}

static json_t *related_places(struct source *source, const struct finding *finding)
{
    json_t *res = must(json_array());
    for (const struct related *r = finding->related; r; r = r->next) {
        struct strbuf words = STRBUF_INIT;
        json_t *o = must(json_object());
        set(o, "file", json_text_or_null(r->file ? r->file : source->name));
        if (r->file)
            set_place(o, r->begin, r->end);
        else
            set_span(o, source, r->span);
        message_add_related(&words, r, false);
        set(o, "message", words_or_null(&words));
        append(res, o);
        strbuf_release(&words);
    }
    return res;
}

static json_t *fix_or_null(struct source *source, const struct fix *fix)
{
    static const char *const words[] = {[FIX_REPAIR] = "safe",
                                        [FIX_SAFE] = "safe",
                                        [FIX_UNSAFE] = "unsafe",
                                        [FIX_DISPLAY] = "display"};
    if (!fix)
        return json_null();
    json_t *res = must(json_object()), *edits = must(json_array());
    for (const struct fix_edit *e = fix->edits; e; e = e->next) {
        json_t *o = must(json_object());
        set_span(o, source, e->span);
        set(o, "text", json_text_or_null(e->text));
        append(edits, o);
    }
    set(res, "safety", json_string(words[fix->safety]));
    set(res, "edits", edits);
    return res;
}

static json_t *figures_of(const struct finding *finding)
{
    json_t *res = must(json_object());
    for (const struct figure *f = finding->figures; f; f = f->next) {
        json_t *gpu = json_object_get(res, f->gpu);
        if (!gpu) {
            gpu = must(json_object());
            set(res, f->gpu, gpu);
        }
        set(gpu, figure_key(f->id),
            f->text ? json_text_or_null(f->text) : json_integer((json_int_t)f->number));
    }
    return res;
}

void json_add_finding(struct strbuf *out, struct source *source, const struct finding *finding,
                      const struct comparison *gpus, bool first)
{
    const struct rule *rule = rule_get(finding->rule);
    struct strbuf words = STRBUF_INIT;
    json_t *o = must(json_object());

    set(o, "file", json_text_or_null(source->name));
    set_span(o, source, finding->span);
    set(o, "rule", json_string(rule->name));
    set(o, "category", json_string(rule_category(finding->rule)));
    set(o, "level", json_string(level_word(finding_level(finding))));
    set(o, "effect", json_string(effect_word(finding->effect)));
    set(o, "confidence", json_string(confidence_word(finding->confidence)));
    set(o, "targets", target_names(gpus, finding->targets));
    set(o, "kernel", json_text_or_null(finding->kernel));
    message_add(&words, finding, false);
    set(o, "message", words_or_null(&words));
    strbuf_clear(&words);
    message_add_todo(&words, finding, false);
    set(o, "todo", words_or_null(&words));
    set(o, "related", related_places(source, finding));
    set(o, "fix", fix_or_null(source, finding->fix));
    set(o, "figures", figures_of(finding));

    strbuf_adds(out, first ? "\n" : ",\n");
    json_add(out, o);
    strbuf_release(&words);
}

void json_add_end(struct strbuf *out, const struct json_summary *summary)
{
    json_t *o = must(json_object()), *skipped = must(json_array());
    for (size_t i = 0; i < summary->skipped_count; ++i)
        append(skipped, json_text_or_null(summary->skipped[i]));
    set(o, "files", json_integer((json_int_t)summary->files));
    set(o, "findings", json_integer((json_int_t)summary->findings));
    set(o, "suppressed", json_integer((json_int_t)summary->suppressed));
    set(o, "skipped", skipped);
    strbuf_adds(out, summary->findings ? "\n],\n\"summary\": " : "],\n\"summary\": ");
    json_add(out, o);
    if (summary->stats) {
        strbuf_adds(out, ",\n\"stats\": ");
        json_add(out, summary->stats);
    }
    strbuf_adds(out, "}\n");
}
