/* dim3 and uint3: CUDA turns each into the other, and threadIdx and its kin into both; HIP turns
   nothing into a uint3, and a uint3 into nothing.

   Written out component by component where a variable of the one is initialised or assigned from a
   variable of the other, where threadIdx and its kin are arguments for a uint3, and where a launch
   takes its sizes from a uint3. What the file does not show, such as the parameters of functions
   elsewhere, stays as it is.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

enum shape {
    SHAPE_OTHER,
    SHAPE_DIM3,
    SHAPE_UINT3,
    SHAPE_BUILTIN, /* threadIdx, blockIdx, blockDim, gridDim */
};

static enum shape shape_of_name(const char *name)
{
    static const char *const builtins[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    if (!strcmp(name, "dim3"))
        return SHAPE_DIM3;
    if (!strcmp(name, "uint3"))
        return SHAPE_UINT3;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; ++i)
        if (!strcmp(name, builtins[i]))
            return SHAPE_BUILTIN;
    return SHAPE_OTHER;
}

/* The shape of the variable at INDEX, as it was last declared. */
static enum shape shape_of_variable(const struct unit *unit, uint32_t index)
{
    const struct symbol *symbol = unit_token(unit, index)->symbol;
    if (unit_kind(unit, index) != TOK_IDENT || symbol->user)
        return SHAPE_OTHER;
    if (shape_of_name(symbol->text) == SHAPE_BUILTIN)
        return SHAPE_BUILTIN;
    return symbol->type ? shape_of_name(symbol->type->cuda) : SHAPE_OTHER;
}

/* Writes TYPE (v.x, v.y, v.z) for the variable v at INDEX. */
static void write_components(struct transform *tr, uint32_t index, const char *type)
{
    const char *v = unit_token(tr->unit, index)->symbol->text;
    replace_token(tr, index, arena_printf(tr->arena, "%s(%s.x, %s.y, %s.z)", type, v, v, v),
                  EDIT_ARGUMENT);
    unit_token(tr->unit, index)->flags |= TOKEN_DIM3;
}

/* v = w; T v = w, ...; T v(w); with v at INDEX. */
static void examine(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    enum shape left = shape_of_variable(unit, index);
    uint32_t op = unit_next(unit, index), value = unit_next(unit, op);
    enum token_kind after = unit_kind(unit, unit_next(unit, value));
    bool initialised = (unit_kind(unit, op) == TOK_LPAREN && after == TOK_RPAREN) ||
                       (unit_kind(unit, op) == TOK_LBRACE && after == TOK_RBRACE);
    uint32_t type = unit_prev(unit, index);
    if (unit_kind(unit, type) == TOK_AMP)
        type = unit_prev(unit, type);
    bool declared = unit_kind(unit, type) == TOK_IDENT &&
                    shape_of_name(unit_token(unit, type)->symbol->text) == left;
    bool assigned =
        unit_kind(unit, op) == TOK_ASSIGN && (after == TOK_SEMICOLON || after == TOK_COMMA);
    if (!(assigned || (initialised && declared)) || unit_is_member(unit, index))
        return;
    enum shape right = shape_of_variable(unit, value);
    if (left == SHAPE_DIM3 && right == SHAPE_UINT3)
        write_components(tr, value, "dim3");
    else if (left == SHAPE_UINT3 && (right == SHAPE_DIM3 || right == SHAPE_BUILTIN))
        write_components(tr, value, "make_uint3");
}

/* What parameter NUMBER of FN is: SHAPE_OTHER where there is none. The limit keeps long lists
   linear. */
static enum shape shape_of_parameter(const struct unit *unit, const struct function *fn, int number)
{
    enum { LONGEST = 200 };
    enum shape res = SHAPE_OTHER;
    uint32_t end =
        fn->params.begin + LONGEST < fn->params.end ? fn->params.begin + LONGEST : fn->params.end;
    for (uint32_t i = fn->params.begin; i < end && 0 <= number; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_COMMA)
            --number;
        else if (token->kind == TOK_LESS && token->partner != NO_TOKEN && i < token->partner)
            i = token->partner;
        else if (number == 0 && token->kind == TOK_IDENT && res == SHAPE_OTHER)
            res = shape_of_name(token->symbol->text);
    }
    return res;
}

/* Whether all functions of the file called NAME take a uint3 as argument NUMBER, and there is one.
 */
static bool takes_uint3(const struct unit *unit, const struct symbol *name, int number)
{
    bool res = false;
    vec_each (const struct function, fn, &unit->functions) {
        if (fn->name == NO_TOKEN || unit_token(unit, fn->name)->symbol != name)
            continue;
        if (shape_of_parameter(unit, fn, number) != SHAPE_UINT3)
            return false;
        res = true;
    }
    return res;
}

/* f(threadIdx, ...), with threadIdx at INDEX. */
static void examine_argument(struct transform *tr, uint32_t index, int *asked)
{
    enum { MOST = 100, FARTHEST = 100 }; /* of such arguments; tokens to the parenthesis */
    const struct unit *unit = tr->unit;
    enum token_kind behind = unit_kind(unit, unit_next(unit, index));
    if (behind != TOK_COMMA && behind != TOK_RPAREN)
        return;
    int number = 0;
    uint32_t open = unit_prev(unit, index);
    for (int steps = 0; unit_kind(unit, open) != TOK_LPAREN; ++steps) {
        enum token_kind kind = unit_kind(unit, open);
        bool first = steps == 0;
        if (FARTHEST <= steps || (first && kind != TOK_COMMA) || kind == TOK_SEMICOLON ||
            kind == TOK_LBRACE || kind == TOK_EOF)
            return;
        number += kind == TOK_COMMA;
        uint32_t partner = unit_partner(unit, open);
        open = unit_prev(unit, partner != NO_TOKEN && partner < open ? partner : open);
    }
    uint32_t name = unit_prev(unit, open);
    if (unit_kind(unit, name) != TOK_IDENT || names_is_head(unit, name) || MOST <= (*asked)++ ||
        !takes_uint3(unit, unit_token(unit, name)->symbol, number))
        return;
    write_components(tr, index, "make_uint3");
}

/* The sizes of a launch. */
static void examine_launch(struct transform *tr, const struct launch *launch)
{
    const struct unit *unit = tr->unit;
    for (int i = 0; i < 2 && i < launch->config_count; ++i) {
        struct range config = launch->config[i];
        const struct token *first = unit_token(unit, config.begin);
        if (config.begin + 1 == config.end) {
            if (shape_of_variable(unit, config.begin) == SHAPE_UINT3)
                write_components(tr, config.begin, "dim3");
        } else if (first->symbol && first->symbol->api &&
                   !strcmp(first->symbol->text, "make_uint3") &&
                   unit_kind(unit, config.begin + 1) == TOK_LPAREN &&
                   unit_partner(unit, config.begin + 1) == config.end - 1) {
            replace_token(tr, config.begin, "dim3", EDIT_ARGUMENT);
            unit_token(unit, config.begin)->flags |= TOKEN_DIM3;
        }
    }
}

void transform_dim3(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    const struct symbol *uint3 = symbol_find(unit->symbols, "uint3");
    if (!uint3 && !symbol_find(unit->symbols, "make_uint3"))
        return;
    size_t l = 0;
    int asked = 0;
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        for (; l < unit->launches.count && unit->launches.items[l].open <= i; ++l)
            if (token_region(token) == REGION_COMMON)
                examine_launch(tr, &unit->launches.items[l]);
        if (token->kind != TOK_IDENT || token_region(token) != REGION_COMMON ||
            !token_is_code(token) || token->flags & TOKEN_DROPPED)
            continue;
        const struct symbol *symbol = token->symbol;
        enum shape shape = shape_of_name(symbol->text);
        if (shape == SHAPE_DIM3 || shape == SHAPE_UINT3)
            names_note_type(unit, i, symbol->api);
        else if (shape == SHAPE_BUILTIN && !symbol->user && uint3 && uint3->api)
            examine_argument(tr, i, &asked);
        else if (symbol->type)
            examine(tr, i);
    }
}
