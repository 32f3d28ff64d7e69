#include <config.h>

#include <check.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "report/diff.h"
#include "report/json.h"
#include "report/message.h"
#include "report/summary.h"
#include "report/text.h"
#include "base/utf8.h"
#include "testsuite/unit/suite.h"

static struct source source_of(const char *text, size_t len)
{
    struct source res;
    char *copy = xcalloc(len + SOURCE_PADDING, 1);
    memcpy(copy, text, len);
    source_init(&res, "k.cu", copy, len);
    return res;
}

static const struct target gfx942 = {.name = "gfx942"}, gfx1100 = {.name = "gfx1100"},
                           sm_80 = {.name = "sm_80", .vendor = VENDOR_NVIDIA};
static const struct comparison gpus = {{&gfx942, &gfx1100}, 2, &sm_80};

static struct finding finding_at(uint32_t begin, uint32_t end, const char *arg)
{
    return (struct finding){.rule = RULE_API_NO_COUNTERPART,
                            .span = {begin, end},
                            .effect = EFFECT_COMPILE,
                            .confidence = CONFIDENCE_HIGH,
                            .targets = EVERY_TARGET,
                            .args = {arg}};
}

START_TEST(utf8)
{
    static const struct {
        const char *bytes;
        size_t size;
        uint32_t code;
    } good[] = {{"a", 1, 'a'},
                {"\xc3\xa9", 2, 0xe9},
                {"\xe2\x82\xac", 3, 0x20ac},
                {"\xf0\x9f\x98\x80", 4, 0x1f600}};
    static const char *const bad[] = {"\x80",
                                      "\xc3",
                                      "\xc0\x80",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf8\x88\x80\x80\x80",
                                      "\xff"};
    uint32_t code;
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        ck_assert_uint_eq(utf8_next(good[i].bytes, strlen(good[i].bytes), &code), good[i].size);
        ck_assert_uint_eq(code, good[i].code);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        ck_assert_uint_eq(utf8_next(bad[i], strlen(bad[i]), &code), 0);
    ck_assert_int_eq(utf8_width('a'), 1);
    ck_assert_int_eq(utf8_width(0x4e2d), 2);
    ck_assert_int_eq(utf8_width(0x301), 0);
    ck_assert_int_eq(utf8_width(0x1b), -1);
    ck_assert_int_eq(utf8_width(0x9b), -1);
    ck_assert_int_eq(utf8_width(0x202e), -1);
}
END_TEST

START_TEST(plain_length)
{
    ck_assert_uint_eq(utf8_plain_length("", 0), 0);
    ck_assert_uint_eq(utf8_plain_length("a ~z", 3), 3);
    ck_assert_uint_eq(utf8_plain_length("ab\177c", 4), 2);
    ck_assert_uint_eq(utf8_plain_length("a\tb", 3), 1);
    ck_assert_uint_eq(utf8_plain_length("\303\244", 2), 0);
}
END_TEST

START_TEST(terminal_is_safe)
{
    struct strbuf out = STRBUF_INIT;
    char all[256];
    for (int i = 0; i < 256; ++i)
        all[i] = (char)i;
    utf8_add_terminal(&out, all, sizeof all);
    utf8_add_terminal(&out, "\xe2\x80\xae\xc2\x9b", 5);
    for (size_t i = 0; i < out.len; ++i)
        ck_assert(' ' <= out.text[i] && out.text[i] < 0x7f);
    ck_assert_ptr_nonnull(strstr(out.text, "\\x00\\x01"));
    ck_assert_ptr_nonnull(strstr(out.text, "\\xE2\\x80\\xAE\\xC2\\x9B"));
    strbuf_release(&out);
}
END_TEST

START_TEST(message)
{
    struct finding f = {.args = {"one", "two"}};
    struct strbuf out = STRBUF_INIT;
    message_expand(&out, "%2 before %1, 100%%, %3|%", f.args);
    ck_assert_str_eq(out.text, "two before one, 100%, |%");
    strbuf_release(&out);
}
END_TEST

/* Every rule's sentences use only arguments that a finding can have, and are no formats. */
START_TEST(rules)
{
    for (int i = 0; i < RULE_COUNT; ++i) {
        struct finding f = {.rule = (enum rule_id)i, .args = {"A", "B", "C", "D"}};
        struct strbuf out = STRBUF_INIT;
        message_add(&out, &f, false);
        ck_assert_uint_gt(out.len, 0);
        message_add_todo(&out, &f, false);
        for (const char *at = out.text; (at = strchr(at, '%')); ++at)
            ck_assert_msg(at[1] < '1' || '9' < at[1], "%s", out.text);
        strbuf_release(&out);
    }
}
END_TEST

static char *text_of(const char *text, size_t len, uint32_t begin, uint32_t end)
{
    struct source source = source_of(text, len);
    struct finding f = finding_at(begin, end, "cudaX");
    struct strbuf out = STRBUF_INIT;
    text_add_finding(&out, &source, &f, &gpus, false);
    source_release(&source);
    return out.text;
}

START_TEST(text_form)
{
    static const char source[] = "int a;\n\tf(\"\xc3\xa9\xe4\xb8\xad\"); cudaX();\r\n";
    char *res = text_of(source, sizeof source - 1, 20, 25);
    ck_assert_str_eq(res, "k.cu:2:14: error: `cudaX` has no counterpart in HIP "
                          "[api-no-counterpart]\n"
                          "    2 |         f(\"\xc3\xa9\xe4\xb8\xad\"); cudaX();\n"
                          "      |                   ^~~~~\n"
                          "k.cu:2:14: note: replace cudaX, or guard it for NVIDIA GPUs only\n");
    free(res);
}
END_TEST

START_TEST(text_at_the_edges)
{
    char *res = text_of("", 0, 0, 0);
    ck_assert_ptr_nonnull(strstr(res, "\n    1 | \n      | ^\nk.cu:1:1: note"));
    free(res);
    res = text_of("ab\n", 3, 2, 3);
    ck_assert_ptr_nonnull(strstr(res, "\n    1 | ab\n      |   ^\n"));
    free(res);
    res = text_of("ab", 2, 2, 2);
    ck_assert_ptr_nonnull(strstr(res, "\n    1 | ab\n      |   ^\n"));
    free(res);
    res = text_of("ab\ncd\n", 6, 1, 5); /* over two lines */
    ck_assert_ptr_nonnull(strstr(res, "\n    1 | ab\n      |  ^\n"));
    free(res);
    res = text_of("a\x1b[2J\x00z", 7, 6, 7);
    ck_assert_ptr_nonnull(strstr(res, "\n    1 | a\\x1B[2J\\x00z\n      |             ^\n"));
    free(res);
}
END_TEST

START_TEST(text_of_a_long_line)
{
    enum { SIZE = 1 << 20 };
    char *line = xmalloc(SIZE);
    memset(line, 'x', SIZE);
    static const uint32_t places[] = {0, 100, 200, SIZE / 2, SIZE - 6};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        memcpy(line + places[i], "cudaX", 5);
        char *res = text_of(line, SIZE, places[i], places[i] + 5);
        ck_assert_uint_lt(strlen(res), 1000);
        /* The caret stands below the name. */
        char *name = strstr(strchr(res, '|'), "cudaX"), *caret = strchr(name, '^');
        ck_assert_int_eq(name - strchr(res, '|'), caret - strrchr(res, '|'));
        free(res);
        memset(line, 'x', SIZE);
    }
    free(line);
}
END_TEST

START_TEST(json)
{
    struct source source = source_of("\ncudaX(\n1);", 11);
    source.name = "a\xff.cu";
    struct finding f = finding_at(1, 10, "c\x80\"\n");
    struct strbuf out = STRBUF_INIT;
    json_add_begin(&out, &gpus, "findings");
    json_add_finding(&out, &source, &f, &gpus);
    strbuf_addc(&out, ',');
    json_add_finding(&out, &source, &f, &gpus);
    static const char *const skipped[] = {"gone"};
    json_add_end(&out, &(struct json_summary){
                           .files = 1, .findings = 2, .skipped = skipped, .skipped_count = 1});
    json_error_t error;
    json_t *root = json_loadb(out.text, out.len, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "%s", error.text);
    json_t *first = json_array_get(json_object_get(root, "findings"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(first, "file")), "a\\xFF.cu");
    ck_assert_int_eq(json_integer_value(json_object_get(first, "line")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(first, "column")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(first, "end_line")), 3);
    ck_assert_int_eq(json_integer_value(json_object_get(first, "end_column")), 3);
    ck_assert_str_eq(json_string_value(json_object_get(first, "message")),
                     "`c\\x80\"\n` has no counterpart in HIP");
    static const char *const keys[] = {"file",    "line",     "column",  "end_line", "end_column",
                                       "rule",    "category", "level",   "effect",   "confidence",
                                       "targets", "kernel",   "message", "todo",     "related",
                                       "fix",     "figures"};
    size_t i = 0;
    const char *key;
    json_t *value;
    json_object_foreach(first, key, value) ck_assert_str_eq(key, keys[i++]);
    ck_assert_uint_eq(i, sizeof keys / sizeof *keys);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "findings")), 2);
    json_t *summary = json_object_get(root, "summary");
    ck_assert_int_eq(json_integer_value(json_object_get(summary, "findings")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(summary, "skipped")), 1);
    json_decref(root);

    strbuf_clear(&out);
    json_add_begin(&out, &gpus, "findings");
    json_add_end(&out, &(struct json_summary){0});
    root = json_loadb(out.text, out.len, 0, &error);
    ck_assert_ptr_nonnull(root);
    json_decref(root);
    strbuf_release(&out);
    source_release(&source);
}
END_TEST

/* A finding with all that can belong to one. */
static struct finding *full_finding(struct findings *findings)
{
    struct finding *f =
        findings_add(findings, RULE_API_DUPLICATE_CASE, (struct span){8, 9}, "a", "b", NULL);
    finding_add_number(f, -7);
    f->targets = 2;
    finding_add_figure(f, "sm_80", FIGURE_CYCLES, 1);
    finding_add_figure(f, "gfx1100", FIGURE_CYCLES, 32);
    finding_add_figure(f, "sm_80", FIGURE_WAY, 2);
    finding_add_figure_text(f, "gfx1100", FIGURE_LIMITED_BY, "lds");
    finding_add_related(f, RELATED_DEFINED, (struct span){4, 5}, "N");
    finding_add_related_file(f, RELATED_USED, "n.h", (struct location){3, 4},
                             (struct location){3, 5}, NULL);
    finding_add_edit(f, FIX_SAFE, (struct span){4, 5}, "M");
    finding_add_edit(f, FIX_UNSAFE, (struct span){8, 8}, "(");
    finding_add_edit(f, FIX_SAFE, (struct span){8, 9}, "");
    return f;
}

START_TEST(text_of_all_parts)
{
    struct arena arena = ARENA_INIT;
    struct findings findings;
    struct source source = source_of("int N;\nf x();\n", 14);
    struct strbuf out = STRBUF_INIT;
    findings_init(&findings, &arena);
    struct finding *f = full_finding(&findings);
    text_add_finding(&out, &source, f, &gpus, false);
    ck_assert_str_eq(
        out.text, "k.cu:2:2: error: `a` and `b` are both `-7` in HIP, so this switch has a label "
                  "twice [api-duplicate-case]\n"
                  "    2 | f x();\n"
                  "      |  ^\n"
                  "k.cu:1:5: note: `N` is defined here\n"
                  "    1 | int N;\n"
                  "      |     ^\n"
                  "n.h:3:4: note: used here\n"
                  "k.cu:2:2: note: sm_80: cycles 1, ways of conflict 2\n"
                  "k.cu:2:2: note: gfx1100: cycles 32, limited by lds\n"
                  "k.cu:2:2: note: this concerns gfx1100\n"
                  "k.cu:2:2: note: merge the two labels\n"
                  "k.cu:1:5: note: unsafe fix: write `M` for `N`\n"
                  "k.cu:2:2: note: unsafe fix: insert `(`\n"
                  "k.cu:2:2: note: unsafe fix: delete ` `\n");
    strbuf_clear(&out);
    f->fixed = true;
    text_add_finding(&out, &source, f, &gpus, false);
    ck_assert(!strncmp(out.text, "k.cu:2:2: note: `a`", 19));
    ck_assert_ptr_nonnull(strstr(out.text, "k.cu:2:2: note: this was fixed\n"));
    ck_assert_ptr_null(strstr(out.text, "unsafe"));
    strbuf_release(&out);
    source_release(&source);
    findings_release(&findings);
    arena_release(&arena);
}
END_TEST

START_TEST(text_of_many_places)
{
    struct arena arena = ARENA_INIT;
    struct findings findings;
    struct source source = source_of("int N;\n", 7);
    struct strbuf out = STRBUF_INIT;
    findings_init(&findings, &arena);
    struct finding *f =
        findings_add(&findings, RULE_PTX_INLINE, (struct span){4, 5}, NULL, NULL, NULL);
    for (int i = 0; i < 10; ++i)
        finding_add_related(f, RELATED_USED, (struct span){0, 3}, NULL);
    text_add_finding(&out, &source, f, &gpus, false);
    size_t shown = 0;
    for (const char *at = out.text; (at = strstr(at, "note: used here\n")); ++at)
        ++shown;
    ck_assert_uint_eq(shown, 8);
    ck_assert_ptr_nonnull(strstr(out.text, "k.cu:1:5: note: and 2 more places\n"));
    strbuf_release(&out);
    source_release(&source);
    findings_release(&findings);
    arena_release(&arena);
}
END_TEST

START_TEST(json_of_all_parts)
{
    struct arena arena = ARENA_INIT;
    struct findings findings;
    struct source source = source_of("int N;\nf x();\n", 14);
    struct strbuf out = STRBUF_INIT;
    findings_init(&findings, &arena);
    json_add_finding(&out, &source, full_finding(&findings), &gpus);
    static const char tail[] =
        "\"related\": [{\"file\": \"k.cu\", \"line\": 1, \"column\": 5, \"end_line\": 1, "
        "\"end_column\": 6, \"message\": \"`N` is defined here\"}, "
        "{\"file\": \"n.h\", \"line\": 3, \"column\": 4, \"end_line\": 3, \"end_column\": 5, "
        "\"message\": \"used here\"}], "
        "\"fix\": {\"safety\": \"unsafe\", \"edits\": ["
        "{\"line\": 1, \"column\": 5, \"end_line\": 1, \"end_column\": 6, \"text\": \"M\"}, "
        "{\"line\": 2, \"column\": 2, \"end_line\": 2, \"end_column\": 2, \"text\": \"(\"}, "
        "{\"line\": 2, \"column\": 2, \"end_line\": 2, \"end_column\": 3, \"text\": \"\"}]}, "
        "\"figures\": {\"sm_80\": {\"cycles\": 1, \"way\": 2}, "
        "\"gfx1100\": {\"cycles\": 32, \"limited_by\": \"lds\"}}}";
    ck_assert_ptr_nonnull(strstr(out.text, "\"targets\": [\"gfx1100\"]"));
    const char *at = strstr(out.text, "\"related\"");
    ck_assert_ptr_nonnull(at);
    ck_assert_str_eq(at, tail);
    strbuf_release(&out);
    source_release(&source);
    findings_release(&findings);
    arena_release(&arena);
}
END_TEST

START_TEST(summary)
{
    struct strbuf out = STRBUF_INIT;
    struct summary s = {.files = 1};
    summary_add_text(&s, &out);
    ck_assert_str_eq(out.text, "hipwright: 1 file: nothing to report\n");
    strbuf_clear(&out);
    s = (struct summary){.files = 2, .found = {[LEVEL_ERROR] = 1, [LEVEL_WARNING] = 2}};
    summary_add_text(&s, &out);
    ck_assert_str_eq(out.text, "hipwright: 2 files: 1 error, 2 warnings, 0 notes\n");
    strbuf_release(&out);
}
END_TEST

/* Applies the unified diff DIFF to SOURCE, strictly: each line must be where it says. */
static void patch(const struct source *source, const char *diff, struct strbuf *out)
{
    const char *at = source->text, *end = source->text + source->len;
    size_t line = 1, made = 1;
    diff = strchr(strchr(diff, '\n') + 1, '\n') + 1;
    while (*diff) {
        size_t from, count = 1, to, to_count = 1;
        ck_assert_msg(!strncmp(diff, "@@ -", 4), "%s", diff);
        char *next;
        from = strtoul(diff + 4, &next, 10);
        if (*next == ',')
            count = strtoul(next + 1, &next, 10);
        to = strtoul(next + 2, &next, 10);
        if (*next == ',')
            to_count = strtoul(next + 1, &next, 10);
        ck_assert(!strncmp(next, " @@\n", 4));
        diff = next + 4;
        for (from += count == 0; line < from; ++line, ++made) {
            const char *nl = memchr(at, '\n', (size_t)(end - at));
            ck_assert_ptr_nonnull(nl);
            strbuf_add(out, at, (size_t)(nl + 1 - at));
            at = nl + 1;
        }
        ck_assert_uint_eq(made, to + (to_count == 0));
        while (count || to_count) {
            const char *nl = strchr(diff, '\n');
            size_t len = (size_t)(nl - diff); /* with the mark, so with the newline */
            bool open = !strncmp(nl + 1, "\\ No newline", 12);
            char mark = *diff++;
            len -= open;
            if (mark != '+') {
                ck_assert_uint_le(len, (size_t)(end - at));
                ck_assert_int_eq(memcmp(at, diff, len), 0);
                at += len, --count, ++line;
                ck_assert(!open || at == end);
            }
            if (mark != '-') {
                strbuf_add(out, diff, len);
                --to_count, ++made;
            }
            diff = nl + 1;
            if (open)
                diff = strchr(diff, '\n') + 1;
        }
    }
    strbuf_add(out, at, (size_t)(end - at));
}

START_TEST(diff)
{
    struct source source = source_of("a\nb\r\nc", 6);
    struct edits edits = {0};
    struct strbuf out = STRBUF_INIT;
    edit_add(&edits, 0, 0, "new\n", EDIT_INCLUDE);
    edit_add(&edits, 5, 1, "d\ne", EDIT_RENAME);
    edits_finish(&edits);
    source.name = "a b.cu";
    diff_add(&out, &source, &edits, (struct diff_style){0});
    ck_assert_str_eq(out.text, "--- a b.cu\t\n+++ a b.cu\t\n@@ -1,3 +1,5 @@\n+new\n a\n b\r\n-c\n"
                               "\\ No newline at end of file\n+d\n+e\n"
                               "\\ No newline at end of file\n");
    strbuf_clear(&out);
    source.name = "a\n\"\xe9";
    diff_add(&out, &source, &edits, (struct diff_style){0});
    ck_assert(!strncmp(out.text, "--- \"a\\012\\\"\\351\"\n", 18));
    edits_release(&edits);

    /* Edits that change nothing make no diff. */
    strbuf_clear(&out);
    edit_add(&edits, 0, 1, "a", EDIT_RENAME);
    edits_finish(&edits);
    diff_add(&out, &source, &edits, (struct diff_style){0});
    ck_assert_uint_eq(out.len, 0);
    edits_release(&edits);
    strbuf_release(&out);
    source_release(&source);
}
END_TEST

static uint32_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

/* Whatever the edits, the diff applied gives what the edits give. */
START_TEST(diff_of_anything)
{
    static const char *const pieces[] = {"", "\n", "x", "y\n", "\nz", "1\n2\n3\n", "\r\n", "a\n\n"};
    for (int round = 0; round < 20000; ++round) {
        random_state = (uint32_t)round * 7919u + 1;
        char text[64];
        size_t len = below(sizeof text + 1);
        for (size_t i = 0; i < len; ++i)
            text[i] = below(3) ? "ab"[below(2)] : '\n';
        struct source source = source_of(text, len);
        struct edits edits = {0};
        for (uint32_t n = below(5); n; --n) {
            uint32_t at = below((uint32_t)len + 1);
            uint32_t cut = below(4) ? 0 : below((uint32_t)(len - at) + 1);
            edit_add(&edits, at, cut, pieces[below(8)], EDIT_RENAME);
        }
        edits_finish(&edits);
        struct strbuf want = STRBUF_INIT, out = STRBUF_INIT, got = STRBUF_INIT;
        edits_apply(&edits, &source, &want);
        diff_add(&out, &source, &edits, (struct diff_style){0});
        bool changed = want.len != len || memcmp(want.text, text, len);
        ck_assert_int_eq(changed, out.len != 0);
        if (changed) {
            patch(&source, out.text, &got);
            ck_assert_msg(got.len == want.len && !memcmp(got.text, want.text, got.len),
                          "round %d:\n%s", round, out.text);
        }
        strbuf_release(&want);
        strbuf_release(&out);
        strbuf_release(&got);
        edits_release(&edits);
        source_release(&source);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report");
    TCase *tcase = tcase_create("report");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, utf8);
    tcase_add_test(tcase, plain_length);
    tcase_add_test(tcase, terminal_is_safe);
    tcase_add_test(tcase, message);
    tcase_add_test(tcase, rules);
    tcase_add_test(tcase, text_form);
    tcase_add_test(tcase, text_at_the_edges);
    tcase_add_test(tcase, text_of_a_long_line);
    tcase_add_test(tcase, json);
    tcase_add_test(tcase, text_of_all_parts);
    tcase_add_test(tcase, text_of_many_places);
    tcase_add_test(tcase, json_of_all_parts);
    tcase_add_test(tcase, summary);
    tcase_add_test(tcase, diff);
    tcase_add_test(tcase, diff_of_anything);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
