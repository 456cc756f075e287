//! Counts the games that are as long as they can be: how many ways there are to play some moves.
//!
//!     cargo run --release --example count_games -- games/connect-four.kif 6

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program, not a library")]

use grundy::game::{Game, MachineConfig};
use grundy::machine::Position;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or("games/tic-tac-toe.kif".to_owned());
    let depth: u32 = args.next().unwrap_or("5".to_owned()).parse()?;
    let game = Game::from_kif(&std::fs::read_to_string(path)?)?;
    let machine = game.machine(&MachineConfig::default())?;
    println!("{}", count(&mut machine.initial(), depth));
    Ok(())
}

/// The number of sequences of joint moves from here.
fn count(position: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.is_terminal() {
        return 0;
    }
    let mut joints = vec![Vec::new()];
    for role in position.roles() {
        let moves = position.legal(role);
        joints =
            joints.iter().flat_map(|joint| moves.iter().map(move |&m| [&joint[..], &[m]].concat())).collect();
    }
    let play = |joint: &Vec<_>| {
        let mut next = position.clone();
        next.play_unchecked(joint);
        count(&mut next, depth - 1)
    };
    joints.iter().map(play).sum()
}
