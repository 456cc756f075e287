"""A knight's tour of the board of 5 × 5, from a corner.

A state is the knight's square and the set of squares visited.
"""

from perft import main

SIZE = 5
LEAPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def jumps(state):
    (x, y), visited = state
    return [(x + dx, y + dy) for dx, dy in LEAPS
            if 0 <= x + dx < SIZE and 0 <= y + dy < SIZE and (x + dx, y + dy) not in visited]


def jump(state, square):
    return square, state[1] | {square}


if __name__ == "__main__":
    main(((0, 0), frozenset({(0, 0)})), jumps, jump, lambda state: not jumps(state))
