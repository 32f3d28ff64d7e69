#!/usr/bin/env bash
# Speed, start-up time and memory, each beside its target; informative, always ends with 0.
# Run by `./dev bench`, which builds with -O2. Wants srcdir, builddir and HIPWRIGHT in the
# environment.
set -euo pipefail
: "${srcdir:?}" "${builddir:?}" "${HIPWRIGHT:?}"
export LC_ALL=C

hwlex=$builddir/testsuite/hwlex
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

pin=()
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
    pin=(taskset -c 0)
fi

# ---- corpus: the toolkit's headers, else our own fixtures again and again

make_corpus()
{
    local nvcc include='' copies i
    nvcc=$(command -v nvcc || true)
    if [ -n "$nvcc" ]; then
        include=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
    fi
    if [ -n "$include" ] && [ -d "$include" ]; then
        # The folder may itself be a link, as in a toolkit's usual layout.
        find -L "$include" -type f -size +0c | sort >"$dir/list"
        what="the CUDA toolkit's headers"
    else
        find "$srcdir/testsuite" "$srcdir/doc" -type f \( -name '*.cu' -o -name '*.cuh' \) |
            sort >"$dir/seeds"
        xargs -d '\n' cat <"$dir/seeds" >"$dir/seed.cu"
        # About 20 MB, in files of 20 copies.
        copies=$((20000000 / $(stat -c %s "$dir/seed.cu") + 1))
        for ((i = 0; i < copies; ++i)); do
            cat "$dir/seed.cu" >>"$dir/copy-$((i / 20)).cu"
        done
        find "$dir" -name 'copy-*.cu' | sort >"$dir/list"
        what="our own fixtures, repeated"
    fi
    tr '\n' '\0' <"$dir/list" >"$dir/list0"
    bytes=$(xargs -0 cat <"$dir/list0" | wc -c)
}

# ---- measuring

# Microseconds since some moment.
now()
{
    local t=$EPOCHREALTIME
    printf '%s' "${t/./}"
}

# median COUNT COMMAND...: the median time of COUNT runs, in microseconds. A command that
# fails is named; translate --dry-run ends with 1 where something would change.
median()
{
    local count=$1 i begin status
    shift
    for ((i = 0; i < count; ++i)); do
        status=0
        begin=$(now)
        "${pin[@]}" "$@" >/dev/null 2>"$dir/err" || status=$?
        echo $(($(now) - begin))
        if ((status > 1)); then
            printf 'bench: status %d from: %s\n' "$status" "$*" >&2
            head -n 3 "$dir/err" >&2
        fi
    done | sort -n | sed -n "$(((count + 1) / 2))p"
}

# ratio A B: A/B with two digits.
ratio()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'
}

# Peak memory of a command in bytes, or nothing where the tool for it is missing.
peak()
{
    [ -x /usr/bin/time ] || return 0
    /usr/bin/time -f %M -o "$dir/peak" "$@" >/dev/null 2>&1 || true
    awk 'END { print $1 * 1024 }' "$dir/peak"
}

# row WHAT FIGURE TARGET MET(0 or 1)
row()
{
    printf '  %-34s %-26s target %-16s %s\n' "$1" "$2" "$3" "$([ "$4" = 1 ] && echo met || echo MISSED)"
}

# below A B: 1 if A <= B.
below()
{
    awk -v a="$1" -v b="$2" 'BEGIN { print (a <= b ? 1 : 0) }'
}

make_corpus
printf 'corpus: %s, %d files, %d bytes\n' "$what" "$(wc -l <"$dir/list")" "$bytes"

# ---- speed

# wc may share the list in the same way: one process, the same bytes. Everything is read once
# before, so that all of them find the files in the page cache.
xargs -0 cat <"$dir/list0" >/dev/null
wc=$(median 5 wc -w --files0-from="$dir/list0")
lex=$(median 5 "$hwlex" --quiet --files-from="$dir/list")
translate=$(median 5 "$HIPWRIGHT" translate --dry-run --quiet --jobs=1 --files-from="$dir/list")

echo "speed (median of 5, one core)"
printf '  %-34s %s MB/s\n' "wc -w" "$(ratio "$bytes" "$wc")"
r=$(ratio "$lex" "$wc")
row "lexing" "$(ratio "$bytes" "$lex") MB/s, $r x wc" "<= 2 x wc" "$(below "$r" 2)"
r=$(ratio "$translate" "$wc")
row "translating with annotations" "$(ratio "$bytes" "$translate") MB/s, $r x wc" "<= 10 x wc" \
    "$(below "$r" 10)"

# ---- start-up

printf 'void f(void **p) { cudaMalloc(p, 16); }\n' >"$dir/one.cu"
ms=$(ratio "$(median 20 "$HIPWRIGHT" translate "$dir/one.cu")" 1000)
echo "start-up (median of 20)"
row "a file with one cudaMalloc" "$ms ms" "< 10 ms" "$(below "$ms" 9.99)"

# ---- the hook

# kernels N: the text of file N, with four kernels and their launches.
kernels()
{
    awk -v n="$1" 'BEGIN {
        print "#include \"../../include/config.h\""
        for (k = 0; k < 4; ++k) {
            printf "__global__ void kernel_%d_%d(float *out, const float *in, int n)\n{\n", n, k
            print "    __shared__ float tile[BLOCK];"
            print "    int i = blockIdx.x * BLOCK + threadIdx.x;"
            print "    tile[threadIdx.x] = i < n ? in[i] : 0.0f;"
            print "    __syncthreads();"
            print "    for (int d = 16; d > 0; d /= 2)"
            print "        tile[threadIdx.x] += __shfl_down_sync(~0u, tile[threadIdx.x], d);"
            print "    if (i < n)\n        out[i] = tile[threadIdx.x];\n}"
            printf "void run_%d_%d(float *out, float *in, int n)\n{\n", n, k
            printf "    kernel_%d_%d<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(out, in, n);\n}\n", n, k
        }
    }'
}

# A repository of 5,000 files, 500 of them with kernels; loose objects, as they are after commits.
make_repository()
{
    local i
    mkdir -p "$dir/repo/include" "$dir/repo/src"/{0..99}
    cd "$dir/repo"
    echo '#define BLOCK 256' >include/config.h
    for ((i = 0; i < 5000; ++i)); do
        if ((i % 10)); then
            printf '#include <vector>\nint function_%d(std::vector<int> &v);\n' "$i" >"src/$((i / 50))/$i.cc"
        else
            kernels "$i" >"src/$((i / 50))/$i.cu"
        fi
    done
    git init -q
    git add .
    git -c user.name=bench -c user.email=bench@example.org commit -q -m bench
    for ((i = 0; i < 1000; i += 100)); do
        sed -i 's/ = in/ =  in/; s/out\[i\] =/out[i]  =/' "src/$((i / 50))/$i.cu"
    done
    git add .
}

if command -v git >/dev/null; then
    echo "check --staged, ten files of a repository of 5,000 (median of 5, all cores)"
    here=$PWD cores=("${pin[@]}") pin=()
    make_repository
    us=$(median 5 "$HIPWRIGHT" check --staged)
    status=$(median 5 git status)
    row "no header" "$(ratio "$us" 1000) ms, $(ratio "$us" "$status") x git status" "< 150 ms" \
        "$(below "$us" 150000)"
    echo '#define OTHER 1' >>include/config.h
    git add .
    us=$(median 5 "$HIPWRIGHT" check --staged)
    row "one more, a header of 500" "$(ratio "$us" 1000) ms" "< 1000 ms" "$(below "$us" 1000000)"
    cd "$here"
    pin=("${cores[@]}")
fi

# ---- linearity

# About 2 MB of text of the corpus, whole files.
size=0
while read -r file && ((size < 2000000)); do
    cat "$file" >>"$dir/text.cu"
    echo >>"$dir/text.cu"
    size=$(stat -c %s "$dir/text.cu")
done <"$dir/list"
# per_byte FILE: nanoseconds a byte that translating it takes.
per_byte()
{
    local us
    us=$(median 3 "$HIPWRIGHT" translate --dry-run --quiet --jobs=1 "$1")
    ratio $((us * 1000)) "$(stat -c %s "$1")"
}

echo "linear in the input (median of 3)"
for n in 1 2 4 8; do
    for ((i = 0; i < n; ++i)); do
        cat "$dir/text.cu"
    done >"$dir/times.cu"
    each=$(per_byte "$dir/times.cu")
    [ "$n" != 1 ] || first=$each
    printf '  %d x: %9d bytes, %6.2f ns per byte, %s x that of the first\n' "$n" \
        "$(stat -c %s "$dir/times.cu")" "$each" "$(ratio "$each" "$first")"
done

# What has one name, as often as it fits: lines of which each is FORMAT, with a number in it.
echo "of one name (median of 3): a byte of 4 MB beside one of 1 MB"
shape()
{
    local what=$1 format=$2 size each=()
    for size in 1000000 4000000; do
        awk -v format="$format" -v size="$size" 'BEGIN {
            print "__global__ void kernel(int *p, int n);"
            for (done = 0; done < size; done += length(line)) {
                line = sprintf(format "\n", ++n, n % 1024 + 1)
                printf "%s", line
            }
        }' >"$dir/shape.cu"
        each+=("$(per_byte "$dir/shape.cu")")
    done
    r=$(ratio "${each[1]}" "${each[0]}")
    row "$what" "${each[0]} and ${each[1]} ns, $r x" "<= 1.5 x" "$(below "$r" 1.5)"
}
# shellcheck disable=SC2016 # formats of awk
{
    shape "launches of a kernel" \
        'void run%d(int *p) { kernel<<<1, %d>>>(p, 0); }'
    shape "definitions of a kernel" \
        '__global__ void twice(int *p, int n%d) { p[threadIdx.x & 31] = %d; }'
    shape "definitions of a macro that launches" \
        '#define RUN(n) kernel<<<1, n>>>(p, %d)\nvoid run(int *p) { RUN(%d); }'
    shape "definitions of a constant" \
        '#undef SIZE\n#define SIZE %d\n__global__ void k%d(int *p) { p[SIZE] = warpSize; }'
    shape "calls of a function" \
        '__global__ void k%d(float *p) { p[lane(%d)] = __shfl_sync(0xffffffff, p[0], 1); }'
}

# ---- memory

largest=$(while read -r file; do
    printf '%s %s\n' "$(stat -L -c %s "$file")" "$file"
done <"$dir/list" | sort -n | tail -n 1)
size=${largest%% *} file=${largest#* }
used=$(peak "$HIPWRIGHT" translate --dry-run --quiet --jobs=1 "$file")
base=$(peak "$HIPWRIGHT" translate --dry-run --quiet --jobs=1 "$dir/one.cu")
echo "memory"
if [ -n "$used" ]; then
    limit=$((12 * size + 20000000))
    row "largest file, $(ratio "$size" 1000000) MB" \
        "$(ratio "$used" 1000000) MB, $(ratio $((used - base)) "$size") x + $(ratio "$base" 1000000) MB" \
        "< 12 x + 20 MB" "$(below "$used" "$limit")"
else
    echo "  not measured: /usr/bin/time is missing (Debian: time)"
fi
