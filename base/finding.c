#include <config.h>

#include "base/finding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void findings_init(struct findings *findings, struct arena *arena)
{
    *findings = (struct findings){.arena = arena};
}

static const char *copy(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

struct finding *findings_add(struct findings *findings, enum rule_id rule, struct span span,
                             const char *arg1, const char *arg2, const char *arg3)
{
    const struct rule *r = rule_get(rule);
    struct finding *res = vec_push(&findings->list);
    *res = (struct finding){.rule = rule,
                            .span = span,
                            .effect = r->effect,
                            .confidence = r->confidence,
                            .targets = EVERY_TARGET,
                            .arena = findings->arena};
    const char *args[] = {arg1, arg2, arg3};
    for (int i = 0; i < 3 && args[i]; ++i)
        res->args[i] = copy(findings->arena, args[i]);
    return res;
}

/* The number of the first argument that FINDING does not have. */
static int next_arg(const struct finding *finding)
{
    int i = 0;
    while (i < FINDING_ARGS && finding->args[i])
        ++i;
    assert(i < FINDING_ARGS);
    return i;
}

void finding_add_arg(struct finding *finding, const char *text)
{
    finding->args[next_arg(finding)] = copy(finding->arena, text);
}

void finding_add_quote(struct finding *finding, const char *quote, struct span span)
{
    int i = next_arg(finding);
    finding->args[i] = copy(finding->arena, quote);
    finding->quoted[i] = span;
}

void finding_add_number(struct finding *finding, long long number)
{
    finding_add_arg(finding, arena_printf(finding->arena, "%lld", number));
}

static struct related *add_related(struct finding *finding, enum related_id id, const char *arg)
{
    struct related *res = arena_zalloc(finding->arena, 1, sizeof *res);
    if (finding->related)
        finding->last_related->next = res;
    else
        finding->related = res;
    finding->last_related = res;
    res->id = id;
    if (arg)
        res->args[0] = copy(finding->arena, arg);
    return res;
}

struct related *finding_add_related(struct finding *finding, enum related_id id, struct span span,
                                    const char *arg)
{
    struct related *res = add_related(finding, id, arg);
    res->span = span;
    return res;
}

struct related *finding_add_related_file(struct finding *finding, enum related_id id,
                                         const char *file, struct location begin,
                                         struct location end, const char *arg)
{
    struct related *res = add_related(finding, id, arg);
    res->file = copy(finding->arena, file);
    res->begin = begin;
    res->end = end;
    return res;
}

void finding_add_ground(struct finding *finding, enum related_id id, struct span span,
                        const char *arg)
{
    struct related *res = arena_zalloc(finding->arena, 1, sizeof *res);
    *res = (struct related){.id = id, .span = span, .ground = true, .next = finding->grounds};
    if (arg)
        res->args[0] = copy(finding->arena, arg);
    finding->grounds = res;
}

void finding_tell_ground(struct finding *finding, const struct related *ground)
{
    struct related *res = finding_add_related(finding, ground->id, ground->span, ground->args[0]);
    res->ground = true;
}

void finding_add_edit(struct finding *finding, enum fix_safety safety, struct span span,
                      const char *text)
{
    if (!finding->fix)
        finding->fix = arena_zalloc(finding->arena, 1, sizeof *finding->fix);
    if (finding->fix->safety < safety)
        finding->fix->safety = safety;
    struct fix *fix = finding->fix;
    struct fix_edit *edit = arena_zalloc(finding->arena, 1, sizeof *edit);
    edit->span = span;
    edit->text = copy(finding->arena, text);
    if (fix->edits)
        fix->last->next = edit;
    else
        fix->edits = edit;
    fix->last = edit;
}

static struct figure *add_figure(struct finding *finding, const char *gpu, enum figure_id id)
{
    struct figure *res = arena_zalloc(finding->arena, 1, sizeof *res);
    if (finding->figures)
        finding->last_figure->next = res;
    else
        finding->figures = res;
    finding->last_figure = res;
    res->gpu = copy(finding->arena, gpu);
    res->id = id;
    return res;
}

void finding_add_figure(struct finding *finding, const char *gpu, enum figure_id id,
                        long long number)
{
    add_figure(finding, gpu, id)->number = number;
}

void finding_add_figure_text(struct finding *finding, const char *gpu, enum figure_id id,
                             const char *text)
{
    add_figure(finding, gpu, id)->text = copy(finding->arena, text);
}

enum level finding_level(const struct finding *finding)
{
    return finding->fixed ? LEVEL_NOTE : level_of(finding->effect, finding->confidence);
}

static int compare(const void *va, const void *vb)
{
    const struct finding *a = va, *b = vb;
    if (a->span.begin != b->span.begin)
        return a->span.begin < b->span.begin ? -1 : 1;
    int res = strcmp(rule_get(a->rule)->name, rule_get(b->rule)->name);
    if (res)
        return res;
    if (a->span.end != b->span.end)
        return a->span.end < b->span.end ? -1 : 1;
    for (int i = 0; i < FINDING_ARGS && (a->args[i] || b->args[i]); ++i) {
        res = strcmp(a->args[i] ? a->args[i] : "", b->args[i] ? b->args[i] : "");
        if (res)
            return res;
    }
    return 0;
}

void findings_sort(struct findings *findings)
{
    struct finding *list = findings->list.items;
    size_t count = findings->list.count, kept = 0;
    if (!count)
        return;
    qsort(list, count, sizeof *list, compare);
    for (size_t i = 1; i < count; ++i) {
        if (compare(&list[kept], &list[i]))
            list[++kept] = list[i];
        else
            list[kept].targets |= list[i].targets;
    }
    findings->list.count = kept + 1;
}

/* Whether B, which joins, can be a part of A. */
static bool can_join(const struct finding *a, const struct finding *b)
{
    bool res = a->rule == b->rule && a->targets == b->targets && !a->fix == !b->fix &&
               (!a->fix || a->fix->safety == b->fix->safety);
    for (int i = 1; res && i < FINDING_ARGS && (a->args[i] || b->args[i]); ++i)
        res = a->args[i] && b->args[i] && !strcmp(a->args[i], b->args[i]);
    return res;
}

static void join(struct finding *finding, const struct finding *other)
{
    finding_add_related(finding, RELATED_LIKEWISE, other->span, other->args[0]);
    for (const struct fix_edit *edit = other->fix ? other->fix->edits : NULL; edit;
         edit = edit->next)
        finding_add_edit(finding, other->fix->safety, edit->span, edit->text);
}

void findings_join(struct findings *findings)
{
    VEC(size_t) firsts = {0}; /* of those that join */
    size_t kept = 0;
    vec_each (const struct finding, f, &findings->list) {
        struct finding *first = NULL;
        for (size_t i = 0; f->joins && !first && i < firsts.count; ++i)
            if (can_join(&findings->list.items[firsts.items[i]], f))
                first = &findings->list.items[firsts.items[i]];
        if (first) {
            join(first, f);
            continue;
        }
        if (f->joins)
            *vec_push(&firsts) = kept;
        findings->list.items[kept++] = *f;
    }
    findings->list.count = kept;
    vec_release(&firsts);
}

void findings_release(struct findings *findings)
{
    vec_release(&findings->list);
    vec_release(&findings->silenced);
}
