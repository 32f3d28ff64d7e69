#include <config.h>

#include "parser/unit.h"

#include <string.h>

#include "parser/island.h"
#include "parser/unit_p.h"

void unit_parse(struct unit *unit, const struct source *source, struct symbol_table *symbols,
                struct arena *arena, struct diag *diag)
{
    *unit = (struct unit){.arena = arena, .source = source, .symbols = symbols};
    lexer_scan(&unit->tokens, source, symbols);
    pass1_pair(unit, diag);
    pass2_directives(unit);
    pass3_scopes(unit);
    pass4_launches(unit);
}

void unit_release(struct unit *unit)
{
    lexer_release(&unit->tokens);
    vec_release(&unit->directives);
    vec_release(&unit->scopes);
    vec_release(&unit->scope_marks);
    vec_release(&unit->functions);
    vec_release(&unit->variables);
    vec_release(&unit->launches);
}

bool unit_is_header(const struct unit *unit)
{
    static const char *const sources[] = {".cu", ".cpp", ".cc", ".cxx", ".c", ".hip", ".C"};
    const char *name = unit->source->name, *slash = strrchr(name, '/');
    const char *dot = strrchr(slash ? slash : name, '.');
    for (size_t i = 0; dot && i < sizeof sources / sizeof *sources; ++i)
        if (!strcmp(dot, sources[i]))
            return false;
    return dot != NULL;
}

struct diag_place unit_place(const struct unit *unit, uint32_t index)
{
    /* Rarely asked, so without an index of the lines. */
    const struct source *source = unit->source;
    uint32_t offset = unit_token(unit, index)->offset;
    struct diag_place res = {source->name, 1, 1};
    for (uint32_t i = 0; i < offset; ++i) {
        res.column++;
        if (source->text[i] == '\n') {
            res.line++;
            res.column = 1;
        }
    }
    return res;
}

uint32_t unit_next(const struct unit *unit, uint32_t index)
{
    const struct token *token = unit_token(unit, index);
    if (token->kind == TOK_EOF)
        return index;
    ++index;
    const struct token *next = unit_token(unit, index);
    if (!(token->flags & TOKEN_DIRECTIVE) && next->flags & TOKEN_DIRECTIVE)
        index = next->partner + 1; /* a run of directives begins here */
    return index;
}

uint32_t unit_prev(const struct unit *unit, uint32_t index)
{
    bool inside = unit_token(unit, index)->flags & TOKEN_DIRECTIVE;
    while (index-- > 0) {
        const struct token *token = unit_token(unit, index);
        if (inside)
            return token->kind == TOK_END_DIRECTIVE || !(token->flags & TOKEN_DIRECTIVE) ? NO_TOKEN
                                                                                         : index;
        if (!(token->flags & TOKEN_DIRECTIVE))
            return index;
        index = token->partner; /* a run of directives ends here */
    }
    return NO_TOKEN;
}

bool unit_is_member(const struct unit *unit, uint32_t index)
{
    enum token_kind before = unit_kind(unit, unit_prev(unit, index));
    return before == TOK_DOT || before == TOK_ARROW;
}

struct span unit_span(const struct unit *unit, struct range range)
{
    if (range.begin >= range.end) {
        uint32_t at = unit_token(unit, range.begin)->offset;
        return (struct span){at, at};
    }
    const struct token *last = unit_token(unit, range.end - 1);
    return (struct span){unit_token(unit, range.begin)->offset, last->offset + last->length};
}

bool unit_same_text(const struct unit *unit, struct range a, struct range b)
{
    if (a.end - a.begin != b.end - b.begin)
        return false;
    for (uint32_t i = 0; i < a.end - a.begin; ++i) {
        const struct token *x = unit_token(unit, a.begin + i), *y = unit_token(unit, b.begin + i);
        if (x->kind != y->kind || x->length != y->length ||
            memcmp(unit->source->text + x->offset, unit->source->text + y->offset, x->length))
            return false;
    }
    return true;
}

size_t unit_comment_from(const struct unit *unit, size_t offset)
{
    size_t low;
    vec_search(low, unit->tokens.comments.count, unit->tokens.comments.items[low].offset < offset);
    return low;
}

void unit_add_quote(const struct unit *unit, struct quote *quote, size_t begin, size_t end)
{
    const char *text = unit->source->text;
    for (size_t i = unit_comment_from(unit, begin); i < unit->tokens.comments.count; ++i) {
        const struct comment *comment = &unit->tokens.comments.items[i];
        if (end <= comment->offset || !quote_add(quote, text + begin, comment->offset - begin))
            break;
        quote_add(quote, " ", 1);
        begin = comment->offset + comment->length;
    }
    if (begin < end)
        quote_add(quote, text + begin, end - begin);
}

const char *unit_quote(const struct unit *unit, struct range range)
{
    struct span span = unit_span(unit, range);
    struct quote quote = QUOTE_INIT;
    unit_add_quote(unit, &quote, span.begin, span.end);
    return quote_finish(&quote, unit->arena);
}

/* See struct arguments. */
static int first_unknown(const struct unit *unit, const struct arguments *args)
{
    uint32_t lparen = args->tokens.begin;
    const struct symbol *rest = NULL;
    bool in_macro = unit_token(unit, lparen)->flags & TOKEN_DIRECTIVE;
    if (in_macro) {
        /* #define F(a, rest...) */
        const struct directive *d = unit_directive_at(unit, lparen);
        if (d->params.begin + 1 < d->params.end &&
            unit_token(unit, d->params.end - 1)->kind == TOK_ELLIPSIS)
            rest = unit_token(unit, d->params.end - 2)->symbol;
    }
    for (int i = 0; i < args->count; ++i) {
        const struct token *last = unit_token(unit, args->items[i].end - 1);
        if (last->kind == TOK_ELLIPSIS)
            return i;
        if (in_macro && last->symbol &&
            (last->symbol == rest || !strcmp(last->symbol->text, "__VA_ARGS__")))
            return i;
        /* A comma in a branch: who counts it? */
        if (!in_macro && i &&
            unit_branch_at(unit, args->items[i].begin - 1) != unit_branch_at(unit, lparen) &&
            unit_token(unit, args->items[i].begin - 1)->kind == TOK_COMMA)
            return i - 1;
    }
    return -1;
}

bool unit_arguments(const struct unit *unit, uint32_t lparen, struct arena *arena,
                    struct arguments *res)
{
    uint32_t rparen = unit_partner(unit, lparen);
    if (rparen == NO_TOKEN || rparen < lparen)
        return false;
    struct island island = {
        .unit = unit,
        .arena = arena,
        .start = ISLAND_ARGUMENTS,
        .at = lparen,
        .end = rparen + 1,
        .open = {lparen, NO_TOKEN},
    };
    if (!island_parse(&island))
        return false;
    *res = (struct arguments){
        .items = range_list_array(island.args, arena),
        .count = island.args ? island.args->count : 0,
        .tokens = {lparen, rparen + 1},
    };
    res->first_unknown = first_unknown(unit, res);
    return true;
}

uint32_t unit_function_before(const struct unit *unit, uint32_t index)
{
    size_t low;
    vec_search(low, unit->functions.count, unit->functions.items[low].head.begin <= index);
    return low ? (uint32_t)low - 1 : NO_INDEX;
}

uint32_t unit_scope_at(const struct unit *unit, uint32_t index)
{
    size_t low;
    vec_search(low, unit->scope_marks.count, unit->scope_marks.items[low].token <= index);
    return low ? unit->scope_marks.items[low - 1].scope : NO_INDEX;
}

/* The last directive that begins at or before token INDEX, or NO_INDEX. */
static uint32_t directive_before(const struct unit *unit, uint32_t index)
{
    size_t low;
    vec_search(low, unit->directives.count, unit->directives.items[low].tokens.begin <= index);
    return low ? (uint32_t)low - 1 : NO_INDEX;
}

uint32_t unit_branch_at(const struct unit *unit, uint32_t index)
{
    uint32_t d = directive_before(unit, index);
    if (d == NO_INDEX)
        return NO_INDEX;
    return index < unit->directives.items[d].tokens.end ? unit->directives.items[d].parent
                                                        : unit->directives.items[d].inside;
}

bool unit_is_hidden(const struct unit *unit, uint32_t index)
{
    uint32_t branch = unit_branch_at(unit, index);
    return branch != NO_INDEX && unit->directives.items[branch].hidden;
}

const struct directive *unit_directive_at(const struct unit *unit, uint32_t index)
{
    return &unit->directives.items[directive_before(unit, index)];
}
