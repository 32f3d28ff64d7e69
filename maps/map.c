/* The map itself: its tables, the files that fill them, what is looked up in them.  */
#include <config.h>

#include "maps/map_p.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/i18n.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "maps/library.h"

#define HASH_FUNCTION(name, len, res) ((res) = hash_bytes((name), (len)))
#define uthash_fatal(text) xalloc_die()
#include <uthash.h>

/* Room for the whole catalogue without rebuilding the table while it is filled. */
#undef HASH_INITIAL_NUM_BUCKETS
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#define HASH_INITIAL_NUM_BUCKETS 16384U
#define HASH_INITIAL_NUM_BUCKETS_LOG2 14U

enum {
    MAX_ERRORS = 20, /* of one file; behind them it is not read on */
    MAX_FILE = 64 * 1024 * 1024,
    FILTER_BITS = 1 << 18, /* some ten for each name of the catalogue */
};

struct entry {
    struct api api;
    unsigned file; /* the number of the file it was last set by */
    UT_hash_handle hh;
};

struct map {
    struct arena arena;
    struct entry *names;
    /* One bit for some of the hash of each name: most names of a file are no API's, and this says
       so without a walk through the table, which is larger than the caches. */
    uint64_t filter[FILTER_BITS / 64];
    struct entry *headers;
    VEC(struct entry *) folders; /* the headers that end in "/..." */
    VEC(char *) texts;           /* the files; the entries' strings point into them */
    struct library_table *libraries;
    VEC(const char *) condition_types; /* CUDA names, few */
    unsigned files;
    version newest_hip;
};

static struct reader reader_of(struct map *map, const char *file, struct diag *diag)
{
    return (struct reader){.map = map, .arena = &map->arena, .diag = diag, .place = {.file = file}};
}

struct map *map_new(void)
{
    struct map *res = xcalloc(1, sizeof *res);
    res->libraries = library_table_new();
    /* No argument change asks for this one, but a rule does. */
    *vec_push(&res->condition_types) = "cudaDeviceProp";
    return res;
}

const struct library_table *map_libraries(const struct map *map)
{
    return map->libraries;
}

void map_free(struct map *map)
{
    if (!map)
        return;
    HASH_CLEAR(hh, map->names);
    HASH_CLEAR(hh, map->headers);
    vec_release(&map->folders);
    for (size_t i = 0; i < map->texts.count; ++i)
        free(map->texts.items[i]);
    vec_release(&map->texts);
    library_table_free(map->libraries);
    vec_release(&map->condition_types);
    arena_release(&map->arena);
    free(map);
}

char *map_finish_text(char *begin, char *end)
{
    while (begin < end && is_blank(*begin))
        ++begin;
    while (begin < end && is_blank(end[-1]))
        --end;
    *end = '\0';
    return begin;
}

void map_note_condition_type(struct map *map, const char *type)
{
    for (size_t i = 0; i < map->condition_types.count; ++i)
        if (strcmp(map->condition_types.items[i], type) == 0)
            return;
    *vec_push(&map->condition_types) = type;
}

static bool is_folder(const char *path, size_t len)
{
    return 4 < len && memcmp(path + len - 4, "/...", 4) == 0;
}

/* The bit of HASH in a map's filter. */
static unsigned filter_bit(unsigned hash)
{
    /* The table's buckets are chosen by the low bits. */
    return hash >> 14 & (FILTER_BITS - 1);
}

bool map_add(struct reader *reader, const struct api *api, size_t len)
{
    struct map *map = reader->map;
    struct entry **table = api->kind == API_HEADER ? &map->headers : &map->names;
    unsigned hash = hash_bytes(api->cuda, len);
    struct entry *entry;
    HASH_FIND_BYHASHVALUE(hh, *table, api->cuda, len, hash, entry);
    if (entry) {
        if (entry->file == map->files)
            return complain(reader, _("'%s' is there twice"), api->cuda);
        entry->api = *api;
        entry->file = map->files;
        return true;
    }
    entry = arena_alloc(&map->arena, sizeof *entry);
    entry->api = *api;
    entry->file = map->files;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, *table, entry->api.cuda, len, hash, entry);
    map->filter[filter_bit(hash) / 64] |= (uint64_t)1 << filter_bit(hash) % 64;
    if (api->kind == API_HEADER && is_folder(api->cuda, len))
        *vec_push(&map->folders) = entry;
    return true;
}

/* The bytes of FILE and a NUL behind them, from malloc; NULL with errno set on failure. */
static char *read_file(const char *file, size_t *len)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    size_t room = 256 * 1024;
    char *text = xmalloc(room + 1);
    for (*len = 0;;) {
        if (*len == room) {
            if (MAX_FILE <= room) {
                errno = EFBIG;
                break;
            }
            room *= 2;
            text = xrealloc_array(text, room + 1, 1);
        }
        ssize_t got = read(fd, text + *len, room - *len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        if (got == 0) {
            close(fd);
            text[*len] = '\0';
            return text;
        }
        *len += (size_t)got;
    }
    int error = errno;
    close(fd);
    free(text);
    errno = error;
    return NULL;
}

/* "runtime" of "maps/runtime.map". */
static const char *library_of(struct map *map, const char *file)
{
    const char *base = strrchr(file, '/');
    base = base ? base + 1 : file;
    size_t len = strlen(base);
    if (4 < len && strcmp(base + len - 4, ".map") == 0)
        len -= 4;
    return arena_strndup(&map->arena, base, len);
}

bool map_load_text(struct map *map, const char *file, char *text, size_t len, struct diag *diag)
{
    struct reader reader = reader_of(map, file, diag);
    *vec_push(&map->texts) = text;
    ++map->files;
    reader.library = reader.source = library_of(map, file);
    for (char *p = text, *end = text + len; p < end;) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop)
            stop = end;
        ++reader.place.line;
        if (!map_read_line(&reader, p, stop) && reader.errors == MAX_ERRORS)
            return complain(&reader, _("too many errors; the rest of the file is not read"));
        p = stop + 1;
    }
    return !reader.errors;
}

bool map_load_file(struct map *map, const char *file, struct diag *diag)
{
    size_t len;
    char *text = read_file(file, &len);
    struct reader reader = reader_of(map, file, diag);
    if (!text)
        return complain(&reader, _("cannot read: %s"), strerror(errno));
    return map_load_text(map, file, text, len, diag);
}

/* NAME, TAB, SHIM between BEGIN and END. */
static bool read_shim(struct reader *reader, char *begin, char *end)
{
    if (begin == end || *begin == '#')
        return true;
    char *tab = memchr(begin, '\t', (size_t)(end - begin));
    if (!tab || tab + 1 == end)
        return complain(reader, _("no second name behind a TAB"));
    char *name = map_finish_text(begin, tab);
    char *shim = map_finish_text(tab + 1, end);
    struct entry *entry;
    HASH_FIND(hh, reader->map->names, name, strlen(name), entry);
    if (!entry)
        return complain(reader, _("'%s' is no name of the maps"), name);
    entry->api.shim = shim;
    return true;
}

bool map_load_shims(struct map *map, const char *file, struct diag *diag)
{
    size_t len;
    char *text = read_file(file, &len);
    struct reader reader = reader_of(map, file, diag);
    if (!text)
        return complain(&reader, _("cannot read: %s"), strerror(errno));
    *vec_push(&map->texts) = text;
    for (char *p = text, *end = text + len, *stop; p < end && reader.errors < MAX_ERRORS;
         p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop)
            stop = end;
        ++reader.place.line;
        read_shim(&reader, p, stop);
    }
    return !reader.errors;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool map_load_dir(struct map *map, const char *dir, struct diag *diag)
{
    struct reader reader = reader_of(map, dir, diag);
    DIR *stream = opendir(dir);
    if (!stream)
        return complain(&reader, _("cannot read: %s"), strerror(errno));
    struct arena scratch = ARENA_INIT;
    VEC(char *) files = {0};
    for (struct dirent *item; (item = readdir(stream));) {
        size_t len = strlen(item->d_name);
        if (4 < len && item->d_name[0] != '.' && strcmp(item->d_name + len - 4, ".map") == 0)
            *vec_push(&files) = arena_printf(&scratch, "%s/%s", dir, item->d_name);
    }
    closedir(stream);
    bool res = files.count || complain(&reader, _("there is no *.map file in this folder"));
    if (res)
        qsort(files.items, files.count, sizeof *files.items, compare_text);
    for (size_t i = 0; i < files.count; ++i)
        res = map_load_file(map, files.items[i], diag) && res;
    const char *list = arena_printf(&scratch, "%s/libraries.list", dir);
    if (access(list, F_OK) == 0)
        res = library_load_file(map->libraries, list, diag) && res;
    vec_release(&files);
    /* The messages are text by now, so the names may go. */
    arena_release(&scratch);
    return res;
}

const struct api *map_find(const struct map *map, const char *text, size_t len)
{
    return map_find_hashed(map, text, len, hash_bytes(text, len));
}

const struct api *map_find_hashed(const struct map *map, const char *text, size_t len,
                                  unsigned hash)
{
    struct entry *entry;
    if (!(map->filter[filter_bit(hash) / 64] >> filter_bit(hash) % 64 & 1))
        return NULL;
    HASH_FIND_BYHASHVALUE(hh, map->names, text, len, hash, entry);
    return entry ? &entry->api : NULL;
}

const struct api *map_condition_type(const struct map *map, const char *text, size_t len)
{
    for (size_t i = 0; i < map->condition_types.count; ++i) {
        const char *type = map->condition_types.items[i];
        const struct api *api = map_find(map, type, strlen(type));
        if (api && api->hip && strlen(api->hip) == len && memcmp(api->hip, text, len) == 0)
            return api;
    }
    return NULL;
}

const struct api *map_find_header(const struct map *map, const char *path, size_t len)
{
    struct entry *entry;
    HASH_FIND(hh, map->headers, path, len, entry);
    if (entry)
        return &entry->api;
    size_t best = 0;
    for (size_t i = 0; i < map->folders.count; ++i) {
        struct entry *folder = map->folders.items[i];
        size_t prefix = strlen(folder->api.cuda) - 3;
        if (best < prefix && prefix < len && memcmp(folder->api.cuda, path, prefix) == 0) {
            best = prefix;
            entry = folder;
        }
    }
    return entry ? &entry->api : NULL;
}

void map_header_path(const struct api *api, const char *path, size_t len, struct strbuf *out)
{
    if (!api->hip)
        return;
    size_t hip = strlen(api->hip), cuda = strlen(api->cuda);
    if (is_folder(api->hip, hip) && is_folder(api->cuda, cuda) && cuda - 3 < len) {
        strbuf_add(out, api->hip, hip - 3);
        strbuf_add(out, path + cuda - 3, len - (cuda - 3));
    } else {
        strbuf_add(out, api->hip, hip);
    }
}

bool map_is_hip_header(const struct map *map, const char *path, size_t len)
{
    for (struct entry *entry = map->headers; entry; entry = entry->hh.next) {
        const char *hip = entry->api.hip;
        if (!hip || entry->api.action == HEADER_KEEP)
            continue;
        size_t hip_len = strlen(hip);
        if (is_folder(hip, hip_len)) {
            if (hip_len - 3 < len && memcmp(hip, path, hip_len - 3) == 0)
                return true;
        } else if (hip_len == len && memcmp(hip, path, len) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_entries(const void *a, const void *b)
{
    const struct api *x = *(const struct api *const *)a, *y = *(const struct api *const *)b;
    int res = strcmp(x->library, y->library);
    if (!res)
        res = strcmp(x->cuda, y->cuda);
    return res ? res : (int)x->kind - (int)y->kind;
}

static bool name_matches(const char *text, const char *name, size_t len, bool prefix)
{
    return text && strncmp(text, name, len) == 0 && (prefix || !text[len]);
}

void map_lookup(const struct map *map, const char *name, bool prefix,
                void (*fn)(const struct api *api, void *context), void *context)
{
    VEC(const struct api *) found = {0};
    size_t len = strlen(name);
    const struct entry *const tables[] = {map->names, map->headers};
    for (size_t i = 0; i < 2; ++i) {
        for (const struct entry *entry = tables[i]; entry; entry = entry->hh.next) {
            if (name_matches(entry->api.cuda, name, len, prefix) ||
                name_matches(entry->api.hip, name, len, prefix))
                *vec_push(&found) = &entry->api;
        }
    }
    if (found.count)
        qsort(found.items, found.count, sizeof *found.items, compare_entries);
    for (size_t i = 0; i < found.count; ++i)
        fn(found.items[i], context);
    vec_release(&found);
}

size_t map_count(const struct map *map)
{
    return HASH_COUNT(map->names) + HASH_COUNT(map->headers);
}

void map_note_hip(struct map *map, version v)
{
    if (map->newest_hip < v)
        map->newest_hip = v;
}

version map_newest_hip(const struct map *map)
{
    return map->newest_hip;
}
