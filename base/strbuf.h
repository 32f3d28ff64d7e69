/* A growing string of bytes. `text` is always NUL-terminated once something was
   added (the NUL is not counted in `len`; the bytes may hold NULs of their own).  */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
    char *text;
    size_t len;
    size_t room;
};

#define STRBUF_INIT \
    {               \
        0           \
    }

/* Makes room for EXTRA more bytes and the NUL. */
void strbuf_reserve(struct strbuf *buf, size_t extra);

void strbuf_add(struct strbuf *buf, const char *text, size_t len);
void strbuf_adds(struct strbuf *buf, const char *text);
void strbuf_addc(struct strbuf *buf, char c);
void strbuf_fill(struct strbuf *buf, char c, size_t count);
void strbuf_printf(struct strbuf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Empties BUF and keeps its memory. */
void strbuf_clear(struct strbuf *buf);

/* Frees the memory; BUF is empty and may be used again. */
void strbuf_release(struct strbuf *buf);

#endif
