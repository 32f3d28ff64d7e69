/* wave-size-constant, wave-size-macro, wave-tile, wave-group-size, wave-library-width

   Finds: warpSize, or a macro made of it, where the language asks for a constant; the macro
   __AMDGCN_WAVEFRONT_SIZE; groups of 32 threads that are made with cooperative groups, and tests
   whether all of 32 are active; CUB's functions for a warp, without a width, where warps of 32 are
   counted. Why: from ROCm 7 on warpSize is no constant expression; newer compilers do not define
   the macro, and a condition that asks for it is false without a word; two groups of 32 share a
   wave of 64 and go through both of their paths; hipCUB's warp is the wave.

   Before: __shared__ float part[1024 / warpSize];
   After:  __shared__ float part[1024 / 32];

   Fix: none. Silent: a warpSize that the file declares itself.  */
#include <config.h>

#include "annotate/width.h"

#include <string.h>

/* Whether the bracket at OPEN closes behind TOKEN. */
static bool encloses(const struct unit *unit, uint32_t open, uint32_t token)
{
    uint32_t close = unit_partner(unit, open);
    return close != NO_TOKEN && token < close;
}

static bool is_word(const struct unit *unit, uint32_t token, const char *word)
{
    const struct symbol *symbol = unit_token(unit, token)->symbol;
    return symbol && !strcmp(symbol->text, word);
}

/* Whether the brace at OPEN is that of an enum. */
static bool opens_enum(const struct unit *unit, uint32_t open)
{
    uint32_t at = open;
    for (unsigned steps = 0; steps < 6 && at != NO_TOKEN; ++steps) {
        at = unit_prev(unit, at);
        if (unit_kind(unit, at) == TOK_ENUM)
            return true;
        if (unit_kind(unit, at) == TOK_EOF || unit_kind(unit, at) == TOK_RPAREN ||
            unit_kind(unit, at) == TOK_SEMICOLON)
            break;
    }
    return false;
}

/* Whether the parenthesis at OPEN is that of an attribute with numbers. */
static bool opens_attribute(const struct unit *unit, uint32_t open)
{
    uint32_t word = unit_prev(unit, open);
    return word != NO_TOKEN && (is_word(unit, word, "__launch_bounds__") ||
                                is_word(unit, word, "alignas") || is_word(unit, word, "__align__"));
}

/* Whether TOKEN, a name in code, stands where a constant is needed: an array's bound in a
   declaration, a template argument, static_assert, the value of a constexpr, a case, an
   enumerator, launch bounds. */
static bool needs_constant(const struct annotation *a, uint32_t token)
{
    const struct unit *unit = a->unit;
    uint32_t at = token;
    bool colon = false;
    for (unsigned steps = 0; steps < 64 && at != NO_TOKEN; ++steps) {
        at = unit_prev(unit, at);
        enum token_kind kind = unit_kind(unit, at);
        if (kind == TOK_LBRACE)
            return opens_enum(unit, at);
        if (kind == TOK_SEMICOLON || kind == TOK_RBRACE || kind == TOK_EOF)
            return false;
        if (kind == TOK_STATIC_ASSERT || (!colon && is_word(unit, at, "case")))
            return true;
        if (kind == TOK_LESS && encloses(unit, at, token))
            return true;
        if (kind == TOK_LPAREN && encloses(unit, at, token) && opens_attribute(unit, at))
            return true;
        if (kind == TOK_SPECIFIER && is_word(unit, at, "constexpr"))
            return true;
        colon |= kind == TOK_COLON;
    }
    return false;
}

enum { MOST_SIZES = 16 };

/* What stands for warpSize in a file: the name itself, and macros that are made of it where an AMD
   compiler reads them. */
struct sizes {
    const struct symbol *symbols[MOST_SIZES]; /* the first is warpSize */
    size_t findings[MOST_SIZES];              /* of the macro's first use; SIZE_MAX: none yet */
    unsigned count;
};

/* The number of SYMBOL among SIZES; their count where it is none. */
static unsigned size_number(const struct sizes *sizes, const struct symbol *symbol)
{
    unsigned res = 0;
    while (res < sizes->count && sizes->symbols[res] != symbol)
        ++res;
    return res;
}

static bool is_made_of_size(const struct unit *unit, const struct sizes *sizes,
                            const struct directive *define)
{
    enum { LONGEST = 32 }; /* tokens of a body */
    if (define->body.end - define->body.begin > LONGEST)
        return false;
    for (uint32_t i = define->body.begin; i < define->body.end; ++i)
        if (unit_kind(unit, i) == TOK_IDENT &&
            size_number(sizes, unit_token(unit, i)->symbol) < sizes->count)
            return true;
    return false;
}

static void gather_macros(const struct unit *unit, struct sizes *sizes)
{
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_DEFINE || d->name == NO_TOKEN || d->function_like ||
            token_region(unit_token(unit, d->name)) == REGION_CUDA || sizes->count == MOST_SIZES)
            continue;
        const struct symbol *symbol = unit_token(unit, d->name)->symbol;
        if (size_number(sizes, symbol) == sizes->count && is_made_of_size(unit, sizes, d)) {
            sizes->findings[sizes->count] = SIZE_MAX;
            sizes->symbols[sizes->count++] = symbol;
        }
    }
}

/* Whether the name of size NUMBER at TOKEN means what it does as one of SIZES: a warpSize with a
   value is a constant of a header of the user's. */
static bool is_size(struct annotation *a, const struct sizes *sizes, unsigned number,
                    uint32_t token)
{
    struct model *model = annotation_code(a)->model;
    struct constant value;
    return number < sizes->count &&
           model_lookup(model, sizes->symbols[number], token).kind ==
               (number ? NAME_MACRO : NAME_UNKNOWN) &&
           (number || !constant_of_range(model, (struct range){token, token + 1}, &value));
}

/* Reports RANGE, where a constant is needed and size NUMBER stands: each warpSize, and the first
   use of a macro with its others. */
static void report_size(struct annotation *a, struct sizes *sizes, unsigned number,
                        struct range range)
{
    if (number && sizes->findings[number] != SIZE_MAX) {
        finding_add_related(&a->findings->list.items[sizes->findings[number]], RELATED_USED,
                            unit_span(a->unit, range), NULL);
        return;
    }
    annotation_add(a, RULE_WAVE_SIZE_CONSTANT, range);
    sizes->findings[number] = a->findings->list.count - 1;
}

static void examine_tokens(struct annotation *a, struct sizes *sizes)
{
    const struct unit *unit = a->unit;
    uint32_t count = (uint32_t)unit->tokens.list.count;
    for (uint32_t i = 0; i < count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind != TOK_IDENT || !token_is_code(token) || token_region(token) == REGION_CUDA)
            continue;
        unsigned number = size_number(sizes, token->symbol);
        if (number < sizes->count && !unit_is_member(unit, i) && needs_constant(a, i) &&
            is_size(a, sizes, number, i))
            report_size(a, sizes, number, (struct range){i, i + 1});
    }
}

/* The name in NODE that is one of SIZES, whose number is *NUMBER; or NULL. */
static const struct node *find_size(const struct unit *unit, const struct node *node,
                                    const struct sizes *sizes, unsigned *number)
{
    if (node->kind == NODE_NAME &&
        (*number = size_number(sizes, tree_symbol(unit, node))) < sizes->count)
        return node;
    tree_each (kid, node) {
        const struct node *res = find_size(unit, kid, sizes, number);
        if (res)
            return res;
    }
    return NULL;
}

/* The name in BOUND that is no constant: one of SIZES, whose number is *NUMBER, or what was made
   const with it. */
static const struct node *find_variable(struct annotation *a, const struct node *bound,
                                        const struct sizes *sizes, unsigned *number)
{
    if (bound->kind == NODE_NAME) {
        const struct symbol *name = tree_symbol(a->unit, bound);
        *number = size_number(sizes, name);
        if (*number < sizes->count)
            return is_size(a, sizes, *number, bound->token) ? bound : NULL;
        struct name_meaning meaning = model_lookup(annotation_code(a)->model, name, bound->token);
        if ((meaning.kind != NAME_LOCAL && meaning.kind != NAME_VARIABLE) || !meaning.declarator)
            return NULL;
        const struct node *made = find_size(a->unit, meaning.declarator, sizes, number);
        return made && is_size(a, sizes, *number, made->token) ? bound : NULL;
    }
    tree_each (kid, bound) {
        const struct node *res = find_variable(a, kid, sizes, number);
        if (res)
            return res;
    }
    return NULL;
}

/* Bounds of arrays in bodies, where HIP has no arrays of variable size. */
static void examine_arrays(struct annotation *a, struct sizes *sizes)
{
    const struct code *code = annotation_code(a);
    vec_each (const struct code_node, declaration, &code->declarations) {
        if (!function_on_device(&a->unit->functions.items[declaration->function]))
            continue;
        tree_each (declarator, declaration->node) {
            if (declarator->kind != NODE_DECLARATOR)
                continue;
            tree_each (dimension, declarator) {
                unsigned number;
                const struct node *name = dimension->kind == NODE_DIMENSION
                                              ? find_variable(a, dimension, sizes, &number)
                                              : NULL;
                if (name && token_region(unit_token(a->unit, name->token)) != REGION_CUDA)
                    report_size(a, sizes, number, dimension->kids->tokens);
            }
        }
    }
}

/* Whether an AMD compiler gets to TOKEN. A condition's line that names HIP counts as CUDA's, so
   that it stays as it is; what lies around it decides. */
static bool is_seen(const struct unit *unit, uint32_t token)
{
    if (token_region(unit_token(unit, token)) != REGION_CUDA)
        return true;
    const struct directive *directive =
        unit_token(unit, token)->flags & TOKEN_DIRECTIVE ? unit_directive_at(unit, token) : NULL;
    return directive && directive->condition &&
           (directive->parent == NO_INDEX ||
            unit->directives.items[directive->parent].region != REGION_CUDA);
}

static void examine_macro(struct annotation *a, const char *text)
{
    const struct unit *unit = a->unit;
    const struct symbol *symbol = symbol_find(unit->symbols, text);
    if (!symbol)
        return;
    uint32_t count = (uint32_t)unit->tokens.list.count;
    for (uint32_t i = 0; i < count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_IDENT && token->symbol == symbol && is_seen(unit, i))
            annotation_add(a, RULE_WAVE_SIZE_MACRO, (struct range){i, i + 1});
    }
}

/* The number that says how large the groups are that the name at TOKEN makes: in the angle
   brackets behind it, or the second argument. */
static bool tile_number(struct annotation *a, uint32_t token, struct range *range)
{
    const struct unit *unit = a->unit;
    uint32_t open = unit_next(unit, token);
    struct arguments arguments;
    if (unit_kind(unit, open) == TOK_LPAREN) {
        if (!unit_arguments(unit, open, a->arena, &arguments) || arguments.count != 2)
            return false;
        *range = arguments.items[1];
        return range->begin < range->end;
    }
    if (unit_kind(unit, open) != TOK_LESS || unit_partner(unit, open) == NO_TOKEN)
        return false;
    uint32_t first = unit_next(unit, open), behind = unit_next(unit, first);
    *range = (struct range){first, first + 1};
    return (unit_kind(unit, behind) == TOK_GREATER || unit_kind(unit, behind) == TOK_COMMA) &&
           (unit_kind(unit, first) == TOK_NUMBER || unit_kind(unit, first) == TOK_IDENT);
}

/* That number is a width that other targets have not; its range. */
static bool tile_width(struct annotation *a, uint32_t token, unsigned *width, struct range *range)
{
    struct constant value;
    if (!tile_number(a, token, range) ||
        !constant_of_range(annotation_code(a)->model, *range, &value) || !constant_single(&value) ||
        (value.values[0] != 32 && value.values[0] != 64))
        return false;
    *width = (unsigned)value.values[0];
    return width_applies(a, token, *width);
}

/* Calls that are given the group of which TOKEN is part of the declaration, cg::reduce (tile, ...).
 */
static void add_calls(struct annotation *a, struct finding *f, uint32_t token, size_t function)
{
    enum { MOST = 16 };
    const struct code *code = annotation_code(a);
    const struct symbol *name = NULL;
    unsigned count = 0;
    width_each(declaration, &code->declarations,
               function) if (declaration->node->tokens.begin <= token &&
                             token < declaration->node->tokens.end &&
                             declaration->node->kids->next &&
                             declaration->node->kids->next->kind == NODE_DECLARATOR) name =
        tree_symbol(a->unit, declaration->node->kids->next);
    if (!name)
        return;
    width_each(call, &code->calls, function)
    {
        const struct node *first = code_argument(call->node, 0);
        if (call->node->kids->kind == NODE_NAME && first && first->kind == NODE_NAME &&
            tree_symbol(a->unit, first) == name && count++ < MOST)
            finding_add_related(f, RELATED_USED, unit_span(a->unit, call->node->tokens), NULL);
    }
}

/* tiled_partition<32> and what is declared with its result: one finding for a function. */
static void examine_tiles(struct annotation *a)
{
    const struct unit *unit = a->unit;
    const struct symbol *partition = symbol_find(unit->symbols, "tiled_partition");
    const struct symbol *tile = symbol_find(unit->symbols, "thread_block_tile");
    if (!partition && !tile)
        return;
    uint32_t count = (uint32_t)unit->tokens.list.count;
    size_t last = SIZE_MAX, finding = 0;
    for (uint32_t i = 0; i + 3 < count; ++i) {
        const struct token *token = unit_token(unit, i);
        unsigned width;
        struct range range;
        if (token->kind != TOK_IDENT || (token->symbol != partition && token->symbol != tile) ||
            !token_is_code(token) || !tile_width(a, i, &width, &range))
            continue;
        struct range whole = {i, range.end + 1};
        size_t function = model_function_at(annotation_code(a)->model, i);
        if (function != NO_INDEX && function == last) {
            finding_add_related(&a->findings->list.items[finding], RELATED_USED,
                                unit_span(unit, whole), NULL);
            continue;
        }
        struct finding *f = width_add(a, RULE_WAVE_TILE, whole, width);
        if (function != NO_INDEX)
            add_calls(a, f, i, function);
        finding = a->findings->list.count - 1;
        last = function;
    }
}

/* group.size () == 32 */
static void examine_groups(struct annotation *a)
{
    if (!symbol_find(a->unit->symbols, "coalesced_threads") &&
        !symbol_find(a->unit->symbols, "coalesced_group"))
        return;
    const struct code *code = annotation_code(a);
    size_t asked = 0;
    vec_each (const struct code_node, at, &code->operations) {
        enum { MOST = 256 }; /* so many are looked at */
        const struct node *call = at->node->kids;
        struct constant value;
        if (at->node->kind != NODE_BINARY || call->kind != NODE_CALL ||
            (at->node->op != TOK_EQUAL && at->node->op != TOK_NOT_EQUAL) ||
            call->kids->kind != NODE_MEMBER)
            continue;
        const struct symbol *method = tree_symbol(a->unit, call->kids);
        if ((strcmp(method->text, "size") && strcmp(method->text, "num_threads")) ||
            !constant_of(code->model, call->next, &value) || !constant_single(&value) ||
            value.values[0] != 32 || !width_applies(a, at->node->token, 32) || MOST <= asked++ ||
            !warp_is_active_group(a, call->kids->kids))
            continue;
        width_add(a, RULE_WAVE_GROUP_SIZE, at->node->tokens, 32);
    }
}

/* Whether one argument alone stands between the angle brackets that open at OPEN. */
static bool has_one_argument(const struct unit *unit, uint32_t open)
{
    uint32_t close = unit_partner(unit, open);
    if (close == NO_TOKEN)
        return false;
    for (uint32_t at = unit_next(unit, open); at < close; at = unit_next(unit, at)) {
        enum token_kind kind = unit_kind(unit, at);
        if (kind == TOK_COMMA || kind == TOK_EOF)
            return false;
        if ((kind == TOK_LPAREN || kind == TOK_LESS) && unit_partner(unit, at) < close)
            at = unit_partner(unit, at);
    }
    return true;
}

/* Where the function at INDEX counts on WIDTH lanes. */
static void add_counting(struct annotation *a, struct finding *f, size_t index, unsigned width)
{
    enum { MOST = 32 };
    const struct widths *widths = annotation_widths(a);
    const struct width_use *uses = widths->uses.items;
    size_t at, count = widths->uses.count;
    vec_search(at, count, uses[at].function < index);
    for (unsigned found = 0; at < count && uses[at].function == index && found < MOST; ++at)
        if (uses[at].width == width && ++found)
            finding_add_related(f, RELATED_USED, unit_span(a->unit, uses[at].node->tokens), NULL);
}

/* cub::WarpReduce<T> in functions that count warps of another width than the wave's. */
static void examine_library(struct annotation *a)
{
    static const char *const names[] = {"WarpReduce", "WarpScan", "WarpMergeSort"};
    const struct unit *unit = a->unit;
    const struct symbol *symbols[] = {
        symbol_find(unit->symbols, names[0]),
        symbol_find(unit->symbols, names[1]),
        symbol_find(unit->symbols, names[2]),
    };
    if (!symbols[0] && !symbols[1] && !symbols[2])
        return;
    const struct widths *widths = annotation_widths(a);
    uint32_t count = (uint32_t)unit->tokens.list.count;
    for (uint32_t i = 2; i + 2 < count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind != TOK_IDENT || unit_kind(unit, i + 1) != TOK_LESS ||
            (token->symbol != symbols[0] && token->symbol != symbols[1] &&
             token->symbol != symbols[2]) ||
            unit_kind(unit, i - 1) != TOK_COLON_COLON || unit_kind(unit, i - 2) != TOK_IDENT ||
            !strstr(unit_token(unit, i - 2)->symbol->text, "cub") || !has_one_argument(unit, i + 1))
            continue;
        size_t function = model_function_at(annotation_code(a)->model, i);
        unsigned width = function == NO_INDEX                 ? 0
                         : widths->functions[function].hard32 ? 32
                         : widths->functions[function].hard64 ? 64
                                                              : 0;
        if (!width || !width_applies(a, i, width))
            continue;
        struct finding *f = width_add(a, RULE_WAVE_LIBRARY_WIDTH,
                                      (struct range){i - 2, unit_partner(unit, i + 1) + 1}, width);
        add_counting(a, f, function, width);
        uint32_t at = unit_token(unit, unit_partner(unit, i + 1))->offset;
        finding_add_edit(f, FIX_DISPLAY, (struct span){at, at}, width == 32 ? ", 32" : ", 64");
    }
}

void rule_wave_size(struct annotation *a)
{
    const struct symbol *size = symbol_find(a->unit->symbols, "warpSize");
    if (size && VERSION(7, 0, 0) <= a->options->hip_version) {
        struct sizes sizes = {.symbols = {size}, .findings = {SIZE_MAX}, .count = 1};
        gather_macros(a->unit, &sizes);
        examine_tokens(a, &sizes);
        examine_arrays(a, &sizes);
    }
    examine_macro(a, "__AMDGCN_WAVEFRONT_SIZE");
    examine_macro(a, "__AMDGCN_WAVEFRONT_SIZE__");
    examine_tiles(a);
    examine_groups(a);
    examine_library(a);
}
