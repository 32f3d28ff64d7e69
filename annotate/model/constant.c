/* Evaluation of integer expressions, with the types of C.  */
#include <config.h>

#include "annotate/model/constant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/model/facts.h"
#include "annotate/model/query_p.h"
#include "annotate/model/value_p.h"

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

/* VALUES as TYPE has them; false where it is no integer. A type that is not known changes nothing,
   and counts as 64 bits. */
static bool convert_values(struct values *values, const struct type *type)
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
    return !type_scalar(type, &scalar) || convert_values(res, type);
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
    return query_values(q, operand, frame, res) && convert_values(res, type);
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

/* Calls. */

static unsigned count_nodes(const struct node *node)
{
    unsigned res = 0;
    for (; node; node = node->next)
        ++res;
    return res;
}

/* The value of BODY where it is no more than declarations and a return. */
static bool body_value(struct query *q, const struct node *body, const struct frame *frame,
                       struct values *res)
{
    const struct node *statement = body && body->kind == NODE_BLOCK ? body->kids : NULL;
    while (statement && (statement->kind == NODE_DECLARATION || statement->kind == NODE_ALIAS))
        statement = statement->next;
    return statement && statement->kind == NODE_RETURN && !statement->next && statement->kids &&
           query_values(q, statement->kids, frame, res);
}

/* The functions called DECL that have a body and as many parameters as CALL has arguments: all
   together. */
static bool call_function(struct query *q, struct decl *decl, const struct node *call,
                          const struct frame *frame, struct values *res)
{
    enum { OVERLOADS_MAX = 16 };
    unsigned arguments = count_nodes(call->kids->next), found = 0;
    if (OVERLOADS_MAX < decl->alternatives)
        return false;
    for (; decl; decl = decl_alternative(decl)) {
        const struct function *function = &q->unit->functions.items[decl->function];
        if (function->body.end <= function->body.begin)
            continue;
        const struct model_function *model = model_function(q->model, decl->function);
        if (model->param_count != arguments)
            continue;
        struct frame inner = {
            .outer = frame,
            .function = decl->function,
            .arguments = call->kids->next,
            .record = NO_INDEX,
            .use = query_use(q, call->kids->token),
        };
        struct values part = {0};
        if (!body_value(q, model->body, &inner, &part))
            return false;
        const struct type *type = query_result(q, decl->function, &inner);
        if (!convert_values(&part, type) || !values_join(res, &part))
            return false;
        ++found;
    }
    return found;
}

/* min and max in all their spellings. */
static bool is_minmax(const char *name, bool *is_max)
{
    *is_max = !strcmp(name, "max") || !strcmp(name, "MAX") || !strcmp(name, "umax");
    return *is_max || !strcmp(name, "min") || !strcmp(name, "MIN") || !strcmp(name, "umin");
}

static bool minmax(struct query *q, const struct node *call, bool is_max, const struct frame *frame,
                   struct values *res)
{
    struct values a, b;
    const struct node *first = call->kids->next;
    if (count_nodes(first) != 2 || !query_values(q, first, frame, &a) ||
        !query_values(q, first->next, frame, &b))
        return false;
    for (unsigned i = 0; i < a.count; ++i)
        for (unsigned k = 0; k < b.count; ++k) {
            struct scalar type = value_common(a.items[i].type, b.items[k].type);
            struct value x = value_convert(a.items[i], type), y = value_convert(b.items[k], type);
            if (!values_add(res, value_less(x, y) == is_max ? y : x))
                return false;
        }
    return true;
}

/* std::numeric_limits<T>::max() and min(). */
static bool limits(struct query *q, const struct node *callee, const struct frame *frame,
                   struct values *res)
{
    uint32_t qualifier = query_qualifier(q, callee);
    if (qualifier == NO_TOKEN ||
        strcmp(unit_token(q->unit, qualifier)->symbol->text, "numeric_limits"))
        return false;
    struct template_use *use = query_use(q, qualifier);
    struct node *tree = use && use->count == 1 ? query_argument_type(q, &use->arguments[0]) : NULL;
    struct scalar type;
    if (!tree || !type_scalar(query_declared(q, tree, NULL, frame), &type))
        return false;
    const char *name = tree_symbol(q->unit, callee)->text;
    unsigned bits = type.is_bool ? 1 : 8 * type.bytes - type.is_signed;
    uint64_t max = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    if (!strcmp(name, "max"))
        return values_one(res, (int64_t)max, type);
    if (strcmp(name, "min") && strcmp(name, "lowest"))
        return false;
    return values_one(res, type.is_signed ? -(int64_t)max - 1 : 0, type);
}

/* Whether MACRO may be expanded within FRAME: not where its own text is being read, in which its
   name is no macro, and not behind more macros than anybody writes. */
static bool is_expandable(struct query *q, const struct decl *macro, const struct frame *frame)
{
    enum { DEEPEST = 100 };
    unsigned depth = 0;
    for (; frame && depth < DEEPEST; frame = frame->outer, ++depth)
        if (frame->macro == macro)
            return false;
    q->cut |= frame != NULL;
    return !frame;
}

/* Whether TEXT, of the definition D, is a macro that the file does not define, in a branch for
   those who give it to the compiler: #ifdef SIZE_GIVEN, #define SIZE SIZE_GIVEN. */
static bool is_given_elsewhere(struct query *q, const struct directive *d, const struct node *text)
{
    if (!text || text->kind != NODE_NAME || d->parent == NO_INDEX)
        return false;
    const struct directive *around = &q->unit->directives.items[d->parent];
    const struct symbol *symbol = tree_symbol(q->unit, text);
    return around->condition && around->kind != TOK_PP_IFNDEF &&
           around->condition->kind == COND_DEFINED &&
           unit_token(q->unit, around->condition->token)->symbol == symbol;
}

/* All definitions of the macro that are possible where it stands AT, each read with the arguments
   of CALL. */
static bool expand_macro(struct query *q, struct decl *macro, uint32_t at, const struct node *call,
                         const struct frame *frame, struct values *res)
{
    enum { DEFINITIONS_MAX = 64 };
    if (DEFINITIONS_MAX < macro->readings)
        return false;
    for (; macro; macro = macro->reading) {
        const struct directive *d = &q->unit->directives.items[macro->directive];
        if (d->function_like != (call != NULL) || !is_expandable(q, macro, frame))
            return false;
        struct node *text = decl_expression(q, macro);
        struct frame inner = {
            .outer = frame,
            .macro = macro,
            .at = at,
            .function = NO_INDEX,
            .arguments = call ? call->kids->next : NULL,
            .record = NO_INDEX,
        };
        struct values part = {0};
        bool known = text && query_values(q, text, &inner, &part);
        if (!known && is_given_elsewhere(q, d, text))
            continue;
        if (!known || !values_join(res, &part))
            return false;
    }
    return true;
}

/* Whether nothing in FRAME binds a name: it is that of macros without arguments. */
static bool binds_nothing(const struct frame *frame)
{
    while (frame && frame->macro && !frame->arguments && !frame->use)
        frame = frame->outer;
    return !frame;
}

/* What MACRO, or the CALL of it, at the place AT stands for. One without parameters is asked for
   once at a place: each of a chain may name the one before it twice. */
static bool macro_values(struct query *q, struct decl *macro, uint32_t at, const struct node *call,
                         const struct frame *frame, struct values *res)
{
    if (call || !binds_nothing(frame))
        return expand_macro(q, macro, at, call, frame, res);
    if (macro->cached && macro->cached_at == at) {
        if (macro->values)
            *res = *macro->values;
        return macro->values;
    }
    bool cut = q->cut;
    q->cut = false;
    bool known = expand_macro(q, macro, at, NULL, frame, res);
    /* What is asked for by itself will get no other answer the next time. */
    if (known || !q->cut || QUERY_STEPS <= q->steps || q->depth <= 1) {
        if (known && !macro->kept)
            macro->kept = arena_alloc(q->model->arena, sizeof *macro->kept);
        if (known)
            *macro->kept = *res;
        macro->values = known ? macro->kept : NULL;
        macro->cached = true;
        macro->cached_at = at;
    }
    q->cut |= cut;
    return known;
}

/* -DNAME=VALUE: a number, or a name. */
static bool given_value(struct query *q, const struct symbol *name, uint32_t at, struct values *res)
{
    const struct model_options *options = q->model->options;
    for (size_t i = 0; options && i < options->define_count; ++i) {
        if (strcmp(options->defines[i].name, name->text))
            continue;
        const char *text = options->defines[i].value;
        size_t len = strlen(text);
        bool minus = false;
        char copy[64];
        while (len && (*text == '(' && text[len - 1] == ')')) {
            ++text;
            len -= 2;
        }
        if (len && *text == '-') {
            minus = true;
            ++text;
            --len;
        }
        if (!len || sizeof copy <= len)
            return false;
        memcpy(copy, text, len);
        copy[len] = '\0';
        struct value value;
        if (isdigit((unsigned char)*copy)) {
            if (!value_number(copy, &value) || (minus && !value_unary(TOK_MINUS, value, &value)))
                return false;
            return values_add(res, value);
        }
        const struct symbol *other = symbol_find(q->unit->symbols, copy);
        struct decl *macro = other && other != name ? macro_at(q->model, other, at) : NULL;
        struct node *tree = macro ? decl_expression(q, macro) : NULL;
        return tree && !minus && query_values(q, tree, NULL, res);
    }
    return false;
}

static bool call(struct query *q, const struct node *node, const struct frame *frame,
                 struct values *res)
{
    const struct node *callee = node->kids;
    const struct symbol *symbol = callee->kind == NODE_NAME ? tree_symbol(q->unit, callee) : NULL;
    if (!symbol)
        return false;
    uint32_t at = query_place(q, callee->token, frame);
    struct decl *macro = callee->flags & NAME_QUALIFIED ? NULL : macro_at(q->model, symbol, at);
    if (macro) {
        if (q->origin == NO_TOKEN)
            q->origin = macro->token;
        return macro_values(q, macro, at, node, frame, res);
    }
    if (limits(q, callee, frame, res))
        return true;
    struct frame inner;
    struct decl *decl = query_meaning(q, callee, frame, &inner);
    bool is_max;
    if (decl && decl->kind == DECL_FUNCTION) {
        if (q->origin == NO_TOKEN)
            q->origin = decl->token;
        return call_function(q, decl, node, callee->flags & NAME_QUALIFIED ? &inner : frame, res);
    }
    return !decl && is_minmax(symbol->text, &is_max) && minmax(q, node, is_max, frame, res);
}

/* Names. */

static bool variable_values(struct query *q, struct decl *decl, const struct frame *frame,
                            struct values *res)
{
    const struct node *declaration, *declarator, *value = NULL;
    if (!decl_nodes(q->model, decl, &declaration, &declarator))
        return false;
    const struct node *type = declaration->kids;
    bool constant = type->flags & TYPE_CONST && !declarator->stars;
    bool member = decl->kind == DECL_VARIABLE && decl->scope != NO_INDEX &&
                  q->unit->scopes.items[decl->scope].kind == SCOPE_CLASS &&
                  !(type->flags & TYPE_STATIC);
    if (type->flags & TYPE_VOLATILE || declarator->stars || type->stars || member ||
        (decl->kind == DECL_VARIABLE ? !constant : !constant && decl->changed))
        return false;
    tree_each (kid, declarator) {
        if (kid->kind != NODE_INITIALIZER)
            return false; /* an array */
        value = kid->kids;
    }
    if (!value || value->next || value->kind == NODE_LIST)
        return false;
    if (!query_values(q, value, frame, res))
        return false;
    return type->flags & TYPE_AUTO || convert_values(res, query_decl_type(q, decl, frame));
}

static bool enumerator_values(struct query *q, struct decl *decl, const struct frame *frame,
                              struct values *res)
{
    struct decl *base = decl->base;
    struct values first;
    values_one(&first, 0, scalar_int);
    if (base->text.begin < base->text.end) {
        struct node *tree = decl_expression(q, base);
        if (!tree || !query_values(q, tree, frame, &first))
            return false;
    }
    for (unsigned i = 0; i < first.count; ++i) {
        struct value value = {(int64_t)((uint64_t)first.items[i].bits + decl->index),
                              first.items[i].type.bytes < 4 ? scalar_int : first.items[i].type};
        if (!values_add(res, value_convert(value, value.type)))
            return false;
    }
    return true;
}

/* The template whose parameter DECL is. */
static const struct symbol *template_name(const struct unit *unit, const struct decl *decl)
{
    if (decl->function != NO_INDEX)
        return unit_token(unit, unit->functions.items[decl->function].name)->symbol;
    return decl->own != NO_INDEX ? unit->scopes.items[decl->own].name : NULL;
}

/* The values of a template argument in the contexts that it is read in. */
struct instances {
    struct query *query;
    const struct node *tree;
    struct values *values;
    size_t shown;
};

static bool add_instance(void *data, const struct frame *frame)
{
    struct instances *instances = data;
    struct values part = {0};
    instances->shown++;
    return query_values(instances->query, instances->tree, frame, &part) &&
           values_join(instances->values, &part);
}

static bool template_values(struct query *q, struct decl *decl, const struct frame *frame,
                            struct values *res)
{
    struct template_argument *argument;
    const struct frame *outer;
    struct node *tree;
    if (query_template_argument(q, decl, frame, &argument, &outer)) {
        tree = query_argument_expression(q, argument);
        return tree && query_values(q, tree, outer, res);
    }
    if (decl->pack)
        return false;
    struct node *fallback = decl->text.begin < decl->text.end ? decl_expression(q, decl) : NULL;
    /* The instantiations that the file shows. */
    const struct symbol *name = template_name(q->unit, decl);
    size_t count = 0, missing = 0, shown = 0;
    struct template_use *uses = name ? template_uses(q->model, name, &count) : NULL;
    for (size_t i = 0; i < count; ++i) {
        if (uses[i].count <= decl->index) {
            ++missing;
            continue;
        }
        struct instances instances = {
            q, query_argument_expression(q, &uses[i].arguments[decl->index]), res, 0};
        if (!instances.tree || !query_contexts(q, uses[i].token, add_instance, &instances))
            return false;
        shown += instances.shown;
    }
    if (fallback && (missing || !shown)) {
        struct values part = {0};
        if (!query_values(q, fallback, frame, &part) || !values_join(res, &part))
            return false;
        ++shown;
    }
    if (!shown)
        return false;
    const struct type *type = query_decl_type(q, decl, frame);
    return type->kind == TYPE_UNKNOWN || convert_values(res, type);
}

/* An argument of the call that FRAME is in the midst of. */
static bool parameter_values(struct query *q, struct decl *decl, const struct frame *frame,
                             struct values *res)
{
    for (; frame; frame = frame->outer) {
        if (frame->function != decl->function || frame->macro)
            continue;
        const struct node *argument = frame->arguments;
        for (unsigned i = 0; argument && i < decl->index; ++i)
            argument = argument->next;
        return argument && !decl->changed && query_values(q, argument, frame->outer, res) &&
               convert_values(res, query_decl_type(q, decl, frame));
    }
    return false;
}

static bool plain_decl_values(struct query *q, struct decl *decl, const struct frame *frame,
                              struct values *res)
{
    switch (decl->kind) {
    case DECL_VARIABLE:
    case DECL_LOCAL:
        return variable_values(q, decl, frame, res);
    case DECL_PARAMETER:
        return parameter_values(q, decl, frame, res);
    case DECL_ENUMERATOR:
        return enumerator_values(q, decl, frame, res);
    case DECL_TEMPLATE_VALUE:
        return template_values(q, decl, frame, res);
    default:
        return false;
    }
}

/* What stands for DECL, kept where it does not depend on a frame. */
static bool decl_values(struct query *q, struct decl *decl, const struct frame *frame,
                        struct values *res)
{
    if (!frame && decl->cached) {
        if (decl->values)
            *res = *decl->values;
        return decl->values;
    }
    if (frame)
        return plain_decl_values(q, decl, frame, res);
    if (decl->busy) {
        q->cut = true;
        return false;
    }
    bool cut = q->cut;
    q->cut = false;
    decl->busy = true;
    bool known = plain_decl_values(q, decl, NULL, res);
    decl->busy = false;
    /* What a bound cut short is not worth asking again; what a cycle cut may be. */
    if (known || !q->cut || QUERY_STEPS <= q->steps) {
        decl->cached = true;
        if (known) {
            struct values *kept = arena_alloc(q->model->arena, sizeof *kept);
            *kept = *res;
            decl->values = kept;
        }
    }
    q->cut |= cut;
    return known;
}

/* What DECL, and what other branches of an #if have in its place, stand for. */
static bool decls_values(struct query *q, struct decl *decl, const struct frame *frame,
                         struct values *res)
{
    enum { ALTERNATIVES_MAX = 16 };
    if (q->origin == NO_TOKEN)
        q->origin = decl->token;
    if (decl->kind == DECL_ENUMERATOR)
        return decl_values(q, decl, frame, res);
    if (ALTERNATIVES_MAX < decl->alternatives)
        return false;
    for (; decl; decl = decl_alternative(decl)) {
        struct values part = {0};
        if (!decl_values(q, decl, frame, &part) || !values_join(res, &part))
            return false;
    }
    return true;
}

/* The macro SYMBOL at AT, in the file or given with -D. *IS_MACRO: it is one. */
static bool symbol_macro(struct query *q, const struct symbol *symbol, uint32_t at,
                         const struct frame *frame, struct values *res, bool *is_macro)
{
    struct decl *macro = macro_at(q->model, symbol, at);
    *is_macro = true;
    if (macro) {
        if (q->origin == NO_TOKEN)
            q->origin = macro->token;
        return macro_values(q, macro, at, NULL, frame, res);
    }
    *is_macro = given_value(q, symbol, at, res);
    return *is_macro;
}

/* What other files say of SYMBOL, which this one does not declare. */
static bool foreign_values(struct query *q, const struct symbol *symbol, struct values *res)
{
    struct constant constant;
    if (!model_facts_find(q->model->options, symbol->text, &constant))
        return false;
    for (unsigned i = 0; i < constant.count; ++i) {
        int64_t bits = constant.values[i];
        struct scalar type = INT32_MIN <= bits && bits <= INT32_MAX ? scalar_int : scalar_long;
        if (!values_add(res, (struct value){bits, type}))
            return false;
    }
    return true;
}

static bool symbol_values(struct query *q, const struct symbol *symbol, uint32_t at,
                          struct values *res)
{
    bool is_macro, known = symbol_macro(q, symbol, at, NULL, res, &is_macro);
    if (is_macro)
        return known;
    struct decl *decl = decl_at(q->model, symbol, at);
    return decl ? decls_values(q, decl, NULL, res) : foreign_values(q, symbol, res);
}

static bool name_values(struct query *q, const struct node *node, const struct frame *frame,
                        struct values *res)
{
    const struct symbol *symbol = tree_symbol(q->unit, node);
    if (!symbol)
        return false;
    const struct node *argument;
    const struct frame *outer;
    if (query_macro_parameter(q, node->token, frame, &argument, &outer))
        return argument && query_values(q, argument, outer, res);
    bool qualified = node->flags & NAME_QUALIFIED, is_macro = false;
    if (!qualified) {
        if (!strcmp(symbol->text, "true") || !strcmp(symbol->text, "false"))
            return values_one(res, *symbol->text == 't', scalar_bool);
        bool known =
            symbol_macro(q, symbol, query_place(q, node->token, frame), frame, res, &is_macro);
        if (is_macro)
            return known;
    }
    struct frame inner;
    struct decl *decl = query_meaning(q, node, frame, &inner);
    if (!decl)
        return foreign_values(q, symbol, res);
    /* A variable of the file sees nothing of the frame; a member of a template class does. */
    const struct frame *in = frame;
    if (qualified)
        in = inner.use ? &inner : NULL;
    else if (decl->kind == DECL_VARIABLE || decl->kind == DECL_ENUMERATOR)
        in = frame && frame->record != NO_INDEX ? frame : NULL;
    return decls_values(q, decl, in, res);
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
        return name_values(q, node, frame, res);
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
        return call(q, node, frame, res);
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
    bool known = symbol_values(&query, name, at, &values);
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
