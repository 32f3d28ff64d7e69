#include <config.h>

#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "cli/read.h"

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
    *vec_push(&inputs->list) = (struct input){is_stdin ? stdin_name : name, is_stdin ? NULL : name};
    return true;
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
            *vec_push(&inputs->list) = (struct input){at, at};
    }
    return true;
}

bool inputs_collect(struct inputs *inputs, const struct options *options, struct diag *diag)
{
    *inputs = (struct inputs){0};
    bool from_stdin = options->files_from && !strcmp(options->files_from, "-");
    for (size_t i = 0; i < options->operands.count; ++i) {
        const char *name = options->operands.items[i];
        bool is_stdin = !strcmp(name, "-");
        if (is_stdin && from_stdin) {
            diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                     _("standard input can be read only once"));
            return false;
        }
        if (!add(inputs, name, is_stdin, diag))
            return false;
    }
    if (options->files_from)
        return add_list(inputs, options->files_from, diag);
    return options->operands.count || add(inputs, NULL, true, diag);
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
    struct input_name *name = NULL;
    size_t len = strlen(path);
    HASH_FIND(hh, inputs->taken, path, len, name);
    if (name)
        return false;
    name = xcalloc(1, sizeof *name + len + 1);
    memcpy(name->name, path, len);
    HASH_ADD_KEYPTR(hh, inputs->taken, name->name, len, name);
    return true;
}

void inputs_release(struct inputs *inputs)
{
    struct input_file *file, *next_file;
    HASH_ITER(hh, inputs->files, file, next_file)
    {
        HASH_DEL(inputs->files, file);
        free(file);
    }
    struct input_name *name, *next_name;
    HASH_ITER(hh, inputs->taken, name, next_name)
    {
        HASH_DEL(inputs->taken, name);
        free(name);
    }
    vec_release(&inputs->list);
    free(inputs->names);
    inputs->names = NULL;
}
