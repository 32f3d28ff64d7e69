#include <config.h>

#include "maps/map.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "base/version.h"
#include "base/xalloc.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

/* The maps of the source tree. */
static struct map *map;
static struct diag diag;
static char folder[4096];

/* A map of one file with TEXT, '|' for TAB and '^' for '|', and what loading it said. */
static struct map *small;
static struct diag said;
static bool went_well;
static char small_file[64];

/* Adds a file with TEXT to `small`. */
static void add_text(const char *text)
{
    char *copy = xstrdup(text);
    for (char *p = copy; *p; ++p)
        *p = (char)(*p == '|' ? '\t' : *p == '^' ? '|' : *p);
    write_text(small_file, copy, strlen(copy));
    free(copy);
    went_well = map_load_file(small, small_file, &said);
    ck_assert_int_eq(unlink(small_file), 0);
}

static const struct api *find_in(const struct map *in, const char *name)
{
    return map_find(in, name, strlen(name));
}

static const struct api *find(const char *name)
{
    const struct api *res = find_in(map, name);
    ck_assert_msg(res != NULL, "%s is not known", name);
    ck_assert_str_eq(res->cuda, name);
    return res;
}

static const struct api *header(const char *path)
{
    return map_find_header(map, path, strlen(path));
}

static void set_up(void)
{
    const char *srcdir = getenv("srcdir");
    snprintf(folder, sizeof folder, "%s/maps", srcdir ? srcdir : ".");
    map = map_new();
    diag = (struct diag)DIAG_INIT;
    ck_assert_msg(map_load_dir(map, folder, &diag), "%s", diag.text.text ? diag.text.text : "");
    ck_assert_uint_eq(diag.errors, 0);
}

static void tear_down(void)
{
    map_free(map);
    diag_release(&diag);
}

static void set_up_small(void)
{
    small = map_new();
    said = (struct diag)DIAG_INIT;
    snprintf(small_file, sizeof small_file, "check_map-%ld.map", (long)getpid());
}

static void tear_down_small(void)
{
    map_free(small);
    diag_release(&said);
}

START_TEST(loads_everything)
{
    ck_assert_uint_lt(12000, map_count(map));
    ck_assert_uint_le(VERSION(7, 14, 0), map_newest_hip(map));
}
END_TEST

START_TEST(finds_a_plain_pair)
{
    const struct api *api = find("cudaMalloc");
    ck_assert_str_eq(api->hip, "hipMalloc");
    ck_assert_ptr_null(api->roc);
    ck_assert_int_eq(api->kind, API_FUNCTION);
    ck_assert_str_eq(api->library, "runtime");
    ck_assert_str_eq(api->source, "hipify");
    ck_assert_int_eq(api->change_count, 0);
    ck_assert_ptr_null(api->changes);

    /* The length counts, not a NUL. */
    ck_assert_ptr_eq(map_find(map, "cudaMallocX", 10), api);
    ck_assert_ptr_null(find_in(map, "cudaMallocX"));
    ck_assert_ptr_null(map_find(map, "", 0));
}
END_TEST

START_TEST(knows_lives)
{
    const struct api *api = find("cudaMemcpyToArray");
    ck_assert_uint_eq(api->cuda_life.deprecated, VERSION(10, 1, 0));
    api = find("__shfl_sync");
    ck_assert_uint_eq(api->cuda_life.added, VERSION(9, 0, 0));
    ck_assert_uint_eq(api->hip_life.added, VERSION(6, 2, 0));
    ck_assert_uint_eq(api->hip_life.removed, 0);
}
END_TEST

START_TEST(knows_special_names)
{
    ck_assert_str_eq(find("CUDART_CB")->hip, "");
    ck_assert_str_eq(find("__grid_constant__")->hip, "");
    ck_assert_ptr_null(find("CUDA_VERSION")->hip);
    ck_assert_ptr_null(find("CUDART_VERSION")->hip);
    ck_assert_ptr_null(find("__CUDA_ARCH__")->hip);
    ck_assert_str_eq(find("__CUDACC__")->hip, "__HIPCC__");
    ck_assert_str_eq(find("__trap")->hip, "__builtin_trap");
    ck_assert_str_eq(find("__syncthreads")->hip, "__syncthreads");
    ck_assert_ptr_nonnull(find("__nanosleep")->advice);
    const struct api *api = find("__syncwarp");
    ck_assert_uint_eq(api->hip_life.added, VERSION(7, 0, 0));
    ck_assert_ptr_nonnull(api->advice);
    ck_assert_int_eq(find("cudaMemAdvise")->changes[0].when.arg, 3);
    ck_assert_str_eq(find("cudaMemAdvise")->changes[0].when.type, "cudaMemLocation");
}
END_TEST

START_TEST(knows_argument_changes)
{
    const struct api *api = find("cudaMemcpyToSymbol");
    ck_assert_int_eq(api->change_count, 2);
    ck_assert_str_eq(api->changes[0].when.type, "string");
    ck_assert_int_eq(api->changes[0].ops[0].kind, ARG_REPORT);
    ck_assert_int_eq(api->changes[1].when.count, -1);
    ck_assert_int_eq(api->changes[1].op_count, 1);
    ck_assert_int_eq(api->changes[1].ops[0].kind, ARG_WRAP);
    ck_assert_int_eq(api->changes[1].ops[0].n, 0);
    ck_assert_str_eq(api->changes[1].ops[0].text, "HIP_SYMBOL");

    api = find("cudaGraphInstantiate");
    ck_assert_int_eq(api->change_count, 3);
    ck_assert_int_eq(api->changes[0].when.count, 2);
    ck_assert_int_eq(api->changes[0].op_count, 2);
    ck_assert_int_eq(api->changes[0].ops[0].kind, ARG_NAME);
    ck_assert_str_eq(api->changes[0].ops[0].text, "hipGraphInstantiateWithFlags");
    ck_assert_int_eq(api->changes[0].ops[1].kind, ARG_APPEND);
    ck_assert_int_eq(api->changes[2].when.count, 5);
    ck_assert_int_eq(api->changes[2].op_count, 0);

    /* 4-6 are three alternatives of one text. */
    api = find("cuStreamGetCaptureInfo");
    ck_assert_int_eq(api->change_count, 5);
    ck_assert_int_eq(api->changes[1].when.count, 4);
    ck_assert_int_eq(api->changes[3].when.count, 6);
    ck_assert_str_eq(api->changes[3].ops[0].text, "hipStreamGetCaptureInfo_v2");

    api = find("cuMemcpyHtoD");
    ck_assert_uint_eq(api->changes[0].when.before, VERSION(7, 0, 0));
    ck_assert_uint_eq(api->changes[0].when.since, 0);

    api = find("cudaMemPrefetchAsync");
    ck_assert_int_eq(api->changes[0].ops[0].kind, ARG_SUFFIX);
    ck_assert_str_eq(api->changes[0].ops[0].text, ".id");
    ck_assert_int_eq(api->changes[0].ops[1].kind, ARG_DROP);
    ck_assert_int_eq(api->changes[0].ops[1].n, 3);
}
END_TEST

START_TEST(knows_libraries)
{
    const struct api *api = find("cublasSgemm");
    ck_assert_str_eq(api->hip, "hipblasSgemm");
    ck_assert_str_eq(api->roc, "rocblas_sgemm");
    ck_assert_str_eq(api->library, "blas");
    ck_assert_uint_eq(api->hip_life.native, VERSION(1, 5, 0));
    /* cublas.h's call of that name has one argument less. */
    ck_assert_int_eq(api->change_count, 2);
    ck_assert_int_eq(api->changes[0].when.count, 13);
    ck_assert(!api->changes[0].when.roc);
    ck_assert_int_eq(api->changes[0].ops[0].kind, ARG_REPORT);
    ck_assert_int_eq(api->changes[1].when.count, 13);
    ck_assert(api->changes[1].when.roc);

    /* Plain names; those with _v2 only for HIP 6. */
    api = find("cublasCgemm_v2");
    ck_assert_str_eq(api->hip, "hipblasCgemm");
    ck_assert_uint_eq(api->changes[0].when.since, VERSION(6, 0, 0));
    ck_assert_uint_eq(api->changes[0].when.before, VERSION(7, 0, 0));
    ck_assert_str_eq(api->changes[0].ops[0].text, "hipblasCgemm_v2");

    /* The table has these the wrong way round. */
    ck_assert_str_eq(find("CUSPARSE_ORDER_ROW")->roc, "rocsparse_order_row");
    ck_assert_str_eq(find("CUSPARSE_ORDER_COL")->roc, "rocsparse_order_column");

    api = find("cudnnConvolutionForward");
    ck_assert_ptr_null(api->hip);
    ck_assert_str_eq(api->roc, "miopenConvolutionForward");
    ck_assert(api->changes[0].when.roc);
    ck_assert_int_eq(api->changes[0].ops[0].kind, ARG_MOVE);

    api = find("cudnnDropoutForward");
    ck_assert_int_eq(api->changes[0].ops[0].kind, ARG_REPEAT);

    ck_assert_str_eq(find("ncclAllReduce")->hip, "ncclAllReduce");
    ck_assert_str_eq(find("cub::BlockReduce")->hip, "hipcub::BlockReduce");
    ck_assert_int_eq(find("thrust::cuda::par")->kind, API_VARIABLE);
    ck_assert_str_eq(find("cublasXtSgemm")->source, "nopair");
    ck_assert_ptr_null(find("nvmlDeviceGetName")->roc);
    ck_assert_ptr_null(find_in(map, "payload_t"));
}
END_TEST

START_TEST(finds_headers)
{
    const struct api *api = header("cuda_runtime.h");
    ck_assert_ptr_nonnull(api);
    ck_assert_str_eq(api->hip, "hip/hip_runtime.h");
    ck_assert_int_eq(api->action, HEADER_REPLACE);
    ck_assert_ptr_null(api->covered_by);
    ck_assert_str_eq(api->library, "runtime");
    ck_assert_str_eq(header("vector_types.h")->covered_by, "hip/hip_runtime.h");
    ck_assert_ptr_null(header("library_types.h")->covered_by);
    ck_assert_int_eq(header("device_launch_parameters.h")->action, HEADER_DROP);
    ck_assert_int_eq(header("helper_cuda.h")->action, HEADER_KEEP);
    ck_assert_str_eq(header("helper_cuda.h")->hip, "helper_cuda.h");
    ck_assert_ptr_null(header("cuda_pipeline.h")->hip);
    ck_assert_str_eq(header("cublas_v2.h")->roc, "rocblas/rocblas.h");
    ck_assert_ptr_null(header("vector"));
    ck_assert_ptr_null(header(""));
    ck_assert_ptr_null(find_in(map, "cuda_runtime.h"));
    ck_assert_ptr_null(header("cudaMalloc"));
}
END_TEST

static void check_path(const char *path, const char *expected)
{
    struct strbuf out = STRBUF_INIT;
    const struct api *api = header(path);
    ck_assert_msg(api != NULL, "%s is not known", path);
    strbuf_adds(&out, "");
    map_header_path(api, path, strlen(path), &out);
    ck_assert_str_eq(out.text, expected);
    strbuf_release(&out);
}

START_TEST(finds_headers_by_folder)
{
    check_path("cub/warp/no_such_header.cuh", "hipcub/hipcub.hpp");
    check_path("thrust/sort.h", "thrust/sort.h");
    check_path("thrust/system/cuda/pointer.h", "thrust/system/hip/pointer.h");
    check_path("thrust/system/cuda/error.h", "thrust/system/hip/error.h");
    check_path("cuda_fp16.h", "hip/hip_fp16.h");
    check_path("cutlass/gemm/gemm.h", "");
    ck_assert_int_eq(header("thrust/sort.h")->action, HEADER_KEEP);
    /* The folder alone is no header below it, nor is one that only begins alike. */
    ck_assert_ptr_null(header("cub/"));
    ck_assert_ptr_null(header("cubs/x.h"));
    ck_assert_ptr_null(header("my/cub/x.h"));
}
END_TEST

START_TEST(knows_hip_headers)
{
    ck_assert(map_is_hip_header(map, "hip/hip_runtime.h", 17));
    ck_assert(map_is_hip_header(map, "hipcub/hipcub.hpp", 17));
    ck_assert(map_is_hip_header(map, "thrust/system/hip/vector.h", 26));
    ck_assert(!map_is_hip_header(map, "hip/hip_runtime.h", 16));
    ck_assert(!map_is_hip_header(map, "thrust/sort.h", 13));
    ck_assert(!map_is_hip_header(map, "helper_cuda.h", 13));
    ck_assert(!map_is_hip_header(map, "cuda_runtime.h", 14));
    ck_assert(!map_is_hip_header(map, "cstdint", 7));
    ck_assert(!map_is_hip_header(map, "", 0));
}
END_TEST

static void add_name(const struct api *api, void *context)
{
    strbuf_printf(context, "%s:%s ", api->library, api->cuda);
}

static void check_lookup(const struct map *in, const char *name, bool prefix, const char *expected)
{
    struct strbuf out = STRBUF_INIT;
    strbuf_adds(&out, "");
    map_lookup(in, name, prefix, add_name, &out);
    ck_assert_str_eq(out.text, expected);
    strbuf_release(&out);
}

START_TEST(looks_up_both_sides)
{
    check_lookup(map, "cudaFreeHost", false, "runtime:cudaFreeHost ");
    check_lookup(map, "hipHostFree", false, "driver:cuMemFreeHost runtime:cudaFreeHost ");
    check_lookup(map, "hipHostF", false, "");
    check_lookup(map, "hipHostFr", true, "driver:cuMemFreeHost runtime:cudaFreeHost ");
    check_lookup(map, "hiprtcVersion", false, "rtc:nvrtcVersion ");
    check_lookup(map, "no such name", true, "");
}
END_TEST

static int well_formed(const struct api *api)
{
    int reports = 0;
    for (int i = 0; i < api->change_count; ++i) {
        const struct arg_change *change = &api->changes[i];
        ck_assert_int_le(-1, change->when.count);
        for (int k = 0; k < change->op_count; ++k) {
            const struct arg_op *op = &change->ops[k];
            bool has_text = op->kind != ARG_DROP && op->kind != ARG_MOVE && op->kind != ARG_SWAP &&
                            op->kind != ARG_ADDRESS && op->kind != ARG_REPEAT;
            ck_assert_msg(has_text == (op->text != NULL), "%s", api->cuda);
            if (has_text) {
                size_t len = strlen(op->text);
                ck_assert_uint_lt(0, len);
                ck_assert_msg(op->text[0] != ' ' && op->text[len - 1] != ' ', "%s", api->cuda);
                ck_assert_msg(!strpbrk(op->text, ";|\t\n"), "%s", api->cuda);
            }
            ck_assert_int_le(0, op->n);
            if (0 <= change->when.count)
                ck_assert_int_le(op->n, change->when.count);
            if (op->kind == ARG_REPORT) {
                ck_assert_int_eq(change->op_count, 1);
                ++reports;
            }
        }
        /* Behind one without a condition nothing would ever be reached. */
        for (int k = i + 1; k < api->change_count; ++k)
            ck_assert_msg(0 <= change->when.count || change->when.before || change->when.since ||
                              change->when.type || change->when.roc != api->changes[k].when.roc,
                          "%s", api->cuda);
    }
    return reports;
}

struct tally {
    size_t entries, changes, reports, texts;
};

static void check_entry(const struct api *api, void *context)
{
    struct tally *tally = context;
    ++tally->entries;
    ck_assert_str_ne(api_kind_word(api->kind), "");
    ck_assert_ptr_nonnull(api->library);
    ck_assert_ptr_nonnull(api->source);
    ck_assert(!api->hip || *api->hip || api->kind == API_MACRO);
    ck_assert(!api->change_count || api->kind != API_HEADER);
    tally->changes += api->change_count != 0;
    tally->reports += (size_t)well_formed(api);
    tally->texts += api->note || api->advice;
}

START_TEST(every_entry_is_well_formed)
{
    struct tally tally = {0};
    map_lookup(map, "", true, check_entry, &tally);
    ck_assert_uint_eq(tally.entries, map_count(map));
    ck_assert_uint_lt(700, tally.changes);
    ck_assert_uint_lt(3, tally.reports);
    ck_assert_uint_lt(100, tally.texts);
}
END_TEST

START_TEST(reads_all_columns)
{
    add_text("# comment\n\n%source own\n"
             "cuA|function|hipA|rocA|+1.2 ~2 !3.4.5 -1023.0|?7.1 +6.0|"
             "2-3 hip<7.0 hip>=6: wrap 1 X; insert 2 a b ; move 1 0 ^ 9: drop 4 ^ report no way|"
             "note: differs ; advice: none; source: hipify\n"
             "cuB|namespace|cuB|-|-|-|-|-\r\n"
             "cuC|macro|(nothing)|-|-|-|-|-");
    ck_assert_msg(went_well, "%s", said.text.text);
    ck_assert_uint_eq(map_count(small), 3);
    const struct api *api = find_in(small, "cuA");
    ck_assert_str_eq(api->roc, "rocA");
    ck_assert_uint_eq(api->cuda_life.added, VERSION(1, 2, 0));
    ck_assert_uint_eq(api->cuda_life.deprecated, VERSION(2, 0, 0));
    ck_assert_uint_eq(api->cuda_life.changed, VERSION(3, 4, 5));
    ck_assert_uint_eq(api->cuda_life.removed, VERSION(1023, 0, 0));
    ck_assert_uint_eq(api->hip_life.experimental, VERSION(7, 1, 0));
    ck_assert_uint_eq(map_newest_hip(small), VERSION(7, 1, 0));
    ck_assert_str_eq(api->note, "differs");
    ck_assert_str_eq(api->advice, "none");
    ck_assert_str_eq(api->source, "hipify");
    ck_assert_int_eq(api->change_count, 4);
    ck_assert_int_eq(api->changes[1].when.count, 3);
    ck_assert_uint_eq(api->changes[1].when.before, VERSION(7, 0, 0));
    ck_assert_uint_eq(api->changes[1].when.since, VERSION(6, 0, 0));
    ck_assert_int_eq(api->changes[1].op_count, 3);
    ck_assert_str_eq(api->changes[1].ops[1].text, "a b");
    ck_assert_int_eq(api->changes[1].ops[2].m, 0);
    ck_assert_int_eq(api->changes[2].ops[0].n, 4);
    ck_assert_ptr_null(api->changes[2].ops[0].text);
    ck_assert_int_eq(api->changes[3].ops[0].kind, ARG_REPORT);
    ck_assert_str_eq(api->changes[3].ops[0].text, "no way");
    ck_assert_str_eq(find_in(small, "cuB")->source, "own");
    ck_assert_int_eq(find_in(small, "cuB")->kind, API_NAMESPACE);
    ck_assert_str_eq(find_in(small, "cuC")->hip, "");
    well_formed(api);
}
END_TEST

START_TEST(reads_both_sides)
{
    add_text("cuA|function|hipA|rocA|-|+6.0 @3.8|"
             "4: drop 0 ^ roc 4 hip<6.2: repeat 1 4 ^ rename ^ roc: move 0 2; replace 1 roc|-\n"
             "cuB|variable|-|rocB|-|-|-|source: own\n");
    ck_assert_msg(went_well, "%s", said.text.text);
    const struct api *api = find_in(small, "cuA");
    ck_assert_uint_eq(api->hip_life.native, VERSION(3, 8, 0));
    ck_assert_int_eq(api->change_count, 4);
    ck_assert(!api->changes[0].when.roc);
    ck_assert(api->changes[1].when.roc);
    ck_assert_int_eq(api->changes[1].when.count, 4);
    ck_assert_uint_eq(api->changes[1].when.before, VERSION(6, 2, 0));
    ck_assert_int_eq(api->changes[1].ops[0].kind, ARG_REPEAT);
    ck_assert_int_eq(api->changes[1].ops[0].m, 4);
    ck_assert(!api->changes[2].when.roc);
    ck_assert(api->changes[3].when.roc);
    ck_assert_int_eq(api->changes[3].when.count, -1);
    ck_assert_str_eq(api->changes[3].ops[1].text, "roc");
    ck_assert_int_eq(find_in(small, "cuB")->kind, API_VARIABLE);
    well_formed(api);
}
END_TEST

START_TEST(later_file_replaces)
{
    add_text("cuA|function|hipA|-|-|-|drop "
             "0|-\na.h|header|b.h|-|-|-|-|-\nx/...|header|y/...|-|-|-|-|-\n");
    ck_assert(went_well);
    add_text("cuA|type|hipX|-|-|-|-|-\na.h|header|-|-|-|-|drop|-\nx/...|header|z.h|-|-|-|-|-\n");
    ck_assert_msg(went_well, "%s", said.text.text);
    ck_assert_uint_eq(map_count(small), 3);
    const struct api *api = find_in(small, "cuA");
    ck_assert_str_eq(api->hip, "hipX");
    ck_assert_int_eq(api->kind, API_TYPE);
    ck_assert_int_eq(api->change_count, 0);
    ck_assert_int_eq(map_find_header(small, "a.h", 3)->action, HEADER_DROP);
    ck_assert(!map_is_hip_header(small, "b.h", 3));
    ck_assert_str_eq(map_find_header(small, "x/q.h", 5)->hip, "z.h");
    check_lookup(small, "hipA", false, "");
}
END_TEST

START_TEST(longest_folder_wins)
{
    add_text("a/...|header|x.h|-|-|-|-|-\na/b/...|header|c/...|-|-|-|-|-\na/b/"
             "d.h|header|d.h|-|-|-|-|-\n");
    ck_assert(went_well);
    ck_assert_str_eq(map_find_header(small, "a/q.h", 5)->hip, "x.h");
    ck_assert_str_eq(map_find_header(small, "a/b/q.h", 7)->hip, "c/...");
    ck_assert_str_eq(map_find_header(small, "a/b/d.h", 7)->hip, "d.h");
}
END_TEST

static const struct {
    const char *line, *message;
} bad_lines[] = {
    {"cuA|function|hipA|rocA|@3.8|-|-|-", "bad version"},
    {"cuA|function|hipA|rocA|-|-|roc roc: drop 0|-", "bad condition"},
    {"cuA|function|hipA|rocA|-|-|roc drop 0|-", "bad condition"},
    {"cuA|function|hipA|rocA|-|-|roc|-", "no argument operation"},
    {"cuA|function|hipA|rocA|-|-|roc 2: repeat 1 3|-", "wants the number"},
    {"cuA|function|hipA|rocA|-|-|roc 2: repeat 2 0|-", "wants the number"},
    {"cuA|functon|hipA|-|-|-|-|-", "no kind of API"},
    {"cuA|function|hipA|-|-|-|-", "7 instead of 8 columns"},
    {"cuA|function|hipA|-|-|-|-|-|-", "9 instead of 8 columns"},
    {"cuA", "1 instead of 8 columns"},
    {"cuA|function||-|-|-|-|-", "column 3 is empty"},
    {"cuA|function|hipA|-|-|-|-|", "column 8 is empty"},
    {"-|function|hipA|-|-|-|-|-", "no name"},
    {"cu A|function|hipA|-|-|-|-|-", "no name"},
    {"cuA|function|(nothing)|-|-|-|-|-", "only a macro"},
    {"cuA|function|hipA|-|9.0|-|-|-", "bad version"},
    {"cuA|function|hipA|-|+9.x|-|-|-", "bad version"},
    {"cuA|function|hipA|-|+|-|-|-", "bad version"},
    {"cuA|function|hipA|-|+9 |-|-|-", "bad version"},
    {"cuA|function|hipA|-|+9 +8|-|-|-", "bad version"},
    {"cuA|function|hipA|-|+0.0|-|-|-", "bad version"},
    {"cuA|function|hipA|-|+99999999999999999999|-|-|-", "bad version"},
    {"cuA|function|hipA|-|?9.0|-|-|-", "bad version"},
    {"cuA|function|hipA|-|-|-|frob 0|-", "no argument operation"},
    {"cuA|function|hipA|-|-|-|drop 0;|-", "no argument operation"},
    {"cuA|function|hipA|-|-|-|^|-", "no argument operation"},
    {"cuA|function|hipA|-|-|-|drop|-", "number of an argument"},
    {"cuA|function|hipA|-|-|-|drop -1|-", "number of an argument"},
    {"cuA|function|hipA|-|-|-|drop 999999999999999999999|-", "number of an argument"},
    {"cuA|function|hipA|-|-|-|drop 0x|-", "number of an argument"},
    {"cuA|function|hipA|-|-|-|2: drop 2|-", "number of an argument"},
    {"cuA|function|hipA|-|-|-|swap 1|-", "number of an argument"},
    {"cuA|function|hipA|-|-|-|wrap 1|-", "wants a text"},
    {"cuA|function|hipA|-|-|-|append|-", "wants a text"},
    {"cuA|function|hipA|-|-|-|drop 0 x|-", "takes no text"},
    {"cuA|function|hipA|-|-|-|drop 0; report x|-", "stand alone"},
    {"cuA|function|hipA|-|-|-|rename; drop 0|-", "stand alone"},
    {"cuA|function|hipA|-|-|-|3|-", "without a colon"},
    {"cuA|function|hipA|-|-|-|3 4: drop 0|-", "bad argument count"},
    {"cuA|function|hipA|-|-|-|4-3: drop 0|-", "bad argument count"},
    {"cuA|function|hipA|-|-|-|999: drop 0|-", "bad argument count"},
    {"cuA|function|hipA|-|-|-|0-255: drop 0|-", "number of an argument"},
    {"cuA|function|hipA|-|-|-|0-255: append x|-", "too many alternatives"},
    {"cuA|function|hipA|-|-|-|hip<x: drop 0|-", "bad version in a condition"},
    {"cuA|function|hipA|-|-|-|hip<7 hip<6: drop 0|-", "bad condition"},
    {"cuA|function|hipA|-|-|-|3x: drop 0|-", "bad condition"},
    {"cuA|function|hipA|-|-|-|-|remark", "bad remark"},
    {"cuA|function|hipA|-|-|-|-|note: a; note: b", "bad remark"},
    {"cuA|function|hipA|-|-|-|-|note: a;", "bad remark"},
    {"cuA|function|hipA|-|-|-|-|library: a", "bad remark"},
    {"cuA|function|hipA|-|-|-|-|note:", "empty remark"},
    {"cuA|header|hipA|-|-|-|move|-", "no action"},
    {"cuA|header|hipA|-|-|-|keep|-", "another name"},
    {"cuA|header|-|-|-|-|covered-by x|-", "covered"},
    {"cuA|header|x|-|-|-|covered-by |-", "no action"},
    {"%frob", "no directive"},
    {"%source ", "no directive"},
};

START_TEST(complains_of_bad_lines)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_printf(&text, "# first\n%s\ncuZ|function|hipZ|-|-|-|-|-\n", bad_lines[_i].line);
    add_text(text.text);
    ck_assert_msg(!went_well, "%s", bad_lines[_i].line);
    ck_assert_uint_eq(said.errors, 1);
    char place[128];
    snprintf(place, sizeof place, "%s:2: error: ", small_file);
    ck_assert_msg(strncmp(said.text.text, place, strlen(place)) == 0, "%s", said.text.text);
    ck_assert_msg(strstr(said.text.text, bad_lines[_i].message) != NULL, "%s gives %s",
                  bad_lines[_i].line, said.text.text);
    /* What is wrong is left out, and the rest is there. */
    ck_assert_ptr_null(find_in(small, "cuA"));
    ck_assert_ptr_nonnull(find_in(small, "cuZ"));
    strbuf_release(&text);
}
END_TEST

START_TEST(complains_of_doubles)
{
    add_text("cuA|function|hipA|-|-|-|-|-\ncuA|type|hipB|-|-|-|-|-\ncuA|header|h|-|-|-|-|-\n");
    ck_assert(!went_well);
    ck_assert_uint_eq(said.errors, 1);
    ck_assert_ptr_nonnull(strstr(said.text.text, ":2: error: 'cuA' is there twice"));
    ck_assert_str_eq(find_in(small, "cuA")->hip, "hipA");
    ck_assert_ptr_nonnull(map_find_header(small, "cuA", 3));
}
END_TEST

START_TEST(complains_of_files)
{
    ck_assert(!map_load_file(small, "no/such/file.map", &said));
    ck_assert_uint_eq(said.errors, 1);
    ck_assert(!map_load_file(small, folder, &said));
    ck_assert_uint_eq(said.errors, 2);
    ck_assert(!map_load_dir(small, "no/such/folder", &said));
    ck_assert_uint_eq(said.errors, 3);
    ck_assert_uint_eq(map_count(small), 0);

    /* An empty folder; an empty file is fine. */
    char name[64];
    snprintf(name, sizeof name, "check_map-%ld.d-XXXXXX", (long)getpid());
    ck_assert_ptr_nonnull(mkdtemp(name));
    ck_assert(!map_load_dir(small, name, &said));
    ck_assert_uint_eq(said.errors, 4);
    ck_assert_int_eq(rmdir(name), 0);
    add_text("");
    ck_assert(went_well);

    /* A file of nothing but faults ends the patience. */
    struct strbuf text = STRBUF_INIT;
    for (int i = 0; i < 1000; ++i)
        strbuf_adds(&text, "x\n");
    unsigned before = said.errors;
    add_text(text.text);
    ck_assert(!went_well);
    ck_assert_uint_lt(said.errors - before, 50);
    strbuf_release(&text);
}
END_TEST

/* xorshift: the same damage on every machine. */
static uint32_t random_state = 2463534242u;

static uint32_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* Reads every string of an entry, so that a sanitizer sees one that ends nowhere. */
static void touch_entry(const struct api *api, void *context)
{
    struct tally *tally = context;
    const char *const strings[] = {api->cuda,    api->hip,  api->roc,    api->covered_by,
                                   api->library, api->note, api->advice, api->source};
    ++tally->entries;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; ++i)
        tally->texts += strings[i] ? strlen(strings[i]) : 0;
    for (int i = 0; i < api->change_count; ++i) {
        for (int k = 0; k < api->changes[i].op_count; ++k)
            tally->texts += api->changes[i].ops[k].text ? strlen(api->changes[i].ops[k].text) : 0;
    }
}

START_TEST(survives_damage)
{
    static const char *const files[] = {"rtc.map", "headers.map", "driver.map", "runtime.map"};
    static const char bytes[] = "\t\t\n\r;|:-+~!?%# .0129<>=\0\xff/";
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, files[_i]);
    FILE *in = fopen(path, "rb");
    ck_assert_ptr_nonnull(in);
    size_t room = 1 << 20, len;
    char *whole = xmalloc(room), *text = xmalloc(room);
    len = fread(whole, 1, room, in);
    fclose(in);
    ck_assert_uint_lt(100, len);
    size_t refused = 0;
    for (int round = 0; round < 60; ++round) {
        /* A piece that begins and ends anywhere, with bytes changed. */
        size_t begin = random_number() % len;
        size_t size = random_number() % (len - begin) % 20000 + 1;
        memcpy(text, whole + begin, size);
        for (uint32_t n = random_number() % 40; n; --n)
            text[random_number() % size] = bytes[random_number() % (sizeof bytes - 1)];
        write_text(small_file, text, size);
        struct map *damaged = map_new();
        struct diag trouble = DIAG_INIT;
        bool fine = map_load_file(damaged, small_file, &trouble);
        ck_assert_int_eq(fine, trouble.errors == 0);
        refused += !fine;
        struct tally tally = {0};
        map_lookup(damaged, "", true, touch_entry, &tally);
        ck_assert_uint_eq(tally.entries, map_count(damaged));
        map_free(damaged);
        diag_release(&trouble);
    }
    ck_assert_int_eq(unlink(small_file), 0);
    ck_assert_uint_lt(10, refused);
    free(whole);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("map");

    TCase *shipped = tcase_create("shipped maps");
    tcase_add_checked_fixture(shipped, set_up, tear_down);
    tcase_add_test(shipped, loads_everything);
    tcase_add_test(shipped, finds_a_plain_pair);
    tcase_add_test(shipped, knows_lives);
    tcase_add_test(shipped, knows_special_names);
    tcase_add_test(shipped, knows_argument_changes);
    tcase_add_test(shipped, knows_libraries);
    tcase_add_test(shipped, finds_headers);
    tcase_add_test(shipped, finds_headers_by_folder);
    tcase_add_test(shipped, knows_hip_headers);
    tcase_add_test(shipped, looks_up_both_sides);
    tcase_add_test(shipped, every_entry_is_well_formed);
    suite_add_tcase(suite, shipped);

    TCase *own = tcase_create("small maps");
    tcase_add_checked_fixture(own, set_up_small, tear_down_small);
    tcase_add_test(own, reads_all_columns);
    tcase_add_test(own, reads_both_sides);
    tcase_add_test(own, later_file_replaces);
    tcase_add_test(own, longest_folder_wins);
    tcase_add_loop_test(own, complains_of_bad_lines, 0,
                        (int)(sizeof bad_lines / sizeof *bad_lines));
    tcase_add_test(own, complains_of_doubles);
    suite_add_tcase(suite, own);

    TCase *damage = tcase_create("trouble");
    tcase_add_checked_fixture(damage, set_up, tear_down);
    tcase_add_checked_fixture(damage, set_up_small, tear_down_small);
    tcase_set_timeout(damage, 60);
    tcase_add_test(damage, complains_of_files);
    tcase_add_loop_test(damage, survives_damage, 0, 4);
    suite_add_tcase(suite, damage);

    return run_suite(suite);
}
