/* Pass 3: scopes, functions and variables with CUDA attributes.

   Walks the declarations of namespaces and classes one by one; inside function bodies only
   local classes and __shared__ and other attributed variables are looked for. The frames of the
   walk are an explicit stack, so that nesting costs memory and not recursion.  */
#include <config.h>

#include <string.h>

#include "parser/island.h"
#include "parser/unit_p.h"

struct frame {
    uint32_t end;
    uint32_t scope;
    bool statements; /* a function's body */
};

struct walk {
    struct unit *unit;
    struct arena scratch;
    VEC(struct frame) frames;
    uint32_t statement_first; /* no statement begins before it */
    unsigned flags;           /* FUNCTION_IN_MACRO while a macro's body is read */
};

/* Behind the pair that opens at INDEX, or behind INDEX where it has no partner before END. */
static uint32_t skip_pair(const struct unit *unit, uint32_t index, uint32_t end)
{
    uint32_t partner = unit_partner(unit, index);
    return partner != NO_TOKEN && index < partner && partner < end ? partner + 1 : index + 1;
}

/* Behind the directive at INDEX. */
static uint32_t skip_directive(const struct unit *unit, uint32_t index, uint32_t end)
{
    while (index < end && unit_token(unit, index)->kind != TOK_END_DIRECTIVE)
        ++index;
    return index < end ? index + 1 : end;
}

static bool in_directive(const struct walk *walk, const struct token *token)
{
    return token->flags & TOKEN_DIRECTIVE && !(walk->flags & FUNCTION_IN_MACRO);
}

static uint32_t add_scope(struct walk *walk, enum scope_kind kind, uint32_t begin, uint32_t open,
                          uint32_t end, struct symbol *name, uint32_t parent)
{
    if (walk->flags & FUNCTION_IN_MACRO)
        return parent;
    uint32_t res = (uint32_t)walk->unit->scopes.count;
    bool transparent = kind == SCOPE_ENUM || (kind == SCOPE_NAMESPACE && !name);
    uint32_t around = parent == NO_INDEX ? NO_INDEX : walk->unit->scopes.items[parent].home;
    *vec_push(&walk->unit->scopes) = (struct scope){
        .home = transparent ? around : res,
        .kind = kind,
        .tokens = {begin, end},
        .open = open,
        .name = name,
        .parent = parent,
    };
    return res;
}

static void push_frame(struct walk *walk, uint32_t end, uint32_t scope, bool statements)
{
    *vec_push(&walk->frames) = (struct frame){end, scope, statements};
}

/* Reads [BEGIN, END) as a declaration head. */
static bool read_head(struct walk *walk, struct range head, struct island *island)
{
    *island = (struct island){
        .unit = walk->unit,
        .arena = &walk->scratch,
        .start = ISLAND_HEAD,
        .at = head.begin,
        .end = head.end,
        .open = {NO_TOKEN, NO_TOKEN},
        .last_name = NO_TOKEN,
    };
    return island_parse(island);
}

static void add_function(struct walk *walk, struct range head, struct range body, uint32_t scope,
                         const struct island *island)
{
    const struct declarator *d = &island->declarator;
    *vec_push(&walk->unit->functions) = (struct function){
        .name = d->name.begin,
        .head = head,
        .params = {d->params.begin + 1, d->params.end - 1},
        .bounds = island->bounds,
        .body = body,
        .flags = island->function_flags | walk->flags,
        .scope = scope,
    };
}

/* Behind the initialiser that begins at INDEX: the comma or semicolon that ends it, or END. */
static uint32_t skip_initialiser(const struct unit *unit, uint32_t index, uint32_t end)
{
    while (index < end) {
        const struct token *token = unit_token(unit, index);
        if (token->kind == TOK_COMMA || token->kind == TOK_SEMICOLON)
            return index;
        index = token->partner == NO_TOKEN ? index + 1 : skip_pair(unit, index, end);
    }
    return end;
}

static void add_variable(struct walk *walk, struct range declaration, uint32_t name, unsigned flags)
{
    *vec_push(&walk->unit->variables) = (struct variable){name, declaration, flags};
}

/* Adds the variables of the declaration that begins with HEAD, `a, *b[2] = {...}, c;`, and ends
   before END. */
static void add_variables(struct walk *walk, struct range head, uint32_t end,
                          const struct island *island)
{
    const struct unit *unit = walk->unit;
    unsigned flags = island->variable_flags;
    if (island->function_flags & FUNCTION_DEVICE)
        flags |= VARIABLE_DEVICE;
    if (!(flags & ~(unsigned)VARIABLE_EXTERN) || island->last_name == NO_TOKEN)
        return;
    /* Longer than anybody writes; keeps damaged text linear. */
    enum { LONGEST = 1000 };
    if (LONGEST < end - head.begin)
        end = head.begin + LONGEST;
    uint32_t name = NO_TOKEN, i = head.begin;
    bool first = true;
    while (i < end && !in_directive(walk, unit_token(unit, i))) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_SEMICOLON || token->kind == TOK_RBRACE)
            break;
        if (token->kind == TOK_ASSIGN) {
            i = skip_initialiser(unit, i, end);
        } else if (token->kind == TOK_COMMA) {
            if (name != NO_TOKEN)
                add_variable(walk, head, name, flags);
            first = false;
            name = NO_TOKEN;
            ++i;
        } else if (token->kind == TOK_IDENT) {
            /* Of the first the type stands before it; NAME (...) there may be a macro's. */
            if (name == NO_TOKEN || (first && unit_token(unit, i + 1)->kind != TOK_LPAREN))
                name = i;
            ++i;
        } else {
            i = token->partner == NO_TOKEN ? i + 1 : skip_pair(unit, i, end);
        }
    }
    if (name != NO_TOKEN)
        add_variable(walk, head, name, flags);
}

/* Whether a name stands at INDEX, and no word that may follow a function's parameters. */
static bool is_name_behind(const struct unit *unit, uint32_t index, uint32_t end)
{
    if (end <= index || unit_kind(unit, index) != TOK_IDENT)
        return false;
    const char *text = unit_token(unit, index)->symbol->text;
    return strcmp(text, "override") && strcmp(text, "final");
}

/* The name and opening brace of a class, enum or namespace head at BEGIN; false where there is
   none before END or a ; or another sign that it is something else. */
static bool find_open_brace(const struct walk *walk, uint32_t begin, uint32_t end, uint32_t *open,
                            struct symbol **name)
{
    const struct unit *unit = walk->unit;
    bool base = false;
    *name = NULL;
    /* Heads are short; the limit keeps damaged text linear. */
    int steps = 1000;
    for (uint32_t i = begin; i < end && steps--;) {
        const struct token *token = unit_token(unit, i);
        uint32_t next;
        if (in_directive(walk, token)) {
            i = skip_directive(unit, i, end);
            continue;
        }
        switch (token->kind) {
        case TOK_LBRACE:
            *open = i;
            return true;
        case TOK_SEMICOLON:
        case TOK_ASSIGN:
        case TOK_RBRACE:
        case TOK_RPAREN:
        case TOK_STAR:
        case TOK_AMP:
            return false;
        case TOK_LPAREN:
            /* The argument of an attribute or of a macro in front of the name, or a function that
               returns the class. */
            next = skip_pair(unit, i, end);
            if (unit_token(unit, i - 1)->kind != TOK_ATTRIBUTE && !base &&
                !is_name_behind(unit, next, end))
                return false;
            i = next;
            continue;
        case TOK_LBRACKET:
        case TOK_LESS:
            i = skip_pair(unit, i, end);
            continue;
        case TOK_COLON:
            base = true;
            break;
        case TOK_IDENT:
            /* `final` is a word like others, but not where a name stands already. */
            if (!base && !(*name && !strcmp(token->symbol->text, "final")))
                *name = token->symbol;
            break;
        default:
            break;
        }
        ++i;
    }
    return false;
}

/* A declaration that is neither a scope nor a function body: from BEGIN to its semicolon; with
   HEAD_ONLY only the end of its head is looked for. */
struct extent {
    uint32_t head_end; /* behind the head: at the body, the =, the initialiser, or the ; */
    uint32_t body;     /* the brace of a function's body, or NO_TOKEN */
    uint32_t end;      /* behind all of it */
};

/* Whether `{` at INDEX, behind a constructor's colon, initialises a member. */
static bool is_member_brace(const struct unit *unit, uint32_t index)
{
    enum token_kind before = unit_token(unit, unit_prev(unit, index))->kind;
    return before == TOK_IDENT || before == TOK_GREATER || before == TOK_SHIFT_RIGHT;
}

/* Behind `requires`, and the braces of the expression `requires (...) { ... }` where it begins one.
 */
static uint32_t skip_requires(const struct unit *unit, uint32_t index, uint32_t end)
{
    enum token_kind before = unit_kind(unit, unit_prev(unit, index));
    bool expression = before == TOK_NOEXCEPT || before == TOK_AND_AND || before == TOK_OR_OR;
    uint32_t i = index + 1;
    if (!expression)
        return i;
    if (i < end && unit_kind(unit, i) == TOK_LPAREN)
        i = skip_pair(unit, i, end);
    return i < end && unit_kind(unit, i) == TOK_LBRACE ? skip_pair(unit, i, end) : i;
}

/* Whether `extern "C" {` begins at INDEX. */
static bool begins_linkage(const struct unit *unit, uint32_t index, uint32_t end)
{
    return index + 2 < end && unit_kind(unit, index) == TOK_EXTERN &&
           unit_kind(unit, index + 1) == TOK_STRING && unit_kind(unit, index + 2) == TOK_LBRACE;
}

static struct extent find_extent(const struct walk *walk, uint32_t begin, uint32_t end,
                                 bool head_only)
{
    const struct unit *unit = walk->unit;
    struct extent res = {NO_TOKEN, NO_TOKEN, end};
    bool parens = false, initialiser = false, members = false;
    for (uint32_t i = begin; i < end && !(head_only && res.head_end != NO_TOKEN);) {
        const struct token *token = unit_token(unit, i);
        if (in_directive(walk, token)) {
            i = skip_directive(unit, i, end);
            continue;
        }
        switch (token->kind) {
        case TOK_LPAREN:
            parens = true;
            i = skip_pair(unit, i, end);
            continue;
        case TOK_LBRACKET:
        case TOK_LESS:
            i = skip_pair(unit, i, end);
            continue;
        case TOK_OPERATOR:
            /* operator= and operator< are names. */
            i += 2;
            continue;
        case TOK_NOEXCEPT:
            i = skip_requires(unit, i, end);
            continue;
        case TOK_EXTERN:
            if (!begins_linkage(unit, i, end) || i == begin)
                break;
            /* A macro ended the declaration without a semicolon. */
            if (res.head_end == NO_TOKEN)
                res.head_end = i;
            res.end = i;
            return res;
        case TOK_ASSIGN:
            if (res.head_end == NO_TOKEN)
                res.head_end = i;
            initialiser = true;
            break;
        case TOK_COLON:
            if (parens && !initialiser) {
                if (res.head_end == NO_TOKEN)
                    res.head_end = i;
                members = true;
            }
            break;
        case TOK_LBRACE:
            if (!initialiser && parens && !(members && is_member_brace(unit, i))) {
                if (res.head_end == NO_TOKEN)
                    res.head_end = i;
                res.body = i;
                res.end = skip_pair(unit, i, end);
                return res;
            }
            if (res.head_end == NO_TOKEN)
                res.head_end = i;
            initialiser |= !members;
            i = skip_pair(unit, i, end);
            continue;
        case TOK_SEMICOLON:
            if (res.head_end == NO_TOKEN)
                res.head_end = i;
            res.end = i + 1;
            return res;
        case TOK_RBRACE:
            /* The scope around ends here, or the text is damaged. */
            if (res.head_end == NO_TOKEN)
                res.head_end = i;
            res.end = i + 1;
            return res;
        default:
            break;
        }
        ++i;
    }
    if (res.head_end == NO_TOKEN)
        res.head_end = end;
    return res;
}

/* The keyword that makes the declaration at BEGIN a scope: behind templates, attributes,
   specifiers, constraints and macros, with their arguments. Its index, or NO_TOKEN. */
static uint32_t scope_keyword(const struct walk *walk, uint32_t begin, uint32_t end)
{
    const struct unit *unit = walk->unit;
    bool constraint = false;
    for (uint32_t i = begin; i < end;) {
        const struct token *token = unit_token(unit, i);
        if (in_directive(walk, token)) {
            i = skip_directive(unit, i, end);
            continue;
        }
        switch (token->kind) {
        case TOK_CLASS:
        case TOK_ENUM:
        case TOK_NAMESPACE:
            return i;
        case TOK_TEMPLATE:
            if (i + 1 < end && unit_token(unit, i + 1)->kind == TOK_LESS) {
                i = skip_pair(unit, i + 1, end);
                continue;
            }
            break;
        case TOK_ATTRIBUTE:
            if (i + 1 < end && unit_token(unit, i + 1)->kind == TOK_LPAREN) {
                i = skip_pair(unit, i + 1, end);
                continue;
            }
            break;
        case TOK_LBRACKET:
            i = skip_pair(unit, i, end);
            continue;
        case TOK_IDENT:
            if (i + 1 < end && unit_token(unit, i + 1)->kind == TOK_LPAREN) {
                i = skip_pair(unit, i + 1, end);
                continue;
            }
            break;
        case TOK_NOEXCEPT:
            constraint = true;
            i = skip_requires(unit, i, end);
            continue;
        case TOK_LPAREN:
        case TOK_LESS:
            if (!constraint)
                return NO_TOKEN;
            i = skip_pair(unit, i, end);
            continue;
        case TOK_COLON_COLON:
        case TOK_AND_AND:
        case TOK_OR_OR:
        case TOK_BANG:
            if (!constraint)
                return NO_TOKEN;
            break;
        case TOK_TYPEDEF:
        case TOK_EXTERN:
        case TOK_SPECIFIER:
        case TOK_FRIEND:
        case TOK_DEVICE:
        case TOK_SHARED:
        case TOK_CONSTANT:
        case TOK_STRING:
            break;
        default:
            return NO_TOKEN;
        }
        ++i;
    }
    return NO_TOKEN;
}

/* The class or namespace in OWNER::NAME, OWNER<...>::NAME or OWNER::~NAME, whose last identifier is
   at INDEX; NULL where the name is not qualified. */
static struct symbol *owner_of(const struct unit *unit, uint32_t index)
{
    uint32_t at = unit_prev(unit, index);
    if (at != NO_TOKEN && unit_token(unit, at)->kind == TOK_TILDE)
        at = unit_prev(unit, at);
    if (at == NO_TOKEN || unit_token(unit, at)->kind != TOK_COLON_COLON)
        return NULL;
    at = unit_prev(unit, at);
    if (at != NO_TOKEN && unit_token(unit, at)->kind == TOK_GREATER &&
        unit_token(unit, at)->partner != NO_TOKEN)
        at = unit_prev(unit, unit_token(unit, at)->partner);
    return at == NO_TOKEN ? NULL : unit_token(unit, at)->symbol;
}

/* Reads the declaration at BEGIN of the frame; the index where the walk goes on. */
static uint32_t walk_declaration(struct walk *walk, uint32_t begin, struct frame frame)
{
    struct unit *unit = walk->unit;
    if (begins_linkage(unit, begin, frame.end)) {
        push_frame(walk, skip_pair(unit, begin + 2, frame.end), frame.scope, false);
        return begin + 3;
    }
    uint32_t keyword = scope_keyword(walk, begin, frame.end), open;
    struct symbol *name;
    if (keyword != NO_TOKEN && find_open_brace(walk, keyword + 1, frame.end, &open, &name)) {
        enum token_kind kind = unit_token(unit, keyword)->kind;
        uint32_t end = skip_pair(unit, open, frame.end);
        uint32_t scope = add_scope(walk,
                                   kind == TOK_CLASS  ? SCOPE_CLASS
                                   : kind == TOK_ENUM ? SCOPE_ENUM
                                                      : SCOPE_NAMESPACE,
                                   begin, open, end, name, frame.scope);
        if (kind == TOK_ENUM)
            return end;
        push_frame(walk, end, scope, false);
        return open + 1;
    }
    struct extent extent = find_extent(walk, begin, frame.end, false);
    struct range head = {begin, extent.head_end};
    struct island island;
    bool known = read_head(walk, head, &island);
    if (extent.body != NO_TOKEN) {
        uint32_t scope = frame.scope;
        struct range body = {extent.body, extent.end};
        if (known && island.has_declarator) {
            uint32_t added = (uint32_t)unit->scopes.count;
            scope = add_scope(walk, SCOPE_FUNCTION, begin, extent.body, extent.end,
                              unit_token(unit, island.declarator.name.begin)->symbol, frame.scope);
            if (added < unit->scopes.count)
                unit->scopes.items[added].owner = owner_of(unit, island.declarator.name.begin);
            add_function(walk, head, body, frame.scope, &island);
        }
        push_frame(walk, extent.end, scope, true);
        return extent.body + 1;
    }
    if (known && island.has_declarator && !(island.variable_flags & VARIABLE_SHARED) &&
        island.declarator.typed)
        add_function(walk, head, (struct range){extent.end, extent.end}, frame.scope, &island);
    else if (known)
        add_variables(walk, (struct range){begin, extent.end}, extent.end, &island);
    return begin < extent.end ? extent.end : begin + 1;
}

/* The first token of the statement that INDEX lies in. */
static uint32_t statement_begin(const struct unit *unit, uint32_t index, uint32_t first)
{
    while (first < index) {
        switch (unit_token(unit, index - 1)->kind) {
        case TOK_SEMICOLON:
        case TOK_LBRACE:
        case TOK_RBRACE:
        case TOK_COLON:
        case TOK_END_DIRECTIVE:
            return index;
        default:
            --index;
        }
    }
    return index;
}

/* One step through a function's body. */
static uint32_t walk_statement(struct walk *walk, uint32_t index, struct frame frame)
{
    struct unit *unit = walk->unit;
    switch (unit_token(unit, index)->kind) {
    case TOK_CLASS:
    case TOK_ENUM: {
        uint32_t open;
        struct symbol *name;
        if (find_open_brace(walk, index + 1, frame.end, &open, &name)) {
            bool is_enum = unit_token(unit, index)->kind == TOK_ENUM;
            uint32_t end = skip_pair(unit, open, frame.end);
            uint32_t scope = add_scope(walk, is_enum ? SCOPE_ENUM : SCOPE_CLASS, index, open, end,
                                       name, frame.scope);
            if (is_enum)
                return end;
            push_frame(walk, end, scope, false);
            return open + 1;
        }
        break;
    }
    case TOK_SHARED:
    case TOK_CONSTANT:
    case TOK_MANAGED: {
        uint32_t begin = statement_begin(unit, index, walk->statement_first);
        struct extent extent = find_extent(walk, begin, frame.end, true);
        struct island island;
        walk->statement_first = index + 1;
        if (extent.head_end <= index)
            break; /* in an initialiser: damaged text */
        struct range head = {begin, extent.head_end};
        if (read_head(walk, head, &island))
            add_variables(walk, head, frame.end, &island);
        /* Other attributes of the same declaration are read already; a struct with a body in it is
           a scope of its own. */
        walk->statement_first = extent.head_end;
        if (unit_kind(unit, extent.head_end) != TOK_LBRACE)
            return extent.head_end;
        while (index + 1 < extent.head_end && unit_kind(unit, index + 1) != TOK_CLASS)
            ++index;
        return index + 1;
    }
    default:
        break;
    }
    return index + 1;
}

/* Reads [BEGIN, END), which lies in SCOPE. */
static void walk_range(struct walk *walk, uint32_t begin, uint32_t end, uint32_t scope)
{
    struct unit *unit = walk->unit;
    walk->frames.count = 0;
    push_frame(walk, end, scope, false);
    walk->statement_first = begin;
    for (uint32_t i = begin; i < end;) {
        struct frame frame = walk->frames.items[walk->frames.count - 1];
        if (frame.end <= i) {
            walk->frames.count--;
            continue;
        }
        const struct token *token = unit_token(unit, i);
        if (in_directive(walk, token)) {
            i = skip_directive(unit, i, end);
            continue;
        }
        if (frame.statements) {
            i = walk_statement(walk, i, frame);
            continue;
        }
        switch (token->kind) {
        case TOK_SEMICOLON:
        case TOK_RBRACE:
        case TOK_EOF:
            ++i;
            break;
        case TOK_ACCESS:
            i += unit_token(unit, i + 1)->kind == TOK_COLON ? 2 : 1;
            break;
        default:
            i = walk_declaration(walk, i, frame);
            walk->statement_first = i;
            break;
        }
    }
}

static int compare_functions(const void *va, const void *vb)
{
    const struct function *a = va, *b = vb;
    return a->head.begin < b->head.begin ? -1 : a->head.begin != b->head.begin;
}

/* Turns the nested scopes into a flat list of where which one is the innermost. */
static void mark_scopes(struct unit *unit)
{
    VEC(uint32_t) open = {0};
    *vec_push(&unit->scope_marks) = (struct scope_mark){0, NO_INDEX};
    for (uint32_t i = 0; i <= unit->scopes.count; ++i) {
        uint32_t begin = i < unit->scopes.count ? unit->scopes.items[i].tokens.begin
                                                : (uint32_t)unit->tokens.list.count;
        while (open.count && unit->scopes.items[open.items[open.count - 1]].tokens.end <= begin) {
            uint32_t end = unit->scopes.items[open.items[--open.count]].tokens.end;
            uint32_t scope = open.count ? open.items[open.count - 1] : NO_INDEX;
            *vec_push(&unit->scope_marks) = (struct scope_mark){end, scope};
        }
        if (i == unit->scopes.count)
            break;
        *vec_push(&open) = i;
        *vec_push(&unit->scope_marks) = (struct scope_mark){begin, i};
    }
    vec_release(&open);
}

/* Marks the macros whose text makes functions of the device. */
static void mark_device_macros(struct unit *unit)
{
    vec_each (struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_DEFINE || d->name == NO_TOKEN || d->function_like)
            continue;
        for (uint32_t i = d->body.begin; i < d->body.end; ++i) {
            const struct token *token = unit_token(unit, i);
            if (token->kind == TOK_LPAREN || token->kind == TOK_LBRACE)
                break;
            if (token->kind == TOK_DEVICE || token->kind == TOK_GLOBAL ||
                (token->symbol && token->symbol->is_device_macro)) {
                unit_token(unit, d->name)->symbol->is_device_macro = true;
                break;
            }
        }
    }
}

void pass3_scopes(struct unit *unit)
{
    struct walk walk = {.unit = unit};
    mark_device_macros(unit);
    walk_range(&walk, 0, (uint32_t)unit->tokens.list.count - 1, NO_INDEX);
    mark_scopes(unit);
    /* Bodies of macros: what a DEFINE_KERNEL(name) makes is known by its text. They have no scopes.
     */
    walk.flags = FUNCTION_IN_MACRO;
    vec_each (struct directive, d, &unit->directives)
        if (d->kind == TOK_PP_DEFINE && d->body.begin < d->body.end)
            walk_range(&walk, d->body.begin, d->body.end, NO_INDEX);
    if (unit->functions.count)
        qsort(unit->functions.items, unit->functions.count, sizeof *unit->functions.items,
              compare_functions);
    vec_release(&walk.frames);
    arena_release(&walk.scratch);
}
