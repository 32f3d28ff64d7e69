/* Text of unknown origin, made fit for a terminal or for a machine format.

   Files and their names are bytes. What is valid UTF-8 and harmless is shown as it is;
   everything else appears as \xNN, byte by byte.  */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* The length of the valid UTF-8 sequence with which the LEN bytes at TEXT begin, its code
   point in *CODE; 0 where there is none. */
size_t utf8_next(const char *text, size_t len, uint32_t *code);

/* The columns that CODE takes on a terminal: 0, 1 or 2; -1 for what may not be sent to one
   (control characters, and those that change the direction of the text). */
int utf8_width(uint32_t code);

/* Appends the character with which the LEN bytes (at least 1) at TEXT begin, in a form that
   cannot disturb a terminal. Returns its columns, and its bytes in *USED. */
unsigned utf8_add_char(struct strbuf *out, const char *text, size_t len, size_t *used);

/* How many of the LEN bytes at TEXT are, from the first on, printable ASCII: a column each, and
   harmless. */
size_t utf8_plain_length(const char *text, size_t len);

/* Appends the LEN bytes at TEXT in such a form; returns their columns. */
size_t utf8_add_terminal(struct strbuf *out, const char *text, size_t len);

/* Appends the LEN bytes at TEXT as valid UTF-8: bytes that are not become \xNN. */
void utf8_add_machine(struct strbuf *out, const char *text, size_t len);

#endif
