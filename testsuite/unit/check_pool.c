/* The pool: results in order, each handed over or dropped once, and how far ahead of a slow one the
   others get. */
#include <config.h>

#include "cli/pool.h"

#include <check.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/xalloc.h"
#include "testsuite/unit/suite.h"

enum { COUNT = 5000, JOBS = 2, AHEAD = 200, PATIENCE = 20 * 1000, SETTLED = 200 };

struct run {
    atomic_size_t made; /* how many were begun */
    size_t finished;
    size_t stop_at;    /* finish() is false for this one */
    size_t wait_for;   /* so many others the first one waits for */
    size_t made_ahead; /* while the first one waited */
};

/* What weigh() says of all results. */
static size_t weight;

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* The first result waits until so many others were begun, or for long in vain. */
static void *make(void *context, size_t index)
{
    struct run *run = context;
    size_t *res = xmalloc(sizeof *res);
    *res = index;
    run->made++;
    if (!index && run->wait_for) {
        for (int ms = 0; run->made <= run->wait_for && ms < PATIENCE; ++ms)
            sleep_ms(1);
        run->made_ahead = run->made - 1;
    }
    return res;
}

/* The first result waits until nobody begins another one. */
static void *make_patiently(void *context, size_t index)
{
    struct run *run = context;
    size_t *res = xmalloc(sizeof *res);
    *res = index;
    run->made++;
    if (!index) {
        size_t before;
        do {
            before = run->made;
            sleep_ms(SETTLED);
        } while (before != run->made || before < 2);
        run->made_ahead = before - 1;
    }
    return res;
}

static bool finish(void *context, size_t index, void *result)
{
    struct run *run = context;
    ck_assert_uint_eq(index, run->finished);
    ck_assert_uint_eq(*(size_t *)result, index);
    run->finished++;
    free(result);
    return index != run->stop_at;
}

static atomic_size_t dropped;

static void drop(void *result)
{
    dropped++;
    free(result);
}

static size_t weigh(const void *result)
{
    (void)result;
    return weight;
}

static void run_pool(struct run *run, void *(*maker)(void *, size_t), unsigned jobs)
{
    dropped = 0;
    pool_run(&(struct pool_work){.count = COUNT,
                                 .jobs = jobs,
                                 .context = run,
                                 .make = maker,
                                 .finish = finish,
                                 .drop = drop,
                                 .weigh = weigh});
}

START_TEST(test_order)
{
    struct run run = {.stop_at = COUNT};
    weight = 1;
    run_pool(&run, make, (unsigned)_i);
    ck_assert_uint_eq(run.finished, COUNT);
    ck_assert_uint_eq(dropped, 0);
}
END_TEST

START_TEST(test_stop)
{
    struct run run = {.stop_at = 100};
    weight = 1;
    run_pool(&run, make, (unsigned)_i);
    ck_assert_uint_eq(run.finished, 101);
    ck_assert_uint_eq(run.made, run.finished + dropped);
}
END_TEST

START_TEST(test_slow_one)
{
    struct run run = {.stop_at = COUNT, .wait_for = AHEAD};
    weight = 1000;
    run_pool(&run, make, JOBS);
    ck_assert_uint_le(AHEAD, run.made_ahead);
    ck_assert_uint_eq(run.finished, COUNT);
}
END_TEST

START_TEST(test_heavy_ones)
{
    struct run run = {.stop_at = COUNT};
    weight = 10 * 1000 * 1000;
    run_pool(&run, make_patiently, JOBS);
    ck_assert_uint_le(1, run.made_ahead);
    ck_assert_uint_le(run.made_ahead, 4);
    ck_assert_uint_eq(run.finished, COUNT);
}
END_TEST

START_TEST(test_many_light_ones)
{
    struct run run = {.stop_at = COUNT};
    weight = 0;
    run_pool(&run, make_patiently, JOBS);
    ck_assert_uint_lt(run.made_ahead, COUNT / 2);
    ck_assert_uint_eq(run.finished, COUNT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pool");
    TCase *tests = tcase_create("pool");
    tcase_add_loop_test(tests, test_order, 1, 5);
    tcase_add_loop_test(tests, test_stop, 1, 5);
    tcase_add_test(tests, test_slow_one);
    tcase_add_test(tests, test_heavy_ones);
    tcase_add_test(tests, test_many_light_ones);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
