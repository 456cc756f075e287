"""Tic-tac-toe: three in a row on a board of 3 × 3; x begins."""

from perft import main

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def empty_cells(board):
    return [i for i in range(9) if board[i] == "."]


def mark(board, i):
    player = "x" if board.count(".") % 2 == 1 else "o"
    return board[:i] + player + board[i + 1:]


def over(board):
    return "." not in board or any(
        board[a] != "." and board[a] == board[b] == board[c] for a, b, c in LINES)


if __name__ == "__main__":
    main("." * 9, empty_cells, mark, over)
