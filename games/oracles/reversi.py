"""Reversi (Othello) on a board of 8 × 8; black begins.

A state is the pair (board, mover): the board is a string of 64 cells. A player
without a place to play passes; the game ends when neither player has one.
"""

from perft import main

SIZE = 8
DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


def rays(i):
    """The cells around cell i, as one list for every direction."""
    found = []
    for dx, dy in DIRECTIONS:
        x, y = i % SIZE + dx, i // SIZE + dy
        ray = []
        while 0 <= x < SIZE and 0 <= y < SIZE:
            ray.append(y * SIZE + x)
            x, y = x + dx, y + dy
        if len(ray) > 1:
            found.append(ray)
    return found


RAYS = [rays(i) for i in range(SIZE * SIZE)]
OTHER = {"b": "w", "w": "b"}


def flips(board, player, i):
    """The cells that turn over when the player places a disc on cell i."""
    if board[i] != ".":
        return []
    found = []
    for ray in RAYS[i]:
        for n, j in enumerate(ray):
            if board[j] == player:
                found += ray[:n]
            if board[j] != OTHER[player]:
                break
    return found


def places(board, player):
    return [i for i in range(SIZE * SIZE) if flips(board, player, i)]


def moves(state):
    return places(*state) or ["pass"]


def play(state, i):
    board, player = state
    if i != "pass":
        cells = list(board)
        for j in [i] + flips(board, player, i):
            cells[j] = player
        board = "".join(cells)
    return board, OTHER[player]


def over(state):
    board, player = state
    return not places(board, player) and not places(board, OTHER[player])


if __name__ == "__main__":
    main(("." * 27 + "wb" + "." * 6 + "bw" + "." * 27, "b"), moves, play, over)
