#include <config.h>

#include "annotate/gpu/targets.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "maps/list.h"

enum value {
    TEXT,
    WORD,  /* one of a few words, kept as its number */
    COUNT, /* numbers; kept so small that the product of any two can be computed with, */
    SIZE,  /* larger ones, of registers and bytes in a unit */
    CACHE, /* and the sizes of what lies behind it */
};

static const unsigned most[] = {[COUNT] = 1 << 12, [SIZE] = 1 << 20, [CACHE] = 1u << 31};

/* Which records need a line, and which may have it. */
enum whose {
    AMD = 1 << VENDOR_AMD,
    NVIDIA = 1 << VENDOR_NVIDIA,
    BOTH = AMD | NVIDIA,
};

struct field {
    const char *word;
    size_t offset; /* of a const char * or of COUNT unsigned */
    enum value value;
    unsigned count; /* most numbers */
    enum whose whose;
    bool optional;            /* it may be missing, or 0 */
    const char *const *words; /* of WORD, to NULL */
};

#define AT(member) offsetof(struct target, member)

static const char *const vendor_words[] = {"amd", "nvidia", NULL};
static const char *const agpr_words[] = {"none", "separate", "unified", NULL};

/* One line of a record each. Two pairs of sizes: [MODE_CU] and [MODE_WGP], or each wave size. */
static const struct field fields[] = {
    {"architecture", AT(architecture), TEXT, 0, BOTH, false, NULL},
    {"products", AT(products), TEXT, 0, BOTH, true, NULL},
    {"source", AT(source), TEXT, 0, BOTH, false, NULL},
    {"vendor", AT(vendor), WORD, 0, BOTH, true, vendor_words},
    {"banks", AT(banks), WORD, 0, BOTH, true, lds_model_words},
    {"max-block", AT(max_block), COUNT, 1, BOTH, false, NULL},
    {"cache-line", AT(cache_line), COUNT, 1, BOTH, true, NULL},
    {"l2", AT(l2), CACHE, 1, BOTH, true, NULL},
    {"llc", AT(llc), CACHE, 1, BOTH, true, NULL},
    {"waves", AT(amd.waves), COUNT, TARGET_WAVES, AMD, false, NULL},
    {"simds", AT(amd.simds), COUNT, MODE_COUNT, AMD, false, NULL},
    {"max-waves", AT(amd.max_waves), COUNT, 1, AMD, false, NULL},
    {"runtime-waves", AT(amd.runtime_waves), COUNT, 1, AMD, false, NULL},
    {"vgprs", AT(amd.vgprs), SIZE, TARGET_WAVES, AMD, false, NULL},
    {"vgpr-granule", AT(amd.vgpr_granule), COUNT, TARGET_WAVES, AMD, false, NULL},
    {"max-vgprs", AT(amd.max_vgprs), COUNT, 1, AMD, false, NULL},
    {"agprs", AT(amd.agprs), WORD, 0, AMD, true, agpr_words},
    {"sgpr-steps", AT(amd.sgpr_steps), COUNT, TARGET_SGPR_STEPS, AMD, true, NULL},
    {"lds", AT(amd.lds), SIZE, MODE_COUNT, AMD, false, NULL},
    {"max-lds", AT(amd.max_lds), SIZE, 1, AMD, false, NULL},
    {"lds-granule", AT(amd.lds_granule), SIZE, 1, AMD, false, NULL},
    {"barriers", AT(amd.barriers), COUNT, MODE_COUNT, AMD, false, NULL},
    {"warp", AT(nvidia.warp), COUNT, 1, NVIDIA, false, NULL},
    {"partitions", AT(nvidia.partitions), COUNT, 1, NVIDIA, false, NULL},
    {"warps", AT(nvidia.warps), COUNT, 1, NVIDIA, false, NULL},
    {"blocks", AT(nvidia.blocks), COUNT, 1, NVIDIA, false, NULL},
    {"registers", AT(nvidia.registers), SIZE, 1, NVIDIA, false, NULL},
    {"register-granule", AT(nvidia.register_granule), COUNT, 1, NVIDIA, false, NULL},
    {"max-registers", AT(nvidia.max_registers), COUNT, 1, NVIDIA, false, NULL},
    {"shared", AT(nvidia.shared), SIZE, 1, NVIDIA, false, NULL},
    {"max-shared", AT(nvidia.max_shared), SIZE, 1, NVIDIA, false, NULL},
    {"default-shared", AT(nvidia.default_shared), SIZE, 1, NVIDIA, false, NULL},
    {"reserved-shared", AT(nvidia.reserved_shared), SIZE, 1, NVIDIA, true, NULL},
    {"shared-granule", AT(nvidia.shared_granule), SIZE, 1, NVIDIA, false, NULL},
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

/* A target, and where it was said. */
struct entry {
    struct target target;
    unsigned line;
    unsigned file; /* the how many-th */
};

struct target_table {
    struct arena arena;
    VEC(struct entry *) entries;
    unsigned files;
};

/* The reading of one file. */
struct reader {
    struct target_table *table;
    struct list list;
    struct entry *entry;    /* the record being read, or NULL */
    bool seen[FIELD_COUNT]; /* its lines so far */
    bool any;               /* any of them */
};

#define complain(reader, ...) list_complain(&(reader)->list, __VA_ARGS__)

struct target_table *target_table_new(void)
{
    return xcalloc(1, sizeof(struct target_table));
}

void target_table_free(struct target_table *table)
{
    if (!table)
        return;
    vec_release(&table->entries);
    arena_release(&table->arena);
    free(table);
}

static struct entry *find_entry(const struct target_table *table, const char *name, size_t len)
{
    for (size_t i = 0; i < table->entries.count; ++i) {
        struct entry *entry = table->entries.items[i];
        if (strlen(entry->target.name) == len && memcmp(entry->target.name, name, len) == 0)
            return entry;
    }
    return NULL;
}

static void *member(struct target *target, const struct field *field)
{
    return (char *)target + field->offset;
}

/* The numbers of FIELD. */
static unsigned *numbers(struct target *target, const struct field *field)
{
    return member(target, field);
}

/* Whether two lines have values for the same cases. */
static bool are_alike(const unsigned *a, const unsigned *b)
{
    return !a[1] == !b[1];
}

/* Whether the N sizes of waves are some that the engines can compute with; 0: none. */
static bool are_waves(const unsigned *waves, unsigned n)
{
    for (unsigned i = 0; i < n; ++i)
        if (waves[i] && waves[i] != 32 && waves[i] != 64)
            return false;
    return true;
}

static bool check_entry(struct reader *reader)
{
    struct target *target = &reader->entry->target;
    enum whose whose = 1u << target->vendor;
    for (int i = 0; i < FIELD_COUNT; ++i) {
        const struct field *field = &fields[i];
        const char *text = NULL;
        if (field->value == TEXT)
            memcpy(&text, member(target, field), sizeof text);
        bool set = field->value == TEXT ? text != NULL : *numbers(target, field) != 0;
        if (set && !(field->whose & whose))
            return complain(reader, _("%s: '%s' is not for this vendor"), target->name,
                            field->word);
        if (!set && !field->optional && field->whose & whose)
            return complain(reader, _("%s has no line '%s'"), target->name, field->word);
    }
    const struct amd_figures *amd = &target->amd;
    if (target->vendor == VENDOR_AMD &&
        !(are_alike(amd->waves, amd->vgprs) && are_alike(amd->waves, amd->vgpr_granule) &&
          are_alike(amd->simds, amd->lds) && are_alike(amd->simds, amd->barriers)))
        return complain(reader,
                        _("%s: 'vgprs' and 'vgpr-granule' want as many numbers as 'waves', "
                          "'lds' and 'barriers' as many as 'simds'"),
                        target->name);
    if (!are_waves(amd->waves, TARGET_WAVES) || !are_waves(&target->nvidia.warp, 1))
        return complain(reader, _("%s: a wave or warp has 32 or 64 lanes"), target->name);
    if (amd->sgpr_steps[0] && !amd->sgpr_steps[TARGET_SGPR_STEPS - 1])
        return complain(reader, _("%s: 'sgpr-steps' wants three numbers"), target->name);
    return true;
}

static bool end_record(struct reader *reader)
{
    struct entry *entry = reader->entry;
    if (!entry)
        return true;
    struct diag_place place = reader->list.place;
    reader->list.place.line = entry->line;
    bool res = check_entry(reader);
    reader->list.place = place;
    reader->entry = NULL;
    return res;
}

static bool begin_record(struct reader *reader, const char *name)
{
    struct target_table *table = reader->table;
    struct entry *entry = find_entry(table, name, strlen(name));
    if (entry && entry->file == table->files)
        return complain(reader, _("'%s' is already described in line %u"), name, entry->line);
    if (!entry) {
        entry = arena_zalloc(&table->arena, 1, sizeof *entry);
        *vec_push(&table->entries) = entry;
    }
    *entry = (struct entry){
        .target = {.name = name}, .line = reader->list.place.line, .file = table->files};
    reader->entry = entry;
    memset(reader->seen, 0, sizeof reader->seen);
    reader->any = false;
    return true;
}

/* "like NAME": all figures of another target; what follows replaces them. */
static bool read_like(struct reader *reader, const char *name)
{
    const struct entry *other = find_entry(reader->table, name, strlen(name));
    if (!other || other == reader->entry)
        return complain(reader, _("there is no target '%s' before this one"), name);
    if (reader->any)
        return complain(reader, _("'like' must be the first line behind 'target'"));
    struct target target = other->target;
    target.name = reader->entry->target.name;
    target.products = target.source = NULL;
    reader->entry->target = target;
    return true;
}

static bool not_possible(struct reader *reader, const struct field *field, const char *text)
{
    return complain(reader, _("'%s' is not what '%s' can be"), text, field->word);
}

/* Up to as many numbers as FIELD has, with blanks between them. */
static bool read_numbers(struct reader *reader, const struct field *field, const char *text)
{
    unsigned *res = numbers(&reader->entry->target, field);
    const char *at = text;
    memset(res, 0, field->count * sizeof *res);
    for (unsigned i = 0; *at; ++i) {
        char *end;
        errno = 0;
        unsigned long n = strtoul(at, &end, 10);
        if (i == field->count || *at < '0' || '9' < *at || (*end && *end != ' ') || errno ||
            most[field->value] < n || (!n && !field->optional))
            return not_possible(reader, field, text);
        res[i] = (unsigned)n;
        at = end + strspn(end, " ");
    }
    return true;
}

static bool read_word(struct reader *reader, const struct field *field, const char *text)
{
    for (unsigned i = 0; field->words[i]; ++i)
        if (strcmp(field->words[i], text) == 0) {
            *numbers(&reader->entry->target, field) = i;
            return true;
        }
    return not_possible(reader, field, text);
}

static bool read_field(struct reader *reader, int i, const char *text)
{
    const struct field *field = &fields[i];
    if (reader->seen[i])
        return complain(reader, _("two lines '%s'"), field->word);
    reader->seen[i] = reader->any = true;
    switch (field->value) {
    case TEXT:
        memcpy(member(&reader->entry->target, field), &text, sizeof text);
        return true;
    case COUNT:
    case SIZE:
    case CACHE:
        return read_numbers(reader, field, text);
    case WORD:
        return read_word(reader, field, text);
    }
    return false;
}

/* One line of a record. */
static bool read_record_line(struct reader *reader, const char *line, size_t len)
{
    const char *word = arena_strndup(&reader->table->arena, line, len);
    size_t word_len = strcspn(word, " ");
    const char *text = word + word_len;
    text += strspn(text, " ");
    if (!*text)
        return complain(reader, _("'%s' wants a value"), word);
    word = arena_strndup(&reader->table->arena, word, word_len);
    if (strcmp(word, "target") == 0)
        return reader->entry
                   ? complain(reader, _("a target begins without an empty line before it"))
                   : begin_record(reader, text);
    if (!reader->entry)
        return complain(reader, _("a line before 'target'"));
    if (strcmp(word, "like") == 0)
        return read_like(reader, text);
    for (int i = 0; i < FIELD_COUNT; ++i)
        if (strcmp(fields[i].word, word) == 0)
            return read_field(reader, i, text);
    return complain(reader, _("'%s' begins no line of a target"), word);
}

static void read_line(void *context, const char *line, size_t len)
{
    while (len && line[len - 1] == ' ')
        --len;
    if (len)
        read_record_line(context, line, len);
    else
        end_record(context);
}

bool target_load_file(struct target_table *table, const char *file, struct diag *diag)
{
    struct reader reader = {.list = {.diag = diag}, .table = table};
    ++table->files;
    return list_read(&reader.list, file, read_line, &reader);
}

bool target_load_text(struct target_table *table, const char *file, const char *text, size_t len,
                      struct diag *diag)
{
    struct reader reader = {.list = {.diag = diag}, .table = table};
    ++table->files;
    return list_read_text(&reader.list, file, text, len, read_line, &reader);
}

/* Whether one of PRODUCTS, "MI210 (104 CUs), MI250", is called as the LEN bytes at NAME say. */
static bool has_product(const char *products, const char *name, size_t len)
{
    for (const char *at = products; at && *at; at += strspn(at, ", ")) {
        size_t all = strcspn(at, ","), own = strcspn(at, "(,");
        while (own && at[own - 1] == ' ')
            --own;
        if (own == len && strncasecmp(at, name, len) == 0)
            return true;
        at += all;
    }
    return false;
}

static const struct entry *find_product(const struct target_table *table, const char *name,
                                        size_t len)
{
    for (size_t i = 0; len && i < table->entries.count; ++i)
        if (has_product(table->entries.items[i]->target.products, name, len))
            return table->entries.items[i];
    return NULL;
}

const struct target *target_find(const struct target_table *table, const char *name, size_t len)
{
    while (len && *name == ' ')
        ++name, --len;
    while (len && name[len - 1] == ' ')
        --len;
    const char *colon = memchr(name, ':', len);
    if (colon)
        len = (size_t)(colon - name);
    const struct entry *entry = find_entry(table, name, len);
    /* The letters a and f mark instructions of one family only; the multiprocessor is the same. */
    if (!entry && 3 < len && memcmp(name, "sm_", 3) == 0 &&
        (name[len - 1] == 'a' || name[len - 1] == 'f'))
        entry = find_entry(table, name, len - 1);
    if (!entry && !colon)
        entry = find_product(table, name, len);
    return entry ? &entry->target : NULL;
}

void target_each(const struct target_table *table,
                 void (*fn)(const struct target *target, void *context), void *context)
{
    for (size_t i = 0; i < table->entries.count; ++i)
        fn(&table->entries.items[i]->target, context);
}

unsigned target_wave(const struct target *target)
{
    return target->vendor == VENDOR_AMD ? target->amd.waves[0] : target->nvidia.warp;
}

bool target_has_wave(const struct target *target, unsigned wave)
{
    return target->vendor == VENDOR_AMD ? 0 <= target_wave_index(target, wave)
                                        : wave == target->nvidia.warp;
}

int target_wave_index(const struct target *target, unsigned wave)
{
    for (int i = 0; wave && i < TARGET_WAVES; ++i)
        if (target->amd.waves[i] == wave)
            return i;
    return -1;
}
