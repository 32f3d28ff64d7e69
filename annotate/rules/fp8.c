/* math-fp8-encoding, math-fp8-type: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

/* What a name says of the encoding: nothing in CUDA, where there is one only. */
enum encoding { ENCODING_CUDA, ENCODING_OCP, ENCODING_FNUZ };

struct fp8_name {
    const char *text;
    enum encoding encoding;
};

static const struct fp8_name names[] = {
    {"__nv_fp8_e4m3", ENCODING_CUDA},
    {"__nv_fp8_e5m2", ENCODING_CUDA},
    {"__nv_fp8x2_e4m3", ENCODING_CUDA},
    {"__nv_fp8x2_e5m2", ENCODING_CUDA},
    {"__nv_fp8x4_e4m3", ENCODING_CUDA},
    {"__nv_fp8x4_e5m2", ENCODING_CUDA},
    {"__NV_E4M3", ENCODING_CUDA},
    {"__NV_E5M2", ENCODING_CUDA},
    {"__hip_fp8_e4m3", ENCODING_OCP},
    {"__hip_fp8_e5m2", ENCODING_OCP},
    {"__hip_fp8x2_e4m3", ENCODING_OCP},
    {"__hip_fp8x2_e5m2", ENCODING_OCP},
    {"__hip_fp8x4_e4m3", ENCODING_OCP},
    {"__hip_fp8x4_e5m2", ENCODING_OCP},
    {"__hip_fp8_e4m3_fnuz", ENCODING_FNUZ},
    {"__hip_fp8_e5m2_fnuz", ENCODING_FNUZ},
    {"__hip_fp8x2_e4m3_fnuz", ENCODING_FNUZ},
    {"__hip_fp8x2_e5m2_fnuz", ENCODING_FNUZ},
    {"__hip_fp8x4_e4m3_fnuz", ENCODING_FNUZ},
    {"__hip_fp8x4_e5m2_fnuz", ENCODING_FNUZ},
};
enum { NAMES = sizeof names / sizeof *names };

/* Targets by what HIP's header has for their kernels (amd_hip_fp8.h of HIP 7.2): one encoding only.
   All others have both, in software. */
struct fp8_targets {
    target_set fnuz, ocp;
};

static struct fp8_targets fp8_targets(const struct comparison *gpus)
{
    return (struct fp8_targets){
        .fnuz = comparison_with_architecture(gpus, "CDNA3"),
        .ocp = comparison_with_architecture(gpus, "CDNA4") |
               comparison_with_architecture(gpus, "RDNA4"),
    };
}

/* The name that the token at INDEX is, or NULL. */
static const struct fp8_name *name_at(const struct unit *unit, const struct symbol **symbols,
                                      uint32_t index)
{
    const struct token *token = unit_token(unit, index);
    if (token->kind != TOK_IDENT || token->symbol->user || token_region(token) == REGION_CUDA ||
        !token_is_code(token))
        return NULL;
    for (int i = 0; i < NAMES; ++i)
        if (symbols[i] == token->symbol)
            return &names[i];
    return NULL;
}

static bool on_device(const struct unit *unit, uint32_t index)
{
    uint32_t before = unit_function_before(unit, index);
    const struct function *fn = before == NO_INDEX ? NULL : &unit->functions.items[before];
    return fn && function_on_device(fn) &&
           (index < fn->head.end || (fn->body.begin <= index && index < fn->body.end));
}

/* A finding of RULE at INDEX that concerns TARGETS; where *FIRST has one already, the place is a
   note of that. Gives a new one, or NULL. */
static struct finding *add(struct annotation *a, size_t *first, enum rule_id rule, uint32_t index,
                           target_set targets)
{
    struct range range = {index, index + 1};
    if (*first != SIZE_MAX) {
        finding_add_related(&a->findings->list.items[*first], RELATED_USED,
                            unit_span(a->unit, range), NULL);
        return NULL;
    }
    struct finding *f = annotation_add(a, rule, range);
    f->targets = targets;
    finding_add_arg(f, annotation_names(a, targets));
    *first = a->findings->list.count - 1;
    return f;
}

void rule_fp8(struct annotation *a)
{
    const struct unit *unit = a->unit;
    const struct fp8_targets targets = fp8_targets(a->gpus);
    const struct symbol *symbols[NAMES];
    bool any = false;
    for (int i = 0; i < NAMES; ++i)
        any |= (symbols[i] = symbol_find(unit->symbols, names[i].text)) != NULL;
    if (!any || !(targets.fnuz | targets.ocp))
        return;
    size_t encoding = SIZE_MAX, no_ocp = SIZE_MAX, no_fnuz = SIZE_MAX;
    uint32_t count = (uint32_t)unit->tokens.list.count;
    for (uint32_t i = 0; i < count; ++i) {
        const struct fp8_name *name = name_at(unit, symbols, i);
        if (!name)
            continue;
        if (name->encoding != ENCODING_CUDA) {
            bool ocp = name->encoding == ENCODING_OCP;
            target_set without = ocp ? targets.fnuz : targets.ocp;
            if (without && on_device(unit, i))
                add(a, ocp ? &no_ocp : &no_fnuz, RULE_MATH_FP8_TYPE, i, without);
        } else if (targets.fnuz) {
            add(a, &encoding, RULE_MATH_FP8_ENCODING, i, targets.fnuz);
            /* No name of HIP's is for the kernels of all. */
            struct finding *f =
                targets.ocp ? add(a, &no_fnuz, RULE_MATH_FP8_TYPE, i, targets.ocp) : NULL;
            const struct api *api = unit_token(unit, i)->symbol->api;
            if (f && api && api->fnuz)
                f->args[0] = api->fnuz;
        }
    }
}
