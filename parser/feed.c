/* The tokens of a body as the grammar (bodies.y) wants them: what C++ leaves to the knowledge of
   types is decided here, from the tokens around and from the names that the file declares as types.
   Each decision looks ahead within one declaration, name or pair of brackets, so that reading stays
   linear.  */
#include <config.h>

#include "parser/body.h"

#include <ctype.h>
#include <string.h>

#include "parser/bodies.h"

/* The token behind INDEX; what no AMD compiler sees is left out. */
static uint32_t step(const struct unit *unit, uint32_t index)
{
    do
        index = unit_next(unit, index);
    while (unit_token(unit, index)->flags & TOKEN_CUDA_SIDE &&
           unit_token(unit, index)->kind != TOK_EOF);
    return index;
}

/* Behind the bracket that closes the one at INDEX; behind INDEX where there is none. */
static uint32_t step_pair(const struct unit *unit, uint32_t index)
{
    uint32_t partner = unit_partner(unit, index);
    return step(unit, partner != NO_TOKEN && index < partner ? partner : index);
}

/* Behind the last token of the stream before AT, where FIRST is one of them. */
static uint32_t end_before(const struct unit *unit, uint32_t first, uint32_t at)
{
    /* The end of a body may be a directive. */
    if (at <= first + 1 ||
        (unit_token(unit, first)->flags | unit_token(unit, at)->flags) & TOKEN_DIRECTIVE)
        return at;
    do
        at = unit_prev(unit, at);
    while (first < at && unit_token(unit, at)->flags & TOKEN_CUDA_SIDE);
    return at + 1;
}

static bool opens_pair(const struct unit *unit, uint32_t index, uint32_t end)
{
    uint32_t partner = unit_partner(unit, index);
    return partner != NO_TOKEN && index < partner && partner < end;
}

/* Whether the name at INDEX is written as macros are: no small letters. */
static bool is_macro_name(const struct unit *unit, uint32_t index)
{
    const struct symbol *symbol =
        unit_kind(unit, index) == TOK_IDENT ? unit_token(unit, index)->symbol : NULL;
    bool capitals = false;
    for (const char *c = symbol ? symbol->text : ""; *c; ++c) {
        if (islower((unsigned char)*c))
            return false;
        capitals |= isupper((unsigned char)*c) != 0;
    }
    return capitals && symbol->len > 1;
}

/* Whether the token at INDEX is the first of its line. */
static bool begins_line(const struct unit *unit, uint32_t index)
{
    return unit_token(unit, index)->flags & TOKEN_LINE_START;
}

static bool is_word(const struct unit *unit, uint32_t index, const char *text)
{
    if (index == NO_TOKEN)
        return false;
    const struct symbol *symbol = unit_token(unit, index)->symbol;
    return symbol && !strcmp(symbol->text, text);
}

/* Types. */

/* char1 to double4, half2, dim3 and the like. */
static bool is_vector_type(const char *name)
{
    static const char *const bases[] = {"char", "uchar",    "short",    "ushort", "int",
                                        "uint", "long",     "ulong",    "float",  "double",
                                        "half", "longlong", "ulonglong"};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; ++i) {
        size_t len = strlen(bases[i]);
        if (!strncmp(name, bases[i], len) && '1' <= name[len] && name[len] <= '4' &&
            (!name[len + 1] || !strncmp(name + len + 1, "_16a", 4) ||
             !strncmp(name + len + 1, "_32a", 4)))
            return true;
    }
    return false;
}

/* int8_t to uint_fast64_t. */
static bool is_fixed_width_type(const char *name)
{
    if (*name == 'u')
        ++name;
    if (strncmp(name, "int", 3))
        return false;
    name += 3;
    if (!strncmp(name, "_fast", 5))
        name += 5;
    else if (!strncmp(name, "_least", 6))
        name += 6;
    if (!isdigit((unsigned char)*name))
        return !strcmp(name, "ptr_t") || !strcmp(name, "max_t");
    while (isdigit((unsigned char)*name))
        ++name;
    return !strcmp(name, "_t");
}

bool tree_is_type_name(const struct symbol *name)
{
    static const char *const others[] = {"__half",
                                         "__half2",
                                         "__nv_bfloat16",
                                         "__nv_bfloat162",
                                         "__hip_bfloat16",
                                         "clock_t",
                                         "dim3",
                                         "half",
                                         "nv_bfloat16",
                                         "ptrdiff_t",
                                         "size_t",
                                         "ssize_t",
                                         "uchar",
                                         "uint",
                                         "ulong",
                                         "ushort",
                                         "cudaTextureObject_t",
                                         "cudaSurfaceObject_t"};
    if (name->is_type)
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (!strcmp(name->text, others[i]))
            return true;
    return is_vector_type(name->text) || is_fixed_width_type(name->text);
}

/* Behind the angle brackets that open at AT; where pass 1 found no partner, as behind `]` and
   `operator()`, the next `>` of the same statement is it. AT where there is none. */
static uint32_t angles_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    enum { LIMIT = 200 }; /* template arguments are short; keeps damaged text linear */
    if (opens_pair(unit, at, end))
        return step_pair(unit, at);
    uint32_t i = step(unit, at);
    for (int steps = 0; i < end && steps < LIMIT; ++steps) {
        switch (unit_kind(unit, i)) {
        case TOK_GREATER:
            return step(unit, i);
        case TOK_SEMICOLON:
        case TOK_LBRACE:
        case TOK_RBRACE:
        case TOK_RPAREN:
            return at;
        default:
            i = opens_pair(unit, i, end) ? step_pair(unit, i) : step(unit, i);
        }
    }
    return at;
}

/* Behind the name of an operator, `operator()`, `operator+`, `operator bool`, at the word. */
static uint32_t operator_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    uint32_t i = step(unit, at);
    enum token_kind kind = unit_kind(unit, i);
    if (end <= i)
        return end;
    bool named = kind == TOK_IDENT || kind == TOK_TYPE || kind == TOK_SPECIFIER ||
                 kind == TOK_COLON_COLON || kind == TOK_TYPENAME;
    if (kind == TOK_LPAREN || kind == TOK_LBRACKET)
        i = step_pair(unit, i);
    else if (named)
        while (i < end && unit_kind(unit, i) != TOK_LPAREN && unit_kind(unit, i) != TOK_SEMICOLON &&
               unit_kind(unit, i) != TOK_COMMA)
            i = opens_pair(unit, i, end) ? step_pair(unit, i) : step(unit, i);
    else
        i = step(unit, i);
    if (i < end && unit_kind(unit, i) == TOK_LESS)
        i = angles_end(unit, i, end);
    return i < end ? i : end;
}

/* Behind the identifier at AT; in a macro's text with what is pasted to it. */
static uint32_t pasted_end(const struct unit *unit, uint32_t at)
{
    uint32_t i = step(unit, at);
    while (unit_kind(unit, i) == TOK_HASH_HASH)
        i = step(unit, step(unit, i));
    return i;
}

/* Behind the name at AT with its qualification and template arguments; AT where there is none. */
static uint32_t name_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    uint32_t i = at, res = at;
    if (unit_kind(unit, i) == TOK_COLON_COLON)
        i = step(unit, i);
    while (i < end) {
        if (unit_kind(unit, i) == TOK_OPERATOR && i != at)
            return operator_end(unit, i, end);
        if (i != at && (unit_kind(unit, i) == TOK_TEMPLATE || unit_kind(unit, i) == TOK_TILDE))
            i = step(unit, i);
        if (end <= i || unit_kind(unit, i) != TOK_IDENT)
            break;
        i = pasted_end(unit, i);
        if (i < end && unit_kind(unit, i) == TOK_LESS && unit_partner(unit, i) != NO_TOKEN) {
            /* The `>>` that closes an argument of a template closes the template as well. */
            uint32_t partner = unit_partner(unit, i);
            if (end < partner)
                return i;
            i = partner == end ? end : step(unit, partner);
        }
        res = i;
        if (end <= i || unit_kind(unit, i) != TOK_COLON_COLON)
            break;
        i = step(unit, i);
    }
    return res < end ? res : end;
}

/* Behind `class X : Y { ... }` or a part of it, at the word behind `class`. */
static uint32_t class_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    uint32_t i = at;
    while (i < end && (unit_kind(unit, i) == TOK_CLASS || unit_kind(unit, i) == TOK_ATTRIBUTE)) {
        i = step(unit, i);
        if (i < end && unit_kind(unit, i) == TOK_LPAREN)
            i = step_pair(unit, i);
    }
    i = name_end(unit, i, end);
    uint32_t open = i;
    if (open < end && unit_kind(unit, open) == TOK_COLON)
        while (open < end && unit_kind(unit, open) != TOK_LBRACE &&
               unit_kind(unit, open) != TOK_SEMICOLON && unit_kind(unit, open) != TOK_RPAREN)
            open = step(unit, open);
    if (open < end && unit_kind(unit, open) == TOK_LBRACE && opens_pair(unit, open, end))
        return step_pair(unit, open);
    return i;
}

/* Whether the name from AT to BEHIND, in front of a type, is a macro that stands for a specifier.
 */
static bool is_specifier_macro(const struct unit *unit, uint32_t at, uint32_t behind, uint32_t end)
{
    if (end <= behind || step(unit, at) != behind)
        return false;
    switch (unit_kind(unit, behind)) {
    case TOK_TYPE:
    case TOK_CLASS:
    case TOK_TYPENAME:
    case TOK_SHARED:
    case TOK_DECLTYPE:
        return true;
    case TOK_IDENT: {
        /* Of three names the macro is the one that is written as such: UNUSED T x, T RESTRICT x,
           T x ALIGNED. */
        uint32_t next = step(unit, behind);
        if (end <= next || unit_kind(unit, next) != TOK_IDENT ||
            tree_is_type_name(unit_token(unit, at)->symbol))
            return false;
        return is_macro_name(unit, at) ||
               (!is_macro_name(unit, behind) && !is_macro_name(unit, next));
    }
    default:
        return false;
    }
}

uint32_t body_type_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    bool has_type = false;
    uint32_t i = at;
    while (i < end) {
        uint32_t behind;
        switch (unit_kind(unit, i)) {
        case TOK_SPECIFIER:
        case TOK_EXTERN:
        case TOK_SHARED:
        case TOK_CONSTANT:
        case TOK_DEVICE:
        case TOK_HOST:
        case TOK_MANAGED:
        case TOK_GRID_CONSTANT:
        case TOK_FORCEINLINE:
        case TOK_NOINLINE:
        case TOK_TYPENAME:
            i = step(unit, i);
            continue;
        case TOK_ATTRIBUTE:
            i = step(unit, i);
            if (i < end && unit_kind(unit, i) == TOK_LPAREN)
                i = step_pair(unit, i);
            continue;
        case TOK_LBRACKET:
            if (has_type || unit_kind(unit, i + 1) != TOK_LBRACKET || !opens_pair(unit, i, end))
                break;
            i = step_pair(unit, i);
            continue;
        case TOK_TYPE:
            has_type = true;
            i = step(unit, i);
            continue;
        case TOK_DECLTYPE:
            has_type = true;
            i = step(unit, i);
            if (i < end && unit_kind(unit, i) == TOK_LPAREN)
                i = step_pair(unit, i);
            if (i < end && unit_kind(unit, i) == TOK_COLON_COLON)
                i = name_end(unit, i, end);
            continue;
        case TOK_CLASS:
        case TOK_ENUM:
            if (has_type)
                break;
            has_type = true;
            i = class_end(unit, step(unit, i), end);
            continue;
        case TOK_IDENT:
        case TOK_COLON_COLON:
            behind = has_type ? i : name_end(unit, i, end);
            if (behind == i)
                break;
            has_type = !is_specifier_macro(unit, i, behind, end);
            i = behind;
            continue;
        default:
            break;
        }
        break;
    }
    return has_type ? i : at;
}

/* Whether the parenthesis at OPEN holds no more than stars and references: (*), (&&). */
static bool is_abstract(const struct unit *unit, uint32_t open)
{
    uint32_t close = unit_partner(unit, open), i = step(unit, open);
    if (i == close)
        return false;
    while (i < close && (unit_kind(unit, i) == TOK_STAR || unit_kind(unit, i) == TOK_AMP ||
                         unit_kind(unit, i) == TOK_AND_AND || unit_kind(unit, i) == TOK_SPECIFIER))
        i = step(unit, i);
    return i == close;
}

/* Behind the type at AT with its pointers, as a cast has it; AT where there is none. */
static uint32_t whole_type_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    uint32_t i = body_type_end(unit, at, end);
    if (i == at)
        return at;
    while (i < end) {
        switch (unit_kind(unit, i)) {
        case TOK_STAR:
        case TOK_AMP:
        case TOK_AND_AND:
        case TOK_SPECIFIER:
        case TOK_ELLIPSIS:
            i = step(unit, i);
            continue;
        case TOK_LBRACKET:
            if (!opens_pair(unit, i, end))
                return i;
            i = step_pair(unit, i);
            continue;
        case TOK_LPAREN: {
            /* (*)(int), (&)[4] */
            if (!opens_pair(unit, i, end) || !is_abstract(unit, i))
                return i;
            i = step_pair(unit, i);
            if (i < end && unit_kind(unit, i) == TOK_LPAREN)
                i = step_pair(unit, i);
            continue;
        }
        default:
            return i;
        }
    }
    return i;
}

static bool begins_with_type_word(enum token_kind kind)
{
    return kind == TOK_TYPE || kind == TOK_SPECIFIER || kind == TOK_TYPENAME || kind == TOK_CLASS ||
           kind == TOK_ENUM || kind == TOK_DECLTYPE;
}

/* The name that the type from AT to BEHIND is, where it is no more than that. */
static const struct symbol *plain_name(const struct unit *unit, uint32_t at, uint32_t behind)
{
    return step(unit, at) == behind ? unit_token(unit, at)->symbol : NULL;
}

/* Whether the parenthesis at OPEN, where an operand begins, is a cast. */
static bool is_cast(const struct unit *unit, uint32_t open, uint32_t end)
{
    if (!opens_pair(unit, open, end))
        return false;
    uint32_t close = unit_partner(unit, open), first = step(unit, open);
    if (first == close || whole_type_end(unit, first, close) != close)
        return false;
    if (begins_with_type_word(unit_kind(unit, first)))
        return true;
    switch (unit_kind(unit, unit_prev(unit, close))) {
    case TOK_STAR:
    case TOK_AMP:
    case TOK_AND_AND:
    case TOK_SPECIFIER:
        return true;
    default:
        break;
    }
    const struct symbol *name = plain_name(unit, first, close);
    bool known = name && tree_is_type_name(name);
    uint32_t next = step(unit, close);
    if (end <= next)
        return false;
    switch (unit_kind(unit, next)) {
    case TOK_STATEMENT: /* new */
    case TOK_COLON_COLON:
    case TOK_IDENT:
    case TOK_NUMBER:
    case TOK_CHAR:
    case TOK_STRING:
    case TOK_CAST:
    case TOK_SIZEOF:
    case TOK_TYPE:
    case TOK_TILDE:
    case TOK_BANG:
        return true;
    case TOK_LPAREN: /* nobody writes (f)(x) for f(x), but (min)(x, y), as that may be a macro */
        return unit_kind(unit, unit_prev(unit, close)) != TOK_RBRACKET &&
               unit_partner(unit, next) != step(unit, next) &&
               !is_word(unit, unit_prev(unit, close), "min") &&
               !is_word(unit, unit_prev(unit, close), "max");
    case TOK_LBRACE:
    case TOK_MINUS:
    case TOK_PLUS:
    case TOK_STAR:
    case TOK_AMP:
    case TOK_PLUS_PLUS:
    case TOK_MINUS_MINUS:
        return known;
    default:
        return false;
    }
}

/* Whether the name at AT, behind a type's stars, is a macro such as RESTRICT. */
static bool is_qualifier_macro(const struct unit *unit, uint32_t at)
{
    enum token_kind next = unit_kind(unit, step(unit, at));
    return next == TOK_IDENT || next == TOK_SPECIFIER;
}

/* Whether the type from AT to BEHIND is no more than the name of one that is known. */
static bool names_type(const struct unit *unit, uint32_t at, uint32_t behind)
{
    const struct symbol *name = plain_name(unit, at, behind);
    return name && tree_is_type_name(name);
}

/* Whether the parenthesis at OPEN, behind a type, is a declarator, (*f)(...) or (a) = 1, and not
   what is converted. */
static bool holds_declarator(const struct unit *unit, uint32_t open, uint32_t end)
{
    if (!opens_pair(unit, open, end))
        return false;
    uint32_t inner = step(unit, open), close = unit_partner(unit, open);
    switch (unit_kind(unit, inner)) {
    case TOK_STAR:
    case TOK_AMP:
        return true;
    case TOK_IDENT:
        return step(unit, inner) == close && unit_kind(unit, step(unit, close)) == TOK_ASSIGN;
    default:
        return false;
    }
}

/* Whether a declaration begins at AT, where PLACE says what may. */
static bool is_declaration(const struct unit *unit, uint32_t at, uint32_t end,
                           enum body_place place)
{
    uint32_t i = body_type_end(unit, at, end);
    if (i == at)
        return false;
    enum token_kind first = unit_kind(unit, at);
    bool name_only = first == TOK_IDENT || first == TOK_COLON_COLON;
    bool parenthesis = i < end && unit_kind(unit, i) == TOK_LPAREN;
    if (place == PLACE_STATEMENT && parenthesis && (!name_only || names_type(unit, at, i)))
        return holds_declarator(unit, i, end);
    if (!name_only && place == PLACE_STATEMENT)
        return unit_kind(unit, i) != TOK_LBRACE;
    bool stars = false;
    while (i < end) {
        enum token_kind kind = unit_kind(unit, i);
        bool macro =
            kind == TOK_IDENT && is_qualifier_macro(unit, i) && (stars || is_macro_name(unit, i));
        if (kind != TOK_STAR && kind != TOK_AMP && kind != TOK_AND_AND && kind != TOK_SPECIFIER &&
            !macro)
            break;
        stars = true;
        i = step(unit, i);
    }
    if (end <= i)
        return false;
    if (unit_kind(unit, i) == TOK_LBRACKET)
        return first == TOK_TYPE || first == TOK_SPECIFIER; /* auto [a, b] */
    if (unit_kind(unit, i) != TOK_IDENT)
        return false;
    switch (unit_kind(unit, step(unit, i))) {
    case TOK_ASSIGN:
        return true;
    case TOK_COLON:
        return place != PLACE_STATEMENT;
    case TOK_SEMICOLON:
    case TOK_COMMA:
    case TOK_LBRACKET:
        return place != PLACE_CONDITION;
    case TOK_LBRACE:
    case TOK_ATTRIBUTE:
        return !name_only || (place != PLACE_CONDITION && !stars);
    case TOK_IDENT:
        return place == PLACE_STATEMENT && is_macro_name(unit, step(unit, i));
    case TOK_LPAREN: {
        return place != PLACE_CONDITION &&
               (!name_only || !stars || names_type(unit, at, body_type_end(unit, at, end)));
    }
    default:
        return false;
    }
}

/* The names of types. */

/* Marks what `typedef ... NAME;` declares; AT is the word behind typedef. */
static void mark_typedef(const struct unit *unit, uint32_t at)
{
    struct symbol *name = NULL;
    for (uint32_t i = at;; i = step(unit, i)) {
        enum token_kind kind = unit_kind(unit, i);
        if (kind == TOK_EOF || kind == TOK_SEMICOLON || kind == TOK_RBRACE)
            break;
        if (kind == TOK_IDENT)
            name = unit_token(unit, i)->symbol;
        uint32_t partner = unit_partner(unit, i);
        if (kind == TOK_LPAREN && unit_kind(unit, step(unit, i)) == TOK_STAR &&
            unit_kind(unit, i + 2) == TOK_IDENT) {
            name = unit_token(unit, i + 2)->symbol;
            break;
        }
        if (partner != NO_TOKEN && i < partner && kind != TOK_LBRACKET)
            i = partner;
    }
    if (name)
        name->is_type = true;
}

/* Whether the name at INDEX is used as a type: `; NAME other =` and the like. */
static bool declares_something(const struct unit *unit, uint32_t index)
{
    if (unit_kind(unit, index + 1) != TOK_IDENT || index == 0)
        return false;
    switch (unit_kind(unit, index - 1)) {
    case TOK_SEMICOLON:
    case TOK_LBRACE:
    case TOK_LPAREN:
    case TOK_COMMA:
    case TOK_SPECIFIER:
        break;
    default:
        return false;
    }
    switch (unit_kind(unit, index + 2)) {
    case TOK_ASSIGN:
    case TOK_SEMICOLON:
    case TOK_COMMA:
    case TOK_RPAREN:
    case TOK_LBRACKET:
        return true;
    default:
        return false;
    }
}

void trees_init(struct trees *trees, const struct unit *unit, struct arena *arena)
{
    *trees = (struct trees){.unit = unit, .arena = arena};
    uint32_t count = (uint32_t)unit->tokens.list.count;
    for (uint32_t i = 0; i + 1 < count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (!token->symbol)
            continue;
        uint32_t next = i + 1;
        switch (token->kind) {
        case TOK_CLASS:
        case TOK_TYPENAME:
            while (unit_kind(unit, next) == TOK_ATTRIBUTE ||
                   unit_kind(unit, next) == TOK_ELLIPSIS) {
                next = next + 1;
                if (unit_kind(unit, next) == TOK_LPAREN)
                    next = step_pair(unit, next);
            }
            if (unit_kind(unit, next) == TOK_IDENT)
                unit_token(unit, next)->symbol->is_type = true;
            break;
        case TOK_ENUM:
            if (unit_kind(unit, next) == TOK_IDENT)
                unit_token(unit, next)->symbol->is_type = true;
            break;
        case TOK_USING:
            if (unit_kind(unit, next) == TOK_IDENT && unit_kind(unit, next + 1) == TOK_ASSIGN)
                unit_token(unit, next)->symbol->is_type = true;
            break;
        case TOK_TYPEDEF:
            mark_typedef(unit, next);
            break;
        case TOK_IDENT:
            if (declares_something(unit, i))
                token->symbol->is_type = true;
            break;
        default:
            break;
        }
    }
}

/* The stream. */

void body_feed_init(struct body *body, struct trees *trees, enum body_start start,
                    struct range range)
{
    *body = (struct body){
        .trees = trees,
        .unit = trees->unit,
        .start = start,
        .at = range.begin,
        .end = range.end,
        .place = start == BODY_STATEMENTS ? PLACE_STATEMENT : PLACE_INSIDE,
        .rest_at = NO_TOKEN,
    };
    *vec_push(&body->open) = (struct body_bracket){.token = NO_TOKEN, .partner = NO_TOKEN};
}

void body_feed_release(struct body *body)
{
    vec_release(&body->open);
}

static struct body_bracket *innermost(struct body *body)
{
    return &body->open.items[body->open.count - 1];
}

static struct body_bracket *open_bracket(struct body *body, uint32_t index)
{
    struct body_bracket *res = vec_push(&body->open);
    *res = (struct body_bracket){.token = index, .partner = unit_partner(body->unit, index)};
    return res;
}

void body_feed_failed(struct body *body)
{
    body->failed = true;
    body->stopped = body->last;
    /* A bracket that the last token closed stays open for the search; one that it opened is none.
     */
    body->open.count = body->last_open;
}

/* Behind the statement that AT lies in, directly in the block that closes at CLOSE. */
static uint32_t statement_end(const struct unit *unit, uint32_t at, uint32_t close)
{
    while (at < close) {
        enum token_kind kind = unit_kind(unit, at);
        if (kind == TOK_SEMICOLON)
            return step(unit, at);
        bool block = kind == TOK_LBRACE && opens_pair(unit, at, close);
        if (kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE)
            at = opens_pair(unit, at, close) ? step_pair(unit, at) : step(unit, at);
        else
            at = step(unit, at);
        if (!block)
            continue;
        switch (unit_kind(unit, at)) {
        case TOK_SEMICOLON:
        case TOK_COMMA:
        case TOK_RPAREN:
        case TOK_LPAREN:
        case TOK_DOT:
        case TOK_ASSIGN:
            break;
        default:
            return at;
        }
    }
    return close;
}

/* The rest of the statement that the grammar did not accept. */
static int feed_rest(struct body *body, struct range *where)
{
    const struct unit *unit = body->unit;
    size_t block = body->open.count;
    while (0 < block && !body->open.items[block - 1].block)
        --block;
    /* An island that is no list of statements has nothing to go on with, and the same token twice
       would be one time after the other. */
    if (block == 0 || body->rest_at == body->last)
        return BODY_YYEOF;
    body->rest_at = body->last;
    uint32_t close = body->open.items[block - 1].partner;
    uint32_t at = body->last;
    if (block < body->open.count) {
        const struct body_bracket *outer = &body->open.items[block];
        if (outer->partner != NO_TOKEN && outer->partner < close)
            at = step(unit, outer->partner);
    }
    body->open.count = block;
    body->failed = false;
    body->place = PLACE_STATEMENT;
    body->operand = body->declarator = body->argument = body->member = false;
    body->type_next = body->label = false;
    body->parenthesis = PLACE_INSIDE;
    body->open.items[block - 1].choices = 0;
    body->open.items[block - 1].declares = false;
    body->at = statement_end(unit, at, close);
    where->begin = body->last;
    where->end = end_before(unit, body->last, body->at);
    return REST;
}

/* What follows an operand is an operator. */
static int operand_to(struct body *body, uint32_t behind, int res)
{
    body->at = behind;
    body->operand = true;
    return res;
}

static int operator_to(struct body *body, uint32_t behind, int res)
{
    body->at = behind;
    body->operand = false;
    return res;
}

/* A token behind which a statement begins. */
static int statement_behind(struct body *body, uint32_t behind, int res)
{
    body->place = PLACE_STATEMENT;
    return operator_to(body, behind, res);
}

static int feed_type(struct body *body, uint32_t first)
{
    body->declarator = true;
    innermost(body)->declares = true;
    return operator_to(body, body_type_end(body->unit, first, body->end), TYPE);
}

/* using ...; typedef ...; static_assert(...); */
static int feed_alias(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = first;
    while (i < body->end && unit_kind(unit, i) != TOK_SEMICOLON && unit_kind(unit, i) != TOK_RBRACE)
        i = opens_pair(unit, i, body->end) ? step_pair(unit, i) : step(unit, i);
    if (i < body->end && unit_kind(unit, i) == TOK_SEMICOLON)
        i = step(unit, i);
    return statement_behind(body, i < body->end ? i : body->end, ALIAS);
}

/* Whether the call of the macro at FIRST is a statement without a semicolon: by what follows it. */
static bool ends_macro_call(const struct unit *unit, uint32_t first, uint32_t next)
{
    switch (unit_kind(unit, next)) {
    case TOK_RBRACE:
    case TOK_STATEMENT:
    case TOK_IDENT:
    case TOK_TYPE:
    case TOK_SPECIFIER:
    case TOK_SHARED:
    case TOK_EXTERN:
    case TOK_USING:
    case TOK_TYPEDEF:
    case TOK_CLASS:
    case TOK_ENUM:
    case TOK_TYPENAME:
    case TOK_DECLTYPE:
    case TOK_CAST:
    case TOK_STATIC_ASSERT:
        return true;
    case TOK_LPAREN:
    case TOK_COLON_COLON:
    case TOK_STAR:
    case TOK_PLUS_PLUS:
    case TOK_MINUS_MINUS:
        return begins_line(unit, next) && is_macro_name(unit, first);
    default:
        return false;
    }
}

static bool is_statement_word(const struct unit *unit, uint32_t index)
{
    return unit_kind(unit, index) == TOK_STATEMENT && !is_word(unit, index, "new") &&
           !is_word(unit, index, "delete");
}

/* Whether the arguments that open at OPEN hold words that no expression has: `(parallel for)`. */
static bool has_keyword(const struct unit *unit, uint32_t open)
{
    uint32_t close = unit_partner(unit, open);
    bool res = false;
    for (uint32_t i = step(unit, open); i < close;) {
        if (unit_kind(unit, i) == TOK_SEMICOLON)
            return false;
        res |= is_statement_word(unit, i);
        i = opens_pair(unit, i, close) ? step_pair(unit, i) : step(unit, i);
    }
    return res;
}

/* NAME (...) at the start of a statement that no semicolon ends: a macro; 0 where it is none. */
static int feed_macro(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t open = pasted_end(unit, first);
    switch (unit_kind(unit, open)) {
    case TOK_COLON:
        return statement_behind(body, step(unit, open), LABEL);
    case TOK_LBRACE: {
        enum token_kind behind = unit_kind(unit, step_pair(unit, open));
        if (behind == TOK_DOT || behind == TOK_LPAREN || behind == TOK_SEMICOLON)
            return 0; /* T{x}.f() */
        return statement_behind(body, open, ALIAS);
    }
    case TOK_STATEMENT:
    case TOK_RBRACE:
        /* A macro for a pragma, or the head of a loop. */
        return statement_behind(body, open, ALIAS);
    case TOK_LPAREN:
        break;
    default:
        return 0;
    }
    if (!opens_pair(unit, open, body->end))
        return 0;
    uint32_t close = unit_partner(unit, open), next = step(unit, close);
    int res;
    if (unit_kind(unit, next) == TOK_LBRACE)
        res = MACRO_LOOP;
    else if (ends_macro_call(unit, first, next))
        res = MACRO_CALL;
    else
        return 0;
    if (has_keyword(unit, open))
        return statement_behind(body, next, ALIAS);
    body->parenthesis = PLACE_STATEMENT;
    return operator_to(body, open, res);
}

/* asm volatile (...) */
static int feed_asm(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = step(unit, first);
    while (i < body->end && (unit_kind(unit, i) == TOK_SPECIFIER || is_word(unit, i, "goto")))
        i = step(unit, i);
    if (i < body->end && unit_kind(unit, i) == TOK_LPAREN && opens_pair(unit, i, body->end))
        return operator_to(body, step_pair(unit, i), ASM);
    return operator_to(body, i, OTHER);
}

static int feed_new(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = step(unit, first);
    if (i < body->end && unit_kind(unit, i) == TOK_LPAREN) /* placement */
        i = step_pair(unit, i);
    body->type_next = true;
    return operator_to(body, i, NEW);
}

/* A word of kind TOK_STATEMENT. */
static int feed_word(struct body *body, uint32_t first)
{
    static const struct word {
        const char *text;
        int token;
        enum body_place parenthesis; /* that a ( begins */
        bool statement;              /* one begins behind it */
        bool label;                  /* a colon ends it */
    } words[] = {
        {"break", BREAK, 0, false, false},
        {"case", CASE, 0, false, true},
        {"continue", CONTINUE, 0, false, false},
        {"default", DEFAULT, 0, false, true},
        {"delete", DELETE, 0, false, false},
        {"do", DO, 0, true, false},
        {"else", ELSE, 0, true, false},
        {"for", FOR, PLACE_FOR, false, false},
        {"goto", GOTO, 0, false, false},
        {"if", IF, PLACE_CONDITION, false, false},
        {"return", RETURN, 0, false, false},
        {"switch", SWITCH, PLACE_CONDITION, false, false},
        {"try", TRY, 0, true, false},
        {"while", WHILE, PLACE_CONDITION, false, false},
    };
    const struct unit *unit = body->unit;
    uint32_t next = step(unit, first);
    if (is_word(unit, first, "asm") || is_word(unit, first, "__asm__"))
        return feed_asm(body, first);
    if (is_word(unit, first, "new"))
        return feed_new(body, first);
    if (is_word(unit, first, "delete") && unit_kind(unit, next) == TOK_LBRACKET)
        return operator_to(body, step_pair(unit, next), DELETE);
    if (is_word(unit, first, "catch"))
        return statement_behind(body, step_pair(unit, next), CATCH);
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        const struct word *word = &words[i];
        if (!is_word(unit, first, word->text))
            continue;
        body->parenthesis = word->parenthesis;
        body->label = word->label;
        /* if constexpr, or a macro for it */
        if (word->parenthesis &&
            (unit_kind(unit, next) == TOK_SPECIFIER || unit_kind(unit, next) == TOK_IDENT))
            next = step(unit, next);
        return word->statement ? statement_behind(body, next, word->token)
                               : operator_to(body, next, word->token);
    }
    return operator_to(body, next, OTHER);
}

/* A lambda at its [, or 0. */
static int feed_lambda(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = step_pair(unit, first);
    while (i < body->end) {
        switch (unit_kind(unit, i)) {
        case TOK_LBRACE:
            if (!opens_pair(unit, i, body->end))
                return 0;
            return operand_to(body, step_pair(unit, i), LAMBDA);
        case TOK_LPAREN:
            if (!opens_pair(unit, i, body->end))
                return 0;
            i = step_pair(unit, i);
            continue;
        case TOK_LESS: {
            uint32_t behind = angles_end(unit, i, body->end);
            if (behind == i)
                return 0;
            i = behind;
            continue;
        }
        case TOK_SPECIFIER:
        case TOK_NOEXCEPT:
        case TOK_DEVICE:
        case TOK_HOST:
        case TOK_ATTRIBUTE:
        case TOK_ARROW:
        case TOK_TYPE:
        case TOK_IDENT:
        case TOK_STAR:
        case TOK_AMP:
        case TOK_COLON_COLON:
            i = step(unit, i);
            continue;
        default:
            return 0;
        }
    }
    return 0;
}

/* Strings in a row, macros among them. */
static int feed_strings(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = step(unit, first);
    while (i < body->end && (unit_kind(unit, i) == TOK_STRING || unit_kind(unit, i) == TOK_IDENT)) {
        bool macro = unit_kind(unit, i) == TOK_IDENT;
        i = step(unit, i);
        if (macro && i < body->end && unit_kind(unit, i) == TOK_LPAREN)
            i = step_pair(unit, i);
    }
    return operand_to(body, i < body->end ? i : body->end, STRINGS);
}

/* The name of a member, or of an operator: `~T`, `operator()`, `template f<int>`. */
static int feed_member(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t i = first;
    if (unit_kind(unit, i) == TOK_TEMPLATE && unit_kind(unit, step(unit, i)) == TOK_OPERATOR)
        i = step(unit, i);
    if (unit_kind(unit, i) == TOK_OPERATOR)
        return operand_to(body, operator_end(unit, i, body->end), NAME);
    if (unit_kind(unit, i) == TOK_TILDE || unit_kind(unit, i) == TOK_TEMPLATE)
        i = step(unit, i);
    uint32_t behind = name_end(unit, i, body->end);
    return behind == i ? operator_to(body, step(unit, first), OTHER)
                       : operand_to(body, behind, NAME);
}

static int feed_sizeof(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t next = step(unit, first);
    if (unit_kind(unit, next) == TOK_ELLIPSIS)
        return operand_to(body, step_pair(unit, step(unit, next)), SOME);
    return operator_to(body, next, SIZEOF);
}

/* throw, noexcept(...), requires (...) { ... } */
static int feed_noexcept(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t next = step(unit, first);
    if (is_word(unit, first, "throw"))
        return operator_to(body, next, THROW);
    uint32_t i = next;
    if (i < body->end && unit_kind(unit, i) == TOK_LPAREN && opens_pair(unit, i, body->end))
        i = step_pair(unit, i);
    if (is_word(unit, first, "requires") && i < body->end && unit_kind(unit, i) == TOK_LBRACE &&
        opens_pair(unit, i, body->end))
        i = step_pair(unit, i);
    return i == next ? operator_to(body, next, OTHER) : operand_to(body, i, SOME);
}

static int feed_open_brace(struct body *body, uint32_t first, bool block)
{
    if (!opens_pair(body->unit, first, body->end))
        return operator_to(body, step(body->unit, first), OTHER);
    open_bracket(body, first)->block = block;
    uint32_t next = step(body->unit, first);
    return block ? statement_behind(body, next, BLOCK_OPEN) : operator_to(body, next, LIST_OPEN);
}

/* Whether a semicolon lies directly between the brackets that open at OPEN. */
static bool has_semicolon(const struct unit *unit, uint32_t open)
{
    uint32_t close = unit_partner(unit, open), i = step(unit, open);
    while (i < close && unit_kind(unit, i) != TOK_SEMICOLON)
        i = opens_pair(unit, i, close) ? step_pair(unit, i) : step(unit, i);
    return i < close;
}

/* An argument (...) or { ... } of a macro that holds statements; 0 where it is none. */
static int feed_statements(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    if (unit_kind(unit, first) == TOK_LBRACE && opens_pair(unit, first, body->end) &&
        (has_semicolon(unit, first) || is_statement_word(unit, step(unit, first))))
        return feed_open_brace(body, first, true);
    if (unit_kind(unit, first) != TOK_LPAREN || !opens_pair(unit, first, body->end))
        return 0;
    uint32_t close = unit_partner(unit, first), i = step(unit, first);
    enum token_kind next = unit_kind(unit, step(unit, close));
    if (next != TOK_COMMA && next != TOK_RPAREN)
        return 0;
    if (i < close && unit_kind(unit, i) == TOK_LBRACE)
        return 0;
    bool certain = i == close || is_statement_word(unit, i);
    if (!certain && !has_semicolon(unit, first))
        return 0;
    open_bracket(body, first)->block = true;
    return statement_behind(body, step(unit, first), STATEMENTS_OPEN);
}

/* Whether the parenthesis at OPEN, behind a macro's name, holds statements. */
static bool has_statements(const struct unit *unit, uint32_t open)
{
    return is_macro_name(unit, unit_prev(unit, open)) && has_semicolon(unit, open);
}

/* Whether what AT is goes on with the operand before it, as in `sizeof (a)[0]`. */
static bool goes_on(const struct unit *unit, uint32_t at)
{
    enum token_kind kind = unit_kind(unit, at);
    return kind == TOK_LBRACKET || kind == TOK_DOT || kind == TOK_ARROW || kind == TOK_LPAREN;
}

static int feed_open_parenthesis(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    bool after_sizeof = unit_kind(unit, body->last) == TOK_SIZEOF && !body->operand;
    enum body_place inside = body->parenthesis;
    body->parenthesis = PLACE_INSIDE;
    if (!opens_pair(unit, first, body->end))
        return operator_to(body, step(unit, first), OTHER);
    uint32_t inner = step(unit, first);
    bool plain =
        !body->operand && !inside && !body->declarator && unit_kind(unit, body->last) != TOK_CAST;
    if (plain && after_sizeof && !goes_on(unit, step_pair(unit, first)) &&
        inner != unit_partner(unit, first) &&
        whole_type_end(unit, inner, unit_partner(unit, first)) == unit_partner(unit, first))
        return operand_to(body, step_pair(unit, first), TYPE_OPERAND);
    if (plain && !after_sizeof && is_cast(unit, first, body->end))
        return operator_to(body, step_pair(unit, first), CAST);
    if (plain && unit_kind(unit, inner) == TOK_LBRACE) { /* ({ ... }) */
        open_bracket(body, first);
        return statement_behind(body, inner, '(');
    }
    struct body_bracket *bracket = open_bracket(body, first);
    bracket->control = inside != PLACE_INSIDE;
    bracket->call = body->operand || inside == PLACE_STATEMENT;
    if (bracket->call && has_statements(unit, first)) {
        bracket->mixed = bracket->block = true;
        return statement_behind(body, inner, MIXED_OPEN);
    }
    body->argument = bracket->call;
    if (inside == PLACE_FOR || inside == PLACE_CONDITION)
        body->place = inside;
    return operator_to(body, inner, '(');
}

static int feed_open_bracket(struct body *body, uint32_t first)
{
    if (!opens_pair(body->unit, first, body->end))
        return operator_to(body, step(body->unit, first), OTHER);
    int lambda = body->operand || body->declarator ? 0 : feed_lambda(body, first);
    if (lambda)
        return lambda;
    open_bracket(body, first);
    body->declarator = false;
    return operator_to(body, step(body->unit, first), '[');
}

static int feed_close(struct body *body, uint32_t first)
{
    uint32_t next = step(body->unit, first);
    struct body_bracket *bracket = innermost(body);
    if (bracket->partner != first)
        return operator_to(body, next, OTHER);
    struct body_bracket closed = *bracket;
    body->open.count--;
    switch (unit_kind(body->unit, first)) {
    case TOK_RPAREN:
        if (closed.block && closed.control)
            return statement_behind(body, next, STATEMENTS_CLOSE);
        if (closed.block)
            return operand_to(body, next, STATEMENTS_CLOSE);
        return closed.control ? statement_behind(body, next, ')') : operand_to(body, next, ')');
    case TOK_RBRACKET:
        return operand_to(body, next, ']');
    default:
        return closed.block ? statement_behind(body, next, BLOCK_CLOSE)
                            : operand_to(body, next, LIST_CLOSE);
    }
}

/* An operator or a punctuator that stands for itself. */
static int operator_token(enum token_kind kind)
{
    switch (kind) {
    case TOK_PLUS:
        return '+';
    case TOK_MINUS:
        return '-';
    case TOK_STAR:
        return '*';
    case TOK_SLASH:
        return '/';
    case TOK_PERCENT:
        return '%';
    case TOK_CARET:
        return '^';
    case TOK_AMP:
        return '&';
    case TOK_PIPE:
        return '|';
    case TOK_TILDE:
        return '~';
    case TOK_BANG:
        return '!';
    case TOK_ASSIGN:
        return '=';
    case TOK_AND_AND:
        return AND_AND;
    case TOK_OR_OR:
        return OR_OR;
    case TOK_EQUAL:
    case TOK_NOT_EQUAL:
        return EQUAL;
    case TOK_LESS:
    case TOK_GREATER:
    case TOK_LESS_EQUAL:
    case TOK_GREATER_EQUAL:
        return RELATION;
    case TOK_SHIFT_LEFT:
    case TOK_SHIFT_RIGHT:
        return SHIFT;
    case TOK_DOT_STAR:
    case TOK_ARROW_STAR:
        return DOT_STAR;
    case TOK_PLUS_ASSIGN:
    case TOK_MINUS_ASSIGN:
    case TOK_STAR_ASSIGN:
    case TOK_SLASH_ASSIGN:
    case TOK_PERCENT_ASSIGN:
    case TOK_CARET_ASSIGN:
    case TOK_AMP_ASSIGN:
    case TOK_PIPE_ASSIGN:
    case TOK_SHIFT_LEFT_ASSIGN:
    case TOK_SHIFT_RIGHT_ASSIGN:
        return ASSIGN;
    default:
        return OTHER;
    }
}

static int feed_colon(struct body *body, uint32_t first)
{
    struct body_bracket *bracket = innermost(body);
    uint32_t next = step(body->unit, first);
    if (0 < bracket->choices) {
        bracket->choices--;
    } else if (body->label) {
        body->label = false;
        return statement_behind(body, next, ':');
    }
    return operator_to(body, next, ':');
}

/* Whether the name at FIRST is a macro that is a line of its own: PUSH_WARNINGS. */
static bool is_macro_statement(const struct unit *unit, uint32_t first, enum body_place place)
{
    if (place != PLACE_STATEMENT || unit_kind(unit, first) != TOK_IDENT)
        return false;
    uint32_t next = step(unit, first);
    enum token_kind kind = unit_kind(unit, next);
    if (!unit_token(unit, next)->symbol && kind != TOK_RBRACE)
        return false;
    if (!is_macro_name(unit, first))
        return false;
    if (begins_line(unit, next))
        return true;
    enum token_kind after = unit_kind(unit, step(unit, next));
    return (after == TOK_IDENT || after == TOK_RBRACE) && is_macro_name(unit, next);
}

/* What begins only at the start of a statement; 0 where nothing does. */
static int feed_start(struct body *body, uint32_t first, enum body_place place)
{
    const struct unit *unit = body->unit;
    switch (unit_kind(unit, first)) {
    case TOK_USING:
    case TOK_TYPEDEF:
    case TOK_NAMESPACE:
    case TOK_STATIC_ASSERT:
        return feed_alias(body, first);
    case TOK_LBRACE:
        if (place != PLACE_STATEMENT)
            return 0;
        if (opens_pair(unit, first, body->end))
            return feed_open_brace(body, first, true);
        /* One of two that a single brace closes, in the branches of an #if. */
        return statement_behind(body, step(unit, first), ';');
    default:
        break;
    }
    if (is_macro_statement(unit, first, place))
        return statement_behind(body, step(unit, first), ALIAS);
    if (innermost(body)->mixed && place == PLACE_STATEMENT) {
        int res = feed_statements(body, first);
        if (res)
            return res;
    }
    if (is_declaration(unit, first, body->end, place))
        return feed_type(body, first);
    if (place == PLACE_STATEMENT && unit_kind(unit, first) == TOK_IDENT)
        return feed_macro(body, first);
    return 0;
}

/* Whether the type from FIRST to BEHIND and the name there are a parameter, of a function that is
   declared or of a macro: not a product. */
static bool is_parameter(const struct unit *unit, uint32_t first, uint32_t behind)
{
    switch (unit_kind(unit, step(unit, behind))) {
    case TOK_COMMA:
    case TOK_RPAREN:
    case TOK_ASSIGN:
    case TOK_LBRACKET:
        break;
    default:
        return false;
    }
    return begins_with_type_word(unit_kind(unit, first)) || behind == name_end(unit, first, behind);
}

/* An argument that is a type or a parameter; 0 where it is none. */
static int feed_type_argument(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t behind = whole_type_end(unit, first, body->end);
    if (behind == first)
        return 0;
    enum token_kind next = unit_kind(unit, behind);
    if (behind < body->end && next == TOK_IDENT && is_parameter(unit, first, behind))
        return feed_type(body, first);
    if (behind < body->end && next != TOK_COMMA && next != TOK_RPAREN)
        return 0;
    const struct symbol *name = plain_name(unit, first, behind);
    bool certain = begins_with_type_word(unit_kind(unit, first)) ||
                   (name ? name->is_type : unit_kind(unit, behind - 1) == TOK_STAR);
    return certain ? operand_to(body, behind, TYPE_ARGUMENT) : 0;
}

static int feed_token(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t next = step(unit, first);
    enum token_kind kind = unit_kind(unit, first);
    switch (kind) {
    case TOK_STATEMENT:
        return feed_word(body, first);
    case TOK_SPECIFIER:
        return operator_to(body, next, QUALIFIER);
    case TOK_NOEXCEPT:
        return feed_noexcept(body, first);
    case TOK_IDENT:
        if (body->declarator && is_qualifier_macro(unit, first))
            return operator_to(body, next, QUALIFIER); /* a macro such as RESTRICT */
        /* A parameter of a macro that stands for an operator. */
        if (body->operand && unit_token(unit, first)->flags & TOKEN_MACRO_BODY)
            return operator_to(body, next, RELATION);
        if (!body->operand && unit_kind(unit, next) == TOK_STRING)
            return feed_strings(body, first); /* PREFIX "text" */
        body->declarator = false;
        return operand_to(body, name_end(unit, first, body->end), NAME);
    case TOK_COLON_COLON: {
        uint32_t behind = name_end(unit, first, body->end);
        if (behind != first)
            return operand_to(body, behind, NAME);
        if (is_word(unit, next, "new") || is_word(unit, next, "delete"))
            return feed_word(body, next);
        return operator_to(body, next, OTHER);
    }
    case TOK_TYPE:
    case TOK_TYPENAME:
    case TOK_CLASS:
    case TOK_DECLTYPE: {
        uint32_t behind = body_type_end(unit, first, body->end);
        bool member = kind == TOK_DECLTYPE && next < body->end &&
                      opens_pair(unit, next, body->end) &&
                      unit_kind(unit, step_pair(unit, next)) == TOK_COLON_COLON;
        return behind == first ? operator_to(body, next, OTHER)
                               : operand_to(body, behind, member ? NAME : TYPE_NAME);
    }
    case TOK_OPERATOR:
        return feed_member(body, first);
    case TOK_CAST: {
        uint32_t behind = next;
        if (next < body->end && unit_kind(unit, next) == TOK_LESS)
            behind = angles_end(unit, next, body->end);
        return operator_to(body, behind, behind != next ? NAMED_CAST : OTHER);
    }
    case TOK_SIZEOF:
        return feed_sizeof(body, first);
    case TOK_NUMBER:
        return operand_to(body, next, NUMBER);
    case TOK_CHAR:
        return operand_to(body, next, CHARACTER);
    case TOK_STRING:
        return feed_strings(body, first);
    case TOK_LPAREN:
        return feed_open_parenthesis(body, first);
    case TOK_LBRACKET:
        return feed_open_bracket(body, first);
    case TOK_LBRACE:
        return feed_open_brace(body, first, false);
    case TOK_RPAREN:
    case TOK_RBRACKET:
    case TOK_RBRACE:
        return feed_close(body, first);
    case TOK_LAUNCH_OPEN:
        if (opens_pair(unit, first, body->end))
            return operand_to(body, step_pair(unit, first), LAUNCH);
        return operator_to(body, next, OTHER);
    case TOK_SEMICOLON:
        body->declarator = false;
        innermost(body)->choices = 0;
        innermost(body)->declares = false;
        if (innermost(body)->block)
            body->place = PLACE_STATEMENT;
        return operator_to(body, next, ';');
    case TOK_COMMA:
        if (innermost(body)->mixed && !innermost(body)->declares)
            return statement_behind(body, next, SEPARATOR);
        body->argument = innermost(body)->call;
        return operator_to(body, next, ',');
    case TOK_QUESTION:
        innermost(body)->choices++;
        return operator_to(body, next, '?');
    case TOK_COLON:
        return feed_colon(body, first);
    case TOK_DOT:
    case TOK_ARROW:
        body->member = true;
        return operator_to(body, next, kind == TOK_DOT ? '.' : ARROW);
    case TOK_ELLIPSIS:
        if (!body->operand && !body->declarator)
            return operand_to(body, next, SOME); /* of a fold expression */
        return operator_to(body, next, body->declarator ? QUALIFIER : ELLIPSIS);
    case TOK_LESS_EQUAL:
        if (unit_kind(unit, next) == TOK_GREATER &&
            unit_token(unit, next)->offset == unit_token(unit, first)->offset + 2)
            next = step(unit, next); /* <=> */
        return operator_to(body, next, RELATION);
    case TOK_PLUS_PLUS:
    case TOK_MINUS_MINUS:
        body->at = next; /* an operand before it stays one */
        return STEP;
    default:
        return operator_to(body, next, operator_token(kind));
    }
}

static int feed(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    enum body_place place = body->place;
    bool argument = body->argument, member = body->member, type_next = body->type_next;
    body->place = PLACE_INSIDE;
    body->argument = body->member = body->type_next = false;
    int res = 0;
    if (place != PLACE_INSIDE)
        res = feed_start(body, first, place);
    else if (argument)
        res = unit_kind(unit, first) == TOK_LPAREN || unit_kind(unit, first) == TOK_LBRACE
                  ? feed_statements(body, first)
                  : feed_type_argument(body, first);
    else if (member)
        res = feed_member(body, first);
    if (type_next) {
        uint32_t behind = body_type_end(unit, first, body->end);
        while (behind < body->end && unit_kind(unit, behind) == TOK_STAR)
            behind = step(unit, behind);
        if (behind != first)
            res = operand_to(body, behind, TYPE_NAME);
    }
    return res ? res : feed_token(body, first);
}

/* The first token of the island, after the one that selects the start. */
static int feed_first(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    switch (body->start) {
    case BODY_DECLARATION:
        if (body_type_end(unit, first, body->end) == first)
            return operator_to(body, body->end, OTHER);
        return feed_type(body, first);
    case BODY_TYPE:
        return operand_to(body, body->end,
                          whole_type_end(unit, first, body->end) == body->end ? TYPE_ARGUMENT
                                                                              : OTHER);
    default:
        return feed(body, first);
    }
}

/* Behind what stands at AT and says nothing about values: an attribute, but not one that belongs to
   a type, or a macro behind an operand. */
static uint32_t attribute_end(const struct body *body, uint32_t at)
{
    const struct unit *unit = body->unit;
    switch (unit_kind(unit, at)) {
    case TOK_ATTRIBUTE: {
        uint32_t next = step(unit, at);
        if (next < body->end && unit_kind(unit, next) == TOK_LPAREN)
            next = step_pair(unit, next);
        if (body->place != PLACE_INSIDE && unit_kind(unit, next) != TOK_SEMICOLON &&
            unit_kind(unit, next) != TOK_STATEMENT)
            return at;
        return next < body->end ? next : body->end;
    }
    case TOK_LBRACKET: {
        bool pair = unit_kind(unit, at + 1) == TOK_LBRACKET && opens_pair(unit, at, body->end) &&
                    unit_partner(unit, at + 1) + 1 == unit_partner(unit, at);
        return pair ? step_pair(unit, at) : at;
    }
    case TOK_IDENT:
        return body->operand && !body->member && is_macro_name(unit, at) ? step(unit, at) : at;
    default:
        return at;
    }
}

int body_yylex(BODY_YYSTYPE *value, struct range *where, struct body *body)
{
    static const int starts[] = {
        [BODY_STATEMENTS] = START_STATEMENTS,
        [BODY_EXPRESSION] = START_EXPRESSION,
        [BODY_DECLARATION] = START_DECLARATION,
        [BODY_TYPE] = START_TYPE,
    };
    (void)value;
    where->begin = where->end = body->at;
    if (!body->started) {
        body->started = true;
        body->last = NO_TOKEN;
        return starts[body->start];
    }
    if (body->failed)
        return feed_rest(body, where);
    const struct unit *unit = body->unit;
    while (body->at < body->end) {
        uint32_t behind = attribute_end(body, body->at);
        if (behind == body->at)
            break;
        body->at = behind;
    }
    if (body->end <= body->at)
        return BODY_YYEOF;
    uint32_t first = where->begin = body->at;
    body->last_open = body->open.count;
    int res = body->last == NO_TOKEN ? feed_first(body, first) : feed(body, first);
    body->last = first;
    where->end = end_before(unit, first, body->at);
    return res;
}
