/* Macros whose definition is certain, and the branches that they turn off.

   A program's own switches (`#define USE_HALF 0`) decide which code there is. What nobody compiles
   can do no harm, so the rules do not read it. But a macro is known only where nothing else can be:
   it is defined once, outside all conditionals, and nowhere undefined or defined otherwise, in the
   file before the place that asks, in a header that is certainly included before it, or by -D. A
   default (#ifndef X, #define X) says nothing, as the build may know better; a name that nobody
   defines may come from the build too.  */
#ifndef ANNOTATE_MODEL_MACROS_H
#define ANNOTATE_MODEL_MACROS_H

#include "annotate/model/model.h"

/* A macro that a file defines or undefines, defaults aside. */
struct model_macro {
    const char *name;
    const char
        *body;      /* "" if it has none; NULL: it is not the same wherever the file is included */
    uint32_t token; /* in the file: its name */
};

/* Whether the branch that directive INDEX of UNIT (or NO_INDEX) opens is that of #ifndef NAME or
   #if !defined NAME. */
bool model_is_default_of(const struct unit *unit, uint32_t index, const struct symbol *name);

/* The macros of UNIT by name, COUNT of them, in ARENA. */
const struct model_macro *model_macros(const struct unit *unit, struct arena *arena, size_t *count);

/* Takes branches of UNIT that are dead by what it and OPTIONS (may be NULL) say of macros out of
   what rules and models read, as unit_hide_dead() says; whether there are any. */
bool model_hide_dead(struct unit *unit, const struct model_options *options);

#endif
