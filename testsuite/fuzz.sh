#!/usr/bin/env bash
# Feeds damaged CUDA to the translator for a while: fuzz.sh SECONDS, run by `./dev fuzz`.
# Wants srcdir and builddir in the environment. What it learns stays in the build folder; an
# input that breaks something is kept there and named in the last lines.
set -euo pipefail
: "${srcdir:?}" "${builddir:?}"
seconds=${1:-120}

found=$builddir/fuzz-found
learned=$builddir/fuzz-corpus
mkdir -p "$found" "$learned"

seeds=("$srcdir/testsuite/fuzz/corpus")
for dir in "$srcdir"/testsuite/programs "$srcdir"/testsuite/fixtures; do
    [ ! -d "$dir" ] || seeds+=("$dir")
done

export srcdir
status=0
"$builddir/testsuite/fuzz/fuzz_translate" -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
    -dict="$srcdir/testsuite/fuzz/cuda.dict" -artifact_prefix="$found/" \
    "$learned" "${seeds[@]}" || status=$?

if [ "$status" = 0 ]; then
    echo "fuzz: $seconds seconds, nothing found"
else
    echo "fuzz: an input broke something; it is in $found:"
    ls -t "$found"
fi
exit "$status"
