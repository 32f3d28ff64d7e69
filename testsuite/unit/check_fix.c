/* Fixes: all edits of a finding or none, the translation's first, and what several findings need
   once. */
#include <config.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/fix.h"
#include "base/xalloc.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

static const char text[] = "int m = cudaMalloc(p); f(m);";
static struct map *facts;

struct edit_of {
    int finding; /* edits of one finding follow each other */
    enum fix_safety safety;
    const char *at; /* the text at which it begins, */
    size_t skip;    /* this many bytes later */
    size_t len;
    const char *text;
};

/* The translation of TEXT with the fixes at least as safe as LEAST, of the findings that own the
   EDITS; FIXED gets a letter for each finding, y or n. */
static char *apply(const struct edit_of *edits, enum fix_safety least, char *fixed)
{
    size_t len = sizeof text - 1;
    char *copy = xcalloc(len + SOURCE_PADDING, 1);
    memcpy(copy, text, len);
    struct translate_options options = {.map = facts, .hip_version = map_newest_hip(facts)};
    struct translation t;
    struct strbuf out = STRBUF_INIT;
    translate(&t, "k.cpp", copy, len, &options);
    t.findings.list.count = 0;
    struct finding *f = NULL;
    for (int last = 0; edits->finding; ++edits) {
        if (last != edits->finding)
            f = findings_add(&t.findings, RULE_PTX_INLINE, (struct span){0, 1}, NULL, NULL, NULL);
        last = edits->finding;
        uint32_t begin = (uint32_t)(strstr(text, edits->at) - text + (long)edits->skip);
        finding_add_edit(f, edits->safety, (struct span){begin, begin + (uint32_t)edits->len},
                         edits->text);
    }
    fixes_apply(&t, least);
    vec_each (const struct finding, finding, &t.findings.list)
        *fixed++ = finding->fixed ? 'y' : 'n';
    *fixed = '\0';
    translation_text(&t, &out);
    translation_release(&t);
    return out.text;
}

static void check(const struct edit_of *edits, enum fix_safety least, const char *want,
                  const char *want_fixed)
{
    char fixed[16], *res = apply(edits, least, fixed);
    /* The translation adds an #include. */
    const char *line = strrchr(res, '\n');
    ck_assert_str_eq(line ? line + 1 : res, want);
    ck_assert_str_eq(fixed, want_fixed);
    free(res);
}

START_TEST(safety)
{
    static const struct edit_of edits[] = {{1, FIX_SAFE, "f(", 0, 1, "g"},
                                           {2, FIX_SAFE, "f(m", 2, 1, "n"},
                                           {2, FIX_UNSAFE, "f(m)", 3, 0, "+1"},
                                           {3, FIX_DISPLAY, ";", 0, 1, "!"},
                                           {0}};
    check(edits, FIX_SAFE, "int m = hipMalloc(p); g(m);", "ynn");
    check(edits, FIX_UNSAFE, "int m = hipMalloc(p); g(n+1);", "yyn");
}
END_TEST

/* Repairs are the translation's own: applied apart from the fixes, and no finding is fixed by one.
 */
START_TEST(repairs)
{
    static const struct edit_of edits[] = {
        {1, FIX_REPAIR, "f(m", 2, 1, "n"}, {2, FIX_SAFE, "f(", 0, 1, "g"}, {0}};
    check(edits, FIX_REPAIR, "int m = hipMalloc(p); f(n);", "nn");
    check(edits, FIX_UNSAFE, "int m = hipMalloc(p); g(m);", "ny");
}
END_TEST

START_TEST(overlaps)
{
    static const struct edit_of edits[] = {
        {1, FIX_SAFE, "cudaMalloc", 0, 10, "mine"}, /* the translation's */
        {2, FIX_SAFE, "cudaMalloc", 4, 0, "_"},     /* in the midst of it */
        {3, FIX_SAFE, "cudaMalloc", 0, 0, "("},     /* beside it */
        {3, FIX_SAFE, "(p)", 0, 0, ")"},
        {4, FIX_SAFE, "f(m)", 2, 1, "n"},
        {4, FIX_SAFE, "int", 4, 1, "n"},
        {5, FIX_SAFE, "int", 0, 3, "long"},
        {5, FIX_SAFE, "f(m)", 0, 4, "h()"}, /* so none of 5 */
        {6, FIX_SAFE, "(p)", 1, 0, "&"},
        {7, FIX_SAFE, "(p)", 0, 3, "()"}, /* 6 inserts in it */
        {0}};
    check(edits, FIX_SAFE, "int n = (hipMalloc)(&p); f(n);", "nnyynyn");
}
END_TEST

START_TEST(shared)
{
    static const struct edit_of edits[] = {
        {1, FIX_SAFE, "int", 0, 3, "long"},  {1, FIX_SAFE, "f(m)", 2, 0, "~"},
        {2, FIX_SAFE, "int", 0, 3, "long"},  {2, FIX_SAFE, "f(m)", 2, 0, "~"},
        {3, FIX_SAFE, "int", 0, 3, "short"}, {0}};
    check(edits, FIX_SAFE, "long m = hipMalloc(p); f(~~m);", "yyn");
}
END_TEST

int main(void)
{
    facts = load_facts();
    Suite *suite = suite_create("fix");
    TCase *tcase = tcase_create("fix");
    tcase_add_test(tcase, safety);
    tcase_add_test(tcase, repairs);
    tcase_add_test(tcase, overlaps);
    tcase_add_test(tcase, shared);
    suite_add_tcase(suite, tcase);
    int status = run_suite(suite);
    map_free(facts);
    return status;
}
