/* Launches: the chevron form is HIP as it stands; --launch=function writes
   hipLaunchKernelGGL (kernel, dim3 (grid), dim3 (block), shared, stream, arguments).

   Only the brackets and commas of the launch are edited, so that comments, line breaks and what
   else is rewritten inside survive.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

/* dim3(...) and nothing behind it. */
static bool is_dim3(const struct unit *unit, struct range range)
{
    const struct token *first = unit_token(unit, range.begin);
    if (!first->symbol || strcmp(first->symbol->text, "dim3") || range.end < range.begin + 2)
        return false;
    const struct token *open = unit_token(unit, range.begin + 1);
    return open->kind == TOK_LPAREN && open->partner + 1 == range.end;
}

static void surround(struct transform *tr, struct range range, const char *before,
                     const char *behind)
{
    insert_before(tr, range.begin, before, EDIT_LAUNCH);
    insert_behind(tr, range.end - 1, behind, EDIT_LAUNCH);
}

/* Removes the token INDEX, and the blanks between it and the one before where no comment is. */
static void remove_bracket(struct transform *tr, uint32_t index, const char *text)
{
    const struct token *token = unit_token(tr->unit, index);
    const struct token *before = unit_token(tr->unit, index - 1);
    uint32_t begin = before->offset + before->length;
    for (uint32_t i = begin; i < token->offset; ++i)
        if (tr->unit->source->text[i] != ' ' && tr->unit->source->text[i] != '\t')
            begin = token->offset;
    edit_add(&tr->t->edits, begin, token->offset + token->length - begin, text, EDIT_LAUNCH);
}

static void write_function(struct transform *tr, const struct launch *launch)
{
    const struct unit *unit = tr->unit;
    if (has_bare_comma(unit, launch->callee))
        surround(tr, launch->callee, "hipLaunchKernelGGL(HIP_KERNEL_NAME(", ")");
    else
        insert_before(tr, launch->callee.begin, "hipLaunchKernelGGL(", EDIT_LAUNCH);
    remove_bracket(tr, launch->open, ", ");
    for (int i = 0; i < launch->config_count; ++i) {
        if (i < 2 && !is_dim3(unit, launch->config[i]))
            surround(tr, launch->config[i], "dim3(", ")");
        else if (2 <= i && has_bare_comma(unit, launch->config[i]))
            surround(tr, launch->config[i], "(", ")");
    }
    const char *missing = launch->config_count == 2   ? ", 0, 0"
                          : launch->config_count == 3 ? ", 0"
                                                      : "";
    replace_token(tr, launch->close,
                  launch->arg_count ? arena_printf(tr->arena, "%s, ", missing) : missing,
                  EDIT_LAUNCH);
    remove_bracket(tr, launch->lparen, "");
}

void transform_launches(struct transform *tr)
{
    if (tr->options->launch != LAUNCH_FUNCTION)
        return;
    vec_each (const struct launch, launch, &tr->unit->launches)
        if (token_region(unit_token(tr->unit, launch->open)) == REGION_COMMON &&
            2 <= launch->config_count)
            write_function(tr, launch);
}
