/* What is done with lane masks in 32 bits, and the edits that make 64 of them.  */
#include <config.h>

#include "annotate/lanemask_p.h"

#include <stdlib.h>
#include <string.h>

/* Uses. */

static void unite_places(struct mask_search *s, uint32_t group, const struct node *node)
{
    if (node->kind == NODE_CALL) {
        for (const struct mask_named *f = masks_functions_called(s, node); f; f = f->others)
            if (masks_place(s, masks_result_place(s, f->function))->value)
                masks_unite(s, group, masks_place(s, masks_result_place(s, f->function))->group);
        size_t lambda = masks_lambda_called(s, node);
        if (lambda != SIZE_MAX && masks_place(s, lambda)->value)
            masks_unite(s, group, masks_place(s, lambda)->group);
        struct warp_call call;
        if (warp_call_of(s->a, node, &call) && warp_is_shuffle(call.function) && call.value)
            unite_places(s, group, call.value);
        if (masks_counter_of(s, node))
            unite_places(s, group, code_argument(node, 0));
        return;
    }
    size_t place = masks_place_of(s, node);
    if (place != SIZE_MAX) {
        if (masks_holds(masks_place(s, place)))
            masks_unite(s, group, masks_place(s, place)->group);
        return;
    }
    tree_each (kid, node)
        if (kid->kind != NODE_TYPE)
            unite_places(s, group, kid);
}

struct mask_use *masks_add_use(struct mask_search *s, enum mask_use_kind kind,
                               const struct node *node)
{
    struct mask_use *use = vec_push(&s->masks->uses);
    *use = (struct mask_use){.kind = kind, .node = node, .group = masks_new_group(s)};
    return use;
}

static struct span span_of(const struct mask_search *s, const struct node *node)
{
    return unit_span(s->unit, node->tokens);
}

static struct span token_span(const struct mask_search *s, uint32_t token)
{
    return unit_token_span(s->unit, token);
}

/* The text of the number at NODE as one of unsigned long long. */
static const char *wide_number(const struct mask_search *s, const struct node *node)
{
    struct span span = span_of(s, node);
    const char *text = s->unit->source->text + span.begin;
    size_t len = span.end - span.begin;
    while (len && strchr("uUlLzZ", text[len - 1]))
        --len;
    char *res = arena_alloc(s->a->arena, len + 4);
    memcpy(res, text, len);
    memcpy(res + len, "ull", 4);
    return res;
}

/* Casts on the way of the lane mask NODE, which becomes wider with GROUP. */
static void add_cast_edits(struct mask_search *s, const struct node *node, uint32_t group)
{
    bool pointed = false;
    switch (node->kind) {
    case NODE_CAST:
        if (masks_bits_of(type_of_declaration(s->model, node->kids, NULL), &pointed) == 32 &&
            !pointed)
            masks_add_edit(s, group, FIX_UNSAFE, span_of(s, node->kids), "unsigned long long");
        add_cast_edits(s, node->kids->next, group);
        break;
    case NODE_UNARY:
        add_cast_edits(s, node->kids, group);
        break;
    case NODE_BINARY:
        if (node->op == TOK_AMP || node->op == TOK_PIPE || node->op == TOK_CARET)
            add_cast_edits(s, node->kids->next, group);
        add_cast_edits(s, node->kids, group);
        break;
    default:
        break;
    }
}

/* 31 - __clz(m) becomes 63 - __clzll(m); false where the place counts and nobody knows how. */
static bool add_width_edit(struct mask_search *s, const struct node *node, uint32_t group)
{
    const struct node *parent = code_parent(s->code, node);
    if (parent && masks_counter_of(s, parent))
        return true; /* __clz(__brev(m)) */
    if (!parent || parent->kind != NODE_BINARY || parent->op != TOK_MINUS ||
        parent->kids->next != node || parent->kids->kind != NODE_NUMBER)
        return false;
    int64_t value;
    if (!masks_single(s, parent->kids, &value) || (value != 31 && value != 32))
        return false;
    masks_add_edit(s, group, FIX_SAFE, span_of(s, parent->kids), value == 31 ? "63" : "64");
    return true;
}

/* Whether NODE gets 64 bits when the places of lane masks do; GROUP joins theirs. */
static bool becomes_wide(struct mask_search *s, const struct node *node, uint32_t group)
{
    size_t place = masks_place_of(s, node);
    if (place != SIZE_MAX) {
        struct mask_place *p = masks_place(s, place);
        if (!masks_holds(p) || !p->bits || 64 <= p->bits)
            return false;
        masks_unite(s, group, p->group);
        return true;
    }
    if (node->kind == NODE_UNARY)
        return node->op != TOK_BANG && becomes_wide(s, node->kids, group);
    if (node->kind != NODE_BINARY)
        return false;
    switch (node->op) {
    case TOK_SHIFT_LEFT:
    case TOK_SHIFT_RIGHT:
        return becomes_wide(s, node->kids, group);
    case TOK_AMP:
    case TOK_PIPE:
    case TOK_CARET:
    case TOK_PLUS:
    case TOK_MINUS: {
        bool left = becomes_wide(s, node->kids, group);
        return becomes_wide(s, node->kids->next, group) || left;
    }
    default:
        return false;
    }
}

/* __ffs(m & 1) need not change for the lanes, but has to for the type. */
static void add_type_edit(struct mask_search *s, const struct node *node,
                          const struct node *operand)
{
    const struct mask_counter *counter = masks_counter_of(s, node);
    uint32_t widened = masks_new_group(s);
    if (counter && !strcmp(counter->name, "__ffs") && becomes_wide(s, operand, widened))
        masks_add_edit(s, widened, FIX_SAFE, token_span(s, node->kids->token), counter->wide);
}

/* Whether NODE, in 64 bits, has ones in the upper half on waves of 32 lanes, whose masks have none
   there: ~m. */
static bool fills_upper_half(struct mask_search *s, const struct node *node)
{
    if (node->kind == NODE_UNARY)
        return node->op == TOK_TILDE && masks_carries(s, node->kids);
    if (node->kind != NODE_BINARY)
        return false;
    bool left = fills_upper_half(s, node->kids), right = fills_upper_half(s, node->kids->next);
    return node->op == TOK_AMP     ? left && right
           : node->op == TOK_PIPE  ? left || right
           : node->op == TOK_CARET ? left != right
                                   : false;
}

static void add_count(struct mask_search *s, const struct node *node)
{
    unsigned index = 0;
    const struct mask_counter *counter = masks_counter_of(s, node);
    bool direct = counter != NULL;
    if (!direct && !(counter = masks_macro_counts(s, node, &index)))
        return;
    const struct node *operand = code_argument(node, index);
    if (!masks_carries(s, operand)) {
        add_type_edit(s, node, operand);
        return;
    }
    struct mask_use *use = masks_add_use(s, MASK_COUNT, node);
    uint32_t group = use->group;
    use->ambiguous = direct && !strcmp(counter->name, "__ffs") && masks_width(s, operand) == 64;
    unite_places(s, group, operand);
    add_cast_edits(s, operand, group);
    if (!direct)
        return; /* the macro may count other things as well */
    bool safe =
        (!counter->places || add_width_edit(s, node, group)) && !fills_upper_half(s, operand);
    masks_add_edit(s, group, safe ? FIX_SAFE : FIX_UNSAFE, token_span(s, node->kids->token),
                   counter->wide);
}

/* What gives SHIFT 64 bits. To the right, the bits that stay are counted from the upper end. */
static void add_shift_edit(struct mask_search *s, const struct node *shift, uint32_t group)
{
    const struct node *left = shift->kids, *amount = left->next;
    bool negative = left->kind == NODE_UNARY && left->op == TOK_MINUS;
    const struct node *number = left->kind == NODE_UNARY ? left->kids : left;
    int64_t value, from;
    if (number->kind != NODE_NUMBER || !masks_single(s, left, &value))
        return;
    if (shift->op == TOK_SHIFT_RIGHT) {
        if (!masks_is_full(value) || amount->kind != NODE_BINARY || amount->op != TOK_MINUS ||
            amount->kids->kind != NODE_NUMBER || !masks_single(s, amount->kids, &from) ||
            (from != 31 && from != 32))
            return;
        masks_add_edit(s, group, FIX_UNSAFE, span_of(s, left), "~0ull");
        masks_add_edit(s, group, FIX_UNSAFE, span_of(s, amount->kids), from == 31 ? "63" : "64");
    } else if (masks_is_full(value)) {
        masks_add_edit(s, group, FIX_SAFE, span_of(s, left), "~0ull");
    } else if (left == number) {
        masks_add_edit(s, group, FIX_SAFE, span_of(s, left), wide_number(s, number));
    } else if (negative) {
        masks_add_edit(s, group, FIX_SAFE, span_of(s, number), wide_number(s, number));
    }
}

/* SHIFT makes a mask of GROUP. It is REPORTED where it meets the lanes of a wave; a mask for a
   _sync function need not get wrong by it. */
static void add_shift(struct mask_search *s, const struct node *shift, uint32_t group,
                      bool reported)
{
    if (s->code->node_count <= shift->id || s->seen[shift->id])
        return;
    s->seen[shift->id] = true;
    if (reported)
        masks_unite(s, masks_add_use(s, MASK_SHIFT, shift)->group, group);
    add_shift_edit(s, shift, group);
}

static struct mask_use *add_compare(struct mask_search *s, const struct node *node,
                                    const struct node *mask, unsigned lanes)
{
    struct mask_use *use = masks_add_use(s, MASK_COMPARE, node);
    use->lanes = lanes;
    unite_places(s, use->group, mask);
    return use;
}

/* The lane mask that NODE counts the lanes of, or NULL. */
static const struct node *counted_mask(struct mask_search *s, const struct node *node)
{
    static const char *const names[] = {"__popc", "__popcll", "__builtin_popcount",
                                        "__builtin_popcountll"};
    const struct symbol *name = node->kind == NODE_CALL && node->kids->kind == NODE_NAME
                                    ? tree_symbol(s->unit, node->kids)
                                    : NULL;
    const struct node *mask = name ? code_argument(node, 0) : NULL;
    for (size_t i = 0; mask && i < sizeof names / sizeof *names; ++i)
        if (!strcmp(names[i], name->text))
            return masks_carries(s, mask) ? mask : NULL;
    return NULL;
}

/* NODE compares ONE with OTHER: with all lanes, or all that there are? */
static bool examine_compare(struct mask_search *s, const struct node *node, const struct node *one,
                            const struct node *other)
{
    int64_t value;
    const struct node *counted = counted_mask(s, one);
    if (!masks_single(s, other, &value))
        return false;
    if (counted) {
        if (other->kind == NODE_NUMBER && (value == 32 || value == 64)) {
            uint32_t group = add_compare(s, node, counted, (unsigned)value)->group;
            masks_add_edit(s, group, FIX_UNSAFE, span_of(s, other), "warpSize");
        }
        return true;
    }
    if (!masks_carries(s, one))
        return false;
    if (value == 0 && one->kind == NODE_UNARY && one->op == TOK_TILDE) {
        if (masks_width(s, one) < 64)
            add_compare(s, node, one, 32);
        return true;
    }
    if (masks_is_full(value)) {
        bool wide = masks_width(s, other) == 64 && value < 0;
        uint32_t group = add_compare(s, node, one, wide ? 64 : 32)->group;
        if (!wide || annotation_is_hip(s->a, node->token))
            masks_add_edit(s, group, FIX_UNSAFE, span_of(s, other), "(~0ull >> (64 - warpSize))");
    }
    return true;
}

void masks_find_uses(struct mask_search *s)
{
    vec_each (const struct node *const, node, &s->counts)
        add_count(s, *node);
    vec_each (const struct node *const, node, &s->compares) {
        const struct node *left = (*node)->kids, *right = left->next;
        if (!examine_compare(s, *node, left, right))
            examine_compare(s, *node, right, left);
    }
    vec_each (const struct node *const, mix, &s->mixes) {
        const struct node *left = (*mix)->kids, *right = left->next, *shift;
        for (unsigned side = 0; side < 2; ++side) {
            const struct node *mask = side ? right : left, *other = side ? left : right;
            if (!masks_carries(s, mask) || !(shift = masks_shift_in(s, other)))
                continue;
            uint32_t group = masks_new_group(s);
            unite_places(s, group, mask);
            add_shift(s, shift, group, true);
        }
    }
    vec_each (const struct mask_edge, e, &s->edges) {
        const struct mask_place *p = masks_place(s, e->place);
        const struct node *shift = masks_holds(p) ? masks_shift_in(s, e->value) : NULL;
        if (shift)
            add_shift(s, shift, p->group, p->value != NULL);
    }
}

/* What widens a type. */

static bool is_qualifier(const struct token *token)
{
    static const char *const words[] = {"const",      "constexpr",    "volatile",    "static",
                                        "register",   "extern",       "inline",      "__shared__",
                                        "__device__", "__constant__", "__restrict__"};
    for (size_t i = 0; token->symbol && i < sizeof words / sizeof *words; ++i)
        if (!strcmp(token->symbol->text, words[i]))
            return true;
    return false;
}

static bool is_integer_word(const struct token *token)
{
    static const char *const words[] = {"unsigned", "signed",  "int",  "short",   "char",
                                        "uint32_t", "int32_t", "uint", "uint16_t"};
    for (size_t i = 0; token->symbol && i < sizeof words / sizeof *words; ++i)
        if (!strcmp(token->symbol->text, words[i]))
            return true;
    return false;
}

/* std:: or the like in front of it. */
static bool is_namespace(const struct token *token)
{
    return token->kind == TOK_COLON_COLON ||
           (token->symbol &&
            (!strcmp(token->symbol->text, "std") || !strcmp(token->symbol->text, "cuda")));
}

/* The words in RANGE that name an integer type and stand together: those of C, or one name that
   stands for it. */
static bool integer_words(const struct unit *unit, struct range range, struct range *res)
{
    bool integer = false, alias = false;
    *res = (struct range){0, 0};
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct token *token = unit_token(unit, i);
        bool word = is_integer_word(token), space = is_namespace(token);
        if (!word && !space && is_qualifier(token))
            continue;
        bool other = !word && !space;
        if ((other && token->kind != TOK_IDENT && token->kind != TOK_TYPE) || alias ||
            (other && integer) || (res->end && res->end != i))
            return false;
        if (!res->end)
            res->begin = i;
        res->end = i + 1;
        integer |= word;
        alias |= other;
    }
    return integer || alias;
}

/* The same in the head of a function, whose attributes may be macros. */
static bool result_words(const struct unit *unit, const struct function *fn, struct range *res)
{
    uint32_t i = fn->name;
    bool alias = fn->head.begin < i && !is_integer_word(unit_token(unit, i - 1));
    if (alias)
        --i;
    while (fn->head.begin < i && ((!alias && is_integer_word(unit_token(unit, i - 1))) ||
                                  (i < fn->name && is_namespace(unit_token(unit, i - 1)))))
        --i;
    *res = (struct range){i, fn->name};
    return i < fn->name;
}

static void add_widening(struct mask_search *s, struct mask_place *p, enum fix_safety safety,
                         struct range words)
{
    masks_add_edit(s, p->group, safety, unit_span(s->unit, words), "unsigned long long");
    p->widened = true;
}

/* How safe it is that what D declares gets 64 bits, with another or itself. */
static enum fix_safety safety_with(const struct mask_search *s, const struct node *d)
{
    struct mask_key *entry;
    uint64_t key = d->token;
    HASH_FIND(hh, s->keys, &key, sizeof key, entry);
    const struct mask_place *p = entry ? masks_place(s, entry->place) : NULL;
    if (p && p->tied)
        return FIX_DISPLAY;
    if (p && masks_holds(p))
        return p->lent ? FIX_UNSAFE : FIX_SAFE;
    return d->stars || d->flags ? FIX_DISPLAY : FIX_UNSAFE;
}

static void widen_result(struct mask_search *s, struct mask_place *p)
{
    struct range words;
    bool found = p->function == NO_INDEX
                     ? integer_words(s->unit, (struct range){p->begin, p->token + 1}, &words)
                     : result_words(s->unit, &s->unit->functions.items[p->function], &words);
    if (found)
        add_widening(s, p, FIX_UNSAFE, words);
}

static void widen_place(struct mask_search *s, struct mask_place *p)
{
    struct range words;
    enum fix_safety safety = FIX_UNSAFE;
    if (p->kind == MASK_RESULT) {
        widen_result(s, p);
        return;
    }
    if (p->kind == MASK_MEMBER) {
        struct range before = {p->begin, p->token};
        if (p->begin != NO_TOKEN && integer_words(s->unit, before, &words))
            add_widening(s, p, FIX_UNSAFE, words);
        return;
    }
    if (p->kind == MASK_POINTED || !p->declaration ||
        !integer_words(s->unit, p->declaration->kids->tokens, &words))
        return;
    /* The type alone does not give a mask of 32 lanes, for a _sync function, those of a wave. */
    bool narrow = p->used != NO_INDEX && p->masks < p->given;
    if (p->kind == MASK_LOCAL && !p->declarator->stars && !p->declarator->flags && !p->lent &&
        !narrow && !p->inverted)
        safety = FIX_SAFE;
    for (const struct node *d = p->declaration->kids->next; d; d = d->next) {
        enum fix_safety other = d->kind == NODE_DECLARATOR ? safety_with(s, d) : FIX_SAFE;
        safety = safety < other ? other : safety;
    }
    add_widening(s, p, safety, words);
}

/* The full masks that are put into a place that becomes wider. */
static void widen_values(struct mask_search *s)
{
    vec_each (const struct mask_edge, e, &s->edges) {
        const struct mask_place *p = masks_place(s, e->place);
        int64_t value;
        if (!masks_holds(p) || !p->bits || 64 <= p->bits ||
            (e->value->kind != NODE_NUMBER && e->value->kind != NODE_UNARY &&
             e->value->kind != NODE_NAME) ||
            !masks_single(s, e->value, &value) || !masks_is_full(value) ||
            masks_width(s, e->value) == 64)
            continue;
        size_t function = model_function_at(s->model, e->value->token);
        bool whole = masks_is_whole(s, function, e->value);
        masks_add_edit(s, p->group, FIX_UNSAFE, span_of(s, e->value),
                       whole ? "~0ull" : "__activemask()");
    }
}

void masks_group_places(struct mask_search *s)
{
    vec_each (const struct mask_edge, e, &s->edges) {
        uint32_t group = masks_place(s, e->place)->group;
        if (!masks_place(s, e->place)->value || !masks_carries(s, e->value))
            continue;
        unite_places(s, group, e->value);
        add_cast_edits(s, e->value, group);
    }
    vec_each (const struct mask_out, out, &s->outs)
        if (!masks_holds(masks_place(s, out->parameter)))
            masks_place(s, out->place)->tied = true; /* a reference that stays as it is */
        else if (out->done)
            masks_unite(s, masks_place(s, out->parameter)->group,
                        masks_place(s, out->place)->group);
}

static int compare_edits(const void *va, const void *vb)
{
    const struct mask_edit *a = va, *b = vb;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->span.begin != b->span.begin)
        return a->span.begin < b->span.begin ? -1 : 1;
    return a->span.end < b->span.end ? -1 : a->span.end != b->span.end;
}

static int compare_offsets(const void *va, const void *vb)
{
    size_t a = *(const size_t *)va, b = *(const size_t *)vb;
    return a < b ? -1 : a != b;
}

static void sort_edits(struct lane_masks *masks)
{
    vec_each (const struct mask_edit, e, &masks->edits)
        if (e->safety != FIX_DISPLAY)
            *vec_push(&masks->replaced) = e->span.begin;
    if (masks->replaced.count)
        qsort(masks->replaced.items, masks->replaced.count, sizeof *masks->replaced.items,
              compare_offsets);
    if (masks->edits.count)
        qsort(masks->edits.items, masks->edits.count, sizeof *masks->edits.items, compare_edits);
}

void masks_finish(struct mask_search *s)
{
    struct lane_masks *masks = s->masks;
    vec_each (const struct mask_edge, e, &s->edges)
        masks_place(s, e->place)->inverted |= fills_upper_half(s, e->value);
    vec_each (struct mask_place, p, &masks->places)
        if (masks_holds(p) && p->bits && p->bits < 64)
            widen_place(s, p);
    widen_values(s);
    vec_each (struct mask_edit, e, &masks->edits)
        e->group = masks_group_of(s, e->group);
    vec_each (struct mask_place, p, &masks->places)
        p->group = masks_group_of(s, p->group);
    vec_each (struct mask_use, u, &masks->uses)
        u->group = masks_group_of(s, u->group);
    masks->given = xcalloc(s->sets.count + 1, sizeof *masks->given);
    sort_edits(masks);
}
