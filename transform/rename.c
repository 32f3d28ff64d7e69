/* Names: each identifier that the map knows becomes what HIP calls it, or is reported. */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

#include "maps/library.h"

static bool is_too_new(const struct transform *tr, const struct api *api)
{
    return tr->options->hip_version < counterpart_added(tr, api);
}

/* Removes the word at INDEX with the blanks behind it. */
static void remove_name(struct transform *tr, uint32_t index)
{
    const struct token *token = unit_token(tr->unit, index);
    const char *text = tr->unit->source->text;
    uint32_t end = token->offset + token->length;
    while (text[end] == ' ' || text[end] == '\t')
        ++end;
    edit_add(&tr->t->edits, token->offset, end - token->offset, "", EDIT_RENAME);
}

bool library_is_reported(const struct transform *tr, const char *name)
{
    const struct library *library =
        library_of_name(map_libraries(tr->options->map), name, strlen(name));
    return library && (library->state == LIBRARY_NONE || library->state == LIBRARY_PORT);
}

/* Whether the name at INDEX is pasted to another one by ##. */
static bool is_pasted(const struct unit *unit, uint32_t index)
{
    if (!(unit_token(unit, index)->flags & TOKEN_DIRECTIVE))
        return false;
    uint32_t prev = unit_prev(unit, index);
    return (prev != NO_TOKEN && unit_token(unit, prev)->kind == TOK_HASH_HASH) ||
           unit_token(unit, index + 1)->kind == TOK_HASH_HASH;
}

/* What is asked of the names that begin as a symbol does. */
struct beginning {
    const struct symbol *symbol;
    bool changes; /* HIP calls one of them otherwise, or has it not */
};

static void note_change(const struct api *api, void *context)
{
    struct beginning *beginning = context;
    const struct symbol *symbol = beginning->symbol;
    beginning->changes |= api->kind != API_HEADER && symbol->len < strlen(api->cuda) &&
                          !strncmp(api->cuda, symbol->text, symbol->len) &&
                          (!api->hip || strcmp(api->hip, api->cuda));
}

/* Whether what a macro pastes behind SYMBOL can make an API's name of it: cuda, CUBLAS_STATUS_. */
static bool is_api_prefix(struct transform *tr, const struct symbol *symbol)
{
    static const char *const libraries[] = {"cu", "CU", "nvrtc", "NVRTC"};
    enum { MOST = 64 }; /* each look-up walks over the whole map */
    bool possible = false;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; ++i)
        possible |= !strncmp(symbol->text, libraries[i], strlen(libraries[i]));
    if (!possible || MOST <= tr->prefixes_asked)
        return false;
    ++tr->prefixes_asked;
    struct beginning beginning = {symbol, false};
    map_lookup(tr->options->map, symbol->text, true, note_change, &beginning);
    return beginning.changes;
}

static void check_pasting(struct transform *tr, uint32_t hash)
{
    const struct unit *unit = tr->unit;
    const struct token *left = unit_token(unit, hash - 1);
    if (!left->symbol || token_region(left) != REGION_COMMON)
        return;
    if (left->symbol->api || is_api_prefix(tr, left->symbol))
        report(tr, RULE_API_PASTED_NAME, (struct range){hash - 1, hash + 2}, left->symbol->text,
               NULL, NULL);
}

/* `struct cudaDeviceProp prop`: HIP's types all have a plain name, but not all a tag of that name,
   so the keyword goes; it stays where the type is declared (struct cudaArray;). */
static void drop_tag(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    uint32_t prev = unit_prev(unit, index);
    if (prev == NO_TOKEN)
        return;
    enum token_kind before = unit_token(unit, prev)->kind;
    enum token_kind behind = unit_token(unit, unit_next(unit, index))->kind;
    if ((before == TOK_CLASS || before == TOK_ENUM) && behind != TOK_LBRACE &&
        behind != TOK_COLON && behind != TOK_SEMICOLON)
        remove_name(tr, prev);
}

bool report_unavailable(struct transform *tr, struct range range, const char *name,
                        const struct api *api)
{
    const char *hip = counterpart(tr, api);
    char buf[VERSION_TEXT];
    struct finding *finding;
    if (!hip)
        finding = report(tr, RULE_API_NO_COUNTERPART, range, name, NULL, NULL);
    else if (is_too_new(tr, api))
        finding = report(tr, RULE_API_NEWER_HIP, range, name, hip,
                         version_format(counterpart_added(tr, api), buf));
    else
        return false;
    finding->advice =
        !api->advice && api->shim ? "--shims brings a function that does the same" : api->advice;
    return true;
}

/* Where native names are asked for and API has none, HIP's is written: it needs HIP's header. */
static void note_mixed(struct transform *tr, const struct api *api)
{
    if (tr->options->libraries != NAMES_ROC || api->roc)
        return;
    for (size_t i = 0; i < sizeof tr->mixed / sizeof *tr->mixed; ++i) {
        if (!tr->mixed[i])
            tr->mixed[i] = api->library;
        if (!strcmp(tr->mixed[i], api->library))
            return;
    }
}

static void rename_at(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    const struct token *token = unit_token(unit, index);
    const struct api *api = token->symbol->api;
    const char *cuda = token->symbol->text;
    /* Namespaces are renamed in paths only: transform_qualified(). */
    if (api->kind == API_NAMESPACE || names_is_user(tr, index))
        return;
    /* `.name = value` in an initialiser and `name:` of a bit-field are members as well. */
    if (is_pasted(unit, index))
        return; /* reported by check_pasting() */
    /* What both sides spell alike may be anybody's: abs() needs no HIP. */
    const char *name = counterpart(tr, api);
    if (!name || strcmp(name, cuda))
        need_runtime(tr, index);
    if (!strcmp(cuda, "__CUDA_ARCH__")) {
        report(tr, RULE_API_ARCH_COMPARE, one_token(index), cuda, NULL, NULL);
        return;
    }
    /* In a macro's body it may end up in a condition; elsewhere it does not compile. */
    if ((!strcmp(cuda, "CUDART_VERSION") || !strcmp(cuda, "CUDA_VERSION")) &&
        token->flags & TOKEN_MACRO_BODY) {
        report(tr, RULE_API_VERSION_TEST, one_token(index), cuda, NULL, NULL);
        return;
    }
    uint32_t lparen = unit_next(unit, index);
    bool call = unit_token(unit, lparen)->kind == TOK_LPAREN &&
                unit_partner(unit, lparen) != NO_TOKEN && lparen < unit_partner(unit, lparen) &&
                !names_is_head(unit, index);
    if (tr->options->shims && api->shim && call && (!name || is_too_new(tr, api))) {
        tr->needs_shims = true;
        replace_token(tr, index, api->shim, EDIT_RENAME);
        return;
    }
    if (call && api->change_count && call_write(tr, api, index, lparen))
        return;
    if (!name) {
        /* A library that nothing stands for is reported once, as a whole. */
        if (library_is_reported(tr, cuda))
            return;
        /* A plain word (umin) that is not called is a variable. */
        if (api->kind == API_DEVICE_FUNCTION && !call)
            return;
        report_unavailable(tr, one_token(index), cuda, api);
        return;
    }
    if (!*name) {
        remove_name(tr, index);
        return;
    }
    /* A call may have another form for this version, so it is asked first. */
    const char *called = name;
    if (call && api->change_count) {
        call_rewrite(tr, api, index, lparen, &called);
        if (!called)
            return;
    }
    if (called == name && report_unavailable(tr, one_token(index), cuda, api))
        return;
    if (called == name && is_removed(tr, api)) {
        char buf[VERSION_TEXT];
        report(tr, RULE_API_REMOVED_HIP, one_token(index), cuda, name,
               version_format(api->hip_life.removed, buf));
        return;
    }
    if (api->note)
        report(tr, RULE_API_MEANING, one_token(index), cuda, called, api->note);
    if (api->needs)
        need_header(tr, api->needs);
    note_mixed(tr, api);
    if (!strcmp(called, cuda))
        return;
    replace_token(tr, index, called, EDIT_RENAME);
    if (api->kind == API_TYPE)
        drop_tag(tr, index);
}

/* #define and #undef of macros that the API looks at. */
static void rename_switches(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    vec_each (const struct directive, d, &unit->directives) {
        if ((d->kind != TOK_PP_DEFINE && d->kind != TOK_PP_UNDEF) || d->name == NO_TOKEN)
            continue;
        const struct token *name = unit_token(unit, d->name);
        const struct api *api = name->symbol ? name->symbol->api : NULL;
        const char *other = api ? counterpart(tr, api) : NULL;
        if (!other || !*other || api->kind != API_MACRO || name->symbol->user ||
            !strcmp(other, name->symbol->text) || token_region(name) != REGION_COMMON)
            continue;
        if (d->kind == TOK_PP_UNDEF || names_is_switch(unit, d))
            replace_token(tr, d->name, other, EDIT_RENAME);
    }
}

void transform_names(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    const uint16_t other_side = TOKEN_CUDA_SIDE | TOKEN_HIP_SIDE;
    vec_each (const uint32_t, at, &unit->tokens.landmarks) {
        uint32_t i = *at;
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_HASH_HASH && i)
            check_pasting(tr, i);
        if (!token->symbol || token->flags & (other_side | TOKEN_DROPPED))
            continue;
        switch (token->kind) {
        case TOK_GLOBAL:
        case TOK_DEVICE:
        case TOK_SHARED:
        case TOK_CONSTANT:
        case TOK_MANAGED:
        case TOK_LAUNCH_BOUNDS:
            need_runtime(tr, i);
            break;
        default:
            break;
        }
        if (token->symbol->api && token_is_code(token)) {
            rename_at(tr, i);
            /* What a name is may change from function to function. */
            if (token->symbol->api->kind == API_TYPE || token->symbol->api->kind == API_DEVICE_TYPE)
                names_note_type(unit, i, token->symbol->api);
        }
    }
    rename_switches(tr);
    vec_each (const struct launch, launch, &unit->launches)
        need_runtime(tr, launch->open);
}
