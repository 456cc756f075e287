% Othello: stones between two stones of the other colour are turned.
%
% `size` is the side of the board, at most 25; `--with 'size(4)'` makes it smaller. The rules are those of the appendix
% of Kaneko, Yamaguchi & Kawai (2000), with a board that is made from its size.

size(8).

follows(1, 2). follows(2, 3). follows(3, 4). follows(4, 5). follows(5, 6). follows(6, 7).
follows(7, 8). follows(8, 9). follows(9, 10). follows(10, 11). follows(11, 12). follows(12, 13).
follows(13, 14). follows(14, 15). follows(15, 16). follows(16, 17). follows(17, 18). follows(18, 19).
follows(19, 20). follows(20, 21). follows(21, 22). follows(22, 23). follows(23, 24). follows(24, 25).

index(1).
index(Y) :- index(X), follows(X, Y), \+ size(X).

square(p(X, Y)) :- index(X), index(Y).

% x runs from west to east, y from north to south.

west_of(X, Y) :- index(X), index(Y), follows(X, Y).

neighbor(p(X, Y), e, p(X1, Y)) :- west_of(X, X1), index(Y).
neighbor(p(X, Y), s, p(X, Y1)) :- index(X), west_of(Y, Y1).
neighbor(p(X, Y), se, p(X1, Y1)) :- west_of(X, X1), west_of(Y, Y1).
neighbor(p(X, Y1), ne, p(X1, Y)) :- west_of(X, X1), west_of(Y, Y1).
neighbor(T, w, S) :- neighbor(S, e, T).
neighbor(T, n, S) :- neighbor(S, s, T).
neighbor(T, nw, S) :- neighbor(S, se, T).
neighbor(T, sw, S) :- neighbor(S, ne, T).

direction(n). direction(ne). direction(e). direction(se).
direction(s). direction(sw). direction(w). direction(nw).

opposite(n, s). opposite(ne, sw). opposite(e, w). opposite(se, nw).
opposite(s, n). opposite(sw, ne). opposite(w, e). opposite(nw, se).

% Directions that make a right angle, the first one clockwise before the second.
turn(n, e). turn(ne, se). turn(e, s). turn(se, sw).
turn(s, w). turn(sw, nw). turn(w, n). turn(nw, ne).

straight(n). straight(e). straight(s). straight(w).
diagonal(ne). diagonal(se). diagonal(sw). diagonal(nw).

player(x).
player(o).

opponent(x, o).
opponent(o, x).

% Parts of the board.

last(N) :- size(N).
outside(p(1, Y)) :- index(Y).
outside(p(N, Y)) :- last(N), index(Y).
outside(p(X, 1)) :- index(X).
outside(p(X, N)) :- last(N), index(X).

corner(p(1, 1)).
corner(p(1, N)) :- last(N).
corner(p(N, 1)) :- last(N).
corner(p(N, N)) :- last(N).

beside_corner(S, C) :- corner(C), neighbor(C, D, S), straight(D).
before_corner(S, C) :- corner(C), neighbor(C, D, S), diagonal(D).

edge(S) :- outside(S), \+ corner(S).
inner(S) :- square(S), \+ outside(S).
second(S) :- inner(S), neighbor(S, _D, T), outside(T).
middle(S) :- inner(S), \+ second(S).

% How many squares a line has.
line(S, S, D, 1) :- square(S), direction(D).
line(S, T, D, N) :- neighbor(S, D, U), line(U, T, D, M), follows(M, N).

% What holds in a position: who owns a square, or that nobody does.

:- dynamic owns/2.
:- dynamic blank/1.

base(owns(P, S)) :- player(P), square(S).
base(blank(S)) :- square(S).

:- blank(S), owns(_P, S).
:- owns(x, S), owns(o, S).

% A line of stones of one colour, from one end to the other.
span(S1, S2, D, P) :- square(S1), square(S2), player(P), owns(P, S1), neighbor(S1, D, S3), span(S3, S2, D, P).
span(S, S, D, P) :- square(S), player(P), owns(P, S), direction(D).

% P can move to S1 and turns the stones as far as S3.
bs(S1, S3, P) :-
    blank(S1), opponent(P, Q), neighbor(S1, D, S2), span(S2, S3, D, Q), neighbor(S3, D, S4), owns(P, S4).

legal_move(S, P) :- square(S), bs(S, _End, P).

% The same, with the direction.
turns(S, D, P) :-
    blank(S), opponent(P, Q), neighbor(S, D, T), span(T, U, D, Q), neighbor(U, D, V), owns(P, V).

% A move of P to S would turn the stone on T.
turned(S, T, P) :-
    blank(S), opponent(P, Q), neighbor(S, D, F), span(F, T, D, Q), span(T, U, D, Q), neighbor(U, D, V), owns(P, V).

% P has a stone next to a blank square.
frontier(S, P) :- player(P), owns(P, S), neighbor(S, _D, T), blank(T).

% P has two stones side by side.
touching(S, P) :- player(P), owns(P, S), neighbor(S, _D, T), owns(P, T).

% A line of blank squares.
gap(S, T, D) :- blank(S), neighbor(S, D, U), gap(U, T, D).
gap(S, S, D) :- blank(S), direction(D).

% P can move somewhere in a row.
can_move(Y, P) :- index(X), index(Y), player(P), legal_move(p(X, Y), P).
