#include <config.h>

#include "annotate/model/geometry_p.h"
#include "annotate/model/names_p.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/flow.h"
#include "annotate/model/guard.h"
#include "annotate/model/type.h"

/* Recursion, and the work for one question. */
enum {
    MAX_DEPTH = 150,
    MAX_STEPS = 4000,
    MAX_CALLERS = 64,
    MAX_NESTING = 4,
    MAX_PLACES = 2000,
    MAX_WRITERS = 64
};

typedef struct triples triples;

static triples from_constant(struct geometry *g, const struct constant *c)
{
    triples res = {0};
    g->either |= 1 < c->count;
    for (unsigned i = 0; i < c->count; ++i)
        triples_add(&res, (const int64_t[]){c->values[i], 1, 1});
    return res;
}

/* 0, 1, 2 for x, y, z; -1 for another member. */
static int component_index(const struct symbol *member)
{
    return member && member->len == 1 && 'x' <= member->text[0] && member->text[0] <= 'z'
               ? member->text[0] - 'x'
               : -1;
}

static bool is_called(const struct symbol *name, const char *text)
{
    return name && !strcmp(name->text, text);
}

static bool is_dim3(const struct symbol *name)
{
    return is_called(name, "dim3") || is_called(name, "uint3") || is_called(name, "make_uint3") ||
           is_called(name, "int3") || is_called(name, "make_int3") || is_called(name, "make_dim3");
}

static bool is_floating(const struct symbol *name)
{
    return is_called(name, "float") || is_called(name, "double");
}

/* TOKEN is a reason why the answer is not known. */
static triples unknown_at(struct geometry *g, uint32_t token)
{
    if (g->unknown_at == NO_TOKEN)
        g->unknown_at = token;
    return triples_unknown();
}

/* Expressions. */

static triples value_of(struct geometry *g, const struct node *node, const struct frame *frame);

/* dim3 from its arguments, which begin with FIRST. */
static triples dimensions(struct geometry *g, const struct node *first, const struct frame *frame)
{
    triples parts[3] = {triples_single(1), triples_single(1), triples_single(1)};
    const struct node *said[3] = {NULL};
    unsigned count = 0;
    for (const struct node *kid = first; kid && kid->kind != NODE_EMPTY; kid = kid->next) {
        unsigned at = count++;
        if (kid->kind == NODE_FIELD) {
            int c = component_index(tree_symbol(g->model->unit, kid));
            at = c < 0 ? 3 : (unsigned)c;
        }
        if (3 <= at)
            return triples_unknown();
        said[at] = kid->kind == NODE_FIELD ? kid->kids : kid;
        parts[at] = said[at] ? value_of(g, said[at], frame) : triples_unknown();
        /* dim3(other) copies. */
        if (count == 1 && !kid->next && kid->kind != NODE_FIELD)
            return parts[0].count ? parts[0] : triples_single(UNKNOWN_COMPONENT);
    }
    triples res = triples_cross(parts);
    memcpy(res.said, said, sizeof said);
    return res;
}

/* The tree of the argument or macro text RANGE: an expression. */
static triples value_of_range(struct geometry *g, struct range range, const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    if (range.end <= range.begin)
        return triples_unknown();
    if (unit_kind(unit, range.begin) == TOK_LBRACE) {
        /* { a, b }: what stands between, one by one. */
        struct arguments items = {0};
        struct node *first = NULL, **last = &first;
        if (!unit_arguments(unit, range.begin, g->model->arena, &items))
            return triples_unknown();
        for (int i = 0; i < items.count; ++i) {
            *last = tree_expression(&g->model->trees, items.items[i]);
            if (!*last)
                return triples_unknown();
            last = &(*last)->next;
        }
        return dimensions(g, first, frame);
    }
    const struct node *tree = tree_expression(&g->model->trees, range);
    return tree ? value_of(g, tree, frame) : triples_unknown();
}

bool frame_argument(const struct unit *unit, const struct frame *frame, const struct symbol *name,
                    struct range *res)
{
    unsigned index = 0;
    for (uint32_t i = frame->macro->params.begin; i < frame->macro->params.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_COMMA)
            index++;
        else if (token->symbol == name && name) {
            if (frame->argument_count <= index)
                return false;
            *res = frame->arguments[index];
            return true;
        }
    }
    return false;
}

/* Parameters of functions. */

static triples param_default(struct geometry *g, const struct node *param)
{
    const struct node *declarator = param ? tree_kid(param, 1) : NULL;
    for (const struct node *kid = declarator ? declarator->kids : NULL; kid; kid = kid->next)
        if (kid->kind == NODE_INITIALIZER && kid->kids)
            return kid->kids->kind == NODE_LIST ? dimensions(g, kid->kids->kids, NULL)
                                                : value_of(g, kid->kids, NULL);
    return triples_unknown();
}

unsigned model_needed_arguments(const struct model_function *function)
{
    unsigned res = 0;
    for (unsigned i = 0; i < function->param_count; ++i) {
        const struct node *declarator =
            function->params[i] ? tree_kid(function->params[i], 1) : NULL;
        bool has_default = false;
        for (const struct node *kid = declarator ? declarator->kids : NULL; kid; kid = kid->next)
            has_default |= kid->kind == NODE_INITIALIZER;
        if (!has_default)
            res = i + 1;
    }
    return res;
}

/* A default argument stands in one of the function's declarations. */
static const struct model_function *declaration_with_default(struct model *model, size_t function,
                                                             unsigned index)
{
    const struct model_function *res = model_function(model, function);
    size_t count;
    const uint32_t *same =
        model_functions_called(model, unit_token(model->unit, res->function->name)->symbol, &count);
    for (size_t i = 0; i < count; ++i) {
        const struct model_function *other = model_function(model, same[i]);
        if (other->param_count == res->param_count && model_needed_arguments(other) <= index)
            return other;
    }
    return res;
}

/* A call of a function, on the way to the frame that shows it. */
struct call_place {
    size_t function;
    const struct arguments *args;
    uint32_t at;
    void (*back)(const struct frame *frame, void *data);
    void *data;
};

static void at_call(const struct frame *outer, void *data)
{
    const struct call_place *call = data;
    const struct frame frame = {
        .outer = outer,
        .function = call->function,
        .arguments = call->args->items,
        .argument_count = (unsigned)call->args->count,
        .at = call->at,
    };
    call->back(&frame, call->data);
}

static int compare_calls(const void *a, const void *b)
{
    const struct model_call *x = *(const struct model_call *const *)a,
                            *y = *(const struct model_call *const *)b;
    return x->token < y->token ? -1 : x->token > y->token;
}

/* The first calls of the function at INDEX in the order of the source, MAX_CALLERS + 1 at most; how
   many. */
static size_t find_calls(struct model *model, size_t function, const struct model_call **res)
{
    const struct model_function *info = model_function(model, function);
    const struct symbol *name = unit_token(model->unit, info->function->name)->symbol;
    size_t count, found = 0, first = 0;
    const struct model_call *calls = model_calls(model, name, &count);
    /* What the declaration with the most default arguments needs. */
    unsigned needed = model_needed_arguments(info);
    for (unsigned i = 0; i < needed; ++i) {
        unsigned other = model_needed_arguments(declaration_with_default(model, function, i));
        needed = other < needed ? other : needed;
    }
    VEC(const struct model_call *) list = {0};
    for (unsigned args = needed; args <= info->param_count && first < count; ++args) {
        vec_search(first, count, (unsigned)calls[first].args.count < args);
        size_t before = list.count;
        for (size_t i = first; i < count && (unsigned)calls[i].args.count == args &&
                               list.count - before <= MAX_CALLERS;
             ++i)
            if (model_function_at(model, calls[i].token) != function)
                *vec_push(&list) = &calls[i];
    }
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, compare_calls);
    for (; found < list.count && found <= MAX_CALLERS; ++found)
        res[found] = list.items[found];
    vec_release(&list);
    return found;
}

bool geometry_each_call(struct model *model, size_t function,
                        void (*back)(const struct frame *frame, void *data), void *data)
{
    const struct model_call *calls[MAX_CALLERS + 1];
    size_t count = find_calls(model, function, calls);
    for (size_t i = 0; i < count && i < MAX_CALLERS; ++i) {
        struct call_place call = {function, &calls[i]->args, calls[i]->token, back, data};
        geometry_each_place(model, calls[i]->token, at_call, &call);
    }
    return count <= MAX_CALLERS;
}

static triples value_of_param(struct geometry *g, size_t function, unsigned index,
                              const struct frame *frame);

struct at_calls {
    struct geometry *g;
    size_t function;
    unsigned index;                /* of the parameter; or */
    const struct node *expression; /* what is asked for as a whole, or NULL */
    struct gather all;
    bool any;
};

static void value_at_call(const struct frame *frame, void *data)
{
    struct at_calls *calls = data;
    calls->any = true;
    if (!calls->all.failed)
        triples_gather(&calls->all, calls->expression ? value_of(calls->g, calls->expression, frame)
                                                      : value_of_param(calls->g, calls->function,
                                                                       calls->index, frame));
}

static triples value_of_param(struct geometry *g, size_t function, unsigned index,
                              const struct frame *frame)
{
    struct model *model = g->model;
    if (frame && !frame->macro && frame->function == function)
        return index < frame->argument_count
                   ? value_of_range(g, frame->arguments[index], frame->outer)
                   : param_default(g,
                                   declaration_with_default(model, function, index)->params[index]);
    g->asked |= frame ? 0 : (uint64_t)1 << index % 64;
    struct at_calls calls = {.g = g, .function = function, .index = index};
    calls.all.set.open = !model_internal(model, function);
    if (!geometry_each_call(model, function, value_at_call, &calls))
        return triples_unknown();
    return calls.any ? triples_gathered(&calls.all)
                     : unknown_at(g, model->unit->functions.items[function].name);
}

/* Variables. */

static const struct node *initialiser_of(const struct node *declarator)
{
    for (const struct node *kid = declarator->kids; kid; kid = kid->next)
        if (kid->kind == NODE_INITIALIZER)
            return kid;
    return NULL;
}

static bool is_array(const struct node *declarator)
{
    return declarator->kids && declarator->kids->kind == NODE_DIMENSION;
}

/* Whether NAME is that of the runtime API's record of a launch. */
static bool is_launch_config(const struct symbol *name)
{
    return is_called(name, "cudaLaunchConfig_t") || is_called(name, "hipLaunchConfig_t");
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
            if (is_called(member, launch_config[i]))
                return i;
        return -1;
    }
    if (is_called(name, "CUlaunchConfig") || is_called(name, "HIP_LAUNCH_CONFIG")) {
        for (int i = 0; i < 8; ++i)
            if (is_called(member, driver_config[i]))
                return i;
        return -1;
    }
    const struct type *record = type_of_declaration(model, type, NULL);
    for (unsigned i = 0; record && i < record->member_count; ++i)
        if (record->members[i].name == member)
            return (int)i;
    return -1;
}

static triples value_of_path(struct geometry *g, const struct node *node,
                             const struct symbol *const *path, unsigned path_count,
                             const struct frame *frame);

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
        return value ? value_of_path(g, value, path + 1, path_count - 1, frame) : triples_unknown();
    }
    /* Behind the end of the list, a dim3 is made as such. */
    return is_called(path[0], "gridDim") || is_called(path[0], "blockDim") ? triples_single(1)
                                                                           : triples_unknown();
}

static triples member_default(struct geometry *g, const struct node *type,
                              const struct symbol *const *path, unsigned path_count, bool *nothing);

/* What DECLARATOR of DECLARATION gives PATH; `nothing` where it does not initialise it. */
static triples value_of_declarator(struct geometry *g, const struct node *declaration,
                                   const struct node *declarator, const struct symbol *const *path,
                                   unsigned path_count, const struct frame *frame, bool *nothing)
{
    const struct node *type = declaration->kids;
    const struct symbol *name = tree_symbol(g->model->unit, type);
    const struct node *initialiser = initialiser_of(declarator);
    const struct node *first = initialiser ? initialiser->kids : NULL;
    int c = path_count == 1 ? component_index(path[0]) : -1;
    int element = path_count == 1 ? flow_element_index(path[0]) : -1;
    if (declarator->stars || type->stars || is_floating(name) ||
        (is_array(declarator) && element < 0))
        return triples_unknown();
    if (0 <= element) {
        const struct node *item = first;
        if (item && item->kind == NODE_LIST)
            item = item->kids;
        while (item && element--)
            item = item->next;
        *nothing = !first;
        return item && is_array(declarator) ? value_of(g, item, frame) : triples_unknown();
    }
    if (!first && is_dim3(name) && (!path_count || 0 <= c))
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
    if (is_dim3(name) && path_count < 2) {
        triples all = dimensions(g, items, frame);
        return 0 <= c ? triples_component(&all, (unsigned)c) : all;
    }
    if (!path_count)
        return items && !items->next ? value_of(g, items, frame) : triples_unknown();
    if (!list && !first->next && initialiser->op != TOK_LBRACE)
        return value_of_path(g, first, path, path_count, frame);
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
        !decl_nodes(model, member, &declaration, &declarator) || !initialiser_of(declarator) ||
        has_constructor(model, record->own)) {
        *nothing = true;
        return triples_unknown();
    }
    return value_of_declarator(g, declaration, declarator, path + 1, path_count - 1, NULL, nothing);
}

/* All elements of an array or a list. */
static triples value_of_elements(struct geometry *g, const struct node *list,
                                 const struct frame *frame)
{
    struct gather all = {.failed = !list->kids};
    tree_each (kid, list)
        triples_gather(&all, value_of(g, kid, frame));
    return triples_gathered(&all);
}

/* The initialiser, a list, of the array that NAME at AT is; NULL where it is none or elements are
   written later. */
static const struct node *array_list(struct geometry *g, const struct node *name)
{
    const struct unit *unit = g->model->unit;
    const struct symbol *symbol = tree_symbol(unit, name);
    if (name->kind != NODE_NAME || !symbol)
        return NULL;
    size_t function = model_function_at(g->model, name->token);
    const struct node *declarator = NULL;
    struct reaching reaching;
    bool partial;
    if (function != NO_INDEX &&
        flow_reaching(g->model, function, symbol, NULL, 0, name->token, &reaching, &partial)) {
        if (!partial && reaching.known && reaching.count == 1 &&
            reaching.items[0]->kind == DEFINITION_DECLARED)
            declarator = reaching.items[0]->node;
    } else {
        struct name_meaning meaning = model_lookup(g->model, symbol, name->token);
        if (meaning.kind == NAME_VARIABLE && meaning.declaration &&
            meaning.declaration->kids->flags & TYPE_CONST)
            declarator = meaning.declarator;
    }
    if (!declarator || !is_array(declarator) || declarator->kids->next == NULL ||
        declarator->kids->next->kind != NODE_INITIALIZER)
        return NULL;
    const struct node *initialiser = declarator->kids->next;
    return initialiser->op == TOK_LBRACE                               ? initialiser
           : initialiser->kids && initialiser->kids->kind == NODE_LIST ? initialiser->kids
                                                                       : NULL;
}

/* The operator and the operand of a loop's step: v *= 2, v = v * 2, ++v (no operand: 1). False for
   another one. */
static bool read_step(const struct unit *unit, const struct definition *d, enum token_kind *op,
                      const struct node **operand)
{
    const struct node *step = d->node;
    *op = (enum token_kind)step->op;
    *operand = NULL;
    if (step->kind != NODE_ASSIGN)
        return true;
    *operand = step->kids->next;
    if (step->op != TOK_ASSIGN)
        return true;
    const struct node *value = *operand;
    if (!value || value->kind != NODE_BINARY || value->kids->kind != NODE_NAME ||
        tree_symbol(unit, value->kids) != d->name)
        return false;
    *op = (enum token_kind)value->op;
    *operand = value->kids->next;
    return true;
}

/* The values of the variable that the step of LOOP updates, in its body. */
static triples value_in_loop(struct geometry *g, const struct definition *d,
                             const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    const struct node *start = d->loop->kids, *condition = start->next, *operand;
    enum token_kind op;
    triples first = triples_unknown(), by = triples_single(1), limit = triples_unknown();
    if (start->kind == NODE_DECLARATION) {
        for (const struct node *k = start->kids->next; k; k = k->next)
            if (tree_symbol(unit, k) == d->name) {
                const struct node *initialiser = initialiser_of(k);
                if (initialiser && initialiser->kids)
                    first = value_of(g, initialiser->kids, frame);
            }
    } else {
        const struct node *assign = start->kind == NODE_EXPRESSION ? start->kids : start;
        if (assign && assign->kind == NODE_ASSIGN && assign->op == TOK_ASSIGN &&
            tree_symbol(unit, assign->kids) == d->name)
            first = value_of(g, assign->kids->next, frame);
    }
    if (!read_step(unit, d, &op, &operand))
        return triples_unknown();
    if (operand)
        by = value_of(g, operand, frame);
    if (condition && condition->kind == NODE_BINARY && condition->kids->kind == NODE_NAME &&
        tree_symbol(unit, condition->kids) == d->name)
        limit = value_of(g, condition->kids->next, frame);
    if (first.count != 1 || by.count != 1 || limit.count != 1 ||
        first.items[0][0] == UNKNOWN_COMPONENT || by.items[0][0] == UNKNOWN_COMPONENT ||
        limit.items[0][0] == UNKNOWN_COMPONENT)
        return triples_unknown();
    triples res = {0};
    int64_t value = first.items[0][0], goes_on;
    while (triples_apply((enum token_kind)condition->op, value, limit.items[0][0], &goes_on) &&
           goes_on) {
        if (!triples_add(&res, (const int64_t[]){value, 1, 1}))
            return triples_unknown();
        int64_t before = value;
        if (!triples_apply(op, value, by.items[0][0], &value) || value == before)
            return triples_unknown();
    }
    return res;
}

/* What the step of a loop leaves for token AT: only in its body somebody knows. */
static triples value_of_step(struct geometry *g, const struct definition *d, unsigned rest_count,
                             uint32_t at, const struct frame *frame)
{
    return !rest_count && d->loop->tokens.begin <= at && at < d->loop->tokens.end
               ? value_in_loop(g, d, frame)
               : triples_unknown();
}

static triples value_of_local(struct geometry *g, size_t function, const struct symbol *name,
                              const struct symbol *const *path, unsigned path_count, uint32_t at,
                              const struct frame *frame, bool *is_local);

/* What D gives NAME.PATH, asked at AT. */
static triples value_of_definition(struct geometry *g, size_t function, const struct definition *d,
                                   const struct symbol *const *path, unsigned path_count,
                                   uint32_t at, const struct frame *frame, bool *nothing)
{
    unsigned rest_count = path_count - d->path_count;
    const struct symbol *const *rest = rest_count ? path + d->path_count : NULL;
    int c = rest_count == 1 ? component_index(rest[0]) : -1;
    switch (d->kind) {
    case DEFINITION_DECLARED:
        return value_of_declarator(g, d->declaration, d->node, rest, rest_count, frame, nothing);
    case DEFINITION_PARAMETER: {
        const struct node *declarator = d->node ? tree_kid(d->node, 1) : NULL;
        if (!declarator || declarator->stars || d->node->kids->stars ||
            is_floating(tree_symbol(g->model->unit, d->node->kids)) || (rest_count && c < 0))
            return triples_unknown();
        triples all = value_of_param(g, function, d->index, frame);
        return 0 <= c ? triples_component(&all, (unsigned)c) : all;
    }
    case DEFINITION_EACH: {
        const struct node *list = d->node->kind == NODE_LIST ? d->node : array_list(g, d->node);
        return list && !rest_count ? value_of_elements(g, list, frame) : triples_unknown();
    }
    case DEFINITION_ASSIGNED: {
        const struct node *value = d->node->kids->next;
        if (!value)
            return triples_unknown();
        if (d->loop)
            return value_of_step(g, d, rest_count, at, frame);
        if (value->kind == NODE_LIST) {
            triples all = dimensions(g, value->kids, frame);
            return 0 <= c       ? triples_component(&all, (unsigned)c)
                   : rest_count ? triples_unknown()
                                : all;
        }
        return value_of_path(g, value, rest, rest_count, frame);
    }
    case DEFINITION_UPDATED: {
        if (rest_count)
            return triples_unknown();
        if (d->loop)
            return value_of_step(g, d, rest_count, at, frame);
        bool is_local;
        triples before =
            value_of_local(g, function, d->name, path, path_count, d->token, frame, &is_local);
        triples by = d->node->kind == NODE_ASSIGN ? value_of(g, d->node->kids->next, frame)
                                                  : triples_single(1);
        return triples_combine((enum token_kind)d->node->op, &before, &by);
    }
    default:
        return triples_unknown();
    }
}

/* The value behind an if or a switch whose arms define parts of NAME: what is defined in one arm
   belongs together. */
static bool value_of_arms(struct geometry *g, size_t function, const struct symbol *name,
                          const struct symbol *const *path, unsigned path_count, uint32_t at,
                          const struct frame *frame, triples *res)
{
    uint32_t tokens[FLOW_ARMS];
    unsigned count = flow_arms(g->model, function, name, at, tokens);
    struct gather all = {0};
    bool is_local;
    bool any = false;
    for (unsigned i = 0; i < count; ++i) {
        if (!guard_admits_arm(g->model, function, tokens[i], at))
            continue;
        any = true;
        triples_gather(
            &all, value_of_local(g, function, name, path, path_count, tokens[i], frame, &is_local));
    }
    if (any)
        *res = triples_gathered(&all);
    return any;
}

/* Takes out of SET, what the item D of REACHING gives, the values that never get to AT. */
static void drop_guarded(struct geometry *g, size_t function, const struct definition *d,
                         const struct reaching *reaching, uint32_t at, triples *set)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < set->count; ++i)
        if (MAX_STEPS < g->steps++ ||
            guard_admits(g->model, function, d, reaching, at, set->items[i][0]))
            memmove(set->items[kept++], set->items[i], sizeof set->items[i]);
    set->count = kept;
}

/* The value of a local variable or parameter of FUNCTION; *IS_LOCAL is false where NAME is none. */
static triples value_of_local(struct geometry *g, size_t function, const struct symbol *name,
                              const struct symbol *const *path, unsigned path_count, uint32_t at,
                              const struct frame *frame, bool *is_local)
{
    static const char *const members[] = {"x", "y", "z"};
    struct reaching reaching;
    bool partial;
    if (MAX_STEPS < g->steps++ || MAX_DEPTH <= g->depth) {
        *is_local = true;
        return triples_unknown();
    }
    *is_local = flow_reaching(g->model, function, name, path, path_count, at, &reaching, &partial);
    if (!*is_local)
        return triples_unknown();
    if (!reaching.known)
        return unknown_at(g, at);
    g->depth++;
    struct gather all = {0}, unguarded = {0};
    for (unsigned i = 0; i < reaching.count; ++i) {
        bool nothing = false;
        triples part = value_of_definition(g, function, reaching.items[i], path, path_count, at,
                                           frame, &nothing);
        if (nothing)
            continue;
        triples_gather(&unguarded, part);
        bool known = part.count != 0;
        if (known && !path_count)
            drop_guarded(g, function, reaching.items[i], &reaching, at, &part);
        if (part.count || !known)
            triples_gather(&all, part);
    }
    /* Where no value gets, code is dead, and as good as any other. */
    triples res = triples_gathered(all.set.count || all.failed ? &all : &unguarded);
    if (partial && path_count < DEFINITION_PATH &&
        !value_of_arms(g, function, name, path, path_count, at, frame, &res)) {
        /* Some components are assigned apart. */
        const struct symbol *longer[DEFINITION_PATH] = {NULL};
        triples parts[3];
        for (unsigned i = 0; i < path_count; ++i)
            longer[i] = path[i];
        for (unsigned i = 0; i < 3; ++i) {
            bool ignored;
            longer[path_count] = symbol_intern(g->model->unit->symbols, members[i], 1);
            parts[i] =
                value_of_local(g, function, name, longer, path_count + 1, at, frame, &ignored);
        }
        res = triples_cross(parts);
    }
    g->depth--;
    return res;
}

/* What the file gives a variable of its own, or a member, wherever it does. */
static triples value_of_other(struct geometry *g, const struct symbol *name, bool is_member,
                              const struct name_meaning *meaning)
{
    size_t count;
    /* Another branch of an #if declares it as well: one of them alone does not tell. */
    struct decl *decl = !is_member && meaning && meaning->token != NO_TOKEN
                            ? decl_at(g->model, name, meaning->token + 1)
                            : NULL;
    if (decl && decl_alternative(decl))
        return triples_unknown();
    const struct definition *const *items = flow_of_others(g->model, name, &count);
    const unsigned own = TYPE_CONST | TYPE_STATIC;
    if (MAX_WRITERS < count)
        return triples_unknown();
    struct gather all = {.set = {.open = is_member || !meaning->declaration ||
                                         !(meaning->declaration->kids->flags & own)}};
    bool any = false;
    if (!is_member && meaning->declarator) {
        bool nothing = false;
        triples part = value_of_declarator(g, meaning->declaration, meaning->declarator, NULL, 0,
                                           NULL, &nothing);
        if (!nothing)
            triples_gather(&all, part);
        any = !nothing;
    }
    for (size_t i = 0; i < count && !all.failed; ++i) {
        const struct definition *d = items[i];
        if (d->kind == DEFINITION_PASSED || (is_member != (d->path_count != 0)))
            continue;
        any = true;
        triples_gather(&all, d->kind == DEFINITION_ASSIGNED && d->node->kids->next &&
                                     MAX_STEPS > g->steps++
                                 ? value_of(g, d->node->kids->next, NULL)
                                 : triples_unknown());
    }
    return any ? triples_gathered(&all) : triples_unknown();
}

/* `dim3 block (16, 16);` outside of functions: whether that is what MEANING is, read as a function
   before; then makes it a variable. */
static bool looks_like_function(struct model *model, struct name_meaning *meaning)
{
    if (meaning->kind != NAME_FUNCTION)
        return false;
    const struct function *function = &model->unit->functions.items[meaning->function];
    if (function->body.begin < function->body.end)
        return false;
    const struct node *tree = tree_declaration(&model->trees, function->head);
    const struct node *declarator = tree ? tree_kid(tree, 1) : NULL;
    if (!declarator || declarator->kind != NODE_DECLARATOR || declarator->token != meaning->token ||
        !is_dim3(tree_symbol(model->unit, tree->kids)))
        return false;
    meaning->declaration = tree;
    meaning->declarator = declarator;
    return true;
}

/* Macros. */

/* The text of the macro that NAME is at token AT, as an expression with PATH behind it. */
static triples value_of_macro(struct geometry *g, const struct name_meaning *meaning,
                              const struct arguments *args, uint32_t at, const struct frame *outer)
{
    if (meaning->token == NO_TOKEN)
        return triples_unknown();
    const struct directive *macro = unit_directive_at(g->model->unit, meaning->token);
    if (macro->function_like != (args != NULL) || (args && 0 <= args->first_unknown))
        return triples_unknown();
    struct frame frame = {
        .outer = outer,
        .macro = macro,
        .arguments = args ? args->items : NULL,
        .argument_count = args ? (unsigned)args->count : 0,
        .at = at,
    };
    return value_of_range(g, macro->body, &frame);
}

/* NAME.PATH as it is meant at token AT, seen through FRAME. LEAF (or NULL) is its tree. */
static triples value_of_name(struct geometry *g, const struct symbol *name, const struct node *leaf,
                             const struct symbol *const *path, unsigned path_count, uint32_t at,
                             const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    int c = path_count == 1 ? component_index(path[0]) : -1;
    if (frame && frame->macro) {
        struct range argument;
        if (!frame_argument(unit, frame, name, &argument))
            return value_of_name(g, name, leaf, path, path_count, frame->at, frame->outer);
        if (!path_count)
            return value_of_range(g, argument, frame->outer);
        const struct node *tree = tree_expression(&g->model->trees, argument);
        return tree ? value_of_path(g, tree, path, path_count, frame->outer) : triples_unknown();
    }
    size_t function = model_function_at(g->model, at);
    if (function != NO_INDEX) {
        bool is_local;
        triples res = value_of_local(g, function, name, path, path_count, at, frame, &is_local);
        if (is_local)
            return res;
    }
    struct constant constant;
    if (!path_count && leaf && constant_of(g->model, leaf, &constant))
        return from_constant(g, &constant);
    struct name_meaning meaning = model_lookup(g->model, name, at);
    triples all = triples_unknown();
    if (meaning.kind == NAME_MACRO && (!path_count || 0 <= c))
        all = value_of_macro(g, &meaning, NULL, at, frame);
    else if ((meaning.kind == NAME_VARIABLE || looks_like_function(g->model, &meaning)) &&
             (!path_count || 0 <= c))
        all = value_of_other(g, name, false, &meaning);
    if (!all.count)
        return unknown_at(g, at);
    return 0 <= c ? triples_component(&all, (unsigned)c) : all;
}

/* NODE.PATH */
static triples value_of_path(struct geometry *g, const struct node *node,
                             const struct symbol *const *path, unsigned path_count,
                             const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    if (!path_count)
        return value_of(g, node, frame);
    if (MAX_DEPTH <= g->depth || MAX_STEPS < g->steps++)
        return triples_unknown();
    g->depth++;
    triples res = triples_unknown();
    int c = path_count == 1 ? component_index(path[0]) : -1;
    if (node->kind == NODE_NAME && tree_symbol(unit, node)) {
        res = value_of_name(g, tree_symbol(unit, node), NULL, path, path_count, node->token, frame);
    } else if (node->kind == NODE_MEMBER && node->kids && path_count < DEFINITION_PATH) {
        const struct symbol *longer[DEFINITION_PATH] = {tree_symbol(unit, node)};
        memcpy(longer + 1, path, path_count * sizeof *path);
        res = longer[0] ? value_of_path(g, node->kids, longer, path_count + 1, frame)
                        : triples_unknown();
    } else if (0 <= c && node->kind != NODE_MEMBER) {
        triples all = value_of(g, node, frame);
        res = triples_component(&all, (unsigned)c);
    }
    if (!res.count && (c < 0 || 1 < path_count) && flow_element_index(path[path_count - 1]) < 0) {
        /* A member that the file writes, whatever the object. */
        bool is_component = 0 <= component_index(path[path_count - 1]);
        if (!is_component) {
            res = value_of_other(g, path[path_count - 1], true, NULL);
        } else if (path_count == 2) {
            triples all = value_of_other(g, path[0], true, NULL);
            res = triples_component(&all, (unsigned)component_index(path[1]));
        }
    }
    g->depth--;
    return res;
}

/* Calls. */

/* The value that the function at INDEX returns in its only statement that does; NULL without. */
static const struct node *only_return(const struct node *body, bool *several)
{
    const struct node *res = NULL;
    tree_each (kid, body) {
        const struct node *found = kid->kind == NODE_RETURN   ? kid->kids
                                   : kid->kind == NODE_LAMBDA ? NULL
                                                              : only_return(kid, several);
        *several |= res && found;
        res = found ? found : res;
    }
    return res;
}

static triples value_of_function(struct geometry *g, size_t function, uint32_t at,
                                 const struct frame *frame)
{
    const struct model_function *info = model_function(g->model, function);
    struct arguments args;
    bool several = false;
    const struct node *result = info->body ? only_return(info->body, &several) : NULL;
    if (!result || several || info->function->flags & FUNCTION_GLOBAL ||
        !model_call_arguments(g->model, at, &args) || 0 <= args.first_unknown)
        return triples_unknown();
    struct frame call = {
        .outer = frame,
        .function = function,
        .arguments = args.items,
        .argument_count = (unsigned)args.count,
        .at = at,
    };
    if (result->kind == NODE_LIST)
        return dimensions(g, result->kids, &call);
    return value_of(g, result, &call);
}

static triples value_of_extreme(struct geometry *g, const struct node *a, bool is_max,
                                const struct frame *frame)
{
    triples x = value_of(g, a, frame), y = value_of(g, a->next, frame);
    triples res = {.open = x.open || y.open};
    for (unsigned i = 0; i < x.count; ++i)
        for (unsigned k = 0; k < y.count; ++k) {
            int64_t p = x.items[i][0], q = y.items[k][0];
            if (p == UNKNOWN_COMPONENT || q == UNKNOWN_COMPONENT ||
                !triples_add(&res, (const int64_t[]){(p < q) == is_max ? q : p, 1, 1}))
                return triples_unknown();
        }
    return res;
}

static triples value_of_call(struct geometry *g, const struct node *node, const struct frame *frame)
{
    const struct node *callee = node->kids, *first = callee ? callee->next : NULL;
    const struct symbol *name =
        callee && callee->kind == NODE_NAME ? tree_symbol(g->model->unit, callee) : NULL;
    if (!name)
        return triples_unknown();
    if (is_dim3(name))
        return first ? dimensions(g, first, frame) : triples_single(1);
    struct constant constant;
    if (!frame && constant_of(g->model, node, &constant))
        return from_constant(g, &constant);
    /* The place that a macro's text is read from is that of its use. */
    uint32_t at = callee->token;
    for (const struct frame *f = frame; f && f->macro; f = f->outer)
        at = f->at;
    struct name_meaning meaning = model_lookup(g->model, name, at);
    if (meaning.kind == NAME_MACRO) {
        struct arguments args;
        return model_call_arguments(g->model, callee->token, &args)
                   ? value_of_macro(g, &meaning, &args, callee->token, frame)
                   : triples_unknown();
    }
    if (meaning.kind == NAME_FUNCTION)
        return value_of_function(g, meaning.function, callee->token, frame);
    if ((is_called(name, "min") || is_called(name, "max")) && first && first->next &&
        !first->next->next)
        return value_of_extreme(g, first, is_called(name, "max"), frame);
    return unknown_at(g, callee->token);
}

static triples value_of_unary(struct geometry *g, const struct node *node,
                              const struct frame *frame)
{
    triples of = value_of(g, node->kids, frame), res = {.open = of.open};
    for (unsigned i = 0; i < of.count; ++i) {
        int64_t value = of.items[i][0];
        if (value == UNKNOWN_COMPONENT)
            return triples_unknown();
        switch (node->op) {
        case TOK_PLUS:
            break;
        case TOK_MINUS:
            value = -value;
            break;
        case TOK_TILDE:
            value = ~value;
            break;
        case TOK_BANG:
            value = !value;
            break;
        default:
            return triples_unknown();
        }
        triples_add(&res, (const int64_t[]){value, 1, 1});
    }
    return res;
}

static triples value_of_choice(struct geometry *g, const struct node *node,
                               const struct frame *frame)
{
    const struct node *then = tree_kid(node, 1), *otherwise = tree_kid(node, 2);
    if (!then || !otherwise)
        return triples_unknown();
    triples condition = value_of(g, node->kids, frame);
    if (condition.count == 1 && condition.items[0][0] != UNKNOWN_COMPONENT)
        return value_of(g, condition.items[0][0] ? then : otherwise, frame);
    struct gather all = {0};
    triples_gather(&all, value_of(g, then, frame));
    triples_gather(&all, value_of(g, otherwise, frame));
    return triples_gathered(&all);
}

static triples value_of_index(struct geometry *g, const struct node *node,
                              const struct frame *frame)
{
    const struct symbol *element = flow_element(g->model->unit, node->kids->next);
    if (element) {
        triples res = value_of_path(g, node->kids, &element, 1, frame);
        if (res.count)
            return res;
    }
    const struct node *list = frame && frame->macro ? NULL : array_list(g, node->kids);
    triples index = list ? value_of(g, node->kids->next, frame) : triples_unknown();
    if (!list)
        return triples_unknown();
    if (index.count != 1 || index.items[0][0] == UNKNOWN_COMPONENT)
        return value_of_elements(g, list, frame);
    const struct node *kid = 0 <= index.items[0][0] && index.items[0][0] < UINT32_MAX
                                 ? tree_kid(list, (unsigned)index.items[0][0])
                                 : NULL;
    return kid ? value_of(g, kid, frame) : triples_unknown();
}

/* A value of TYPE made from one of another type. */
static triples value_as(struct geometry *g, const struct node *type, triples of)
{
    const struct symbol *name = tree_symbol(g->model->unit, type);
    if (type->stars || is_floating(name) || is_called(name, "char") || is_called(name, "bool"))
        return triples_unknown();
    return of;
}

static triples value_by_kind(struct geometry *g, const struct node *node, const struct frame *frame)
{
    const struct unit *unit = g->model->unit;
    const struct node *first = node->kids;
    struct constant constant;
    switch ((enum node_kind)node->kind) {
    case NODE_NUMBER:
    case NODE_CHARACTER: {
        int64_t value;
        unsigned bytes;
        bool is_signed;
        return constant_literal(unit, node, &value, &bytes, &is_signed) ? triples_single(value)
                                                                        : triples_unknown();
    }
    case NODE_NAME:
        return tree_symbol(unit, node)
                   ? value_of_name(g, tree_symbol(unit, node), node, NULL, 0, node->token, frame)
                   : triples_unknown();
    case NODE_SIZEOF:
        return constant_of(g->model, node, &constant) ? from_constant(g, &constant)
                                                      : triples_unknown();
    case NODE_MEMBER: {
        const struct symbol *member = tree_symbol(unit, node);
        return member && first ? value_of_path(g, first, &member, 1, frame) : triples_unknown();
    }
    case NODE_UNARY:
        return first ? value_of_unary(g, node, frame) : triples_unknown();
    case NODE_BINARY: {
        if (!first || !first->next)
            return triples_unknown();
        triples a = value_of(g, first, frame), b = value_of(g, first->next, frame);
        return triples_combine((enum token_kind)node->op, &a, &b);
    }
    case NODE_CHOICE:
        return value_of_choice(g, node, frame);
    case NODE_CALL:
        return value_of_call(g, node, frame);
    case NODE_CONSTRUCT:
        if (first && is_dim3(tree_symbol(unit, first)))
            return first->next ? dimensions(g, first->next, frame) : triples_single(1);
        return first && first->next && !first->next->next
                   ? value_as(g, first, value_of(g, first->next, frame))
                   : triples_unknown();
    case NODE_CAST:
        return first && first->next ? value_as(g, first, value_of(g, first->next, frame))
                                    : triples_unknown();
    case NODE_LIST:
        return first ? dimensions(g, first, frame) : triples_single(1);
    case NODE_INDEX:
        return first && first->next ? value_of_index(g, node, frame) : triples_unknown();
    default:
        return triples_unknown();
    }
}

static triples value_of(struct geometry *g, const struct node *node, const struct frame *frame)
{
    if (MAX_DEPTH <= g->depth || MAX_STEPS < g->steps++)
        return triples_unknown();
    g->depth++;
    g->model->work++;
    triples res = value_by_kind(g, node, frame);
    g->depth--;
    return res;
}

/* Several parameters of the function around make EXPRESSION: those of one call belong together. */
static triples value_call_by_call(struct geometry *g, const struct node *expression,
                                  const triples *apart)
{
    size_t function = model_function_at(g->model, expression->tokens.begin);
    struct at_calls calls = {.g = g, .function = function, .expression = expression};
    calls.all.set.open = apart->open;
    return function != NO_INDEX && geometry_each_call(g->model, function, value_at_call, &calls) &&
                   calls.any && !calls.all.failed
               ? calls.all.set
               : *apart;
}

struct triples geometry_of(struct geometry *g, const struct node *expression,
                           const struct frame *frame)
{
    struct constant constant;
    g->asked = 0;
    triples res = !frame && constant_of(g->model, expression, &constant)
                      ? from_constant(g, &constant)
                      : value_of(g, expression, frame);
    if (1 < res.count && g->asked & (g->asked - 1))
        res = value_call_by_call(g, expression, &res);
    if (!res.said[0] && !res.said[1] && !res.said[2])
        res.said[0] = expression;
    return res;
}

struct triples geometry_of_range(struct geometry *g, struct range range, const struct frame *frame)
{
    if (range.end <= range.begin || unit_kind(g->model->unit, range.begin) == TOK_LBRACE)
        return value_of_range(g, range, frame);
    const struct node *tree = tree_expression(&g->model->trees, range);
    return tree ? geometry_of(g, tree, frame) : triples_unknown();
}

struct triples geometry_of_member(struct geometry *g, const struct node *expression,
                                  const struct symbol *member, const struct frame *frame)
{
    return value_of_path(g, expression, &member, 1, frame);
}

/* A macro's uses. */

struct places {
    struct model *model;
    const struct directive *macro;
    const struct arguments *args; /* NULL: the macro has none */
    uint32_t use;
    unsigned *left; /* of the places that are looked at */
    void (*back)(const struct frame *frame, void *data);
    void *data;
};

static void at_use(const struct frame *outer, void *data)
{
    const struct places *p = data;
    const struct frame frame = {
        .outer = outer,
        .macro = p->macro,
        .arguments = p->args ? p->args->items : NULL,
        .argument_count = p->args ? (unsigned)p->args->count : 0,
        .at = p->use,
    };
    p->back(&frame, p->data);
}

static void each_place(struct model *model, uint32_t token, unsigned nesting, unsigned *left,
                       void (*back)(const struct frame *frame, void *data), void *data)
{
    const struct unit *unit = model->unit;
    if (!(unit_token(unit, token)->flags & TOKEN_DIRECTIVE)) {
        back(NULL, data);
        return;
    }
    const struct directive *macro = unit_directive_at(unit, token);
    if (macro->kind != TOK_PP_DEFINE || macro->name == NO_TOKEN || MAX_NESTING <= nesting)
        return;
    size_t count;
    const uint32_t *uses =
        model_macro_uses(model, (uint32_t)(macro - unit->directives.items), &count);
    for (size_t i = 0; i < count && *left; ++i) {
        struct arguments args;
        --*left;
        model->work++;
        if (uses[i] == macro->name ||
            (macro->function_like && !model_call_arguments(model, uses[i], &args)))
            continue;
        struct places places = {
            .model = model,
            .macro = macro,
            .args = macro->function_like ? &args : NULL,
            .use = uses[i],
            .left = left,
            .back = back,
            .data = data,
        };
        each_place(model, uses[i], nesting + 1, left, at_use, &places);
    }
}

void geometry_each_place(struct model *model, uint32_t token,
                         void (*back)(const struct frame *frame, void *data), void *data)
{
    unsigned left = MAX_PLACES;
    each_place(model, token, 0, &left, back, data);
}
