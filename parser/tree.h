/* Trees: statements, expressions and declarations of function bodies.

   The grammar (bodies.y) reads one island at a time: a body, an expression, a declaration, a
   parameter, a type. Which names are types and which `<` opens template arguments is decided
   before it, from what the file shows (glance.c), as a C++ programmer would read it. A statement
   that is not understood is a node of its own, NODE_OPAQUE, with its extent; what lies around it
   stays known. Both branches of an #if inside a body follow each other; what no AMD compiler
   sees is left out.

   Trees are bounded in depth, so they may be walked by recursion.  */
#ifndef PARSER_TREE_H
#define PARSER_TREE_H

#include "parser/unit.h"

enum node_kind {
#define NODE(kind, name) kind,
#include "parser/node.def"
#undef NODE
    NODE_KIND_COUNT
};

enum node_flag {
    /* NODE_TYPE */
    TYPE_SHARED = 1 << 0,
    TYPE_CONSTANT = 1 << 1, /* __constant__ */
    TYPE_CONST = 1 << 2,    /* const or constexpr */
    TYPE_VOLATILE = 1 << 3,
    TYPE_STATIC = 1 << 4,
    TYPE_EXTERN = 1 << 5,
    TYPE_AUTO = 1 << 6,
    TYPE_REFERENCE = 1 << 7,
    /* NODE_DECLARATOR */
    DECLARATOR_REFERENCE = 1 << 0, /* & or && */
    DECLARATOR_NESTED = 1 << 1,    /* (*f)(...) and (&a)[N]: more than pointers and dimensions */
    DECLARATOR_BINDING = 1 << 2,   /* [a, b]: the kids are NODE_NAMEs, then what they come from */
    /* NODE_OPAQUE */
    OPAQUE_DEEP = 1 << 0, /* nested deeper than anybody writes */
    /* NODE_NAME */
    NAME_QUALIFIED = 1 << 0, /* a::b, ::b */
    NAME_TEMPLATE = 1 << 1,  /* ends in template arguments */
};

/* A node. Its kids stand in the order of node.def's comment; one that is absent where others
   follow is NODE_EMPTY. */
struct node {
    uint8_t kind;   /* enum node_kind */
    uint8_t flags;  /* enum node_flag */
    uint8_t op;     /* enum token_kind of the operator; of a cast TOK_LPAREN or TOK_CAST */
    uint8_t stars;  /* NODE_TYPE, NODE_DECLARATOR: the pointers, at most 255 */
    uint32_t token; /* its name or its operator; where the grammar stopped: NODE_OPAQUE */
    struct range tokens;
    uint32_t depth; /* of the kids below */
    uint32_t
        id; /* its number among the nodes of the trees: what is known of it can be kept apart */
    struct node *kids;
    struct node *next;
};

enum { TREE_MAX_DEPTH = 400 };

/* What is known of a file for reading trees. */
struct trees {
    const struct unit *unit;
    struct arena *arena; /* of the nodes */
    uint32_t nodes;      /* so many were made */
    unsigned nesting;    /* bodies of lambdas that are being read */
};

/* Gets ready to read UNIT's islands into trees that live in ARENA: finds the names that the file
   declares as types. */
void trees_init(struct trees *trees, const struct unit *unit, struct arena *arena);

/* The tree of BODY, a function's with its braces: NODE_BLOCK, or NODE_OPAQUE. */
struct node *tree_body(struct trees *trees, struct range body);

/* The tree of an expression (commas included), a declaration with or without its semicolon
   (NODE_DECLARATION), a function's parameter (NODE_DECLARATION with at most one declarator), a type
   (NODE_TYPE); NULL where RANGE is none. RANGE may lie in the text of a macro. */
struct node *tree_expression(struct trees *trees, struct range range);
struct node *tree_declaration(struct trees *trees, struct range range);
struct node *tree_parameter(struct trees *trees, struct range range);
struct node *tree_type(struct trees *trees, struct range range);

/* Whether NAME is known as a type: the file says so, or CUDA. */
bool tree_is_type_name(const struct symbol *name);

/* The template arguments of a NODE_NAME or NODE_TYPE that ends in some: between the angle brackets;
   empty without. */
struct range tree_template_arguments(const struct unit *unit, const struct node *node);

/* Kid INDEX of NODE, or NULL. */
struct node *tree_kid(const struct node *node, unsigned index);

/* The last identifier of a NODE_NAME, NODE_MEMBER, NODE_DECLARATOR or NODE_TYPE, or NULL. */
struct symbol *tree_symbol(const struct unit *unit, const struct node *node);

/* The operator that ASSIGNMENT (+=, ++ and so on) applies: +; any other is itself. */
enum token_kind tree_plain_operator(enum token_kind assignment);

const char *node_kind_name(enum node_kind kind);

#define tree_each(kid, of) for (struct node *kid = (of)->kids; kid; kid = kid->next)

#endif
