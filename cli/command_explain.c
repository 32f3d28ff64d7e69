/* hipwright explain: what a rule finds, why it matters, what to do, how to silence it.

   The pages are files (annotate/pages/), English like everything that is written into sources and
   documents; doc/rules.txt holds all of them.  */
#include <config.h>

#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "cli/data.h"
#include "cli/nearest.h"
#include "cli/page.h"
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

static void say_unknown(const char *name, struct diag *diag)
{
    struct nearest nearest;
    nearest_begin(&nearest, name);
    for (int i = 0; i < RULE_COUNT; ++i) {
        nearest_offer(&nearest, rule_category((enum rule_id)i));
        nearest_offer(&nearest, rule_get(i)->name);
    }
    diag_add(diag, DIAG_WARNING, (struct diag_place){0},
             _("there is no rule or category '%s'; 'hipwright explain --list' shows all"), name);
    nearest_tell(&nearest, diag);
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
        if (out->len)
            strbuf_adds(out, "\n\n");
        if (!page_add(out, folder, id, diag))
            return false;
    }
    if (!*known)
        say_unknown(name, diag);
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
