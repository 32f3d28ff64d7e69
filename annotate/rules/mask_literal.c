/* wave-mask-absent-lanes, wave-mask-literal, wave-mask-partial

   Finds: constants of 32 bits as lane masks of _sync functions: literals, macros, const variables,
   expressions of them; in the texts of macros too.
   Why: HIP takes masks of 64 bits only, on every GPU; and stops a wave whose mask is not just the
   lanes that are active. A full mask becomes ~0ull where whole waves get to the call, else
   __activemask(). A partial one speaks of the lanes of a warp of 32: widened it compiles, but a
   wave of 64 has another half, whose lanes come to the call too.

   Before: __shfl_sync(0xffffffff, v, 0)
   After:  __shfl_sync(~0ull, v, 0)

   A mask of all lanes in 64 bits is as wrong where the file shows that some lanes are absent: in a
   block of 96, below threadIdx.x < 32.

   Fix: by the translation itself; safe in HIP source.
   Silent: masks of 64 bits, and masks that HIP older than 6.2 does without. A partial mask that is
   just the lanes that come to the call, as under threadIdx.x < 16, is only widened.  */
#include <config.h>

#include "annotate/lanemask.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/strbuf.h"

enum { MOST_USES = 64 }; /* that one finding names */

static const char *full_text(const struct mask_argument *argument)
{
    return argument->whole ? "~0ull" : "__activemask()";
}

static enum fix_safety safety_at(const struct annotation *a, const struct node *node)
{
    return annotation_is_hip(a, node->tokens.begin) ? FIX_SAFE : FIX_REPAIR;
}

static void set_dialect(const struct annotation *a, struct finding *f, const struct node *node)
{
    if (annotation_is_hip(a, node->tokens.begin)) {
        f->effect = EFFECT_COMPILE;
        f->advice = N_("write ~0ull where whole waves come to the call, else __activemask()");
    }
}

/* NODE with 64 bits. */
static const char *widened(const struct annotation *a, const struct node *node)
{
    struct span span = unit_span(a->unit, node->tokens);
    const char *text = a->unit->source->text + span.begin;
    size_t len = span.end - span.begin;
    struct strbuf res = STRBUF_INIT;
    bool number = node->kind == NODE_NUMBER;
    bool plain = node->kind == NODE_NAME || node->kind == NODE_CALL;
    while (number && len && strchr("uUlL", text[len - 1]))
        --len;
    if (!number)
        strbuf_adds(&res, plain ? "(unsigned long long)" : "(unsigned long long)(");
    strbuf_add(&res, text, len);
    if (!plain)
        strbuf_adds(&res, number ? "ull" : ")");
    const char *copy = arena_strndup(a->arena, res.text, res.len);
    strbuf_release(&res);
    return copy;
}

static void report_absent(struct annotation *a, const struct mask_argument *argument)
{
    const struct node *node = argument->node;
    struct finding *f = annotation_add(a, RULE_WAVE_MASK_ABSENT_LANES, node->tokens);
    if (annotation_is_hip(a, node->tokens.begin))
        f->targets = argument->absent;
    else
        f->effect = EFFECT_NONE;
    finding_add_edit(f, safety_at(a, node), unit_span(a->unit, node->tokens), "__activemask()");
}

static void report_partial(struct annotation *a, const struct mask_argument *argument)
{
    target_set wide = argument->exact ? 0 : annotation_with_wave(a, 64);
    if (!wide && argument->bits == 64)
        return; /* just the lanes that come, in the type that HIP takes */
    const struct node *node = argument->node;
    struct finding *f =
        annotation_add(a, wide ? RULE_WAVE_MASK_PARTIAL : RULE_WAVE_MASK_LITERAL, node->tokens);
    if (wide) {
        f->targets = wide;
        finding_add_arg(f, annotation_names(a, wide));
    } else {
        finding_add_arg(f, widened(a, node));
        set_dialect(a, f, node);
    }
    if (argument->definition != NO_TOKEN)
        finding_add_related(f, RELATED_DEFINED, unit_token_span(a->unit, argument->definition),
                            unit_token(a->unit, argument->definition)->symbol->text);
    if (argument->bits < 64)
        finding_add_edit(f, safety_at(a, node), unit_span(a->unit, node->tokens), widened(a, node));
}

/* What defines the constant that ARGUMENT names: a macro's name and text, a variable with its
 * value. */
static struct range definition_range(struct annotation *a, const struct mask_argument *argument)
{
    uint32_t token = argument->definition;
    if (unit_token(a->unit, token)->flags & TOKEN_DIRECTIVE) {
        const struct directive *d = unit_directive_at(a->unit, token);
        if (d && d->body.begin < d->body.end)
            return (struct range){token, d->body.end};
    }
    struct name_meaning meaning = model_lookup(
        annotation_code(a)->model, tree_symbol(a->unit, argument->node), argument->node->token);
    return meaning.declarator ? meaning.declarator->tokens : (struct range){token, token + 1};
}

static int compare(const void *va, const void *vb)
{
    const struct mask_argument *a = *(const struct mask_argument *const *)va;
    const struct mask_argument *b = *(const struct mask_argument *const *)vb;
    if (a->definition != b->definition)
        return a->definition < b->definition ? -1 : 1;
    if (a->definition == NO_TOKEN && a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->definition == NO_TOKEN && a->whole != b->whole)
        return a->whole < b->whole ? -1 : 1;
    uint32_t at = a->node->tokens.begin, bt = b->node->tokens.begin;
    return at < bt ? -1 : at != bt;
}

/* Whether B, which comes behind A, belongs to the same finding: a use of the same definition, or
   another literal in the same function that translation repairs in the same way. */
static bool is_together(const struct annotation *a, const struct mask_argument *one,
                        const struct mask_argument *other)
{
    if (one->definition != other->definition)
        return false;
    return one->definition != NO_TOKEN ||
           (one->function == other->function && one->function != NO_INDEX &&
            one->whole == other->whole && safety_at(a, one->node) == FIX_REPAIR &&
            safety_at(a, other->node) == FIX_REPAIR);
}

/* The COUNT arguments of one finding. */
static void report_full(struct annotation *a, const struct mask_argument *const *uses, size_t count)
{
    const struct mask_argument *first = uses[0];
    struct range range =
        first->definition == NO_TOKEN ? first->node->tokens : definition_range(a, first);
    struct finding *f = annotation_add(a, RULE_WAVE_MASK_LITERAL, range);
    finding_add_arg(f, full_text(first));
    set_dialect(a, f, first->node);
    for (size_t i = 0; i < count; ++i) {
        struct span span = unit_span(a->unit, uses[i]->node->tokens);
        if (first->definition != NO_TOKEN || i)
            finding_add_related(f, RELATED_USED, span, NULL);
        finding_add_edit(f, safety_at(a, uses[i]->node), span, full_text(uses[i]));
    }
}

void rule_mask_literal(struct annotation *a)
{
    const struct lane_masks *masks = annotation_masks(a);
    if (!masks)
        return;
    VEC(const struct mask_argument *) full = {0};
    vec_each (const struct mask_argument, argument, &masks->arguments)
        if (argument->full)
            *vec_push(&full) = argument;
        else if (argument->absent)
            report_absent(a, argument);
        else
            report_partial(a, argument);
    if (full.count)
        qsort(full.items, full.count, sizeof *full.items, compare);
    for (size_t i = 0, end; i < full.count; i = end) {
        end = i + 1;
        while (end < full.count && end - i < MOST_USES &&
               is_together(a, full.items[i], full.items[end]))
            ++end;
        report_full(a, full.items + i, end - i);
    }
    vec_release(&full);
}
