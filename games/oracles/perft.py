"""Counting move sequences, for the oracles in this folder.

An oracle describes a game with four things and hands them to `main`:

    initial               the first state, a hashable value
    joint_moves(state)    the list of joint moves: one move of every player
                          together (in turn-taking games, the mover's moves)
    apply(state, move)    the state that follows
    terminal(state)       whether the game is over in that state

The count at depth d is the number of sequences of exactly d joint moves from
the initial state; a terminal state has no continuation. States are counted
layer by layer, and a state that is reached in many ways is expanded once.
"""

import sys


def counts(initial, joint_moves, apply, terminal, depth):
    """Yield the pairs (d, number of sequences of d joint moves), d = 1..depth."""
    layer = {initial: 1}  # state -> in how many ways it is reached
    for d in range(1, depth + 1):
        total = 0
        following = {}
        for state, ways in layer.items():
            if terminal(state):
                continue
            moves = joint_moves(state)
            total += ways * len(moves)
            if d < depth:
                for move in moves:
                    child = apply(state, move)
                    following[child] = following.get(child, 0) + ways
        yield d, total
        layer = following


def main(initial, joint_moves, apply, terminal):
    """Print a line `depth count` for every depth up to the one on the command line."""
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(f"usage: python3 {sys.argv[0]} DEPTH")
    for d, total in counts(initial, joint_moves, apply, terminal, int(sys.argv[1])):
        print(d, total, flush=True)
