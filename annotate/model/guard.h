/* Which values of a variable get to a place: those that no condition on the way turns off.  */
#ifndef ANNOTATE_MODEL_GUARD_H
#define ANNOTATE_MODEL_GUARD_H

#include "annotate/model/flow.h"

/* Whether the variable of D, a definition in the function at INDEX that REACHING has among those
   that reach token AT, may be VALUE there. False where a condition between the two says otherwise:
   one around AT, one whose arm is left for good (return, exit, a failing assert), or one whose arm
   gives the variable another value. A condition that is not understood says nothing. */
bool guard_admits(struct model *model, size_t index, const struct definition *d,
                  const struct reaching *reaching, uint32_t at, int64_t value);

/* Whether control may come to AT from the end of the arm of an if at token ARM: of its first token,
   where it is not entered. False where a condition around AT is written as that of the if and turns
   out the other way, and nothing in it changes any more. */
bool guard_admits_arm(struct model *model, size_t index, uint32_t arm, uint32_t at);

#endif
