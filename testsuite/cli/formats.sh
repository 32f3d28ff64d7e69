#!/usr/bin/env bash
# The forms of findings that programs read: SARIF, GitHub's commands, and --report.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

same() { cmp -s "$1" "$2" || { echo "# $1 and $2 differ"; diff "$1" "$2" | sed 's/^/# /' | head -n 9; return 1; }; }

mkdir src
cat >src/a.cu <<'END'
__global__ void k(int *p) // ünïcödé 𝄞
{
    asm("é𝄞"); asm("x"); // hipwright: allow ptx because
    /* é𝄞 */ asm("y");
    unsigned mask = 0xffffffff; p[1] = __shfl_down_sync(mask, p[0], 16);
    asm("y");
    int 	last; }
void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }
END
printf '\357\273\277/* \351 */ void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }' >src/bom.cu
sed 's/$/\r/' src/a.cu >src/crlf.cu
odd=$'src/odd \n%:\xe9?#,ü.cu'
cp src/a.cu "$odd"
{ for _ in $(seq 400); do printf 'void f() { /* é\351 */ cudaGraphicsD3D11RegisterResource(0, 0, 0); } '; done; } >src/wide.cu
: >src/empty.cu

cat >sums.py <<'END'
import json, sys
log = json.load(open(sys.argv[1], encoding="utf-8"))
for r in log["runs"][0]["results"]:
    p = r["locations"][0]["physicalLocation"]
    g = p["region"]
    print(p["artifactLocation"]["uri"], f'{g["startLine"]}:{g["startColumn"]}-{g["endLine"]}:{g["endColumn"]}',
          r["level"], r["ruleId"], *(["silenced"] if "suppressions" in r else []), *(["fix"] if "fixes" in r else []))
END

# SARIF
if python3 -c 'import jsonschema' 2>/dev/null; then
    valid() {
        "$HIPWRIGHT" check --format=sarif "$@" >s.sarif 2>/dev/null
        python3 "$srcdir/testsuite/sarif.py" "$srcdir/testsuite/sarif-schema.json" s.sarif
    }
    ok "SARIF is valid" valid src/*
    ok "SARIF of an absolute name is valid" valid "$PWD/src/a.cu"
    ok "SARIF of nothing is valid" valid src/empty.cu
    fixtures() { (cd "$srcdir/testsuite/fixtures" && "$HIPWRIGHT" check --format=sarif ./*/input.*) >s.sarif 2>/dev/null; (cd "$srcdir/testsuite/fixtures" && python3 ../sarif.py ../sarif-schema.json "$work/s.sarif"); }
    ok "SARIF of all fixtures is valid" fixtures
    can_fail() { # FROM TO: s.sarif with that change is not valid
        "$HIPWRIGHT" check --format=sarif src/a.cu >s.sarif 2>/dev/null
        sed "s|$1|$2|" s.sarif >t.sarif
        ! cmp -s s.sarif t.sarif && ! python3 "$srcdir/testsuite/sarif.py" "$srcdir/testsuite/sarif-schema.json" t.sarif >/dev/null 2>&1
    }
    ok "the validator finds another version" can_fail '"2.1.0"' '"2.0.0"'
    ok "the validator finds an unknown level" can_fail '"level": "error"' '"level": "bad"'
    ok "the validator finds a place that is not there" can_fail '"startColumn": [0-9]*' '"startColumn": 200'
    ok "the validator finds a bad URI" can_fail 'src/a.cu' 'src/a b.cu'
    ok "the validator finds a property that is none" can_fail '"ruleId"' '"rule"'
else
    skip "SARIF is valid" "no python3-jsonschema"
fi
if command -v python3 >/dev/null; then
    columns() {
        "$HIPWRIGHT" check --format=sarif src/a.cu src/bom.cu >s.sarif 2>/dev/null
        python3 sums.py s.sarif >sums && cat >want <<'END'
src/a.cu 4:14-4:22 error ptx-inline
src/a.cu 5:14-5:31 note wave-mask-literal fix
src/a.cu 6:5-6:13 error ptx-inline
src/a.cu 8:12-8:45 error api-no-counterpart
src/a.cu 3:16-3:24 error ptx-inline silenced
src/bom.cu 1:20-1:53 error api-no-counterpart
END
        same sums want
    }
    ok "columns are code points; what is allowed is suppressed" columns
    uri() { "$HIPWRIGHT" check --format=sarif "./$odd" >s.sarif 2>/dev/null; python3 sums.py s.sarif >sums; has sums 'src/odd%20%0A%25%3A%E9%3F%23%2C%C3%BC.cu 4:14'; }
    ok "names are percent-encoded" uri
    wide() { "$HIPWRIGHT" check --format=sarif src/wide.cu >s.sarif 2>/dev/null; python3 sums.py s.sarif >sums; [ "$(wc -l <sums)" = 400 ] && has sums " 1:$((66 * 399 + 21))-1:"; }
    ok "a line of many columns" wide
else
    skip "columns are code points" "no python3"
fi
help() { run 1 check --format=sarif src/a.cu && has out '"help": {"text": "ptx-inline: inline PTX\n\nSays\n' && has out '\nBefore\n    __device__ '; }
ok "rules have their pages as help" help
skipped() { run 2 check --format=sarif src/a.cu gone && has out '"executionSuccessful": false' && has out '"uri": "gone"'; }
ok "SARIF names what could not be read" skipped

# GitHub
github() {
    run 1 check --format=github "./$odd" && has out '::error file=src/odd %0A%25%3A\xE9?#%2Cü.cu,line=4,col=18,endLine=4,endColumn=26,title=ptx-inline::`y` is PTX, which AMD GPUs do not have%0ATODO: ' &&
        cp src/a.cu $'\e[m.cu' && run 1 check --format=github $'\e[m.cu' && has out '::error file=\x1B[m.cu,line=4'
}
ok "GitHub's commands" github
ten() {
    {
        for i in $(seq 12); do echo "__global__ void a$i() { asm(\"\$i\"); }"; done
        for i in $(seq 13); do echo "__global__ void b$i(int *p) { unsigned m$i = 0xffffffff; p[1] = __shfl_down_sync(m$i, p[0], 16); }"; done
    } >many.cu
    run 1 check --format=github many.cu && [ "$(grep -c '^::error' out)" = 10 ] && [ "$(grep -c '^::notice' out)" = 10 ] &&
        [ "$(tail -n 1 out)" = '::notice title=hipwright::6 more findings are not shown here' ] && [ "$(head -n 10 out | grep -c ^::error)" = 10 ]
}
ok "ten of each level, and how many more" ten
all_ten() { head -n 10 many.cu >ten.cu && run 1 check --format=github ten.cu && [ "$(wc -l <out)" = 10 ] && head -n 11 many.cu >eleven.cu && run 1 check --format=github eleven.cu && [ "$(wc -l <out)" = 11 ] && has out '1 more finding is not'; }
ok "ten are all" all_ten

# --report
report() {
    run 1 check --format=sarif src/a.cu && mv out want && run 1 check --format=sarif --report=r.sarif src/a.cu && same r.sarif want && has out 'src/a.cu:4:18: error: ' && has err '1 file: 3 errors' && clean .
}
ok "--report" report
report_text() { run 1 check src/a.cu && mv out want && run 1 check --report=r.txt src/a.cu && same out want && same r.txt want; }
ok "--report of text" report_text
report_github() { run 1 check --format=github --report=r.gh many.cu && grep -q '^::error' r.gh && has out 'many.cu:1:'; }
ok "--report of GitHub's commands" report_github
report_input() { cp src/a.cu i.cu && run 2 check --format=json --report=i.cu i.cu && same i.cu src/a.cu && has err 'is an input too'; }
ok "--report never overwrites an input" report_input
report_folder() { run 2 check --report=none/r src/a.cu && has err 'none/r: error: cannot be written'; }
ok "--report that cannot be written" report_folder
report_baseline() { run 0 check --write-baseline=base src/a.cu && run 0 check --baseline=base --format=json --report=r.json src/a.cu && has r.json '"known": 4' && [ ! -s out ]; }
ok "--report with a baseline" report_baseline

report_translate() {
    run 1 check --format=sarif src/a.cu && mv out want && run 0 src/a.cu && mv out hip && mv err text &&
        run 0 translate --format=sarif --report=r.sarif src/a.cu && same out hip && same err text && same r.sarif want &&
        run 2 translate --format=sarif src/a.cu && has err "'--format' needs" && run 0 --format=github --output-dir=o src/a.cu && has out '::error file=src/a.cu,'
}
ok "--report of a translation" report_translate

jobs() {
    local f
    for f in sarif github json; do
        for j in 1 8; do "$HIPWRIGHT" check -j$j --format=$f --report=r.$j src/* gone >o.$j 2>&1; done
        same r.1 r.8 && same o.1 o.8 && [ -s r.1 ] || return
        LC_ALL=C.UTF-8 LANGUAGE=de "$HIPWRIGHT" check --format=$f --report=r.de src/* gone >/dev/null 2>&1
        same r.1 r.de || return
    done
}
ok "the same with 1 and with 8 jobs, and in every language" jobs
config() { printf 'format = sarif\n' >.hipwright.ini; run 1 check src/a.cu && has out '"version": "2.1.0"' && run 0 lookup cudaMalloc && has out 'HIP: hipMalloc'; local res=$?; rm .hipwright.ini; return $res; }
ok "--format in a configuration" config
others() { run 2 lookup --format=sarif cudaMalloc && has err "'lookup' has the forms text and json only"; }
ok "other commands have no such forms" others
colors() {
    run 1 check --color=always src/a.cu && has out "$(printf '\033[01;31merror: ')" && run 1 check --color=never src/a.cu && lacks out "$(printf '\033')" &&
        run 1 check --color=always --format=github src/a.cu && lacks out "$(printf '\033')"
}
ok "colours are for text" colors
finish
