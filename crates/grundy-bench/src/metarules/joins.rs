//! The steps that branching figures save in joins of the grounder and of the lifted engine, against the written order.

use super::Section;
use crate::numbers::{count, float, grouped};
use crate::report::{Row, Table};
use crate::statistics::median;
use crate::{BenchError, Host};
use grundy::ground::{GroundConfig, GroundError, JoinOrder, ground};
use grundy::lifted::{Lifted, LiftedConfig};
use grundy::reasoner::{ReasonError, Reasoner};
use grundy::syntax::{Budget, Program};
use std::path::Path;
use std::time::Duration;

/// The time limit for grounding a game in one order, and the limit on steps for playing.
const TIME: Duration = Duration::from_secs(5);
const STEPS: u64 = 100_000_000;

/// How many games the lifted engine plays, and the limit on their length.
const PLAYOUTS: usize = 10;
const MOST_MOVES: usize = 200;

/// The steps in both orders, if they were within the limit.
type Steps = [Option<u64>; 2];

/// Grounds and plays games in both orders.
pub fn joins(sheets: &[String], seed: u64, host: &dyn Host) -> Result<Section, BenchError> {
    let columns = [
        ("game", "name of the sheet"),
        ("ground_branching", "steps of grounding, conditions in the order of branching figures"),
        ("ground_written", "the same in the written order"),
        (
            "lifted_branching",
            "steps of ten random games of the lifted engine, in the order of branching figures",
        ),
        ("lifted_written", "the same in the written order"),
    ];
    let mut table = Table::new("Steps of joins by game", &columns);
    let (mut grounding, mut playing): (Vec<Steps>, Vec<Steps>) = (Vec::new(), Vec::new());
    for sheet in sheets {
        let budget = host.budget();
        budget.check()?;
        let game = host.game(Path::new(sheet))?;
        let grounded = in_both_orders(|order| ground_in(&game, order, &budget))?;
        let played = in_both_orders(|order| play_in(&game, order, seed, &budget))?;
        let name = Path::new(sheet).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let steps = grounded.iter().chain(&played).map(|steps| steps.map_or_else(|| "–".to_owned(), grouped));
        table.rows.push(Row::ours([name].into_iter().chain(steps).collect()));
        grounding.push(grounded);
        playing.push(played);
    }
    let sums = summary(sheets.len()).with([sum("grounding", &grounding), sum("lifted", &playing)]);
    Ok(Section { text: sums.text() + "\n", figures: Vec::new(), tables: vec![("joins.tsv", table)] })
}

fn in_both_orders(count: impl Fn(JoinOrder) -> Result<Option<u64>, BenchError>) -> Result<Steps, BenchError> {
    Ok([count(JoinOrder::Branching)?, count(JoinOrder::Written)?])
}

fn ground_in(program: &Program, join_order: JoinOrder, budget: &Budget) -> Result<Option<u64>, BenchError> {
    let config = GroundConfig { join_order, budget: budget.part(TIME), ..GroundConfig::default() };
    match ground(program, &config) {
        Ok(ground) => Ok(Some(ground.steps())),
        Err(GroundError::Limit { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The steps of random games, the same ones in both orders.
fn play_in(
    program: &Program,
    join_order: JoinOrder,
    seed: u64,
    budget: &Budget,
) -> Result<Option<u64>, BenchError> {
    let config =
        LiftedConfig { join_order, max_steps: STEPS, budget: budget.clone(), ..LiftedConfig::default() };
    let mut lifted = Lifted::new(program, &config)?;
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..PLAYOUTS {
        match play(&mut lifted, &mut rng) {
            Ok(()) => {}
            Err(ReasonError::Limit { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Some(lifted.steps()))
}

fn play(lifted: &mut Lifted, rng: &mut fastrand::Rng) -> Result<(), ReasonError> {
    let mut state = lifted.initial()?;
    for _ in 0..MOST_MOVES {
        if lifted.is_terminal(&state)? {
            break;
        }
        let legal = lifted.legal(&state)?;
        if legal.iter().any(Vec::is_empty) {
            break;
        }
        let joint: Vec<_> = legal.iter().map(|moves| moves[rng.usize(..moves.len())]).collect();
        state = lifted.next(&state, &joint)?;
    }
    Ok(())
}

/// The table of the sums over all games.
fn summary(games: usize) -> Table {
    let columns = [
        ("what", ""),
        ("branching", ""),
        ("written", ""),
        ("times fewer", ""),
        ("median", ""),
        ("games with fewer", ""),
        ("with more", ""),
        ("out of time", ""),
    ];
    let games = count(grouped(games), "game");
    Table::new(
        format!("Steps of joins in the order of branching figures, against the written order, over {games}"),
        &columns,
    )
}

/// A row of sums: only games count that finished in both orders.
fn sum(what: &str, games: &[Steps]) -> Row {
    let both: Vec<(u64, u64)> = games.iter().filter_map(|[a, b]| Some(((*a)?, (*b)?))).collect();
    let (branching, written) =
        both.iter().fold((0, 0), |(branching, written), (a, b)| (branching + a, written + b));
    let ratio = |written: u64, branching: u64| float(written) / float(branching.max(1));
    let fewer = both.iter().filter(|(branching, written)| branching < written).count();
    let more = both.iter().filter(|(branching, written)| branching > written).count();
    let median = median(both.iter().map(|&(branching, written)| ratio(written, branching))).unwrap_or(1.0);
    Row::ours(vec![
        what.to_owned(),
        grouped(branching),
        grouped(written),
        format!("{:.1}", ratio(written, branching)),
        format!("{median:.2}"),
        grouped(fewer),
        grouped(more),
        grouped(games.len() - both.len()),
    ])
}
