/* What rules work with: the GPUs that are compared, the dialect of a place, and which findings
   remain. */
#include <config.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate_p.h"
#include "base/xalloc.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

static struct map *facts;
static struct target_table *gpus;

static void load(void)
{
    struct diag diag = DIAG_INIT;
    char path[4096];
    facts = load_facts();
    gpus = target_table_new();
    snprintf(path, sizeof path, "%s/maps/gpus.list", getenv("srcdir") ? getenv("srcdir") : ".");
    if (!target_load_file(gpus, path, &diag)) {
        diag_flush(&diag, stderr);
        exit(99);
    }
    diag_release(&diag);
}

static struct comparison compared(const char *targets, const char *from)
{
    struct comparison res;
    struct diag diag = DIAG_INIT;
    ck_assert(comparison_resolve(&res, gpus, targets, from, &diag));
    ck_assert_uint_eq(diag.errors, 0);
    diag_release(&diag);
    return res;
}

static const char *names(const struct comparison *comparison, target_set set)
{
    static struct strbuf out;
    strbuf_clear(&out);
    strbuf_addc(&out, '|');
    comparison_add_names(&out, comparison, set);
    return out.text + 1;
}

START_TEST(targets)
{
    struct comparison c = compared(NULL, NULL);
    ck_assert_str_eq(names(&c, comparison_all(&c)), "gfx942");
    ck_assert_str_eq(c.from->name, "sm_80");
    c = compared("gfx1100,gfx90a:xnack+,gfx1100,gfx1030", "sm_90a");
    ck_assert_str_eq(names(&c, EVERY_TARGET), "gfx1100, gfx90a, gfx1030");
    ck_assert_uint_eq(comparison_all(&c), 7);
    ck_assert_str_eq(names(&c, comparison_with_wave(&c, 64)), "gfx90a");
    ck_assert_str_eq(names(&c, comparison_with_wave(&c, 32)), "gfx1100, gfx1030");
    ck_assert_str_eq(names(&c, 0), "");
    ck_assert_str_eq(c.from->name, "sm_90");
    struct comparison other = compared("gfx942,gfx90a", "sm_70");
    comparison_join(&c, &other);
    ck_assert_str_eq(names(&c, comparison_all(&c)), "gfx1100, gfx90a, gfx1030, gfx942");
    ck_assert_str_eq(c.from->name, "sm_90");
}
END_TEST

static const char *const wrong[][2] = {{"", NULL},       {"gfx942,", NULL},    {"gfx9", NULL},
                                       {"sm_80", NULL},  {"gfx942,,", NULL},   {NULL, ""},
                                       {NULL, "gfx942"}, {NULL, "sm_80,sm_90"}};

START_TEST(wrong_targets)
{
    struct comparison res;
    struct diag diag = DIAG_INIT;
    ck_assert(!comparison_resolve(&res, gpus, wrong[_i][0], wrong[_i][1], &diag));
    ck_assert_uint_eq(diag.errors, 1);
    ck_assert_ptr_nonnull(strstr(diag.text.text, wrong[_i][1] ? "sm_80" : "gfx942"));
    ck_assert_ptr_nonnull(strstr(diag.text.text, wrong[_i][1] ? "--from" : "--target"));
    diag_release(&diag);
}
END_TEST

static void parse(struct translation *t, const char *name, const char *text,
                  enum input_dialect input)
{
    size_t len = strlen(text);
    char *copy = xcalloc(len + SOURCE_PADDING, 1);
    memcpy(copy, text, len);
    struct translate_options options = {
        .map = facts, .hip_version = map_newest_hip(facts), .input = input};
    translate(t, name, copy, len, &options);
}

static const struct {
    const char *name, *text;
    enum input_dialect input;
    bool hip;
} dialects[] = {
    {"k.cu", "", INPUT_AUTO, false},
    {"k.cu", "", INPUT_HIP, true},
    {"k.hip", "", INPUT_AUTO, true},
    {"k.hip", "", INPUT_CUDA, false},
    {"a/k.hip.h", "", INPUT_AUTO, true},
    {"a.hip/k.h", "", INPUT_AUTO, false},
    {"k.hipster", "", INPUT_AUTO, false},
    {"k.hip.a.b", "", INPUT_AUTO, false},
    {"k.cu", "__global__ void k() { __syncthreads(); }", INPUT_AUTO, false},
    {"k.cpp", "#include <hip/hip_runtime.h>\nvoid f() { __syncthreads(); }", INPUT_AUTO, true},
    {"k.cpp", "void f() { hipFree(0); }", INPUT_AUTO, true},
    {"k.cpp", "int hips, hip, hipp;", INPUT_AUTO, false},
    {"k.cpp", "// hipFree\nconst char *s = \"hipFree\";", INPUT_AUTO, false},
    /* something is left to translate */
    {"k.hip", "void f() { cudaFree(0); }", INPUT_AUTO, false},
    {"k.hip", "#include <cuda.h>\n", INPUT_AUTO, false},
    {"k.cpp", "void f() { hipFree(0); cudaFree(0); }", INPUT_AUTO, false},
    /* names of the file's own, and those that stay */
    {"k.hip", "struct s { void cudaFree(); };", INPUT_AUTO, true},
    {"k.hip", "#include <NvInfer.h>\n", INPUT_AUTO, true},
    /* what a conditional has decided says nothing of the rest */
    {"k.cu",
     "#ifdef __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime.h>\nvoid f() { hipFree(0); }\n"
     "#else\n#include <cuda_runtime.h>\n#endif\n",
     INPUT_AUTO, false},
    {"k.hip", "#ifndef __HIP_PLATFORM_AMD__\nvoid f() { cudaFree(0); }\n#endif\n", INPUT_AUTO,
     true},
};

START_TEST(dialect)
{
    struct translation t;
    parse(&t, dialects[_i].name, dialects[_i].text, dialects[_i].input);
    ck_assert_msg(t.hip == dialects[_i].hip, "%s: %s", dialects[_i].name, dialects[_i].text);
    translation_release(&t);
}
END_TEST

START_TEST(dialect_of_a_place)
{
    static const char text[] =
        "int a;\n#ifdef __HIP_PLATFORM_AMD__\nint b;\n#else\nint c;\n#endif\n";
    for (int hip = 0; hip < 2; ++hip) {
        struct translation t;
        parse(&t, hip ? "k.hip" : "k.cu", text, INPUT_AUTO);
        struct annotation a = {.unit = t.unit, .hip = t.hip};
        for (uint32_t i = 0; i < t.unit->tokens.list.count; ++i) {
            const struct symbol *symbol = unit_token(t.unit, i)->symbol;
            if (!symbol || symbol->len != 1)
                continue;
            bool want = *symbol->text == 'b' || (*symbol->text == 'a' && hip);
            ck_assert_msg(annotation_is_hip(&a, i) == want, "%s, %d", symbol->text, hip);
        }
        translation_release(&t);
    }
}
END_TEST

START_TEST(untargeted_findings)
{
    struct translation t;
    struct translate_options options = {.map = facts, .hip_version = map_newest_hip(facts)};
    struct comparison c = compared("gfx942,gfx1100", NULL);
    parse(&t, "k.cu", "a b c", INPUT_AUTO);
    struct annotation a = {.unit = t.unit, .findings = &t.findings, .gpus = &c, .arena = &t.arena};
    annotation_add(&a, RULE_PTX_INLINE, (struct range){0, 1})->targets = 0;
    annotation_add(&a, RULE_PTX_INLINE, (struct range){1, 2})->targets =
        annotation_with_wave(&a, 32);
    annotation_add(&a, RULE_PTX_INLINE, (struct range){2, 3})->targets = 4; /* no such target */
    /* The same said of other targets is said once. */
    annotation_add(&a, RULE_PTX_INLINE, (struct range){1, 2})->targets =
        annotation_with_wave(&a, 64);
    annotate(&t, &options, &c);
    ck_assert_uint_eq(t.findings.list.count, 1);
    const struct finding *f = t.findings.list.items;
    ck_assert_str_eq(f->args[0], "b");
    ck_assert_uint_eq(f->targets, 3);
    ck_assert_str_eq(annotation_names(&a, f->targets), "gfx942, gfx1100");
    translation_release(&t);
}
END_TEST

int main(void)
{
    load();
    Suite *suite = suite_create("annotate");
    TCase *tcase = tcase_create("annotate");
    tcase_add_test(tcase, targets);
    tcase_add_loop_test(tcase, wrong_targets, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_loop_test(tcase, dialect, 0, (int)(sizeof dialects / sizeof *dialects));
    tcase_add_test(tcase, dialect_of_a_place);
    tcase_add_test(tcase, untargeted_findings);
    suite_add_tcase(suite, tcase);
    int status = run_suite(suite);
    target_table_free(gpus);
    map_free(facts);
    return status;
}
