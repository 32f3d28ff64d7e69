#include <config.h>

#include "cli/tree_p.h"

#include <stdlib.h>
#include <string.h>

#include "cli/compile_commands.h"
#include "cli/path.h"
#include "cli/pool.h"
#include "cli/wanted.h"
#include "lexer/lexer.h"
#include "maps/library.h"

/* ---- files */

/* What NAME leads to, in KEY; false where there is no such regular file. */
static bool identify(const struct tree *tree, const char *name, struct file_key *key)
{
    struct stat st;
    memset(key, 0, sizeof *key); /* padding is compared too */
    if (tree->snapshot)
        key->git = snapshot_find(tree->snapshot, name);
    if (key->git)
        return true;
    if (stat(name, &st) || !S_ISREG(st.st_mode))
        return false;
    key->device = st.st_dev;
    key->inode = st.st_ino;
    return true;
}

static struct file *find_file(const struct tree *tree, const struct file_key *key)
{
    struct file *res;
    HASH_FIND(hh, tree->files, key, sizeof *key, res);
    return res;
}

static struct file *add_file(struct tree *tree, const struct file_key *key, const char *path)
{
    struct file *res = xcalloc(1, sizeof *res);
    res->key = *key;
    res->path = path;
    res->blob = key->git ? key->git->blob : NULL;
    res->number = (uint32_t)tree->all.count;
    *vec_push(&tree->all) = res;
    HASH_ADD(hh, tree->files, key, sizeof res->key, res);
    return res;
}

static void free_file(struct file *file)
{
    vec_release(&file->includes);
    vec_release(&file->certain);
    vec_release(&file->users);
    vec_release(&file->heard);
    vec_release(&file->met);
    free(file);
}

/* Defined for an input is what the command line, its configuration and its build define. */
void tree_add_input(struct tree *tree, size_t index, const struct setup *setup)
{
    const struct options *o = &setup->options;
    const struct input *input = &tree->inputs->list.items[index];
    struct file_key key;
    struct stat st;
    bool there = input->path && identify(tree, input->path, &key);
    const struct compile_flags *flags =
        there && !stat(input->path, &st) ? compile_commands_find(tree->commands, &st) : NULL;
    size_t folders = o->include_folders.count + (flags ? flags->folders.count : 0);
    size_t defines = o->defines.count + (flags ? flags->defines.count : 0);
    const char **names = arena_zalloc(&tree->arena, folders, sizeof *names);
    struct model_define *items = arena_zalloc(&tree->arena, defines, sizeof *items);
    folders = defines = 0;
    vec_each (const char *, folder, &o->include_folders)
        names[folders++] = *folder;
    vec_each (const char *, text, &o->defines)
        defines += compile_define(*text, &tree->arena, &items[defines]);
    if (flags) {
        for (size_t i = 0; i < flags->folders.count; ++i)
            names[folders++] = flags->folders.items[i];
        for (size_t i = 0; i < flags->defines.count; ++i, ++defines) {
            items[defines] = flags->defines.items[i];
            if (items[defines].commands == flags->commands)
                items[defines].commands = 0;
        }
    }
    tree->own[index] = (struct model_options){.defines = items,
                                              .define_count = defines,
                                              .max_registers = flags ? flags->max_registers : 0};
    if (!there)
        return;
    struct file *file = find_file(tree, &key);
    tree->repeated[index] = file != NULL;
    if (!file) {
        file = add_file(tree, &key, input->path);
        file->input = true;
        file->map = setup->translate.map;
        file->search = (struct search){folders, names};
        file->defines = (struct defines){defines, items};
        file->max_registers = tree->own[index].max_registers;
    }
    tree->by_input[index] = file;
}

/* ---- includes */

/* A file that headers are looked for from. */
struct include {
    const char *path;
    uint32_t len;
    bool quotes;
    uint32_t offset;
    unsigned depth; /* how many conditionals are around it */
};

/* What a scan finds in a file; to be freed. */
struct scan {
    struct arena arena; /* the names of its includes */
    VEC(struct include) includes;
    bool launches;
};

bool tree_read_file(const struct tree *tree, const struct file *file, struct content *content)
{
    struct diag quiet = DIAG_INIT; /* the job of an input says it */
    bool res = file->blob ? snapshot_read(tree->snapshot, file->blob, file->path, content, &quiet)
                          : read_file(file->path, file->path, content, &quiet);
    diag_release(&quiet);
    if (res && wanted_is_binary(content->text, content->len)) {
        free(content->text);
        *content = (struct content){0};
        res = false;
    }
    return res;
}

static void scan_tokens(struct scan *scan, const struct source *source)
{
    struct arena arena = ARENA_INIT;
    struct symbol_table symbols;
    struct tokens tokens = {0};
    symbol_table_init(&symbols, &arena, lexer_on_new, NULL);
    lexer_scan(&tokens, source, &symbols);
    enum token_kind before = TOK_EOF;
    unsigned depth = 0;
    vec_each (const struct token, token, &tokens.list) {
        if (token->kind == TOK_HEADER && before == TOK_PP_INCLUDE && 2 < token->length)
            *vec_push(&scan->includes) = (struct include){
                .path = arena_strndup(&scan->arena, source->text + token->offset + 1,
                                      token->length - 2),
                .len = token->length - 2,
                .offset = token->offset,
                .depth = depth,
                .quotes = source->text[token->offset] == '"'};
        scan->launches |= token->kind == TOK_LAUNCH_OPEN;
        before = (enum token_kind)token->kind;
        if (before == TOK_PP_IF || before == TOK_PP_IFDEF || before == TOK_PP_IFNDEF)
            ++depth;
        else if (before == TOK_PP_ENDIF && depth)
            --depth;
    }
    for (const struct symbol *s = symbol_first(&symbols); s && !scan->launches; s = symbol_next(s))
        scan->launches = strstr(s->text, "LaunchKernel") || strstr(s->text, "LaunchCooperative");
    lexer_release(&tokens);
    symbol_table_release(&symbols);
    arena_release(&arena);
}

/* One wave of files that were found at the same time. */
struct wave {
    struct tree *tree;
    size_t first;
};

static void *make_scan(void *context, size_t index)
{
    const struct wave *wave = context;
    struct scan *res = xcalloc(1, sizeof *res);
    struct content content;
    struct source source;
    const struct tree *tree = wave->tree;
    if (!tree_read_file(tree, tree->all.items[wave->first + index], &content))
        return res;
    source_init(&source, NULL, content.text, content.len);
    scan_tokens(res, &source);
    source_release(&source);
    return res;
}

static void drop_scan(void *result)
{
    struct scan *scan = result;
    vec_release(&scan->includes);
    arena_release(&scan->arena);
    free(scan);
}

static size_t weigh_scan(const void *result)
{
    const struct scan *scan = result;
    return sizeof *scan + scan->arena.size + scan->includes.count * sizeof *scan->includes.items;
}

/* How people are told of the header KEY, which was found at PATH. */
static const char *name_of_header(struct tree *tree, const struct file_key *key, const char *path)
{
    struct stat st;
    if (key->git)
        return snapshot_name(tree->snapshot, key->git->path, &tree->arena);
    const char *res = path_tidy(path, &tree->arena);
    bool same = !stat(res, &st) && st.st_dev == key->device && st.st_ino == key->inode;
    return same ? res : path;
}

/* The file at PATH, or NULL. */
static struct file *look(struct tree *tree, const char *path)
{
    struct path *known;
    size_t len = strlen(path);
    HASH_FIND(hh, tree->paths, path, len, known);
    if (known)
        return known->file;
    known = xcalloc(1, sizeof *known + len + 1);
    memcpy(known->name, path, len);
    struct file_key key;
    if (identify(tree, path, &key)) {
        known->file = find_file(tree, &key);
        if (!known->file)
            known->file = add_file(tree, &key, name_of_header(tree, &key, known->name));
    }
    HASH_ADD_KEYPTR(hh, tree->paths, known->name, len, known);
    return known->file;
}

static struct file *look_in(struct tree *tree, const char *folder, size_t folder_len,
                            const struct include *include)
{
    struct strbuf path = STRBUF_INIT;
    strbuf_add(&path, folder, folder_len);
    if (folder_len && folder[folder_len - 1] != '/')
        strbuf_addc(&path, '/');
    strbuf_add(&path, include->path, include->len);
    strbuf_addc(&path, '\0');
    struct file *res = look(tree, path.text);
    strbuf_release(&path);
    return res;
}

/* What FILE means by INCLUDE, or NULL. */
static struct file *resolve(struct tree *tree, const struct file *file,
                            const struct include *include)
{
    const char *slash = strrchr(file->path, '/');
    if (memchr(include->path, '\0', include->len))
        return NULL;
    if (*include->path == '/')
        return look_in(tree, "", 0, include);
    struct file *res =
        include->quotes
            ? look_in(tree, file->path, slash ? (size_t)(slash - file->path) + 1 : 0, include)
            : NULL;
    /* What CUDA, C and C++ declare is known otherwise. */
    if (res || header_is_standard(include->path, include->len) ||
        map_find_header(file->map, include->path, include->len))
        return res;
    for (size_t i = 0; i < file->search.count && !res; ++i)
        res = look_in(tree, file->search.folders[i], strlen(file->search.folders[i]), include);
    return res;
}

/* ---- libraries that the inputs are the sources of */

static bool is_in(const struct tree *tree, const char *path, size_t folder_len, const char *folder,
                  const struct include *include)
{
    struct file_key key;
    struct strbuf name = STRBUF_INIT;
    strbuf_add(&name, path, folder_len);
    strbuf_adds(&name, folder);
    strbuf_add(&name, include->path, include->len);
    strbuf_addc(&name, '\0');
    bool res = identify(tree, name.text, &key);
    strbuf_release(&name);
    return res;
}

/* Whether INCLUDE lies where headers of FILE's own project do: in a folder above FILE's own, or in
   include/ of one. */
static bool is_of_project(const struct tree *tree, const struct file *file,
                          const struct include *include)
{
    enum { LEVELS = 8 };
    const char *path = file->path;
    size_t len = strlen(path);
    for (unsigned level = 0; level < LEVELS; ++level) {
        while (len && path[len - 1] != '/')
            --len;
        if ((level && is_in(tree, path, len, "", include)) ||
            is_in(tree, path, len, "include/", include))
            return true;
        if (len < 2)
            break;
        --len;
    }
    return false;
}

/* What is known of the library called NAME. */
static struct public_library *public_library(struct tree *tree, const char *name)
{
    vec_each (struct public_library, known, &tree->public_libraries)
        if (!strcmp(known->name, name))
            return known;
    struct public_library *res = vec_push(&tree->public_libraries);
    *res = (struct public_library){.name = name};
    return res;
}

/* Notes the library that INCLUDE of FILE, an input, belongs to, if FILE is one of its sources. Of
   one that many include and none has, no more are asked. */
static void note_own(struct tree *tree, const struct file *file, const struct include *include)
{
    enum { ASKED_MAX = 64 };
    const struct library *library =
        library_of_include(map_libraries(file->map), include->path, include->len);
    if (!library || !library->text[LIBRARY_PUBLIC])
        return;
    struct public_library *known = public_library(tree, library->text[LIBRARY_NAME]);
    if (known->own || ASKED_MAX <= known->asked++ || !is_of_project(tree, file, include))
        return;
    known->own = true;
    *vec_push(&tree->own_libraries) = known->name;
}

static void connect(struct file *file, struct file *header)
{
    if (header == file)
        return;
    /* Twice in a row is usual; more often does no harm. */
    if (file->includes.count && vec_end(&file->includes)[-1] == header)
        return;
    *vec_push(&file->includes) = header;
    *vec_push(&header->users) = file;
    if (!header->map) {
        header->map = file->map;
        header->search = file->search;
    }
}

static bool finish_scan(void *context, size_t index, void *result)
{
    const struct wave *wave = context;
    struct scan *scan = result;
    struct file *file = wave->tree->all.items[wave->first + index];
    file->launches = scan->launches;
    vec_each (const struct include, include, &scan->includes) {
        struct file *header = resolve(wave->tree, file, include);
        if (file->input)
            note_own(wave->tree, file, include);
        if (!header)
            continue;
        connect(file, header);
        if (include->depth <= 1)
            *vec_push(&file->certain) =
                (struct certain_include){header, include->offset, include->depth};
    }
    drop_scan(scan);
    return true;
}

void tree_find_includes(struct tree *tree)
{
    for (size_t first = 0; first < tree->all.count;) {
        struct wave wave = {tree, first};
        size_t count = tree->all.count - first;
        pool_run(&(struct pool_work){.count = count,
                                     .jobs = tree->options->jobs,
                                     .context = &wave,
                                     .make = make_scan,
                                     .finish = finish_scan,
                                     .drop = drop_scan,
                                     .weigh = weigh_scan});
        first += count;
    }
}

/* ---- order: what is included comes before */

struct step {
    struct file *file;
    size_t next; /* of its includes */
};

static void settle_level(struct file *file)
{
    vec_each (struct file *, header, &file->includes)
        if ((*header)->state == DONE && file->level <= (*header)->level)
            file->level = (*header)->level + 1;
    file->state = DONE;
}

/* Gives levels to FILE and all it includes; LIST gets them in that order. */
static void order_from(struct file *file, struct file **list, size_t *count)
{
    VEC(struct step) stack = {0};
    file->state = OPEN;
    *vec_push(&stack) = (struct step){file, 0};
    while (stack.count) {
        struct step *top = &stack.items[stack.count - 1];
        if (top->next == top->file->includes.count) {
            settle_level(top->file);
            list[(*count)++] = top->file;
            --stack.count;
            continue;
        }
        struct file *header = top->file->includes.items[top->next++];
        if (header->state != NEW)
            continue;
        header->state = OPEN;
        *vec_push(&stack) = (struct step){header, 0};
    }
    vec_release(&stack);
}

static int compare_levels(const void *a, const void *b)
{
    const struct file *x = *(struct file *const *)a, *y = *(struct file *const *)b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

struct file **tree_order(struct tree *tree)
{
    struct file **res = arena_zalloc(&tree->arena, tree->all.count, sizeof *res);
    size_t count = 0;
    vec_each (struct file *, file, &tree->all)
        if ((*file)->state == NEW)
            order_from(*file, res, &count);
    if (count)
        qsort(res, count, sizeof *res, compare_levels);
    return res;
}

static bool is_defined(const struct defines *defines, const struct model_define *define)
{
    for (size_t i = 0; i < defines->count; ++i)
        if (!strcmp(defines->items[i].name, define->name) &&
            !strcmp(defines->items[i].value, define->value))
            return true;
    return false;
}

/* A header has the macros of all who include it, up to a bound. */
static void add_defines(struct tree *tree, struct file *header, const struct defines *defines)
{
    enum { DEFINES_MAX = 256 };
    struct defines *own = &header->defines;
    if (header->input || defines->items == own->items || !defines->count)
        return;
    if (!own->count) {
        *own = *defines;
        return;
    }
    VEC(struct model_define) more = {0};
    for (size_t i = 0; i < defines->count && own->count + more.count < DEFINES_MAX; ++i)
        if (!is_defined(own, &defines->items[i]))
            *vec_push(&more) = defines->items[i];
    if (more.count) {
        struct model_define *items =
            arena_zalloc(&tree->arena, own->count + more.count, sizeof *items);
        memcpy(items, own->items, own->count * sizeof *items);
        memcpy(items + own->count, more.items, more.count * sizeof *items);
        *own = (struct defines){own->count + more.count, items};
    }
    vec_release(&more);
}

void tree_hand_down_defines(struct tree *tree, struct file *const *sorted)
{
    for (size_t i = tree->all.count; i--;)
        vec_each (struct file *, header, &sorted[i]->includes)
            add_defines(tree, *header, &sorted[i]->defines);
}

void tree_free_files(struct tree *tree)
{
    struct path *path, *next;
    HASH_CLEAR(hh, tree->files);
    vec_each (struct file *, file, &tree->all)
        free_file(*file);
    vec_release(&tree->all);
    HASH_ITER(hh, tree->paths, path, next)
    {
        HASH_DEL(tree->paths, path);
        free(path);
    }
}
