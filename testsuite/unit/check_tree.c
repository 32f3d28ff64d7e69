/* Trees of bodies: what they are for small texts, printed and compared with what is wanted; what
   holds for all of them, tried on the test data and on damaged text. */
#include <config.h>

#include "parser/tree.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "parser/measure.h"
#include "testsuite/sound.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/parse.h"
#include "testsuite/unit/suite.h"

/* Printing: leaves as their text, types as <text>, operators in front of their operands. */

static void put_head(struct strbuf *out, const struct unit *unit, const struct node *node)
{
    switch (node->kind) {
    case NODE_UNARY:
    case NODE_BINARY:
    case NODE_ASSIGN:
        strbuf_adds(out, token_kind_name(node->op));
        return;
    case NODE_DECLARATOR:
    case NODE_MEMBER:
    case NODE_FIELD:
    case NODE_GOTO:
        strbuf_adds(out, node_kind_name(node->kind));
        strbuf_addc(out, ' ');
        for (unsigned i = 0; i < node->stars; ++i)
            strbuf_addc(out, '*');
        if (node->kind == NODE_DECLARATOR && node->flags & DECLARATOR_REFERENCE)
            strbuf_addc(out, '&');
        if (node->token != NO_TOKEN)
            put_range(out, unit, (struct range){node->token, node->token + 1});
        return;
    default:
        strbuf_adds(out, node_kind_name(node->kind));
        return;
    }
}

static void put_tree(struct strbuf *out, const struct unit *unit, const struct node *node)
{
    switch (node->kind) {
    case NODE_EMPTY:
        strbuf_addc(out, '_');
        return;
    case NODE_NAME:
    case NODE_NUMBER:
    case NODE_CHARACTER:
        put_range(out, unit, node->tokens);
        return;
    case NODE_TYPE:
        strbuf_addc(out, '<');
        put_range(out, unit, node->tokens);
        strbuf_addc(out, '>');
        return;
    case NODE_OPAQUE:
        strbuf_adds(out, "?[");
        put_range(out, unit, node->tokens);
        strbuf_addc(out, ']');
        return;
    case NODE_STRING:
    case NODE_SOME:
    case NODE_ALIAS:
    case NODE_LABEL:
        strbuf_printf(out, "%s[", node_kind_name(node->kind));
        put_range(out, unit, node->tokens);
        strbuf_addc(out, ']');
        return;
    default:
        break;
    }
    strbuf_addc(out, '(');
    put_head(out, unit, node);
    tree_each (kid, node) {
        strbuf_addc(out, ' ');
        put_tree(out, unit, kid);
    }
    strbuf_addc(out, ')');
}

/* The statements of all bodies, one after the other. */
static void put_bodies(struct strbuf *out, struct parse *parse)
{
    struct arena arena = ARENA_INIT;
    struct trees trees;
    trees_init(&trees, &parse->unit, &arena);
    vec_each (const struct function, fn, &parse->unit.functions) {
        if (fn->body.end <= fn->body.begin)
            continue;
        const struct node *tree = tree_body(&trees, fn->body);
        const char *fault = tree_fault(&parse->unit, tree, fn->body);
        ck_assert_msg(!fault, "%s", fault);
        if (out->len)
            strbuf_adds(out, " | ");
        if (tree->kind == NODE_OPAQUE)
            put_tree(out, &parse->unit, tree);
        for (const struct node *kid = tree->kids; kid; kid = kid->next) {
            if (kid != tree->kids)
                strbuf_addc(out, ' ');
            put_tree(out, &parse->unit, kid);
        }
    }
    strbuf_add(out, "", 0);
    arena_release(&arena);
}

struct row {
    const char *text;
    const char *found;
};

/* Compares the trees of TEXT, or where BODY of a function whose body it is, with what is wanted. */
static void check_row(const struct row *row, bool body)
{
    struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
    struct parse parse;
    strbuf_printf(&text, body ? "void f() { %s }" : "%s", row->text);
    parse_bytes(&parse, text.text, text.len);
    put_bodies(&out, &parse);
    const char *res = out.text ? out.text : "";
    ck_assert_msg(!strcmp(res, row->found), "\n  text:  %s\n  found: %s\n  want:  %s", row->text,
                  res, row->found);
    parse_release(&parse);
    strbuf_release(&out);
    strbuf_release(&text);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Expressions: precedence, associativity, every operator. */
static const struct row expressions[] = {
    {"a + b * c;", "(expression (+ a (* b c)))"},
    {"a * b + c;", "(expression (+ (* a b) c))"},
    {"a - b - c;", "(expression (- (- a b) c))"},
    {"a = b = c;", "(expression (= a (= b c)))"},
    {"a = b ? c : d ? e : f;", "(expression (= a (choice b c (choice d e f))))"},
    {"a ? b, c : d;", "(expression (choice a (, b c) d))"},
    {"a || b && c | d ^ e & f == g < h << i + j * k;",
     "(expression (|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k)))))))))))"},
    {"a * b / c % d;", "(expression (% (/ (* a b) c) d))"},
    {"(a + b) * c;", "(expression (* (+ a b) c))"},
    {"a < b < c;", "(expression (< (< a b) c))"},
    {"a < b > c;", "(declaration <a < b >> (declarator c))"},
    {"a < b && c > d;", "(expression (&& (< a b) (> c d)))"},
    {"a << b >> c;", "(expression (>> (<< a b) c))"},
    {"a += b -= c;", "(expression (+= a (-= b c)))"},
    {"a *= b; a /= b; a %= b; a &= b; a |= b; a ^= b; a <<= b; a >>= b;",
     "(expression (*= a b)) (expression (/= a b)) (expression (%= a b)) (expression (&= a b)) "
     "(expression (|= a b)) (expression (^= a b)) (expression (<<= a b)) (expression (>>= a b))"},
    {"-a + !b - ~c;", "(expression (- (+ (- a) (! b)) (~ c)))"},
    {"- - a;", "(expression (- (- a)))"},
    {"*p++ = *q--;", "(expression (= (* (postfix p)) (* (postfix q))))"},
    {"++*p; --(*p);", "(expression (++ (* p))) (expression (-- (* p)))"},
    {"&a[i];", "(expression (& (index a i)))"},
    {"a.b.c->d[e](f).g;",
     "(expression (member g (call (index (member d (member c (member b a))) e) f)))"},
    {"p->*q; p.*q;", "(expression (->* p q)) (expression (.* p q))"},
    {"f(); f(a); f(a, b = c, (d, e));",
     "(expression (call f)) (expression (call f a)) (expression (call f a (= b c) (, d e)))"},
    {"f(a)(b)[c];", "(expression (index (call (call f a) b) c))"},
    {"a, b, c;", "(expression (, (, a b) c))"},
    {"x ? -1 : +1;", "(expression (choice x (- 1) (+ 1)))"},
    {"a <=> b;", "(expression (<= a b))"},
    {"not a and b or c xor d bitand e bitor compl f;",
     "(expression (|| (&& (! a) b) (| (^ c (& d e)) (~ f))))"},
    {"a <: 0 :> = 1;", "(expression (= (index a 0) 1))"},
    {"\"a\" \"b\"; 'c'; L\"x\" u8\"y\"; R\"(z)\";",
     "(expression string[\"a\" \"b\"]) (expression 'c') (expression string[L\"x\" u8\"y\"]) "
     "(expression string[R\"(z)\"])"},
    {"\"a\" MACRO \"b\" PRI(x) \"c\"; PRE \"x\"; f(\"%\" PRIu64 \"\\n\", x);",
     "(expression string[\"a\" MACRO \"b\" PRI ( x ) \"c\"]) (expression string[PRE \"x\"]) "
     "(expression (call f string[\"%\" PRIu64 \"\\n\"] x))"},
    {"1.0f; 0x1p3; 1'000u; 1_km; .5; true; nullptr; this->x;",
     "(expression 1.0f) (expression 0x1p3) (expression 1'000u) (expression 1_km) (expression .5) "
     "(expression true) (expression nullptr) (expression (member x this))"},
    {"a::b; ::a; a::b::c(d); ::a::b; T::template f<int>(x); a<b>::c; a<b<c>>::d(); "
     "T::operator=(x);",
     "(expression a :: b) (expression :: a) (expression (call a :: b :: c d)) (expression :: a :: "
     "b) (expression (call T :: template f < int > x)) (expression a < b > :: c) (expression (call "
     "a < b < c >> :: d)) (expression (call T :: operator = x))"},
    {"max<int>(a, b); f<g<h>>(x); f<(a > b)>(x); f<a, b>(c); f<>(x); static_cast<T (*)(int)>(p);",
     "(expression (call max < int > a b)) (expression (call f < g < h >> x)) (expression (call f < "
     "( a > b ) > x)) (expression (call f < a , b > c)) (expression (call f < > x)) (expression "
     "(cast <T ( * ) ( int )> p))"},
    {"sizeof a; sizeof(a); sizeof(int); sizeof(int *) * 2; sizeof(a) + 1; sizeof...(Ts); sizeof "
     "a[0]; alignof(T);",
     "(expression (sizeof a)) (expression (sizeof <a>)) (expression (sizeof <int>)) (expression (* "
     "(sizeof <int *>) 2)) (expression (+ (sizeof <a>) 1)) (expression some[sizeof ... ( Ts )]) "
     "(expression (sizeof (index a 0))) (expression (sizeof <T>))"},
    {"new int; new T(a, b); new T[n]; new T[n][4]; new T{a}; new (p) T(x); ::new (p) T(x); new "
     "float *[n]; new T[n]();",
     "(expression (new <int>)) (expression (new <T> a b)) (expression (new <T> (dimension n))) "
     "(expression (new <T> (dimension n) (dimension 4))) (expression (new <T> (list a))) "
     "(expression (new <T> x)) (expression (new <T> x)) (expression (new <float *> (dimension n))) "
     "(expression (new <T> (dimension n)))"},
    {"delete p; delete[] p; ::delete p; delete[] (void **)p;",
     "(expression (delete p)) (expression (delete p)) (expression (delete p)) (expression (delete "
     "(cast <void * *> p)))"},
    {"throw; throw x; throw T(\"a\"); a ? b : throw c;",
     "(expression (throw)) (expression (throw x)) (expression (throw (call T string[\"a\"]))) "
     "(expression (choice a b (throw c)))"},
    {"noexcept(f(x)); typeid(a);",
     "(expression some[noexcept ( f ( x ) )]) (expression (call typeid a))"},
    {"[](int a) { return a; }(b); f([&] { x = 1; }, 2); auto l = [=, &a] __device__ (int i) "
     "mutable -> int { return i; };",
     "(expression (call (lambda (block (return a))) b)) (expression (call f (lambda (block "
     "(expression (= x 1)))) 2)) (declaration <auto> (declarator l (initializer (lambda (block "
     "(return i))))))"},
    {"auto l = []<class T, int N>(T x) { return x; }; l.operator()<int, 3>(); l.template "
     "operator()<3>(x);",
     "(declaration <auto> (declarator l (initializer (lambda (block (return x)))))) (expression "
     "(call (member operator l))) (expression (call (member operator l) x))"},
    {"({ int a = 1; a + 2; }); x = ({ y; });",
     "(expression (statements (block (declaration <int> (declarator a (initializer 1))) "
     "(expression (+ a 2))))) (expression (= x (statements (block (expression y)))))"},
    {"__LINE__; __func__; f(__FILE__, __LINE__);",
     "(expression __LINE__) (expression __func__) (expression (call f __FILE__ __LINE__))"},
    {"(a); ((a)); (a)(b); (min)(a, b); (std::max)(a, b);",
     "(expression a) (expression a) (expression (cast <a> b)) (expression (call min a b)) "
     "(expression (call std :: max a b))"},
    {"x = min MACRO(x, y); y = numeric_limits<T>::max PREVENT ();",
     "(expression (= x (call min x y))) (expression (= y (call numeric_limits < T > :: max)))"},
    {"f(a...); f(g(a)...); (a + ...); (... && f(a)); (a + ... + b); g{a...};",
     "(expression (call f (pack a))) (expression (call f (pack (call g a)))) (expression (+ a "
     "some[...])) (expression (&& some[...] (call f a))) (expression (+ (+ a some[...]) b)) "
     "(expression (construct <g> (pack a)))"},
    {"this->template f<3>(x); p->T::f(); p->~T(); x.operator+(y); x.operator()(y); "
     "x.operator[](i); operator new(n); x.operator T *();",
     "(expression (call (member f this) x)) (expression (call (member f p))) (expression (call "
     "(member T p))) (expression (call (member operator x) y)) (expression (call (member operator "
     "x) y)) (expression (call (member operator x) i)) (expression (call operator new n)) "
     "(expression (call (member operator x)))"},
    {"k<<<g, b>>>(x, y); k<float><<<g, b, s, t>>>(x);",
     "(expression (launch k x y)) (expression (launch k < float > x))"},
    {"requires { a + b; };", "(expression some[requires { a + b ; }])"},
    {"float(x); int(); T{}; T{a, {b, c}}; double{1}; unsigned(x) + 1; float4{1, 2, 3, 4}.x; "
     "std::vector<int>{1}[0]; typename T::type(x); decltype(a)(b); x = decltype(a)::value; "
     "decltype(a){b};",
     "(expression (construct <float> x)) (expression (construct <int>)) (expression (construct "
     "<T>)) (expression (construct <T> a (list b c))) (expression (construct <double> 1)) "
     "(expression (+ (construct <unsigned> x) 1)) (expression (member x (construct <float4> 1 2 3 "
     "4))) (expression (index (construct <std :: vector < int >> 1) 0)) (expression (construct "
     "<typename T :: type> x)) (expression (construct <decltype ( a )> b)) (expression (= x "
     "decltype ( a ) :: value)) (expression (construct <decltype ( a )> b))"},
    {"dim3(1, 2); make_float4(1, 2, 3, 4); T::type{1}.f(2);",
     "(expression (call dim3 1 2)) (expression (call make_float4 1 2 3 4)) (expression (call "
     "(member f (construct <T :: type> 1)) 2))"},
};

/* Casts and what only looks like one. */
static const struct row casts[] = {
    {"(int)x; (int)-x; (int)(x); (float *)p; (const T &)x; (unsigned long long)x << 3; (int "
     "(*)[4])p; (void (*)(int))p; (T (*)[N][N])new T[4]; (char)'a'; (size_t)(a) * b;",
     "(expression (cast <int> x)) (expression (cast <int> (- x))) (expression (cast <int> x)) "
     "(expression (cast <float *> p)) (expression (cast <const T &> x)) (expression (<< (cast "
     "<unsigned long long> x) 3)) (expression (cast <int ( * ) [ 4 ]> p)) (expression (cast <void "
     "( * ) ( int )> p)) (expression (cast <T ( * ) [ N ] [ N ]> (new <T> (dimension 4)))) "
     "(expression (cast <char> 'a')) (expression (* (cast <size_t> a) b))"},
    {"(T)x; (T)(x); (T)\"s\"; (T)~x; (T)!x; (ns::T)x; (T<int>)x; (typename T::type)x; "
     "(std::size_t)x; (T *)malloc(n); (pointer)::f(n); (struct s *)p; (enum e)x;",
     "(expression (cast <T> x)) (expression (cast <T> x)) (expression (cast <T> string[\"s\"])) "
     "(expression (cast <T> (~ x))) (expression (cast <T> (! x))) (expression (cast <ns :: T> x)) "
     "(expression (cast <T < int >> x)) (expression (cast <typename T :: type> x)) (expression "
     "(cast <std :: size_t> x)) (expression (cast <T *> (call malloc n))) (expression (cast "
     "<pointer> (call :: f n))) (expression (cast <struct s *> p)) (expression (cast <enum e> x))"},
    {"(a) - b; (a) + b; (a) * b; (a) & b; (a)[b]; (a)->b; (a) ? b : c; (a).b; (n)++;",
     "(expression (- a b)) (expression (+ a b)) (expression (* a b)) (expression (& a b)) "
     "(expression (index a b)) (expression (member b a)) (expression (choice a b c)) (expression "
     "(member b a)) (expression (postfix n))"},
    {"typedef int T; x = (T)-y; x = (T)*p; x = (T)&y; (T){1, 2};",
     "alias[typedef int T ;] (expression (= x (cast <T> (- y)))) (expression (= x (cast <T> (* "
     "p)))) (expression (= x (cast <T> (& y)))) (expression (cast <T> (list 1 2)))"},
    {"(float4){1, 2, 3, 4}; (struct s){.a = 1}; (int)sizeof(x); (int)f(x)[3]; (double)(int)x;",
     "(expression (cast <float4> (list 1 2 3 4))) (expression (cast <struct s> (list (field a "
     "1)))) (expression (cast <int> (sizeof <x>))) (expression (cast <int> (index (call f x) 3))) "
     "(expression (cast <double> (cast <int> x)))"},
    {"static_cast<int>(x); reinterpret_cast<float4 *>(p)[i]; const_cast<T &>(x).y; "
     "dynamic_cast<a::b<c> *>(p); static_cast<double>(float(*this)); static_cast<T &&>(f)(x);",
     "(expression (cast <int> x)) (expression (index (cast <float4 *> p) i)) (expression (member y "
     "(cast <T &> x))) (expression (cast <a :: b < c > *> p)) (expression (cast <double> "
     "(construct <float> (* this)))) (expression (call (cast <T &&> f) x))"},
    {"(a[i])(x); (f)(); (void)x; (void)f(x), g(y); ((void)0);",
     "(expression (call (index a i) x)) (expression (call f)) (expression (cast <void> x)) "
     "(expression (, (cast <void> (call f x)) (call g y))) (expression (cast <void> 0))"},
    {"(float)a / b; -(float)a; !(bool)a; (int)a.b; (int)a++; (uint32_t)a[i]; *(int *)p; &(*p); "
     "(half2)a;",
     "(expression (/ (cast <float> a) b)) (expression (- (cast <float> a))) (expression (! (cast "
     "<bool> a))) (expression (cast <int> (member b a))) (expression (cast <int> (postfix a))) "
     "(expression (cast <uint32_t> (index a i))) (expression (* (cast <int *> p))) (expression (& "
     "(* p))) (expression (cast <half2> a))"},
};

/* Every form of statement. */
static const struct row statements[] = {
    {"; ; {} { ; } {{a;}}", "_ _ (block) (block _) (block (block (expression a)))"},
    {"if (a) b; if (a) b; else c; if (a) if (b) c; else d; if (a) { b; } else if (c) { d; } else { "
     "e; }",
     "(if a (expression b) _) (if a (expression b) (expression c)) (if a (if b (expression c) "
     "(expression d)) _) (if a (block (expression b)) (if c (block (expression d)) (block "
     "(expression e))))"},
    {"if constexpr (a) b; if (int x = f()) g; if (auto x = f(); x > 0) g; if (a; b) c; "
     "IF_CONSTEXPR (x) { a; } else { b; } if MACRO (x) { a; }",
     "(if a (expression b) _) (if (declaration <int> (declarator x (initializer (call f)))) "
     "(expression g) _) (if (with (declaration <auto> (declarator x (initializer (call f)))) (> x "
     "0)) (expression g) _) (if (with (expression a) b) (expression c) _) (macro-loop (call "
     "IF_CONSTEXPR x) (block (expression a)) (block (expression b))) (if x (block (expression a)) "
     "_)"},
    {"if (T *p = dynamic_cast<T *>(q)) f(p); if (const T &x{y}; x) z; while (int c = next()) f(c);",
     "(if (declaration <T> (declarator *p (initializer (cast <T *> q)))) (expression (call f p)) "
     "_) (if (with (declaration <const T> (declarator &x (initializer y))) x) (expression z) _) "
     "(while (declaration <int> (declarator c (initializer (call next)))) (expression (call f "
     "c)))"},
    {"for (;;) ; for (int i = 0; i < n; ++i) a; for (i = 0, j = 1; i < n && j; i++, j--) { a; } "
     "for (auto x : v) a; for (const T &x : f(y)) { a; } for (auto [a, b] : m) c; for (int i : {1, "
     "2, 3}) a; for (T *p = q; p; p = p->next) a; for (unsigned long i = 0; ; ) a; for (typename "
     "T::x i = 0; i < n; ) a; for (a b = c, d = e; b; ) f;",
     "(for _ _ _ _) (for (declaration <int> (declarator i (initializer 0))) (< i n) (++ i) "
     "(expression a)) (for (expression (, (= i 0) (= j 1))) (&& (< i n) j) (, (postfix i) (postfix "
     "j)) (block (expression a))) (range-for (declaration <auto> (declarator x)) v (expression a)) "
     "(range-for (declaration <const T> (declarator &x)) (call f y) (block (expression a))) "
     "(range-for (declaration <auto> (declarator  a b)) m (expression c)) (range-for (declaration "
     "<int> (declarator i)) (list 1 2 3) (expression a)) (for (declaration <T> (declarator *p "
     "(initializer q))) p (= p (member next p)) (expression a)) (for (declaration <unsigned long> "
     "(declarator i (initializer 0))) _ _ (expression a)) (for (declaration <typename T :: x> "
     "(declarator i (initializer 0))) (< i n) _ (expression a)) (for (declaration <a> (declarator "
     "b (initializer c)) (declarator d (initializer e))) b _ (expression f))"},
    {"while (a) b; while (a) { b; continue; } do a; while (b); do { a; break; } while (--n > 0);",
     "(while a (expression b)) (while a (block (expression b) (continue))) (do (expression a) b) "
     "(do (block (expression a) (break)) (> (-- n) 0))"},
    {"switch (a) { case 1: b; break; case A::B: case 'c': { d; } default: e; } switch (x) { case 1 "
     "... 5: a; } switch (a) { case (b ? 1 : 2): c; default: ; }",
     "(switch a (block (case 1) (expression b) (break) (case A :: B) (case 'c') (block (expression "
     "d)) (default) (expression e))) (switch x (block (case 1 5) (expression a))) (switch a (block "
     "(case (choice b 1 2)) (expression c) (default) _))"},
    {"return; return a; return {a, b}; return (a); return f(a), b; return a ? b : c; return T{}; "
     "return {};",
     "(return) (return a) (return (list a b)) (return a) (return (, (call f a) b)) (return (choice "
     "a b c)) (return (construct <T>)) (return (list))"},
    {"goto l; l: a; l2: ; l3: for (;;) goto l3;",
     "(goto l) label[l :] (expression a) label[l2 :] _ label[l3 :] (for _ _ _ (goto l3))"},
    {"try { a; } catch (const E &e) { b; } catch (...) { c; }",
     "(try (block (expression a)) (block (expression b)) (block (expression c)))"},
    {"asm(\"x\"); asm volatile(\"a\" : \"=r\"(b) : \"r\"(c) : \"memory\"); __asm__ "
     "__volatile__(\"x\"); asm goto(\"x\" : : : : l);",
     "(asm) (asm) (asm) (asm)"},
    {"using namespace a; using a::b; using T = int; typedef int T; static_assert(a, \"b\"); "
     "namespace a = b::c; using enum E;",
     "alias[using namespace a ;] alias[using a :: b ;] alias[using T = int ;] alias[typedef int T "
     ";] alias[static_assert ( a , \"b\" ) ;] alias[namespace a = b :: c ;] alias[using enum E ;]"},
    {"MACRO(a) b; MACRO(a) { b; } MACRO(a, { b; c; }); MACRO; A(x) B(y) c;",
     "(macro (call MACRO a)) (expression b) (macro-loop (call MACRO a) (block (expression b))) "
     "(expression (call MACRO a (block (expression b) (expression c)))) (expression MACRO) (macro "
     "(call A x)) (macro (call B y)) (expression c)"},
    {"PUSH\na = 1;\nPOP\n", "alias[PUSH] (expression (= a 1)) alias[POP]"},
    {"LOOP(i, n) { a; } LOOP { b; } UNROLL for (;;) a; _Pragma(\"unroll\") for (;;) a; "
     "OMP(parallel for) for (;;) a; CHECK(f(x)) int a; CHECK(x)",
     "(macro-loop (call LOOP i n) (block (expression a))) alias[LOOP] (block (expression b)) "
     "alias[UNROLL] (for _ _ _ (expression a)) (macro (call _Pragma string[\"unroll\"])) (for _ _ "
     "_ (expression a)) alias[OMP ( parallel for )] (for _ _ _ (expression a)) (macro (call CHECK "
     "(call f x))) (declaration <int> (declarator a)) (macro (call CHECK x))"},
    {"[[likely]] if (a) [[unlikely]] b; [[maybe_unused]] int x = 1; switch (a) { case 1: "
     "[[fallthrough]]; case 2: __attribute__((fallthrough)); } [[nodiscard]] f();",
     "(if a (expression b) _) (declaration <int> (declarator x (initializer 1))) (switch a (block "
     "(case 1) _ (case 2) _)) (expression (call f))"},
    {"if (a) ; else b; if (a) {} else {} while (a) ; for (;;) {}",
     "(if a _ (expression b)) (if a (block) (block)) (while a _) (for _ _ _ (block))"},
    {"else a; x @ y; else b;", "(else (expression a)) ?[x @ y ;] (else (expression b))"},
    {"\n#pragma unroll\nfor (;;) a;", "(for _ _ _ (expression a))"},
    {"\n#pragma unroll 4\nfor (int i = 0; i < 4; ++i) { a; }",
     "(for (declaration <int> (declarator i (initializer 0))) (< i 4) (++ i) (block (expression "
     "a)))"},
};

/* Every form of declaration. */
static const struct row declarations[] = {
    {"int a; int a, b; int a = 1, *b = &a, &c = a; int a[3]; int a[2][3] = {{1}, {2}}; int a[] = "
     "{1, 2, 3,}; int a{1}; int a(1); int a{}; char s[] = \"x\"; int *const p = q; int **p; int "
     "&&r = f();",
     "(declaration <int> (declarator a)) (declaration <int> (declarator a) (declarator b)) "
     "(declaration <int> (declarator a (initializer 1)) (declarator *b (initializer (& a))) "
     "(declarator &c (initializer a))) (declaration <int> (declarator a (dimension 3))) "
     "(declaration <int> (declarator a (dimension 2) (dimension 3) (initializer (list (list 1) "
     "(list 2))))) (declaration <int> (declarator a (dimension) (initializer (list 1 2 3)))) "
     "(declaration <int> (declarator a (initializer 1))) (declaration <int> (declarator a "
     "(initializer 1))) (declaration <int> (declarator a (initializer))) (declaration <char> "
     "(declarator s (dimension) (initializer string[\"x\"]))) (declaration <int> (declarator *p "
     "(initializer q))) (declaration <int> (declarator **p)) (declaration <int> (declarator &r "
     "(initializer (call f))))"},
    {"unsigned long long a = 1; const volatile int a = 1; static const float c[] = {1.f}; "
     "constexpr int n = 3; extern int e; thread_local int t; register int r; const int "
     "*__restrict__ p = q; int const *p; const char *const *p;",
     "(declaration <unsigned long long> (declarator a (initializer 1))) (declaration <const "
     "volatile int> (declarator a (initializer 1))) (declaration <static const float> (declarator "
     "c (dimension) (initializer (list 1.f)))) (declaration <constexpr int> (declarator n "
     "(initializer 3))) (declaration <extern int> (declarator e)) (declaration <thread_local int> "
     "(declarator t)) (declaration <register int> (declarator r)) (declaration <const int> "
     "(declarator *p (initializer q))) (declaration <int const> (declarator *p)) (declaration "
     "<const char> (declarator **p))"},
    {"auto a = b; auto *a = b; auto &a = b; const auto &a = b; auto &&a = b; auto [x, y] = f(); "
     "auto &[x, y] = f(); const auto [x] = y; decltype(auto) a = b; decltype(x) y = z;",
     "(declaration <auto> (declarator a (initializer b))) (declaration <auto> (declarator *a "
     "(initializer b))) (declaration <auto> (declarator &a (initializer b))) (declaration <const "
     "auto> (declarator &a (initializer b))) (declaration <auto> (declarator &a (initializer b))) "
     "(declaration <auto> (declarator  x y (initializer (call f)))) (declaration <auto> "
     "(declarator & x y (initializer (call f)))) (declaration <const auto> (declarator  x "
     "(initializer y))) (declaration <decltype ( auto )> (declarator a (initializer b))) "
     "(declaration <decltype ( x )> (declarator y (initializer z)))"},
    {"__shared__ float s[32][33]; extern __shared__ char raw[]; __shared__ alignas(16) float s[4]; "
     "__shared__ __align__(16) T s; __shared__ typename B::TempStorage t; static __shared__ int x, "
     "y; volatile __shared__ int v[2]; __shared__ union { int a; float b; } u; alignas(8) int a; "
     "__constant__ int c;",
     "(declaration <__shared__ float> (declarator s (dimension 32) (dimension 33))) (declaration "
     "<extern __shared__ char> (declarator raw (dimension))) (declaration <__shared__ alignas ( 16 "
     ") float> (declarator s (dimension 4))) (declaration <__shared__ __align__ ( 16 ) T> "
     "(declarator s)) (declaration <__shared__ typename B :: TempStorage> (declarator t)) "
     "(declaration <static __shared__ int> (declarator x) (declarator y)) (declaration <volatile "
     "__shared__ int> (declarator v (dimension 2))) (declaration <__shared__ union { int a ; float "
     "b ; }> (declarator u)) (declaration <alignas ( 8 ) int> (declarator a)) (declaration "
     "<__constant__ int> (declarator c))"},
    {"T a; T a = b; T a(b); T a{b}; T a[3]; T *a = b; T &a = b; T<int> a; T<int> a(b, c); T<a, b> "
     "x = y; ns::T a; ::ns::T<int>::type a = b; typename T::type a; typename T::template U<int> a; "
     "const T a = b; T const &a = b; T *a, b, **c;",
     "(declaration <T> (declarator a)) (declaration <T> (declarator a (initializer b))) "
     "(declaration <T> (declarator a (initializer b))) (declaration <T> (declarator a (initializer "
     "b))) (declaration <T> (declarator a (dimension 3))) (declaration <T> (declarator *a "
     "(initializer b))) (declaration <T> (declarator &a (initializer b))) (declaration <T < int >> "
     "(declarator a)) (declaration <T < int >> (declarator a (initializer b c))) (declaration <T < "
     "a , b >> (declarator x (initializer y))) (declaration <ns :: T> (declarator a)) (declaration "
     "<:: ns :: T < int > :: type> (declarator a (initializer b))) (declaration <typename T :: "
     "type> (declarator a)) (declaration <typename T :: template U < int >> (declarator a)) "
     "(declaration <const T> (declarator a (initializer b))) (declaration <T const> (declarator &a "
     "(initializer b))) (declaration <T> (declarator *a) (declarator b) (declarator **c))"},
    {"struct s a; struct s *a = b; struct { int x; } a; struct s { int x; void f() { y; } } a = "
     "{1}; enum e { A, B } a; enum class e : int { A }; union u a; struct s; class c { public: int "
     "x; };",
     "(declaration <struct s> (declarator a)) (declaration <struct s> (declarator *a (initializer "
     "b))) (declaration <struct { int x ; }> (declarator a)) (declaration <struct s { int x ; void "
     "f ( ) { y ; } }> (declarator a (initializer (list 1)))) (declaration <enum e { A , B }> "
     "(declarator a)) (declaration <enum class e : int { A }>) (declaration <union u> (declarator "
     "a)) (declaration <struct s>) (declaration <class c { public : int x ; }>) | (expression y)"},
    {"int (*f)(int); int (*f)(int) = g; void (*f[])(int a, char *b) = {g, h}; int (&a)[3] = b; int "
     "(*a)[3]; typedef int T; T (*a)[N] = (T (*)[N])p; int (a) = 1; auto (*p) = q;",
     "(declaration <int> (declarator *f (initializer <int>))) (declaration <int> (declarator *f "
     "(initializer g))) (declaration <void> (declarator *f (dimension) (initializer (list g h)))) "
     "(declaration <int> (declarator &a (dimension 3) (initializer b))) (declaration <int> "
     "(declarator *a (dimension 3))) alias[typedef int T ;] (declaration <T> (declarator *a "
     "(dimension N) (initializer (cast <T ( * ) [ N ]> p)))) (declaration <int> (declarator a "
     "(initializer 1))) (declaration <auto> (declarator *p (initializer q)))"},
    {"int f(int a, float); void f(); extern __device__ float f(float x, const T *); T f(U); int "
     "f(int a = 1);",
     "(declaration <int> (declarator f (initializer (declaration <int> (declarator a)) <float>))) "
     "(declaration <void> (declarator f (initializer))) (declaration <extern __device__ float> "
     "(declarator f (initializer (declaration <float> (declarator x)) <const T *>))) (declaration "
     "<T> (declarator f (initializer U))) (declaration <int> (declarator f (initializer "
     "(declaration <int> (declarator a (initializer 1))))))"},
    {"T a = {1, 2}; T a = {.x = 1, .y = {2}}; T a = {.x{1}}; int a[3] = {[0] = 1, [2] = 2}; T a{1, "
     "{2, 3}, T{4}}; T a = T{}; T a{b...};",
     "(declaration <T> (declarator a (initializer (list 1 2)))) (declaration <T> (declarator a "
     "(initializer (list (field x 1) (field y (list 2)))))) (declaration <T> (declarator a "
     "(initializer (list (field x (list 1)))))) (declaration <int> (declarator a (dimension 3) "
     "(initializer (list (element 0 1) (element 2 2))))) (declaration <T> (declarator a "
     "(initializer 1 (list 2 3) (construct <T> 4)))) (declaration <T> (declarator a (initializer "
     "(construct <T>)))) (declaration <T> (declarator a (initializer (pack b))))"},
    {"float4 a = b; size_t n = 1; uint32_t x = y; cudaTextureObject_t t; dim3 g(1, 2), b(3); half2 "
     "h = x; int3 i = {1, 2, 3};",
     "(declaration <float4> (declarator a (initializer b))) (declaration <size_t> (declarator n "
     "(initializer 1))) (declaration <uint32_t> (declarator x (initializer y))) (declaration "
     "<cudaTextureObject_t> (declarator t)) (declaration <dim3> (declarator g (initializer 1 2)) "
     "(declarator b (initializer 3))) (declaration <half2> (declarator h (initializer x))) "
     "(declaration <int3> (declarator i (initializer (list 1 2 3))))"},
    {"cg::thread_block b = cg::this_thread_block(); cooperative_groups::thread_block_tile<32> t = "
     "cg::tiled_partition<32>(b); wmma::fragment<wmma::matrix_a, 16, 16, 16, half, "
     "wmma::row_major> a; std::array<std::pair<int, float>, 3> x = {}; vec<T, (N > 4 ? 4 : N)> v; "
     "A<B<C>> d;",
     "(declaration <cg :: thread_block> (declarator b (initializer (call cg :: "
     "this_thread_block)))) (declaration <cooperative_groups :: thread_block_tile < 32 >> "
     "(declarator t (initializer (call cg :: tiled_partition < 32 > b)))) (declaration <wmma :: "
     "fragment < wmma :: matrix_a , 16 , 16 , 16 , half , wmma :: row_major >> (declarator a)) "
     "(declaration <std :: array < std :: pair < int , float > , 3 >> (declarator x (initializer "
     "(list)))) (declaration <vec < T , ( N > 4 ? 4 : N ) >> (declarator v)) (declaration <A < B < "
     "C >>> (declarator d))"},
    {"T RESTRICT p = q; const T *RESTRICT p = q; const T *RESTRICT const p = q; CONST int a = 1; "
     "UNUSED T x = y; float *a, *b = c, d[2];",
     "(declaration <T> (declarator p (initializer q))) (declaration <const T> (declarator *p "
     "(initializer q))) (declaration <const T> (declarator *p (initializer q))) (declaration "
     "<CONST int> (declarator a (initializer 1))) (declaration <UNUSED T> (declarator x "
     "(initializer y))) (declaration <float> (declarator *a) (declarator *b (initializer c)) "
     "(declarator d (dimension 2)))"},
    {"int a __attribute__((unused)) = 1; int a [[maybe_unused]] = 1; int x = y MACRO; T x ALIGNED;",
     "(declaration <int> (declarator a (initializer 1))) (declaration <int> (declarator a "
     "(initializer 1))) (declaration <int> (declarator x (initializer y))) (declaration <T> "
     "(declarator ALIGNED))"},
};

/* What only the rest of the file decides; and what a programmer would take it for. */
static const struct row ambiguous[] = {
    {"void f() { a * b; }", "(declaration <a> (declarator *b))"},
    {"void f() { a & b; }", "(declaration <a> (declarator &b))"},
    {"void f() { a * b = c; }", "(declaration <a> (declarator *b (initializer c)))"},
    {"void f() { a(b); }", "(expression (call a b))"},
    {"void f() { a (*b); }", "(expression (call a (* b)))"},
    {"struct T { }; void f() { T (*b); T * c; T (d); T(e)(g); }",
     "(declaration <T> (declarator *b)) (declaration <T> (declarator *c)) (expression (call T d)) "
     "(expression (call (call T e) g))"},
    {"typedef int T; void f() { T * a; T(b); x = (T) - 1; x = (T) + 1; }",
     "(declaration <T> (declarator *a)) (expression (call T b)) (expression (= x (cast <T> (- "
     "1)))) (expression (= x (cast <T> (+ 1))))"},
    {"using T = int; void f() { T * a; f(T); x = (T)*p; }",
     "(declaration <T> (declarator *a)) (expression (call f <T>)) (expression (= x (cast <T> (* "
     "p))))"},
    {"template <class T> void f(T *p) { T *q = p; T x(p); y = (T)-1; z = (T)*p; g<T>(x); g(T()); }",
     "(declaration <T> (declarator *q (initializer p))) (declaration <T> (declarator x "
     "(initializer p))) (expression (= y (cast <T> (- 1)))) (expression (= z (cast <T> (* p)))) "
     "(expression (call g < T > x)) (expression (call g (call T)))"},
    {"void f() { x = (a) - 1; y = (a) * b; }",
     "(expression (= x (- a 1))) (expression (= y (* a b)))"},
    {"void f() { a < b > c; a < b > (c); a<b>(c); a < b; d > c; }",
     "(declaration <a < b >> (declarator c)) (expression (call a < b > c)) (expression (call a < b "
     "> c)) (expression (< a b)) (expression (> d c))"},
    {"void f() { if (a < b && c > d) e; if (a < b || c > (d)) e; x = a < b ? c : d > e; }",
     "(if (&& (< a b) (> c d)) (expression e) _) (if (|| (< a b) (> c d)) (expression e) _) "
     "(expression (= x (choice (< a b) c (> d e))))"},
    {"void f() { for (int i = 0; i < n && j > (m); ++i) ; }",
     "(for (declaration <int> (declarator i (initializer 0))) (&& (< i n) (> j m)) (++ i) _)"},
    {"void f() { f(a < b, c > (d)); f(a < b, c > d); }",
     "(expression (call f (call a < b , c > d))) (expression (call f (< a b) (> c d)))"},
    {"void f() { int a = b < c, d = e > g; }", "(declaration <int> (declarator a (initializer (< b "
                                               "c))) (declarator d (initializer (> e g))))"},
    {"void f() { T a, *b; a * b; }",
     "(declaration <T> (declarator a) (declarator *b)) (declaration <a> (declarator *b))"},
    {"void f(T a) { T * b; }", "(declaration <T> (declarator *b))"},
    {"void f() { T x; T * y; T & z = x; }",
     "(declaration <T> (declarator x)) (declaration <T> (declarator *y)) (declaration <T> "
     "(declarator &z (initializer x)))"},
    {"void f() { a b; a b(); a b(c); a b(c * d); a b(3); a *b(c); }",
     "(declaration <a> (declarator b)) (declaration <a> (declarator b (initializer))) (declaration "
     "<a> (declarator b (initializer c))) (declaration <a> (declarator b (initializer (* c d)))) "
     "(declaration <a> (declarator b (initializer 3))) (declaration <a> (declarator *b "
     "(initializer c)))"},
    {"void f() { x y = z; x (y) = z; }", "(declaration <x> (declarator y (initializer z))) "
                                         "(declaration <x> (declarator y (initializer z)))"},
    {"void f() { MACRO a = b; MACRO(a) b = c; FOO(a) = b; }",
     "(declaration <MACRO> (declarator a (initializer b))) (macro (call MACRO a)) (expression (= b "
     "c)) (expression (= (call FOO a) b))"},
    {"void f() { a[b] * c; a.b * c; f() * c; }",
     "(expression (* (index a b) c)) (expression (* (member b a) c)) (expression (* (call f) c))"},
    {"void f() { T::x * y; T::x y; T::x(y); T::x y(z); typename T::x * y; }",
     "(declaration <T :: x> (declarator *y)) (declaration <T :: x> (declarator y)) (expression "
     "(call T :: x y)) (declaration <T :: x> (declarator y (initializer z))) (declaration "
     "<typename T :: x> (declarator *y))"},
    {"void f() { sizeof(T) * n; sizeof(a) - 1; sizeof(T *); sizeof (a) [0]; }",
     "(expression (* (sizeof <T>) n)) (expression (- (sizeof <a>) 1)) (expression (sizeof <T *>)) "
     "(expression (sizeof (index a 0)))"},
    {"void f() { g(int, T, float *); g(a * b, c & d); g(T *); g(unsigned long); }",
     "(expression (call g <int> T <float *>)) (expression (call g (* a b) (& c d))) (expression "
     "(call g <T *>)) (expression (call g <unsigned long>))"},
    {"void f() { std::min(a, b) * c; float(a) * b; float(a); float(*a); }",
     "(expression (* (call std :: min a b) c)) (expression (* (construct <float> a) b)) "
     "(expression (construct <float> a)) (declaration <float> (declarator *a))"},
    {"void f() { return a * b; } void g() { return (T)x; return (x); return -(x); }",
     "(return (* a b)) | (return (cast <T> x)) (return x) (return (- x))"},
    {"void f() { case_ : x; a ? b : c; switch (x) { case a ? b : c: d; case T::x: e; case ::y: ; } "
     "}",
     "label[case_ :] (expression x) (expression (choice a b c)) (switch x (block (case (choice a b "
     "c)) (expression d) (case T :: x) (expression e) (case :: y) _))"},
    {"void f() { new (a) b; new (p) T; delete (p); }",
     "(expression (new <b>)) (expression (new <T>)) (expression (delete p))"},
    {"void f() { NV_IF_TARGET(NV_IS_DEVICE, (return a; b;), (c; return d;)) NV_IF_TARGET(X, ()); "
     "NV_IF_ELSE_TARGET(X, asm(\"y\" : \"=r\"(a)); return b; , int c = 1, d; return e(c, d);) "
     "DISPATCH(T, N, { f<N>(x); }); DISPATCH(T, [&] { f(x); }); IF(a, (if (b) { c; }), (try { d; } "
     "catch (...) { })); }",
     "(macro (call NV_IF_TARGET NV_IS_DEVICE (block (return a) (expression b)) (block (expression "
     "c) (return d)))) (expression (call NV_IF_TARGET X (block))) (macro (call NV_IF_ELSE_TARGET X "
     "(block (asm) (return b)) (block (declaration <int> (declarator c (initializer 1)) "
     "(declarator d)) (return (call e c d))))) (expression (call DISPATCH T N (block (expression "
     "(call f < N > x))))) (expression (call DISPATCH T (lambda (block (expression (call f x)))))) "
     "(expression (call IF a (block (if b (block (expression c)) _)) (block (try (block "
     "(expression d)) (block)))))"},
};

/* Regions, macros and everything around bodies. */
static const struct row files[] = {
    {"void f() {\n#ifdef A\n    a;\n#else\n    b;\n#endif\n    c; }",
     "(expression a) (expression b) (expression c)"},
    {"void f() {\n#ifdef __HIP_PLATFORM_AMD__\n    a;\n#else\n    b;\n#endif\n    c; }",
     "(expression a) (expression c)"},
    {"void f() {\n#if defined(__HIP_PLATFORM_AMD__)\n    if (a) {\n#else\n    if (b) {\n#endif\n   "
     " c; } }",
     "(if a (block (expression c)) _)"},
    {"void f() { int x =\n#ifdef __HIPCC__\n 1\n#else\n 2\n#endif\n; }",
     "(declaration <int> (declarator x (initializer 1)))"},
    {"void f() {\n#ifdef A\n    if (a)\n#endif\n    b; }", "(if a (expression b) _)"},
    {"#ifdef __HIP_PLATFORM_AMD__\nvoid f() { a; }\n#else\nvoid f() { b; }\n#endif",
     "(expression a) | "},
    {"#define K(name, op) __global__ void name(int *p) { p[0] = a op b; name##_x(p); x##y = 1; }",
     "(expression (= (index p 0) (identifier a b))) (expression (call name ## _x p)) (expression "
     "(= x ## y 1))"},
    {"#define BODY { a; if (b) c; }", ""},
    {"#define DO(x) do { f(x); } while (0)", ""},
    {"struct s { __device__ void f() { a; } __device__ s() : x(1), y{2} { b; } ~s() { c; } "
     "operator int() const { d; } int operator[](int i) { e; } };",
     "(expression a) | (expression b) | (expression c) | (expression d) | (expression e)"},
    {"void f() { struct s { int x; void g() { a; } } y; b; }",
     "(declaration <struct s { int x ; void g ( ) { a ; } }> (declarator y)) (expression b) | "
     "(expression a)"},
    {"void s::f() { a; } template <class T> s<T>::s() : b(c) { d; } template <> void g<int>() { h; "
     "} s::~s() { e; } s::operator bool() const { f; }",
     "(expression a) | (expression d) | (expression h) | (expression e) | (expression f)"},
    {"namespace a { namespace { extern \"C\" { void f() { a; } } } } inline namespace b { void g() "
     "{ c; } } namespace c::d { void h() { e; } }",
     "(expression a) | (expression c) | (expression e)"},
    {"auto f() -> int { a; } auto g(int x) -> decltype(x) { b; } int h() noexcept(true) { c; } int "
     "i() try { d; } catch (...) { e; }",
     "(expression a) | (expression b) | (expression c) | (expression d)"},
    {"template <class T> requires C<T> void f() { a; } template <class T> void g() requires (C<T> "
     "&& D<T>) { b; } template <class T> requires requires(T t) { t.x; } void h() { c; } template "
     "<class T> concept E = requires(T t) { t.y; }; void i() { d; }",
     "(expression a) | (expression b) | (expression c) | (expression d)"},
    {"void f() { a; } void g() { b;", "(expression a) | ?[{]"},
    {"void f() { a; ) b; ( c; } void g() { d; }",
     "(expression a) ?[) b ;] ?[( c ;] | (expression d)"},
    {"void f() { a[1; b; } void g() { c; }", "?[a [ 1 ;] (expression b) | (expression c)"},
    {"void f() { @; a; $ b; \\ c; }",
     "?[@ ;] (expression a) (declaration <$> (declarator b)) ?[\\ c ;]"},
    {"void f() { ; a b c d; e; }", "_ (declaration <a b c> (declarator d)) (expression e)"},
    {"void f() { if (a { b; } c; }", "?[if ( a { b ; }] (expression c)"},
    {"void f() { for (int i = 0; i < n; i++ { b; } c; }",
     "?[for ( int i = 0 ;] (expression (< i n)) ?[i ++ { b ; }] (expression c)"},
    {"void f() { x = ; y = 1; z + ; w; }", "?[x = ;] (expression (= y 1)) ?[z + ;] (expression w)"},
    {"void f() { int = 3; int a = ; b; }", "?[int = 3 ;] ?[int a = ;] (expression b)"},
    {"void f() { f(,); g(a,); h(a b); i; }", "?[f ( , ) ;] ?[g ( a , ) ;] (expression (call h "
                                             "(declaration <a> (declarator b)))) (expression i)"},
    {"void f() { { a @ b; } c; if (d) e @ f; else g; h; }",
     "(block ?[a @ b ;]) (expression c) (if d ?[e @ f ;] (expression g)) (expression h)"},
    {"void f() { return @; } void g() { a; }", "?[return @ ;] | (expression a)"},
    {"void f() { switch (a) { case @: b; default: c; } }",
     "(switch a (block ?[case @ : b ;] (default) (expression c)))"},
    {"void f() {\n#if __HIP_DEVICE_COMPILE__\n#else\na\n#elif\n}\n#",
     "?[{ # if __HIP_DEVICE_COMPILE__ # else a # elif }]"},
    {"void f() { do { a; } } void g() { b; }", "?[do { a ; }] | (expression b)"},
    {"void f() { if (a) { do { b; } else c; } d; }",
     "(if a (block ?[do { b ; }] (else (expression c))) _) (expression d)"},
};

START_TEST(test_expressions)
{
    check_row(&expressions[_i], true);
}
END_TEST

START_TEST(test_casts)
{
    check_row(&casts[_i], true);
}
END_TEST

START_TEST(test_statements)
{
    check_row(&statements[_i], true);
}
END_TEST

START_TEST(test_declarations)
{
    check_row(&declarations[_i], true);
}
END_TEST

START_TEST(test_ambiguous)
{
    check_row(&ambiguous[_i], false);
}
END_TEST

START_TEST(test_files)
{
    check_row(&files[_i], false);
}
END_TEST

/* What holds for all trees. */

/* The whole of TEXT: its bodies are read, and their trees are sound. */
static void check_sound(const char *name, const char *text, size_t len)
{
    struct parse parse;
    parse_bytes(&parse, text, len);
    const char *fault = bodies_fault(&parse.unit);
    ck_assert_msg(!fault, "%s: %s", name, fault);
    parse_release(&parse);
}

static VEC(char *) sources;

static int add_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    if (type == FTW_F)
        *vec_push(&sources) = xstrdup(path);
    return 0;
}

START_TEST(test_sources)
{
    static const char *const folders[] = {"fixtures", "programs", "fuzz/corpus", "hip7"};
    const char *top = getenv("srcdir") ? getenv("srcdir") : ".";
    char path[4096];
    snprintf(path, sizeof path, "%s/testsuite/%s", top, folders[_i]);
    nftw(path, add_file, 16, FTW_PHYS);
    ck_assert_uint_gt(sources.count, 0);
    vec_each (char *, file, &sources) {
        struct text text = read_text(*file);
        check_sound(*file, text.bytes, text.len);
        free(text.bytes);
        free(*file);
    }
    vec_release(&sources);
}
END_TEST

/* A program with every form of statement, which is damaged. */
static const char program[] =
    "#define N 4\n#define LOOP(i) for (int i = 0; i < N; ++i)\n"
    "template <class T> struct s { T x; __device__ T get() const { return x; } };\n"
    "template <typename T, int K> __global__ void k(const T *a, T *b, int n)\n{\n"
    "    extern __shared__ float raw[];\n    __shared__ T t[N][N + 1], u;\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = (int)threadIdx.y;\n"
    "#ifdef __HIP_PLATFORM_AMD__\n    if (i < n) {\n#else\n    if (i <= n) {\n#endif\n"
    "        for (int q = 0, r; q < K && r > (1); q += 2) t[q % N][j] = a[i] ? b[-i] : T(1);\n"
    "    } else if (T *p = f<T>(a)) {\n        do { *p++ = static_cast<T>(raw[i]); } while (p);\n"
    "    } else switch (j) { case 1: case s<T>::x: break; default: goto end; }\n"
    "    auto l = [=, &u](int x) mutable -> int { while (x) --x; return x; };\n"
    "    LOOP(m) { asm volatile(\"mov %0, %1;\" : \"=r\"(u) : \"r\"(m)); }\n"
    "    IF_TARGET(A, (return;), (u = 1; l(2);))\n"
    "    float4 v = {1, 2, sizeof(T) * 2, l(3)}; int z[] = {[0] = 1};\n"
    "    try { throw v; } catch (...) { delete[] new T[n][4]; }\nend:\n"
    "    struct local { int y; void g() { y = 1; } } w; w.g();\n"
    "    x @ y; for (auto &e : z) e <<= 1;\n}\n"
    "void h() { k<float, 4><<<dim3(1, 2), 3>>>(p, q, ({ int a = 1; a; })); }\n";

START_TEST(test_prefixes)
{
    for (size_t len = 0; len < sizeof program; ++len)
        check_sound("prefix", program, len);
}
END_TEST

/* Each byte left out, and each replaced by one that matters. */
START_TEST(test_bytes)
{
    static const char others[] = "(){}[]<>;,:#\\\"@\n";
    char text[sizeof program];
    for (size_t at = 0; at + 1 < sizeof program; ++at) {
        memcpy(text, program, at);
        memcpy(text + at, program + at + 1, sizeof program - at - 1);
        check_sound("byte left out", text, sizeof program - 2);
        memcpy(text, program, sizeof program);
        text[at] = others[(at * 7 + (size_t)_i) % (sizeof others - 1)];
        check_sound("byte changed", text, sizeof program - 1);
    }
}
END_TEST

/* Deep and long shapes: so many times A, then MIDDLE, then so many times B. */
static const struct shape {
    const char *a, *middle, *b;
} shapes[] = {
    {"(", "x", ")"},
    {"{", "x;", "}"},
    {"-", "x", ";"},
    {"!", "x", ";"},
    {"*&", "x", ";"},
    {"(int)", "x", ";"},
    {"sizeof ", "x", ";"},
    {"if (a) b; else ", "c;", ""},
    {"if (a) ", "c;", "else d;"},
    {"for (;;) ", "c;", ""},
    {"do ", "c;", "while (x);"},
    {"while (a) {", "", "}"},
    {"switch (a) case 1: ", "c;", ""},
    {"M(x) {", "", "}"},
    {"M((", ";", "))"},
    {"x + ", "y", ";"},
    {"x = ", "y", ";"},
    {"x ? y : ", "z", ";"},
    {"x ? ", "y", ": z"},
    {"x, ", "y", ";"},
    {"f(", "x", ")"},
    {"a[", "x", "]"},
    {"T{", "x", "}"},
    {"f<", "x", ">"},
    {"f<", "x", ""},
    {"a < ", "x", ";"},
    {"x.", "y", ";"},
    {"x->", "y", ";"},
    {"a::", "b", ";"},
    {"[] {", "x;", "}"},
    {"f([] {", "x;", "})"},
    {"({", "x;", "})"},
    {"int a = {", "1", "}"},
    {"int *", "a", ";"},
    {"int a, ", "b", ";"},
    {"int (", "a", ")"},
    {"int a", "", "[1]"},
    {"a b ", "c", ";"},
    {"A B ", "", "}"},
    {"@ ", "x", ";"},
    {"x; @ y; ", "", ""},
    {"else ", "x;", ""},
    {"case ", "x", ":"},
    {"\"s\" ", "", ";"},
    {"new ", "T", ";"},
    {"throw ", "x", ";"},
    {"template <", "x", ">"},
    {"struct a { void f() {", "", "} };"},
    {"operator", "()", ";"},
    {"[[", "x", "]]"},
    {"__attribute__((", "x", ")) y;"},
    {"\n#if A\n", "x;", "\n#endif\n"},
    {"\n#if A\n{\n#else\n{\n#endif\n", "x;", "}"},
    {"\n#ifdef __HIPCC__\n(\n#else\n{\n#endif\n", "x;", ")"},
    {"F(a;", "b", ")"},
    {"F(a, (b;), ", "c", ")"},
    {"x ## ", "y", ";"},
    {"try {", "", "} catch (...) { }"},
    {"co(", "", ""},
    {"}", "", "{"},
    {"]", "", "["},
    {"T ", "", ""},
    {"T *", "", ""},
    {"(T", ")", ""},
    {"requires ", "{", "}"},
};

/* So many repetitions end, and their trees are sound: no depth is a danger and nothing is looked
   at over and over again, which would take minutes. */
START_TEST(test_shapes)
{
    enum { TIMES = 100000 };
    const struct shape *shape = &shapes[_i];
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, "void f() {");
    for (int i = 0; i < TIMES; ++i)
        strbuf_adds(&text, shape->a);
    strbuf_adds(&text, shape->middle);
    for (int i = 0; i < TIMES; ++i)
        strbuf_adds(&text, shape->b);
    strbuf_adds(&text, "}\nvoid g() { x; }");
    check_sound(shape->a, text.text, text.len);
    strbuf_release(&text);
}
END_TEST

/* What is too deep is opaque, and all of it is counted as such. */
START_TEST(test_deep)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, "void f() { x = ");
    for (int i = 0; i < 2 * TREE_MAX_DEPTH; ++i)
        strbuf_adds(&text, "-");
    strbuf_adds(&text, " y; z; }");
    struct parse parse;
    parse_bytes(&parse, text.text, text.len);
    struct trees trees;
    struct measure measure;
    measure_init(&measure, &parse.unit);
    struct range body = parse.unit.functions.items[0].body;
    trees_init(&trees, &parse.unit, &parse.arena);
    measure_add(&measure, body, tree_body(&trees, body));
    ck_assert_uint_eq(measure.tokens, body.end - body.begin);
    ck_assert_uint_gt(measure.opaque, TREE_MAX_DEPTH / 2);
    ck_assert_uint_lt(measure.opaque, measure.tokens - 4);
    ck_assert_uint_eq(measure.reasons[TOK_EOF].tokens, measure.opaque);
    ck_assert_uint_lt(measure_share(measure.tokens, measure.opaque), 10000);
    measure_release(&measure);
    parse_release(&parse);
    strbuf_release(&text);
}
END_TEST

/* The measure: what is code for AMD GPUs counts, once. */
static const struct measured {
    const char *text;
    unsigned tokens, opaque;
} measured[] = {
    {"__device__ void f() { a; }", 4, 0},
    {"__device__ void f() { a b c; }", 6, 0},
    {"__device__ void f() { a + ; b; }", 7, 3},
    {"void f() { a; }", 0, 0},
    {"__device__ void f();", 0, 0},
    {"__global__ void f() {\n#ifdef A\na;\n#else\nb;\n#endif\n}", 6, 0},
    {"__global__ void f() {\n#ifdef __HIPCC__\na;\n#else\nb;\n#endif\n}", 4, 0},
    {"#ifndef __HIPCC__\n__global__ void f() { a; }\n#endif", 0, 0},
    {"#define HD __host__ __device__\nHD void f() { a; }", 4, 0},
    {"HOST_DEVICE void f() { a; }\nX_DEVICE T g() { b; }\n__hostdev__ T h() { c; } HD T i() { }",
     14, 0},
    {"DEVICES void f() { a; } CHD void g() { a; } Device h() { a; }", 4, 0},
    {"#define K(x) __global__ void x() { a; }", 4, 0},
    {"__device__ void f() { struct s { __device__ void g() { a; } }; }", 16, 0},
    {"__device__ void f() { struct s { __device__ void g() { a + ; } }; b; }", 19, 3},
    {"__device__ void f() { g([] { a; @; }); }", 14, 2},
    {"__device__ void f() { @ struct s { __device__ void g() { a + ; } }; b; }", 20, 16},
};

START_TEST(test_measure)
{
    const struct measured *row = &measured[_i];
    struct parse parse;
    parse_bytes(&parse, row->text, strlen(row->text));
    struct trees trees;
    struct measure measure;
    measure_init(&measure, &parse.unit);
    trees_init(&trees, &parse.unit, &parse.arena);
    measure_device(&measure, &trees);
    ck_assert_msg(measure.tokens == row->tokens && measure.opaque == row->opaque, "%s: %u of %u",
                  row->text, (unsigned)measure.opaque, (unsigned)measure.tokens);
    measure_release(&measure);
    parse_release(&parse);
}
END_TEST

/* Islands that are asked for by themselves. */
START_TEST(test_islands)
{
    static const char text[] = "a + b; int x = 1; const T *p; float *; (c; #define F(x) x * 2\n";
    struct parse parse;
    parse_bytes(&parse, text, strlen(text));
    struct trees trees;
    trees_init(&trees, &parse.unit, &parse.arena);
    const struct node *node = tree_expression(&trees, (struct range){0, 3});
    ck_assert_ptr_nonnull(node);
    ck_assert_int_eq(node->kind, NODE_BINARY);
    ck_assert_str_eq(tree_symbol(&parse.unit, tree_kid(node, 1))->text, "b");
    ck_assert_ptr_null(tree_expression(&trees, (struct range){0, 2}));
    ck_assert_ptr_null(tree_expression(&trees, (struct range){0, 0}));
    ck_assert_ptr_null(tree_expression(&trees, (struct range){0, 4}));
    node = tree_declaration(&trees, (struct range){4, 9});
    ck_assert_ptr_nonnull(node);
    ck_assert_int_eq(node->kind, NODE_DECLARATION);
    ck_assert_ptr_nonnull(tree_parameter(&trees, (struct range){4, 8}));
    ck_assert_ptr_null(tree_declaration(&trees, (struct range){0, 3}));
    node = tree_parameter(&trees, (struct range){9, 13});
    ck_assert_ptr_nonnull(node);
    ck_assert_str_eq(tree_symbol(&parse.unit, tree_kid(node, 1))->text, "p");
    node = tree_type(&trees, (struct range){14, 16});
    ck_assert_ptr_nonnull(node);
    ck_assert_int_eq(node->stars, 1);
    ck_assert_ptr_null(tree_type(&trees, (struct range){14, 17}));
    ck_assert_ptr_null(tree_expression(&trees, (struct range){17, 19}));
    parse_release(&parse);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tree");
    TCase *tcase = tcase_create("trees");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_expressions, 0, COUNT(expressions));
    tcase_add_loop_test(tcase, test_casts, 0, COUNT(casts));
    tcase_add_loop_test(tcase, test_statements, 0, COUNT(statements));
    tcase_add_loop_test(tcase, test_declarations, 0, COUNT(declarations));
    tcase_add_loop_test(tcase, test_ambiguous, 0, COUNT(ambiguous));
    tcase_add_loop_test(tcase, test_files, 0, COUNT(files));
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("all");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_sources, 0, 4);
    tcase_add_test(tcase, test_prefixes);
    tcase_add_loop_test(tcase, test_bytes, 0, 4);
    tcase_add_loop_test(tcase, test_shapes, 0, COUNT(shapes));
    tcase_add_test(tcase, test_deep);
    tcase_add_loop_test(tcase, test_measure, 0, COUNT(measured));
    tcase_add_test(tcase, test_islands);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
