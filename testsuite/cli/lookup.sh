#!/usr/bin/env bash
# lookup: every way to ask, what it tells, and the table of coverage.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

# finds NAME TEXT...: NAME is known, and each TEXT is a line of the answer.
finds() {
    local name=$1 text
    shift
    run 0 lookup --no-config "$name" || return
    for text; do
        grep -qxF -e "$text" out || {
            printf '# no line "%s" for %s\n' "$text" "$name"
            head -n 12 out | sed 's/^/# | /'
            return 1
        }
    done
}
# alone NAME TEXT...: the same, and nothing else is found.
alone() { finds "$@" && [ "$(grep -c '^[^ ]' out)" -eq 1 ]; }

ok "a CUDA name" alone cudaMalloc cudaMalloc '  HIP: hipMalloc' '  kind: function' '  library: runtime' '  source: hipify (the tables of ROCm/HIPIFY)'
ok "a HIP name" finds hipMalloc cudaMalloc cuMemAlloc
ok "a ROCm name" finds rocblas_sgemm cublasSgemm '  ROCm: rocblas_sgemm'
ok "a HIP name for some number of arguments" finds hipGraphInstantiateWithFlags cudaGraphInstantiate
ok "a qualified name" alone cub::BlockReduce '  HIP: hipcub::BlockReduce' '  kind: class'
ok "a qualified HIP name" alone hipcub::BlockReduce cub::BlockReduce
ok "from the global namespace" alone ::cudaMalloc cudaMalloc
ok "its last part" alone BlockReduce cub::BlockReduce
ok "with template arguments" alone 'cub::BlockReduce<int, 128>' cub::BlockReduce
ok "with a bracket" alone 'cudaMalloc(&p, 1)' cudaMalloc
ok "a name in a known namespace" finds thrust::sort thrust '  answers for: thrust::sort' '  HIP: thrust' Thrust
ok "a type" alone cudaStream_t '  HIP: hipStream_t' '  kind: type'
ok "an enumerator" alone cudaMemcpyHostToDevice '  kind: enumerator'
ok "a macro without need" alone CUDART_CB '  HIP: none is needed, the name is removed'
ok "no counterpart" alone cuptiActivityEnable '  HIP: no counterpart'

# Headers.
ok "a header" finds cublas_v2.h '  HIP: hipblas/hipblas.h' '  kind: header' cuBLAS
ok "a header in brackets" finds '<cublas_v2.h>' '  HIP: hipblas/hipblas.h'
ok "a header in quotes" finds '"cublas_v2.h"' '  HIP: hipblas/hipblas.h'
ok "a header of a known folder" finds thrust/sort.h '  answers for: thrust/sort.h' '  HIP: thrust/sort.h'
ok "a header of a library only" finds NvOnnxParser.h TensorRT
ok "a HIP header" finds hipblas/hipblas.h cublas_v2.h
brackets_mean_headers() { run 1 lookup '<cudaMalloc>'; }
ok "brackets are for headers" brackets_mean_headers

# Libraries.
ok "a library" alone cuBLAS '  counterpart: hipBLAS (over rocBLAS)' '  link flags: -lcublas -> -lhipblas' '  ROCm library: rocBLAS'
ok "in other letters" alone CUBLAS cuBLAS
ok "without its explanation" finds cuDNN 'cuDNN (legacy API)'
ok "one of several names" finds OpenACC 'CUDA Fortran | OpenACC (nvfortran)'
ok "a link flag" finds -lcudnn 'cuDNN (legacy API)'
ok "a CMake target" alone CUDA::cublas cuBLAS
ok "a CMake target named after its library" finds CUDA::cudnn 'cuDNN (legacy API)'
ok "by its counterpart" alone hipBLAS cuBLAS
ok "by its ROCm library" finds rocBLAS cuBLAS
ok "by the counterpart's link flag" alone -lhipblas cuBLAS
ok "a program" alone nvcc '  programs: nvcc -> hipcc'
ok "a name of a library without entries" alone nvinfer1::IBuilder TensorRT
ok "a name in a library's namespace" finds cuda::barrier 'libcu++ (libcudacxx)'
ok "a library without a check" finds AmgX '  source: unchecked (not checked against any document)' '  counterpart: no counterpart'
flags_in_order() {
    run 0 lookup cudaFree -lcudnn --format=json cudaMalloc &&
        [ "$(grep -o '^{"name": "[^"]*"' out | cut -d '"' -f 4 | tr '\n' ' ')" = 'cudaFree -lcudnn cudaMalloc ' ] &&
        run 0 lookup -- -lcudnn && has out MIOpen
}
ok "a link flag among other names" flags_in_order
ok "half a link flag" run 2 lookup -l
ok "half a link flag before a name" run 2 lookup -l cudnn
other_commands() { : >x.cu && run 2 -lcudnn x.cu && has err "unknown option '-l'"; }
ok "no link flag elsewhere" other_commands

# Prefixes.
prefix() { run 0 lookup 'cudaMemAdvise*' && has out cudaMemAdviseSetReadMostly && ! grep '^[^ ]' out | grep -v '^cudaMemAdvise'; }
ok "a prefix" prefix
ok "a prefix of headers" finds 'cublas_v*' cublas_v2.h
everything() { run 0 lookup '*' && [ "$(grep -c '^[^ ]' out)" -gt 10000 ]; }
ok "everything" everything

# What is said of arguments and versions; a map of our own, so that every part is there.
tab=$'\t'
entry() { local IFS=$tab; printf '%s\n' "$*"; }
{
    echo '%source own'
    entry cudaAll function hipAll rocAll '+9.0 ~12.0 !13.0 -13.1' '+5.0 ~7.0 !6.1 -7.1 ?6.0 @4.0' \
        '2: wrap 0 W; cast 1 T*; suffix 1 .id | 3: drop 0; insert 1 X; append Y; replace 2 Z | 4: move 0 2; swap 1 2; address 3; repeat 0 4 | 5: name hipFive | 6: rename | 7: report no way | 8: note it waits | hip<6.0 hip>=5.1: drop 0 | hip>=6.5: drop 1 | hip<5.1: drop 2 | arg1=cudaThing: name hipThing | to=cudaThing: drop 4 | roc: drop 3 | note all others' \
        'note: slower; advice: go round; define: MACRO before 7.0; source: unchecked'
    entry cudaGone function - - - - - 'source: mine'
    entry own/own.h header hip/own.h - - - - 'after: hip/first.h; library: own'
    entry cudaThing type hipThing_t - - - - 'needs: own/thing.h; fnuz: hipThing_fnuz since 6.2'
} >own.map
own() { run 0 lookup --no-config --map=own.map cudaAll; }
said() {
    own || return
    for text; do
        grep -qxF -e "  $text" out || {
            printf '# not said: %s\n' "$text"
            return 1
        }
    done
}
ok "the argument edits of each count" said \
    'arguments: with 2 arguments: argument 1 is wrapped in W(); argument 2 is cast to T*; .id is added to argument 2' \
    'arguments: with 3 arguments: argument 1 is dropped; X is inserted as argument 2; Y is appended; argument 3 becomes Z' \
    'arguments: with 4 arguments: argument 1 moves before argument 3; arguments 2 and 3 change places; the address of argument 4 is passed; argument 1 is repeated before argument 5' \
    'arguments: with 5 arguments: the function is called hipFive' \
    'arguments: with 6 arguments: the arguments stay' \
    'arguments: with 7 arguments: the call is left alone and reported: no way' \
    'arguments: with 8 arguments: the arguments stay; but note: it waits'
ok "the argument edits of versions, types and names" said \
    'arguments: since HIP 5.1 and before 6.0: argument 1 is dropped' \
    'arguments: since HIP 6.5: argument 2 is dropped' \
    'arguments: before HIP 5.1: argument 3 is dropped' \
    'arguments: with argument 2 of type cudaThing: the function is called hipThing' \
    'arguments: with the result assigned to a cudaThing: argument 5 is dropped' \
    'arguments: with --libraries=roc: argument 4 is dropped' \
    'arguments: the arguments stay; but note: all others'
ok "the versions" said \
    'CUDA: since 9.0, changed in 13.0, deprecated in 12.0, removed in 13.1' \
    'in HIP: since 5.0, changed in 6.1, experimental in 6.0, deprecated in 7.0, removed in 7.1, the ROCm name since 4.0'
ok "note, advice, define, source" said 'differs: slower' 'way out: go round' \
    "needs: MACRO must be defined ahead of HIP's headers before HIP 7.0" \
    'source: unchecked (not checked against any document)'
comes_after() { run 0 lookup --map=own.map own/own.h && has out '  comes after: hip/first.h'; }
ok "what must come before a header" comes_after
fnuz() { run 0 lookup --no-config --map=own.map cudaThing && has out '  for FNUZ numbers (gfx942): hipThing_fnuz'; }
ok "the name for FNUZ numbers" fnuz
needed() { # the header that declares a name comes with it
    echo 'cudaThing x;' >thing.cu && run 0 translate --no-config --map=own.map --target=gfx90a thing.cu &&
        has out '#include <own/thing.h>' && has out 'hipThing_t x;'
}
ok "a header that a name needs" needed
own_source() { run 0 lookup --map=own.map cudaGone && has out '  source: mine'; }
ok "a source of the user's" own_source
ok "cuDNN's own versions" finds cudnnCreate '  in the CUDA library: since 1.0'
sources() { # every key of maps/README is told in words
    local key
    for key in $(sed -n 's/^ *source \([a-z]*\):.*/\1/p' "$srcdir/maps/README"); do
        entry "cudaFrom_$key" function hipX - - - - "source: $key"
    done >keys.map
    [ -s keys.map ] && run 0 lookup --map=keys.map 'cudaFrom_*' || return
    ! grep '^  source:' out | grep -v '('
}
ok "every source in words" sources

# Unknown names.
unknown() { run 1 lookup xyzzyplugh && has err "nothing is known of 'xyzzyplugh'" && lacks err nearest && [ ! -s out ]; }
ok "an unknown name" unknown
near() { run 1 lookup "$1" && has err "the nearest names: $2"; }
ok "a letter left out" near cudaMaloc "'cudaMalloc'"
ok "a letter too many" near cudaMemcpyyAsync "'cudaMemcpyAsync'"
ok "two letters changed about" near cudaMalolc "'cudaMalloc'"
ok "other capitals" near CUDAMALLOC "'cudaMalloc'"
ok "a HIP name misspelt" near hipMemcpyAsink "'hipMemcpyAsync'"
ok "a name of a library whose names are known" near cublasSgemn "'cublasSgemm', 'cublasSgemv'"
guessed() { run 1 lookup cublasXyzzyPlugh && has err "nothing is known of 'cublasXyzzyPlugh', which looks like a name of cuBLAS" && has out hipBLAS; }
ok "at least its library" guessed
in_namespace() { run 0 lookup cub::BlockReduces && has err "the nearest names: 'cub::BlockReduce'" && has out 'answers for: cub::BlockReduces'; }
ok "a misspelt name in a namespace" in_namespace
ok "a header misspelt" near cublas_v3.h "'cublas_v2.h'"
long_name() { run 1 lookup "$(printf 'cuda%04000d' 0)" && lacks err nearest; }
ok "a very long name" long_name
ok "an empty name" run 1 lookup ''
some_known() { run 1 lookup cudaMalloc nonsensical cudaFree && has out hipMalloc && has out hipFree; }
ok "one unknown among known ones" some_known
odd_bytes() { run 1 lookup $'a\033[31m\xff' && lacks err $'\033'; }
ok "odd bytes" odd_bytes

# JSON.
json() { run 0 lookup --format=json --no-config --map=own.map cudaAll cuBLAS thrust/sort.h; }
if command -v python3 >/dev/null; then
    reads() { python3 -c "import json; d = json.load(open('out')); r = d.get('results', []); $1" 2>/dev/null; }
    json_entries() {
        json && reads "
e = r[0]['entries'][0]
assert [x['name'] for x in r] == ['cudaAll', 'cuBLAS', 'thrust/sort.h']
assert (e['hip'], e['roc'], e['kind'], e['library'], e['unchecked']) == ('hipAll', 'rocAll', 'function', 'own', True)
assert e['cuda_versions']['removed'] == '13.1' and e['hip_versions']['native'] == '4.0'
assert (e['define'], e['note'], e['advice'], e['source']) == ('MACRO before 7.0', 'slower', 'go round', 'unchecked')
c = [c for c in e['changes'] if c['type']][0]
assert [x['assigned'] for x in e['changes'] if x['assigned']] == ['cudaThing']
assert (c['argument'], c['type'], c['edits'][0]) == (1, 'cudaThing', {'op': 'name', 'argument': None, 'other': None, 'text': 'hipThing'})
assert r[1]['libraries'][0]['hip-link'] == '-lhipblas' and not r[1]['libraries'][0]['unchecked']
assert r[2]['entries'][0]['hip_path'] == 'thrust/sort.h'"
    }
    ok "JSON" json_entries
    json_unknown() { run 1 lookup --format=json cudaMaloc && reads "assert r[0]['entries'] == [] == r[0]['libraries'] and r[0]['nearest'] == ['cudaMalloc']"; }
    ok "JSON of an unknown name" json_unknown
    json_coverage() {
        run 0 lookup --coverage --format=json --no-config && reads "
t = d['total']
for k, n in t.items():
    assert n['all'] == n['mapped'] + n['edited'] + n['partly'] + n['none'] > 0
    assert n['roc'] <= n['none']
    for w in n:
        assert n[w] == sum(l['kinds'][k][w] for l in d['libraries'] if k in l['kinds'])
assert {'blas', 'runtime', 'dnn', 'cub'} <= {l['library'] for l in d['libraries']}"
    }
    ok "JSON of the coverage" json_coverage
else
    skip "JSON" "no python3"
    skip "JSON of an unknown name" "no python3"
    skip "JSON of the coverage" "no python3"
fi
never_translated() { json && cp out out1 && LC_ALL=de_DE.UTF-8 LANGUAGE=de json && cmp -s out out1; }
ok "JSON is the same in every language" never_translated

# Coverage, counted anew from the maps with nothing but awk.
counted() {
    awk -F'\t' '/^[#%]/ { next } $2 != "header" { all++; none += $3 == "-" && $7 !~ /write / } END { print all, none }' "$srcdir"/maps/*.map
}
coverage() {
    run 0 lookup --coverage --no-config || return
    local line
    line=$(awk '$1 == "all" && $2 == "names" { print $3, $7 }' out)
    [ "$line" = "$(counted)" ] || {
        echo "# table: $line, maps: $(counted)"
        return 1
    }
}
ok "the coverage counts all names" coverage
kinds_of_coverage() {
    mkdir -p data/maps && {
        entry a function hipA - - - - -
        entry b function hipB - - - 'drop 0' -
        entry c function hipC - - - '2: report no | drop 0' -
        entry d function - rocD - - - -
        entry e function hipE rocE - - 'roc: drop 0' -
        entry f function hipF - - - - 'note: other'
        entry g function hipG - - - '1: rename' -
    } | sed 's/-$/source: own/; s/note: other/note: other; source: own/' >data/maps/one.map
    HIPWRIGHT_DATADIR=data run 0 lookup --coverage --no-config &&
        [ "$(awk '$1 == "one" { print $2, $3, $4, $5, $6, $7, $8 }' out)" = 'functions 7 3 1 2 1 1' ]
}
ok "what mapped, edited, partly and none mean" kinds_of_coverage
ok "--coverage takes no names" run 2 lookup --coverage cudaMalloc
ok "--coverage is for lookup" run 2 check --coverage
up_to_date() { run 0 lookup --coverage --no-config && diff "$srcdir/doc/coverage.txt" out | sed 's/^/# /' && cmp -s "$srcdir/doc/coverage.txt" out; }
ok "doc/coverage.txt is up to date (make update-coverage)" up_to_date
finish
