#include <config.h>

#include "report/summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/i18n.h"
#include "base/xalloc.h"

/* One reason for what is not understood, with the first place. */
struct summary_reason {
    uint64_t tokens;
    uint64_t places;
    char *text; /* what the reader stopped at */
    char *file;
    struct location at;
};

struct summary_code {
    uint64_t tokens;
    uint64_t opaque;
    struct summary_reason reasons[TOK_COUNT]; /* as those of struct measure */
};

void summary_add_findings(struct summary *summary, const struct findings *findings)
{
    vec_each (const struct finding, f, &findings->list)
        summary->found[finding_level(f)]++;
    summary->suppressed += findings->suppressed;
}

static struct summary_code *code_of(struct summary *summary)
{
    if (!summary->code)
        summary->code = xcalloc(1, sizeof *summary->code);
    return summary->code;
}

void summary_add_measure(struct summary *summary, struct source *source,
                         const struct measure *measure)
{
    const struct unit *unit = measure->unit;
    struct summary_code *code = code_of(summary);
    code->tokens += measure->tokens;
    code->opaque += measure->opaque;
    for (int kind = 0; kind < TOK_COUNT; ++kind) {
        const struct measure_reason *from = &measure->reasons[kind];
        struct summary_reason *to = &code->reasons[kind];
        if (!from->places)
            continue;
        *to = (struct summary_reason){
            .tokens = from->tokens,
            .places = from->places,
            .text = xstrdup(unit_quote(unit, (struct range){from->first, from->first + 1})),
            .file = xstrdup(source->name),
            .at = source_location(source, unit_token(unit, from->first)->offset),
        };
    }
}

static void add_code(struct summary *total, const struct summary_code *one)
{
    struct summary_code *code = code_of(total);
    code->tokens += one->tokens;
    code->opaque += one->opaque;
    for (int kind = 0; kind < TOK_COUNT; ++kind) {
        const struct summary_reason *from = &one->reasons[kind];
        struct summary_reason *to = &code->reasons[kind];
        if (!to->places && from->places) {
            to->text = xstrdup(from->text);
            to->file = xstrdup(from->file);
            to->at = from->at;
        }
        to->tokens += from->tokens;
        to->places += from->places;
    }
}

void summary_add(struct summary *total, const struct summary *one)
{
    total->files += one->files;
    total->changed += one->changed;
    total->suppressed += one->suppressed;
    for (int level = LEVEL_NOTE; level <= LEVEL_ERROR; ++level)
        total->found[level] += one->found[level];
    if (one->code)
        add_code(total, one->code);
}

void summary_release(struct summary *summary)
{
    for (int kind = 0; summary->code && kind < TOK_COUNT; ++kind) {
        free(summary->code->reasons[kind].text);
        free(summary->code->reasons[kind].file);
    }
    free(summary->code);
    summary->code = NULL;
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

/* The commonest reason among those that are at most as common as BEFORE (NULL: any), and behind it
   in the table where they are as common; NULL where there is none. */
static const struct summary_reason *next_reason(const struct summary_code *code,
                                                const struct summary_reason *before)
{
    const struct summary_reason *res = NULL;
    for (const struct summary_reason *r = code->reasons; r < code->reasons + TOK_COUNT; ++r) {
        bool later =
            !before || r->tokens < before->tokens || (r->tokens == before->tokens && before < r);
        if (r->places && later && (!res || res->tokens < r->tokens))
            res = r;
    }
    return res;
}

static void add_reason(struct diag *diag, const struct summary_reason *reason, bool deep)
{
    char tokens[PHRASE], places[PHRASE];
    struct diag_place place = {reason->file, reason->at.line, reason->at.column};
    phrase(tokens, ngettext("%zu token", "%zu tokens", reason->tokens), reason->tokens);
    phrase(places, ngettext("%zu place", "%zu places", reason->places), reason->places);
    if (deep)
        /* TRANSLATORS: %s are "7 tokens" and "1 place". */
        diag_add(diag, DIAG_NOTE, place, _("nested too deep: %s in %s, first here"), tokens,
                 places);
    else
        /* TRANSLATORS: the first %s is a piece of source, the others "7 tokens" and "1 place". */
        diag_add(diag, DIAG_NOTE, place, _("not understood from '%s' on: %s in %s, first here"),
                 reason->text, tokens, places);
}

bool summary_code_figures(const struct summary *summary, uint64_t *tokens, uint64_t *opaque)
{
    if (!summary->code)
        return false;
    *tokens = summary->code->tokens;
    *opaque = summary->code->opaque;
    return true;
}

void summary_add_code_text(const struct summary *summary, struct strbuf *out)
{
    enum { MAX_REASONS = 5 };
    const struct summary_code *code = summary->code;
    if (!code)
        return;
    char tokens[PHRASE];
    struct diag diag = DIAG_INIT;
    unsigned share = measure_share(code->tokens, code->opaque);
    phrase(tokens, ngettext("%zu token", "%zu tokens", code->tokens), code->tokens);
    /* TRANSLATORS: %s is "7 tokens", the numbers a percentage such as 99.50. */
    diag_add(&diag, DIAG_NOTE, (struct diag_place){0},
             _("device code: %s, of which %u.%02u %% are understood"), tokens, share / 100,
             share % 100);
    const struct summary_reason *reason = NULL;
    for (int i = 0; i < MAX_REASONS && (reason = next_reason(code, reason)); ++i)
        add_reason(&diag, reason, reason == &code->reasons[TOK_EOF]);
    strbuf_add(out, diag.text.text, diag.text.len);
    diag_release(&diag);
}
