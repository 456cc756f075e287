"""Crossing: four walkers, each on the way to the opposite side of 5 × 5 cells.

A state is the number of steps made and the cells of the four walkers: from
the south, the west, the north and the east.
"""

from itertools import product

from perft import main

SIZE, LIMIT = 5, 10
START = ((3, 1), (1, 3), (3, 5), (5, 3))


def choices(cell, walkers):
    """The cell itself, for waiting, and the empty neighbouring cells."""
    x, y = cell
    around = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return [cell] + [(u, v) for u, v in around
                     if 1 <= u <= SIZE and 1 <= v <= SIZE and (u, v) not in walkers]


def joint_moves(state):
    _, walkers = state
    return list(product(*(choices(cell, walkers) for cell in walkers)))


def step(state, wanted):
    made, walkers = state
    return made + 1, tuple(want if wanted.count(want) == 1 else cell
                           for cell, want in zip(walkers, wanted))


def over(state):
    made, (south, west, north, east) = state
    return made == LIMIT or south[1] == SIZE or west[0] == SIZE or north[1] == 1 or east[0] == 1


if __name__ == "__main__":
    main((0, START), joint_moves, step, over)
