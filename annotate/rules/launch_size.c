/* occupancy-idle-lanes, occupancy-bounds-exceeded, occupancy-shared-size, occupancy-one-workgroup,
   occupancy-grid-size

   Finds: launches whose block leaves lanes of the last wave idle, is larger than the kernel's
   launch bounds, or needs more LDS than a workgroup may have, or so much that one alone fits;
   requests for more shared memory than there is. Why: a wave has 64 lanes on CDNA, so blocks of 32
   or 96 threads leave some without work that a warp of 32 had not; a workgroup has 64 KiB of LDS
   before gfx950.

   Before: k<<<n / 96, 96>>>(...)
   After:  k<<<n / 128, 128>>>(...)

   Fix: none, they need a decision. Silent: blocks that are not known; lanes that are idle on the
   NVIDIA part as well; a single block of a few threads.  */
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
    uint32_t origin;           /* a token, or NO_TOKEN for */
    const struct symbol *name; /* a name that is defined elsewhere */
    size_t finding;
};

/* Where EXPRESSION, something of SITE's, is shown; where a structure says it, the launch itself. */
static struct range shown_at(const struct launch_site *site, const struct node *expression)
{
    return expression ? expression->tokens : (struct range){site->token, site->token + 1};
}

/* What makes EXPRESSION, something of SITE's or NULL, what it is: where its name is defined, or it
   itself. */
static struct cause cause_of(struct context *c, enum rule_id rule, const struct launch_site *site,
                             const struct node *expression)
{
    struct cause res = {.rule = rule, .origin = shown_at(site, expression).begin};
    if (expression && expression->kind == NODE_NAME) {
        const struct symbol *name = tree_symbol(c->a->unit, expression);
        res.origin = model_lookup(c->model, name, expression->token).token;
        res.name = res.origin == NO_TOKEN ? name : NULL;
    }
    return res;
}

/* The finding about CAUSE, if there is one already. */
static struct finding *find_cause(struct context *c, const struct cause *cause)
{
    vec_each (const struct cause, known, &c->causes)
        if (known->rule == cause->rule && known->origin == cause->origin &&
            known->name == cause->name)
            return &c->a->findings->list.items[known->finding];
    return NULL;
}

/* The last finding is about CAUSE. */
static void add_cause(struct context *c, struct cause cause)
{
    cause.finding = c->a->findings->list.count - 1;
    *vec_push(&c->causes) = cause;
}

static struct span launch_span(const struct annotation *a, const struct launch_site *site)
{
    return unit_token_span(a->unit, site->token);
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

/* The expression of the block's dimension that has the most threads, or NULL. */
static const struct node *largest_dimension(const struct launch_site *site)
{
    int res = 0;
    for (int d = 1; d < 3; ++d)
        if (site->block[d].expression && site->block_count == 1 &&
            site->blocks[0][res] < site->blocks[0][d])
            res = d;
    return site->block[res].expression;
}

/* The targets on which a block of THREADS leaves more lanes idle than on the NVIDIA part. */
static target_set idle_on(const struct annotation *a, unsigned threads)
{
    target_set res = 0;
    unsigned before = busy_percent(a->gpus->from, threads);
    for (unsigned i = 0; 1 < threads && i < a->gpus->count; ++i) {
        unsigned busy = busy_percent(a->gpus->targets[i], threads);
        if (busy != 0 && busy + 2 <= before)
            res |= (target_set)1 << i;
    }
    return res;
}

/* The first target in SET, which is not empty. */
static const struct target *first_of(const struct annotation *a, target_set set)
{
    unsigned i = 0;
    while (!(set >> i & 1))
        ++i;
    return a->gpus->targets[i];
}

/* Blocks of THREADS, said at RANGE, leave lanes idle on the targets of IDLE. */
static struct finding *report_idle(struct annotation *a, struct range range, unsigned threads,
                                   target_set idle)
{
    const struct target *shown = first_of(a, idle);
    struct finding *f = annotation_add(a, RULE_OCCUPANCY_IDLE_LANES, range);
    f->targets = idle;
    finding_add_number(f, threads);
    finding_add_number(f, 100 - busy_percent(shown, threads));
    finding_add_arg(f, shown->name);
    finding_add_number(f, target_wave(shown));
    finding_add_figure(f, a->gpus->from->name, FIGURE_LANES_BUSY,
                       busy_percent(a->gpus->from, threads));
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (idle >> i & 1)
            finding_add_figure(f, a->gpus->targets[i]->name, FIGURE_LANES_BUSY,
                               busy_percent(a->gpus->targets[i], threads));
    return f;
}

static void examine_lanes(struct context *c, const struct launch_site *site)
{
    struct annotation *a = c->a;
    const struct node *place = largest_dimension(site);
    if (!site->block_known || single_block_grid(site))
        return;
    /* Of several blocks all must leave some idle, and the best one is spoken of. */
    unsigned threads = launch_threads(site->blocks[0]);
    target_set idle = idle_on(a, threads);
    for (unsigned i = 1; idle && i < site->block_count; ++i) {
        unsigned other = launch_threads(site->blocks[i]);
        idle &= idle_on(a, other);
        if (idle &&
            busy_percent(first_of(a, idle), threads) < busy_percent(first_of(a, idle), other))
            threads = other;
    }
    if (!idle)
        return;
    struct cause cause = cause_of(c, RULE_OCCUPANCY_IDLE_LANES, site, place);
    struct finding *f = find_cause(c, &cause);
    if (!f) {
        f = report_idle(a, shown_at(site, place), threads, idle);
        add_cause(c, cause);
    }
    finding_add_related(f, RELATED_LAUNCHED, launch_span(a, site), NULL);
}

/* Whether NODE is a template's parameter: it may be something else in another file. */
static bool is_parameter(struct context *c, const struct node *node)
{
    return node->kind == NODE_NAME &&
           model_lookup(c->model, tree_symbol(c->a->unit, node), node->token).kind ==
               NAME_TEMPLATE_PARAMETER;
}

/* A kernel whose bounds allow no more than half a wave, and whose launches nobody shows. */
static void examine_narrow_bounds(struct context *c, size_t index)
{
    struct annotation *a = c->a;
    struct launch_bounds bounds = model_launch_bounds(c->model, index);
    struct launch_blocks blocks;
    if (!bounds.given || bounds.function != index || !bounds.arguments[0] ||
        !constant_single(&bounds.max_threads) || bounds.max_threads.values[0] < 1 ||
        32 < bounds.max_threads.values[0] || is_parameter(c, bounds.arguments[0]) ||
        model_blocks(c->model, index, &blocks) ||
        token_region(unit_token(a->unit, bounds.arguments[0]->tokens.begin)) == REGION_CUDA)
        return;
    unsigned threads = (unsigned)bounds.max_threads.values[0];
    target_set idle = idle_on(a, threads);
    if (idle)
        report_idle(a, bounds.arguments[0]->tokens, threads, idle);
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
    struct cause cause = {.rule = RULE_OCCUPANCY_ONE_WORKGROUP, .origin = place.begin};
    if (!shown || find_cause(c, &cause))
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
    add_cause(c, cause);
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
    if (site->shared && !site->shared_bytes.count)
        return;
    if (site->shared_bytes.count) {
        /* Of several values, those of a loop, say, who knows which are ever used? */
        int64_t least = site->shared_bytes.values[0];
        if (least < 0 || INT32_MAX < least)
            return;
        dynamic = (uint64_t)least;
    }
    struct range place;
    if (dynamic)
        place = shown_at(site, site->shared);
    else if (site->function == NO_INDEX || !first_array(c, site->function, &place))
        return;
    struct cause cause = {.rule = RULE_OCCUPANCY_SHARED_SIZE, .origin = place.begin};
    if (dynamic && find_cause(c, &cause))
        return;
    if (dynamic && report_size(a, RULE_OCCUPANCY_SHARED_SIZE, place, fixed + dynamic)) {
        add_cause(c, cause);
        return;
    }
    unsigned threads = launch_most_threads(site);
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

/* The threads of the largest block that SITE surely launches; 0 where it is not known. */
static unsigned surely_threads(const struct launch_site *site)
{
    unsigned res = launch_most_threads(site);
    for (unsigned i = 0; site->either && i < site->block_count; ++i)
        if (launch_threads(site->blocks[i]) < res)
            res = launch_threads(site->blocks[i]);
    return res;
}

static void examine_grid(struct context *c, const struct launch_site *site)
{
    struct annotation *a = c->a;
    unsigned threads = surely_threads(site);
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
    unsigned threads = surely_threads(site);
    if (!threads || 1024 < threads || !find_bounds(c, site, &bounds) ||
        threads <= bounds.max_threads)
        return;
    struct finding *f = annotation_add(c->a, RULE_OCCUPANCY_BOUNDS_EXCEEDED,
                                       shown_at(site, site->block[0].expression));
    finding_add_number(f, threads);
    finding_add_number(f, bounds.max_threads);
    if (bounds.others)
        annotation_add_places(f, bounds.others->places.items, bounds.others->places.count);
    else
        finding_add_related(f, RELATED_BOUNDS, unit_span(c->a->unit, bounds.argument->tokens),
                            NULL);
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
            !constant_of(c->model, bytes, &value) || !value.count || value.values[0] <= 0 ||
            token_region(unit_token(unit, bytes->tokens.begin)) == REGION_CUDA)
            continue;
        /* Of several values, those of an #if, say, the least is asked for in any case. */
        report_size(a, RULE_OCCUPANCY_SHARED_SIZE, bytes->tokens, (uint64_t)value.values[0]);
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
        if (a->unit->functions.items[i].flags & FUNCTION_GLOBAL)
            examine_narrow_bounds(&c, i);
    if (symbol_find(a->unit->symbols, "__shared__"))
        examine_static_shared(&c);
    if (requests)
        examine_requests(&c);
    vec_release(&c.causes);
}
