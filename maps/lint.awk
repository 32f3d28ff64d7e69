# The checks of lint.sh, for any POSIX awk. The format is described in README.

function fault(text)
{
    sub(/^\.\//, "", file)
    printf "%s:%d: %s\n", file, FNR, text
    faults = 1
}

function trim(text)
{
    sub(/^ +/, "", text)
    sub(/ +$/, "", text)
    return text
}

function is_version(text, part, n, i)
{
    if (text !~ /^[0-9]+(\.[0-9]+)?(\.[0-9]+)?$/)
        return 0
    n = split(text, part, ".")
    for (i = 1; i <= n; ++i)
        if (1023 < part[i] + 0 || 4 < length(part[i]))
            return 0
    return text !~ /^[0.]+$/
}

# A life column: each mark at most once, in the order of the README.
function check_life(text, marks, word, n, i, at, last)
{
    if (text == "-")
        return
    n = split(text, word, " ")
    last = 0
    for (i = 1; i <= n; ++i) {
        at = index(marks, substr(word[i], 1, 1))
        if (!at || !is_version(substr(word[i], 2)))
            fault("bad version '" word[i] "'")
        else if (at <= last)
            fault("the marks of '" text "' are not in the order " marks)
        last = at
    }
    if (text ~ /  /)
        fault("two blanks in '" text "'")
}

# One operation; COUNT is the number of arguments where the condition says it, or -1.
function check_op(op, count, alone, word, n, i, need, limit)
{
    n = split(op, word, " ")
    if (!n || !(word[1] in op_numbers)) {
        fault("'" word[1] "' is no argument operation")
        return
    }
    if (!alone && (word[1] == "rename" || word[1] == "report" || word[1] == "write"))
        fault("'" word[1] "' stands alone")
    need = op_numbers[word[1]]
    for (i = 2; i <= need + 1; ++i) {
        limit = count - 1
        if (word[1] == "insert" || (word[1] == "move" || word[1] == "repeat") && i == 3)
            limit = count
        if (word[i] !~ /^[0-9][0-9]?[0-9]?$/ || 255 < word[i] + 0 || 0 <= count && limit < word[i] + 0)
            fault("'" op "' wants the number of an argument")
    }
    if (op_text[word[1]] && n < need + 2)
        fault("'" op "' wants a text")
    if (!op_text[word[1]] && need + 1 < n)
        fault("'" op "' takes no text")
}

function has_condition(text)
{
    return text ~ /^ *([0-9]|hip<|hip>=|arg|to=|roc[ :]|host[ :])/
}

function check_change(text, roc_name, word, op, n, i, count, colon, first, last, bound, roc)
{
    count = -1
    roc = 0
    if (has_condition(text)) {
        colon = index(text, ":")
        if (!colon) {
            fault("a condition without a colon in '" text "'")
            return
        }
        n = split(substr(text, 1, colon - 1), word, " ")
        for (i = 1; i <= n; ++i) {
            if (word[i] == "roc") {
                if (roc || roc_name == "-")
                    fault("'roc' wants a ROCm name and stands once in '" text "'")
                roc = 1
            } else if (word[i] == "host") {
                continue
            } else if (word[i] ~ /^[0-9]+$/ || word[i] ~ /^[0-9]+-[0-9]+$/) {
                first = last = word[i]
                sub(/-.*/, "", first)
                sub(/.*-/, "", last)
                if (0 <= count || last + 0 < first + 0 || 255 < last + 0)
                    fault("bad argument count '" word[i] "'")
                count = first + 0
            } else if (word[i] ~ /^hip(<|>=)/) {
                bound = word[i]
                sub(/^hip(<|>=)/, "", bound)
                if (!is_version(bound))
                    fault("bad version in the condition '" word[i] "'")
            } else if (word[i] !~ /^(arg[0-9]+|to)=[A-Za-z_][A-Za-z0-9_]*$/) {
                fault("bad condition '" word[i] "'")
            }
        }
        text = substr(text, colon + 1)
    }
    n = split(text, op, ";")
    if (!n)
        fault("an empty argument change")
    for (i = 1; i <= n; ++i)
        check_op(trim(op[i]), count, n == 1)
}

function check_changes(text, roc_name, change, n, i, roc, last)
{
    split("", last)
    n = split(text, change, "|")
    for (i = 1; i <= n; ++i) {
        check_change(trim(change[i]), roc_name)
        # Those of the HIP name and those of the ROCm name are apart.
        roc = trim(change[i]) ~ /^roc[ :]/
        if (last[roc] != "")
            fault("nothing behind '" last[roc] "' is ever reached, since it has no condition")
        if (!has_condition(change[i]) || trim(change[i]) ~ /^roc *:/)
            last[roc] = trim(change[i])
    }
}

function check_action(text, cuda, hip)
{
    if (text == "keep") {
        if (hip != "-" && hip != cuda)
            fault("'" cuda "' is kept but has another name in HIP")
    } else if (text ~ /^covered-by [^ ]+$/) {
        if (hip == "-")
            fault("'" cuda "' is covered but has no name in HIP")
    } else if (text != "-" && text != "drop") {
        fault("'" text "' is no action for a header")
    }
}

# The last column. True where it names a source.
function check_remarks(text, kind, part, n, i, word, rest, colon, seen, res)
{
    split("", seen)
    res = 0
    if (text == "-")
        return 0
    n = split(text, part, ";")
    for (i = 1; i <= n; ++i) {
        rest = trim(part[i])
        colon = index(rest, ":")
        word = substr(rest, 1, colon ? colon - 1 : 0)
        rest = trim(substr(rest, colon + 1))
        if (word !~ /^(note|advice|define|after|include|source|library|brings|needs|fnuz)$/ || word ~ /^(library|brings)$/ && kind != "header")
            fault("bad remark '" trim(part[i]) "'")
        else if (word in seen)
            fault("two remarks '" word "'")
        else if (rest == "")
            fault("empty remark '" word "'")
        else if (word == "source")
            check_source(rest)
        seen[word] = 1
        if (word == "source")
            res = 1
    }
    return res
}

function check_source(key)
{
    if (!(key in sources))
        fault("'" key "' is no source of README")
}

BEGIN {
    FS = "\t"
    n = split("function type enumerator macro device_function device_type namespace class variable field header", word, " ")
    for (i = 1; i <= n; ++i)
        kinds[word[i]] = 1
    # operation, argument numbers, whether a text follows
    n = split("rename 0 0 wrap 1 1 cast 1 1 drop 1 0 insert 1 1 append 0 1 replace 1 1 move 2 0 " \
              "swap 2 0 repeat 2 0 address 1 0 suffix 1 1 name 0 1 report 0 1 note 0 1 write 0 1", word, " ")
    for (i = 1; i <= n; i += 3) {
        op_numbers[word[i]] = word[i + 1] + 0
        op_text[word[i]] = word[i + 2] + 0
    }
    # The keys stand in README as "  source KEY: ...".
    while ((getline line < readme) > 0) {
        if (line ~ /^ +source [a-z0-9]+: /) {
            sub(/^ +source /, "", line)
            sub(/:.*/, "", line)
            sources[line] = 1
        }
    }
    close(readme)
    faults = 0
}

{ file = FILENAME }

FNR == 1 {
    source = ""
    before = ""
}

/[ \t\r]$/ { fault("a blank at the end of the line") }

/^#/ || /^$/ { next }

/^%/ {
    if ($0 ~ /^%source [^ ]+$/) {
        source = substr($0, 9)
        check_source(source)
    } else {
        fault("'" $0 "' is no directive")
    }
    next
}

NF != 8 {
    fault(NF " instead of 8 columns")
    next
}

{
    for (i = 1; i <= NF; ++i) {
        if ($i == "")
            fault("column " i " is empty; write '-'")
        else if ($i ~ /^ | $/)
            fault("a blank at the edge of column " i)
    }
    if ($1 == "-" || $1 ~ / /)
        fault("'" $1 "' is no name")
    if (!($2 in kinds))
        fault("'" $2 "' is no kind of API")
    if ($3 == "(nothing)" && $2 != "macro")
        fault("only a macro can become nothing")
    if (before != "" && $1 "" < before "")
        fault("'" $1 "' does not belong behind '" before "'")
    before = $1

    key = ($2 == "header" ? "header " : "name ") $1
    if (key in place)
        fault("'" $1 "' is already in " place[key])
    else
        place[key] = file ":" FNR

    check_life($5, "+~!-")
    check_life($6, "+~!-?@")
    if ($2 == "header")
        check_action($7, $1, $3)
    else if ($7 != "-")
        check_changes($7, $4)
    if (!check_remarks($8, $2) && source == "")
        fault("'" $1 "' has no source")
}

END { exit faults }
