#include <config.h>

#include "annotate/model/facts.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/names_p.h"

typedef VEC(struct model_fact) fact_list;

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
    *facts = (struct model_facts){items, count};
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

void model_facts_merge(struct model_facts *facts, const struct model_facts *const *parts,
                       size_t count, struct arena *arena)
{
    fact_list list = {0};
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < parts[i]->count; ++k)
            *vec_push(&list) = parts[i]->items[k];
    settle(facts, &list, arena);
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
