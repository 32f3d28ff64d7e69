/* A source file in memory, and where in it a byte lies.

   The text is never changed. Two NUL bytes stand behind the last one, as the scanner
   wants them; they are not counted. Bytes are bytes: no encoding is assumed, NULs and
   invalid UTF-8 are ordinary content.  */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets are 32 bits wide; a larger file is refused where it is read. */
enum { SOURCE_PADDING = 2 };
#define SOURCE_MAX ((size_t)INT32_MAX)

struct source {
    const char *name; /* as the user named it; borrowed */
    char *text;       /* owned; len + SOURCE_PADDING bytes */
    size_t len;
    uint32_t *lines; /* offset of the start of each line, made on first use; owned */
    size_t line_count;
};

struct location {
    unsigned line;   /* from 1 */
    unsigned column; /* from 1, in bytes */
};

/* Takes over TEXT (from malloc, LEN bytes and SOURCE_PADDING NUL bytes). NAME must
   live as long as SOURCE. */
void source_init(struct source *source, const char *name, char *text, size_t len);
void source_release(struct source *source);

/* Where byte OFFSET (at most len) lies. Lines end with LF; a CR before it belongs to
   the line. The first call indexes the lines. */
struct location source_location(struct source *source, size_t offset);

/* Offset of the first byte of LINE (from 1), or len where there is no such line. */
size_t source_line_start(struct source *source, unsigned line);

/* Offset behind the last byte of the line that holds OFFSET: its LF, or its CR LF, or
   the end of the text. */
size_t source_line_end(const struct source *source, size_t offset);

/* Offset of the first byte of the line that holds OFFSET. */
size_t source_line_begin(const struct source *source, size_t offset);

/* Where the text begins: behind a byte order mark, or at 0. */
size_t source_text_begin(const struct source *source);

/* How the first line of the text ends: "\r\n" or "\n". */
const char *source_newline(const struct source *source);

#endif
