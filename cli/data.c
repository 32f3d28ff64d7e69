#include <config.h>

#include "cli/data.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "cli/changes.h"
#include "cli/path.h"

char *data_program_path(void)
{
    char *res = realpath("/proc/self/exe", NULL);
    if (res)
        return res;
    /* Without /proc: as the shell found it. */
    if (strchr(program_invocation_name, '/'))
        return realpath(program_invocation_name, NULL);
    const char *path = getenv("PATH");
    for (const char *at = path; at && !res;) {
        size_t len = strcspn(at, ":");
        struct strbuf file = STRBUF_INIT;
        strbuf_add(&file, at, len);
        strbuf_printf(&file, "%s%s", len ? "/" : "./", program_invocation_name);
        if (!access(file.text, X_OK))
            res = realpath(file.text, NULL);
        strbuf_release(&file);
        at = at[len] ? at + len + 1 : NULL;
    }
    return res;
}

/* The first folder of BESIDE[0], BESIDE[1] (relative to the program) and INSTALLED that is
   there, or NULL. */
static char *find(const char *const beside[2], const char *installed)
{
    char *res = NULL, *folder = data_program_path();
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        *slash = '\0';
    for (int i = 0; slash && i < 2 && !res; ++i) {
        struct strbuf path = STRBUF_INIT;
        strbuf_printf(&path, "%s/%s", folder, beside[i]);
        if (path_is_folder(path.text))
            res = path.text;
        else
            strbuf_release(&path);
    }
    free(folder);
    return res || !path_is_folder(installed) ? res : xstrdup(installed);
}

char *data_find_maps(struct diag *diag)
{
    static const char *const beside[] = {"../share/hipwright/maps", "share/hipwright/maps"};
    const char *env = getenv("HIPWRIGHT_DATADIR");
    if (env && *env) {
        struct strbuf path = STRBUF_INIT;
        strbuf_printf(&path, "%s/maps", env);
        if (path_is_folder(path.text))
            return path.text;
        diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                 _("the API facts are not in '%s', where HIPWRIGHT_DATADIR says"), path.text);
        strbuf_release(&path);
        return NULL;
    }
    char *res = find(beside, PKGDATADIR "/maps");
    if (!res)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                 _("the API facts are neither beside the program nor in '%s'"), PKGDATADIR "/maps");
    return res;
}

char *data_find_pages(struct diag *diag)
{
    char *maps = data_find_maps(diag);
    if (!maps)
        return NULL;
    struct strbuf path = STRBUF_INIT;
    /* Beside the maps by name: where the program was built these are links elsewhere. */
    strbuf_add(&path, maps, strlen(maps) - strlen("maps"));
    strbuf_adds(&path, "pages");
    free(maps);
    if (path_is_folder(path.text))
        return path.text;
    diag_add(diag, DIAG_ERROR, (struct diag_place){0}, _("the rules' pages are not in '%s'"),
             path.text);
    strbuf_release(&path);
    return NULL;
}

char *data_find_locale(void)
{
    static const char *const beside[] = {"../share/locale", "share/locale"};
    char *res = find(beside, LOCALEDIR);
    return res ? res : xstrdup(LOCALEDIR);
}

/* Reads FILE, into CONTENT, if git has it in what OPTIONS want checked: *TRACKED. False after an
   error in DIAG. */
static bool read_tracked(const struct options *options, const char *file, struct content *content,
                         bool *tracked, struct diag *diag)
{
    struct snapshot *snapshot = options->changes ? changes_snapshot(options->changes) : NULL;
    if (snapshot && !snapshot_list(snapshot, diag))
        return false;
    const struct snapshot_file *known = snapshot ? snapshot_find(snapshot, file) : NULL;
    *tracked = known != NULL;
    return !known || snapshot_read(snapshot, known->blob, file, content, diag);
}

static bool load_map(struct map *map, const struct options *options, const char *file,
                     struct diag *diag)
{
    struct content content;
    bool tracked;
    if (!read_tracked(options, file, &content, &tracked, diag))
        return false;
    return tracked ? map_load_text(map, file, content.text, content.len, diag)
                   : map_load_file(map, file, diag);
}

static bool load_targets(struct target_table *table, const struct options *options,
                         const char *file, struct diag *diag)
{
    struct content content;
    bool tracked;
    if (!read_tracked(options, file, &content, &tracked, diag))
        return false;
    if (!tracked)
        return target_load_file(table, file, diag);
    bool res = target_load_text(table, file, content.text, content.len, diag);
    free(content.text);
    return res;
}

struct map *data_load_map(const struct options *options, struct diag *diag)
{
    char *folder = data_find_maps(diag);
    if (!folder)
        return NULL;
    struct map *res = map_new();
    bool good = map_load_dir(res, folder, diag);
    struct strbuf shims = STRBUF_INIT;
    strbuf_printf(&shims, "%s/../shims/shims.list", folder);
    if (access(shims.text, F_OK) == 0)
        good = map_load_shims(res, shims.text, diag) && good;
    strbuf_release(&shims);
    for (size_t i = 0; i < options->maps.count; ++i)
        good = load_map(res, options, options->maps.items[i], diag) && good;
    free(folder);
    if (good)
        return res;
    map_free(res);
    return NULL;
}

struct target_table *data_load_targets(const struct options *options, struct diag *diag)
{
    char *folder = data_find_maps(diag);
    if (!folder)
        return NULL;
    struct strbuf file = STRBUF_INIT;
    strbuf_printf(&file, "%s/gpus.list", folder);
    free(folder);
    struct target_table *res = target_table_new();
    bool good = target_load_file(res, file.text, diag);
    strbuf_release(&file);
    for (size_t i = 0; i < options->gpus.count; ++i)
        good = load_targets(res, options, options->gpus.items[i], diag) && good;
    if (good)
        return res;
    target_table_free(res);
    return NULL;
}
