"""Knightthrough on a board of 8 × 8; white begins.

A state is the pair (mover's pieces, other pieces), two sets of (x, y). It is
always seen with the mover going up: the board is turned after each move.
"""

from perft import main

SIZE = 8


def turned(pieces):
    return frozenset((x, SIZE - 1 - y) for x, y in pieces)


def moves(state):
    mine, _ = state
    found = []
    for x, y in mine:
        for dx, dy in ((-2, 1), (-1, 2), (1, 2), (2, 1)):
            to = (x + dx, y + dy)
            if 0 <= to[0] < SIZE and to[1] < SIZE and to not in mine:
                found.append(((x, y), to))
    return found


def move(state, step):
    mine, others = state
    start, to = step
    return turned(others - {to}), turned(mine - {start} | {to})


def over(state):
    """Whether the side that has just moved (seen going down) has won."""
    mine, others = state
    return not mine or any(y == 0 for _, y in others)


SETUP = frozenset((x, y) for x in range(SIZE) for y in (0, 1))

if __name__ == "__main__":
    main((SETUP, turned(SETUP)), moves, move, over)
