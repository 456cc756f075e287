//! Who wins when everybody plays at random, and how much a first move changes that.
//!
//!     cargo run --release --example compare_players -- games/breakthrough.kif

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program, not a library")]

use grundy::game::{Game, MachineConfig};
use grundy::machine::{MachineKind, PlayoutConfig, Totals};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or("games/tic-tac-toe.kif".to_owned());
    let game = Game::from_kif(&std::fs::read_to_string(path)?)?;
    let machine = game.machine(&MachineConfig { kind: MachineKind::Batch, ..MachineConfig::default() })?;
    println!("at random: {}", means(&machine.playouts(100_000, 1)));

    // One position after each move of the first role, all others doing the first thing they may.
    let mut start = machine.initial();
    let (mut moves, mut states) = (Vec::new(), Vec::new());
    let others: Vec<_> = start.roles().skip(1).map(|role| start.legal(role)[0]).collect();
    for role in start.roles().take(1) {
        for one_move in start.legal(role) {
            let mut next = start.clone();
            next.play(&[&[one_move], &others[..]].concat())?;
            moves.push(start.move_text(one_move).to_owned());
            states.push(next.state());
        }
    }
    let results = machine.playouts_from(&states, 10_000, &PlayoutConfig::default());
    for (text, totals) in moves.iter().zip(&results) {
        println!("{text}: {}", means(totals));
    }
    Ok(())
}

fn means(totals: &Totals) -> String {
    let means =
        totals.goals.iter().map(|goal| goal.mean().map_or("-".to_owned(), |mean| format!("{mean:.1}")));
    means.collect::<Vec<_>>().join(" ")
}
