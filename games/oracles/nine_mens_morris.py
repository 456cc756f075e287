"""Nine men's morris; placing, moving or taking a man is one step.

A state is (board, mover, hands, taking, quiet): the board as a string of 24
points ("w", "b" or "."), ring by ring from the outside in, each ring clockwise
from its corner at the lower left; the mover 0 (white) or 1 (black); the men
in hand of both; whether the mover takes a man now; the steps without a mill.
"""

from perft import main

DRAW = 50  # steps in a row in which no mill is closed

NAMES = ("a1 a4 a7 d7 g7 g4 g1 d1 "
         "b2 b4 b6 d6 f6 f4 f2 d2 "
         "c3 c4 c5 d5 e5 e4 e3 d3").split()

# Around each ring: neighbours, and lines that begin at a corner (an even point).
# Between the rings: the midpoints (odd points) of the sides.
LINKS = ([(8 * ring + i, 8 * ring + (i + 1) % 8) for ring in range(3) for i in range(8)]
         + [(8 * ring + i, 8 * ring + 8 + i) for ring in range(2) for i in (1, 3, 5, 7)])
LINES = ([tuple(8 * ring + (i + n) % 8 for n in range(3)) for ring in range(3) for i in (0, 2, 4, 6)]
         + [(i, 8 + i, 16 + i) for i in (1, 3, 5, 7)])
NEIGHBOURS = [[b for a, b in LINKS if a == p] + [a for a, b in LINKS if b == p] for p in range(24)]


def in_mill(board, p):
    return any(p in line and all(board[q] == board[p] for q in line) for line in LINES)


def moves(state):
    board, mover, hands, taking, _ = state
    own, enemy = "wb"[mover], "bw"[mover]
    if taking:
        men = [p for p in range(24) if board[p] == enemy]
        return [("take", NAMES[p]) for p in [p for p in men if not in_mill(board, p)] or men]
    free = [p for p in range(24) if board[p] == "."]
    if hands[mover]:
        return [("place", NAMES[p]) for p in free]
    flying = board.count(own) == 3
    return [("move", NAMES[p], NAMES[q]) for p in range(24) if board[p] == own
            for q in (free if flying else NEIGHBOURS[p]) if board[q] == "."]


def play(state, move):
    board, mover, hands, _, quiet = state
    points = list(board)
    kind, *names = move
    where = [NAMES.index(name) for name in names]
    points[where[-1]] = "wb"[mover]
    if kind != "place":
        points[where[0]] = "."
    board = "".join(points)
    if kind == "place":
        hands = tuple(hands[i] - (i == mover) for i in (0, 1))
    if kind != "take" and in_mill(board, where[-1]):
        return board, mover, hands, True, 0
    return board, 1 - mover, hands, False, quiet + 1


def loser(state):
    """The player that has lost, or None."""
    board, mover, hands, _, _ = state
    for player in (0, 1):
        if board.count("wb"[player]) + hands[player] < 3:
            return player
    return None if moves(state) else mover


def over(state):
    return state[4] == DRAW or loser(state) is not None


START = ("." * 24, 0, (9, 9), False, 0)

if __name__ == "__main__":
    main(START, moves, play, over)
