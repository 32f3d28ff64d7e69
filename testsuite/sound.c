#include <config.h>

#include "testsuite/sound.h"

#include "parser/measure.h"

static const char *node_fault(const struct unit *unit, const struct node *node, struct range around)
{
    if (NODE_KIND_COUNT <= node->kind)
        return "no such kind of node";
    if (node->tokens.begin < around.begin || around.end < node->tokens.end ||
        node->tokens.end < node->tokens.begin)
        return "a kid lies outside its parent";
    if (node->token != NO_TOKEN && unit->tokens.list.count <= node->token)
        return "a node's token does not exist";
    if (TREE_MAX_DEPTH < node->depth)
        return "too deep";
    return NULL;
}

const char *tree_fault(const struct unit *unit, const struct node *tree, struct range range)
{
    const char *res = node_fault(unit, tree, range);
    uint32_t at = tree->tokens.begin;
    for (const struct node *kid = tree->kids; kid && !res; kid = kid->next) {
        if (tree->depth <= kid->depth)
            return "a kid is as deep as its parent";
        if (kid->tokens.begin < at)
            return "kids overlap or are out of order";
        at = kid->tokens.end;
        res = tree_fault(unit, kid, tree->tokens);
    }
    return res;
}

const char *bodies_fault(const struct unit *unit)
{
    struct arena arena = ARENA_INIT;
    struct trees trees;
    struct measure measure;
    const char *res = NULL;
    measure_init(&measure, unit);
    trees_init(&trees, unit, &arena);
    vec_each (const struct function, fn, &unit->functions) {
        if (res || fn->body.end <= fn->body.begin)
            continue;
        const struct node *tree = tree_body(&trees, fn->body);
        res = tree_fault(unit, tree, fn->body);
        measure_add(&measure, fn->body, tree);
    }
    if (!res && unit->tokens.list.count < measure.tokens)
        res = "tokens counted twice";
    if (!res && measure.tokens < measure.opaque)
        res = "more is opaque than there is";
    measure_release(&measure);
    arena_release(&arena);
    return res;
}
