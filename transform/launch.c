/* Launches: the chevron form is HIP as it stands; --launch=function writes
   hipLaunchKernelGGL (kernel, dim3 (grid), dim3 (block), shared, stream, arguments).

   Only the brackets and commas of the launch are edited, so that comments, line breaks and what
   else is rewritten inside survive.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

/* dim3(...) and nothing behind it. */
static bool is_dim3(const struct unit *unit, struct range range)
{
    const struct token *first = unit_token(unit, range.begin);
    if (first->flags & TOKEN_DIM3)
        return true;
    if (!first->symbol || strcmp(first->symbol->text, "dim3") || range.end < range.begin + 2)
        return false;
    const struct token *open = unit_token(unit, range.begin + 1);
    return open->kind == TOK_LPAREN && open->partner + 1 == range.end;
}

static void surround(struct transform *tr, struct range range, const char *before,
                     const char *behind)
{
    insert_before(tr, range.begin, before, EDIT_LAUNCH);
    insert_behind(tr, range.end - 1, behind, EDIT_LAUNCH);
}

static uint32_t skip_blanks(const char *text, uint32_t at)
{
    while (text[at] == ' ' || text[at] == '\t')
        ++at;
    return at;
}

static bool at_newline(const char *text, uint32_t at)
{
    return text[at] == '\n' || (text[at] == '\r' && text[at + 1] == '\n');
}

/* Writes TEXT, which ends in a comma, in place of the bytes from BEGIN to END and the blanks behind
   them; a blank of its own follows unless the line ends there. */
static void write_comma(struct transform *tr, uint32_t begin, uint32_t end, const char *text)
{
    const char *source = tr->unit->source->text;
    uint32_t stop = skip_blanks(source, end);
    const char *blank = at_newline(source, stop) ? "" : " ";
    edit_add(&tr->t->edits, begin, stop - begin, arena_printf(tr->arena, "%s%s", text, blank),
             EDIT_LAUNCH);
}

/* `>>>` and `(`: what is missing of the configuration, and a comma where arguments follow. */
static void write_close(struct transform *tr, const struct launch *launch, const char *missing)
{
    const char *source = tr->unit->source->text;
    const struct token *close = unit_token(tr->unit, launch->close);
    const struct token *paren = unit_token(tr->unit, launch->lparen);
    uint32_t begin = close->offset, end = close->offset + close->length;
    /* Blanks before it, but not the indentation of its line. */
    while (begin && (source[begin - 1] == ' ' || source[begin - 1] == '\t'))
        --begin;
    if (begin && source[begin - 1] == '\n')
        begin = close->offset;
    bool together = skip_blanks(source, end) == paren->offset;
    if (together)
        end = paren->offset + 1;
    else
        edit_add(&tr->t->edits, paren->offset, 1, "", EDIT_LAUNCH);
    if (launch->arg_count) {
        write_comma(tr, begin, end, arena_printf(tr->arena, "%s,", missing));
    } else {
        if (together)
            end = skip_blanks(source, end);
        edit_add(&tr->t->edits, begin, end - begin, missing, EDIT_LAUNCH);
    }
}

/* Whether the colon at INDEX ends `case value`, `default` or a label; not that of ?:. */
static bool is_label(const struct unit *unit, uint32_t index)
{
    uint32_t at = unit_prev(unit, index);
    for (int steps = 0; at != NO_TOKEN && steps < 50; ++steps, at = unit_prev(unit, at)) {
        const struct token *token = unit_token(unit, at);
        switch (token->kind) {
        case TOK_STATEMENT:
            return !strcmp(token->symbol->text, "case") || !strcmp(token->symbol->text, "default");
        case TOK_SEMICOLON:
        case TOK_LBRACE:
        case TOK_RBRACE:
            /* label: */
            return steps == 1;
        case TOK_QUESTION:
            return false;
        default:
            break;
        }
    }
    return false;
}

/* Whether the launch is a statement of its own: hipLaunchKernelGGL is one in HIP, and may not stand
   in an expression. Where that cannot be seen the launch stays as it is. */
static bool is_statement(const struct unit *unit, const struct launch *launch)
{
    uint32_t next = unit_next(unit, launch->rparen), prev = unit_prev(unit, launch->callee.begin);
    enum token_kind behind = unit_token(unit, next)->kind;
    bool in_macro = unit_token(unit, launch->open)->flags & TOKEN_DIRECTIVE;
    if (behind != TOK_SEMICOLON &&
        !(in_macro && (behind == TOK_END_DIRECTIVE || behind == TOK_RBRACE)))
        return false;
    if (prev == NO_TOKEN)
        return true;
    if (in_macro && launch->callee.begin == unit_directive_at(unit, launch->open)->body.begin)
        return true;
    const struct token *before = unit_token(unit, prev);
    switch (before->kind) {
    case TOK_SEMICOLON:
    case TOK_LBRACE:
    case TOK_RBRACE:
        return true;
    case TOK_STATEMENT:
        return !strcmp(before->symbol->text, "else") || !strcmp(before->symbol->text, "do");
    case TOK_RPAREN: {
        /* if (...), for (...), while (...); not a cast. */
        uint32_t word = before->partner == NO_TOKEN ? NO_TOKEN : unit_prev(unit, before->partner);
        return word != NO_TOKEN && (unit_token(unit, word)->kind == TOK_STATEMENT ||
                                    unit_token(unit, word)->kind == TOK_SPECIFIER);
    }
    case TOK_COLON:
        return is_label(unit, prev);
    default:
        return false;
    }
}

/* Whether a directive stands inside the launch, as #ifdef around an argument: it may not stand in
   what is given to a macro, and its branches may hold a <<< each. */
static bool holds_directive(const struct unit *unit, const struct launch *launch)
{
    if (unit_token(unit, launch->open)->flags & TOKEN_DIRECTIVE)
        return false;
    size_t at;
    vec_search(at, unit->directives.count,
               unit->directives.items[at].tokens.begin < launch->callee.begin);
    return at < unit->directives.count && unit->directives.items[at].tokens.begin < launch->rparen;
}

static void write_function(struct transform *tr, const struct launch *launch)
{
    const struct unit *unit = tr->unit;
    if (has_bare_comma(unit, launch->callee))
        surround(tr, launch->callee, "hipLaunchKernelGGL(HIP_KERNEL_NAME(", ")");
    else
        insert_before(tr, launch->callee.begin, "hipLaunchKernelGGL(", EDIT_LAUNCH);
    const struct token *open = unit_token(unit, launch->open);
    const struct token *last = unit_token(unit, launch->callee.end - 1);
    /* Blanks between the kernel and <<< go too, unless a comment or a new line stands there. */
    uint32_t begin = last->offset + last->length;
    if (skip_blanks(unit->source->text, begin) != open->offset)
        begin = open->offset;
    write_comma(tr, begin, open->offset + open->length, ",");
    for (int i = 0; i < launch->config_count; ++i) {
        if (i < 2 && !is_dim3(unit, launch->config[i]))
            surround(tr, launch->config[i], "dim3(", ")");
        else if (2 <= i && has_bare_comma(unit, launch->config[i]))
            surround(tr, launch->config[i], "(", ")");
    }
    const char *missing = launch->config_count == 2   ? ", 0, 0"
                          : launch->config_count == 3 ? ", 0"
                                                      : "";
    write_close(tr, launch, missing);
}

void transform_launches(struct transform *tr)
{
    if (tr->options->launch != LAUNCH_FUNCTION)
        return;
    vec_each (const struct launch, launch, &tr->unit->launches) {
        if (token_region(unit_token(tr->unit, launch->open)) != REGION_COMMON ||
            launch->config_count < 2 || holds_directive(tr->unit, launch))
            continue;
        if (is_statement(tr->unit, launch))
            write_function(tr, launch);
        else
            report(tr, RULE_API_LAUNCH_KEPT, launch->callee, NULL, NULL, NULL);
    }
}
