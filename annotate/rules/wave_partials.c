/* wave-partials-mixed, wave-partials-index, wave-partials-overflow, wave-partials-unwritten,
   wave-partials-unread

   Finds: what a block keeps for each of its warps, or for each lane of one, counted in two ways:
   numbers of partial results in warps of 32 where waves of warpSize wrote them; places that one
   thread of each warp fills, when the thread and the place follow different widths; arrays that one
   width goes beyond and the other does not; elements that are read, and are written on waves of one
   width only, or the reverse. Why: with 64 lanes a block has half as many waves, and twice as many
   lanes in each.

   Before: if (tid % warpSize == 0) part[tid / 32] = sum;
   After:  if (tid % warpSize == 0) part[tid / warpSize] = sum;

   All but the first is found by playing the function on waves of 32 and of 64 lanes: whatever is
   the same on both, or is wrong on both, stays silent.

   Fix: unsafe: a division by warpSize, where all that goes with it can follow; an array of the size
   that is needed. Silent: functions
   that count by 32 throughout, or by warpSize throughout; what is not known.  */
#include <config.h>

#include "annotate/width.h"

#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"

enum {
    MOST_ELEMENTS = 2048, /* of an array that is looked at */
    MOST_ACCESSES = 32,   /* to it */
    MOST_ARRAYS = 8,      /* of a function */
    ITERATIONS = 40,      /* of a loop: one more than the largest that is played to its end */
    MOST_RUNS = 4000,     /* of functions in a file */
    MAX_RELATED = 8,
    MAX_PLACES = 16, /* of warps that are told of a function */
};

static const unsigned waves[] = {32, 64};

/* What the threads of a block touch with an access. */
struct touched {
    bool known;     /* where, in all iterations */
    bool sure;      /* and by which threads; else more of them may be counted than do */
    bool beyond;    /* some of it lies beyond the array */
    int64_t end;    /* bytes: so far it goes */
    uint64_t trace; /* of the last iteration: it was the last one if the next has the same */
    uint64_t elements[MOST_ELEMENTS / 64];
};

/* An access to an array in shared memory. */
struct access {
    const struct code_node *place;
    bool reads, writes;
    bool repeats;         /* it stands in a loop */
    struct touched on[2]; /* waves of 32 lanes, of 64 */
};

struct array {
    const struct shared_object *object;
    uint64_t element; /* bytes of one, the innermost */
    size_t function;
    unsigned count;
    struct access *accesses;
};

struct context {
    struct annotation *a;
    const struct code *code;
    struct widths *widths;
    size_t placed;   /* the function in which places of warps were found last, + 1 */
    size_t found;    /* the finding about them */
    unsigned places; /* that it is about */
    unsigned runs;   /* of functions that were played */
};

/* Whether the function at INDEX does something else on waves of another width. */
static bool knows_width(const struct context *c, size_t index)
{
    const struct width_function *fn = &c->widths->functions[index];
    return (fn->names_size || fn->takes_lane) &&
           function_on_device(&c->a->unit->functions.items[index]);
}

/* Counts of partial results. */

static void examine_count(struct context *c, struct width_use *use)
{
    if (!use->width || !width_applies(c->a, use->node->token, use->width) ||
        !width_counts_otherwise(c->a, use))
        return;
    struct finding *f = width_add(c->a, RULE_WAVE_PARTIALS_MIXED, use->node->tokens, use->width);
    width_add_follower(c->a, f, use->function);
    if (use->constant->kind == NODE_NUMBER && use->node->op == TOK_SLASH)
        finding_add_edit(f, width_safety(c->a, use->function),
                         unit_span(c->a->unit, use->constant->tokens), "warpSize");
    c->widths->functions[use->function].mixes = true;
}

/* Places that one thread of each warp uses. */

/* The values of an index for the threads that get to it. */
struct leaders {
    unsigned count;
    bool one_of_each; /* of the warps, just one thread each */
    bool dense;       /* their values go up by one */
};

static bool find_leaders(struct context *c, const struct code_node *place, const unsigned block[3],
                         unsigned wave, unsigned width, struct leaders *res)
{
    struct lane_machine *machine = annotation_machine(c->a, place->function, block, wave, 0);
    uint64_t mask[LANES_MAX / 64];
    if (!machine)
        return false;
    struct lanes index = lane_evaluate(machine, place->node->kids->next);
    enum lanes_reach reach = lane_reach(machine, place->node, mask);
    if (index.state == LANES_UNKNOWN || index.object || !index.bytes || reach != REACH_KNOWN)
        return false;
    *res = (struct leaders){.one_of_each = true, .dense = true};
    int64_t first = 0;
    for (unsigned t = 0; t < machine->threads; ++t) {
        if (!(mask[t / 64] >> t % 64 & 1))
            continue;
        if (res->count == 0)
            first = lanes_at(&index, t);
        res->one_of_each &= t / width == res->count;
        res->dense &= lanes_from(&index, t, first) == (int64_t)res->count;
        ++res->count;
    }
    res->one_of_each &= res->count == (machine->threads + width - 1) / width;
    return true;
}

/* Whether one thread of each warp of WIDTH has a place of its own where waves have so many lanes,
   and places are left out or taken twice where they have others. */
static bool changes_leaders(struct context *c, const struct code_node *place, unsigned width)
{
    unsigned blocks[WIDTH_BLOCKS][3];
    bool assumed;
    unsigned count = width_blocks(c->a, place->function, 64, blocks, &assumed);
    for (unsigned i = 0; i < count; ++i) {
        struct leaders own, other;
        if (!find_leaders(c, place, blocks[i], width, width, &own) || own.count < 2 ||
            !own.one_of_each || !own.dense ||
            !find_leaders(c, place, blocks[i], width_other(width), width, &other) || other.dense)
            continue;
        return true;
    }
    return false;
}

static bool lies_in(const struct node *node, const struct node *around)
{
    return around->tokens.begin <= node->tokens.begin && node->tokens.end <= around->tokens.end;
}

/* The numbers in PLACE that are the width follow it. */
static void add_place_fix(struct context *c, struct finding *f, const struct code_node *place,
                          unsigned width)
{
    vec_each (struct width_use, use, &c->widths->uses) {
        if (use->function != place->function || use->width != width ||
            !lies_in(use->node, place->node))
            continue;
        use->reported = true;
        if (use->constant->kind == NODE_NUMBER &&
            (use->node->op == TOK_SLASH || use->node->op == TOK_PERCENT))
            finding_add_edit(f, width_safety(c->a, place->function),
                             unit_span(c->a->unit, use->constant->tokens), "warpSize");
    }
}

/* The numbers in FUNCTION that stand for WIDTH. */
static void add_hard_uses(struct context *c, struct finding *f, size_t function, unsigned width)
{
    unsigned related = 0;
    vec_each (const struct width_use, use, &c->widths->uses)
        if (use->function == function && use->width == width && !use->reported &&
            related++ < MAX_RELATED)
            finding_add_related(f, RELATED_USED, unit_span(c->a->unit, use->node->tokens), NULL);
}

/* One finding for all of a function. */
static void report_place(struct context *c, const struct code_node *place, unsigned width)
{
    struct annotation *a = c->a;
    if (c->placed == place->function + 1) {
        if (MAX_PLACES <= c->places++)
            return;
        struct finding *f = &a->findings->list.items[c->found];
        finding_add_related(f, RELATED_USED, unit_span(a->unit, place->node->tokens), NULL);
        add_place_fix(c, f, place, width);
        return;
    }
    struct finding *f = width_add(a, RULE_WAVE_PARTIALS_INDEX, place->node->tokens, width);
    c->placed = place->function + 1;
    c->found = a->findings->list.count - 1;
    c->places = 1;
    width_add_follower(c->a, f, place->function);
    add_place_fix(c, f, place, width);
    add_hard_uses(c, f, place->function, width);
    c->widths->functions[place->function].mixes = true;
}

static void examine_leaders(struct context *c, const struct code_node *place)
{
    for (unsigned w = 0; w < 2; ++w)
        if (width_applies(c->a, place->node->token, waves[w]) &&
            changes_leaders(c, place, waves[w])) {
            report_place(c, place, waves[w]);
            return;
        }
}

/* Arrays in shared memory. */

/* The name that PLACE, an index of an index of ... it, begins with, or NULL. */
static const struct node *base_of(const struct node *place)
{
    while (place->kind == NODE_INDEX)
        place = place->kids;
    return place->kind == NODE_NAME ? place : NULL;
}

/* Whether NODE is an argument that the function called may write through a reference. */
static bool is_referred(const struct context *c, const struct node *call, const struct node *node)
{
    const struct node *callee = call->kids;
    const struct symbol *name = callee->kind == NODE_NAME ? tree_symbol(c->a->unit, callee) : NULL;
    if (callee == node || !name || strstr(name->text, "swap"))
        return true;
    struct name_meaning meaning = model_lookup(c->code->model, name, callee->token);
    if (meaning.kind != NAME_FUNCTION)
        return meaning.kind != NAME_UNKNOWN && meaning.kind != NAME_TYPE;
    const struct model_function *function = model_function(c->code->model, meaning.function);
    unsigned index = 0;
    for (const struct node *at = callee->next; at && at != node; at = at->next)
        ++index;
    const struct node *parameter = index < function->param_count ? function->params[index] : NULL;
    const struct node *declarator = parameter ? parameter->kids->next : NULL;
    return !declarator || (declarator->flags & DECLARATOR_REFERENCE);
}

/* What becomes of the element that ACCESS names; false where that leads too far. */
static bool read_access(const struct context *c, struct access *access)
{
    const struct node *at = access->place->node, *parent = code_parent(c->code, at);
    while (parent && parent->kind == NODE_MEMBER) {
        at = parent;
        parent = code_parent(c->code, at);
    }
    if (!parent)
        return false;
    switch (parent->kind) {
    case NODE_ASSIGN:
        access->writes = parent->kids == at;
        access->reads = !access->writes || parent->op != TOK_ASSIGN;
        return true;
    case NODE_POSTFIX:
        access->reads = access->writes = true;
        return true;
    case NODE_UNARY: {
        const struct node *call = code_parent(c->code, parent);
        access->writes =
            parent->op == TOK_AMP || parent->op == TOK_PLUS_PLUS || parent->op == TOK_MINUS_MINUS;
        access->reads = !access->writes;
        if (parent->op != TOK_AMP)
            return true;
        const struct symbol *name = call && call->kind == NODE_CALL && call->kids->kind == NODE_NAME
                                        ? tree_symbol(c->a->unit, call->kids)
                                        : NULL;
        return name && !strncmp(name->text, "atomic", 6);
    }
    case NODE_CALL:
        access->reads = !is_referred(c, parent, at);
        access->writes = !access->reads;
        return true;
    case NODE_INITIALIZER: {
        const struct node *declarator = code_parent(c->code, parent);
        access->reads = true;
        return declarator && !(declarator->flags & DECLARATOR_REFERENCE);
    }
    case NODE_OPAQUE:
    case NODE_ASM:
    case NODE_LAMBDA:
        return false;
    default:
        access->reads = true;
        return true;
    }
}

static bool stands_in_loop(const struct code *code, const struct node *node)
{
    for (const struct node *at = node; at; at = code_parent(code, at))
        if (at->kind == NODE_FOR || at->kind == NODE_WHILE || at->kind == NODE_DO)
            return true;
    return false;
}

static bool is_object(const struct context *c, const struct node *name,
                      const struct shared_object *object)
{
    const struct node *declarator = object->declarator;
    return name && tree_symbol(c->a->unit, name) == tree_symbol(c->a->unit, declarator) &&
           model_lookup(c->code->model, tree_symbol(c->a->unit, name), name->token).declarator ==
               declarator;
}

/* Finds the accesses to ARRAY; false where it is used in other ways as well. */
static bool find_accesses(struct context *c, struct array *array)
{
    size_t names = 0;
    width_each(name, &c->code->names, array->function) names +=
        is_object(c, name->node, array->object);
    width_each(place, &c->code->places, array->function)
    {
        const struct node *around = code_parent(c->code, place->node);
        bool is_row = around && around->kind == NODE_INDEX && around->kids == place->node;
        if (place->node->kind != NODE_INDEX || is_row ||
            !is_object(c, base_of(place->node), array->object))
            continue;
        if (array->count == MOST_ACCESSES)
            return false;
        struct access *access = &array->accesses[array->count++];
        *access = (struct access){.place = place, .repeats = stands_in_loop(c->code, place->node)};
        if (!read_access(c, access))
            return false;
    }
    return names == array->count;
}

/* Whether THREAD goes beyond a dimension of the array with PLACE; TYPE becomes what is left. */
static bool is_beyond(struct lane_machine *machine, const struct node *place, unsigned thread,
                      const struct type **type)
{
    if (place->kind != NODE_INDEX)
        return false;
    bool res = is_beyond(machine, place->kids, thread, type);
    struct lanes index = lane_evaluate(machine, place->kids->next);
    if ((*type)->kind != TYPE_ARRAY)
        return res;
    if (index.state == LANES_KNOWN && (*type)->count)
        res |= (int64_t)(*type)->count <= lanes_at(&index, thread);
    *type = (*type)->element;
    return res;
}

/* Whether all lanes of each wave touch the same with an access at ADDRESS. */
static bool goes_by_wave(const struct lane_machine *machine, const struct lanes *address)
{
    for (unsigned t = 0; t < machine->threads; ++t)
        if (lanes_at(address, t) != lanes_at(address, t - t % machine->wave))
            return false;
    return true;
}

/* Adds to RES what MACHINE's threads touch with ACCESS in its iteration. */
static void touch(const struct array *array, struct lane_machine *machine,
                  const struct access *access, struct touched *res)
{
    const struct node *node = access->place->node;
    struct lane_access at;
    uint64_t mask[LANES_MAX / 64];
    if (!lane_shared_access(machine, node, &at) || at.address.state != LANES_KNOWN ||
        at.object != array->object) {
        res->known = false;
        return;
    }
    bool sure = lane_reach(machine, node, mask) != REACH_UNKNOWN;
    /* What a whole wave does, some lane of it mostly does. */
    bool counts = sure || goes_by_wave(machine, &at.address);
    uint64_t size = array->object->type->size;
    res->sure &= sure;
    res->trace = 0;
    for (unsigned t = 0; t < machine->threads; ++t) {
        if (sure && !(mask[t / 64] >> t % 64 & 1))
            continue;
        const struct type *type = array->object->type;
        int64_t begin = lanes_at(&at.address, t),
                end = begin < INT64_MAX - at.bytes ? begin + at.bytes : INT64_MAX;
        res->trace = (res->trace ^ t ^ (uint64_t)begin << 16) * 0x100000001b3;
        if (counts && res->end < end)
            res->end = end;
        res->beyond |=
            counts && (begin < 0 || (int64_t)size < end || is_beyond(machine, node, t, &type));
        for (int64_t i = begin < 0 ? 0 : begin; i < end && i < (int64_t)size;
             i += (int64_t)array->element)
            res->elements[(uint64_t)i / array->element / 64] |=
                (uint64_t)1 << ((uint64_t)i / array->element) % 64;
    }
}

/* Plays all accesses to ARRAY with blocks of BLOCK. */
static void play(struct context *c, struct array *array, const unsigned block[3])
{
    for (unsigned w = 0; w < 2; ++w) {
        for (unsigned i = 0; i < array->count; ++i)
            array->accesses[i].on[w] = (struct touched){.known = true, .sure = true};
        for (unsigned sample = 1; sample <= ITERATIONS; ++sample) {
            struct lane_machine *machine = NULL;
            for (unsigned i = 0; i < array->count; ++i) {
                struct access *access = &array->accesses[i];
                struct touched *on = &access->on[w];
                if (!on->known || (sample > 1 && !access->repeats))
                    continue;
                if (!machine && c->runs++ < MOST_RUNS)
                    machine = annotation_machine(c->a, array->function, block, waves[w], sample);
                uint64_t before = on->trace;
                on->known = machine != NULL;
                if (machine)
                    touch(array, machine, access, on);
                /* It does not end, or nobody knows where. */
                if (sample == ITERATIONS && before != on->trace)
                    on->known = false;
            }
            if (!machine)
                break;
        }
    }
}

/* The access that goes beyond ARRAY on waves of width OTHER alone (0: of 32 lanes, 1: of 64). */
static const struct access *find_overflow(const struct array *array, unsigned other)
{
    for (unsigned i = 0; i < array->count; ++i) {
        const struct touched *on = array->accesses[i].on;
        if (on[0].known && on[1].known && on[other].beyond && !on[1 - other].beyond)
            return &array->accesses[i];
    }
    return NULL;
}

/* Whether all that ACCESS touches is read (READS) or written by some access to ARRAY. */
static bool is_covered(const struct array *array, const struct access *access, unsigned w,
                       bool reads)
{
    for (unsigned e = 0; e < MOST_ELEMENTS / 64; ++e) {
        uint64_t left = access->on[w].elements[e];
        for (unsigned i = 0; i < array->count && left; ++i)
            if (reads ? array->accesses[i].reads : array->accesses[i].writes)
                left &= ~array->accesses[i].on[w].elements[e];
        if (left)
            return false;
    }
    return true;
}

static bool is_known(const struct access *access)
{
    return access->on[0].known && access->on[1].known;
}

/* Whether ACCESS reads what nobody writes, or (READS) writes what nobody reads, on waves of width
   OTHER alone. */
static bool is_in_vain(const struct array *array, const struct access *access, unsigned other,
                       bool reads)
{
    return (reads ? access->writes : access->reads) && is_known(access) && access->on[0].sure &&
           access->on[1].sure && is_covered(array, access, 1 - other, reads) &&
           !is_covered(array, access, other, reads);
}

/* The first such access. All that may read or write the same have to be known. */
static const struct access *find_in_vain(const struct array *array, unsigned other, bool reads)
{
    bool some = false;
    for (unsigned i = 0; i < array->count; ++i) {
        const struct access *access = &array->accesses[i];
        if (reads ? !access->reads : !access->writes)
            continue;
        some = true;
        if (!is_known(access))
            return NULL;
    }
    for (unsigned i = 0; some && i < array->count; ++i)
        if (is_in_vain(array, &array->accesses[i], other, reads))
            return &array->accesses[i];
    return NULL;
}

/* An array whose size is a number becomes large enough for what goes beyond it on waves of width
   OTHER. */
static void add_size_fix(struct context *c, struct finding *f, const struct array *array,
                         unsigned other)
{
    const struct node *dimension = array->object->declarator->kids;
    int64_t end = 0;
    for (unsigned i = 0; i < array->count; ++i)
        if (array->accesses[i].on[other].known && end < array->accesses[i].on[other].end)
            end = array->accesses[i].on[other].end;
    if (!dimension || dimension->kind != NODE_DIMENSION || !dimension->kids ||
        dimension->kids->kind != NODE_NUMBER ||
        (dimension->next && dimension->next->kind == NODE_DIMENSION))
        return;
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)(end / (int64_t)array->element));
    finding_add_edit(f, FIX_UNSAFE, unit_span(c->a->unit, dimension->kids->tokens), text);
}

static void report(struct context *c, const struct array *array, enum rule_id rule,
                   const struct access *access, unsigned width, const unsigned block[3],
                   bool assumed)
{
    const struct unit *unit = c->a->unit;
    struct finding *f = width_add(c->a, rule, access->place->node->tokens, width);
    finding_add_number(f, (long long)block[0] * block[1] * block[2]);
    finding_add_related(f, RELATED_DECLARED, unit_span(unit, array->object->declarator->tokens),
                        tree_symbol(unit, array->object->declarator)->text);
    for (unsigned i = 0; i < array->count && i < MAX_RELATED; ++i) {
        const struct access *other = &array->accesses[i];
        bool same =
            rule == RULE_WAVE_PARTIALS_OVERFLOW
                ? other->on[width == 32].beyond
                : (rule == RULE_WAVE_PARTIALS_UNREAD ? other->reads : other->writes) ||
                      is_in_vain(array, other, width == 32, rule == RULE_WAVE_PARTIALS_UNREAD);
        if (other != access && same)
            finding_add_related(f, RELATED_USED, unit_span(unit, other->place->node->tokens), NULL);
    }
    width_add_follower(c->a, f, array->function);
    if (rule == RULE_WAVE_PARTIALS_OVERFLOW)
        add_size_fix(c, f, array, width == 32);
    if (assumed) {
        f->confidence = CONFIDENCE_MEDIUM;
        finding_add_related(f, RELATED_BLOCK_ASSUMED,
                            unit_token_span(unit, unit->functions.items[array->function].name),
                            NULL);
    }
}

/* What is wrong with ARRAY, as it was played, on waves of width OTHER alone: the rule and the first
   access that it is about. FULL: the block is as large as it can be, and no other counts. */
static const struct access *find_fault(struct context *c, const struct array *array, unsigned other,
                                       bool full, enum rule_id *rule)
{
    *rule = RULE_WAVE_PARTIALS_OVERFLOW;
    const struct access *res = find_overflow(array, other);
    if (res || full || c->widths->functions[array->function].mixes)
        return res;
    *rule = RULE_WAVE_PARTIALS_UNWRITTEN;
    res = find_in_vain(array, other, false);
    if (res)
        return res;
    *rule = RULE_WAVE_PARTIALS_UNREAD;
    return find_in_vain(array, other, true);
}

/* Reports what is wrong with ARRAY in blocks of BLOCK, once. */
static bool judge(struct context *c, struct array *array, const unsigned block[3], bool assumed,
                  bool full)
{
    play(c, array, block);
    for (unsigned w = 0; w < 2; ++w) {
        enum rule_id rule;
        const struct access *access = find_fault(c, array, 1 - w, full, &rule);
        if (!access || !width_applies(c->a, access->place->node->token, waves[w]))
            continue;
        report(c, array, rule, access, waves[w], block, assumed);
        return true;
    }
    return false;
}

static void examine_array(struct context *c, const struct shared_object *object,
                          struct access *accesses)
{
    struct array array = {.object = object, .function = object->function, .accesses = accesses};
    const struct type *element = object->type;
    while (element->kind == TYPE_ARRAY)
        element = element->element;
    array.element = element->size;
    if (!object->type->exact || object->dynamic || object->type->kind != TYPE_ARRAY ||
        !array.element || MOST_ELEMENTS < object->type->size / array.element ||
        !find_accesses(c, &array) || !array.count)
        return;
    struct launch_blocks blocks;
    bool known = model_blocks(c->code->model, object->function, &blocks) && blocks.count;
    bool done = false;
    for (unsigned i = 0; known && i < blocks.count && i < WIDTH_BLOCKS && !done; ++i)
        done = judge(c, &array, blocks.block[i], false, false);
    for (unsigned i = 0; !known && i < 2 && !done; ++i) {
        /* An array for the warps of a block is made for the largest. */
        const unsigned block[] = {i ? LANES_MAX : 256, 1, 1};
        done = judge(c, &array, block, true, i);
    }
}

static void examine_arrays(struct context *c)
{
    size_t count;
    const struct shared_object *objects = model_shared_objects(c->code->model, &count);
    struct access *accesses = NULL;
    for (size_t i = 0, of_function = 0; i < count; ++i) {
        const struct shared_object *object = &objects[i];
        of_function = i && objects[i - 1].function == object->function ? of_function + 1 : 0;
        if (object->function == NO_INDEX || MOST_ARRAYS <= of_function ||
            !knows_width(c, object->function))
            continue;
        if (!accesses)
            accesses = xcalloc(MOST_ACCESSES, sizeof *accesses);
        examine_array(c, object, accesses);
    }
    free(accesses);
}

void rule_wave_partials(struct annotation *a)
{
    if (!widths_are_possible(a))
        return;
    annotation_widths(a);
    struct context c = {.a = a, .code = annotation_code(a), .widths = a->widths};
    vec_each (struct width_use, use, &c.widths->uses)
        examine_count(&c, use);
    vec_each (const struct code_node, place, &c.code->places)
        if (place->node->kind == NODE_INDEX && knows_width(&c, place->function))
            examine_leaders(&c, place);
    examine_arrays(&c);
}
