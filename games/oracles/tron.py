"""Tron on a grid of 8 × 8: two riders move at once and leave walls behind.

A state is the cell of either rider and the set of all walls. A rider who
cannot move loses; two riders on one cell have collided.
"""

from itertools import product

from perft import main

SIZE = 8
RED, BLUE = (2, 4), (7, 5)


def exits(cell, walls):
    x, y = cell
    around = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return [(u, v) for u, v in around
            if 1 <= u <= SIZE and 1 <= v <= SIZE and (u, v) not in walls]


def joint_moves(state):
    red, blue, walls = state
    return list(product(exits(red, walls), exits(blue, walls)))


def ride(state, cells):
    return cells[0], cells[1], state[2] | set(cells)


def over(state):
    red, blue, _ = state
    return red == blue or not joint_moves(state)


if __name__ == "__main__":
    main((RED, BLUE, frozenset((RED, BLUE))), joint_moves, ride, over)
