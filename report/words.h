/* The words of a file: its tokens without what two translators of the same source may do each in
   its own way.

   Two files with the same words mean the same to the compiler. Left out, or brought into one form,
   are: white space and comments; <<<...>>> and hipLaunchKernelGGL, with the arguments that launches
   may leave out, dim3 around one number, and parentheses around a kernel's name; HIP_SYMBOL;
   HIP_DYNAMIC_SHARED; casts to void pointers where an argument of a function of HIP's begins;
   includes of HIP's runtime, and those of other HIP and ROCm headers that both files have, wherever
   they stand; a header's old place and its new one (<hipblas.h>, <hipblas/hipblas.h>); .cu and .hip
   at the end of included names; hipMallocHost, hipFreeHost and hipHostMalloc's default flags; the
   macro that asks older headers for functions with masks; CUDA in names of the user's own where the
   other file says HIP throughout, and in messages.  */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include <stdint.h>

#include "base/finding.h"
#include "base/symbol.h"
#include "base/vec.h"
#include "parser/unit.h"

struct word {
    const struct symbol *text; /* in the table given: the same word is the same pointer */
    struct span span;          /* where it stands; empty if the file leaves it out */
};

struct words {
    VEC(struct word) list;
};

/* Notes in TABLE what headers and names the file with the number SIDE (0 or 1) has; both files come
   before the first call of words_collect(). */
void words_note(const struct unit *unit, struct symbol_table *table, int side);

/* Appends the words of UNIT to WORDS; their texts live in TABLE. */
void words_collect(struct words *words, const struct unit *unit, struct symbol_table *table);
void words_release(struct words *words);

#endif
