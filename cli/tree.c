#include <config.h>

#include "cli/tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/model/facts.h"
#include "base/xalloc.h"
#include "cli/compile_commands.h"
#include "cli/path.h"
#include "cli/pool.h"
#include "cli/read.h"
#include "cli/snapshot.h"
#include "cli/wanted.h"
#include "lexer/lexer.h"
#include "maps/map.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

/* What a file is, however it is called: git's, or one on the disk. */
struct file_key {
    const struct snapshot_file *git; /* or NULL */
    dev_t device;
    ino_t inode;
};

/* The folders in which a file's includes are looked for, in order. */
struct search {
    size_t count;
    const char *const *folders;
};

/* What is defined on the command line, or by the build, for a file. */
struct defines {
    size_t count;
    const struct model_define *items;
};

/* A file that headers are looked for from. */
struct include {
    const char *path;
    uint32_t len;
    bool quotes;
};

struct file {
    struct file_key key;
    UT_hash_handle hh;
    uint32_t number; /* in the tree's list */
    const char *path;
    const char *blob;       /* its content in the snapshot; NULL: it is read from the disk */
    const struct map *map;  /* whose headers are CUDA's */
    struct search search;   /* a header's: those of the first file that includes it */
    struct defines defines; /* a header's: those of all files that include it */
    unsigned max_registers;
    VEC(struct file *) includes;
    VEC(struct file *) users; /* that include it */
    bool input;
    bool launches; /* some token says that it launches something */
    enum { NEW, OPEN, DONE } state;
    unsigned level; /* above all that it includes, cycles aside */
    uint32_t rank;  /* its facts' number in the world, once they are there */
    bool ranked;
    struct model_facts facts;
    struct model_facts told; /* how others launch its kernels */
    VEC(struct model_launch_fact) heard;
    VEC(struct model_kernel_fact) met; /* kernels of others that it launches */
};

/* What became of a path, asked once. */
struct path {
    UT_hash_handle hh;
    struct file *file; /* NULL: there is no such file */
    char name[];
};

/* The files that define a kernel of a name. */
struct definers {
    UT_hash_handle hh;
    VEC(struct file *) list;
};

struct tree {
    struct arena arena;
    const struct options *options;
    const struct inputs *inputs;
    struct snapshot *snapshot; /* where files are looked for first; or NULL */
    struct compile_commands *commands;
    VEC(struct file *) all; /* the inputs first */
    struct file **by_input; /* NULL: standard input, or there is no such file */
    bool *repeated;
    struct model_options *own; /* by input: what the command line says */
    struct file *files;
    struct path *paths;
    struct definers *kernels;
    struct model_world *world;
    bool whole; /* the inputs are a whole program */
};

/* Files. */

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
    vec_release(&file->users);
    vec_release(&file->heard);
    vec_release(&file->met);
    free(file);
}

/* What is defined for an input: by the command line, its configuration, and its build. */
static void add_input(struct tree *tree, size_t index, const struct setup *setup)
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
        for (size_t i = 0; i < flags->defines.count; ++i)
            items[defines++] = flags->defines.items[i];
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

/* Includes. */

/* What a scan finds in a file; to be freed. */
struct scan {
    struct arena arena; /* the names of its includes */
    VEC(struct include) includes;
    bool launches;
};

static bool read_quietly(const struct tree *tree, const struct file *file, struct content *content)
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
    vec_each (const struct token, token, &tokens.list) {
        if (token->kind == TOK_HEADER && before == TOK_PP_INCLUDE && 2 < token->length)
            *vec_push(&scan->includes) = (struct include){
                .path = arena_strndup(&scan->arena, source->text + token->offset + 1,
                                      token->length - 2),
                .len = token->length - 2,
                .quotes = source->text[token->offset] == '"'};
        scan->launches |= token->kind == TOK_LAUNCH_OPEN;
        before = (enum token_kind)token->kind;
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
    if (!read_quietly(tree, tree->all.items[wave->first + index], &content))
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
        if (header)
            connect(file, header);
    }
    drop_scan(scan);
    return true;
}

static void find_includes(struct tree *tree)
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

/* Order: what is included comes before. */

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

/* All files, first those that include nothing; in the arena. */
static struct file **order(struct tree *tree)
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

static void hand_down_defines(struct tree *tree, struct file *const *sorted)
{
    for (size_t i = tree->all.count; i--;)
        vec_each (struct file *, header, &sorted[i]->includes)
            add_defines(tree, *header, &sorted[i]->defines);
}

/* Scopes. */

/* A set of files, by number. */
struct marks {
    unsigned char *bits;
    VEC(struct file *) list;
};

static bool mark(struct marks *marks, struct file *file)
{
    unsigned char bit = (unsigned char)(1u << file->number % 8);
    if (marks->bits[file->number / 8] & bit)
        return false;
    marks->bits[file->number / 8] |= bit;
    *vec_push(&marks->list) = file;
    return true;
}

static bool is_marked(const struct marks *marks, const struct file *file)
{
    return marks->bits[file->number / 8] >> file->number % 8 & 1;
}

static void marks_init(struct marks *marks, const struct tree *tree)
{
    *marks = (struct marks){.bits = xcalloc(tree->all.count / 8 + 1, 1)};
}

static void marks_release(struct marks *marks)
{
    free(marks->bits);
    vec_release(&marks->list);
}

/* All that FILE includes, and what these do. */
static void mark_included(struct marks *marks, const struct file *file)
{
    size_t next = marks->list.count;
    vec_each (struct file *, header, &file->includes)
        mark(marks, *header);
    for (; next < marks->list.count; ++next) {
        const struct file *one = marks->list.items[next];
        vec_each (struct file *, header, &one->includes)
            mark(marks, *header);
    }
}

/* All that include FILE, and what these include. Of what very many include nobody can say
   anything that holds for all. */
static void mark_around(struct marks *marks, struct file *file)
{
    enum { USERS_MAX = 200, AROUND_MAX = 5000 };
    mark(marks, file);
    for (size_t next = 0; next < marks->list.count; ++next) {
        const struct file *one = marks->list.items[next];
        vec_each (struct file *, user, &one->users)
            mark(marks, *user);
        if (USERS_MAX < marks->list.count) {
            marks->list.count = 0;
            return;
        }
    }
    for (size_t next = 0; next < marks->list.count && marks->list.count < AROUND_MAX; ++next) {
        const struct file *one = marks->list.items[next];
        vec_each (struct file *, header, &one->includes)
            mark(marks, *header);
    }
}

static int compare_ranks(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The facts of the files in MARKS that are below LEVEL; in ARENA. */
static struct model_scope scope_of(const struct marks *marks, const struct file *file,
                                   unsigned level, struct arena *arena)
{
    uint32_t *files = arena_zalloc(arena, marks->list.count, sizeof *files);
    size_t count = 0;
    vec_each (struct file *, one, &marks->list)
        if (*one != file && (*one)->level < level && (*one)->ranked)
            files[count++] = (*one)->rank;
    if (count)
        qsort(files, count, sizeof *files, compare_ranks);
    return (struct model_scope){files, count};
}

/* What holds for FILE, as far as files below LEVEL tell it; in ARENA. */
static void fill_options(const struct tree *tree, struct file *file, unsigned level, bool around,
                         struct model_options *res, struct arena *arena)
{
    struct marks marks;
    *res = (struct model_options){.defines = file->defines.items,
                                  .define_count = file->defines.count,
                                  .max_registers = file->max_registers,
                                  .world = tree->world};
    if (file->includes.count) {
        marks_init(&marks, tree);
        mark_included(&marks, file);
        res->scopes[0] = scope_of(&marks, file, level, arena);
        marks_release(&marks);
    }
    if (around && file->users.count) {
        marks_init(&marks, tree);
        mark_around(&marks, file);
        res->scopes[1] = scope_of(&marks, file, level, arena);
        marks_release(&marks);
    }
}

/* Facts. */

/* The files of one level, or those that launch. */
struct reading {
    struct tree *tree;
    struct file *const *all;
    bool launches; /* only these are read */
};

/* What was read of one file. */
struct read {
    struct arena arena;
    struct model_facts facts;
};

static void read_facts(const struct reading *reading, struct file *file, struct source *source,
                       struct read *res)
{
    struct arena arena = ARENA_INIT;
    struct symbol_table symbols;
    struct unit unit;
    struct diag quiet = DIAG_INIT;
    struct model model;
    struct model_options options;
    symbol_table_init(&symbols, &arena, lexer_on_new, NULL);
    unit_parse(&unit, source, &symbols, &arena, &quiet);
    fill_options(reading->tree, file, reading->launches ? UINT_MAX : file->level, reading->launches,
                 &options, &arena);
    model_init(&model, &unit, &arena, &options);
    if (!reading->launches) {
        model_facts_read_kernels(&res->facts, &model, &res->arena);
        model_facts_read(&res->facts, &model, &res->arena);
        model_facts_read_types(&res->facts, &model, &res->arena);
    }
    /* What headers launch may need what is around them. */
    if (file->launches && (reading->launches || !file->users.count))
        model_facts_read_launches(&res->facts, &model, &res->arena);
    model_release(&model);
    model_facts_locate(&res->facts, source, &res->arena);
    unit_release(&unit);
    diag_release(&quiet);
    symbol_table_release(&symbols);
    arena_release(&arena);
}

static void *make_facts(void *context, size_t index)
{
    const struct reading *reading = context;
    struct file *file = reading->all[index];
    struct read *res = xcalloc(1, sizeof *res);
    struct content content;
    struct source source;
    if (!read_quietly(reading->tree, file, &content))
        return res;
    source_init(&source, file->path, content.text, content.len);
    read_facts(reading, file, &source, res);
    source_release(&source);
    return res;
}

static void drop_facts(void *result)
{
    struct read *read = result;
    arena_release(&read->arena);
    free(read);
}

static size_t weigh_facts(const void *result)
{
    const struct read *read = result;
    return sizeof *read + read->arena.size;
}

/* Keeps what was read, and nothing that it was read with. */
static bool finish_facts(void *context, size_t index, void *result)
{
    const struct reading *reading = context;
    const struct read *read = result;
    model_facts_add_copy(&reading->all[index]->facts, &read->facts, &reading->tree->arena);
    drop_facts(result);
    return true;
}

static void run_reading(struct reading *reading, size_t count)
{
    pool_run(&(struct pool_work){.count = count,
                                 .jobs = reading->tree->options->jobs,
                                 .context = reading,
                                 .make = make_facts,
                                 .finish = finish_facts,
                                 .drop = drop_facts,
                                 .weigh = weigh_facts});
}

static void find_facts(struct tree *tree, struct file *const *sorted)
{
    size_t count = tree->all.count;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && sorted[end]->level == sorted[begin]->level;)
            ++end;
        struct reading reading = {tree, sorted + begin, false};
        run_reading(&reading, end - begin);
        for (size_t i = begin; i < end; ++i) {
            sorted[i]->rank = model_world_add(tree->world, &sorted[i]->facts);
            sorted[i]->ranked = true;
        }
    }
    VEC(struct file *) launching = {0};
    vec_each (struct file *, file, &tree->all)
        if ((*file)->launches && (*file)->users.count)
            *vec_push(&launching) = *file;
    struct reading reading = {tree, launching.items, true};
    run_reading(&reading, launching.count);
    vec_release(&launching);
}

/* Launches and their kernels. */

static struct definers *definers_of(struct tree *tree, const char *kernel, bool add)
{
    struct definers *res;
    size_t len = strlen(kernel);
    HASH_FIND(hh, tree->kernels, kernel, len, res);
    if (!res && add) {
        res = xcalloc(1, sizeof *res);
        HASH_ADD_KEYPTR(hh, tree->kernels, kernel, len, res);
    }
    return res;
}

static void list_kernels(struct tree *tree)
{
    vec_each (struct file *, item, &tree->all) {
        struct file *file = *item;
        for (size_t i = 0; i < file->facts.kernel_count; ++i) {
            struct definers *definers = definers_of(tree, file->facts.kernels[i].name, true);
            if (!definers->list.count || vec_end(&definers->list)[-1] != file)
                *vec_push(&definers->list) = file;
        }
    }
}

/* How many leading folders two paths share. */
static unsigned shared_folders(const char *a, const char *b)
{
    unsigned res = 0;
    for (; *a && *a == *b; ++a, ++b)
        res += *a == '/';
    return res;
}

static unsigned folders_in(const char *path)
{
    unsigned res = 0;
    for (; *path; ++path)
        res += *path == '/';
    return res;
}

/* TO defines the kernel of FACT, which FILE launches: both are told. */
static void introduce(struct file *file, struct file *to, const struct model_launch_fact *fact)
{
    *vec_push(&to->heard) = *fact;
    const struct model_kernel_fact *kernels = to->facts.kernels;
    size_t i, count = to->facts.kernel_count;
    vec_search(i, count, strcmp(kernels[i].name, fact->kernel) < 0);
    for (; i < count && !strcmp(kernels[i].name, fact->kernel); ++i)
        *vec_push(&file->met) = kernels[i];
}

/* FILE does not see the kernel that it launches; the linker does. It is that of the nearest file,
   if that is in the same folder or further in or out. */
static void tell_nearest(struct file *file, const struct definers *definers,
                         const struct model_launch_fact *fact)
{
    enum { CANDIDATES_MAX = 4 };
    struct file *nearest[CANDIDATES_MAX];
    unsigned best = 0, count = 0, own = folders_in(file->path);
    vec_each (struct file *, item, &definers->list) {
        unsigned shared = shared_folders(file->path, (*item)->path);
        if (shared < own && shared < folders_in((*item)->path))
            continue;
        if (!count || best < shared)
            count = 0;
        else if (shared < best)
            continue;
        best = shared;
        if (count < CANDIDATES_MAX)
            nearest[count] = *item;
        ++count;
    }
    for (unsigned i = 0; i < count && count <= CANDIDATES_MAX; ++i)
        introduce(file, nearest[i], fact);
}

/* Tells the files that define the kernel of FACT, which FILE launches. */
static void tell(struct file *file, const struct marks *seen, const struct definers *definers,
                 const struct model_launch_fact *fact)
{
    bool visible = false;
    vec_each (struct file *, item, &definers->list)
        if (*item == file)
            return; /* its model knows */
    vec_each (struct file *, item, &definers->list)
        if (is_marked(seen, *item)) {
            introduce(file, *item, fact);
            visible = true;
        }
    if (!visible)
        tell_nearest(file, definers, fact);
}

static int compare_met(const void *a, const void *b)
{
    const struct model_kernel_fact *x = a, *y = b;
    int names = strcmp(x->name, y->name);
    return names ? names : x->max_threads.count < y->max_threads.count;
}

static void join_launches(struct tree *tree)
{
    list_kernels(tree);
    vec_each (struct file *, item, &tree->all) {
        struct file *file = *item;
        struct marks seen = {0};
        for (size_t i = 0; i < file->facts.launch_count; ++i) {
            const struct model_launch_fact *fact = &file->facts.launches[i];
            const struct definers *definers = definers_of(tree, fact->kernel, false);
            if (!definers)
                continue;
            if (!seen.bits) {
                marks_init(&seen, tree);
                mark_included(&seen, file);
            }
            tell(file, &seen, definers, fact);
        }
        marks_release(&seen);
        tree->whole = tree->whole && !file->facts.computed;
    }
    vec_each (struct file *, item, &tree->all) {
        struct file *file = *item;
        struct model_facts heard = {.launches = file->heard.items,
                                    .launch_count = file->heard.count};
        const struct model_facts *const parts[] = {&heard};
        if (heard.launch_count)
            model_facts_merge(&file->told, parts, 1, &tree->arena);
        vec_release(&file->heard);
        if (file->met.count)
            qsort(file->met.items, file->met.count, sizeof *file->met.items, compare_met);
    }
}

/* The tree. */

struct tree *tree_new(const struct options *options, const struct setup *const *setups,
                      const struct inputs *inputs, struct snapshot *snapshot, struct diag *diag)
{
    struct tree *res = xcalloc(1, sizeof *res);
    size_t count = inputs->list.count;
    res->options = options;
    res->inputs = inputs;
    res->snapshot = snapshot;
    res->world = model_world_new();
    /* Who names a folder means a program: nobody else launches its kernels. */
    res->whole = inputs->folder;
    if (options->compile_commands) {
        res->commands = compile_commands_read(options->compile_commands, diag);
        if (!res->commands) {
            tree_free(res);
            return NULL;
        }
    }
    res->by_input = arena_zalloc(&res->arena, count, sizeof(struct file *));
    res->repeated = arena_zalloc(&res->arena, count, sizeof *res->repeated);
    res->own = arena_zalloc(&res->arena, count, sizeof *res->own);
    for (size_t i = 0; i < count; ++i)
        add_input(res, i, setups[i]);
    find_includes(res);
    if (res->all.count < 2)
        return res; /* it has nobody to talk to */
    struct file **sorted = order(res);
    hand_down_defines(res, sorted);
    find_facts(res, sorted);
    join_launches(res);
    return res;
}

void tree_free(struct tree *tree)
{
    struct path *path, *next_path;
    struct definers *definers, *next_definers;
    if (!tree)
        return;
    HASH_CLEAR(hh, tree->files);
    vec_each (struct file *, file, &tree->all)
        free_file(*file);
    HASH_ITER(hh, tree->paths, path, next_path)
    {
        HASH_DEL(tree->paths, path);
        free(path);
    }
    HASH_ITER(hh, tree->kernels, definers, next_definers)
    {
        HASH_DEL(tree->kernels, definers);
        vec_release(&definers->list);
        free(definers);
    }
    vec_release(&tree->all);
    model_world_free(tree->world);
    compile_commands_free(tree->commands);
    arena_release(&tree->arena);
    free(tree);
}

const struct model_options *tree_options(const struct tree *tree, const struct input *input,
                                         struct arena *arena)
{
    size_t index = (size_t)(input - tree->inputs->list.items);
    struct file *file = tree->by_input[index];
    if (!file)
        return &tree->own[index];
    struct model_options *res = arena_zalloc(arena, 1, sizeof *res);
    fill_options(tree, file, UINT_MAX, true, res, arena);
    const struct model_facts **users = arena_zalloc(arena, 1, sizeof(const struct model_facts *));
    *users = &file->told;
    res->users = users;
    res->user_count = 1;
    res->kernels = file->met.items;
    res->kernel_count = file->met.count;
    res->whole = tree->whole;
    return res;
}

bool tree_is_repeated(const struct tree *tree, const struct input *input)
{
    return tree->repeated[input - tree->inputs->list.items];
}
