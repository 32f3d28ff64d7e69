/* The lexer: lossless for any bytes, exact about kinds, extents and flags, and the same with and
   without line splices. */
#include <config.h>

#include "lexer/lexer.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "testsuite/unit/suite.h"

struct scan {
    struct source source;
    struct arena arena;
    struct symbol_table symbols;
    struct tokens tokens;
};

static void on_new(struct symbol *symbol, void *context)
{
    lexer_on_new(symbol, context);
    symbol->landmark = !strncmp(symbol->text, "mark", 4);
}

static void scan_release(struct scan *scan)
{
    lexer_release(&scan->tokens);
    symbol_table_release(&scan->symbols);
    arena_release(&scan->arena);
    source_release(&scan->source);
}

/* What may stand between tokens: white space and splices, and a BOM at the start. */
static bool is_blank(const char *text, size_t begin, size_t end)
{
    if (!begin && 3 <= end && !memcmp(text, "\xef\xbb\xbf", 3))
        begin = 3;
    for (size_t i = begin; i < end; ++i)
        if (!text[i] || !strchr(" \t\r\v\f\n\\", text[i]))
            return false;
    return true;
}

/* Tokens and comments in order, apart, with nothing but blanks between them. */
static bool is_lossless(const struct scan *scan)
{
    const struct source *source = &scan->source;
    const struct tokens *tokens = &scan->tokens;
    size_t at = 0, c = 0;
    for (size_t t = 0; t < tokens->list.count; ++t) {
        for (; c < tokens->comments.count && tokens->comments.items[c].token <= t; ++c) {
            const struct comment *comment = &tokens->comments.items[c];
            if (comment->offset < at || !is_blank(source->text, at, comment->offset))
                return false;
            at = comment->offset + comment->length;
        }
        const struct token *token = &tokens->list.items[t];
        if (token->offset < at || !is_blank(source->text, at, token->offset))
            return false;
        at = token->offset + token->length;
        if (token->kind == TOK_EOF && t + 1 != tokens->list.count)
            return false;
    }
    return at == source->len && c == tokens->comments.count && tokens->list.count &&
           tokens->list.items[tokens->list.count - 1].kind == TOK_EOF;
}

/* Scans LEN bytes of TEXT. The buffer is exactly as long as it must be, so that a sanitizer sees
   what reads beyond; it must be the same afterwards, and the tokens lossless. */
static void scan_bytes(struct scan *scan, const char *text, size_t len)
{
    char *copy = xmalloc(len + SOURCE_PADDING);
    memcpy(copy, text, len);
    memset(copy + len, 0, SOURCE_PADDING);
    *scan = (struct scan){.arena = ARENA_INIT};
    source_init(&scan->source, "test.cu", copy, len);
    symbol_table_init(&scan->symbols, &scan->arena, on_new, NULL);
    lexer_scan(&scan->tokens, &scan->source, &scan->symbols);
    ck_assert_msg(!memcmp(copy, text, len) && !copy[len] && !copy[len + 1],
                  "the source was changed: %s", text);
    ck_assert_msg(is_lossless(scan), "not lossless: %s", text);
}

static void scan_text(struct scan *scan, const char *text)
{
    scan_bytes(scan, text, strlen(text));
}

static const char *const flag_letters[] = {"!", "#", "b", "_", "u", "r", "s"};

/* The tokens and comments of SCAN, with " | " between them: the text of each, its kind before it
   where the text does not tell, and behind a '~' those of the flags that FLAGS asks for. The caller
   frees it. */
static char *dump(const struct scan *scan, unsigned flags)
{
    struct strbuf out = STRBUF_INIT;
    const struct tokens *tokens = &scan->tokens;
    size_t c = 0;
    for (size_t t = 0; t < tokens->list.count; ++t) {
        for (; c < tokens->comments.count && tokens->comments.items[c].token <= t; ++c) {
            const struct comment *comment = &tokens->comments.items[c];
            strbuf_adds(&out, out.len ? " | comment " : "comment ");
            strbuf_add(&out, scan->source.text + comment->offset, comment->length);
        }
        const struct token *token = &tokens->list.items[t];
        if (token->kind == TOK_EOF)
            break;
        if (out.len)
            strbuf_adds(&out, " | ");
        const char *text = scan->source.text + token->offset;
        if (token->kind == TOK_END_DIRECTIVE) {
            ck_assert_uint_eq(token->length, 0);
            strbuf_adds(&out, "end");
            continue;
        }
        /* "#define" is the word define behind a #. */
        const char *name = token_kind_name(token->kind);
        if (TOK_PP_DEFINE <= token->kind && token->kind <= TOK_PP_WARNING) {
            strbuf_addc(&out, '#');
            ++name;
        }
        if (strlen(name) != token->length || memcmp(name, text, token->length)) {
            strbuf_adds(&out, name);
            strbuf_addc(&out, ' ');
        }
        strbuf_add(&out, text, token->length);
        bool first = true;
        for (unsigned i = 0; i < sizeof flag_letters / sizeof *flag_letters; ++i)
            if (token->flags & flags & 1u << i) {
                strbuf_adds(&out, first ? "~" : "");
                strbuf_adds(&out, flag_letters[i]);
                first = false;
            }
    }
    strbuf_add(&out, "", 0);
    return out.text ? out.text : xstrdup("");
}

struct row {
    const char *text;
    const char *tokens;
};

static void check_row(const struct row *row, unsigned flags)
{
    struct scan scan;
    scan_text(&scan, row->text);
    char *res = dump(&scan, flags);
    ck_assert_msg(!strcmp(res, row->tokens), "\n  text: %s\n  is:   %s\n  want: %s", row->text, res,
                  row->tokens);
    free(res);
    scan_release(&scan);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct row kinds[] = {
    {"", ""},
    {" \t\r\v\f\n\n", ""},
    {"\\", "other byte \\"},
    {"a", "identifier a"},
    {"a b", "identifier a | identifier b"},
    {"_a1 $b c$d __x__", "identifier _a1 | identifier $b | identifier c$d | identifier __x__"},
    {"gr\xc3\xb6\xc3\x9f"
     "e \xe9t\xe9",
     "identifier gr\xc3\xb6\xc3\x9f"
     "e | identifier \xe9t\xe9"},
    {"a\\u00e9b \\U0001f600x", "identifier a\\u00e9b | other byte \\ | identifier U0001f600x"},
    {"a\\u12", "identifier a | other byte \\ | identifier u12"},
    /* keywords: the text tells the first spelling of a kind */
    {"__global__ __device__ __host__ __shared__",
     "__global__ | __device__ | __host__ | __shared__"},
    {"__constant__ __managed__ __launch_bounds__",
     "__constant__ | __managed__ | __launch_bounds__"},
    {"__grid_constant__ __noinline__ __forceinline__",
     "__grid_constant__ | __noinline__ | __forceinline__"},
    {"struct class union enum", "class struct | class | class union | enum"},
    {"int unsigned auto", "auto int | auto unsigned | auto"},
    {"return if sizeof", "asm return | asm if | sizeof"},
    {"static const", "const static | const"},
    {"global __global __global___",
     "identifier global | identifier __global | identifier __global___"},
    {"and or not xor bitand", "&& and | || or | ! not | ^ xor | & bitand"},
    {"and_eq not_eq compl", "&= and_eq | != not_eq | ~ compl"},
    /* numbers */
    {"0 1 42", "number 0 | number 1 | number 42"},
    {"1.5e+3 .5 1. 1.e-2f 1e5L",
     "number 1.5e+3 | number .5 | number 1. | number 1.e-2f | number 1e5L"},
    {"0x1F 0x1.8p-3 0b10'01 017u", "number 0x1F | number 0x1.8p-3 | number 0b10'01 | number 017u"},
    {"1'000'000ull 12_km 1.0_x", "number 1'000'000ull | number 12_km | number 1.0_x"},
    {"1+1 1e1+1 0xe+1", "number 1 | + | number 1 | number 1e1 | + | number 1 | number 0xe+1"},
    {"1..2 1...2", "number 1..2 | number 1...2"},
    {"a.5 x.y", "identifier a | number .5 | identifier x | . | identifier y"},
    {"1'a' 1''", "number 1'a | character ' 1' | character '"},
    {"f(1,'a')", "identifier f | ( | number 1 | , | character 'a' | )"},
    /* characters and strings */
    {"'a' '\\'' '\\\\' 'ab'",
     "character 'a' | character '\\'' | character '\\\\' | character 'ab'"},
    {"L'a' u'b' U'c' u8'd'", "character L'a' | character u'b' | character U'c' | character u8'd'"},
    {"\"\" \"a\" \"a\\\"b\" \"\\\\\"",
     "string \"\" | string \"a\" | string \"a\\\"b\" | string \"\\\\\""},
    {"L\"a\" u8\"b\" u\"c\" U\"d\"",
     "string L\"a\" | string u8\"b\" | string u\"c\" | string U\"d\""},
    {"x\"a\" u9\"b\"", "identifier x | string \"a\" | identifier u9 | string \"b\""},
    {"\"a\"s \"b\"_x 'c'_y \"d\"sv",
     "string \"a\"s | string \"b\"_x | character 'c'_y | string \"d\"sv"},
    {"\"a\"PRIu64\"b\"", "string \"a\" | identifier PRIu64 | string \"b\""},
    {"\"//\" '/*' \"*/\"", "string \"//\" | character '/*' | string \"*/\""},
    {"\"?\?/\" \"a\tb\"", "string \"?\?/\" | string \"a\tb\""},
    {"R\"(a)\"", "string R\"(a)\""},
    {"R\"(a)b\" )\" c", "string R\"(a)b\" )\" | identifier c"},
    {"R\"x()x )\" )y\" )x\"+", "string R\"x()x )\" )y\" )x\" | +"},
    {"LR\"(a\nb)\" u8R\"-(\\)-\"", "string LR\"(a\nb)\" | string u8R\"-(\\)-\""},
    {"R\"(\n#define x\n// no\n)\" y", "string R\"(\n#define x\n// no\n)\" | identifier y"},
    {"R\"(a)\"s R\"(b)\"_u", "string R\"(a)\"s | string R\"(b)\"_u"},
    {"XR\"(a\" b", "identifier XR | string \"(a\" | identifier b"},
    /* comments */
    {"// a", "comment // a"},
    {"a // b\nc", "identifier a | comment // b | identifier c"},
    {"/* a */ b /**/ c /***/ d", "comment /* a */ | identifier b | comment /**/ | identifier c | "
                                 "comment /***/ | identifier d"},
    {"/* // */ a", "comment /* // */ | identifier a"},
    {"// /*\na */", "comment // /* | identifier a | * | /"},
    {"/*/ a */ b", "comment /*/ a */ | identifier b"},
    {"a /* b\n c */ d", "identifier a | comment /* b\n c */ | identifier d"},
    {"a /b", "identifier a | / | identifier b"},
    {"/* \"' */ '\"'", "comment /* \"' */ | character '\"'"},
    {"//* a */ b", "comment //* a */ b"},
    /* operators: the longest that fits */
    {"+ ++ += - -- -= -> ->*", "+ | ++ | += | - | -- | -= | -> | ->*"},
    {"* *= / /= % %= ^ ^=", "* | *= | / | /= | % | %= | ^ | ^="},
    {"& && &= | || |= ~ ! !=", "& | && | &= | | | || | |= | ~ | ! | !="},
    {"= == < <= << <<= > >= >> >>=", "= | == | < | <= | << | <<= | > | >= | >> | >>="},
    {". .. ... .* : :: ; , ?", ". | . | . | ... | .* | : | :: | ; | , | ?"},
    {"( ) [ ] { }", "( | ) | [ | ] | { | }"},
    {"a+++++b", "identifier a | ++ | ++ | + | identifier b"},
    {"a<:1:> <%%>", "identifier a | [ <: | number 1 | ] :> | { <% | } %>"},
    {"a<::b> c<:::d:>", "identifier a | < | :: | identifier b | > | identifier c | [ <: | :: | "
                        "identifier d | ] :>"},
    {"<::>", "[ <: | ] :>"},
    {"k<<<1,2>>>(3)", "identifier k | <<< | number 1 | , | number 2 | >>> | ( | number 3 | )"},
    {"k<a><<<1>>>()", "identifier k | < | identifier a | > | <<< | number 1 | >>> | ( | )"},
    {"k<a<b>><<<1", "identifier k | < | identifier a | < | identifier b | >> | <<< | number 1"},
    {"a<b<c<d>>>x", "identifier a | < | identifier b | < | identifier c | < | identifier d | >>> | "
                    "identifier x"},
    {"<<<< >>>> <<<= >>>=", "<<< | < | >>> | > | <<< | = | >>> | ="},
    {"@ ` \x01", "other byte @ | other byte ` | other byte \x01"},
};

static const struct row directives[] = {
    {"#define A", "#~!# | #define~# | identifier A~# | end"},
    {"#define A 1 + x\ny", "#~!# | #define~# | identifier A~# | number 1~#b | +~#b | "
                           "identifier x~#b | end | identifier y~!"},
    {"#define F(a, b) a##b", "#~!# | #define~# | identifier F~# | (~# | identifier a~# | ,~# | "
                             "identifier b~# | )~# | identifier a~# | ##~# | identifier b~# | end"},
    {"#define if (a)", "#~!# | #define~# | identifier if~# | (~#b | identifier a~#b | )~#b | end"},
    {"  #  include <a/b.h> // c\n",
     "#~!# | #include~# | header name <a/b.h>~# | comment // c | end"},
    {"#include \"a b.h\"", "#~!# | #include~# | header name \"a b.h\"~# | end"},
    {"#include<a>\n#include MACRO",
     "#~!# | #include~# | header name <a>~# | end | #~!# | #include~# "
     "| identifier MACRO~# | end"},
    {"#include_next <a>\n#import <b>", "#~!# | #include_next~# | header name <a>~# | end | #~!# | "
                                       "#import~# | header name <b>~# | end"},
    {"#include /* x */ <a>", "#~!# | #include~# | comment /* x */ | header name <a>~# | end"},
    {"#include <a\nb", "#~!# | #include~# | <~# | identifier a~# | end | identifier b~!"},
    {"# /* x */ if /* y\n */ 1\n",
     "#~!# | comment /* x */ | #if~# | comment /* y\n */ | number 1~# "
     "| end"},
    {"#error it's \"so /* c */ x\ny",
     "#~!# | #error~# | text of a directive  it's \"so ~# | comment "
     "/* c */ | text of a directive  x~# | end | identifier y~!"},
    {"#\n#\n", "#~!# | end | #~!# | end"},
    {"# 33 \"f.c\"", "#~!# | number 33~# | string \"f.c\"~# | end"},
    {"#foo bar", "#~!# | identifier foo~# | identifier bar~# | end"},
    {"%:define A %: %:%:", "# %:~!# | #define~# | identifier A~# | # %:~#b | ## %:%:~#b | end"},
    {"/* a */ #if 1", "comment /* a */ | #~!# | #if~# | number 1~# | end"},
    {"a #if 1", "identifier a~! | # | asm if | number 1"},
    {"#pragma once\n", "#~!# | #pragma~# | identifier once~# | end"},
    {"#if defined(A) && B",
     "#~!# | #if~# | identifier defined~# | (~# | identifier A~# | )~# | &&~# "
     "| identifier B~# | end"},
    {"#ifdef A\n#elifdef B\n#elifndef C\n#else\n#endif",
     "#~!# | #ifdef~# | identifier A~# | end | #~!# | #elifdef~# | identifier B~# | end | #~!# | "
     "#elifndef~# | identifier C~# | end | #~!# | #else~# | end | #~!# | #endif~# | end"},
    {"#define S R\"(a\nb)\" c\nd", "#~!# | #define~# | identifier S~# | string R\"(a\nb)\"~#br | "
                                   "identifier c~#b | end | identifier d~!"},
};

/* What a line or the file cuts short. */
static const struct row unterminated[] = {
    {"\"abc\nx", "string \"abc~u | identifier x"},
    {"'a\nx", "character 'a~u | identifier x"},
    {"\"abc", "string \"abc~u"},
    {"'", "character '~u"},
    {"\"a\\", "string \"a\\~u"},
    {"u8\"a", "string u8\"a~u"},
    {"R\"(abc", "string R\"(abc~ur"},
    {"R\"x(abc)\" )y\"\n", "string R\"x(abc)\" )y\"\n~ur"},
    {"a /* b", "identifier a | comment /* b"},
    {"a /*", "identifier a | comment /*"},
    {"#define A \"b\nc", "# | #define | identifier A | string \"b~u | end | identifier c"},
    {"#if 'x\nc", "# | #if | character 'x~u | end | identifier c"},
    {"#error \"x", "# | #error | text of a directive  \"x | end"},
};

static const struct row spaces[] = {
    {"a b", "identifier a~_ | identifier b~_"},
    {"a+b", "identifier a~_ | + | identifier b"},
    {"a/**/b", "identifier a~_ | comment /**/ | identifier b~_"},
    {"a\nb", "identifier a~_ | identifier b~_"},
    {"f (x)", "identifier f~_ | (~_ | identifier x | )"},
    {"f\\\n(x)", "identifier f~_ | ( | identifier x | )"},
    {"f \\\n(x)", "identifier f~_ | (~_ | identifier x | )"},
    {"# define F(a)", "#~_ | #define~_ | identifier F~_ | ( | identifier a | ) | end"},
};

static const struct row splices[] = {
    {"cuda\\\nMalloc", "identifier cuda\\\nMalloc~s"},
    {"cuda\\\r\nMalloc", "identifier cuda\\\r\nMalloc~s"},
    {"cuda\\  \t\nMalloc", "identifier cuda\\  \t\nMalloc~s"},
    {"a \\\n b", "identifier a | identifier b"},
    {"a\\\n+\\\n+b", "identifier a | ++ +\\\n+~s | identifier b"},
    {"// a \\\nb\nc", "comment // a \\\nb | identifier c"},
    {"/\\\n/ a\nb", "comment /\\\n/ a | identifier b"},
    {"/\\\n* a *\\\n/ b", "comment /\\\n* a *\\\n/ | identifier b"},
    {"\"a\\\nb\"", "string \"a\\\nb\"~s"},
    {"#def\\\nine A \\\n b\nc",
     "# | #define def\\\nine~s | identifier A | identifier b | end | identifier c"},
    {"#include <a\\\nb>", "# | #include | header name <a\\\nb>~s | end"},
    {"<\\\n<\\\n<", "<<< <\\\n<\\\n<~s"},
    {"__glo\\\nbal__", "__global__ __glo\\\nbal__~s"},
    {"1'0\\\n00", "number 1'0\\\n00~s"},
    /* In a raw string nothing is joined. */
    {"R\"(a\\\n)\" b", "string R\"(a\\\n)\"~s | identifier b"},
    {"R\"(\\\n)\\\n\" )\" b", "string R\"(\\\n)\\\n\" )\"~s | identifier b"},
    {"R\\\n\"x(a)x\"b", "string R\\\n\"x(a)x\"~s | identifier b"},
    {"a\\", "identifier a | other byte \\"},
    {"a\\\n", "identifier a"},
    {"\\\n\\\na", "identifier a"},
    {"a\\\n\\\nb", "identifier a\\\n\\\nb~s"},
};

START_TEST(test_kinds)
{
    check_row(&kinds[_i], 0);
}
END_TEST

START_TEST(test_directives)
{
    check_row(&directives[_i], TOKEN_LINE_START | TOKEN_DIRECTIVE | TOKEN_MACRO_BODY | TOKEN_RAW);
}
END_TEST

START_TEST(test_unterminated)
{
    check_row(&unterminated[_i], TOKEN_UNTERMINATED | TOKEN_RAW);
}
END_TEST

START_TEST(test_spaces)
{
    check_row(&spaces[_i], TOKEN_SPACE_BEFORE);
}
END_TEST

START_TEST(test_splices)
{
    check_row(&splices[_i], TOKEN_SPLICED);
}
END_TEST

START_TEST(test_bom)
{
    struct scan scan;
    scan_text(&scan, "\xef\xbb\xbf#define A");
    char *res = dump(&scan, TOKEN_LINE_START);
    ck_assert_str_eq(res, "#~! | #define | identifier A | end");
    ck_assert_uint_eq(scan.tokens.list.items[0].offset, 3);
    free(res);
    scan_release(&scan);
}
END_TEST

START_TEST(test_nul)
{
    static const char text[] = "a\0b \"c\0d\" // e\0f\ng\0";
    struct scan scan;
    scan_bytes(&scan, text, sizeof text - 1);
    const struct token *t = scan.tokens.list.items;
    static const struct {
        enum token_kind kind;
        unsigned offset, length;
    } want[] = {
        {TOK_IDENT, 0, 1},  {TOK_OTHER, 1, 1},  {TOK_IDENT, 2, 1}, {TOK_STRING, 4, 5},
        {TOK_IDENT, 17, 1}, {TOK_OTHER, 18, 1}, {TOK_EOF, 19, 0},
    };
    ck_assert_uint_eq(scan.tokens.list.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); ++i) {
        ck_assert_int_eq(t[i].kind, want[i].kind);
        ck_assert_uint_eq(t[i].offset, want[i].offset);
        ck_assert_uint_eq(t[i].length, want[i].length);
    }
    ck_assert_uint_eq(scan.tokens.comments.count, 1);
    ck_assert_uint_eq(scan.tokens.comments.items[0].length, 6);
    scan_release(&scan);
}
END_TEST

START_TEST(test_symbols)
{
    struct scan scan;
    scan_text(&scan, "abc x ab\\\nc abcd __global__");
    const struct token *t = scan.tokens.list.items;
    ck_assert_ptr_eq(t[0].symbol, t[2].symbol);
    ck_assert_ptr_ne(t[0].symbol, t[1].symbol);
    ck_assert_ptr_ne(t[0].symbol, t[3].symbol);
    ck_assert_str_eq(t[2].symbol->text, "abc");
    ck_assert_str_eq(t[4].symbol->text, "__global__");
    ck_assert_int_eq(t[4].symbol->keyword, TOK_GLOBAL);
    scan_release(&scan);
}
END_TEST

START_TEST(test_symbols_in_order)
{
    static const char *const want[] = {"b", "a", "int", "c"};
    struct scan scan;
    scan_text(&scan, "b a int b c a");
    const struct symbol *at = symbol_first(&scan.symbols);
    for (size_t i = 0; i < COUNT(want); ++i, at = symbol_next(at)) {
        ck_assert_ptr_nonnull(at);
        ck_assert_str_eq(at->text, want[i]);
    }
    ck_assert_ptr_null(at);
    scan_release(&scan);
    scan_text(&scan, "1");
    ck_assert_ptr_null(symbol_first(&scan.symbols));
    scan_release(&scan);
}
END_TEST

/* Words that are landmarks wherever they stand, names before :: once, and ##. */
START_TEST(test_landmarks)
{
    static const uint32_t want[] = {0, 2, 4, 6, 17, 22, 25};
    struct scan scan;
    scan_text(&scan, "mark a b /* c */ :: mark1::x ::y; int<::z>\n"
                     "#define mark2(c) c##d\n"
                     "mark\n");
    const struct tokens *tokens = &scan.tokens;
    ck_assert_uint_eq(tokens->landmarks.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); ++i)
        ck_assert_uint_eq(tokens->landmarks.items[i], want[i]);
    scan_release(&scan);
}
END_TEST

START_TEST(test_keywords)
{
    ck_assert_int_eq(lexer_keyword("__global__", 10), TOK_GLOBAL);
    ck_assert_int_eq(lexer_keyword("__global__x", 10), TOK_GLOBAL);
    ck_assert_int_eq(lexer_keyword("__global__x", 11), 0);
    ck_assert_int_eq(lexer_keyword("__global_", 9), 0);
    ck_assert_int_eq(lexer_keyword("union", 5), TOK_CLASS);
    ck_assert_int_eq(lexer_keyword("x", 1), 0);
    ck_assert_int_eq(lexer_keyword("Union", 5), 0);
    ck_assert_int_eq(lexer_keyword("char16_t", 8), TOK_TYPE);
}
END_TEST

/* Texts without a raw string or a NUL byte: a splice anywhere changes no token. */
static const char *const snippets[] = {
    "template<class T>__global__ void k(T*p){p[0]=T(1.5e+3f)+0x1'Fu;}",
    "k<a<b>><<<g,b,0,s>>>(x,&y->z,u.*v); /* c */ a<<=b>>=c; // end",
    "#define F(a, ...) g(#a, a##_x, __VA_ARGS__) // t\nint i;",
    "#if defined(__CUDACC__)&&!(A<=2||B!=3)\n#include <a/b.h>\n#include \"c.h\"\n#else\n#endif\n",
    "auto s=u8\"a\\\"b\\\\\"_x+L'c'+'\\'';not_eq x or y;a<:0:>%:%>",
    "#error some text /* c */ more\n#pragma once\nx",
    "a...b.c->*d--> e::f<::g>",
};

static bool same_tokens(const struct scan *a, const struct scan *b)
{
    if (a->tokens.list.count != b->tokens.list.count ||
        a->tokens.comments.count != b->tokens.comments.count)
        return false;
    const uint16_t flags = TOKEN_LINE_START | TOKEN_DIRECTIVE | TOKEN_MACRO_BODY |
                           TOKEN_SPACE_BEFORE | TOKEN_UNTERMINATED | TOKEN_RAW;
    for (size_t i = 0; i < a->tokens.list.count; ++i) {
        const struct token *x = &a->tokens.list.items[i], *y = &b->tokens.list.items[i];
        if (x->kind != y->kind || (x->flags & flags) != (y->flags & flags) ||
            !x->symbol != !y->symbol ||
            (x->symbol && strcmp(x->symbol->text, y->symbol->text) != 0))
            return false;
    }
    for (size_t i = 0; i < a->tokens.comments.count; ++i)
        if (a->tokens.comments.items[i].token != b->tokens.comments.items[i].token)
            return false;
    return true;
}

START_TEST(test_splice_anywhere)
{
    static const char *const spliced[] = {"\\\n", "\\\r\n", "\\ \t\n", "\\\n\\\n"};
    const char *text = snippets[_i];
    size_t len = strlen(text);
    struct scan plain;
    scan_text(&plain, text);
    for (size_t s = 0; s < COUNT(spliced); ++s)
        for (size_t at = 0; at <= len; ++at) {
            struct strbuf buf = STRBUF_INIT;
            strbuf_add(&buf, text, at);
            strbuf_adds(&buf, spliced[s]);
            strbuf_add(&buf, text + at, len - at);
            strbuf_add(&buf, "", 0);
            struct scan scan;
            scan_bytes(&scan, buf.text, buf.len);
            ck_assert_msg(same_tokens(&plain, &scan), "splice %zu at %zu: %s", s, at, buf.text);
            /* The text of each token is the same but for the splice, and only that one is marked.
             */
            for (size_t i = 0; i < scan.tokens.list.count; ++i) {
                const struct token *x = &plain.tokens.list.items[i];
                const struct token *y = &scan.tokens.list.items[i];
                bool inside = x->offset < at && at < x->offset + x->length;
                ck_assert_uint_eq(y->length, x->length + (inside ? strlen(spliced[s]) : 0));
                ck_assert_int_eq(!!(y->flags & TOKEN_SPLICED), inside);
            }
            scan_release(&scan);
            strbuf_release(&buf);
        }
    /* And one everywhere at once. */
    struct strbuf buf = STRBUF_INIT;
    for (size_t i = 0; i < len; ++i) {
        strbuf_adds(&buf, "\\\n");
        strbuf_addc(&buf, text[i]);
    }
    struct scan scan;
    scan_bytes(&scan, buf.text, buf.len);
    ck_assert(same_tokens(&plain, &scan));
    scan_release(&scan);
    strbuf_release(&buf);
    scan_release(&plain);
}
END_TEST

/* CR LF instead of LF gives the same tokens. */
START_TEST(test_crlf)
{
    struct strbuf buf = STRBUF_INIT;
    for (const char *at = snippets[_i]; *at; ++at)
        strbuf_adds(&buf, *at == '\n' ? "\r\n" : (const char[]){*at, '\0'});
    struct scan plain, scan;
    scan_text(&plain, snippets[_i]);
    scan_bytes(&scan, buf.text, buf.len);
    ck_assert(same_tokens(&plain, &scan));
    scan_release(&scan);
    scan_release(&plain);
    strbuf_release(&buf);
}
END_TEST

/* Every text of the tables, and every beginning and end of it, is scanned without loss. */
START_TEST(test_cut)
{
    static const struct {
        const struct row *rows;
        size_t count;
    } tables[] = {
        {kinds, COUNT(kinds)},
        {directives, COUNT(directives)},
        {unterminated, COUNT(unterminated)},
        {spaces, COUNT(spaces)},
        {splices, COUNT(splices)},
    };
    for (size_t t = 0; t < COUNT(tables); ++t)
        for (size_t i = 0; i < tables[t].count; ++i) {
            const char *text = tables[t].rows[i].text;
            size_t len = strlen(text);
            for (size_t at = 0; at <= len; ++at) {
                struct scan scan;
                scan_bytes(&scan, text, at);
                scan_release(&scan);
                scan_text(&scan, text + at);
                scan_release(&scan);
            }
        }
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

START_TEST(test_random_bytes)
{
    uint32_t state = (uint32_t)_i + 1;
    for (int round = 0; round < 400; ++round) {
        char text[200];
        size_t len = next_random(&state) % sizeof text;
        for (size_t i = 0; i < len; ++i)
            text[i] = (char)next_random(&state);
        struct scan scan;
        scan_bytes(&scan, text, len);
        scan_release(&scan);
    }
}
END_TEST

/* Pieces that begin and end what lexers trip over, in any order. */
START_TEST(test_random_pieces)
{
    static const char *const pieces[] = {
        "\\\n", "\\",  "\n",  "\r\n", "\"",      "'",      "R\"", "R\"(",    ")\"",      "(", ")",
        "//",   "/*",  "*/",  "/",    "#",       "##",     "%:",  "define ", "include ", "<", ">",
        "<<<",  ">>>", "<::", "1'",   "1e+",     ".",      "..",  "u8",      "L",        "x", "_s",
        " ",    "\t",  "$",   "\xff", "\\u00e9", "error ", "if ", "\\ \n",   "*",        ":",
    };
    uint32_t state = (uint32_t)_i + 77;
    for (int round = 0; round < 400; ++round) {
        struct strbuf buf = STRBUF_INIT;
        int count = (int)(next_random(&state) % 24);
        for (int i = 0; i < count; ++i)
            strbuf_adds(&buf, pieces[next_random(&state) % COUNT(pieces)]);
        if (!(next_random(&state) % 4))
            strbuf_add(&buf, "\0x", 2);
        strbuf_add(&buf, "", 0);
        struct scan scan;
        scan_bytes(&scan, buf.text ? buf.text : "", buf.len);
        scan_release(&scan);
        strbuf_release(&buf);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lexer");
    TCase *tcase = tcase_create("lexer");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_kinds, 0, COUNT(kinds));
    tcase_add_loop_test(tcase, test_directives, 0, COUNT(directives));
    tcase_add_loop_test(tcase, test_unterminated, 0, COUNT(unterminated));
    tcase_add_loop_test(tcase, test_spaces, 0, COUNT(spaces));
    tcase_add_loop_test(tcase, test_splices, 0, COUNT(splices));
    tcase_add_test(tcase, test_bom);
    tcase_add_test(tcase, test_nul);
    tcase_add_test(tcase, test_symbols);
    tcase_add_test(tcase, test_symbols_in_order);
    tcase_add_test(tcase, test_landmarks);
    tcase_add_test(tcase, test_keywords);
    tcase_add_loop_test(tcase, test_splice_anywhere, 0, COUNT(snippets));
    tcase_add_loop_test(tcase, test_crlf, 0, COUNT(snippets));
    tcase_add_test(tcase, test_cut);
    tcase_add_loop_test(tcase, test_random_bytes, 0, 10);
    tcase_add_loop_test(tcase, test_random_pieces, 0, 20);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
