//! Looks around in a game: facts, moves, and a line of play.
//!
//!     cargo run --release --example explore_state -- games/hex.kif

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program, not a library")]

use grundy::game::{Game, MachineConfig};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or("games/tic-tac-toe.kif".to_owned());
    let game = Game::from_kif(&std::fs::read_to_string(path)?)?;
    let machine = game.machine(&MachineConfig::default())?;
    let mut position = machine.initial();
    println!("at the start: {}", position.facts().join(" "));
    let mut rng = fastrand::Rng::with_seed(1);
    while !position.is_terminal() {
        let mut joint = Vec::new();
        for role in position.roles() {
            let count = position.legal(role).len();
            let one_move = position.random_move(role, &mut rng).ok_or("somebody has no legal move")?;
            println!("{}, one of {count}: {}", position.role_name(role), position.move_text(one_move));
            joint.push(one_move);
        }
        position.play(&joint)?;
    }
    println!("at the end: {}", position.facts().join(" "));
    println!("goals: {:?}", position.goals());
    Ok(())
}
