#include <config.h>

#include "annotate/model/lane_p.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/geometry.h"
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

/* What is kept with a model. */

struct lane_cache {
    struct node **texts; /* of the macros, by the index of the directive */
    bool *read;
    /* The last function whose roles were asked for: for each node the roles that it may have, one
       bit each. */
    bool has_roles, some_role;
    size_t function;
    unsigned width;
    uint32_t first_node, node_count;
    uint8_t *roles;
};

static struct lane_cache *cache_of(struct model *model)
{
    if (!model->lanes) {
        model->lanes = xcalloc(1, sizeof *model->lanes);
        model->lanes->texts = xcalloc(model->unit->directives.count + 1, sizeof(struct node *));
        model->lanes->read = xcalloc(model->unit->directives.count + 1, sizeof(bool));
    }
    return model->lanes;
}

void lane_cache_release(struct model *model)
{
    struct lane_cache *cache = model->lanes;
    if (!cache)
        return;
    free(cache->roles);
    free(cache->texts);
    free(cache->read);
    free(cache);
    model->lanes = NULL;
}

struct node *lane_macro_tree(struct model *model, const struct directive *d)
{
    struct lane_cache *cache = cache_of(model);
    size_t index = (size_t)(d - model->unit->directives.items);
    if (!cache->read[index]) {
        cache->read[index] = true;
        if (d->body.begin < d->body.end)
            cache->texts[index] = tree_expression(&model->trees, d->body);
    }
    return cache->texts[index];
}

/* The parameters of device functions: what the file's calls give them. */

void lane_capture_call(struct lane_frame *frame, const struct node *call,
                       const struct lanes *arguments, unsigned count)
{
    struct lane_machine *machine = frame->machine;
    struct lane_capture *capture = machine->capture;
    uint32_t token = call->kids->token;
    bool first = true;
    for (size_t i = 0; i < capture->tokens.count; ++i)
        first &= capture->tokens.items[i] != token;
    if (first)
        *vec_push(&capture->tokens) = token;
    for (unsigned i = 0; i < capture->count; ++i) {
        struct lanes value = i < count ? arguments[i] : lanes_unknown();
        /* The same for all threads, but not the same each time. */
        value.shift = 0;
        capture->arguments[i] = capture->calls == 0 ? value
                                                    : lanes_choose(machine, lanes_some(0, 1),
                                                                   capture->arguments[i], value);
    }
    bool whole = frame->env.threads.reach != REACH_UNKNOWN &&
                 lane_whole_waves(machine, frame->env.threads.mask);
    if (!whole)
        capture->threads.reach = REACH_UNKNOWN;
    capture->calls++;
}

/* The kernels from which a function is called, over others or at once. */
struct callers {
    size_t functions[32]; /* the function first, then those that call it and so on */
    unsigned count;
    bool all; /* of the file */
};

/* Adds what calls the function at INDEX; *CALLS: how many calls there are. */
static void add_callers(struct model *model, size_t index, struct callers *callers, size_t *calls)
{
    const struct unit *unit = model->unit;
    size_t count;
    const uint32_t *uses =
        model_uses(model, unit_token(unit, unit->functions.items[index].name)->symbol, &count);
    *calls = 0;
    for (size_t i = 0; i < count && callers->all; ++i) {
        if (model_function_named(model, uses[i]) != NO_INDEX)
            continue;
        ++*calls;
        size_t caller = model_function_at(model, uses[i]);
        unsigned known = 0;
        while (known < callers->count && callers->functions[known] != caller)
            ++known;
        if (known < callers->count)
            continue;
        callers->all = caller != NO_INDEX && callers->count < 32 &&
                       unit->functions.items[caller].flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE);
        if (callers->all)
            callers->functions[callers->count++] = caller;
    }
}

/* Runs all kernels that call FUNCTION for what they give it. False where some of its calls were not
   met, or a way to them was not followed. */
static bool find_arguments(struct lane_machine *machine, struct lane_capture *capture)
{
    enum { KERNELS = 8 };
    struct model *model = machine->model;
    const struct function *functions = model->unit->functions.items;
    struct callers callers = {.functions = {machine->function}, .count = 1, .all = true};
    size_t calls, others;
    add_callers(model, machine->function, &callers, &calls);
    for (unsigned i = 1; i < callers.count && callers.all; ++i)
        if (!(functions[callers.functions[i]].flags & FUNCTION_GLOBAL)) {
            add_callers(model, callers.functions[i], &callers, &others);
            callers.all &= others != 0;
        }
    if (!callers.all || calls == 0)
        return false;
    unsigned kernels = 0;
    unsigned long steps = machine->steps, precise = machine->precise;
    machine->capture = capture;
    for (unsigned i = 1; i < callers.count && !capture->missed; ++i)
        if (functions[callers.functions[i]].flags & FUNCTION_GLOBAL) {
            struct lane_threads threads = {.reach = REACH_UNIFORM};
            capture->missed |= ++kernels > KERNELS;
            lane_run_function(machine, callers.functions[i], NULL, 0, threads, false);
        }
    machine->capture = NULL;
    bool res = !capture->missed && capture->tokens.count == calls && machine->steps != 0;
    machine->steps = steps;
    machine->precise = precise;
    return res;
}

/* Runs FUNCTION; one that is no kernel with what the calls in its file give it, where all of them
   are met: else nothing is known of its parameters, nor of the threads that are there. */
static void run_with_arguments(struct lane_machine *machine, const struct model_function *function)
{
    struct lane_threads threads = {.reach = REACH_UNIFORM};
    if (function->function->flags & FUNCTION_GLOBAL) {
        lane_run_function(machine, machine->function, NULL, 0, threads, true);
        return;
    }
    struct lane_capture capture = {
        .function = machine->function,
        .count = function->param_count,
        .threads = threads,
        .arguments = arena_zalloc(&machine->arena, function->param_count + 1, sizeof(struct lanes)),
    };
    bool known = find_arguments(machine, &capture);
    vec_release(&capture.tokens);
    if (!known)
        capture.threads.reach = REACH_UNKNOWN;
    lane_run_function(machine, machine->function, known ? capture.arguments : NULL, capture.count,
                      capture.threads, true);
}

/* Larger functions, and files that take more work, are made by machines: what their lanes do is not
   worth minutes and gigabytes. Of the files of HeCBench one takes a tenth of that. */
enum { NODES_MAX = 1 << 16 };
static const uint64_t WORK_MAX = UINT64_C(25000000000);

/* A machine that ran for too long did not see all calls of its lambdas. */
static void lose_lambdas(struct lane_machine *machine, const struct node *node)
{
    if (node->kind == NODE_LAMBDA)
        lane_lose_notes(machine, node);
    else
        tree_each (kid, node)
            lose_lambdas(machine, kid);
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
    for (unsigned i = 0; i < function->initializer_count; ++i)
        find_numbers(function->initializers[i].value, &first, &last);
    if (NODES_MAX < last - first || WORK_MAX < machine->model->lane_work) {
        machine->model->lanes_left_out = true;
        return;
    }
    machine->first_node = first;
    machine->node_count = last - first + 1;
    machine->memo = xcalloc(machine->node_count, sizeof *machine->memo);
    /* Loops inside loops are run several times, small functions at each call: within limits. */
    machine->steps = 20000 + 40UL * machine->node_count;
    machine->precise = 5000 + 8UL * machine->node_count;
    run_with_arguments(machine, function);
    if (machine->steps == 0)
        lose_lambdas(machine, function->body);
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
    const uint64_t *from = memo->threads.mask;
    for (unsigned i = 0; i < machine->threads; ++i)
        if (!from || from[i / 64] >> i % 64 & 1)
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
    if (value->state != LANES_KNOWN || value->bytes == 0 || value->object || value->record)
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

/* Blocks where no more is known. Those of one dimension tell the roles apart; the others show
   whether what reads threadIdx.y has one. The small ones come first: most expressions have none. */
static const unsigned common_blocks[6][3] = {{96, 1, 1}, {256, 1, 1}, {1024, 1, 1},
                                             {8, 8, 4},  {16, 16, 1}, {32, 8, 1}};
enum { COMMON_BLOCKS = 6, COMMON_LINES = 3, ROLE_BLOCKS = 6 };
enum {
    ALL_ROLES = 1 << LANE_ROLE_LANE | 1 << LANE_ROLE_WARP | 1 << LANE_ROLE_WARP_COUNT |
                1 << LANE_ROLE_WARP_START,
};

/* Whether VALUE is the same for all planes of the block, or for all rows where it has no planes:
   then it was written for blocks of fewer dimensions. */
static bool is_flat(const struct lane_machine *machine, const struct lanes *value)
{
    unsigned part = machine->block[0] * (machine->block[2] == 1 ? 1 : machine->block[1]);
    if (value->state == LANES_UNKNOWN || part == machine->threads)
        return false;
    for (unsigned i = part; i < machine->threads; ++i)
        if (lanes_at(value, i) != lanes_at(value, i % part))
            return false;
    return true;
}

/* Runs FUNCTION by BLOCK and takes away the roles that its expressions do not have there. Whether
   the block tells anything: in a single warp each thread's number is its lane's. */
static bool try_block(struct lane_cache *cache, struct model *model, const unsigned block[3],
                      bool is_own)
{
    struct lane_machine machine;
    if (!cache->some_role ||
        !lane_machine_init(&machine, model, cache->function, block, cache->width, 0) ||
        machine.threads <= cache->width)
        return false;
    run_once(&machine);
    if (!cache->roles) {
        cache->first_node = machine.first_node;
        cache->node_count = machine.node_count;
        cache->roles = xcalloc(machine.node_count + 1, 1);
        memset(cache->roles, ALL_ROLES, machine.node_count);
    }
    cache->some_role = false;
    if (machine.node_count < cache->node_count) /* it did not run */
        memset(cache->roles, 0, cache->node_count);
    for (uint32_t i = 0; i < machine.node_count; ++i) {
        const struct lanes *value = &machine.memo[i].value;
        if (cache->roles[i] && (is_own || !is_flat(&machine, value)))
            for (unsigned role = LANE_ROLE_LANE; role <= LANE_ROLE_WARP_START; ++role)
                if (cache->roles[i] & 1u << role && !has_role(&machine, value, role, cache->width))
                    cache->roles[i] &= (uint8_t) ~(1u << role);
        cache->some_role |= cache->roles[i] != 0;
    }
    lane_machine_release(&machine);
    return true;
}

/* The roles of FUNCTION's expressions. */
static const struct lane_cache *roles_of(struct model *model, size_t function, unsigned width)
{
    struct lane_cache *cache = cache_of(model);
    if (cache->has_roles && cache->function == function && cache->width == width)
        return cache;
    free(cache->roles);
    cache->roles = NULL;
    cache->node_count = 0;
    cache->has_roles = cache->some_role = true;
    cache->function = function;
    cache->width = width;
    struct launch_blocks blocks = {.count = 0};
    bool known = model_blocks(model, function, &blocks), tried = false;
    for (unsigned i = 0; i < blocks.count && i < ROLE_BLOCKS; ++i)
        tried |= try_block(cache, model, blocks.block[i], true);
    /* Where all of its own are single warps, those in a row say what is meant. */
    unsigned count = known && tried ? 0 : blocks.count ? COMMON_LINES : COMMON_BLOCKS;
    for (unsigned i = 0; i < count; ++i)
        try_block(cache, model, common_blocks[i], false);
    return cache;
}

enum lane_role lane_role(struct model *model, size_t function, const struct node *expression,
                         unsigned width)
{
    const struct lane_cache *cache = roles_of(model, function, width);
    uint32_t at = expression->id - cache->first_node;
    if (cache->node_count <= at)
        return LANE_ROLE_NONE;
    for (unsigned role = LANE_ROLE_LANE; role <= LANE_ROLE_WARP_START; ++role)
        if (cache->roles[at] == 1u << role)
            return role;
    return LANE_ROLE_NONE;
}
