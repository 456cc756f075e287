"""Chess: a plain move generator that tries every move and looks at the king after it.

A state is (board, white, rights, passant, quiet): the board as a tuple of 64
characters (a1, b1, … h8; capitals are white, "." is empty), whether white is on
turn, the castling rights as a string out of "KQkq", the square a pawn has just
passed over (or None), and the plies since the last capture or move of a pawn.
A move is (from, to, promotion), squares from 0 to 63; castling is the king's move.
"""

from perft import main

START = (tuple("RNBQKBNR" + "P" * 8 + "." * 32 + "p" * 8 + "rnbqkbnr"), True, "KQkq", None, 0)

STRAIGHT = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIAGONAL = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
LEAPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
SLIDES = {"r": STRAIGHT, "b": DIAGONAL, "q": STRAIGHT + DIAGONAL}
STEPS = {"n": LEAPS, "k": STRAIGHT + DIAGONAL}

# right -> squares of king and rook before, king and rook after
CASTLING = {"K": (4, 7, 6, 5), "Q": (4, 0, 2, 3), "k": (60, 63, 62, 61), "q": (60, 56, 58, 59)}


def ray(square, direction):
    """The squares from this one to the edge of the board."""
    found = []
    x, y = square % 8 + direction[0], square // 8 + direction[1]
    while 0 <= x < 8 and 0 <= y < 8:
        found.append(8 * y + x)
        x, y = x + direction[0], y + direction[1]
    return found


RAYS = {(s, d): ray(s, d) for s in range(64) for d in STRAIGHT + DIAGONAL + LEAPS}


def attacked(board, square, by_white):
    """Whether a piece of that colour attacks the square."""
    def is_(s, kind):
        return board[s] == (kind.upper() if by_white else kind)

    for kind, directions in STEPS.items():
        if any(is_(s, kind) for d in directions for s in RAYS[square, d][:1]):
            return True
    back = -1 if by_white else 1
    if any(is_(s, "p") for dx in (1, -1) for s in RAYS[square, (dx, back)][:1]):
        return True
    for d in STRAIGHT + DIAGONAL:
        for s in RAYS[square, d]:
            if board[s] != ".":
                if is_(s, "q") or is_(s, "r" if d in STRAIGHT else "b"):
                    return True
                break
    return False


def candidates(state):
    """All moves, including those that leave the own king in check."""
    board, white, rights, passant, _ = state
    ahead = 1 if white else -1
    for s in range(64):
        if board[s] == "." or board[s].isupper() != white:
            continue
        kind = board[s].lower()
        if kind == "p":
            targets = [t for dx in (1, -1) for t in RAYS[s, (dx, ahead)][:1]
                       if t == passant or board[t] != "." and board[t].isupper() != white]
            for t in RAYS[s, (0, ahead)][:2 if s // 8 == (1 if white else 6) else 1]:
                if board[t] != ".":
                    break
                targets.append(t)
            for t in targets:
                for promotion in "qrbn" if t // 8 in (0, 7) else (None,):
                    yield s, t, promotion
            continue
        for d in SLIDES.get(kind) or STEPS[kind]:
            for t in RAYS[s, d] if kind in SLIDES else RAYS[s, d][:1]:
                if board[t] == "." or board[t].isupper() != white:
                    yield s, t, None
                if board[t] != ".":
                    break
    for right in rights:
        if right.isupper() == white:
            king, rook, king_to, _ = CASTLING[right]
            low, high = sorted((king, rook))
            path = range(min(king, king_to), max(king, king_to) + 1)
            if all(board[s] == "." for s in range(low + 1, high)) and not any(
                    attacked(board, s, not white) for s in path):
                yield king, king_to, None


def play(state, move):
    board, white, rights, passant, quiet = state
    s, t, promotion = move
    after = list(board)
    piece, after[s] = board[s], "."
    after[t] = (promotion.upper() if white else promotion) if promotion else piece
    passed = None
    if piece in "Pp":
        if t == passant:
            after[t - 8 if white else t + 8] = "."
        if abs(s - t) == 16:
            passed = (s + t) // 2
    if piece in "Kk" and abs(s - t) == 2:
        _, rook, _, rook_to = next(c for c in CASTLING.values() if c[0] == s and c[2] == t)
        after[rook_to], after[rook] = after[rook], "."
    rights = "".join(r for r in rights if not {s, t} & set(CASTLING[r][:2]))
    quiet = 0 if piece in "Pp" or board[t] != "." else quiet + 1
    return tuple(after), not white, rights, passed, quiet


def legal(state):
    def safe(move):
        board, white, *_ = play(state, move)
        return not attacked(board, board.index("k" if white else "K"), white)

    return [move for move in candidates(state) if safe(move)]


def over(state):
    return state[4] == 100 or not legal(state)


if __name__ == "__main__":
    main(START, legal, play, over)
