"""A Sudoku whose empty cells are filled in reading order.

A state is the square as a string of 81 digits, row by row, 0 for empty. The
single sequence at depth 57 is the solution.
"""

from perft import main

PUZZLE = ("200300900" "070000000" "000560004"
          "093000701" "060000050" "807000390"
          "100096000" "000000010" "009007005")


def digits(square):
    """The digits that fit into the first empty cell."""
    cell = square.find("0")
    if cell < 0:
        return []
    row, column = divmod(cell, 9)
    taken = {square[9 * r + c] for r in range(9) for c in range(9)
             if r == row or c == column or (r // 3, c // 3) == (row // 3, column // 3)}
    return [digit for digit in "123456789" if digit not in taken]


def write(square, digit):
    return square.replace("0", digit, 1)


if __name__ == "__main__":
    main(PUZZLE, digits, write, lambda square: not digits(square))
