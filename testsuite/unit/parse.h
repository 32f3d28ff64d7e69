/* What the tests of the parser and of the kernel model share: reading a text in memory. */
#ifndef TESTSUITE_UNIT_PARSE_H
#define TESTSUITE_UNIT_PARSE_H

#include "annotate/model/model.h"
#include "base/strbuf.h"
#include "parser/unit.h"

struct parse {
    struct source source;
    struct arena arena;
    struct symbol_table symbols;
    struct diag diag;
    struct unit unit;
    struct model model; /* of parse_model() */
    bool has_model;
};

/* Reads the LEN bytes at TEXT, as a file "test.cu". */
void parse_bytes(struct parse *parse, const char *text, size_t len);
/* The same, with a model of it, whose OPTIONS may be NULL. */
void parse_model(struct parse *parse, const char *text, size_t len,
                 const struct model_options *options);
void parse_release(struct parse *parse);

/* Appends the tokens of RANGE to OUT with blanks between them. */
void put_range(struct strbuf *out, const struct unit *unit, struct range range);

#endif
