//! How fast a sheet is read.
//!
//! ```text
//! cargo run --release -p grundy-syntax --example read_speed [MEGABYTES]
//! ```
//!
//! Makes one big sheet in memory (100 MB if nothing is said), and prints the throughput of the first
//! stage, S-expressions, and of the whole way to a program. Everything runs on one thread, the one
//! that `main` runs on, so a stack that grew with the text would show.

#![allow(clippy::print_stdout, reason = "an example that reports to its caller")]

use grundy_syntax::{Limits, Source, read_game, read_sexprs};
use std::fmt::Write;
use std::time::Instant;

const MEGABYTE: usize = 1_000_000;

fn main() {
    let megabytes = std::env::args().nth(1).map_or(100, |arg| arg.parse().expect("a number of megabytes"));
    let source = Source::new("speed.kif", sheet(megabytes * MEGABYTE));
    let limits = Limits::default();

    let sexprs = measure("S-expressions", &source, || read_sexprs(&source, &limits));
    assert!(sexprs.1.is_empty(), "{:?}", sexprs.1);
    drop(sexprs);

    let reading = measure("program", &source, || read_game(&source, &limits));
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    let program = &reading.program;
    println!("{} rules, {} terms, {} names", program.rules.len(), program.terms.len(), program.symbols.len());
}

/// Runs one stage over the whole text and prints its throughput.
fn measure<T>(stage: &str, source: &Source, read: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = read();
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = source.text().len() as f64 / MEGABYTE as f64;
    println!("{stage:>14}: {megabytes:.0} MB in {seconds:.2} s, {:.0} MB/s", megabytes / seconds);
    result
}

/// A sheet of at least so many bytes: boards of facts, each with the rules that a game has for it.
fn sheet(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + MEGABYTE);
    for board in 0.. {
        if text.len() >= bytes {
            break;
        }
        write_board(&mut text, board).expect("strings can always be written to");
    }
    text
}

fn write_board(out: &mut String, board: usize) -> std::fmt::Result {
    writeln!(out, ";;; Board {board}\n")?;
    writeln!(out, "(role player-{board})")?;
    for x in 1..=8 {
        writeln!(out, "(succ-{board} {x} {})", x + 1)?;
        for y in 1..=8 {
            writeln!(out, "(init (cell {board} {x} {y} b)) (base (cell {board} {x} {y} mark-{board}))")?;
        }
    }
    for x in 1..=8 {
        writeln!(
            out,
            "
(<= (legal ?player (move {board} {x} (square ?u ?v) (square ?x ?v)))
    (true (control ?player))          ; nobody moves twice
    (true (cell {board} ?u ?v ?player))
    (succ-{board} ?u ?x)
    (not (true (cell {board} ?x ?v ?player))))
(<= (next (cell {board} {x} ?y ?mark))
    (true (cell {board} {x} ?y ?mark))
    (does ?player (mark {board} ?m ?n))
    (distinct ?mark ?player)
    (distinct (square {x} ?y) (square ?m ?n)))
(<= (line {board} {x} ?mark)
    (true (cell {board} {x} 1 ?mark))
    (true (cell {board} {x} 2 ?mark))
    (true (cell {board} {x} 3 ?mark)))"
        )?;
    }
    writeln!(out, "(<= (goal player-{board} 100) (line {board} ?_x player-{board}))\n")
}
