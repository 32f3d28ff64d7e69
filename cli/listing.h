/* What git lists in the folders that a run names, asked once for all that lie in the same
   repository: who names hundreds of them would wait for git longer than for the rest.  */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include <stddef.h>

#include "base/strbuf.h"

struct listings;

/* Asks git about those of the COUNT FOLDERS that share a repository with another one of them. Where
   it cannot say, nothing is known, and asking for one folder alone shows why. */
struct listings *listings_new(const char *const *folders, size_t count);
void listings_free(struct listings *listings);

/* What git_list_files() would say of FOLDER, or NULL where git was not asked. */
const struct strbuf *listings_find(const struct listings *listings, const char *folder);

#endif
