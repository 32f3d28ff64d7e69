#include <config.h>

#include "report/message.h"

#include "base/i18n.h"

void message_expand(struct strbuf *out, const char *template, const char *const *args)
{
    for (const char *at = template; *at; ++at) {
        if (at[0] == '%' && '1' <= at[1] && at[1] <= '9') {
            int n = *++at - '1';
            if (n < FINDING_ARGS && args[n])
                strbuf_adds(out, args[n]);
            continue;
        }
        if (at[0] == '%' && at[1] == '%')
            ++at;
        strbuf_addc(out, *at);
    }
}

void message_add(struct strbuf *out, const struct finding *finding, bool translated)
{
    const char *text = rule_get(finding->rule)->message;
    message_expand(out, translated ? _(text) : text, finding->args);
}

bool message_add_todo(struct strbuf *out, const struct finding *finding, bool translated)
{
    /* The map's advice for this name says more than the rule can; it is the facts' own English. */
    if (finding->advice) {
        strbuf_adds(out, finding->advice);
        return true;
    }
    const char *text = rule_get(finding->rule)->todo;
    if (text)
        message_expand(out, translated ? _(text) : text, finding->args);
    return text != NULL;
}

void message_add_related(struct strbuf *out, const struct related *related, bool translated)
{
    const char *text = related_sentence(related->id);
    message_expand(out, translated ? _(text) : text, related->args);
}
