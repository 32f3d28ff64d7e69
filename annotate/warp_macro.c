#include <config.h>

#include "annotate/warp_macro.h"

enum { NESTING = 16 }; /* of macros in the texts of others */

/* What was read of the macros, by the index of the directive: each text is read once. */
struct warp_macros {
    enum { MACRO_UNREAD, MACRO_OTHER, MACRO_OF_WARPS } * states;
    struct warp_macro *macros;
};

/* A call in the text of a macro, of a warp function or of a macro around one. */
struct text_call {
    struct warp_macro callee; /* lane and value count the arguments of the call */
    struct arguments arguments;
};

/* RANGE without the parentheses around all of it. */
static struct range without_parentheses(const struct unit *unit, struct range range)
{
    while (range.begin + 2 < range.end && unit_kind(unit, range.begin) == TOK_LPAREN &&
           unit_partner(unit, range.begin) == range.end - 1)
        range = (struct range){range.begin + 1, range.end - 1};
    return range;
}

/* The parameter of MACRO that RANGE is; -1: none. */
static int parameter_of(const struct unit *unit, const struct directive *macro, struct range range)
{
    int res = 0;
    range = without_parentheses(unit, range);
    if (range.end - range.begin != 1 || unit_kind(unit, range.begin) != TOK_IDENT)
        return -1;
    for (uint32_t at = macro->params.begin; at < macro->params.end; ++at) {
        if (unit_kind(unit, at) == TOK_COMMA)
            ++res;
        else if (unit_token(unit, at)->symbol == unit_token(unit, range.begin)->symbol)
            return res;
    }
    return -1;
}

/* The argument INDEX of CALL, empty where it has none. */
static struct range argument_of(const struct text_call *call, int index)
{
    return 0 <= index && index < call->arguments.count ? call->arguments.items[index]
                                                       : (struct range){0, 0};
}

static bool read_macro(struct annotation *a, uint32_t token, unsigned depth,
                       struct warp_macro *res);

/* Reads the call whose name is the token AT, in the text of a macro. */
static bool read_call(struct annotation *a, uint32_t at, unsigned depth, struct text_call *res)
{
    const struct unit *unit = a->unit;
    if (unit_kind(unit, at) != TOK_IDENT || unit_kind(unit, at + 1) != TOK_LPAREN)
        return false;
    const struct symbol *name = unit_token(unit, at)->symbol;
    const struct warp_function *function = warp_function_find(name->text);
    if (function) {
        res->callee = (struct warp_macro){function, function->lane, function->value, false, false};
    } else {
        /* It may be defined behind: what counts is where the macro is used. */
        struct model *model = annotation_code(a)->model;
        struct name_meaning meaning = model_lookup(model, name, at);
        if (meaning.kind == NAME_UNKNOWN)
            meaning = model_lookup(model, name, (uint32_t)unit->tokens.list.count - 1);
        if (meaning.kind != NAME_MACRO || meaning.token == NO_TOKEN ||
            !read_macro(a, meaning.token, depth + 1, &res->callee))
            return false;
    }
    if (!unit_arguments(unit, at + 1, a->arena, &res->arguments))
        return false;
    if (function && function->width != WARP_NONE)
        res->callee.has_width = function->width < res->arguments.count;
    return true;
}

/* Whether MACRO is x = shuffle(...) with the call AT, and nothing else. */
static bool is_only_assigned(const struct unit *unit, const struct directive *macro, uint32_t at)
{
    uint32_t behind = unit_partner(unit, at + 1) + 1, end = macro->body.end;
    if (behind < end && unit_kind(unit, behind) == TOK_SEMICOLON)
        ++behind;
    return at == macro->body.begin + 2 && unit_kind(unit, at - 1) == TOK_ASSIGN && behind == end;
}

/* The first call in the text of MACRO. */
static bool read_text(struct annotation *a, const struct directive *macro, unsigned depth,
                      struct warp_macro *res)
{
    struct text_call call;
    for (uint32_t at = macro->body.begin; at + 1 < macro->body.end; ++at) {
        if (!read_call(a, at, depth, &call))
            continue;
        *res = call.callee;
        res->lane = parameter_of(a->unit, macro, argument_of(&call, call.callee.lane));
        res->value = parameter_of(a->unit, macro, argument_of(&call, call.callee.value));
        res->only_moves |= is_only_assigned(a->unit, macro, at);
        return true;
    }
    return false;
}

static bool read_macro(struct annotation *a, uint32_t token, unsigned depth, struct warp_macro *res)
{
    const struct directive *macro = depth < NESTING ? unit_directive_at(a->unit, token) : NULL;
    if (!macro || !macro->function_like)
        return false;
    if (!a->macros) {
        size_t count = a->unit->directives.count;
        a->macros = arena_alloc(a->arena, sizeof *a->macros);
        a->macros->states = arena_zalloc(a->arena, count, sizeof *a->macros->states);
        a->macros->macros = arena_zalloc(a->arena, count, sizeof *a->macros->macros);
    }
    size_t index = (size_t)(macro - a->unit->directives.items);
    if (a->macros->states[index] == MACRO_UNREAD) {
        a->macros->states[index] = MACRO_OTHER; /* in its own text it is nothing */
        if (read_text(a, macro, depth, &a->macros->macros[index]))
            a->macros->states[index] = MACRO_OF_WARPS;
    }
    *res = a->macros->macros[index];
    return a->macros->states[index] == MACRO_OF_WARPS;
}

bool warp_macro_of(struct annotation *a, uint32_t token, struct warp_macro *res)
{
    return read_macro(a, token, 0, res);
}

/* Reads the value of RANGE, one number. */
static bool number_of(struct annotation *a, struct range range, int64_t *res)
{
    struct constant value;
    if (range.end <= range.begin || !constant_of_range(annotation_code(a)->model, range, &value) ||
        !constant_single(&value))
        return false;
    *res = value.values[0];
    return true;
}

static uint32_t find(const struct unit *unit, uint32_t from, uint32_t end, enum token_kind kind)
{
    while (from < end && unit_kind(unit, from) != kind)
        ++from;
    return from;
}

enum { OTHER_DISTANCE = 0x40 };

static bool is_distance(int64_t number)
{
    return 0 < number && number <= 64 && (number & (number - 1)) == 0;
}

/* What the head of a loop in MACRO, `NAME = number; condition; step`, gives NAME, as bits: powers
   of two, halved or doubled by each step. */
static uint32_t values_of_loop(struct annotation *a, const struct directive *macro,
                               const struct symbol *name)
{
    const struct unit *unit = a->unit;
    uint32_t at = macro->body.begin, end = macro->body.end, res = 0;
    while (at + 1 < end &&
           (unit_kind(unit, at) != TOK_IDENT || unit_token(unit, at)->symbol != name ||
            unit_kind(unit, at + 1) != TOK_ASSIGN))
        ++at;
    uint32_t first = find(unit, at, end, TOK_SEMICOLON);
    uint32_t second = find(unit, first + 1, end, TOK_SEMICOLON), step = second + 1;
    int64_t from, by, to = 0;
    if (end <= step + 2 || !number_of(a, (struct range){at + 2, first}, &from) ||
        !is_distance(from) || unit_kind(unit, step) != TOK_IDENT ||
        unit_token(unit, step)->symbol != name ||
        !number_of(a, (struct range){step + 2, step + 3}, &by))
        return 0;
    enum token_kind op = unit_kind(unit, step + 1), compared = unit_kind(unit, first + 2);
    bool halves = (op == TOK_SHIFT_RIGHT_ASSIGN && by == 1) || (op == TOK_SLASH_ASSIGN && by == 2);
    bool doubles = (op == TOK_SHIFT_LEFT_ASSIGN && by == 1) || (op == TOK_STAR_ASSIGN && by == 2);
    if (first + 2 < second && !number_of(a, (struct range){first + 3, second}, &to))
        return 0;
    bool down = halves && to <= 1;
    bool up = doubles && first + 2 < second && to <= 64 &&
              (compared == TOK_LESS || compared == TOK_LESS_EQUAL);
    for (; from <= 64 && (down ? 0 < from : up && from < to + (compared == TOK_LESS_EQUAL));
         from = down ? from / 2 : from * 2)
        res |= (uint32_t)from;
    return res;
}

unsigned warp_macro_combines(struct annotation *a, const struct directive *macro,
                             struct range *first)
{
    uint32_t values = 0;
    bool found = false;
    for (uint32_t at = macro->body.begin; at + 1 < macro->body.end; ++at) {
        struct text_call call;
        int64_t number;
        if (!read_call(a, at, 0, &call) || !warp_is_shuffle(call.callee.function) ||
            call.callee.function->kind == WARP_SHUFFLE || call.callee.has_width ||
            call.callee.only_moves)
            continue;
        struct range lane = without_parentheses(a->unit, argument_of(&call, call.callee.lane));
        if (number_of(a, lane, &number))
            values |= is_distance(number) ? (uint32_t)number : OTHER_DISTANCE;
        else if (lane.begin + 1 == lane.end && unit_kind(a->unit, lane.begin) == TOK_IDENT)
            values |= values_of_loop(a, macro, unit_token(a->unit, lane.begin)->symbol);
        if (!found)
            *first = (struct range){at, unit_partner(a->unit, at + 1) + 1};
        found = true;
    }
    return !(values & ~0x1fU) && (values & 0x1c) == 0x1c ? 32 : 0;
}
