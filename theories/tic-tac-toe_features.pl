% Features of tic-tac-toe positions. Each predicate is a feature; its value is the number of its solutions.

marks_x(A) :- cell(A), mark(x, A).
marks_o(A) :- cell(A), mark(o, A).
free_cells(A) :- free(A).

corners_x(A) :- corner(A), mark(x, A).
corners_o(A) :- corner(A), mark(o, A).
centre_x :- centre(A), mark(x, A).
centre_o :- centre(A), mark(o, A).

lines_x(R) :- line(R, x).
lines_o(R) :- line(R, o).

open_rows_x(R) :- open(R, x).
open_rows_o(R) :- open(R, o).

threats_x(R, A) :- threat(R, x, A).
threats_o(R, A) :- threat(R, o, A).

% A cell that wins at once, and one that stops the other player from doing so.
wins(A) :- turn(P), player(P), threat(_R, P, A).
must_block(A) :- turn(P), other(P, Q), threat(_R, Q, A).

% A cell where two open rows of a player meet in which he has a mark: two threats at once.
forks_x(A) :- free(A), in_row(R, A), in_row(S, A), R \== S, open(R, x), open(S, x), reached(R, x), reached(S, x).
forks_o(A) :- free(A), in_row(R, A), in_row(S, A), R \== S, open(R, o), open(S, o), reached(R, o), reached(S, o).
reached(R, P) :- in_row(R, A), player(P), mark(P, A).
