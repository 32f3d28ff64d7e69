/* How two versions differ: the pieces cover both, what is called the same is the same, and what the
   words are; over every source of the tests with random changes. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "report/contrast.h"
#include "testsuite/unit/assert.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

static struct map *facts;
static struct sources files;

static unsigned state = 4711;

static unsigned roll(unsigned most)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % most;
}

/* Reads the LEN bytes at TEXT as HIP. */
static void read_hip(struct translation *t, const char *text, size_t len)
{
    struct translate_options options = {
        .map = facts, .hip_version = map_newest_hip(facts), .input = INPUT_HIP};
    char *copy = xcalloc(len + SOURCE_PADDING, 1);
    if (len)
        memcpy(copy, text, len);
    translate(t, "k.hip", copy, len, &options);
}

static const char *line_of(const struct version_lines *lines, size_t line, size_t *len)
{
    *len = lines->list.items[line].end - lines->list.items[line].begin;
    return lines->source->text + lines->list.items[line].begin;
}

/* Whether the lines have the same bytes but for white space. */
static bool same_line(const struct version_lines *a, size_t i, const struct version_lines *b,
                      size_t k)
{
    size_t a_len, b_len, at = 0;
    const char *x = line_of(a, i, &a_len), *y = line_of(b, k, &b_len);
    for (size_t j = 0; j < a_len; ++j) {
        if (memchr(" \t\r\n\f\v", x[j], 6))
            continue;
        while (at < b_len && memchr(" \t\r\n\f\v", y[at], 6))
            ++at;
        if (at == b_len || x[j] != y[at++])
            return false;
    }
    return true;
}

/* Compares OLD and NEW, checks what holds for any two texts, and returns the changed pieces. With
   PLAIN, nothing in them has two spellings. */
static size_t compare(const char *old, size_t old_len, const char *new, size_t new_len, bool exact,
                      bool plain)
{
    struct translation a, b;
    struct contrast c;
    read_hip(&a, old, old_len);
    read_hip(&b, new, new_len);
    contrast_make(&c, &a, &b, exact);
    size_t old_at = 0, new_at = 0, changed = 0;
    vec_each (const struct piece, p, &c.pieces) {
        ck_assert_uint_eq(p->old, old_at);
        ck_assert_uint_eq(p->new, new_at);
        ck_assert_uint_gt(p->old_count + p->new_count, 0);
        ck_assert(!p->same || (!p->changed && p->old_count == p->new_count));
        for (size_t i = 0; p->same && (plain || exact) && i < p->old_count; ++i)
            ck_assert(same_line(&c.old, p->old + i, &c.new, p->new + i));
        for (size_t i = 0; i < p->old_count; ++i)
            ck_assert_uint_eq(contrast_piece(&c, p->old + i, false), (size_t)(p - c.pieces.items));
        for (size_t i = 0; i < p->new_count; ++i)
            ck_assert_uint_eq(contrast_piece(&c, p->new + i, true), (size_t)(p - c.pieces.items));
        old_at += p->old_count;
        new_at += p->new_count;
        changed += p->changed;
    }
    ck_assert_uint_eq(old_at, c.old.list.count);
    ck_assert_uint_eq(new_at, c.new.list.count);
    ck_assert_uint_eq(changed, c.changed);
    contrast_release(&c);
    translation_release(&a);
    translation_release(&b);
    return changed;
}

static size_t between(const char *old, const char *new)
{
    return compare(old, strlen(old), new, strlen(new), false, false);
}

START_TEST(itself)
{
    struct text text = read_text(files.list.items[_i]);
    ck_assert_uint_eq(compare(text.bytes, text.len, text.bytes, text.len, false, true), 0);
    ck_assert_uint_eq(compare(text.bytes, text.len, text.bytes, text.len, true, true), 0);
    free(text.bytes);
}
END_TEST

/* Bytes and lines taken out, doubled and exchanged. */
START_TEST(damaged)
{
    struct text text = read_text(files.list.items[_i]);
    for (int round = 0; round < 4 && text.len; ++round) {
        struct strbuf new = STRBUF_INIT;
        strbuf_add(&new, text.bytes, text.len);
        for (int i = 0; i < 5; ++i) {
            size_t at = roll((unsigned)new.len), n = roll(60);
            n = n < new.len - at ? n : new.len - at;
            if (roll(2))
                new.text[at] = " \n\"(/*"[roll(6)];
            else
                memmove(new.text + at, new.text + at + n, new.len - at - n), new.len -= n;
            if (!new.len)
                break;
        }
        compare(text.bytes, text.len, new.text, new.len, false, false);
        compare(text.bytes, text.len, new.text, new.len, true, false);
        strbuf_release(&new);
    }
    free(text.bytes);
}
END_TEST

START_TEST(spellings)
{
    static const char *const same[][2] = {
        {"int a;", "int  a ; // what\n"},
        {"k<<<1, 2>>>(x);", "hipLaunchKernelGGL(k, 1, dim3(2), 0, 0, x);"},
        {"k<<<1, 2>>>();", "hipLaunchKernelGGL((k), dim3(1), 2, 0, nullptr);"},
        {"k<3, 4><<<g, b, 5, s>>>(x, y);",
         "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<3, 4>), dim3(g), dim3(b), 5, s, x, y);"},
        {"#include <hip/hip_runtime.h>\nint a;", "int a;"},
        {"#include <hipblas/hipblas.h>\n#include <a.h>", "#include <a.h>\n#include \"hipblas.h\""},
        {"hipMemcpyToSymbol(HIP_SYMBOL(a), b, 1);", "hipMemcpyToSymbol(a, b, 1);"},
        {"hipFuncGetAttributes(&a, (const void *)k);",
         "hipFuncGetAttributes(&a, reinterpret_cast<const void *>(k));"},
        {"hipMalloc((void **)&p, 1);", "hipMalloc(&p, 1);"},
        {"hipMallocHost(&p, 1);", "hipHostMalloc(&p, 1, hipHostMallocDefault);"},
        {"#define CHECK_CUDA\nCHECK_CUDA", "#define CHECK_HIP\nCHECK_HIP"},
        {"class CudaSpace; CudaSpace f();", "class HIPSpace; HIPSpace f();"},
        {"class CudaSpace; Cuda f();", "class HipSpace; HIP f();"},
        {"f(\"a CUDA error\");", "f(\"a HIP error\");"},
        {"#define HIP_ENABLE_WARP_SYNC_BUILTINS\nint a;", "int a;"},
        {"#include \"k.cu\"", "#include \"k.hip\""},
        {"#include \"cuda_k.h\"", "#include \"hip_k.h\""},
        {"k<<<dim3(1, 2, 1), 2>>>();", "k<<<dim3(1, 2), dim3(dim3(2))>>>();"},
        {"extern __shared__ float s[];", "HIP_DYNAMIC_SHARED(float, s)"},
        {"extern __shared__ a<b> s[];", "HIP_DYNAMIC_SHARED(a<b>, s);"},
        {"hipHostFree(p);", "hipFreeHost(p);"},
        {"int i;", "register int i;"},
        {"f(cublas_handle, \"cublasSgemm failed\");",
         "f(hipblas_handle, \"hipblasSgemm failed\");"},
        {"#define A 1 \\\n + 2", "#define A 1 + 2"},
    };
    ck_assert_uint_eq(between(same[_i][0], same[_i][1]), 0);
    ck_assert_uint_eq(between(same[_i][1], same[_i][0]), 0);
}
END_TEST

START_TEST(differences)
{
    static const char *const other[][2] = {
        {"int a;", "int b;"},
        {"return x;", "returnx;"},
        {"a = b + +c;", "a = b ++c;"},
        {"k<<<1, 2>>>(x);", "k<<<1, 2, 1>>>(x);"},
        {"k<<<1, 2>>>(x);", "hipLaunchKernelGGL(k, 1, 2, 0, s, x);"},
        {"k<<<dim3(1, 2), 2>>>(x);", "k<<<1, 2>>>(x);"},
        {"k<<<1, 2>>>();", "hipLaunchKernelGGL(k, 1, 2, 0, 0, 0);"},
        {"f(HIP_SYMBOL);", "f();"},
        {"f((void *)a);", "f(a);"},
        {"hipMalloc((char **)&p, 1);", "hipMalloc(&p, 1);"},
        {"hipHostMalloc(&p, 1, 0);", "hipHostMalloc(&p, 1, 2);"},
        {"CHECK_CUDA CHECK_CUDA", "CHECK_HIP CHECK_CUDA"},
        {"CHECK_CUDA CHECK_HIP", "CHECK_HIP CHECK_HIP"},
        {"CudaSpace HIPSpace", "HIPSpace HIPSpace"},
        {"CudaSpace CudaSpace", "HipSpace HIPSpace"},
        {"f(\"CUDA\");", "f(\"HIP\");"},
        {"f(\"a { CUDA }\");", "f(\"a { HIP }\");"},
        {"f(\"a CUDAS b\");", "f(\"a HIPS b\");"},
        {"#include <hipblas/hipblas.h>", ""},
        {"#include <a.h>", "#include <b.h>"},
        {"#include \"cuda_k.h\"", "#include \"hip_l.h\""},
        {"k<<<dim3(1, 2, 2), 2>>>();", "k<<<dim3(1, 2), 2>>>();"},
        {"extern __shared__ float s[];", "HIP_DYNAMIC_SHARED(int, s)"},
        {"f(\"the cublas_v2 failed\");", "f(\"the hipblas_v2 failed\");"},
        {"#include <a.h>", "#include \"a.h\""},
        {"#define A\nb", "#define A b"},
        {"f(R\"(a\n b)\");", "f(R\"(a\n  b)\");"},
        {"x = __ballot(1);", "x = __ballot_sync(~0ull, 1);"},
    };
    ck_assert_uint_gt(between(other[_i][0], other[_i][1]), 0);
    ck_assert_uint_gt(between(other[_i][1], other[_i][0]), 0);
}
END_TEST

START_TEST(exact)
{
    ck_assert_uint_gt(compare("int a;\n", 7, "int a; \n", 8, true, true), 0);
    ck_assert_uint_gt(compare("int a;\n", 7, "int a;", 6, true, true), 0);
    ck_assert_uint_eq(compare("int a;\n", 7, "int a;", 6, false, true), 0);
    ck_assert_uint_eq(compare("", 0, "", 0, true, true), 0);
}
END_TEST

/* Every line another: linear, or nearly so. */
START_TEST(large)
{
    enum { LINES = 100000 };
    struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
    for (int i = 0; i < LINES; ++i) {
        strbuf_printf(&a, "int a%d = f(%d);\n", i, i);
        strbuf_printf(&b, "int b%d = g(%d); // %d\n", LINES - i, i * 7, i);
    }
    ck_assert_uint_gt(compare(a.text, a.len, b.text, b.len, false, true), 0);
    strbuf_release(&a);
    strbuf_release(&b);
}
END_TEST

int main(void)
{
    facts = load_facts();
    collect_sources(&files);
    Suite *suite = suite_create("contrast");
    TCase *tests = tcase_create("contrast");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, itself, 0, (int)files.list.count);
    tcase_add_loop_test(tests, damaged, 0, (int)files.list.count);
    tcase_add_loop_test(tests, spellings, 0, 22);
    tcase_add_loop_test(tests, differences, 0, 26);
    tcase_add_test(tests, exact);
    tcase_add_test(tests, large);
    suite_add_tcase(suite, tests);
    int res = run_suite(suite);
    release_sources(&files);
    map_free(facts);
    return res;
}
