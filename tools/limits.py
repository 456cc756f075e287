#!/usr/bin/env python3
"""Watches from outside whether commands keep their limits.

    cargo build --release
    python3 tools/limits.py games/*.kif --timeout 2 --max-memory 300M
    python3 tools/limits.py $(find CORPUS -name '*.kif') --commands ground,simulate --worst 20

Runs each command on each sheet and measures time and memory of the process. A command may take 0.5 s or 5 % longer than
its timeout, and a tenth plus 30 MB more than its memory; it has to end with an exit code below 4. Prints what exceeds
that, and the worst runs. The exit code is 1 if something exceeded a limit. On a busy machine times mean less.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time

COMMANDS = {
    "check": "check FILE",
    "ground": "ground FILE --out /dev/null",
    "faithful": "ground FILE --faithful --out /dev/null",
    "iterative": "ground FILE --method iterative --out /dev/null",
    "pruned": "ground FILE --invariants --out /dev/null",
    "network": "dump network FILE",
    "invariants": "dump network FILE --sizes --invariants",
    "simulate": "simulate FILE --playouts 200 --max-steps 1000",
    "reference": "simulate FILE --engine reference --playouts 20 --max-steps 100",
    "lifted": "simulate FILE --engine lifted --playouts 50 --max-steps 100",
    "batch": "simulate FILE --engine batch --playouts 600 --max-steps 1000",
    "record": "simulate FILE --playouts 50 --max-steps 1000 --record RECORD",
    "perft": "perft FILE 4",
    "metarules": "metarules FILE",
    "unfold": "unfold FILE --goal terminal",
}

MEGABYTE = 1 << 20


def run(command, patience):
    """The exit code, the seconds, the peak of resident megabytes, the first line of standard error about a limit, or else
    the last one."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        killer = threading.Timer(patience, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
    telling = [line for line in lines if "limit" in line] or lines[-1:]
    return process.returncode, seconds, usage.ru_maxrss / 1024, telling[0] if telling else ""


def size(text):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return int(float(text[:-1]) * units[text[-1]]) if text[-1] in units else int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheets", nargs="+")
    parser.add_argument("--grundy", default="target/release/grundy", help="the program")
    parser.add_argument("--timeout", type=float, default=2.0)
    parser.add_argument("--max-memory", default="300M")
    parser.add_argument("--commands", default=",".join(COMMANDS), help="names of commands: " + ", ".join(COMMANDS))
    parser.add_argument("--worst", type=int, default=10, help="how many of the worst runs to print")
    args = parser.parse_args()
    memory = size(args.max_memory) / MEGABYTE
    most_seconds = args.timeout + max(0.5, 0.05 * args.timeout)
    most_memory = memory * 1.1 + 30
    runs, exceeded = [], 0
    for sheet in args.sheets:
        for name in args.commands.split(","):
            with tempfile.TemporaryDirectory() as folder:
                words = shlex.split(COMMANDS[name])
                words = [{"FILE": sheet, "RECORD": folder + "/record"}.get(word, word) for word in words]
                limits = ["--timeout", str(args.timeout), "--max-memory", args.max_memory]
                code, seconds, peak, last = run([args.grundy, *words, *limits], most_seconds + 30)
                left = os.listdir(folder)
            half_written = any(file.endswith(".part") for file in left)
            is_wrong = seconds > most_seconds or peak > most_memory or code not in (0, 1, 2, 3) or half_written
            is_wrong = is_wrong or (code == 3 and "limit" not in last)
            runs.append((seconds / most_seconds, peak / most_memory, name, sheet, code, seconds, peak, last))
            if is_wrong:
                exceeded += 1
                print(f"EXCEEDED {name} {sheet}: exit {code}, {seconds:.2f} s, {peak:.0f} MB, {last[:160]}", flush=True)
    for what, key in [("time", 0), ("memory", 1)]:
        print(f"worst in {what}")
        for one in sorted(runs, key=lambda one: -one[key])[: args.worst]:
            print(f"  {one[2]:10} exit {one[4]} {one[5]:6.2f} s {one[6]:6.0f} MB  {one[3]}  {one[7][:80]}")
    print(f"{len(runs)} runs, {exceeded} exceeded a limit ({args.timeout} s, {args.max_memory})")
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
