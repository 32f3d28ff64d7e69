#!/usr/bin/env bash
# The hooks of .pre-commit-hooks.yaml, by real pre-commit.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

if ! command -v git >/dev/null || ! command -v pre-commit >/dev/null; then
    echo "1..0 # SKIP no git or no pre-commit"
    exit
fi
# shellcheck source=testsuite/cli/git.sh
. "$srcdir/testsuite/cli/git.sh"
export PRE_COMMIT_HOME=$work/cache
unset PRE_COMMIT SKIP

# Our own repository as others name it: only the list of hooks is needed of it.
mkdir bin && ln -s "$HIPWRIGHT" bin/hipwright
export PATH=$work/bin:$PATH
(repo "$work/us" && cp "$srcdir/.pre-commit-hooks.yaml" . && git add . && git commit -qm 1 && git tag v1)
bad='void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }'

# config HOOK [ARGS]: names HOOK in the configuration, with ARGS.
config() {
    printf 'repos:\n- repo: %s\n  rev: v1\n  hooks:\n  - id: %s\n' "$work/us" "$1" >.pre-commit-config.yaml
    [ $# = 1 ] || printf '    args: [%s]\n' "$2" >>.pre-commit-config.yaml
}
# answers STATUS COMMAND...: COMMAND ends with 0, or not.
answers() {
    local want=$1 got=0
    shift
    "$@" >out 2>&1 || got=1
    [ "$got" = "$want" ] || { echo "# $*: $got"; sed 's/^/# /' out; return 1; }
}

repo r && config hipwright-check && git add . && git commit -qm 0
answers 0 pre-commit install
stops() { lines a.cu "$bad" && lines b.cu 'void g();' && git add . && answers 1 git commit -m x && has out 'a.cu:1:12: error: ' && ! git cat-file -e HEAD:a.cu 2>/dev/null; }
ok "a commit is stopped" stops
passes() { lines a.cu 'void f();' && git add . && answers 0 git commit -m x && has out 'hipwright check' && has out Passed; }
ok "a commit passes" passes
no_source() { echo text >readme && git add readme && answers 0 git commit -m x && has out Skipped; }
ok "a commit without sources" no_source
partly() { lines a.cu 'void f();' 'void i();' && git add a.cu && lines a.cu "$bad" && answers 0 git commit -m x && git add a.cu && lines a.cu 'void f();' && answers 1 git commit -m x && git reset -q --hard; }
ok "what is staged counts, not the file" partly
names() { lines 'two words.cu' "$bad" && lines $'new\nline.cu' "$bad" && git add . && answers 1 git commit -m x && has out 'two words.cu:1:12' && has out 'new\x0Aline.cu:1:12' && git commit -qnm names; }
ok "odd names" names
old() { echo 'void j();' >>'two words.cu' && git mv a.cu c.cu && git add . && answers 0 git commit -m x; }
ok "old findings do not stop a commit" old
header() {
    lines h.h '#define N 256' && lines h.cu '#include "h.h"' '__global__ void __launch_bounds__(N) hk(int *p) { p[0] = 1; }' 'void hf(int *p) { hk<<<1, 256>>>(p); }' && git add . && answers 0 git commit -m h &&
        lines h.h '#define N 128' && git add h.h && answers 1 git commit -m h && has out 'h.cu:3:27: error' && has out 'h.h:1:9: note' && git reset -q --hard
}
ok "a constant changed in a header" header
all_files() { answers 1 pre-commit run --all-files && has out 'two words.cu:1:12: error' && has out 'new\x0Aline.cu:1:12'; }
ok "pre-commit run --all-files" all_files
range() {
    git checkout -qb work && lines d.cu 'void f();' && git add . && git commit -qnm d && answers 0 pre-commit run --from-ref master --to-ref HEAD &&
        echo "$bad" >>d.cu && echo 'void k();' >>'two words.cu' && git commit -qnam e && answers 1 pre-commit run --from-ref master --to-ref HEAD && has out 'd.cu:2:12: error' && lacks out 'two words.cu:1'
}
git branch -qM master
ok "pre-commit run --from-ref" range
baseline() {
    "$HIPWRIGHT" check --write-baseline=known ./*.cu >/dev/null 2>&1 && config hipwright-check '--baseline=known' && git add . && git commit -qnm base &&
        answers 0 pre-commit run --all-files && echo "$bad" >>c.cu && git add . && answers 1 pre-commit run --all-files && has out 'c.cu:' && lacks out 'two words.cu:1:12' && git reset -q --hard
}
ok "with a baseline" baseline
stale() { lines d.cu 'void f();' && git add d.cu && answers 0 pre-commit run --all-files --verbose && has out 'known: note: 1 entry is stale' && git commit -qnm d; }
ok "a stale entry is told" stale
translate() {
    config hipwright-translate && lines e.cu 'int main() { cudaFree(0); }' && git add . && answers 0 pre-commit run --files e.cu && grep -q 'hipFree(0)' hip/e.cu && git add . && git commit -qnm t &&
        lines e.cu 'int main() { cudaFree(0); cudaFree(0); }' && git add . && answers 1 pre-commit run && has out 'files were modified by this hook' && grep -q 'hipFree(0); hipFree(0)' hip/e.cu
}
ok "a translated tree is kept in step" translate
# What it wrote is among the sources that the commit changes.
own_outputs() {
    git add . && answers 0 git commit -m t && [ "$(git ls-files hip)" = $'hip/.hipwright.record\nhip/e.cu' ] && [ ! -e hip/hip ] &&
        answers 0 pre-commit run --files hip/e.cu && [ ! -e hip/hip ]
}
ok "what it wrote is not translated again" own_outputs
finish
