#include <config.h>

#include "annotate/annotate.h"

#include "annotate/annotate_p.h"

/* The function around each finding, for reports. */
static void name_kernels(struct translation *t)
{
    const struct unit *unit = t->unit;
    size_t f = 0;
    const char *kernel = NULL;
    uint32_t end = 0;
    vec_each (struct finding, finding, &t->findings.list) {
        for (; f < unit->functions.count; ++f) {
            const struct function *fn = &unit->functions.items[f];
            if (finding->span.begin < unit_token(unit, fn->head.begin)->offset)
                break;
            if (!(fn->flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE)) ||
                fn->body.begin >= fn->body.end)
                continue;
            const struct token *last = unit_token(unit, fn->body.end - 1);
            kernel = unit_token(unit, fn->name)->symbol->text;
            end = last->offset + last->length;
        }
        if (kernel && finding->span.begin < end)
            finding->kernel = kernel;
    }
}

void annotate(struct translation *t, const struct translate_options *options)
{
    struct annotation a = {.unit = t->unit, .map = options->map, .findings = &t->findings};
#define RULE_CHECK(check) check(&a);
#include "annotate/rules.def"
#undef RULE_CHECK
    findings_sort(&t->findings);
    name_kernels(t);
}
