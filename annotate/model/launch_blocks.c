/* The blocks that a function runs in: those of the kernels that come to it, as this file and others
   launch them.  */
#include <config.h>

#include "annotate/model/launch_p.h"

#include <string.h>

#include "annotate/model/facts.h"

struct kernel_blocks {
    struct launch_blocks blocks;
    size_t count; /* of launches */
};

void launch_blocks_add(struct launch_blocks *res, const unsigned block[3])
{
    for (unsigned i = 0; i < res->count; ++i)
        if (!memcmp(res->block[i], block, sizeof res->block[i]))
            return;
    if (res->count == LAUNCH_BLOCKS) {
        res->all = false;
        return;
    }
    memcpy(res->block[res->count++], block, sizeof res->block[0]);
}

void launch_blocks_join(struct launch_blocks *res, const struct launch_blocks *from)
{
    res->all &= from->all;
    for (unsigned i = 0; i < from->count; ++i)
        launch_blocks_add(res, from->block[i]);
}

/* What other files call the kernel at INDEX; NULL where none can. */
static const char *public_name(const struct model *model, size_t index)
{
    const struct unit *unit = model->unit;
    return model_internal(model, index)
               ? NULL
               : unit_token(unit, unit->functions.items[index].name)->symbol->text;
}

size_t model_blocks_elsewhere(struct model *model, size_t index, struct launch_blocks *res)
{
    const char *name = public_name(model, index);
    return name ? model_facts_blocks(model->options, name, res) : 0;
}

void model_launches_elsewhere(struct model *model, size_t index, struct place_list *res)
{
    const char *name = public_name(model, index);
    if (name)
        model_facts_launches(model->options, name, res);
}

/* The blocks of the kernel at INDEX, as this file and others launch it. */
static struct kernel_blocks *find_kernel_blocks(struct model *model, size_t index)
{
    struct kernel_blocks *res = arena_zalloc(model->arena, 1, sizeof *res);
    const struct launch_site *const *sites = model_launches_of(model, index, &res->count, NULL);
    res->blocks.all = true;
    for (size_t i = 0; i < res->count; ++i) {
        res->blocks.all &= sites[i]->block_known;
        for (unsigned k = 0; k < sites[i]->block_count; ++k)
            launch_blocks_add(&res->blocks, sites[i]->blocks[k]);
    }
    res->count += model_blocks_elsewhere(model, index, &res->blocks);
    return res;
}

/* Adds the blocks of the kernel at INDEX to RES; returns 0 where nobody launches it. All functions
   that are one kernel, and all that it calls, share the answer. */
static size_t add_blocks_of(struct model *model, size_t index, struct launch_blocks *res)
{
    struct model_launches *launches = model->launches;
    struct kernel_blocks **added =
        &launches->added[model_internal(model, index)][launches->kernel[index]];
    if (!*added)
        *added = find_kernel_blocks(model, index);
    launch_blocks_join(res, &(*added)->blocks);
    return (*added)->count;
}

/* The functions that run a function, found step by step. */
struct callers {
    struct model_launches *launches;
    uint32_t queue[100];
    size_t length;
    size_t uses; /* looked at */
    bool cut;    /* there are more than anybody wants to look at */
};

static void add_caller(struct callers *callers, size_t index)
{
    if (callers->launches->seen[index])
        return;
    if (callers->length == sizeof callers->queue / sizeof *callers->queue) {
        callers->cut = true;
        return;
    }
    callers->launches->seen[index] = true;
    callers->queue[callers->length++] = (uint32_t)index;
}

static void add_callers_of(struct model *model, const struct function *function,
                           struct callers *callers)
{
    enum { USES = 1000 };
    const struct unit *unit = model->unit;
    size_t count;
    const uint32_t *uses = model_uses(model, unit_token(unit, function->name)->symbol, &count);
    for (size_t i = 0; i < count && !callers->cut; ++i) {
        size_t caller = model_function_at(model, uses[i]);
        callers->cut = USES < ++callers->uses;
        if (caller != NO_INDEX &&
            unit->functions.items[caller].flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE))
            add_caller(callers, caller);
    }
}

static void find_blocks(struct model *model, size_t index, struct launch_blocks *res)
{
    const struct unit *unit = model->unit;
    struct model_launches *launches = model->launches;
    struct callers callers = {.launches = launches};
    size_t sites = 0;
    *res = (struct launch_blocks){.all = true};
    add_caller(&callers, index);
    for (size_t next = 0; next < callers.length; ++next) {
        const struct function *function = &unit->functions.items[callers.queue[next]];
        if (function->flags & FUNCTION_GLOBAL)
            sites += add_blocks_of(model, callers.queue[next], res);
        else
            add_callers_of(model, function, &callers);
    }
    while (callers.length)
        launches->seen[callers.queue[--callers.length]] = false;
    res->all &= sites != 0 && !callers.cut;
}

bool model_blocks(struct model *model, size_t index, struct launch_blocks *res)
{
    struct model_launches *launches = launches_read(model);
    size_t count = model->unit->functions.count;
    if (!launches->blocks) {
        launches->blocks = arena_zalloc(model->arena, count, sizeof *launches->blocks);
        launches->seen = arena_zalloc(model->arena, count, sizeof *launches->seen);
        for (int i = 0; i < 2; ++i)
            launches->added[i] = arena_zalloc(model->arena, count, sizeof *launches->added[i]);
    }
    if (!launches->blocks[index]) {
        launches->blocks[index] = arena_zalloc(model->arena, 1, sizeof **launches->blocks);
        find_blocks(model, index, launches->blocks[index]);
    }
    *res = *launches->blocks[index];
    return res->all;
}
