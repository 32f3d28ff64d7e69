#include <config.h>

#include "annotate/allow.h"

#include <stdlib.h>
#include <string.h>

#include "parser/unit.h"

/* A name in a comment. */
struct allow {
    struct span span; /* of the name */
    const struct comment *comment;
    unsigned line;    /* that it is for; 0: the whole file */
    const char *name; /* the registry's own, of a rule or a category */
    bool quiet;       /* where it is, nobody can say that it is unused */
    bool used;
};

struct allows {
    struct translation *t;
    const bool *rule_off;
    VEC(struct allow) list;    /* in the order of the source */
    VEC(struct allow *) index; /* by line, then name */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_name(char c)
{
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-' ||
           c == '_';
}

/* OFFSET without the blanks before it; and without those behind. */
static size_t before_blanks(const struct source *source, size_t offset)
{
    size_t text = source_text_begin(source);
    while (text < offset && is_blank(source->text[offset - 1]))
        --offset;
    return offset;
}

static size_t behind_blanks(const struct source *source, size_t offset)
{
    while (offset < source->len && is_blank(source->text[offset]))
        ++offset;
    return offset;
}

/* Whether nothing but blanks stands before OFFSET on its line. */
static bool begins_line(const struct source *source, size_t offset)
{
    offset = before_blanks(source, offset);
    return offset == source_text_begin(source) || source->text[offset - 1] == '\n';
}

/* The line that COMMENT is for. */
static unsigned line_of(const struct allows *a, const struct comment *comment)
{
    struct source *source = &a->t->source;
    unsigned line = source_location(source, comment->offset).line;
    if (!begins_line(source, comment->offset))
        return line;
    return source_location(source, unit_token(a->t->unit, comment->token)->offset).line;
}

/* Takes the name of LEN bytes at OFFSET. */
static void add_name(struct allows *a, size_t offset, size_t len, struct allow allow)
{
    enum { LONGEST = 100 };
    char name[LONGEST + 1];
    allow.span = (struct span){(uint32_t)offset, (uint32_t)(offset + len)};
    len = len < LONGEST ? len : LONGEST;
    memcpy(name, a->t->source.text + offset, len);
    name[len] = '\0';
    enum rule_id rule;
    allow.name = rule_find(name, &rule) ? rule_get(rule)->name : rule_category_find(name);
    if (allow.name)
        *vec_push(&a->list) = allow;
    else if (!allow.quiet && !a->rule_off[RULE_ALLOW_UNKNOWN])
        findings_add(&a->t->findings, RULE_ALLOW_UNKNOWN, allow.span, name, NULL, NULL);
}

/* Takes the names between AT and END, with commas between them; what follows is the reason. */
static void add_names(struct allows *a, const char *at, const char *end, struct allow allow)
{
    const char *text = a->t->source.text;
    for (;;) {
        const char *begin = at;
        while (at < end && is_name(*at))
            ++at;
        /* What cannot be a name is told as a whole. */
        if (at == begin)
            while (at < end && !is_blank(*at) && *at != ',')
                ++at;
        if (at == begin)
            return;
        add_name(a, (size_t)(begin - text), (size_t)(at - begin), allow);
        while (at < end && is_blank(*at))
            ++at;
        if (at == end || *at != ',')
            return;
        ++at;
        while (at < end && is_blank(*at))
            ++at;
    }
}

/* Goes over blanks and WORD; false where it does not stand there. */
static bool skip_word(const char **at, const char *end, const char *word)
{
    size_t len = strlen(word);
    while (*at < end && is_blank(**at))
        ++*at;
    if ((size_t)(end - *at) < len || memcmp(*at, word, len) != 0)
        return false;
    *at += len;
    return true;
}

static void look_at(struct allows *a, const struct comment *comment)
{
    const char *at = a->t->source.text + comment->offset + 2, *end = at + comment->length - 2;
    if (at[-1] == '*' && 2 <= end - at && !memcmp(end - 2, "*/", 2))
        end -= 2;
    if (!skip_word(&at, end, "hipwright:") || !skip_word(&at, end, "allow"))
        return;
    bool whole = at < end && *at == '-' && skip_word(&at, end, "-file");
    if (at == end || !is_blank(*at))
        return;
    while (at < end && is_blank(*at))
        ++at;
    const struct token *next = unit_token(a->t->unit, comment->token);
    struct allow allow = {.comment = comment,
                          .line = whole ? 0 : line_of(a, comment),
                          .quiet = token_region(next) == REGION_CUDA};
    add_names(a, at, end, allow);
}

static int compare(unsigned line, const char *name, const struct allow *other)
{
    if (line != other->line)
        return line < other->line ? -1 : 1;
    return strcmp(name, other->name);
}

static int compare_allows(const void *va, const void *vb)
{
    const struct allow *const *a = va, *const *b = vb;
    int res = compare((*a)->line, (*a)->name, *b);
    return res ? res : (*b < *a) - (*a < *b);
}

static void make_index(struct allows *a)
{
    vec_each (struct allow, allow, &a->list)
        *vec_push(&a->index) = allow;
    qsort(a->index.items, a->index.count, sizeof *a->index.items, compare_allows);
}

/* Whether a comment for LINE names NAME; the first one is then used. */
static bool use(struct allows *a, unsigned line, const char *name)
{
    size_t low;
    vec_search(low, a->index.count, 0 < compare(line, name, a->index.items[low]));
    if (low == a->index.count || compare(line, name, a->index.items[low]))
        return false;
    return a->index.items[low]->used = true;
}

static bool is_silenced_on(struct allows *a, unsigned line, enum rule_id rule)
{
    bool by_rule = use(a, line, rule_get(rule)->name),
         by_category = use(a, line, rule_category(rule));
    return by_rule || by_category;
}

/* Names that say the same as a used one before are used too. */
static void share_use(struct allows *a)
{
    for (size_t i = 1; i < a->index.count; ++i) {
        const struct allow *before = a->index.items[i - 1];
        if (before->used && !compare(before->line, before->name, a->index.items[i]))
            a->index.items[i]->used = true;
    }
}

/* The offset of the # of the directive that OFFSET lies in, or OFFSET. */
static size_t begin_of_directive(const struct unit *unit, size_t offset)
{
    size_t low;
    vec_search(low, unit->directives.count,
               unit_token(unit, unit->directives.items[low].tokens.begin)->offset <= offset);
    if (!low)
        return offset;
    const struct directive *d = &unit->directives.items[low - 1];
    size_t end = unit_token(unit, d->tokens.end - 1)->offset;
    return offset < end ? unit_token(unit, d->tokens.begin)->offset : offset;
}

static bool is_silenced(struct allows *a, const struct finding *finding)
{
    struct source *source = &a->t->source;
    size_t begin = finding->span.begin, end = finding->span.end;
    unsigned lines[] = {0, source_location(source, begin_of_directive(a->t->unit, begin)).line,
                        source_location(source, begin).line,
                        source_location(source, begin < end ? end - 1 : end).line};
    bool res = false;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
        if (i == 0 || lines[i] != lines[i - 1])
            res = is_silenced_on(a, lines[i], finding->rule) || res;
    return res;
}

/* Whether a rule that ALLOW means could have found something. */
static bool could_be_used(const struct allows *a, const struct allow *allow)
{
    for (int i = 0; i < RULE_COUNT; ++i) {
        enum rule_id rule = (enum rule_id)i;
        bool meant = allow->name == rule_get(rule)->name || allow->name == rule_category(rule);
        bool may_miss = a->t->hip && (rule_reads_cuda(rule) || rule_doubts_hip(rule));
        if (meant && !a->rule_off[i] && !may_miss)
            return true;
    }
    return false;
}

/* What goes with a comment: its line, or the blanks that set it apart from the code. */
static struct span all_of(const struct source *source, const struct comment *comment)
{
    size_t begin = comment->offset, end = begin + comment->length;
    size_t blanks = behind_blanks(source, end), line_end = source_line_end(source, end);
    if (blanks < line_end)
        end = begins_line(source, begin) ? blanks : end; /* code follows */
    else if (!begins_line(source, begin))
        begin = before_blanks(source, begin);
    else {
        begin = before_blanks(source, begin);
        end = line_end;
        end += end < source->len && source->text[end] == '\r';
        end += end < source->len && source->text[end] == '\n';
    }
    return (struct span){(uint32_t)begin, (uint32_t)end};
}

/* Whether ALLOW should have silenced something, and did not. */
static bool is_unused(const struct allows *a, const struct allow *allow)
{
    return !allow->used && !allow->quiet && could_be_used(a, allow);
}

/* What to delete for the unused FIRST[I] of the COUNT names of a comment, of which FIRST[STAYS] is
   the first that is not unused. */
static struct span unused_part(const struct allows *a, const struct allow *first, size_t count,
                               size_t i, size_t stays)
{
    if (stays == count)
        return all_of(&a->t->source, first->comment);
    /* With the comma towards a name that stays, so that the parts do not overlap. */
    if (i < stays)
        return (struct span){first[i].span.begin, first[i + 1].span.begin};
    return (struct span){first[i - 1].span.end, first[i].span.end};
}

/* Whether NAME is about comments such as these. */
static bool is_about_us(const char *name)
{
    return !strncmp(name, "allow", strlen("allow"));
}

/* Reports the unused ones of the COUNT names at FIRST, which stand in one comment: those about
   comments such as these if ABOUT_US, else the others, which may need the former. */
static void report_unused(struct allows *a, const struct allow *first, size_t count, bool about_us)
{
    size_t stays = 0;
    while (stays < count && is_unused(a, &first[stays]))
        ++stays;
    for (size_t i = 0; i < count; ++i) {
        const struct allow *allow = &first[i];
        if (is_about_us(allow->name) != about_us || !is_unused(a, allow))
            continue;
        if (is_silenced_on(a, 0, RULE_ALLOW_UNUSED) ||
            is_silenced_on(a, allow->line, RULE_ALLOW_UNUSED)) {
            a->t->findings.suppressed++;
            continue;
        }
        struct finding *f =
            findings_add(&a->t->findings, RULE_ALLOW_UNUSED, allow->span, allow->name, NULL, NULL);
        /* Another target may need it. */
        finding_add_edit(f, FIX_UNSAFE, unused_part(a, first, count, i, stays), "");
    }
}

static void report_all_unused(struct allows *a)
{
    for (int about_us = 0; about_us < 2; ++about_us) {
        share_use(a);
        for (size_t i = 0, count; i < a->list.count; i += count) {
            const struct allow *first = &a->list.items[i];
            count = 1;
            while (i + count < a->list.count && first[count].comment == first->comment)
                ++count;
            report_unused(a, first, count, about_us);
        }
    }
}

static void drop_silenced(struct allows *a)
{
    struct findings *findings = &a->t->findings;
    size_t kept = 0;
    vec_each (const struct finding, f, &findings->list) {
        if (is_silenced(a, f)) {
            findings->suppressed++;
            *vec_push(&findings->silenced) = *f;
        } else
            findings->list.items[kept++] = *f;
    }
    findings->list.count = kept;
}

void allows_apply(struct translation *t, const bool *rule_off)
{
    struct allows a = {.t = t, .rule_off = rule_off};
    vec_each (const struct comment, comment, &t->unit->tokens.comments)
        look_at(&a, comment);
    if (a.list.count) {
        make_index(&a);
        drop_silenced(&a);
        if (!rule_off[RULE_ALLOW_UNUSED])
            report_all_unused(&a);
    }
    findings_sort(&t->findings);
    vec_release(&a.index);
    vec_release(&a.list);
}
