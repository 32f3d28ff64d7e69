#include <config.h>

#include "cli/compile_commands.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "cli/path.h"
#include "cli/read.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

/* So many folders and macros of a file count, more than any build gives; each is compared with all
   others. */
enum { FLAGS_MAX = 1024 };

struct key {
    dev_t device;
    ino_t inode;
};

struct file {
    struct key key;
    struct compile_flags flags;
    UT_hash_handle hh;
};

struct compile_commands {
    struct arena arena;
    struct file *files;
};

static void fill_key(struct key *key, const struct stat *stat)
{
    memset(key, 0, sizeof *key); /* padding is compared too */
    key->device = stat->st_dev;
    key->inode = stat->st_ino;
}

/* NAME as it is seen from FOLDER. */
static const char *below(struct arena *arena, const char *folder, const char *name)
{
    return *name == '/' || !*folder ? arena_strndup(arena, name, strlen(name))
                                    : arena_printf(arena, "%s/%s", folder, name);
}

bool compile_define(const char *text, struct arena *arena, struct model_define *res)
{
    size_t len = strcspn(text, "=");
    if (!len || (*text >= '0' && *text <= '9'))
        return false;
    for (size_t i = 0; i < len; ++i) {
        unsigned char c = (unsigned char)text[i];
        if (!(c == '_' || c == '$' || c >= 0x80 || (c >= '0' && c <= '9') ||
              ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')))
            return false;
    }
    const char *value = text[len] ? text + len + 1 : "1";
    res->name = arena_strndup(arena, text, len);
    res->value = arena_strndup(arena, value, strlen(value));
    res->commands = 0;
    return true;
}

static void add_folder(struct compile_flags *flags, const char *folder)
{
    vec_each (const char *, other, &flags->folders)
        if (!strcmp(*other, folder))
            return;
    if (flags->folders.count < FLAGS_MAX)
        *vec_push(&flags->folders) = folder;
}

static void add_define(struct compile_flags *flags, const struct model_define *define)
{
    vec_each (struct model_define, other, &flags->defines)
        if (!strcmp(other->name, define->name) && !strcmp(other->value, define->value)) {
            other->commands++;
            return;
        }
    if (flags->defines.count == FLAGS_MAX)
        return;
    *vec_push(&flags->defines) = *define;
    vec_end(&flags->defines)[-1].commands = 1;
}

/* -U takes away what the same command defined. */
static void drop_define(struct compile_flags *flags, size_t from, const char *name)
{
    size_t kept = from;
    for (size_t i = from; i < flags->defines.count; ++i)
        if (strcmp(flags->defines.items[i].name, name))
            flags->defines.items[kept++] = flags->defines.items[i];
    flags->defines.count = kept;
}

/* One command, word by word. */
struct command {
    struct arena *arena;
    const char *folder;
    struct compile_flags *flags;
    size_t first_define; /* the first one that is this command's */
    char pending;        /* the option whose argument the next word is, or 0 */
};

enum { REGISTERS = 'r' };

static void take_argument(struct command *c, char option, const char *text)
{
    struct model_define define;
    switch (option) {
    case 'I':
        if (*text)
            add_folder(c->flags, below(c->arena, c->folder, text));
        break;
    case 'D':
        if (compile_define(text, c->arena, &define))
            add_define(c->flags, &define);
        break;
    case 'U':
        drop_define(c->flags, c->first_define, text);
        break;
    case REGISTERS: {
        unsigned long count = strtoul(text, NULL, 10);
        if (0 < count && count < 1024)
            c->flags->max_registers = (unsigned)count;
        break;
    }
    default:
        break;
    }
}

static void take_word(struct command *c, const char *word)
{
    static const struct {
        const char *text;
        char option;
    } options[] = {
        {"--define-macro", 'D'},
        {"--undefine-macro", 'U'},
        {"--include-directory", 'I'},
        {"--include-path", 'I'},
        {"--maxrregcount", REGISTERS},
        {"-maxrregcount", REGISTERS},
        {"-iquote", 'I'},
        {"-D", 'D'},
        {"-I", 'I'},
        {"-U", 'U'},
    };
    if (c->pending) {
        take_argument(c, c->pending, word);
        c->pending = 0;
        return;
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
        size_t len = strlen(options[i].text);
        if (strncmp(word, options[i].text, len))
            continue;
        bool is_long = 2 < len && strcmp(options[i].text, "-iquote") != 0;
        const char *rest = word + len;
        if (!*rest)
            c->pending = options[i].option;
        else if (!is_long || *rest == '=')
            take_argument(c, options[i].option, rest + (*rest == '=' && is_long));
        return;
    }
}

/* The words of TEXT as a shell splits them; nothing is expanded. */
static void take_shell(struct command *c, const char *text)
{
    struct strbuf word = STRBUF_INIT;
    char quote = 0;
    bool inside = false;
    for (const char *at = text;; ++at) {
        if (!*at || (!quote && strchr(" \t\n\r", *at))) {
            if (inside) {
                strbuf_addc(&word, '\0');
                take_word(c, word.text);
            }
            word.len = 0;
            inside = false;
            if (!*at)
                break;
            continue;
        }
        inside = true;
        if (*at == quote)
            quote = 0;
        else if (!quote && (*at == '"' || *at == '\''))
            quote = *at;
        else if (*at == '\\' && quote != '\'' && at[1] && (!quote || strchr("\"\\$`", at[1])))
            strbuf_addc(&word, *++at);
        else
            strbuf_addc(&word, *at);
    }
    strbuf_release(&word);
}

static struct file *find_file(struct compile_commands *commands, const struct key *key)
{
    struct file *res;
    HASH_FIND(hh, commands->files, key, sizeof *key, res);
    if (!res) {
        res = xcalloc(1, sizeof *res);
        res->key = *key;
        HASH_ADD(hh, commands->files, key, sizeof res->key, res);
    }
    return res;
}

/* Takes ENTRY in; false where it is none. ROOT is the folder of the file itself. */
static bool take_entry(struct compile_commands *commands, const json_t *entry, const char *root)
{
    const char *name = json_string_value(json_object_get(entry, "file"));
    const char *folder = json_string_value(json_object_get(entry, "directory"));
    const char *text = json_string_value(json_object_get(entry, "command"));
    const json_t *words = json_object_get(entry, "arguments");
    if (!name || !(text || json_is_array(words)))
        return false;
    folder = folder ? below(&commands->arena, root, folder) : root;
    struct stat st;
    if (stat(below(&commands->arena, folder, name), &st))
        return true; /* written by the build, or gone */
    struct key key;
    fill_key(&key, &st);
    struct compile_flags *flags = &find_file(commands, &key)->flags;
    flags->commands++;
    struct command c = {.arena = &commands->arena,
                        .folder = folder,
                        .flags = flags,
                        .first_define = flags->defines.count};
    if (json_is_array(words)) {
        size_t i;
        const json_t *word;
        json_array_foreach(words, i, word) if (json_is_string(word))
            take_word(&c, json_string_value(word));
    } else {
        take_shell(&c, text);
    }
    return true;
}

static bool take_all(struct compile_commands *commands, const json_t *list, const char *path,
                     struct diag *diag)
{
    struct diag_place place = {.file = path};
    const char *slash = strrchr(path, '/');
    const char *root =
        slash ? arena_strndup(&commands->arena, path, (size_t)(slash - path) + (slash == path))
              : "";
    size_t i;
    const json_t *entry;
    if (!json_is_array(list)) {
        diag_add(diag, DIAG_ERROR, place, _("is no list of compile commands"));
        return false;
    }
    json_array_foreach(list, i, entry) if (!take_entry(commands, entry, root))
    {
        diag_add(diag, DIAG_ERROR, place,
                 _("entry %zu has no 'file', or neither 'command' nor 'arguments'"), i + 1);
        return false;
    }
    return true;
}

struct compile_commands *compile_commands_read(const char *path, struct diag *diag)
{
    struct compile_commands *res = xcalloc(1, sizeof *res);
    if (path_is_folder(path))
        path = arena_printf(&res->arena, "%s/compile_commands.json", path);
    struct content content;
    bool good = read_file(path, path, &content, diag);
    if (good) {
        json_error_t error;
        json_t *list = json_loadb(content.text, content.len, 0, &error);
        if (!list)
            diag_add(diag, DIAG_ERROR,
                     (struct diag_place){.file = path,
                                         .line = 0 < error.line ? (unsigned)error.line : 0,
                                         .column = 0 < error.column ? (unsigned)error.column : 0},
                     _("is not JSON: %s"), error.text);
        good = list && take_all(res, list, path, diag);
        json_decref(list);
        free(content.text);
    }
    if (good)
        return res;
    compile_commands_free(res);
    return NULL;
}

void compile_commands_free(struct compile_commands *commands)
{
    struct file *file, *next;
    if (!commands)
        return;
    HASH_ITER(hh, commands->files, file, next)
    {
        HASH_DEL(commands->files, file);
        vec_release(&file->flags.folders);
        vec_release(&file->flags.defines);
        free(file);
    }
    arena_release(&commands->arena);
    free(commands);
}

const struct compile_flags *compile_commands_find(const struct compile_commands *commands,
                                                  const struct stat *stat)
{
    struct key key;
    struct file *file = NULL;
    fill_key(&key, stat);
    if (commands)
        HASH_FIND(hh, commands->files, &key, sizeof key, file);
    return file ? &file->flags : NULL;
}
