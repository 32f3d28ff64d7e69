#!/usr/bin/env bash
# check --staged and --diff-base: what git holds, and which of its lines were changed.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

if ! command -v git >/dev/null; then
    echo "1..0 # SKIP no git"
    exit
fi
# shellcheck source=testsuite/cli/git.sh
. "$srcdir/testsuite/cli/git.sh"

repo r
bad=$'    cudaGraphicsD3D11RegisterResource(0, 0, 0);'
lines good.cu 'int main()' '{' '    return 0;' '}'
lines bad.cu 'void f()' '{' "$bad" '    g();' '}'
lines other.txt hello
nothing_staged() { git add . && git commit -qm 1 && run 0 check --staged && found; }

# An empty repository
empty() { git add bad.cu good.cu && run 1 check --staged && found bad.cu:3; }
ok "a repository without commits" empty
no_git() { (cd .. && mkdir -p plain && cd plain && run 2 check --staged && has err 'hipwright: error: git: '); }
ok "outside of a repository" no_git
ok "nothing staged" nothing_staged

# The index, not the work tree
index() {
    lines good.cu 'int main()' '{' "$bad" '    return 0;' '}' && git add good.cu
    lines good.cu 'int main()' '{' '    return 0;' '}'
    run 1 check --staged && found good.cu:3 && has out 'cudaGraphicsD3D11RegisterResource(0' || return
    git checkout -q HEAD -- good.cu && lines good.cu "$bad" && run 0 check --staged && found
}
ok "the index, not the work tree" index
git reset -q --hard
old_lines() { lines bad.cu 'void f()' '{' "$bad" '    h();' '    h();' '}' && git add . && run 0 check --staged && found; }
ok "findings on other lines are not meant" old_lines
new_lines() { lines bad.cu "$bad" 'void f()' '{' "$bad" '    g();' "$bad" '}' "$bad" && git add . && run 1 check --staged && found bad.cu:1 bad.cu:6 bad.cu:8; }
ok "findings on new lines" new_lines
deleted() { git reset -q --hard && lines bad.cu 'void f()' '{' "$bad" '}' && git add . && run 0 check --staged && found; }
ok "deleted lines change nothing else" deleted
partly() {
    git reset -q --hard
    lines bad.cu "$bad" 'void f()' '{' "$bad" '    g();' '}' && git add bad.cu
    lines bad.cu "$bad" 'void f()' '{' "$bad" '    g();' "$bad" '}'
    run 1 check --staged && found bad.cu:1
}
ok "a file staged in part" partly
several_lines() {
    git reset -q --hard
    lines mask.cu '__global__ void k(int *p)' '{' '    unsigned mask =' '        0xffffffff;' '    p[0] = 1;' '    p[1] = __shfl_sync(mask, p[0], 1);' '}'
    git add . && git commit -qm mask && sed -i 's/p\[0\] = 1/p[0] = 2/' mask.cu && git add . && run 0 check --staged --fail-on=note && found &&
        sed -i 's/        0xffffffff/         0xffffffff/' mask.cu && git add . && run 1 check --staged --fail-on=note && found mask.cu:3
}
ok "a finding of several lines" several_lines
related() { git reset -q --hard && sed -i 's/p\[0\], 1/p[0], 2/' mask.cu && git add . && run 1 check --staged --fail-on=note && found mask.cu:3 && git reset -q --hard HEAD~1; }
ok "a related place on a changed line" related

# git's own settings do not matter
settings() {
    git reset -q --hard
    lines bad.cu "$bad" 'void f()' '{' "$bad" '    g();' '}' && git add bad.cu
    git config color.ui always && git config color.diff always && git config diff.external false && git config diff.noprefix true &&
        git config diff.context 9 && git config diff.interHunkContext 9 && git config diff.mnemonicPrefix true && git config core.quotePath false &&
        git config diff.renames copies && git config diff.algorithm histogram && git config diff.relative true && git config core.abbrev 5
    mkdir -p sub && (cd sub && run 1 check --staged && found ../bad.cu:1) || return
    echo '*.cu diff=x' >.gitattributes && git config diff.x.textconv 'tr a-z A-Z <' && git config diff.x.command false
    run 1 check --staged && found bad.cu:1 && rm .gitattributes &&
        GIT_DIFF_OPTS=--unified=5 GIT_EXTERNAL_DIFF=false run 1 check --staged && found bad.cu:1
}
ok "settings of git's do not matter" settings
binary() { echo '*.cu -diff' >.gitattributes; run 1 check --staged && found bad.cu:1 bad.cu:4; rm .gitattributes; }
ok "where git shows no lines, all count" binary

# Files
git reset -q --hard
renamed() {
    for i in $(seq 30); do echo "    g($i);"; done >>bad.cu && git add . && git commit -qm long
    git mv bad.cu moved.cu && run 0 check --staged && found || return
    sed -i "4s/.*/$bad/" moved.cu && git add . && run 1 check --staged && found moved.cu:4
}
ok "a renamed file" renamed
git reset -q --hard
names() {
    local n
    for n in 'two words.cu' -dash.cu $'new\nline.cu' $'tab\t.cu' '"quoted".cu' '\back.cu' ':(top)x.cu' 'a*b.cu' $'latin\xe9.cu' 'ünï.cu'; do
        lines "$n" "$bad" 'void f();'
    done
    git add . && run 1 check --staged --format=json && [ "$(grep -c '"line": 1,' out)" = 10 ] && has out '"latin\\xE9.cu"' || return
    git commit -qm names && for n in *.cu; do echo "$bad" >>"$n"; done
    git add . && run 1 check --staged --format=json && [ "$(grep -ac '"line": 3,' out)" = 10 ] || return
    git commit -qm names2
}
ok "odd names" names
links() { ln -s bad.cu link.cu && mkdir d.cu && lines d.cu/x.cu "$bad" && git add . && run 1 check --staged && found d.cu/x.cu:1; }
ok "links and folders" links
type_change() { git commit -qm links; rm link.cu && lines link.cu "$bad" && git add . && run 1 check --staged && found link.cu:1 && git commit -qm t && ln -sf bad.cu link.cu && git add . && run 0 check --staged; }
ok "a link becomes a file" type_change
git reset -q --hard
restricted() {
    lines a.cu "$bad" && mkdir -p e/f && lines e/b.cu "$bad" && lines e/f/c.cu "$bad" && git add .
    run 1 check --staged a.cu && found a.cu:1 && run 1 check --staged e && found e/b.cu:1 e/f/c.cu:1 &&
        run 1 check --staged ./e/f/../b.cu "$PWD/a.cu" && found a.cu:1 e/b.cu:1 &&
        (cd e && run 1 check --staged && found ../a.cu:1 b.cu:1 f/c.cu:1 && run 1 check --staged . && found b.cu:1 f/c.cu:1) &&
        run 0 check --staged bad.cu && found && run 2 check --staged / && has err 'does not lie in this work tree'
}
ok "files and folders restrict it" restricted
jobs() { for j in 1 7; do "$HIPWRIGHT" check --staged -j$j >o.$j 2>&1; done; cmp o.1 o.7 && [ -s o.1 ]; }
ok "the same with 1 and with 7 jobs" jobs
usage() { run 2 check --staged --diff-base=HEAD && run 2 check --staged --files-from=x && run 2 translate --staged; }
ok "usage" usage

# Other repositories
worktree() { git commit -qm r && git worktree add -q ../w && (cd ../w && lines new.cu "$bad" && git add . && run 1 check --staged && found new.cu:1) && run 0 check --staged; }
ok "a worktree" worktree
submodule() {
    git -c protocol.file.allow=always submodule -q add ../r sm 2>/dev/null || return
    run 0 check --staged && found && git commit -qm sub &&
        (cd sm && lines in.cu "$bad" && git add . && run 1 check --staged && found in.cu:1 && git commit -qm in) &&
        git add . && run 0 check --staged && found
}
ok "a submodule" submodule
lock() { lines more.cu "$bad" && git add more.cu && git commit -qm all && echo "$bad" >>more.cu && GIT_INDEX_FILE=$PWD/.git/other git read-tree HEAD && GIT_INDEX_FILE=$PWD/.git/other git add more.cu && run 0 check --staged && GIT_INDEX_FILE=$PWD/.git/other run 1 check --staged && found more.cu:2; }
ok "the index that git names (commit -a)" lock
(cd .. && git init -q --object-format=sha256 sha) 2>/dev/null && sha256() { (cd ../sha && lines a.cu "$bad" && git add . && run 1 check --staged && found a.cu:1 && git commit -qm 1 && echo "$bad" >>a.cu && git add . && run 1 check --staged && found a.cu:2); }
if [ -d ../sha ]; then ok "a sha256 repository" sha256; else skip "a sha256 repository" "git is too old"; fi
no_program() { PATH=/nowhere run 2 check --staged && has err 'git cannot be run: No such file'; }
ok "without git" no_program
broken() { git reset -q --hard && cp -r . ../broken && (cd ../broken && lines z.cu "$bad" && git add . && rm -f .git/objects/"$(git rev-parse :z.cu | sed 's,^..,&/,')" && run 2 check --staged && has err 'z.cu: error: git does not have its content'); }
ok "a damaged repository" broken

# --diff-base
cd .. && repo b
lines a.cu 'void f();' "$bad"
git add . && git commit -qm 1 && git branch -M main && git checkout -qb work
diff_base() {
    echo "$bad" >>a.cu && run 1 check --diff-base=main && found a.cu:3 || return
    git add . && git commit -qm 2 && run 1 check --diff-base=main && found a.cu:3 && run 0 check --diff-base=HEAD && found && run 1 check --diff-base=HEAD~1 a.cu && found a.cu:3
}
ok "--diff-base" diff_base
merge_base() { git checkout -q main && lines b.cu "$bad" && git add . && git commit -qm 3 && git checkout -q work && run 1 check --diff-base=main && found a.cu:3; }
ok "--diff-base is about what the branch itself changed" merge_base
no_revision() { run 2 check --diff-base=nowhere && has err "git knows no revision 'nowhere'" && run 2 check --diff-base=--all && has err "'--all'" && GIT_TRACE=1 run 2 check --diff-base=nowhere && has err "git knows no revision 'nowhere'"; }
ok "--diff-base without such a revision" no_revision
unrelated() { git checkout -q --orphan alone && git commit -qm alone && run 2 check --diff-base=main && has err 'have no commit in common' && git checkout -q work; }
ok "--diff-base without a common commit" unrelated
range() {
    lines a.cu 'not this' && PRE_COMMIT=1 PRE_COMMIT_FROM_REF=main PRE_COMMIT_TO_REF=work run 1 check --staged a.cu && found a.cu:3 &&
        PRE_COMMIT_FROM_REF=main run 0 check --staged
}
ok "the range of pre-commit" range
whole() { git checkout -q -f work && PRE_COMMIT=1 run 1 check --staged a.cu && found a.cu:2 a.cu:3 && run 0 check --staged a.cu; }
ok "the files of pre-commit, whole where nothing is staged" whole

finish
