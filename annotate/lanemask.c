#include <config.h>

#include "annotate/lanemask.h"

#include <stdlib.h>

#include "annotate/lanemask_p.h"

enum { GROUP_EDITS = 48 }; /* as many as each finding of a group may name */

static void search_release(struct mask_search *s)
{
    struct mask_key *key, *next;
    HASH_ITER(hh, s->keys, key, next)
    {
        HASH_DEL(s->keys, key);
        free(key);
    }
    struct mask_named *named, *other;
    HASH_ITER(hh, s->functions, named, other)
    {
        HASH_DEL(s->functions, named);
        while (named) {
            struct mask_named *more = named->others;
            free(named);
            named = more;
        }
    }
    struct mask_text *text, *next_text;
    HASH_ITER(hh, s->texts, text, next_text)
    {
        HASH_DEL(s->texts, text);
        free(text);
    }
    free(s->seen);
    free(s->masks_given);
    vec_release(&s->macros);
    vec_release(&s->members);
    vec_release(&s->edges);
    vec_release(&s->outs);
    vec_release(&s->mixes);
    vec_release(&s->counts);
    vec_release(&s->compares);
    vec_release(&s->sets);
}

static struct lane_masks *masks_find(struct annotation *a)
{
    /* Older HIP has no _sync functions, so translation leaves the masks out. */
    bool takes_masks = VERSION(6, 2, 0) <= a->options->hip_version;
    struct mask_search s = {.a = a,
                            .unit = a->unit,
                            .code = annotation_code(a),
                            .model = annotation_code(a)->model,
                            .masks = xcalloc(1, sizeof(struct lane_masks)),
                            .seen = xcalloc(annotation_code(a)->node_count + 1, sizeof(bool)),
                            .masks_given =
                                xcalloc(annotation_code(a)->node_count + 1, sizeof(bool))};
    size_t count = a->unit->functions.count;
    masks_index_members(&s);
    for (size_t i = 0; i < count; ++i)
        if (model_function(s.model, i)->body)
            masks_add_function(&s, i);
    for (size_t i = 0; i < count; ++i) {
        s.function = i;
        if (!model_function(s.model, i)->body)
            continue;
        masks_gather_head(&s);
        masks_gather(&s, model_function(s.model, i)->body);
    }
    masks_follow(&s);
    if (takes_masks)
        masks_examine_calls(&s);
    masks_find_uses(&s);
    masks_find_lane_shifts(&s);
    masks_group_places(&s);
    masks_finish(&s);
    search_release(&s);
    return s.masks;
}

struct lane_masks *annotation_masks(struct annotation *a)
{
    bool lanes =
        symbol_find(a->unit->symbols, "warpSize") || symbol_find(a->unit->symbols, "__lane_id");
    if (!a->masks && (lanes || warp_is_used(a)))
        a->masks = masks_find(a);
    return a->masks;
}

void lane_masks_add_edits(struct lane_masks *masks, struct finding *f, uint32_t group)
{
    const struct mask_edit *edits = masks->edits.items;
    size_t low;
    vec_search(low, masks->edits.count, edits[low].group < group);
    size_t last = low + GROUP_EDITS;
    bool many = last < masks->edits.count && edits[last].group == group;
    if (many && masks->given[group])
        return;
    masks->given[group] = true;
    uint32_t behind = 0;
    for (size_t i = low; i < masks->edits.count && edits[i].group == group; ++i) {
        if (i != low && edits[i].span.begin < behind)
            continue; /* the same once more */
        finding_add_edit(f, edits[i].safety, edits[i].span, edits[i].text);
        behind = edits[i].span.end;
    }
}

bool lane_masks_replace(const struct lane_masks *masks, size_t offset)
{
    size_t low;
    vec_search(low, masks->replaced.count, masks->replaced.items[low] < offset);
    return low < masks->replaced.count && masks->replaced.items[low] == offset;
}

void lane_masks_free(struct lane_masks *masks)
{
    if (!masks)
        return;
    vec_release(&masks->places);
    vec_release(&masks->namings);
    vec_release(&masks->uses);
    vec_release(&masks->arguments);
    vec_release(&masks->edits);
    vec_release(&masks->replaced);
    free(masks->given);
    free(masks);
}
