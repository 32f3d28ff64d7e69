#include <config.h>

#include "cli/attributes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/xattr.h>

#include "base/xalloc.h"

/* Rights of a program, which the kernel takes away as soon as anybody writes to its file. */
static const char capability[] = "security.capability";

static void copy(int from, int to, const char *name)
{
    ssize_t room = fgetxattr(from, name, NULL, 0);
    if (room < 0)
        return;
    char *value = xmalloc((size_t)room + 1);
    ssize_t len = fgetxattr(from, name, value, (size_t)room);
    if (0 <= len)
        (void)!fsetxattr(to, name, value, (size_t)len, 0);
    free(value);
}

void attributes_copy(int from, int to)
{
    ssize_t room = flistxattr(from, NULL, 0);
    if (room <= 0)
        return;
    char *names = xcalloc((size_t)room + 1, 1);
    ssize_t len = flistxattr(from, names, (size_t)room);
    for (const char *at = names; at < names + len; at += strlen(at) + 1)
        if (strcmp(at, capability) != 0)
            copy(from, to, at);
    free(names);
}
