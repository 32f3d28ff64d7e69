#include <config.h>

#include "cli/tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compile_commands.h"
#include "cli/pool.h"
#include "cli/tree_p.h"
#include "lexer/lexer.h"

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

static int compare_included(const void *a, const void *b)
{
    const struct model_included *x = a, *y = b;
    return x->file < y->file ? -1 : x->file > y->file;
}

/* Marks what ONE includes whatever is defined. */
static void mark_certain(struct marks *marks, const struct file *one)
{
    vec_each (const struct certain_include, include, &one->certain)
        if (include->depth == 0 || one->guarded)
            mark(marks, include->file);
}

/* Tells OPTIONS what FILE includes whatever is defined, each where it first does; in ARENA. */
static void fill_certain(const struct tree *tree, struct file *file, struct model_options *options,
                         struct arena *arena)
{
    struct marks marks;
    VEC(struct model_included) list = {0};
    marks_init(&marks, tree);
    mark(&marks, file);
    vec_each (const struct certain_include, include, &file->certain) {
        size_t next = marks.list.count;
        if (include->depth == 0 || file->guarded)
            mark(&marks, include->file);
        for (; next < marks.list.count; ++next) {
            const struct file *one = marks.list.items[next];
            mark_certain(&marks, one);
            if (one->ranked)
                *vec_push(&list) = (struct model_included){one->rank, include->offset};
        }
    }
    struct model_included *res = arena_zalloc(arena, list.count, sizeof *res);
    if (list.count) {
        qsort(list.items, list.count, sizeof *list.items, compare_included);
        memcpy(res, list.items, list.count * sizeof *res);
    }
    options->certain = res;
    options->certain_count = list.count;
    vec_release(&list);
    marks_release(&marks);
}

/* What holds for FILE, as far as files below LEVEL tell it; in ARENA. */
static void fill_options(const struct tree *tree, struct file *file, unsigned level, bool around,
                         struct model_options *res, struct arena *arena)
{
    struct marks marks;
    *res = (struct model_options){.defines = file->defines.items,
                                  .define_count = file->defines.count,
                                  .max_registers = file->max_registers,
                                  .world = tree->world,
                                  .own_libraries = tree->own_libraries.items,
                                  .own_library_count = tree->own_libraries.count,
                                  .included = file->users.count != 0};
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
    bool guarded; /* it has a header guard */
};

static void read_model(const struct reading *reading, struct file *file, const struct unit *unit,
                       struct arena *arena, struct read *res)
{
    struct model model;
    struct model_options options;
    fill_options(reading->tree, file, reading->launches ? UINT_MAX : file->level, reading->launches,
                 &options, arena);
    model_init(&model, unit, arena, &options);
    if (!reading->launches) {
        res->facts.macros = model_macros(unit, &res->arena, &res->facts.macro_count);
        model_facts_read_kernels(&res->facts, &model, &res->arena);
        model_facts_read(&res->facts, &model, &res->arena);
        model_facts_read_types(&res->facts, &model, &res->arena);
    }
    /* What headers launch may need what is around them. */
    if (file->launches && (reading->launches || !file->users.count))
        model_facts_read_launches(&res->facts, &model, &res->arena);
    model_release(&model);
}

static void read_facts(const struct reading *reading, struct file *file, struct source *source,
                       struct read *res)
{
    struct arena arena = ARENA_INIT;
    struct symbol_table symbols;
    struct unit unit;
    struct diag quiet = DIAG_INIT;
    symbol_table_init(&symbols, &arena, lexer_on_new, NULL);
    unit_parse(&unit, source, &symbols, &arena, &quiet);
    res->guarded = unit.directives.count && unit.directives.items[0].guard;
    if (!model_is_too_large(&unit)) {
        read_model(reading, file, &unit, &arena, res);
        model_facts_locate(&res->facts, source, &res->arena);
    }
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
    if (!tree_read_file(reading->tree, file, &content))
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
    reading->all[index]->guarded = read->guarded;
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
        tree_add_input(res, i, setups[i]);
    tree_find_includes(res);
    if (res->all.count < 2)
        return res; /* it has nobody to talk to */
    struct file **sorted = tree_order(res);
    tree_hand_down_defines(res, sorted);
    find_facts(res, sorted);
    join_launches(res);
    return res;
}

void tree_free(struct tree *tree)
{
    struct definers *definers, *next_definers;
    if (!tree)
        return;
    tree_free_files(tree);
    vec_release(&tree->public_libraries);
    vec_release(&tree->own_libraries);
    HASH_ITER(hh, tree->kernels, definers, next_definers)
    {
        HASH_DEL(tree->kernels, definers);
        vec_release(&definers->list);
        free(definers);
    }
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
    fill_certain(tree, file, res, arena);
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
