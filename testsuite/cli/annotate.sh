#!/usr/bin/env bash
# Findings in source: --target and --from, markers and strip, comments that silence, --fix.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

same() { cmp -s "$1" "$2" || { echo "# $1 and $2 differ"; return 1; }; }

cat >k.cu <<'END'
#include <cuda_runtime.h>
__device__ void stop()
{
	asm("exit;");
}
__device__ int twice(int i) { return 2 * i; } // hipwright: allow ptx
END

# The GPUs.
default_gpus() { run 0 check --format=json --fail-on=never k.cu && has out '"targets": ["gfx942"], "from": "sm_80"'; }
ok "gfx942 and sm_80" default_gpus
other_gpus() {
    run 0 check --format=json --fail-on=never --target=gfx1100,gfx90a --from=sm_90 k.cu &&
        has out '"targets": ["gfx1100", "gfx90a"], "from": "sm_90"' && has out '"targets": ["gfx1100", "gfx90a"], "kernel"'
}
ok "--target and --from" other_gpus
with_blanks() {
    mkdir -p blanks && cp k.cu blanks && echo 'target = gfx1100, gfx90a' >blanks/.hipwright.ini &&
        run 0 check --format=json --fail-on=never blanks/k.cu && has out '"targets": ["gfx1100", "gfx90a"], "from"' &&
        run 0 occupancy --block=64 --target='gfx90a, MI300X ' && has out 'gfx942: '
}
ok "blanks behind the commas" with_blanks
bounds_again() {
    printf '#include <cuda_runtime.h>\n__global__ void __launch_bounds__(512, 2) k(int *p) { *p = 1; }\n' >b.cu &&
        run 0 -o b1.hip b.cu && has b1.hip '[occupancy-launch-bounds]' && run 0 -o b2.hip b1.hip && cmp b1.hip b2.hip
}
ok "what only CUDA source shows stays marked" bounds_again
bad_gpu() { # TEXT ARGUMENT...
    local text=$1
    shift
    run 2 "$@" k.cu && has err "$text" && has err '--help' && [ ! -s out ]
}
ok "unknown target" bad_gpu "invalid argument 'gfx9' of '--target'; it may be: gfx900," --target=gfx9
ok "a target of NVIDIA's" bad_gpu "invalid argument 'sm_80' of '--target'" check --target=sm_80
ok "--from one of AMD's" bad_gpu "invalid argument 'gfx942' of '--from'; it may be: sm_70," check --format=json --from=gfx942
no_input() { : >none && run 0 check --format=json --target=gfx1100 --files-from=none && has out '"targets": ["gfx1100"]'; }
ok "GPUs without a file" no_input
configured() {
    mkdir -p tree/sub && cp k.cu tree && cp k.cu tree/sub && echo 'target = gfx1100' >tree/.hipwright.ini &&
        printf 'target = gfx1030\nfrom = sm_75\n' >tree/sub/.hipwright.ini || return
    run 0 check --format=json --fail-on=never tree/k.cu && has out '"targets": ["gfx1100"], "from": "sm_80"' &&
        run 0 check --format=json --fail-on=never tree/sub/k.cu tree/k.cu && has out '"targets": ["gfx1030", "gfx1100"], "from": "sm_75"' &&
        has out '"targets": ["gfx1030"], "kernel"' && has out '"targets": ["gfx1100"], "kernel"' &&
        run 0 check --format=json --fail-on=never --target=gfx906 tree/k.cu && has out '"targets": ["gfx906"]' &&
        echo 'target = gfx7' >tree/.hipwright.ini && run 2 check tree/k.cu && has err "'gfx7'"
    (cd tree/sub && "$HIPWRIGHT" banks --type=float --index=tid --format=json | grep -qF '"target": "gfx942"')
}
ok "GPUs of configurations" configured

# Markers.
marker='// hipwright: error: `exit` is PTX, which AMD GPUs do not have [ptx-inline]'
marks() { run 0 k.cu && grep -qF "	$marker" out && has out '	// hipwright: TODO: return from the kernel' && lacks out 'allow-unused'; }
ok "translate marks" marks
none() { run 0 --annotate=none k.cu && lacks out 'hipwright: error' && has out 'hipwright: allow ptx' && cp out plain; }
ok "--annotate=none" none
bad_word() { run 2 --annotate=some k.cu && has err "invalid argument 'some' of '--annotate'"; }
ok "--annotate=some" bad_word
in_config() { mkdir -p quiet && cp k.cu quiet && echo 'annotate = none' >quiet/.hipwright.ini && run 0 quiet/k.cu && same out plain; }
ok "annotate in a configuration" in_config
diff_has_them() { run 1 --diff k.cu && has out "+	$marker"; }
ok "--diff shows markers" diff_has_them
not_in_check() { run 1 check k.cu && lacks out 'hipwright: TODO'; }
ok "check writes no markers" not_in_check
twice() { run 0 k.cu && cp out once.hip && run 0 once.hip && same out once.hip && run 0 -n once.hip; }
ok "marking twice changes nothing" twice
# The sources of all fixtures, marked by both runs as their first run says, with and without fixes.
mark_tree() { run 0 -q --no-config --fail-on=never "${@:3}" --output-dir="$2" "$1"; }
tree_twice() {
    mkdir -p tree && for input in "$srcdir"/testsuite/fixtures/*/input.*; do
        cp "$input" "tree/$(basename "$(dirname "$input")").${input##*.}"
    done
    mark_tree tree "first$1" "${@:2}" && mark_tree "first$1" "second$1" "${@:2}" &&
        diff -r "first$1/tree" "second$1/first$1/tree" >changes || { sed 's/^/# /' changes | head -n 20; return 1; }
}
ok "marking a tree twice changes nothing" tree_twice a
ok "fixing a tree twice changes nothing" tree_twice b --fix=safe
tree_stripped() { run 0 strip -q --no-config --output-dir=bare firsta && mark_tree tree unmarked --annotate=none && rm {bare/firsta,unmarked}/tree/markers.cu && diff -r {bare/firsta,unmarked}/tree; }
ok "stripping a tree restores it" tree_stripped
# A name that the translation changes is quoted as it stands below the marker; a comment is not.
printf '__device__ unsigned f(int v)\n{\n    unsigned m = __ballot_sync(0xffffffff, /* yes */ v);\n    return m;\n}\n' >q.cu
quotes() { run 0 q.cu && has out '(`__ballot_sync(__activemask(), v)`)' && has err '(`__ballot_sync(0xffffffff, v)`)'; }
ok "a marker quotes what stands below it" quotes
mended() { sed 's/asm.*/return;/' once.hip >mended.hip && run 0 mended.hip && lacks out 'ptx-inline' && has out '	return;'; }
ok "what was mended is no longer marked" mended
silenced() { sed 's/{ return/{ asm("");return/; s/asm("exit;");/& \/\/ hipwright: allow ptx/' k.cu >s.cu && run 0 s.cu && lacks out 'hipwright: error'; }
ok "what is allowed is not marked" silenced

# strip.
strips() { run 0 strip once.hip && same out plain && [ ! -s err ] && "$HIPWRIGHT" strip <once.hip >out2 && same out2 plain; }
ok "strip" strips
in_place() {
    cp once.hip p.hip && cp plain q.hip && run 0 strip -i.bak -v p.hip q.hip && same p.hip plain && same p.hip.bak once.hip &&
        [ ! -e q.hip.bak ] && has err 'p.hip: note: stripped into' && has err 'q.hip: note: does not change' && clean .
}
ok "strip --in-place" in_place
strip_out() { run 0 strip -o r.hip once.hip && same r.hip plain && run 0 strip --output-dir=d once.hip plain && same d/once.hip plain && same d/plain plain; }
ok "strip --output, --output-dir" strip_out
strip_dry() { cp once.hip p.hip && run 1 strip -n p.hip && has out 'would change' && run 1 strip --diff p.hip && has out "-	$marker" && run 0 strip -n plain && same p.hip once.hip; }
ok "strip --dry-run, --diff" strip_dry
strip_usage() {
    run 2 strip once.hip plain && has err 'several files need' && has err 'strip --help' && run 2 strip --annotate=none plain &&
        run 2 strip gone && has err gone && HIPWRIGHT_DATADIR=gone run 0 strip plain
}
ok "strip: usage, no need of data" strip_usage
strip_bytes() { printf 'caf\351 \0\r\n// hipwright: note: x\r\n\377' >b.hip && run 0 strip b.hip && printf 'caf\351 \0\r\n\377' >want && same out want; }
ok "strip keeps all other bytes" strip_bytes

# Comments that silence, and fixes.
counted() {
    run 1 check --format=json k.cu && has out '"suppressed": 0' && has out '"rule": "allow-unused"' &&
        run 0 check --format=json s.cu && has out '"suppressed": 1' && run 0 check --fail-on=note --disable=allow s.cu
}
ok "suppressed findings are counted" counted
not_for_disabled() { run 0 check --fail-on=note --disable=ptx k.cu && [ ! -s out ]; }
ok "a comment about a disabled rule is not unused" not_for_disabled
fix_kinds() {
    run 0 --annotate=none --fix k.cu && same out plain && run 0 --annotate=none --fix=safe k.cu && same out plain &&
        run 0 --annotate=none --fix=unsafe k.cu && lacks out 'hipwright: allow' && has err 'note: this was fixed' &&
        cp out fixed.hip && run 0 --annotate=none --fix=unsafe fixed.hip && same out fixed.hip && run 2 --fix=all k.cu
}
ok "--fix" fix_kinds
shown() { run 1 check k.cu && has out 'k.cu:6:46: note: unsafe fix: delete ` // hipwright: allow ptx`'; }
ok "a fix is shown" shown
fix_in_json() { run 1 check --format=json k.cu && has out '"fix": {"safety": "unsafe", "edits": [{"line": 6, "column": 46, "end_line": 6, "end_column": 70, "text": ""}]}'; }
ok "a fix in JSON" fix_in_json
# What is deleted takes along what the translation would have made of it.
printf 'void f()\n{\n    cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1);\n    cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);\n}\n' >dead.cu
deletes() { run 0 --annotate=none --fix dead.cu && lacks out CacheConfig && [ "$(grep -c 'note: this was fixed' err)" -eq 2 ]; }
ok "a fix that deletes a call" deletes
# What the translation repairs stays repaired, whoever does not want to hear of it.
printf '__device__ int f(int v) { return __any_sync(0xffffffff, v); }\n' >m.cu
printf '// hipwright: allow wave-mask-literal\n' | cat - m.cu >allowed.cu
repair() {
    run 0 --annotate=none m.cu && has out '__any_sync(__activemask(), v)' && has err 'note: translation writes' &&
        run 0 --annotate=none --disable=wave m.cu && has out '__activemask()' && lacks err wave &&
        run 0 --annotate=none allowed.cu && has out '__activemask()' && lacks err wave-mask &&
        run 0 check --format=json m.cu && has out '"level": "note"' && has out '"effect": "none"'
}
ok "repairs" repair

# ---- what is too large

# conflict COUNT: a kernel with a bank conflict and so many statements.
conflict() {
    printf '__global__ void k(float *p)\n{\n    __shared__ float s[4096];\n    float x = s[threadIdx.x * 32];\n'
    yes '    x += 1;' | head -n "$1"
    printf '    p[0] = x;\n}\nvoid r(float *p) { k<<<1, 64>>>(p); cudaDeviceSynchronize(); }\n'
}
large_function() {
    conflict 10 >small.cu && conflict 25000 >large.cu && run 0 check small.cu && has out lds-bank-conflict && lacks err 'too large' &&
        run 0 check large.cu && lacks out lds-bank-conflict && has out occupancy && has err 'large.cu: warning: is too large for all rules'
}
ok "a function that is too large for the lane interpreter" large_function
large_file() {
    { conflict 10 && printf '__device__ void f() {' && head -c 4300000 /dev/zero | tr '\0' ';' && printf '}\n'; } >large.cu
    run 0 --fix large.cu && has err 'large.cu: warning: is too large for the rules: only what the translation itself finds is told' &&
        has out '#include <hip/hip_runtime.h>' && has out hipDeviceSynchronize && lacks out lds- && run 0 check -q small.cu large.cu && [ "$(grep -c lds-bank-conflict out)" -eq 1 ]
}
ok "a file that is too large for the rules" large_file
finish
