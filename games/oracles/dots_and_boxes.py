"""Dots and boxes with 3 × 3 boxes.

A state is (drawn, owners, mover): the lines drawn as a frozen set, the owners of
the boxes as a string ("r", "b" or "."), row by row, and the mover "r" or "b". A line
is ("across", x, y), above the box (x, y), or ("down", x, y), to its left.
"""

from perft import main

SIZE = 3
START = (frozenset(), "." * SIZE ** 2, "r")
BOXES = [{("across", x, y), ("across", x, y + 1), ("down", x, y), ("down", x + 1, y)}
         for y in range(1, SIZE + 1) for x in range(1, SIZE + 1)]
LINES = sorted(set().union(*BOXES))


def moves(state):
    return [("draw", line) for line in LINES if line not in state[0]]


def play(state, move):
    drawn, owners, mover = state
    drawn = drawn | {move[1]}
    after = "".join(mover if owner == "." and box <= drawn else owner
                    for owner, box in zip(owners, BOXES))
    if after == owners:
        mover = "b" if mover == "r" else "r"
    return drawn, after, mover


def over(state):
    return len(state[0]) == len(LINES)


if __name__ == "__main__":
    main(START, moves, play, over)
