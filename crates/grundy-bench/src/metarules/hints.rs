//! Winning and forced moves read off a state, against trying all moves.

use super::Section;
use crate::numbers::{float, grouped, short};
use crate::report::{Row, Table};
use crate::{BenchError, Host};
use grundy::game::{Game, MachineConfig};
use grundy::ground::GroundConfig;
use grundy::machine::Cursor;
use grundy::machine::incremental::{IncrementalCursor, IncrementalMachine};
use grundy::metarules::MetaError;
use grundy::network::{MoveId, RoleId};
use grundy::syntax::Budget;
use grundy::winning::MoveRulesConfig;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The games, and whether forced moves are measured, too: trying them takes all moves and all replies in each state.
const GAMES: [(&str, bool); 5] = [
    ("tic-tac-toe", true),
    ("connect-four", true),
    ("breakthrough", true),
    ("knightthrough", true),
    ("gomoku", true),
];

/// How many states of a game are measured, and the time limit.
const STATES: usize = 2_000;
const TIME: Duration = Duration::from_secs(2);

/// Time of reading a hint and of trying moves, over the same states.
struct Measured {
    states: usize,
    reading: f64,
    trying: f64,
    differences: usize,
}

/// Measures winning and forced moves in games of a folder.
pub fn hints(folder: &Path, seed: u64, host: &dyn Host) -> Result<Section, BenchError> {
    let columns = [
        ("game", "name of the sheet"),
        ("moves", "`wins`: moves that win at once; `safe`: moves after which no other role wins at once"),
        ("states", "states of random play that were measured"),
        ("read, µs/state", "time to make a move and read the hints of the new state"),
        ("try, µs/state", "time to make a move and try all moves (and replies) in the new state"),
        ("times cheaper", "the second time as a multiple of the first"),
        ("differences", "states where the two found different moves"),
    ];
    let title = "Winning and forced moves read off a state, against trying all moves (and replies)";
    let mut table = Table::new(title, &columns);
    for (name, forced) in GAMES {
        let game = host.game(&folder.join(name).with_extension("kif"))?;
        let states = host.random_states(&game, 8, seed)?;
        let game = Game::from_program(game);
        let budget = host.budget();
        let plain = machine(&game, &budget)?;
        let mut kinds = vec![("wins", winning as Try)];
        kinds.extend(forced.then_some(("safe", safe as Try)));
        for (hint, by_trying) in kinds {
            let config = MoveRulesConfig {
                forced: hint == "safe",
                budget: budget.clone(),
                ..MoveRulesConfig::default()
            };
            let with_rules = match game.with_move_rules(&states, &config) {
                Ok(with_rules) => machine(&with_rules, &budget)?,
                Err(MetaError::Limit { limit, .. }) => {
                    table.rows.push(no_rules(name, hint, limit));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let players = (with_rules.cursor(), plain.cursor());
            let measured = measure(players, seed, (hint, by_trying), &budget);
            budget.check()?;
            table.rows.push(row(name, hint, &measured));
        }
    }
    Ok(Section { text: table.text() + "\n", figures: Vec::new(), tables: vec![("hints.tsv", table)] })
}

fn no_rules(name: &str, hint: &str, limit: &str) -> Row {
    let mut cells = vec![name.to_owned(), hint.to_owned(), format!("no rules (limit `{limit}`)")];
    cells.resize(7, String::new());
    Row::ours(cells)
}

fn row(name: &str, hint: &str, measured: &Measured) -> Row {
    let micros = |seconds: f64| short(1e6 * seconds / float(measured.states.max(1)));
    Row::ours(vec![
        name.to_owned(),
        hint.to_owned(),
        grouped(measured.states),
        micros(measured.reading),
        micros(measured.trying),
        short(measured.trying / measured.reading.max(1e-9)),
        grouped(measured.differences),
    ])
}

fn machine(game: &Game, budget: &Budget) -> Result<Arc<IncrementalMachine>, BenchError> {
    let ground = GroundConfig { budget: budget.clone(), ..GroundConfig::default() };
    let rules = game.rules(&MachineConfig { ground, ..MachineConfig::default() })?;
    Ok(Arc::new(IncrementalMachine::new(rules, budget)?))
}

/// Finds moves by making all moves.
type Try = fn(&mut IncrementalCursor) -> Vec<MoveId>;

/// Plays the same games with both machines: after each move, one reads the hints of the state, the other one tries
/// all moves. The time of the move is included, because it keeps the hints up to date.
fn measure(
    (mut hinted, mut plain): (IncrementalCursor, IncrementalCursor),
    seed: u64,
    (hint, by_trying): (&str, Try),
    budget: &Budget,
) -> Measured {
    let mut measured = Measured { states: 0, reading: 0.0, trying: 0.0, differences: 0 };
    let mut rng = fastrand::Rng::with_seed(seed);
    let roles: Vec<RoleId> = plain.game().interface().role_ids().collect();
    plain.keep_trail(true);
    let begin = Instant::now();
    let goes_on = || begin.elapsed() < TIME && !budget.is_over();
    while measured.states < STATES && goes_on() {
        hinted.reset();
        plain.reset();
        while !plain.is_terminal() && measured.states < STATES && goes_on() {
            let joint: Option<Vec<MoveId>> = roles.iter().map(|&role| plain.pick(role, &mut rng)).collect();
            let Some(joint) = joint else { break };
            let start = Instant::now();
            hinted.play(&joint);
            let mut read = hinted.hinted(hint);
            measured.reading += start.elapsed().as_secs_f64();
            let start = Instant::now();
            plain.play(&joint);
            let mut tried = by_trying(&mut plain);
            measured.trying += start.elapsed().as_secs_f64();
            read.sort_unstable();
            tried.sort_unstable();
            tried.dedup();
            // In a terminal state there are no moves, whatever the rules say.
            measured.differences += usize::from(read != tried && !plain.is_terminal());
            measured.states += 1;
        }
    }
    measured
}

fn joint_moves(player: &mut IncrementalCursor) -> Vec<Vec<MoveId>> {
    let roles: Vec<RoleId> = player.game().interface().role_ids().collect();
    let mut joints = vec![Vec::new()];
    for role in roles {
        let moves = player.game().interface().moves_of(role);
        let legal: Vec<MoveId> = moves.filter(|&candidate| player.is_legal(candidate)).collect();
        joints = joints
            .iter()
            .flat_map(|joint: &Vec<MoveId>| {
                legal.iter().map(move |&one| joint.iter().copied().chain([one]).collect())
            })
            .collect();
    }
    joints
}

/// The moves that win at once.
fn winning(player: &mut IncrementalCursor) -> Vec<MoveId> {
    let mut found = Vec::new();
    for joint in joint_moves(player) {
        player.play(&joint);
        if player.is_terminal() {
            let roles = player.game().interface().role_ids();
            let wins: Vec<bool> = roles.map(|role| player.goal(role).number() == Some(100)).collect();
            found.extend(joint.iter().zip(wins).filter(|(_, wins)| *wins).map(|(&one_move, _)| one_move));
        }
        player.undo();
    }
    found
}

/// The moves after which no other role can win at once.
fn safe(player: &mut IncrementalCursor) -> Vec<MoveId> {
    let (mut all, mut losing) = (Vec::new(), Vec::new());
    for joint in joint_moves(player) {
        player.play(&joint);
        let wins = if player.is_terminal() { Vec::new() } else { winning(player) };
        player.undo();
        for &own in &joint {
            let role = |played: &MoveId| player.game().interface().moves[*played].role;
            all.push(own);
            if wins.iter().any(|win| role(win) != role(&own)) {
                losing.push(own);
            }
        }
    }
    all.retain(|one| !losing.contains(one));
    all
}
