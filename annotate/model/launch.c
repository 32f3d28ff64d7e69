/* The launches of a file: chevrons and calls that launch, each with its grid, block and shared
   bytes, listed by kernel.  */
#include <config.h>

#include "annotate/model/launch_p.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/facts.h"
#include "annotate/model/type.h"

/* The functions that launch, and where their arguments stand; -1: nowhere. A grid and a block of
   three arguments each are three numbers. */
struct launch_call {
    const char *name;
    int kernel, config, grid, block, shared, stream;
    bool numbers;
    bool cooperative;
    bool counted; /* what follows the last of these are the kernel's arguments */
};

static const struct launch_call launch_calls[] = {
    /*                              kernel config grid block shared stream */
    {"cuLaunchCooperativeKernel", 0, -1, 1, 4, 7, 8, true, true, false},
    {"cuLaunchKernel", 0, -1, 1, 4, 7, 8, true, false, false},
    {"cuLaunchKernelEx", 1, 0, -1, -1, -1, -1, true, false, false},
    {"cudaLaunchCooperativeKernel", 0, -1, 1, 2, 4, 5, false, true, false},
    {"cudaLaunchKernel", 0, -1, 1, 2, 4, 5, false, false, false},
    {"cudaLaunchKernelEx", 1, 0, -1, -1, -1, -1, false, false, true},
    {"cudaLaunchKernelExC", 1, 0, -1, -1, -1, -1, false, false, false},
    {"hipDrvLaunchKernelEx", 1, 0, -1, -1, -1, -1, true, false, false},
    {"hipExtLaunchKernel", 0, -1, 1, 2, 4, 5, false, false, false},
    {"hipExtLaunchKernelGGL", 0, -1, 1, 2, 3, 4, false, false, false},
    {"hipLaunchCooperativeKernel", 0, -1, 1, 2, 4, 5, false, true, false},
    {"hipLaunchKernel", 0, -1, 1, 2, 4, 5, false, false, false},
    {"hipLaunchKernelEx", 1, 0, -1, -1, -1, -1, false, false, true},
    {"hipLaunchKernelExC", 1, 0, -1, -1, -1, -1, false, false, false},
    {"hipLaunchKernelGGL", 0, -1, 1, 2, 3, 4, false, false, true},
    {"hipModuleLaunchCooperativeKernel", 0, -1, 1, 4, 7, 8, true, true, false},
    {"hipModuleLaunchKernel", 0, -1, 1, 4, 7, 8, true, false, false},
};

enum { LAUNCH_CALLS = sizeof launch_calls / sizeof *launch_calls };

/* A launch as the text has it. Ranges are empty where nothing is said. */
struct shape {
    uint32_t token;
    struct range tokens;
    struct range kernel;
    struct range config;
    struct range grid[3], block[3];
    struct range shared, stream;
    bool numbers;
    bool cooperative;
    int arg_count; /* of the kernel, or -1: not known */
};

/* The sites under construction. */
struct build {
    struct model *model;
    VEC(struct launch_site) sites;
    const struct shape *shape;
};

static const struct symbol *intern(struct model *model, const char *name)
{
    return symbol_intern(model->unit->symbols, name, strlen(name));
}

/* Geometry. */

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Component INDEX of TRIPLES as a constant. */
static struct constant constant_from(const struct triples *triples, int index)
{
    struct constant res = {.origin = NO_TOKEN};
    for (unsigned i = 0; i < triples->count; ++i) {
        int64_t value = triples->items[i][index];
        bool known = false;
        if (value == UNKNOWN_COMPONENT)
            return (struct constant){.origin = NO_TOKEN};
        for (unsigned k = 0; k < res.count; ++k)
            known |= res.values[k] == value;
        if (!known)
            res.values[res.count++] = value;
    }
    qsort(res.values, res.count, sizeof *res.values, compare_values);
    return res;
}

/* NODE, or the argument that it is a macro's parameter for. */
static const struct node *argument_or(struct model *model, const struct node *node,
                                      const struct frame *frame)
{
    for (; node && node->kind == NODE_NAME && frame && frame->macro; frame = frame->outer) {
        struct range argument;
        if (!frame_argument(model->unit, frame, tree_symbol(model->unit, node), &argument))
            break;
        node = tree_expression(&model->trees, argument);
    }
    return node;
}

/* Fills DIMS from TRIPLES, whose whole expression is WHOLE or NULL. */
static void fill_dims(struct launch_dim dims[3], const struct triples *triples,
                      const struct node *whole)
{
    for (int i = 0; i < 3; ++i) {
        dims[i].expression = triples->said[i];
        dims[i].value = constant_from(triples, i);
    }
    if (!dims[0].expression)
        dims[0].expression = whole;
}

struct geometry_source {
    struct range ranges[3];
    bool numbers;
    struct range config;
    const struct symbol *members[3];
};

/* The value of a grid or a block of SITE; *WHOLE: its expression. SITE gets what leaves it unknown,
   and whether it is either this or that. */
static struct triples dims_of(struct model *model, const struct geometry_source *source,
                              const struct frame *frame, const struct node **whole,
                              struct launch_site *site)
{
    struct geometry g = {.model = model, .unknown_at = NO_TOKEN};
    *whole = NULL;
    unsigned parts = source->numbers ? 3 : 1;
    struct triples part[3] = {0};
    const struct node *said[3] = {NULL};
    const struct node *config = NULL;
    if (!range_is_empty(source->config)) {
        config = argument_or(model, tree_expression(&model->trees, source->config), frame);
        if (config && config->kind == NODE_UNARY && config->op == TOK_AMP)
            config = config->kids;
    }
    for (unsigned i = 0; i < parts; ++i) {
        if (!range_is_empty(source->config)) {
            if (config && source->members[i])
                part[i] = geometry_of_member(&g, config, source->members[i], frame);
        } else if (!range_is_empty(source->ranges[i])) {
            said[i] = argument_or(model, tree_expression(&model->trees, source->ranges[i]), frame);
            part[i] = geometry_of_range(&g, source->ranges[i], frame);
        }
    }
    site->unknown_at = g.unknown_at;
    site->either = g.either;
    if (parts == 1) {
        *whole = said[0];
        if (part[0].count || !said[0] || frame || type_of(model, said[0])->kind != TYPE_INTEGER)
            return part[0];
        /* A number that nobody knows is still only the first dimension. */
        part[1] = part[2] = (struct triples){.count = 1, .items = {{1, 1, 1}}};
    }
    struct triples res = triples_cross(part);
    memcpy(res.said, said, sizeof said);
    return res;
}

enum { BLOCK_THREADS = 1024 }; /* of the largest block that CUDA and HIP launch */

/* Whether a block can have these dimensions. Others come from values that do not belong together.
 */
static bool is_possible(const int64_t block[3])
{
    int64_t threads = 1;
    for (int i = 0; i < 3; ++i) {
        if (block[i] <= 0 || BLOCK_THREADS < block[i])
            return false;
        threads *= block[i];
    }
    return threads <= BLOCK_THREADS;
}

static void fill_blocks(struct launch_site *site, const struct triples *triples)
{
    site->open = triples->open;
    for (unsigned i = 0; i < triples->count; ++i) {
        const int64_t *item = triples->items[i];
        for (int k = 0; k < 3; ++k)
            if (item[k] == UNKNOWN_COMPONENT) {
                site->block_count = 0;
                return;
            }
        if (!is_possible(item))
            continue;
        for (int k = 0; k < 3; ++k)
            site->blocks[site->block_count][k] = (unsigned)item[k];
        site->block_count++;
    }
    site->block_known = site->block_count != 0;
}

static void fill_shared(struct build *build, struct launch_site *site, const struct frame *frame)
{
    const struct shape *shape = build->shape;
    struct model *model = build->model;
    struct geometry g = {.model = model, .unknown_at = NO_TOKEN};
    struct triples triples = {0};
    if (!range_is_empty(shape->config)) {
        const struct node *config =
            argument_or(model, tree_expression(&model->trees, shape->config), frame);
        if (config && config->kind == NODE_UNARY && config->op == TOK_AMP)
            config = config->kids;
        const struct symbol *member =
            intern(model, shape->numbers ? "sharedMemBytes" : "dynamicSmemBytes");
        if (config)
            triples = geometry_of_member(&g, config, member, frame);
        site->shared = triples.said[0];
    } else if (!range_is_empty(shape->shared)) {
        site->shared = argument_or(model, tree_expression(&model->trees, shape->shared), frame);
        triples = geometry_of_range(&g, shape->shared, frame);
    }
    site->shared_bytes = constant_from(&triples, 0);
    if (!range_is_empty(shape->stream))
        site->stream = argument_or(model, tree_expression(&model->trees, shape->stream), frame);
}

/* Sites. */

static void add_site(struct build *build, const struct frame *frame, struct kernel kernel)
{
    static const char *const members[2][2][3] = {
        {{"gridDim"}, {"blockDim"}},
        {{"gridDimX", "gridDimY", "gridDimZ"}, {"blockDimX", "blockDimY", "blockDimZ"}},
    };
    const struct shape *shape = build->shape;
    struct model *model = build->model;
    struct launch_site site = {
        .token = shape->token,
        .named = NO_TOKEN,
        .tokens = shape->tokens,
        .function = NO_INDEX,
        .cooperative = shape->cooperative,
        .template_arguments = {shape->token, shape->token},
    };
    for (const struct frame *f = frame; f; f = f->outer)
        if (f->macro)
            site.token = f->at;
    if (kernel.kind == KERNEL_NAMED) {
        site.kernel = tree_symbol(model->unit, kernel.name);
        site.named = kernel.name->token;
        site.template_arguments = tree_template_arguments(model->unit, kernel.name);
        site.function = launch_function(model, kernel.name, kernel.at, shape->arg_count);
    }
    struct geometry_source grid = {.numbers = shape->numbers, .config = shape->config},
                           block = grid;
    memcpy(grid.ranges, shape->grid, sizeof grid.ranges);
    memcpy(block.ranges, shape->block, sizeof block.ranges);
    for (int i = 0; i < 3; ++i) {
        const char *const(*names)[3] = members[shape->numbers];
        if (names[0][i]) {
            grid.members[i] = intern(model, names[0][i]);
            block.members[i] = intern(model, names[1][i]);
        }
    }
    const struct node *whole;
    struct triples triples = dims_of(model, &grid, frame, &whole, &site);
    fill_dims(site.grid, &triples, whole);
    triples = dims_of(model, &block, frame, &whole, &site);
    fill_dims(site.block, &triples, whole);
    fill_blocks(&site, &triples);
    fill_shared(build, &site, frame);
    *vec_push(&build->sites) = site;
}

struct at_call {
    struct build *build;
    bool any;
};

static void add_site_of_call(const struct frame *frame, void *data)
{
    struct at_call *call = data;
    struct kernel kernel = launch_kernel(call->build->model, call->build->shape->kernel, frame, 0);
    add_site(call->build, frame, kernel);
    call->any = true;
}

/* A launch of the function's parameter: one site for each call of the function. */
static bool add_sites_of_calls(struct build *build, size_t function)
{
    struct at_call call = {.build = build};
    geometry_each_call(build->model, function, add_site_of_call, &call);
    return call.any;
}

static void add_site_at(const struct frame *frame, void *data)
{
    struct build *build = data;
    struct kernel kernel = launch_kernel(build->model, build->shape->kernel, frame, 0);
    if (kernel.kind != KERNEL_PARAMETER || frame || !add_sites_of_calls(build, kernel.function))
        add_site(build, frame, kernel);
}

static void add_shape(struct build *build, const struct shape *shape)
{
    size_t before = build->sites.count;
    build->shape = shape;
    geometry_each_place(build->model, shape->tokens.begin, add_site_at, build);
    /* A macro that nobody uses here. */
    if (build->sites.count == before)
        add_site_at(NULL, build);
}

/* The last name of the callee in RANGE: before its template arguments. */
static uint32_t last_name(struct model *model, struct range range)
{
    uint32_t last = range.end - 1;
    enum token_kind kind = unit_kind(model->unit, last);
    if ((kind == TOK_GREATER || kind == TOK_SHIFT_RIGHT) &&
        unit_partner(model->unit, last) != NO_TOKEN) {
        uint32_t open = unit_partner(model->unit, last);
        /* A >> closes several: step back over what it belongs to. */
        while (range.begin < open && unit_kind(model->unit, open) != TOK_LESS)
            --open;
        last = range.begin < open ? open - 1 : last;
    }
    return unit_kind(model->unit, last) == TOK_IDENT ? last : range.begin;
}

static void add_chevrons(struct build *build, const struct launch *launch)
{
    struct shape shape = {
        .token = last_name(build->model, launch->callee),
        .tokens = {launch->callee.begin, launch->rparen + 1},
        .kernel = launch->callee,
        .grid = {launch->config[0]},
        .block = {launch->config[1]},
        .shared = launch->config[2],
        .stream = launch->config[3],
        .arg_count = launch->arg_count,
    };
    add_shape(build, &shape);
}

static struct range argument_at(const struct arguments *args, int index)
{
    return 0 <= index && index < args->count ? args->items[index] : (struct range){0, 0};
}

static void add_call(struct build *build, uint32_t token, const struct launch_call *call)
{
    struct arguments args;
    int last = call->config < 0 ? call->stream : call->kernel;
    if (model_function_named(build->model, token) != NO_INDEX ||
        !model_call_arguments(build->model, token, &args) ||
        args.count <= (call->config < 0 ? call->block : call->kernel))
        return;
    struct shape shape = {
        .token = token,
        .tokens = {token, args.tokens.end},
        .kernel = argument_at(&args, call->kernel),
        .config = argument_at(&args, call->config),
        .shared = argument_at(&args, call->shared),
        .stream = argument_at(&args, call->stream),
        .numbers = call->numbers,
        .cooperative = call->cooperative,
        .arg_count = call->counted && args.first_unknown < 0 && last < args.count
                         ? args.count - 1 - last
                         : -1,
    };
    for (int i = 0; i < (call->numbers ? 3 : 1) && call->config < 0; ++i) {
        shape.grid[i] = argument_at(&args, call->grid + i);
        shape.block[i] = argument_at(&args, call->block + i);
    }
    shape.token = range_is_empty(shape.kernel) ? token : last_name(build->model, shape.kernel);
    if (unit_kind(build->model->unit, shape.token) != TOK_IDENT)
        shape.token = token;
    add_shape(build, &shape);
}

/* Which functions are the same kernel: a declaration and its definition. */

struct kernel_key {
    const struct symbol *name, *scope;
    unsigned param_count;
    bool declared_only;
    uint32_t index;
};

static int compare_keys(const void *a, const void *b)
{
    const struct kernel_key *x = a, *y = b;
    if (x->name != y->name)
        return (uintptr_t)x->name < (uintptr_t)y->name ? -1 : 1;
    if (x->scope != y->scope)
        return (uintptr_t)x->scope < (uintptr_t)y->scope ? -1 : 1;
    if (x->param_count != y->param_count)
        return x->param_count < y->param_count ? -1 : 1;
    if (x->declared_only != y->declared_only)
        return x->declared_only ? 1 : -1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool same_kernel(const struct kernel_key *a, const struct kernel_key *b)
{
    return a->name == b->name && a->scope == b->scope && a->param_count == b->param_count;
}

static void find_kernels(struct model *model, struct model_launches *launches)
{
    const struct unit *unit = model->unit;
    size_t count = unit->functions.count;
    VEC(struct kernel_key) keys = {0};
    launches->kernel = arena_zalloc(model->arena, count, sizeof *launches->kernel);
    launches->complete = arena_zalloc(model->arena, count, sizeof *launches->complete);
    for (uint32_t i = 0; i < count; ++i) {
        const struct function *function = &unit->functions.items[i];
        launches->kernel[i] = i;
        if (!(function->flags & FUNCTION_GLOBAL))
            continue;
        *vec_push(&keys) = (struct kernel_key){
            .name = unit_token(unit, function->name)->symbol,
            .scope = launch_scope_name(unit, function->scope),
            .param_count = model_function(model, i)->param_count,
            .declared_only = range_is_empty(function->body),
            .index = i,
        };
    }
    if (keys.count)
        qsort(keys.items, keys.count, sizeof *keys.items, compare_keys);
    for (size_t i = 1; i < keys.count; ++i)
        if (same_kernel(&keys.items[i - 1], &keys.items[i]))
            launches->kernel[keys.items[i].index] = launches->kernel[keys.items[i - 1].index];
    vec_release(&keys);
}

/* Lists the sites by kernel, in their order. */
static void group_sites(struct model *model, struct model_launches *launches)
{
    size_t functions = model->unit->functions.count;
    launches->begin = arena_zalloc(model->arena, functions + 2, sizeof *launches->begin);
    launches->by_kernel = arena_zalloc(model->arena, launches->count, sizeof *launches->by_kernel);
    /* Counted one further on, so that filling moves each begin to its place. */
    size_t *next = launches->begin + 1;
    for (size_t i = 0; i < launches->count; ++i)
        if (launches->sites[i].function != NO_INDEX)
            next[launches->kernel[launches->sites[i].function] + 1]++;
    for (size_t i = 1; i < functions + 1; ++i)
        next[i] += next[i - 1];
    for (size_t i = 0; i < launches->count; ++i) {
        const struct launch_site *site = &launches->sites[i];
        if (site->function != NO_INDEX)
            launches->by_kernel[next[launches->kernel[site->function]]++] = site;
    }
}

static int compare_sites(const void *a, const void *b)
{
    const struct launch_site *x = a, *y = b;
    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    if (x->tokens.begin != y->tokens.begin)
        return x->tokens.begin < y->tokens.begin ? -1 : 1;
    return x->named < y->named ? -1 : x->named > y->named;
}

struct model_launches *launches_read(struct model *model)
{
    if (model->launches)
        return model->launches;
    const struct unit *unit = model->unit;
    struct model_launches *res = arena_zalloc(model->arena, 1, sizeof *res);
    model->launches = res;
    struct build build = {.model = model};
    vec_each (const struct launch, launch, &unit->launches)
        if (token_region(unit_token(unit, launch->open)) != REGION_CUDA)
            add_chevrons(&build, launch);
    for (int i = 0; i < LAUNCH_CALLS; ++i) {
        const struct symbol *name = symbol_find(unit->symbols, launch_calls[i].name);
        size_t count = 0;
        const uint32_t *uses = name ? model_uses(model, name, &count) : NULL;
        for (size_t k = 0; k < count; ++k)
            add_call(&build, uses[k], &launch_calls[i]);
    }
    res->count = build.sites.count;
    res->sites = arena_zalloc(model->arena, res->count, sizeof *res->sites);
    if (res->count) {
        qsort(build.sites.items, res->count, sizeof *res->sites, compare_sites);
        memcpy(res->sites, build.sites.items, res->count * sizeof *res->sites);
    }
    vec_release(&build.sites);
    for (size_t i = 0; i < res->count; ++i)
        res->computed |= !res->sites[i].kernel;
    find_kernels(model, res);
    group_sites(model, res);
    return res;
}

const struct launch_site *model_launches(struct model *model, size_t *count)
{
    const struct model_launches *launches = launches_read(model);
    *count = launches->count;
    return launches->sites;
}

/* Whether the use of a kernel's name at TOKEN only asks about it: cudaFuncSetAttribute (kernel,
   ...), cudaOccupancy... */
static bool only_asks(const struct unit *unit, uint32_t token)
{
    static const char *const prefixes[] = {"cudaFunc", "hipFunc", "cudaOccupancy", "hipOccupancy"};
    enum { BACK = 12 };
    uint32_t at = token;
    for (int i = 0; i < BACK; ++i) {
        at = unit_prev(unit, at);
        if (at == NO_TOKEN)
            return false;
        const struct token *t = unit_token(unit, at);
        if (t->kind == TOK_SEMICOLON || t->kind == TOK_LBRACE || t->kind == TOK_RBRACE)
            return false;
        for (size_t k = 0; t->symbol && k < sizeof prefixes / sizeof *prefixes; ++k)
            if (!strncmp(t->symbol->text, prefixes[k], strlen(prefixes[k])))
                return true;
    }
    return false;
}

static int compare_named(const void *a, const void *b)
{
    const struct launch_site *x = *(const struct launch_site *const *)a,
                             *y = *(const struct launch_site *const *)b;
    return x->named < y->named ? -1 : x->named > y->named;
}

/* Whether the file shows all launches of the kernel at INDEX, whose sites are the COUNT at SITES.
 */
static bool is_complete(struct model *model, size_t index, const struct launch_site *const *sites,
                        size_t count)
{
    const struct unit *unit = model->unit;
    const struct symbol *name = unit_token(unit, unit->functions.items[index].name)->symbol;
    if (model->launches->computed ||
        !(model_internal(model, index) || model_facts_shut(model->options, name->text)))
        return false;
    const struct launch_site **named = arena_zalloc(model->arena, count, sizeof *named);
    for (size_t i = 0; i < count; ++i) {
        if (sites[i]->open)
            return false;
        named[i] = sites[i];
    }
    if (count)
        qsort(named, count, sizeof *named, compare_named);
    size_t use_count, next = 0;
    const uint32_t *uses = model_uses(model, name, &use_count);
    for (size_t i = 0; i < use_count; ++i) {
        while (next < count && named[next]->named < uses[i])
            ++next;
        bool launched = next < count && named[next]->named == uses[i];
        if (!launched && model_function_named(model, uses[i]) == NO_INDEX &&
            !only_asks(unit, uses[i]))
            return false;
    }
    return true;
}

uint32_t model_kernel_of(struct model *model, size_t index)
{
    return launches_read(model)->kernel[index];
}

const struct launch_site *const *model_launches_of(struct model *model, size_t index, size_t *count,
                                                   bool *complete)
{
    const struct model_launches *launches = launches_read(model);
    uint32_t kernel = launches->kernel[index];
    const struct launch_site *const *res = launches->by_kernel + launches->begin[kernel];
    *count = launches->begin[kernel + 1] - launches->begin[kernel];
    if (complete) {
        if (!launches->complete[kernel])
            launches->complete[kernel] = is_complete(model, kernel, res, *count) ? 1 : -1;
        *complete = 0 < launches->complete[kernel];
    }
    return res;
}
