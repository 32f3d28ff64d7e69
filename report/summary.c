#include <config.h>

#include "report/summary.h"

#include <stdio.h>

#include "base/i18n.h"

void summary_add_findings(struct summary *summary, const struct findings *findings)
{
    vec_each (const struct finding, f, &findings->list)
        summary->found[finding_level(f)]++;
    summary->suppressed += findings->suppressed;
}

enum { PHRASE = 128 };

static const char *phrase(char buf[PHRASE], const char *format, size_t count)
{
    snprintf(buf, PHRASE, format, count);
    return buf;
}

void summary_add_text(const struct summary *s, struct strbuf *out)
{
    char files[PHRASE], errors[PHRASE], warnings[PHRASE], notes[PHRASE];
    if (!s->files)
        return; /* none could be read, which was said */
    size_t e = s->found[LEVEL_ERROR], w = s->found[LEVEL_WARNING], n = s->found[LEVEL_NOTE];
    phrase(files, ngettext("%zu file", "%zu files", s->files), s->files);
    if (!e && !w && !n) {
        /* TRANSLATORS: %s is "1 file" or "3 files". */
        strbuf_printf(out, _("hipwright: %s: nothing to report\n"), files);
        return;
    }
    /* TRANSLATORS: "3 files: 1 error, 2 warnings, 0 notes"; each %s is one of these counts. */
    strbuf_printf(out, _("hipwright: %s: %s, %s, %s\n"), files,
                  phrase(errors, ngettext("%zu error", "%zu errors", e), e),
                  phrase(warnings, ngettext("%zu warning", "%zu warnings", w), w),
                  phrase(notes, ngettext("%zu note", "%zu notes", n), n));
}
