#include <config.h>

#include "transform/dialect.h"

#include <string.h>

/* k.hip, k.hip.h, k.hip.cpp */
static bool is_hip_name(const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    for (const char *at = base; (at = strstr(at, ".hip")); at += 4)
        if (!at[4] || (at[4] == '.' && !strchr(at + 5, '.')))
            return true;
    return false;
}

/* hipMalloc, hipLaunchKernelGGL, but not hips. */
static bool is_hip_word(const struct symbol *symbol)
{
    return 3 < symbol->len && !memcmp(symbol->text, "hip", 3) && 'A' <= symbol->text[3] &&
           symbol->text[3] <= 'Z';
}

/* Whether the translation has another name for it. */
static bool is_cuda_name(const struct symbol *symbol)
{
    const struct api *api = symbol->api;
    return api && !symbol->user && api->hip && strcmp(api->cuda, api->hip);
}

/* What the header of the #include D says: 1 HIP, -1 CUDA, 0 nothing. */
static int header_side(const struct unit *unit, const struct map *map, const struct directive *d)
{
    if (d->kind != TOK_PP_INCLUDE || d->name == NO_TOKEN)
        return 0;
    const struct token *token = unit_token(unit, d->name);
    if (token->kind != TOK_HEADER || token->length < 2 || token_region(token) != REGION_COMMON)
        return 0;
    const char *path = unit->source->text + token->offset + 1;
    size_t len = token->length - 2;
    if (map_is_hip_header(map, path, len))
        return 1;
    const struct api *api = map_find_header(map, path, len);
    bool changes =
        api && (api->action == HEADER_DROP || (api->action == HEADER_REPLACE && api->hip));
    return changes ? -1 : 0;
}

bool dialect_is_hip(const struct unit *unit, const struct map *map)
{
    bool hip = is_hip_name(unit->source->name);
    vec_each (const struct directive, d, &unit->directives) {
        int side = header_side(unit, map, d);
        if (side < 0)
            return false;
        hip = hip || side;
    }
    /* The names of both sides are landmarks. */
    vec_each (const uint32_t, at, &unit->tokens.landmarks) {
        const struct token *token = unit_token(unit, *at);
        if (!token->symbol || token_region(token) != REGION_COMMON || !token_is_code(token))
            continue;
        if (is_cuda_name(token->symbol))
            return false;
        hip = hip || is_hip_word(token->symbol);
    }
    return hip;
}
