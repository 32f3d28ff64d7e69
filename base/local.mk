libhipwright_a_SOURCES += \
    base/arena.c base/arena.h \
    base/diag.c base/diag.h \
    base/figures.def \
    base/finding.c base/finding.h \
    base/hash.c base/hash.h \
    base/i18n.h \
    base/lcs.c base/lcs.h \
    base/quote.c base/quote.h \
    base/related.def \
    base/rule.c base/rule.h \
    base/rules.def \
    base/sha256.c base/sha256.h \
    base/source.c base/source.h \
    base/strbuf.c base/strbuf.h \
    base/symbol.c base/symbol.h \
    base/utf8.c base/utf8.h \
    base/vec.c base/vec.h \
    base/version.c base/version.h \
    base/xalloc.c base/xalloc.h
