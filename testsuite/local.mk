TEST_EXTENSIONS = .sh
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_COMPILER = $(BASH)

# HIPWRIGHT is the program, srcdir the sources' root, builddir the build's; the tests see English.
AM_TESTS_ENVIRONMENT = \
    HIPWRIGHT='$(abs_top_builddir)/hipwright'; export HIPWRIGHT; \
    srcdir='$(abs_top_srcdir)'; export srcdir; \
    builddir='$(abs_top_builddir)'; export builddir; \
    LC_ALL=C; export LC_ALL; unset LANGUAGE;

SCRIPT_TESTS = \
    testsuite/cli/tree.sh \
    testsuite/cli/files.sh \
    testsuite/cli/annotate.sh \
    testsuite/cli/banks.sh \
    testsuite/cli/baseline.sh \
    testsuite/cli/config.sh \
    testsuite/cli/elsewhere.sh \
    testsuite/cli/formats.sh \
    testsuite/cli/headers.sh \
    testsuite/cli/hook.sh \
    testsuite/cli/lookup.sh \
    testsuite/cli/occupancy.sh \
    testsuite/cli/pre-commit.sh \
    testsuite/cli/results.sh \
    testsuite/cli/staged.sh \
    testsuite/cli/review.sh \
    testsuite/cli/usage.sh \
    testsuite/fixtures.sh \
    testsuite/lane.sh \
    testsuite/manual.sh \
    testsuite/maps-lint.sh \
    testsuite/pages.sh

# One program per module; each prints TAP.
UNIT_TESTS = \
    testsuite/unit/check_invariants \
    testsuite/unit/check_annotate \
    testsuite/unit/check_contrast \
    testsuite/unit/check_edit \
    testsuite/unit/check_entries \
    testsuite/unit/check_expr \
    testsuite/unit/check_fix \
    testsuite/unit/check_launch \
    testsuite/unit/check_lane \
    testsuite/unit/check_lcs \
    testsuite/unit/check_lexer \
    testsuite/unit/check_lds \
    testsuite/unit/check_library \
    testsuite/unit/check_map \
    testsuite/unit/check_marker \
    testsuite/unit/check_model \
    testsuite/unit/check_occupancy \
    testsuite/unit/check_parser \
    testsuite/unit/check_pool \
    testsuite/unit/check_ptx \
    testsuite/unit/check_record \
    testsuite/unit/check_report \
    testsuite/unit/check_toolkit \
    testsuite/unit/check_tree \
    testsuite/unit/check_write

# The longest come first: make takes them in this order, and none should be left alone at the end.
if COMPILER_TESTS
TESTS += testsuite/compile.sh testsuite/shims.sh testsuite/hip-names.sh testsuite/occupancy.sh \
    testsuite/model.sh
endif
if HAVE_CHECK
check_PROGRAMS += $(UNIT_TESTS)
check_LIBRARIES = testsuite/unit/libunit.a
TESTS += $(UNIT_TESTS)
else
TESTS += testsuite/no-check.sh
endif
TESTS += $(SCRIPT_TESTS)

EXTRA_DIST += \
    $(SCRIPT_TESTS) \
    testsuite/bench.sh \
    testsuite/cli/common.sh \
    testsuite/cli/git.sh \
    testsuite/compile.sh \
    testsuite/fuzz.sh \
    testsuite/hip-names.known \
    testsuite/hip-names.sh \
    testsuite/lane/machine.cpp \
    testsuite/lane/written.cu \
    testsuite/model.sh \
    testsuite/occupancy.cpp \
    testsuite/occupancy.sh \
    testsuite/sarif-schema.json \
    testsuite/sarif.py \
    testsuite/shims.sh \
    testsuite/no-check.sh \
    testsuite/unit/lds_pads.tsv \
    testsuite/unit/lds_patterns.tsv \
    testsuite/verdicts.tsv

# Each is made of the source of its own name and what all share; programs without an LDADD of their
# own, which these are, take this one.
testsuite_unit_libunit_a_SOURCES = \
    testsuite/unit/assert.h \
    testsuite/unit/common.c testsuite/unit/common.h \
    testsuite/unit/parse.c testsuite/unit/parse.h \
    testsuite/unit/suite.c testsuite/unit/suite.h
LDADD = testsuite/unit/libunit.a $(HIPWRIGHT_LIBS) $(CHECK_LIBS)

# The lexer and the parser alone, for the benchmark and to look at.
check_PROGRAMS += testsuite/hwlane testsuite/hwlex testsuite/hwparse
testsuite_hwlane_SOURCES = testsuite/hwlane.c
testsuite_hwlane_LDADD = $(HIPWRIGHT_LIBS)
check_PROGRAMS += testsuite/lane/generate
testsuite_lane_generate_SOURCES = testsuite/lane/generate.c
testsuite_lane_generate_LDADD =
testsuite_hwlex_SOURCES = testsuite/hwlex.c
testsuite_hwlex_LDADD = $(HIPWRIGHT_LIBS)
testsuite_unit_check_tree_SOURCES = testsuite/unit/check_tree.c testsuite/sound.c testsuite/sound.h
testsuite_hwparse_SOURCES = testsuite/hwparse.c
testsuite_hwparse_LDADD = $(HIPWRIGHT_LIBS)

if FUZZERS
noinst_PROGRAMS += testsuite/fuzz/fuzz_translate
endif
testsuite_fuzz_fuzz_translate_SOURCES = \
    testsuite/fuzz/fuzz_translate.c \
    testsuite/sound.c testsuite/sound.h
testsuite_fuzz_fuzz_translate_LDADD = $(HIPWRIGHT_LIBS)
testsuite_fuzz_fuzz_translate_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer

# Folders of test data, whole.
EXTRA_DIST += \
    testsuite/fixtures \
    testsuite/hip7 \
    testsuite/shims \
    testsuite/programs \
    testsuite/fuzz/corpus \
    testsuite/fuzz/cuda.dict
