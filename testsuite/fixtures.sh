#!/usr/bin/env bash
# Whole-program fixtures. Each folder of fixtures/ holds
#   input.cu       (or another ending) what is translated
#   expected.hip   the standard output, byte for byte
#   expected.txt   the standard error: every message
#   args           optional: further arguments, one a line
# and other files that the input includes. Prints TAP.
#
#     fixtures.sh [--update] [NAME]...
#
# --update writes what the program prints now into the folders; read the diff before committing.
set -u
export LC_ALL=C
unset LANGUAGE

hipwright=${HIPWRIGHT:-./hipwright}
case $hipwright in
/*) ;;
*) hipwright=$PWD/$hipwright ;;
esac
root=${srcdir:-.}/testsuite/fixtures
update=
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi
if [ $# -gt 0 ]; then
    names=("$@")
else
    names=()
    for folder in "$root"/*/; do
        names+=("$(basename "$folder")")
    done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "1..${#names[@]}"
number=0 failed=0
for name in "${names[@]}"; do
    number=$((number + 1))
    folder=$root/$name
    inputs=("$folder"/input.*)
    args=()
    if [ -f "$folder/args" ]; then
        mapfile -t args <"$folder/args"
    fi
    (cd "$folder" && "$hipwright" translate ${args[@]+"${args[@]}"} "$(basename "${inputs[0]}")" \
        >"$work/hip" 2>"$work/txt")
    status=$?
    if [ -n "$update" ]; then
        cp "$work/hip" "$folder/expected.hip"
        cp "$work/txt" "$folder/expected.txt"
    fi
    if [ $status -gt 1 ]; then
        echo "not ok $number - $name: exit status $status"
    elif ! cmp -s "$work/hip" "$folder/expected.hip"; then
        echo "not ok $number - $name: the translation differs"
        diff -a -u "$folder/expected.hip" "$work/hip" | head -n 40 | sed 's/^/# /'
    elif ! cmp -s "$work/txt" "$folder/expected.txt"; then
        echo "not ok $number - $name: the messages differ"
        diff -a -u "$folder/expected.txt" "$work/txt" | head -n 40 | sed 's/^/# /'
    else
        echo "ok $number - $name"
        continue
    fi
    failed=1
done
exit $failed
