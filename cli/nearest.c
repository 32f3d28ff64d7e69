#include <config.h>

#include "cli/nearest.h"

#include <stdbool.h>
#include <string.h>

#include "base/i18n.h"
#include "base/strbuf.h"

/* So far may a name of LEN letters be from what was meant. */
static unsigned reach(size_t len)
{
    return len < 3 ? 0 : len < 6 ? 1 : len < 12 ? 2 : 3;
}

void nearest_begin(struct nearest *nearest, const char *name)
{
    *nearest = (struct nearest){.name = name, .len = strlen(name)};
    nearest->distance = reach(nearest->len);
}

static char lower(char c)
{
    return (char)('A' <= c && c <= 'Z' ? c - 'A' + 'a' : c);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The distance of A and B (at most NEAREST_LONGEST letters), or more than LIMIT as soon as it
   is known to be more. */
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len, unsigned limit)
{
    unsigned rows[3][NEAREST_LONGEST + 1];
    for (size_t k = 0; k <= b_len; ++k)
        rows[0][k] = (unsigned)k;
    for (size_t i = 1; i <= a_len; ++i) {
        unsigned *row = rows[i % 3], *before = rows[(i + 2) % 3], *older = rows[(i + 1) % 3];
        unsigned best = row[0] = (unsigned)i;
        for (size_t k = 1; k <= b_len; ++k) {
            char x = lower(a[i - 1]), y = lower(b[k - 1]);
            unsigned n = least(least(before[k], row[k - 1]) + 1, before[k - 1] + (x != y));
            if (1 < i && 1 < k && x == lower(b[k - 2]) && y == lower(a[i - 2]))
                n = least(n, older[k - 2] + 1);
            row[k] = n;
            best = least(best, n);
        }
        if (limit < best)
            return best;
    }
    return rows[a_len % 3][b_len];
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    if (!candidate)
        return;
    size_t len = strlen(candidate),
           more = nearest->len < len ? len - nearest->len : nearest->len - len;
    if (!len || NEAREST_LONGEST < len || NEAREST_LONGEST < nearest->len || nearest->distance < more)
        return;
    unsigned d = distance(nearest->name, nearest->len, candidate, len, nearest->distance);
    if (nearest->distance < d)
        return;
    if (d < nearest->distance)
        nearest->count = 0;
    nearest->distance = d;
    for (size_t i = 0; i < nearest->count; ++i)
        if (!strcmp(nearest->found[i], candidate))
            return;
    if (nearest->count < NEAREST_COUNT)
        nearest->found[nearest->count++] = candidate;
}

void nearest_tell(const struct nearest *nearest, struct diag *diag)
{
    struct strbuf list = STRBUF_INIT;
    for (size_t i = 0; i < nearest->count; ++i)
        strbuf_printf(&list, "%s'%s'", i ? ", " : "", nearest->found[i]);
    if (list.len)
        diag_add(diag, DIAG_NOTE, (struct diag_place){0}, _("the nearest names: %s"), list.text);
    strbuf_release(&list);
}
