# shellcheck shell=bash disable=SC2034
# The code that the scripts in this folder share. Each of these scripts sources this file first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
# The directory for the packages and all other files that are released.
artifacts=$target/artifacts
# The profile `release` builds faster than `dist`, and is enough to check a package.
profile=${URLSPOOL_PROFILE:-dist}
# On Linux, the command is linked statically, so that it runs on any distribution. On other systems, it is linked as
# usual.
triple=$(rustc -vV | sed -n 's/^host: //p')
case $triple in *-linux-gnu) triple=${triple%gnu}musl ;; esac
# The files of the packages, in the places where they are installed.
tree=$target/tree-$triple

# All times in packages are the time of the commit, so that a second build makes the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

mkdir -p "$artifacts"

fail() {
    printf '%s: %s\n' "$0" "$1" >&2
    exit 1
}

# Ends the script without an error. Called if a program or permission that the script needs is missing.
skip() {
    printf 'SKIPPED: %s: %s\n' "$0" "$1"
    exit 0
}

# Fails if the command at this path does not work. The other arguments are words to put before the path, such as `chroot
# DIR`.
try_command() {
    local command=$1
    shift
    [ "$(printf 'see http://www.example.org/.\n' | "$@" "$command")" = http://www.example.org/ ] || fail "$command finds nothing"
    [ "$("$@" "$command" --version)" = "urlspool $version" ] || fail "$command has another version than $version"
    "$@" "$command" --help | grep -q -- --parquet || fail "$command is built without Parquet"
}

# Fails if a file is not the man page.
try_man_page() {
    { case $1 in *.gz) gunzip <"$1" ;; *) cat "$1" ;; esac; } | sed -n '1,20p' | grep -q '^\.TH urlspool 1' ||
        fail "$1 is not the man page"
}

# Fails if the completions for bash do not complete an option.
try_completions() {
    local completed
    completed=$(bash -c '. "$1"; COMP_WORDS=(urlspool --schem); COMP_CWORD=1
        _urlspool urlspool --schem urlspool; printf "%s\n" "${COMPREPLY[@]}"' bash "$1")
    [ "$completed" = --scheme ] || fail "$1 completes --schem to '$completed'"
}
