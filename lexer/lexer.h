/* The lexer: bytes to tokens, lossless.

   Whatever the bytes are, the tokens and comments lie in order, do not overlap, and what is
   between them is white space and line splices: with no edits the output is the input.

   Lines joined by a backslash are joined before scanning (as translation phase 2 says), in a
   copy of the text that is made only where a file has such lines; offsets always speak of the
   original. So the grammar of cuda.l needs no word about splices.  */
#ifndef LEXER_LEXER_H
#define LEXER_LEXER_H

#include <stddef.h>

#include "base/source.h"
#include "base/symbol.h"
#include "base/vec.h"
#include "lexer/token.h"

struct tokens {
    VEC(struct token) list; /* the last one is TOK_EOF */
    /* Indices, in order, of the tokens that somebody may want to look at one by one: words whose
       symbol is a landmark, names before ::, and ##. Few passes need a walk over all tokens. */
    VEC(uint32_t) landmarks;
    VEC(struct comment) comments; /* in order */
};

/* Scans all of SOURCE; names are interned in SYMBOLS, whose on_new should call
   lexer_keyword(). SOURCE's text is the same afterwards (flex writes into it meanwhile). Release
   with lexer_release(). */
void lexer_scan(struct tokens *tokens, const struct source *source, struct symbol_table *symbols);
void lexer_release(struct tokens *tokens);

/* For symbol_table_init(), where nothing but keywords is to be known of new symbols; CONTEXT is not
 * used. */
void lexer_on_new(struct symbol *symbol, void *context);

/* The kind of the keyword of LEN bytes at TEXT, or 0. */
enum token_kind lexer_keyword(const char *text, size_t len);

#endif
