//! Matches of Othello, played at random.

use fastrand::Rng;

/// A board: the owner of each square, `None` where it is empty.
type Board = Vec<Option<usize>>;

const PLAYERS: [&str; 2] = ["x", "o"];
/// The directions, by column and row.
const STEPS: [(isize, isize); 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// The states of one match, each as the list of its facts in the notation of `theories/othello.pl`.
pub(super) fn play(side: u8, rng: &mut Rng) -> Vec<Vec<String>> {
    let side = usize::from(side);
    let mut board = start(side);
    let mut states = vec![facts(&board, side)];
    let (mut player, mut passed) = (0, 0);
    while passed < 2 {
        let moves: Vec<(usize, Vec<usize>)> = (0..board.len())
            .map(|square| (square, turned(&board, side, square, player)))
            .filter(|(_, turned)| !turned.is_empty())
            .collect();
        match rng.choice(&moves) {
            None => passed += 1,
            Some((square, turned)) => {
                passed = 0;
                board[*square] = Some(player);
                turned.iter().for_each(|&square| board[square] = Some(player));
                states.push(facts(&board, side));
            }
        }
        player = 1 - player;
    }
    states
}

fn start(side: usize) -> Board {
    let mut board = vec![None; side * side];
    let middle = side / 2;
    for (x, y, player) in [(0, 0, 1), (1, 1, 1), (0, 1, 0), (1, 0, 0)] {
        board[(middle - 1 + y) * side + middle - 1 + x] = Some(player);
    }
    board
}

/// The squares whose stones a move turns.
fn turned(board: &Board, side: usize, square: usize, player: usize) -> Vec<usize> {
    let mut all = Vec::new();
    if board[square].is_some() {
        return all;
    }
    for step in STEPS {
        let mut line: Vec<usize> = Vec::new();
        let mut next = neighbour(square, step, side);
        while let Some(square) = next.filter(|&square| board[square] == Some(1 - player)) {
            line.push(square);
            next = neighbour(square, step, side);
        }
        if next.is_some_and(|square| board[square] == Some(player)) {
            all.append(&mut line);
        }
    }
    all
}

/// The next square in a direction, unless it is off the board.
fn neighbour(square: usize, (dx, dy): (isize, isize), side: usize) -> Option<usize> {
    let x = (square % side).checked_add_signed(dx).filter(|&x| x < side)?;
    let y = (square / side).checked_add_signed(dy).filter(|&y| y < side)?;
    Some(y * side + x)
}

fn facts(board: &Board, side: usize) -> Vec<String> {
    let fact = |(square, owner): (usize, &Option<usize>)| {
        let place = format!("p({}, {})", square % side + 1, square / side + 1);
        match owner {
            Some(player) => format!("owns({}, {place})", PLAYERS[*player]),
            None => format!("blank({place})"),
        }
    };
    board.iter().enumerate().map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_fills_the_board_step_by_step() {
        let states = play(8, &mut Rng::with_seed(1));
        assert!(states.len() > 50 && states.len() <= 61);
        let stones = |state: &Vec<String>| state.iter().filter(|fact| fact.starts_with("owns")).count();
        for (number, state) in states.iter().enumerate() {
            assert_eq!((state.len(), stones(state)), (64, 4 + number));
        }
    }
}
