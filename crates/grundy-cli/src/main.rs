//! The `grundy` command.

#![deny(unsafe_code)]

mod commands;
mod engine;
mod files;
mod limits;
mod memory;
mod output;
mod progress;
mod render;
mod sample;

use clap::{Parser, Subcommand};
use limits::LimitArgs;
use output::{Kind, Outcome};
use std::process::ExitCode;

/// Turns the logical description of a game into a fast program.
///
/// Rule sheets are written in the Game Description Language (GDL, `.kif`), domain theories as Prolog
/// clauses (`.pl`). Every command takes `-` for standard input, and prints one JSON object on standard
/// output with `--json`. Progress and messages go to standard error.
#[derive(Parser)]
#[command(
    name = "grundy",
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

/// The stack of the thread that runs the command. A main thread has 8 MB on Linux and macOS, but 1 MB on Windows, and a sheet
/// that nests as deep as `--max-nesting` can allow takes between 1 and 2 MB.
const STACK_BYTES: usize = 8 << 20;

fn main() -> ExitCode {
    let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES);
    let runner = thread.spawn(run_process).expect("a thread can be started");
    runner.join().unwrap_or(ExitCode::from(PANIC))
}

/// The whole process: arguments in, exit code out.
fn run_process() -> ExitCode {
    let as_json = output::wants_json();
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => {
            if error.use_stderr() {
                output::finish_abruptly(Kind::Call, error.render().to_string().trim_end(), as_json);
            }
            error.exit();
        }
    };
    limits::start(command.limits());
    match std::panic::catch_unwind(|| run(command)) {
        Ok(result) => ExitCode::from(output::finish(result, as_json) as u8),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            output::finish_abruptly(Kind::Internal, text, as_json);
            ExitCode::from(PANIC)
        }
    }
}

/// The exit code of a program that panics, as Rust has it.
const PANIC: u8 = 101;

impl Command {
    /// The limits on the whole command, if it has any: most benches limit each sheet instead.
    fn limits(&self) -> Option<LimitArgs> {
        match self {
            Command::Check(args) => Some(args.limits.clone()),
            Command::Dump(args) => Some(args.limits.clone()),
            Command::Ground(args) => Some(args.limits.clone()),
            Command::Export(args) => Some(args.limits.clone()),
            Command::Simulate(args) => Some(args.limits.clone().with_time_for(args.seconds)),
            Command::Perft(args) => Some(args.limits.clone()),
            Command::Verify(args) => Some(args.limits.clone()),
            Command::Metarules(args) => Some(args.limits.clone()),
            Command::Unfold(args) => Some(args.limits.clone()),
            Command::Features(args) => Some(args.limits()),
            Command::Bench(args) => args.limits(),
        }
    }
}

fn run(command: Command) -> anyhow::Result<Outcome> {
    match command {
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
    }
}
