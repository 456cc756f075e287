% Go-Moku: five stones in a line win.
%
% `size` is the side of the board, at most 25.

size(15).

follows(1, 2). follows(2, 3). follows(3, 4). follows(4, 5). follows(5, 6). follows(6, 7). 
follows(7, 8). follows(8, 9). follows(9, 10). follows(10, 11). follows(11, 12). follows(12, 13). 
follows(13, 14). follows(14, 15). follows(15, 16). follows(16, 17). follows(17, 18). follows(18, 19). 
follows(19, 20). follows(20, 21). follows(21, 22). follows(22, 23). follows(23, 24). follows(24, 25). 
index(1).
index(Y) :- index(X), follows(X, Y), \+ size(X).

point(p(X, Y)) :- index(X), index(Y).

% The next point in one of four directions.

step(p(X, Y), p(X1, Y), across) :- index(X), index(X1), index(Y), follows(X, X1).
step(p(X, Y), p(X, Y1), up) :- index(X), index(Y), index(Y1), follows(Y, Y1).
step(p(X, Y), p(X1, Y1), rising) :-
    index(X), index(X1), index(Y), index(Y1), follows(X, X1), follows(Y, Y1).
step(p(X, Y1), p(X1, Y), falling) :-
    index(X), index(X1), index(Y), index(Y1), follows(X, X1), follows(Y, Y1).

player(black).
player(white).

other(black, white).
other(white, black).

:- dynamic stone/2.
:- dynamic does/1.

% What stones there can be at all.
base(stone(P, C)) :- point(P), player(C).

:- stone(P, C), stone(P, D), C \== D.

taken(P) :- stone(P, _C).
free(P) :- point(P), \+ taken(P).

legal(place(C, P)) :- player(C), free(P).

next(stone(P, C)) :- does(place(C, P)).
next(stone(P, C)) :- stone(P, C).

five(C) :-
    stone(A, C), step(A, B, D), stone(B, C), step(B, E, D), stone(E, C),
    step(E, F, D), stone(F, C), step(F, G, D), stone(G, C).

% Four in a line with both ends free: nobody can stop the fifth.
open_four(C) :-
    step(O, A, D), free(O), step(A, B, D), stone(A, C), stone(B, C), step(B, E, D), stone(E, C),
    step(E, F, D), stone(F, C), step(F, P, D), free(P).
