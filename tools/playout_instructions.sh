#!/bin/sh
# Counts the instructions of a playout with and without invariants, which hardly change from run to run, as times do
# on a busy machine. Needs valgrind.
#
#     tools/playout_instructions.sh batch games/tic-tac-toe.kif …
#     GRUNDY=other/grundy PLAYOUTS=60 tools/playout_instructions.sh incremental games/connect-four.kif
#
# Two runs with different numbers of playouts are compared, so that the time before the first one does not count.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
grundy=${GRUNDY:-$root/target/release/grundy}
playouts=${PLAYOUTS:-512}
if [ $# -lt 2 ]; then
    echo "usage: $0 ENGINE GAME…" >&2
    exit 2
fi
engine=$1
shift

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$grundy" simulate --engine "$engine" --threads 1 "$@" 2>&1 |
        sed -n 's/^.*Collected : *\([0-9]*\).*/\1/p'
}
a_playout() {
    few=$(count "$@" --playouts "$playouts")
    many=$(count "$@" --playouts $((5 * playouts)))
    echo $(((many - few) / (4 * playouts)))
}

printf '%-24s %12s %12s\n' game without with
for game in "$@"; do
    printf '%-24s %12d %12d\n' "$(basename "$game" .kif)" "$(a_playout "$game")" "$(a_playout "$game" --invariants=300)"
done
