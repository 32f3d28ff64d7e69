/* lds-padding, lds-padding-cost, lds-padding-short: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/rules/shared_array_p.h"

#include "annotate/gpu/occupancy.h"

enum {
    MOST_PLACES = 4,     /* of an array that a finding names */
    MOST_ARRAYS = 16,    /* of a function whose paddings are added up */
    WORTH_A_WORD = 10,   /* a tenth of the cycles */
    WORTH_A_WARNING = 4, /* a fourth of the workgroups, that is */
};

bool shared_describe(struct context *c, const struct array *array, struct lds_array *shape,
                     struct lds_use *uses, size_t *count)
{
    const struct type *type = array->object->type;
    *shape = (struct lds_array){0};
    while (type->kind == TYPE_ARRAY && shape->dims < LDS_MAX_DIMS) {
        if (type->count == 0 || INT32_MAX < type->count)
            return false;
        shape->size[shape->dims++] = (int64_t)type->count;
        type = type->element;
    }
    if (shape->dims < 2 || type->kind == TYPE_ARRAY || !type->exact || type->size == 0 ||
        1024 < type->size)
        return false;
    shape->element = (unsigned)type->size;
    *count = 0;
    vec_each (const struct use, use, &array->uses) {
        if (use->bytes % shape->element)
            return false;
        int64_t *index = arena_alloc(&c->arena, use->threads * shape->dims * sizeof *index);
        for (size_t t = 0; t < use->threads; ++t) {
            int64_t *at = index + t * shape->dims;
            int64_t rest = use->address[t];
            if (rest == LDS_INACTIVE) {
                at[0] = LDS_INACTIVE;
                continue;
            }
            if (rest < 0 || rest % shape->element)
                return false;
            rest /= shape->element;
            for (unsigned d = shape->dims; d-- > 1; rest /= shape->size[d])
                at[d] = rest % shape->size[d];
            at[0] = rest;
        }
        uses[(*count)++] = (struct lds_use){
            .bytes = use->bytes, .write = use->write, .index = index, .threads = use->threads};
    }
    return 0 < *count;
}

uint64_t shared_bytes(const struct context *c, size_t function)
{
    size_t count;
    const struct shared_object *objects = model_shared_objects_in(c->code->model, function, &count);
    uint64_t res = 0;
    for (size_t i = 0; i < count; ++i)
        if (objects[i].function == function && !objects[i].dynamic)
            res += objects[i].type->size;
    return res;
}

const struct node *shared_last_dimension(const struct node *declarator)
{
    const struct node *res = NULL;
    tree_each (kid, declarator)
        if (kid->kind == NODE_DIMENSION && kid->kids)
            res = kid->kids;
    return res;
}

/* An array with a padding. */
struct padded {
    const struct array *array;
    struct lds_array shape;    /* as it is */
    struct lds_array unpadded; /* without */
    struct lds_use uses[MAX_USES];
    size_t count;
    unsigned pad;
    const struct node *dimension;
};

/* The elements of the inner dimension beyond a power of two, where that looks like a padding. */
static unsigned padding_of(const struct lds_array *shape)
{
    int64_t inner = shape->size[shape->dims - 1];
    int64_t power = 8;
    while (power * 2 <= inner)
        power *= 2;
    int64_t pad = inner - power;
    return 0 < pad && pad <= power / 4 && pad <= MAX_PAD ? (unsigned)pad : 0;
}

/* Fills RES; false where ARRAY has no padding. */
static bool find_padded(struct context *c, const struct array *array, struct padded *res)
{
    if (!shared_describe(c, array, &res->shape, res->uses, &res->count))
        return false;
    res->array = array;
    res->pad = padding_of(&res->shape);
    res->dimension = shared_last_dimension(array->object->declarator);
    res->unpadded = res->shape;
    res->unpadded.size[res->shape.dims - 1] -= res->pad;
    return res->pad && res->dimension;
}

/* The cycles of all uses of P on TARGET, in the array as it is or as SHAPE. */
static uint64_t cycles_of(const struct target *target, const struct padded *p,
                          const struct lds_array *shape, uint64_t *ideal)
{
    struct lds_layout plain = {0};
    uint64_t res = 0;
    *ideal = 0;
    for (size_t i = 0; i < p->count; ++i) {
        struct lds_sum sum = lds_use_cost((enum lds_model)target->banks, target_wave(target), shape,
                                          &plain, &p->uses[i]);
        res += sum.cycles;
        *ideal += sum.ideal;
    }
    return res;
}

/* Whether the padding of P is there for the banks: without it some access has a conflict of DEGREE
   or more, and none touches the columns that it adds, as those of a halo. */
static bool is_for_banks(const struct target *target, const struct padded *p, unsigned degree)
{
    unsigned dims = p->shape.dims;
    bool conflicts = false;
    for (size_t i = 0; i < p->count; ++i) {
        struct lds_layout plain = {0};
        struct lds_sum sum = lds_use_cost((enum lds_model)target->banks, target_wave(target),
                                          &p->unpadded, &plain, &p->uses[i]);
        conflicts |= degree <= shared_degree(&sum);
        for (size_t t = 0; t < p->uses[i].threads; ++t) {
            const int64_t *index = p->uses[i].index + t * dims;
            if (index[0] != LDS_INACTIVE && p->unpadded.size[dims - 1] <= index[dims - 1])
                return false;
        }
    }
    return conflicts;
}

/* The best that another padding does for P on TARGET, or none. */
static struct lds_fix find_better(const struct target *target, const struct padded *p)
{
    struct lds_fix res = lds_find_pad((enum lds_model)target->banks, target_wave(target),
                                      &p->unpadded, p->uses, p->count, MAX_PAD);
    if (!res.found)
        res = (struct lds_fix){.cycles = cycles_of(target, p, &p->unpadded, &res.ideal)};
    return res;
}

static void add_figures(struct finding *f, const struct target *target, const struct padded *p)
{
    uint64_t ideal, cycles = cycles_of(target, p, &p->shape, &ideal);
    finding_add_figure(f, target->name, FIGURE_CYCLES, (long long)cycles);
    finding_add_figure(f, target->name, FIGURE_IDEAL_CYCLES, (long long)ideal);
}

static void add_places(struct context *c, struct finding *f, const struct padded *p)
{
    for (size_t i = 0; i < p->count && i < MOST_PLACES; ++i)
        finding_add_related(f, RELATED_USED,
                            unit_span(c->a->unit, p->array->uses.items[i].node->tokens), NULL);
}

/* The edit that makes the padding of P another one of PAD elements, where it is a number. */
static void add_edit(struct context *c, struct finding *f, const struct padded *p, unsigned pad)
{
    const struct node *number = p->dimension;
    bool is_sum = number->kind == NODE_BINARY && number->op == TOK_PLUS;
    if (is_sum)
        number = number->kids->next;
    struct constant value;
    if (number->kind != NODE_NUMBER || !constant_of(c->code->model, number, &value) ||
        !constant_single(&value))
        return;
    int64_t inner = p->unpadded.size[p->shape.dims - 1];
    if (value.values[0] != (is_sum ? p->pad : inner + p->pad))
        return;
    finding_add_edit(
        f, FIX_UNSAFE, unit_span(c->a->unit, number->tokens),
        arena_printf(c->a->arena, "%lld", (long long)(is_sum ? (int64_t)pad : inner + pad)));
}

/* Reports a padding that does less on a target than on the part that it was chosen for; whether it
   is one. */
static bool report_wrong(struct context *c, const struct padded *p)
{
    struct annotation *a = c->a;
    uint64_t from_ideal, ideal, from = cycles_of(a->gpus->from, p, &p->shape, &from_ideal);
    target_set bad = 0;
    const struct target *shown = NULL;
    struct lds_fix best = {0};
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        const struct target *target = a->gpus->targets[i];
        uint64_t now = cycles_of(target, p, &p->shape, &ideal);
        if (now == ideal || now * from_ideal <= from * ideal)
            continue;
        struct lds_fix fix = find_better(target, p);
        if (now <= fix.cycles)
            continue;
        bad |= (target_set)1 << i;
        if (!shown) {
            shown = target;
            best = fix;
        }
    }
    if (!shown)
        return false;
    struct finding *f = annotation_add(a, RULE_LDS_PADDING, p->dimension->tokens);
    f->targets = bad;
    finding_add_number(f, p->pad);
    finding_add_arg(f, shown->name);
    finding_add_number(f, best.layout.pad);
    finding_add_arg(f, a->gpus->from->name);
    add_figures(f, a->gpus->from, p);
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (bad >> i & 1)
            add_figures(f, a->gpus->targets[i], p);
    add_places(c, f, p);
    add_edit(c, f, p, best.layout.pad);
    return true;
}

/* Reports a padding that leaves conflicts everywhere, where another one leaves fewer. */
static void report_short(struct context *c, const struct padded *p)
{
    struct annotation *a = c->a;
    target_set bad = 0;
    const struct target *shown = NULL;
    struct lds_fix best = {0};
    uint64_t ideal, cycles = 0;
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        const struct target *target = a->gpus->targets[i];
        uint64_t now = cycles_of(target, p, &p->shape, &ideal);
        struct lds_fix fix = find_better(target, p);
        if (now == ideal || now <= fix.cycles || (now - fix.cycles) * WORTH_A_WORD < now ||
            !is_for_banks(target, p, 2))
            continue;
        bad |= (target_set)1 << i;
        if (!shown) {
            shown = target;
            best = fix;
            cycles = now;
        }
    }
    if (!shown)
        return;
    struct finding *f = annotation_add(a, RULE_LDS_PADDING_SHORT, p->dimension->tokens);
    f->targets = bad;
    finding_add_number(f, p->pad);
    finding_add_arg(f, shown->name);
    finding_add_number(f, best.layout.pad);
    finding_add_number(f, (long long)cycles);
    finding_add_number(f, (long long)best.cycles);
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (bad >> i & 1)
            add_figures(f, a->gpus->targets[i], p);
    add_places(c, f, p);
    add_edit(c, f, p, best.layout.pad);
}

/* The bytes that the paddings of P's function take together, as far as they are for the banks of
   TARGET; 0 where P is not the first array that has one. */
static int64_t padding_bytes(struct context *c, const struct target *target, const struct padded *p)
{
    int64_t res = 0;
    unsigned seen = 0;
    vec_each (struct array, array, &c->arrays) {
        struct padded other;
        if (array->function != p->array->function || MOST_ARRAYS < seen++ ||
            !find_padded(c, array, &other) ||
            !is_for_banks(target, &other, shared_worth_a_note(target)))
            continue;
        if (!res && array != p->array)
            return 0;
        struct lds_layout plain = {0};
        res += lds_array_bytes(&other.shape, &plain) - lds_array_bytes(&other.unpadded, &plain);
    }
    return res;
}

/* Reports the paddings of P's function where with them fewer workgroups fit. */
static void report_cost(struct context *c, const struct padded *p)
{
    struct annotation *a = c->a;
    target_set bad = 0;
    const struct target *shown = NULL;
    struct occupancy before, after, with[MOST_TARGETS], without[MOST_TARGETS];
    for (unsigned i = 0; i < a->gpus->count; ++i) {
        const struct target *target = a->gpus->targets[i];
        int64_t bytes = padding_bytes(c, target, p);
        uint64_t all = shared_bytes(c, p->array->function);
        struct occupancy_request request = {.block = shared_threads(p->array),
                                            .lds = (unsigned)(all - (uint64_t)bytes)};
        if (bytes <= 0 || all < (uint64_t)bytes || UINT32_MAX < all ||
            occupancy_add_lds(target, &request, bytes, &without[i], &with[i]) != OCCUPANCY_OK ||
            !with[i].groups || without[i].groups <= with[i].groups)
            continue;
        bad |= (target_set)1 << i;
        if (!shown) {
            shown = target;
            before = without[i];
            after = with[i];
        }
    }
    if (!shown)
        return;
    struct finding *f = annotation_add(a, RULE_LDS_PADDING_COST, p->dimension->tokens);
    f->targets = bad;
    finding_add_number(f, p->pad);
    finding_add_arg(f, shown->name);
    finding_add_number(f, after.groups);
    finding_add_number(f, before.groups);
    if (WORTH_A_WARNING * (before.groups - after.groups) < before.groups)
        f->effect = EFFECT_NONE;
    for (unsigned i = 0; i < a->gpus->count; ++i)
        if (bad >> i & 1) {
            const char *name = a->gpus->targets[i]->name;
            finding_add_figure(f, name, FIGURE_WORKGROUPS_PER_CU, without[i].groups);
            finding_add_figure(f, name, FIGURE_WORKGROUPS_PADDED, with[i].groups);
        }
    if (p->array->assumed) {
        f->confidence = CONFIDENCE_MEDIUM;
        finding_add_related(f, RELATED_BLOCK_ASSUMED, unit_span(a->unit, p->dimension->tokens),
                            NULL);
    }
    add_places(c, f, p);
}

void shared_report_padding(struct context *c, struct array *array)
{
    struct padded p;
    if (!find_padded(c, array, &p))
        return;
    if (!array->assumed && !report_wrong(c, &p))
        report_short(c, &p);
    report_cost(c, &p);
}
