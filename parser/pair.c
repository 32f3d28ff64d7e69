/* Pass 1: every bracket finds its partner, every #if its branches, in one linear walk.

   The open brackets are a stack of nodes that is never changed below its top, so that keeping a
   copy at an #if costs nothing: each branch begins with the stack of its #if, and behind #endif
   the walk goes on with what the first branch left. So a bracket opened in both branches and
   closed once behind them, or the other way round, finds its partner, and `extern "C" {` in one
   conditional and its brace in another as well. A #define's text is paired within itself. A node
   that is popped in the branch that pushed it is used again, so that memory follows the depth.

   `<` may open a template argument list or be an operator. It is a tentative opener where it
   follows a name, and stays one only if a closer comes and what lies around fits.  */
#include <config.h>

#include "base/i18n.h"
#include "parser/unit_p.h"

struct node {
    uint32_t token;
    uint16_t kind;   /* enum token_kind of the opener */
    bool comma;      /* TOK_LESS: a comma lies at its depth */
    bool operators;  /* TOK_LESS: so does &&, || or ?, which seldom stand in template arguments */
    bool in_branch;  /* of a conditional other than the header guard */
    uint32_t depth;  /* of the solid nodes below */
    uint32_t serial; /* of the branch that pushed it */
    struct node *below;
    struct node *base; /* the nearest node that is no `<` and no `<<<`, itself included */
    struct node *paren, *bracket, *brace; /* the nearest of each kind, itself included */
};

struct group {
    uint32_t directive;  /* the #if */
    uint32_t last;       /* its latest branch */
    struct node *opened; /* the stack at the #if */
    struct node *result; /* the stack that goes on behind #endif */
    bool has_result;
    bool skip_first; /* #if 0: nobody compiles the first branch */
};

/* What is wrong with the file, to be told in the order of its lines. */
struct trouble {
    uint32_t token;
    bool bracket; /* else a conditional */
    bool open;    /* an #if without #endif, else a directive without #if */
};

struct walk {
    struct unit *unit;
    struct diag *diag;
    struct arena arena;
    struct node *top;
    struct node *unused; /* nodes to take again, linked by `below` */
    uint32_t serial;     /* counts branches */
    VEC(struct group) groups;
    uint32_t branch; /* the directive that opens the branch around, or NO_INDEX */
    VEC(struct trouble) troubles;
};

enum { MAX_REPORTS = 5 }; /* of its troubles; more say nothing new */

static bool in_branch(const struct walk *walk)
{
    bool guarded = walk->groups.count == 1 && walk->groups.items[0].directive == 0;
    return walk->groups.count && !guarded;
}

static void push(struct walk *walk, uint32_t token, enum token_kind kind)
{
    struct node *below = walk->top;
    struct node *node = walk->unused;
    if (node)
        walk->unused = node->below;
    else
        node = arena_alloc(&walk->arena, sizeof *node);
    *node = (struct node){
        .token = token, .kind = (uint16_t)kind, .serial = walk->serial, .below = below};
    node->in_branch = in_branch(walk);
    if (below) {
        node->depth = below->depth;
        node->base = below->base;
        node->paren = below->paren;
        node->bracket = below->bracket;
        node->brace = below->brace;
    }
    switch (kind) {
    case TOK_LPAREN:
        node->paren = node;
        break;
    case TOK_LBRACKET:
        node->bracket = node;
        break;
    case TOK_LBRACE:
        node->brace = node;
        break;
    default:
        walk->top = node;
        return;
    }
    node->depth++;
    node->base = node;
    walk->top = node;
}

/* Pops what lies above NODE. */
static void pop_to(struct walk *walk, struct node *node)
{
    while (walk->top != node && walk->top->serial == walk->serial) {
        struct node *popped = walk->top;
        walk->top = popped->below;
        popped->below = walk->unused;
        walk->unused = popped;
    }
    walk->top = node;
}

static void pair(struct walk *walk, uint32_t open, uint32_t close)
{
    /* A bracket that several branches close belongs to the last of them. */
    unit_token(walk->unit, open)->partner = close;
    unit_token(walk->unit, close)->partner = open;
}

static void note_trouble(struct walk *walk, struct trouble trouble)
{
    *vec_push(&walk->troubles) = trouble;
}

static void report_unpaired(struct walk *walk, uint32_t token)
{
    note_trouble(walk, (struct trouble){.token = token, .bracket = true});
}

static int compare_troubles(const void *va, const void *vb)
{
    const struct trouble *a = va, *b = vb;
    return a->token < b->token ? -1 : a->token != b->token;
}

static void report_troubles(struct walk *walk)
{
    const struct unit *unit = walk->unit;
    if (walk->troubles.count)
        qsort(walk->troubles.items, walk->troubles.count, sizeof *walk->troubles.items,
              compare_troubles);
    for (size_t i = 0; i < walk->troubles.count && i < MAX_REPORTS; ++i) {
        const struct trouble *trouble = &walk->troubles.items[i];
        struct diag_place place = unit_place(unit, trouble->token);
        if (trouble->bracket)
            diag_add(walk->diag, DIAG_WARNING, place,
                     _("`%s` has no partner; what lies around it is translated all the same"),
                     token_kind_name(unit_token(unit, trouble->token)->kind));
        else if (trouble->open)
            diag_add(walk->diag, DIAG_WARNING, place, _("this conditional has no #endif"));
        else
            diag_add(walk->diag, DIAG_WARNING, place, _("this directive has no #if"));
    }
}

static void close_bracket(struct walk *walk, uint32_t token, enum token_kind opener)
{
    struct node *base = walk->top ? walk->top->base : NULL;
    struct node *open = NULL;
    if (base)
        open = opener == TOK_LPAREN     ? base->paren
               : opener == TOK_LBRACKET ? base->bracket
                                        : base->brace;
    /* A parenthesis never closes across a brace: that one is the better landmark. */
    if (!open || (opener != TOK_LBRACE && base->brace && open->depth < base->brace->depth)) {
        /* Where branches hold different halves of a pair, nobody can say which one is wrong. */
        walk->unit->unpaired++;
        if (!in_branch(walk) && !(unit_token(walk->unit, token)->flags & TOKEN_DIRECTIVE))
            report_unpaired(walk, token);
        return;
    }
    for (struct node *node = base; node != open; node = node->below ? node->below->base : NULL) {
        walk->unit->unpaired++;
        /* What an #if found open is counted once, not by each of its branches. */
        if (node->serial != walk->serial)
            break;
        if (!node->in_branch && !(unit_token(walk->unit, node->token)->flags & TOKEN_DIRECTIVE))
            report_unpaired(walk, node->token);
    }
    pair(walk, open->token, token);
    pop_to(walk, open->below);
}

/* Template argument lists. */

static bool may_open_template(const struct unit *unit, uint32_t index)
{
    if (index == 0)
        return false;
    const struct token *before = unit_token(unit, index - 1);
    switch (before->kind) {
    case TOK_IDENT:
    case TOK_TEMPLATE:
    case TOK_CAST:
        return index < 2 || unit_token(unit, index - 2)->kind != TOK_HASH;
    case TOK_TYPE: /* operator bool<...>? no: but int<...> is damaged text, harmless */
    default:
        return false;
    }
}

/* Whether an opener survives what only an expression would hold. */
static bool is_certain(const struct unit *unit, const struct node *node)
{
    enum token_kind before = unit_token(unit, node->token - 1)->kind;
    return before == TOK_TEMPLATE || before == TOK_CAST;
}

static void drop_tentative(struct walk *walk)
{
    /* Those that an #if found open would be dropped again by each branch: at most so many. */
    int steps = 0;
    while (walk->top && walk->top->kind == TOK_LESS && !is_certain(walk->unit, walk->top)) {
        if (walk->top->serial != walk->serial && 50 < ++steps) {
            pop_to(walk, walk->top->base);
            return;
        }
        pop_to(walk, walk->top->below);
    }
}

/* Marks the tentative openers: what an expression holds follows them. */
static void doubt_tentative(struct walk *walk)
{
    for (struct node *node = walk->top; node && node->kind == TOK_LESS && !node->operators;
         node = node->below)
        node->operators = true;
}

/* Whether the `<` of NODE and the closer at INDEX enclose template arguments: in C++ the names
   decide, here what follows does. */
static bool fits_template(const struct unit *unit, const struct node *node, uint32_t index)
{
    if (is_certain(unit, node))
        return true;
    const struct token *next = unit_token(unit, index + 1);
    if (node->operators)
        return next->kind == TOK_LAUNCH_OPEN || next->kind == TOK_COLON_COLON;
    switch (next->kind) {
    case TOK_NUMBER:
    case TOK_CHAR:
    case TOK_STRING:
    case TOK_PLUS:
    case TOK_MINUS:
    case TOK_SLASH:
    case TOK_PERCENT:
    case TOK_BANG:
    case TOK_TILDE:
    case TOK_CAST:
        return false;
    case TOK_IDENT:
    case TOK_TYPE:
    case TOK_SPECIFIER:
        /* `f(a < b, c > d)` or `map<a, b> c`: written with blanks it compares. */
        if (node->comma)
            return !(unit_token(unit, node->token)->flags & TOKEN_SPACE_BEFORE) &&
                   next->flags & TOKEN_SPACE_BEFORE;
        return true;
    default:
        return true;
    }
}

/* COUNT tentative openers end at INDEX, if there are so many. */
static bool close_templates(struct walk *walk, uint32_t index, int count)
{
    struct node *node = walk->top;
    for (int i = 0; i < count; ++i, node = node->below)
        if (!node || node->kind != TOK_LESS)
            return false;
    struct node *outer = walk->top;
    for (int i = 1; i < count; ++i)
        outer = outer->below;
    if (!fits_template(walk->unit, outer, index)) {
        pop_to(walk, outer->below);
        return false;
    }
    for (int i = 0; i < count; ++i, pop_to(walk, walk->top->below))
        pair(walk, walk->top->token, index);
    return true;
}

static void close_launch(struct walk *walk, uint32_t index)
{
    if (close_templates(walk, index, 3))
        return;
    struct node *node = walk->top;
    for (int steps = 0; node && node->kind == TOK_LESS && steps < 1000; ++steps)
        node = node->below;
    if (node && node->kind == TOK_LAUNCH_OPEN) {
        walk->unit->has_chevrons = true;
        pair(walk, node->token, index);
        pop_to(walk, node->below);
    }
}

static void pair_token(struct walk *walk, uint32_t index)
{
    const struct unit *unit = walk->unit;
    enum token_kind kind = unit_token(unit, index)->kind;
    switch (kind) {
    case TOK_LPAREN:
    case TOK_LBRACKET:
    case TOK_LBRACE:
    case TOK_LAUNCH_OPEN:
        push(walk, index, kind);
        break;
    case TOK_RPAREN:
        close_bracket(walk, index, TOK_LPAREN);
        break;
    case TOK_RBRACKET:
        close_bracket(walk, index, TOK_LBRACKET);
        break;
    case TOK_RBRACE:
        close_bracket(walk, index, TOK_LBRACE);
        break;
    case TOK_LESS:
        if (may_open_template(unit, index))
            push(walk, index, TOK_LESS);
        break;
    case TOK_GREATER:
        close_templates(walk, index, 1);
        break;
    case TOK_SHIFT_RIGHT:
        close_templates(walk, index, 2);
        break;
    case TOK_LAUNCH_CLOSE:
        close_launch(walk, index);
        break;
    case TOK_COMMA:
        for (struct node *node = walk->top; node && node->kind == TOK_LESS && !node->comma;
             node = node->below)
            node->comma = true;
        break;
    case TOK_SEMICOLON:
        if (walk->top)
            pop_to(walk, walk->top->base);
        break;
    case TOK_AND_AND: {
        enum token_kind next = unit_token(unit, index + 1)->kind;
        if (next != TOK_GREATER && next != TOK_SHIFT_RIGHT && next != TOK_COMMA &&
            next != TOK_ELLIPSIS)
            doubt_tentative(walk);
        break;
    }
    case TOK_OR_OR:
    case TOK_QUESTION:
        doubt_tentative(walk);
        break;
    case TOK_ASSIGN:
    case TOK_PLUS_ASSIGN:
    case TOK_MINUS_ASSIGN:
    case TOK_STAR_ASSIGN:
    case TOK_STATEMENT:
        drop_tentative(walk);
        break;
    default:
        break;
    }
}

/* Directives. */

static bool is_if_zero(const struct unit *unit, const struct directive *d)
{
    return d->kind == TOK_PP_IF && d->tokens.begin + 4 == d->tokens.end &&
           unit_token(unit, d->tokens.begin + 2)->kind == TOK_NUMBER &&
           unit_token(unit, d->tokens.begin + 2)->length == 1 &&
           unit->source->text[unit_token(unit, d->tokens.begin + 2)->offset] == '0';
}

static void open_group(struct walk *walk, uint32_t index, struct directive *d)
{
    *vec_push(&walk->groups) = (struct group){
        .directive = index,
        .last = index,
        .opened = walk->top,
        .skip_first = is_if_zero(walk->unit, d),
    };
    d->parent = walk->branch;
    d->first = index;
    walk->branch = index;
    walk->serial++;
}

static void next_branch(struct walk *walk, uint32_t index, struct directive *d)
{
    if (!walk->groups.count) {
        note_trouble(walk, (struct trouble){.token = d->tokens.begin});
        return;
    }
    struct group *group = &walk->groups.items[walk->groups.count - 1];
    struct directive *list = walk->unit->directives.items;
    list[group->last].next = index;
    d->first = group->directive;
    d->parent = list[group->directive].parent;
    bool ends_first = group->last == group->directive;
    if (!group->has_result && !(ends_first && group->skip_first)) {
        group->result = walk->top;
        group->has_result = true;
    }
    group->last = index;
    walk->serial++;
    if (d->kind == TOK_PP_ENDIF) {
        walk->top = group->has_result ? group->result : group->opened;
        walk->branch = d->parent;
        walk->groups.count--;
    } else {
        walk->top = group->opened;
        walk->branch = index;
    }
}

static uint32_t walk_directive(struct walk *walk, uint32_t begin)
{
    struct unit *unit = walk->unit;
    uint32_t end = begin;
    while (unit_token(unit, end)->kind != TOK_END_DIRECTIVE)
        ++end;
    struct node *outside = walk->top;
    walk->top = NULL;
    for (uint32_t i = begin; i < end; ++i)
        pair_token(walk, i);
    if (walk->top && walk->top->base)
        unit->unpaired++;
    pop_to(walk, NULL);
    walk->top = outside;

    uint32_t index = (uint32_t)unit->directives.count;
    struct directive *d = vec_push(&unit->directives);
    *d = (struct directive){
        .kind = begin + 1 < end ? unit_token(unit, begin + 1)->kind : TOK_IDENT,
        .tokens = {begin, end + 1},
        .name = NO_TOKEN,
        .next = NO_INDEX,
        .first = NO_INDEX,
        .parent = walk->branch,
    };
    switch (d->kind) {
    case TOK_PP_IF:
    case TOK_PP_IFDEF:
    case TOK_PP_IFNDEF:
        open_group(walk, index, d);
        break;
    case TOK_PP_ELIF:
    case TOK_PP_ELIFDEF:
    case TOK_PP_ELIFNDEF:
    case TOK_PP_ELSE:
    case TOK_PP_ENDIF:
        next_branch(walk, index, d);
        break;
    default:
        break;
    }
    d->inside = walk->branch;
    return end + 1;
}

/* Directives on neighbouring lines are a run: its first # and its last end know of each other, so
   that it is stepped over at once. */
static void link_runs(struct unit *unit)
{
    const struct directive *list = unit->directives.items;
    for (size_t i = 0, next; i < unit->directives.count; i = next) {
        next = i + 1;
        while (next < unit->directives.count &&
               list[next].tokens.begin == list[next - 1].tokens.end)
            ++next;
        pair(&(struct walk){.unit = unit}, list[i].tokens.begin, list[next - 1].tokens.end - 1);
    }
}

void pass1_pair(struct unit *unit, struct diag *diag)
{
    struct walk walk = {.unit = unit, .diag = diag, .branch = NO_INDEX};
    uint32_t count = (uint32_t)unit->tokens.list.count;
    for (uint32_t i = 0; i < count;) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_HASH && token->flags & TOKEN_DIRECTIVE &&
            token->flags & TOKEN_LINE_START) {
            i = walk_directive(&walk, i);
            continue;
        }
        pair_token(&walk, i++);
    }
    for (struct node *node = walk.top ? walk.top->base : NULL; node;
         node = node->below ? node->below->base : NULL) {
        unit->unpaired++;
        if (!node->in_branch)
            report_unpaired(&walk, node->token);
    }
    vec_each (struct group, group, &walk.groups)
        note_trouble(
            &walk, (struct trouble){.token = unit->directives.items[group->directive].tokens.begin,
                                    .open = true});
    link_runs(unit);
    report_troubles(&walk);
    vec_release(&walk.troubles);
    vec_release(&walk.groups);
    arena_release(&walk.arena);
}
