/* occupancy-cache-config, lds-bank-size, occupancy-block-search, occupancy-sm-property

   Finds: calls that choose between cache and shared memory, or the size of a bank; the search for
   the best block; properties of a multiprocessor that HIP fills with something else. Why: LDS and
   the L1 cache are separate memories on AMD GPUs and banks are 4 bytes wide, so such calls are
   checked and then do nothing. HIP's search for a block size looks at registers only and mostly
   answers 1024; maxBlocksPerMultiProcessor is the number of blocks of 1024 threads, and up to HIP
   6.2 sharedMemPerMultiprocessor the LDS of all compute units together.

   Before: cudaFuncSetCacheConfig(k, cudaFuncCachePreferShared);
   After:  (gone)

   Fix: safe: a call that is a statement of its own is removed.
   Silent: calls whose result is used, but for the note; searches with a limit of 256 threads.  */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

struct dead_call {
    const char *cuda, *hip;
    enum rule_id rule;
    const char *attribute; /* part of the name of the second argument; NULL: whatever it is */
};

static const struct dead_call dead_calls[] = {
    {"cudaFuncSetCacheConfig", "hipFuncSetCacheConfig", RULE_OCCUPANCY_CACHE_CONFIG, NULL},
    {"cudaDeviceSetCacheConfig", "hipDeviceSetCacheConfig", RULE_OCCUPANCY_CACHE_CONFIG, NULL},
    {"cudaThreadSetCacheConfig", "hipThreadSetCacheConfig", RULE_OCCUPANCY_CACHE_CONFIG, NULL},
    {"cuCtxSetCacheConfig", "hipCtxSetCacheConfig", RULE_OCCUPANCY_CACHE_CONFIG, NULL},
    {"cuFuncSetCacheConfig", "hipFuncSetCacheConfig", RULE_OCCUPANCY_CACHE_CONFIG, NULL},
    {"cudaFuncSetAttribute", "hipFuncSetAttribute", RULE_OCCUPANCY_CACHE_CONFIG,
     "PreferredSharedMemoryCarveout"},
    {"cuFuncSetAttribute", "hipFuncSetAttribute", RULE_OCCUPANCY_CACHE_CONFIG,
     "PREFERRED_SHARED_MEMORY_CARVEOUT"},
    {"cudaDeviceSetSharedMemConfig", "hipDeviceSetSharedMemConfig", RULE_LDS_BANK_SIZE, NULL},
    {"cudaFuncSetSharedMemConfig", "hipFuncSetSharedMemConfig", RULE_LDS_BANK_SIZE, NULL},
    {"cuCtxSetSharedMemConfig", "hipCtxSetSharedMemConfig", RULE_LDS_BANK_SIZE, NULL},
};

/* Searches for the best block, and which argument limits it. */
static const struct search {
    const char *name;
    unsigned limit;
} searches[] = {
    {"cudaOccupancyMaxPotentialBlockSize", 4},
    {"cudaOccupancyMaxPotentialBlockSizeWithFlags", 4},
    {"cudaOccupancyMaxPotentialBlockSizeVariableSMem", 4},
    {"cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags", 4},
    {"hipOccupancyMaxPotentialBlockSize", 4},
    {"hipOccupancyMaxPotentialBlockSizeWithFlags", 4},
    {"hipOccupancyMaxPotentialBlockSizeVariableSMem", 4},
    {"hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags", 4},
    {"cuOccupancyMaxPotentialBlockSize", 5},
    {"cuOccupancyMaxPotentialBlockSizeWithFlags", 5},
    {"hipModuleOccupancyMaxPotentialBlockSize", 4},
    {"hipModuleOccupancyMaxPotentialBlockSizeWithFlags", 4},
};

enum { GOOD_BLOCK = 256 }; /* threads; what HIP answers is no larger than the limit */

/* Properties that HIP fills with something else, and the attributes of the same number. */
static const struct property {
    const char *name;
    version until; /* only by a HIP below this one; 0: by all */
} filled_otherwise[] = {
    {"maxBlocksPerMultiProcessor", 0},
    {"regsPerMultiprocessor", 0},
    {"sharedMemPerMultiprocessor", VERSION(6, 3, 0)},
    {"cudaDevAttrMaxBlocksPerMultiprocessor", 0},
    {"cudaDevAttrMaxRegistersPerMultiprocessor", 0},
    {"hipDeviceAttributeMaxBlocksPerMultiprocessor", 0},
    {"hipDeviceAttributeMaxRegistersPerMultiprocessor", 0},
    {"CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR", 0},
    {"CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR", 0},
};

enum {
    SEARCHES = sizeof searches / sizeof *searches,
    FILLED_OTHERWISE = sizeof filled_otherwise / sizeof *filled_otherwise,
};

static bool has_any(const struct unit *unit)
{
    for (size_t i = 0; i < sizeof dead_calls / sizeof *dead_calls; ++i)
        if (symbol_find(unit->symbols, dead_calls[i].cuda) ||
            symbol_find(unit->symbols, dead_calls[i].hip))
            return true;
    for (size_t i = 0; i < SEARCHES; ++i)
        if (symbol_find(unit->symbols, searches[i].name))
            return true;
    for (size_t i = 0; i < FILLED_OTHERWISE; ++i)
        if (symbol_find(unit->symbols, filled_otherwise[i].name))
            return true;
    return false;
}

static const struct dead_call *find_dead(const struct annotation *a, const struct code_node *call)
{
    for (size_t i = 0; i < sizeof dead_calls / sizeof *dead_calls; ++i) {
        const struct dead_call *dead = &dead_calls[i];
        if (strcmp(call->name->text, dead->cuda) && strcmp(call->name->text, dead->hip))
            continue;
        const struct node *second = code_argument(call->node, 1);
        const struct symbol *attribute =
            second && second->kind == NODE_NAME ? tree_symbol(a->unit, second) : NULL;
        if (!dead->attribute || (attribute && strstr(attribute->text, dead->attribute)))
            return dead;
    }
    return NULL;
}

/* The statement CALL; all of its lines where nothing else stands on them. */
static struct span statement_span(const struct annotation *a, const struct node *statement)
{
    const char *text = a->unit->source->text;
    struct span span = unit_span(a->unit, statement->tokens);
    uint32_t begin = span.begin, end = span.end;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t'))
        --begin;
    while (text[end] == ' ' || text[end] == '\t')
        ++end;
    bool alone =
        (begin == 0 || text[begin - 1] == '\n') && (text[end] == '\n' || text[end] == '\r');
    if (!alone)
        return span;
    end += text[end] == '\r' && text[end + 1] == '\n';
    return (struct span){begin, end + 1};
}

static void report_dead(struct annotation *a, const struct code *code, const struct code_node *call,
                        const struct dead_call *dead)
{
    const struct node *parent = code_parent(code, call->node);
    struct finding *f = annotation_add(a, dead->rule, call->node->tokens);
    /* Of a call that an `if` or a loop has for its only statement something must stay. */
    const struct node *block = parent ? code_parent(code, parent) : NULL;
    if (parent && parent->kind == NODE_EXPRESSION && block && block->kind == NODE_BLOCK)
        finding_add_edit(f, FIX_SAFE, statement_span(a, parent), "");
}

/* Whether NODE is only shown to somebody: an argument of a printf, or what goes into a stream. */
static bool is_printed(const struct code *code, const struct node *node)
{
    for (const struct node *at = node; (at = code_parent(code, at)) && at->kind < NODE_BLOCK;) {
        const struct symbol *name = at->kind == NODE_CALL && at->kids->kind == NODE_NAME
                                        ? tree_symbol(code->model->unit, at->kids)
                                        : NULL;
        if ((name && strstr(name->text, "print")) ||
            (at->kind == NODE_BINARY && at->op == TOK_SHIFT_LEFT && at->kids->next == node))
            return true;
    }
    return false;
}

/* Whether CALL, of SEARCH, is for blocks that are small enough anyway. */
static bool is_limited(const struct code *code, const struct code_node *call,
                       const struct search *search)
{
    const struct node *limit = code_argument(call->node, search->limit);
    struct constant value;
    return limit && constant_of(code->model, limit, &value) && constant_single(&value) &&
           0 < value.values[0] && value.values[0] <= GOOD_BLOCK;
}

static bool is_filled_otherwise(const struct annotation *a, const char *name)
{
    for (size_t i = 0; i < FILLED_OTHERWISE; ++i)
        if (!strcmp(name, filled_otherwise[i].name))
            return !filled_otherwise[i].until ||
                   a->options->hip_version < filled_otherwise[i].until;
    return false;
}

static void examine_call(struct annotation *a, const struct code *code,
                         const struct code_node *call)
{
    const struct dead_call *dead = find_dead(a, call);
    if (dead)
        report_dead(a, code, call, dead);
    for (size_t i = 0; i < SEARCHES; ++i)
        if (!strcmp(call->name->text, searches[i].name) && !is_limited(code, call, &searches[i]))
            annotation_add(a, RULE_OCCUPANCY_BLOCK_SEARCH, call->node->kids->tokens);
}

void rule_dead_tuning(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!has_any(unit))
        return;
    const struct code *code = annotation_code(a);
    vec_each (const struct code_node, call, &code->calls)
        if (call->name && token_region(unit_token(unit, call->node->tokens.begin)) != REGION_CUDA)
            examine_call(a, code, call);
    vec_each (const struct code_node, place, &code->places) {
        if (place->node->kind != NODE_MEMBER || !place->name ||
            token_region(unit_token(unit, place->node->token)) == REGION_CUDA ||
            !is_filled_otherwise(a, place->name->text))
            continue;
        struct finding *f = annotation_add(a, RULE_OCCUPANCY_SM_PROPERTY, place->node->tokens);
        f->effect = is_printed(code, place->node) ? EFFECT_NONE : f->effect;
    }
    /* What is done with an attribute is not followed. */
    vec_each (const struct code_node, name, &code->names)
        if (name->node->kind == NODE_NAME && name->name &&
            is_filled_otherwise(a, name->name->text) &&
            token_region(unit_token(unit, name->node->token)) != REGION_CUDA)
            annotation_add(a, RULE_OCCUPANCY_SM_PROPERTY, name->node->tokens)->effect = EFFECT_NONE;
}
