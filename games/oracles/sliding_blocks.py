"""Sliding blocks of four sizes in a tray of 4 × 4, at most fifty moves.

A state is the number of moves made and the tray as a string, row by row from
the top; the large square `s` is to get to the lower right corner.
"""

from perft import main

SIZE, LIMIT = 4, 50
TRAY = "ssp." "ssuu" "lrdd" "lr.."
DIRECTIONS = [(0, 1), (0, -1), (1, 0), (-1, 0)]


def slid(tray, block, direction):
    """The tray after the block has moved by one square, or None if it cannot."""
    after = [cell if cell != block else "." for cell in tray]
    for square, cell in enumerate(tray):
        if cell == block:
            row, column = (a + b for a, b in zip(divmod(square, SIZE), direction))
            if not (0 <= row < SIZE and 0 <= column < SIZE):
                return None
            if after[SIZE * row + column] != ".":
                return None
            after[SIZE * row + column] = block
    return "".join(after)


def slides(state):
    """The trays that a single move leads to."""
    trays = [slid(state[1], block, direction) for block in "spudlr" for direction in DIRECTIONS]
    return [tray for tray in trays if tray]


def over(state):
    made, tray = state
    return made == LIMIT or tray[SIZE * SIZE - 1] == tray[SIZE * SIZE - 6] == "s"


if __name__ == "__main__":
    main((0, TRAY), slides, lambda state, tray: (state[0] + 1, tray), over)
