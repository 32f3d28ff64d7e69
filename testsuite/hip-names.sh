#!/bin/sh
# Whether the HIP and ROCm names that the maps claim for HIP 5.2 are there, and those not that came
# later: compiled, a file for each map, with clang against the headers of Debian's HIP 5.2 and of the
# libraries (5.3) that are installed. Prints TAP; every name that is otherwise is listed in a comment.
#
# testsuite/hip-names.known has the names that are known to be otherwise, each with the reason; one
# of them that is as the maps say is a failure.
#
# Environment:
#   srcdir    the top of the source tree (default .)
#   CLANGXX   another compiler than clang++-19 or hipcc
#   CPPFLAGS  further options, such as -I for headers that are not installed
#   CI        with "true", a missing compiler or a missing HIP is a failure, not a skip

srcdir=${srcdir:-.}
LC_ALL=C
export LC_ALL

# What the maps say of these versions is compared; the libraries are of the second, so that what
# came with it may be there or not.
hip=5.2
libraries=5.3

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

count=0
failures=0
ok()
{
    count=$((count + 1))
    echo "ok $count - $1"
}
not_ok()
{
    count=$((count + 1))
    failures=$((failures + 1))
    echo "not ok $count - $1"
}

# all TITLE: what is said when nothing can be compiled.
all()
{
    if test "$CI" = true; then
        not_ok "names of HIP $hip"
        echo "# $1, and CI must have it"
    else
        echo "ok 1 - names of HIP $hip # SKIP $1"
        count=1
    fi
    echo "1..$count"
    exit $failures
}

for clang in "${CLANGXX:-clang++-19}" hipcc ''; do
    command -v "$clang" >"$tmp/path" 2>/dev/null && break
done
test -n "$clang" || all "neither clang++-19 nor hipcc is installed"

# CPPFLAGS are split at spaces.
compile()
{
    # shellcheck disable=SC2086
    timeout 100 "$clang" -x hip -std=c++17 -nogpulib --cuda-device-only --offload-arch=gfx90a \
        -w -fno-color-diagnostics -fno-caret-diagnostics -ferror-limit=0 $CPPFLAGS "$@"
}

printf '#include <hip/hip_version.h>\nhip HIP_VERSION_MAJOR.HIP_VERSION_MINOR\n' >"$tmp/version.cpp"
compile -E -P "$tmp/version.cpp" >"$tmp/version" 2>"$tmp/log"
found=$(sed -n 's/^hip //p' "$tmp/version" | tr -d ' ')
test -n "$found" || all "the headers of HIP are not installed"
test "$found" = $hip || all "the headers are those of HIP $found, not of $hip"

# claims MAP SIDE: lines "NAME TAB KIND TAB CUDA-NAME TAB there" of all that MAP claims to be there in
# HIP $hip, by the versions of its names or as `name` in column 7 for older versions, and with "later"
# of all that came later. Each name once.
claims()
{
    awk -F '\t' -v side="$2" -v hip="$hip" -v libraries="$libraries" '
    function number(text, part)
    {
        split(text, part, ".")
        return part[1] * 1000 + part[2]
    }
    function claim(name, when)
    {
        if (name != "-" && name != "(nothing)" && !((name, when) in seen)) {
            seen[name, when] = 1
            print name "\t" $2 "\t" $1 "\t" when
        }
    }
    BEGIN {
        now = number(hip)
        then = number(libraries)
    }
    /^[#%]/ || /^$/ || $2 == "header" { next }
    {
        added = removed = native = 0
        words = split($6, word, " ")
        for (i = 1; i <= words; i++) {
            mark = substr(word[i], 1, 1)
            value = number(substr(word[i], 2))
            if (mark == "+") added = value
            if (mark == "-") removed = value
            if (mark == "@") native = value
        }
        if (side == "roc") {
            if (native && native <= now)
                claim($4, "there")
            if (then < native)
                claim($4, "later")
            next
        }
        if (added && added <= now && !(removed && removed <= now))
            claim($3, "there")
        if (then < added)
            claim($3, "later")
        forms = split($7, form, / \| /)
        for (i = 1; i <= forms; i++) {
            colon = index(form[i], ": ")
            condition = substr(form[i], 1, colon)
            if (condition ~ /roc/ || !match(condition, /hip<[0-9.]+/))
                continue
            before = number(substr(condition, RSTART + 4, RLENGTH - 4))
            since = 0
            if (match(condition, /hip>=[0-9.]+/))
                since = number(substr(condition, RSTART + 5, RLENGTH - 5))
            if (before <= now || now < since)
                continue
            ops = split(substr(form[i], colon + 2), op, /; /)
            for (k = 1; k <= ops; k++)
                if (op[k] ~ /^name /)
                    claim(substr(op[k], 6), "there")
        }
    }' "$srcdir/maps/$1.map"
}

# write_source HEADERS: a source that mentions the names of the claims on standard input, and into the
# file table the line of each. What is a macro is there.
write_source()
{
    for header in $1; do
        echo "#include <$header>"
    done >"$tmp/names.cpp"
    lines=$(wc -l <"$tmp/names.cpp")
    awk -F '\t' -v line="$lines" -v table="$tmp/table" '
    function put(text)
    {
        print text
        ++line
    }
    {
        name = $1
        global = name ~ /::/ ? name : "::" name
        guard = name !~ /::/
        if ($2 == "enumerator" || $2 == "variable")
            use = "typedef decltype((" name ")) use_" NR ";"
        else if ($2 == "type" || $2 == "device_type")
            use = "extern " name " *use_" NR ";"
        else if ($2 == "namespace")
            use = "namespace use_" NR " = " name ";"
        else if ($2 == "device_function")
            use = "__global__ void use_" NR "() { using " global "; }"
        else
            use = "namespace use_" NR " { using " global "; }"
        if ($2 == "enumerator" || $2 == "variable" || $2 == "type" || $2 == "device_type")
            guard = 0
        if (guard)
            put("#ifndef " name)
        put(use)
        print line "\t" $0 >table
        if (guard)
            put("#endif")
    }' >>"$tmp/names.cpp"
}

# What was claimed, what was looked up and what is otherwise, of all maps.
: >"$tmp/claimed"
: >"$tmp/asked"
: >"$tmp/otherwise"
known=$srcdir/testsuite/hip-names.known

# check MAP SIDE HEADERS: one test, skipped where one of HEADERS is not installed.
check()
{
    title="$1, $2"
    claims "$1" "$2" >"$tmp/claims"
    total=$(wc -l <"$tmp/claims" | tr -d ' ')
    cut -f 1 "$tmp/claims" >>"$tmp/claimed"
    for header in $3; do
        printf '#if !__has_include(<%s>)\n#error missing\n#endif\n' "$header"
    done >"$tmp/probe.cpp"
    if ! compile -E -P "$tmp/probe.cpp" >"$tmp/log" 2>&1 && grep -q 'error: missing' "$tmp/log"; then
        ok "$title: $total names # SKIP no <$3>"
        return
    fi
    if test "$total" = 0; then
        ok "$title # SKIP it gives no name a HIP version"
        return
    fi
    : >"$tmp/table"
    write_source "$3" <"$tmp/claims"
    compile -fsyntax-only "$tmp/names.cpp" >"$tmp/log" 2>&1
    status=$?
    cut -f 1 "$tmp/claims" >>"$tmp/asked"
    # An error at another place than a name says nothing about names.
    awk -F '\t' -v file="$tmp/names.cpp:" '
    FILENAME == ARGV[1] { claim[$1] = $2 "\t" $3 "\t" $4; when[$1] = $5; next }
    /(fatal )?error: / {
        text = $0
        line = 0
        if (index(text, file) == 1) {
            text = substr(text, length(file) + 1)
            line = text + 0
            sub(/^[0-9]+:[0-9]+: */, "", text)
        }
        if (!(line in claim))
            print "other\t" $0
        else if (!(line in error))
            error[line] = text
    }
    END {
        for (line in claim)
            if (when[line] == "there" && line in error)
                print "otherwise\t" claim[line] "\tis not there (" error[line] ")"
            else if (when[line] == "later" && !(line in error))
                print "otherwise\t" claim[line] "\tis there already"
    }' "$tmp/table" "$tmp/log" >"$tmp/verdict"
    sed -n 's/^otherwise	//p' "$tmp/verdict" | sort >"$tmp/this"
    cat "$tmp/this" >>"$tmp/otherwise"
    awk -F '\t' '
    FILENAME == ARGV[1] {
        if (/^[^#]/)
            reason[substr($0, 1, index($0 " ", " ") - 1)] = substr($0, index($0 " ", " ") + 1)
        next
    }
    $1 in reason { print "# as known: " $1 " (" $2 ", for " $3 "): " reason[$1]; next }
    { print "# OTHERWISE: " $1 " (" $2 ", for " $3 ") " $4 }' "$known" "$tmp/this" >"$tmp/list"
    grep '^other	' "$tmp/verdict" >"$tmp/other"
    if test -s "$tmp/other" || { test $status != 0 && ! grep -q 'error: ' "$tmp/log"; }; then
        not_ok "$title: the source of names does not compile for another reason"
        { cut -f 2- "$tmp/other"; tail -n 3 "$tmp/log"; } | head -n 8 | sed "s|$tmp/||g; s/^/# /"
    elif grep -q '^# OTHERWISE' "$tmp/list"; then
        not_ok "$title: $(wc -l <"$tmp/this" | tr -d ' ') of $total names are otherwise"
    else
        ok "$title: $total names, $(wc -l <"$tmp/this" | tr -d ' ') of them otherwise, as known"
    fi
    cat "$tmp/list"
}

device="hip/hip_runtime.h hip/hip_fp16.h hip/hip_bfloat16.h hip/hip_cooperative_groups.h"
check runtime hip "hip/hip_runtime.h hip/hip_runtime_api.h hip/library_types.h hip/hip_ext.h"
check driver hip "hip/hip_runtime.h hip/hip_runtime_api.h hip/library_types.h hip/hip_ext.h"
check device hip "$device"
check complex hip "hip/hip_complex.h"
check cg hip "hip/hip_runtime.h hip/hip_cooperative_groups.h"
check rtc hip "hip/hip_runtime.h hip/hiprtc.h"
check rand hip "hip/hip_runtime.h hiprand/hiprand.h hiprand/hiprand_kernel.h hiprand/hiprand_mtgp32_host.h"
check rand roc "hip/hip_runtime.h rocrand/rocrand.h rocrand/rocrand_kernel.h"
check sparse hip "hip/hip_runtime.h hipsparse/hipsparse.h"
check sparse roc "hip/hip_runtime.h rocsparse/rocsparse.h"
check blas hip "hip/hip_runtime.h hipblas/hipblas.h"
check blas roc "hip/hip_runtime.h rocblas/rocblas.h"
check solver hip "hip/hip_runtime.h hipsolver/hipsolver.h"
check solver roc "hip/hip_runtime.h rocsolver/rocsolver.h"
check fft hip "hip/hip_runtime.h hipfft/hipfft.h hipfft/hipfftXt.h"
check dnn roc "hip/hip_runtime.h miopen/miopen.h"
check cub hip "hip/hip_runtime.h hipcub/hipcub.hpp"

# The list of what is known.
grep -v -e '^#' -e '^$' "$known" | sed 's/ .*//' >"$tmp/known"
if sort -u "$tmp/known" | cmp -s - "$tmp/known"; then
    ok "hip-names.known is sorted and has each name once"
else
    not_ok "hip-names.known is sorted and has each name once"
fi
if grep -v -e '^#' -e '^$' -e '^[A-Za-z_][A-Za-z0-9_:]* [^ ]' "$known" >"$tmp/bad"; then
    not_ok "every known name has its reason"
    sed 's/^/# /' "$tmp/bad"
else
    ok "every known name has its reason"
fi
sort -u -o "$tmp/known" "$tmp/known"
cut -f 1 "$tmp/otherwise" | sort -u >"$tmp/still"
sort -u "$tmp/asked" | comm -12 - "$tmp/known" | comm -23 - "$tmp/still" >"$tmp/passes"
sort -u "$tmp/claimed" | comm -13 - "$tmp/known" >"$tmp/stale"
if test -s "$tmp/passes" || test -s "$tmp/stale"; then
    not_ok "no known failure passes"
    sed 's/^/# THIS KNOWN FAILURE PASSES NOW; take it out of hip-names.known: /' "$tmp/passes"
    sed 's/^/# no map claims this any more; take it out of hip-names.known: /' "$tmp/stale"
else
    ok "no known failure passes"
fi

echo "1..$count"
test $failures = 0
