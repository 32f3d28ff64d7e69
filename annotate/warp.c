#include <config.h>

#include "annotate/warp.h"

#include <stdlib.h>
#include <string.h>

#define NONE WARP_NONE
static const struct warp_function functions[] = {
#define WARP(name, kind, mask, value, lane, width) {name, kind, mask, value, lane, width},
#include "annotate/warp.def"
#undef WARP
};
#undef NONE

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static int compare(const void *name, const void *function)
{
    return strcmp(name, ((const struct warp_function *)function)->name);
}

const struct warp_function *warp_function_find(const char *name)
{
    if (name[0] != '_')
        return NULL;
    return bsearch(name, functions, FUNCTIONS, sizeof *functions, compare);
}

bool warp_is_used(const struct annotation *a)
{
    for (size_t i = 0; i < FUNCTIONS; ++i)
        if (symbol_find(a->unit->symbols, functions[i].name))
            return true;
    return false;
}

static const struct node *argument(const struct node *call, int index)
{
    return index == WARP_NONE ? NULL : code_argument(call, (unsigned)index);
}

bool warp_call_of(struct annotation *a, const struct node *node, struct warp_call *res)
{
    const struct node *callee = node->kids;
    if (node->kind != NODE_CALL || callee->kind != NODE_NAME)
        return false;
    const struct symbol *name = tree_symbol(a->unit, callee);
    const struct warp_function *function = name ? warp_function_find(name->text) : NULL;
    if (!function ||
        model_lookup(annotation_code(a)->model, name, callee->token).kind != NAME_UNKNOWN)
        return false;
    *res = (struct warp_call){
        function,
        argument(node, function->mask),
        argument(node, function->value),
        argument(node, function->lane),
        argument(node, function->width),
    };
    return true;
}
