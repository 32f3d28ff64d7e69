/* Which names are device pointers, and where: CUdeviceptr p in one function says nothing about the
   p of the next, so declarations of other types count as much.

   A declaration is told from a use by the tokens around the name. What the file does not show, such
   as the members of a class of another file, is no device pointer.  */
#include <config.h>

#include "transform/pointer_p.h"

#include <string.h>

/* The limits keep damaged text linear; a name declared more often is nobody's. */
enum { MAX_DECLARATIONS = 64, LONGEST_TYPE = 50, LONGEST_LIST = 200, MOST_SCOPES = 2000 };

bool pointer_is_type(const struct unit *unit, uint32_t index)
{
    return unit_kind(unit, index) == TOK_IDENT &&
           unit_token(unit, index)->symbol->flags & SYMBOL_POINTER_TYPE;
}

/* The partner of the closing bracket at INDEX, or INDEX itself. */
static uint32_t opening_of(const struct unit *unit, uint32_t index)
{
    uint32_t partner = partner_of(unit, index);
    return partner != NO_TOKEN && partner < index ? partner : index;
}

/* Whether a declaration whose type begins behind INDEX can begin there: not inside an expression,
   where a * b multiplies. HEAD: inside the head of a function. */
static bool can_declare_behind(const struct unit *unit, uint32_t index, bool head)
{
    uint32_t before = token_before(unit, index);
    switch (unit_kind(unit, index)) {
    case TOK_EOF:
    case TOK_SEMICOLON:
    case TOK_LBRACE:
    case TOK_RBRACE:
    case TOK_EXTERN:
    case TOK_TYPEDEF:
    case TOK_GREATER: /* template <...> */
    case TOK_GLOBAL:
    case TOK_DEVICE:
    case TOK_HOST:
        return true;
    case TOK_COLON:
        return unit_kind(unit, before) == TOK_ACCESS;
    case TOK_COMMA:
        return head;
    case TOK_LPAREN: /* for (T *p; catch (T &p; [](T *p) */
        return head || unit_kind(unit, before) == TOK_STATEMENT ||
               unit_kind(unit, before) == TOK_RBRACKET;
    default:
        return false;
    }
}

/* What stands before the type whose last token is at INDEX; NO_TOKEN at the start of the file. */
static uint32_t before_type(const struct unit *unit, uint32_t index)
{
    for (int steps = 0; index != NO_TOKEN && steps < LONGEST_TYPE; ++steps) {
        enum token_kind kind = unit_kind(unit, index);
        if (kind == TOK_GREATER || kind == TOK_SHIFT_RIGHT)
            index = opening_of(unit, index);
        else if (kind != TOK_IDENT && kind != TOK_TYPE && kind != TOK_COLON_COLON &&
                 kind != TOK_SPECIFIER && kind != TOK_CLASS && kind != TOK_TYPENAME)
            return index;
        index = token_before(unit, index);
    }
    return index;
}

/* T a, b: the last token of T, seen from the comma at INDEX; NO_TOKEN where the comma separates
   something else. */
static uint32_t type_of_list(const struct unit *unit, uint32_t index)
{
    uint32_t at = token_before(unit, index), first = index;
    for (int steps = 0; at != NO_TOKEN && steps < LONGEST_LIST; ++steps) {
        enum token_kind kind = unit_kind(unit, at);
        /* The brace of an initialiser belongs to the list, that of a block does not. */
        uint32_t before = token_before(unit, opening_of(unit, at));
        bool block = kind == TOK_RBRACE && unit_kind(unit, before) != TOK_ASSIGN &&
                     unit_kind(unit, before) != TOK_IDENT;
        bool label = kind == TOK_COLON && unit_kind(unit, before) == TOK_ACCESS;
        if (kind == TOK_SEMICOLON || kind == TOK_LBRACE || label || block)
            break;
        if (kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LESS ||
            kind == TOK_STATEMENT) {
            uint32_t partner = partner_of(unit, at);
            bool loop = kind == TOK_LPAREN && unit_kind(unit, before) == TOK_STATEMENT;
            if (kind != TOK_LESS || (partner != NO_TOKEN && index < partner)) {
                if (!loop)
                    return NO_TOKEN;
                break;
            }
        }
        first = opening_of(unit, at);
        at = token_before(unit, first);
    }
    while (unit_kind(unit, first) == TOK_SPECIFIER || unit_kind(unit, first) == TOK_CLASS)
        first = token_behind(unit, first);
    uint32_t last = NO_TOKEN;
    for (int steps = 0; steps < LONGEST_TYPE; ++steps) {
        enum token_kind kind = unit_kind(unit, first),
                        next = unit_kind(unit, token_behind(unit, first));
        if (kind == TOK_TYPE || (kind == TOK_IDENT && last == NO_TOKEN) || kind == TOK_COLON_COLON)
            last = first;
        else if (kind == TOK_LESS && partner_of(unit, first) != NO_TOKEN)
            last = first = partner_of(unit, first);
        else if (kind == TOK_LBRACE && last != NO_TOKEN && partner_of(unit, first) != NO_TOKEN)
            first = partner_of(unit, first); /* of a class declared right there */
        else if (kind == TOK_IDENT && unit_kind(unit, last) == TOK_COLON_COLON)
            last = first;
        else
            return kind == TOK_IDENT || kind == TOK_STAR || kind == TOK_AMP ||
                           (kind == TOK_SPECIFIER && next == TOK_IDENT)
                       ? last
                       : NO_TOKEN;
        first = token_behind(unit, first);
    }
    return NO_TOKEN;
}

/* Whether the type that ends at INDEX is an integer wide enough for an address, or any other whose
   name tells. */
static bool is_integer(const struct unit *unit, uint32_t index)
{
    static const char *const names[] = {"size_t",  "uintptr_t", "intptr_t",  "ptrdiff_t",
                                        "int64_t", "uint64_t",  "cuuint64_t"};
    static const char *const others[] = {"auto", "void", "float", "double", "bool"};
    const struct token *token = unit_token(unit, index);
    if (!token->symbol)
        return false;
    if (token->kind == TOK_TYPE) {
        for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
            if (!strcmp(token->symbol->text, others[i]))
                return false;
        return true;
    }
    for (size_t i = 0; token->kind == TOK_IDENT && i < sizeof names / sizeof *names; ++i)
        if (!strcmp(token->symbol->text, names[i]))
            return true;
    return false;
}

/* The function in whose head or body INDEX lies; NULL outside. */
static const struct function *head_around(const struct unit *unit, uint32_t index)
{
    uint32_t at = unit_function_before(unit, index);
    const struct function *fn = at == NO_INDEX ? NULL : &unit->functions.items[at];
    return fn && index < fn->head.end ? fn : NULL;
}

/* Whether the name at INDEX is declared in a form that is no device pointer's: template <int NAME>,
   int (*NAME)[3] and int (*NAME)(). */
static bool names_other(const struct unit *unit, uint32_t index)
{
    uint32_t prev = token_before(unit, index), next = token_behind(unit, index);
    if (unit_kind(unit, prev) == TOK_TYPE && unit_kind(unit, next) == TOK_GREATER)
        return true;
    uint32_t open = token_before(unit, prev);
    enum token_kind behind = unit_kind(unit, token_behind(unit, next));
    return unit_kind(unit, prev) == TOK_STAR && unit_kind(unit, open) == TOK_LPAREN &&
           partner_of(unit, open) == next && (behind == TOK_LBRACKET || behind == TOK_LPAREN) &&
           unit_kind(unit, token_before(unit, open)) == TOK_TYPE;
}

/* What the file declares the name at INDEX with; false where that is no declaration. */
static bool find_declared(const struct unit *unit, uint32_t index, bool in_body,
                          struct pointer_name *res)
{
    uint32_t next = token_behind(unit, index), type = token_before(unit, index);
    enum token_kind after = unit_kind(unit, next);
    if (names_other(unit, index)) {
        *res = (struct pointer_name){.token = index, .type = NO_TOKEN, .shape = POINTER_OTHER};
        return true;
    }
    if (after != TOK_SEMICOLON && after != TOK_ASSIGN && after != TOK_COMMA &&
        after != TOK_RPAREN && after != TOK_LBRACKET && after != TOK_LBRACE &&
        after != TOK_LPAREN && after != TOK_COLON)
        return false;
    int stars = 0;
    bool marked = false; /* by a * or & */
    for (int steps = 0; steps < LONGEST_TYPE; ++steps, type = token_before(unit, type)) {
        enum token_kind kind = unit_kind(unit, type);
        stars += kind == TOK_STAR;
        if (kind == TOK_STAR || kind == TOK_AMP || kind == TOK_AND_AND)
            marked = true;
        else if (kind != TOK_SPECIFIER)
            break;
    }
    if (type == NO_TOKEN)
        return false;
    if (unit_kind(unit, type) == TOK_COMMA) {
        if (after == TOK_LPAREN || after == TOK_RPAREN)
            return false;
        type = type_of_list(unit, type);
    } else {
        uint32_t start = before_type(unit, type);
        if (marked && !can_declare_behind(unit, start, head_around(unit, index)))
            return false;
    }
    enum token_kind kind = unit_kind(unit, type);
    bool container = kind == TOK_GREATER || kind == TOK_SHIFT_RIGHT;
    if (type == NO_TOKEN || (kind != TOK_IDENT && kind != TOK_TYPE && !container) ||
        (container && opening_of(unit, type) == type))
        return false;
    uint32_t inner = container ? token_before(unit, type) : type;
    *res = (struct pointer_name){.token = index, .type = type, .shape = POINTER_OTHER};
    if (pointer_is_type(unit, inner)) {
        bool elements = container || stars || after == TOK_LBRACKET;
        if (container + stars + (after == TOK_LBRACKET) <= 1)
            res->shape = elements                          ? POINTER_ELEMENTS
                         : after == TOK_LPAREN && !in_body ? POINTER_FUNCTION
                                                           : POINTER_VALUE;
    } else if (!container && !stars && after != TOK_LBRACKET && is_integer(unit, type)) {
        res->shape = POINTER_INTEGER;
    }
    return true;
}

/* The token at which what the bracket at OPEN encloses is no longer visible: behind a function's
   parameters comes its body, behind for (...) a statement. A parameter of a template stands for the
   bracket itself. */
static uint32_t visible_end(const struct unit *unit, uint32_t open)
{
    uint32_t at = partner_of(unit, open);
    if (unit_kind(unit, open) == TOK_LBRACE)
        return at;
    if (unit_kind(unit, open) != TOK_LPAREN)
        at = open;
    for (int steps = 0; steps < LONGEST_LIST; ++steps) {
        at = token_behind(unit, at);
        uint32_t partner = partner_of(unit, at);
        enum token_kind kind = unit_kind(unit, at);
        bool opens = partner != NO_TOKEN && at < partner;
        if (kind == TOK_LBRACE && opens)
            return partner;
        if (kind == TOK_SEMICOLON || kind == TOK_EOF)
            return at;
        if (opens)
            at = partner;
    }
    return at;
}

/* Notes DECLARED, whose innermost bracket is at OPEN (NO_TOKEN: none). */
static void note(struct transform *tr, const struct pointer_name *declared, uint32_t open)
{
    const struct unit *unit = tr->unit;
    struct symbol *symbol = unit_token(unit, declared->token)->symbol;
    uint32_t scope = unit_scope_at(unit, declared->token);
    /* The head of a function with a body lies in that function's scope. */
    while (scope != NO_INDEX && unit->scopes.items[scope].open != open)
        scope = unit->scopes.items[scope].parent;
    const struct scope *around = scope == NO_INDEX ? NULL : &unit->scopes.items[scope];
    struct pointer_name *name = arena_alloc(tr->arena, sizeof *name);
    *name = *declared;
    name->next = symbol->pointers;
    name->count = symbol->pointers ? symbol->pointers->count + 1 : 1;
    name->end = open == NO_TOKEN ? (uint32_t)unit->tokens.list.count : visible_end(unit, open);
    name->class_scope = around && around->kind == SCOPE_CLASS ? scope : NO_INDEX;
    name->global = open == NO_TOKEN || (around && around->kind == SCOPE_NAMESPACE);
    symbol->pointers = name;
}

/* typedef CUdeviceptr NAME; using NAME = CUdeviceptr; with the type at INDEX. */
static void note_alias(const struct unit *unit, uint32_t index)
{
    uint32_t next = token_behind(unit, index), prev = token_before(unit, index);
    while (unit_kind(unit, prev) == TOK_SPECIFIER)
        prev = token_before(unit, prev);
    if (unit_kind(unit, prev) == TOK_TYPEDEF && unit_kind(unit, next) == TOK_IDENT &&
        unit_kind(unit, token_behind(unit, next)) == TOK_SEMICOLON)
        unit_token(unit, next)->symbol->flags |= SYMBOL_POINTER_TYPE;
    uint32_t name = token_before(unit, prev);
    if (unit_kind(unit, prev) == TOK_ASSIGN && unit_kind(unit, next) == TOK_SEMICOLON &&
        unit_kind(unit, name) == TOK_IDENT &&
        unit_kind(unit, token_before(unit, name)) == TOK_USING)
        unit_token(unit, name)->symbol->flags |= SYMBOL_POINTER_TYPE;
}

void pointer_names_collect(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    if (tr->pointers_noted)
        return;
    tr->pointers_noted = true;
    struct symbol *type = symbol_find(unit->symbols, "CUdeviceptr");
    if (type && type->api && !type->user)
        type->flags |= SYMBOL_POINTER_TYPE;
    VEC(uint32_t) open = {0};
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        while (open.count && partner_of(unit, open.items[open.count - 1]) <= i)
            open.count--;
        if ((token->kind == TOK_LPAREN || token->kind == TOK_LBRACE) &&
            token->partner != NO_TOKEN && i < token->partner) {
            *vec_push(&open) = i;
            continue;
        }
        if (token->kind != TOK_IDENT || !token_is_code(token))
            continue;
        if (pointer_is_type(unit, i))
            note_alias(unit, i);
        uint32_t around = open.count ? open.items[open.count - 1] : NO_TOKEN;
        bool in_body = side_function(unit, i) != NULL;
        struct pointer_name declared;
        if (find_declared(unit, i, in_body, &declared))
            note(tr, &declared, unit_kind(unit, token_behind(unit, i)) == TOK_GREATER ? i : around);
    }
    vec_release(&open);
}

bool pointer_is_declared(const struct unit *unit, uint32_t index)
{
    int steps = 0;
    const struct pointer_name *name = unit_token(unit, index)->symbol->pointers;
    for (; name && steps < MAX_DECLARATIONS; name = name->next, ++steps)
        if (name->token == index)
            return true;
    return false;
}

/* What the members of the name have in common, of the class OWNER or (NULL) of any. */
static enum pointer_shape shape_of_members(const struct unit *unit, const struct pointer_name *name,
                                           const struct symbol *owner)
{
    enum pointer_shape res = POINTER_OTHER;
    bool found = false;
    for (; name; name = name->next) {
        if (name->class_scope == NO_INDEX ||
            (owner && unit->scopes.items[name->class_scope].name != owner))
            continue;
        if (found && name->shape != res)
            return POINTER_OTHER;
        res = name->shape;
        found = true;
    }
    return res;
}

/* Whether the function around token INDEX is a member defined outside of its class. */
static bool in_member_function(const struct unit *unit, uint32_t index)
{
    uint32_t scope = unit_scope_at(unit, index);
    for (int steps = 0; scope != NO_INDEX && steps < LONGEST_TYPE; ++steps) {
        if (unit->scopes.items[scope].owner)
            return true;
        scope = unit->scopes.items[scope].parent;
    }
    return false;
}

/* The declaration of the name at INDEX that is the nearest there, members of other classes left
   out; NULL for none. */
static const struct pointer_name *find_name(const struct unit *unit, uint32_t index)
{
    const struct pointer_name *of_class = NULL, *global = NULL;
    const struct pointer_name *n = unit_token(unit, index)->symbol->pointers;
    if (n && MAX_DECLARATIONS < n->count)
        return NULL;
    for (; n; n = n->next) {
        if (n->class_scope != NO_INDEX) {
            const struct scope *scope = &unit->scopes.items[n->class_scope];
            if (!of_class && scope->tokens.begin <= index && index < scope->tokens.end)
                of_class = n;
        } else if (n->token <= index && index < n->end) {
            if (!n->global)
                return n;
            global = global ? global : n;
        }
    }
    return of_class ? of_class : global;
}

uint32_t pointer_declared_type(const struct unit *unit, uint32_t index)
{
    const struct pointer_name *name = unit_is_member(unit, index) ? NULL : find_name(unit, index);
    return name ? name->type : NO_TOKEN;
}

/* The class of the object whose member is named at INDEX, where the file declares both; or NULL. */
static const struct symbol *class_of_object(const struct unit *unit, uint32_t index)
{
    uint32_t object = token_before(unit, token_before(unit, index));
    if (unit_kind(unit, object) == TOK_RBRACKET && opening_of(unit, object) != object)
        object = token_before(unit, opening_of(unit, object));
    if (unit_kind(unit, object) != TOK_IDENT || unit_is_member(unit, object))
        return NULL;
    const struct pointer_name *name = find_name(unit, object);
    if (!name || unit_kind(unit, name->type) != TOK_IDENT)
        return NULL;
    const struct symbol *type = unit_token(unit, name->type)->symbol;
    if (MOST_SCOPES < unit->scopes.count)
        return NULL;
    vec_each (const struct scope, scope, &unit->scopes)
        if (scope->kind == SCOPE_CLASS && scope->name == type)
            return type;
    return NULL;
}

enum pointer_shape pointer_shape_at(const struct unit *unit, uint32_t index)
{
    const struct pointer_name *names = unit_token(unit, index)->symbol->pointers;
    if (!names || MAX_DECLARATIONS < names->count)
        return POINTER_OTHER;
    if (unit_is_member(unit, index)) {
        enum pointer_shape res = shape_of_members(unit, names, NULL);
        return res != POINTER_OTHER ? res
                                    : shape_of_members(unit, names, class_of_object(unit, index));
    }
    const struct pointer_name *name = find_name(unit, index);
    if ((!name || name->global) && in_member_function(unit, index)) {
        enum pointer_shape res = shape_of_members(unit, names, NULL);
        if (res != POINTER_OTHER)
            return res;
    }
    return name ? name->shape : POINTER_OTHER;
}
