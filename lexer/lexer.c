#include <config.h>

#include "lexer/lexer.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lexer/lexer_p.h"

/* Keywords. */

struct keyword {
    const char *text;
    uint16_t len;
    uint16_t kind;
};

static const struct keyword keywords[] = {
#define TOKEN(kind, name)
#define PUNCT(kind, text)
#define KEYWORD(kind, text) {text, sizeof text - 1, kind},
#define SAME_KEYWORD(kind, text) {text, sizeof text - 1, kind},
#define DIRECTIVE(kind, text)
#include "lexer/token.def"
#undef TOKEN
#undef PUNCT
#undef KEYWORD
#undef SAME_KEYWORD
#undef DIRECTIVE
};

static const struct keyword directives[] = {
#define TOKEN(kind, name)
#define PUNCT(kind, text)
#define KEYWORD(kind, text)
#define SAME_KEYWORD(kind, text)
#define DIRECTIVE(kind, text) {text, sizeof text - 1, kind},
#include "lexer/token.def"
#undef TOKEN
#undef PUNCT
#undef KEYWORD
#undef SAME_KEYWORD
#undef DIRECTIVE
};

const char *token_kind_name(enum token_kind kind)
{
    static const char *const names[] = {
#define TOKEN(kind, name) [kind] = name,
#define PUNCT(kind, text) [kind] = text,
#define KEYWORD(kind, text) [kind] = text,
#define SAME_KEYWORD(kind, text)
#define DIRECTIVE(kind, text) [kind] = "#" text,
#include "lexer/token.def"
#undef TOKEN
#undef PUNCT
#undef KEYWORD
#undef SAME_KEYWORD
#undef DIRECTIVE
    };
    return names[kind];
}

/* The kind of the word of LEN bytes at TEXT in LIST (COUNT entries), or 0. */
static enum token_kind find_word(const struct keyword *list, size_t count, const char *text,
                                 size_t len)
{
    for (size_t i = 0; i < count; ++i)
        if (list[i].len == len && list[i].text[0] == text[0] && !memcmp(list[i].text, text, len))
            return list[i].kind;
    return 0;
}

/* No keyword has a capital, and most names of an API have one. */
static bool has_capital(const char *text, size_t len)
{
    for (size_t i = 0; i < len; ++i)
        if ('A' <= text[i] && text[i] <= 'Z')
            return true;
    return false;
}

enum token_kind lexer_keyword(const char *text, size_t len)
{
    /* Asked once per distinct name of a file. */
    return has_capital(text, len)
               ? 0
               : find_word(keywords, sizeof keywords / sizeof *keywords, text, len);
}

void lexer_on_new(struct symbol *symbol, void *context)
{
    (void)context;
    symbol->keyword = (uint16_t)lexer_keyword(symbol->text, symbol->len);
}

/* Line splices. */

/* Length of the splice at AT (a backslash, blanks, a newline), or 0. GCC and clang allow the
   blanks; so do we, since the compiler that reads our output is clang. */
static size_t splice_length(const char *at, const char *end)
{
    const char *p = at + 1;
    while (p < end && (*p == ' ' || *p == '\t'))
        ++p;
    if (p < end && *p == '\r')
        ++p;
    return p < end && *p == '\n' ? (size_t)(p + 1 - at) : 0;
}

/* Makes the logical text: a copy without splices, if there are any. */
static void join_lines(struct lexer *lexer)
{
    const char *text = lexer->source->text, *end = text + lexer->source->len;
    VEC(struct splice) splices = {0};
    const char *copied = text;
    char *out = NULL;
    uint32_t removed = 0;
    for (const char *at = text; (at = memchr(at, '\\', (size_t)(end - at)));) {
        size_t length = splice_length(at, end);
        if (!length) {
            ++at;
            continue;
        }
        if (!out)
            lexer->text = out = xmalloc(lexer->source->len + SOURCE_PADDING);
        memcpy(out, copied, (size_t)(at - copied));
        out += at - copied;
        copied = at += length;
        removed += (uint32_t)length;
        *vec_push(&splices) = (struct splice){(uint32_t)(out - lexer->text), removed};
    }
    if (!out)
        return;
    memcpy(out, copied, (size_t)(end - copied) + SOURCE_PADDING);
    lexer->len = lexer->source->len - removed;
    lexer->splices = splices.items;
    lexer->splice_count = splices.count;
}

/* Bytes removed by the splices before the logical offset AT, those directly at it included where
   WITH_AT. Offsets come in ascending order, so a cursor does. */
static uint32_t removed_before(struct lexer *lexer, size_t at, bool with_at)
{
    size_t next = lexer->splice_next;
    while (next < lexer->splice_count &&
           (with_at ? lexer->splices[next].at <= at : lexer->splices[next].at < at))
        ++next;
    lexer->splice_next = next;
    return next ? lexer->splices[next - 1].removed : 0;
}

/* The place in the source of the LEN > 0 logical bytes at BEGIN. */
static void physical(struct lexer *lexer, size_t begin, size_t len, uint32_t *offset,
                     uint32_t *length)
{
    if (!lexer->splice_count) {
        *offset = (uint32_t)begin;
        *length = (uint32_t)len;
        return;
    }
    uint32_t first = removed_before(lexer, begin, true);
    uint32_t last = len ? removed_before(lexer, begin + len - 1, true) : first;
    *offset = (uint32_t)begin + first;
    *length = (uint32_t)len + (last - first);
}

/* Tokens. */

static void push(struct lexer *lexer, enum token_kind kind, size_t begin, size_t len,
                 struct symbol *symbol)
{
    struct token *token = vec_push(&lexer->tokens->list);
    physical(lexer, begin, len, &token->offset, &token->length);
    token->kind = (uint16_t)kind;
    token->flags = lexer->flags;
    token->partner = NO_TOKEN;
    token->symbol = symbol;
    if (token->length != len)
        token->flags |= TOKEN_SPLICED;
    if (lexer->in_directive)
        token->flags |= TOKEN_DIRECTIVE;
    /* What holds for one token only is over; the macro body goes on to the end of the line. */
    lexer->flags &= TOKEN_MACRO_BODY;
}

/* Behind the name of a macro: its body begins here, unless a parameter list does. */
static void note_body(struct lexer *lexer, enum token_kind kind, size_t begin)
{
    lexer->want_body = false;
    bool list = kind == TOK_LPAREN && (int)begin == lexer->name_end;
    if (!list)
        lexer->flags |= TOKEN_MACRO_BODY;
}

void lexer_add(struct lexer *lexer, enum token_kind kind, size_t begin, size_t len)
{
    if (lexer->want_body)
        note_body(lexer, kind, begin);
    push(lexer, kind, begin, len, NULL);
}

static void add_landmark(struct lexer *lexer, size_t index)
{
    *vec_push(&lexer->tokens->landmarks) = (uint32_t)index;
}

void lexer_add_paste(struct lexer *lexer, size_t begin, size_t len)
{
    add_landmark(lexer, lexer->tokens->list.count);
    lexer_add(lexer, TOK_HASH_HASH, begin, len);
}

void lexer_add_scope(struct lexer *lexer, size_t begin, size_t len)
{
    size_t count = lexer->tokens->list.count;
    const struct symbol *name = count ? lexer->tokens->list.items[count - 1].symbol : NULL;
    if (name && !name->landmark)
        add_landmark(lexer, count - 1);
    lexer_add(lexer, TOK_COLON_COLON, begin, len);
}

void lexer_add_word(struct lexer *lexer, size_t begin, size_t len)
{
    struct symbol *symbol = symbol_intern(lexer->symbols, lexer->text + begin, len);
    if (symbol->landmark)
        add_landmark(lexer, lexer->tokens->list.count);
    enum token_kind kind = symbol->keyword ? symbol->keyword : TOK_IDENT;
    if (lexer->want_directive) {
        kind = find_word(directives, sizeof directives / sizeof *directives, symbol->text, len);
        kind = kind ? kind : TOK_IDENT;
        lexer->want_name = kind == TOK_PP_DEFINE;
    } else if (lexer->want_name) {
        lexer->want_name = false;
        lexer->want_body = true;
        lexer->name_end = (int)(begin + len);
        push(lexer, TOK_IDENT, begin, len, symbol);
        return;
    } else if (lexer->want_body) {
        note_body(lexer, kind, begin);
    }
    push(lexer, kind, begin, len, symbol);
}

void lexer_add_comment(struct lexer *lexer, size_t begin, size_t len)
{
    struct comment *comment = vec_push(&lexer->tokens->comments);
    physical(lexer, begin, len, &comment->offset, &comment->length);
    comment->token = (uint32_t)lexer->tokens->list.count;
    lexer->flags |= TOKEN_SPACE_BEFORE;
}

void lexer_end_line(struct lexer *lexer, size_t at)
{
    lexer->want_directive = lexer->want_name = lexer->want_body = false;
    if (lexer->in_directive) {
        lexer->flags = 0;
        push(lexer, TOK_END_DIRECTIVE, at, 0, NULL);
        lexer->in_directive = false;
    }
    lexer->flags = TOKEN_LINE_START | TOKEN_SPACE_BEFORE;
}

void lexer_add_hash(struct lexer *lexer, size_t begin, size_t len)
{
    if (!lexer->in_directive && lexer->flags & TOKEN_LINE_START) {
        lexer->in_directive = true;
        push(lexer, TOK_HASH, begin, len, NULL);
        lexer->want_directive = true;
        return;
    }
    lexer_add(lexer, TOK_HASH, begin, len);
}

enum directive_tail lexer_directive_tail(struct lexer *lexer)
{
    lexer->want_directive = false;
    const struct tokens *tokens = lexer->tokens;
    switch (tokens->list.items[tokens->list.count - 1].kind) {
    case TOK_PP_INCLUDE:
    case TOK_PP_INCLUDE_NEXT:
    case TOK_PP_IMPORT:
        return TAIL_HEADER;
    case TOK_PP_ERROR:
    case TOK_PP_WARNING:
        return TAIL_TEXT;
    default:
        return TAIL_TOKENS;
    }
}

/* What needs more than a pattern. */

size_t lexer_comment_length(struct lexer *lexer, size_t begin)
{
    const char *text = lexer->text, *end = text + lexer->len;
    for (const char *at = text + begin + 2; (at = memchr(at, '*', (size_t)(end - at))); ++at)
        if (at[1] == '/' && at + 1 < end)
            return (size_t)(at + 2 - text) - begin;
    return lexer->len - begin;
}

size_t lexer_line_length(struct lexer *lexer, size_t begin)
{
    const char *at = lexer->text + begin;
    const char *nl = memchr(at, '\n', lexer->len - begin);
    return nl ? (size_t)(nl - at) : lexer->len - begin;
}

size_t lexer_literal_length(struct lexer *lexer, size_t begin, size_t head, bool *terminated)
{
    const char *first = lexer->text + begin, *end = lexer->text + lexer->len;
    char quote = first[head - 1];
    const char *at = first + head;
    *terminated = false;
    for (; at < end && *at != '\n'; ++at) {
        if (*at == quote) {
            *terminated = true;
            ++at;
            break;
        }
        if (*at == '\\' && at + 1 < end && at[1] != '\n')
            ++at;
    }
    return (size_t)(at - first);
}

size_t lexer_raw_length(struct lexer *lexer, size_t begin, size_t quote, bool *terminated)
{
    /* Splices do not count inside a raw string, so its end is sought in the source itself. */
    const char *text = lexer->source->text, *end = text + lexer->source->len;
    size_t cursor = lexer->splice_next;
    const char *delim = text + quote + removed_before(lexer, quote, true) + 1;
    /* The token itself begins before splices in its prefix. */
    lexer->splice_next = cursor;
    size_t delim_len = 0;
    while (delim + delim_len < end && delim_len < 16 &&
           !strchr(" ()\\\t\v\f\r\n", delim[delim_len]))
        ++delim_len;
    *terminated = false;
    const char *at = delim + delim_len;
    if (at == end || *at != '(') {
        /* No raw string after all: an ordinary one that its line ends. */
        const char *nl = memchr(lexer->text + quote, '\n', lexer->len - quote);
        return nl ? (size_t)(nl - lexer->text) - begin : lexer->len - begin;
    }
    while ((at = memchr(at, ')', (size_t)(end - at)))) {
        ++at;
        if ((size_t)(end - at) <= delim_len)
            break;
        if (!memcmp(at, delim, delim_len) && at[delim_len] == '"') {
            *terminated = true;
            size_t physical_end = (size_t)(at + delim_len + 1 - text);
            /* Back to logical offsets: skip the splices inside. */
            size_t next = lexer->splice_next;
            while (next < lexer->splice_count &&
                   lexer->splices[next].at + lexer->splices[next].removed <= physical_end)
                ++next;
            uint32_t removed = next ? lexer->splices[next - 1].removed : 0;
            size_t logical_end = physical_end - removed;
            return logical_end - begin;
        }
    }
    return lexer->len - begin;
}

static bool is_word(char c)
{
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

size_t lexer_with_suffix(struct lexer *lexer, size_t begin, size_t len)
{
    /* A suffix of the user's begins with an underscore; the others are the library's. Anything
       else is a name of its own, as in "%"PRIu64, which older code writes without a blank. */
    static const char *const library[] = {"s",  "sv", "h",  "min", "ms", "us",
                                          "ns", "i",  "il", "if",  "y",  "d"};
    const char *at = lexer->text + begin + len;
    size_t n = 0;
    while (at + n < lexer->text + lexer->len && is_word(at[n]))
        ++n;
    if (n == 0)
        return len;
    if (*at == '_')
        return len + n;
    for (size_t i = 0; i < sizeof library / sizeof *library; ++i)
        if (strlen(library[i]) == n && !memcmp(library[i], at, n))
            return len + n;
    return len;
}

size_t lexer_with_ucn(struct lexer *lexer, size_t begin, size_t len)
{
    const char *at = lexer->text + begin + len, *end = lexer->text + lexer->len;
    for (;;) {
        size_t digits = 2 < end - at && at[0] == '\\' ? (at[1] == 'u'   ? 4
                                                         : at[1] == 'U' ? 8
                                                                        : 0)
                                                      : 0;
        if (!digits || (size_t)(end - at) < digits + 2)
            break;
        size_t n = 0;
        while (n < digits && strchr("0123456789abcdefABCDEF", at[n + 2]) && at[n + 2])
            ++n;
        if (n < digits)
            break;
        at += digits + 2;
        while (at < end && is_word(*at))
            ++at;
    }
    return (size_t)(at - lexer->text) - begin;
}

void lexer_scan(struct tokens *tokens, const struct source *source, struct symbol_table *symbols)
{
    *tokens = (struct tokens){0};
    struct lexer lexer = {
        .tokens = tokens,
        .symbols = symbols,
        .source = source,
        .text = source->text,
        .len = source->len,
        .flags = TOKEN_LINE_START | TOKEN_SPACE_BEFORE,
    };
    join_lines(&lexer);
    /* Fewer than there will be; half of them need not be moved when the list grows. */
    tokens->list.items =
        vec_grow(NULL, source->len / 16 + 1, &tokens->list.room, sizeof *tokens->list.items);
    lexer_run(&lexer);
    lexer_end_line(&lexer, lexer.len);
    push(&lexer, TOK_EOF, lexer.len, 0, NULL);
    if (lexer.text != source->text)
        free(lexer.text);
    free(lexer.splices);
}

void lexer_release(struct tokens *tokens)
{
    vec_release(&tokens->list);
    vec_release(&tokens->landmarks);
    vec_release(&tokens->comments);
}
