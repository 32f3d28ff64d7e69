#!/usr/bin/env bash
# Results: diffs that apply, JSON that parses, the same bytes whatever the locale and --jobs.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

same() { cmp -s "$1" "$2" || { echo "# $1 and $2 differ"; return 1; }; }

mkdir src
for i in $(seq 30); do
    {
        [ $((i % 3)) -eq 0 ] || echo '#include <cuda_runtime.h>'
        seq -f '// line %g' $((i * 7 % 23))
        printf '#if __CUDA_ARCH__ >= 700\n#endif\nvoid f(void *p)\n{\n'
        for k in $(seq $((i % 11))); do
            printf '    cudaMalloc(&p, %d);\n' "$k"
            seq -f '    // filler %g' $((k * 5 % 9))
        done
        printf '    cudaFree(p);\n}'
        [ $((i % 2)) -eq 0 ] || echo
    } >"src/$i.cu"
done
sed 's/$/\r/' src/1.cu >src/crlf.cu
printf 'cudaMalloc' >src/short.cu
: >src/empty.cu
printf 'caf\xe9 cudaFree \0 cudaMalloc\n\xff' >src/bytes.cu
printf '#if __CUDA_ARCH__ > 1 // caf\xe9 \033[2J\n#endif\n' >src/control.cu
cp src/2.cu 'src/two words.cu'
cp src/2.cu $'src/new\nline.cu'

if command -v patch >/dev/null; then
    diffs_apply() {
        local f
        for f in src/*; do
            cp "$f" before && "$HIPWRIGHT" "$f" >want 2>/dev/null
            "$HIPWRIGHT" --diff "$f" >d 2>/dev/null
            if [ -s d ]; then
                patch --binary -s -p0 <d || return
            fi
            same "$f" want || { echo "# $f"; return 1; }
            cp before "$f"
        done
    }
    ok "diffs apply" diffs_apply
    all_at_once() {
        cp -r src copy && "$HIPWRIGHT" -q --diff src/* >d 2>/dev/null
        patch --binary -s -p0 <d && (mv src patched && mv copy src)
        local f
        for f in src/*; do
            "$HIPWRIGHT" "$f" >want 2>/dev/null
            same "patched${f#src}" want || return
        done
    }
    ok "a diff of many files applies" all_at_once
else
    skip "diffs apply" "no patch"
    skip "a diff of many files applies" "no patch"
fi

jobs_agree() {
    for j in 1 2 4 9; do
        "$HIPWRIGHT" --diff -j $j src/* gone >d.$j 2>e.$j
        "$HIPWRIGHT" check --format=json -j $j src/* gone >j.$j 2>/dev/null
        "$HIPWRIGHT" check -j $j src/* >t.$j 2>>e.$j
        "$HIPWRIGHT" -q -j $j --output-dir=o.$j src/* 2>/dev/null
        same d.1 d.$j && same e.1 e.$j && same j.1 j.$j && same t.1 t.$j && diff -r o.1 o.$j >/dev/null || return
    done
    [ -s d.1 ] && [ -s e.1 ] && [ -s t.1 ]
}
ok "the same with 1 and with 9 jobs" jobs_agree

# --stats: what of the device code was not understood, the commonest reason first.
mkdir kernels
printf '__global__ void f() { a; b @ c; }\nvoid g() { @ }\n' >kernels/1.cu
printf '__device__ void f() { x = ; y @ z; u = ; }\nX_DEVICE void g() { a; }\n' >kernels/2.cu
{ printf '__device__ void f() { x = '; printf -- '- %.0s' {1..500}; printf 'y; }\n'; } >kernels/3.cu
stats() {
    for j in 1 2 9; do
        "$HIPWRIGHT" check -q --stats -j $j kernels/[123].cu 2>stats || return
        grep -v '^hipwright: note: [efk]' stats >stats.$j
        "$HIPWRIGHT" -q --stats --diff -j $j kernels/[123].cu 2>&1 >/dev/null | grep -v '^hipwright: note: [efk]' >translated.$j
        same stats.$j stats.1 && same translated.$j stats.1 || return
    done
    cat >want <<'END'
hipwright: note: device code: 530 tokens, of which 21.50 % are understood
kernels/3.cu:1:225: note: nested too deep: 402 tokens in 1 place, first here
kernels/1.cu:1:28: note: not understood from '@' on: 8 tokens in 2 places, first here
kernels/2.cu:1:27: note: not understood from ';' on: 6 tokens in 2 places, first here
END
    same stats.1 want
}
ok "--stats says what of the device code was not understood" stats
stats_without_code() {
    printf 'void f() { @ }\n' | "$HIPWRIGHT" check -q --stats 2>stats
    echo 'hipwright: note: files 1, of which 0 change; edits 0; kernels 0' >want
    echo 'hipwright: note: device code: 0 tokens, of which 100.00 % are understood' >>want
    same stats want
}
ok "--stats without device code" stats_without_code

# --stats: what was done and what is left.
mkdir left
printf '#include <cublas_v2.h>\n#include <NvInfer.h>\n#include <cuda_runtime.h>\n__global__ void k() {}\nvoid f(void *p)\n{\n    cudaMalloc(&p, 1);\n    cudaFree(p);\n    k<<<1, 1>>>();\n}\n' >left/a.cu
printf '#include <NvInfer.h>\n#include <cudaFoo.h>\n__global__ void g();\n' >left/b.cu
printf 'int plain;\n' >left/c.h
printf 'cudaFree\0' >left/d.h
printf 'int cudaExcluded;\n' >left/e.h
ln -s a.cu left/f.cu
figures() {
    run 0 check -q --fail-on=never --stats --exclude=e.h left
    cat >want <<'END'
hipwright: note: files 2, of which 2 change; edits 5; kernels 1
hipwright: note: edits by library: runtime 3, (includes) 1, blas 1
hipwright: note: names without counterpart: NvInfer.h 2
END
    head -n 3 err | same - want && has err 'hipwright: note: findings of category api: errors 2, warnings 0' && has err 'left/a.cu: note: work left: errors 2, warnings 0' &&
        has err "left out: unreadable 0, nothing of CUDA's in it 1, no text 1, links 1, excluded 1"
}
ok "--stats shows what was done and what is left" figures
figures_json() {
    run 0 --output-dir=left.out --stats --format=json left && has out '"no_counterpart": [{"name": "NvInfer.h", "count": 3}]' && has out '"left_out": {"unreadable": 0, "plain": 1, "binary": 1, "link": 0, "excluded": 0}' &&
        has out '"work_left": [{"file": "left/a.cu", "errors": 2' && has out '"device_code": {"tokens": 4, "not_understood": 0}' && run 0 check --format=json --fail-on=never left && lacks out '"stats"' &&
        run 2 --format=json left/a.cu && has err 'one thing only' && printf 'format = json\n' >left/.hipwright.ini && (cd left && run 0 a.cu && grep -q hipMalloc out) && rm left/.hipwright.ini left/out left/err
}
ok "--stats as JSON" figures_json

# C.UTF-8 is always there, and gettext follows LANGUAGE in it.
locales() {
    local l
    "$HIPWRIGHT" check --format=json src/* >j.C 2>/dev/null
    "$HIPWRIGHT" -q --diff src/* >d.C 2>/dev/null
    "$HIPWRIGHT" lookup --format=json 'cudaMalloc*' >l.C 2>/dev/null
    [ -s j.C ] && [ -s d.C ] && [ -s l.C ] || return
    for l in C.UTF-8:de C.UTF-8:ja de_DE.UTF-8:de ja_JP.UTF-8:ja tr_TR.UTF-8:tr; do
        local locale=(env "LC_ALL=${l%:*}" "LANGUAGE=${l#*:}" "$HIPWRIGHT")
        "${locale[@]}" check --format=json src/* >j 2>/dev/null
        "${locale[@]}" -q --diff src/* >d 2>/dev/null
        "${locale[@]}" lookup --format=json 'cudaMalloc*' >found 2>/dev/null
        same j j.C && same d d.C && same found l.C || return
    done
}
ok "machine formats are the same in every locale" locales

positions() {
    run 0 check --format=json --fail-on=never src/3.cu &&
        has out '"file": "src/3.cu"' && has out '"version": 1' && has out '"targets": ["gfx942"]' && has out '"summary": {"files": 1,'
}
ok "JSON" positions
json_skips() { run 2 check --format=json src/empty.cu gone missing && has out '"skipped": ["gone", "missing"]' && has out '"findings": 0'; }
ok "JSON names what it could not read" json_skips
if command -v jq >/dev/null; then
    # jq says nothing, and is content, where there is no input at all.
    json_holds() { # FILTER ARGUMENT...
        local filter=$1
        shift
        "$HIPWRIGHT" "$@" >j 2>/dev/null
        [ -s j ] && jq -e "$filter" j >/dev/null
    }
    json_valid() {
        json_holds '.findings | length > 20 and all(.line > 0 and .column > 0 and (.message | length) > 0)' \
            check --format=json src/* &&
            json_holds '.summary.findings == (.findings | length)' check --format=json src/* &&
            json_holds '.findings == []' check --format=json src/empty.cu &&
            json_holds '.results | length == 3 and all(.entries | length > 0)' \
                lookup --format=json cudaMalloc '<cuda_runtime.h>' 'cuCtx*'
    }
    ok "JSON parses" json_valid
    ordered() { json_holds '[.findings[] | [.line, .column, .rule]] | length > 0 and . == sort' check --format=json src/10.cu; }
    ok "findings are in order" ordered
else
    skip "JSON parses" "no jq"
    skip "findings are in order" "no jq"
fi

text_form() {
    run 0 check --fail-on=never src/control.cu
    grep -qE '^src/control.cu:1:[0-9]+: (error|warning|note): .* \[api-[a-z-]+\]$' out && has out '    1 | #if __CUDA_ARCH__ > 1 // caf\xE9 \x1B[2J' &&
        grep -qE '^      \| +\^~+$' out && lacks out "$(printf '\033')"
}
ok "findings as text" text_form
fail_on() { run 0 check src/control.cu --fail-on=never && run 1 check src/control.cu --fail-on=note && run 1 translate src/control.cu --fail-on=note && run 0 translate src/control.cu; }
ok "--fail-on" fail_on
disabled() { run 0 check --fail-on=note --disable=api src/control.cu && [ ! -s out ] && run 1 check --fail-on=note --disable=api --enable=api src/control.cu; }
ok "--disable and --enable" disabled
clean_file() { run 0 check src/empty.cu && [ ! -s out ] && has err '1 file: nothing to report'; }
ok "nothing to report" clean_file
same_out() { "$HIPWRIGHT" src/bytes.cu >b1 2>/dev/null; "$HIPWRIGHT" <src/bytes.cu >b2 2>/dev/null; same b1 b2 && [ "$(tail -c 1 b1 | od -An -tx1)" = ' ff' ]; }
ok "bytes are kept" same_out

# lookup
lookup() { run 0 lookup cudaMalloc && has out '  HIP: hipMalloc' && has out '  kind: function' && has out '  library: runtime'; }
ok "lookup" lookup
lookup_hip() { run 0 lookup hipMalloc && grep -qx cudaMalloc out; }
ok "lookup of a HIP name" lookup_hip
lookup_header() { run 0 lookup cuda_runtime.h '<cuda_runtime.h>' '"cuda_runtime.h"' && [ "$(grep -c 'HIP: hip/hip_runtime.h' out)" -eq 3 ]; }
ok "lookup of a header" lookup_header
lookup_prefix() { run 0 lookup 'cudaMemcpy*' && [ "$(grep -c '^cudaMemcpy' out)" -gt 5 ]; }
ok "lookup of a prefix" lookup_prefix
lookup_unknown() { run 1 lookup cudaNoSuchThing cudaMalloc && has err "nothing is known of 'cudaNoSuchThing'" && has out 'HIP: hipMalloc'; }
ok "lookup of an unknown name" lookup_unknown
lookup_empty() { run 1 lookup '' && [ ! -s out ]; }
ok "lookup of the empty name" lookup_empty
lookup_map() {
    printf '%%source own\ncudaOurOwn\tfunction\thipOurOwn\t-\t-\t+6.0\t-\t-\n' >own.map
    run 0 lookup --map=own.map cudaOurOwn && has out 'HIP: hipOurOwn' && has out 'since 6.0' && echo 'cudaOurOwn();' >own.cu && run 0 --map=own.map own.cu && has out 'hipOurOwn();'
}
ok "--map" lookup_map
finish
