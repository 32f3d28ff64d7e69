#include <config.h>

#include "cli/path.h"

#include <string.h>
#include <sys/stat.h>

bool path_leads_out(const char *path)
{
    if (*path == '/')
        return true;
    for (const char *at = path; *at; at += *at == '/') {
        size_t len = strcspn(at, "/");
        if (len == 2 && !memcmp(at, "..", 2))
            return true;
        at += len;
    }
    return false;
}

bool path_is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}
