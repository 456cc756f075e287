"""Kuhn poker: three cards, two players, one bet.

A state is the pair of cards dealt (None before that) and the betting so far,
a string of p (pass: check or fold) and b (bet or call).
"""

from itertools import permutations

from perft import main

ENDS = {"pp", "bp", "bb", "pbp", "pbb"}


def moves(state):
    cards, _ = state
    return list(permutations("JQK", 2)) if cards is None else ["p", "b"]


def play(state, move):
    cards, betting = state
    return (move, "") if cards is None else (cards, betting + move)


if __name__ == "__main__":
    main((None, ""), moves, play, lambda state: state[1] in ENDS)
