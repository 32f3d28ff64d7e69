/* hipwright occupancy: how many waves and workgroups of a kernel fit a GPU at once. */
#include <config.h>

#include "cli/commands.h"

#include <string.h>

#include "annotate/gpu/occupancy.h"
#include "annotate/gpu/targets.h"
#include "base/i18n.h"
#include "base/xalloc.h"
#include "cli/data.h"
#include "cli/write.h"
#include "report/json.h"

/* One answer, with what it answers. */
struct answer {
    const struct target *target;
    const struct occupancy_request *request;
    struct occupancy o;
};

/* The resources that a programmer can use less of. */
static const enum occupancy_limit steps[] = {LIMIT_VGPRS, LIMIT_LDS, LIMIT_SGPRS};

enum { STEP_COUNT = sizeof steps / sizeof *steps };

static bool is_amd(const struct answer *a)
{
    return a->target->vendor == VENDOR_AMD;
}

/* ---- text */

static const char *unit_name(const struct answer *a)
{
    return !is_amd(a) ? "SM" : a->o.mode == MODE_WGP ? "WGP" : "CU";
}

static const char *limit_name(const struct answer *a, enum occupancy_limit limit)
{
    switch (limit) {
    case LIMIT_WAVES:
        /* TRANSLATORS: these words follow "limited by:" and stand in a list of limits. */
        return is_amd(a) ? _("waves") : _("warps");
    case LIMIT_WORKGROUPS:
        return is_amd(a) ? _("workgroups of more than one wave") : _("blocks");
    case LIMIT_VGPRS:
        return is_amd(a) ? _("VGPRs") : _("registers");
    case LIMIT_LDS:
        return is_amd(a) ? _("LDS") : _("shared memory");
    case LIMIT_SGPRS:
    case LIMIT_COUNT:
        break;
    }
    return _("SGPRs");
}

static void add_head(struct strbuf *out, const struct answer *a)
{
    const struct occupancy *o = &a->o;
    if (is_amd(a))
        strbuf_printf(out, _("%s: %s, %s with %u SIMDs, waves of %u lanes\n"), a->target->name,
                      a->target->architecture, unit_name(a), o->simds, o->wave);
    else
        strbuf_printf(out, _("%s: %s, warps of %u lanes\n"), a->target->name,
                      a->target->architecture, o->wave);
    unsigned lanes = o->waves_per_group * o->wave;
    if (is_amd(a))
        strbuf_printf(out,
                      ngettext("  block: %u threads in %u wave", "  block: %u threads in %u waves",
                               o->waves_per_group),
                      o->threads, o->waves_per_group);
    else
        strbuf_printf(out,
                      ngettext("  block: %u threads in %u warp", "  block: %u threads in %u warps",
                               o->waves_per_group),
                      o->threads, o->waves_per_group);
    if (o->threads < lanes)
        strbuf_printf(out, _(", only %u of %u lanes busy"), o->threads, lanes);
    strbuf_addc(out, '\n');
}

static void add_resident(struct strbuf *out, const struct answer *a, const struct occupancy *o)
{
    if (is_amd(a))
        strbuf_printf(out,
                      ngettext("%u workgroup per %s, %g of %u waves per SIMD",
                               "%u workgroups per %s, %g of %u waves per SIMD", o->groups),
                      o->groups, unit_name(a), occupancy_waves_per_simd(o), o->max_waves);
    else
        strbuf_printf(out,
                      ngettext("%u block per SM, %u of %u warps",
                               "%u blocks per SM, %u of %u warps", o->groups),
                      o->groups, o->waves, o->max_waves * o->simds);
}

static void add_limits(struct strbuf *out, const struct answer *a)
{
    const struct occupancy *o = &a->o;
    if (is_amd(a))
        strbuf_printf(out, _("  workgroups per %s that each resource has room for:\n"),
                      unit_name(a));
    else
        strbuf_adds(out, _("  blocks per SM that each resource has room for:\n"));
    for (int i = 0; i < LIMIT_COUNT; ++i) {
        enum occupancy_limit limit = (enum occupancy_limit)i;
        if (o->limits[i] == OCCUPANCY_UNLIMITED)
            continue;
        strbuf_printf(out, "    %6u  %s", o->limits[i], limit_name(a, limit));
        if (limit == LIMIT_VGPRS)
            strbuf_printf(out, _(": %u, %u allocated"), o->vgprs, o->granted);
        else if (limit == LIMIT_LDS)
            strbuf_printf(out, _(": %u bytes, %u allocated"), a->request->lds, o->lds);
        else if (limit == LIMIT_SGPRS)
            strbuf_printf(out, ": %u", a->request->sgprs);
        strbuf_addc(out, '\n');
    }
}

static void add_steps(struct strbuf *out, const struct answer *a)
{
    for (int i = 0; i < STEP_COUNT; ++i) {
        struct occupancy o;
        unsigned n = occupancy_step(a->target, a->request, steps[i], &o);
        if (!n)
            continue;
        strbuf_adds(out, "  ");
        if (steps[i] == LIMIT_LDS)
            /* TRANSLATORS: "3 workgroups per CU, 3 of 8 waves per SIMD" follows. */
            strbuf_printf(out, _("next step: with %u bytes of %s or less, "), n,
                          limit_name(a, steps[i]));
        else
            strbuf_printf(out, _("next step: with %u %s or fewer, "), n, limit_name(a, steps[i]));
        add_resident(out, a, &o);
        strbuf_addc(out, '\n');
    }
}

static void add_bound(struct strbuf *out, const struct answer *a)
{
    const struct occupancy *o = &a->o;
    unsigned waves = a->request->min_waves;
    if (!waves || !is_amd(a))
        return;
    if (o->ignored) {
        strbuf_printf(out, _("  the compiler ignores the bound of %u waves: there are only %u\n"),
                      waves, o->max_waves);
        return;
    }
    strbuf_printf(out,
                  _("  CUDA would write (%u, %u) for HIP's (%u, %u): it counts blocks per "
                    "multiprocessor, HIP waves per SIMD\n"),
                  o->threads, occupancy_blocks_of_waves(o, waves), o->threads, waves);
    if (o->spilled)
        strbuf_printf(out,
                      ngettext("  it leaves %u VGPRs: %u has to be spilled\n",
                               "  it leaves %u VGPRs: %u have to be spilled\n", o->spilled),
                      o->vgprs, o->spilled);
}

static void add_compiler(struct strbuf *out, const struct answer *a)
{
    const struct occupancy *o = &a->o;
    if (!is_amd(a))
        return;
    if (o->differences)
        strbuf_printf(out, _("  clang would print 'Occupancy: %u':\n"), o->compiler_waves);
    if (o->differences & DIFFERS_LDS_GRANULE)
        strbuf_printf(out, _("    it does not round LDS up to multiples of %u bytes\n"),
                      a->target->amd.lds_granule);
    if (o->differences & DIFFERS_WHOLE_GROUPS)
        strbuf_adds(out, _("    it counts waves per SIMD, not whole workgroups\n"));
    if (a->target->amd.runtime_waves < o->max_waves)
        strbuf_printf(out, _("  HIP's occupancy functions count with %u waves per SIMD at most\n"),
                      a->target->amd.runtime_waves);
}

static void add_text(struct strbuf *out, const struct answer *a)
{
    const struct occupancy *o = &a->o;
    add_head(out, a);
    strbuf_adds(out, "  ");
    add_resident(out, a, o);
    strbuf_printf(out, _(", limited by: %s\n"), limit_name(a, o->limited_by));
    if (!o->groups)
        strbuf_adds(out, _("  a launch fails: not even one block fits\n"));
    add_limits(out, a);
    add_steps(out, a);
    add_bound(out, a);
    add_compiler(out, a);
}

/* ---- JSON */

static json_t *must(json_t *value)
{
    if (!value)
        xalloc_die();
    return value;
}

static void set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, must(value)))
        xalloc_die();
}

static void set_number(json_t *object, const char *key, unsigned n)
{
    set(object, key, json_integer(n));
}

/* The figures of one answer that a next step has as well. */
static void set_resident(json_t *object, const struct answer *a, const struct occupancy *o)
{
    set(object, "waves_per_simd",
        o->waves % o->simds ? json_real(occupancy_waves_per_simd(o))
                            : json_integer(o->waves / o->simds));
    if (is_amd(a)) {
        set_number(object, "workgroups_per_cu", o->groups);
    } else {
        set_number(object, "blocks_per_sm", o->groups);
        set_number(object, "warps_per_sm", o->waves);
    }
}

static json_t *json_limits(const struct occupancy *o)
{
    json_t *res = must(json_object());
    for (int i = 0; i < LIMIT_COUNT; ++i)
        set(res, occupancy_limit_word((enum occupancy_limit)i),
            o->limits[i] == OCCUPANCY_UNLIMITED ? json_null() : json_integer(o->limits[i]));
    return res;
}

static json_t *json_steps(const struct answer *a)
{
    json_t *res = must(json_array());
    for (int i = 0; i < STEP_COUNT; ++i) {
        struct occupancy o;
        unsigned n = occupancy_step(a->target, a->request, steps[i], &o);
        if (!n)
            continue;
        json_t *step = must(json_object());
        set(step, "resource", json_string(occupancy_limit_word(steps[i])));
        set_number(step, "at_most", n);
        set_resident(step, a, &o);
        if (json_array_append_new(res, step))
            xalloc_die();
    }
    return res;
}

static void set_compiler(json_t *object, const struct occupancy *o)
{
    json_t *list = must(json_array());
    if (o->differences & DIFFERS_LDS_GRANULE &&
        json_array_append_new(list, must(json_string("lds-granule"))))
        xalloc_die();
    if (o->differences & DIFFERS_WHOLE_GROUPS &&
        json_array_append_new(list, must(json_string("whole-workgroups"))))
        xalloc_die();
    set_number(object, "compiler_waves_per_simd", o->compiler_waves);
    set(object, "compiler_differs", list);
}

/* The second argument of __launch_bounds__ that asks for what is resident, on either side. */
static json_t *json_bounds(const struct answer *a)
{
    struct launch_bounds bounds;
    if (!a->o.groups ||
        occupancy_bounds(a->target, a->request, a->o.groups, &bounds) != OCCUPANCY_OK)
        return json_null();
    return json_pack("{s:i, s:i}", "hip", (int)bounds.waves, "cuda", (int)a->o.groups);
}

static json_t *json_answer(const struct answer *a)
{
    const struct occupancy *o = &a->o;
    json_t *res = must(json_object());
    set(res, "target", json_text_or_null(a->target->name));
    set(res, "unit", json_string(!is_amd(a) ? "sm" : o->mode == MODE_WGP ? "wgp" : "cu"));
    set_number(res, "simds", o->simds);
    set_number(res, "wave", o->wave);
    set_number(res, "block", o->threads);
    set_number(res, "waves_per_workgroup", o->waves_per_group);
    set_number(res, "lanes_busy", o->threads);
    set_number(res, "lanes", o->waves_per_group * o->wave);
    set_resident(res, a, o);
    set_number(res, "max_waves_per_simd", o->max_waves);
    set(res, "limited_by", json_string(occupancy_limit_word(o->limited_by)));
    set(res, "limits", json_limits(o));
    set_number(res, "vgprs", o->vgprs);
    set_number(res, "vgprs_allocated", o->granted);
    set_number(res, "vgprs_spilled", o->spilled);
    set_number(res, "lds", a->request->lds);
    set_number(res, "lds_allocated", o->lds);
    set(res, "next", json_steps(a));
    if (is_amd(a)) {
        set_number(res, "runtime_max_waves_per_simd", a->target->amd.runtime_waves);
        set(res, "min_waves_ignored", json_boolean(o->ignored));
        set(res, "launch_bounds", json_bounds(a));
        set_compiler(res, o);
    }
    return res;
}

/* ---- the command */

/* Says why TARGET has no answer. */
static void complain(enum occupancy_error error, const struct target *target,
                     const struct options *o, struct diag *diag)
{
    const struct diag_place program = {0};
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

static void add_name(const struct target *target, void *context)
{
    struct strbuf *list = context;
    strbuf_printf(list, list->len ? ", %s" : "%s", target->name);
}

/* The answer for the target of LEN bytes at NAME; false after a message. */
static bool answer(const struct target_table *table, const struct options *o, const char *name,
                   size_t len, struct answer *res, struct diag *diag)
{
    res->target = target_find(table, name, len);
    res->request = &o->request;
    if (!res->target) {
        struct strbuf list = STRBUF_INIT;
        target_each(table, add_name, &list);
        diag_add(diag, DIAG_ERROR, (struct diag_place){0},
                 _("unknown target '%.*s'; known are: %s"), (int)len, name,
                 list.text ? list.text : "");
        strbuf_release(&list);
        return false;
    }
    enum occupancy_error error = occupancy_compute(res->target, &o->request, &res->o);
    complain(error, res->target, o, diag);
    return error == OCCUPANCY_OK;
}

enum exit_status command_occupancy(const struct options *o)
{
    struct diag diag = DIAG_INIT;
    struct strbuf out = STRBUF_INIT;
    bool json = o->format == FORMAT_JSON, several = strchr(o->target, ',') != NULL;
    struct target_table *table = data_load_targets(&diag);
    bool good = table != NULL;
    for (const char *name = o->target; table && name;) {
        size_t len = strcspn(name, ",");
        struct answer a;
        if (answer(table, o, name, len, &a, &diag)) {
            if (json)
                strbuf_adds(&out, !several ? "" : out.len ? ",\n" : "[");
            else if (out.len)
                strbuf_addc(&out, '\n');
            if (json)
                json_add(&out, json_answer(&a));
            else
                add_text(&out, &a);
        } else {
            good = false;
        }
        name = name[len] ? name + len + 1 : NULL;
    }
    if (json)
        strbuf_adds(&out, several ? "]\n" : "\n");
    /* Nothing rather than a part: a script must not take one target's figures for all. */
    if (!good || !write_stdout(out.text, out.len, &diag))
        good = false;
    target_table_free(table);
    diag_flush(&diag, stderr);
    diag_release(&diag);
    strbuf_release(&out);
    return good ? STATUS_OK : STATUS_TROUBLE;
}
