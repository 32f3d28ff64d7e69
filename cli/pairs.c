#include <config.h>

#include "cli/pairs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/source.h"
#include "base/xalloc.h"
#include "cli/path.h"
#include "cli/record.h"
#include "cli/users.h"
#include "cli/walk.h"
#include "cli/wanted.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

static bool usage(const struct options *o, struct diag *diag, const char *message)
{
    diag_add(diag, DIAG_ERROR, (struct diag_place){0}, "%s", message);
    options_add_hint(command_name(o->command), diag);
    return false;
}

/* ---- pairing by names */

/* A file of one side that has no partner yet. */
struct candidate {
    const char *path; /* from the folder or the top of the work tree on */
    const char *key;  /* what the names of a source and its port have in common */
    struct pair_file file;
    bool taken;
    struct candidate *next; /* of the same key */
    UT_hash_handle hh;
};

struct candidates {
    VEC(struct candidate) list; /* in the order of their paths */
    struct candidate *by_key;
};

/* An old file by the name that the record of the other folder has for it. */
struct recorded {
    struct candidate *candidate;
    UT_hash_handle hh;
    char source[];
};

static bool ends_with(const char *text, size_t len, const char *end)
{
    size_t n = strlen(end);
    return n < len && !memcmp(text + len - n, end, n);
}

/* The length of PATH without the endings of sources, of which a port may have several; whether it
   is a header in *HEADER. */
static size_t stem(const char *path, bool *header)
{
    static const char *const sources[] = {".cu", ".hip", ".cpp", ".cc", ".cxx", ".c"};
    static const char *const headers[] = {".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc"};
    size_t len = strlen(path);
    *header = false;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i)
            if (ends_with(path, len, sources[i])) {
                len -= strlen(sources[i]);
                more = true;
            }
        for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i)
            if (ends_with(path, len, headers[i])) {
                len -= strlen(headers[i]);
                *header = more = true;
            }
    }
    return len;
}

/* What the LEN bytes at NAME begin with that a port calls otherwise: CUDA, or one of its libraries,
   in whatever letters. How much of it counts in *TAKEN; NULL for nothing of the kind. */
static const char *word_of_port(const char *name, size_t len, size_t *taken)
{
    static const struct {
        const char *word;
        size_t taken;
        const char *key;
    } words[] = {
        {"cuda", 4, "hip"},      {"hip", 3, "hip"},      {"cublas", 2, "hip"},
        {"cufft", 2, "hip"},     {"curand", 2, "hip"},   {"cusparse", 2, "hip"},
        {"cusolver", 2, "hip"},  {"cutensor", 2, "hip"}, {"rocblas", 3, "hip"},
        {"rocfft", 3, "hip"},    {"rocrand", 3, "hip"},  {"rocsparse", 3, "hip"},
        {"rocsolver", 3, "hip"}, {"cudnn", 5, "miopen"}, {"nccl", 4, "rccl"},
        {"nvtx", 4, "roctx"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        size_t n = strlen(words[i].word);
        if (n <= len && !strncasecmp(name, words[i].word, n)) {
            *taken = words[i].taken;
            return words[i].key;
        }
    }
    return NULL;
}

/* "cuda/k_cublas.cuh" and "hip/k_hipblas.hip.h" are "hip/k_hipblas h". */
static const char *key_of(struct pairs *pairs, const char *path)
{
    struct strbuf key = STRBUF_INIT;
    bool header;
    size_t len = stem(path, &header), taken;
    for (size_t i = 0; i < len; i += taken) {
        const char *word = word_of_port(path + i, len - i, &taken);
        if (word) {
            strbuf_adds(&key, word);
        } else {
            strbuf_addc(&key, path[i]);
            taken = 1;
        }
    }
    strbuf_adds(&key, header ? " h" : "");
    const char *res = arena_strndup(&pairs->arena, key.text ? key.text : "", key.len);
    strbuf_release(&key);
    return res;
}

static void add_candidate(struct pairs *pairs, struct candidates *c, const char *path,
                          struct pair_file file)
{
    *vec_push(&c->list) =
        (struct candidate){.path = path, .key = key_of(pairs, path), .file = file};
}

/* Makes the indices of C, to which nothing may be added from now on. Of one key the first path
   comes first. */
static void index_candidates(struct candidates *c)
{
    for (size_t i = c->list.count; i--;) {
        struct candidate *one = &c->list.items[i], *same;
        HASH_FIND_STR(c->by_key, one->key, same);
        if (same) {
            one->next = same;
            HASH_DEL(c->by_key, same);
        }
        HASH_ADD_KEYPTR(hh, c->by_key, one->key, strlen(one->key), one);
    }
}

static void release_candidates(struct candidates *c)
{
    HASH_CLEAR(hh, c->by_key);
    vec_release(&c->list);
}

/* The candidate of C with the key of NEW that is not taken, or NULL; if SAME_PATH, of its path. */
static struct candidate *find_candidate(struct candidates *c, const struct candidate *new,
                                        bool same_path)
{
    struct candidate *res;
    HASH_FIND_STR(c->by_key, new->key, res);
    while (res && (res->taken || (same_path && strcmp(res->path, new->path))))
        res = res->next;
    return res;
}

static int compare_pairs(const void *va, const void *vb)
{
    const struct pair *a = va, *b = vb;
    const char *x = a->new.name ? a->new.path : a->old.path;
    const char *y = b->new.name ? b->new.path : b->old.path;
    return strcmp(x, y);
}

/* Adds the pairs that the candidates make, and what has no partner; all of PAIRS in the order of
   their paths. */
static void add_by_names(struct pairs *pairs, struct candidates *old, struct candidates *new)
{
    index_candidates(old);
    for (int by_key = 0; by_key < 2; ++by_key)
        vec_each (struct candidate, candidate, &new->list) {
            struct candidate *partner =
                candidate->taken ? NULL : find_candidate(old, candidate, !by_key);
            if (!partner)
                continue;
            partner->taken = candidate->taken = true;
            *vec_push(&pairs->list) = (struct pair){.old = partner->file, .new = candidate->file};
        }
    vec_each (const struct candidate, candidate, &old->list)
        if (!candidate->taken)
            *vec_push(&pairs->list) = (struct pair){.old = candidate->file};
    vec_each (const struct candidate, candidate, &new->list)
        if (!candidate->taken)
            *vec_push(&pairs->list) = (struct pair){.new = candidate->file};
    if (pairs->list.count)
        qsort(pairs->list.items, pairs->list.count, sizeof *pairs->list.items, compare_pairs);
}

/* ---- files and folders */

static struct pair_file operand(const char *name)
{
    bool is_stdin = !strcmp(name, "-");
    return (struct pair_file){is_stdin ? "<stdin>" : name, is_stdin ? NULL : name, NULL};
}

static bool is_folder(const struct pair_file *file)
{
    return file->path && path_is_folder(file->path);
}

static void list_folder(struct pairs *pairs, struct candidates *c, const char *folder,
                        const struct options *o, struct diag *diag)
{
    struct walk walk = {.excluded = o->exclude.items,
                        .excluded_count = o->exclude.count,
                        .file_links = true,
                        .arena = &pairs->arena};
    walk_folder(&walk, folder, diag);
    vec_each (const struct walk_file, f, &walk.files)
        add_candidate(pairs, c, f->name + f->base, (struct pair_file){f->name, f->name, NULL});
    vec_release(&walk.files);
}

static struct recorded *list_recorded(struct candidates *old, const char *folder)
{
    struct recorded *res = NULL;
    char *to = realpath(folder, NULL);
    vec_each (struct candidate, candidate, &old->list) {
        char *real = realpath(candidate->file.path, NULL), *source = record_relative(to, real);
        struct recorded *same = NULL;
        if (source)
            HASH_FIND_STR(res, source, same);
        if (source && !same) {
            struct recorded *one = xcalloc(1, sizeof *one + strlen(source) + 1);
            strcpy(one->source, source);
            one->candidate = candidate;
            HASH_ADD_STR(res, source, one);
        }
        free(source);
        free(real);
    }
    free(to);
    return res;
}

/* Pairs what we ourselves wrote into FOLDER with what it was made of, as the record there says. */
static void pair_by_record(struct pairs *pairs, struct candidates *old, struct candidates *new,
                           const char *folder, struct diag *diag)
{
    struct record *record = record_open(folder, diag);
    struct recorded *by_source = record ? list_recorded(old, folder) : NULL, *one, *next;
    vec_each (struct candidate, candidate, &new->list) {
        const struct record_entry *entry = record ? record_find(record, candidate->path) : NULL;
        one = NULL;
        if (entry)
            HASH_FIND_STR(by_source, entry->source, one);
        if (!one || one->candidate->taken)
            continue;
        one->candidate->taken = candidate->taken = true;
        *vec_push(&pairs->list) =
            (struct pair){.old = one->candidate->file, .new = candidate->file};
    }
    HASH_ITER(hh, by_source, one, next)
    {
        HASH_DEL(by_source, one);
        free(one);
    }
    if (record)
        record_free(record);
}

static void collect_folders(struct pairs *pairs, const char *old, const char *new,
                            const struct options *o, struct diag *diag)
{
    struct candidates a = {.by_key = NULL}, b = {.by_key = NULL};
    list_folder(pairs, &a, old, o, diag);
    list_folder(pairs, &b, new, o, diag);
    pair_by_record(pairs, &a, &b, new, diag);
    pairs->trouble = diag->errors;
    pairs->sides[PAIR_OLD].inputs.folder = pairs->sides[PAIR_NEW].inputs.folder = true;
    add_by_names(pairs, &a, &b);
    release_candidates(&a);
    release_candidates(&b);
}

static bool collect_files(struct pairs *pairs, const struct options *o, struct diag *diag)
{
    struct pair_file old = operand(o->operands.items[0]), new = operand(o->operands.items[1]);
    if (!old.path && !new.path)
        return usage(o, diag, _("standard input can be read only once"));
    if (is_folder(&old) && is_folder(&new))
        collect_folders(pairs, old.path, new.path, o, diag);
    else if (is_folder(&old) || is_folder(&new))
        return usage(o, diag, _("a file and a folder cannot be compared"));
    else if (old.path && new.path && access(old.path, F_OK) && access(new.path, F_OK))
        return usage(o, diag, _("there is neither file; revisions are named as REV..REV"));
    else
        *vec_push(&pairs->list) = (struct pair){.old = old, .new = new};
    return true;
}

/* ---- revisions */

struct revisions {
    const char *old, *new;           /* as the user named them; NULL: the work tree */
    const char *old_hash, *new_hash; /* of the commits */
    const char *up;                  /* the top of the work tree, from the working directory */
    const char *const *paths;        /* with a NULL behind the last one */
};

/* The first line that git answers to ARGS; NULL after an error in DIAG. */
static const char *ask_line(struct pairs *pairs, const char *const *args, struct diag *diag)
{
    struct strbuf out = STRBUF_INIT;
    const char *res = NULL;
    if (process_ask_git(args, &out, diag))
        res = arena_strndup(&pairs->arena, out.text ? out.text : "",
                            out.len && out.text[out.len - 1] == '\n' ? out.len - 1 : out.len);
    strbuf_release(&out);
    return res;
}

/* Reads "REV", "REV..REV" or "REV...REV"; false after an error in DIAG. */
static bool find_revisions(struct pairs *pairs, const char *text, struct revisions *r,
                           struct diag *diag)
{
    const char *dots = strstr(text, "..");
    bool fork = dots && dots[2] == '.';
    if (dots) {
        r->old = dots == text ? "HEAD" : arena_strndup(&pairs->arena, text, (size_t)(dots - text));
        r->new = dots[2 + fork] ? dots + 2 + fork : "HEAD";
    } else {
        r->old = text;
    }
    r->old_hash = fork ? history_base(r->old, r->new, &pairs->arena, diag)
                       : history_commit(r->old, &pairs->arena, diag);
    r->new_hash = r->old_hash && r->new ? history_commit(r->new, &pairs->arena, diag) : NULL;
    if (!r->old_hash || (r->new && !r->new_hash))
        return false;
    static const char *const where[] = {"git", "rev-parse", "--show-cdup", NULL};
    r->up = r->old_hash ? ask_line(pairs, where, diag) : NULL;
    return r->up;
}

/* The file with PATH, from the top on, in the revision called REVISION (NULL: the work tree). */
static struct pair_file file_at(struct pairs *pairs, const struct revisions *r,
                                const char *revision, const char *path, const char *blob)
{
    struct pair_file res = {.path = arena_printf(&pairs->arena, "%s%s", r->up, path)};
    res.name = revision ? arena_printf(&pairs->arena, "%s:%s", revision, path) : res.path;
    /* What lies in the work tree counts there, not the name that git gives it: to find renamings
       git makes names also of contents that it does not keep. */
    bool named = strspn(blob, "0") != strlen(blob);
    if (revision || (named && access(res.path, F_OK)))
        res.blob = arena_strndup(&pairs->arena, blob, strlen(blob));
    return res;
}

/* One entry of git's raw list of differences. */
struct entry {
    const char *old_blob, *new_blob, *old_path,
        *new_path; /* a path is NULL where there is no file */
};

static bool is_file_mode(const char *mode)
{
    return !strncmp(mode, "100", 3);
}

/* Reads ":MODE MODE BLOB BLOB STATUS" and the one or two paths behind, from AT on, in which NULs
   take the place of blanks. What lies behind; NULL at the end and where it is no such entry. */
static char *read_entry(char *at, const char *end, struct entry *entry)
{
    char *fields[5];
    if (at == end || *at != ':')
        return NULL;
    ++at;
    for (int i = 0; i < 5; ++i) {
        fields[i] = at;
        at += strcspn(at, " ");
        if (i < 4 && !*at)
            return NULL;
        *at++ = '\0';
    }
    bool two = *fields[4] == 'R' || *fields[4] == 'C';
    const char *first = at, *second = at;
    for (int i = 0; i < 1 + two; ++i) {
        if (end <= at)
            return NULL;
        second = at;
        at += strlen(at) + 1;
    }
    *entry = (struct entry){fields[2], fields[3], is_file_mode(fields[0]) ? first : NULL,
                            is_file_mode(fields[1]) ? second : NULL};
    return at;
}

static bool is_source(const char *path)
{
    const char *slash = strrchr(path, '/');
    return wanted_kind(slash ? slash + 1 : path) != FILE_OTHER;
}

/* Adds the sources of the old revision that are not among the differences: a port may have left
   them where they are. */
static bool list_unchanged(struct pairs *pairs, const struct revisions *r, struct candidates *old,
                           struct diag *diag)
{
    const char *const args[] = {"git", "ls-tree", "-r", "-z", "--full-tree", r->old_hash, NULL};
    struct strbuf out = STRBUF_INIT;
    bool res = process_ask_git(args, &out, diag);
    /* MODE blob HASH<TAB>PATH */
    for (char *at = out.text, *end = res && out.len ? out.text + out.len : at; at < end;) {
        size_t len = strlen(at);
        char *tab = strchr(at, '\t'), *hash = tab ? strchr(at, ' ') : NULL;
        hash = hash ? strchr(hash + 1, ' ') : NULL;
        if (hash && hash < tab && is_file_mode(at) && is_source(tab + 1)) {
            *tab = '\0';
            const char *path = arena_strndup(&pairs->arena, tab + 1, strlen(tab + 1));
            add_candidate(pairs, old, path, file_at(pairs, r, r->old, path, hash + 1));
        }
        at += len + 1;
    }
    strbuf_release(&out);
    return res;
}

/* Gives what was added as HIP by its name, and has no partner among what was removed, one among the
   files that the old revision has. */
static bool pair_with_unchanged(struct pairs *pairs, const struct revisions *r,
                                struct candidates *removed, struct candidates *added,
                                struct diag *diag)
{
    struct candidates all = {.by_key = NULL};
    bool res = !added->list.count || list_unchanged(pairs, r, &all, diag);
    index_candidates(&all);
    vec_each (struct candidate, candidate, &added->list) {
        bool known = !strcasestr(candidate->path, "hip");
        vec_each (const struct candidate, gone, &removed->list)
            known = known || !strcmp(gone->key, candidate->key);
        struct candidate *partner = known ? NULL : find_candidate(&all, candidate, false);
        if (!partner)
            continue;
        partner->taken = candidate->taken = true;
        *vec_push(&pairs->list) = (struct pair){.old = partner->file, .new = candidate->file};
    }
    release_candidates(&all);
    return res;
}

static void add_entry(struct pairs *pairs, const struct revisions *r, const struct entry *e,
                      struct candidates *removed, struct candidates *added)
{
    bool old = e->old_path && is_source(e->old_path), new = e->new_path &&is_source(e->new_path);
    struct pair_file a = {0}, b = {0};
    if (old)
        a = file_at(pairs, r, r->old, e->old_path, e->old_blob);
    if (new)
        b = file_at(pairs, r, r->new, e->new_path, e->new_blob);
    if (old && new)
        *vec_push(&pairs->list) = (struct pair){.old = a, .new = b};
    else if (old)
        add_candidate(pairs, removed, arena_printf(&pairs->arena, "%s", e->old_path), a);
    else if (new)
        add_candidate(pairs, added, arena_printf(&pairs->arena, "%s", e->new_path), b);
}

/* What git says differs; false after an error in DIAG. */
static bool ask_differences(const struct revisions *r, struct strbuf *out, struct diag *diag)
{
    VEC(const char *) args = {0};
    static const char *const trees[] = {"git", "-c", "core.fsmonitor=false", "diff-tree", "-r"};
    static const char *const index[] = {"git", "-c", "core.fsmonitor=false", "diff-index"};
    const char *const *first = r->new ? trees : index;
    size_t count = r->new ? sizeof trees / sizeof *trees : sizeof index / sizeof *index;
    for (size_t i = 0; i < count; ++i)
        *vec_push(&args) = first[i];
    *vec_push(&args) = "-z";
    *vec_push(&args) = "-M";
    *vec_push(&args) = "--ignore-submodules";
    *vec_push(&args) = r->old_hash;
    if (r->new)
        *vec_push(&args) = r->new_hash;
    *vec_push(&args) = "--";
    for (size_t i = 0; r->paths[i]; ++i)
        *vec_push(&args) = r->paths[i];
    *vec_push(&args) = NULL;
    bool res = process_ask_git(args.items, out, diag);
    vec_release(&args);
    return res;
}

/* Where the files of the revisions are read from. */
static bool take_snapshots(struct pairs *pairs, const struct revisions *r, struct diag *diag)
{
    struct snapshot **old = &pairs->sides[PAIR_OLD].snapshot,
                    **new = &pairs->sides[PAIR_NEW].snapshot;
    *old = snapshot_new(SNAPSHOT_COMMIT, r->old_hash, diag);
    *new = snapshot_new(r->new ? SNAPSHOT_COMMIT : SNAPSHOT_WORK_TREE, r->new_hash, diag);
    return *old && *new;
}

/* Adds the sources that the changes may concern, of which both revisions have the same. */
static bool add_concerned(struct pairs *pairs, const struct revisions *r,
                          const struct candidates *added, struct diag *diag)
{
    struct snapshot *old = pairs->sides[PAIR_OLD].snapshot, *new = pairs->sides[PAIR_NEW].snapshot;
    struct changed_files changed = {0};
    struct paths concerned = {0};
    vec_each (const struct pair, pair, &pairs->list)
        *vec_push(&changed.list) =
            (struct changed_file){.path = snapshot_path(new, pair->new.path, &pairs->arena)};
    vec_each (const struct candidate, one, &added->list)
        *vec_push(&changed.list) = (struct changed_file){.path = one->path};
    bool res = !changed.list.count ||
               (snapshot_list(old, diag) &&
                users_find(new, users_start(new), &changed, &concerned, &pairs->arena, diag));
    vec_each (const char *const, path, &concerned.list) {
        const struct snapshot_file *before = snapshot_at(old, *path),
                                   *now = snapshot_at(new, *path);
        if (!before || !now)
            continue;
        *vec_push(&pairs->list) = (struct pair){
            .old = file_at(pairs, r, r->old, *path, before->blob),
            .new = file_at(pairs, r, r->new, *path, now->blob ? now->blob : ""),
            .same = true,
        };
    }
    vec_release(&changed.list);
    vec_release(&concerned.list);
    return res;
}

static bool collect_revisions(struct pairs *pairs, const struct options *o, struct diag *diag)
{
    VEC(const char *) paths = {0};
    for (size_t i = 1; i < o->operands.count; ++i)
        *vec_push(&paths) = o->operands.items[i];
    *vec_push(&paths) = NULL;
    struct revisions r = {.paths = paths.items};
    struct strbuf out = STRBUF_INIT;
    struct candidates removed = {.by_key = NULL}, added = {.by_key = NULL};
    bool res =
        find_revisions(pairs, o->operands.items[0], &r, diag) && ask_differences(&r, &out, diag);
    if (res) {
        struct entry entry;
        char *at = out.text, *end = out.len ? out.text + out.len : at;
        while (at && (at = read_entry(at, end, &entry)))
            add_entry(pairs, &r, &entry, &removed, &added);
        res = pair_with_unchanged(pairs, &r, &removed, &added, diag) &&
              take_snapshots(pairs, &r, diag) &&
              (*r.paths || add_concerned(pairs, &r, &added, diag));
        add_by_names(pairs, &removed, &added);
    }
    release_candidates(&removed);
    release_candidates(&added);
    strbuf_release(&out);
    vec_release(&paths);
    return res;
}

/* ---- all of it */

/* Whether the operands speak of revisions: one alone does, and one with dots that is no file. */
static bool names_revisions(const struct options *o)
{
    const char *first = o->operands.items[0];
    return o->operands.count == 1 || (strstr(first, "..") && access(first, F_OK));
}

/* Adds to SIDE the files that those of the pairs may concern: who includes or launches something of
   theirs has a say in it. */
static bool add_others(struct pairs *pairs, struct pair_side *side, struct diag *diag)
{
    struct changed_files changed = {0};
    struct paths others = {0};
    vec_each (const struct input, input, &side->inputs.list) {
        const char *path = snapshot_path(side->snapshot, input->path, &pairs->arena);
        if (path)
            *vec_push(&changed.list) = (struct changed_file){.path = path};
    }
    bool res = !changed.list.count || users_find(side->snapshot, users_start(side->snapshot),
                                                 &changed, &others, &pairs->arena, diag);
    vec_each (const char *const, path, &others.list) {
        const struct snapshot_file *file = snapshot_at(side->snapshot, *path);
        const char *name = snapshot_name(side->snapshot, *path, &pairs->arena);
        struct input input = {.name = name, .path = name, .blob = file ? file->blob : NULL};
        *vec_push(&side->setups) = pairs->inputs.list.count;
        *vec_push(&side->inputs.list) = input;
        *vec_push(&pairs->inputs.list) = input;
    }
    vec_release(&changed.list);
    vec_release(&others.list);
    return res;
}

static void add_to_side(struct pairs *pairs, int side, struct pair *pair)
{
    const struct pair_file *file = side == PAIR_OLD ? &pair->old : &pair->new;
    struct pair_side *to = &pairs->sides[side];
    if (!file->name)
        return;
    pair->number[side] = to->inputs.list.count;
    *vec_push(&to->inputs.list) =
        (struct input){.name = file->name, .path = file->path, .blob = file->blob};
    *vec_push(&to->setups) = (size_t)(pair - pairs->list.items);
}

/* Makes the inputs of the pairs and of their sides. RESTRICTED: of revisions, not all that they
   concern is a pair. False after an error in DIAG. */
static bool make_sides(struct pairs *pairs, bool restricted, struct diag *diag)
{
    vec_each (struct pair, pair, &pairs->list) {
        const struct pair_file *main = pair->new.name ? &pair->new : &pair->old;
        *vec_push(&pairs->inputs.list) = (struct input){.name = main->name, .path = main->path};
        for (int i = 0; i < PAIR_SIDES; ++i)
            add_to_side(pairs, i, pair);
    }
    bool res = true;
    for (int i = 0; i < PAIR_SIDES; ++i)
        res = res && (!restricted || add_others(pairs, &pairs->sides[i], diag));
    return res;
}

static bool collect(struct pairs *pairs, const struct options *o, struct diag *diag)
{
    if (!o->operands.count)
        return usage(o, diag, _("'review' needs two files, two folders or a revision"));
    if (o->operands.count == 1 && !access(o->operands.items[0], F_OK))
        return usage(o, diag, _("'review' needs what the file is compared with"));
    if (names_revisions(o))
        return collect_revisions(pairs, o, diag);
    if (o->operands.count != 2)
        return usage(o, diag, _("'review' needs two files, two folders or a revision"));
    return collect_files(pairs, o, diag);
}

bool pairs_collect(struct pairs *pairs, const struct options *o, struct diag *diag)
{
    *pairs = (struct pairs){0};
    blobs_init(&pairs->blobs);
    bool revisions = o->operands.count && names_revisions(o);
    return collect(pairs, o, diag) && make_sides(pairs, revisions && 1 < o->operands.count, diag);
}

void pairs_release(struct pairs *pairs)
{
    for (int i = 0; i < PAIR_SIDES; ++i) {
        inputs_release(&pairs->sides[i].inputs);
        vec_release(&pairs->sides[i].setups);
        snapshot_free(pairs->sides[i].snapshot);
    }
    blobs_release(&pairs->blobs);
    vec_release(&pairs->list);
    inputs_release(&pairs->inputs);
    arena_release(&pairs->arena);
}

/* ---- reading */

bool pairs_read(struct pairs *pairs, const struct pair_file *file, struct content *content,
                struct diag *diag)
{
    *content = (struct content){0};
    if (!file->name) {
        content->text = xcalloc(1, SOURCE_PADDING);
        return true;
    }
    if (!file->blob)
        return read_file(file->path, file->name, content, diag);
    return blobs_read(&pairs->blobs, file->blob, file->name, content, diag);
}
