/* What the rules work with. */
#ifndef ANNOTATE_ANNOTATE_P_H
#define ANNOTATE_ANNOTATE_P_H

#include "annotate/annotate.h"
#include "parser/unit.h"

/* Flags of symbols that rules use; those of transform/ come before. */
enum {
    SYMBOL_LIBRARY_ASKED = 1 << 8,
    SYMBOL_TEXTURE_REFERENCE = 1 << 9,
    SYMBOL_TEXTURE_WORD = 1 << 10,
};

struct annotation {
    const struct unit *unit;
    const struct map *map;
    struct findings *findings;
};

#define RULE_CHECK(check) void check(struct annotation *a);
#include "annotate/rules.def"
#undef RULE_CHECK

#endif
