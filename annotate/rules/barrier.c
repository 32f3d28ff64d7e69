/* sync-barrier-early-return, sync-barrier-divergent: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

enum {
    CONDITION_DEPTH = 16,
    MOST_CAUSES = 8,     /* that are kept at a time */
    MOST_STEPS = 100000, /* or a file of nothing but barriers would take for ever */
};

static const char *const barriers[] = {"__syncthreads", "__syncthreads_and", "__syncthreads_count",
                                       "__syncthreads_or"};

/* A condition that was reported, and by which finding. */
struct cause {
    const struct node *condition;
    size_t finding;
};

struct context {
    struct annotation *a;
    const struct code *code;
    struct lane_machine *machine;
    bool assumed; /* nobody says how large the block is */
    struct cause causes[MOST_CAUSES];
    unsigned next;  /* the one to be taken next */
    uint32_t steps; /* statements that may still be looked at */
};

/* Whether the variable that NODE names is a group of the whole block or grid. */
static bool is_whole_group(const struct code *code, const struct node *node)
{
    static const char *const types[] = {"thread_block", "grid_group", "this_thread_block",
                                        "this_grid"};
    const struct unit *unit = code->model->unit;
    struct name_meaning meaning = {.kind = NAME_UNKNOWN};
    if (node->kind == NODE_NAME)
        meaning = model_lookup(code->model, tree_symbol(unit, node), node->token);
    if (meaning.kind != NAME_LOCAL || !meaning.declaration)
        return false;
    struct range tokens = meaning.declaration->tokens;
    for (uint32_t i = tokens.begin; i < tokens.end; ++i)
        for (size_t t = 0; t < sizeof types / sizeof *types; ++t)
            if (unit_token(unit, i)->symbol && !strcmp(unit_token(unit, i)->symbol->text, types[t]))
                return true;
    return false;
}

static bool is_barrier(const struct code *code, const struct code_node *call)
{
    const struct symbol *name = call->name;
    if (!name)
        return false;
    const struct node *callee = call->node->kids;
    if (callee->kind == NODE_MEMBER)
        return !strcmp(name->text, "sync") && is_whole_group(code, callee->kids);
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; ++i)
        if (!strcmp(name->text, barriers[i]))
            return !name->user;
    return false;
}

/* Whether NODE surely has several values in a block. Of a comparison that cannot be decided it is
   enough that one side has. */
static bool differs(struct context *c, const struct node *node, unsigned depth)
{
    struct lanes value = lane_evaluate(c->machine, node);
    if (value.state != LANES_UNKNOWN)
        return !lanes_uniform(&value);
    if (CONDITION_DEPTH < depth)
        return false;
    if (node->kind == NODE_BINARY)
        return differs(c, node->kids, depth + 1) || differs(c, node->kids->next, depth + 1);
    return node->kind == NODE_UNARY && node->op == TOK_BANG && differs(c, node->kids, depth + 1);
}

/* Whether NODE names a parameter of the template: maybe the size of the block. */
static bool names_template(struct context *c, const struct node *node, unsigned depth)
{
    if (node->kind == NODE_NAME)
        return model_lookup(c->code->model, tree_symbol(c->a->unit, node), node->token).kind ==
               NAME_TEMPLATE_PARAMETER;
    if (CONDITION_DEPTH < depth)
        return true;
    tree_each (kid, node)
        if (names_template(c, kid, depth + 1))
            return true;
    return false;
}

/* Whether CONDITION compares something with a number, or with arithmetic of blockDim. */
static bool compares_with_number(struct context *c, const struct node *condition)
{
    if (condition->kind != NODE_BINARY)
        return false;
    const struct node *right = condition->kids->next;
    if (right->kind == NODE_NUMBER)
        return true;
    if (right->kind != NODE_BINARY || right->kids->next->kind != NODE_NUMBER)
        return false;
    const struct symbol *name = right->kids->kind == NODE_MEMBER && right->kids->kids
                                    ? tree_symbol(c->a->unit, right->kids->kids)
                                    : NULL;
    return name && !strcmp(name->text, "blockDim");
}

/* Whether CONDITION parts the threads of a block, for whatever block the kernel is meant. */
static bool parts(struct context *c, const struct node *condition)
{
    if (condition->kind == NODE_WITH)
        condition = tree_kid(condition, 1);
    if (!condition || condition->kind == NODE_EMPTY || condition->kind == NODE_DECLARATION)
        return false;
    /* Of a block that is only assumed a named constant says nothing, since it may be its size. Who
       writes a number there, or a part of blockDim, knows of threads for which it does not hold. */
    if (c->assumed && lane_evaluate(c->machine, condition).state != LANES_UNKNOWN &&
        !compares_with_number(c, condition))
        return false;
    return differs(c, condition, 0) && !names_template(c, condition, 0);
}

/* Whether NODE, what a loop is compared with, may have been rounded up to whole blocks: a variable
   computed here, or one whose name says so. */
static bool may_be_rounded(struct context *c, const struct node *node, unsigned depth)
{
    static const char *const words[] = {"pad", "round", "align", "Pad", "Round", "Align", "ceil"};
    if (node->kind == NODE_NAME) {
        const struct symbol *name = tree_symbol(c->a->unit, node);
        for (size_t i = 0; name && i < sizeof words / sizeof *words; ++i)
            if (strstr(name->text, words[i]))
                return true;
        return !name || model_lookup(c->code->model, name, node->token).kind != NAME_PARAMETER;
    }
    if (CONDITION_DEPTH < depth || node->kind == NODE_CALL || node->op == TOK_STAR)
        return true;
    tree_each (kid, node)
        if (may_be_rounded(c, kid, depth + 1))
            return true;
    return false;
}

/* Whether CONDITION of a loop parts the threads: a comparison of what differs with something that
   comes from outside. */
static bool parts_loop(struct context *c, const struct node *condition)
{
    if (!condition || condition->kind != NODE_BINARY || !parts(c, condition))
        return false;
    const struct node *left = condition->kids, *right = left->next;
    switch (condition->op) {
    case TOK_LESS:
    case TOK_LESS_EQUAL:
    case TOK_GREATER:
    case TOK_GREATER_EQUAL:
        return differs(c, left, 0) ? !may_be_rounded(c, right, 0) : !may_be_rounded(c, left, 0);
    default:
        return false;
    }
}

/* Whether NODE, a statement, is or ends in a return. */
static bool leaves(const struct node *node)
{
    if (node->kind == NODE_BLOCK) {
        const struct node *last = NULL;
        tree_each (kid, node)
            last = kid;
        return last && last->kind == NODE_RETURN;
    }
    return node->kind == NODE_RETURN;
}

/* The condition of AROUND that keeps threads from AT, a part of it; or NULL. */
static const struct node *parting_condition(struct context *c, const struct node *around,
                                            const struct node *at)
{
    const struct node *condition = NULL;
    switch (around->kind) {
    case NODE_IF:
    case NODE_CHOICE:
        condition = around->kids;
        return condition != at && parts(c, condition) ? condition : NULL;
    case NODE_WHILE:
        condition = around->kids;
        break;
    case NODE_FOR:
    case NODE_DO:
        condition = tree_kid(around, 1);
        break;
    default:
        return NULL;
    }
    return condition != at && parts_loop(c, condition) ? condition : NULL;
}

/* The condition that keeps threads from NODE, and whether by a return in front of it; NULL where
   none is known to. */
static const struct node *find_culprit(struct context *c, const struct node *node, bool *early)
{
    for (const struct node *at = node, *around; (around = code_parent(c->code, at)); at = around) {
        const struct node *condition = parting_condition(c, around, at);
        *early = false;
        if (condition)
            return condition;
        *early = true;
        for (const struct node *before = around->kind == NODE_BLOCK ? around->kids : at;
             before != at && c->steps; before = before->next, --c->steps)
            if (before->kind == NODE_IF && leaves(tree_kid(before, 1)) && parts(c, before->kids))
                return before->kids;
    }
    return NULL;
}

static bool all_threads(struct context *c, const struct node *node)
{
    uint64_t mask[LANES_MAX / 64];
    if (lane_reach(c->machine, node, mask) == REACH_UNKNOWN)
        return false;
    for (unsigned i = 0; i < c->machine->threads; ++i)
        if (!(mask[i / 64] >> i % 64 & 1))
            return false;
    return true;
}

static void examine(struct context *c, const struct code_node *call)
{
    struct annotation *a = c->a;
    struct launch_blocks blocks;
    model_blocks(c->code->model, call->function, &blocks);
    c->assumed = blocks.count == 0;
    const unsigned usual[] = {256, 1, 1};
    c->machine = annotation_machine(a, call->function, c->assumed ? usual : blocks.block[0],
                                    target_wave(a->gpus->targets[0]), 0);
    bool early;
    if (!c->machine || all_threads(c, call->node))
        return;
    const struct node *culprit = find_culprit(c, call->node, &early);
    if (!culprit)
        return;
    for (unsigned i = 0; i < MOST_CAUSES; ++i)
        if (c->causes[i].condition == culprit) {
            finding_add_related(&a->findings->list.items[c->causes[i].finding], RELATED_BARRIER,
                                unit_span(a->unit, call->node->tokens), NULL);
            return;
        }
    c->causes[c->next++ % MOST_CAUSES] = (struct cause){culprit, a->findings->list.count};
    struct finding *f =
        annotation_add(a, early ? RULE_SYNC_BARRIER_EARLY_RETURN : RULE_SYNC_BARRIER_DIVERGENT,
                       call->node->tokens);
    /* How many threads of a block a size leaves out depends on the size. */
    if (lane_evaluate(c->machine, culprit).state == LANES_UNKNOWN)
        f->confidence = CONFIDENCE_MEDIUM;
    finding_add_arg(f, unit_quote(a->unit, culprit->tokens));
    finding_add_related(f, RELATED_CONDITION, unit_span(a->unit, culprit->tokens), NULL);
}

void rule_barrier(struct annotation *a)
{
    bool any = symbol_find(a->unit->symbols, "sync") != NULL;
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; ++i)
        any |= symbol_find(a->unit->symbols, barriers[i]) != NULL;
    if (!any)
        return;
    struct context c = {.a = a, .code = annotation_code(a), .steps = MOST_STEPS};
    vec_each (const struct code_node, call, &c.code->calls)
        if (call->device && is_barrier(c.code, call) &&
            token_region(unit_token(a->unit, call->node->token)) != REGION_CUDA)
            examine(&c, call);
}
