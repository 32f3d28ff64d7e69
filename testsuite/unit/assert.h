/* Check's assertions for tests that make very many of them. Its own tell the parent of each that
   holds where the test is, which takes more time than what is tested; these speak where one fails.
   After a crash Check names the test, not the last assertion before it.  */
#ifndef TESTSUITE_UNIT_ASSERT_H
#define TESTSUITE_UNIT_ASSERT_H

#include <check.h>

/* Check's other assertions are made of the second. */
#undef ck_assert
#undef ck_assert_msg
#define ck_assert(condition) ck_assert_msg(condition, "%s", #condition)
#define ck_assert_msg(condition, ...) ((condition) ? (void)0 : ck_abort_msg(__VA_ARGS__))

#endif
