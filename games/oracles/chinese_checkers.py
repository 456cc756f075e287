"""Chinese checkers for three on the small star of 73 holes, six pegs each.

Holes are points (x, y) as in the sheet: row y from 1 to 13, column x from 1 to
19, neighbours in a row two columns apart. A state is (pegs, turn): the pegs of
red, green and blue as three frozen sets, and the number of moves played. A move
is ("move", x, y, u, v), a whole chain of jumps included, or ("pass",).
"""

from perft import main

ROUNDS = 50
DIRECTIONS = [(2, 0), (-2, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)]


def triangle(tip, dx, dy):
    """The six holes of a corner with this tip and these directions of its sides."""
    (x, y), (a, b), (c, d) = tip, dx, dy
    return frozenset((x + i * a + j * c, y + i * b + j * d)
                     for i in range(3) for j in range(3 - i))


NORTH = triangle((10, 1), (-1, 1), (1, 1))
SOUTH = triangle((10, 13), (-1, -1), (1, -1))
NORTH_WEST = triangle((1, 4), (2, 0), (1, 1))
NORTH_EAST = triangle((19, 4), (-2, 0), (-1, 1))
SOUTH_WEST = triangle((1, 10), (2, 0), (1, -1))
SOUTH_EAST = triangle((19, 10), (-2, 0), (-1, -1))
CORNERS = NORTH | SOUTH | NORTH_WEST | NORTH_EAST | SOUTH_WEST | SOUTH_EAST

# The hexagon in the middle: all points at most three steps from the centre.
MIDDLE = frozenset((10 + dx, 7 + dy) for dy in range(-3, 4) for dx in range(-6, 7)
                   if (dx + dy) % 2 == 0 and abs(dx) + abs(dy) <= 6)
HOLES = MIDDLE | CORNERS
assert len(MIDDLE) == 37 and len(HOLES) == 73

STARTS = [NORTH, SOUTH_EAST, SOUTH_WEST]
TARGETS = [SOUTH, NORTH_WEST, NORTH_EAST]
STOPS = [MIDDLE | STARTS[i] | TARGETS[i] for i in range(3)]
START = (tuple(STARTS), 0)


def destinations(peg, pegs):
    """Where the peg can get to: neighbouring holes, and the ends of chains of jumps."""
    x, y = peg
    found = {(x + dx, y + dy) for dx, dy in DIRECTIONS} & HOLES - pegs
    pending = [peg]
    while pending:
        x, y = pending.pop()
        for dx, dy in DIRECTIONS:
            end = (x + 2 * dx, y + 2 * dy)
            if (x + dx, y + dy) in pegs and end in HOLES - pegs and end not in found:
                found.add(end)
                pending.append(end)
    return found


def moves(state):
    pegs, turn = state
    player, everywhere = turn % 3, frozenset().union(*pegs)
    found = [("move", *peg, *end) for peg in pegs[player]
             for end in destinations(peg, everywhere) if end in STOPS[player]]
    return found or [("pass",)]


def play(state, move):
    pegs, turn = state
    if move[0] == "move":
        x, y, u, v = move[1:]
        pegs = tuple(own - {(x, y)} | {(u, v)} if (x, y) in own else own for own in pegs)
    return pegs, turn + 1


def over(state):
    pegs, turn = state
    return turn == 3 * ROUNDS or any(pegs[i] == TARGETS[i] for i in range(3))


if __name__ == "__main__":
    main(START, moves, play, over)
