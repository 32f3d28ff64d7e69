/* What must hold for every input, tried on every source of testsuite/fixtures/ and
   testsuite/programs/, and on damaged copies of them: it ends, in bounded time and without a crash;
   bytes outside the edits are the input's; a second translation changes nothing (asked of undamaged
   sources); line ends and a missing last newline survive; an empty map changes nothing. */
#include <config.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

static struct map *facts, *no_facts;
static struct sources files;

static void set_up(void)
{
    facts = load_facts();
    no_facts = map_new();
    collect_sources(&files);
}

static void tear_down(void)
{
    map_free(facts);
    map_free(no_facts);
    release_sources(&files);
}

START_TEST(test_twice)
{
    struct text text = read_text(files.list.items[_i]);
    check_stable(files.list.items[_i], text.bytes, text.len, facts, LAUNCH_CHEVRON);
    check_stable(files.list.items[_i], text.bytes, text.len, facts, LAUNCH_FUNCTION);
    free(text.bytes);
}
END_TEST

START_TEST(test_empty_map)
{
    struct text text = read_text(files.list.items[_i]);
    struct text res = run(files.list.items[_i], text.bytes, text.len, no_facts, LAUNCH_CHEVRON);
    ck_assert_uint_eq(res.len, text.len);
    ck_assert(!memcmp(res.bytes, text.bytes, text.len));
    free(res.bytes);
    free(text.bytes);
}
END_TEST

static struct text to_crlf(struct text text)
{
    struct strbuf buf = STRBUF_INIT;
    for (size_t i = 0; i < text.len; ++i) {
        if (text.bytes[i] == '\n' && (i == 0 || text.bytes[i - 1] != '\r'))
            strbuf_addc(&buf, '\r');
        strbuf_addc(&buf, text.bytes[i]);
    }
    strbuf_add(&buf, "", 0);
    return (struct text){buf.text, buf.len};
}

START_TEST(test_line_ends)
{
    const char *name = files.list.items[_i];
    struct text text = read_text(name);
    if (!memchr(text.bytes, '\n', text.len)) {
        free(text.bytes);
        return; /* no line end to keep */
    }
    struct text res = run(name, text.bytes, text.len, facts, LAUNCH_CHEVRON);
    struct text crlf = to_crlf(text),
                crlf_res = run(name, crlf.bytes, crlf.len, facts, LAUNCH_CHEVRON);
    struct text expected = to_crlf(res);
    ck_assert_msg(crlf_res.len == expected.len &&
                      !memcmp(crlf_res.bytes, expected.bytes, expected.len),
                  "%s: with CR LF the result is another one", name);
    if (text.len && text.bytes[text.len - 1] == '\n') {
        struct text cut = run(name, text.bytes, text.len - 1, facts, LAUNCH_CHEVRON);
        ck_assert_msg(cut.len == res.len - 1 && !memcmp(cut.bytes, res.bytes, cut.len),
                      "%s: without the last newline the result is another one", name);
        free(cut.bytes);
    }
    free(expected.bytes);
    free(crlf_res.bytes);
    free(crlf.bytes);
    free(res.bytes);
    free(text.bytes);
}
END_TEST

/* One condition with very many operators, which make a deep tree. */
START_TEST(test_deep_condition)
{
    static const char *const operators[] = {"||a", "&&a", "+a", "?a:a", "==a"};
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, "#if a");
    while (text.len < 1000000)
        strbuf_adds(&text, operators[_i]);
    strbuf_adds(&text, "\n#endif\n");
    free(run("deep", text.text, text.len, facts, LAUNCH_CHEVRON).bytes);
    strbuf_release(&text);
}
END_TEST

/* Shapes in three parts: so many times A, then B, then C. */
static const char *const nests[][3] = {
    {"namespace a{", "}", "cudaMalloc;"},
    {"struct a{", "};", "cudaMalloc;"},
    {"namespace{", "int cudaMalloc;", "}"},
    {"class a{", "class b{int cudaMalloc;};", "cudaMalloc;"},
    {"(", "#if 1\n)\n#else\n", ""},
    {"a<", "#if 1\n;\n#else\n", ""},
    {"a<", "#if 1\n=\n#else\n", ""},
    {"f<<<a<", "#if 1\n>>>\n#else\n", ""},
    {"CUdeviceptr p;", "p.", "p + 1"},
    {"#pragma x\n", "[", "int cudaMalloc,]"},
    {"a[", "x", "]<<<1,1>>>()"},
};

START_TEST(test_nests)
{
    struct strbuf text = STRBUF_INIT;
    for (int part = 0; part < 3; ++part)
        for (size_t start = text.len; text.len < start + 700000 && *nests[_i][part];)
            strbuf_adds(&text, nests[_i][part]);
    free(run("nests", text.text, text.len, facts, LAUNCH_FUNCTION).bytes);
    strbuf_release(&text);
}
END_TEST

/* NUL bytes are content like others, also in comments, strings and names of headers. */
START_TEST(test_nuls)
{
    static const char *const starts[] = {"//",         "\"", "'",    "#error ",
                                         "#include <", "/*", "R\"(", "a"};
    enum { SIZE = 1000000 };
    size_t len = strlen(starts[_i]);
    char *text = xcalloc(SIZE, 1);
    memcpy(text, starts[_i], len);
    free(run("nuls", text, SIZE, facts, LAUNCH_CHEVRON).bytes);
    free(text);
}
END_TEST

/* A small generator: the same damage in every run. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

START_TEST(test_damaged)
{
    static const char nasty[] = "\"'(){}[]<>#\\\n/*;,:@\0\xff R";
    const char *name = files.list.items[_i];
    struct text text = read_text(name);
    uint32_t state = (uint32_t)text.len + 1;
    size_t rounds = text.len < 24 ? text.len : 24;
    for (size_t i = 0; i < rounds; ++i) {
        size_t cut = next_random(&state) % (text.len + 1);
        free(run(name, text.bytes, cut, facts, LAUNCH_CHEVRON).bytes);
        size_t at = next_random(&state) % text.len;
        char before = text.bytes[at];
        text.bytes[at] = nasty[next_random(&state) % (sizeof nasty - 1)];
        free(
            run(name, text.bytes, text.len, facts, i % 2 ? LAUNCH_CHEVRON : LAUNCH_FUNCTION).bytes);
        text.bytes[at] = before;
    }
    free(text.bytes);
}
END_TEST

/* Time must grow with the input and not faster: shapes that make careless parsers slow, so often
   that the square of their number would take longer than the test may. */
static const char *const shapes[] = {
    "(",
    "{",
    "<",
    "a<",
    "[",
    "#if 1\n",
    "#if 1\n(\n#else\n",
    "#define f(\\\n",
    "\\\n",
    "R\"x(",
    "/*",
    "class ",
    "class a{",
    "namespace a{",
    "template<",
    "k<<<",
    "k<<<1,1>>>(",
    "a<b,",
    "::",
    "__shared__ ",
    "cudaMalloc(",
    "cudaMalloc(cudaMalloc,",
    "int cudaFree;",
    "void f(){ int cudaFree; } ",
    "#define cudaFree\n",
    "##",
    "#define a cuda##b\n",
    "a.major",
    "cudaDeviceProp *",
    "u8\"",
    "'",
    "\"\\",
    ")",
    "}",
    "#endif\n",
    "#else\n",
    "#elif\n",
    "operator ",
    "= {",
    "(a<b)",
    "enum{",
    "enum class a:",
    "extern \"C\" {",
    "struct a : b<",
    "#include <",
    "#include <cuda.h>\n",
    "#if (",
    "#if 1?",
    "#if !",
    "#if defined(",
    "__launch_bounds__(",
    "asm(",
    "~",
    "0x'",
    "1'1",
    "\xff",
    "a::template b<",
    "cudaDeviceProp a = cudaDeviceProp b, a",
    "p.",
    "namespace{",
    "namespace a{ int cudaMalloc; ",
    "__shared__=",
    ", __shared__ b = 1",
    "__shared__ a{} ",
    "__shared__ ():",
    "a __shared__ ",
    "case a: __shared__ (b) : c ",
    "#if 1\n#include \"x\"\n",
    "#if 1\n#include <cuda.h>\n#endif\n",
    "a[k<<<1,1>>>()",
    "#pragma x\n",
    "co_await ",
    "HIP_SYMBOL(",
    "cudaMemAdvise(a,b,c,cudaMemLocation{",
    "x->cudaMalloc(&p, ",
    "using a::",
    "cub::",
    "#define H <cuda.h>\n#include H\n",
    "__has_include(<cuda.h>) ",
    "{",
    "auto f()->cudaError_t ",
    "case CUFFT_NVRTC_FAILURE: return 1; ",
    "switch (x) { case CUFFT_NVRTC_FAILURE: ",
    "{ case cudaSuccess: case CUDA_SUCCESS: ",
    "case cudaErrorNotReady: case CUDA_ERROR_NOT_READY: { ",
    "int f(CUresult e) { return 1; } int f(cudaError_t e) { return 1; } ",
    "int f(CUresult e[ = CUdeviceptr, ",
    "template <> struct t<CUresult> { }; ",
    "using namespace nvcuda; wmma::x ",
    "nvcuda::",
    "uint3 a = threadIdx, b; dim3 c = b; ",
    "nvtxNameCudaStreamA(/* a */ a, // b\n",
    "nvtxNameCudaStreamA(a, /* b */ b) ",
    "__constant__ int a = b, ",
    "__shared__ a, b = { ",
    "int main() { cudaNewCall(0); } ",
};

START_TEST(test_hostile)
{
    const char *shape = shapes[_i];
    size_t len = strlen(shape), count = 2000000 / len, size = len * count;
    char *text = xmalloc(size + 1);
    for (size_t i = 0; i < count; ++i)
        memcpy(text + i * len, shape, len);
    free(run("hostile", text, size, facts, LAUNCH_FUNCTION).bytes);
    free(text);
}
END_TEST

int main(void)
{
    set_up();
    Suite *suite = suite_create("invariants");
    TCase *tcase = tcase_create("sources");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_twice, 0, (int)files.list.count);
    tcase_add_loop_test(tcase, test_empty_map, 0, (int)files.list.count);
    tcase_add_loop_test(tcase, test_line_ends, 0, (int)files.list.count);
    tcase_add_loop_test(tcase, test_damaged, 0, (int)files.list.count);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("hostile");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_deep_condition, 0, 5);
    tcase_add_loop_test(tcase, test_nests, 0, (int)(sizeof nests / sizeof *nests));
    tcase_add_loop_test(tcase, test_nuls, 0, 8);
    tcase_add_loop_test(tcase, test_hostile, 0, (int)(sizeof shapes / sizeof *shapes));
    suite_add_tcase(suite, tcase);
    int status = run_suite(suite);
    tear_down();
    return status;
}
