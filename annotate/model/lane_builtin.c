/* Functions that CUDA declares, as far as index arithmetic uses them.  */
#include <config.h>

#include "annotate/model/lane_p.h"

#include <stdlib.h>
#include <string.h>

/* Functions of numbers. Each has the value for one thread. */

static int64_t value_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t value_max(int64_t a, int64_t b)
{
    return a < b ? b : a;
}

static int64_t value_abs(int64_t a, int64_t b)
{
    (void)b;
    return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
}

/* The low 24 bits of each, signed. */
static int64_t value_mul24(int64_t a, int64_t b)
{
    int64_t left = (int64_t)((uint64_t)a << 40) >> 40, right = (int64_t)((uint64_t)b << 40) >> 40;
    return (int32_t)(left * right);
}

static int64_t value_umul24(int64_t a, int64_t b)
{
    return (int64_t)(uint32_t)((a & 0xffffff) * (b & 0xffffff));
}

static int64_t value_popc(int64_t a, int64_t b)
{
    (void)b;
    return __builtin_popcount((unsigned)a);
}

static int64_t value_popcll(int64_t a, int64_t b)
{
    (void)b;
    return __builtin_popcountll((unsigned long long)a);
}

static int64_t value_clz(int64_t a, int64_t b)
{
    (void)b;
    return (uint32_t)a ? __builtin_clz((unsigned)a) : 32;
}

static int64_t value_clzll(int64_t a, int64_t b)
{
    (void)b;
    return a ? __builtin_clzll((unsigned long long)a) : 64;
}

static int64_t value_ffs(int64_t a, int64_t b)
{
    (void)b;
    return __builtin_ffs((int)(uint32_t)a);
}

static int64_t value_ffsll(int64_t a, int64_t b)
{
    (void)b;
    return __builtin_ffsll(a);
}

static int64_t value_brev(int64_t a, int64_t b)
{
    (void)b;
    uint32_t res = 0;
    for (int i = 0; i < 32; ++i)
        res |= ((uint32_t)a >> i & 1) << (31 - i);
    return res;
}

static int64_t value_brevll(int64_t a, int64_t b)
{
    (void)b;
    uint64_t res = 0;
    for (int i = 0; i < 64; ++i)
        res |= ((uint64_t)a >> i & 1) << (63 - i);
    return (int64_t)res;
}

static const struct function_of_numbers {
    const char *name;
    unsigned arguments;
    int64_t (*value)(int64_t a, int64_t b);
    unsigned bytes; /* of the result; 0: as the arguments */
    bool is_signed;
} numbers[] = {
    {"__brev", 1, value_brev, 4, false},    {"__brevll", 1, value_brevll, 8, false},
    {"__clz", 1, value_clz, 4, true},       {"__clzll", 1, value_clzll, 4, true},
    {"__ffs", 1, value_ffs, 4, true},       {"__ffsll", 1, value_ffsll, 4, true},
    {"__mul24", 2, value_mul24, 4, true},   {"__popc", 1, value_popc, 4, true},
    {"__popcll", 1, value_popcll, 4, true}, {"__umul24", 2, value_umul24, 4, false},
    {"abs", 1, value_abs, 0, true},         {"llabs", 1, value_abs, 8, true},
    {"max", 2, value_max, 0, true},         {"min", 2, value_min, 0, true},
    {"umax", 2, value_max, 4, false},       {"umin", 2, value_min, 4, false},
};

static struct lanes apply(struct lane_machine *machine, const struct function_of_numbers *function,
                          const struct lanes *a, const struct lanes *b)
{
    struct lanes type = lanes_binary(machine, TOK_PLUS, *a, *b);
    struct lanes res = {.state = LANES_KNOWN,
                        .bytes = (uint8_t)(function->bytes ? function->bytes : type.bytes),
                        .is_signed = function->bytes ? function->is_signed : type.is_signed};
    if (a->state != LANES_KNOWN || b->state != LANES_KNOWN || a->bytes == 0 || b->bytes == 0 ||
        a->object || b->object) {
        bool uniform = lanes_uniform(a) && lanes_uniform(b);
        res.state = uniform ? LANES_SHIFTED : LANES_UNKNOWN;
        res.step = 1;
        res.wave_uniform = (uniform || a->wave_uniform || lanes_uniform(a)) &&
                           (b->wave_uniform || lanes_uniform(b));
        return res;
    }
    if (!a->values && !b->values) {
        res.base = function->value(a->base, b->base);
        return res;
    }
    int64_t *values = lanes_room(machine);
    for (unsigned i = 0; i < machine->threads; ++i)
        values[i] = function->value(lanes_at(a, i), lanes_at(b, i));
    struct lanes with = lanes_of(machine, values);
    with.bytes = res.bytes;
    with.is_signed = res.is_signed;
    return with;
}

/* Functions that give the same to all lanes of a wave, or to the block. */
static const char *const wave_uniform_names[] = {
    "__activemask",      "__all",
    "__all_sync",        "__any",
    "__any_sync",        "__ballot",
    "__ballot_sync",     "__reduce_add_sync",
    "__reduce_and_sync", "__reduce_max_sync",
    "__reduce_min_sync", "__reduce_or_sync",
    "__reduce_xor_sync", "__uni",
};

static const char *const block_uniform_names[] = {
    "__syncthreads_and",
    "__syncthreads_count",
    "__syncthreads_or",
};

/* Functions whose value depends on nothing but their arguments. */
static const char *const pure_names[] = {
    "__double2int_rn",
    "__fdividef",
    "__float2int_rd",
    "__float2int_rn",
    "__float2int_ru",
    "__float2int_rz",
    "__float_as_int",
    "__int2float_rn",
    "__int_as_float",
    "__ldg",
    "ceil",
    "ceilf",
    "exp",
    "exp2f",
    "expf",
    "fabs",
    "fabsf",
    "floor",
    "floorf",
    "fmax",
    "fmaxf",
    "fmin",
    "fminf",
    "log",
    "log2",
    "log2f",
    "logf",
    "make_float2",
    "make_float3",
    "make_float4",
    "pow",
    "powf",
    "round",
    "roundf",
    "rsqrtf",
    "sqrt",
    "sqrtf",
};

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

#define IS_AMONG(name, names) is_among(name, names, sizeof(names) / sizeof *(names))

static struct lanes uniform_where(bool uniform)
{
    return uniform ? lanes_some(0, 1) : lanes_unknown();
}

static struct lanes lane_number(struct lane_machine *machine, unsigned width, enum token_kind op)
{
    struct lanes number = lanes_int(width);
    number.is_signed = false;
    return lanes_binary(machine, op, lane_thread_index(machine, LINEAR_THREAD), number);
}

/* A shuffle of the same value is that value; one from a lane that is the same for all gives the
   wave one value. */
static struct lanes shuffle(const char *name, const struct lanes *arguments, unsigned count)
{
    bool sync = strstr(name, "_sync");
    unsigned value = sync ? 1 : 0, source = value + 1;
    if (count <= source)
        return lanes_unknown();
    if (lanes_uniform(&arguments[value]))
        return arguments[value];
    struct lanes res = lanes_unknown();
    bool direct = !strcmp(name, "__shfl") || !strcmp(name, "__shfl_sync");
    res.bytes = arguments[value].bytes;
    res.is_signed = arguments[value].is_signed;
    res.wave_uniform = direct && lanes_uniform(&arguments[source]) && count == source + 1;
    return res;
}

bool lane_builtin(struct lane_frame *frame, const char *name, const struct lanes *arguments,
                  unsigned count, struct lanes *res)
{
    struct lane_machine *machine = frame->machine;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (!strcmp(name, numbers[i].name)) {
            if (count != numbers[i].arguments)
                return false;
            *res = apply(machine, &numbers[i], &arguments[0], &arguments[count - 1]);
            return true;
        }
    if (!strcmp(name, "__lane_id") || !strcmp(name, "__laneid")) {
        *res = lane_number(machine, machine->wave, TOK_PERCENT);
        return true;
    }
    if (!strncmp(name, "__shfl", 6)) {
        *res = shuffle(name, arguments, count);
        return true;
    }
    if (IS_AMONG(name, wave_uniform_names)) {
        *res = lanes_unknown();
        res->wave_uniform = true;
        return true;
    }
    if (IS_AMONG(name, block_uniform_names)) {
        *res = lanes_some(0, 1);
        return true;
    }
    if (IS_AMONG(name, pure_names)) {
        bool uniform = true;
        for (unsigned i = 0; i < count; ++i)
            uniform &= lanes_uniform(&arguments[i]);
        *res = uniform_where(uniform);
        return true;
    }
    return false;
}

/* Cooperative groups. */

enum { GROUP_BLOCK = 0, GROUP_GRID = LANES_MAX + 1 };

/* The lanes of the group that NODE declares or is: tiled_partition<32>(...), thread_block_tile<16>,
   tiled_partition(block, 8); GROUP_BLOCK: the block itself; false where it is no group that is
   known. */
static bool group_size(struct lane_frame *frame, const struct node *node, unsigned depth,
                       unsigned *size)
{
    struct model *model = frame->machine->model;
    const struct unit *unit = model->unit;
    const struct node *parts = NULL;
    if (node->kind == NODE_CALL) {
        parts = node->kids->next ? node->kids->next->next : NULL;
        node = node->kids;
    }
    if (node->kind != NODE_NAME && node->kind != NODE_TYPE)
        return false;
    const struct symbol *name = tree_symbol(unit, node);
    if (!name)
        return false;
    if (!strcmp(name->text, "this_thread_block") || !strcmp(name->text, "thread_block")) {
        *size = GROUP_BLOCK;
        return true;
    }
    if (!strcmp(name->text, "this_grid") || !strcmp(name->text, "grid_group")) {
        *size = GROUP_GRID;
        return true;
    }
    if (!strcmp(name->text, "tiled_partition") && parts) {
        struct lanes lanes = lane_value_of(frame, parts);
        if (lanes.state != LANES_KNOWN || lanes.values || lanes.base < 1 || LANES_MAX < lanes.base)
            return false;
        *size = (unsigned)lanes.base;
        return true;
    }
    if (!strcmp(name->text, "tiled_partition") || !strcmp(name->text, "thread_block_tile")) {
        struct range arguments = tree_template_arguments(unit, node);
        struct constant constant;
        if (arguments.begin == arguments.end)
            return false;
        /* The second argument names the parent. */
        struct range first = {arguments.begin, arguments.begin};
        while (first.end < arguments.end && unit_kind(unit, first.end) != TOK_COMMA)
            ++first.end;
        if (!constant_of_range(model, first, &constant) || !constant_single(&constant) ||
            constant.values[0] < 1 || LANES_MAX < constant.values[0])
            return false;
        *size = (unsigned)constant.values[0];
        return true;
    }
    if (node->kind != NODE_NAME || 8 < depth)
        return false;
    struct name_meaning meaning = model_lookup(model, name, node->token);
    if (!meaning.declaration || !meaning.declarator)
        return false;
    if (group_size(frame, meaning.declaration->kids, depth + 1, size))
        return true;
    const struct node *value = meaning.declarator->kids;
    return value && value->kind == NODE_INITIALIZER && value->kids &&
           value->kids->kind == NODE_CALL && group_size(frame, value->kids, depth + 1, size);
}

/* Methods of all groups that tell where a thread or its block is. */
static bool place_method(struct lane_machine *machine, const char *name, struct lanes *res)
{
    static const char *const methods[][2] = {
        {"thread_index", "threadIdx"}, {"group_index", "blockIdx"}, {"block_index", "blockIdx"},
        {"group_dim", "blockDim"},     {"dim_threads", "blockDim"}, {"dim_blocks", "gridDim"},
        {"grid_dim", "gridDim"},
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i)
        if (!strcmp(name, methods[i][0])) {
            *res = lane_coordinates(machine, methods[i][1]);
            return true;
        }
    return false;
}

/* Methods of the grid. */
static struct lanes grid_method(struct lane_machine *machine, bool is_rank)
{
    struct lanes res = lanes_some(0, 1);
    if (is_rank) {
        struct lanes threads = lanes_int((int64_t)machine->threads);
        res = lanes_binary(machine, TOK_STAR, lanes_some(0, 1), threads);
        res = lanes_binary(machine, TOK_PLUS, res, lane_thread_index(machine, LINEAR_THREAD));
    }
    return lanes_convert(machine, res, 8, false);
}

bool lane_group_method(struct lane_frame *frame, const struct node *object, const char *name,
                       struct lanes *res)
{
    struct lane_machine *machine = frame->machine;
    unsigned size;
    bool is_rank = !strcmp(name, "thread_rank"), is_index = !strcmp(name, "meta_group_rank"),
         is_size = !strcmp(name, "size") || !strcmp(name, "num_threads"),
         is_count = !strcmp(name, "meta_group_size");
    if (!group_size(frame, object, 0, &size))
        return false;
    if ((size == GROUP_GRID || size == GROUP_BLOCK) && place_method(machine, name, res))
        return true;
    if (!(is_rank || is_index || is_size || is_count))
        return false;
    if (size == GROUP_GRID || size == GROUP_BLOCK) {
        if (is_index || is_count)
            return false;
        if (size == GROUP_GRID)
            *res = grid_method(machine, is_rank);
        else
            *res = is_rank ? lane_thread_index(machine, LINEAR_THREAD)
                           : lanes_int((int64_t)machine->threads);
        return true;
    }
    if (is_size)
        *res = lanes_int((int64_t)size);
    else if (is_count)
        *res = lanes_int((int64_t)((machine->threads + size - 1) / size));
    else
        *res = lane_number(machine, size, is_rank ? TOK_PERCENT : TOK_SLASH);
    if (is_size || is_count)
        res->is_signed = false;
    return true;
}

bool lane_hip_coordinate(struct lane_machine *machine, const char *name, struct lanes *res)
{
    static const char *const names[][2] = {{"hipThreadIdx_", "threadIdx"},
                                           {"hipBlockIdx_", "blockIdx"},
                                           {"hipBlockDim_", "blockDim"},
                                           {"hipGridDim_", "gridDim"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        size_t len = strlen(names[i][0]);
        if (strncmp(name, names[i][0], len) != 0 || name[len] < 'x' || 'z' < name[len] ||
            name[len + 1])
            continue;
        return lane_coordinate(machine, names[i][1], (unsigned)(name[len] - 'x'), res);
    }
    return false;
}
