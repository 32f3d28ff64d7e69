/* A libFuzzer target: the whole translation of one file, of any bytes.

   Besides not crashing, one promise is checked for every input: with an empty map the output is the
   input, byte for byte. With HW_FUZZ_STABLE=1 in the environment also that translating the result
   again changes nothing; text that is no C++ can break that, since what a name is read as may hang
   on a word that the first translation renames.

   The map comes from $srcdir/maps, or ./maps where srcdir is not set.  */
#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "maps/map.h"
#include "transform/translate.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct map *map;
static struct map *empty_map;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const char *root = getenv("srcdir");
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/maps", root ? root : ".");
    struct diag diag = DIAG_INIT;
    map = map_new();
    empty_map = map_new();
    if (!map_load_dir(map, dir, &diag)) {
        diag_flush(&diag, stderr);
        exit(2);
    }
    diag_release(&diag);
    return 0;
}

static void run(struct translation *t, const char *text, size_t len,
                const struct translate_options *options)
{
    char *copy = xcalloc(len + SOURCE_PADDING, 1);
    if (len)
        memcpy(copy, text, len);
    translate(t, "fuzz.cu", copy, len, options);
}

static void show(const char *title, const char *text, size_t len)
{
    fprintf(stderr, "---- %s (%zu bytes)\n", title, len);
    fwrite(text, 1, len, stderr);
    fputc('\n', stderr);
}

/* The promise called TITLE is broken: shows what came out and stops. */
static _Noreturn void broken(const char *title, const char *in, size_t in_len,
                             const struct strbuf *out)
{
    fprintf(stderr, "fuzz_translate: %s\n", title);
    show("input", in, in_len);
    show("output", out->text ? out->text : "", out->len);
    abort();
}

static bool same(const struct strbuf *out, const char *text, size_t len)
{
    return out->len == len && (!len || !memcmp(out->text, text, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct translate_options options = {
        .map = map,
        .hip_version = map_newest_hip(map),
        /* The input chooses, so that one corpus serves both; its bytes stay what they are. */
        .launch = size % 2 ? LAUNCH_FUNCTION : LAUNCH_CHEVRON,
    };
    struct translation first, second, plain;
    struct strbuf out = STRBUF_INIT, again = STRBUF_INIT, kept = STRBUF_INIT;

    run(&first, text, size, &options);
    translation_text(&first, &out);

    run(&second, out.text ? out.text : "", out.len, &options);
    translation_text(&second, &again);
    const char *stable = getenv("HW_FUZZ_STABLE");
    if (stable && options.launch == LAUNCH_CHEVRON &&
        !same(&again, out.text ? out.text : "", out.len))
        broken("translating twice changes the text", out.text ? out.text : "", out.len, &again);
    translation_release(&second);

    struct translate_options nothing = {.map = empty_map, .launch = LAUNCH_CHEVRON};
    run(&plain, text, size, &nothing);
    translation_text(&plain, &kept);
    if (!same(&kept, text, size))
        broken("with an empty map the text changes", text, size, &kept);

    translation_release(&first);
    translation_release(&plain);
    strbuf_release(&out);
    strbuf_release(&again);
    strbuf_release(&kept);
    return 0;
}
