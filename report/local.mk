libhipwright_a_SOURCES += \
    report/diff.c report/diff.h \
    report/fingerprint.c report/fingerprint.h \
    report/github.c report/github.h \
    report/json.c report/json.h \
    report/marker.c report/marker.h \
    report/message.c report/message.h \
    report/sarif.c report/sarif.h \
    report/stats.c report/stats.h \
    report/summary.c report/summary.h \
    report/text.c report/text.h
