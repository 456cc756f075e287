% This is a game, not a theory.
(role player)
(init (lamp off))
(<= terminal (true (lamp on)))
