#include <config.h>

#include "annotate/ptx.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/gpu/expr.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "testsuite/unit/suite.h"

static struct arena arena;

static void tear_down(void)
{
    arena_release(&arena);
}

static struct ptx read_text(const char *text)
{
    struct ptx res;
    ptx_read(&res, text, strlen(text), &arena);
    return res;
}

static const struct {
    const char *text;
    unsigned count;
    const char *instruction; /* NULL: none */
    int kind;                /* enum ptx_kind, or -1: not known */
} texts[] = {
    {"", 0, NULL, -1},
    {" \n\t", 0, NULL, -1},
    {"// trap;", 0, NULL, -1},
    {"/* trap;", 0, NULL, -1},
    {"{}", 0, NULL, -1},
    {";;", 0, NULL, -1},
    {".reg .b32 t;", 0, NULL, -1},
    {"trap", 1, "trap", PTX_INLINE},
    {"trap; exit;", 2, "trap", PTX_INLINE},
    {"nothing.u32 a; trap;", 2, "trap", PTX_INLINE},
    {"add.u32 a, b,\n  c; // ; mma", 1, "add.u32 a, b, c", PTX_INLINE},
    {"{ .reg .pred p; setp.ne.s32 p, %0, 0; @!p bra L; L: bar.sync 1, %1; }", 3, "bar.sync 1, %1",
     PTX_BARRIER},
    {"mov.u32 %0, %laneid;", 1, "mov.u32 %0, %laneid", PTX_SPECIAL_REGISTER},
    {"cvt.u64.u32 %0, %smid;", 1, "cvt.u64.u32 %0, %smid", PTX_SPECIAL_REGISTER},
    {"mov.u32 %0, %laneids;", 1, "mov.u32 %0, %laneids", PTX_INLINE},
    {"mov.b32 %0, {%1, %2};", 1, "mov.b32 %0, {%1, %2}", PTX_INLINE},
    {"mma.sync.x; cp.async.ca.y z;", 2, "mma.sync.x", MATRIX_PTX},
    {"cp.async.ca.y z; mma.sync.x;", 2, "mma.sync.x", MATRIX_PTX},
    {"cp.asynchronous z;", 1, "cp.asynchronous z", -1},
    {"mbarrier.init.shared::cta.b64 [%0], 1;", 1, "mbarrier.init.shared::cta.b64 [%0], 1",
     PTX_ASYNC_COPY},
    {"v_mov_b32 v0, v1", 1, "v_mov_b32 v0, v1", -1},
    {"=;,;", 0, NULL, -1},
};

START_TEST(reads_instructions)
{
    struct ptx ptx = read_text(texts[_i].text);
    ck_assert_msg(ptx.count == texts[_i].count, "%s: %u", texts[_i].text, ptx.count);
    ck_assert_pstr_eq(ptx.instruction, texts[_i].instruction);
    ck_assert_msg(texts[_i].kind == -1 ? !ptx.entry
                                       : ptx.entry && (int)ptx.entry->kind == texts[_i].kind,
                  "%s", texts[_i].text);
}
END_TEST

/* What stands for a lop3 is the function of its table: bit 4a + 2b + c of the number. */
START_TEST(logic_is_that_of_the_table)
{
    static const struct expr_name names[] = {{"a", EXPR_UINT}, {"b", EXPR_UINT}, {"c", EXPR_UINT}};
    unsigned found = 0;
    for (unsigned table = 0; table < 256; ++table) {
        struct ptx ptx =
            read_text(arena_printf(&arena, "lop3.b32 %%0, %%1, %%2, %%3, 0x%02x;", table));
        const char *code = ptx.entry ? ptx.entry->code : NULL;
        if (!code)
            continue;
        ++found;
        struct strbuf text = STRBUF_INIT;
        for (code += strlen("$0 = "); *code; ++code)
            if (*code != '$')
                strbuf_addc(&text, *code);
            else
                strbuf_addc(&text, (char)('a' + *++code - '1'));
        struct expr_error error = {0};
        int64_t value;
        const struct expr *expr = expr_parse(text.text, names, 3, &arena, &error);
        ck_assert_msg(expr != NULL, "%s", text.text);
        ck_assert(expr_evaluate(expr, (int64_t[]){0xf0, 0xcc, 0xaa}, &value, &error));
        ck_assert_msg((value & 0xff) == table, "%s is %x, not %x", text.text,
                      (unsigned)value & 0xff, table);
        strbuf_release(&text);
    }
    ck_assert_uint_eq(found, 4);
}
END_TEST

START_TEST(long_texts_are_shortened)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, "mma.sync ");
    for (int i = 0; i < 20000; ++i)
        strbuf_adds(&text, i % 3 ? "@x: {ä " : "/*");
    struct ptx ptx;
    ptx_read(&ptx, text.text, text.len, &arena);
    ck_assert(strlen(ptx.instruction) <= 60);
    ptx_read(&ptx, "mma\0;\1\x7f", 7, &arena);
    ck_assert_str_eq(ptx.opcode, "mma");
    strbuf_release(&text);
}
END_TEST

START_TEST(knows_what_is_certain)
{
    ck_assert(ptx_is_certain("mov.u32"));
    ck_assert(ptx_is_certain("mma.sync.aligned"));
    ck_assert(!ptx_is_certain("mov"));
    ck_assert(!ptx_is_certain("add.w"));
    ck_assert(!ptx_is_certain("x.u32x"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ptx");
    TCase *tcase = tcase_create("texts");
    tcase_add_checked_fixture(tcase, NULL, tear_down);
    tcase_add_loop_test(tcase, reads_instructions, 0, (int)(sizeof texts / sizeof *texts));
    tcase_add_test(tcase, logic_is_that_of_the_table);
    tcase_add_test(tcase, long_texts_are_shortened);
    tcase_add_test(tcase, knows_what_is_certain);
    suite_add_tcase(suite, tcase);

    return run_suite(suite);
}
