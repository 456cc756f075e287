"""Connect Three for red, green and blue: six columns, five cells high.

A state is the number of discs dropped, the columns as strings from the bottom
up, and whether the last disc completed a line of three.
"""

from perft import main

WIDTH, HEIGHT = 6, 5


def free_columns(state):
    return [c for c in range(WIDTH) if len(state[1][c]) < HEIGHT]


def drop(state, c):
    dropped, columns, _ = state
    columns = list(columns)
    columns[c] += "rgb"[dropped % 3]
    return dropped + 1, tuple(columns), completes(columns, c)


def completes(columns, c):
    """Whether the top disc of column c is in a line of three."""
    disc = (c, len(columns[c]) - 1)

    def same(x, y):
        return 0 <= x < WIDTH and 0 <= y < len(columns[x]) and columns[x][y] == columns[c][-1]

    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for first in (-2, -1, 0):  # where in the line the disc is
            if all(same(disc[0] + k * dx, disc[1] + k * dy) for k in range(first, first + 3)):
                return True
    return False


def over(state):
    return state[2] or not free_columns(state)


if __name__ == "__main__":
    main((0, ("",) * WIDTH, False), free_columns, drop, over)
