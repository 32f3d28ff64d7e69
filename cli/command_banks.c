/* hipwright banks: which banks of shared memory (LDS) an access hits, and what that costs. */
#include <config.h>

#include "cli/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/gpu/expr.h"
#include "annotate/gpu/lds.h"
#include "annotate/gpu/occupancy.h"
#include "base/arena.h"
#include "base/i18n.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "cli/gpu.h"
#include "report/json.h"

enum {
    MAX_THREADS = 1024,
    MAX_SIZE = 1 << 20, /* of a dimension */
    MAX_BYTES = 1 << 30,
    MAX_ELEMENT = 1024,
    MAX_PAD = 32,       /* that is looked for */
    MAX_OWN_PAD = 1024, /* that the array has */
    MAX_BANK_LINES = 8,
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

/* One access that was asked about. */
struct access {
    const char *option; /* "index" or "write", */
    const char *text;   /* and what it says */
    bool write;
    struct expr_index index;
};

enum { MAX_ACCESSES = 2 };

/* What was asked for. */
struct query {
    const struct options *o;
    struct diag *diag;
    struct arena arena;
    struct lds_array array; /* without its padding */
    unsigned pad;           /* the padding of its rows */
    bool has_array;         /* given by the user */
    unsigned bytes;         /* of an access */
    int64_t block[3];
    size_t threads;
    struct access accesses[MAX_ACCESSES];
    size_t count;
    const struct expr *condition; /* or NULL */
    bool bad;                     /* an expression has no value, for any target */
};

/* What is found out about an access. */
struct figures {
    const struct access *access;
    const struct lds_rule *rule;
    int64_t *index;
    int64_t *address; /* of all threads */
    struct lds_sum sum;
    struct lds_cost cost; /* of the worst wave */
};

/* The answer for one target. */
struct answer {
    struct query *q;
    const struct target *target;
    enum lds_model model;
    unsigned wave;
    struct lds_array array;   /* with the size that the index shows where none is given */
    struct lds_layout layout; /* as the array is now */
    struct figures figures[MAX_ACCESSES];
    struct occupancy_request request; /* of the block, for what a layout costs */
    struct occupancy now;
    struct lds_fix bare; /* without the padding that it has now */
    struct lds_fix pad;
    struct lds_fix swizzle;
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

static bool read_access(struct query *q, const char *option, const char *text, bool write)
{
    struct access *access = &q->accesses[q->count++];
    struct expr_error error = {0};
    *access = (struct access){.option = option, .text = text, .write = write};
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

static bool read_expressions(struct query *q)
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
static bool read_array(struct query *q, const char *arg)
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

static bool read_query(struct query *q)
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

static void set_values(const struct answer *a, size_t thread, int64_t *values)
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
static bool complain_bounds(struct query *q, const struct access *access, const int64_t *values,
                            const int64_t *index)
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

static bool complain_value(struct query *q, const char *option, const char *text,
                           const struct expr_error *error)
{
    q->bad = true;
    return complain_expr(option, text, error, q->diag);
}

/* Whether INDEX and what an access reaches from there lies within the array; where its size is
   not given, whether it can. */
static bool in_bounds(const struct answer *a, const int64_t *index)
{
    const struct query *q = a->q;
    if (!q->has_array)
        return 0 <= index[0] && index[0] < MAX_BYTES / q->array.element;
    for (unsigned i = 0; i < q->array.dims; ++i)
        if (index[i] < 0 || q->array.size[i] <= index[i])
            return false;
    return lds_address(&q->array, &a->layout, index) + q->bytes <=
           lds_array_bytes(&q->array, &a->layout);
}

/* The index of THREAD in the access of F. */
static bool evaluate(struct answer *a, struct figures *f, size_t thread)
{
    struct query *q = a->q;
    const struct access *access = f->access;
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
static void check_alignment(const struct answer *a, const struct figures *f)
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
static void worst_lanes(const struct answer *a, const struct figures *f,
                        int64_t lanes[LDS_MAX_LANES])
{
    for (size_t i = 0, at = f->sum.worst_wave * a->wave; i < a->wave; ++i)
        lanes[i] = at + i < a->q->threads ? f->address[at + i] : LDS_INACTIVE;
}

/* Plays one access. MOST becomes the largest first index, if that is larger. */
static bool play(struct answer *a, struct figures *f, int64_t *most)
{
    const struct query *q = a->q;
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

/* The bytes of the array as it is, and what FIX adds to them. */
static int64_t bytes_now(const struct answer *a)
{
    return lds_array_bytes(&a->array, &a->layout);
}

static int64_t more_bytes(const struct answer *a, const struct lds_fix *fix)
{
    return lds_array_bytes(&a->array, &fix->layout) - bytes_now(a);
}

/* How many blocks fit as it is, whose shared memory is the array or what is given. */
static bool count_groups(struct answer *a)
{
    const struct options *o = a->q->o;
    int64_t bytes = bytes_now(a);
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
static struct lds_fix without_pad(const struct answer *a, const struct lds_use *uses)
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

static bool work_out(struct answer *a)
{
    const struct query *q = a->q;
    struct lds_use uses[MAX_ACCESSES];
    int64_t most = 0;
    for (size_t i = 0; i < q->count; ++i) {
        a->figures[i].access = &q->accesses[i];
        if (!play(a, &a->figures[i], &most))
            return false;
        uses[i] = (struct lds_use){q->bytes, q->accesses[i].write, a->figures[i].index, q->threads};
    }
    if (!q->has_array)
        a->array.size[0] = most + (q->bytes + q->array.element - 1) / q->array.element;
    a->bare = without_pad(a, uses);
    a->pad = lds_find_pad(a->model, a->wave, &a->array, uses, q->count, MAX_PAD);
    a->swizzle = lds_find_xor(a->model, a->wave, &a->array, uses, q->count);
    return count_groups(a);
}

/* The blocks that fit with FIX. */
static struct occupancy with_fix(const struct answer *a, const struct lds_fix *fix)
{
    struct occupancy before, after;
    occupancy_add_lds(a->target, &a->request, more_bytes(a, fix), &before, &after);
    return after;
}

static void use_banks(const struct answer *a, const struct figures *f,
                      const struct lds_phase *phase, struct lds_bank banks[LDS_MAX_BANKS])
{
    int64_t lanes[LDS_MAX_LANES];
    worst_lanes(a, f, lanes);
    lds_bank_use(a->model, a->q->bytes, f->access->write, phase->active, lanes, banks);
}

/* ---- Text */

/* "0-3,20-23" */
static void add_lanes(struct strbuf *out, uint64_t lanes)
{
    bool first = true;
    for (int at = 0; at < 64; ++at) {
        if (!(lanes >> at & 1))
            continue;
        int end = at;
        while (end < 63 && lanes >> (end + 1) & 1)
            ++end;
        strbuf_printf(out, first ? "%d" : ",%d", at);
        if (at < end)
            strbuf_printf(out, "-%d", end);
        first = false;
        at = end;
    }
    if (first)
        strbuf_addc(out, '-');
}

static const struct lds_phase *worst_phase(const struct figures *f)
{
    const struct lds_phase *res = f->cost.phases;
    for (unsigned i = 1; i < f->cost.phase_count; ++i)
        if (res->cycles < f->cost.phases[i].cycles)
            res = &f->cost.phases[i];
    return res;
}

/* TEXT, aligned to the right of WIDTH columns. */
static void add_head(struct strbuf *out, size_t width, const char *text)
{
    struct strbuf cell = STRBUF_INIT;
    size_t columns = utf8_add_terminal(&cell, text, strlen(text));
    strbuf_printf(out, "%*s%s", columns < width ? (int)(width - columns) : 0, "", cell.text);
    strbuf_release(&cell);
}

/* The heads of a table's columns; the third is always the lanes. */
static void add_heads(struct strbuf *out, const char *first, const char *second)
{
    strbuf_adds(out, "  ");
    add_head(out, 5, first);
    strbuf_adds(out, "  ");
    add_head(out, 6, second);
    strbuf_printf(out, "  %s\n", _("lanes"));
}

static void add_phases(struct strbuf *out, const struct figures *f)
{
    add_heads(out, _("phase"), _("cycles"));
    for (unsigned i = 0; i < f->cost.phase_count; ++i) {
        strbuf_printf(out, "  %5u  %6u  ", i + 1, f->cost.phases[i].cycles);
        add_lanes(out, f->cost.phases[i].active);
        strbuf_addc(out, '\n');
    }
}

/* One line for the banks FROM to LAST, which the same lanes ask for as many words. */
static void add_bank(struct strbuf *out, unsigned from, unsigned last, const struct lds_bank *bank)
{
    char range[16];
    snprintf(range, sizeof range, from < last ? "%u-%u" : "%u", from, last);
    strbuf_printf(out, "  %5s  %6u  ", range, bank->words);
    add_lanes(out, bank->lanes);
    strbuf_addc(out, '\n');
}

/* The banks of the worst phase that are asked for more than one word, the busiest first. */
static void add_conflicts(struct strbuf *out, const struct answer *a, const struct figures *f)
{
    const struct lds_phase *phase = worst_phase(f);
    struct lds_bank banks[LDS_MAX_BANKS];
    unsigned lines = 0, shown = 0, used = 0, busy = 0;
    use_banks(a, f, phase, banks);
    for (unsigned bank = 0; bank < f->rule->banks; ++bank) {
        used += 0 < banks[bank].words;
        busy += 1 < banks[bank].words;
    }
    strbuf_printf(out, _("  in phase %d, %u of %u banks are used, %u of them more than once:\n"),
                  (int)(phase - f->cost.phases) + 1, used, f->rule->banks, busy);
    add_heads(out, _("bank"), _("words"));
    for (unsigned words = phase->cycles; 1 < words; --words)
        for (unsigned bank = 0; bank < f->rule->banks; ++bank) {
            if (banks[bank].words != words)
                continue;
            unsigned last = bank;
            while (last + 1 < f->rule->banks && banks[last + 1].words == words &&
                   banks[last + 1].lanes == banks[bank].lanes)
                ++last;
            if (lines++ < MAX_BANK_LINES) {
                add_bank(out, bank, last, &banks[bank]);
                shown += last - bank + 1;
            }
            bank = last;
        }
    if (shown < busy)
        strbuf_printf(out, ngettext("  and %u bank more\n", "  and %u banks more\n", busy - shown),
                      busy - shown);
}

/* The row that a swizzle is made from: i, or what i and j make together. */
static void add_row(struct strbuf *out, const struct lds_array *array)
{
    if (array->dims == 2)
        strbuf_adds(out, "i");
    else
        strbuf_printf(out, "(i * %lld + j)", (long long)array->size[1]);
}

/* The index that LAYOUT makes of i, j, k: "[i][j ^ (i & 31)]", "n + (n >> 5)", or the
   dimensions with a pad: "[32][33]". */
static void add_layout(struct strbuf *out, const struct lds_array *array,
                       const struct lds_layout *layout)
{
    if (layout->skew) {
        strbuf_printf(out, "[n + (n >> %u)]", layout->skew);
        return;
    }
    if (!layout->mask) {
        for (unsigned i = 0; i < array->dims; ++i)
            strbuf_printf(out, "[%lld]",
                          (long long)(array->size[i] + (i + 1 == array->dims ? layout->pad : 0)));
        return;
    }
    strbuf_printf(out, array->dims == 2 ? "[i][j ^ " : "[i][j][k ^ ");
    if (layout->scale)
        strbuf_addc(out, '(');
    strbuf_adds(out, layout->row_shift ? "((" : "(");
    add_row(out, array);
    if (layout->times)
        strbuf_printf(out, " * %u", layout->times);
    if (layout->row_shift)
        strbuf_printf(out, " >> %u)", layout->row_shift);
    strbuf_printf(out, " & %u)", layout->mask);
    if (layout->scale)
        strbuf_printf(out, " << %u)", layout->scale);
    strbuf_addc(out, ']');
}

/* How many blocks fit with what FIX adds, where it adds something. */
static void add_groups(struct strbuf *out, const struct answer *a, const struct lds_fix *fix)
{
    struct occupancy after = with_fix(a, fix);
    const char *unit = gpu_unit(a->target, &a->now);
    if (!more_bytes(a, fix) || !a->now.groups)
        return;
    if (after.groups == a->now.groups)
        strbuf_printf(out,
                      ngettext("    %u workgroup per %s, as before\n",
                               "    %u workgroups per %s, as before\n", after.groups),
                      after.groups, unit);
    else
        strbuf_printf(out,
                      ngettext("    %u workgroup per %s instead of %u\n",
                               "    %u workgroups per %s instead of %u\n", after.groups),
                      after.groups, unit, a->now.groups);
}

static uint64_t all_cycles(const struct answer *a)
{
    uint64_t res = 0;
    for (size_t i = 0; i < a->q->count; ++i)
        res += a->figures[i].sum.cycles;
    return res;
}

static bool has_conflicts(const struct answer *a)
{
    for (size_t i = 0; i < a->q->count; ++i)
        if (a->figures[i].sum.ideal < a->figures[i].sum.cycles)
            return true;
    return false;
}

/* A gain that nobody would change a program for is not shown, nor the layout that is there. */
static bool is_worthwhile(const struct answer *a, const struct lds_fix *fix)
{
    uint64_t cycles = all_cycles(a);
    if (!fix->found || (a->layout.pad == fix->layout.pad && !fix->layout.mask &&
                        !fix->layout.grow && !fix->layout.skew))
        return false;
    return 4 * fix->cycles <= 3 * cycles ||
           (fix->cycles <= cycles && (fix->cycles < cycles || more_bytes(a, fix) < 0));
}

/* What FIX gives and costs in bytes. */
static void add_gain(struct strbuf *out, const struct answer *a, const struct lds_fix *fix)
{
    unsigned long long cycles = fix->cycles;
    long long before = (long long)bytes_now(a), now = before + (long long)more_bytes(a, fix);
    if (fix->free && now != before)
        /* TRANSLATORS: these follow "pad by 1 to [32][33]: " and the like. */
        strbuf_printf(out, _("no conflicts, %lld bytes instead of %lld"), now, before);
    else if (fix->free)
        strbuf_adds(out, _("no conflicts, no bytes more"));
    else if (now != before)
        strbuf_printf(out, _("cycles %llu, %lld bytes instead of %lld"), cycles, now, before);
    else
        strbuf_printf(out, _("cycles %llu, no bytes more"), cycles);
}

static void add_fix(struct strbuf *out, const struct answer *a, const struct lds_fix *fix)
{
    struct strbuf layout = STRBUF_INIT, gain = STRBUF_INIT;
    unsigned element = a->array.element, grown = element + fix->layout.grow;
    add_layout(&layout, &a->array, &fix->layout);
    add_gain(&gain, a, fix);
    if (fix->layout.grow && fix->layout.pad)
        strbuf_printf(out,
                      _("  make each element %u bytes instead of %u, and pad by %u to %s: %s\n"),
                      grown, element, fix->layout.pad, layout.text, gain.text);
    else if (fix->layout.grow)
        strbuf_printf(out, _("  make each element %u bytes instead of %u: %s\n"), grown, element,
                      gain.text);
    else if (fix->layout.pad)
        strbuf_printf(out, _("  pad by %u to %s: %s\n"), fix->layout.pad, layout.text, gain.text);
    else if (fix->layout.mask || fix->layout.skew)
        strbuf_printf(out, _("  use %s: %s\n"), layout.text, gain.text);
    else
        strbuf_printf(out, _("  without the padding, %s: %s\n"), layout.text, gain.text);
    strbuf_release(&layout);
    strbuf_release(&gain);
    add_groups(out, a, fix);
}

static void add_fixes(struct strbuf *out, const struct answer *a)
{
    bool pad = is_worthwhile(a, &a->pad), swizzle = is_worthwhile(a, &a->swizzle);
    if (a->bare.found)
        add_fix(out, a, &a->bare);
    if (pad)
        add_fix(out, a, &a->pad);
    if (swizzle)
        add_fix(out, a, &a->swizzle);
    if (pad || swizzle || !has_conflicts(a))
        return;
    if (!a->q->has_array)
        strbuf_adds(out, _("  with '--array' a better layout would be looked for\n"));
    else if (!a->bare.found || all_cycles(a) < a->bare.cycles)
        strbuf_adds(out, _("  neither padding nor an XOR helps\n"));
}

static void add_trust(struct strbuf *out, const struct figures *f)
{
    switch (f->rule->trust) {
    case LDS_INFERRED:
        strbuf_adds(out, _("  which lanes go together is inferred from a sister GPU\n"));
        break;
    case LDS_DISPUTED:
        strbuf_adds(out, _("  the sources do not agree about such accesses; compare gfx950 and "
                           "gfx950-64banks\n"));
        break;
    case LDS_MEASURED:
    case LDS_STATED:
        break;
    }
}

/* How much shared memory a block has, and how many fit with it. */
static void add_room(struct strbuf *out, const struct answer *a)
{
    const char *unit = gpu_unit(a->target, &a->now);
    if (a->now.groups)
        strbuf_printf(out,
                      ngettext("  %u bytes of LDS: %u workgroup per %s, limited by: %s\n",
                               "  %u bytes of LDS: %u workgroups per %s, limited by: %s\n",
                               a->now.groups),
                      a->request.lds, a->now.groups, unit, gpu_limit(a->target, a->now.limited_by));
    else
        strbuf_printf(out, _("  %u bytes of LDS: a launch fails, not even one block fits\n"),
                      a->request.lds);
}

static void add_access(struct strbuf *out, const struct answer *a, const struct figures *f)
{
    const struct query *q = a->q;
    bool conflict = f->sum.ideal < f->sum.cycles;
    struct strbuf block = STRBUF_INIT;
    strbuf_printf(&block, "%lld", (long long)q->block[0]);
    for (int i = 1; i < 3; ++i)
        if (1 < q->block[i] || (i == 1 && 1 < q->block[2]))
            strbuf_printf(&block, " x %lld", (long long)q->block[i]);
    strbuf_printf(out,
                  f->access->write ? _("%s: writes of %u bytes, waves of %u lanes, %u banks\n")
                                   : _("%s: reads of %u bytes, waves of %u lanes, %u banks\n"),
                  a->target->name, q->bytes, a->wave, f->rule->banks);
    unsigned long long cycles = f->sum.cycles, ideal = f->sum.ideal;
    if (conflict)
        strbuf_printf(out, _("  block of %s: cycles %llu, ideal %llu, at worst %u-way conflicts\n"),
                      block.text, cycles, ideal, f->sum.worst_way);
    else
        strbuf_printf(out, _("  block of %s: cycles %llu, ideal %llu, no conflicts\n"), block.text,
                      cycles, ideal);
    strbuf_release(&block);
    if (1 < f->sum.waves)
        strbuf_printf(out, _("  wave %zu of %zu: cycles %u, ideal %u\n"), f->sum.worst_wave + 1,
                      f->sum.waves, f->cost.cycles, f->cost.ideal);
    add_phases(out, f);
    if (conflict)
        add_conflicts(out, a, f);
    add_trust(out, f);
}

static void add_text(struct strbuf *out, const struct answer *a)
{
    for (size_t i = 0; i < a->q->count; ++i)
        add_access(out, a, &a->figures[i]);
    add_room(out, a);
    add_fixes(out, a);
}

/* ---- JSON */

static json_t *json_lanes(uint64_t lanes)
{
    json_t *res = json_array();
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        json_array_append_new(res, json_integer(__builtin_ctzll(rest)));
    return res;
}

static json_t *json_phase(const struct answer *a, const struct figures *f,
                          const struct lds_phase *phase)
{
    struct lds_bank banks[LDS_MAX_BANKS];
    json_t *conflicts = json_array();
    use_banks(a, f, phase, banks);
    for (unsigned bank = 0; bank < f->rule->banks; ++bank)
        if (1 < banks[bank].words)
            json_array_append_new(conflicts, json_pack("{s:i, s:i, s:o}", "bank", (int)bank,
                                                       "words", (int)banks[bank].words, "lanes",
                                                       json_lanes(banks[bank].lanes)));
    return json_pack("{s:o, s:i, s:o}", "lanes", json_lanes(phase->active), "cycles",
                     (int)phase->cycles, "conflicts", conflicts);
}

/* The key of how many blocks fit, as `hipwright occupancy` has it. */
static const char *groups_key(const struct answer *a)
{
    return a->target->vendor == VENDOR_AMD ? "workgroups_per_cu" : "blocks_per_sm";
}

/* A better layout, or null. */
static json_t *json_fix(const struct answer *a, const struct lds_fix *fix)
{
    if (!fix->found)
        return json_null();
    struct strbuf layout = STRBUF_INIT;
    add_layout(&layout, &a->array, &fix->layout);
    const struct lds_layout *l = &fix->layout;
    unsigned times = l->mask && !l->times ? 1 : l->times;
    json_t *res = json_pack(
        "{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:I, s:I, s:I, s:I}", "layout", layout.text,
        "pad", (int)l->pad, "grow", (int)l->grow, "skew", (int)l->skew, "times", (int)times,
        "row_shift", (int)l->row_shift, "mask", (int)l->mask, "scale", (int)l->scale,
        "conflict_free", (int)fix->free, "block_cycles", (json_int_t)fix->cycles, "bytes",
        (json_int_t)(bytes_now(a) + more_bytes(a, fix)), "more_bytes",
        (json_int_t)more_bytes(a, fix), groups_key(a), (json_int_t)with_fix(a, fix).groups);
    strbuf_release(&layout);
    return res;
}

/* One access; the first keys are those of the whole answer. */
static json_t *json_access(const struct answer *a, const struct figures *f)
{
    const struct query *q = a->q;
    json_t *phases = json_array();
    for (unsigned i = 0; i < f->cost.phase_count; ++i)
        json_array_append_new(phases, json_phase(a, f, &f->cost.phases[i]));
    return json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:s, s:[I,I,I], s:i, s:i, s:o, s:i, s:i, s:i, s:I, s:I, "
        "s:i}",
        "target", a->target->name, "access", f->access->write ? "write" : "read", "bytes",
        (int)q->bytes, "element_bytes", (int)q->array.element, "wave", (int)a->wave, "banks",
        (int)f->rule->banks, "trust", lds_trust_word(f->rule->trust), "block",
        (json_int_t)q->block[0], (json_int_t)q->block[1], (json_int_t)q->block[2], "waves",
        (int)f->sum.waves, "worst_wave", (int)f->sum.worst_wave, "phases", phases, "cycles",
        (int)f->cost.cycles, "ideal_cycles", (int)f->cost.ideal, "worst_way",
        (int)f->cost.worst_way, "block_cycles", (json_int_t)f->sum.cycles, "block_ideal_cycles",
        (json_int_t)f->sum.ideal, "block_worst_way", (int)f->sum.worst_way);
}

static json_t *json_answer(const struct answer *a)
{
    json_t *res = json_access(a, &a->figures[0]);
    if (1 < a->q->count)
        json_object_set_new(res, "other", json_access(a, &a->figures[1]));
    json_object_set_new(res, "lds", json_integer(a->request.lds));
    json_object_set_new(res, groups_key(a), json_integer(a->now.groups));
    json_object_set_new(res, "limited_by", json_string(occupancy_limit_word(a->now.limited_by)));
    json_object_set_new(res, "padding", json_integer(a->layout.pad));
    json_object_set_new(res, "unpadded", json_fix(a, &a->bare));
    json_object_set_new(res, "pad", json_fix(a, &a->pad));
    json_object_set_new(res, "xor", json_fix(a, &a->swizzle));
    return res;
}

/* ---- The command */

static bool answer(const struct target *target, void *context, struct strbuf *out)
{
    struct query *q = context;
    struct answer a = {.q = q,
                       .target = target,
                       .model = (enum lds_model)target->banks,
                       .wave = q->o->request.wave ? q->o->request.wave : target_wave(target),
                       .array = q->array,
                       .layout = {.pad = q->pad}};
    if (q->bad)
        return false;
    if (a.model == LDS_UNKNOWN) {
        diag_add(q->diag, DIAG_ERROR, program, _("nothing is known of the banks of %s"),
                 target->name);
        return false;
    }
    if (!target_has_wave(target, a.wave)) {
        gpu_complain(OCCUPANCY_BAD_WAVE, target, q->o, q->diag);
        return false;
    }
    bool res = work_out(&a);
    if (res && q->o->format == FORMAT_JSON)
        json_add(out, json_answer(&a));
    else if (res)
        add_text(out, &a);
    for (size_t i = 0; i < MAX_ACCESSES; ++i) {
        free(a.figures[i].index);
        free(a.figures[i].address);
    }
    return res;
}

enum exit_status command_banks(const struct options *o)
{
    struct diag diag = DIAG_INIT;
    struct query q = {.o = o, .diag = &diag, .arena = ARENA_INIT};
    enum exit_status res = STATUS_TROUBLE;
    if (read_query(&q))
        res = gpu_answer(o, answer, &q, &diag);
    diag_flush(&diag, stderr);
    diag_release(&diag);
    arena_release(&q.arena);
    return res;
}
