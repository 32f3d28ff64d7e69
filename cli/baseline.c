#include <config.h>

#include "cli/baseline.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "cli/snapshot.h"
#include "cli/write.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

#define FIRST_LINE "# hipwright baseline 1: file, rule, count, kernel, text, related place"

enum { MOST = 1000 * 1000 * 1000 };

/* A line of the file. */
struct entry {
    struct entry *next; /* of the same key in another file */
    const char *file;   /* as the line has it */
    const char *key;    /* RULE, KERNEL, TEXT and perhaps RELATED with tabs between them */
    unsigned long left; /* so many more findings are known by it */
    unsigned line;
    const char *whole; /* file and key, the key of the table */
    UT_hash_handle hh;
};

/* The entries of one key. */
struct group {
    const char *key;
    struct entry *first, *last;
    UT_hash_handle hh;
};

/* A file that was looked at. */
struct looked_at {
    UT_hash_handle hh;
    char name[];
};

/* A fingerprint of a finding. */
struct print {
    const char *file, *key;
    size_t finding;
};

struct baseline {
    const char *path;
    char *folder; /* absolute, or NULL where it cannot be told */
    struct arena arena;
    VEC(struct entry *) entries; /* in the order of the file */
    struct entry *by_whole;
    struct group *by_key;
    struct looked_at *files;
    const char *file; /* whose findings are being added */
    VEC(struct print) prints;
    VEC(size_t) missing; /* by finding: fingerprints without entry */
};

/* ---- names of files */

/* Appends the absolute path NAME to PATH without `.`, `..` and empty parts, by its letters alone.
 */
static void add_clean(struct strbuf *path, const char *name)
{
    while (*name) {
        size_t len = strcspn(name, "/");
        if (len == 2 && !memcmp(name, "..", 2)) {
            char *slash = path->len ? strrchr(path->text, '/') : NULL;
            path->len = slash ? (size_t)(slash - path->text) : 0;
            if (path->text)
                path->text[path->len] = '\0';
        } else if (len && !(len == 1 && *name == '.')) {
            strbuf_addc(path, '/');
            strbuf_add(path, name, len);
        }
        name += len + (name[len] == '/');
    }
}

/* The absolute path of NAME; NULL where there is no working directory. The caller frees it. */
static char *absolute(const char *name)
{
    struct strbuf path = STRBUF_INIT;
    char *here = *name == '/' ? xstrdup("") : getcwd(NULL, 0);
    if (!here)
        return NULL;
    add_clean(&path, here);
    add_clean(&path, name);
    free(here);
    return path.text ? path.text : xstrdup("");
}

/* Appends the way from the folder FROM to the file TO, both absolute. */
static void add_way(struct strbuf *out, const char *from, const char *to)
{
    size_t same = 0;
    for (size_t i = 0;; ++i) {
        bool end_from = !from[i] || from[i] == '/', end_to = !to[i] || to[i] == '/';
        if (end_from && end_to)
            same = i;
        if (!from[i] || !to[i] || from[i] != to[i])
            break;
    }
    for (const char *at = from + same; *at; ++at)
        if (*at == '/')
            strbuf_adds(out, "../");
    strbuf_adds(out, to + same + (to[same] == '/'));
}

/* The file NAME as the baseline calls it. */
static const char *name_of(struct baseline *b, const char *name)
{
    struct strbuf way = STRBUF_INIT, shown = STRBUF_INIT;
    char *to = strcmp(name, "<stdin>") ? absolute(name) : NULL;
    if (to && b->folder)
        add_way(&way, b->folder, to);
    else
        strbuf_adds(&way, name); /* standard input */
    utf8_add_terminal(&shown, way.text ? way.text : "", way.len);
    const char *res = arena_strndup(&b->arena, shown.text ? shown.text : "", shown.len);
    free(to);
    strbuf_release(&way);
    strbuf_release(&shown);
    return res;
}

struct baseline *baseline_new(const char *path)
{
    struct baseline *res = xcalloc(1, sizeof *res);
    res->path = path;
    res->folder = absolute(path);
    char *slash = res->folder ? strrchr(res->folder, '/') : NULL;
    if (slash)
        *slash = '\0';
    return res;
}

void baseline_free(struct baseline *b)
{
    HASH_CLEAR(hh, b->by_whole);
    HASH_CLEAR(hh, b->by_key);
    HASH_CLEAR(hh, b->files);
    vec_release(&b->entries);
    vec_release(&b->prints);
    vec_release(&b->missing);
    free(b->folder);
    arena_release(&b->arena);
    free(b);
}

/* ---- entries */

static struct entry *find_entry(const struct baseline *b, const char *file, const char *key)
{
    struct strbuf whole = STRBUF_INIT;
    struct entry *res;
    strbuf_printf(&whole, "%s\t%s", file, key);
    HASH_FIND(hh, b->by_whole, whole.text, whole.len, res);
    strbuf_release(&whole);
    return res;
}

static struct group *find_group(const struct baseline *b, const char *key)
{
    struct group *res;
    HASH_FIND_STR(b->by_key, key, res);
    return res;
}

/* Adds COUNT of KEY in FILE, both borrowed; one more line for what is there adds to it. */
static void add_entry(struct baseline *b, const char *file, const char *key, unsigned long count,
                      unsigned line)
{
    struct entry *entry = find_entry(b, file, key);
    if (entry) {
        entry->left += count;
        return;
    }
    entry = arena_zalloc(&b->arena, 1, sizeof *entry);
    *entry = (struct entry){.file = file, .key = key, .left = count, .line = line};
    entry->whole = arena_printf(&b->arena, "%s\t%s", file, key);
    *vec_push(&b->entries) = entry;
    HASH_ADD_KEYPTR(hh, b->by_whole, entry->whole, strlen(entry->whole), entry);
    struct group *group = find_group(b, key);
    if (group) {
        group->last->next = entry;
        group->last = entry;
        return;
    }
    group = arena_zalloc(&b->arena, 1, sizeof *group);
    *group = (struct group){.key = key, .first = entry, .last = entry};
    HASH_ADD_KEYPTR(hh, b->by_key, group->key, strlen(group->key), group);
}

/* Takes a line, "FILE RULE COUNT KERNEL TEXT [RELATED]"; false where it is none. */
static bool take_line(struct baseline *b, char *line, unsigned number)
{
    char *fields[7], *end;
    size_t count = 0;
    for (char *at = line; count < 7;) {
        fields[count++] = at;
        at = strchr(at, '\t');
        if (!at)
            break;
        *at++ = '\0';
    }
    if (count != 5 && count != 6)
        return false;
    unsigned long times = strtoul(fields[2], &end, 10);
    if (*fields[2] < '1' || '9' < *fields[2] || *end || MOST < times || !*fields[0] || !*fields[1])
        return false;
    const char *key = arena_printf(&b->arena, "%s\t%s\t%s%s%s", fields[1], fields[3], fields[4],
                                   count == 6 ? "\t" : "", count == 6 ? fields[5] : "");
    add_entry(b, arena_strndup(&b->arena, fields[0], strlen(fields[0])), key, times, number);
    return true;
}

bool baseline_read(struct baseline *b, struct snapshot *snapshot, struct diag *diag)
{
    struct content content;
    struct diag_place place = {.file = b->path, .line = 1};
    if (!snapshot_read_name(snapshot, b->path, &content, diag))
        return false;
    bool good = true;
    char *end = content.text + content.len;
    for (char *at = content.text; good && (at < end || place.line == 1); ++place.line) {
        char *nl = memchr(at, '\n', (size_t)(end - at));
        char *stop = nl ? nl : end;
        bool cr = at < stop && stop[-1] == '\r';
        stop[cr ? -1 : 0] = '\0'; /* behind the end there is padding */
        bool whole = strlen(at) == (size_t)(stop - at) - cr;
        good = whole &&
               (place.line == 1 ? !strcmp(at, FIRST_LINE) : !*at || take_line(b, at, place.line));
        if (!good)
            diag_add(diag, DIAG_ERROR, place,
                     place.line == 1 ? _("this is no baseline that this version reads")
                                     : _("this is no line of a baseline"));
        at = nl ? nl + 1 : end;
    }
    free(content.text);
    return good;
}

/* ---- findings */

void baseline_add_file(struct baseline *b, const char *name)
{
    struct looked_at *file;
    b->file = name_of(b, name);
    HASH_FIND_STR(b->files, b->file, file);
    if (file)
        return;
    size_t len = strlen(b->file);
    file = arena_zalloc(&b->arena, 1, sizeof *file + len + 1);
    memcpy(file->name, b->file, len);
    HASH_ADD_KEYPTR(hh, b->files, file->name, len, file);
}

size_t baseline_add(struct baseline *b, const char *keys, size_t len)
{
    size_t res = b->missing.count;
    *vec_push(&b->missing) = 0;
    for (const char *at = keys, *end = keys + len; at < end;) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        *vec_push(&b->prints) = (struct print){
            b->file, arena_strndup(&b->arena, at, (size_t)((nl ? nl : end) - at)), res};
        at = nl ? nl + 1 : end;
    }
    return res;
}

/* Takes one from an entry of any file; false where none is left. */
static bool take_any(const struct baseline *b, const char *key)
{
    struct group *group = find_group(b, key);
    if (!group)
        return false;
    while (group->first && !group->first->left)
        group->first = group->first->next;
    if (!group->first)
        return false;
    group->first->left--;
    return true;
}

void baseline_settle(struct baseline *b)
{
    size_t rest = 0;
    vec_each (const struct print, print, &b->prints) {
        struct entry *entry = find_entry(b, print->file, print->key);
        if (entry && entry->left)
            entry->left--;
        else
            b->prints.items[rest++] = *print;
    }
    for (size_t i = 0; i < rest; ++i) {
        const struct print *print = &b->prints.items[i];
        b->missing.items[print->finding] += !take_any(b, print->key);
    }
    b->prints.count = 0;
}

bool baseline_is_known(const struct baseline *b, size_t number)
{
    return !b->missing.items[number];
}

/* Whether this run could have found what ENTRY speaks of. */
static bool is_due(const struct baseline *b, const struct entry *entry)
{
    struct looked_at *file;
    HASH_FIND_STR(b->files, entry->file, file);
    if (file)
        return true;
    /* A name with a backslash may stand for other bytes. */
    if (!b->folder || strchr(entry->file, '\\'))
        return false;
    struct strbuf path = STRBUF_INIT;
    strbuf_printf(&path, "%s/%s", b->folder, entry->file);
    bool res = access(path.text, F_OK) != 0;
    strbuf_release(&path);
    return res;
}

size_t baseline_tell_stale(const struct baseline *b, struct diag *diag)
{
    size_t res = 0;
    for (size_t i = 0; i < b->entries.count; ++i) {
        const struct entry *entry = b->entries.items[i];
        if (!entry->left || !is_due(b, entry))
            continue;
        const char *text = strrchr(entry->key, '\t') + 1;
        size_t rule = strcspn(entry->key, "\t");
        diag_add(diag, DIAG_NOTE, (struct diag_place){.file = b->path, .line = entry->line},
                 _("is no longer found in '%s': %.*s: %s"), entry->file, (int)rule, entry->key,
                 text);
        ++res;
    }
    return res;
}

/* ---- writing */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool baseline_write(const struct baseline *b, struct diag *diag)
{
    struct baseline *sums = baseline_new(b->path);
    VEC(const char *) lines = {0};
    struct strbuf text = STRBUF_INIT;
    vec_each (const struct print, print, &b->prints)
        add_entry(sums, print->file, print->key, 1, 0);
    for (size_t i = 0; i < sums->entries.count; ++i) {
        const struct entry *entry = sums->entries.items[i];
        int rule = (int)strcspn(entry->key, "\t");
        *vec_push(&lines) = arena_printf(&sums->arena, "%s\t%.*s\t%lu%s", entry->file, rule,
                                         entry->key, entry->left, entry->key + rule);
    }
    if (lines.count)
        qsort(lines.items, lines.count, sizeof *lines.items, compare_lines);
    strbuf_adds(&text, FIRST_LINE "\n");
    for (size_t i = 0; i < lines.count; ++i)
        strbuf_printf(&text, "%s\n", lines.items[i]);
    bool res =
        write_is_same(b->path, text.text, text.len) ||
        write_file(&(struct write_job){.path = b->path, .text = text.text, .len = text.len}, diag);
    strbuf_release(&text);
    vec_release(&lines);
    baseline_free(sums);
    return res;
}
