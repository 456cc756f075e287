#!/bin/sh
# Counts the instructions that grounding takes for each stored rule, which hardly changes from run to run,
# as times do on a busy machine. For work on the inner loops: run it before and after a change.
#
#     tools/instructions.sh                             # a few games of ours
#     tools/instructions.sh games/hex.kif …             # others
#     GRUNDY=other/grundy TOOL=perf tools/instructions.sh
#
# GRUNDY is the program (default: target/release/grundy), TOOL is `callgrind` or `perf` (default: callgrind
# if there is valgrind, else perf). What `grundy --version` takes, the start of any process, is subtracted.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
grundy=${GRUNDY:-$root/target/release/grundy}
if [ $# -eq 0 ]; then
    set -- "$root/games/amazons.kif" "$root/games/chess.kif" "$root/games/hex.kif" "$root/games/reversi.kif"
fi
if [ ! -x "$grundy" ]; then
    echo "no program at $grundy: run cargo build --release, or set GRUNDY" >&2
    exit 2
fi

# The instructions of a command; its output goes to the file $output.
output=$(mktemp)
counts=$(mktemp)
trap 'rm -f "$output" "$counts"' EXIT
with_callgrind() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" >"$output" 2>"$counts" &&
        sed -n 's/^.*Collected : *\([0-9]*\).*/\1/p' "$counts"
}
with_perf() {
    perf stat -x ' ' -e instructions:u -o "$counts" "$@" >"$output" 2>/dev/null &&
        sed -n 's/^\([0-9][0-9]*\) .*instructions.*/\1/p' "$counts"
}

# Whether a tool is there and counts: in a container perf often does not.
works() {
    count=$("with_$1" "$grundy" --version) && [ -n "$count" ]
}
if [ -n "${TOOL:-}" ]; then
    tools=$TOOL
else
    tools="callgrind perf"
fi
tool=
for candidate in $tools; do
    if works "$candidate" 2>/dev/null; then
        tool=$candidate
        break
    fi
done
if [ -z "$tool" ]; then
    echo "skipped: none of these can count instructions here: $tools (callgrind needs valgrind)" >&2
    exit 77
fi

start=$("with_$tool" "$grundy" --version)
printf '%-24s %-9s %10s %14s %12s\n' game form rules instructions "a rule"
for game in "$@"; do
    for form in compact faithful; do
        option=
        if [ $form = faithful ]; then option=--faithful; fi
        # No word, if it is empty.
        if ! count=$("with_$tool" "$grundy" ground "$game" --json $option); then
            printf '%-24s %-9s failed\n' "$(basename "$game" .kif)" $form
            continue
        fi
        rules=$(sed -n 's/.*"rules":\([0-9]*\).*/\1/p' "$output")
        count=$((count - start))
        printf '%-24s %-9s %10d %14d %12d\n' "$(basename "$game" .kif)" $form "$rules" $count $((count / (rules > 0 ? rules : 1)))
    done
done
