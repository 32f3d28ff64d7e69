/* What must hold for every tree, whatever the text. */
#ifndef TESTSUITE_SOUND_H
#define TESTSUITE_SOUND_H

#include "parser/tree.h"

/* What is wrong with TREE, read from RANGE, and with the measure of it; NULL where nothing is. */
const char *tree_fault(const struct unit *unit, const struct node *tree, struct range range);

/* Reads the bodies of all functions of UNIT and returns what is wrong with one of them, or NULL. */
const char *bodies_fault(const struct unit *unit);

#endif
