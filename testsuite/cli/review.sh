#!/usr/bin/env bash
# review: what a port changed beyond translation, of files, folders and revisions.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

same() { cmp -s "$1" "$2" || { echo "# $1 and $2 differ"; return 1; }; }

# changed FILE: the lines that the diff in FILE shows as removed or added.
changed() { grep -aE '^[-+]' "$1" | grep -avE '^(---|\+\+\+) ' || true; }
shows() { # shows N: exactly N lines are removed or added
    local n
    n=$(changed out | wc -l)
    [ "$n" -eq "$1" ] || { echo "# $n lines instead of $1"; changed out | head | sed 's/^/# /'; return 1; }
}

cat >old.cu <<'END'
#include <cstdio>
#include <cuda_runtime.h>
#include <cublas_v2.h>

#define CHECK_CUDA(e) if ((e) != cudaSuccess) printf("CUDA error at line %d\n", __LINE__)

__constant__ float table[32];

__global__ void scale(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= table[i & 31];
}

template <int N> __global__ void fill(float *p)
{
    p[threadIdx.x] = N;
}

int main()
{
    float *p, *h;
    CHECK_CUDA(cudaMalloc((void **)&p, 1024));
    CHECK_CUDA(cudaMallocHost((void **)&h, 1024));
    cudaMemcpyToSymbol(table, h, 128);
    scale<<<4, 64>>>(p, 256);
    scale<<<dim3(4), dim3(64), 0, 0>>>(p, 256);
    fill<3><<<1, 64, 16>>>(p);
    cudaFree(p);
    return 0;
}
END

# The same by another translator, with everything that it may choose otherwise.
cat >mechanical.hip <<'END'
/* A translation by hand,
   with a comment of its own. */
#include "hip/hip_runtime.h"
#include <cstdio>
#include "hipblas.h"

#define CHECK_HIP(e) if ((e) != hipSuccess) \
    printf("HIP error at line %d\n", __LINE__)

__constant__ float table[32];

__global__
void scale(float* p, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= table[i & 31]; // as before
}

template <int N> __global__ void fill(float* p) { p[threadIdx.x] = N; }

int main() {
  float *p, *h;
  CHECK_HIP(hipMalloc(&p, 1024));
  CHECK_HIP(hipHostMalloc(&h, 1024, hipHostMallocDefault));
  hipMemcpyToSymbol(table, h, 128);
  hipLaunchKernelGGL(scale, 4, 64, 0, 0, p, 256);
  hipLaunchKernelGGL(scale, dim3(4), dim3(64), 0, nullptr, p, 256);
  // hipwright: warning: something about the launch [lds-size]
  hipLaunchKernelGGL(HIP_KERNEL_NAME(fill<3>), dim3(1), dim3(64), 16, 0, p);
  hipFree(p);

  return 0;
}
END
mechanical() {
    run 0 review old.cu mechanical.hip && [ ! -s out ] && has err '1 file: 0 hunks' || return
    run 0 --annotate=none -o own.hip old.cu && run 0 review old.cu own.hip && [ ! -s out ] || return
    run 0 --annotate=none --launch=function -o own.hip old.cu && run 0 review old.cu own.hip && [ ! -s out ]
}
ok "another translation of the same is no change" mechanical
# What only CUDA source shows is not resolved by translation; it is where its place was changed.
printf '%s\n' '#include <cuda.h>' '#include <cuda_profiler_api.h>' 'int between;' 'void f(CUmodule *m, char *p) { cuModuleLoadData(m, p); }' >only.cu
hidden() {
    run 0 --annotate=none -o own.hip only.cu && run 0 review only.cu own.hip && [ ! -s out ] || return
    sed 's/LoadData(m, p)/LoadData(m, hsaco)/' own.hip >port.hip && run 0 review only.cu port.hip &&
        has out 'resolves: only.cu:4:32: ' && lacks out profiler && has err '1 resolved' || return
    echo '#include <nvvm.h>' >both.c && run 0 -o own.c both.c && run 0 review both.c own.c && [ ! -s out ]
}
ok "what only CUDA source shows is not resolved by translation" hidden
everything() {
    run 0 review --all old.cu mechanical.hip && has out '+/* A translation by hand' &&
        has out '+  hipLaunchKernelGGL(scale, 4, 64, 0, 0, p, 256);' || return
    lacks out 'something about the launch'
}
ok "--all shows it" everything

# What is not the same: each must be seen.
one_change() { # one_change SED-COMMAND: what it makes of the translation is a change
    "$HIPWRIGHT" --annotate=none old.cu >own.hip 2>/dev/null
    sed "$1" own.hip >port.hip
    ! cmp -s own.hip port.hip || { echo "# nothing changed: $1"; return 1; }
    "$HIPWRIGHT" review -q old.cu port.hip >out 2>err
    shows 2 || { echo "# $1"; return 1; }
}
real() {
    one_change 's/i < n/i <= n/' && one_change 's/scale<<<4, 64>>>/scale<<<4, 128>>>/' &&
        one_change 's/fill<3><<<1, 64, 16>>>/fill<3><<<1, 64, 0>>>/' &&
        one_change 's/scale<<<4, 64>>>/scale<<<4, 64, 0, s>>>/' &&
        one_change 's/hipHostMalloc(\(.*\), hipHostMallocDefault)/hipHostMalloc(\1, hipHostMallocMapped)/' &&
        one_change 's/h, 128)/h, 64)/' && one_change 's/i & 31/i && 31/' &&
        one_change 's/float \*p, int n/float *p, intn/' && one_change 's/<cstdio>/<cstdlib>/' &&
        one_change 's/error at line/trouble at line/'
}
ok "what is not the same is seen" real
library() {
    "$HIPWRIGHT" --annotate=none old.cu 2>/dev/null | sed '/hipblas/d' >port.hip
    run 0 review -q old.cu port.hip && has out '-#include <hipblas/hipblas.h>' && shows 1
}
ok "a library's header that is missing is seen" library
names() {
    # CHECK_CUDA became CHECK_HIP in one place only: that is no renaming.
    "$HIPWRIGHT" --annotate=none old.cu 2>/dev/null | sed 's/CHECK_CUDA(hipMalloc/CHECK_HIP(hipMalloc/' >port.hip
    "$HIPWRIGHT" review -q old.cu port.hip >out 2>err
    shows 2
}
ok "a name that changes in one place only is seen" names
moved() {
    printf '__device__ int f(int a,\n        int b)\n{ return a +\n b; }\nint g;\nint h;\n' >a.cu
    printf '__device__ int f(int a, int b)\n{\n  return a + b;\n}\nint k;\nint h;\n' >b.hip
    run 0 review a.cu b.hip && has out '-int g;' && has out '+int k;' && shows 2
}
ok "lines that are broken elsewhere are no change" moved
raw() {
    printf 'const char *k = R"(\n a\n b\n c\n d\n e\n f\n g\n h\n)";\n' >a.cu
    sed 's/ h/  h/' a.cu >b.hip
    run 0 review a.cu b.hip && has out '-const char *k' && has out '- h' && has out '+  h'
}
ok "white space inside a raw string is seen" raw

# Hunks.
cat >context.cu <<'END'
__device__ void before(int *p)
{
    p[0] = 1;
    p[1] = 1;
    p[2] = 1;
    p[3] = 1;
    p[4] = 1;
    p[5] = 1;
    p[6] = 1;
    p[7] = 1;
    p[8] = 1;
    p[9] = 1;
}
END
hunks() {
    sed 's/p\[1\] = 1/p[1] = 2/; s/p\[9\] = 1/p[9] = 2/' context.cu >port.hip
    run 0 review context.cu port.hip && [ "$(grep -c '^@@' out)" -eq 2 ] &&
        has out '@@ -2,7 +1,7 @@ __device__ void before(int *p)' && has out '@@ -10,5 +9,5 @@' || return
    run 0 review -U4 context.cu port.hip && [ "$(grep -c '^@@' out)" -eq 1 ] || return
    run 0 review --context=0 context.cu port.hip && has out '@@ -5 +4 @@' && lacks out 'p[0]'
}
ok "hunks, their context and their function" hunks
markers() {
    sed 's/p\[9\] = 1/p[9] = 2/' context.cu >port.hip
    sed -i '3i\    // hipwright: warning: a thing [lds-size]\n    // hipwright: TODO: mend it' port.hip
    run 0 review context.cu port.hip && shows 2 && has out '@@ -10,5 +11,5 @@'
}
ok "markers are ignored, and lines counted with them" markers

cat >findings.cu <<'END'
#include <cuda_runtime.h>
__global__ void k(unsigned *p)
{
    unsigned b = __ballot_sync(0xffffffff, p[threadIdx.x]);
    p[0] = b;
}
void launch(unsigned *p)
{
    k<<<1, 64>>>(p);
}
END
findings() {
    "$HIPWRIGHT" --annotate=none findings.cu >port.hip 2>/dev/null
    sed 's/unsigned b = .*/unsigned long long b = __ballot(p[threadIdx.x]);/' port.hip >good.hip
    sed 's/unsigned b = .*/unsigned b = __ballot(p[threadIdx.x]);/' port.hip >same.hip
    sed 's/p\[0\] = b;/p[0] = b; unsigned c = __ballot(p[1]); p[1] = c;/' port.hip >worse.hip
    run 0 review findings.cu good.hip && has out 'resolves: findings.cu:4:' && lacks out 'leaves:' &&
        lacks out 'brings in:' && has err '1 resolved, 0 left, 0 brought in' || return
    run 1 review findings.cu same.hip && has out 'leaves: same.hip:5:' && lacks out 'resolves:' || return
    run 1 review findings.cu worse.hip && has out 'brings in: worse.hip:6:' || return
    # What is not on changed lines does not count.
    sed 's/k<<<1, 64>>>/k<<<1, 128>>>/' port.hip >far.hip
    run 0 review findings.cu far.hip && lacks out 'ballot'
}
ok "findings that a hunk resolves, leaves or brings in; exit status" findings
fail_on() {
    run 0 review --fail-on=never findings.cu worse.hip && run 0 review --disable=wave findings.cu worse.hip &&
        lacks out 'brings in:'
}
ok "--fail-on and --disable" fail_on

quiet() { run 1 review -q findings.cu worse.hip && [ ! -s err ] && [ -s out ]; }
ok "--quiet" quiet
colors() {
    run 1 review --color=always findings.cu worse.hip && has out $'\033[31m-' && has out $'\033[32m+' &&
        has out $'\033[36m@@' || return
    run 1 review findings.cu worse.hip && lacks out $'\033' || return
    run 1 review --color=never findings.cu worse.hip && lacks out $'\033'
}
ok "colours" colors

if command -v patch >/dev/null; then
    applies() {
        local f
        for f in old.cu context.cu findings.cu; do
            "$HIPWRIGHT" --annotate=none "$f" >own.hip 2>/dev/null
            sed 's/p\[/q[/; s/^    /\t/; 3d; 7s/$/ \/\/ x/' own.hip >port.hip
            printf 'last' >>port.hip
            "$HIPWRIGHT" review -q --all --disable=wave --disable=lds --disable=occupancy "$f" port.hip >d 2>/dev/null
            patch --binary -s own.hip d >/dev/null && same own.hip port.hip || return
        done
    }
    ok "--all is a diff that makes the port of the translation" applies
else
    skip "--all is a diff that makes the port of the translation" "no patch"
fi

if command -v jq >/dev/null; then
    json() {
        run 1 review --format=json findings.cu worse.hip &&
            jq -e '.version == 1 and (.files | length) == 1 and .files[0].old == "findings.cu"
                and .files[0].new == "worse.hip" and (.files[0].hunks | length) == 1
                and .files[0].hunks[0].function == "__global__ void k(unsigned *p)"
                and ([.files[0].hunks[0].lines[] | select(.kind == "added")] | length) == 1
                and .files[0].hunks[0].brought_in[0].line == 6
                and .summary.files == 1 and .summary.hunks == 1 and .summary.added == 1
                and .summary.brought_in >= 1 and .summary.skipped == []' out >/dev/null || return
        run 0 review --format=json old.cu mechanical.hip &&
            jq -e '.files == [] and .summary.changed == 0 and .summary.files == 1' out >/dev/null || return
        printf 'int caf\xe9;\n' >a.cu && printf 'int b\x01;\n' >b.hip
        run 0 review --format=json a.cu b.hip && jq -e '.files[0].hunks[0].lines[0].text == "int caf\\xE9;"' out >/dev/null
    }
    ok "JSON" json
else
    skip "JSON" "no jq"
fi

locale() {
    "$HIPWRIGHT" review --format=json findings.cu worse.hip >a 2>/dev/null
    LC_ALL=C.UTF-8 LANGUAGE=de "$HIPWRIGHT" review --format=json findings.cu worse.hip >b 2>/dev/null
    same a b
}
ok "JSON is the same in another language" locale

# Odd files.
odd() {
    : >empty.cu && run 0 review empty.cu empty.cu && [ ! -s out ] || return
    run 0 review empty.cu context.cu && shows 13 && has out '@@ -0,0 +1,13 @@' || return
    sed 's/before/behind/' context.cu | cat context.cu - >twice.cu && run 0 review empty.cu twice.cu && grep -qx '@@ -0,0 +1,26 @@' out || return
    run 0 review context.cu empty.cu && shows 14 && has out '@@ -1,14 +0,0 @@' || return
    printf 'int a;' >a.cu && printf 'int a;\r\n\r\n' >b.hip && run 0 review a.cu b.hip && [ ! -s out ] || return
    printf 'int a;\0\n\xff"(' >a.cu && printf '/* ' >b.hip && "$HIPWRIGHT" review a.cu b.hip >out 2>err
    [ $? -le 1 ] && [ -s out ]
}
ok "empty files, line ends, bytes" odd
damaged() {
    local n
    for n in $(seq 1 37 "$(wc -c <old.cu)"); do
        head -c "$n" old.cu >a.cu
        tail -c "+$n" mechanical.hip >b.hip
        "$HIPWRIGHT" review old.cu b.hip >/dev/null 2>&1
        [ $? -le 1 ] || return
        "$HIPWRIGHT" review a.cu mechanical.hip >out 2>&1
        [ $? -le 1 ] || return
    done
    [ -s out ]
}
ok "damaged files" damaged
stdin() {
    "$HIPWRIGHT" review -q findings.cu - <worse.hip >out 2>err
    [ $? -eq 1 ] && has out '+++ <stdin>' && has out 'brings in: <stdin>:6:'
}
ok "standard input" stdin
name() {
    cp context.cu $'odd\n name.cu' && sed 's/p\[9\] = 1/p[9] = 2/' context.cu >'-x.hip'
    run 0 review -- $'odd\n name.cu' -x.hip && has out '--- "odd\012 name.cu"' && has out '+++ -x.hip'
}
ok "odd names" name
trouble() {
    run 2 review gone.cu context.cu && has err 'gone.cu: error: cannot be read' && run 2 review context.cu gone.hip &&
        run 2 review context.cu a b && run 2 review - - && run 2 review && run 2 review --context=x a b
}
ok "trouble is status 2" trouble

# A file that is CUDA on both sides shows what changes in HIP.
both() {
    sed 's/cudaFree(p)/cudaFreeAsync(p, 0)/' old.cu >new.cu
    run 0 review -q old.cu new.cu && shows 2 && has out '+    hipFreeAsync(p, 0);'
}
ok "both sides are CUDA" both
# HIP on both sides is compared as it is.
hip() {
    run 0 review -q mechanical.hip mechanical.hip && [ ! -s out ] || return
    sed 's/hipFree(p)/hipFree(h)/' mechanical.hip >port.hip
    run 0 review -q mechanical.hip port.hip && shows 2
}
ok "both sides are HIP" hip

# Folders: by name, and by the names that ports give.
mkdir -p from/cuda from/sub to/hip to/sub
cp findings.cu from/same.cu && cp worse.hip to/same.cu
cp context.cu from/cuda/k_cuda.cuh && sed 's/p\[9\] = 1/p[9] = 2/' context.cu >to/hip/k_hip.hip.h
cp context.cu from/sub/k.cu && sed 's/p\[8\] = 1/p[8] = 2/' context.cu >to/sub/k.hip
cp context.cu from/gone.cu && cp context.cu to/new.hip
cp old.cu from/old.cu && cp mechanical.hip to/old.cu
cp old.cu from/notes.txt && cp context.cu to/notes.txt
cp context.cu from/sub/blas_cublas.cpp && sed 's/p\[8\] = 1/p[8] = 2/' context.cu >to/sub/blas_hipblas.cpp
cp context.cu from/sub/App_Cuda_Error.hpp && sed 's/p\[8\] = 1/p[8] = 2/' context.cu >to/sub/App_HIP_Error.hpp
folders() {
    run 1 review from to && has out '--- from/cuda/k_cuda.cuh' && has out '+++ to/hip/k_hip.hip.h' &&
        has out '+++ to/sub/k.hip' && has out '--- from/gone.cu' && has out 'brings in: to/same.cu:6:' || return
    has out '--- from/sub/blas_cublas.cpp' && has out '+++ to/sub/blas_hipblas.cpp' && has out '+++ to/sub/App_HIP_Error.hpp' || return
    lacks out notes && lacks out '+++ to/old.cu' && has err '8 files' || return
    grep -A1 -- '--- from/gone.cu' out | grep -qxF -- '+++ /dev/null' && ! grep -A2 -- '--- from/gone.cu' out | grep -q '^@@' || return
    grep -A1 -- '--- /dev/null' out | grep -qxF -- '+++ to/new.hip'
}
ok "folders" folders
record() {
    mkdir -p source/b && cp context.cu source/a.cu && cp findings.cu source/b/a.cu || return
    run 0 -q --annotate=none --output-dir=made --rename source || return
    sed -i 's/p\[9\] = 1/p[9] = 2/' made/source/a.hip || return
    # By names alone, source/a.cu has no partner in made/.
    run 0 review source made && has out '--- source/a.cu' && has out '+++ made/source/a.hip' && lacks out /dev/null && shows 2 || return
    ln -s "$PWD/source" link && run 0 review ./link/ "$PWD/made" && lacks out /dev/null && shows 2 || return
    echo damaged >made/.hipwright.record && run 2 review source made && has err '.hipwright.record:1:'
}
ok "folders: pairs by the record of what we wrote" record
excluded() {
    run 0 review --exclude=same.cu --exclude='*.hip' from to && lacks out same.cu && has out k_hip.hip.h
}
ok "folders: --exclude" excluded
folders_jobs() {
    local j
    for j in 1 2 9; do
        "$HIPWRIGHT" review -j $j from to >t.$j 2>&1
        "$HIPWRIGHT" review -j $j --format=json from to >j.$j 2>/dev/null
        same t.1 t.$j && same j.1 j.$j || return
    done
    [ -s t.1 ]
}
ok "folders: the same with 1 and with 9 jobs" folders_jobs
folders_trouble() {
    run 2 review from old.cu && run 2 review from gone && run 2 review from || return
    mkdir -p none && run 0 review none none && [ ! -s out ]
}
ok "folders: trouble" folders_trouble

# Each side is a program: the files of it that did not change, too.
trees() { # trees DIR: what it holds before; NEW is after
    mkdir -p "$1" && printf '#define TILE 33\n#define BLOCK 256\n' >"$1/size.h" &&
        printf '#include "size.h"\n__global__ void k(float *p)\n{\n    __shared__ float t[32][TILE];\n    t[threadIdx.x][threadIdx.y] = p[0];\n    __syncthreads();\n    p[0] = t[threadIdx.x][threadIdx.y];\n}\n__global__ void __launch_bounds__(BLOCK) b(float *p) { p[0] = 1; }\n' >"$1/k.cuh" &&
        printf '#include "k.cuh"\nvoid f(float *p)\n{\n    k<<<1, dim3(32, 8)>>>(p);\n    b<<<1, 256>>>(p);\n}\n' >"$1/main.cu"
}
folders_trees() {
    trees was && trees is && sed -i 's/33/32/' is/size.h && run 0 review was is && has out 'brings in: is/k.cuh:5:' && run 1 review --fail-on=warning was is || return
    run 0 review is was && has out 'resolves: is/k.cuh:5:' && sed -i 's/256>/512>/' is/main.cu && run 1 review was is && has out 'brings in: is/main.cu:5:'
}
ok "folders: what a header changes elsewhere" folders_trees

# git's own views, with the settings that README names.
if command -v git >/dev/null; then
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b \
        GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    mkdir git && cd git && git init -q -b main . && mkdir bin && ln -s "$HIPWRIGHT" bin/hipwright
    PATH=$PWD/bin:$PATH
    cp ../findings.cu k.cu && git add k.cu && git commit -qm one
    sed 's/cudaMalloc/&/; s/p\[0\] = b;/p[0] = b; cudaGetLastError();/' ../findings.cu >k.cu && git commit -qam two
    # The commands of README, taken from there.
    settings() { sed -n 's/^    \(printf .*diff=hip.*\|git config .*\)/\1/p' "$srcdir/README"; }
    textconv() {
        [ "$(settings | wc -l)" -ge 4 ] && settings >commands && sh commands || return
        git log -p >out && has out '+    p[0] = b; hipGetLastError();' && has out '+#include <hip/hip_runtime.h>' &&
            lacks out cuda_runtime && [ -n "$(git for-each-ref refs/notes/textconv/hip)" ] || return
        git diff HEAD~1 >out && has out '+    p[0] = b; hipGetLastError();' && git show HEAD~1:k.cu | grep -q cuda_runtime
    }
    ok "git shows CUDA in HIP (textconv)" textconv
    difftool() {
        git difftool --no-prompt --tool=hipwright HEAD~1 HEAD >out 2>err </dev/null
        has out '+    p[0] = b; hipGetLastError();' && [ "$(grep -c '^@@' out)" -eq 1 ]
    }
    ok "git difftool" difftool
    cd ..

    # Revisions: git's renames, names, odd ones, the work tree, a repository of another hash.
    revisions() { # revisions FORMAT
        rm -rf repo && mkdir repo && cd repo && git init -q --object-format="$1" -b main . || return
        mkdir src && cp ../findings.cu src/k.cu && cp ../context.cu $'src/odd\n\xff name.cu' && cp ../context.cu src/stays.cu &&
            cp ../context.cu src/kept.cu && cp ../old.cu src/old.cu && echo text >notes.txt && git add . && git commit -qm cuda || return
        git checkout -qb port && git mv src/k.cu src/k.hip && git mv src/old.cu src/moved.hip &&
            sed 's/unsigned b = .*/unsigned b = __ballot(p[threadIdx.x]);/; s/cuda_runtime.h/hip\/hip_runtime.h/' ../findings.cu >src/k.hip &&
            cp ../mechanical.hip src/moved.hip && sed -i 's/p\[9\] = 1/p[9] = 2/' $'src/odd\n\xff name.cu' &&
            sed 's/p\[9\] = 1/p[9] = 3/' ../context.cu >src/kept.hip && echo more >notes.txt && git add . && git commit -qm port
    }
    ranges() {
        revisions "$1" || return
        run 1 review main..port && has out '--- main:src/k.cu' && has out '+++ port:src/k.hip' && has out 'leaves: port:src/k.hip:4:' &&
            has out '+++ "port:src/odd\012\377 name.cu"' && has out '--- main:src/kept.cu' && has out '+++ port:src/kept.hip' &&
            lacks out stays && lacks out notes || return
        # Too little of it is the same for git to see the renaming, and its name says nothing.
        has out '+++ port:src/moved.hip' || return
        cp out range && run 1 review main.. && sed 's/HEAD:/port:/' out | cmp -s - range || return
        run 1 review main...port && cmp -s out range || return
        run 1 review main..port src/k.hip src/k.cu && has out 'port:src/k.hip' && lacks out kept || return
        cd src && run 1 review main..port && cmp -s out ../range && cd ..
    }
    ok "revisions" eval '(ranges sha1)'
    ok "revisions: sha256" eval '(ranges sha256)'
    work_tree() {
        revisions sha1 || return
        run 1 review main && has out '+++ src/k.hip' && has out 'leaves: src/k.hip:4:' || return
        run 0 review HEAD && [ ! -s out ] || return
        echo 'int more;' >>src/stays.cu && rm src/kept.hip && run 0 review HEAD && has out '+int more;' && has out '+++ src/stays.cu' &&
            has out '--- HEAD:src/kept.hip' || return
        cd src && run 0 review HEAD && has out '+++ ../src/stays.cu' && cd .. || return
        run 2 review main port && has err 'named as REV..REV' || return
        git reset -q --hard && sed -i '/p\[9\]/s/= 3/= 4/' src/kept.hip && sed -i '1i int first;' src/k.hip && run 1 review main && has out '+int first;' &&
            has out '+++ src/kept.hip' && has out '= 4' || return
        git worktree add -q --detach ../tree port && cd ../tree && run 0 review HEAD && [ ! -s out ] && echo 'int x;' >>src/stays.cu &&
            run 0 review HEAD && has out '+int x;'
    }
    ok "revisions and the work tree" eval '(work_tree)'
    revisions_trees() {
        git init -q trees && cd trees && trees . && echo 'int x;' >lone.cu && git add . && git commit -qm 1 && sed -i 's/33/32/; s/256/128/' size.h && run 1 review HEAD &&
            has out 'brings in: k.cuh:5:' && has out 'brings in: main.cu:5:' && has err '3 files:' && lacks out lone && git commit -qam 2 || return
        run 1 review HEAD~1..HEAD && has out 'brings in: HEAD:k.cuh:5:' && has out 'brings in: HEAD:main.cu:5:' && has err '3 files:' || return
        run 0 review HEAD..HEAD~1 && has out 'resolves: HEAD:main.cu:5:' && run 0 review HEAD~1..HEAD size.h && has err '1 file:' && git rm -q k.cuh && run 0 review HEAD && has out '/dev/null'
    }
    ok "revisions: what a header changes elsewhere" eval '(revisions_trees)'
    revisions_trouble() {
        run 2 review gone..port && has err "git knows no revision 'gone'" && run 2 review --output=x || return
        run 2 review -- -x..port && run 2 review gone && mkdir -p ../plain && cd ../plain && GIT_CEILING_DIRECTORIES=$work run 2 review HEAD &&
            PATH=/nowhere run 2 review HEAD && has err 'git cannot be run'
    }
    ok "revisions: trouble" eval '(cd repo && revisions_trouble)'
    external() {
        cd repo && git config diff.external 'touch ran; false' && git config core.fsmonitor 'touch ran; false' &&
            git config diff.renames false && git config diff.noprefix true || return
        run 1 review main..port && run 0 review HEAD && [ ! -e ran ] && [ ! -e src/ran ]
    }
    ok "revisions: no program of the repository runs" eval '(external)'
else
    for t in revisions "revisions: sha256" "revisions and the work tree" "revisions: what a header changes elsewhere" "revisions: trouble" "revisions: no program of the repository runs"; do
        skip "$t" "no git"
    done
    skip "git shows CUDA in HIP (textconv)" "no git"
    skip "git difftool" "no git"
fi

finish
