/* The whole of the CUDA toolkit's headers, the one that nvcc on PATH belongs to: with an empty map
   nothing changes, with the real one there is no crash and no hang, and a second run changes
   nothing. One test for each of its folders; without a toolkit one visible skip.  */
#include <config.h>

#include <check.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

struct folder {
    char *path;
    size_t first, end; /* of files */
};

static struct map *facts, *no_facts;
static VEC(char *) files;
static VEC(struct folder) folders;

static int add_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    if (type == FTW_F)
        *vec_push(&files) = xstrdup(path);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The include folder of the toolkit into RES (PATH_MAX bytes); false where there is none. */
static bool find_toolkit(char *res)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "", *end; *at; at = *end ? end + 1 : end) {
        end = strchr(at, ':') ? strchr(at, ':') : at + strlen(at);
        char nvcc[PATH_MAX], real[PATH_MAX], include[PATH_MAX + sizeof "/include"];
        snprintf(nvcc, sizeof nvcc, "%.*s/nvcc", (int)(end - at), at);
        if (!realpath(nvcc, real))
            continue;
        for (int i = 0; i < 2 && strrchr(real, '/'); ++i) /* nvcc, bin */
            *strrchr(real, '/') = '\0';
        snprintf(include, sizeof include, "%s/include", real);
        if (realpath(include, res))
            return true;
    }
    return false;
}

static void find_files(void)
{
    static char top[PATH_MAX];
    if (!find_toolkit(top))
        return;
    nftw(top, add_file, 16, FTW_PHYS);
    if (!files.count)
        return;
    qsort(files.items, files.count, sizeof *files.items, compare_names);
    size_t len = strlen(top);
    for (size_t i = 0; i < files.count; ++i) {
        const char *slash = strchr(files.items[i] + len + 1, '/');
        size_t size = slash ? (size_t)(slash - files.items[i]) : len;
        struct folder *last = folders.count ? &folders.items[folders.count - 1] : NULL;
        if (!last || strlen(last->path) != size || memcmp(last->path, files.items[i], size)) {
            char *name = xmalloc(size + 1);
            memcpy(name, files.items[i], size);
            name[size] = '\0';
            *vec_push(&folders) = (struct folder){name, i, i};
        }
        folders.items[folders.count - 1].end = i + 1;
    }
}

START_TEST(test_empty_map)
{
    for (size_t i = folders.items[_i].first; i < folders.items[_i].end; ++i) {
        struct text text = read_text(files.items[i]);
        struct text res = run(files.items[i], text.bytes, text.len, no_facts, LAUNCH_CHEVRON);
        ck_assert_msg(res.len == text.len && !memcmp(res.bytes, text.bytes, text.len), "%s",
                      files.items[i]);
        free(res.bytes);
        free(text.bytes);
    }
}
END_TEST

START_TEST(test_twice)
{
    for (size_t i = folders.items[_i].first; i < folders.items[_i].end; ++i) {
        struct text text = read_text(files.items[i]);
        check_stable(files.items[i], text.bytes, text.len, facts, LAUNCH_CHEVRON);
        check_stable(files.items[i], text.bytes, text.len, facts, LAUNCH_FUNCTION);
        free(text.bytes);
    }
}
END_TEST

int main(void)
{
    find_files();
    if (!folders.count) {
        puts("1..1\nok 1 - CUDA toolkit # SKIP no nvcc on PATH");
        return 0;
    }
    facts = load_facts();
    no_facts = map_new();
    Suite *suite = suite_create("toolkit");
    TCase *tcase = tcase_create("headers");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, test_empty_map, 0, (int)folders.count);
    tcase_add_loop_test(tcase, test_twice, 0, (int)folders.count);
    suite_add_tcase(suite, tcase);
    int status = run_suite(suite);
    map_free(facts);
    map_free(no_facts);
    vec_each (char *, file, &files)
        free(*file);
    vec_each (struct folder, folder, &folders)
        free(folder->path);
    vec_release(&files);
    vec_release(&folders);
    return status;
}
