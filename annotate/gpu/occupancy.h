/* Occupancy: how many workgroups of a kernel a compute unit holds at once, how many waves that
   makes, and which resource allows no more.

   Pure functions of a target and a request. What they answer is what the hardware does with whole
   workgroups; beside it stands what clang prints as "Occupancy", which is simpler in two ways that
   have names here (enum occupancy_difference). The answers about AMD agree with clang 19, those
   about NVIDIA with cuda_occupancy.h of the CUDA toolkit; testsuite/occupancy.sh compares both.

   The unit that holds the workgroups is called CU throughout: a compute unit, in WGP mode a
   workgroup processor, for NVIDIA a multiprocessor.

   The rules, with T threads a block, w lanes a wave, n = ceil(T / w) waves a workgroup:

     AMD      waves       n = 1: waves of the CU; else waves of the CU / n
              workgroups  n = 1: no limit; else the barriers of the CU
              VGPRs       waves a SIMD has registers for * SIMDs / n
              SGPRs       the same
              LDS         LDS of the CU / LDS of the workgroup, rounded up to its granule
     NVIDIA   waves       warps of the multiprocessor / n
              workgroups  blocks of the multiprocessor
              VGPRs       warps a partition has registers for * partitions / n
              LDS         shared memory / that of the block with what the system adds to it, rounded

   All divisions round down, and the least of the limits counts.  */
#ifndef ANNOTATE_GPU_OCCUPANCY_H
#define ANNOTATE_GPU_OCCUPANCY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "annotate/gpu/targets.h"

/* The resources. Of two that allow the same number the first here is told: what comes earlier is
   harder to change. */
enum occupancy_limit {
    LIMIT_WAVES,
    LIMIT_WORKGROUPS,
    LIMIT_VGPRS,
    LIMIT_LDS,
    LIMIT_SGPRS,
    LIMIT_COUNT
};

/* A resource that does not limit. */
#define OCCUPANCY_UNLIMITED UINT_MAX

/* How a figure of the compiler's came about where the hardware's is lower; bits. */
enum occupancy_difference {
    DIFFERS_LDS_GRANULE = 1, /* it does not round LDS up to what is allocated; clang 19 */
    DIFFERS_WHOLE_GROUPS = 2 /* it counts waves that no whole workgroup has room for, and rounds
                                a part of a wave per SIMD up */
};

/* What is known of a kernel; 0: not given. The counts are those of one wave (NVIDIA: vgprs are
   the registers of a thread, agprs and sgprs are for AMD). What is not given does not limit. A
   rule that sees source and no compiler knows the block and the LDS and leaves the registers
   out: the answer then is what fits at most (struct occupancy's at_most), and
   occupancy_budget(..., LIMIT_VGPRS, groups) the registers with which it holds. The same request
   may be put to an AMD and an NVIDIA target, to compare both. */
struct occupancy_request {
    unsigned block; /* threads of a workgroup, at least 1 */
    unsigned vgprs;
    unsigned agprs;
    unsigned sgprs;     /* with VCC and its like, as compilers count them for this purpose */
    unsigned lds;       /* bytes, static and dynamic */
    unsigned min_waves; /* second argument of HIP's __launch_bounds__: waves per SIMD that
                           the compiler must leave registers for */
    unsigned wave;      /* lanes; the target's default */
    bool cu_mode;       /* RDNA: CU mode instead of WGP mode */
    bool wgp_mode;      /* asked for by name: wrong where there is none */
};

enum occupancy_error {
    OCCUPANCY_OK,
    OCCUPANCY_BAD_BLOCK, /* 0, or more threads than a workgroup may have */
    OCCUPANCY_BAD_WAVE,  /* the target has no waves of this size */
    OCCUPANCY_BAD_MODE,  /* the target has no such mode */
    OCCUPANCY_BAD_AGPRS, /* the target has no accumulation registers */
};

struct occupancy {
    enum gpu_mode mode;
    unsigned wave;            /* lanes */
    unsigned simds;           /* of the CU */
    unsigned max_waves;       /* of a SIMD */
    unsigned waves_per_group; /* n above */
    unsigned threads;         /* of the workgroup, as asked for */

    unsigned limits[LIMIT_COUNT]; /* workgroups that each resource has room for */
    enum occupancy_limit limited_by;
    unsigned groups; /* workgroups per CU, the least of them; 0: it cannot run */
    unsigned waves;  /* of these, per CU */
    bool at_most;    /* no registers were given: there may be fewer groups, not more */

    unsigned vgprs;   /* registers of a wave (NVIDIA: a thread) that count, and */
    unsigned granted; /* what is allocated for them; 0 where none were given */
    unsigned spilled; /* registers that min_waves leaves no room for */
    bool ignored;     /* more min_waves than there are: compilers drop the bound with a warning */
    unsigned lds;     /* bytes allocated */

    unsigned compiler_waves; /* AMD: what clang prints as Occupancy, per SIMD */
    unsigned differences;    /* enum occupancy_difference */
};

/* Answers REQUEST for TARGET in *RES, which is undefined after an error. */
enum occupancy_error occupancy_compute(const struct target *target,
                                       const struct occupancy_request *request,
                                       struct occupancy *res);

/* Waves per SIMD (NVIDIA: warps per partition): not always whole. */
double occupancy_waves_per_simd(const struct occupancy *o);

/* The share of lanes of the waves of a block that have a thread: 0.5 for 32 threads in waves of
   64. */
double occupancy_lanes_busy(const struct occupancy *o);

/* The most of RESOURCE (LIMIT_VGPRS, LIMIT_LDS or LIMIT_SGPRS) that has room for GROUPS
   workgroups of REQUEST, all other resources left out of account; 0: not even the least has. */
unsigned occupancy_budget(const struct target *target, const struct occupancy_request *request,
                          enum occupancy_limit resource, unsigned groups);

/* The next step up: the most of RESOURCE, less than REQUEST has, with which more workgroups are
   resident. *RES is the answer then. 0: no less of this resource alone helps. */
unsigned occupancy_step(const struct target *target, const struct occupancy_request *request,
                        enum occupancy_limit resource, struct occupancy *res);

/* What BYTES more of LDS cost a workgroup, such as the more_bytes of a padding (struct lds_fix);
   below 0, what giving them back brings. Answers REQUEST as it is in *BEFORE and with them in
   *AFTER. Errors as those of occupancy_compute(). */
enum occupancy_error occupancy_add_lds(const struct target *target,
                                       const struct occupancy_request *request, int64_t bytes,
                                       struct occupancy *before, struct occupancy *after);

/* The second argument of __launch_bounds__ means blocks per multiprocessor in CUDA and waves per
   SIMD in HIP. */
struct converted_bounds {
    unsigned exact;   /* waves per SIMD that MIN_BLOCKS blocks make, rounded up */
    unsigned waves;   /* the same, but not more than there can be: what to write */
    unsigned implied; /* waves per SIMD that one block makes: less than this changes nothing */
    bool possible;    /* MIN_BLOCKS blocks can be resident at all: there are waves and barriers */
};

/* From CUDA's to HIP's, for MIN_BLOCKS blocks as large as those of REQUEST, resident on one CU of
   TARGET, which is AMD's. Errors as those of occupancy_compute(). */
enum occupancy_error occupancy_bounds(const struct target *target,
                                      const struct occupancy_request *request, unsigned min_blocks,
                                      struct converted_bounds *res);

/* The other way: the blocks per CU that MIN_WAVES waves per SIMD have room for, from an answer. */
unsigned occupancy_blocks_of_waves(const struct occupancy *o, unsigned min_waves);

/* "waves", "workgroups", "vgprs", "lds", "sgprs". */
const char *occupancy_limit_word(enum occupancy_limit limit);

#endif
