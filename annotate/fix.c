#include <config.h>

#include "annotate/fix.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* The edits taken so far, by the bytes of the input. */
struct taken {
    struct translation *t;
    uint32_t *bytes; /* which edit replaces the byte, counted from 1 in the order of t->edits, or 0;
                        and INSERTED, FIX_INSERTED where the translation or a fix inserts something
                        before it. One more behind the last byte */
};

#define INSERTED (UINT32_C(1) << 31)
#define FIX_INSERTED (UINT32_C(1) << 30)

static uint32_t owner(const struct taken *taken, uint32_t at)
{
    return taken->bytes[at] & ~(INSERTED | FIX_INSERTED);
}

static const struct edit *edit_of(const struct taken *taken, uint32_t number)
{
    return &taken->t->edits.list.items[number - 1];
}

/* Notes edit NUMBER (from 1). */
static void take(struct taken *taken, size_t number)
{
    const struct edit *e = edit_of(taken, (uint32_t)number);
    if (!e->length)
        taken->bytes[e->offset] |= e->reason == EDIT_FIX ? FIX_INSERTED : INSERTED;
    for (uint32_t i = 0; i < e->length; ++i)
        taken->bytes[e->offset + i] =
            (taken->bytes[e->offset + i] & (INSERTED | FIX_INSERTED)) | (uint32_t)number;
}

/* Whether a fix before made exactly this edit. An insertion never counts as made: two of the same
   text at one place may close two brackets. */
static bool is_made(const struct taken *taken, const struct fix_edit *e)
{
    uint32_t number = owner(taken, e->span.begin);
    if (!number || e->span.begin == e->span.end)
        return false;
    const struct edit *other = edit_of(taken, number);
    return other->reason == EDIT_FIX && other->offset == e->span.begin &&
           other->length == e->span.end - e->span.begin && !strcmp(other->text, e->text);
}

/* Whether E deletes the byte at AT with all that the translation makes of it: such edits lose their
   object, and edits_finish() drops them behind the wider one. */
static bool is_deleted(const struct taken *taken, const struct fix_edit *e, uint32_t at)
{
    if (*e->text || taken->bytes[at] & FIX_INSERTED)
        return false;
    uint32_t number = owner(taken, at);
    if (!number)
        return true;
    const struct edit *other = edit_of(taken, number);
    return other->reason != EDIT_FIX && e->span.begin <= other->offset &&
           other->offset + other->length <= e->span.end;
}

/* Whether E overlaps an edit that was taken. Insertions at the border of a replacement do not. */
static bool is_blocked(const struct taken *taken, const struct fix_edit *e)
{
    uint32_t begin = e->span.begin, end = e->span.end;
    if (is_made(taken, e))
        return false;
    if (begin == end)
        return begin && owner(taken, begin) && owner(taken, begin) == owner(taken, begin - 1);
    for (uint32_t i = begin; i < end; ++i)
        if ((owner(taken, i) || (begin < i && taken->bytes[i])) && !is_deleted(taken, e, i))
            return true;
    return false;
}

static void apply(struct taken *taken, struct finding *finding)
{
    const struct fix_edit *edits = finding->fix->edits;
    for (const struct fix_edit *e = edits; e; e = e->next)
        if (is_blocked(taken, e))
            return;
    for (const struct fix_edit *e = edits; e; e = e->next) {
        if (is_made(taken, e))
            continue;
        edit_add(&taken->t->edits, e->span.begin, e->span.end - e->span.begin, e->text, EDIT_FIX);
        take(taken, taken->t->edits.list.count);
    }
    finding->fixed = FIX_REPAIR < finding->fix->safety;
}

/* A finding about a text that one of the edits behind the first COUNT deletes is settled with it.
 */
static void settle(const struct taken *taken, size_t count, struct finding *f)
{
    uint32_t number = f->span.begin < f->span.end ? owner(taken, f->span.begin) : 0;
    const struct edit *e = count < number ? edit_of(taken, number) : NULL;
    f->fixed |=
        e && !*e->text && e->offset <= f->span.begin && f->span.end <= e->offset + e->length;
}

static void take_all(struct taken *taken)
{
    taken->bytes = xcalloc(taken->t->source.len + 1, sizeof *taken->bytes);
    for (size_t i = 1; i <= taken->t->edits.list.count; ++i)
        take(taken, i);
}

void fixes_apply(struct translation *t, enum fix_safety least)
{
    struct taken taken = {.t = t};
    size_t before = t->edits.list.count;
    vec_each (struct finding, f, &t->findings.list) {
        if (!f->fix || least < f->fix->safety ||
            (f->fix->safety == FIX_REPAIR) != (least == FIX_REPAIR))
            continue;
        if (!taken.bytes)
            take_all(&taken);
        apply(&taken, f);
    }
    if (taken.bytes && FIX_REPAIR < least)
        vec_each (struct finding, f, &t->findings.list)
            settle(&taken, before, f);
    free(taken.bytes);
    edits_finish(&t->edits);
}
