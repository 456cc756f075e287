"""Nim with heaps of 3, 4 and 5 stones; the last stone wins."""

from perft import main


def takes(heaps):
    return [(i, n) for i, size in enumerate(heaps) for n in range(1, size + 1)]


def take(heaps, move):
    i, n = move
    return heaps[:i] + (heaps[i] - n,) + heaps[i + 1:]


if __name__ == "__main__":
    main((3, 4, 5), takes, take, lambda heaps: not any(heaps))
