#include <config.h>

#include "maps/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "maps/list.h"

/* One word of a list that is looked up. */
struct pattern {
    const char *text; /* without the star */
    size_t len;
    bool open; /* a star stood at the end: anything may follow, */
    bool word; /* but no lower-case letter: "curand*" is not for "curandom" */
    enum library_field field;
    const struct library *library;
};

/* The patterns of one field, in the file's order. */
struct patterns {
    VEC(struct pattern) list;
};

struct library_table {
    struct arena arena;
    VEC(struct library *) libraries;
    struct patterns patterns[LIBRARY_FIELD_COUNT];
};

static const char *const state_words[LIBRARY_STATE_COUNT] = {
    [LIBRARY_FULL] = "full", [LIBRARY_PARTIAL] = "partial", [LIBRARY_PORT] = "port",
    [LIBRARY_NONE] = "none", [LIBRARY_TOOL] = "tool",
};

static const char *const field_words[LIBRARY_FIELD_COUNT] = {
    [LIBRARY_NAME] = "library",
    [LIBRARY_COUNTERPART] = "counterpart",
    [LIBRARY_STATE] = "state",
    [LIBRARY_EXTENT] = "extent",
    [LIBRARY_INCLUDE] = "include",
    [LIBRARY_HIP_INCLUDE] = "hip-include",
    [LIBRARY_LINK] = "link",
    [LIBRARY_HIP_LINK] = "hip-link",
    [LIBRARY_CMAKE] = "cmake",
    [LIBRARY_HIP_CMAKE] = "hip-cmake",
    [LIBRARY_COMMAND] = "command",
    [LIBRARY_HIP_COMMAND] = "hip-command",
    [LIBRARY_NAMES] = "names",
    [LIBRARY_PUBLIC] = "public",
    [LIBRARY_MAP] = "map",
    [LIBRARY_ROC] = "roc",
    [LIBRARY_ROC_EXTENT] = "roc-extent",
    [LIBRARY_ROC_INCLUDE] = "roc-include",
    [LIBRARY_ROC_LINK] = "roc-link",
    [LIBRARY_ROC_CMAKE] = "roc-cmake",
    [LIBRARY_ROC_NOTE] = "roc-note",
    [LIBRARY_NOTE] = "note",
    [LIBRARY_SOURCE] = "source",
};

/* The reading of one file. */
struct reader {
    struct library_table *table;
    struct list list;
    struct library *library; /* the record being read, or NULL */
    unsigned begin;          /* its line */
};

#define complain(reader, ...) list_complain(&(reader)->list, __VA_ARGS__)

struct library_table *library_table_new(void)
{
    return xcalloc(1, sizeof(struct library_table));
}

void library_table_free(struct library_table *table)
{
    if (!table)
        return;
    vec_release(&table->libraries);
    for (int field = 0; field < LIBRARY_FIELD_COUNT; ++field)
        vec_release(&table->patterns[field].list);
    arena_release(&table->arena);
    free(table);
}

static bool is_lookup(enum library_field field)
{
    return field == LIBRARY_INCLUDE || field == LIBRARY_LINK || field == LIBRARY_CMAKE ||
           field == LIBRARY_COMMAND || field == LIBRARY_NAMES;
}

static bool is_lower(char c)
{
    return 'a' <= c && c <= 'z';
}

/* Headers and names belong to one library; a link flag may belong to several. */
static bool is_unique(enum library_field field)
{
    return field == LIBRARY_INCLUDE || field == LIBRARY_NAMES;
}

/* One pattern of LEN bytes at TEXT. */
static bool add_pattern(struct reader *reader, enum library_field field, const char *text,
                        size_t len)
{
    struct patterns *patterns = &reader->table->patterns[field];
    struct pattern pattern = {.text = text, .len = len, .field = field, .library = reader->library};
    if (len && text[len - 1] == '*') {
        pattern.open = true;
        --pattern.len;
        pattern.word = field == LIBRARY_NAMES && pattern.len && is_lower(text[pattern.len - 1]);
    } else if (field == LIBRARY_NAMES && 2 < len && memcmp(text + len - 2, "::", 2) == 0) {
        pattern.open = true;
    }
    if (!pattern.len || memchr(text, '*', pattern.len))
        return complain(reader, _("'%.*s' is no pattern; a star stands at the end only"), (int)len,
                        text);
    for (size_t i = 0; is_unique(field) && i < patterns->list.count; ++i) {
        const struct pattern *other = &patterns->list.items[i];
        if (other->len == pattern.len && other->open == pattern.open &&
            memcmp(other->text, text, pattern.len) == 0)
            return complain(reader, _("'%.*s' already belongs to %s"), (int)len, text,
                            other->library->text[LIBRARY_NAME]);
    }
    *vec_push(&patterns->list) = pattern;
    return true;
}

static bool add_patterns(struct reader *reader, enum library_field field, const char *list)
{
    bool res = true;
    for (const char *p = list; *p;) {
        size_t len = strcspn(p, " ");
        res = add_pattern(reader, field, p, len) && res;
        p += len;
        p += strspn(p, " ");
    }
    return res;
}

static bool end_record(struct reader *reader)
{
    struct library *library = reader->library;
    reader->library = NULL;
    if (!library)
        return true;
    struct diag_place place = reader->list.place;
    reader->list.place.line = reader->begin;
    bool res = true;
    if (!library->text[LIBRARY_STATE] || !library->text[LIBRARY_SOURCE])
        res = complain(reader, _("%s has no line 'state' or no line 'source'"),
                       library->text[LIBRARY_NAME]);
    else if (!library->text[LIBRARY_COUNTERPART] && library->state != LIBRARY_NONE)
        res = complain(reader, _("%s has no counterpart although its state is '%s'"),
                       library->text[LIBRARY_NAME], library->text[LIBRARY_STATE]);
    reader->list.place = place;
    return res;
}

static bool read_state(struct reader *reader, const char *text)
{
    for (int i = 0; i < LIBRARY_STATE_COUNT; ++i) {
        if (strcmp(text, state_words[i]) == 0) {
            reader->library->state = (enum library_state)i;
            return true;
        }
    }
    return complain(reader, _("'%s' is no state of a library"), text);
}

/* One line of a record. */
static bool read_field(struct reader *reader, const char *line, size_t len)
{
    const char *text = arena_strndup(&reader->table->arena, line, len);
    size_t word = strcspn(text, " ");
    int field = 0;
    while (field < LIBRARY_FIELD_COUNT &&
           (strlen(field_words[field]) != word || memcmp(text, field_words[field], word) != 0))
        ++field;
    if (field == LIBRARY_FIELD_COUNT)
        return complain(reader, _("'%.*s' begins no line of a library"), (int)word, text);
    text += word;
    text += strspn(text, " ");
    if (!*text)
        return complain(reader, _("'%s' wants a text"), field_words[field]);
    if ((field == LIBRARY_NAME) == (reader->library != NULL))
        return complain(reader, reader->library
                                    ? _("a library begins without an empty line before it")
                                    : _("a line before 'library'"));
    if (field == LIBRARY_NAME) {
        reader->library = arena_zalloc(&reader->table->arena, 1, sizeof *reader->library);
        reader->begin = reader->list.place.line;
        *vec_push(&reader->table->libraries) = reader->library;
    }
    if (reader->library->text[field])
        return complain(reader, _("two lines '%s'"), field_words[field]);
    reader->library->text[field] = text;
    if (field == LIBRARY_STATE)
        return read_state(reader, text);
    return !is_lookup((enum library_field)field) ||
           add_patterns(reader, (enum library_field)field, text);
}

static void read_line(void *context, const char *line, size_t len)
{
    if (len)
        read_field(context, line, len);
    else
        end_record(context);
}

bool library_load_file(struct library_table *table, const char *file, struct diag *diag)
{
    struct reader reader = {.list = {.diag = diag}, .table = table};
    return list_read(&reader.list, file, read_line, &reader);
}

static bool matches(const struct pattern *pattern, const char *text, size_t len)
{
    if (!len || *pattern->text != *text)
        return false;
    if (!pattern->open)
        return pattern->len == len && memcmp(pattern->text, text, len) == 0;
    /* A namespace is meant by its own name as well. */
    if (pattern->field == LIBRARY_NAMES && 2 < pattern->len && len == pattern->len - 2 &&
        pattern->text[len] == ':' && memcmp(pattern->text, text, len) == 0)
        return true;
    /* cudnnModule:: is a class of somebody's own, not one of cuDNN's names, which are C's. */
    if (text[len - 1] == ':' && pattern->text[pattern->len - 1] != ':' && pattern->len + 2 != len)
        return false;
    return pattern->len < len && memcmp(pattern->text, text, pattern->len) == 0 &&
           !(pattern->word && is_lower(text[pattern->len]));
}

const struct library *library_find(const struct library_table *table, enum library_field field,
                                   const char *text, size_t len)
{
    const struct pattern *best = NULL;
    vec_each (const struct pattern, pattern, &table->patterns[field].list)
        if (matches(pattern, text, len) &&
            (!best || best->len < pattern->len ||
             (best->len == pattern->len && best->open && !pattern->open)))
            best = pattern;
    return best ? best->library : NULL;
}

const struct library *library_of_include(const struct library_table *table, const char *path,
                                         size_t len)
{
    return library_find(table, LIBRARY_INCLUDE, path, len);
}

const struct library *library_of_link(const struct library_table *table, const char *flag,
                                      size_t len)
{
    return library_find(table, LIBRARY_LINK, flag, len);
}

const struct library *library_of_name(const struct library_table *table, const char *name,
                                      size_t len)
{
    return library_find(table, LIBRARY_NAMES, name, len);
}

bool library_is_unchecked(const struct library *library)
{
    static const char key[] = "unchecked";
    const char *source = library->text[LIBRARY_SOURCE];
    size_t len = strcspn(source, " ");
    return len == sizeof key - 1 && memcmp(source, key, len) == 0;
}

void library_each(const struct library_table *table,
                  void (*fn)(const struct library *library, void *context), void *context)
{
    for (size_t i = 0; i < table->libraries.count; ++i)
        fn(table->libraries.items[i], context);
}

const char *library_state_word(enum library_state state)
{
    return state_words[state];
}

const char *library_field_word(enum library_field field)
{
    return field_words[field];
}
