/* What the tokens of a body are: the questions that feed.c asks of what lies ahead (glance.c).

   All take the index of a token and the one behind the island, END.  */
#ifndef PARSER_GLANCE_H
#define PARSER_GLANCE_H

#include "parser/body.h"

/* The token behind INDEX; what no AMD compiler sees is left out. */
uint32_t body_step(const struct unit *unit, uint32_t index);

/* Behind the bracket that closes the one at INDEX; behind INDEX where there is none. */
uint32_t body_step_pair(const struct unit *unit, uint32_t index);

/* Behind the last token of the stream before AT, where FIRST is one of them. */
uint32_t body_end_before(const struct unit *unit, uint32_t first, uint32_t at);

/* Whether the token at INDEX is a bracket whose partner lies behind it, in the island. */
bool body_opens_pair(const struct unit *unit, uint32_t index, uint32_t end);

/* Whether the name at INDEX is written as macros are: no small letters. */
bool body_is_macro_name(const struct unit *unit, uint32_t index);

/* Whether the token at INDEX is the first of its line. */
bool body_begins_line(const struct unit *unit, uint32_t index);

/* Whether the token at INDEX, or NO_TOKEN, is the word TEXT. */
bool body_is_word(const struct unit *unit, uint32_t index, const char *text);

/* Behind the angle brackets that open at AT; where pass 1 found no partner, as behind `]` and
   `operator()`, the next `>` of the same statement is it. AT where there is none. */
uint32_t body_angles_end(const struct unit *unit, uint32_t at, uint32_t end);

/* Behind the name of an operator, `operator()`, `operator+`, `operator bool`, at the word. */
uint32_t body_operator_end(const struct unit *unit, uint32_t at, uint32_t end);

/* Behind the identifier at AT; in a macro's text with what is pasted to it. */
uint32_t body_pasted_end(const struct unit *unit, uint32_t at);

/* Behind the name at AT with its qualification and template arguments; AT where there is none. */
uint32_t body_name_end(const struct unit *unit, uint32_t at, uint32_t end);

/* The type that begins at token AT: its specifiers and its name, without pointers. The index behind
   it, or AT where there is none. */
uint32_t body_type_end(const struct unit *unit, uint32_t at, uint32_t end);

/* Behind the type at AT with its pointers, as a cast has it; AT where there is none. */
uint32_t body_whole_type_end(const struct unit *unit, uint32_t at, uint32_t end);

/* Whether a token of KIND begins nothing but a type. */
bool body_begins_with_type_word(enum token_kind kind);

/* The name that the type from AT to BEHIND is, where it is no more than that. */
const struct symbol *body_plain_name(const struct unit *unit, uint32_t at, uint32_t behind);

/* Whether the parenthesis at OPEN, where an operand begins, is a cast. */
bool body_is_cast(const struct unit *unit, uint32_t open, uint32_t end);

/* Whether the name at AT, behind a type's stars, is a macro such as RESTRICT. */
bool body_is_qualifier_macro(const struct unit *unit, uint32_t at);

/* Whether a declaration begins at AT, where PLACE says what may. */
bool body_is_declaration(const struct unit *unit, uint32_t at, uint32_t end, enum body_place place);

#endif
