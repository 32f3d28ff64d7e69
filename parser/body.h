/* What the grammar of bodies (bodies.y) and its feeder (feed.c) share. */
#ifndef PARSER_BODY_H
#define PARSER_BODY_H

#include "parser/tree.h"

enum body_start {
    BODY_STATEMENTS,
    BODY_EXPRESSION,
    BODY_DECLARATION,
    BODY_TYPE,
};

/* What may begin at a token. */
enum body_place {
    PLACE_INSIDE, /* nothing: a statement goes on */
    PLACE_STATEMENT,
    PLACE_FOR,       /* behind `for (` */
    PLACE_CONDITION, /* behind `if (`, `while (`, `switch (` */
};

/* An open bracket that the grammar sees; the first one stands for the island itself. */
struct body_bracket {
    uint32_t token;
    uint32_t partner;
    bool block;       /* { of a block, not of a list */
    bool control;     /* ( whose ) a statement follows */
    bool call;        /* ( of arguments */
    bool mixed;       /* ( of a macro's arguments, some of which are statements */
    bool declares;    /* the statement directly in it is a declaration */
    unsigned choices; /* ? that have no : yet */
};

struct body {
    struct trees *trees;
    const struct unit *unit;
    enum body_start start;
    bool started;
    uint32_t at;  /* the next token */
    uint32_t end; /* behind the last one */
    VEC(struct body_bracket) open;

    enum body_place place;
    bool operand;                /* the last token ends an operand */
    bool declarator;             /* a declarator's name is still to come */
    bool argument;               /* an argument of a call begins here */
    bool member;                 /* behind . or -> */
    bool type_next;              /* behind `new` */
    bool label;                  /* between `case` or `default` and its colon */
    enum body_place parenthesis; /* what a ( here is: PLACE_FOR, PLACE_CONDITION, or that of a macro
                                    or a call */

    uint32_t last;    /* the token that the grammar was given last */
    size_t last_open; /* brackets that were open before it */
    bool failed;      /* the grammar stopped there: it wants the rest of the statement */
    uint32_t stopped; /* where it did */
    uint32_t rest_at; /* where it did when it was last given a rest */

    struct node *result;
};

/* Makes ready for reading RANGE. */
void body_feed_init(struct body *body, struct trees *trees, enum body_start start,
                    struct range range);
void body_feed_release(struct body *body);

/* The grammar did not accept the last token. */
void body_feed_failed(struct body *body);

#endif
