//! What branching figures save in the joins of the grounder and of the lifted engine, against the written order.

use super::Section;
use crate::commands::bench::statistics::median;
use crate::files::{ReadArgs, load_game, sheets_below};
use crate::limits;
use crate::sample::play_lifted;
use anyhow::Result;
use grundy::ground::{GroundConfig, GroundError, JoinOrder, ground};
use grundy::lifted::{Lifted, LiftedConfig};
use grundy::reasoner::ReasonError;
use grundy_syntax::Program;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Grounding a game in one order may take so long, and playing so many steps.
const TIME: Duration = Duration::from_secs(5);
const STEPS: u64 = 100_000_000;

/// So many games are played with the lifted engine.
const PLAYOUTS: usize = 10;

/// The steps of both orders, unless time was over.
type Steps = [Option<u64>; 2];

/// Grounds and plays all games of a folder in both orders.
pub(super) fn joins(folder: &Path, seed: u64, read: &ReadArgs) -> Result<Section> {
    let mut sheets = sheets_below(folder)?;
    sheets.retain(|sheet| sheet.ends_with(".kif"));
    sheets.sort();
    let mut table =
        String::from("game\tground_branching\tground_written\tlifted_branching\tlifted_written\n");
    let (mut grounding, mut playing): (Vec<Steps>, Vec<Steps>) = (Vec::new(), Vec::new());
    for sheet in &sheets {
        limits::budget().check()?;
        let game = load_game(sheet, read)?;
        let grounded = in_both_orders(|order| ground_in(&game.program, order))?;
        let played = in_both_orders(|order| play_in(&game.program, order, seed))?;
        let name = Path::new(sheet).file_stem().unwrap_or_default().to_string_lossy();
        let cells = grounded.iter().chain(&played);
        let cells: Vec<String> =
            cells.map(|steps| steps.map_or_else(|| "–".to_owned(), |steps| steps.to_string())).collect();
        _ = writeln!(table, "{name}\t{}", cells.join("\t"));
        grounding.push(grounded);
        playing.push(played);
    }
    let mut text = format!(
        "Steps of joins in the order of branching figures, against the written order, over {}\n  \
         what        branching       written   times fewer   median   games with fewer   with more\n",
        crate::render::count(sheets.len(), "game"),
    );
    text.push_str(&row("grounding", &grounding));
    text.push_str(&row("lifted", &playing));
    text.push('\n');
    Ok(Section { text, figures: Vec::new(), tables: vec![("joins.tsv", table)] })
}

fn in_both_orders(count: impl Fn(JoinOrder) -> Result<Option<u64>>) -> Result<Steps> {
    Ok([count(JoinOrder::Branching)?, count(JoinOrder::Written)?])
}

fn ground_in(program: &Program, join_order: JoinOrder) -> Result<Option<u64>> {
    match ground(
        program,
        &GroundConfig { join_order, budget: limits::budget().part(TIME), ..GroundConfig::default() },
    ) {
        Ok(ground) => Ok(Some(ground.steps())),
        Err(GroundError::Limit { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The steps of random games, the same ones in both orders.
fn play_in(program: &Program, join_order: JoinOrder, seed: u64) -> Result<Option<u64>> {
    let config =
        LiftedConfig { join_order, max_steps: STEPS, budget: limits::budget(), ..LiftedConfig::default() };
    let mut lifted = Lifted::new(program, &config)?;
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..PLAYOUTS {
        match play_lifted(&mut lifted, &mut rng, |_, _| true) {
            Ok(()) => {}
            Err(ReasonError::Limit { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Some(lifted.steps()))
}

/// A line of the table: only games count that both orders have come through.
fn row(what: &str, games: &[Steps]) -> String {
    let both: Vec<(u64, u64)> = games.iter().filter_map(|[a, b]| Some(((*a)?, (*b)?))).collect();
    let (branching, written) =
        both.iter().fold((0, 0), |(branching, written), (a, b)| (branching + a, written + b));
    let ratio = |written: u64, branching: u64| written as f64 / branching.max(1) as f64;
    let fewer = both.iter().filter(|(branching, written)| branching < written).count();
    let more = both.iter().filter(|(branching, written)| branching > written).count();
    let given_up = games.len() - both.len();
    let note = if given_up > 0 { format!("   ({given_up} left out: out of time)") } else { String::new() };
    format!(
        "  {what:<10}{branching:>11}{written:>14}{:>14.1}{:>9.2}{fewer:>19}{more:>12}{note}\n",
        ratio(written, branching),
        median(both.iter().map(|&(branching, written)| ratio(written, branching))).unwrap_or(1.0),
    )
}
