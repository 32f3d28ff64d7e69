libhipwright_a_SOURCES += \
    parser/bodies.c parser/bodies.h \
    parser/body.h \
    parser/condition.c \
    parser/directive.c \
    parser/feed.c parser/feed_p.h \
    parser/feed_operand.c \
    parser/feed_statement.c \
    parser/glance.c parser/glance.h \
    parser/island.h \
    parser/islands.c parser/islands.h \
    parser/launch.c \
    parser/measure.c parser/measure.h \
    parser/node.def \
    parser/pair.c \
    parser/scope.c \
    parser/tree.c parser/tree.h \
    parser/unit.c parser/unit.h parser/unit_p.h

# Not among the sources: automake would use rules of its own for them.
EXTRA_DIST += parser/bodies.y parser/islands.y
BUILT_SOURCES += parser/bodies.h parser/islands.h
MAINTAINERCLEANFILES += parser/bodies.c parser/bodies.h parser/islands.c parser/islands.h

parser/bodies.c: parser/bodies.y
	@$(MKDIR_P) parser
	$(AM_V_GEN)$(BISON) --header=parser/bodies.h -o $@ $<

parser/islands.c: parser/islands.y
	@$(MKDIR_P) parser
	$(AM_V_GEN)$(BISON) --header=parser/islands.h -o $@ $<

# Made together with the above; made again if somebody removed only this one.
parser/bodies.h: parser/bodies.c
	@test -f $@ || test -f $(srcdir)/$@ || { rm -f $<; $(MAKE) parser/bodies.c; }

parser/islands.h: parser/islands.c
	@test -f $@ || test -f $(srcdir)/$@ || { rm -f $<; $(MAKE) parser/islands.c; }

parser/bodies.$(OBJEXT) parser/islands.$(OBJEXT): WARN_CFLAGS += $(GENERATED_CFLAGS)
