#include <config.h>

#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void strbuf_reserve(struct strbuf *buf, size_t extra)
{
    if (SIZE_MAX - buf->len - 1 < extra)
        xalloc_die();
    size_t need = buf->len + extra + 1;
    if (need <= buf->room)
        return;
    size_t room = buf->room < SIZE_MAX / 2 ? buf->room * 2 : need;
    buf->room = room < need ? need : room;
    buf->text = xrealloc_array(buf->text, buf->room, 1);
}

void strbuf_add(struct strbuf *buf, const char *text, size_t len)
{
    strbuf_reserve(buf, len);
    if (len)
        memcpy(buf->text + buf->len, text, len);
    buf->len += len;
    buf->text[buf->len] = '\0';
}

void strbuf_adds(struct strbuf *buf, const char *text)
{
    strbuf_add(buf, text, strlen(text));
}

void strbuf_addc(struct strbuf *buf, char c)
{
    strbuf_add(buf, &c, 1);
}

void strbuf_fill(struct strbuf *buf, char c, size_t count)
{
    strbuf_reserve(buf, count);
    memset(buf->text + buf->len, c, count);
    buf->len += count;
    buf->text[buf->len] = '\0';
}

void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    strbuf_reserve(buf, 80);
    size_t room = buf->room - buf->len;
    int len = vsnprintf(buf->text + buf->len, room, format, args);
    if (0 < len && room <= (size_t)len) {
        strbuf_reserve(buf, (size_t)len);
        vsnprintf(buf->text + buf->len, (size_t)len + 1, format, again);
    }
    if (0 < len)
        buf->len += (size_t)len;
    va_end(again);
}

void strbuf_printf(struct strbuf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vprintf(buf, format, args);
    va_end(args);
}

void strbuf_clear(struct strbuf *buf)
{
    buf->len = 0;
    if (buf->text)
        buf->text[0] = '\0';
}

void strbuf_release(struct strbuf *buf)
{
    free(buf->text);
    *buf = (struct strbuf)STRBUF_INIT;
}
