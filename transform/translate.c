#include <config.h>

#include "transform/translate.h"

#include <string.h>

#include "lexer/lexer.h"
#include "transform/dialect.h"
#include "transform/transform_p.h"

/* Keywords that the passes look for. */
static bool is_landmark(enum token_kind keyword)
{
    switch (keyword) {
    case TOK_USING:
    case TOK_NAMESPACE:
    case TOK_GLOBAL:
    case TOK_DEVICE:
    case TOK_SHARED:
    case TOK_CONSTANT:
    case TOK_MANAGED:
    case TOK_LAUNCH_BOUNDS:
        return true;
    default:
        return false;
    }
}

static void on_new_symbol(struct symbol *symbol, void *context)
{
    const struct map *map = context;
    symbol->keyword = (uint16_t)lexer_keyword(symbol->text, symbol->len);
    symbol->api = map_find_hashed(map, symbol->text, symbol->len, symbol->hash);
    /* HIP's names too: some are types of a file that was translated before. */
    symbol->landmark =
        symbol->api || is_landmark(symbol->keyword) || !strncmp(symbol->text, "hip", 3);
}

bool takes_native_name(const struct transform *tr, const struct api *api)
{
    return tr->options->libraries == NAMES_ROC && api->roc;
}

const char *counterpart(const struct transform *tr, const struct api *api)
{
    return takes_native_name(tr, api)       ? api->roc
           : tr->options->fnuz && api->fnuz ? api->fnuz
                                            : api->hip;
}

version counterpart_added(const struct transform *tr, const struct api *api)
{
    return takes_native_name(tr, api)       ? api->hip_life.native
           : tr->options->fnuz && api->fnuz ? api->fnuz_added
                                            : api->hip_life.added;
}

bool is_cuda_source(const struct transform *tr)
{
    const char *name = tr->t->source.name;
    size_t len = strlen(name);
    return 3 < len && !strcmp(name + len - 3, ".cu");
}

void need_runtime(struct transform *tr, uint32_t index)
{
    if (tr->needs_runtime)
        return;
    uint32_t branch = is_cuda_source(tr) ? NO_INDEX : unit_branch_at(tr->unit, index);
    tr->needs_runtime = branch == NO_INDEX || tr->unit->directives.items[branch].guard;
}

void need_header(struct transform *tr, const char *path)
{
    for (size_t i = 0; i < sizeof tr->needed / sizeof *tr->needed; ++i) {
        if (!tr->needed[i])
            tr->needed[i] = path;
        if (!strcmp(tr->needed[i], path))
            return;
    }
}

void replace_token(struct transform *tr, uint32_t index, const char *text, enum edit_reason reason)
{
    const struct token *token = unit_token(tr->unit, index);
    edit_add(&tr->t->edits, token->offset, token->length, text, reason);
}

void insert_before(struct transform *tr, uint32_t index, const char *text, enum edit_reason reason)
{
    edit_add(&tr->t->edits, unit_token(tr->unit, index)->offset, 0, text, reason);
}

void insert_behind(struct transform *tr, uint32_t index, const char *text, enum edit_reason reason)
{
    const struct token *token = unit_token(tr->unit, index);
    edit_add(&tr->t->edits, token->offset + token->length, 0, text, reason);
}

void insert_line_as(struct transform *tr, size_t offset, const char *text, enum edit_reason reason)
{
    const struct source *source = &tr->t->source;
    size_t line = source_line_begin(source, offset), begin = source_text_begin(source);
    edit_add(&tr->t->edits, line < begin ? begin : line, 0,
             arena_printf(tr->arena, "%s%s", text, source_newline(source)), reason);
}

static bool is_blank_line(const struct source *source, size_t begin)
{
    size_t at = begin + strspn(source->text + begin, " \t\r");
    return at < source->len && source->text[at] == '\n';
}

/* Behind the comment that begins at AT and ends on its line; AT where there is none. */
static size_t skip_comment(const struct source *source, size_t at)
{
    const char *text = source->text + at;
    size_t line = strcspn(text, "\n");
    if (!strncmp(text, "//", 2))
        return line && text[line - 1] == '\\' ? at : at + line;
    const char *end = strncmp(text, "/*", 2) ? NULL : strstr(text, "*/");
    return end && end < text + line ? (size_t)(end + 2 - source->text) : at;
}

void take_out(struct transform *tr, struct range range, bool with_comment)
{
    const struct source *source = &tr->t->source;
    struct span span = unit_span(tr->unit, range);
    size_t first = span.begin, last = span.end;
    while (first && (source->text[first - 1] == ' ' || source->text[first - 1] == '\t'))
        --first;
    last += strspn(source->text + last, " \t");
    if (with_comment)
        last = skip_comment(source, last);
    last += strspn(source->text + last, " \t\r");
    bool alone = (!first || source->text[first - 1] == '\n') &&
                 (last == source->len || source->text[last] == '\n');
    if (alone) {
        last += last < source->len;
        bool blank_above =
            2 <= first && is_blank_line(source, source_line_begin(source, first - 1));
        if (blank_above && last < source->len && is_blank_line(source, last))
            last += strcspn(source->text + last, "\n") + 1;
    } else {
        last = span.end + strspn(source->text + span.end, " \t");
        if (last == source->len || !strchr("\r\n", source->text[last]))
            first = span.begin;
    }
    edit_add(&tr->t->edits, first, last - first, "", EDIT_CONDITION);
    for (uint32_t i = range.begin; i < range.end; ++i)
        unit_token(tr->unit, i)->flags |= TOKEN_DROPPED;
}

void insert_line(struct transform *tr, size_t offset, const char *text)
{
    insert_line_as(tr, offset, text, EDIT_INCLUDE);
}

struct finding *report(struct transform *tr, enum rule_id rule, struct range range,
                       const char *arg1, const char *arg2, const char *arg3)
{
    return findings_add(&tr->t->findings, rule, unit_span(tr->unit, range), arg1, arg2, arg3);
}

bool has_bare_comma(const struct unit *unit, struct range range)
{
    /* Longer than anybody writes; parentheses do no harm where they are not needed. */
    enum { LONGEST = 5000 };
    if (LONGEST < range.end - range.begin)
        return true;
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_LPAREN && token->partner != NO_TOKEN && i < token->partner &&
            token->partner < range.end)
            i = token->partner;
        else if (token->kind == TOK_COMMA)
            return true;
    }
    return false;
}

void translate(struct translation *t, const char *name, char *text, size_t len,
               const struct translate_options *options)
{
    *t = (struct translation){.diag = DIAG_INIT};
    source_init(&t->source, name, text, len);
    findings_init(&t->findings, &t->arena);
    symbol_table_init(&t->symbols, &t->arena, on_new_symbol, (void *)(uintptr_t)options->map);
    t->unit = arena_zalloc(&t->arena, 1, sizeof *t->unit);
    unit_parse(t->unit, &t->source, &t->symbols, &t->arena, &t->diag);

    struct transform tr = {
        .t = t,
        .unit = t->unit,
        .options = options,
        .arena = &t->arena,
    };
    t->hip = options->input == INPUT_HIP;
    if (options->input == INPUT_HIP) {
        names_note_types(&tr);
    } else {
        names_collect(&tr);
        t->hip = options->input == INPUT_AUTO && dialect_is_hip(t->unit, options->map);
        transform_conditions(&tr);
        transform_cases(&tr);
        transform_overloads(&tr);
        transform_names(&tr);
        transform_qualified(&tr);
        transform_fields(&tr);
        transform_dim3(&tr);
        transform_launches(&tr);
        transform_device_pointers(&tr);
        transform_vectors(&tr);
        transform_includes(&tr);
    }
    calls_finish(&tr);
    vec_release(&tr.reorders);
    edits_finish(&t->edits);
}

void translation_text(const struct translation *t, struct strbuf *out)
{
    edits_apply(&t->edits, &t->source, out);
}

void translation_release(struct translation *t)
{
    unit_release(t->unit);
    symbol_table_release(&t->symbols);
    edits_release(&t->edits);
    findings_release(&t->findings);
    diag_release(&t->diag);
    source_release(&t->source);
    arena_release(&t->arena);
}
