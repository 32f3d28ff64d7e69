#!/usr/bin/env bash
# The configuration: where it is found, what it may say, and what it must not be able to do.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

launch_source() {
    printf '__global__ void k(int *);\nvoid f(int *p)\n{\n    k<<<1, 2>>>(p);\n    cudaFree(p);\n    cudaOwn(p);\n}\n' >"$1"
}
config() { # FILE LINE...
    local file=$1
    shift
    printf '%s\n' "$@" >"$file"
}
own_map() { printf '%%source own\ncudaOwn\tfunction\t%s\t-\t-\t-\t-\t-\n' "$1"; }

mkdir -p tree/a/deep tree/b other
for d in tree/a tree/a/deep tree/b other; do launch_source $d/k.cu; done
config tree/a/.hipwright.ini '; the chevrons go' 'launch = function'

# bad TEXT LINE...: a configuration of these lines is refused with TEXT, and nothing is done.
bad() {
    local text=$1
    shift
    config other/.hipwright.ini "$@"
    run 2 other/k.cu && has err "$text" && [ ! -s out ]
    local res=$?
    rm -f other/.hipwright.ini
    return $res
}

nearest() {
    run 0 tree/a/k.cu && has out 'hipLaunchKernelGGL' && run 0 tree/b/k.cu && has out '<<<1, 2>>>'
}
ok "the nearest configuration" nearest
upwards() { run 0 tree/a/deep/k.cu && has out hipLaunchKernelGGL; }
ok "upwards from the input" upwards
each_its_own() {
    run 0 -q --output-dir=o1 tree/a/k.cu tree/b/k.cu tree/a/deep/k.cu other/k.cu &&
        has o1/tree/a/k.cu hipLaunchKernelGGL && has o1/tree/a/deep/k.cu hipLaunchKernelGGL &&
        has o1/tree/b/k.cu '<<<' && has o1/other/k.cu '<<<'
}
ok "each input has its own" each_its_own
nearer() {
    config tree/a/deep/.hipwright.ini 'launch: chevron' && run 0 tree/a/deep/k.cu && has out '<<<' &&
        rm tree/a/deep/.hipwright.ini
}
ok "a nearer one replaces the one above" nearer
from_inside() {
    (cd tree/a && run 0 k.cu && has out hipLaunchKernelGGL && run 0 ./k.cu && has out hipLaunchKernelGGL &&
        run 0 ../b/k.cu && has out '<<<' && cd deep && run 0 ../k.cu && has out hipLaunchKernelGGL)
}
ok "relative names" from_inside
on_stdin() { (cd tree/a && "$HIPWRIGHT" <k.cu >out 2>err && has out hipLaunchKernelGGL); }
ok "standard input has that of the working folder" on_stdin
through_link() { ln -s tree/a linked && run 0 linked/deep/k.cu && has out hipLaunchKernelGGL; }
ok "a folder reached by a link" through_link
overridden() { run 0 --launch=chevron tree/a/k.cu && has out '<<<'; }
ok "the command line is on top" overridden
none() { run 0 --no-config tree/a/k.cu && has out '<<<'; }
ok "--no-config" none
given() {
    run 0 --config=tree/a/.hipwright.ini tree/b/k.cu && has out hipLaunchKernelGGL &&
        config chevron.ini 'launch = chevron' && run 0 --config=chevron.ini tree/a/k.cu && has out '<<<'
}
ok "--config" given
last_counts() {
    run 0 --config=gone --no-config tree/a/k.cu && has out '<<<' &&
        run 0 --no-config --config=tree/a/.hipwright.ini tree/b/k.cu && has out hipLaunchKernelGGL
}
ok "of --config and --no-config the last counts" last_counts
ok "--config names no file" run 2 --config=gone tree/b/k.cu
help_in_spite() { (cd other && config .hipwright.ini nonsense && run 0 --help && run 0 --version && run 2 k.cu; res=$?; rm .hipwright.ini; exit $res); }
ok "--help in spite of a bad one" help_in_spite

# Several values, comments, blank lines, CRLF, a BOM.
rules() {
    run 1 check --fail-on=error other/k.cu || return
    rm -f other/.hipwright.ini
    config other/.hipwright.ini "$@"
    run 0 check --fail-on=note other/k.cu
    local res=$?
    rm -f other/.hipwright.ini
    return $res
}
printf '#include <NvInfer.h>\nvoid f()\n{\n    cudaGetDriverEntryPointByVersion(0, 0, 0, 0, 0);\n}\n' >other/k.cu
all_rules=$("$HIPWRIGHT" check --format=json other/k.cu | grep -o '"rule": "[^"]*"' | cut -d '"' -f 4 | sort -u)
first=$(head -n 1 <<<"$all_rules")
ok "rules that the tests can switch off" [ "$(wc -l <<<"$all_rules")" -gt 1 ]
ok "values with commas" rules "disable = $(tr '\n' ',' <<<"$all_rules" | sed 's/,$//; s/,/ , /')"
# shellcheck disable=SC2046,SC2086 # a list of words
ok "a key several times" rules $(printf 'disable=%s ' $all_rules)
indented() { rules "disable = $first" "$(tail -n +2 <<<"$all_rules" | sed 's/^/ /')"; }
ok "further lines" indented
overrule() {
    config other/.hipwright.ini "disable = ${first%%-*}"
    run 1 check --fail-on=note other/k.cu && lacks out "[$first]" && run 1 check --enable="$first" --fail-on=note other/k.cu && has out "[$first]"
    local res=$?
    rm -f other/.hipwright.ini
    return $res
}
ok "--enable on top of disable" overrule
odd_form() {
    printf '\357\273\277# a comment\r\n\r\nlaunch = function ; why\r\n' >other/.hipwright.ini
    launch_source other/k.cu && run 0 other/k.cu && has out hipLaunchKernelGGL
    local res=$?
    rm -f other/.hipwright.ini
    return $res
}
ok "byte order mark, CRLF and comments" odd_form
empty_file() { : >other/.hipwright.ini && run 0 other/k.cu && rm other/.hipwright.ini; }
ok "an empty one" empty_file
fails() {
    printf 'void f() { cudaGetDriverEntryPointByVersion(0, 0, 0, 0, 0); }\n' >tree/b/f.cu
    run 1 check --fail-on=note tree/b/f.cu && run 0 check --fail-on=never tree/b/f.cu &&
        config tree/b/.hipwright.ini 'fail-on = never' && run 0 check tree/b/f.cu &&
        cp tree/b/f.cu other/f.cu && run 1 check --fail-on=note other/f.cu tree/b/k.cu &&
        config tree/b/.hipwright.ini 'fail-on = note' && run 1 translate -n tree/b/f.cu &&
        run 1 check tree/b/f.cu && run 0 check --fail-on=never tree/b/f.cu && rm tree/b/.hipwright.ini
}
ok "fail-on of each input" fails
of_the_run() {
    (cd tree/b && config .hipwright.ini 'quiet = yes' 'format = json' 'jobs=1' 'color = never' 'verbose = no' &&
        run 0 check --fail-on=never k.cu && has out '"findings"' && [ ! -s err ] &&
        run 0 lookup cudaMalloc && has out '"results"' &&
        run 0 lookup --format=text cudaMalloc && lacks out '"results"' && run 0 k.cu && lacks out '{"version"'
        res=$?
        rm .hipwright.ini
        exit $res)
}
ok "what concerns the run" of_the_run
not_of_elsewhere() {
    config tree/b/.hipwright.ini 'format = json' && run 0 check --fail-on=never tree/b/k.cu &&
        lacks out '"findings"' && rm tree/b/.hipwright.ini
}
ok "the run does not follow an input's" not_of_elsewhere

# Maps.
maps() {
    mkdir -p tree/b/maps && own_map hipFromB >tree/b/maps/own.map && own_map hipFromA >tree/a/own.map &&
        config tree/b/.hipwright.ini 'map = maps/own.map' &&
        config tree/a/.hipwright.ini 'launch = function' 'map = ./own.map' &&
        run 0 -q --output-dir=o2 tree/a/k.cu tree/b/k.cu tree/a/deep/k.cu other/k.cu &&
        has o2/tree/a/k.cu 'hipFromA(p)' && has o2/tree/a/deep/k.cu 'hipFromA(p)' &&
        has o2/tree/b/k.cu 'hipFromB(p)' && has o2/other/k.cu 'cudaOwn(p)' && has o2/other/k.cu 'hipFree(p)' &&
        has o2/tree/a/k.cu 'hipFree(p)'
}
ok "each input has its own maps" maps
jobs_agree() {
    run 0 -q -j 1 --output-dir=o3 tree/a/k.cu tree/b/k.cu other/k.cu && run 0 -q -j 4 --output-dir=o4 tree/a/k.cu tree/b/k.cu other/k.cu &&
        diff -r o3 o4
}
ok "the same with one thread and with four" jobs_agree
maps_lookup() { (cd tree/b && run 0 lookup cudaOwn && has out hipFromB && cd ../.. && run 1 lookup cudaOwn); }
ok "lookup reads the map of the working folder" maps_lookup
maps_over() {
    own_map hipFromHere >here.map && run 0 --map=here.map tree/b/k.cu && has out 'hipFromHere(p)'
}
ok "--map is on top of map" maps_over
bad_map() {
    echo nonsense >tree/b/maps/own.map && run 2 tree/b/k.cu && has err '/maps/own.map:1: error' && [ ! -s out ] &&
        own_map hipFromB >tree/b/maps/own.map
}
ok "a bad map is named" bad_map
many_maps() {
    local i
    for i in $(seq 40); do
        mkdir -p many/$i && cp here.map many/$i/ && config many/$i/.hipwright.ini 'map = here.map' && launch_source many/$i/k.cu
    done
    run 2 -n many/*/k.cu && has err 'more than 32' && [ ! -s out ] && run 1 -n many/1[0-9]/k.cu
}
ok "too many maps" many_maps

# What is wrong is said with file and line, and nothing is done.
place() {
    config tree/b/.hipwright.ini '# one' '' 'launch = sideways' 'lunch = function' 'jobs = 0'
    run 2 -n tree/a/k.cu tree/b/k.cu
    local res=$?
    rm tree/b/.hipwright.ini
    [ $res -eq 0 ] && [ ! -s out ] && has err "/tree/b/.hipwright.ini:3: error: invalid argument 'sideways' of '--launch'" &&
        has err ".hipwright.ini:4: error: there is no option 'lunch'" && has err '.hipwright.ini:5: error: invalid argument'
}
ok "errors have file and line, all of them" place
ok "a bad version" bad "invalid argument '6.x'" 'hip-version = 6.x'
ok "an unknown rule" bad "no rule or category 'nonsense'" 'disable = nonsense'
ok "a switch that is neither on nor off" bad "'maybe' of '--quiet'" 'quiet = maybe'
ok "a key twice" bad "ini:2: error: 'launch' is given twice" 'launch = function' 'launch = chevron'
ok "no key and value" bad "ini:2: error: neither" 'quiet = no' 'nonsense'
ok "a section" bad "no sections such as '[a]'" '[a]' 'quiet = yes'
ok "a line too long" bad "ini:1: error: the line is longer" "disable = $(printf '%0300d' 0)"
nul() { printf 'quiet = yes\njobs\0 = 1\n' >other/.hipwright.ini && run 2 other/k.cu && has err 'ini:2: error: a NUL byte' && rm other/.hipwright.ini; }
ok "a NUL byte" nul
too_large() { head -c 1100000 /dev/zero | tr '\0' '#' >other/.hipwright.ini && run 2 other/k.cu && has err 'too large' && rm other/.hipwright.ini; }
ok "too large" too_large
once() {
    config tree/b/.hipwright.ini 'lunch = function' && cp tree/b/k.cu tree/b/l.cu && run 2 -n tree/b/k.cu tree/b/l.cu ./tree/b/k.cu &&
        [ "$(grep -c lunch err)" -eq 1 ] && rm tree/b/.hipwright.ini
}
ok "an error is said once" once

# A tree that nobody has looked at.
for key in output output-dir files-from config in-place; do
    ok "'$key' is for the command line only" bad "'$key' is for the command line only" "$key = x"
done
ok "'dry-run' too" bad "'dry-run' is for the command line only" 'dry-run = yes'
nothing_written() { [ ! -e other/x ] && [ ! -e x ]; }
ok "nothing was written" nothing_written
own_map hipStolen >outside.map
ok "a map above" bad "'../outside.map' is no path inside" 'map = ../outside.map'
ok "a map in a roundabout way" bad "is no path inside" 'map = a/../../outside.map'
ok "a map anywhere" bad "is no path inside" "map = $PWD/outside.map"
ok "an empty map" bad "'' is no path inside" 'map ='
ok "a map that is not there" bad "'gone.map' cannot be read" 'map = gone.map'
ln -s ../outside.map other/link.map
ok "a map by a link" bad "'link.map' leads out" 'map = link.map'
ln -s .. other/up
ok "a map behind a link" bad "'up/outside.map' leads out" 'map = up/outside.map'
ln -s /dev/zero other/zero.map
ok "a map that never ends" bad "'zero.map' leads out" 'map = zero.map'
mkfifo other/pipe.map
ok "a map that never comes" timeout 20 bash -c 'printf "map = pipe.map\n" >other/.hipwright.ini; "$0" other/k.cu 2>err; [ $? -eq 2 ] && grep -q "no regular file" err' "$HIPWRIGHT"
rm -f other/.hipwright.ini
inner_link() {
    own_map hipInner >other/inner.map && ln -s inner.map other/same.map && config other/.hipwright.ini 'map = same.map' &&
        run 0 other/k.cu && has out 'hipInner(p)'
    local res=$?
    rm -f other/.hipwright.ini
    return $res
}
ok "a link inside the folder" inner_link
linked_config() { # TARGET TEXT
    ln -s "$1" other/.hipwright.ini && timeout 20 "$HIPWRIGHT" other/k.cu >out 2>err
    local res=$?
    rm -f other/.hipwright.ini
    [ $res -eq 2 ] && has err "$2" && [ ! -s out ]
}
echo 'secret words' >secret
quiet_about_it() { linked_config ../secret 'leads out of its folder' && lacks err secret; }
ok "a configuration by a link" quiet_about_it
ok "a configuration that never ends" linked_config /dev/zero 'leads out of its folder'
ok "a configuration that leads nowhere" linked_config gone 'cannot be read'
ok "a configuration in a circle" linked_config .hipwright.ini 'cannot be read'
linked_inside() { config other/real.ini 'launch = function' && ln -s real.ini other/.hipwright.ini && run 0 other/k.cu && has out hipLaunchKernelGGL && rm other/.hipwright.ini; }
ok "a configuration linked inside its folder" linked_inside
a_pipe() { mkfifo other/.hipwright.ini && timeout 20 "$HIPWRIGHT" other/k.cu >out 2>err; local res=$?; rm -f other/.hipwright.ini; [ $res -eq 2 ] && has err 'no regular file'; }
ok "a configuration that never comes" a_pipe
a_folder() { mkdir other/.hipwright.ini && run 2 other/k.cu && has err 'no regular file' && rmdir other/.hipwright.ini; }
ok "a folder of that name" a_folder
if [ "$(id -u)" -eq 0 ] && chown 12345 secret 2>/dev/null; then
    planted() {
        mkdir -p open/own && chmod 1777 open && launch_source open/own/k.cu && config open/.hipwright.ini 'launch = function' &&
            run 0 open/own/k.cu && has out hipLaunchKernelGGL &&
            chown 12345 open/.hipwright.ini && run 0 open/own/k.cu && has out '<<<' && has err 'is not read: anybody' &&
            run 0 --config=open/.hipwright.ini open/own/k.cu && has out hipLaunchKernelGGL
    }
    ok "one that somebody put where anybody may write" planted
    skip "one that may not be read" "root may"
else
    skip "one that somebody put where anybody may write" "needs root"
    unreadable() { config other/.hipwright.ini 'quiet = yes' && chmod 0 other/.hipwright.ini && run 2 other/k.cu && has err 'cannot be read' && rm -f other/.hipwright.ini; }
    ok "one that may not be read" unreadable
fi
finish
