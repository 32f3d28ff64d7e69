#!/usr/bin/env bash
# The command line: help, version, usage errors, exit status.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

cuda_source a.cu
plain_source b.cu

usage_error() { # TEXT ARGUMENT...
    local text=$1
    shift
    run 2 "$@" && has err "$text" && has err "--help" && [ ! -s out ]
}

version_form() {
    run 0 --version && [ "$(head -n 1 out | cut -d ' ' -f 1)" = hipwright ] && has out License &&
        [ ! -s err ]
}
ok "--version" version_form

# Each option that a command's help names is one that the command takes, and the other way round.
help_form() {
    run 0 "$@" --help && has out Usage: && has out "Exit status" && has out "--help" && [ ! -s err ]
}
ok "--help" help_form
ok "translate --help" help_form translate
ok "check --help" help_form check
ok "lookup --help" help_form lookup
ok "banks --help" help_form banks
help_lists_commands() {
    run 0 --help && has out "translate [FILE|DIR]" && has out "check [FILE|DIR]" && has out "lookup NAME"
}
ok "--help names the commands" help_lists_commands
help_is_narrow() { ! "$HIPWRIGHT" --help | grep -qE '^.{80}'; }
ok "--help fits a terminal" help_is_narrow
help_belongs() { run 0 check --help && lacks out --in-place && has out --format; }
ok "help shows a command's own options" help_belongs

ok "unknown option" usage_error "unknown option '--frobnicate'" --frobnicate a.cu
ok "unknown letter" usage_error "unknown option '-z'" -z a.cu
ok "option of another command" usage_error "'check' has no option '--diff'" check --diff a.cu
ok "ambiguous option" usage_error "'--di' is ambiguous" --di a.cu
ok "missing argument" usage_error "'--output' needs an argument" a.cu -o
ok "argument too many" usage_error "'--diff' takes no argument" --diff=x a.cu
ok "bad word" usage_error "invalid argument 'maybe' of '--color'" --color=maybe a.cu
ok "bad level" usage_error "invalid argument 'fatal' of '--fail-on'" check --fail-on=fatal a.cu
ok "bad version" usage_error "invalid argument '6.x'" --hip-version=6.x a.cu
ok "bad jobs" usage_error "invalid argument '0'" -j 0 a.cu
ok "bad jobs, too" usage_error "invalid argument '2x'" --jobs=2x a.cu
ok "bad suffix" usage_error "is no suffix" --in-place=/x a.cu
ok "empty suffix" usage_error "is no suffix" --in-place= a.cu
ok "unknown rule" usage_error "no rule or category 'nonsense'" --disable=nonsense a.cu
ok "two outputs" usage_error "only one of" -i -o x a.cu
ok "empty output" usage_error "is empty" -o '' a.cu
ok "several files" usage_error "several files need" a.cu b.cu
ok "misspelled command" usage_error "neither a command" trnslate a.cu
ok "a misspelled command alone" usage_error "neither a command" chekc
ok "its nearest names" usage_error "the nearest names: 'check'" chekc a.cu
ok "several files with -o" usage_error "several files need" -o x a.cu b.cu
ok "in place from standard input" usage_error "in place" -i -
ok "output folder from standard input" usage_error "--output-dir" --output-dir=x -
ok "standard input twice" run 2 --diff - -
ok "lookup without a name" usage_error "'lookup' needs a name" lookup

plain_run() { run 0 a.cu && has out 'hipMalloc(&p, 1)' && [ ! -s err ]; }
ok "translate without the word" plain_run
named_run() { run 0 translate a.cu && has out hipMalloc; }
ok "translate with the word" named_run
from_stdin() { "$HIPWRIGHT" <a.cu >out2 && "$HIPWRIGHT" - <a.cu >out3 && run 0 a.cu && cmp -s out out2 && cmp -s out out3; }
ok "standard input" from_stdin
permuted() { run 0 a.cu -o x --launch chevron && has x hipMalloc && [ ! -s out ]; }
ok "options behind files" permuted
abbreviated() { run 1 a.cu --dry && has out 'would change'; }
ok "abbreviated options" abbreviated
dashes() { cp a.cu ./-q && run 0 -- -q && has out hipMalloc; }
ok "-- ends the options" dashes
not_a_command() { cp a.cu check && run 0 translate check && has out hipMalloc; }
ok "a file called like a command" not_a_command

ok "--dry-run, would change" run 1 -n a.cu
ok "--dry-run, would not" run 0 -n b.cu
ok "--diff, would change" run 1 --diff a.cu
ok "--diff, would not" run 0 --diff b.cu
dry_run_says() { run 1 -n a.cu b.cu && has out 'a.cu: note: would change' && has out 'b.cu: note: does not change'; }
ok "--dry-run says which" dry_run_says
dry_run_writes_nothing() { cp a.cu c.cu; run 1 -n -i c.cu && cmp -s a.cu c.cu && run 1 --diff -i c.cu && cmp -s a.cu c.cu && run 1 -n --output-dir=d c.cu && [ ! -e d ]; }
ok "--dry-run and --diff write nothing" dry_run_writes_nothing
ok "missing file" run 2 gone.cu
missing_named() { run 2 gone.cu && has err 'gone.cu: error: cannot be read: No such file or directory'; }
ok "missing file is named" missing_named
ok "missing list" run 2 --files-from=gone
ok "missing map" run 2 --map=gone a.cu
no_data() { HIPWRIGHT_DATADIR="$work/none" run 2 a.cu && has err "$work/none/maps" && [ ! -s out ]; }
ok "missing data folder" no_data
own_map() { printf '%%source own\n%s\tfunction\thipOwn\t-\t-\t-\t-\t-\n' "$1"; }
installed() {
    mkdir -p inst/bin inst/share/hipwright/maps && cp "$HIPWRIGHT" inst/bin/hipwright &&
        own_map cudaInstalled >inst/share/hipwright/maps/own.map || return
    HIPWRIGHT=inst/bin/hipwright run 0 lookup cudaInstalled &&
        HIPWRIGHT=inst/bin/hipwright run 1 lookup cudaMalloc &&
        ln -s inst/bin/hipwright linked && HIPWRIGHT=./linked run 0 lookup cudaInstalled &&
        (PATH=$PWD/inst/bin:$PATH && cd / && hipwright lookup cudaInstalled >/dev/null)
}
ok "data beside the installed program" installed
data_folder() { mkdir -p data/maps && own_map cudaElsewhere >data/maps/own.map && HIPWRIGHT_DATADIR=data run 0 lookup cudaElsewhere; }
ok "HIPWRIGHT_DATADIR" data_folder
bad_data() { mkdir -p bad/maps && echo nonsense >bad/maps/own.map && HIPWRIGHT_DATADIR=bad run 2 a.cu && has err 'bad/maps/own.map:1' && [ ! -s out ]; }
ok "damaged data" bad_data
quiet() { run 2 -q -n gone.cu a.cu && [ ! -s out ] && has err gone.cu && lacks err 'hipwright:'; }
ok "--quiet keeps errors only" quiet

full() { "$HIPWRIGHT" "$@" >/dev/full 2>err; [ $? -eq 2 ] && has err 'cannot write standard output'; }
if [ -c /dev/full ]; then
    ok "full standard output" full a.cu
    ok "full standard output, --diff" full --diff a.cu
    ok "full standard output, --help" full --help
    ok "full standard output, check" full check --format=json a.cu
    ok "full standard output, lookup" full lookup cudaMalloc
else
    skip "full standard output" "no /dev/full"
fi
closed() { "$HIPWRIGHT" a.cu >&- 2>err; [ $? -eq 2 ] && has err 'cannot write standard output'; }
ok "closed standard output" closed
broken_pipe() {
    {
        while [ ! -e nobody-reads ]; do sleep 0.05; done
        "$HIPWRIGHT" a.cu 2>err
        echo $? >status
    } | {
        exec <&-
        : >nobody-reads
    }
    [ "$(cat status)" -eq 2 ] && has err 'Broken pipe'
}
ok "broken pipe" broken_pipe
# shellcheck disable=SC2094 # on purpose
onto_itself() { cp a.cu e.cu; "$HIPWRIGHT" e.cu >>e.cu 2>err; [ $? -eq 2 ] && cmp -s a.cu e.cu; }
ok "standard output is the input" onto_itself

# Colours only where they are wanted.
cat >f.cu <<'END'
#if __CUDA_ARCH__ >= 700
#endif
END
esc=$(printf '\033')
colors() { run "$1" check --fail-on=never --color="$2" f.cu; }
no_color() { colors 0 auto && lacks out "$esc" && colors 0 never && lacks out "$esc"; }
ok "no colours in a file" no_color
color() { colors 0 always && has out "${esc}["; }
ok "--color=always" color
diff_color() { run 1 --diff --color=always a.cu && has out "${esc}[32m+"; }
ok "coloured diff" diff_color
finish
