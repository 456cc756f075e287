% A square grid, and a robot that walks on it.
%
% `size` is the side of the grid, at most 25; the commands of Grundy replace it with
% `--with 'size(19)'`.

size(9).

follows(1, 2). follows(2, 3). follows(3, 4). follows(4, 5). follows(5, 6). follows(6, 7). 
follows(7, 8). follows(8, 9). follows(9, 10). follows(10, 11). follows(11, 12). follows(12, 13). 
follows(13, 14). follows(14, 15). follows(15, 16). follows(16, 17). follows(17, 18). follows(18, 19). 
follows(19, 20). follows(20, 21). follows(21, 22). follows(22, 23). follows(23, 24). follows(24, 25). 
index(1).
index(Y) :- index(X), follows(X, Y), \+ size(X).

% Neighbours, in either direction.

connected(p(X, Y), p(X1, Y)) :- index(X), index(X1), index(Y), follows(X, X1).
connected(p(X1, Y), p(X, Y)) :- index(X), index(X1), index(Y), follows(X, X1).
connected(p(X, Y), p(X, Y1)) :- index(Y), index(Y1), index(X), follows(Y, Y1).
connected(p(X, Y1), p(X, Y)) :- index(Y), index(Y1), index(X), follows(Y, Y1).

% Walks of a length, from neighbour to neighbour.

walk(X, Y, 1) :- connected(X, Y).
walk(X, Z, N) :- follows(M, N), walk(X, Y, M), connected(Y, Z).

% Paths: no point is visited twice, but perhaps the last one. Whenever a point is reached, it is compared
% with all points before it.

path(X, Y, 1) :-
    connected(X, Y).
path(X, Z, 2) :-
    connected(X, Y), X \== Y,
    connected(Y, Z).
path(X, W, 3) :-
    connected(X, Y), X \== Y,
    connected(Y, Z), Z \== X, Z \== Y,
    connected(Z, W).
path(X, D, 4) :-
    connected(X, Y), X \== Y,
    connected(Y, Z), Z \== X, Z \== Y,
    connected(Z, W), W \== X, W \== Y, W \== Z,
    connected(W, D).

% The robot stands somewhere and goes to a neighbour.

:- dynamic at/1.
:- dynamic does/1.

:- at(X), at(Y), X \== Y.

legal(go(Y)) :- at(X), connected(X, Y).

next(at(Y)) :- does(go(Y)).
