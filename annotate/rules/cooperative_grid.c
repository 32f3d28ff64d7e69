/* sync-cooperative-factor, sync-cooperative-grid: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"
#include "annotate/gpu/occupancy.h"
#include "annotate/model/flow.h"

#include <string.h>

enum {
    FEWEST_UNITS = 38, /* one die of an MI300X, which may be a device of its own */
    MOST_UNITS = 304,  /* an MI300X */
    DEPTH = 8,         /* of the names and operators that a size is made of */
    MOST_FACTORS = 64, /* launches of a file whose grid is looked for in its function */
};

/* The product of the grid's dimensions; false where one is not known or has several values. */
static bool grid_blocks(const struct launch_site *site, uint64_t *res)
{
    *res = 1;
    for (int d = 0; d < 3; ++d) {
        const struct constant *value = &site->grid[d].value;
        if (!constant_single(value) || value->values[0] <= 0 || UINT32_MAX < value->values[0] ||
            UINT32_MAX < *res)
            return false;
        *res *= (uint64_t)value->values[0];
    }
    return true;
}

/* Blocks of the launch that a compute unit of TARGET holds; 0: not known. */
static unsigned blocks_of_unit(const struct launch_site *site, const struct target *target)
{
    struct occupancy_request request = {.block = 0};
    struct occupancy o;
    if (!site->block_known || site->block_count != 1)
        return 0;
    request.block = site->blocks[0][0] * site->blocks[0][1] * site->blocks[0][2];
    if (site->shared && constant_single(&site->shared_bytes) && 0 < site->shared_bytes.values[0] &&
        site->shared_bytes.values[0] <= UINT32_MAX)
        request.lds = (unsigned)site->shared_bytes.values[0];
    return occupancy_compute(target, &request, &o) == OCCUPANCY_OK ? o.groups : 0;
}

/* A grid of so many blocks for each compute unit. */

/* Whether TEXT is the name of what counts the multiprocessors. */
static bool names_units(const struct symbol *name)
{
    return name &&
           (strstr(name->text, "ultiProcessorCount") || strstr(name->text, "ultiprocessorCount") ||
            strstr(name->text, "MULTIPROCESSOR_COUNT"));
}

/* Whether some call in FUNCTION writes the number of multiprocessors to NAME:
   cudaDeviceGetAttribute(&name, cudaDevAttrMultiProcessorCount, device). */
static bool is_asked_for(const struct code *code, size_t function, const struct symbol *name)
{
    const struct unit *unit = code->model->unit;
    code_each_in (call, &code->calls, function) {
        const struct node *target = code_argument(call->node, 0);
        if (!target || target->kind != NODE_UNARY || target->op != TOK_AMP ||
            target->kids->kind != NODE_NAME || tree_symbol(unit, target->kids) != name)
            continue;
        const struct node *what = target->next;
        if (what && what->kind == NODE_NAME && names_units(tree_symbol(unit, what)))
            return true;
    }
    return false;
}

/* What the local variable that NODE names was given, or NULL: nobody knows. */
static const struct node *value_of(const struct code *code, size_t function,
                                   const struct node *node)
{
    struct reaching definitions;
    const struct symbol *name = tree_symbol(code->model->unit, node);
    if (!name ||
        !flow_reaching(code->model, function, name, NULL, 0, node->token, &definitions, NULL) ||
        !definitions.known || definitions.count != 1)
        return NULL;
    const struct definition *d = definitions.items[0];
    if (d->kind == DEFINITION_ASSIGNED)
        return d->node->kids->next;
    const struct node *value = d->kind == DEFINITION_DECLARED ? d->node->kids : NULL;
    return value && value->kind == NODE_INITIALIZER ? value->kids : NULL;
}

/* Whether NODE in FUNCTION is the number of multiprocessors times *FACTOR. */
static bool is_of_units(const struct code *code, size_t function, const struct node *node,
                        int64_t *factor, unsigned depth)
{
    struct constant value;
    if (!node || DEPTH < depth)
        return false;
    if (node->kind == NODE_CALL || node->kind == NODE_CONSTRUCT) {
        const struct symbol *name = tree_symbol(code->model->unit, node->kids);
        return name && !strcmp(name->text, "dim3") &&
               is_of_units(code, function, node->kids->next, factor, depth + 1);
    }
    if (node->kind == NODE_BINARY && node->op == TOK_STAR) {
        const struct node *left = node->kids, *right = left->next;
        bool is_right = constant_of(code->model, right, &value) && constant_single(&value);
        if (!is_right && !(constant_of(code->model, left, &value) && constant_single(&value)))
            return false;
        int64_t by = value.values[0];
        bool res = 0 < by && by < UINT16_MAX &&
                   is_of_units(code, function, is_right ? left : right, factor, depth + 1);
        *factor *= by;
        return res;
    }
    *factor = 1;
    if (node->kind == NODE_MEMBER)
        return names_units(tree_symbol(code->model->unit, node));
    if (node->kind != NODE_NAME)
        return false;
    return is_asked_for(code, function, tree_symbol(code->model->unit, node)) ||
           is_of_units(code, function, value_of(code, function, node), factor, depth + 1);
}

/* Reports SITE where its grid is a fixed number of blocks for each compute unit. */
static void examine_factor(struct annotation *a, const struct launch_site *site)
{
    const struct code *code = annotation_code(a);
    int64_t factor = 0;
    size_t function = model_function_at(code->model, site->token);
    if (function == NO_INDEX ||
        !is_of_units(code, function, site->grid[0].expression, &factor, 0) || factor <= 1)
        return;
    unsigned fewest = 0;
    for (unsigned t = 0; t < a->gpus->count; ++t) {
        unsigned each = blocks_of_unit(site, a->gpus->targets[t]);
        if (!each)
            return;
        fewest = !t || each < fewest ? each : fewest;
    }
    struct finding *f =
        annotation_add(a, RULE_SYNC_COOPERATIVE_FACTOR, site->grid[0].expression->tokens);
    if (factor <= fewest)
        f->effect = EFFECT_NONE; /* where registers and LDS suffice */
    finding_add_number(f, factor);
    finding_add_number(f, fewest);
    finding_add_arg(f, annotation_names(a, comparison_all(a->gpus)));
    finding_add_related(f, RELATED_LAUNCHED, unit_token_span(a->unit, site->token), NULL);
}

void rule_cooperative_grid(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!symbol_find(unit->symbols, "cudaLaunchCooperativeKernel") &&
        !symbol_find(unit->symbols, "hipLaunchCooperativeKernel") &&
        !symbol_find(unit->symbols, "cuLaunchCooperativeKernel") &&
        !symbol_find(unit->symbols, "hipModuleLaunchCooperativeKernel"))
        return;
    size_t count;
    unsigned factors = 0;
    const struct launch_site *sites = model_launches(annotation_code(a)->model, &count);
    for (size_t i = 0; i < count; ++i) {
        uint64_t blocks;
        if (!sites[i].cooperative || !sites[i].grid[0].expression ||
            token_region(unit_token(unit, sites[i].token)) == REGION_CUDA)
            continue;
        if (!grid_blocks(&sites[i], &blocks)) {
            if (factors++ < MOST_FACTORS)
                examine_factor(a, &sites[i]);
            continue;
        }
        target_set targets = 0;
        unsigned most = 0;
        bool fails = true;
        for (unsigned t = 0; t < a->gpus->count; ++t) {
            unsigned each = blocks_of_unit(&sites[i], a->gpus->targets[t]);
            if (!each || blocks <= FEWEST_UNITS * (uint64_t)each)
                continue;
            targets |= (target_set)1 << t;
            most = most < each ? each : most;
            fails &= MOST_UNITS * (uint64_t)each < blocks;
        }
        if (!targets)
            continue;
        struct finding *f =
            annotation_add(a, RULE_SYNC_COOPERATIVE_GRID, sites[i].grid[0].expression->tokens);
        f->targets = targets;
        if (!fails)
            f->effect = EFFECT_NONE; /* a large GPU has room for them */
        finding_add_number(f, (long long)blocks);
        finding_add_number(f, most);
        finding_add_arg(f, annotation_names(a, targets));
    }
}
