libhipwright_a_SOURCES += \
    lexer/cuda.c \
    lexer/lexer.c lexer/lexer.h lexer/lexer_p.h \
    lexer/token.def lexer/token.h

# Not among the sources: automake would use a rule of its own for it.
EXTRA_DIST += lexer/cuda.l
MAINTAINERCLEANFILES += lexer/cuda.c

lexer/cuda.c: lexer/cuda.l
	@$(MKDIR_P) lexer
	$(AM_V_GEN)$(FLEX) -o $@ $<

lexer/cuda.$(OBJEXT): WARN_CFLAGS += $(GENERATED_CFLAGS)
