#include <config.h>

#include "annotate/lanemask.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/model/flow.h"
#include "base/xalloc.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

enum {
    PASSES = 16,      /* over all assignments: so many steps a mask is followed */
    GROUP_EDITS = 48, /* as many as each finding of a group may name */
    OVERLOADS = 32,   /* of one name that are looked at */
};

/* PLACE = VALUE, a call's argument, a return. */
struct edge {
    size_t place;
    const struct node *value;
    bool argument;
};

/* A place by what declares it: a token, or a member's symbol. */
struct place_key {
    uint64_t key;
    size_t place;
    UT_hash_handle hh;
};

/* The functions with a body that have one name. */
struct named {
    const struct symbol *name;
    size_t function;      /* the first */
    struct named *others; /* further ones */
    unsigned count;       /* of the first: how many there are */
    UT_hash_handle hh;
};

/* A member that a class of the file declares. */
struct member {
    const struct symbol *name, *record;
    uint32_t token, begin; /* its name; the first token of its declaration */
};

/* A macro that gives its parameter INDEX to a _sync function as the mask. */
struct mask_macro {
    const struct symbol *name;
    size_t index;
};

struct search {
    struct annotation *a;
    const struct unit *unit;
    const struct code *code;
    struct model *model;
    struct lane_masks *masks;
    struct place_key *keys;
    struct named *functions;
    VEC(struct mask_macro) macros; /* by name */
    VEC(struct member) members;    /* by name, then by record */
    VEC(struct edge) edges;
    VEC(const struct node *) mixes;    /* &, |, ^ of two values, also as assignments */
    VEC(const struct node *) counts;   /* calls of __popc and its like */
    VEC(const struct node *) compares; /* ==, != */
    VEC(uint32_t) sets;                /* union-find: of each group the one it belongs to */
    bool *seen;                        /* by a node's number: it is among the uses */
    bool *masks_given;                 /* likewise: it is the value of an edge, and a lane mask */
    size_t function;                   /* the one that is walked through */
    unsigned lambdas;                  /* around what is walked through */
};

/* What counts in 32 bits, and the same for 64. */
struct counter {
    const char *name, *wide;
    bool places; /* counts from the upper end, so that the result depends on the width */
    bool mask;   /* the result is a lane mask again */
};

static const struct counter counters[] = {
    {"__brev", "__brevll", true, true},
    {"__builtin_clz", "__builtin_clzll", true, false},
    {"__builtin_ctz", "__builtin_ctzll", false, false},
    {"__builtin_ffs", "__builtin_ffsll", false, false},
    {"__builtin_popcount", "__builtin_popcountll", false, false},
    {"__clz", "__clzll", true, false},
    {"__ffs", "__ffsll", false, false},
    {"__popc", "__popcll", false, false},
};

static const struct counter *counter_of(const struct search *s, const struct node *node)
{
    if (node->kind != NODE_CALL || node->kids->kind != NODE_NAME || !node->kids->next)
        return NULL;
    const struct symbol *name = tree_symbol(s->unit, node->kids);
    for (size_t i = 0; name && name->text[0] == '_' && i < sizeof counters / sizeof *counters; ++i)
        if (!strcmp(counters[i].name, name->text))
            return &counters[i];
    return NULL;
}

/* Groups. */

static uint32_t group_of(struct search *s, uint32_t group)
{
    while (s->sets.items[group] != group)
        group = s->sets.items[group] = s->sets.items[s->sets.items[group]];
    return group;
}

static uint32_t new_group(struct search *s)
{
    uint32_t res = (uint32_t)s->sets.count;
    *vec_push(&s->sets) = res;
    return res;
}

static void unite(struct search *s, uint32_t one, uint32_t other)
{
    one = group_of(s, one);
    other = group_of(s, other);
    if (one < other)
        s->sets.items[other] = one;
    else
        s->sets.items[one] = other;
}

static void add_edit(struct search *s, uint32_t group, enum fix_safety safety, struct span span,
                     const char *text)
{
    *vec_push(&s->masks->edits) =
        (struct mask_edit){group, safety, span, arena_strndup(s->a->arena, text, strlen(text))};
}

/* Places. */

static struct mask_place *place_at(const struct search *s, size_t place)
{
    return &s->masks->places.items[place];
}

static size_t find_place(struct search *s, uint64_t key, const struct mask_place *model)
{
    struct place_key *entry;
    HASH_FIND(hh, s->keys, &key, sizeof key, entry);
    if (!entry) {
        entry = xcalloc(1, sizeof *entry);
        entry->key = key;
        entry->place = s->masks->places.count;
        HASH_ADD(hh, s->keys, key, sizeof entry->key, entry);
        struct mask_place *place = vec_push(&s->masks->places);
        *place = *model;
        place->used = place->last_used = NO_INDEX;
        place->group = new_group(s);
    }
    return entry->place;
}

/* The bits of an integer TYPE, of an array's element, of what a pointer points to; else 0. */
static unsigned bits_of(const struct type *type, bool *pointed)
{
    while (type && (type->kind == TYPE_ARRAY || type->kind == TYPE_POINTER)) {
        if (type->kind == TYPE_POINTER)
            *pointed = true;
        type = type->element;
    }
    return type && type->kind == TYPE_INTEGER && type->exact && type->size <= 8
               ? 8 * (unsigned)type->size
               : 0;
}

/* Whether P has to hold a lane mask. */
static bool holds_mask(const struct mask_place *p)
{
    return p->value || p->used != NO_INDEX;
}

static void add_naming(struct search *s, struct mask_place *p, const struct node *node)
{
    uint32_t at = (uint32_t)s->masks->namings.count;
    *vec_push(&s->masks->namings) = (struct mask_naming){node, NO_INDEX};
    if (p->used == NO_INDEX)
        p->used = at;
    else
        s->masks->namings.items[p->last_used].next = at;
    p->last_used = at;
}

static size_t declared_place(struct search *s, const struct name_meaning *meaning)
{
    static const enum mask_place_kind kinds[] = {[NAME_LOCAL] = MASK_LOCAL,
                                                 [NAME_PARAMETER] = MASK_PARAMETER,
                                                 [NAME_VARIABLE] = MASK_VARIABLE};
    const struct node *type = meaning->declaration->kids;
    struct mask_place place = {.kind = kinds[meaning->kind],
                               .token = meaning->token,
                               .declaration = meaning->declaration,
                               .declarator = meaning->declarator,
                               .function = meaning->function};
    bool pointed = false;
    place.automatic = type->flags & TYPE_AUTO;
    if (!place.automatic)
        place.bits = bits_of(type_of_declaration(s->model, type, meaning->declarator), &pointed);
    if (pointed)
        place.kind = MASK_POINTED;
    else if (type->flags & TYPE_SHARED)
        place.kind = MASK_VARIABLE;
    return find_place(s, meaning->token, &place);
}

static int compare_members(const void *va, const void *vb)
{
    const struct member *a = va, *b = vb;
    if (a->name != b->name)
        return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : 1;
    if (a->record != b->record)
        return (uintptr_t)a->record < (uintptr_t)b->record ? -1 : 1;
    return a->token < b->token ? -1 : a->token != b->token;
}

/* The members of the file's classes. */
static void index_members(struct search *s)
{
    const struct unit *unit = s->unit;
    vec_each (const struct scope, scope, &unit->scopes) {
        if (scope->kind != SCOPE_CLASS || !scope->name)
            continue;
        uint32_t begin = scope->open + 1;
        for (uint32_t at = begin; at + 1 < scope->tokens.end; ++at) {
            const struct token *token = unit_token(unit, at);
            enum token_kind next = unit_kind(unit, at + 1);
            if (token->kind == TOK_IDENT &&
                (next == TOK_SEMICOLON || next == TOK_LBRACKET || next == TOK_ASSIGN))
                *vec_push(&s->members) = (struct member){token->symbol, scope->name, at, begin};
            if (token->kind == TOK_SEMICOLON || token->kind == TOK_COLON)
                begin = at + 1;
            if (token->kind == TOK_LBRACE && token->partner != NO_TOKEN) {
                at = token->partner;
                begin = at + 1;
            }
        }
    }
    if (s->members.count)
        qsort(s->members.items, s->members.count, sizeof *s->members.items, compare_members);
}

/* The declaration of the member NODE, or NULL where the file does not show it. */
static const struct member *member_of(struct search *s, const struct node *node)
{
    const struct type *type = type_of(s->model, node->kids);
    while (type && (type->kind == TYPE_ARRAY || type->kind == TYPE_POINTER))
        type = type->element;
    if (!type || type->kind != TYPE_RECORD || !type->name)
        return NULL;
    struct member key = {tree_symbol(s->unit, node), type->name, 0, 0};
    size_t low = 0, high = s->members.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_members(&s->members.items[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct member *res = &s->members.items[low];
    return low < s->members.count && res->name == key.name && res->record == key.record ? res
                                                                                        : NULL;
}

static size_t member_place(struct search *s, const struct node *node)
{
    const struct symbol *name = tree_symbol(s->unit, node);
    bool pointed = false;
    struct mask_place place = {.kind = MASK_MEMBER,
                               .token = node->token,
                               .function = s->function,
                               .bits = bits_of(type_of(s->model, node), &pointed)};
    if (!name || !place.bits)
        return SIZE_MAX;
    const struct member *member = member_of(s, node);
    place.begin = member ? member->begin : NO_TOKEN;
    if (member)
        place.token = member->token;
    return find_place(s, member ? member->token : UINT64_C(1) << 63 | (uintptr_t)name, &place);
}

/* The place that NODE names, or SIZE_MAX. */
static size_t place_of(struct search *s, const struct node *node)
{
    while (node->kind == NODE_INDEX || (node->kind == NODE_UNARY && node->op == TOK_STAR))
        node = node->kids;
    if (node->kind == NODE_MEMBER)
        return member_place(s, node);
    const struct symbol *name = node->kind == NODE_NAME ? tree_symbol(s->unit, node) : NULL;
    if (!name)
        return SIZE_MAX;
    struct name_meaning meaning = model_lookup(s->model, name, node->token);
    bool variable = meaning.kind == NAME_LOCAL || meaning.kind == NAME_PARAMETER ||
                    meaning.kind == NAME_VARIABLE;
    if (!variable || !meaning.declaration || meaning.token == NO_TOKEN)
        return SIZE_MAX;
    return declared_place(s, &meaning);
}

static size_t result_place(struct search *s, size_t function)
{
    const struct function *fn = &s->unit->functions.items[function];
    struct mask_place place = {.kind = MASK_RESULT, .token = fn->name, .function = function};
    for (uint32_t i = fn->head.begin; i < fn->name; ++i) {
        const struct symbol *word = unit_token(s->unit, i)->symbol;
        if (!word)
            continue;
        if (!strcmp(word->text, "unsigned") || !strcmp(word->text, "int") ||
            !strcmp(word->text, "uint32_t") || !strcmp(word->text, "int32_t") ||
            !strcmp(word->text, "uint"))
            place.bits = place.bits ? place.bits : 32;
        else if (!strcmp(word->text, "long") || !strcmp(word->text, "uint64_t") ||
                 !strcmp(word->text, "int64_t"))
            place.bits = 64;
        else if (!strcmp(word->text, "auto"))
            place.automatic = true;
    }
    if (unit_kind(s->unit, fn->name - 1) == TOK_STAR || unit_kind(s->unit, fn->name - 1) == TOK_AMP)
        place.bits = 0;
    return find_place(s, fn->name, &place);
}

/* Functions by name. */

static void add_function(struct search *s, size_t function)
{
    const struct symbol *name =
        unit_token(s->unit, s->unit->functions.items[function].name)->symbol;
    struct named *first, *named;
    HASH_FIND(hh, s->functions, &name, sizeof(struct symbol *), first);
    if (first && OVERLOADS <= first->count++)
        return;
    named = xcalloc(1, sizeof *named);
    named->name = name;
    named->function = function;
    if (first) {
        named->others = first->others;
        first->others = named;
    } else {
        HASH_ADD(hh, s->functions, name, sizeof(struct symbol *), named);
    }
}

static const struct named *functions_called(const struct search *s, const struct node *call)
{
    const struct symbol *name =
        call->kids->kind == NODE_NAME ? tree_symbol(s->unit, call->kids) : NULL;
    struct named *res = NULL;
    if (name)
        HASH_FIND(hh, s->functions, &name, sizeof(struct symbol *), res);
    return res;
}

/* Values. */

static bool single(struct search *s, const struct node *node, int64_t *value)
{
    struct constant c;
    if (!constant_of(s->model, node, &c) || !constant_single(&c))
        return false;
    *value = c.values[0];
    return true;
}

/* The constant that NODE is as a lane mask; casts make none of it another. */
static bool mask_constant(struct search *s, const struct node *node, int64_t *value)
{
    if (single(s, node, value))
        return true;
    const struct symbol *name = node->kind == NODE_NAME ? tree_symbol(s->unit, node) : NULL;
    if (name && (!strcmp(name->text, "UINT32_MAX") || !strcmp(name->text, "UINT_MAX"))) {
        *value = UINT32_MAX;
        return true;
    }
    bool cast = node->kind == NODE_CAST || node->kind == NODE_CONSTRUCT ||
                (node->kind == NODE_CALL && node->kids->kind == NODE_NAME &&
                 tree_is_type_name(tree_symbol(s->unit, node->kids)));
    const struct node *operand = cast ? node->kids->next : NULL;
    return operand && !operand->next && single(s, operand, value);
}

static bool is_full(int64_t value)
{
    return (uint32_t)value == UINT32_MAX;
}

/* Whether NODE selects a few lanes, or the lower half on purpose: 1, 0xff, 0xffffffff. */
static bool is_small(struct search *s, const struct node *node)
{
    int64_t value;
    return (node->kind == NODE_NUMBER || node->kind == NODE_NAME || node->kind == NODE_UNARY) &&
           single(s, node, &value) && ((0 <= value && value <= UINT16_MAX) || value == UINT32_MAX);
}

static const struct node *carries(struct search *s, const struct node *node);

/* Whether NODE, g.ballot(p) or the like, asks a coalesced group, which has as many members as a
   wave has lanes. */
static bool is_group_mask(struct search *s, const struct node *node)
{
    const struct node *callee = node->kids;
    if (callee->kind != NODE_MEMBER || callee->kids->kind != NODE_NAME)
        return false;
    const struct symbol *name = tree_symbol(s->unit, callee);
    if (!name || (strcmp(name->text, "ballot") && strcmp(name->text, "match_any") &&
                  strcmp(name->text, "match_all")))
        return false;
    struct name_meaning meaning =
        model_lookup(s->model, tree_symbol(s->unit, callee->kids), callee->kids->token);
    if (!meaning.declaration)
        return false;
    for (uint32_t i = meaning.declaration->tokens.begin; i < meaning.declaration->tokens.end; ++i) {
        const struct symbol *word = unit_token(s->unit, i)->symbol;
        if (word &&
            (!strcmp(word->text, "coalesced_group") || !strcmp(word->text, "coalesced_threads")))
            return true;
    }
    return false;
}

static const struct node *call_carries(struct search *s, const struct node *node)
{
    struct warp_call call;
    if (warp_call_of(s->a, node, &call)) {
        if (warp_gives_mask(call.function))
            return node;
        return warp_is_shuffle(call.function) && call.value ? carries(s, call.value) : NULL;
    }
    if (is_group_mask(s, node))
        return node;
    const struct counter *counter = counter_of(s, node);
    if (counter)
        return counter->mask ? carries(s, code_argument(node, 0)) : NULL;
    for (const struct named *f = functions_called(s, node); f; f = f->others)
        if (place_at(s, result_place(s, f->function))->value)
            return node;
    return NULL;
}

/* The value that DEFINITION gives its variable, or NULL: another one. */
static const struct node *value_of(const struct definition *definition)
{
    if (definition->kind == DEFINITION_ASSIGNED)
        return definition->node->kids->next;
    if (definition->kind != DEFINITION_DECLARED)
        return NULL;
    tree_each (kid, definition->node)
        if (kid->kind == NODE_INITIALIZER && kid->kids && !kid->kids->next)
            return kid->kids;
    return NULL;
}

static bool gives_mask(const struct search *s, const struct definition *definition,
                       const struct mask_place *p)
{
    const struct node *value = value_of(definition);
    switch (definition->kind) {
    case DEFINITION_DECLARED:
    case DEFINITION_ASSIGNED:
        return value && value->id < s->code->node_count && s->masks_given[value->id];
    case DEFINITION_PARAMETER:
        return p->passed;
    case DEFINITION_UPDATED: /* m &= m - 1 */
        return definition->node->kind == NODE_ASSIGN && definition->node->op != TOK_PLUS_ASSIGN;
    default:
        return false;
    }
}

/* Whether the variable NODE, which is P and holds a lane mask somewhere, may hold one here: it may
   serve for several things one after the other. */
static bool holds_mask_at(struct search *s, const struct node *node, const struct mask_place *p)
{
    struct reaching reaching;
    bool variable = node->kind == NODE_NAME && (p->kind == MASK_LOCAL || p->kind == MASK_PARAMETER);
    if (p->given == p->masks || p->lane)
        return true;
    if (!variable)
        return false; /* elements and members are not told apart */
    if (!flow_reaching(s->model, p->function, tree_symbol(s->unit, node), NULL, 0, node->token,
                       &reaching, NULL))
        return true;
    for (unsigned i = 0; i < reaching.count; ++i)
        if (gives_mask(s, reaching.items[i], p))
            return true;
    return false;
}

/* Where the lane mask comes from that the value of NODE is or holds, or NULL: it is none. */
static const struct node *carries(struct search *s, const struct node *node)
{
    const struct node *left;
    size_t place;
    switch (node->kind) {
    case NODE_CALL:
        return call_carries(s, node);
    case NODE_UNARY:
        if (node->op == TOK_TILDE || node->op == TOK_MINUS || node->op == TOK_PLUS)
            return carries(s, node->kids);
        if (node->op != TOK_STAR)
            return NULL;
        /* fall through */
    case NODE_NAME:
    case NODE_INDEX:
    case NODE_MEMBER:
        place = place_of(s, node);
        return place != SIZE_MAX && place_at(s, place)->value &&
                       holds_mask_at(s, node, place_at(s, place))
                   ? node
                   : NULL;
    case NODE_BINARY:
        left = node->kids;
        switch (node->op) {
        case TOK_AMP:
            if (is_small(s, left) || is_small(s, left->next))
                return NULL;
            /* fall through */
        case TOK_PIPE:
        case TOK_CARET: {
            const struct node *res = carries(s, left);
            return res ? res : carries(s, left->next);
        }
        case TOK_MINUS: /* m - 1 */
            return left->next->kind == NODE_NUMBER ? carries(s, left) : NULL;
        case TOK_SHIFT_LEFT:
        case TOK_SHIFT_RIGHT:
            return carries(s, left);
        case TOK_COMMA:
            return carries(s, left->next);
        default:
            return NULL;
        }
    case NODE_ASSIGN:
        return carries(s, node->kids->next);
    case NODE_CHOICE: {
        const struct node *res = carries(s, node->kids->next);
        return res ? res : carries(s, node->kids->next->next);
    }
    case NODE_CAST:
    case NODE_CONSTRUCT: {
        const struct node *type = node->kids;
        bool pointed = false;
        if (!type->next || type->next->next ||
            !bits_of(type_of_declaration(s->model, type, NULL), &pointed) || pointed)
            return NULL;
        return carries(s, type->next);
    }
    default:
        return NULL;
    }
}

/* Shifts that make lane masks. */

static bool is_shift(struct search *s, const struct node *node)
{
    int64_t value, amount;
    if (node->kind != NODE_BINARY || (node->op != TOK_SHIFT_LEFT && node->op != TOK_SHIFT_RIGHT) ||
        !single(s, node->kids, &value) || single(s, node->kids->next, &amount))
        return false;
    const struct type *type = type_of(s->model, node->kids);
    if (type->kind == TYPE_INTEGER && 4 < type->size)
        return false;
    return value == 1 || value == 2 || value == -1 || value == -2 || is_full(value) ||
           (uint32_t)value == UINT32_MAX - 1 || (uint32_t)value == UINT32_C(1) << 31;
}

/* The shift in NODE that makes it a lane mask, such as (1u << lane) - 1, or NULL. */
static const struct node *shift_in(struct search *s, const struct node *node)
{
    if (is_shift(s, node))
        return node;
    switch (node->kind) {
    case NODE_UNARY:
        return node->op == TOK_TILDE || node->op == TOK_MINUS ? shift_in(s, node->kids) : NULL;
    case NODE_CAST:
        return node->kids->next ? shift_in(s, node->kids->next) : NULL;
    case NODE_BINARY: {
        if (node->op != TOK_PLUS && node->op != TOK_MINUS && node->op != TOK_AMP &&
            node->op != TOK_PIPE && node->op != TOK_CARET)
            return NULL;
        const struct node *res = shift_in(s, node->kids);
        return res ? res : shift_in(s, node->kids->next);
    }
    default:
        return NULL;
    }
}

/* Gathering. */

static void add_edge(struct search *s, size_t place, const struct node *value, bool argument)
{
    if (place == SIZE_MAX || !value)
        return;
    *vec_push(&s->edges) = (struct edge){place, value, argument};
    struct mask_place *p = place_at(s, place);
    if (value->kind != NODE_NUMBER)
        p->given++;
    if (!p->site)
        p->site = value;
}

static void gather_declaration(struct search *s, const struct node *node, enum name_kind kind)
{
    for (const struct node *d = node->kids->next; d; d = d->next) {
        const struct node *value = NULL;
        if (d->kind != NODE_DECLARATOR || d->flags & DECLARATOR_BINDING)
            continue;
        tree_each (kid, d)
            if (kid->kind == NODE_INITIALIZER && kid->kids && !kid->kids->next)
                value = kid->kids;
        const struct symbol *name = tree_symbol(s->unit, d);
        if (!value || !name || value->kind == NODE_LIST || value->kind == NODE_LAMBDA)
            continue;
        struct name_meaning meaning = {.kind = kind,
                                       .token = d->token,
                                       .declaration = node,
                                       .declarator = d,
                                       .function = s->function};
        add_edge(s, declared_place(s, &meaning), value, false);
    }
}

/* The default arguments of the function that is looked at. */
static void gather_defaults(struct search *s)
{
    const struct model_function *function = model_function(s->model, s->function);
    for (unsigned i = 0; i < function->param_count; ++i)
        if (function->params[i])
            gather_declaration(s, function->params[i], NAME_PARAMETER);
}

static void gather_arguments(struct search *s, const struct node *call)
{
    unsigned count = code_argument_count(call);
    for (const struct named *f = functions_called(s, call); f; f = f->others) {
        const struct model_function *function = model_function(s->model, f->function);
        if (function->param_count < count)
            continue;
        const struct node *argument = call->kids->next;
        for (unsigned i = 0; i < count; ++i, argument = argument->next) {
            const struct node *param = function->params[i];
            const struct node *declarator = param ? param->kids->next : NULL;
            if (!declarator || declarator->token == NO_TOKEN || !tree_symbol(s->unit, declarator))
                continue;
            struct name_meaning meaning = {.kind = NAME_PARAMETER,
                                           .token = declarator->token,
                                           .declaration = param,
                                           .declarator = declarator,
                                           .function = f->function};
            add_edge(s, declared_place(s, &meaning), argument, true);
        }
    }
}

/* asm ("mov.u32 %0, %lanemask_lt;" : "=r"(r)): r is a lane mask. */
static void gather_asm(struct search *s, const struct node *node)
{
    bool found = false;
    for (uint32_t i = node->tokens.begin; i < node->tokens.end; ++i) {
        const struct token *token = unit_token(s->unit, i);
        const char *text = s->unit->source->text + token->offset;
        if (token->kind == TOK_STRING) {
            for (uint32_t at = 0; !found && at + 8 <= token->length; ++at)
                found = !memcmp(text + at, "lanemask", 8);
        } else if (found && token->kind == TOK_IDENT) {
            struct name_meaning meaning = model_lookup(s->model, token->symbol, i);
            if (meaning.kind == NAME_LOCAL && meaning.declaration && meaning.token != NO_TOKEN)
                place_at(s, declared_place(s, &meaning))->lane = node;
            return;
        }
    }
}

static void gather(struct search *s, const struct node *node)
{
    switch (node->kind) {
    case NODE_DECLARATION:
        gather_declaration(s, node, NAME_LOCAL);
        break;
    case NODE_ASSIGN:
        add_edge(s, place_of(s, node->kids), node->kids->next, false);
        if (node->op == TOK_AMP_ASSIGN || node->op == TOK_PIPE_ASSIGN ||
            node->op == TOK_CARET_ASSIGN)
            *vec_push(&s->mixes) = node;
        break;
    case NODE_BINARY:
        if (node->op == TOK_AMP || node->op == TOK_PIPE || node->op == TOK_CARET)
            *vec_push(&s->mixes) = node;
        else if (node->op == TOK_EQUAL || node->op == TOK_NOT_EQUAL)
            *vec_push(&s->compares) = node;
        break;
    case NODE_CALL:
        if (counter_of(s, node))
            *vec_push(&s->counts) = node;
        else
            gather_arguments(s, node);
        break;
    case NODE_RETURN:
        if (!s->lambdas && node->kids)
            add_edge(s, result_place(s, s->function), node->kids, false);
        break;
    case NODE_ASM:
        gather_asm(s, node);
        break;
    default:
        break;
    }
    s->lambdas += node->kind == NODE_LAMBDA;
    tree_each (kid, node)
        gather(s, kid);
    s->lambdas -= node->kind == NODE_LAMBDA;
}

/* Following. */

static bool mark(struct search *s, size_t place, const struct node *value)
{
    struct mask_place *p = place_at(s, place);
    if (p->value)
        return false;
    p->value = value;
    return true;
}

/* NODE is combined with a lane mask: if it is one by a shift or by PTX, what holds it is a place of
   lane masks too. */
static bool mate(struct search *s, const struct node *node)
{
    while (node->kind == NODE_UNARY && node->op == TOK_TILDE)
        node = node->kids;
    bool res = false;
    if (node->kind == NODE_CALL) {
        for (const struct named *f = functions_called(s, node); f; f = f->others) {
            size_t place = result_place(s, f->function);
            if (place_at(s, place)->lane)
                res |= mark(s, place, place_at(s, place)->lane);
        }
        return res;
    }
    size_t place = place_of(s, node);
    return place != SIZE_MAX && place_at(s, place)->lane &&
           mark(s, place, place_at(s, place)->lane);
}

/* Which places hold what shifts or PTX make. */
static void find_lanes(struct search *s)
{
    vec_each (const struct edge, e, &s->edges)
        if (shift_in(s, e->value) && !place_at(s, e->place)->lane)
            place_at(s, e->place)->lane = e->value;
    bool changed = true;
    for (unsigned pass = 0; changed && pass < PASSES; ++pass) {
        changed = false;
        vec_each (const struct edge, e, &s->edges) {
            const struct node *value = e->value;
            size_t from = SIZE_MAX;
            if (place_at(s, e->place)->lane)
                continue;
            if (value->kind == NODE_CALL && functions_called(s, value))
                from = result_place(s, functions_called(s, value)->function);
            else if (value->kind == NODE_NAME)
                from = place_of(s, value);
            if (from != SIZE_MAX && place_at(s, from)->lane) {
                place_at(s, e->place)->lane = value;
                changed = true;
            }
        }
    }
}

static void follow(struct search *s)
{
    bool changed = true;
    find_lanes(s);
    for (unsigned pass = 0; changed && pass < PASSES; ++pass) {
        changed = false;
        for (size_t i = 0; i < s->edges.count; ++i) {
            struct edge e = s->edges.items[i];
            bool inside = e.value->id < s->code->node_count; /* no default argument */
            if ((inside && s->masks_given[e.value->id]) || !carries(s, e.value))
                continue;
            if (inside) {
                s->masks_given[e.value->id] = changed = true;
                place_at(s, e.place)->masks++;
            }
            if (e.argument)
                place_at(s, e.place)->passed = true;
            if (mark(s, e.place, e.value)) {
                place_at(s, e.place)->site = e.value;
                changed = true;
            }
        }
        vec_each (const struct node *const, mix, &s->mixes) {
            const struct node *left = (*mix)->kids, *right = left->next;
            if (carries(s, left))
                changed |= mate(s, right);
            if (carries(s, right))
                changed |= mate(s, left);
        }
    }
}

/* Mask arguments. */

static bool names_mask_call(const struct search *s, struct range text)
{
    for (uint32_t i = text.begin; i < text.end; ++i) {
        const struct symbol *symbol = unit_token(s->unit, i)->symbol;
        const struct warp_function *function = symbol ? warp_function_find(symbol->text) : NULL;
        if (function && warp_gives_mask(function))
            return true;
    }
    return false;
}

/* The bits that NODE has as an AMD compiler reads it, or 0: nobody knows. */
static unsigned width(struct search *s, const struct node *node)
{
    const struct type *type;
    size_t place;
    unsigned left, right;
    if (node->kind == NODE_CALL) {
        const struct named *f = functions_called(s, node);
        if (f)
            return place_at(s, result_place(s, f->function))->bits;
        const struct counter *counter = counter_of(s, node);
        if (!counter && carries(s, node))
            return 64;
    }
    switch (node->kind) {
    case NODE_UNARY:
        if (node->op != TOK_STAR)
            return width(s, node->kids);
        /* fall through */
    case NODE_NAME:
    case NODE_INDEX:
    case NODE_MEMBER:
        place = place_of(s, node);
        if (place != SIZE_MAX)
            return place_at(s, place)->automatic ? (place_at(s, place)->value ? 64 : 0)
                                                 : place_at(s, place)->bits;
        if (node->kind == NODE_NAME) {
            struct name_meaning meaning =
                model_lookup(s->model, tree_symbol(s->unit, node), node->token);
            if (meaning.kind == NAME_MACRO && meaning.token != NO_TOKEN) {
                const struct directive *d = unit_directive_at(s->unit, meaning.token);
                if (d && names_mask_call(s, d->body))
                    return 64;
            }
        }
        break;
    case NODE_BINARY:
        left = width(s, node->kids);
        if (node->op == TOK_SHIFT_LEFT || node->op == TOK_SHIFT_RIGHT)
            return left;
        right = width(s, node->kids->next);
        return left == 64 || right == 64 ? 64 : left && right ? 32 : 0;
    case NODE_CHOICE:
        left = width(s, node->kids->next);
        right = width(s, node->kids->next->next);
        return left == 64 || right == 64 ? 64 : left && right ? 32 : 0;
    default:
        break;
    }
    type = type_of(s->model, node);
    return type->kind == TYPE_INTEGER && type->exact ? (type->size <= 4 ? 32 : 64) : 0;
}

/* Notes for each variable that the mask argument NODE names that it is used as a mask; whether
   there is one of 32 bits. */
static bool note_used(struct search *s, const struct node *node)
{
    bool res = false;
    if (node->kind == NODE_CALL) {
        struct warp_call call;
        if (warp_call_of(s->a, node, &call))
            return false;
        for (const struct named *f = functions_called(s, node); f; f = f->others) {
            struct mask_place *p = place_at(s, result_place(s, f->function));
            if (p->bits && p->bits < 64) {
                add_naming(s, p, node);
                res = true;
            }
        }
        return res;
    }
    size_t place = place_of(s, node);
    if (place != SIZE_MAX) {
        struct mask_place *p = place_at(s, place);
        if (!p->bits || 64 <= p->bits || p->automatic)
            return false;
        add_naming(s, p, node);
        return true;
    }
    tree_each (kid, node) {
        if ((node->kind == NODE_CAST || node->kind == NODE_CONSTRUCT) && kid == node->kids)
            continue;
        if ((node->op == TOK_SHIFT_LEFT || node->op == TOK_SHIFT_RIGHT) && kid != node->kids)
            continue; /* by how much says no type */
        res |= note_used(s, kid);
    }
    return res;
}

/* Whether whole waves evaluate NODE of FUNCTION, for all targets, as far as the file proves it. */
static bool is_whole(struct search *s, size_t function, const struct node *node)
{
    return function != NO_INDEX && warp_is_whole(s->a, function, node);
}

/* A local that only ever is a constant counts as that. */
static const struct node *constant_behind(struct search *s, const struct node *node)
{
    size_t place = node->kind == NODE_NAME ? place_of(s, node) : SIZE_MAX;
    if (place == SIZE_MAX || place_at(s, place)->kind != MASK_LOCAL || place_at(s, place)->value)
        return NULL;
    const struct node *res = NULL;
    int64_t value;
    size_t edges = 0;
    /* The reaching definitions decide; only one value is of interest here. */
    struct reaching reaching;
    if (!flow_reaching(s->model, place_at(s, place)->function, tree_symbol(s->unit, node), NULL, 0,
                       node->token, &reaching, NULL) ||
        !reaching.known || reaching.count != 1 || reaching.items[0]->kind != DEFINITION_DECLARED)
        return NULL;
    tree_each (kid, place_at(s, place)->declarator)
        if (kid->kind == NODE_INITIALIZER && kid->kids && !kid->kids->next) {
            res = kid->kids;
            ++edges;
        }
    return edges == 1 && single(s, res, &value) && is_full(value) ? res : NULL;
}

static void add_argument(struct search *s, const struct node *node, size_t function, int64_t value,
                         unsigned bits, bool constant)
{
    bool full = constant && is_full(value);
    uint32_t definition = NO_TOKEN;
    if (node->kind == NODE_NAME) {
        struct name_meaning meaning =
            model_lookup(s->model, tree_symbol(s->unit, node), node->token);
        definition = meaning.token;
    }
    *vec_push(&s->masks->arguments) = (struct mask_argument){
        .node = node,
        .function = function,
        .definition = definition,
        .full = full,
        .whole = full && is_whole(s, function, node),
        .exact = constant && !full && function != NO_INDEX &&
                 warp_is_exact(s->a, function, node, (uint32_t)value),
        .bits = bits,
    };
}

/* NODE names all lanes in 64 bits: wrong only where some are known to be absent. */
static void add_all_lanes(struct search *s, const struct node *node, size_t function)
{
    target_set absent = function == NO_INDEX ? 0 : warp_is_partial(s->a, function, node);
    if (absent)
        *vec_push(&s->masks->arguments) = (struct mask_argument){.node = node,
                                                                 .function = function,
                                                                 .definition = NO_TOKEN,
                                                                 .bits = 64,
                                                                 .absent = absent};
}

static void examine_mask(struct search *s, const struct node *mask, size_t function)
{
    int64_t value = 0;
    const struct token *token = unit_token(s->unit, mask->tokens.begin);
    if (token->flags & TOKEN_DROPPED || token_region(token) == REGION_CUDA)
        return;
    const struct node *behind = constant_behind(s, mask);
    if (mask_constant(s, behind ? behind : mask, &value)) {
        unsigned bits = behind ? width(s, behind) : width(s, mask);
        if (bits == 64 && value == -1)
            add_all_lanes(s, mask, function);
        if (bits == 64 && value != UINT32_MAX)
            return;
        if (bits == 64 && annotation_is_hip(s->a, mask->tokens.begin)) {
            add_argument(s, mask, function, 0, 64, false);
            return;
        }
        add_argument(s, mask, function, value, bits ? bits : 32, true);
        return;
    }
    unsigned bits = width(s, mask);
    if (!bits || bits == 64 || note_used(s, mask))
        return;
    add_argument(s, mask, function, 0, bits, false);
}

/* Calls in the texts of macros. */

static int compare_macros(const void *va, const void *vb)
{
    const struct mask_macro *a = va, *b = vb;
    return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : (uintptr_t)a->name > (uintptr_t)b->name;
}

/* The macro of the file that gives a parameter to a _sync function as its mask, or NULL. */
static const struct mask_macro *mask_macro_of(const struct search *s, const struct symbol *name)
{
    struct mask_macro key = {name, 0};
    return s->macros.count ? bsearch(&key, s->macros.items, s->macros.count,
                                     sizeof *s->macros.items, compare_macros)
                           : NULL;
}

/* The argument of the call at token AT that is its mask, SIZE_MAX: none. */
static size_t mask_index(const struct search *s, uint32_t at)
{
    const struct symbol *name = unit_token(s->unit, at)->symbol;
    const struct warp_function *function = name ? warp_function_find(name->text) : NULL;
    const struct mask_macro *macro = name ? mask_macro_of(s, name) : NULL;
    if (unit_is_member(s->unit, at))
        return SIZE_MAX;
    return function && function->mask == 0 ? 0 : macro ? macro->index : SIZE_MAX;
}

/* The mask of the call at token AT of a macro's text. */
static bool macro_mask(struct search *s, uint32_t at, struct range *res)
{
    struct arguments args;
    size_t index = mask_index(s, at);
    if (index == SIZE_MAX || unit_kind(s->unit, at + 1) != TOK_LPAREN ||
        !unit_arguments(s->unit, at + 1, s->a->arena, &args) || (size_t)args.count <= index)
        return false;
    *res = args.items[index];
    return res->begin < res->end;
}

/* Notes it if the mask in RANGE is a parameter of the macro D. */
static void note_macro(struct search *s, const struct directive *d, struct range range)
{
    unsigned index = 0;
    const struct symbol *name = unit_token(s->unit, range.begin)->symbol;
    for (uint32_t i = d->params.begin; name && range.end == range.begin + 1 && i < d->params.end;
         ++i) {
        if (unit_kind(s->unit, i) == TOK_COMMA)
            ++index;
        else if (unit_token(s->unit, i)->symbol == name)
            *vec_push(&s->macros) =
                (struct mask_macro){unit_token(s->unit, d->name)->symbol, index};
    }
}

static void find_macros(struct search *s)
{
    vec_each (const struct directive, d, &s->unit->directives) {
        struct range range;
        if (d->kind != TOK_PP_DEFINE || d->params.begin == d->params.end)
            continue;
        for (uint32_t i = d->body.begin; i + 1 < d->body.end; ++i) {
            const struct symbol *name = unit_token(s->unit, i)->symbol;
            if (name && warp_function_find(name->text) && macro_mask(s, i, &range))
                note_macro(s, d, range);
        }
    }
}

static void examine_macros(struct search *s)
{
    vec_each (const struct directive, d, &s->unit->directives) {
        for (uint32_t i = d->body.begin; d->kind == TOK_PP_DEFINE && i + 1 < d->body.end; ++i) {
            struct range range;
            int64_t value;
            if (!macro_mask(s, i, &range))
                continue;
            const struct node *mask = tree_expression(&s->model->trees, range);
            if (mask && mask_constant(s, mask, &value))
                examine_mask(s, mask, NO_INDEX);
        }
    }
}

/* Uses. */

static void unite_places(struct search *s, uint32_t group, const struct node *node)
{
    if (node->kind == NODE_CALL) {
        for (const struct named *f = functions_called(s, node); f; f = f->others)
            if (place_at(s, result_place(s, f->function))->value)
                unite(s, group, place_at(s, result_place(s, f->function))->group);
        struct warp_call call;
        if (warp_call_of(s->a, node, &call) && warp_is_shuffle(call.function) && call.value)
            unite_places(s, group, call.value);
        if (counter_of(s, node))
            unite_places(s, group, code_argument(node, 0));
        return;
    }
    size_t place = place_of(s, node);
    if (place != SIZE_MAX) {
        if (holds_mask(place_at(s, place)))
            unite(s, group, place_at(s, place)->group);
        return;
    }
    tree_each (kid, node)
        if (kid->kind != NODE_TYPE)
            unite_places(s, group, kid);
}

static struct mask_use *add_use(struct search *s, enum mask_use_kind kind, const struct node *node)
{
    struct mask_use *use = vec_push(&s->masks->uses);
    *use = (struct mask_use){.kind = kind, .node = node, .group = new_group(s)};
    return use;
}

static struct span span_of(const struct search *s, const struct node *node)
{
    return unit_span(s->unit, node->tokens);
}

static struct span token_span(const struct search *s, uint32_t token)
{
    return unit_span(s->unit, (struct range){token, token + 1});
}

/* The text of the number at NODE as one of unsigned long long. */
static const char *wide_number(const struct search *s, const struct node *node)
{
    struct span span = span_of(s, node);
    const char *text = s->unit->source->text + span.begin;
    size_t len = span.end - span.begin;
    while (len && strchr("uUlLzZ", text[len - 1]))
        --len;
    char *res = arena_alloc(s->a->arena, len + 4);
    memcpy(res, text, len);
    memcpy(res + len, "ull", 4);
    return res;
}

/* Casts on the way of the lane mask NODE, which becomes wider with GROUP. */
static void add_cast_edits(struct search *s, const struct node *node, uint32_t group)
{
    bool pointed = false;
    switch (node->kind) {
    case NODE_CAST:
        if (bits_of(type_of_declaration(s->model, node->kids, NULL), &pointed) == 32 && !pointed)
            add_edit(s, group, FIX_UNSAFE, span_of(s, node->kids), "unsigned long long");
        add_cast_edits(s, node->kids->next, group);
        break;
    case NODE_UNARY:
        add_cast_edits(s, node->kids, group);
        break;
    case NODE_BINARY:
        if (node->op == TOK_AMP || node->op == TOK_PIPE || node->op == TOK_CARET)
            add_cast_edits(s, node->kids->next, group);
        add_cast_edits(s, node->kids, group);
        break;
    default:
        break;
    }
}

/* 31 - __clz(m) becomes 63 - __clzll(m); false where the place counts and nobody knows how. */
static bool add_width_edit(struct search *s, const struct node *node, uint32_t group)
{
    const struct node *parent = code_parent(s->code, node);
    if (parent && counter_of(s, parent))
        return true; /* __clz(__brev(m)) */
    if (!parent || parent->kind != NODE_BINARY || parent->op != TOK_MINUS ||
        parent->kids->next != node || parent->kids->kind != NODE_NUMBER)
        return false;
    int64_t value;
    if (!single(s, parent->kids, &value) || (value != 31 && value != 32))
        return false;
    add_edit(s, group, FIX_SAFE, span_of(s, parent->kids), value == 31 ? "63" : "64");
    return true;
}

/* Whether NODE gets 64 bits when the places of lane masks do; GROUP joins theirs. */
static bool becomes_wide(struct search *s, const struct node *node, uint32_t group)
{
    size_t place = place_of(s, node);
    if (place != SIZE_MAX) {
        struct mask_place *p = place_at(s, place);
        if (!holds_mask(p) || !p->bits || 64 <= p->bits)
            return false;
        unite(s, group, p->group);
        return true;
    }
    if (node->kind == NODE_UNARY)
        return node->op != TOK_BANG && becomes_wide(s, node->kids, group);
    if (node->kind != NODE_BINARY)
        return false;
    switch (node->op) {
    case TOK_SHIFT_LEFT:
    case TOK_SHIFT_RIGHT:
        return becomes_wide(s, node->kids, group);
    case TOK_AMP:
    case TOK_PIPE:
    case TOK_CARET:
    case TOK_PLUS:
    case TOK_MINUS: {
        bool left = becomes_wide(s, node->kids, group);
        return becomes_wide(s, node->kids->next, group) || left;
    }
    default:
        return false;
    }
}

static void add_count(struct search *s, const struct node *node)
{
    const struct counter *counter = counter_of(s, node);
    const struct node *operand = code_argument(node, 0);
    if (!carries(s, operand)) {
        /* __ffs(m & 1) need not change for the lanes, but has to for the type. */
        uint32_t widened = new_group(s);
        if (!strcmp(counter->name, "__ffs") && becomes_wide(s, operand, widened))
            add_edit(s, widened, FIX_SAFE, token_span(s, node->kids->token), counter->wide);
        return;
    }
    struct mask_use *use = add_use(s, MASK_COUNT, node);
    uint32_t group = use->group;
    use->wide = width(s, operand) == 64;
    unite_places(s, group, operand);
    bool safe = !counter->places || add_width_edit(s, node, group);
    add_edit(s, group, safe ? FIX_SAFE : FIX_UNSAFE, token_span(s, node->kids->token),
             counter->wide);
    add_cast_edits(s, operand, group);
}

/* What gives SHIFT 64 bits. To the right, the bits that stay are counted from the upper end. */
static void add_shift_edit(struct search *s, const struct node *shift, uint32_t group)
{
    const struct node *left = shift->kids, *amount = left->next;
    bool negative = left->kind == NODE_UNARY && left->op == TOK_MINUS;
    const struct node *number = left->kind == NODE_UNARY ? left->kids : left;
    int64_t value, from;
    if (number->kind != NODE_NUMBER || !single(s, left, &value))
        return;
    if (shift->op == TOK_SHIFT_RIGHT) {
        if (!is_full(value) || amount->kind != NODE_BINARY || amount->op != TOK_MINUS ||
            amount->kids->kind != NODE_NUMBER || !single(s, amount->kids, &from) ||
            (from != 31 && from != 32))
            return;
        add_edit(s, group, FIX_UNSAFE, span_of(s, left), "~0ull");
        add_edit(s, group, FIX_UNSAFE, span_of(s, amount->kids), from == 31 ? "63" : "64");
    } else if (is_full(value)) {
        add_edit(s, group, FIX_SAFE, span_of(s, left), "~0ull");
    } else if (left == number) {
        add_edit(s, group, FIX_SAFE, span_of(s, left), wide_number(s, number));
    } else if (negative) {
        add_edit(s, group, FIX_SAFE, span_of(s, number), wide_number(s, number));
    }
}

/* SHIFT makes a mask of GROUP. It is REPORTED where it meets the lanes of a wave; a mask for a
   _sync function need not get wrong by it. */
static void add_shift(struct search *s, const struct node *shift, uint32_t group, bool reported)
{
    if (s->code->node_count <= shift->id || s->seen[shift->id])
        return;
    s->seen[shift->id] = true;
    if (reported)
        unite(s, add_use(s, MASK_SHIFT, shift)->group, group);
    add_shift_edit(s, shift, group);
}

static void add_compare(struct search *s, const struct node *node)
{
    const struct node *mask = node->kids, *other = mask->next;
    int64_t value;
    if (!carries(s, mask)) {
        other = node->kids;
        mask = other->next;
        if (!carries(s, mask))
            return;
    }
    if (!single(s, other, &value) || !is_full(value) || (width(s, other) == 64 && value < 0))
        return;
    struct mask_use *use = add_use(s, MASK_COMPARE, node);
    uint32_t group = use->group;
    unite_places(s, group, mask);
    add_edit(s, group, FIX_UNSAFE, span_of(s, other), "(~0ull >> (64 - warpSize))");
}

static void find_uses(struct search *s)
{
    vec_each (const struct node *const, node, &s->counts)
        add_count(s, *node);
    vec_each (const struct node *const, node, &s->compares)
        add_compare(s, *node);
    vec_each (const struct node *const, mix, &s->mixes) {
        const struct node *left = (*mix)->kids, *right = left->next, *shift;
        for (unsigned side = 0; side < 2; ++side) {
            const struct node *mask = side ? right : left, *other = side ? left : right;
            if (!carries(s, mask) || !(shift = shift_in(s, other)))
                continue;
            uint32_t group = new_group(s);
            unite_places(s, group, mask);
            add_shift(s, shift, group, true);
        }
    }
    vec_each (const struct edge, e, &s->edges) {
        const struct mask_place *p = place_at(s, e->place);
        const struct node *shift = holds_mask(p) ? shift_in(s, e->value) : NULL;
        if (shift)
            add_shift(s, shift, p->group, p->value != NULL);
    }
}

/* What widens a type. */

static bool is_qualifier(const struct token *token)
{
    static const char *const words[] = {"const",      "constexpr",    "volatile",    "static",
                                        "register",   "extern",       "inline",      "__shared__",
                                        "__device__", "__constant__", "__restrict__"};
    for (size_t i = 0; token->symbol && i < sizeof words / sizeof *words; ++i)
        if (!strcmp(token->symbol->text, words[i]))
            return true;
    return false;
}

static bool is_integer_word(const struct token *token)
{
    static const char *const words[] = {"unsigned", "signed",  "int",  "short",   "char",
                                        "uint32_t", "int32_t", "uint", "uint16_t"};
    for (size_t i = 0; token->symbol && i < sizeof words / sizeof *words; ++i)
        if (!strcmp(token->symbol->text, words[i]))
            return true;
    return false;
}

/* std:: or the like in front of it. */
static bool is_namespace(const struct token *token)
{
    return token->kind == TOK_COLON_COLON ||
           (token->symbol &&
            (!strcmp(token->symbol->text, "std") || !strcmp(token->symbol->text, "cuda")));
}

/* The words in RANGE that name an integer type and stand together. */
static bool integer_words(const struct unit *unit, struct range range, struct range *res)
{
    bool integer = false;
    *res = (struct range){0, 0};
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (is_integer_word(token) || is_namespace(token)) {
            if (res->end && res->end != i)
                return false;
            if (!res->end)
                res->begin = i;
            res->end = i + 1;
            integer |= is_integer_word(token);
        } else if (!is_qualifier(token)) {
            return false;
        }
    }
    return integer;
}

/* The same in the head of a function, whose attributes may be macros. */
static bool result_words(const struct unit *unit, const struct function *fn, struct range *res)
{
    uint32_t i = fn->name;
    while (fn->head.begin < i && (is_integer_word(unit_token(unit, i - 1)) ||
                                  (i < fn->name && is_namespace(unit_token(unit, i - 1)))))
        --i;
    *res = (struct range){i, fn->name};
    return i < fn->name;
}

static void add_widening(struct search *s, struct mask_place *p, enum fix_safety safety,
                         struct range words)
{
    add_edit(s, p->group, safety, unit_span(s->unit, words), "unsigned long long");
    p->widened = true;
}

static void widen_place(struct search *s, struct mask_place *p)
{
    struct range words;
    enum fix_safety safety = FIX_UNSAFE;
    if (p->kind == MASK_RESULT) {
        if (result_words(s->unit, &s->unit->functions.items[p->function], &words))
            add_widening(s, p, FIX_UNSAFE, words);
        return;
    }
    if (p->kind == MASK_MEMBER) {
        struct range before = {p->begin, p->token};
        if (p->begin != NO_TOKEN && integer_words(s->unit, before, &words))
            add_widening(s, p, FIX_UNSAFE, words);
        return;
    }
    if (p->kind == MASK_POINTED || !p->declaration ||
        !integer_words(s->unit, p->declaration->kids->tokens, &words))
        return;
    if (p->kind == MASK_LOCAL && !p->declarator->stars && !p->declarator->flags)
        safety = FIX_SAFE;
    for (const struct node *d = p->declaration->kids->next; d; d = d->next) {
        struct place_key *entry;
        uint64_t key = d->token;
        HASH_FIND(hh, s->keys, &key, sizeof key, entry);
        if (d->kind == NODE_DECLARATOR && (!entry || !holds_mask(place_at(s, entry->place))))
            safety = d->stars || d->flags ? FIX_DISPLAY : FIX_UNSAFE; /* it changes as well */
        if (safety == FIX_DISPLAY)
            break;
    }
    add_widening(s, p, safety, words);
}

/* The full masks that are put into a place that becomes wider. */
static void widen_values(struct search *s)
{
    vec_each (const struct edge, e, &s->edges) {
        const struct mask_place *p = place_at(s, e->place);
        int64_t value;
        if (!holds_mask(p) || !p->bits || 64 <= p->bits ||
            (e->value->kind != NODE_NUMBER && e->value->kind != NODE_UNARY &&
             e->value->kind != NODE_NAME) ||
            !single(s, e->value, &value) || !is_full(value) || width(s, e->value) == 64)
            continue;
        size_t function = model_function_at(s->model, e->value->token);
        bool whole = is_whole(s, function, e->value);
        add_edit(s, p->group, FIX_UNSAFE, span_of(s, e->value), whole ? "~0ull" : "__activemask()");
    }
}

static void group_places(struct search *s)
{
    vec_each (const struct edge, e, &s->edges) {
        uint32_t group = place_at(s, e->place)->group;
        if (!place_at(s, e->place)->value || !carries(s, e->value))
            continue;
        unite_places(s, group, e->value);
        add_cast_edits(s, e->value, group);
    }
}

static int compare_edits(const void *va, const void *vb)
{
    const struct mask_edit *a = va, *b = vb;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->span.begin != b->span.begin)
        return a->span.begin < b->span.begin ? -1 : 1;
    return a->span.end < b->span.end ? -1 : a->span.end != b->span.end;
}

static void finish(struct search *s)
{
    struct lane_masks *masks = s->masks;
    vec_each (struct mask_place, p, &masks->places)
        if (holds_mask(p) && p->bits && p->bits < 64)
            widen_place(s, p);
    widen_values(s);
    vec_each (struct mask_edit, e, &masks->edits)
        e->group = group_of(s, e->group);
    vec_each (struct mask_place, p, &masks->places)
        p->group = group_of(s, p->group);
    vec_each (struct mask_use, u, &masks->uses)
        u->group = group_of(s, u->group);
    masks->given = xcalloc(s->sets.count + 1, sizeof *masks->given);
    if (masks->edits.count)
        qsort(masks->edits.items, masks->edits.count, sizeof *masks->edits.items, compare_edits);
}

/* The mask argument of CALL, or NULL. */
static const struct node *mask_of(struct search *s, const struct code_node *call)
{
    struct warp_call warp;
    if (!call->name)
        return NULL;
    if (call->name->text[0] == '_' && warp_call_of(s->a, call->node, &warp))
        return warp.mask;
    const struct mask_macro *macro = mask_macro_of(s, call->name);
    if (!macro || call->node->kids->kind != NODE_NAME ||
        model_lookup(s->model, call->name, call->node->kids->token).kind != NAME_MACRO)
        return NULL;
    return code_argument(call->node, (unsigned)macro->index);
}

static void examine_calls(struct search *s)
{
    find_macros(s);
    if (s->macros.count)
        qsort(s->macros.items, s->macros.count, sizeof *s->macros.items, compare_macros);
    vec_each (const struct code_node, call, &s->code->calls) {
        const struct node *mask = mask_of(s, call);
        if (mask)
            examine_mask(s, mask, call->function);
    }
    examine_macros(s);
}

static void search_release(struct search *s)
{
    struct place_key *key, *next;
    HASH_ITER(hh, s->keys, key, next)
    {
        HASH_DEL(s->keys, key);
        free(key);
    }
    struct named *named, *other;
    HASH_ITER(hh, s->functions, named, other)
    {
        HASH_DEL(s->functions, named);
        while (named) {
            struct named *more = named->others;
            free(named);
            named = more;
        }
    }
    free(s->seen);
    free(s->masks_given);
    vec_release(&s->macros);
    vec_release(&s->members);
    vec_release(&s->edges);
    vec_release(&s->mixes);
    vec_release(&s->counts);
    vec_release(&s->compares);
    vec_release(&s->sets);
}

static struct lane_masks *masks_find(struct annotation *a)
{
    /* Older HIP has no _sync functions, so translation leaves the masks out. */
    bool takes_masks = VERSION(6, 2, 0) <= a->options->hip_version;
    struct search s = {.a = a,
                       .unit = a->unit,
                       .code = annotation_code(a),
                       .model = annotation_code(a)->model,
                       .masks = xcalloc(1, sizeof(struct lane_masks)),
                       .seen = xcalloc(annotation_code(a)->node_count + 1, sizeof(bool)),
                       .masks_given = xcalloc(annotation_code(a)->node_count + 1, sizeof(bool))};
    size_t count = a->unit->functions.count;
    index_members(&s);
    for (size_t i = 0; i < count; ++i)
        if (model_function(s.model, i)->body)
            add_function(&s, i);
    for (size_t i = 0; i < count; ++i) {
        s.function = i;
        if (!model_function(s.model, i)->body)
            continue;
        gather_defaults(&s);
        gather(&s, model_function(s.model, i)->body);
    }
    follow(&s);
    if (takes_masks)
        examine_calls(&s);
    find_uses(&s);
    group_places(&s);
    finish(&s);
    search_release(&s);
    return s.masks;
}

struct lane_masks *annotation_masks(struct annotation *a)
{
    if (!a->masks && warp_is_used(a))
        a->masks = masks_find(a);
    return a->masks;
}

void lane_masks_add_edits(struct lane_masks *masks, struct finding *f, uint32_t group)
{
    const struct mask_edit *edits = masks->edits.items;
    size_t low = 0, high = masks->edits.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edits[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    size_t last = low + GROUP_EDITS;
    bool many = last < masks->edits.count && edits[last].group == group;
    if (many && masks->given[group])
        return;
    masks->given[group] = true;
    uint32_t behind = 0;
    for (size_t i = low; i < masks->edits.count && edits[i].group == group; ++i) {
        if (i != low && edits[i].span.begin < behind)
            continue; /* the same once more */
        finding_add_edit(f, edits[i].safety, edits[i].span, edits[i].text);
        behind = edits[i].span.end;
    }
}

void lane_masks_free(struct lane_masks *masks)
{
    if (!masks)
        return;
    vec_release(&masks->places);
    vec_release(&masks->namings);
    vec_release(&masks->uses);
    vec_release(&masks->arguments);
    vec_release(&masks->edits);
    free(masks->given);
    free(masks);
}
