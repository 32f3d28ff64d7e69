#include <config.h>

#include "maps/library.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

/* The list of the source tree. */
static struct library_table *table;
static struct diag diag;

/* A table of one small file, and what loading it said. */
static struct library_table *small;
static struct diag said;
static char small_file[64];

static bool load_text(const char *text, size_t len)
{
    write_text(small_file, text, len);
    bool res = library_load_file(small, small_file, &said);
    ck_assert_int_eq(unlink(small_file), 0);
    return res;
}

static void set_up(void)
{
    char file[4096];
    const char *srcdir = getenv("srcdir");
    snprintf(file, sizeof file, "%s/maps/libraries.list", srcdir ? srcdir : ".");
    table = library_table_new();
    diag = (struct diag)DIAG_INIT;
    ck_assert_msg(library_load_file(table, file, &diag), "%s",
                  diag.text.text ? diag.text.text : "");
    ck_assert_uint_eq(diag.errors, 0);
    small = library_table_new();
    said = (struct diag)DIAG_INIT;
    snprintf(small_file, sizeof small_file, "check_library-%ld.list", (long)getpid());
}

static void tear_down(void)
{
    library_table_free(table);
    library_table_free(small);
    diag_release(&diag);
    diag_release(&said);
}

static const char *name_of(const struct library *library)
{
    return library ? library->text[LIBRARY_NAME] : "-";
}

static const char *by_include(const char *path)
{
    return name_of(library_of_include(table, path, strlen(path)));
}

static const char *by_link(const char *flag)
{
    return name_of(library_of_link(table, flag, strlen(flag)));
}

static const char *by_name(const char *name)
{
    return name_of(library_of_name(table, name, strlen(name)));
}

START_TEST(finds_by_include)
{
    ck_assert_str_eq(by_include("NvInfer.h"), "TensorRT");
    ck_assert_str_eq(by_include("NvInferRuntime.h"), "TensorRT");
    ck_assert_str_eq(by_include("cutlass/gemm/device/gemm.h"), "CUTLASS | CuTe");
    ck_assert_str_eq(by_include("curand.h"), "cuRAND");
    ck_assert_str_eq(by_include("curand_kernel.h"), "cuRAND device API");
    ck_assert_str_eq(by_include("cublasXt.h"), "cuBLASXt");
    ck_assert_str_eq(by_include("cudnn_backend.h"), "cuDNN (backend graph API)");
    ck_assert_str_eq(by_include("nppi_filtering_functions.h"), "NPP");
    ck_assert_str_eq(by_include("cutlass/"), "-");
    ck_assert_str_eq(by_include("my/cutlass/gemm.h"), "-");
    ck_assert_str_eq(by_include("vector"), "-");
    ck_assert_str_eq(by_include(""), "-");
}
END_TEST

START_TEST(finds_by_link_flag)
{
    ck_assert_str_eq(by_link("-lcudnn"), "cuDNN (legacy API)");
    ck_assert_str_eq(by_link("-lnppial"), "NPP");
    ck_assert_str_eq(by_link("-lcublas"), "cuBLAS");
    ck_assert_str_eq(by_link("-lcublasLt"), "cuBLASLt");
    ck_assert_str_eq(by_link("-lcufft"), "cuFFT");
    ck_assert_str_eq(by_link("-lcud"), "-");
    ck_assert_str_eq(by_link("-lm"), "-");
    ck_assert_str_eq(name_of(library_find(table, LIBRARY_CMAKE, "CUDA::cufft", 11)), "cuFFT");
    ck_assert_str_eq(name_of(library_find(table, LIBRARY_COMMAND, "nvcc", 4)), "nvcc");
}
END_TEST

START_TEST(finds_by_name)
{
    ck_assert_str_eq(by_name("nvinfer1"), "TensorRT");
    ck_assert_str_eq(by_name("nvinfer1::ILogger"), "TensorRT");
    ck_assert_str_eq(by_name("nvinfer10"), "-");
    ck_assert_str_eq(by_name("cute::Tensor"), "CUTLASS | CuTe");
    ck_assert_str_eq(by_name("nvcuda::wmma::fragment"), "WMMA (mma.h)");
    ck_assert_str_eq(by_name("nvcuda"), "-");
    ck_assert_str_eq(by_name("cuda::std::atomic"), "libcu++ (libcudacxx)");
    ck_assert_str_eq(by_name("optixLaunch"), "OptiX");
    ck_assert_str_eq(by_name("nppiAdd_8u_C1R"), "NPP");
    /* The longest counts, */
    ck_assert_str_eq(by_name("cublasSgemm"), "cuBLAS");
    ck_assert_str_eq(by_name("cublasLtMatmul"), "cuBLASLt");
    ck_assert_str_eq(by_name("cutensorCreate"), "cuTENSOR");
    ck_assert_str_eq(by_name("cutensornetCreate"),
                     "cuTENSORMg | cuTensorNet | cuStateVec | cuDensityMat (cuQuantum)");
    /* and a word does not go on in lower case. */
    ck_assert_str_eq(by_name("curand_uniform"), "cuRAND");
    ck_assert_str_eq(by_name("curandom"), "-");
    ck_assert_str_eq(by_name("curand"), "-");
    ck_assert_str_eq(by_name("main"), "-");
}
END_TEST

struct tally {
    size_t count, unchecked, native;
};

static void check_library(const struct library *library, void *context)
{
    struct tally *tally = context;
    ++tally->count;
    tally->unchecked += library_is_unchecked(library);
    tally->native += library->text[LIBRARY_ROC] != NULL;
    ck_assert_str_eq(library_state_word(library->state), library->text[LIBRARY_STATE]);
    for (int i = 0; i < LIBRARY_FIELD_COUNT; ++i) {
        const char *text = library->text[i];
        ck_assert_msg(!text || (*text && *text != ' ' && text[strlen(text) - 1] != ' '), "%s: %s",
                      library->text[LIBRARY_NAME], library_field_word((enum library_field)i));
    }
    /* None but a tool is without a way to be met, save those that programs name in words only. */
    if (library->state == LIBRARY_TOOL)
        ck_assert_ptr_nonnull(library->text[LIBRARY_COMMAND]);
}

START_TEST(every_record_is_well_formed)
{
    struct tally tally = {0};
    library_each(table, check_library, &tally);
    ck_assert_uint_le(85, tally.count);
    ck_assert_uint_le(32, tally.unchecked);
    ck_assert_uint_le(2, tally.native);
    const struct library *blas = library_of_name(table, "cublasSgemm", 11);
    ck_assert_int_eq(blas->state, LIBRARY_FULL);
    ck_assert_str_eq(blas->text[LIBRARY_ROC_LINK], "-lrocblas");
    ck_assert(!library_is_unchecked(blas));
    ck_assert(library_is_unchecked(library_of_include(table, "optix.h", 7)));
}
END_TEST

START_TEST(reads_records)
{
    static const char text[] =
        "# comment\n\nlibrary A\r\nstate none\nnames a:: b*\nsource own\n\n\n"
        "library B\ncounterpart C\nstate partial\ninclude b/* b/c.h\n"
        "link -lb\nsource unchecked cmake\nnote two words";
    ck_assert_msg(load_text(text, sizeof text - 1), "%s", said.text.text);
    const struct library *a = library_of_name(small, "a::x", 4);
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_null(a->text[LIBRARY_COUNTERPART]);
    ck_assert_ptr_eq(library_of_name(small, "a", 1), a);
    ck_assert_ptr_eq(library_of_name(small, "bX", 2), a);
    ck_assert_ptr_null(library_of_name(small, "bx", 2));
    const struct library *b = library_of_include(small, "b/c.h", 5);
    ck_assert_str_eq(b->text[LIBRARY_NOTE], "two words");
    ck_assert_ptr_eq(library_of_include(small, "b/d", 3), b);
    ck_assert(library_is_unchecked(b));
    ck_assert(!library_is_unchecked(a));
}
END_TEST

static const struct {
    const char *text, *message;
    unsigned line;
} bad_texts[] = {
    {"state none\n", "a line before 'library'", 1},
    {"library A\nstate none\nsource own\nlibrary B\nstate none\nsource own\n",
     "without an empty line", 4},
    {"library A\nstat none\n", "begins no line", 2},
    {"library A\nstate good\nsource own\n", "no state of a library", 2},
    {"library A\nstate none\nstate none\nsource own\n", "two lines 'state'", 3},
    {"library A\nstate\nsource own\n", "wants a text", 2},
    {"\nlibrary A\nsource own\n\n", "no line 'state'", 2},
    {"library A\nstate none\n", "no line 'source'", 1},
    {"library A\nstate full\nsource own\n", "no counterpart although", 1},
    {"library A\nstate none\ninclude a*b\nsource own\n", "is no pattern", 3},
    {"library A\nstate none\nnames *\nsource own\n", "is no pattern", 3},
    {"library A\nstate none\nnames x*\nsource own\n\nlibrary B\nstate none\nnames x*\nsource own\n",
     "already belongs to A", 8},
};

START_TEST(complains_of_bad_lines)
{
    ck_assert(!load_text(bad_texts[_i].text, strlen(bad_texts[_i].text)));
    ck_assert_uint_lt(0, said.errors);
    ck_assert_ptr_nonnull(strstr(said.text.text, bad_texts[_i].message));
    char place[96];
    snprintf(place, sizeof place, "%s:%u: error: ", small_file, bad_texts[_i].line);
    ck_assert_msg(strncmp(said.text.text, place, strlen(place)) == 0, "%s", said.text.text);
}
END_TEST

START_TEST(complains_of_files)
{
    ck_assert(!library_load_file(small, "no/such/file.list", &said));
    ck_assert_uint_eq(said.errors, 1);
    ck_assert(!library_load_file(small, ".", &said));
    ck_assert_uint_eq(said.errors, 2);
    ck_assert(!load_text("library\0A\n", 10));
    ck_assert_uint_eq(said.errors, 3);
    ck_assert(load_text("", 0));
    /* A file of nothing but faults ends the patience. */
    struct strbuf text = STRBUF_INIT;
    for (int i = 0; i < 1000; ++i)
        strbuf_adds(&text, "x\n");
    unsigned before = said.errors;
    ck_assert(!load_text(text.text, text.len));
    ck_assert_uint_lt(said.errors, before + 50);
    strbuf_release(&text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("library");
    TCase *tcase = tcase_create("libraries");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, finds_by_include);
    tcase_add_test(tcase, finds_by_link_flag);
    tcase_add_test(tcase, finds_by_name);
    tcase_add_test(tcase, every_record_is_well_formed);
    tcase_add_test(tcase, reads_records);
    tcase_add_loop_test(tcase, complains_of_bad_lines, 0, sizeof bad_texts / sizeof *bad_texts);
    tcase_add_test(tcase, complains_of_files);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
