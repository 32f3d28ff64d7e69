/* Overloads and specialisations that are told apart by CUDA's types, where HIP has one type for
   both: f (cudaError_t) and f (CUresult) both take a hipError_t.

   A second definition that does the same is left out; another one is reported. A declaration may
   stand twice, but for a member's.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

#include "base/xalloc.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

struct definition {
    UT_hash_handle hh;
    const char *key;     /* what makes it one of its kind in HIP; in the file's arena */
    const char *cuda;    /* the same in CUDA */
    const char *name;    /* for messages */
    struct range head;   /* its tokens up to the body */
    struct range tokens; /* the whole */
};

/* Text of a signature, in CUDA's words and in HIP's. */
struct signature {
    struct transform *tr;
    struct strbuf cuda, hip;
};

/* Longer than anybody writes; keeps damaged text linear. */
enum { MOST_TOKENS = 400 };

static void add_text(struct signature *s, const char *cuda, size_t cuda_len, const char *hip)
{
    strbuf_add(&s->cuda, cuda, cuda_len);
    strbuf_adds(&s->cuda, " ");
    if (hip)
        strbuf_adds(&s->hip, hip);
    else
        strbuf_add(&s->hip, cuda, cuda_len);
    strbuf_adds(&s->hip, " ");
}

static void add_token(struct signature *s, uint32_t index)
{
    const struct token *token = unit_token(s->tr->unit, index);
    const char *hip = NULL;
    const struct api *api = token->symbol ? token->symbol->api : NULL;
    if (api && (api->kind == API_TYPE || api->kind == API_DEVICE_TYPE) &&
        !names_is_user(s->tr, index))
        hip = counterpart(s->tr, api);
    if (hip && !strcmp(hip, token->symbol->text))
        hip = NULL;
    /* HIP's device pointer is a plain one. */
    if (hip && !strcmp(hip, "hipDeviceptr_t"))
        hip = "void *";
    add_text(s, s->tr->unit->source->text + token->offset, token->length, hip);
}

static void add_range(struct signature *s, struct range range)
{
    for (uint32_t i = range.begin; i < range.end; ++i)
        if (!(unit_token(s->tr->unit, i)->flags & TOKEN_DIRECTIVE))
            add_token(s, i);
}

/* Adds the type of the parameter RANGE: without its name and default. */
static void add_parameter(struct signature *s, struct range range)
{
    const struct unit *unit = s->tr->unit;
    uint32_t end = range.begin, name = NO_TOKEN;
    bool type = false;
    for (; end < range.end && unit_kind(unit, end) != TOK_ASSIGN; ++end) {
        const struct token *token = unit_token(unit, end);
        if (token->kind == TOK_LBRACKET)
            break;
        if (type && token->kind == TOK_IDENT && unit_kind(unit, end - 1) != TOK_COLON_COLON)
            name = end;
        type |= token->kind == TOK_IDENT || token->kind == TOK_TYPE;
        if (token->kind == TOK_LESS && token->partner != NO_TOKEN && end < token->partner &&
            token->partner < range.end)
            end = token->partner;
    }
    bool array = end < range.end && unit_kind(unit, end) == TOK_LBRACKET;
    for (uint32_t i = range.begin; i < end; ++i) {
        enum token_kind kind = unit_kind(unit, i);
        if (kind != TOK_CLASS && kind != TOK_ENUM && !(i == name && i + 1 == end))
            add_token(s, i);
    }
    add_text(s, array ? "* ," : ",", array ? 3 : 1, NULL);
}

static void add_parameters(struct signature *s, struct range params)
{
    const struct unit *unit = s->tr->unit;
    struct range one = {params.begin, params.begin};
    for (uint32_t i = params.begin; i < params.end; ++i) {
        const struct token *token = unit_token(unit, i);
        one.end = i;
        if (token->kind == TOK_COMMA) {
            add_parameter(s, one);
            one.begin = i + 1;
        } else if (token->partner != NO_TOKEN && i < token->partner &&
                   token->partner < params.end) {
            i = token->partner;
        }
    }
    one.end = params.end;
    if (one.begin < one.end)
        add_parameter(s, one);
}

/* The names of the scopes around, the innermost first. */
static void add_scope(struct signature *s, uint32_t scope)
{
    const struct scope *scopes = s->tr->unit->scopes.items;
    for (int steps = 0; scope != NO_INDEX && steps < 8; ++steps, scope = scopes[scope].parent)
        if (scopes[scope].name)
            add_text(s, scopes[scope].name->text, scopes[scope].name->len, NULL);
    add_text(s, "|", 1, NULL);
}

/* The branches of one conditional exclude each other. */
static bool are_alternatives(const struct unit *unit, uint32_t a, uint32_t b)
{
    const struct directive *list = unit->directives.items;
    uint32_t left = unit_branch_at(unit, a);
    for (int i = 0; left != NO_INDEX && i < 20; ++i, left = list[left].parent) {
        uint32_t right = unit_branch_at(unit, b);
        for (int k = 0; right != NO_INDEX && k < 20; ++k, right = list[right].parent)
            if (left != right && list[left].first == list[right].first)
                return true;
    }
    return false;
}

/* Whether both say the same in HIP, from behind their heads on. */
static bool have_same_body(struct transform *tr, const struct definition *a,
                           const struct definition *b)
{
    struct range left = {a->head.end, a->tokens.end}, right = {b->head.end, b->tokens.end};
    if (left.end - left.begin != right.end - right.begin || MOST_TOKENS < left.end - left.begin)
        return false;
    struct signature l = {.tr = tr}, r = {.tr = tr};
    add_range(&l, left);
    add_range(&r, right);
    bool res = l.hip.len && l.hip.len == r.hip.len && !memcmp(l.hip.text, r.hip.text, l.hip.len);
    strbuf_release(&l.cuda);
    strbuf_release(&l.hip);
    strbuf_release(&r.cuda);
    strbuf_release(&r.hip);
    return res;
}

/* The word of A where it begins to differ from B. */
static const char *different_word(struct transform *tr, const char *a, const char *b)
{
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        ++at;
    while (at && a[at - 1] != ' ')
        --at;
    size_t len = strcspn(a + at, " ");
    if (!strncmp(a + at, "void *", 6))
        len = 6;
    return arena_strndup(tr->arena, a + at, len);
}

static void compare(struct transform *tr, const struct definition *first,
                    const struct definition *second)
{
    if (!strcmp(first->cuda, second->cuda) ||
        are_alternatives(tr->unit, first->head.begin, second->head.begin))
        return;
    bool same = have_same_body(tr, first, second);
    struct finding *finding =
        report(tr, same ? RULE_API_OVERLOAD_MERGED : RULE_API_SAME_OVERLOAD, second->head,
               second->name, different_word(tr, first->cuda, second->cuda),
               different_word(tr, second->cuda, first->cuda));
    finding_add_related(finding, RELATED_DEFINED, unit_span(tr->unit, first->head), first->name);
    if (same)
        take_out(tr, second->tokens, false);
}

/* Enters the definition, or compares it with the one of its kind that is there. */
static void enter(struct signature *s, struct definition **table, const char *name,
                  struct range head, struct range tokens)
{
    struct transform *tr = s->tr;
    struct definition *other = NULL;
    HASH_FIND(hh, *table, s->hip.text, s->hip.len, other);
    struct definition *new = arena_zalloc(tr->arena, 1, sizeof *new);
    new->key = arena_strndup(tr->arena, s->hip.text, s->hip.len);
    new->cuda = arena_strndup(tr->arena, s->cuda.text, s->cuda.len);
    new->name = name;
    new->head = head;
    new->tokens = tokens;
    if (other)
        compare(tr, other, new);
    else
        HASH_ADD_KEYPTR(hh, *table, new->key, s->hip.len, new);
    strbuf_release(&s->cuda);
    strbuf_release(&s->hip);
}

/* Whether a type of the API stands in HEAD, or a void pointer where the file has device pointers,
   which become one: all others are told apart as before. */
static bool names_api_type(const struct unit *unit, struct range head)
{
    bool pointers = symbol_find(unit->symbols, "CUdeviceptr") != NULL;
    for (uint32_t i = head.begin; i < head.end; ++i) {
        const struct symbol *symbol = unit_token(unit, i)->symbol;
        if (symbol && symbol->api && symbol->api->kind == API_TYPE)
            return true;
        if (pointers && symbol && !strcmp(symbol->text, "void") &&
            unit_kind(unit, i + 1) == TOK_STAR)
            return true;
    }
    return false;
}

static bool is_common(const struct unit *unit, struct range tokens)
{
    return token_region(unit_token(unit, tokens.begin)) == REGION_COMMON;
}

static void enter_function(struct transform *tr, const struct function *fn,
                           struct definition **table)
{
    const struct unit *unit = tr->unit;
    bool body = fn->body.begin < fn->body.end;
    bool member = fn->scope != NO_INDEX && unit->scopes.items[fn->scope].kind == SCOPE_CLASS;
    if (fn->flags & FUNCTION_IN_MACRO || (!body && !member) || !is_common(unit, fn->head) ||
        MOST_TOKENS < fn->head.end - fn->head.begin || !names_api_type(unit, fn->head))
        return;
    struct signature s = {.tr = tr};
    add_scope(&s, fn->scope);
    uint32_t left = unit_prev(unit, fn->name);
    if (fn->flags & FUNCTION_TEMPLATE)
        add_range(&s, (struct range){fn->head.begin, fn->name});
    else if (unit_kind(unit, left) == TOK_COLON_COLON && fn->head.begin < left)
        add_token(&s, left - 1);
    add_range(&s, (struct range){fn->name, fn->params.begin});
    add_parameters(&s, fn->params);
    if (fn->params.end < fn->head.end)
        add_range(&s, (struct range){fn->params.end, fn->head.end});
    struct range name = {fn->name, fn->params.begin - 1};
    enter(&s, table, unit_quote(unit, name), fn->head,
          (struct range){fn->head.begin, body ? fn->body.end : fn->head.end});
}

/* template <> struct NAME<...> */
static void enter_class(struct transform *tr, const struct scope *scope, struct definition **table)
{
    const struct unit *unit = tr->unit;
    struct range head = {scope->tokens.begin, scope->open};
    if (scope->kind != SCOPE_CLASS || unit_kind(unit, head.begin) != TOK_TEMPLATE ||
        !is_common(unit, head) || MOST_TOKENS < head.end - head.begin ||
        !names_api_type(unit, head))
        return;
    struct range name = head;
    for (uint32_t i = head.begin; i < head.end; ++i) {
        enum token_kind kind = unit_kind(unit, i);
        if (kind == TOK_CLASS)
            name.begin = i + 1;
        if (kind == TOK_COLON) {
            name.end = i;
            break;
        }
    }
    struct signature s = {.tr = tr};
    add_scope(&s, scope->parent);
    add_range(&s, (struct range){head.begin, name.end});
    struct range tokens = scope->tokens;
    if (unit_kind(unit, tokens.end) == TOK_SEMICOLON)
        ++tokens.end;
    enter(&s, table, unit_quote(unit, name), head, tokens);
}

void transform_overloads(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    struct definition *table = NULL;
    vec_each (const struct function, fn, &unit->functions)
        enter_function(tr, fn, &table);
    vec_each (const struct scope, scope, &unit->scopes)
        enter_class(tr, scope, &table);
    HASH_CLEAR(hh, table);
}
