#include <config.h>

#include "transform/follow.h"

#include "parser/unit.h"

#include <string.h>

/* A walk over the header names of a file, in the order of the source as the edits are. */
struct follower {
    struct translation *t;
    follow_function follow;
    void *context;
    size_t next;  /* the first edit that may reach behind the name */
    size_t count; /* of the edits that were there before */
    struct strbuf path;
};

static bool is_include(const struct directive *d)
{
    return (d->kind == TOK_PP_INCLUDE || d->kind == TOK_PP_IMPORT ||
            d->kind == TOK_PP_INCLUDE_NEXT) &&
           d->name != NO_TOKEN;
}

/* The header name, with its quotes or angle brackets, of the source's bytes of SPAN. */
static void follow_name(struct follower *f, struct span span)
{
    struct translation *t = f->t;
    const struct edit *edits = t->edits.list.items;
    const char *text = t->source.text + span.begin;
    if (span.end - span.begin < 3 || (*text != '"' && *text != '<'))
        return;
    while (f->next < f->count && edits[f->next].offset + edits[f->next].length <= span.begin)
        ++f->next;
    if (f->next < f->count && edits[f->next].offset < span.end)
        return;
    size_t len = span.end - span.begin - 2;
    strbuf_clear(&f->path);
    if (f->follow(f->context, text + 1, len, *text == '"', &f->path))
        edit_add(&t->edits, span.begin + 1, len,
                 arena_strndup(&t->arena, f->path.text, f->path.len), EDIT_INCLUDE);
}

/* __has_include("NAME") in a condition. */
static void follow_condition(struct follower *f, const struct directive *d)
{
    const struct unit *unit = f->t->unit;
    for (uint32_t i = d->tokens.begin; i + 2 < d->tokens.end; ++i) {
        const struct symbol *symbol = unit_token(unit, i)->symbol;
        uint32_t close = unit_partner(unit, i + 1);
        if (symbol && !strncmp(symbol->text, "__has_include", 13) &&
            unit_kind(unit, i + 1) == TOK_LPAREN && close != NO_TOKEN && i + 2 < close)
            follow_name(f, unit_span(unit, (struct range){i + 2, close}));
    }
}

/* Whether the file has an #include of the macro NAME. */
static bool is_included(const struct unit *unit, const struct symbol *name)
{
    vec_each (const struct directive, d, &unit->directives)
        if (d->kind == TOK_PP_INCLUDE && d->tokens.end - d->tokens.begin == 4 &&
            unit_token(unit, d->tokens.begin + 2)->symbol == name)
            return true;
    return false;
}

/* #define NAME "NAME" and the like, for #include NAME. */
static void follow_define(struct follower *f, const struct directive *d, int *asked)
{
    enum { MOST = 50 };
    const struct unit *unit = f->t->unit;
    if (d->name == NO_TOKEN || d->function_like || d->body.begin >= d->body.end)
        return;
    struct span span = unit_span(unit, d->body);
    const char *text = f->t->source.text;
    bool header = (text[span.begin] == '"' && text[span.end - 1] == '"') ||
                  (text[span.begin] == '<' && text[span.end - 1] == '>');
    if (header && (*asked)++ < MOST && is_included(unit, unit_token(unit, d->name)->symbol))
        follow_name(f, span);
}

void includes_follow(struct translation *t, follow_function follow, void *context)
{
    const struct unit *unit = t->unit;
    struct follower f = {t, follow, context, 0, t->edits.list.count, STRBUF_INIT};
    int asked = 0;
    vec_each (const struct directive, d, &unit->directives) {
        if (is_include(d) && unit_token(unit, d->name)->kind == TOK_HEADER)
            follow_name(&f, unit_token_span(unit, d->name));
        else if (d->kind == TOK_PP_IF || d->kind == TOK_PP_ELIF)
            follow_condition(&f, d);
        else if (d->kind == TOK_PP_DEFINE)
            follow_define(&f, d, &asked);
    }
    strbuf_release(&f.path);
    edits_finish(&t->edits);
}
