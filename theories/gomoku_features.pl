% Features of Go-Moku positions. Each predicate is a feature; its value is the number of its solutions.

stones_black(P) :- point(P), stone(P, black).
stones_white(P) :- point(P), stone(P, white).

% Neighbours of one colour.
pairs_black(P, Q) :- step(P, Q, _D), stone(P, black), stone(Q, black).
pairs_white(P, Q) :- step(P, Q, _D), stone(P, white), stone(Q, white).

% Two in a line, with room on both sides.
open_twos_black(P, D) :- step(O, P, D), free(O), step(P, Q, D), stone(P, black), stone(Q, black), step(Q, R, D), free(R).
open_twos_white(P, D) :- step(O, P, D), free(O), step(P, Q, D), stone(P, white), stone(Q, white), step(Q, R, D), free(R).

% Three in a line, with room on both sides.
open_threes_black(P, D) :-
    step(O, P, D), free(O), step(P, Q, D), step(Q, R, D), stone(P, black), stone(Q, black), stone(R, black),
    step(R, S, D), free(S).
open_threes_white(P, D) :-
    step(O, P, D), free(O), step(P, Q, D), step(Q, R, D), stone(P, white), stone(Q, white), stone(R, white),
    step(R, S, D), free(S).

% Four of five points in a line, and the fifth, N, is free.
fours_black(N) :- five_points(A, B, C, E, F), one_missing(N, A, B, C, E, F, black).
fours_white(N) :- five_points(A, B, C, E, F), one_missing(N, A, B, C, E, F, white).

five_points(A, B, C, E, F) :- step(A, B, D), step(B, C, D), step(C, E, D), step(E, F, D).

one_missing(A, A, B, C, E, F, P) :-
    five_points(A, B, C, E, F), player(P), free(A), stone(B, P), stone(C, P), stone(E, P), stone(F, P).
one_missing(B, A, B, C, E, F, P) :-
    five_points(A, B, C, E, F), player(P), free(B), stone(A, P), stone(C, P), stone(E, P), stone(F, P).
one_missing(C, A, B, C, E, F, P) :-
    five_points(A, B, C, E, F), player(P), free(C), stone(A, P), stone(B, P), stone(E, P), stone(F, P).
one_missing(E, A, B, C, E, F, P) :-
    five_points(A, B, C, E, F), player(P), free(E), stone(A, P), stone(B, P), stone(C, P), stone(F, P).
one_missing(F, A, B, C, E, F, P) :-
    five_points(A, B, C, E, F), player(P), free(F), stone(A, P), stone(B, P), stone(C, P), stone(E, P).

fives_black :- five(black).
fives_white :- five(white).
