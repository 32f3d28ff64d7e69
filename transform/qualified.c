/* Qualified names: cub::BlockReduce, thrust::cuda::par, and what a namespace alias stands for.

   The map has entries for whole paths and for namespaces. Of a path in the source the longest
   beginning with an entry counts; where only the namespace changes only its word is edited, so
   that formatting survives. */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

enum { MAX_PARTS = 8 };

struct path {
    uint32_t parts[MAX_PARTS]; /* tokens of the names */
    int count;
};

static struct path read_path(const struct unit *unit, uint32_t first)
{
    struct path res = {{first}, 1};
    uint32_t at = unit_next(unit, first);
    while (res.count < MAX_PARTS && unit_kind(unit, at) == TOK_COLON_COLON &&
           unit_kind(unit, unit_next(unit, at)) == TOK_IDENT) {
        at = unit_next(unit, at);
        res.parts[res.count++] = at;
        at = unit_next(unit, at);
    }
    return res;
}

/* The text of the first COUNT parts, an alias replaced by what it stands for. */
static const char *path_text(struct transform *tr, const struct path *path, int count)
{
    const struct symbol *first = unit_token(tr->unit, path->parts[0])->symbol;
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, first->alias ? first->alias : first->text);
    for (int i = 1; i < count; ++i) {
        strbuf_adds(&text, "::");
        strbuf_adds(&text, unit_token(tr->unit, path->parts[i])->symbol->text);
    }
    const char *res = arena_strndup(tr->arena, text.text, text.len);
    strbuf_release(&text);
    return res;
}

/* Where the last part of NAME begins. */
static const char *last_part(const char *name, const char *end)
{
    const char *at = end;
    while (name < at && at[-1] != ':')
        --at;
    return at;
}

/* What is left of HIP behind the namespace that the alias NAME stands for, which is written where
   it is declared; NULL where HIP lies elsewhere. */
static const char *behind_alias(const struct transform *tr, const char *name, const char *hip)
{
    const struct api *api = map_find(tr->options->map, name, strlen(name));
    const char *space = api ? counterpart(tr, api) : NULL;
    size_t len = space ? strlen(space) : 0;
    if (!space || strncmp(hip, space, len))
        return NULL;
    return !hip[len] ? hip + len : strncmp(hip + len, "::", 2) ? NULL : hip + len + 2;
}

/* Writes HIP for the first COUNT parts of PATH, from the last part to the first, as far as they
   differ; the parts that an alias stands for are changed where it is declared. */
static void write_path(struct transform *tr, const struct path *path, int count, const char *hip)
{
    const char *alias = unit_token(tr->unit, path->parts[0])->symbol->alias;
    const char *rest = alias ? behind_alias(tr, alias, hip) : NULL;
    if (rest && !*rest && 1 < count)
        rest = NULL;
    int first = rest ? 1 : 0;
    if (rest)
        hip = rest;
    const char *end = hip + strlen(hip);
    for (int i = count - 1; first <= i; --i) {
        const struct symbol *symbol = unit_token(tr->unit, path->parts[i])->symbol;
        /* Whatever is left goes into the first part. */
        const char *part = i == first ? hip : last_part(hip, end);
        size_t len = (size_t)(end - part);
        if (!len) {
            /* HIP's path has fewer parts: this one goes, with what joins it to the next. */
            uint32_t begin = unit_token(tr->unit, path->parts[i])->offset;
            edit_add(&tr->t->edits, begin, unit_token(tr->unit, path->parts[i + 1])->offset - begin,
                     "", EDIT_RENAME);
        } else if (symbol->len != len || memcmp(symbol->text, part, len)) {
            replace_token(tr, path->parts[i], arena_strndup(tr->arena, part, len), EDIT_RENAME);
        }
        end = part - (part - hip < 2 ? part - hip : 2);
    }
}

/* cub::DeviceScan::ExclusiveSum(..., stream, debug_synchronous): newer hipCUB has no such argument,
   and older has a default for it. PATH ends in the function's name. */
static void drop_debug(struct transform *tr, const struct path *path)
{
    const struct unit *unit = tr->unit;
    uint32_t lparen = unit_next(unit, path->parts[path->count - 1]);
    struct arguments args;
    if (unit_kind(unit, lparen) != TOK_LPAREN || !unit_arguments(unit, lparen, tr->arena, &args) ||
        args.count < 2)
        return;
    struct range last = args.items[args.count - 1];
    if (last.end != last.begin + 1 || !unit_token(unit, last.begin)->symbol)
        return;
    const char *text = unit_token(unit, last.begin)->symbol->text;
    if (strcmp(text, "true") && strcmp(text, "false") && strcmp(text, "debug_synchronous"))
        return;
    struct span span = unit_span(unit, (struct range){unit_prev(unit, last.begin), last.end});
    edit_add(&tr->t->edits, span.begin, span.end - span.begin, "", EDIT_ARGUMENT);
}

static void examine(struct transform *tr, uint32_t first)
{
    struct path path = read_path(tr->unit, first);
    for (int count = path.count; 0 < count; --count) {
        const char *name = path_text(tr, &path, count);
        const struct api *api = map_find(tr->options->map, name, strlen(name));
        if (!api)
            continue;
        struct range range = {first, path.parts[count - 1] + 1};
        if (report_unavailable(tr, range, name, api))
            return;
        const char *hip = counterpart(tr, api);
        if (is_removed(tr, api)) {
            char buf[VERSION_TEXT];
            report(tr, RULE_API_REMOVED_HIP, range, name, hip,
                   version_format(api->hip_life.removed, buf));
            return;
        }
        if (api->note)
            report(tr, RULE_API_MEANING, range, name, hip, api->note);
        if (strcmp(name, hip))
            need_runtime(tr, first);
        write_path(tr, &path, count, hip);
        if (path.count == count + 1 && !strncmp(name, "cub::Device", 11))
            drop_debug(tr, &path);
        return;
    }
}

/* namespace ALIAS = A::B; notes what the alias stands for. False where it is
   no such thing. */
static bool note_alias(struct transform *tr, uint32_t index)
{
    const struct unit *unit = tr->unit;
    uint32_t alias = unit_next(unit, index);
    uint32_t assign = unit_next(unit, alias);
    if (unit_kind(unit, alias) != TOK_IDENT || unit_kind(unit, assign) != TOK_ASSIGN)
        return false;
    uint32_t first = unit_next(unit, assign);
    if (unit_kind(unit, first) == TOK_COLON_COLON)
        first = unit_next(unit, first);
    if (unit_kind(unit, first) != TOK_IDENT)
        return false;
    const struct symbol *symbol = unit_token(unit, first)->symbol;
    if (!symbol->alias && (!symbol->api || symbol->api->kind != API_NAMESPACE))
        return false;
    struct path path = read_path(unit, first);
    unit_token(unit, alias)->symbol->alias = path_text(tr, &path, path.count);
    return true;
}

/* Whether the name at INDEX begins a path, or stands where only a namespace can. */
static bool begins_path(const struct unit *unit, uint32_t index)
{
    if (unit_is_member(unit, index))
        return false;
    uint32_t prev = unit_prev(unit, index);
    enum token_kind before = unit_kind(unit, prev);
    if (before == TOK_COLON_COLON) {
        /* ::cub is the global one, a::cub is not ours. */
        enum token_kind left = unit_kind(unit, unit_prev(unit, prev));
        if (left == TOK_IDENT || left == TOK_GREATER)
            return false;
        prev = unit_prev(unit, prev);
        before = unit_kind(unit, prev);
    }
    if (unit_kind(unit, unit_next(unit, index)) == TOK_COLON_COLON)
        return true;
    if (before == TOK_NAMESPACE)
        return unit_kind(unit, unit_prev(unit, prev)) == TOK_USING;
    if (before != TOK_ASSIGN)
        return false;
    uint32_t alias = unit_prev(unit, prev);
    return unit_kind(unit, alias) == TOK_IDENT &&
           unit_kind(unit, unit_prev(unit, alias)) == TOK_NAMESPACE;
}

/* `using namespace nvcuda;`, where HIP has nothing for nvcuda but for a namespace in it, wmma: the
   line becomes `namespace wmma = rocwmma;` where the file names wmma. */
struct opened {
    uint32_t name;           /* of the namespace opened */
    uint32_t word;           /* using */
    uint32_t semicolon;      /* the end */
    const struct api *inner; /* the namespace in it that the file names, or NULL */
    const struct symbol *as; /* what it is called there */
};

enum { MOST_OPENED = 16 };

struct opened_list {
    struct opened items[MOST_OPENED];
    int count;
};

/* Notes the namespace at INDEX where it is one that is opened so. */
static bool note_opened(const struct transform *tr, struct opened_list *list, uint32_t index)
{
    const struct unit *unit = tr->unit;
    uint32_t space = unit_prev(unit, index), end = unit_next(unit, index);
    uint32_t word = space == NO_TOKEN ? NO_TOKEN : unit_prev(unit, space);
    if (unit_kind(unit, space) != TOK_NAMESPACE || unit_kind(unit, word) != TOK_USING ||
        unit_kind(unit, end) != TOK_SEMICOLON || list->count == MOST_OPENED ||
        counterpart(tr, unit_token(unit, index)->symbol->api))
        return false;
    list->items[list->count++] = (struct opened){.name = index, .word = word, .semicolon = end};
    return true;
}

/* Whether the name at INDEX, which begins a path, is a namespace in one opened before. */
static bool is_in_opened(struct transform *tr, struct opened_list *list, uint32_t index)
{
    struct symbol *symbol = unit_token(tr->unit, index)->symbol;
    bool res = false;
    for (int i = 0; i < list->count; ++i) {
        struct opened *opened = &list->items[i];
        const char *path = arena_printf(
            tr->arena, "%s::%s", unit_token(tr->unit, opened->name)->symbol->text, symbol->text);
        const struct api *api = map_find(tr->options->map, path, strlen(path));
        if (!api || api->kind != API_NAMESPACE || !counterpart(tr, api) ||
            (opened->inner && opened->inner != api) ||
            (symbol->alias && strcmp(symbol->alias, path)))
            continue;
        opened->inner = api;
        opened->as = symbol;
        symbol->alias = path;
        res = true;
    }
    return res;
}

/* Writes what stands for the namespaces opened, or reports those that the file does not use. */
static void write_opened(struct transform *tr, const struct opened_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        const struct opened *opened = &list->items[i];
        if (!opened->inner) {
            examine(tr, opened->name);
            continue;
        }
        if (opened->inner->note)
            report(tr, RULE_API_MEANING, one_token(opened->name), opened->inner->cuda,
                   counterpart(tr, opened->inner), opened->inner->note);
        struct span span = unit_span(tr->unit, (struct range){opened->word, opened->semicolon + 1});
        edit_add(&tr->t->edits, span.begin, span.end - span.begin,
                 arena_printf(tr->arena, "namespace %s = %s;", opened->as->text,
                              counterpart(tr, opened->inner)),
                 EDIT_RENAME);
    }
}

/* Looks at token INDEX; true where names behind it may stand for a namespace of the API's. */
static bool look_at(struct transform *tr, struct opened_list *opened, uint32_t index)
{
    const struct unit *unit = tr->unit;
    const struct token *token = unit_token(unit, index);
    if (token->kind == TOK_NAMESPACE)
        return note_alias(tr, index);
    if (token->kind != TOK_IDENT || token_region(token) != REGION_COMMON || !token_is_code(token))
        return false;
    const struct symbol *symbol = token->symbol;
    bool space = symbol->api && symbol->api->kind == API_NAMESPACE && !names_is_user(tr, index);
    if (space && note_opened(tr, opened, index))
        return true;
    bool path = opened->count && !symbol->api && !(symbol->flags & SYMBOL_NAMESPACE_OWN) &&
                unit_kind(unit, index + 1) == TOK_COLON_COLON && is_in_opened(tr, opened, index);
    if ((space || symbol->alias || path) && begins_path(unit, index))
        examine(tr, index);
    return false;
}

void transform_qualified(struct transform *tr)
{
    const struct tokens *tokens = &tr->unit->tokens;
    struct opened_list opened = {.count = 0};
    vec_each (const struct scope, scope, &tr->unit->scopes)
        if (scope->kind == SCOPE_NAMESPACE && scope->name)
            scope->name->flags |= SYMBOL_NAMESPACE_OWN;
    uint32_t alias = NO_TOKEN;
    for (size_t i = 0; i < tokens->landmarks.count && alias == NO_TOKEN; ++i)
        if (look_at(tr, &opened, tokens->landmarks.items[i]))
            alias = tokens->landmarks.items[i];
    /* Behind an alias of the file's own any name may be one. */
    for (uint32_t i = alias == NO_TOKEN ? NO_TOKEN : alias + 1; i < tokens->list.count; ++i)
        look_at(tr, &opened, i);
    write_opened(tr, &opened);
}
