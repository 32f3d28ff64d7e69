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

/* A call of a name. */
struct model_call {
    uint32_t token; /* the name */
    struct arguments args;
};

/* The calls of NAME, those that are known argument by argument: by how many arguments they have,
   then ascending; COUNT of them. What declares a function of the name is no call. */
const struct model_call *model_calls(struct model *model, const struct symbol *name, size_t *count);
void model_calls_release(struct model *model);

/* The uses of the macro that the directive at INDEX defines, ascending; COUNT of them. Of several
   definitions with one text each use belongs to the nearest. */
const uint32_t *model_macro_uses(struct model *model, uint32_t index, size_t *count);

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
