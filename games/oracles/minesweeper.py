"""Minesweeper: three mines hidden one by one in 4 × 4 cells, then uncovering.

A state is the set of mines and the set of uncovered cells.
"""

from perft import main

CELLS = frozenset((x, y) for x in range(4) for y in range(4))
MINES = 3


def moves(state):
    mines, uncovered = state
    return sorted(CELLS - (mines if len(mines) < MINES else uncovered))


def play(state, cell):
    mines, uncovered = state
    if len(mines) < MINES:
        return mines | {cell}, uncovered
    return mines, uncovered | {cell}


def over(state):
    mines, uncovered = state
    return bool(mines & uncovered) or mines | uncovered == CELLS


if __name__ == "__main__":
    main((frozenset(), frozenset()), moves, play, over)
