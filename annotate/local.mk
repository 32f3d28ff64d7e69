libhipwright_a_SOURCES += \
    annotate/annotate.c annotate/annotate.h annotate/annotate_p.h \
    annotate/code.c annotate/code.h \
    annotate/comparison.c annotate/comparison.h \
    annotate/dialect.c annotate/dialect.h \
    annotate/fix.c annotate/fix.h \
    annotate/gpu/banks.def \
    annotate/gpu/expr.c annotate/gpu/expr.h \
    annotate/gpu/lds.c annotate/gpu/lds.h \
    annotate/gpu/occupancy.c annotate/gpu/occupancy.h \
    annotate/gpu/targets.c annotate/gpu/targets.h \
    annotate/model/constant.c annotate/model/constant.h \
    annotate/model/expression.c \
    annotate/model/flow.c annotate/model/flow.h \
    annotate/model/geometry.c annotate/model/geometry_p.h \
    annotate/model/lane.c annotate/model/lane.h annotate/model/lane_p.h \
    annotate/model/lane_builtin.c \
    annotate/model/lane_eval.c \
    annotate/model/lane_run.c \
    annotate/model/lane_value.c \
    annotate/model/launch.c annotate/model/launch.h \
    annotate/model/model.c annotate/model/model.h \
    annotate/model/names.c annotate/model/names_p.h \
    annotate/model/query.c annotate/model/query_p.h \
    annotate/model/record.c \
    annotate/model/result.def \
    annotate/model/type.c annotate/model/type.h annotate/model/type.def \
    annotate/rules.def \
    annotate/rules/bank_conflict.c \
    annotate/rules/compute_capability.c \
    annotate/rules/dead_tuning.c \
    annotate/rules/device_call.c \
    annotate/rules/inline_ptx.c \
    annotate/rules/launch_bounds.c \
    annotate/rules/launch_size.c \
    annotate/rules/library.c \
    annotate/rules/sm_count.c \
    annotate/rules/texture_reference.c \
    annotate/rules/unknown_name.c
