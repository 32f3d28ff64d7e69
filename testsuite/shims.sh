#!/usr/bin/env bash
# shims/: the list and the header agree, every shim compiles for AMD targets of both wave sizes,
# and each means what CUDA says, in a wave that is played on the host. Prints TAP.
#
# Environment:
#   srcdir     the top of the source tree (default .)
#   CXX, HIPCC, CLANGXX   other compilers than g++, hipcc, clang++-19
#   CI         with "true", a missing compiler is a failure, not a skip

set -u
export LC_ALL=C

srcdir=${srcdir:-.}
root=$(cd "$srcdir" && pwd) || exit 99
list=$root/shims/shims.list
header=$root/shims/hipwright_shims.h
tests=$root/testsuite/shims
for file in "$list" "$header" "$tests/every.hip" "$tests/simulate.cc"; do
    if [ ! -r "$file" ]; then
        echo "Bail out! cannot read $file"
        exit 99
    fi
done
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

number=0 failures=0
result() { # STATUS NAME [FILE]: FILE tells what went wrong
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
        return
    fi
    echo "not ok $number - $2"
    failures=$((failures + 1))
    [ $# -lt 3 ] || head -n 20 "$3" | cut -c 1-200 | sed 's/^/# /'
}

# Whether the compiler TOOL is there; if not, that is the result of the test NAME.
have() { # TOOL NAME
    command -v "$1" >/dev/null && return
    if [ "${CI:-}" = true ]; then
        echo "$1 is not installed, and CI must have it" >"$tmp/missing"
        result 1 "$2" "$tmp/missing"
    else
        number=$((number + 1))
        echo "ok $number - $2 # SKIP $1 is not installed"
    fi
    return 1
}

# What the list promises must be there, and tested; and nothing else.
grep -v '^#' "$list" >"$tmp/entries"
cut -f 1 "$tmp/entries" >"$tmp/cuda"
cut -f 2 "$tmp/entries" | sort >"$tmp/shims"
sort -c -u "$tmp/cuda" 2>"$tmp/log" && ! grep -vqP '^\w+\t\w+$' "$tmp/entries"
result $? "shims.list is sorted and has two names a line" "$tmp/log"
sed -E 's/^_*([A-Za-z0-9_]+)\t.*/hipwright_\1/' "$tmp/entries" | sort | diff - "$tmp/shims" \
    >"$tmp/log"
result $? "a shim has the name of the CUDA function without leading underscores" "$tmp/log"

clang=${CLANGXX:-clang++-19}
hip=(-std=c++11 -x hip "-I$root/shims" -Wall -Wextra -nogpulib)
name="shims.list names what the header declares"
if have "$clang" "$name"; then
    # atomicAdd has no CUDA function that always becomes it; the header says why.
    echo '#include "hipwright_shims.h"' >"$tmp/alone.hip"
    timeout 300 "$clang" "${hip[@]}" --offload-host-only -E -P "$tmp/alone.hip" \
        >"$tmp/alone.i" 2>"$tmp/log" &&
        grep -oE '\bhipwright_\w+ ?\(' "$tmp/alone.i" | tr -d ' (' | sort -u |
        grep -v '^hipwright_atomicAdd$' | diff - "$tmp/shims" >"$tmp/log"
    result $? "$name" "$tmp/log"
fi

# Whether the preprocessed source.i uses every shim in the lines that come from FILE; looked at so,
# since the tests name most of the shims through macros.
used_in() { # FILE
    awk -v file="/$1\"" '/^# [0-9]+ "/ { here = index($0, file) } here' "$tmp/source.i" |
        grep -oE '\bhipwright_\w+' | sort -u | comm -13 - "$tmp/shims" >"$tmp/missing"
    [ ! -s "$tmp/missing" ]
}

name="every.hip uses every shim"
if have "$clang" "$name"; then
    timeout 300 "$clang" "${hip[@]}" --offload-host-only -E "$tests/every.hip" \
        >"$tmp/source.i" 2>"$tmp/missing" && used_in every.hip
    result $? "$name" "$tmp/missing"
fi

compile() { # NAME TOOL FLAG...
    local name=$1 tool=$2
    shift 2
    have "$tool" "$name" || return
    timeout 300 "$tool" "$@" "$tests/every.hip" >"$tmp/log" 2>&1 &&
        ! grep -A 3 'hipwright_shims\.h.*warning:' "$tmp/log" >"$tmp/warnings"
    result $? "$name" "$tmp/log"
}
compile "clang accepts every shim on the host" "$clang" "${hip[@]}" --offload-host-only \
    -fsyntax-only
for target in gfx90a gfx942 gfx1100; do
    compile "clang accepts every shim for $target" "$clang" "${hip[@]}" --offload-device-only \
        --offload-arch=$target -O1 -S -o "$tmp/$target.s"
    # The instructions for which a shim exists in this form.
    name="the shims become the right instructions of $target"
    have "$clang" "$name" || continue
    : >"$tmp/missing"
    for instruction in 'v_dot4c?_i32_i[u8]' v_dot4_u32_u8 'v_readlane_b32' 's_sleep 64' \
        's_sleep 1$' 's_trap 3' 's_trap 2' 'wave barrier'; do
        grep -qE "$instruction" "$tmp/$target.s" 2>/dev/null ||
            echo "no $instruction" >>"$tmp/missing"
    done
    [ ! -s "$tmp/missing" ]
    result $? "$name" "$tmp/missing"
done
compile "hipcc accepts every shim for gfx90a" "${HIPCC:-hipcc}" -std=c++11 -x hip \
    "-I$root/shims" --offload-arch=gfx90a -c -o "$tmp/object"

# The simulator prints its own lines.
cxx=${CXX:-g++}
name="the shims mean what CUDA says"
# CXX may carry options.
if have "${cxx%% *}" "$name"; then
    $cxx -std=c++11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined \
        -fno-sanitize-recover=undefined "-I$tests/sim" "-I$root/shims" -o "$tmp/simulate" \
        "$tests/simulate.cc" "$tests/sim/simulator.cc" >"$tmp/log" 2>&1
    result $? "the simulator compiles" "$tmp/log"
    if [ -x "$tmp/simulate" ]; then
        timeout 600 "$tmp/simulate" >"$tmp/output" 2>"$tmp/log"
        status=$?
        while read -r line; do
            case $line in
            "ok "*) result 0 "${line#ok }" ;;
            "not ok "*) result 1 "${line#not ok }" ;;
            *) echo "$line" ;;
            esac
        done <"$tmp/output"
        result $status "the simulator ends well, without a word from the sanitizers" "$tmp/log"
    fi
    $cxx -std=c++11 -E "-I$tests/sim" "-I$root/shims" "$tests/simulate.cc" >"$tmp/source.i" \
        2>"$tmp/missing" && used_in simulate.cc
    result $? "the simulator tries every shim" "$tmp/missing"
fi
echo "1..$number"
[ $failures = 0 ]
