/* The end of every unit test: running its suite. */
#ifndef TESTSUITE_UNIT_SUITE_H
#define TESTSUITE_UNIT_SUITE_H

#include <check.h>

/* Runs SUITE, which it frees, with TAP on standard output; the program's exit status. */
int run_suite(Suite *suite);

#endif
