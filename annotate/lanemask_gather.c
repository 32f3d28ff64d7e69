/* Gathers what gives places their values, and what is done with values, from the bodies.  */
#include <config.h>

#include "annotate/lanemask_p.h"

#include <string.h>

/* Where VALUE is a whole array, a pointer gets its address. */
static void note_array(struct mask_search *s, const struct node *value)
{
    size_t place = value->kind == NODE_NAME ? masks_place_of(s, value) : SIZE_MAX;
    const struct node *declarator = place == SIZE_MAX ? NULL : masks_place(s, place)->declarator;
    if (declarator && declarator->kids && declarator->kids->kind == NODE_DIMENSION)
        masks_place(s, place)->tied = true;
}

static void add_edge(struct mask_search *s, size_t place, const struct node *value, bool argument)
{
    if (place == SIZE_MAX || !value)
        return;
    note_array(s, value);
    *vec_push(&s->edges) = (struct mask_edge){place, value, argument};
    struct mask_place *p = masks_place(s, place);
    if (value->kind != NODE_NUMBER)
        p->given++;
    if (!p->site)
        p->site = value;
}

static void gather_arguments_of(struct mask_search *s, const struct mask_named *functions,
                                const struct node *first);

/* What the values from FIRST on give the members of the class RECORD: those of a constructor's
   call, or one for each member. */
static void gather_record(struct mask_search *s, const struct type *record,
                          const struct node *first)
{
    const struct mask_named *constructors = masks_functions_named(s, record->name);
    if (first && !first->next && type_of(s->model, first)->kind == TYPE_RECORD)
        return; /* a copy */
    if (constructors) {
        gather_arguments_of(s, constructors, first);
        return;
    }
    unsigned index = 0;
    for (const struct node *value = first; value; value = value->next, ++index) {
        bool field = value->kind == NODE_FIELD;
        const struct symbol *name = field ? unit_token(s->unit, value->token)->symbol
                                    : index < record->member_count ? record->members[index].name
                                                                   : NULL;
        add_edge(s, masks_member_place(s, record->name, name), field ? value->kids : value, false);
    }
}

/* The initialiser of a variable of TYPE at PLACE. */
static void gather_initializer(struct mask_search *s, const struct type *type, size_t place,
                               const struct node *initializer)
{
    const struct node *value = initializer->kids;
    if (value && value->kind == NODE_LIST && !value->next)
        value = value->kids;
    else if (value && !value->next &&
             (type->kind != TYPE_RECORD || unit_kind(s->unit, initializer->token) == TOK_ASSIGN)) {
        if (value->kind != NODE_LAMBDA)
            add_edge(s, place, value, false);
        return;
    }
    if (type->kind == TYPE_RECORD)
        gather_record(s, type, value);
    else if (type->kind == TYPE_ARRAY || (value && !value->next))
        for (; value; value = value->next)
            if (value->kind != NODE_LIST)
                add_edge(s, place, value, false);
}

static void gather_declaration(struct mask_search *s, const struct node *node, enum name_kind kind)
{
    for (const struct node *d = node->kids->next; d; d = d->next) {
        if (d->kind != NODE_DECLARATOR || d->flags & DECLARATOR_BINDING || !tree_symbol(s->unit, d))
            continue;
        struct name_meaning meaning = {.kind = kind,
                                       .token = d->token,
                                       .declaration = node,
                                       .declarator = d,
                                       .function = s->function};
        tree_each (kid, d)
            if (kid->kind == NODE_INITIALIZER)
                gather_initializer(s, type_of_declaration(s->model, node->kids, d),
                                   masks_declared_place(s, &meaning), kid);
    }
}

/* What the head of the function says: default arguments, what a constructor gives its members. */
void masks_gather_head(struct mask_search *s)
{
    const struct model_function *function = model_function(s->model, s->function);
    for (unsigned i = 0; i < function->param_count; ++i)
        if (function->params[i])
            gather_declaration(s, function->params[i], NAME_PARAMETER);
    const struct symbol *record = unit_token(s->unit, function->function->name)->symbol;
    for (unsigned i = 0; i < function->initializer_count; ++i) {
        const struct model_initializer *member = &function->initializers[i];
        const struct symbol *name = unit_token(s->unit, member->name)->symbol;
        add_edge(s, masks_member_place(s, record, name), member->value, false);
        masks_gather(s, member->value);
    }
}

/* The parameter of PARAM is a reference, or a pointer, through which a value comes back to what
   ARGUMENT names. */
static void gather_out(struct mask_search *s, size_t parameter, const struct node *param,
                       const struct node *argument)
{
    const struct node *declarator = param->kids->next;
    bool reference =
        param->kids->flags & TYPE_REFERENCE || declarator->flags & DECLARATOR_REFERENCE;
    bool pointer =
        declarator->stars || (declarator->kids && declarator->kids->kind == NODE_DIMENSION);
    if ((!reference && !pointer) || param->kids->flags & TYPE_CONST)
        return;
    if (!reference && argument->kind == NODE_UNARY && argument->op == TOK_AMP)
        argument = argument->kids;
    size_t place = masks_place_of(s, argument);
    if (place == SIZE_MAX)
        return;
    *vec_push(&s->outs) = (struct mask_out){parameter, place, argument, false};
    masks_place(s, place)->given++;
    masks_place(s, place)->lent |= reference;
}

/* Whether a template finds the type of PARAM of FUNCTION from several arguments, which have to
 * agree.
 */
static bool is_deduced_twice(struct mask_search *s, const struct model_function *function,
                             const struct node *param)
{
    unsigned same = 0;
    const struct symbol *type = tree_symbol(s->unit, param->kids);
    for (unsigned i = 0; type && i < function->param_count; ++i)
        same += function->params[i] && tree_symbol(s->unit, function->params[i]->kids) == type;
    return 1 < same &&
           model_lookup(s->model, type, param->kids->token).kind == NAME_TEMPLATE_PARAMETER;
}

static void gather_argument(struct mask_search *s, const struct mask_named *f, unsigned index,
                            const struct node *argument)
{
    const struct node *param = model_function(s->model, f->function)->params[index];
    const struct node *declarator = param ? param->kids->next : NULL;
    if (!declarator || declarator->token == NO_TOKEN || !tree_symbol(s->unit, declarator))
        return;
    struct name_meaning meaning = {.kind = NAME_PARAMETER,
                                   .token = declarator->token,
                                   .declaration = param,
                                   .declarator = declarator,
                                   .function = f->function};
    size_t place = masks_declared_place(s, &meaning);
    add_edge(s, place, argument, true);
    size_t given = masks_place_of(s, argument);
    if (given != SIZE_MAX && is_deduced_twice(s, model_function(s->model, f->function), param))
        masks_place(s, given)->tied = true;
    gather_out(s, place, param, argument);
}

/* What the arguments from FIRST on give the parameters of FUNCTIONS. */
static void gather_arguments_of(struct mask_search *s, const struct mask_named *functions,
                                const struct node *first)
{
    unsigned count = 0;
    for (const struct node *argument = first; argument; argument = argument->next)
        ++count;
    for (const struct mask_named *f = functions; f; f = f->others) {
        if (model_function(s->model, f->function)->param_count < count)
            continue;
        unsigned index = 0;
        for (const struct node *argument = first; argument; argument = argument->next)
            gather_argument(s, f, index++, argument);
    }
}

static void gather_call(struct mask_search *s, const struct node *call)
{
    for (const struct node *argument = call->kids->next; argument; argument = argument->next)
        note_array(s, argument);
    gather_arguments_of(s, masks_functions_called(s, call), call->kids->next);
}

static void gather_construct(struct mask_search *s, const struct node *node)
{
    const struct type *type = type_of_declaration(s->model, node->kids, NULL);
    if (type->kind == TYPE_RECORD)
        gather_record(s, type, node->kids->next);
}

/* asm ("mov.u32 %0, %lanemask_lt;" : "=r"(r)): r is a lane mask. */
static void gather_asm(struct mask_search *s, const struct node *node)
{
    bool found = false;
    for (uint32_t i = node->tokens.begin; i < node->tokens.end; ++i) {
        const struct token *token = unit_token(s->unit, i);
        const char *text = s->unit->source->text + token->offset;
        if (token->kind == TOK_STRING) {
            for (uint32_t at = 0; !found && at + 8 <= token->length; ++at)
                found = !memcmp(text + at, "lanemask", 8);
        } else if (found && token->kind == TOK_IDENT) {
            struct name_meaning meaning = model_lookup(s->model, token->symbol, i);
            if (meaning.kind == NAME_LOCAL && meaning.declaration && meaning.token != NO_TOKEN)
                masks_place(s, masks_declared_place(s, &meaning))->lane = node;
            return;
        }
    }
}

static void gather_return(struct mask_search *s, const struct node *value)
{
    const struct type *type = NULL;
    if (value->kind == NODE_LIST && !s->lambda)
        type = masks_result_type(s, s->function);
    if (type && type->kind == TYPE_RECORD)
        gather_record(s, type, value->kids);
    else
        add_edge(s,
                 s->lambda ? masks_lambda_place(s, s->lambda) : masks_result_place(s, s->function),
                 value, false);
}

/* The upper half of MASK is taken by itself. */
static void gather_half(struct mask_search *s, const struct node *mask)
{
    while (mask->kind == NODE_CAST)
        mask = mask->kids->next;
    size_t place = masks_place_of(s, mask);
    if (place != SIZE_MAX)
        masks_place(s, place)->split = true;
}

void masks_gather(struct mask_search *s, const struct node *node)
{
    unsigned index;
    switch (node->kind) {
    case NODE_DECLARATION:
        gather_declaration(s, node, NAME_LOCAL);
        break;
    case NODE_ASSIGN:
        add_edge(s, masks_place_of(s, node->kids), node->kids->next, false);
        if (node->op == TOK_AMP_ASSIGN || node->op == TOK_PIPE_ASSIGN ||
            node->op == TOK_CARET_ASSIGN)
            *vec_push(&s->mixes) = node;
        break;
    case NODE_BINARY:
        if (node->op == TOK_AMP || node->op == TOK_PIPE || node->op == TOK_CARET)
            *vec_push(&s->mixes) = node;
        else if (node->op == TOK_EQUAL || node->op == TOK_NOT_EQUAL)
            *vec_push(&s->compares) = node;
        else if (masks_is_upper_half(s, node))
            gather_half(s, node->kids);
        break;
    case NODE_CALL:
        if (masks_counter_of(s, node) || masks_macro_counts(s, node, &index))
            *vec_push(&s->counts) = node;
        else
            gather_call(s, node);
        break;
    case NODE_CONSTRUCT:
        gather_construct(s, node);
        break;
    case NODE_UNARY:
        if (node->op == TOK_AMP && masks_place_of(s, node->kids) != SIZE_MAX)
            masks_place(s, masks_place_of(s, node->kids))->tied = true;
        break;
    case NODE_RETURN:
        if (node->kids)
            gather_return(s, node->kids);
        break;
    case NODE_ASM:
        gather_asm(s, node);
        break;
    default:
        break;
    }
    const struct node *around = s->lambda;
    if (node->kind == NODE_LAMBDA)
        s->lambda = node;
    tree_each (kid, node)
        masks_gather(s, kid);
    s->lambda = around;
}
