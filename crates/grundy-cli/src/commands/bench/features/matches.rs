//! Matches of Othello, played at random.

use fastrand::Rng;

/// A board: who owns which square, `None` for nobody.
type Board = Vec<Option<usize>>;

const PLAYERS: [&str; 2] = ["x", "o"];
const STEPS: [(i32, i32); 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// The states of one match, each as the list of its facts in the notation of `theories/othello.pl`.
pub(super) fn play(side: usize, rng: &mut Rng) -> Vec<Vec<String>> {
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
    let on_board = |x: i32, y: i32| (0..side as i32).contains(&x) && (0..side as i32).contains(&y);
    for (dx, dy) in STEPS {
        let (mut x, mut y) = ((square % side) as i32 + dx, (square / side) as i32 + dy);
        let mut line = Vec::new();
        while on_board(x, y) && board[y as usize * side + x as usize] == Some(1 - player) {
            line.push(y as usize * side + x as usize);
            (x, y) = (x + dx, y + dy);
        }
        if on_board(x, y) && board[y as usize * side + x as usize] == Some(player) {
            all.append(&mut line);
        }
    }
    all
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
