/* occupancy-sm-count, occupancy-sm-threads, occupancy-sm-blocks

   Finds: the number of multiprocessors of an NVIDIA part, the threads of one, or the blocks that
   one holds, written as a number where a grid is sized, or under a name that says what it counts.
   Why: AMD parts have other numbers of compute units: a grid of 132 blocks leaves more than half of
   the 304 of an MI300X without work. A compute unit holds other numbers of threads than some
   multiprocessors do, and how many blocks it has room for depends on its own registers and LDS.

   Before: const int NUM_SMS = 132;  k<<<NUM_SMS * 2, 256>>>();
   After:  hipDeviceGetAttribute(&sms, hipDeviceAttributeMultiprocessorCount, device);

   Fix: none: the numbers have to be asked for at run time.
   Silent: such numbers anywhere else. A number without a name has to be a factor of the grid or a
   bound of it, or the whole of it where the kernel takes a grid of any size.  */
#include <config.h>

#include "annotate/machine.h"

#include <string.h>

#include "annotate/gpu/occupancy.h"
#include "annotate/model/flow.h"

struct context {
    struct annotation *a;
    const struct code *code;
    struct machine_reports reports;
    /* The launch that is looked at. */
    const struct launch_site *site;
    VEC(const void *) seen; /* definitions of names in its grid */
    unsigned looks;         /* at kernels that may take any grid */
};

/* How an expression has its part in the size of a grid; bits. */
enum part {
    PART_FACTOR = 1, /* a factor of it, or all of it */
    PART_OF_SMS = 2, /* the other factor is a number of multiprocessors */
};

/* Multiprocessors of parts that people tune for, from V100 to B200. */
static bool is_sm_count(int64_t value)
{
    static const int64_t counts[] = {40, 46,  48,  56,  58,  60,  68,  72,  78,  80, 82,
                                     84, 108, 114, 128, 132, 142, 144, 148, 170, 188};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        if (value == counts[i])
            return true;
    return false;
}

static bool is_thread_count(int64_t value)
{
    return value == 1024 || value == 1536 || value == 2048;
}

/* The threads of a multiprocessor or compute unit of TARGET. */
static unsigned threads_of_unit(const struct target *target)
{
    struct occupancy_request request = {.block = target_wave(target)};
    struct occupancy o;
    return occupancy_compute(target, &request, &o) == OCCUPANCY_OK ? o.max_waves * o.simds * o.wave
                                                                   : 0;
}

/* Whether NAME counts multiprocessors and nothing else. */
static bool counts_sms(const struct symbol *name)
{
    return name && name->flags & SYMBOL_MACHINE &&
           machine_topics(name->text) == (TOPIC_SM | TOPIC_COUNT);
}

static void report_count(struct context *c, struct machine_place place, int64_t value,
                         enum related_id id, uint32_t use)
{
    bool is_new;
    machine_report(&c->reports, c->a, RULE_OCCUPANCY_SM_COUNT, place, value, id, use, &is_new);
}

/* A number that some target does not share costs it something; else it is right by chance. */
static void report_threads(struct context *c, struct machine_place place, int64_t value,
                           enum related_id id, uint32_t use)
{
    struct annotation *a = c->a;
    bool is_new;
    struct finding *f =
        machine_report(&c->reports, a, RULE_OCCUPANCY_SM_THREADS, place, value, id, use, &is_new);
    if (!f || !is_new)
        return;
    const struct target *shown = a->gpus->targets[0];
    f->effect = EFFECT_NONE;
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (f->effect == EFFECT_NONE && threads_of_unit(a->gpus->targets[i]) != value) {
            shown = a->gpus->targets[i];
            f->effect = EFFECT_THROUGHPUT;
        }
    finding_add_arg(f, shown->name);
    finding_add_number(f, threads_of_unit(shown));
}

/* The file's own name NODE, if it counts something of a multiprocessor; whether it does. PART as
   above; IN_GRID: it sizes one. */
static bool examine_name(struct context *c, const struct node *node, unsigned part, bool in_grid)
{
    const struct symbol *name = tree_symbol(c->a->unit, node);
    unsigned topics = name ? machine_topics(name->text) : 0;
    enum related_id id = in_grid ? RELATED_LAUNCHED : RELATED_USED;
    uint32_t use = in_grid ? c->site->token : node->token;
    int64_t value;
    struct machine_place place;
    if (!(topics & TOPIC_SM || (part & PART_OF_SMS && topics & TOPIC_BLOCKS)) ||
        !machine_number(c->a, node, &value, &place) || place.range.begin == node->tokens.begin)
        return false;
    if (topics & TOPIC_THREADS && is_thread_count(value)) {
        report_threads(c, place, value, id, use);
        return true;
    }
    if (topics & TOPIC_BLOCKS && !(topics & TOPIC_THREADS) && in_grid && 1 < value && value <= 32) {
        bool is_new;
        machine_report(&c->reports, c->a, RULE_OCCUPANCY_SM_BLOCKS, place, value, id, use, &is_new);
        return true;
    }
    if (topics & (TOPIC_THREADS | TOPIC_BLOCKS | TOPIC_REGISTER | TOPIC_SHARED) ||
        !is_sm_count(value) || !(in_grid || topics & TOPIC_COUNT))
        return false;
    report_count(c, place, value, id, use);
    return true;
}

/* Whether the kernel at INDEX fetches its work: keeps what atomicAdd() answers, in a loop. */
static bool fetches_work(struct context *c, size_t index)
{
    code_each_in (call, &c->code->calls, index) {
        if (!call->name || strcmp(call->name->text, "atomicAdd"))
            continue;
        const struct node *around = code_parent(c->code, call->node);
        bool kept = around && (around->kind == NODE_INITIALIZER || around->kind == NODE_ASSIGN);
        for (const struct node *at = around; kept && at; at = code_parent(c->code, at))
            if (at->kind == NODE_FOR || at->kind == NODE_WHILE || at->kind == NODE_DO)
                return true;
    }
    return false;
}

/* Whether the kernel takes what there is to do from a grid of any size, which is 1-D: it goes over
   its data by gridDim, or fetches its work. */
static bool takes_any_grid(struct context *c)
{
    const struct unit *unit = c->a->unit;
    const struct symbol *grid = symbol_find(unit->symbols, "gridDim");
    enum { MOST_LOOKS = 64 };
    if (c->site->function == NO_INDEX || MOST_LOOKS < c->looks++)
        return false;
    for (int d = 1; d < 3; ++d)
        if (!constant_single(&c->site->grid[d].value) || c->site->grid[d].value.values[0] != 1)
            return false;
    struct range body = unit->functions.items[c->site->function].body;
    bool loops = false;
    if (fetches_work(c, c->site->function))
        return true;
    vec_each (const struct code_node, loop, &c->code->loops)
        loops |= loop->function == c->site->function;
    for (uint32_t i = body.begin; grid && loops && i < body.end; ++i)
        if (unit_token(unit, i)->symbol == grid)
            return true;
    return false;
}

static void examine_number(struct context *c, const struct node *node, unsigned part, bool alone)
{
    static const int64_t counts[] = {80, 84, 108, 132, 144, 148};
    static const int64_t odd_counts[] = {108, 132, 148}; /* that hardly stand for something else */
    int64_t value;
    struct machine_place place;
    if (!machine_number(c->a, node, &value, &place) || !(part & PART_FACTOR))
        return;
    if (part & PART_OF_SMS && (value == 1536 || value == 2048)) {
        report_threads(c, place, value, RELATED_LAUNCHED, c->site->token);
        return;
    }
    bool is_count = false, is_odd = false;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        is_count |= value == counts[i];
    for (size_t i = 0; i < sizeof odd_counts / sizeof *odd_counts; ++i)
        is_odd |= value == odd_counts[i];
    if (is_count && ((is_odd && !alone) || takes_any_grid(c)))
        report_count(c, place, value, RELATED_LAUNCHED, c->site->token);
}

static void examine(struct context *c, const struct node *node, unsigned part, bool alone,
                    unsigned depth);

/* The values that DECLARATOR gives its name. */
static void examine_declarator(struct context *c, const struct node *declarator, unsigned part,
                               bool alone, unsigned depth)
{
    for (const struct node *kid = declarator->kids; kid; kid = kid->next)
        if (kid->kind == NODE_INITIALIZER)
            tree_each (value, kid)
                examine(c, value, part, alone, depth);
}

/* What defines the name NODE. */
static void follow(struct context *c, const struct node *node, unsigned part, bool alone,
                   unsigned depth)
{
    struct model *model = c->code->model;
    const struct unit *unit = c->a->unit;
    const struct symbol *name = tree_symbol(unit, node);
    size_t function = model_function_at(model, node->token);
    struct reaching reaching;
    if (!name)
        return;
    if (function != NO_INDEX &&
        flow_reaching(model, function, name, NULL, 0, node->token, &reaching, NULL)) {
        for (unsigned i = 0; i < reaching.count; ++i) {
            const struct definition *d = reaching.items[i];
            if (d->kind == DEFINITION_DECLARED)
                examine_declarator(c, d->node, part, alone, depth);
            else if (d->kind == DEFINITION_ASSIGNED && !d->loop && d->node->kids->next)
                examine(c, d->node->kids->next, part, alone, depth);
        }
        return;
    }
    struct name_meaning meaning = model_lookup(model, name, node->token);
    if (meaning.kind == NAME_VARIABLE && meaning.declarator)
        examine_declarator(c, meaning.declarator, part, alone, depth);
    if (meaning.kind != NAME_MACRO || meaning.token == NO_TOKEN)
        return;
    const struct directive *macro = unit_directive_at(unit, meaning.token);
    if (!macro->function_like && macro->body.begin < macro->body.end) {
        const struct node *tree = tree_expression(&model->trees, macro->body);
        if (tree)
            examine(c, tree, part, alone, depth);
    }
}

static bool is_seen(struct context *c, const void *what)
{
    vec_each (const void *, seen, &c->seen)
        if (*seen == what)
            return true;
    *vec_push(&c->seen) = what;
    return false;
}

/* A product, with what is known of it as a whole. */
static void examine_product(struct context *c, const struct node *node, unsigned part,
                            unsigned depth)
{
    const struct node *left = node->kids, *right = left->next;
    unsigned of_left = machine_topics_of(c->a->unit, right) & TOPIC_SM ? PART_OF_SMS : 0;
    unsigned of_right = machine_topics_of(c->a->unit, left) & TOPIC_SM ? PART_OF_SMS : 0;
    examine(c, left, part | of_left, false, depth);
    examine(c, right, part | of_right, false, depth);
}

/* 2048 / block: the blocks of a multiprocessor, where that is a factor of the grid with the number
   of these, or its name says so. */
static void examine_quotient(struct context *c, const struct node *node, unsigned part,
                             unsigned depth)
{
    const struct node *dividend = node->kids;
    int64_t value;
    struct machine_place place;
    if (part & PART_OF_SMS && dividend->kind == NODE_NUMBER &&
        machine_number(c->a, dividend, &value, &place) && is_thread_count(value))
        report_threads(c, place, value, RELATED_LAUNCHED, c->site->token);
    examine(c, dividend, part & PART_OF_SMS, false, depth);
    examine(c, dividend->next, 0, false, depth);
}

/* The names and numbers of NODE, part of the size of a grid. ALONE: nothing else is. */
static void examine(struct context *c, const struct node *node, unsigned part, bool alone,
                    unsigned depth)
{
    enum { DEEPEST = 16, MOST = 200 };
    if (DEEPEST < depth || MOST < c->seen.count || is_seen(c, node))
        return;
    switch ((enum node_kind)node->kind) {
    case NODE_NUMBER:
        examine_number(c, node, part, alone);
        return;
    case NODE_NAME: {
        const struct symbol *name = tree_symbol(c->a->unit, node);
        unsigned topics = name ? machine_topics(name->text) : 0;
        if (examine_name(c, node, part, true) || counts_sms(name))
            return;
        /* Blocks "per SM" are a factor of these, whatever they are multiplied with. */
        if (topics & TOPIC_SM && topics & TOPIC_BLOCKS)
            part |= PART_OF_SMS;
        follow(c, node, part, alone, depth + 1);
        return;
    }
    case NODE_BINARY:
        if (node->op == TOK_STAR && node->kids && node->kids->next) {
            examine_product(c, node, part, depth + 1);
            return;
        }
        if (node->op == TOK_SLASH && node->kids && node->kids->next) {
            examine_quotient(c, node, part, depth + 1);
            return;
        }
        part = 0;
        break;
    case NODE_CALL: {
        /* min and max choose one of their arguments. */
        const struct symbol *name =
            node->kids->kind == NODE_NAME ? tree_symbol(c->a->unit, node->kids) : NULL;
        if (name && !strcmp(name->text, "dim3"))
            break;
        if (!name || (strcmp(name->text, "min") && strcmp(name->text, "max")))
            part = 0;
        alone = false;
        break;
    }
    case NODE_CHOICE:
        alone = false;
        break;
    case NODE_CAST:
    case NODE_CONSTRUCT:
    case NODE_LIST:
        break;
    default:
        part = 0;
    }
    tree_each (kid, node)
        examine(c, kid, part, alone, depth + 1);
}

/* Names that say what they count, wherever they are used: the grid may be sized in another file. */
static void examine_uses(struct context *c)
{
    vec_each (const struct code_node, use, &c->code->names)
        if (use->name && use->name->flags & SYMBOL_MACHINE &&
            token_region(unit_token(c->a->unit, use->node->token)) != REGION_CUDA)
            examine_name(c, use->node, 0, false);
}

/* The number that the name at token I is given, num_sms = 132 or {132}, by itself; NO_TOKEN. */
static uint32_t number_given(const struct unit *unit, uint32_t i)
{
    enum token_kind before = unit_kind(unit, i + 1);
    if ((before != TOK_ASSIGN && before != TOK_LBRACE) || unit_kind(unit, i + 2) != TOK_NUMBER)
        return NO_TOKEN;
    switch (unit_kind(unit, i + 3)) {
    case TOK_SEMICOLON:
    case TOK_COMMA:
    case TOK_RPAREN:
    case TOK_RBRACE:
    case TOK_GREATER:
        return i + 2;
    default:
        return NO_TOKEN;
    }
}

/* Whether the file gives NAME something else as well, what the device answers, say: then a number
   is only where it begins. */
static bool is_given_more(const struct unit *unit, const struct symbol *name)
{
    for (uint32_t i = 1; unit_kind(unit, i) != TOK_EOF; ++i)
        if (unit_token(unit, i)->symbol == name &&
            (unit_kind(unit, i - 1) == TOK_AMP ||
             (unit_kind(unit, i + 1) == TOK_ASSIGN && number_given(unit, i) == NO_TOKEN)))
            return true;
    return false;
}

/* Variables, members and parameters that are given such a number, used or not. */
static void examine_given(struct context *c)
{
    enum { MOST = 32 }; /* names that are looked for in all of the file */
    const struct unit *unit = c->a->unit;
    unsigned count = 0;
    for (uint32_t i = 0; count < MOST && unit_kind(unit, i) != TOK_EOF; ++i) {
        const struct symbol *name = unit_token(unit, i)->symbol;
        uint32_t number = name ? number_given(unit, i) : NO_TOKEN;
        struct constant value;
        if (number == NO_TOKEN || !token_is_code(unit_token(unit, i)) || !counts_sms(name) ||
            !constant_of_range(c->code->model, (struct range){number, number + 1}, &value) ||
            !constant_single(&value) || !is_sm_count(value.values[0]))
            continue;
        ++count;
        if (!is_given_more(unit, name))
            report_count(c, (struct machine_place){.range = {i, i + 1}}, value.values[0],
                         RELATED_USED, i);
    }
}

void rule_sm_count(struct annotation *a)
{
    const struct unit *unit = a->unit;
    bool launches = unit->launches.count || symbol_find(unit->symbols, "hipLaunchKernelGGL") ||
                    symbol_find(unit->symbols, "cudaLaunchCooperativeKernel") ||
                    symbol_find(unit->symbols, "hipLaunchCooperativeKernel") ||
                    symbol_find(unit->symbols, "cudaLaunchKernel");
    bool speaks = machine_mark(unit) & TOPIC_SM;
    if (!launches && !speaks)
        return;
    struct context c = {.a = a, .code = annotation_code(a)};
    size_t count;
    const struct launch_site *sites = model_launches(c.code->model, &count);
    for (size_t i = 0; i < count; ++i) {
        if (token_region(unit_token(unit, sites[i].token)) == REGION_CUDA)
            continue;
        c.site = &sites[i];
        c.seen.count = 0;
        for (int d = 0; d < 3; ++d)
            if (sites[i].grid[d].expression)
                examine(&c, sites[i].grid[d].expression, PART_FACTOR, true, 0);
    }
    if (speaks) {
        examine_uses(&c);
        examine_given(&c);
    }
    vec_release(&c.seen);
    vec_release(&c.reports.list);
}
