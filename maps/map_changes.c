/* The argument language of a map (maps/README): conditions, operations, alternatives.  */
#include <config.h>

#include "maps/map_p.h"

#include "base/i18n.h"

enum {
    MAX_OPS = 16,       /* of one alternative */
    MAX_CHANGES = 32,   /* alternatives of one entry */
    MAX_ARGUMENT = 255, /* the largest count that a condition may ask for */
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
   counts (*LAST is its end), bounds of the HIP version, an argument's type. *P moves behind the
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
        map_note_condition_type(reader->map, when->type ? when->type : when->assigned);
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
    map_finish_text(word, stop);
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

bool map_read_changes(struct reader *reader, struct field field, struct api *api)
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
            kept = arena_alloc(reader->arena, (size_t)op_count * sizeof *kept);
            memcpy(kept, ops, (size_t)op_count * sizeof *kept);
        }
        for (int count = when.count; count <= last; ++count) {
            if (change_count == MAX_CHANGES)
                return complain(reader, _("too many alternatives of an argument change"));
            when.count = count;
            changes[change_count++] = (struct arg_change){when, kept, op_count};
        }
    } while (separator == '|');
    struct arg_change *kept = arena_alloc(reader->arena, (size_t)change_count * sizeof *kept);
    memcpy(kept, changes, (size_t)change_count * sizeof *kept);
    api->changes = kept;
    api->change_count = change_count;
    return true;
}
