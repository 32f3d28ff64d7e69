/* sync-barrier-divergent, sync-barrier-partial, sync-grid-divergent: see their pages in
   annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"
#include "annotate/barriers.h"

#include <string.h>

enum {
    CONDITION_DEPTH = 16,
    MOST_CAUSES = 8, /* that are kept at a time */
};

/* A condition that was reported, by which rule, and by which finding. */
struct cause {
    const struct node *condition;
    enum rule_id rule;
    size_t finding;
};

struct context {
    struct annotation *a;
    const struct code *code;
    struct barriers barriers;
    struct lane_machine *machine;
    bool assumed; /* nobody says how large the block is */
    struct cause causes[MOST_CAUSES];
    unsigned next; /* the one to be taken next */
};

static bool is_arithmetic(unsigned op)
{
    return op == TOK_PLUS || op == TOK_MINUS || op == TOK_STAR || op == TOK_SLASH ||
           op == TOK_PERCENT || op == TOK_SHIFT_LEFT || op == TOK_SHIFT_RIGHT;
}

static bool is_uniform(struct context *c, const struct node *node)
{
    struct lanes value = lane_evaluate(c->machine, node);
    return lanes_uniform(&value);
}

/* Whether NODE surely has several values in a block. Of a comparison that cannot be decided it is
   enough that one side has; of a sum or a difference the other has to be the same for all. */
static bool differs(struct context *c, const struct node *node, unsigned depth)
{
    struct lanes value = lane_evaluate(c->machine, node);
    if (value.state != LANES_UNKNOWN)
        return !lanes_uniform(&value);
    if (CONDITION_DEPTH < depth)
        return false;
    if (node->kind == NODE_BINARY && is_arithmetic(node->op))
        return (differs(c, node->kids, depth + 1) && is_uniform(c, node->kids->next)) ||
               (is_uniform(c, node->kids) && differs(c, node->kids->next, depth + 1));
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

/* The return, break or continue that NODE, a statement, is or ends in; NULL for none. */
static const struct node *leaving(const struct node *node)
{
    const struct node *last = node;
    if (node && node->kind == NODE_BLOCK) {
        last = NULL;
        tree_each (kid, node)
            last = kid;
    }
    bool leaves = last && (last->kind == NODE_RETURN || last->kind == NODE_BREAK ||
                           last->kind == NODE_CONTINUE);
    return leaves ? last : NULL;
}

/* The loop, or the switch where that is what a break leaves, around NODE; NULL for none. */
static const struct node *loop_around(const struct code *code, const struct node *node,
                                      bool switches)
{
    while ((node = code_parent(code, node)) && node->kind != NODE_LAMBDA)
        if (node->kind == NODE_FOR || node->kind == NODE_WHILE || node->kind == NODE_DO ||
            node->kind == NODE_RANGE_FOR || (switches && node->kind == NODE_SWITCH))
            return node;
    return NULL;
}

/* Whether AROUND keeps threads from AT, a part of it; *RES: how. */
static bool parts_around(struct context *c, const struct node *around, const struct node *at,
                         struct passing *res)
{
    res->around = around;
    switch (around->kind) {
    case NODE_IF:
    case NODE_CHOICE: {
        const struct node *then = tree_kid(around, 1);
        const struct node *other = leaving(then == at ? tree_kid(around, 2) : then);
        res->condition = around->kids;
        res->kept = at;
        res->way = other && other->kind == NODE_RETURN ? PASSING_RETURN : PASSING_BRANCH;
        return res->condition != at && parts(c, res->condition);
    }
    case NODE_WHILE:
        res->condition = around->kids;
        break;
    case NODE_FOR:
    case NODE_DO:
        res->condition = tree_kid(around, 1);
        break;
    default:
        return false;
    }
    res->way = PASSING_LOOP;
    return res->condition != at && parts_loop(c, res->condition);
}

/* Whether BEFORE, a statement in front of a barrier, takes threads away; *RES: how. */
static bool parts_before(struct context *c, const struct node *before, struct passing *res)
{
    const struct node *leaves = before->kind == NODE_IF ? leaving(tree_kid(before, 1)) : NULL;
    if (!leaves)
        return false;
    res->condition = before->kids;
    res->way = leaves->kind == NODE_RETURN  ? PASSING_RETURN
               : leaves->kind == NODE_BREAK ? PASSING_BREAK
                                            : PASSING_CONTINUE;
    if (res->way == PASSING_RETURN)
        return parts(c, res->condition);
    res->around = loop_around(c->code, leaves, res->way == PASSING_BREAK);
    return res->around && res->around->kind != NODE_SWITCH && parts_loop(c, res->condition);
}

/* What is known of a barrier that some threads come by. */
struct verdict {
    enum rule_id rule; /* RULE_COUNT: none */
    struct passing passing;
    const struct node *which; /* the barrier that these get to instead, or NULL */
};

/* Judges PASSING, one of the ways past a barrier of KIND: what is worse stays in *RES. */
static void judge(struct context *c, enum barrier_kind kind, const struct passing *passing,
                  struct verdict *res)
{
    const struct node *which = NULL;
    enum rule_id rule =
        kind == BARRIER_GRID                                      ? RULE_SYNC_GRID_DIVERGENT
        : barriers_follow(&c->barriers, passing, &which)          ? RULE_SYNC_BARRIER_DIVERGENT
        : kind == BARRIER_BLOCK || passing->way == PASSING_BRANCH ? RULE_SYNC_BARRIER_PARTIAL
                                                                  : RULE_COUNT;
    if (rule == RULE_COUNT || (rule == RULE_SYNC_BARRIER_PARTIAL && res->rule != RULE_COUNT))
        return;
    *res = (struct verdict){rule, *passing, which};
}

/* Looks for what keeps threads from the barrier NODE, from the inside out, up to the first that
   does harm. */
static struct verdict find_verdict(struct context *c, const struct code_node *call,
                                   enum barrier_kind kind)
{
    struct verdict res = {.rule = RULE_COUNT};
    for (const struct node *at = call->node, *around; (around = code_parent(c->code, at));
         at = around) {
        struct passing passing = {.function = call->function};
        if (around->kind == NODE_LAMBDA)
            break;
        if (parts_around(c, around, at, &passing))
            judge(c, kind, &passing, &res);
        for (const struct node *before = around->kind == NODE_BLOCK ? around->kids : at;
             before != at && c->barriers.steps; before = before->next, --c->barriers.steps)
            if (parts_before(c, before, &passing))
                judge(c, kind, &passing, &res);
        if (res.rule != RULE_COUNT && res.rule != RULE_SYNC_BARRIER_PARTIAL)
            break;
    }
    return res;
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

/* The targets on which some block has more than one wave: there is nothing to wait for in others.
 */
static target_set with_several_waves(const struct annotation *a, const struct launch_blocks *blocks)
{
    unsigned most = blocks->count && blocks->all ? 0 : LANES_MAX;
    for (unsigned i = 0; i < blocks->count; ++i) {
        const unsigned *block = blocks->block[i];
        if (most < block[0] * block[1] * block[2])
            most = block[0] * block[1] * block[2];
    }
    target_set res = 0;
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (target_wave(a->gpus->targets[i]) < most)
            res |= (target_set)1 << i;
    return res;
}

/* Whether both arms of the branch that PASSING is about have as many barriers, and whole waves take
   either: then each wave gets to as many as any other. */
static bool is_balanced(struct context *c, const struct passing *passing, const struct node *node)
{
    if (passing->way != PASSING_BRANCH || !tree_kid(passing->around, 2) ||
        lane_evaluate(c->machine, passing->condition).state != LANES_KNOWN ||
        !lane_reach_whole_waves(c->machine, node))
        return false;
    size_t arms[2] = {0, 0};
    vec_each (const struct code_node, call, &c->barriers.list)
        for (unsigned arm = 0; arm < 2; ++arm) {
            struct range tokens = tree_kid(passing->around, arm + 1)->tokens;
            arms[arm] +=
                tokens.begin <= call->node->tokens.begin && call->node->tokens.begin < tokens.end;
        }
    return arms[0] == arms[1];
}

/* Whether CONDITION was reported by RULE; NODE becomes a place of that finding. */
static bool is_known(struct context *c, const struct verdict *verdict, const struct node *node)
{
    for (unsigned i = 0; i < MOST_CAUSES; ++i) {
        const struct cause *cause = &c->causes[i];
        if (cause->condition != verdict->passing.condition || cause->rule != verdict->rule)
            continue;
        finding_add_related(&c->a->findings->list.items[cause->finding], RELATED_BARRIER,
                            unit_span(c->a->unit, node->tokens), NULL);
        return true;
    }
    return false;
}

static void report(struct context *c, const struct code_node *call, const struct verdict *verdict,
                   const struct node *inside, target_set targets)
{
    struct annotation *a = c->a;
    const struct node *condition = verdict->passing.condition;
    const struct node *shown = inside ? call->node->kids : call->node;
    if (is_known(c, verdict, call->node))
        return;
    c->causes[c->next++ % MOST_CAUSES] =
        (struct cause){condition, verdict->rule, a->findings->list.count};
    struct finding *f = annotation_add(a, verdict->rule, shown->tokens);
    f->targets = targets;
    /* How many threads of a block a size leaves out depends on the size; one that loops go up to is
       mostly a multiple of the block where they have barriers. */
    if (lane_evaluate(c->machine, condition).state == LANES_UNKNOWN) {
        f->confidence = CONFIDENCE_MEDIUM;
        bool is_branch =
            verdict->passing.way == PASSING_BRANCH || verdict->passing.way == PASSING_RETURN;
        if (verdict->rule == RULE_SYNC_BARRIER_DIVERGENT && !is_branch)
            f->effect = EFFECT_NONE;
    }
    /* Whether another barrier follows where the function returns is a guess. */
    bool guess = verdict->rule == RULE_SYNC_BARRIER_DIVERGENT && !verdict->which;
    if (guess)
        f->confidence = CONFIDENCE_LOW;
    annotation_add_quote(a, f, condition->tokens);
    finding_add_related(f, RELATED_CONDITION, unit_span(a->unit, condition->tokens), NULL);
    if (inside)
        finding_add_related(f, RELATED_BARRIER_INSIDE, unit_span(a->unit, inside->tokens), NULL);
    if (guess)
        finding_add_related(f, RELATED_CALLER_UNKNOWN,
                            unit_token_span(a->unit, a->unit->functions.items[call->function].name),
                            NULL);
    if (verdict->which)
        finding_add_related(f, RELATED_BARRIER_INSTEAD, unit_span(a->unit, verdict->which->tokens),
                            NULL);
    annotation_add_launches(a, f, call->function);
}

static void examine(struct context *c, const struct code_node *call)
{
    struct annotation *a = c->a;
    struct launch_blocks blocks;
    const struct node *inside;
    const unsigned usual[] = {256, 1, 1};
    enum barrier_kind kind = barriers_kind(&c->barriers, call, &inside);
    model_blocks(c->code->model, call->function, &blocks);
    target_set targets =
        kind == BARRIER_GRID ? comparison_all(a->gpus) : with_several_waves(a, &blocks);
    c->assumed = blocks.count == 0;
    c->machine = annotation_machine(a, call->function, c->assumed ? usual : blocks.block[0],
                                    annotation_with_wave(a, 64) ? 64 : 32, 0);
    if (!targets || !c->machine || all_threads(c, call->node))
        return;
    struct verdict verdict = find_verdict(c, call, kind);
    if (verdict.rule != RULE_COUNT && !is_balanced(c, &verdict.passing, call->node))
        report(c, call, &verdict, inside, targets);
}

void rule_barrier(struct annotation *a)
{
    struct context c = {.a = a};
    if (barriers_init(&c.barriers, a)) {
        c.code = annotation_code(a);
        vec_each (const struct code_node, call, &c.barriers.list)
            if (token_region(unit_token(a->unit, call->node->token)) != REGION_CUDA)
                examine(&c, call);
    }
    barriers_release(&c.barriers);
}
