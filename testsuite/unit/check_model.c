/* The kernel model: names, constants and types of small texts. What a test asks for is the last
   expression that a function of the text returns.  */
#include <config.h>

#include "annotate/model/constant.h"
#include "annotate/model/launch.h"
#include "annotate/model/type.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "testsuite/unit/parse.h"
#include "testsuite/unit/suite.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void parse_text(struct parse *parse, const char *text, const struct model_options *options)
{
    parse_model(parse, text, strlen(text), options);
}

static const struct node *last_return(const struct node *node)
{
    const struct node *res = node->kind == NODE_RETURN ? node->kids : NULL;
    tree_each (kid, node) {
        const struct node *inner = last_return(kid);
        if (inner)
            res = inner;
    }
    return res;
}

/* The expression that the last function with a return returns. */
static const struct node *asked(struct parse *parse)
{
    for (size_t i = parse->unit.functions.count; i--;) {
        const struct model_function *function = model_function(&parse->model, i);
        const struct node *res = function->body ? last_return(function->body) : NULL;
        if (res)
            return res;
    }
    ck_abort_msg("nothing is returned");
    return NULL;
}

static void put_constant(struct strbuf *out, bool known, const struct constant *c)
{
    if (!known)
        strbuf_addc(out, '?');
    for (unsigned i = 0; i < c->count; ++i)
        strbuf_printf(out, "%s%lld", i ? " " : "", (long long)c->values[i]);
}

/* Values. */

static const struct example {
    const char *text;
    const char *wanted;
} values[] = {
    /* literals */
    {"int f() { return 42; }", "42"},
    {"int f() { return 0x1F + 017 + 0b101 + 1'000; }", "1051"},
    {"int f() { return 'a' + '\\n' + '\\x41' + '\\0' + '\\\\'; }", "264"},
    {"int f() { return 1.5f; }", "?"},
    {"int f() { return 12_km; }", "?"},
    {"int f() { return true + true; }", "2"},
    {"int f() { return 18446744073709551615u; }", "-1"},
    {"int f() { return 99999999999999999999; }", "?"},
    /* types of arithmetic */
    {"int f() { return 0u - 1; }", "4294967295"},
    {"int f() { return 0xffffffff + 1; }", "0"},
    {"int f() { return 0xffffffffu << 4; }", "4294967280"},
    {"int f() { return 1u << 31 >> 31; }", "1"},
    {"int f() { return 1 << 31; }", "-2147483648"},
    {"int f() { return 1 << 32; }", "?"},
    {"int f() { return 1ull << 32; }", "4294967296"},
    {"int f() { return 1 << -1; }", "?"},
    {"int f() { return 2147483647 + 1; }", "?"},
    {"int f() { return 2147483647u + 1; }", "2147483648"},
    {"int f() { return 2147483648 - 1; }", "2147483647"},
    {"int f() { return -1 < 0u; }", "0"},
    {"int f() { return -1 < 0; }", "1"},
    {"int f() { return -7 / 2; }", "-3"},
    {"int f() { return -7 % 3; }", "-1"},
    {"int f() { return -7 >> 1; }", "-4"},
    {"int f() { return ~0; }", "-1"},
    {"int f() { return ~0u; }", "4294967295"},
    {"int f() { return !5 + !0; }", "1"},
    {"int f() { return 7 / 0; }", "?"},
    {"int f() { return 7 % (3 - 3); }", "?"},
    {"int f() { return (-2147483647 - 1) / -1; }", "?"},
    {"int f() { return (-2147483647 - 1) % -1; }", "?"},
    {"int f() { return 0 && 1 / 0; }", "0"},
    {"int f() { return 1 || unknown; }", "1"},
    {"int f() { return unknown && 0; }", "0"},
    {"int f() { return 3 > 2 ? 10 : unknown; }", "10"},
    {"int f() { return unknown ? 10 : 20; }", "10 20"},
    {"int f() { return (5 & 3) | (8 ^ 1); }", "9"},
    {"int f() { return (1, 2); }", "2"},
    {"int f() { return ~(1 ? 'a' : 0u); }", "4294967198"},
    {"struct S { struct { int a; } n, m; struct { char a; } o[3]; } s, *t;\n"
     "int f() { return sizeof(S); }",
     "12"},
    {"struct S { alignas(32) int a; };\nint f() { return sizeof(S); }", "32"},
    {"struct __align__(16) S {};\nint f() { return sizeof(S); }", "16"},
    /* casts */
    {"int f() { return (unsigned char)300; }", "44"},
    {"int f() { return (char)200; }", "-56"},
    {"int f() { return static_cast<short>(0x18000); }", "-32768"},
    {"int f() { return int(7) + unsigned(8); }", "15"},
    {"int f() { return (bool)7; }", "1"},
    {"int f() { return (float)7; }", "?"},
    {"int f() { return (uint8_t)-1; }", "255"},
    {"int f() { return (size_t)1 << 40; }", "1099511627776"},
    /* macros */
    {"#define N 32\nint f() { return N * 2; }", "64"},
    {"#define N 32 + 1\nint f() { return N * 2; }", "?"},
    {"#define N 32 + 1\nint f() { return N - 2; }", "31"},
    {"#define N 4 * 2\nint f() { return 3 * N; }", "24"},
    {"#define N 4 * 2\nint f() { return 24 / N; }", "?"},
    {"#define N A\n#define A (B)\n#define B 7\nint f() { return N; }", "7"},
    {"#define A B\n#define B A\nint f() { return A; }", "?"},
    {"#define A (A + 1)\nint f() { return A; }", "?"},
    {"#define SQ(x) ((x) * (x))\nint f() { return SQ(3 + 1); }", "16"},
    {"#define SQ(x) x * x\nint f() { return SQ(3 + 1); }", "?"},
    {"#define SQ(x) x * x\nint f() { return SQ((3 + 1)); }", "16"},
    {"#define SQ(x) x * x\nint f() { return SQ(3); }", "9"},
    {"#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint f() { return MAX(MAX(1, 9), 4); }", "9"},
    {"#define DIV(a, b) (((a) + (b) - 1) / (b))\n#define N 100\nint f() { return DIV(N, 32); }",
     "4"},
    {"#define F(x) G(x, 1)\n#define G(x, y) (x + y)\nint f() { return F(2); }", "3"},
    {"#define F(x) (x + N)\nint f() { const int N = 5; return F(2); }", "7"},
    {"#define F(x) 1\nint f() { return F; }", "?"},
    {"#define BYTES(T) (4 * sizeof(T))\nint f() { return BYTES(double); }", "32"},
    {"#define N 1\n#undef N\n#define N 2\nint f() { return N; }", "2"},
    {"#define N 1\nint f() { return N; }\n#undef N\nint g(int N) { return N; }", "?"},
    {"#ifdef A\n#define N 16\n#else\n#define N 32\n#endif\nint f() { return N + 1; }", "17 33"},
    {"#ifdef A\n#define N 16\n#elif B\n#define N 8\n#else\n#define N x\n#endif\n"
     "int f() { return N; }",
     "?"},
    {"#ifdef GIVEN\n#define N GIVEN\n#else\n#define N 16\n#endif\nint f() { return N; }", "16"},
    {"#ifndef N\n#define N 64\n#endif\nint f() { return N; }", "64"},
    {"#define N 8\\\n * 2\nint f() { return N; }", "16"},
    {"#ifdef USE_ROCM\n#define W 64\n#else\n#define W 32\n#endif\nint f() { return W; }", "64"},
    /* constants */
    {"const int N = 4;\nint f() { return N; }", "4"},
    {"int N = 4;\nint f() { return N; }", "?"},
    {"static const unsigned N = -1;\nint f() { return N; }", "4294967295"},
    {"constexpr auto N = 4u, M = N * 2;\nint f() { return M; }", "8"},
    {"constexpr unsigned N(4);\nint f() { return N; }", "4"},
    {"constexpr int N{4};\nint f() { return N; }", "4"},
    {"const volatile int N = 4;\nint f() { return N; }", "?"},
    {"extern const int N;\nint f() { return N; }", "?"},
    {"const float N = 4;\nint f() { return N; }", "?"},
    {"const int *N = 0;\nint f() { return N; }", "?"},
    {"const int N[] = {1, 2};\nint f() { return N; }", "?"},
    {"const int A = B, B = A;\nint f() { return A; }", "?"},
    {"const uint8_t N = 300;\nint f() { return N; }", "44"},
    {"const index_t N = 300;\nint f() { return N; }", "300"},
    {"namespace a { const int N = 3; }\nnamespace b { const int N = 4; int f() { return N; } }",
     "4"},
    {"namespace a { const int N = 3; }\nnamespace b { const int N = 4; }\n"
     "int f() { return a::N * 10 + b::N; }",
     "34"},
    {"namespace a { const int N = 3; }\nnamespace a { int f() { return N; } }", "3"},
    {"const int N = 1;\nnamespace a { const int N = 3; }\nint f() { return N; }", "1"},
    {"const int N = 1;\nnamespace a { const int N = 3; }\nint f() { return ::N; }", "1"},
    {"struct C { static const int N = 5; int f() { return N; } };", "5"},
    {"struct C { int f() { return N; } static constexpr int N = 5; };", "5"},
    {"struct C { static const int N = 5; };\nint f() { return C::N; }", "5"},
    {"struct C { static const int N = 5; int f(); };\nint C::f() { return N; }", "5"},
    {"struct C { const int N = 5; };\nint f() { return C::N; }", "?"},
    {"struct B { enum { N = 6 }; };\nstruct C : public B {};\nint f() { return C::N; }", "6"},
    {"struct C { static const int N = 5; };\nusing D = C;\nint f() { return D::N; }", "5"},
    {"struct C { static const int N = 5; };\ntypedef C D;\nint f() { return D::N; }", "5"},
    /* enumerators */
    {"enum { A, B, C = 7, D };\nint f() { return B * 100 + C * 10 + D; }", "178"},
    {"enum E { A = -1, B };\nint f() { return A * 10 + E::B; }", "-10"},
    {"enum class E { A = 3, B };\nint f() { return (int)E::B; }", "4"},
    {"enum class E { A = 3 };\nint f() { return A; }", "?"},
    {"namespace n { enum { A = 3 }; }\nint f() { return n::A; }", "3"},
    {"int f() { enum { A = 3, B }; return B; }", "4"},
    {"enum { A = B, B = A };\nint f() { return A; }", "?"},
    {"enum { N = sizeof(double) * 2 };\nint f() { return N; }", "16"},
    /* locals */
    {"int f() { const int n = 3; return n; }", "3"},
    {"int f() { int n = 3; return n; }", "3"},
    {"int f() { int n = 3; n = 4; return n; }", "?"},
    {"int f() { int n = 3; n += 4; return n; }", "?"},
    {"int f() { int n = 3; n++; return n; }", "?"},
    {"int f() { int n = 3; g(&n); return n; }", "?"},
    {"int f() { int n = 3; int &m = n; m = 4; return n; }", "?"},
    {"int f() { int n = 3; std::cin >> n; return n; }", "?"},
    {"void g(int &x);\nint f() { int n = 3; g(n); return n; }", "?"},
    {"void g(int x);\nint f() { int n = 3; g(n); return n; }", "3"},
    {"int f() { int n = 3; auto g = [&] { n = 5; }; g(); return n; }", "?"},
    {"int f() { int n; return n; }", "?"},
    {"int f(int n) { return n; }", "?"},
    {"const int n = 9;\nint f(int n) { return n; }", "?"},
    {"int f() { int n = 3; { int n = 4; } return n; }", "3"},
    {"int f() { int n = 3; { const int n = 4; return n; } }", "4"},
    {"int f() { for (int i = 0; i < 4; ++i) return i; }", "?"},
    {"int f() { int n = n; return n; }", "?"},
    {"int f() { int a = 2, b = a * 3, c(b + 1), d{c + 1}; return d; }", "8"},
    {"int f() { auto n = 3u; return n - 4; }", "4294967295"},
    {"int f() { const int n = 2; auto g = [](int n) { return n; }; }", "?"},
    {"int f() {\n#ifdef A\n const int n = 1;\n#else\n const int n = 2;\n#endif\n return n; }",
     "1 2"},
    /* sizes */
    {"int f() { return sizeof(int) + sizeof(float4) + sizeof(double[3]); }", "44"},
    {"int f() { float a[3][5]; return sizeof(a) / sizeof(a[0]); }", "3"},
    {"int f() { float a[3][5]; return sizeof a[0][0]; }", "4"},
    {"struct S { char c; double d; };\nint f() { return sizeof(S) * 100 + alignof(S); }", "1608"},
    {"int f() { return sizeof(unknown_t); }", "?"},
    {"typedef unsigned long long u64;\nint f() { return sizeof(u64); }", "8"},
    {"#define REAL double\nint f() { return sizeof(REAL); }", "8"},
    {"int f(int *p) { return sizeof(p) + sizeof(*p); }", "12"},
    {"int f() { int a[] = {1, 2, 3}; return sizeof(a); }", "12"},
    /* calls */
    {"constexpr int div(int a, int b) { return (a + b - 1) / b; }\nint f() { return div(100, 32); "
     "}",
     "4"},
    {"constexpr int fac(int n) { return n < 2 ? 1 : n * fac(n - 1); }\nint f() { return fac(5); }",
     "120"},
    {"constexpr int inf(int n) { return inf(n + 1); }\nint f() { return inf(5); }", "?"},
    {"constexpr int f2(int n) { const int m = n * 2; return m + 1; }\nint f() { return f2(5); }",
     "11"},
    {"constexpr int g(int n) { if (n) return 1; return 2; }\nint f() { return g(5); }", "?"},
    {"template <int N> constexpr int g() { return N * 2; }\nint f() { return g<21>(); }", "42"},
    {"int g(int n) { return n; }\nint f() { return g(g(3)); }", "3"},
    {"unsigned char g(int n) { return n; }\nint f() { return g(257); }", "1"},
    {"int f() { return max(3, 7) * 10 + std::min(3, 7); }", "73"},
    {"int f() { return std::numeric_limits<unsigned short>::max(); }", "65535"},
    {"int f() { return std::numeric_limits<int>::min(); }", "-2147483648"},
    {"int f() { return warpSize; }", "?"},
    /* templates */
    {"template <int N> void k() { return N; }\nvoid h() { k<64><<<1, 2>>>(); }", "64"},
    {"template <int N> void k() { return N; }\nvoid h(int b) { switch (b) {\n"
     "case 32: k<32><<<1, 32>>>(); break; case 64: k<64><<<1, 64>>>(); } }",
     "32 64"},
    {"template <int N = 16> void k() { return N; }\nvoid h() { k<<<1, 2>>>(); }", "16"},
    {"template <typename T, int N = 16> void k() { return N; }\nvoid h() { k<int><<<1, 2>>>();\n"
     "k<int, 4><<<1, 2>>>(); }",
     "4 16"},
    {"template <int N> void k() { return N; }\ntemplate void k<128>();", "128"},
    {"template <int N> void k() { return N; }\n", "?"},
    {"template <int N> void k() { return N; }\nvoid h() { k<M><<<1, 2>>>(); }", "?"},
    {"template <int N> void k() { return N; }\ntemplate <int M> void h() { k<M * 2>(); }\n"
     "void g() { h<8>(); }",
     "16"},
    {"template <int N> void k() { k<N / 2>(); return N; }\nvoid h() { k<8>(); }", "?"},
    {"template <int A> struct S { static const int B = A * 2; };\nint f() { return S<21>::B; }",
     "42"},
    {"template <int A> struct S { static const int B = A * 2; int f() { return B; } };\nS<3> s;",
     "6"},
    {"template <class T> struct S { static const int B = 1; };\n"
     "template <> struct S<float> { static const int B = 2; };\nint f() { return S<float>::B; }",
     "2"},
    {"template <class T> struct S { static const int B = 1; };\n"
     "template <> struct S<float> { static const int B = 2; };\nint f() { return S<int>::B; }",
     "1"},
    {"template <class T> struct S { enum { B = sizeof(T) }; };\nint f() { return S<double>::B; }",
     "8"},
    {"template <int N> void k() { return N; }\n#define LAUNCH(n) k<n><<<1, n>>>()\n"
     "void h(int b) { switch (b) { case 1: LAUNCH(32); case 2: LAUNCH(16 * 4); } }",
     "32 64"},
    {"template <int N> void k() { return N; }\n#define A(n) k<(n)><<<1, n>>>()\n"
     "#define B(m) A(m * 2)\nvoid h() { const int q = 4; A(q); B(q); }",
     "4 8"},
    {"template <int N> void k() { return N; }\n#define A(n) k<n>(); A(n - 1)\nvoid h() { A(3); }",
     "3"},
    {"template <int N> void k() { return N; }\n#define A(n) B(n); k<n>();\n"
     "#define B(n) A(n); k<n>();\nvoid h() { A(3); }",
     "3"},
    {"struct P { enum { N = 9 }; };\ntemplate <class T> void k() { return T::N; }\n"
     "void h() { k<P>(); }",
     "9"},
    {"template <class T> void k() { return T::N; }", "?"},
    {"template <int A, class T> struct V { T a[A]; };\nint f() { return sizeof(V<3, double>); }",
     "24"},
};

START_TEST(test_values)
{
    const struct example *example = &values[_i];
    struct parse parse;
    struct constant c;
    struct strbuf out = STRBUF_INIT;
    parse_text(&parse, example->text, NULL);
    bool known = constant_of(&parse.model, asked(&parse), &c);
    put_constant(&out, known, &c);
    ck_assert_msg(!strcmp(out.text, example->wanted), "%s\nis %s instead of %s", example->text,
                  out.text, example->wanted);
    strbuf_release(&out);
    parse_release(&parse);
}
END_TEST

START_TEST(test_defines)
{
    static const struct {
        const char *text, *name, *value, *wanted;
    } examples[] = {
        {"int f() { return N; }", "N", "32", "32"},
        {"int f() { return N; }", "N", "(-5)", "-5"},
        {"int f() { return N; }", "N", "0x20u", "32"},
        {"int f() { return N; }", "N", "", "?"},
        {"int f() { return N; }", "N", "1.5", "?"},
        {"#ifndef N\n#define N 64\n#endif\nint f() { return N; }", "N", "32", "32"},
        {"#ifndef N\n#define N 64\n#endif\nint f() { return N; }", "M", "32", "64"},
        {"#define M 8\nint f() { return N; }", "N", "M", "8"},
        {"int f() { return N; }", "N", "N", "?"},
    };
    for (int i = 0; i < COUNT(examples); ++i) {
        struct model_define define = {.name = examples[i].name, .value = examples[i].value};
        struct model_options options = {.defines = &define, .define_count = 1};
        struct parse parse;
        struct constant c;
        struct strbuf out = STRBUF_INIT;
        parse_text(&parse, examples[i].text, &options);
        put_constant(&out, constant_of(&parse.model, asked(&parse), &c), &c);
        ck_assert_str_eq(out.text, examples[i].wanted);
        strbuf_release(&out);
        parse_release(&parse);
    }
}
END_TEST

/* Types. */

static void put_type(struct strbuf *out, const struct type *type)
{
    static const char *const kinds[] = {"?",      "void",   "bool",    "int",  "float",
                                        "vector", "record", "pointer", "array"};
    if (type->kind == TYPE_INTEGER && !type->is_signed)
        strbuf_addc(out, 'u');
    strbuf_printf(out, "%s", kinds[type->kind]);
    if (type->size)
        strbuf_printf(out, " %llu/%llu", (unsigned long long)type->size,
                      (unsigned long long)type->align);
    if (type->size && !type->exact)
        strbuf_addc(out, '?');
    if (type->kind == TYPE_ARRAY || type->kind == TYPE_VECTOR)
        strbuf_printf(out, " x%llu", (unsigned long long)type->count);
    if (type->kind == TYPE_ARRAY || type->kind == TYPE_POINTER || type->kind == TYPE_VECTOR) {
        strbuf_addc(out, ' ');
        put_type(out, type->element);
    }
}

static const struct example types[] = {
    {"int f(unsigned u) { return u; }", "uint 4/4"},
    {"int f(unsigned long long u) { return u; }", "uint 8/8"},
    {"int f(long int const u) { return u; }", "int 8/8"},
    {"int f(short unsigned int u) { return u; }", "uint 2/2"},
    {"int f(signed char u) { return u; }", "int 1/1"},
    {"int f(float4 v) { return v; }", "vector 16/16 x4 float 4/4"},
    {"int f(float4 v) { return v.x; }", "float 4/4"},
    {"int f(dim3 v) { return v.y; }", "uint 4/4"},
    {"int f() { return threadIdx.x; }", "uint 4/4"},
    {"int f() { return blockDim.x * 2; }", "uint 4/4"},
    {"int f() { return warpSize; }", "int 4/4"},
    {"int f(char a, short b) { return a + b; }", "int 4/4"},
    {"int f(int a, unsigned b) { return a * b; }", "uint 4/4"},
    {"int f(long a, unsigned b) { return a * b; }", "int 8/8"},
    {"int f(int a, double b) { return a * b; }", "float 8/8"},
    {"int f(unsigned char a) { return a << 3; }", "int 4/4"},
    {"int f(int a) { return 1ull << a; }", "uint 8/8"},
    {"int f(int a) { return 1u << a; }", "uint 4/4"},
    {"int f(int a) { return a < 3; }", "bool 1/1"},
    {"int f(int a) { return 1.0f; }", "float 4/4"},
    {"int f(int a) { return 1.0; }", "float 8/8"},
    {"int f(int a) { return 0xffffffff; }", "uint 4/4"},
    {"int f(int a) { return 4294967296; }", "int 8/8"},
    {"int f(int *p) { return p; }", "pointer 8/8 int 4/4"},
    {"int f(int *p) { return p[2]; }", "int 4/4"},
    {"int f(int *p) { return *p; }", "int 4/4"},
    {"int f(int *p) { return &p[2]; }", "pointer 8/8 int 4/4"},
    {"int f(int *p) { return p + 3; }", "pointer 8/8 int 4/4"},
    {"int f(int *p, int *q) { return p - q; }", "int 8/8"},
    {"int f(int p[][4]) { return p; }", "pointer 8/8 array 16/4 x4 int 4/4"},
    {"int f() { return __ballot_sync(~0u, 1); }", "uint 4/4"},
    {"int f() { return __activemask(); }", "uint 4/4"},
    {"int f(double x) { return __shfl_down_sync(~0u, x, 1); }", "float 8/8"},
    {"int f(unsigned long long *x) { return atomicAdd(x, 1); }", "uint 8/8"},
    {"int f() { return __popc(3u); }", "int 4/4"},
    {"int f() { unsigned m = 3; auto n = m; return n; }", "uint 4/4"},
    {"int f() { auto n = __ballot_sync(m, 1); return n; }", "uint 4/4"},
    {"int f() { auto a = a; return a; }", "?"},
    {"int f(float x) { return (double)x; }", "float 8/8"},
    {"int f(float x) { return make_float2(x, x); }", "vector 8/8 x2 float 4/4"},
    {"struct S { int a; float2 b[3]; };\nint f(S *s) { return s->b[1].y; }", "float 4/4"},
    {"struct S { struct { int a; union { float b; int c; }; }; };\nint f(S s) { return s.b; }",
     "float 4/4"},
    {"struct B { short a; };\nstruct S : B { int b; };\nint f(S s) { return s.a; }", "int 2/2"},
    {"unsigned long g(int);\nint f() { return g(1); }", "uint 8/8"},
    {"template <class T> T g(T x) { return x; }\nint f() { return g<short>(1); }", "int 2/2"},
    {"template <class T> void k(T *p) { return *p; }\nvoid h() { k<double><<<1, 2>>>(0); }",
     "float 8/8"},
    {"template <class T> void k(T *p) { return *p; }\n"
     "void h() { k<double><<<1, 2>>>(0); k<float><<<1, 2>>>(0); }",
     "?"},
    {"template <class T> void k(T *p) { return *p; }\nvoid h(double *d) { k<<<1, 2>>>(d); }",
     "float 8/8"},
    {"template <class T> void k(const T *__restrict__ p, T q[]) { return *p; }\n"
     "void h(float *e) { double *d; k<<<1, 2>>>(x, e); k<<<1, 2>>>(d, e); }",
     "?"},
    {"template <class T> void k(int n, T q[]) { return *q; }\n"
     "void h(float4 *e) { k<<<1, 2>>>(3, e); k(4, e + 1); }",
     "vector 16/16 x4 float 4/4"},
    {"template <class T> void k(T n) { return n; }\ntemplate <class U> void h(U *u) { k(*u); }\n"
     "void g(short *s) { h(s); }",
     "int 2/2"},
    {"template <class T> void k(T n) { k(n); return n; }", "?"},
    {"template <class T = int> void k(T *p) { return *p; }\nvoid h() { k<<<1, 2>>>(0); }",
     "int 4/4"},
    {"typedef float real;\ntypedef real vec[4];\nint f(vec *v) { return *v; }",
     "array 16/4 x4 float 4/4"},
    {"using T = U;\nusing U = T;\nint f(T v) { return v; }", "?"},
    {"#ifdef A\ntypedef float real;\n#else\ntypedef double real;\n#endif\nint f(real v) { return "
     "v; }",
     "?"},
    {"#define real float\nint f(real v) { return v; }", "float 4/4"},
    {"enum E : short { A };\nint f(E v) { return v; }", "int 2/2"},
    {"int f(int v) { return sizeof(v); }", "uint 8/8"},
    {"int f(unsigned v) { decltype(v) w = 1; return w; }", "uint 4/4"},
    {"int f(nosuch v) { return v; }", "?"},
};

START_TEST(test_types)
{
    const struct example *example = &types[_i];
    struct parse parse;
    struct strbuf out = STRBUF_INIT;
    parse_text(&parse, example->text, NULL);
    put_type(&out, type_of(&parse.model, asked(&parse)));
    ck_assert_msg(!strcmp(out.text, example->wanted), "%s\nis %s instead of %s", example->text,
                  out.text, example->wanted);
    strbuf_release(&out);
    parse_release(&parse);
}
END_TEST

static const struct example shared[] = {
    {"__global__ void k() { __shared__ float a[4][5], b; }",
     "a array 80/4 x4 array 20/4 x5 float 4/4; b float 4/4"},
    {"__global__ void k() { extern __shared__ char a[]; }", "a dynamic array x0 int 1/1"},
    {"extern __shared__ double a[];\n__global__ void k() {}", "a dynamic array x0 float 8/8"},
    {"template <typename T> __global__ void k() { extern __shared__ __align__(16) T a[]; }",
     "a dynamic array x0 ?"},
    {"template <int N> __global__ void k() { __shared__ float a[N]; }\n"
     "void h() { k<32><<<1, 2>>>(); k<64><<<1, 2>>>(); }",
     "a array 256/4? x64 float 4/4"},
    {"template <int N> __global__ void k() { __shared__ float a[N]; }", "a array x0 float 4/4"},
    {"__global__ void k() { __shared__ struct { int a; double b; } s[3]; }",
     "s array 48/8 x3 record 16/8"},
    {"__global__ void k() { __shared__ union { int a; char b[7]; } s; }", "s record 8/4"},
    {"struct T { float4 v; int n; };\n__global__ void k() { __shared__ T s; }", "s record 32/16"},
    {"__global__ void k() { if (1) { __shared__ int a[2]; } __shared__ int b[3]; }",
     "a array 8/4 x2 int 4/4; b array 12/4 x3 int 4/4"},
    {"__device__ void d() { __shared__ int a; }\n__global__ void k() { __shared__ int b; }",
     "a int 4/4; b int 4/4"},
    {"__global__ void k() { __shared__ alignas(16) half2 a[8]; }",
     "a array 32/4 x8 vector 4/4 x2 float 2/2"},
    {"#define K(T) __global__ void k_##T() { __shared__ T a[4]; }\nK(int)", "a array x4 ?"},
    {"__global__ void k() { __shared__ typename B::TempStorage t; }", "t ?"},
    {"__global__ void k() { __shared__ int a[1ull << 60][1ull << 60]; }",
     "a array x1152921504606846976 array 4611686018427387904/4 x1152921504606846976 int 4/4"},
};

START_TEST(test_shared)
{
    const struct example *example = &shared[_i];
    struct parse parse;
    struct strbuf out = STRBUF_INIT;
    parse_text(&parse, example->text, NULL);
    size_t count;
    const struct shared_object *objects = model_shared_objects(&parse.model, &count);
    for (size_t i = 0; i < count; ++i) {
        strbuf_printf(&out, "%s%s%s ", i ? "; " : "",
                      tree_symbol(&parse.unit, objects[i].declarator)->text,
                      objects[i].dynamic ? " dynamic" : "");
        put_type(&out, objects[i].type);
    }
    ck_assert_msg(!strcmp(out.text ? out.text : "", example->wanted), "%s\nis %s instead of %s",
                  example->text, out.text, example->wanted);
    strbuf_release(&out);
    parse_release(&parse);
}
END_TEST

/* What a name means. */
START_TEST(test_lookup)
{
    static const struct {
        const char *text, *name;
        enum name_kind kind;
    } examples[] = {
        {"#define X 1\nint f() { return X; }", "X", NAME_MACRO},
        {"const int X = 1;\nint f() { return X; }", "X", NAME_VARIABLE},
        {"int f() { int X; return X; }", "X", NAME_LOCAL},
        {"int f(int X) { return X; }", "X", NAME_PARAMETER},
        {"template <int X> int f() { return X; }", "X", NAME_TEMPLATE_PARAMETER},
        {"enum { X };\nint f() { return X; }", "X", NAME_ENUMERATOR},
        {"int X();\nint f() { return X(); }", "X", NAME_FUNCTION},
        {"struct X {};\nint f() { return X(); }", "X", NAME_TYPE},
        {"int f() { return X; }\nint X;", "X", NAME_UNKNOWN},
        {"int f() { { int X; } return X; }", "X", NAME_UNKNOWN},
    };
    for (int i = 0; i < COUNT(examples); ++i) {
        struct parse parse;
        parse_text(&parse, examples[i].text, NULL);
        struct name_meaning meaning =
            model_lookup(&parse.model, symbol_find(&parse.symbols, examples[i].name),
                         asked(&parse)->tokens.begin);
        ck_assert_msg(meaning.kind == examples[i].kind, "%s: %d", examples[i].text,
                      (int)meaning.kind);
        ck_assert((meaning.token == NO_TOKEN) == (meaning.kind == NAME_UNKNOWN));
        if (meaning.kind == NAME_LOCAL || meaning.kind == NAME_VARIABLE)
            ck_assert_ptr_nonnull(meaning.declarator);
        parse_release(&parse);
    }
}
END_TEST

START_TEST(test_origin)
{
    struct parse parse;
    struct constant c;
    parse_text(&parse, "#define N M\n#define M 4\nint f() { return 2 * N; }", NULL);
    ck_assert(constant_of(&parse.model, asked(&parse), &c));
    ck_assert_uint_eq(c.origin, 2);
    parse_release(&parse);
}
END_TEST

START_TEST(test_functions)
{
    struct parse parse;
    parse_text(&parse,
               "void a(void) { struct L { int m() { return 1; } }; }\nvoid b(int x, float *y);",
               NULL);
    ck_assert_uint_eq(parse.unit.functions.count, 3);
    ck_assert_uint_eq(model_function(&parse.model, 0)->param_count, 0);
    ck_assert_uint_eq(model_function(&parse.model, 2)->param_count, 2);
    ck_assert_ptr_null(model_function(&parse.model, 2)->body);
    ck_assert_uint_eq(model_function_at(&parse.model, 0), NO_INDEX);
    const struct function *inner = &parse.unit.functions.items[1];
    ck_assert_uint_eq(model_function_at(&parse.model, inner->body.begin), 1);
    ck_assert_uint_eq(model_function_at(&parse.model, inner->body.end), 0);
    ck_assert_uint_eq(model_function_at(&parse.model, parse.unit.functions.items[2].name),
                      NO_INDEX);
    parse_release(&parse);
}
END_TEST

/* Hostile text: whatever comes, in time and without a crash. */

/* Asks for everything. */
static void ask_all(struct parse *parse)
{
    struct constant c;
    size_t count;
    for (uint32_t i = 0; i < parse->unit.tokens.list.count; ++i) {
        const struct token *token = unit_token(&parse->unit, i);
        if (token->kind == TOK_IDENT) {
            model_lookup(&parse->model, token->symbol, i);
            constant_of_name(&parse->model, token->symbol, i, &c);
        }
    }
    model_shared_objects(&parse->model, &count);
    struct launch_blocks blocks;
    for (size_t i = 0; i < parse->unit.functions.count; ++i)
        model_blocks(&parse->model, i, &blocks);
}

/* The steps that asking for everything in N times the text of PUT takes. */
static uint64_t work_of(void (*put)(struct strbuf *out, int n), int n)
{
    struct strbuf text = STRBUF_INIT;
    put(&text, n);
    struct parse parse;
    parse_text(&parse, text.text, NULL);
    ask_all(&parse);
    uint64_t res = parse.model.work;
    parse_release(&parse);
    strbuf_release(&text);
    return res;
}

static void put_macros(struct strbuf *out, int n)
{
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "#define M%d (M%d + M%d)\n", i + 1, i, i);
}

static void put_same_macro(struct strbuf *out, int n)
{
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "#ifdef A%d\n#define M %d\n#endif\nint f%d() { return M; }\n", i, i, i);
}

static void put_cycle(struct strbuf *out, int n)
{
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "const int c%d = c%d + c%d;\n", i, (i + 1) % n, (i + 2) % n);
}

static void put_chain(struct strbuf *out, int n)
{
    strbuf_printf(out, "const int c0 = 1;\n");
    for (int i = 1; i < n; ++i)
        strbuf_printf(out, "const int c%d = c%d + 1;\n", i, i - 1);
}

static void put_enumerators(struct strbuf *out, int n)
{
    strbuf_printf(out, "enum {\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "e%d,\n", i);
    strbuf_printf(out, "};\n");
}

static void put_instances(struct strbuf *out, int n)
{
    strbuf_printf(out, "template <int N> void k() { __shared__ int a[N]; k<N>(); }\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "void f%d() { k<%d><<<1, 2>>>(); }\n", i, i % 4);
}

static void put_scopes(struct strbuf *out, int n)
{
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "namespace n%d { const int N = %d; int f() { int i = N; return i; } }\n",
                      i, i);
}

static void put_classes(struct strbuf *out, int n)
{
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "struct S%d { S%d a, b; enum { N = sizeof(S%d) }; };\n", i,
                      i ? i - 1 : 0, i);
}

static void put_nested(struct strbuf *out, int n)
{
    strbuf_printf(out, "int f() { return ");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "(1 + ");
    strbuf_printf(out, "1");
    for (int i = 0; i < n; ++i)
        strbuf_addc(out, ')');
    strbuf_printf(out, "; }\n");
}

static void put_blocks(struct strbuf *out, int n)
{
    strbuf_printf(out, "int f() ");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "{ int x = 1; ");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "x; }");
    strbuf_addc(out, '\n');
}

static void put_locals(struct strbuf *out, int n)
{
    strbuf_printf(out, "int f() {\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "int x%d = x%d + 1; { int y = %d; g(y); }\n", i, i - 1, i);
    strbuf_printf(out, "}\n");
}

static void put_calls(struct strbuf *out, int n)
{
    strbuf_printf(out, "int g0(int x) { return x; }\n");
    for (int i = 1; i < n; ++i)
        strbuf_printf(out, "int g%d(int x) { return g%d(g%d(x)); }\nconst int c%d = g%d(1);\n", i,
                      i - 1, i - 1, i, i);
}

static void put_expansions(struct strbuf *out, int n)
{
    strbuf_printf(out, "template <int N, class T> void k(T *p) { __shared__ T a[N]; }\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out,
                      "#define L%d(n) L%d(n); L%d(n + 1); k<n>(p)\n"
                      "void f%d(int *p) { L%d(%d); k(p); }\n",
                      i, i + 1, i + 2, i, i, i % 3);
}

static void put_members(struct strbuf *out, int n)
{
    strbuf_printf(out, "struct S {\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "int a%d;\n", i);
    strbuf_printf(out, "};\n__global__ void k()\n{\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "__shared__ S s%d[2];\n", i);
    strbuf_printf(out, "}\n");
}

static void (*const hostile[])(struct strbuf *out, int n) = {
    put_macros,    put_same_macro, put_cycle,      put_chain,   put_enumerators,
    put_instances, put_scopes,     put_classes,    put_nested,  put_blocks,
    put_locals,    put_calls,      put_expansions, put_members,
};

/* Four times the text takes about four times the work; text CASE is N times what PUT makes. */
static void compare_work(void (*put)(struct strbuf *out, int n), int n, int number)
{
    uint64_t once = work_of(put, n), more = work_of(put, 4 * n);
    ck_assert_uint_gt(once, 0);
    ck_assert_msg(more < 6 * once, "case %d: %" PRIu64 " and %" PRIu64 " steps", number, once,
                  more);
}

START_TEST(test_hostile)
{
    compare_work(hostile[_i], 2000, _i);
}
END_TEST

static void put_many_macros(struct strbuf *out, int n)
{
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "#define M%d %d\n", i, i);
}

static void put_same_locals(struct strbuf *out, int n)
{
    strbuf_printf(out, "__global__ void k()\n{\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "__shared__ int a[32]; a[%d] = f(&a); a = %d;\n", i, i);
    strbuf_printf(out, "}\n");
}

static void put_same_kernels(struct strbuf *out, int n)
{
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "__global__ void k(int *p) { }\n");
    strbuf_printf(out, "void f(int *p)\n{\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out, "k<<<1, %d>>>(p);\n", i % 1000 + 1);
    strbuf_printf(out, "}\n");
}

/* The same macro, which launches a kernel, defined and used again and again. */
static void put_launch_macros(struct strbuf *out, int n)
{
    strbuf_printf(out, "__global__ void k(int *p) { }\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out,
                      "#define RUN(b) k<<<1, b>>>(p)\n"
                      "void f(int *p)\n{\nRUN(%d);\n}\n",
                      i % 1000 + 1);
}

/* Likewise, with another text each time. */
static void put_other_launch_macros(struct strbuf *out, int n)
{
    strbuf_printf(out, "__global__ void k(int *p) { }\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out,
                      "#define RUN(b) k<<<%d, b>>>(p)\n"
                      "void f(int *p)\n{\nRUN(%d);\n}\n",
                      i + 1, i % 1000 + 1);
}

/* The same functions again and again, of which one hands its argument to a launch. */
static void put_same_callers(struct strbuf *out, int n)
{
    strbuf_printf(out, "__global__ void k(int *p) { }\n");
    for (int i = 0; i < n; ++i)
        strbuf_printf(out,
                      "void run(int *p, int b) { k<<<1, b>>>(p); }\n"
                      "void f%d(int *p) { run(p, %d); }\n",
                      i, i % 1000 + 1);
}

static void (*const many[])(struct strbuf *out, int n) = {
    put_many_macros,   put_same_locals,         put_same_kernels,
    put_launch_macros, put_other_launch_macros, put_same_callers,
};

/* What is bounded shows only here that it grows until then. */
START_TEST(test_many)
{
    compare_work(many[_i], 25000, _i);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model");
    TCase *tcase = tcase_create("model");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_values, 0, COUNT(values));
    tcase_add_test(tcase, test_defines);
    tcase_add_loop_test(tcase, test_types, 0, COUNT(types));
    tcase_add_loop_test(tcase, test_shared, 0, COUNT(shared));
    tcase_add_test(tcase, test_lookup);
    tcase_add_test(tcase, test_origin);
    tcase_add_test(tcase, test_functions);
    tcase_add_loop_test(tcase, test_hostile, 0, COUNT(hostile));
    tcase_add_loop_test(tcase, test_many, 0, COUNT(many));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
