/* The lane interpreter alone: prints what it makes of expressions, for every thread of a block.

   usage: hwlane [--block=X,Y,Z] [--wave=N] [--sample=N] FILE...
          hwlane --accesses [--block=X,Y,Z] [--wave=N] FILE...

   In the files, calls of show(EXPRESSION) and touch(ARRAY, ACCESS) mark what is asked: the value of
   EXPRESSION, the bytes of ARRAY that ACCESS touches. Each gives a line

       LINE STATE STEP REACH VALUES

   STATE is `known', `shifted' or `unknown', VALUES one number for each thread (one alone, with `='
   before it, where all are the same). REACH is `uniform', `unknown', or one digit for each thread.

   --accesses  asks for the role of each expression and for the address of each access to shared
               memory in device code instead: how many are known, and why others are not  */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/model/lane.h"
#include "base/xalloc.h"

struct settings {
    unsigned block[3];
    unsigned wave, sample;
    bool accesses;
    bool own_blocks; /* none was given: a kernel's own, where they are known */
};

/* Over all files. */
static struct totals {
    uint64_t functions, accesses, known, expressions, roles[LANE_ROLE_WARP_START + 1];
} totals;

static void print_reach(struct lane_machine *machine, const struct node *node)
{
    uint64_t mask[LANES_MAX / 64];
    switch (lane_reach(machine, node, mask)) {
    case REACH_UNKNOWN:
        fputs(" unknown", stdout);
        break;
    case REACH_UNIFORM:
        fputs(" uniform", stdout);
        break;
    case REACH_KNOWN:
        putchar(' ');
        for (unsigned i = 0; i < machine->threads; ++i)
            putchar('0' + (int)(mask[i / 64] >> i % 64 & 1));
        break;
    }
}

static void print_lanes(struct lane_machine *machine, unsigned line, const struct node *call,
                        const struct lanes *lanes)
{
    static const char *const states[] = {"unknown", "known", "shifted"};
    printf("%u %s %" PRIu64, line, states[lanes->state],
           lanes->state == LANES_SHIFTED ? lanes->step : 0);
    print_reach(machine, call);
    if (lanes->state != LANES_UNKNOWN && !lanes->values)
        printf(" =%" PRId64, lanes->base);
    else if (lanes->state != LANES_UNKNOWN)
        for (unsigned i = 0; i < machine->threads; ++i)
            printf(" %" PRId64, lanes_at(lanes, i));
    putchar('\n');
}

static unsigned line_of(struct source *source, const struct unit *unit, uint32_t token)
{
    return source_location(source, unit_token(unit, token)->offset).line;
}

/* Answers the questions below NODE. */
static void answer(struct source *source, struct lane_machine *machine, const struct node *node)
{
    const struct unit *unit = machine->model->unit;
    const struct node *callee = node->kind == NODE_CALL ? node->kids : NULL;
    const struct symbol *name =
        callee && callee->kind == NODE_NAME ? tree_symbol(unit, callee) : NULL;
    if (name && callee->next && !strcmp(name->text, "show")) {
        struct lanes lanes = lane_evaluate(machine, callee->next);
        if (lanes.object || lanes.bytes == 0)
            lanes.state = LANES_UNKNOWN;
        print_lanes(machine, line_of(source, unit, node->token), node, &lanes);
    }
    if (name && callee->next && callee->next->next && !strcmp(name->text, "touch")) {
        struct lane_access access = {.address.state = LANES_UNKNOWN};
        if (!lane_shared_access(machine, callee->next->next, &access))
            access.address.state = LANES_UNKNOWN;
        print_lanes(machine, line_of(source, unit, node->token), node, &access.address);
    }
    tree_each (kid, node)
        answer(source, machine, kid);
}

static void answer_all(struct source *source, struct model *model, const struct settings *settings)
{
    for (size_t i = 0; i < model->unit->functions.count; ++i) {
        const struct model_function *function = model_function(model, i);
        struct lane_machine machine;
        if (!function->body ||
            !((function->function->flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE))) ||
            !lane_machine_init(&machine, model, i, settings->block, settings->wave,
                               settings->sample))
            continue;
        answer(source, &machine, function->body);
        lane_machine_release(&machine);
    }
}

/* Why the address of ACCESS is not known. */
static const char *reason(struct lane_machine *machine, const struct node *access)
{
    uint64_t mask[LANES_MAX / 64];
    for (const struct node *at = access; at->kind == NODE_INDEX; at = at->kids)
        if (lane_evaluate(machine, at->kids->next).state == LANES_UNKNOWN)
            return lane_reach(machine, at->kids->next, mask) == REACH_UNKNOWN
                       ? "index, perhaps not reached"
                       : "index";
    return access->kind == NODE_INDEX ? "type" : "pointer";
}

/* The accesses to shared memory below NODE; what is inside another one's array is counted with it.
 */
static void count_accesses(struct source *source, struct lane_machine *machine,
                           const struct node *node)
{
    struct model *model = machine->model;
    struct lane_access access;
    bool known = lane_shared_access(machine, node, &access);
    if (node->kind == NODE_INDEX || (node->kind == NODE_UNARY && node->op == TOK_STAR)) {
        const struct node *base = node->kids;
        while (base->kind == NODE_INDEX)
            base = base->kids;
        struct name_meaning meaning = {.kind = NAME_UNKNOWN};
        if (base->kind == NODE_NAME)
            meaning = model_lookup(model, tree_symbol(model->unit, base), base->token);
        bool shared = meaning.declaration && meaning.declaration->kids->flags & TYPE_SHARED;
        if (known || shared) {
            totals.accesses++;
            totals.known += known;
            if (!known)
                printf("%s:%u: %s: %s\n", source->name, line_of(source, model->unit, node->token),
                       reason(machine, node), unit_quote(model->unit, node->tokens));
            for (const struct node *at = node; at->kind == NODE_INDEX; at = at->kids)
                count_accesses(source, machine, at->kids->next);
            return;
        }
    }
    tree_each (kid, node)
        count_accesses(source, machine, kid);
}

/* The roles of the expressions below NODE. */
static void count_roles(struct model *model, size_t function, const struct node *node,
                        unsigned width)
{
    if (node->kind == NODE_NAME || node->kind == NODE_BINARY || node->kind == NODE_CALL ||
        node->kind == NODE_MEMBER) {
        totals.expressions++;
        totals.roles[lane_role(model, function, node, width)]++;
    }
    tree_each (kid, node)
        count_roles(model, function, kid, width);
}

static void measure(struct source *source, struct model *model, const struct settings *settings)
{
    for (size_t i = 0; i < model->unit->functions.count; ++i) {
        const struct model_function *function = model_function(model, i);
        struct lane_machine machine;
        struct launch_blocks blocks;
        const unsigned *block = settings->block;
        if (!function->body || !(function->function->flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE)))
            continue;
        if (settings->own_blocks && model_blocks(model, i, &blocks) && blocks.count)
            block = blocks.block[0];
        if (!lane_machine_init(&machine, model, i, block, settings->wave, settings->sample))
            continue;
        totals.functions++;
        count_accesses(source, &machine, function->body);
        count_roles(model, i, function->body, settings->wave);
        lane_machine_release(&machine);
    }
}

static void read_file(const char *name, FILE *file, const struct settings *settings)
{
    struct strbuf text = STRBUF_INIT;
    char chunk[65536];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file));)
        strbuf_add(&text, chunk, got);
    size_t len = text.len;
    strbuf_add(&text, "\0\0", SOURCE_PADDING);
    struct source source;
    source_init(&source, name, text.text, len);
    struct arena arena = ARENA_INIT;
    struct symbol_table symbols;
    symbol_table_init(&symbols, &arena, lexer_on_new, NULL);
    struct diag diag = DIAG_INIT;
    struct unit unit;
    unit_parse(&unit, &source, &symbols, &arena, &diag);
    struct model model;
    model_init(&model, &unit, &arena, NULL);
    if (settings->accesses)
        measure(&source, &model, settings);
    else
        answer_all(&source, &model, settings);
    model_release(&model);
    diag_release(&diag);
    unit_release(&unit);
    symbol_table_release(&symbols);
    arena_release(&arena);
    source_release(&source);
}

/* The number behind OPTION= in ARGUMENT, or false. */
static bool numbers(const char *argument, const char *option, unsigned *res, int count)
{
    size_t len = strlen(option);
    if (strncmp(argument, option, len) != 0)
        return false;
    const char *at = argument + len;
    for (int i = 0; i < count; ++i) {
        char *end;
        res[i] = (unsigned)strtoul(at, &end, 10);
        at = *end ? end + 1 : end;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct settings settings = {.block = {256, 1, 1}, .wave = 32, .own_blocks = true};
    int status = 0, i = 1;
    for (; i < argc && !strncmp(argv[i], "--", 2); ++i) {
        if (numbers(argv[i], "--block=", settings.block, 3))
            settings.own_blocks = false;
        else if (!strcmp(argv[i], "--accesses"))
            settings.accesses = true;
        else if (!numbers(argv[i], "--wave=", &settings.wave, 1) &&
                 !numbers(argv[i], "--sample=", &settings.sample, 1)) {
            fprintf(stderr, "hwlane: unknown option: %s\n", argv[i]);
            return 2;
        }
    }
    for (; i < argc; ++i) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            status = 2;
            continue;
        }
        read_file(argv[i], file, &settings);
        fclose(file);
    }
    if (settings.accesses) {
        printf("%" PRIu64 " expressions: %" PRIu64 " lanes, %" PRIu64 " warps, %" PRIu64
               " numbers of warps, %" PRIu64 " starts of warps\n",
               totals.expressions, totals.roles[LANE_ROLE_LANE], totals.roles[LANE_ROLE_WARP],
               totals.roles[LANE_ROLE_WARP_COUNT], totals.roles[LANE_ROLE_WARP_START]);
        printf("%" PRIu64 " functions, %" PRIu64 " accesses, %" PRIu64 " with known addresses\n",
               totals.functions, totals.accesses, totals.known);
    }
    return status;
}
