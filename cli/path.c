#include <config.h>

#include "cli/path.h"

#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"

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

/* Whether the last part of PATH is a name that ".." takes back. */
static bool ends_with_name(const struct strbuf *path)
{
    const char *slash = path->len ? memrchr(path->text, '/', path->len) : NULL;
    const char *last = slash ? slash + 1 : path->text;
    return path->len && last < path->text + path->len &&
           !(path->len - (size_t)(last - path->text) == 2 && !memcmp(last, "..", 2));
}

const char *path_tidy(const char *path, struct arena *arena)
{
    struct strbuf res = STRBUF_INIT;
    bool absolute = *path == '/';
    strbuf_adds(&res, absolute ? "/" : "");
    for (const char *at = path; *at;) {
        at += strspn(at, "/");
        size_t len = strcspn(at, "/");
        if (len == 2 && !memcmp(at, "..", 2) && ends_with_name(&res)) {
            const char *slash = memrchr(res.text, '/', res.len);
            res.len = slash ? (size_t)(slash - res.text) + (absolute && slash == res.text) : 0;
        } else if (len && !(len == 1 && *at == '.')) {
            if (res.len && res.text[res.len - 1] != '/')
                strbuf_addc(&res, '/');
            strbuf_add(&res, at, len);
        }
        at += len;
    }
    const char *tidy = arena_strndup(arena, res.text ? res.text : "", res.len);
    strbuf_release(&res);
    return tidy;
}

bool path_is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}
