"""Pig to 20 points, at most eight turns each.

A state is the turn (0 to 16), the points of the turn so far, and the scores
of the player to move and of the other one. A joint move is the player's
choice and the number thrown, which counts only for a roll.
"""

from itertools import product

from perft import main

TARGET, TURNS = 20, 16
JOINT_MOVES = list(product(("roll", "hold"), range(1, 7)))


def play(state, move):
    turn, collected, mine, theirs = state
    choice, pips = move
    if choice == "hold":
        return turn + 1, 0, theirs, mine + collected
    if pips == 1:
        return turn + 1, 0, theirs, mine
    return turn, collected + pips, mine, theirs


def over(state):
    turn, collected, mine, _ = state
    return turn == TURNS or mine + collected >= TARGET


if __name__ == "__main__":
    main((0, 0, 0, 0), lambda _: JOINT_MOVES, play, over)
