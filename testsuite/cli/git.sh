# shellcheck shell=bash
# What the tests with real git share; sourced behind common.sh. Nobody's own settings are read.
: "${work:?the folder of the test}"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=$work/gitconfig HOME=$work
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
export GIT_CEILING_DIRECTORIES=$work
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_PREFIX PRE_COMMIT PRE_COMMIT_FROM_REF PRE_COMMIT_TO_REF
: >"$work/gitconfig"

# repo DIR: makes a repository and goes there; out and err are not for it.
repo() {
    git init -q "$1" && cd "$1" && printf 'out\nerr\n' >>.git/info/exclude
}

# lines FILE LINE...: makes FILE of these lines.
lines() {
    local file=./$1
    shift
    printf '%s\n' "$@" >"$file"
}

# found FILE:LINE...: the findings of the last run are at these places, and no others.
found() {
    local places
    places=$(grep -aE '^[^ ].*: (error|warning|note): .*\[[a-z-]+\]$' out | sed -E 's/^([^:]*:[0-9]+):.*/\1/' | sort -u | tr '\n' ' ')
    [ "$places" = "${*:+$* }" ] || {
        echo "# found: $places; wanted: $*"
        return 1
    }
}
