/* lds-bank-conflict: see its page in annotate/pages/; lds_padding.c has the rules about paddings.
 */
#include <config.h>

#include "annotate/rules/shared_array_p.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/gpu/occupancy.h"
#include "annotate/model/flow.h"

enum {
    MAX_SAMPLES = 4, /* iterations of a loop that are looked at */
    CONDITION_DEPTH = 16,
    WIDEST_ACCESS = 16, /* bytes of an instruction */
    WIDEST_SWEEP = 128, /* that a thread goes over in a loop that compilers unroll */
};

/* The worst of an array's uses on a target. */
struct worst {
    const struct use *use;
    struct lds_sum sum;
    unsigned degree; /* cycles by ideal, rounded */
};

/* Whether each thread touches with NEXT what lies BYTES behind what it touches with USE, in the
   same way and in the same run of statements (or the same loop). */
static bool goes_on(const struct code *code, const struct use *use, const struct use *next,
                    int64_t bytes)
{
    if (use->write != next->write || use->bytes != next->bytes || use->step != next->step ||
        use->threads != next->threads ||
        code_parent(code, code_statement(code, use->node)) !=
            code_parent(code, code_statement(code, next->node)))
        return false;
    for (size_t i = 0; i < use->threads; ++i) {
        int64_t at = use->address[i];
        if (next->address[i] != (at == LDS_INACTIVE ? at : at + bytes))
            return false;
    }
    return true;
}

static bool is_aligned(const struct use *use, unsigned bytes)
{
    if (use->step % bytes)
        return false;
    for (size_t i = 0; i < use->threads; ++i)
        if (use->address[i] != LDS_INACTIVE && use->address[i] % bytes)
            return false;
    return true;
}

/* Of neighbours that are touched one after the other, such as the members of a float4, compilers
   make one instruction for 8, 12 or 16 bytes (which words need not be aligned for): sets *RES to
   what it costs where USE is such a one. */
static bool merged_cost(const struct target *target, const struct code *code,
                        const struct array *array, const struct use *use, struct lds_sum *res)
{
    for (unsigned bytes = 16; use->bytes < bytes; bytes -= 4) {
        for (unsigned before = 0; bytes % use->bytes == 0 && before < bytes; before += use->bytes) {
            const struct use *first = NULL;
            unsigned found = 0;
            for (unsigned at = 0; at < bytes; at += use->bytes) {
                vec_each (const struct use, other, &array->uses)
                    if (goes_on(code, use, other, (int64_t)at - (int64_t)before)) {
                        first = at == 0 ? other : first;
                        ++found;
                        break;
                    }
            }
            if (found * use->bytes < bytes || (use->bytes < 4 && !is_aligned(first, bytes)))
                continue;
            struct use whole = *first;
            whole.bytes = bytes;
            *res = shared_cost(target, &whole);
            return true;
        }
    }
    return false;
}

/* The bytes between what two threads next to each other touch with USE; 0: not always as many. */
static int64_t stride_of(const struct use *use)
{
    int64_t res = 0;
    for (size_t i = 1; i < use->threads; ++i)
        if (use->address[i] != LDS_INACTIVE && use->address[i - 1] != LDS_INACTIVE) {
            int64_t step = use->address[i] - use->address[i - 1];
            if (res && step != res)
                return 0;
            res = step;
        }
    return res;
}

/* Whether START of a loop is a declaration of a variable with 0. */
static bool starts_at_0(const struct code *code, const struct node *start)
{
    struct constant value;
    const struct node *variable = start->kind == NODE_DECLARATION ? tree_kid(start, 1) : NULL;
    const struct node *initializer = variable ? variable->kids : NULL;
    return initializer && initializer->kind == NODE_INITIALIZER && initializer->kids &&
           constant_of(code->model, initializer->kids, &value) && constant_single(&value) &&
           value.values[0] == 0;
}

/* Whether the loop around USE goes step by step over the PIECE bytes that each thread has for
   itself, and gets unrolled: so many elements lie between two threads as it has steps. Of a short
   piece nobody need know how many steps there are. */
static bool sweeps_piece(const struct code *code, const struct use *use, int64_t piece)
{
    if (piece <= use->bytes || WIDEST_SWEEP < piece)
        return false;
    for (const struct node *at = use->node; at; at = code_parent(code, at)) {
        if (at->kind != NODE_FOR)
            continue;
        const struct node *condition = tree_kid(at, 1);
        struct constant end;
        if (!condition || condition->kind != NODE_BINARY || condition->op != TOK_LESS)
            return false;
        if (!constant_of(code->model, condition->kids->next, &end))
            return piece <= WIDEST_ACCESS && starts_at_0(code, at->kids);
        for (unsigned i = 0; i < end.count; ++i)
            if (end.values[i] * (int64_t)use->bytes == piece)
                return true;
        return false;
    }
    return false;
}

/* Of a piece that a thread goes over compilers make accesses of up to 16 bytes: sets *RES to what
   one of them costs where USE is such a one; nothing for a piece that is one access. */
static bool swept_cost(struct context *c, const struct target *target, const struct use *use,
                       struct lds_sum *res)
{
    int64_t piece = stride_of(use);
    if (!sweeps_piece(c->code, use, piece) ||
        (WIDEST_ACCESS < piece && (piece | (int64_t)use->step) % WIDEST_ACCESS))
        return false;
    *res = (struct lds_sum){0};
    if (piece <= WIDEST_ACCESS)
        return true;
    struct use whole = *use;
    whole.bytes = WIDEST_ACCESS;
    whole.address = arena_alloc(&c->arena, use->threads * sizeof *whole.address);
    for (size_t i = 0; i < use->threads; ++i) {
        int64_t at = use->address[i];
        whole.address[i] = at == LDS_INACTIVE ? at : at - at % WIDEST_ACCESS;
    }
    *res = shared_cost(target, &whole);
    return true;
}

/* What USE of ARRAY costs on TARGET, as compilers make it. */
static struct lds_sum cost_of(struct context *c, const struct target *target,
                              const struct array *array, const struct use *use)
{
    struct lds_sum res = shared_cost(target, use), merged;
    if (shared_worth_a_note(target) <= shared_degree(&res) &&
        (swept_cost(c, target, use, &merged) || merged_cost(target, c->code, array, use, &merged)))
        return merged;
    return res;
}

static struct worst worst_use(struct context *c, const struct target *target,
                              const struct array *array)
{
    struct worst res = {0};
    vec_each (const struct use, use, &array->uses) {
        struct lds_sum sum = cost_of(c, target, array, use);
        /* cycles / ideal, compared without division */
        if (!res.use || sum.cycles * res.sum.ideal > res.sum.cycles * sum.ideal)
            res = (struct worst){use, sum, shared_degree(&sum)};
    }
    return res;
}

/* Which accesses there are. */

static bool is_written(const struct code *code, const struct node *node)
{
    const struct node *parent = code_parent(code, node);
    return parent && parent->kids == node &&
           (parent->kind == NODE_ASSIGN || parent->kind == NODE_POSTFIX ||
            (parent->kind == NODE_UNARY &&
             (parent->op == TOK_PLUS_PLUS || parent->op == TOK_MINUS_MINUS)));
}

static struct array *array_of(struct context *c, const struct shared_object *object,
                              size_t function, const unsigned block[3], bool assumed)
{
    vec_each (struct array, array, &c->arrays)
        if (array->object == object && array->function == function &&
            !memcmp(array->block, block, sizeof array->block))
            return array;
    struct array *res = vec_push(&c->arrays);
    *res = (struct array){.object = object, .function = function, .assumed = assumed};
    memcpy(res->block, block, sizeof res->block);
    return res;
}

/* Whether NODE names a variable that changes in the function: in steps of a tree, say. */
static bool names_changing(const struct context *c, const struct code_node *place,
                           const struct node *node, unsigned depth)
{
    if (node->kind == NODE_NAME) {
        struct reaching definitions;
        const struct symbol *name = tree_symbol(c->a->unit, node);
        if (!name || !flow_reaching(c->code->model, place->function, name, NULL, 0, node->token,
                                    &definitions, NULL))
            return false;
        return definitions.known &&
               (1 < definitions.count ||
                (definitions.count == 1 && definitions.items[0]->kind == DEFINITION_UPDATED));
    }
    if (CONDITION_DEPTH < depth)
        return false;
    tree_each (kid, node)
        if (names_changing(c, place, kid, depth + 1))
            return true;
    return false;
}

/* Whether few lanes may get to PLACE, not most, as where an index is tested against a size: behind
   a test that nobody can decide for equality, or of what changes. */
static bool is_for_few(const struct context *c, struct lane_machine *machine,
                       const struct code_node *place)
{
    for (const struct node *at = place->node, *around; (around = code_parent(c->code, at));
         at = around) {
        const struct node *condition = around->kids;
        if ((around->kind == NODE_IF || around->kind == NODE_CHOICE) && condition != at &&
            condition->kind == NODE_BINARY &&
            lane_evaluate(machine, condition).state == LANES_UNKNOWN &&
            (condition->op == TOK_EQUAL || names_changing(c, place, condition, 0)))
            return true;
    }
    return false;
}

/* Whether a thread would touch with ACCESS what lies behind its object. */
static bool is_outside(const struct lane_machine *machine, const struct lane_access *access)
{
    uint64_t size = access->object->type->size;
    if (access->object->dynamic || size == 0)
        return false;
    for (unsigned i = 0; i < machine->threads; ++i) {
        int64_t at = lanes_at(&access->address, i);
        if (0 <= at && (size < access->bytes || size - access->bytes < (uint64_t)at))
            return true;
    }
    return false;
}

/* Where nobody knows which threads get to NODE: those that the conditions around it, as far as they
   are known, let through. */
static void mask_of_conditions(const struct context *c, struct lane_machine *machine,
                               const struct node *node, uint64_t *mask)
{
    memset(mask, 0xff, LANES_MAX / 8);
    for (const struct node *at = node, *around; (around = code_parent(c->code, at)); at = around) {
        if (around->kind != NODE_IF || at != tree_kid(around, 1))
            continue;
        struct lanes condition = lane_evaluate(machine, around->kids);
        if (condition.state != LANES_KNOWN)
            continue;
        for (unsigned i = 0; i < machine->threads; ++i)
            if (!lanes_at(&condition, i))
                mask[i / 64] &= ~((uint64_t)1 << i % 64);
    }
}

/* Adds the access NODE as MACHINE has it; whether it is known. */
static bool add_use(struct context *c, const struct code_node *place, struct lane_machine *machine,
                    bool assumed)
{
    struct lane_access access;
    if (!lane_shared_access(machine, place->node, &access) || !lds_is_width(access.bytes))
        return false;
    uint64_t mask[LANES_MAX / 64];
    enum lanes_reach reach = lane_reach(machine, place->node, mask);
    bool some = reach != REACH_UNIFORM;
    if (reach == REACH_UNKNOWN && is_for_few(c, machine, place))
        return false;
    if (reach == REACH_UNKNOWN)
        mask_of_conditions(c, machine, place->node, mask);
    if (assumed && is_outside(machine, &access))
        return false; /* the block is another one */
    struct array *array = array_of(c, access.object, place->function, machine->block, assumed);
    if (MAX_USES <= array->uses.count)
        return true;
    int64_t *address = arena_alloc(&c->arena, machine->threads * sizeof *address);
    for (unsigned i = 0; i < machine->threads; ++i)
        address[i] =
            some && !(mask[i / 64] >> i % 64 & 1) ? LDS_INACTIVE : lanes_at(&access.address, i);
    *vec_push(&array->uses) = (struct use){
        .node = place->node,
        .address = address,
        .threads = machine->threads,
        .step = access.address.state == LANES_SHIFTED ? access.address.step : 0,
        .bytes = access.bytes,
        .write = is_written(c->code, place->node),
    };
    return true;
}

/* Whether the body of F names threadIdx.y. */
static bool names_thread_y(const struct unit *unit, const struct function *f)
{
    const struct symbol *index = symbol_find(unit->symbols, "threadIdx");
    const struct symbol *y = symbol_find(unit->symbols, "y");
    const struct symbol *hip = symbol_find(unit->symbols, "hipThreadIdx_y");
    for (uint32_t i = f->body.begin; (hip || (index && y)) && i + 2 < f->body.end; ++i) {
        const struct symbol *name = unit_token(unit, i)->symbol;
        if (name && (name == hip || (name == index && unit_token(unit, i + 2)->symbol == y)))
            return true;
    }
    return false;
}

/* The blocks that the function runs with; else what its use of threadIdx suggests. */
static void find_blocks(struct context *c, size_t function, struct launch_blocks *res,
                        bool *assumed)
{
    *assumed = false;
    if (model_blocks(c->code->model, function, res) && res->count)
        return;
    if (res->count)
        return; /* some of them are known */
    *assumed = true;
    if (c->asked != function)
        c->second = names_thread_y(c->a->unit, &c->a->unit->functions.items[function]);
    c->asked = function;
    *res = (struct launch_blocks){.count = 1};
    memcpy(res->block[0], c->second ? (unsigned[]){32, 8, 1} : (unsigned[]){256, 1, 1},
           sizeof res->block[0]);
}

static void collect(struct context *c, const struct code_node *place)
{
    struct launch_blocks blocks;
    bool assumed;
    find_blocks(c, place->function, &blocks, &assumed);
    /* The largest tells most; the others seldom more. */
    unsigned best = 0, most = 0;
    for (unsigned i = 0; i < blocks.count; ++i) {
        unsigned threads = blocks.block[i][0] * blocks.block[i][1] * blocks.block[i][2];
        if (most < threads && threads <= LANES_MAX) {
            most = threads;
            best = i;
        }
    }
    unsigned wave = target_wave(c->a->gpus->targets[0]);
    for (unsigned sample = 0; sample <= MAX_SAMPLES; ++sample) {
        struct lane_machine *machine =
            annotation_machine(c->a, place->function, blocks.block[best], wave, sample);
        if (!machine)
            return;
        bool known = add_use(c, place, machine, assumed);
        if (sample == 0 && known)
            return; /* the same in all iterations */
    }
}

/* A place is an access where nothing around it goes on to a part of it. */
static bool is_whole_access(const struct code *code, const struct node *node)
{
    const struct node *parent = code_parent(code, node);
    if (!parent)
        return true;
    if ((parent->kind == NODE_INDEX || parent->kind == NODE_MEMBER) && parent->kids == node)
        return false;
    return !(parent->kind == NODE_UNARY && parent->op == TOK_AMP);
}

/* What to say. */

/* Adds what a pad would do on TARGET: its elements, and the workgroups that it costs. */
static void add_pad(struct context *c, struct finding *f, const struct target *target,
                    const struct array *array, const struct lds_fix *fix)
{
    finding_add_figure(f, target->name, FIGURE_PAD, fix->layout.pad);
    struct occupancy_request request = {.block = shared_threads(array),
                                        .lds = (unsigned)shared_bytes(c, array->function)};
    struct occupancy before, after;
    if (occupancy_add_lds(target, &request, fix->more_bytes, &before, &after) != OCCUPANCY_OK ||
        before.groups == after.groups)
        return;
    finding_add_figure(f, target->name, FIGURE_WORKGROUPS_PER_CU, before.groups);
    finding_add_figure(f, target->name, FIGURE_WORKGROUPS_PADDED, after.groups);
}

static void add_cost(struct finding *f, const struct target *target, const struct lds_sum *sum)
{
    finding_add_figure(f, target->name, FIGURE_CYCLES, (long long)sum->cycles);
    finding_add_figure(f, target->name, FIGURE_IDEAL_CYCLES, (long long)sum->ideal);
    finding_add_figure(f, target->name, FIGURE_WAY, sum->worst_way);
}

/* The edit for a pad of FIX's elements. */
static void add_pad_edit(struct context *c, struct finding *f, const struct array *array,
                         const struct lds_fix *fix)
{
    const struct node *dimension = shared_last_dimension(array->object->declarator);
    if (!dimension || !fix->found || !fix->free || fix->layout.pad == 0)
        return;
    struct span span = unit_span(c->a->unit, dimension->tokens);
    finding_add_edit(f, FIX_UNSAFE, (struct span){span.end, span.end},
                     arena_printf(c->a->arena, " + %u", fix->layout.pad));
}

/* The pad that frees all uses of ARRAY on TARGET. */
static struct lds_fix find_pad(struct context *c, const struct target *target,
                               const struct array *array)
{
    struct lds_array shape;
    struct lds_use uses[MAX_USES];
    size_t count;
    if (!shared_describe(c, array, &shape, uses, &count))
        return (struct lds_fix){0};
    return lds_find_pad((enum lds_model)target->banks, target_wave(target), &shape, uses, count,
                        MAX_PAD);
}

static bool report_conflict(struct context *c, const struct array *array)
{
    struct annotation *a = c->a;
    target_set bad = 0;
    const struct target *shown = NULL;
    struct worst worst = {0};
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        const struct target *target = a->gpus->targets[i];
        struct worst on = worst_use(c, target, array);
        if (on.degree < shared_worth_a_note(target))
            continue;
        bad |= (target_set)1 << i;
        if (!shown) {
            shown = target;
            worst = on;
        }
    }
    if (!shown)
        return false;
    struct finding *f = annotation_add(a, RULE_LDS_BANK_CONFLICT, worst.use->node->tokens);
    f->targets = bad;
    if (worst.degree < 2 * shared_worth_a_note(shown))
        f->effect = EFFECT_NONE;
    finding_add_number(f, worst.sum.worst_way);
    finding_add_arg(f, shown->name);
    finding_add_number(f, (long long)worst.sum.cycles);
    finding_add_number(f, (long long)worst.sum.ideal);
    finding_add_arg(
        f, arena_printf(a->arena, "%ux%ux%u", array->block[0], array->block[1], array->block[2]));
    struct lds_sum before = cost_of(c, a->gpus->from, array, worst.use);
    add_cost(f, a->gpus->from, &before);
    struct lds_fix fix = {0};
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        if (!(bad >> i & 1))
            continue;
        struct lds_sum sum = cost_of(c, a->gpus->targets[i], array, worst.use);
        add_cost(f, a->gpus->targets[i], &sum);
        struct lds_fix found = find_pad(c, a->gpus->targets[i], array);
        if (found.found && found.free && found.layout.pad) {
            add_pad(c, f, a->gpus->targets[i], array, &found);
            if (fix.layout.pad < found.layout.pad)
                fix = found;
        }
    }
    if (array->assumed)
        finding_add_related(f, RELATED_BLOCK_ASSUMED, unit_span(a->unit, worst.use->node->tokens),
                            NULL);
    finding_add_related(f, RELATED_DECLARED, unit_span(a->unit, array->object->declarator->tokens),
                        tree_symbol(a->unit, array->object->declarator)->text);
    add_pad_edit(c, f, array, &fix);
    return true;
}

/* Says what is to be said of the arrays of the function whose places were read, and drops them. */
static void report_arrays(struct context *c)
{
    struct annotation *a = c->a;
    vec_each (struct array, array, &c->arrays) {
        size_t before = a->findings->list.count;
        if (!report_conflict(c, array))
            shared_report_padding(c, array);
        for (; before < a->findings->list.count && array->object->function != NO_INDEX; ++before)
            annotation_add_launches(a, &a->findings->list.items[before], array->object->function);
    }
    vec_each (struct array, array, &c->arrays)
        vec_release(&array->uses);
    vec_release(&c->arrays);
    arena_release(&c->arena);
}

void rule_bank_conflict(struct annotation *a)
{
    if (!symbol_find(a->unit->symbols, "__shared__"))
        return;
    struct context c = {.a = a, .code = annotation_code(a), .asked = NO_INDEX};
    size_t objects;
    model_shared_objects(c.code->model, &objects);
    if (!objects)
        return;
    size_t function = NO_INDEX;
    vec_each (const struct code_node, place, &c.code->places) {
        if (place->function != function)
            report_arrays(&c);
        function = place->function;
        if (place->device && is_whole_access(c.code, place->node) &&
            token_region(unit_token(a->unit, place->node->tokens.begin)) != REGION_CUDA)
            collect(&c, place);
    }
    report_arrays(&c);
}
