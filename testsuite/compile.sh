#!/usr/bin/env bash
# Real compilers on real programs: nvcc must accept each program of programs/, and hipcc and
# clang must accept what hipwright makes of it. Prints TAP.
#
#     compile.sh [--hip-only | --nvcc-only] [PROGRAM]...
#
# Environment:
#   HIPWRIGHT            the program under test (default ./hipwright)
#   srcdir               the top of the source tree (default .)
#   JOBS                 compilers at a time (default: the number of processors)
#   NVCC, HIPCC, CLANGXX other compilers than those found on PATH
#   CI                   with "true", a missing hipcc or clang++-19 is a failure, not a skip
#
# Files in a program's folder that are not sources:
#   flags                lines "nvcc: ..." and "hip: ...": further options for these compilers;
#                        "translate: ...": for hipwright
#   known-failure        lines "hip: REASON" (every HIP compiler) or "TARGET: REASON": the step
#                        must fail, and complains when it no longer does; a line "says: TEXT"
#                        is what the compiler's message must contain
#   expected-names       lines "+ REGEX" and "- REGEX" (grep -E): what the translation must and must
#                        not have in it; hipwright's comments are not looked at. Adds a step
#   no-headers           lines "HEADER [PACKAGE]": a header that the translation includes and that
#                        may be missing. The HIP compilers are then skipped; but where Debian has
#                        it, in PACKAGE, CI must have it
#
# A PROGRAM with a slash in it is a folder elsewhere, tested in the same way.

set -u
export LC_ALL=C

steps_nvcc="nvcc"
steps_hip="translate names hipcc-gfx90a clang-host clang-gfx90a clang-gfx942 clang-gfx1100"

srcdir=${srcdir:-.}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
steps="$steps_nvcc $steps_hip"
programs=()
for argument; do
    case $argument in
    --hip-only) steps=$steps_hip ;;
    --nvcc-only) steps=$steps_nvcc ;;
    -*)
        echo "Bail out! unknown option $argument"
        exit 99
        ;;
    *) programs+=("$argument") ;;
    esac
done

root=$(cd "$srcdir/testsuite" && pwd) || {
    echo "Bail out! there is no testsuite folder in $srcdir"
    exit 99
}
if [ ${#programs[@]} = 0 ]; then
    for folder in "$root"/programs/*/; do
        programs+=("$(basename "$folder")")
    done
fi
folder_of() {
    case $1 in
    */*) (cd "$1" 2>/dev/null && pwd) ;;
    *) (cd "$root/programs/$1" 2>/dev/null && pwd) ;;
    esac
}
for program in "${programs[@]}"; do
    if [ -z "$(folder_of "$program")" ]; then
        echo "Bail out! there is no program $program"
        exit 99
    fi
done

hipwright=${HIPWRIGHT:-./hipwright}
case $hipwright in
*/*) hipwright=$(realpath -m "$hipwright") ;;
esac
if [ "$steps" != "$steps_nvcc" ] && ! command -v "$hipwright" >/dev/null; then
    echo "Bail out! cannot run $hipwright"
    exit 99
fi

# The compiler itself or nothing.
find_tool() {
    local candidate
    for candidate; do
        command -v "$candidate" 2>/dev/null && return
    done
}
nvcc=$(find_tool "${NVCC:-nvcc}" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
hipcc=$(find_tool "${HIPCC:-hipcc}")
clang=$(find_tool "${CLANGXX:-clang++-19}")

tmp=$(mktemp -d) || exit 99
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

sources_in() { # FOLDER: every file to translate
    (cd "$1" && find . -type f \
        \( -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.hpp' -o -name '*.cpp' \) |
        sed 's|^\./||' | sort)
}

flags_for() { # FOLDER WHO
    [ ! -f "$1/flags" ] || sed -n "s/^$2: *//p" "$1/flags" | tr '\n' ' '
}

# The reason why STEP of FOLDER is known to fail, or nothing.
known_failure() { # FOLDER STEP
    local where
    [ -f "$1/known-failure" ] || return 0
    case $2 in
    nvcc | translate | names) return 0 ;;
    clang-* | hipcc-*) where=${2#*-} ;;
    esac
    sed -n -e "s/^hip: *//p" -e "s/^$where: *//p" "$1/known-failure" | head -n 1
}

# Whether LOG is what the known failure of FOLDER looks like.
says_so() { # FOLDER LOG
    local text
    text=$(sed -n 's/^says: *//p' "$1/known-failure")
    grep -qF -e "$text" "$2"
}

# The first header of FOLDER's no-headers that is missing, with its package if there is one.
missing_header() { # FOLDER
    local header package flags compiler
    [ -f "$1/no-headers" ] || return 0
    read -r -a flags <<<"$(flags_for "$1" hip)"
    compiler=${clang:-$hipcc}
    [ -n "$compiler" ] || return 0
    while read -r header package; do
        printf '#if !__has_include(<%s>)\n#error missing\n#endif\n' "$header" |
            "$compiler" -std=c++17 -x c++ "${flags[@]}" -fsyntax-only - 2>/dev/null || {
            echo "$header $package"
            return
        }
    done <"$1/no-headers"
}

# Whether the translation in OUTPUT has the names that FOLDER expects.
check_names() { # FOLDER OUTPUT
    local sign pattern found status=0
    found=$(mktemp -p "$tmp")
    find "$2" -type f -exec cat {} + | grep -avE '(//|/\*) hipwright: ' >"$found"
    while read -r sign pattern; do
        case $sign in
        +)
            grep -qE -e "$pattern" "$found" && continue
            echo "error: nothing matches $pattern"
            ;;
        -)
            grep -E -e "$pattern" "$found" >"$found.lines" || continue
            echo "error: $pattern matches $(head -n 1 "$found.lines")"
            ;;
        *) echo "error: expected-names has a line that begins with neither + nor -: $sign" ;;
        esac
        status=1
    done <"$1/expected-names"
    return $status
}

# Runs the compiler of STEP in FOLDER over each source that is a translation unit. FLAGS are
# split at spaces.
compile() { # STEP FOLDER FLAGS
    local step=$1 folder=$2 flags source status=0 units=0
    local hip=(-std=c++17 -x hip "-I$root/hip7") command
    read -r -a flags <<<"$3"
    case $step in
    nvcc) command=("$nvcc" -std=c++17 -arch=sm_80 -w -c) ;;
    hipcc-*) command=("$hipcc" "${hip[@]}" --offload-arch="${step#*-}" -c) ;;
    clang-host) command=("$clang" "${hip[@]}" -nogpulib --offload-host-only -fsyntax-only) ;;
    clang-*) command=("$clang" "${hip[@]}" -nogpulib --offload-device-only
        --offload-arch="${step#*-}" -O1 -S) ;;
    esac
    [ "$step" = clang-host ] || command+=(-o "$tmp/object.$BASHPID")
    cd "$folder" || return 99
    while read -r source; do
        case $source in
        *.cu | *.cpp) ;;
        *) continue ;;
        esac
        units=$((units + 1))
        timeout 300 "${command[@]}" "${flags[@]}" "$source" || status=$?
    done < <(sources_in .)
    rm -f "$tmp/object.$BASHPID"
    if [ $units = 0 ]; then
        echo "error: there is nothing to compile in $folder"
        return 99
    fi
    return $status
}

translate() { # FOLDER OUTPUT
    local source flags
    read -r -a flags <<<"$(flags_for "$1" translate)"
    while read -r source; do
        mkdir -p "$(dirname "$2/$source")"
        (cd "$1" && timeout 60 "$hipwright" translate "${flags[@]}" "$source" -o "$2/$source") || return
    done < <(sources_in "$1")
}

# One step: leaves its exit status in NUMBER.status, written last; 124 is a timeout, 99 that
# nothing was compiled.
run_step() { # NUMBER PROGRAM STEP
    local folder output=$tmp/hip/${2//\//_} status
    folder=$(folder_of "$2")
    case $3 in
    nvcc) (compile "$3" "$folder" "$(flags_for "$folder" nvcc)") ;;
    translate) translate "$folder" "$output" && : >"$output.done" ;;
    *)
        if [ -e "$output.done" ] && [ "$3" = names ]; then
            (check_names "$folder" "$output")
        elif [ -e "$output.done" ]; then
            (compile "$3" "$output" "$(flags_for "$folder" hip)")
        else
            echo "not compiled: the translation failed"
            (exit 99)
        fi
        ;;
    esac >"$tmp/$1.log" 2>&1 </dev/null
    status=$?
    echo $status >"$tmp/$1.new"
    mv "$tmp/$1.new" "$tmp/$1.status"
}

missing_tool() { # STEP: the name of the compiler that is not there
    case $1 in
    nvcc) [ -n "$nvcc" ] || echo "nvcc" ;;
    hipcc-*) [ -n "$hipcc" ] || echo "hipcc" ;;
    clang-*) [ -n "$clang" ] || echo "clang++-19" ;;
    esac
}

# Why a step cannot run, or nothing: "must REASON" where CI must have what is missing.
cannot_run() { # PROGRAM STEP
    local tool header package
    tool=$(missing_tool "$2")
    case $tool in
    '') ;;
    nvcc) echo "may nvcc is not installed" ;;
    *) echo "must $tool is not installed" ;;
    esac
    [ -z "$tool" ] || return
    case $2 in
    clang-* | hipcc-*)
        read -r header package <<<"${headers_missing[$1]}"
        if [ -n "$package" ]; then
            echo "must the header $header is not installed (Debian: $package)"
        elif [ -n "$header" ]; then
            echo "may the header $header is not installed"
        fi
        ;;
    esac
}

failures=0
report() { # NUMBER PROGRAM STEP
    local name="$2: ${3/-/ }" status reason obstacle folder
    folder=$(folder_of "$2")
    obstacle=$(cannot_run "$2" "$3")
    if [ -n "$obstacle" ]; then
        if [ "${obstacle%% *}" = must ] && [ "${CI:-}" = true ]; then
            echo "not ok $1 - $name"
            echo "# ${obstacle#* }, and CI must have it"
            failures=$((failures + 1))
        else
            echo "ok $1 - $name # SKIP ${obstacle#* }"
        fi
        return
    fi
    status=$(cat "$tmp/$1.status")
    reason=$(known_failure "$folder" "$3")
    case $status in
    99 | 124) reason= ;; # no compiler has refused anything
    esac
    if [ -z "$reason" ] && [ "$status" = 0 ]; then
        echo "ok $1 - $name"
    elif [ -n "$reason" ] && [ "$status" != 0 ] && says_so "$folder" "$tmp/$1.log"; then
        echo "ok $1 - $name is refused, as known: $reason"
    elif [ -n "$reason" ] && [ "$status" = 0 ]; then
        echo "not ok $1 - $name"
        echo "# THIS KNOWN FAILURE PASSES NOW ($reason)."
        echo "# Take its line out of testsuite/programs/$2/known-failure."
        failures=$((failures + 1))
    else
        echo "not ok $1 - $name"
        echo "# exit status $status"
        [ -z "$reason" ] || echo "# It fails, but not as testsuite/programs/$2/known-failure says."
        # What led to the first error matters; warnings before it do not.
        awk '/[Ee]rror/ { on = 1 } on' "$tmp/$1.log" >"$tmp/excerpt"
        [ -s "$tmp/excerpt" ] || cp "$tmp/$1.log" "$tmp/excerpt"
        head -n 15 "$tmp/excerpt" | cut -c 1-200 | sed "s|$tmp/hip/||g; s/^/# /"
        failures=$((failures + 1))
    fi
}

# Number the steps; translate first, since all the HIP steps need it.
plan=()
declare -A headers_missing
for program in "${programs[@]}"; do
    headers_missing[$program]=
    if [ "$steps" != "$steps_nvcc" ]; then
        headers_missing[$program]=$(missing_header "$(folder_of "$program")")
    fi
    for step in $steps; do
        [ "$step" != names ] || [ -f "$(folder_of "$program")/expected-names" ] || continue
        plan+=("$program $step")
    done
done
echo "1..${#plan[@]}"

number=0
for entry in "${plan[@]}"; do
    number=$((number + 1))
    case $entry in
    *" translate") run_step $number "${entry% *}" translate ;;
    esac
done

next=1
report_finished() {
    while [ $next -le ${#plan[@]} ]; do
        set -- ${plan[next - 1]}
        [ -e "$tmp/$next.status" ] || [ -n "$(cannot_run "$1" "$2")" ] || return
        report $next "$1" "$2"
        next=$((next + 1))
    done
}

number=0
running=0
for entry in "${plan[@]}"; do
    number=$((number + 1))
    set -- $entry
    if [ "$2" = translate ] || [ -n "$(cannot_run "$1" "$2")" ]; then
        continue
    fi
    if [ $running -ge "$jobs" ]; then
        wait -n
        running=$((running - 1))
        report_finished
    fi
    run_step $number "$1" "$2" &
    running=$((running + 1))
done
wait
report_finished

[ $failures = 0 ]
