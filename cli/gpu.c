#include <config.h>

#include "cli/gpu.h"

#include <string.h>

#include "base/i18n.h"
#include "cli/data.h"
#include "cli/write.h"

static const struct diag_place program = {0};

/* Where no target is named. */
static const char default_targets[] = "sm_80,gfx942";

static void add_name(const struct target *target, void *context)
{
    struct strbuf *list = context;
    strbuf_printf(list, list->len ? ", %s" : "%s", target->name);
}

/* The target of the LEN bytes at NAME; NULL after a message. */
static const struct target *find_target(const struct target_table *table, const char *name,
                                        size_t len, struct diag *diag)
{
    const struct target *res = target_find(table, name, len);
    if (res)
        return res;
    struct strbuf list = STRBUF_INIT;
    target_each(table, add_name, &list);
    diag_add(diag, DIAG_ERROR, program, _("unknown target '%.*s'; known are: %s"), (int)len, name,
             list.text ? list.text : "");
    strbuf_release(&list);
    return NULL;
}

enum exit_status gpu_answer(const struct options *o,
                            bool (*answer)(const struct target *target, void *context,
                                           struct strbuf *out),
                            void *context, struct diag *diag)
{
    const char *names = o->target ? o->target : default_targets;
    bool json = o->format == FORMAT_JSON, several = strchr(names, ',') != NULL;
    struct strbuf out = STRBUF_INIT;
    struct target_table *table = data_load_targets(o, diag);
    bool good = table != NULL;
    for (const char *name = names; table && name;) {
        size_t len = strcspn(name, ",");
        const struct target *target = find_target(table, name, len, diag);
        if (json)
            strbuf_adds(&out, !several ? "" : out.len ? ",\n" : "[");
        else if (out.len)
            strbuf_addc(&out, '\n');
        good = target && answer(target, context, &out) && good;
        name = name[len] ? name + len + 1 : NULL;
    }
    if (json)
        strbuf_adds(&out, several ? "]\n" : "\n");
    if (!good || !write_stdout(out.text, out.len, diag))
        good = false;
    target_table_free(table);
    diag_flush(diag, stderr);
    strbuf_release(&out);
    return good ? STATUS_OK : STATUS_TROUBLE;
}

void gpu_complain(enum occupancy_error error, const struct target *target, const struct options *o,
                  struct diag *diag)
{
    switch (error) {
    case OCCUPANCY_BAD_BLOCK:
        diag_add(diag, DIAG_ERROR, program, _("%s has blocks of 1 to %u threads"), target->name,
                 target->max_block);
        break;
    case OCCUPANCY_BAD_WAVE:
        diag_add(diag, DIAG_ERROR, program, _("%s has no waves of %u lanes"), target->name,
                 o->request.wave);
        break;
    case OCCUPANCY_BAD_MODE:
        diag_add(diag, DIAG_ERROR, program, _("%s has no mode '%s'"), target->name,
                 o->request.cu_mode ? "cu" : "wgp");
        break;
    case OCCUPANCY_BAD_AGPRS:
        diag_add(diag, DIAG_ERROR, program, _("%s has no accumulation registers"), target->name);
        break;
    case OCCUPANCY_OK:
        break;
    }
}

const char *gpu_unit(const struct target *target, const struct occupancy *o)
{
    return target->vendor != VENDOR_AMD ? "SM" : o->mode == MODE_WGP ? "WGP" : "CU";
}

const char *gpu_limit(const struct target *target, enum occupancy_limit limit)
{
    bool amd = target->vendor == VENDOR_AMD;
    switch (limit) {
    case LIMIT_WAVES:
        /* TRANSLATORS: these words follow "limited by:" and stand in a list of limits. */
        return amd ? _("waves") : _("warps");
    case LIMIT_WORKGROUPS:
        return amd ? _("workgroups of more than one wave") : _("blocks");
    case LIMIT_VGPRS:
        return amd ? _("VGPRs") : _("registers");
    case LIMIT_LDS:
        return amd ? _("LDS") : _("shared memory");
    case LIMIT_SGPRS:
    case LIMIT_COUNT:
        break;
    }
    return _("SGPRs");
}
