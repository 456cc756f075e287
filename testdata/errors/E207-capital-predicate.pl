% A predicate cannot begin with a capital letter.
:- dynamic owns/2.
:- dynamic blank/1.

line(a1, b1, c1).
line(a2, b2, c2).
other(x, o).
other(o, x).

wins(P) :- line(A, B, C), owns(P, A), owns(P, B), owns(P, C).
threat(P, C) :- line(A, B, C), owns(P, A), owns(P, B), blank(C).
Lost(P) :- other(P, Q), wins(Q).
