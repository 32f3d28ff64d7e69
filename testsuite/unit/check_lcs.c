/* What two sequences have in common: compared with the table of all prefixes, over random ones; the
   bound on the effort. */
#include <config.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/lcs.h"
#include "base/xalloc.h"
#include "testsuite/unit/suite.h"

static const char letters[256];

/* The sequence of which each element stands for a byte of the COUNT at TEXT. */
static const void **sequence(const char *text, size_t count)
{
    const void **res = xcalloc(count + 1, sizeof *res);
    for (size_t i = 0; i < count; ++i)
        res[i] = &letters[(unsigned char)text[i]];
    return res;
}

/* That the last find() took. */
static size_t steps;

/* Finds what A and B have in common, checks that it is a common subsequence in a proper form, and
   returns its length. */
static size_t find(const char *a, size_t a_count, const char *b, size_t b_count)
{
    const void **sa = sequence(a, a_count), **sb = sequence(b, b_count);
    struct lcs res = {.steps = 0};
    size_t sum = 0, at_a = 0, at_b = 0;
    lcs_find(&res, sa, a_count, sb, b_count);
    vec_each (const struct lcs_run, run, &res.runs) {
        ck_assert_uint_gt(run->count, 0);
        ck_assert(run == res.runs.items || at_a < run->a || at_b < run->b);
        ck_assert_uint_le(at_a, run->a);
        ck_assert_uint_le(at_b, run->b);
        at_a = run->a + run->count;
        at_b = run->b + run->count;
        ck_assert_uint_le(at_a, a_count);
        ck_assert_uint_le(at_b, b_count);
        ck_assert_mem_eq(a + run->a, b + run->b, run->count);
        sum += run->count;
    }
    steps = res.steps;
    lcs_release(&res);
    free(sa);
    free(sb);
    return sum;
}

/* The same length, from the table of all pairs of prefixes. */
static size_t longest(const char *a, size_t a_count, const char *b, size_t b_count)
{
    size_t *row = xcalloc(b_count + 1, sizeof *row);
    for (size_t i = 0; i < a_count; ++i) {
        size_t diagonal = 0;
        for (size_t k = 0; k < b_count; ++k) {
            size_t up = row[k + 1], best = row[k] < up ? up : row[k];
            if (a[i] == b[k] && best < diagonal + 1)
                best = diagonal + 1;
            diagonal = up;
            row[k + 1] = best;
        }
    }
    size_t res = row[b_count];
    free(row);
    return res;
}

static unsigned state = 20250607;

static unsigned roll(unsigned most)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % most;
}

START_TEST(known)
{
    ck_assert_uint_eq(find("", 0, "", 0), 0);
    ck_assert_uint_eq(find("abc", 3, "", 0), 0);
    ck_assert_uint_eq(find("", 0, "abc", 3), 0);
    ck_assert_uint_eq(find("abc", 3, "abc", 3), 3);
    ck_assert_uint_eq(find("a", 1, "b", 1), 0);
    ck_assert_uint_eq(find("ab", 2, "ba", 2), 1);
    ck_assert_uint_eq(find("abcabba", 7, "cbabac", 6), 4);
}
END_TEST

START_TEST(random_pairs)
{
    enum { PAIRS = 20000, MOST = 40 };
    for (int i = 0; i < PAIRS; ++i) {
        char a[MOST], b[MOST];
        size_t a_count = roll(MOST), b_count = roll(MOST), kinds = 1 + roll(6);
        for (size_t k = 0; k < a_count; ++k)
            a[k] = (char)('a' + roll((unsigned)kinds));
        for (size_t k = 0; k < b_count; ++k)
            b[k] = (char)('a' + roll((unsigned)kinds));
        ck_assert_uint_eq(find(a, a_count, b, b_count), longest(a, a_count, b, b_count));
    }
}
END_TEST

/* Long sequences with few differences: still a longest one. */
START_TEST(few_differences)
{
    enum { COUNT = 3000 };
    char *a = xmalloc(COUNT), *b = xmalloc(COUNT);
    for (int round = 0; round < 10; ++round) {
        size_t b_count = 0;
        for (size_t i = 0; i < COUNT; ++i) {
            a[i] = (char)('a' + roll(20));
            if (roll(20))
                b[b_count++] = roll(30) ? a[i] : 'X';
        }
        ck_assert_uint_eq(find(a, COUNT, b, b_count), longest(a, COUNT, b, b_count));
    }
    free(a);
    free(b);
}
END_TEST

/* Nothing in common, all in common by chance, everything in another order: the steps that sequences
   of COUNT elements take. */
static size_t steps_of(size_t count)
{
    size_t res = 0;
    char *a = xmalloc(count), *b = xmalloc(count);
    memset(a, 'a', count);
    memset(b, 'b', count);
    ck_assert_uint_eq(find(a, count, b, count), 0);
    res += steps;
    for (size_t i = 0; i < count; ++i) {
        a[i] = (char)roll(256);
        b[i] = (char)roll(256);
    }
    /* Every path of this length has something in common. */
    ck_assert_uint_gt(find(a, count, b, count), count / 100);
    res += steps;
    for (size_t i = 0; i < count; ++i)
        b[i] = a[count - 1 - i];
    find(a, count, b, count);
    res += steps;
    free(a);
    free(b);
    return res;
}

/* Work grows with the length, not with its square: for some thousands of steps an element. */
START_TEST(bounded)
{
    enum { COUNT = 25000 };
    size_t once = steps_of(COUNT), more = steps_of(4 * COUNT);
    ck_assert_msg(more < 5 * once, "%zu and %zu steps", once, more);
    ck_assert_uint_lt(more, (size_t)4 * COUNT * 8 * LCS_EFFORT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lcs");
    TCase *tests = tcase_create("lcs");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, known);
    tcase_add_test(tests, random_pairs);
    tcase_add_test(tests, few_differences);
    tcase_add_test(tests, bounded);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
