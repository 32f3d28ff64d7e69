/* library-none, library-port, library-partial: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

#include "annotate/model/model.h"
#include "maps/library.h"

enum { MOST = 64 }; /* libraries of one file */

struct seen {
    const struct library *list[MOST];
    int count;
};

static bool is_new(struct seen *seen, const struct library *library)
{
    for (int i = 0; i < seen->count; ++i)
        if (seen->list[i] == library)
            return false;
    if (seen->count == MOST)
        return false;
    seen->list[seen->count++] = library;
    return true;
}

/* Whether the file is one of LIBRARY's own. */
static bool is_source_of(const struct annotation *a, const struct library *library)
{
    const struct model_options *known = a->options->known;
    for (size_t i = 0; known && i < known->own_library_count; ++i)
        if (!strcmp(known->own_libraries[i], library->text[LIBRARY_NAME]))
            return true;
    return false;
}

/* What the translation says of a name of LIBRARY that it leaves as it is. */
static bool is_missing(const struct annotation *a, const struct finding *f,
                       const struct library *library)
{
    if (f->rule != RULE_API_NO_COUNTERPART && f->rule != RULE_API_NEWER_HIP &&
        f->rule != RULE_API_REMOVED_HIP && f->rule != RULE_API_ARGUMENTS)
        return false;
    const char *name = f->args[0] ? f->args[0] : "";
    const struct api *api = map_find(a->map, name, strlen(name));
    if (!api)
        api = map_find_header(a->map, name, strlen(name));
    return api && api->library && !strcmp(api->library, library->text[LIBRARY_MAP]);
}

/* Where the file uses what the counterpart of LIBRARY, whose names are known one by one, has not,
   but for the header at PLACE itself: related to F, or where F is NULL only asked for. */
static bool add_missing(struct annotation *a, struct finding *f, struct span place,
                        const struct library *library)
{
    bool res = false;
    for (size_t i = 0, count = a->findings->list.count; i < count && (f || !res); ++i) {
        const struct finding *other = &a->findings->list.items[i];
        if (other->span.begin == place.begin || !is_missing(a, other, library))
            continue;
        res = true;
        if (f)
            finding_add_related(f, RELATED_USED, other->span, NULL);
    }
    return res;
}

static void report(struct annotation *a, struct seen *seen, const struct library *library,
                   uint32_t token)
{
    static const struct {
        enum library_state state;
        enum rule_id rule;
    } rules[] = {
        {LIBRARY_NONE, RULE_LIBRARY_NONE},
        {LIBRARY_PORT, RULE_LIBRARY_PORT},
        {LIBRARY_PARTIAL, RULE_LIBRARY_PARTIAL},
    };
    for (size_t i = 0; library && i < sizeof rules / sizeof *rules; ++i) {
        if (rules[i].state != library->state || is_source_of(a, library) || !is_new(seen, library))
            continue;
        struct span place = unit_token_span(a->unit, token);
        bool by_name = library->state == LIBRARY_PARTIAL && library->text[LIBRARY_MAP];
        if (by_name && !add_missing(a, NULL, place, library))
            continue;
        struct finding *finding =
            findings_add(a->findings, rules[i].rule, place, library->text[LIBRARY_NAME],
                         library->text[LIBRARY_COUNTERPART],
                         library->text[LIBRARY_EXTENT] ? library->text[LIBRARY_EXTENT] : "-");
        finding->advice = library->text[LIBRARY_NOTE];
        if (by_name)
            add_missing(a, finding, place, library);
    }
}

/* The library of the identifier at INDEX; asked once for each name of the file. */
static const struct library *library_at(const struct annotation *a, uint32_t index)
{
    const struct token *token = unit_token(a->unit, index);
    struct symbol *symbol = token->symbol;
    if (token->kind != TOK_IDENT || symbol->flags & SYMBOL_LIBRARY_ASKED)
        return NULL;
    enum token_kind next = unit_kind(a->unit, unit_next(a->unit, index));
    bool space = next == TOK_COLON_COLON;
    if (!symbol->api && !space)
        return NULL;
    /* The word of a namespace may be anything else: cuda##name, tensor.cuda(). */
    if (symbol->api && symbol->api->kind == API_NAMESPACE && !space &&
        (next != TOK_SEMICOLON || unit_is_member(a->unit, index)))
        return NULL;
    symbol->flags |= SYMBOL_LIBRARY_ASKED;
    if (symbol->user)
        return NULL;
    const struct library_table *table = map_libraries(a->map);
    if (!space)
        return library_of_name(table, symbol->text, symbol->len);
    const char *name = arena_printf(a->unit->arena, "%s::", symbol->text);
    return library_of_name(table, name, strlen(name));
}

/* Whether the header is the project's: in quotes, with an ending that such headers of libraries
   do not have, in a folder with a name that they like as well. */
static bool is_own(const struct unit *unit, const struct token *header)
{
    const char *text = unit->source->text + header->offset;
    return *text == '"' && !strncmp(text + 1, "cuda/", 5) &&
           memchr(text, '.', header->length) != NULL;
}

void rule_library(struct annotation *a)
{
    const struct unit *unit = a->unit;
    struct seen seen = {.count = 0};
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_INCLUDE || d->name == NO_TOKEN)
            continue;
        const struct token *header = unit_token(unit, d->name);
        if (header->kind == TOK_HEADER && 2 < header->length &&
            token_region(header) == REGION_COMMON && !is_own(unit, header))
            report(a, &seen,
                   library_of_include(map_libraries(a->map),
                                      unit->source->text + header->offset + 1, header->length - 2),
                   d->name);
    }
    vec_each (const uint32_t, at, &unit->tokens.landmarks) {
        const struct token *token = unit_token(unit, *at);
        if (token->symbol && token_region(token) == REGION_COMMON && token_is_code(token))
            report(a, &seen, library_at(a, *at), *at);
    }
}
