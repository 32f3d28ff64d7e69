/* Integer expressions of C, as somebody types them: `threadIdx.x * 33 + (tid & 31)`.

   What C has for integers: numbers in all bases with suffixes, the operators
   + - * / % << >> & | ^ ~ ! < <= > >= == != && || ?: with C's precedence, parentheses, casts to
   int, unsigned, long, long long, size_t and the types of fixed width. Names are the caller's.
   The arithmetic is C's on the usual 64-bit machine: int has 32 bits, long 64, `threadIdx.x - 1`
   is unsigned and wraps. Where C leaves the result undefined (signed overflow, shifts by too
   much) it wraps as the hardware does; what has no result at all, a division by zero, is an error
   of evaluation.

   An expression is read once and evaluated for many threads; it lives in the caller's arena.
   Length and depth are limited, so no text can exhaust the stack.  */
#ifndef ANNOTATE_GPU_EXPR_H
#define ANNOTATE_GPU_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum expr_type {
    EXPR_INT,
    EXPR_UINT,
    EXPR_LONG,
    EXPR_ULONG,
};

/* A name that an expression may use; "threadIdx.x" is one name. Its value comes with each
   evaluation, at the same index as the name. */
struct expr_name {
    const char *name;
    enum expr_type type;
};

struct expr;

/* What is wrong, and where: COLUMN counts bytes from 1. */
struct expr_error {
    size_t column;
    const char *message; /* a whole sentence, already translated; in the arena or static */
};

enum { EXPR_MAX_INDICES = 3 };

/* An index: one expression `E`, or one for each dimension `[E][E]`. */
struct expr_index {
    bool brackets;
    unsigned count;
    const struct expr *at[EXPR_MAX_INDICES];
};

/* Reads TEXT, an expression over the NAME_COUNT names; NULL after an error in ERROR. */
const struct expr *expr_parse(const char *text, const struct expr_name *names, size_t name_count,
                              struct arena *arena, struct expr_error *error);

/* Reads TEXT, an index; false after an error in ERROR. */
bool expr_parse_index(const char *text, const struct expr_name *names, size_t name_count,
                      struct arena *arena, struct expr_index *index, struct expr_error *error);

/* The value of EXPR where name I is VALUES[I]; false after an error in ERROR. A value of unsigned
   long above INT64_MAX comes out negative. */
bool expr_evaluate(const struct expr *expr, const int64_t *values, int64_t *res,
                   struct expr_error *error);

/* Whether EXPR uses the name at INDEX. */
bool expr_uses(const struct expr *expr, size_t index);

#endif
