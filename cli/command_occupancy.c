/* hipwright occupancy: how many waves and workgroups of a kernel fit a GPU at once. */
#include <config.h>

#include "cli/commands.h"

#include "annotate/gpu/occupancy.h"
#include "annotate/gpu/targets.h"
#include "base/i18n.h"
#include "base/xalloc.h"
#include "cli/gpu.h"
#include "report/json.h"

/* One answer, with what it answers. */
struct answer {
    const struct target *target;
    const struct occupancy_request *request;
    unsigned min_blocks; /* CUDA's bound, or 0 */
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

static void add_head(struct strbuf *out, const struct answer *a)
{
    const struct occupancy *o = &a->o;
    if (is_amd(a))
        strbuf_printf(out, _("%s: %s, %s with %u SIMDs, waves of %u lanes\n"), a->target->name,
                      a->target->architecture, gpu_unit(a->target, &a->o), o->simds, o->wave);
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
                      o->groups, gpu_unit(a->target, &a->o), occupancy_waves_per_simd(o),
                      o->max_waves);
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
                      gpu_unit(a->target, &a->o));
    else
        strbuf_adds(out, _("  blocks per SM that each resource has room for:\n"));
    for (int i = 0; i < LIMIT_COUNT; ++i) {
        enum occupancy_limit limit = (enum occupancy_limit)i;
        if (o->limits[i] == OCCUPANCY_UNLIMITED)
            continue;
        strbuf_printf(out, "    %6u  %s", o->limits[i], gpu_limit(a->target, limit));
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
                          gpu_limit(a->target, steps[i]));
        else
            strbuf_printf(out, _("next step: with %u %s or fewer, "), n,
                          gpu_limit(a->target, steps[i]));
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

/* The registers that CUDA's bound leaves to a thread; 0: it cannot be met. */
static unsigned cuda_bound_registers(const struct answer *a)
{
    const unsigned *limits = a->o.limits;
    if (limits[LIMIT_WAVES] < a->min_blocks || limits[LIMIT_WORKGROUPS] < a->min_blocks)
        return 0;
    return occupancy_budget(a->target, a->request, LIMIT_VGPRS, a->min_blocks);
}

/* What CUDA's bound asks for, on either side. */
static void add_cuda_bound(struct strbuf *out, const struct answer *a)
{
    unsigned threads = a->o.threads, blocks = a->min_blocks;
    struct converted_bounds bounds;
    if (!blocks)
        return;
    unsigned registers = cuda_bound_registers(a);
    if (registers)
        /* TRANSLATORS: the last %s is "VGPRs" or "registers". */
        strbuf_printf(out, _("  CUDA's __launch_bounds__(%u, %u) leaves a thread %u %s\n"), threads,
                      blocks, registers, gpu_limit(a->target, LIMIT_VGPRS));
    else
        strbuf_printf(out, _("  CUDA's __launch_bounds__(%u, %u) cannot be met\n"), threads,
                      blocks);
    if (!registers || occupancy_bounds(a->target, a->request, blocks, &bounds) != OCCUPANCY_OK)
        return;
    if (bounds.waves <= bounds.implied)
        strbuf_printf(out, _("  for HIP write (%u): a second argument up to %u changes nothing\n"),
                      threads, bounds.implied);
    else
        strbuf_printf(out,
                      _("  for HIP write (%u, %u): it counts waves per SIMD, CUDA blocks per "
                        "multiprocessor\n"),
                      threads, bounds.waves);
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

/* Nobody said how many registers there are: how many there may be. */
static void add_room(struct strbuf *out, const struct answer *a)
{
    unsigned n = a->o.groups && a->o.at_most
                     ? occupancy_budget(a->target, a->request, LIMIT_VGPRS, a->o.groups)
                     : 0;
    if (n)
        /* TRANSLATORS: %s is "VGPRs" or "registers". */
        strbuf_printf(out, _("  without '--vgprs' that is the most; it takes %u %s or fewer\n"), n,
                      gpu_limit(a->target, LIMIT_VGPRS));
}

static void add_text(struct strbuf *out, const struct answer *a)
{
    const struct occupancy *o = &a->o;
    add_head(out, a);
    strbuf_adds(out, "  ");
    add_resident(out, a, o);
    strbuf_printf(out, _(", limited by: %s\n"), gpu_limit(a->target, o->limited_by));
    if (!o->groups)
        strbuf_adds(out, _("  a launch fails: not even one block fits\n"));
    add_room(out, a);
    add_limits(out, a);
    add_steps(out, a);
    add_bound(out, a);
    add_cuda_bound(out, a);
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

/* What becomes of CUDA's bound: HIP's second argument, and the registers that it leaves. */
static json_t *json_cuda_bound(const struct answer *a)
{
    struct converted_bounds bounds;
    unsigned registers = cuda_bound_registers(a);
    bool hip = registers &&
               occupancy_bounds(a->target, a->request, a->min_blocks, &bounds) == OCCUPANCY_OK;
    json_t *res = must(json_object());
    set_number(res, "cuda", a->min_blocks);
    set(res, "hip", hip ? json_integer(bounds.waves) : json_null());
    set(res, "vgprs", registers ? json_integer(registers) : json_null());
    return res;
}

/* The second argument of __launch_bounds__ that asks for what is resident, on either side. */
static json_t *json_bounds(const struct answer *a)
{
    struct converted_bounds bounds;
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
    set(res, "at_most", json_boolean(o->at_most));
    set_number(res, "vgprs_budget",
               o->groups ? occupancy_budget(a->target, a->request, LIMIT_VGPRS, o->groups) : 0);
    set_number(res, "lds", a->request->lds);
    set_number(res, "lds_allocated", o->lds);
    set(res, "next", json_steps(a));
    if (a->min_blocks)
        set(res, "min_blocks", json_cuda_bound(a));
    if (is_amd(a)) {
        set_number(res, "runtime_max_waves_per_simd", a->target->amd.runtime_waves);
        set(res, "min_waves_ignored", json_boolean(o->ignored));
        set(res, "launch_bounds", json_bounds(a));
        set_compiler(res, o);
    }
    return res;
}

/* ---- the command */

struct question {
    const struct options *o;
    struct diag *diag;
};

static bool answer(const struct target *target, void *context, struct strbuf *out)
{
    const struct question *question = context;
    const struct options *o = question->o;
    struct answer a = {.target = target, .request = &o->request, .min_blocks = o->min_blocks};
    enum occupancy_error error = occupancy_compute(target, &o->request, &a.o);
    gpu_complain(error, target, o, question->diag);
    if (error)
        return false;
    if (o->format == FORMAT_JSON)
        json_add(out, json_answer(&a));
    else
        add_text(out, &a);
    return true;
}

enum exit_status command_occupancy(const struct options *o)
{
    struct diag diag = DIAG_INIT;
    struct question question = {o, &diag};
    enum exit_status res = gpu_answer(o, answer, &question, &diag);
    diag_release(&diag);
    return res;
}
