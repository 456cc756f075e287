//! `grundy perft`: counting move sequences.

use crate::commands::simulate::unplayable;
use crate::engine::{EngineArg, ReasonArgs};
use crate::files::{ReadArgs, load_game};
use crate::limits::LimitArgs;
use crate::output::{Failure, Outcome, print, print_json};
use crate::render::count;
use anyhow::Result;
use grundy::engine::Task;
use grundy::machine::MachineKind;
use grundy::play::{FollowError, Line, follow};
use grundy::reasoner::{ReasonError, Reasoner};
use serde_json::json;
use std::time::Instant;

/// Count the joint-move sequences of a given length
///
/// A sequence counts if it has exactly that length; one that a terminal state ends earlier is counted
/// apart. Well-known games have published counts, so that this is a good test of a rule sheet:
///
///     grundy perft games/connect-four.kif 5
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The rule sheet, or `-`
    file: String,

    /// The length of the sequences
    #[arg(value_parser = clap::value_parser!(u32).range(0..=2000))]
    depth: u32,

    /// Count from the position after these moves: joint moves separated by `;`, the moves of the roles in order,
    /// such as "(mark 1 1) noop; noop (mark 2 2)"
    #[arg(long, value_name = "MOVES")]
    moves: Option<Line>,

    /// The engine
    #[arg(long, value_enum, default_value = "auto")]
    engine: EngineArg,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reason: ReasonArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let game = load_game(&args.file, &args.read)?;
    let start = Instant::now();
    let engine = args.reason.engine(args.engine, &game, false, MachineKind::Incremental)?;
    let counts = engine.run(Count { depth: args.depth, line: args.moves.clone().unwrap_or_default() })?;
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        print_json(json!({
            "depth": args.depth,
            "sequences": counts.sequences,
            "ended_earlier": counts.ended_earlier,
            "seconds": seconds,
            "engine": engine.name(),
        }));
    } else {
        print(&format!(
            "{} of {}, {} that ended earlier ({seconds:.3} s)\n",
            count(counts.sequences, "sequence"),
            count(args.depth, "joint move"),
            counts.ended_earlier
        ))?;
    }
    Ok(Outcome::Fine)
}

#[derive(Default)]
struct Counts {
    sequences: u64,
    ended_earlier: u64,
}

/// Counting from the state that a line of moves leads to.
struct Count {
    depth: u32,
    line: Line,
}

impl Task for Count {
    type Output = Counts;
    type Error = Failure;

    fn run<R: Reasoner + Send>(self, make: impl Fn() -> Result<R, ReasonError>) -> Result<Counts, Failure> {
        let mut reasoner = make()?;
        let mut counts = Counts::default();
        let initial = reasoner.initial()?;
        let start = follow(&mut reasoner, initial, &self.line, |_, _, _, _| Ok::<(), FollowError>(()))
            .map_err(unplayable)?;
        perft(&mut reasoner, &start, self.depth, &mut counts)?;
        Ok(counts)
    }
}

fn perft<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    depth: u32,
    counts: &mut Counts,
) -> Result<(), ReasonError> {
    if depth == 0 {
        counts.sequences += 1;
        return Ok(());
    }
    if reasoner.is_terminal(state)? {
        counts.ended_earlier += 1;
        return Ok(());
    }
    let legal = reasoner.legal(state)?;
    if depth == 1 {
        counts.sequences += legal.iter().map(|moves| moves.len() as u64).product::<u64>();
        return Ok(());
    }
    let mut choice = vec![0; legal.len()];
    if legal.iter().any(|moves| moves.is_empty()) {
        return Ok(());
    }
    loop {
        let joint: Vec<R::Move> = choice.iter().zip(&legal).map(|(&i, moves)| moves[i]).collect();
        let next = reasoner.next(state, &joint)?;
        perft(reasoner, &next, depth - 1, counts)?;
        // Count up: the joint moves are the numbers of a mixed-radix system.
        let Some(role) = (0..choice.len()).rev().find(|&role| choice[role] + 1 < legal[role].len()) else {
            return Ok(());
        };
        choice[role] += 1;
        choice[role + 1..].fill(0);
    }
}
