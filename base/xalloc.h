/* Memory that is there: out of memory ends the program with one message, so
   callers never see NULL and library code needs no error path for it.  */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include <stddef.h>

/* SIZE bytes, uninitialised. Free with free(). */
void *xmalloc(size_t size);

/* COUNT * SIZE bytes, zeroed; the product is checked. Free with free(). */
void *xcalloc(size_t count, size_t size);

/* PTR moved to COUNT * SIZE bytes; the product is checked. */
void *xrealloc_array(void *ptr, size_t count, size_t size);

/* A copy of the NUL-terminated TEXT. Free with free(). */
char *xstrdup(const char *text);

/* Ends the program: "memory exhausted", exit status 2. */
_Noreturn void xalloc_die(void);

#endif
