/* Includes: each CUDA header becomes its HIP counterpart, once.

   A header that brings nothing new at its place (the HIP header, or one that covers it, is
   already included in a branch around) loses its line. hip_runtime.h is inserted where the file
   uses the API or the device language and includes neither; nvcc includes its runtime by
   itself, hipcc does not.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

#define RUNTIME "hip/hip_runtime.h"
#define RUNTIME_API "hip/hip_runtime_api.h"
#define SHIMS "hipwright_shims.h"

/* A HIP header the file includes, as it will be. */
struct included {
    const char *path;
    size_t len;
    uint32_t branch; /* the directive that opens the branch it lies in, or NO_INDEX */
    uint32_t token;  /* the # of its directive */
};

/* A CUDA header that another one brought, which HIP's does not. */
struct brought {
    const struct api *header;
    const struct directive *by;
};

struct includes {
    VEC(struct included) list;
    VEC(struct brought) brought;
};

/* Whether branch OUTER is BRANCH or encloses it, up to the header guard. */
static bool encloses(const struct unit *unit, uint32_t outer, uint32_t branch)
{
    /* Nobody nests deeper; the limit keeps damaged text linear. */
    for (int steps = 0; steps < 200; ++steps, branch = unit->directives.items[branch].parent) {
        if (outer == branch)
            return true;
        if (branch == NO_INDEX)
            break;
    }
    return false;
}

static bool is_included(const struct unit *unit, const struct includes *includes, const char *path,
                        size_t len, uint32_t branch)
{
    vec_each (const struct included, item, &includes->list)
        if (item->len == len && !memcmp(item->path, path, len) &&
            encloses(unit, item->branch, branch))
            return true;
    return false;
}

static bool has_text(const struct unit *unit, const struct includes *includes, const char *path,
                     uint32_t branch)
{
    return is_included(unit, includes, path, strlen(path), branch);
}

/* Notes an include of a HIP header that a HIP compiler may see. Not more than LONGEST: a file with
   more has some include twice, which does no harm. */
static void add(const struct unit *unit, struct includes *includes, const char *path, size_t len,
                const struct directive *d)
{
    enum { LONGEST = 500 };
    if (d->parent != NO_INDEX && unit->directives.items[d->parent].hidden)
        return;
    if (LONGEST < includes->list.count || is_included(unit, includes, path, len, d->parent))
        return;
    *vec_push(&includes->list) = (struct included){path, len, d->parent, d->tokens.begin};
}

/* Removes the directive; its whole line too where nothing else stands on it. */
static void remove_line(struct transform *tr, const struct directive *d)
{
    const struct source *source = &tr->t->source;
    struct span span = unit_span(tr->unit, (struct range){d->tokens.begin, d->tokens.end - 1});
    size_t begin = span.begin, end = span.end;
    while (begin && (source->text[begin - 1] == ' ' || source->text[begin - 1] == '\t'))
        --begin;
    while (end < source->len && strchr(" \t\r", source->text[end]) && source->text[end])
        ++end;
    bool alone = (begin == 0 || source->text[begin - 1] == '\n') &&
                 (end == source->len || source->text[end] == '\n');
    if (alone)
        edit_add(&tr->t->edits, begin, end + (end < source->len) - begin, "", EDIT_INCLUDE);
    else
        edit_add(&tr->t->edits, span.begin, span.end - span.begin, "", EDIT_INCLUDE);
}

const char *header_counterpart(struct transform *tr, const char *path, size_t len)
{
    const struct api *api = map_find_header(tr->options->map, path, len);
    if (!api || api->action != HEADER_REPLACE || !counterpart(tr, api) ||
        tr->options->hip_version < counterpart_added(tr, api))
        return NULL;
    if (takes_native_name(tr, api))
        return api->roc;
    struct strbuf target = STRBUF_INIT;
    map_header_path(api, path, len, &target);
    const char *res = arena_strndup(tr->arena, target.text, target.len);
    strbuf_release(&target);
    return res;
}

/* Notes the headers that the one of entry API, which D includes, brings. */
static void note_brought(const struct transform *tr, struct includes *includes,
                         const struct api *api, const struct directive *d)
{
    enum { MOST = 20 };
    for (const char *at = api->brings; at && *at && includes->brought.count < MOST;) {
        size_t len = strcspn(at, " ");
        const struct api *header = map_find_header(tr->options->map, at, len);
        bool known = !header;
        vec_each (const struct brought, item, &includes->brought)
            known |= item->header == header;
        if (!known)
            *vec_push(&includes->brought) = (struct brought){header, d};
        at += len + strspn(at + len, " ");
    }
}

/* Whether the file calls a function of LIBRARY. */
static bool calls_library(const struct transform *tr, const char *library)
{
    const struct unit *unit = tr->unit;
    for (uint32_t i = 0; i + 1 < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        const struct api *api = token->symbol ? token->symbol->api : NULL;
        if (api && api->kind == API_FUNCTION && !strcmp(api->library, library) &&
            unit_token(unit, i + 1)->kind == TOK_LPAREN && token_region(token) == REGION_COMMON &&
            counterpart(tr, api) && !names_is_user(tr, i))
            return true;
    }
    return false;
}

/* Adds the includes of the headers brought whose libraries the file uses. */
static void insert_brought(struct transform *tr, struct includes *includes)
{
    vec_each (const struct brought, item, &includes->brought) {
        const char *path = item->header->cuda;
        const char *hip = header_counterpart(tr, path, strlen(path));
        if (!hip || has_text(tr->unit, includes, hip, item->by->parent) ||
            !calls_library(tr, item->header->library))
            continue;
        insert_line(tr, unit_token(tr->unit, item->by->tokens.begin)->offset,
                    arena_printf(tr->arena, "#include <%s>", hip));
        add(tr->unit, includes, hip, strlen(hip), item->by);
    }
    vec_release(&includes->brought);
}

/* Whether an include behind D becomes one of the HIP header HIP. */
static bool is_included_behind(struct transform *tr, const struct directive *d, const char *hip)
{
    const struct unit *unit = tr->unit;
    const struct directive *end = unit->directives.items + unit->directives.count;
    for (++d; d < end; ++d) {
        if (d->kind != TOK_PP_INCLUDE || d->name == NO_TOKEN ||
            unit_kind(unit, d->name) != TOK_HEADER || unit_token(unit, d->name)->length < 2)
            continue;
        const struct token *header = unit_token(unit, d->name);
        const char *other =
            header_counterpart(tr, unit->source->text + header->offset + 1, header->length - 2);
        if (other && !strcmp(other, hip))
            return true;
    }
    return false;
}

/* D includes a header of the user's, of entry API, which looks at what HIP's header AFTER declares.
   nvcc has its runtime ahead of everything in a .cu file; here the include that the file has
   further down comes before D. */
static void include_before(struct transform *tr, struct includes *includes, const struct api *api,
                           const struct directive *d)
{
    if (!api->after || !is_cuda_source(tr) || has_text(tr->unit, includes, api->after, d->parent) ||
        !is_included_behind(tr, d, api->after))
        return;
    add(tr->unit, includes, api->after, strlen(api->after), d);
    insert_line(tr, unit_token(tr->unit, d->tokens.begin)->offset,
                arena_printf(tr->arena, "#include <%s>", api->after));
}

static void examine(struct transform *tr, struct includes *includes, const struct directive *d)
{
    const struct unit *unit = tr->unit;
    const struct token *header = unit_token(unit, d->name);
    if (header->kind != TOK_HEADER || header->length < 2)
        return;
    const char *path = unit->source->text + header->offset + 1;
    size_t len = header->length - 2;
    const struct api *api = map_find_header(tr->options->map, path, len);
    enum region region = token_region(unit_token(unit, d->tokens.begin));
    if (!api || region != REGION_COMMON) {
        if (map_is_hip_header(tr->options->map, path, len))
            add(unit, includes, path, len, d);
        return;
    }
    switch (api->action) {
    case HEADER_KEEP:
        include_before(tr, includes, api, d);
        return;
    case HEADER_DROP:
        remove_line(tr, d);
        return;
    case HEADER_REPLACE:
        break;
    }
    need_runtime(tr, d->tokens.begin);
    if (report_unavailable(tr, one_token(d->name), arena_strndup(tr->arena, path, len), api))
        return;
    if (api->note)
        report(tr, RULE_API_MEANING, one_token(d->name), arena_strndup(tr->arena, path, len),
               counterpart(tr, api), api->note);
    note_brought(tr, includes, api, d);
    for (size_t i = 0; i < sizeof tr->mixed / sizeof *tr->mixed && tr->mixed[i]; ++i)
        if (takes_native_name(tr, api) && api->hip && !strcmp(tr->mixed[i], api->library))
            need_header(tr, api->hip);
    const char *hip = header_counterpart(tr, path, len);
    if (has_text(unit, includes, hip, d->parent) ||
        (api->covered_by && has_text(unit, includes, api->covered_by, d->parent))) {
        remove_line(tr, d);
        return;
    }
    if (api->after && !has_text(unit, includes, api->after, d->parent)) {
        add(unit, includes, api->after, strlen(api->after), d);
        insert_line(tr, unit_token(unit, d->tokens.begin)->offset,
                    arena_printf(tr->arena, "#include <%s>", api->after));
    }
    add(unit, includes, hip, strlen(hip), d);
    char open = path[-1], close = path[len];
    replace_token(tr, d->name, arena_printf(tr->arena, "%c%s%c", open, hip, close), EDIT_INCLUDE);
}

/* Files that are pasted into others: an include in the midst of a function would do harm. */
static bool is_fragment(const char *name)
{
    static const char *const endings[] = {".inl", ".inc", ".ipp", ".tpp", ".def"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
        if (strlen(endings[i]) < len && !strcmp(name + len - strlen(endings[i]), endings[i]))
            return true;
    return false;
}

/* Offset of the line behind OFFSET. */
static size_t next_line(const struct source *source, size_t offset)
{
    const char *nl = memchr(source->text + offset, '\n', source->len - offset);
    return nl ? (size_t)(nl - source->text) + 1 : source->len;
}

/* Where an include can go: behind the guard, or #pragma once, or the comment at the top. */
static size_t insertion_point(const struct transform *tr)
{
    const struct unit *unit = tr->unit;
    const struct source *source = &tr->t->source;
    const struct directive *list = unit->directives.items;
    size_t count = unit->directives.count;
    if (count && list[0].guard)
        return unit_token(unit, list[1].tokens.end - 1)->offset == source->len
                   ? source->len
                   : next_line(source, unit_token(unit, list[1].tokens.end - 1)->offset);
    if (count && list[0].kind == TOK_PP_PRAGMA && list[0].tokens.begin == 0 &&
        list[0].name != NO_TOKEN && !strcmp(unit_token(unit, list[0].name)->symbol->text, "once"))
        return next_line(source, unit_token(unit, list[0].tokens.end - 1)->offset);
    size_t res = source_text_begin(source);
    vec_each (const struct comment, comment, &unit->tokens.comments) {
        if (comment->token != 0)
            break;
        size_t end = comment->offset + comment->length;
        /* A comment that code follows on its line belongs to that code. */
        if (unit_token(unit, 0)->offset < next_line(source, end) &&
            unit_token(unit, 0)->kind != TOK_EOF)
            break;
        /* So does one behind an empty line. */
        if (res <= comment->offset && 3 < res &&
            memchr(source->text + res, '\n', comment->offset - res))
            break;
        res = next_line(source, end);
    }
    return res;
}

/* The macro that names of the file need ahead of HIP's headers for the HIP asked for, or NULL.
   Where no version was asked for, the file shall compile with the older ones too. */
static const char *needed_macro(const struct transform *tr)
{
    const struct unit *unit = tr->unit;
    const struct symbol *last = NULL;
    vec_each (const uint32_t, at, &unit->tokens.landmarks) {
        uint32_t i = *at;
        const struct token *token = unit_token(unit, i);
        if (!token->symbol || token->symbol == last || !token->symbol->api ||
            !token->symbol->api->define || token_region(token) != REGION_COMMON)
            continue;
        const struct api *api = token->symbol->api;
        if (names_is_user(tr, i))
            continue;
        last = token->symbol;
        const char *before = strstr(api->define, " before ");
        version limit = 0;
        if (!before || !version_parse(before + 8, strlen(before + 8), &limit))
            continue;
        bool asked = !tr->options->any_hip;
        if ((asked && limit <= tr->options->hip_version) ||
            tr->options->hip_version < api->hip_life.added)
            continue;
        return arena_strndup(tr->arena, api->define, (size_t)(before - api->define));
    }
    return NULL;
}

/* Whether the include D may lead to HIP's headers: a header of the user's may have them. */
static bool may_lead_to_hip(const struct unit *unit, const struct directive *d)
{
    if ((d->kind != TOK_PP_INCLUDE && d->kind != TOK_PP_IMPORT && d->kind != TOK_PP_INCLUDE_NEXT) ||
        token_region(unit_token(unit, d->tokens.begin)) == REGION_CUDA)
        return false;
    const struct token *header = d->name == NO_TOKEN ? NULL : unit_token(unit, d->name);
    const char *text = header ? unit->source->text + header->offset : "";
    return *text != '<' || !header_is_standard(text + 1, header->length - 2);
}

/* Where a macro is ahead of every include that may lead to HIP's headers, of those that AT is ahead
   of: before the outermost conditional around the first of them. */
static size_t ahead_of_includes(const struct unit *unit, size_t at)
{
    const struct directive *list = unit->directives.items;
    vec_each (const struct directive, d, &unit->directives) {
        if (!may_lead_to_hip(unit, d))
            continue;
        const struct directive *outer = d;
        for (int steps = 0; outer->parent != NO_INDEX && steps < 200; ++steps) {
            const struct directive *branch = &list[list[outer->parent].first];
            if (branch->guard)
                break;
            outer = branch;
        }
        size_t offset = unit_token(unit, outer->tokens.begin)->offset;
        return offset < at ? offset : at;
    }
    return at;
}

/* Adds that macro, unless the file defines it, ahead of what may include a HIP header: at AT or
   before. */
static void insert_macro(struct transform *tr, size_t at)
{
    const char *macro = needed_macro(tr);
    if (!macro)
        return;
    vec_each (const struct directive, d, &tr->unit->directives)
        if (d->kind == TOK_PP_DEFINE && d->name != NO_TOKEN &&
            !strcmp(unit_token(tr->unit, d->name)->symbol->text, macro))
            return;
    insert_line(tr, ahead_of_includes(tr->unit, at), arena_printf(tr->arena, "#define %s", macro));
}

/* Whether the file includes the header HEADER of LEN bytes, in whatever branch. */
static bool includes_header(const struct transform *tr, const char *header, size_t len)
{
    vec_each (const struct directive, d, &tr->unit->directives) {
        if (d->kind != TOK_PP_INCLUDE || d->name == NO_TOKEN)
            continue;
        const struct token *name = unit_token(tr->unit, d->name);
        if (name->kind == TOK_HEADER && name->length == len + 2 &&
            !memcmp(tr->t->source.text + name->offset + 1, header, len))
            return true;
    }
    return false;
}

/* Whether the file includes a header that is neither the C or C++ library's nor an API's. */
static bool includes_user_header(const struct transform *tr)
{
    const struct unit *unit = tr->unit;
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_INCLUDE && d->kind != TOK_PP_IMPORT && d->kind != TOK_PP_INCLUDE_NEXT)
            continue;
        const struct token *name = d->name == NO_TOKEN ? NULL : unit_token(unit, d->name);
        if (!name || name->kind != TOK_HEADER || name->length < 2)
            return true;
        const char *path = unit->source->text + name->offset + 1;
        size_t len = name->length - 2;
        const struct api *api = map_find_header(tr->options->map, path, len);
        if (!header_is_standard(path, len) && !map_is_hip_header(tr->options->map, path, len) &&
            (!api || api->action == HEADER_KEEP))
            return true;
    }
    return false;
}

/* Whether the file shows that it has what the first of HEADERS declares: words with a blank between
   them, of which "*" is any header of the user's. */
static bool has_standard(const struct transform *tr, const char *headers)
{
    for (size_t len; *headers; headers += len + strspn(headers + len, " ")) {
        len = strcspn(headers, " ");
        if (*headers == '*' ? includes_user_header(tr) : includes_header(tr, headers, len))
            return true;
    }
    return false;
}

/* Includes the C library's headers that nvcc includes by itself and the host's code needs: before
   the line at OFFSET. */
static void insert_standard(struct transform *tr, size_t offset)
{
    const struct unit *unit = tr->unit;
    enum { MOST = 8 };
    const char *seen[MOST]; /* what was asked already */
    int count = 0;
    vec_each (const uint32_t, at, &unit->tokens.landmarks) {
        uint32_t i = *at;
        const struct token *token = unit_token(unit, i);
        const struct api *api = token->symbol ? token->symbol->api : NULL;
        if (!api || !api->include || count == MOST)
            continue;
        bool known = false;
        for (int s = 0; s < count; ++s)
            known |= !strcmp(seen[s], api->include);
        if (known || !token_is_code(token) || unit_token(unit, i + 1)->kind != TOK_LPAREN ||
            unit_kind(unit, unit_prev(unit, i)) == TOK_COLON_COLON || names_is_user(tr, i))
            continue;
        enum side side = side_at(unit, i);
        if (side != SIDE_HOST && side != SIDE_BOTH)
            continue;
        seen[count++] = api->include;
        if (!has_standard(tr, api->include))
            insert_line(tr, offset,
                        arena_printf(tr->arena, "#include <%.*s>", (int)strcspn(api->include, " "),
                                     api->include));
    }
}

static void insert_runtime(struct transform *tr)
{
    const struct source *source = &tr->t->source;
    size_t at = insertion_point(tr);
    insert_macro(tr, at);
    const char *newline = source_newline(source);
    bool open_line = source_text_begin(source) < at && source->text[at - 1] != '\n';
    edit_add(
        &tr->t->edits, at, 0,
        arena_printf(tr->arena, "%s#include <" RUNTIME ">%s", open_line ? newline : "", newline),
        EDIT_INCLUDE);
}

/* Whether the file uses what only hip_runtime.h declares, beyond the host API. */
static bool uses_device_language(const struct unit *unit)
{
    if (unit->launches.count || unit->variables.count)
        return true;
    vec_each (const struct function, fn, &unit->functions)
        if (fn->flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE | FUNCTION_HOST))
            return true;
    return false;
}

/* #include NAME, where #define NAME <cuda.h> or "cuda.h" stands in the same file. */
static void examine_macro(struct transform *tr, const struct symbol *name)
{
    const struct unit *unit = tr->unit;
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_DEFINE || d->name == NO_TOKEN || d->function_like ||
            unit_token(unit, d->name)->symbol != name || d->body.begin >= d->body.end ||
            token_region(unit_token(unit, d->name)) != REGION_COMMON)
            continue;
        struct span span = unit_span(unit, d->body);
        const char *text = unit->source->text + span.begin;
        size_t len = span.end - span.begin;
        if (len < 3 || (text[0] != '<' && text[0] != '"'))
            continue;
        const char *hip = header_counterpart(tr, text + 1, len - 2);
        if (hip)
            edit_add(&tr->t->edits, span.begin + 1, len - 2, hip, EDIT_INCLUDE);
    }
}

/* Includes whose header is a macro's name. Each macro is looked at once. */
static void examine_macros(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    enum { MOST = 20 };
    const struct symbol *seen[MOST];
    int count = 0;
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_INCLUDE || d->tokens.end - d->tokens.begin != 4)
            continue;
        const struct symbol *name = unit_token(unit, d->tokens.begin + 2)->symbol;
        bool known = !name;
        for (int i = 0; i < count; ++i)
            known |= seen[i] == name;
        if (known || count == MOST)
            continue;
        seen[count++] = name;
        examine_macro(tr, name);
    }
}

/* Includes our own header, which brings HIP's: before the include at OFFSET. */
static void insert_shims(struct transform *tr, size_t offset)
{
    if (!tr->needs_shims)
        return;
    if (!includes_header(tr, SHIMS, strlen(SHIMS)))
        insert_line(tr, offset, "#include <" SHIMS ">");
}

/* Includes what names of the file need beyond the headers of their libraries: before the line of
   the source's byte OFFSET. */
static void insert_needed(struct transform *tr, const struct includes *includes, size_t offset)
{
    for (size_t i = 0; i < sizeof tr->needed / sizeof *tr->needed && tr->needed[i]; ++i)
        if (!has_text(tr->unit, includes, tr->needed[i], NO_INDEX))
            insert_line(tr, offset, arena_printf(tr->arena, "#include <%s>", tr->needed[i]));
}

void transform_includes(struct transform *tr)
{
    examine_macros(tr);
    const struct unit *unit = tr->unit;
    struct includes includes = {0};
    vec_each (const struct directive, d, &unit->directives)
        if ((d->kind == TOK_PP_INCLUDE || d->kind == TOK_PP_IMPORT ||
             d->kind == TOK_PP_INCLUDE_NEXT) &&
            d->name != NO_TOKEN)
            examine(tr, &includes, d);
    insert_brought(tr, &includes);
    uint32_t first = NO_TOKEN;
    vec_each (const struct included, item, &includes.list)
        if (first == NO_TOKEN && 4 < item->len && !memcmp(item->path, "hip/", 4))
            first = item->token;
    /* A conditional include is the author's decision; any counts. */
    bool runtime = false, api = false;
    vec_each (const struct included, item, &includes.list) {
        runtime |= item->len == strlen(RUNTIME) && !memcmp(item->path, RUNTIME, item->len);
        api |= item->len == strlen(RUNTIME_API) && !memcmp(item->path, RUNTIME_API, item->len);
    }
    /* An empty map knows of no such header, and changes nothing. */
    if (tr->needs_runtime && !runtime && !is_fragment(tr->t->source.name) &&
        !(api && !uses_device_language(unit)) &&
        map_is_hip_header(tr->options->map, RUNTIME, strlen(RUNTIME)))
        insert_runtime(tr);
    else if (first != NO_TOKEN)
        insert_macro(tr, unit_token(unit, first)->offset);
    size_t at = first != NO_TOKEN ? unit_token(unit, first)->offset : insertion_point(tr);
    insert_needed(tr, &includes, at);
    if ((tr->needs_runtime || first != NO_TOKEN) && !is_fragment(tr->t->source.name))
        insert_standard(tr, at);
    insert_shims(tr, at);
    vec_release(&includes.list);
}
