/* wave-size-test, wave-count-host, wave-block-as-warp

   Finds: host code that asks whether warpSize is 32; that counts warps, or the threads of some,
   with a 32; blocks whose rows of 32 threads are the warps of a kernel. Why: the test turns every
   GPU with waves of 64 away; the numbers are right as long as the kernels take 32 threads for a
   warp, and have to change with them.

   Before: if (prop.warpSize != 32) return 1;
   After:  if (prop.warpSize != 32 && prop.warpSize != 64) return 1;

   Fix: none: kernel and host have to change together. Silent: a 32 that nobody calls a warp.  */
#include <config.h>

#include "annotate/width.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum {
    MOST_LAUNCHES = 256, /* that a number is compared with */
    MOST_VARIABLES = 64, /* that hold the width of a device */
};

/* A variable of the host's that holds the width of a device's waves. */
struct width_variable {
    const struct symbol *name;
    size_t function;
};

struct context {
    struct annotation *a;
    const struct code *code;
    VEC(struct width_variable) variables;
    size_t *counts; /* by function: the finding about the warps that it counts, + 1 */
};

static bool is_constant(struct context *c, const struct node *node, int64_t *value)
{
    struct constant constant;
    if (!constant_of(c->code->model, node, &constant) || !constant_single(&constant))
        return false;
    *value = constant.values[0];
    return true;
}

/* Whether NODE is the warpSize of a device's properties. */
static bool is_property(const struct context *c, const struct node *node)
{
    const struct symbol *name =
        node && node->kind == NODE_MEMBER ? tree_symbol(c->a->unit, node) : NULL;
    return name && !strcmp(name->text, "warpSize");
}

static bool is_attribute(const struct context *c, const struct node *node)
{
    static const char *const names[] = {"cudaDevAttrWarpSize", "hipDeviceAttributeWarpSize",
                                        "CU_DEVICE_ATTRIBUTE_WARP_SIZE"};
    const struct symbol *name =
        node && node->kind == NODE_NAME ? tree_symbol(c->a->unit, node) : NULL;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; ++i)
        if (!strcmp(name->text, names[i]))
            return true;
    return false;
}

static void add_variable(struct context *c, const struct symbol *name, size_t function)
{
    if (name && c->variables.count < MOST_VARIABLES &&
        !function_on_device(&c->a->unit->functions.items[function]))
        *vec_push(&c->variables) = (struct width_variable){name, function};
}

/* Finds variables that are initialised with a device's warpSize, or that a query fills with it. */
static void find_variables(struct context *c)
{
    vec_each (const struct code_node, at, &c->code->declarations)
        tree_each (declarator, at->node) {
            const struct node *initializer = declarator->kids;
            if (declarator->kind == NODE_DECLARATOR && initializer &&
                initializer->kind == NODE_INITIALIZER && is_property(c, initializer->kids))
                add_variable(c, tree_symbol(c->a->unit, declarator), at->function);
        }
    vec_each (const struct code_node, call, &c->code->calls) {
        const struct node *into = code_argument(call->node, 0);
        if (into && into->kind == NODE_UNARY && into->op == TOK_AMP &&
            into->kids->kind == NODE_NAME && is_attribute(c, code_argument(call->node, 1)))
            add_variable(c, tree_symbol(c->a->unit, into->kids), call->function);
    }
}

/* Whether NODE is the width of a device's waves: the property, a variable that holds it or is
   called like it. */
static bool is_device_width(const struct context *c, const struct node *node)
{
    if (node->kind != NODE_NAME)
        return is_property(c, node);
    const struct symbol *name = tree_symbol(c->a->unit, node);
    size_t function =
        c->variables.count ? model_function_at(c->code->model, node->token) : NO_INDEX;
    vec_each (const struct width_variable, variable, &c->variables)
        if (variable->name == name && variable->function == function)
            return true;
    return name && width_is_usual_name(name->text);
}

static bool compares(unsigned op)
{
    return op == TOK_EQUAL || op == TOK_NOT_EQUAL;
}

/* Whether the test NODE chooses between code for several widths: it has an else, or other widths
   are asked for in the same condition. */
static bool chooses(struct context *c, const struct node *node)
{
    const struct node *at = node;
    for (const struct node *parent; (parent = code_parent(c->code, at)); at = parent) {
        if (parent->kind == NODE_CHOICE)
            return true;
        if (parent->kind == NODE_IF)
            return parent->kids == at && parent->kids->next && parent->kids->next->next &&
                   parent->kids->next->next->kind != NODE_EMPTY;
        if (parent->kind != NODE_BINARY || (parent->op != TOK_AND_AND && parent->op != TOK_OR_OR))
            return false;
        tree_each (kid, parent)
            if (kid != at && kid->kind == NODE_BINARY && kid->op == node->op &&
                (is_device_width(c, kid->kids) || is_device_width(c, kid->kids->next)))
                return true;
    }
    return false;
}

static void examine_test(struct context *c, const struct code_node *at)
{
    const struct node *left = at->node->kids, *right = left->next;
    const struct node *number = is_device_width(c, left)    ? right
                                : is_device_width(c, right) ? left
                                                            : NULL;
    int64_t value, other;
    const struct node *size = number == right ? left : right;
    if (!number || !is_constant(c, number, &value) || (value != 32 && value != 64) ||
        is_constant(c, size, &other) || !width_applies(c->a, at->node->token, (unsigned)value))
        return;
    /* In HIP code a test for equality is mostly one of several. */
    const struct node *parent = code_parent(c->code, at->node);
    bool demands = at->node->op == TOK_NOT_EQUAL || (parent && parent->kind == NODE_CALL);
    if (chooses(c, at->node) ||
        (!demands && (value == 64 || annotation_is_hip(c->a, at->node->token))))
        return;
    width_add(c->a, RULE_WAVE_SIZE_TEST, at->node->tokens, (unsigned)value);
}

/* Whether a name in NODE, no deeper than DEPTH, speaks of warps. */
static bool says_warp(const struct context *c, const struct node *node, unsigned depth)
{
    if (node->kind == NODE_NAME || node->kind == NODE_MEMBER || node->kind == NODE_DECLARATOR) {
        const struct symbol *name = tree_symbol(c->a->unit, node);
        if (name && strcasestr(name->text, "warp"))
            return true;
    }
    if (depth && node->kind != NODE_DECLARATOR)
        tree_each (kid, node)
            if (says_warp(c, kid, depth - 1))
                return true;
    return false;
}

/* What NODE's value is kept in, or NULL. */
static const struct node *receiver(const struct context *c, const struct node *node)
{
    const struct node *at = node;
    for (const struct node *parent; (parent = code_parent(c->code, at)); at = parent) {
        if (parent->kind == NODE_DECLARATOR)
            return parent;
        if (parent->kind == NODE_ASSIGN && parent->kids != at)
            return parent->kids;
        if (NODE_BLOCK <= parent->kind || parent->kind == NODE_CALL || parent->kind == NODE_INDEX ||
            parent->kind == NODE_LAMBDA)
            return NULL;
    }
    return NULL;
}

/* Whether EXPRESSION is the number of threads with which FUNCTION launches something. */
static bool is_block_size(struct context *c, size_t function, const struct node *expression)
{
    size_t count;
    int64_t value = 0;
    const struct launch_site *sites = model_launches(c->code->model, &count);
    if (expression->kind != NODE_NAME)
        return false;
    const struct symbol *name = tree_symbol(c->a->unit, expression);
    bool known = is_constant(c, expression, &value) && 32 < value;
    for (size_t i = 0; i < count && i < MOST_LAUNCHES; ++i) {
        const struct launch_site *site = &sites[i];
        const struct node *block = site->block[0].expression;
        if (!block || model_function_at(c->code->model, site->token) != function)
            continue;
        if (block->kind == NODE_NAME && tree_symbol(c->a->unit, block) == name)
            return true;
        for (unsigned b = 0; known && site->block_known && b < site->block_count; ++b)
            if (value == (int64_t)site->blocks[b][0] * site->blocks[b][1] * site->blocks[b][2])
                return true;
    }
    return false;
}

/* Whether FUNCTION launches a kernel that counts on 32 lanes. */
static bool launches_warps(struct context *c, size_t function)
{
    if (!widths_are_possible(c->a))
        return false;
    const struct widths *widths = annotation_widths(c->a);
    size_t count;
    const struct launch_site *sites = model_launches(c->code->model, &count);
    for (size_t i = 0; i < count && i < MOST_LAUNCHES; ++i)
        if (sites[i].function != NO_INDEX && widths->functions[sites[i].function].hard32 &&
            model_function_at(c->code->model, sites[i].token) == function)
            return true;
    return false;
}

/* Whether the product NODE becomes a number of blocks: the threads of one warp for each of
   something, divided by those of a block. */
static bool becomes_blocks(struct context *c, size_t function, const struct node *node)
{
    const struct node *at = node;
    for (const struct node *parent; (parent = code_parent(c->code, at)); at = parent) {
        if (parent->kind == NODE_CALL) {
            tree_each (argument, parent)
                if (argument != at && argument != parent->kids &&
                    is_block_size(c, function, argument))
                    return true;
            return false;
        }
        if (parent->kind != NODE_BINARY && parent->kind != NODE_CAST)
            return false;
        if (parent->kind == NODE_BINARY && parent->op == TOK_SLASH && parent->kids == at)
            return is_block_size(c, function, parent->kids->next);
    }
    return false;
}

/* NODE counts warps: one finding for a function. */
static void report_count(struct context *c, const struct node *node, size_t function)
{
    struct findings *findings = c->a->findings;
    if (c->counts[function]) {
        finding_add_related(&findings->list.items[c->counts[function] - 1], RELATED_USED,
                            unit_span(c->a->unit, node->tokens), NULL);
        return;
    }
    width_add(c->a, RULE_WAVE_COUNT_HOST, node->tokens, 32);
    c->counts[function] = findings->list.count;
}

/* warps = div_up (threads, 32) */
static void examine_call(struct context *c, const struct code_node *at)
{
    int64_t value;
    const struct node *number = code_argument(at->node, 1);
    if (!at->name || !strcasestr(at->name->text, "div") || code_argument_count(at->node) != 2 ||
        number->kind != NODE_NUMBER || !is_constant(c, number, &value) || value != 32 ||
        !width_applies(c->a, at->node->token, 32))
        return;
    const struct node *kept = receiver(c, at->node);
    if (says_warp(c, code_argument(at->node, 0), 3) || (kept && says_warp(c, kept, 1)) ||
        is_block_size(c, at->function, code_argument(at->node, 0)))
        report_count(c, at->node, at->function);
}

/* BLOCKS: the result becomes a number of blocks. */
static void examine_count(struct context *c, const struct code_node *at, bool blocks)
{
    const struct node *left = at->node->kids, *right = left->next;
    unsigned op = at->node->op;
    int64_t value;
    if (op != TOK_SLASH && op != TOK_SHIFT_RIGHT && op != TOK_STAR && op != TOK_PERCENT)
        return;
    const struct node *number = right, *other = left;
    if (op == TOK_STAR && left->kind == NODE_NUMBER) {
        number = left;
        other = right;
    }
    if (number->kind != NODE_NUMBER || !is_constant(c, number, &value) ||
        value != (op == TOK_SHIFT_RIGHT ? 5 : 32) || !width_applies(c->a, at->node->token, 32))
        return;
    const struct node *kept = at->node->id < c->code->node_count ? receiver(c, at->node) : NULL;
    bool warps = says_warp(c, other, 3) || (kept && says_warp(c, kept, 1) && op != TOK_STAR) ||
                 (op != TOK_STAR && is_block_size(c, at->function, other)) ||
                 (op == TOK_STAR && blocks && !is_constant(c, other, &value) &&
                  launches_warps(c, at->function));
    if (warps)
        report_count(c, at->node, at->function);
}

static void examine_tree(struct context *c, const struct node *node, size_t function, bool blocks)
{
    bool divides = node->kind == NODE_BINARY && node->op == TOK_SLASH && node->kids->next;
    if (node->kind == NODE_BINARY && node->kids->next)
        examine_count(c, &(struct code_node){node, NULL, function, false}, blocks);
    if (node->kind == NODE_CALL)
        tree_each (argument, node)
            blocks |= argument != node->kids && is_block_size(c, function, argument);
    tree_each (kid, node)
        examine_tree(c, kid, function,
                     blocks ||
                         (divides && kid == node->kids && is_block_size(c, function, kid->next)));
}

/* What is said of grid, block and shared memory in the launch itself. */
static void examine_launches(struct context *c)
{
    size_t count;
    const struct launch_site *sites = model_launches(c->code->model, &count);
    for (size_t i = 0; i < count; ++i) {
        const struct launch_site *site = &sites[i];
        size_t function = model_function_at(c->code->model, site->token);
        if (function == NO_INDEX || function_on_device(&c->a->unit->functions.items[function]))
            continue;
        for (int part = 0; part < 7; ++part) {
            const struct node *expression = part < 3   ? site->grid[part].expression
                                            : part < 6 ? site->block[part - 3].expression
                                                       : site->shared;
            if (expression && site->tokens.begin <= expression->token &&
                expression->token < site->tokens.end && c->code->node_count <= expression->id)
                examine_tree(c, expression, function, false);
        }
    }
}

/* Constants outside of functions. */

/* Whether the operator at TOKEN divides by 32, written as a number. */
static bool divides_by_width(struct context *c, uint32_t token)
{
    const struct unit *unit = c->a->unit;
    enum token_kind kind = unit_kind(unit, token);
    uint32_t behind = unit_next(unit, token);
    struct constant value;
    return (kind == TOK_SLASH || kind == TOK_SHIFT_RIGHT) &&
           unit_kind(unit, behind) == TOK_NUMBER &&
           constant_of_range(c->code->model, (struct range){behind, behind + 1}, &value) &&
           constant_single(&value) && value.values[0] == (kind == TOK_SLASH ? 32 : 5);
}

/* The name of the constant whose value ends at TOKEN, or NO_TOKEN; *BEGIN: where the value does. */
static uint32_t constant_named(const struct context *c, uint32_t token, uint32_t *begin)
{
    enum { MOST = 64 }; /* tokens of a value */
    const struct unit *unit = c->a->unit;
    if (unit_token(unit, token)->flags & TOKEN_DIRECTIVE) {
        const struct directive *macro = unit_directive_at(unit, token);
        *begin = macro->body.begin;
        return macro->kind == TOK_PP_DEFINE && !macro->function_like ? macro->name : NO_TOKEN;
    }
    uint32_t at = token;
    for (unsigned steps = 0; steps < MOST; ++steps) {
        enum token_kind kind = unit_kind(unit, at = unit_prev(unit, at));
        if (kind == TOK_ASSIGN || kind == TOK_LBRACE) {
            uint32_t name = unit_prev(unit, at);
            *begin = unit_next(unit, at);
            return unit_kind(unit, name) == TOK_IDENT ? name : NO_TOKEN;
        }
        if (kind == TOK_SEMICOLON || kind == TOK_RBRACE || kind == TOK_EOF || kind == TOK_COMMA)
            return NO_TOKEN;
    }
    return NO_TOKEN;
}

/* Whether TOKEN lies in what a constructor gives its members. */
static bool is_initializer(const struct unit *unit, uint32_t token)
{
    uint32_t index = unit_function_before(unit, token);
    const struct function *function = index == NO_INDEX ? NULL : &unit->functions.items[index];
    return function && function->head.end <= token && token < function->body.begin;
}

/* WARPS = THREADS / 32 in namespaces, classes and macros. */
static void examine_constants(struct context *c)
{
    const struct unit *unit = c->a->unit;
    uint32_t count = (uint32_t)unit->tokens.list.count;
    for (uint32_t i = 1; i + 1 < count; ++i) {
        uint32_t begin;
        if (!divides_by_width(c, i) || !width_applies(c->a, i, 32) ||
            model_function_at(c->code->model, i) != NO_INDEX || is_initializer(unit, i))
            continue;
        uint32_t name = constant_named(c, i, &begin);
        if (name == NO_TOKEN || !strcasestr(unit_token(unit, name)->symbol->text, "warp"))
            continue;
        struct range whole = {begin, unit_next(unit, i) + 1};
        if (unit_token(unit, i)->flags & TOKEN_DIRECTIVE)
            whole = unit_directive_at(unit, i)->body;
        width_add(c->a, RULE_WAVE_COUNT_HOST, whole, 32);
    }
}

/* Whether the file has a word that says warp. */
static bool says_warps(const struct annotation *a)
{
    for (const struct symbol *s = symbol_first(a->unit->symbols); s; s = symbol_next(s))
        if (strcasestr(s->text, "warp"))
            return true;
    return false;
}

/* Blocks of rows. */

/* Whether the block of SITE has several rows of 32 threads, as far as it is known. */
static bool has_rows(const struct launch_site *site)
{
    const struct launch_dim *x = &site->block[0], *y = &site->block[1];
    for (unsigned b = 0; site->block_known && b < site->block_count; ++b)
        if (site->blocks[b][0] != 32 || site->blocks[b][1] == 1)
            return false;
    if (site->block_known)
        return site->block_count != 0;
    return constant_single(&x->value) && x->value.values[0] == 32 && y->expression &&
           (!constant_single(&y->value) || 1 < y->value.values[0]);
}

static void examine_blocks(struct context *c)
{
    struct annotation *a = c->a;
    if (!warp_is_used(a))
        return;
    const struct widths *widths = annotation_widths(a);
    size_t count;
    const struct launch_site *sites = model_launches(c->code->model, &count);
    uint32_t last = NO_TOKEN;
    for (size_t i = 0; i < count; ++i) {
        const struct launch_site *site = &sites[i];
        const struct node *x = site->block[0].expression;
        if (site->function == NO_INDEX || !x || !width_applies(a, site->token, 32) ||
            !widths->functions[site->function].warps)
            continue;
        if (!has_rows(site) || x->tokens.begin == last)
            continue;
        last = x->tokens.begin;
        struct finding *f = width_add(a, RULE_WAVE_BLOCK_AS_WARP, x->tokens, 32);
        finding_add_related(f, RELATED_LAUNCHED, unit_token_span(a->unit, site->token), NULL);
    }
}

/* Whether the file has a word that the rule is about. */
static bool has_words(const struct annotation *a)
{
    return a->unit->launches.count || symbol_find(a->unit->symbols, "hipLaunchKernelGGL") ||
           says_warps(a);
}

void rule_wave_host(struct annotation *a)
{
    if (!has_words(a))
        return;
    struct context c = {
        .a = a,
        .code = annotation_code(a),
        .counts = xcalloc(a->unit->functions.count + 1, sizeof *c.counts),
    };
    find_variables(&c);
    vec_each (const struct code_node, at, &c.code->operations) {
        if (at->node->kind != NODE_BINARY || !at->node->kids->next ||
            function_on_device(&a->unit->functions.items[at->function]))
            continue;
        if (compares(at->node->op))
            examine_test(&c, at);
        else
            examine_count(&c, at,
                          at->node->op == TOK_STAR && becomes_blocks(&c, at->function, at->node));
    }
    vec_each (const struct code_node, call, &c.code->calls)
        if (!function_on_device(&a->unit->functions.items[call->function]))
            examine_call(&c, call);
    examine_launches(&c);
    examine_blocks(&c);
    if (says_warps(a))
        examine_constants(&c);
    vec_release(&c.variables);
    free(c.counts);
}
