#include <config.h>

#include "cli/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "cli/path.h"
#include "cli/read.h"
#include "cli/write.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

static const char first_line[] = "hipwright record 1";
static const char comment[] =
    "# What hipwright wrote into this folder: SHA-256 of the output, SHA-256 of the input,\n"
    "# version/options, output, input. An output with another content was edited since.\n";

struct item {
    struct record_entry entry;
    bool set;  /* in this run */
    bool gone; /* the output is no longer there */
    UT_hash_handle hh;
};

/* A line of the journal: "HASH PATH". */
struct announced {
    UT_hash_handle hh;
    char key[];
};

struct record {
    struct arena arena;
    char *folder;
    char *name;    /* of the record's file */
    char *journal; /* likewise */
    int journal_fd;
    bool journal_there;
    bool journal_cut; /* its last line may lack its end */
    struct item *items;
    struct announced *announced;
};

/* ---- paths in lines */

static void add_escaped(struct strbuf *out, const char *path)
{
    for (size_t i = 0, len = strlen(path); i < len;) {
        uint32_t code;
        size_t used = utf8_next(path + i, len - i, &code);
        if (!used || path[i] == '\\' || utf8_width(code) < 0) {
            for (size_t k = 0; k < (used ? used : 1); ++k)
                strbuf_printf(out, "\\x%02X", (unsigned)(unsigned char)path[i + k]);
        } else {
            strbuf_add(out, path + i, used);
        }
        i += used ? used : 1;
    }
}

static int digit(char c)
{
    const char *at = c ? strchr("0123456789ABCDEF", c) : NULL;
    return at ? (int)(at - "0123456789ABCDEF") : -1;
}

/* The path that the LEN bytes at TEXT stand for; NULL where they are none. */
static const char *unescape(struct arena *arena, const char *text, size_t len)
{
    char *res = arena_strndup(arena, text, len);
    size_t to = 0;
    for (size_t i = 0; i < len; ++i) {
        if (text[i] != '\\') {
            res[to++] = text[i];
            continue;
        }
        int high = i + 3 < len && text[i + 1] == 'x' ? digit(text[i + 2]) : -1;
        int low = 0 <= high ? digit(text[i + 3]) : -1;
        if (low < 0 || !(high | low))
            return NULL;
        res[to++] = (char)(high * 16 + low);
        i += 3;
    }
    res[to] = '\0';
    return to ? res : NULL;
}

/* ---- reading */

static bool is_hash(const char *text, size_t len)
{
    if (len != SHA256_HEX)
        return false;
    for (size_t i = 0; i < len; ++i)
        if (!text[i] || !strchr("0123456789abcdef", text[i]))
            return false;
    return true;
}

/* Reads the line of LEN bytes at TEXT into *ENTRY, whose strings live in ARENA; false where it is
   none. */
static bool read_line(struct arena *arena, const char *text, size_t len, struct record_entry *entry)
{
    enum { FIELDS = 5 };
    const char *fields[FIELDS], *end = text + len;
    size_t lens[FIELDS];
    for (int i = 0; i < FIELDS; ++i) {
        const char *tab = memchr(text, '\t', (size_t)(end - text));
        if (!tab != (i == FIELDS - 1))
            return false;
        fields[i] = text;
        lens[i] = (size_t)((tab ? tab : end) - text);
        text = tab ? tab + 1 : end;
    }
    if (!is_hash(fields[0], lens[0]) || !is_hash(fields[1], lens[1]) || !lens[2] ||
        memchr(fields[0], '\0', len))
        return false;
    memcpy(entry->output, fields[0], SHA256_HEX + 1);
    memcpy(entry->input, fields[1], SHA256_HEX + 1);
    entry->output[SHA256_HEX] = entry->input[SHA256_HEX] = '\0';
    entry->how = arena_strndup(arena, fields[2], lens[2]);
    entry->path = unescape(arena, fields[3], lens[3]);
    entry->source = unescape(arena, fields[4], lens[4]);
    return entry->path && entry->source && !path_leads_out(entry->path);
}

static struct item *find(const struct record *record, const char *path)
{
    struct item *res;
    HASH_FIND(hh, record->items, path, strlen(path), res);
    return res;
}

static struct item *add(struct record *record, const struct record_entry *entry)
{
    struct item *res = arena_zalloc(&record->arena, 1, sizeof *res);
    res->entry = *entry;
    HASH_ADD_KEYPTR(hh, record->items, res->entry.path, strlen(res->entry.path), res);
    return res;
}

static bool damaged(const struct record *record, unsigned line, struct diag *diag)
{
    diag_add(diag, DIAG_ERROR, (struct diag_place){.file = record->name, .line = line},
             _("the record is damaged; nothing was written. Mend it, or remove it and translate "
               "with '--force'"));
    return false;
}

static bool read_record(struct record *record, struct diag *diag)
{
    struct content content;
    if (access(record->name, F_OK) && errno == ENOENT)
        return true;
    if (!read_regular(record->name, &content, diag))
        return false;
    bool res = true;
    unsigned number = 0;
    const char *end = content.text + content.len;
    for (const char *at = content.text; res && (at < end || !number);) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((nl ? nl : end) - at);
        struct record_entry entry;
        ++number;
        if (!nl)
            res = false; /* cut off */
        else if (number == 1)
            res = len == strlen(first_line) && !memcmp(at, first_line, len);
        else if (*at != '#')
            res = read_line(&record->arena, at, len, &entry) && !find(record, entry.path) &&
                  add(record, &entry);
        at = nl ? nl + 1 : end;
    }
    free(content.text);
    return res || damaged(record, number, diag);
}

static bool is_announced(const struct record *record, const char *hash, const char *path)
{
    struct strbuf key = STRBUF_INIT;
    struct announced *res;
    strbuf_printf(&key, "%s %s", hash, path);
    HASH_FIND(hh, record->announced, key.text, key.len, res);
    strbuf_release(&key);
    return res != NULL;
}

static void add_announced(struct record *record, const char *hash, const char *path)
{
    if (is_announced(record, hash, path))
        return;
    size_t len = strlen(hash) + 1 + strlen(path);
    struct announced *item = arena_zalloc(&record->arena, 1, sizeof *item + len + 1);
    memcpy(item->key, hash, strlen(hash));
    item->key[strlen(hash)] = ' ';
    strcpy(item->key + strlen(hash) + 1, path);
    HASH_ADD_KEYPTR(hh, record->announced, item->key, len, item);
}

/* What a run that was killed left. Its last line may be cut off: then the file was not written
   either. */
static bool read_journal(struct record *record, struct diag *diag)
{
    struct content content;
    if (!read_log(record->journal, &content, diag))
        return false;
    record->journal_there = record->journal_cut = content.text != NULL;
    if (!content.text)
        return true;
    const char *end = content.text + content.len;
    for (const char *at = content.text, *nl; at < end; at = nl + 1) {
        struct record_entry entry;
        nl = memchr(at, '\n', (size_t)(end - at));
        if (!nl)
            break;
        if (read_line(&record->arena, at, (size_t)(nl - at), &entry))
            add_announced(record, entry.output, entry.path);
    }
    free(content.text);
    return true;
}

static char *in_folder(const char *folder, const char *name)
{
    struct strbuf res = STRBUF_INIT;
    strbuf_printf(&res, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    return res.text;
}

struct record *record_open(const char *folder, struct diag *diag)
{
    struct record *res = xcalloc(1, sizeof *res);
    res->folder = xstrdup(folder);
    res->name = in_folder(folder, ".hipwright.record");
    res->journal = in_folder(folder, ".hipwright.journal");
    res->journal_fd = -1;
    if (read_record(res, diag) && read_journal(res, diag))
        return res;
    record_free(res);
    return NULL;
}

void record_free(struct record *record)
{
    if (!record)
        return;
    HASH_CLEAR(hh, record->items);
    HASH_CLEAR(hh, record->announced);
    if (0 <= record->journal_fd)
        close(record->journal_fd);
    free(record->folder);
    free(record->name);
    free(record->journal);
    arena_release(&record->arena);
    free(record);
}

/* ---- asking and changing */

const struct record_entry *record_find(const struct record *record, const char *path)
{
    const struct item *item = find(record, path);
    return item ? &item->entry : NULL;
}

/* Whether CONTENT is what a failure of power may leave of the LEN bytes at TEXT: nothing, or whole
   pages of it, and NUL bytes where the rest was to be. Nobody's editor makes that. */
static bool is_torn(const struct content *content, const char *text, size_t len)
{
    enum { PAGE = 4096 };
    size_t kept = content->len;
    while (kept && !content->text[kept - 1])
        --kept;
    bool padded = kept < content->len;
    return !kept ||
           (kept < len && (padded || kept % PAGE == 0) && !memcmp(content->text, text, kept));
}

bool record_is_ours(const struct record *record, const char *path, const char *file,
                    const char *text, size_t len)
{
    const struct record_entry *entry = record_find(record, path);
    struct content content;
    struct diag none = DIAG_INIT;
    bool res = read_regular(file, &content, &none);
    diag_release(&none);
    if (!res)
        return false;
    char hash[SHA256_HEX + 1];
    bool torn = is_torn(&content, text, len);
    sha256_hex(content.text, content.len, hash);
    free(content.text);
    return torn || (entry && !strcmp(entry->output, hash)) || is_announced(record, hash, path);
}

static void add_line(struct strbuf *out, const struct record_entry *entry)
{
    strbuf_printf(out, "%s\t%s\t%s\t", entry->output, entry->input, entry->how);
    add_escaped(out, entry->path);
    strbuf_addc(out, '\t');
    add_escaped(out, entry->source);
    strbuf_addc(out, '\n');
}

/* Opens the journal, to which several runs may append at once; each of them holds it locked, and
   the last one removes it. False after a message. */
static bool open_journal(struct record *record, struct diag *diag)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; ++i) {
        struct stat open, named;
        if (!write_log(&record->journal_fd, record->journal, "", 0, diag))
            return false;
        while (flock(record->journal_fd, LOCK_SH) && errno == EINTR)
            continue;
        if (!fstat(record->journal_fd, &open) && !stat(record->journal, &named) &&
            open.st_dev == named.st_dev && open.st_ino == named.st_ino)
            break;
        close(record->journal_fd); /* a run that ended has just removed it */
        record->journal_fd = -1;
    }
    return true;
}

static bool remove_journal(struct record *record, struct diag *diag)
{
    if (record->journal_fd < 0)
        record->journal_fd = open(record->journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (record->journal_fd < 0)
        return errno == ENOENT || write_remove_log(record->journal, diag);
    return (flock(record->journal_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) ||
           write_remove_log(record->journal, diag);
}

bool record_announce(struct record *record, const struct record_entry *entry, struct diag *diag)
{
    if (record->journal_fd < 0 && !open_journal(record, diag))
        return false;
    struct strbuf line = STRBUF_INIT;
    /* Behind a line that a full disk cut off, a new one begins. */
    if (record->journal_cut)
        strbuf_addc(&line, '\n');
    add_line(&line, entry);
    bool res = write_log(&record->journal_fd, record->journal, line.text, line.len, diag);
    record->journal_there = record->journal_there || 0 <= record->journal_fd;
    record->journal_cut = !res;
    strbuf_release(&line);
    return res;
}

void record_set(struct record *record, const struct record_entry *entry)
{
    struct item *item = find(record, entry->path);
    struct record_entry copy = *entry;
    copy.how = arena_strndup(&record->arena, entry->how, strlen(entry->how));
    copy.source = arena_strndup(&record->arena, entry->source, strlen(entry->source));
    if (item) {
        copy.path = item->entry.path;
        item->entry = copy;
    } else {
        copy.path = arena_strndup(&record->arena, entry->path, strlen(entry->path));
        item = add(record, &copy);
    }
    item->set = true;
}

static int compare(const struct item *a, const struct item *b)
{
    return strcmp(a->entry.path, b->entry.path);
}

size_t record_tell_gone(struct record *record, struct diag *diag)
{
    size_t res = 0;
    /* Behind a link, `..` leads elsewhere. */
    struct stat st;
    bool link = !lstat(record->folder, &st) && S_ISLNK(st.st_mode);
    HASH_SORT(record->items, compare);
    for (struct item *item = record->items; item; item = item->hh.next) {
        if (item->set)
            continue;
        char *output = in_folder(record->folder, item->entry.path);
        char *source = *item->entry.source == '/' ? xstrdup(item->entry.source)
                                                  : in_folder(record->folder, item->entry.source);
        bool there = !access(output, F_OK);
        if (there && access(source, F_OK) && errno == ENOENT) {
            diag_add(diag, DIAG_WARNING, (struct diag_place){.file = output},
                     _("its source '%s' is gone; remove it if it is not wanted"),
                     link ? source : path_tidy(source, &record->arena));
            ++res;
        }
        item->gone = !there;
        free(output);
        free(source);
    }
    return res;
}

/* Takes over what runs that ended meanwhile have written into the same folder, to judge by the
   record as it is NOW. */
static void merge(struct record *record, const struct record *now)
{
    for (struct item *item = record->items, *next; item; item = next) {
        next = item->hh.next;
        if (!item->set && !find(now, item->entry.path))
            HASH_DEL(record->items, item);
    }
    for (const struct item *other = now->items; other; other = other->hh.next) {
        struct item *item = find(record, other->entry.path);
        if (item && (item->set || !strcmp(item->entry.output, other->entry.output)))
            continue;
        record_set(record, &other->entry);
        find(record, other->entry.path)->gone = false;
    }
}

/* Writes the record, which is locked. */
static bool save(struct record *record, struct diag *diag)
{
    struct record now = {.name = record->name};
    bool res = read_record(&now, diag);
    if (res)
        merge(record, &now);
    HASH_CLEAR(hh, now.items);
    arena_release(&now.arena);
    if (!res)
        return false;
    struct strbuf text = STRBUF_INIT;
    strbuf_printf(&text, "%s\n%s", first_line, comment);
    HASH_SORT(record->items, compare);
    for (const struct item *item = record->items; item; item = item->hh.next)
        if (!item->gone)
            add_line(&text, &item->entry);
    bool needed = record->items || !access(record->name, F_OK);
    res = !needed || write_is_same(record->name, text.text, text.len) ||
          write_file(
              &(struct write_job){
                  .path = record->name, .text = text.text, .len = text.len, .make_folders = true},
              diag);
    strbuf_release(&text);
    return res;
}

bool record_save(struct record *record, struct diag *diag)
{
    /* Runs into the same folder save one after the other. */
    int folder = open(record->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (0 <= folder && flock(folder, LOCK_EX) && errno == EINTR)
        continue;
    bool res = save(record, diag);
    if (res && record->journal_there)
        remove_journal(record, diag);
    if (0 <= folder)
        close(folder);
    return res;
}

char *record_relative(const char *from, const char *to)
{
    struct strbuf res = STRBUF_INIT;
    if (!from || !to)
        return NULL;
    size_t common = 0; /* how far both go the same way, the slash included */
    size_t i = 0;
    for (; from[i] && from[i] == to[i]; ++i)
        if (from[i] == '/')
            common = i + 1;
    if (!from[i] && to[i] == '/')
        common = i + 1;
    const char *up = strlen(from) < common ? "" : from + common;
    if (*up)
        strbuf_adds(&res, "../");
    for (; *up; ++up)
        if (*up == '/')
            strbuf_adds(&res, "../");
    strbuf_adds(&res, to + common);
    return res.text;
}
