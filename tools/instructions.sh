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
. "$root/tools/counting.sh"
if [ $# -eq 0 ]; then
    set -- "$root/games/amazons.kif" "$root/games/chess.kif" "$root/games/hex.kif" "$root/games/reversi.kif"
fi

count_of "$grundy" --version
start=$count
printf '%-24s %-9s %10s %14s %12s\n' game form rules instructions "a rule"
for game in "$@"; do
    for form in compact faithful; do
        option=
        if [ $form = faithful ]; then option=--faithful; fi
        # No word, if it is empty.
        if ! count_of "$grundy" ground "$game" --json $option; then
            printf '%-24s %-9s failed\n' "$(basename "$game" .kif)" $form
            continue
        fi
        rules=$(sed -n 's/.*"rules":\([0-9]*\).*/\1/p' "$output")
        count=$((count - start))
        printf '%-24s %-9s %10d %14d %12d\n' "$(basename "$game" .kif)" $form "$rules" $count $((count / (rules > 0 ? rules : 1)))
    done
done
