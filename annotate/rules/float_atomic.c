/* sync-atomic-loop, sync-atomic-own-loop: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

enum {
    MOST_KINDS = 4, /* float and double, in shared memory or not */
    MOST_USES = 64, /* that a finding names */
};

static const char *const adders[] = {"atomicAdd", "atomicAdd_block", "atomicAdd_system",
                                     "atomicSub"};

/* What is added to where. */
struct target_memory {
    bool is_double, is_shared;
};

static bool is_adder(const struct symbol *name)
{
    for (size_t i = 0; name && i < sizeof adders / sizeof *adders; ++i)
        if (!strcmp(name->text, adders[i]))
            return !name->user;
    return false;
}

/* Whether ADDRESS leads to a variable in shared memory. */
static bool is_shared(const struct code *code, const struct node *address)
{
    while (address && address->kind != NODE_NAME)
        address = address->kids;
    if (!address)
        return false;
    struct name_meaning meaning =
        model_lookup(code->model, tree_symbol(code->model->unit, address), address->token);
    const struct node *type = meaning.declaration ? meaning.declaration->kids : NULL;
    return type && type->kind == NODE_TYPE && type->flags & TYPE_SHARED;
}

/* What the call adds to; false where it is no floating number, or not known. */
static bool memory_of(const struct code *code, const struct node *call, struct target_memory *res)
{
    const struct node *address = code_argument(call, 0);
    const struct type *type = address ? type_of(code->model, address) : NULL;
    if (!type || (type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY))
        return false;
    type = type->element;
    if (type->kind != TYPE_FLOATING || !type->exact || (type->size != 4 && type->size != 8))
        return false;
    *res = (struct target_memory){type->size == 8, is_shared(code, address)};
    return true;
}

/* Whether TARGET has an instruction that clang uses by default. Compiled with clang 19: in global
   memory CDNA 3 alone; in LDS all have one for float, and gfx90a and later CDNA for double. */
static bool is_native(const struct target *target, const struct target_memory *memory)
{
    bool late =
        !strncmp(target->architecture, "CDNA3", 5) || !strncmp(target->architecture, "CDNA4", 5);
    if (memory->is_shared)
        return !memory->is_double || late || !strncmp(target->architecture, "CDNA2", 5);
    return late;
}

static target_set targets_with_loop(const struct comparison *gpus,
                                    const struct target_memory *memory)
{
    target_set res = 0;
    for (unsigned i = 0; i < gpus->count; ++i)
        if (!is_native(gpus->targets[i], memory))
            res |= (target_set)1 << i;
    return res;
}

/* Whether one thread of a block adds, what the others have added up before: nothing is to be gained
   there. */
static bool is_for_one(struct annotation *a, const struct code_node *call)
{
    struct launch_blocks blocks;
    const unsigned usual[] = {256, 1, 1};
    uint64_t mask[LANES_MAX / 64];
    model_blocks(annotation_code(a)->model, call->function, &blocks);
    struct lane_machine *machine =
        annotation_machine(a, call->function, blocks.count ? blocks.block[0] : usual,
                           target_wave(a->gpus->targets[0]), 0);
    if (!machine || lane_reach(machine, call->node, mask) != REACH_KNOWN)
        return false;
    unsigned threads = 0;
    for (unsigned i = 0; i < machine->threads; ++i)
        threads += mask[i / 64] >> i % 64 & 1;
    return threads <= 1;
}

/* Whether NODE, the new value of a compare and swap, is a sum of floating numbers put into an
   integer: __double_as_longlong(x + y). */
static bool is_sum(const struct unit *unit, const struct node *node, bool *is_double)
{
    static const struct {
        const char *name;
        bool is_double;
    } casts[] = {
        {"__double_as_longlong", true}, {"__float_as_int", false}, {"__float_as_uint", false}};
    const struct symbol *name =
        node && node->kind == NODE_CALL && node->kids->kind == NODE_NAME && node->kids->next
            ? tree_symbol(unit, node->kids)
            : NULL;
    for (size_t i = 0; name && i < sizeof casts / sizeof *casts; ++i)
        if (!strcmp(name->text, casts[i].name)) {
            *is_double = casts[i].is_double;
            return node->kids->next->kind == NODE_BINARY && node->kids->next->op == TOK_PLUS;
        }
    return false;
}

static bool is_in_loop(const struct code *code, const struct node *node)
{
    for (; node; node = code_parent(code, node))
        if (node->kind == NODE_DO || node->kind == NODE_WHILE || node->kind == NODE_FOR)
            return true;
    return false;
}

/* A loop of the program's own, where the GPU has an instruction. */
static void report_own_loop(struct annotation *a, const struct code *code, const struct node *call)
{
    struct target_memory memory = {false, false};
    /* A stand-in for atomicAdd() of parts before Pascal, where a guard keeps it from AMD GPUs. */
    if (unit_is_hidden(a->unit, call->token))
        return;
    if (!is_sum(a->unit, code_argument(call, 2), &memory.is_double) || !is_in_loop(code, call))
        return;
    target_set native = comparison_all(a->gpus) & ~targets_with_loop(a->gpus, &memory);
    if (!native)
        return;
    struct finding *f = annotation_add(a, RULE_SYNC_ATOMIC_OWN_LOOP, call->tokens);
    f->targets = native;
    finding_add_arg(f, memory.is_double ? "double" : "float");
    finding_add_arg(f, annotation_names(a, native));
}

static void report_own_loops(struct annotation *a)
{
    if (!symbol_find(a->unit->symbols, "atomicCAS"))
        return;
    const struct code *code = annotation_code(a);
    vec_each (const struct code_node, call, &code->calls)
        if (call->device && call->name && !strcmp(call->name->text, "atomicCAS") &&
            token_region(unit_token(a->unit, call->node->token)) != REGION_CUDA)
            report_own_loop(a, code, call->node);
}

void rule_float_atomic(struct annotation *a)
{
    const struct target_memory worst = {true, false};
    report_own_loops(a);
    bool any = false;
    for (size_t i = 0; i < sizeof adders / sizeof *adders; ++i)
        any |= symbol_find(a->unit->symbols, adders[i]) != NULL;
    if (!any || !targets_with_loop(a->gpus, &worst))
        return;
    const struct code *code = annotation_code(a);
    size_t function = NO_INDEX, findings[MOST_KINDS];
    unsigned uses[MOST_KINDS];
    vec_each (const struct code_node, call, &code->calls) {
        struct target_memory memory;
        if (!call->device || !is_adder(call->name) ||
            token_region(unit_token(a->unit, call->node->token)) == REGION_CUDA ||
            !memory_of(code, call->node, &memory))
            continue;
        target_set targets = targets_with_loop(a->gpus, &memory);
        unsigned kind = memory.is_double + 2 * memory.is_shared;
        if (!targets || is_for_one(a, call))
            continue;
        if (function != call->function)
            memset(uses, 0, sizeof uses);
        function = call->function;
        if (uses[kind]++) {
            if (uses[kind] <= MOST_USES)
                finding_add_related(&a->findings->list.items[findings[kind]], RELATED_USED,
                                    unit_span(a->unit, call->node->tokens), NULL);
            continue;
        }
        findings[kind] = a->findings->list.count;
        struct finding *f = annotation_add(a, RULE_SYNC_ATOMIC_LOOP, call->node->tokens);
        f->targets = targets;
        finding_add_arg(f, memory.is_double ? "double" : "float");
        finding_add_arg(f, annotation_names(a, targets));
    }
}
