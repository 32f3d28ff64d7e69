/* How much of the functions' bodies the trees understand, and what stops them.  */
#ifndef PARSER_MEASURE_H
#define PARSER_MEASURE_H

#include "parser/tree.h"

/* What the reader stopped at. */
struct measure_reason {
    uint64_t tokens; /* that are opaque because of it */
    uint64_t places;
    uint32_t first; /* the token where it stopped first; of several files: unused */
};

struct measure {
    uint64_t
        tokens; /* of the bodies: what a compiler for AMD GPUs reads as code; each counts once */
    uint64_t opaque; /* those of them that are not understood */
    /* By the kind of the token; TOK_EOF: what is nested too deep. */
    struct measure_reason reasons[TOK_COUNT];
    uint32_t end; /* behind the last token counted */
};

/* Adds BODY, whose tree is TREE; the bodies of a file in their order. One that lies in a body added
   before, a local class's, brings no tokens of its own. */
void measure_add(struct measure *measure, const struct unit *unit, struct range body,
                 const struct node *tree);

/* Adds all bodies of the functions of the device; nodes live in TREES's arena. */
void measure_device(struct measure *measure, struct trees *trees);

/* The share of tokens that is understood, in hundredths of a percent, rounded down. */
unsigned measure_share(const struct measure *measure);

#endif
