/* Which names are the user's own although an API has them too.

   Only names that the map knows matter, so only they are looked at. A declaration is told from
   a use by its neighbours, as C++ would read them where the file shows enough; where it does
   not, the name is the API's. A global declaration without a body repeats the API's own and is
   the API's; one with a body replaces it and is the user's.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

/* A name declared more often than this in one file is the user's everywhere: keeps the look-up
   linear. */
enum { MAX_DECLARATIONS = 64 };

static void declare(struct transform *tr, uint32_t index, uint32_t scope, struct range extent)
{
    struct symbol *symbol = unit_token(tr->unit, index)->symbol;
    const struct scope *scopes = tr->unit->scopes.items;
    /* What an anonymous namespace or an enum declares is visible around it. */
    if (scope != NO_INDEX)
        scope = scopes[scope].home;
    struct user_name *name = arena_alloc(tr->arena, sizeof *name);
    *name = (struct user_name){
        .next = symbol->user,
        .count = symbol->user ? symbol->user->count + 1 : 1,
        .token = index,
        .scope = scope,
        .extent = extent,
    };
    symbol->user = name;
}

/* The function whose head holds token INDEX, or NULL. */
static const struct function *function_of_head(const struct unit *unit, uint32_t index)
{
    uint32_t at = unit_function_before(unit, index);
    if (at == NO_INDEX)
        return NULL;
    const struct function *res = &unit->functions.items[at];
    return index < res->head.end ? res : NULL;
}

bool names_is_head(const struct unit *unit, uint32_t index)
{
    const struct function *fn = function_of_head(unit, index);
    return fn && fn->name == index;
}

/* A word in capitals before a name is more often a macro than a type. */
static bool looks_like_macro(const struct symbol *symbol)
{
    for (const char *at = symbol->text; *at; ++at)
        if ('a' <= *at && *at <= 'z')
            return false;
    return true;
}

/* Steps back over a qualified name, with template arguments, that ends at INDEX; to what stands
   before it, NO_TOKEN at the start of the file. */
static uint32_t before_name(const struct unit *unit, uint32_t index)
{
    for (;;) {
        if ((unit_kind(unit, index) == TOK_GREATER || unit_kind(unit, index) == TOK_SHIFT_RIGHT) &&
            unit_partner(unit, index) != NO_TOKEN && unit_partner(unit, index) < index)
            index = unit_prev(unit, unit_partner(unit, index));
        enum token_kind kind = unit_kind(unit, index);
        if (kind != TOK_IDENT && kind != TOK_TYPE)
            return index;
        index = unit_prev(unit, index);
        if (kind == TOK_TYPE && unit_kind(unit, index) == TOK_TYPE)
            continue;
        if (unit_kind(unit, index) != TOK_COLON_COLON)
            return index;
        index = unit_prev(unit, index);
    }
}

/* Whether a declaration can begin behind the token at INDEX. */
static bool begins_declaration(enum token_kind kind)
{
    switch (kind) {
    case TOK_EOF:
    case TOK_SEMICOLON:
    case TOK_LBRACE:
    case TOK_RBRACE:
    case TOK_COMMA:
    case TOK_LPAREN:
    case TOK_COLON:
    case TOK_SPECIFIER:
    case TOK_TYPEDEF:
    case TOK_EXTERN:
    case TOK_STRING: /* extern "C" */
    case TOK_CLASS:
    case TOK_ENUM:
    case TOK_TYPENAME:
    case TOK_FRIEND:
    case TOK_GREATER: /* template <...> */
    case TOK_HOST:
    case TOK_DEVICE:
    case TOK_SHARED:
    case TOK_CONSTANT:
    case TOK_MANAGED:
    case TOK_FORCEINLINE:
        return true;
    default:
        return false;
    }
}

/* Whether the * or & at INDEX belongs to a declarator, T *name, rather than to an expression: then
   a declaration begins with T. */
static bool is_declaration_start(const struct unit *unit, uint32_t index)
{
    while (unit_kind(unit, index) == TOK_STAR || unit_kind(unit, index) == TOK_AMP ||
           unit_kind(unit, index) == TOK_AND_AND || unit_kind(unit, index) == TOK_SPECIFIER)
        index = unit_prev(unit, index);
    enum token_kind kind = unit_kind(unit, index);
    if (kind != TOK_IDENT && kind != TOK_TYPE && kind != TOK_GREATER && kind != TOK_SHIFT_RIGHT)
        return false;
    return begins_declaration(unit_kind(unit, before_name(unit, index)));
}

/* T a, NAME: whether the comma at INDEX separates declarators, seen from where the statement
   begins. */
static bool is_declarator_list(const struct unit *unit, uint32_t index)
{
    uint32_t at = index, first = NO_TOKEN;
    for (int steps = 0; at != NO_TOKEN && steps < 200; ++steps) {
        const struct token *token = unit_token(unit, at);
        /* Inside template arguments or an index nothing is declared. */
        if ((token->kind == TOK_LESS || token->kind == TOK_LBRACKET) &&
            token->partner != NO_TOKEN && index < token->partner)
            return false;
        if (token->kind == TOK_SEMICOLON || token->kind == TOK_LBRACE ||
            (token->kind == TOK_RBRACE && token->partner == NO_TOKEN) ||
            token->kind == TOK_ACCESS || token->kind == TOK_LPAREN)
            break;
        if (token->partner != NO_TOKEN && token->partner < at) {
            if (token->kind == TOK_RBRACE) {
                /* the end of a function or class; an initialiser's brace has a = or name before it
                 */
                enum token_kind before = unit_kind(unit, unit_prev(unit, token->partner));
                if (before != TOK_ASSIGN && before != TOK_IDENT)
                    break;
            }
            at = token->partner;
        }
        first = at;
        at = unit_prev(unit, at);
    }
    if (first == NO_TOKEN || (at != NO_TOKEN && unit_kind(unit, at) == TOK_LPAREN))
        return false;
    while (unit_kind(unit, first) == TOK_SPECIFIER || unit_kind(unit, first) == TOK_TYPEDEF ||
           unit_kind(unit, first) == TOK_EXTERN)
        first = unit_next(unit, first);
    if (unit_kind(unit, first) == TOK_TYPE)
        return true;
    if (unit_kind(unit, first) == TOK_CLASS)
        first = unit_next(unit, first);
    if (unit_kind(unit, first) != TOK_IDENT)
        return false;
    /* Behind the type's name comes a declarator. */
    uint32_t next = unit_next(unit, first);
    while (unit_kind(unit, next) == TOK_COLON_COLON)
        next = unit_next(unit, unit_next(unit, next));
    if (unit_kind(unit, next) == TOK_LESS && unit_partner(unit, next) != NO_TOKEN)
        next = unit_next(unit, unit_partner(unit, next));
    while (unit_kind(unit, next) == TOK_STAR || unit_kind(unit, next) == TOK_AMP ||
           unit_kind(unit, next) == TOK_SPECIFIER)
        next = unit_next(unit, next);
    return unit_kind(unit, next) == TOK_IDENT;
}

/* Whether the token at INDEX, which stands before a name, can be the end of a type. */
static bool ends_type(const struct unit *unit, uint32_t index, bool in_function)
{
    const struct token *token = unit_token(unit, index);
    switch (token->kind) {
    case TOK_TYPE:
        return true;
    case TOK_IDENT:
        return !(in_function && looks_like_macro(token->symbol));
    case TOK_GREATER:
    case TOK_SHIFT_RIGHT:
        return token->partner != NO_TOKEN;
    case TOK_STAR:
    case TOK_AMP:
    case TOK_AND_AND:
        return !in_function ? is_declaration_start(unit, index)
                            : unit_kind(unit, unit_prev(unit, index)) == TOK_TYPE;
    default:
        return false;
    }
}

/* Whether token INDEX lies in the argument list of a call, where nothing is declared. Looks back
   only so far, which keeps damaged text linear. */
static bool in_arguments(const struct unit *unit, uint32_t index)
{
    uint32_t at = unit_prev(unit, index);
    for (int steps = 0; at != NO_TOKEN && steps < 200; ++steps, at = unit_prev(unit, at)) {
        const struct token *token = unit_token(unit, at);
        switch (token->kind) {
        case TOK_RPAREN:
        case TOK_RBRACKET:
        case TOK_RBRACE:
            if (token->partner == NO_TOKEN || at < token->partner)
                return false;
            at = token->partner;
            break;
        case TOK_LPAREN: {
            uint32_t callee = unit_prev(unit, at);
            return callee != NO_TOKEN && unit_token(unit, callee)->kind == TOK_IDENT;
        }
        case TOK_LBRACE:
        case TOK_SEMICOLON:
            return false;
        default:
            break;
        }
    }
    return false;
}

/* Whether the API's name at INDEX, in SCOPE, is a type or enumerator at the top of the file and in
   a branch of a conditional. */
static bool is_stand_in(const struct unit *unit, uint32_t index, uint32_t scope)
{
    const struct api *api = unit_token(unit, index)->symbol->api;
    if (api->kind != API_TYPE && api->kind != API_ENUMERATOR && api->kind != API_DEVICE_TYPE)
        return false;
    uint32_t branch = unit_branch_at(unit, index);
    if (branch == NO_INDEX || unit->directives.items[branch].guard)
        return false;
    if (scope == NO_INDEX)
        return true;
    /* The head of a class, and all of an enum, lie in what is their own scope. */
    const struct scope *own = &unit->scopes.items[scope];
    return own->parent == NO_INDEX &&
           (own->kind == SCOPE_ENUM || (own->kind == SCOPE_CLASS && index < own->open));
}

/* Whether the declaration that names INDEX begins with typedef. */
static bool is_typedef(const struct unit *unit, uint32_t index)
{
    for (int steps = 0; index != NO_TOKEN && steps < 50; ++steps, index = unit_prev(unit, index)) {
        enum token_kind kind = unit_kind(unit, index);
        if (kind == TOK_TYPEDEF)
            return true;
        if (kind == TOK_SEMICOLON || kind == TOK_LBRACE || kind == TOK_RBRACE)
            return false;
    }
    return false;
}

/* Whether FN, which has the API's name of TOKEN, is one more form of the API's function rather than
   one in its place: a template where HIP has the function, or an overload (for a type of its own)
   of a name that is reserved to compilers and becomes an expression. */
static bool adds_form(const struct function *fn, const struct token *token)
{
    const struct api *api = token->symbol->api;
    bool written =
        api->change_count && api->changes->op_count && api->changes->ops->kind == ARG_WRITE;
    if (!api->hip)
        return written && !strncmp(token->symbol->text, "__", 2);
    return fn->flags & FUNCTION_TEMPLATE;
}

static void examine(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    const struct token *token = unit_token(unit, index);
    uint32_t prev = unit_prev(unit, index), next = unit_next(unit, index);
    enum token_kind before = unit_kind(unit, prev), after = unit_kind(unit, next);
    uint32_t scope = unit_scope_at(unit, index);
    enum scope_kind kind = scope == NO_INDEX ? SCOPE_NAMESPACE : unit->scopes.items[scope].kind;
    const struct range none = {0, 0};
    /* A type at the top of the file, in one branch only, stands in for the API's where there is no
       CUDA: it is translated with its uses, in this file and in the others. */
    bool stand_in = is_stand_in(unit, index, scope);

    /* class X {, namespace X {: the name is part of the head, so the scope is its own. */
    if ((before == TOK_CLASS || before == TOK_ENUM || before == TOK_NAMESPACE) &&
        (after == TOK_LBRACE || after == TOK_COLON ||
         (before == TOK_NAMESPACE && after == TOK_ASSIGN))) {
        if (!stand_in || before == TOK_NAMESPACE)
            declare(tr, index, scope == NO_INDEX ? NO_INDEX : unit->scopes.items[scope].parent,
                    none);
        return;
    }
    if (kind == SCOPE_ENUM && unit->scopes.items[scope].open < index) {
        if ((before == TOK_LBRACE || before == TOK_COMMA) &&
            (after == TOK_COMMA || after == TOK_ASSIGN || after == TOK_RBRACE) && !stand_in)
            declare(tr, index, scope, none);
        return;
    }
    if ((before == TOK_USING && after == TOK_ASSIGN) ||
        (before == TOK_RBRACE && after == TOK_SEMICOLON && kind != SCOPE_FUNCTION)) {
        if (!stand_in)
            declare(tr, index, scope, none);
        return;
    }
    /* T (*NAME)(...) */
    if (before == TOK_STAR && after == TOK_RPAREN) {
        uint32_t open = unit_partner(unit, next);
        enum token_kind left = open == NO_TOKEN ? TOK_EOF : unit_kind(unit, unit_prev(unit, open));
        bool calls = unit_kind(unit, unit_next(unit, next)) == TOK_LPAREN;
        bool inside = open != NO_TOKEN && (unit_prev(unit, prev) == open ||
                                           unit_kind(unit, unit_prev(unit, prev)) == TOK_IDENT);
        if (calls && inside && (left == TOK_IDENT || left == TOK_TYPE || left == TOK_STAR)) {
            declare(tr, index, scope, none);
            return;
        }
    }
    uint32_t comma = prev;
    while (unit_kind(unit, comma) == TOK_STAR || unit_kind(unit, comma) == TOK_AMP)
        comma = unit_prev(unit, comma);
    if (unit_kind(unit, comma) == TOK_COMMA &&
        (after == TOK_COMMA || after == TOK_SEMICOLON || after == TOK_ASSIGN ||
         after == TOK_LBRACKET || after == TOK_COLON) &&
        is_declarator_list(unit, comma)) {
        declare(tr, index, scope, none);
        return;
    }
    /* using a::b::NAME; */
    if (before == TOK_COLON_COLON && after == TOK_SEMICOLON) {
        uint32_t left = unit_prev(unit, prev);
        if (unit_kind(unit, left) == TOK_USING && scope != NO_INDEX &&
            unit->scopes.items[scope].name) {
            /* using ::NAME; what the namespace has is the API's */
            unit->scopes.items[scope].name->flags |= SYMBOL_IMPORTS;
        } else if (unit_kind(unit, left) == TOK_IDENT &&
                   unit_kind(unit, before_name(unit, left)) == TOK_USING) {
            const struct symbol *space = unit_token(unit, left)->symbol;
            if (!space->api && !(space->flags & SYMBOL_IMPORTS))
                declare(tr, index, scope, none);
        }
        return;
    }
    bool declarator = after == TOK_LPAREN || after == TOK_ASSIGN || after == TOK_SEMICOLON ||
                      after == TOK_COMMA || after == TOK_LBRACKET || after == TOK_LBRACE ||
                      after == TOK_RPAREN || after == TOK_COLON;
    const struct function *fn = function_of_head(unit, index);
    bool in_body = kind == SCOPE_FUNCTION && unit->scopes.items[scope].open < index;
    if (prev == NO_TOKEN || !declarator || !ends_type(unit, prev, in_body))
        return;
    if (fn && fn->params.begin <= index && index < fn->params.end) {
        uint32_t end = fn->body.begin < fn->body.end ? fn->body.end : fn->head.end;
        declare(tr, index, NO_INDEX, (struct range){fn->head.begin, end});
        return;
    }
    if (fn && fn->name == index) {
        /* At the top, what has no body repeats the API's own, and a template adds a form to it. */
        bool global = fn->scope == NO_INDEX;
        if (global && (fn->body.begin >= fn->body.end || adds_form(fn, token)))
            return;
        declare(tr, index, fn->scope, none);
        return;
    }
    if (after == TOK_RPAREN || in_arguments(unit, index))
        return;
    if (stand_in && is_typedef(unit, index))
        return;
    /* x = f(T name(...)): inside an expression nothing is declared. */
    if (after == TOK_LPAREN && in_body && before == TOK_IDENT) {
        uint32_t first = unit_prev(unit, prev);
        enum token_kind start = unit_kind(unit, first);
        if (start != TOK_SEMICOLON && start != TOK_LBRACE && start != TOK_RBRACE &&
            start != TOK_SPECIFIER)
            return;
    }
    declare(tr, index, scope, none);
}

/* using namespace NAME; */
static void note_using(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    uint32_t at = unit_next(unit, index);
    if (unit_kind(unit, at) != TOK_NAMESPACE)
        return;
    struct symbol *last = NULL;
    for (at = unit_next(unit, at);
         unit_kind(unit, at) == TOK_IDENT || unit_kind(unit, at) == TOK_COLON_COLON;
         at = unit_next(unit, at))
        if (unit_kind(unit, at) == TOK_IDENT)
            last = unit_token(unit, at)->symbol;
    if (last)
        last->flags |= SYMBOL_NAMESPACE_USED;
}

/* Behind `= value` at INDEX, at the comma or semicolon that ends it. */
static uint32_t skip_initialiser(const struct unit *unit, uint32_t index, int *budget)
{
    if (unit_token(unit, index)->kind != TOK_ASSIGN)
        return index;
    while (0 < (*budget)--) {
        const struct token *token = unit_token(unit, index);
        switch (token->kind) {
        case TOK_COMMA:
        case TOK_SEMICOLON:
        case TOK_RPAREN:
        case TOK_RBRACE:
        case TOK_EOF:
            return index;
        case TOK_LPAREN:
        case TOK_LBRACE:
        case TOK_LBRACKET:
        case TOK_LESS:
            if (token->partner != NO_TOKEN && index < token->partner)
                index = token->partner;
            break;
        default:
            break;
        }
        index = unit_next(unit, index);
    }
    return index;
}

void names_note_type(const struct unit *unit, uint32_t index, const struct api *type)
{
    /* The limits keep damaged text linear: so many declarators, and so much of their initialisers.
     */
    int steps = 0, budget = 200;
    for (uint32_t at = unit_next(unit, index); steps < 200; at = unit_next(unit, at), ++steps) {
        const struct token *token = unit_token(unit, at);
        switch (token->kind) {
        case TOK_STAR:
        case TOK_AMP:
        case TOK_GREATER:
        case TOK_SHIFT_RIGHT:
        case TOK_SPECIFIER:
            continue;
        case TOK_IDENT:
            token->symbol->type = type;
            at = skip_initialiser(unit, unit_next(unit, at), &budget);
            /* a, b; but not the next parameter's type, which has a name of its own behind it */
            if (unit_token(unit, at)->kind == TOK_COMMA) {
                uint32_t behind = unit_next(unit, unit_next(unit, at));
                enum token_kind kind = unit_token(unit, behind)->kind;
                if (kind == TOK_COMMA || kind == TOK_SEMICOLON || kind == TOK_LBRACKET ||
                    kind == TOK_ASSIGN)
                    continue;
            }
            return;
        default:
            return;
        }
    }
}

bool names_is_switch(const struct unit *unit, const struct directive *d)
{
    const struct api *api = unit_token(unit, d->name)->symbol->api;
    uint32_t count = d->body.end - d->body.begin;
    /* The guard of the file itself is no switch. */
    if (unit->directives.items[0].guard && d == &unit->directives.items[1])
        return false;
    return api && api->kind == API_MACRO && !d->function_like &&
           (count == 0 || (count == 1 && unit_token(unit, d->body.begin)->kind == TOK_NUMBER));
}

/* The API's type that SYMBOL names, also where it is HIP's name already, as in a file translated
   before. */
static const struct api *type_of_name(const struct transform *tr, const struct symbol *symbol)
{
    if (symbol->api)
        return symbol->api->kind == API_TYPE || symbol->api->kind == API_DEVICE_TYPE ? symbol->api
                                                                                     : NULL;
    return *symbol->text != 'h' || strncmp(symbol->text, "hip", 3)
               ? NULL
               : map_condition_type(tr->options->map, symbol->text, symbol->len);
}

static inline void note_type_at(const struct transform *tr, uint32_t index)
{
    const struct symbol *symbol = unit_token(tr->unit, index)->symbol;
    const struct api *type = symbol ? type_of_name(tr, symbol) : NULL;
    if (type)
        names_note_type(tr->unit, index, type);
}

void names_note_types(struct transform *tr)
{
    for (uint32_t i = 0; i < tr->unit->tokens.list.count; ++i)
        note_type_at(tr, i);
}

void names_collect(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_DEFINE || d->name == NO_TOKEN)
            continue;
        if (names_is_switch(unit, d))
            unit_token(unit, d->name)->symbol->flags |= SYMBOL_SWITCHED;
        else if (unit_token(unit, d->name)->symbol->api)
            declare(tr, d->name, NO_INDEX, (struct range){0, 0});
        for (uint32_t i = d->params.begin; i < d->params.end; ++i)
            if (unit_token(unit, i)->kind == TOK_IDENT && unit_token(unit, i)->symbol->api)
                declare(tr, i, NO_INDEX, d->tokens);
    }
    vec_each (const uint32_t, at, &unit->tokens.landmarks) {
        uint32_t i = *at;
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_USING)
            note_using(tr, i);
        note_type_at(tr, i);
        /* Whichever vendor sees it: a source for both keeps such a name on both sides. */
        if (token->kind == TOK_IDENT && token->symbol->api && !(token->flags & TOKEN_DIRECTIVE))
            examine(tr, i);
    }
}

/* cudaArray *cudaArray; the first one, at INDEX, is the type of what DECLARED declares. */
static bool is_own_type(const struct unit *unit, uint32_t index, uint32_t declared)
{
    if (declared <= index || 16 < declared - index)
        return false;
    for (uint32_t i = index + 1; i < declared; ++i) {
        enum token_kind kind = unit_kind(unit, i);
        if (kind != TOK_STAR && kind != TOK_AMP && kind != TOK_SPECIFIER && kind != TOK_COMMA &&
            kind != TOK_IDENT)
            return false;
    }
    return true;
}

/* Whether what NAME declares is visible at token INDEX, which lies in the scope AT. */
static bool is_visible(const struct unit *unit, const struct user_name *name, uint32_t index,
                       uint32_t at)
{
    uint32_t scope = name->scope;
    if (scope == NO_INDEX)
        return !is_own_type(unit, index, name->token);
    const struct scope *scopes = unit->scopes.items, *declared = &scopes[scope];
    if (declared->kind == SCOPE_NAMESPACE && declared->name->flags & SYMBOL_NAMESPACE_USED)
        return true;
    /* A local name is known behind its declaration. */
    if (declared->kind == SCOPE_FUNCTION && index < name->token)
        return false;
    if (is_own_type(unit, index, name->token))
        return false;
    for (int steps = 0; at != NO_INDEX && steps < 100; at = scopes[at].parent, ++steps)
        if (at == scope || (declared->name && scopes[at].owner == declared->name) ||
            (scopes[at].kind == declared->kind && declared->kind != SCOPE_FUNCTION &&
             declared->name && scopes[at].name == declared->name))
            return true;
    return false;
}

static bool is_declared_at(const struct transform *tr, const struct symbol *symbol, uint32_t index,
                           bool global_only)
{
    if (!symbol->user)
        return false;
    if (MAX_DECLARATIONS < symbol->user->count)
        return true;
    uint32_t at = unit_scope_at(tr->unit, index);
    for (const struct user_name *name = symbol->user; name; name = name->next) {
        if (name->extent.begin < name->extent.end) {
            if (!global_only && name->extent.begin <= index && index < name->extent.end)
                return true;
        } else if (global_only ? name->scope == NO_INDEX : is_visible(tr->unit, name, index, at)) {
            return true;
        }
    }
    return false;
}

/* Whether the file declares SYMBOL in a namespace called SPACE. */
static bool is_declared_in(const struct transform *tr, const struct symbol *symbol,
                           const struct symbol *space)
{
    unsigned steps = 0;
    for (const struct user_name *name = symbol->user; name && steps++ < MAX_DECLARATIONS;
         name = name->next)
        if (name->scope != NO_INDEX && tr->unit->scopes.items[name->scope].name == space)
            return true;
    return false;
}

/* auto f() -> cudaError_t: a type behind an arrow that follows a parameter list. */
static bool is_trailing_return(const struct unit *unit, uint32_t arrow, const struct api *api)
{
    enum token_kind before = unit_kind(unit, unit_prev(unit, arrow));
    return (api->kind == API_TYPE || api->kind == API_DEVICE_TYPE) &&
           (before == TOK_RPAREN || before == TOK_SPECIFIER || before == TOK_NOEXCEPT);
}

bool names_is_user(const struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    const struct token *token = unit_token(unit, index);
    uint32_t prev = unit_prev(unit, index);
    switch (unit_kind(unit, prev)) {
    case TOK_ARROW:
        return !is_trailing_return(unit, prev, token->symbol->api);
    case TOK_DOT:
    case TOK_DOT_STAR:
    case TOK_ARROW_STAR:
        return true;
    case TOK_COLON_COLON: {
        uint32_t left = unit_prev(unit, prev);
        enum token_kind kind = unit_kind(unit, left);
        if (kind == TOK_IDENT) {
            const struct symbol *scope = unit_token(unit, left)->symbol;
            if (scope->flags & SYMBOL_IMPORTS)
                return is_declared_in(tr, token->symbol, scope);
            return !scope->api || is_declared_at(tr, scope, left, false);
        }
        if (kind == TOK_GREATER || kind == TOK_SHIFT_RIGHT || kind == TOK_DECLTYPE)
            return true;
        return is_declared_at(tr, token->symbol, index, true);
    }
    default:
        return is_declared_at(tr, token->symbol, index, false);
    }
}
