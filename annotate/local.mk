libhipwright_a_SOURCES += \
    annotate/annotate.c annotate/annotate.h annotate/annotate_p.h \
    annotate/gpu/banks.def \
    annotate/gpu/expr.c annotate/gpu/expr.h \
    annotate/gpu/lds.c annotate/gpu/lds.h \
    annotate/gpu/occupancy.c annotate/gpu/occupancy.h \
    annotate/gpu/targets.c annotate/gpu/targets.h \
    annotate/model/constant.h \
    annotate/model/lane.h \
    annotate/model/launch.h \
    annotate/model/model.h \
    annotate/model/type.h \
    annotate/rules.def \
    annotate/rules/compute_capability.c \
    annotate/rules/device_call.c \
    annotate/rules/duplicate_case.c \
    annotate/rules/inline_ptx.c \
    annotate/rules/library.c \
    annotate/rules/texture_reference.c
