#!/usr/bin/env python3
"""Compares the ground rules of grundy with those of gringo, as sets.

    python3 tools/compare_asp.py --grundy BIN games/hex.kif …
    python3 tools/compare_asp.py --grundy BIN --corpus DIR --timeout 60

`grundy export asp` gives the program that gringo (Python package `clingo`, installed into a virtual
environment of its own below `target/`) grounds to aspif; `grundy ground --faithful --emit aspif` gives
ours. A rule is its head and the set of its conditions. Left out on both sides: choices, the atom `on`,
atoms that gringo found to be facts (what is static), and negations of atoms that nothing makes true.

The table has the number of rules, the seconds of both, and the differences. Ours are those of the whole
process by the clock, with the output in a file in memory where there is /dev/shm; gringo's are those of
grounding alone. (The command line that the package brings along makes a system call for every number that
it writes. So rules are taken from gringo as it finds them, in a second run, and no time is taken of that.)

Exit codes: 0 no differences; 1 differences, or one of the two failed (of a single game: if it could not be
compared for any reason but gringo's time); 2 the call is wrong; 77 clingo cannot be had, or, for a single
game, gringo ran out of time.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
HEADER = "game\tstatus\trules\tgrundy_s\tgringo_s\tratio\tonly_grundy\tonly_gringo"


def main():
    if sys.argv[1:2] == ["--gringo"]:
        return run_gringo(*sys.argv[2:])
    args = arguments()
    python = clingo_python(pathlib.Path(args.venv))
    if args.setup:
        return 0
    below = sorted(pathlib.Path(args.corpus).rglob("*.kif")) if args.corpus else []
    games = args.games + [str(path) for path in below]
    folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        comparer = Comparer(args, python, pathlib.Path(scratch))
        print(HEADER, flush=True)
        statuses = [comparer.compare(game) for game in games]
    counts = {status: statuses.count(status) for status in dict.fromkeys(statuses)}
    print(", ".join(f"{count} {status}" for status, count in counts.items()), file=sys.stderr)
    return exit_code(statuses)


def exit_code(statuses):
    if any(status in ("different", "failed", "gringo failed") for status in statuses):
        return 1
    return {("equal",): 0, ("gringo timeout",): SKIPPED}.get(tuple(statuses), 1) if len(statuses) == 1 else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--grundy", default=str(ROOT / "target/release/grundy"), help="the program")
    parser.add_argument("--corpus", metavar="DIR", help="compare all sheets below a folder")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="seconds that either may take")
    parser.add_argument("--venv", default=str(ROOT / "target/venv-clingo"), help="where clingo is installed")
    parser.add_argument("--setup", action="store_true", help="install clingo, and that is all")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="differences to print of each game")
    return parser.parse_args()


def clingo_python(venv):
    """The Python of a virtual environment that has clingo; makes one where there is none."""
    python = venv / "bin/python"
    works = [str(python), "-c", "import clingo"]
    if python.exists() and subprocess.run(works, capture_output=True).returncode == 0:
        return str(python)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "clingo"]
    for command in ([sys.executable, "-m", "venv", str(venv)], pip, works):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"skipped: {' '.join(command)} failed:\n{done.stderr or done.stdout}", file=sys.stderr)
            sys.exit(SKIPPED)
    return str(python)


def run_gringo(program, output):
    """Grounds a program, prints the seconds, and writes the rules to a file. Runs where clingo is."""
    import clingo

    def ground(*observers):
        control = clingo.Control(["--warn=none"])
        for observer in observers:
            control.register_observer(observer)
        control.load(program)
        start = time.perf_counter()
        control.ground([("base", [])])
        return time.perf_counter() - start

    with open(output, "w", encoding="utf-8") as out:

        class Writer(clingo.Observer):
            def rule(self, choice, head, body):
                literals = " ".join(map(str, body))
                out.write(f"1 {int(choice)} {len(head)} {head[0] if head else ''} 0 {len(body)} {literals}\n")

            def output_atom(self, symbol, atom):
                name = str(symbol)
                out.write(f"4 {len(name)} {name} 1 {atom}\n" if atom else f"4 {len(name)} {name} 0\n")

        seconds = ground()
        ground(Writer())
    print(seconds)
    return 0


class Comparer:
    def __init__(self, args, python, scratch):
        self.args = args
        self.gringo = [python, __file__, "--gringo"]
        self.scratch = scratch

    def compare(self, game):
        """Prints a line of the table and tells the status."""
        program, theirs, ours, report = (self.scratch / name for name in ("game.lp", "gringo", "grundy", "report"))
        status, seconds, counts, differences = "unusable", [None, None], [None] * 3, []
        limit = self.args.timeout
        if timed([self.args.grundy, "export", "asp", game], program, limit)[0] == 0:
            command = [self.args.grundy, "ground", game, "--faithful", "--emit", "aspif", "--timeout", str(limit)]
            code, seconds[0] = timed([*command, "--out", str(ours)], os.devnull, limit + 10)
            # Both runs of gringo, the second of which is slower.
            their_code, _ = timed([*self.gringo, str(program), str(theirs)], report, 3 * limit)
            status = {0: "equal", 3: "limit"}.get(code, "failed")
            if their_code != 0:
                status = "gringo timeout" if their_code is None else "gringo failed"
            else:
                seconds[1] = float(report.read_text())
        if status == "equal":
            counts, differences = compare_files(ours, theirs, self.args.show)
            status = "different" if counts[1] or counts[2] else "equal"
        ratio = f"{seconds[1] / seconds[0]:.1f}" if None not in seconds else None
        cells = [counts[0], *(s if s is None else f"{s:.3f}" for s in seconds), ratio, *counts[1:]]
        print("\t".join([short(game), status, *("-" if c is None else str(c) for c in cells)]), flush=True)
        for line in differences:
            print(f"    {line}", flush=True)
        return status


def timed(command, output, limit):
    """Runs a command; its exit code (`None` if it ran out of time) and its seconds."""
    with open(output, "wb") as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
        # `wait` with a time limit looks now and then only, up to 50 ms late.
        killer = threading.Timer(limit, process.kill)
        killer.start()
        code = process.wait()
        seconds = time.perf_counter() - start
        killer.cancel()
        return None if code == -signal.SIGKILL else code, seconds


def short(game):
    path = pathlib.Path(game)
    return f"{path.parent.name}/{path.stem}"


def compare_files(ours, theirs, show):
    """The number of our rules, of those that only we have and of those that only gringo has, and some of both."""
    atoms = {}
    files = [GroundFile(path, atoms) for path in (ours, theirs)]
    hashes = [set(map(hash, ground.rules())) for ground in files]
    only = [hashes[0] - hashes[1], hashes[1] - hashes[0]]
    differences = []
    if only[0] or only[1]:
        names = {number: name for name, number in atoms.items()}
        for who, ground, wanted in zip(("grundy", "gringo"), files, only):
            differences += [f"only {who}: {text(rule, names)}" for rule in first(ground.rules(), wanted, show)]
    return [len(hashes[0]), len(only[0]), len(only[1])], differences


def first(rules, wanted, most):
    """The first rules with these hashes, each once."""
    found = {}
    for rule in rules if wanted else ():
        if hash(rule) in wanted:
            found[rule] = None
            if len(found) == most:
                break
    return found


def text(rule, names):
    head, body = rule
    conditions = sorted(("" if c > 0 else "not ") + names[abs(c)] for c in body)
    return f"{names[head]} :- {', '.join(conditions)}."


class GroundFile:
    """A program in aspif whose atoms are known by name; `atoms` numbers the names of all files from one."""

    def __init__(self, path, atoms):
        self.path = path
        self.atom_of = {}
        possible = set()
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("4 "):
                    _, _, name, count, *literals = line.split()
                    if count == "1" and name != "on":
                        self.atom_of[literals[0]] = atoms.setdefault(name, len(atoms) + 1)
                elif line.startswith("1 "):
                    possible.add(line.split(" ", 4)[3])
        self.literal = {}
        for number, atom in self.atom_of.items():
            self.literal[number] = atom
            if number in possible:
                self.literal["-" + number] = -atom

    def rules(self):
        """Head and set of conditions of every rule, repeats included."""
        literal = self.literal
        with open(self.path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("1 0 1 "):
                    _, _, _, head, _, _, *body = line.split()
                    head = self.atom_of.get(head)
                    if head is not None:
                        yield head, frozenset([literal[c] for c in body if c in literal])


if __name__ == "__main__":
    sys.exit(main())
