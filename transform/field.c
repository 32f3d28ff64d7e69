/* Fields of the API's structs that HIP lacks or calls otherwise: attributes.memoryType.  */
#include <config.h>

#include "transform/pointer_p.h"

#include <stdio.h>
#include <string.h>

/* The object before the dot or arrow at DOT, behind which indices may stand: the token of its name,
   or NO_TOKEN. */
static uint32_t object_of(const struct unit *unit, uint32_t dot)
{
    enum { MOST = 4 }; /* indices */
    uint32_t at = unit_prev(unit, dot);
    for (int i = 0; i < MOST && unit_kind(unit, at) == TOK_RBRACKET; ++i) {
        uint32_t open = unit_partner(unit, at);
        if (open == NO_TOKEN || at < open)
            return NO_TOKEN;
        at = unit_prev(unit, open);
    }
    return unit_kind(unit, at) == TOK_IDENT ? at : NO_TOKEN;
}

/* Whether the object at INDEX, whose name is somewhere declared with TYPE, may be of it here too.
 */
static bool is_of_type(struct transform *tr, uint32_t index, const struct api *type)
{
    pointer_names_collect(tr);
    uint32_t declared = pointer_declared_type(tr->unit, index);
    const struct symbol *symbol =
        declared == NO_TOKEN ? NULL : unit_token(tr->unit, declared)->symbol;
    return !symbol || symbol->api == type;
}

static void examine(struct transform *tr, uint32_t dot)
{
    const struct unit *unit = tr->unit;
    uint32_t index = unit_next(unit, dot), object = object_of(unit, dot);
    const struct api *type = object == NO_TOKEN ? NULL : unit_token(unit, object)->symbol->type;
    if (!type || unit_kind(unit, index) != TOK_IDENT)
        return;
    char name[128];
    int len =
        snprintf(name, sizeof name, "%s::%s", type->cuda, unit_token(unit, index)->symbol->text);
    if (len < 0 || (int)sizeof name <= len)
        return;
    const struct api *field = map_find(tr->options->map, name, (size_t)len);
    if (!field || field->kind != API_FIELD || !is_of_type(tr, object, type))
        return;
    if (!field->hip)
        report_unavailable(tr, one_token(index), field->cuda, field);
    else if (field->hip_life.added <= tr->options->hip_version)
        replace_token(tr, index, field->hip, EDIT_RENAME);
}

void transform_fields(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if ((token->kind == TOK_DOT || token->kind == TOK_ARROW) &&
            token_region(token) == REGION_COMMON && token_is_code(token))
            examine(tr, i);
    }
}
