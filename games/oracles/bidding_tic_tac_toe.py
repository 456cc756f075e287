"""Bidding tic-tac-toe: four coins each, the bid goes to the other player.

A state is the board, the coins of x and o, who has the chip (0 for x, 1 for
o), and who is to mark a cell (None while they bid).
"""

from perft import main

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def joint_moves(state):
    board, coins, _, marker = state
    if marker is None:
        return [(x, o) for x in range(coins[0] + 1) for o in range(coins[1] + 1)]
    return [i for i in range(9) if board[i] == "."]


def play(state, move):
    board, coins, chip, marker = state
    if marker is not None:
        return board[:move] + "xo"[marker] + board[move + 1:], coins, chip, None
    x, o = move
    if x == o:
        winner, chip = chip, 1 - chip
    else:
        winner = 0 if x > o else 1
    price = move[winner]
    payment = (-price, price) if winner == 0 else (price, -price)
    return board, (coins[0] + payment[0], coins[1] + payment[1]), chip, winner


def over(state):
    board = state[0]
    return "." not in board or any(
        board[a] != "." and board[a] == board[b] == board[c] for a, b, c in LINES)


if __name__ == "__main__":
    main(("." * 9, (4, 4), 0, None), joint_moves, play, over)
