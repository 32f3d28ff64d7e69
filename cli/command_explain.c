/* hipwright explain: what a rule finds, why it matters, what to do, how to silence it.

   The pages are files (annotate/pages/), English like everything that is written into sources and
   documents; doc/rules.txt holds all of them.  */
#include <config.h>

#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "cli/data.h"
#include "cli/read.h"
#include "cli/write.h"

static void add_list(struct strbuf *out)
{
    size_t width = 0;
    for (int i = 0; i < RULE_COUNT; ++i) {
        size_t len = strlen(rule_get(i)->name);
        width = width < len ? len : width;
    }
    for (int i = 0; i < RULE_COUNT; ++i) {
        const struct rule *rule = rule_get(i);
        strbuf_printf(out, "%-*s  %-7s  %s\n", (int)width, rule->name,
                      level_word(level_of(rule->effect, rule->confidence)), rule->title);
    }
}

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

/* Appends the page of ID, which lies in FOLDER; false after a message. */
static bool add_page(struct strbuf *out, const char *folder, enum rule_id id, struct diag *diag)
{
    const struct rule *rule = rule_get(id);
    struct strbuf path = STRBUF_INIT;
    struct content page;
    strbuf_printf(&path, "%s/%s.txt", folder, rule->name);
    bool res = read_file(path.text, path.text, &page, diag);
    strbuf_release(&path);
    if (!res)
        return false;
    if (out->len)
        strbuf_adds(out, "\n\n");
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

/* Appends the pages of NAME, a rule or a category; false after a message. *KNOWN says whether it is
   one. */
static bool add_pages(struct strbuf *out, const char *folder, const char *name, bool *known,
                      struct diag *diag)
{
    const char *category = rule_category_find(name);
    *known = false;
    for (int i = 0; i < RULE_COUNT; ++i) {
        enum rule_id id = (enum rule_id)i;
        if (strcmp(rule_get(id)->name, name) && rule_category(id) != category)
            continue;
        *known = true;
        if (!add_page(out, folder, id, diag))
            return false;
    }
    if (!*known)
        diag_add(diag, DIAG_WARNING, (struct diag_place){0},
                 _("there is no rule or category '%s'; 'hipwright explain --list' shows all"),
                 name);
    return true;
}

enum exit_status command_explain(const struct options *o)
{
    struct diag diag = DIAG_INIT;
    struct strbuf out = STRBUF_INIT;
    enum exit_status res = STATUS_OK;
    if (!o->operands.count) {
        add_list(&out);
    } else {
        char *folder = data_find_pages(&diag);
        res = folder ? STATUS_OK : STATUS_TROUBLE;
        for (size_t i = 0; res != STATUS_TROUBLE && i < o->operands.count; ++i) {
            bool known;
            if (!add_pages(&out, folder, o->operands.items[i], &known, &diag))
                res = STATUS_TROUBLE;
            else if (!known)
                res = STATUS_FOUND;
        }
        free(folder);
    }
    if (out.len && !write_stdout(out.text, out.len, &diag))
        res = STATUS_TROUBLE;
    diag_flush(&diag, stderr);
    diag_release(&diag);
    strbuf_release(&out);
    return res;
}
