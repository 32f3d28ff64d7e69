/* How much of the functions' bodies the trees understand, and what stops them.  */
#ifndef PARSER_MEASURE_H
#define PARSER_MEASURE_H

#include "parser/tree.h"

/* A reason for what is not understood. */
struct measure_reason {
    uint64_t tokens; /* that are opaque because of it */
    uint64_t places;
    uint32_t first; /* the token where the reader stopped first */
};

/* Of one file. */
struct measure {
    const struct unit *unit;
    uint64_t
        tokens; /* of the bodies: what a compiler for AMD GPUs reads as code; each counts once */
    uint64_t opaque; /* those of them that are not understood */
    /* By the kind of the token; TOK_EOF: what is nested too deep. */
    struct measure_reason reasons[TOK_COUNT];
    /* Of each token, and of the end: itself, or where it was counted one behind it; owned. */
    uint32_t *rest, *rest_opaque;
};

void measure_init(struct measure *measure, const struct unit *unit);
void measure_release(struct measure *measure);

/* Adds BODY, whose tree is TREE. What lies in a body added before, as a local class's functions do,
   is not counted again. */
void measure_add(struct measure *measure, struct range body, const struct node *tree);

/* Adds all bodies of the functions of the device; nodes live in TREES's arena. */
void measure_device(struct measure *measure, struct trees *trees);

/* The share of TOKENS that is understood where OPAQUE are not, in hundredths of a percent, rounded
   down. */
unsigned measure_share(uint64_t tokens, uint64_t opaque);

#endif
