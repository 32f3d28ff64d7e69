#!/usr/bin/env bash
# The manual: every command line in it is run, and what it shows as output is the output. How examples
# are marked is told at the beginning of doc/hipwright.texi. README's are run too.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

# shellcheck disable=SC2154 # common.sh sets it
scratch=$work
manual=$srcdir/doc/hipwright.texi
PATH=$(cd "$(dirname "$HIPWRIGHT")" && pwd):$PATH
HOME=$scratch
export PATH HOME GIT_CONFIG_NOSYSTEM=1
for name in $(compgen -v GIT_); do
    [ "$name" = GIT_CONFIG_NOSYSTEM ] || unset "$name"
done
version=$("$HIPWRIGHT" --version | sed -n '1s/.* //p')
mkdir steps

# Writes the steps of the manual to the file list, one a line: LINE KIND ARGUMENTS; what a step shows is
# in steps/LINE.
read_manual() {
    awk -v version="$version" '
        # What a reader sees of a line: @@, @{ and @} are one character.
        function plain(line,    res, at) {
            gsub(/@value\{VERSION\}/, version, line)
            res = ""
            while ((at = index(line, "@"))) {
                res = res substr(line, 1, at - 1) substr(line, at + 1, 1)
                line = substr(line, at + 2)
            }
            return res line
        }
        /^@(chapter|appendix) / { print NR " chapter " $0 }
        /^@c use / { print NR " use " substr($0, 8); next }
        /^@c (file|run)( |$)/ { mark = substr($0, 4); next }
        /^@(small)?example$/ { inside = NR; asks = 0; next }
        /^@end (small)?example$/ {
            close("steps/" inside)
            if (mark != "")
                print inside " " mark
            else if (asks)
                print inside " unmarked"
            inside = 0
            mark = ""
            next
        }
        inside && /^@(end )?group/ { next }
        inside {
            asks = asks || /^\$ / || /^ *hipwright /
            print plain($0) >("steps/" inside)
            next
        }
        # A command line in running text would not be run.
        /@(samp|code|kbd|command)\{hipwright [^}]*[-. ]/ { print NR " unmarked" }
        mark != "" && NF { print NR " stray"; mark = "" }
    ' "$manual" >list
}
ok "the manual is read" read_manual

# Lines of the file WANTED against those of GOT; "..." stands for any lines, or for the rest of one.
matches() {
    awk '
        NR == FNR { wanted[++n] = $0; next }
        { got[++m] = $0 }
        function same(want, line) {
            if (want ~ /.\.\.\.$/)
                return index(line, substr(want, 1, length(want) - 3)) == 1
            return want == line
        }
        END {
            at = 1
            for (i = 1; i <= n; ++i) {
                if (wanted[i] == "...") {
                    any = 1
                    continue
                }
                while (any && at <= m && !same(wanted[i], got[at]))
                    ++at
                if (m < at || !same(wanted[i], got[at])) {
                    print "# not found: " wanted[i]
                    exit 1
                }
                ++at
                any = 0
            }
            if (!any && at <= m) {
                print "# not in the manual: " got[at]
                exit 1
            }
        }' "$1" "$2"
}

# one_command COMMAND STATUS WANTED: WANTED is a file with what it must print, empty if that does not matter.
one_command() {
    local got=0
    bash -c "$1" >"$scratch/got" 2>&1 </dev/null || got=$?
    if [ "$got" -ne "$2" ]; then
        echo "# status $got instead of $2: $1"
        sed 's/^/# | /' "$scratch/got" | head -n 20
        return 1
    fi
    if [ -s "$3" ] && ! matches "$3" "$scratch/got"; then
        echo "# from: $1"
        sed 's/^/# | /' "$scratch/got" | head -n 30
        return 1
    fi
}

# session FILE STATUS: runs the commands of FILE, the last of which ends with STATUS.
session() {
    local line command='' open=''
    : >"$scratch/wanted"
    while IFS= read -r line; do
        if [ -n "$open" ]; then
            command+=$'\n'$line
        elif [[ $line == '$ '* ]]; then
            if [ -n "$command" ]; then
                one_command "$command" 0 "$scratch/wanted" || return 1
            fi
            command=${line#'$ '}
            : >"$scratch/wanted"
        else
            printf '%s\n' "$line" >>"$scratch/wanted"
            continue
        fi
        open=''
        [[ $line != *\\ ]] || open=yes
    done <"$1"
    [ -n "$command" ] && one_command "$command" "$2" "$scratch/wanted"
}

# The steps in order. A chapter begins in an empty folder; a step that fails makes those behind it in its
# chapter fail too, and that is told once.
commands=0
while read -r at kind rest; do
    case $kind in
    chapter)
        mkdir "$scratch/$at" && cd "$scratch/$at" || exit 1
        ;;
    use)
        read -r from to <<<"$rest"
        mkdir -p "$(dirname "${to:-.}")"
        cp "$srcdir/$from" "${to:-$(basename "$from")}" && chmod u+w "${to:-$(basename "$from")}" ||
            ok "line $at: $from" false
        ;;
    file)
        mkdir -p "$(dirname "$rest")" && cp "$scratch/steps/$at" "$rest" || ok "line $at: $rest" false
        ;;
    run)
        status=0 needs=''
        read -r -a words <<<"$rest"
        for ((i = 0; i < ${#words[@]}; ++i)); do
            case ${words[i]} in
            needs) needs=${words[++i]} ;;
            *) status=${words[i]} ;;
            esac
        done
        if [ -n "$needs" ] && ! command -v "$needs" >/dev/null; then
            skip "line $at" "no $needs"
            continue
        fi
        commands=$((commands + $(grep -c '^\$ ' "$scratch/steps/$at")))
        ok "line $at: $(sed -n '1s/^\$ //p' "$scratch/steps/$at")" session "$scratch/steps/$at" "$status"
        ;;
    *)
        ok "line $at: $kind" false
        ;;
    esac
done <"$scratch/list"
cd "$scratch" || exit 1
ok "there are commands of the manual" [ "$commands" -gt 20 ]

# README: an indented line of `hipwright ...`, up to two blanks; FILE... stands for a name.
readme() {
    local line count=0 status
    mkdir readme && cd readme || return 1
    git init -q && git config user.email you@example.org && git config user.name You &&
        git commit -q --allow-empty -m begin && git update-ref refs/remotes/origin/main HEAD || return
    git tag port && git commit -q --allow-empty -m 1 && git commit -q --allow-empty -m 2 && git commit -q --allow-empty -m 3 &&
        git branch -M main && mkdir cuda hip || return
    cp "$srcdir/doc/example/reduce.cu" FILE.cu && cp FILE.cu OLD.cu && "$HIPWRIGHT" -q -o PORT.hip OLD.cu 2>/dev/null
    cp FILE.cu original
    while IFS= read -r line; do
        line=${line//FILE.../FILE.cu}
        status=0
        rm -rf src && mkdir src && cp original src/k.cu
        bash -c "$line" >../out 2>../err </dev/null || status=$?
        if [ $status -gt 1 ]; then
            echo "# status $status: $line"
            head -n 3 ../err | sed 's/^/# | /'
            return 1
        fi
        cp original FILE.cu
        count=$((count + 1))
    done < <(sed -n 's/^    \(hipwright .*\)/\1/p' "$srcdir/README" | sed 's/   *.*//')
    cd .. && [ $count -gt 10 ]
}
if command -v git >/dev/null; then
    ok "README's command lines" readme
else
    skip "README's command lines" "no git"
fi

# What is made of --help is what --help says today.
made() { # FILE ARGUMENT...
    local file=$1
    shift
    [ -e "$file" ] || file=$srcdir/${file#"$builddir"/}
    sh "$srcdir/doc/help.sh" "$@" | diff - "$file" >changes || {
        sed 's/^/# /' changes | head -n 10
        return 1
    }
}
ok "the appendix of options" made "$builddir/doc/options.texi" texi "$HIPWRIGHT"
ok "the manual page" made "$builddir/doc/hipwright.1" man "$HIPWRIGHT" "$srcdir/doc/hipwright.1.in" "$version"
each_command() {
    local command
    for command in $("$HIPWRIGHT" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        grep -q "@command{hipwright $command}\|@command{$command}\|@command{hipwright $command " "$manual" || {
            echo "# $command"
            return 1
        }
    done
}
ok "the manual has each command" each_command
finish
