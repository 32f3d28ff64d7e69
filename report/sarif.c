#include <config.h>

#include "report/sarif.h"

#include <string.h>

#include "base/utf8.h"
#include "report/json.h"
#include "report/message.h"

enum { MARK_DISTANCE = 1024 };

struct sarif_mark {
    uint32_t offset; /* where a code point begins */
    uint32_t points; /* before it in the file */
};

#define SCHEMA \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

void sarif_file_init(struct sarif_file *file, struct source *source)
{
    *file = (struct sarif_file){.source = source};
}

void sarif_file_release(struct sarif_file *file)
{
    vec_release(&file->marks);
}

/* ---- places */

/* The bytes of the code point at OFFSET; a byte that is none counts as one. */
static size_t point_length(const struct source *source, size_t offset)
{
    uint32_t code;
    size_t res = utf8_next(source->text + offset, source->len - offset, &code);
    return res ? res : 1;
}

/* How many code points begin before OFFSET; marks are set up to there, so that many questions about
   one long line cost no more than reading it once. */
static size_t points_before(struct sarif_file *file, size_t offset)
{
    const struct source *source = file->source;
    if (!file->marks.count)
        *vec_push(&file->marks) = (struct sarif_mark){0, 0};
    size_t want = offset / MARK_DISTANCE;
    while (file->marks.count <= want) {
        struct sarif_mark at = file->marks.items[file->marks.count - 1];
        size_t stop = file->marks.count * MARK_DISTANCE;
        for (; at.offset < stop; at.points++)
            at.offset += (uint32_t)point_length(source, at.offset);
        *vec_push(&file->marks) = at;
    }
    struct sarif_mark at = file->marks.items[want];
    while (at.offset < offset) {
        at.offset += (uint32_t)point_length(source, at.offset);
        at.points++;
    }
    return at.points;
}

/* The column of OFFSET in code points. A byte order mark is no part of the text. */
static size_t column(struct sarif_file *file, size_t offset)
{
    size_t begin = offset + 1 - source_location(file->source, offset).column,
           text = source_text_begin(file->source);
    begin = begin < text && text <= offset ? text : begin;
    return points_before(file, offset) - points_before(file, begin) + 1;
}

static json_t *region(struct sarif_file *file, struct span span)
{
    json_t *res = json_must(json_object());
    json_put(res, "startLine", json_integer(source_location(file->source, span.begin).line));
    json_put(res, "startColumn", json_integer((json_int_t)column(file, span.begin)));
    json_put(res, "endLine", json_integer(source_location(file->source, span.end).line));
    json_put(res, "endColumn", json_integer((json_int_t)column(file, span.end)));
    return res;
}

/* The place of RELATED in another file, whose text is not at hand: its lines are known, its columns
   only in bytes. */
static json_t *region_elsewhere(const struct related *related)
{
    json_t *res = json_must(json_object());
    json_put(res, "startLine", json_integer(related->begin.line));
    json_put(res, "endLine", json_integer(related->end.line));
    return res;
}

static bool is_plain(char c)
{
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
           (c && strchr("-._~/", c));
}

/* The file NAME: a URI reference, every byte of it that is not plain as %NN. */
static json_t *artifact(const char *name)
{
    struct strbuf uri = STRBUF_INIT;
    bool absolute = *name == '/';
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    strbuf_adds(&uri, absolute ? "file://" : "");
    for (const char *at = name; *at; ++at)
        if (is_plain(*at))
            strbuf_addc(&uri, *at);
        else
            strbuf_printf(&uri, "%%%02X", (unsigned char)*at);
    json_t *res = json_must(json_object());
    json_put(res, "uri", json_text(uri.text, uri.len));
    if (!absolute)
        json_put(res, "uriBaseId", json_string("%SRCROOT%"));
    strbuf_release(&uri);
    return res;
}

static json_t *message(const struct strbuf *text)
{
    json_t *res = json_must(json_object());
    json_put(res, "text", json_text(text->text ? text->text : "", text->len));
    return res;
}

static json_t *message_of(const char *text)
{
    json_t *res = json_must(json_object());
    json_put(res, "text", json_text_or_null(text));
    return res;
}

static json_t *location(const char *name, json_t *region)
{
    json_t *place = json_must(json_object()), *res = json_must(json_object());
    json_put(place, "artifactLocation", artifact(name));
    json_put(place, "region", region);
    json_put(res, "physicalLocation", place);
    return res;
}

/* ---- results */

static json_t *locations(struct sarif_file *file, const struct finding *f)
{
    json_t *res = json_must(json_array());
    json_t *place = location(file->source->name, region(file, f->span));
    if (f->kernel) {
        json_t *logical = json_must(json_object()), *list = json_must(json_array());
        json_put(logical, "name", json_text_or_null(f->kernel));
        json_put(logical, "kind", json_string("function"));
        json_push(list, logical);
        json_put(place, "logicalLocations", list);
    }
    json_push(res, place);
    return res;
}

static json_t *related_locations(struct sarif_file *file, const struct finding *f)
{
    json_t *res = json_must(json_array());
    json_int_t id = 0;
    for (const struct related *r = f->related; r; r = r->next) {
        struct strbuf words = STRBUF_INIT;
        json_t *place = location(r->file ? r->file : file->source->name,
                                 r->file ? region_elsewhere(r) : region(file, r->span));
        message_add_related(&words, r, false);
        json_put(place, "id", json_integer(++id));
        json_put(place, "message", message(&words));
        json_push(res, place);
        strbuf_release(&words);
    }
    return res;
}

/* The fix as one change; what is only to be shown is none that a program may apply. */
static json_t *fixes(struct sarif_file *file, const struct fix *fix)
{
    json_t *res = json_must(json_array());
    if (!fix || fix->safety == FIX_DISPLAY)
        return res;
    json_t *replacements = json_must(json_array());
    for (const struct fix_edit *e = fix->edits; e; e = e->next) {
        json_t *replacement = json_must(json_object());
        json_put(replacement, "deletedRegion", region(file, e->span));
        if (*e->text)
            json_put(replacement, "insertedContent", message_of(e->text));
        json_push(replacements, replacement);
    }
    json_t *change = json_must(json_object()), *changes = json_must(json_array());
    json_put(change, "artifactLocation", artifact(file->source->name));
    json_put(change, "replacements", replacements);
    json_push(changes, change);
    json_t *one = json_must(json_object());
    json_put(one, "description",
             message_of(fix->safety == FIX_UNSAFE ? "unsafe fix: right as far as can be seen"
                                                  : "safe fix: keeps the meaning"));
    json_put(one, "artifactChanges", changes);
    json_push(res, one);
    return res;
}

static json_t *properties(const struct finding *f, const struct comparison *gpus)
{
    json_t *res = json_must(json_object());
    json_put(res, "effect", json_string(effect_word(f->effect)));
    json_put(res, "confidence", json_string(confidence_word(f->confidence)));
    json_put(res, "targets", json_target_names(gpus, f->targets));
    if (f->figures)
        json_put(res, "figures", json_figures(f));
    return res;
}

/* Sets KEY of O to LIST, unless that is empty. */
static void put_list(json_t *o, const char *key, json_t *list)
{
    if (json_array_size(list))
        json_put(o, key, list);
    else
        json_decref(list);
}

/* What the finding says, and what is to be done, on a line of its own. */
static json_t *words_of(const struct finding *f)
{
    struct strbuf words = STRBUF_INIT;
    message_add(&words, f, false);
    size_t len = words.len;
    strbuf_adds(&words, "\nTODO: ");
    if (!message_add_todo(&words, f, false))
        words.len = len;
    json_t *res = message(&words);
    strbuf_release(&words);
    return res;
}

void sarif_add_begin(struct strbuf *out)
{
    strbuf_adds(out, "{\"$schema\": \"" SCHEMA "\",\n\"version\": \"2.1.0\",\n"
                     "\"runs\": [{\"columnKind\": \"unicodeCodePoints\",\n"
                     "\"originalUriBaseIds\": {\"%SRCROOT%\": {\"description\": {\"text\": "
                     "\"the folder in which hipwright ran\"}}},\n"
                     "\"results\": [");
}

void sarif_add_finding(struct strbuf *out, struct sarif_file *file, const struct finding *f,
                       const struct comparison *gpus, const char *fingerprint, bool silenced)
{
    json_t *o = json_must(json_object()), *prints = json_must(json_object());
    json_put(o, "ruleId", json_string(rule_get(f->rule)->name));
    json_put(o, "level", json_string(level_word(finding_level(f))));
    json_put(o, "message", words_of(f));
    json_put(o, "locations", locations(file, f));
    json_put(prints, "hipwright/v1", json_string(fingerprint));
    json_put(o, "partialFingerprints", prints);
    put_list(o, "relatedLocations", related_locations(file, f));
    put_list(o, "fixes", fixes(file, f->fix));
    if (silenced) {
        json_t *list = json_must(json_array()), *one = json_must(json_object());
        json_put(one, "kind", json_string("inSource"));
        json_push(list, one);
        json_put(o, "suppressions", list);
    }
    json_put(o, "properties", properties(f, gpus));
    json_add(out, o);
}

/* ---- rules */

void sarif_add_rules(struct strbuf *out)
{
    strbuf_adds(out, "\n],\n\"tool\": {\"driver\": {\"name\": \"hipwright\", \"version\": "
                     "\"" PACKAGE_VERSION "\",\n\"rules\": [");
}

void sarif_add_rule(struct strbuf *out, enum rule_id id, const char *page, size_t len)
{
    const struct rule *rule = rule_get(id);
    enum level level = level_of(rule->effect, rule->confidence);
    json_t *o = json_must(json_object()), *help = json_must(json_object()),
           *level_object = json_must(json_object()), *more = json_must(json_object()),
           *tags = json_must(json_array());
    json_put(o, "id", json_string(rule->name));
    json_put(o, "shortDescription", message_of(rule->title));
    json_put(help, "text", len ? json_text(page, len) : json_string(rule->title));
    json_put(o, "help", help);
    json_put(level_object, "level", json_string(level_word(level)));
    json_put(o, "defaultConfiguration", level_object);
    json_push(tags, json_string(rule_category(id)));
    json_push(tags, json_string(effect_word(rule->effect)));
    json_put(more, "tags", tags);
    json_put(more, "precision", json_string(confidence_word(rule->confidence)));
    json_put(o, "properties", more);
    json_add(out, o);
}

void sarif_add_end(struct strbuf *out, const char *const *skipped, size_t count)
{
    json_t *o = json_must(json_object()), *invocations = json_must(json_array()),
           *notices = json_must(json_array());
    for (size_t i = 0; i < count; ++i) {
        json_t *one = json_must(json_object()), *list = json_must(json_array()),
               *place = json_must(json_object()), *physical = json_must(json_object());
        json_put(one, "level", json_string("error"));
        json_put(one, "message", message_of("the file could not be read"));
        json_put(physical, "artifactLocation", artifact(skipped[i]));
        json_put(place, "physicalLocation", physical);
        json_push(list, place);
        json_put(one, "locations", list);
        json_push(notices, one);
    }
    json_put(o, "executionSuccessful", json_boolean(count == 0));
    put_list(o, "toolExecutionNotifications", notices);
    json_push(invocations, o);
    strbuf_adds(out, "\n]}},\n\"invocations\": ");
    json_add(out, invocations);
    strbuf_adds(out, "}]}\n");
}
