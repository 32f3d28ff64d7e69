#include <config.h>

#include "report/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "report/message.h"
#include "base/utf8.h"

json_t *json_must(json_t *value)
{
    if (!value)
        xalloc_die();
    return value;
}

void json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, json_must(value)))
        xalloc_die();
}

void json_push(json_t *array, json_t *value)
{
    if (json_array_append_new(array, json_must(value)))
        xalloc_die();
}

json_t *json_text(const char *text, size_t len)
{
    struct strbuf utf8 = STRBUF_INIT;
    utf8_add_machine(&utf8, text, len);
    json_t *res = json_must(json_stringn(utf8.text ? utf8.text : "", utf8.len));
    strbuf_release(&utf8);
    return res;
}

json_t *json_text_or_null(const char *text)
{
    return text ? json_text(text, strlen(text)) : json_null();
}

json_t *json_tool(void)
{
    return json_must(json_pack("{s:s, s:s}", "name", "hipwright", "version", PACKAGE_VERSION));
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

json_t *json_target_names(const struct comparison *gpus, target_set set)
{
    json_t *res = json_must(json_array());
    for (unsigned i = 0; i < gpus->count; ++i)
        if (set & (target_set)1 << i)
            json_push(res, json_string(gpus->targets[i]->name));
    return res;
}

void json_add_begin(struct strbuf *out, const struct comparison *gpus, const char *list)
{
    strbuf_adds(out, "{\"version\": 1, \"tool\": ");
    json_add(out, json_tool());
    strbuf_adds(out, ",\n\"targets\": ");
    json_add(out, json_target_names(gpus, comparison_all(gpus)));
    strbuf_adds(out, ", \"from\": ");
    json_add(out, json_must(json_string(gpus->from->name)));
    strbuf_printf(out, ",\n\"%s\": [", list);
}

static void set_place(json_t *o, struct location begin, struct location end)
{
    json_put(o, "line", json_integer(begin.line));
    json_put(o, "column", json_integer(begin.column));
    json_put(o, "end_line", json_integer(end.line));
    json_put(o, "end_column", json_integer(end.column));
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
    json_t *res = json_must(json_array());
    for (const struct related *r = finding->related; r; r = r->next) {
        struct strbuf words = STRBUF_INIT;
        json_t *o = json_must(json_object());
        json_put(o, "file", json_text_or_null(r->file ? r->file : source->name));
        if (r->file)
            set_place(o, r->begin, r->end);
        else
            set_span(o, source, r->span);
        message_add_related(&words, r, false);
        json_put(o, "message", words_or_null(&words));
        json_push(res, o);
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
    json_t *res = json_must(json_object()), *edits = json_must(json_array());
    for (const struct fix_edit *e = fix->edits; e; e = e->next) {
        json_t *o = json_must(json_object());
        set_span(o, source, e->span);
        json_put(o, "text", json_text_or_null(e->text));
        json_push(edits, o);
    }
    json_put(res, "safety", json_string(words[fix->safety]));
    json_put(res, "edits", edits);
    return res;
}

json_t *json_figures(const struct finding *finding)
{
    json_t *res = json_must(json_object());
    for (const struct figure *f = finding->figures; f; f = f->next) {
        json_t *gpu = json_object_get(res, f->gpu);
        if (!gpu) {
            gpu = json_must(json_object());
            json_put(res, f->gpu, gpu);
        }
        json_put(gpu, figure_key(f->id),
                 f->text ? json_text_or_null(f->text) : json_integer((json_int_t)f->number));
    }
    return res;
}

json_t *json_finding(struct source *source, const struct finding *finding,
                     const struct comparison *gpus)
{
    const struct rule *rule = rule_get(finding->rule);
    struct strbuf words = STRBUF_INIT;
    json_t *o = json_must(json_object());

    json_put(o, "file", json_text_or_null(source->name));
    set_span(o, source, finding->span);
    json_put(o, "rule", json_string(rule->name));
    json_put(o, "category", json_string(rule_category(finding->rule)));
    json_put(o, "level", json_string(level_word(finding_level(finding))));
    json_put(o, "effect", json_string(effect_word(finding->effect)));
    json_put(o, "confidence", json_string(confidence_word(finding->confidence)));
    json_put(o, "targets", json_target_names(gpus, finding->targets));
    json_put(o, "kernel", json_text_or_null(finding->kernel));
    message_add(&words, finding, false);
    json_put(o, "message", words_or_null(&words));
    strbuf_clear(&words);
    message_add_todo(&words, finding, false);
    json_put(o, "todo", words_or_null(&words));
    json_put(o, "related", related_places(source, finding));
    json_put(o, "fix", fix_or_null(source, finding->fix));
    json_put(o, "figures", json_figures(finding));
    strbuf_release(&words);
    return o;
}

void json_add_finding(struct strbuf *out, struct source *source, const struct finding *finding,
                      const struct comparison *gpus)
{
    json_add(out, json_finding(source, finding, gpus));
}

void json_add_end(struct strbuf *out, const struct json_summary *summary)
{
    json_t *o = json_must(json_object()), *skipped = json_must(json_array());
    for (size_t i = 0; i < summary->skipped_count; ++i)
        json_push(skipped, json_text_or_null(summary->skipped[i]));
    json_put(o, "files", json_integer((json_int_t)summary->files));
    json_put(o, "findings", json_integer((json_int_t)summary->findings));
    json_put(o, "suppressed", json_integer((json_int_t)summary->suppressed));
    json_put(o, "known", json_integer((json_int_t)summary->known));
    json_put(o, "skipped", skipped);
    strbuf_adds(out, summary->findings ? "\n],\n\"summary\": " : "],\n\"summary\": ");
    json_add(out, o);
    if (summary->stats) {
        strbuf_adds(out, ",\n\"stats\": ");
        json_add(out, summary->stats);
    }
    strbuf_adds(out, "}\n");
}
