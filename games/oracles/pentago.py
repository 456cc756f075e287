"""Pentago on 6 × 6: a turn is two steps, placing a marble and rotating a quadrant.

A state is (board, step): the rows of the board from top to bottom as one string
of 36 cells ("w", "b" or "."), and the number of steps played. White begins.
"""

from perft import main

QUADRANTS = {"upper-left": (0, 0), "upper-right": (3, 0), "lower-left": (0, 3), "lower-right": (3, 3)}
START = ("." * 36, 0)


def moves(state):
    board, step = state
    if step % 2 == 0:
        return [("place", i % 6 + 1, i // 6 + 1) for i in range(36) if board[i] == "."]
    return [("rotate", q, d) for q in QUADRANTS for d in ("clockwise", "anticlockwise")]


def play(state, move):
    board, step = state
    cells = list(board)
    kind, a, b = move
    if kind == "place":
        cells[6 * (b - 1) + a - 1] = "wb"[step // 2 % 2]
    else:
        x, y = QUADRANTS[a]
        block = [board[6 * (y + r) + x:6 * (y + r) + x + 3] for r in range(3)]
        if b == "clockwise":  # the columns, read upward, become the rows
            turned = list(zip(*reversed(block)))
        else:
            turned = list(reversed(list(zip(*block))))
        for r in range(3):
            cells[6 * (y + r) + x:6 * (y + r) + x + 3] = turned[r]
    return "".join(cells), step + 1


def five(board, colour):
    for x in range(6):
        for y in range(6):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if 0 <= x + 4 * dx < 6 and 0 <= y + 4 * dy < 6 and all(
                        board[6 * (y + n * dy) + x + n * dx] == colour for n in range(5)):
                    return True
    return False


def over(state):
    board, step = state
    return five(board, "w") or five(board, "b") or step == 72


if __name__ == "__main__":
    main(START, moves, play, over)
