"""The Battle of Numbers: two players choose a number from 1 to 5 at once.

A state is the pair of numbers, or None before the choice.
"""

from itertools import product

from perft import main

if __name__ == "__main__":
    main(None,
         lambda _: list(product(range(1, 6), repeat=2)),
         lambda _, numbers: numbers,
         lambda state: state is not None)
