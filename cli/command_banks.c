/* hipwright banks: which banks of shared memory (LDS) an access hits, and what that costs. */
#include <config.h>

#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/gpu/expr.h"
#include "annotate/gpu/lds.h"
#include "base/arena.h"
#include "base/i18n.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "cli/write.h"
#include "report/json.h"

enum {
    MAX_THREADS = 1024,
    MAX_SIZE = 1 << 20, /* of a dimension */
    MAX_BYTES = 1 << 30,
    MAX_ELEMENT = 1024,
    MAX_PAD = 32,
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

/* What was asked for. */
struct query {
    const struct options *o;
    struct diag *diag;
    struct arena arena;
    struct lds_array array;
    bool has_array; /* given by the user */
    unsigned bytes; /* of an access */
    int64_t block[3];
    size_t threads;
    struct expr_index index;
    const struct expr *condition; /* or NULL */
};

/* The answer for one target. */
struct answer {
    const struct query *q;
    const struct lds_target *target;
    const struct lds_rule *rule;
    unsigned wave;
    struct lds_array array; /* with the size that the index shows where none is given */
    int64_t *index;
    int64_t *address; /* of all threads */
    struct lds_sum sum;
    struct lds_cost cost; /* of the worst wave */
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

static bool read_expressions(struct query *q)
{
    const struct options *o = q->o;
    struct expr_error error = {0};
    if (!expr_parse_index(o->index, names, NAME_COUNT, &q->arena, &q->index, &error))
        return complain_expr("index", o->index, &error, q->diag);
    if (o->condition) {
        q->condition = expr_parse(o->condition, names, NAME_COUNT, &q->arena, &error);
        if (!q->condition)
            return complain_expr("if", o->condition, &error, q->diag);
    }
    if (!q->index.brackets || q->index.count == q->array.dims)
        return true;
    if (q->has_array)
        diag_add(q->diag, DIAG_ERROR, program,
                 _("'--index' has %u dimensions, but '--array' has %u"), q->index.count,
                 q->array.dims);
    else
        diag_add(q->diag, DIAG_ERROR, program,
                 _("an index in brackets needs '--array' with the dimensions"));
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
    if (q->has_array) {
        if (!read_sizes("array", o->array, MAX_SIZE, q->array.size, &q->array.dims, q->diag))
            return false;
        int64_t bytes = q->array.element;
        for (unsigned i = 0; i < q->array.dims && bytes <= MAX_BYTES; ++i)
            bytes *= q->array.size[i];
        if (MAX_BYTES < bytes) {
            diag_add(q->diag, DIAG_ERROR, program, _("the array is larger than any memory"));
            return false;
        }
    }
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

/* A flat index of an array of several dimensions, taken apart. */
static void take_apart(const struct lds_array *array, int64_t *index)
{
    int64_t rest = index[0];
    for (unsigned i = array->dims - 1; i; --i) {
        index[i] = rest % array->size[i];
        rest /= array->size[i];
    }
    index[0] = rest;
}

/* Says that THREAD goes to an index that is none. */
static bool complain_bounds(const struct answer *a, const int64_t *values, const int64_t *index)
{
    struct strbuf text = STRBUF_INIT;
    for (unsigned i = 0; i < a->q->index.count; ++i)
        strbuf_printf(&text, "[%lld]", (long long)index[i]);
    diag_add(a->q->diag, DIAG_ERROR, program,
             _("thread (%d,%d,%d) has the index %s, which is outside of the array"),
             (int)values[NAME_X], (int)values[NAME_Y], (int)values[NAME_Z], text.text);
    strbuf_release(&text);
    return false;
}

/* Whether INDEX and what an access reaches from there lies within the array; where its size is
   not given, whether it can. */
static bool in_bounds(const struct answer *a, const int64_t *index)
{
    static const struct lds_layout plain = {0};
    const struct query *q = a->q;
    if (!q->has_array)
        return 0 <= index[0] && index[0] < MAX_BYTES / q->array.element;
    for (unsigned i = 0; i < q->array.dims; ++i)
        if (index[i] < 0 || q->array.size[i] <= index[i])
            return false;
    return lds_address(&q->array, &plain, index) + q->bytes <= lds_array_bytes(&q->array, &plain);
}

/* The index of THREAD. */
static bool evaluate(struct answer *a, size_t thread)
{
    const struct query *q = a->q;
    int64_t values[NAME_COUNT], on = 1, *index = &a->index[thread * a->array.dims];
    int64_t shown[LDS_MAX_DIMS] = {0};
    struct expr_error error = {0};
    set_values(a, thread, values);
    if (q->condition && !expr_evaluate(q->condition, values, &on, &error))
        return complain_expr("if", q->o->condition, &error, q->diag);
    if (!on) {
        index[0] = LDS_INACTIVE;
        return true;
    }
    for (unsigned i = 0; i < q->index.count; ++i) {
        if (!expr_evaluate(q->index.at[i], values, &shown[i], &error))
            return complain_expr("index", q->o->index, &error, q->diag);
        index[i] = shown[i];
    }
    if (shown[0] < 0 || (!q->index.brackets && INT32_MAX < shown[0]))
        return complain_bounds(a, values, shown);
    if (!q->index.brackets)
        take_apart(&a->array, index);
    return in_bounds(a, index) || complain_bounds(a, values, shown);
}

/* Warns where C++ does not allow the access. */
static void check_alignment(const struct answer *a)
{
    int64_t unit = a->q->bytes == 12 ? 4 : a->q->bytes;
    for (size_t i = 0; i < a->q->threads; ++i)
        if (a->address[i] != LDS_INACTIVE && a->address[i] % unit) {
            diag_add(
                a->q->diag, DIAG_WARNING, program,
                _("%s: accesses of %u bytes must be aligned, but thread %zu goes to byte %lld"),
                lds_target_name(a->target), a->q->bytes, i, (long long)a->address[i]);
            return;
        }
}

static bool work_out(struct answer *a)
{
    static const struct lds_layout plain = {0};
    const struct query *q = a->q;
    int64_t most = 0;
    a->index = xcalloc(q->threads, sizeof *a->index * a->array.dims);
    a->address = xcalloc(q->threads, sizeof *a->address);
    for (size_t i = 0; i < q->threads; ++i) {
        if (!evaluate(a, i))
            return false;
        const int64_t *index = &a->index[i * a->array.dims];
        if (*index == LDS_INACTIVE) {
            a->address[i] = LDS_INACTIVE;
            continue;
        }
        a->address[i] = lds_address(&a->array, &plain, index);
        most = most < *index ? *index : most;
    }
    if (!q->has_array)
        a->array.size[0] = most + (q->bytes + q->array.element - 1) / q->array.element;
    check_alignment(a);
    bool write = q->o->write;
    a->sum = lds_block_cost(a->target, a->wave, q->bytes, write, a->address, q->threads);
    int64_t lanes[LDS_MAX_LANES];
    for (size_t i = 0, at = a->sum.worst_wave * a->wave; i < a->wave; ++i)
        lanes[i] = at + i < q->threads ? a->address[at + i] : LDS_INACTIVE;
    a->cost = lds_cost(a->target, a->wave, q->bytes, write, lanes);
    struct lds_use use = {q->bytes, write, a->index, q->threads};
    a->pad = lds_find_pad(a->target, a->wave, &a->array, &use, 1, MAX_PAD);
    a->swizzle = lds_find_xor(a->target, a->wave, &a->array, &use, 1);
    return true;
}

static void use_banks(const struct answer *a, const struct lds_phase *phase,
                      struct lds_bank banks[LDS_MAX_BANKS])
{
    int64_t lanes[LDS_MAX_LANES];
    for (size_t i = 0, at = a->sum.worst_wave * a->wave; i < a->wave; ++i)
        lanes[i] = at + i < a->q->threads ? a->address[at + i] : LDS_INACTIVE;
    lds_bank_use(a->target, a->q->bytes, a->q->o->write, phase->active, lanes, banks);
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

static const struct lds_phase *worst_phase(const struct answer *a)
{
    const struct lds_phase *res = a->cost.phases;
    for (unsigned i = 1; i < a->cost.phase_count; ++i)
        if (res->cycles < a->cost.phases[i].cycles)
            res = &a->cost.phases[i];
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

static void add_phases(struct strbuf *out, const struct answer *a)
{
    add_heads(out, _("phase"), _("cycles"));
    for (unsigned i = 0; i < a->cost.phase_count; ++i) {
        strbuf_printf(out, "  %5u  %6u  ", i + 1, a->cost.phases[i].cycles);
        add_lanes(out, a->cost.phases[i].active);
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
static void add_conflicts(struct strbuf *out, const struct answer *a)
{
    const struct lds_phase *phase = worst_phase(a);
    struct lds_bank banks[LDS_MAX_BANKS];
    unsigned lines = 0, shown = 0, used = 0, busy = 0;
    use_banks(a, phase, banks);
    for (unsigned bank = 0; bank < a->rule->banks; ++bank) {
        used += 0 < banks[bank].words;
        busy += 1 < banks[bank].words;
    }
    strbuf_printf(out, _("  in phase %d, %u of %u banks are used, %u of them more than once:\n"),
                  (int)(phase - a->cost.phases) + 1, used, a->rule->banks, busy);
    add_heads(out, _("bank"), _("words"));
    for (unsigned words = phase->cycles; 1 < words; --words)
        for (unsigned bank = 0; bank < a->rule->banks; ++bank) {
            if (banks[bank].words != words)
                continue;
            unsigned last = bank;
            while (last + 1 < a->rule->banks && banks[last + 1].words == words &&
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
    if (layout->row_shift)
        strbuf_printf(out, " >> %u)", layout->row_shift);
    strbuf_printf(out, " & %u)", layout->mask);
    if (layout->scale)
        strbuf_printf(out, " << %u)", layout->scale);
    strbuf_addc(out, ']');
}

static void add_fix(struct strbuf *out, const struct answer *a, const struct lds_fix *fix)
{
    static const struct lds_layout plain = {0};
    struct strbuf layout = STRBUF_INIT;
    /* A gain that nobody would change a program for is not shown. */
    if (!fix->found || (!fix->free && 3 * a->sum.cycles < 4 * fix->cycles))
        return;
    add_layout(&layout, &a->array, &fix->layout);
    long long now = (long long)lds_array_bytes(&a->array, &fix->layout);
    long long before = (long long)lds_array_bytes(&a->array, &plain);
    unsigned long long cycles = fix->cycles;
    if (fix->layout.pad && fix->free)
        strbuf_printf(out, _("  pad by %u to %s: no conflicts, %lld bytes instead of %lld\n"),
                      fix->layout.pad, layout.text, now, before);
    else if (fix->layout.pad)
        strbuf_printf(out, _("  pad by %u to %s: cycles %llu, %lld bytes instead of %lld\n"),
                      fix->layout.pad, layout.text, cycles, now, before);
    else if (fix->layout.skew && fix->free)
        strbuf_printf(out, _("  use %s: no conflicts, %lld bytes instead of %lld\n"), layout.text,
                      now, before);
    else if (fix->layout.skew)
        strbuf_printf(out, _("  use %s: cycles %llu, %lld bytes instead of %lld\n"), layout.text,
                      cycles, now, before);
    else if (fix->free)
        strbuf_printf(out, _("  use %s: no conflicts, no bytes more\n"), layout.text);
    else
        strbuf_printf(out, _("  use %s: cycles %llu, no bytes more\n"), layout.text, cycles);
    strbuf_release(&layout);
}

static void add_trust(struct strbuf *out, const struct answer *a)
{
    switch (a->rule->trust) {
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

static void add_text(struct strbuf *out, const struct answer *a)
{
    const struct query *q = a->q;
    bool conflict = a->sum.ideal < a->sum.cycles;
    struct strbuf block = STRBUF_INIT;
    strbuf_printf(&block, "%lld", (long long)q->block[0]);
    for (int i = 1; i < 3; ++i)
        if (1 < q->block[i] || (i == 1 && 1 < q->block[2]))
            strbuf_printf(&block, " x %lld", (long long)q->block[i]);
    strbuf_printf(out,
                  q->o->write ? _("%s: writes of %u bytes, waves of %u lanes, %u banks\n")
                              : _("%s: reads of %u bytes, waves of %u lanes, %u banks\n"),
                  lds_target_name(a->target), q->bytes, a->wave, a->rule->banks);
    unsigned long long cycles = a->sum.cycles, ideal = a->sum.ideal;
    if (conflict)
        strbuf_printf(out, _("  block of %s: cycles %llu, ideal %llu, at worst %u-way conflicts\n"),
                      block.text, cycles, ideal, a->sum.worst_way);
    else
        strbuf_printf(out, _("  block of %s: cycles %llu, ideal %llu, no conflicts\n"), block.text,
                      cycles, ideal);
    strbuf_release(&block);
    if (1 < a->sum.waves)
        strbuf_printf(out, _("  wave %zu of %zu: cycles %u, ideal %u\n"), a->sum.worst_wave + 1,
                      a->sum.waves, a->cost.cycles, a->cost.ideal);
    add_phases(out, a);
    if (conflict) {
        add_conflicts(out, a);
        add_fix(out, a, &a->pad);
        add_fix(out, a, &a->swizzle);
        if (!a->pad.found && !a->swizzle.found && !q->has_array)
            strbuf_adds(out, _("  with '--array' a better layout would be looked for\n"));
        else if (!a->pad.found && !a->swizzle.found)
            strbuf_adds(out, _("  neither padding nor an XOR helps\n"));
    }
    add_trust(out, a);
}

/* ---- JSON */

static json_t *json_lanes(uint64_t lanes)
{
    json_t *res = json_array();
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        json_array_append_new(res, json_integer(__builtin_ctzll(rest)));
    return res;
}

static json_t *json_phase(const struct answer *a, const struct lds_phase *phase)
{
    struct lds_bank banks[LDS_MAX_BANKS];
    json_t *conflicts = json_array();
    use_banks(a, phase, banks);
    for (unsigned bank = 0; bank < a->rule->banks; ++bank)
        if (1 < banks[bank].words)
            json_array_append_new(conflicts, json_pack("{s:i, s:i, s:o}", "bank", (int)bank,
                                                       "words", (int)banks[bank].words, "lanes",
                                                       json_lanes(banks[bank].lanes)));
    return json_pack("{s:o, s:i, s:o}", "lanes", json_lanes(phase->active), "cycles",
                     (int)phase->cycles, "conflicts", conflicts);
}

/* A better layout, or null. */
static json_t *json_fix(const struct answer *a, const struct lds_fix *fix)
{
    if (!fix->found)
        return json_null();
    struct strbuf layout = STRBUF_INIT;
    add_layout(&layout, &a->array, &fix->layout);
    json_t *res = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:b, s:I, s:I, s:I}", "layout",
                            layout.text, "pad", (int)fix->layout.pad, "skew", (int)fix->layout.skew,
                            "row_shift", (int)fix->layout.row_shift, "mask", (int)fix->layout.mask,
                            "scale", (int)fix->layout.scale, "conflict_free", (int)fix->free,
                            "block_cycles", (json_int_t)fix->cycles, "bytes",
                            (json_int_t)lds_array_bytes(&a->array, &fix->layout), "more_bytes",
                            (json_int_t)fix->more_bytes);
    strbuf_release(&layout);
    return res;
}

static json_t *json_answer(const struct answer *a)
{
    const struct query *q = a->q;
    json_t *phases = json_array();
    for (unsigned i = 0; i < a->cost.phase_count; ++i)
        json_array_append_new(phases, json_phase(a, &a->cost.phases[i]));
    return json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:s, s:[I,I,I], s:i, s:i, s:o, s:i, s:i, s:i, s:I, s:I, "
        "s:i, s:o, s:o}",
        "target", lds_target_name(a->target), "access", q->o->write ? "write" : "read", "bytes",
        (int)q->bytes, "element_bytes", (int)q->array.element, "wave", (int)a->wave, "banks",
        (int)a->rule->banks, "trust", lds_trust_word(a->rule->trust), "block",
        (json_int_t)q->block[0], (json_int_t)q->block[1], (json_int_t)q->block[2], "waves",
        (int)a->sum.waves, "worst_wave", (int)a->sum.worst_wave, "phases", phases, "cycles",
        (int)a->cost.cycles, "ideal_cycles", (int)a->cost.ideal, "worst_way",
        (int)a->cost.worst_way, "block_cycles", (json_int_t)a->sum.cycles, "block_ideal_cycles",
        (json_int_t)a->sum.ideal, "block_worst_way", (int)a->sum.worst_way, "pad",
        json_fix(a, &a->pad), "xor", json_fix(a, &a->swizzle));
}

/* ---- The command */

static bool complain_target(const char *name, size_t len, struct diag *diag)
{
    struct strbuf list = STRBUF_INIT;
    for (size_t i = 0; lds_get_target(i); ++i)
        strbuf_printf(&list, i ? ", %s" : "%s", lds_target_name(lds_get_target(i)));
    diag_add(diag, DIAG_ERROR, program, _("unknown target '%.*s'; known are: %s"), (int)len, name,
             list.text);
    strbuf_release(&list);
    return false;
}

/* Appends the answer for the target NAME (LEN bytes). */
static bool answer_target(const struct query *q, const char *name, size_t len, struct strbuf *out)
{
    struct answer a = {.q = q, .array = q->array};
    char *copy = strndup(name, len);
    if (!copy)
        xalloc_die();
    a.target = lds_find_target(copy);
    free(copy);
    if (!a.target)
        return complain_target(name, len, q->diag);
    a.wave = q->o->request.wave ? q->o->request.wave : lds_target_wave(a.target);
    if (!lds_target_has_wave(a.target, a.wave)) {
        diag_add(q->diag, DIAG_ERROR, program, _("%s has no waves of %u lanes"),
                 lds_target_name(a.target), a.wave);
        return false;
    }
    a.rule = lds_find_rule(a.target, q->bytes, q->o->write);
    bool res = work_out(&a);
    if (res && q->o->format == FORMAT_JSON)
        json_add(out, json_answer(&a));
    else if (res)
        add_text(out, &a);
    free(a.index);
    free(a.address);
    return res;
}

enum exit_status command_banks(const struct options *o)
{
    struct diag diag = DIAG_INIT;
    struct strbuf out = STRBUF_INIT;
    struct query q = {.o = o, .diag = &diag, .arena = ARENA_INIT};
    const char *targets = o->target ? o->target : "sm_80,gfx942";
    bool json = o->format == FORMAT_JSON, several = strchr(targets, ',') != NULL;
    bool good = read_query(&q);
    for (const char *name = targets; good && name;) {
        size_t len = strcspn(name, ",");
        if (json)
            strbuf_adds(&out, !several ? "" : out.len ? ",\n" : "[");
        else if (out.len)
            strbuf_addc(&out, '\n');
        good = answer_target(&q, name, len, &out);
        name = name[len] ? name + len + 1 : NULL;
    }
    if (json)
        strbuf_adds(&out, several ? "]\n" : "\n");
    /* Nothing rather than a part: a script must not take one target's figures for all. */
    if (!good || !write_stdout(out.text, out.len, &diag))
        good = false;
    diag_flush(&diag, stderr);
    diag_release(&diag);
    strbuf_release(&out);
    arena_release(&q.arena);
    return good ? STATUS_OK : STATUS_TROUBLE;
}
