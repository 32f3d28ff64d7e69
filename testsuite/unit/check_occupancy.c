#include <config.h>

#include "annotate/gpu/occupancy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/gpu/targets.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "testsuite/unit/assert.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

/* The list of the source tree. */
static struct target_table *table;

/* A table of one small file, and what loading it said. */
static struct target_table *small;
static struct diag said;
static char small_file[64];

static bool load_text(const char *text, size_t len)
{
    write_text(small_file, text, len);
    bool res = target_load_file(small, small_file, &said);
    ck_assert_int_eq(unlink(small_file), 0);
    return res;
}

static void set_up(void)
{
    char file[4096];
    const char *srcdir = getenv("srcdir");
    struct diag diag = DIAG_INIT;
    snprintf(file, sizeof file, "%s/maps/gpus.list", srcdir ? srcdir : ".");
    table = target_table_new();
    ck_assert_msg(target_load_file(table, file, &diag), "%s", diag.text.text ? diag.text.text : "");
    diag_release(&diag);
    small = target_table_new();
    said = (struct diag)DIAG_INIT;
    snprintf(small_file, sizeof small_file, "check_occupancy-%ld.list", (long)getpid());
}

static void tear_down(void)
{
    target_table_free(table);
    target_table_free(small);
    diag_release(&said);
}

static const struct target *get(const char *name)
{
    const struct target *res = target_find(table, name, strlen(name));
    ck_assert_msg(res != NULL, "%s", name);
    return res;
}

static struct occupancy compute(const char *name, struct occupancy_request request)
{
    struct occupancy res;
    ck_assert_int_eq(occupancy_compute(get(name), &request, &res), OCCUPANCY_OK);
    return res;
}

/* ---- the table */

static const char *const all_targets[] = {
    "gfx900",  "gfx906",  "gfx908",  "gfx90a",  "gfx942",  "gfx950",  "gfx950-64banks", "gfx1010",
    "gfx1030", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151",        "gfx1152",
    "gfx1200", "gfx1201", "sm_70",   "sm_72",   "sm_75",   "sm_80",   "sm_86",          "sm_87",
    "sm_89",   "sm_90",   "sm_100",  "sm_103",  "sm_120",  "sm_121",
};

enum { ALL_TARGETS = sizeof all_targets / sizeof *all_targets };

static void count_target(const struct target *target, void *context)
{
    ++*(size_t *)context;
    ck_assert_uint_eq(target->max_block, 1024);
    ck_assert_ptr_nonnull(target->source);
    ck_assert_int_eq(target->vendor == VENDOR_NVIDIA, target->name[0] == 's');
}

START_TEST(knows_all_targets)
{
    size_t count = 0;
    target_each(table, count_target, &count);
    ck_assert_uint_eq(count, ALL_TARGETS);
    for (int i = 0; i < ALL_TARGETS; ++i)
        ck_assert_str_eq(get(all_targets[i])->name, all_targets[i]);
    ck_assert_str_eq(get("gfx90a:sramecc+:xnack-")->name, "gfx90a");
    ck_assert_str_eq(get("sm_90a")->name, "sm_90");
    ck_assert_str_eq(get("sm_120f")->name, "sm_120");
    ck_assert_str_eq(get("MI325X")->name, "gfx942");
    ck_assert_str_eq(get("mi250")->name, "gfx90a");
    ck_assert_str_eq(get("RX 7900 XT")->name, "gfx1100");
    static const char *const unknown[] = {
        "",        "gfx9", "gfx94", "gfx942a", "sm_",   "sm_90ab", "sm_9a", "SM_90",
        ":gfx942", " ",    "MI",    "MI300",   "(304)", "304",     ",",     "MI300X:xnack+"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i)
        ck_assert_ptr_null(target_find(table, unknown[i], strlen(unknown[i])));
    ck_assert_int_eq(target_wave_index(get("gfx942"), 64), 0);
    ck_assert_int_eq(target_wave_index(get("gfx942"), 32), -1);
    ck_assert_int_eq(target_wave_index(get("gfx1100"), 64), 1);
    ck_assert_int_eq(target_wave_index(get("gfx942"), 0), -1);
}
END_TEST

/* Every key that a record names is explained in the README beside it. */
static void check_sources(const struct target *target, void *readme)
{
    for (const char *key = target->source; *key;) {
        size_t len = strcspn(key, " ");
        char line[96];
        snprintf(line, sizeof line, "\n  gpu source %.*s: ", (int)len, key);
        bool unchecked = len == 9 && memcmp(key, "unchecked", len) == 0;
        ck_assert_msg(unchecked || strstr(readme, line) != NULL, "%s: source %.*s", target->name,
                      (int)len, key);
        key += len;
        key += strspn(key, " ");
    }
}

START_TEST(sources_are_explained)
{
    char file[4096];
    const char *srcdir = getenv("srcdir");
    snprintf(file, sizeof file, "%s/maps/README", srcdir ? srcdir : ".");
    FILE *in = fopen(file, "rb");
    ck_assert_ptr_nonnull(in);
    struct strbuf text = STRBUF_INIT;
    for (int c; (c = getc(in)) != EOF;)
        strbuf_addc(&text, (char)c);
    fclose(in);
    target_each(table, check_sources, text.text);
    strbuf_release(&text);
}
END_TEST

START_TEST(reads_records)
{
    static const char text[] =
        "# mine\n\ntarget mine\r\nlike theirs\narchitecture X\nsource own\n\n";
    static const char theirs[] =
        "target theirs\nvendor nvidia\narchitecture Y\nproducts P\nmax-block 512\nwarp 32\n"
        "partitions 2\nwarps 16\nblocks 8\nregisters 1000\nregister-granule 64\n"
        "max-registers 100\nshared 4096\nmax-shared 2048\ndefault-shared 1024\n"
        "shared-granule 128\nsource own";
    ck_assert_msg(load_text(theirs, sizeof theirs - 1), "%s", said.text.text);
    ck_assert_msg(load_text(text, sizeof text - 1), "%s", said.text.text);
    const struct target *mine = target_find(small, "mine", 4);
    ck_assert_ptr_nonnull(mine);
    ck_assert_str_eq(mine->architecture, "X");
    ck_assert_ptr_null(mine->products);
    ck_assert_uint_eq(mine->nvidia.shared_granule, 128);
    ck_assert_uint_eq(mine->nvidia.reserved_shared, 0);
    ck_assert_uint_eq(target_find(small, "theirs", 6)->max_block, 512);
    /* A later file replaces a target and leaves the others. */
    static const char again[] = "target theirs\nlike mine\nmax-block 256\nsource other\n";
    ck_assert_msg(load_text(again, sizeof again - 1), "%s", said.text.text);
    ck_assert_uint_eq(target_find(small, "theirs", 6)->max_block, 256);
    ck_assert_uint_eq(target_find(small, "mine", 4)->max_block, 512);
    struct occupancy o;
    struct occupancy_request request = {.block = 256, .vgprs = 20, .lds = 1};
    ck_assert_int_eq(occupancy_compute(mine, &request, &o), OCCUPANCY_OK);
    ck_assert_uint_eq(o.groups, 0); /* 8 warps of 640 registers, and there are 1000 */
}
END_TEST

#define RECORD                                                                                \
    "target t\nvendor amd\narchitecture a\nsource s\nmax-block 1024\nwaves 64\nsimds 4\n"     \
    "max-waves 8\nruntime-waves 8\nvgpr-granule 8\nmax-vgprs 256\nlds 65536\nmax-lds 65536\n" \
    "lds-granule 512\nbarriers 16\n"

static const struct {
    const char *text, *message;
    unsigned line;
} bad_texts[] = {
    {"vendor amd\n", "a line before 'target'", 1},
    {RECORD, "t has no line 'vgprs'", 1},
    {RECORD "vgprs 512\ntarget u\n", "without an empty line", 17},
    {RECORD "vgprs 512\n\ntarget t\n", "already described in line 1", 18},
    {RECORD "vgprs 512\nwarp 32\n", "'warp' is not for this vendor", 1},
    {RECORD "vgprs 512 256\n", "want as many numbers", 1},
    {RECORD "vgprs 512\n\ntarget u\nlike t\nwaves 48\nsource s\narchitecture a\n",
     "u: a wave or warp has 32 or 64 lanes", 18},
    {RECORD "vgprs 512\nbanks red\n", "'red' is not what 'banks' can be", 17},
    {RECORD "vgprs 512\nsgpr-steps 80\n", "wants three numbers", 1},
    {RECORD "vgprs 512\nsimds 4\n", "two lines 'simds'", 17},
    {"target t\nvgprs 512 x\n", "is not what 'vgprs' can be", 2},
    {"target t\nvgprs 1 2 3\n", "is not what 'vgprs' can be", 2},
    {"target t\nvgprs -1\n", "is not what 'vgprs' can be", 2},
    {"target t\nvgprs 0\n", "is not what 'vgprs' can be", 2},
    {"target t\nsimds 5000\n", "is not what 'simds' can be", 2},
    {"target t\nl2 99999999999999999999\n", "is not what 'l2' can be", 2},
    {"target t\nvendor arm\n", "'arm' is not what 'vendor' can be", 2},
    {"target t\nvendor\n", "'vendor' wants a value", 2},
    {"target t\ncolour red\n", "begins no line of a target", 2},
    {"target t\nlike t\n", "no target 't' before", 2},
    {"target t\nlike u\n", "no target 'u' before", 2},
    {RECORD "vgprs 512\n\ntarget u\nl2 1\nlike t\n", "must be the first line", 20},
};

START_TEST(complains_of_bad_lines)
{
    ck_assert(!load_text(bad_texts[_i].text, strlen(bad_texts[_i].text)));
    ck_assert_uint_lt(0, said.errors);
    ck_assert_msg(strstr(said.text.text, bad_texts[_i].message) != NULL, "%s", said.text.text);
    char place[96];
    snprintf(place, sizeof place, "%s:%u: error: ", small_file, bad_texts[_i].line);
    ck_assert_msg(strncmp(said.text.text, place, strlen(place)) == 0, "%s", said.text.text);
}
END_TEST

START_TEST(complains_of_files)
{
    ck_assert(!target_load_file(small, "no/such/file.list", &said));
    ck_assert(!target_load_file(small, ".", &said));
    ck_assert_uint_eq(said.errors, 2);
    ck_assert(!load_text("target\0A\n", 9));
    ck_assert(load_text("", 0));
    struct strbuf text = STRBUF_INIT;
    for (int i = 0; i < 1000; ++i)
        strbuf_adds(&text, "x y\n");
    unsigned before = said.errors;
    ck_assert(!load_text(text.text, text.len));
    ck_assert_uint_lt(said.errors, before + 50);
    strbuf_release(&text);
}
END_TEST

/* ---- figures that were measured or written down by others */

static const struct {
    const char *target;
    struct occupancy_request request;
    unsigned groups, waves, compiler; /* compiler: AMD only */
    enum occupancy_limit by;
    unsigned differences;
} known[] = {
    /* Registers and nothing else: clang 19, kernels without bounds have 1024 threads. */
    {"gfx906", {.block = 1024, .vgprs = 24}, 2, 32, 8, LIMIT_WAVES, 0},
    {"gfx906", {.block = 1024, .vgprs = 64}, 1, 16, 4, LIMIT_VGPRS, 0},
    {"gfx906", {.block = 64, .vgprs = 24}, 40, 40, 10, LIMIT_WAVES, 0},
    {"gfx906", {.block = 64, .vgprs = 25}, 36, 36, 9, LIMIT_VGPRS, 0},
    {"gfx942", {.block = 256, .vgprs = 64}, 8, 32, 8, LIMIT_WAVES, 0},
    {"gfx942", {.block = 256, .vgprs = 65}, 7, 28, 7, LIMIT_VGPRS, 0},
    {"gfx942", {.block = 1024, .vgprs = 100}, 1, 16, 4, LIMIT_VGPRS, 0},
    {"gfx942", {.block = 1024, .vgprs = 200}, 0, 0, 2, LIMIT_VGPRS, DIFFERS_WHOLE_GROUPS},
    {"gfx1100", {.block = 1024, .vgprs = 100}, 1, 32, 12, LIMIT_VGPRS, DIFFERS_WHOLE_GROUPS},
    {"gfx1100", {.block = 256, .vgprs = 96}, 8, 64, 16, LIMIT_WAVES, 0},
    {"gfx1100", {.block = 256, .vgprs = 97}, 6, 48, 12, LIMIT_VGPRS, 0},
    {"gfx1030", {.block = 256, .vgprs = 64}, 8, 64, 16, LIMIT_WAVES, 0},
    {"gfx1010", {.block = 64, .vgprs = 48}, 32, 64, 16, LIMIT_WORKGROUPS, 0},
    /* Accumulation registers: the sum, the arch part rounded up to 4; on gfx908 the larger. */
    {"gfx90a", {.block = 256, .vgprs = 33, .agprs = 28}, 8, 32, 8, LIMIT_WAVES, 0},
    {"gfx90a", {.block = 256, .vgprs = 33, .agprs = 29}, 7, 28, 7, LIMIT_VGPRS, 0},
    {"gfx908", {.block = 256, .vgprs = 64, .agprs = 64}, 4, 16, 4, LIMIT_VGPRS, 0},
    /* SGPRs. */
    {"gfx906", {.block = 64, .sgprs = 80}, 40, 40, 10, LIMIT_WAVES, 0},
    {"gfx906", {.block = 64, .sgprs = 81}, 36, 36, 9, LIMIT_SGPRS, 0},
    {"gfx906", {.block = 64, .sgprs = 101}, 28, 28, 7, LIMIT_SGPRS, 0},
    {"gfx942", {.block = 256, .sgprs = 101}, 7, 28, 7, LIMIT_SGPRS, 0},
    {"gfx1100", {.block = 256, .sgprs = 106}, 8, 64, 16, LIMIT_WAVES, 0},
    /* The differences, each by itself. */
    {"gfx942", {.block = 1024, .vgprs = 84}, 1, 16, 5, LIMIT_VGPRS, DIFFERS_WHOLE_GROUPS},
    {"gfx942", {.block = 256, .lds = 21845}, 2, 8, 3, LIMIT_LDS, DIFFERS_LDS_GRANULE},
    {"gfx1100", {.block = 64, .lds = 8193}, 14, 28, 8, LIMIT_LDS, DIFFERS_LDS_GRANULE},
    {"gfx1010", {.block = 64, .lds = 8193}, 15, 30, 8, LIMIT_LDS, DIFFERS_WHOLE_GROUPS},
    {"gfx942", {.block = 64, .lds = 65536}, 1, 1, 1, LIMIT_LDS, DIFFERS_WHOLE_GROUPS},
    {"gfx942", {.block = 256, .lds = 65537}, 0, 0, 1, LIMIT_LDS, DIFFERS_WHOLE_GROUPS},
    /* 131072 / 5120 = 25, but the SIMDs hold 16 workgroups of four waves only. */
    {"gfx1100", {.block = 128, .lds = 4097}, 16, 64, 16, LIMIT_WAVES, 0},
    /* LDS of RDNA: 128 KiB for a WGP, 64 KiB for a CU and for one workgroup. */
    {"gfx1100", {.block = 256, .lds = 32768}, 4, 32, 8, LIMIT_LDS, 0},
    {"gfx1100", {.block = 256, .lds = 32768, .cu_mode = true}, 2, 16, 8, LIMIT_LDS, 0},
    {"gfx950", {.block = 256, .lds = 65536}, 2, 8, 2, LIMIT_LDS, 0},
    /* Blocks of a part of a wave take a whole one. */
    {"gfx942", {.block = 96}, 16, 32, 8, LIMIT_WAVES, 0},
    {"gfx942", {.block = 32}, 32, 32, 8, LIMIT_WAVES, 0},
    {"gfx942", {.block = 384}, 5, 30, 8, LIMIT_WAVES, DIFFERS_WHOLE_GROUPS},
    /* wave64 on RDNA: half the registers of twice the width. */
    {"gfx1100", {.block = 256, .vgprs = 100, .wave = 64}, 7, 28, 7, LIMIT_VGPRS, 0},
    /* NVIDIA: cuda_occupancy.h of CUDA 13.0. */
    {"sm_80", {.block = 256, .vgprs = 32}, 8, 64, 0, LIMIT_WAVES, 0},
    {"sm_80", {.block = 256, .vgprs = 33}, 6, 48, 0, LIMIT_VGPRS, 0},
    {"sm_80", {.block = 1024, .vgprs = 64}, 1, 32, 0, LIMIT_VGPRS, 0},
    {"sm_80", {.block = 1024, .vgprs = 65}, 0, 0, 0, LIMIT_VGPRS, 0},
    {"sm_80", {.block = 32}, 32, 32, 0, LIMIT_WORKGROUPS, 0},
    {"sm_80", {.block = 256, .lds = 49152}, 3, 24, 0, LIMIT_LDS, 0},
    {"sm_80", {.block = 256, .lds = 166912}, 1, 8, 0, LIMIT_LDS, 0},
    {"sm_80", {.block = 256, .lds = 166913}, 0, 0, 0, LIMIT_LDS, 0},
    {"sm_70", {.block = 32, .vgprs = 1, .lds = 8192}, 12, 12, 0, LIMIT_LDS, 0},
    {"sm_75", {.block = 1024}, 1, 32, 0, LIMIT_WAVES, 0},
    {"sm_86", {.block = 1024, .vgprs = 40}, 1, 32, 0, LIMIT_WAVES, 0},
};

START_TEST(gives_known_figures)
{
    const char *name = known[_i].target;
    struct occupancy o = compute(name, known[_i].request);
    ck_assert_msg(o.groups == known[_i].groups && o.waves == known[_i].waves &&
                      o.limited_by == known[_i].by && o.compiler_waves == known[_i].compiler &&
                      o.differences == known[_i].differences,
                  "%s, row %d: %u groups, %u waves, by %s, compiler %u, differences %u", name, _i,
                  o.groups, o.waves, occupancy_limit_word(o.limited_by), o.compiler_waves,
                  o.differences);
}
END_TEST

/* Launch bounds: (T, m) of CUDA, what is to be written for HIP, and whether m blocks can be. */
static const struct {
    const char *target;
    bool cu_mode;
    unsigned block, blocks, exact, waves, implied;
    bool possible;
} bounds[] = {
    {"gfx942", false, 64, 8, 2, 2, 1, true},       {"gfx942", false, 64, 16, 4, 4, 1, true},
    {"gfx942", false, 128, 4, 2, 2, 1, true},      {"gfx942", false, 256, 3, 3, 3, 1, true},
    {"gfx942", false, 512, 2, 4, 4, 2, true},      {"gfx942", false, 1024, 1, 4, 4, 4, true},
    {"gfx942", false, 1024, 2, 8, 8, 4, true},     {"gfx942", false, 1024, 3, 12, 8, 4, false},
    {"gfx942", false, 64, 1, 1, 1, 1, true},       {"gfx942", false, 96, 4, 2, 2, 1, true},
    {"gfx906", false, 1024, 2, 8, 8, 4, true},     {"gfx906", false, 256, 10, 10, 10, 1, true},
    {"gfx1100", false, 128, 6, 6, 6, 1, true},     {"gfx1100", false, 256, 4, 8, 8, 2, true},
    {"gfx1100", true, 256, 4, 16, 16, 4, true},    {"gfx1100", true, 256, 5, 20, 16, 4, false},
    {"gfx1100", true, 1024, 2, 32, 16, 16, false}, {"gfx1010", false, 512, 5, 20, 20, 4, true},
    {"gfx942", false, 256, 0, 0, 0, 1, true},
};

START_TEST(converts_launch_bounds)
{
    struct converted_bounds res;
    struct occupancy_request request = {.block = bounds[_i].block, .cu_mode = bounds[_i].cu_mode};
    const struct target *target = get(bounds[_i].target);
    ck_assert_int_eq(occupancy_bounds(target, &request, bounds[_i].blocks, &res), OCCUPANCY_OK);
    ck_assert_uint_eq(res.exact, bounds[_i].exact);
    ck_assert_uint_eq(res.waves, bounds[_i].waves);
    ck_assert_uint_eq(res.implied, bounds[_i].implied);
    ck_assert_int_eq(res.possible, bounds[_i].possible);
    /* And back: the bound has room for as many blocks as were asked for. */
    struct occupancy o;
    ck_assert_int_eq(occupancy_compute(target, &request, &o), OCCUPANCY_OK);
    if (res.possible)
        ck_assert_uint_le(bounds[_i].blocks, occupancy_blocks_of_waves(&o, res.waves));
    /* A kernel that wants all registers is cut down to what leaves room for them. */
    request.vgprs = 256;
    request.min_waves = res.waves;
    ck_assert_int_eq(occupancy_compute(target, &request, &o), OCCUPANCY_OK);
    if (res.possible && bounds[_i].blocks)
        ck_assert_uint_le(bounds[_i].blocks, o.groups);
}
END_TEST

/* Registers that __launch_bounds__ leaves: the widest use that clang 19 made of them is at most
   one less. */
static const struct {
    const char *target;
    unsigned block, waves, vgprs, room;
} rooms[] = {
    {"gfx942", 64, 8, 600, 64},     {"gfx942", 512, 4, 600, 128}, {"gfx942", 1024, 1, 600, 128},
    {"gfx942", 256, 2, 600, 256},   {"gfx942", 256, 1, 600, 512}, {"gfx906", 64, 3, 300, 84},
    {"gfx906", 64, 4, 300, 64},     {"gfx1100", 64, 16, 300, 96}, {"gfx1100", 1024, 1, 300, 192},
    {"gfx1030", 1024, 1, 300, 128}, {"gfx1030", 64, 16, 300, 64}, {"gfx1100", 64, 7, 300, 216},
};

START_TEST(min_waves_leave_registers)
{
    struct occupancy_request request = {
        .block = rooms[_i].block, .vgprs = rooms[_i].vgprs, .min_waves = rooms[_i].waves};
    struct occupancy o = compute(rooms[_i].target, request);
    ck_assert_uint_eq(o.vgprs, rooms[_i].room);
    ck_assert_uint_eq(o.spilled, rooms[_i].vgprs - rooms[_i].room);
    ck_assert_uint_le(rooms[_i].waves, o.compiler_waves);
    ck_assert(!o.ignored);
    request.min_waves = 21;
    ck_assert(compute(rooms[_i].target, request).ignored);
}
END_TEST

/* The same (T, m) buys different numbers of registers; the powers of two are exact. */
START_TEST(registers_of_blocks)
{
    static const struct {
        const char *target;
        unsigned file, most;
    } rows[] = {
        {"sm_80", 65536, 255},    {"sm_90", 65536, 255},    {"gfx90a", 131072, 512},
        {"gfx942", 131072, 512},  {"gfx906", 65536, 256},   {"gfx1030", 131072, 256},
        {"gfx1100", 196608, 256}, {"gfx1201", 196608, 256},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        for (unsigned block = 256; block <= 1024; block *= 2)
            for (unsigned groups = 1; groups * block <= 2048; groups *= 2) {
                struct occupancy_request request = {.block = block};
                unsigned want = rows[i].file / (groups * block);
                ck_assert_uint_eq(
                    occupancy_budget(get(rows[i].target), &request, LIMIT_VGPRS, groups),
                    want < rows[i].most ? want : rows[i].most);
            }
    struct occupancy_request request = {.block = 256};
    ck_assert_uint_eq(occupancy_budget(get("gfx942"), &request, LIMIT_LDS, 3), 21504);
    ck_assert_uint_eq(occupancy_budget(get("sm_80"), &request, LIMIT_LDS, 2), 82944);
    ck_assert_uint_eq(occupancy_budget(get("gfx942"), &request, LIMIT_VGPRS, 9), 0);
    ck_assert_uint_eq(occupancy_budget(get("gfx942"), &request, LIMIT_WAVES, 1), 0);
}
END_TEST

START_TEST(finds_next_steps)
{
    struct occupancy o;
    struct occupancy_request request = {.block = 256, .vgprs = 100, .lds = 16384};
    ck_assert_uint_eq(occupancy_step(get("gfx942"), &request, LIMIT_VGPRS, &o), 0);
    ck_assert_uint_eq(occupancy_step(get("gfx942"), &request, LIMIT_LDS, &o), 0);
    request.lds = 8192;
    ck_assert_uint_eq(occupancy_step(get("gfx942"), &request, LIMIT_VGPRS, &o), 96);
    ck_assert_uint_eq(o.groups, 5);
    request.vgprs = 64;
    request.lds = 20000;
    ck_assert_uint_eq(occupancy_step(get("gfx942"), &request, LIMIT_LDS, &o), 16384);
    ck_assert_uint_eq(o.groups, 4);
    ck_assert_uint_eq(occupancy_step(get("gfx942"), &request, LIMIT_WAVES, &o), 0);
    request = (struct occupancy_request){.block = 256, .vgprs = 33};
    ck_assert_uint_eq(occupancy_step(get("sm_80"), &request, LIMIT_VGPRS, &o), 32);
    ck_assert_uint_eq(o.groups, 8);
}
END_TEST

/* What more LDS costs. The figures for tiles with a pad of one element, alone in their block and
   with a wave each, are those of facts that were worked out by hand: bytes, with the pad, and the
   workgroups of each. */
static const struct {
    const char *target;
    unsigned bytes, padded, groups, with_pad;
} tiles[] = {
    {"gfx942", 2048, 2176, 32, 25},  {"gfx942", 4096, 4224, 16, 14},
    {"gfx942", 8192, 8448, 8, 7},    {"gfx942", 16384, 16640, 4, 3},
    {"gfx942", 32768, 33280, 2, 1},  {"gfx950", 8192, 8448, 18, 18},
    {"gfx950", 32768, 33280, 4, 4},  {"gfx1100", 8192, 8448, 16, 14},
    {"gfx1100", 16384, 16640, 8, 7}, {"gfx1100", 32768, 33280, 4, 3},
    {"sm_80", 8192, 8448, 18, 17},   {"sm_80", 16384, 16640, 9, 9},
    {"sm_90", 8192, 8448, 25, 24},   {"sm_90", 32768, 33280, 6, 6},
    {"gfx942", 65536, 66048, 1, 0},
};

START_TEST(padding_costs_workgroups)
{
    struct occupancy_request request = {.block = 32, .lds = tiles[_i].bytes};
    const struct target *target = get(tiles[_i].target);
    struct occupancy before, after;
    int64_t more = (int64_t)tiles[_i].padded - tiles[_i].bytes;
    ck_assert_int_eq(occupancy_add_lds(target, &request, more, &before, &after), OCCUPANCY_OK);
    ck_assert_uint_eq(before.groups, tiles[_i].groups);
    ck_assert_uint_eq(after.groups, tiles[_i].with_pad);
    /* And back. */
    request.lds = tiles[_i].padded;
    ck_assert_int_eq(occupancy_add_lds(target, &request, -more, &before, &after), OCCUPANCY_OK);
    ck_assert_uint_eq(before.groups, tiles[_i].with_pad);
    ck_assert_uint_eq(after.groups, tiles[_i].groups);
}
END_TEST

START_TEST(more_lds_has_no_end)
{
    struct occupancy_request request = {.block = 256, .lds = 100};
    struct occupancy before, after;
    const struct target *target = get("gfx942");
    static const int64_t mores[] = {INT64_MAX, UINT_MAX, (int64_t)UINT_MAX + 1, 1 << 30};
    for (size_t i = 0; i < sizeof mores / sizeof *mores; ++i) {
        ck_assert_int_eq(occupancy_add_lds(target, &request, mores[i], &before, &after),
                         OCCUPANCY_OK);
        ck_assert_uint_eq(after.groups, 0);
        ck_assert_int_eq(occupancy_add_lds(target, &request, -mores[i], &before, &after),
                         OCCUPANCY_OK);
        ck_assert_uint_eq(after.lds, 0);
    }
    ck_assert_int_eq(occupancy_add_lds(target, &request, INT64_MIN, &before, &after), OCCUPANCY_OK);
    ck_assert_uint_eq(after.lds, 0);
    request.block = 0;
    ck_assert_int_eq(occupancy_add_lds(target, &request, 1, &before, &after), OCCUPANCY_BAD_BLOCK);
}
END_TEST

/* Without registers the answer is a bound, and says so. */
START_TEST(knows_what_it_does_not_know)
{
    static const char *const targets[] = {"gfx942", "gfx1100", "sm_80"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i) {
        struct occupancy_request request = {.block = 192, .lds = 12000};
        struct occupancy most = compute(targets[i], request);
        ck_assert(most.at_most);
        unsigned room = occupancy_budget(get(targets[i]), &request, LIMIT_VGPRS, most.groups);
        ck_assert_uint_lt(0, room);
        request.vgprs = room;
        ck_assert_uint_eq(compute(targets[i], request).groups, most.groups);
        ck_assert(!compute(targets[i], request).at_most);
        request.vgprs = room + 1;
        ck_assert_uint_lt(compute(targets[i], request).groups, most.groups);
    }
    struct occupancy_request request = {.block = 64, .agprs = 4};
    ck_assert(!compute("gfx942", request).at_most);
}
END_TEST

START_TEST(counts_lanes)
{
    struct occupancy o = compute("gfx942", (struct occupancy_request){.block = 32});
    ck_assert_double_eq(occupancy_lanes_busy(&o), 0.5);
    o = compute("gfx942", (struct occupancy_request){.block = 96});
    ck_assert_double_eq(occupancy_lanes_busy(&o), 0.75);
    o = compute("gfx1100", (struct occupancy_request){.block = 96});
    ck_assert_double_eq(occupancy_lanes_busy(&o), 1.0);
    o = compute("gfx942", (struct occupancy_request){.block = 64, .lds = 65536});
    ck_assert_double_eq(occupancy_waves_per_simd(&o), 0.25);
}
END_TEST

START_TEST(refuses_what_is_not_there)
{
    struct occupancy o;
    struct converted_bounds b;
    struct occupancy_request r = {.block = 0};
    ck_assert_int_eq(occupancy_compute(get("gfx942"), &r, &o), OCCUPANCY_BAD_BLOCK);
    r.block = 1025;
    ck_assert_int_eq(occupancy_compute(get("sm_80"), &r, &o), OCCUPANCY_BAD_BLOCK);
    ck_assert_int_eq(occupancy_bounds(get("gfx942"), &r, 1, &b), OCCUPANCY_BAD_BLOCK);
    r = (struct occupancy_request){.block = 64, .wave = 32};
    ck_assert_int_eq(occupancy_compute(get("gfx942"), &r, &o), OCCUPANCY_BAD_WAVE);
    ck_assert_int_eq(occupancy_bounds(get("gfx942"), &r, 1, &b), OCCUPANCY_BAD_WAVE);
    r.wave = 64;
    ck_assert_int_eq(occupancy_compute(get("sm_80"), &r, &o), OCCUPANCY_BAD_WAVE);
    ck_assert_int_eq(occupancy_compute(get("gfx1100"), &r, &o), OCCUPANCY_OK);
    r = (struct occupancy_request){.block = 64, .wgp_mode = true};
    ck_assert_int_eq(occupancy_compute(get("gfx942"), &r, &o), OCCUPANCY_BAD_MODE);
    ck_assert_int_eq(occupancy_compute(get("sm_80"), &r, &o), OCCUPANCY_BAD_MODE);
    ck_assert_int_eq(occupancy_compute(get("gfx1100"), &r, &o), OCCUPANCY_OK);
    ck_assert_int_eq(o.mode, MODE_WGP);
    r = (struct occupancy_request){.block = 64, .agprs = 4};
    ck_assert_int_eq(occupancy_compute(get("gfx906"), &r, &o), OCCUPANCY_BAD_AGPRS);
    ck_assert_int_eq(occupancy_compute(get("sm_80"), &r, &o), OCCUPANCY_BAD_AGPRS);
    ck_assert_int_eq(occupancy_bounds(get("sm_80"), &r, 1, &b), OCCUPANCY_BAD_MODE);
    /* Numbers beyond all bounds are answered, not overflown by. */
    r = (struct occupancy_request){.block = 1024,
                                   .vgprs = UINT_MAX,
                                   .sgprs = UINT_MAX,
                                   .lds = UINT_MAX,
                                   .min_waves = UINT_MAX};
    for (int i = 0; i < ALL_TARGETS; ++i) {
        ck_assert_int_eq(occupancy_compute(get(all_targets[i]), &r, &o), OCCUPANCY_OK);
        ck_assert_uint_eq(o.groups, 0);
    }
}
END_TEST

/* ---- properties, over a grid of requests of every target */

static const unsigned blocks[] = {1, 32, 64, 65, 96, 128, 192, 256, 320, 512, 768, 1000, 1024};
static const unsigned registers[] = {0, 1, 24, 32, 64, 65, 84, 96, 100, 128, 168, 200, 255};
static const unsigned bytes[] = {0, 1, 512, 513, 5000, 8192, 16385, 21845, 40960, 65536};

#define EACH(i, array) (size_t i = 0; i < sizeof array / sizeof *array; ++i)

static void check_request(const struct target *target, const struct occupancy_request *request)
{
    struct occupancy o, less;
    struct occupancy_request r = *request;
    ck_assert_int_eq(occupancy_compute(target, request, &o), OCCUPANCY_OK);
    bool amd = target->vendor == VENDOR_AMD;

    /* What is resident fits, and one workgroup more does not, by the resource named. */
    ck_assert_uint_eq(o.groups, o.limits[o.limited_by]);
    ck_assert_uint_eq(o.waves, o.groups * o.waves_per_group);
    ck_assert_uint_le(o.waves, o.max_waves * o.simds);
    for (int i = 0; i < LIMIT_COUNT; ++i)
        ck_assert_uint_le(o.groups, o.limits[i]);
    ck_assert_uint_le(o.groups * o.lds, amd ? target->amd.lds[o.mode] : target->nvidia.shared);
    ck_assert(0 < occupancy_lanes_busy(&o) && occupancy_lanes_busy(&o) <= 1);

    /* The compiler never says less, and where it says something else the reason has a name. */
    if (amd) {
        ck_assert_uint_le(o.waves, o.compiler_waves * o.simds);
        ck_assert(o.differences || o.waves == o.compiler_waves * o.simds);
        if (o.differences & DIFFERS_LDS_GRANULE) {
            r.lds = o.lds;
            ck_assert_int_eq(occupancy_compute(target, &r, &less), OCCUPANCY_OK);
            ck_assert_uint_lt(less.compiler_waves, o.compiler_waves);
            ck_assert_uint_eq(less.groups, o.groups);
            r = *request;
        }
    }

    /* Less of a resource is never worse, also for the compiler. */
    for (int k = 0; k < 3; ++k) {
        unsigned *n = k == 0 ? &r.vgprs : k == 1 ? &r.lds : &r.sgprs;
        for (unsigned cut = 1; *n && cut <= *n; cut *= 4) {
            unsigned old = *n;
            *n -= cut;
            ck_assert_int_eq(occupancy_compute(target, &r, &less), OCCUPANCY_OK);
            ck_assert_uint_le(o.groups, less.groups);
            ck_assert_uint_le(o.compiler_waves, less.compiler_waves);
            *n = old;
        }
    }

    /* The next step up is one, and the last one. */
    for (int k = 0; k < 2; ++k) {
        enum occupancy_limit resource = k ? LIMIT_LDS : LIMIT_VGPRS;
        unsigned step = occupancy_step(target, request, resource, &less);
        if (!step)
            continue;
        ck_assert_uint_lt(o.groups, less.groups);
        *(k ? &r.lds : &r.vgprs) = step + 1;
        ck_assert_int_eq(occupancy_compute(target, &r, &less), OCCUPANCY_OK);
        ck_assert_uint_eq(o.groups, less.groups);
        r = *request;
    }

    /* The launch bound of what is resident has room for it, with as few waves as that needs. */
    struct converted_bounds bound;
    if (amd && o.groups) {
        ck_assert_int_eq(occupancy_bounds(target, request, o.groups, &bound), OCCUPANCY_OK);
        ck_assert(bound.possible);
        ck_assert_uint_eq(bound.waves, bound.exact);
        ck_assert_uint_le(o.groups, occupancy_blocks_of_waves(&o, bound.waves));
        ck_assert_uint_gt(o.groups, occupancy_blocks_of_waves(&o, bound.waves - 1));
    }
}

START_TEST(holds_for_every_request)
{
    const struct target *target = get(all_targets[_i]);
    bool rdna = target->vendor == VENDOR_AMD && target->amd.simds[MODE_WGP];
    for (int variant = 0; variant < (rdna ? 4 : 1); ++variant)
        for
            EACH(b, blocks)
            for
                EACH(v, registers)
                for
                    EACH(l, bytes)
                    {
                        struct occupancy_request request = {
                            .block = blocks[b],
                            .vgprs = registers[v],
                            .lds = bytes[l],
                            .sgprs = target->vendor == VENDOR_AMD ? (unsigned)(70 + 3 * v) : 0,
                            .wave = variant & 1 ? 64 : 0,
                            .cu_mode = variant & 2,
                        };
                        check_request(target, &request);
                    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("occupancy");
    TCase *tcase = tcase_create("occupancy");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, knows_all_targets);
    tcase_add_test(tcase, sources_are_explained);
    tcase_add_test(tcase, reads_records);
    tcase_add_loop_test(tcase, complains_of_bad_lines, 0, sizeof bad_texts / sizeof *bad_texts);
    tcase_add_test(tcase, complains_of_files);
    tcase_add_loop_test(tcase, gives_known_figures, 0, sizeof known / sizeof *known);
    tcase_add_loop_test(tcase, converts_launch_bounds, 0, sizeof bounds / sizeof *bounds);
    tcase_add_loop_test(tcase, min_waves_leave_registers, 0, sizeof rooms / sizeof *rooms);
    tcase_add_test(tcase, registers_of_blocks);
    tcase_add_test(tcase, finds_next_steps);
    tcase_add_loop_test(tcase, padding_costs_workgroups, 0, sizeof tiles / sizeof *tiles);
    tcase_add_test(tcase, more_lds_has_no_end);
    tcase_add_test(tcase, knows_what_it_does_not_know);
    tcase_add_test(tcase, counts_lanes);
    tcase_add_test(tcase, refuses_what_is_not_there);
    tcase_add_loop_test(tcase, holds_for_every_request, 0, ALL_TARGETS);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
