#include <config.h>

#include "testsuite/unit/common.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "testsuite/unit/assert.h"

struct map *load_facts(void)
{
    const char *top = getenv("srcdir") ? getenv("srcdir") : ".";
    char path[4096];
    struct diag diag = DIAG_INIT;
    struct map *res = map_new();
    snprintf(path, sizeof path, "%s/maps", top);
    if (!map_load_dir(res, path, &diag)) {
        diag_flush(&diag, stderr);
        exit(99);
    }
    diag_release(&diag);
    return res;
}

/* nftw() passes no context. */
static struct sources *collecting;

static int add_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    static const char *const endings[] = {".cu", ".cuh", ".h", ".hpp", ".cpp", ".c", ".inl"};
    const char *dot = strrchr(path + ftw->base, '.');
    if (type == FTW_F && dot)
        for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
            if (!strcmp(dot, endings[i]))
                *vec_push(&collecting->list) = xstrdup(path);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void collect_sources(struct sources *sources)
{
    static const char *const folders[] = {"fixtures", "programs", "fuzz/corpus"};
    const char *top = getenv("srcdir") ? getenv("srcdir") : ".";
    *sources = (struct sources){0};
    collecting = sources;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
        char path[4096];
        snprintf(path, sizeof path, "%s/testsuite/%s", top, folders[i]);
        nftw(path, add_file, 16, FTW_PHYS);
    }
    if (!sources->list.count)
        exit(99);
    qsort(sources->list.items, sources->list.count, sizeof *sources->list.items, compare_names);
}

void release_sources(struct sources *sources)
{
    vec_each (char *, file, &sources->list)
        free(*file);
    vec_release(&sources->list);
}

struct text read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    struct strbuf buf = STRBUF_INIT;
    char chunk[4096];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file));)
        strbuf_add(&buf, chunk, got);
    fclose(file);
    strbuf_add(&buf, "", 0);
    return (struct text){buf.text, buf.len};
}

void write_text(const char *file, const char *text, size_t len)
{
    FILE *out = fopen(file, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(text, 1, len, out), len);
    ck_assert_int_eq(fclose(out), 0);
}

struct text run(const char *name, const char *text, size_t len, const struct map *map,
                enum launch_form launch)
{
    char *copy = xmalloc(len + SOURCE_PADDING);
    memcpy(copy, text, len);
    memset(copy + len, 0, SOURCE_PADDING);
    struct translate_options options = {
        .map = map,
        .hip_version = map_newest_hip(map),
        .launch = launch,
    };
    struct translation t;
    translate(&t, name, copy, len, &options);
    struct strbuf out = STRBUF_INIT;
    translation_text(&t, &out);
    strbuf_add(&out, "", 0);
    /* Scanning writes into the buffer for a moment; afterwards it is what it was. */
    ck_assert_msg(!memcmp(t.source.text, text, len), "%s: the source was changed", name);
    size_t in = 0, at = 0;
    vec_each (const struct edit, edit, &t.edits.list) {
        ck_assert_msg(in <= edit->offset && edit->offset + edit->length <= len, "%s: edits overlap",
                      name);
        size_t same = edit->offset - in, size = strlen(edit->text);
        ck_assert(at + same + size <= out.len);
        ck_assert_msg(!memcmp(out.text + at, text + in, same), "%s: bytes outside the edits", name);
        at += same;
        ck_assert(!memcmp(out.text + at, edit->text, size));
        at += size;
        in = edit->offset + edit->length;
    }
    ck_assert(out.len - at == len - in && !memcmp(out.text + at, text + in, len - in));
    translation_release(&t);
    return (struct text){out.text, out.len};
}

void check_stable(const char *name, const char *text, size_t len, const struct map *map,
                  enum launch_form launch)
{
    struct text once = run(name, text, len, map, launch);
    struct text twice = run(name, once.bytes, once.len, map, launch);
    if (once.len != twice.len || memcmp(once.bytes, twice.bytes, once.len)) {
        FILE *file = fopen("unstable.cu", "wb");
        if (file) {
            fwrite(text, 1, len, file);
            fclose(file);
        }
        ck_abort_msg("%s: a second run changes the result (input kept in unstable.cu)", name);
    }
    free(once.bytes);
    free(twice.bytes);
}
