% flags: --dialect game
% A game in Prolog notation.
role(player).
init(lamp(off)).
legal(player, press) :- true(lamp(off)).
next(lamp(on)) :- does(player, press).
terminal :- true(lamp(on)).
goal(player) :- true(lamp(on)).
