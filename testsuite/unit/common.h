/* What the tests over whole sources share: translating text in memory, with the promises that
   hold for every translation checked on the way.  */
#ifndef TESTSUITE_UNIT_COMMON_H
#define TESTSUITE_UNIT_COMMON_H

#include <stddef.h>

#include "base/vec.h"
#include "transform/translate.h"

struct text {
    char *bytes; /* owned, NUL-terminated */
    size_t len;
};

/* The file at PATH; ends the test where it cannot be read. */
struct text read_text(const char *path);

struct sources {
    VEC(char *) list; /* paths, sorted */
};

/* All sources of fixtures/, programs/ and fuzz/corpus/ below $srcdir/testsuite; ends the program
   where there are none. */
void collect_sources(struct sources *sources);
void release_sources(struct sources *sources);

/* Makes FILE hold the LEN bytes at TEXT; ends the test where that fails. */
void write_text(const char *file, const char *text, size_t len);

/* Loads the project's maps from $srcdir/maps; ends the program where that fails. */
struct map *load_facts(void);

/* Translates LEN bytes of TEXT, called NAME, with MAP for its newest HIP; checks that all bytes
   outside the edits survive. */
struct text run(const char *name, const char *text, size_t len, const struct map *map,
                enum launch_form launch);

/* Checks that translating the translation changes nothing. */
void check_stable(const char *name, const char *text, size_t len, const struct map *map,
                  enum launch_form launch);

#endif
