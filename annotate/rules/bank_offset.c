/* lds-bank-offset: see its page in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

enum {
    OLD_SHIFT = 4, /* 16 banks, as NVIDIA GPUs had before 2010 */
    MOST_USES = 64,
};

/* Whether TEXT speaks of banks and what to do about them. */
static bool speaks_of_banks(const char *text)
{
    static const char *const words[] = {"BANK", "bank", "Bank", "CONFLICT", "conflict", "Conflict"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* The token of the first shift in the text of MACRO whose amount, a number or a name, is that for
   16 banks; NO_TOKEN for none. */
static uint32_t find_shift(const struct code *code, const struct directive *macro)
{
    const struct unit *unit = code->model->unit;
    for (uint32_t i = macro->body.begin; i + 1 < macro->body.end; ++i) {
        struct constant value;
        if (unit_kind(unit, i) != TOK_SHIFT_RIGHT)
            continue;
        bool is_known = constant_of_range(code->model, (struct range){i + 1, i + 2}, &value) &&
                        constant_single(&value) && value.values[0] == OLD_SHIFT;
        return is_known ? i + 1 : NO_TOKEN;
    }
    return NO_TOKEN;
}

/* Whether device code calls NAME; those places go to F, where that is not NULL. */
static bool add_uses(struct annotation *a, const struct code *code, const struct symbol *name,
                     struct finding *f)
{
    unsigned count = 0;
    vec_each (const struct code_node, call, &code->calls) {
        if (!call->device || call->name != name)
            continue;
        if (f && count < MOST_USES)
            finding_add_related(f, RELATED_USED, unit_span(a->unit, call->node->tokens), NULL);
        ++count;
    }
    return count != 0;
}

/* The number that says how far the shift at TOKEN goes: itself, or that of the macro it names. */
static uint32_t number_of(struct annotation *a, const struct code *code, uint32_t token)
{
    const struct unit *unit = a->unit;
    if (unit_kind(unit, token) != TOK_IDENT)
        return token;
    struct name_meaning meaning = model_lookup(code->model, unit_token(unit, token)->symbol, token);
    bool is_plain = meaning.kind == NAME_MACRO && meaning.token != NO_TOKEN &&
                    unit_kind(unit, meaning.token + 1) == TOK_NUMBER;
    return is_plain ? meaning.token + 1 : NO_TOKEN;
}

static void examine(struct annotation *a, const struct directive *macro)
{
    const struct symbol *name =
        macro->name == NO_TOKEN ? NULL : unit_token(a->unit, macro->name)->symbol;
    if (!name || !macro->function_like || !speaks_of_banks(name->text) ||
        token_region(unit_token(a->unit, macro->name)) == REGION_CUDA)
        return;
    const struct code *code = annotation_code(a);
    uint32_t amount = find_shift(code, macro);
    if (amount == NO_TOKEN || !add_uses(a, code, name, NULL))
        return;
    struct finding *f =
        annotation_add(a, RULE_LDS_BANK_OFFSET, (struct range){amount - 1, amount + 1});
    finding_add_arg(f, name->text);
    finding_add_arg(f, annotation_names(a, comparison_all(a->gpus)));
    uint32_t number = number_of(a, code, amount);
    if (number != NO_TOKEN) {
        if (number != amount)
            finding_add_related(f, RELATED_DEFINED,
                                unit_span(a->unit, (struct range){number - 1, number + 1}),
                                unit_token(a->unit, amount)->symbol->text);
        finding_add_edit(f, FIX_UNSAFE, unit_span(a->unit, (struct range){number, number + 1}),
                         "5");
    }
    add_uses(a, code, name, f);
}

void rule_bank_offset(struct annotation *a)
{
    if (!symbol_find(a->unit->symbols, "__shared__"))
        return;
    vec_each (const struct directive, d, &a->unit->directives)
        if (d->kind == TOK_PP_DEFINE)
            examine(a, d);
}
