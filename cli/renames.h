/* Which files of a run get other names (--rename), and what that makes of includes of them.  */
#ifndef CLI_RENAMES_H
#define CLI_RENAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "cli/inputs.h"

struct renames;

/* The renames among INPUTS, which are resolved. */
struct renames *renames_new(const struct inputs *inputs);
void renames_free(struct renames *renames);

/* Appends PATH by its new name to OUT; false, and nothing appended, where it keeps its name. */
bool renames_new_name(const char *path, struct strbuf *out);

/* Whether the header PATH (LEN bytes), which the file FROM (its real path) includes, is renamed:
   then it is appended to RES by its new name. It is looked for beside FROM; where no such file is,
   some folder of the tree is on the compiler's path, so it is the file whose path ends so. */
bool renames_follow(const struct renames *renames, const char *from, const char *path, size_t len,
                    struct strbuf *res);

#endif
