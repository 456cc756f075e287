"""Hex on a rhombus of 9 × 9 cells; red begins, without a swap rule.

A state is the board as a string of rows; red connects left and right, blue
connects bottom and top.
"""

from perft import main

SIZE = 9


def free_cells(board):
    return [i for i, stone in enumerate(board) if stone == "."]


def place(board, i):
    played = len(board) - board.count(".")
    return board[:i] + "rb"[played % 2] + board[i + 1:]


def neighbours(x, y):
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)):
        if 0 <= x + dx < SIZE and 0 <= y + dy < SIZE:
            yield x + dx, y + dy


def connected(board, player):
    """Whether a flood from the player's first side reaches the other side."""
    def owns(x, y):
        return board[y * SIZE + x] == player

    axis = "rb".index(player)
    start = [(0, k) if axis == 0 else (k, 0) for k in range(SIZE)]
    todo = [cell for cell in start if owns(*cell)]
    seen = set(todo)
    while todo:
        cell = todo.pop()
        if cell[axis] == SIZE - 1:
            return True
        for other in neighbours(*cell):
            if other not in seen and owns(*other):
                seen.add(other)
                todo.append(other)
    return False


def over(board):
    return connected(board, "r") or connected(board, "b")


if __name__ == "__main__":
    main("." * SIZE ** 2, free_cells, place, over)
