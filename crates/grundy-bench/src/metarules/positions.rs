//! Random positions of Go as facts of `theories/go.pl`.
//!
//! The rules of the game are implemented here a second time, by filling areas, so that the theory can be compared with this
//! implementation.

use std::collections::BTreeSet;

/// A point of the board, by column and row, counted from 1.
pub(crate) type Point = (usize, usize);

/// A board with stones.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    size: usize,
    /// For each point, row by row, the colour of its stone.
    stones: Vec<Option<Colour>>,
    /// The player of the last move.
    moved: Colour,
}

/// A player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Black,
    White,
}

impl Colour {
    pub(crate) fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Colour::Black => "black",
            Colour::White => "white",
        }
    }
}

impl Board {
    pub(crate) fn new(size: usize) -> Board {
        Board { size, stones: vec![None; size * size], moved: Colour::White }
    }

    /// All points.
    pub(crate) fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let size = self.size;
        (1..=size).flat_map(move |x| (1..=size).map(move |y| (x, y)))
    }

    pub(crate) fn at(&self, (x, y): Point) -> Option<Colour> {
        self.stones[(x - 1) * self.size + y - 1]
    }

    fn set(&mut self, (x, y): Point, stone: Option<Colour>) {
        self.stones[(x - 1) * self.size + y - 1] = stone;
    }

    fn neighbours(&self, (x, y): Point) -> Vec<Point> {
        let mut found = Vec::new();
        found.extend((x > 1).then(|| (x - 1, y)));
        found.extend((x < self.size).then(|| (x + 1, y)));
        found.extend((y > 1).then(|| (x, y - 1)));
        found.extend((y < self.size).then(|| (x, y + 1)));
        found
    }

    /// The string of a stone and its liberties.
    fn string(&self, start: Point) -> (BTreeSet<Point>, BTreeSet<Point>) {
        let (mut string, mut liberties) = (BTreeSet::from([start]), BTreeSet::new());
        let mut work = vec![start];
        while let Some(point) = work.pop() {
            for next in self.neighbours(point) {
                if self.at(next).is_none() {
                    liberties.insert(next);
                } else if self.at(next) == self.at(start) && string.insert(next) {
                    work.push(next);
                }
            }
        }
        (string, liberties)
    }

    /// The board after a move; `None` if the move is not legal. Ko is allowed.
    pub(crate) fn play(&self, colour: Colour, point: Point) -> Option<Board> {
        if self.at(point).is_some() {
            return None;
        }
        let mut board = self.clone();
        board.set(point, Some(colour));
        board.moved = colour;
        for next in self.neighbours(point) {
            if board.at(next) == Some(colour.other()) {
                let (string, liberties) = board.string(next);
                if liberties.is_empty() {
                    string.into_iter().for_each(|stone| board.set(stone, None));
                }
            }
        }
        (!board.string(point).1.is_empty()).then_some(board)
    }

    /// A board after some random moves; `below` returns random numbers below its argument.
    pub(crate) fn random(size: usize, moves: usize, below: &mut dyn FnMut(usize) -> usize) -> Board {
        let mut board = Board::new(size);
        for _ in 0..moves {
            let point = (below(size) + 1, below(size) + 1);
            let colour = board.moved.other();
            board = board.play(colour, point).unwrap_or(board);
        }
        board
    }

    /// A board with these stones, without the strings that have no liberty.
    #[allow(dead_code, reason = "tests of the theory use this file, too")]
    pub(crate) fn painted(size: usize, mut stone: impl FnMut(Point) -> Option<Colour>) -> Board {
        let mut board = Board::new(size);
        for point in board.points() {
            board.set(point, stone(point));
        }
        for point in board.points() {
            if board.at(point).is_some() && board.string(point).1.is_empty() {
                board.string(point).0.into_iter().for_each(|stone| board.set(stone, None));
            }
        }
        board
    }

    /// The facts of the position.
    pub(crate) fn facts(&self) -> Vec<String> {
        let name = |(x, y): Point| format!("p({x}, {y})");
        let mut facts = vec![format!("moved({})", self.moved.name())];
        for point in self.points() {
            let colour = self.at(point).map_or("empty", Colour::name);
            facts.push(format!("colour({}, {colour})", name(point)));
            if self.at(point).is_some() {
                let (string, liberties) = self.string(point);
                facts.extend(string.iter().map(|&stone| format!("string({}, {})", name(stone), name(point))));
                facts.extend(
                    liberties.iter().map(|&free| format!("liberty({}, {})", name(free), name(point))),
                );
            }
        }
        facts.sort_unstable();
        facts
    }
}
