#include <config.h>

#include "transform/follow.h"

#include "parser/unit.h"

static bool is_include(const struct directive *d)
{
    return (d->kind == TOK_PP_INCLUDE || d->kind == TOK_PP_IMPORT ||
            d->kind == TOK_PP_INCLUDE_NEXT) &&
           d->name != NO_TOKEN;
}

void includes_follow(struct translation *t, follow_function follow, void *context)
{
    size_t next = 0, count = t->edits.list.count;
    struct strbuf path = STRBUF_INIT;
    vec_each (const struct directive, d, &t->unit->directives) {
        if (!is_include(d) || unit_token(t->unit, d->name)->kind != TOK_HEADER)
            continue;
        const struct token *token = unit_token(t->unit, d->name);
        size_t begin = token->offset, end = begin + token->length;
        /* Directives and edits are in the order of the source. */
        while (next < count &&
               t->edits.list.items[next].offset + t->edits.list.items[next].length <= begin)
            ++next;
        if ((next < count && t->edits.list.items[next].offset < end) || token->length < 3)
            continue;
        const char *text = t->source.text + begin;
        strbuf_clear(&path);
        if (follow(context, text + 1, token->length - 2, *text == '"', &path))
            edit_add(&t->edits, begin + 1, token->length - 2,
                     arena_strndup(&t->arena, path.text, path.len), EDIT_INCLUDE);
    }
    strbuf_release(&path);
    edits_finish(&t->edits);
}
