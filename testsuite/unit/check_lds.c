#include <config.h>

#include "annotate/gpu/lds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/gpu/expr.h"
#include "annotate/gpu/occupancy.h"
#include "annotate/gpu/targets.h"
#include "base/arena.h"
#include "base/xalloc.h"
#include "testsuite/unit/assert.h"
#include "testsuite/unit/suite.h"

enum { BLOCK = 256 };

/* ---- The Mersenne twister MT19937, which the random patterns were made with: seeded by an array
   of one number, as the paper's init_by_array does, and drawing a number below N from the top
   bits until it is small enough. */

enum { MT_SIZE = 624, MT_MIDDLE = 397 };

struct twister {
    uint32_t state[MT_SIZE];
    int at;
};

static void twister_seed(struct twister *t, uint32_t seed)
{
    uint32_t *s = t->state;
    s[0] = 19650218;
    for (uint32_t i = 1; i < MT_SIZE; ++i)
        s[i] = 1812433253u * (s[i - 1] ^ s[i - 1] >> 30) + i;
    int i = 1;
    for (int k = 0; k < MT_SIZE; ++k) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1664525u) + seed;
        if (++i == MT_SIZE)
            s[0] = s[MT_SIZE - 1], i = 1;
    }
    for (int k = 1; k < MT_SIZE; ++k) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1566083941u) - (uint32_t)i;
        if (++i == MT_SIZE)
            s[0] = s[MT_SIZE - 1], i = 1;
    }
    s[0] = 0x80000000;
    t->at = MT_SIZE;
}

static uint32_t twister_next(struct twister *t)
{
    uint32_t *s = t->state;
    if (t->at == MT_SIZE) {
        for (int i = 0; i < MT_SIZE; ++i) {
            uint32_t y = (s[i] & 0x80000000) | (s[(i + 1) % MT_SIZE] & 0x7fffffff);
            s[i] = s[(i + MT_MIDDLE) % MT_SIZE] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
        }
        t->at = 0;
    }
    uint32_t y = s[t->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    return y ^ y >> 18;
}

static uint32_t twister_below(struct twister *t, uint32_t n)
{
    int bits = 32 - __builtin_clz(n);
    uint32_t res;
    do
        res = twister_next(t) >> (32 - bits);
    while (n <= res);
    return res;
}

/* A small generator for the properties, where only repeatability counts. */
static uint32_t seed = 1;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * below >> 32);
}

/* ---- The tables */

enum { MOST_FIELDS = 16, MACHINES = 6, MACHINE_FIELD = 6 };

struct table {
    FILE *file;
    char *line;
    size_t room;
    char *fields[MOST_FIELDS];
    int count;
};

static void table_open(struct table *table, const char *name)
{
    char path[4096];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof path, "%s/testsuite/unit/%s", srcdir ? srcdir : ".", name);
    *table = (struct table){.file = fopen(path, "r")};
    ck_assert_msg(table->file != NULL, "cannot open %s", path);
}

/* The next line that is no comment, in fields. */
static bool table_next(struct table *table)
{
    do
        if (getline(&table->line, &table->room, table->file) < 0)
            return false;
    while (*table->line == '#');
    table->line[strcspn(table->line, "\n")] = '\0';
    char *rest = table->line;
    for (table->count = 0; rest; ++table->count) {
        ck_assert_int_lt(table->count, MOST_FIELDS);
        table->fields[table->count] = strsep(&rest, "\t");
    }
    return true;
}

static void table_close(struct table *table)
{
    fclose(table->file);
    free(table->line);
}

static const char *const machines[MACHINES] = {"sm_80",  "gfx942",  "gfx950-64banks",
                                               "gfx950", "gfx1100", "gfx1201"};

/* The GPUs of the source tree, in order. */
enum { MOST_TARGETS = 64 };

static struct target_table *table;
static const struct target *gpus[MOST_TARGETS];
static size_t gpu_count;

static void add_target(const struct target *target, void *context)
{
    (void)context;
    ck_assert_uint_lt(gpu_count, MOST_TARGETS);
    gpus[gpu_count++] = target;
}

static void set_up(void)
{
    char file[4096];
    const char *srcdir = getenv("srcdir");
    struct diag diag = DIAG_INIT;
    snprintf(file, sizeof file, "%s/maps/gpus.list", srcdir ? srcdir : ".");
    table = target_table_new();
    ck_assert_msg(target_load_file(table, file, &diag), "%s", diag.text.text);
    diag_release(&diag);
    gpu_count = 0;
    target_each(table, add_target, NULL);
}

static void tear_down(void)
{
    target_table_free(table);
}

static const struct target *target_of(const char *name)
{
    const struct target *res = target_find(table, name, strlen(name));
    ck_assert_msg(res != NULL, "there is no target %s", name);
    return res;
}

static enum lds_model model(const struct target *target)
{
    return (enum lds_model)target->banks;
}

/* The addresses of a pattern for all threads of the block. */
static void pattern_addresses(const struct table *row, int64_t address[BLOCK])
{
    static const struct expr_name names[] = {{"tid", EXPR_INT}, {"bin", EXPR_INT}};
    struct arena arena = ARENA_INIT;
    struct expr_error error = {0};
    int64_t unit = atoi(row->fields[3]);
    const struct expr *index = expr_parse(row->fields[4], names, 2, &arena, &error), *active = NULL;
    ck_assert_msg(index != NULL, "%s: %s", row->fields[4], error.message);
    if (*row->fields[5]) {
        active = expr_parse(row->fields[5], names, 2, &arena, &error);
        ck_assert_msg(active != NULL, "%s: %s", row->fields[5], error.message);
    }
    struct twister random = {0};
    twister_seed(&random, 1);
    for (int64_t tid = 0; tid < BLOCK; ++tid) {
        int64_t values[] = {tid, twister_below(&random, 256)}, on = 1;
        ck_assert(!active || expr_evaluate(active, values, &on, &error));
        ck_assert(expr_evaluate(index, values, &address[tid], &error));
        address[tid] = on ? address[tid] * unit : LDS_INACTIVE;
    }
    arena_release(&arena);
}

/* The mean cost of 4000 waves at random elements of BINS, for a block. */
static void random_cost(const struct target *target, uint32_t bins, char *res, size_t size)
{
    enum { WAVES = 4000 };
    unsigned wave = target_wave(target);
    uint64_t cycles = 0, ideal = 0;
    struct twister random = {0};
    twister_seed(&random, 7);
    for (int i = 0; i < WAVES; ++i) {
        int64_t address[LDS_MAX_LANES];
        for (unsigned lane = 0; lane < wave; ++lane)
            address[lane] = 4 * (int64_t)twister_below(&random, bins);
        struct lds_cost cost = lds_cost(model(target), wave, 4, false, address);
        cycles += cost.cycles;
        ideal += cost.ideal;
    }
    double waves = (double)BLOCK / wave;
    snprintf(res, size, "- %.2f %.2f", waves * (double)cycles / WAVES,
             waves * (double)ideal / WAVES);
}

START_TEST(patterns)
{
    struct table row;
    int figures = 0;
    table_open(&row, "lds_patterns.tsv");
    while (table_next(&row)) {
        ck_assert_int_eq(row.count, MACHINE_FIELD + MACHINES);
        bool random = !strncmp(row.fields[4], "random ", 7),
             write = !strcmp(row.fields[1], "write");
        unsigned bytes = (unsigned)atoi(row.fields[2]);
        int64_t address[BLOCK];
        if (!random)
            pattern_addresses(&row, address);
        for (int i = 0; i < MACHINES; ++i, ++figures) {
            const struct target *target = target_of(machines[i]);
            char got[64];
            if (random) {
                random_cost(target, (uint32_t)atoi(row.fields[4] + 7), got, sizeof got);
            } else {
                struct lds_sum sum = lds_block_cost(model(target), target_wave(target), bytes,
                                                    write, address, BLOCK);
                snprintf(got, sizeof got, "%u %d %d", sum.worst_way, (int)sum.cycles,
                         (int)sum.ideal);
            }
            ck_assert_msg(!strcmp(got, row.fields[MACHINE_FIELD + i]), "%s on %s: %s, not %s",
                          row.fields[0], machines[i], got, row.fields[MACHINE_FIELD + i]);
        }
    }
    table_close(&row);
    ck_assert_int_eq(figures, 159 * MACHINES);
}
END_TEST

/* A tile of T columns: read down the columns, written along the rows. */
struct tile {
    struct lds_array array;
    int64_t columns[BLOCK][2];
    int64_t rows[BLOCK][2];
    struct lds_use uses[2];
};

static void tile_make(struct tile *tile, int64_t t, unsigned element)
{
    tile->array = (struct lds_array){2, {BLOCK, t}, element};
    for (int64_t tid = 0; tid < BLOCK; ++tid) {
        tile->columns[tid][0] = tile->rows[tid][1] = tid % t;
        tile->columns[tid][1] = tile->rows[tid][0] = tid / t;
    }
    tile->uses[0] = (struct lds_use){element, false, tile->columns[0], BLOCK};
    tile->uses[1] = (struct lds_use){element, true, tile->rows[0], BLOCK};
}

static double ratio(const struct target *target, const struct tile *tile,
                    const struct lds_layout *layout, int uses)
{
    uint64_t cycles = 0, ideal = 0;
    for (int i = 0; i < uses; ++i) {
        struct lds_sum sum =
            lds_use_cost(model(target), target_wave(target), &tile->array, layout, &tile->uses[i]);
        cycles += sum.cycles;
        ideal += sum.ideal;
    }
    return (double)cycles / (double)ideal;
}

static void check_ratio(const struct table *row, int field, double got)
{
    char text[32];
    snprintf(text, sizeof text, "%.2f", got);
    ck_assert_msg(!strcmp(text, row->fields[field]), "%s, %s bytes, T=%s, field %d: %s, not %s",
                  row->fields[0], row->fields[1], row->fields[2], field, text, row->fields[field]);
}

/* The best pads of 0 to 16 and what they give. */
static void check_pads(const struct table *row, int field, const struct target *target,
                       const struct tile *tile, int uses)
{
    enum { MOST = 16 };
    double best = INFINITY, all[MOST + 1];
    char text[64] = "";
    for (unsigned pad = 0; pad <= MOST; ++pad) {
        all[pad] = ratio(target, tile, &(struct lds_layout){.pad = pad}, uses);
        best = all[pad] < best ? all[pad] : best;
    }
    int smallest = -1;
    for (int pad = 0, shown = 0; pad <= MOST; ++pad)
        if (all[pad] - best < 1e-9 && shown++ < 4) {
            smallest = smallest < 0 ? pad : smallest;
            snprintf(text + strlen(text), sizeof text - strlen(text), shown == 1 ? "%d" : ",%d",
                     pad);
        }
    ck_assert_msg(!strcmp(text, row->fields[field]), "%s, %s bytes, T=%s: pads %s, not %s",
                  row->fields[0], row->fields[1], row->fields[2], text, row->fields[field]);
    check_ratio(row, field + 1, best);

    struct lds_fix fix = lds_find_pad(model(target), target_wave(target), &tile->array, tile->uses,
                                      (size_t)uses, MOST);
    ck_assert_int_eq(fix.layout.pad, smallest);
    ck_assert_int_eq(fix.found, 0 < smallest);
    ck_assert_double_eq_tol((double)fix.cycles / (double)fix.ideal, best, 1e-9);
    ck_assert_int_eq(fix.more_bytes, (int64_t)smallest * BLOCK * tile->array.element);
}

START_TEST(pads)
{
    struct table row;
    int rows = 0;
    table_open(&row, "lds_pads.tsv");
    for (; table_next(&row); ++rows) {
        ck_assert_int_eq(row.count, 11);
        const struct target *target = target_of(row.fields[0]);
        int t = atoi(row.fields[2]);
        struct tile tile;
        tile_make(&tile, t, (unsigned)atoi(row.fields[1]));
        check_ratio(&row, 3, ratio(target, &tile, &(struct lds_layout){0}, 1));
        check_ratio(&row, 4, ratio(target, &tile, &(struct lds_layout){.pad = 1}, 1));
        check_pads(&row, 5, target, &tile, 1);
        check_ratio(&row, 7, ratio(target, &tile, &(struct lds_layout){.pad = 1}, 2));
        check_pads(&row, 8, target, &tile, 2);
        check_ratio(&row, 10,
                    ratio(target, &tile, &(struct lds_layout){.mask = (unsigned)t - 1}, 1));
    }
    table_close(&row);
    ck_assert_int_eq(rows, 120);
}
END_TEST

/* ---- Properties, of every target, size of wave, width and operation */

struct subject {
    const struct target *target;
    unsigned wave;
    unsigned bytes;
    bool write;
};

static void each_subject(void (*check)(const struct subject *subject))
{
    static const unsigned widths[] = {1, 2, 4, 8, 12, 16};
    struct subject s;
    int count = 0;
    for (size_t i = 0; i < gpu_count; ++i)
        for (s.wave = 32; s.wave <= 64; s.wave += 32)
            for (size_t k = 0; k < sizeof widths / sizeof *widths; ++k)
                for (int write = 0; write < 2; ++write) {
                    s.target = gpus[i];
                    s.bytes = widths[k];
                    s.write = write;
                    if (!target_has_wave(s.target, s.wave))
                        continue;
                    check(&s);
                    ++count;
                }
    ck_assert_int_lt(400, count);
}

static struct lds_cost cost_of(const struct subject *s, const int64_t *address)
{
    return lds_cost(model(s->target), s->wave, s->bytes, s->write, address);
}

/* Random aligned addresses within RANGE bytes, some lanes inactive. */
static void any_addresses(const struct subject *s, uint32_t range, int64_t *address)
{
    unsigned unit = s->bytes == 12 ? 4 : s->bytes;
    uint32_t holes = any(3);
    for (unsigned lane = 0; lane < s->wave; ++lane)
        address[lane] = any(8) < holes ? LDS_INACTIVE : (int64_t)any(range / unit) * unit;
}

static void check_phases(const struct subject *s)
{
    uint64_t phases[LDS_MAX_PHASES], seen = 0;
    const struct lds_rule *rule = lds_find_rule(model(s->target), s->bytes, s->write);
    unsigned count = lds_phases(model(s->target), s->wave, s->bytes, s->write, phases);
    ck_assert_uint_eq(count * rule->lanes, s->wave < rule->lanes ? rule->lanes : s->wave);
    for (unsigned i = 0; i < count; ++i) {
        ck_assert_uint_eq((unsigned)__builtin_popcountll(phases[i]), rule->lanes);
        ck_assert(!(seen & phases[i]));
        seen |= phases[i];
    }
    ck_assert(seen == (s->wave == 64 ? UINT64_MAX : UINT32_MAX));
}

START_TEST(each_lane_has_a_phase)
{
    each_subject(check_phases);
}
END_TEST

static void check_bounds(const struct subject *s)
{
    for (int round = 0; round < 40; ++round) {
        int64_t address[LDS_MAX_LANES];
        any_addresses(s, 64u << any(11), address);
        struct lds_cost cost = cost_of(s, address);
        unsigned active = 0, cycles = 0;
        for (unsigned i = 0; i < cost.phase_count; ++i) {
            const struct lds_phase *p = &cost.phases[i];
            unsigned lanes = (unsigned)__builtin_popcountll(p->active);
            ck_assert_uint_le(p->cycles, lanes);
            ck_assert_int_eq(p->cycles == 0, lanes == 0);
            ck_assert_uint_le(p->cycles, cost.worst_way);
            struct lds_bank banks[LDS_MAX_BANKS];
            unsigned most = 0, count = lds_bank_use(model(s->target), s->bytes, s->write, p->active,
                                                    address, banks);
            for (unsigned bank = 0; bank < count; ++bank) {
                ck_assert_uint_le(banks[bank].words,
                                  (unsigned)__builtin_popcountll(banks[bank].lanes));
                most = most < banks[bank].words ? banks[bank].words : most;
            }
            ck_assert_uint_eq(most, p->cycles);
            ck_assert_uint_eq(banks[p->worst_bank].words, p->cycles);
            active += lanes;
            cycles += p->cycles;
        }
        ck_assert_uint_eq(cycles, cost.cycles);
        ck_assert_uint_le(cost.ideal, cost.cycles);
        ck_assert_uint_le(cost.cycles, active);
    }
}

START_TEST(cost_is_between_ideal_and_lanes)
{
    each_subject(check_bounds);
}
END_TEST

/* Exchanges addresses within the phases, at random. */
static void shuffle(const struct lds_cost *cost, unsigned wave, int64_t *address)
{
    for (unsigned a = 0; a < wave; ++a)
        for (unsigned i = 0; i < cost->phase_count; ++i) {
            unsigned b = any(wave);
            uint64_t both = UINT64_C(1) << a | UINT64_C(1) << b;
            if ((cost->phases[i].lanes & both) != both)
                continue;
            int64_t swap = address[a];
            address[a] = address[b];
            address[b] = swap;
        }
}

static void check_permutation(const struct subject *s)
{
    for (int round = 0; round < 40; ++round) {
        int64_t address[LDS_MAX_LANES];
        any_addresses(s, 64u << any(11), address);
        struct lds_cost before = cost_of(s, address);
        shuffle(&before, s->wave, address);
        struct lds_cost after = cost_of(s, address);
        ck_assert_uint_eq(before.cycles, after.cycles);
        ck_assert_uint_eq(before.ideal, after.ideal);
        for (unsigned i = 0; i < before.phase_count; ++i) {
            ck_assert_uint_eq(before.phases[i].cycles, after.phases[i].cycles);
            ck_assert_uint_eq(before.phases[i].worst_bank, after.phases[i].worst_bank);
        }
    }
}

START_TEST(lanes_of_a_phase_are_equal)
{
    each_subject(check_permutation);
}
END_TEST

static void check_broadcast(const struct subject *s)
{
    int64_t address[LDS_MAX_LANES];
    unsigned unit = s->bytes == 12 ? 4 : s->bytes;
    for (unsigned lane = 0; lane < s->wave; ++lane)
        address[lane] = (int64_t)unit * 37;
    struct lds_cost cost = cost_of(s, address);
    ck_assert_uint_eq(cost.cycles, cost.ideal);
    ck_assert_uint_eq(cost.worst_way, 1);
    /* A lane that joins another costs nothing more. */
    for (int round = 0; round < 20; ++round) {
        any_addresses(s, 4096, address);
        struct lds_cost before = cost_of(s, address);
        for (unsigned i = 0; i < before.phase_count; ++i)
            for (uint64_t rest = before.phases[i].lanes & ~before.phases[i].active; rest;
                 rest &= rest - 1)
                if (before.phases[i].active)
                    address[__builtin_ctzll(rest)] =
                        address[__builtin_ctzll(before.phases[i].active)];
        ck_assert_uint_eq(cost_of(s, address).cycles, before.cycles);
    }
}

START_TEST(broadcast_is_free)
{
    each_subject(check_broadcast);
}
END_TEST

static void check_monotony(const struct subject *s)
{
    for (int round = 0; round < 20; ++round) {
        int64_t address[LDS_MAX_LANES];
        any_addresses(s, 4096, address);
        struct lds_cost before = cost_of(s, address);
        for (unsigned lane = 0; lane < s->wave; ++lane)
            if (address[lane] != LDS_INACTIVE)
                address[lane] += 4 * LDS_MAX_BANKS * 3; /* the banks come round again */
        ck_assert_uint_eq(cost_of(s, address).cycles, before.cycles);
        for (unsigned lane = 0; lane < s->wave; ++lane)
            if (address[lane] != LDS_INACTIVE)
                address[lane] -= 4 * LDS_MAX_BANKS * 11; /* below 0 too */
        ck_assert_uint_eq(cost_of(s, address).cycles, before.cycles);
        address[any(s->wave)] = LDS_INACTIVE;
        ck_assert_uint_le(cost_of(s, address).cycles, before.cycles);
    }
    int64_t none[LDS_MAX_LANES];
    for (unsigned lane = 0; lane < s->wave; ++lane)
        none[lane] = LDS_INACTIVE;
    struct lds_cost cost = cost_of(s, none);
    ck_assert_uint_eq(cost.cycles, 0);
    ck_assert_uint_eq(cost.ideal, 0);
    ck_assert_uint_eq(cost.worst_way, 0);
}

START_TEST(fewer_lanes_never_cost_more)
{
    each_subject(check_monotony);
}
END_TEST

/* Each rule of the narrow widths gives consecutive words for nothing. */
static void check_contiguous(const struct subject *s)
{
    int64_t address[LDS_MAX_LANES];
    if (s->bytes == 12)
        return; /* in a swizzled order, lanes 20-23 meet lanes 0-3 */
    for (unsigned lane = 0; lane < s->wave; ++lane)
        address[lane] = (int64_t)lane * s->bytes;
    struct lds_cost cost = cost_of(s, address);
    ck_assert_uint_eq(cost.cycles, cost.ideal);
}

START_TEST(consecutive_elements_are_free)
{
    each_subject(check_contiguous);
}
END_TEST

/* Targets without figures of their own follow those of a sister part. */
static const char *sister_of(const char *name)
{
    static const char *const sisters[][2] = {
        {"sm_", "sm_80"},      {"gfx90", "gfx942"},  {"gfx101", "gfx1100"},
        {"gfx103", "gfx1100"}, {"gfx11", "gfx1100"}, {"gfx12", "gfx1201"},
    };
    for (size_t i = 0; i < sizeof sisters / sizeof *sisters; ++i)
        if (!strncmp(name, sisters[i][0], strlen(sisters[i][0])))
            return sisters[i][1];
    return name;
}

static void check_sister(const struct subject *s)
{
    const struct target *sister = target_of(sister_of(s->target->name));
    for (int round = 0; round < 20; ++round) {
        int64_t address[LDS_MAX_LANES];
        any_addresses(s, 64u << any(11), address);
        struct lds_cost a = cost_of(s, address);
        struct lds_cost b = lds_cost(model(sister), s->wave, s->bytes, s->write, address);
        ck_assert_uint_eq(a.cycles, b.cycles);
        ck_assert_uint_eq(a.ideal, b.ideal);
    }
}

START_TEST(sisters_are_alike)
{
    each_subject(check_sister);
}
END_TEST

START_TEST(unaligned_access_touches_one_word_more)
{
    int64_t address[LDS_MAX_LANES];
    for (int lane = 0; lane < 64; ++lane)
        address[lane] = lane * 128 + 2;
    struct lds_bank banks[LDS_MAX_BANKS];
    lds_bank_use(LDS_CDNA3, 4, false, UINT32_MAX, address, banks);
    ck_assert_uint_eq(banks[0].words, 32);
    ck_assert_uint_eq(banks[1].words, 32);
    ck_assert_uint_eq(banks[2].words, 0);
}
END_TEST

/* ---- The searches */

/* A layout is a layout: no two elements at one place, none outside of the array. */
static void check_layout(const struct lds_array *array, const struct lds_layout *layout)
{
    int64_t bytes = lds_array_bytes(array, layout), rows = array->dims == 1 ? 1 : array->size[0];
    int64_t columns = array->size[array->dims - 1], each = array->element + layout->grow;
    bool *taken = xcalloc((size_t)(bytes / each), sizeof *taken);
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
            int64_t index[2] = {array->dims == 1 ? column : row, column};
            int64_t at = lds_address(array, layout, index);
            ck_assert(0 <= at && at + each <= bytes && at % each == 0);
            ck_assert(!taken[at / each]);
            taken[at / each] = true;
        }
    free(taken);
}

START_TEST(xor_costs_nothing_and_frees_tiles)
{
    static const unsigned elements[] = {1, 2, 4, 8, 16};
    for (int m = 0; m < MACHINES; ++m)
        for (size_t e = 0; e < 5; ++e)
            for (int t = 8; t <= 64; t *= 2) {
                struct tile tile;
                const struct target *target = target_of(machines[m]);
                tile_make(&tile, t, elements[e]);
                unsigned wave = target_wave(target);
                struct lds_fix fix = lds_find_xor(model(target), wave, &tile.array, tile.uses, 2);
                ck_assert_int_eq(fix.more_bytes, 0);
                ck_assert_uint_eq(fix.cycles, fix.ideal);
                ck_assert_int_eq(fix.found, fix.free);
                check_layout(&tile.array, &fix.layout);
            }
}
END_TEST

/* A block of T x 256 / T in a square that holds its rows and its columns: a phase reads many rows
   and writes few of them, so that the low bits of a row must reach high ones of the column. */
START_TEST(xor_frees_squares)
{
    static const unsigned elements[] = {1, 2, 4, 8, 16};
    for (size_t g = 0; g < gpu_count; ++g)
        for (size_t e = 0; e < 5; ++e)
            for (int t = 8; t <= 64; t *= 2) {
                struct tile tile;
                const struct target *target = gpus[g];
                if (model(target) == LDS_CDNA4_WIDE && t < 32)
                    continue; /* none is free there, where 64 banks meet few columns */
                tile_make(&tile, t, elements[e]);
                tile.array.size[0] = tile.array.size[1] = t < 16 ? BLOCK / t : t < 64 ? 32 : 64;
                unsigned wave = target_wave(target);
                struct lds_fix fix = lds_find_xor(model(target), wave, &tile.array, tile.uses, 2);
                ck_assert_msg(fix.cycles == fix.ideal, "%s, %u bytes, T=%d", target->name,
                              elements[e], t);
                ck_assert_int_eq(fix.more_bytes, 0);
                check_layout(&tile.array, &fix.layout);
            }
}
END_TEST

/* Rows of any length: a swizzle never leaves the row. */
START_TEST(xor_stays_in_its_row)
{
    const struct target *target = target_of("gfx942");
    int found = 0;
    for (int64_t columns = 2; columns <= 72; ++columns) {
        struct lds_array array = {2, {64, columns}, 4};
        int64_t index[BLOCK][2];
        for (int64_t tid = 0; tid < BLOCK; ++tid) {
            index[tid][0] = tid % 64;
            index[tid][1] = tid / 64 % columns;
        }
        struct lds_use use = {4, false, index[0], BLOCK};
        struct lds_fix fix = lds_find_xor(model(target), 64, &array, &use, 1);
        check_layout(&array, &fix.layout);
        found += fix.found;
    }
    ck_assert_int_lt(10, found);
}
END_TEST

/* The known answers: the tile, the bytes of an access, the pad that frees it (-1: none does). */
static const struct known_pad {
    const char *target;
    unsigned element;
    int64_t t;
    int pad;
} known_pads[] = {
    {"sm_80", 4, 32, 1},  {"gfx942", 4, 32, 1},  {"gfx942", 4, 16, 2},   {"gfx942", 2, 32, 2},
    {"gfx942", 1, 32, 4}, {"sm_80", 16, 16, 1},  {"gfx942", 16, 16, 2},  {"gfx942", 16, 8, -1},
    {"gfx950", 8, 16, 2}, {"gfx950", 16, 8, 4},  {"gfx1100", 16, 8, -1}, {"gfx1201", 16, 8, 1},
    {"gfx90a", 8, 32, 1}, {"gfx1030", 4, 64, 1}, {"sm_120", 8, 16, 1},
};

START_TEST(known_answers)
{
    const struct known_pad *known = &known_pads[_i];
    struct tile tile;
    const struct target *target = target_of(known->target);
    tile_make(&tile, known->t, known->element);
    struct lds_fix fix =
        lds_find_pad(model(target), target_wave(target), &tile.array, tile.uses, 1, 32);
    ck_assert_int_eq(fix.free, 0 <= known->pad);
    if (0 <= known->pad)
        ck_assert_int_eq(fix.layout.pad, known->pad);
    check_layout(&tile.array, &fix.layout);
}
END_TEST

/* Rows of 64 halves, lane = row % 16, 8 halves at once: the fragment of a matrix product. */
START_TEST(wide_accesses_stay_whole)
{
    struct lds_array array = {2, {16, 64}, 2};
    int64_t index[BLOCK][2];
    for (int64_t tid = 0; tid < BLOCK; ++tid) {
        index[tid][0] = tid % 16;
        index[tid][1] = tid / 16 % 8 * 8;
    }
    struct lds_use use = {16, false, index[0], BLOCK};
    const struct target *amd = target_of("gfx942"), *nvidia = target_of("sm_80");
    struct lds_fix fix = lds_find_pad(model(amd), 64, &array, &use, 1, 32);
    ck_assert(fix.free);
    ck_assert_uint_eq(fix.layout.pad, 16);
    fix = lds_find_pad(model(nvidia), 32, &array, &use, 1, 32);
    ck_assert(fix.free);
    ck_assert_uint_eq(fix.layout.pad, 8);
    fix = lds_find_xor(model(amd), 64, &array, &use, 1);
    ck_assert(fix.free);
    ck_assert_uint_ge(fix.layout.scale, 3);
    check_layout(&array, &fix.layout);
    /* Rows of floats read four at a time: 1 would be free but not aligned. */
    struct lds_array floats = {2, {64, 32}, 4};
    for (int64_t tid = 0; tid < BLOCK; ++tid) {
        index[tid][0] = tid % 64;
        index[tid][1] = 0;
    }
    fix = lds_find_pad(model(amd), 64, &floats, &use, 1, 32);
    ck_assert(fix.free);
    ck_assert_uint_eq(fix.layout.pad, 4);
    ck_assert_int_eq(fix.more_bytes, 64 * 4 * 4);
    /* Two bytes at once: 3 is free, but only in an address that is odd. */
    struct lds_array bytes = {2, {8, 32}, 1};
    struct lds_use pairs = {2, false, index[0], 64};
    for (int64_t tid = 0; tid < 64; ++tid) {
        index[tid][0] = tid % 8;
        index[tid][1] = tid / 8 * 2;
    }
    fix = lds_find_pad(model(amd), 64, &bytes, &pairs, 1, 16);
    ck_assert_uint_eq(fix.layout.pad, 6);
    /* An access across the blocks of a swizzle cannot be swizzled. */
    for (int64_t tid = 0; tid < BLOCK; ++tid)
        index[tid][1] = 2;
    ck_assert(!lds_find_xor(model(amd), 64, &floats, &use, 1).found);
}
END_TEST

/* One member of structures: bytes of both, and what each structure has to grow by (0: nothing is
   to be mended) in a flat array and down the columns of a tile of 32. */
static const struct {
    const char *target;
    unsigned element, member, flat, tile, tile_pad;
} structures[] = {
    {"sm_80", 12, 4, 0, 0, 1},  {"gfx942", 12, 4, 0, 0, 1},  {"sm_80", 16, 4, 4, 4, 1},
    {"gfx942", 16, 4, 4, 4, 1}, {"gfx1100", 16, 4, 4, 4, 1}, {"gfx942", 32, 4, 4, 4, 1},
    {"gfx942", 32, 8, 8, 8, 1}, {"gfx950", 32, 8, 8, 8, 1},  {"gfx942", 24, 8, 0, 0, 1},
    {"sm_80", 20, 4, 0, 0, 1},  {"gfx1201", 64, 4, 4, 4, 1}, {"gfx942", 8, 4, 4, 4, 1},
};

static bool is_free(const struct target *target, const struct lds_array *array,
                    const struct lds_use *use, unsigned grow, unsigned pad)
{
    struct lds_sum sum = lds_use_cost(model(target), target_wave(target), array,
                                      &(struct lds_layout){.pad = pad, .grow = grow}, use);
    return sum.cycles == sum.ideal;
}

START_TEST(structures_grow)
{
    const struct target *target = target_of(structures[_i].target);
    unsigned element = structures[_i].element, member = structures[_i].member;
    int64_t index[BLOCK][2];
    for (int64_t tid = 0; tid < BLOCK; ++tid)
        (&index[0][0])[tid] = tid;
    struct lds_array flat = {1, {BLOCK}, element};
    struct lds_use use = {member, false, index[0], BLOCK};
    struct lds_fix fix = lds_find_pad(model(target), target_wave(target), &flat, &use, 1, 32);
    ck_assert_uint_eq(fix.cycles, fix.ideal);
    ck_assert_int_eq(fix.found, 0 < structures[_i].flat);
    ck_assert_uint_eq(fix.layout.grow, structures[_i].flat);
    ck_assert_int_eq(fix.more_bytes, (int64_t)fix.layout.grow * BLOCK);
    check_layout(&flat, &fix.layout);

    struct lds_array tile = {2, {BLOCK, 32}, element};
    for (int64_t tid = 0; tid < BLOCK; ++tid) {
        index[tid][0] = tid % 32;
        index[tid][1] = tid / 32;
    }
    fix = lds_find_pad(model(target), target_wave(target), &tile, &use, 1, 32);
    ck_assert(fix.free);
    ck_assert_uint_eq(fix.layout.grow, structures[_i].tile);
    ck_assert_uint_eq(fix.layout.pad, structures[_i].tile_pad);
    ck_assert(is_free(target, &tile, &use, fix.layout.grow, fix.layout.pad));
    check_layout(&tile, &fix.layout);
    /* Nothing smaller does it. */
    for (unsigned grow = 0; grow <= fix.layout.grow; grow += 4)
        for (unsigned pad = 0; pad <= 32; ++pad)
            if (grow % member == 0 && (grow < fix.layout.grow || pad < fix.layout.pad))
                ck_assert(!is_free(target, &tile, &use, grow, pad));
}
END_TEST

/* Where a whole structure is read at once nothing grows. */
START_TEST(whole_structures_stay)
{
    struct lds_array flat = {1, {4 * BLOCK}, 16};
    int64_t index[BLOCK];
    for (int64_t tid = 0; tid < BLOCK; ++tid)
        index[tid] = tid * 4;
    struct lds_use uses[] = {{16, false, index, BLOCK}, {4, false, index, BLOCK}};
    for (size_t i = 0; i < gpu_count; ++i) {
        struct lds_fix fix = lds_find_pad(model(gpus[i]), target_wave(gpus[i]), &flat, uses, 2, 32);
        ck_assert_uint_eq(fix.layout.grow, 0);
    }
}
END_TEST

START_TEST(flat_arrays_are_skewed)
{
    struct lds_array array = {1, {1024}, 4};
    int64_t index[BLOCK];
    for (int64_t tid = 0; tid < BLOCK; ++tid)
        index[tid] = tid % 32 * 32 + tid / 32;
    struct lds_use use = {4, false, index, BLOCK};
    const struct target *target = target_of("gfx942");
    struct lds_fix fix = lds_find_pad(model(target), 64, &array, &use, 1, 32);
    ck_assert(fix.free);
    ck_assert_uint_eq(fix.layout.skew, 5);
    ck_assert_int_eq(fix.more_bytes, 31 * 4);
    check_layout(&array, &fix.layout);
    ck_assert(!lds_find_xor(model(target), 64, &array, &use, 1).found);
    /* Nothing to mend, nothing found. */
    for (int64_t tid = 0; tid < BLOCK; ++tid)
        index[tid] = tid;
    fix = lds_find_pad(model(target), 64, &array, &use, 1, 32);
    ck_assert(!fix.found);
    ck_assert_uint_eq(fix.cycles, fix.ideal);
}
END_TEST

/* Every GPU has its banks, every set of rules its GPU, and a word of its own. */
START_TEST(names)
{
    bool used[LDS_MODEL_COUNT] = {false};
    for (size_t i = 0; i < gpu_count; ++i) {
        ck_assert_msg(gpus[i]->banks != LDS_UNKNOWN, "%s has no banks", gpus[i]->name);
        ck_assert_uint_lt(gpus[i]->banks, LDS_MODEL_COUNT);
        used[gpus[i]->banks] = true;
        ck_assert(target_has_wave(gpus[i], target_wave(gpus[i])));
    }
    for (int i = LDS_UNKNOWN + 1; i < LDS_MODEL_COUNT; ++i) {
        ck_assert_msg(used[i], "%s", lds_model_words[i]);
        for (int k = 0; k < i; ++k)
            ck_assert_str_ne(lds_model_words[i], lds_model_words[k]);
    }
    ck_assert_ptr_null(lds_model_words[LDS_MODEL_COUNT]);
    ck_assert(!target_has_wave(target_of("sm_80"), 64));
    ck_assert(!target_has_wave(target_of("gfx942"), 32));
    ck_assert(target_has_wave(target_of("gfx1100"), 64));
    for (unsigned bytes = 0; bytes < 20; ++bytes)
        ck_assert_int_eq(lds_is_width(bytes), bytes && strchr("\1\2\4\10\14\20", (char)bytes));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lds");
    TCase *tables = tcase_create("tables");
    tcase_set_timeout(tables, 60);
    tcase_add_checked_fixture(tables, set_up, tear_down);
    tcase_add_test(tables, patterns);
    tcase_add_test(tables, pads);
    suite_add_tcase(suite, tables);

    TCase *properties = tcase_create("properties");
    tcase_set_timeout(properties, 60);
    tcase_add_checked_fixture(properties, set_up, tear_down);
    tcase_add_test(properties, each_lane_has_a_phase);
    tcase_add_test(properties, cost_is_between_ideal_and_lanes);
    tcase_add_test(properties, lanes_of_a_phase_are_equal);
    tcase_add_test(properties, broadcast_is_free);
    tcase_add_test(properties, fewer_lanes_never_cost_more);
    tcase_add_test(properties, consecutive_elements_are_free);
    tcase_add_test(properties, sisters_are_alike);
    tcase_add_test(properties, unaligned_access_touches_one_word_more);
    tcase_add_test(properties, names);
    suite_add_tcase(suite, properties);

    TCase *searches = tcase_create("searches");
    tcase_set_timeout(searches, 60);
    tcase_add_checked_fixture(searches, set_up, tear_down);
    tcase_add_loop_test(searches, known_answers, 0, (int)(sizeof known_pads / sizeof *known_pads));
    tcase_add_test(searches, xor_costs_nothing_and_frees_tiles);
    tcase_add_test(searches, xor_frees_squares);
    tcase_add_test(searches, xor_stays_in_its_row);
    tcase_add_test(searches, wide_accesses_stay_whole);
    tcase_add_loop_test(searches, structures_grow, 0,
                        (int)(sizeof structures / sizeof *structures));
    tcase_add_test(searches, whole_structures_stay);
    tcase_add_test(searches, flat_arrays_are_skewed);
    suite_add_tcase(suite, searches);

    return run_suite(suite);
}
