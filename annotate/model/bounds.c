/* Launch bounds of kernels.  */
#include <config.h>

#include <string.h>

#include "annotate/model/launch.h"
#include "annotate/model/facts.h"
#include "annotate/model/names_p.h"
#include "annotate/model/uses_p.h"

/* Reads the arguments of __launch_bounds__, RANGES, COUNT of them. */
static void read_values(struct model *model, const struct range *ranges, int count,
                        struct launch_bounds *res)
{
    struct constant *const values[] = {&res->max_threads, &res->min_blocks, &res->max_clusters};
    for (int i = 0; i < count && i < 3; ++i) {
        res->arguments[i] =
            ranges[i].begin < ranges[i].end ? tree_expression(&model->trees, ranges[i]) : NULL;
        if (!res->arguments[i] || !constant_of(model, res->arguments[i], values[i]))
            *values[i] = (struct constant){.origin = NO_TOKEN};
    }
}

/* The parameter of MACRO that the tokens of RANGE are, maybe in parentheses; -1: none. */
static int parameter_at(const struct unit *unit, const struct directive *macro, struct range range)
{
    while (range.begin + 2 < range.end && unit_partner(unit, range.begin) == range.end - 1)
        range = (struct range){range.begin + 1, range.end - 1};
    const struct symbol *name =
        range.begin + 1 == range.end ? unit_token(unit, range.begin)->symbol : NULL;
    int index = 0;
    for (uint32_t i = macro->params.begin; name && i < macro->params.end; ++i) {
        if (unit_kind(unit, i) == TOK_COMMA)
            ++index;
        else if (unit_token(unit, i)->symbol == name)
            return index;
    }
    return -1;
}

/* The bounds in the text of the macro at DECL, used at token AT. */
static void read_macro(struct model *model, const struct decl *decl, uint32_t at,
                       struct launch_bounds *res)
{
    const struct unit *unit = model->unit;
    const struct directive *macro = &unit->directives.items[decl->directive];
    struct arguments bounds, given = {0};
    uint32_t word = macro->body.begin;
    while (word < macro->body.end && unit_kind(unit, word) != TOK_LAUNCH_BOUNDS)
        ++word;
    if (word == macro->body.end || !unit_arguments(unit, word + 1, model->arena, &bounds))
        return;
    res->given = true;
    res->by_macro = macro->function_like;
    /* What several branches of an #if say is not known. */
    if (decl_alternative(decl) ||
        (macro->function_like &&
         (!model_call_arguments(model, at, &given) || 0 <= given.first_unknown)))
        return;
    struct range ranges[3] = {{0, 0}};
    for (int i = 0; i < bounds.count && i < 3; ++i) {
        int parameter = macro->function_like ? parameter_at(unit, macro, bounds.items[i]) : -1;
        if (parameter < 0)
            ranges[i] = bounds.items[i];
        else if (parameter < given.count)
            ranges[i] = given.items[parameter];
    }
    read_values(model, ranges, bounds.count, res);
}

/* Whether NAME, a macro of another file, says that it stands for launch bounds. */
static bool sounds_like_bounds(const char *name)
{
    return strstr(name, "LAUNCH_BOUNDS") || strstr(name, "launch_bounds");
}

/* The bounds in the head of the function at INDEX. */
static void read_bounds(struct model *model, size_t index, struct launch_bounds *res)
{
    const struct unit *unit = model->unit;
    const struct function *function = &unit->functions.items[index];
    struct arguments args;
    res->function = index;
    if (function->bounds.begin &&
        unit_arguments(unit, function->bounds.begin - 1, model->arena, &args)) {
        res->given = true;
        read_values(model, args.items, args.count, res);
        return;
    }
    for (uint32_t i = function->head.begin; i < function->name && !res->given; ++i) {
        const struct token *token = unit_token(unit, i);
        const struct decl *macro =
            token->kind == TOK_IDENT ? macro_at(model, token->symbol, i) : NULL;
        if (macro)
            read_macro(model, macro, i, res);
        else if (token->kind == TOK_IDENT && token->symbol)
            res->given = sounds_like_bounds(token->symbol->text);
    }
}

/* __maxnreg__ (N) in the head of FUNCTION. */
static void read_registers(struct model *model, const struct function *function,
                           struct launch_bounds *res)
{
    const struct unit *unit = model->unit;
    for (uint32_t i = function->head.begin; i + 1 < function->name; ++i) {
        const struct symbol *symbol = unit_token(unit, i)->symbol;
        uint32_t close = unit_partner(unit, i + 1);
        struct constant value;
        if (symbol && !strcmp(symbol->text, "__maxnreg__") &&
            unit_kind(unit, i + 1) == TOK_LPAREN && close != NO_TOKEN &&
            constant_of_range(model, (struct range){i + 2, close}, &value) &&
            constant_single(&value) && 0 < value.values[0] && value.values[0] < 1024)
            res->max_registers = (unsigned)value.values[0];
    }
}

struct launch_bounds model_launch_bounds(struct model *model, size_t index)
{
    struct launch_bounds res = {
        .max_threads.origin = NO_TOKEN,
        .min_blocks.origin = NO_TOKEN,
        .max_clusters.origin = NO_TOKEN,
    };
    const struct unit *unit = model->unit;
    const struct function *function = &unit->functions.items[index];
    size_t count;
    const uint32_t *same =
        model_functions_called(model, unit_token(unit, function->name)->symbol, &count);
    if (model->options)
        res.max_registers = model->options->max_registers;
    read_bounds(model, index, &res);
    read_registers(model, function, &res);
    /* Another declaration of it may say them. */
    for (size_t i = 0; i < count && !res.given; ++i)
        if (model_kernel_of(model, same[i]) == model_kernel_of(model, index))
            read_bounds(model, same[i], &res);
    return res;
}

bool model_bounds_elsewhere(const struct model *model, const char *name, unsigned *max_threads,
                            const struct model_kernel_fact **where)
{
    const struct model_options *options = model->options;
    size_t low, count = options ? options->kernel_count : 0;
    vec_search(low, count, strcmp(options->kernels[low].name, name) < 0);
    *max_threads = 0;
    for (; low < count && !strcmp(options->kernels[low].name, name); ++low) {
        const struct model_kernel_fact *fact = &options->kernels[low];
        if (!constant_single(&fact->max_threads) || fact->max_threads.values[0] < 1 ||
            UINT32_MAX < fact->max_threads.values[0])
            return false;
        if (*max_threads < fact->max_threads.values[0]) {
            *max_threads = (unsigned)fact->max_threads.values[0];
            *where = fact;
        }
    }
    return *max_threads;
}
