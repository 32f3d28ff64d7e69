/* The walk over the declarations of the file, its namespaces and classes: which names they declare,
   and where these are visible.  */
#include <config.h>

#include "annotate/model/names_p.h"

#include <string.h>

enum { DECLARATORS_MAX = 1 << 16 };

struct nest {
    uint32_t end;
    uint32_t scope;
    bool body;       /* of a function: only the scopes in it are looked at */
    uint32_t resume; /* where the walk goes on behind it, or 0: where it ends */
};

struct walk {
    struct model *model;
    const struct unit *unit;
    struct model_names *names;
    VEC(struct nest) nests;
    size_t next_scope, next_function;
};

/* Where what TOKEN, in SCOPE, declares is visible: a class's members in all of it, those of a
   namespace to the end of the file, since it may be opened again. */
static void set_extent(struct walk *walk, struct decl *decl, uint32_t scope)
{
    const struct unit *unit = walk->unit;
    decl->scope = scope;
    decl->begin = decl->token;
    decl->end = names_end(unit);
    while (scope != NO_INDEX && unit->scopes.items[scope].kind == SCOPE_ENUM)
        scope = unit->scopes.items[scope].parent;
    if (scope == NO_INDEX)
        return;
    const struct scope *around = &unit->scopes.items[scope];
    if (around->kind == SCOPE_NAMESPACE)
        return;
    decl->end = around->tokens.end;
    if (around->kind == SCOPE_CLASS)
        decl->begin = around->open;
}

static void add_member(struct walk *walk, struct decl *decl)
{
    struct members *members =
        &walk->names->members[decl->scope == NO_INDEX ? walk->unit->scopes.count : decl->scope];
    if (members->last)
        members->last->next = decl;
    else
        members->first = decl;
    members->last = decl;
}

static struct decl *declare(struct walk *walk, enum decl_kind kind, uint32_t token, uint32_t scope)
{
    struct decl *res = decl_new(walk->model, kind, token);
    set_extent(walk, res, scope);
    add_member(walk, res);
    /* No AMD compiler sees the value that the other side gives. */
    bool other = (kind == DECL_VARIABLE || kind == DECL_ENUMERATOR) &&
                 unit_token(walk->unit, token)->flags & TOKEN_CUDA_SIDE;
    if (res->symbol && !other)
        *vec_push(&walk->names->decls.list) = res;
    return res;
}

uint32_t names_behind_pair(const struct unit *unit, uint32_t index, uint32_t end)
{
    uint32_t partner = unit_partner(unit, index);
    return partner != NO_TOKEN && index < partner && partner < end ? partner + 1 : index + 1;
}

static bool is_directive(const struct unit *unit, uint32_t index)
{
    return unit_token(unit, index)->flags & TOKEN_DIRECTIVE;
}

uint32_t names_step_in(const struct unit *unit, uint32_t index, uint32_t end)
{
    switch (unit_kind(unit, index)) {
    case TOK_LPAREN:
    case TOK_LBRACKET:
    case TOK_LBRACE:
    case TOK_LESS:
        return names_behind_pair(unit, index, end);
    default:
        return is_directive(unit, index) && !(unit_token(unit, index)->flags & TOKEN_MACRO_BODY)
                   ? names_behind_pair(unit, index, end)
                   : index + 1;
    }
}

unsigned split_range(const struct unit *unit, struct range range, struct range *res, unsigned max)
{
    if (range.end <= range.begin)
        return 0;
    unsigned count = 0;
    uint32_t begin = range.begin;
    for (uint32_t i = range.begin; i < range.end;) {
        if (unit_kind(unit, i) == TOK_COMMA) {
            if (count < max)
                res[count] = (struct range){begin, i};
            ++count;
            begin = i + 1;
        }
        i = names_step_in(unit, i, range.end);
    }
    if (count < max)
        res[count] = (struct range){begin, range.end};
    return count + 1;
}

/* Template parameters. */

/* One of them: `int N = 32`, `typename T`, `template <class> class C`. */
static void add_template_parameter(struct walk *walk, struct range range, struct decl place,
                                   unsigned index)
{
    const struct unit *unit = walk->unit;
    uint32_t name = NO_TOKEN, assign = range.end;
    bool pack = false;
    for (uint32_t i = range.begin; i < range.end; i = names_step_in(unit, i, range.end)) {
        enum token_kind kind = unit_kind(unit, i);
        if (kind == TOK_ASSIGN) {
            assign = i;
            break;
        }
        if (kind == TOK_IDENT)
            name = i;
        pack |= kind == TOK_ELLIPSIS;
    }
    if (name == NO_TOKEN)
        return;
    enum token_kind first = unit_kind(unit, range.begin);
    bool is_type = first == TOK_CLASS || first == TOK_TEMPLATE ||
                   (first == TOK_TYPENAME && (name == range.begin + 1 || pack));
    if (!is_type && name == range.begin)
        return; /* a type without a name, or a concept's */
    struct decl *decl =
        decl_new(walk->model, is_type ? DECL_TEMPLATE_TYPE : DECL_TEMPLATE_VALUE, name);
    decl->begin = place.begin;
    decl->end = place.end;
    decl->own = place.own;
    decl->scope = place.scope;
    decl->function = place.function;
    decl->index = index;
    decl->pack = pack;
    if (assign + 1 < range.end)
        decl->text = (struct range){assign + 1, range.end};
    /* Its type, for a value. */
    if (!is_type) {
        decl->statement = arena_zalloc(walk->model->arena, 1, sizeof *decl->statement);
        decl->statement->tokens = (struct range){range.begin, assign};
    }
    *vec_push(&walk->names->decls.list) = decl;
}

/* Those of the head that begins at BEGIN and goes to HEAD_END; visible as PLACE says. Behind
   them. */
static uint32_t add_template_parameters(struct walk *walk, uint32_t begin, uint32_t head_end,
                                        struct decl place)
{
    enum { PARAMETERS_MAX = 256 };
    const struct unit *unit = walk->unit;
    uint32_t i = begin;
    while (i + 1 < head_end && unit_kind(unit, i) == TOK_TEMPLATE &&
           unit_kind(unit, i + 1) == TOK_LESS && unit_partner(unit, i + 1) != NO_TOKEN) {
        uint32_t close = unit_partner(unit, i + 1);
        if (head_end < close)
            break;
        struct range range = {i + 2, close}, parts[PARAMETERS_MAX];
        unsigned count = split_range(unit, range, parts, PARAMETERS_MAX);
        for (unsigned k = 0; k < count && k < PARAMETERS_MAX; ++k)
            add_template_parameter(walk, parts[k], place, k);
        i = close + 1;
    }
    return i;
}

/* Declarations. */

/* The type that `enum E : type` gives, or what an enumerator is worth. */
static void add_enumerators(struct walk *walk, uint32_t scope)
{
    const struct unit *unit = walk->unit;
    const struct scope *around = &unit->scopes.items[scope];
    uint32_t end = around->tokens.end - 1;
    bool scoped = false;
    for (uint32_t i = around->tokens.begin; i < around->open; ++i)
        scoped |= unit_kind(unit, i) == TOK_CLASS;
    struct decl *base = NULL;
    uint32_t index = 0;
    for (uint32_t i = around->open + 1; i < end;) {
        if (unit_kind(unit, i) != TOK_IDENT) {
            i = names_step_in(unit, i, end);
            continue;
        }
        struct decl *decl = declare(walk, DECL_ENUMERATOR, i, scope);
        decl->scoped = scoped;
        decl->function = NO_INDEX;
        uint32_t begin = NO_TOKEN;
        while (i < end && unit_kind(unit, i) != TOK_COMMA) {
            if (begin == NO_TOKEN && unit_kind(unit, i) == TOK_ASSIGN)
                begin = i + 1;
            i = names_step_in(unit, i, end);
        }
        if (begin != NO_TOKEN && begin < i) {
            decl->text = (struct range){begin, i};
            base = NULL;
        }
        if (!base) {
            base = decl;
            index = 0;
        }
        decl->base = base;
        decl->index = index++;
    }
}

static struct statement *new_statement(struct walk *walk, uint32_t begin, uint32_t end)
{
    struct statement *res = arena_zalloc(walk->model->arena, 1, sizeof *res);
    res->tokens = (struct range){begin, end};
    return res;
}

/* The names that the declaration from BEGIN to its semicolon at END declares: of KIND. They stand
   at NAMES or behind it. */
static void add_declarators(struct walk *walk, uint32_t begin, uint32_t names, uint32_t end,
                            enum decl_kind kind, uint32_t scope)
{
    const struct unit *unit = walk->unit;
    struct statement *statement = NULL;
    uint32_t name = NO_TOKEN, count = 0;
    bool behind = false; /* the declarator's name is found */
    for (uint32_t i = names; i <= end; i = i < end ? names_step_in(unit, i, end) : i + 1) {
        enum token_kind token = i < end ? unit_kind(unit, i) : TOK_COMMA;
        switch (token) {
        case TOK_IDENT:
            if (!behind)
                name = i;
            break;
        case TOK_LPAREN:
            /* (*name)(...) */
            if (!behind && i + 2 < end && unit_kind(unit, i + 1) == TOK_STAR &&
                unit_kind(unit, i + 2) == TOK_IDENT) {
                name = i + 2;
            } else if (!behind && 0 < i && unit_kind(unit, i - 1) == TOK_ATTRIBUTE) {
                break;
            }
            behind = true;
            break;
        case TOK_LBRACKET:
            behind |= name != NO_TOKEN && i + 1 < end && unit_kind(unit, i + 1) != TOK_LBRACKET;
            break;
        case TOK_ASSIGN:
        case TOK_LBRACE:
        case TOK_COLON:
            behind = true;
            break;
        case TOK_OPERATOR:
        case TOK_FRIEND:
            return;
        case TOK_COMMA:
            if (name != NO_TOKEN && begin < name && count++ < DECLARATORS_MAX) {
                struct decl *decl = declare(walk, kind, name, scope);
                if (!statement)
                    statement = new_statement(walk, begin, end);
                decl->statement = statement;
                decl->text = (struct range){begin, end};
                decl->is_typedef = kind == DECL_ALIAS;
            }
            name = NO_TOKEN;
            behind = false;
            break;
        default:
            break;
        }
    }
}

/* `using NAME = type;` with the word using at BEGIN. */
static void add_using(struct walk *walk, uint32_t begin, uint32_t end, uint32_t scope)
{
    const struct unit *unit = walk->unit;
    if (end <= begin + 3 || unit_kind(unit, begin + 1) != TOK_IDENT)
        return;
    uint32_t assign = begin + 2;
    while (assign < end && unit_kind(unit, assign) != TOK_ASSIGN)
        assign = names_step_in(unit, assign, end);
    if (end <= assign + 1)
        return;
    struct decl *decl = declare(walk, DECL_ALIAS, begin + 1, scope);
    decl->text = (struct range){assign + 1, end};
}

/* Behind the semicolon of the declaration at BEGIN; END where there is none. */
static uint32_t declaration_end(const struct unit *unit, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i = names_step_in(unit, i, end))
        if (unit_kind(unit, i) == TOK_SEMICOLON || unit_kind(unit, i) == TOK_RBRACE)
            return i + 1;
    return end;
}

/* Behind the declaration at BEGIN that is neither a scope nor a function. */
static uint32_t walk_declaration(struct walk *walk, uint32_t begin, struct nest nest)
{
    const struct unit *unit = walk->unit;
    uint32_t end = declaration_end(unit, begin, nest.end);
    uint32_t last = end - 1;
    struct decl place = {
        .begin = begin, .end = end, .own = NO_INDEX, .scope = nest.scope, .function = NO_INDEX};
    uint32_t i = add_template_parameters(walk, begin, last, place);
    switch (unit_kind(unit, i)) {
    case TOK_USING:
        add_using(walk, i, last, nest.scope);
        break;
    case TOK_TYPEDEF:
        add_declarators(walk, i + 1, i + 1, last, DECL_ALIAS, nest.scope);
        break;
    case TOK_TEMPLATE:
    case TOK_FRIEND:
    case TOK_STATIC_ASSERT:
    case TOK_NAMESPACE:
        break;
    default:
        add_declarators(walk, i, i, last, DECL_VARIABLE, nest.scope);
        break;
    }
    return end;
}

/* The name of SCOPE's head. */
static uint32_t scope_name(const struct unit *unit, const struct scope *scope)
{
    for (uint32_t i = scope->tokens.begin; i < scope->open; i = names_step_in(unit, i, scope->open))
        if (unit_token(unit, i)->symbol == scope->name && unit_kind(unit, i) == TOK_IDENT)
            return i;
    return scope->open;
}

/* Enters the scope at INDEX of the unit; the token where the walk goes on. */
static uint32_t walk_scope(struct walk *walk, uint32_t index, struct nest nest)
{
    static const enum decl_kind kinds[] = {
        [SCOPE_NAMESPACE] = DECL_NAMESPACE, [SCOPE_CLASS] = DECL_RECORD, [SCOPE_ENUM] = DECL_ENUM};
    const struct unit *unit = walk->unit;
    const struct scope *scope = &unit->scopes.items[index];
    struct decl place = {.begin = scope->tokens.begin,
                         .end = scope->tokens.end,
                         .own = index,
                         .scope = nest.scope,
                         .function = NO_INDEX};
    add_template_parameters(walk, scope->tokens.begin, scope->open, place);
    uint32_t name = scope_name(unit, scope);
    struct decl *decl = declare(walk, kinds[scope->kind], name, nest.scope);
    decl->own = index;
    if (scope->name && unit_kind(unit, name + 1) == TOK_LESS &&
        unit_partner(unit, name + 1) != NO_TOKEN)
        decl->text = (struct range){name + 2, unit_partner(unit, name + 1)};
    walk->names->records[index] = decl;
    if (scope->kind == SCOPE_ENUM)
        add_enumerators(walk, index);
    if (scope->kind == SCOPE_NAMESPACE) {
        *vec_push(&walk->nests) = (struct nest){scope->tokens.end - 1, index, false, 0};
        return scope->open + 1;
    }
    uint32_t resume = 0;
    if (!nest.body) {
        /* Declarators behind the brace, and a typedef's names. */
        uint32_t begin = scope->tokens.begin, behind = scope->tokens.end;
        bool is_typedef = unit_kind(unit, begin) == TOK_TYPEDEF;
        resume = declaration_end(unit, behind, nest.end);
        size_t before = walk->names->decls.list.count;
        add_declarators(walk, is_typedef ? begin + 1 : begin, behind, resume - 1,
                        is_typedef ? DECL_ALIAS : DECL_VARIABLE, nest.scope);
        if (scope->kind == SCOPE_CLASS && !scope->name && nest.scope != NO_INDEX &&
            before == walk->names->decls.list.count)
            declare(walk, DECL_VARIABLE, scope->open, nest.scope)->own = index;
    }
    if (scope->kind == SCOPE_ENUM)
        return resume ? resume : scope->tokens.end;
    *vec_push(&walk->nests) = (struct nest){scope->tokens.end - 1, index, false, resume};
    return scope->open + 1;
}

/* Whether what the parser took for the function's declaration is a variable with its value in
   parentheses: `constexpr int n(4);` */
static bool is_variable(const struct unit *unit, const struct function *function)
{
    if (function->body.begin < function->body.end || function->params.end <= function->params.begin)
        return false;
    if (unit_kind(unit, function->params.begin) == TOK_NUMBER)
        return true;
    for (uint32_t i = function->head.begin; i < function->name; ++i)
        if (unit_kind(unit, i) == TOK_SPECIFIER &&
            !strcmp(unit_token(unit, i)->symbol->text, "constexpr"))
            return true;
    return false;
}

static uint32_t walk_function(struct walk *walk, uint32_t index, struct nest nest)
{
    const struct unit *unit = walk->unit;
    const struct function *function = &unit->functions.items[index];
    uint32_t end =
        function->head.end < function->body.end ? function->body.end : function->head.end;
    if (is_variable(unit, function)) {
        add_declarators(walk, function->head.begin, function->head.begin, function->head.end,
                        DECL_VARIABLE, nest.scope);
        return end;
    }
    struct decl place = {.begin = function->head.begin,
                         .end = end,
                         .own = NO_INDEX,
                         .scope = nest.scope,
                         .function = index};
    add_template_parameters(walk, function->head.begin, function->head.end, place);
    struct decl *decl = declare(walk, DECL_FUNCTION, function->name, nest.scope);
    decl->function = index;
    if (function->body.begin < function->body.end) {
        *vec_push(&walk->nests) = (struct nest){function->body.end, nest.scope, true, 0};
        return function->body.begin + 1;
    }
    return end;
}

/* One step at TOKEN, in NEST. */
static uint32_t walk_step(struct walk *walk, uint32_t token, struct nest nest)
{
    const struct unit *unit = walk->unit;
    while (walk->next_scope < unit->scopes.count &&
           (unit->scopes.items[walk->next_scope].tokens.begin < token ||
            unit->scopes.items[walk->next_scope].kind == SCOPE_FUNCTION))
        walk->next_scope++;
    while (walk->next_function < unit->functions.count &&
           (unit->functions.items[walk->next_function].head.begin < token ||
            unit->functions.items[walk->next_function].flags & FUNCTION_IN_MACRO))
        walk->next_function++;
    uint32_t scope = walk->next_scope < unit->scopes.count
                         ? unit->scopes.items[walk->next_scope].tokens.begin
                         : names_end(unit);
    uint32_t function = walk->next_function < unit->functions.count
                            ? unit->functions.items[walk->next_function].head.begin
                            : names_end(unit);
    if (scope == token)
        return walk_scope(walk, (uint32_t)walk->next_scope++, nest);
    if (function == token && !nest.body)
        return walk_function(walk, (uint32_t)walk->next_function++, nest);
    if (nest.body)
        return scope < nest.end ? scope : nest.end;
    if (is_directive(unit, token))
        return names_behind_pair(unit, token, nest.end);
    switch (unit_kind(unit, token)) {
    case TOK_SEMICOLON:
    case TOK_RBRACE:
    case TOK_LBRACE:
        return token + 1;
    case TOK_ACCESS:
        return token + (unit_kind(unit, token + 1) == TOK_COLON ? 2 : 1);
    case TOK_EXTERN:
        if (unit_kind(unit, token + 1) == TOK_STRING && unit_kind(unit, token + 2) == TOK_LBRACE)
            return token + 3;
        break;
    default:
        break;
    }
    uint32_t end = walk_declaration(walk, token, nest);
    /* What the parser took for a scope or a function begins where it says. */
    if (scope < end)
        end = scope;
    if (function < end)
        end = function;
    return token < end ? end : token + 1;
}

/* Behind the scope NEST, at TOKEN: behind the declarators that follow it, unless the parser found
   something there. */
static uint32_t leave(const struct walk *walk, uint32_t token, struct nest nest)
{
    const struct unit *unit = walk->unit;
    uint32_t resume = nest.resume;
    for (size_t i = walk->next_scope; i < unit->scopes.count && i < walk->next_scope + 2; ++i)
        if (token <= unit->scopes.items[i].tokens.begin &&
            unit->scopes.items[i].tokens.begin < resume)
            resume = unit->scopes.items[i].tokens.begin;
    return token < resume ? resume : token;
}

void names_walk(struct model *model, struct model_names *names)
{
    struct walk walk = {.model = model, .unit = model->unit, .names = names};
    uint32_t count = names_end(walk.unit);
    *vec_push(&walk.nests) = (struct nest){count ? count - 1 : 0, NO_INDEX, false, 0};
    for (uint32_t i = 0; walk.nests.count;) {
        struct nest nest = walk.nests.items[walk.nests.count - 1];
        if (nest.end <= i) {
            walk.nests.count--;
            i = leave(&walk, i, nest);
        } else {
            i = walk_step(&walk, i, nest);
        }
    }
    vec_release(&walk.nests);
}
