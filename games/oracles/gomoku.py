"""Gomoku on a board of 15 × 15: five or more in a row win; black begins.

A state is the board as a string of rows, and whether the last move won.
"""

from perft import main

SIZE = 15


def free_points(state):
    return [i for i, stone in enumerate(state[0]) if stone == "."]


def place(state, i):
    board, _ = state
    player = "bw"[(len(board) - board.count(".")) % 2]
    board = board[:i] + player + board[i + 1:]
    return board, wins(board, i)


def wins(board, i):
    """Whether the stone on point i is part of a line of five or more."""
    def run(dx, dy):
        n, x, y = 0, i % SIZE + dx, i // SIZE + dy
        while 0 <= x < SIZE and 0 <= y < SIZE and board[y * SIZE + x] == board[i]:
            n, x, y = n + 1, x + dx, y + dy
        return n

    return any(1 + run(dx, dy) + run(-dx, -dy) >= 5
               for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)))


def over(state):
    return state[1] or "." not in state[0]


if __name__ == "__main__":
    main(("." * SIZE ** 2, False), free_points, place, over)
