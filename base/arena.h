/* An arena: memory that lives until the whole arena is released.

   Three lifetimes, three arenas: the process (maps, rules), a file (tokens,
   unit, edits, findings) and a function (scratch). Nothing in an arena is freed
   piece by piece. Allocation never returns NULL.  */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *head; /* newest block first */
    char *next;               /* free bytes of the newest block: next..end */
    char *end;
    size_t size; /* of all blocks */
};

#define ARENA_INIT \
    {              \
        0          \
    }

/* SIZE bytes aligned for any object, uninitialised; owned by ARENA. */
void *arena_alloc(struct arena *arena, size_t size);

/* COUNT objects of SIZE bytes, zeroed; the product is checked. */
void *arena_zalloc(struct arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of the LEN bytes at TEXT. */
char *arena_strndup(struct arena *arena, const char *text, size_t len);

/* A NUL-terminated string made as printf does. */
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Releases everything; ARENA is empty and may be used again. */
void arena_release(struct arena *arena);

#endif
