/* What the tokens of a body are, as far as that can be told from what stands around them: names
   with their template arguments, types, casts, declarations.

   C++ leaves it to the knowledge of types; here the names that the file declares as types decide,
   and how C++ is written. Each question looks ahead within one declaration, name or pair of
   brackets, so that reading stays linear.  */
#include <config.h>

#include "parser/glance.h"

#include <ctype.h>
#include <string.h>

uint32_t body_step(const struct unit *unit, uint32_t index)
{
    do
        index = unit_next(unit, index);
    while (unit_token(unit, index)->flags & TOKEN_CUDA_SIDE &&
           unit_token(unit, index)->kind != TOK_EOF);
    return index;
}

uint32_t body_step_pair(const struct unit *unit, uint32_t index)
{
    uint32_t partner = unit_partner(unit, index);
    return body_step(unit, partner != NO_TOKEN && index < partner ? partner : index);
}

uint32_t body_end_before(const struct unit *unit, uint32_t first, uint32_t at)
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

bool body_opens_pair(const struct unit *unit, uint32_t index, uint32_t end)
{
    uint32_t partner = unit_partner(unit, index);
    return partner != NO_TOKEN && index < partner && partner < end;
}

bool body_is_macro_name(const struct unit *unit, uint32_t index)
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

bool body_begins_line(const struct unit *unit, uint32_t index)
{
    return unit_token(unit, index)->flags & TOKEN_LINE_START;
}

bool body_is_word(const struct unit *unit, uint32_t index, const char *text)
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

uint32_t body_angles_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    enum { LIMIT = 200 }; /* template arguments are short; keeps damaged text linear */
    if (body_opens_pair(unit, at, end))
        return body_step_pair(unit, at);
    uint32_t i = body_step(unit, at);
    for (int steps = 0; i < end && steps < LIMIT; ++steps) {
        switch (unit_kind(unit, i)) {
        case TOK_GREATER:
            return body_step(unit, i);
        case TOK_SEMICOLON:
        case TOK_LBRACE:
        case TOK_RBRACE:
        case TOK_RPAREN:
            return at;
        default:
            i = body_opens_pair(unit, i, end) ? body_step_pair(unit, i) : body_step(unit, i);
        }
    }
    return at;
}

uint32_t body_operator_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    uint32_t i = body_step(unit, at);
    enum token_kind kind = unit_kind(unit, i);
    if (end <= i)
        return end;
    bool named = kind == TOK_IDENT || kind == TOK_TYPE || kind == TOK_SPECIFIER ||
                 kind == TOK_COLON_COLON || kind == TOK_TYPENAME;
    if (kind == TOK_LPAREN || kind == TOK_LBRACKET)
        i = body_step_pair(unit, i);
    else if (named)
        while (i < end && unit_kind(unit, i) != TOK_LPAREN && unit_kind(unit, i) != TOK_SEMICOLON &&
               unit_kind(unit, i) != TOK_COMMA)
            i = body_opens_pair(unit, i, end) ? body_step_pair(unit, i) : body_step(unit, i);
    else
        i = body_step(unit, i);
    if (i < end && unit_kind(unit, i) == TOK_LESS)
        i = body_angles_end(unit, i, end);
    return i < end ? i : end;
}

uint32_t body_pasted_end(const struct unit *unit, uint32_t at)
{
    uint32_t i = body_step(unit, at);
    while (unit_kind(unit, i) == TOK_HASH_HASH)
        i = body_step(unit, body_step(unit, i));
    return i;
}

uint32_t body_name_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    uint32_t i = at, res = at;
    if (unit_kind(unit, i) == TOK_COLON_COLON)
        i = body_step(unit, i);
    while (i < end) {
        if (unit_kind(unit, i) == TOK_OPERATOR && i != at)
            return body_operator_end(unit, i, end);
        if (i != at && (unit_kind(unit, i) == TOK_TEMPLATE || unit_kind(unit, i) == TOK_TILDE))
            i = body_step(unit, i);
        if (end <= i || unit_kind(unit, i) != TOK_IDENT)
            break;
        i = body_pasted_end(unit, i);
        if (i < end && unit_kind(unit, i) == TOK_LESS && unit_partner(unit, i) != NO_TOKEN) {
            /* The `>>` that closes an argument of a template closes the template as well. */
            uint32_t partner = unit_partner(unit, i);
            if (end < partner)
                return i;
            i = partner == end ? end : body_step(unit, partner);
        }
        res = i;
        if (end <= i || unit_kind(unit, i) != TOK_COLON_COLON)
            break;
        i = body_step(unit, i);
    }
    return res < end ? res : end;
}

/* Behind `class X : Y { ... }` or a part of it, at the word behind `class`. */
static uint32_t class_end(const struct unit *unit, uint32_t at, uint32_t end)
{
    uint32_t i = at;
    while (i < end && (unit_kind(unit, i) == TOK_CLASS || unit_kind(unit, i) == TOK_ATTRIBUTE)) {
        i = body_step(unit, i);
        if (i < end && unit_kind(unit, i) == TOK_LPAREN)
            i = body_step_pair(unit, i);
    }
    i = body_name_end(unit, i, end);
    uint32_t open = i;
    if (open < end && unit_kind(unit, open) == TOK_COLON)
        while (open < end && unit_kind(unit, open) != TOK_LBRACE &&
               unit_kind(unit, open) != TOK_SEMICOLON && unit_kind(unit, open) != TOK_RPAREN)
            open = body_step(unit, open);
    if (open < end && unit_kind(unit, open) == TOK_LBRACE && body_opens_pair(unit, open, end))
        return body_step_pair(unit, open);
    return i;
}

/* Whether the name from AT to BEHIND, in front of a type, is a macro that stands for a specifier.
 */
static bool is_specifier_macro(const struct unit *unit, uint32_t at, uint32_t behind, uint32_t end)
{
    if (end <= behind || body_step(unit, at) != behind)
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
        uint32_t next = body_step(unit, behind);
        if (end <= next || unit_kind(unit, next) != TOK_IDENT ||
            tree_is_type_name(unit_token(unit, at)->symbol))
            return false;
        return body_is_macro_name(unit, at) ||
               (!body_is_macro_name(unit, behind) && !body_is_macro_name(unit, next));
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
            i = body_step(unit, i);
            continue;
        case TOK_ATTRIBUTE:
            i = body_step(unit, i);
            if (i < end && unit_kind(unit, i) == TOK_LPAREN)
                i = body_step_pair(unit, i);
            continue;
        case TOK_LBRACKET:
            if (has_type || unit_kind(unit, i + 1) != TOK_LBRACKET ||
                !body_opens_pair(unit, i, end))
                break;
            i = body_step_pair(unit, i);
            continue;
        case TOK_TYPE:
            has_type = true;
            i = body_step(unit, i);
            continue;
        case TOK_DECLTYPE:
            has_type = true;
            i = body_step(unit, i);
            if (i < end && unit_kind(unit, i) == TOK_LPAREN)
                i = body_step_pair(unit, i);
            if (i < end && unit_kind(unit, i) == TOK_COLON_COLON)
                i = body_name_end(unit, i, end);
            continue;
        case TOK_CLASS:
        case TOK_ENUM:
            if (has_type)
                break;
            has_type = true;
            i = class_end(unit, body_step(unit, i), end);
            continue;
        case TOK_IDENT:
        case TOK_COLON_COLON:
            behind = has_type ? i : body_name_end(unit, i, end);
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
    uint32_t close = unit_partner(unit, open), i = body_step(unit, open);
    if (i == close)
        return false;
    while (i < close && (unit_kind(unit, i) == TOK_STAR || unit_kind(unit, i) == TOK_AMP ||
                         unit_kind(unit, i) == TOK_AND_AND || unit_kind(unit, i) == TOK_SPECIFIER))
        i = body_step(unit, i);
    return i == close;
}

uint32_t body_whole_type_end(const struct unit *unit, uint32_t at, uint32_t end)
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
            i = body_step(unit, i);
            continue;
        case TOK_LBRACKET:
            if (!body_opens_pair(unit, i, end))
                return i;
            i = body_step_pair(unit, i);
            continue;
        case TOK_LPAREN: {
            /* (*)(int), (&)[4] */
            if (!body_opens_pair(unit, i, end) || !is_abstract(unit, i))
                return i;
            i = body_step_pair(unit, i);
            if (i < end && unit_kind(unit, i) == TOK_LPAREN)
                i = body_step_pair(unit, i);
            continue;
        }
        default:
            return i;
        }
    }
    return i;
}

bool body_begins_with_type_word(enum token_kind kind)
{
    return kind == TOK_TYPE || kind == TOK_SPECIFIER || kind == TOK_TYPENAME || kind == TOK_CLASS ||
           kind == TOK_ENUM || kind == TOK_DECLTYPE;
}

const struct symbol *body_plain_name(const struct unit *unit, uint32_t at, uint32_t behind)
{
    return body_step(unit, at) == behind ? unit_token(unit, at)->symbol : NULL;
}

bool body_is_cast(const struct unit *unit, uint32_t open, uint32_t end)
{
    if (!body_opens_pair(unit, open, end))
        return false;
    uint32_t close = unit_partner(unit, open), first = body_step(unit, open);
    if (first == close || body_whole_type_end(unit, first, close) != close)
        return false;
    if (body_begins_with_type_word(unit_kind(unit, first)))
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
    const struct symbol *name = body_plain_name(unit, first, close);
    bool known = name && tree_is_type_name(name);
    uint32_t next = body_step(unit, close);
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
               unit_partner(unit, next) != body_step(unit, next) &&
               !body_is_word(unit, unit_prev(unit, close), "min") &&
               !body_is_word(unit, unit_prev(unit, close), "max");
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

bool body_is_qualifier_macro(const struct unit *unit, uint32_t at)
{
    enum token_kind next = unit_kind(unit, body_step(unit, at));
    return next == TOK_IDENT || next == TOK_SPECIFIER;
}

/* Whether the type from AT to BEHIND is no more than the name of one that is known. */
static bool names_type(const struct unit *unit, uint32_t at, uint32_t behind)
{
    const struct symbol *name = body_plain_name(unit, at, behind);
    return name && tree_is_type_name(name);
}

/* Whether the parenthesis at OPEN, behind a type, is a declarator, (*f)(...) or (a) = 1, and not
   what is converted. */
static bool holds_declarator(const struct unit *unit, uint32_t open, uint32_t end)
{
    if (!body_opens_pair(unit, open, end))
        return false;
    uint32_t inner = body_step(unit, open), close = unit_partner(unit, open);
    switch (unit_kind(unit, inner)) {
    case TOK_STAR:
    case TOK_AMP:
        return true;
    case TOK_IDENT:
        return body_step(unit, inner) == close &&
               unit_kind(unit, body_step(unit, close)) == TOK_ASSIGN;
    default:
        return false;
    }
}

bool body_is_declaration(const struct unit *unit, uint32_t at, uint32_t end, enum body_place place)
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
        bool macro = kind == TOK_IDENT && body_is_qualifier_macro(unit, i) &&
                     (stars || body_is_macro_name(unit, i));
        if (kind != TOK_STAR && kind != TOK_AMP && kind != TOK_AND_AND && kind != TOK_SPECIFIER &&
            !macro)
            break;
        stars = true;
        i = body_step(unit, i);
    }
    if (end <= i)
        return false;
    if (unit_kind(unit, i) == TOK_LBRACKET)
        return first == TOK_TYPE || first == TOK_SPECIFIER; /* auto [a, b] */
    if (unit_kind(unit, i) != TOK_IDENT)
        return false;
    switch (unit_kind(unit, body_step(unit, i))) {
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
        return place == PLACE_STATEMENT && body_is_macro_name(unit, body_step(unit, i));
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
    for (uint32_t i = at;; i = body_step(unit, i)) {
        enum token_kind kind = unit_kind(unit, i);
        if (kind == TOK_EOF || kind == TOK_SEMICOLON || kind == TOK_RBRACE)
            break;
        if (kind == TOK_IDENT)
            name = unit_token(unit, i)->symbol;
        uint32_t partner = unit_partner(unit, i);
        if (kind == TOK_LPAREN && unit_kind(unit, body_step(unit, i)) == TOK_STAR &&
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
                    next = body_step_pair(unit, next);
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
