"""The Game of the Amazons on a board of 10 × 10; white begins.

A turn is two steps: an amazon moves, then it shoots. A state is the tuple
(mover's amazons, other amazons, arrows, archer), where the archer is the amazon
that must shoot now, or None.
"""

from perft import main

SIZE = 10
DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


def targets(state, cell):
    """The cells that a queen on this cell reaches."""
    mine, others, arrows, _ = state
    found = []
    for dx, dy in DIRECTIONS:
        x, y = cell[0] + dx, cell[1] + dy
        while 0 <= x < SIZE and 0 <= y < SIZE:
            if (x, y) in mine or (x, y) in others or (x, y) in arrows:
                break
            found.append((x, y))
            x, y = x + dx, y + dy
    return found


def moves(state):
    mine, _, _, archer = state
    if archer is not None:
        return targets(state, archer)
    return [(start, to) for start in mine for to in targets(state, start)]


def play(state, move):
    mine, others, arrows, archer = state
    if archer is not None:
        return others, mine, arrows | {move}, None
    start, to = move
    return mine - {start} | {to}, others, arrows, to


def over(state):
    return not moves(state)


WHITE = frozenset([(0, 3), (3, 0), (6, 0), (9, 3)])
BLACK = frozenset([(0, 6), (3, 9), (6, 9), (9, 6)])

if __name__ == "__main__":
    main((WHITE, BLACK, frozenset(), None), moves, play, over)
