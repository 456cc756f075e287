% Features of Othello positions, for boards of all sizes. Each predicate is a feature; its value is the number of its
% solutions, or what `max` and `sum` say. `_x` and `_o` are about the stones of a player.

% Stones of a player: all, and by part of the board.

pieces_x(S) :- square(S), owns(x, S).
pieces_corner_x(S) :- corner(S), owns(x, S).
pieces_edge_x(S) :- edge(S), owns(x, S).
pieces_inner_x(S) :- inner(S), owns(x, S).
pieces_second_x(S) :- second(S), owns(x, S).
pieces_middle_x(S) :- middle(S), owns(x, S).
pieces_beside_x(S) :- beside_corner(S, _C), owns(x, S).
pieces_before_x(S) :- before_corner(S, _C), owns(x, S).
pieces_o(S) :- square(S), owns(o, S).
pieces_corner_o(S) :- corner(S), owns(o, S).
pieces_edge_o(S) :- edge(S), owns(o, S).
pieces_inner_o(S) :- inner(S), owns(o, S).
pieces_second_o(S) :- second(S), owns(o, S).
pieces_middle_o(S) :- middle(S), owns(o, S).
pieces_beside_o(S) :- beside_corner(S, _C), owns(o, S).
pieces_before_o(S) :- before_corner(S, _C), owns(o, S).

% Blank squares.

blanks(S) :- square(S), blank(S).
blanks_corner(S) :- corner(S), blank(S).
blanks_edge(S) :- edge(S), blank(S).
blanks_inner(S) :- inner(S), blank(S).
blanks_second(S) :- second(S), blank(S).
blanks_middle(S) :- middle(S), blank(S).
blanks_beside(S) :- beside_corner(S, _C), blank(S).
blanks_before(S) :- before_corner(S, _C), blank(S).

% Moves of a player: all, and by part of the board.

moves_x(S) :- legal_move(S, x).
moves_corner_x(S) :- corner(S), legal_move(S, x).
moves_edge_x(S) :- edge(S), legal_move(S, x).
moves_inner_x(S) :- inner(S), legal_move(S, x).
moves_second_x(S) :- second(S), legal_move(S, x).
moves_middle_x(S) :- middle(S), legal_move(S, x).
moves_beside_x(S) :- beside_corner(S, _C), legal_move(S, x).
moves_before_x(S) :- before_corner(S, _C), legal_move(S, x).
moves_o(S) :- legal_move(S, o).
moves_corner_o(S) :- corner(S), legal_move(S, o).
moves_edge_o(S) :- edge(S), legal_move(S, o).
moves_inner_o(S) :- inner(S), legal_move(S, o).
moves_second_o(S) :- second(S), legal_move(S, o).
moves_middle_o(S) :- middle(S), legal_move(S, o).
moves_beside_o(S) :- beside_corner(S, _C), legal_move(S, o).
moves_before_o(S) :- before_corner(S, _C), legal_move(S, o).

% Moves that turn stones in a direction.

turns_n_x(S) :- turns(S, n, x).
turns_ne_x(S) :- turns(S, ne, x).
turns_e_x(S) :- turns(S, e, x).
turns_se_x(S) :- turns(S, se, x).
turns_s_x(S) :- turns(S, s, x).
turns_sw_x(S) :- turns(S, sw, x).
turns_w_x(S) :- turns(S, w, x).
turns_nw_x(S) :- turns(S, nw, x).
turns_n_o(S) :- turns(S, n, o).
turns_ne_o(S) :- turns(S, ne, o).
turns_e_o(S) :- turns(S, e, o).
turns_se_o(S) :- turns(S, se, o).
turns_s_o(S) :- turns(S, s, o).
turns_sw_o(S) :- turns(S, sw, o).
turns_w_o(S) :- turns(S, w, o).
turns_nw_o(S) :- turns(S, nw, o).

% Ways to move: a move and where the stones that it turns end.

ways_x(S, T) :- bs(S, T, x).
ways_to_corner_x(S, T) :- corner(S), bs(S, T, x).
ways_along_edge_x(S, T) :- edge(S), edge(T), bs(S, T, x).
ways_o(S, T) :- bs(S, T, o).
ways_to_corner_o(S, T) :- corner(S), bs(S, T, o).
ways_along_edge_o(S, T) :- edge(S), edge(T), bs(S, T, o).

% Stones that a move would turn, and those that none would.

threatened_x(T) :- square(T), turned(_S, T, o).
threats_x(S, T) :- turned(S, T, x).
threatened_edge_x(T) :- edge(T), turned(_S, T, o).
quiet_x(S) :- square(S), owns(x, S), \+ threatened_x(S).
threatened_o(T) :- square(T), turned(_S, T, x).
threats_o(S, T) :- turned(S, T, o).
threatened_edge_o(T) :- edge(T), turned(_S, T, x).
quiet_o(S) :- square(S), owns(o, S), \+ threatened_o(S).

% Stones next to blank squares, and blank squares next to stones.

frontier_x(S) :- frontier(S, x).
frontier_edge_x(S) :- edge(S), frontier(S, x).
frontier_inner_x(S) :- inner(S), frontier(S, x).
frontier_second_x(S) :- second(S), frontier(S, x).
frontier_middle_x(S) :- middle(S), frontier(S, x).
liberties_x(S, D) :- owns(x, S), neighbor(S, D, T), blank(T).
reach_x(S) :- blank(S), neighbor(S, _D, T), owns(o, T).
reaches_x(S, D) :- blank(S), neighbor(S, D, T), owns(o, T).
surrounded_x(S) :- square(S), owns(x, S), \+ frontier(S, x).
lonely_x(S) :- square(S), owns(x, S), \+ touching(S, x).
frontier_o(S) :- frontier(S, o).
frontier_edge_o(S) :- edge(S), frontier(S, o).
frontier_inner_o(S) :- inner(S), frontier(S, o).
frontier_second_o(S) :- second(S), frontier(S, o).
frontier_middle_o(S) :- middle(S), frontier(S, o).
liberties_o(S, D) :- owns(o, S), neighbor(S, D, T), blank(T).
reach_o(S) :- blank(S), neighbor(S, _D, T), owns(x, T).
reaches_o(S, D) :- blank(S), neighbor(S, D, T), owns(x, T).
surrounded_o(S) :- square(S), owns(o, S), \+ frontier(S, o).
lonely_o(S) :- square(S), owns(o, S), \+ touching(S, o).

% Lines of stones.

lines_x(S, T, D) :- neighbor(S, D, U), span(S, U, D, x), span(U, T, D, x).
lines_straight_x(S, T) :- straight(D), neighbor(S, D, U), owns(x, S), span(U, T, D, x).
lines_diagonal_x(S, T) :- diagonal(D), neighbor(S, D, U), owns(x, S), span(U, T, D, x).
anchored_x(S) :- corner(C), direction(D), span(C, S, D, x).
walls_x(S, T) :- edge(S), edge(T), span(S, T, _D, x).
open_lines_x(S, T) :- blank(S), neighbor(S, D, U), span(U, T, D, x), neighbor(T, D, V), blank(V).
longest_x(max(N)) :- line(S, T, D, N), span(S, T, D, x).
stretch_x(sum(N)) :- line(S, T, D, N), span(S, T, D, x), N \== 1.
lines_o(S, T, D) :- neighbor(S, D, U), span(S, U, D, o), span(U, T, D, o).
lines_straight_o(S, T) :- straight(D), neighbor(S, D, U), owns(o, S), span(U, T, D, o).
lines_diagonal_o(S, T) :- diagonal(D), neighbor(S, D, U), owns(o, S), span(U, T, D, o).
anchored_o(S) :- corner(C), direction(D), span(C, S, D, o).
walls_o(S, T) :- edge(S), edge(T), span(S, T, _D, o).
open_lines_o(S, T) :- blank(S), neighbor(S, D, U), span(U, T, D, o), neighbor(T, D, V), blank(V).
longest_o(max(N)) :- line(S, T, D, N), span(S, T, D, o).
stretch_o(sum(N)) :- line(S, T, D, N), span(S, T, D, o), N \== 1.

% Corners: who can take them, and who gave them away.

bad_before_x(S) :- before_corner(S, C), owns(x, S), blank(C).
bad_beside_x(S) :- beside_corner(S, C), owns(x, S), blank(C).
tempting_x(S) :- before_corner(S, C), legal_move(S, x), blank(C).
backed_x(S) :- beside_corner(S, C), owns(x, S), owns(x, C).
bad_before_o(S) :- before_corner(S, C), owns(o, S), blank(C).
bad_beside_o(S) :- beside_corner(S, C), owns(o, S), blank(C).
tempting_o(S) :- before_corner(S, C), legal_move(S, o), blank(C).
backed_o(S) :- beside_corner(S, C), owns(o, S), owns(o, C).

% Moves of one player alone, and of both.

private_x(S) :- legal_move(S, x), \+ legal_move(S, o).
stuck_x(S) :- square(S), blank(S), \+ legal_move(S, x).
private_o(S) :- legal_move(S, o), \+ legal_move(S, x).
stuck_o(S) :- square(S), blank(S), \+ legal_move(S, o).
contested(S) :- legal_move(S, x), legal_move(S, o).
contested_edge(S) :- edge(S), legal_move(S, x), legal_move(S, o).
dead(S) :- square(S), blank(S), \+ legal_move(S, x), \+ legal_move(S, o).

% Moves that turn stones in two directions.

double_x(S) :- turns(S, D, x), turns(S, E, x), D \== E.
doubles_x(S, D, E) :- turns(S, D, x), turns(S, E, x), D \== E.
through_x(S) :- turns(S, D, x), turns(S, E, x), opposite(D, E).
angle_x(S, D) :- turns(S, D, x), turns(S, E, x), turn(D, E).
double_edge_x(S) :- edge(S), turns(S, D, x), turns(S, E, x), D \== E.
double_second_x(S) :- second(S), turns(S, D, x), turns(S, E, x), D \== E.
double_middle_x(S) :- middle(S), turns(S, D, x), turns(S, E, x), D \== E.
wide_x(S) :- turns(S, D, x), straight(D), turns(S, E, x), diagonal(E).
double_o(S) :- turns(S, D, o), turns(S, E, o), D \== E.
doubles_o(S, D, E) :- turns(S, D, o), turns(S, E, o), D \== E.
through_o(S) :- turns(S, D, o), turns(S, E, o), opposite(D, E).
angle_o(S, D) :- turns(S, D, o), turns(S, E, o), turn(D, E).
double_edge_o(S) :- edge(S), turns(S, D, o), turns(S, E, o), D \== E.
double_second_o(S) :- second(S), turns(S, D, o), turns(S, E, o), D \== E.
double_middle_o(S) :- middle(S), turns(S, D, o), turns(S, E, o), D \== E.
wide_o(S) :- turns(S, D, o), straight(D), turns(S, E, o), diagonal(E).

% Moves of both players in neighbouring rows, and to corners.

row_fight(R) :- west_of(R, Q), can_move(R, x), can_move(Q, o).
corner_fight(C, E) :- corner(C), corner(E), C \== E, legal_move(C, x), legal_move(E, o).
corner_pair_x(C, E) :- corner(C), corner(E), C \== E, legal_move(C, x), legal_move(E, x).
corner_pair_o(C, E) :- corner(C), corner(E), C \== E, legal_move(C, o), legal_move(E, o).

% Lines of blank squares.

gaps(S, T, D) :- gap(S, T, D).
gaps_straight(S, T) :- straight(D), gap(S, T, D).
gaps_diagonal(S, T) :- diagonal(D), gap(S, T, D).
gaps_edge(S, T) :- edge(S), edge(T), gap(S, T, _D).
gaps_corner(S, T) :- corner(S), gap(S, T, _D).
widest(max(N)) :- line(S, T, D, N), gap(S, T, D).
