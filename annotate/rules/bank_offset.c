/* lds-bank-offset: see its page in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <stdlib.h>
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

/* The calls of device code whose names speak of banks, by name. */
struct calls {
    VEC(const struct code_node *) list;
    bool is_read;
};

static int compare_calls(const void *va, const void *vb)
{
    const struct code_node *a = *(const struct code_node *const *)va,
                           *b = *(const struct code_node *const *)vb;
    if (a->name != b->name)
        return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void find_calls(const struct code *code, struct calls *calls)
{
    if (calls->is_read)
        return;
    calls->is_read = true;
    vec_each (const struct code_node, call, &code->calls)
        if (call->device && call->name && speaks_of_banks(call->name->text))
            *vec_push(&calls->list) = call;
    if (calls->list.count)
        qsort(calls->list.items, calls->list.count, sizeof *calls->list.items, compare_calls);
}

/* Whether there are calls of NAME; their places go to F, where that is not NULL. */
static bool add_uses(struct annotation *a, struct calls *calls, const struct symbol *name,
                     struct finding *f)
{
    size_t first, end;
    find_calls(annotation_code(a), calls);
    vec_search(first, calls->list.count,
               (uintptr_t)calls->list.items[first]->name < (uintptr_t)name);
    for (end = first; f && end < calls->list.count && end < first + MOST_USES &&
                      calls->list.items[end]->name == name;
         ++end)
        finding_add_related(f, RELATED_USED,
                            unit_span(a->unit, calls->list.items[end]->node->tokens), NULL);
    return first < calls->list.count && calls->list.items[first]->name == name;
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

static void examine(struct annotation *a, struct calls *calls, const struct directive *macro)
{
    const struct symbol *name =
        macro->name == NO_TOKEN ? NULL : unit_token(a->unit, macro->name)->symbol;
    if (!name || !macro->function_like || !speaks_of_banks(name->text) ||
        token_region(unit_token(a->unit, macro->name)) == REGION_CUDA)
        return;
    const struct code *code = annotation_code(a);
    uint32_t amount = find_shift(code, macro);
    if (amount == NO_TOKEN || !add_uses(a, calls, name, NULL))
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
    add_uses(a, calls, name, f);
}

void rule_bank_offset(struct annotation *a)
{
    if (!symbol_find(a->unit->symbols, "__shared__"))
        return;
    struct calls calls = {.is_read = false};
    vec_each (const struct directive, d, &a->unit->directives)
        if (d->kind == TOK_PP_DEFINE)
            examine(a, &calls, d);
    vec_release(&calls.list);
}
