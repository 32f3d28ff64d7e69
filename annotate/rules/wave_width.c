/* wave-width-constant, wave-lane-arithmetic, wave-first-warp

   Finds: constants that stand for the 32 lanes of a warp (64 in HIP code, for targets whose waves
   have 32), at their definition; lane and warp numbers made with a number instead, once for each
   function; the first 32 threads of a block that do the second stage of a reduction. Why: two such
   warps share a wave of 64 lanes. That is right as long as nothing crosses from one half to the
   other, and wrong where two ideas of a warp meet (wave_partials.c).

   Before: int lane = threadIdx.x & 31;
   After:  int lane = threadIdx.x % warpSize;

   Fix: unsafe: the numbers of a function follow warpSize, where all that it calls and that calls it
   can follow too; else shown. Silent: a 32 that splits what is no
   thread number; tiles, words of bits, and threads in a function that has to do with no warp at
   all.  */
#include <config.h>

#include "annotate/width.h"

#include <string.h>

enum {
    MAX_RELATED = 48,
    MOST_DEFINITIONS = 64, /* of widths in a file */
    MOST_VARIABLES = 4,    /* of a function whose branches are looked for */
};

/* A constant that is the width of a warp, or made of it. */
struct definition {
    uint32_t token;
    const struct symbol *name;
    unsigned width;
    bool two_roles;     /* it splits what has to do with no thread as well */
    bool alone;         /* no other is called so */
    VEC(uint32_t) uses; /* where it speaks of warps: the tokens with its name */
};

struct context {
    struct annotation *a;
    const struct code *code;
    const struct widths *widths;
    VEC(struct definition) definitions;
    size_t next_object;  /* shared objects and derived lanes: those before belong to functions */
    size_t next_derived; /* that were looked at */
};

static struct range one_token(uint32_t token)
{
    return (struct range){token, token + 1};
}

static struct definition *find_definition(struct context *c, uint32_t token)
{
    vec_each (struct definition, definition, &c->definitions)
        if (definition->token == token)
            return definition;
    return NULL;
}

/* Whether the constant D splits other things than threads as well, and is not called a warp. */
static bool has_two_roles(struct context *c, const struct definition *d)
{
    if (width_speaks_of_warps(d->name->text))
        return false;
    vec_each (const struct code_node, at, &c->code->operations) {
        const struct node *right = at->node->kids->next;
        if ((at->node->op != TOK_SLASH && at->node->op != TOK_PERCENT) || !right ||
            right->kind != NODE_NAME || tree_symbol(c->a->unit, right) != d->name ||
            model_lookup(c->code->model, d->name, right->token).token != d->token)
            continue;
        if (!c->widths->is_use[at->node->id])
            return true;
    }
    return false;
}

/* The definition of NAME at TOKEN, new or not; NULL where there are too many. */
static struct definition *define(struct context *c, uint32_t token, const struct symbol *name,
                                 unsigned width)
{
    struct definition *res = find_definition(c, token);
    if (res)
        return res;
    if (MOST_DEFINITIONS <= c->definitions.count)
        return NULL;
    res = vec_push(&c->definitions);
    *res = (struct definition){.token = token, .name = name, .width = width};
    res->two_roles = has_two_roles(c, res);
    return res;
}

/* Usual names, used or not: a header defines what others use. */

/* The width that VALUE is, where code at TOKEN may count on it; 0: it is none. */
static unsigned as_width(struct context *c, const struct constant *value, uint32_t token)
{
    if (!constant_single(value) || (value->values[0] != 32 && value->values[0] != 64))
        return 0;
    unsigned width = (unsigned)value->values[0];
    return width_applies(c->a, token, width) ? width : 0;
}

/* Whether DIRECTIVE lies in a conditional that asks for CUDA's architecture. */
static bool is_for_an_architecture(const struct context *c, const struct directive *directive)
{
    const struct unit *unit = c->a->unit;
    const struct symbol *arch = symbol_find(unit->symbols, "__CUDA_ARCH__");
    if (!arch || directive->parent == NO_INDEX)
        return false;
    const struct directive *group =
        &unit->directives.items[unit->directives.items[directive->parent].first];
    if (group->names_hip)
        return false;
    for (uint32_t at = group->tokens.begin; at < group->tokens.end; ++at)
        if (unit_kind(unit, at) == TOK_IDENT && unit_token(unit, at)->symbol == arch)
            return true;
    return false;
}

static void define_macros(struct context *c)
{
    const struct unit *unit = c->a->unit;
    uint32_t last = (uint32_t)unit->tokens.list.count - 1;
    vec_each (const struct directive, directive, &unit->directives) {
        if (directive->kind != TOK_PP_DEFINE || directive->function_like ||
            directive->name == NO_TOKEN || directive->body.begin == directive->body.end)
            continue;
        const struct symbol *name = unit_token(unit, directive->name)->symbol;
        struct constant value;
        if (!name || !width_is_usual_name(name->text))
            continue;
        /* Of several that CUDA's architecture chooses between none has the target in mind. */
        if (!is_for_an_architecture(c, directive)
                ? !constant_of_name(c->code->model, name, last, &value)
                : !constant_of_range(c->code->model, directive->body, &value))
            continue;
        unsigned width = as_width(c, &value, directive->name);
        if (width)
            define(c, directive->name, name, width);
    }
}

/* NAME = 32 in a declaration or an enum, wherever it stands. */
static void define_variables(struct context *c)
{
    const struct unit *unit = c->a->unit;
    uint32_t count = (uint32_t)unit->tokens.list.count;
    for (uint32_t i = 1; i + 3 < count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind != TOK_IDENT || !width_is_usual_name(token->symbol->text) ||
            (token->flags & TOKEN_DIRECTIVE) || unit_kind(unit, i + 2) != TOK_NUMBER ||
            (unit_kind(unit, i + 1) != TOK_ASSIGN && unit_kind(unit, i + 1) != TOK_LBRACE))
            continue;
        enum token_kind before = unit_kind(unit, i - 1), behind = unit_kind(unit, i + 3);
        if ((before != TOK_TYPE && before != TOK_IDENT && before != TOK_SPECIFIER &&
             before != TOK_LBRACE && before != TOK_COMMA) ||
            (behind != TOK_SEMICOLON && behind != TOK_COMMA && behind != TOK_RBRACE))
            continue;
        struct constant value;
        if (!constant_of_range(c->code->model, one_token(i + 2), &value))
            continue;
        unsigned width = as_width(c, &value, i);
        if (width)
            define(c, i, token->symbol, width);
    }
}

static bool has_usual_name(const struct unit *unit)
{
    for (const struct symbol *s = symbol_first(unit->symbols); s; s = symbol_next(s))
        if (width_is_usual_name(s->text))
            return true;
    return false;
}

/* Whether the text behind the name at TOKEN begins with a number that splits for WIDTH. */
static bool is_plain_number(struct context *c, uint32_t token, unsigned width)
{
    const struct unit *unit = c->a->unit;
    for (uint32_t at = token + 1; at < token + 5; ++at) {
        struct constant value;
        if (unit_kind(unit, at) == TOK_EOF)
            return false;
        if (unit_kind(unit, at) == TOK_NUMBER)
            return constant_of_range(c->code->model, one_token(at), &value) &&
                   constant_single(&value) &&
                   (value.values[0] == width || value.values[0] == width - 1 ||
                    value.values[0] == (width == 32 ? 5 : 6));
    }
    return false;
}

static bool is_returned(const struct context *c, const struct node *node)
{
    const struct node *parent = code_parent(c->code, node);
    while (parent && parent->kind == NODE_CAST)
        parent = code_parent(c->code, parent);
    return parent && parent->kind == NODE_RETURN;
}

/* Whether USE, whose constant is called NAME and defined at TOKEN, has to do with warps at all. */
static bool concerns_warps(struct context *c, const struct width_use *use,
                           const struct symbol *name, uint32_t token)
{
    const struct width_function *fn = &c->widths->functions[use->function];
    bool warps = fn->warps || fn->says_warp;
    /* A lane may be what a small function is for. */
    for (size_t i = 0; !warps && i < fn->callers.count && i < 16; ++i)
        warps = c->widths->functions[fn->callers.items[i]].warps && is_returned(c, use->node);
    if ((name && width_speaks_of_warps(name->text)) || width_goes_to_warp(c->a, use->node))
        return true;
    /* What a loop adds to may be the number of a word as well. */
    return warps && !use->counted && (!name || is_plain_number(c, token, use->width));
}

static void add_related(struct context *c, struct finding *f, enum related_id id,
                        struct range range, unsigned *count)
{
    if ((*count)++ < MAX_RELATED)
        finding_add_related(f, id, unit_span(c->a->unit, range), NULL);
}

/* Shared arrays. */

/* Whether OBJECT has a place for each warp of WIDTH, sized by a number of its own. */
static bool is_for_warps(const struct context *c, const struct shared_object *object,
                         unsigned width)
{
    const struct node *dimension = object->declarator->kids;
    if (!dimension || dimension->kind != NODE_DIMENSION ||
        (dimension->next && dimension->next->kind == NODE_DIMENSION) || !dimension->kids)
        return false;
    const struct node *size = dimension->kids;
    struct constant value;
    bool divides = size->kind == NODE_BINARY && size->op == TOK_SLASH &&
                   constant_of(c->code->model, size->kids->next, &value) &&
                   constant_single(&value) && value.values[0] == width;
    return divides || (constant_of(c->code->model, size, &value) && constant_single(&value) &&
                       value.values[0] == LANES_MAX / width);
}

/* Shared arrays of FUNCTION with a place for each warp of WIDTH. */
static void add_partials(struct context *c, struct finding *f, size_t function, unsigned width,
                         unsigned *related)
{
    size_t count;
    const struct shared_object *objects = model_shared_objects(c->code->model, &count);
    for (; c->next_object < count; ++c->next_object) {
        const struct shared_object *object = &objects[c->next_object];
        if (object->function != NO_INDEX && function < object->function)
            break;
        if (object->function == function && is_for_warps(c, object, width))
            add_related(c, f, RELATED_DECLARED_FOR_WARPS, object->declarator->tokens, related);
    }
}

/* The same of all functions that number their warps by D. */
static void add_partials_of(struct context *c, struct finding *f, const struct definition *d,
                            unsigned *related)
{
    size_t count, next = 0;
    const struct shared_object *objects = model_shared_objects(c->code->model, &count);
    vec_each (const struct width_use, use, &c->widths->uses) {
        uint32_t token;
        if (use->width != d->width || use->role != LANE_ROLE_WARP ||
            !width_name(c->a, use->constant, &token) || token != d->token)
            continue;
        while (next < count &&
               (objects[next].function == NO_INDEX || objects[next].function < use->function))
            ++next;
        for (; next < count && objects[next].function == use->function; ++next)
            if (is_for_warps(c, &objects[next], d->width))
                add_related(c, f, RELATED_DECLARED_FOR_WARPS, objects[next].declarator->tokens,
                            related);
    }
}

/* The definition that the name at TOKEN stands for, or NULL. */
static struct definition *definition_of(struct context *c, uint32_t token)
{
    const struct unit *unit = c->a->unit;
    const struct symbol *name = unit_token(unit, token)->symbol;
    if (token_region(unit_token(unit, token)) == REGION_CUDA || unit_is_member(unit, token))
        return NULL;
    /* Another definition of it, a question whether it is defined. */
    if ((unit_token(unit, token)->flags & TOKEN_DIRECTIVE) &&
        (unit_directive_at(unit, token)->name == token ||
         unit_directive_at(unit, token)->kind != TOK_PP_DEFINE))
        return NULL;
    uint32_t defined = model_lookup(c->code->model, name, token).token;
    bool qualified = 0 < token && unit_kind(unit, token - 1) == TOK_COLON_COLON;
    vec_each (struct definition, d, &c->definitions)
        if (d->name == name && d->token != token &&
            (d->token == defined || (qualified && d->alone && defined == NO_TOKEN)))
            return d;
    return NULL;
}

/* Finds where the names that speak of warps are used: in code, launches and macros alike. */
static void find_names(struct context *c)
{
    const struct unit *unit = c->a->unit;
    bool some = false;
    vec_each (struct definition, d, &c->definitions) {
        if (d->two_roles || !width_speaks_of_warps(d->name->text))
            continue;
        d->alone = true;
        vec_each (const struct definition, other, &c->definitions)
            d->alone &= other == d || other->name != d->name;
        unit_token(unit, d->token)->symbol->flags |= SYMBOL_WIDTH;
        some = true;
    }
    uint32_t count = some ? (uint32_t)unit->tokens.list.count : 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind != TOK_IDENT || !(token->symbol->flags & SYMBOL_WIDTH))
            continue;
        struct definition *d = definition_of(c, i);
        if (d && d->uses.count < MAX_RELATED)
            *vec_push(&d->uses) = i;
    }
}

/* Whether FUNCTION uses D where it can do without. */
static bool gives_up(const struct context *c, size_t function, const struct definition *d)
{
    vec_each (const struct width_edit, edit, &c->widths->functions[function].edits)
        if (edit->defined == d->token)
            return true;
    return false;
}

/* The functions that use D, and all that are connected with them, follow warpSize together. */
static void add_definition_fix(struct context *c, struct finding *f, const struct definition *d)
{
    size_t root = NO_INDEX, count = c->widths->function_count;
    for (size_t i = 0; i < count && root == NO_INDEX; ++i)
        if (width_safety(c->a, i) == FIX_UNSAFE && gives_up(c, i, d))
            root = width_root(c->a->widths, i);
    for (size_t i = 0; i < count && root != NO_INDEX; ++i) {
        if (width_root(c->a->widths, i) != root)
            continue;
        vec_each (const struct width_edit, edit, &c->widths->functions[i].edits)
            finding_add_edit(f, FIX_UNSAFE, unit_span(c->a->unit, edit->number->tokens),
                             edit->text);
    }
}

static void report_definition(struct context *c, const struct definition *d)
{
    struct finding *f = width_add(c->a, RULE_WAVE_WIDTH_CONSTANT, one_token(d->token), d->width);
    unsigned related = 0;
    uint32_t token;
    vec_each (const uint32_t, use, &d->uses)
        add_related(c, f, RELATED_USED, one_token(*use), &related);
    add_partials_of(c, f, d, &related);
    add_definition_fix(c, f, d);
    if (width_speaks_of_warps(d->name->text))
        return;
    vec_each (const struct width_use, use, &c->widths->uses)
        if (use->width && width_name(c->a, use->constant, &token) && token == d->token)
            add_related(c, f, RELATED_USED, use->node->tokens, &related);
}

/* The second stage of a reduction. */

/* Whether the code in RANGE, of FUNCTION, uses warp functions. */
static bool uses_warps(struct context *c, size_t function, struct range range)
{
    width_each(call, &c->code->calls, function)
    {
        struct warp_call warp;
        if (range.end <= call->node->tokens.begin)
            break;
        if (call->node->token < range.begin || range.end <= call->node->token || !call->name)
            continue;
        if (warp_call_of(c->a, call->node, &warp) && warp.function->kind != WARP_SYNC)
            return true;
        if (call->node->kids->kind != NODE_NAME)
            continue;
        struct name_meaning meaning =
            model_lookup(c->code->model, call->name, call->node->kids->token);
        if (meaning.kind == NAME_FUNCTION && c->widths->functions[meaning.function].warps)
            return true;
    }
    return false;
}

/* The comparison in CONDITION that holds for the first WIDTH threads of a block and no others. */
static const struct node *first_threads(struct context *c, size_t function,
                                        const struct node *condition, unsigned width)
{
    struct constant value;
    if (condition->kind == NODE_BINARY && condition->op == TOK_AND_AND) {
        tree_each (kid, condition) {
            const struct node *res = first_threads(c, function, kid, width);
            if (res)
                return res;
        }
        return NULL;
    }
    if (condition->kind != NODE_BINARY || condition->op != TOK_LESS ||
        !constant_of(c->code->model, condition->kids->next, &value) || !constant_single(&value) ||
        value.values[0] != width)
        return NULL;
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    width_blocks(c->a, function, width, blocks, &assumed);
    struct lane_machine *machine = annotation_machine(c->a, function, blocks[0], 64, 0);
    struct lanes lanes = machine ? lane_evaluate(machine, condition->kids) : (struct lanes){0};
    if (lanes.state != LANES_KNOWN || !lanes.values)
        return NULL;
    for (unsigned i = 0; i < machine->threads; ++i)
        if (lanes_at(&lanes, i) != i)
            return NULL;
    return condition;
}

static void examine_first_warp(struct context *c, const struct code_node *branch, unsigned width)
{
    const struct node *condition = branch->node->kids;
    if (branch->node->kind != NODE_IF || !width_applies(c->a, branch->node->token, width))
        return;
    const struct node *compared = first_threads(c, branch->function, condition, width);
    if (!compared || !uses_warps(c, branch->function, condition->next->tokens))
        return;
    struct finding *f = width_add(c->a, RULE_WAVE_FIRST_WARP, compared->tokens, width);
    const struct node *number = compared->kids->next;
    if (number->kind == NODE_NUMBER)
        finding_add_edit(f, width_safety(c->a, branch->function),
                         unit_span(c->a->unit, number->tokens), "warpSize");
}

/* Literals. */

/* Makes the numbers of FUNCTION follow warpSize, all of them. What is compared with them belongs
   to the cause. */
static void add_fix(struct context *c, struct finding *f, size_t function)
{
    enum fix_safety safety = width_safety(c->a, function);
    const struct width_function *fn = width_edits(c->a, function);
    vec_each (const struct width_edit, edit, &fn->edits) {
        const struct node *around = code_parent(c->code, edit->number);
        if (around->kind == NODE_BINARY &&
            (around->op == TOK_EQUAL || around->op == TOK_NOT_EQUAL || around->op == TOK_LESS))
            finding_add_related(f, RELATED_USED, unit_span(c->a->unit, around->tokens), NULL);
        finding_add_edit(f, safety, unit_span(c->a->unit, edit->number->tokens), edit->text);
    }
}

/* Loops of FUNCTION that go on by the constant defined at DEFINED. */
static void add_strides(struct context *c, struct finding *f, size_t function, uint32_t defined,
                        unsigned *related)
{
    width_each(name, &c->code->names, function)
    {
        const struct node *step = code_parent(c->code, name->node);
        const struct node *loop = step ? code_parent(c->code, step) : NULL;
        if (loop && step->kind == NODE_ASSIGN && step->op == TOK_PLUS_ASSIGN &&
            loop->kind == NODE_FOR &&
            model_lookup(c->code->model, name->name, name->node->token).token == defined)
            add_related(c, f, RELATED_USED, step->tokens, related);
    }
}

/* Whether NODE is asked for by a branch: it is compared with a number, or a switch goes by it. */
static bool is_asked(const struct context *c, const struct node *node)
{
    struct constant value;
    const struct node *parent = code_parent(c->code, node);
    if (!parent || parent->kind == NODE_SWITCH)
        return parent && parent->kids == node;
    if (parent->kind != NODE_BINARY || parent->kids != node ||
        !constant_of(c->code->model, node->next, &value))
        return false;
    return parent->op == TOK_EQUAL || parent->op == TOK_NOT_EQUAL || parent->op == TOK_LESS ||
           parent->op == TOK_GREATER || parent->op == TOK_LESS_EQUAL ||
           parent->op == TOK_GREATER_EQUAL;
}

/* Branches by the number of the warp that USE puts into a variable: what one warp does and the next
   does not is done by halves of a wave. */
static void add_branches(struct context *c, struct finding *f, const struct width_use *use,
                         unsigned *related)
{
    const struct node *parent = code_parent(c->code, use->node);
    const struct node *variable = parent ? code_parent(c->code, parent) : NULL;
    if (use->role != LANE_ROLE_WARP || !variable || parent->kind != NODE_INITIALIZER ||
        variable->kind != NODE_DECLARATOR)
        return;
    const struct symbol *symbol = tree_symbol(c->a->unit, variable);
    width_each(name, &c->code->names, use->function)
    {
        if (name->name == symbol && name->node->kind == NODE_NAME && is_asked(c, name->node))
            add_related(c, f, RELATED_USED,
                        code_parent(c->code, name->node)->kind == NODE_SWITCH
                            ? name->node->tokens
                            : code_parent(c->code, name->node)->tokens,
                        related);
    }
}

/* The uses of a function that are written with numbers: one finding. OTHERS of the same function,
   of which nothing says that they have to do with warps, go with them. */
static void report_function(struct context *c, const struct width_use *const *uses, size_t count,
                            const struct width_use *const *others, size_t other_count)
{
    struct finding *f =
        width_add(c->a, RULE_WAVE_LANE_ARITHMETIC, uses[0]->node->tokens, uses[0]->width);
    unsigned related = 0;
    bool warps = uses[0]->role == LANE_ROLE_WARP;
    uint32_t defined;
    const struct symbol *name = width_name(c->a, uses[0]->constant, &defined);
    if (name)
        finding_add_related(f, RELATED_DEFINED, unit_token_span(c->a->unit, defined), name->text);
    for (size_t i = 1; i < count; ++i) {
        add_related(c, f, RELATED_USED, uses[i]->node->tokens, &related);
        warps |= uses[i]->role == LANE_ROLE_WARP;
    }
    for (size_t i = 0; i < other_count; ++i)
        add_related(c, f, RELATED_USED, others[i]->node->tokens, &related);
    for (size_t i = 0; i < count && i < MOST_VARIABLES; ++i)
        add_branches(c, f, uses[i], &related);
    if (name)
        add_strides(c, f, uses[0]->function, defined, &related);
    for (; c->next_derived < c->widths->derived.count; ++c->next_derived) {
        const struct width_use *derived = &c->widths->derived.items[c->next_derived];
        if (uses[0]->function < derived->function)
            break;
        if (derived->function == uses[0]->function &&
            uses[0]->node->tokens.begin != derived->node->tokens.begin)
            add_related(c, f, RELATED_USED, derived->node->tokens, &related);
    }
    if (warps)
        add_partials(c, f, uses[0]->function, uses[0]->width, &related);
    add_fix(c, f, uses[0]->function);
}

static void examine_uses(struct context *c)
{
    VEC(const struct width_use *) literals = {0};
    VEC(const struct width_use *) others = {0};
    size_t function = NO_INDEX;
    vec_each (const struct width_use, use, &c->widths->uses) {
        if (use->function != function) {
            if (literals.count)
                report_function(c, literals.items, literals.count, others.items, others.count);
            literals.count = others.count = 0;
            function = use->function;
        }
        if (!use->width || !width_applies_to(c->a, use->constant, use->width))
            continue;
        uint32_t token;
        const struct symbol *name = width_name(c->a, use->constant, &token);
        if (use->reported || width_counts_otherwise(c->a, use))
            continue;
        if (!concerns_warps(c, use, name, token)) {
            if (!name && !use->counted)
                *vec_push(&others) = use;
            continue;
        }
        if (name) {
            const struct definition *d = define(c, token, name, use->width);
            if (d && !d->two_roles)
                continue;
        }
        *vec_push(&literals) = use;
    }
    if (literals.count)
        report_function(c, literals.items, literals.count, others.items, others.count);
    vec_release(&literals);
    vec_release(&others);
}

void rule_wave_width(struct annotation *a)
{
    bool usual = has_usual_name(a->unit), possible = widths_are_possible(a);
    if (!usual && !possible)
        return;
    struct context c = {.a = a, .code = annotation_code(a), .widths = annotation_widths(a)};
    if (usual) {
        define_macros(&c);
        define_variables(&c);
    }
    examine_uses(&c);
    find_names(&c);
    vec_each (struct definition, d, &c.definitions) {
        if (!d->two_roles)
            report_definition(&c, d);
        vec_release(&d->uses);
    }
    if (warp_is_used(a))
        vec_each (const struct code_node, branch, &c.code->branches) {
            examine_first_warp(&c, branch, 32);
            if (annotation_is_hip(a, branch->node->token))
                examine_first_warp(&c, branch, 64);
        }
    vec_release(&c.definitions);
}
