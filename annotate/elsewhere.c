#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

#include "annotate/model/sources.h"

/* The tokens of SPAN. */
static struct range tokens_of(const struct unit *unit, struct span span)
{
    const struct token *tokens = unit->tokens.list.items;
    size_t first, behind;
    vec_search(first, unit->tokens.list.count, tokens[first].offset < span.begin);
    vec_search(behind, unit->tokens.list.count, tokens[behind].offset < span.end);
    return (struct range){(uint32_t)first, (uint32_t)behind};
}

static bool is_known(const struct finding *f, const struct model_place *place)
{
    for (const struct related *r = f->related; r; r = r->next)
        if (r->file && r->id == place->how && r->begin.line == place->begin.line &&
            r->begin.column == place->begin.column && !strcmp(r->file, place->file))
            return true;
    return false;
}

void annotation_add_places(struct finding *f, const struct model_place *places, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
        if (places[i].file && !is_known(f, &places[i]))
            finding_add_related_file(f, places[i].how, places[i].file, places[i].begin,
                                     places[i].end, places[i].name);
}

static void add_grounds(struct finding *f, const struct place_list *own)
{
    for (unsigned i = 0; i < own->count; ++i)
        finding_add_ground(f, own->items[i].how, own->items[i].span, own->items[i].name);
}

void annotation_add_launches(struct annotation *a, struct finding *f, size_t function)
{
    struct place_list list = {0}, own = {0};
    model_launch_sources(annotation_code(a)->model, function,
                         (struct model_grounds){&list, a->options->grounds ? &own : NULL});
    annotation_add_places(f, list.items, list.count);
    add_grounds(f, &own);
}

/* Whether what stands at the place R has a say in the finding. What a launch is given has none, but
   for its block, of which the rules speak themselves. */
static bool decides(const struct related *r)
{
    return !r->file && r->id != RELATED_LAUNCHED && r->id != RELATED_CALLED &&
           r->id != RELATED_HIDDEN;
}

/* In shared memory it matters how large things are. */
static enum source_of what_counts(enum rule_id rule)
{
    const char *name = rule_get(rule)->name;
    bool sizes = !strncmp(name, "lds-", 4) || rule == RULE_OCCUPANCY_SHARED_SIZE ||
                 rule == RULE_OCCUPANCY_ONE_WORKGROUP;
    return sizes ? SOURCES_OF_SIZES : SOURCES_OF_VALUES;
}

void annotation_add_sources(struct annotation *a)
{
    if (!a->code)
        return; /* nothing depends on values */
    struct model *model = a->code->model;
    vec_each (struct finding, f, &a->findings->list) {
        struct place_list list = {0}, own = {0};
        struct model_grounds res = {&list, a->options->grounds ? &own : NULL};
        enum source_of what = what_counts(f->rule);
        model_sources(model, tokens_of(a->unit, f->span), what, res);
        for (const struct related *r = f->related; r; r = r->next)
            if (decides(r))
                model_sources(model, tokens_of(a->unit, r->span), what, res);
        annotation_add_places(f, list.items, list.count);
        add_grounds(f, &own);
    }
}
