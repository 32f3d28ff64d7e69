libhipwright_a_SOURCES += \
    parser/directive.c \
    parser/island.h \
    parser/islands.c parser/islands.h \
    parser/launch.c \
    parser/pair.c \
    parser/scope.c \
    parser/unit.c parser/unit.h parser/unit_p.h

# Not among the sources: automake would use a rule of its own for it.
EXTRA_DIST += parser/islands.y
BUILT_SOURCES += parser/islands.h
MAINTAINERCLEANFILES += parser/islands.c parser/islands.h

parser/islands.c: parser/islands.y
	@$(MKDIR_P) parser
	$(AM_V_GEN)$(BISON) --header=parser/islands.h -o $@ $<

# Made together with the above; made again if somebody removed only this one.
parser/islands.h: parser/islands.c
	@test -f $@ || test -f $(srcdir)/$@ || { rm -f $<; $(MAKE) parser/islands.c; }

parser/islands.$(OBJEXT): WARN_CFLAGS += $(GENERATED_CFLAGS)
