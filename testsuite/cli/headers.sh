#!/usr/bin/env bash
# A run's files as one program: constants and launches across files, -I, -D, compile commands.
. "${srcdir:?}/testsuite/cli/common.sh"

# The kernels stand in headers, what they are launched with elsewhere.
make_program() {
    rm -rf "$1"
    mkdir -p "$1/src" "$1/include/deep"
    cat >"$1/include/config.h" <<'END'
#ifndef CONFIG_H
#define CONFIG_H
#define WARPS 3
#define BLOCK (WARPS * 32)
enum { TILE = 32 };
#endif
END
    cat >"$1/include/deep/more.h" <<'END'
#include "../config.h"
const int rows = TILE;
END
    cat >"$1/src/kernels.cuh" <<'END'
#pragma once
__global__ void scale(float *p)
{
    p[threadIdx.x] = 0;
}
__global__ void turn(float *p)
{
    __shared__ float tile[rows][TILE];
    tile[threadIdx.y][threadIdx.x] = p[threadIdx.y * TILE + threadIdx.x];
    __syncthreads();
    p[threadIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
END
    cat >"$1/src/main.cu" <<'END'
#include "deep/more.h"
#include "kernels.cuh"
extern __global__ void far(float *p);
void run(float *p)
{
    scale<<<10, BLOCK>>>(p);
    turn<<<10, dim3(TILE, 8)>>>(p);
    far<<<10, 2 * BLOCK>>>(p);
}
END
    cat >"$1/src/far.cu" <<'END'
__global__ void far(float *p)
{
    p[threadIdx.x] = 1;
}
END
}

make_program a
bound='`scale` is launched with at most 96 threads'

test_blocks() {
    run 0 check --no-config -Ia/include a/src/main.cu a/src/kernels.cuh a/src/far.cu &&
        has out 'a/src/main.cu:6:17: warning: a block of 96 threads leaves 25 %' &&
        has out "a/src/kernels.cuh:2:17: note: $bound" &&
        has out 'a/src/kernels.cuh:11:43: warning: `tile[threadIdx.x][threadIdx.y]` is a' &&
        has out 'a/src/far.cu:1:17: note: `far` is launched with at most 192 threads'
}
ok 'blocks and dimensions come from headers and from the files that launch' test_blocks

test_without() {
    run 0 check --no-config a/src/main.cu a/src/kernels.cuh a/src/far.cu &&
        lacks out 'a block of 96' && lacks out "$bound" && lacks out '`far` is'
}
ok 'what is not found is not known, and no error' test_without

# A header's static kernel is everybody's who includes it; so is that of an included source.
test_static() {
    local file
    mkdir -p static alone
    for file in static/one.cuh static/two.cu alone/one.cuh alone/two.cu; do
        printf '%s\n' 'static __global__ void k(float *p) { *p = 1; }' \
            'inline void go(float *p) { k<<<9, 256>>>(p); }' >"$file"
    done
    printf '#include "one.cuh"\nvoid a(float *p) { k<<<9, 1024>>>(p); }\n' >static/a.cu
    printf '#include "two.cu"\nvoid b(float *p) { k<<<9, 512>>>(p); }\n' >static/b.cu
    run 0 check --no-config static && lacks out one.cuh &&
        has out 'two.cu:1:24: note: `k` is launched with at most 512' &&
        run 0 check --no-config static/one.cuh && has out ': unsafe fix: insert' &&
        run 0 check --no-config alone && has out 'one.cuh:1:18: note: safe fix: insert' &&
        has out 'two.cu:1:18: note: safe fix: insert'
}
ok 'a static kernel of an included file may be launched by others' test_static

test_single() {
    run 0 check --no-config -I a/include a/src/main.cu &&
        has out 'a/src/main.cu:6:17: warning: a block of 96 threads' && lacks out kernels.cuh
}
ok 'a single file looks into its headers, which are not reported' test_single

test_once() {
    run 0 check --no-config --format=json -Ia/include a/src/kernels.cuh a/src/main.cu \
        a/src/../src/kernels.cuh a/src/kernels.cuh || return 1
    test "$(grep -o "$bound" out | wc -l)" = 1 && has out '"files": 2'
}
ok 'a finding in a header appears once' test_once

test_order() {
    local jobs
    run 0 check --no-config --format=json -Ia/include -j1 a/src/far.cu a/src/kernels.cuh \
        a/src/main.cu || return 1
    tr '{' '\n' <out | sed 's/,*$//' | sort >want
    grep -q occupancy-missing-bounds want || return 1
    for jobs in 1 2 7; do
        run 0 check --no-config --format=json -Ia/include -j$jobs a/src/main.cu a/src/kernels.cuh \
            a/src/far.cu || return 1
        tr '{' '\n' <out | sed 's/,*$//' | sort | cmp - want || return 1
    done
}
ok 'neither the order of the files nor --jobs matters' test_order

# commands FILE TEXT: one entry for a/src/main.cu, whose command or arguments are TEXT.
commands() {
    printf '[{"directory": "%s/a/src", "file": "main.cu", %s}]\n' "$PWD" "$2" >"$1"
}

test_commands() {
    commands cc.json '"command": "nvcc -std=c++17 -I \"../include\" -DX=1 -c main.cu"'
    run 0 check --no-config -p cc.json a/src/main.cu a/src/kernels.cuh && has out "$bound" || return 1
    commands cc.json '"arguments": ["nvcc", "-I../include", "-c", "main.cu"]'
    run 0 check --no-config --compile-commands=cc.json a/src/kernels.cuh a/src/main.cu &&
        has out "$bound" || return 1
    mkdir -p build
    mv cc.json build/compile_commands.json
    run 0 check --no-config -p build a/src/kernels.cuh a/src/main.cu && has out "$bound"
}
ok 'compile commands tell where headers are' test_commands

test_many() {
    commands many.json "\"arguments\": [$(awk 'BEGIN { for (i = 0; i < 100000; ++i) printf "\"-DX%d\", ", i }') \"-I../include\"]"
    timeout 20 "$HIPWRIGHT" check --no-config -p many.json a/src/main.cu a/src/kernels.cuh >out 2>err && has out "$bound"
}
ok 'a hundred thousand macros cost no more than others' test_many

test_registers() {
    commands cc.json '"command": "nvcc -I../include --maxrregcount 32 -c main.cu"'
    cat a/src/kernels.cuh >a/src/both.cu
    sed 's/main.cu/both.cu/g' cc.json >both.json
    echo 'void run(float *p) { scale<<<1, 128>>>(p); }' >>a/src/both.cu
    run 0 check --no-config a/src/both.cu && has out '`scale` is launched with at most 128' &&
        run 0 check --no-config -p both.json a/src/both.cu && lacks out '`scale` is launched'
    local res=$?
    rm a/src/both.cu
    return $res
}
ok "a build's limit of registers counts" test_registers

cat >define.cu <<'END'
#ifndef BLOCK
#define BLOCK 128
#endif
__global__ void k(float *p)
{
    p[threadIdx.x] = 0;
}
void run(float *p)
{
    k<<<10, BLOCK>>>(p);
    k<<<10, OTHER>>>(p);
}
END

test_define() {
    run 0 check --no-config define.cu && lacks out 'leaves' &&
        run 0 check --no-config -DBLOCK=96 -D OTHER=160 define.cu &&
        has out 'define.cu:10:13: warning: a block of 96 threads' &&
        has out 'define.cu:11:13: warning: a block of 160 threads' &&
        run 0 check --no-config --define-macro=BLOCK=96 - <define.cu && has out 'a block of 96' &&
        run 2 check --no-config -D 1=2 define.cu && has err "invalid argument '1=2'" &&
        run 2 check --no-config -D = define.cu
}
ok '-D gives a macro a value' test_define

test_config() {
    mkdir -p conf/include conf/src
    cp a/include/config.h conf/include
    printf '#include <config.h>\n__global__ void k() {}\nvoid f() { k<<<10, BLOCK>>>(); k<<<10, OTHER>>>(); }\n' \
        >conf/src/k.cu
    printf 'include-directory = include\ndefine-macro = OTHER=160\n' >conf/.hipwright.ini
    run 0 check conf/src/k.cu && has out 'a block of 96' && has out 'a block of 160' || return 1
    echo 'include-directory = ../a/include' >conf/.hipwright.ini
    run 2 check conf/src/k.cu && has err "no path inside" || return 1
    echo 'include-directory = src/k.cu' >conf/.hipwright.ini
    run 2 check conf/src/k.cu && has err "is no folder" || return 1
    echo 'compile-commands = cc.json' >conf/.hipwright.ini
    run 2 check conf/src/k.cu && has err "for the command line only"
}
ok 'a configuration may name folders below it, and macros' test_config

# Sizes of types that a header declares.
test_types() {
    mkdir -p types
    cat >types/types.h <<'END'
typedef double real;
#define WORD unsigned int
struct pair { int a, b; };
#ifdef DOUBLE
typedef double either;
#else
typedef float either;
#endif
END
    cat >types/k.cu <<'END'
#include "types.h"
__global__ void big(float *p)
{
    __shared__ real a[8192];
    __shared__ WORD b[8192];
    a[threadIdx.x] = b[threadIdx.x] = p[threadIdx.x];
}
__global__ void pairs() { __shared__ pair c[10000]; use(c); }
__global__ void given() { __shared__ given_t d[10000]; use(d); }
__global__ void unclear() { __shared__ either e[20000]; use(e); }
END
    run 1 check --no-config -Dgiven_t=double types/k.cu &&
        has out '98304 bytes of LDS' && has out '80000 bytes of LDS' && lacks out 'k.cu:10:' || return 1
    test "$(grep -c '80000 bytes of LDS' out)" = 2
}
ok 'types of headers have their sizes' test_types

# Two commands for one name: both values count.
test_conflict() {
    mkdir -p two
    printf '#include "k.cuh"\nvoid f() { k<<<10, BLOCK>>>(); }\n' | tee two/x.cu >two/y.cu
    printf '__global__ void k() {}\n' >two/k.cuh
    cat >two/compile_commands.json <<END
[{"directory": "$PWD/two", "file": "x.cu", "command": "nvcc -DBLOCK=96 x.cu"},
 {"directory": "$PWD/two", "file": "y.cu", "command": "nvcc -DBLOCK=160 y.cu"}]
END
    run 0 check --no-config -p two two/x.cu two/y.cu two/k.cuh &&
        has out 'x.cu:2:20: warning: a block of 96' && has out 'y.cu:2:20: warning: a block of 160' &&
        has out 'k.cuh:1:17: note: `k` is launched with at most 160'
}
ok 'each file has the macros of its own command' test_conflict

# What a build defines turns code off only where each of its commands says so; a header's macro only
# where no file around says otherwise.
test_switches() {
    mkdir -p switch
    printf '#if FAST\n__device__ int f(int p) { return __popc(__ballot_sync(~0u, p)); }\n#endif\n' >switch/f.cu
    command() { printf '{"directory": "%s/switch", "file": "f.cu", "command": "nvcc %s f.cu"}' "$PWD" "$1"; }
    echo "[$(command -DFAST=0), $(command '-DFAST=0 -DX')]" >switch/compile_commands.json
    run 0 check --no-config -p switch switch/f.cu && lacks out '__popc' || return 1
    echo "[$(command -DFAST=0), $(command -DX)]" >switch/compile_commands.json
    run 1 check --no-config -p switch switch/f.cu && has out '__popc' || return 1
    echo "[$(command -DFAST=0), $(command -DFAST=1)]" >switch/compile_commands.json
    run 1 check --no-config -p switch switch/f.cu && has out '__popc' || return 1

    printf '#define FAST 0\n' >switch/config.h
    (echo '#include "config.h"' && cat switch/f.cu) >switch/g.cuh
    printf '#include "g.cuh"\n' >switch/user.cu
    run 0 check --no-config switch/g.cuh switch/user.cu && lacks out '__popc' || return 1
    printf '#include "config.h"\n#undef FAST\n#define FAST 1\n#include "g.cuh"\n' >switch/user.cu
    run 1 check --no-config switch/g.cuh switch/user.cu && has out '__popc'
}
ok 'macros of a build and of headers turn code off where nobody says otherwise' test_switches

test_broken() {
    printf '[{"directory": "/", "file": \n' >broken.json
    run 2 check --no-config -p broken.json define.cu && has err 'broken.json:' && has err 'is not JSON' &&
        echo '{}' >broken.json && run 2 check --no-config -p broken.json define.cu &&
        has err 'is no list of compile commands' &&
        echo '[{"directory": "/"}]' >broken.json &&
        run 2 check --no-config -p broken.json define.cu && has err "entry 1 has no 'file'" &&
        echo '[{"directory": "/", "file": "gone.cu", "command": "x"}]' >broken.json &&
        run 0 check --no-config -p broken.json define.cu &&
        run 2 check --no-config -p missing.json define.cu && has err 'missing.json: error: cannot'
}
ok 'compile commands that cannot be read are trouble' test_broken

test_cycle() {
    mkdir -p cycle
    printf '#include "b.h"\n#include "a.h"\n#define A 96\n' >cycle/a.h
    printf '#include "a.h"\n#include "gone.h"\n#include "b.h"\n#define B 160\n' >cycle/b.h
    printf '#include "a.h"\n__global__ void k() {}\nvoid f() { k<<<10, A>>>(); k<<<10, B>>>(); }\n' \
        >cycle/k.cu
    run 0 check --no-config cycle/k.cu && has out 'a block of 96' && has out 'a block of 160' &&
        run 0 check --no-config cycle/b.h cycle/a.h cycle/k.cu && has out 'a block of 160' &&
        ln -s . cycle/loop && printf '#include "loop/self.h"\n#define S 96\n' >cycle/self.h &&
        printf '#include "self.h"\n__global__ void k() {}\nvoid f() { k<<<10, S>>>(); }\n' >cycle/s.cu &&
        run 0 check --no-config cycle/s.cu && has out 'a block of 96'
}
ok 'headers that include each other, and themselves' test_cycle

test_odd() {
    mkdir -p odd/dir.h
    mkfifo odd/pipe.h
    printf '#include "dir.h"\n#include "pipe.h"\n#include "\\\\0"\n#include ""\n#include "x' >odd/k.cu
    run 0 check --no-config odd/k.cu
}
ok 'folders and pipes are no headers' test_odd

test_translate() {
    run 0 translate --no-config -q -Ia/include --output-dir=t a/src/main.cu a/src/kernels.cuh &&
        has t/a/src/main.cu 'a block of 96 threads leaves 25 %' && ! test -e t/a/include
}
ok 'translate knows the same' test_translate

# A folder is a whole program: what its files launch is all there is, and safe to rely on.
test_folder() {
    local file=a/src/kernels.cuh
    run 0 check --no-config -Ia/include a/src/main.cu $file && has out 'unsafe fix: insert ` __launch' &&
        run 0 check --no-config -Ia/include a && has out "$file:2:17: note: $bound" &&
        has out "$file:2:11: note: safe fix: insert" && lacks out 'unsafe fix: insert ` __launch' || return 1
    cp -R a computed
    echo 'void g(void *k) { cudaLaunchKernel(k, 1, 2, 0, 0, 0); }' >computed/src/other.cu
    run 0 check --no-config -Icomputed/include computed && has out 'unsafe fix: insert ` __launch'
}
ok 'a folder is a whole program' test_folder

# What is to be committed counts, not what the work tree has by now.
test_staged() {
    (
        git init -q staged && cd staged || exit 1
        printf '__global__ void k() {}\n' >k.cuh
        printf '#include "k.cuh"\nvoid f() { k<<<10, 96>>>(); }\n' >k.cu
        git add . || exit 1
        printf '#include "k.cuh"\nvoid f() { k<<<10, 160>>>(); }\n' >k.cu
        run 0 check --no-config --staged && has out '`k` is launched with at most 96'
    )
}
if git --version >/dev/null 2>&1; then
    ok '--staged takes facts from the index' test_staged
else
    skip '--staged takes facts from the index' 'no git'
fi

# Many headers in one file, many files with one header, and a long chain: each in linear time.
test_many() {
    local i
    mkdir -p many
    for ((i = 0; i < 1500; ++i)); do
        printf '#pragma once\n#include "h%d.h"\n#define N%d (N%d + 0)\n' $((i + 1)) $i $((i + 1)) \
            >many/h$i.h
        printf '#include "h1400.h"\nstatic __global__ void k() {}\nvoid f() { k<<<10, N1450>>>(); }\n' \
            >many/f$i.cu
        echo "#include \"h$i.h\""
    done >many/all.cu
    printf '#define N1500 96\n' >many/h1500.h
    printf '__global__ void k() {}\nvoid f() { k<<<10, N1495>>>(); }\n' >>many/all.cu
    timeout 60 "$HIPWRIGHT" check --no-config many/*.cu >out 2>err &&
        has out 'many/all.cu:1502:20: warning: a block of 96' &&
        has out 'many/f1499.cu:3:20: warning: a block of 96'
}
ok 'many headers, many files' test_many

# CUDA's warpSize is no constant either, so one that a header declares is the user's.
test_own_warp_size() {
    mkdir -p own
    echo 'constexpr unsigned warpSize = 32;' >own/common.cuh
    printf '#include "common.cuh"\nconstexpr int rows = warpSize / 8;\n__global__ void k() {}\n' >own/k.cu
    sed 's/common/other/' own/k.cu >own/l.cu
    "$HIPWRIGHT" check --no-config own >out 2>err
    lacks out 'own/k.cu' && has out 'own/l.cu:2:22: error: `warpSize` is no constant'
}
ok 'a warpSize of the user' test_own_warp_size

# The sources of a library do without it; who only has it beside its own, or elsewhere, does not.
test_own_library() {
    mkdir -p ml/cpp/include/cuml/base ml/cpp/src/a user/cuml user/src
    echo 'namespace ML { int f(int *p); }' >ml/cpp/include/cuml/base/f.hpp
    printf '#include <cuml/base/f.hpp>\nint ML::f(int *p) { return cudaFree(p); }\nint g() { return ML::f(0); }\n' >ml/cpp/src/a/f.cu
    printf '#include <raft/core.hpp>\nint h() { return ML::f(0); }\n' >ml/cpp/src/a/h.cu
    cp ml/cpp/src/a/f.cu user/src/f.cu && cp ml/cpp/src/a/f.cu user/src/cuml.cu
    "$HIPWRIGHT" check --no-config --fail-on=never ml >out 2>err && lacks out cuML && has out 'stands for RAFT' || return
    (cd ml && "$HIPWRIGHT" check --no-config cpp/src/a/f.cu) >out 2>err && lacks out cuML || return
    "$HIPWRIGHT" check --no-config --fail-on=never user >out 2>err && has out 'user/src/f.cu:1:10: error: cuML has no counterpart'
}
ok 'the sources of a library themselves' test_own_library

finish
