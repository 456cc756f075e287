# For the scripts beside it: finds the program and a tool that counts its instructions.
#
# Afterwards `$grundy` is the program, `$tool` the tool, and `count_of COMMAND…` sets `$count`; what the command
# prints is in the file `$output`.
grundy=${GRUNDY:-$root/target/release/grundy}
if [ ! -x "$grundy" ]; then
    echo "no program at $grundy: run cargo build --release, or set GRUNDY" >&2
    exit 2
fi
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
    works=$("with_$1" "$grundy" --version) && [ -n "$works" ]
}
tool=
for candidate in ${TOOL:-callgrind perf}; do
    if works "$candidate" 2>/dev/null; then
        tool=$candidate
        break
    fi
done
if [ -z "$tool" ]; then
    echo "skipped: none of these can count instructions here: ${TOOL:-callgrind perf} (callgrind needs valgrind)" >&2
    exit 77
fi

count_of() {
    count=$("with_$tool" "$@") && [ -n "$count" ]
}
