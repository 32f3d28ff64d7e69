EXTRA_DIST += doc/coverage.txt doc/example/saxpy.cu

# The manual's table of what has a counterpart; testsuite/cli/lookup.sh says when it is out of date.
.PHONY: update-coverage
update-coverage: hipwright$(EXEEXT) all-local
	env LC_ALL=C ./hipwright lookup --no-config --coverage >coverage.tmp
	mv coverage.tmp '$(srcdir)/doc/coverage.txt'
