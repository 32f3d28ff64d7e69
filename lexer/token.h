/* Tokens: the kinds (token.def) and what is kept of each. */
#ifndef LEXER_TOKEN_H
#define LEXER_TOKEN_H

#include <stdint.h>

#include "base/symbol.h"

enum token_kind {
#define TOKEN(kind, name) kind,
#define PUNCT(kind, text) kind,
#define KEYWORD(kind, text) kind,
#define SAME_KEYWORD(kind, text)
#define DIRECTIVE(kind, text) kind,
#include "lexer/token.def"
#undef TOKEN
#undef PUNCT
#undef KEYWORD
#undef SAME_KEYWORD
#undef DIRECTIVE
    TOK_COUNT
};

enum token_flag {
    TOKEN_LINE_START = 1 << 0,   /* the first token of its logical line */
    TOKEN_DIRECTIVE = 1 << 1,    /* inside a directive, its # and end included */
    TOKEN_MACRO_BODY = 1 << 2,   /* in the replacement list of a #define */
    TOKEN_SPACE_BEFORE = 1 << 3, /* white space, a comment or a line start before it */
    TOKEN_UNTERMINATED =
        1 << 4,               /* a string, character or comment that its line or file cuts short */
    TOKEN_RAW = 1 << 5,       /* a raw string */
    TOKEN_SPLICED = 1 << 6,   /* a line splice lies inside it */
    TOKEN_HIP_SIDE = 1 << 7,  /* parser/: only an AMD compiler sees it */
    TOKEN_CUDA_SIDE = 1 << 8, /* parser/: no AMD compiler sees it */
    TOKEN_DROPPED = 1 << 9,   /* transform/: in an argument or a case that is removed or replaced */
    TOKEN_DIM3 = 1 << 10,     /* transform/: written as a dim3 */
};

#define NO_TOKEN UINT32_MAX

struct token {
    uint32_t offset;  /* of its first byte in the source */
    uint32_t length;  /* bytes in the source, splices included */
    uint16_t kind;    /* enum token_kind */
    uint16_t flags;   /* enum token_flag */
    uint32_t partner; /* the bracket that belongs to this one (parser/), or NO_TOKEN; of the first #
                         of a run of directives its last end, and the other way round */
    struct symbol *symbol; /* identifiers and keywords; NULL otherwise */
};

/* A comment, in the order of the source: not a token, since it may stand anywhere. */
struct comment {
    uint32_t offset;
    uint32_t length; /* a line comment ends before its newline */
    uint32_t token;  /* index of the token that follows */
};

/* "identifier", "<<<", "__global__": for dumps and messages. */
const char *token_kind_name(enum token_kind kind);

#endif
