#include <config.h>

#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xalloc.h"

struct arena_block {
    struct arena_block *next;
    alignas(max_align_t) char data[];
};

enum { BLOCK_SIZE = 32 * 1024 };

static void arena_grow(struct arena *arena, size_t size)
{
    size_t room = size < BLOCK_SIZE ? BLOCK_SIZE : size;
    if (SIZE_MAX - sizeof(struct arena_block) < room)
        xalloc_die();
    struct arena_block *block = xmalloc(sizeof *block + room);
    arena->size += room;
    /* A large object gets a block of its own behind the current one, so that what is left
       of the current block is not wasted. */
    if (BLOCK_SIZE < size && arena->head) {
        block->next = arena->head->next;
        arena->head->next = block;
        return;
    }
    block->next = arena->head;
    arena->head = block;
    arena->next = block->data;
    arena->end = block->data + room;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (SIZE_MAX - align < size)
        xalloc_die();
    size = (size + align - 1) & ~(align - 1);
    if ((size_t)(arena->end - arena->next) < size || !arena->head) {
        struct arena_block *before = arena->head;
        arena_grow(arena, size);
        if (arena->head == before)
            return before->next->data;
    }
    void *res = arena->next;
    arena->next += size;
    return res;
}

void *arena_zalloc(struct arena *arena, size_t count, size_t size)
{
    if (size && SIZE_MAX / size < count)
        xalloc_die();
    return memset(arena_alloc(arena, count * size), 0, count * size);
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
    char *res = arena_alloc(arena, len + 1);
    memcpy(res, text, len);
    res[len] = '\0';
    return res;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    struct strbuf buf = STRBUF_INIT;
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&buf, format, args);
    va_end(args);
    char *res = arena_strndup(arena, buf.text ? buf.text : "", buf.len);
    strbuf_release(&buf);
    return res;
}

void arena_release(struct arena *arena)
{
    for (struct arena_block *block = arena->head, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *arena = (struct arena)ARENA_INIT;
}
