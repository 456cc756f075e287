#!/bin/sh
# Counts the instructions that the machines take for each state of random play, which hardly changes from run to
# run, as times do on a busy machine. For work on the inner loops: run it before and after a change.
#
#     tools/playing.sh                             # a few games of ours
#     tools/playing.sh games/hex.kif …             # others
#     GRUNDY=other/grundy ENGINES="incremental" PLAYOUTS=2000 tools/playing.sh
#
# GRUNDY is the program (default: target/release/grundy), ENGINES the machines (default: scratch, incremental and
# batch), PLAYOUTS how many games count (default: 1024), TOOL is `callgrind` or `perf`. A short run is subtracted from
# a long one, so that reading, grounding and connecting do not count.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/counting.sh"
engines=${ENGINES:-scratch incremental batch}
playouts=${PLAYOUTS:-1024}
if [ $# -eq 0 ]; then
    set -- "$root/games/tic-tac-toe.kif" "$root/games/breakthrough.kif" "$root/games/reversi.kif" "$root/games/hex.kif"
fi

# The instructions and the states of so many playouts.
play() {
    count_of "$grundy" simulate "$1" --engine "$2" --playouts "$3" --json || return 1
    states=$(sed -n 's/.*"states":\([0-9]*\).*/\1/p' "$output")
}

printf '%-24s %-12s %10s %14s %12s\n' game engine states instructions "a state"
for game in "$@"; do
    for engine in $engines; do
        name=$(basename "$game" .kif)
        # A batch plays that many games at once in any case.
        short=512
        if ! play "$game" "$engine" $short; then
            printf '%-24s %-12s failed\n' "$name" "$engine"
            continue
        fi
        start_count=$count start_states=$states
        play "$game" "$engine" $((short + playouts))
        count=$((count - start_count)) states=$((states - start_states))
        printf '%-24s %-12s %10d %14d %12d\n' "$name" "$engine" $states $count $((count / (states > 0 ? states : 1)))
    done
done
