#!/usr/bin/env bash
# The rules' pages (annotate/pages/): each rule has one with the headings in order; what it shows as
# Before has a finding of the rule, what it shows as After has none; doc/rules.txt holds them all.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

pages=$srcdir/annotate/pages

# section PAGE HEADING: the lines below it, without their indentation.
section() {
    awk -v heading="$2" '
        /^[^ ]/ { inside = $0 == heading; next }
        inside { sub(/^    /, ""); print }' "$1"
}

headings() {
    local found
    found=$(grep -E '^[^ ]' "$1" | tr '\n' ' ')
    [[ $found =~ ^'Finds Why '('Options ')?'Before After Fix '('Silent ')?$ ]] || {
        echo "# headings: $found"
        return 1
    }
    ! grep -nE '.{105}|[[:space:]]$|	' "$1"
}

# reports PAGE HEADING: whether `check` has a finding of the rule in that section.
reports() {
    local name options
    name=$(basename "$1" .txt)
    mapfile -t options < <(section "$1" Options | grep .)
    section "$1" "$2" >example.cu
    [ -s example.cu ] || { echo "# nothing below $2"; return 2; }
    run 0 check --no-config --fail-on=never ${options[@]+"${options[@]}"} example.cu || return 2
    grep -qF " [$name]" out
}
before() {
    reports "$1" Before || { echo "# no finding"; sed 's/^/# /' out; return 1; }
}
after() {
    local status=0
    reports "$1" After || status=$?
    [ $status -eq 1 ] || { sed 's/^/# /' out; return 1; }
}

"$HIPWRIGHT" explain --list >list || exit 1
while read -r rule _; do
    ok "$rule has a page" [ -s "$pages/$rule.txt" ]
    ok "$rule: headings" headings "$pages/$rule.txt"
    ok "$rule: before" before "$pages/$rule.txt"
    ok "$rule: after" after "$pages/$rule.txt"
done <list

# No page is left over, none is forgotten in a release.
no_others() { (cd "$pages" && ls -- *.txt) | sed 's/\.txt$//' | sort | diff - <(sed 's/ .*//' list); }
ok "each page is a rule's" no_others
in_makefile() {
    local file
    for file in "$pages"/*.txt; do
        grep -qF "annotate/pages/$(basename "$file")" "$srcdir/annotate/local.mk" || { echo "# $file"; return 1; }
    done
}
ok "the makefile names all pages" in_makefile
sorted() { LC_ALL=C sort -c list; }
ok "the rules are sorted" sorted

catalogue() {
    mapfile -t rules < <(sed 's/ .*//' list)
    run 0 explain "${rules[@]}" && diff -u "$srcdir/doc/rules.txt" out >changes || {
        head -n 20 changes | sed 's/^/# /'
        echo "# make update-rules brings doc/rules.txt up to date"
        return 1
    }
}
ok "doc/rules.txt is up to date" catalogue

# doc/hazards.tsv names rules that there are, each hazard once, and says why where it names none.
hazards() {
    local id rules remark source rule
    grep -v '^#' "$srcdir/doc/hazards.tsv" >hazards
    [ "$(head -n 1 hazards)" = "hazard	rules	remark	source" ] || { echo "# the heading"; return 1; }
    [ -z "$(cut -f 1 hazards | sort | uniq -d)" ] || { echo "# a hazard twice"; return 1; }
    while IFS='	' read -r id rules remark source; do
        [ -n "$source" ] || { echo "# $id: no source"; return 1; }
        [ "$rules" != - ] || [ "$remark" != - ] || { echo "# $id: no rule, and no reason"; return 1; }
        for rule in ${rules/#-/}; do
            grep -q "^$rule " list || { echo "# $id: there is no $rule"; return 1; }
        done
    done < <(tail -n +2 hazards)
    [ "$(wc -l <hazards)" -gt 100 ]
}
ok "the rules of doc/hazards.tsv exist" hazards

explains() { run 0 explain ptx-inline && has out 'ptx-inline: inline PTX' && has out 'is PTX' && has out 'allow ptx-inline' && [ ! -s err ]; }
ok "explain a rule" explains
category() { run 0 explain library && [ "$(grep -c '^library-[a-z]*: ' out)" -eq 3 ]; }
ok "explain a category" category
lists() { run 0 explain && cmp -s out list && run 2 explain --list ptx && has err "takes no names"; }
ok "explain lists the rules" lists
unknown() { run 1 explain nonsense ptx-inline && has err "'nonsense'" && has out 'ptx-inline: ' && run 1 explain ptx-inlien && has err "the nearest names: 'ptx-inline'"; }
ok "explain an unknown name" unknown
elsewhere() {
    mkdir -p data/maps && run 0 explain ptx && HIPWRIGHT_DATADIR=data run 2 explain ptx && has err data/pages &&
        mkdir data/pages && HIPWRIGHT_DATADIR=data run 2 explain ptx && has err data/pages/ptx-
}
ok "pages that are missing" elsewhere
in_english() { LC_ALL=C.UTF-8 LANGUAGE=de "$HIPWRIGHT" explain api >de && run 0 explain api && cmp -s de out; }
ok "pages are the same in every language" in_english
finish
