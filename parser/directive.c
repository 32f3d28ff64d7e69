/* Pass 2: directives are read, and conditionals that name HIP split the file into what only
   an AMD compiler, only an NVIDIA compiler, or both see (condition.c).  */
#include <config.h>

#include <string.h>

#include "parser/island.h"
#include "parser/unit_p.h"

static void read_directive(struct unit *unit, struct directive *d)
{
    struct island island = {
        .unit = unit,
        .arena = unit->arena,
        .start = ISLAND_DIRECTIVE,
        .at = d->tokens.begin,
        .end = d->tokens.end - 1,
        .open = {NO_TOKEN, NO_TOKEN},
        .name = NO_TOKEN,
    };
    uint32_t end = island.end;
    island_parse(&island);
    d->name = island.name;
    d->params = island.params;
    d->function_like = island.function_like;
    d->condition = island.condition;
    uint32_t body = d->tokens.begin + 2;
    if (d->function_like)
        body = island.params.end + 1;
    else if (d->name != NO_TOKEN)
        body = d->name + 1;
    d->body = (struct range){body < end ? body : end, end};
    if (d->kind == TOK_PP_DEFINE)
        for (uint32_t i = d->body.begin; i < d->body.end; ++i)
            unit_token(unit, i)->flags |= TOKEN_MACRO_BODY;
    if (d->condition && (d->kind == TOK_PP_IFDEF || d->kind == TOK_PP_IFNDEF))
        d->name = d->condition->token;
}

/* #ifndef X, #define X around the whole file. */
static void find_guard(struct unit *unit)
{
    struct directive *list = unit->directives.items;
    size_t count = unit->directives.count;
    if (count < 3 || list[0].tokens.begin != 0 || list[0].next == NO_INDEX)
        return;
    const struct directive *end = &list[list[0].next];
    if (end->kind != TOK_PP_ENDIF || unit_token(unit, end->tokens.end)->kind != TOK_EOF)
        return;
    const struct condition *c = list[0].condition;
    if (!c)
        return;
    if (list[0].kind == TOK_PP_IF) {
        if (c->kind != COND_UNARY || c->op != TOK_BANG || c->arg[0]->kind != COND_DEFINED)
            return;
        c = c->arg[0];
    } else if (list[0].kind != TOK_PP_IFNDEF) {
        return;
    }
    const struct symbol *name = unit_token(unit, c->token)->symbol;
    if (list[1].kind == TOK_PP_DEFINE && list[1].name != NO_TOKEN &&
        unit_token(unit, list[1].name)->symbol == name &&
        list[1].tokens.begin == list[0].tokens.end)
        list[0].guard = true;
}

void pass2_directives(struct unit *unit)
{
    vec_each (struct directive, d, &unit->directives)
        read_directive(unit, d);
    find_guard(unit);

    /* Regions: a group inside a branch that one vendor sees is in that region as a whole. */
    uint16_t flags = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < unit->directives.count; ++i) {
        struct directive *d = &unit->directives.items[i];
        for (; at < d->tokens.begin; ++at)
            unit_token(unit, at)->flags |= flags;
        enum region around =
            d->parent == NO_INDEX ? REGION_COMMON : unit->directives.items[d->parent].region;
        bool opens = d->kind == TOK_PP_IF || d->kind == TOK_PP_IFDEF || d->kind == TOK_PP_IFNDEF;
        if (opens && around == REGION_COMMON && !d->guard)
            condition_decide_group(unit, i);
        if (d->parent != NO_INDEX)
            d->hidden |= unit->directives.items[d->parent].hidden;
        if (around != REGION_COMMON && d->first != NO_INDEX)
            d->region = around;
        /* The line itself: a condition that names HIP was written for both and stays. */
        uint16_t own = around == REGION_HIP    ? TOKEN_HIP_SIDE
                       : around == REGION_CUDA ? TOKEN_CUDA_SIDE
                                               : 0;
        if (around == REGION_COMMON && d->first != NO_INDEX &&
            unit->directives.items[d->first].names_hip)
            own = TOKEN_CUDA_SIDE;
        for (; at < d->tokens.end; ++at)
            unit_token(unit, at)->flags |= own;
        enum region inside =
            d->inside == NO_INDEX ? REGION_COMMON : unit->directives.items[d->inside].region;
        flags = inside == REGION_HIP ? TOKEN_HIP_SIDE : inside == REGION_CUDA ? TOKEN_CUDA_SIDE : 0;
    }
    for (; at < unit->tokens.list.count; ++at)
        unit_token(unit, at)->flags |= flags;
}

bool header_is_standard(const char *path, size_t len)
{
    static const char *const names[] = {
        "assert",  "complex", "ctype",  "errno",  "fenv",   "float",       "inttypes", "iso646",
        "limits",  "locale",  "math",   "setjmp", "signal", "stdalign",    "stdarg",   "stdatomic",
        "stdbool", "stddef",  "stdint", "stdio",  "stdlib", "stdnoreturn", "string",   "tgmath",
        "threads", "time",    "uchar",  "wchar",  "wctype", "unistd"};
    /* Those of C++ have no dot. */
    if ((!memchr(path, '.', len) && !memchr(path, '/', len)) ||
        (4 < len && !memcmp(path, "sys/", 4)))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strlen(names[i]) + 2 == len && !memcmp(path, names[i], len - 2) &&
            !memcmp(path + len - 2, ".h", 2))
            return true;
    return false;
}
