#!/bin/sh
# What the program's --help says, for the manual and for the manual page:
#     help.sh texi PROGRAM                     an appendix, on standard output
#     help.sh man PROGRAM TEMPLATE VERSION     TEMPLATE with @SYNOPSIS@, @COMMANDS@ and @OPTIONS@ filled in
# --help is made of cli/commands.def and cli/options.def, so each option has one text.
set -eu
LC_ALL=C
LANGUAGE=
export LC_ALL LANGUAGE

form=$1 program=$2 template=${3-} version=${4-}
help=$(mktemp)
trap 'rm -f "$help"' EXIT

commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p')
for command in $commands; do
    printf '%%%s\n' "$command"
    "$program" "$command" --help
done >"$help"

${AWK-awk} -v form="$form" -v template="$template" -v version="$version" '
    function joined(text, more, glue) {
        return text == "" ? more : text glue more
    }

    # The help of a command: its usage, its summary, its options, what else there is to say.
    /^%/ { order[++commands] = command = substr($0, 2); part = "usage"; next }
    part == "usage" { usage[command] = substr($0, length("Usage: ") + 1); part = "summary"; next }
    part == "summary" && $0 == "Options:" { part = "options"; next }
    part == "summary" { if ($0 != "") summary[command] = joined(summary[command], $0, " "); next }
    part == "options" && $0 == "" { part = "rest"; next }
    part == "options" {
        text = $0
        if (/^  (-|    --)/) {
            name = substr($0, 3)
            sub(/^ +/, "", name)
            text = match(name, /  +/) ? substr(name, RSTART) : ""
            name = text == "" ? name : substr(name, 1, RSTART - 1)
            first = !(name in users)
            if (first)
                options[++count] = name
            users[name] = joined(users[name], command, ", ")
            ++used[name]
        }
        sub(/^ +/, "", text)
        if (first && text != "")
            meaning[name] = joined(meaning[name], text, " ")
        next
    }
    part == "rest" { rest[command] = joined(rest[command], $0, " ") }

    function texi(text) {
        gsub(/[@{}]/, "@&", text)
        return text
    }
    function roff(text) {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        return text ~ /^[.\047]/ ? "\\\\&" text : text
    }

    function appendix(    i, command) {
        print "@c Made by doc/help.sh of --help."
        for (i = 1; i <= commands; ++i) {
            command = order[i]
            print "\n@subheading " command "\n\n@example\n" texi(usage[command]) "\n@end example\n"
            print "@noindent\n" texi(sentence(summary[command]))
            if (rest[command] != "")
                print texi(rest[command])
        }
        print "\n@subheading All options\n\n@table @option"
        for (i = 1; i <= count; ++i) {
            print "@item " texi(options[i])
            print texi(sentence(meaning[options[i]]))
            if (used[options[i]] < commands)
                print "For: " users[options[i]] "."
        }
        print "@end table"
    }
    function sentence(text) {
        return toupper(substr(text, 1, 1)) substr(text, 2) "."
    }

    function page(    line) {
        while ((getline line <template) > 0) {
            if (line == "@SYNOPSIS@")
                synopses()
            else if (line == "@COMMANDS@")
                all_commands()
            else if (line == "@OPTIONS@")
                all_options()
            else {
                gsub(/@VERSION@/, version, line)
                print line
            }
        }
    }
    function synopses(    i) {
        for (i = 1; i <= commands; ++i)
            print (i == 1 ? "" : ".br\n") roff(usage[order[i]])
    }
    function all_commands(    i) {
        for (i = 1; i <= commands; ++i) {
            print ".TP\n.B " order[i] "\n" roff(sentence(summary[order[i]]))
            if (rest[order[i]] != "")
                print roff(rest[order[i]])
        }
    }
    function all_options(    i) {
        for (i = 1; i <= count; ++i) {
            print ".TP\n.B " roff(options[i]) "\n" roff(sentence(meaning[options[i]]))
            if (used[options[i]] < commands)
                print "For: " users[options[i]] "."
        }
    }

    END {
        if (form == "man")
            page()
        else
            appendix()
    }
' "$help"
