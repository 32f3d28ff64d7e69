# The catalogue of rules, doc/rules.txt, as Texinfo. A rule begins with `NAME: TITLE`; its headings stand
# at the margin, their text is indented by four. The list of it all comes first, so the text waits.

function texi(text) {
    gsub(/[@{}]/, "@&", text)
    return text
}
function add(line) { text = text line "\n" }

# What is written as it stands begins and ends where WANTED changes.
function verbatim(wanted) {
    if (wanted != inside)
        add(wanted ? "@smallexample" : "@end smallexample")
    inside = wanted
}

/^[a-z0-9-]+: / {
    verbatim(0)
    name = substr($0, 1, index($0, ": ") - 1)
    title = texi(substr($0, length(name) + 3))
    menu = menu "* " name "::" sprintf("%" (34 - length(name)) "s", " ") title "\n"
    add("\n@node " name "\n@section @code{" name "}\n\n@noindent\n" title)
    blank = 0
    next
}
/^[^ ]/ {
    verbatim(0)
    # How to silence a rule is the same for all, and told once.
    skipped = /^To silence it/
    if (!skipped)
        add("\n@subsubheading " $0 "\n")
    source = $0 !~ /^(Finds|Why|Fix|Silent)$/
    blank = 0
    next
}
skipped { next }
$0 == "" { blank = 1; next }
{
    line = texi(substr($0, 5))
    if (!source && blank)
        verbatim(0)
    if (blank)
        add("")
    verbatim(source || line ~ /^ /)
    blank = 0
    add(line)
}

END {
    verbatim(0)
    print "@c Made by doc/pages.awk of doc/rules.txt.\n\n@menu\n" menu "@end menu"
    printf "%s", text
}
