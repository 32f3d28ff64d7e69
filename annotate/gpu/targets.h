/* The GPUs: what a compute unit of each has, for the occupancy engine and for the rules.

   The facts are the file gpus.list (see maps/README): one record for each target, with its
   source. It is read where a GPU is asked about, which a lookup does not; further files of the same
   form, a user's own, may add targets or replace some.
   A table is read-only after loading and may be shared by threads.

   AMD's words are used for both vendors where one word must do: a wave is a warp, a workgroup a
   block, a VGPR a register of a thread, LDS shared memory. An AMD workgroup lives in a compute
   unit (CU); on RDNA two of them form a workgroup processor (WGP), and in WGP mode, which is what
   compilers take unless told otherwise, a workgroup has both halves.  */
#ifndef ANNOTATE_GPU_TARGETS_H
#define ANNOTATE_GPU_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/gpu/lds.h"
#include "base/diag.h"

enum gpu_vendor {
    VENDOR_AMD,
    VENDOR_NVIDIA,
};

/* Where a workgroup lives; an index into the figures that differ. */
enum gpu_mode {
    MODE_CU,
    MODE_WGP, /* RDNA only */
    MODE_COUNT
};

/* The accumulation registers of AMD's matrix instructions. */
enum agpr_file {
    AGPR_NONE,
    AGPR_SEPARATE, /* a file of their own, as large as that of the VGPRs: the larger use counts */
    AGPR_UNIFIED,  /* out of the file of the VGPRs: the sum counts */
};

enum { TARGET_WAVES = 2, TARGET_SGPR_STEPS = 3 };

/* Figures of an AMD target. Those with TARGET_WAVES values are for each of its wave sizes. */
struct amd_figures {
    unsigned waves[TARGET_WAVES];        /* wave sizes, 32 or 64, the default first; 0: only one */
    unsigned simds[MODE_COUNT];          /* that a workgroup may use; [MODE_WGP] 0: no such mode */
    unsigned max_waves;                  /* on a SIMD, as the compiler counts */
    unsigned runtime_waves;              /* the same as HIP's occupancy functions count */
    unsigned vgprs[TARGET_WAVES];        /* of a SIMD, each as wide as the wave */
    unsigned vgpr_granule[TARGET_WAVES]; /* a wave gets a multiple of this */
    unsigned max_vgprs;                  /* that a wave can name, accumulation registers apart */
    unsigned agprs;                      /* an enum agpr_file */
    unsigned sgpr_steps[TARGET_SGPR_STEPS]; /* most SGPRs for 10, 9, 8 waves; more leave 7.
                                               [0] 0: they never limit */
    unsigned lds[MODE_COUNT];               /* bytes that workgroups share */
    unsigned max_lds;                       /* bytes that one of them may have */
    unsigned lds_granule;
    unsigned barriers[MODE_COUNT]; /* most workgroups of more than one wave */
};

/* Figures of an NVIDIA target, for one multiprocessor. */
struct nvidia_figures {
    unsigned warp; /* 32 or 64 lanes */
    unsigned partitions;
    unsigned warps;
    unsigned blocks;
    unsigned registers;
    unsigned register_granule; /* a warp gets a multiple of this; in registers, not per thread */
    unsigned max_registers;    /* of a thread */
    unsigned shared;           /* bytes, with the carve-out at its largest */
    unsigned max_shared;       /* bytes of a block that asks for more than default_shared */
    unsigned default_shared;
    unsigned reserved_shared; /* bytes that the system takes for each block */
    unsigned shared_granule;
};

struct target {
    const char *name;         /* "gfx942", "sm_80" */
    const char *architecture; /* "CDNA3" */
    const char *products;     /* as written */
    const char *source;       /* keys of maps/README; "unchecked" among them is to be shown */
    unsigned vendor;          /* an enum gpu_vendor */
    unsigned max_block;       /* most threads of a workgroup */
    unsigned banks;           /* an enum lds_model: how its shared memory serves a wave */
    unsigned cache_line;      /* bytes; 0: not known, */
    unsigned l2;              /* as for these two, */
    unsigned llc;             /* also where there is none */
    struct amd_figures amd;   /* zeros for the other vendor */
    struct nvidia_figures nvidia;
};

struct target_table;

/* An empty table. Release with target_table_free(). */
struct target_table *target_table_new(void);
void target_table_free(struct target_table *table);

/* Adds the records of FILE; one of a name that is there already replaces it. A bad line is an
   error in DIAG with file and line. False if anything was wrong: the table is then for
   target_table_free() only. */
bool target_load_file(struct target_table *table, const char *file, struct diag *diag);

/* Likewise of the LEN bytes at TEXT, which FILE holds. */
bool target_load_text(struct target_table *table, const char *file, const char *text, size_t len,
                      struct diag *diag);

/* The target of the LEN bytes at NAME, or NULL. Features are no part of it: "gfx90a:xnack+" is
   gfx90a and "sm_90a" is sm_90. What people know it as will do too: "MI300X", "rtx 4090". Blanks
   around the name, as a list has them behind its commas, do not matter. */
const struct target *target_find(const struct target_table *table, const char *name, size_t len);

/* Calls FN with each target in the order of loading. */
void target_each(const struct target_table *table,
                 void (*fn)(const struct target *target, void *context), void *context);

/* The lanes of a wave (or warp) by default, and whether there can be waves of WAVE lanes. */
unsigned target_wave(const struct target *target);
bool target_has_wave(const struct target *target, unsigned wave);

/* Which of its wave sizes WAVE is, for the figures with TARGET_WAVES values; -1: none. TARGET
   is AMD's. */
int target_wave_index(const struct target *target, unsigned wave);

#endif
