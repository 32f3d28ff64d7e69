#include <config.h>

#include "annotate/gpu/expr.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "testsuite/unit/suite.h"

/* The names of these tests; the same ones as C variables, for the comparison with the compiler. */
static const struct expr_name names[] = {
    {"tid", EXPR_INT},
    {"u", EXPR_UINT},
    {"threadIdx.x", EXPR_UINT},
    {"l", EXPR_LONG},
};
enum { NAME_COUNT = sizeof names / sizeof *names };

static struct dim {
    unsigned x;
} threadIdx;
static int tid;
static unsigned u;
static long l;

static struct arena arena;
static struct expr_error error;

static void tear_down(void)
{
    arena_release(&arena);
}

static const struct expr *parse(const char *text)
{
    error = (struct expr_error){0};
    return expr_parse(text, names, NAME_COUNT, &arena, &error);
}

/* Each expression twice: as text for the module, as code for the compiler. */
#define SAMPLES                                      \
    E(0)                                             \
    E(0x7f)                                          \
    E(0x80000000)                                    \
    E(2147483648)                                    \
    E(0xffffffffffffffff)                            \
    E(017)                                           \
    E(0b101)                                         \
    E(1u - 2u)                                       \
    E(1ull << 40)                                    \
    E(-7 / 2)                                        \
    E(-7 % 4)                                        \
    E(tid * 33 + tid / 32)                           \
    E(tid - 100)                                     \
    E((tid - 100) / 7)                               \
    E((tid - 100) % 7)                               \
    E((tid - 100) >> 3)                              \
    E(threadIdx.x - 100)                             \
    E((threadIdx.x - 100) / 7)                       \
    E((threadIdx.x - 100) % 7)                       \
    E((threadIdx.x - 100) >> 3)                      \
    E((threadIdx.x - 100) * 5)                       \
    E((int)(threadIdx.x - 100) / 7)                  \
    E((long)(threadIdx.x - 100))                     \
    E((long)(int)(threadIdx.x - 100))                \
    E((threadIdx.x - 100) < 5)                       \
    E(tid - 100 < 5)                                 \
    E(l - 100 < 5)                                   \
    E((l - 100) * 3 / 4)                             \
    E((unsigned)(tid - 100) % 32)                    \
    E((unsigned long)(tid - 100) % 31)               \
    E((unsigned int)tid + 0l)                        \
    E(~tid & 31)                                     \
    E(~u)                                            \
    E(~u & 63)                                       \
    E(-u)                                            \
    E(-u % 33)                                       \
    E(!tid + !u)                                     \
    E(+tid)                                          \
    E(tid & 31 ^ 7 | 8)                              \
    E(tid ^ tid >> 3)                                \
    E(tid << 2 + 1)                                  \
    E(tid<3 == u> 2)                                 \
    E(tid == 5 != 1)                                 \
    E(tid <= 7 && u >= 3)                            \
    E(tid < 7 || u / 3 == 5)                         \
    E(tid && 8 / tid)                                \
    E(!tid || 8 / tid)                               \
    E(tid ? 8 / tid : -1)                            \
    E(tid < 9 ? 1 : tid < 99 ? 2 : 3)                \
    E(tid < 9 ? tid - 20 : u)                        \
    E((tid < 9 ? tid - 20 : u) / 2)                  \
    E((tid % 2 ? -1 : 1u) < 0)                       \
    E((tid * 2 + 1) * (u + 3) - 1)                   \
    E(tid & ~63 | (tid & 48) >> 4 | (tid & 15) << 2) \
    E(tid - tid / 32 * 32)                           \
    E(- -tid)                                        \
    E(~~tid)                                         \
    E(((((tid)))))                                   \
    E((size_t)tid << 33)                             \
    E((uint64_t)(tid - 3) >> 1)                      \
    E((int64_t)u - 7)                                \
    E((uint32_t)l * 3000000000u)                     \
    E(1 - 2 - 3)                                     \
    E(64 / 4 / 2)                                    \
    E(100 % 7 % 4)                                   \
    E(2 * 3 + 4 * 5 - 6)                             \
    E(1 << 2 << 3)                                   \
    E(u >= 3 > 0)                                    \
    E(l / (u + 1))                                   \
    E(l % (tid + 1))

static bool set_thread(int thread)
{
    tid = thread;
    u = threadIdx.x = (unsigned)thread;
    l = thread;
    return thread < 300;
}

static void compare(const char *text, const struct expr *e, int64_t compiled)
{
    int64_t values[] = {tid, u, threadIdx.x, l}, got;
    ck_assert_msg(e != NULL, "%s: %s", text, error.message);
    ck_assert_msg(expr_evaluate(e, values, &got, &error), "%s: %s", text, error.message);
    ck_assert_msg(got == compiled, "%s for %d: %lld, not %lld", text, tid, (long long)got,
                  (long long)compiled);
}

#define E(...)                                                \
    {                                                         \
        const struct expr *e = parse(#__VA_ARGS__);           \
        for (int thread = 0; set_thread(thread); ++thread)    \
            compare(#__VA_ARGS__, e, (int64_t)(__VA_ARGS__)); \
    }

/* The samples are meant to be what a careful programmer would not write. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"

START_TEST(agrees_with_the_compiler){SAMPLES} END_TEST

#pragma GCC diagnostic pop

    /* What is wrong, where, and a part of what is said. */
    static const struct {
    const char *text;
    size_t column;
    const char *message;
} bad[] = {
    {"", 1, "ends where"},
    {"  ", 3, "ends where"},
    {"tid +", 6, "ends where"},
    {"tid + * 2", 7, "operand"},
    {"tid tid", 5, "operator"},
    {"(tid", 1, "not closed"},
    {"2 * (tid + 1", 5, "not closed"},
    {"(tid u)", 6, "')'"},
    {"tid)", 4, "operator"},
    {"nonsense", 1, "'nonsense'"},
    {"tid + thread.x", 7, "'thread.x'"},
    {"threadIdx.xx", 1, "'threadIdx.xx'"},
    {"0x", 1, "no number"},
    {"12abc", 1, "no number"},
    {"09", 1, "no number"},
    {"1.5", 1, "no number"},
    {"1 + 1e3", 5, "no number"},
    {"99999999999999999999", 1, "too large"},
    {"tid ? 1", 8, "':'"},
    {"tid ? 1 : ", 11, "ends"},
    {"tid = 3", 5, "operator"},
    {"tid[3]", 4, "operator"},
    {"tid, 3", 4, "operator"},
    {"(float)tid", 2, "'float'"},
    {"tid++", 6, "ends where"},
    {"f(tid)", 1, "'f'"},
    {"\"x\"", 1, "operand"},
    {"tid & & 3", 7, "operand"},
    {"\xff", 1, "operand"},
};

START_TEST(says_what_is_wrong)
{
    ck_assert_ptr_null(parse(bad[_i].text));
    ck_assert_msg(strstr(error.message, bad[_i].message) != NULL, "%s: %s", bad[_i].text,
                  error.message);
    ck_assert_uint_eq(error.column, bad[_i].column);
}
END_TEST

static void repeat(struct strbuf *out, const char *text, int count)
{
    for (int i = 0; i < count; ++i)
        strbuf_adds(out, text);
}

START_TEST(depth_and_length_are_bounded)
{
    static const char *const openers[] = {"(", "-", "~(", "tid?", "tid?tid:", "(int)", "1+("};
    for (size_t i = 0; i < sizeof openers / sizeof *openers; ++i) {
        struct strbuf text = STRBUF_INIT;
        repeat(&text, openers[i], 200000);
        strbuf_adds(&text, "1");
        ck_assert_ptr_null(parse(text.text));
        ck_assert(strstr(error.message, "deeply") || strstr(error.message, "long"));
        strbuf_release(&text);
    }
    struct strbuf text = STRBUF_INIT;
    repeat(&text, "1 +", 200000);
    strbuf_adds(&text, "1");
    ck_assert_ptr_null(parse(text.text));
    ck_assert_ptr_nonnull(strstr(error.message, "long"));
    strbuf_clear(&text);
    repeat(&text, "1+", 400);
    strbuf_adds(&text, "1");
    int64_t got, values[NAME_COUNT] = {0};
    const struct expr *e = parse(text.text);
    ck_assert(e && expr_evaluate(e, values, &got, &error));
    ck_assert_int_eq(got, 401);
    strbuf_release(&text);
}
END_TEST

START_TEST(division_by_zero_is_an_error)
{
    int64_t got, values[NAME_COUNT] = {0};
    const struct expr *e = parse("5 + 7 % tid");
    ck_assert(e && !expr_evaluate(e, values, &got, &error));
    ck_assert_uint_eq(error.column, 7);
    /* The smallest number has no opposite: it wraps, and nothing traps. */
    e = parse("(l << 63) / (0 - 1l - tid)");
    values[3] = 1;
    ck_assert(e && expr_evaluate(e, values, &got, &error));
    ck_assert(got == INT64_MIN);
    e = parse("(l << 63) % (0 - 1l - tid)");
    ck_assert(e && expr_evaluate(e, values, &got, &error));
    ck_assert_int_eq(got, 0);
}
END_TEST

START_TEST(indices)
{
    struct expr_index index;
    ck_assert(expr_parse_index(" tid*2 ", names, NAME_COUNT, &arena, &index, &error));
    ck_assert(!index.brackets && index.count == 1);
    ck_assert(expr_parse_index(" [tid] [ u + 1 ][l]", names, NAME_COUNT, &arena, &index, &error));
    ck_assert(index.brackets && index.count == 3);
    ck_assert(expr_uses(index.at[1], 1) && !expr_uses(index.at[1], 0));

    static const struct {
        const char *text;
        size_t column;
    } wrong[] = {{"[tid", 1},          {"[tid]x", 6},  {"[]", 2},
                 {"[1][2][3][4]", 10}, {"[tid u]", 6}, {"[1] [2", 5}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        ck_assert(!expr_parse_index(wrong[i].text, names, NAME_COUNT, &arena, &index, &error));
        ck_assert_msg(error.column == wrong[i].column, "%s: column %zu", wrong[i].text,
                      error.column);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("expr");
    TCase *tcase = tcase_create("expressions");
    tcase_add_checked_fixture(tcase, NULL, tear_down);
    tcase_add_test(tcase, agrees_with_the_compiler);
    tcase_add_loop_test(tcase, says_what_is_wrong, 0, (int)(sizeof bad / sizeof *bad));
    tcase_add_test(tcase, depth_and_length_are_bounded);
    tcase_add_test(tcase, division_by_zero_is_an_error);
    tcase_add_test(tcase, indices);
    suite_add_tcase(suite, tcase);

    return run_suite(suite);
}
