#!/usr/bin/env bash
# A source tree, whole: what is taken, where it goes, that nothing is lost when a run is stopped.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

as_root=false
[ "$(id -u)" -eq 0 ] && as_root=true
as_user() {
    if $as_root; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}
can_drop=true
$as_root && ! { as_user "$HIPWRIGHT" --version; } >/dev/null 2>&1 && can_drop=false

same() { cmp -s "$1" "$2" || { echo "# $1 and $2 differ"; return 1; }; }
same_tree() {
    diff -rq "$@" >differences 2>&1 || { sed 's/^/# /' differences | head -n 5; return 1; }
}
# The files below DIR, hidden ones left out, as one line each.
list() { (cd "$1" && find . -name '.?*' -prune -o -type f -print0 | tr '\n\0' '?\n' | LC_ALL=C sort); }
files() { list "$1" | wc -l; }
# Nothing below DIR is younger than the file STAMP.
untouched() { [ -z "$(find "$1" -newer "$2" -type f)" ] || { find "$1" -newer "$2" | head -n 3; return 1; }; }

# ---- the tree: 2,000 files and more in 100 folders

make_tree() {
    mkdir "$1" && (cd "$1" && eval "mkdir -p d{0..9}/e{0..9}") &&
        awk -v root="$1" '
        function kernel(n) {
            return "// file " n "\n#include <cuda_runtime.h>\n#include \"k" n % 7 ".cuh\"\n" \
                "__global__ void kernel" n "(float *p, int n)\n{\n" \
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" \
                "    if (i < n)\n        p[i] *= " n ";\n}\n" \
                "int run" n "(int n)\n{\n    float *p;\n    cudaMalloc(&p, n * sizeof *p);\n" \
                "    kernel" n "<<<(n + 255) / 256, 256>>>(p, n);\n" \
                "    cudaDeviceSynchronize();\n    return cudaFree(p) == cudaSuccess;\n}\n"
        }
        BEGIN {
            for (n = 0; n < 2000; ++n) {
                dir = root "/d" int(n / 200) "/e" int(n / 20) % 10 "/"
                kind = n % 10
                if (kind < 4)
                    text = kernel(n)
                else if (kind == 4)
                    text = "#pragma once\n#include \"../e0/k0.cuh\"\ncudaError_t check" n "(cudaStream_t);\n"
                else if (kind == 5)
                    text = "#include <cuda.h>\nCUresult f" n "(CUdevice *d) { return cuDeviceGet(d, 0); }\n"
                else if (kind < 8)
                    text = "#pragma once\nint plain" n "();\n"
                else
                    text = "#include \"plain.h\"\nint plain" n "() { return " n "; }\n"
                name = dir (kind < 4 ? "k" n ".cu" : kind == 4 ? "k" int(n / 10) % 7 "_" n ".cuh" : \
                    kind == 5 ? "driver" n ".cpp" : kind < 8 ? "p" n ".h" : "p" n ".cc")
                if (n % 20 == 13)
                    gsub("\n", "\r\n", text)
                printf "%s", text >name
                close(name)
            }
            for (d = 0; d < 10; ++d)
                for (k = 0; k < 7; ++k) {
                    name = root "/d" d "/e0/k" k ".cuh"
                    print "#pragma once\n__device__ int helper" d k "(int);" >name
                    close(name)
                }
        }'
}
make_tree tree || exit 1
cd tree || exit 1
cuda_source 'd0/two words.cu'
cuda_source $'d0/new\nline.cu'
cuda_source $'d0/latin\xe9.cu'
cuda_source d0/-i.cu
printf '// caf\xe9\n#include <cuda_runtime.h>\nint f() { return cudaDeviceSynchronize(); } // \xe9\n' >d0/latin.cu
printf '\177ELF\0\1\2cudaMalloc' >d1/binary.h
printf 'no source, but cudaMalloc\n' >d1/notes.txt
mkdir d1/.hidden d1/build && cuda_source d1/.hidden/h.cu && cuda_source d1/build/generated.cu && cuda_source d1/.h.cu
ln -s .. d2/loop && ln -s ../d0/latin.cu d2/link.cu && ln -s /usr d2/outside && ln -s nowhere d2/dead.cu
mkfifo d2/fifo.cu
cd .. || exit 1
touch stamp

"$HIPWRIGHT" translate --jobs=1 --output-dir=one tree/ >out 2>messages
status=$?
translated() {
    [ $status -eq 0 ] && [ ! -s out ] && has messages 'files written, 0 up to date' &&
        untouched tree stamp && clean one && [ ! -e one/.hipwright.journal ]
}
ok "a tree is translated" translated
taken() {
    local f
    for f in 'd0/two words.cu' $'d0/new\nline.cu' $'d0/latin\xe9.cu' d0/-i.cu d0/latin.cu d3/e4/k680.cu d2/link.cu; do
        "$HIPWRIGHT" -q "tree/$f" >want 2>/dev/null && same "one/$f" want || return
    done
    for f in d1/binary.h d3/e4/p686.h; do same "one/$f" "tree/$f" || return; done
    for f in d1/notes.txt d1/.hidden d1/.h.cu d2/loop d2/outside d2/dead.cu d2/fifo.cu; do
        [ ! -e "one/$f" ] || { echo "# $f"; return 1; }
    done
    [ "$(files one)" -eq 2078 ] || { files one; return 1; }
}
ok "sources are taken, whatever their names; links are not followed" taken
jobs_agree() {
    "$HIPWRIGHT" translate --jobs=2 --output-dir=two tree/ >out 2>messages.2 && same messages messages.2 && same_tree one two
}
ok "the same with 1 and 2 jobs" jobs_agree

# ---- again

again() {
    sleep 0.02 && touch again && run 0 --output-dir=one tree/ && has err 'nothing to write, 2078 up to date' && untouched one again
}
ok "a second run writes nothing and says so" again
one_changed() {
    cuda_source tree/d3/e4/k680.cu && sleep 0.02 && touch changed && run 0 --output-dir=one tree/ && has err '1 file written, 2077 up to date' &&
        [ "$(find one -newer changed -type f ! -name '.*')" = one/d3/e4/k680.cu ]
}
ok "only what changes is written" one_changed
record_checks() {
    (cd one && awk -F '\t' 'NF == 5 && $4 !~ /\\/ { print $1 "  " $4 }' .hipwright.record | sha256sum --quiet -c) &&
        [ "$(awk -F '\t' 'NF == 5' one/.hipwright.record | wc -l)" -eq 2078 ] &&
        awk -F '\t' 'NF == 5 { print $4 }' one/.hipwright.record | LC_ALL=C sort -c &&
        has one/.hipwright.record $'d0/new\\x0Aline.cu\t../tree/d0/new\\x0Aline.cu' && has one/.hipwright.record 'd0/latin\xE9.cu'
}
ok "the record says what was written" record_checks
edited() {
    echo '// by hand' >>one/d4/e4/k880.cu && cp one/d4/e4/k880.cu hand
    run 0 --output-dir=one tree/ && same one/d4/e4/k880.cu hand && has err 'one/d4/e4/k880.cu: note: was edited since it was written' &&
        has err '1 left alone because it was edited'
}
ok "what was edited is left alone" edited
edited_twice() {
    sed -i 's/file 880/880, changed/' tree/d4/e4/k880.cu
    for _ in 1 2; do
        run 0 --output-dir=one tree/ && same one/d4/e4/k880.cu hand && has err "one/d4/e4/k880.cu: warning: was edited since it was written, and 'tree/d4/e4/k880.cu' has changed" || return
    done
}
ok "what was edited is left alone where its source changed, too" edited_twice
forced() { run 0 --output-dir=one --force tree/ && has one/d4/e4/k880.cu '880, changed' && lacks one/d4/e4/k880.cu 'by hand' && run 0 --output-dir=one tree/ && has err 'nothing to write'; }
ok "--force overwrites it" forced
foreign() {
    mkdir -p foreign/d0 && plain_source foreign/d0/latin.cu && cp foreign/d0/latin.cu hand
    run 2 --output-dir=foreign tree/ && same foreign/d0/latin.cu hand && has err 'foreign/d0/latin.cu: error: is there already and not from hipwright' &&
        [ "$(files foreign)" -eq 2078 ] && run 0 --output-dir=foreign --force tree/ && same_tree -x '.*' foreign one
}
ok "what is not from hipwright is left alone" foreign
gone() {
    rm tree/d5/e5/k1100.cu && run 0 --output-dir=one tree/ && has err "one/d5/e5/k1100.cu: warning: its source 'tree/d5/e5/k1100.cu' is gone" &&
        rm one/d5/e5/k1100.cu && run 0 --output-dir=one tree/ && lacks err gone && lacks one/.hipwright.record k1100
}
ok "an output without source is told" gone
part() {
    run 0 --output-dir=parts tree/d6 && run 0 --output-dir=parts tree/d7/e0 && lacks err gone && has parts/.hipwright.record $'\ttree/d6/e6/k1320.cu\t' &&
        run 0 --output-dir=parts tree/d7 && lacks err gone && has err ' 27 up to date'
}
ok "a run of one part leaves the others alone" part
together() {
    local d status=0 pids=()
    rm -rf parts && "$HIPWRIGHT" -q --output-dir=parts tree/d0 2>/dev/null
    for d in tree/d6/e0 tree/d6/e1 tree/d6/e2 tree/d7/e0 tree/d7/e1/; do
        "$HIPWRIGHT" -q --output-dir=parts "$d" >"$(basename "$d").together" 2>&1 &
        pids+=($!)
    done
    for d in "${pids[@]}"; do wait "$d" || status=$?; done
    [ $status -eq 0 ] && [ "$(awk -F '\t' 'NF == 5' parts/.hipwright.record | wc -l)" -eq "$(files parts)" ] && clean parts && [ ! -e parts/.hipwright.journal ] &&
        run 0 --output-dir=parts tree/d6 && has err ', 67 up to date'
}
ok "runs into one folder at once" together
damaged() {
    local before
    before=$(cksum <one/.hipwright.record)
    cp one/.hipwright.record keep
    for change in '7s/^./x/' '9s/\t[^\t]*$//' '3d;5p' '1s/1/2/' '6s|\td|\t../d|' '$s/...$/\\x4/'; do
        sed "$change" keep >one/.hipwright.record && cuda_source tree/d0/latin.cu && touch stamp
        run 2 --output-dir=one tree/ && grep -q 'one/.hipwright.record:[0-9]*: error: the record is damaged' err && untouched one stamp || {
            echo "# $change"
            return 1
        }
    done
    head -c -20 keep >one/.hipwright.record && run 2 --output-dir=one tree/ && has err '.hipwright.record:2080: error'
    cp keep one/.hipwright.record
    [ "$(cksum <one/.hipwright.record)" = "$before" ] && run 0 --output-dir=one tree/ && has err '2 files written'
}
ok "a damaged record stops the run before it writes" damaged

# ---- paths

plain_source out_of_tree.h
placed() { # ARGUMENT WHERE
    rm -rf placed && run 0 --output-dir=placed "$1" && [ -e "placed/$2" ] || { find placed | head -n 3; return 1; }
}
ok "FOLDER/ gives its files their paths in it" placed tree/d3/ e4/p686.h
ok "FOLDER keeps its own path" placed tree/d3 tree/d3/e4/p686.h
ok "./FOLDER too" placed ./tree//d3 tree/d3/e4/p686.h
ok "what comes up to .. is left out" placed ./one/../tree/d3 tree/d3/e4/p686.h
ok "A folder above" placed "../$(basename "$work")/tree/d3" "$(basename "$work")/tree/d3/e4/p686.h"
ok "an absolute folder" placed "$work/tree/d3" "${work#/}/tree/d3/e4/p686.h"
dot() { (cd tree/d3 && run 0 --output-dir=../../placed . && run 0 check .) && rm -f tree/d3/out tree/d3/err && [ -e placed/e4/p686.h ]; }
rm -rf placed
ok "the working folder" dot
inside() { cp -r tree/d3 nest && run 0 --output-dir=nest/hip nest/ && run 0 --output-dir=nest/hip nest/ && has err 'nothing to write' && [ ! -e nest/hip/hip ]; }
ok "an output folder inside is no input" inside
# The folder that is written into is that of the inputs, or holds it.
around() {
    mkdir -p around/s around/t && cuda_source around/s/k.cu && cuda_source around/t/k.cu && (
        cd around && for _ in 1 2; do run 0 --output-dir=s s && run 0 --rename --output-dir=. t && run 0 --rename --output-dir=. t/* || exit; done
        [ "$(list .)" = $'./err\n./out\n./s/k.cu\n./s/s/k.cu\n./t/k.cu\n./t/k.hip' ] || { list .; exit 1; }
    )
}
ok "what an earlier run wrote is no input" around
blocked() {
    local at
    mkdir gate && cuda_source gate/k.cu || return
    for at in .hipwright.record .hipwright.journal gate/k.cu; do
        for kind in mkfifo mkdir; do
            rm -rf blocked && mkdir -p blocked/gate && $kind "blocked/$at" && timeout 20 "$HIPWRIGHT" -q --output-dir=blocked gate 2>err
            [ $? -eq 2 ] && has err "blocked/$at: error: is " || { echo "# $kind $at"; return 1; }
        done
    done
    [ "$(list blocked)" = '' ]
}
ok "pipes and folders where files are to be" blocked
inside_git() {
    mkdir -p around-git/sub && cuda_source around-git/sub/k.cu && cuda_source around-git/k.cu && (
        cd around-git && git init -q && for _ in 1 2; do
            run 0 --output-dir=sub/hip . && [ "$(list sub/hip)" = $'./k.cu\n./sub/k.cu' ] || { list sub/hip; exit 1; }
        done
    )
}
if command -v git >/dev/null; then
    ok "neither in a git repository" inside_git
fi
overlap() { run 0 --output-dir=overlap tree/d3/e4/k680.cu tree/d3 tree tree/d3/e4 && [ "$(files overlap)" -eq "$(files one)" ]; }
ok "what is named twice is taken once" overlap
usage() { run 2 -q check tree && has err 'check: error: is neither a command nor a file' && run 2 tree && has err "a folder needs '--output-dir'" && run 2 -o x tree && run 2 --rename tree && run 2 --force -i tree/d3 && has err "'--force' needs"; }
ok "a folder needs a place for its results" usage
nothing() { mkdir empty && run 0 check empty && has err 'empty: warning: no C, C++ or CUDA source in this folder'; }
ok "a folder without sources" nothing
dry() { touch stamp && run 1 -n tree && has out 'tree/d3/e4/k681.cu: note: would change' && lacks out p686.h && run 1 --diff tree && has out '+++ ' && untouched tree stamp; }
ok "--dry-run and --diff of a tree" dry
# It says of --output-dir what a run would do now, and does nothing.
foretold() {
    mkdir foretold && cuda_source foretold/a.cu && cuda_source foretold/b.cu && echo 'int x;' >foretold/c.h && run 1 -n --output-dir=told foretold/ &&
        has out 'told/a.cu: note: would be written' && has out 'told/c.h: note: would be written' && has err '3 files would be written, 0 up to date' && [ ! -e told ] || return
    run 0 --output-dir=told foretold/ && run 0 -n --output-dir=told foretold/ && [ ! -s out ] && has err 'nothing to write, 3 up to date' || return
    echo '// more' >>foretold/a.cu && echo '// mine' >>told/b.cu && rm told/c.h && cp -r told told.before && run 1 -n --output-dir=told foretold/ &&
        has out 'told/a.cu: note: would be written' && has out told/c.h && lacks out told/b.cu && has err 'told/b.cu: note: was edited' && has err '2 files would be written, 0 up to date, 1 left alone' && diff -r told told.before || return
    run 1 -q -n --output-dir=told foretold/ && [ ! -s out ] && [ ! -s err ] && run 1 --force -n --output-dir=told foretold/ && has err '3 files would' && diff -r told told.before || return
    echo mine >told/d.cu && cuda_source foretold/d.cu && run 2 -n --output-dir=told foretold/ && has err 'not from hipwright' && has out told/a.cu || return
    run 2 -n --output-dir=. foretold/a.cu && has err 'is an input too'
}
ok "--dry-run with --output-dir" foretold
check_tree() {
    run 0 check --jobs=1 tree && cp out o1 && cp err e1 && run 0 check --jobs=2 tree && same out o1 && same err e1 &&
        run 0 check --format=json tree && has out '"skipped": []'
}
ok "check of a tree" check_tree
excluded() {
    rm -rf placed && run 0 --output-dir=placed --exclude='*.cuh' --exclude=e4 --exclude=tree/d5 --exclude='d6/e[0-8]/' --exclude='/d7/*' tree &&
        list placed/tree >got && list tree | grep -v -e '\.cuh$' -e '/e4/' -e '^./d5/' -e '^./d6/e[0-8]' -e '^./d7/' -e notes.txt -e differences >want &&
        lacks got '.cuh' && lacks got /e4/ && lacks got ./d5/ && lacks got ./d6/e3/ && has got ./d6/e9/ && lacks got ./d7/ && has got ./d3/e5/
}
ok "--exclude" excluded
configured() { printf 'exclude = e4, *.cuh\n' >tree/.hipwright.ini; (cd tree && "$HIPWRIGHT" -n . >../got 2>/dev/null); rm tree/.hipwright.ini; lacks got /e4/ && lacks got .cuh && has got /e5/; }
ok "exclude in the configuration" configured

stripped() {
    run 0 --output-dir=marked --fix=unsafe --launch=function tree/d3 && cp -a marked/tree/d3 strip && printf '// hipwright: TODO: x\nint x;\n' >strip/m.h && printf '// hipwright: TODO: x\nint x;\n' >strip/m.txt &&
        run 0 strip -i strip && [ "$(cat strip/m.h)" = 'int x;' ] && has strip/m.txt TODO && has err '1 file written' && run 0 strip -i strip && has err 'nothing to write'
}
ok "strip takes a folder" stripped

# ---- the progress line

if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
    cuda_source line.cu && mkfifo slow.cu
    # terminal OPTION...: what a terminal gets to see of a run that waits a second for its second file.
    terminal() {
        { sleep 1; cat line.cu; } >slow.cu &
        TERM=xterm script -qec "'$HIPWRIGHT' check $* tree/d3/e4/k681.cu slow.cu line.cu" /dev/null >seen </dev/null
        wait
    }
    line() {
        terminal && grep -qaF $'\r\e[Khipwright: 2 of 3 files, ' seen && grep -qa $'[0-9] finding.*\r\e\[K' seen && terminal --quiet && lacks seen 'of 3 files' &&
            { { sleep 1; cat line.cu; } >slow.cu & } && run 0 check slow.cu line.cu && wait && lacks err 'of 2 files' && lacks out 'of 2 files'
    }
    ok "the progress line is for terminals" line
else
    skip "the progress line is for terminals" "no script(1)"
fi

# ---- in place, and other names; in a part of the tree, since every original is brought to the disk

mkdir part && cp -a tree/d2 tree/d3/e4 part/ && rm part/d2/loop && cp 'tree/d0/two words.cu' tree/d0/latin.cu part/

in_place() {
    cp -a part place && run 0 --in-place=.orig place && same place/e4/k682.cu one/d3/e4/k682.cu &&
        same place/e4/k682.cu.orig part/e4/k682.cu && [ ! -e place/e4/p686.h.orig ] && [ -L place/d2/link.cu ] &&
        touch again && sleep 0.02 && run 0 --in-place=.orig place && has err 'nothing to write' && untouched place again
}
ok "a tree in place" in_place
# Every quoted include of DIR names a file that is there, or one that is not there in the original either.
includes_hold() {
    local bad
    bad=$(cd "$1" && grep -rn '^#include ".*\.cuh"' . | head -n 3)
    [ -z "$bad" ] || { echo "# $bad"; return 1; }
}
renamed() {
    run 0 --rename --output-dir=renamed tree/ && [ -z "$(find renamed -name '*.cu' -o -name '*.cuh')" ] &&
        [ "$(files renamed)" -eq "$(files one)" ] && includes_hold renamed && has renamed/d3/e0/k601.hip '#include "k6.hip.h"' &&
        has renamed/d3/e4/k5_684.hip.h '#include "../e0/k0.hip.h"'
}
ok "--rename: includes follow" renamed
renamed_place() {
    cp -a part rp && run 0 --rename -i rp && run 0 --rename --output-dir=rp.out part/ && rm -f rp.out/d2/link.hip rp/d2/{link,dead,fifo}.cu rp/d2/outside &&
        same_tree -x '.*' rp rp.out && [ ! -e rp/e4/k682.cu ] && [ -e rp/e4/k682.hip ] && run 0 --rename -i rp && has err 'nothing to write'
}
ok "--rename in place" renamed_place
across() {
    mkdir -p ac/include/k ac/src && printf '#pragma once\n__device__ int f();\n' >ac/include/k/f.cuh && cp ac/include/k/f.cuh ac/g.cuh &&
        printf '#include "k/f.cuh"\n#include "../g.cuh"\n#include <k/f.cuh>\n#include <cub/cub.cuh>\n#include "none.cuh"\n#include "excluded/x.cuh"\n#if __has_include("../g.cuh")\n#define F "k/f.cuh" // f.cuh\n#include F\n#endif\nint x;\n' >ac/src/a.cpp &&
        mkdir ac/src/excluded && printf 'int y;\n' >ac/src/excluded/x.cuh && run 0 --rename --exclude=excluded --output-dir=ac.out ac/ &&
        printf '#include <hip/hip_runtime.h>\n#include "k/f.hip.h"\n#include "../g.hip.h"\n#include <k/f.hip.h>\n#include <hipcub/hipcub.hpp>\n#include "none.cuh"\n#include "excluded/x.cuh"\n#if __has_include("../g.hip.h")\n#define F "k/f.hip.h" // f.cuh\n#include F\n#endif\nint x;\n' >want &&
        same ac.out/src/a.cpp want
}
ok "--rename: includes across folders" across
in_the_way() { mkdir way && cuda_source way/a.cu && plain_source way/a.hip && cp way/a.cu want && run 2 -i --rename way && has err "'way/a.hip' is there already" && same way/a.cu want; }
ok "--rename overwrites nothing" in_the_way

# ---- git

if command -v git >/dev/null; then
    git_tree() {
        export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
        cp -a tree repo && rm -rf repo/d2/loop && git -C repo init -q && printf 'build/\n*.tmp.cu\nd9/e9/\n' >repo/.gitignore &&
            cuda_source repo/d0/x.tmp.cu && cuda_source repo/d9/e9/tracked.cu && git -C repo add -f d9/e9/tracked.cu d0 &&
            git -C repo rm -q --cached d0/x.tmp.cu && mkdir -p repo/sub && git -C repo/sub init -q && cuda_source repo/sub/n.cu &&
            cuda_source repo/sub/ignored.cu && printf 'ignored.cu\n' >repo/sub/.gitignore && mkdir repo/deleted && cuda_source repo/deleted/d.cu &&
            git -C repo add deleted && rm repo/deleted/d.cu
    }
    ignored() {
        git_tree && run 0 --output-dir=git.out repo/ && list git.out >got && lacks got build && lacks got tmp.cu && has got d9/e9/tracked.cu &&
            [ "$(grep -c d9/e9/ got)" -eq 1 ] && has got sub/n.cu && lacks got sub/ignored && has got d9/e8/ && has got 'd0/new?line.cu'
    }
    ok "git says what is ignored" ignored
    hook_environment() { GIT_DIR=/nowhere GIT_INDEX_FILE=/nowhere/index GIT_WORK_TREE=/nowhere GIT_TRACE=1 GIT_TRACE_SETUP=1 run 0 -q --output-dir=git.out2 repo/ && same_tree -x '.*' git.out git.out2; }
    ok "git's hooks do not disturb it" hook_environment
    # A repository that names programs: of a file system's monitor, and to fetch what is not there.
    hostile_git() {
        local gone
        mkdir -p hostile/in hostile/out && cuda_source hostile/in/k.cu && cuda_source hostile/out/o.cu && (
            cd hostile && git init -q && git add . && git -c user.name=a -c user.email=a@example.org commit -qm x && gone=$(git rev-parse HEAD:out) &&
                git sparse-checkout init --cone --sparse-index && git sparse-checkout set in && rm -f ".git/objects/${gone%"${gone#??}"}/${gone#??}" &&
                printf '#!/bin/sh\n: >"%s/pwned"\n' "$work" >.git/run && chmod +x .git/run && git config core.fsmonitor "$PWD/.git/run" &&
                git config remote.o.promisor true && git config remote.o.url /nowhere && git config remote.o.uploadpack "$PWD/.git/run" &&
                git config extensions.partialClone o && git config core.repositoryformatversion 1
        ) 2>/dev/null
        "$HIPWRIGHT" -n hostile >out 2>err
        has out 'hostile/in/k.cu: note: would change' && [ ! -e pwned ]
    }
    ok "git runs no program that a repository names" hostile_git
    named_ignored() { mkdir -p repo/d1/build && cuda_source repo/d1/build/y.cu && run 1 -n repo/d1/build && has out y.cu; }
    ok "an ignored folder that is named is taken" named_ignored
    # Of folders that share a repository git is asked once, and says the same as of each.
    several() {
        local real f folders=(repo/d0 repo/d1/ repo/d1/build repo/sub 'repo/d9/../d8' repo/d9/e9 repo/deleted other)
        real=$(command -v git) && mkdir -p asked other && git -C other init -q && cuda_source other/o.cu && ln -s repo/d7 d7 &&
            printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$work/asked/log" "$real" >asked/git && chmod +x asked/git
        for f in "${folders[@]}" d7; do
            "$HIPWRIGHT" -n "$f" 2>/dev/null
        done | LC_ALL=C sort -u >want
        PATH=$work/asked:$PATH run 1 -n "${folders[@]}" d7 && LC_ALL=C sort -u out | cmp - want && lacks err git: || return
        has asked/log ' d0 d1 ' && [ "$(grep -c ls-files asked/log)" -eq 3 ] && has out build/y.cu && lacks out sub/ignored && lacks out tmp.cu && has out other/o.cu && has out d7/e
    }
    ok "folders of one repository" several
    without_git() { mkdir -p nogit && PATH=$work/nogit run 1 -n repo/d1 && has err 'git cannot be run' && has out build/y.cu; }
    ok "without git, what it ignores is taken, too" without_git
else
    for name in "git says what is ignored" "git's hooks do not disturb it" "git runs no program that a repository names" "an ignored folder that is named is taken" "folders of one repository" "without git, what it ignores is taken, too"; do
        skip "$name" "no git"
    done
fi

# ---- trouble

if $can_drop; then
    unreadable() {
        chmod 755 "$work" && mkdir -p locked/no locked/yes && cuda_source locked/no/a.cu && cuda_source locked/yes/b.cu && cuda_source locked/c.cu
        chmod 000 locked/no locked/c.cu && mkdir -m 777 locked.out
        as_user "$HIPWRIGHT" --output-dir=locked.out locked/ >out 2>err
        local status=$?
        chmod 755 locked/no
        [ $status -eq 2 ] && has err 'locked/no: error: cannot be read: Permission denied' && has err 'locked/c.cu: error: cannot be read: Permission denied' && [ -s locked.out/yes/b.cu ]
    }
    ok "what cannot be read is told, and the rest is done" unreadable
else
    skip "what cannot be read is told, and the rest is done" "running as root, and setpriv does not work"
fi

full() {
    mkdir disk/src && cp -r tree/d3 disk/src/ && (cd disk/src/d3 && find . -type f -exec cksum {} + | sort) >before
    dd if=/dev/zero of=disk/filler bs=4096 >/dev/null 2>&1
    rm -f disk/src/d3/e0/p609.h
    local status
    "$HIPWRIGHT" --output-dir=disk/out disk/src/ >out 2>err
    status=$?
    [ $status -eq 2 ] && has err 'No space left on device' && clean disk || return
    (cd disk/src/d3 && find . -type f -exec cksum {} + | sort) >after
    grep -v e0/p609.h before | cmp -s - after || return
    # Whatever was written is whole.
    (cd disk/out 2>/dev/null && find . -type f ! -name '.*') >written
    while read -r f; do cmp -s "disk/out/$f" "one/${f#./}" || { echo "# $f"; return 1; }; done <written
    "$HIPWRIGHT" -i disk/src/ >out 2>err
    [ $? -eq 2 ] && clean disk || return
    rm disk/filler && run 0 --output-dir=disk/out disk/src/ && clean disk && [ ! -e disk/out/.hipwright.journal ]
}
mkdir disk
if $as_root && mount -t tmpfs -o size=4m none disk 2>/dev/null; then
    trap 'cd / && umount "$work/disk" 2>/dev/null; chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT
    ok "a full file system" full
    umount disk
else
    skip "a full file system" "no small file system can be mounted here"
fi

# ---- stopped runs

# A part of the tree, and two ways to translate it, so that every run has everything to write; what is
# in the output folder must always be one of the two, whole.
rm -rf part && mkdir part && cp -a tree/d[0-2] part/ && rm part/d2/loop
ways=("" --launch=function)
"$HIPWRIGHT" -q --output-dir=way.0 part/ 2>/dev/null
"$HIPWRIGHT" -q --launch=function --output-dir=way.1 part/ 2>/dev/null
rm -f way.[01]/.hipwright.record
whole() { # DIR
    diff -rq -x '.*' way.0 "$1" 2>/dev/null | sed -n 's/ and .* differ$//p' >differ.0
    diff -rq -x '.*' way.1 "$1" 2>/dev/null | sed -n 's/ and .* differ$//p' | sed 's/way\.1/way.0/' >differ.1
    ! grep -qxFf differ.0 differ.1 2>/dev/null || [ ! -s differ.0 ]
}
# stop SIGNAL STATUS: runs that are stopped after times spread over that of a whole run, until 50 were.
# Where one is done before, they were meant for a slower machine, and get shorter.
stop() {
    local signal=$1 want=$2 begin time status stopped=0 i
    begin=$(date +%s%N)
    "$HIPWRIGHT" -q --output-dir=killed part/ 2>/dev/null
    time=$(($(date +%s%N) - begin))
    for ((i = 0; stopped < 50 && i < 200; ++i)); do
        timeout --preserve-status -s "$signal" "$(awk -v i="$i" -v t="$time" 'BEGIN { print 0.002 + (i * 37 % 50) / 50 * t / 1e9 }')" \
            "$HIPWRIGHT" -q ${ways[i % 2 ^ 1]} --output-dir=killed part/ >/dev/null 2>err
        status=$?
        case $status in
        "$want") stopped=$((stopped + 1)) ;;
        0) time=$((time * 7 / 8)) ;;
        *) echo "# status $status"; return 1 ;;
        esac
        [ $((i % 10)) -ne 9 ] || whole killed || { echo "# run $i"; return 1; }
    done 2>/dev/null
    [ $stopped -eq 50 ] || { echo "# only $stopped runs were stopped"; return 1; }
    whole killed && run 0 --output-dir=killed part/ && same_tree -x '.*' killed way.0 && clean killed && [ ! -e killed/.hipwright.journal ] &&
        run 0 --output-dir=killed part/ && has err 'nothing to write'
}
ok "50 runs stopped by SIGINT" stop INT 130
ok "50 runs stopped by SIGKILL" stop KILL 137
# In place there is nothing to say what is whose; a file is CUDA or HIP, whole.
stop_in_place() {
    local i
    cp -a part sp
    for i in {1..10}; do
        timeout -s KILL "0.0$((i * 7 % 10 + 1))" "$HIPWRIGHT" -q -i sp >/dev/null 2>&1
    done 2>/dev/null
    diff -rq -x '.*' sp part 2>/dev/null | grep '^Files' | sed 's/ and .*//; s/^Files sp/way.0/' >changed
    diff -rq -x '.*' sp way.0 2>/dev/null | grep '^Files' | sed 's/ and .*//; s/^Files sp/way.0/' >left
    ! grep -qxFf changed left && run 0 -i sp && clean sp && run 0 -i sp && has err 'nothing to write'
}
ok "runs in place stopped by SIGKILL" stop_in_place
finish
