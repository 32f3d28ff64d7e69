#!/usr/bin/env bash
# The lane interpreter against real execution: kernels, written by hand and generated, are run for
# every thread of several blocks by a program that the host's compiler makes of them. What the
# interpreter says must hold for each thread, with three values of everything that it does not know;
# and it must not say too often that it does not know.
set -u
: "${builddir:?the build folder}" "${srcdir:?the root of the sources}"

GENERATED=2600
BLOCKS=("64 1 1" "96 1 1" "16 8 1" "8 4 4")

work=$(mktemp -d "${TMPDIR:-/tmp}/hipwright-lane.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
tests=0

result() {
    tests=$((tests + 1))
    echo "$1 $tests - $2"
}

compiler=
for name in ${CXX:-} c++ g++ clang++ clang++-19; do
    command -v "$name" >/dev/null && compiler=$name && break
done
if [ -z "$compiler" ]; then
    echo "1..0 # SKIP no C++ compiler"
    exit 0
fi

# examine NAME PERCENT: compares the kernels of NAME.cu; fewer than PERCENT may be unknown.
examine() {
    local name=$1 percent=$2 block file=$work/$1.cu counts
    sed -n 's/^__global__ void \([a-z0-9_]*\)(.*/CASE (\1)/p' "$file" >"$work/$name.list"
    if ! "$compiler" -std=c++17 -O0 -fwrapv -w -DCASES="\"$file\"" -DLIST="\"$work/$name.list\"" \
        "$srcdir/testsuite/lane/machine.cpp" -o "$work/$name" 2>"$work/err"; then
        sed 's/^/# /' "$work/err" | head -n 20
        result "not ok" "$name compile"
        return
    fi
    for block in "${BLOCKS[@]}"; do
        "$builddir/testsuite/hwlane" --block="${block// /,}" "$file" >"$work/said"
        # shellcheck disable=SC2086
        if "$work/$name" $block "$work/said" >"$work/out"; then
            result ok "$name, blocks of $block: what is known is right"
        else
            head -n 20 "$work/out"
            result "not ok" "$name, blocks of $block: what is known is right"
        fi
        counts=$(tail -n 1 "$work/out")
        echo "# $counts"
        # lines N wrong N unknown N reached N
        # shellcheck disable=SC2086
        set -- $counts
        if [ "$#" -eq 8 ] && [ "$2" -gt 200 ] && [ $((100 * $6)) -lt $((percent * $2)) ]; then
            result ok "$name, blocks of $block: fewer than $percent % are unknown"
        else
            result "not ok" "$name, blocks of $block: fewer than $percent % are unknown"
        fi
    done
}

cp "$srcdir/testsuite/lane/written.cu" "$work/written.cu"
"$builddir/testsuite/lane/generate" "$GENERATED" >"$work/generated.cu"
examine written 5
examine generated 10
echo "1..$tests"
