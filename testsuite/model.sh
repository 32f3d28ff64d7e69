#!/usr/bin/env bash
# The kernel model's layouts and constants against a C++ compiler: structs and constant expressions
# made by a random generator with a fixed start are read by hwparse, and what it knows of them goes to
# the compiler as static_asserts. Prints TAP.
#
# Environment: HIPWRIGHT, srcdir and builddir as for all tests; CXX and CLANGXX name other compilers
# than those found; SEED another start, COUNT another number of structs and of constants.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

hwparse=${builddir:?the root of the build}/testsuite/hwparse
cxx=$(command -v "${CXX:-g++}") || cxx=
clang=$(command -v "${CLANGXX:-clang++-19}") || clang=
count=${COUNT:-250}

# CUDA's vector types as its vector_types.h has them, for the compiler only.
vector_types() {
    local base
    echo '#include <cstdint>'
    echo '#include <cstddef>'
    echo '#include <limits>'
    for base in char short int float longlong double; do
        local type=$base align
        [ $base != longlong ] || type='long long'
        for n in 1 2 3 4; do
            align="sizeof($type)"
            [ $n != 2 ] || align="2 * sizeof($type)"
            [ $n != 4 ] || align="(4 * sizeof($type) < 16 ? 4 * sizeof($type) : 16)"
            echo "struct alignas($align) $base$n { $type v[$n]; };"
        done
    done
    echo 'struct dim3 { unsigned x, y, z; };'
}

# COUNT structs and unions, then COUNT constants.
generate() {
    awk -v count="$count" -v seed="${SEED:-1}" '
    # A generator of our own: the rand() of one awk is not that of another.
    function rnd(n) {
        state = (state * 1103515245 % 2147483648 + 12345) % 2147483648
        return int(state / 65536) % n
    }
    function pick(list,   parts, n) {
        n = split(list, parts, "/")
        return parts[1 + rnd(n)]
    }
    function scalar() {
        return pick("bool/char/signed char/unsigned char/short/unsigned short/int/unsigned/long/" \
            "unsigned long/long long/unsigned long long/float/double/int8_t/uint16_t/int32_t/" \
            "uint64_t/size_t/long unsigned int/E/F")
    }
    function vector() {
        return pick("char2/char3/char4/short2/short3/short4/int2/int3/int4/float1/float2/float3/" \
            "float4/longlong2/longlong3/longlong4/double1/double2/double3/double4/dim3")
    }
    function type(i,   k) {
        k = rnd(6)
        return k == 0 ? vector() : k == 1 && i ? "S" rnd(i) : scalar()
    }
    function literal(   k) {
        k = rnd(7)
        if (k == 0) return rnd(100)
        if (k == 1) return rnd(100) "u"
        if (k == 2) return rnd(1000) "l"
        if (k == 3) return sprintf("0x%x", rnd(32000) * 60000)
        if (k == 4) return "0x" pick("8/a/f") sprintf("%07x", rnd(32000)) "u"
        if (k == 5) return rnd(30000) pick("ull/ll/ul")
        return "\047" pick("a/0/z/\\n/\\0/\\\\") "\047"
    }
    function name_or_literal(i,   k) {
        k = rnd(12)
        return i && k < 4 ? "C" rnd(i) : k == 4 ? "sizeof(S" rnd(count) ")" : literal()
    }
    function expression(depth, i,   a, b, k) {
        if (depth <= 0 || rnd(5) == 0)
            return name_or_literal(i)
        a = expression(depth - 1, i)
        b = expression(depth - 1, i)
        k = rnd(14)
        if (k == 0) return "(" a " * " rnd(9) "ul)"
        if (k == 1) return "((" a ") / (" 1 + rnd(30) "))"
        if (k == 2) return "((" a ") % " 1 + rnd(30) "u)"
        if (k == 3) return "(" a " & " b ")"
        if (k == 4) return "(" a " | " b ")"
        if (k == 5) return "(" a " ^ " b ")"
        if (k == 6) return "((unsigned)(" a ") << " rnd(32) ")"
        if (k == 7) return "((" a ") >> " rnd(7) ")"
        if (k == 8) return "(" a " " pick("</>/<=/>=/==/!=/&&/||") " " b ")"
        if (k == 9) return "(" a " ? " b " : " literal() ")"
        if (k == 10) return pick("-/~/!/+") "(unsigned long)(" a ")"
        if (k == 11)
            return "(" pick("unsigned char/short/int/unsigned/long/bool/uint16_t") ")(" a ")"
        if (k == 12) return "(" a " + 0ul + " b ")"
        return "(~" a ")"
    }
    function member(i, m, packed,   k) {
        k = rnd(9)
        if (k == 0)
            return pick("int/unsigned/char/unsigned char/short/long") " b" m " : " 1 + rnd(8) ";"
        if (k == 1)
            return type(i) " a" m "[" 1 + rnd(4) "][" 1 + rnd(5) "];"
        if (k == 2)
            return type(i) " *p" m ", q" m "[" 1 + rnd(3) "];"
        if (k == 3 && !packed)
            return "alignas(" pick("16/32") ") " scalar() " g" m ";"
        if (k == 4 && !packed)
            return "union { " type(i) " u" m "; " type(i) " v" m "[2]; };"
        if (k == 5)
            return "struct { " type(i) " x; " type(i) " y; } n" m ";"
        return type(i) " m" m ", k" m ";"
    }
    BEGIN {
        state = seed
        print "enum E { e0, e1 };\nenum class F : short { f };"
        for (i = 0; i < count; ++i) {
            packed = rnd(12) == 0
            print (rnd(8) ? "struct" : "union") (packed ? " __attribute__((packed))" : "") \
                (rnd(10) ? "" : " __attribute__((aligned(" pick("16/32/64") ")))") " S" i " {"
            members = 1 + rnd(6)
            for (m = 0; m < members; ++m)
                print "    " member(i, m, packed)
            print "};"
        }
        for (i = 0; i < count; ++i)
            print "constexpr " pick("auto/auto/auto/unsigned long/uint8_t") " C" i \
                " = (unsigned long)" expression(4, i) " + " expression(2, i) ";"
    }'
}

vector_types >vectors.h
generate >made.cu
"$hwparse" --asserts made.cu >asserts.cpp
cat vectors.h made.cu asserts.cpp >all.cpp

records=$(grep -c sizeof.S asserts.cpp)
constants=$(grep -c ' C[0-9]* ==\|(C[0-9]* ==' asserts.cpp)
echo "# $records layouts and $constants constants are known"
ok "9 of 10 structs have a layout" [ "$records" -ge $((count * 9 / 10)) ]
ok "9 of 10 constants have a value" [ "$constants" -ge $((count * 9 / 10)) ]
ok "together more than 300 asserts" [ "$(grep -c static_assert asserts.cpp)" -gt 300 ]

compiles() {
    "$1" -std=c++17 -fsyntax-only -w all.cpp 2>err || {
        grep -m 5 error err | sed 's/^/# /'
        return 1
    }
}
for compiler in "$cxx" "$clang"; do
    if [ -n "$compiler" ]; then
        ok "${compiler##*/} agrees" compiles "$compiler"
    else
        skip "a compiler agrees" "none found"
    fi
done
echo "1..$tests"
