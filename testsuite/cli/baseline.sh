#!/usr/bin/env bash
# --write-baseline and --baseline: only what is new is reported.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

# lines FILE LINE...: makes FILE of these lines.
lines() {
    local file=./$1
    shift
    printf '%s\n' "$@" >"$file"
}
same() { cmp -s "$1" "$2" || { echo "# $1 and $2 differ"; diff "$1" "$2" | sed 's/^/# /' | head -n 9; return 1; }; }
count() { [ "$(grep -acE '^[^ ].*\[[a-z-]+\]$' out)" = "$1" ] || { echo "# not $1 findings:"; sed 's/^/# /' out; return 1; }; }

lines a.cu '__global__ void k(int *p)' '{' '    asm("x" : "=r"(p[0]));' '    asm("y");' '    asm("y");' '}' 'void h() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }'
lines b.cu '__global__ void k(int *p)' '{' '    asm("y");' '    unsigned mask = 0xffffffff;' '    p[1] = __shfl_sync(mask, p[0], 1);' '    p[2] = __shfl_sync(mask, p[0], 2);' '}'

write() {
    run 0 check --write-baseline=base a.cu b.cu && [ ! -s out ] && cat >want <<'END' && same base want
# hipwright baseline 1: file, rule, count, kernel, text, related place
a.cu	api-no-counterpart	1	-	cudaGraphicsD3D11RegisterResource(0,0,0)
a.cu	ptx-inline	1	k	asm("x":"=r"(p[0]))
a.cu	ptx-inline	2	k	asm("y")
b.cu	ptx-inline	1	k	asm("y")
b.cu	wave-mask-literal	1	k	mask=0xffffffff
b.cu	wave-mask-literal	2	k	mask=0xffffffff	used here: mask
END
}
ok "a baseline is a line each, sorted" write
nothing_new() { run 0 check --baseline=base --fail-on=note a.cu b.cu && [ ! -s out ] && has err 'base: note: 6 findings are known' && has err '2 files: nothing to report' && lacks err stale; }
ok "nothing is new" nothing_new
again() { touch -d 2001-01-01 base && run 0 check --write-baseline=base b.cu a.cu && same base want && [ "$(stat -c %Y base)" = "$(date -d 2001-01-01 +%s)" ]; }
ok "the same baseline is not written again" again
jobs() { for j in 1 8; do "$HIPWRIGHT" check -j$j --write-baseline=base.$j a.cu b.cu a.cu b.cu a.cu b.cu 2>/dev/null; done; same base.1 base.8; }
ok "the same with 1 and with 8 jobs" jobs
new_one() {
    cp a.cu n.cu && sed -i '2a\    asm("z");' a.cu && run 1 check --baseline=base a.cu b.cu && count 1 && has out 'a.cu:3:5: error' && has err '1 error, 0 warnings, 0 notes'
    cp n.cu a.cu
}
ok "a new finding" new_one
one_more() {
    sed -i '5a\    asm("y");' a.cu && run 1 check --baseline=base a.cu b.cu && count 1 && has out 'a.cu:6:5: error'
    cp n.cu a.cu
}
ok "one more like those that are known" one_more
moved() {
    lines a.cu '// moved' '' 'void h()' '{' '    cudaGraphicsD3D11RegisterResource(0 /* a */,' '        0,' '        0);' '}' '__global__ void k(int *p)' '{ asm ( "x":"=r" ( p [0] ) );' 'asm("y"); asm(' '"y"); }'
    run 0 check --baseline=base --fail-on=note a.cu b.cu && [ ! -s out ] && lacks err stale && lacks err 'no longer'
}
ok "moved and formatted anew" moved
renamed() {
    mkdir -p dir && mv a.cu dir/c.cu && run 0 check --baseline=base --fail-on=note dir/c.cu b.cu && [ ! -s out ] && lacks err stale && mv dir/c.cu a.cu
}
ok "a renamed file" renamed
exchanged() { mv a.cu t && mv b.cu a.cu && mv t b.cu && run 0 check --baseline=base --fail-on=note a.cu b.cu && [ ! -s out ]; mv a.cu t && mv b.cu a.cu && mv t b.cu; }
ok "files that changed names" exchanged
own_first() {
    cp n.cu a.cu && lines 0.cu '__global__ void k(int *p)' '{' '    asm("y");' '}'
    run 1 check --baseline=base 0.cu a.cu b.cu && count 1 && has out '0.cu:3:5: error'
}
ok "entries are for their own file first" own_first
related() {
    cp b.cu n.cu && sed -i '6a\    p[3] = __shfl_sync(mask, p[0], 4);' b.cu && run 1 check --baseline=base --fail-on=note a.cu b.cu && count 1 && has out 'b.cu:4:14: note'
    cp n.cu b.cu
}
ok "another related place makes a finding new" related
stale() {
    sed -i '/asm("y")/d' b.cu && run 0 check --baseline=base a.cu b.cu && has err "base:5: note: is no longer found in 'b.cu': ptx-inline: asm(\"y\")" && has err 'base: note: 1 entry is stale' || return
    run 0 check --baseline=base a.cu && lacks err stale || return
    run 0 check --write-baseline=base a.cu b.cu && sed -i 5d want && same base want && run 0 check --baseline=base a.cu b.cu && lacks err stale
}
ok "stale entries are told" stale
gone() { mv b.cu n.cu && run 0 check --baseline=base a.cu && has err 'entries are stale'; mv n.cu b.cu; }
ok "entries of files that are gone are stale" gone
elsewhere() { mkdir -p sub && (cd sub && run 0 check --baseline=../base --fail-on=note ../a.cu "$work/b.cu" && [ ! -s out ] && lacks err stale && run 0 check --write-baseline=../base2 ../a.cu ./../b.cu) && same base2 base; }
ok "from another folder" elsewhere
odd() {
    local n=$'odd\tname\n\xff#.cu'
    lines "$n" '__global__ void k(int *p)' '{' $'    asm("tab\t \xff \\' 'x");' '    asm(R"(raw' 'string)");' '}'
    run 0 check --write-baseline=odd "./$n" && [ "$(wc -l <odd)" = 3 ] && has odd 'odd\x09name\x0A\xFF#.cu' && run 0 check --baseline=odd "$n" && [ ! -s out ] && lacks err stale
}
ok "odd names and texts" odd
long_text() {
    { echo '__global__ void k() { asm("'; head -c 3000 /dev/zero | tr '\0' x; echo '"); }'; } | tr -d '\n' >long.cu
    sed 's/x")/xy")/' long.cu >long2.cu
    run 0 check --write-baseline=long long.cu && [ "$(wc -c <long)" -lt 400 ] && run 0 check --baseline=long long.cu && run 1 check --baseline=long long2.cu
}
ok "long texts are cut, and differ" long_text
tree() {
    mkdir -p t/u && cp a.cu t/ && cp b.cu t/u/ && run 0 check --write-baseline=t/base t && grep -q '^u/b.cu' t/base && grep -q '^a.cu' t/base && run 0 check --baseline=t/base t && lacks err stale && run 0 check --baseline=t/base t/u && lacks err stale &&
        mv t/u t/v && run 0 check --baseline=t/base t && lacks err stale
}
ok "a baseline of a folder" tree
damaged() { # LINE-NUMBER TEXT: the baseline with that line put in
    { head -n $(($1 - 1)) base; printf '%b\n' "$2"; tail -n +"$1" base; } >bad
    run 2 check --baseline=bad a.cu && has err "bad:$1: error: " && [ ! -s out ]
}
ok "a damaged baseline: first line" damaged 1 'x'
ok "a damaged baseline: too few fields" damaged 3 'a.cu\tptx-inline\t1\tk'
ok "a damaged baseline: too many fields" damaged 3 'a.cu\tptx-inline\t1\tk\ta\tb\tc'
ok "a damaged baseline: no number" damaged 2 'a.cu\tptx-inline\tx\tk\ta'
ok "a damaged baseline: nought" damaged 4 'a.cu\tptx-inline\t0\tk\ta'
ok "a damaged baseline: a huge number" damaged 4 'a.cu\tptx-inline\t99999999999999999999\tk\ta'
ok "a damaged baseline: a conflict of git's" damaged 5 '<<<<<<< HEAD'
ok "a damaged baseline: a NUL byte" damaged 3 'a.cu\tptx-inline\t1\tk\ta\0b'
empty() { : >bad && run 2 check --baseline=bad a.cu && has err 'bad:1: error: this is no baseline'; }
ok "an empty file is no baseline" empty
missing() { run 2 check --baseline=none a.cu && has err 'none: error: cannot be read'; }
ok "a baseline that is not there" missing
crlf() { sed 's/$/\r/' base >bad && run 0 check --baseline=bad a.cu b.cu; }
ok "a baseline with CRLF" crlf
unreadable() { cp base kept && run 2 check --write-baseline=base a.cu none.cu && has err 'is not written' && same base kept; }
ok "no baseline of half a run" unreadable
formats() {
    run 0 check --baseline=base --format=json a.cu b.cu && has out '"known": 5' && has out '"findings": 0' &&
        run 1 check --baseline=base --format=json a.cu b.cu 0.cu && has out '"findings": 1' && run 0 check --baseline=base --format=github a.cu && [ ! -s out ]
}
ok "with other formats" formats
finish
