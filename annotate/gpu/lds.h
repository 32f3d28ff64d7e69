/* What an access to shared memory (LDS) costs: the lanes of a wave against the banks.

   The hardware serves the lanes of one instruction in *phases*: groups of lanes that go
   together (banks.def). Within a phase

     - a bank is 4 bytes wide: the word at byte address A lies in bank A / 4 mod the banks;
     - lanes that touch the same word share one access, whichever of its bytes they touch: a
       broadcast in a read; in a write one of them wins (NVIDIA does not say which, on AMD the
       last lane), and it still is one access;
     - different words of one bank wait for each other.

   So the cycles of a phase are the most words that any bank is asked for, at least 1 where a
   lane takes part; those of the instruction are their sum, its *ideal* the number of phases in
   which a lane takes part. Lanes of different phases never conflict. The *worst way* is the
   longest phase: "32-way" conflicts. Cycles are those of the memory's port, not time: where a
   kernel does not wait for shared memory, the first doubling is nearly free.

   Nothing here allocates but the two searches, nothing fails but on what the header forbids.
   All tables are read-only and may be shared by threads.  */
#ifndef ANNOTATE_GPU_LDS_H
#define ANNOTATE_GPU_LDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LDS_MAX_LANES = 64,
    LDS_MAX_PHASES = 8,
    LDS_MAX_BANKS = 64,
    LDS_BANK_BYTES = 4,
    LDS_MAX_DIMS = 3,
};

/* The address or index of a lane or thread that takes no part. */
#define LDS_INACTIVE INT64_MIN

/* The sets of rules of banks.def; each target of gpus.list names the one that it follows (struct
   target's banks). */
enum lds_model {
    LDS_UNKNOWN, /* not for the functions below */
#define BANK_SET(id, word) LDS_##id,
#define BANK_RULE(set, operation, bytes, banks, lanes, order, port, trust, source)
#include "annotate/gpu/banks.def"
#undef BANK_SET
#undef BANK_RULE
    LDS_MODEL_COUNT
};

/* The words of gpus.list for them, and NULL. */
extern const char *const lds_model_words[];

/* Whether an instruction can move BYTES bytes a lane: 1, 2, 4, 8, 12 or 16. */
bool lds_is_width(unsigned bytes);

/* How far a rule is to be believed. */
enum lds_trust {
    LDS_MEASURED, /* by somebody, on this part */
    LDS_STATED,   /* by the vendor, or code that it ships */
    LDS_INFERRED, /* from a sister part */
    LDS_DISPUTED, /* sources say different things */
};

/* "measured", ... */
const char *lds_trust_word(enum lds_trust trust);

struct lds_rule {
    unsigned bytes; /* up to so many a lane */
    unsigned banks;
    unsigned lanes; /* that go together */
    unsigned port;  /* cycles of a wave without conflicts at the port, 0: unknown */
    enum lds_trust trust;
    const char *source; /* keys of banks.def */
};

/* How MODEL serves reads or writes of BYTES bytes, an lds_is_width(). */
const struct lds_rule *lds_find_rule(enum lds_model model, unsigned bytes, bool write);

/* The lanes of a wave of WAVE that MODEL serves in each phase, bit L for lane L; returns how
   many phases there are. Each lane is in exactly one. */
unsigned lds_phases(enum lds_model model, unsigned wave, unsigned bytes, bool write,
                    uint64_t phases[LDS_MAX_PHASES]);

struct lds_phase {
    uint64_t lanes;      /* that go together, also those that take no part */
    uint64_t active;     /* those that do */
    unsigned cycles;     /* 0 where no lane takes part */
    unsigned worst_bank; /* the first that is asked for so many words */
};

struct lds_cost {
    unsigned cycles;
    unsigned ideal;
    unsigned worst_way; /* 0 where no lane takes part */
    unsigned phase_count;
    struct lds_phase phases[LDS_MAX_PHASES];
};

/* The cost of one instruction of a wave: lane L of WAVE, 32 or 64, reads or
   writes BYTES bytes at byte ADDRESS[L], or LDS_INACTIVE. Addresses may count from any multiple
   of 256 bytes, so they may be negative. */
struct lds_cost lds_cost(enum lds_model model, unsigned wave, unsigned bytes, bool write,
                         const int64_t *address);

/* What one bank is asked for in a phase. */
struct lds_bank {
    unsigned words; /* different ones */
    uint64_t lanes; /* that touch the bank */
};

/* Fills BANKS for the LANES of a phase (struct lds_phase's) of the same access, and returns how
   many banks there are. */
unsigned lds_bank_use(enum lds_model model, unsigned bytes, bool write, uint64_t lanes,
                      const int64_t *address, struct lds_bank banks[LDS_MAX_BANKS]);

/* The same over a whole block. */
struct lds_sum {
    uint64_t cycles;
    uint64_t ideal;
    unsigned worst_way;
    size_t worst_wave; /* the first with the most cycles */
    size_t waves;
};

/* The cost of one instruction in all waves of a block: thread T, counted as the hardware does
   (x fastest), is lane T % WAVE of wave T / WAVE. */
struct lds_sum lds_block_cost(enum lds_model model, unsigned wave, unsigned bytes, bool write,
                              const int64_t *address, size_t threads);

/* An array in shared memory; size[dims - 1] is the inner dimension. */
struct lds_array {
    unsigned dims; /* 1 to LDS_MAX_DIMS */
    int64_t size[LDS_MAX_DIMS];
    unsigned element; /* bytes */
};

/* How the elements of an array are laid out. Zeroed: as C does it. */
struct lds_layout {
    unsigned pad;  /* elements added to the inner dimension */
    unsigned grow; /* bytes added to each element, which is a structure then */
    /* In a row I (all outer dimensions taken together) column J lies where column
       J ^ ((I * times >> row_shift & mask) << scale) would; a mask of 0 changes nothing, times of
       0 stands for 1. */
    unsigned times;
    unsigned row_shift;
    unsigned mask;
    unsigned scale;
    /* Element N of a flat array lies at N + (N >> skew); 0: at N. Only for one dimension. */
    unsigned skew;
};

/* The byte address of the element at INDEX (of ARRAY's dims), which may lie outside of ARRAY's
   bounds only where the layout has no mask. */
int64_t lds_address(const struct lds_array *array, const struct lds_layout *layout,
                    const int64_t *index);

/* The bytes that ARRAY occupies. */
int64_t lds_array_bytes(const struct lds_array *array, const struct lds_layout *layout);

/* One access to an array by all threads of a block. */
struct lds_use {
    unsigned bytes; /* an lds_is_width(); more than an element: consecutive ones */
    bool write;
    const int64_t *index; /* of thread T from T * dims on; LDS_INACTIVE first: takes no part */
    size_t threads;
};

/* The cost of USE with ARRAY laid out as LAYOUT says. */
struct lds_sum lds_use_cost(enum lds_model model, unsigned wave, const struct lds_array *array,
                            const struct lds_layout *layout, const struct lds_use *use);

/* An answer of the searches. */
struct lds_fix {
    bool found;               /* a layout that is better than the array's own */
    bool free;                /* ... and without any conflict */
    struct lds_layout layout; /* zeroed where nothing is found */
    uint64_t cycles;          /* of all uses together */
    uint64_t ideal;
    int64_t more_bytes;
};

/* The smallest pad, up to MOST elements, that makes the USES (COUNT of them) of ARRAY
   conflict-free; where there is none, the smallest of the best. A pad that would take a wide
   access off its alignment does not count: it is undefined in C++, and a trap on NVIDIA. For one
   dimension, which has no rows to pad, the skew that adds least. Where all that is not enough and
   the uses touch a part of an element, the smallest addition to each element, with a pad if need
   be: lanes that read one member of structures of 16 bytes meet in a quarter of the banks, however
   the structures are placed. */
struct lds_fix lds_find_pad(enum lds_model model, unsigned wave, const struct lds_array *array,
                            const struct lds_use *uses, size_t count, unsigned most);

/* The same with an XOR of the column by the row, which costs no bytes: the simplest that is
   conflict-free, or the simplest of the best. Not for one dimension, nor for uses outside of
   the bounds. Simple: low row bits, unscaled, few of them, and
   only if that is not enough their multiples. */
struct lds_fix lds_find_xor(enum lds_model model, unsigned wave, const struct lds_array *array,
                            const struct lds_use *uses, size_t count);

#endif
