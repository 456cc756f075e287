"""Checkers (English draughts) on 8 × 8, one jump of a chain at a time.

A state is (board, mover, chain, quiet): the board as a tuple of 64 characters,
row by row (b and w for men, B and W for kings, "." for free), the mover "b" or
"w", the square of the piece that has to go on jumping (or None), and the number
of moves since the last jump. A move is (kind, x, y, u, v), columns and rows
counted from 1. Black moves up the rows and begins.
"""

from perft import main

DRAW = 40  # moves in a row without a jump

BOARD = tuple(
    "." if (x + y) % 2 else "b" if y < 3 else "w" if y > 4 else "."
    for y in range(8) for x in range(8))


def rays(board, square):
    """The ways a piece may head: (one square on, two squares on), None off the board."""
    x, y = square % 8, square // 8
    piece = board[square]
    forward = 1 if piece in "bB" else -1
    for dy in (1, -1):
        if dy == forward or piece.isupper():
            for dx in (1, -1):
                yield [at(x + n * dx, y + n * dy) for n in (1, 2)]


def at(x, y):
    return 8 * y + x if 0 <= x < 8 and 0 <= y < 8 else None


def jumps_from(board, square):
    """The pairs (square taken, square landed on)."""
    mine = board[square].lower()
    return [(over, to) for over, to in rays(board, square)
            if to is not None and board[to] == "." and board[over].lower() not in (mine, ".")]


def steps_from(board, square):
    return [to for to, _ in rays(board, square) if to is not None and board[to] == "."]


def move(kind, square, to):
    return kind, square % 8 + 1, square // 8 + 1, to % 8 + 1, to // 8 + 1


def moves(state):
    board, mover, chain, _ = state
    own = [s for s in range(64) if board[s].lower() == mover] if chain is None else [chain]
    jumps = [move("jump", s, to) for s in own for _, to in jumps_from(board, s)]
    return jumps or [move("step", s, to) for s in own for to in steps_from(board, s)]


def play(state, chosen):
    board, mover, _, quiet = state
    kind, x, y, u, v = chosen
    start, end = at(x - 1, y - 1), at(u - 1, v - 1)
    after = list(board)
    after[start] = "."
    crowned = board[start] == mover and v == (8 if mover == "b" else 1)
    after[end] = mover.upper() if crowned else board[start]
    other = "w" if mover == "b" else "b"
    if kind == "step":
        return tuple(after), other, None, quiet + 1
    after[(start + end) // 2] = "."
    if not crowned and jumps_from(after, end):
        return tuple(after), mover, end, 0
    return tuple(after), other, None, 0


def over(state):
    return state[3] == DRAW or not moves(state)


if __name__ == "__main__":
    main((BOARD, "b", None, 0), moves, play, over)
