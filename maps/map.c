#include <config.h>

#include "maps/map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/hash.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "maps/library.h"

#define HASH_FUNCTION(name, len, res) ((res) = hash_bytes((name), (len)))
#define uthash_fatal(text) xalloc_die()
#include <uthash.h>

/* Room for the whole catalogue without rebuilding the table while it is filled. */
#undef HASH_INITIAL_NUM_BUCKETS
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#define HASH_INITIAL_NUM_BUCKETS 16384U
#define HASH_INITIAL_NUM_BUCKETS_LOG2 14U

enum {
    COLUMNS = 8,
    MAX_OPS = 16,       /* of one alternative */
    MAX_CHANGES = 32,   /* alternatives of one entry */
    MAX_ARGUMENT = 255, /* the largest count that a condition may ask for */
    MAX_ERRORS = 20,    /* of one file; behind them it is not read on */
    MAX_FILE = 64 * 1024 * 1024,
    FILTER_BITS = 1 << 18, /* some ten for each name of the catalogue */
};

enum column {
    COL_CUDA,
    COL_KIND,
    COL_HIP,
    COL_ROC,
    COL_CUDA_LIFE,
    COL_HIP_LIFE,
    COL_ARGS,
    COL_REMARKS
};

struct entry {
    struct api api;
    unsigned file; /* the number of the file it was last set by */
    UT_hash_handle hh;
};

struct map {
    struct arena arena;
    struct entry *names;
    /* One bit for some of the hash of each name: most names of a file are no API's, and this says
       so without a walk through the table, which is larger than the caches. */
    uint64_t filter[FILTER_BITS / 64];
    struct entry *headers;
    VEC(struct entry *) folders; /* the headers that end in "/..." */
    VEC(char *) texts;           /* the files; the entries' strings point into them */
    struct library_table *libraries;
    VEC(const char *) condition_types; /* CUDA names, few */
    unsigned files;
    version newest_hip;
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

/* How the words of the argument language are followed. */
static const struct op_word {
    const char *word;
    enum arg_op_kind kind;
    int numbers; /* so many argument numbers, */
    bool text;   /* then a text */
} op_words[] = {
    {"wrap", ARG_WRAP, 1, true},        {"cast", ARG_CAST, 1, true},
    {"drop", ARG_DROP, 1, false},       {"insert", ARG_INSERT, 1, true},
    {"append", ARG_APPEND, 0, true},    {"replace", ARG_REPLACE, 1, true},
    {"move", ARG_MOVE, 2, false},       {"swap", ARG_SWAP, 2, false},
    {"address", ARG_ADDRESS, 1, false}, {"suffix", ARG_SUFFIX, 1, true},
    {"name", ARG_NAME, 0, true},        {"report", ARG_REPORT, 0, true},
    {"note", ARG_NOTE, 0, true},        {"repeat", ARG_REPEAT, 2, false},
    {"write", ARG_WRITE, 0, true},
};

struct field {
    char *text; /* NUL-terminated, in the file's text */
    size_t len;
};

/* The reading of one file. */
struct reader {
    struct map *map;
    struct diag *diag;
    struct diag_place place;
    const char *library;
    const char *source; /* of the entries that name none of their own */
    unsigned errors;
};

#define complain(reader, ...) \
    (diag_add((reader)->diag, DIAG_ERROR, (reader)->place, __VA_ARGS__), ++(reader)->errors, false)

struct map *map_new(void)
{
    struct map *res = xcalloc(1, sizeof *res);
    res->libraries = library_table_new();
    /* No argument change asks for this one, but a rule does. */
    *vec_push(&res->condition_types) = "cudaDeviceProp";
    return res;
}

const struct library_table *map_libraries(const struct map *map)
{
    return map->libraries;
}

void map_free(struct map *map)
{
    if (!map)
        return;
    HASH_CLEAR(hh, map->names);
    HASH_CLEAR(hh, map->headers);
    vec_release(&map->folders);
    for (size_t i = 0; i < map->texts.count; ++i)
        free(map->texts.items[i]);
    vec_release(&map->texts);
    library_table_free(map->libraries);
    vec_release(&map->condition_types);
    arena_release(&map->arena);
    free(map);
}

static bool is_blank(char c)
{
    return c == ' ';
}

static bool is_digit(char c)
{
    return '0' <= c && c <= '9';
}

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

static bool is_empty(struct field field)
{
    return field.len == 1 && field.text[0] == '-';
}

static bool starts_with(const char *text, const char *end, const char *prefix)
{
    size_t len = strlen(prefix);
    return len <= (size_t)(end - text) && memcmp(text, prefix, len) == 0;
}

/* Ends the text BEGIN..END with a NUL behind its last byte that is no blank. The byte at END
   may be overwritten: it is a separator that was read, or the NUL of the field. */
static char *finish_text(char *begin, char *end)
{
    while (begin < end && is_blank(*begin))
        ++begin;
    while (begin < end && is_blank(end[-1]))
        --end;
    *end = '\0';
    return begin;
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
        if (hip && reader->map->newest_hip < v)
            reader->map->newest_hip = v;
        if (p == end)
            return true;
        ++p;
    }
}

/* Reads a number of at most MAX_ARGUMENT at *P; -1 where there is none. */
static int read_number(char **p, char *end)
{
    int res = 0;
    char *first = *p;
    for (; *p < end && is_digit(**p); ++*p) {
        res = res * 10 + (**p - '0');
        if (MAX_ARGUMENT < res)
            return -1;
    }
    return *p == first ? -1 : res;
}

static void skip_blanks(char **p, char *end)
{
    while (*p < end && is_blank(**p))
        ++*p;
}

static void note_condition_type(struct map *map, const char *type)
{
    for (size_t i = 0; i < map->condition_types.count; ++i)
        if (strcmp(map->condition_types.items[i], type) == 0)
            return;
    *vec_push(&map->condition_types) = type;
}

/* "argN=TYPE" at *P: the argument meant and its type, which gets its NUL later: *TYPE_END. */
static bool read_type(struct reader *reader, char **p, char *end, struct arg_condition *when,
                      char **type_end)
{
    *p += sizeof "arg" - 1;
    when->arg = read_number(p, end);
    if (when->arg < 0 || *p == end || **p != '=')
        return complain(reader, _("bad condition of an argument change"));
    char *first = ++*p;
    while (*p < end && **p != ':' && !is_blank(**p))
        ++*p;
    if (*p == first)
        return complain(reader, _("bad condition of an argument change"));
    when->type = first;
    *type_end = *p;
    return true;
}

/* Whether WORD of a condition is at P. */
static bool is_condition(const char *p, const char *end, const char *word)
{
    size_t len = strlen(word);
    return starts_with(p, end, word) && (p[len] == ':' || is_blank(p[len]));
}

/* The condition before a colon, if there is one: "roc", "host", an argument count or a span of
   counts
   (*LAST is its end), bounds of the HIP version, an argument's type. *P moves behind the
   colon. */
static bool read_condition(struct reader *reader, char **p, char *end, struct arg_condition *when,
                           int *last)
{
    *when = (struct arg_condition){.count = -1};
    *last = -1;
    if (!is_digit(**p) && !starts_with(*p, end, "hip<") && !starts_with(*p, end, "hip>=") &&
        !starts_with(*p, end, "to=") && !starts_with(*p, end, "arg") &&
        !is_condition(*p, end, "roc") && !is_condition(*p, end, "host"))
        return true;
    char *type_end = NULL;
    while (*p < end && **p != ':') {
        if (is_digit(**p)) {
            int first = read_number(p, end);
            int final = first;
            if (*p < end && **p == '-') {
                ++*p;
                final = read_number(p, end);
            }
            if (first < 0 || final < first || 0 <= when->count)
                return complain(reader, _("bad argument count in a condition"));
            when->count = first;
            *last = final;
        } else if (is_condition(*p, end, "roc") && !when->roc) {
            when->roc = true;
            *p += sizeof "roc" - 1;
        } else if (is_condition(*p, end, "host") && !when->host) {
            when->host = true;
            *p += sizeof "host" - 1;
        } else if (starts_with(*p, end, "to=") && !when->assigned && !type_end) {
            when->assigned = *p += sizeof "to=" - 1;
            while (*p < end && **p != ':' && !is_blank(**p))
                ++*p;
            if (*p == when->assigned)
                return complain(reader, _("bad condition of an argument change"));
            type_end = *p;
        } else if (starts_with(*p, end, "arg") && !when->type && !type_end) {
            if (!read_type(reader, p, end, when, &type_end))
                return false;
        } else {
            version *bound = starts_with(*p, end, "hip<")    ? &when->before
                             : starts_with(*p, end, "hip>=") ? &when->since
                                                             : NULL;
            if (!bound || *bound)
                return complain(reader, _("bad condition of an argument change"));
            *p += bound == &when->before ? 4 : 5;
            char *first = *p;
            while (*p < end && (is_digit(**p) || **p == '.'))
                ++*p;
            if (!version_parse(first, (size_t)(*p - first), bound) || !*bound)
                return complain(reader, _("bad version in a condition"));
        }
        if (*p < end && **p != ':' && !is_blank(**p))
            return complain(reader, _("bad condition of an argument change"));
        skip_blanks(p, end);
    }
    if (*p == end)
        return complain(reader, _("a condition without a colon behind it"));
    ++*p;
    if (type_end) {
        *type_end = '\0';
        note_condition_type(reader->map, when->type ? when->type : when->assigned);
    }
    return true;
}

/* The number of arguments that TEXT of `write` names: $0, $1 and so on, each once and in this
   order, so that the arguments can stay where they are; -1 where that does not hold. */
static int count_places(const char *text)
{
    int res = 0;
    for (const char *at = strchr(text, '$'); at; at = strchr(at + 1, '$'))
        if (res == 9 || at[1] != '0' + res++)
            return -1;
    return res ? res : -1;
}

/* One operation at *P. *P moves to the separator behind it, which is not consumed but may be
   overwritten; *SEPARATOR is what it was. False in *DONE for `rename`, which does nothing. */
static bool read_op(struct reader *reader, char **p, char *end, int count, struct arg_op *op,
                    bool *is_op, char *separator)
{
    skip_blanks(p, end);
    char *word = *p;
    char *stop = word;
    while (stop < end && *stop != ';' && *stop != '|')
        ++stop;
    *separator = stop < end ? *stop : '\0';
    finish_text(word, stop);
    char *text_end = word + strlen(word);
    *p = stop;
    char *q = word;
    while (q < text_end && !is_blank(*q))
        ++q;
    *is_op = false;
    if (q == text_end && is_word(word, (size_t)(q - word), "rename"))
        return true;
    const struct op_word *known = NULL;
    for (size_t i = 0; i < sizeof op_words / sizeof *op_words; ++i) {
        if (is_word(word, (size_t)(q - word), op_words[i].word))
            known = &op_words[i];
    }
    if (!known)
        return complain(reader, _("'%.*s' is no argument operation"), (int)(q - word), word);
    int number[2] = {0, 0};
    for (int i = 0; i < known->numbers; ++i) {
        skip_blanks(&q, text_end);
        number[i] = read_number(&q, text_end);
        bool before =
            known->kind == ARG_INSERT || (known->numbers == 2 && i == 1 && known->kind != ARG_SWAP);
        int limit = before ? count : count - 1;
        if (number[i] < 0 || (q < text_end && !is_blank(*q)) || (0 <= count && limit < number[i]))
            return complain(reader, _("'%s' wants the number of an argument"), known->word);
    }
    skip_blanks(&q, text_end);
    if ((q < text_end) != known->text)
        return complain(reader, known->text ? _("'%s' wants a text") : _("'%s' takes no text"),
                        known->word);
    if (known->kind == ARG_WRITE && (number[0] = count_places(q)) < 0)
        return complain(reader, _("'write' wants each argument once and in order: $0, $1, ..."));
    *op = (struct arg_op){known->kind, number[0], number[1], known->text ? q : NULL};
    *is_op = true;
    return true;
}

/* The column with the argument changes: alternatives with '|' between them, operations with
   ';' between them (maps/README). */
static bool read_changes(struct reader *reader, struct field field, struct api *api)
{
    struct arg_change changes[MAX_CHANGES];
    int change_count = 0;
    char *p = field.text, *end = p + field.len;
    char separator;
    do {
        struct arg_op ops[MAX_OPS];
        int op_count = 0, words = 0, last;
        bool report = false;
        struct arg_condition when;
        skip_blanks(&p, end);
        if (!read_condition(reader, &p, end, &when, &last))
            return false;
        for (;;) {
            bool is_op;
            struct arg_op op;
            if (!read_op(reader, &p, end, when.count, &op, &is_op, &separator))
                return false;
            ++words;
            if (is_op) {
                if (op_count == MAX_OPS)
                    return complain(reader, _("too many argument operations"));
                report |= op.kind == ARG_REPORT || op.kind == ARG_WRITE;
                ops[op_count++] = op;
            }
            if (separator)
                ++p;
            if (separator != ';')
                break;
        }
        if (1 < words && (report || op_count < words))
            return complain(reader, _("'report', 'rename' and 'write' stand alone"));
        struct arg_op *kept = NULL;
        if (op_count) {
            kept = arena_alloc(&reader->map->arena, (size_t)op_count * sizeof *kept);
            memcpy(kept, ops, (size_t)op_count * sizeof *kept);
        }
        for (int count = when.count; count <= last; ++count) {
            if (change_count == MAX_CHANGES)
                return complain(reader, _("too many alternatives of an argument change"));
            when.count = count;
            changes[change_count++] = (struct arg_change){when, kept, op_count};
        }
    } while (separator == '|');
    struct arg_change *kept = arena_alloc(&reader->map->arena, (size_t)change_count * sizeof *kept);
    memcpy(kept, changes, (size_t)change_count * sizeof *kept);
    api->changes = kept;
    api->change_count = change_count;
    return true;
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
        char *text = finish_text(p, stop);
        char *text_end = text + strlen(text);
        size_t i = 0;
        while (i < PARTS && !starts_with(text, text_end, parts[i].word))
            ++i;
        if (i == PARTS || seen[i] ||
            ((parts[i].slot == &api->library || parts[i].slot == &api->brings) &&
             api->kind != API_HEADER))
            return complain(reader, _("bad remark '%s'"), text);
        text = finish_text(text + strlen(parts[i].word), text_end);
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

static bool is_folder(const char *path, size_t len)
{
    return 4 < len && memcmp(path + len - 4, "/...", 4) == 0;
}

/* The bit of HASH in a map's filter. */
static unsigned filter_bit(unsigned hash)
{
    /* The table's buckets are chosen by the low bits. */
    return hash >> 14 & (FILTER_BITS - 1);
}

/* Puts API, whose CUDA name has LEN bytes, into its table. */
static bool add_entry(struct reader *reader, const struct api *api, size_t len)
{
    struct map *map = reader->map;
    struct entry **table = api->kind == API_HEADER ? &map->headers : &map->names;
    unsigned hash = hash_bytes(api->cuda, len);
    struct entry *entry;
    HASH_FIND_BYHASHVALUE(hh, *table, api->cuda, len, hash, entry);
    if (entry) {
        if (entry->file == map->files)
            return complain(reader, _("'%s' is there twice"), api->cuda);
        entry->api = *api;
        entry->file = map->files;
        return true;
    }
    entry = arena_alloc(&map->arena, sizeof *entry);
    entry->api = *api;
    entry->file = map->files;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, *table, entry->api.cuda, len, hash, entry);
    map->filter[filter_bit(hash) / 64] |= (uint64_t)1 << filter_bit(hash) % 64;
    if (api->kind == API_HEADER && is_folder(api->cuda, len))
        *vec_push(&map->folders) = entry;
    return true;
}

/* A line that begins with '%'. */
static bool read_directive(struct reader *reader, char *line, char *end)
{
    static const char source[] = "%source ";
    if (!starts_with(line, end, source))
        return complain(reader, _("'%s' is no directive"), line);
    char *key = finish_text(line + sizeof source - 1, end);
    if (!*key)
        return complain(reader, _("'%s' is no directive"), line);
    reader->source = key;
    return true;
}

static bool read_line(struct reader *reader, char *line, char *end)
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
    } else if (!is_empty(column[COL_ARGS]) && !read_changes(reader, column[COL_ARGS], &api)) {
        return false;
    }
    if (!is_empty(column[COL_REMARKS]) && !read_remarks(reader, column[COL_REMARKS], &api))
        return false;
    return add_entry(reader, &api, cuda.len);
}

/* The bytes of FILE and a NUL behind them, from malloc; NULL with errno set on failure. */
static char *read_file(const char *file, size_t *len)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    size_t room = 256 * 1024;
    char *text = xmalloc(room + 1);
    for (*len = 0;;) {
        if (*len == room) {
            if (MAX_FILE <= room) {
                errno = EFBIG;
                break;
            }
            room *= 2;
            text = xrealloc_array(text, room + 1, 1);
        }
        ssize_t got = read(fd, text + *len, room - *len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        if (got == 0) {
            close(fd);
            text[*len] = '\0';
            return text;
        }
        *len += (size_t)got;
    }
    int error = errno;
    close(fd);
    free(text);
    errno = error;
    return NULL;
}

/* "runtime" of "maps/runtime.map". */
static const char *library_of(struct map *map, const char *file)
{
    const char *base = strrchr(file, '/');
    base = base ? base + 1 : file;
    size_t len = strlen(base);
    if (4 < len && strcmp(base + len - 4, ".map") == 0)
        len -= 4;
    return arena_strndup(&map->arena, base, len);
}

bool map_load_text(struct map *map, const char *file, char *text, size_t len, struct diag *diag)
{
    struct reader reader = {.map = map, .diag = diag, .place = {.file = file}};
    *vec_push(&map->texts) = text;
    ++map->files;
    reader.library = reader.source = library_of(map, file);
    for (char *p = text, *end = text + len; p < end;) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop)
            stop = end;
        ++reader.place.line;
        if (!read_line(&reader, p, stop) && reader.errors == MAX_ERRORS)
            return complain(&reader, _("too many errors; the rest of the file is not read"));
        p = stop + 1;
    }
    return !reader.errors;
}

bool map_load_file(struct map *map, const char *file, struct diag *diag)
{
    size_t len;
    char *text = read_file(file, &len);
    struct reader reader = {.map = map, .diag = diag, .place = {.file = file}};
    if (!text)
        return complain(&reader, _("cannot read: %s"), strerror(errno));
    return map_load_text(map, file, text, len, diag);
}

/* NAME, TAB, SHIM between BEGIN and END. */
static bool read_shim(struct reader *reader, char *begin, char *end)
{
    if (begin == end || *begin == '#')
        return true;
    char *tab = memchr(begin, '\t', (size_t)(end - begin));
    if (!tab || tab + 1 == end)
        return complain(reader, _("no second name behind a TAB"));
    char *name = finish_text(begin, tab);
    char *shim = finish_text(tab + 1, end);
    struct entry *entry;
    HASH_FIND(hh, reader->map->names, name, strlen(name), entry);
    if (!entry)
        return complain(reader, _("'%s' is no name of the maps"), name);
    entry->api.shim = shim;
    return true;
}

bool map_load_shims(struct map *map, const char *file, struct diag *diag)
{
    size_t len;
    char *text = read_file(file, &len);
    struct reader reader = {.map = map, .diag = diag, .place = {.file = file}};
    if (!text)
        return complain(&reader, _("cannot read: %s"), strerror(errno));
    *vec_push(&map->texts) = text;
    for (char *p = text, *end = text + len, *stop; p < end && reader.errors < MAX_ERRORS;
         p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop)
            stop = end;
        ++reader.place.line;
        read_shim(&reader, p, stop);
    }
    return !reader.errors;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool map_load_dir(struct map *map, const char *dir, struct diag *diag)
{
    struct reader reader = {.map = map, .diag = diag, .place = {.file = dir}};
    DIR *stream = opendir(dir);
    if (!stream)
        return complain(&reader, _("cannot read: %s"), strerror(errno));
    struct arena scratch = ARENA_INIT;
    VEC(char *) files = {0};
    for (struct dirent *item; (item = readdir(stream));) {
        size_t len = strlen(item->d_name);
        if (4 < len && item->d_name[0] != '.' && strcmp(item->d_name + len - 4, ".map") == 0)
            *vec_push(&files) = arena_printf(&scratch, "%s/%s", dir, item->d_name);
    }
    closedir(stream);
    bool res = files.count || complain(&reader, _("there is no *.map file in this folder"));
    if (res)
        qsort(files.items, files.count, sizeof *files.items, compare_text);
    for (size_t i = 0; i < files.count; ++i)
        res = map_load_file(map, files.items[i], diag) && res;
    const char *list = arena_printf(&scratch, "%s/libraries.list", dir);
    if (access(list, F_OK) == 0)
        res = library_load_file(map->libraries, list, diag) && res;
    vec_release(&files);
    /* The messages are text by now, so the names may go. */
    arena_release(&scratch);
    return res;
}

const struct api *map_find(const struct map *map, const char *text, size_t len)
{
    return map_find_hashed(map, text, len, hash_bytes(text, len));
}

const struct api *map_find_hashed(const struct map *map, const char *text, size_t len,
                                  unsigned hash)
{
    struct entry *entry;
    if (!(map->filter[filter_bit(hash) / 64] >> filter_bit(hash) % 64 & 1))
        return NULL;
    HASH_FIND_BYHASHVALUE(hh, map->names, text, len, hash, entry);
    return entry ? &entry->api : NULL;
}

const struct api *map_condition_type(const struct map *map, const char *text, size_t len)
{
    for (size_t i = 0; i < map->condition_types.count; ++i) {
        const char *type = map->condition_types.items[i];
        const struct api *api = map_find(map, type, strlen(type));
        if (api && api->hip && strlen(api->hip) == len && memcmp(api->hip, text, len) == 0)
            return api;
    }
    return NULL;
}

const struct api *map_find_header(const struct map *map, const char *path, size_t len)
{
    struct entry *entry;
    HASH_FIND(hh, map->headers, path, len, entry);
    if (entry)
        return &entry->api;
    size_t best = 0;
    for (size_t i = 0; i < map->folders.count; ++i) {
        struct entry *folder = map->folders.items[i];
        size_t prefix = strlen(folder->api.cuda) - 3;
        if (best < prefix && prefix < len && memcmp(folder->api.cuda, path, prefix) == 0) {
            best = prefix;
            entry = folder;
        }
    }
    return entry ? &entry->api : NULL;
}

void map_header_path(const struct api *api, const char *path, size_t len, struct strbuf *out)
{
    if (!api->hip)
        return;
    size_t hip = strlen(api->hip), cuda = strlen(api->cuda);
    if (is_folder(api->hip, hip) && is_folder(api->cuda, cuda) && cuda - 3 < len) {
        strbuf_add(out, api->hip, hip - 3);
        strbuf_add(out, path + cuda - 3, len - (cuda - 3));
    } else {
        strbuf_add(out, api->hip, hip);
    }
}

bool map_is_hip_header(const struct map *map, const char *path, size_t len)
{
    for (struct entry *entry = map->headers; entry; entry = entry->hh.next) {
        const char *hip = entry->api.hip;
        if (!hip || entry->api.action == HEADER_KEEP)
            continue;
        size_t hip_len = strlen(hip);
        if (is_folder(hip, hip_len)) {
            if (hip_len - 3 < len && memcmp(hip, path, hip_len - 3) == 0)
                return true;
        } else if (hip_len == len && memcmp(hip, path, len) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_entries(const void *a, const void *b)
{
    const struct api *x = *(const struct api *const *)a, *y = *(const struct api *const *)b;
    int res = strcmp(x->library, y->library);
    if (!res)
        res = strcmp(x->cuda, y->cuda);
    return res ? res : (int)x->kind - (int)y->kind;
}

static bool name_matches(const char *text, const char *name, size_t len, bool prefix)
{
    return text && strncmp(text, name, len) == 0 && (prefix || !text[len]);
}

void map_lookup(const struct map *map, const char *name, bool prefix,
                void (*fn)(const struct api *api, void *context), void *context)
{
    VEC(const struct api *) found = {0};
    size_t len = strlen(name);
    const struct entry *const tables[] = {map->names, map->headers};
    for (size_t i = 0; i < 2; ++i) {
        for (const struct entry *entry = tables[i]; entry; entry = entry->hh.next) {
            if (name_matches(entry->api.cuda, name, len, prefix) ||
                name_matches(entry->api.hip, name, len, prefix))
                *vec_push(&found) = &entry->api;
        }
    }
    if (found.count)
        qsort(found.items, found.count, sizeof *found.items, compare_entries);
    for (size_t i = 0; i < found.count; ++i)
        fn(found.items[i], context);
    vec_release(&found);
}

size_t map_count(const struct map *map)
{
    return HASH_COUNT(map->names) + HASH_COUNT(map->headers);
}

version map_newest_hip(const struct map *map)
{
    return map->newest_hip;
}

const char *api_kind_word(enum api_kind kind)
{
    return kind_words[kind];
}
