//! `grundy export`: games for other tools.

use crate::files::{ReadArgs, load_game};
use crate::limits::{LimitArgs, budget};
use crate::output::{Outcome, print, print_json};
use anyhow::Result;
use clap::ValueEnum;
use grundy::ground::{write_asp, write_prolog};
use serde_json::json;

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

    /// Print one JSON object: the format and the text
    #[arg(long)]
    json: bool,

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
    let format = match args.format {
        Format::Asp => write_asp(&game.program, &mut text).map(|()| "asp")?,
        Format::Prolog => write_prolog(&game.program, &mut text).map(|()| "prolog")?,
    };
    budget().check()?;
    let text = String::from_utf8_lossy(&text);
    if args.json {
        print_json(json!({"format": format, "text": text}));
    } else {
        print(&text)?;
    }
    Ok(Outcome::Fine)
}
