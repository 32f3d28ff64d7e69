/* What may hold a lane mask (places), and what has to change together (groups).  */
#include <config.h>

#include "annotate/lanemask_p.h"

#include <stdlib.h>
#include <string.h>

enum { OVERLOADS = 32 }; /* of one name that are looked at */

/* Groups. */

uint32_t masks_group_of(struct mask_search *s, uint32_t group)
{
    while (s->sets.items[group] != group)
        group = s->sets.items[group] = s->sets.items[s->sets.items[group]];
    return group;
}

uint32_t masks_new_group(struct mask_search *s)
{
    uint32_t res = (uint32_t)s->sets.count;
    *vec_push(&s->sets) = res;
    return res;
}

void masks_unite(struct mask_search *s, uint32_t one, uint32_t other)
{
    one = masks_group_of(s, one);
    other = masks_group_of(s, other);
    if (one < other)
        s->sets.items[other] = one;
    else
        s->sets.items[one] = other;
}

void masks_add_edit(struct mask_search *s, uint32_t group, enum fix_safety safety, struct span span,
                    const char *text)
{
    *vec_push(&s->masks->edits) =
        (struct mask_edit){group, safety, span, arena_strndup(s->a->arena, text, strlen(text))};
}

/* Places. */

/* The place of KEY, or SIZE_MAX: nobody asked for it yet. */
static size_t known_place(const struct mask_search *s, uint64_t key)
{
    struct mask_key *entry;
    HASH_FIND(hh, s->keys, &key, sizeof key, entry);
    return entry ? entry->place : SIZE_MAX;
}

static size_t find_place(struct mask_search *s, uint64_t key, const struct mask_place *model)
{
    struct mask_key *entry;
    HASH_FIND(hh, s->keys, &key, sizeof key, entry);
    if (!entry) {
        entry = xcalloc(1, sizeof *entry);
        entry->key = key;
        entry->place = s->masks->places.count;
        HASH_ADD(hh, s->keys, key, sizeof entry->key, entry);
        struct mask_place *place = vec_push(&s->masks->places);
        *place = *model;
        place->used = place->last_used = place->more = place->last_more = NO_INDEX;
        place->group = masks_new_group(s);
    }
    return entry->place;
}

unsigned masks_bits_of(const struct type *type, bool *pointed)
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

/* Adds NODE to the list from *FIRST to *LAST. */
static void add_to_list(struct mask_search *s, uint32_t *first, uint32_t *last,
                        const struct node *node)
{
    uint32_t at = (uint32_t)s->masks->namings.count;
    *vec_push(&s->masks->namings) = (struct mask_naming){node, NO_INDEX};
    if (*first == NO_INDEX)
        *first = at;
    else
        s->masks->namings.items[*last].next = at;
    *last = at;
}

void masks_add_naming(struct mask_search *s, struct mask_place *p, const struct node *node)
{
    add_to_list(s, &p->used, &p->last_used, node);
}

void masks_add_value(struct mask_search *s, struct mask_place *p, const struct node *value)
{
    add_to_list(s, &p->more, &p->last_more, value);
}

/* Whether the name at TOKEN is a template's parameter: a type as wide as what it is given. */
static bool is_parameter_type(const struct mask_search *s, uint32_t token)
{
    const struct symbol *name = token == NO_TOKEN ? NULL : unit_token(s->unit, token)->symbol;
    return name && unit_kind(s->unit, token) == TOK_IDENT &&
           model_lookup(s->model, name, token).kind == NAME_TEMPLATE_PARAMETER;
}

size_t masks_declared_place(struct mask_search *s, const struct name_meaning *meaning)
{
    static const enum mask_place_kind kinds[] = {[NAME_LOCAL] = MASK_LOCAL,
                                                 [NAME_PARAMETER] = MASK_PARAMETER,
                                                 [NAME_VARIABLE] = MASK_VARIABLE};
    size_t known = known_place(s, meaning->token);
    if (known != SIZE_MAX)
        return known;
    const struct node *type = meaning->declaration->kids;
    struct mask_place place = {.kind = kinds[meaning->kind],
                               .token = meaning->token,
                               .declaration = meaning->declaration,
                               .declarator = meaning->declarator,
                               .function = meaning->function};
    bool pointed = false;
    place.automatic = type->flags & TYPE_AUTO || is_parameter_type(s, type->token);
    if (!place.automatic)
        place.bits =
            masks_bits_of(type_of_declaration(s->model, type, meaning->declarator), &pointed);
    if (pointed)
        place.kind = MASK_POINTED;
    else if (type->flags & TYPE_SHARED)
        place.kind = MASK_VARIABLE;
    return find_place(s, meaning->token, &place);
}

static int compare_members(const void *va, const void *vb)
{
    const struct mask_member *a = va, *b = vb;
    if (a->name != b->name)
        return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : 1;
    if (a->record != b->record)
        return (uintptr_t)a->record < (uintptr_t)b->record ? -1 : 1;
    return a->token < b->token ? -1 : a->token != b->token;
}

/* Whether the name before a token of KIND may be a member that is declared. */
static bool ends_member(enum token_kind kind)
{
    return kind == TOK_SEMICOLON || kind == TOK_LBRACKET || kind == TOK_ASSIGN ||
           kind == TOK_COMMA || kind == TOK_LBRACE;
}

void masks_index_members(struct mask_search *s)
{
    const struct unit *unit = s->unit;
    vec_each (const struct scope, scope, &unit->scopes) {
        if (scope->kind != SCOPE_CLASS || !scope->name)
            continue;
        uint32_t begin = scope->open + 1;
        for (uint32_t at = begin; at + 1 < scope->tokens.end; ++at) {
            const struct token *token = unit_token(unit, at);
            if (token->kind == TOK_IDENT && ends_member(unit_kind(unit, at + 1)))
                *vec_push(&s->members) =
                    (struct mask_member){token->symbol, scope->name, at, begin};
            if (token->kind == TOK_SEMICOLON || token->kind == TOK_COLON)
                begin = at + 1;
            bool braces = token->kind == TOK_LBRACE && token->partner != NO_TOKEN;
            if (braces || (token->kind == TOK_LPAREN && token->partner != NO_TOKEN))
                at = token->partner;
            if (braces)
                begin = at + 1;
        }
    }
    if (s->members.count)
        qsort(s->members.items, s->members.count, sizeof *s->members.items, compare_members);
}

static const struct mask_member *find_member(struct mask_search *s, const struct symbol *record,
                                             const struct symbol *name)
{
    struct mask_member key = {name, record, 0, 0};
    size_t low;
    vec_search(low, s->members.count, compare_members(&s->members.items[low], &key) < 0);
    const struct mask_member *res = low < s->members.count ? &s->members.items[low] : NULL;
    return res && res->name == name && res->record == record ? res : NULL;
}

/* The class of the method around TOKEN, or NULL. */
static const struct symbol *class_around(const struct mask_search *s, uint32_t token)
{
    const struct unit *unit = s->unit;
    for (uint32_t at = unit_scope_at(unit, token); at != NO_INDEX;) {
        const struct scope *scope = &unit->scopes.items[at];
        if (scope->kind == SCOPE_CLASS)
            return scope->name;
        if (scope->kind == SCOPE_FUNCTION && scope->owner)
            return scope->owner;
        at = scope->parent;
    }
    return NULL;
}

static bool is_this(const struct mask_search *s, const struct node *node)
{
    const struct symbol *name = node->kind == NODE_NAME ? tree_symbol(s->unit, node) : NULL;
    return name && !strcmp(name->text, "this");
}

const struct symbol *masks_record_of(struct mask_search *s, const struct node *object)
{
    if (is_this(s, object))
        return class_around(s, object->token);
    const struct type *type = type_of(s->model, object);
    while (type && (type->kind == TYPE_ARRAY || type->kind == TYPE_POINTER))
        type = type->element;
    return type && type->kind == TYPE_RECORD ? type->name : NULL;
}

/* The declaration of the member NODE, or NULL where the file does not show it. */
static const struct mask_member *member_of(struct mask_search *s, const struct node *node)
{
    const struct symbol *record = masks_record_of(s, node->kids);
    return record ? find_member(s, record, tree_symbol(s->unit, node)) : NULL;
}

size_t masks_member_place(struct mask_search *s, const struct symbol *record,
                          const struct symbol *name)
{
    const struct mask_member *member = record && name ? find_member(s, record, name) : NULL;
    if (!member)
        return SIZE_MAX;
    struct name_meaning meaning = model_lookup(s->model, name, member->token);
    return meaning.kind == NAME_VARIABLE && meaning.token == member->token && meaning.declaration
               ? masks_declared_place(s, &meaning)
               : SIZE_MAX;
}

static size_t member_place(struct mask_search *s, const struct node *node)
{
    const struct symbol *name = tree_symbol(s->unit, node);
    bool pointed = false;
    struct mask_place place = {.kind = MASK_MEMBER,
                               .token = node->token,
                               .function = s->function,
                               .bits = masks_bits_of(type_of(s->model, node), &pointed)};
    if (name && is_this(s, node->kids))
        return masks_member_place(s, class_around(s, node->token), name);
    if (!name || !place.bits)
        return SIZE_MAX;
    const struct mask_member *member = member_of(s, node);
    place.begin = member ? member->begin : NO_TOKEN;
    if (member)
        place.token = member->token;
    return find_place(s, member ? member->token : UINT64_C(1) << 63 | (uintptr_t)name, &place);
}

size_t masks_place_of(struct mask_search *s, const struct node *node)
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
    return masks_declared_place(s, &meaning);
}

/* The bits of the integer type that the words of RANGE name; 0: none. */
static unsigned bits_of_words(const struct mask_search *s, struct range range, bool *automatic)
{
    unsigned res = 0;
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct symbol *word = unit_token(s->unit, i)->symbol;
        if (!word)
            continue;
        if (!strcmp(word->text, "unsigned") || !strcmp(word->text, "int") ||
            !strcmp(word->text, "uint32_t") || !strcmp(word->text, "int32_t") ||
            !strcmp(word->text, "uint"))
            res = res ? res : 32;
        else if (!strcmp(word->text, "long") || !strcmp(word->text, "uint64_t") ||
                 !strcmp(word->text, "int64_t"))
            res = 64;
        else if (!strcmp(word->text, "auto"))
            *automatic = true;
    }
    return res;
}

const struct type *masks_result_type(struct mask_search *s, size_t function)
{
    uint32_t token = s->unit->functions.items[function].name - 1;
    const struct node *type = unit_kind(s->unit, token) == TOK_IDENT
                                  ? tree_type(&s->model->trees, (struct range){token, token + 1})
                                  : NULL;
    return type ? type_of_declaration(s->model, type, NULL) : NULL;
}

size_t masks_lambda_place(struct mask_search *s, const struct node *lambda)
{
    struct mask_place place = {.kind = MASK_RESULT,
                               .token = lambda->tokens.begin,
                               .function = NO_INDEX,
                               .automatic = true};
    uint32_t body = lambda->kids ? lambda->kids->tokens.begin : lambda->tokens.begin;
    uint32_t at = body;
    while (lambda->tokens.begin < at && unit_kind(s->unit, at) != TOK_ARROW &&
           unit_kind(s->unit, at) != TOK_RPAREN)
        --at;
    if (unit_kind(s->unit, at) == TOK_ARROW) {
        place.automatic = false;
        place.begin = at + 1;
        place.token = body - 1;
        place.bits = bits_of_words(s, (struct range){at, body}, &place.automatic);
    }
    return find_place(s, lambda->tokens.begin, &place);
}

size_t masks_result_place(struct mask_search *s, size_t function)
{
    const struct function *fn = &s->unit->functions.items[function];
    size_t known = known_place(s, fn->name);
    if (known != SIZE_MAX)
        return known;
    struct mask_place place = {.kind = MASK_RESULT, .token = fn->name, .function = function};
    place.bits = bits_of_words(s, (struct range){fn->head.begin, fn->name}, &place.automatic);
    bool pointed = false;
    place.automatic |= is_parameter_type(s, fn->name - 1);
    if (!place.bits && !place.automatic)
        place.bits = masks_bits_of(masks_result_type(s, function), &pointed);
    if (unit_kind(s->unit, fn->name - 1) == TOK_STAR || unit_kind(s->unit, fn->name - 1) == TOK_AMP)
        place.bits = 0;
    return find_place(s, fn->name, &place);
}

/* Functions by name. */

void masks_add_function(struct mask_search *s, size_t function)
{
    const struct symbol *name =
        unit_token(s->unit, s->unit->functions.items[function].name)->symbol;
    struct mask_named *first, *named;
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

const struct mask_named *masks_functions_named(const struct mask_search *s,
                                               const struct symbol *name)
{
    struct mask_named *res = NULL;
    if (name)
        HASH_FIND(hh, s->functions, &name, sizeof(struct symbol *), res);
    return res;
}

/* Whether the function F is a method of the class RECORD. */
static bool is_method_of(const struct mask_search *s, const struct mask_named *f,
                         const struct symbol *record)
{
    uint32_t scope = s->unit->functions.items[f->function].scope;
    const struct scope *around = scope == NO_INDEX ? NULL : &s->unit->scopes.items[scope];
    return around && around->kind == SCOPE_CLASS && around->name == record;
}

const struct mask_named *masks_functions_called(struct mask_search *s, const struct node *call)
{
    const struct node *callee = call->kids;
    if (callee->kind == NODE_NAME)
        return masks_functions_named(s, tree_symbol(s->unit, callee));
    if (callee->kind != NODE_MEMBER)
        return NULL;
    const struct mask_named *res = masks_functions_named(s, tree_symbol(s->unit, callee));
    const struct symbol *record = res ? masks_record_of(s, callee->kids) : NULL;
    for (const struct mask_named *f = res; f; f = f->others)
        if (!record || !is_method_of(s, f, record))
            return NULL; /* others of the name are somebody else's */
    return res;
}

size_t masks_lambda_called(struct mask_search *s, const struct node *call)
{
    const struct symbol *name =
        call->kids->kind == NODE_NAME ? tree_symbol(s->unit, call->kids) : NULL;
    if (!name)
        return SIZE_MAX;
    struct name_meaning meaning = model_lookup(s->model, name, call->kids->token);
    if (meaning.kind != NAME_LOCAL || !meaning.declarator)
        return SIZE_MAX;
    tree_each (kid, meaning.declarator)
        if (kid->kind == NODE_INITIALIZER && kid->kids && kid->kids->kind == NODE_LAMBDA)
            return masks_lambda_place(s, kid->kids);
    return SIZE_MAX;
}
