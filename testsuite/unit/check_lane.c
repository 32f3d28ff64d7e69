#include <config.h>

#include "annotate/model/lane.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "testsuite/unit/parse.h"
#include "testsuite/unit/suite.h"

/* ---- A file and its model */

static struct parse file;

static void open_text(const char *code)
{
    parse_model(&file, code, strlen(code), NULL);
}

static void close_text(void)
{
    parse_release(&file);
}

/* The index of the function called NAME that has a body. */
static size_t function_named(const char *name)
{
    for (size_t i = 0; i < file.unit.functions.count; ++i)
        if (file.unit.functions.items[i].body.begin < file.unit.functions.items[i].body.end &&
            !strcmp(unit_token(&file.unit, file.unit.functions.items[i].name)->symbol->text, name))
            return i;
    ck_abort_msg("no function %s", name);
    return 0;
}

/* The last node below NODE that is written as CODE, or NULL. */
static const struct node *find_node(const struct node *node, const char *code)
{
    const struct node *res = NULL;
    if (node->tokens.begin < node->tokens.end && node->kind != NODE_EXPRESSION &&
        !strcmp(unit_quote(&file.unit, node->tokens), code))
        res = node;
    tree_each (kid, node) {
        const struct node *found = find_node(kid, code);
        if (found)
            res = found;
    }
    return res;
}

static const struct node *node_of(size_t function, const char *code)
{
    const struct node *res = find_node(model_function(&file.model, function)->body, code);
    ck_assert_msg(res, "no `%s'", code);
    return res;
}

static void start(struct lane_machine *machine, size_t function, unsigned x, unsigned y,
                  unsigned sample)
{
    const unsigned block[3] = {x, y, 1};
    ck_assert(lane_machine_init(machine, &file.model, function, block, 32, sample));
}

/* ---- Values */

static const char *state_of(struct lane_machine *machine, size_t function, const char *code)
{
    struct lanes lanes = lane_evaluate(machine, node_of(function, code));
    if (lanes.state == LANES_KNOWN)
        return lanes.values ? "known" : "known uniform";
    if (lanes.state == LANES_SHIFTED)
        return lanes.values ? "shifted" : "uniform";
    return lanes.wave_uniform ? "wave" : "unknown";
}

START_TEST(states)
{
    static const struct {
        const char *code, *state;
    } cases[] = {
        {"threadIdx.x + 1", "known"},
        {"blockDim.x * 2", "known uniform"},
        {"threadIdx.y + 7", "known uniform"}, /* the block has one row */
        {"n + 1", "uniform"},
        {"blockIdx.x * 3", "uniform"},
        {"n + threadIdx.x", "shifted"},
        {"n * threadIdx.x", "unknown"},
        {"n - n", "known uniform"},
        {"data[3]", "uniform"},
        {"data[n]", "uniform"},
        {"data[threadIdx.x]", "unknown"},
        {"__ballot_sync(~0u, threadIdx.x > 3)", "wave"},
        {"__shfl_sync(~0u, data[threadIdx.x], 0)", "wave"},
        {"__syncthreads_count(threadIdx.x > 3)", "uniform"},
        {"atomicAdd(data, 1)", "unknown"},
        {"f * 2", "uniform"},
        {"threadIdx.x * f", "unknown"},
        {"(int)f", "uniform"},
        {"elsewhere(1)", "unknown"},
        {"CONSTANT_ELSEWHERE * 2", "uniform"},
        {"warpSize - 1", "known uniform"},
        {"escaped + 1", "unknown"},
        {"n / 2 - n / 2", "known uniform"},
        {"(n * 4 + threadIdx.x) - n * 4", "known"},
        {"n < n + (int)threadIdx.x", "known"},
    };
    struct strbuf code = STRBUF_INIT;
    strbuf_printf(&code, "__global__ void k(int *data, int n, float f)\n{\n"
                         "    int escaped = 1;\n    change_it(&escaped);\n    int x;\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        strbuf_printf(&code, "    x = %s;\n", cases[i].code);
    strbuf_printf(&code, "}\n");
    open_text(code.text);
    struct lane_machine machine;
    start(&machine, 0, 64, 1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        ck_assert_msg(!strcmp(state_of(&machine, 0, cases[i].code), cases[i].state),
                      "`%s' is %s, not %s", cases[i].code, state_of(&machine, 0, cases[i].code),
                      cases[i].state);
    lane_machine_release(&machine);
    close_text();
    strbuf_release(&code);
}
END_TEST

START_TEST(groups)
{
    static const struct {
        const char *code;
        int divide, modulo; /* of the thread; 0: none */
    } cases[] = {
        {"block.thread_rank()", 1, 1024},    {"cg::this_thread_block().thread_rank()", 1, 1024},
        {"tile.thread_rank()", 1, 32},       {"tile.meta_group_rank()", 32, 1024},
        {"small.thread_rank()", 1, 16},      {"cg::tiled_partition(block, 8).thread_rank()", 1, 8},
        {"block.thread_index().x", 1, 1024}, {"lane_of_asm + 0", 1, 32},
        {"warp_of_asm + 0", 32, 1024},
    };
    struct strbuf code = STRBUF_INIT;
    strbuf_printf(&code, "namespace cg = cooperative_groups;\n__global__ void k()\n{\n"
                         "    cg::thread_block block = cg::this_thread_block();\n"
                         "    auto tile = cg::tiled_partition<32>(block);\n"
                         "    cg::thread_block_tile<16> small = cg::tiled_partition<16>(block);\n"
                         "    unsigned x, lane_of_asm, warp_of_asm;\n"
                         "    asm(\"mov.u32 %%0, %%%%laneid;\" : \"=r\"(lane_of_asm));\n"
                         "    asm volatile(\"mov.u32 %%0, %%%%warpid;\" : \"=r\"(warp_of_asm));\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        strbuf_printf(&code, "    x = %s;\n", cases[i].code);
    strbuf_printf(&code, "    x = tile.size() + tile.meta_group_size();\n"
                         "    x = cg::this_grid().thread_rank();\n}\n");
    open_text(code.text);
    struct lane_machine machine;
    start(&machine, 0, 128, 1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct lanes lanes = lane_evaluate(&machine, node_of(0, cases[i].code));
        ck_assert_msg(lanes.state == LANES_KNOWN, "%s", cases[i].code);
        for (int t = 0; t < 128; ++t)
            ck_assert_int_eq(lanes_at(&lanes, (unsigned)t), t / cases[i].divide % cases[i].modulo);
    }
    struct lanes lanes =
        lane_evaluate(&machine, node_of(0, "tile.size() + tile.meta_group_size()"));
    ck_assert_int_eq(lanes.state, LANES_KNOWN);
    ck_assert_int_eq(lanes_at(&lanes, 0), 32 + 4);
    lanes = lane_evaluate(&machine, node_of(0, "cg::this_grid().thread_rank()"));
    ck_assert_int_eq(lanes.state, LANES_SHIFTED);
    ck_assert_uint_eq(lanes.step, 128);
    lane_machine_release(&machine);
    close_text();
    strbuf_release(&code);
}
END_TEST

START_TEST(blocks)
{
    open_text("__global__ void k()\n{\n    int x = threadIdx.x + threadIdx.y * 100;\n}\n");
    struct lane_machine machine;
    static const unsigned wrong[][3] = {
        {0, 1, 1}, {1025, 1, 1}, {64, 32, 1}, {1, 1, 0}, {UINT32_MAX, UINT32_MAX, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        ck_assert(!lane_machine_init(&machine, &file.model, 0, wrong[i], 32, 0));
    start(&machine, 0, 8, 4, 0);
    struct lanes lanes = lane_evaluate(&machine, node_of(0, "threadIdx.x + threadIdx.y * 100"));
    ck_assert_int_eq(lanes.state, LANES_KNOWN);
    for (unsigned i = 0; i < 32; ++i)
        ck_assert_int_eq(lanes_at(&lanes, i), i % 8 + i / 8 * 100);
    lane_machine_release(&machine);
    close_text();
}
END_TEST

START_TEST(samples)
{
    open_text(
        "__global__ void k(int n)\n{\n    for (int s = 1; s < n; s *= 2) {\n"
        "        int x = s * threadIdx.x;\n    }\n"
        "    for (int i = 8; i < 64; i += 8) {\n        int y = i + threadIdx.x;\n    }\n}\n");
    for (unsigned sample = 0; sample < 9; ++sample) {
        struct lane_machine machine;
        start(&machine, 0, 64, 1, sample);
        struct lanes x = lane_evaluate(&machine, node_of(0, "s * threadIdx.x"));
        struct lanes y = lane_evaluate(&machine, node_of(0, "i + threadIdx.x"));
        if (sample == 0) {
            ck_assert_int_eq(x.state, LANES_UNKNOWN);
            ck_assert_int_eq(y.state, LANES_SHIFTED);
            ck_assert_uint_eq(y.step, 8);
        } else {
            ck_assert_int_eq(x.state, LANES_KNOWN);
            ck_assert_int_eq(lanes_at(&x, 3), 3 << (sample - 1));
            ck_assert_int_eq(y.state, LANES_KNOWN);
            /* The second loop has seven iterations. */
            ck_assert_int_eq(lanes_at(&y, 3), 3 + 8 * (int)(sample < 7 ? sample : 7));
        }
        lane_machine_release(&machine);
    }
    close_text();
}
END_TEST

/* ---- Roles */

static enum lane_role role_in(const char *function, const char *code, unsigned width)
{
    size_t index = function_named(function);
    return lane_role(&file.model, index, node_of(index, code), width);
}

START_TEST(roles)
{
    static const struct {
        const char *code;
        enum lane_role role;
    } cases[] = {
        {"threadIdx.x & 31", LANE_ROLE_LANE},
        {"threadIdx.x % WARP", LANE_ROLE_LANE},
        {"tid - (tid / 32) * 32", LANE_ROLE_LANE},
        {"lane()", LANE_ROLE_LANE},
        {"(threadIdx.y * blockDim.x + threadIdx.x) & 31", LANE_ROLE_LANE},
        {"(blockIdx.x * 256 + threadIdx.x) % 32", LANE_ROLE_LANE},
        {"threadIdx.x >> 5", LANE_ROLE_WARP},
        {"(threadIdx.y * blockDim.x + threadIdx.x) / 32", LANE_ROLE_WARP},
        {"blockDim.x / 32", LANE_ROLE_WARP_COUNT},
        {"(blockDim.x + 31) / 32", LANE_ROLE_WARP_COUNT},
        {"threadIdx.x & ~31", LANE_ROLE_WARP_START},
        {"threadIdx.x / 32 * 32", LANE_ROLE_WARP_START},
        {"threadIdx.x", LANE_ROLE_NONE},
        {"threadIdx.y", LANE_ROLE_NONE},
        {"threadIdx.x & 15", LANE_ROLE_NONE},
        {"threadIdx.x % 64", LANE_ROLE_NONE},
        {"n % 32", LANE_ROLE_NONE},
        {"data[threadIdx.x] & 31", LANE_ROLE_NONE},
        {"(threadIdx.x + threadIdx.y) & 31", LANE_ROLE_NONE},
        {"(threadIdx.x + 1) & 31", LANE_ROLE_NONE},
        {"32 * 4", LANE_ROLE_NONE},
    };
    struct strbuf code = STRBUF_INIT;
    strbuf_printf(&code, "#define WARP 32\n__device__ int lane() { return threadIdx.x & 31; }\n"
                         "__global__ void k(int *data, int n)\n{\n"
                         "    int x, tid = threadIdx.x;\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        strbuf_printf(&code, "    x = %s;\n", cases[i].code);
    strbuf_printf(&code, "}\n");
    open_text(code.text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        enum lane_role role = role_in("k", cases[i].code, 32);
        ck_assert_msg(role == cases[i].role, "`%s' has role %u, not %u", cases[i].code, role,
                      cases[i].role);
    }
    ck_assert_int_eq(role_in("k", "threadIdx.x % 64", 64), LANE_ROLE_LANE);
    ck_assert_int_eq(role_in("k", "threadIdx.x & 31", 64), LANE_ROLE_NONE);
    close_text();
    strbuf_release(&code);
}
END_TEST

START_TEST(roles_of_known_blocks)
{
    open_text("__global__ void rows() { int a = threadIdx.x, b = threadIdx.y; }\n"
              "__global__ void lines() { int a = threadIdx.x, b = threadIdx.x & 31; }\n"
              "__global__ void one() { int a = threadIdx.x, b = threadIdx.x & 31; }\n"
              "void f() {\n    rows<<<9, dim3(32, 8)>>>();\n    lines<<<1, 128>>>();\n"
              "    lines<<<1, 256>>>();\n    one<<<1, 32>>>();\n}\n");
    ck_assert_int_eq(role_in("rows", "threadIdx.x", 32), LANE_ROLE_LANE);
    ck_assert_int_eq(role_in("rows", "threadIdx.y", 32), LANE_ROLE_WARP);
    ck_assert_int_eq(role_in("lines", "threadIdx.x", 32), LANE_ROLE_NONE);
    ck_assert_int_eq(role_in("lines", "threadIdx.x & 31", 32), LANE_ROLE_LANE);
    /* In a single warp each thread's number is its lane's: what is written tells. */
    ck_assert_int_eq(role_in("one", "threadIdx.x", 32), LANE_ROLE_NONE);
    ck_assert_int_eq(role_in("one", "threadIdx.x & 31", 32), LANE_ROLE_LANE);
    close_text();
}
END_TEST

START_TEST(roles_in_device_functions)
{
    open_text("__device__ int of(int t) { return t % 32; }\n"
              "__device__ int both(int t) { return t & 31; }\n"
              "__device__ int inner(int t) { return t / 32; }\n"
              "__device__ int outer(int t) { return inner(t); }\n"
              "__device__ int unused(int t) { return t % 32; }\n"
              "__device__ int taken(int t) { return t % 32; }\n"
              "__device__ int (*pointer)(int) = taken;\n"
              "__global__ void k(int n)\n{\n    int tid = threadIdx.x;\n"
              "    int a = of(tid) + both(tid) + both(n) + outer(tid) + taken(tid);\n}\n");
    ck_assert_int_eq(role_in("of", "t % 32", 32), LANE_ROLE_LANE);
    ck_assert_int_eq(role_in("inner", "t / 32", 32), LANE_ROLE_WARP);
    /* Not all calls give the thread, or not all calls are seen. */
    ck_assert_int_eq(role_in("both", "t & 31", 32), LANE_ROLE_NONE);
    ck_assert_int_eq(role_in("unused", "t % 32", 32), LANE_ROLE_NONE);
    ck_assert_int_eq(role_in("taken", "t % 32", 32), LANE_ROLE_NONE);
    close_text();
}
END_TEST

/* ---- Reach */

/* "uniform", "unknown", or the threads as ranges. */
static const char *reach_of(struct lane_machine *machine, size_t function, const char *code)
{
    static char res[256];
    uint64_t mask[LANES_MAX / 64];
    switch (lane_reach(machine, node_of(function, code), mask)) {
    case REACH_UNKNOWN:
        return "unknown";
    case REACH_UNIFORM:
        return "uniform";
    default:
        break;
    }
    size_t len = 0;
    for (unsigned i = 0; i < machine->threads && len < sizeof res - 16; ++i) {
        unsigned from = i;
        while (i < machine->threads && mask[i / 64] >> i % 64 & 1)
            ++i;
        if (from < i)
            len += (size_t)sprintf(res + len, "%s%u-%u", len ? "," : "", from, i - 1);
    }
    res[len] = '\0';
    return res;
}

START_TEST(reach)
{
    static const struct {
        const char *code, *at, *reach;
        bool whole;
    } cases[] = {
        {"f(1);", "f(1)", "uniform", true},
        {"if (tid < 32) f(1);", "f(1)", "0-31", true},
        {"if (tid < 10) f(1);", "f(1)", "0-9", false},
        {"if (tid < 10) f(1); f(2);", "f(2)", "uniform", true},
        {"if (tid >= 64) return; f(1);", "f(1)", "0-63", true},
        {"if (tid == 3) return; f(1);", "f(1)", "0-2,4-127", false},
        {"if (n) f(1);", "f(1)", "uniform", true},
        {"if (n) return; f(1);", "f(1)", "uniform", true},
        {"if (tid + n < 100) f(1);", "f(1)", "unknown", false},
        {"if (tid + n < 100) return; f(1);", "f(1)", "unknown", false},
        {"if (tid + n < 100) f(1); f(2);", "f(2)", "uniform", true},
        {"if (n) { if (tid < 5) return; } f(1);", "f(1)", "unknown", false},
        {"if (tid < 5) { if (n) return; } f(1);", "f(1)", "unknown", false},
        {"if (tid < 32) { if (n) return; } f(1);", "f(1)", "uniform", true},
        {"if (tid < 64) { if (tid >= 32) f(1); else f(2); }", "f(1)", "32-63", true},
        {"if (tid < 64) { if (tid >= 32) f(1); else f(2); }", "f(2)", "0-31", true},
        {"if (tid < 64) { if (tid >= 32) f(1); } else f(2);", "f(2)", "64-127", true},
        {"for (int i = 0; i < n; ++i) f(i);", "f(i)", "uniform", true},
        {"for (int i = tid; i < n; i += 128) f(i);", "f(i)", "unknown", false},
        {"for (int i = tid; i < n; i += 128) f(i); f(1);", "f(1)", "uniform", true},
        {"for (int i = 0; i < n; ++i) { if (tid == i) break; f(i); }", "f(i)", "unknown", false},
        {"for (int i = 0; i < n; ++i) { if (tid == i) return; } f(1);", "f(1)", "unknown", false},
        {"for (int i = 0; i < n; ++i) { if (i == 7) return; } f(1);", "f(1)", "uniform", true},
        {"for (int i = 0; i < n; ++i) { if (tid < 7) continue; f(i); }", "f(i)", "7-127", false},
        {"while (data[tid]) f(1);", "f(1)", "unknown", false},
        {"while (data[0]) f(1);", "f(1)", "uniform", true},
        {"bool b = tid < 9 && f(1);", "f(1)", "0-8", false},
        {"bool b = tid < 9 || f(1);", "f(1)", "9-127", false},
        {"int b = tid < 9 ? f(1) : f(2);", "f(2)", "9-127", false},
        {"switch (tid / 32) { case 0: f(1); break; case 2: f(2); default: f(3); }", "f(1)", "0-31",
         true},
        {"switch (tid / 32) { case 0: f(1); break; case 2: f(2); default: f(3); }", "f(3)",
         "32-127", true},
        {"switch (n) { case 0: f(1); break; default: f(2); } f(3);", "f(1)", "uniform", true},
        {"if (__any_sync(~0u, data[tid])) f(1);", "f(1)", "uniform", true},
        {"if (!__any_sync(~0u, data[tid])) return; f(1);", "f(1)", "uniform", true},
        {"goto end; end: f(1);", "f(1)", "unknown", false},
        {"if (leave(tid)) return; f(1);", "f(1)", "0-15", false},
        {"auto f2 = [&] { return 1; }; f(1);", "f(1)", "uniform", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct strbuf code = STRBUF_INIT;
        strbuf_printf(&code,
                      "__device__ bool leave(int t) { return 16 <= t; }\n"
                      "__global__ void k(int *data, int n)\n{\n    int tid = threadIdx.x;\n"
                      "    %s\n}\n",
                      cases[i].code);
        open_text(code.text);
        size_t function = function_named("k");
        struct lane_machine machine;
        start(&machine, function, 128, 1, 0);
        const char *got = reach_of(&machine, function, cases[i].at);
        ck_assert_msg(!strcmp(got, cases[i].reach), "%s: %s is reached by %s, not %s",
                      cases[i].code, cases[i].at, got, cases[i].reach);
        ck_assert_msg(lane_reach_whole_waves(&machine, node_of(function, cases[i].at)) ==
                          cases[i].whole,
                      "%s: whole waves", cases[i].code);
        lane_machine_release(&machine);
        close_text();
        strbuf_release(&code);
    }
}
END_TEST

START_TEST(reach_of_odd_blocks)
{
    /* The last wave of 40 threads has 8 lanes. */
    open_text("__global__ void k()\n{\n    f(1);\n}\n"
              "__device__ void d()\n{\n    f(2);\n}\n"
              "__device__ void called()\n{\n    f(3);\n}\n"
              "__global__ void caller()\n{\n    called();\n}\n");
    struct lane_machine machine;
    start(&machine, 0, 40, 1, 0);
    ck_assert(!lane_reach_whole_waves(&machine, node_of(0, "f(1)")));
    lane_machine_release(&machine);
    /* Nobody knows who calls d(). */
    start(&machine, 1, 64, 1, 0);
    ck_assert(!lane_reach_whole_waves(&machine, node_of(1, "f(2)")));
    lane_machine_release(&machine);
    start(&machine, 2, 64, 1, 0);
    ck_assert(lane_reach_whole_waves(&machine, node_of(2, "f(3)")));
    lane_machine_release(&machine);
    close_text();
}
END_TEST

/* ---- Accesses to shared memory */

START_TEST(accesses)
{
    static const struct {
        const char *code, *access;
        int base, step_of_thread; /* -1: not known */
        unsigned bytes;
    } cases[] = {
        {"line[tid] = 1;", "line[tid]", 0, 4, 4},
        {"x = line[tid + 3];", "line[tid + 3]", 12, 4, 4},
        {"x = tile[2][tid];", "tile[2][tid]", 2 * 33 * 4, 4, 4},
        {"x = tile[tid][1];", "tile[tid][1]", 4, 132, 4},
        {"x = *(line + tid);", "*(line + tid)", 0, 4, 4},
        {"x = *line;", "*line", 0, 0, 4},
        {"float *p = line + 8; x = p[tid];", "p[tid]", 32, 4, 4},
        {"float *p = &tile[1][0]; p += 2; x = p[tid];", "p[tid]", 140, 4, 4},
        {"float4 v = ((float4 *)line)[tid];", "((float4 *)line)[tid]", 0, 16, 16},
        {"float4 v = *reinterpret_cast<float4 *>(&line[tid * 4]);",
         "*reinterpret_cast<float4 *>(&line[tid * 4])", 0, 16, 16},
        {"x = quads[tid].z;", "quads[tid].z", 8, 16, 4},
        {"x = cells[tid].b;", "cells[tid].b", 8, 16, 8},
        {"cell *c = &cells[tid]; x = c->a;", "c->a", 0, 16, 2},
        {"x = single;", "single", 0, 0, 4},
        {"float *a = (float *)raw, *b = a + n; x = b[tid];", "b[tid]", 0, 4, 4},
        {"int *q = (int *)&raw[256]; x = q[tid * 2];", "q[tid * 2]", 256, 8, 4},
        {"x = line[data[tid]];", "line[data[tid]]", -1, 0, 0},
        {"x = data[tid];", "data[tid]", -1, 0, 0},
        {"x = unknown_type[tid];", "unknown_type[tid]", -1, 0, 0},
        {"x = tile[tid][0];", "tile[tid]", -1, 0, 0}, /* a row is no access */
        {"float &r = line[tid]; x = r + 1;", "r", 0, 4, 4},
        {"volatile float *v = line; if (tid < 32) v[tid] += v[tid + 16];", "v[tid + 16]", 64, 4, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct strbuf code = STRBUF_INIT;
        strbuf_printf(&code,
                      "struct cell { short a; double b; };\n"
                      "__global__ void k(int *data, int n)\n{\n"
                      "    __shared__ float line[256], tile[32][33];\n"
                      "    __shared__ float4 quads[64];\n    __shared__ cell cells[64];\n"
                      "    __shared__ int single;\n    __shared__ Elsewhere unknown_type[64];\n"
                      "    extern __shared__ char raw[];\n"
                      "    int tid = threadIdx.x;\n    double x;\n    %s\n}\n",
                      cases[i].code);
        open_text(code.text);
        struct lane_machine machine;
        struct lane_access access;
        start(&machine, 0, 64, 1, 0);
        bool known = lane_shared_access(&machine, node_of(0, cases[i].access), &access);
        ck_assert_msg(known == (0 <= cases[i].base), "%s", cases[i].code);
        for (unsigned t = 0; known && t < 64; ++t)
            ck_assert_msg(
                lanes_at(&access.address, t) == cases[i].base + (int)t * cases[i].step_of_thread,
                "%s: thread %u at %" PRId64, cases[i].code, t, lanes_at(&access.address, t));
        ck_assert_msg(!known || access.bytes == cases[i].bytes, "%s: %u bytes", cases[i].code,
                      access.bytes);
        lane_machine_release(&machine);
        close_text();
        strbuf_release(&code);
    }
}
END_TEST

START_TEST(accesses_of_device_functions)
{
    open_text("__device__ float get(float *a, int i) { return a[i]; }\n"
              "__global__ void k()\n{\n    __shared__ float s[64];\n"
              "    get(s, threadIdx.x * 2);\n    get(s, threadIdx.x * 2);\n}\n");
    struct lane_machine machine;
    struct lane_access access;
    start(&machine, 0, 32, 1, 0);
    ck_assert(lane_shared_access(&machine, node_of(0, "a[i]"), &access));
    ck_assert_int_eq(lanes_at(&access.address, 5), 40);
    lane_machine_release(&machine);
    close_text();
}
END_TEST

/* ---- Hostile files */

/* Runs the function k of CODE; how much work that was: the steps of its lanes and of the model. */
static uint64_t work_of(const char *code)
{
    open_text(code);
    size_t function = function_named("k");
    struct lane_machine machine;
    start(&machine, function, 256, 1, 0);
    const struct model_function *k = model_function(&file.model, function);
    lane_evaluate(&machine, k->body);
    lane_role(&file.model, function, k->body, 32);
    uint64_t res = file.model.work + file.model.lane_work;
    lane_machine_release(&machine);
    close_text();
    return res;
}

/* PREFIX, then COUNT times each of OPEN and CLOSE around MIDDLE. */
static char *nested(const char *prefix, const char *opening, const char *middle,
                    const char *closing, unsigned count)
{
    struct strbuf res = STRBUF_INIT;
    strbuf_printf(&res, "%s", prefix);
    for (unsigned i = 0; i < count; ++i)
        strbuf_printf(&res, "%s", opening);
    strbuf_printf(&res, "%s", middle);
    for (unsigned i = 0; i < count; ++i)
        strbuf_printf(&res, "%s", closing);
    strbuf_printf(&res, "}\n");
    return res.text;
}

/* Each macro names the one before it twice. */
static char *tower_of_macros(unsigned count)
{
    struct strbuf res = STRBUF_INIT;
    strbuf_printf(&res, "#define M0 1\n");
    for (unsigned i = 0; i < count; ++i)
        strbuf_printf(&res, "#define M%u (M%u + M%u)\n", i + 1, i, i);
    strbuf_printf(&res, "__global__ void k(int n)\n{\nint y = threadIdx.x * M%u;\n}\n", count);
    return res.text;
}

START_TEST(hostile)
{
    enum { MOST_WORK = 20000 }; /* steps for a byte: three times what the worst text takes */
    static const char head[] = "__global__ void k(int n)\n{\nint x = threadIdx.x, y = 0;\n";
    char *texts[] = {
        nested(head, "if (x + y > n) {\n y += x;\n", "y++;", "}\n", 400),
        nested(head, "for (int i = 0; i < n; ++i) {\n y += x * i;\n", "y++;", "}\n", 400),
        nested(head, "for (int i = 0; i < 4; ++i) {\n y += x * i;\n", "y++;", "}\n", 400),
        nested(head, "while (x < n) {\n if (y) break;\n", "x++;", "y++; }\n", 390),
        nested(head, "switch (x) { case 1:\n", "y++;", "default: y--; }\n", 390),
        nested(head, "y = ", "x", "", 5000),
        nested(head, "y += (", "x", ")", 5000),
        nested(head, "for (;;) {}\n", "while (1) y++;\n", "do { } while (x);\n", 50),
        nested(head, "for (long i = 0; i < 1000000000000; ++i) y += i * x;\n", "", "", 100),
        nested("__device__ int b(int);\n__device__ int a(int v) { return b(v) + b(v + 1); }\n"
               "__device__ int b(int v) { return a(v) + a(v * 2); }\n"
               "__global__ void k(int n)\n{\nint y = 0;\n",
               "y += a(y);\n", "", "", 200),
        nested("#define A B + B + B\n#define B C + C + C\n#define C D + D + D\n#define D A + A\n"
               "#define E E\n__global__ void k(int n)\n{\nint y = 0;\n",
               "y += A + E;\n", "", "", 200),
        nested("__device__ int f(int v) { return v ? f(v - 1) + f(v - 2) : v; }\n"
               "__global__ void k(int n)\n{\nint y = f(f(f(threadIdx.x)));\n",
               "y = f(", "y", ");", 300),
        nested("__global__ void k(int n)\n{\n", "label: goto label;\n", "", "", 500),
        nested("__global__ void k(int n)\n{\n", "int v; v = threadIdx.x;\n", "", "", 3000),
        nested(head, "int &r = y; r = x;\n", "", "", 300),
        tower_of_macros(60),
        tower_of_macros(200),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        uint64_t work = work_of(texts[i]);
        ck_assert_msg(work < MOST_WORK * strlen(texts[i]),
                      "text %zu of %zu bytes: %" PRIu64 " steps", i, strlen(texts[i]), work);
        free(texts[i]);
    }
}
END_TEST

START_TEST(linear)
{
    static const char *const statements[] = {
        "y = y * 3 + x;\n",
        "if (x > y) y = x & 31;\n",
        "for (int i = 0; i < n; ++i) y += x;\n",
        "{ int z = x / 32; y ^= z; }\n",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; ++i) {
        static const char head[] = "__global__ void k(int n)\n{\nint x = threadIdx.x, y = 0;\n";
        char *few = nested(head, statements[i], "", "", 1000);
        char *many = nested(head, statements[i], "", "", 10000);
        uint64_t less = work_of(few), more = work_of(many);
        ck_assert_msg(more < 12 * less, "%s: %" PRIu64 " and %" PRIu64 " steps", statements[i],
                      less, more);
        free(few);
        free(many);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lane");
    TCase *c = tcase_create("lane");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, states);
    tcase_add_test(c, groups);
    tcase_add_test(c, blocks);
    tcase_add_test(c, samples);
    tcase_add_test(c, roles);
    tcase_add_test(c, roles_of_known_blocks);
    tcase_add_test(c, roles_in_device_functions);
    tcase_add_test(c, reach);
    tcase_add_test(c, reach_of_odd_blocks);
    tcase_add_test(c, accesses);
    tcase_add_test(c, accesses_of_device_functions);
    tcase_add_test(c, hostile);
    tcase_add_test(c, linear);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
