/* occupancy-max-registers

   Finds: __maxnreg__, and maxrregcount among the options for the compiler at run time. Why: the
   number was chosen for the 65536 registers of an NVIDIA multiprocessor; AMD's compute units have
   more, so the same threads may have more each. HIP knows neither.

   Before: __global__ void __maxnreg__(64) k(float *p)
   After:  __global__ void k(float *p)

   Fix: safe: the attribute is dropped. Silent: nothing.  */
#include <config.h>

#include "annotate/machine.h"

#include <stdlib.h>
#include <string.h>

/* Reports RANGE, which caps the registers of a thread at MOST. */
static struct finding *report(struct annotation *a, struct range range, int64_t most)
{
    const struct target *shown = a->gpus->targets[0];
    struct finding *f = annotation_add(a, RULE_OCCUPANCY_MAX_REGISTERS, range);
    finding_add_number(f, most);
    finding_add_arg(f, shown->name);
    finding_add_number(f, most * machine_registers(shown) / NVIDIA_REGISTERS);
    return f;
}

/* That HIP has no such attribute was said already; the same edit mends that. */
static void mend_unknown(struct annotation *a, struct span span)
{
    vec_each (struct finding, f, &a->findings->list)
        if (f->rule == RULE_API_NO_COUNTERPART && f->span.begin == span.begin)
            finding_add_edit(f, FIX_SAFE, span, "");
}

/* __maxnreg__ (N) at token I. */
static void examine_attribute(struct annotation *a, uint32_t i)
{
    const struct unit *unit = a->unit;
    uint32_t close = unit_partner(unit, i + 1);
    struct constant value;
    if (unit_kind(unit, i + 1) != TOK_LPAREN || close == NO_TOKEN ||
        token_region(unit_token(unit, i)) == REGION_CUDA || annotation_is_hip(a, i) ||
        !constant_of_range(annotation_code(a)->model, (struct range){i + 2, close}, &value) ||
        !constant_single(&value) || value.values[0] < 1 || 255 < value.values[0])
        return;
    struct range range = {i, close + 1};
    struct finding *f = report(a, range, value.values[0]);
    if (unit_token(unit, i)->flags & TOKEN_DIRECTIVE)
        return;
    struct span span = unit_span(unit, range);
    const char *text = unit->source->text;
    while (text[span.end] == ' ' || text[span.end] == '\t')
        ++span.end;
    finding_add_edit(f, FIX_SAFE, span, "");
    mend_unknown(a, span);
}

/* An option such as "--maxrregcount=64". */
static void examine_option(struct annotation *a, uint32_t i)
{
    static const char option[] = "maxrregcount";
    const struct token *token = unit_token(a->unit, i);
    const char *text = a->unit->source->text + token->offset;
    const char *at = memmem(text, token->length, option, sizeof option - 1);
    if (!at || token_region(token) == REGION_CUDA)
        return;
    at += sizeof option - 1;
    at += *at == '=' || *at == ' ';
    long most = strtol(at, NULL, 10);
    if (0 < most && most < 256)
        report(a, (struct range){i, i + 1}, most)->effect = EFFECT_LAUNCH_FAILURE;
}

void rule_max_registers(struct annotation *a)
{
    const struct unit *unit = a->unit;
    const struct symbol *attribute = symbol_find(unit->symbols, "__maxnreg__");
    bool compiles = symbol_find(unit->symbols, "nvrtcCompileProgram") != NULL ||
                    symbol_find(unit->symbols, "hiprtcCompileProgram") != NULL;
    if (!attribute && !compiles)
        return;
    for (uint32_t i = 0; unit_kind(unit, i) != TOK_EOF; ++i) {
        const struct token *token = unit_token(unit, i);
        if (attribute && token->symbol == attribute)
            examine_attribute(a, i);
        else if (compiles && token->kind == TOK_STRING)
            examine_option(a, i);
    }
}
