"""Connect Four on the usual board, 7 columns of 6 cells; red begins.

A state is the tuple of columns, each a string of discs from the bottom up,
and whether the last move made a line of four.
"""

from perft import main

WIDTH, HEIGHT = 7, 6


def free_columns(state):
    return [c for c in range(WIDTH) if len(state[0][c]) < HEIGHT]


def drop(state, c):
    columns, _ = state
    disc = "ry"[sum(map(len, columns)) % 2]
    columns = columns[:c] + (columns[c] + disc,) + columns[c + 1:]
    return columns, wins(columns, c)


def wins(columns, c):
    """Whether the top disc of column c is part of a line of four."""
    r = len(columns[c]) - 1
    colour = columns[c][r]

    def run(dc, dr):
        n, x, y = 0, c + dc, r + dr
        while 0 <= x < WIDTH and 0 <= y < len(columns[x]) and columns[x][y] == colour:
            n, x, y = n + 1, x + dc, y + dr
        return n

    return any(1 + run(dc, dr) + run(-dc, -dr) >= 4
               for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)))


def over(state):
    return state[1] or not free_columns(state)


if __name__ == "__main__":
    main((("",) * WIDTH, False), free_columns, drop, over)
