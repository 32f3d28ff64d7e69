#include <config.h>

#include "annotate/model/model.h"

#include <string.h>

#include "annotate/model/lane.h"
#include "annotate/model/names_p.h"
#include "annotate/model/uses_p.h"

/* The parameters of FUNCTION, one tree each. */
static void read_params(struct model *model, struct model_function *res)
{
    const struct unit *unit = model->unit;
    struct range range = res->function->params;
    if (range.end <= range.begin ||
        (range.end == range.begin + 1 && unit_kind(unit, range.begin) == TOK_TYPE &&
         !strcmp(unit_token(unit, range.begin)->symbol->text, "void")))
        return;
    unsigned count = split_range(unit, range, NULL, 0);
    struct range *ranges = arena_zalloc(model->arena, count, sizeof *ranges);
    split_range(unit, range, ranges, count);
    res->params = arena_zalloc(model->arena, count, sizeof *res->params);
    res->param_count = count;
    for (unsigned i = 0; i < count; ++i)
        res->params[i] = tree_parameter(&model->trees, ranges[i]);
}

/* What FUNCTION, a constructor, gives its members between the colon and its body. */
static void read_initializers(struct model *model, struct model_function *res)
{
    const struct unit *unit = model->unit;
    uint32_t begin = res->function->head.end, end = res->function->body.begin;
    if (unit_kind(unit, begin) != TOK_COLON)
        return;
    res->initializers = arena_zalloc(model->arena, end - begin, sizeof *res->initializers);
    for (uint32_t i = begin; i + 1 < end; ++i) {
        enum token_kind next = unit_kind(unit, i + 1);
        uint32_t close = unit_partner(unit, i + 1);
        if (unit_kind(unit, i) != TOK_IDENT || (next != TOK_LPAREN && next != TOK_LBRACE) ||
            close == NO_TOKEN || end <= close)
            continue;
        struct node *value = tree_expression(&model->trees, (struct range){i + 2, close});
        if (value)
            res->initializers[res->initializer_count++] = (struct model_initializer){i, value};
        i = close;
    }
}

const struct model_function *model_function(struct model *model, size_t index)
{
    if (model->functions[index])
        return model->functions[index];
    struct model_function *res = arena_zalloc(model->arena, 1, sizeof *res);
    res->function = &model->unit->functions.items[index];
    if (res->function->body.begin < res->function->body.end) {
        res->body = tree_body(&model->trees, res->function->body);
        read_initializers(model, res);
    }
    read_params(model, res);
    model->functions[index] = res;
    return res;
}

static uint32_t function_end(const struct function *function)
{
    return function->head.end < function->body.end ? function->body.end : function->head.end;
}

uint32_t function_around(const struct model *model, uint32_t token)
{
    uint32_t res = unit_function_before(model->unit, token);
    while (res != NO_INDEX && function_end(&model->unit->functions.items[res]) <= token)
        res = model->function_outer[res];
    return res;
}

size_t model_function_at(const struct model *model, uint32_t token)
{
    uint32_t res = function_around(model, token);
    const struct function *functions = model->unit->functions.items;
    while (res != NO_INDEX &&
           (token < functions[res].body.begin || functions[res].body.end <= token))
        res = model->function_outer[res];
    return res;
}

/* Functions nest: methods of local classes. They are in the order of their heads. */
static void find_outer_functions(struct model *model)
{
    size_t count = model->unit->functions.count;
    const struct function *functions = model->unit->functions.items;
    model->function_outer = arena_zalloc(model->arena, count, sizeof *model->function_outer);
    for (size_t i = 0; i < count; ++i) {
        uint32_t outer = i ? (uint32_t)(i - 1) : NO_INDEX;
        while (outer != NO_INDEX && function_end(&functions[outer]) <= functions[i].head.begin)
            outer = model->function_outer[outer];
        model->function_outer[i] = outer;
    }
}

bool model_is_too_large(const struct unit *unit)
{
    enum { TOKENS_MAX = 1 << 22 }; /* some 12 MB of code; their trees take a gigabyte */
    size_t tokens = 0;
    vec_each (const struct function, function, &unit->functions)
        tokens += function->body.end - function->body.begin;
    return TOKENS_MAX < tokens;
}

void model_init(struct model *model, const struct unit *unit, struct arena *arena,
                const struct model_options *options)
{
    *model = (struct model){.unit = unit, .arena = arena, .options = options};
    trees_init(&model->trees, unit, arena);
    model->functions = arena_zalloc(arena, unit->functions.count, sizeof *model->functions);
    find_outer_functions(model);
}

void model_release(struct model *model)
{
    lane_cache_release(model);
    model_calls_release(model);
    model_index_release(model);
}
