#!/usr/bin/env bash
# hipwright hook, and commits with it, by real git.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

if ! command -v git >/dev/null; then
    echo "1..0 # SKIP no git"
    exit
fi
# shellcheck source=testsuite/cli/git.sh
. "$srcdir/testsuite/cli/git.sh"

bad='void f() { cudaGraphicsD3D11RegisterResource(0, 0, 0); }'
# commit STATUS FILE...: commits what is staged; git's status is 0 or not.
commit() {
    local want=$1 got=0
    shift
    git commit -m x "$@" >out 2>err || got=1
    [ "$got" = "$want" ] || { echo "# git commit: $got"; sed 's/^/# /' err; return 1; }
}

repo r
install() { run 0 hook install && has err 'pre-commit: note: installed' && [ -x .git/hooks/pre-commit ] && sh -n .git/hooks/pre-commit && run 0 hook install && has err 'is installed already'; }
ok "install" install
stops() { lines a.cu "$bad" && git add a.cu && commit 1 && has err 'a.cu:1:12: error: ' && has err 'hipwright stopped the commit' && ! git rev-parse -q --verify HEAD >/dev/null; }
ok "a commit is stopped" stops
passes() { lines a.cu 'void f();' && git add a.cu && commit 0 && lacks err stopped; }
ok "a commit passes" passes
partly() {
    lines a.cu 'void f();' 'void g();' && git add a.cu && echo "$bad" >>a.cu && commit 0 && git add a.cu && lines a.cu 'void f();' 'void g();' && commit 1 && git reset -q --hard
}
ok "what is staged counts, not the file" partly
commit_all() { echo "$bad" >>a.cu && commit 1 -a && commit 1 a.cu && git reset -q --hard && echo 'void h();' >>a.cu && commit 0 -a; }
ok "commit -a, and of a file" commit_all
old() { echo "$bad" >>a.cu && commit 0 -a --no-verify && echo 'void i();' >>a.cu && commit 0 -a; }
ok "old findings do not stop a commit" old
subfolder() { mkdir -p sub && (cd sub && lines b.cu "$bad" && git add . && commit 1 && has err 'sub/b.cu:1:12: error' && run 0 hook install); git reset -q --hard && rm -rf sub; }
ok "from a folder below" subfolder
renamed() { git mv a.cu b.cu && commit 0; }
ok "a renamed file" renamed
worktree() { git worktree add -q ../w && (cd ../w && run 0 hook install && has err 'is installed already' && lines c.cu "$bad" && git add . && commit 1); }
ok "a worktree" worktree
uninstall() { run 0 hook uninstall && has err 'uninstalled' && [ ! -e .git/hooks/pre-commit ] && run 0 hook uninstall && has err 'there is no hook' && lines d.cu "$bad" && git add . && commit 0; }
ok "uninstall" uninstall

# A hook that is there
printf '#!/bin/sh\necho other >&2\nexit "$(cat answer)"\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && cp .git/hooks/pre-commit kept
echo answer >>.git/info/exclude && echo kept >>.git/info/exclude
same() { cmp -s "$1" "$2" || { echo "# $1 and $2 differ"; return 1; }; }
refuses() { run 2 hook install && has err 'there is a hook already' && same .git/hooks/pre-commit kept && run 2 hook uninstall && has err 'stays' && same .git/hooks/pre-commit kept; }
ok "a hook that is there stays" refuses
both() {
    run 0 hook install --force && has err 'runs first' && same .git/hooks/pre-commit.before-hipwright kept
    echo 1 >answer && lines e.cu 'void f();' && git add . && commit 1 && has err other || return
    echo 0 >answer && commit 0 && has err other && echo "$bad" >e.cu && commit 1 -a && has err 'e.cu:1:12: error' && git reset -q --hard && run 0 hook install --force
}
ok "--force keeps it and runs it first" both
restores() { run 0 hook uninstall && has err 'is back' && same .git/hooks/pre-commit kept && [ -x .git/hooks/pre-commit ] && [ ! -e .git/hooks/pre-commit.before-hipwright ]; }
ok "uninstall brings it back" restores
in_the_way() { : >.git/hooks/pre-commit.before-hipwright && run 2 hook install --force && has err 'is in the way' && same .git/hooks/pre-commit kept; rm .git/hooks/pre-commit.before-hipwright; }
ok "what was kept before is never overwritten" in_the_way
link() { mv .git/hooks/pre-commit real && ln -s ../../real .git/hooks/pre-commit && run 0 hook install --force && [ -L .git/hooks/pre-commit.before-hipwright ] && [ ! -L .git/hooks/pre-commit ] && same real kept && run 0 hook uninstall && [ -L .git/hooks/pre-commit ]; rm .git/hooks/pre-commit real; }
ok "a hook that is a link" link

# core.hooksPath
hooks_path() {
    git config core.hooksPath 'my hooks' && (mkdir -p deep && cd deep && run 0 hook install) && [ -x 'my hooks/pre-commit' ] && [ ! -e .git/hooks/pre-commit ] &&
        echo "$bad" >f.cu && git add f.cu && commit 1 && run 0 hook uninstall && [ ! -e 'my hooks/pre-commit' ] && git config --unset core.hooksPath && git reset -q --hard
}
ok "core.hooksPath" hooks_path
moved() {
    mkdir "it's" && cp "$HIPWRIGHT" "it's/hipwright" && HIPWRIGHT_DATADIR=$(dirname "$HIPWRIGHT")/share/hipwright && export HIPWRIGHT_DATADIR &&
        HIPWRIGHT="$PWD/it's/hipwright" run 0 hook install && rm -r "it's" && lines g.cu 'void f();' && git add g.cu || return
    PATH=$PATH:$(dirname "$HIPWRIGHT") commit 0 && echo 'void g();' >>g.cu && commit 1 -a && has err 'hipwright is not installed'
    local res=$?
    unset HIPWRIGHT_DATADIR
    return $res
}
ok "a program that is no longer there" moved
usage() { run 2 hook && run 2 hook uninstal && has err "needs one of 'install' and 'uninstall'" && run 2 hook install uninstall && (cd .. && run 2 hook install && has err 'git: fatal'); }
ok "usage" usage
bare() { git init -q --bare ../bare && (cd ../bare && run 2 hook install && has err 'git: fatal'); }
ok "a bare repository" bare
finish
