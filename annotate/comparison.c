#include <config.h>

#include "annotate/comparison.h"

#include <string.h>

#include "base/i18n.h"

static const struct diag_place program = {0};

struct name_list {
    struct strbuf text;
    unsigned vendor;
};

static void add_name(const struct target *target, void *context)
{
    struct name_list *list = context;
    if (target->vendor == list->vendor)
        strbuf_printf(&list->text, list->text.len ? ", %s" : "%s", target->name);
}

/* The GPU of VENDOR that the LEN bytes at NAME name; NULL after a message about OPTION. */
static const struct target *find(const struct target_table *table, unsigned vendor,
                                 const char *name, size_t len, const char *option,
                                 struct diag *diag)
{
    const struct target *res = target_find(table, name, len);
    if (res && res->vendor == vendor)
        return res;
    struct name_list list = {STRBUF_INIT, vendor};
    target_each(table, add_name, &list);
    diag_add(diag, DIAG_ERROR, program, _("invalid argument '%.*s' of '--%s'; it may be: %s"),
             (int)len, name, option, list.text.text ? list.text.text : "");
    strbuf_release(&list.text);
    return NULL;
}

static bool has(const struct comparison *comparison, const struct target *target)
{
    for (unsigned i = 0; i < comparison->count; ++i)
        if (comparison->targets[i] == target)
            return true;
    return false;
}

bool comparison_resolve(struct comparison *res, const struct target_table *table,
                        const char *targets, const char *from, struct diag *diag)
{
    *res = (struct comparison){0};
    for (const char *name = targets ? targets : "gfx942"; name;) {
        size_t len = strcspn(name, ",");
        const struct target *target = find(table, VENDOR_AMD, name, len, "target", diag);
        if (!target)
            return false;
        if (res->count == MOST_TARGETS) {
            diag_add(diag, DIAG_ERROR, program, _("'--%s' names more than %d GPUs"), "target",
                     (int)MOST_TARGETS);
            return false;
        }
        if (!has(res, target))
            res->targets[res->count++] = target;
        name = name[len] ? name + len + 1 : NULL;
    }
    if (!from)
        from = "sm_80";
    res->from = find(table, VENDOR_NVIDIA, from, strlen(from), "from", diag);
    return res->from != NULL;
}

void comparison_join(struct comparison *res, const struct comparison *other)
{
    for (unsigned i = 0; i < other->count && res->count < MOST_TARGETS; ++i)
        if (!has(res, other->targets[i]))
            res->targets[res->count++] = other->targets[i];
    if (!res->from)
        res->from = other->from;
}

target_set comparison_all(const struct comparison *comparison)
{
    return EVERY_TARGET >> (MOST_TARGETS - comparison->count);
}

target_set comparison_with_wave(const struct comparison *comparison, unsigned wave)
{
    target_set res = 0;
    for (unsigned i = 0; i < comparison->count; ++i)
        if (comparison->targets[i]->amd.waves[0] == wave)
            res |= (target_set)1 << i;
    return res;
}

target_set comparison_with_architecture(const struct comparison *comparison,
                                        const char *architecture)
{
    target_set res = 0;
    size_t len = strlen(architecture);
    for (unsigned i = 0; i < comparison->count; ++i) {
        const char *name = comparison->targets[i]->architecture;
        if (!strncmp(name, architecture, len) && (!name[len] || name[len] == ' '))
            res |= (target_set)1 << i;
    }
    return res;
}

void comparison_add_names(struct strbuf *out, const struct comparison *comparison, target_set set)
{
    const char *between = "";
    for (unsigned i = 0; i < comparison->count; ++i)
        if (set & (target_set)1 << i) {
            strbuf_printf(out, "%s%s", between, comparison->targets[i]->name);
            between = ", ";
        }
}
