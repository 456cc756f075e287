% Go: stones, strings, liberties, and the taking of stones.
%
% `size` is the side of the board, at most 25.

size(9).

follows(1, 2). follows(2, 3). follows(3, 4). follows(4, 5). follows(5, 6). follows(6, 7). 
follows(7, 8). follows(8, 9). follows(9, 10). follows(10, 11). follows(11, 12). follows(12, 13). 
follows(13, 14). follows(14, 15). follows(15, 16). follows(16, 17). follows(17, 18). follows(18, 19). 
follows(19, 20). follows(20, 21). follows(21, 22). follows(22, 23). follows(23, 24). follows(24, 25). 
index(1).
index(Y) :- index(X), follows(X, Y), \+ size(X).

connected(p(X, Y), p(X1, Y)) :- index(X), index(X1), index(Y), follows(X, X1).
connected(p(X1, Y), p(X, Y)) :- index(X), index(X1), index(Y), follows(X, X1).
connected(p(X, Y), p(X, Y1)) :- index(Y), index(Y1), index(X), follows(Y, Y1).
connected(p(X, Y1), p(X, Y)) :- index(Y), index(Y1), index(X), follows(Y, Y1).

player(black).
player(white).

other(black, white).
other(white, black).

% A position. Every point has a colour: black, white or empty. A string of stones has as many names as it has
% stones: string(P, S) says that the stones on P and S belong together, and liberty(L, S) that L is a
% liberty of the string of S. moved(C) says who made the last move.

:- dynamic colour/2.
:- dynamic string/2.
:- dynamic liberty/2.
:- dynamic moved/1.
:- dynamic does/1.

% What holds in every position.

:- colour(P, C), colour(P, D), C \== D.
:- moved(C), moved(D), C \== D.
:- string(P, _S), colour(P, empty).
:- string(_P, S), colour(S, empty).
:- string(P, S), colour(P, C), colour(S, D), C \== D.
:- liberty(L, _S), \+ colour(L, empty).
:- liberty(_L, S), colour(S, empty).
:- connected(P, Q), player(C), colour(P, C), colour(Q, C), \+ string(P, Q).
:- connected(P, L), player(C), colour(P, C), colour(L, empty), \+ liberty(L, P).

% Two liberties are more than one.
second_liberty(L, S) :- liberty(L, S), liberty(M, S), L \== M.

% The only liberty of a string.
atari(L, S) :- liberty(L, S), \+ second_liberty(L, S).

% A stone of C on M would take the string of S.
captures(C, M, S) :- other(C, D), atari(M, S), colour(S, D).

% A stone of C on M would touch the string of S, of its own colour.
joins(C, M, S) :- connected(M, P), string(P, S), colour(S, C).

% Moves: a stone needs a liberty when all is done. Ko is not forbidden here.
legal(play(C, M)) :- player(C), colour(M, empty), connected(M, L), colour(L, empty).
legal(play(C, M)) :- captures(C, M, _S).
legal(play(C, M)) :- joins(C, M, S), second_liberty(M, S).

captured(S) :- does(play(C, M)), captures(C, M, S).

next(moved(C)) :- does(play(C, _M)).

% Effects on colours.

next(colour(M, C)) :- does(play(C, M)).
next(colour(P, D)) :- does(play(_C, M)), colour(P, D), P \== M, \+ captured(P).
next(colour(P, empty)) :- captured(P).

% Effects on strings.

next(string(M, M)) :- does(play(_C, M)).
next(string(M, S)) :- does(play(C, M)), joins(C, M, S).
next(string(S, M)) :- does(play(C, M)), joins(C, M, S).
next(string(S, T)) :- does(play(C, M)), joins(C, M, S), joins(C, M, T).
next(string(P, S)) :- string(P, S), \+ captured(P).

% Effects on liberties: they stay, they come with the stone, they are shared by the strings that it
% joins, and captured stones leave new ones.

next(liberty(L, S)) :- does(play(_C, M)), liberty(L, S), L \== M, \+ captured(S).
next(liberty(L, M)) :- does(play(_C, M)), connected(M, L), colour(L, empty).
next(liberty(L, S)) :- does(play(C, M)), joins(C, M, S), connected(M, L), colour(L, empty).
next(liberty(L, M)) :- does(play(C, M)), joins(C, M, S), liberty(L, S), L \== M.
next(liberty(L, S)) :- does(play(C, M)), joins(C, M, S), joins(C, M, T), liberty(L, T), L \== M.
next(liberty(L, M)) :- does(play(C, M)), captures(C, M, L), connected(L, M).
next(liberty(L, S)) :- does(play(C, M)), captures(C, M, L), connected(L, P), string(P, S), colour(S, C).
next(liberty(L, S)) :- does(play(C, M)), captures(C, M, L), connected(L, M), joins(C, M, S).
next(liberty(L, M)) :- does(play(C, M)), captures(C, M, L), connected(L, P), joins(C, M, P).
next(liberty(L, S)) :-
    does(play(C, M)), captures(C, M, L), connected(L, P), joins(C, M, P), joins(C, M, S).

% Two strings that can be connected by one stone, as somebody wrote it down who did not think of the matcher.
threat_to_connect(C, S, T, I) :-
    colour(J, empty), connected(I, J), connected(J, K), I \== K,
    liberty(K, T), colour(T, C), liberty(I, S), colour(S, C), player(C).

% Two stones of one colour, with two common neighbours that are free: they cannot be cut.
connection(C, S, T) :-
    colour(S, C), player(C), connected(S, I), colour(I, empty), connected(I, T), colour(T, C), S \== T,
    connected(S, J), I \== J, connected(J, T), colour(J, empty).

% The goal of taking stones: six patterns in which the string of S, with the other side to play, is lost to C.

% The last liberty has stones of C on its three other sides.
taking(C, S) :-
    moved(C), other(C, D), colour(S, D), atari(L, S),
    connected(L, P), string(P, S),
    connected(L, X), colour(X, C), connected(L, Y), colour(Y, C), connected(L, Z), colour(Z, C),
    X \== Y, X \== Z, Y \== Z.

% The last liberty touches the string on two sides, and stones of C on the others.
taking(C, S) :-
    moved(C), other(C, D), colour(S, D), atari(L, S),
    connected(L, P), string(P, S), connected(L, Q), string(Q, S), P \== Q,
    connected(L, X), colour(X, C), connected(L, Y), colour(Y, C), X \== Y.

% Two strings are in atari, the last liberty of each is surrounded, and one stone cannot save both.
taking(C, S) :-
    moved(C), other(C, D), L \== M,
    colour(S, D), atari(L, S), connected(L, P), string(P, S), connected(L, Q), string(Q, S), P \== Q,
    connected(L, X), colour(X, C), connected(L, Y), colour(Y, C), X \== Y,
    colour(T, D), atari(M, T), connected(M, R), string(R, T), connected(M, O), string(O, T), R \== O,
    connected(M, Z), colour(Z, C), connected(M, W), colour(W, C), Z \== W.

% The string is in atari, and its last liberty leads to one more point only, with stones of C beside it.
taking(C, S) :-
    moved(C), other(C, D), colour(S, D), atari(L, S), connected(L, P), string(P, S),
    connected(L, X), colour(X, C), connected(L, Y), colour(Y, C), X \== Y,
    connected(L, E), colour(E, empty), connected(E, F), F \== L, colour(F, C).

% The string has two liberties that are neighbours, and stones of C on the outside of both.
taking(C, S) :-
    moved(C), other(C, D), colour(S, D), liberty(L, S), liberty(M, S), connected(L, M),
    connected(L, P), string(P, S), connected(M, Q), string(Q, S),
    connected(L, X), colour(X, C), connected(M, Y), colour(Y, C), X \== Y.

% The string shares its last liberty with another one that is in atari, too: taking both.
taking(C, S) :-
    moved(C), other(C, D), colour(S, D), atari(L, S), colour(T, D), atari(L, T), \+ string(S, T),
    connected(L, P), string(P, S), connected(L, Q), string(Q, T),
    connected(L, X), colour(X, C), connected(L, Y), colour(Y, C), X \== Y.
