#include <config.h>

#include "base/finding.h"

#include <stdlib.h>
#include <string.h>

void findings_init(struct findings *findings, struct arena *arena)
{
    *findings = (struct findings){.arena = arena};
}

struct finding *findings_add(struct findings *findings, enum rule_id rule, struct span span,
                             const char *arg1, const char *arg2, const char *arg3)
{
    const struct rule *r = rule_get(rule);
    struct finding *res = vec_push(&findings->list);
    *res = (struct finding){
        .rule = rule, .span = span, .effect = r->effect, .confidence = r->confidence};
    const char *args[] = {arg1, arg2, arg3};
    for (int i = 0; i < 3 && args[i]; ++i)
        res->args[i] = arena_strndup(findings->arena, args[i], strlen(args[i]));
    return res;
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
    for (size_t i = 1; i < count; ++i)
        if (compare(&list[kept], &list[i]))
            list[++kept] = list[i];
    findings->list.count = kept + 1;
}

void findings_release(struct findings *findings)
{
    vec_release(&findings->list);
}
