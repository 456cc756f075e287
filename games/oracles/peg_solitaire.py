"""Peg solitaire on the English board of 33 holes, the centre empty at first.

A state is the set of pegs.
"""

from perft import main

HOLES = frozenset((x, y) for x in range(7) for y in range(7) if 2 <= x <= 4 or 2 <= y <= 4)
JUMPS = [((x, y), (x + dx, y + dy), (x + 2 * dx, y + 2 * dy))
         for x, y in sorted(HOLES) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
         if (x + 2 * dx, y + 2 * dy) in HOLES]


def jumps(pegs):
    return [(start, over, end) for start, over, end in JUMPS
            if start in pegs and over in pegs and end not in pegs]


def jump(pegs, move):
    start, over, end = move
    return pegs - {start, over} | {end}


if __name__ == "__main__":
    main(HOLES - {(3, 3)}, jumps, jump, lambda pegs: not jumps(pegs))
