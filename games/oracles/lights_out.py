"""Lights Out on 5 × 5 lamps, the corners lit, at most twelve presses.

A state is the number of presses and the lit lamps, one bit each.
"""

from perft import main

SIZE, LIMIT = 5, 12


def bit(x, y):
    return 1 << (SIZE * y + x) if 0 <= x < SIZE and 0 <= y < SIZE else 0


# What pressing each lamp switches: the lamp and its neighbours.
PRESSES = [bit(x, y) | bit(x + 1, y) | bit(x - 1, y) | bit(x, y + 1) | bit(x, y - 1)
           for y in range(SIZE) for x in range(SIZE)]


def press(state, lamps):
    presses, lit = state
    return presses + 1, lit ^ lamps


def over(state):
    presses, lit = state
    return presses == LIMIT or lit == 0


if __name__ == "__main__":
    corners = bit(0, 0) | bit(4, 0) | bit(0, 4) | bit(4, 4)
    main((0, corners), lambda _: PRESSES, press, over)
