"""Lines of Action on a board of 8 × 8; black begins.

A state is the tuple (mover's pieces, other pieces, number of moves so far).
The game ends when a side is connected, or after 200 moves; a player who cannot
move passes.
"""

from perft import main

SIZE = 8
LIMIT = 200
AXES = [(1, 0), (0, 1), (1, 1), (1, -1)]
DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


def inside(x, y):
    return 0 <= x < SIZE and 0 <= y < SIZE


def line_counts(pieces):
    """How many pieces are on each row, column and diagonal, named by axis and offset."""
    counts = {}
    for x, y in pieces:
        for dx, dy in AXES:
            line = dx, dy, x * dy - y * dx
            counts[line] = counts.get(line, 0) + 1
    return counts


def moves(state):
    mine, others, _ = state
    counts = line_counts(mine | others)
    found = []
    for x, y in mine:
        for dx, dy in AXES:
            n = counts[dx, dy, x * dy - y * dx]
            for sign in (1, -1):
                ex, ey = sign * dx, sign * dy
                to = x + n * ex, y + n * ey
                between = [(x + k * ex, y + k * ey) for k in range(1, n)]
                if inside(*to) and to not in mine and not any(c in others for c in between):
                    found.append(((x, y), to))
    return found or ["pass"]


def play(state, move):
    mine, others, played = state
    if move == "pass":
        return others, mine, played + 1
    start, to = move
    return others - {to}, mine - {start} | {to}, played + 1


def connected(pieces):
    todo = [next(iter(pieces))]
    seen = set(todo)
    while todo:
        x, y = todo.pop()
        for dx, dy in DIRECTIONS:
            other = x + dx, y + dy
            if other in pieces and other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen) == len(pieces)


def over(state):
    mine, others, played = state
    return played == LIMIT or connected(mine) or connected(others)


BLACK = frozenset((x, y) for x in range(1, SIZE - 1) for y in (0, SIZE - 1))
WHITE = frozenset((y, x) for x, y in BLACK)

if __name__ == "__main__":
    main((BLACK, WHITE, 0), moves, play, over)
