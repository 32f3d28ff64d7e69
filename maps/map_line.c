/* A line of a map: its columns, one by one.  */
#include <config.h>

#include "maps/map_p.h"

#include "base/i18n.h"

enum column {
    COL_CUDA,
    COL_KIND,
    COL_HIP,
    COL_ROC,
    COL_CUDA_LIFE,
    COL_HIP_LIFE,
    COL_ARGS,
    COL_REMARKS,
    COLUMNS
};

static const char *const kind_words[API_KIND_COUNT] = {
    [API_FUNCTION] = "function",
    [API_TYPE] = "type",
    [API_ENUMERATOR] = "enumerator",
    [API_MACRO] = "macro",
    [API_DEVICE_FUNCTION] = "device_function",
    [API_DEVICE_TYPE] = "device_type",
    [API_NAMESPACE] = "namespace",
    [API_CLASS] = "class",
    [API_VARIABLE] = "variable",
    [API_FIELD] = "field",
    [API_HEADER] = "header",
};

const char *api_kind_word(enum api_kind kind)
{
    return kind_words[kind];
}

static bool read_kind(struct reader *reader, struct field field, enum api_kind *res)
{
    for (int i = 0; i < API_KIND_COUNT; ++i) {
        if (is_word(field.text, field.len, kind_words[i])) {
            *res = (enum api_kind)i;
            return true;
        }
    }
    return complain(reader, _("'%s' is no kind of API"), field.text);
}

/* One of the life columns: marked versions with blanks between them. */
static bool read_life(struct reader *reader, struct field field, bool hip, struct api_life *life)
{
    if (is_empty(field))
        return true;
    const char *p = field.text, *end = p + field.len;
    for (;;) {
        const char *word = p;
        version *slot = NULL;
        switch (*p) {
        case '+':
            slot = &life->added;
            break;
        case '~':
            slot = &life->deprecated;
            break;
        case '!':
            slot = &life->changed;
            break;
        case '-':
            slot = &life->removed;
            break;
        case '?':
            slot = hip ? &life->experimental : NULL;
            break;
        case '@':
            slot = hip ? &life->native : NULL;
            break;
        default:
            break;
        }
        while (p < end && !is_blank(*p))
            ++p;
        version v = 0;
        if (!slot || *slot || !version_parse(word + 1, (size_t)(p - word - 1), &v) || !v)
            return complain(reader, _("bad version in '%s'"), field.text);
        *slot = v;
        if (hip)
            map_note_hip(reader->map, v);
        if (p == end)
            return true;
        ++p;
    }
}

/* A header's column of what is done with it. */
static bool read_action(struct reader *reader, struct field field, struct api *api)
{
    static const char covered[] = "covered-by ";
    if (is_word(field.text, field.len, "drop")) {
        api->action = HEADER_DROP;
    } else if (is_word(field.text, field.len, "keep")) {
        api->action = HEADER_KEEP;
        if (!api->hip)
            api->hip = api->cuda;
        if (strcmp(api->cuda, api->hip) != 0)
            return complain(reader, _("a header that is kept has another name in HIP"));
    } else if (starts_with(field.text, field.text + field.len, covered) &&
               sizeof covered <= field.len) {
        if (!api->hip)
            return complain(reader, _("a header that is covered has no name in HIP"));
        api->covered_by = field.text + sizeof covered - 1;
    } else if (!is_empty(field)) {
        return complain(reader, _("'%s' is no action for a header"), field.text);
    }
    return true;
}

/* "NAME since VERSION": cuts TEXT behind the name. */
static bool read_fnuz(char *text, struct api *api)
{
    char *since = strstr(text, " since ");
    if (!since || !version_parse(since + 7, strlen(since + 7), &api->fnuz_added))
        return false;
    *since = '\0';
    return true;
}

/* The last column: "note: ...; advice: ...; source: ...; library: ...". */
static bool read_remarks(struct reader *reader, struct field field, struct api *api)
{
    const struct {
        const char *word;
        const char **slot;
    } parts[] = {
        {"note:", &api->note},     {"define:", &api->define}, {"after:", &api->after},
        {"advice:", &api->advice}, {"source:", &api->source}, {"library:", &api->library},
        {"brings:", &api->brings}, {"needs:", &api->needs},   {"include:", &api->include},
        {"fnuz:", &api->fnuz},
    };
    enum { PARTS = sizeof parts / sizeof *parts };
    bool seen[PARTS] = {false};
    char *p = field.text, *end = p + field.len;
    while (p <= end) {
        char *stop = memchr(p, ';', (size_t)(end - p));
        if (!stop)
            stop = end;
        char *text = map_finish_text(p, stop);
        char *text_end = text + strlen(text);
        size_t i = 0;
        while (i < PARTS && !starts_with(text, text_end, parts[i].word))
            ++i;
        if (i == PARTS || seen[i] ||
            ((parts[i].slot == &api->library || parts[i].slot == &api->brings) &&
             api->kind != API_HEADER))
            return complain(reader, _("bad remark '%s'"), text);
        text = map_finish_text(text + strlen(parts[i].word), text_end);
        if (!*text)
            return complain(reader, _("empty remark '%s'"), parts[i].word);
        seen[i] = true;
        *parts[i].slot = text;
        if (parts[i].slot == &api->fnuz && !read_fnuz(text, api))
            return complain(reader, _("bad remark '%s'"), text);
        p = stop + 1;
    }
    return true;
}

/* A line that begins with '%'. */
static bool read_directive(struct reader *reader, char *line, char *end)
{
    static const char source[] = "%source ";
    if (!starts_with(line, end, source))
        return complain(reader, _("'%s' is no directive"), line);
    char *key = map_finish_text(line + sizeof source - 1, end);
    if (!*key)
        return complain(reader, _("'%s' is no directive"), line);
    reader->source = key;
    return true;
}

bool map_read_line(struct reader *reader, char *line, char *end)
{
    if (memchr(line, '\0', (size_t)(end - line)))
        return complain(reader, _("a NUL byte"));
    if (line < end && end[-1] == '\r')
        --end;
    *end = '\0';
    if (line == end || *line == '#')
        return true;
    if (*line == '%')
        return read_directive(reader, line, end);

    struct field column[COLUMNS];
    int count = 0;
    for (char *p = line;; ++count) {
        char *tab = memchr(p, '\t', (size_t)(end - p));
        char *stop = tab ? tab : end;
        if (count < COLUMNS)
            column[count] = (struct field){p, (size_t)(stop - p)};
        if (p == stop)
            return complain(reader, _("column %d is empty; write '-'"), count + 1);
        *stop = '\0';
        if (!tab)
            break;
        p = tab + 1;
    }
    if (++count != COLUMNS)
        return complain(reader, _("%d instead of %d columns"), count, COLUMNS);

    struct api api = {.library = reader->library, .source = reader->source};
    struct field cuda = column[COL_CUDA];
    if (is_empty(cuda) || memchr(cuda.text, ' ', cuda.len))
        return complain(reader, _("'%s' is no name"), cuda.text);
    api.cuda = cuda.text;
    if (!read_kind(reader, column[COL_KIND], &api.kind))
        return false;
    if (is_word(column[COL_HIP].text, column[COL_HIP].len, "(nothing)")) {
        if (api.kind != API_MACRO)
            return complain(reader, _("only a macro can become nothing"));
        api.hip = "";
    } else if (!is_empty(column[COL_HIP])) {
        api.hip = column[COL_HIP].text;
    }
    if (!is_empty(column[COL_ROC]))
        api.roc = column[COL_ROC].text;
    if (!read_life(reader, column[COL_CUDA_LIFE], false, &api.cuda_life) ||
        !read_life(reader, column[COL_HIP_LIFE], true, &api.hip_life))
        return false;
    if (api.kind == API_HEADER) {
        if (!read_action(reader, column[COL_ARGS], &api))
            return false;
    } else if (!is_empty(column[COL_ARGS]) && !map_read_changes(reader, column[COL_ARGS], &api)) {
        return false;
    }
    if (!is_empty(column[COL_REMARKS]) && !read_remarks(reader, column[COL_REMARKS], &api))
        return false;
    return map_add(reader, &api, cuda.len);
}
