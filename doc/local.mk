EXTRA_DIST += doc/coverage.txt doc/hazards.tsv doc/rules.txt doc/example/saxpy.cu

# The manual's table of what has a counterpart; testsuite/cli/lookup.sh says when it is out of date.
.PHONY: update-coverage
update-coverage: hipwright$(EXEEXT) all-local
	env LC_ALL=C ./hipwright lookup --no-config --coverage >coverage.tmp
	mv coverage.tmp '$(srcdir)/doc/coverage.txt'

# The manual's catalogue of rules; testsuite/pages.sh says when it is out of date.
.PHONY: update-rules
update-rules: hipwright$(EXEEXT) all-local
	env LC_ALL=C ./hipwright explain `./hipwright explain --list | sed 's/ .*//'` >rules.tmp
	mv rules.tmp '$(srcdir)/doc/rules.txt'
