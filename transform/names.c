/* Which names are the user's own although an API has them too.

   Only names that the map knows matter, so only they are looked at. A declaration is told from
   a use by its neighbours, as C++ would read them where the file shows enough; where it does
   not, the name is the API's. A global declaration without a body repeats the API's own and is
   the API's; one with a body replaces it and is the user's.  */
#include <config.h>

#include "transform/transform_p.h"

#include <ctype.h>
#include <string.h>

/* A name declared more often than this in one file is the user's everywhere: keeps the look-up
   linear. */
enum { MAX_DECLARATIONS = 64 };

static enum token_kind kind_at(const struct unit *unit, uint32_t index)
{
    return index == NO_TOKEN ? TOK_EOF : (enum token_kind)unit_token(unit, index)->kind;
}

static void declare(struct transform *tr, uint32_t index, uint32_t scope, struct range extent)
{
    struct symbol *symbol = unit_token(tr->unit, index)->symbol;
    const struct scope *scopes = tr->unit->scopes.items;
    /* What an anonymous namespace or an enum declares is visible around it. */
    while (scope != NO_INDEX && (scopes[scope].kind == SCOPE_ENUM ||
                                 (scopes[scope].kind == SCOPE_NAMESPACE && !scopes[scope].name)))
        scope = scopes[scope].parent;
    struct user_name *name = arena_alloc(tr->arena, sizeof *name);
    *name =
        (struct user_name){symbol->user, symbol->user ? symbol->user->count + 1 : 1, scope, extent};
    symbol->user = name;
}

/* The function whose head holds token INDEX, or NULL. */
static const struct function *function_of_head(const struct unit *unit, uint32_t index)
{
    size_t low = 0, high = unit->functions.count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (unit->functions.items[mid].head.begin <= index)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return NULL;
    const struct function *res = &unit->functions.items[low - 1];
    return index < res->head.end ? res : NULL;
}

/* A word in capitals before a name is more often a macro than a type. */
static bool looks_like_macro(const struct symbol *symbol)
{
    for (const char *at = symbol->text; *at; ++at)
        if (islower((unsigned char)*at))
            return false;
    return true;
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
    case TOK_AND_AND: {
        /* T* name, where a product makes no sense: outside function bodies. */
        uint32_t before = unit_prev(unit, index);
        enum token_kind kind = kind_at(unit, before);
        if (kind == TOK_TYPE)
            return true;
        return !in_function && (kind == TOK_IDENT || kind == TOK_STAR || kind == TOK_GREATER ||
                                kind == TOK_SPECIFIER);
    }
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

static void examine(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    uint32_t prev = unit_prev(unit, index), next = unit_next(unit, index);
    enum token_kind before = kind_at(unit, prev), after = kind_at(unit, next);
    uint32_t scope = unit_scope_at(unit, index);
    enum scope_kind kind = scope == NO_INDEX ? SCOPE_NAMESPACE : unit->scopes.items[scope].kind;
    const struct range none = {0, 0};

    /* class X {, namespace X {: the name is part of the head, so the scope is its own. */
    if ((before == TOK_CLASS || before == TOK_ENUM || before == TOK_NAMESPACE) &&
        (after == TOK_LBRACE || after == TOK_COLON ||
         (before == TOK_NAMESPACE && after == TOK_ASSIGN))) {
        declare(tr, index, scope == NO_INDEX ? NO_INDEX : unit->scopes.items[scope].parent, none);
        return;
    }
    if (kind == SCOPE_ENUM && unit->scopes.items[scope].open < index) {
        if ((before == TOK_LBRACE || before == TOK_COMMA) &&
            (after == TOK_COMMA || after == TOK_ASSIGN || after == TOK_RBRACE))
            declare(tr, index, scope, none);
        return;
    }
    if (before == TOK_USING && after == TOK_ASSIGN) {
        declare(tr, index, scope, none);
        return;
    }
    if (before == TOK_RBRACE && after == TOK_SEMICOLON && kind != SCOPE_FUNCTION) {
        declare(tr, index, scope, none);
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
        bool global = fn->scope == NO_INDEX;
        if (global && fn->body.begin >= fn->body.end)
            return;
        declare(tr, index, fn->scope, none);
        return;
    }
    if (after == TOK_RPAREN || in_arguments(unit, index))
        return;
    /* x = f(T name(...)): inside an expression nothing is declared. */
    if (after == TOK_LPAREN && in_body && before == TOK_IDENT) {
        uint32_t first = unit_prev(unit, prev);
        enum token_kind start = kind_at(unit, first);
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
    if (kind_at(unit, at) != TOK_NAMESPACE)
        return;
    for (at = unit_next(unit, at);
         kind_at(unit, at) == TOK_IDENT || kind_at(unit, at) == TOK_COLON_COLON;
         at = unit_next(unit, at))
        if (kind_at(unit, at) == TOK_IDENT)
            unit_token(unit, at)->symbol->flags |= SYMBOL_NAMESPACE_USED;
}

/* Behind `= value` at INDEX, at the comma or semicolon that ends it. */
static uint32_t skip_initialiser(const struct unit *unit, uint32_t index)
{
    if (unit_token(unit, index)->kind != TOK_ASSIGN)
        return index;
    for (int steps = 0; steps < 200; ++steps) {
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

/* cudaMemLocation where; const cudaDeviceProp *props; std::vector<CUdeviceptr> list; and the like:
   notes the type with the name it declares. */
static void note_type(const struct unit *unit, uint32_t index)
{
    const struct api *type = unit_token(unit, index)->symbol->api;
    for (uint32_t at = unit_next(unit, index);; at = unit_next(unit, at)) {
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
            at = skip_initialiser(unit, unit_next(unit, at));
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

void names_collect(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    vec_each (const struct directive, d, &unit->directives)
        if (d->kind == TOK_PP_DEFINE && d->name != NO_TOKEN &&
            unit_token(unit, d->name)->symbol->api)
            declare(tr, d->name, NO_INDEX, (struct range){0, 0});
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_USING)
            note_using(tr, i);
        if (token->symbol && token->symbol->api && token->symbol->api->kind == API_TYPE)
            note_type(unit, i);
        /* Whichever vendor sees it: a source for both keeps such a name on both sides. */
        if (token->kind == TOK_IDENT && token->symbol->api && !(token->flags & TOKEN_DIRECTIVE))
            examine(tr, i);
    }
}

/* Whether what is declared in SCOPE is visible at a place in the scope AT. */
static bool is_visible(const struct unit *unit, uint32_t scope, uint32_t at)
{
    if (scope == NO_INDEX)
        return true;
    const struct scope *scopes = unit->scopes.items, *declared = &scopes[scope];
    if (declared->kind == SCOPE_NAMESPACE && declared->name->flags & SYMBOL_NAMESPACE_USED)
        return true;
    for (; at != NO_INDEX; at = scopes[at].parent)
        if (at == scope || (scopes[at].kind == declared->kind && declared->kind != SCOPE_FUNCTION &&
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
        } else if (global_only ? name->scope == NO_INDEX : is_visible(tr->unit, name->scope, at)) {
            return true;
        }
    }
    return false;
}

bool names_is_user(const struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    const struct token *token = unit_token(unit, index);
    uint32_t prev = unit_prev(unit, index);
    switch (kind_at(unit, prev)) {
    case TOK_DOT:
    case TOK_ARROW:
    case TOK_DOT_STAR:
    case TOK_ARROW_STAR:
        return true;
    case TOK_COLON_COLON: {
        uint32_t left = unit_prev(unit, prev);
        enum token_kind kind = kind_at(unit, left);
        if (kind == TOK_IDENT) {
            const struct symbol *scope = unit_token(unit, left)->symbol;
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
