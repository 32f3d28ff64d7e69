#include <config.h>

#include "base/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void source_init(struct source *source, const char *name, char *text, size_t len)
{
    *source = (struct source){.name = name, .text = text, .len = len};
}

void source_release(struct source *source)
{
    free(source->text);
    free(source->lines);
    *source = (struct source){0};
}

static void index_lines(struct source *source)
{
    VEC(uint32_t) starts = {0};
    *vec_push(&starts) = 0;
    const char *at = source->text, *end = source->text + source->len;
    while ((at = memchr(at, '\n', (size_t)(end - at))))
        *vec_push(&starts) = (uint32_t)(++at - source->text);
    source->lines = starts.items;
    source->line_count = starts.count;
}

struct location source_location(struct source *source, size_t offset)
{
    if (!source->lines)
        index_lines(source);
    size_t low = 0, high = source->line_count;
    while (1 < high - low) {
        size_t mid = low + (high - low) / 2;
        if (source->lines[mid] <= offset)
            low = mid;
        else
            high = mid;
    }
    return (struct location){(unsigned)low + 1, (unsigned)(offset - source->lines[low]) + 1};
}

size_t source_line_start(struct source *source, unsigned line)
{
    if (!source->lines)
        index_lines(source);
    if (line == 0)
        return 0;
    return line <= source->line_count ? source->lines[line - 1] : source->len;
}

size_t source_line_end(const struct source *source, size_t offset)
{
    const char *nl = memchr(source->text + offset, '\n', source->len - offset);
    if (!nl)
        return source->len;
    size_t end = (size_t)(nl - source->text);
    return offset < end && source->text[end - 1] == '\r' ? end - 1 : end;
}

size_t source_line_begin(const struct source *source, size_t offset)
{
    const char *nl = offset ? memrchr(source->text, '\n', offset) : NULL;
    return nl ? (size_t)(nl - source->text) + 1 : 0;
}

size_t source_text_begin(const struct source *source)
{
    return 3 <= source->len && !memcmp(source->text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

const char *source_newline(const struct source *source)
{
    const char *nl = memchr(source->text, '\n', source->len);
    return nl && nl != source->text && nl[-1] == '\r' ? "\r\n" : "\n";
}
