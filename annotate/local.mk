libhipwright_a_SOURCES += \
    annotate/allow.c annotate/allow.h \
    annotate/annotate.c annotate/annotate.h annotate/annotate_p.h \
    annotate/barriers.c annotate/barriers.h \
    annotate/code.c annotate/code.h \
    annotate/comparison.c annotate/comparison.h \
    annotate/elsewhere.c \
    annotate/fix.c annotate/fix.h \
    annotate/gpu/banks.def \
    annotate/gpu/expr.c annotate/gpu/expr.h \
    annotate/gpu/lds.c annotate/gpu/lds.h \
    annotate/gpu/occupancy.c annotate/gpu/occupancy.h \
    annotate/gpu/targets.c annotate/gpu/targets.h \
    annotate/lanemask.c annotate/lanemask.h annotate/lanemask_p.h \
    annotate/lanemask_argument.c \
    annotate/lanemask_fix.c \
    annotate/lanemask_gather.c \
    annotate/lanemask_macro.c \
    annotate/lanemask_place.c \
    annotate/lanemask_shift.c \
    annotate/lanemask_value.c \
    annotate/machine.c annotate/machine.h \
    annotate/model/bounds.c \
    annotate/model/calls.c \
    annotate/model/constant.c annotate/model/constant.h annotate/model/constant_p.h \
    annotate/model/constant_call.c \
    annotate/model/constant_name.c \
    annotate/model/expression.c \
    annotate/model/facts.c annotate/model/facts.h \
    annotate/model/flow.c annotate/model/flow.h annotate/model/flow_p.h \
    annotate/model/flow_reaching.c \
    annotate/model/flow_read.c \
    annotate/model/geometry.c annotate/model/geometry.h annotate/model/geometry_p.h \
    annotate/model/geometry_frame.c \
    annotate/model/geometry_initial.c \
    annotate/model/geometry_variable.c \
    annotate/model/guard.c annotate/model/guard.h \
    annotate/model/lane.c annotate/model/lane.h annotate/model/lane_p.h \
    annotate/model/lane_builtin.c \
    annotate/model/lane_env.c \
    annotate/model/lane_eval.c \
    annotate/model/lane_known.c \
    annotate/model/lane_loop.c \
    annotate/model/lane_place.c annotate/model/lane_place_p.h \
    annotate/model/lane_run.c \
    annotate/model/lane_shift.c \
    annotate/model/lane_type.c \
    annotate/model/lane_value.c annotate/model/lane_value_p.h \
    annotate/model/launch.c annotate/model/launch.h annotate/model/launch_p.h \
    annotate/model/launch_blocks.c \
    annotate/model/launch_kernel.c \
    annotate/model/locals.c \
    annotate/model/macros.c annotate/model/macros.h \
    annotate/model/model.c annotate/model/model.h \
    annotate/model/names.c annotate/model/names_p.h \
    annotate/model/names_uses.c \
    annotate/model/names_walk.c \
    annotate/model/query.c annotate/model/query_p.h \
    annotate/model/reading.c \
    annotate/model/record.c \
    annotate/model/result.def \
    annotate/model/sources.c annotate/model/sources.h \
    annotate/model/triples.c annotate/model/triples.h \
    annotate/model/type.c annotate/model/type.h annotate/model/type.def \
    annotate/model/uses.c annotate/model/uses_p.h \
    annotate/model/value.c annotate/model/value_p.h \
    annotate/model/world.c annotate/model/world.h \
    annotate/ptx.c annotate/ptx.h annotate/ptx.def \
    annotate/rules.def \
    annotate/rules/ballot_truncated.c \
    annotate/rules/bank_conflict.c \
    annotate/rules/bank_offset.c \
    annotate/rules/barrier.c \
    annotate/rules/compute_capability.c \
    annotate/rules/cooperative_grid.c \
    annotate/rules/dead_tuning.c \
    annotate/rules/device_call.c \
    annotate/rules/float_atomic.c \
    annotate/rules/fp8.c \
    annotate/rules/header_macro.c \
    annotate/rules/host_memory.c \
    annotate/rules/inline_ptx.c \
    annotate/rules/jit.c \
    annotate/rules/lane_slot.c \
    annotate/rules/launch_bounds.c \
    annotate/rules/launch_size.c \
    annotate/rules/lds_padding.c \
    annotate/rules/library.c \
    annotate/rules/machine_limit.c \
    annotate/rules/mask_literal.c \
    annotate/rules/mask_use.c \
    annotate/rules/max_registers.c \
    annotate/rules/missing_bounds.c \
    annotate/rules/shared_array_p.h \
    annotate/rules/sm_count.c \
    annotate/rules/spin_lock.c \
    annotate/rules/texture_reference.c \
    annotate/rules/unknown_name.c \
    annotate/rules/vote_kept.c \
    annotate/rules/warp_synchronous.c \
    annotate/rules/wave_host.c \
    annotate/rules/wave_partials.c \
    annotate/rules/wave_rank.c \
    annotate/rules/wave_reduction.c \
    annotate/rules/wave_shuffle.c annotate/rules/wave_shuffle_p.h \
    annotate/rules/wave_size.c \
    annotate/rules/wave_width.c \
    annotate/rules/wmma.c \
    annotate/warp.c annotate/warp.def annotate/warp.h \
    annotate/warp_macro.c annotate/warp_macro.h \
    annotate/width.c annotate/width.h \
    annotate/width_follow.c

# What `hipwright explain` shows, and doc/rules.txt.
pagesdir = $(pkgdatadir)/pages
dist_pages_DATA = \
    annotate/pages/allow-unknown.txt \
    annotate/pages/allow-unused.txt \
    annotate/pages/api-arch-compare.txt \
    annotate/pages/api-arguments.txt \
    annotate/pages/api-case-absent.txt \
    annotate/pages/api-case-merged.txt \
    annotate/pages/api-compute-capability.txt \
    annotate/pages/api-condition.txt \
    annotate/pages/api-device-call.txt \
    annotate/pages/api-device-launch.txt \
    annotate/pages/api-device-pointer.txt \
    annotate/pages/api-duplicate-case.txt \
    annotate/pages/api-header-macro.txt \
    annotate/pages/api-host-call.txt \
    annotate/pages/api-launch-kept.txt \
    annotate/pages/api-meaning.txt \
    annotate/pages/api-newer-hip.txt \
    annotate/pages/api-no-counterpart.txt \
    annotate/pages/api-overload-merged.txt \
    annotate/pages/api-pasted-name.txt \
    annotate/pages/api-removed-hip.txt \
    annotate/pages/api-same-overload.txt \
    annotate/pages/api-texture-fetch.txt \
    annotate/pages/api-texture-reference.txt \
    annotate/pages/api-unknown-name.txt \
    annotate/pages/api-vector-operator.txt \
    annotate/pages/api-version-test.txt \
    annotate/pages/lds-bank-conflict.txt \
    annotate/pages/lds-bank-offset.txt \
    annotate/pages/lds-bank-size.txt \
    annotate/pages/lds-lane-slot.txt \
    annotate/pages/lds-padding.txt \
    annotate/pages/lds-padding-cost.txt \
    annotate/pages/lds-padding-short.txt \
    annotate/pages/library-none.txt \
    annotate/pages/library-partial.txt \
    annotate/pages/library-port.txt \
    annotate/pages/math-clock-rate.txt \
    annotate/pages/math-fp8-encoding.txt \
    annotate/pages/math-fp8-type.txt \
    annotate/pages/matrix-block.txt \
    annotate/pages/matrix-element-layout.txt \
    annotate/pages/matrix-no-unit.txt \
    annotate/pages/matrix-ptx.txt \
    annotate/pages/matrix-shape.txt \
    annotate/pages/matrix-tf32.txt \
    annotate/pages/matrix-warp-number.txt \
    annotate/pages/matrix-wmma.txt \
    annotate/pages/memory-l2-persistence.txt \
    annotate/pages/memory-managed.txt \
    annotate/pages/memory-mapped-host.txt \
    annotate/pages/occupancy-block-search.txt \
    annotate/pages/occupancy-bounds-attribute.txt \
    annotate/pages/occupancy-bounds-exceeded.txt \
    annotate/pages/occupancy-cache-config.txt \
    annotate/pages/occupancy-cluster-bounds.txt \
    annotate/pages/occupancy-grid-size.txt \
    annotate/pages/occupancy-idle-lanes.txt \
    annotate/pages/occupancy-launch-bounds-ignored.txt \
    annotate/pages/occupancy-launch-bounds-impossible.txt \
    annotate/pages/occupancy-launch-bounds.txt \
    annotate/pages/occupancy-max-registers.txt \
    annotate/pages/occupancy-missing-bounds.txt \
    annotate/pages/occupancy-one-workgroup.txt \
    annotate/pages/occupancy-register-file.txt \
    annotate/pages/occupancy-shared-limit.txt \
    annotate/pages/occupancy-shared-size.txt \
    annotate/pages/occupancy-sm-blocks.txt \
    annotate/pages/occupancy-sm-count.txt \
    annotate/pages/occupancy-sm-property.txt \
    annotate/pages/occupancy-sm-threads.txt \
    annotate/pages/ptx-architecture.txt \
    annotate/pages/ptx-async-copy.txt \
    annotate/pages/ptx-barrier.txt \
    annotate/pages/ptx-cluster.txt \
    annotate/pages/ptx-inline.txt \
    annotate/pages/ptx-module.txt \
    annotate/pages/ptx-special-register.txt \
    annotate/pages/ptx-warp.txt \
    annotate/pages/sync-atomic-loop.txt \
    annotate/pages/sync-atomic-own-loop.txt \
    annotate/pages/sync-barrier-divergent.txt \
    annotate/pages/sync-barrier-partial.txt \
    annotate/pages/sync-cooperative-factor.txt \
    annotate/pages/sync-cooperative-grid.txt \
    annotate/pages/sync-grid-divergent.txt \
    annotate/pages/sync-lane-spin-lock.txt \
    annotate/pages/sync-last-warp.txt \
    annotate/pages/sync-warp-synchronous.txt \
    annotate/pages/sync-wave-spin-wait.txt \
    annotate/pages/wave-ballot-truncated.txt \
    annotate/pages/wave-block-as-warp.txt \
    annotate/pages/wave-count-host.txt \
    annotate/pages/wave-first-warp.txt \
    annotate/pages/wave-group-size.txt \
    annotate/pages/wave-lane-arithmetic.txt \
    annotate/pages/wave-lane-shift.txt \
    annotate/pages/wave-library-width.txt \
    annotate/pages/wave-mask-absent-lanes.txt \
    annotate/pages/wave-mask-compare.txt \
    annotate/pages/wave-mask-count.txt \
    annotate/pages/wave-mask-lane.txt \
    annotate/pages/wave-mask-literal.txt \
    annotate/pages/wave-mask-partial.txt \
    annotate/pages/wave-mask-shift.txt \
    annotate/pages/wave-mask-variable.txt \
    annotate/pages/wave-partials-index.txt \
    annotate/pages/wave-partials-mixed.txt \
    annotate/pages/wave-partials-overflow.txt \
    annotate/pages/wave-partials-unread.txt \
    annotate/pages/wave-partials-unwritten.txt \
    annotate/pages/wave-reduction-beyond.txt \
    annotate/pages/wave-reduction-half.txt \
    annotate/pages/wave-reduction-incomplete.txt \
    annotate/pages/wave-shuffle-beyond.txt \
    annotate/pages/wave-shuffle-lane.txt \
    annotate/pages/wave-shuffle-width.txt \
    annotate/pages/wave-size-constant.txt \
    annotate/pages/wave-size-macro.txt \
    annotate/pages/wave-size-test.txt \
    annotate/pages/wave-tile.txt \
    annotate/pages/wave-vote-kept.txt \
    annotate/pages/wave-width-constant.txt
