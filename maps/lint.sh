#!/bin/sh
# Checks the map files: sh maps/lint.sh [FILE]...
#
# Without FILE it checks all *.map files beside this script, together, so that a name with two
# entries in different files is found as well. Each fault is a line FILE:LINE: MESSAGE on standard
# output, and the exit status is 1. What it looks for is in lint.awk; the loader (map.c) refuses
# only what it cannot use, this refuses also what would make the files harder to keep.

LC_ALL=C
export LC_ALL
dir=$(dirname "$0")

if test $# -eq 0; then
    set -- "$dir"/*.map
fi

status=0
for file in "$@"; do
    if test ! -r "$file" || test ! -f "$file"; then
        printf '%s:1: cannot be read\n' "$file"
        status=1
    elif test -s "$file" && test -n "$(tail -c 1 "$file")"; then
        printf '%s:%d: no newline at the end\n' "$file" "$(($(wc -l <"$file") + 1))"
        status=1
    fi
done

# A name such as "a=b.map" would be an assignment to awk; with a folder before it it is not.
n=$#
while test "$n" -gt 0; do
    file=$1
    shift
    case $file in
    /*) ;;
    *) file=./$file ;;
    esac
    test ! -f "$file" || set -- "$@" "$file"
    n=$((n - 1))
done
test $# -gt 0 || exit 1

awk -v readme="$dir/README" -f "$dir/lint.awk" "$@" || status=1
exit $status
