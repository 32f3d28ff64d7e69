/* What macros of the file do with lane masks: give one, count one.  */
#include <config.h>

#include "annotate/lanemask_p.h"

enum { NESTING = 8 }; /* of macros in the texts of others */

const struct directive *masks_macro(struct mask_search *s, const struct node *use)
{
    const struct node *name = use->kind == NODE_CALL ? use->kids : use;
    const struct symbol *symbol = name->kind == NODE_NAME ? tree_symbol(s->unit, name) : NULL;
    if (!symbol)
        return NULL;
    struct name_meaning meaning = model_lookup(s->model, symbol, name->token);
    const struct directive *res = meaning.kind == NAME_MACRO && meaning.token != NO_TOKEN
                                      ? unit_directive_at(s->unit, meaning.token)
                                      : NULL;
    return res && res->function_like == (use->kind == NODE_CALL) ? res : NULL;
}

/* The text of MACRO as an expression, or NULL. */
static const struct node *read_text(struct mask_search *s, const struct directive *macro)
{
    struct mask_text *entry;
    HASH_FIND(hh, s->texts, &macro->name, sizeof macro->name, entry);
    if (!entry) {
        entry = xcalloc(1, sizeof *entry);
        entry->name = macro->name;
        if (macro->body.begin < macro->body.end)
            entry->tree = tree_expression(&s->model->trees, macro->body);
        HASH_ADD(hh, s->texts, name, sizeof entry->name, entry);
    }
    return entry->tree;
}

/* The text of the macro that USE is of, where it is not too deep in the texts of others. */
static const struct node *text_of(struct mask_search *s, const struct node *use)
{
    const struct directive *macro = s->nesting < NESTING ? masks_macro(s, use) : NULL;
    return macro ? read_text(s, macro) : NULL;
}

bool masks_macro_gives(struct mask_search *s, const struct node *use, unsigned *bits)
{
    const struct node *text = text_of(s, use);
    if (!text)
        return false;
    ++s->nesting;
    bool res = masks_carries(s, text);
    if (res && bits)
        *bits = masks_width(s, text);
    --s->nesting;
    return res;
}

bool masks_macro_constant(struct mask_search *s, const struct node *use, int64_t *value)
{
    const struct node *text = use->kind == NODE_NAME ? text_of(s, use) : NULL;
    if (!text)
        return false;
    ++s->nesting;
    bool res = masks_constant(s, text, value);
    --s->nesting;
    return res;
}

int masks_macro_parameter(const struct mask_search *s, const struct directive *macro,
                          const struct symbol *name)
{
    int index = 0;
    for (uint32_t i = macro->params.begin; name && i < macro->params.end; ++i) {
        if (unit_kind(s->unit, i) == TOK_COMMA)
            ++index;
        else if (unit_token(s->unit, i)->symbol == name)
            return index;
    }
    return -1;
}

const struct mask_counter *masks_macro_counts(struct mask_search *s, const struct node *call,
                                              unsigned *index)
{
    const struct directive *macro = masks_macro(s, call);
    const struct node *text = macro ? read_text(s, macro) : NULL;
    while (text && text->kind == NODE_CAST)
        text = text->kids->next;
    const struct mask_counter *res = text ? masks_counter_of(s, text) : NULL;
    const struct node *operand = res ? code_argument(text, 0) : NULL;
    if (!operand || operand->kind != NODE_NAME)
        return NULL;
    int at = masks_macro_parameter(s, macro, tree_symbol(s->unit, operand));
    *index = (unsigned)at;
    return 0 <= at && code_argument(call, *index) ? res : NULL;
}
