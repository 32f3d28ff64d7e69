/* Launches: what the model finds of grids, blocks, shared bytes and kernels in small texts. */
#include <config.h>

#include "annotate/model/launch.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/model/facts.h"
#include "annotate/model/flow.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "testsuite/unit/parse.h"
#include "testsuite/unit/suite.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void parse_text(struct parse *parse, const char *text)
{
    parse_model(parse, text, strlen(text), NULL);
}

/* Printing. */

static void put_constant(struct strbuf *out, const struct constant *c)
{
    if (!c->count)
        strbuf_addc(out, '?');
    for (unsigned i = 0; i < c->count; ++i)
        strbuf_printf(out, "%s%lld", i ? "|" : "", (long long)c->values[i]);
}

static void put_dims(struct strbuf *out, const struct launch_dim dims[3])
{
    for (int i = 0; i < 3; ++i) {
        strbuf_addc(out, i ? ',' : ' ');
        put_constant(out, &dims[i].value);
    }
}

/* KERNEL GRID BLOCK, then what else is known. */
static void put_site(struct strbuf *out, const struct unit *unit, const struct launch_site *site)
{
    if (out->len)
        strbuf_adds(out, "; ");
    strbuf_adds(out, site->kernel ? site->kernel->text : "-");
    if (site->function != NO_INDEX)
        strbuf_printf(out, "@%u",
                      unit->functions.items[site->function].params.end -
                          unit->functions.items[site->function].params.begin);
    put_dims(out, site->grid);
    put_dims(out, site->block);
    if (site->shared) {
        strbuf_adds(out, " shared ");
        put_constant(out, &site->shared_bytes);
    }
    if (site->stream)
        strbuf_adds(out, " stream");
    if (site->cooperative)
        strbuf_adds(out, " cooperative");
    if (site->open)
        strbuf_adds(out, " open");
    if (1 < site->block_count)
        strbuf_printf(out, " blocks %u", site->block_count);
}

static void check_sites(const char *text, const char *want)
{
    struct parse parse;
    struct strbuf out = STRBUF_INIT;
    size_t count;
    parse_text(&parse, text);
    const struct launch_site *sites = model_launches(&parse.model, &count);
    for (size_t i = 0; i < count; ++i) {
        put_site(&out, &parse.unit, &sites[i]);
        ck_assert_int_eq(sites[i].block_known, sites[i].block_count != 0);
        ck_assert(!i || sites[i - 1].token <= sites[i].token);
    }
    ck_assert_msg(!strcmp(out.text ? out.text : "", want), "%s\n  has  %s\n  want %s", text,
                  out.text ? out.text : "", want);
    strbuf_release(&out);
    parse_release(&parse);
}

/* Forms. A kernel is k@N where N tokens are its parameters. */

struct example {
    const char *text, *want;
};

#define K "__global__ void k(int *p);\n"

static const struct example forms[] = {
    {K "void f() { k<<<4, 64>>>(p); }", "k@3 4,1,1 64,1,1"},
    {K "void f(S s) { k<<<4, 64, 128, s>>>(p); }", "k@3 4,1,1 64,1,1 shared 128 stream"},
    {K "void f() { k<<<{4, 5}, {64, 2}>>>(p); }", "k@3 4,5,1 64,2,1"},
    {K "void f() { k<<<dim3(4, 5, 6), dim3{8, 4, 2}>>>(p); }", "k@3 4,5,6 8,4,2"},
    {"void f() { elsewhere<<<1, 2>>>(p); }", "elsewhere 1,1,1 2,1,1"},
    {K "void f() { cudaLaunchKernel((void *)k, dim3(4), dim3(64), args, 32, s); }",
     "k@3 4,1,1 64,1,1 shared 32 stream"},
    {K "void f() { cudaLaunchKernel((const void *)&k, 4, 64, args, 0, 0); }",
     "k@3 4,1,1 64,1,1 shared 0 stream"},
    {K "void f() { cudaLaunchKernel(k, 4, 64, args); }", "k@3 4,1,1 64,1,1"},
    {"template <int N> __global__ void t();\n"
     "void f() { CHECK(cudaLaunchKernel(reinterpret_cast<void *>(&t<4>), 4, 64, args, 0, 0)); }",
     "t@0 4,1,1 64,1,1 shared 0 stream"},
    {K "void f() { cudaLaunchCooperativeKernel((void *)k, 4, 64, args, 0, 0); }",
     "k@3 4,1,1 64,1,1 shared 0 stream cooperative"},
    {K "void f() { cudaLaunchConfig_t c; c.gridDim = 4; c.blockDim = dim3(8, 8);\n"
       "c.dynamicSmemBytes = 256; cudaLaunchKernelEx(&c, k, p); }",
     "k@3 4,1,1 8,8,1"},
    {K "void f() { cudaLaunchConfig_t c = {0}; c.blockDim.x = 8; c.blockDim.y = 4;\n"
       "cudaLaunchKernelExC(&c, (void *)k, args); }",
     "k@3 0,1,1 8,4,1"},
    {K "void f() { cudaLaunchConfig_t c = {4, 64, 16, s}; cudaLaunchKernelEx(&c, k, p); }",
     "k@3 4,1,1 64,1,1"},
    {K "void f() { cudaLaunchConfig_t c = {.gridDim = 4, .blockDim = dim3(3, 5)};\n"
       "cudaLaunchKernelEx(&c, k, p); }",
     "k@3 4,1,1 3,5,1"},
    {"void f(CUfunction h) { cuLaunchKernel(h, 4, 5, 6, 8, 4, 2, 64, s, args, 0); }",
     "- 4,5,6 8,4,2 shared 64 stream"},
    {"void f(hipFunction_t h) { hipModuleLaunchKernel(h, 4, 1, 1, n, 4, 2, 0, 0, 0, 0); }",
     "- 4,1,1 ?,4,2 shared 0 stream"},
    {"void f(CUfunction h) { CUlaunchConfig c; c.gridDimX = 4; c.gridDimY = c.gridDimZ = 1;\n"
     "c.blockDimX = 8; c.blockDimY = 4; c.blockDimZ = 2; cuLaunchKernelEx(&c, h, args, 0); }",
     "- 4,?,1 8,4,2"},
    {K "void f() { hipLaunchKernelGGL(k, dim3(4), dim3(64, 2), 0, 0, p); }",
     "k@3 4,1,1 64,2,1 shared 0 stream"},
    {"template <class T, int N> __global__ void t(T *p);\n"
     "void f() { hipLaunchKernelGGL(HIP_KERNEL_NAME(t<int, 4>), 4, 64, 0, 0, p); }",
     "t@3 4,1,1 64,1,1 shared 0 stream"},
    {K "void f() { hipLaunchKernel((void *)k, 4, 64, args, 0, 0); }",
     "k@3 4,1,1 64,1,1 shared 0 stream"},
    {K "void f() { hipExtLaunchKernelGGL(k, 4, 64, 0, 0, a, b, 0, p); }",
     "k@3 4,1,1 64,1,1 shared 0 stream"},
    {"cudaError_t cudaLaunchKernel(const void *f, dim3 g, dim3 b, void **a, size_t s, int t);", ""},
};

START_TEST(test_forms)
{
    check_sites(forms[_i].text, forms[_i].want);
}
END_TEST

/* Blocks: the statements before `k<<<1, b>>>(p)` in a function, and the block. */
static const struct example blocks[] = {
    {"dim3 b(16, 16);", "16,16,1"},
    {"dim3 b = {16, 8};", "16,8,1"},
    {"dim3 b{16, 8, 2};", "16,8,2"},
    {"dim3 b;", "1,1,1"},
    {"dim3 b; b.x = 16; b.y = 4;", "16,4,1"},
    {"dim3 b(32, 4); b.y = 8;", "32,8,1"},
    {"dim3 b(32, 4); b = dim3(64);", "64,1,1"},
    {"dim3 b; if (n) { b.x = 8; b.y = 4; } else { b.x = 64; b.y = 2; }", "8|64,2|4,1 blocks 2"},
    {"dim3 b(4, 4); if (n) { b.x = 8; b.y = 8; } b.z = 2;", "4|8,4|8,2 blocks 4"},
    {"dim3 b(4, 4); if (n) { b.x = 8; b.y = 8; }", "4|8,4|8,1 blocks 2"},
    {"dim3 b(4, 4); if (n) b.x = 8;", "4|8,4,1 blocks 2"},
    {"dim3 b(4, 4); if (n) { b.x = 8; return; }", "4,4,1"},
    {"dim3 b; switch (n) { case 1: b.x = 2; b.y = 3; break; default: b.x = 4; b.y = 5; }",
     "2|4,3|5,1 blocks 2"},
    {"dim3 b; if (n) { if (v) b.x = 2; else b.x = 3; b.y = 4; }", "1|2|3,1|4,1 blocks 3"},
    {"auto b = dim3(16, 16);", "16,16,1"},
    {"const dim3 b(4, 4, 4);", "4,4,4"},
    {"dim3 b = dim3(256);", "256,1,1"},
    {"dim3 b(256), c(4);", "256,1,1"},
    {"dim3 c(8, 4); dim3 b = c;", "8,4,1"},
    {"dim3 c(8, 4); dim3 b(c.x, c.y * 2);", "8,8,1"},
    {"uint3 b = make_uint3(8, 4, 1);", "8,4,1"},
    {"int b = 256;", "256,1,1"},
    {"const int b = 2 * 64 + 128;", "256,1,1"},
    {"constexpr unsigned b = 1u << 7;", "128,1,1"},
    {"int b(64);", "64,1,1"},
    {"int b{64};", "64,1,1"},
    {"int w = 32, b = w * 4;", "128,1,1"},
    {"int b; b = 128;", "128,1,1"},
    {"int b; if (n) b = 128; else b = 256;", "128|256,1,1 blocks 2"},
    {"int b = 64; if (n) b = 128; else b = 256;", "128|256,1,1 blocks 2"},
    {"int b = 64; if (n) b = 128;", "64|128,1,1 blocks 2"},
    {"int b = 64; if (n) { b = 128; return; }", "64,1,1"},
    {"int b = 64; if (n) { b = 128; exit(1); }", "64,1,1"},
    {"int b = 64; if (n) { b = 96; b = 128; }", "64|128,1,1 blocks 2"},
    {"int b = 64; { int b = 32; (void)b; }", "64,1,1"},
    {"int b = 64; if (n) { int b = 32; b = 16; }", "64,1,1"},
    {"int b; switch (n) { case 1: b = 32; break; case 2: b = 64; break; default: b = 96; }",
     "32|64|96,1,1 blocks 3"},
    {"int b = 1; switch (n) { case 1: case 2: b = 64; break; }", "1|64,1,1 blocks 2"},
    {"dim3 b(16, 16); if (n) b = dim3(32, 8);", "16|32,8|16,1 blocks 2"},
    {"int b = n ? 64 : 128;", "64|128,1,1 blocks 2"},
    {"int b = 3 < 4 ? 64 : n;", "64,1,1"},
    {"dim3 b = n ? dim3(8, 8) : dim3(4);", "4|8,1|8,1 blocks 2"},
    {"int b = 64; b *= 2;", "128,1,1"},
    {"int b = 64; b += 1; ++b;", "66,1,1"},
    {"int b = 64; b = b * 2;", "128,1,1"},
    {"int b = 64; while (n--) b = 128;", "64|128,1,1 blocks 2"},
    {"int b = 64; do { b = 128; } while (n);", "128,1,1"},
    {"int b = 64; while (n--) b *= 2;", "?,1,1"},
    {"int b = (int)64u;", "64,1,1"},
    {"int b = static_cast<unsigned>(64);", "64,1,1"},
    {"int b = int(64);", "64,1,1"},
    {"int b = std::min(1024, 256);", "256,1,1"},
    {"int b = std::min(1024, n);", "?,1,1"},
    {"int b = max(32, 64);", "64,1,1"},
    {"int b = n;", "?,1,1"},
    {"int b = atoi(v[1]);", "?,1,1"},
    {"int b = 256; if (n) b = atoi(v[1]);", "?,1,1"},
    {"int b = 256; scanf(\"%d\", &b);", "?,1,1"},
    {"int b = 256; std::cin >> b;", "?,1,1"},
    {"int b = 256; printf(\"%d\", b);", "256,1,1"},
    {"int b; unknown(b);", "?,1,1"},
    {"dim3 b; unknown(g, b);", "?,?,?"},
    {"int b = 256; int &r = b; r = 3;", "?,1,1"},
    {"int b = 256; auto l = [&] { b = 64; }; l();", "64|256,1,1 blocks 2"},
    {"int b = 256; void *args[] = {&p, &b};", "256,1,1"},
    {"int b = 256; cudaMemcpyToSymbol(c, &b, sizeof b);", "256,1,1"},
    {"int g, b; cudaOccupancyMaxPotentialBlockSize(&g, &b, k);", "?,1,1"},
    {"float f = 64; int b = f;", "?,1,1"},
    {"int b = 64.5;", "?,1,1"},
    {"int b = 0;", "0,1,1"},
    {"int b = 7 / 0;", "?,1,1"},
    {"int b = 1 << 99;", "?,1,1"},
    {"int b = 9223372036854775807 + 1;", "?,1,1"},
    {"int a[] = {32, 64}; int b = a[1];", "64,1,1"},
    {"int a[] = {32, 64}; int b = a[n];", "32|64,1,1 blocks 2"},
    {"int a[2] = {32, 64}; a[1] = 96; int b = a[1];", "96,1,1"},
    {"int a[2] = {32, 64}; a[n] = 96; int b = a[1];", "?,1,1"},
    {"size_t a[2]; a[0] = 8; a[1] = 4; dim3 b(a[0], a[1]);", "8,4,1"},
    {"struct { dim3 t; int n; } c = {dim3(8, 4), 3}; dim3 b = c.t;", "8,4,1"},
    {"struct C { int g, t; } c; c.t = 64; int b = c.t;", "64,1,1"},
    {"int w = 32; dim3 b(w, 256 / w);", "32,8,1"},
    {"int b = 256;\n#ifdef BIG\nb = 512;\n#endif\n", "256|512,1,1 blocks 2"},
    {"int b;\n#ifdef BIG\nb = 512;\n#else\nb = 128;\n#endif\n", "128|512,1,1 blocks 2"},
    {"\n#ifdef BIG\nint b = 512;\n#else\nint b = 128;\n#endif\n", "128|512,1,1 blocks 2"},
    {"goto x; x: int b = 64;", "64,1,1"},
    {"try { } catch (...) { } int b = 64;", "64,1,1"},
};

START_TEST(test_blocks)
{
    struct strbuf text = STRBUF_INIT, want = STRBUF_INIT;
    const char *b = blocks[_i].want, *rest = strchr(b, ' ');
    strbuf_printf(&text, K "void f(int n, char **v) { %s k<<<1, b>>>(p); }", blocks[_i].text);
    strbuf_printf(&want, "k@3 1,1,1 %.*s%s", rest ? (int)(rest - b) : (int)strlen(b), b,
                  rest ? rest : "");
    check_sites(text.text, want.text);
    strbuf_release(&text);
    strbuf_release(&want);
}
END_TEST

/* Whole files. */
static const struct example files[] = {
    /* Names of the file. */
    {"#define B 128\n" K "void f(int n) { k<<<(n + B - 1) / B, B>>>(p); }", "k@3 ?,1,1 128,1,1"},
    {"#define B dim3(16, 16)\n" K "void f() { k<<<1, B>>>(p); }", "k@3 1,1,1 16,16,1"},
    {"#define UP(a, b) (((a) + (b)-1) / (b))\n" K
     "void f() { int n = 1000, t = 256; k<<<UP(n, t), t>>>(p); }",
     "k@3 4,1,1 256,1,1"},
    {"static const int B = 128;\n" K "void f() { k<<<1, B>>>(p); }", "k@3 1,1,1 128,1,1"},
    {"static int B = 128;\n" K "void f() { k<<<1, B>>>(p); }", "k@3 1,1,1 128,1,1"},
    {"int B = 128;\n" K "void f() { k<<<1, B>>>(p); }", "k@3 1,1,1 128,1,1 open"},
    {"static int B = 128;\n" K "void g() { B = 64; } void f() { k<<<1, B>>>(p); }",
     "k@3 1,1,1 64|128,1,1 blocks 2"},
    {"static int B = 128;\n" K "void g(char *s) { B = atoi(s); } void f() { k<<<1, B>>>(p); }",
     "k@3 1,1,1 ?,1,1"},
    {"const dim3 B(8, 4);\n" K "void f() { k<<<1, B>>>(p); }", "k@3 1,1,1 8,4,1"},
    {"static dim3 B = dim3(8, 4);\n" K "void f() { k<<<1, B>>>(p); }", "k@3 1,1,1 8,4,1"},
    {"enum { B = 96 };\n" K "void f() { k<<<1, B>>>(p); }", "k@3 1,1,1 96,1,1"},
    {"namespace a { const int B = 32; }\n" K "void f() { k<<<1, a::B>>>(p); }", "k@3 1,1,1 32,1,1"},
    {"#ifdef X\n#define B 64\n#else\n#define B 32\n#endif\n" K "void f() { k<<<1, B>>>(p); }",
     "k@3 1,1,1 32|64,1,1 blocks 2"},
    /* Templates. */
    {"template <int N> __global__ void t(int *p);\n"
     "template <int B> void f(int n) { t<B><<<n / B, B>>>(p); }\n"
     "void g() { f<64>(1); f<128>(2); }",
     "t@3 0,1,1 64|128,1,1 blocks 2"},
    {"template <class T> __global__ void t(T *p);\n"
     "namespace a { template <class T> __global__ void t(T *p, int n); }\n"
     "void f() { t<float><<<1, 2>>>(p); a::t<int><<<3, 4>>>(p, 1); }",
     "t@3 1,1,1 2,1,1; t@6 3,1,1 4,1,1"},
    /* Overloads. */
    {"__global__ void k(int *p, int n) {} __global__ void k(int *p) {}\n"
     "void f() { k<<<1, 2>>>(p, 3); k<<<1, 3>>>(p); }",
     "k@6 1,1,1 2,1,1; k@3 1,1,1 3,1,1"},
    /* Shared bytes. */
    {K "void f() { int b = 64; k<<<1, b, b * sizeof(float), 0>>>(p); }",
     "k@3 1,1,1 64,1,1 shared 256 stream"},
    {K "void f() { size_t s = 2 * 64 * sizeof(double); k<<<1, 64, s>>>(p); }",
     "k@3 1,1,1 64,1,1 shared 1024"},
    {K "void f(int n) { k<<<1, 64, n * 4>>>(p); }", "k@3 1,1,1 64,1,1 shared ?"},
    /* Loops. */
    {K "void f() { for (int b = 32; b <= 256; b *= 2) k<<<1, b>>>(p); }",
     "k@3 1,1,1 32|64|128|256,1,1 blocks 4"},
    {K "void f() { for (int b = 32; b <= 128; b = b + 32) { k<<<1, b>>>(p); } }",
     "k@3 1,1,1 32|64|96|128,1,1 blocks 4"},
    {K "void f() { for (int b = 256; b > 32; b >>= 1) k<<<1, b>>>(p); }",
     "k@3 1,1,1 64|128|256,1,1 blocks 3"},
    {K "void f() { for (int i = 0; i < 2; i++) k<<<1, 32 << i>>>(p); }",
     "k@3 1,1,1 32|64,1,1 blocks 2"},
    {K "void f(int n) { for (int b = 1; b < n; b++) k<<<1, b>>>(p); }", "k@3 1,1,1 ?,1,1"},
    {K "void f() { for (int b = 1; b < 1000; b++) k<<<1, b>>>(p); }", "k@3 1,1,1 ?,1,1"},
    {K "void f() { for (int b = 1; b < 9; b += 0) k<<<1, b>>>(p); }", "k@3 1,1,1 ?,1,1"},
    {K "void f() { int s[] = {32, 64}; for (int b : s) k<<<1, b>>>(p); }",
     "k@3 1,1,1 32|64,1,1 blocks 2"},
    {K "void f() { for (int b : {32, 64}) k<<<1, b>>>(p); }", "k@3 1,1,1 32|64,1,1 blocks 2"},
    {K "void f() { int b = 32; for (int i = 0; i < 9; i++) { k<<<1, b>>>(p); b = 64; } }",
     "k@3 1,1,1 32|64,1,1 blocks 2"},
    {K "void f() { int b; for (int i = 0; i < 9; i++) { b = 64; k<<<1, b>>>(p); b = 3; } }",
     "k@3 1,1,1 64,1,1"},
    {K "void f() { int b = 32; for (b = 64; b < 65; b++) ; k<<<1, b>>>(p); }", "k@3 1,1,1 ?,1,1"},
    /* Functions. */
    {K "static dim3 block() { return dim3(8, 8); } void f() { k<<<1, block()>>>(p); }",
     "k@3 1,1,1 8,8,1"},
    {K "static int up(int a, int b) { return (a + b - 1) / b; }\n"
       "void f() { k<<<up(1000, 256), 256>>>(p); }",
     "k@3 4,1,1 256,1,1"},
    {K "static int s(int n) { if (n) return 1; return 2; } void f() { k<<<1, s(3)>>>(p); }",
     "k@3 1,1,1 ?,1,1"},
    {K "int r(int n) { return r(n + 1); } void f() { k<<<1, r(3)>>>(p); }", "k@3 1,1,1 ?,1,1"},
    {K "void set(int &b); void f() { int b = 64; set(b); k<<<1, b>>>(p); }", "k@3 1,1,1 ?,1,1"},
    {K "void see(const int &b); void f() { int b = 64; see(b); k<<<1, b>>>(p); }",
     "k@3 1,1,1 64,1,1"},
    /* Callers. */
    {K "static void w(dim3 g, dim3 b) { k<<<g, b>>>(p); }\n"
       "void f() { w(4, dim3(8, 8)); w(5, 64); }",
     "k@3 4|5,1,1 8|64,1|8,1 blocks 2"},
    /* What one call gives belongs together. */
    {K "static void w(int x, int y) { dim3 b(x, y); k<<<1, b>>>(p); }\n"
       "void f() { w(8, 64); w(64, 8); }",
     "k@3 1,1,1 8|64,8|64,1 blocks 2"},
    {K "void w(int b) { k<<<1, b>>>(p); } void f() { w(64); }", "k@3 1,1,1 64,1,1 open"},
    {K "static void w(int n, int b = 256) { k<<<1, b>>>(p); } void f() { w(1); w(1, 64); }",
     "k@3 1,1,1 64|256,1,1 blocks 2"},
    {K "static void w(int b) { b *= 2; k<<<1, b>>>(p); } void f() { w(64); }", "k@3 1,1,1 128,1,1"},
    {K "static void w(int b) { k<<<1, b>>>(p); } void f(int n) { w(64); w(n); }",
     "k@3 1,1,1 ?,1,1"},
    {K "static void v(int b) { k<<<1, b>>>(p); } static void w(int b) { v(b * 2); }\n"
       "void f() { w(64); }",
     "k@3 1,1,1 128,1,1"},
    {K "static void w(int b) { k<<<1, b>>>(p); w(b); }", "k@3 1,1,1 ?,1,1"},
    {"__global__ void a(int); __global__ void b(int, int);\n"
     "template <class F> void w(F kernel, int n) { kernel<<<1, n>>>(0); }\n"
     "void f() { w(a, 32); w(b, 64); }",
     "a@1 1,1,1 32,1,1; b@3 1,1,1 64,1,1"},
    /* Macros. */
    {K "#define RUN(g, b) k<<<g, b>>>(p)\nvoid f() { RUN(1, 32); RUN(2, dim3(8, 8)); }",
     "k@3 1,1,1 32,1,1; k@3 2,1,1 8,8,1"},
    {"__global__ void a(int); __global__ void b(int, int);\n"
     "#define RUN(kernel, t, ...) kernel<<<(100 + t - 1) / t, t>>>(__VA_ARGS__)\n"
     "void f() { int t = 50; RUN(a, 10, 1); RUN(b, t, 1, 2); }",
     "a@1 10,1,1 10,1,1; b@3 2,1,1 50,1,1"},
    {K "#define CASE(n) case n: k<<<1, n>>>(p); break;\n"
       "#define BOTH CASE(32) CASE(64)\nvoid f(int n) { switch (n) { CASE(16) BOTH } }",
     "k@3 1,1,1 16,1,1; k@3 1,1,1 32,1,1; k@3 1,1,1 64,1,1"},
    {K "#define UNUSED(b) k<<<1, b>>>(p)\n", "k@3 1,1,1 ?,?,?"},
    {"#define RUN(n) kernel_##n<<<1, n>>>(p)\nvoid f() { RUN(4); }", "- 1,1,1 4,1,1"},
    {"#define NAME k\n" K "void f() { NAME<<<1, 2>>>(p); }", "k@3 1,1,1 2,1,1"},
    {"#define A B\n#define B A\n" K "void f() { k<<<A, B>>>(p); }", "k@3 ?,?,? ?,?,?"},
    /* Pointers. */
    {K "void f() { auto q = k; q<<<1, 2>>>(p); }", "k@3 1,1,1 2,1,1"},
    {K "void f() { void (*q)(int *) = &k; q<<<1, 2>>>(p); }", "k@3 1,1,1 2,1,1"},
    {"void f(void (*q)(int *)) { q<<<1, 2>>>(p); }", "- 1,1,1 2,1,1"},
    {"void f(S *s) { s->kernel<<<1, 2>>>(p); (*s->q)<<<1, 2>>>(p); }",
     "- 1,1,1 2,1,1; - 1,1,1 2,1,1"},
    /* Members. */
    {K "struct S { int t; void go() { t = 64; k<<<1, t>>>(p); } };", "k@3 1,1,1 64,1,1 open"},
    {K "void f(S *s) { s->threads = 64; k<<<1, s->threads>>>(p); }", "k@3 1,1,1 64,1,1"},
    {K "void g(S *s) { s->threads = 64; } void f(S *s) { k<<<1, s->threads>>>(p); }",
     "k@3 1,1,1 64,1,1 open"},
    {K "void f(S *s) { k<<<1, s->threads>>>(p); }", "k@3 1,1,1 ?,?,?"},
};

START_TEST(test_files)
{
    check_sites(files[_i].text, files[_i].want);
}
END_TEST

/* Which launches belong to a kernel, and are they all? */

static size_t function_called(const struct unit *unit, const char *name)
{
    for (size_t i = unit->functions.count; i--;)
        if (!strcmp(unit_token(unit, unit->functions.items[i].name)->symbol->text, name))
            return i;
    ck_abort_msg("no function %s", name);
}

static const struct {
    const char *text;
    size_t count;
    bool complete;
} owners[] = {
    {"static __global__ void k() {} void f() { k<<<1, 2>>>(); k<<<1, 3>>>(); }", 2, true},
    {"static __global__ void k() {} void f() { g(k); k<<<1, 3>>>(); }", 1, false},
    {"static __global__ void k() {} void f() { cudaFuncSetCacheConfig(k, x); k<<<1, 3>>>(); }", 1,
     true},
    {"static __global__ void k() {} void f(F q) { k<<<1, 2>>>(); q<<<1, 3>>>(); }", 1, false},
    {"__global__ void k() {} void f() { k<<<1, 2>>>(); }", 1, false},
    {"namespace { __global__ void k() {} } void f() { k<<<1, 2>>>(); }", 1, true},
    {"static __global__ void k() {}", 0, true},
    {"static __global__ void k(); void f() { k<<<1, 2>>>(); } static __global__ void k() {}", 1,
     true},
    {"static __global__ void k() {}\n#define RUN(x) x<<<1, 2>>>()\nvoid f() { RUN(k); RUN(k); }", 2,
     true},
    {"static __global__ void k() {} void w(int b) { k<<<1, b>>>(); } void f() { w(3); }", 1, false},
    {"static __global__ void k() {}\n"
     "void f() { cudaLaunchKernel((void *)k, 1, 2, a, 0, 0); }",
     1, true},
};

START_TEST(test_owners)
{
    struct parse parse;
    size_t count;
    bool complete;
    parse_text(&parse, owners[_i].text);
    const struct launch_site *const *sites =
        model_launches_of(&parse.model, function_called(&parse.unit, "k"), &count, &complete);
    ck_assert_msg(count == owners[_i].count && complete == owners[_i].complete, "%s: %zu sites%s",
                  owners[_i].text, count, complete ? ", complete" : "");
    for (size_t i = 0; i < count; ++i)
        ck_assert_str_eq(sites[i]->kernel->text, "k");
    parse_release(&parse);
}
END_TEST

/* The blocks that function d runs with. */
static const struct example runs[] = {
    {"__global__ void d() {} void f() { d<<<1, 32>>>(); d<<<2, dim3(8, 4)>>>(); d<<<3, 32>>>(); }",
     "32,1,1 8,4,1 all"},
    {"__global__ void d() {}", ""},
    {"__global__ void d() {} void f(int n) { d<<<1, 32>>>(); d<<<1, n>>>(); }", "32,1,1"},
    {"__device__ void d() {} __global__ void k() { d(); } void f() { k<<<1, 64>>>(); }",
     "64,1,1 all"},
    {"__device__ void d() {} __device__ void e() { d(); } __global__ void k() { e(); }\n"
     "__global__ void l() { d(); } void f() { k<<<1, 64>>>(); l<<<1, 96>>>(); }",
     "96,1,1 64,1,1 all"},
    {"__device__ void d() { d(); } __global__ void k() { d(); } void f() { k<<<1, 64>>>(); }",
     "64,1,1 all"},
    {"__device__ void d() {} void f() { k<<<1, 64>>>(); }", ""},
    {"__global__ void d() {} void f(int n) { int b = n ? 32 : 64; d<<<1, b>>>(); }",
     "32,1,1 64,1,1 all"},
    /* What no block can be is none of the possibilities. */
    {"__global__ void d() {} void f(int n) { int w = n ? 1 : 64; d<<<1, dim3(w, 32 / w)>>>(); }",
     "1,32,1 all"},
};

START_TEST(test_runs)
{
    struct parse parse;
    struct launch_blocks blocks_of;
    struct strbuf out = STRBUF_INIT;
    parse_text(&parse, runs[_i].text);
    bool all = model_blocks(&parse.model, function_called(&parse.unit, "d"), &blocks_of);
    ck_assert_int_eq(all, blocks_of.all);
    for (unsigned i = 0; i < blocks_of.count; ++i)
        strbuf_printf(&out, "%s%u,%u,%u", i ? " " : "", blocks_of.block[i][0],
                      blocks_of.block[i][1], blocks_of.block[i][2]);
    if (all)
        strbuf_adds(&out, " all");
    ck_assert_msg(!strcmp(out.text ? out.text : "", runs[_i].want), "%s: %s", runs[_i].text,
                  out.text ? out.text : "");
    strbuf_release(&out);
    parse_release(&parse);
}
END_TEST

static const struct example bounds[] = {
    {"__global__ void d() {}", ""},
    {"__global__ void __launch_bounds__(256) d() {}", "256 ? ?"},
    {"#define T 128\n__global__ __launch_bounds__(T * 2, 4) void d() {}", "256 4 ?"},
    {"const int T = 64; __global__ void __launch_bounds__(T, 2, 8) d() {}", "64 2 8"},
    {"template <int N> __global__ void __launch_bounds__(N) d() {}\n"
     "void f() { d<32><<<1, 32>>>(); d<64><<<1, 64>>>(); }",
     "32|64 ? ?"},
    {"__global__ void __launch_bounds__(UNKNOWN, 1) d() {}", "? 1 ?"},
    {"__global__ void __launch_bounds__(96) d(int n); __global__ void d(int n) {}", "96 ? ?"},
    {"__global__ void __maxnreg__(40) d() {}", " registers 40"},
};

START_TEST(test_bounds)
{
    struct parse parse;
    struct strbuf out = STRBUF_INIT;
    parse_text(&parse, bounds[_i].text);
    struct launch_bounds b = model_launch_bounds(&parse.model, function_called(&parse.unit, "d"));
    if (b.given) {
        put_constant(&out, &b.max_threads);
        strbuf_addc(&out, ' ');
        put_constant(&out, &b.min_blocks);
        strbuf_addc(&out, ' ');
        put_constant(&out, &b.max_clusters);
        ck_assert_ptr_nonnull(b.arguments[0]);
    }
    if (b.max_registers)
        strbuf_printf(&out, " registers %u", b.max_registers);
    ck_assert_msg(!strcmp(out.text ? out.text : "", bounds[_i].want), "%s: %s", bounds[_i].text,
                  out.text ? out.text : "");
    strbuf_release(&out);
    parse_release(&parse);
}
END_TEST

START_TEST(test_options)
{
    static const struct model_define define = {.name = "B", .value = "192"};
    const struct model_options options = {
        .defines = &define, .define_count = 1, .max_registers = 64};
    static const char text[] = K "void f() { k<<<1, B>>>(p); }";
    struct parse parse;
    size_t count;
    parse_model(&parse, text, strlen(text), &options);
    const struct launch_site *sites = model_launches(&parse.model, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(sites[0].blocks[0][0], 192);
    ck_assert_uint_eq(model_launch_bounds(&parse.model, 0).max_registers, 64);
    parse_release(&parse);
}
END_TEST

/* What a header's facts tell. */
START_TEST(test_facts)
{
    static const char header_text[] =
        "#define B 128\nenum { E = 4, F };\nstatic const int C = B * 2;\n#define UP(a) (a)\n"
        "extern int unknown;\n#define GUARD\nvoid f() { const int local = 3; }\n";
    static const char other_text[] = "#define B 64\n#define C unknown_name\n";
    struct parse header, other, user;
    struct model_facts facts[3] = {{0}};
    struct constant c;
    parse_text(&header, header_text);
    parse_text(&other, other_text);
    model_facts_read(&facts[0], &header.model, &header.arena);
    model_facts_read(&facts[1], &other.model, &other.arena);

    const struct model_facts *list[] = {&facts[0], &facts[1]};
    struct model_options options = {.facts = list, .fact_count = 1};
    ck_assert(model_facts_find(&options, "F", &c));
    ck_assert_int_eq(c.values[0], 5);
    ck_assert(model_facts_find(&options, "C", &c));
    ck_assert_int_eq(c.values[0], 256);
    ck_assert(!model_facts_find(&options, "UP", &c));
    ck_assert(!model_facts_find(&options, "unknown", &c));
    ck_assert(!model_facts_find(&options, "local", &c));
    ck_assert(!model_facts_find(&options, "GUARD", &c));
    ck_assert(!model_facts_find(NULL, "B", &c));

    /* Two headers: all values count, and one that is not known spoils them. */
    options.fact_count = 2;
    ck_assert(model_facts_find(&options, "B", &c));
    ck_assert_uint_eq(c.count, 2);
    ck_assert_int_eq(c.values[0], 64);
    ck_assert_int_eq(c.values[1], 128);
    ck_assert(!model_facts_find(&options, "C", &c));
    model_facts_merge(&facts[2], list, 2, &header.arena);
    const struct model_facts *merged[] = {&facts[2]};
    const struct model_options both = {.facts = merged, .fact_count = 1};
    ck_assert(model_facts_find(&both, "B", &c));
    ck_assert_uint_eq(c.count, 2);
    ck_assert(!model_facts_find(&both, "C", &c));
    ck_assert(model_facts_find(&both, "E", &c));

    options.fact_count = 1;
    static const char user_text[] =
        K "#define E 2\nvoid f() { int b = B / E; k<<<C, b>>>(p); k<<<1, F * 8>>>(p); }";
    size_t count;
    parse_model(&user, user_text, strlen(user_text), &options);
    const struct launch_site *sites = model_launches(&user.model, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(sites[0].grid[0].value.values[0], 256);
    ck_assert_uint_eq(sites[0].blocks[0][0], 64);
    ck_assert_uint_eq(sites[1].blocks[0][0], 40);
    parse_release(&user);
    parse_release(&other);
    parse_release(&header);
}
END_TEST

/* The facts of a tree: which files are asked, in which order. */
START_TEST(test_world)
{
    static const char *const texts[] = {
        "#define A 1\n#define X 10\ntypedef double real;\nstruct s { int a, b; };\n",
        "#define A 2\n#define B 3\n#define real float\n#define word unsigned long long\n",
        "#define A 4\n#define C unknown_name\n",
        "#define C 5\ntemplate <typename T> struct s { T a; };\ntypedef float real[4];\n",
    };
    enum { FILES = 4 };
    struct parse parses[FILES];
    struct model_facts facts[FILES] = {{0}}, copies[FILES] = {{0}};
    struct model_world *world = model_world_new();
    struct arena arena = ARENA_INIT;
    struct constant c;
    for (unsigned i = 0; i < FILES; ++i) {
        parse_text(&parses[i], texts[i]);
        model_facts_read(&facts[i], &parses[i].model, &parses[i].arena);
        model_facts_read_types(&facts[i], &parses[i].model, &parses[i].arena);
        model_facts_add_copy(&copies[i], &facts[i], &arena);
        ck_assert_uint_eq(model_world_add(world, &copies[i]), i);
        parse_release(&parses[i]); /* the copies stand alone */
    }
    const uint32_t numbers[] = {0, 1, 2, 3};
    struct model_options options = {.world = world, .scopes = {{numbers, 1}, {numbers + 1, 2}}};
    ck_assert(model_facts_find(&options, "A", &c) && c.count == 1 && c.values[0] == 1);
    ck_assert(model_facts_find(&options, "X", &c) && c.values[0] == 10);
    ck_assert(model_facts_find(&options, "B", &c) && c.values[0] == 3);
    ck_assert(!model_facts_find(&options, "C", &c) && c.count == 0);
    ck_assert_uint_eq(model_facts_find_type(&options, "real")->size, 8);
    ck_assert_uint_eq(model_facts_find_type(&options, "s")->size, 8);
    ck_assert_uint_eq(model_facts_find_type(&options, "word")->size, 8);
    ck_assert(!model_facts_find_type(&options, "A"));
    /* All of one scope count. */
    options.scopes[0].count = FILES;
    ck_assert(model_facts_find(&options, "A", &c) && c.count == 3 && c.values[2] == 4);
    ck_assert(!model_facts_find(&options, "C", &c));
    ck_assert(!model_facts_find_type(&options, "real"));
    ck_assert(!model_facts_find_type(&options, "s"));
    model_world_free(world);
    arena_release(&arena);
}
END_TEST

static const struct {
    const char *users;
    bool whole, complete;
} shut[] = {
    {"void f() { k<<<1, 64>>>(); }", true, true},
    {"void f() { k<<<1, 64>>>(); }", false, false},
    {"void f(int n) { k<<<1, n>>>(); }", true, false},
    {"void f(int n) { k<<<1, n>>>(); } void g() { f(32); }", true, false},
    {"void f() { }", true, true},
};

/* When the launches in other files are all there can be. */
START_TEST(test_whole)
{
    struct parse users, kernel;
    struct model_facts facts = {0};
    const struct model_facts *list[] = {&facts};
    const struct model_options options = {.users = list, .user_count = 1, .whole = shut[_i].whole};
    static const char text[] = "__global__ void k() {} void f() { k<<<1, 16>>>(); }";
    size_t count;
    bool complete;
    parse_text(&users, shut[_i].users);
    model_facts_read_launches(&facts, &users.model, &users.arena);
    parse_model(&kernel, text, strlen(text), &options);
    model_launches_of(&kernel.model, function_called(&kernel.unit, "k"), &count, &complete);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(complete, shut[_i].complete);
    parse_release(&kernel);
    parse_release(&users);
}
END_TEST

/* Blocks of a kernel that other files launch. */
START_TEST(test_users)
{
    static const char first_text[] =
        "void f() { k<<<1, 64>>>(); k<<<1, 32>>>(); other<<<1, 8>>>(); }";
    static const char second_text[] = "void f(int n) { k<<<1, 96>>>(); l<<<1, n>>>(); }";
    static const char kernel_text[] =
        "__global__ void k() { d(); } __device__ void d() {} __global__ void l() {}\n"
        "static __global__ void other() {} void f() { k<<<1, 16>>>(); }";
    struct parse first, second, kernel;
    struct model_facts facts[3] = {{0}};
    struct launch_blocks got;
    parse_text(&first, first_text);
    parse_text(&second, second_text);
    model_facts_read_launches(&facts[0], &first.model, &first.arena);
    model_facts_read_launches(&facts[1], &second.model, &second.arena);
    ck_assert_uint_eq(facts[0].launch_count, 2);
    const struct model_facts *list[] = {&facts[0], &facts[1]};
    model_facts_merge(&facts[2], list, 2, &first.arena);
    const struct model_facts *merged[] = {&facts[2]};
    for (int i = 0; i < 2; ++i) {
        const struct model_options options = {.users = i ? merged : list, .user_count = i ? 1 : 2};
        parse_model(&kernel, kernel_text, strlen(kernel_text), &options);
        ck_assert(model_blocks(&kernel.model, function_called(&kernel.unit, "k"), &got));
        ck_assert_uint_eq(got.count, 4);
        ck_assert_uint_eq(got.block[0][0], 16);
        ck_assert_uint_eq(got.block[3][0], 96);
        ck_assert(model_blocks(&kernel.model, function_called(&kernel.unit, "d"), &got));
        ck_assert_uint_eq(got.count, 4);
        ck_assert(!model_blocks(&kernel.model, function_called(&kernel.unit, "l"), &got));
        ck_assert_uint_eq(got.count, 0);
        ck_assert(!model_blocks(&kernel.model, function_called(&kernel.unit, "other"), &got));
        ck_assert_uint_eq(got.count, 0);
        parse_release(&kernel);
    }
    parse_release(&second);
    parse_release(&first);
}
END_TEST

/* Definitions. */
START_TEST(test_flow)
{
    static const char text[] = "void f(int n) { int b = 1; if (n) b = 2; g(b); b = 3; }";
    struct parse parse;
    parse_text(&parse, text);
    const struct symbol *b = symbol_find(&parse.symbols, "b");
    const struct symbol *n = symbol_find(&parse.symbols, "n");
    const struct symbol *g = symbol_find(&parse.symbols, "g");
    uint32_t at = 0;
    while (unit_token(&parse.unit, at)->symbol != g)
        ++at;
    struct reaching reaching;
    bool partial;
    ck_assert(flow_reaching(&parse.model, 0, b, NULL, 0, at, &reaching, &partial));
    ck_assert(reaching.known && !partial);
    ck_assert_uint_eq(reaching.count, 2);
    ck_assert_int_eq(reaching.items[0]->kind, DEFINITION_ASSIGNED);
    ck_assert_int_eq(reaching.items[1]->kind, DEFINITION_DECLARED);
    ck_assert(flow_reaching(&parse.model, 0, n, NULL, 0, at, &reaching, NULL));
    ck_assert_int_eq(reaching.items[0]->kind, DEFINITION_PARAMETER);
    ck_assert(!flow_reaching(&parse.model, 0, g, NULL, 0, at, &reaching, NULL));
    parse_release(&parse);
}
END_TEST

/* Hostile texts: no crash, in bounded time. */

static void run_all(const char *text, size_t len)
{
    struct parse parse;
    struct launch_blocks blocks_of;
    size_t count;
    bool complete;
    parse_model(&parse, text, len, NULL);
    model_launches(&parse.model, &count);
    for (size_t i = 0; i < parse.unit.functions.count; ++i) {
        model_launches_of(&parse.model, i, &count, &complete);
        model_blocks(&parse.model, i, &blocks_of);
        model_launch_bounds(&parse.model, i);
    }
    parse_release(&parse);
}

static const char *const hostile[] = {
    "",
    "k<<<",
    "k<<<1, 2>>>",
    "<<<1, 2>>>(p)",
    "k<<<>>>(p)",
    "k<<<,>>>(p)",
    "void f() { k<<<1, 2>>>(p)",
    "void f() { cudaLaunchKernel(); cudaLaunchKernel(,); cudaLaunchKernel(k, 1",
    "void f() { cudaLaunchKernelEx(&, k); cudaLaunchKernelEx(&c, ); cuLaunchKernel(1, 2, 3); }",
    "void f() { cudaLaunchConfig_t c = c; cudaLaunchKernelEx(&c, k); }",
    "void f() { dim3 b = b; k<<<b, b>>>(); int c = d, d = c; k<<<c, d>>>(); }",
    "void f(int a = a) { k<<<a, a>>>(); } void g() { f(); }",
    "int a = b; int b = a; void f() { k<<<a, b>>>(); }",
    "void f(int a) { g(a); } void g(int a) { f(a); k<<<a, a>>>(); }",
    "int f() { return g(); } int g() { return f(); } void h() { k<<<f(), g()>>>(); }",
    "#define A(x) A(x)\nvoid f() { k<<<A(1), A(A(2))>>>(); }",
    "#define K K<<<K, K>>>(K)\nvoid f() { K; }",
    "#define L(x) x<<<x, x>>>(x); L(x)\nvoid f() { L(L(k)); }",
    "#define L(k) k<<<1, 2>>>()\n#define M(k) L(M)\nvoid f() { M(L); }",
    "void f() { auto k = k; k<<<1, 2>>>(); auto a = b, b = a; a<<<1, 2>>>(); }",
    "void f() { for (int i = 1; i; ++i) k<<<i, i>>>(); for (;;) k<<<i, i>>>(); }",
    "void f() { for (int i = 0; i < 9; i = i) k<<<1, i>>>(); }",
    "void f() { for (auto x : x) k<<<1, x>>>(); }",
    "void f() { int a[] = {a[0], a[1]}; k<<<1, a[0]>>>(); k<<<1, a[99999999999]>>>(); }",
    "void f() { x.x.x.x.x.x = 1; k<<<1, x.x.x.x.x.x>>>(); y[0][1].z = 2; k<<<1, y[0][1].z>>>(); }",
    "__global__ void __launch_bounds__() a(); __global__ void __launch_bounds__(,,,,) b() {}",
    "__global__ void __maxnreg__( d() {}",
    "template <int N> void f() { k<N><<<N, N>>>(); f<N + 1>(); } void g() { f<0>(); }",
    "void f() { [&](int b, { k<<<1, b>>>(); }",
    "void f() { switch (n) b = 3; k<<<1, b>>>(); switch (n) { b = 4; case 1: } k<<<1, b>>>(); }",
    "void f() { if (n) ; else ; k<<<1, 2>>>(); while (k<<<1, 2>>>()) ; do ; while (0); }",
};

START_TEST(test_hostile)
{
    /* Cut short at each byte, too. */
    for (size_t len = strlen(hostile[_i]);; --len) {
        run_all(hostile[_i], len);
        if (!len)
            break;
    }
}
END_TEST

/* Many of the same: what is quadratic would take minutes. */
static const struct {
    const char *before, *piece, *after;
    int times;
} large[] = {
    {"void f() { int b = 32;", "k<<<1, b>>>();", "}", 20000},
    {"void f() {", "b = b + 1; k<<<1, b>>>();", "}", 5000},
    {"void f() { int b = 1;", "b = b + 1; k<<<1, b>>>();", "}", 5000},
    {"void f() { int b = 1;", "if (n) b = 2; k<<<1, b>>>();", "}", 5000},
    {"void f() { int b = 1;", "if (n) { b = 2; ", "k<<<1, b>>>();", 5000},
    {"void f() { int b = 1;", "while (n) { k<<<1, b>>>(); b++; ", "", 300},
    {"void f() { int b = 1; k<<<1,", "(b + ", "b>>>(); }", 5000},
    {"void f() { int b = 1; k<<<1,", "n ? b : ", "b>>>(); }", 300},
    {"", "__global__ void k(int *p) { k<<<1, 2>>>(p); }", "", 5000},
    {"", "static void w(int b) { k<<<1, b>>>(); w(1); }", "", 2000},
    {"static void w(int b) { k<<<1, b>>>(); }", "void f() { w(3); }", "", 5000},
    {"#define L(b) k<<<1, b>>>()\nvoid f() {", "L(1); L(2);", "}", 5000},
    {"", "\n#define L(b) M(b) M(b)\n#define M(b) L(b) k<<<1, b>>>()\n", "void f() { L(1); }", 300},
    {"__device__ void d() {}", "__device__ void e() { d(); e(); }", "", 3000},
    {"void f() { int b;\n", "#if X\nb = 1;\n#else\nb = 2;\n#endif\nk<<<1, b>>>();\n", "}", 2000},
    {"void f() { cudaLaunchConfig_t c;", "c.blockDim.x = 3; cudaLaunchKernelEx(&c, k);", "}", 3000},
    {"static int b;", "void f() { b = 3; k<<<1, b>>>(); }", "", 3000},
    {"void f() { switch (n) {", "case 1: b = 3; k<<<1, b>>>();", "} }", 3000},
};

START_TEST(test_large)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, large[_i].before);
    for (int i = 0; i < large[_i].times; ++i)
        strbuf_adds(&text, large[_i].piece);
    strbuf_adds(&text, large[_i].after);
    run_all(text.text, text.len);
    strbuf_release(&text);
}
END_TEST

/* Pieces put together at random, the same on every run. */
START_TEST(test_random)
{
    static const char *const pieces[] = {
        "k<<<",
        ">>>(",
        "b",
        ", ",
        "(",
        ")",
        "{",
        "}",
        ";",
        " = ",
        "dim3 ",
        "int ",
        "for (",
        "if (",
        "else ",
        "64",
        ".x",
        "&",
        "#define b ",
        "\n",
        "void f(",
        "__global__ ",
        "cudaLaunchKernel(",
        "cudaLaunchKernelEx(",
        "switch (",
        "case 1:",
        "return ",
        "[",
        "]",
        "template <int b> ",
        "b<",
        ">",
        "? ",
        ": ",
        "while (",
        "do ",
        "* ",
        "static ",
        "+= ",
        "hipLaunchKernelGGL(",
        "b(",
        "struct b {",
        "#if b\n",
        "#else\n",
        "#endif\n",
        "[&]",
    };
    uint32_t state = 12345u + (uint32_t)_i;
    struct strbuf text = STRBUF_INIT;
    for (int i = 0; i < 400; ++i) {
        state = state * 1664525u + 1013904223u;
        strbuf_adds(&text, pieces[(state >> 8) % (uint32_t)COUNT(pieces)]);
    }
    run_all(text.text, text.len);
    strbuf_release(&text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("launch");
    TCase *tcase = tcase_create("launch");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_forms, 0, COUNT(forms));
    tcase_add_loop_test(tcase, test_blocks, 0, COUNT(blocks));
    tcase_add_loop_test(tcase, test_files, 0, COUNT(files));
    tcase_add_loop_test(tcase, test_owners, 0, COUNT(owners));
    tcase_add_loop_test(tcase, test_runs, 0, COUNT(runs));
    tcase_add_loop_test(tcase, test_bounds, 0, COUNT(bounds));
    tcase_add_test(tcase, test_options);
    tcase_add_test(tcase, test_facts);
    tcase_add_test(tcase, test_users);
    tcase_add_test(tcase, test_world);
    tcase_add_loop_test(tcase, test_whole, 0, COUNT(shut));
    tcase_add_test(tcase, test_flow);
    tcase_add_loop_test(tcase, test_hostile, 0, COUNT(hostile));
    tcase_add_loop_test(tcase, test_large, 0, COUNT(large));
    tcase_add_loop_test(tcase, test_random, 0, 300);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
