/* memory-managed, memory-mapped-host, memory-l2-persistence, math-clock-rate: see their
   pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

/* Names of which the first use of a file is reported, with the others. */
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
    {"cudaStreamAttributeAccessPolicyWindow", RULE_MEMORY_L2_PERSISTENCE, NULL},
    {"cudaLaunchAttributeAccessPolicyWindow", RULE_MEMORY_L2_PERSISTENCE, NULL},
    {"cudaKernelNodeAttributeAccessPolicyWindow", RULE_MEMORY_L2_PERSISTENCE, NULL},
    {"hipStreamAttributeAccessPolicyWindow", RULE_MEMORY_L2_PERSISTENCE, NULL},
    {"hipLaunchAttributeAccessPolicyWindow", RULE_MEMORY_L2_PERSISTENCE, NULL},
    {"hipKernelNodeAttributeAccessPolicyWindow", RULE_MEMORY_L2_PERSISTENCE, NULL},
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

static bool is_noncoherent(const struct unit *unit, uint32_t index)
{
    const struct symbol *symbol = unit_token(unit, index)->symbol;
    return symbol && !strcmp(symbol->text, "hipHostMallocNonCoherent");
}

/* Whether the flag at INDEX is one of several of which another says that the memory is not
   coherent. */
static bool is_made_noncoherent(const struct unit *unit, uint32_t index)
{
    enum { MOST = 8 }; /* flags on either side */
    uint32_t left = index, right = index;
    for (unsigned i = 0; i < MOST && unit_kind(unit, unit_next(unit, right)) == TOK_PIPE; ++i) {
        right = unit_next(unit, unit_next(unit, right));
        if (is_noncoherent(unit, right))
            return true;
    }
    for (unsigned i = 0; i < MOST && unit_kind(unit, unit_prev(unit, left)) == TOK_PIPE; ++i) {
        left = unit_prev(unit, unit_prev(unit, left));
        if (is_noncoherent(unit, left))
            return true;
    }
    return false;
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

enum {
    USES = sizeof uses / sizeof *uses,
    MOST_RELATED = 32, /* further uses that are shown */
};

/* What is told of one rule: its finding, which further uses are related to. */
struct told {
    size_t finding; /* its index + 1; 0: none yet */
    unsigned related;
};

/* The use at INDEX: the first of its rule is a finding. */
static void add_use(struct annotation *a, enum rule_id rule, struct told *told, uint32_t index)
{
    if (!told->finding) {
        annotation_add(a, rule, (struct range){index, index + 1});
        told->finding = a->findings->list.count;
    } else if (told->related++ < MOST_RELATED) {
        finding_add_related(&a->findings->list.items[told->finding - 1], RELATED_USED,
                            unit_token_span(a->unit, index), NULL);
    }
}

void rule_host_memory(struct annotation *a)
{
    const struct unit *unit = a->unit;
    const struct symbol *symbols[USES];
    struct told told[RULE_COUNT] = {{0}};
    bool some = false;
    for (size_t u = 0; u < USES; ++u) {
        symbols[u] = symbol_find(unit->symbols, uses[u].name);
        if (symbols[u] && uses[u].also &&
            (!symbol_find(unit->symbols, uses[u].also) || !is_called_on_device(a, uses[u].also)))
            symbols[u] = NULL;
        some |= symbols[u] != NULL;
    }
    for (uint32_t i = 0; some && i + 1 < unit->tokens.list.count; ++i) {
        const struct symbol *symbol = unit_token(unit, i)->symbol;
        for (size_t u = 0; symbol && u < USES; ++u)
            if (symbols[u] == symbol && is_used(unit, i) && !is_made_noncoherent(unit, i)) {
                add_use(a, uses[u].rule, &told[uses[u].rule], i);
                break;
            }
    }
}
