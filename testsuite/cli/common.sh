# shellcheck shell=bash
# What the command-line tests share; they source it. The environment gives HIPWRIGHT (the
# program) and srcdir (the sources' root). Tests print TAP and run in a folder of their own.
set -u
: "${HIPWRIGHT:?the program to test}"

tests=0
# A folder in memory, where that is large enough and programs in it can be run: what is tested brings
# files to the disk, and waits for it.
in_memory() {
    local try kept=1
    try=$(mktemp /dev/shm/hipwright-test.XXXXXX 2>/dev/null) || return 1
    printf '#!/bin/sh\n' >"$try" && chmod +x "$try" && "$try" 2>/dev/null && kept=0
    rm -f "$try"
    [ $kept -eq 0 ] && [ "$(df -Pk /dev/shm | awk 'END { print $4 }')" -gt 1000000 ]
}
[ -n "${TMPDIR:-}" ] || ! in_memory || TMPDIR=/dev/shm
work=$(mktemp -d "${TMPDIR:-/tmp}/hipwright-test.XXXXXX") || exit 1
trap 'cd / && chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR HIPWRIGHT_DATADIR
export LC_ALL=C

# ok NAME COMMAND...: one test; passes if COMMAND succeeds.
ok() {
    local name=$1
    shift
    tests=$((tests + 1))
    if "$@"; then
        echo "ok $tests - $name"
    else
        echo "not ok $tests - $name"
        echo "# failed: $*" | head -n 1
    fi
}

# skip NAME REASON: a test that cannot run here.
skip() {
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

# run STATUS ARGUMENT...: runs the program with its output in the files out and err; fails
# unless it exits with STATUS.
run() {
    local want=$1 got=0
    shift
    "$HIPWRIGHT" "$@" >out 2>err || got=$?
    if [ "$got" -ne "$want" ]; then
        echo "# status $got instead of $want: hipwright $*"
        sed 's/^/# /' err | head -n 5
        return 1
    fi
}

# has FILE TEXT: FILE contains TEXT, literally.
has() {
    grep -qaF -e "$2" "$1" || {
        echo "# not in $1: $2"
        head -n 10 "$1" | sed 's/^/# | /'
        return 1
    }
}

lacks() {
    ! grep -qaF -e "$2" "$1"
}

# clean DIR: no temporary file was left in it.
clean() {
    [ -z "$(find "$1" -name '.*hipwright-*')" ]
}

# Two sources: one that changes, one that does not.
cuda_source() {
    printf '#include <cuda_runtime.h>\nint main()\n{\n\tvoid *p;\n\tcudaMalloc(&p, 1);\n\treturn 0;\n}\n' >"$1"
}
plain_source() {
    printf 'int main()\n{\n\treturn 0;\n}\n' >"$1"
}

finish() {
    echo "1..$tests"
}
