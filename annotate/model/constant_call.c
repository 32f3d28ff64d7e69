/* What calls stand for: functions that are no more than a return, macros, min and max, the limits
   of types.  */
#include <config.h>

#include "annotate/model/constant_p.h"

#include <ctype.h>
#include <string.h>

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
        if (!constant_convert(&part, type) || !values_join(res, &part))
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

bool constant_macro(struct query *q, struct decl *macro, uint32_t at, const struct node *call,
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

bool constant_given(struct query *q, const struct symbol *name, uint32_t at, struct values *res)
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

bool constant_call(struct query *q, const struct node *node, const struct frame *frame,
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
        return constant_macro(q, macro, at, node, frame, res);
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
