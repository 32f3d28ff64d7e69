/* What names mean inside macros, calls and templates.  */
#include <config.h>

#include "annotate/model/query_p.h"

#include <string.h>

void query_init(struct query *query, struct model *model)
{
    *query = (struct query){.model = model, .unit = model->unit, .origin = NO_TOKEN};
}

bool query_enter(struct query *query)
{
    query->depth++;
    query->model->work++;
    if (query->steps++ < QUERY_STEPS && query->depth <= QUERY_DEPTH)
        return true;
    query->cut = true;
    return false;
}

void query_leave(struct query *query)
{
    query->depth--;
}

static bool in_text(const struct query *query, const struct decl *macro, uint32_t token)
{
    struct range body = query->unit->directives.items[macro->directive].body;
    return body.begin <= token && token < body.end;
}

uint32_t query_place(const struct query *query, uint32_t token, const struct frame *frame)
{
    if (token == NO_TOKEN || !(unit_token(query->unit, token)->flags & TOKEN_MACRO_BODY))
        return token;
    for (; frame; frame = frame->outer)
        if (frame->macro && in_text(query, frame->macro, token))
            return frame->at;
    return token;
}

bool query_macro_parameter(const struct query *query, uint32_t token, const struct frame *frame,
                           const struct node **argument, const struct frame **outer)
{
    const struct unit *unit = query->unit;
    if (token == NO_TOKEN || !(unit_token(unit, token)->flags & TOKEN_MACRO_BODY))
        return false;
    for (; frame; frame = frame->outer) {
        if (!frame->macro || !in_text(query, frame->macro, token))
            continue;
        const struct directive *d = &unit->directives.items[frame->macro->directive];
        const struct node *value = frame->arguments;
        for (uint32_t i = d->params.begin; i < d->params.end; ++i) {
            if (unit_kind(unit, i) == TOK_COMMA) {
                value = value ? value->next : NULL;
                continue;
            }
            if (unit_token(unit, i)->symbol != unit_token(unit, token)->symbol)
                continue;
            *argument = value;
            *outer = frame->outer;
            return true;
        }
        return false;
    }
    return false;
}

struct template_use *query_use(const struct query *query, uint32_t token)
{
    size_t count;
    const struct symbol *symbol = unit_token(query->unit, token)->symbol;
    struct template_use *uses = template_uses(query->model, symbol, &count);
    size_t low;
    vec_search(low, count, uses[low].token < token);
    return low < count && uses[low].token == token ? &uses[low] : NULL;
}

bool query_template_argument(const struct query *query, const struct decl *decl,
                             const struct frame *frame, struct template_argument **argument,
                             const struct frame **outer)
{
    (void)query;
    for (; frame; frame = frame->outer) {
        bool here =
            frame->use && ((decl->own != NO_INDEX && frame->record == decl->own) ||
                           (decl->function != NO_INDEX && frame->function == decl->function));
        if (!here)
            continue;
        if (frame->use->count <= decl->index || decl->pack)
            return false;
        *argument = &frame->use->arguments[decl->index];
        *outer = frame->outer;
        return true;
    }
    return false;
}

static void parse_argument(const struct query *query, struct template_argument *argument)
{
    if (argument->parsed)
        return;
    argument->parsed = true;
    argument->expression = tree_expression(&query->model->trees, argument->range);
    argument->type = tree_type(&query->model->trees, argument->range);
}

struct node *query_argument_expression(const struct query *query,
                                       struct template_argument *argument)
{
    parse_argument(query, argument);
    return argument->expression;
}

struct node *query_argument_type(const struct query *query, struct template_argument *argument)
{
    parse_argument(query, argument);
    return argument->type;
}

struct node *query_call(const struct query *query, struct call *call)
{
    if (!call->parsed) {
        call->parsed = true;
        call->tree = tree_expression(&query->model->trees, call->range);
        if (call->tree && call->tree->kind != NODE_CALL && call->tree->kind != NODE_LAUNCH)
            call->tree = NULL;
    }
    return call->tree;
}

/* One call of a macro on the way to a token in its text. */
struct expansion {
    const struct decl *macro;
    const struct call *call;
    query_visitor visit;
    void *data;
};

static bool expand(void *data, const struct frame *outer)
{
    const struct expansion *expansion = data;
    struct frame frame = {
        .outer = outer,
        .macro = expansion->macro,
        .at = expansion->call->token,
        .function = NO_INDEX,
        .arguments = expansion->call->tree->kids->next,
        .record = NO_INDEX,
    };
    for (; outer; outer = outer->outer)
        frame.at = outer->at; /* names are looked up where the outermost macro stands */
    return expansion->visit(expansion->data, &frame);
}

bool query_contexts(struct query *query, uint32_t token, query_visitor visit, void *data)
{
    const struct unit *unit = query->unit;
    const struct directive *d =
        unit_token(unit, token)->flags & TOKEN_MACRO_BODY ? unit_directive_at(unit, token) : NULL;
    if (!d || !d->function_like)
        return visit(data, NULL);
    struct decl *macro = macro_at(query->model, unit_token(unit, d->name)->symbol, d->tokens.end);
    if (!macro || &unit->directives.items[macro->directive] != d)
        return false;
    size_t count;
    struct call *calls = calls_of(query->model, macro->symbol, &count);
    size_t first;
    vec_search(first, count, calls[first].token < macro->begin);
    bool res = query_enter(query);
    for (size_t i = first; i < count && calls[i].token < macro->end && res; ++i) {
        query->model->work++;
        if (d->body.begin <= calls[i].token && calls[i].token < d->body.end)
            continue;
        struct expansion expansion = {macro, &calls[i], visit, data};
        res = query_call(query, &calls[i]) &&
              query_contexts(query, calls[i].token, expand, &expansion);
    }
    query_leave(query);
    return res;
}

static void parse_text(struct query *query, struct decl *decl)
{
    if (decl->parsed)
        return;
    decl->parsed = true;
    decl->tree = tree_expression(&query->model->trees, decl->text);
    decl->type_tree = tree_type(&query->model->trees, decl->text);
}

struct node *decl_expression(struct query *query, struct decl *decl)
{
    parse_text(query, decl);
    return decl->tree;
}

struct node *decl_type_tree(struct query *query, struct decl *decl)
{
    parse_text(query, decl);
    return decl->type_tree;
}

/* Qualified names. */

/* The name before the :: before TOKEN, but not before BEGIN; or NO_TOKEN. */
static uint32_t qualifier_before(const struct unit *unit, uint32_t token, uint32_t begin)
{
    if (token <= begin + 1 || token == NO_TOKEN)
        return NO_TOKEN;
    uint32_t i = token - 1;
    if (unit_kind(unit, i) == TOK_TEMPLATE && begin < i)
        --i;
    if (unit_kind(unit, i) != TOK_COLON_COLON || i <= begin)
        return NO_TOKEN;
    --i;
    if (unit_kind(unit, i) == TOK_GREATER && unit_partner(unit, i) != NO_TOKEN &&
        begin < unit_partner(unit, i))
        i = unit_partner(unit, i) - 1;
    return unit_kind(unit, i) == TOK_IDENT ? i : NO_TOKEN;
}

uint32_t query_qualifier(const struct query *query, const struct node *node)
{
    return qualifier_before(query->unit, node->token, node->tokens.begin);
}

static bool same_tokens(const struct unit *unit, struct range a, struct range b)
{
    const char *text = unit->source->text;
    if (a.end - a.begin != b.end - b.begin)
        return false;
    for (uint32_t i = 0; i < a.end - a.begin; ++i) {
        const struct token *x = unit_token(unit, a.begin + i), *y = unit_token(unit, b.begin + i);
        if (x->kind != y->kind || x->symbol != y->symbol)
            return false;
        if (!x->symbol &&
            (x->length != y->length || memcmp(text + x->offset, text + y->offset, x->length)))
            return false;
    }
    return true;
}

/* The tokens that the template arguments from RANGE are, where they are bound in FRAME to other
   ones: one plain name at most. */
static struct range bound_tokens(struct query *query, struct range range, const struct frame *frame)
{
    const struct unit *unit = query->unit;
    for (int i = 0; i < 8 && range.end == range.begin + 1; ++i) {
        const struct symbol *symbol = unit_token(unit, range.begin)->symbol;
        struct decl *decl =
            symbol ? decl_at(query->model, symbol, query_place(query, range.begin, frame)) : NULL;
        struct template_argument *argument;
        if (!decl || (decl->kind != DECL_TEMPLATE_TYPE && decl->kind != DECL_TEMPLATE_VALUE) ||
            !query_template_argument(query, decl, frame, &argument, &frame))
            break;
        range = argument->range;
    }
    return range;
}

/* Of the records called as DECL the one that the arguments USE select: the specialisation, or the
   primary template; NULL where nobody can say. */
static struct decl *select_record(struct query *query, struct decl *decl,
                                  const struct template_use *use, const struct frame *frame)
{
    enum { CANDIDATES_MAX = 32 };
    struct decl *primary = NULL;
    bool specialised = false;
    int left = CANDIDATES_MAX;
    for (struct decl *other = decl; other && left--; other = decl_alternative(other)) {
        if (other->text.begin < other->text.end)
            specialised = true;
        else if (!primary)
            primary = other;
    }
    if (!specialised || !use)
        return primary ? primary : decl;
    left = CANDIDATES_MAX;
    for (struct decl *other = decl; other && left--; other = decl_alternative(other)) {
        struct range parts[CANDIDATES_MAX];
        unsigned count = split_range(query->unit, other->text, parts, CANDIDATES_MAX);
        if (!count || count != use->count || CANDIDATES_MAX < count)
            continue;
        bool same = true;
        for (unsigned i = 0; i < count && same; ++i)
            same = same_tokens(query->unit, parts[i],
                               bound_tokens(query, use->arguments[i].range, frame));
        if (same)
            return other;
    }
    /* A name may still be another's alias: then it is not known which it is. */
    for (unsigned i = 0; i < use->count; ++i) {
        struct range range = bound_tokens(query, use->arguments[i].range, frame);
        for (uint32_t k = range.begin; k < range.end; ++k)
            if (unit_kind(query->unit, k) == TOK_IDENT)
                return NULL;
    }
    return primary;
}

static uint32_t scope_of_type(struct query *query, const struct node *type,
                              const struct frame *frame, struct frame *res);

uint32_t query_scope(struct query *query, uint32_t token, const struct frame *frame,
                     struct frame *res)
{
    *res = (struct frame){.outer = frame, .function = NO_INDEX, .record = NO_INDEX};
    const struct symbol *symbol = unit_token(query->unit, token)->symbol;
    struct decl *decl = decl_at(query->model, symbol, query_place(query, token, frame));
    if (!decl)
        return NO_INDEX;
    uint32_t found = NO_INDEX;
    if (!query_enter(query)) {
        query_leave(query);
        return NO_INDEX;
    }
    switch (decl->kind) {
    case DECL_RECORD:
    case DECL_ENUM:
    case DECL_NAMESPACE:
        res->use = query_use(query, token);
        decl = select_record(query, decl, res->use, frame);
        found = decl ? decl->own : NO_INDEX;
        res->record = found;
        break;
    case DECL_ALIAS: {
        struct node *type = decl_type_tree(query, decl);
        if (decl->is_typedef) {
            const struct node *declaration, *declarator;
            type = decl_nodes(query->model, decl, &declaration, &declarator) ? declaration->kids
                                                                             : NULL;
        }
        if (type)
            found = scope_of_type(query, type, frame, res);
        break;
    }
    case DECL_TEMPLATE_TYPE: {
        struct template_argument *argument;
        const struct frame *outer;
        size_t count = 0;
        if (!query_template_argument(query, decl, frame, &argument, &outer)) {
            /* The one that the file shows. */
            const struct symbol *of =
                decl->function != NO_INDEX
                    ? unit_token(query->unit, query->unit->functions.items[decl->function].name)
                          ->symbol
                : decl->own != NO_INDEX ? query->unit->scopes.items[decl->own].name
                                        : NULL;
            struct template_use *uses = of ? template_uses(query->model, of, &count) : NULL;
            if (count != 1 || uses->count <= decl->index)
                break;
            argument = &uses->arguments[decl->index];
            outer = NULL;
        }
        struct node *type = query_argument_type(query, argument);
        if (type)
            found = scope_of_type(query, type, outer, res);
        break;
    }
    default:
        break;
    }
    query_leave(query);
    return found;
}

static uint32_t scope_of_type(struct query *query, const struct node *type,
                              const struct frame *frame, struct frame *res)
{
    const struct unit *unit = query->unit;
    if (type->token == NO_TOKEN)
        return NO_INDEX;
    /* struct { ... } with its own body. */
    if (unit_kind(unit, type->token) != TOK_IDENT)
        return NO_INDEX;
    return query_scope(query, type->token, frame, res);
}

/* The declaration of SYMBOL in the class OWN or its bases. */
static struct decl *decl_in_bases(struct query *query, const struct symbol *symbol, uint32_t own,
                                  const struct frame *frame, struct frame *res)
{
    struct decl *decl = decl_in(query->model, symbol, own);
    const struct unit *unit = query->unit;
    const struct scope *scope = &unit->scopes.items[own];
    if (decl || scope->kind != SCOPE_CLASS)
        return decl;
    if (!query_enter(query)) {
        query_leave(query);
        return NULL;
    }
    bool bases = false;
    for (uint32_t i = scope->tokens.begin; i < scope->open && !decl; ++i) {
        bases |= unit_kind(unit, i) == TOK_COLON;
        if (!bases || unit_kind(unit, i) != TOK_IDENT)
            continue;
        struct frame *base = arena_alloc(query->model->arena, sizeof *base);
        uint32_t scope_of_base = query_scope(query, i, frame, base);
        if (scope_of_base == NO_INDEX || scope_of_base == own)
            continue;
        *res = *base;
        decl = decl_in_bases(query, symbol, scope_of_base, base, res);
        if (unit_kind(unit, i + 1) == TOK_LESS && unit_partner(unit, i + 1) != NO_TOKEN)
            i = unit_partner(unit, i + 1);
    }
    query_leave(query);
    return decl;
}

struct decl *query_meaning(struct query *query, const struct node *node, const struct frame *frame,
                           struct frame *res)
{
    const struct unit *unit = query->unit;
    *res = frame ? *frame : (struct frame){.function = NO_INDEX, .record = NO_INDEX};
    const struct symbol *symbol = tree_symbol(unit, node);
    if (!symbol)
        return NULL;
    uint32_t qualifier = query_qualifier(query, node);
    if (qualifier != NO_TOKEN) {
        struct frame *inner = arena_alloc(query->model->arena, sizeof *inner);
        uint32_t own = query_scope(query, qualifier, frame, inner);
        if (own == NO_INDEX)
            return NULL;
        *res = *inner;
        return decl_in_bases(query, symbol, own, inner, res);
    }
    uint32_t at = query_place(query, node->token, frame);
    return decl_at(query->model, symbol, at);
}
