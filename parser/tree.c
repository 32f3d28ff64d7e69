#include <config.h>

#include "parser/tree.h"

#include "parser/bodies.h"

/* The tree of RANGE, or NULL where the grammar does not accept it. */
static struct node *read_island(struct trees *trees, enum body_start start, struct range range)
{
    if (range.end <= range.begin)
        return NULL;
    struct body body;
    body_feed_init(&body, trees, start, range);
    struct node *res = body_yyparse(&body) == 0 ? body.result : NULL;
    body_feed_release(&body);
    return res;
}

/* A node of KIND without kids. */
static struct node *leaf(struct trees *trees, enum node_kind kind, struct range range)
{
    struct node *res = arena_alloc(trees->arena, sizeof *res);
    *res = (struct node){
        .kind = (uint8_t)kind, .token = range.begin, .tokens = range, .id = trees->nodes++};
    return res;
}

struct node *tree_body(struct trees *trees, struct range body)
{
    enum { MAX_NESTING = 20 }; /* of lambdas */
    if (unit_token(trees->unit, body.begin)->flags & TOKEN_CUDA_SIDE)
        return leaf(trees, NODE_BLOCK, body); /* nothing that an AMD compiler sees */
    struct node *res = NULL;
    if (trees->nesting < MAX_NESTING) {
        trees->nesting++;
        res = read_island(trees, BODY_STATEMENTS, body);
        trees->nesting--;
    }
    if (!res) {
        /* For want of stack, or of the closing brace: what the grammar does not accept is opaque
           within its block. */
        res = leaf(trees, NODE_OPAQUE, body);
        res->flags = body.begin + 1 < body.end ? OPAQUE_DEEP : 0;
    }
    return res;
}

struct node *tree_expression(struct trees *trees, struct range range)
{
    return read_island(trees, BODY_EXPRESSION, range);
}

struct node *tree_declaration(struct trees *trees, struct range range)
{
    return read_island(trees, BODY_DECLARATION, range);
}

struct node *tree_parameter(struct trees *trees, struct range range)
{
    struct node *res = read_island(trees, BODY_DECLARATION, range);
    return res && !tree_kid(res, 2) ? res : NULL;
}

struct node *tree_type(struct trees *trees, struct range range)
{
    return read_island(trees, BODY_TYPE, range);
}

struct range tree_template_arguments(const struct unit *unit, const struct node *node)
{
    uint32_t open = node->token + 1;
    if (node->token == NO_TOKEN || node->tokens.end <= open || unit_kind(unit, open) != TOK_LESS ||
        unit_partner(unit, open) == NO_TOKEN)
        return (struct range){node->tokens.end, node->tokens.end};
    uint32_t close = unit_partner(unit, open);
    return (struct range){open + 1, close < node->tokens.end ? close : node->tokens.end};
}

struct node *tree_kid(const struct node *node, unsigned index)
{
    struct node *res = node->kids;
    while (res && index--)
        res = res->next;
    return res;
}

struct symbol *tree_symbol(const struct unit *unit, const struct node *node)
{
    return node->token == NO_TOKEN ? NULL : unit_token(unit, node->token)->symbol;
}

enum token_kind tree_plain_operator(enum token_kind assignment)
{
    switch (assignment) {
    case TOK_PLUS_ASSIGN:
    case TOK_PLUS_PLUS:
        return TOK_PLUS;
    case TOK_MINUS_ASSIGN:
    case TOK_MINUS_MINUS:
        return TOK_MINUS;
    case TOK_STAR_ASSIGN:
        return TOK_STAR;
    case TOK_SLASH_ASSIGN:
        return TOK_SLASH;
    case TOK_PERCENT_ASSIGN:
        return TOK_PERCENT;
    case TOK_CARET_ASSIGN:
        return TOK_CARET;
    case TOK_AMP_ASSIGN:
        return TOK_AMP;
    case TOK_PIPE_ASSIGN:
        return TOK_PIPE;
    case TOK_SHIFT_LEFT_ASSIGN:
        return TOK_SHIFT_LEFT;
    case TOK_SHIFT_RIGHT_ASSIGN:
        return TOK_SHIFT_RIGHT;
    default:
        return assignment;
    }
}

const char *node_kind_name(enum node_kind kind)
{
    static const char *const names[] = {
#define NODE(kind, name) [kind] = name,
#include "parser/node.def"
#undef NODE
    };
    return names[kind];
}
