/* What a declaration gives its variable or the variable's members: constructors of dim3, lists in
   braces, records of a launch's configuration, defaults of members.  */
#include <config.h>

#include "annotate/model/geometry_p.h"

#include "annotate/model/type.h"

const struct node *geometry_initialiser(const struct node *declarator)
{
    for (const struct node *kid = declarator->kids; kid; kid = kid->next)
        if (kid->kind == NODE_INITIALIZER)
            return kid;
    return NULL;
}

bool geometry_is_array(const struct node *declarator)
{
    return declarator->kids && declarator->kids->kind == NODE_DIMENSION;
}

/* Whether NAME is that of the runtime API's record of a launch. */
static bool is_launch_config(const struct symbol *name)
{
    return symbol_is(name, "cudaLaunchConfig_t") || symbol_is(name, "hipLaunchConfig_t");
}

/* Where MEMBER stands in a list that initialises a TYPE. -1: nobody knows. */
static int member_index(struct model *model, const struct node *type, const struct symbol *member)
{
    static const char *const launch_config[] = {"gridDim", "blockDim", "dynamicSmemBytes",
                                                "stream"};
    static const char *const driver_config[] = {"gridDimX",       "gridDimY",  "gridDimZ",
                                                "blockDimX",      "blockDimY", "blockDimZ",
                                                "sharedMemBytes", "hStream"};
    const struct symbol *name = tree_symbol(model->unit, type);
    if (is_launch_config(name)) {
        for (int i = 0; i < 4; ++i)
            if (symbol_is(member, launch_config[i]))
                return i;
        return -1;
    }
    if (symbol_is(name, "CUlaunchConfig") || symbol_is(name, "HIP_LAUNCH_CONFIG")) {
        for (int i = 0; i < 8; ++i)
            if (symbol_is(member, driver_config[i]))
                return i;
        return -1;
    }
    const struct type *record = type_of_declaration(model, type, NULL);
    for (unsigned i = 0; record && i < record->member_count; ++i)
        if (record->members[i].name == member)
            return (int)i;
    return -1;
}

/* The members PATH of a TYPE that the list of FIRST and its sisters initialises. */
static triples value_of_item(struct geometry *g, const struct node *type, const struct node *first,
                             const struct symbol *const *path, unsigned path_count,
                             const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    int index = first && first->kind != NODE_FIELD ? member_index(g->model, type, path[0]) : 0;
    for (const struct node *kid = first; kid && 0 <= index; kid = kid->next) {
        bool found = kid->kind == NODE_FIELD ? tree_symbol(unit, kid) == path[0] : !index--;
        if (!found)
            continue;
        const struct node *value = kid->kind == NODE_FIELD ? kid->kids : kid;
        return value ? geometry_path(g, value, path + 1, path_count - 1, frame) : triples_unknown();
    }
    /* Behind the end of the list, a dim3 is made as such. */
    return symbol_is(path[0], "gridDim") || symbol_is(path[0], "blockDim") ? triples_single(1)
                                                                           : triples_unknown();
}

static triples member_default(struct geometry *g, const struct node *type,
                              const struct symbol *const *path, unsigned path_count, bool *nothing);

triples geometry_declarator(struct geometry *g, const struct node *declaration,
                            const struct node *declarator, const struct symbol *const *path,
                            unsigned path_count, const struct frame *frame, bool *nothing)
{
    const struct node *type = declaration->kids;
    const struct symbol *name = tree_symbol(g->model->unit, type);
    const struct node *initialiser = geometry_initialiser(declarator);
    const struct node *first = initialiser ? initialiser->kids : NULL;
    int c = path_count == 1 ? geometry_component(path[0]) : -1;
    int element = path_count == 1 ? flow_element_index(path[0]) : -1;
    if (declarator->stars || type->stars || geometry_is_floating(name) ||
        (geometry_is_array(declarator) && element < 0))
        return triples_unknown();
    if (0 <= element) {
        const struct node *item = first;
        if (item && item->kind == NODE_LIST)
            item = item->kids;
        while (item && element--)
            item = item->next;
        *nothing = !first;
        return item && geometry_is_array(declarator) ? geometry_value(g, item, frame)
                                                     : triples_unknown();
    }
    if (!first && geometry_is_dim3(name) && (!path_count || 0 <= c))
        return triples_single(1);
    /* The dim3 in it are made as such. */
    if (is_launch_config(name) && path_count == 2 && !first)
        return triples_single(1);
    if (!first && path_count)
        return member_default(g, type, path, path_count, nothing);
    if (!first) {
        *nothing = !initialiser;
        return triples_unknown();
    }
    bool list = first->kind == NODE_LIST;
    const struct node *items = list ? first->kids : first;
    if (geometry_is_dim3(name) && path_count < 2) {
        triples all = geometry_dimensions(g, items, frame);
        return 0 <= c ? triples_component(&all, (unsigned)c) : all;
    }
    if (!path_count)
        return items && !items->next ? geometry_value(g, items, frame) : triples_unknown();
    if (!list && !first->next && initialiser->op != TOK_LBRACE)
        return geometry_path(g, first, path, path_count, frame);
    return value_of_item(g, type, items, path, path_count, frame);
}

/* Whether the record whose scope is OWN has a constructor of its own. */
static bool has_constructor(struct model *model, uint32_t own)
{
    const struct unit *unit = model->unit;
    size_t count;
    const uint32_t *called = model_functions_called(model, unit->scopes.items[own].name, &count);
    for (size_t i = 0; i < count; ++i)
        if (unit->functions.items[called[i]].scope == own)
            return true;
    return false;
}

/* What the struct TYPE gives the member PATH of an object without an initialiser: int block = 64;
 *NOTHING where that is nothing. */
static triples member_default(struct geometry *g, const struct node *type,
                              const struct symbol *const *path, unsigned path_count, bool *nothing)
{
    struct model *model = g->model;
    const struct symbol *name = tree_symbol(model->unit, type);
    const struct node *declaration, *declarator;
    struct decl *record = name && path_count ? decl_at(model, name, type->token) : NULL;
    struct decl *member = record && record->kind == DECL_RECORD && record->own != NO_INDEX
                              ? decl_in(model, path[0], record->own)
                              : NULL;
    if (!member || decl_alternative(member) ||
        !decl_nodes(model, member, &declaration, &declarator) ||
        !geometry_initialiser(declarator) || has_constructor(model, record->own)) {
        *nothing = true;
        return triples_unknown();
    }
    return geometry_declarator(g, declaration, declarator, path + 1, path_count - 1, NULL, nothing);
}
