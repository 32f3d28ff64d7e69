/* Labels of a switch whose enumerator HIP lacks, or has under the name of another label.

   A value that HIP has not never comes, so its label can go without changing the program; where
   control enters the statements behind the label only through it, they go with it. Where two
   enumerators of CUDA's are one in HIP the later label goes if both lead to the same code, or to
   nothing but a text each; what else they lead to is the user's to choose, and reported.  */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

struct label {
    uint32_t word; /* case */
    uint32_t name;
    uint32_t colon;
    const char *value; /* what the name is in HIP */
};

struct cases {
    struct transform *tr;
    const struct symbol *word, *otherwise; /* case, default */
    VEC(struct label) labels;              /* of the open switches that stay */
    VEC(size_t) frames;                    /* of each open brace, the first label inside */
};

/* Statements longer than this are not looked through; keeps damaged text linear. */
enum { MOST_TOKENS = 300, MOST_LABELS = 1000, MOST_BLOCKS = 5 };

static bool is_label_word(const struct cases *cases, uint32_t index)
{
    const struct token *token = unit_token(cases->tr->unit, index);
    return token->kind == TOK_STATEMENT &&
           (token->symbol == cases->word || token->symbol == cases->otherwise);
}

static bool is_jump(const struct token *token)
{
    static const char *const words[] = {"break", "return", "continue", "goto", "throw"};
    if (!token->symbol)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (!strcmp(token->symbol->text, words[i]))
            return true;
    return false;
}

/* Whether a statement can begin behind a token of KIND that is not part of one. */
static bool ends_statement(enum token_kind kind)
{
    return kind == TOK_SEMICOLON || kind == TOK_LBRACE || kind == TOK_RBRACE || kind == TOK_COLON;
}

/* Whether the statement that ends at INDEX, a semicolon or the brace of a block, always leaves. */
static bool always_leaves(const struct unit *unit, uint32_t index)
{
    for (int depth = 0; unit_kind(unit, index) == TOK_RBRACE; ++depth) {
        uint32_t open = unit_partner(unit, index);
        /* A block of its own, not that of an if or a loop. */
        if (depth == MOST_BLOCKS || open == NO_TOKEN || index < open ||
            !ends_statement(unit_kind(unit, unit_prev(unit, open))))
            return false;
        index = unit_prev(unit, index);
    }
    if (unit_kind(unit, index) != TOK_SEMICOLON)
        return false;
    uint32_t at = unit_prev(unit, index);
    for (int steps = 0; at != NO_TOKEN && steps < MOST_TOKENS; ++steps) {
        const struct token *token = unit_token(unit, at);
        if (is_jump(token))
            return ends_statement(unit_kind(unit, unit_prev(unit, at)));
        if (ends_statement(token->kind) && token->kind != TOK_RBRACE)
            return false;
        if (token->partner != NO_TOKEN && token->partner < at)
            at = token->partner;
        at = unit_prev(unit, at);
    }
    return false;
}

/* Whether branch OUTER is the one of directive BRANCH or encloses it. */
static bool encloses(const struct unit *unit, uint32_t outer, uint32_t branch)
{
    for (int steps = 0; outer != branch && branch != NO_INDEX && steps < 50; ++steps)
        branch = unit->directives.items[branch].parent;
    return outer == branch;
}

/* The code before the directive that begins at INDEX; NO_TOKEN where there is none near. */
static uint32_t code_before(const struct unit *unit, uint32_t index)
{
    for (int steps = 0; index && steps < MOST_TOKENS; ++steps)
        if (!(unit_token(unit, --index)->flags & TOKEN_DIRECTIVE))
            return index;
    return NO_TOKEN;
}

/* Whether control can come to the label at INDEX from the statement above. */
static bool is_fallen_into(const struct unit *unit, uint32_t index)
{
    uint32_t branch = unit_branch_at(unit, index), prev = unit_prev(unit, index);
    for (int steps = 0; prev != NO_TOKEN && steps < 10; ++steps) {
        if (unit_kind(unit, prev) == TOK_LBRACE)
            return false;
        if (!always_leaves(unit, prev))
            return true;
        uint32_t above = unit_branch_at(unit, prev);
        if (above == NO_INDEX || encloses(unit, above, branch))
            return false;
        /* That one may be absent; then what stands above its #if leads here. */
        const struct directive *d = &unit->directives.items[above];
        prev = code_before(unit, unit->directives.items[d->first].tokens.begin);
    }
    return true;
}

/* Whether the statement at INDEX declares nothing that code behind it may need, and is no label. */
static bool is_plain_statement(const struct unit *unit, uint32_t index)
{
    const struct token *token = unit_token(unit, index);
    enum token_kind next = unit_kind(unit, unit_next(unit, index));
    switch (token->kind) {
    case TOK_STATEMENT:
    case TOK_LBRACE:
    case TOK_SEMICOLON:
    case TOK_LPAREN:
        return true;
    case TOK_IDENT:
        return next == TOK_LPAREN || next == TOK_ASSIGN || next == TOK_DOT || next == TOK_ARROW ||
               next == TOK_LBRACKET || next == TOK_PLUS_ASSIGN || next == TOK_SHIFT_LEFT ||
               is_jump(token);
    default:
        return false;
    }
}

/* The end of the statements behind the label at COLON, which is the next label or the brace of the
   switch; NO_TOKEN where they cannot be taken out as a whole. */
static uint32_t clause_end(const struct cases *cases, uint32_t colon)
{
    const struct unit *unit = cases->tr->unit;
    bool begins = true;
    for (uint32_t i = colon + 1; i < colon + MOST_TOKENS; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->flags & TOKEN_DIRECTIVE) {
            uint32_t next = unit_next(unit, i - 1);
            bool last = is_label_word(cases, next) || unit_kind(unit, next) == TOK_RBRACE;
            return begins && last ? i : NO_TOKEN;
        }
        if (begins && (is_label_word(cases, i) || token->kind == TOK_RBRACE))
            return i;
        if (token->kind == TOK_EOF || token->kind == TOK_RBRACE ||
            (begins && !is_plain_statement(unit, i)))
            return NO_TOKEN;
        if (token->kind == TOK_LBRACE || token->kind == TOK_LPAREN) {
            uint32_t close = token->partner;
            if (close == NO_TOKEN || close < i || colon + MOST_TOKENS < close)
                return NO_TOKEN;
            for (uint32_t k = i; k < close; ++k) {
                const struct token *inner = unit_token(unit, k);
                if (inner->flags & TOKEN_DIRECTIVE || inner->kind == TOK_COLON)
                    return NO_TOKEN;
            }
            begins = token->kind == TOK_LBRACE;
            i = close;
            continue;
        }
        begins = token->kind == TOK_SEMICOLON;
    }
    return NO_TOKEN;
}

/* Takes out LABEL, with its statements where nothing else leads to them. */
static void drop_label(struct cases *cases, const struct label *label)
{
    uint32_t end = clause_end(cases, label->colon);
    bool clause =
        end != NO_TOKEN && label->colon + 1 < end && !is_fallen_into(cases->tr->unit, label->word);
    take_out(cases->tr, (struct range){label->word, clause ? end : label->colon + 1}, clause);
}

/* The first token behind the labels that begin behind COLON. */
static uint32_t skip_labels(const struct cases *cases, uint32_t colon)
{
    const struct unit *unit = cases->tr->unit;
    uint32_t at = unit_next(unit, colon);
    for (int steps = 0; is_label_word(cases, at) && steps < MOST_TOKENS; ++steps) {
        while (unit_kind(unit, at) != TOK_COLON && unit_kind(unit, at) != TOK_EOF &&
               ++steps < MOST_TOKENS)
            at = unit_next(unit, at);
        at = unit_next(unit, at);
    }
    return at;
}

/* Whether the labels EARLIER and LATER mean the same: they stand together, or lead to the same
   tokens, or return a text each. */
static bool mean_the_same(const struct cases *cases, const struct label *earlier,
                          const struct label *later)
{
    const struct unit *unit = cases->tr->unit;
    uint32_t a = skip_labels(cases, earlier->colon), b = skip_labels(cases, later->colon);
    if (a == b)
        return true;
    uint32_t end = clause_end(cases, later->colon);
    if (end == NO_TOKEN || end <= b || is_fallen_into(unit, later->word) ||
        !always_leaves(unit, end - 1))
        return false;
    for (; b < end; ++a, ++b) {
        const struct token *left = unit_token(unit, a), *right = unit_token(unit, b);
        if (left->kind != right->kind || left->symbol != right->symbol)
            return false;
        bool text = left->kind == TOK_STRING && is_jump(unit_token(unit, b - 1)) &&
                    unit_token(unit, b + 1)->kind == TOK_SEMICOLON;
        const char *source = unit->source->text;
        if (!text && !left->symbol &&
            (left->length != right->length ||
             memcmp(source + left->offset, source + right->offset, left->length)))
            return false;
    }
    return true;
}

/* The label of the same switch and branch that has VALUE already, or NULL. */
static const struct label *find_value(const struct cases *cases, const struct label *label)
{
    const struct unit *unit = cases->tr->unit;
    size_t first = cases->frames.items[cases->frames.count - 1];
    const struct symbol *name = unit_token(unit, label->name)->symbol;
    for (size_t i = first; i < cases->labels.count && i < first + MOST_LABELS; ++i) {
        const struct label *other = &cases->labels.items[i];
        if (unit_token(unit, other->name)->symbol != name && !strcmp(other->value, label->value) &&
            unit_branch_at(unit, other->word) == unit_branch_at(unit, label->word))
            return other;
    }
    return NULL;
}

/* Whether HIP, in the version asked for, has no such enumerator. */
static bool is_absent(const struct transform *tr, const struct api *api)
{
    version hip = tr->options->hip_version;
    return !counterpart(tr, api) || hip < counterpart_added(tr, api) ||
           (api->hip_life.removed && api->hip_life.removed <= hip);
}

static void examine(struct cases *cases, const struct label *found)
{
    struct transform *tr = cases->tr;
    struct label label = *found;
    const struct symbol *name = unit_token(tr->unit, label.name)->symbol;
    const struct api *api = name->api && !names_is_user(tr, label.name) ? name->api : NULL;
    label.value = name->text;
    if (api && is_absent(tr, api)) {
        if (api->kind != API_ENUMERATOR || library_is_reported(tr, api->cuda))
            return;
        report(tr, RULE_API_CASE_ABSENT, one_token(label.name), api->cuda, NULL, NULL);
        drop_label(cases, &label);
        return;
    }
    if (api && *counterpart(tr, api))
        label.value = counterpart(tr, api);
    const struct label *other = find_value(cases, &label);
    if (!other) {
        *vec_push(&cases->labels) = label;
        return;
    }
    bool same = mean_the_same(cases, other, &label);
    struct finding *finding =
        report(tr, same ? RULE_API_CASE_MERGED : RULE_API_DUPLICATE_CASE, one_token(label.name),
               unit_token(tr->unit, other->name)->symbol->text, name->text, label.value);
    finding_add_related(finding, RELATED_LABEL, unit_span(tr->unit, one_token(other->name)), NULL);
    if (same)
        drop_label(cases, &label);
}

void transform_cases(struct transform *tr)
{
    const struct unit *unit = tr->unit;
    struct cases cases = {
        .tr = tr,
        .word = symbol_find(unit->symbols, "case"),
        .otherwise = symbol_find(unit->symbols, "default"),
    };
    if (!cases.word)
        return;
    for (uint32_t i = 0; i + 2 < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->flags & TOKEN_DIRECTIVE)
            continue;
        if (token->kind == TOK_LBRACE) {
            *vec_push(&cases.frames) = cases.labels.count;
        } else if (token->kind == TOK_RBRACE && cases.frames.count) {
            cases.labels.count = cases.frames.items[--cases.frames.count];
        } else if (token->symbol == cases.word && cases.frames.count &&
                   token_region(token) == REGION_COMMON) {
            struct label label = {.word = i, .name = i + 1, .colon = i + 2};
            if (unit_kind(unit, label.name) == TOK_IDENT &&
                unit_kind(unit, label.colon) == TOK_COLON)
                examine(&cases, &label);
        }
    }
    vec_release(&cases.labels);
    vec_release(&cases.frames);
}
