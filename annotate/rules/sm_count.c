/* occupancy-sm-count

   Finds: the number of multiprocessors of an NVIDIA part, or the threads of one, written as a
   number where a grid is sized. Why: AMD parts have other numbers of compute units: a grid of 132
   blocks leaves more than half of the 304 of an MI300X without work.

   Before: const int NUM_SMS = 132;  k<<<NUM_SMS * 2, 256>>>();
   After:  hipDeviceGetAttribute(&sms, hipDeviceAttributeMultiprocessorCount, device);

   Fix: none: the number has to be asked for at run time.
   Silent: such numbers anywhere else.  */
#include <config.h>

#include "annotate/annotate_p.h"

#include <ctype.h>
#include <string.h>

/* Multiprocessors of parts that people tune for: V100, A100, RTX 3090, RTX 4090, H100, B200. */
static bool is_sm_count(int64_t value)
{
    static const int64_t counts[] = {56, 68, 72, 78, 80, 82, 84, 108, 114, 128, 132, 142, 144, 148};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        if (value == counts[i])
            return true;
    return false;
}

/* Whether NAME speaks of multiprocessors: "SM" as a word of it, in any style. */
static bool speaks_of_sms(const char *name)
{
    for (const char *at = name; *at; ++at) {
        if (tolower((unsigned char)at[0]) != 's' || tolower((unsigned char)at[1]) != 'm')
            continue;
        const char *end = at + 2;
        if (tolower((unsigned char)*end) == 's')
            ++end;
        bool begins = at == name || at[-1] == '_' ||
                      (isupper((unsigned char)at[0]) && islower((unsigned char)at[-1])) ||
                      isdigit((unsigned char)at[-1]);
        bool ends =
            !*end || *end == '_' ||
            (isupper((unsigned char)*end) && (end[-1] == 's' || islower((unsigned char)end[1])));
        if (begins && ends)
            return true;
    }
    return strstr(name, "ultiprocessor") || strstr(name, "ultiProcessor");
}

struct context {
    struct annotation *a;
    const struct code *code;
    uint32_t reported[64]; /* where a name is defined */
    size_t reported_count;
};

static bool is_new(struct context *c, uint32_t token)
{
    for (size_t i = 0; i < c->reported_count; ++i)
        if (c->reported[i] == token)
            return false;
    if (c->reported_count < sizeof c->reported / sizeof *c->reported)
        c->reported[c->reported_count++] = token;
    return true;
}

/* The names and numbers of EXPRESSION, part of the size of a grid; NAMES_ONLY: numbers alone say
 * too little. */
static void examine(struct context *c, const struct node *node, struct span launch, unsigned depth)
{
    struct annotation *a = c->a;
    struct constant value;
    if (8 < depth)
        return;
    if (node->kind == NODE_NAME) {
        const struct symbol *name = tree_symbol(a->unit, node);
        struct name_meaning meaning = model_lookup(c->code->model, name, node->token);
        if (speaks_of_sms(name->text) && constant_of(c->code->model, node, &value) &&
            constant_single(&value) && is_sm_count(value.values[0]) && meaning.token != NO_TOKEN &&
            is_new(c, meaning.token)) {
            struct finding *f = annotation_add(a, RULE_OCCUPANCY_SM_COUNT,
                                               (struct range){meaning.token, meaning.token + 1});
            finding_add_number(f, value.values[0]);
            finding_add_related(f, RELATED_LAUNCHED, launch, NULL);
        }
        return;
    }
    /* A number of which the other factor is one of blocks per multiprocessor: 108 * 2. */
    if (node->kind == NODE_BINARY && node->op == TOK_STAR) {
        tree_each (factor, node) {
            if (factor->kind == NODE_NUMBER && constant_of(c->code->model, factor, &value) &&
                constant_single(&value) &&
                (value.values[0] == 108 || value.values[0] == 132 || value.values[0] == 148) &&
                is_new(c, factor->token)) {
                struct finding *f = annotation_add(a, RULE_OCCUPANCY_SM_COUNT, factor->tokens);
                finding_add_number(f, value.values[0]);
                finding_add_related(f, RELATED_LAUNCHED, launch, NULL);
            }
        }
    }
    tree_each (kid, node)
        examine(c, kid, launch, depth + 1);
}

void rule_sm_count(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!unit->launches.count && !symbol_find(unit->symbols, "hipLaunchKernelGGL") &&
        !symbol_find(unit->symbols, "cudaLaunchCooperativeKernel") &&
        !symbol_find(unit->symbols, "cudaLaunchKernel"))
        return;
    struct context c = {.a = a, .code = annotation_code(a)};
    size_t count;
    const struct launch_site *sites = model_launches(c.code->model, &count);
    for (size_t i = 0; i < count; ++i) {
        if (token_region(unit_token(unit, sites[i].token)) == REGION_CUDA)
            continue;
        struct span launch = unit_token_span(unit, sites[i].token);
        for (int d = 0; d < 3; ++d)
            if (sites[i].grid[d].expression)
                examine(&c, sites[i].grid[d].expression, launch, 0);
    }
}
