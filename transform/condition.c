/* Conditions: what an AMD compiler makes of the macros in #if.

   `defined(__CUDA_ARCH__)` asks for device code and has a counterpart; a comparison with its
   value has none, and renaming half of such a condition would turn it round, so it stays whole
   and is reported. Versions of CUDA say nothing about HIP's: never translated, always
   reported.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

struct names {
    uint32_t arch;    /* the __CUDA_ARCH__ whose value is used, or NO_TOKEN */
    uint32_t version; /* a version macro, or NO_TOKEN */
};

static bool is_name(const struct unit *unit, uint32_t index, const char *name)
{
    const struct symbol *symbol = unit_token(unit, index)->symbol;
    return symbol && !strcmp(symbol->text, name);
}

/* A version of CUDA or of one of its libraries: no name of these has a counterpart. */
static bool is_version(const struct unit *unit, uint32_t index)
{
    const struct symbol *symbol = unit_token(unit, index)->symbol;
    const struct api *api = symbol && !symbol->user ? symbol->api : NULL;
    if (!api || api->kind != API_MACRO || api->hip)
        return false;
    static const char *const ends[] = {"_MAJOR", "_MINOR", "_PATCH", "_PATCHLEVEL"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        size_t len = strlen(ends[i]);
        if (len < symbol->len && !strcmp(symbol->text + symbol->len - len, ends[i]))
            return true;
    }
    return strstr(symbol->text, "_VERSION") || strstr(symbol->text, "_VER_");
}

/* A macro that tells which features of one NVIDIA architecture there are. */
static bool is_arch_feature(const struct symbol *symbol)
{
    return !strncmp(symbol->text, "__CUDA_ARCH_", 12) && strcmp(symbol->text, "__CUDA_ARCH_LIST__");
}

static void find_version(const struct unit *unit, const struct condition *c, struct names *res)
{
    if (!c)
        return;
    if (c->kind == COND_NAME && is_version(unit, c->token))
        res->version = c->token;
    if (c->kind == COND_DEFINED && is_version(unit, c->token) && res->version == NO_TOKEN)
        res->version = c->token;
    for (int i = 0; i < 3; ++i)
        find_version(unit, c->arg[i], res);
}

/* The names in a condition that the grammar does not know: any counts. */
static void scan_tokens(const struct unit *unit, const struct directive *d, struct names *res)
{
    for (uint32_t i = d->body.begin; i < d->body.end; ++i) {
        if (is_name(unit, i, "__CUDA_ARCH__"))
            res->arch = i;
        if (unit_token(unit, i)->symbol && is_version(unit, i))
            res->version = i;
    }
}

/* __has_include(<cuda_bf16.h>): the header's name, from behind the parenthesis at LPAREN. */
static void rename_has_include(struct transform *tr, uint32_t lparen)
{
    const struct unit *unit = tr->unit;
    uint32_t rparen = unit_partner(unit, lparen);
    if (rparen == NO_TOKEN || rparen < lparen + 2)
        return;
    struct span span = unit_span(unit, (struct range){lparen + 1, rparen});
    const char *text = unit->source->text + span.begin;
    size_t len = span.end - span.begin;
    if (len < 3 || (text[0] != '<' && text[0] != '"'))
        return;
    const char *hip = header_counterpart(tr, text + 1, len - 2);
    if (hip)
        edit_add(&tr->t->edits, span.begin + 1, len - 2, hip, EDIT_CONDITION);
}

static void rename_names(struct transform *tr, const struct directive *d)
{
    const struct unit *unit = tr->unit;
    bool reported = false; /* once is enough */
    for (uint32_t i = d->tokens.begin + 2; i < d->tokens.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (!token->symbol)
            continue;
        if (!strncmp(token->symbol->text, "__has_include", 13) &&
            unit_token(unit, i + 1)->kind == TOK_LPAREN)
            rename_has_include(tr, i + 1);
        const struct api *api = token->symbol->api;
        if (!api || token->symbol->user)
            continue;
        if (!strcmp(token->symbol->text, "__CUDA_ARCH__")) {
            replace_token(tr, i, "__HIP_DEVICE_COMPILE__", EDIT_CONDITION);
            continue;
        }
        const char *name = counterpart(tr, api);
        if (!name) {
            /* What the file sets itself is as it says, with any compiler. */
            if (!reported && !(token->symbol->flags & SYMBOL_SWITCHED)) {
                report(tr,
                       is_arch_feature(token->symbol) ? RULE_API_ARCH_COMPARE : RULE_API_CONDITION,
                       one_token(i), token->symbol->text, NULL, NULL);
                reported = true;
            }
        } else if (*name && strcmp(name, token->symbol->text) &&
                   (api->kind == API_MACRO || api->kind == API_DEVICE_TYPE)) {
            replace_token(tr, i, name, EDIT_CONDITION);
        }
    }
}

/* Whether D lies in a branch that no AMD compiler gets to. */
static bool is_out_of_reach(const struct unit *unit, const struct directive *d)
{
    enum { DEPTH = 32 };
    uint32_t at = d->parent;
    for (unsigned i = 0; at != NO_INDEX && i < DEPTH; ++i, at = unit->directives.items[at].parent)
        if (unit->directives.items[at].hidden)
            return true;
    return false;
}

/* `defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600` sorts out old GPUs, and AMD's with none. */
static void report_arch(struct transform *tr, const struct directive *d, uint32_t arch)
{
    struct finding *f =
        report(tr, RULE_API_ARCH_COMPARE, one_token(arch), "__CUDA_ARCH__", NULL, NULL);
    if (!d->newest || is_out_of_reach(tr->unit, d))
        return;
    f->effect = EFFECT_NONE;
    finding_add_related(f, RELATED_NEWEST, unit_span(tr->unit, d->tokens), NULL);
}

void transform_conditions(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    vec_each (const struct directive, d, &unit->directives) {
        switch (d->kind) {
        case TOK_PP_IF:
        case TOK_PP_IFDEF:
        case TOK_PP_IFNDEF:
        case TOK_PP_ELIF:
        case TOK_PP_ELIFDEF:
        case TOK_PP_ELIFNDEF:
            break;
        default:
            continue;
        }
        if (token_region(unit_token(unit, d->tokens.begin)) != REGION_COMMON || d->guard)
            continue;
        struct names names = {.arch = NO_TOKEN, .version = NO_TOKEN};
        if (d->condition) {
            names.arch = condition_compared(unit, d->condition, "__CUDA_ARCH__", true);
            find_version(unit, d->condition, &names);
        } else {
            scan_tokens(unit, d, &names);
        }
        if (names.arch != NO_TOKEN)
            report_arch(tr, d, names.arch);
        if (names.version != NO_TOKEN)
            report(tr, RULE_API_VERSION_TEST, one_token(names.version),
                   unit_token(unit, names.version)->symbol->text, NULL, NULL);
        if (names.arch == NO_TOKEN && names.version == NO_TOKEN)
            rename_names(tr, d);
    }
}
