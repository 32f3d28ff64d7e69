#include <config.h>

#include "transform/translate.h"

#include <string.h>

#include "lexer/lexer.h"
#include "transform/transform_p.h"

static void on_new_symbol(struct symbol *symbol, void *context)
{
    const struct map *map = context;
    symbol->keyword = (uint16_t)lexer_keyword(symbol->text, symbol->len);
    symbol->api = map_find(map, symbol->text, symbol->len);
}

void replace_token(struct transform *tr, uint32_t index, const char *text, enum edit_reason reason)
{
    const struct token *token = unit_token(tr->unit, index);
    edit_add(&tr->t->edits, token->offset, token->length, text, reason);
}

void insert_before(struct transform *tr, uint32_t index, const char *text, enum edit_reason reason)
{
    edit_add(&tr->t->edits, unit_token(tr->unit, index)->offset, 0, text, reason);
}

void insert_behind(struct transform *tr, uint32_t index, const char *text, enum edit_reason reason)
{
    const struct token *token = unit_token(tr->unit, index);
    edit_add(&tr->t->edits, token->offset + token->length, 0, text, reason);
}

struct finding *report(struct transform *tr, enum rule_id rule, struct range range,
                       const char *arg1, const char *arg2, const char *arg3)
{
    return findings_add(&tr->t->findings, rule, unit_span(tr->unit, range), arg1, arg2, arg3);
}

const char *quote_range(struct transform *tr, struct range range)
{
    enum { LONGEST = 80 };
    struct span span = unit_span(tr->unit, range);
    const char *text = tr->unit->source->text;
    struct strbuf out = STRBUF_INIT;
    bool blank = false;
    for (uint32_t i = span.begin; i < span.end && out.len < LONGEST; ++i) {
        unsigned char c = (unsigned char)text[i];
        if (strchr(" \t\r\v\f\n", c) && c) {
            blank = true;
            continue;
        }
        if (blank && out.len)
            strbuf_addc(&out, ' ');
        blank = false;
        if (c < ' ' || c == 0x7f)
            strbuf_printf(&out, "\\x%02X", c);
        else
            strbuf_addc(&out, (char)c);
    }
    /* Not in the middle of a character. */
    if (LONGEST <= out.len) {
        while (out.len && (out.text[out.len - 1] & 0xc0) == 0x80)
            --out.len;
        if (out.len && (unsigned char)out.text[out.len - 1] >= 0xc0)
            --out.len;
        strbuf_add(&out, "", 0);
        strbuf_adds(&out, "...");
    }
    const char *res = arena_strndup(tr->arena, out.text ? out.text : "", out.len);
    strbuf_release(&out);
    return res;
}

bool has_bare_comma(const struct unit *unit, struct range range)
{
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_LPAREN && token->partner != NO_TOKEN && i < token->partner &&
            token->partner < range.end)
            i = token->partner;
        else if (token->kind == TOK_COMMA)
            return true;
    }
    return false;
}

/* The function around each finding, for reports. */
static void name_kernels(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    size_t f = 0;
    const char *kernel = NULL;
    uint32_t end = 0;
    vec_each (struct finding, finding, &tr->t->findings.list) {
        for (; f < unit->functions.count; ++f) {
            const struct function *fn = &unit->functions.items[f];
            if (finding->span.begin < unit_token(unit, fn->head.begin)->offset)
                break;
            if (!(fn->flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE)) ||
                fn->body.begin >= fn->body.end)
                continue;
            const struct token *last = unit_token(unit, fn->body.end - 1);
            kernel = unit_token(unit, fn->name)->symbol->text;
            end = last->offset + last->length;
        }
        if (kernel && finding->span.begin < end)
            finding->kernel = kernel;
    }
}

void translate(struct translation *t, const char *name, char *text, size_t len,
               const struct translate_options *options)
{
    *t = (struct translation){.diag = DIAG_INIT};
    source_init(&t->source, name, text, len);
    findings_init(&t->findings, &t->arena);
    struct symbol_table symbols;
    symbol_table_init(&symbols, &t->arena, on_new_symbol, (void *)(uintptr_t)options->map);
    t->unit = arena_zalloc(&t->arena, 1, sizeof *t->unit);
    unit_parse(t->unit, &t->source, &symbols, &t->arena, &t->diag);

    struct transform tr = {
        .t = t,
        .unit = t->unit,
        .options = options,
        .arena = &t->arena,
    };
    if (options->input != INPUT_HIP) {
        names_collect(&tr);
        transform_conditions(&tr);
        transform_names(&tr);
        transform_launches(&tr);
        transform_properties(&tr);
        transform_device_pointers(&tr);
        transform_includes(&tr);
    }
    symbol_table_release(&symbols);
    t->unit->symbols = NULL;
    edits_finish(&t->edits);
    findings_sort(&t->findings);
    name_kernels(&tr);
}

void translation_text(const struct translation *t, struct strbuf *out)
{
    edits_apply(&t->edits, &t->source, out);
}

void translation_release(struct translation *t)
{
    unit_release(t->unit);
    edits_release(&t->edits);
    findings_release(&t->findings);
    diag_release(&t->diag);
    source_release(&t->source);
    arena_release(&t->arena);
}
