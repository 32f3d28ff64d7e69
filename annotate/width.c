#include <config.h>

#include "annotate/width.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "annotate/warp_macro.h"
#include "base/xalloc.h"

enum { MOST_BITS = 256 }; /* positions of bits in a file of which more is thought */

const struct code_node *width_first_of(const struct code_node *list, size_t count, size_t function)
{
    size_t low;
    vec_search(low, count, list[low].function < function);
    return count ? list + low : list; /* an empty array has no address to count from */
}

bool width_speaks_of_warps(const char *text)
{
    for (const char *at = text; *at; ++at) {
        if (!strncasecmp(at, "warp", 4) || !strncasecmp(at, "wave", 4))
            return true;
        if (!strncasecmp(at, "lane", 4) && (at == text || (at[-1] | 32) != 'p'))
            return true;
    }
    return !strcasecmp(text, "wid") || !strcasecmp(text, "ws");
}

/* Upper and lower case, underscores and a leading k do not matter. */
bool width_is_usual_name(const char *text)
{
    static const char *const names[] = {
        "warpsize",        "warpsz",        "threadsperwarp",    "warpthreads",  "warpwidth",
        "lanesperwarp",    "warplanes",     "threadsinwarp",     "wavesize",     "wavefrontsize",
        "sizeofwarp",      "warpdim",       "numthreadsperwarp", "cudawarpsize", "gpuwarpsize",
        "nthreadsperwarp", "threadperwarp", "maxwarpsize",       "numlanes",     "warplength",
    };
    char plain[32];
    size_t len = 0;
    if (!strcmp(text, "WS"))
        return true;
    if (text[0] == 'k' && isupper((unsigned char)text[1]))
        ++text;
    for (; *text; ++text) {
        if (*text == '_')
            continue;
        if (len + 1 == sizeof plain)
            return false;
        plain[len++] = (char)tolower((unsigned char)*text);
    }
    plain[len] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strcmp(plain, names[i]))
            return true;
    return false;
}

target_set width_targets(const struct annotation *a, unsigned width)
{
    return annotation_with_wave(a, width_other(width));
}

struct finding *width_add(struct annotation *a, enum rule_id rule, struct range range,
                          unsigned width)
{
    struct finding *f = annotation_add(a, rule, range);
    f->targets = width_targets(a, width);
    finding_add_arg(f, annotation_names(a, f->targets));
    finding_add_number(f, width_other(width));
    finding_add_number(f, width);
    return f;
}

/* Whether a word of the condition DIRECTIVE speaks of waves, or of AMD's GPUs by their generation.
 */
static bool tells_widths(const struct unit *unit, const struct directive *directive)
{
    for (uint32_t at = directive->tokens.begin; at < directive->tokens.end; ++at) {
        if (unit_kind(unit, at) != TOK_IDENT)
            continue;
        const char *text = unit_token(unit, at)->symbol->text;
        if (strcasestr(text, "wavefront") || strcasestr(text, "wave64") ||
            strcasestr(text, "wave32") || strstr(text, "__gfx") || strstr(text, "__GFX") ||
            width_is_usual_name(text))
            return true;
    }
    return false;
}

bool width_is_decided(const struct unit *unit, uint32_t token)
{
    unsigned depth = 0;
    for (uint32_t d = unit_branch_at(unit, token); d != NO_INDEX && depth < 16; ++depth) {
        const struct directive *branch = &unit->directives.items[d];
        const struct directive *first = &unit->directives.items[branch->first];
        if (!first->guard && first->kind == TOK_PP_IF && tells_widths(unit, first))
            return true;
        if (branch->kind == TOK_PP_ELIF && tells_widths(unit, branch))
            return true;
        if (first->kind == TOK_PP_IFDEF && tells_widths(unit, first))
            return true;
        d = branch->parent;
    }
    return false;
}

bool width_applies(const struct annotation *a, uint32_t token, unsigned width)
{
    if (token_region(unit_token(a->unit, token)) == REGION_CUDA || !width_targets(a, width) ||
        width_is_decided(a->unit, token))
        return false;
    return width == 32 || annotation_is_hip(a, token);
}

bool widths_are_possible(const struct annotation *a)
{
    static const char *const words[] = {"threadIdx", "hipThreadIdx_x", "thread_rank",
                                        "get_local_id"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (symbol_find(a->unit->symbols, words[i]))
            return true;
    return warp_is_used(a);
}

/* Playing. */

unsigned width_blocks(struct annotation *a, size_t index, unsigned width,
                      unsigned blocks[WIDTH_BLOCKS][3], bool *assumed)
{
    static const unsigned common[][3] = {{256, 1, 1}, {192, 1, 1}};
    struct launch_blocks own;
    unsigned count = 0;
    *assumed = false;
    if (model_blocks(annotation_code(a)->model, index, &own))
        for (unsigned i = 0; i < own.count && count < WIDTH_BLOCKS; ++i) {
            uint64_t threads = (uint64_t)own.block[i][0] * own.block[i][1] * own.block[i][2];
            if (width < threads && threads <= LANES_MAX)
                memcpy(blocks[count++], own.block[i], sizeof own.block[i]);
        }
    if (count)
        return count;
    *assumed = true;
    memcpy(blocks, common, sizeof common);
    return sizeof common / sizeof *common;
}

bool width_value(struct annotation *a, size_t function, const struct node *node, unsigned wave,
                 unsigned sample, int64_t *value)
{
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    width_blocks(a, function, 32, blocks, &assumed);
    struct lane_machine *machine = annotation_machine(a, function, blocks[0], wave, sample);
    struct lanes lanes = machine ? lane_evaluate(machine, node) : (struct lanes){0};
    if (lanes.state != LANES_KNOWN || lanes.values || lanes.object || !lanes.bytes)
        return false;
    *value = lanes.base;
    return true;
}

/* The roles that VALUE may have with warps of WIDTH, as bits. */
static unsigned roles_of(const struct lane_machine *machine, const struct lanes *value,
                         unsigned width)
{
    if (value->state == LANES_UNKNOWN || value->object || !value->bytes || !value->values)
        return 0;
    bool lane = value->state == LANES_KNOWN, warp = true, start = true;
    int64_t first = lanes_at(value, 0);
    /* Another lane, (lane + 1) % 32, is one as well. */
    unsigned turn = 0 < first && first < width ? (unsigned)first : 0;
    for (unsigned i = 0; i < machine->threads && (lane || warp || start); ++i) {
        int64_t from = lanes_from(value, i, first);
        lane = lane && lanes_at(value, i) == (i + turn) % width;
        warp = warp && from == i / width;
        start = start && from == i - i % width;
    }
    return (unsigned)lane << LANE_ROLE_LANE | (unsigned)warp << LANE_ROLE_WARP |
           (unsigned)start << LANE_ROLE_WARP_START;
}

/* Whether the left operand of NODE is the number of threads, maybe rounded up to whole warps. */
static bool counts_threads(struct lane_machine *machine, const struct node *node, unsigned width)
{
    struct lanes left = lane_evaluate(machine, node->kids);
    return left.state == LANES_KNOWN && !left.values && !left.object && left.bytes &&
           (left.base == machine->threads || left.base == machine->threads + width - 1);
}

static bool divides(const struct node *node)
{
    return node->op == TOK_SLASH || node->op == TOK_SHIFT_RIGHT || node->op == TOK_SLASH_ASSIGN ||
           node->op == TOK_SHIFT_RIGHT_ASSIGN;
}

/* The role of NODE written for warps of WIDTH, on waves of WAVE lanes. */
static enum lane_role role_on(struct annotation *a, const struct code_node *at, unsigned width,
                              unsigned wave)
{
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    unsigned count = width_blocks(a, at->function, width, blocks, &assumed);
    unsigned roles = ~0u;
    bool counts = divides(at->node), tried = false;
    for (unsigned i = 0; i < count && (roles || counts); ++i) {
        struct lane_machine *machine = annotation_machine(a, at->function, blocks[i], wave, 0);
        if (!machine)
            continue;
        struct lanes value = lane_evaluate(machine, at->node);
        roles &= roles_of(machine, &value, width);
        counts = counts && counts_threads(machine, at->node, width);
        tried = true;
    }
    if (!tried)
        return LANE_ROLE_NONE;
    if (counts)
        return LANE_ROLE_WARP_COUNT;
    for (unsigned role = LANE_ROLE_LANE; role <= LANE_ROLE_WARP_START; ++role)
        if (roles == 1u << role)
            return role;
    return LANE_ROLE_NONE;
}

/* What to look at. */

/* Whether VALUE, which has nothing around it, is what a constructor gives a member that is called
   by a warp: lane_(VALUE). */
static bool is_given_to_warp(const struct unit *unit, const struct node *value)
{
    uint32_t open = unit_prev(unit, value->tokens.begin), name = unit_prev(unit, open);
    return (unit_kind(unit, open) == TOK_LPAREN || unit_kind(unit, open) == TOK_LBRACE) &&
           unit_kind(unit, name) == TOK_IDENT &&
           width_speaks_of_warps(unit_token(unit, name)->symbol->text);
}

bool width_goes_to_warp(struct annotation *a, const struct node *node)
{
    const struct code *code = annotation_code(a);
    const struct node *at = node;
    for (const struct node *parent; (parent = code_parent(code, at)); at = parent) {
        const struct node *named = NULL;
        if (parent->kind == NODE_DECLARATOR)
            named = parent;
        else if (parent->kind == NODE_ASSIGN && parent->kids != at)
            named = parent->kids;
        else if (parent->kind == NODE_RETURN) {
            size_t function = model_function_at(code->model, node->token);
            const struct function *fn = &a->unit->functions.items[function];
            return width_speaks_of_warps(unit_token(a->unit, fn->name)->symbol->text);
        }
        if (named && (named->kind == NODE_DECLARATOR || named->kind == NODE_NAME ||
                      named->kind == NODE_MEMBER))
            return width_speaks_of_warps(tree_symbol(a->unit, named)->text);
        if (NODE_BLOCK <= parent->kind || parent->kind == NODE_CALL)
            return false;
    }
    return is_given_to_warp(a->unit, at);
}

/* Whether OP with the constant VALUE splits a number into warps of WIDTH and lanes. */
static bool splits(unsigned op, int64_t value, unsigned width)
{
    switch (op) {
    case TOK_PERCENT:
    case TOK_SLASH:
    case TOK_PERCENT_ASSIGN:
    case TOK_SLASH_ASSIGN:
        return value == width;
    case TOK_AMP:
    case TOK_AMP_ASSIGN:
        return value == width - 1 || value == -(int64_t)width ||
               value == (int64_t)(uint32_t) - (int64_t)width;
    case TOK_SHIFT_RIGHT:
    case TOK_SHIFT_RIGHT_ASSIGN:
        return value == (width == 32 ? 5 : 6);
    default:
        return false;
    }
}

static bool may_split(unsigned op)
{
    return splits(op, 32, 32) || splits(op, 31, 32) || splits(op, 5, 32);
}

bool width_is_float(const struct unit *unit, const struct node *node, unsigned width)
{
    char text[8] = "";
    if (node->kind != NODE_NUMBER)
        return false;
    struct span span = unit_span(unit, node->tokens);
    if (sizeof text <= span.end - span.begin)
        return false;
    memcpy(text, unit->source->text + span.begin, span.end - span.begin);
    char *end;
    return strchr(text, '.') && strtod(text, &end) == width && (!*end || !strcasecmp(end, "f"));
}

/* The operand of NODE that splits for WIDTH, or NULL. */
static const struct node *splitting_operand(struct annotation *a, const struct node *node,
                                            unsigned width)
{
    struct model *model = annotation_code(a)->model;
    struct constant value;
    const struct node *left = node->kids, *right = left->next;
    if (!right)
        return NULL;
    /* blockDim.x / 32.f, with which a thread's number is compared. */
    if (node->op == TOK_SLASH && width_is_float(a->unit, right, width))
        return right;
    if (constant_of(model, right, &value) && constant_single(&value))
        return splits(node->op, value.values[0], width) ? right : NULL;
    if (node->op == TOK_AMP && constant_of(model, left, &value) && constant_single(&value))
        return splits(node->op, value.values[0], width) ? left : NULL;
    return NULL;
}

/* Whether the right operand of AT is one that follows warpSize. */
static bool follows_wave(struct annotation *a, const struct code_node *at)
{
    const struct node *right = at->node->kids->next;
    int64_t on32, on64;
    return right && width_value(a, at->function, right, 32, 0, &on32) &&
           splits(at->node->op, on32, 32) && width_value(a, at->function, right, 64, 0, &on64) &&
           splits(at->node->op, on64, 64);
}

/* The position of a bit in a word is not a lane: word[i / 32] >> i % 32. */
static bool is_bit_position(const struct code *code, const struct node *node)
{
    const struct node *parent = code_parent(code, node);
    return parent && (parent->kind == NODE_BINARY || parent->kind == NODE_ASSIGN) &&
           (parent->op == TOK_SHIFT_LEFT || parent->op == TOK_SHIFT_RIGHT ||
            parent->op == TOK_SHIFT_RIGHT_ASSIGN) &&
           parent->kids->next == node;
}

/* Whether a loop adds to AT: the value is another in its next iteration. */
static bool is_counted(struct annotation *a, const struct code_node *at, unsigned width)
{
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    width_blocks(a, at->function, width ? width : 64, blocks, &assumed);
    struct lanes values[2];
    for (unsigned i = 0; i < 2; ++i) {
        struct lane_machine *machine =
            annotation_machine(a, at->function, blocks[0], 64, i ? 2 : 1);
        values[i] = machine ? lane_evaluate(machine, at->node) : (struct lanes){0};
    }
    return values[0].state != values[1].state || values[0].state == LANES_UNKNOWN ||
           lanes_at(&values[0], 0) != lanes_at(&values[1], 0);
}

/* Whether AT, a lane in warps of WIDTH, is another than the thread's own. */
static bool is_turned(struct annotation *a, const struct code_node *at, unsigned width)
{
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    width_blocks(a, at->function, width, blocks, &assumed);
    struct lane_machine *machine = annotation_machine(a, at->function, blocks[0], 64, 0);
    struct lanes value = machine ? lane_evaluate(machine, at->node) : (struct lanes){0};
    return value.state == LANES_KNOWN && lanes_at(&value, 0) != 0;
}

static void add_use(struct annotation *a, struct widths *widths, const struct code_node *at,
                    const struct node *constant, unsigned width, enum lane_role role)
{
    *vec_push(&widths->uses) = (struct width_use){
        .node = at->node,
        .constant = constant,
        .function = at->function,
        .role = (uint8_t)role,
        .width = (uint8_t)width,
        .counted = role != LANE_ROLE_WARP_COUNT && is_counted(a, at, width),
    };
}

/* HIP code that has the width from a template's argument may be instantiated for each. */
static bool is_template_parameter(struct annotation *a, const struct node *node)
{
    if (node->kind == NODE_NAME)
        return model_lookup(annotation_code(a)->model, tree_symbol(a->unit, node), node->token)
                   .kind == NAME_TEMPLATE_PARAMETER;
    tree_each (kid, node)
        if (is_template_parameter(a, kid))
            return true;
    return false;
}

/* Looks at AT; true if it is the position of a bit, so that what divides the same is one of a word.
 */
static bool examine(struct annotation *a, struct widths *widths, const struct code_node *at,
                    bool wave_words)
{
    static const unsigned hard[] = {32, 64};
    const struct code *code = annotation_code(a);
    for (unsigned i = 0; i < 2; ++i) {
        const struct node *constant = splitting_operand(a, at->node, hard[i]);
        if (!constant || (annotation_is_hip(a, at->node->token) ? is_template_parameter(a, constant)
                                                                : hard[i] == 64))
            continue;
        enum lane_role role = role_on(a, at, hard[i], 64);
        if (role == LANE_ROLE_NONE)
            return false;
        if (role == LANE_ROLE_LANE && is_bit_position(code, at->node))
            return true;
        /* What is turned may be a place in a row of banks, unless it is called a lane. */
        if (role == LANE_ROLE_LANE && is_turned(a, at, hard[i]) && !width_goes_to_warp(a, at->node))
            return false;
        add_use(a, widths, at, constant, hard[i], role);
        return false;
    }
    if (wave_words && follows_wave(a, at)) {
        enum lane_role role = role_on(a, at, 64, 64);
        if (role != LANE_ROLE_NONE && role_on(a, at, 32, 32) == role)
            add_use(a, widths, at, at->node->kids->next, 0, role);
    }
    return false;
}

/* Drops the uses that divide what BIT is a position in. */
static void drop_words(struct annotation *a, struct widths *widths, const struct code_node *bit)
{
    size_t kept = 0;
    vec_each (const struct width_use, use, &widths->uses) {
        bool same = use->function == bit->function && use->role == LANE_ROLE_WARP && use->width &&
                    unit_same_text(a->unit, use->node->kids->tokens, bit->node->kids->tokens);
        if (!same)
            widths->uses.items[kept++] = *use;
    }
    widths->uses.count = kept;
}

static bool is_device(const struct annotation *a, size_t function)
{
    return function_on_device(&a->unit->functions.items[function]);
}

size_t width_root(struct widths *widths, size_t index)
{
    struct width_function *functions = widths->functions;
    while (functions[index].root != index) {
        functions[index].root = functions[functions[index].root].root;
        index = functions[index].root;
    }
    return index;
}

/* The device functions of a warp: the calls of each, and what they call. */
static void read_calls(struct annotation *a, struct widths *widths)
{
    const struct code *code = annotation_code(a);
    vec_each (const struct code_node, call, &code->calls) {
        struct warp_call warp;
        if (!call->name || !is_device(a, call->function))
            continue;
        struct width_function *fn = &widths->functions[call->function];
        if (!strcmp(call->name->text, "__lane_id"))
            fn->warps = fn->names_size = fn->takes_lane = true;
        if (warp_call_of(a, call->node, &warp)) {
            fn->warps = fn->exchanges = true;
            continue;
        }
        fn->says_warp |= strstr(call->name->text, "arp") || strstr(call->name->text, "shfl") ||
                         strstr(call->name->text, "WARP");
        if (call->node->kids->kind != NODE_NAME)
            continue;
        struct name_meaning meaning =
            model_lookup(code->model, call->name, call->node->kids->token);
        struct warp_macro macro;
        if (meaning.kind == NAME_MACRO && meaning.token != NO_TOKEN &&
            warp_macro_of(a, meaning.token, &macro))
            fn->warps = fn->exchanges = true;
        if (meaning.kind == NAME_FUNCTION && meaning.function < widths->function_count &&
            meaning.function != call->function) {
            *vec_push(&widths->functions[meaning.function].callers) = call->function;
            widths->functions[width_root(widths, meaning.function)].root =
                width_root(widths, call->function);
        }
    }
}

/* Functions that ask PTX for the lane. */
static void read_assembly(struct annotation *a, struct widths *widths)
{
    const struct unit *unit = a->unit;
    const char *text = unit->source->text;
    uint32_t count = (uint32_t)unit->tokens.list.count;
    if (!memmem(text, unit->source->len, "%laneid", strlen("%laneid")))
        return;
    for (uint32_t i = 0; i < count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind != TOK_STRING ||
            !memmem(text + token->offset, token->length, "%laneid", strlen("%laneid")))
            continue;
        size_t function = model_function_at(annotation_code(a)->model, i);
        if (function != NO_INDEX)
            widths->functions[function].takes_lane = true;
    }
}

/* Tells the callers of those that use warp functions. A worklist: each function is put on it once.
 */
static void spread_warps(struct widths *widths)
{
    VEC(size_t) list = {0};
    for (size_t i = 0; i < widths->function_count; ++i)
        if (widths->functions[i].warps)
            *vec_push(&list) = i;
    while (list.count) {
        const struct width_function *fn = &widths->functions[list.items[--list.count]];
        vec_each (size_t, caller, &fn->callers)
            if (!widths->functions[*caller].warps) {
                widths->functions[*caller].warps = true;
                *vec_push(&list) = *caller;
            }
    }
    vec_release(&list);
}

static void read_blocks(struct annotation *a, struct widths *widths, size_t index)
{
    struct launch_blocks blocks;
    struct width_function *fn = &widths->functions[index];
    fn->known = model_blocks(annotation_code(a)->model, index, &blocks) && blocks.count;
    for (unsigned i = 0; fn->known && i < blocks.count; ++i) {
        uint64_t threads = (uint64_t)blocks.block[i][0] * blocks.block[i][1] * blocks.block[i][2];
        if (fn->most_threads < threads)
            fn->most_threads = threads < UINT32_MAX ? (unsigned)threads : UINT32_MAX;
    }
    if (fn->known || !(a->unit->functions.items[index].flags & FUNCTION_GLOBAL))
        return;
    /* No launch goes beyond the bounds. */
    struct launch_bounds bounds = model_launch_bounds(annotation_code(a)->model, index);
    if (bounds.given && bounds.max_threads.count &&
        bounds.max_threads.values[bounds.max_threads.count - 1] <= LANES_MAX) {
        fn->known = true;
        fn->most_threads = (unsigned)bounds.max_threads.values[bounds.max_threads.count - 1];
    }
}

/* Lanes by subtraction, tid - warp * 32, in functions that have warps. */
static void find_derived(struct annotation *a, struct widths *widths)
{
    vec_each (const struct code_node, at, &annotation_code(a)->operations) {
        const struct width_function *fn = &widths->functions[at->function];
        unsigned width = fn->hard32 ? 32 : 64;
        if (at->node->kind != NODE_BINARY || at->node->op != TOK_MINUS ||
            (!fn->hard32 && !fn->hard64) || role_on(a, at, width, 64) != LANE_ROLE_LANE)
            continue;
        *vec_push(&widths->derived) = (struct width_use){.node = at->node,
                                                         .function = at->function,
                                                         .role = LANE_ROLE_LANE,
                                                         .width = (uint8_t)width};
    }
}

/* Whether NAME at TOKEN is warpSize (SIZE), or a width of the file's own of which each target has
   another. */
static bool follows_target(struct annotation *a, const struct symbol *name, uint32_t token,
                           const struct symbol *size)
{
    struct model *model = annotation_code(a)->model;
    struct constant value;
    if (name == size)
        return model_lookup(model, name, token).kind == NAME_UNKNOWN;
    return width_is_usual_name(name->text) && constant_of_name(model, name, token, &value) &&
           1 < value.count && model_lookup(model, name, token).kind != NAME_TEMPLATE_PARAMETER;
}

const struct widths *annotation_widths(struct annotation *a)
{
    if (a->widths)
        return a->widths;
    const struct code *code = annotation_code(a);
    struct widths *widths = xcalloc(1, sizeof *widths);
    a->widths = widths;
    widths->function_count = a->unit->functions.count;
    widths->functions = xcalloc(widths->function_count + 1, sizeof *widths->functions);
    for (size_t i = 0; i < widths->function_count; ++i) {
        widths->functions[i].follower = NO_INDEX;
        widths->functions[i].root = i;
    }
    read_calls(a, widths);
    read_assembly(a, widths);
    spread_warps(widths);
    for (size_t i = 0; i < widths->function_count; ++i)
        if (is_device(a, i))
            read_blocks(a, widths, i);
    const struct symbol *size = symbol_find(a->unit->symbols, "warpSize");
    bool wave_words = size;
    vec_each (const struct code_node, name, &code->names)
        if (name->name && name->node->kind == NODE_NAME &&
            follows_target(a, name->name, name->node->token, size))
            widths->functions[name->function].names_size = true;
    VEC(struct code_node) bits = {0};
    vec_each (const struct code_node, at, &code->operations)
        if (is_device(a, at->function) && may_split(at->node->op) &&
            token_region(unit_token(a->unit, at->node->token)) != REGION_CUDA &&
            examine(a, widths, at, wave_words))
            *vec_push(&bits) = *at;
    for (size_t i = 0; i < bits.count && i < MOST_BITS; ++i)
        drop_words(a, widths, &bits.items[i]);
    vec_release(&bits);
    widths->is_use = xcalloc(code->node_count + 1, 1);
    vec_each (const struct width_use, use, &widths->uses) {
        struct width_function *fn = &widths->functions[use->function];
        widths->is_use[use->node->id] = 1;
        if (use->width == 0 &&
            (fn->follower == NO_INDEX || (use->role == LANE_ROLE_WARP &&
                                          widths->uses.items[fn->follower].role != LANE_ROLE_WARP)))
            fn->follower = (uint32_t)(use - widths->uses.items);
        fn->follows |= use->width == 0;
        fn->hard32 |= use->width == 32;
        fn->hard64 |= use->width == 64;
    }
    find_derived(a, widths);
    return widths;
}

void annotation_release_widths(struct annotation *a)
{
    if (!a->widths)
        return;
    for (size_t i = 0; i < a->widths->function_count; ++i) {
        vec_release(&a->widths->functions[i].callers);
        vec_release(&a->widths->functions[i].edits);
    }
    free(a->widths->functions);
    free(a->widths->is_use);
    vec_release(&a->widths->uses);
    vec_release(&a->widths->derived);
    free(a->widths);
    a->widths = NULL;
}

static bool is_near(const struct widths *widths, size_t index, unsigned width, size_t *which,
                    unsigned depth)
{
    const struct width_function *fn = &widths->functions[index];
    bool found = width == 0 ? fn->follows || fn->takes_lane : width == 32 ? fn->hard32 : fn->hard64;
    if (found) {
        if (which)
            *which = index;
        return true;
    }
    for (size_t i = 0; depth && i < fn->callers.count && i < 16; ++i)
        if (is_near(widths, fn->callers.items[i], width, which, depth - 1))
            return true;
    return false;
}

bool width_is_near(const struct widths *widths, size_t index, unsigned width, size_t *which)
{
    return is_near(widths, index, width, which, 3);
}

bool width_counts_otherwise(struct annotation *a, const struct width_use *use)
{
    const struct widths *widths = annotation_widths(a);
    uint32_t follower = widths->functions[use->function].follower;
    if (!use->width || follower == NO_INDEX || use->role != LANE_ROLE_WARP_COUNT ||
        widths->uses.items[follower].role != LANE_ROLE_WARP)
        return false;
    /* An array may have more places than are used. */
    const struct code *code = annotation_code(a);
    for (const struct node *at = use->node; at; at = code_parent(code, at))
        if (at->kind == NODE_DIMENSION)
            return false;
    return true;
}

const struct symbol *width_name(struct annotation *a, const struct node *expression,
                                uint32_t *defined)
{
    struct model *model = annotation_code(a)->model;
    if (expression->kind == NODE_NAME) {
        const struct symbol *name = tree_symbol(a->unit, expression);
        struct name_meaning meaning = model_lookup(model, name, expression->token);
        struct constant value;
        *defined = meaning.token;
        /* Traits::width: lookup by name alone does not go into scopes. */
        if (meaning.token == NO_TOKEN && (expression->flags & NAME_QUALIFIED) &&
            constant_of(model, expression, &value))
            *defined = value.origin;
        return *defined == NO_TOKEN ? NULL : name;
    }
    tree_each (kid, expression) {
        const struct symbol *name = width_name(a, kid, defined);
        if (name)
            return name;
    }
    *defined = NO_TOKEN;
    return NULL;
}

const struct node *width_constant(struct annotation *a, const struct node *expression,
                                  unsigned width)
{
    struct constant value;
    if (expression->kind == NODE_NAME)
        return constant_of(annotation_code(a)->model, expression, &value) &&
                       constant_single(&value) &&
                       (value.values[0] == width || value.values[0] == width / 2)
                   ? expression
                   : NULL;
    tree_each (kid, expression) {
        const struct node *res = width_constant(a, kid, width);
        if (res)
            return res;
    }
    return NULL;
}

bool width_applies_to(struct annotation *a, const struct node *expression, unsigned width)
{
    uint32_t token = expression->tokens.begin, defined;
    if (width_applies(a, token, width))
        return true;
    const struct symbol *name = width_name(a, expression, &defined);
    return name && token_region(unit_token(a->unit, token)) != REGION_CUDA &&
           !width_is_decided(a->unit, token) && width_applies(a, defined, width);
}

void width_add_follower(struct annotation *a, struct finding *f, size_t function)
{
    const struct widths *widths = annotation_widths(a);
    uint32_t follower = widths->functions[function].follower;
    if (follower != NO_INDEX)
        finding_add_related(f, RELATED_FOLLOWS,
                            unit_span(a->unit, widths->uses.items[follower].node->tokens), NULL);
}
