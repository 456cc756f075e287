//! The `grundy` command.

#![forbid(unsafe_code)]

mod commands;
mod engine;
mod files;
mod interrupt;
mod output;
mod plot;
mod progress;
mod render;
mod sample;
mod scratch;
mod trace;

use clap::{Parser, Subcommand};
use output::Outcome;
use std::process::ExitCode;

/// Turns the logical description of a game into a fast program.
///
/// Rule sheets are written in the Game Description Language (GDL, `.kif`), domain theories as Prolog
/// clauses (`.pl`). Every command takes `-` for standard input, and prints one JSON object on standard
/// output with `--json`. Progress and messages go to standard error.
#[derive(Parser)]
#[command(
    version,
    after_help = "Exit codes: 0 fine, 1 the input is wrong, 2 the call is wrong, 3 a limit was hit.\n\n\
                  Start with:  grundy check games/tic-tac-toe.kif\n             \
                  grundy simulate games/tic-tac-toe.kif --playouts 100"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(commands::check::Args),
    Dump(commands::dump::Args),
    Ground(commands::ground::Args),
    Export(commands::export::Args),
    Simulate(commands::simulate::Args),
    Perft(commands::perft::Args),
    Verify(commands::verify::Args),
    Metarules(commands::metarules::Args),
    Unfold(commands::unfold::Args),
    Features(Box<commands::features::Args>),
    Bench(commands::bench::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Check(args) => commands::check::run(&args),
        Command::Dump(args) => commands::dump::run(&args),
        Command::Ground(args) => commands::ground::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Simulate(args) => commands::simulate::run(&args),
        Command::Perft(args) => commands::perft::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Metarules(args) => commands::metarules::run(&args),
        Command::Unfold(args) => commands::unfold::run(&args),
        Command::Features(args) => commands::features::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
    };
    ExitCode::from(outcome.unwrap_or_else(Outcome::of_failure) as u8)
}
