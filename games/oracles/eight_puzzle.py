"""The Eight Puzzle from `_12 345 678`, at most 31 moves.

A state is the number of moves made and the board as a string, row by row.
"""

from perft import main

LIMIT = 31
START, SOLVED = "_12345678", "12345678_"


def slides(state):
    """The squares whose tile can slide into the empty square."""
    row, column = divmod(state[1].index("_"), 3)
    around = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
    return [3 * r + c for r, c in around if 0 <= r < 3 and 0 <= c < 3]


def slide(state, square):
    made, board = state
    swap = {"_": board[square], board[square]: "_"}
    return made + 1, "".join(swap.get(tile, tile) for tile in board)


def over(state):
    return state[0] == LIMIT or state[1] == SOLVED


if __name__ == "__main__":
    main((0, START), slides, slide, over)
