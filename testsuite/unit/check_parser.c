/* The parser: what it finds in small texts, printed and compared with what is wanted. */
#include <config.h>

#include "parser/unit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "testsuite/unit/parse.h"
#include "testsuite/unit/suite.h"

/* Printing: one island after the other, with "; " between them. */

static void put_field(struct strbuf *out, const struct unit *unit, const char *name,
                      struct range range)
{
    if (range.begin >= range.end)
        return;
    strbuf_printf(out, " %s[", name);
    put_range(out, unit, range);
    strbuf_addc(out, ']');
}

static void put_condition(struct strbuf *out, const struct unit *unit, const struct condition *c)
{
    switch (c->kind) {
    case COND_OPAQUE:
        strbuf_addc(out, '?');
        break;
    case COND_NUMBER:
        strbuf_printf(out, "%lld", c->value);
        break;
    case COND_NAME:
        strbuf_adds(out, unit_token(unit, c->token)->symbol->text);
        break;
    case COND_DEFINED:
        strbuf_printf(out, "defined:%s", unit_token(unit, c->token)->symbol->text);
        break;
    case COND_CALL:
        strbuf_printf(out, "call:%s", unit_token(unit, c->token)->symbol->text);
        break;
    case COND_UNARY:
    case COND_BINARY:
    case COND_TERNARY:
        strbuf_printf(out, "(%s", token_kind_name(c->op));
        for (int i = 0; i < 3 && c->arg[i]; ++i) {
            strbuf_addc(out, ' ');
            put_condition(out, unit, c->arg[i]);
        }
        strbuf_addc(out, ')');
        break;
    }
}

static void separate(struct strbuf *out)
{
    if (out->len)
        strbuf_adds(out, "; ");
}

static void put_directives(struct strbuf *out, const struct unit *unit)
{
    static const char *const regions[] = {"", " hip-side", " cuda-side"};
    vec_each (const struct directive, d, &unit->directives) {
        separate(out);
        strbuf_adds(out, d->kind == TOK_IDENT ? "#?" : token_kind_name(d->kind));
        if (d->name != NO_TOKEN && !d->condition) {
            strbuf_addc(out, ' ');
            put_range(out, unit, (struct range){d->name, d->name + 1});
        }
        if (d->function_like)
            strbuf_adds(out, "()");
        put_field(out, unit, "params", d->params);
        if (d->kind == TOK_PP_DEFINE || d->kind == TOK_PP_PRAGMA)
            put_field(out, unit, "body", d->body);
        if (d->condition) {
            strbuf_addc(out, ' ');
            put_condition(out, unit, d->condition);
        }
        strbuf_printf(out, "%s%s%s", regions[d->region], d->hidden ? " hidden" : "",
                      d->guard ? " guard" : "");
    }
}

static void put_scopes(struct strbuf *out, const struct unit *unit)
{
    static const char *const kinds[] = {"namespace", "class", "enum", "function"};
    vec_each (const struct scope, scope, &unit->scopes) {
        separate(out);
        strbuf_printf(out, "%s %s", kinds[scope->kind], scope->name ? scope->name->text : "-");
        if (scope->parent != NO_INDEX) {
            const struct symbol *name = unit->scopes.items[scope->parent].name;
            strbuf_printf(out, " in %s", name ? name->text : "-");
        }
    }
}

static void put_functions(struct strbuf *out, const struct unit *unit)
{
    static const char *const flags[] = {"global",   "device", "host",        "template",
                                        "in-macro", "friend", "device-macro"};
    vec_each (const struct function, fn, &unit->functions) {
        separate(out);
        strbuf_adds(out, unit_token(unit, fn->name)->symbol->text);
        for (unsigned i = 0; i < sizeof flags / sizeof *flags; ++i)
            if (fn->flags & 1u << i)
                strbuf_printf(out, " %s", flags[i]);
        put_field(out, unit, "bounds", fn->bounds);
        put_field(out, unit, "params", fn->params);
        if (fn->body.begin < fn->body.end) {
            ck_assert_int_eq(unit_token(unit, fn->body.begin)->kind, TOK_LBRACE);
            ck_assert_int_eq(unit_token(unit, fn->body.end - 1)->kind, TOK_RBRACE);
            strbuf_adds(out, " body");
        }
    }
}

static void put_variables(struct strbuf *out, const struct unit *unit)
{
    static const char *const flags[] = {"shared", "constant", "device", "managed", "extern"};
    vec_each (const struct variable, variable, &unit->variables) {
        separate(out);
        strbuf_adds(out, unit_token(unit, variable->name)->symbol->text);
        for (unsigned i = 0; i < sizeof flags / sizeof *flags; ++i)
            if (variable->flags & 1u << i)
                strbuf_printf(out, " %s", flags[i]);
    }
}

static void put_launches(struct strbuf *out, const struct unit *unit)
{
    vec_each (const struct launch, launch, &unit->launches) {
        separate(out);
        put_range(out, unit, launch->callee);
        for (int i = 0; i < launch->config_count; ++i)
            put_field(out, unit, i ? "" : "config", launch->config[i]);
        for (int i = 0; i < launch->arg_count; ++i)
            put_field(out, unit, i ? "" : "args", launch->args[i]);
        ck_assert_int_eq(unit_token(unit, launch->open)->kind, TOK_LAUNCH_OPEN);
        ck_assert_int_eq(unit_token(unit, launch->lparen)->kind, TOK_LPAREN);
        ck_assert_uint_eq(unit_partner(unit, launch->lparen), launch->rparen);
        ck_assert_uint_eq(unit_partner(unit, launch->open), launch->close);
    }
}

/* Each opening bracket that has a partner, with what lies between. */
static void put_pairs(struct strbuf *out, const struct unit *unit)
{
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        uint32_t partner = unit_partner(unit, i);
        if (partner == NO_TOKEN || partner < i || unit_token(unit, i)->kind == TOK_HASH)
            continue;
        separate(out);
        put_range(out, unit, (struct range){i, partner + 1});
    }
}

/* The arguments of the first call: of the first parenthesis. */
static void put_arguments(struct strbuf *out, const struct unit *unit)
{
    uint32_t at = 0;
    while (unit_token(unit, at)->kind != TOK_LPAREN && unit_token(unit, at)->kind != TOK_EOF)
        ++at;
    struct arguments args;
    if (!unit_arguments(unit, at, unit->arena, &args)) {
        strbuf_adds(out, "none");
        return;
    }
    strbuf_printf(out, "%d", args.count);
    for (int i = 0; i < args.count; ++i)
        put_field(out, unit, "", args.items[i]);
    ck_assert_uint_eq(args.tokens.begin, at);
}

static void put_regions(struct strbuf *out, const struct unit *unit)
{
    static const char *const regions[] = {"common", "hip", "cuda"};
    for (uint32_t i = 0; i < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind != TOK_IDENT || token->flags & TOKEN_DIRECTIVE)
            continue;
        separate(out);
        strbuf_printf(out, "%s %s", token->symbol->text, regions[token_region(token)]);
    }
}

static void put_diag(struct strbuf *out, struct parse *parse)
{
    char *text = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&text, &len);
    diag_flush(&parse->diag, file);
    fclose(file);
    strbuf_add(out, text, len);
    free(text);
}

struct row {
    const char *text;
    const char *found;
};

static void check_row(const struct row *row, void (*put)(struct strbuf *, const struct unit *))
{
    struct parse parse;
    parse_bytes(&parse, row->text, strlen(row->text));
    struct strbuf out = STRBUF_INIT;
    put(&out, &parse.unit);
    strbuf_add(&out, "", 0);
    const char *res = out.text ? out.text : "";
    ck_assert_msg(!strcmp(res, row->found), "\n  text:  %s\n  found: %s\n  want:  %s", row->text,
                  res, row->found);
    strbuf_release(&out);
    parse_release(&parse);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A directive: its word, name, "()" for a function-like macro, parameters, body, condition, and
   what is known of its branch. */
static const struct row directives[] = {
    {"#include <a>\n#include \"b\"\n#include C\n#import <d>\n#include_next <e>",
     "#include <a>; #include \"b\"; #include; #import <d>; #include_next <e>"},
    {"#define A", "#define A"},
    {"#define A 1 + 2", "#define A body[1 + 2]"},
    {"#define F(a, b) a + b", "#define F() params[a , b] body[a + b]"},
    {"#define F() x", "#define F() body[x]"},
    {"#define F(a, ...) g(__VA_ARGS__)", "#define F() params[a , ...] body[g ( __VA_ARGS__ )]"},
    {"#define F (a)", "#define F body[( a )]"},
    {"#define if(x) if (x)", "#define if() params[x] body[if ( x )]"},
    {"#define A \\\n  b \\\n  c\nd", "#define A body[b c]"},
    {"#undef A\n#pragma once\n#pragma unroll 4\n#line 3\n#error x",
     "#undef A; #pragma once; #pragma unroll body[4]; #line; #error"},
    {"#foo bar", "#? bar"},
    {"#", "#?"},
    {"#ifdef A\n#elif B\n#else\n#endif", "#ifdef defined:A; #elif B; #else; #endif"},
    {"#ifndef A\n#endif", "#ifndef defined:A; #endif"},
    {"#if 1\n#elif 0x10\n#elif 010\n#elif 'a'\n#endif",
     "#if 1; #elif 16 hidden; #elif 8 hidden; #elif ? hidden; #endif"},
    {"#if 10L == 5u * 2\n#endif", "#if (== 10 (* 5 2)); #endif"},
    {"#if A\n#endif", "#if A; #endif"},
    {"#if defined(A) && !defined B\n#endif", "#if (&& defined:A (! defined:B)); #endif"},
    {"#if A(1, 2) > 3\n#endif", "#if (> call:A 3); #endif"},
    {"#if A || B && C | D ^ E & F == G < H << I + J * K\n#endif",
     "#if (|| A (&& B (| C (^ D (& E (== F (< G (<< H (+ I (* J K)))))))))); #endif"},
    {"#if -1 + ~2 - +3\n#endif", "#if (- (+ (- 1) (~ 2)) 3); #endif"},
    {"#if A ? B : C ? D : E\n#endif", "#if (? A B (? C D E)); #endif"},
    {"#if not A and B or C\n#endif", "#if (|| (&& (! A) B) C); #endif"},
    {"#if __has_include(<x.h>)\n#endif", "#if call:__has_include; #endif"},
    {"#if A >= 700 && A < 800 // c\n#endif", "#if (&& (>= A 700) (< A 800)); #endif"},
    {"#if defined /* c */ ( A )\n#endif", "#if defined:A; #endif"},
    {"#if\n#endif", "#if; #endif"},
    {"#if A B\n#endif", "#if A; #endif"},
    {"#if A &&\n#endif", "#if; #endif"},
    {"#if \"x\"\n#endif", "#if; #endif"},
    {"#ifdef\n#endif", "#ifdef; #endif"},
    {"#ifndef H\n#define H\nint a;\n#endif", "#ifndef defined:H guard; #define H; #endif"},
    {"#ifndef H\n#define H\n#endif\nint a;", "#ifndef defined:H; #define H; #endif"},
    {"int a;\n#ifndef H\n#define H\n#endif", "#ifndef defined:H; #define H; #endif"},
    {"#if !defined(H)\n#define H 1\n#endif", "#if (! defined:H) guard; #define H body[1]; #endif"},
    {"#ifndef H\n#define G\n#endif", "#ifndef defined:H; #define G; #endif"},
    {"#ifndef H\n#define H\n#else\n#endif", "#ifndef defined:H; #define H; #else; #endif"},
    {"#ifndef H\nint a;\n#define H\n#endif", "#ifndef defined:H; #define H; #endif"},
    {"#ifdef __CUDACC__\n#else\n#endif", "#ifdef defined:__CUDACC__; #else hidden; #endif"},
    {"#ifndef __CUDACC__\n#endif", "#ifndef defined:__CUDACC__ hidden; #endif"},
    {"#ifdef USE_HIP\n#else\n#endif",
     "#ifdef defined:USE_HIP hip-side; #else cuda-side hidden; #endif"},
    {"#if defined(__CUDACC__) || defined(__HIPCC__)\n#else\n#endif",
     "#if (|| defined:__CUDACC__ defined:__HIPCC__); #else hidden; #endif"},
    {"#ifdef A\n#ifdef __HIP__\n#if B\n#endif\n#else\n#endif\n#endif",
     "#ifdef defined:A; #ifdef defined:__HIP__ hip-side; #if B hip-side; #endif hip-side; #else "
     "cuda-side hidden; #endif; #endif"},
    {"#ifdef __CUDA_ARCH__\n#endif", "#ifdef defined:__CUDA_ARCH__; #endif"},
    {"#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\n#else\n#endif",
     "#if (&& defined:__CUDA_ARCH__ (>= __CUDA_ARCH__ 700)) hidden; #else; #endif"},
    {"#if !defined(__CUDA_ARCH__) || 700 <= __CUDA_ARCH__\n#else\n#endif",
     "#if (|| (! defined:__CUDA_ARCH__) (<= 700 __CUDA_ARCH__)); #else hidden; #endif"},
    {"#if __CUDA_ARCH__\n#else\n#endif", "#if __CUDA_ARCH__; #else; #endif"},
    {"#if 0\n#else\n#endif", "#if 0 hidden; #else; #endif"},
    {"#if 1\n#else\n#endif", "#if 1; #else hidden; #endif"},
    {"#ifdef __HIP_PLATFORM_AMD__\n#elif defined(__HIP_PLATFORM_NVIDIA__)\n#else\n#endif",
     "#ifdef defined:__HIP_PLATFORM_AMD__ hip-side; #elif defined:__HIP_PLATFORM_NVIDIA__ "
     "cuda-side hidden; #else cuda-side hidden; #endif"},
    {"#if CUDART_VERSION > 9000\n#else\n#endif",
     "#if (> CUDART_VERSION 9000) hidden; #else; #endif"},
    {"#ifdef WHIP\n#endif\n#ifdef A_HIP_B\n#endif",
     "#ifdef defined:WHIP; #endif; #ifdef defined:A_HIP_B hip-side; #endif"},
};

/* Which side of a conditional that names HIP each identifier lies on. */
static const struct row regions[] = {
    {"a\n#ifdef USE_HIP\nb\n#else\nc\n#endif\nd", "a common; b hip; c cuda; d common"},
    {"#ifndef USE_HIP\nb\n#else\nc\n#endif", "b cuda; c hip"},
    {"#ifdef __CUDACC__\na\n#else\nb\n#endif", "a common; b common"},
    {"#if defined(USE_HIP) || defined(USE_CUDA)\na\n#endif", "a common"},
    {"#ifdef A\na\n#ifdef __HIPCC__\nb\n#else\nc\n#ifdef "
     "B\nd\n#else\ne\n#endif\nf\n#endif\ng\n#endif",
     "a common; b hip; c cuda; d cuda; e cuda; f cuda; g common"},
    {"#ifdef USE_ROCM\na\n#elif defined(USE_CUDA)\nb\n#else\nc\n#endif", "a hip; b cuda; c cuda"},
    {"#if USE_HIP\na\n#endif\nb", "a hip; b common"},
    {"#ifdef USE_HIP\na", "a hip"},
    {"#if __HIP_DEVICE_COMPILE__\na\n#endif", "a hip"},
    {"#ifdef __NVCC__\na\n#else\nb\n#endif", "a common; b common"},
};

/* Scopes in the order of their braces. */
static const struct row scopes[] = {
    {"namespace a { namespace b { } namespace { } }",
     "namespace a; namespace b in a; namespace - in a"},
    {"namespace a::b { int x; }", "namespace b"},
    {"inline namespace v1 { }", "namespace v1"},
    {"struct s { int f() { return 0; } struct t { }; };", "class s; function f in s; class t in s"},
    {"template <class T> struct s<T *> { };", "class s"},
    {"union u { int a; };", "class u"},
    {"struct { int a; } x;", "class -"},
    {"enum e { A, B };", "enum e"},
    {"enum class e : int { A };", "enum e"},
    {"enum { A };", "enum -"},
    {"typedef struct s { int a; } t;", "class s"},
    {"extern \"C\" { void f() { } }", "function f"},
    {"int f() { if (x) { { } } }", "function f"},
    {"bool operator==(a, b) { } s::operator int() { }", "function operator; function operator"},
    {"struct alignas(16) s { };", "class s"},
    {"struct __align__(8) s { int a; };", "class s"},
    {"struct __attribute__((packed)) s { };", "class s"},
    {"auto l = [](int a) { return a; };", ""},
    {"int a[] = { 1, 2 };", ""},
    {"struct s x = { 1 };", ""},
    {"void f() try { } catch (...) { }", "function f"},
    {"auto f() -> int { }", "function f"},
    {"template <class T> requires C<T> void f() { }", "function f"},
    {"namespace a { } namespace b = a;", "namespace a"},
    {"struct s; class t; struct s *f() { }", "function f"},
    {"void f() { struct local { int g() { } }; }",
     "function f; class local in f; function g in local"},
    {"BEGIN_X namespace n { int a; } END_X", "namespace n"},
    {"class API(x) s : public b<t> { void f() { } };", "class s; function f in s"},
    {"struct HIDDEN ALIGNED(alignof(t)) s<t> { void f() { } };", "class s; function f in s"},
    {"template <class T> requires a<T> && (b || c::d<T>) struct s { void f() { } };",
     "class s; function f in s"},
    {"DEPRECATED(\"x\") struct s { void f() { } };", "class s; function f in s"},
    {"struct s f(x) override { }", "function f"},
    {"MACRO(x) { }", "function MACRO"},
    {"#define M namespace x {\nint a;", ""},
    {"void f() const noexcept(true) override { }", "function f"},
};

/* Function heads: name, flags, launch bounds, parameters, whether there is a body. */
static const struct row functions[] = {
    {"__global__ void k() { }", "k global body"},
    {"__global__ void k(int *p, float x);", "k global params[int * p , float x]"},
    {"extern \"C\" __global__ void k(int n) { }", "k global params[int n] body"},
    {"template <class T, int N = 4> __global__ void k(T *p) { }",
     "k global template params[T * p] body"},
    {"__global__ void __launch_bounds__(256, 2) k(int *p) { }",
     "k global bounds[256 , 2] params[int * p] body"},
    {"__launch_bounds__(N * 2) __global__ void k() { }", "k global bounds[N * 2] body"},
    {"static __device__ __forceinline__ int f(int x) { return x; }", "f device params[int x] body"},
    {"__host__ __device__ f(int x);", ""},
    {"__device__ float2 operator+(float2 a, float2 b) { }",
     "operator device params[float2 a , float2 b] body"},
    {"template <> __global__ void k<int>(int *p) { }", "k global template params[int * p] body"},
    {"template __global__ void k<float>(float *);", "k global template params[float *]"},
    {"__global__ static void k(void) { }", "k global params[void] body"},
    {"void __global__ k() { }", "k global body"},
    {"__attribute__((global)) void k() { }", "k body"},
    {"namespace n { __global__ void k(dim3 a = dim3(1, 2), int b = f(3)) { } }",
     "k global params[dim3 a = dim3 ( 1 , 2 ) , int b = f ( 3 )] body"},
    {"__device__ auto f(int a) -> decltype(a) { }", "f device params[int a] body"},
    {"__device__ void (*pointer)(int);", ""},
    {"int f(int a) { return g(a); }", "f params[int a] body"},
    {"#define K(name) __global__ void name(int *p) { *p = 0; }",
     "name global in-macro params[int * p] body"},
    {"#define D __device__\nD int f() { }", "f device-macro body"},
    {"#define D static __device__\n#define E inline D\nE int f() { }", "f device-macro body"},
    {"X_HOST_DEVICE X_FORCEINLINE T f(T x) { }", "f device-macro params[T x] body"},
    {"XHD T f() { } A_HD T g() { } __hostdev__ T h() { } Device i() { }",
     "f body; g device-macro body; h device-macro body; i body"},
    {"BEGIN_SPACE\nnamespace n { X_DEVICE int f() { } } END_SPACE", "f device-macro body"},
    {"_TEMPLATE(class T) _REQUIRES(A<T>) _API int f(T x) { }", "f params[T x] body"},
    {"__global__ void BOUNDS(256) k(int *p) { }", "k global params[int * p] body"},
    {"BOUNDS(256) __global__ void k(int *p) { }", "k global params[int * p] body"},
    {"MACRO(x) f(int a) { }", "f params[int a] body"},
    {"extern int f(int a) __THROW __nonnull((1));", "f params[int a]"},
    {"struct s { void f(int a) override REQUIRES(mu) { } };", "f params[int a] body"},
    {"auto f(int a) -> g<decltype(h(a))> REQUIRES(mu) { }", "f params[int a] body"},
    {"struct s { s(int a) : b(a), c{a} { } ~s() { } s(s &&) = default; operator T() { } };",
     "s params[int a] body; s body; operator body"},
    {"template <class T> requires requires(T t) { t.x; } void f(T a) { }",
     "f template params[T a] body"},
    {"struct s { template <class T> auto operator()(T a) const -> T { } };",
     "operator template params[T a] body"},
    {"DECL int f(int a) END_DECL\nextern \"C\" { int g(int b) { } }",
     "f params[int a]; g params[int b] body"},
    {"__global__ void k(int (*f)(int), T (&a)[4]) { }",
     "k global params[int ( * f ) ( int ) , T ( & a ) [ 4 ]] body"},
    {"template <class F> __global__ void k(F f) { f([=] __device__ (int i) { return i; }); }",
     "k global template params[F f] body"},
    {"__device__ inline bool operator()(int a) const { }", "operator device params[int a] body"},
    {"__device__ operator float() const { }", "operator device body"},
    {"extern __shared__ float s[]; __global__ void k() { }", "k global body"},
    {"__global__\nvoid\nk\n(\nint a\n)\n{\n}", "k global params[int a] body"},
    {"__device__ std::pair<int, float> f(std::vector<int> v, int n) { }",
     "f device params[std :: vector < int > v , int n] body"},
    {"#ifdef A\n__global__ void k(int a)\n#else\n__global__ void k(long a)\n#endif\n{ }",
     "k global params[int a] body"},
    {"__global__ void k(const __grid_constant__ P p) { }",
     "k global params[const __grid_constant__ P p] body"},
    {"__global__ void k() __attribute__((amdgpu_flat_work_group_size(1, 64)));", "k global"},
    {"constexpr __host__ __device__ int f() noexcept { return 1; }", "f device host body"},
    {"__device__ int f(int a = b < c, int d = e > g);",
     "f device params[int a = b < c , int d = e > g]"},
    {"MACRO_API __global__ void k(int a) { }", "k global params[int a] body"},
};

/* Variables with a CUDA attribute. */
static const struct row variables[] = {
    {"__shared__ float s[32][33];", "s shared"},
    {"extern __shared__ int s[];", "s shared extern"},
    {"__constant__ float c[4] = {1, 2};", "c constant"},
    {"__device__ int d = 3;", "d device"},
    {"__device__ const struct s x;", "x device"},
    {"template <class T> __constant__ T c;", "c constant"},
    {"extern __device__ int *p;", "p device extern"},
    {"__shared__ typename T::storage s;", "s shared"},
    {"void f() { __shared__ int a; { extern __shared__ __align__(16) char b[]; } }",
     "a shared; b shared extern"},
    {"__shared__ cuda::barrier<x, y> bar;", "bar shared"},
    {"__device__ int f(int);", ""},
    {"namespace n { __constant__ int c; }", "c constant"},
    {"struct s { static __constant__ int c; };", "c constant"},
    {"int a;", ""},
    {"#define S __shared__ float buf[N]", "buf shared"},
    {"__device__ std::array<int, 3> a{1, 2, 3};", "a device"},
    {"__device__ int (*fp)(int) = f;", ""},
    {"__constant__ int a, *b[2], c = f(1, 2), d{3, 4}, e;",
     "a constant; b constant; c constant; d constant; e constant"},
    {"__device__ float4 a = {1, 2}, b; int c;", "a device; b device"},
    {"__device__ T<int, U> a, b{3};", "a device; b device"},
    {"void f() { __shared__ T a[N], b[M]; int c, d; __shared__ int e = 1, g; }",
     "a shared; b shared; e shared; g shared"},
    {"#define S(n) __shared__ float n[N], m", "n shared; m shared"},
    {"__shared__ int ALIGNED(8) a, b;", "a shared; b shared"},
    {"__shared__ int a, b", "a shared; b shared"},
    {"__shared__ int a, }", "a shared"},
};

/* Launches: callee, configuration, arguments. */
static const struct row launches[] = {
    {"k<<<1, 2>>>();", "k config[1] [2]"},
    {"k<<<g, b, s, t>>>(x, y);", "k config[g] [b] [s] [t] args[x] [y]"},
    {"k<<<dim3(1, 2), f(3, g(4))>>>(h(5, 6), {7, 8});",
     "k config[dim3 ( 1 , 2 )] [f ( 3 , g ( 4 ) )] args[h ( 5 , 6 )] [{ 7 , 8 }]"},
    {"k<int><<<1, 2>>>(x);", "k < int > config[1] [2] args[x]"},
    {"k<a<b>><<<1, 2>>>(x);", "k < a < b >> config[1] [2] args[x]"},
    {"k<a<b<c>>><<<1, 2>>>(x);", "k < a < b < c >>> config[1] [2] args[x]"},
    {"k<1, (2 > 1)><<<1, 2>>>();", "k < 1 , ( 2 > 1 ) > config[1] [2]"},
    {"k<N - 1, true, 'x'><<<1, 2>>>();", "k < N - 1 , true , 'x' > config[1] [2]"},
    {"n::k<<<1, 2>>>(); ::n::k<<<1, 2>>>();", "n :: k config[1] [2]; :: n :: k config[1] [2]"},
    {"n::s<a, b>::k<c><<<1, 2>>>();", "n :: s < a , b > :: k < c > config[1] [2]"},
    {"o.k<<<1, 2>>>(); o->p->k<<<1, 2>>>();", "o . k config[1] [2]; o -> p -> k config[1] [2]"},
    {"o.template k<3><<<1, 2>>>();", "o . template k < 3 > config[1] [2]"},
    {"f[i]<<<1, 2>>>(); f[i][j]<<<1, 2>>>();",
     "f [ i ] config[1] [2]; f [ i ] [ j ] config[1] [2]"},
    {"(*f)<<<1, 2>>>(); (a ? f : g)<<<1, 2>>>(); get(1)<<<1, 2>>>();",
     "( * f ) config[1] [2]; ( a ? f : g ) config[1] [2]; get ( 1 ) config[1] [2]"},
    {"k<<<n >> 1, 1 << 5, (n >>= 2)>>>(x >> 3);",
     "k config[n >> 1] [1 << 5] [( n >>= 2 )] args[x >> 3]"},
    {"k<<<a < b ? a : b, c>>>();", "k config[a < b ? a : b] [c]"},
    {"k<<<[] { return 1, 2; }(), g<3, 4>()>>>();",
     "k config[[ ] { return 1 , 2 ; } ( )] [g < 3 , 4 > ( )]"},
    {"k<<<1, 2 /* c */ >>> /* d */ (x);", "k config[1] [2] args[x]"},
    {"k<<<1,\n    2>>>\n    (x,\n     y);", "k config[1] [2] args[x] [y]"},
    {"return k<<<1, 2>>>(); if (a) k<<<3, 4>>>(); else k<<<5, 6>>>();",
     "k config[1] [2]; k config[3] [4]; k config[5] [6]"},
    {"#define L(k, ...) k<<<1, 2>>>(__VA_ARGS__)\nL(a, b);", "k config[1] [2] args[__VA_ARGS__]"},
    {"CHECK((k<<<1, 2>>>(x)));", "k config[1] [2] args[x]"},
    {"k<<<1, 2>>>(a, j<<<3, 4>>>(b));",
     "k config[1] [2] args[a] [j <<< 3 , 4 >>> ( b )]; j config[3] [4] args[b]"},
    {"k<<<GRID>>>(x);", "k config[GRID] args[x]"},
    {"a << b << c;", ""},
    {"a <<<1;", ""},
    {"k<<<1, 2, 3, 4, 5>>>();", ""},
    {"k<<<1, 2>>>;", ""},
    {"k<<<1, 2>>(x);", ""},
    {"k <<< 1 , 2 >>> ( );", "k config[1] [2]"},
    {"\"k<<<1, 2>>>()\" // k<<<1, 2>>>()", ""},
    {"template <class T> void f() { T::k<<<1, 2>>>(); }", "T :: k config[1] [2]"},
    {"k<<<1, s<int>::n>>>(x);", "k config[1] [s < int > :: n] args[x]"},
    {"k<<<1, f<int>()>>>(x);", "k config[1] [f < int > ( )] args[x]"},
    {"k<<<a>>1, 2>>>(x);", "k config[a >> 1] [2] args[x]"},
    {"k<<<1,2>>>(x), k<<<3,4>>>(y);", "k config[1] [2] args[x]; k config[3] [4] args[y]"},
};

/* Brackets with a partner; angle brackets only where they enclose template arguments. */
static const struct row pairs[] = {
    {"(a [b] {c})", "( a [ b ] { c } ); [ b ]; { c }"},
    {"f(g(h()))", "( g ( h ( ) ) ); ( h ( ) ); ( )"},
    {"a < b, c > d;", ""},
    {"f<a<b>>(c)", "< a < b >>; < b >>; ( c )"},
    {"x < y && z > w", ""},
    {"i < n; j > m", ""},
    {"v<a, b> w;", "< a , b >"},
    {"v<v<v<a>>> w;", "< v < v < a >>>; < v < a >>>; < a >>>"},
    {"v<(a > b)> w;", "< ( a > b ) >; ( a > b )"},
    {"if (a < b) c > d;", "( a < b )"},
    {"a<b>::c<d> e;", "< b >; < d >"},
    {"for (i = 0; i < n; ++i) v<int> w;", "( i = 0 ; i < n ; ++ i ); < int >"},
    {"static_cast<int>(a < b)", "< int >; ( a < b )"},
    {"template <class T, class U = v<T>> f;", "< class T , class U = v < T >>; < T >>"},
    {"template <int N = (3 > 2)> f;", "< int N = ( 3 > 2 ) >; ( 3 > 2 )"},
    {"a < b > c;", "< b >"},
    {"f(a < b, c > (d));", "( a < b , c > ( d ) ); < b , c >; ( d )"},
    {"f<a * b, c + 1>(d)", "< a * b , c + 1 >; ( d )"},
    {"operator<(a, b) > c", "( a , b )"},
    {"a.b<c>(d)", "< c >; ( d )"},
    {"a->b < c", ""},
    {"1 < 2 > 3", ""},
    {"k<<<v<a>::b, c>>>(d)", "<<< v < a > :: b , c >>>; < a >; ( d )"},
    {"x<y>> z", ""},
    {"a >> b > c < d", ""},
    {"v<int(*)(int), char[3]> w", "< int ( * ) ( int ) , char [ 3 ] >; ( * ); ( int ); [ 3 ]"},
    {"cout << a < b; c > d", ""},
    {"(", ""},
    {"a)", ""},
    {"(]", ""},
    {"{ ( }", "{ ( }"},
    {"<a>", ""},
    {"b<>", "< >"},
    {"v<T...>", "< T ... >"},
    {"v<T&&> f(v<U*> a)", "< T && >; ( v < U * > a ); < U * >"},
    {"v<a == b> w", "< a == b >"},
    {"#define M(\n)", ""},
    {"#if A\n{\n#else\n{\n#endif\n}", "{ # else { # endif }"},
    {"#if A\n(a\n#else\n(b\n#endif\n)", "( a # else ( b # endif )"},
    {"f(\n#if A\nx)\n#else\ny)\n#endif", "( # if A x ) # else y )"},
    {"#define O {\n#define C }\n(O C)", "( O C )"},
    {"if (x) {\n#if A\n} else {\n#endif\n}", "( x ); { # if A }; { # endif }"},
};

/* The arguments of the first parenthesis, counted and split. */
static const struct row arguments[] = {
    {"f()", "0"},
    {"f(a)", "1 [a]"},
    {"f(a, b)", "2 [a] [b]"},
    {"f(a, (b, c), d)", "3 [a] [( b , c )] [d]"},
    {"f([a, b](int c, int d) { return c, d; }, e)",
     "2 [[ a , b ] ( int c , int d ) { return c , d ; }] [e]"},
    {"f(v<a, b>(), c)", "2 [v < a , b > ( )] [c]"},
    {"f(a < b, c > d)", "2 [a < b] [c > d]"},
    {"f(a<b>(c), d)", "2 [a < b > ( c )] [d]"},
    {"f({1, 2}, 3)", "2 [{ 1 , 2 }] [3]"},
    {"f(a /* , */, b // ,\n, c)", "3 [a] [b] [c]"},
    {"f(\",\", ',')", "2 [\",\"] [',']"},
    {"f(,)", "none"},
    {"f(a,)", "none"},
    {"f(a", "none"},
    {"f(\n#if A\n b,\n#endif\n c)", "2 [b] [c]"},
    {"f(x ? a : b, c)", "2 [x ? a : b] [c]"},
    {"f(&a, *b, -c)", "3 [& a] [* b] [- c]"},
    {"f(new int[a, b], d)", "2 [new int [ a , b ]] [d]"},
    {"f(k<<<1, 2>>>(3), 4)", "2 [k <<< 1 , 2 >>> ( 3 )] [4]"},
    {"f(a, b...)", "2 [a] [b ...]"},
    {"f((a, b))", "1 [( a , b )]"},
    {"f(v<v<a, b>, c>{}, d)", "2 [v < v < a , b > , c > { }] [d]"},
    {"f(a[b, c], d)", "2 [a [ b , c ]] [d]"},
    {"f(i << 2, j >> 3)", "2 [i << 2] [j >> 3]"},
    {"f(x<y, z>w)", "2 [x < y] [z > w]"},
};

/* What is wrong with a file is said, and nothing else happens. */
static const struct row damaged[] = {
    {"(",
     "test.cu:1:1: warning: `(` has no partner; what lies around it is translated all the same\n"},
    {")",
     "test.cu:1:1: warning: `)` has no partner; what lies around it is translated all the same\n"},
    {"{",
     "test.cu:1:1: warning: `{` has no partner; what lies around it is translated all the same\n"},
    {"}",
     "test.cu:1:1: warning: `}` has no partner; what lies around it is translated all the same\n"},
    {"[",
     "test.cu:1:1: warning: `[` has no partner; what lies around it is translated all the same\n"},
    {"#if A", "test.cu:1:1: warning: this conditional has no #endif\n"},
    {"#endif", "test.cu:1:1: warning: this directive has no #if\n"},
    {"#else", "test.cu:1:1: warning: this directive has no #if\n"},
    {"#elif A", "test.cu:1:1: warning: this directive has no #if\n"},
    {"#if A\n(\n#endif",
     "test.cu:2:1: warning: `(` has no partner; what lies around it is translated all the same\n"},
    {")))", "test.cu:1:1: warning: `)` has no partner; what lies around it is translated all the "
            "same\ntest.cu:1:2: warning: `)` has no partner; what lies around it is translated all "
            "the same\ntest.cu:1:3: warning: `)` has no partner; what lies around it is translated "
            "all the same\n"},
    {"k<<<1", ""},
    {"/* x", ""},
    {"\"x", ""},
    {"#if A\n#if B\n#endif", "test.cu:1:1: warning: this conditional has no #endif\n"},
    {"}{", "test.cu:1:1: warning: `}` has no partner; what lies around it is translated all the "
           "same\ntest.cu:1:2: warning: `{` has no partner; what lies around it is translated all "
           "the same\n"},
    {"a < b", ""},
    {"#define A (", ""},
    {"@", ""},
};

#define TABLE_TEST(name)                  \
    START_TEST(test_##name)               \
    {                                     \
        check_row(&name[_i], put_##name); \
    }                                     \
    END_TEST

TABLE_TEST(directives)
TABLE_TEST(regions)
TABLE_TEST(scopes)
TABLE_TEST(functions)
TABLE_TEST(variables)
TABLE_TEST(launches)
TABLE_TEST(pairs)
TABLE_TEST(arguments)

START_TEST(test_damaged)
{
    struct parse parse;
    parse_bytes(&parse, damaged[_i].text, strlen(damaged[_i].text));
    struct strbuf out = STRBUF_INIT;
    put_diag(&out, &parse);
    strbuf_add(&out, "", 0);
    ck_assert_msg(!strcmp(out.text, damaged[_i].found), "\n  text:  %s\n  found: %s\n  want:  %s",
                  damaged[_i].text, out.text, damaged[_i].found);
    strbuf_release(&out);
    parse_release(&parse);
}
END_TEST

/* What holds whatever the text: partners know each other and nest, ranges lie inside the text. */
static void check_sound(const struct parse *parse)
{
    const struct unit *unit = &parse->unit;
    uint32_t count = (uint32_t)unit->tokens.list.count;
    ck_assert_uint_ge(count, 1);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t partner = unit_partner(unit, i);
        if (partner == NO_TOKEN)
            continue;
        ck_assert_uint_lt(partner, count);
        ck_assert_uint_ne(partner, i);
        enum token_kind kind = unit_token(unit, partner)->kind;
        /* One >> or >>> may close several; so may brackets that have partners in several
           branches of an #if. */
        uint32_t back = unit_partner(unit, partner);
        if (kind == TOK_SHIFT_RIGHT || kind == TOK_LAUNCH_CLOSE || back == i)
            continue;
        ck_assert_uint_ne(back, NO_TOKEN);
        ck_assert_int_eq(unit_token(unit, back)->kind, unit_token(unit, i)->kind);
        ck_assert_uint_ne(unit_branch_at(unit, back), unit_branch_at(unit, i));
    }
    vec_each (const struct directive, d, &unit->directives) {
        ck_assert_uint_lt(d->tokens.begin, d->tokens.end);
        ck_assert_uint_le(d->tokens.end, count);
        ck_assert_int_eq(unit_token(unit, d->tokens.begin)->kind, TOK_HASH);
        ck_assert_int_eq(unit_token(unit, d->tokens.end - 1)->kind, TOK_END_DIRECTIVE);
        ck_assert_ptr_eq(unit_directive_at(unit, d->tokens.begin), d);
    }
    vec_each (const struct scope, scope, &unit->scopes) {
        ck_assert_uint_lt(scope->tokens.begin, scope->tokens.end);
        ck_assert_uint_le(scope->tokens.end, count);
        ck_assert_int_eq(unit_token(unit, scope->open)->kind, TOK_LBRACE);
        uint32_t index = (uint32_t)(scope - unit->scopes.items);
        ck_assert_uint_eq(unit_scope_at(unit, scope->open), index);
        ck_assert(scope->parent == NO_INDEX || scope->parent < index);
    }
    vec_each (const struct function, fn, &unit->functions) {
        ck_assert_uint_lt(fn->name, count);
        ck_assert(fn->head.begin <= fn->name && fn->name < fn->head.end);
        ck_assert(fn->params.begin <= fn->params.end && fn->params.end <= count);
        ck_assert(fn->body.begin <= fn->body.end && fn->body.end <= count);
    }
    vec_each (const struct launch, launch, &unit->launches) {
        ck_assert_uint_lt(launch->callee.begin, launch->callee.end);
        ck_assert_uint_le(launch->callee.end, launch->open);
        ck_assert_uint_lt(launch->open, launch->close);
        ck_assert_uint_lt(launch->close, launch->lparen);
        ck_assert_uint_lt(launch->lparen, launch->rparen);
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

START_TEST(test_random_pieces)
{
    static const char *const pieces[] = {
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "<<<",
        ">>>",
        ">>",
        ",",
        ";",
        "::",
        "a",
        "b ",
        "template ",
        "\n",
        "\n#if A\n",
        "\n#else\n",
        "\n#endif\n",
        "__global__ ",
        "void ",
        "struct ",
        "namespace ",
        "enum ",
        "int ",
        "=",
        "\n#define M(x) ",
        "&&",
        "1",
        "*",
        "->",
        "\n#elif (B\n",
        "\"s\"",
        "/*c*/",
        "operator",
        "~",
        ":",
        "...",
        "__launch_bounds__(",
        "?",
    };
    uint32_t state = (uint32_t)_i + 5;
    for (int round = 0; round < 200; ++round) {
        struct strbuf buf = STRBUF_INIT;
        int n = (int)(next_random(&state) % 60);
        for (int i = 0; i < n; ++i)
            strbuf_adds(&buf, pieces[next_random(&state) % COUNT(pieces)]);
        strbuf_add(&buf, "", 0);
        struct parse parse;
        parse_bytes(&parse, buf.text ? buf.text : "", buf.len);
        check_sound(&parse);
        parse_release(&parse);
        strbuf_release(&buf);
    }
}
END_TEST

/* Every text of the tables, cut short anywhere. */
START_TEST(test_cut)
{
    static const struct {
        const struct row *rows;
        size_t count;
    } tables[] = {
        {directives, COUNT(directives)}, {regions, COUNT(regions)},     {scopes, COUNT(scopes)},
        {functions, COUNT(functions)},   {variables, COUNT(variables)}, {launches, COUNT(launches)},
        {pairs, COUNT(pairs)},           {arguments, COUNT(arguments)}, {damaged, COUNT(damaged)},
    };
    for (size_t i = 0; i < tables[_i].count; ++i) {
        const char *text = tables[_i].rows[i].text;
        size_t len = strlen(text);
        for (size_t at = 0; at <= len; ++at) {
            struct parse parse;
            parse_bytes(&parse, text, at);
            check_sound(&parse);
            parse_release(&parse);
            parse_bytes(&parse, text + at, len - at);
            check_sound(&parse);
            parse_release(&parse);
        }
    }
}
END_TEST

/* Brackets a hundred thousand deep take neither the stack nor square time. */
START_TEST(test_deep)
{
    static const char *const opening[] = {"(",       "[",    "{",           "a<",   "f(a<b,",
                                          "#if A\n", "k<<<", "namespace {", "x ? ", "!"};
    struct strbuf buf = STRBUF_INIT;
    if (*opening[_i] == '!')
        strbuf_adds(&buf, "#if ");
    for (int i = 0; i < 100000; ++i)
        strbuf_adds(&buf, opening[_i]);
    struct parse parse;
    parse_bytes(&parse, buf.text, buf.len);
    check_sound(&parse);
    parse_release(&parse);
    strbuf_release(&buf);
}
END_TEST

/* The first token that is the identifier NAME. */
static uint32_t find_name(const struct unit *unit, const char *name)
{
    uint32_t i = 0;
    for (;; ++i) {
        const struct token *token = unit_token(unit, i);
        ck_assert_msg(token->kind != TOK_EOF, "there is no %s", name);
        if (token->symbol && !strcmp(token->symbol->text, name))
            return i;
    }
}

START_TEST(test_places)
{
    static const char text[] = "namespace n {\n"
                               "#if A\n"
                               "void f() { inner; }\n"
                               "#define M body\n"
                               "#endif\n"
                               "}\n"
                               "outer\n";
    struct parse parse;
    parse_bytes(&parse, text, sizeof text - 1);
    const struct unit *unit = &parse.unit;
    uint32_t inner = find_name(unit, "inner"), outer = find_name(unit, "outer");
    uint32_t body = find_name(unit, "body");
    const struct scope *scope = &unit->scopes.items[unit_scope_at(unit, inner)];
    ck_assert_int_eq(scope->kind, SCOPE_FUNCTION);
    ck_assert_str_eq(scope->name->text, "f");
    ck_assert_str_eq(unit->scopes.items[scope->parent].name->text, "n");
    ck_assert_uint_eq(unit_scope_at(unit, outer), NO_INDEX);
    ck_assert_uint_eq(unit_branch_at(unit, outer), NO_INDEX);
    ck_assert_uint_eq(unit_branch_at(unit, inner), 0);
    ck_assert_uint_eq(unit_branch_at(unit, body), 0);
    ck_assert_int_eq(unit_directive_at(unit, body)->kind, TOK_PP_DEFINE);
    ck_assert(unit_token(unit, body)->flags & TOKEN_MACRO_BODY);

    /* Outside directives they are stepped over; inside one a step stays there. */
    uint32_t brace = unit->scopes.items[0].open;
    ck_assert_str_eq(unit_token(unit, unit_next(unit, brace))->symbol->text, "void");
    ck_assert_uint_eq(unit_prev(unit, unit_next(unit, brace)), brace);
    ck_assert_int_eq(unit_token(unit, unit_next(unit, body))->kind, TOK_END_DIRECTIVE);
    ck_assert_str_eq(unit_token(unit, unit_prev(unit, body))->symbol->text, "M");
    ck_assert_uint_eq(unit_prev(unit, 0), NO_TOKEN);
    uint32_t last = unit_next(unit, outer);
    ck_assert_int_eq(unit_token(unit, last)->kind, TOK_EOF);
    ck_assert_uint_eq(unit_next(unit, last), last);

    struct span span = unit_span(unit, (struct range){inner, inner + 2});
    ck_assert_uint_eq(span.end - span.begin, strlen("inner;"));
    ck_assert(!strncmp(text + span.begin, "inner;", 6));
    span = unit_span(unit, (struct range){inner, inner});
    ck_assert_uint_eq(span.begin, span.end);
    parse_release(&parse);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parser");
    TCase *tcase = tcase_create("parser");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_directives, 0, COUNT(directives));
    tcase_add_loop_test(tcase, test_regions, 0, COUNT(regions));
    tcase_add_loop_test(tcase, test_scopes, 0, COUNT(scopes));
    tcase_add_loop_test(tcase, test_functions, 0, COUNT(functions));
    tcase_add_loop_test(tcase, test_variables, 0, COUNT(variables));
    tcase_add_loop_test(tcase, test_launches, 0, COUNT(launches));
    tcase_add_loop_test(tcase, test_pairs, 0, COUNT(pairs));
    tcase_add_loop_test(tcase, test_arguments, 0, COUNT(arguments));
    tcase_add_loop_test(tcase, test_damaged, 0, COUNT(damaged));
    tcase_add_loop_test(tcase, test_random_pieces, 0, 20);
    tcase_add_loop_test(tcase, test_cut, 0, 9);
    tcase_add_loop_test(tcase, test_deep, 0, 10);
    tcase_add_test(tcase, test_places);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
