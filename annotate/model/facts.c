#include <config.h>

#include "annotate/model/facts.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/query_p.h"

typedef VEC(struct model_fact) fact_list;
typedef VEC(struct model_launch_fact) launch_list;

static int compare_names(const void *a, const void *b)
{
    const struct model_fact *x = a, *y = b;
    return strcmp(x->name, y->name);
}

bool constant_join(struct constant *to, const struct constant *from)
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

/* The places of A, then those of B. */
static struct model_places join_places(const struct model_places *a, const struct model_places *b,
                                       struct arena *arena)
{
    struct place_list list = {0};
    if (!b->count)
        return *a;
    place_list_join(&list, a);
    place_list_join(&list, b);
    return place_list_keep(&list, arena);
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
        for (; i < list->count && !strcmp(list->items[i].name, fact.name); ++i) {
            known = known && list->items[i].value.count &&
                    constant_join(&fact.value, &list->items[i].value);
            fact.places = join_places(&fact.places, &list->items[i].places, arena);
        }
        if (!known) {
            fact.value = (struct constant){.origin = NO_TOKEN};
            fact.places.count = 0;
        }
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

static int compare_blocks(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;
    for (int i = 0; i < 3; ++i)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void add_launches(struct model_launch_fact *to, const struct model_launch_fact *from,
                         struct arena *arena)
{
    launch_blocks_join(&to->blocks, &from->blocks);
    to->open |= from->open;
    to->places = join_places(&to->places, &from->places, arena);
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
            add_launches(&items[count - 1], &list->items[i], arena);
        else
            items[count++] = list->items[i];
    /* The order of files must not matter. */
    for (size_t i = 0; i < count; ++i)
        qsort(items[i].blocks.block, items[i].blocks.count, sizeof items[i].blocks.block[0],
              compare_blocks);
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

/* Keeps a copy of LIST, names and all. */
static struct model_places keep_places(const struct place_list *list, struct arena *arena)
{
    struct place_list copy = *list;
    for (unsigned i = 0; i < copy.count; ++i) {
        struct model_place *place = &copy.items[i];
        place->name = place->name ? arena_strndup(arena, place->name, strlen(place->name)) : NULL;
        place->file = place->file ? arena_strndup(arena, place->file, strlen(place->file)) : NULL;
    }
    return place_list_keep(&copy, arena);
}

/* Where DECL, called NAME, is defined, and what it takes from others. */
static struct model_places places_of(struct model *model, struct decl *decl, const char *name,
                                     enum source_of what, struct arena *arena)
{
    struct place_list list = {0};
    struct range text = model_definition(model, decl);
    const struct model_place own = {
        .how = RELATED_DEFINED, .name = name, .span = unit_span(model->unit, text)};
    place_list_add(&list, &own);
    model_sources(model, text, what, (struct model_grounds){.others = &list});
    return keep_places(&list, arena);
}

void model_facts_read(struct model_facts *facts, struct model *model, struct arena *arena)
{
    fact_list list = {0};
    const struct model_names *names = model_index(model);
    const struct decl_table *const tables[] = {&names->macros, &names->decls};
    for (int t = 0; t < 2; ++t)
        vec_each (struct decl *, item, &tables[t]->list) {
            struct decl *decl = *item;
            struct model_fact fact = {0};
            if (!is_public(model, decl))
                continue;
            if (!constant_of_name(model, decl->symbol, decl->begin, &fact.value))
                fact.value.count = 0;
            fact.value.origin = NO_TOKEN;
            fact.name = arena_strndup(arena, decl->symbol->text, decl->symbol->len);
            if (fact.value.count)
                fact.places = places_of(model, decl, fact.name, SOURCES_OF_VALUES, arena);
            *vec_push(&list) = fact;
        }
    settle(facts, &list, arena);
}

/* What may be told of TYPE: nothing that lies in the model's arena. */
static struct type plain_type(const struct type *type)
{
    struct type res = {.kind = TYPE_UNKNOWN};
    if (!type || !type->exact || !type->size)
        return res;
    switch (type->kind) {
    case TYPE_BOOL:
    case TYPE_INTEGER:
    case TYPE_FLOATING:
        break;
    case TYPE_VECTOR: /* its element is one of ours */
        res.element = type->element;
        res.count = type->count;
        break;
    case TYPE_RECORD:
        if (type->size == 1)
            return res; /* maybe empty, which only its members tell */
        break;
    default:
        return res;
    }
    res.kind = type->kind;
    res.is_signed = type->is_signed;
    res.exact = true;
    res.size = type->size;
    res.align = type->align;
    return res;
}

/* The type that a file which includes this one has by the name of DECL; false where it declares
   none. */
static bool public_type(struct model *model, struct decl *decl, struct type *res)
{
    enum { TYPE_WORDS = 4 };
    struct query query;
    const struct directive *macro;
    struct node *type;
    query_init(&query, model);
    switch (decl->kind) {
    case DECL_MACRO:
        macro = &model->unit->directives.items[decl->directive];
        /* A few words, as in `unsigned long long`. */
        if (macro->function_like || macro->body.end <= macro->body.begin ||
            TYPE_WORDS < macro->body.end - macro->body.begin ||
            (unit_kind(model->unit, macro->body.begin) != TOK_TYPE &&
             unit_kind(model->unit, macro->body.begin) != TOK_IDENT))
            return false;
        type = tree_type(&model->trees, macro->body);
        *res = plain_type(type ? query_declared(&query, type, NULL, NULL) : NULL);
        return res->kind != TYPE_UNKNOWN;
    case DECL_ALIAS:
        if (decl->function != NO_INDEX)
            return false;
        *res = plain_type(query_alias(&query, decl));
        return true;
    case DECL_RECORD:
    case DECL_ENUM:
        if (decl->function != NO_INDEX || !decl->symbol)
            return false;
        *res = plain_type(query_record(&query, decl->own, NULL));
        return true;
    default:
        return false;
    }
}

static int compare_types(const void *a, const void *b)
{
    const struct model_type_fact *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void model_facts_read_types(struct model_facts *facts, struct model *model, struct arena *arena)
{
    VEC(struct model_type_fact) list = {0};
    const struct model_names *names = model_index(model);
    const struct decl_table *const tables[] = {&names->macros, &names->decls};
    for (int t = 0; t < 2; ++t)
        vec_each (struct decl *, item, &tables[t]->list) {
            struct model_type_fact fact = {0};
            if (!(*item)->symbol || !public_type(model, *item, &fact.type))
                continue;
            fact.name = arena_strndup(arena, (*item)->symbol->text, (*item)->symbol->len);
            if (fact.type.kind != TYPE_UNKNOWN)
                fact.places = places_of(model, *item, fact.name, SOURCES_OF_SIZES, arena);
            *vec_push(&list) = fact;
        }
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, compare_types);
    struct model_type_fact *items = arena_zalloc(arena, list.count, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < list.count; ++i) {
        struct type *type = &list.items[i].type;
        if (!count || strcmp(items[count - 1].name, list.items[i].name) != 0)
            items[count++] = list.items[i];
        else if (items[count - 1].type.kind != type->kind ||
                 items[count - 1].type.size != type->size)
            items[count - 1].type = (struct type){.kind = TYPE_UNKNOWN};
    }
    facts->types = items;
    facts->type_count = count;
    vec_release(&list);
}

/* What the launch bounds of the function at INDEX say. */
static void read_bounds(struct model *model, uint32_t index, struct model_kernel_fact *res,
                        struct arena *arena)
{
    struct launch_bounds bounds = model_launch_bounds(model, index);
    struct place_list list = {0};
    if (!bounds.given || !constant_single(&bounds.max_threads))
        return;
    res->max_threads = bounds.max_threads;
    struct range range = bounds.arguments[0]->tokens;
    const struct model_place own = {.how = RELATED_BOUNDS, .span = unit_span(model->unit, range)};
    place_list_add(&list, &own);
    model_sources(model, range, SOURCES_OF_VALUES, (struct model_grounds){.others = &list});
    res->places = keep_places(&list, arena);
}

static int compare_kernel_facts(const void *a, const void *b)
{
    const struct model_kernel_fact *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void model_facts_read_kernels(struct model_facts *facts, struct model *model, struct arena *arena)
{
    const struct unit *unit = model->unit;
    VEC(struct model_kernel_fact) list = {0};
    bool bounded = symbol_find(unit->symbols, "__launch_bounds__") != NULL;
    for (uint32_t i = 0; i < unit->functions.count; ++i) {
        const struct function *function = &unit->functions.items[i];
        const struct symbol *name = unit_token(unit, function->name)->symbol;
        if (!(function->flags & FUNCTION_GLOBAL) || function->body.end <= function->body.begin ||
            !name)
            continue;
        struct model_kernel_fact *fact = vec_push(&list);
        *fact = (struct model_kernel_fact){.name = arena_strndup(arena, name->text, name->len)};
        if (bounded)
            read_bounds(model, i, fact, arena);
    }
    struct model_kernel_fact *items = arena_zalloc(arena, list.count, sizeof *items);
    if (list.count) {
        qsort(list.items, list.count, sizeof *list.items, compare_kernel_facts);
        memcpy(items, list.items, list.count * sizeof *items);
    }
    facts->kernels = items;
    facts->kernel_count = list.count;
    vec_release(&list);
}

/* Where SITE is, and what its block takes from others. */
static struct model_places launch_places(struct model *model, const struct launch_site *site,
                                         struct arena *arena)
{
    struct place_list list = {0};
    const struct model_place own = {.how = RELATED_LAUNCHED,
                                    .span = unit_span(model->unit, model_launch_place(site))};
    place_list_add(&list, &own);
    for (int i = 0; i < 3; ++i)
        if (site->block[i].expression)
            model_sources(model, site->block[i].expression->tokens, SOURCES_OF_VALUES,
                          (struct model_grounds){.others = &list});
    return keep_places(&list, arena);
}

void model_facts_read_launches(struct model_facts *facts, struct model *model, struct arena *arena)
{
    launch_list list = {0};
    size_t count;
    const struct launch_site *sites = model_launches(model, &count);
    for (size_t i = 0; i < count; ++i) {
        const struct launch_site *site = &sites[i];
        facts->computed |= !site->kernel;
        if (!site->kernel)
            continue;
        struct model_launch_fact fact = {
            .kernel = arena_strndup(arena, site->kernel->text, site->kernel->len),
            .blocks.all = site->block_known,
            .open = site->open,
        };
        for (unsigned k = 0; k < site->block_count; ++k)
            launch_blocks_add(&fact.blocks, site->blocks[k]);
        fact.places = launch_places(model, site, arena);
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

static const char *copy_name(const char *name, struct arena *arena)
{
    return arena_strndup(arena, name, strlen(name));
}

static struct model_places copy_places(const struct model_places *places, struct arena *arena)
{
    struct place_list list = {0};
    place_list_join(&list, places);
    return keep_places(&list, arena);
}

/* Copies COUNT items, whose places and names, of the members called so, are copied too. */
#define COPY_ITEMS(to, from, count, member)                                                        \
    do {                                                                                           \
        (to) = memcpy(arena_zalloc(arena, (count), sizeof *(to)), (from), (count) * sizeof *(to)); \
        for (size_t i = 0; i < (count); ++i) {                                                     \
            (to)[i].member = copy_name((to)[i].member, arena);                                     \
            (to)[i].places = copy_places(&(to)[i].places, arena);                                  \
        }                                                                                          \
    } while (0)

void model_facts_add_copy(struct model_facts *facts, const struct model_facts *from,
                          struct arena *arena)
{
    facts->computed |= from->computed;
    if (from->count) {
        struct model_fact *items;
        COPY_ITEMS(items, from->items, from->count, name);
        facts->items = items;
        facts->count = from->count;
    }
    if (from->launch_count) {
        struct model_launch_fact *items;
        COPY_ITEMS(items, from->launches, from->launch_count, kernel);
        facts->launches = items;
        facts->launch_count = from->launch_count;
    }
    if (from->type_count) {
        struct model_type_fact *items;
        COPY_ITEMS(items, from->types, from->type_count, name);
        facts->types = items;
        facts->type_count = from->type_count;
    }
    if (from->kernel_count) {
        struct model_kernel_fact *items;
        COPY_ITEMS(items, from->kernels, from->kernel_count, name);
        facts->kernels = items;
        facts->kernel_count = from->kernel_count;
    }
    if (from->macro_count) {
        struct model_macro *items = arena_zalloc(arena, from->macro_count, sizeof *items);
        for (size_t i = 0; i < from->macro_count; ++i) {
            const char *body = from->macros[i].body;
            items[i] = from->macros[i];
            items[i].name = copy_name(items[i].name, arena);
            items[i].body = body ? copy_name(body, arena) : NULL;
        }
        facts->macros = items;
        facts->macro_count = from->macro_count;
    }
}

static struct model_places locate(const struct model_places *places, struct source *source,
                                  struct arena *arena)
{
    struct place_list list = {0};
    place_list_join(&list, places);
    for (unsigned i = 0; i < list.count; ++i) {
        struct model_place *place = &list.items[i];
        if (place->file)
            continue;
        place->file = source->name;
        place->begin = source_location(source, place->span.begin);
        place->end = source_location(source, place->span.end);
    }
    return place_list_keep(&list, arena);
}

/* The same for the COUNT items at FROM. */
#define LOCATE_ITEMS(type, from, count)                                 \
    do {                                                                \
        type *items = arena_zalloc(arena, (count), sizeof *items);      \
        for (size_t i = 0; i < (count); ++i) {                          \
            items[i] = (from)[i];                                       \
            items[i].places = locate(&(from)[i].places, source, arena); \
        }                                                               \
        (from) = items;                                                 \
    } while (0)

void model_facts_locate(struct model_facts *facts, struct source *source, struct arena *arena)
{
    LOCATE_ITEMS(struct model_fact, facts->items, facts->count);
    LOCATE_ITEMS(struct model_launch_fact, facts->launches, facts->launch_count);
    LOCATE_ITEMS(struct model_type_fact, facts->types, facts->type_count);
    LOCATE_ITEMS(struct model_kernel_fact, facts->kernels, facts->kernel_count);
}

/* What the facts in the list of OPTIONS know of NAME. */
static enum model_knowledge find_listed(const struct model_options *options, const char *name,
                                        struct constant *res)
{
    enum model_knowledge state = KNOWN_NOT;
    const struct model_fact key = {.name = name};
    *res = (struct constant){.origin = NO_TOKEN};
    for (size_t i = 0; i < options->fact_count; ++i) {
        const struct model_facts *facts = options->facts[i];
        const struct model_fact *fact = facts->count ? bsearch(&key, facts->items, facts->count,
                                                               sizeof *facts->items, compare_names)
                                                     : NULL;
        if (!fact)
            continue;
        if (!fact->value.count || !constant_join(res, &fact->value)) {
            res->count = 0;
            return KNOWN_DECLARED;
        }
        state = KNOWN_VALUE;
    }
    return state;
}

bool model_facts_find(const struct model_options *options, const char *name, struct constant *res)
{
    *res = (struct constant){.origin = NO_TOKEN};
    if (!options)
        return false;
    enum model_knowledge state = find_listed(options, name, res);
    for (int i = 0; i < MODEL_SCOPES && options->world && state == KNOWN_NOT; ++i)
        state = model_world_find(options->world, &options->scopes[i], name, res);
    return state == KNOWN_VALUE;
}

void model_facts_places(const struct model_options *options, const char *name, enum source_of what,
                        struct place_list *res)
{
    unsigned before = res->count;
    for (int i = 0; options && options->world && i < MODEL_SCOPES && res->count == before; ++i)
        model_world_places(options->world, &options->scopes[i], name, what == SOURCES_OF_SIZES,
                           res);
}

const struct type *model_facts_find_type(const struct model_options *options, const char *name)
{
    const struct type *res = NULL;
    enum model_knowledge state = KNOWN_NOT;
    for (int i = 0; options && options->world && i < MODEL_SCOPES && state == KNOWN_NOT; ++i)
        state = model_world_find_type(options->world, &options->scopes[i], name, &res);
    return state == KNOWN_VALUE ? res : NULL;
}

/* What FACTS say of the launches of KERNEL, or NULL. */
static const struct model_launch_fact *find_launch(const struct model_facts *facts,
                                                   const char *kernel)
{
    const struct model_launch_fact key = {.kernel = kernel};
    return facts->launch_count ? bsearch(&key, facts->launches, facts->launch_count,
                                         sizeof *facts->launches, compare_kernels)
                               : NULL;
}

size_t model_facts_blocks(const struct model_options *options, const char *kernel,
                          struct launch_blocks *blocks)
{
    size_t res = 0;
    for (size_t i = 0; options && i < options->user_count; ++i) {
        const struct model_launch_fact *fact = find_launch(options->users[i], kernel);
        if (fact) {
            launch_blocks_join(blocks, &fact->blocks);
            res++;
        }
    }
    return res;
}

void model_facts_launches(const struct model_options *options, const char *kernel,
                          struct place_list *res)
{
    for (size_t i = 0; options && i < options->user_count; ++i) {
        const struct model_launch_fact *fact = find_launch(options->users[i], kernel);
        if (fact)
            place_list_join(res, &fact->places);
    }
}

bool model_facts_shut(const struct model_options *options, const char *kernel)
{
    if (!options || !options->whole)
        return false;
    for (size_t i = 0; i < options->user_count; ++i) {
        const struct model_launch_fact *fact = find_launch(options->users[i], kernel);
        if (fact && (fact->open || !fact->blocks.all))
            return false;
    }
    return true;
}
