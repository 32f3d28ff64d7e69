/* What a tree needs beside the translation: hashes, the record, which files are sources, names. */
#include <config.h>

#include "cli/record.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "cli/progress.h"
#include "cli/renames.h"
#include "cli/wanted.h"
#include "cli/write.h"
#include "testsuite/unit/suite.h"

static char *folder;

static void setup(void)
{
    const char *tmp = getenv("TMPDIR");
    struct strbuf path = STRBUF_INIT;
    strbuf_printf(&path, "%s/check_record.XXXXXX", tmp ? tmp : "/tmp");
    folder = mkdtemp(path.text);
    ck_assert_ptr_nonnull(folder);
    ck_assert_int_eq(chdir(folder), 0);
}

static void teardown(void)
{
    static const char *const names[] = {".hipwright.record",
                                        ".hipwright.journal",
                                        "a",
                                        "b",
                                        ".a.hipwright-abc123",
                                        ".a.hipwright-abc12",
                                        ".a.hipwright-locked",
                                        "a.hipwright-abc123"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        unlink(names[i]);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    free(folder);
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

/* The examples of FIPS 180-4 and of NIST's test files. */
START_TEST(sha256)
{
    char hex[SHA256_HEX + 1];
    sha256_hex("", 0, hex);
    ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_hex("abc", 3, hex);
    ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    sha256_hex(two, sizeof two - 1, hex);
    ck_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    struct sha256 sha;
    sha256_init(&sha);
    char as[1000];
    memset(as, 'a', sizeof as);
    for (size_t done = 0, part = 1; done < 1000000; done += part, part = part % 997 + 1) {
        part = 1000000 - done < part ? 1000000 - done : part;
        sha256_add(&sha, as, part);
    }
    sha256_finish(&sha, hex);
    ck_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

static struct record_entry entry_of(const char *path, const char *text)
{
    struct record_entry res = {.how = "1/2", .path = path, .source = "../s"};
    sha256_hex(text, strlen(text), res.output);
    sha256_hex("in", 2, res.input);
    return res;
}

static bool is_ours(const struct record *record, const char *name)
{
    return record_is_ours(record, name, name, "", 0);
}

/* Odd names come back as they were, sorted; an output is ours as long as it is what was written. */
START_TEST(record_returns)
{
    static const char *const names[] = {"z", "a\tb\n", "\\x41", "\xff\xc3", "dir/\xc3\xa9.cu", "a"};
    struct diag diag = DIAG_INIT;
    struct record *record = record_open(".", &diag);
    ck_assert_ptr_nonnull(record);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        struct record_entry entry = entry_of(names[i], "text");
        record_set(record, &entry);
    }
    ck_assert(record_save(record, &diag));
    record_free(record);
    record = record_open(".", &diag);
    ck_assert_ptr_nonnull(record);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const struct record_entry *entry = record_find(record, names[i]);
        ck_assert_ptr_nonnull(entry);
        ck_assert_str_eq(entry->source, "../s");
        ck_assert_str_eq(entry->how, "1/2");
    }
    ck_assert_ptr_null(record_find(record, "A"));
    put("a", "text");
    ck_assert(is_ours(record, "a"));
    put("a", "text, edited");
    ck_assert(!is_ours(record, "a"));
    put("a", "");
    ck_assert(is_ours(record, "a"));
    record_free(record);
    ck_assert_uint_eq(diag.errors, 0);
    diag_release(&diag);
}
END_TEST

/* What a failure of power leaves is no hand edit; what looks a little like it is one. */
START_TEST(torn_outputs)
{
    enum { PAGE = 4096, LEN = 3 * PAGE };
    static const struct {
        size_t kept, nuls;
        bool ours;
    } cases[] = {
        {0, 0, true},           {0, 100, true},
        {PAGE, 0, true},        {2 * PAGE, PAGE, true},
        {100, LEN, true},       {PAGE - 1, 0, false},
        {PAGE + 1, 0, false},   {LEN, 1, false},
        {LEN + PAGE, 0, false}, {LEN + PAGE, 50, false},
    };
    static char text[LEN + 2 * PAGE];
    struct diag diag = DIAG_INIT;
    struct record *record = record_open(".", &diag);
    ck_assert_ptr_nonnull(record);
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (int edited = 0; edited < 2; ++edited) {
            FILE *f = fopen("a", "w");
            ck_assert_ptr_nonnull(f);
            for (size_t k = 0; k < cases[i].kept; ++k)
                fputc(edited && k == cases[i].kept / 2 ? 'y' : 'x', f);
            for (size_t k = 0; k < cases[i].nuls; ++k)
                fputc('\0', f);
            fclose(f);
            bool ours = cases[i].ours && (!edited || !cases[i].kept);
            ck_assert_msg(record_is_ours(record, "a", "a", text, LEN) == ours, "case %zu", i);
        }
    }
    record_free(record);
    diag_release(&diag);
}
END_TEST

/* A run that is killed has announced what it wrote; a line that was cut off says nothing. */
START_TEST(journal)
{
    struct diag diag = DIAG_INIT;
    struct record *record = record_open(".", &diag);
    struct record_entry entry = entry_of("a", "one");
    ck_assert(record_announce(record, &entry, &diag));
    record_free(record);
    FILE *f = fopen(".hipwright.journal", "a");
    ck_assert_ptr_nonnull(f);
    fputs("0123", f);
    fclose(f);
    record = record_open(".", &diag);
    ck_assert_ptr_nonnull(record);
    put("a", "one");
    put("b", "one");
    ck_assert(is_ours(record, "a"));
    ck_assert(!is_ours(record, "b"));
    entry = entry_of("b", "one");
    ck_assert(record_announce(record, &entry, &diag));
    record_free(record);
    record = record_open(".", &diag);
    ck_assert(is_ours(record, "a"));
    ck_assert(is_ours(record, "b"));
    record_set(record, &entry);
    ck_assert(record_save(record, &diag));
    ck_assert_int_ne(access(".hipwright.journal", F_OK), 0);
    record_free(record);
    diag_release(&diag);
}
END_TEST

static void check_relative(const char *from, const char *to, const char *want)
{
    char *res = record_relative(from, to);
    ck_assert_str_eq(res, want);
    free(res);
}

START_TEST(relative)
{
    check_relative("/a/b", "/a/c/d", "../c/d");
    check_relative("/a/b", "/a/b/d", "d");
    check_relative("/a/b", "/a/bc", "../bc");
    check_relative("/a/bc", "/a/b", "../b");
    check_relative("/", "/x/y", "x/y");
    check_relative("/a/b/c", "/d", "../../../d");
    ck_assert_ptr_null(record_relative(NULL, "/a"));
}
END_TEST

static bool names_cuda(const char *text)
{
    struct map *map = map_new();
    bool res = wanted_by_text(map, text, strlen(text));
    map_free(map);
    return res;
}

START_TEST(wanted)
{
    static const char *const yes[] = {"cudaMalloc(&p, 1);",
                                      "#include <cuda.h>",
                                      "x = cuInit(0);",
                                      "CUdevice d;",
                                      "CU_DEVICE",
                                      "f<<<1, 1>>>();",
                                      "__global__ void f();",
                                      "#define X __device__",
                                      "#include \"cub/cub.cuh\"",
                                      "hipFree(p)",
                                      "int i = threadIdx.x",
                                      "thrust::sort(a, b);",
                                      "#ifdef __CUDACC__"};
    static const char *const no[] = {"int cubic, cute_one, rocket, nvals, cu, cup, CU, Cut;",
                                     "my_cudaMalloc(x); mycuda",
                                     "a << b < c << d",
                                     "",
                                     "__attribute__((x)) __host",
                                     "atomic<int> a; std::atomic_int b;"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; ++i)
        ck_assert_msg(names_cuda(yes[i]), "%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; ++i)
        ck_assert_msg(!names_cuda(no[i]), "%s", no[i]);
    ck_assert_int_eq(wanted_kind("a/b.cu"), FILE_CUDA);
    ck_assert_int_eq(wanted_kind("b.hip.h"), FILE_CXX);
    ck_assert_int_eq(wanted_kind(".cu"), FILE_OTHER);
    ck_assert_int_eq(wanted_kind("a/.cu"), FILE_OTHER);
    ck_assert_int_eq(wanted_kind("b.cubin"), FILE_OTHER);
    ck_assert_int_eq(wanted_kind("b.cu.orig"), FILE_OTHER);
    ck_assert(wanted_is_binary("a\0b", 3));
    ck_assert(!wanted_is_binary("", 0));
}
END_TEST

START_TEST(names)
{
    struct strbuf out = STRBUF_INIT;
    ck_assert(renames_new_name("a.cu/b.cuh", &out));
    ck_assert_str_eq(out.text, "a.cu/b.hip.h");
    ck_assert(!renames_new_name("a.cu/b.h", &out));
    strbuf_release(&out);

    struct input list[] = {
        {.real = "/t/src/k/f.cuh"}, {.real = "/t/src/g.cu"}, {.real = "/t/done.hip.h"}};
    struct inputs inputs = {.list = {list, 3, 3}};
    struct renames *renames = renames_new(&inputs);
    static const struct {
        const char *path, *want;
    } cases[] = {{"k/f.cuh", "k/f.hip.h"},
                 {"./k/../k/f.cuh", "./k/../k/f.hip.h"},
                 {"src/k/f.cuh", "src/k/f.hip.h"},
                 {"../../src/g.cu", "../../src/g.hip"},
                 {"f.cuh", "f.hip.h"},
                 {"done.cuh", "done.hip.h"},
                 {"xf.cuh", NULL},
                 {"j/f.cuh", NULL},
                 {"k/f.cu", NULL},
                 {"k/f.h", NULL},
                 {"../../../../../g.cuh", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bool res =
            renames_follow(renames, "/t/src/main.cpp", cases[i].path, strlen(cases[i].path), &out);
        ck_assert_msg(res == (cases[i].want != NULL), "%s", cases[i].path);
        if (res)
            ck_assert_str_eq(out.text, cases[i].want);
        strbuf_release(&out);
    }
    renames_free(renames);
}
END_TEST

/* What a run that is still at work has locked is no leftover. */
START_TEST(leftovers)
{
    put(".a.hipwright-abc123", "x");
    put(".a.hipwright-abc12", "x");
    put("a.hipwright-abc123", "x");
    put(".a.hipwright-locked", "x");
    int fd = open(".a.hipwright-locked", O_RDONLY);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    ck_assert_uint_eq(write_remove_leftovers("."), 1);
    ck_assert_int_ne(access(".a.hipwright-abc123", F_OK), 0);
    close(fd);
    ck_assert_uint_eq(write_remove_leftovers("."), 1);
    ck_assert_int_eq(access(".a.hipwright-abc12", F_OK), 0);
    ck_assert_int_eq(access("a.hipwright-abc123", F_OK), 0);
}
END_TEST

START_TEST(progress)
{
    struct progress p = {
        .files = 20, .files_done = 5, .bytes = 4000000, .bytes_done = 1000000, .findings = 1};
    struct strbuf out = STRBUF_INIT;
    progress_add_text(&p, 25, 200, &out);
    ck_assert_str_eq(out.text, "hipwright: 5 of 20 files, 0.0 MB/s, 1 finding, 1:15 left");
    strbuf_clear(&out);
    progress_add_text(&p, 25, 20, &out);
    ck_assert_str_eq(out.text, "hipwright: 5 of 20 f");
    strbuf_clear(&out);
    p.bytes_done = 0;
    progress_add_text(&p, 0, 200, &out);
    ck_assert_str_eq(out.text, "hipwright: 5 of 20 files, 0.0 MB/s, 1 finding");
    strbuf_release(&out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("record");
    TCase *tcase = tcase_create("record");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, sha256);
    tcase_add_test(tcase, record_returns);
    tcase_add_test(tcase, journal);
    tcase_add_test(tcase, torn_outputs);
    tcase_add_test(tcase, relative);
    tcase_add_test(tcase, wanted);
    tcase_add_test(tcase, names);
    tcase_add_test(tcase, leftovers);
    tcase_add_test(tcase, progress);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
