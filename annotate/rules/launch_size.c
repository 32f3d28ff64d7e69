/* occupancy-idle-lanes, occupancy-missing-bounds, occupancy-bounds-exceeded, occupancy-shared-size,
   occupancy-one-workgroup, occupancy-grid-size

   Finds: launches whose block leaves lanes of the last wave idle, is larger than the kernel's
   launch bounds, or needs more LDS than a workgroup may have, or so much that one alone fits;
   requests for more shared memory than there is; kernels without launch bounds whose every launch
   is known. Why: a wave has 64 lanes on CDNA, so blocks of 32 or 96 threads leave some without work
   that a warp of 32 had not; a workgroup has 64 KiB of LDS before gfx950; HIP compiles a kernel
   without bounds for blocks of 1024 threads and caps its registers accordingly.

   Before: k<<<n / 96, 96>>>(...)
   After:  k<<<n / 128, 128>>>(...)

   Fix: for missing bounds, __launch_bounds__ with the largest block: safe where the file shows
   every launch there can be. The others need a decision. Silent: blocks that are not known; lanes
   that are idle on the NVIDIA part as well; a single block of a few threads.  */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

#include "annotate/gpu/occupancy.h"
#include "annotate/model/facts.h"

struct context {
    struct annotation *a;
    struct model *model;
    /* One cause, one finding: the block's origin and the finding about it. */
    VEC(struct cause) causes;
};

struct cause {
    enum rule_id rule;
    uint32_t origin;
    size_t finding;
};

/* The finding of RULE about what ORIGIN defines, if there is one already. */
static struct finding *find_cause(struct context *c, enum rule_id rule, uint32_t origin)
{
    if (origin == NO_TOKEN)
        return NULL;
    vec_each (struct cause, cause, &c->causes)
        if (cause->rule == rule && cause->origin == origin)
            return &c->a->findings->list.items[cause->finding];
    return NULL;
}

static void add_cause(struct context *c, enum rule_id rule, uint32_t origin)
{
    if (origin != NO_TOKEN)
        *vec_push(&c->causes) = (struct cause){rule, origin, c->a->findings->list.count - 1};
}

/* What defines EXPRESSION, where a name does. */
static uint32_t origin_of(struct context *c, const struct node *expression)
{
    if (expression->kind != NODE_NAME)
        return expression->tokens.begin;
    return model_lookup(c->model, tree_symbol(c->a->unit, expression), expression->token).token;
}

static struct span launch_span(const struct annotation *a, const struct launch_site *site)
{
    return unit_token_span(a->unit, site->token);
}

static unsigned threads_of(const unsigned block[3])
{
    uint64_t threads = (uint64_t)block[0] * block[1];
    threads = threads < UINT32_MAX ? threads * block[2] : threads;
    return threads < UINT32_MAX ? (unsigned)threads : UINT32_MAX;
}

/* The threads of the largest block of SITE, 0 where it is not known. */
static unsigned most_threads(const struct launch_site *site)
{
    unsigned res = 0;
    for (unsigned i = 0; site->block_known && i < site->block_count; ++i)
        if (res < threads_of(site->blocks[i]))
            res = threads_of(site->blocks[i]);
    return res;
}

static bool single_block_grid(const struct launch_site *site)
{
    for (int i = 0; i < 3; ++i)
        if (!constant_single(&site->grid[i].value) || site->grid[i].value.values[0] != 1)
            return false;
    return true;
}

/* The share of lanes that a block of THREADS keeps busy on TARGET, in percent; 0: it cannot run. */
static unsigned busy_percent(const struct target *target, unsigned threads)
{
    struct occupancy_request request = {.block = threads};
    struct occupancy o;
    if (occupancy_compute(target, &request, &o) != OCCUPANCY_OK)
        return 0;
    return (unsigned)(occupancy_lanes_busy(&o) * 100 + 0.5);
}

static void examine_lanes(struct context *c, const struct launch_site *site)
{
    struct annotation *a = c->a;
    const struct node *place = site->block[0].expression;
    if (!site->block_known || site->block_count != 1 || !place || single_block_grid(site))
        return;
    unsigned threads = threads_of(site->blocks[0]);
    if (threads < 2 || 1024 < threads)
        return;
    unsigned before = busy_percent(a->gpus->from, threads);
    target_set idle = 0;
    const struct target *shown = NULL;
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        unsigned busy = busy_percent(a->gpus->targets[i], threads);
        if (busy == 0 || before < busy + 2)
            continue;
        idle |= (target_set)1 << i;
        if (!shown)
            shown = a->gpus->targets[i];
    }
    if (!shown)
        return;
    uint32_t origin = origin_of(c, place);
    struct finding *f = find_cause(c, RULE_OCCUPANCY_IDLE_LANES, origin);
    if (!f) {
        f = annotation_add(a, RULE_OCCUPANCY_IDLE_LANES, place->tokens);
        f->targets = idle;
        finding_add_number(f, threads);
        finding_add_number(f, 100 - busy_percent(shown, threads));
        finding_add_arg(f, shown->name);
        finding_add_number(f, target_wave(shown));
        finding_add_figure(f, a->gpus->from->name, FIGURE_LANES_BUSY, before);
        for (unsigned i = 0; i < a->gpus->count; ++i)
            if (idle >> i & 1)
                finding_add_figure(f, a->gpus->targets[i]->name, FIGURE_LANES_BUSY,
                                   busy_percent(a->gpus->targets[i], threads));
        add_cause(c, RULE_OCCUPANCY_IDLE_LANES, origin);
    }
    finding_add_related(f, RELATED_LAUNCHED, launch_span(a, site), NULL);
}

/* Bytes of static shared memory that the kernel at INDEX declares; false where one is not known. */
static bool static_shared(struct context *c, size_t index, uint64_t *bytes)
{
    size_t count;
    const struct shared_object *objects = model_shared_objects_in(c->model, index, &count);
    *bytes = 0;
    for (size_t i = 0; i < count; ++i) {
        const struct shared_object *object = &objects[i];
        if (object->function != index || object->dynamic)
            continue;
        if (!object->type->exact || object->type->size == 0)
            return false;
        uint64_t align = object->type->align ? object->type->align : 1;
        *bytes = (*bytes + align - 1) / align * align + object->type->size;
    }
    return true;
}

/* Adds a finding of RULE at RANGE for the targets where a workgroup may not have BYTES of LDS. */
static bool report_size(struct annotation *a, enum rule_id rule, struct range range, uint64_t bytes)
{
    target_set small = 0;
    const struct target *shown = NULL;
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (a->gpus->targets[i]->amd.max_lds < bytes) {
            small |= (target_set)1 << i;
            shown = shown ? shown : a->gpus->targets[i];
        }
    if (!shown)
        return false;
    struct finding *f = annotation_add(a, rule, range);
    f->targets = small;
    finding_add_number(f, (long long)bytes);
    finding_add_arg(f, shown->name);
    finding_add_number(f, shown->amd.max_lds);
    if (a->gpus->from->vendor == VENDOR_NVIDIA)
        finding_add_figure(f, a->gpus->from->name, FIGURE_LDS_BYTES,
                           a->gpus->from->nvidia.max_shared);
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (small >> i & 1)
            finding_add_figure(f, a->gpus->targets[i]->name, FIGURE_LDS_BYTES,
                               a->gpus->targets[i]->amd.max_lds);
    return true;
}

/* LDS so large that a CU holds a single workgroup where the NVIDIA part held several. */
static void examine_one_workgroup(struct context *c, const struct launch_site *site,
                                  struct range place, unsigned threads, uint64_t bytes)
{
    struct annotation *a = c->a;
    struct occupancy_request request = {.block = threads, .lds = (unsigned)bytes};
    struct occupancy before, o;
    if (512 < threads || occupancy_compute(a->gpus->from, &request, &before) != OCCUPANCY_OK ||
        before.groups < 2)
        return;
    target_set one = 0;
    const struct target *shown = NULL;
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (occupancy_compute(a->gpus->targets[i], &request, &o) == OCCUPANCY_OK && o.groups == 1 &&
            o.limited_by == LIMIT_LDS) {
            one |= (target_set)1 << i;
            shown = shown ? shown : a->gpus->targets[i];
        }
    if (!shown || find_cause(c, RULE_OCCUPANCY_ONE_WORKGROUP, place.begin))
        return;
    struct finding *f = annotation_add(a, RULE_OCCUPANCY_ONE_WORKGROUP, place);
    f->targets = one;
    finding_add_number(f, (long long)bytes);
    finding_add_arg(f, shown->name);
    finding_add_number(f, before.groups);
    finding_add_arg(f, a->gpus->from->name);
    finding_add_figure(f, a->gpus->from->name, FIGURE_WORKGROUPS_PER_CU, before.groups);
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (one >> i & 1)
            finding_add_figure(f, a->gpus->targets[i]->name, FIGURE_WORKGROUPS_PER_CU, 1);
    finding_add_related(f, RELATED_LAUNCHED, launch_span(a, site), NULL);
    if (site->function != NO_INDEX)
        annotation_add_launches(a, f, site->function);
    add_cause(c, RULE_OCCUPANCY_ONE_WORKGROUP, place.begin);
}

/* The first shared array of the kernel at INDEX, for places. */
static bool first_array(struct context *c, size_t index, struct range *place)
{
    size_t count;
    const struct shared_object *objects = model_shared_objects_in(c->model, index, &count);
    for (size_t i = 0; i < count; ++i)
        if (objects[i].function == index && !objects[i].dynamic) {
            *place = objects[i].declarator->tokens;
            return true;
        }
    return false;
}

static void examine_shared(struct context *c, const struct launch_site *site)
{
    struct annotation *a = c->a;
    uint64_t fixed = 0;
    if (site->function != NO_INDEX && !static_shared(c, site->function, &fixed))
        return;
    uint64_t dynamic = 0;
    if (site->shared) {
        if (!site->shared_bytes.count)
            return;
        /* Of several values, those of a loop, say, who knows which are ever used? */
        int64_t least = site->shared_bytes.values[0];
        if (least < 0 || INT32_MAX < least)
            return;
        dynamic = (uint64_t)least;
    }
    struct range place;
    if (dynamic)
        place = site->shared->tokens;
    else if (site->function == NO_INDEX || !first_array(c, site->function, &place))
        return;
    if (dynamic && report_size(a, RULE_OCCUPANCY_SHARED_SIZE, place, fixed + dynamic))
        return;
    unsigned threads = most_threads(site);
    if (threads)
        examine_one_workgroup(c, site, place, threads, fixed + dynamic);
}

/* Static arrays that are too large by themselves do not even compile. */
static void examine_static_shared(struct context *c)
{
    struct annotation *a = c->a;
    size_t count;
    const struct shared_object *objects = model_shared_objects(c->model, &count);
    for (size_t i = 0; i < count; ++i) {
        uint64_t bytes;
        bool first = i == 0 || objects[i - 1].function != objects[i].function;
        if (!first || objects[i].function == NO_INDEX ||
            !static_shared(c, objects[i].function, &bytes))
            continue;
        struct range place;
        if (first_array(c, objects[i].function, &place) &&
            report_size(a, RULE_OCCUPANCY_SHARED_SIZE, place, bytes))
            a->findings->list.items[a->findings->list.count - 1].effect = EFFECT_COMPILE;
    }
}

static void examine_grid(struct context *c, const struct launch_site *site)
{
    struct annotation *a = c->a;
    unsigned threads = most_threads(site);
    const struct constant *x = &site->grid[0].value;
    if (!threads || !site->grid[0].expression || !constant_single(x) || x->values[0] <= 0)
        return;
    uint64_t all = (uint64_t)x->values[0];
    if (UINT32_MAX < all || all * threads < (uint64_t)1 << 32)
        return;
    struct finding *f =
        annotation_add(a, RULE_OCCUPANCY_GRID_SIZE, site->grid[0].expression->tokens);
    finding_add_number(f, (long long)all);
    finding_add_number(f, threads);
}

/* The bounds of the kernel that SITE launches, of which F may then tell the place. */
struct bounds_found {
    unsigned max_threads;
    const struct node *argument;            /* where they stand in this file; or */
    const struct model_kernel_fact *others; /* what another file says of the kernel */
};

static bool find_bounds(struct context *c, const struct launch_site *site, struct bounds_found *res)
{
    struct launch_bounds bounds = {.given = false};
    *res = (struct bounds_found){0};
    if (site->function != NO_INDEX)
        bounds = model_launch_bounds(c->model, site->function);
    if (!bounds.given)
        return site->kernel && model_bounds_elsewhere(c->model, site->kernel->text,
                                                      &res->max_threads, &res->others);
    if (!constant_single(&bounds.max_threads))
        return false;
    int64_t most = bounds.max_threads.values[0];
    res->argument = bounds.arguments[0];
    res->max_threads = most < 0 ? 0 : UINT32_MAX < most ? UINT32_MAX : (unsigned)most;
    return true;
}

static void examine_bounds(struct context *c, const struct launch_site *site)
{
    struct bounds_found bounds;
    unsigned threads = most_threads(site);
    if (!threads || 1024 < threads || !site->block[0].expression ||
        !find_bounds(c, site, &bounds) || threads <= bounds.max_threads)
        return;
    struct finding *f =
        annotation_add(c->a, RULE_OCCUPANCY_BOUNDS_EXCEEDED, site->block[0].expression->tokens);
    finding_add_number(f, threads);
    finding_add_number(f, bounds.max_threads);
    if (bounds.others)
        annotation_add_places(f, bounds.others->places.items, bounds.others->places.count);
    else
        finding_add_related(f, RELATED_BOUNDS, unit_span(c->a->unit, bounds.argument->tokens),
                            NULL);
}

/* Kernels without bounds. */

static uint32_t global_word(const struct unit *unit, const struct function *function)
{
    for (uint32_t i = function->head.begin; i < function->head.end; ++i)
        if (unit_kind(unit, i) == TOK_GLOBAL)
            return i;
    return NO_TOKEN;
}

/* Raises *MOST to the largest block with which other files launch the function at INDEX; false
   where that is not known. */
static bool count_users(struct context *c, size_t index, unsigned *most)
{
    struct launch_blocks blocks = {.all = true};
    model_blocks_elsewhere(c->model, index, &blocks);
    for (unsigned i = 0; i < blocks.count; ++i) {
        const unsigned *block = blocks.block[i];
        unsigned threads = block[0] * block[1] * block[2];
        *most = *most < threads ? threads : *most;
    }
    return blocks.all;
}

static void examine_kernel(struct context *c, size_t index)
{
    struct annotation *a = c->a;
    const struct function *function = &a->unit->functions.items[index];
    uint32_t word = global_word(a->unit, function);
    if (!(function->flags & FUNCTION_GLOBAL) || function->body.begin >= function->body.end ||
        function->flags & FUNCTION_IN_MACRO || word == NO_TOKEN ||
        token_region(unit_token(a->unit, word)) == REGION_CUDA)
        return;
    struct launch_bounds bounds = model_launch_bounds(c->model, index);
    if (bounds.given || bounds.max_registers)
        return;
    size_t count;
    bool complete;
    const struct launch_site *const *sites = model_launches_of(c->model, index, &count, &complete);
    unsigned most = 0;
    for (size_t i = 0; i < count; ++i) {
        unsigned threads = most_threads(sites[i]);
        if (!threads)
            return;
        most = most < threads ? threads : most;
    }
    /* More than half of 1024: the registers would hardly become more. */
    if (!count_users(c, index, &most) || !most || 512 < most)
        return;
    uint32_t name = function->name;
    struct finding *f =
        annotation_add(a, RULE_OCCUPANCY_MISSING_BOUNDS, (struct range){name, name + 1});
    finding_add_number(f, most);
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        const struct target *target = a->gpus->targets[i];
        struct occupancy_request whole = {.block = 1024}, real = {.block = most};
        finding_add_figure(f, target->name, FIGURE_VGPRS_DEFAULT,
                           occupancy_budget(target, &whole, LIMIT_VGPRS, 1));
        finding_add_figure(f, target->name, FIGURE_VGPRS_BOUND,
                           occupancy_budget(target, &real, LIMIT_VGPRS, 1));
    }
    for (size_t i = 0; i < count && i < 5; ++i)
        finding_add_related(f, RELATED_LAUNCHED, launch_span(a, sites[i]), NULL);
    annotation_add_launches(a, f, index);
    const struct token *token = unit_token(a->unit, word);
    uint32_t behind = token->offset + token->length;
    const char *text = arena_printf(a->arena, " __launch_bounds__(%u)", most);
    finding_add_edit(f, complete ? FIX_SAFE : FIX_UNSAFE, (struct span){behind, behind}, text);
}

/* cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES) */
static void examine_requests(struct context *c)
{
    struct annotation *a = c->a;
    const struct unit *unit = a->unit;
    vec_each (const struct code_node, call, &annotation_code(a)->calls) {
        if (!call->name || !strstr(call->name->text, "FuncSetAttribute"))
            continue;
        const struct node *which = code_argument(call->node, 1);
        const struct node *bytes = code_argument(call->node, 2);
        const struct symbol *attribute =
            which && which->kind == NODE_NAME ? tree_symbol(unit, which) : NULL;
        struct constant value;
        if (!attribute || !bytes ||
            (!strstr(attribute->text, "MaxDynamicSharedMemorySize") &&
             !strstr(attribute->text, "MAX_DYNAMIC_SHARED_SIZE_BYTES")) ||
            !constant_of(c->model, bytes, &value) || !value.count ||
            value.values[value.count - 1] <= 0 ||
            token_region(unit_token(unit, bytes->tokens.begin)) == REGION_CUDA)
            continue;
        report_size(a, RULE_OCCUPANCY_SHARED_SIZE, bytes->tokens,
                    (uint64_t)value.values[value.count - 1]);
    }
}

static bool has_requests(const struct unit *unit)
{
    static const char *const names[] = {"cudaFuncSetAttribute", "hipFuncSetAttribute",
                                        "cuFuncSetAttribute"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (symbol_find(unit->symbols, names[i]))
            return true;
    return false;
}

static bool has_kernels(const struct unit *unit)
{
    vec_each (const struct function, function, &unit->functions)
        if (function->flags & FUNCTION_GLOBAL)
            return true;
    return unit->launches.count || symbol_find(unit->symbols, "hipLaunchKernelGGL");
}

void rule_launch_size(struct annotation *a)
{
    bool requests = has_requests(a->unit);
    if (!requests && !has_kernels(a->unit))
        return;
    struct context c = {.a = a, .model = annotation_code(a)->model};
    size_t count;
    const struct launch_site *sites = model_launches(c.model, &count);
    for (size_t i = 0; i < count; ++i) {
        if (token_region(unit_token(a->unit, sites[i].token)) == REGION_CUDA)
            continue;
        examine_lanes(&c, &sites[i]);
        examine_shared(&c, &sites[i]);
        examine_bounds(&c, &sites[i]);
        examine_grid(&c, &sites[i]);
    }
    for (size_t i = 0; i < a->unit->functions.count; ++i)
        examine_kernel(&c, i);
    if (symbol_find(a->unit->symbols, "__shared__"))
        examine_static_shared(&c);
    if (requests)
        examine_requests(&c);
    vec_release(&c.causes);
}
