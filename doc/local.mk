EXTRA_DIST += \
    doc/coverage.txt \
    doc/example/reduce.cu \
    doc/example/saxpy.cu \
    doc/hazards.tsv \
    doc/help.sh \
    doc/hipwright.1.in \
    doc/pages.awk \
    doc/rules.txt

# The manual. A release holds what is made here, so that only who changes it, or builds from git, needs
# makeinfo, and nobody has to run the program to have its manual page.
info_TEXINFOS = doc/hipwright.texi
doc_hipwright_TEXINFOS = doc/coverage.texi doc/edition.texi doc/options.texi doc/rules.texi
dist_man_MANS = doc/hipwright.1
CLEANFILES += doc/*.tmp
MAINTAINERCLEANFILES += $(doc_hipwright_TEXINFOS) doc/hipwright.1
AM_DISTCHECK_DVI_TARGET = html

# The program must be there, but being newer is no reason: the tables behind --help are.
help_sources = $(srcdir)/doc/help.sh $(srcdir)/cli/commands.def $(srcdir)/cli/options.def \
    $(srcdir)/cli/options.c
doc/options.texi: $(help_sources) | hipwright$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc && \
	AWK='$(AWK)' $(SHELL) '$(srcdir)/doc/help.sh' texi ./hipwright >$@.tmp && mv $@.tmp $@
doc/hipwright.1: $(help_sources) $(srcdir)/doc/hipwright.1.in $(srcdir)/configure.ac | hipwright$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc && \
	AWK='$(AWK)' $(SHELL) '$(srcdir)/doc/help.sh' man ./hipwright '$(srcdir)/doc/hipwright.1.in' \
	    '$(PACKAGE_VERSION)' >$@.tmp && mv $@.tmp $@

doc/edition.texi: $(srcdir)/configure.ac
	$(AM_V_GEN)$(MKDIR_P) doc && echo '@set VERSION $(PACKAGE_VERSION)' >$@
doc/rules.texi: $(srcdir)/doc/pages.awk $(srcdir)/doc/rules.txt
	$(AM_V_GEN)$(MKDIR_P) doc && $(AWK) -f '$(srcdir)/doc/pages.awk' '$(srcdir)/doc/rules.txt' >$@.tmp && \
	mv $@.tmp $@
doc/coverage.texi: $(srcdir)/doc/coverage.txt
	$(AM_V_GEN)$(MKDIR_P) doc && { echo '@smallexample'; sed 's/[@{}]/@&/g' '$(srcdir)/doc/coverage.txt'; \
	echo '@end smallexample'; } >$@.tmp && mv $@.tmp $@

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
