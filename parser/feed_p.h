/* What the files that feed the grammar of bodies share: the state of the feed (feed.c), statements
   (feed_statement.c), operands of several tokens (feed_operand.c).

   Each feed_...() is at token FIRST, moves `at` behind what it takes and gives the token that the
   grammar sees for it.  */
#ifndef PARSER_FEED_P_H
#define PARSER_FEED_P_H

#include "parser/body.h"

#include "parser/bodies.h"
#include "parser/glance.h"

static inline struct body_bracket *innermost(struct body *body)
{
    return &body->open.items[body->open.count - 1];
}

/* What follows an operand is an operator. */
static inline int operand_to(struct body *body, uint32_t behind, int res)
{
    body->at = behind;
    body->operand = true;
    return res;
}

static inline int operator_to(struct body *body, uint32_t behind, int res)
{
    body->at = behind;
    body->operand = false;
    return res;
}

/* A token behind which a statement begins. */
static inline int statement_behind(struct body *body, uint32_t behind, int res)
{
    body->place = PLACE_STATEMENT;
    return operator_to(body, behind, res);
}

/* One bracket more is open: that at INDEX, until its partner. Not to be kept: the next one moves
   it. */
struct body_bracket *feed_open(struct body *body, uint32_t index);

/* { of a block or of a list. */
int feed_open_brace(struct body *body, uint32_t first, bool block);

/* What begins only at the start of a statement, which PLACE is; 0 where nothing does. */
int feed_start(struct body *body, uint32_t first, enum body_place place);

/* The type that a declaration begins with. */
int feed_type(struct body *body, uint32_t first);

/* A word of kind TOK_STATEMENT. */
int feed_word(struct body *body, uint32_t first);

/* An argument (...) or { ... } of a macro that holds statements; 0 where it is none. */
int feed_statements(struct body *body, uint32_t first);

/* Whether the parenthesis at OPEN, behind a macro's name, holds statements. */
bool feed_has_statements(const struct unit *unit, uint32_t open);

/* A lambda at its [, or 0. */
int feed_lambda(struct body *body, uint32_t first);

/* Strings in a row, macros among them. */
int feed_strings(struct body *body, uint32_t first);

/* The name of a member, or of an operator: `~T`, `operator()`, `template f<int>`. */
int feed_member(struct body *body, uint32_t first);

int feed_sizeof(struct body *body, uint32_t first);

/* throw, noexcept(...), requires (...) { ... } */
int feed_noexcept(struct body *body, uint32_t first);

#endif
