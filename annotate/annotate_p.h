/* What the rules work with. */
#ifndef ANNOTATE_ANNOTATE_P_H
#define ANNOTATE_ANNOTATE_P_H

#include "annotate/annotate.h"
#include "parser/unit.h"

struct annotation {
    const struct unit *unit;
    struct findings *findings;
};

#define RULE_CHECK(check) void check(struct annotation *a);
#include "annotate/rules.def"
#undef RULE_CHECK

#endif
