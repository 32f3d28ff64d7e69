#include <config.h>

#include "annotate/model/macros.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/model/world.h"
#include "base/strbuf.h"

/* ---- what a file defines */

bool model_is_default_of(const struct unit *unit, uint32_t index, const struct symbol *name)
{
    if (index == NO_INDEX)
        return false;
    const struct directive *around = &unit->directives.items[index];
    const struct condition *c = around->condition;
    bool negated = around->kind == TOK_PP_IFNDEF;
    if (c && c->kind == COND_UNARY && c->op == TOK_BANG) {
        negated = true;
        c = c->arg[0];
    }
    return c && negated && c->kind == COND_DEFINED && unit_token(unit, c->token)->symbol == name;
}

/* The text of D's macro, or "(...)" for one that no condition is made of. */
static const char *body_of(const struct unit *unit, const struct directive *d, struct arena *arena)
{
    enum { TOKENS_MAX = 8 }; /* ((-1)) */
    static const char other[] = "(...)";
    struct strbuf text = STRBUF_INIT;
    if (d->function_like || TOKENS_MAX < d->body.end - d->body.begin)
        return other;
    for (uint32_t i = d->body.begin; i < d->body.end; ++i) {
        const struct token *token = unit_token(unit, i);
        strbuf_add(&text, unit->source->text + token->offset, token->length);
    }
    const char *res = text.len ? arena_strndup(arena, text.text, text.len) : "";
    strbuf_release(&text);
    return res;
}

static int compare(const void *va, const void *vb)
{
    const struct model_macro *a = va, *b = vb;
    int names = strcmp(a->name, b->name);
    return names ? names : (b->token < a->token) - (a->token < b->token);
}

const struct model_macro *model_macros(const struct unit *unit, struct arena *arena, size_t *count)
{
    VEC(struct model_macro) list = {0};
    vec_each (const struct directive, d, &unit->directives) {
        if ((d->kind != TOK_PP_DEFINE && d->kind != TOK_PP_UNDEF) || d->name == NO_TOKEN)
            continue;
        const struct symbol *name = unit_token(unit, d->name)->symbol;
        if (!name || (d->kind == TOK_PP_DEFINE && model_is_default_of(unit, d->parent, name)))
            continue;
        bool always = d->kind == TOK_PP_DEFINE &&
                      (d->parent == NO_INDEX || unit->directives.items[d->parent].guard);
        *vec_push(&list) = (struct model_macro){.name = arena_strndup(arena, name->text, name->len),
                                                .body = always ? body_of(unit, d, arena) : NULL,
                                                .token = d->name};
    }
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, compare);
    struct model_macro *res = arena_zalloc(arena, list.count, sizeof *res);
    *count = 0;
    vec_each (const struct model_macro, macro, &list)
        if (*count && !strcmp(res[*count - 1].name, macro->name))
            res[*count - 1].body = NULL;
        else
            res[(*count)++] = *macro;
    vec_release(&list);
    return res;
}

/* ---- what is known of a name */

struct knowledge {
    const struct unit *unit;
    const struct model_options *options;
    const struct model_macro *own;
    size_t own_count;
};

/* Counts to TIMES the definitions of NAME on the command line, of which BODY is the last. */
static void find_given(const struct knowledge *k, const char *name, unsigned *times,
                       const char **body)
{
    for (size_t i = 0; k->options && i < k->options->define_count; ++i) {
        const struct model_define *define = &k->options->defines[i];
        if (strcmp(define->name, name) != 0)
            continue;
        *body = define->commands ? NULL : define->value;
        ++*times;
    }
}

/* Likewise in the file, if it is before AT. */
static void find_own(const struct knowledge *k, const char *name, uint32_t at, unsigned *times,
                     const char **body)
{
    size_t i;
    vec_search(i, k->own_count, strcmp(k->own[i].name, name) < 0);
    if (i == k->own_count || strcmp(k->own[i].name, name) != 0)
        return;
    *body = k->own[i].token < at ? k->own[i].body : NULL;
    ++*times;
}

/* Whether FILE is certainly included before AT. */
static bool is_included(const struct knowledge *k, uint32_t file, uint32_t at)
{
    const struct model_included *list = k->options->certain;
    size_t i;
    vec_search(i, k->options->certain_count, list[i].file < file);
    return i < k->options->certain_count && list[i].file == file &&
           list[i].offset < unit_token(k->unit, at)->offset;
}

/* Likewise in the files around. */
static void find_around(const struct knowledge *k, const char *name, uint32_t at, unsigned *times,
                        const char **body)
{
    uint32_t file = UINT32_MAX;
    for (int i = 0; k->options && k->options->world && i < MODEL_SCOPES; ++i) {
        struct model_macro_found found =
            model_world_macro(k->options->world, &k->options->scopes[i], name);
        if (!found.files || (found.files == 1 && found.file == file))
            continue;
        *body = is_included(k, found.file, at) ? found.macro->body : NULL;
        *times += found.files;
        file = found.file;
    }
}

/* The body of NAME at AT, or NULL. */
static const char *find_body(const struct knowledge *k, const char *name, uint32_t at)
{
    const char *res = NULL;
    unsigned times = 0;
    find_given(k, name, &times, &res);
    find_own(k, name, at, &times, &res);
    find_around(k, name, at, &times, &res);
    return times == 1 ? res : NULL;
}

/* ---- what it is worth */

/* The number that the LEN bytes at TEXT are, as a condition reads it. */
static bool read_number(const char *text, size_t len, long long *res)
{
    char digits[40];
    size_t n = 0;
    for (size_t i = 0; i < len; ++i) {
        if (sizeof digits <= n + 1)
            return false;
        if (text[i] != '\'')
            digits[n++] = text[i];
    }
    digits[n] = '\0';
    bool binary = digits[0] == '0' && (digits[1] | 0x20) == 'b';
    char *end;
    unsigned long long value = strtoull(digits + (binary ? 2 : 0), &end, binary ? 2 : 0);
    while (*end && strchr("uUlLzZ", *end))
        ++end;
    *res = (long long)value;
    return !*end && isdigit((unsigned char)digits[0]);
}

static bool is_name(const char *text, size_t len)
{
    for (size_t i = 0; i < len; ++i)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return len != 0;
}

/* The value of the text BODY at AT: a number, or the name of a macro that is one. */
static bool read_body(const struct knowledge *k, const char *body, uint32_t at, unsigned depth,
                      long long *res)
{
    enum { DEPTH_MAX = 8, NAME_MAX_LEN = 128 };
    size_t len = strlen(body);
    bool minus = false;
    for (; 2 <= len && (*body == '-' || (*body == '(' && body[len - 1] == ')')); ++body) {
        minus ^= *body == '-';
        len -= *body == '-' ? 1 : 2;
    }
    char name[NAME_MAX_LEN];
    if (!read_number(body, len, res)) {
        if (sizeof name <= len || DEPTH_MAX < depth || !is_name(body, len))
            return false;
        memcpy(name, body, len);
        name[len] = '\0';
        const char *other = find_body(k, name, at);
        if (!strcmp(name, "true") || !strcmp(name, "false"))
            *res = *name == 't';
        else if (!other || !read_body(k, other, at, depth + 1, res))
            return false;
    }
    *res = minus ? (long long)(0 - (unsigned long long)*res) : *res;
    return true;
}

static bool look_up(void *context, uint32_t token, struct macro_known *res)
{
    const struct knowledge *k = context;
    const char *body = find_body(k, unit_token(k->unit, token)->symbol->text, token);
    *res = (struct macro_known){0};
    if (body)
        res->has_value = read_body(k, body, token, 0, &res->value);
    return body != NULL;
}

bool model_hide_dead(struct unit *unit, const struct model_options *options)
{
    struct knowledge k = {.unit = unit, .options = options};
    bool any = false;
    vec_each (const struct directive, d, &unit->directives)
        any = any || d->condition;
    if (!any)
        return false;
    k.own = model_macros(unit, unit->arena, &k.own_count);
    return unit_hide_dead(unit, look_up, &k);
}
