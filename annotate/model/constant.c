/* Evaluation of integer expressions, with the types of C.  */
#include <config.h>

#include "annotate/model/constant_p.h"

#include <stdlib.h>
#include <string.h>

/* Expressions. */

/* Whether all of VALUES are zero, none is, or it is neither. */
enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_BOTH };

static enum truth truth_of(const struct values *values)
{
    bool zero = false, other = false;
    for (unsigned i = 0; i < values->count; ++i)
        *(values->items[i].bits ? &other : &zero) = true;
    return zero && other ? TRUTH_BOTH : other ? TRUTH_TRUE : TRUTH_FALSE;
}

static bool logical(struct query *q, const struct node *node, const struct frame *frame,
                    struct values *res)
{
    struct values a, b;
    bool known_a = query_values(q, node->kids, frame, &a);
    enum truth decides = node->op == TOK_OR_OR ? TRUTH_TRUE : TRUTH_FALSE;
    if (known_a && truth_of(&a) == decides)
        return values_one(res, decides == TRUTH_TRUE, scalar_bool);
    bool known_b = query_values(q, node->kids->next, frame, &b);
    if (known_b && truth_of(&b) == decides)
        return values_one(res, decides == TRUTH_TRUE, scalar_bool);
    if (!known_a || !known_b)
        return false;
    if (truth_of(&a) != TRUTH_BOTH && truth_of(&b) != TRUTH_BOTH)
        return values_one(res, decides != TRUTH_TRUE, scalar_bool);
    values_one(res, 0, scalar_bool);
    return values_add(res, (struct value){1, scalar_bool});
}

/* How tightly the operator of NODE, as it stands in the source, binds; 0: it is whole. */
static int looseness(const struct node *node)
{
    switch (node->kind) {
    case NODE_ASSIGN:
        return 13;
    case NODE_CHOICE:
        return 12;
    case NODE_UNARY:
    case NODE_CAST:
    case NODE_SIZEOF:
        return 1;
    case NODE_BINARY:
        break;
    default:
        return 0;
    }
    switch (node->op) {
    case TOK_STAR:
    case TOK_SLASH:
    case TOK_PERCENT:
        return 2;
    case TOK_PLUS:
    case TOK_MINUS:
        return 3;
    case TOK_SHIFT_LEFT:
    case TOK_SHIFT_RIGHT:
        return 4;
    case TOK_LESS:
    case TOK_GREATER:
    case TOK_LESS_EQUAL:
    case TOK_GREATER_EQUAL:
        return 5;
    case TOK_EQUAL:
    case TOK_NOT_EQUAL:
        return 6;
    case TOK_AMP:
        return 7;
    case TOK_CARET:
        return 8;
    case TOK_PIPE:
        return 9;
    case TOK_AND_AND:
        return 10;
    case TOK_OR_OR:
        return 11;
    default:
        return 14; /* the comma */
    }
}

/* Whether NODE stands in parentheses of its own. */
static bool in_parentheses(const struct unit *unit, const struct node *node)
{
    uint32_t before = node->tokens.begin ? node->tokens.begin - 1 : NO_TOKEN;
    return unit_kind(unit, before) == TOK_LPAREN && unit_partner(unit, before) == node->tokens.end;
}

/* Whether `a OP TEXT` is worth the same as `a OP (TEXT)`: a * b * c, a + b - c. */
static bool joins(unsigned op, const struct node *text)
{
    int level = looseness(text);
    for (; text->kind == NODE_BINARY && looseness(text) == level; text = text->kids)
        if (op == TOK_STAR ? text->op != TOK_STAR : op != TOK_PLUS)
            return false;
    return true;
}

/* Whether the name OPERAND of PARENT is a macro, or a parameter of one, whose bare text the
   operators around it would tear apart: `#define N 32 + 1` in `N * 2`. */
static bool tears(struct query *q, const struct node *operand, const struct node *parent,
                  const struct frame *frame)
{
    int around = looseness(parent);
    bool right = parent->kind == NODE_BINARY && operand == parent->kids->next;
    const struct node *name = operand->kind == NODE_CALL ? operand->kids : operand;
    if (name->kind != NODE_NAME || !tree_symbol(q->unit, name) || in_parentheses(q->unit, operand))
        return false;
    const struct node *text;
    const struct frame *outer;
    if (query_macro_parameter(q, name->token, frame, &text, &outer)) {
        if (!text)
            return false;
        /* f((a + b)): the parenthesis before f(a + b)'s is that of the call. */
        uint32_t begin = text->tokens.begin;
        enum token_kind before = 1 < begin ? unit_kind(q->unit, begin - 2) : TOK_EOF;
        if (in_parentheses(q->unit, text) && (before == TOK_LPAREN || before == TOK_COMMA))
            return false;
    } else {
        struct decl *macro =
            macro_at(q->model, tree_symbol(q->unit, name), query_place(q, name->token, frame));
        text = macro ? decl_expression(q, macro) : NULL;
        if (!text || text->tokens.begin != macro->text.begin || text->tokens.end != macro->text.end)
            return false;
    }
    int inner = looseness(text);
    if (right && around == inner)
        return !joins(parent->op, text);
    return around < inner;
}

static bool binary(struct query *q, const struct node *node, const struct frame *frame,
                   struct values *res)
{
    const struct node *left = node->kids, *right = left->next;
    if (tears(q, left, node, frame) || tears(q, right, node, frame))
        return false;
    if (node->op == TOK_OR_OR || node->op == TOK_AND_AND)
        return logical(q, node, frame, res);
    if (node->op == TOK_COMMA)
        return query_values(q, right, frame, res);
    struct values a, b;
    if (!query_values(q, left, frame, &a) || !query_values(q, right, frame, &b))
        return false;
    for (unsigned i = 0; i < a.count; ++i)
        for (unsigned k = 0; k < b.count; ++k) {
            struct value value;
            if (!value_binary(node->op, a.items[i], b.items[k], &value) || !values_add(res, value))
                return false;
        }
    return true;
}

static bool unary(struct query *q, const struct node *node, const struct frame *frame,
                  struct values *res)
{
    struct values a;
    if (node->op == TOK_STAR || node->op == TOK_AMP || tears(q, node->kids, node, frame) ||
        !query_values(q, node->kids, frame, &a))
        return false;
    for (unsigned i = 0; i < a.count; ++i) {
        struct value value;
        if (!value_unary(node->op, a.items[i], &value) || !values_add(res, value))
            return false;
    }
    return true;
}

bool constant_convert(struct values *values, const struct type *type)
{
    struct scalar scalar = scalar_long;
    bool known = type_scalar(type, &scalar);
    if (!known && type->kind != TYPE_UNKNOWN)
        return false;
    struct values res = {0};
    for (unsigned i = 0; i < values->count; ++i)
        values_add(&res, value_convert(values->items[i], scalar));
    *values = res;
    return true;
}

static bool choice(struct query *q, const struct node *node, const struct frame *frame,
                   struct values *res)
{
    struct values condition, part;
    enum truth truth =
        query_values(q, node->kids, frame, &condition) ? truth_of(&condition) : TRUTH_BOTH;
    if (truth != TRUTH_FALSE &&
        !(query_values(q, tree_kid(node, 1), frame, &part) && values_join(res, &part)))
        return false;
    if (truth != TRUTH_TRUE &&
        !(query_values(q, tree_kid(node, 2), frame, &part) && values_join(res, &part)))
        return false;
    /* The branch not taken has a say in the type. */
    const struct type *type = query_type(q, node, frame);
    struct scalar scalar;
    return !type_scalar(type, &scalar) || constant_convert(res, type);
}

static bool cast(struct query *q, const struct node *node, const struct frame *frame,
                 struct values *res)
{
    const struct node *operand = node->kids->next;
    if (!operand || operand->next || operand->kind == NODE_LIST)
        return false;
    if (node->op == TOK_LPAREN && tears(q, operand, node, frame))
        return false;
    const struct type *type = query_declared(q, node->kids, NULL, frame);
    return query_values(q, operand, frame, res) && constant_convert(res, type);
}

static bool size_of(struct query *q, const struct node *node, const struct frame *frame,
                    struct values *res)
{
    const struct node *operand = node->kids;
    const struct type *type;
    if (operand->kind == NODE_TYPE)
        type = query_declared(q, operand, NULL, frame);
    else
        type = query_type(q, operand, frame);
    bool align = !strcmp(unit_token(q->unit, node->token)->symbol->text, "alignof");
    uint64_t size = align ? type->align : type->size;
    if (!size || !type->exact || INT64_MAX < size)
        return false;
    return values_one(res, (int64_t)size, scalar_size);
}

static bool node_values(struct query *q, const struct node *node, const struct frame *frame,
                        struct values *res)
{
    struct value value;
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_CHARACTER:
        return value_literal(q->unit, node, &value) && values_add(res, value);
    case NODE_NAME:
        return constant_name(q, node, frame, res);
    case NODE_UNARY:
        return unary(q, node, frame, res);
    case NODE_BINARY:
        return binary(q, node, frame, res);
    case NODE_CHOICE:
        return choice(q, node, frame, res);
    case NODE_CAST:
    case NODE_CONSTRUCT:
        return cast(q, node, frame, res);
    case NODE_SIZEOF:
        return size_of(q, node, frame, res);
    case NODE_CALL:
        return constant_call(q, node, frame, res);
    default:
        return false;
    }
}

bool query_values(struct query *query, const struct node *expression, const struct frame *frame,
                  struct values *res)
{
    res->count = 0;
    bool known =
        query_enter(query) && node_values(query, expression, frame, res) && res->count != 0;
    query_leave(query);
    if (!known)
        res->count = 0;
    return known;
}

/* The interface. */

static int compare_integers(const void *va, const void *vb)
{
    const int64_t a = *(const int64_t *)va, b = *(const int64_t *)vb;
    return a < b ? -1 : a != b;
}

static bool give_constant(const struct query *query, bool known, const struct values *values,
                          struct constant *res)
{
    *res = (struct constant){.origin = query->origin};
    if (!known)
        return false;
    for (unsigned i = 0; i < values->count; ++i) {
        bool seen = false;
        for (unsigned k = 0; k < res->count; ++k)
            seen |= res->values[k] == values->items[i].bits;
        if (!seen)
            res->values[res->count++] = values->items[i].bits;
    }
    qsort(res->values, res->count, sizeof *res->values, compare_integers);
    return true;
}

bool constant_of(struct model *model, const struct node *expression, struct constant *res)
{
    struct query query;
    struct values values;
    query_init(&query, model);
    bool known = query_values(&query, expression, NULL, &values);
    return give_constant(&query, known, &values, res);
}

bool constant_of_name(struct model *model, const struct symbol *name, uint32_t at,
                      struct constant *res)
{
    struct query query;
    struct values values = {0};
    query_init(&query, model);
    bool known = constant_symbol(&query, name, at, &values);
    return give_constant(&query, known, &values, res);
}

bool constant_of_range(struct model *model, struct range range, struct constant *res)
{
    struct node *expression = tree_expression(&model->trees, range);
    *res = (struct constant){.origin = NO_TOKEN};
    return expression && constant_of(model, expression, res);
}

struct name_meaning model_lookup(struct model *model, const struct symbol *name, uint32_t at)
{
    static const enum name_kind kinds[] = {
        [DECL_VARIABLE] = NAME_VARIABLE,
        [DECL_LOCAL] = NAME_LOCAL,
        [DECL_PARAMETER] = NAME_PARAMETER,
        [DECL_TEMPLATE_VALUE] = NAME_TEMPLATE_PARAMETER,
        [DECL_TEMPLATE_TYPE] = NAME_TEMPLATE_PARAMETER,
        [DECL_ENUMERATOR] = NAME_ENUMERATOR,
        [DECL_FUNCTION] = NAME_FUNCTION,
        [DECL_RECORD] = NAME_TYPE,
        [DECL_ENUM] = NAME_TYPE,
        [DECL_ALIAS] = NAME_TYPE,
        [DECL_NAMESPACE] = NAME_UNKNOWN,
    };
    struct name_meaning res = {.token = NO_TOKEN, .function = NO_INDEX};
    struct decl *decl = macro_at(model, name, at);
    if (decl) {
        res.kind = NAME_MACRO;
        res.token = decl->token;
        return res;
    }
    decl = decl_at(model, name, at);
    if (!decl)
        return res;
    res.kind = kinds[decl->kind];
    res.token = decl->token;
    res.function = decl->function;
    if (decl->kind == DECL_VARIABLE || decl->kind == DECL_LOCAL || decl->kind == DECL_PARAMETER)
        decl_nodes(model, decl, &res.declaration, &res.declarator);
    return res;
}
