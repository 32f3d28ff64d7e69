#include <config.h>

#include "cli/config.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/xalloc.h"
#include "cli/changes.h"
#include "cli/data.h"
#include "cli/path.h"
#include "cli/read.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

enum {
    MAX_CONFIG = 1024 * 1024,
    /* Each loads all facts anew, so a tree full of configurations must not ask for many. */
    MAX_MAPS = 32,
};

static const char config_name[] = ".hipwright.ini";

/* One file that was read. */
struct config {
    struct option_list list;
    struct setup *setup; /* made for the first input that needs it */
};

/* What was found out about a folder. */
struct folder {
    struct config *config;
    UT_hash_handle hh;
    char name[];
};

/* The built-in facts with some maps behind them. */
struct facts {
    struct map *map;
    const struct options *options; /* whose maps they are */
};

struct configs {
    struct arena arena;        /* strings, configurations and setups */
    struct snapshot *snapshot; /* where files are looked for first, or NULL */
    struct config none;        /* where there is no file */
    struct config *run;        /* that of the run */
    bool search;               /* each input has its own */
    bool bad;                  /* some file was bad */
    struct folder *named;
    struct folder *real; /* by path without symbolic links */
    VEC(struct config *) list;
    VEC(struct facts) facts;
    struct target_table *gpus; /* NULL until they are asked for */
    VEC(const struct setup *) inputs;
};

/* ---- one file */

/* The reading of one file. */
struct reading {
    struct configs *configs;
    struct config *config;
    const char *folder; /* in which its paths must lie, without symbolic links */
    struct diag *diag;
    struct diag_place place;
    const char *at, *end; /* what is still to be read */
    bool seen[OPT_COUNT];
    bool section;
    bool bad;
};

#define complain(reading, ...) \
    (diag_add((reading)->diag, DIAG_ERROR, (reading)->place, __VA_ARGS__), (reading)->bad = true)

/* Whether PATH lies below FOLDER; neither has symbolic links. */
static bool is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    if (len && folder[len - 1] == '/')
        --len;
    return !strncmp(path, folder, len) && path[len] == '/';
}

/* Whether git has the file PATH, by no link, in what is checked. */
static bool is_tracked(const struct configs *configs, const char *path)
{
    struct stat st;
    bool link = !lstat(path, &st) && S_ISLNK(st.st_mode);
    return !link && configs->snapshot && snapshot_find(configs->snapshot, path);
}

/* The file (FOLDER: the folder) that NAME means in the configuration's folder; NULL after a
 * message. */
static const char *find_path(struct reading *reading, const char *name, bool folder)
{
    if (!*name || path_leads_out(name)) {
        complain(reading, _("'%s' is no path inside the configuration's folder"), name);
        return NULL;
    }
    struct configs *configs = reading->configs;
    const char *path =
        arena_printf(&configs->arena, "%s%s%s", reading->folder,
                     reading->folder[strlen(reading->folder) - 1] == '/' ? "" : "/", name);
    char *real = realpath(path, NULL);
    struct stat st;
    if (folder ? !real && configs->snapshot && snapshot_has_folder(configs->snapshot, path)
               : is_tracked(configs, path)) {
        /* it need not be in the work tree */
    } else if (!real || stat(real, &st)) {
        complain(reading, _("'%s' cannot be read: %s"), name, strerror(errno));
        path = NULL;
    } else if (!is_below(real, reading->folder) && strcmp(real, reading->folder) != 0) {
        complain(reading, _("'%s' leads out of the configuration's folder"), name);
        path = NULL;
    } else if (folder && !S_ISDIR(st.st_mode)) {
        complain(reading, _("'%s' is no folder"), name);
        path = NULL;
    } else if (!folder && !S_ISREG(st.st_mode)) {
        complain(reading, _("'%s' is no regular file"), name);
        path = NULL;
    }
    free(real);
    return path;
}

/* One value, which lives in the arena. */
static void add_value(struct reading *reading, enum option_id id, const char *value)
{
    if (options_is_path(id))
        value = find_path(reading, value, options_is_folder(id));
    if (!value ||
        !options_add_value(&reading->config->list, id, value, reading->place, reading->diag))
        reading->bad = true;
}

/* The values of VALUE, which have commas between them. */
static void add_list(struct reading *reading, enum option_id id, const char *value)
{
    for (;;) {
        value += strspn(value, " \t");
        size_t all = strcspn(value, ","), len = all;
        while (len && strchr(" \t", value[len - 1]))
            --len;
        add_value(reading, id, arena_strndup(&reading->configs->arena, value, len));
        if (!value[all])
            return;
        value += all + 1;
    }
}

/* inih's handler. It never stops the reading, so that all that is wrong is said. */
static int on_key(void *context, const char *section, const char *key, const char *value)
{
    struct reading *reading = context;
    enum option_id id;
    if (*section) {
        if (!reading->section)
            complain(reading, _("a configuration has no sections such as '[%s]'"), section);
        reading->section = true;
    } else if (!options_find_key(key, &id, reading->place, reading->diag)) {
        reading->bad = true;
    } else if (options_is_list(id)) {
        add_list(reading, id, value);
    } else if (reading->seen[id]) {
        complain(reading, _("'%s' is given twice"), key);
    } else {
        reading->seen[id] = true;
        add_value(reading, id, arena_strndup(&reading->configs->arena, value, strlen(value)));
    }
    return 1;
}

/* inih's way to get a line of at most SIZE - 1 bytes; it would cut a longer one in two. */
static char *next_line(char *line, int size, void *context)
{
    struct reading *reading = context;
    if (reading->at == reading->end)
        return NULL;
    const char *nl = memchr(reading->at, '\n', (size_t)(reading->end - reading->at));
    const char *end = nl ? nl + 1 : reading->end;
    size_t len = (size_t)(end - reading->at);
    ++reading->place.line;
    if ((size_t)size <= len || memchr(reading->at, '\0', len)) {
        if ((size_t)size <= len)
            complain(reading, _("the line is longer than %d bytes"), size - 2);
        else
            complain(reading, _("a NUL byte"));
        len = 0;
    }
    memcpy(line, reading->at, len);
    line[len] = '\0';
    reading->at = end;
    return line;
}

/* Reads the file that is called NAME in messages. FOLDER is where its paths lie. */
static struct config *read_config(struct configs *configs, const char *name, const char *folder,
                                  struct diag *diag)
{
    struct config *res = arena_zalloc(&configs->arena, 1, sizeof *res);
    *vec_push(&configs->list) = res;
    struct content content;
    if (!snapshot_read_name(configs->snapshot, name, &content, diag)) {
        configs->bad = true;
        return res;
    }
    struct reading reading = {.configs = configs,
                              .config = res,
                              .folder = folder,
                              .diag = diag,
                              .place = {.file = name},
                              .at = content.text,
                              .end = content.text + content.len};
    if (MAX_CONFIG < content.len) {
        complain(&reading, _("is too large for a configuration"));
    } else {
        int line = ini_parse_stream(next_line, &reading, on_key, &reading);
        if (line) {
            reading.place.line = 0 < line ? (unsigned)line : 0;
            complain(&reading, _("neither 'key = value' nor a comment"));
        }
    }
    configs->bad = configs->bad || reading.bad;
    free(content.text);
    return res;
}

/* ---- the folders */

/* Whether anybody could have put FILE into FOLDER, and somebody did. */
static bool is_planted(const struct stat *file, const char *folder)
{
    struct stat st;
    return !stat(folder, &st) && st.st_mode & S_IWOTH && file->st_uid != geteuid() &&
           file->st_uid != 0 && file->st_uid != st.st_uid;
}

/* The configuration in FOLDER, a path without symbolic links; NULL where there is none. */
static struct config *look(struct configs *configs, const char *folder, struct diag *diag)
{
    struct strbuf text = STRBUF_INIT;
    struct stat st;
    strbuf_printf(&text, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
                  config_name);
    if (is_tracked(configs, text.text)) {
        struct config *tracked = read_config(configs, text.text, folder, diag);
        strbuf_release(&text);
        return tracked;
    }
    if (lstat(text.text, &st)) {
        strbuf_release(&text);
        return NULL;
    }
    struct config *res = NULL;
    struct diag_place place = {.file = text.text};
    if (is_planted(&st, folder)) {
        diag_add(diag, DIAG_WARNING, place,
                 _("is not read: anybody may write to its folder, and it is not yours"));
        strbuf_release(&text);
        return NULL;
    }
    const char *trouble = NULL;
    char *real = S_ISLNK(st.st_mode) ? realpath(text.text, NULL) : NULL;
    if (S_ISLNK(st.st_mode) && (!real || stat(real, &st)))
        diag_add(diag, DIAG_ERROR, place, _("cannot be read: %s"), strerror(errno));
    else if (real && !is_below(real, folder))
        trouble = _("is a symbolic link that leads out of its folder");
    else if (!S_ISREG(st.st_mode))
        trouble = _("is no regular file");
    else if (MAX_CONFIG < st.st_size)
        trouble = _("is too large for a configuration");
    else
        res = read_config(configs, text.text, folder, diag);
    if (trouble)
        diag_add(diag, DIAG_ERROR, place, "%s", trouble);
    if (!res) {
        configs->bad = true;
        res = &configs->none;
    }
    free(real);
    strbuf_release(&text);
    return res;
}

static struct folder *add_folder(struct folder **table, const char *name, struct config *config)
{
    size_t len = strlen(name);
    struct folder *res = xcalloc(1, sizeof *res + len + 1);
    memcpy(res->name, name, len);
    res->config = config;
    HASH_ADD_KEYPTR(hh, *table, res->name, len, res);
    return res;
}

static void free_folders(struct folder **table)
{
    struct folder *folder, *next;
    HASH_ITER(hh, *table, folder, next)
    {
        HASH_DEL(*table, folder);
        free(folder);
    }
}

/* Shortens the absolute path to that of its parent; false for the root. */
static bool to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || !path[1])
        return false;
    slash[slash == path] = '\0';
    return true;
}

/* The nearest configuration upwards from the folder REAL, a path without symbolic links. */
static struct config *find_upwards(struct configs *configs, const char *real, struct diag *diag)
{
    struct config *res = NULL;
    char *path = xstrdup(real);
    do {
        struct folder *known;
        HASH_FIND_STR(configs->real, path, known);
        res = known ? known->config : look(configs, path, diag);
    } while (!res && to_parent(path));
    if (!res)
        res = &configs->none;
    /* The same holds for all folders on the way. */
    size_t stop = strlen(path);
    strcpy(path, real);
    do {
        struct folder *known;
        HASH_FIND_STR(configs->real, path, known);
        if (known)
            break;
        add_folder(&configs->real, path, res);
    } while (stop < strlen(path) && to_parent(path));
    free(path);
    return res;
}

/* The path of the folder NAME, without links; to be freed. NULL where there is none. */
static char *real_folder(const struct configs *configs, const char *name)
{
    struct arena arena = ARENA_INIT;
    char *res = realpath(name, NULL);
    const char *path =
        res || !configs->snapshot ? NULL : snapshot_path(configs->snapshot, name, &arena);
    if (path) /* the work tree need not have all that git has */
        res = xstrdup(arena_printf(&arena, "%s/%s", snapshot_top(configs->snapshot), path));
    arena_release(&arena);
    return res;
}

/* The configuration for the files of the folder NAME, as the user wrote it. */
static struct config *find_named(struct configs *configs, const char *name, struct diag *diag)
{
    struct folder *known;
    HASH_FIND_STR(configs->named, name, known);
    if (known)
        return known->config;
    /* Where there is no such folder, reading the input says so. */
    char *real = real_folder(configs, name);
    struct config *res = real ? find_upwards(configs, real, diag) : &configs->none;
    free(real);
    return add_folder(&configs->named, name, res)->config;
}

static struct config *find_input(struct configs *configs, const struct input *input,
                                 struct diag *diag)
{
    const char *slash = input->path ? strrchr(input->path, '/') : NULL;
    if (!configs->search || !slash)
        return configs->run;
    struct strbuf folder = STRBUF_INIT;
    strbuf_add(&folder, input->path, (size_t)(slash - input->path) + (slash == input->path));
    struct config *res = find_named(configs, folder.text, diag);
    strbuf_release(&folder);
    return res;
}

/* The configuration of --config. */
static struct config *find_given(struct configs *configs, const char *file, struct diag *diag)
{
    const char *slash = strrchr(file, '/');
    struct strbuf folder = STRBUF_INIT;
    if (slash)
        strbuf_add(&folder, file, (size_t)(slash - file) + (slash == file));
    else
        strbuf_addc(&folder, '.');
    char *real = realpath(folder.text, NULL);
    strbuf_release(&folder);
    /* Without a folder there is no file either, and reading it says so. */
    struct config *res = read_config(configs, file, real ? real : "/", diag);
    free(real);
    return res;
}

/* ---- the run */

struct configs *configs_new(const struct options *command_line, struct diag *diag)
{
    struct configs *res = xcalloc(1, sizeof *res);
    res->run = &res->none;
    res->snapshot = command_line->changes ? changes_snapshot(command_line->changes) : NULL;
    if (res->snapshot && !snapshot_list(res->snapshot, diag)) {
        res->bad = true;
    } else if (command_line->no_config) {
        /* nothing is read */
    } else if (command_line->config) {
        res->run = find_given(res, command_line->config, diag);
    } else {
        res->search = true;
        res->run = find_named(res, ".", diag);
    }
    if (!res->bad)
        return res;
    configs_free(res);
    return NULL;
}

static void free_config(struct config *config)
{
    vec_release(&config->list.settings);
    if (config->setup)
        options_release_layered(&config->setup->options);
}

void configs_free(struct configs *configs)
{
    free_folders(&configs->named);
    free_folders(&configs->real);
    free_config(&configs->none);
    for (size_t i = 0; i < configs->list.count; ++i)
        free_config(configs->list.items[i]);
    vec_each (struct facts, facts, &configs->facts)
        map_free(facts->map);
    vec_release(&configs->facts);
    target_table_free(configs->gpus);
    vec_release(&configs->list);
    vec_release(&configs->inputs);
    arena_release(&configs->arena);
    free(configs);
}

void configs_layer(const struct configs *configs, const struct options *command_line,
                   struct options *res)
{
    options_layer(res, command_line, &configs->run->list, &configs->run->list);
}

static bool same_maps(const struct options *a, const struct options *b)
{
    if (a->maps.count != b->maps.count)
        return false;
    for (size_t i = 0; i < a->maps.count; ++i)
        if (strcmp(a->maps.items[i], b->maps.items[i]))
            return false;
    return true;
}

/* The facts that OPTIONS ask for; NULL after a message. */
static const struct map *find_facts(struct configs *configs, const struct options *options,
                                    struct diag *diag)
{
    vec_each (const struct facts, facts, &configs->facts)
        if (same_maps(facts->options, options))
            return facts->map;
    if (configs->facts.count == MAX_MAPS) {
        diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                 _("the configurations of these files ask for more than %d different sets of maps; "
                   "translate them in several runs"),
                 (int)MAX_MAPS);
        return NULL;
    }
    struct map *map = data_load_map(options, diag);
    if (map)
        *vec_push(&configs->facts) = (struct facts){map, options};
    return map;
}

/* The GPUs that OPTIONS ask for; false after a message. */
static bool find_gpus(struct configs *configs, const struct options *options,
                      struct comparison *res, struct diag *diag)
{
    if (!configs->gpus)
        configs->gpus = data_load_targets(options, diag);
    if (!configs->gpus)
        return false;
    if (comparison_resolve(res, configs->gpus, options->target, options->from, diag))
        return true;
    options_add_hint(command_name(options->command), diag);
    return false;
}

/* Makes the setup of CONFIG; false after a message. */
static bool make_setup(struct configs *configs, struct config *config,
                       const struct options *options, struct diag *diag)
{
    struct setup *setup = arena_zalloc(&configs->arena, 1, sizeof *setup);
    config->setup = setup;
    struct options *o = &setup->options;
    options_layer(o, options, &configs->run->list, &config->list);
    const struct map *map = find_facts(configs, o, diag);
    if (!map || !find_gpus(configs, o, &setup->gpus, diag))
        return false;
    setup->translate = (struct translate_options){
        .map = map,
        .hip_version = o->hip_version ? o->hip_version : map_newest_hip(map),
        .any_hip = !o->hip_version,
        .launch = o->launch,
        .libraries = o->libraries,
        .fnuz = comparison_with_architecture(&setup->gpus, "CDNA3") != 0,
        .shims = o->shims,
        .input = o->input,
    };
    return true;
}

bool configs_collect(struct configs *configs, const struct options *options,
                     const struct inputs *inputs, struct diag *diag)
{
    bool good = true;
    vec_each (const struct input, input, &inputs->list) {
        struct config *config = find_input(configs, input, diag);
        if (configs->bad)
            continue; /* what else is wrong? */
        if (!config->setup && !make_setup(configs, config, options, diag)) {
            good = false;
            break;
        }
        *vec_push(&configs->inputs) = config->setup;
    }
    return good && !configs->bad;
}

const struct setup *configs_setup(const struct configs *configs, size_t input)
{
    return configs->inputs.items[input];
}

const struct setup *const *configs_setups(const struct configs *configs)
{
    return configs->inputs.items;
}

bool configs_join_gpus(struct configs *configs, const struct options *options,
                       struct comparison *res, struct diag *diag)
{
    *res = (struct comparison){0};
    vec_each (const struct setup *, setup, &configs->inputs)
        comparison_join(res, &(*setup)->gpus);
    return res->count || find_gpus(configs, options, res, diag);
}
