/* api-texture-reference, api-texture-fetch: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

static bool is_word(const struct symbol *symbol, const char *word)
{
    return !strcmp(symbol->text, word);
}

static void report(struct annotation *a, uint32_t first, uint32_t last)
{
    const struct unit *unit = a->unit;
    struct range range = {first, last + 1};
    findings_add(a->findings, RULE_API_TEXTURE_REFERENCE, unit_span(unit, range),
                 unit_quote(unit, range), NULL, NULL);
}

/* texture<float, 2, cudaReadModeElementType> NAME: the index of NAME, or NO_TOKEN. */
static uint32_t declared_name(const struct unit *unit, uint32_t index)
{
    uint32_t less = unit_next(unit, index);
    if (unit_token(unit, less)->kind != TOK_LESS || unit_partner(unit, less) == NO_TOKEN)
        return NO_TOKEN;
    uint32_t name = unit_next(unit, unit_partner(unit, less));
    return unit_token(unit, name)->kind == TOK_IDENT ? name : NO_TOKEN;
}

/* Calls that exist for references only. */
static bool binds_reference(const struct symbol *symbol)
{
    static const char *const names[] = {"cudaBindTexture",
                                        "cudaUnbindTexture",
                                        "cudaBindSurface",
                                        "cudaGetTextureReference",
                                        "cudaGetTextureAlignmentOffset",
                                        "cuTexRef"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strncmp(symbol->text, names[i], strlen(names[i])))
            return true;
    return false;
}

/* tex1D, tex2DLod, texCubemapLayered, surf2Dread, ... */
static bool is_fetch(const struct symbol *symbol)
{
    static const char *const names[] = {"tex1D",  "tex2D",  "tex3D",  "texCubemap",
                                        "surf1D", "surf2D", "surf3D", "surfCubemap"};
    static const char *const endings[] = {
        "",     "fetch",   "gather",     "read",        "write",       "Lod",
        "Grad", "Layered", "LayeredLod", "LayeredGrad", "Layeredread", "Layeredwrite"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        size_t len = strlen(names[i]);
        if (strncmp(symbol->text, names[i], len))
            continue;
        for (size_t j = 0; j < sizeof endings / sizeof *endings; ++j)
            if (!strcmp(symbol->text + len, endings[j]))
                return true;
    }
    return false;
}

/* The targets without image instructions: the compiler defines __HIP_NO_IMAGE_SUPPORT for gfx942
   and gfx950, and the runtime denies images to all of gfx94x and gfx95x. */
static target_set without_images(const struct comparison *gpus)
{
    return comparison_with_architecture(gpus, "CDNA3") |
           comparison_with_architecture(gpus, "CDNA4");
}

/* Whether the fetch at INDEX is one of the user's: image::tex2D (x, y), or tex2D (x, y) where the
   file has its own. */
static bool is_own_fetch(const struct unit *unit, uint32_t index)
{
    uint32_t before = unit_prev(unit, index);
    if (unit_kind(unit, before) != TOK_COLON_COLON)
        return unit_token(unit, index)->symbol->flags & SYMBOL_OWN;
    return unit_kind(unit, unit_prev(unit, before)) == TOK_IDENT;
}

/* A fetch through a texture object, where the call stands in device code. */
static void report_fetch(struct annotation *a, uint32_t index)
{
    const struct unit *unit = a->unit;
    uint32_t scope = unit_scope_at(unit, index);
    if (scope == NO_INDEX || unit->scopes.items[scope].kind != SCOPE_FUNCTION ||
        index < unit->scopes.items[scope].open || unit_is_member(unit, index) ||
        is_own_fetch(unit, index))
        return;
    struct range range = {index, index + 1};
    target_set without = without_images(a->gpus);
    if (!without)
        return;
    struct finding *finding =
        findings_add(a->findings, RULE_API_TEXTURE_FETCH, unit_span(unit, range),
                     unit_quote(unit, range), annotation_names(a, without), NULL);
    finding->targets = without;
}

/* Marks those of the names that the file defines functions by. */
static void mark_own(const struct unit *unit)
{
    vec_each (const struct function, fn, &unit->functions) {
        struct symbol *name = fn->name == NO_TOKEN ? NULL : unit_token(unit, fn->name)->symbol;
        if (name && name->flags & SYMBOL_TEXTURE_WORD && fn->body.begin < fn->body.end)
            name->flags |= SYMBOL_OWN;
    }
}

/* Marks the names in question; false where the file has none. */
static bool mark_words(const struct unit *unit)
{
    bool res = false;
    for (struct symbol *s = symbol_first(unit->symbols); s; s = symbol_next(s)) {
        /* All begin so: texture, surface, tex2D, cudaBindTexture, cuTexRef... */
        if (!strchr("tsc", *s->text) ||
            !(is_word(s, "texture") || is_word(s, "surface") || binds_reference(s) || is_fetch(s)))
            continue;
        s->flags |= SYMBOL_TEXTURE_WORD;
        res = true;
    }
    if (res)
        mark_own(unit);
    return res;
}

void rule_texture_reference(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!mark_words(unit))
        return;
    for (uint32_t i = 0; i + 1 < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (!token->symbol || !(token->symbol->flags & SYMBOL_TEXTURE_WORD) ||
            token_region(token) != REGION_COMMON || token->symbol->user || !token_is_code(token))
            continue;
        uint32_t next = unit_next(unit, i);
        /* tex2D<float>(object, x, y) */
        if (unit_token(unit, next)->kind == TOK_LESS && unit_partner(unit, next) != NO_TOKEN &&
            next < unit_partner(unit, next) && is_fetch(token->symbol))
            next = unit_next(unit, unit_partner(unit, next));
        bool call = unit_token(unit, next)->kind == TOK_LPAREN;
        if (is_word(token->symbol, "texture") || is_word(token->symbol, "surface")) {
            uint32_t name = declared_name(unit, i);
            if (name != NO_TOKEN) {
                unit_token(unit, name)->symbol->flags |= SYMBOL_TEXTURE_REFERENCE;
                report(a, i, name);
            }
        } else if (call && binds_reference(token->symbol) && token->symbol->api) {
            report(a, i, i);
        } else if (call && is_fetch(token->symbol)) {
            const struct token *first = unit_token(unit, unit_next(unit, next));
            uint32_t close = unit_partner(unit, next);
            if (first->symbol && first->symbol->flags & SYMBOL_TEXTURE_REFERENCE)
                report(a, i, close == NO_TOKEN || close < next ? i : close);
            else
                report_fetch(a, i);
        }
    }
}
