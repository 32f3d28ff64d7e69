#include <config.h>

#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "cli/listing.h"
#include "cli/path.h"
#include "cli/read.h"
#include "cli/walk.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

struct file_key {
    dev_t device;
    ino_t inode;
};

struct input_file {
    struct file_key key;
    UT_hash_handle hh;
};

struct input_name {
    UT_hash_handle hh;
    char name[];
};

struct real_folder {
    UT_hash_handle hh;
    char *real; /* NULL: it is not there */
    char name[];
};

static const char stdin_name[] = "<stdin>";

static bool add(struct inputs *inputs, const char *name, bool is_stdin, struct diag *diag)
{
    if (is_stdin)
        vec_each (const struct input, before, &inputs->list)
            if (!before->path) {
                diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                         _("standard input can be read only once"));
                return false;
            }
    *vec_push(&inputs->list) = (struct input){
        .name = is_stdin ? stdin_name : name, .path = is_stdin ? NULL : name, .place = name};
    return true;
}

/* The folder of PATH without links, NULL where it is not there; asked once for each. */
static const char *real_folder(struct inputs *inputs, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;
    struct real_folder *res;
    HASH_FIND(hh, inputs->folders, path, len, res);
    if (res)
        return res->real;
    res = xcalloc(1, sizeof *res + len + 1);
    memcpy(res->name, path, len);
    res->real = realpath(len ? res->name : ".", NULL);
    HASH_ADD_KEYPTR(hh, inputs->folders, res->name, len, res);
    return res->real;
}

/* PATH by the real name of its folder, in the arena; or NULL. */
static const char *real_path(struct inputs *inputs, const char *path)
{
    const char *folder = real_folder(inputs, path), *slash = strrchr(path, '/');
    return folder ? arena_printf(&inputs->arena, "%s/%s", strcmp(folder, "/") ? folder : "",
                                 slash ? slash + 1 : path)
                  : NULL;
}

/* Puts PATH into TABLE; false if it is there already. */
static bool claim(struct input_name **table, const char *path)
{
    struct input_name *name = NULL;
    size_t len = strlen(path);
    HASH_FIND(hh, *table, path, len, name);
    if (name)
        return false;
    name = xcalloc(1, sizeof *name + len + 1);
    memcpy(name->name, path, len);
    HASH_ADD_KEYPTR(hh, *table, name->name, len, name);
    return true;
}

/* What is named one by one is not taken again from a folder. */
static void note_named(struct inputs *inputs, const char *path)
{
    const char *real = real_path(inputs, path);
    if (real)
        claim(&inputs->named, real);
}

/* Where in the folder NAME the path begins that its files have below --output-dir. */
static size_t place_in(const char *name)
{
    size_t len = strlen(name), res = 0;
    if (name[len - 1] == '/')
        return len;
    for (size_t i = 0; i < len;) {
        size_t end = i + strcspn(name + i, "/");
        if (end - i == 2 && !memcmp(name + i, "..", 2))
            res = end;
        i = end + (name[end] == '/');
    }
    return res;
}

/* Asks git about the folders among the operands at once; NULL where there is but one. */
static struct listings *ask_git(const struct options *options)
{
    VEC(const char *) folders = {0};
    vec_each (const char *, name, &options->operands)
        if (strcmp(*name, "-") && path_is_folder(*name))
            *vec_push(&folders) = *name;
    struct listings *res = 1 < folders.count ? listings_new(folders.items, folders.count) : NULL;
    vec_release(&folders);
    return res;
}

static void add_folder(struct inputs *inputs, const char *name, const struct options *options,
                       const struct listings *listings, struct diag *diag)
{
    bool alone = options->operands.count == 1;
    struct stat output;
    struct walk walk = {
        .excluded = options->exclude.items,
        .excluded_count = options->exclude.count,
        .file_links = options->output_dir != NULL,
        .listings = listings,
        .avoid = options->output_dir && !stat(options->output_dir, &output) ? &output : NULL,
        .arena = &inputs->arena,
    };
    unsigned errors = diag->errors;
    walk_folder(&walk, name, diag);
    inputs->trouble = inputs->trouble || errors < diag->errors;
    inputs->folder = true;
    inputs->links += walk.links;
    inputs->omitted += walk.omitted;
    size_t place = place_in(name);
    vec_each (const struct walk_file, file, &walk.files) {
        struct input input = {.name = file->name,
                              .path = file->name,
                              .place = file->name + place,
                              .size = file->size,
                              .found = true};
        input.real = alone ? NULL : real_path(inputs, file->name);
        if (!input.real || claim(&inputs->named, input.real))
            *vec_push(&inputs->list) = input;
    }
    if (!walk.files.count && errors == diag->errors)
        diag_add(diag, DIAG_WARNING, (struct diag_place){.file = name},
                 _("no C, C++ or CUDA source in this folder"));
    vec_release(&walk.files);
}

/* The entries of a list are separated by NULs if it holds any, else by newlines. In it, '-' is
   a file of that name. */
static bool add_list(struct inputs *inputs, const char *file, struct diag *diag)
{
    bool is_stdin = !strcmp(file, "-");
    struct content list;
    if (!read_file(is_stdin ? NULL : file, is_stdin ? stdin_name : file, &list, diag))
        return false;
    inputs->names = list.text;
    char separator = memchr(list.text, '\0', list.len) ? '\0' : '\n';
    char *end = list.text + list.len;
    for (char *at = list.text, *next; at < end; at = next + 1) {
        next = memchr(at, separator, (size_t)(end - at));
        next = next ? next : end;
        *next = '\0'; /* behind the end there is padding */
        if (*at)
            *vec_push(&inputs->list) = (struct input){.name = at, .path = at, .place = at};
    }
    return true;
}

/* Adds what the operands name; false after a message. */
static bool add_operands(struct inputs *inputs, const struct options *options,
                         const struct listings *listings, struct diag *diag)
{
    bool alone = options->operands.count == 1;
    bool from_stdin = options->files_from && !strcmp(options->files_from, "-");
    for (size_t i = 0; i < options->operands.count; ++i) {
        const char *name = options->operands.items[i];
        bool is_stdin = !strcmp(name, "-");
        if (is_stdin && from_stdin) {
            diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                     _("standard input can be read only once"));
            return false;
        }
        struct stat st;
        bool there = !is_stdin && *name && !stat(name, &st);
        if (there && S_ISDIR(st.st_mode)) {
            add_folder(inputs, name, options, listings, diag);
            continue;
        }
        if (!add(inputs, name, is_stdin, diag))
            return false;
        if (there && S_ISREG(st.st_mode))
            vec_end(&inputs->list)[-1].size = st.st_size;
        if (!alone && there)
            note_named(inputs, name);
    }
    return true;
}

bool inputs_collect(struct inputs *inputs, const struct options *options, struct diag *diag)
{
    *inputs = (struct inputs){0};
    struct listings *listings = ask_git(options);
    bool res = add_operands(inputs, options, listings, diag);
    listings_free(listings);
    if (!res)
        return false;
    if (options->files_from)
        return add_list(inputs, options->files_from, diag);
    if (options->operands.count)
        return true;
    if (!options->quiet && isatty(STDIN_FILENO)) {
        diag_add(diag, DIAG_NOTE, (struct diag_place){0},
                 _("no file is named, so standard input is read"));
        diag_flush(diag, stderr);
    }
    return add(inputs, NULL, true, diag);
}

void inputs_resolve(struct inputs *inputs)
{
    vec_each (struct input, input, &inputs->list)
        if (input->path && !input->real)
            input->real = real_path(inputs, input->path);
}

void inputs_identify(struct inputs *inputs)
{
    vec_each (const struct input, input, &inputs->list) {
        struct stat st;
        if (!input->path || stat(input->path, &st) || !S_ISREG(st.st_mode) ||
            inputs_contain(&st, inputs))
            continue;
        struct input_file *file = xcalloc(1, sizeof *file);
        file->key.device = st.st_dev;
        file->key.inode = st.st_ino;
        HASH_ADD(hh, inputs->files, key, sizeof file->key, file);
    }
}

bool inputs_contain(const struct stat *stat, void *context)
{
    struct inputs *inputs = context;
    struct file_key key;
    struct input_file *res = NULL;
    memset(&key, 0, sizeof key); /* padding is compared too */
    key.device = stat->st_dev;
    key.inode = stat->st_ino;
    HASH_FIND(hh, inputs->files, &key, sizeof key, res);
    return res != NULL;
}

bool inputs_claim(struct inputs *inputs, const char *path)
{
    return claim(&inputs->taken, path);
}

static void free_names(struct input_name **table)
{
    struct input_name *name, *next;
    HASH_ITER(hh, *table, name, next)
    {
        HASH_DEL(*table, name);
        free(name);
    }
}

void inputs_release(struct inputs *inputs)
{
    struct input_file *file, *next_file;
    HASH_ITER(hh, inputs->files, file, next_file)
    {
        HASH_DEL(inputs->files, file);
        free(file);
    }
    struct real_folder *folder, *next_folder;
    HASH_ITER(hh, inputs->folders, folder, next_folder)
    {
        HASH_DEL(inputs->folders, folder);
        free(folder->real);
        free(folder);
    }
    free_names(&inputs->taken);
    free_names(&inputs->named);
    arena_release(&inputs->arena);
    vec_release(&inputs->list);
    free(inputs->names);
    inputs->names = NULL;
}
