#include <config.h>

#include "annotate/gpu/occupancy.h"

#include <stdint.h>

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned max(unsigned a, unsigned b)
{
    return a < b ? b : a;
}

static unsigned ceil_div(unsigned a, unsigned b)
{
    return a / b + (a % b != 0);
}

/* The figures are small (see targets.c), but a request may be anything. */
static unsigned round_up(unsigned a, unsigned granule)
{
    uint64_t res = (uint64_t)ceil_div(a, granule) * granule;
    return res < UINT_MAX ? (unsigned)res : UINT_MAX;
}

static unsigned add(unsigned a, unsigned b)
{
    return a < UINT_MAX - b ? a + b : UINT_MAX;
}

/* ---- AMD */

/* What the functions below need to know, found once. */
struct amd {
    const struct amd_figures *figures;
    int wave;            /* index of the wave size */
    struct occupancy *o; /* its first part is filled in */
};

static enum occupancy_error amd_begin(const struct target *target,
                                      const struct occupancy_request *request, struct amd *amd,
                                      struct occupancy *o)
{
    const struct amd_figures *figures = &target->amd;
    amd->figures = figures;
    amd->o = o;
    amd->wave = request->wave ? target_wave_index(target, request->wave) : 0;
    if (amd->wave < 0)
        return OCCUPANCY_BAD_WAVE;
    if (request->wgp_mode && !figures->simds[MODE_WGP])
        return OCCUPANCY_BAD_MODE;
    if (request->agprs && figures->agprs == AGPR_NONE)
        return OCCUPANCY_BAD_AGPRS;
    o->mode = figures->simds[MODE_WGP] && !request->cu_mode ? MODE_WGP : MODE_CU;
    o->wave = figures->waves[amd->wave];
    o->simds = figures->simds[o->mode];
    o->max_waves = figures->max_waves;
    o->waves_per_group = ceil_div(request->block, o->wave);
    return OCCUPANCY_OK;
}

/* Registers of a wave that count against the file of the VGPRs. */
static unsigned amd_registers(const struct amd *amd, const struct occupancy_request *request)
{
    switch ((enum agpr_file)amd->figures->agprs) {
    case AGPR_SEPARATE:
        return max(request->vgprs, request->agprs);
    case AGPR_UNIFIED:
        /* The accumulation registers begin behind the others at a multiple of four. */
        return request->agprs ? add(round_up(request->vgprs, 4), request->agprs) : request->vgprs;
    case AGPR_NONE:
        break;
    }
    return request->vgprs;
}

/* The most registers that a wave can name; in the unified file both kinds. */
static unsigned amd_max_registers(const struct amd *amd)
{
    return amd->figures->max_vgprs * (amd->figures->agprs == AGPR_UNIFIED ? 2 : 1);
}

/* The most registers with which WAVES waves fit a SIMD. */
static unsigned amd_registers_for(const struct amd *amd, unsigned waves)
{
    unsigned granule = amd->figures->vgpr_granule[amd->wave];
    return min(amd->figures->vgprs[amd->wave] / waves / granule * granule, amd_max_registers(amd));
}

/* Waves per SIMD with REGISTERS each; at least 1, as the compiler has it. */
static unsigned amd_waves_of_registers(const struct amd *amd, unsigned registers)
{
    unsigned each = round_up(max(registers, 1), amd->figures->vgpr_granule[amd->wave]);
    return min(max(amd->figures->vgprs[amd->wave] / each, 1), amd->figures->max_waves);
}

static unsigned amd_waves_of_sgprs(const struct amd *amd, unsigned sgprs)
{
    const unsigned *steps = amd->figures->sgpr_steps;
    unsigned res = 10; /* of GCN, whose table this is */
    for (int i = 0; steps[0] && i < TARGET_SGPR_STEPS; ++i)
        res -= steps[i] < sgprs;
    return steps[0] ? min(res, amd->figures->max_waves) : amd->figures->max_waves;
}

/* Workgroups, whatever they need beside waves. */
static unsigned amd_slots(const struct amd *amd)
{
    unsigned slots = amd->figures->max_waves * amd->o->simds;
    unsigned n = amd->o->waves_per_group;
    return n == 1 ? slots : min(slots / n, amd->figures->barriers[amd->o->mode]);
}

/* What clang makes of it: the least of three figures per SIMD. Some room for LDS, however little,
   is a wave to it. */
static unsigned amd_compiler_waves(const struct amd *amd, unsigned registers, unsigned sgprs,
                                   unsigned lds)
{
    const struct occupancy *o = amd->o;
    unsigned groups = amd_slots(amd);
    if (lds)
        groups = min(groups, amd->figures->lds[o->mode] / lds);
    unsigned res = lds && !groups ? 1 : ceil_div(groups * o->waves_per_group, o->simds);
    res = min(res, o->max_waves);
    res = min(res, amd_waves_of_registers(amd, registers));
    return min(res, amd_waves_of_sgprs(amd, sgprs));
}

static enum occupancy_error amd_compute(const struct target *target,
                                        const struct occupancy_request *request,
                                        struct occupancy *o)
{
    struct amd amd;
    enum occupancy_error error = amd_begin(target, request, &amd, o);
    if (error)
        return error;
    const struct amd_figures *figures = amd.figures;
    unsigned n = o->waves_per_group;

    /* A bound makes the compiler spill; what one block needs anyway is part of it. */
    unsigned registers = amd_registers(&amd, request);
    o->ignored = figures->max_waves < request->min_waves;
    if (request->min_waves && !o->ignored) {
        unsigned room = amd_registers_for(&amd, max(request->min_waves, ceil_div(n, o->simds)));
        if (room < registers) {
            o->spilled = registers - room;
            registers = room;
        }
    }
    o->vgprs = registers;
    if (registers)
        o->granted = round_up(registers, figures->vgpr_granule[amd.wave]);
    o->lds = round_up(request->lds, figures->lds_granule);

    o->limits[LIMIT_WAVES] = figures->max_waves * o->simds / n;
    if (n != 1)
        o->limits[LIMIT_WORKGROUPS] = figures->barriers[o->mode];
    if (amd_max_registers(&amd) < registers || figures->max_vgprs < request->agprs)
        o->limits[LIMIT_VGPRS] = 0;
    else if (registers)
        o->limits[LIMIT_VGPRS] = amd_waves_of_registers(&amd, registers) * o->simds / n;
    if (request->sgprs && figures->sgpr_steps[0])
        o->limits[LIMIT_SGPRS] = amd_waves_of_sgprs(&amd, request->sgprs) * o->simds / n;
    if (figures->max_lds < request->lds)
        o->limits[LIMIT_LDS] = 0;
    else if (request->lds)
        o->limits[LIMIT_LDS] = figures->lds[o->mode] / o->lds;

    o->compiler_waves = amd_compiler_waves(&amd, registers, request->sgprs, request->lds);
    return OCCUPANCY_OK;
}

/* Names what separates the compiler's figure from the one just found. */
static void amd_compare(const struct target *target, const struct occupancy_request *request,
                        struct occupancy *o)
{
    struct occupancy begun = *o;
    struct amd amd;
    amd_begin(target, request, &amd, &begun);
    unsigned rounded = amd_compiler_waves(&amd, o->vgprs, request->sgprs, o->lds);
    if (rounded != o->compiler_waves)
        o->differences |= DIFFERS_LDS_GRANULE;
    if (rounded * o->simds != o->waves)
        o->differences |= DIFFERS_WHOLE_GROUPS;
}

/* ---- NVIDIA */

static unsigned nvidia_blocks_of_registers(const struct nvidia_figures *figures, unsigned registers,
                                           unsigned warps)
{
    if (figures->max_registers < registers)
        return 0;
    unsigned each = round_up(registers * figures->warp, figures->register_granule);
    /* CUDA also refuses a block that has too few registers with its warps rounded up to all
       partitions; but then no partition has room for its share, and this is 0 as well. */
    return figures->registers / figures->partitions / each * figures->partitions / warps;
}

static enum occupancy_error nvidia_compute(const struct target *target,
                                           const struct occupancy_request *request,
                                           struct occupancy *o)
{
    const struct nvidia_figures *figures = &target->nvidia;
    if (request->wave && request->wave != figures->warp)
        return OCCUPANCY_BAD_WAVE;
    if (request->cu_mode || request->wgp_mode)
        return OCCUPANCY_BAD_MODE;
    if (request->agprs)
        return OCCUPANCY_BAD_AGPRS;
    o->wave = figures->warp;
    o->simds = figures->partitions;
    o->max_waves = figures->warps / figures->partitions;
    o->waves_per_group = ceil_div(request->block, o->wave);
    o->vgprs = request->vgprs;
    o->granted =
        round_up(request->vgprs, max(1, figures->register_granule / max(1, figures->warp)));
    o->lds = round_up(add(request->lds, figures->reserved_shared), figures->shared_granule);

    o->limits[LIMIT_WAVES] = figures->warps / o->waves_per_group;
    o->limits[LIMIT_WORKGROUPS] = figures->blocks;
    if (request->vgprs)
        o->limits[LIMIT_VGPRS] =
            nvidia_blocks_of_registers(figures, request->vgprs, o->waves_per_group);
    if (figures->max_shared < request->lds)
        o->limits[LIMIT_LDS] = 0;
    else if (o->lds)
        o->limits[LIMIT_LDS] = figures->shared / o->lds;
    return OCCUPANCY_OK;
}

/* ---- both */

enum occupancy_error occupancy_compute(const struct target *target,
                                       const struct occupancy_request *request,
                                       struct occupancy *res)
{
    if (!request->block || target->max_block < request->block)
        return OCCUPANCY_BAD_BLOCK;
    *res = (struct occupancy){.threads = request->block};
    for (int i = 0; i < LIMIT_COUNT; ++i)
        res->limits[i] = OCCUPANCY_UNLIMITED;
    bool amd = target->vendor == VENDOR_AMD;
    enum occupancy_error error =
        amd ? amd_compute(target, request, res) : nvidia_compute(target, request, res);
    if (error)
        return error;
    for (int i = 0; i < LIMIT_COUNT; ++i)
        if (res->limits[i] < res->limits[res->limited_by])
            res->limited_by = (enum occupancy_limit)i;
    res->groups = res->limits[res->limited_by];
    res->waves = res->groups * res->waves_per_group;
    res->at_most = !request->vgprs && !request->agprs;
    if (amd)
        amd_compare(target, request, res);
    return OCCUPANCY_OK;
}

double occupancy_waves_per_simd(const struct occupancy *o)
{
    return (double)o->waves / o->simds;
}

double occupancy_lanes_busy(const struct occupancy *o)
{
    return (double)o->threads / (o->waves_per_group * o->wave);
}

/* The amount of RESOURCE in REQUEST. */
static unsigned *amount(struct occupancy_request *request, enum occupancy_limit resource)
{
    return resource == LIMIT_VGPRS   ? &request->vgprs
           : resource == LIMIT_LDS   ? &request->lds
           : resource == LIMIT_SGPRS ? &request->sgprs
                                     : NULL;
}

/* The most of RESOURCE in LOW..HIGH with which workgroups (all resources counted, or RESOURCE
   ALONE) are at least GROUPS; LOW - 1 if there is none. More of a resource never makes room. */
static unsigned search(const struct target *target, struct occupancy_request request,
                       enum occupancy_limit resource, bool alone, unsigned groups, unsigned high)
{
    unsigned *n = amount(&request, resource);
    unsigned low = 1;
    while (low <= high) {
        struct occupancy o;
        *n = low + (high - low) / 2;
        bool fits = occupancy_compute(target, &request, &o) == OCCUPANCY_OK &&
                    groups <= (alone ? o.limits[resource] : o.groups);
        if (fits)
            low = *n + 1;
        else
            high = *n - 1;
    }
    return high;
}

unsigned occupancy_budget(const struct target *target, const struct occupancy_request *request,
                          enum occupancy_limit resource, unsigned groups)
{
    enum { MOST = 1 << 30 };
    struct occupancy_request bare = *request;
    bare.agprs = bare.min_waves = 0;
    if (!amount(&bare, resource))
        return 0;
    return search(target, bare, resource, true, groups, MOST);
}

unsigned occupancy_step(const struct target *target, const struct occupancy_request *request,
                        enum occupancy_limit resource, struct occupancy *res)
{
    struct occupancy_request less = *request;
    unsigned *n = amount(&less, resource);
    if (!n || *n < 2 || occupancy_compute(target, request, res) != OCCUPANCY_OK)
        return 0;
    *n = search(target, less, resource, false, res->groups + 1, *n - 1);
    unsigned step = *n;
    return step && occupancy_compute(target, &less, res) == OCCUPANCY_OK ? step : 0;
}

enum occupancy_error occupancy_add_lds(const struct target *target,
                                       const struct occupancy_request *request, int64_t bytes,
                                       struct occupancy *before, struct occupancy *after)
{
    struct occupancy_request more = *request;
    if (bytes < 0)
        more.lds = -(int64_t)request->lds < bytes ? request->lds - (unsigned)-bytes : 0;
    else
        more.lds = bytes < UINT_MAX ? add(request->lds, (unsigned)bytes) : UINT_MAX;
    enum occupancy_error error = occupancy_compute(target, request, before);
    return error ? error : occupancy_compute(target, &more, after);
}

enum occupancy_error occupancy_bounds(const struct target *target,
                                      const struct occupancy_request *request, unsigned min_blocks,
                                      struct converted_bounds *res)
{
    if (!request->block || target->max_block < request->block)
        return OCCUPANCY_BAD_BLOCK;
    if (target->vendor != VENDOR_AMD)
        return OCCUPANCY_BAD_MODE;
    struct occupancy o = {0};
    struct amd amd;
    enum occupancy_error error = amd_begin(target, request, &amd, &o);
    if (error)
        return error;
    uint64_t waves = (uint64_t)min_blocks * o.waves_per_group;
    uint64_t exact = waves / o.simds + (waves % o.simds != 0);
    res->exact = exact < UINT_MAX ? (unsigned)exact : UINT_MAX;
    res->waves = min(res->exact, o.max_waves);
    res->implied = ceil_div(o.waves_per_group, o.simds);
    res->possible = min_blocks <= amd_slots(&amd);
    return OCCUPANCY_OK;
}

unsigned occupancy_blocks_of_waves(const struct occupancy *o, unsigned min_waves)
{
    return min(min_waves, o->max_waves) * o->simds / o->waves_per_group;
}

const char *occupancy_limit_word(enum occupancy_limit limit)
{
    static const char *const words[LIMIT_COUNT] = {
        [LIMIT_WAVES] = "waves", [LIMIT_WORKGROUPS] = "workgroups", [LIMIT_VGPRS] = "vgprs",
        [LIMIT_LDS] = "lds",     [LIMIT_SGPRS] = "sgprs",
    };
    return words[limit];
}
