/* Macros around a shuffle: what a call of one does is in the text of the macro.  */
#ifndef ANNOTATE_WARP_MACRO_H
#define ANNOTATE_WARP_MACRO_H

#include "annotate/warp.h"

/* The first warp function in the text of a macro, or in that of a macro which it uses. */
struct warp_macro {
    const struct warp_function *function;
    int lane, value; /* the parameters of the macro that these are; -1: none is */
    bool has_width;  /* it says how wide its shuffle is */
    bool only_moves; /* `x = shuffle(...)` is all of its text: nothing is combined */
};

/* Reads the macro that is defined at TOKEN; false where it names no warp function. */
bool warp_macro_of(struct annotation *a, uint32_t token, struct warp_macro *res);

/* The number of lanes that the shuffles in the text of MACRO combine: 32 where they go over the
   distances 16 to 1, in a loop or one after the other, and 0 else. *FIRST is the first of them. */
unsigned warp_macro_combines(struct annotation *a, const struct directive *macro,
                             struct range *first);

#endif
