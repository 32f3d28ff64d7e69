/* Types of expressions.  */
#include <config.h>

#include <string.h>

#include "annotate/model/query_p.h"
#include "parser/body.h"

static const struct type *unknown(void)
{
    return type_builtin("");
}

static bool is_arithmetic(const struct type *type)
{
    return type->kind == TYPE_BOOL || type->kind == TYPE_INTEGER || type->kind == TYPE_FLOATING;
}

static bool is_pointer(const struct type *type)
{
    return type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY;
}

/* An integer narrower than int is an int in arithmetic. */
static const struct type *promoted(const struct type *type)
{
    return type->kind == TYPE_BOOL || (type->kind == TYPE_INTEGER && type->size < 4)
               ? type_builtin("int")
               : type;
}

/* The usual arithmetic conversions. */
static const struct type *common_type(const struct type *a, const struct type *b)
{
    if (!is_arithmetic(a) || !is_arithmetic(b))
        return a->kind == TYPE_VECTOR && (b->kind == TYPE_VECTOR || is_arithmetic(b)) ? a
               : b->kind == TYPE_VECTOR && is_arithmetic(a)                           ? b
                                                                                      : unknown();
    a = promoted(a);
    b = promoted(b);
    if (a->kind != b->kind)
        return a->kind == TYPE_FLOATING ? a : b;
    if (a->size != b->size)
        return a->size < b->size ? b : a;
    return a->kind == TYPE_INTEGER && a->is_signed ? b : a;
}

static const struct type *pointer(struct query *q, const struct type *element)
{
    struct type *res = arena_zalloc(q->model->arena, 1, sizeof *res);
    *res = (struct type){
        .kind = TYPE_POINTER, .element = element, .exact = true, .size = 8, .align = 8};
    return res;
}

static const struct type *number_type(struct query *q, const struct node *node)
{
    int64_t value;
    unsigned bytes;
    bool is_signed;
    if (constant_literal(q->unit, node, &value, &bytes, &is_signed)) {
        if (bytes == 1)
            return type_builtin("char");
        return type_builtin(bytes == 8 ? is_signed ? "long" : "ulong" : is_signed ? "int" : "uint");
    }
    if (node->kind != NODE_NUMBER)
        return unknown();
    const struct token *token = unit_token(q->unit, node->token);
    const char *text = q->unit->source->text + token->offset;
    char last = text[token->length - 1];
    bool point = memchr(text, '.', token->length) || memchr(text, 'e', token->length) ||
                 memchr(text, 'E', token->length) || memchr(text, 'p', token->length);
    if (!point)
        return unknown();
    return type_builtin(last == 'f' || last == 'F'   ? "float"
                        : last == 'l' || last == 'L' ? "longdouble"
                                                     : "double");
}

static const struct type *binary_type(struct query *q, const struct node *node,
                                      const struct frame *frame)
{
    const struct node *left = node->kids, *right = left->next;
    switch (node->op) {
    case TOK_OR_OR:
    case TOK_AND_AND:
    case TOK_EQUAL:
    case TOK_NOT_EQUAL:
    case TOK_LESS:
    case TOK_GREATER:
    case TOK_LESS_EQUAL:
    case TOK_GREATER_EQUAL:
        return type_builtin("bool");
    case TOK_COMMA:
        return query_type(q, right, frame);
    case TOK_SHIFT_LEFT:
    case TOK_SHIFT_RIGHT: {
        const struct type *type = query_type(q, left, frame);
        return is_arithmetic(type) ? promoted(type) : unknown();
    }
    default:
        break;
    }
    const struct type *a = query_type(q, left, frame), *b = query_type(q, right, frame);
    if (is_pointer(a) && is_pointer(b))
        return node->op == TOK_MINUS ? type_builtin("ptrdiff_t") : unknown();
    if (is_pointer(a) || is_pointer(b)) {
        const struct type *type = is_pointer(a) ? a : b;
        return type->kind == TYPE_ARRAY ? pointer(q, type->element) : type;
    }
    return common_type(a, b);
}

static const struct type *unary_type(struct query *q, const struct node *node,
                                     const struct frame *frame)
{
    if (node->op == TOK_BANG)
        return type_builtin("bool");
    const struct type *type = query_type(q, node->kids, frame);
    switch (node->op) {
    case TOK_STAR:
        return is_pointer(type) ? type->element : unknown();
    case TOK_AMP:
        return pointer(q, type);
    case TOK_PLUS:
    case TOK_MINUS:
    case TOK_TILDE:
        return promoted(type);
    case TOK_PLUS_PLUS:
    case TOK_MINUS_MINUS:
        return type;
    default:
        return unknown();
    }
}

/* The variables that every kernel has. */
static const struct type *predeclared(const char *name)
{
    if (!strcmp(name, "threadIdx") || !strcmp(name, "blockIdx"))
        return type_builtin("uint3");
    if (!strcmp(name, "blockDim") || !strcmp(name, "gridDim"))
        return type_builtin("dim3");
    if (!strcmp(name, "warpSize"))
        return type_builtin("int");
    if (!strcmp(name, "true") || !strcmp(name, "false"))
        return type_builtin("bool");
    return unknown();
}

static const struct type *text_type(struct query *q, struct decl *macro, const struct node *name,
                                    const struct node *arguments, const struct frame *frame)
{
    struct node *text = decl_expression(q, macro);
    for (const struct frame *f = frame; f; f = f->outer)
        if (f->macro == macro)
            return unknown();
    struct frame inner = {.outer = frame,
                          .macro = macro,
                          .at = query_place(q, name->token, frame),
                          .function = NO_INDEX,
                          .arguments = arguments,
                          .record = NO_INDEX};
    return text ? query_type(q, text, &inner) : unknown();
}

static const struct type *decl_type(struct query *q, struct decl *decl, const struct frame *frame)
{
    switch (decl->kind) {
    case DECL_VARIABLE:
    case DECL_LOCAL:
    case DECL_PARAMETER:
    case DECL_TEMPLATE_VALUE: {
        if (decl->busy) { /* auto x = x; */
            q->cut = true;
            return unknown();
        }
        decl->busy = true;
        const struct type *res = query_decl_type(q, decl, frame);
        decl->busy = false;
        /* A parameter that is written as an array is a pointer. */
        if (decl->kind == DECL_PARAMETER && res->kind == TYPE_ARRAY && decl->declarator &&
            !(decl->declarator->flags & DECLARATOR_NESTED))
            return pointer(q, res->element);
        return res;
    }
    case DECL_ENUMERATOR:
        return decl->scope == NO_INDEX ? type_builtin("int") : query_record(q, decl->scope, NULL);
    default:
        return unknown();
    }
}

static const struct type *name_type(struct query *q, const struct node *node,
                                    const struct frame *frame)
{
    const struct symbol *symbol = tree_symbol(q->unit, node);
    const struct node *argument;
    const struct frame *outer;
    if (!symbol)
        return unknown();
    if (query_macro_parameter(q, node->token, frame, &argument, &outer))
        return argument ? query_type(q, argument, outer) : unknown();
    struct decl *macro = node->flags & NAME_QUALIFIED
                             ? NULL
                             : macro_at(q->model, symbol, query_place(q, node->token, frame));
    if (macro)
        return text_type(q, macro, node, NULL, frame);
    struct frame inner;
    struct decl *decl = query_meaning(q, node, frame, &inner);
    if (!decl)
        return predeclared(symbol->text);
    return decl_type(q, decl, node->flags & NAME_QUALIFIED ? inner.use ? &inner : NULL : frame);
}

static const struct type *member_type(struct query *q, const struct node *node,
                                      const struct frame *frame)
{
    const struct type *type = query_type(q, node->kids, frame);
    const struct symbol *name = tree_symbol(q->unit, node);
    if (!name)
        return unknown();
    if (node->op == TOK_ARROW)
        type = is_pointer(type) ? type->element : unknown();
    if (type->kind == TYPE_VECTOR)
        return type->element;
    for (unsigned depth = 0; type->kind == TYPE_RECORD && depth < 8; ++depth) {
        const struct type *inner = NULL;
        for (unsigned i = 0; i < type->member_count; ++i) {
            if (type->members[i].name == name)
                return type->members[i].type;
            if (!type->members[i].name)
                inner = type->members[i].type; /* a base, or an anonymous union */
        }
        if (!inner)
            break;
        type = inner;
    }
    return unknown();
}

/* What a function of CUDA's returns. */
static const struct type *builtin_result(struct query *q, const char *name,
                                         const struct node *arguments, const struct frame *frame)
{
    static const struct result {
        const char *name;
        const char *type; /* or that of an argument */
        unsigned argument;
        bool points;
    } results[] = {
#define RESULT(name, type) {#name, #type, 0, false},
#define RESULT_OF(name, argument) {#name, NULL, argument, false},
#define RESULT_AT(name, argument) {#name, NULL, argument, true},
#include "annotate/model/result.def"
#undef RESULT
#undef RESULT_OF
#undef RESULT_AT
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
        if (strcmp(results[i].name, name))
            continue;
        if (results[i].type)
            return type_builtin(results[i].type);
        for (unsigned k = 0; arguments && k < results[i].argument; ++k)
            arguments = arguments->next;
        const struct type *type = arguments ? query_type(q, arguments, frame) : unknown();
        return !results[i].points ? type : is_pointer(type) ? type->element : unknown();
    }
    if (arguments && arguments->next && (!strcmp(name, "min") || !strcmp(name, "max")))
        return common_type(query_type(q, arguments, frame), query_type(q, arguments->next, frame));
    return unknown();
}

const struct type *query_result(struct query *q, uint32_t index, const struct frame *frame)
{
    const struct unit *unit = q->unit;
    const struct function *function = &unit->functions.items[index];
    uint32_t begin = function->head.begin, end = function->name;
    while (begin + 1 < end && unit_kind(unit, begin) == TOK_TEMPLATE &&
           unit_kind(unit, begin + 1) == TOK_LESS && unit_partner(unit, begin + 1) != NO_TOKEN)
        begin = unit_partner(unit, begin + 1) + 1;
    /* OWNER::name */
    while (begin + 1 < end && unit_kind(unit, end - 1) == TOK_COLON_COLON)
        end -= 2;
    while (begin < end &&
           (unit_kind(unit, begin) == TOK_EXTERN || unit_kind(unit, begin) == TOK_STRING ||
            unit_kind(unit, begin) == TOK_GLOBAL))
        ++begin;
    if (end <= begin)
        return unknown();
    struct node *type = tree_type(&q->model->trees, (struct range){begin, end});
    return type ? query_declared(q, type, NULL, frame) : unknown();
}

static const struct type *call_type(struct query *q, const struct node *node,
                                    const struct frame *frame)
{
    const struct node *callee = node->kids;
    const struct symbol *symbol = callee->kind == NODE_NAME ? tree_symbol(q->unit, callee) : NULL;
    if (!symbol)
        return unknown();
    struct decl *macro = macro_at(q->model, symbol, query_place(q, callee->token, frame));
    if (macro)
        return text_type(q, macro, callee, callee->next, frame);
    struct frame meaning;
    struct decl *decl = query_meaning(q, callee, frame, &meaning);
    if (!decl) {
        const struct type *type = type_builtin(symbol->text);
        if (type->kind != TYPE_UNKNOWN)
            return type; /* float2(...) */
        if (!strncmp(symbol->text, "make_", 5))
            return type_builtin(symbol->text + 5);
        return builtin_result(q, symbol->text, callee->next, frame);
    }
    if (decl->kind == DECL_RECORD)
        return query_record(q, decl->own, NULL);
    if (decl->kind != DECL_FUNCTION)
        return unknown();
    struct frame inner = {.outer = frame,
                          .function = decl->function,
                          .arguments = callee->next,
                          .record = NO_INDEX,
                          .use = query_use(q, callee->token)};
    return query_result(q, decl->function, &inner);
}

static const struct type *expression_type(struct query *q, const struct node *node,
                                          const struct frame *frame)
{
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_CHARACTER:
        return number_type(q, node);
    case NODE_NAME:
        return name_type(q, node, frame);
    case NODE_UNARY:
        return unary_type(q, node, frame);
    case NODE_POSTFIX:
    case NODE_ASSIGN:
        return query_type(q, node->kids, frame);
    case NODE_BINARY:
        return binary_type(q, node, frame);
    case NODE_CHOICE: {
        const struct type *a = query_type(q, tree_kid(node, 1), frame);
        const struct type *b = query_type(q, tree_kid(node, 2), frame);
        return a == b ? a : is_pointer(a) ? a : common_type(a, b);
    }
    case NODE_CALL:
        return call_type(q, node, frame);
    case NODE_CONSTRUCT:
    case NODE_CAST:
        return query_declared(q, node->kids, NULL, frame);
    case NODE_INDEX: {
        const struct type *type = query_type(q, node->kids, frame);
        return is_pointer(type) ? type->element : unknown();
    }
    case NODE_MEMBER:
        return member_type(q, node, frame);
    case NODE_SIZEOF:
        return type_builtin("size_t");
    case NODE_NEW:
        return pointer(q, query_declared(q, node->kids, NULL, frame));
    case NODE_STRING:
        return pointer(q, type_builtin("char"));
    default:
        return unknown();
    }
}

const struct type *query_type(struct query *query, const struct node *expression,
                              const struct frame *frame)
{
    const struct type *res =
        query_enter(query) ? expression_type(query, expression, frame) : unknown();
    query_leave(query);
    return res;
}
