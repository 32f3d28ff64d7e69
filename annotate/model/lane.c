#include <config.h>

#include "annotate/model/lane_p.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

bool lane_machine_init(struct lane_machine *machine, struct model *model, size_t function,
                       const unsigned block[3], unsigned wave, unsigned sample)
{
    *machine = (struct lane_machine){
        .model = model,
        .function = function,
        .wave = wave,
        .sample = sample,
    };
    unsigned threads = 1;
    for (int i = 0; i < 3; ++i) {
        machine->block[i] = block[i];
        if (block[i] == 0 || LANES_MAX / block[i] < threads)
            return false;
        threads *= block[i];
    }
    machine->threads = threads;
    return true;
}

void lane_machine_release(struct lane_machine *machine)
{
    free(machine->memo);
    machine->memo = NULL;
    arena_release(&machine->arena);
}

/* The nodes of a body are numbered in a row, those of its lambdas among them. */
static void find_numbers(const struct node *node, uint32_t *first, uint32_t *last)
{
    if (node->id < *first)
        *first = node->id;
    if (*last < node->id)
        *last = node->id;
    tree_each (kid, node)
        find_numbers(kid, first, last);
}

static void run_once(struct lane_machine *machine)
{
    if (machine->has_run)
        return;
    machine->has_run = true;
    const struct model_function *function = model_function(machine->model, machine->function);
    if (!function->body)
        return;
    uint32_t first = UINT32_MAX, last = 0;
    find_numbers(function->body, &first, &last);
    machine->first_node = first;
    machine->node_count = last - first + 1;
    machine->memo = xcalloc(machine->node_count, sizeof *machine->memo);
    /* Loops inside loops are run several times, small functions at each call: within limits. */
    machine->steps = 20000 + 40UL * machine->node_count;
    lane_run_function(machine);
}

static const struct lane_memo *memo_of(struct lane_machine *machine, const struct node *node)
{
    run_once(machine);
    uint32_t at = node->id - machine->first_node;
    return at < machine->node_count && machine->memo[at].is_set ? &machine->memo[at] : NULL;
}

struct lanes lane_evaluate(struct lane_machine *machine, const struct node *expression)
{
    const struct lane_memo *memo = memo_of(machine, expression);
    return memo ? memo->value : lanes_unknown();
}

enum lanes_reach lane_reach(struct lane_machine *machine, const struct node *node, uint64_t *mask)
{
    const struct lane_memo *memo = memo_of(machine, node);
    if (!memo || memo->threads.reach == REACH_UNKNOWN)
        return REACH_UNKNOWN;
    for (unsigned i = 0; i < LANES_MAX / 64; ++i)
        mask[i] = 0;
    for (unsigned i = 0; i < machine->threads; ++i)
        if (memo->threads.reach == REACH_UNIFORM || memo->threads.mask[i / 64] >> i % 64 & 1)
            mask[i / 64] |= (uint64_t)1 << i % 64;
    return memo->threads.reach;
}

bool lane_reach_whole_waves(struct lane_machine *machine, const struct node *node)
{
    uint64_t mask[LANES_MAX / 64];
    if (lane_reach(machine, node, mask) == REACH_UNKNOWN || machine->threads % machine->wave)
        return false;
    for (unsigned from = 0; from < machine->threads; from += machine->wave) {
        uint64_t word = mask[from / 64] >> from % 64;
        uint64_t full = machine->wave == 64 ? UINT64_MAX : ((uint64_t)1 << machine->wave) - 1;
        if ((word & full) != 0 && (word & full) != full)
            return false;
    }
    return true;
}

bool lane_shared_access(struct lane_machine *machine, const struct node *access,
                        struct lane_access *res)
{
    const struct lane_memo *memo = memo_of(machine, access);
    if (!memo || !memo->address.object || memo->address.state == LANES_UNKNOWN)
        return false;
    const struct type *type = memo->address.pointee;
    if (!type || type->kind == TYPE_ARRAY || type->size == 0)
        return false;
    *res = (struct lane_access){
        .object = memo->address.object,
        .address = memo->address,
        .bytes = (unsigned)(type->size < 1024 ? type->size : 1024),
        .type = type,
    };
    return true;
}

/* Roles. */

static int64_t expected(const struct lane_machine *machine, enum lane_role role, unsigned thread,
                        unsigned width)
{
    switch (role) {
    case LANE_ROLE_LANE:
        return thread % width;
    case LANE_ROLE_WARP:
        return thread / width;
    case LANE_ROLE_WARP_START:
        return thread - thread % width;
    default:
        return machine->threads / width;
    }
}

static bool has_role(const struct lane_machine *machine, const struct lanes *value,
                     enum lane_role role, unsigned width)
{
    if (value->state != LANES_KNOWN || value->bytes == 0 || value->object)
        return false;
    if (role == LANE_ROLE_WARP_COUNT) {
        int64_t down = machine->threads / width, up = (machine->threads + width - 1) / width;
        return !value->values && (value->base == down || value->base == up);
    }
    for (unsigned i = 0; i < machine->threads; ++i)
        if (lanes_at(value, i) != expected(machine, role, i, width))
            return false;
    return true;
}

enum lane_role lane_role(struct model *model, size_t function, const struct node *expression,
                         unsigned width)
{
    /* Sizes that tell the roles apart; of two dimensions only those whose rows are warps, since
       what is written for one dimension gives something else in others. */
    static const unsigned common[][3] = {{256, 1, 1}, {96, 1, 1}, {1024, 1, 1}};
    struct launch_blocks blocks;
    bool known = model_blocks(model, function, &blocks) && blocks.count;
    unsigned candidates = 1u << LANE_ROLE_LANE | 1u << LANE_ROLE_WARP | 1u << LANE_ROLE_WARP_COUNT |
                          1u << LANE_ROLE_WARP_START;
    unsigned count = known ? blocks.count : (unsigned)(sizeof common / sizeof *common);
    bool tried = false;
    for (unsigned i = 0; i < count && candidates; ++i) {
        struct lane_machine machine;
        const unsigned *block = known ? blocks.block[i] : common[i];
        if (!lane_machine_init(&machine, model, function, block, width, 0))
            continue;
        /* In a single warp the thread is the lane: that says nothing of what is meant. */
        if (width < machine.threads) {
            struct lanes value = lane_evaluate(&machine, expression);
            for (unsigned role = LANE_ROLE_LANE; role <= LANE_ROLE_WARP_START; ++role)
                if (candidates & 1u << role && !has_role(&machine, &value, role, width))
                    candidates &= ~(1u << role);
            tried = true;
        }
        lane_machine_release(&machine);
    }
    for (unsigned role = LANE_ROLE_LANE; tried && role <= LANE_ROLE_WARP_START; ++role)
        if (candidates == 1u << role)
            return role;
    return LANE_ROLE_NONE;
}
