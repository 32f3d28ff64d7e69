#include <config.h>

#include "cli/banks.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "cli/gpu.h"

enum {
    MAX_THREADS = 1024,
    MAX_SIZE = 1 << 20, /* of a dimension */
    MAX_BYTES = 1 << 30,
    MAX_ELEMENT = 1024,
    MAX_PAD = 32,       /* that is looked for */
    MAX_OWN_PAD = 1024, /* that the array has */
};

static const struct diag_place program = {0};

/* What an index may be made of. */
enum name {
    NAME_THREAD_X,
    NAME_THREAD_Y,
    NAME_THREAD_Z,
    NAME_X,
    NAME_Y,
    NAME_Z,
    NAME_DIM_X,
    NAME_DIM_Y,
    NAME_DIM_Z,
    NAME_TID,
    NAME_LANE,
    NAME_WARP_SIZE,
    NAME_COUNT
};

static const struct expr_name names[NAME_COUNT] = {
    [NAME_THREAD_X] = {"threadIdx.x", EXPR_UINT},
    [NAME_THREAD_Y] = {"threadIdx.y", EXPR_UINT},
    [NAME_THREAD_Z] = {"threadIdx.z", EXPR_UINT},
    /* Programs declare these, as int nearly always. */
    [NAME_X] = {"tx", EXPR_INT},
    [NAME_Y] = {"ty", EXPR_INT},
    [NAME_Z] = {"tz", EXPR_INT},
    [NAME_DIM_X] = {"blockDim.x", EXPR_UINT},
    [NAME_DIM_Y] = {"blockDim.y", EXPR_UINT},
    [NAME_DIM_Z] = {"blockDim.z", EXPR_UINT},
    [NAME_TID] = {"tid", EXPR_INT},
    [NAME_LANE] = {"lane", EXPR_INT},
    [NAME_WARP_SIZE] = {"warpSize", EXPR_INT},
};

/* The types that an access may have; those with vectors also as float2 and so on. */
static const struct type {
    const char *name;
    unsigned bytes;
    bool vectors;
} types[] = {
    {"bool", 1, false},
    {"char", 1, true},
    {"double", 8, true},
    {"float", 4, true},
    {"half", 2, false},
    {"half2", 4, false},
    {"__half", 2, false},
    {"__half2", 4, false},
    {"hip_bfloat16", 2, false},
    {"int", 4, true},
    {"int16_t", 2, false},
    {"int32_t", 4, false},
    {"int64_t", 8, false},
    {"int8_t", 1, false},
    {"long", 8, true},
    {"long long", 8, false},
    {"longlong", 8, true},
    {"__nv_bfloat16", 2, false},
    {"__nv_bfloat162", 4, false},
    {"short", 2, true},
    {"signed char", 1, false},
    {"size_t", 8, false},
    {"uchar", 1, true},
    {"uint", 4, true},
    {"uint16_t", 2, false},
    {"uint32_t", 4, false},
    {"uint64_t", 8, false},
    {"uint8_t", 1, false},
    {"ulong", 8, true},
    {"ulonglong", 8, true},
    {"unsigned", 4, false},
    {"unsigned char", 1, false},
    {"unsigned int", 4, false},
    {"unsigned long", 8, false},
    {"unsigned long long", 8, false},
    {"unsigned short", 2, false},
    {"ushort", 2, true},
};

/* ---- Reading the question */

static bool complain_number(const char *option, const char *arg, long long most, struct diag *diag)
{
    diag_add(diag, DIAG_ERROR, program,
             _("invalid argument '%s' of '--%s'; it is up to three numbers from 1 to %lld, "
               "with commas between them"),
             arg, option, most);
    return false;
}

/* Reads up to three numbers from 1 to MOST; COUNT says how many there are. */
static bool read_sizes(const char *option, const char *arg, int64_t most, int64_t sizes[3],
                       unsigned *count, struct diag *diag)
{
    *count = 0;
    for (const char *p = arg;; ++p) {
        char *end;
        errno = 0;
        long long value = strtoll(p, &end, 10);
        if (*p < '0' || '9' < *p || errno || value < 1 || most < value || *count == 3)
            return complain_number(option, arg, most, diag);
        sizes[(*count)++] = value;
        if (!*end)
            return true;
        if (*end != ',')
            return complain_number(option, arg, most, diag);
        p = end;
    }
}

/* A number of bytes stands for a structure of that size. */
static bool read_type(const char *arg, unsigned *bytes, struct diag *diag)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        size_t len = strlen(types[i].name);
        if (strncmp(arg, types[i].name, len))
            continue;
        const char *rest = arg + len;
        *bytes = types[i].bytes;
        if (!*rest)
            return true;
        if (types[i].vectors && *rest >= '1' && *rest <= '4' && !rest[1]) {
            *bytes *= (unsigned)(*rest - '0');
            return true;
        }
    }
    char *end;
    errno = 0;
    unsigned long value = strtoul(arg, &end, 10);
    if (*arg >= '0' && *arg <= '9' && !*end && !errno && value && value <= MAX_ELEMENT) {
        *bytes = (unsigned)value;
        return true;
    }
    diag_add(
        diag, DIAG_ERROR, program,
        _("invalid argument '%s' of '--type'; it is a type such as float, half2 or uint8_t, or "
          "the bytes of a structure"),
        arg);
    return false;
}

static bool read_bytes(const char *arg, unsigned *bytes, struct diag *diag)
{
    char *end;
    unsigned long value = strtoul(arg, &end, 10);
    if (*arg >= '0' && *arg <= '9' && !*end && value <= 16 && lds_is_width((unsigned)value)) {
        *bytes = (unsigned)value;
        return true;
    }
    diag_add(diag, DIAG_ERROR, program,
             _("invalid argument '%s' of '--bytes'; it may be: 1, 2, 4, 8, 12, 16"), arg);
    return false;
}

/* Shows what is wrong with the expression TEXT of OPTION: the text, and a caret below. */
static bool complain_expr(const char *option, const char *text, const struct expr_error *error,
                          struct diag *diag)
{
    struct strbuf line = STRBUF_INIT;
    size_t before = utf8_add_terminal(&line, text, error->column - 1);
    utf8_add_terminal(&line, text + error->column - 1, strlen(text + error->column - 1));
    diag_add(diag, DIAG_ERROR, program, _("in '--%s', column %zu: %s"), option, error->column,
             error->message);
    diag_add(diag, DIAG_NOTE, program, "%s", line.text ? line.text : "");
    /* The caret stands below its column of the line before. */
    diag_add(diag, DIAG_NOTE, program, "%*s^", (int)before, "");
    strbuf_release(&line);
    return false;
}

static bool read_access(struct banks_query *q, const char *option, const char *text, bool write)
{
    struct banks_access *access = &q->accesses[q->count++];
    struct expr_error error = {0};
    *access = (struct banks_access){.option = option, .text = text, .write = write};
    if (!expr_parse_index(text, names, NAME_COUNT, &q->arena, &access->index, &error))
        return complain_expr(option, text, &error, q->diag);
    if (!access->index.brackets || access->index.count == q->array.dims)
        return true;
    if (q->has_array)
        diag_add(q->diag, DIAG_ERROR, program, _("'--%s' has %u dimensions, but '--array' has %u"),
                 option, access->index.count, q->array.dims);
    else
        diag_add(q->diag, DIAG_ERROR, program,
                 _("an index in brackets needs '--array' with the dimensions"));
    return false;
}

static bool read_expressions(struct banks_query *q)
{
    const struct options *o = q->o;
    struct expr_error error = {0};
    if (!read_access(q, "index", o->index, o->write) ||
        (o->write_index && !read_access(q, "write", o->write_index, true)))
        return false;
    if (!o->condition)
        return true;
    q->condition = expr_parse(o->condition, names, NAME_COUNT, &q->arena, &error);
    return q->condition || complain_expr("if", o->condition, &error, q->diag);
}

/* "32,32" or, with a padding of the rows, "32,32+1". */
static bool read_array(struct banks_query *q, const char *arg)
{
    const char *plus = strchrnul(arg, '+');
    const char *sizes = arena_strndup(&q->arena, arg, (size_t)(plus - arg));
    if (!read_sizes("array", sizes, MAX_SIZE, q->array.size, &q->array.dims, q->diag))
        return false;
    if (*plus) {
        char *end;
        errno = 0;
        unsigned long pad = strtoul(plus + 1, &end, 10);
        if (plus[1] < '0' || '9' < plus[1] || *end || errno || MAX_OWN_PAD < pad ||
            q->array.dims == 1) {
            diag_add(
                q->diag, DIAG_ERROR, program,
                _("invalid argument '%s' of '--array'; behind '+' stands the padding of rows, up "
                  "to %d elements"),
                arg, (int)MAX_OWN_PAD);
            return false;
        }
        q->pad = (unsigned)pad;
    }
    int64_t bytes = q->array.element;
    for (unsigned i = 0; i < q->array.dims && bytes <= MAX_BYTES; ++i)
        bytes *= q->array.size[i] + (i + 1 == q->array.dims ? q->pad : 0);
    if (bytes <= MAX_BYTES)
        return true;
    diag_add(q->diag, DIAG_ERROR, program, _("the array is larger than any memory"));
    return false;
}

bool banks_read(struct banks_query *q)
{
    const struct options *o = q->o;
    unsigned count;
    q->block[0] = 256;
    q->block[1] = q->block[2] = 1;
    if (!read_type(o->type, &q->array.element, q->diag) ||
        (o->block && !read_sizes("block", o->block, MAX_THREADS, q->block, &count, q->diag)) ||
        (o->bytes && !read_bytes(o->bytes, &q->bytes, q->diag)))
        return false;
    q->threads = (size_t)(q->block[0] * q->block[1] * q->block[2]);
    if (!o->bytes)
        q->bytes = q->array.element;
    if (!lds_is_width(q->bytes)) {
        diag_add(q->diag, DIAG_ERROR, program,
                 _("no instruction moves the %u bytes of '%s' at once; say with '--bytes' how many "
                   "it moves"),
                 q->bytes, o->type);
        return false;
    }
    q->array.dims = 1;
    q->has_array = o->array != NULL;
    if (q->has_array && !read_array(q, o->array))
        return false;
    return read_expressions(q);
}

/* ---- Working out the answer */

static void set_values(const struct banks_answer *a, size_t thread, int64_t *values)
{
    const int64_t *block = a->q->block;
    int64_t t = (int64_t)thread;
    values[NAME_THREAD_X] = values[NAME_X] = t % block[0];
    values[NAME_THREAD_Y] = values[NAME_Y] = t / block[0] % block[1];
    values[NAME_THREAD_Z] = values[NAME_Z] = t / block[0] / block[1];
    values[NAME_DIM_X] = block[0];
    values[NAME_DIM_Y] = block[1];
    values[NAME_DIM_Z] = block[2];
    values[NAME_TID] = t;
    values[NAME_LANE] = t % a->wave;
    values[NAME_WARP_SIZE] = a->wave;
}

/* A flat index of an array of several dimensions, whose rows are padded by PAD, taken apart. */
static void take_apart(const struct lds_array *array, unsigned pad, int64_t *index)
{
    int64_t rest = index[0];
    for (unsigned i = array->dims - 1; i; --i) {
        int64_t size = array->size[i] + (i + 1 == array->dims ? pad : 0);
        index[i] = rest % size;
        rest /= size;
    }
    index[0] = rest;
}

/* Says that a thread goes to an index that is none. */
static bool complain_bounds(struct banks_query *q, const struct banks_access *access,
                            const int64_t *values, const int64_t *index)
{
    struct strbuf text = STRBUF_INIT;
    for (unsigned i = 0; i < access->index.count; ++i)
        strbuf_printf(&text, "[%lld]", (long long)index[i]);
    diag_add(q->diag, DIAG_ERROR, program,
             _("'--%s': thread (%d,%d,%d) has the index %s, which is outside of the array"),
             access->option, (int)values[NAME_X], (int)values[NAME_Y], (int)values[NAME_Z],
             text.text);
    strbuf_release(&text);
    q->bad = true;
    return false;
}

static bool complain_value(struct banks_query *q, const char *option, const char *text,
                           const struct expr_error *error)
{
    q->bad = true;
    return complain_expr(option, text, error, q->diag);
}

/* Whether INDEX and what an access reaches from there lies within the array; where its size is
   not given, whether it can. */
static bool in_bounds(const struct banks_answer *a, const int64_t *index)
{
    const struct banks_query *q = a->q;
    if (!q->has_array)
        return 0 <= index[0] && index[0] < MAX_BYTES / q->array.element;
    for (unsigned i = 0; i < q->array.dims; ++i)
        if (index[i] < 0 || q->array.size[i] <= index[i])
            return false;
    return lds_address(&q->array, &a->layout, index) + q->bytes <=
           lds_array_bytes(&q->array, &a->layout);
}

/* The index of THREAD in the access of F. */
static bool evaluate(struct banks_answer *a, struct banks_figures *f, size_t thread)
{
    struct banks_query *q = a->q;
    const struct banks_access *access = f->access;
    int64_t values[NAME_COUNT], on = 1, *index = &f->index[thread * a->array.dims];
    int64_t shown[LDS_MAX_DIMS] = {0};
    struct expr_error error = {0};
    set_values(a, thread, values);
    if (q->condition && !expr_evaluate(q->condition, values, &on, &error))
        return complain_value(q, "if", q->o->condition, &error);
    if (!on) {
        index[0] = LDS_INACTIVE;
        return true;
    }
    for (unsigned i = 0; i < access->index.count; ++i) {
        if (!expr_evaluate(access->index.at[i], values, &shown[i], &error))
            return complain_value(q, access->option, access->text, &error);
        index[i] = shown[i];
    }
    if (shown[0] < 0 || (!access->index.brackets && INT32_MAX < shown[0]))
        return complain_bounds(q, access, values, shown);
    if (!access->index.brackets)
        take_apart(&a->array, q->pad, index);
    return in_bounds(a, index) || complain_bounds(q, access, values, shown);
}

/* Warns where C++ does not allow the access. */
static void check_alignment(const struct banks_answer *a, const struct banks_figures *f)
{
    int64_t unit = a->q->bytes == 12 ? 4 : a->q->bytes;
    for (size_t i = 0; i < a->q->threads; ++i)
        if (f->address[i] != LDS_INACTIVE && f->address[i] % unit) {
            diag_add(
                a->q->diag, DIAG_WARNING, program,
                _("%s: accesses of %u bytes must be aligned, but thread %zu goes to byte %lld"),
                a->target->name, a->q->bytes, i, (long long)f->address[i]);
            return;
        }
}

/* The addresses of the worst wave of F. */
static void worst_lanes(const struct banks_answer *a, const struct banks_figures *f,
                        int64_t lanes[LDS_MAX_LANES])
{
    for (size_t i = 0, at = f->sum.worst_wave * a->wave; i < a->wave; ++i)
        lanes[i] = at + i < a->q->threads ? f->address[at + i] : LDS_INACTIVE;
}

/* Plays one access. MOST becomes the largest first index, if that is larger. */
static bool play(struct banks_answer *a, struct banks_figures *f, int64_t *most)
{
    const struct banks_query *q = a->q;
    bool write = f->access->write;
    f->rule = lds_find_rule(a->model, q->bytes, write);
    f->index = xcalloc(q->threads, sizeof *f->index * a->array.dims);
    f->address = xcalloc(q->threads, sizeof *f->address);
    for (size_t i = 0; i < q->threads; ++i) {
        if (!evaluate(a, f, i))
            return false;
        const int64_t *index = &f->index[i * a->array.dims];
        if (*index == LDS_INACTIVE) {
            f->address[i] = LDS_INACTIVE;
            continue;
        }
        f->address[i] = lds_address(&a->array, &a->layout, index);
        *most = *most < *index ? *index : *most;
    }
    check_alignment(a, f);
    f->sum = lds_block_cost(a->model, a->wave, q->bytes, write, f->address, q->threads);
    int64_t lanes[LDS_MAX_LANES];
    worst_lanes(a, f, lanes);
    f->cost = lds_cost(a->model, a->wave, q->bytes, write, lanes);
    return true;
}

int64_t banks_bytes(const struct banks_answer *a)
{
    return lds_array_bytes(&a->array, &a->layout);
}

int64_t banks_more_bytes(const struct banks_answer *a, const struct lds_fix *fix)
{
    return lds_array_bytes(&a->array, &fix->layout) - banks_bytes(a);
}

/* How many blocks fit as it is, whose shared memory is the array or what is given. */
static bool count_groups(struct banks_answer *a)
{
    const struct options *o = a->q->o;
    int64_t bytes = banks_bytes(a);
    a->request = (struct occupancy_request){.block = (unsigned)a->q->threads,
                                            .vgprs = o->request.vgprs,
                                            .lds = o->request.lds,
                                            .wave = o->request.wave,
                                            .cu_mode = o->request.cu_mode,
                                            .wgp_mode = o->request.wgp_mode};
    if (!o->request.lds)
        a->request.lds = bytes < UINT_MAX ? (unsigned)bytes : UINT_MAX;
    if (a->request.lds < bytes) {
        diag_add(a->q->diag, DIAG_ERROR, program,
                 _("the array has %lld bytes, more than the %u of '--lds'"), (long long)bytes,
                 a->request.lds);
        a->q->bad = true;
        return false;
    }
    enum occupancy_error error = occupancy_compute(a->target, &a->request, &a->now);
    gpu_complain(error, a->target, o, a->q->diag);
    return error == OCCUPANCY_OK;
}

/* What would be without the padding that the array has. */
static struct lds_fix without_pad(const struct banks_answer *a, const struct lds_use *uses)
{
    static const struct lds_layout plain = {0};
    struct lds_fix res = {.found = a->layout.pad != 0};
    for (size_t i = 0; i < a->q->count; ++i) {
        struct lds_sum sum = lds_use_cost(a->model, a->wave, &a->array, &plain, &uses[i]);
        res.cycles += sum.cycles;
        res.ideal += sum.ideal;
    }
    res.free = res.cycles == res.ideal;
    return res;
}

/* Whether TARGET has what is asked about. */
static bool begin(struct banks_answer *a)
{
    const struct banks_query *q = a->q;
    if (a->model == LDS_UNKNOWN) {
        diag_add(q->diag, DIAG_ERROR, program, _("nothing is known of the banks of %s"),
                 a->target->name);
        return false;
    }
    if (target_has_wave(a->target, a->wave))
        return true;
    gpu_complain(OCCUPANCY_BAD_WAVE, a->target, q->o, q->diag);
    return false;
}

bool banks_work_out(struct banks_query *q, const struct target *target, struct banks_answer *res)
{
    struct lds_use uses[BANKS_ACCESSES];
    int64_t most = 0;
    *res = (struct banks_answer){
        .q = q,
        .target = target,
        .model = (enum lds_model)target->banks,
        .wave = q->o->request.wave ? q->o->request.wave : target_wave(target),
        .array = q->array,
        .layout = {.pad = q->pad},
    };
    if (q->bad || !begin(res))
        return false;
    for (size_t i = 0; i < q->count; ++i) {
        const struct banks_access *access = &q->accesses[i];
        struct banks_figures *f = &res->figures[i];
        f->access = access;
        if (!play(res, f, &most))
            return false;
        uses[i] = (struct lds_use){q->bytes, access->write, f->index, q->threads};
    }
    if (!q->has_array)
        res->array.size[0] = most + (q->bytes + q->array.element - 1) / q->array.element;
    res->bare = without_pad(res, uses);
    res->pad = lds_find_pad(res->model, res->wave, &res->array, uses, q->count, MAX_PAD);
    res->swizzle = lds_find_xor(res->model, res->wave, &res->array, uses, q->count);
    return count_groups(res);
}

void banks_release(struct banks_answer *a)
{
    for (size_t i = 0; i < BANKS_ACCESSES; ++i) {
        free(a->figures[i].index);
        free(a->figures[i].address);
    }
}

struct occupancy banks_with_fix(const struct banks_answer *a, const struct lds_fix *fix)
{
    struct occupancy before, after;
    occupancy_add_lds(a->target, &a->request, banks_more_bytes(a, fix), &before, &after);
    return after;
}

void banks_of_phase(const struct banks_answer *a, const struct banks_figures *f,
                    const struct lds_phase *phase, struct lds_bank banks[LDS_MAX_BANKS])
{
    int64_t lanes[LDS_MAX_LANES];
    worst_lanes(a, f, lanes);
    lds_bank_use(a->model, a->q->bytes, f->access->write, phase->active, lanes, banks);
}
