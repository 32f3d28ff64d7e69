#!/usr/bin/env bash
# Whole-program fixtures. Each folder of fixtures/ holds
#   input.cu       (or another ending) what is translated
#   expected.hip   the standard output, byte for byte
#   expected.txt   the standard error: every message
#   args           optional: further arguments, one a line. Markers are left out unless
#                  --annotate=inline is among them
#   known-failure  optional: why the program does not do this yet. The expectation is right all
#                  the same; the fixture must fail, and complains when it no longer does
# and other files that the input includes. Where fixes are applied (--fix), translating the output again
# must change nothing. Prints TAP.
#
#     fixtures.sh [--update] [NAME]...
#
# --update writes what the program prints now into the folders, but for those with a known failure
# that are not named; read the diff before committing.
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
named=
if [ $# -gt 0 ]; then
    named=yes
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
    (cd "$folder" && "$hipwright" translate --annotate=none ${args[@]+"${args[@]}"} "$(basename "${inputs[0]}")" \
        >"$work/hip" 2>"$work/txt")
    status=$?
    again=
    case " ${args[*]-} " in
    *\ --fix*)
        rm -rf "$work/again"
        cp -R "$folder" "$work/again"
        chmod -R u+w "$work/again"
        cp "$work/hip" "$work/again/$(basename "${inputs[0]}")"
        (cd "$work/again" && "$hipwright" translate --annotate=none "${args[@]}" "$(basename "${inputs[0]}")" \
            2>/dev/null) | diff -a -u "$work/hip" - >"$work/again/diff" || again=$work/again/diff
        ;;
    esac
    known=
    if [ -f "$folder/known-failure" ]; then
        known=$(head -n 1 "$folder/known-failure")
    fi
    if [ -n "$update" ] && { [ -z "$known" ] || [ -n "$named" ]; }; then
        cp "$work/hip" "$folder/expected.hip"
        cp "$work/txt" "$folder/expected.txt"
    fi
    wrong=
    if [ $status -gt 1 ]; then
        wrong="exit status $status"
    elif ! cmp -s "$work/hip" "$folder/expected.hip"; then
        wrong="the translation differs"
        diff -a -u "$folder/expected.hip" "$work/hip" >"$work/diff"
    elif ! cmp -s "$work/txt" "$folder/expected.txt"; then
        wrong="the messages differ"
        diff -a -u "$folder/expected.txt" "$work/txt" >"$work/diff"
    elif [ -n "$again" ]; then
        wrong="a second run changes more"
        mv "$again" "$work/diff"
    fi
    if [ -z "$wrong" ] && [ -z "$known" ]; then
        echo "ok $number - $name"
    elif [ -n "$known" ] && [ -n "$wrong" ] && [ $status -le 1 ]; then
        echo "ok $number - $name fails as known: $known"
    elif [ -z "$wrong" ]; then
        echo "not ok $number - $name passes now"
        echo "# Remove testsuite/fixtures/$name/known-failure ($known)."
        failed=1
    else
        echo "not ok $number - $name: $wrong"
        if [ $status -le 1 ]; then
            head -n 40 "$work/diff" | sed 's/^/# /'
        fi
        failed=1
    fi
done
exit $failed
