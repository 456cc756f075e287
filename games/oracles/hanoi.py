"""The Towers of Hanoi: four discs, three pegs, at most twenty moves.

A state is the number of moves made and the three towers, each a string of
discs from the top down.
"""

from perft import main

LIMIT = 20


def moves(state):
    _, towers = state
    return [(i, j) for i in range(3) for j in range(3)
            if towers[i] and (not towers[j] or towers[i][0] < towers[j][0])]


def move(state, ends):
    made, towers = state
    i, j = ends
    towers = list(towers)
    towers[j] = towers[i][0] + towers[j]
    towers[i] = towers[i][1:]
    return made + 1, tuple(towers)


def over(state):
    made, towers = state
    return made == LIMIT or towers[2] == "1234"


if __name__ == "__main__":
    main((0, ("1234", "", "")), moves, move, over)
