"""The repeated Prisoner's Dilemma: twenty rounds, payoffs 5, 3, 1 and 0.

A state is the number of rounds played and the points of both players.
"""

from itertools import product

from perft import main

ROUNDS = 20
PAYOFF = {"cc": (3, 3), "cd": (0, 5), "dc": (5, 0), "dd": (1, 1)}


def joint_moves(_state):
    return ["".join(choices) for choices in product("cd", repeat=2)]


def play(state, choices):
    played, alice, bob = state
    for_alice, for_bob = PAYOFF[choices]
    return played + 1, alice + for_alice, bob + for_bob


if __name__ == "__main__":
    main((0, 0, 0), joint_moves, play, lambda state: state[0] == ROUNDS)
