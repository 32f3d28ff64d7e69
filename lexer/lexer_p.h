/* What cuda.l and lexer.c share. */
#ifndef LEXER_LEXER_P_H
#define LEXER_LEXER_P_H

#include <stdbool.h>

#include "lexer/lexer.h"

struct splice {
    uint32_t at;      /* logical offset of the byte that follows the splice */
    uint32_t removed; /* bytes removed so far, this splice included */
};

struct lexer {
    struct tokens *tokens;
    struct symbol_table *symbols;
    const struct source *source;
    char *text; /* the logical text: the source's own, or a copy without splices */
    size_t len;
    struct splice *splices; /* NULL where there are none */
    size_t splice_count;
    size_t splice_next; /* the first splice behind the place reached */
    uint16_t flags;     /* for the next token: TOKEN_LINE_START, TOKEN_SPACE_BEFORE and so on */
    bool in_directive;
    bool want_directive; /* the last token was the # of a directive */
    bool want_name;      /* the last token was #define */
    bool want_body;      /* the last token was the macro's name */
    int name_end;        /* logical offset of the end of that name */
};

/* Adds the token of KIND at the logical offset BEGIN, LEN bytes long. */
void lexer_add(struct lexer *lexer, enum token_kind kind, size_t begin, size_t len);
void lexer_add_word(struct lexer *lexer, size_t begin, size_t len);

/* The same for ## and ::, which are landmarks or make one of the name before them. */
void lexer_add_paste(struct lexer *lexer, size_t begin, size_t len);
void lexer_add_scope(struct lexer *lexer, size_t begin, size_t len);
void lexer_add_comment(struct lexer *lexer, size_t begin, size_t len);

/* A newline, or the end of the text: ends a directive. */
void lexer_end_line(struct lexer *lexer, size_t at);

/* For a # that may begin a directive. */
void lexer_add_hash(struct lexer *lexer, size_t begin, size_t len);

/* Logical length of the comment that begins at BEGIN. */
size_t lexer_comment_length(struct lexer *lexer, size_t begin);

/* Logical length of the line comment that begins at BEGIN. */
size_t lexer_line_length(struct lexer *lexer, size_t begin);

/* Logical length of the string or character literal at BEGIN, whose prefix and quote are HEAD
   bytes; without TERMINATED it ends with its line. */
size_t lexer_literal_length(struct lexer *lexer, size_t begin, size_t head, bool *terminated);

/* Logical length of the raw string at BEGIN, whose quote is at QUOTE. */
size_t lexer_raw_length(struct lexer *lexer, size_t begin, size_t quote, bool *terminated);

/* LEN, or more where a literal suffix or a universal character name follows. */
size_t lexer_with_suffix(struct lexer *lexer, size_t begin, size_t len);
size_t lexer_with_ucn(struct lexer *lexer, size_t begin, size_t len);

/* What the scanner must do behind the directive's name just added. */
enum directive_tail { TAIL_TOKENS, TAIL_HEADER, TAIL_TEXT };
enum directive_tail lexer_directive_tail(struct lexer *lexer);

/* The generated scanner's entry. */
void lexer_run(struct lexer *lexer);

#endif
