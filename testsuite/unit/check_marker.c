/* Markers, tried with a finding at every token of every source of the tests: the tokens of the file
   are the same with and without them, taking them out restores it byte for byte, and marking again
   changes nothing. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "annotate/allow.h"
#include "base/xalloc.h"
#include "parser/unit.h"
#include "report/marker.h"
#include "testsuite/unit/assert.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

static struct map *facts;
static struct sources files;

static char *padded(const char *text, size_t len)
{
    char *res = xcalloc(len + SOURCE_PADDING, 1);
    if (len)
        memcpy(res, text, len);
    return res;
}

static struct text text_of(const struct translation *t)
{
    struct strbuf out = STRBUF_INIT;
    translation_text(t, &out);
    strbuf_add(&out, "", 0);
    return (struct text){out.text, out.len};
}

static struct text strip(const char *text, size_t len)
{
    struct source source;
    struct edits edits = {0};
    struct strbuf out = STRBUF_INIT;
    source_init(&source, "k.cu", padded(text, len), len);
    markers_strip(&source, &edits);
    edits_apply(&edits, &source, &out);
    strbuf_add(&out, "", 0);
    edits_release(&edits);
    source_release(&source);
    return (struct text){out.text, out.len};
}

/* What might disturb a comment: its end, its begin, line ends, what joins lines. */
static const char *const nasty[] = {"a",    "*/", "/*/ */*",    "x \\",
                                    "?\?/", "\n", "\r\nint i;", "\\ \t"};

/* The LEN bytes of TEXT with markers for a finding at every STEP-th token, of a rule that is not
   CUDA's; translated with MAP. PLAIN gets the same without markers. */
static struct text mark(const char *name, const char *text, size_t len, const struct map *map,
                        uint32_t step, struct text *plain)
{
    struct translate_options options = {
        .map = map, .hip_version = map_newest_hip(map), .launch = LAUNCH_FUNCTION};
    struct translation t;
    translate(&t, name, padded(text, len), len, &options);
    if (plain)
        *plain = text_of(&t);
    t.findings.list.count = 0;
    static const bool rule_off[RULE_COUNT];
    allows_apply(&t, rule_off);
    for (uint32_t i = 0; i < t.unit->tokens.list.count; i += step) {
        struct range range = {i, i + 1};
        struct finding *f =
            findings_add(&t.findings, RULE_PTX_INLINE, unit_span(t.unit, range), NULL, NULL, NULL);
        f->advice = nasty[i / step % (sizeof nasty / sizeof *nasty)];
    }
    markers_add(&t);
    struct text res = text_of(&t);
    translation_release(&t);
    return res;
}

/* The tokens of a text, without its comments. */
struct scan {
    struct arena arena;
    struct symbol_table symbols;
    struct source source;
    struct unit unit;
    struct diag diag;
};

static void scan(struct scan *s, struct text text)
{
    *s = (struct scan){.diag = DIAG_INIT};
    source_init(&s->source, "k.cu", padded(text.bytes, text.len), text.len);
    symbol_table_init(&s->symbols, &s->arena, NULL, NULL);
    unit_parse(&s->unit, &s->source, &s->symbols, &s->arena, &s->diag);
}

static void scan_release(struct scan *s)
{
    unit_release(&s->unit);
    symbol_table_release(&s->symbols);
    source_release(&s->source);
    diag_release(&s->diag);
    arena_release(&s->arena);
}

static void check_tokens(const char *name, struct text a, struct text b)
{
    struct scan sa, sb;
    scan(&sa, a);
    scan(&sb, b);
    ck_assert_msg(sa.unit.tokens.list.count == sb.unit.tokens.list.count,
                  "%s: markers add or hide tokens", name);
    enum { SAME = TOKEN_LINE_START | TOKEN_DIRECTIVE | TOKEN_MACRO_BODY | TOKEN_SPACE_BEFORE };
    for (uint32_t i = 0; i < sa.unit.tokens.list.count; ++i) {
        const struct token *ta = unit_token(&sa.unit, i), *tb = unit_token(&sb.unit, i);
        ck_assert_msg(ta->kind == tb->kind && (ta->flags & SAME) == (tb->flags & SAME) &&
                          ta->length == tb->length &&
                          !memcmp(a.bytes + ta->offset, b.bytes + tb->offset, ta->length),
                      "%s: token %u is another one with markers", name, i);
    }
    scan_release(&sa);
    scan_release(&sb);
}

static void check_same(const char *name, const char *what, struct text a, struct text b)
{
    ck_assert_msg(a.len == b.len && !memcmp(a.bytes, b.bytes, a.len), "%s: %s", name, what);
}

static void check_text(const char *name, const char *text, size_t len, const struct map *map,
                       uint32_t step)
{
    struct text clean = strip(text, len), plain;
    struct text marked = mark(name, clean.bytes, clean.len, map, step, &plain);
    ck_assert_msg(plain.len < marked.len, "%s: nothing is marked", name);
    check_tokens(name, plain, marked);
    struct text stripped = strip(marked.bytes, marked.len);
    check_same(name, "strip does not restore it", plain, stripped);
    struct text again = mark(name, marked.bytes, marked.len, map, step, NULL);
    struct text once = mark(name, plain.bytes, plain.len, map, step, NULL);
    check_same(name, "old markers are not replaced", again, once);
    free(clean.bytes);
    free(plain.bytes);
    free(marked.bytes);
    free(stripped.bytes);
    free(again.bytes);
    free(once.bytes);
}

START_TEST(sources)
{
    const char *name = files.list.items[_i];
    struct text text = read_text(name);
    check_text(name, text.bytes, text.len, facts, 1);
    check_text(name, text.bytes, text.len, facts, 7);
    free(text.bytes);
}
END_TEST

/* Where no line may be put between: what each text is to become, with a finding at its last token.
 */
static const struct {
    const char *text, *marked;
} places[] = {
    {"\tx;", "\t@\n\tx;"},
    {"a\r\n  x\r\n", "a\r\n  @\r\n  x\r\n"},
    {"\xef\xbb\xbfx\n", "\xef\xbb\xbf@\nx\n"},
    {"#define A \\\n  b \\\n  x\n", "@\n#define A \\\n  b \\\n  x\n"},
    {"  # define A /* b\n*/ x\n", "  @\n  # define A /* b\n*/ x\n"},
    {"a = \\\n\n  \\  \n x", "a = \\\n\n  @\n  \\  \n x"},
    {"a /* b\nc */ x", "@\na /* b\nc */ x"},
    {"a // b \\\n c\nx", "a // b \\\n c\n@\nx"},
    {"R\"(\n)\" x", "@\nR\"(\n)\" x"},
    {"/* a\n*/ R\"(\n)\" \"\\\n\" x", "@\n/* a\n*/ R\"(\n)\" \"\\\n\" x"},
    {"f(\"a\"\n\"b\",\n  x", "f(\"a\"\n\"b\",\n  @\n  x"},
    {"if (a)\n    b;\nelse\n    x", "if (a)\n    b;\nelse\n    @\n    x"},
    {"#if A\n#else\nx", "#if A\n#else\n@\nx"},
};

START_TEST(the_place)
{
    const char *text = places[_i].text;
    struct translate_options options = {.map = facts};
    struct translation t;
    translate(&t, "k.cu", padded(text, strlen(text)), strlen(text), &options);
    uint32_t x = (uint32_t)(strrchr(text, 'x') - text);
    /* A rule that says nothing of what to do: the marker is one line. */
    findings_add(&t.findings, RULE_LIBRARY_PARTIAL, (struct span){x, x + 1}, NULL, NULL, NULL)
        ->effect = EFFECT_THROUGHPUT;
    markers_add(&t);
    struct text res = text_of(&t);
    char *begin = strstr(res.bytes, "// hipwright: warning: ");
    begin = begin ? begin : strstr(res.bytes, "/* hipwright: warning: ");
    ck_assert_ptr_nonnull(begin);
    struct strbuf out = STRBUF_INIT;
    strbuf_add(&out, res.bytes, (size_t)(begin - res.bytes));
    strbuf_adds(&out, "@");
    strbuf_adds(&out, begin + strcspn(begin, "\r\n"));
    ck_assert_str_eq(out.text, places[_i].marked);
    strbuf_release(&out);
    free(res.bytes);
    translation_release(&t);
}
END_TEST

/* Lines that are no markers stay. */
START_TEST(not_markers)
{
    static const char text[] = "// hipwright: allow lds-padding\n"
                               "//hipwright: warning: x\n"
                               "// hipwright: warning\n"
                               "// hipwright: remark: x\n"
                               "x; // hipwright: warning: x\n"
                               "/* hipwright: warning: x */ y;\n"
                               "// hipwright: warning: x \\\n z\n"
                               "/* hipwright: warning:\n x */\n"
                               "#define A \\\n"
                               "  /* hipwright: warning: x */\n"
                               "const char *s = R\"(\n"
                               "// hipwright: warning: x\n"
                               ")\";\n";
    struct text res = strip(text, sizeof text - 1);
    ck_assert_str_eq(res.bytes, text);
    free(res.bytes);
    static const char marked[] = "a\n\t/* hipwright: TODO: x */\r\nb\n// hipwright: note: x";
    res = strip(marked, sizeof marked - 1);
    ck_assert_str_eq(res.bytes, "a\nb\n");
    free(res.bytes);
}
END_TEST

/* What a translation alone can find stays marked in its result. */
START_TEST(kept_in_hip)
{
    static const char text[] = "#include <hip/hip_runtime.h>\n"
                               "// hipwright: error: x [api-meaning]\n"
                               "// hipwright: TODO: x\n"
                               "// hipwright: error: x [ptx-inline]\n"
                               "// hipwright: TODO: y\n"
                               "int i;\n";
    struct text res = mark("k.cu", text, sizeof text - 1, facts, 1000, NULL);
    ck_assert_ptr_nonnull(strstr(res.bytes, "x [api-meaning]\n// hipwright: TODO: x\nint i;"));
    ck_assert_ptr_null(strstr(res.bytes, "TODO: y"));
    free(res.bytes);
}
END_TEST

/* Time must not grow faster than the input. */
static const char *const shapes[] = {
    "\\\n",
    "x; \\\n",
    "x; /*\n*/",
    "x; ",
    "                \\\n",
    "// hipwright: error: x [api-meaning]\n",
    "// hipwright: TODO: x\n",
    "// hipwright: allow ptx, api\n",
    "/* hipwright: allow ptx */ x; ",
    "#define A \\\n",
    "R\"(\n)\" x",
};

START_TEST(hostile)
{
    const char *shape = shapes[_i];
    size_t len = strlen(shape), count = 400000 / len;
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, "#include <hip/hip_runtime.h>\n");
    for (size_t i = 0; i < count; ++i)
        strbuf_add(&text, shape, len);
    strbuf_adds(&text, "\nx");
    free(mark("hostile", text.text, text.len, facts, 1, NULL).bytes);
    strbuf_release(&text);
}
END_TEST

int main(void)
{
    facts = load_facts();
    collect_sources(&files);
    Suite *suite = suite_create("marker");
    TCase *tcase = tcase_create("marker");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, sources, 0, (int)files.list.count);
    tcase_add_loop_test(tcase, the_place, 0, (int)(sizeof places / sizeof *places));
    tcase_add_loop_test(tcase, hostile, 0, (int)(sizeof shapes / sizeof *shapes));
    tcase_add_test(tcase, not_markers);
    tcase_add_test(tcase, kept_in_hip);
    suite_add_tcase(suite, tcase);
    int status = run_suite(suite);
    map_free(facts);
    release_sources(&files);
    return status;
}
