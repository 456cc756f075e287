//! `grundy export`: games for other tools.

use crate::files::{ReadArgs, load_game};
use crate::limits::LimitArgs;
use crate::output::{Outcome, print};
use anyhow::Result;
use clap::ValueEnum;
use grundy::ground::{write_asp, write_prolog};

/// Write a game for another tool
///
/// `asp` is the program that `gringo` grounds to the rules of `grundy ground --faithful`: facts of the state
/// and moves are choices, static conditions and dynamic ones stay as they are.
///
///     grundy export asp games/tic-tac-toe.kif | clingo --mode=gringo -
///
/// `prolog` is the grounding program of the paper for SWI-Prolog: rules with tables, and a goal `main` that
/// finds what can be true and be done, stores the instances of all rules, and prints how many there are.
///
///     grundy export prolog games/tic-tac-toe.kif > game.pl && swipl -g main -t halt game.pl
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The format
    #[arg(value_enum)]
    format: Format,

    /// The rule sheet, or `-`
    file: String,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// An answer-set program
    Asp,
    /// A Prolog program with tables
    Prolog,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let game = load_game(&args.file, &args.read)?;
    let mut text = Vec::new();
    match args.format {
        Format::Asp => write_asp(&game.program, &mut text)?,
        Format::Prolog => write_prolog(&game.program, &mut text)?,
    }
    print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Fine)
}
