/* occupancy-shared-limit, occupancy-register-file

   Finds: the shared memory of a block, or of a multiprocessor, and the 65536 registers of one as
   numbers: compared with, divided, the smaller of two chosen, or under a name that says so.
   Why: a workgroup may have 64 KiB of LDS with no request for more (160 KiB on gfx950), not 48 and
   never 227; a compute unit of CDNA has 131072 registers, one of RDNA more than 65536 as well.

   Before: if (bytes > 48 * 1024) slow<<<g, b>>>(p); else fast<<<g, b, bytes>>>(p);
   After:  if (bytes > limit) ..., from hipDeviceAttributeMaxSharedMemoryPerBlock

   Fix: none: the numbers have to be asked for at run time.
   Silent: such numbers where no name around speaks of shared memory or registers, and no launch
   takes what is compared for its shared bytes; numbers compared with what the device answers.  */
#include <config.h>

#include "annotate/machine.h"

#include <string.h>

struct context {
    struct annotation *a;
    const struct code *code;
    struct machine_reports reports;
    VEC(const struct symbol *) amounts; /* what launches and requests take for shared bytes */
};

/* Shared memory that NVIDIA's blocks, and multiprocessors, have: 48 KiB without a request, and from
   Volta to Hopper with one. 64 KiB (Turing) is what AMD's have. */
static bool is_shared_size(int64_t value)
{
    static const int64_t sizes[] = {49152, 98304, 101376, 102400, 166912, 167936, 232448, 233472};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        if (value == sizes[i])
            return true;
    return false;
}

/* What the names in EXPRESSION speak of, and what launches say of them. */
static unsigned topics_of(struct context *c, const struct node *expression)
{
    unsigned res = machine_topics_of(c->a->unit, expression);
    if (expression->kind == NODE_NAME)
        vec_each (const struct symbol *, amount, &c->amounts)
            if (*amount == tree_symbol(c->a->unit, expression))
                res |= TOPIC_SHARED;
    return res;
}

/* What the device has, compared with what somebody needs, is right. */
static bool asks_device(const struct unit *unit, const struct node *expression)
{
    const struct symbol *name =
        expression->kind == NODE_MEMBER ? tree_symbol(unit, expression) : NULL;
    if (name && (!strncmp(name->text, "sharedMemPer", 12) || !strncmp(name->text, "regsPer", 7)))
        return true;
    tree_each (kid, expression)
        if (asks_device(unit, kid))
            return true;
    return false;
}

/* Whether STATEMENT asks for more shared memory than a kernel has by itself, in whatever call. */
static bool requests(const struct unit *unit, const struct node *statement)
{
    const struct symbol *name = statement->kind == NODE_NAME ? tree_symbol(unit, statement) : NULL;
    if (name && (strstr(name->text, "MaxDynamicSharedMemorySize") ||
                 strstr(name->text, "MAX_DYNAMIC_SHARED_SIZE_BYTES")))
        return true;
    tree_each (kid, statement)
        if (requests(unit, kid))
            return true;
    return false;
}

/* Whether CONDITION only decides about such a request, which AMD GPUs need not have. */
static bool guards_request(struct context *c, const struct node *condition)
{
    const struct node *around = code_parent(c->code, condition);
    return around && around->kind == NODE_IF && around->kids == condition && around->kids->next &&
           requests(c->a->unit, around->kids->next) &&
           (!tree_kid(around, 2) || tree_kid(around, 2)->kind == NODE_EMPTY);
}

static void report_registers(struct context *c, struct machine_place place, int64_t value,
                             uint32_t use)
{
    bool is_new;
    struct finding *f = machine_report(&c->reports, c->a, RULE_OCCUPANCY_REGISTER_FILE, place,
                                       value, RELATED_USED, use, &is_new);
    if (!f || !is_new)
        return;
    target_set other = 0;
    const struct target *shown = NULL;
    for (unsigned i = 0; i < c->a->gpus->count; ++i)
        if (machine_registers(c->a->gpus->targets[i]) != value) {
            other |= (target_set)1 << i;
            shown = shown ? shown : c->a->gpus->targets[i];
        }
    f->targets = other;
    finding_add_arg(f, shown ? shown->name : "");
    finding_add_number(f, shown ? machine_registers(shown) : 0);
}

static void report_shared(struct context *c, struct machine_place place, int64_t value,
                          uint32_t use, bool harmless)
{
    bool is_new;
    struct finding *f = machine_report(&c->reports, c->a, RULE_OCCUPANCY_SHARED_LIMIT, place, value,
                                       RELATED_USED, use, &is_new);
    if (!f)
        return;
    if (!is_new) {
        f->effect = harmless ? f->effect : EFFECT_THROUGHPUT;
        return;
    }
    const struct target *shown = c->a->gpus->targets[0];
    f->effect = harmless ? EFFECT_NONE : EFFECT_THROUGHPUT;
    finding_add_arg(f, shown->name);
    finding_add_number(f, shown->amd.max_lds);
    for (unsigned i = 0; i < c->a->gpus->count; ++i)
        finding_add_figure(f, c->a->gpus->targets[i]->name, FIGURE_LDS_BYTES,
                           c->a->gpus->targets[i]->amd.max_lds);
}

/* What the result of EXPRESSION, an operand of more of them, is kept in: its name's topics. */
static unsigned topics_of_result(struct context *c, const struct node *expression)
{
    const struct node *at = expression, *up;
    for (; (up = code_parent(c->code, at)); at = up) {
        const struct symbol *name = NULL;
        if (up->kind == NODE_INITIALIZER)
            continue;
        if (up->kind == NODE_DECLARATOR)
            name = tree_symbol(c->a->unit, up);
        else if (up->kind == NODE_ASSIGN && up->kids != at)
            return machine_topics_of(c->a->unit, up->kids);
        else if (up->kind != NODE_BINARY && up->kind != NODE_CAST && up->kind != NODE_CALL &&
                 up->kind != NODE_CHOICE)
            return 0;
        if (name)
            return machine_topics(name->text);
    }
    return 0;
}

/* LIMIT, which stands against OTHER in the operation or call WHOLE; KEPT: whose result says as much
   as the operands do. */
static void examine_pair(struct context *c, const struct node *limit, const struct node *other,
                         const struct node *whole, bool kept)
{
    struct annotation *a = c->a;
    int64_t value;
    struct machine_place place;
    if (!machine_number(a, limit, &value, &place) ||
        !(value == NVIDIA_REGISTERS || is_shared_size(value)) || asks_device(a->unit, other))
        return;
    unsigned topics = topics_of(c, other) | (kept ? topics_of_result(c, whole) : 0);
    if (limit->kind == NODE_NAME)
        topics |= machine_topics(tree_symbol(a->unit, limit)->text);
    if (value == NVIDIA_REGISTERS) {
        if (topics & TOPIC_REGISTER)
            report_registers(c, place, value, limit->tokens.begin);
    } else if (topics & TOPIC_SHARED) {
        report_shared(c, place, value, limit->tokens.begin, guards_request(c, whole));
    }
}

static bool is_loop_condition(struct context *c, const struct node *node)
{
    const struct node *around = code_parent(c->code, node);
    return around && (around->kind == NODE_FOR || around->kind == NODE_WHILE);
}

static void examine_operation(struct context *c, const struct node *node)
{
    const struct node *left = node->kids, *right = left->next;
    /* The end of a range that is tried. */
    if (is_loop_condition(c, node))
        return;
    switch (node->op) {
    case TOK_LESS:
    case TOK_LESS_EQUAL:
    case TOK_GREATER:
    case TOK_GREATER_EQUAL:
        examine_pair(c, left, right, node, false);
        examine_pair(c, right, left, node, false);
        break;
    case TOK_SLASH:
        examine_pair(c, left, right, node, true);
        break;
    default:
        break;
    }
}

/* min(a, b) and std::min<size_t>(a, b) */
static void examine_call(struct context *c, const struct code_node *call)
{
    const struct node *first = code_argument(call->node, 0), *second = code_argument(call->node, 1);
    if (!call->name || (strcmp(call->name->text, "min") && strcmp(call->name->text, "max")) ||
        !first || !second)
        return;
    examine_pair(c, first, second, call->node, true);
    examine_pair(c, second, first, call->node, true);
}

/* A constant by a name that says all: MAX_SMEM_BYTES, REGS_PER_SM. */
static void examine_name(struct context *c, const struct node *node)
{
    const struct symbol *name = tree_symbol(c->a->unit, node);
    unsigned topics = machine_topics(name->text);
    int64_t value;
    struct machine_place place;
    if (!(topics & (TOPIC_SHARED | TOPIC_REGISTER)) ||
        !machine_number(c->a, node, &value, &place) || place.range.begin == node->tokens.begin)
        return;
    if (topics & TOPIC_REGISTER && value == NVIDIA_REGISTERS)
        report_registers(c, place, value, node->token);
    if (topics & TOPIC_SHARED && topics & TOPIC_LIMIT && is_shared_size(value))
        report_shared(c, place, value, node->token, false);
}

/* max_smem = 48 * 1024, of a member too. */
static void examine_assignment(struct context *c, const struct node *node)
{
    const struct node *left = node->kids;
    unsigned topics = left->kind == NODE_NAME || left->kind == NODE_MEMBER
                          ? machine_topics_of(c->a->unit, left)
                          : 0;
    int64_t value;
    struct machine_place place;
    if (topics & TOPIC_SHARED && topics & TOPIC_LIMIT && node->op == TOK_ASSIGN &&
        machine_number(c->a, left->next, &value, &place) && is_shared_size(value))
        report_shared(c, place, value, left->next->tokens.begin, false);
}

static void add_amounts(struct context *c, const struct node *expression)
{
    if (expression->kind == NODE_NAME && tree_symbol(c->a->unit, expression))
        *vec_push(&c->amounts) = tree_symbol(c->a->unit, expression);
}

static void gather_amounts(struct context *c)
{
    size_t count;
    const struct launch_site *sites = model_launches(c->code->model, &count);
    for (size_t i = 0; i < count; ++i)
        if (sites[i].shared)
            add_amounts(c, sites[i].shared);
    vec_each (const struct code_node, call, &c->code->calls) {
        const struct node *bytes = code_argument(call->node, 2);
        if (call->name && strstr(call->name->text, "FuncSetAttribute") && bytes)
            add_amounts(c, bytes);
    }
}

void rule_machine_limit(struct annotation *a)
{
    /* A launch may say what a name does not. */
    if (!(machine_mark(a->unit) & (TOPIC_SHARED | TOPIC_REGISTER)) && !a->unit->launches.count)
        return;
    struct context c = {.a = a, .code = annotation_code(a)};
    gather_amounts(&c);
    vec_each (const struct code_node, entry, &c.code->operations)
        if (entry->node->kids && entry->node->kids->next) {
            if (entry->node->kind == NODE_BINARY)
                examine_operation(&c, entry->node);
            else
                examine_assignment(&c, entry->node);
        }
    vec_each (const struct code_node, call, &c.code->calls)
        examine_call(&c, call);
    vec_each (const struct code_node, use, &c.code->names)
        if (use->name && use->name->flags & SYMBOL_MACHINE)
            examine_name(&c, use->node);
    vec_release(&c.amounts);
    vec_release(&c.reports.list);
}
