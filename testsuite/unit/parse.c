#include <config.h>

#include "testsuite/unit/parse.h"

#include <string.h>

#include "base/xalloc.h"

void parse_bytes(struct parse *parse, const char *text, size_t len)
{
    char *copy = xmalloc(len + SOURCE_PADDING);
    memcpy(copy, text, len);
    memset(copy + len, 0, SOURCE_PADDING);
    *parse = (struct parse){.arena = ARENA_INIT, .diag = DIAG_INIT};
    source_init(&parse->source, "test.cu", copy, len);
    symbol_table_init(&parse->symbols, &parse->arena, lexer_on_new, NULL);
    unit_parse(&parse->unit, &parse->source, &parse->symbols, &parse->arena, &parse->diag);
}

void parse_model(struct parse *parse, const char *text, size_t len,
                 const struct model_options *options)
{
    parse_bytes(parse, text, len);
    model_init(&parse->model, &parse->unit, &parse->arena, options);
    parse->has_model = true;
}

void parse_release(struct parse *parse)
{
    if (parse->has_model)
        model_release(&parse->model);
    diag_release(&parse->diag);
    unit_release(&parse->unit);
    symbol_table_release(&parse->symbols);
    arena_release(&parse->arena);
    source_release(&parse->source);
}

void put_range(struct strbuf *out, const struct unit *unit, struct range range)
{
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_END_DIRECTIVE)
            continue;
        if (i != range.begin)
            strbuf_addc(out, ' ');
        strbuf_add(out, unit->source->text + token->offset, token->length);
    }
}
