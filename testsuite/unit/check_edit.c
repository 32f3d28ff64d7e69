#include <config.h>

#include "transform/edit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "testsuite/unit/suite.h"

static struct source source_of(const char *text)
{
    struct source res;
    size_t len = strlen(text);
    char *copy = xcalloc(len + SOURCE_PADDING, 1);
    memcpy(copy, text, len);
    source_init(&res, "test.cu", copy, len);
    return res;
}

/* What becomes of TEXT; *DROPPED edits were dropped. The caller frees it. */
static char *applied(struct edits *edits, const char *text, size_t *dropped)
{
    struct source source = source_of(text);
    struct strbuf out = STRBUF_INIT;
    *dropped = edits_finish(edits);
    edits_apply(edits, &source, &out);
    ck_assert_uint_eq(strlen(out.text), out.len);
    source_release(&source);
    edits_release(edits);
    return out.text;
}

START_TEST(nothing)
{
    struct edits edits = {0};
    size_t dropped;
    char *res = applied(&edits, "abc", &dropped);
    ck_assert_str_eq(res, "abc");
    ck_assert_uint_eq(dropped, 0);
    free(res);
    res = applied(&edits, "", &dropped);
    ck_assert_str_eq(res, "");
    free(res);
}
END_TEST

START_TEST(any_order)
{
    struct edits edits = {0};
    size_t dropped;
    edit_add(&edits, 8, 1, "three", EDIT_RENAME);
    edit_add(&edits, 0, 1, "one", EDIT_RENAME);
    edit_add(&edits, 9, 0, "!", EDIT_RENAME);
    edit_add(&edits, 4, 2, "", EDIT_RENAME);
    char *res = applied(&edits, "1 + 22+ 3", &dropped);
    ck_assert_str_eq(res, "one + + three!");
    ck_assert_uint_eq(dropped, 0);
    free(res);
}
END_TEST

START_TEST(insertions_keep_their_order)
{
    struct edits edits = {0};
    size_t dropped;
    edit_add(&edits, 1, 1, "X", EDIT_RENAME);
    for (int i = 0; i < 26; ++i) {
        static char letters[26][2];
        letters[i][0] = (char)('a' + i);
        edit_add(&edits, 1, 0, letters[i], EDIT_INCLUDE);
    }
    edit_add(&edits, 0, 1, "<", EDIT_RENAME);
    char *res = applied(&edits, "123", &dropped);
    ck_assert_str_eq(res, "<abcdefghijklmnopqrstuvwxyzX3");
    ck_assert_uint_eq(dropped, 0);
    free(res);
}
END_TEST

START_TEST(overlaps_are_dropped)
{
    struct edits edits = {0};
    size_t dropped;
    edit_add(&edits, 1, 2, "in", EDIT_RENAME);
    edit_add(&edits, 1, 4, "WIDE", EDIT_RENAME);
    edit_add(&edits, 4, 3, "late", EDIT_RENAME);
    edit_add(&edits, 3, 0, "mid", EDIT_RENAME);
    edit_add(&edits, 5, 1, "next", EDIT_RENAME);
    char *res = applied(&edits, "0123456", &dropped);
    ck_assert_str_eq(res, "0WIDEnext6");
    ck_assert_uint_eq(dropped, 3);
    free(res);
}
END_TEST

START_TEST(first_of_two_equals_wins)
{
    struct edits edits = {0};
    size_t dropped;
    edit_add(&edits, 1, 1, "a", EDIT_RENAME);
    edit_add(&edits, 1, 1, "b", EDIT_RENAME);
    char *res = applied(&edits, "0123", &dropped);
    ck_assert_str_eq(res, "0a23");
    ck_assert_uint_eq(dropped, 1);
    free(res);
}
END_TEST

/* Many edits cost about as much each as few: no step goes over the whole text again. */
START_TEST(many)
{
    enum { COUNT = 200000 };
    struct edits edits = {0};
    char *text = xcalloc(2 * COUNT + 1, 1);
    for (size_t i = 0; i < COUNT; ++i) {
        memcpy(text + 2 * i, "a ", 2);
        edit_add(&edits, 2 * (COUNT - 1 - i), 1, "bc", EDIT_RENAME);
    }
    size_t dropped;
    char *res = applied(&edits, text, &dropped);
    ck_assert_uint_eq(dropped, 0);
    ck_assert_uint_eq(strlen(res), 3 * COUNT);
    for (size_t i = 0; i < COUNT; ++i)
        ck_assert_int_eq(memcmp(res + 3 * i, "bc ", 3), 0);
    free(res);
    free(text);
}
END_TEST

/* Where bytes go and come from. */
START_TEST(offsets)
{
    struct edits edits = {0};
    edit_add(&edits, 0, 0, "++", EDIT_RENAME);   /* ++0123456789 */
    edit_add(&edits, 2, 3, "abcd", EDIT_RENAME); /* ++01abcd56789 */
    edit_add(&edits, 6, 2, "", EDIT_RENAME);     /* ++01abcd589 */
    edit_add(&edits, 10, 0, "end", EDIT_RENAME);
    edits_finish(&edits);
    static const size_t results[] = {2, 3, 4, 4, 4, 8, 9, 9, 9, 10, 14};
    static const size_t sources[] = {0, 0, 0, 1, 2, 2, 2, 2, 5, 8, 9, 10, 10, 10, 10};
    struct edit_walk walk = {0};
    for (size_t i = 0; i < sizeof results / sizeof *results; ++i)
        ck_assert_uint_eq(edits_to_result(&edits, &walk, i), results[i]);
    walk = (struct edit_walk){0};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i)
        ck_assert_uint_eq(edits_to_source(&edits, &walk, i), sources[i]);
    edits_release(&edits);
}
END_TEST

/* Up to 6 edits of a text of LEN bytes, as NEXT, a small generator, has it. */
static void random_edits(struct edits *edits, size_t len, unsigned *next)
{
    static const char *const texts[] = {"", "x", "yz", "123456"};
    for (unsigned count = *next >> 20 & 7; count; --count) {
        *next = *next * 1103515245 + 12345;
        size_t at = (*next >> 8) % (len + 1), most = len - at < 4 ? len - at : 4;
        edit_add(edits, at, (*next >> 16) % (most + 1), texts[*next >> 24 & 3], EDIT_RENAME);
    }
    *next = *next * 1103515245 + 12345;
    edits_finish(edits);
}

/* Two lists of edits become one that does the same, and is finished. */
START_TEST(composed)
{
    unsigned next = 6;
    for (int round = 0; round < 5000; ++round) {
        struct edits first = {0}, second = {0}, both = {0};
        struct source source = source_of("abcdefghijklmnop");
        struct strbuf between = STRBUF_INIT, want = STRBUF_INIT, res = STRBUF_INIT;
        struct arena arena = ARENA_INIT;
        random_edits(&first, source.len, &next);
        edits_apply(&first, &source, &between);
        struct source middle = source_of(between.text);
        random_edits(&second, middle.len, &next);
        edits_apply(&second, &middle, &want);
        edits_compose(&both, &first, &second, &middle, &arena);
        size_t count = both.list.count;
        ck_assert_uint_eq(edits_finish(&both), 0);
        ck_assert_uint_eq(both.list.count, count);
        edits_apply(&both, &source, &res);
        ck_assert_str_eq(res.text, want.text);
        strbuf_release(&between);
        strbuf_release(&want);
        strbuf_release(&res);
        edits_release(&first);
        edits_release(&second);
        edits_release(&both);
        source_release(&source);
        source_release(&middle);
        arena_release(&arena);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("edit");
    TCase *tcase = tcase_create("edit");
    tcase_add_test(tcase, nothing);
    tcase_add_test(tcase, any_order);
    tcase_add_test(tcase, insertions_keep_their_order);
    tcase_add_test(tcase, overlaps_are_dropped);
    tcase_add_test(tcase, first_of_two_equals_wins);
    tcase_add_test(tcase, many);
    tcase_add_test(tcase, offsets);
    tcase_add_test(tcase, composed);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
