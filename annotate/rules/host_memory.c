/* memory-managed, memory-mapped-host, memory-l2-persistence, math-clock-rate: see their
   pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

/* Names of which the first use of a file is reported. */
struct use {
    const char *name;
    enum rule_id rule;
    const char *also; /* the file must name this too; NULL: nothing */
};

static const struct use uses[] = {
    {"cudaMallocManaged", RULE_MEMORY_MANAGED, NULL},
    {"hipMallocManaged", RULE_MEMORY_MANAGED, NULL},
    {"cuMemAllocManaged", RULE_MEMORY_MANAGED, NULL},
    {"__managed__", RULE_MEMORY_MANAGED, NULL},
    {"cudaHostAllocMapped", RULE_MEMORY_MAPPED_HOST, NULL},
    {"hipHostMallocMapped", RULE_MEMORY_MAPPED_HOST, NULL},
    {"cudaHostRegisterMapped", RULE_MEMORY_MAPPED_HOST, NULL},
    {"hipHostRegisterMapped", RULE_MEMORY_MAPPED_HOST, NULL},
    {"CU_MEMHOSTALLOC_DEVICEMAP", RULE_MEMORY_MAPPED_HOST, NULL},
    {"accessPolicyWindow", RULE_MEMORY_L2_PERSISTENCE, NULL},
    {"persistingL2CacheMaxSize", RULE_MEMORY_L2_PERSISTENCE, NULL},
    {"clockRate", RULE_MATH_CLOCK_RATE, "clock64"},
    {"cudaDevAttrClockRate", RULE_MATH_CLOCK_RATE, "clock64"},
    {"hipDeviceAttributeClockRate", RULE_MATH_CLOCK_RATE, "clock64"},
    {"clockRate", RULE_MATH_CLOCK_RATE, "clock"},
    {"cudaDevAttrClockRate", RULE_MATH_CLOCK_RATE, "clock"},
    {"hipDeviceAttributeClockRate", RULE_MATH_CLOCK_RATE, "clock"},
};

/* Whether the name at INDEX is used in code, and is not the user's own. */
static bool is_used(const struct unit *unit, uint32_t index)
{
    const struct token *token = unit_token(unit, index);
    return token_region(token) != REGION_CUDA && token_is_code(token) && !token->symbol->user;
}

/* Whether device code of the file calls FUNCTION: the host's clock() is another. */
static bool is_called_on_device(struct annotation *a, const char *function)
{
    const struct code *code = annotation_code(a);
    vec_each (const struct code_node, call, &code->calls)
        if (call->device && call->name && !strcmp(call->name->text, function))
            return true;
    return false;
}

static bool is_reported(const struct annotation *a, enum rule_id rule)
{
    vec_each (const struct finding, f, &a->findings->list)
        if (f->rule == rule)
            return true;
    return false;
}

void rule_host_memory(struct annotation *a)
{
    const struct unit *unit = a->unit;
    for (size_t u = 0; u < sizeof uses / sizeof *uses; ++u) {
        const struct symbol *symbol = symbol_find(unit->symbols, uses[u].name);
        if (!symbol || is_reported(a, uses[u].rule) ||
            (uses[u].also &&
             (!symbol_find(unit->symbols, uses[u].also) || !is_called_on_device(a, uses[u].also))))
            continue;
        for (uint32_t i = 0; i + 1 < unit->tokens.list.count; ++i)
            if (unit_token(unit, i)->symbol == symbol && is_used(unit, i)) {
                annotation_add(a, uses[u].rule, (struct range){i, i + 1});
                break;
            }
    }
}
