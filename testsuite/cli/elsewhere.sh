#!/usr/bin/env bash
# What a change causes in other files, and how findings name the places there.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

if ! command -v git >/dev/null; then
    echo "1..0 # SKIP no git"
    exit
fi
# shellcheck source=testsuite/cli/git.sh
. "$srcdir/testsuite/cli/git.sh"

# edit FILE FROM TO: in FILE, and staged.
edit() { sed -i "s/$2/$3/" "$1" && git add "$1"; }
back() { git reset -q --hard "${1:-HEAD}"; }

repo r
mkdir inc src src/deep
lines inc/config.h '#pragma once' '#define TILE 33' '#define BLOCK 256' '#define OTHER 7'
lines inc/derived.h '#include "config.h"' 'constexpr int kSide = TILE;' 'struct cell { float v[OTHER]; };'
lines inc/kernel.cuh '#include "derived.h"' '__global__ void __launch_bounds__(BLOCK) bounded(float *p) { p[threadIdx.x] = 1; }' \
    'void near(float *p) { bounded<<<1, 64>>>(p); }'
lines src/tile.cu '#include "../inc/derived.h"' '__global__ void k(float *p)' '{' '    __shared__ float t[32][kSide];' \
    '    t[threadIdx.x][threadIdx.y] = p[OTHER];' '    __syncthreads();' '    p[0] = t[threadIdx.x][threadIdx.y];' '}' \
    'void run(float *p) { k<<<1, dim3(32, 8)>>>(p); }'
lines src/main.cu '#include <inc/kernel.cuh>' 'void go(float *p)' '{' '    bounded<<<1, 256>>>(p);' '}'
lines src/def.cu '#include "../inc/config.h"' '__global__ void __launch_bounds__(BLOCK) linked(float *p) { p[threadIdx.x] = 1; }'
lines src/deep/use.cu '__global__ void linked(float *p);' 'void start(float *p) { linked<<<1, 256>>>(p); }'
lines lone.cu 'void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }'
lines .hipwright.ini 'include-directory = .'
git add . && git commit -qm 1

header() {
    edit inc/config.h 33 32 && run 0 check --staged && found src/tile.cu:5 && has out 'inc/derived.h:2:15: note: `kSide` is defined here' &&
        has out 'inc/config.h:2:9: note: `TILE` is defined here' && run 1 check --staged --fail-on=warning inc/config.h
}
ok "a constant of a header, by way of another header" header
forms() {
    run 0 check --staged --format=json && has out '{"file": "inc/config.h", "line": 2, "column": 9, "end_line": 2, "end_column": 16, "message": "`TILE` is defined here"}' || return
    run 0 check --staged --format=sarif && grep -A30 relatedLocations out >places && has places '"inc/config.h"' || return
    run 0 check --staged --format=github && has out 'file=src/tile.cu,line=5' && has out '%0Ainc/config.h:2: `TILE` is defined here%0ATODO' || return
    (cd src && run 0 check --staged && has out '../inc/config.h:2:9: note:' && found tile.cu:5) &&
        (cd src && GIT_DIR=../.git GIT_WORK_TREE=.. run 0 check --staged && found tile.cu:5) && PRE_COMMIT=1 run 0 check --staged inc/config.h && found src/tile.cu:5
}
ok "in every format, from a folder, and for pre-commit" forms
index() {
    lines src/tile.cu 'int x;' && lines inc/derived.h 'int y;' && run 0 check --staged && found src/tile.cu:5 || return
    echo 'include-directory = inc' >>.hipwright.ini && git add .hipwright.ini && rm -r src/tile.cu inc && run 0 check --staged && found src/tile.cu:5 && back
}
ok "by what the index holds, also of files with nothing staged" index
unread() {
    git update-index --assume-unchanged src/tile.cu && lines src/tile.cu 'int x;' && edit inc/config.h 33 32 && run 0 check --staged && found src/tile.cu:5 && git update-index --no-assume-unchanged src/tile.cu && back || return
    git sparse-checkout set --no-cone '/*' '!src' && [ ! -e src/tile.cu ] && edit inc/config.h 33 32 && run 0 check --staged && found src/tile.cu:5 && back && git sparse-checkout disable || return
    git checkout -q -b many && for n in {1..201}; do lines src/n$n.cu 'int n;'; done && git add src && git commit -qm many && rm src/*.cu && edit inc/config.h 33 32 && run 0 check --staged && found src/tile.cu:5 &&
        back && git checkout -q - && git branch -qD many
}
ok "also of files that the work tree lacks" unread
work_tree() { sed -i 's/33/32/' inc/config.h && edit src/def.cu p\\[ 'p[1 + ' && run 0 check --staged && found && run 0 check --diff-base=HEAD && found src/tile.cu:5 && back; }
ok "not by what the work tree holds" work_tree
unrelated() { edit inc/config.h 33 32 && git commit -qm t && edit inc/config.h 7 8 && run 0 check --staged --fail-on=note && found && edit src/tile.cu 'p\[OTHER' 'p[1 + OTHER' && run 0 check --staged && found src/tile.cu:5 && back HEAD~1; }
ok "what is not caused by the change is not told" unrelated
bounds() {
    edit inc/config.h 256 128 && run 1 check --staged && found src/deep/use.cu:2 src/main.cu:4 && has out 'inc/kernel.cuh:2:35: note: the launch bounds are here' &&
        has out 'src/def.cu:2:35: note: the launch bounds are here' && back && edit inc/kernel.cuh BLOCK 64 && run 1 check --staged && found src/main.cu:4 && back
}
ok "launch bounds, and launches in other files" bounds
launches() {
    edit src/deep/use.cu 256 512 && run 1 check --staged && found src/deep/use.cu:2 && back && edit src/main.cu 256 '257' && run 1 check --staged && found src/main.cu:4 && back
}
ok "a launch, and launch bounds in other files" launches
kernel() {
    sed -i 's/__launch_bounds__(BLOCK) //' inc/kernel.cuh && git commit -qam 2 && edit src/main.cu 256 128 && run 0 check --staged && found inc/kernel.cuh:2 &&
        has out 'src/main.cu:4:5: note: launched here' && edit src/main.cu 'bounded<<<' ' bounded<<<' && back HEAD~1
}
ok "a launch, and what it means for the kernel" kernel
types() {
    lines src/size.cu '#include "derived.h"' '__global__ void s() {}' 'void t() { s<<<1, 64, sizeof(cell) * 2048>>>(); }' && lines .hipwright.ini 'include-directory = inc, .' && git add . && git commit -qm 3 &&
        edit inc/config.h 'OTHER 7' 'OTHER 16' && run 1 check --staged && found src/size.cu:3 && has out 'inc/derived.h:3:1: note: `cell` is defined here' && has out 'inc/config.h:4:9: note: `OTHER`' && back HEAD~1
}
ok "a type of a header" types
names() {
    local n
    for n in $'new\nline' '[a]*' -d $'t\tb' $'\xe9'; do
        mkdir -p "./$n" && lines "$n/c.h" '#define B 256' && lines "$n/k.cu" '#include "c.h"' '__global__ void __launch_bounds__(B) q(int *p) { p[0] = 1; }' && lines "$n/m.cu" '__global__ void q(int *p);' 'void f(int *p) { q<<<1, 256>>>(p); }'
    done
    git add . && git commit -qm n && sed -i 's/256/128/' ./*/c.h && git add . && run 1 check --staged --format=json && [ "$(grep -c '"line": 2, "column": 25, "end_line"' out)" = 5 ] && back HEAD~1
}
ok "odd names" names
links() {
    mkdir real && ln -s real alias && ln -s inc/config.h link.h && lines real/more.h '#define COUNT 128' && lines use.cu '#include "link.h"' '#include "alias/more.h"' \
        '__global__ void __launch_bounds__(COUNT) u(int *p) { p[0] = 1; }' 'void f(int *p) { u<<<1, 128>>>(p); }' '__global__ void __launch_bounds__(BLOCK) v(int *p) { p[0] = 1; }' \
        'void g(int *p) { v<<<1, 256>>>(p); }' && git add . && git commit -qm l && edit real/more.h 128 64 && run 1 check --staged && found use.cu:4 && back && edit inc/config.h 256 64 &&
        run 1 check --staged use.cu inc && grep -q '^use.cu:6:' out && back HEAD~1
}
ok "links to headers and to their folders" links
range() {
    edit inc/config.h 33 32 && git commit -qm 4 && run 0 check --diff-base=HEAD~1 && found src/tile.cu:5 && lines src/tile.cu 'int x;' &&
        PRE_COMMIT=1 PRE_COMMIT_FROM_REF=HEAD~1 PRE_COMMIT_TO_REF=HEAD run 0 check --staged inc/config.h && found src/tile.cu:5 && back HEAD~1
}
ok "since a revision" range
same_file() {
    lines own.cu '#define T 33' 'const int W = 2;' 'static __device__ int lane() { return threadIdx.x; }' '__global__ void k(float *p)' '{' '    __shared__ float t[32][T];' '    int x = lane();' '    t[x][0] = p[0];' \
        '    __syncthreads();' '    p[0] = t[x][0];' '}' 'void r(float *p)' '{' '    k<<<1,' '        32>>>(p);' '}' && git add . && git commit -qm o || return
    edit own.cu '33' 32 && run 0 check --staged && found own.cu:8 && has out 'own.cu:1:9: note: `T` is defined here' && git commit -qm o2 && edit own.cu 'W = 2' 'W = 3' && run 0 check --staged && found || return
    edit own.cu 'int x = lane' 'int x =  lane' && run 0 check --staged && found own.cu:8 && git commit -qm o3 && edit own.cu 'return threadIdx.x' 'return  threadIdx.x' && run 0 check --staged && found own.cu:8 &&
        has out '`lane` is defined here' && git commit -qm o4 && edit own.cu ' 32>>>' ' 16>>>' && run 0 check --staged && found own.cu:4 own.cu:8 && run 0 check --write-baseline=b own.cu && git add b && run 0 check --staged --baseline=b && found && back HEAD~4
}
ok "what a finding rests on in its own file" same_file
damaged() {
    lines src/bad.cu '#include "../inc/config.h"' 'void f() { g(1; }' 'void h() {' && git add . && git commit -qm d && edit inc/config.h 7 8 && run 0 check --staged && ! grep -q bad.cu err && run 0 review HEAD && ! grep -q bad.cu err &&
        edit src/bad.cu 'h()' 'i()' && run 0 check --staged && has err 'src/bad.cu:' && run 0 review HEAD && has err 'src/bad.cu:' && back HEAD~1
}
ok "nothing is said of damage in files that only use what was changed" damaged
lines_of_one() {
    lines inc/config.h '#define TILE \' '    33' '#define BLOCK 256' '#define OTHER 7' && git add . && git commit -qm 1 && edit inc/config.h 33 32 && run 0 check --staged && found src/tile.cu:5 && back HEAD~1
}
ok "a constant of several lines" lines_of_one
many() {
    local i
    for i in $(seq 70); do echo '#include "../inc/kernel.cuh"' >"src/u$i.cu"; done
    lines src/size.cu '#include "derived.h"' '__global__ void s() {}' 'void t() { s<<<1, 64, sizeof(cell) * 2048>>>(); }' && lines .hipwright.ini 'include-directory = inc, .' && git add . && git commit -qm m &&
        edit inc/config.h 33 32 && run 0 check --staged && found src/tile.cu:5 && has err ' 1 file:' && back && edit inc/config.h 256 128 && run 1 check --staged &&
        found src/deep/use.cu:2 src/main.cu:4 && ! grep -q ' 7[0-9] files' err && back && edit inc/config.h 'OTHER 7' 'OTHER 16' && run 1 check --staged && found src/size.cu:3 && back HEAD~1
}
ok "many users: those that speak of what was changed" many
tree() {
    edit inc/config.h 33 32 && run 1 check . && has out './src/tile.cu:5:5: warning' && has out './inc/config.h:2:9: note: `TILE` is defined here' &&
        run 1 check -j1 . && cp out one && run 1 check -j7 . && cmp one out && back
}
ok "a tree" tree
baseline() {
    edit inc/config.h 33 32 && run 0 check --write-baseline=b . && run 0 check --baseline=b . && found && has err 'known' || return
    git mv inc/config.h inc/settings.h && sed -i 's/config.h/settings.h/' inc/derived.h src/def.cu && sed -i '1i// more' inc/settings.h && run 0 check --baseline=b . && found &&
        ! grep -q 'is stale' err && run 0 check --baseline=b src/tile.cu && found && back
}
ok "a baseline does not count places in other files" baseline
again() {
    lines a.cu 'void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }' && run 0 check --write-baseline=b a.cu && git add a.cu && git commit -qm a &&
        lines a.cu 'void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }' 'void g() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }' && git add a.cu &&
        run 1 check --staged --baseline=b && found a.cu:2 && back
}
ok "of two the same, a baseline knows the one that is not new" again

# The configuration
config() {
    lines .hipwright.ini 'disable = api' 'include-directory = .' && lines new.cu 'void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }' && git add new.cu && run 1 check --staged && found new.cu:1 &&
        git add .hipwright.ini && lines .hipwright.ini 'nonsense = 1' && run 0 check --staged && found && rm .hipwright.ini && run 0 check --staged && found && back
}
ok "the configuration of the index" config
all_files() { lines .hipwright.ini 'disable = api' && PRE_COMMIT=1 run 0 check --staged lone.cu && found && back && PRE_COMMIT=1 run 1 check --staged lone.cu && found lone.cu:1; }
ok "the configuration of the disk where whole files are checked" all_files
untracked() { lines new.cu 'void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }' && git add new.cu && mkdir -p d && lines d/.hipwright.ini 'disable = api' && lines d/x.cu 'void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }' && git add d/x.cu && run 1 check --staged && found new.cu:1 && back && rm -r d; }
ok "a configuration that git does not track" untracked
maps() {
    printf 'myThing\tfunction\tyourThing\t-\t-\t-\t-\t-\n' >m.map && lines .hipwright.ini 'map = m.map' && lines x.cu 'void f() { myThing(); }' && git add . && cp m.map good
    echo nonsense >m.map && run 0 check --staged && lines g.list nonsense && git add g.list && cp "$srcdir/maps/gpus.list" g.list && run 2 check --staged --gpus=g.list && has err 'g.list:1' && back
}
ok "maps and GPUs of the index" maps
baseline_of_index() {
    lines x.cu 'void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }' && run 0 check --write-baseline=known x.cu && git add . && lines known nonsense && run 0 check --staged --baseline=known && found && back
}
ok "the baseline of the index" baseline_of_index

finish
