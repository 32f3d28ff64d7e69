#include <config.h>

#include "annotate/model/facts.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/names_p.h"

typedef VEC(struct model_fact) fact_list;
typedef VEC(struct model_launch_fact) launch_list;

static int compare_names(const void *a, const void *b)
{
    const struct model_fact *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Adds the values of FROM to TO; false where there are too many. */
static bool add_values(struct constant *to, const struct constant *from)
{
    for (unsigned i = 0; i < from->count; ++i) {
        unsigned at = 0;
        while (at < to->count && to->values[at] < from->values[i])
            ++at;
        if (at < to->count && to->values[at] == from->values[i])
            continue;
        if (to->count == CONSTANT_VALUES)
            return false;
        memmove(to->values + at + 1, to->values + at, (to->count - at) * sizeof *to->values);
        to->values[at] = from->values[i];
        to->count++;
    }
    return true;
}

/* Makes one fact of those of the same name, sorts, and moves LIST into ARENA. */
static void settle(struct model_facts *facts, fact_list *list, struct arena *arena)
{
    struct model_fact *items = arena_zalloc(arena, list->count, sizeof *items);
    size_t count = 0;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_names);
    for (size_t i = 0; i < list->count;) {
        struct model_fact fact = list->items[i++];
        bool known = fact.value.count != 0;
        for (; i < list->count && !strcmp(list->items[i].name, fact.name); ++i)
            known = known && list->items[i].value.count &&
                    add_values(&fact.value, &list->items[i].value);
        if (!known)
            fact.value = (struct constant){.origin = NO_TOKEN};
        items[count++] = fact;
    }
    facts->items = items;
    facts->count = count;
    vec_release(list);
}

static int compare_kernels(const void *a, const void *b)
{
    const struct model_launch_fact *x = a, *y = b;
    return strcmp(x->kernel, y->kernel);
}

static void add_blocks(struct launch_blocks *to, const struct launch_blocks *from)
{
    to->all &= from->all;
    for (unsigned i = 0; i < from->count; ++i)
        launch_blocks_add(to, from->block[i]);
}

/* Likewise for launches. */
static void settle_launches(struct model_facts *facts, launch_list *list, struct arena *arena)
{
    struct model_launch_fact *items = arena_zalloc(arena, list->count, sizeof *items);
    size_t count = 0;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_kernels);
    for (size_t i = 0; i < list->count; ++i)
        if (count && !strcmp(items[count - 1].kernel, list->items[i].kernel))
            add_blocks(&items[count - 1].blocks, &list->items[i].blocks);
        else
            items[count++] = list->items[i];
    facts->launches = items;
    facts->launch_count = count;
    vec_release(list);
}

/* Whether DECL is visible to a file that includes this one. */
static bool is_public(const struct model *model, const struct decl *decl)
{
    switch (decl->kind) {
    case DECL_MACRO: {
        const struct directive *macro = &model->unit->directives.items[decl->directive];
        return !macro->function_like && macro->body.begin < macro->body.end;
    }
    case DECL_VARIABLE:
    case DECL_ENUMERATOR:
        return decl->function == NO_INDEX;
    default:
        return false;
    }
}

void model_facts_read(struct model_facts *facts, struct model *model, struct arena *arena)
{
    fact_list list = {0};
    const struct model_names *names = model_index(model);
    const struct decl_table *const tables[] = {&names->macros, &names->decls};
    for (int t = 0; t < 2; ++t)
        vec_each (struct decl *, item, &tables[t]->list) {
            const struct decl *decl = *item;
            struct model_fact fact = {0};
            if (!is_public(model, decl))
                continue;
            if (!constant_of_name(model, decl->symbol, decl->begin, &fact.value))
                fact.value.count = 0;
            fact.value.origin = NO_TOKEN;
            fact.name = arena_strndup(arena, decl->symbol->text, decl->symbol->len);
            *vec_push(&list) = fact;
        }
    settle(facts, &list, arena);
}

void model_facts_read_launches(struct model_facts *facts, struct model *model, struct arena *arena)
{
    launch_list list = {0};
    size_t count;
    const struct launch_site *sites = model_launches(model, &count);
    for (size_t i = 0; i < count; ++i) {
        const struct launch_site *site = &sites[i];
        if (!site->kernel)
            continue;
        struct model_launch_fact fact = {
            .kernel = arena_strndup(arena, site->kernel->text, site->kernel->len),
            .blocks.all = site->block_known,
        };
        for (unsigned k = 0; k < site->block_count; ++k)
            launch_blocks_add(&fact.blocks, site->blocks[k]);
        *vec_push(&list) = fact;
    }
    settle_launches(facts, &list, arena);
}

void model_facts_merge(struct model_facts *facts, const struct model_facts *const *parts,
                       size_t count, struct arena *arena)
{
    fact_list list = {0};
    launch_list launches = {0};
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < parts[i]->count; ++k)
            *vec_push(&list) = parts[i]->items[k];
        for (size_t k = 0; k < parts[i]->launch_count; ++k)
            *vec_push(&launches) = parts[i]->launches[k];
    }
    settle(facts, &list, arena);
    settle_launches(facts, &launches, arena);
}

bool model_facts_find(const struct model_options *options, const char *name, struct constant *res)
{
    *res = (struct constant){.origin = NO_TOKEN};
    bool found = false;
    const struct model_fact key = {.name = name};
    for (size_t i = 0; options && i < options->fact_count; ++i) {
        const struct model_facts *facts = options->facts[i];
        const struct model_fact *fact = facts->count ? bsearch(&key, facts->items, facts->count,
                                                               sizeof *facts->items, compare_names)
                                                     : NULL;
        if (!fact)
            continue;
        if (!fact->value.count || !add_values(res, &fact->value)) {
            res->count = 0;
            return false;
        }
        found = true;
    }
    return found;
}

size_t model_facts_blocks(const struct model_options *options, const char *kernel,
                          struct launch_blocks *blocks)
{
    size_t res = 0;
    const struct model_launch_fact key = {.kernel = kernel};
    for (size_t i = 0; options && i < options->user_count; ++i) {
        const struct model_facts *facts = options->users[i];
        const struct model_launch_fact *fact =
            facts->launch_count ? bsearch(&key, facts->launches, facts->launch_count,
                                          sizeof *facts->launches, compare_kernels)
                                : NULL;
        if (fact) {
            add_blocks(blocks, &fact->blocks);
            res++;
        }
    }
    return res;
}
