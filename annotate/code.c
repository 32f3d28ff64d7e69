#include <config.h>

#include "annotate/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static const struct symbol *name_of(const struct unit *unit, const struct node *node)
{
    switch (node->kind) {
    case NODE_CALL:
        return node->kids->kind == NODE_NAME || node->kids->kind == NODE_MEMBER
                   ? tree_symbol(unit, node->kids)
                   : NULL;
    case NODE_NAME:
    case NODE_MEMBER:
        return tree_symbol(unit, node);
    default:
        return NULL;
    }
}

static void collect(struct code *code, const struct node *node, const struct node *parent,
                    size_t function, bool device)
{
    const struct unit *unit = code->model->unit;
    code->parents[node->id] = parent;
    struct code_node entry = {node, name_of(unit, node), function, device};
    switch (node->kind) {
    case NODE_CALL:
        *vec_push(&code->calls) = entry;
        break;
    case NODE_NAME:
        if (!parent || parent->kind != NODE_CALL || parent->kids != node)
            *vec_push(&code->names) = entry;
        break;
    case NODE_BINARY:
    case NODE_ASSIGN:
        if (node->op != TOK_COMMA)
            *vec_push(&code->operations) = entry;
        break;
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_DO:
        *vec_push(&code->loops) = entry;
        break;
    case NODE_IF:
    case NODE_CHOICE:
    case NODE_SWITCH:
        *vec_push(&code->branches) = entry;
        break;
    case NODE_INDEX:
    case NODE_MEMBER:
        *vec_push(&code->places) = entry;
        break;
    case NODE_UNARY:
        if (node->op == TOK_STAR)
            *vec_push(&code->places) = entry;
        break;
    case NODE_DECLARATION:
        *vec_push(&code->declarations) = entry;
        break;
    default:
        break;
    }
    tree_each (kid, node)
        collect(code, kid, node, function, device);
}

void code_init(struct code *code, struct model *model)
{
    *code = (struct code){.model = model};
    size_t count = model->unit->functions.count;
    /* All bodies first: so many nodes there are. */
    for (size_t i = 0; i < count; ++i)
        model_function(model, i);
    code->node_count = model->trees.nodes;
    code->parents = xcalloc(code->node_count, sizeof(const struct node *));
    for (size_t i = 0; i < count; ++i) {
        const struct model_function *function = model_function(model, i);
        bool device = code_is_device(function->function);
        for (unsigned k = 0; k < function->initializer_count; ++k)
            collect(code, function->initializers[k].value, NULL, i, device);
        if (function->body)
            collect(code, function->body, NULL, i, device);
    }
}

void code_release(struct code *code)
{
    free(code->parents);
    vec_release(&code->calls);
    vec_release(&code->names);
    vec_release(&code->operations);
    vec_release(&code->loops);
    vec_release(&code->branches);
    vec_release(&code->places);
    vec_release(&code->declarations);
}

const struct code_node *code_first_in(const struct code_node *list, size_t count, size_t function)
{
    size_t low;
    vec_search(low, count, list[low].function < function);
    return count ? list + low : list;
}

const struct node *code_parent(const struct code *code, const struct node *node)
{
    return node->id < code->node_count ? code->parents[node->id] : NULL;
}

const struct node *code_statement(const struct code *code, const struct node *node)
{
    for (const struct node *at = node; at; at = code_parent(code, at))
        if (NODE_BLOCK <= at->kind || at->kind == NODE_DECLARATION)
            return at;
    return node;
}

unsigned code_argument_count(const struct node *call)
{
    unsigned res = 0;
    for (const struct node *kid = call->kids->next; kid; kid = kid->next)
        ++res;
    return res;
}

/* Machines. */

enum { MACHINES = 16 };

struct machines {
    struct model *model;
    struct lane_machine list[MACHINES];
    bool used[MACHINES];
    unsigned next; /* the one to be taken next */
};

struct machines *machines_new(struct model *model)
{
    struct machines *res = xcalloc(1, sizeof *res);
    res->model = model;
    return res;
}

void machines_free(struct machines *machines)
{
    if (!machines)
        return;
    for (unsigned i = 0; i < MACHINES; ++i)
        if (machines->used[i])
            lane_machine_release(&machines->list[i]);
    free(machines);
}

struct lane_machine *machines_get(struct machines *machines, size_t function,
                                  const unsigned block[3], unsigned wave, unsigned sample)
{
    for (unsigned i = 0; i < MACHINES; ++i) {
        struct lane_machine *machine = &machines->list[i];
        if (machines->used[i] && machine->function == function && machine->wave == wave &&
            machine->sample == sample && !memcmp(machine->block, block, sizeof machine->block))
            return machine;
    }
    unsigned at = machines->next;
    if (machines->used[at])
        lane_machine_release(&machines->list[at]);
    machines->used[at] =
        lane_machine_init(&machines->list[at], machines->model, function, block, wave, sample);
    if (!machines->used[at])
        return NULL;
    machines->next = (at + 1) % MACHINES;
    return &machines->list[at];
}
