#include <config.h>

#include "base/utf8.h"

size_t utf8_next(const char *text, size_t len, uint32_t *code)
{
    const unsigned char *t = (const unsigned char *)text;
    if (len == 0)
        return 0;
    if (t[0] < 0x80) {
        *code = t[0];
        return 1;
    }
    size_t need = 0xc2 <= t[0] && t[0] < 0xe0   ? 2
                  : 0xe0 <= t[0] && t[0] < 0xf0 ? 3
                  : 0xf0 <= t[0] && t[0] < 0xf5 ? 4
                                                : 0;
    if (!need || len < need)
        return 0;
    uint32_t res = t[0] & (0x7fu >> need);
    for (size_t i = 1; i < need; ++i) {
        if ((t[i] & 0xc0) != 0x80)
            return 0;
        res = res << 6 | (t[i] & 0x3f);
    }
    /* Overlong forms, surrogates and what lies beyond Unicode are no characters. */
    if (need == 3 && (res < 0x800 || (0xd800 <= res && res < 0xe000)))
        return 0;
    if (need == 4 && (res < 0x10000 || 0x10ffff < res))
        return 0;
    *code = res;
    return need;
}

struct range {
    uint32_t first, last;
};

static const struct range hidden[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c}, {0x200e, 0x200f},
    {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

/* Combining marks and joiners of the scripts that appear in source comments. */
static const struct range zero[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x20d0, 0x20f0},
    {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

/* East Asian Wide and Fullwidth (Unicode TR 11), blocks rather than single characters. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
    {0xa000, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x17000, 0x18aff},
    {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
    {0x20000, 0x2fffd}, {0x30000, 0x3fffd},
};

static int within(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count && ranges[i].first <= code; ++i)
        if (code <= ranges[i].last)
            return 1;
    return 0;
}

#define WITHIN(code, ranges) within(code, ranges, sizeof(ranges) / sizeof *(ranges))

int utf8_width(uint32_t code)
{
    if (0x20 <= code && code < 0x7f)
        return 1;
    return WITHIN(code, hidden) ? -1 : WITHIN(code, zero) ? 0 : WITHIN(code, wide) ? 2 : 1;
}

unsigned utf8_add_char(struct strbuf *out, const char *text, size_t len, size_t *used)
{
    uint32_t code = 0;
    size_t size = utf8_next(text, len, &code);
    int width = size ? utf8_width(code) : -1;
    if (0 <= width) {
        strbuf_add(out, text, size);
        *used = size;
        return (unsigned)width;
    }
    *used = size ? size : 1;
    for (size_t i = 0; i < *used; ++i)
        strbuf_printf(out, "\\x%02X", (unsigned char)text[i]);
    return 4 * (unsigned)*used;
}

size_t utf8_plain_length(const char *text, size_t len)
{
    size_t res = 0;
    while (res < len && 0x20 <= text[res] && text[res] < 0x7f)
        ++res;
    return res;
}

size_t utf8_add_terminal(struct strbuf *out, const char *text, size_t len)
{
    size_t res = 0, used;
    for (size_t i = 0; i < len; i += used) {
        used = utf8_plain_length(text + i, len - i);
        if (used) {
            strbuf_add(out, text + i, used);
            res += used;
        } else {
            res += utf8_add_char(out, text + i, len - i, &used);
        }
    }
    return res;
}

void utf8_add_machine(struct strbuf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        uint32_t code;
        size_t size = utf8_next(text + i, len - i, &code);
        if (size)
            strbuf_add(out, text + i, size);
        else
            strbuf_printf(out, "\\x%02X", (unsigned char)text[i]);
        i += size ? size : 1;
    }
}
