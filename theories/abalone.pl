% The board of Abalone: 61 cells in nine rows, a to i, and on nine diagonals, 1 to 9.
%
% Every inner cell has six neighbours, one in each of the directions 1 to 6, which go round the cell:
% 1 along the row, 2 and 3 up, 4 back along the row, 5 and 6 down.

follows(1, 2). follows(2, 3). follows(3, 4). follows(4, 5).
follows(5, 6). follows(6, 7). follows(7, 8). follows(8, 9).

above(a, b). above(b, c). above(c, d). above(d, e).
above(e, f). above(f, g). above(g, h). above(h, i).

% A row reaches from one diagonal to another.

row(a, 1, 5). row(b, 1, 6). row(c, 1, 7). row(d, 1, 8). row(e, 1, 9).
row(f, 2, 9). row(g, 3, 9). row(h, 4, 9). row(i, 5, 9).

cell(at(R, First)) :- row(R, First, _Last).
cell(at(R, N)) :- row(R, _First, _Last), cell(at(R, M)), follows(M, N), \+ last(R, M).

last(R, Last) :- row(R, _First, Last).

connected(at(R, M), at(R, N), 1) :- cell(at(R, M)), cell(at(R, N)), follows(M, N).
connected(at(R, M), at(S, N), 2) :- cell(at(R, M)), cell(at(S, N)), above(R, S), follows(M, N).
connected(at(R, N), at(S, N), 3) :- cell(at(R, N)), cell(at(S, N)), above(R, S).
connected(Y, X, 4) :- connected(X, Y, 1).
connected(Y, X, 5) :- connected(X, Y, 2).
connected(Y, X, 6) :- connected(X, Y, 3).

opposite(1, 4). opposite(2, 5). opposite(3, 6).
opposite(4, 1). opposite(5, 2). opposite(6, 3).

player(black).
player(white).

other(black, white).
other(white, black).

% Marbles lie on cells. A single marble rolls to a free neighbour, or two in a row push one that has nothing
% behind it, or falls off the board.

:- dynamic marble/2.
:- dynamic does/1.

:- marble(X, C), marble(X, D), C \== D.

taken(X) :- marble(X, _C).

neighbour(X, D) :- connected(X, _Y, D).

legal(roll(C, X, Y)) :- marble(X, C), connected(X, Y, _D), \+ taken(Y).
legal(push(C, X, Y)) :- pushes(C, X, _Z, Y, D), behind(Y, D).

% The two marbles on X and Z push the one on Y.
pushes(C, X, Z, Y, D) :-
    marble(X, C), connected(X, Z, D), marble(Z, C), connected(Z, Y, D), marble(Y, E), other(C, E).

% There is room behind Y: a free cell, or the edge.
behind(Y, D) :- connected(Y, Z, D), \+ taken(Z).
behind(Y, D) :- marble(Y, _C), opposite(D, _E), \+ neighbour(Y, D).

next(marble(Y, C)) :- does(roll(C, _X, Y)).
next(marble(Y, C)) :- does(push(C, X, Y)), pushes(C, X, _Z, Y, _D).
next(marble(W, E)) :- does(push(C, X, Y)), pushes(C, X, _Z, Y, D), marble(Y, E), connected(Y, W, D).
next(marble(X, C)) :- marble(X, C), \+ changed(X).

changed(X) :- does(roll(_C, X, _Y)).
changed(X) :- does(push(_C, X, _Y)).
changed(Y) :- does(push(_C, _X, Y)).

% A marble is pushed off the board.
falls(Y, C) :- pushes(C, _X, _Z, Y, D), \+ neighbour(Y, D).
