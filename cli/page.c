#include <config.h>

#include "cli/page.h"

#include <stdlib.h>

#include "cli/read.h"

/* TEMPLATE, with dots for what a finding puts in. */
static void add_template(struct strbuf *out, const char *template)
{
    for (const char *at = template; *at; ++at) {
        if (at[0] == '%' && '1' <= at[1] && at[1] <= '9') {
            strbuf_adds(out, "...");
            ++at;
        } else {
            at += at[0] == '%' && at[1] == '%';
            strbuf_addc(out, *at);
        }
    }
}

bool page_add(struct strbuf *out, const char *folder, enum rule_id id, struct diag *diag)
{
    const struct rule *rule = rule_get(id);
    struct strbuf path = STRBUF_INIT;
    struct content page;
    strbuf_printf(&path, "%s/%s.txt", folder, rule->name);
    bool res = read_file(path.text, path.text, &page, diag);
    strbuf_release(&path);
    if (!res)
        return false;
    strbuf_printf(out, "%s: %s\n\n", rule->name, rule->title);
    strbuf_adds(out, "Says\n    ");
    strbuf_printf(out, "%s: ", level_word(level_of(rule->effect, rule->confidence)));
    add_template(out, rule->message);
    if (rule->todo) {
        strbuf_adds(out, "\n    TODO: ");
        add_template(out, rule->todo);
    }
    strbuf_printf(out, "\n    (effect %s, confidence %s)\n\n", effect_word(rule->effect),
                  confidence_word(rule->confidence));
    strbuf_add(out, page.text, page.len);
    strbuf_printf(out,
                  "\nTo silence it\n"
                  "    // hipwright: allow %s REASON       on the line or the line above\n"
                  "    // hipwright: allow-file %s REASON  for the file\n"
                  "    --disable=%s                        for a run, or in .hipwright.ini\n",
                  rule->name, rule->name, rule->name);
    free(page.text);
    return true;
}
