#include <config.h>

#include "base/xalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void xalloc_die(void)
{
    /* No stdio and no gettext: both may allocate. */
    static const char text[] = "hipwright: memory exhausted\n";
    ssize_t res = write(STDERR_FILENO, text, sizeof text - 1);
    (void)res;
    _exit(2);
}

void *xmalloc(size_t size)
{
    void *res = malloc(size ? size : 1);
    if (!res)
        xalloc_die();
    return res;
}

void *xcalloc(size_t count, size_t size)
{
    void *res = calloc(count ? count : 1, size ? size : 1);
    if (!res)
        xalloc_die();
    return res;
}

void *xrealloc_array(void *ptr, size_t count, size_t size)
{
    if (size && SIZE_MAX / size < count)
        xalloc_die();
    size_t total = count * size;
    void *res = realloc(ptr, total ? total : 1);
    if (!res)
        xalloc_die();
    return res;
}

char *xstrdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(xmalloc(size), text, size);
}
