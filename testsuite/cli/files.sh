#!/usr/bin/env bash
# Files: where results go, and that nothing is lost on the way.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

cuda_source a.cu
plain_source plain.cu
"$HIPWRIGHT" a.cu >a.hip 2>/dev/null
as_root=false
[ "$(id -u)" -eq 0 ] && as_root=true
# as_user COMMAND...: runs COMMAND without root's freedom to read and write everything.
as_user() {
    if $as_root; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}
can_drop=true
$as_root && ! { setpriv --reuid=65534 --regid=65534 --clear-groups "$HIPWRIGHT" --version; } >/dev/null 2>&1 &&
    can_drop=false

same() { cmp -s "$1" "$2" || { echo "# $1 and $2 differ"; return 1; }; }

# In place
in_place() { cp a.cu b.cu; run 0 -i b.cu && same b.cu a.hip && [ ! -s out ] && clean .; }
ok "in place" in_place
in_place_suffix() { cp a.cu b.cu; run 0 --in-place=.orig b.cu && same b.cu a.hip && same b.cu.orig a.cu && clean .; }
ok "in place with a backup" in_place_suffix
in_place_short() { rm -f b.cu*; cp a.cu b.cu; run 0 -i~ b.cu && same b.cu a.hip && same b.cu~ a.cu; }
ok "in place, -iSUFFIX" in_place_short
untouched() {
    cp plain.cu p.cu && touch -d 2001-01-01 p.cu && chmod 444 p.cu
    run 0 -i.orig p.cu && same p.cu plain.cu && [ ! -e p.cu.orig ] && [ "$(stat -c %Y p.cu)" = "$(date -d 2001-01-01 +%s)" ]
}
ok "in place leaves what does not change" untouched
mode() { cp a.cu m.cu; chmod 640 m.cu; run 0 -i.o m.cu && [ "$(stat -c %a m.cu)" = 640 ] && [ "$(stat -c %a m.cu.o)" = 640 ]; }
ok "in place keeps the mode" mode
if $as_root; then
    owner() { cp a.cu o.cu; chown 12345:23456 o.cu; run 0 -i o.cu && [ "$(stat -c %u:%g o.cu)" = 12345:23456 ]; }
    ok "in place keeps the owner" owner
else
    skip "in place keeps the owner" "not root"
fi
symlinks() {
    mkdir -p real && cp a.cu real/s.cu && ln -s real/s.cu s.cu && ln -s s.cu s2.cu
    run 0 -i.orig s2.cu && [ -L s2.cu ] && [ -L s.cu ] && same real/s.cu a.hip && same real/s.cu.orig a.cu
}
ok "in place through symbolic links" symlinks
twice() { cp a.cu t.cu; rm -f t.cu.orig; ln -s t.cu t2.cu; run 0 -i.orig t.cu ./t.cu t2.cu && same t.cu a.hip && same t.cu.orig a.cu; }
ok "a file named twice keeps its backup" twice
hard() { cp a.cu h1.cu; ln h1.cu h2.cu; run 0 -i h1.cu h2.cu && same h1.cu a.hip && same h2.cu a.hip; }
ok "hard links are files of their own" hard
backup_is_input() { cp a.cu k.cu; cp plain.cu k.cu.orig; run 2 -i.orig k.cu k.cu.orig && same k.cu a.cu && same k.cu.orig plain.cu && has err "is an input too"; }
ok "a backup never overwrites an input" backup_is_input
others_done() { cp a.cu u.cu; cp a.cu v.cu; run 2 -i u.cu gone.cu v.cu && same u.cu a.hip && same v.cu a.hip && has err 'gone.cu: error'; }
ok "trouble with one file does not stop the others" others_done
many_backups() {
    mkdir many && for i in $(seq 60); do cp a.cu "many/$i.cu"; done
    run 0 -j 4 -i.orig many/*.cu && for i in $(seq 60); do same "many/$i.cu" a.hip && same "many/$i.cu.orig" a.cu || return; done
    clean many
}
ok "many files in place" many_backups

# -o
to_file() { run 0 -o x.hip a.cu && same x.hip a.hip && [ ! -s out ] && clean .; }
ok "-o" to_file
to_dash() { run 0 -o - a.cu && same out a.hip; }
ok "-o -" to_dash
to_link() { cp plain.cu lt; ln -s lt ll; run 0 -o ll a.cu && [ -L ll ] && same lt a.hip; }
ok "-o follows a symbolic link" to_link
new_mode() { (umask 027; run 0 -o n.hip a.cu) && [ "$(stat -c %a n.hip)" = 640 ]; }
ok "-o makes files by the umask" new_mode
no_folder() { run 2 -o none/x a.cu && has err 'none/x: error: cannot be written: No such file or directory'; }
ok "-o without its folder" no_folder
to_folder() { run 2 -o real a.cu && has err 'real: error: cannot be written: Is a directory'; }
ok "-o names a folder" to_folder
onto_input() { cp a.cu i.cu; run 2 -o "$1" i.cu && same i.cu a.cu && has err 'is an input too' && clean .; }
ok "-o names the input" onto_input i.cu
ok "-o names the input otherwise" onto_input ../"$(basename "$work")"/./i.cu
ln -s i.cu i-soft && cp a.cu i.cu && ln i.cu i-hard
ok "-o reaches the input by a symbolic link" onto_input i-soft
ok "-o reaches the input by a hard link" onto_input i-hard
to_null() { run 0 -o /dev/null a.cu && [ -c /dev/null ]; }
ok "-o to a device" to_null
to_fifo() { mkfifo fifo; cat fifo >fifo.out & run 0 -o fifo a.cu && wait && [ -p fifo ] && same fifo.out a.hip; }
ok "-o to a pipe" to_fifo
from_fifo() { cat a.cu >fifo & run 0 fifo && wait && same out a.hip; }
ok "read from a pipe" from_fifo

# --output-dir
mirror() { mkdir -p s/t && cp a.cu s/t/ && cp plain.cu s/ && run 0 --output-dir=d/e ./s//t/a.cu s/plain.cu && same d/e/s/t/a.cu a.hip && same d/e/s/plain.cu plain.cu && clean d; }
ok "--output-dir mirrors the paths" mirror
mirror_again() { touch -d 2001-01-01 d/e/s/t/a.cu; run 0 --output-dir=d/e s/t/a.cu && [ "$(stat -c %Y d/e/s/t/a.cu)" = "$(date -d 2001-01-01 +%s)" ]; }
ok "--output-dir leaves what is up to date" mirror_again
absolute() { run 0 --output-dir=abs "$work/a.cu" && same "abs$work/a.cu" a.hip; }
ok "--output-dir with an absolute name" absolute
dotdot() { run 2 --output-dir=s/out s/../a.cu plain.cu && has err "s/../a.cu: error: has no place below 's/out'" && same s/out/plain.cu plain.cu; }
ok "--output-dir never leads outside" dotdot
dot() { cp a.cu w.cu; run 2 --output-dir=. w.cu plain.cu && same w.cu a.cu && has err 'w.cu: error: is an input too' && has err 'plain.cu: error: is an input too'; }
ok "--output-dir=. does not overwrite the input" dot
other_input() { mkdir -p oi && cp plain.cu oi/y.cu && cp a.cu y.cu && run 2 --output-dir=oi y.cu oi/y.cu && same oi/y.cu plain.cu; }
ok "--output-dir does not overwrite another input" other_input
clash() { mkdir -p c1; run 2 --output-dir=c1 a.cu ./a.cu && same c1/a.cu a.hip && has err 'already the result of another file'; }
ok "--output-dir, two files at one place" clash
in_the_way() { mkdir -p iw && : >iw/s && run 2 --output-dir=iw s/t/a.cu plain.cu && has err 'iw/s/t/a.cu: error: cannot be written' && same iw/plain.cu plain.cu; }
ok "--output-dir, a file in a folder's place" in_the_way

# Names
# shellcheck disable=SC2016 # the name is what it looks like
odd_names() {
    local nl=$'new\nline.cu' latin=$'latin\xe9.cu'
    mkdir odd && cp a.cu "odd/two words.cu" && cp a.cu "odd/$nl" && cp a.cu "odd/$latin" && cp a.cu odd/-i && cp a.cu 'odd/$(touch oops).cu'
    (cd odd && run 0 -i -- *) && for f in odd/*; do case $f in */out | */err) ;; *) same "$f" a.hip || return ;; esac done && [ ! -e odd/oops ]
}
ok "odd names" odd_names
odd_messages() { run 2 $'gone\x1b[2J\n' && has err 'gone\x1B[2J\x0A: error'; }
ok "odd names in messages" odd_messages
long_name() { local n; n=$(printf '%0251d.cu' 0); cp a.cu "$n" && run 0 -i "$n" && same "$n" a.hip && clean .; }
ok "the longest name" long_name
list_lines() { cp a.cu l1.cu; cp a.cu 'l 2.cu'; printf 'l1.cu\n\nl 2.cu' >list; run 0 -i --files-from=list && same l1.cu a.hip && same 'l 2.cu' a.hip; }
ok "--files-from, lines" list_lines
list_nuls() { cp a.cu l1.cu; cp a.cu $'l\n2.cu'; printf 'l1.cu\0l\n2.cu\0' | run 0 -i --files-from=- && same l1.cu a.hip && same $'l\n2.cu' a.hip; }
ok "--files-from, NULs from standard input" list_nuls
list_both() { cp a.cu l1.cu; printf 'l1.cu\n' >list; run 1 -n plain.cu --files-from=list && has out plain.cu && has out l1.cu; }
ok "--files-from beside files" list_both
list_empty() { : >list; run 0 --files-from=list </dev/null && [ ! -s out ]; }
ok "--files-from, nothing in it" list_empty

# Trouble of the system
huge() { truncate -s 2G big.cu && run 2 -i big.cu l1.cu && has err 'big.cu: error: is too large' && [ "$(stat -c %s big.cu)" = 2147483648 ] && rm big.cu; }
if truncate -s 2G big.cu 2>/dev/null; then
    ok "a file of 2 GiB" huge
else
    skip "a file of 2 GiB" "the file system has no sparse files of that size"
fi
rm -f big.cu
if $can_drop; then
    chmod 755 "$work"
    mkdir perm && cp a.cu perm/ro.cu && cp a.cu perm/secret.cu && cp a.cu perm/fine.cu && cp a.cu perm/locked.cu
    $as_root && chown -R 65534:65534 perm
    chmod 000 perm/secret.cu
    chmod 444 perm/ro.cu
    unreadable() {
        as_user "$HIPWRIGHT" -i perm/secret.cu perm/ro.cu perm/fine.cu >out 2>err
        [ $? -eq 2 ] && has err 'perm/secret.cu: error: cannot be read: Permission denied' &&
            has err 'perm/ro.cu: error: cannot be written: Permission denied' &&
            same perm/fine.cu a.hip && same perm/ro.cu a.cu && [ "$(stat -c %s perm/secret.cu)" = "$(stat -c %s a.cu)" ]
    }
    ok "files without permission" unreadable
    renamed() {
        as_user "$HIPWRIGHT" -i --rename perm/ro.cu >out 2>err
        [ $? -eq 2 ] && has err 'perm/ro.cu: error: cannot be written: Permission denied' && same perm/ro.cu a.cu && [ ! -e perm/ro.hip ]
    }
    ok "a read-only file is not renamed" renamed
    locked() {
        chmod 555 perm
        as_user "$HIPWRIGHT" -i.o perm/locked.cu >out 2>err
        local status=$?
        chmod 755 perm
        [ $status -eq 2 ] && has err 'perm/locked.cu' && has err 'Permission denied' && same perm/locked.cu a.cu
    }
    ok "a folder without permission" locked
else
    skip "files without permission" "running as root, and setpriv does not work"
    skip "a read-only file is not renamed" "running as root, and setpriv does not work"
    skip "a folder without permission" "running as root, and setpriv does not work"
fi

# A full disk: a small file system of our own where we may mount one.
full_disk() {
    cp a.cu disk/f.cu && cp plain.cu disk/out.hip && { cat a.cu; head -c 40000 /dev/zero | tr '\0' '\n'; } >disk/g.cu
    dd if=/dev/zero of=disk/filler bs=4096 >/dev/null 2>&1
    cp disk/g.cu g.cu
    run 2 -i disk/g.cu && has err 'disk/g.cu: error: cannot be written: No space left on device' && same disk/g.cu g.cu && clean disk &&
        run 2 -o disk/out.hip g.cu && has err 'disk/out.hip: error' && same disk/out.hip plain.cu && clean disk
}
mkdir disk
if $as_root && mount -t tmpfs -o size=128k none disk 2>/dev/null; then
    trap 'cd / && umount "$work/disk" 2>/dev/null; rm -rf "$work"' EXIT
    ok "a full disk" full_disk
    read_only() { rm -f disk/filler; cp a.cu disk/r.cu; mount -o remount,ro disk; run 2 -i disk/r.cu a.cu.copy && has err 'disk/r.cu: error: cannot be written: Read-only file system' && same disk/r.cu a.cu; }
    ok "a read-only file system" read_only
else
    skip "a full disk" "no small file system can be mounted here"
    skip "a read-only file system" "no file system can be mounted here"
fi
full_device() { run 2 -o /dev/full a.cu && has err '/dev/full: error: cannot be written: No space left on device' && [ -c /dev/full ]; }
if [ -c /dev/full ]; then
    ok "a full device" full_device
else
    skip "a full device" "no /dev/full"
fi

nul() {
    printf '#include <cuda_runtime.h>\n#include <nvtx3/nvToolsExtCudaRt.h>\nvoid f(cudaStream_t s) { nvtxNameCudaStreamA(s /* a */, "x" /* b \0 c */); }\n' >nul.cu
    run 0 --annotate=none nul.cu && tail -n 1 out >last && printf 'void f(hipStream_t s) { roctxNameHipStream("x" /* b \0 c */, s /* a */); }\n' >want && same last want
}
ok "a NUL byte in what changes its place" nul

# A signal in the middle of a long run leaves whole files and no temporary ones.
interrupted() {
    mkdir sig && for i in $(seq 3000); do cp a.cu "sig/$i.cu"; done
    "$HIPWRIGHT" -q -i sig/*.cu 2>/dev/null &
    local pid=$!
    sleep 0.1
    kill -TERM $pid 2>/dev/null
    wait $pid 2>/dev/null
    local status=$?
    [ $status -eq 143 ] || [ $status -eq 0 ] || return 1
    clean sig && for f in sig/*.cu; do same "$f" a.cu >/dev/null || same "$f" a.hip || return; done
}
ok "a signal leaves whole files" interrupted
# Who forgets the file's name is told why nothing happens.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
    terminal_input() {
        printf 'int i;\n' | timeout 60 script -qec "'$HIPWRIGHT' check" /dev/null >seen && has seen 'no file is named, so standard input is read' &&
            printf 'int i;\n' | timeout 60 script -qec "'$HIPWRIGHT' check --quiet" /dev/null >seen && lacks seen 'standard input' &&
            run 0 check </dev/null && lacks err 'standard input is read'
    }
    ok "a terminal as standard input" terminal_input
else
    skip "a terminal as standard input" "no script(1)"
fi
finish
