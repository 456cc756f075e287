% Tic-tac-toe: three marks in a row.

index(1). index(2). index(3).

cell(c(X, Y)) :- index(X), index(Y).

% The eight rows, each with its three cells.
row(across(Y), c(1, Y), c(2, Y), c(3, Y)) :- index(Y).
row(down(X), c(X, 1), c(X, 2), c(X, 3)) :- index(X).
row(rising, c(1, 1), c(2, 2), c(3, 3)).
row(falling, c(1, 3), c(2, 2), c(3, 1)).

in_row(R, A) :- row(R, A, _B, _C).
in_row(R, B) :- row(R, _A, B, _C).
in_row(R, C) :- row(R, _A, _B, C).

centre(c(2, 2)).
corner(c(1, 1)). corner(c(1, 3)). corner(c(3, 1)). corner(c(3, 3)).

player(x).
player(o).

other(x, o).
other(o, x).

:- dynamic mark/2.
:- dynamic turn/1.

base(mark(P, A)) :- player(P), cell(A).
base(turn(P)) :- player(P).

:- mark(x, A), mark(o, A).
:- turn(x), turn(o).

taken(A) :- mark(_P, A).
free(A) :- cell(A), \+ taken(A).

% P has all three cells of a row.
line(R, P) :- row(R, A, B, C), player(P), mark(P, A), mark(P, B), mark(P, C).

% The other player has nothing in a row, so that P can still get it.
blocked(R, P) :- in_row(R, A), other(P, Q), mark(Q, A).
open(R, P) :- in_row(R, _A), player(P), \+ blocked(R, P).

% P has two cells of a row, and the third one, A, is free.
threat(R, P, A) :- in_row(R, A), in_row(R, B), in_row(R, C), A \== B, A \== C, B \== C, player(P), mark(P, B), mark(P, C), free(A).
