/* Writes kernels for the lane tests: each declares some variables, changes them with a few
   statements and shows the value of an expression. The same text on every machine.

   usage: generate COUNT [SEED]

   Two kinds. The values of most depend on the thread alone; these may do what they like. Those of
   others also depend on parameters and on blockIdx, of which the interpreter only knows that they
   are the same for all threads: these do what indices are made of, without negative values.  */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 20260401;

/* A number below N. */
static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static const char *one_of(const char *const *list, unsigned count)
{
    return list[draw(count)];
}
#define ONE_OF(list) one_of(list, sizeof(list) / sizeof *(list))

static const char *const types[] = {
    "int",     "unsigned", "int",       "unsigned int", "long long",      "unsigned long long",
    "size_t",  "short",    "uint8_t",   "bool",         "const int",      "signed char",
    "int64_t", "uint32_t", "const int", "int",          "unsigned short",
};
static const char *const index_types[] = {"int", "unsigned", "const int", "int", "size_t", "auto"};
static const char *const casts[] = {"int",    "unsigned", "short",   "unsigned char", "long long",
                                    "size_t", "uint8_t",  "int64_t", "bool"};
static const char *const threads[] = {"threadIdx.x",      "threadIdx.x", "threadIdx.y",
                                      "threadIdx.z",      "LANE",        "LINEAR",
                                      "(int)threadIdx.x", "blockDim.x"};
static const char *const uniforms[] = {"n", "m", "blockIdx.x", "gridDim.x", "k"};
static const char *const constants[] = {"1",  "2",  "3",  "4",  "5",    "7",   "8",    "15",
                                        "16", "31", "32", "33", "0x1f", "63u", "WARP", "MASK"};
static const char *const powers[] = {"2", "4", "8", "16", "32", "WARP", "64u"};

static unsigned variables; /* v0 to v(variables - 1) are declared */
static bool is_constant[16];

static void expression(unsigned depth);
static void index_expression(unsigned depth);

/* Writes FORMAT: @ is an expression, # one for an index, $ the next of the texts that follow. */
static void put(const char *format, unsigned depth, ...)
{
    va_list list;
    va_start(list, depth);
    for (; *format; ++format)
        if (*format == '@')
            expression(depth);
        else if (*format == '#')
            index_expression(depth);
        else if (*format == '$')
            fputs(va_arg(list, const char *), stdout);
        else
            putchar(*format);
    va_end(list);
}

static void leaf(void)
{
    if (variables && draw(2))
        printf("v%u", draw(variables));
    else if (draw(3))
        fputs(ONE_OF(threads), stdout);
    else
        fputs(ONE_OF(constants), stdout);
}

/* Depends on the thread alone. No division by zero, no shift by more than 7. */
static void expression(unsigned depth)
{
    static const char *const plain[] = {"+", "-", "*", "&", "|", "^", "+", "-"};
    static const char *const compare[] = {"<", ">", "<=", ">=", "==", "!="};
    if (depth == 0) {
        leaf();
        return;
    }
    --depth;
    switch (draw(22)) {
    case 0:
    case 1:
        put("(@ / $)", depth, ONE_OF(constants));
        break;
    case 2:
    case 3:
        put("(@ % $)", depth, ONE_OF(constants));
        break;
    case 4:
        put("(@ >> (@ & 7))", depth);
        break;
    case 5:
        put("(@ << (@ & 3))", depth);
        break;
    case 6:
        put("(@ >> $)", depth, draw(2) ? "2" : "5");
        break;
    case 7:
        put("(@ / ((@ & 15) + 1))", depth);
        break;
    case 8:
        put("(@ $ @ ? @ : @)", depth, ONE_OF(compare));
        break;
    case 9:
        put("(@ $ @)", depth, ONE_OF(compare));
        break;
    case 10:
        put("($)(@)", depth, ONE_OF(casts));
        break;
    case 11:
        put(draw(2) ? "-(@)" : "~(@)", depth);
        break;
    case 12:
        put(draw(2) ? "(@ && @)" : "(@ || !(@))", depth);
        break;
    case 13:
        put(draw(2) ? "HALF(@)" : "PICK(@, @)", depth);
        break;
    case 14:
        put(draw(2) ? "half_of(@)" : "clamped(@, 3, 40)", depth);
        break;
    case 15:
        put(draw(2) ? "swizzled(@, @)" : "digits(@)", depth);
        break;
    case 16:
        put("(@ & ($))", depth, ONE_OF(constants));
        break;
    case 17:
        put("static_cast<$>(@)", depth, ONE_OF(casts));
        break;
    default:
        put("(@ $ @)", depth, ONE_OF(plain));
        break;
    }
}

/* Made of uniforms and threads, never negative, never large. */
static void index_expression(unsigned depth)
{
    if (depth == 0) {
        if (variables && draw(2))
            printf("v%u", draw(variables));
        else
            fputs(draw(2) ? ONE_OF(threads) : ONE_OF(uniforms), stdout);
        return;
    }
    --depth;
    switch (draw(12)) {
    case 0:
    case 1:
    case 2:
        put("(# + #)", depth);
        break;
    case 3:
        put("(# + $)", depth, ONE_OF(constants));
        break;
    case 4:
    case 5:
        put("(# * $ + #)", 0, ONE_OF(powers));
        break;
    case 6:
        put("(($ * WARP + $) / $)", 0, ONE_OF(uniforms), ONE_OF(threads), ONE_OF(powers));
        break;
    case 7:
        put("(($ * 64 + $) % $)", 0, ONE_OF(uniforms), ONE_OF(threads), ONE_OF(powers));
        break;
    case 8:
        put("(($ << 6 | ($ & 31)) + #)", depth, ONE_OF(uniforms), ONE_OF(threads));
        break;
    case 9:
        put("(# * $)", 0, ONE_OF(constants));
        break;
    case 10:
        put("($ > $ ? # : #)", 0, ONE_OF(uniforms), ONE_OF(constants));
        break;
    default:
        put("($ / $ + #)", depth, ONE_OF(uniforms), ONE_OF(constants));
        break;
    }
}

/* A variable that may be changed, or NULL. */
static const char *target(void)
{
    static const char *const names[] = {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"};
    for (int i = 0; variables && i < 4; ++i) {
        unsigned at = draw(variables);
        if (!is_constant[at])
            return names[at];
    }
    return NULL;
}

static void declaration(bool index)
{
    const char *type = index ? ONE_OF(index_types) : ONE_OF(types);
    printf("    %s v%u = ", type, variables);
    put(index ? "#;\n" : "@;\n", 1 + draw(2));
    is_constant[variables++] = type[0] == 'c';
}

static void statement(void)
{
    static const char *const assign[] = {"+=", "-=", "^=", "|=", "&=", "=", "+=", "*="};
    const char *v = target(), *w = target();
    if (!v || !w) {
        declaration(false);
        return;
    }
    switch (draw(16)) {
    case 0:
        put("    if (@)\n        $ $ @;\n", 1, v, ONE_OF(assign));
        break;
    case 1:
        put("    if (@ < @) {\n        $ = @;\n        $ += @;\n    } else {\n        $ = @;\n    "
            "}\n",
            1, v, w, v);
        break;
    case 2:
        put("    for (int i = 0; i < $; ++i)\n        $ $ @ + i;\n", 1, draw(2) ? "4" : "WARP / 8",
            v, draw(2) ? "+=" : "^=");
        break;
    case 3:
        put("    for (int i = $; i < 40; i += 8) {\n        if (@ & 1)\n            continue;\n"
            "        $ += i;\n    }\n",
            1, ONE_OF(threads), v);
        break;
    case 4:
        put("    for (unsigned s = WARP / 2; s > 0; s >>= 1)\n        $ += $ & s;\n", 1, v, w);
        break;
    case 5:
        put("    for (int i = 0; i < 6; i++) {\n        if (i > (int)(@ & 7))\n            break;\n"
            "        $ = $ * 3 + i;\n    }\n",
            1, v, v);
        break;
    case 6:
        put("    switch (@ & 3) {\n    case 0:\n        $ = @;\n        break;\n    case 1:\n"
            "        $ += 7;\n    case 2:\n        $ ^= @;\n        break;\n    default:\n"
            "        $ = 5;\n    }\n",
            1, v, w, w, v);
        break;
    case 7:
        put("    j = 5;\n    while (j > 0) {\n        $ += j * @;\n        --j;\n    }\n", 1, v);
        break;
    case 8:
        put("    {\n        int t = $;\n        $ = $;\n        $ = t;\n    }\n", 0, v, v, w, w);
        break;
    case 9:
        put(v[1] % 2 ? "    j = i++;\n" : "    i = ++j;\n", 0);
        break;
    case 10:
        put("    $ = $ > 9 ? @ : @;\n", 1, v, w);
        break;
    case 11:
        put("    do {\n        i += 3;\n    } while (i % 7 != 0 && (i & 31) < 20);\n", 0);
        break;
    case 12:
        put("    change($, @);\n", 1, draw(2) ? "i" : "j");
        break;
    case 13:
        put("    j += @;\n", 1);
        break;
    default:
        put("    $ $ @;\n", 2, v, ONE_OF(assign));
        break;
    }
}

/* Loops of which nobody knows how often they run, ways out that not all threads take. */
static void detour(void)
{
    static const char *const bounds[] = {"(k & 7)", "(n & 3)", "(int)blockIdx.x / 2", "(m > 20)"};
    static const char *const assign[] = {"+=", "-=", "^=", "=", "+=", "*="};
    const char *v = target();
    if (!v)
        v = "i";
    switch (draw(10)) {
    case 0:
        put("    for (int r = 0; r < $; ++r)\n        $ $ @;\n", 1, ONE_OF(bounds), v,
            ONE_OF(assign));
        break;
    case 1:
        put("    for (int r = 0; r < 5; ++r) {\n        if ($ == r)\n            break;\n"
            "        $ += @;\n    }\n",
            1, ONE_OF(bounds), v);
        break;
    case 2:
        put("    for (int r = $; r > 0; --r) {\n        j = i;\n        i += 2;\n"
            "        if ((@ & 7) == 3)\n            break;\n    }\n",
            1, ONE_OF(bounds));
        break;
    case 3:
        put("    if ($ > 3) {\n        if (@ & 1)\n            return;\n    }\n", 1,
            ONE_OF(uniforms));
        break;
    case 4:
        put("    if ((@ & 3) == 1) {\n        if ($ > $)\n            return;\n        $ = 3;\n    "
            "}\n",
            1, ONE_OF(uniforms), ONE_OF(constants), v);
        break;
    case 5:
        put("    for (int r = 0; r < $; ++r)\n        if ((@ & 15) == r)\n            return;\n", 1,
            draw(2) ? "4" : ONE_OF(bounds));
        break;
    case 6:
        put("    if (threadIdx.x >= 32 && $ > 3)\n        return;\n", 1, ONE_OF(uniforms));
        break;
    case 7:
        put("    switch ($ & 3) {\n    case 0:\n        $ = @;\n        break;\n    case 2:\n"
            "        if (threadIdx.x > 7)\n            return;\n    default:\n        $ += 2;\n    "
            "}\n",
            1, ONE_OF(uniforms), v, v);
        break;
    case 8:
        put("    while (i < $) {\n        i += 5;\n        if (i % 3 == 1)\n            continue;\n"
            "        $ += $;\n    }\n",
            0, ONE_OF(bounds), v, v);
        break;
    default:
        put("    if ($ > $)\n        $ $ @;\n", 1, ONE_OF(uniforms), ONE_OF(constants), v,
            ONE_OF(assign));
        break;
    }
}

/* The last line: SHOWN, perhaps inside a branch or a loop. */
static void last(const char *shown)
{
    switch (draw(8)) {
    case 0:
        put("    if (@ > @) {\n        ", 1);
        put(shown, 2);
        put("    }\n", 0);
        break;
    case 1:
        put("    for (int r = 0; r < 3; ++r) {\n        if (@ & 2)\n            break;\n        ",
            1);
        put(shown, 1);
        put("    }\n", 0);
        break;
    case 2:
        put("    bool c = $ > $ || @;\n    if ((threadIdx.x & 7) > 3 && c) {\n        ", 1,
            ONE_OF(uniforms), ONE_OF(constants));
        put(shown, 1);
        put("    }\n", 0);
        break;
    default:
        put("    ", 0);
        put(shown, 2 + draw(2));
        break;
    }
}

static void kernel(unsigned number)
{
    bool index = draw(4) == 0;
    variables = 0;
    printf("__global__ void g%u(int n, unsigned m, int k)\n{\n", number);
    if (!index)
        printf("    int i = threadIdx.x, j = %u;\n", draw(9));
    for (unsigned i = draw(4); i; --i)
        declaration(index);
    for (unsigned i = index ? 0 : draw(5); i; --i)
        if (variables < 7)
            statement();
    if (!index && draw(6) == 0)
        detour();
    if (draw(8) == 0)
        printf("    if (threadIdx.x >= %s)\n        return;\n", ONE_OF(powers));
    else if (draw(8) == 0)
        printf("    if (%s > 3)\n        return;\n", ONE_OF(uniforms));
    if (index)
        put("    show(#);\n", 2 + draw(2));
    else
        last("show(@ + (i ^ j));\n");
    puts("}\n");
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10;
    if (argc > 2)
        state = strtoul(argv[2], NULL, 10);
    puts("#define WARP 32\n"
         "#define MASK (WARP - 1)\n"
         "#define LANE (threadIdx.x & MASK)\n"
         "#define LINEAR ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)\n"
         "#define HALF(x) ((x) / 2)\n"
         "#define PICK(a, b) ((a) > (b) ? (a) - (b) : (b))\n"
         "__device__ int half_of(int x)\n{\n    if (x & 1)\n        return x / 2 + 1;\n"
         "    return x / 2;\n}\n"
         "__device__ __forceinline__ int clamped(int x, int low, int high)\n{\n"
         "    return x < low ? low : x > high ? high : x;\n}\n"
         "__device__ unsigned swizzled(unsigned row, unsigned column)\n{\n"
         "    unsigned low = row & 7;\n    low ^= column & 7;\n"
         "    return (row & 0xff) * 32 + (low << 2);\n}\n"
         "__device__ int digits(unsigned x)\n{\n    int res = 0;\n    x &= 0xff;\n"
         "    while (x) {\n        x >>= 1;\n        ++res;\n    }\n    return res;\n}\n"
         "__device__ void change(int &x, int by)\n{\n    x = x * 2 + by;\n}\n");
    for (unsigned i = 0; i < count; ++i)
        kernel(i);
    return 0;
}
