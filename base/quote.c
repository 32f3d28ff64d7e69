#include <config.h>

#include "base/quote.h"

#include <string.h>

bool quote_add(struct quote *quote, const char *text, size_t len)
{
    struct strbuf *out = &quote->text;
    for (size_t i = 0; i < len && out->len < quote->longest; ++i) {
        unsigned char c = (unsigned char)text[i];
        if (strchr(" \t\r\v\f\n", c) && c) {
            quote->blank = true;
            continue;
        }
        if (quote->blank && out->len)
            strbuf_addc(out, ' ');
        quote->blank = false;
        if (c < ' ' || c == 0x7f)
            strbuf_printf(out, "\\x%02X", c);
        else
            strbuf_addc(out, (char)c);
    }
    return out->len < quote->longest;
}

const char *quote_finish(struct quote *quote, struct arena *arena)
{
    struct strbuf *out = &quote->text;
    /* Not in the middle of a character. */
    if (quote->longest <= out->len) {
        while (out->len && (out->text[out->len - 1] & 0xc0) == 0x80)
            --out->len;
        if (out->len && (unsigned char)out->text[out->len - 1] >= 0xc0)
            --out->len;
        strbuf_add(out, "", 0);
        strbuf_adds(out, "...");
    }
    const char *res = arena_strndup(arena, out->text ? out->text : "", out->len);
    strbuf_release(out);
    return res;
}
