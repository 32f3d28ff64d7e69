/* sync-warp-synchronous, sync-last-warp: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum {
    FEWEST_STEPS = 3,
    SEARCH_DEPTH = 12,
    MOST_CALLS = 8,    /* that a finding names */
    MOST_HELPERS = 64, /* functions whose calls are looked for */
};

/* A step: ARRAY[INDEX] gets something of ARRAY[INDEX + distance]. A reduction has positive ones,
   each half of the one before; a scan has negative ones, each the double. */
struct step {
    const struct node *array;
    int64_t distance;
};

/* A name in a statement that says volatile. */
struct said {
    const struct symbol *name;
    bool is_type; /* with typedef or using */
};

struct search {
    struct annotation *a;
    const struct code *code;
    VEC(struct said) said; /* by name */
    bool is_read;
    unsigned helpers; /* whose calls were looked for */
};

/* The distance of INDEX from BASE where it is BASE + number, or BASE - number. */
static bool distance_of(const struct code *code, const struct node *index, const struct node *base,
                        int64_t *res)
{
    const struct unit *unit = code->model->unit;
    struct constant value;
    if (index->kind != NODE_BINARY || (index->op != TOK_PLUS && index->op != TOK_MINUS))
        return false;
    bool less = index->op == TOK_MINUS;
    const struct node *left = index->kids, *right = left->next;
    const struct node *more = unit_same_text(unit, left->tokens, base->tokens)             ? right
                              : !less && unit_same_text(unit, right->tokens, base->tokens) ? left
                                                                                           : NULL;
    if (!more || !constant_of(code->model, more, &value) || !constant_single(&value))
        return false;
    *res = less ? -value.values[0] : value.values[0];
    return INT32_MIN < *res && *res < INT32_MAX;
}

/* Looks in NODE for ARRAY[INDEX + distance], where TARGET is ARRAY[INDEX]. */
static bool find_partner(const struct code *code, const struct node *node,
                         const struct node *target, int64_t *res, unsigned depth)
{
    if (SEARCH_DEPTH < depth)
        return false;
    if (node->kind == NODE_INDEX &&
        unit_same_text(code->model->unit, node->kids->tokens, target->kids->tokens) &&
        distance_of(code, node->kids->next, target->kids->next, res))
        return true;
    tree_each (kid, node)
        if (find_partner(code, kid, target, res, depth + 1))
            return true;
    return false;
}

/* The statement under an `if` or in braces, if it is the only one. */
static const struct node *only_statement(const struct node *node)
{
    for (unsigned depth = 0; depth < SEARCH_DEPTH; ++depth) {
        if (node->kind == NODE_IF && tree_kid(node, 1) &&
            (!tree_kid(node, 2) || tree_kid(node, 2)->kind == NODE_EMPTY))
            node = tree_kid(node, 1);
        else if (node->kind == NODE_BLOCK && node->kids && !node->kids->next)
            node = node->kids;
        else
            break;
    }
    return node;
}

static bool read_step(const struct code *code, const struct node *statement, struct step *res)
{
    const struct node *node = only_statement(statement);
    if (node->kind != NODE_EXPRESSION || !node->kids || node->kids->kind != NODE_ASSIGN)
        return false;
    const struct node *target = node->kids->kids, *value = target->next;
    if (target->kind != NODE_INDEX || !find_partner(code, value, target, &res->distance, 0))
        return false;
    res->array = target->kids;
    return res->distance != 0;
}

/* Whether a step of distance B follows one of A in a reduction or a scan. */
static bool follows(int64_t a, int64_t b)
{
    return b < 0 ? b == 2 * a : 2 * b == a;
}

/* Whether some of TOKENS is the word WORD. */
static bool has_word(const struct unit *unit, struct range tokens, const char *word)
{
    const struct symbol *symbol = symbol_find(unit->symbols, word);
    for (uint32_t i = tokens.begin; symbol && i < tokens.end; ++i)
        if (unit_token(unit, i)->symbol == symbol)
            return true;
    return false;
}

/* Notes the names in STATEMENT, which says volatile. */
static void note_statement(struct search *s, struct range statement)
{
    const struct unit *unit = s->a->unit;
    struct said said = {.is_type = has_word(unit, statement, "typedef") ||
                                   has_word(unit, statement, "using")};
    for (uint32_t i = statement.begin; i < statement.end; ++i) {
        said.name = unit_token(unit, i)->symbol;
        if (said.name)
            *vec_push(&s->said) = said;
    }
}

static int compare_said(const void *va, const void *vb)
{
    const struct said *a = va, *b = vb;
    if (a->name != b->name)
        return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : 1;
    return b->is_type - a->is_type;
}

/* Finds the statements that say volatile, once for the file. */
static void read_statements(struct search *s)
{
    const struct unit *unit = s->a->unit;
    const struct symbol *word = symbol_find(unit->symbols, "volatile");
    struct range statement = {0, 0};
    bool says = false;
    s->is_read = true;
    for (uint32_t i = 0; word && unit_kind(unit, i) != TOK_EOF; ++i) {
        enum token_kind kind = unit_kind(unit, i);
        says |= unit_token(unit, i)->symbol == word;
        if (kind != TOK_SEMICOLON && kind != TOK_LBRACE && kind != TOK_RBRACE)
            continue;
        statement.end = i;
        if (says)
            note_statement(s, statement);
        statement.begin = i + 1;
        says = false;
    }
    if (s->said.count)
        qsort(s->said.items, s->said.count, sizeof *s->said.items, compare_said);
}

/* Whether a statement of the file that names NAME, such as the declaration of a member, says
   volatile; IS_TYPE: one that declares a type. */
static bool is_said_volatile(struct search *s, const struct symbol *name, bool is_type)
{
    size_t low;
    if (!s->is_read)
        read_statements(s);
    /* Those that declare types come first. */
    vec_search(low, s->said.count, (uintptr_t)s->said.items[low].name < (uintptr_t)name);
    return name && low < s->said.count && s->said.items[low].name == name &&
           (!is_type || s->said.items[low].is_type);
}

/* Whether what ARRAY names is declared volatile, or cast to it. */
static bool is_volatile(struct search *s, const struct node *array)
{
    const struct unit *unit = s->a->unit;
    if (has_word(unit, array->tokens, "volatile"))
        return true;
    if (array->kind == NODE_MEMBER)
        return is_said_volatile(s, tree_symbol(unit, array), false);
    if (array->kind != NODE_NAME)
        return false;
    struct name_meaning meaning =
        model_lookup(s->code->model, tree_symbol(unit, array), array->token);
    const struct node *type = meaning.declaration ? meaning.declaration->kids : NULL;
    if (!type || type->kind != NODE_TYPE)
        return false;
    const struct symbol *name =
        unit_kind(unit, type->token) == TOK_IDENT ? tree_symbol(unit, type) : NULL;
    return type->flags & TYPE_VOLATILE || is_said_volatile(s, name, true);
}

/* Whether ARRAY may be shared memory: not a local array, nor one that the lanes have apart. */
static bool may_be_shared(struct annotation *a, const struct node *array)
{
    if (array->kind != NODE_NAME)
        return true;
    struct name_meaning meaning =
        model_lookup(annotation_code(a)->model, tree_symbol(a->unit, array), array->token);
    if (meaning.kind != NAME_LOCAL || !meaning.declaration || !meaning.declarator)
        return true;
    const struct node *type = meaning.declaration->kids;
    bool is_array = meaning.declarator->kids && meaning.declarator->kids->kind == NODE_DIMENSION;
    return !is_array || (type->kind == NODE_TYPE && type->flags & TYPE_SHARED);
}

/* Relates to F which threads do the steps that end with ARRAY: the condition around them; of a
   function that has none, where it is called. */
static void add_threads(struct search *s, struct finding *f, const struct node *array)
{
    struct annotation *a = s->a;
    const struct code *code = s->code;
    for (const struct node *at = array, *around; (around = code_parent(code, at)); at = around)
        if (around->kind == NODE_IF && around->kids != at) {
            finding_add_related(f, RELATED_CONDITION, unit_span(a->unit, around->kids->tokens),
                                NULL);
            return;
        }
    size_t index = model_function_at(code->model, array->token);
    const struct function *function = index == NO_INDEX ? NULL : &a->unit->functions.items[index];
    if (!function || function->flags & FUNCTION_GLOBAL || MOST_HELPERS <= s->helpers)
        return;
    ++s->helpers;
    const struct symbol *name = unit_token(a->unit, function->name)->symbol;
    unsigned count = 0;
    vec_each (const struct code_node, call, &code->calls)
        if (call->name == name && count++ < MOST_CALLS)
            finding_add_related(f, RELATED_CALLED, unit_span(a->unit, call->node->tokens), NULL);
}

static void report(struct search *s, const struct node *array, struct range range, bool scan)
{
    struct annotation *a = s->a;
    bool is_right = is_volatile(s, array);
    target_set wide = annotation_with_wave(a, 64);
    /* In a scan all lanes take part, each within its own warp. */
    if (is_right && (scan || !wide))
        return;
    struct finding *f = annotation_add(
        a, is_right ? RULE_SYNC_LAST_WARP : RULE_SYNC_WARP_SYNCHRONOUS, array->tokens);
    f->span = unit_span(a->unit, range);
    add_threads(s, f, array);
    if (!is_right)
        return;
    f->targets = wide;
    finding_add_arg(f, annotation_names(a, wide));
}

/* Looks among the statements of BLOCK for a run of steps, each half as far as the one before. */
static void examine_block(struct search *s, const struct node *block)
{
    struct annotation *a = s->a;
    struct step first = {0};
    const struct node *begin = NULL, *end = NULL;
    int64_t last = 0;
    unsigned steps = 0;
    for (const struct node *node = block->kids;; node = node->next) {
        struct step step;
        bool is_step = node && read_step(s->code, node, &step);
        if (is_step && steps && follows(last, step.distance) &&
            unit_same_text(a->unit, step.array->tokens, first.array->tokens)) {
            ++steps;
        } else if (is_step && steps && step.distance == last) {
            end = node; /* of another array, beside it */
            continue;
        } else {
            /* It begins within a warp: further ones have barriers, or are for other lanes. */
            if (FEWEST_STEPS <= steps && may_be_shared(a, first.array))
                report(s, first.array, (struct range){begin->tokens.begin, end->tokens.end},
                       first.distance < 0);
            steps = is_step && step.distance <= 64 && -2 <= step.distance;
            first = step;
            begin = node;
        }
        if (!node)
            return;
        if (is_step)
            last = step.distance;
        end = node;
    }
}

/* Whether NODE is VARIABLE >>= 1, VARIABLE /= 2, or VARIABLE = VARIABLE / 2. */
static bool is_halved(const struct code *code, const struct node *node,
                      const struct symbol *variable)
{
    const struct unit *unit = code->model->unit;
    struct constant by;
    if (node->kind != NODE_ASSIGN || node->kids->kind != NODE_NAME ||
        tree_symbol(unit, node->kids) != variable)
        return false;
    const struct node *amount = node->kids->next;
    enum token_kind op = tree_plain_operator(node->op);
    if (node->op == TOK_ASSIGN) {
        if (amount->kind != NODE_BINARY || amount->kids->kind != NODE_NAME ||
            tree_symbol(unit, amount->kids) != variable)
            return false;
        op = amount->op;
        amount = amount->kids->next;
    }
    return (op == TOK_SHIFT_RIGHT || op == TOK_SLASH) && constant_of(code->model, amount, &by) &&
           constant_single(&by) && by.values[0] == (op == TOK_SHIFT_RIGHT ? 1 : 2);
}

/* Looks in NODE for ARRAY[INDEX + VARIABLE], where TARGET is ARRAY[INDEX]. */
static bool has_partner_at(const struct unit *unit, const struct node *node,
                           const struct node *target, const struct symbol *variable, unsigned depth)
{
    if (SEARCH_DEPTH < depth)
        return false;
    const struct node *index = node->kind == NODE_INDEX ? node->kids->next : NULL;
    if (index && index->kind == NODE_BINARY && index->op == TOK_PLUS &&
        unit_same_text(unit, node->kids->tokens, target->kids->tokens) &&
        unit_same_text(unit, index->kids->tokens, target->kids->next->tokens) &&
        index->kids->next->kind == NODE_NAME && tree_symbol(unit, index->kids->next) == variable)
        return true;
    tree_each (kid, node)
        if (has_partner_at(unit, kid, target, variable, depth + 1))
            return true;
    return false;
}

/* What START of a loop sets, and to what in *VALUE: int d = 32, or d = 32; NULL for neither. */
static const struct symbol *started(const struct unit *unit, const struct node *start,
                                    const struct node **value)
{
    if (start->kind == NODE_EXPRESSION && start->kids)
        start = start->kids;
    if (start->kind == NODE_ASSIGN && start->op == TOK_ASSIGN && start->kids->kind == NODE_NAME) {
        *value = start->kids->next;
        return tree_symbol(unit, start->kids);
    }
    const struct node *variable = start->kind == NODE_DECLARATION ? tree_kid(start, 1) : NULL;
    const struct node *initializer = variable ? variable->kids : NULL;
    if (!initializer || initializer->kind != NODE_INITIALIZER)
        return NULL;
    *value = initializer->kids;
    return *value ? tree_symbol(unit, variable) : NULL;
}

/* for (int d = 32; d > 0; d >>= 1) s[t] += s[t + d]; */
static void examine_loop(struct search *s, const struct node *loop)
{
    struct annotation *a = s->a;
    const struct code *code = s->code;
    const struct node *step = tree_kid(loop, 2), *body = tree_kid(loop, 3), *value = NULL;
    const struct symbol *name = started(a->unit, loop->kids, &value);
    struct constant first;
    body = body ? only_statement(body) : NULL;
    if (!name || !step || !body || body->kind != NODE_EXPRESSION || !body->kids ||
        body->kids->kind != NODE_ASSIGN || body->kids->kids->kind != NODE_INDEX)
        return;
    const struct node *target = body->kids->kids;
    if (is_halved(code, step, name) && constant_of(code->model, value, &first) &&
        constant_single(&first) && first.values[0] <= 64 &&
        has_partner_at(a->unit, target->next, target, name, 0) && may_be_shared(a, target->kids))
        report(s, target->kids, body->tokens, false);
}

void rule_warp_synchronous(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!symbol_find(unit->symbols, "__shared__") && !symbol_find(unit->symbols, "volatile") &&
        !symbol_find(unit->symbols, "__syncthreads"))
        return;
    const struct code *code = annotation_code(a);
    struct search search = {.a = a, .code = code};
    bool *seen = xcalloc(code->node_count, sizeof *seen);
    vec_each (const struct code_node, operation, &code->operations) {
        if (!operation->device || operation->node->kind != NODE_ASSIGN ||
            operation->node->kids->kind != NODE_INDEX ||
            token_region(unit_token(unit, operation->node->token)) == REGION_CUDA)
            continue;
        /* The block that the step stands in, maybe under an `if`. */
        const struct node *block = code_parent(code, operation->node);
        while (block && (block->kind != NODE_BLOCK || !block->kids->next))
            block = code_parent(code, block);
        if (!block || seen[block->id])
            continue;
        seen[block->id] = true;
        examine_block(&search, block);
    }
    free(seen);
    vec_each (const struct code_node, loop, &code->loops)
        if (loop->device && loop->node->kind == NODE_FOR &&
            token_region(unit_token(unit, loop->node->token)) != REGION_CUDA)
            examine_loop(&search, loop->node);
    vec_release(&search.said);
}
