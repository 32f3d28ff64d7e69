/* The passes of unit_parse(), in their order. */
#ifndef PARSER_UNIT_P_H
#define PARSER_UNIT_P_H

#include "parser/unit.h"

/* Pairs brackets and finds the directives with their branches. */
void pass1_pair(struct unit *unit, struct diag *diag);

/* Reads each directive; decides which branches only one vendor's compiler sees. */
void pass2_directives(struct unit *unit);

/* Which compilers may get into each branch of the group of directives at FIRST: sets `region` where
   the vendors are told apart, and `hidden`. */
void condition_decide_group(struct unit *unit, uint32_t first);

/* Finds scopes, functions, variables with CUDA attributes. */
void pass3_scopes(struct unit *unit);

/* Finds launches. */
void pass4_launches(struct unit *unit);

/* Where token INDEX lies, for messages. */
struct diag_place unit_place(const struct unit *unit, uint32_t index);

#endif
