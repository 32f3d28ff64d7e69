/* Where a file's names stand, and which functions they name. Made once, when first asked for.  */
#ifndef ANNOTATE_MODEL_USES_P_H
#define ANNOTATE_MODEL_USES_P_H

#include "annotate/model/model.h"

/* So many functions of one name are looked at. */
enum { MAX_OVERLOADS = 64 };

/* The places in code or in the text of macros where NAME stands, ascending; COUNT of them. None on
   the CUDA side of a conditional. */
const uint32_t *model_uses(struct model *model, const struct symbol *name, size_t *count);

/* The arguments of the call whose callee's last name is at TOKEN (template arguments may follow);
   false where it is no call. */
bool model_call_arguments(struct model *model, uint32_t token, struct arguments *res);

/* The index of the function whose declaration or definition has its name at TOKEN, or NO_INDEX. */
size_t model_function_named(struct model *model, uint32_t token);

/* The indices of the functions called NAME, ascending; COUNT of them, a few dozen at most; none on
   the CUDA side of a conditional. */
const uint32_t *model_functions_called(struct model *model, const struct symbol *name,
                                       size_t *count);

/* Whether only this file can name the function at INDEX: not one in a header, whoever includes that
   has it. */
bool model_internal(const struct model *model, size_t index);

#endif
