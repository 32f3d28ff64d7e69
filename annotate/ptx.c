#include <config.h>

#include "annotate/ptx.h"

#include <ctype.h>
#include <string.h>

static const struct ptx_entry entries[] = {
#define PTX(words, operands, kind, safety, way, code) {words, operands, kind, safety, way, code},
#define PTX_REGISTER(name, way)
#include "annotate/ptx.def"
#undef PTX
#undef PTX_REGISTER
};

/* Special registers; `words` is the register's name. */
static const struct ptx_entry registers[] = {
#define PTX(words, operands, kind, safety, way, code)
#define PTX_REGISTER(name, way) {name, NULL, PTX_SPECIAL_REGISTER, FIX_DISPLAY, way, NULL},
#include "annotate/ptx.def"
#undef PTX
#undef PTX_REGISTER
};

enum {
    ENTRIES = sizeof entries / sizeof *entries,
    REGISTERS = sizeof registers / sizeof *registers,
    MOST_SHOWN = 60, /* bytes of an instruction in a message */
};

/* A piece of text. */
struct piece {
    const char *at;
    size_t len;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Whether one of the parts of OPCODE behind its first is WORD. */
static bool has_part(struct piece opcode, const char *word, size_t len)
{
    for (size_t i = 0; i + len < opcode.len; ++i)
        if (opcode.at[i] == '.' && !memcmp(opcode.at + i + 1, word, len) &&
            (i + 1 + len == opcode.len || !is_word(opcode.at[i + 1 + len])))
            return true;
    return false;
}

static bool has_words(struct piece opcode, const char *words)
{
    size_t len = strcspn(words, " ");
    if (opcode.len < len || memcmp(opcode.at, words, len) ||
        (opcode.len != len && opcode.at[len] != '.'))
        return false;
    for (const char *at = words + len; *at; at += len) {
        ++at;
        len = strcspn(at, " ");
        if (!has_part(opcode, at, len))
            return false;
    }
    return true;
}

/* Whether the operands are WANTED, which has no blanks and no capitals. */
static bool are_operands(struct piece operands, const char *wanted)
{
    for (size_t i = 0; i < operands.len; ++i) {
        if (isspace((unsigned char)operands.at[i]))
            continue;
        if (tolower((unsigned char)operands.at[i]) != *wanted)
            return false;
        ++wanted;
    }
    return !*wanted;
}

/* The special register that OPERANDS name. */
static const struct ptx_entry *find_register(struct piece operands)
{
    for (size_t i = 0; i + 1 < operands.len; ++i) {
        if (operands.at[i] != '%' || isdigit((unsigned char)operands.at[i + 1]))
            continue;
        size_t begin = i + 1, end = begin;
        while (end < operands.len && is_word(operands.at[end]))
            ++end;
        for (size_t r = 0; r < REGISTERS; ++r)
            if (strlen(registers[r].words) == end - begin &&
                !memcmp(registers[r].words, operands.at + begin, end - begin))
                return &registers[r];
    }
    return NULL;
}

static const struct ptx_entry *find(struct piece opcode, struct piece operands)
{
    const struct ptx_entry *reads = find_register(operands);
    for (size_t i = 0; i < ENTRIES; ++i)
        if (has_words(opcode, entries[i].words) &&
            (!entries[i].operands || are_operands(operands, entries[i].operands)))
            return reads && !entries[i].code && entries[i].kind == PTX_INLINE ? reads : &entries[i];
    return reads;
}

/* OPCODE and OPERANDS on one line, shortened. */
static const char *show(struct arena *arena, struct piece opcode, struct piece operands)
{
    struct strbuf out = STRBUF_INIT;
    strbuf_add(&out, opcode.at, opcode.len);
    bool blank = true;
    for (size_t i = 0; i < operands.len; ++i) {
        unsigned char c = (unsigned char)operands.at[i];
        if (isspace(c)) {
            blank = true;
            continue;
        }
        if (blank)
            strbuf_add(&out, " ", 1);
        blank = false;
        if (iscntrl(c))
            strbuf_printf(&out, "\\x%02x", c);
        else
            strbuf_add(&out, operands.at + i, 1);
    }
    const char *res;
    if (MOST_SHOWN < out.len) {
        size_t len = MOST_SHOWN - 3;
        while (0 < len && ((unsigned char)out.text[len] & 0xc0) == 0x80)
            --len; /* not inside a character */
        res = arena_printf(arena, "%.*s...", (int)len, out.text);
    } else {
        res = arena_strndup(arena, out.text ? out.text : "", out.len);
    }
    strbuf_release(&out);
    return res;
}

static void take(struct ptx *ptx, struct piece opcode, struct piece operands, struct arena *arena)
{
    const struct ptx_entry *entry = find(opcode, operands);
    ++ptx->count;
    if (ptx->instruction &&
        (!entry || (ptx->entry && (ptx->entry->kind != PTX_INLINE || entry->kind == PTX_INLINE) &&
                    entry->kind <= ptx->entry->kind)))
        return;
    ptx->entry = entry;
    ptx->instruction = show(arena, opcode, operands);
    ptx->opcode = arena_strndup(arena, opcode.at, opcode.len);
}

/* Behind white space and comments. */
static const char *skip_blanks(const char *at, const char *end)
{
    for (;;) {
        while (at < end && isspace((unsigned char)*at))
            ++at;
        if (at + 1 < end && at[0] == '/' && at[1] == '/') {
            while (at < end && *at != '\n')
                ++at;
        } else if (at + 1 < end && at[0] == '/' && at[1] == '*') {
            at += 2;
            while (at + 1 < end && !(at[0] == '*' && at[1] == '/'))
                ++at;
            at = at + 2 < end ? at + 2 : end;
        } else {
            return at;
        }
    }
}

/* Behind braces, labels and predicates: where an instruction begins. */
static const char *skip_prefixes(const char *at, const char *end)
{
    for (;;) {
        at = skip_blanks(at, end);
        if (at == end)
            return at;
        if (*at == '{' || *at == '}' || *at == ';') {
            ++at;
            continue;
        }
        if (*at == '@') {
            ++at;
            while (at < end && (is_word(*at) || *at == '!' || *at == '%'))
                ++at;
            continue;
        }
        const char *word = at;
        while (word < end && is_word(*word))
            ++word;
        const char *colon = skip_blanks(word, end);
        if (word == at || colon == end || *colon != ':' || (colon + 1 < end && colon[1] == ':'))
            return at;
        at = colon + 1;
    }
}

void ptx_read(struct ptx *ptx, const char *text, size_t len, struct arena *arena)
{
    const char *at = text, *end = text + len;
    *ptx = (struct ptx){0};
    while ((at = skip_prefixes(at, end)) < end) {
        const char *begin = at;
        while (at < end && (is_word(*at) || *at == '.' || *at == ':'))
            ++at;
        struct piece opcode = {begin, (size_t)(at - begin)};
        begin = at;
        while (at < end && *at != ';') {
            const char *behind = skip_blanks(at, end);
            at = behind == at ? at + 1 : behind;
        }
        struct piece operands = {begin, (size_t)(at - begin)};
        if (opcode.len && *opcode.at != '.')
            take(ptx, opcode, operands, arena);
        at += at < end && *at == ';';
    }
}

bool ptx_is_certain(const char *opcode)
{
    static const char *const parts[] = {"u8",  "u16",  "u32",   "u64",    "s8",    "s16",   "s32",
                                        "s64", "b8",   "b16",   "b32",    "b64",   "f16",   "f32",
                                        "f64", "bf16", "f16x2", "pred",   "sync",  "async", "cta",
                                        "gl",  "sys",  "gpu",   "global", "shared"};
    struct piece piece = {opcode, strlen(opcode)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (has_part(piece, parts[i], strlen(parts[i])))
            return true;
    return false;
}
