/* Making functions follow warpSize: which of their numbers become it, and whether all of them can.
 */
#include <config.h>

#include "annotate/width.h"

#include <string.h>

#include "annotate/lanemask.h"

enum {
    MOST_SYMBOLS = 8,      /* names of the width in a function */
    MOST_DEFINITIONS = 64, /* in a file */
};

struct follow {
    struct annotation *a;
    size_t function;
    struct width_function *fn;
    unsigned width;
    struct lane_machine *machine, *first;       /* of any iteration, and of the first */
    unsigned sizes;                             /* names of the width in the sizes of arrays */
    const struct symbol *symbols[MOST_SYMBOLS]; /* that some edit replaces */
    unsigned symbol_count;
};

/* The width's name, and the function that has it. */
struct named {
    uint32_t defined;
    size_t function;
};

/* Whether VALUE counts the threads as ROLE does, from wherever. */
static bool counts_as(const struct follow *f, const struct lanes *value, enum lane_role role)
{
    if (value->state == LANES_UNKNOWN || value->object || !value->values)
        return false;
    for (unsigned i = 0; i < f->machine->threads; ++i) {
        int64_t is = role == LANE_ROLE_LANE   ? i % f->width
                     : role == LANE_ROLE_WARP ? i / f->width
                                              : i;
        if (lanes_from(value, i, lanes_at(value, 0)) != is)
            return false;
    }
    return true;
}

static bool divides(const struct node *node)
{
    return node->op == TOK_SLASH || node->op == TOK_SHIFT_RIGHT || node->op == TOK_SLASH_ASSIGN ||
           node->op == TOK_SHIFT_RIGHT_ASSIGN;
}

static bool is_device(const struct annotation *a, size_t function)
{
    return function_on_device(&a->unit->functions.items[function]);
}

static bool node_counts_as(const struct follow *f, const struct node *node, enum lane_role role)
{
    struct lanes value = lane_evaluate(f->machine, node);
    if (counts_as(f, &value, role))
        return true;
    value = lane_evaluate(f->first, node);
    return counts_as(f, &value, role);
}

/* Whether NODE stands in a declaration whose value the compiler needs. */
static bool is_in_constexpr(const struct follow *f, const struct node *node)
{
    const struct node *statement = code_statement(annotation_code(f->a), node);
    if (statement->kind != NODE_DECLARATION || !statement->kids)
        return false;
    for (uint32_t at = statement->tokens.begin; at < statement->kids->tokens.end; ++at)
        if (unit_kind(f->a->unit, at) == TOK_SPECIFIER &&
            !strcmp(unit_token(f->a->unit, at)->symbol->text, "constexpr"))
            return true;
    return false;
}

/* What the NUMBER, which is VALUE, becomes in PARENT; NULL: it stays. */
static const char *followed(const struct follow *f, const struct node *number, int64_t value,
                            const struct node *parent)
{
    const struct node *left = parent->kids;
    if (is_in_constexpr(f, number))
        return NULL;
    bool whole = value == f->width;
    if (parent->kind == NODE_ASSIGN && parent->op == TOK_PLUS_ASSIGN && whole && number != left)
        return node_counts_as(f, left, LANE_ROLE_LANE) || node_counts_as(f, left, LANE_ROLE_WARP)
                   ? "warpSize"
                   : NULL;
    struct warp_call warp;
    const struct node *around = code_parent(annotation_code(f->a), parent);
    bool in_use = around && f->a->widths->is_use[around->id];
    if (parent->kind == NODE_UNARY && parent->op == TOK_TILDE)
        return in_use && !whole ? "(warpSize - 1)" : NULL;
    if (parent->kind == NODE_BINARY && parent->op == TOK_PLUS && number != left)
        return in_use && !whole && divides(around) ? "warpSize - 1" : NULL;
    if (parent->kind == NODE_CALL && whole)
        return warp_call_of(f->a, parent, &warp) && warp.width == number &&
                       (f->fn->hard32 || warp.function->kind != WARP_SHUFFLE)
                   ? "warpSize"
                   : NULL;
    if (parent->kind == NODE_CALL)
        return value == f->width - 1 && warp_call_of(f->a, parent, &warp) && warp.lane == number &&
                       warp.function->kind == WARP_SHUFFLE && !warp.width
                   ? "warpSize - 1"
                   : NULL;
    if (parent->kind != NODE_BINARY && parent->kind != NODE_ASSIGN)
        return NULL;
    const struct node *other = number == left ? left->next : left;
    switch (parent->op) {
    case TOK_SLASH:
    case TOK_PERCENT:
    case TOK_SLASH_ASSIGN:
    case TOK_PERCENT_ASSIGN:
        return f->a->widths->is_use[parent->id] ? "warpSize" : NULL;
    case TOK_AMP:
    case TOK_AMP_ASSIGN:
        return f->a->widths->is_use[parent->id] && value == f->width - 1 ? "(warpSize - 1)" : NULL;
    case TOK_SHIFT_RIGHT:
    case TOK_SHIFT_RIGHT_ASSIGN:
        return f->a->widths->is_use[parent->id] ? "(__ffs(warpSize) - 1)" : NULL;
    case TOK_STAR:
        return whole && node_counts_as(f, other, LANE_ROLE_WARP) ? "warpSize" : NULL;
    case TOK_EQUAL:
    case TOK_NOT_EQUAL:
        return !whole && node_counts_as(f, other, LANE_ROLE_LANE) ? "warpSize - 1" : NULL;
    case TOK_LESS:
        return whole && (node_counts_as(f, other, LANE_ROLE_LANE) ||
                         node_counts_as(f, other, LANE_ROLE_NONE))
                   ? "warpSize"
                   : NULL;
    default:
        return NULL;
    }
}

/* Names of the width. */

/* Whether a shuffle stands in LOOP. */
static bool has_shuffle(const struct follow *f, const struct node *loop)
{
    width_each(call, &annotation_code(f->a)->calls, f->function)
    {
        struct warp_call warp;
        if (loop->tokens.begin <= call->node->token && call->node->token < loop->tokens.end &&
            call->name && warp_call_of(f->a, call->node, &warp) && warp_is_shuffle(warp.function))
            return true;
    }
    return false;
}

/* Whether NODE is WIDTH / 2 where the distances of shuffles begin or end, in the head of their
   loop. */
static bool is_half_of_steps(const struct follow *f, const struct node *name,
                             const struct node *half)
{
    struct constant by;
    const struct code *code = annotation_code(f->a);
    if (half->kind != NODE_BINARY || half->kids != name ||
        (half->op != TOK_SLASH && half->op != TOK_SHIFT_RIGHT) ||
        !constant_of(code->model, name->next, &by) || !constant_single(&by) ||
        by.values[0] != (half->op == TOK_SLASH ? 2 : 1))
        return false;
    const struct node *at = half, *loop = code_parent(code, at);
    while (loop && loop->kind != NODE_FOR && loop->kind < NODE_BLOCK) {
        at = loop;
        loop = code_parent(code, at);
    }
    return loop && loop->kind == NODE_FOR && (at == loop->kids || at == loop->kids->next) &&
           has_shuffle(f, loop);
}

/* Whether the name NODE in PARENT is a part of x + WIDTH - 1, which is divided by the width. */
static bool rounds_up(const struct follow *f, const struct node *node, const struct node *parent)
{
    const struct code *code = annotation_code(f->a);
    const struct node *at = node;
    while (parent && parent->kind == NODE_BINARY &&
           (parent->op == TOK_PLUS || parent->op == TOK_MINUS)) {
        at = parent;
        parent = code_parent(code, at);
    }
    return parent && at != node && parent->kind == NODE_BINARY && parent->op == TOK_SLASH &&
           parent->kids == at && f->a->widths->is_use[parent->id];
}

/* Whether the name NODE in PARENT is a part of WIDTH - 1 that masks a thread's number, is compared
   with a lane, or is the last lane, from which a shuffle reads. */
static bool is_last_lane(const struct follow *f, const struct node *node, const struct node *parent)
{
    const struct code *code = annotation_code(f->a);
    struct constant one;
    if (parent->kind != NODE_BINARY || parent->op != TOK_MINUS || parent->kids != node ||
        !constant_of(code->model, node->next, &one) || !constant_single(&one) || one.values[0] != 1)
        return false;
    struct warp_call warp;
    const struct node *last = parent, *around = code_parent(code, last);
    if (around && around->kind == NODE_UNARY && around->op == TOK_TILDE) {
        last = around;
        around = code_parent(code, last);
    }
    if (!around)
        return false;
    if (around->kind == NODE_CALL)
        return warp_call_of(f->a, around, &warp) && warp.lane == last &&
               warp.function->kind == WARP_SHUFFLE && !warp.width;
    if (around->kind != NODE_BINARY)
        return false;
    if (around->op == TOK_AMP)
        return f->a->widths->is_use[around->id];
    const struct node *other = around->kids == last ? last->next : around->kids;
    return (around->op == TOK_EQUAL || around->op == TOK_NOT_EQUAL) &&
           node_counts_as(f, other, LANE_ROLE_LANE);
}

/* Whether NODE, VALUE, may be the width, the last lane or the shift in PARENT. */
static bool may_be_width(const struct follow *f, int64_t value, const struct node *node,
                         const struct node *parent)
{
    bool shifts = (parent->kind == NODE_BINARY || parent->kind == NODE_ASSIGN) &&
                  (parent->op == TOK_SHIFT_RIGHT || parent->op == TOK_SHIFT_LEFT ||
                   parent->op == TOK_SHIFT_RIGHT_ASSIGN || parent->op == TOK_SHIFT_LEFT_ASSIGN) &&
                  parent->kids != node;
    struct warp_call warp;
    /* One step of a tree that is written out. */
    if (parent->kind == NODE_CALL && value == f->width / 2)
        return warp_call_of(f->a, parent, &warp) && warp.lane == node && !width_step(f->a, parent);
    return value == f->width || value == f->width - 1 ||
           (shifts && value == (f->width == 32 ? 5 : 6));
}

/* Whether NODE in PARENT ends a loop over the distances of shuffles, which is looked at apart. */
static bool ends_steps(const struct follow *f, const struct node *node, const struct node *parent)
{
    const struct node *loop = code_parent(annotation_code(f->a), parent);
    if (!f->fn->warps || parent->kind != NODE_BINARY || parent->op != TOK_LESS ||
        parent->kids == node || !loop || loop->kind != NODE_FOR)
        return false;
    struct lanes value = lane_evaluate(f->machine, parent->kids);
    return lanes_uniform(&value);
}

/* Whether NODE counts the bits of a lane mask, and changes with that: 31 - __clz(m). */
static bool goes_with_mask(const struct follow *f, const struct node *node)
{
    const struct lane_masks *masks = annotation_masks(f->a);
    return masks && lane_masks_replace(masks, unit_span(f->a->unit, node->tokens).begin);
}

/* Whether the number NODE, which is VALUE, is that of the warps of the block, and tells the threads
   that take one partial result each from the others: tid < 8 of 256. */
static bool counts_warps(const struct follow *f, int64_t value, const struct node *node,
                         const struct node *parent)
{
    return parent->kind == NODE_BINARY && parent->op == TOK_LESS && parent->kids != node &&
           1 < value && value * f->width == f->machine->threads &&
           (node_counts_as(f, parent->kids, LANE_ROLE_LANE) ||
            node_counts_as(f, parent->kids, LANE_ROLE_NONE));
}

static void read_number(struct follow *f, const struct node *node, const struct node *parent)
{
    struct constant value;
    if (width_is_float(f->a->unit, node, f->width)) {
        if (f->a->widths->is_use[parent->id])
            *vec_push(&f->fn->edits) = (struct width_edit){node, "(float)warpSize", NO_TOKEN};
        return;
    }
    if (ends_steps(f, node, parent) || !constant_of(annotation_code(f->a)->model, node, &value) ||
        !constant_single(&value))
        return;
    f->fn->keeps |= counts_warps(f, value.values[0], node, parent);
    if (!may_be_width(f, value.values[0], node, parent) || goes_with_mask(f, node))
        return;
    const char *text = followed(f, node, value.values[0], parent);
    if (text)
        *vec_push(&f->fn->edits) = (struct width_edit){node, text, NO_TOKEN};
    else
        f->fn->keeps = true;
}

static bool is_edited_name(const struct follow *f, const struct symbol *name)
{
    for (unsigned i = 0; i < f->symbol_count; ++i)
        if (f->symbols[i] == name)
            return true;
    return false;
}

/* Notes that an edit replaces NAME; false where there are too many. */
static bool keep_symbol(struct follow *f, const struct symbol *name)
{
    if (is_edited_name(f, name))
        return true;
    if (f->symbol_count == MOST_SYMBOLS)
        return false;
    f->symbols[f->symbol_count++] = name;
    return true;
}

static void read_name(struct follow *f, const struct node *node, const struct node *parent,
                      bool sizes)
{
    struct model *model = annotation_code(f->a)->model;
    struct constant value;
    if (!constant_of(model, node, &value) || goes_with_mask(f, node))
        return;
    if (!constant_single(&value) || !may_be_width(f, value.values[0], node, parent)) {
        /* A number of warps, say, that was computed elsewhere. */
        f->fn->keeps |= !sizes && width_speaks_of_warps(tree_symbol(f->a->unit, node)->text);
        return;
    }
    if (sizes) {
        ++f->sizes;
        return;
    }
    struct name_meaning meaning = model_lookup(model, tree_symbol(f->a->unit, node), node->token);
    bool own =
        meaning.token != NO_TOKEN && (meaning.kind == NAME_MACRO || meaning.kind == NAME_VARIABLE ||
                                      meaning.kind == NAME_ENUMERATOR);
    const char *text = own ? followed(f, node, value.values[0], parent) : NULL;
    if (own && !text && value.values[0] == f->width && !is_in_constexpr(f, node) &&
        (ends_steps(f, node, parent) || is_half_of_steps(f, node, parent) ||
         rounds_up(f, node, parent) || is_last_lane(f, node, parent)))
        text = "warpSize";
    if (text && keep_symbol(f, tree_symbol(f->a->unit, node)))
        *vec_push(&f->fn->edits) = (struct width_edit){node, text, meaning.token};
    else
        f->fn->keeps = true;
}

/* SIZES: NODE stands in the size of an array, which is right, or reported where it is not. */
static void read_numbers(struct follow *f, const struct node *node, const struct node *parent,
                         bool sizes)
{
    sizes |= node->kind == NODE_DIMENSION;
    if (parent && node->kind == NODE_NAME)
        read_name(f, node, parent, sizes);
    else if (parent && node->kind == NODE_NUMBER && !sizes)
        read_number(f, node, parent);
    tree_each (kid, node)
        read_numbers(f, kid, node, sizes);
}

/* Whether the names of the width stand in BODY where no tree has them: template arguments, say. */
static bool has_more_names(const struct follow *f, struct range body)
{
    const struct unit *unit = f->a->unit;
    unsigned named = f->sizes, found = 0;
    vec_each (const struct width_edit, edit, &f->fn->edits)
        named += edit->defined != NO_TOKEN;
    for (uint32_t at = body.begin; at < body.end && named; ++at)
        found +=
            unit_kind(unit, at) == TOK_IDENT && is_edited_name(f, unit_token(unit, at)->symbol);
    return named < found;
}

/* Whether TOKEN lies between angle brackets. */
static bool is_template_argument(const struct unit *unit, uint32_t token)
{
    uint32_t at = token;
    for (unsigned steps = 0; steps < 16; ++steps) {
        at = unit_prev(unit, at);
        enum token_kind kind = unit_kind(unit, at);
        if (kind == TOK_LESS && unit_partner(unit, at) != NO_TOKEN)
            return token < unit_partner(unit, at);
        if (kind == TOK_SEMICOLON || kind == TOK_LBRACE || kind == TOK_RBRACE || kind == TOK_EOF)
            return false;
    }
    return false;
}

/* Whether a template in BODY is given the width, as tiled_partition<32> is. */
static bool has_width_argument(const struct follow *f, struct range body)
{
    const struct unit *unit = f->a->unit;
    for (uint32_t at = body.begin + 1; at + 1 < body.end; ++at) {
        enum token_kind kind = unit_kind(unit, at), before = unit_kind(unit, at - 1),
                        behind = unit_kind(unit, at + 1);
        struct constant value;
        if ((kind == TOK_NUMBER || kind == TOK_IDENT) &&
            (before == TOK_LESS || before == TOK_COMMA) &&
            (behind == TOK_GREATER || behind == TOK_COMMA) && is_template_argument(unit, at) &&
            constant_of_range(annotation_code(f->a)->model, (struct range){at, at + 1}, &value) &&
            constant_single(&value) && value.values[0] == f->width)
            return true;
    }
    return false;
}

static bool names_grid(const struct follow *f, struct range body)
{
    const struct unit *unit = f->a->unit;
    const struct symbol *grid = symbol_find(unit->symbols, "gridDim");
    for (uint32_t at = body.begin; at < body.end && grid; ++at)
        if (unit_kind(unit, at) == TOK_IDENT && unit_token(unit, at)->symbol == grid)
            return true;
    return false;
}

/* Whether VALUE gives each warp a row of its own: it goes on otherwise from one warp to the next
   than within one. */
static bool is_row(const struct follow *f, const struct lanes *value)
{
    unsigned width = f->width;
    if (value->state == LANES_UNKNOWN || value->object || !value->values || !value->bytes ||
        f->machine->threads <= width)
        return false;
    int64_t first = lanes_at(value, 0), lane = lanes_from(value, 1, first),
            warp = lanes_from(value, width, first);
    for (unsigned t = 0; t < f->machine->threads; ++t)
        if (lanes_from(value, t, first) !=
            (int64_t)(t / width * (uint64_t)warp + t % width * (uint64_t)lane))
            return false;
    return warp != 0 && (uint64_t)warp != width * (uint64_t)lane;
}

/* Whether a warp works on something of its own outside of the block, so that as many warps as
   before have to be there: the host would have to launch more, unless each goes on by gridDim. */
static bool numbers_work(const struct follow *f, struct range body)
{
    const struct code *code = annotation_code(f->a);
    bool strides = names_grid(f, body);
    width_each(at, &code->operations, f->function)
    {
        struct lanes value = lane_evaluate(f->machine, at->node);
        if (!strides && value.state == LANES_SHIFTED && counts_as(f, &value, LANE_ROLE_WARP))
            return true;
    }
    width_each(place, &code->places, f->function)
    {
        struct lane_access access;
        if (place->node->kind != NODE_INDEX || lane_shared_access(f->machine, place->node, &access))
            continue;
        struct lanes array = lane_evaluate(f->first, place->node->kids),
                     index = lane_evaluate(f->first, place->node->kids->next);
        if (!array.object && is_row(f, &index) && !(strides && index.state == LANES_SHIFTED))
            return true;
    }
    return false;
}

const struct width_function *width_edits(struct annotation *a, size_t index)
{
    annotation_widths(a);
    struct width_function *fn = &a->widths->functions[index];
    const struct node *body = model_function(annotation_code(a)->model, index)->body;
    if (!fn->edits_known && body) {
        unsigned blocks[WIDTH_BLOCKS][3], width = fn->hard64 && !fn->hard32 ? 64 : 32;
        bool assumed;
        width_blocks(a, index, width, blocks, &assumed);
        struct follow f = {.a = a, .function = index, .fn = fn, .width = width};
        f.machine = annotation_machine(a, index, blocks[0], 64, 0);
        f.first = annotation_machine(a, index, blocks[0], 64, 1);
        fn->keeps = !f.machine || !f.first || (fn->hard32 && fn->hard64);
        if (!fn->keeps)
            read_numbers(&f, body, NULL, false);
        if (!fn->keeps)
            fn->keeps = has_more_names(&f, body->tokens) || has_width_argument(&f, body->tokens) ||
                        numbers_work(&f, body->tokens);
    }
    fn->edits_known = true;
    return fn;
}

/* The step of the largest distance, written out. */
const struct node *width_step(struct annotation *a, const struct node *call)
{
    const struct code *code = annotation_code(a);
    struct warp_call warp;
    struct constant value;
    if (!warp_call_of(a, call, &warp) || warp.width || !warp.lane ||
        (warp.function->kind != WARP_SHUFFLE_XOR && warp.function->kind != WARP_SHUFFLE_DOWN) ||
        warp.lane->kind != NODE_NUMBER || !constant_of(code->model, warp.lane, &value) ||
        !constant_single(&value) || value.values[0] != 16)
        return NULL;
    const struct node *statement = code_statement(code, call);
    const struct node *around = code_parent(code, statement);
    if (statement->kind != NODE_EXPRESSION || !around || around->kind != NODE_BLOCK ||
        statement->kids->kind != NODE_ASSIGN || warp.value->kind != NODE_NAME ||
        statement->kids->kids->kind != NODE_NAME ||
        tree_symbol(a->unit, statement->kids->kids) != tree_symbol(a->unit, warp.value) ||
        (unit_token(a->unit, statement->token)->flags & TOKEN_DIRECTIVE))
        return NULL;
    return statement;
}

/* Functions that go together. */

/* Whether TOKEN, outside of device code, is a number of bits to shift by, or stands in a condition:
   that holds for the constant as it is. */
static bool is_apart(const struct unit *unit, uint32_t token)
{
    uint32_t before = unit_prev(unit, token);
    if (unit_kind(unit, before) == TOK_LPAREN)
        before = unit_prev(unit, before);
    if (unit_kind(unit, before) == TOK_SHIFT_LEFT)
        return true;
    for (uint32_t at = before, steps = 0; at != NO_TOKEN && steps < 64; ++steps) {
        enum token_kind kind = unit_kind(unit, at);
        if (kind == TOK_SEMICOLON || kind == TOK_LBRACE || kind == TOK_RBRACE || kind == TOK_EOF)
            return false;
        uint32_t open = unit_next(unit, at);
        if (kind == TOK_STATIC_ASSERT)
            return true;
        if (kind == TOK_STATEMENT)
            return !strcmp(unit_token(unit, at)->symbol->text, "if") &&
                   unit_partner(unit, open) != NO_TOKEN && token < unit_partner(unit, open);
        at = unit_prev(unit, at);
    }
    return false;
}

struct together {
    struct annotation *a;
    VEC(struct named) named;
    VEC(uint32_t) kept; /* definitions that others need as they are */
};

/* Notes the names that the function at INDEX would give up; those that one definition has go
   together. */
static void add_names(struct together *t, size_t index)
{
    struct widths *widths = t->a->widths;
    vec_each (const struct width_edit, edit, &widths->functions[index].edits) {
        if (edit->defined == NO_TOKEN)
            continue;
        struct named *other = NULL;
        vec_each (struct named, named, &t->named)
            if (named->defined == edit->defined)
                other = named;
        if (!other && t->named.count == MOST_DEFINITIONS) {
            widths->functions[index].keeps = true;
        } else if (!other) {
            *vec_push(&t->named) = (struct named){edit->defined, index};
            unit_token(t->a->unit, edit->defined)->symbol->flags |= SYMBOL_WIDTH_FOLLOWS;
        } else {
            widths->functions[width_root(widths, index)].root = width_root(widths, other->function);
        }
    }
}

/* Whether TOKEN stands in the text of a macro that is one of the names. */
static bool is_in_named_macro(const struct together *t, uint32_t token)
{
    const struct unit *unit = t->a->unit;
    if (!(unit_token(unit, token)->flags & TOKEN_DIRECTIVE))
        return false;
    uint32_t name = unit_directive_at(unit, token)->name;
    vec_each (const struct named, named, &t->named)
        if (named->defined == name)
            return true;
    return false;
}

static void keep_definition(struct together *t, uint32_t defined)
{
    vec_each (const uint32_t, kept, &t->kept)
        if (*kept == defined)
            return;
    if (t->kept.count < MOST_DEFINITIONS)
        *vec_push(&t->kept) = defined;
}

/* Looks for the names elsewhere: device code gives them up as well, or keeps them. */
static void find_elsewhere(struct together *t)
{
    struct annotation *a = t->a;
    struct model *model = annotation_code(a)->model;
    uint32_t count = t->named.count ? (uint32_t)a->unit->tokens.list.count : 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct token *token = unit_token(a->unit, i);
        if (token->kind != TOK_IDENT || !(token->symbol->flags & SYMBOL_WIDTH_FOLLOWS) ||
            token_region(token) == REGION_CUDA)
            continue;
        uint32_t defined = model_lookup(model, token->symbol, i).token;
        size_t function = model_function_at(model, i);
        if (function != NO_INDEX && is_device(a, function)) {
            if (!a->widths->functions[function].edits_known) {
                width_edits(a, function);
                add_names(t, function);
            }
        } else if (defined != NO_TOKEN && defined != i && !is_apart(a->unit, i) &&
                   !is_in_named_macro(t, i)) {
            keep_definition(t, defined);
        }
    }
}

/* What the function at INDEX cannot give up, those connected with it cannot either. */
static void judge(struct together *t, size_t index)
{
    struct widths *widths = t->a->widths;
    const struct width_function *fn = &widths->functions[index];
    bool keeps = fn->keeps;
    vec_each (const struct width_edit, edit, &fn->edits)
        vec_each (const uint32_t, kept, &t->kept)
            keeps |= edit->defined == *kept;
    /* What other files call is up to them. */
    keeps |= !(t->a->unit->functions.items[index].flags & FUNCTION_GLOBAL) && !fn->callers.count;
    if (keeps)
        widths->functions[width_root(widths, index)].connected_keeps = true;
}

/* Only functions that have to do with warps matter: the numbers of others are something else. */
static void read_connected(struct annotation *a)
{
    struct widths *widths = a->widths;
    struct together together = {.a = a};
    widths->connected = true;
    for (size_t i = 0; i < widths->function_count; ++i) {
        const struct width_function *fn = &widths->functions[i];
        if (!is_device(a, i) || (!fn->hard32 && !fn->hard64 && !fn->exchanges))
            continue;
        width_edits(a, i);
        add_names(&together, i);
    }
    find_elsewhere(&together);
    for (size_t i = 0; i < widths->function_count; ++i)
        if (widths->functions[i].edits_known && is_device(a, i))
            judge(&together, i);
    vec_release(&together.named);
    vec_release(&together.kept);
}

enum fix_safety width_safety(struct annotation *a, size_t index)
{
    annotation_widths(a);
    if (!a->widths->connected)
        read_connected(a);
    return a->widths->functions[width_root(a->widths, index)].connected_keeps ? FIX_DISPLAY
                                                                              : FIX_UNSAFE;
}
