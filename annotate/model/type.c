/* Types of declarations.  */
#include <config.h>

#include "annotate/model/type.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/model/facts.h"
#include "annotate/model/query_p.h"

/* Builtin types. */

#define SCALAR(name, kind, sign, size)                                       \
    static const struct type builtin_##name = {kind, sign, true, size, size, \
                                               0,    NULL, NULL, NULL, 0};
#define VECTOR(name, element, count, size, align) \
    static const struct type builtin_##name = {   \
        TYPE_VECTOR, false, true, size, align, count, &builtin_##element, NULL, NULL, 0};
#define RECORD(name, size, align)                                                     \
    static const struct type builtin_##name = {TYPE_RECORD, false, true, size, align, \
                                               0,           NULL,  NULL, NULL, 0};
#include "annotate/model/type.def"
#undef SCALAR
#undef VECTOR
#undef RECORD

static const struct type type_unknown = {.kind = TYPE_UNKNOWN};
static const struct type type_void = {.kind = TYPE_VOID, .exact = true};

static const struct builtin {
    const char *name;
    const struct type *type;
} builtins[] = {
#define SCALAR(name, kind, sign, size) {#name, &builtin_##name},
#define VECTOR(name, element, count, size, align) {#name, &builtin_##name},
#define RECORD(name, size, align) {#name, &builtin_##name},
#include "annotate/model/type.def"
#undef SCALAR
#undef VECTOR
#undef RECORD
};

const struct type *type_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; ++i)
        if (builtins[i].name[0] == name[0] && !strcmp(builtins[i].name, name))
            return builtins[i].type;
    return &type_unknown;
}

static struct type *derived(struct query *q, enum type_kind kind, const struct type *element,
                            uint64_t count)
{
    struct type *res = arena_zalloc(q->model->arena, 1, sizeof *res);
    *res = (struct type){.kind = kind, .element = element, .exact = true, .size = 8, .align = 8};
    if (kind != TYPE_ARRAY)
        return res;
    res->count = count;
    res->align = element->align;
    res->size = 0;
    if (element->size && count && count <= UINT64_MAX / 2 / element->size)
        res->size = element->size * count;
    res->exact = element->exact && res->size != 0;
    return res;
}

/* unsigned long long int, in any order. */
static const struct type *word_type(const struct unit *unit, struct range range)
{
    const char *base = NULL;
    bool is_unsigned = false, is_signed = false, is_short = false;
    unsigned longs = 0;
    for (uint32_t i = range.begin; i < range.end; i = unit_next(unit, i)) {
        uint32_t partner = unit_partner(unit, i);
        if (partner != NO_TOKEN && i < partner && partner < range.end)
            i = partner;
        if (unit_kind(unit, i) != TOK_TYPE)
            continue;
        const char *word = unit_token(unit, i)->symbol->text;
        if (!strcmp(word, "unsigned"))
            is_unsigned = true;
        else if (!strcmp(word, "signed"))
            is_signed = true;
        else if (!strcmp(word, "long"))
            ++longs;
        else if (!strcmp(word, "short"))
            is_short = true;
        else
            base = word;
    }
    if (!base && !is_unsigned && !is_signed && !longs && !is_short)
        return &type_unknown;
    if (!base)
        base = "int";
    if (!strcmp(base, "void"))
        return &type_void;
    if (!strcmp(base, "double"))
        return longs ? &builtin_longdouble : &builtin_double;
    if (!strcmp(base, "char"))
        return is_unsigned ? &builtin_uchar : &builtin_char;
    if (strcmp(base, "int"))
        return type_builtin(base);
    if (is_short)
        return is_unsigned ? &builtin_ushort : &builtin_short;
    if (longs)
        return is_unsigned ? &builtin_ulong : &builtin_long;
    return is_unsigned ? &builtin_uint : &builtin_int;
}

/* Names. */

static const struct type *with_name(struct query *q, const struct type *type,
                                    const struct symbol *name)
{
    if (type->name == name || type->kind == TYPE_UNKNOWN)
        return type;
    struct type *res = arena_alloc(q->model->arena, sizeof *res);
    *res = *type;
    res->name = name;
    return res;
}

/* What a typedef or `using` stands for. */
static const struct type *alias_type(struct query *q, struct decl *decl, const struct frame *frame)
{
    if (!frame && decl->type)
        return decl->type;
    if (decl->busy) {
        q->cut = true;
        return &type_unknown;
    }
    decl->busy = true;
    const struct type *res = &type_unknown;
    const struct node *declaration, *declarator;
    if (!decl->is_typedef) {
        struct node *type = decl_type_tree(q, decl);
        if (type)
            res = query_declared(q, type, NULL, frame);
    } else if (decl_nodes(q->model, decl, &declaration, &declarator)) {
        res = query_declared(q, declaration->kids, declarator, frame);
    }
    decl->busy = false;
    if (!frame && !q->cut)
        decl->type = res;
    return res;
}

const struct type *query_alias(struct query *query, struct decl *decl)
{
    return alias_type(query, decl, NULL);
}

/* The type called NAME, which the file does not declare: one of CUDA's or C++'s, of -D, or of
   another file. */
static const struct type *foreign_type(struct query *q, const struct symbol *name)
{
    const struct type *res = type_builtin(name->text);
    const struct model_options *options = q->model->options;
    if (res->kind != TYPE_UNKNOWN || !options)
        return res;
    for (size_t i = 0; i < options->define_count; ++i)
        if (!strcmp(options->defines[i].name, name->text))
            return type_builtin(options->defines[i].value);
    res = model_facts_find_type(options, name->text);
    return res ? with_name(q, res, name) : &type_unknown;
}

/* The types of a template parameter in the instantiations that the file shows. */
struct instances {
    struct query *query;
    const struct node *tree; /* the argument */
    unsigned stars;          /* how often what it has is dereferenced; -1: it is a type */
    const struct type *type; /* NULL: none so far; TYPE_UNKNOWN: they differ */
};

/* Several are one where nobody could tell them apart by size. */
static void add_instance_type(struct instances *instances, const struct type *type)
{
    const struct type *res = instances->type;
    bool same = !res || (res->kind == type->kind && res->size == type->size &&
                         res->align == type->align && res->is_signed == type->is_signed);
    instances->type = same ? type : &type_unknown;
}

static bool add_explicit(void *data, const struct frame *frame)
{
    struct instances *instances = data;
    add_instance_type(instances, query_declared(instances->query, instances->tree, NULL, frame));
    return instances->type->kind != TYPE_UNKNOWN;
}

static bool add_deduced(void *data, const struct frame *frame)
{
    struct instances *instances = data;
    const struct type *type = query_type(instances->query, instances->tree, frame);
    for (unsigned i = 0; i < instances->stars; ++i)
        type =
            type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY ? type->element : &type_unknown;
    add_instance_type(instances, type);
    return instances->type->kind != TYPE_UNKNOWN;
}

/* How often PARAM, a function's parameter, points to the template parameter DECL: not at all in
   `T x`, once in `T x[]`; -1 where it has another type. */
static int pointers_to(const struct unit *unit, const struct node *param, const struct decl *decl)
{
    const struct node *type = param ? param->kids : NULL;
    if (!type || type->token == NO_TOKEN || tree_symbol(unit, type) != decl->symbol ||
        unit_kind(unit, type->token + 1) == TOK_LESS ||
        unit_kind(unit, type->token + 1) == TOK_COLON_COLON)
        return -1;
    const struct node *declarator = type->next;
    int res = type->stars + (declarator ? declarator->stars : 0);
    if (declarator)
        tree_each (kid, declarator)
            res += kid->kind == NODE_DIMENSION;
    return declarator && declarator->flags & DECLARATOR_NESTED ? -1 : res;
}

/* The type that the arguments of CALL give DECL, a parameter of the function at INDEX that the call
   does not name. */
static void deduce(struct instances *instances, struct decl *decl, struct call *call)
{
    struct query *q = instances->query;
    const struct model_function *function = model_function(q->model, decl->function);
    const struct node *tree = query_call(q, call);
    const struct node *argument = tree ? tree->kids->next : NULL;
    for (unsigned i = 0; i < function->param_count && argument; ++i, argument = argument->next) {
        int stars = pointers_to(q->unit, function->params[i], decl);
        if (stars < 0)
            continue;
        struct instances one = {q, argument, (unsigned)stars, NULL};
        if (!query_contexts(q, call->token, add_deduced, &one) || !one.type)
            continue;
        add_instance_type(instances, one.type);
        return;
    }
    add_instance_type(instances, &type_unknown);
}

/* The uses with arguments. */
static void explicit_types(struct instances *instances, struct decl *decl,
                           const struct symbol *name)
{
    struct query *q = instances->query;
    size_t count;
    struct template_use *uses = template_uses(q->model, name, &count);
    for (size_t i = 0; i < count; ++i) {
        bool given = decl->index < uses[i].count;
        instances->tree = given ? query_argument_type(q, &uses[i].arguments[decl->index])
                                : decl_type_tree(q, decl);
        if (!instances->tree && !given && decl->function != NO_INDEX)
            continue; /* deduced */
        if (!instances->tree || !query_contexts(q, uses[i].token, add_explicit, instances))
            instances->type = &type_unknown;
        if (instances->type == &type_unknown)
            return;
    }
}

static const struct type *shown_type(struct query *q, struct decl *decl, const struct frame *frame)
{
    const struct unit *unit = q->unit;
    const struct symbol *name = NULL;
    if (decl->function != NO_INDEX)
        name = unit_token(unit, unit->functions.items[decl->function].name)->symbol;
    else if (decl->own != NO_INDEX)
        name = unit->scopes.items[decl->own].name;
    if (!name)
        return &type_unknown;
    struct instances instances = {.query = q};
    explicit_types(&instances, decl, name);
    struct node *fallback = decl_type_tree(q, decl);
    size_t count = 0;
    struct call *calls =
        decl->function == NO_INDEX || fallback ? NULL : calls_of(q->model, name, &count);
    for (size_t i = 0; i < count && instances.type != &type_unknown; ++i) {
        const struct template_use *use = query_use(q, calls[i].token);
        if (!use || use->count <= decl->index)
            deduce(&instances, decl, &calls[i]);
    }
    if (!instances.type && fallback)
        return query_declared(q, fallback, NULL, frame);
    return instances.type ? instances.type : &type_unknown;
}

/* The type that stands for the template parameter DECL: that of the arguments in FRAME, or of the
   instantiations that the file shows, where they agree. */
static const struct type *template_type(struct query *q, struct decl *decl,
                                        const struct frame *frame)
{
    struct template_argument *argument;
    const struct frame *outer;
    if (query_template_argument(q, decl, frame, &argument, &outer)) {
        struct node *type = query_argument_type(q, argument);
        return type ? query_declared(q, type, NULL, outer) : &type_unknown;
    }
    if (decl->type)
        return decl->type;
    if (decl->busy || decl->pack) {
        q->cut |= decl->busy;
        return &type_unknown;
    }
    decl->busy = true;
    const struct type *res = shown_type(q, decl, frame);
    decl->busy = false;
    if (!q->cut)
        decl->type = res;
    return res;
}

/* The type whose last identifier is TYPE's token. */
static const struct type *named_type(struct query *q, const struct node *type,
                                     const struct frame *frame)
{
    const struct unit *unit = q->unit;
    const struct symbol *symbol = tree_symbol(unit, type);
    const struct node *argument;
    const struct frame *outer;
    if (query_macro_parameter(q, type->token, frame, &argument, &outer)) {
        if (!argument)
            return &type_unknown;
        return argument->kind == NODE_TYPE || argument->kind == NODE_NAME
                   ? query_declared(q, argument, NULL, outer)
                   : &type_unknown;
    }
    uint32_t at = query_place(q, type->token, frame);
    struct decl *macro =
        query_qualifier(q, type) == NO_TOKEN ? macro_at(q->model, symbol, at) : NULL;
    if (macro) {
        struct node *tree = decl_type_tree(q, macro);
        struct frame inner = {
            .outer = frame, .macro = macro, .at = at, .function = NO_INDEX, .record = NO_INDEX};
        return tree && !decl_alternative(macro) ? query_declared(q, tree, NULL, &inner)
                                                : &type_unknown;
    }
    struct frame inner;
    struct decl *decl = query_meaning(q, type, frame, &inner);
    if (!decl)
        return foreign_type(q, symbol);
    bool qualified = query_qualifier(q, type) != NO_TOKEN;
    const struct type *res = &type_unknown;
    switch (decl->kind) {
    case DECL_ALIAS:
        if (decl_alternative(decl) && decl_alternative(decl)->token != decl->token) {
            /* In several branches: known where they agree. */
            const struct type *other = alias_type(q, decl_alternative(decl), NULL);
            res = alias_type(q, decl, NULL);
            return other->kind == res->kind && other->size == res->size &&
                           other->is_signed == res->is_signed
                       ? res
                       : &type_unknown;
        }
        res = alias_type(q, decl,
                         qualified && inner.use                ? &inner
                         : decl->function != NO_INDEX || frame ? frame
                                                               : NULL);
        if (res->kind == TYPE_UNKNOWN && !decl->busy)
            break;
        return res;
    case DECL_TEMPLATE_TYPE:
        return template_type(q, decl, frame);
    case DECL_RECORD:
    case DECL_ENUM: {
        struct frame *of = arena_alloc(q->model->arena, sizeof *of);
        uint32_t own = decl->own;
        if (qualified)
            *of = (struct frame){.outer = frame, .function = NO_INDEX, .record = own};
        else
            own = query_scope(q, type->token, frame, of);
        if (own == NO_INDEX)
            return &type_unknown;
        return with_name(q, query_record(q, own, of->use ? of : NULL), symbol);
    }
    case DECL_VARIABLE:
    case DECL_LOCAL:
    case DECL_PARAMETER:
    case DECL_TEMPLATE_VALUE: {
        /* sizeof(a), sizeof(a[0]): only its declaration tells that it is no type. */
        struct node *expression = tree_expression(&q->model->trees, type->tokens);
        return expression ? query_type(q, expression, frame) : &type_unknown;
    }
    default:
        break;
    }
    return &type_unknown;
}

/* The scope whose body lies in TYPE: struct { ... } x; or NO_INDEX. */
static uint32_t body_scope(const struct unit *unit, const struct node *type)
{
    for (uint32_t i = type->tokens.begin; i < type->tokens.end; ++i) {
        if (unit_kind(unit, i) == TOK_LBRACE) {
            uint32_t scope = unit_scope_at(unit, i);
            return scope != NO_INDEX && unit->scopes.items[scope].open == i ? scope : NO_INDEX;
        }
        if (unit_kind(unit, i) == TOK_LPAREN || unit_kind(unit, i) == TOK_LESS) {
            uint32_t partner = unit_partner(unit, i);
            if (partner != NO_TOKEN && i < partner)
                i = partner;
        }
    }
    return NO_INDEX;
}

/* decltype(expression). */
static const struct type *decltype_type(struct query *q, const struct node *type,
                                        const struct frame *frame)
{
    uint32_t open = type->token + 1;
    uint32_t close =
        unit_kind(q->unit, open) == TOK_LPAREN ? unit_partner(q->unit, open) : NO_TOKEN;
    if (close == NO_TOKEN || close + 1 < type->tokens.end)
        return &type_unknown;
    struct node *expression = tree_expression(&q->model->trees, (struct range){open + 1, close});
    return expression ? query_type(q, expression, frame) : &type_unknown;
}

static const struct type *base_type(struct query *q, const struct node *type,
                                    const struct frame *frame)
{
    const struct unit *unit = q->unit;
    uint32_t scope = body_scope(unit, type);
    if (scope != NO_INDEX)
        return query_record(q, scope, frame);
    switch (unit_kind(unit, type->token)) {
    case TOK_IDENT:
        return named_type(q, type, frame);
    case TOK_DECLTYPE:
        return decltype_type(q, type, frame);
    default:
        return word_type(unit, type->tokens);
    }
}

/* Declarators. */

/* The number of elements that DIMENSION, or else the initialiser of DECLARATOR, gives; 0: not
   known. */
static uint64_t dimension_count(struct query *q, const struct node *dimension,
                                const struct node *declarator, const struct frame *frame)
{
    struct values values;
    if (dimension->kids) {
        if (!query_values(q, dimension->kids, frame, &values))
            return 0;
        /* Of several the largest: there is room for all. */
        int64_t res = 0;
        for (unsigned i = 0; i < values.count; ++i)
            if (res < values.items[i].bits)
                res = values.items[i].bits;
        return (uint64_t)res;
    }
    uint64_t count = 0;
    tree_each (kid, declarator) {
        if (kid->kind != NODE_INITIALIZER)
            continue;
        const struct node *items = kid->kids;
        if (items && !items->next && items->kind == NODE_LIST)
            items = items->kids;
        for (; items; items = items->next)
            ++count;
    }
    return count;
}

static bool several_values(struct query *q, const struct node *dimension, const struct frame *frame)
{
    struct values values;
    return dimension->kids && query_values(q, dimension->kids, frame, &values) && 1 < values.count;
}

/* TYPE as an array with the dimensions from DIMENSION on. */
static const struct type *array_type(struct query *q, const struct type *type,
                                     const struct node *dimension, const struct node *declarator,
                                     const struct frame *frame)
{
    if (!dimension || dimension->kind != NODE_DIMENSION || !query_enter(q)) {
        if (dimension && dimension->kind == NODE_DIMENSION)
            query_leave(q);
        return type;
    }
    const struct type *element = array_type(q, type, dimension->next, declarator, frame);
    bool first = dimension == declarator->kids;
    const struct node no_list = {.kind = NODE_DECLARATOR};
    struct type *res = derived(q, TYPE_ARRAY, element,
                               dimension_count(q, dimension, first ? declarator : &no_list, frame));
    query_leave(q);
    if (several_values(q, dimension, frame))
        res->exact = false;
    return res;
}

static const struct type *pointer_to(struct query *q, const struct type *type, unsigned stars)
{
    for (; stars; --stars)
        type = derived(q, TYPE_POINTER, type, 0);
    return type;
}

static bool is_function_pointer(const struct node *declarator)
{
    if (!(declarator->flags & DECLARATOR_NESTED))
        return false;
    tree_each (kid, declarator)
        if (kid->kind == NODE_INITIALIZER)
            return true;
    return false;
}

/* The alignment that the attributes in RANGE ask for, or 0. */
uint64_t query_alignment(struct query *q, struct range range, const struct frame *frame)
{
    const struct unit *unit = q->unit;
    uint64_t res = 0;
    for (uint32_t i = range.begin; i + 1 < range.end; ++i) {
        enum token_kind kind = unit_kind(unit, i);
        if (kind == TOK_LBRACE) {
            uint32_t partner = unit_partner(unit, i);
            if (partner != NO_TOKEN && i < partner)
                i = partner;
            continue;
        }
        const char *word = unit_token(unit, i)->symbol ? unit_token(unit, i)->symbol->text : "";
        bool is_align =
            (kind == TOK_ATTRIBUTE && (!strcmp(word, "alignas") || !strcmp(word, "__align__"))) ||
            !strcmp(word, "aligned") || !strcmp(word, "__aligned__");
        uint32_t close =
            is_align && unit_kind(unit, i + 1) == TOK_LPAREN ? unit_partner(unit, i + 1) : NO_TOKEN;
        if (close == NO_TOKEN || range.end < close)
            continue;
        struct range inner = {i + 2, close};
        struct node *expression = tree_expression(&q->model->trees, inner);
        struct node *type = tree_type(&q->model->trees, inner);
        struct values values;
        uint64_t align = 0;
        if (expression && query_values(q, expression, frame, &values) && values.count == 1)
            align = (uint64_t)values.items[0].bits;
        else if (type)
            align = query_declared(q, type, NULL, frame)->align;
        if (align && align <= 1 << 20 && !(align & (align - 1)) && res < align)
            res = align;
    }
    return res;
}

/* What `auto` stands for. */
static const struct type *initializer_type(struct query *q, const struct node *declarator,
                                           const struct frame *frame)
{
    if (!declarator)
        return &type_unknown;
    tree_each (kid, declarator)
        if (kid->kind == NODE_INITIALIZER && kid->kids && !kid->kids->next) {
            const struct type *res = query_type(q, kid->kids, frame);
            return res->kind == TYPE_ARRAY ? pointer_to(q, res->element, 1) : res;
        }
    return &type_unknown;
}

/* Whether the name that stands for TYPE is a variable's. */
static bool is_variable(struct query *q, const struct node *type, const struct frame *frame)
{
    struct frame inner;
    struct decl *decl =
        unit_kind(q->unit, type->token) == TOK_IDENT ? query_meaning(q, type, frame, &inner) : NULL;
    return decl && (decl->kind == DECL_VARIABLE || decl->kind == DECL_LOCAL ||
                    decl->kind == DECL_PARAMETER || decl->kind == DECL_TEMPLATE_VALUE);
}

/* ELEMENT with the dimensions at the end of TYPE, which declares nothing: sizeof(int[4]). */
static const struct type *with_dimensions(struct query *q, const struct type *element,
                                          const struct node *type, const struct frame *frame)
{
    const struct unit *unit = q->unit;
    uint32_t end = type->tokens.end;
    while (type->tokens.begin + 1 < end && unit_kind(unit, end - 1) == TOK_RBRACKET) {
        uint32_t open = unit_partner(unit, end - 1);
        if (open == NO_TOKEN || open <= type->tokens.begin ||
            unit_kind(unit, open - 1) == TOK_LBRACKET)
            break;
        struct node *size = tree_expression(&q->model->trees, (struct range){open + 1, end - 1});
        struct values values;
        bool known = size && query_values(q, size, frame, &values) && values.count == 1 &&
                     0 < values.items[0].bits;
        element = derived(q, TYPE_ARRAY, element, known ? (uint64_t)values.items[0].bits : 0);
        end = open;
    }
    return element;
}

static const struct type *declared(struct query *q, const struct node *type,
                                   const struct node *declarator, const struct frame *frame)
{
    const struct type *res;
    if (type->kind == NODE_NAME) {
        res = named_type(q, type, frame);
    } else if (type->flags & TYPE_AUTO) {
        res = initializer_type(q, declarator, frame);
        /* auto *p: the pointer is the initialiser's */
        return res;
    } else {
        res = pointer_to(q, base_type(q, type, frame), type->stars);
    }
    if (!declarator)
        return is_variable(q, type, frame) ? res : with_dimensions(q, res, type, frame);
    if (declarator->flags & DECLARATOR_BINDING)
        return &type_unknown;
    if (is_function_pointer(declarator))
        return pointer_to(q, &type_unknown, 1);
    if (declarator->flags & DECLARATOR_NESTED) {
        /* (*p)[4], (&a)[4] */
        res = array_type(q, res, declarator->kids, declarator, frame);
        return pointer_to(q, res, declarator->stars);
    }
    res = pointer_to(q, res, declarator->stars);
    res = array_type(q, res, declarator->kids, declarator, frame);
    return res;
}

const struct type *query_declared(struct query *query, const struct node *type,
                                  const struct node *declarator, const struct frame *frame)
{
    const struct type *res =
        query_enter(query) ? declared(query, type, declarator, frame) : &type_unknown;
    query_leave(query);
    return res;
}

const struct type *query_decl_type(struct query *query, struct decl *decl,
                                   const struct frame *frame)
{
    const struct node *declaration, *declarator;
    if (!decl_nodes(query->model, decl, &declaration, &declarator))
        return &type_unknown;
    return query_declared(query, declaration->kids, declarator, frame);
}

const struct type *type_of_declaration(struct model *model, const struct node *type,
                                       const struct node *declarator)
{
    struct query query;
    query_init(&query, model);
    return query_declared(&query, type, declarator, NULL);
}

const struct type *type_of(struct model *model, const struct node *expression)
{
    struct query query;
    query_init(&query, model);
    return query_type(&query, expression, NULL);
}

/* Shared memory. */

static void add_shared(struct model *model, const struct node *node, size_t function)
{
    if (node->kind == NODE_DECLARATION && node->kids->flags & TYPE_SHARED)
        for (const struct node *kid = node->kids->next; kid; kid = kid->next)
            *vec_push(&model_index(model)->shared) = (struct shared_object){
                .declaration = node,
                .declarator = kid,
                .type = type_of_declaration(model, node->kids, kid),
                .function = function,
                .dynamic = node->kids->flags & TYPE_EXTERN,
            };
    tree_each (kid, node)
        add_shared(model, kid, function);
}

static int compare_shared(const void *va, const void *vb)
{
    const struct shared_object *a = va, *b = vb;
    return a->declarator->tokens.begin < b->declarator->tokens.begin
               ? -1
               : a->declarator->tokens.begin != b->declarator->tokens.begin;
}

const struct shared_object *model_shared_objects(struct model *model, size_t *count)
{
    struct model_names *names = model_index(model);
    if (!names->shared_ready) {
        names->shared_ready = true;
        const struct unit *unit = model->unit;
        /* Only functions that hold such a declaration need be read. */
        for (uint32_t i = 0; i < (uint32_t)unit->tokens.list.count; ++i) {
            if (unit_kind(unit, i) != TOK_SHARED)
                continue;
            size_t function = model_function_at(model, i);
            if (function == NO_INDEX || names->locals[function].shared_read)
                continue;
            names->locals[function].shared_read = true;
            if (model_function(model, function)->body)
                add_shared(model, model_function(model, function)->body, function);
        }
        vec_each (const struct variable, variable, &unit->variables) {
            if (!(variable->flags & VARIABLE_SHARED) ||
                model_function_at(model, variable->name) != NO_INDEX)
                continue;
            struct node *tree = tree_declaration(&model->trees, variable->declaration);
            if (tree)
                add_shared(model, tree, NO_INDEX);
        }
        if (names->shared.count)
            qsort(names->shared.items, names->shared.count, sizeof *names->shared.items,
                  compare_shared);
    }
    *count = names->shared.count;
    return names->shared.items;
}

const struct shared_object *model_shared_object(struct model *model, const struct node *declarator)
{
    size_t count, low;
    const struct shared_object *list = model_shared_objects(model, &count);
    vec_search(low, count, list[low].declarator->tokens.begin <= declarator->token);
    return low && list[low - 1].declarator->token == declarator->token ? &list[low - 1] : NULL;
}

const struct shared_object *model_shared_objects_in(struct model *model, size_t function,
                                                    size_t *count)
{
    const struct range body = model->unit->functions.items[function].body;
    size_t all, begin, end;
    const struct shared_object *list = model_shared_objects(model, &all);
    vec_search(begin, all, list[begin].declarator->tokens.begin < body.begin);
    vec_search(end, all, list[end].declarator->tokens.begin < body.end);
    *count = begin < end ? end - begin : 0;
    return *count ? list + begin : NULL;
}
