libhipwright_a_SOURCES += \
    report/contrast.c report/contrast.h \
    report/diff.c report/diff.h \
    report/fingerprint.c report/fingerprint.h \
    report/github.c report/github.h \
    report/json.c report/json.h \
    report/marker.c report/marker.h \
    report/message.c report/message.h \
    report/review.c report/review.h \
    report/sarif.c report/sarif.h \
    report/stats.c report/stats.h \
    report/summary.c report/summary.h \
    report/text.c report/text.h \
    report/words.c report/words.h
