/* The definitions of a file: those of each function, read when first asked for, and those of
   members and of what is no local variable, by name.  */
#include <config.h>

#include "annotate/model/flow_p.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/constant.h"

struct model_flows {
    const struct flow **of; /* by function */
    const struct definition **others;
    size_t other_count;
    bool others_ready;
};

/* Elements of arrays, in paths. */

enum { ELEMENTS = 4 };

static const struct symbol elements[ELEMENTS] = {
    {.text = "0"}, {.text = "1"}, {.text = "2"}, {.text = "3"}};

const struct symbol *flow_element(const struct unit *unit, const struct node *index)
{
    int64_t value;
    unsigned bytes;
    bool is_signed;
    return index->kind == NODE_NUMBER &&
                   constant_literal(unit, index, &value, &bytes, &is_signed) && 0 <= value &&
                   value < ELEMENTS
               ? &elements[value]
               : NULL;
}

int flow_element_index(const struct symbol *symbol)
{
    for (int i = 0; i < ELEMENTS; ++i)
        if (symbol == &elements[i])
            return i;
    return -1;
}

static struct model_flows *flows_of(struct model *model)
{
    if (!model->flows) {
        model->flows = arena_zalloc(model->arena, 1, sizeof *model->flows);
        model->flows->of =
            arena_zalloc(model->arena, model->unit->functions.count, sizeof(const struct flow *));
    }
    return model->flows;
}

const struct flow *model_flow(struct model *model, size_t index)
{
    struct model_flows *flows = flows_of(model);
    if (!flows->of[index])
        flows->of[index] = flow_read(model, index);
    return flows->of[index];
}

/* Variables of the file and members. */

static const struct symbol *last_name(const struct definition *d)
{
    return d->path_count ? d->path[d->path_count - 1] : d->name;
}

static int compare_others(const void *a, const void *b)
{
    const struct definition *x = *(const struct definition *const *)a,
                            *y = *(const struct definition *const *)b;
    const struct symbol *m = last_name(x), *n = last_name(y);
    if (m != n)
        return (uintptr_t)m < (uintptr_t)n ? -1 : 1;
    return x->token < y->token ? -1 : x->token > y->token;
}

static void gather_others(struct model *model)
{
    struct model_flows *flows = flows_of(model);
    VEC(const struct definition *) all = {0};
    for (size_t i = 0; i < model->unit->functions.count; ++i) {
        const struct flow *flow = model_flow(model, i);
        for (size_t k = 0; k < flow->count; ++k)
            if (flow->items[k].variable == NO_INDEX || flow->items[k].path_count)
                *vec_push(&all) = &flow->items[k];
    }
    flows->others = arena_zalloc(model->arena, all.count, sizeof *flows->others);
    if (all.count) {
        memcpy(flows->others, all.items, all.count * sizeof *flows->others);
        qsort(flows->others, all.count, sizeof *flows->others, compare_others);
    }
    flows->other_count = all.count;
    flows->others_ready = true;
    vec_release(&all);
}

const struct definition *const *flow_of_others(struct model *model, const struct symbol *name,
                                               size_t *count)
{
    struct model_flows *flows = flows_of(model);
    if (!flows->others_ready)
        gather_others(model);
    size_t low;
    vec_search(low, flows->other_count, (uintptr_t)last_name(flows->others[low]) < (uintptr_t)name);
    size_t end = low;
    while (end < flows->other_count && last_name(flows->others[end]) == name)
        ++end;
    *count = end - low;
    return flows->others + low;
}
