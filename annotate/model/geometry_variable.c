/* The values of variables: of local ones by the definitions that reach a place (flow.h) and the
   conditions that guard it (guard.h), of others and of members by whatever the file gives them.  */
#include <config.h>

#include "annotate/model/geometry_p.h"

#include <string.h>

#include "annotate/model/guard.h"

enum { MAX_WRITERS = 64 };

/* Arrays. */

triples geometry_elements(struct geometry *g, const struct node *list, const struct frame *frame)
{
    struct gather all = {.failed = !list->kids};
    tree_each (kid, list)
        triples_gather(&all, geometry_value(g, kid, frame));
    return triples_gathered(&all);
}

const struct node *geometry_array_list(struct geometry *g, const struct node *name)
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
    if (!declarator || !geometry_is_array(declarator) || declarator->kids->next == NULL ||
        declarator->kids->next->kind != NODE_INITIALIZER)
        return NULL;
    const struct node *initialiser = declarator->kids->next;
    return initialiser->op == TOK_LBRACE                               ? initialiser
           : initialiser->kids && initialiser->kids->kind == NODE_LIST ? initialiser->kids
                                                                       : NULL;
}

/* Loops. */

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
                const struct node *initialiser = geometry_initialiser(k);
                if (initialiser && initialiser->kids)
                    first = geometry_value(g, initialiser->kids, frame);
            }
    } else {
        const struct node *assign = start->kind == NODE_EXPRESSION ? start->kids : start;
        if (assign && assign->kind == NODE_ASSIGN && assign->op == TOK_ASSIGN &&
            tree_symbol(unit, assign->kids) == d->name)
            first = geometry_value(g, assign->kids->next, frame);
    }
    if (!read_step(unit, d, &op, &operand))
        return triples_unknown();
    if (operand)
        by = geometry_value(g, operand, frame);
    if (condition && condition->kind == NODE_BINARY && condition->kids->kind == NODE_NAME &&
        tree_symbol(unit, condition->kids) == d->name)
        limit = geometry_value(g, condition->kids->next, frame);
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

/* Local variables. */

/* What D gives NAME.PATH, asked at AT. */
static triples value_of_definition(struct geometry *g, size_t function, const struct definition *d,
                                   const struct symbol *const *path, unsigned path_count,
                                   uint32_t at, const struct frame *frame, bool *nothing)
{
    unsigned rest_count = path_count - d->path_count;
    const struct symbol *const *rest = rest_count ? path + d->path_count : NULL;
    int c = rest_count == 1 ? geometry_component(rest[0]) : -1;
    switch (d->kind) {
    case DEFINITION_DECLARED:
        return geometry_declarator(g, d->declaration, d->node, rest, rest_count, frame, nothing);
    case DEFINITION_PARAMETER: {
        const struct node *declarator = d->node ? tree_kid(d->node, 1) : NULL;
        if (!declarator || declarator->stars || d->node->kids->stars ||
            geometry_is_floating(tree_symbol(g->model->unit, d->node->kids)) ||
            (rest_count && c < 0))
            return triples_unknown();
        triples all = geometry_param(g, function, d->index, frame);
        return 0 <= c ? triples_component(&all, (unsigned)c) : all;
    }
    case DEFINITION_EACH: {
        const struct node *list =
            d->node->kind == NODE_LIST ? d->node : geometry_array_list(g, d->node);
        return list && !rest_count ? geometry_elements(g, list, frame) : triples_unknown();
    }
    case DEFINITION_ASSIGNED: {
        const struct node *value = d->node->kids->next;
        if (!value)
            return triples_unknown();
        if (d->loop)
            return value_of_step(g, d, rest_count, at, frame);
        if (value->kind == NODE_LIST) {
            triples all = geometry_dimensions(g, value->kids, frame);
            return 0 <= c       ? triples_component(&all, (unsigned)c)
                   : rest_count ? triples_unknown()
                                : all;
        }
        return geometry_path(g, value, rest, rest_count, frame);
    }
    case DEFINITION_UPDATED: {
        if (rest_count)
            return triples_unknown();
        if (d->loop)
            return value_of_step(g, d, rest_count, at, frame);
        bool is_local;
        triples before =
            geometry_local(g, function, d->name, path, path_count, d->token, frame, &is_local);
        triples by = d->node->kind == NODE_ASSIGN ? geometry_value(g, d->node->kids->next, frame)
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
            &all, geometry_local(g, function, name, path, path_count, tokens[i], frame, &is_local));
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
        if (GEOMETRY_MAX_STEPS < g->steps++ ||
            guard_admits(g->model, function, d, reaching, at, set->items[i][0]))
            memmove(set->items[kept++], set->items[i], sizeof set->items[i]);
    set->count = kept;
}

triples geometry_local(struct geometry *g, size_t function, const struct symbol *name,
                       const struct symbol *const *path, unsigned path_count, uint32_t at,
                       const struct frame *frame, bool *is_local)
{
    static const char *const members[] = {"x", "y", "z"};
    struct reaching reaching;
    bool partial;
    if (GEOMETRY_MAX_STEPS < g->steps++ || GEOMETRY_MAX_DEPTH <= g->depth) {
        *is_local = true;
        return triples_unknown();
    }
    *is_local = flow_reaching(g->model, function, name, path, path_count, at, &reaching, &partial);
    if (!*is_local)
        return triples_unknown();
    if (!reaching.known)
        return geometry_unknown_at(g, at);
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
                geometry_local(g, function, name, longer, path_count + 1, at, frame, &ignored);
        }
        res = triples_cross(parts);
    }
    g->depth--;
    return res;
}

/* Other variables, and members. */

triples geometry_other(struct geometry *g, const struct symbol *name, bool is_member,
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
        triples part = geometry_declarator(g, meaning->declaration, meaning->declarator, NULL, 0,
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
                                     GEOMETRY_MAX_STEPS > g->steps++
                                 ? geometry_value(g, d->node->kids->next, NULL)
                                 : triples_unknown());
    }
    return any ? triples_gathered(&all) : triples_unknown();
}
