/* Frames: the ways in which a place of the source can be read, as a macro's text at each use of the
   macro, and a function's body at each of its calls.  */
#include <config.h>

#include "annotate/model/geometry_p.h"

#include <stdlib.h>

enum { MAX_CALLERS = 64, MAX_NESTING = 4, MAX_PLACES = 2000 };

/* A macro's uses. */

bool frame_argument(const struct unit *unit, const struct frame *frame, const struct symbol *name,
                    struct range *res)
{
    unsigned index = 0;
    for (uint32_t i = frame->macro->params.begin; i < frame->macro->params.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_COMMA)
            index++;
        else if (token->symbol == name && name) {
            if (frame->argument_count <= index)
                return false;
            *res = frame->arguments[index];
            return true;
        }
    }
    return false;
}

struct places {
    struct model *model;
    const struct directive *macro;
    const struct arguments *args; /* NULL: the macro has none */
    uint32_t use;
    unsigned *left; /* of the places that are looked at */
    void (*back)(const struct frame *frame, void *data);
    void *data;
};

static void at_use(const struct frame *outer, void *data)
{
    const struct places *p = data;
    const struct frame frame = {
        .outer = outer,
        .macro = p->macro,
        .arguments = p->args ? p->args->items : NULL,
        .argument_count = p->args ? (unsigned)p->args->count : 0,
        .at = p->use,
    };
    p->back(&frame, p->data);
}

static void each_place(struct model *model, uint32_t token, unsigned nesting, unsigned *left,
                       void (*back)(const struct frame *frame, void *data), void *data)
{
    const struct unit *unit = model->unit;
    if (!(unit_token(unit, token)->flags & TOKEN_DIRECTIVE)) {
        back(NULL, data);
        return;
    }
    const struct directive *macro = unit_directive_at(unit, token);
    if (macro->kind != TOK_PP_DEFINE || macro->name == NO_TOKEN || MAX_NESTING <= nesting)
        return;
    size_t count;
    const uint32_t *uses =
        model_macro_uses(model, (uint32_t)(macro - unit->directives.items), &count);
    for (size_t i = 0; i < count && *left; ++i) {
        struct arguments args;
        --*left;
        model->work++;
        if (uses[i] == macro->name ||
            (macro->function_like && !model_call_arguments(model, uses[i], &args)))
            continue;
        struct places places = {
            .model = model,
            .macro = macro,
            .args = macro->function_like ? &args : NULL,
            .use = uses[i],
            .left = left,
            .back = back,
            .data = data,
        };
        each_place(model, uses[i], nesting + 1, left, at_use, &places);
    }
}

void geometry_each_place(struct model *model, uint32_t token,
                         void (*back)(const struct frame *frame, void *data), void *data)
{
    unsigned left = MAX_PLACES;
    each_place(model, token, 0, &left, back, data);
}

/* A function's calls. */

unsigned model_needed_arguments(const struct model_function *function)
{
    unsigned res = 0;
    for (unsigned i = 0; i < function->param_count; ++i) {
        const struct node *declarator =
            function->params[i] ? tree_kid(function->params[i], 1) : NULL;
        bool has_default = false;
        for (const struct node *kid = declarator ? declarator->kids : NULL; kid; kid = kid->next)
            has_default |= kid->kind == NODE_INITIALIZER;
        if (!has_default)
            res = i + 1;
    }
    return res;
}

const struct model_function *model_declaration_with_default(struct model *model, size_t function,
                                                            unsigned index)
{
    const struct model_function *res = model_function(model, function);
    size_t count;
    const uint32_t *same =
        model_functions_called(model, unit_token(model->unit, res->function->name)->symbol, &count);
    for (size_t i = 0; i < count; ++i) {
        const struct model_function *other = model_function(model, same[i]);
        if (other->param_count == res->param_count && model_needed_arguments(other) <= index)
            return other;
    }
    return res;
}

/* A call of a function, on the way to the frame that shows it. */
struct call_place {
    size_t function;
    const struct arguments *args;
    uint32_t at;
    void (*back)(const struct frame *frame, void *data);
    void *data;
};

static void at_call(const struct frame *outer, void *data)
{
    const struct call_place *call = data;
    const struct frame frame = {
        .outer = outer,
        .function = call->function,
        .arguments = call->args->items,
        .argument_count = (unsigned)call->args->count,
        .at = call->at,
    };
    call->back(&frame, call->data);
}

static int compare_calls(const void *a, const void *b)
{
    const struct model_call *x = *(const struct model_call *const *)a,
                            *y = *(const struct model_call *const *)b;
    return x->token < y->token ? -1 : x->token > y->token;
}

/* The first calls of the function at INDEX in the order of the source, MAX_CALLERS + 1 at most; how
   many. */
static size_t find_calls(struct model *model, size_t function, const struct model_call **res)
{
    const struct model_function *info = model_function(model, function);
    const struct symbol *name = unit_token(model->unit, info->function->name)->symbol;
    size_t count, found = 0, first = 0;
    const struct model_call *calls = model_calls(model, name, &count);
    /* What the declaration with the most default arguments needs. */
    unsigned needed = model_needed_arguments(info);
    for (unsigned i = 0; i < needed; ++i) {
        unsigned other = model_needed_arguments(model_declaration_with_default(model, function, i));
        needed = other < needed ? other : needed;
    }
    VEC(const struct model_call *) list = {0};
    for (unsigned args = needed; args <= info->param_count && first < count; ++args) {
        vec_search(first, count, (unsigned)calls[first].args.count < args);
        size_t before = list.count;
        for (size_t i = first; i < count && (unsigned)calls[i].args.count == args &&
                               list.count - before <= MAX_CALLERS;
             ++i)
            if (model_function_at(model, calls[i].token) != function)
                *vec_push(&list) = &calls[i];
    }
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, compare_calls);
    for (; found < list.count && found <= MAX_CALLERS; ++found)
        res[found] = list.items[found];
    vec_release(&list);
    return found;
}

bool geometry_each_call(struct model *model, size_t function,
                        void (*back)(const struct frame *frame, void *data), void *data)
{
    const struct model_call *calls[MAX_CALLERS + 1];
    size_t count = find_calls(model, function, calls);
    for (size_t i = 0; i < count && i < MAX_CALLERS; ++i) {
        struct call_place call = {function, &calls[i]->args, calls[i]->token, back, data};
        geometry_each_place(model, calls[i]->token, at_call, &call);
    }
    return count <= MAX_CALLERS;
}
