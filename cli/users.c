#include <config.h>

#include "cli/users.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "base/symbol.h"
#include "cli/wanted.h"
#include "lexer/lexer.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

/* A file of which some line was found. */
struct node {
    UT_hash_handle hh;
    const char *path;
    const char *real; /* that of the file to which it is a symbolic link, or NULL */
    bool seen_up, seen_down, joined;
    const struct changed_file *changed; /* or NULL */
    bool speaks;                        /* of a name that was changed */
    bool spreads;                       /* in a way that may concern all its users */
    VEC(struct link *) includes;
    VEC(struct kernel *) defines, launches;
};

/* A name that looks like a kernel's, and the files that define or launch it. */
struct kernel {
    UT_hash_handle hh;
    const char *name;
    VEC(struct node *) definers, launchers;
};

/* An include: FROM's of TARGET; or a symbolic link to the file whose path TARGET is. */
struct link {
    struct node *from;
    const char *target;
    bool symbolic;
};

/* Files, and includes, by the last part of their names. */
struct group {
    UT_hash_handle hh;
    const char *name;
    VEC(struct link *) links;
    VEC(struct node *) nodes;
};

struct graph {
    struct snapshot *snapshot;
    struct arena *arena;
    struct node *nodes, *last;
    struct group *groups;
    struct kernel *kernels;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static struct group *group_of(struct graph *g, const char *path)
{
    struct group *res;
    const char *name = last_part(path);
    HASH_FIND_STR(g->groups, name, res);
    if (!res) {
        res = arena_zalloc(g->arena, 1, sizeof *res);
        res->name = name;
        HASH_ADD_KEYPTR(hh, g->groups, res->name, strlen(res->name), res);
    }
    return res;
}

static struct node *node_of(struct graph *g, const char *path)
{
    struct node *res = g->last;
    if (res && !strcmp(res->path, path))
        return res; /* the lines of a file come one after the other */
    HASH_FIND_STR(g->nodes, path, res);
    if (!res) {
        res = arena_zalloc(g->arena, 1, sizeof *res);
        res->path = arena_strndup(g->arena, path, strlen(path));
        HASH_ADD_KEYPTR(hh, g->nodes, res->path, strlen(res->path), res);
        *vec_push(&group_of(g, res->path)->nodes) = res;
    }
    g->last = res;
    return res;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Behind the directive NAME where LINE begins with it and has more; else NULL. */
static const char *behind_directive(const char *line, const char *end, const char *name)
{
    size_t len = strlen(name);
    while (line < end && is_blank(*line))
        ++line;
    if (line == end || *line != '#')
        return NULL;
    for (++line; line < end && is_blank(*line);)
        ++line;
    return len < (size_t)(end - line) && !memcmp(line, name, len) ? line + len : NULL;
}

/* The path in the #include that LINE is, in the arena; or NULL. */
static const char *target_of(struct graph *g, const char *line, const char *end)
{
    const char *open = behind_directive(line, end, "include");
    if (!open)
        return NULL;
    while (open < end && *open != '"' && *open != '<')
        ++open;
    const char *close =
        open < end ? memchr(open + 1, *open == '"' ? '"' : '>', (size_t)(end - open - 1)) : NULL;
    return close ? arena_strndup(g->arena, open + 1, (size_t)(close - open - 1)) : NULL;
}

static bool is_word(char c)
{
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
           (c & 0x80);
}

static struct kernel *kernel_of(struct graph *g, const char *name, size_t len)
{
    struct kernel *res;
    HASH_FIND(hh, g->kernels, name, len, res);
    if (!res) {
        res = arena_zalloc(g->arena, 1, sizeof *res);
        res->name = arena_strndup(g->arena, name, len);
        HASH_ADD_KEYPTR(hh, g->kernels, res->name, len, res);
    }
    return res;
}

/* NODE has a line with __global__: what is followed by a parenthesis may be the kernel. */
static void take_head(struct graph *g, struct node *node, const char *at, const char *end)
{
    while (at < end) {
        const char *word = at;
        while (at < end && is_word(*at))
            ++at;
        const char *behind = at;
        while (behind < end && is_blank(*behind))
            ++behind;
        if (word < at && behind < end && *behind == '(' && *word != '_') {
            struct kernel *kernel = kernel_of(g, word, (size_t)(at - word));
            *vec_push(&node->defines) = kernel;
            *vec_push(&kernel->definers) = node;
        }
        at += word == at;
    }
}

/* Where the name begins, and at *END ends, that stands before AT: NAME or NAME<...>. */
static const char *name_before(const char *line, const char *at, const char **end)
{
    unsigned depth = 0;
    while (line < at && is_blank(at[-1]))
        --at;
    do {
        if (line < at && at[-1] == '>')
            ++depth, --at;
        else if (depth && line < at)
            depth -= *--at == '<';
    } while (depth && line < at);
    for (*end = at; line < at && is_word(at[-1]);)
        --at;
    return at;
}

static void take_launches(struct graph *g, struct node *node, const char *line, const char *end)
{
    for (const char *at = line; (at = memmem(at, (size_t)(end - at), "<<<", 3)); at += 3) {
        const char *behind, *name = name_before(line, at, &behind);
        if (name == behind)
            continue;
        struct kernel *kernel = kernel_of(g, name, (size_t)(behind - name));
        if (node->launches.count && vec_end(&node->launches)[-1] == kernel)
            continue;
        *vec_push(&node->launches) = kernel;
        *vec_push(&kernel->launchers) = node;
    }
}

static void add_link(struct graph *g, struct link link)
{
    struct link *res = arena_zalloc(g->arena, 1, sizeof *res);
    *res = link;
    *vec_push(&res->from->includes) = res;
    *vec_push(&group_of(g, res->target)->links) = res;
}

static void take_include(void *context, const char *path, const char *line, size_t len)
{
    struct graph *g = context;
    const char *target = target_of(g, line, line + len);
    if (target && *target)
        add_link(g, (struct link){node_of(g, path), target, false});
}

/* The file called NAME, maybe by a link. */
static const struct snapshot_file *find_file(const struct graph *g, const char *name)
{
    size_t links;
    struct arena arena = ARENA_INIT;
    snapshot_links(g->snapshot, &links);
    const char *path = snapshot_path(g->snapshot, name, &arena);
    const struct snapshot_file *res = path ? snapshot_at(g->snapshot, path) : NULL;
    if (!res && links)
        res = snapshot_find(g->snapshot, name);
    arena_release(&arena);
    return res;
}

/* A link to a file is the file by another name: as if it included it. */
static void take_links(struct graph *g)
{
    size_t count;
    const char *const *links = snapshot_links(g->snapshot, &count);
    for (size_t i = 0; i < count; ++i) {
        const char *name = snapshot_name(g->snapshot, links[i], g->arena);
        const struct snapshot_file *file = snapshot_find(g->snapshot, name);
        if (!file)
            continue;
        struct node *node = node_of(g, links[i]);
        node->real = file->path;
        add_link(g, (struct link){node, file->path, true});
    }
}

static void take_kernel(void *context, const char *path, const char *line, size_t len)
{
    struct graph *g = context;
    const char *head = memmem(line, len, "__global__", strlen("__global__"));
    if (wanted_kind(path) == FILE_OTHER)
        return;
    if (head)
        take_head(g, node_of(g, path), head, line + len);
    take_launches(g, node_of(g, path), line, line + len);
}

/* The file beside the including one that LINK names, if there is one. */
static const struct snapshot_file *beside(const struct graph *g, const struct link *link)
{
    struct strbuf name = STRBUF_INIT;
    const char *slash = strrchr(link->from->path, '/');
    if (*link->target == '/')
        return NULL;
    strbuf_adds(&name, snapshot_up(g->snapshot));
    strbuf_add(&name, link->from->path, slash ? (size_t)(slash - link->from->path) + 1 : 0);
    strbuf_adds(&name, link->target);
    strbuf_addc(&name, '\0');
    const struct snapshot_file *res = find_file(g, name.text);
    strbuf_release(&name);
    return res;
}

/* Whether PATH ends with TARGET, without what leads upwards there. */
static bool ends_with(const char *path, const char *target)
{
    while (!strncmp(target, "../", 3) || !strncmp(target, "./", 2))
        target = strchr(target, '/') + 1;
    size_t all = strlen(path), len = strlen(target);
    return len <= all && !strcmp(path + all - len, target) &&
           (len == all || path[all - len - 1] == '/');
}

/* Whether LINK leads to NODE. */
static bool means(const struct graph *g, const struct link *link, const struct node *node)
{
    if (link->symbolic)
        return !strcmp(link->target, node->path);
    const struct snapshot_file *file = beside(g, link);
    return file ? !strcmp(file->path, node->real ? node->real : node->path)
                : ends_with(node->path, link->target);
}

typedef VEC(struct node *) node_list;

/* Who includes one of LIST, and who includes these. */
static void go_up(struct graph *g, node_list *list)
{
    for (size_t i = 0; i < list->count; ++i) {
        const struct node *node = list->items[i];
        vec_each (struct link *, item, &group_of(g, node->path)->links) {
            struct node *from = (*item)->from;
            if (from->seen_up || !means(g, *item, node))
                continue;
            from->seen_up = true;
            *vec_push(list) = from;
        }
    }
}

/* What LIST includes, and what that does. */
static void go_down(struct graph *g, node_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        vec_each (struct link *, item, &list->items[i]->includes)
            vec_each (struct node *, to, &group_of(g, (*item)->target)->nodes) {
                if ((*to)->seen_down || !means(g, *item, *to))
                    continue;
                (*to)->seen_down = true;
                *vec_push(list) = *to;
            }
}

/* ---- names */

enum {
    FEW_USERS = 64, /* are all looked at */
    NAMES_MAX = 100,
    NAMES_ROUNDS = 4, /* constants made of constants */
};

/* The names that changed lines speak of, and what is defined by these. */
struct naming {
    struct graph *graph;
    struct arena arena;
    struct symbol_table known;
    VEC(const char *) fresh; /* not looked for yet */
    size_t count;
};

static bool is_built_in(const char *name)
{
    static const char *const names[] = {"blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, "__", 2);
}

static void add_name(struct naming *n, const char *text, size_t len)
{
    struct symbol *symbol = symbol_intern(&n->known, text, len);
    if (symbol->flags || symbol->keyword || ('0' <= *text && *text <= '9') ||
        is_built_in(symbol->text))
        return;
    symbol->flags = 1;
    *vec_push(&n->fresh) = symbol->text;
    ++n->count;
}

/* The end of the word at AT. */
static const char *word_end(const char *at, const char *end)
{
    while (at < end && is_word(*at))
        ++at;
    return at;
}

/* Behind "#define" where the line begins so, at the name; NULL where it does not. */
static const char *defined_name(const char *line, const char *end)
{
    line = behind_directive(line, end, "define");
    while (line && line < end && is_blank(*line))
        ++line;
    return line;
}

/* Adds the names of a line that came. */
static void name_line(struct naming *n, const char *line, const char *end)
{
    const char *at = defined_name(line, end);
    for (at = at ? at : line; at < end; ++at) {
        const char *stop = word_end(at, end);
        bool directive = at == line || at[-1] != '#' ? false : true;
        if (at < stop && !directive)
            add_name(n, at, (size_t)(stop - at));
        at = at < stop ? stop - 1 : at;
    }
}

static void name_lines(struct naming *n, const struct changed_file *file)
{
    for (const char *at = file->added, *end = at + file->len; at < end;) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        name_line(n, at, nl ? nl : end);
        at = nl ? nl + 1 : end;
    }
}

/* Adds the names before a parenthesis in LINE, which has __global__. */
static void add_heads(struct naming *n, const char *line, const char *end)
{
    for (const char *at = line; at < end; ++at) {
        const char *stop = word_end(at, end), *behind = stop;
        while (behind < end && is_blank(*behind))
            ++behind;
        if (at < stop && behind < end && *behind == '(')
            add_name(n, at, (size_t)(stop - at));
        at = at < stop ? stop - 1 : at;
    }
}

/* Adds the name that LINE gives a value; false where there is none. */
static bool add_assigned(struct naming *n, const char *line, const char *end)
{
    const char *equals = memchr(line, '=', (size_t)(end - line));
    while (equals && line < equals && is_blank(equals[-1]))
        --equals;
    const char *name = equals;
    while (name && line < name && is_word(name[-1]))
        --name;
    if (name == equals)
        return false;
    add_name(n, name, (size_t)(equals - name));
    return true;
}

/* A line with one of the names, in a file that others include, may define another one. */
static void take_definition(struct naming *n, struct node *node, const char *line, const char *end)
{
    const char *name = defined_name(line, end);
    if (name)
        add_name(n, name, (size_t)(word_end(name, end) - name));
    else if (memmem(line, (size_t)(end - line), "__global__", strlen("__global__")))
        add_heads(n, line, end);
    else if (!add_assigned(n, line, end) && !memmem(line, (size_t)(end - line), "<<<", 3))
        node->spreads = true;
}

static void take_name(void *context, const char *path, const char *line, size_t len)
{
    struct naming *n = context;
    struct node *node;
    HASH_FIND_STR(n->graph->nodes, path, node);
    if (!node || !node->seen_up)
        return;
    node->speaks = true;
    if (group_of(n->graph, node->path)->links.count)
        take_definition(n, node, line, line + len);
}

/* Finds out who of UP speaks of the names; false where all of them are to be taken, or, *GOOD
   becoming false, after an error in DIAG. */
static bool find_speakers(struct naming *n, const node_list *up, bool *good, struct diag *diag)
{
    static const char *const everywhere[] = {NULL};
    vec_each (struct node *const, node, up) {
        if (!(*node)->changed)
            break; /* the changed ones come first */
        if (!(*node)->changed->added)
            (*node)->spreads = true;
        else if (group_of(n->graph, (*node)->path)->links.count)
            name_lines(n, (*node)->changed);
    }
    for (int round = 0; n->fresh.count; ++round) {
        if (round == NAMES_ROUNDS || NAMES_MAX < n->count)
            return false;
        VEC(const char *) texts = {0};
        vec_each (const char *const, name, &n->fresh)
            *vec_push(&texts) = *name;
        *vec_push(&texts) = NULL;
        n->fresh.count = 0;
        *good = snapshot_grep(
            n->graph->snapshot,
            &(struct snapshot_search){.texts = texts.items, .where = everywhere, .words = true},
            take_name, n, diag);
        vec_release(&texts);
        if (!*good)
            return false;
    }
    return true;
}

/* Takes out of UP whom the changed lines cannot concern. */
static void keep_speakers(struct graph *g, node_list *up)
{
    node_list spread = {0};
    vec_each (struct node *const, node, up) {
        (*node)->seen_up = (*node)->changed || (*node)->speaks;
        if ((*node)->spreads)
            *vec_push(&spread) = *node;
    }
    go_up(g, &spread);
    size_t kept = 0;
    vec_each (struct node *const, node, up)
        if ((*node)->seen_up)
            up->items[kept++] = *node;
    up->count = kept;
    vec_release(&spread);
}

/* Of many users it is worth asking whether they speak of what was changed. False after an error in
   DIAG. */
static bool choose_speakers(struct graph *g, node_list *up, struct diag *diag)
{
    struct naming n = {.graph = g};
    bool good = true;
    if (up->count <= FEW_USERS)
        return true;
    symbol_table_init(&n.known, &n.arena, lexer_on_new, NULL);
    if (find_speakers(&n, up, &good, diag))
        keep_speakers(g, up);
    symbol_table_release(&n.known);
    vec_release(&n.fresh);
    arena_release(&n.arena);
    return good;
}

/* ---- kernels */

enum { FOLDERS_MAX = 64 }; /* of so many it is not worth to tell which */

typedef VEC(const char *) specs;

static void add_spec(specs *where, const char *spec)
{
    vec_each (const char *const, known, where)
        if (!strcmp(*known, spec))
            return;
    *vec_push(where) = spec;
}

/* The pathspec of the files in the folder that is the first LEN bytes of PATH, not further in. */
static const char *folder_spec(struct graph *g, const char *path, size_t len)
{
    struct strbuf spec = STRBUF_INIT;
    strbuf_adds(&spec, ":(top,glob)");
    for (size_t i = 0; i < len; ++i) {
        if (strchr("*?[]\\", path[i]))
            strbuf_addc(&spec, '\\');
        strbuf_addc(&spec, path[i]);
    }
    strbuf_adds(&spec, "*");
    const char *res = arena_strndup(g->arena, spec.text, spec.len);
    strbuf_release(&spec);
    return res;
}

/* Adds to WHERE the folders that are near those of LIST; false where that is everywhere. */
static bool add_folders(struct graph *g, specs *where, const node_list *list)
{
    for (size_t i = 0; i < list->count && where->count <= FOLDERS_MAX; ++i) {
        const char *path = list->items[i]->path, *name = last_part(path);
        if (name == path)
            return false;
        add_spec(where, arena_printf(g->arena, ":(top,literal)%.*s", (int)(name - path - 1), path));
        for (const char *at = path; at < name; at = strchr(at, '/') + 1)
            add_spec(where, folder_spec(g, path, (size_t)(at - path)));
    }
    return where->count <= FOLDERS_MAX;
}

/* Finds the kernels in UP and in DOWN, and near them. */
static bool find_kernels(struct graph *g, const node_list *up, const node_list *down,
                         struct diag *diag)
{
    static const char *const words[] = {"__global__", "<<<", NULL};
    specs where = {0};
    if (add_folders(g, &where, up))
        vec_each (struct node *const, node, down)
            *vec_push(&where) = arena_printf(g->arena, ":(top,literal)%s", (*node)->path);
    else
        where.count = 0;
    *vec_push(&where) = NULL;
    bool res =
        snapshot_grep(g->snapshot, &(struct snapshot_search){.texts = words, .where = where.items},
                      take_kernel, g, diag);
    vec_release(&where);
    return res;
}

/* Whether the folder of one of the paths lies in that of the other. */
static bool are_near(const char *a, const char *b)
{
    size_t len_a = (size_t)(last_part(a) - a), len_b = (size_t)(last_part(b) - b);
    return !memcmp(a, b, len_a < len_b ? len_a : len_b);
}

/* Joins those of NODES that lie near FILE. */
static void join(const struct node *file, struct node *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        nodes[i]->joined |= are_near(file->path, nodes[i]->path);
}

/* Joins whom the linker may join to the files of LIST, which include what is changed, or, the first
   CHANGED of them, are changed themselves. */
static void go_across(const node_list *list, size_t changed)
{
    for (size_t i = 0; i < list->count; ++i) {
        const struct node *file = list->items[i];
        vec_each (struct kernel *const, kernel, &file->defines)
            join(file, (*kernel)->launchers.items, (*kernel)->launchers.count);
        vec_each (struct kernel *const, kernel, &file->launches)
            if (i < changed)
                join(file, (*kernel)->definers.items, (*kernel)->definers.count);
    }
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_concerned(const struct node *node)
{
    return !node->changed &&
           (node->seen_up || node->joined || (node->seen_down && node->defines.count));
}

/* False after an error in DIAG. */
static bool walk(struct graph *g, const struct changed_files *changed, struct paths *users,
                 struct diag *diag)
{
    node_list up = {0}, down = {0};
    vec_each (const struct changed_file, file, &changed->list) {
        struct node *node = node_of(g, file->path);
        node->changed = file;
        node->seen_up = node->seen_down = true;
        *vec_push(&up) = node;
        *vec_push(&down) = node;
    }
    go_up(g, &up);
    go_down(g, &down);
    bool res = choose_speakers(g, &up, diag) && find_kernels(g, &up, &down, diag);
    go_across(&up, changed->list.count);
    for (struct node *node = g->nodes; node; node = node->hh.next)
        if (is_concerned(node))
            *vec_push(&users->list) = node->path;
    if (users->list.count)
        qsort(users->list.items, users->list.count, sizeof *users->list.items, compare_paths);
    vec_release(&up);
    vec_release(&down);
    return res;
}

static void free_graph(struct graph *g)
{
    struct node *node, *next_node;
    struct group *group, *next_group;
    struct kernel *kernel, *next_kernel;
    HASH_ITER(hh, g->nodes, node, next_node)
    {
        HASH_DEL(g->nodes, node);
        vec_release(&node->includes);
        vec_release(&node->defines);
        vec_release(&node->launches);
    }
    HASH_ITER(hh, g->groups, group, next_group)
    {
        HASH_DEL(g->groups, group);
        vec_release(&group->links);
        vec_release(&group->nodes);
    }
    HASH_ITER(hh, g->kernels, kernel, next_kernel)
    {
        HASH_DEL(g->kernels, kernel);
        vec_release(&kernel->definers);
        vec_release(&kernel->launchers);
    }
    arena_release(g->arena);
}

struct snapshot_hunt *users_start(struct snapshot *snapshot)
{
    static const char *const texts[] = {"include", NULL};
    return snapshot_grep_start(snapshot,
                               &(struct snapshot_search){.texts = texts, .where = texts + 1});
}

bool users_find(struct snapshot *snapshot, struct snapshot_hunt *includes,
                const struct changed_files *changed, struct paths *users, struct arena *arena,
                struct diag *diag)
{
    struct arena scratch = ARENA_INIT;
    struct graph g = {.snapshot = snapshot, .arena = &scratch};
    bool res = snapshot_grep_end(includes, take_include, &g, diag) && snapshot_list(snapshot, diag);
    if (res) {
        take_links(&g);
        res = walk(&g, changed, users, diag);
    }
    vec_each (const char *, path, &users->list)
        *path = arena_strndup(arena, *path, strlen(*path));
    free_graph(&g);
    return res;
}
