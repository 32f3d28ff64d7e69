#include <config.h>

#include "report/fingerprint.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "report/message.h"

enum {
    LONGEST = 160,      /* bytes of a text that is shown whole */
    MOST_TOKENS = 4096, /* more of a place are not looked at */
};

uint64_t fingerprint_hash(const char *text, size_t len)
{
    uint64_t res = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; ++i)
        res = (res ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return res;
}

static bool is_word(char c)
{
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
           (c & 0x80);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* Whether C is one of several characters that make an operator. */
static bool is_operator(char c)
{
    return c && strchr("+-*/%^&|~!=<>?:.#", c);
}

/* Appends the LEN bytes of a token, set apart from what is there where they would become one with
   it. Blanks in between are not asked, so that formatting makes no difference. */
static void add_token(struct strbuf *out, const char *text, size_t len)
{
    char last = out->len ? out->text[out->len - 1] : '\0';
    if ((is_word(last) && is_word(*text)) || (is_operator(last) && is_operator(*text)))
        strbuf_addc(out, ' ');
    for (size_t i = 0; i < len; ++i) {
        size_t eol = i + 1 < len && text[i] == '\\' ? i + 1 : len;
        eol += eol + 1 < len && text[eol] == '\r';
        if (eol < len && text[eol] == '\n')
            i = eol; /* a line splice */
        else
            strbuf_addc(out, text[i]);
    }
}

/* The index of the first token that ends behind OFFSET. */
static size_t token_at(const struct unit *unit, size_t offset)
{
    const struct token *tokens = unit->tokens.list.items;
    size_t low;
    vec_search(low, unit->tokens.list.count, tokens[low].offset + tokens[low].length <= offset);
    return low;
}

/* The end of SPAN, or where it is a name before an argument list, also with a word between (asm
   volatile), that of the list: a call is told from another by what it is given. */
static uint32_t end_of_call(const struct unit *unit, struct span span)
{
    size_t i = token_at(unit, span.end);
    if (i && !unit_token(unit, (uint32_t)i - 1)->symbol)
        return span.end;
    for (int words = 0; words < 2 && unit_token(unit, (uint32_t)i)->symbol; ++words)
        ++i;
    uint32_t partner = unit_token(unit, (uint32_t)i)->partner;
    if (unit_token(unit, (uint32_t)i)->kind != TOK_LPAREN || partner == NO_TOKEN)
        return span.end;
    return unit_token(unit, partner)->offset + unit_token(unit, partner)->length;
}

/* Appends SPAN by its tokens, or, where it holds none (a comment), by its words. */
static void add_tokens(struct strbuf *out, const struct unit *unit, struct span span)
{
    const char *text = unit->source->text;
    size_t first = token_at(unit, span.begin);
    if (first < unit->tokens.list.count && unit_token(unit, (uint32_t)first)->offset < span.end)
        span.end = end_of_call(unit, span);
    for (size_t i = first; i < unit->tokens.list.count && i < first + MOST_TOKENS; ++i) {
        const struct token *t = unit_token(unit, (uint32_t)i);
        size_t begin = t->offset < span.begin ? span.begin : t->offset;
        size_t end = t->offset + t->length < span.end ? t->offset + t->length : span.end;
        if (span.end <= t->offset)
            break;
        if (begin < end && !is_blank(text[begin]))
            add_token(out, text + begin, end - begin);
    }
    if (out->len)
        return;
    for (size_t i = span.begin; i < span.end; ++i)
        if (!is_blank(text[i]))
            strbuf_addc(out, text[i]);
        else if (out->len && out->text[out->len - 1] != ' ')
            strbuf_addc(out, ' ');
}

/* Appends TEXT as a field. */
static void add_field(struct strbuf *out, const char *text, size_t len)
{
    size_t shown = LONGEST < len ? (size_t)LONGEST : len;
    while (shown < len && ((unsigned char)text[shown] & 0xc0) == 0x80)
        --shown;
    utf8_add_terminal(out, text, shown);
    if (shown < len)
        strbuf_printf(out, "... #%016" PRIx64, fingerprint_hash(text, len));
}

static void add_place(struct strbuf *out, const struct unit *unit, struct span span)
{
    struct strbuf text = STRBUF_INIT;
    add_tokens(&text, unit, span);
    add_field(out, text.text ? text.text : "", text.len);
    strbuf_release(&text);
}

void fingerprint_add(struct strbuf *out, const struct unit *unit, const struct finding *f)
{
    const char *kernel = f->kernel ? f->kernel : "-";
    strbuf_printf(out, "%s\t", rule_get(f->rule)->name);
    add_field(out, kernel, strlen(kernel));
    strbuf_addc(out, '\t');
    add_place(out, unit, f->span);
}

void fingerprint_add_related(struct strbuf *out, const struct unit *unit, const struct finding *f,
                             const struct related *r)
{
    struct strbuf words = STRBUF_INIT;
    fingerprint_add(out, unit, f);
    strbuf_addc(out, '\t');
    message_add_related(&words, r, false);
    add_field(out, words.text ? words.text : "", words.len);
    strbuf_release(&words);
    if (!r->file) {
        strbuf_adds(out, ": ");
        add_place(out, unit, r->span);
    }
}
