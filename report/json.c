#include <config.h>

#include "report/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "report/message.h"
#include "base/utf8.h"

/* The parts compared as long as there is no option to choose others. */
static const char target[] = "gfx942";
static const char from[] = "sm_80";

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

void json_add_begin(struct strbuf *out)
{
    strbuf_adds(out, "{\"version\": 1, \"tool\": ");
    json_add(out, json_tool());
    strbuf_printf(out, ",\n\"targets\": [\"%s\"], \"from\": \"%s\",\n\"findings\": [", target,
                  from);
}

void json_add_finding(struct strbuf *out, struct source *source, const struct finding *finding,
                      bool first)
{
    const struct rule *rule = rule_get(finding->rule);
    struct location begin = source_location(source, finding->span.begin);
    struct location end = source_location(source, finding->span.end);
    struct strbuf words = STRBUF_INIT;
    json_t *o = must(json_object());

    set(o, "file", json_text_or_null(source->name));
    set(o, "line", json_integer(begin.line));
    set(o, "column", json_integer(begin.column));
    set(o, "end_line", json_integer(end.line));
    set(o, "end_column", json_integer(end.column));
    set(o, "rule", json_string(rule->name));
    set(o, "category", json_string(rule_category(finding->rule)));
    set(o, "level", json_string(level_word(level_of(finding->effect, finding->confidence))));
    set(o, "effect", json_string(effect_word(finding->effect)));
    set(o, "confidence", json_string(confidence_word(finding->confidence)));
    set(o, "targets", json_pack("[s]", target));
    set(o, "kernel", json_text_or_null(finding->kernel));
    message_add(&words, finding, false);
    set(o, "message", json_text(words.text ? words.text : "", words.len));
    strbuf_clear(&words);
    bool todo = message_add_todo(&words, finding, false);
    set(o, "todo", todo ? json_text(words.text ? words.text : "", words.len) : json_null());
    set(o, "related", json_array());
    set(o, "fix", json_null());
    set(o, "figures", json_object());

    strbuf_adds(out, first ? "\n" : ",\n");
    json_add(out, o);
    strbuf_release(&words);
}

void json_add_end(struct strbuf *out, const struct json_summary *summary)
{
    json_t *o = must(json_object()), *skipped = must(json_array());
    for (size_t i = 0; i < summary->skipped_count; ++i)
        if (json_array_append_new(skipped, json_text_or_null(summary->skipped[i])))
            xalloc_die();
    set(o, "files", json_integer((json_int_t)summary->files));
    set(o, "findings", json_integer((json_int_t)summary->findings));
    set(o, "suppressed", json_integer(0));
    set(o, "skipped", skipped);
    strbuf_adds(out, summary->findings ? "\n],\n\"summary\": " : "],\n\"summary\": ");
    json_add(out, o);
    strbuf_adds(out, "}\n");
}
