#!/bin/sh
# Whether maps/lint.sh finds each kind of fault, and nothing in the files as they are. TAP.

srcdir=${srcdir:-.}
lint=$srcdir/maps/lint.sh
LC_ALL=C
export LC_ALL

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

count=0
result()
{
    count=$((count + 1))
    if test "$1" = 0; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        sed 's/^/# /' "$tmp/out"
    fi
}

# Writes the lines of standard input, with | for TAB, to FILE.
write()
{
    tr '|' '\011' >"$tmp/$1"
}

# good TITLE FILE...: no message, status 0
good()
{
    title=$1
    shift
    sh "$lint" "$@" >"$tmp/out" 2>&1
    status=$?
    test $status = 0 && test ! -s "$tmp/out"
    result $? "$title"
}

# bad TITLE LINE PATTERN FILE...: status 1 and the message for that line of the last file, and no
# message for any other line
bad()
{
    title=$1 line=$2 pattern=$3
    shift 3
    sh "$lint" "$@" >"$tmp/out" 2>&1
    status=$?
    for file in "$@"; do :; done
    test $status = 1 && grep -q "^$file:$line: .*$pattern" "$tmp/out" &&
        ! grep -v "^$file:$line: " "$tmp/out" >"$tmp/other"
    result $? "$title"
}

# one TITLE PATTERN LINE: a file whose only entry is LINE, with | for TAB (^ for |)
one()
{
    printf '%%source own\n%s\n' "$3" | tr '|^' '\011|' >"$tmp/one.map"
    bad "$1" 2 "$2" "$tmp/one.map"
}

good "the files as they are"

write good.map <<'END'
# a comment

%source hipify
cudaA|function|hipA|-|+9.0 ~12.0 !13.0 -13.0|+1.6 ?7.14|2: append 0|note: other; advice: none
cudaB|type|-|rocB|-|-|-|source: own
cudaC|macro|(nothing)|-|-|-|-|-
some/...|header|other/...|-|-|-|-|library: some
END
good "every column used well" "$tmp/good.map"
cp "$tmp/good.map" "$tmp/a=b.map"
here=$(cd "$(dirname "$lint")" && pwd)
(cd "$tmp" && sh "$here/lint.sh" a=b.map >out 2>&1)
result $? "a file name with an equals sign"

one "unknown kind" "no kind" 'cudaA|functon|hipA|-|-|-|-|-'
one "too few columns" "columns" 'cudaA|function|hipA|-|-|-|-'
one "too many columns" "columns" 'cudaA|function|hipA|-|-|-|-|-|-'
one "empty column" "empty" 'cudaA|function||-|-|-|-|-'
one "trailing blank" "blank" 'cudaA|function|hipA|-|-|-|-|note: x '
one "trailing TAB" "blank" 'cudaA|function|hipA|-|-|-|-|-|'
one "blank at the edge of a column" "edge" 'cudaA|function| hipA|-|-|-|-|-'
one "a name with a blank" "no name" 'cuda A|function|hipA|-|-|-|-|-'
one "no name" "no name" '-|function|hipA|-|-|-|-|-'
one "nothing for a function" "nothing" 'cudaA|function|(nothing)|-|-|-|-|-'
one "bad version" "bad version" 'cudaA|function|hipA|-|+9.x|-|-|-'
one "version without a mark" "bad version" 'cudaA|function|hipA|-|9.0|-|-|-'
one "version of four parts" "bad version" 'cudaA|function|hipA|-|-|+1.2.3.4|-|-'
one "version part above 1023" "bad version" 'cudaA|function|hipA|-|-|+1.1024|-|-'
one "version 0" "bad version" 'cudaA|function|hipA|-|-|+0.0|-|-'
one "marks in another order" "order" 'cudaA|function|hipA|-|~9.0 +8.0|-|-|-'
one "a mark twice" "order" 'cudaA|function|hipA|-|+9.0 +9.1|-|-|-'
one "experimental in CUDA" "bad version" 'cudaA|function|hipA|-|?9.0|-|-|-'
one "unknown operation" "no argument operation" 'cudaA|function|hipA|-|-|-|wrp 0 X|-'
one "empty alternative" "empty" 'cudaA|function|hipA|-|-|-|drop 0 ^|-'
one "no argument number" "number" 'cudaA|function|hipA|-|-|-|drop x|-'
one "argument number behind the last" "number" 'cudaA|function|hipA|-|-|-|3: drop 3|-'
one "operation without its text" "wants a text" 'cudaA|function|hipA|-|-|-|wrap 0|-'
one "operation with a text too many" "no text" 'cudaA|function|hipA|-|-|-|drop 0 x|-'
one "report beside another operation" "alone" 'cudaA|function|hipA|-|-|-|drop 0; report no|-'
one "condition without a colon" "colon" 'cudaA|function|hipA|-|-|-|3 drop 0|-'
one "bad version in a condition" "bad version" 'cudaA|function|hipA|-|-|-|hip<x: drop 0|-'
one "counts the wrong way round" "count" 'cudaA|function|hipA|-|-|-|5-4: drop 0|-'
one "unknown word in a condition" "condition" 'cudaA|function|hipA|-|-|-|3 cuda<9: drop 0|-'
one "an alternative behind one without a condition" "ever reached" \
    'cudaA|function|hipA|-|-|-|drop 0 ^ 3: drop 1|-'
one "unknown remark" "bad remark" 'cudaA|function|hipA|-|-|-|-|nte: x'
one "empty remark" "empty remark" 'cudaA|function|hipA|-|-|-|-|note:; source: own'
one "a remark twice" "two remarks" 'cudaA|function|hipA|-|-|-|-|note: x; note: y'
one "library of a function" "bad remark" 'cudaA|function|hipA|-|-|-|-|library: x'
one "unknown source" "no source" 'cudaA|function|hipA|-|-|-|-|source: hearsay'
one "unknown header action" "no action" 'a.h|header|b.h|-|-|-|remove|-'
one "kept under another name" "kept" 'a.h|header|b.h|-|-|-|keep|-'
one "covered without a name" "covered" 'a.h|header|-|-|-|-|covered-by c.h|-'
one "unknown directive" "directive" '%include x'
one "roc without a ROCm name" "wants a ROCm name" 'cudaA|function|hipA|-|-|-|roc: drop 0|-'
one "roc twice" "wants a ROCm name" 'cudaA|function|hipA|rocA|-|-|roc roc: drop 0|-'
one "never reached on the ROCm side" "nothing behind" 'cudaA|function|hipA|rocA|-|-|roc: drop 0 ^ roc 2: drop 1|-'
one "never reached on the HIP side" "nothing behind" 'cudaA|function|hipA|rocA|-|-|drop 0 ^ roc: drop 0 ^ 2: drop 1|-'
one "repeat beyond the arguments" "number of an argument" 'cudaA|function|hipA|rocA|-|-|roc 2: repeat 1 3|-'
one "a ROCm version of CUDA" "bad version" 'cudaA|function|hipA|rocA|@3.8|-|-|-'
printf '%%source own\ncudaA\tvariable\thipA\trocA\t-\t+6.0 @3.8\tdrop 0 | roc 2: repeat 1 2 | roc: drop 0\t-\n' >"$tmp/roc.map"
good "both sides" "$tmp/roc.map"

write source.map <<'END'
cudaA|function|hipA|-|-|-|-|-
END
bad "no source" 1 "has no source" "$tmp/source.map"

write sort.map <<'END'
%source own
cudaB|function|hipB|-|-|-|-|-
cudaA|function|hipA|-|-|-|-|-
END
bad "unsorted" 3 "does not belong behind" "$tmp/sort.map"

write twice.map <<'END'
%source own
cudaA|function|hipA|-|-|-|-|-
cudaA|function|hipA|-|-|-|-|-
END
bad "twice in one file" 3 "already in" "$tmp/twice.map"

write other.map <<'END'
%source own
cudaA|type|hipA|-|-|-|-|-
END
sed 3d "$tmp/twice.map" >"$tmp/once.map"
bad "twice in two files" 2 "already in .*once.map:2" "$tmp/once.map" "$tmp/other.map"

write both.map <<'END'
%source own
cudaA|function|hipA|-|-|-|-|-
cudaA|header|hipA|-|-|-|-|-
END
good "a header and a function of one name" "$tmp/both.map"

printf '%%source own\ncudaA\tfunction\thipA\t-\t-\t-\t-\t-' >"$tmp/end.map"
bad "no newline at the end" 2 "no newline" "$tmp/end.map"
printf '%%source own\ncudaA\tfunction\thipA\t-\t-\t-\t-\t-\r\n' >"$tmp/cr.map"
bad "CR" 2 "blank" "$tmp/cr.map"
bad "a missing file" 1 "cannot be read" "$tmp/missing.map"

echo "1..$count"
