/* matrix-wmma, matrix-shape, matrix-tf32, matrix-no-unit, matrix-block, matrix-element-layout,
   matrix-warp-number: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

enum {
    MOST_USES = 64,  /* that a note names */
    MOST_SHAPES = 8, /* that one file may have wrong */
    MOST_TRIED = 64, /* expressions of a function that may be a warp's number */
    MOST_ALIASES = 32,
    ARGUMENTS = 5,
};

struct shape {
    int64_t m, n, k;
};

struct context {
    struct annotation *a;
    bool hip;
    uint32_t header;                    /* mma.h's token, or NO_TOKEN */
    VEC(uint32_t) fragments;            /* the tokens `fragment` of types */
    VEC(uint32_t) calls;                /* of calls that take fragments: mma_sync and so on */
    VEC(uint32_t) places;               /* both, in the order of the source */
    VEC(const struct symbol *) aliases; /* names that the file gives to such types */
};

static struct range one(uint32_t token)
{
    return (struct range){token, token + 1};
}

static bool is_named(const struct unit *unit, uint32_t index, const char *name)
{
    const struct token *token = index == NO_TOKEN ? NULL : unit_token(unit, index);
    return token && token->symbol && !strcmp(token->symbol->text, name);
}

/* The tokens between the angle brackets at OPEN, split at commas: at most ARGUMENTS. */
static unsigned template_arguments(const struct unit *unit, uint32_t open, struct range *res)
{
    uint32_t close = unit_partner(unit, open), begin = open + 1;
    unsigned count = 0;
    for (uint32_t i = begin; i <= close && count < ARGUMENTS; ++i) {
        uint32_t partner = unit_partner(unit, i);
        if (i < close && partner != NO_TOKEN && i < partner && partner < close)
            i = partner;
        else if (i == close || unit_kind(unit, i) == TOK_COMMA) {
            res[count++] = (struct range){begin, i};
            begin = i + 1;
        }
    }
    return count;
}

static bool is_fragment(const struct unit *unit, uint32_t i)
{
    const struct token *token = unit_token(unit, i);
    uint32_t open = unit_next(unit, i);
    struct range arguments[ARGUMENTS];
    return token->kind == TOK_IDENT && !token->symbol->user && !unit_is_member(unit, i) &&
           unit_kind(unit, open) == TOK_LESS && unit_partner(unit, open) != NO_TOKEN &&
           template_arguments(unit, open, arguments) == ARGUMENTS;
}

static bool is_call(const struct unit *unit, uint32_t i)
{
    const struct token *token = unit_token(unit, i);
    return token->kind == TOK_IDENT && !token->symbol->user && !unit_is_member(unit, i) &&
           unit_kind(unit, unit_next(unit, i)) == TOK_LPAREN;
}

/* The types whole, with what qualifies them. */
static struct range fragment_range(const struct unit *unit, uint32_t token)
{
    return (struct range){token, unit_partner(unit, unit_next(unit, token)) + 1};
}

/* Notes the name that `using NAME = fragment<...>` or `typedef fragment<...> NAME` gives to the
   type at TOKEN. */
static void add_alias(struct context *c, uint32_t token)
{
    const struct unit *unit = c->a->unit;
    uint32_t before = unit_prev(unit, token), behind = fragment_range(unit, token).end;
    while (unit_kind(unit, before) == TOK_COLON_COLON)
        before = unit_prev(unit, unit_prev(unit, before));
    if (unit_kind(unit, before) == TOK_TYPENAME)
        before = unit_prev(unit, before);
    uint32_t name = NO_TOKEN;
    if (unit_kind(unit, before) == TOK_ASSIGN) {
        name = unit_prev(unit, before);
        if (unit_kind(unit, unit_prev(unit, name)) != TOK_USING)
            return;
    } else if (unit_kind(unit, before) == TOK_TYPEDEF) {
        name = behind;
    }
    if (name != NO_TOKEN && unit_kind(unit, name) == TOK_IDENT && c->aliases.count < MOST_ALIASES)
        *vec_push(&c->aliases) = unit_token(unit, name)->symbol;
}

static bool collect(struct context *c)
{
    static const char *const names[] = {"mma_sync", "load_matrix_sync", "store_matrix_sync",
                                        "fill_fragment"};
    enum { NAMES = sizeof names / sizeof *names };
    const struct unit *unit = c->a->unit;
    const struct symbol *fragment = symbol_find(unit->symbols, "fragment"), *calls[NAMES];
    for (unsigned n = 0; n < NAMES; ++n)
        calls[n] = symbol_find(unit->symbols, names[n]);
    for (uint32_t i = 0; i + 1 < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (!token->symbol || token_region(token) == REGION_CUDA || !token_is_code(token))
            continue;
        bool known = false;
        for (unsigned n = 0; n < NAMES; ++n)
            known |= token->symbol == calls[n];
        if (token->symbol == fragment && is_fragment(unit, i)) {
            *vec_push(&c->fragments) = *vec_push(&c->places) = i;
            add_alias(c, i);
        } else if (known && is_call(unit, i)) {
            *vec_push(&c->calls) = *vec_push(&c->places) = i;
        }
    }
    return c->fragments.count;
}

/* Whether the file has WMMA, and not another thing with such names. */
static bool has_wmma(struct context *c)
{
    const struct unit *unit = c->a->unit;
    c->header = NO_TOKEN;
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_INCLUDE || d->name == NO_TOKEN)
            continue;
        const struct token *header = unit_token(unit, d->name);
        const char *text = unit->source->text + header->offset;
        if (header->length == 7 && !memcmp(text + 1, "mma.h", 5))
            c->header = d->name;
    }
    c->hip = symbol_find(unit->symbols, "rocwmma");
    return c->header != NO_TOKEN || c->hip || symbol_find(unit->symbols, "nvcuda");
}

static void add_uses(struct context *c, struct finding *f, const uint32_t *tokens, size_t count,
                     bool types)
{
    const struct unit *unit = c->a->unit;
    for (size_t i = 0; i < count && i < MOST_USES; ++i)
        finding_add_related(
            f, RELATED_USED,
            unit_span(unit, types ? fragment_range(unit, tokens[i]) : one(tokens[i])), NULL);
}

static struct finding *report_for(struct annotation *a, enum rule_id rule, struct range range,
                                  target_set targets)
{
    struct finding *f = annotation_add(a, rule, range);
    f->targets = targets;
    finding_add_arg(f, annotation_names(a, targets));
    return f;
}

static void report_use(struct context *c)
{
    struct annotation *a = c->a;
    target_set wide = annotation_with_wave(a, 64);
    if (c->hip || !wide)
        return;
    struct finding *f =
        report_for(a, RULE_MATRIX_WMMA, fragment_range(a->unit, c->fragments.items[0]), wide);
    if (c->header != NO_TOKEN)
        finding_add_related(f, RELATED_INCLUDED, unit_span(a->unit, one(c->header)), NULL);
    add_uses(c, f, c->fragments.items + 1, c->fragments.count - 1, true);
    add_uses(c, f, c->calls.items, c->calls.count, false);
}

/* The targets of whose architecture's name WORD is the beginning. */
static bool is_architecture(const struct target *target, const char *word)
{
    return !strncmp(target->architecture, word, strlen(word));
}

/* MFMA came with CDNA, WMMA with RDNA 3. */
static bool has_matrix_unit(const struct target *target)
{
    return is_architecture(target, "CDNA") || is_architecture(target, "RDNA3") ||
           is_architecture(target, "RDNA4");
}

static bool has_tf32(const struct target *target)
{
    return is_architecture(target, "CDNA3");
}

static target_set targets_without(const struct comparison *gpus,
                                  bool (*has)(const struct target *target))
{
    target_set res = 0;
    for (unsigned i = 0; i < gpus->count; ++i)
        if (!has(gpus->targets[i]))
            res |= (target_set)1 << i;
    return res;
}

static void report_targets(struct context *c)
{
    struct annotation *a = c->a;
    uint32_t first = c->fragments.items[0];
    target_set without = targets_without(a->gpus, has_matrix_unit);
    if (without)
        report_for(a, RULE_MATRIX_NO_UNIT, fragment_range(a->unit, first), without);
    without = targets_without(a->gpus, has_tf32) & ~without;
    if (!without)
        return;
    vec_each (const uint32_t, at, &c->fragments) {
        struct range arguments[ARGUMENTS];
        template_arguments(a->unit, unit_next(a->unit, *at), arguments);
        uint32_t type = arguments[4].end - 1;
        if (arguments[4].begin < arguments[4].end &&
            (is_named(a->unit, type, "tf32") || is_named(a->unit, type, "xfloat32_t"))) {
            report_for(a, RULE_MATRIX_TF32, arguments[4], without);
            return;
        }
    }
}

/* Whether the shape of the fragment at TOKEN is known, and what it is. */
static bool shape_of(struct context *c, uint32_t token, struct shape *res)
{
    struct range arguments[ARGUMENTS];
    struct constant value;
    int64_t *const parts[] = {&res->m, &res->n, &res->k};
    template_arguments(c->a->unit, unit_next(c->a->unit, token), arguments);
    for (unsigned i = 0; i < 3; ++i) {
        if (!constant_of_range(annotation_code(c->a)->model, arguments[i + 1], &value) ||
            !constant_single(&value))
            return false;
        *parts[i] = value.values[0];
    }
    return true;
}

/* rocWMMA's tiles are 16x16, on CDNA 32x32 too. */
static target_set without_shape(const struct comparison *gpus, const struct shape *shape)
{
    if (shape->m == shape->n && shape->m == 16)
        return 0;
    target_set res = 0;
    for (unsigned i = 0; i < gpus->count; ++i)
        if (shape->m != shape->n || shape->m != 32 || !is_architecture(gpus->targets[i], "CDNA"))
            res |= (target_set)1 << i;
    return res;
}

static void report_shapes(struct context *c)
{
    struct annotation *a = c->a;
    struct shape seen[MOST_SHAPES];
    unsigned count = 0;
    vec_each (const uint32_t, at, &c->fragments) {
        struct shape shape;
        if (!shape_of(c, *at, &shape))
            continue;
        target_set bad =
            without_shape(a->gpus, &shape) & ~targets_without(a->gpus, has_matrix_unit);
        bool known = MOST_SHAPES <= count;
        for (unsigned i = 0; i < count; ++i)
            known |= seen[i].m == shape.m && seen[i].n == shape.n && seen[i].k == shape.k;
        if (!bad || known)
            continue;
        seen[count++] = shape;
        struct finding *f = report_for(a, RULE_MATRIX_SHAPE, fragment_range(a->unit, *at), bad);
        finding_add_arg(f, arena_printf(a->arena, "%lldx%lldx%lld", (long long)shape.m,
                                        (long long)shape.n, (long long)shape.k));
    }
}

/* Kernels with fragments, and the blocks of their launches. */
static void report_blocks(struct context *c)
{
    struct annotation *a = c->a;
    target_set wide = annotation_with_wave(a, 64);
    struct model *model = annotation_code(a)->model;
    size_t seen = NO_INDEX;
    vec_each (const uint32_t, at, &c->places) {
        size_t function = model_function_at(model, *at);
        struct launch_blocks blocks;
        if (!wide || function == NO_INDEX || function == seen)
            continue;
        seen = function;
        model_blocks(model, function, &blocks);
        for (unsigned i = 0; i < blocks.count; ++i) {
            if (blocks.block[i][0] % 64 == 0)
                continue;
            struct range name = one(a->unit->functions.items[function].name);
            struct finding *f = report_for(a, RULE_MATRIX_BLOCK, name, wide);
            finding_add_arg(f, arena_printf(a->arena, "%ux%ux%u", blocks.block[i][0],
                                            blocks.block[i][1], blocks.block[i][2]));
            size_t count;
            bool complete;
            const struct launch_site *const *sites =
                model_launches_of(model, function, &count, &complete);
            for (size_t s = 0; s < count && s < MOST_USES; ++s)
                finding_add_related(f, RELATED_LAUNCHED, unit_span(a->unit, one(sites[s]->token)),
                                    NULL);
            annotation_add_launches(a, f, function);
            break;
        }
    }
}

/* Whether NODE is the number of a warp of 32 lanes, whatever a wave has. */
static bool is_warp_number(struct model *model, size_t function, const struct node *node)
{
    return lane_role(model, function, node, 32) == LANE_ROLE_WARP &&
           lane_role(model, function, node, 64) != LANE_ROLE_WARP;
}

/* Functions with fragments that count warps of 32: the first such place of each. */
static void report_warp_numbers(struct context *c)
{
    struct annotation *a = c->a;
    target_set wide = annotation_with_wave(a, 64);
    const struct code *code = annotation_code(a);
    size_t at = 0, function = NO_INDEX, done = NO_INDEX;
    unsigned tried = 0;
    vec_each (const struct code_node, operation, &code->operations) {
        enum token_kind op = operation->node->op;
        if (operation->node->kind != NODE_BINARY || operation->function == done ||
            (op != TOK_SLASH && op != TOK_SHIFT_RIGHT))
            continue;
        /* Both lists are in the order of the source. */
        if (operation->function != function) {
            function = operation->function;
            tried = 0;
        }
        const struct function *fn = &a->unit->functions.items[function];
        while (at < c->places.count && c->places.items[at] < fn->body.begin)
            ++at;
        if (at == c->places.count || fn->body.end <= c->places.items[at] || MOST_TRIED <= tried++ ||
            !is_warp_number(code->model, function, operation->node))
            continue;
        done = function;
        struct finding *f = report_for(a, RULE_MATRIX_WARP_NUMBER, operation->node->tokens, wide);
        uint32_t use = c->places.items[at];
        struct range shown = is_fragment(a->unit, use) ? fragment_range(a->unit, use) : one(use);
        finding_add_related(f, RELATED_USED, unit_span(a->unit, shown), NULL);
    }
}

/* Whether the variable that NODE, an object, names is a fragment. */
static bool is_fragment_variable(struct context *c, const struct node *node)
{
    const struct code *code = annotation_code(c->a);
    while (node->kind == NODE_INDEX)
        node = node->kids;
    if (node->kind != NODE_NAME)
        return false;
    struct name_meaning meaning =
        model_lookup(code->model, tree_symbol(c->a->unit, node), node->token);
    const struct node *type = meaning.declaration ? meaning.declaration->kids : NULL;
    if (!type || type->kind != NODE_TYPE)
        return false;
    const struct symbol *name = tree_symbol(c->a->unit, type);
    vec_each (const struct symbol *const, alias, &c->aliases)
        if (*alias == name)
            return true;
    return is_named(c->a->unit, type->token, "fragment");
}

/* Whether a loop around NODE asks how many elements there are. */
static bool asks_for_count(const struct code *code, const struct node *node,
                           const struct unit *unit)
{
    for (; node; node = code_parent(code, node))
        if (node->kind == NODE_FOR || node->kind == NODE_WHILE || node->kind == NODE_DO) {
            const struct node *condition = tree_kid(node, node->kind != NODE_WHILE);
            for (uint32_t i = condition ? condition->tokens.begin : 0;
                 condition && i < condition->tokens.end; ++i)
                if (is_named(unit, i, "num_elements") || is_named(unit, i, "num_storage_elements"))
                    return true;
        }
    return false;
}

/* Whether INDEX is a fixed number, or the variable of a loop that ends at one. */
static bool is_fixed(struct context *c, const struct code *code, const struct node *index)
{
    struct constant value;
    if (constant_of(code->model, index, &value))
        return true;
    for (const struct node *node = index; node; node = code_parent(code, node)) {
        const struct node *condition = node->kind == NODE_FOR ? tree_kid(node, 1) : NULL;
        const struct node *end = condition ? tree_kid(condition, 1) : NULL;
        if (condition && condition->kind == NODE_BINARY && end && index->kind == NODE_NAME &&
            condition->kids->kind == NODE_NAME &&
            tree_symbol(c->a->unit, condition->kids) == tree_symbol(c->a->unit, index))
            return constant_of(code->model, end, &value);
    }
    return false;
}

static void report_elements(struct context *c)
{
    struct annotation *a = c->a;
    target_set wide = annotation_with_wave(a, 64);
    const struct code *code = annotation_code(a);
    struct finding *f = NULL;
    unsigned uses = 0;
    vec_each (const struct code_node, place, &code->places) {
        const struct node *node = place->node, *member = node->kids;
        if (node->kind != NODE_INDEX || member->kind != NODE_MEMBER ||
            !is_named(a->unit, member->token, "x") || !is_fragment_variable(c, member->kids) ||
            asks_for_count(code, node, a->unit) || !is_fixed(c, code, member->next))
            continue;
        if (!f)
            f = report_for(a, RULE_MATRIX_ELEMENT_LAYOUT, node->tokens, wide);
        else if (++uses < MOST_USES)
            finding_add_related(f, RELATED_USED, unit_span(a->unit, node->tokens), NULL);
    }
}

void rule_wmma(struct annotation *a)
{
    struct context c = {.a = a};
    if (!symbol_find(a->unit->symbols, "fragment") || !has_wmma(&c))
        return;
    if (collect(&c)) {
        report_use(&c);
        report_targets(&c);
        report_shapes(&c);
        report_blocks(&c);
        if (annotation_with_wave(a, 64))
            report_warp_numbers(&c);
        if (symbol_find(a->unit->symbols, "x") && annotation_with_wave(a, 64) && !c.hip)
            report_elements(&c);
    }
    vec_release(&c.fragments);
    vec_release(&c.calls);
    vec_release(&c.places);
    vec_release(&c.aliases);
}
