/* A libFuzzer target: the whole translation of one file, of any bytes.

   Besides not crashing, two promises are checked for every input: with an empty map the output is
   the input, byte for byte, and what is marked becomes without its markers what it would be
   unmarked. With HW_FUZZ_STABLE=1 in the environment also that translating the result
   again changes nothing; text that is no C++ can break that, since what a name is read as may hang
   on a word that the first translation renames. All bodies are read, too, and their trees must be
   sound.

   The map comes from $srcdir/maps, or ./maps where srcdir is not set.  */
#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/allow.h"
#include "annotate/annotate.h"
#include "annotate/fix.h"
#include "base/xalloc.h"
#include "maps/map.h"
#include "parser/unit.h"
#include "report/marker.h"
#include "testsuite/sound.h"
#include "transform/translate.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct map *map;
static struct map *empty_map;
static struct target_table *gpus;
static struct comparison comparison;

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
    gpus = target_table_new();
    char list[sizeof dir + 16];
    snprintf(list, sizeof list, "%s/gpus.list", dir);
    if (!map_load_dir(map, dir, &diag) || !target_load_file(gpus, list, &diag) ||
        !comparison_resolve(&comparison, gpus, "gfx942,gfx1100", "sm_80", &diag)) {
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

/* Appends TEXT without markers to OUT. */
static void strip(const struct strbuf *text, struct strbuf *out)
{
    struct source source;
    struct edits edits = {0};
    char *copy = xcalloc(text->len + SOURCE_PADDING, 1);
    if (text->len)
        memcpy(copy, text->text, text->len);
    source_init(&source, "fuzz.cu", copy, text->len);
    markers_strip(&source, &edits);
    edits_apply(&edits, &source, out);
    edits_release(&edits);
    source_release(&source);
}

/* Marks T with a finding at every token besides those that there are; some of these bring edits
   that belong to the translation, so what is to be restored is known only behind them. The SIZE of
   the input TEXT decides whether fixes are applied too; their result is another one. */
static void check_markers(struct translation *t, const struct translate_options *options,
                          const char *text, size_t size)
{
    static const bool rule_off[RULE_COUNT];
    struct strbuf plain = STRBUF_INIT, marked = STRBUF_INIT, stripped = STRBUF_INIT,
                  want = STRBUF_INIT;
    bool fixes = size % 8 == 3;
    annotate(t, options, &comparison);
    allows_apply(t, rule_off);
    translation_text(t, &plain);
    if (fixes)
        fixes_apply(t, FIX_UNSAFE);
    for (uint32_t i = 0; i < t->unit->tokens.list.count; ++i)
        findings_add(&t->findings, RULE_PTX_INLINE, unit_span(t->unit, (struct range){i, i + 1}),
                     NULL, NULL, NULL);
    markers_add(t);
    translation_text(t, &marked);
    strip(&marked, &stripped);
    strip(&plain, &want);
    if (!fixes && !same(&stripped, want.text ? want.text : "", want.len))
        broken("taking the markers out does not restore the text", text, size, &stripped);
    strbuf_release(&plain);
    strbuf_release(&marked);
    strbuf_release(&stripped);
    strbuf_release(&want);
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
    const char *fault = bodies_fault(first.unit);
    if (fault)
        broken(fault, text, size, &out);

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

    if (size / 2 % 2) /* half of them, for speed */
        check_markers(&first, &options, text, size);

    translation_release(&first);
    translation_release(&plain);
    strbuf_release(&out);
    strbuf_release(&again);
    strbuf_release(&kept);
    return 0;
}
