/* Islands: the runs of tokens that the grammar (islands.y) reads, one at a time.

   The grammar sees a condensed stream: a pair of brackets is one token, unless it is the
   pair that the island is about, so that its cost does not depend on what lies inside.  */
#ifndef PARSER_ISLAND_H
#define PARSER_ISLAND_H

#include <stdbool.h>

#include "parser/unit.h"

enum island_start {
    ISLAND_DIRECTIVE,
    ISLAND_LAUNCH,
    ISLAND_ARGUMENTS,
    ISLAND_HEAD,
};

/* What of a head stands before one of its items. */
enum head_typed {
    HEAD_UNTYPED,
    HEAD_CALLED, /* only NAME (...), which is no type */
    HEAD_TYPED,  /* something that can be a type */
};

/* A possible declarator of a head: NAME (PARAMS). */
struct declarator {
    struct range name;
    struct range params; /* parentheses included */
    enum head_typed typed;
};

struct island {
    const struct unit *unit;
    struct arena *arena; /* of the results */
    enum island_start start;
    uint32_t at;  /* the next token */
    uint32_t end; /* behind the last one */
    bool started;
    uint32_t open[2]; /* opening brackets that are not condensed */
    uint32_t condition_operands;

    /* Results. ISLAND_DIRECTIVE: */
    uint32_t name;
    struct range params;
    bool function_like;
    struct condition *condition;
    /* ISLAND_LAUNCH: */
    struct range callee;
    struct range_list *config;
    /* ISLAND_LAUNCH and ISLAND_ARGUMENTS: */
    struct range_list *args;
    /* ISLAND_HEAD: */
    struct declarator declarator;
    bool has_declarator;
    enum head_typed typed;
    bool after_declarator; /* the last item was a declarator */
    bool after_arrow;      /* of a trailing return type */
    struct range bounds;
    unsigned function_flags;
    unsigned variable_flags;
    uint32_t last_name; /* last identifier that is no declarator's */
};

/* A list under construction; in the island's arena. */
struct range_list {
    struct range range;
    struct range_list *before;
    int count;
};

/* Reads the island; false where the grammar does not accept it. */
bool island_parse(struct island *island);

/* LIST as an array in ARENA, in order. */
struct range *range_list_array(const struct range_list *list, struct arena *arena);

#endif
