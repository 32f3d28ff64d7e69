/* What two sequences have in common: a longest common subsequence, or one that is nearly as long
   where finding the longest would take too much time.

   The elements are pointers (interned words or lines); two are the same if their pointers are.
   Memory is linear; time is bounded by the product of the lengths' sum and a constant, so that two
   files that have nothing in common cost no more than a second look.  */
#ifndef BASE_LCS_H
#define BASE_LCS_H

#include <stddef.h>

#include "base/vec.h"

/* COUNT elements from A in the one sequence and from B in the other are the same. */
struct lcs_run {
    size_t a, b, count;
};

struct lcs {
    VEC(struct lcs_run) runs; /* in order; neither adjacent nor empty */
    size_t steps;             /* that it took: elements compared, paths extended */
};

/* Appends to RES what the A_COUNT elements at A and the B_COUNT at B have in common. Deterministic.
   The runs are longest if the sequences differ in fewer than twice LCS_EFFORT elements. */
enum { LCS_EFFORT = 512 };
void lcs_find(struct lcs *res, const void *const *a, size_t a_count, const void *const *b,
              size_t b_count);
void lcs_release(struct lcs *lcs);

#endif
