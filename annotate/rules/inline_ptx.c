/* ptx-inline, ptx-special-register, ptx-warp, ptx-barrier, ptx-cluster, ptx-async-copy, matrix-ptx:
   see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"
#include "annotate/ptx.h"

#include <string.h>

enum { MOST_OPERANDS = 10 };

/* An asm statement: its text, and what its operands stand for. */
struct statement {
    struct range tokens; /* from asm to its closing parenthesis */
    struct strbuf text;  /* escapes and %% resolved */
    bool whole;          /* all of the text is known */
    struct range operands[MOST_OPERANDS];
    unsigned operand_count;
    bool plain_operands; /* all of them are understood, and the first alone is written */
};

static bool is_asm(const struct token *token)
{
    return token->kind == TOK_STATEMENT &&
           (!strcmp(token->symbol->text, "asm") || !strcmp(token->symbol->text, "__asm__"));
}

/* Adds what the string literal at TOKEN says: escapes are blanks or ends of lines, %% is %. */
static void add_literal(struct strbuf *out, const struct unit *unit, const struct token *token)
{
    const char *at = unit->source->text + token->offset, *end = at + token->length;
    bool raw = false;
    while (at < end && *at != '"')
        raw |= *at++ == 'R';
    ++at;
    if (raw) {
        while (at < end && *at != '(')
            ++at;
        ++at;
        for (--end; at < end && *end != ')';)
            --end;
    } else {
        --end;
    }
    for (; at < end; ++at) {
        if (!raw && *at == '\\' && at + 1 < end)
            strbuf_addc(out, *++at == 'n' ? '\n' : ' ');
        else if (*at == '%' && at + 1 < end && at[1] == '%')
            strbuf_addc(out, *++at);
        else
            strbuf_addc(out, *at);
    }
}

/* Adds the text of the macro at INDEX where it is one string; false otherwise. */
static bool add_macro(struct strbuf *out, struct annotation *a, uint32_t index)
{
    const struct unit *unit = a->unit;
    struct name_meaning meaning =
        model_lookup(annotation_code(a)->model, unit_token(unit, index)->symbol, index);
    if (meaning.kind != NAME_MACRO || meaning.token == NO_TOKEN)
        return false;
    const struct directive *define = unit_directive_at(unit, meaning.token);
    for (uint32_t i = define->body.begin; i < define->body.end; ++i)
        if (unit_kind(unit, i) != TOK_STRING)
            return false;
    for (uint32_t i = define->body.begin; i < define->body.end; ++i)
        add_literal(out, unit, unit_token(unit, i));
    return define->body.begin < define->body.end;
}

/* Reads `"=r"(x), ...` from AT on, behind a colon; gives the index behind them. */
static uint32_t read_operands(const struct unit *unit, struct statement *s, uint32_t at,
                              uint32_t close, bool outputs)
{
    while (at != NO_TOKEN && at < close && unit_kind(unit, at) != TOK_COLON &&
           unit_kind(unit, at) != TOK_COLON_COLON) {
        const struct token *constraint = unit_token(unit, at);
        uint32_t open = unit_next(unit, at);
        if (constraint->kind != TOK_STRING || unit_kind(unit, open) != TOK_LPAREN ||
            unit_partner(unit, open) == NO_TOKEN || MOST_OPERANDS <= s->operand_count) {
            s->plain_operands = false;
            at = unit_partner(unit, at) != NO_TOKEN && at < unit_partner(unit, at)
                     ? unit_next(unit, unit_partner(unit, at))
                     : unit_next(unit, at);
            continue;
        }
        bool plain = outputs ? unit->source->text[constraint->offset + 1] == '=' : true;
        s->plain_operands &= plain && (!outputs || s->operand_count == 0);
        s->operands[s->operand_count++] = (struct range){open + 1, unit_partner(unit, open)};
        at = unit_next(unit, unit_partner(unit, open));
        if (unit_kind(unit, at) == TOK_COMMA)
            at = unit_next(unit, at);
    }
    return at;
}

/* The asm statement at INDEX; false where it is none. Release its text. */
static bool read_statement(struct annotation *a, uint32_t index, struct statement *s)
{
    const struct unit *unit = a->unit;
    uint32_t open = unit_next(unit, index);
    while (unit_kind(unit, open) == TOK_SPECIFIER || unit_kind(unit, open) == TOK_STATEMENT)
        open = unit_next(unit, open);
    if (unit_kind(unit, open) != TOK_LPAREN || unit_partner(unit, open) == NO_TOKEN)
        return false;
    uint32_t close = unit_partner(unit, open), at = unit_next(unit, open);
    *s = (struct statement){
        .tokens = {index, close + 1}, .text = STRBUF_INIT, .whole = true, .plain_operands = true};
    for (; at != NO_TOKEN && at < close; at = unit_next(unit, at)) {
        enum token_kind kind = unit_kind(unit, at);
        if (kind == TOK_COLON || kind == TOK_COLON_COLON)
            break;
        if (kind == TOK_STRING) {
            add_literal(&s->text, unit, unit_token(unit, at));
        } else if (kind != TOK_IDENT || !add_macro(&s->text, a, at)) {
            s->whole = false;
            strbuf_addc(&s->text, '?');
        }
    }
    /* `::` stands for two colons. */
    bool outputs = true;
    for (unsigned part = 0; part < 2 && at != NO_TOKEN && at < close;) {
        unsigned colons = unit_kind(unit, at) == TOK_COLON_COLON ? 2 : 1;
        part += colons;
        outputs = part == 1;
        if (part <= 2)
            at = read_operands(unit, s, unit_next(unit, at), close, outputs);
    }
    return true;
}

static enum rule_id rule_of(const struct ptx *ptx)
{
    static const enum rule_id rules[] = {
        [PTX_INLINE] = RULE_PTX_INLINE,   [PTX_SPECIAL_REGISTER] = RULE_PTX_SPECIAL_REGISTER,
        [PTX_WARP] = RULE_PTX_WARP,       [PTX_BARRIER] = RULE_PTX_BARRIER,
        [PTX_CLUSTER] = RULE_PTX_CLUSTER, [PTX_ASYNC_COPY] = RULE_PTX_ASYNC_COPY,
        [MATRIX_PTX] = RULE_MATRIX_PTX,
    };
    return ptx->entry ? rules[ptx->entry->kind] : RULE_PTX_INLINE;
}

/* CODE with the expressions of the operands in place of $0, $1, ...; NULL where one is missing. */
static const char *fill(struct annotation *a, const struct statement *s, const char *code)
{
    struct strbuf out = STRBUF_INIT;
    const char *res = NULL;
    for (; *code; ++code) {
        if (*code != '$') {
            strbuf_addc(&out, *code);
            continue;
        }
        unsigned number = (unsigned)(*++code - '0');
        if (s->operand_count <= number)
            goto end;
        struct span span = unit_span(a->unit, s->operands[number]);
        strbuf_add(&out, a->unit->source->text + span.begin, span.end - span.begin);
    }
    res = arena_strndup(a->arena, out.text, out.len);
end:
    strbuf_release(&out);
    return res;
}

/* Adds the fix where the whole statement is one instruction that a function does. */
static void add_fix(struct annotation *a, struct finding *f, const struct statement *s,
                    const struct ptx *ptx)
{
    const struct token *first = unit_token(a->unit, s->tokens.begin);
    if (ptx->count != 1 || !ptx->entry || !ptx->entry->code || !s->whole || !s->plain_operands ||
        first->flags & TOKEN_DIRECTIVE)
        return;
    const char *code = fill(a, s, ptx->entry->code);
    if (code)
        finding_add_edit(f, ptx->entry->safety, unit_span(a->unit, s->tokens), code);
}

/* Reports the statement at INDEX, which stands in device code or not. */
static void examine(struct annotation *a, uint32_t index, bool device)
{
    struct statement s;
    struct ptx ptx;
    if (!read_statement(a, index, &s))
        return;
    ptx_read(&ptx, s.text.text ? s.text.text : "", s.text.len, a->arena);
    bool certain = ptx.entry && ptx_is_certain(ptx.opcode);
    bool something = ptx.instruction || !s.whole;
    if (certain || (device && (ptx.entry || (something && !annotation_is_hip(a, index))))) {
        struct finding *f =
            ptx.instruction ? findings_add(a->findings, rule_of(&ptx), unit_span(a->unit, s.tokens),
                                           ptx.instruction, NULL, NULL)
                            : annotation_add(a, rule_of(&ptx), s.tokens);
        if (ptx.entry)
            f->advice = ptx.entry->way;
        add_fix(a, f, &s, &ptx);
    }
    strbuf_release(&s.text);
}

void rule_inline_ptx(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!symbol_find(unit->symbols, "asm") && !symbol_find(unit->symbols, "__asm__"))
        return;
    size_t next = 0;
    uint32_t device_end = 0;
    for (uint32_t i = 0; i + 1 < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (!is_asm(token) || token_region(token) == REGION_CUDA || !token_is_code(token) ||
            unit_is_hidden(unit, i))
            continue;
        for (; next < unit->functions.count; ++next) {
            const struct function *fn = &unit->functions.items[next];
            if (i < fn->head.begin)
                break;
            if (function_on_device(fn) && device_end < fn->body.end)
                device_end = fn->body.end;
        }
        examine(a, i, i < device_end);
    }
}
